#!/bin/sh
# zilch compare: that its runs are those of 'zilch optimize' and 'zilch lander', that threads change nothing, every form
# of output, methods and what is refused in them, an interruption, a failure. Never which method is better.
. "$(dirname "$0")/lib.sh"

# tiny ARGUMENTS...: a small comparison
tiny()
{
  "$zilch" compare --generations 4 "$@"
}

# without_times: a CSV on stdin without its column of seconds, the eleventh
without_times()
{
  cut -d, -f1-10,12-
}

# column NAME: of the CSV on stdin
column()
{
  awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i} NR > 1 {print $at}'
}

small='population=20+elites=5+refinement=no'
rival="ea+reevaluate=all+initial-spread=0+final-pruning=no+$small"

# The table: this sphere's optimum is all zeros; one method is told to begin there, the other may not go there.
expect_status 0 tiny --problem sphere:dim=4,active=0 --methods "$small+initial-p=0,$small+forced-on=1-4" --seeds 3 --at 2
expect_in_output 'problem: sphere:dim=4,active=0,noise=0, 4 coordinates, minimize'
expect_in_output 'runs: 3 of each method, seeds 1 to 3, 4 generations'
expect_in_output 'fitness: of the point that is recommended, with a penalty of 0 for each active coordinate'
grep -qE '^population=20\+elites=5\+refinement=no\+initial-p=0 +3 +0 +0 +0 +0 +0\.0 +100\.0 +100\.0 +[0-9.]+ +-$' "$out" ||
  complain 'not the row of zeros'
grep -qE '^population=20\+elites=5\+refinement=no\+forced-on=1-4 +3( +[0-9.e+-]+){4} +4\.0 +0\.0 +0\.0 +[0-9.]+ +0\.1$' "$out" ||
  complain 'not the row of the other'
expect_in_output "p: two-sided rank-sum test of the fitness against that of $small+initial-p=0"
grep -qE '^ +2  population=20\+elites=5\+refinement=no\+initial-p=0 +3 +0 +0 +0 +0 +0\.0 +40 +-$' "$out" || complain 'not the checkpoint'
grep -qE '^population=20\+elites=5\+refinement=no\+initial-p=0 +1 \(3 of 3\) +1 \(3 of 3\) +1 \(3 of 3\)$' "$out" || complain 'not the targets'
grep -qE '^population=20\+elites=5\+refinement=no\+forced-on=1-4 .* - \(0 of 3\)$' "$out" || complain 'a target reached that cannot be'
[ ! -s "$err" ] || complain 'something on stderr, which is no terminal'
[ -z "$(ls)" ] || complain "left behind: $(ls)"

# A run is that of 'zilch optimize'.
expect_status 0 tiny --problem smop2 --dim 12 --methods "$small+final-pruning=no,$small+ea+final-pruning=no,$small+reevaluate=all+final-pruning=no" --seeds 2 --seed 7 --csv
cp "$out" runs.csv
[ "$(wc -l <runs.csv)" -eq 7 ] || complain 'not 6 runs and a header'
expect_status 0 "$zilch" optimize --problem smop2 --dim 12 --population 20 --elites 5 --method ea --generations 4 --seed 8 --study one
fitness=$(awk -F, '$1 ~ /refinement=no.ea/ && $2 == 8 {printf "%.6g", $5}' runs.csv)
grep '^best seen: ' "$out" | grep -qF ", $fitness after the penalty" || grep -q "^best seen: value $fitness with " "$out" || complain 'not the same fitness'
awk -F, 'NR > 1 && ($9 != 80 || $8 != 4 || $3 != $10 || $4 != 0)' runs.csv | grep -q . && complain 'counts or values are wrong'

