# counts.gp - active coordinates of the best point at some generations, for each method:
# mean and deviation over its runs. Reads counts.dat (method, quarter, mean, deviation),
# study.meta.gp and study.text.dat.

load "style.gp"
load "study.meta.gp"
load "methods.gp"

figure = "counts"
headline = "Active coordinates on the way"
subtitle = problem." · best point so far, ".scores_text
load "headline.gp"

groups = quarters
array group[groups]
do for [g = 1:groups] {
    group[g] = sprintf("generation %d", quarter[g])
}
note(m, g) = ""
edge = 20

least = 1e300
most = 1
see(y) = (least = y < least ? y : least, most = y > most ? y : most, 0)
stats "counts.dat" using (see(field(3)), see(field(3) + field(4))) nooutput
scale = count_scale("x", least, most)
set xlabel "active coordinates"
load "rows.gp"
