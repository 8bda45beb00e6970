# error.gp - how the error of recovered value-value correlations grows where one of the
# two coordinates is rarely active. Reads error.dat: block 0 has single pairs (min_p,
# error), block 1 has bins (min_p, median, 10 % and 90 % quantile, mean, count).

load "style.gp"

stats "error.dat" index 0 using 1 name "SHOWN" nooutput
stats "error.dat" index 1 using 6 name "ALL" nooutput
headline = "Errors grow where a coordinate is rarely active"
subtitle = sprintf("%s value–value correlations, by activation of the rarer coordinate", \
    thousands(int(ALL_sum)))
load "headline.gp"
dot = SHOWN_records > 2000 ? 0.16 : 0.4
haze = SHOWN_records > 2000 ? 0xc0000000 : 0x60000000

# A square-root scale gives room to rare coordinates, and still shows 0.
set nonlinear x via sqrt(x) inverse x * x
set xrange [0:1]
set xtics (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)
set xlabel "min(p_i, p_j)"
set logscale y
set yrange [1e-5:2]
set ytics 10
set format y "10^{%T}"
set ylabel "absolute error"
set key top right
lowest(y) = y > 1e-5 ? y : 1e-5

do for [kind in kinds] {
    eval(page(kind, "error"))
    plot "error.dat" index 1 using 1:(lowest($3)):(lowest($4)) with filledcurves \
             fs solid 1 noborder lc rgb sky title "middle 80 % of pairs", \
         "" index 0 using 1:2 with points pt 7 ps dot lc rgb haze + ink, \
         "" index 1 using 1:(lowest($2)) with lines lw 3 lc rgb blue title "median", \
         NaN with points pt 7 ps 0.4 lc rgb grey title "one pair"
}
unset output
