# probability.gp - a logistic regression: how many rows of each class got which probability. Reads probability.dat
# (middle of a range of probabilities, rows that were 0 there, rows that were 1), probability.meta.gp and
# probability.text.dat.

load "style.gp"
load "probability.meta.gp"
texts_of = "probability"
load "texts.gp"

headline = "Predicted probability: ".text[3]
subtitle = text[2]." · accuracy ".gprintf("%.3f", training)." in training, ".gprintf("%.3f", held_out)." held out"
load "headline.gp"

most = 0
see(y) = (most = y > most ? y : most, 0)
stats "probability.dat" using (see(field(2)) + see(field(3))) nooutput
set xrange [0:1]
set yrange [0:1.06 * most]
set xlabel "predicted probability of a 1"
set ylabel "rows"
set key off
set arrow from first 0.5, graph 0 to first 0.5, graph 1 nohead front dt (6, 6) lw 1 lc rgb grey

# A key in a line of its own, below the headline.
set tmargin at screen down(121)
y = down(104)
set label "" at graph 0.012, screen y point pt 5 ps 1 lc rgb orange
set label "observed 0" at graph 0.03, screen y tc rgb ink
set label "" at graph 0.212, screen y point pt 5 ps 1 lc rgb blue
set label "observed 1" at graph 0.23, screen y tc rgb ink

set style fill solid 1 noborder
do for [kind in kinds] {
    eval(page(kind, "probability"))
    plot "probability.dat" using ($1 - 0.01):2:(0.019) with boxes lc rgb orange, \
         "" using ($1 + 0.01):3:(0.019) with boxes lc rgb blue
}
unset output
