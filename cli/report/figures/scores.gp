# scores.gp - what runs end with: the best value on record and, where values are noisy,
# that of the recommended points on evaluations held out; mean and deviation over runs.
# Reads scores.dat (method, mean and deviation of the best, of the held out),
# study.meta.gp and study.text.dat.

load "style.gp"
load "study.meta.gp"
load "methods.gp"

headline = "Final ".value
subtitle = problem." · ".(is_log && most_runs > 1 ? "geometric mean, multiplied and divided by its deviation" : scores_text). \
    (is_noisy ? " · filled: best on record, hollow: recommended" : "")
load "headline.gp"

# What the axis holds. On a log scale the mean is geometric, and its deviation a factor.
least = 1e300
most = -1e300
see(x) = is_log && x <= 0 ? 0 : (least = x < least ? x : least, most = x > most ? x : most, 0)
is_known(x) = x == x && x > 0
from(mean, deviation) = is_log ? (is_known(deviation) ? mean / deviation : mean) \
                      : deviation == deviation ? mean - deviation : mean
to(mean, deviation) = is_log ? (is_known(deviation) ? mean * deviation : mean) \
                    : deviation == deviation ? mean + deviation : mean
see_bar(mean, deviation) = (see(mean), see(to(mean, deviation)), see(from(mean, deviation)))
with_deviation(mean, deviation, format) = mean != mean ? "–" : by_format(format, mean). \
    (deviation != deviation ? "" : is_log ? " ×/÷ ".gprintf("%.2g", deviation) : " ± ".by_format(format, deviation))
stats "scores.dat" using (see_bar(field(2), field(3)), is_noisy ? see_bar(field(4), field(5)) : 0) nooutput
if (is_log) {
    low = log_low(least)
    high = log_high(most)
    digits = "%.1t×10^{%T}"
} else {
    span = most > least ? most - least : abs(most) + 1
    low = least - 0.05 * span
    high = most + 0.05 * span
    digits = most == least ? "%.4g" \
           : sprintf("%%.%df", span >= 100 ? 1 : span < 1e-4 ? 6 : 2 - floor(log10(span)))
}

# Counted in lines from the top: a method has one, or two and a gap.
line(m, s) = is_noisy ? 2.6 * m + s - 2.6 : m
lines = line(methods, 2)
eval(row_page(lines))

series = 1 + is_noisy
array numbers[2 * methods]
stats "scores.dat" using (numbers[int(2 * $1 - 1)] = with_deviation(field(2), field(3), digits), \
                          numbers[int(2 * $1)] = with_deviation(field(4), field(5), digits), 0) nooutput
do for [m = 1:methods] {
    set ytics add (as_tic(method[m]) 0.5 * (line(m, 1) + line(m, series)))
    do for [s = 1:series] {
        set label numbers[2 * m - 2 + s] at screen across(page_width - 20), first line(m, s) right tc rgb ink
    }
}
left = 40 + text_width(longest_name)
right = page_width - (is_log ? 265 : 190)
set lmargin at screen across(left)
set rmargin at screen across(right)

if (is_log) {
    set logscale x
    set format x "10^{%T}"
    set xtics 10 ** whole_step(log10(high / low), right - left)
}
set xrange [low:high]
set yrange [lines + 0.7:0.3]
set xlabel value
drawn(x) = is_log ? at_least(low, x) : x
where(m, x) = column(1) == m && x == x ? drawn(x) : high + 10 * abs(high)

do for [kind in kinds] {
    eval(page(kind, "scores"))
    plot for [s = 1:series] for [m = 1:methods] "scores.dat" using (where(m, field(2 * s))):(line($1, s)): \
            (where(m, from(field(2 * s), field(2 * s + 1)))):(where(m, to(field(2 * s), field(2 * s + 1)))) \
            with xerrorbars lw 2 pt marker_of(m) ps 1 lc rgb colour_of(m), \
        for [m = 1:(is_noisy ? methods : 0)] "" using (is_filled(m) ? where(m, field(4)) : where(0, 0)):(line($1, 2)) \
            with points pt marker_of(m) ps 0.55 lc rgb "white"
}
unset output
