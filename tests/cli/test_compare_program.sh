#!/bin/sh
# zilch compare --program: methods on a problem of one's own, evaluated by programs, kept, gone on with, in the report.
. "$(dirname "$0")/lib.sh"

# A value for each line of numbers; a third coordinate above 2 is a failure. Each evaluation leaves a mark, if it is asked to.
cat >sim.py <<'PYTHON'
import os, sys, time
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    time.sleep(float(os.environ.get("PAUSE", "0")))
    if "MARKS" in os.environ:
        open(os.environ["MARKS"], "a").write("evaluated\n")
    print("nan" if x[2] > 2 else (x[0] - 1)**2 + sum(v * v for v in x[1:]), flush=True)
PYTHON
small='population=10+elites=3'
methods="default+final-pruning=no,ea+$small"

# own STUDY ARGUMENTS...: instead of the shell, if it says exec
own()
{
  study=$1
  shift
  ${instead:-} "$zilch" compare --program 'python3 sim.py' --plain --dim 4 --penalty 0.1 --bounds=-3:3 --methods "$methods" --seeds 2 --evaluations 40 --study "$study" "$@"
}

# without_times: a CSV on stdin without its column of seconds, the eleventh
without_times()
{
  cut -d, -f1-10,12-
}

expect_status 0 own whole
expect_in_output 'problem: program, 4 coordinates, minimize'
expect_in_output "program: 'python3 sim.py'"
expect_in_output 'runs: 2 of each method, seeds 1 to 2, 40 evaluations'
grep -q 'until a value as good' "$out" && complain 'targets of a problem whose optimum nobody knows'
expect_status 0 own whole --csv
without_times <"$out" >expected
[ "$(wc -l <expected)" -eq 5 ] || complain 'not 4 runs and a header'
expect_status 0 own whole --json
expect_in_output '"program": "python3 sim.py"'
expect_in_output '"held_out": null'
# A run is that of 'zilch optimize'.
expect_status 0 "$zilch" optimize --program 'python3 sim.py' --plain --dim 4 --penalty 0.1 --bounds=-3:3 --method ea --population 10 --elites 3 \
  --evaluations 40 --seed 2 --study alone
"$zilch" export alone --run 1 | cut -d, -f2- >one
"$zilch" export whole --run 4 | cut -d, -f2- >other
expect_same one other
# Failures are kept with their words.
expect_status 0 "$zilch" export whole --failures
expect_in_output 'a value that is not finite'
# However many runs and programs there are at a time.
for words in '--threads 1 --jobs 3' '--threads 2 --jobs 1' '--jobs 8'; do
  rm -f again
  # shellcheck disable=SC2086 # words
  expect_status 0 own again --csv $words
  without_times <"$out" >found
  expect_same expected found
done
# In the report.
expect_status 0 "$zilch" report whole -o report.html
grep -q 'python3 sim.py' report.html && grep -q 'ea+population=10' report.html || complain 'not in the report'

# Interrupted, it ends within the evaluations under way, leaves no program, and the same command goes on: nothing is done twice.
export PAUSE=0.05 MARKS="$scratch/io/marks"
: >"$MARKS"
(instead=exec own part --jobs 2) >"$out" 2>"$err" &
running=$!
while [ "$(wc -l <"$MARKS")" -lt 15 ] && kill -0 "$running"; do
  sleep 0.05
done
kill -USR1 "$running"
status=0
wait "$running" || status=$?
[ "$status" -gt 128 ] || complain "interrupted, and the status is $status"
[ "$(wc -l <"$MARKS")" -lt 30 ] || complain "went on for $(wc -l <"$MARKS") evaluations"
expect_in_error 'ending with the evaluations under way'
expect_in_error 'all is kept, and the same command goes on from there'
unset PAUSE
expect_status 0 own part --csv
without_times <"$out" >found
expect_same expected found
for run in 1 2 3 4; do
  "$zilch" export whole --run "$run" >one
  "$zilch" export part --run "$run" >other
  expect_same one other
done
unset MARKS
# More seeds: only these are done.
expect_status 0 own part --seeds 3 --csv
[ "$(wc -l <"$out")" -eq 7 ] || complain 'not 6 runs and a header'

# Noise: the standard error of the fresh evaluations of what is recommended.
cat >noisy.py <<'PYTHON'
import random, sys
random.seed(7)
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    print((x[0] - 1)**2 + x[1]**2 + random.gauss(0, 0.3), flush=True)
PYTHON
expect_status 0 "$zilch" compare --program 'python3 noisy.py' --plain --dim 2 --methods "ea+$small" --seeds 1 --evaluations 100 --csv --jobs 1 --study noise
awk -F, 'NR == 2 && !($4 > 0.01 && $4 < 0.5) {exit 1}' "$out" || complain 'no standard error'

# A program that always fails ends its run, with its words; one that hangs fails in time; one that is not there.
expect_status 1 "$zilch" compare --program "sh -c 'while read -r line; do echo nan; done'" --plain --dim 2 --methods "ea+$small" --seeds 1 --evaluations 50 --max-failures 4
expect_in_error "method 'ea+$small', seed 1: "
expect_in_error 'a value that is not finite'
expect_file compare.study
expect_status 1 timeout 30 "$zilch" compare --program 'sleep 60' --plain --dim 2 --methods "ea+$small" --seeds 1 --evaluations 50 --max-failures 2 --timeout 0.1 --study slow
expect_in_error 'the program '
expect_status 1 "$zilch" compare --program ./not_there --dim 2 --methods ea --seeds 2 --evaluations 50 --study none
expect_in_error 'not_there'

# What is refused.
# wrong TEXT ARGUMENTS...
wrong()
{
  text=$1
  shift
  expect_status 2 "$zilch" compare --methods ea "$@"
  expect_in_error "$text"
}
wrong '--problem and --program: give one of them' --program cat --problem smop1 --dim 2 --evaluations 50
wrong '--evaluations N is missing' --program cat --dim 2
wrong '--dim N is missing' --program cat --evaluations 50
wrong '--held-out: is for problems whose noise zilch makes' --program cat --dim 2 --evaluations 50 --held-out 9
wrong '--plain and --sparse' --program cat --dim 2 --evaluations 50 --plain --sparse
wrong '--jobs: is for a --program' --problem smop1 --jobs 3
wrong '--timeout is for a --program' --problem smop1 --timeout 3
wrong '--direction is for a --program' --problem smop1 --direction maximize
wrong "--direction: " --program cat --dim 2 --evaluations 50 --direction up
for word in timeout=3 jobs=2 plain program=cat direction=maximize; do
  expect_status 2 "$zilch" compare --program cat --dim 2 --evaluations 50 --methods "ea+$word"
  expect_in_error 'is the same for all methods'
done
expect_status 2 "$zilch" compare --program cat --dim 2 --evaluations 50
expect_in_error '--methods LIST is missing'
verdict
