# shift.gp - why a fit takes corr(V, M) = 0: where value and mask are correlated, the
# active values have another mean and deviation than the latent ones. Reads shift.dat
# (bin centre, density) and shift.meta.gp.

load "style.gp"
load "shift.meta.gp"

headline = "Value and mask correlated: active values are shifted"
subtitle = sprintf("corr(V, M) = %g,  p = %g,  μ = %g,  σ = %g", g, p, mu, sigma)
load "headline.gp"

# The latent value is N(mu, sigma). Active means M > tau, and M given the value v is
# normal with mean g v and variance 1 - g^2: Bayes' rule gives the density.
tau = invnorm(1 - p)
phi(v) = exp(-v ** 2 / 2) / sqrt(2 * pi)
latent(x) = phi((x - mu) / sigma) / sigma
active(x) = latent(x) * norm((g * (x - mu) / sigma - tau) / sqrt(1 - g ** 2)) / p

# Its moments, from those of M above tau: mean lambda, variance b.
lambda = phi(tau) / p
b = 1 + tau * lambda - lambda ** 2
mean = mu + sigma * g * lambda
deviation = sigma * sqrt(1 - g ** 2 * (1 - b))

top = 1.12 * active(mean)
set xrange [mu - 3.5 * sigma:mu + 5 * sigma]
set yrange [0:1.05 * top]
set xtics 1
set ytics 0.1
set format y "%.1f"
set grid noxtics ytics
set xlabel "value"
set ylabel "density"
set boxwidth 0.92 * bin
set style fill solid 1 noborder
set samples 400
unset key

set arrow 1 from mu,0 to mu,top nohead front lw 1.2 dt (8, 6) lc rgb orange
set arrow 2 from mean,0 to mean,top nohead front lw 1.2 dt (8, 6) lc rgb blue
set label 3 sprintf("if corr(V, M) were 0:\nmean %.2f\ndeviation %.2f", mu, sigma) \
    at mu - sigma,0.38 right tc rgb orange
set label 4 sprintf("corr(V, M) = %g:\nmean %.2f\ndeviation %.2f", g, mean, deviation) \
    at mean + deviation,0.48 left tc rgb blue
set label 5 sprintf("%s draws:\nmean %.2f\ndeviation %.2f", thousands(n - zeros), drawn_mean, drawn_deviation) \
    at mean + 1.9 * deviation,0.188 left tc rgb grey

do for [kind in kinds] {
    eval(page(kind, "shift"))
    plot "shift.dat" using 1:2 with boxes lc rgb silver, \
         latent(x) with lines lw 3 lc rgb orange, \
         active(x) with lines lw 3 lc rgb blue
}
unset output
