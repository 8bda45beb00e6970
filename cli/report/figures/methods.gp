# methods.gp - what the figures of a study share; after study.meta.gp. Reads study.text.dat:
# the problem, then the methods.

texts_of = "study"
load "texts.gp"
problem = text[1]
value = is_return ? "return" : "value"
array method[methods]
do for [m = 1:methods] { method[m] = text[1 + m] }

fewest = 1e9
most_runs = 0
do for [m = 1:methods] {
    fewest = runs[m] < fewest ? runs[m] : fewest
    most_runs = runs[m] > most_runs ? runs[m] : most_runs
}
one_run = methods == 1 ? "one run" : "one run of each method"
runs_text = most_runs == 1 ? one_run \
          : sprintf(fewest < most_runs ? "means of %d to %d runs" : "means of %d runs", fewest, most_runs).", and each run"
scores_text = most_runs == 1 ? one_run : "mean ± deviation"

longest_name = 0
do for [m = 1:methods] {
    longest_name = seen(method[m]) > longest_name ? seen(method[m]) : longest_name
}

# 250 -> "250", 1e-6 -> "10^{-6}"
nearest(x) = floor(x + 0.5)
is_power(x) = x > 0 && abs(log10(x) - nearest(log10(x))) < 1e-9
short_number(x) = abs(x) >= 0.001 && abs(x) < 1e5 || x == 0 ? gprintf("%g", x) \
                : is_power(x) ? sprintf("10^{%s}", gprintf("%g", nearest(log10(x)))) : gprintf("%.1t×10^{%T}", x)

# "59.1 ± 7.2", by a format such as "%.1f"; of one run the mean alone.
by_format(format, x) = x == 0 && strstrt(format, "%T") > 0 ? "0" : gprintf(format, x)
with_deviation(mean, deviation, format) = mean != mean ? "–" \
    : by_format(format, mean).(deviation == deviation ? " ± ".by_format(format, deviation) : "")
to(mean, deviation) = deviation == deviation ? mean + deviation : mean

# eval(row_page(LINES)): a page for rows of text, its headline flush with its own edge.
row_pixels(lines) = lines < 12.4 ? 40 : lines > 19.8 ? 25 : 496.0 / lines
row_page(lines) = tall(179 + lines * row_pixels(lines))."; set ytics scale 0 (); set errorbars 0.7; set key off; ". \
    "set label 1 at screen across(30), screen down(36); set label 2 at screen across(30), screen down(67)"

# eval(count_scale("y", LEAST, MOST)): an axis for counts from 0 to MOST. Where one method
# keeps all and another hardly any, a square-root scale lets the few be seen.
is_root(least, most) = most > 25 * least
count_scale(axis, least, most) = is_root(least, most) ? root_scale(axis, most, 10 ** floor(log10(most))) \
                               : most <= 8 ? sprintf("set %stics 1", axis) : ""
root_scale(axis, most, unit) = sprintf("set nonlinear %s via sqrt(%s) inverse %s ** 2; ", axis, axis, axis). \
    sprintf("set %stics (0); set for [i in '%s 0.1 0.2 0.5 1 2 3 4 5 6 7 8 9'] %stics add (i * %g)", \
            axis, most < 2 * unit ? "0.01" : "", axis, unit)