# Targets are counted by evaluation: as the study's rows come.
best=$(awk -F, '$1 ~ /refinement=no.ea/ && $2 == 8 {print $10}' runs.csv)
expect_status 0 tiny --problem smop2 --dim 12 --methods "$small+ea" --seeds 1 --seed 8 --csv --targets "$best,1e9,-1"
arrival=$("$zilch" export one | awk -F, -v best="$best" 'NR > 1 && $4 <= best {print NR - 1; exit}')
[ "$(tail -n 1 "$out" | cut -d, -f12-14)" = "$arrival,1," ] || complain "not $arrival, 1 and never"

# Threads change nothing; seeds do.
# noisy GENERATIONS ARGUMENTS...: three methods with three seeds
noisy()
{
  generations=$1
  shift
  expect_status 0 "$zilch" compare --generations "$generations" --problem sphere:noise=0.1,dim=12 \
    --methods "$small,$small+shrinkage=none,ea+$small" --seeds 3 --csv --held-out 50 "$@"
}
for threads in 1 2 5; do
  noisy 7 --at 1,3,6 --threads "$threads"
  without_times <"$out" >"threads$threads"
done
expect_same threads1 threads2
expect_same threads1 threads5
[ "$(column fitness <threads1 | sort -u | wc -l)" -eq 9 ] || complain 'runs are the same'
# Later, when no point of the first generation is still the best: that one is the same for all methods.
[ "$(column fitness_at_6 <threads1 | sort -u | wc -l)" -eq 9 ] || complain 'checkpoints are the same'
[ "$(column fitness_at_1 <threads1 | sort -u | wc -l)" -eq 3 ] || complain 'not the first generation of the seed'
# A checkpoint changes nothing, and is what the run would have ended with.
noisy 7
cut -d, -f1-10 <"$out" >alone
cut -d, -f1-10 <threads1 >watched
expect_same alone watched
for at in 1 3 6; do
  noisy "$at"
  for name in value error fitness active support; do
    column "$name" <"$out" >ended
    column "${name}_at_$at" <threads1 >passed
    [ -s ended ] && cmp -s ended passed || complain "$name at $at is not that of a run of $at generations"
  done
done
# Noise that is held out is not what a recommendation has met: one evaluation of each.
expect_status 0 "$zilch" optimize --problem sphere:noise=0.1,dim=12 --population 20 --elites 5 --refinement no --generations 4 --final-candidates 1 --final-evaluations 1
recommended=$(sed -n 's/^recommended: value \([^ ]*\) with .*, the mean of 1 new evaluation.*/\1/p' "$out")
expect_status 0 tiny --problem sphere:noise=0.1,dim=12 --methods "$small+final-candidates=1+final-evaluations=1" --seeds 1 --csv --held-out 1
held_out=$(awk -F, 'NR == 2 {printf "%.6g", $3}' "$out")
[ -n "$recommended" ] && [ "$held_out" != "$recommended" ] || complain "held out $held_out, recommended $recommended"

# A method is a set of options, and what is said beside it wins. Without bounds, where the default method begins as all do.
expect_status 0 tiny --problem rosenbrock --dim 12 --methods "published+$small" --seeds 1 --csv
fitness=$(column fitness <"$out")
expect_status 0 tiny --problem rosenbrock --dim 12 --seeds 1 --csv \
  --methods "$small+default+aggregate=latest+inverter=amortised+shrinkage=none+projection=clip+initial-p=0.5+initial-sigma=2+reevaluate=all+initial-spread=0+prior-sigma=0+weighting=equal+margin=0+reactivation=0+mean-shift=0+recombination=0+immigrants=0+variance-scaling=no+final-pruning=no"
[ "$(column fitness <"$out")" = "$fitness" ] || complain 'the method is not what it says'
expect_status 0 tiny --problem smop1 --dim 12 --seeds 1 --csv \
  --methods "$rival,$small+final-pruning=no+ea+aggregate=latest+reevaluate=all+initial-spread=0,ea+$small+final-pruning=no"
[ "$(column fitness <"$out" | uniq | wc -l)" -eq 2 ] || complain 'the order of what is said changes something, or what is said nothing'

