# active.gp - active coordinates of the best point on record over generations: the mean of
# each method, and every run. Reads progress.dat (generation, mean value and active count,
# then value and active count of each run; a block a method), study.meta.gp and
# study.text.dat.

load "style.gp"
load "study.meta.gp"
load "methods.gp"

headline = "Active coordinates of the best point"
subtitle = problem." · ".runs_text
load "headline.gp"

least = 1e300
most = 1
see(y) = (least = y < least ? y : least, most = y > most ? y : most, 0)
stats "progress.dat" using (see(field(3))) nooutput
stats "progress.dat" using (sum [r = 1:runs[1 + int(column(-2))]] see(field(3 + 2 * r))) nooutput

low = 0
high = 1.05 * most
drawn(y) = y
height(y) = is_root(least, most) ? sqrt(y / high) : y / high
scale = count_scale("y", least, most)
set ylabel "active coordinates"

figure = "active"
mean = 3
load "curves.gp"
