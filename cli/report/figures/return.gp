# return.gp - the best value on record over generations: the mean of each method, and
# every run. Reads progress.dat (generation, mean value and active count, then value and
# active count of each run; a block a method), study.meta.gp and study.text.dat.

load "style.gp"
load "study.meta.gp"
load "methods.gp"

# What the axis holds: means, but for their first rise or fall, and runs in their second
# half: methods differ there. A log scale has room for everything.
early = is_log ? 0 : 0.05 * generations
least = 1e300
most = -1e300
see(y) = is_log && y <= 0 ? 0 : (least = y < least ? y : least, most = y > most ? y : most, 0)
stats "progress.dat" using ($1 > early ? see(field(2)) : 0) nooutput
stats "progress.dat" using ($1 < 0.5 * generations ? 0 \
    : sum [r = 1:runs[1 + int(column(-2))]] see(field(2 + 2 * r))) nooutput

if (is_log) {
    low = log_low(least)
    high = log_high(most)
    drawn(y) = at_least(low, y)
    height(y) = log10(drawn(y) / low) / log10(high / low)
    scale = "set logscale y; set format y '10^{%T}'"
} else {
    span = most > least ? most - least : abs(most) + 1
    low = least - 0.04 * span
    high = most + 0.04 * span
    drawn(y) = y
    height(y) = (y - low) / (high - low)
    scale = ""
}

dashed = ""
do for [t = 1:targets] {
    y = height(target[t])
    if (y > 0 && y < 1) {
        dashed = " · dashed: targets"
        set arrow from graph 0,y to graph 1,y nohead back dt (6, 6) lw 1 lc rgb grey
    }
}

headline = "Best ".value." on record"
subtitle = problem." · ".(is_log && most_runs > 1 ? "geometric " : "").runs_text.dashed
load "headline.gp"
set ylabel value
figure = "return"
mean = 2
load "curves.gp"
