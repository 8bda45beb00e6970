#!/bin/sh
# zilch lander: a tiny run, from the search to the controller that flies. Never how well it flies.
. "$(dirname "$0")/lib.sh"

# tiny ARGUMENTS...: a search of a few seconds at most
tiny()
{
  "$zilch" lander --population 20 --elites 5 --generations 3 --episodes 1 --held-out 20 --shortlist 4 --recheck 12 "$@"
}

expect_status 0 tiny
cp "$out" printed
[ ! -s "$err" ] || complain 'something on stderr, which is no terminal'
expect_in_output 'problem: lander:episodes=1,seeds=fresh,'
expect_in_output '90 coordinates, maximize'
expect_in_output 'search: law zig, population 20, elites 5, archive latest, price 2'
expect_in_output 'seed: 1'
expect_in_output 'stopped by: generations'
expect_in_output 'evaluations: 60 of'
grep -qE '^best seen: fitness -?[0-9.]+, value -?[0-9.]+, active [0-9]+$' "$out" || complain 'no best'
grep -qE '^recommended: value -?[0-9.]+ \+- [0-9.]+ in [0-9]+ fresh evaluations, active [0-9]+$' "$out" || complain 'no recommendation'
expect_in_output 'in 20 episodes of seeds from 0 on, which no search draws'
grep -q '^a_main = ' "$out" && grep -q '^a_side = ' "$out" || complain 'no formulas'
[ "$(tail -n 1 "$out")" = 'study: lander.study, run 1' ] || complain 'the study is not named'
[ "$(ls)" = "$(printf 'lander.study\nprinted')" ] || complain "left behind: $(ls)"

# What was printed is what is written, and it flies as it was said to.
expect_status 0 "$zilch" best lander.study -o controller
grep '^a_' printed | cmp -s - controller || complain 'another controller'
expect_status 0 "$zilch" best lander.study -o -
expect_same controller "$out"
expect_status 0 "$zilch" play --controller controller --episodes 20
mean=$(sed -n 's/^return    mean \([-0-9.]*\),.*/\1/p' "$err")
grep -qF "held out: mean return $mean +- " printed || complain "flies otherwise: $mean"
expect_status 0 "$zilch" best lander.study
grep -c '^a_main = ' "$out" | grep -qx 2 || complain 'not the best seen and the recommended'
expect_status 0 "$zilch" best lander.study --json
cp "$out" best.json
expect_status 0 python3 - <<'PYTHON'
import json
best = json.load(open("best.json"))
assert best["run"] == 1 and len(best["recommended"]["x"]) == len(best["best"]["x"]) == 90
assert best["recommended"]["controller"].strip() == open("controller").read().strip()
assert sum(v != 0 for v in best["recommended"]["x"]) == best["recommended"]["active"]
assert best["recommended"]["held_out_count"] == 20
PYTHON

# Threads change nothing, and neither does the way to ask for it.
"$zilch" export lander.study >exported
for threads in 1 7; do
  expect_status 0 tiny --threads "$threads" --study "threads$threads"
  "$zilch" export "threads$threads" >again
  expect_same exported again
  sed '$d' printed >first
  sed '$d' "$out" | cmp -s first - || complain "another result on $threads threads"
done
expect_status 0 "$zilch" optimize --problem lander:episodes=1 --population 20 --elites 5 --generations 3 --shortlist 4 \
  --recheck 12 --study same
"$zilch" export same >again
expect_same exported again
expect_in_output 'in 1000 episodes'

# Presets, and what is said beside them.
expect_status 0 tiny --preset published --held-out 0
expect_in_output 'fit: inverter amortised, shrinkage none, projection clip'
expect_in_output 'study: lander.study, run 2'
! grep -q '^held out' "$out" || complain 'flown although not asked for'
expect_status 0 tiny --projection repair --preset published --shrinkage bayes --law ea --generations 1
expect_in_output 'law ea'
expect_status 0 tiny --projection repair --preset published --shrinkage bayes --generations 1
expect_in_output 'fit: inverter amortised, shrinkage bayes, projection repair'

# Another world, in the search and behind it.
expect_status 0 tiny --seeds common --gravity -4 --wind --wind-power 3 --study windy
expect_in_output 'problem: lander:episodes=1,seeds=common,gravity=-4,wind=1,wind_power=3,turbulence_power=1.5'
cp "$out" printed
expect_status 0 "$zilch" best windy -o controller
expect_status 0 "$zilch" play -c controller -n 20 --gravity -4 --wind --wind-power 3
mean=$(sed -n 's/^return    mean \([-0-9.]*\),.*/\1/p' "$err")
grep -qF "held out: mean return $mean +- " printed || complain "held out in another world: $mean"
expect_status 0 tiny --prune --study pruned
expect_status 0 tiny --price 0 --study free
expect_in_output 'price 0'

# wrong MESSAGE OPTION...
wrong()
{
  text=$1
  shift
  expect_status 2 "$zilch" lander --study new "$@"
  expect_in_error "$text"
  expect_in_error "Try 'zilch lander --help'."
}
wrong "did you mean '--episodes'?" --episode5 3
wrong "--episodes: '0' is not" --episodes 0
wrong "--seeds: 'new' is none of fresh|common" --seeds new
wrong "--preset: 'paper' is none of default|published" --preset paper
wrong '--gravity: must be between -12 and 0' --gravity 0
wrong 'say nothing without --wind' --wind-power 3
wrong "unknown option '--problem'" --problem smop1
wrong "--on: '91': coordinates are numbered from 1 to 90" --on 91
expect_no_file new
expect_status 0 "$zilch" lander --help
expect_in_output '--held-out'
expect_status 0 "$zilch" help
for command in lander optimize resume best export; do expect_in_output "  $command "; done
verdict
