#!/bin/sh
# zilch optimize: what a run prints and leaves behind, that threads change nothing, the controls of sparsity,
# regression, warm starts, and what is refused. Never how good the optimum is.
. "$(dirname "$0")/lib.sh"

# tiny ARGUMENTS...: a small search with the distribution alone
tiny()
{
  "$zilch" optimize --refinement no --population 20 --elites 5 --generations 4 "$@"
}

# What is printed, exactly: the optimum of this sphere is all zeros, and the law is told to begin there.
expect_status 0 tiny --problem sphere:dim=4,active=0 --initial-p 0 --margin 0 --final-pruning no
expect_output 'problem: sphere:dim=4,active=0,noise=0, 4 coordinates, minimize
budget: 4 generations
penalty: none
stopped by: generations
generations: 4
evaluations: 80 of 1 points, 0 failed
best seen: value 0 with 0 active (nonzero) coordinates
recommended: value 0 with 0 active (nonzero) coordinates
support: 100 % of the coordinates are active or not as in the optimum


best value seen with each number of active coordinates:
  active          value  after penalty
       0              0              0

study: sphere.study, run 1'
[ ! -s "$err" ] || complain 'something on stderr, which is no terminal'
[ "$(ls)" = sphere.study ] || complain "left behind: $(ls)"

# An old study gets a new run; --dim is short for a setting.
expect_status 0 tiny --problem sphere:active=2 --dim 6 --study sphere.study --seed 18446744073709551615 --verbose
expect_in_output 'problem: sphere:dim=6,active=2,noise=0, 6 coordinates, minimize'
expect_in_output 'seed: 18446744073709551615'
expect_in_output 'study: sphere.study, run 2'
expect_status 0 tiny --problem sphere:active=2,noise=0.1 --dim 6
expect_in_output 'problem: sphere:dim=6,active=2,noise=0.1, 6 coordinates, minimize'
expect_in_output 'study: sphere.study, run 3'
grep -qE '^recommended: value [0-9.e+-]+ \+- [0-9.e+-]+ with [0-9]+ active \(nonzero\) coordinates?, the mean of [0-9]+ new evaluations out of [0-9]+ in the final check' "$out" || complain 'no standard error'

# The default: the population is automatic, and nothing has to be said for it to end. Threads change nothing.
for threads in 1 2 7; do
  expect_status 0 "$zilch" optimize --problem smop2:dim=12 --verbose --threads "$threads" --study "default$threads"
  sed '$d' "$out" >"printed$threads"
  "$zilch" export "default$threads" >"export$threads"
done
expect_in_output 'search: method default, penalty 0, population automatic'
expect_in_output 'stopped by: converged'
expect_same printed1 printed2
expect_same printed1 printed7
expect_same export1 export2
expect_same export1 export7
# Ids count on, whoever has made a point; no point is evaluated twice but to see whether there is noise.
expect_status 0 python3 - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("export1")))
assert [int(row["id"]) for row in rows] == list(range(len(rows)))
points = {tuple(row["x%d" % i] for i in range(1, 13)) for row in rows}
assert len(rows) - 12 <= len(points) < len(rows), (len(rows), len(points))
assert int(rows[-1]["generation"]) > len(rows) / 40 # small generations
PYTHON
expect_failure 'default1: run 1 has ended, after ' "$zilch" resume default1
expect_in_error 'by: converged; to look elsewhere, begin another run with another --seed'
"$zilch" show default1 --run 1 >"$out"
[ "$(wc -l <"$out")" -le 60 ] || complain 'too much about a run with many generations'
expect_in_output 'ended by: converged'
# Where every possible point has been evaluated, there is no more to do.
awk 'BEGIN {print "a,b,c,y"; for (i = 0; i < 40; i++) print i % 7 "," i % 5 "," i * i % 11 "," 2 * (i % 7) + i % 3}' >few.csv
expect_status 0 "$zilch" optimize --problem linear --data few.csv --study few
expect_in_output 'stopped by: exhausted, every possible point was evaluated'
grep -qE '^evaluations: [12]?[0-9] of 8 points, 0 failed' "$out" || complain 'not eight subsets'
expect_failure 'by: exhausted; every possible point was evaluated' "$zilch" resume few
"$zilch" show few | grep -q '  exhausted  ' || complain 'not told afterwards'

# Neither threads nor chance change a run; the seed does, and so does each method. Six generations: in the first four, the two
# inverters differ by less than 0.0002 in a few correlations of masks alone, which changes no point here.
for threads in 1 2 7; do
  expect_status 0 tiny --problem smop2 --dim 12 --generations 6 --threads "$threads" --study "threads$threads"
  cp "$out" "printed$threads"
  "$zilch" export "threads$threads" >"export$threads"
done
expect_same export1 export2
expect_same export1 export7
[ "$(wc -l <export1)" -eq 121 ] || complain 'not 120 evaluations and a header'
for option in '--seed 2' '--method gaussian' '--method adhoc' '--method ea' '--penalty 0.1' '--x0 1' '--scale 0.1' '--elites 6' \
  '--shrinkage none' '--shrinkage bayes' '--shrinkage all' '--inverter amortised' '--method published'; do
  rm -f other
  # shellcheck disable=SC2086 # words
  expect_status 0 tiny --problem smop2 --dim 12 --generations 6 --study other $option
  "$zilch" export other >export_other
  ! cmp -s export1 export_other || complain "the same run with $option"
