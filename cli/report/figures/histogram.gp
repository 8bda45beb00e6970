# histogram.gp - draws of a univariate zero-inflated Gaussian: a point mass at exactly
# zero beside a Gaussian. Reads histogram.dat (bin centre, active, zeros) and
# histogram.meta.gp.

load "style.gp"
load "histogram.meta.gp"

headline = "A zero-inflated Gaussian"
subtitle = sprintf("%s draws:  %g %% zeros,  μ = %g,  σ = %g", thousands(n), 100 * (1 - p), mu, sigma)
load "headline.gp"

density(x) = exp(-((x - mu) / sigma) ** 2 / 2) / (sigma * sqrt(2 * pi))
half = 0.46 * bin

set xrange [mu - 4.2 * sigma:mu + 4.2 * sigma]
set xtics 1
set yrange [0:12000]
set ytics 2000
set grid noxtics ytics
set xlabel "value"
set ylabel sprintf("draws in a bin of %g", bin)
set boxwidth 2 * half
set style fill solid 1 noborder
set samples 400
set key top right

# The bar at zero has two parts: values near zero below, exact zeros on top.
do for [kind in kinds] {
    eval(page(kind, "histogram"))
    plot "histogram.dat" using 1:($3 > 0 ? $2 : NaN):($1 - half):($1 + half):2:($2 + $3) with boxxyerror \
             lc rgb orange title sprintf("exact zeros (%s)", thousands(zeros)), \
         "" using 1:2 with boxes lc rgb sky title sprintf("active values (%s)", thousands(n - zeros)), \
         n * p * bin * density(x) with lines lw 2.5 lc rgb blue title "Gaussian density, scaled"
}
unset output
