# curves.gp - one curve a method over generations, its runs pale behind it; shared by
# return.gp and active.gp. Takes `figure`, its name; `mean`, the column of progress.dat
# that holds it; `low` and `high`, the ends of the y axis; `drawn(y)`, where y is drawn,
# and `height(y)`, the share of the axis below that; and `scale`, commands that set it up.
# No axis may be set before: `stats` would leave out what is beyond it.

# Where each curve ends; NaN if there is none.
array end_x[methods]
array end_y[methods]
array wanted[methods]
do for [m = 1:methods] { end_x[m] = NaN; end_y[m] = NaN }
ends(m, x, y) = y == y ? (end_x[m] = x, end_y[m] = drawn(y), 0) : 0
stats "progress.dat" using (ends(1 + int(column(-2)), $1, field(mean))) nooutput
stats "progress.dat" using 1 name "TIME" nooutput

# Names stand to the right, at the ends of their curves.
do for [m = 1:methods] {
    wanted[m] = end_y[m] == end_y[m] ? height(end_y[m]) : 0
    wanted[m] = wanted[m] > 1 ? 1 : wanted[m] < 0 ? 0 : wanted[m]
}
gap = 24 / (page_height - 179.0)
load "spread.gp"
right = page_width - 60 - text_width(longest_name)
axis_end = across(right)
set rmargin at screen axis_end
do for [m = 1:methods] {
    y = up(88) + placed[m] * (1 - up(179))
    if (end_y[m] == end_y[m]) {
        set arrow from end_x[m],end_y[m] to screen axis_end + across(24), screen y nohead lw 0.7 lc rgb colour_of(m)
    }
    set label "" at screen axis_end + across(30), screen y point pt marker_of(m) ps 0.9 lc rgb colour_of(m)
    set label method[m] at screen axis_end + across(42), screen y left tc rgb ink
}

eval(scale)
set yrange [low:high]
set xlabel "generation"
set xrange [TIME_min:(TIME_max > TIME_min ? TIME_max : TIME_min + 1)]
set xtics whole_step(TIME_max, right - 117)
set key off
every_th = 1 + generations / 8
all_runs = sum [m = 1:methods] runs[m]
haze = all_runs > 1 ? all_runs > 60 ? 0xd8000000 : 0xb0000000 : 0xff000000

do for [kind in kinds] {
    eval(page(kind, figure))
    plot for [m = 1:methods] for [r = 1:runs[m]] "progress.dat" index m - 1 using 1:(drawn(column(mean + 2 * r))) \
             with lines lw 1 lc rgb haze + colour_of(m), \
         for [m = 1:methods] "" index m - 1 using 1:(drawn(column(mean))) with linespoints lw 2.5 \
             pt marker_of(m) ps 0.9 pointinterval every_th lc rgb colour_of(m)
}
unset output
