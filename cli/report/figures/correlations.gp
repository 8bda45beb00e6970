# correlations.gp - latent correlations of a law: values first, then masks. Reads
# correlations.dat (a matrix, its first row on top), correlations.meta.gp and
# correlations.text.dat.

load "style.gp"
load "correlations.meta.gp"
texts_of = "correlations"
load "texts.gp"
title = text[1]
label_of(i) = text[1 + i]

# A square of cells of up to 50 pixels, and letters that fit them.
longest = 0
do for [i = 1:n] {
    longest = seen(label_of(i)) > longest ? seen(label_of(i)) : longest
}
side = (page_width - 80) / (1 + 0.4 * text_width(longest) / (n * letter))
side = side > 100 * n ? 100 * n : side
small = 0.4 * side / (n * letter)
small = small > 1 ? 1 : small
names = 30 + small * text_width(longest)
left = names > 60 ? names : 60
eval(tall(150 + side + names))
headline = "Latent correlations"
subtitle = title
load "headline.gp"
set lmargin at screen across(left)
set rmargin at screen across(left + side)
set tmargin at screen down(150)
set bmargin at screen up(names)

# The blocks, named above and to the right.
array block[2] = ["values", "masks"]
do for [i = 1:2] {
    middle = (i - 0.5) * n - 0.5
    set label block[i] at first middle, screen down(136) center tc rgb ink
    set label block[i] at screen across(left + side + 18), first middle center rotate by -90 tc rgb ink
}
set arrow from n - 0.5, graph 0 to n - 0.5, graph 1 nohead front lw 2 lc rgb ink
set arrow from graph 0, first n - 0.5 to graph 1, first n - 0.5 nohead front lw 2 lc rgb ink

set xrange [-0.5:2 * n - 0.5]
set yrange [2 * n - 0.5:-0.5]
set border 15
unset grid
set key off
set xtics () rotate by 90 right
set ytics ()
do for [i = 0:2 * n - 1] {
    set xtics add (as_tic(label_of(1 + i % n)) i)
    set ytics add (as_tic(label_of(1 + i % n)) i)
}

# Of the two ends one is darker, for grey print.
set palette defined (-1 '#023858', -0.5 '#3f8fc5', 0 '#ffffff', 0.5 '#fdb77a', 1 '#d55e00')
set cbrange [-1:1]
unset cbtics
set colorbox horizontal user origin screen across(left + 30), screen down(105) \
    size screen across(170), screen up(14) noborder
set label "−1" at screen across(left + 24), screen down(98) right tc rgb ink
set label "1" at screen across(left + 206), screen down(98) left tc rgb ink

# Coordinates that are hardly ever active are greyed: nothing is known of their correlations.
rare_count = 0
do for [i = 0:2 * n - 1] {
    if (is_rare[1 + i % n]) {
        rare_count = rare_count + 1
        set object rectangle from graph 0, first i - 0.5 to graph 1, first i + 0.5 front fc rgb silver fs transparent solid 0.55 noborder
        set object rectangle from first i - 0.5, graph 0 to first i + 0.5, graph 1 front fc rgb silver fs transparent solid 0.55 noborder
    }
}
if (rare_count) {
    set label sprintf("grey: active in less than %g %%", 100 * rare) at screen across(left + 240), screen down(98) left tc rgb grey
}

do for [kind in kinds] {
    eval(page(kind, "correlations"))
    tics_font = font_of(kind, font, small)
    set xtics scale 0 font tics_font
    set ytics scale 0 font tics_font
    plot "correlations.dat" matrix using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3 \
        with boxxyerror fs solid 1 lw 1 lc palette
}
unset output
