#!/bin/sh
# No evaluation is lost: after kill -9 at random moments at most the evaluations under way are repeated, Ctrl-C loses none,
# and the same request does not begin again. A slow test has more kills and slower evaluations:
#     ZILCH_KILLS=200 ZILCH_SECONDS=0.2 ctest --preset release -R slow_durable -V
. "$(dirname "$0")/lib.sh"
kills=${ZILCH_KILLS:-10}
seed=${ZILCH_SEED:-1} # of the moments
# A little more than what is written at once; on a busy machine everything else takes longer, but not this.
seconds=${ZILCH_SECONDS:-0.12}

# Every point that an evaluator is given is a line of the log, before anything else happens to it.
export ZILCH_TEST_LOG="$scratch/log"
cat >evaluator <<'TEXT'
#!/bin/sh
while read -r a b c; do
  echo "$a $b $c" >>"$ZILCH_TEST_LOG"
  sleep "$1"
  awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN {printf "%.17g\n", (a - 1) ^ 2 + (b + 2) ^ 2 + c ^ 2}'
done
TEXT
chmod +x evaluator

# begin STUDY OPTION...: 18 evaluations at most, those of the final check too
begin()
{
  study=$1
  shift
  "$zilch" optimize --program "./evaluator $seconds" --plain --dim 3 --jobs 3 --evaluations 18 --population 6 --elites 2 \
    --refinement no --final-evaluations 6 --final-candidates 2 --study "$study" "$@"
}

logged() { wc -l <"$ZILCH_TEST_LOG"; }

# random MOST: a number from 0 to that; $drawn of them were drawn
drawn=0
random()
{
  drawn=$((drawn + 1))
  moment=$(awk -v most="$1" -v k="$drawn" -v seed="$seed" 'BEGIN {srand(seed * 100003 + k); rand(); print rand() * most}')
}

expect_status 0 begin whole
whole=$(logged)
[ "$whole" -ge 12 ] && [ "$whole" -le 18 ] || complain "$whole evaluations"
"$zilch" export whole >whole.csv

# ---- kill -9

# Generations of 16 points, so that whoever loses one loses more than the 3 evaluations under way.
long()
{
  ${instead:-} "$zilch" optimize --program "./evaluator $seconds" --plain --dim 3 --jobs 3 --evaluations 40 --population 16 --elites 4 \
    --refinement no --final-evaluations 6 --final-candidates 2 --study "$1"
}
: >"$ZILCH_TEST_LOG"
expect_status 0 long calm
calm=$(logged)
"$zilch" export calm >calm.csv
"$zilch" best calm >calm.best
met=0
all_repeated=0
while [ "$met" -lt "$kills" ]; do
  rm -f killed killed-*
  : >"$ZILCH_TEST_LOG"
  here=0
  is_over=0
  while [ "$is_over" -eq 0 ]; do
    (instead=exec long killed) >"$out" 2>"$err" &
    pid=$!
    random "$(awk -v s="$seconds" 'BEGIN {print 4 * s}')"
    sleep "$moment"
    if [ "$met" -lt "$kills" ] && kill -s KILL "$pid" 2>/dev/null; then here=$((here + 1)) met=$((met + 1)); fi
    status=0
    wait "$pid" 2>/dev/null || status=$?
    [ "$status" -ne 0 ] || is_over=1
    [ "$status" -eq 0 ] || [ "$status" -eq 137 ] || { complain "status $status after a kill"; break 2; }
  done
  repeated=$(($(logged) - calm))
  all_repeated=$((all_repeated + repeated))
  [ "$repeated" -le $((3 * here)) ] || complain "$repeated evaluations were repeated after $here kills, each with 3 under way"
  "$zilch" export killed >killed.csv
  expect_same calm.csv killed.csv
  "$zilch" best killed >killed.best
  expect_same calm.best killed.best
done
echo "$met kills, $all_repeated evaluations repeated"

# ---- Ctrl-C

# interrupt STUDY: the command in the background, until some evaluations were begun
interrupt()
{
  : >"$ZILCH_TEST_LOG"
  (exec env --default-signal=INT "$zilch" optimize --program "./evaluator $2" --plain --dim 3 --jobs 3 --evaluations 18 --population 6 \
    --elites 2 --refinement no --final-evaluations 6 --final-candidates 2 --study "$1") >"$out" 2>"$err" &
  pid=$!
  tries=0
  while [ "$(logged)" -lt 4 ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
  kill -s INT "$pid"
}
interrupt once "$seconds"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || complain "status $status after Ctrl-C"
begun=$(logged)
[ "$begun" -lt 12 ] || complain "it was not stopped: $begun evaluations"
expect_in_error 'zilch optimize: finishing the evaluations under way; press Ctrl-C again to stop now'
grep -qE '^zilch optimize: stopped (in the first generation; every evaluation that has ended is|after generation 1; it and every evaluation since are) recorded, and this goes on from there:$' "$err" ||
  complain 'it does not say that it stopped'
[ "$(tail -n 1 "$err")" = "zilch resume once --program './evaluator $seconds'" ] || complain 'not the line that resumes'
# What is kept, and not counted yet, is said.
expect_status 0 "$zilch" show once --run 1 --json
arrived=$(sed 's/.*"arrived": \([0-9]*\).*/\1/' "$out")
counted=$("$zilch" export once | sed 1d | wc -l)
[ $((arrived + counted)) -eq "$begun" ] || complain "$arrived values have come and $counted are counted, of $begun"
expect_status 0 "$zilch" show once --run 1
[ "$arrived" -eq 0 ] || expect_in_output "failed; $arrived more since the last generation"
expect_status 0 "$zilch" resume once --program "./evaluator $seconds"
[ "$(logged)" -eq "$whole" ] || complain "$(logged) evaluations in all, not $whole"
"$zilch" export once >once.csv
expect_same whole.csv once.csv

# The second time it says so too, and waits for nobody.
interrupt twice 0.5
sleep 0.2
kill -s INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || complain "status $status after Ctrl-C, twice"
expect_in_error 'zilch optimize: stopped; what was recorded is safe, and this goes on from there:'
[ "$(tail -n 1 "$err")" = "zilch resume twice --program './evaluator 0.5'" ] || complain 'not the line that resumes, the second time'

# ---- The same request again

: >"$ZILCH_TEST_LOG"
expect_status 0 begin whole
[ "$(logged)" -eq 0 ] || complain "$(logged) evaluations for a result that was there"
expect_in_error 'run 1 of whole has ended with this very request'
expect_in_output 'stopped by: evaluations'
expect_status 0 begin whole --evaluations 24
more=$(logged)
[ "$more" -gt 0 ] && [ "$more" -le 12 ] || complain "$more evaluations for 6 more and a final check"
expect_in_output 'goes on from generation '
: >"$ZILCH_TEST_LOG"
expect_status 0 begin whole --evaluations 24
[ "$(logged)" -eq 0 ] || complain "$(logged) evaluations for a result that was there, with more of them"
[ "$("$zilch" show whole --json | tr ',' '\n' | grep -c '"run":')" -eq 1 ] || complain 'another run'
expect_status 0 "$zilch" optimize --problem sphere --dim 10 --evaluations 200 --study several
expect_status 0 "$zilch" optimize --problem sphere --dim 10 --evaluations 100 --study several # less is another run
expect_in_output 'study: several, run 2'
expect_status 0 "$zilch" optimize --problem sphere --dim 10 --evaluations 200 --seed 2 --study several
expect_in_output 'study: several, run 3'
verdict
