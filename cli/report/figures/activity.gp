# activity.gp - in which share of the evaluations each coordinate is active, over
# generations; named are those that the recommended point has. Reads activity.dat (a
# matrix: a row a coordinate, a column a generation), activity.meta.gp and activity.text.dat.

load "style.gp"
load "activity.meta.gp"
texts_of = "activity"
load "texts.gp"
title = text[1]
label_of(i) = text[1 + i]

kind_of = is_open ? "active in the best" : "recommended"
note = shown == 0 ? "" : shown < active ? sprintf(", named: %d of %d %s", shown, active, kind_of) : ", named: ".kind_of
headline = "Which coordinates are active"
subtitle = title." · ".thousands(dim)." coordinates".note
load "headline.gp"

# Names stand to the right, moved apart where they are neighbours. Coordinate 1 is on top.
longest = 0
do for [i = 1:shown] {
    longest = seen(label_of(i)) > longest ? seen(label_of(i)) : longest
}
right = page_width - 60 - text_width(longest)
height(c) = 1 - (c - 0.5) / dim
if (shown > 0) {
    array wanted[shown]
    do for [i = 1:shown] { wanted[i] = height(at[i]) }
    gap = 22 / (page_height - 214.0)
    load "spread.gp"
    do for [i = 1:shown] {
        set arrow from graph 1,height(at[i]) to screen across(right + 25), graph placed[i] nohead lw 0.8 lc rgb grey
        set label label_of(i) at screen across(right + 32), graph placed[i] left tc rgb ink
    }
}

set lmargin at screen across(100)
set rmargin at screen across(right)
set tmargin at screen down(126)
set xrange [0.5:generations + 0.5]
set yrange [dim + 0.5:0.5]
set xtics whole_step(generations, right - 100)
set ytics whole_step(dim, 480)
set xlabel "generation"
set ylabel "coordinate"
unset grid
set key off

eval("set palette defined ".pale_to_dark)
set cbrange [0:1]
unset cbtics
set colorbox horizontal user origin screen across(326), screen down(111) \
    size screen across(150), screen up(14) noborder
set label "share of evaluations:" at graph 0, screen down(104) tc rgb ink
set label "0" at screen across(316), screen down(104) right tc rgb ink
set label "1" at screen across(486), screen down(104) left tc rgb ink

# Browsers smooth an image: few cells are drawn one by one.
is_few = dim * generations <= 4000

do for [kind in kinds] {
    eval(page(kind, "activity"))
    if (is_few) {
        plot "activity.dat" matrix using ($1 + 1):($2 + 1):($1 + 0.5):($1 + 1.5):($2 + 0.5):($2 + 1.5):3 \
            with boxxyerror fs solid 1 lw 1 lc palette
    } else {
        plot "activity.dat" matrix using ($1 + 1):($2 + 1):3 with image
    }
}
unset output