# The lander: what 'zilch lander' measures on held-out seeds, with the penalty.
expect_status 0 tiny --problem lander --methods "published+$small+final-evaluations=20,$small+episodes=2+seeds=common" --seeds 1 --csv --held-out 20
cp "$out" lander.csv
expect_in_output 'evaluations_to_200,evaluations_to_250,evaluations_to_300'
expect_status 0 "$zilch" lander --method published --population 20 --elites 5 --generations 4 --final-evaluations 20 --held-out 20 --study lander
value=$(awk -F, 'NR == 2 {printf "%.2f", $3}' lander.csv)
expect_in_output "held out: mean return $value "
awk -F, 'NR > 1 && ($5 - ($3 - 2 * $6)) ^ 2 > 1e-18' lander.csv | grep -q . && complain 'not value - 2 * active'

# A penalty is the same for all, whatever a method searches with; a method's own penalty is for its search.
expect_status 0 tiny --problem smop1 --dim 12 --methods "$small,$small+penalty=3" --penalty 0.5 --seeds 2 --csv
awk -F, 'NR > 1 && ($5 - ($3 + 0.5 * $6)) ^ 2 > 1e-18' "$out" | grep -q . && complain 'not value + 0.5 * active'

# Evaluations are a limit by themselves, in which checkpoints are counted too; one after the end of the search is empty.
expect_status 0 "$zilch" compare --evaluations 50 --problem smop1 --dim 12 --methods "$small" --seeds 1 --csv --at 21,40,50 --targets none
[ "$(tail -n 1 "$out" | cut -d, -f8,9)" = 3,50 ] || complain 'not 50 evaluations'
[ "$(column value_at_21 <"$out")" = "$(column value_at_40 <"$out")" ] || complain 'two checkpoints of one generation'
grep -q ',,,,,,[^,]*,[0-9]*$' "$out" || complain 'a checkpoint after the end'
expect_status 2 "$zilch" compare --evaluations 50 --problem smop1 --dim 12 --methods "$small" --seeds 1 --at 51
expect_in_error '--at: 51 is beyond the 50 evaluations of a run'
# The default has small generations, and a budget of evaluations unless another is said. Kept, it is the same.
# short ARGUMENTS...: without its times
short()
{
  "$zilch" compare --evaluations 600 --problem sphere:noise=0.1,dim=12 --methods default,ea+population=20 --seeds 2 --held-out 20 --at 100,300 \
    --csv "$@" | without_times
}
short >plain.csv
for turn in 1 2; do
  short --study short >kept.csv
  expect_same plain.csv kept.csv
done
rm short
[ "$(column fitness_at_100 <plain.csv | sort -u | wc -l)" -eq 4 ] || complain 'checkpoints are the same'
[ -z "$(column evaluations <plain.csv | awk '$1 > 600')" ] || complain 'more than the budget'
"$zilch" compare --evaluations 600 --problem smop1 --dim 12 --methods default --seeds 1 --at 100 >"$out"
expect_in_output 'runs: 1 of each method, seed 1, 600 evaluations'
expect_in_output 'fitness of what is recommended after so many evaluations'
expect_status 0 "$zilch" compare --problem smop1 --dim 4 --methods "default" --seeds 1
expect_in_output 'runs: 1 of each method, seed 1, 50000 evaluations'

# Commas and pluses in values; regression; a file.
expect_status 0 tiny --problem smop1 --dim 12 --methods "$small+forced-on=1\\,3-4+forced-off=2,ea+$small" --seeds 1 --csv -o runs
[ ! -s "$out" ] || complain 'on stdout, too'
grep -q '^"population=20+elites=5+refinement=no+forced-on=1\\,3-4+forced-off=2",1,' runs || complain 'not in quotes'
printf 'a,b,c,y\n' >data.csv
awk 'BEGIN {for (i = 0; i < 40; i++) print i % 7 "," i % 5 "," i * i % 11 "," 2 * (i % 7) + 1}' >>data.csv
expect_status 0 tiny --problem linear --data data.csv --methods "$small,ea+$small" --seeds 2
expect_in_output 'problem: linear:response=4,searched=subset,validation=0.3, 3 coordinates, minimize'
expect_in_output 'data: data.csv'
expect_status 0 tiny --problem linear --data data.csv --methods "$small" --seeds 1 --json
expect_in_output '"data": "data.csv"'

