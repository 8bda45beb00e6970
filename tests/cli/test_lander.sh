#!/bin/sh
# zilch lander: a tiny run, from the search to the controller that flies. Never how well it flies.
. "$(dirname "$0")/lib.sh"

# tiny ARGUMENTS...: a search of a few seconds at most
tiny()
{
  "$zilch" lander --refinement no --population 20 --elites 5 --generations 3 --episodes 1 --held-out 20 --final-candidates 4 --final-evaluations 12 "$@"
}

expect_status 0 tiny --verbose
cp "$out" printed
[ ! -s "$err" ] || complain 'something on stderr, which is no terminal'
expect_in_output 'problem: lander:episodes=1,seeds=fresh,'
expect_in_output '90 coordinates, maximize'
grep -qxF 'search: method default, penalty 2, population 20, elites 5, refinement no' "$out" || complain 'not what was asked for'
expect_in_output 'seed: 1'
expect_in_output 'stopped by: generations'
expect_in_output 'evaluations: 72 of'
grep -qE '^best seen: value -?[0-9.]+ with [0-9]+ active \(nonzero\) coordinates?, -?[0-9.]+ after the penalty; with noise, the best of many values is a lucky one$' "$out" || complain 'no best'
grep -qE '^recommended: value -?[0-9.]+ \+- [0-9.]+ with [0-9]+ active \(nonzero\) coordinates?, the mean of [0-9]+ new evaluations out of [0-9]+ in the final check(, [0-9]+ more set to zero at the end)?$' "$out" || complain 'no recommendation'
expect_in_output 'in 20 episodes of seeds from 0 on, which no search draws'
grep -q '^a_main = ' "$out" && grep -q '^a_side = ' "$out" || complain 'no formulas'
expect_in_output 'to fly it: zilch best lander.study --run 1 -o - | zilch play --controller - --episodes 20'
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
  expect_status 0 tiny --verbose --threads "$threads" --study "threads$threads"
  "$zilch" export "threads$threads" >again
  expect_same exported again
  grep -v '^study: \|^to fly it: ' printed >first
  grep -v '^study: \|^to fly it: ' "$out" | cmp -s first - || complain "another result on $threads threads"
done
expect_status 0 "$zilch" optimize --problem lander:episodes=1 --refinement no --population 20 --elites 5 --generations 3 --final-candidates 4 \
  --final-evaluations 12 --study same
expect_in_output 'in 1000 episodes'
expect_status 0 "$zilch" optimize --problem lander --episodes 1 --held-out 30 --refinement no --population 20 --elites 5 --generations 3 \
  --final-candidates 4 --final-evaluations 12 --study same2
expect_in_output 'in 30 episodes'
"$zilch" export same2 >again
expect_same exported again
"$zilch" export same >again
expect_same exported again

# Methods, and what is said beside them: the last one wins.
expect_status 0 tiny --verbose --method published --held-out 0
grep -qxF 'search: method published, penalty 2, population 20, elites 5' "$out" || complain 'not what was asked for'
! grep -q ' set to zero at the end$' "$out" || complain 'pruned although published'
expect_in_output 'study: lander.study, run 2'
! grep -q '^held out' "$out" || complain 'flown although not asked for'
expect_status 0 tiny --verbose --projection repair --method published --shrinkage bayes --method ea --generations 1
grep -qxF 'search: method ea, penalty 2, population 20, elites 5, shrinkage bayes, projection repair, refinement no' "$out" || complain 'not the last method'
expect_status 0 tiny --verbose --projection repair --method published --shrinkage bayes --generations 1
grep -qxF 'search: method published, penalty 2, population 20, elites 5, shrinkage bayes, projection repair' "$out" || complain 'not what was said'
# The publication's search, whatever the defaults are; settings of the problem are said, too.
for problem in '' ' --problem lander:episodes=1' ' --problem lander:seeds=common'; do
  name=optimize
  [ -n "$problem" ] || name=lander
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" $name --method published$problem --verbose --evaluations 3 --final-evaluations 1 --held-out 0 --study "paper$problem"
  grep -qxF 'search: method published, penalty 2, population 500, elites 100' "$out" || complain 'not the search of the publication'
