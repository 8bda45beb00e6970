#!/bin/sh
# What a search says while it goes on, how SIGTERM ends it, what it prints at its beginning and its end, and JSON.
. "$(dirname "$0")/lib.sh"

# ---- Searches in the background, because each of them takes five seconds; the end of this file looks at them. One program never
# flushes. One answers in half a second. One ignores all signals and never answers.
cat >unflushed.awk <<'AWK'
{ print $1 * $1 }
AWK
cat >slow.sh <<'SCRIPT'
while read -r line; do
  sleep 0.5
  echo 1
done
SCRIPT
cat >stubborn.sh <<'SCRIPT'
trap '' HUP INT TERM USR1
echo $$ >>stubborn.pids
while read -r line; do
  while :; do sleep 0.2; echo at work >&2; done
done
SCRIPT
# begin NAME COMMAND...: in the background, with the signals of a terminal
begin()
{
  name=$1
  shift
  (
    status=0
    env --default-signal=INT,TERM,HUP "$zilch" optimize --study "$name.study" --plain --dim 3 "$@" >"$name.out" 2>"$name.err" &
    echo $! >"$name.pid"
    wait $! || status=$?
    echo $status >"$name.status"
  ) 2>/dev/null &
}
begin unflushed --program 'awk -f unflushed.awk' --evaluations 10
begin slow --program 'sh slow.sh' --evaluations 13 --generations 100
begin quiet --program 'sh slow.sh' --evaluations 13 --quiet
begin stubborn --program 'sh stubborn.sh' --jobs 3 --timeout 100 --evaluations 10 --population 6 --refinement no
# ---- Forms of the progress
# shown OPTION...: a search of a moment, its stderr
shown()
{
  rm -f shown.study
  expect_status 0 "$zilch" optimize --problem sphere:dim=3,active=1 --study shown.study "$@"
}
shown --progress line --evaluations 100 --generations 100
expect_in_error 'evaluation 0/100'
! grep -q 'generation' "$err" || complain 'generations although evaluations end it'
shown --progress line --evaluations 100000 --generations 4 --population 10 --refinement no
expect_in_error 'generation 0/4'
shown --progress line --generations 4
expect_in_error 'generation 0/4'
for form in auto log none; do
  shown --progress $form --evaluations 100
  [ ! -s "$err" ] || complain "something on stderr with $form"
done

# The live line has the words of the result. It is drawn ten times a second, and the search takes a second at least.
expect_status 0 "$zilch" optimize --problem ellipsoid:dim=100,active=5 --penalty 0.1 --evaluations 50000 --progress line --study words
tr '\r' '\n' <"$err" | grep -q 'value [-0-9.e+]*  after penalty [-0-9.e+]*  active ' || complain 'no value after penalty'
! grep -q fitness "$err" || complain 'the live line says fitness'

expect_status 2 "$zilch" optimize --problem sphere --progress loud
expect_in_error "--progress: 'loud'"
for command in lander optimize resume compare play train recover bench; do
  "$zilch" $command --help-all >"$out" 2>/dev/null || "$zilch" $command --help >"$out"
  expect_in_output '--progress=FORM'
  expect_in_output '-q, --quiet'
done
expect_status 0 "$zilch" play --episodes 20000 --progress line
grep -q "$(printf '\r')" "$err" || complain 'play has no live line'
expect_status 2 "$zilch" compare --problem sphere --methods default+quiet,ea
expect_in_error "quiet: is the same for all methods; give it to 'zilch compare' itself"

# ---- For people
shown --evaluations 150 --penalty 0.5 --target -1 --time 100
head -n 3 "$out" >heading
cat >expected <<'TEXT'
problem: sphere:dim=3,active=1,noise=0, 3 coordinates, minimize
budget: 150 evaluations or 100 seconds; it ends at a value of -1
penalty: 0.5 for each active (nonzero) coordinate
TEXT
expect_same expected heading
! grep -q '^search: \|^seed: \|fitness\|front' "$out" || complain 'words of the method'
expect_in_output 'best seen: value 0 with 1 active (nonzero) coordinate, 0.5 after the penalty'
expect_in_output 'recommended: value 0 with 1 active (nonzero) coordinate'
expect_in_output 'best value seen with each number of active coordinates:'
cp "$out" usual
shown --evaluations 150 --penalty 0.5 --target -1 --time 100 --verbose
sed '/^search: method default, penalty 0.5, population automatic$/d; /^seed: 1$/d' "$out" | cmp -s usual - || complain 'another result with --verbose'
[ "$(wc -l <"$out")" -eq $(($(wc -l <usual) + 2)) ] || complain 'not two lines more with --verbose'
shown --evaluations 150 --penalty 0.5 --target -1 --time 100 --quiet
sed 1,3d usual | cmp -s - "$out" || complain 'more or less than the result with --quiet'
shown --stagnation 500 --evaluations 50
expect_in_output 'budget: 50 evaluations; it ends after 500 generations without progress'
shown --max-active 1 --step 1 --bounds 0:1
expect_in_output 'budget: none; it ends when it has converged'