# JSON has it all.
expect_status 0 tiny --problem sphere:noise=0.1,dim=12 --methods "$small,$rival" --seeds 2 --at 2 --targets 5 --json
if command -v python3 >/dev/null; then
  python3 - "$out" <<'END' || complain 'the JSON is not as it should be'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["unfinished_runs"] == 0 and d["seeds"] == 2 and d["targets"] == [5] and d["checkpoints"] == [2]
assert d["held_out"] == 1000 and d["generations"] == 4 and d["evaluations"] is None
assert [m["options"][0] for m in d["methods"]] == ["--population=20", "--method=ea"]
assert d["methods"][0]["p"] is None and 0 < d["methods"][1]["p"] <= 1
assert [(r["method"], r["seed"]) for r in d["runs"]] == [(m["method"], s) for m in d["methods"] for s in (1, 2)]
for r in d["runs"]:
    assert 80 < r["evaluations"] <= 580 and r["error"] > 0 and r["seconds"] > 0 and 0 <= r["support"] <= 1
    assert 40 < r["checkpoints"][0]["evaluations"] <= 540 and len(r["evaluations_to_targets"]) == 1
END
fi

# wrong TEXT ARGUMENTS...: is refused, with the text
wrong()
{
  text=$1
  shift
  expect_status 2 tiny --problem smop1 --dim 12 "$@"
  expect_in_error "$text"
  [ ! -s "$out" ] || complain "printed all the same: $*"
}
wrong "method 'defualt': unknown word 'defualt'; did you mean 'default'?" --methods ea,defualt
wrong "method 'elites=5+adhco': unknown word 'adhco'; did you mean 'adhoc'?" --methods elites=5+adhco
wrong "method 'published+ea': names two methods, published and ea; give one, and options behind it" --methods published+ea
wrong "method 'ea+elites=5+ea': names two methods, ea and ea" --methods ea+elites=5+ea
wrong "'method=ea': write the method's name alone" --methods default,method=ea
wrong "unknown option '--law'; since zilch 0.2 it is called '--method'" --methods law=ea
wrong "unknown option '--price'; since zilch 0.2 it is called '--penalty'" --methods ea+price=3
wrong "unknown option '--restart'; zilch 0.2 has it no longer" --methods ea+restart=3
wrong "method 'ea+elits=5': unknown option '--elits'; did you mean '--elites'?" --methods ea+elits=5
wrong "method 'ea+elites=500': elites must be at least 2 and fewer than the population of 500, not 500" --methods default,ea+elites=500
wrong "method 'default+elites=5': elites can be given only with a population" --methods default+elites=5
wrong "method 'default+aggregate=media': --aggregate: 'media' is not one of latest|mean|later" --methods default+aggregate=media
wrong "method 'default+margin=-1': --margin: '-1' is not a number of at least 0" --methods default+margin=-1
wrong "method 'published+margin=6.5': " --methods published+margin=6.5
wrong "method 'default+final-pruning': option '--final-pruning' needs a value" --methods default+final-pruning
wrong "method 'default+penalty': option '--penalty' needs a value" --methods default+penalty
wrong "method 'default+--elites=5': '--elites=5': options stand without dashes" --methods default+--elites=5
wrong "method '': has an empty part" --methods ea,
wrong "method 'ea+': has an empty part" --methods ea+
wrong "method 'ea': stands twice" --methods ea,ea
wrong "method 'default+forced-on=13': --forced-on: '13': coordinates are numbered from 1 to 12" --methods default+forced-on=13
wrong "method 'default+episodes=3': --episodes is for the problem lander" --methods default+episodes=3
wrong "method 'published+seeds=common': --seeds is for the problem lander" --methods published+seeds=common
wrong "method 'ea+warm-start=-': warm-start: is read for each run; give a file" --methods ea+warm-start=-
for name in problem dim data response searched validation generations evaluations threads held-out; do
  wrong "method 'ea+$name=1': $name: is the same for all methods; give it to 'zilch compare' itself" --methods "ea+$name=1"
