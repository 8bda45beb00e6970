# recovered.gp - recovered against true latent correlations, a histogram in two
# dimensions. Reads recovered.dat (true, recovered, count) and recovered.meta.gp.

load "style.gp"
load "recovered.meta.gp"

headline = "Recovered against true latent correlations"
subtitle = sprintf("%s correlations:  mean abs. error %.4f,  MSE %s,  CCC %.4f", \
    thousands(n), mae, gprintf("%.1t×10^{%T}", mse), ccc)
load "headline.gp"

# A square plot, and the scale of its colours to the right.
set lmargin at screen 0.18
set rmargin at screen 0.18 + 0.735 * page_height / page_width
set xlabel "true correlation"
set ylabel "recovered correlation"
set xrange [-1:1]
set yrange [-1:1]
set xtics 0.5
set ytics 0.5
set mxtics 5
set mytics 5
set format x "%.1f"
set format y "%.1f"

# Empty cells stay white.
eval("set palette defined ".pale_to_dark)
set logscale cb
set cbrange [1:(most > 10 ? most : 10)]
set cbtics 10 scale 0.4
set format cb "%.0f"
set cblabel "correlations in a cell" tc rgb ink offset 1,0
set colorbox user origin screen 0.775,0.13 size screen 0.025,0.735 noborder

do for [kind in kinds] {
    eval(page(kind, "recovered"))
    plot "recovered.dat" using 1:2:($3 > 0 ? $3 : NaN) with image pixels, \
         x with lines lw 2 dt (8, 6) lc rgb orange
}
unset output
