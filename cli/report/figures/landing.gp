# landing.gp - an episode of the Lunar Lander: poses of the hull and its legs, coloured by
# time, over the ground. Reads landing.dat (x, y, share of the time; a block a pose, in
# which blank lines part the polygons), landing_path.dat (x, y, share of the time),
# landing.meta.gp and landing.text.dat.

load "style.gp"
load "landing.meta.gp"
texts_of = "landing"
load "texts.gp"
title = text[1]

# A metre is as long upwards as sideways: the width of the plot gives its height, or the
# other way round in an episode that goes far up.
metre = 665.0 / (right - left)
metre = metre * top > 900 ? 900.0 / top : metre
edge = 85 + metre * (right - left)
eval(tall(179 + metre * top))
headline = title
subtitle = sprintf("poses of %.1f seconds, dark to bright; dashed: the path", seconds)
load "headline.gp"
set lmargin at screen across(85)
set rmargin at screen across(edge)

# How many poses there are, and the time of each.
stats "landing.dat" using 3 name "POSE" nooutput
array time[POSE_blocks]
stats "landing.dat" using (time[1 + int(column(-2))] = $3) nooutput

# The ground goes on at its height beyond its ends.
ground_x(i) = i < 1 ? left : i > 11 ? right : 2 * (i - 1)
ground_y(i) = ground[i < 1 ? 1 : i > 11 ? 11 : int(i)]
set samples 13

# Flags at both ends of the pad.
tip = helipad + 50.0 / 30
do for [x in "8 12"] {
    set arrow from x,ground[5] to x,tip nohead front lw 2 lc rgb grey
    set object polygon from x,tip to x,tip - 0.33 to x + 0.83,tip - 0.165 to x,tip \
        front fc rgb 0xe69f00 fillstyle solid 1 noborder
}
set arrow from 8,ground[5] to 12,ground[5] nohead front lw 4 lc rgb grey

set xrange [left:right]
set yrange [0:top]
set xtics 2
set ytics 2
unset grid
set xlabel "metres"
set ylabel "metres"
set key off

# Points of viridis, without the yellow that white paper swallows.
set palette defined (0 '#440154', 1 '#46327e', 2 '#365c8d', 3 '#277f8e', 4 '#1fa187', 5 '#4ac16d', 6 '#a0da39')
set cbrange [0:seconds]
set cblabel "time in seconds" tc rgb ink
set cbtics scale 0.4
set colorbox user origin screen across(edge + 25), graph 0 size screen across(22), graph 1 noborder

do for [kind in kinds] {
    eval(page(kind, "landing"))
    plot sample [i = 0:12] "+" using (ground_x($1)):(ground_y($1)) \
             with filledcurves y1=0 fs solid 1 noborder lc rgb silver, \
         "landing_path.dat" using 1:2 with lines lw 1.2 dt (4, 4) lc rgb grey, \
         for [p = 1:POSE_blocks] "landing.dat" index p - 1 using 1:2 with filledcurves closed \
             fs solid 1 border rgb ink lw 0.5 lc palette cb seconds * time[p]
}
unset output