done
wrong 'study: is the same for all methods' --methods ea+study=x
wrong 'study: is the same for all methods' --methods ea+stu=x # short for it
wrong "--study: the file's name is empty" --methods ea --study ''
wrong '--study: is another of the files' --methods ea --study same -o same
wrong 'seed: every method is run with the same seeds' --methods ea+seed=3
wrong 'time: all methods have the same budget' --methods published+time=3
wrong 'stagnation: all methods have the same budget' --methods ea+stagnation=3
wrong 'target: runs go on to the end' --methods ea+target=3
wrong 'wind: is a part of the problem' --methods ea+wind
wrong "unknown option '--preset'; since zilch 0.2 it is called '--method'" --methods ea+preset=published
wrong "help: write 'zilch optimize --help'" --methods ea+help
wrong '--methods LIST is missing'
wrong "--targets: '1,x' is not a list of numbers" --methods ea --targets 1,x
wrong "--at: '3,2' must be whole numbers from 1 on, ascending" --methods ea --at 3,2
wrong '--at: 5 is beyond the 4 generations' --methods ea --at 5
wrong 'the runs would have no end' --methods ea --generations 0
wrong "--penalty: 'x' is not a number" --methods ea --penalty x
wrong '--json, --csv and --latex: give one of them' --methods ea --json --csv
wrong '--seed: so many --seeds' --methods ea --seed 18446744073709551615 --seeds 2
wrong "-o: the file's name is empty" --methods ea -o ''
wrong '--problem: the name is empty' --methods ea --problem ''
wrong "--methods: ':ea': there is no name before the colon" --methods :ea
wrong "method 'ea': stands twice" --methods "ea,ea:published"
wrong "method 'mine': unknown option '--elits'; did you mean '--elites'?" --methods mine:ea+elits=5
expect_status 2 "$zilch" compare --methods ea --problem smop9
expect_in_error "unknown problem 'smop9'; did you mean 'smop1'?"
expect_failure 'nofile: cannot open' tiny --problem smop1 --methods ea+warm-start=nofile
expect_failure "no/where: cannot be written" tiny --problem smop1 --methods ea -o no/where
cp data.csv points.csv
expect_status 2 tiny --problem sphere:dim=3,active=1 --methods "ea+$small+warm-start=points.csv" -o points.csv
expect_in_error '-o: names a file that the method reads'
expect_same data.csv points.csv

# A run that fails is named; what was finished is printed.
expect_status 1 tiny --problem sphere --methods "$small,$small+initial-sigma=1e300" --seeds 2 --csv --threads 1
expect_in_error "method '$small+initial-sigma=1e300', seed 1: generation 1: none of 20 evaluations succeeded"
expect_in_error 'stopped with 1 of 4 runs finished; the result is of those'
[ "$(wc -l <"$out")" -eq 2 ] || complain 'not the one run that was finished'

# The publication's four methods, on the lander, by their names; names are but names.
expect_status 0 "$zilch" compare --problem lander:episodes=1 --runs 1 --generations 1 --held-out 5 --json
if command -v python3 >/dev/null; then
  python3 - "$out" <<'END' || complain "not the publication's methods"
import json, sys
d = json.load(open(sys.argv[1]))
as_published = ["--reevaluate=all", "--initial-spread=0", "--final-pruning=no"]
assert [(m["method"], m["options"]) for m in d["methods"]] == [
    ("gaussian", ["--method=gaussian", *as_published, "--penalty=0"]), ("ea", ["--method=ea", *as_published]),
    ("adhoc", ["--method=adhoc", *as_published]), ("published", ["--method=published"])]
