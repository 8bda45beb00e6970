# run.gp - one run: fitness with the penalty, and value without it, of the best on record (left axis), and
# its active coordinates (right axis). Reads run.dat (generation, best fitness, its value,
# its active count), run.meta.gp and run.text.dat.

load "style.gp"
load "run.meta.gp"
texts_of = "run"
load "texts.gp"
title = text[1]
problem = text[2]
value = is_return ? "return" : "value"

headline = "Best on record: ".title
subtitle = problem.(penalty > 0 \
    ? " · penalty of ".gprintf("%g", penalty)." for each active coordinate" : " · no penalty")
load "headline.gp"

# The left axis leaves out the first rise or fall, unless it has a log scale.
early = is_log ? 0 : 0.05 * generations
least = 1e300
most = -1e300
see(y) = is_log && y <= 0 ? 0 : (least = y < least ? y : least, most = y > most ? y : most, 0)
stats "run.dat" using ($1 > early ? see(field(2)) + see(field(3)) : 0) nooutput
stats "run.dat" using 1 name "TIME" nooutput
stats "run.dat" using 4 name "ACTIVE" nooutput

if (is_log) {
    set logscale y
    set format y "10^{%T}"
    low = log_low(least)
    high = log_high(most)
    drawn(y) = at_least(low, y)
} else {
    span = most > least ? most - least : abs(most) + 1
    low = least - 0.04 * span
    high = most + 0.04 * span
    drawn(y) = y
}
set yrange [low:high]
set ylabel value
set xlabel "generation"
set xrange [TIME_min:(TIME_max > TIME_min ? TIME_max : TIME_min + 1)]
set xtics whole_step(TIME_max, 640)
most_active = ACTIVE_max > 1 ? ACTIVE_max : 1
set y2range [0:1.1 * most_active]
set y2tics whole_step(most_active, 496) tc rgb grey
set y2label "active coordinates" tc rgb grey
set border 11

set rmargin at screen across(page_width - 80 - text_width(strlen(sprintf("%d", ACTIVE_max))))

# A key in a line of its own, below the headline.
set tmargin at screen down(121)
set key off
y = down(104)
set arrow from graph 0, screen y to graph 0.05, screen y nohead lw 3 lc rgb blue
set label value at graph 0.06, screen y tc rgb ink
set arrow from graph 0.25, screen y to graph 0.3, screen y nohead lw 2.5 dt (10, 5) lc rgb orange
set label "fitness" at graph 0.31, screen y tc rgb ink
set arrow from graph 0.5, screen y to graph 0.55, screen y nohead lw 12 lc rgb silver
set label "active coordinates" at graph 0.56, screen y tc rgb ink

do for [kind in kinds] {
    eval(page(kind, "run"))
    plot "run.dat" using 1:4 axes x1y2 with fillsteps fs solid 1 noborder lc rgb silver, \
         "" using 1:4 axes x1y2 with steps lw 1 lc rgb grey, \
         "" using 1:(drawn($3)) with linespoints lw 3 pt 7 ps 0.6 pointinterval generations lc rgb blue, \
         "" using 1:(drawn($2)) with linespoints lw 2.5 dt (10, 5) pt 5 ps 0.6 pointinterval generations lc rgb orange
}
unset output
