#!/bin/sh
# A comparison loses no evaluation: after kill -9 at random moments at most the evaluations under way are repeated, and what is
# kept is that of a comparison that nobody stopped. The words of a failed evaluation are on the disk with it.
. "$(dirname "$0")/lib.sh"
kills=${ZILCH_KILLS:-6}
seconds=0.12 # a little more than what is written at once

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
logged() { wc -l <"$ZILCH_TEST_LOG"; }

# ---- Programs

# Two runs side by side, each with one program and generations of eight points.
small='population=8+elites=2+final-evaluations=4+final-candidates=2'
own()
{
  study=$1
  shift
  ${instead:-} "$zilch" compare --program "./evaluator $seconds" --plain --dim 3 --methods "default+refinement=no+$small,ea+$small" --seeds 1 \
    --evaluations 20 --jobs 2 --at 8 --study "$study" "$@"
}
# The times of generations differ.
kept()
{
  "$zilch" export "$1"
  "$zilch" best "$1" --run 1
  "$zilch" best "$1" --run 2
}
: >"$ZILCH_TEST_LOG"
expect_status 0 own whole
whole=$(logged)
kept whole >whole.csv
met=0
while [ "$met" -lt "$kills" ]; do
  rm -f killed killed-*
  : >"$ZILCH_TEST_LOG"
  here=0
  is_over=0
  while [ "$is_over" -eq 0 ]; do
    (instead=exec own killed) >"$out" 2>"$err" &
    pid=$!
    # In the midst of a generation, most likely.
    sleep "$(awk -v k="$met" 'BEGIN {print 0.7 + 0.1 * (k % 5)}')"
    if [ "$met" -lt "$kills" ] && kill -s KILL "$pid" 2>/dev/null; then here=$((here + 1)) met=$((met + 1)); fi
    status=0
    wait "$pid" 2>/dev/null || status=$?
    [ "$status" -ne 0 ] || is_over=1
    [ "$status" -eq 0 ] || [ "$status" -eq 137 ] || { complain "status $status after a kill"; break 2; }
  done
  repeated=$(($(logged) - whole))
  [ "$repeated" -le $((2 * here)) ] || complain "$repeated evaluations were repeated after $here kills, each with 2 under way"
  kept killed >killed.csv
  expect_same whole.csv killed.csv
done

# ---- Ctrl-C

# A problem of zilch, with generations that take seconds: it ends in the midst of one, and goes on from there.
long()
{
  study=$1
  shift
  ${instead:-} "$zilch" compare --problem lander --methods published+population=400+elites=40 --seeds 2 --generations 2 --threads 2 \
    --held-out 50 --study "$study" "$@"
}
expect_status 0 long calm --csv
cut -d, -f1-10,12- "$out" >calm.csv
(instead="exec env --default-signal=INT" long stopped --csv) >"$out" 2>"$err" &
pid=$!
sleep 0.5
kill -s INT "$pid" 2>/dev/null || true
wait "$pid" 2>/dev/null || true
expect_status 0 long stopped --csv
cut -d, -f1-10,12- "$out" >stopped.csv
expect_same calm.csv stopped.csv
"$zilch" export calm >one
"$zilch" export stopped >other
expect_same one other

# ---- Words of failures

# The third point fails, the fifth never ends.
cat >failing <<'TEXT'
#!/bin/sh
while read -r line; do
  count=$((${count:-0} + 1))
  echo "$count" >>"$ZILCH_TEST_LOG"
  [ "$count" -lt 5 ] || sleep 60
  sleep "$1"
  if [ "$count" -eq 3 ]; then echo 'the mesh is broken' >&2; echo nan; else echo "$count"; fi
done
TEXT
chmod +x failing
# fails COMMAND...: killed while it waits for the fifth point
fails()
{
  : >"$ZILCH_TEST_LOG"
  "$@" >"$out" 2>"$err" &
  pid=$!
  tries=0
  while [ "$(logged)" -lt 5 ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
  kill -s KILL "$pid"
  wait "$pid" 2>/dev/null || true
}
fails "$zilch" optimize --program "./failing $seconds" --plain --dim 3 --evaluations 20 --population 8 --elites 2 --study alone
expect_status 0 "$zilch" export alone --failures
expect_in_output 'the mesh is broken'
fails "$zilch" compare --program "./failing $seconds" --plain --dim 3 --methods "ea+$small" --seeds 1 --evaluations 20 --study several
expect_status 0 "$zilch" export several --failures
expect_in_output 'the mesh is broken'
verdict