for r in d["runs"]:
    best = r["best_after_generation"]
    assert 500 < r["evaluations"] <= 1000 and best["evaluations"] == [500] and len(best["value"]) == 1
    assert r["fitness"] == r["value"] - 2 * r["active"]
END
fi
expect_status 0 tiny --problem smop2 --dim 12 --methods "mine:$small+ea" --seeds 2 --csv
without_times <"$out" | cut -d, -f2- >named.csv
expect_status 0 tiny --problem smop2 --dim 12 --methods "$small+ea" --seeds 2 --csv
without_times <"$out" | cut -d, -f2- >plain.csv
expect_same plain.csv named.csv

# Kept in a study, a comparison is the same; done again, nothing is done again; killed wherever it was, it goes on.
# kept STUDY GENERATIONS: a comparison with noise, its seconds taken away
kept()
{
  study=$1
  generations=$2
  shift 2
  # shellcheck disable=SC2086 # words
  "$zilch" compare --problem lander:episodes=1 --methods "$small,$rival" --seeds 2 --generations "$generations" --at 2,5 \
    --held-out 20 --csv $study "$@" | without_times
}
kept '' 6 >plain.csv
kept '--study kept' 6 >kept.csv
expect_same plain.csv kept.csv
cp kept before
kept '--study kept' 6 >kept.csv
expect_same plain.csv kept.csv
expect_same before kept
"$zilch" compare --problem lander:episodes=1 --methods "$small,$rival" --seeds 2 --generations 4 --at 2 \
  --held-out 20 --study longer >"$out"
kept '--study longer' 6 >longer.csv
expect_same plain.csv longer.csv
# Each wait is longer: somewhere it is in the midst of things.
for wait in 0.05 0.1 0.2 0.3 0.5 0.8; do
  "$zilch" compare --problem lander:episodes=1 --methods "$small,$rival" --seeds 2 --generations 6 --at 2,5 \
    --held-out 20 --csv --study killed >"$out" 2>"$err" &
  pid=$!
  sleep $wait
  kill -s KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
done
kept '--study killed' 6 >killed.csv
expect_same plain.csv killed.csv
# Tables of means: what the study's generations say, by awk.
expect_status 0 "$zilch" compare --problem lander:episodes=1 --methods "$small,$rival,$small+gaussian" --seeds 3 \
  --generations 8 --targets 0,1000 --held-out 20 --study three
expect_in_output 'value of the best on record at the end, without the penalty'
expect_in_output 'p of the two-sided rank-sum test between the fitness of two methods'
for run in 1 4 7; do
  "$zilch" show three --run $run --all
done >generations
awk '$1 == 8 && NF == 6 {sum += $5; squares += $5 * $5; active += $6}
     $1 ~ /^[1-8]$/ && NF == 6 && $1 < last {seen = 0}
     $1 ~ /^[1-8]$/ && NF == 6 {last = $1; if ($5 >= 0 && !seen) {seen = 1; arrived++; when += $1}}
     END {print sum / 3, sqrt((squares - sum * sum / 3) / 2), active / 3, arrived, when / (arrived + 1e-9)}' generations >by_awk
read -r mean spread active arrived when <by_awk
# near LINE NUMBER FIELD: a line of the output that begins so has the number, to a twentieth, from that field on
near()
{
  awk -v want="$2" -v line="$1" -v of="$3" 'index($0, line) == 1 {for (i = of; i <= NF; i++) if ($i - want < 0.051 && want - $i < 0.051) found = 1}
    END {exit !found}' "$out" || complain "no $2 in the line of $1"
}
near "$small " "$mean" 2
near "$small " "$spread" 4
near "$small " "$active" 2
if [ "$arrived" -gt 0 ]; then
  near "$small " "$when" 2
fi
expect_status 0 "$zilch" compare --problem lander:episodes=1 --methods "$small,$rival,$small+gaussian" --seeds 3 \
  --generations 8 --targets 0,1000 --held-out 20 --study three --latex