done
expect_status 0 tiny --problem smop2 --dim 12 --generations 6 --study fisher --shrinkage fisher # as usual
expect_output "$(sed 's/: threads1,/: fisher,/' printed1)"
"$zilch" export fisher >export_fisher
expect_same export1 export_fisher
"$zilch" show fisher --run 1 --json | grep -q '"shrinkage": *"fisher"' || complain 'the shrinkage is not kept'
# Each part of the refit, and what else is new each generation, changes a run, of this method or of all; with noise and
# generations enough for it to happen.
# longer FILE OPTION...: what was evaluated, to FILE
longer()
{
  file=$1
  shift
  rm -f long
  expect_status 0 "$zilch" optimize --problem sphere:noise=0.5,active=3,dim=12 --refinement no --population 30 --elites 8 --generations 15 \
    --final-evaluations 20 --verbose --study long "$@"
  "$zilch" export long >"$file"
}
longer usual
cp "$out" usual.printed
grep -qxF 'search: method default, penalty 0, population 30, elites 8, refinement no' "$out" || complain 'not what the search was asked for'
grep -qE '^noise: [0-9.]+, the standard deviation of one evaluation' "$out" || complain 'the noise is not told'
longer again --prior-sigma 5 --margin 0.5 --reactivation 0.5 --mean-shift 0.25 --recombination 0.02 --immigrants 0.05 --variance-scaling yes \
  --weighting linear --reevaluate uncertain --aggregate later --shrinkage fisher --initial-spread 0.1 --method default --final-pruning yes \
  --archive-size 0 --structure full --rank 10 --inverter exact --projection clip --sigma-floor 0 --initial-p 0.5 --initial-mu 0 \
  --initial-sigma 2 --min-active 0 --max-active 0 --penalty 0
expect_same usual again
cmp -s usual.printed "$out" || complain 'what is said as it is changes what is printed'
for option in '--aggregate mean' '--aggregate latest' '--reevaluate all' '--reevaluate none' '--initial-spread 0' '--prior-sigma 0' '--weighting equal' \
  '--margin 0' '--margin 6' '--reactivation 0' '--mean-shift 0' '--recombination 0.1' '--immigrants 0' '--sigma-floor 0.5' \
  '--initial-sigma 1' '--structure diagonal' '--structure low-rank'; do
  # shellcheck disable=SC2086 # words
  longer other $option
  ! cmp -s usual other || complain "the same run with $option"
  [ "$(grep '^best seen: ' "$out")" != "$(grep '^best seen: ' usual.printed)" ] || complain "the same best with $option"
done
# Improvements from far outside: of a narrow distribution, far from the optimum.
for scaling in yes no; do
  longer "$scaling" --problem sphere:active=3,dim=12 --initial-sigma 0.05 --variance-scaling "$scaling"
  grep '^best seen: ' "$out" >"$scaling.best"
done
! cmp -s yes no && ! cmp -s yes.best no.best || complain 'the same run with --variance-scaling no'
# What is not as the method has it is told, in the words of the options.
longer other --variance-scaling no --reactivation 0 --mean-shift 0 --recombination 0.1 --immigrants 0.2 --margin 0 --weighting equal
grep -qxF 'search: method default, penalty 0, population 30, elites 8, weighting equal, margin 0, mean shift 0, recombination 0.1, immigrants 0.2, reactivation 0, refinement no, variance scaling no' "$out" || complain 'not what was asked for'
"$zilch" show long --run 1 >"$out"
grep -q '^noise: ' "$out" || complain 'not told afterwards'
longer other --method ea
grep -qxF 'search: method ea, penalty 0, population 30, elites 8, refinement no' "$out" || complain 'not the method alone'

# A method is for every problem, and what is said beside it wins, before it or behind.
longer paper --method published
grep -qxF 'search: method published, penalty 0, population 30, elites 8' "$out" || complain 'not the method alone'
longer same --method default --aggregate latest --reevaluate all --inverter amortised --shrinkage none --projection clip --initial-p 0.5 \
  --initial-mu 0 --initial-sigma 2 --initial-spread 0 --prior-sigma 0 --weighting equal --margin 0 --reactivation 0 --mean-shift 0 \
  --recombination 0 --immigrants 0 --variance-scaling no --smoothing no
expect_same paper same
longer first --margin 0.5 --method published
expect_in_output 'method published, penalty 0, population 30, elites 8, margin 0.5'
longer second --method published --margin 0.5
expect_same first second
! cmp -s paper first || complain 'the margin changes nothing'
expect_status 0 tiny --problem smop1 --dim 9 --method published --study paper.study --verbose
expect_in_output 'search: method published, penalty 0, population 20, elites 5'
grep -qE '^recommended: value [0-9.e-]+ with [0-9]+ active \(nonzero\) coordinates?$' "$out" || complain 'evaluated again without noise'
expect_status 0 tiny --problem smop1 --dim 9 --method published --final-pruning yes --study paper.study
expect_in_output 'the mean of '
expect_status 0 "$zilch" optimize --problem smop1 --dim 9 --method published --evaluations 600 --study paper.study --verbose
expect_in_output 'population 500, elites 100'
"$zilch" show paper.study --run 1 --json >run.json
expect_status 0 python3 - <<'PYTHON'
import json
run = json.load(open("run.json"))
s = run["settings"]
assert (s["aggregate"], s["reevaluate"], s["weighting"], s["variance_scaling"], s["inverter"], s["shrinkage"]) == (
    "latest", "all", "equal", False, "amortised", "none")