done
expect_in_output 'lander:episodes=8,seeds=common,'
"$zilch" show --run 1 'paper --problem lander:episodes=1' | grep -q 'lander:episodes=1,seeds=fresh,' || complain 'not what was said'
"$zilch" show --run 1 --json paper >paper.json
expect_status 0 python3 - <<'PYTHON'
import json
run = json.load(open("paper.json"))
s = run["settings"]
assert (s["population"], s["elites"], s["initial_p"], s["initial_mu"], s["initial_sigma"]) == (500, 100, 0.5, 0, 2)
assert (s["aggregate"], s["reevaluate"], s["weighting"], s["variance_scaling"]) == ("latest", "all", "equal", False)
assert (s["inverter"], s["shrinkage"], s["projection"], s["structure"]) == ("amortised", "none", "clip", "full")
for name in ("initial_spread", "prior_sigma", "margin", "mean_shift", "recombination", "immigrants", "reactivation"):
    assert s[name] == 0, name
assert run["restarts"] == 0 and run["scale"] == 1
assert run["problem"].startswith("lander:episodes=8,seeds=fresh,") and run["penalty"] == 2
assert run["recommended"]["deviation"] is None and run["recommended"]["standard_error"] is None
PYTHON

# Another world, in the search and behind it.
expect_status 0 tiny --seeds common --gravity -4 --wind --wind-power 3 --study windy
expect_in_output 'problem: lander:episodes=1,seeds=common,gravity=-4,wind=1,wind_power=3,turbulence_power=1.5'
cp "$out" printed
expect_status 0 "$zilch" best windy -o controller
expect_status 0 "$zilch" play -c controller -n 20 --gravity -4 --wind --wind-power 3
mean=$(sed -n 's/^return    mean \([-0-9.]*\),.*/\1/p' "$err")
grep -qF "held out: mean return $mean +- " printed || complain "held out in another world: $mean"
# The line that is printed flies it as it was flown, from a study of any name, whatever came after.
expect_status 0 tiny --wind --gravity -5 --turbulence-power 0.25 --study "it's windy"
cp "$out" printed
expect_status 0 tiny --study "it's windy" --seed 2
line=$(sed -n 's/^to fly it: //p' printed | sed 's/zilch/"$zilch"/g')
expect_status 0 eval "$line"
mean=$(sed -n 's/^return    mean \([-0-9.]*\),.*/\1/p' "$err")
grep -qF "held out: mean return $mean +- " printed || complain "the line flies it in another world: $mean"
for prune in yes no; do
  expect_status 0 tiny --final-evaluations 200 --final-pruning $prune --study pruned
  grep -qE '^recommended: .*, [0-9]+ more set to zero at the end$' "$out" && found=yes || found=no
  [ "$found" = "$prune" ] || complain "pruned: $found, not $prune"
done
expect_status 0 tiny --penalty 0 --study free
expect_in_output 'penalty: none'

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
wrong "--seeds: 'new' is not one of fresh|common" --seeds new
wrong "--method: 'paper' is not one of default|published|gaussian|adhoc|ea" --method paper
wrong "--final-pruning: 'maybe' is not one of no|yes" --final-pruning maybe
wrong "option '--final-pruning' needs a value" --final-pruning
wrong "--reevaluate: 'some' is not one of all|uncertain|none" --reevaluate some
wrong 'margin must be from 0 to 45, half of the coordinates, not 45.5' --margin 45.5
wrong '--final-evaluations 3: is less than --final-candidates 4' --final-evaluations 3 --final-candidates 4
wrong '--gravity: must be between -12 and 0' --gravity 0
wrong 'say nothing without --wind' --wind-power 3
wrong "unknown option '--problem'" --problem smop1
wrong "--forced-on: '91': coordinates are numbered from 1 to 90" --forced-on 91
expect_no_file new
expect_status 0 "$zilch" lander --help-all
expect_in_output '--held-out'
expect_status 0 "$zilch" lander --help
expect_in_output '--episodes'
cp "$out" printed
expect_status 0 "$zilch" help lander
expect_same printed "$out"
expect_status 0 "$zilch" help
for command in lander optimize resume best export; do expect_in_output "  $command "; done
expect_in_output 'the lander and the search are'
expect_status 0 "$zilch" bench --help
tr -s ' \n' '  ' <"$out" | grep -qF 'search (a generation outside the objective)' || complain 'bench is silent about search'
verdict
