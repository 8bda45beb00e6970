# arrival.gp - generations until each target, for each method: mean and deviation over the
# runs that got there, and how many did. Reads arrival.dat (method, target, mean,
# deviation, runs that got there, runs), study.text.dat and study.meta.gp, which has a
# target at least.

load "style.gp"
load "study.meta.gp"
load "methods.gp"

figure = "arrival"
headline = "Generations until a target"
subtitle = problem." · ".scores_text.(most_runs > 1 ? " of the runs that got there" : "")
load "headline.gp"

groups = targets
array group[groups]
do for [g = 1:groups] {
    group[g] = value.(is_return ? " ≥ " : " ≤ ").short_number(target[g])
}
array got[methods * targets]
stats "arrival.dat" using (got[int(($1 - 1) * targets + $2)] = $5 > 0 ? sprintf("%d/%d", $5, $6) : "none", 0) nooutput
note(m, g) = got[(m - 1) * targets + g]
edge = 95

most = generations
see(x) = (most = x > most ? x : most, 0)
stats "arrival.dat" using (see(field(3) + field(4))) nooutput
scale = ""
set xlabel "generation"
load "rows.gp"