for name in ("initial_spread", "prior_sigma", "margin", "mean_shift", "recombination", "immigrants", "reactivation"):
    assert s[name] == 0, name
assert run["restarts"] == 0 and run["scale"] == 1 and run["penalty"] == 0 and run["method"] == "published"
PYTHON

for problem in smop1 smop2 smop3 smop4 smop5 smop6 smop7 smop8; do
  expect_status 0 tiny --problem "$problem" --dim 20 --study all
  expect_in_output "problem: $problem:dim=20, 20 coordinates, minimize"
done
for problem in ellipsoid rosenbrock; do
  expect_status 0 tiny --problem "$problem" --dim 20 --study all
  expect_in_output "problem: $problem:dim=20,active=2, 20 coordinates, minimize"
  expect_status 0 tiny --problem "$problem:active=20" --dim 20 --study all
  expect_in_output "problem: $problem:dim=20,active=20, 20 coordinates, minimize"
done

# The live line on a terminal: with noise, and only whole parts of it where it is narrow.
expect_status 0 python3 - "$zilch" <<'PYTHON'
import fcntl, os, pty, re, struct, subprocess, sys, termios
number = r"-?[0-9.e+-]+"
line = (rf"evaluation [0-9]+/100000000(  [0-9]+ s left(  value {number}((  after penalty {number})?(  active [0-9]+"
        rf"((  noise {number})?(  [0-9]+/s)?)?)?)?)?)?")
command = [sys.argv[1]] + ("optimize --problem sphere:noise=0.5,active=3,dim=12 --population 30 --elites 8"
                           " --evaluations 100000000 --time 0.6 --study live").split()
for columns in 150, 36:
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    text = b""
    while True:
        try:
            text += os.read(master, 4096)
        except OSError: # all has been read
            break
    assert run.wait() == 0
    shown = [part for part in text.decode().replace("\x1b[K", "").split("\r") if part.startswith("evaluation")]
    assert all(re.fullmatch(line, part) and len(part) < columns for part in shown), shown
    assert columns < 150 or ("noise" in shown[-1] and shown[-1].endswith("/s")), shown
PYTHON

# Limits: whichever is met first.
expect_status 0 tiny --problem smop1 --dim 10 --evaluations 50 --generations 9 --study limits
expect_in_output 'stopped by: evaluations'
expect_in_output 'evaluations: 50 of'
expect_status 0 tiny --problem smop1 --dim 10 --target 1e9 --seed 2 --study limits
expect_in_output 'stopped by: target'
expect_in_output 'generations: 1'
expect_status 0 tiny --problem sphere:dim=4,active=0 --initial-p 0 --stagnation 2 --study limits
expect_in_output 'stopped by: stagnation'
expect_status 0 tiny --problem smop1 --dim 10 --time 0 --seed 3 --study limits
expect_in_output 'stopped by: time'
expect_in_output 'generations: 1'
expect_status 0 tiny --problem smop1 --dim 10 --generations 0 --evaluations 30 --seed 4 --study limits
expect_in_output 'stopped by: evaluations'

