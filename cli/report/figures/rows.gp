# rows.gp - a row for each method in each group, from top to bottom: name, mean with its
# deviation, and the numbers; shared by arrival.gp and counts.gp. Takes `figure`, its name;
# `groups`; `group`, an array of their names; `note(m, g)`, a text for the right edge, and
# `edge`, the pixels it needs; `most`, which the x axis shall hold; and `scale`, commands
# that set it up. Reads method and group, numbers from 1, mean and deviation from the
# figure's data.

row(m, g) = (m - 1) * groups + g
array numbers[methods * groups]
digits = most < 2000 ? "%.1f" : "%.0f"
stats figure.".dat" using (numbers[row(int($1), int($2))] = with_deviation(field(3), field(4), digits), 0) nooutput

# Counted in lines from the top: a group is its name, its methods, and a gap.
line(m, g) = (g - 1) * (methods + 1.7) + 1 + m
lines = line(methods, groups)
eval(row_page(lines))
set yrange [lines + 0.7:0.4]

longest = longest_name
do for [g = 1:groups] {
    longest = seen(group[g]) > longest ? seen(group[g]) : longest
    set label "{/:Bold ".group[g]."}" at graph 0, first line(0, g) right offset -1,0 tc rgb ink
    do for [m = 1:methods] {
        set ytics add (as_tic(method[m]) line(m, g))
        set label numbers[row(m, g)] at screen across(page_width - edge), first line(m, g) right tc rgb ink
        set label note(m, g) at screen across(page_width - 20), first line(m, g) right tc rgb grey
    }
}
left = 40 + text_width(longest)
right = page_width - edge - 150
set lmargin at screen across(left)
set rmargin at screen across(right)

set xtics whole_step(most, right - left)
eval(scale)
set xrange [0:1.02 * most]

# Rows of other methods, and means that are unknown, are put beyond the axis.
where(m, x) = column(1) == m && x == x ? x : 10 * most
from(mean, deviation) = deviation < mean ? mean - deviation : deviation >= mean ? 0 : mean

do for [kind in kinds] {
    eval(page(kind, figure))
    plot for [m = 1:methods] figure.".dat" using (where(m, field(3))):(line($1, $2)): \
            (where(m, from(field(3), field(4)))):(where(m, to(field(3), field(4)))) \
        with xerrorbars lw 2 pt marker_of(m) ps 1 lc rgb colour_of(m)
}
unset output
