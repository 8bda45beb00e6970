# front.gp - the front of one run: the best value for each number of active coordinates. Where points were
# evaluated again, those means stand beside the values on record, with two standard errors. Reads front.dat
# (active count, value on record, its evaluations, mean and standard error of fresh ones, standard error of the
# value on record), front.meta.gp and front.text.dat.

load "style.gp"
load "front.meta.gp"
texts_of = "front"
load "texts.gp"
value = is_return ? "return" : "value"

headline = "Best ".value." for each number of active coordinates"
subtitle = text[2]." · ".text[1]
load "headline.gp"

least = 1e300
most = -1e300
see(y) = y != y || (is_log && y <= 0) ? 0 : (least = y < least ? y : least, most = y > most ? y : most, 0)
mean = again ? 4 : 2 # and its standard error
error = again ? 5 : 6
bar(k) = field(mean) + 2 * k * field(error)
stats "front.dat" using (see(field(2)), see(bar(-1)) + see(bar(1))) nooutput
has_errors = 0
stats "front.dat" using (field(6) == field(6) ? (has_errors = 1) : 0) nooutput
stats "front.dat" using 1 name "ACTIVE" nooutput
if (is_log) {
    set logscale y
    set format y "10^{%T}"
    low = log_low(least)
    high = log_high(most)
} else {
    span = most > least ? most - least : abs(most) + 1
    low = least - 0.06 * span
    high = most + 0.06 * span
}
set yrange [low:high]
set ylabel value
set xlabel "active coordinates"
span_x = ACTIVE_max > ACTIVE_min ? ACTIVE_max - ACTIVE_min : 1
set xrange [ACTIVE_min - 0.04 * span_x:ACTIVE_max + 0.04 * span_x]
set xtics whole_step(span_x, 700)
set key off

# A key in a line of its own, below the headline; the point that is recommended has a line below it.
set tmargin at screen down(121)
y = down(104)
set label "" at graph 0.012, screen y point pt (again ? 6 : 7) ps 1 lc rgb blue
set label has_errors && !again ? "on record, with two standard errors" : "on record" at graph 0.03, screen y tc rgb ink
if (again) {
    set label "" at graph 0.212, screen y point pt 7 ps 1 lc rgb orange
    set label sprintf("evaluated again, %d times, with two standard errors", again) at graph 0.23, screen y tc rgb ink
}
if (chosen >= ACTIVE_min && chosen <= ACTIVE_max) {
    set arrow from first chosen, graph 0 to first chosen, graph 1 nohead back dt (6, 6) lw 1 lc rgb grey
    if (chosen > 0.5 * (ACTIVE_min + ACTIVE_max)) {
        set label "the point shown" at first chosen, graph 0.04 right offset -0.8, 0 tc rgb grey
    } else {
        set label "the point shown" at first chosen, graph 0.04 left offset 0.8, 0 tc rgb grey
    }
}

do for [kind in kinds] {
    eval(page(kind, "front"))
    if (again) {
        plot "front.dat" using 1:2 with steps lw 1 lc rgb silver, \
             "" using 1:2 with points pt 6 ps 1 lw 1.5 lc rgb blue, \
             "" using 1:4:(2 * $5) with yerrorbars pt 7 ps 0.9 lw 1.5 lc rgb orange
    } else {
        plot "front.dat" using 1:2 with steps lw 1.5 lc rgb silver, \
             "" using 1:2:(2 * ($6 == $6 ? $6 : 0)) with yerrorbars pt 7 ps 1 lw 1.5 lc rgb blue
    }
}
unset output