# Sparsity: every point that was evaluated keeps what was asked for.
# holds CONDITION OPTION...: in python, of a point's coordinates x, counted from 1
holds()
{
  keeps "$@" --evaluations 150
  keeps "$@" --refinement no --population 20 --elites 5 --generations 4
}
# keeps CONDITION OPTION...
keeps()
{
  condition=$1
  shift
  rm -f box
  expect_status 0 "$zilch" optimize --problem smop1 --dim 9 --study box "$@"
  "$zilch" export box >points.csv
  expect_status 0 python3 - "$condition" <<'PYTHON'
import csv, sys
for row in csv.DictReader(open("points.csv")):
    x = [None] + [float(row["x%d" % i]) for i in range(1, 10)]
    active = [i for i in range(1, 10) if x[i] != 0]
    assert int(row["active"]) == len(active), row
    assert eval(sys.argv[1]), (sys.argv[1], x)
PYTHON
}
holds '2 <= len(active) <= 3' --min-active 2 --max-active 3
holds 'x[1] and x[4] and x[5] and not x[2] and not x[9]' --forced-on 1,4-5 --forced-off 2,9
holds 'bool(x[1]) == bool(x[2]) == bool(x[3]) and bool(x[5]) == bool(x[7])' --groups '1-3; 5, 7'
holds 'all(-0.5 <= v <= 0.25 for v in x[1:])' --bounds -0.5:0.25
holds 'all(v >= 0 for v in x[1:])' --bounds 0:none
printf 'lower,upper\n# the first\n0,1\nnone,0\n,none\n-1,1\n-1,1\n-1,1\n-1,1\n-1,1\n3,4\n' >bounds.csv
holds '0 <= x[1] <= 1 and x[2] <= 0 and (x[9] == 0 or 3 <= x[9] <= 4)' --bounds-file bounds.csv
# A first guess and the size of a change: a number for all, or columns beside the bounds.
near="--refinement no --population 20 --elites 5 --generations 4"
# shellcheck disable=SC2086 # words
keeps 'all(v == 0 or 190 < v < 210 for v in x[1:])' --bounds none:none --x0 200 --scale 1e-3 $near
keeps 'all(190 < v < 210 for v in x[1:])' --bounds none:none --x0 200 --scale 1e-3 --evaluations 20
awk 'BEGIN {print "lower,upper,x0,scale"; for (i = 1; i <= 9; i++) print "none,none," 100 * i ",1e-3"}' >units.csv
# shellcheck disable=SC2086 # words
keeps 'all(v == 0 or abs(v - 100 * i) < 10 for i, v in enumerate(x[1:], 1))' --bounds-file units.csv $near
# A size that is far too small is made good.
rm -f box
expect_status 0 "$zilch" optimize --problem sphere:active=9 --dim 9 --study box --bounds none:none --x0 50 --scale 1e-3 --evaluations 300
grep -qE '^recommended: value ([0-9.]+e-[0-9]+|0)' "$out" || complain 'not there from a scale that is too small'
holds 'all(v == 0 or 100 <= v <= 400 for v in x[1:])' --bounds 100:400
# Steps, and lists of values.
holds 'all(v == int(v) for v in x[1:])' --step 1
holds 'all(v == round(v * 20) / 20 for v in x[1:])' --step 0.05 --bounds -0.4:0.33
holds 'x[2] == int(x[2]) and x[5] == round(x[5] * 20) / 20' --step '2=1, 5=0.05'
printf 'coordinate,values\n3,0.5,-0.25,0.1 # three\n9,7\n' >values.csv
holds 'x[3] in (0, 0.5, -0.25, 0.1) and x[9] in (0, 7)' --values-file values.csv --bounds none:none
holds 'x[3] in (0, 0.5, -0.25, 0.1) and x[2] == int(x[2])' --values-file values.csv --bounds none:none --step 1
"$zilch" show --run 1 --json box >shown
grep -q '"step": \[1.0, 1.0, 0.0, 1.0,.*"values": \[null, null, \[-0.25, 0.1[0-9]*, 0.5\], null' shown || complain 'no steps shown'
rm -f box
expect_status 0 "$zilch" optimize --problem sphere:active=3 --dim 5 --bounds 0:3 --step 1 --evaluations 10000 --study box
expect_in_output 'stopped by: exhausted, every possible point was evaluated'
expect_in_output ' of 1024 points, 0 failed'
printf '1,0,0.6,0,0,5\n' >half.csv
expect_failure 'half.csv: row 1, column 3: the value 0.6 is not one of those it may have; the nearest is 0.5' tiny --problem smop1 --dim 5 --study box --warm-start half.csv --step 0.25
# Penalties of single coordinates: the dear ones of an optimum in which all are active are zero.
printf 'coordinate,penalty\n2, 40\n# the last\n9,40\n' >penalties.csv
printf '0\n40\n0\n0\n0\n0\n0\n0\n40\n' >all.csv
for file in penalties.csv all.csv; do
  rm -f box
  expect_status 0 "$zilch" optimize --problem sphere:active=9 --dim 9 --penalty 0.5 --penalty-file $file --evaluations 400 --study box
  expect_in_output 'penalty: 0.5 for each active (nonzero) coordinate, and penalties of single coordinates'
  expect_in_output 'best seen: value 2 with 7 active (nonzero) coordinates, 5.5 after the penalty'
  "$zilch" show --run 1 --json box >shown
  grep -q '"penalties": \[0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 40.0\]' shown || complain 'no penalties shown'
  "$zilch" export box >points.csv
  expect_status 0 python3 - <<'PYTHON'
import csv
for row in csv.DictReader(open("points.csv")):
    penalty = 0.5 * int(row["active"]) + sum(40 for name in ("x2", "x9") if float(row[name]))
    assert abs(float(row["fitness"]) - float(row["value"]) - penalty) < 1e-9, row
PYTHON
  expect_status 0 "$zilch" report box -o page.html
  grep -q 'with its penalty</dt><dd>5.5<' page.html || complain 'another fitness on the page'
done
expect_status 0 "$zilch" compare --problem sphere:active=9 --dim 9 --penalty 0.5 --penalty-file all.csv --methods default --seeds 1 \
  --evaluations 400 --json
grep -q '"fitness": 5.5' "$out" || complain 'another fitness in a comparison'
holds 'True' --bounds : --final-candidates 3 --final-evaluations 9
# Pruning without noise: an evaluation for each coordinate is there, said or not.
expect_status 0 tiny --problem sphere:active=2 --dim 9 --penalty 5 --method gaussian --initial-p 1 --study pruned
expect_in_output ', 9 more set to zero at the end'
expect_status 0 tiny --problem sphere:active=2 --dim 9 --penalty 5 --method gaussian --initial-p 1 --final-pruning no --study pruned
grep -q '^recommended: .* with 9 active (nonzero) coordinates$' "$out" || complain 'pruned all the same'
# A value that is a negative zero stays one.
printf '1,0,0,-0\n0,1,0,3\n' >zero.csv
expect_status 0 tiny --problem smop1 --dim 3 --warm-start zero.csv --study zero
"$zilch" export zero >zero.exported
grep -q '^1,1,[0-9]*,-0,' zero.exported || complain 'a negative zero is lost'