[ "$(grep -c '^.begin{table}' "$out")" -eq 5 ] && [ "$(grep -c '^.end{tabular}' "$out")" -eq 5 ] || complain 'not five tables'
[ "$(grep -c '^population=20+elites=5+refinement=no &' "$out")" -eq 5 ] || complain 'a method is missing'
# Arrivals and active coordinates of single runs: CSV has what follows from the JSON's generations.
for form in csv json; do
  "$zilch" compare --problem lander:episodes=1 --methods "$small,$rival,$small+gaussian" --seeds 3 \
    --generations 8 --targets 0,1000 --held-out 20 --study three --$form -o "three.$form"
done
python3 - <<'END' || complain 'CSV and JSON differ'
import csv, json
runs = {(r["method"], r["seed"]): r["best_after_generation"] for r in json.load(open("three.json"))["runs"]}
rows = list(csv.DictReader(open("three.csv")))
assert len(rows) == 9
for row in rows:
    best = runs[row["method"], int(row["seed"])]
    assert float(row["best_value"]) == best["value"][-1] and int(row["best_active"]) == best["active"][-1]
    for target in (0, 1000):
        arrived = [str(g + 1) for g, value in enumerate(best["value"]) if value >= target] + [""]
        assert row[f"generations_to_{target}"] == arrived[0]
    assert [int(row[f"best_active_at_{g}"]) for g in (2, 4, 6, 8)] == best["active"][1::2]
END
[ "$(grep -c -- '-- (0 of 3)' "$out")" -eq 3 ] || complain 'somebody got to 1000'
# Numbers are typeset.
expect_status 0 "$zilch" compare --problem smop1:dim=12 --methods ea:ea+population=20 --seeds 2 --generations 20 --latex
expect_in_output 'method & $0.01$ & $0.0001$ & $10^{-8}$'
grep -q '\\times 10^{-[0-9]*} \\pm' "$out" || complain 'numbers are not typeset'
! grep -q '[0-9]e-' "$out" || complain 'a number is that of a computer'
expect_status 0 "$zilch" show kept --json
for method in "$small" "$rival"; do
  [ "$(grep -oF "\"name\": \"$method\"" "$out" | wc -l)" -eq 2 ] || complain "not two runs called $method"
done
# Its runs are runs like others.
expect_status 0 "$zilch" best kept --run 1
expect_status 0 "$zilch" resume kept --run 1 --generations 7 --held-out 20 --final-evaluations 20
expect_in_output 'goes on from generation 6'
expect_failure "kept: run 1, '$small' with seed 1, has 7 generations and 159 evaluations already" \
  "$zilch" compare --problem lander:episodes=1 --methods "$small" --seeds 2 --generations 6 --study kept
expect_failure "kept: run 1 is called '$small' too, but is of the problem lander:" "$zilch" compare --problem sphere \
  --methods "$small" --study kept
expect_failure "named: run 1 is called 'mine' too, but was asked for with other options, or with other data" \
  sh -c '"$0" compare --problem smop1 --dim 5 --methods mine:$1 --seeds 1 --generations 2 --study named >first &&
    "$0" compare --problem smop1 --dim 5 --methods mine:$1+margin=0 --seeds 1 --generations 2 --study named' "$zilch" "$small"
expect_failure 'data.csv: ' "$zilch" compare --problem sphere --methods "$small" --study data.csv

# Ctrl-C: what was finished is printed, and nothing of what was not.
(exec env --default-signal=INT "$zilch" compare --problem lander:episodes=1 --methods "ea+$small,$small+population=50" \
  --generations 100000 --seeds 2 --csv) >"$out" 2>"$err" &
pid=$!
sleep 1
kill -s INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || complain "status $status after INT"
expect_in_error 'giving up the runs under way'
expect_in_error 'stopped with 0 of 4 runs finished'
[ ! -s "$out" ] || complain 'a result of nothing'
verdict
