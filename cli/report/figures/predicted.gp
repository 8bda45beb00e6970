# predicted.gp - a linear regression: predictions against observations, a dot for each row. Reads predicted.dat
# (observed, predicted), predicted.meta.gp and predicted.text.dat.

load "style.gp"
load "predicted.meta.gp"
texts_of = "predicted"
load "texts.gp"

headline = "Predicted against observed: ".text[3]
subtitle = text[2]." · R^2 ".gprintf("%.3f", training)." in training, ".gprintf("%.3f", held_out)." held out"
load "headline.gp"

least = 1e300
most = -1e300
see(y) = y != y ? 0 : (least = y < least ? y : least, most = y > most ? y : most, 0)
stats "predicted.dat" using (see(field(1)) + see(field(2))) nooutput
span = most > least ? most - least : abs(most) + 1
low = least - 0.04 * span
high = most + 0.04 * span
set xrange [low:high]
set yrange [low:high]
set xlabel "observed"
set ylabel "predicted"
set key off
set arrow from first low, first low to first high, first high nohead back dt (6, 6) lw 1 lc rgb grey
size_of = rows > 1000 ? 0.3 : rows > 200 ? 0.5 : 0.8

do for [kind in kinds] {
    eval(page(kind, "predicted"))
    plot "predicted.dat" using 1:2 with points pt 7 ps size_of lc rgb 0x60000000 + blue
}
unset output