# A warm start: its points are there, and the law begins from them.
awk 'BEGIN {for (i = 0; i < 8; i++) print 1 + i / 100 ",0,0,0,0,0,0,0,0," 5 + i}' >warm.csv
holds 'True' --warm-start warm.csv
[ "$(grep -c '^1,1,.*,1,1\.0[0-9]*,0,0,0,0,0,0,0,0$' points.csv)" -ge 7 ] || complain 'no warm start'
expect_failure 'warm.csv: has 10 columns; a point'"'"'s 8 coordinates and its value are 9' \
  tiny --problem smop1 --dim 8 --study box --warm-start warm.csv
expect_failure 'warm.csv: row 1, column 1: the value is 1, but it is forced off' \
  tiny --problem smop1 --dim 9 --study box --warm-start warm.csv --forced-off 1
expect_failure 'warm.csv: row 3, column 1: the value 1.02 is out of its bounds 0 and 1.01' \
  tiny --problem smop1 --dim 9 --study box --warm-start warm.csv --bounds 0:1.01
expect_failure 'warm.csv: row 1, columns 1 and 3: they must be active together' \
  tiny --problem smop1 --dim 9 --study box --warm-start warm.csv --groups 1,3

# Regression: y = 3 + 2 b - e, and nothing else; or, where b costs too much, without it.
awk 'BEGIN {srand(1); print "a,b,c,d,e,y"; for (i = 0; i < 60; i++) {for (j = 1; j <= 5; j++) {v[j] = rand() * j; printf "%.6f,", v[j]}
  printf "%.6f\n", 3 + 2 * v[2] - v[5] + 0.01 * rand()}}' >linear.csv
expect_status 0 tiny --problem linear --data linear.csv
expect_in_output 'problem: linear:response=6,searched=subset,validation=0.3, 5 coordinates, minimize'
expect_in_output 'data: linear.csv'
awk -F': ' '$1 == "b" {b = $2} $1 == "e" {e = $2} $1 == "intercept" {i = $2}
  END {exit !(b > 1.9 && b < 2.1 && e > -1.1 && e < -0.9 && i > 2.9 && i < 3.1)}' "$out" || complain 'not the coefficients'
expect_in_output 'training: mean squared error'
expect_in_output 'validation: mean squared error'
expect_in_output 'study: linear.study, run 1'
printf 'b,1000\n' >dear.csv
rm -f box
expect_status 0 tiny --problem linear --data linear.csv --penalty-file dear.csv --study box
"$zilch" best box >best
! grep -q '^b: ' best || complain 'a dear column was chosen'
grep -q '^e: ' best || complain 'a cheap column was not chosen'
printf 'f,1000\n' >dear.csv
expect_failure "dear.csv: line 1: 'f' is no coordinate's number or name" tiny --problem linear --data linear.csv --penalty-file dear.csv --study box
expect_status 0 "$zilch" best linear.study
expect_in_output 'b: '
# Coefficients for programs, with the columns' names, as long as the data are what they were.
expect_status 0 "$zilch" best linear.study -o fit.csv
[ "$(head -n 1 fit.csv)" = intercept,a,b,c,d,e ] || complain 'not the names of the columns'
expect_status 0 "$zilch" best linear.study -o fit.npy
"$zilch" best linear.study --json >best.json
"$zilch" show linear.study --run 1 --json >run.json
"$zilch" best linear.study >best.txt
mv linear.csv elsewhere
"$zilch" best linear.study --json >gone.json 2>"$err"
[ ! -s "$err" ] || complain 'something on stderr beside the JSON'
expect_status 0 "$zilch" best linear.study
expect_in_error 'linear.csv: the data are missing (No such file or directory); columns are shown without coefficients'
[ "$(grep -c '^b: used$' "$out")" -eq 2 ] && ! grep -q '^b: [0-9-]' "$out" || complain 'not the columns by name'
expect_refusal 'the data are missing or have changed' "$zilch" best linear.study
sed '2s/^0/1/' elsewhere >linear.csv
expect_status 0 "$zilch" best linear.study
expect_in_error 'linear.csv: is not as it was when the run began; columns are shown without coefficients'
mv elsewhere linear.csv
expect_status 0 python3 - <<'PYTHON'
import csv, json
best, run, gone = (json.load(open(name + ".json")) for name in ("best", "run", "gone"))
assert run["best"] == best["best"] and run["recommended"] == best["recommended"]
assert gone["recommended"]["fit"] is None and gone["best"]["fit"] is None
fit = best["recommended"]["fit"]
assert {c["column"]: c["name"] for c in fit["coefficients"]} == {2: "b", 5: "e"}, fit
row = next(csv.DictReader(open("fit.csv")))
assert float(row["intercept"]) == fit["intercept"] and float(row["a"]) == 0
for c in fit["coefficients"]:
    assert float(row[c["name"]]) == c["coefficient"]
    assert c["coefficient"] in [float(line[3:]) for line in open("best.txt") if line.startswith(c["name"] + ": ")]