# ---- JSON is what 'zilch show' prints of the run
shown --evaluations 100 --json
cp "$out" printed.json
expect_status 0 "$zilch" show shown.study --run 1 --json
expect_same printed.json "$out"
expect_status 0 "$zilch" resume shown.study --evaluations 120 --json
cp "$out" printed.json
expect_status 0 "$zilch" show shown.study --run 1 --json
expect_same printed.json "$out"
expect_status 0 "$zilch" lander --episodes 1 --held-out 3 --evaluations 40 --final-evaluations 5 --json --study lander.study
cp "$out" lander.json
printf '1,0\n2,1\n0,3\n0,0\n2,2\n' >data.csv
expect_status 0 "$zilch" fit data.csv -o law --json
cp "$out" fit.json
expect_status 0 "$zilch" sample law -n 3 --json -o sample.json
expect_status 0 "$zilch" sample law -n 3
cp "$out" sample.csv
expect_status 2 "$zilch" sample law --json -o points.npy
expect_status 0 "$zilch" ask by_hand --dim 2 --population 4 --refinement no -n 2
printf '{"id":0,"value":3}\n' >first
printf '{"id":1,"value":2}\n' >second
expect_status 0 "$zilch" tell by_hand first --json
cp "$out" first.json
expect_status 0 "$zilch" tell by_hand second --advance --json
cp "$out" second.json
expect_status 0 python3 - <<'PYTHON'
import json
lander = json.load(open("lander.json"))
assert lander["recommended"]["held_out_count"] == 3 and lander["ended_by"] == "evaluations" and lander["front"]
fit = json.load(open("fit.json"))
assert (fit["rows"], fit["columns"], fit["data"], fit["model"], fit["always_zero"]) == (5, 2, "data.csv", "law", 0)
assert abs(fit["active"] - 0.6) < 1e-12 and fit["report"]["structure"] == "full" and fit["weights"] is None
points = [json.loads(line)["x"] for line in open("sample.json")]
assert points == [[float(v) for v in line.split(",")] for line in open("sample.csv")] and len(points) == 3
first, second = json.load(open("first.json")), json.load(open("second.json"))
assert (first["run"], first["values"], first["closed"]) == (1, 1, None)
assert second["closed"]["generation"] == 1 and second["closed"]["best_value"] == 2
PYTHON

# ---- The searches in the background
tries=0
until [ -s unflushed.err ] && grep -q 'all is well' unflushed.err && [ -s stubborn.err ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || break
  sleep 0.1
done

# ends NAME: by SIGTERM, within 10 seconds, with the status of this signal; the study is whole and one file
ends()
{
  kill -s TERM "$(cat "$1.pid")"
  tries=0
  until [ -s "$1.status" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { complain "$1: not ended by SIGTERM"; kill -s KILL "$(cat "$1.pid")"; break; }
    sleep 0.1
  done
  cp "$1.err" "$err"
  [ "$(cat "$1.status")" = 143 ] || complain "$1: status $(cat "$1.status") after SIGTERM"
  grep -q "^zilch resume $1.study --program " "$err" || complain "$1: not told how to go on"
  [ ! -e "$1.study-wal" ] || complain "$1: the study was not closed"
  expect_status 0 "$zilch" show "$1.study" --run 1
  expect_in_output 'ended by: not ended'
}
ends unflushed
ends stubborn
while read -r pid; do
  ! kill -0 "$pid" 2>/dev/null || complain "left behind: $pid"
done <stubborn.pids
[ "$(wc -l <stubborn.pids)" -eq 3 ] || complain 'not three programs'

# A program that never answers is spoken of once; one that does is not.
[ "$(grep -c "no answer yet from 'awk -f unflushed.awk' after 5 s; does the program flush its output?" unflushed.err)" -eq 1 ] ||
  complain "not once: $(cat unflushed.err)"
grep -q 'in Python print(value, flush=True), in C fflush(stdout), in awk fflush(); a program that reads ahead, as many awks do, needs --once;' \
  unflushed.err || complain 'no remedy'
# Where the time of an evaluation is over sooner, it is asked before that.
expect_status 1 "$zilch" optimize --study hasty.study --plain --dim 3 --program 'awk -f unflushed.awk' --timeout 1 --max-failures 2
expect_in_error "no answer yet from 'awk -f unflushed.awk' after 0.8 s; does the program flush its output?"
wait
cp slow.out "$out"
cp slow.err "$err"
[ "$(cat slow.status)" = 0 ] || complain 'the slow search failed'
! grep -q 'no answer' slow.err || complain 'spoken of although it has answered'
# No terminal: a line after five seconds, of the evaluations, because they end it.
grep -qE '^zilch optimize: after [5-9] s: evaluation [0-9]+/13 ' slow.err || complain 'no line of the log'
! grep -q "$(printf '\r')\|\[K" slow.err || complain 'a live line in a file'
! grep -q 'generation ' slow.err || complain 'generations although evaluations end it'
[ ! -s quiet.err ] || complain "quiet: $(cat quiet.err)"
verdict