assert 0 < fit["validation_error"] < 1 and fit["validation_score"] > 0.99
assert best["recommended"]["failures"] == 0 and best["recommended"]["spent"] <= 2 * (5 + 2)
PYTHON
cut -d, -f2,5,6 linear.csv | tail -n +2 | awk -F, '{print $1 "," ($3 > 4) "," $2}' >logistic.csv
expect_status 0 tiny --problem logistic --data logistic.csv --response 2 --searched coefficients --penalty 0.001
expect_in_output 'problem: logistic:response=2,searched=coefficients,validation=0.3, 2 coordinates, minimize'
expect_in_output 'data: logistic.csv'
grep -qE '^column (1|3): ' "$out" || complain 'no coefficient'
expect_in_output 'mean log loss'
expect_status 0 tiny --problem linear --data linear.csv --response a --validation 0.5
expect_in_output 'response=1'
# A column may have any name.
sed '1s/.*/yes,b,c,d,e,y/' linear.csv >yes.csv
expect_status 0 tiny --problem linear --data yes.csv --response yes --study named
expect_status 0 "$zilch" show named --run 1
expect_in_output ' --response yes'
expect_failure 'linear.csv: row 1, column 6 (y): y is ' tiny --problem logistic --data linear.csv
cut -d, -f1 linear.csv >one.csv
expect_failure 'one.csv: has one column: a regression needs one to be explained' tiny --problem linear --data one.csv
awk 'BEGIN {for (i = 0; i < 9; i++) print i ",1e200,-" i "e200"}' >large.csv
expect_failure 'large.csv: column 3: the values are too large; scale them' tiny --problem linear --data large.csv --response 1
expect_failure 'nowhere: cannot open' tiny --problem linear --data nowhere

# Wrong usage, before anything is written.
# wrong MESSAGE OPTION...
wrong()
{
  text=$1
  shift
  expect_status 2 "$zilch" optimize --study new "$@"
  expect_in_error "$text"
  expect_in_error "Try 'zilch optimize --help'."
  [ ! -s "$out" ] || complain 'something on stdout'
}
wrong '--problem NAME or --program COMMAND is missing'
wrong "unknown problem 'smpo1'; did you mean 'smop1'?" --problem smpo1
wrong '--problem: ' --problem nothing
wrong '--problem: smop1: dim must be a whole number' --problem smop1:dim=many
wrong '--problem: lander: "dim" is not one of its settings' --problem lander --dim 3
wrong "unknown option '--popluation'; did you mean '--population'?" --problem smop1 --popluation 3
wrong "--method: 'zag' is not one of default|published|gaussian|adhoc|ea" --problem smop1 --method zag
wrong "--aggregate: 'best' is not one of latest|mean|later" --problem smop1 --aggregate best
wrong "--generations: '-1' is not a whole number" --problem smop1 --generations -1
wrong "--penalty: '-1' is not a number of at least 0" --problem smop1 --penalty -1
wrong "--initial-p: '2' is not a number from 0 to 1" --problem smop1 --initial-p 2
wrong "--initial-spread: '-0.1' is not a number from 0 to 0.999999" --problem smop1 --initial-spread -0.1
wrong "--initial-spread: '1' is not a number from 0 to 0.999999" --problem smop1 --initial-spread 1
wrong "--prior-sigma: '-1' is not a number from 0 to 1000000" --problem smop1 --prior-sigma -1
wrong "--prior-sigma: '2e6' is not a number from 0 to 1000000" --problem smop1 --prior-sigma 2e6
wrong "--margin: '-1' is not a number of at least 0" --problem smop1 --margin -1
for name in reactivation mean-shift recombination immigrants; do
  wrong "--$name: '-1' is not a number from 0 to 1" --problem smop1 --$name -1
  wrong "--$name: '1.5' is not a number from 0 to 1" --problem smop1 --$name 1.5
done
wrong 'margin must be from 0 to 4.5, half of the coordinates, not 4.6' --problem smop1 --dim 9 --margin 4.6
wrong "--reevaluate: 'some' is not one of all|uncertain|none" --problem smop1 --reevaluate some
wrong "--weighting: 'square' is not one of equal|linear" --problem smop1 --weighting square
wrong "--variance-scaling: '1' is not one of no|yes" --problem smop1 --variance-scaling 1
wrong "--shrinkage: 'some' is not one of none|entrywise|bayes|fisher|all" --problem smop1 --shrinkage some
wrong "--final-pruning: 'x' is not one of no|yes" --problem smop1 --final-pruning x
wrong "option '--final-pruning' needs a value: NAME" --problem smop1 --final-pruning
wrong "--method: 'paper' is not one of default|published|gaussian|adhoc|ea" --problem smop1 --method paper
wrong 'elites must be at least 2 and fewer than the population of 500, not 500' --problem smop1 --population 500 --elites 500
wrong 'elites can be given only with a population, of which they are a part' --problem smop1 --elites 500
wrong 'population must be at least 3, or 0 for an automatic one, not 2' --problem smop1 --population 2
wrong "--refinement: 'maybe' is not one of no|yes" --problem smop1 --refinement maybe
wrong "--quorum is for 'zilch ask', not for smop1" --problem smop1 --quorum 0.5
wrong "--dim: '1000001' is not a whole number from 1 to 1000000" --problem smop1 --dim 1000001
wrong 'structure full takes a dimension of 1 to 16000, not 16001; structure low-rank' --problem smop1 --dim 16001
wrong "--structure: 'lowrank' is not one of full|diagonal|low-rank" --problem smop1 --structure lowrank
wrong "--rank: '0' is not a whole number from 1 to 1000" --problem smop1 --structure low-rank --rank 0
wrong 'archive_size must be 0, for all, or at least the 100 elites, not 99' --problem smop1 --population 500 --archive-size 99
wrong "--final-candidates: '100001' is not a whole number from 0 to 100000" --problem smop1 --final-candidates 100001
wrong "--final-evaluations: '10000001' is not a whole number from 0 to 10000000" --problem smop1 --final-evaluations 10000001
wrong 'min_active, 5, must not be more than max_active, 4' --problem smop1 --min-active 5 --max-active 4
wrong '--weights: only the amortised inverter has networks' --problem smop1 --weights file
wrong '--bounds and --bounds-file: give one' --problem smop1 --bounds 0:1 --bounds-file bounds.csv
wrong '--bounds: bounds are LOW:HIGH' --problem smop1 --bounds 3
wrong '--bounds: the lower bound 3 is above the upper 1' --problem smop1 --bounds 3:1
wrong "--bounds: 'x' is neither a number nor 'none'" --problem smop1 --bounds x:1
wrong 'coordinate 1: x0 is 5, out of its bounds -1 and 2; give a value between them, or 0 for none' --problem smop1 --x0 5
wrong 'coordinate 1: scale is 0; it must be a finite number above 0' --problem smop1 --scale 0
wrong "--scale: '-1' is not a number" --problem smop1 --scale -1
wrong 'x0 and scale are for the method default; with the method ea, give initial_mu and initial_sigma in their place' \
  --problem smop1 --method ea --x0 1
awk 'BEGIN {for (i = 1; i <= 100; i++) print "-1,2,1,3"}' >units.csv
wrong '--x0: units.csv has it for each coordinate; give one of them' --problem smop1 --bounds-file units.csv --x0 1
wrong '--scale: units.csv has it for each coordinate; give one of them' --problem smop1 --bounds-file units.csv --scale 1
refused()
{
  printf "$2" >penalties.csv
  expect_failure "penalties.csv: $1" tiny --problem smop1 --dim 3 --study box --penalty-file penalties.csv
}
refused 'has 2 penalties, but there are 3 coordinates' '1\n2\n'
refused 'line 4: there are only 3 coordinates' '1\n2\n3\n4\n'
refused 'line 2: a penalty must be a finite number, 0 or more, not -2' '1\n-2\n3\n'
refused "line 2: 'x' is no number" '1\nx\n3\n'
refused "line 1: 'x2' is no coordinate's number" 'x2,3\n'
refused "line 2: '4': coordinates are numbered from 1 to 3" '1,1\n4,1\n'
refused 'line 2: coordinate 1 is named twice' '1,1\n1,2\n'
refused 'line 2: give a coordinate before the number in every line, or in none' '1,1\n3\n'
wrong "--step: 'x' is neither a number nor COORDINATE=STEP" --problem smop1 --step x
wrong "--step: 'x1' is no coordinate's number" --problem smop1 --step x1=3
wrong '--step: coordinate 2 is named twice' --problem smop1 --step 2=1,2=3
wrong 'coordinate 1: its step is -1; it must be a finite number above 0, or 0 for none' --problem smop1 --step=-1
wrong 'coordinate 1: no multiple of its step is within its bounds 0.2 and 0.8' --problem smop1 --bounds 0.2:0.8 --step 1
unlisted()
{
  printf "$2" >values.csv
  expect_failure "values.csv: $1" tiny --problem smop1 --dim 3 --study box --values-file values.csv
}
unlisted 'has no values' '# none\n'
unlisted "line 2: '4': coordinates are numbered from 1 to 3" '1,1\n4,1\n'
unlisted 'line 2: coordinate 1 is named twice' '1,1\n1,2,3\n'
unlisted "line 1: 'x' is no number" '1,1,x\n'
unlisted 'line 1: a coordinate and its values are expected' '1\n'
wrong "--forced-on: '200': coordinates are numbered from 1 to 100" --problem smop1 --forced-on 200
wrong "--forced-on: '0': coordinates are numbered from 1 to 100" --problem smop1 --forced-on 0
wrong "--forced-on: '5-3' goes backwards" --problem smop1 --forced-on 5-3
wrong "--forced-on: 'a' is no coordinate's number" --problem smop1 --forced-on 1,a
wrong "--forced-on: '' is no coordinate's number" --problem smop1 --forced-on 1,
wrong '--forced-off: coordinate 2 is named twice' --problem smop1 --forced-on 1,2 --forced-off 2
wrong '--groups: coordinate 3 is named twice' --problem smop1 --groups '1-3;3'
wrong 'keeps what is forced' --problem smop1 --forced-on 1-3 --max-active 2
wrong '--final-evaluations 5: is less than --final-candidates 6' --problem smop1 --final-evaluations 5 --final-candidates 6
wrong 'coordinate 3: it is forced off, another one of its group on' --problem smop1 --groups 1-3 --forced-on 1 --forced-off 3
wrong 'coordinate 1: the bounds allow only zero, but it must be active' --problem smop1 --bounds 0:0 --forced-on 1
wrong '--data FILE is missing, which linear needs' --problem linear
wrong '--problem: linear takes no settings behind the colon' --problem linear:dim=3 --data linear.csv
wrong '--validation: must be between 0 and 1, the ends excluded' --problem linear --data linear.csv --validation 0
wrong '--validation is for the problems linear and logistic, not for smop1' --problem smop1:dim=4 --validation 0.3
wrong '--searched is for the problems linear and logistic, not for lander' --problem lander --searched subset
wrong '--response is for the problems linear and logistic, not for smop1' --problem smop1 --response 3
for option in '--episodes 8' '--seeds fresh' '--gravity -10' --wind '--wind-power 15' '--turbulence-power 1' \
  '--held-out 10'; do
  # shellcheck disable=SC2086 # words
  wrong "${option%% *} is for the problem lander, not for smop1" --problem smop1 $option
  # shellcheck disable=SC2086 # words
  wrong "${option%% *} is for the problem lander, not for linear" --problem linear --data linear.csv $option
done
wrong 'lander: episodes is given twice' --problem lander:episodes=3 --episodes 4
wrong '--data is for the problems linear and logistic' --problem smop1 --data linear.csv
wrong '--dim: the columns of --data are the coordinates' --problem linear --data linear.csv --dim 3
wrong '--data: is read again' --problem linear --data -
wrong "--response: 'z' is neither a column's name nor a number from 1 to 6" --problem linear --data linear.csv --response z
wrong "--searched: 'all' is not one of subset|coefficients" --problem linear --data linear.csv --searched all
wrong "--study: the file's name is empty" --problem smop1 --study ''
wrong '--study: linear.csv is what is read' --problem linear --data linear.csv --study linear.csv
wrong "unexpected argument 'extra'" --problem smop1 extra
expect_failure 'bounds.csv: line 11: there are only 8 coordinates' \
  tiny --problem smop1 --dim 8 --study new --bounds-file bounds.csv
expect_failure 'bounds.csv: has 9 lines of bounds, but there are 10 coordinates' \
  tiny --problem smop1 --dim 10 --study new --bounds-file bounds.csv
printf '0,1,0.5,1\n0,1,none,1\n' >units.csv
expect_failure 'units.csv: line 2: give x0 in every line, or in none' tiny --problem smop1 --dim 10 --study new --bounds-file units.csv
printf '0,1,0.5\n0,1,0.5,1\n' >units.csv
expect_failure 'units.csv: line 2: give scale in every line, or in none' tiny --problem smop1 --dim 10 --study new --bounds-file units.csv
printf '0,1,0.5,1,2\n' >units.csv
expect_failure "units.csv: line 1: bounds are LOW,HIGH, and x0 and scale may follow, with 'none' where there is none" \
  tiny --problem smop1 --dim 10 --study new --bounds-file units.csv
expect_failure 'nowhere: cannot open' tiny --problem smop1 --study new --bounds-file nowhere
expect_failure 'nowhere: cannot open' tiny --problem smop1 --study new --warm-start nowhere
expect_failure 'nowhere' tiny --problem smop1 --study new --inverter amortised --weights nowhere
expect_no_file new
expect_failure 'cannot create: No such file or directory' tiny --problem smop1 --study nowhere/new
expect_failure 'bounds.csv: is no SQLite file, and so no zilch study' tiny --problem smop1 --study bounds.csv
expect_failure 'not a regular file' tiny --problem smop1 --study /
expect_failure 'cannot write to standard output' sh -c '"$0" optimize --problem smop1 --dim 5 --population 10 --elites 3 --generations 2 --study closed >&-' "$zilch"

# What would only happen again is not said to go on.
expect_failure 'zilch optimize: ' tiny --problem sphere --initial-sigma 1e200 --study again
! grep -q 'goes on' "$err" || complain 'said to go on'

# The study's name may be any bytes: it is not kept in the study.
name=$(printf 'caf\351')
expect_status 0 tiny --problem smop1 --dim 4 --study "$name"
expect_status 0 tiny --problem smop1 --dim 4 --stud="$name" --seed 2
expect_status 0 "$zilch" resume "$name" --generations 6
expect_status 0 "$zilch" show "$name" --run 2
sed -i -e ':join' -e '/ \\$/ { N; s/ \\\n  / /; b join' -e '}' "$out" # long lines go on in the next one
expect_in_output 'asked for: zilch optimize --problem smop1:dim=4 --penalty 0 --population 20 --elites 5 --refinement no --generations 4 --seed 2'

# Help tells the defaults.
expect_status 0 "$zilch" optimize --help-all
tr -s ' \n' '  ' <"$out" >help
for text in 'Points in each generation; 0: automatic. (default 0)' 'without a limit, when it has converged' 'default|published|gaussian|adhoc|ea; default default' 'latest|mean|later; default later' \
  'none|entrywise|bayes|fisher|all; default fisher' 'equal|linear; default linear' 'default uncertain' 'default exact' 'default 0.25' \
  'no|yes; default yes' '--prior-sigma=X The standard deviations of the last generation' 'default subset' 'default 0.3' \
  'such as smop1:dim=1000' "such as '1-3;4,6'"; do
  grep -qF -e "$text" help || complain "not in the help: $text"
done
verdict
