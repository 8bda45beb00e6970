#!/bin/sh
# zilch resume: whatever stops a run, killed, interrupted, disk full, file locked or read-only, it goes on and ends
# as if nothing had happened.
. "$(dirname "$0")/lib.sh"

distribution='--refinement no --population 600 --elites 50'
# start STUDY OPTION...: the run that everything below is compared with, of some tenths of a second
start()
{
  path=$1
  shift
  # shellcheck disable=SC2086 # words
  set -- optimize --problem smop1 --dim 60 $searched --study "$path" "$@"
  exec env --default-signal=INT,TERM,HUP "$zilch" "$@"
}
# again STUDY OPTION...: goes on with it
again()
{
  path=$1
  shift
  exec env --default-signal=INT,TERM,HUP "$zilch" resume "$path" "$@"
}
# expect_whole STUDY RUN: its run is the one that was never interrupted
expect_whole()
{
  "$zilch" export "$1" --run "$2" | sed "s/^$2,/1,/" >exported
  expect_same whole.csv exported
  expect_status 0 "$zilch" best "$1" --run "$2"
  sed 1d "$out" | cmp -s whole.best - || complain "another best: $1"
}

# Killed again and again, each time a little later, until it has ended: before the study is there, before the
# first generation, between any two, at the end. A kill counts if it met a living process (status 137).
# kill_often GENERATIONS: that many has the whole run
kill_often()
{
  rm -f kill.study
  kills=0 halfway=0 delay=0 status=137
  while [ "$status" -eq 137 ] && [ "$delay" -lt 300 ]; do
    delay=$((delay + 1))
    if [ -e kill.study ] && "$zilch" export kill.study --generations >/dev/null 2>&1; then command=again; else command=start; fi
    ($command kill.study) >"$out" 2>"$err" &
    pid=$!
    sleep "$(printf '%d.%02d' $((delay / 100)) $((delay % 100)))"
    kill -s KILL "$pid" 2>/dev/null || :
    status=0
    wait "$pid" || status=$?
    [ "$status" -ne 137 ] || kills=$((kills + 1))
    recorded=$("$zilch" export kill.study --generations 2>/dev/null | wc -l)
    if [ "$status" -eq 137 ] && [ "$recorded" -gt 1 ] && [ "$recorded" -le "$1" ]; then halfway=$((halfway + 1)); fi
  done
  # A kill between the run's end and the process's leaves nothing to go on with.
  [ "$status" -eq 0 ] || grep -q 'run 1 has ended' "$err" || complain "status $status after kills"
  [ "$kills" -gt 2 ] && [ "$halfway" -gt 0 ] || complain "only $kills kills, $halfway of them halfway"
  expect_whole kill.study 1
}
# whole: the run that was never interrupted
whole()
{
  rm -f whole
  (start whole) >printed
  "$zilch" export whole >whole.csv
  "$zilch" best whole | sed 1d >whole.best
}
# The default, in which the distribution and the refinement take turns.
searched='--evaluations 12000'
whole
generations=$("$zilch" export whole --generations | sed 1d | wc -l)
[ "$generations" -gt 100 ] || complain "only $generations generations"
kill_often "$generations"
# The distribution alone.
searched="$distribution --generations 30"
whole
[ "$(wc -l <whole.csv)" -eq 18001 ] || complain 'not the whole run'
kill_often 30

# Interrupted: the generation is finished, and the line that is printed goes on from it.
# has_begun STUDY: a generation is recorded
has_begun()
{
  "$zilch" export "$1" --generations 2>/dev/null | grep -q '^1,1,'
}
# interrupt SIGNAL STUDY: sends it once there is a generation; gives the status
interrupt()
{
  (start "$2" --generations 100000 --stagnation 0) >"$out" 2>"$err" &
  pid=$!
  tries=0
  while ! has_begun "$2" && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
  status=0
  kill -s "$1" "$pid"
  wait "$pid" || status=$?
}
mkdir "a folder"
interrupt INT "a folder/it's"
[ "$status" -eq 130 ] || complain "status $status after INT"
grep -qE '^zilch optimize: stopped after generation [1-9][0-9]*; it and every evaluation since are recorded, and this goes on from there:$' "$err" ||
  complain 'it does not say that it stopped'
[ "$(tail -n 1 "$err")" = "zilch resume 'a folder/it'\\''s'" ] || complain 'not the line that resumes'
[ "$(ls "a folder")" = "it's" ] || complain "left behind: $(ls "a folder")"
line=$(tail -n 1 "$err" | sed 's/^zilch/"$zilch"/')
generation=$(sed -n 's/.*after generation \([0-9]*\);.*/\1/p' "$err")
expect_status 0 eval "$line --generations $((generation + 2))"
expect_in_output "goes on from generation $generation"
expect_in_output "generations: $((generation + 2))"
interrupt TERM term
[ "$status" -eq 143 ] || complain "status $status after TERM"
expect_in_error 'zilch resume term'
interrupt HUP hup
[ "$status" -eq 129 ] || complain "status $status after HUP"

# Interrupted twice, it ends at once, in the midst of a long generation. It can go on all the same.
(exec env --default-signal=INT "$zilch" lander --refinement no --population 2000 --episodes 20000 --generations 2 --study twice) >"$out" 2>"$err" &
pid=$!
tries=0
while ! "$zilch" show twice >/dev/null 2>&1 && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -s INT "$pid"
sleep 0.2
kill -s INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || complain "status $status after two INT"
[ "$(cat "$err")" = "$(printf '%s\n' 'zilch lander: finishing the evaluations under way; press Ctrl-C again to stop now' \
  'zilch lander: stopped; what was recorded is safe, and this goes on from there:' 'zilch resume twice')" ] || complain 'it did not end at once'
expect_status 0 "$zilch" show twice
expect_in_output 'not ended'

# Interrupted while it recommends or flies, it stops in the midst of that, which is all that is left to do.
# stop_ending OPTION...: starts with an ending of minutes, and interrupts that
stop_ending()
{
  rm -f ending
  (exec env --default-signal=INT "$zilch" lander --refinement no --population 20 --elites 5 --generations 2 --episodes 1 --study ending "$@") >"$out" 2>"$err" &
  pid=$!
  tries=0
  while ! "$zilch" export ending --generations 2>/dev/null | grep -q '^1,2,' && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
  sleep 0.3
  kill -s INT "$pid"
  begun=$(date +%s)
  status=0
  wait "$pid" || status=$?
  [ "$status" -eq 130 ] || complain "status $status after INT at the end"
  [ $(($(date +%s) - begun)) -le 5 ] || complain 'it did not stop at once'
  expect_in_error 'zilch lander: stopped after generation 2; it and every evaluation since are recorded, and this goes on from there:'
  [ "$(tail -n 1 "$err")" = 'zilch resume ending' ] || complain 'not the line that resumes'
}
stop_ending --held-out 1000000
stop_ending --final-evaluations 10000000 --final-candidates 20
expect_status 0 "$zilch" resume ending --final-evaluations 40 --held-out 7 --final-pruning no
expect_in_output 'goes on from generation 2'
expect_in_output 'generations: 2'
grep -qE '^recommended: value .* the mean of [0-9]+ new evaluations out of (3[0-9]|40) in the final check' "$out" || complain 'another number of evaluations'
expect_in_output 'in 7 episodes'
# What has ended may recommend anew.
expect_status 0 "$zilch" resume ending --final-evaluations 400
grep -qE ' in the final check, [0-9]+ more set to zero at the end$' "$out" || complain 'not pruned'
expect_status 0 "$zilch" resume ending --final-evaluations 400 --final-pruning no
grep -qE ' in the final check$' "$out" || complain 'pruned all the same'
expect_status 0 "$zilch" resume ending --final-evaluations 400 --final-pruning yes
grep -qE ' in the final check, [0-9]+ more set to zero at the end$' "$out" || complain 'not pruned'
expect_status 0 "$zilch" resume ending --final-evaluations 30 --final-candidates 30 --held-out 9
expect_in_output 'out of 30 in the final check'
expect_in_output 'in 9 episodes'
expect_status 2 "$zilch" resume ending --final-evaluations 10
expect_in_error '--final-evaluations 10: is less than --final-candidates 20'
expect_in_error "Try 'zilch resume --help'."
expect_status 2 "$zilch" resume whole --held-out 10
expect_in_error '--held-out is for the problem lander, not for smop1'

# What had ended goes on with new limits, and says them again when it is stopped; what was asked for once is the same
# as what was asked for in two parts.
# shellcheck disable=SC2086 # words
expect_status 0 "$zilch" optimize --problem smop1 --dim 60 $distribution --generations 7 --study parts
expect_failure 'parts: run 1 has ended, after 7 generations, by: generations; it goes on with new limits, such as --generations 14' \
  "$zilch" resume parts
expect_status 0 "$zilch" resume parts --evaluations 6600 --generations 0 --final-pruning no
expect_in_output 'stopped by: evaluations'
expect_in_output 'generations: 11'
expect_status 0 "$zilch" resume parts --generations 30 --threads 2
expect_in_output 'goes on from generation 11'
expect_status 0 "$zilch" optimize --problem smop1 --dim 5 --population 20 --elites 5 --evaluations 50 --study limited
expect_failure 'by: evaluations; it goes on with new limits, such as --evaluations 98' "$zilch" resume limited
expect_status 0 "$zilch" optimize --problem smop1 --dim 5 --population 20 --elites 5 --target 1e9 --seed 2 --study limited
expect_failure 'by: target; it goes on with new limits, such as a better --target' "$zilch" resume limited
expect_status 0 "$zilch" optimize --problem sphere:dim=4,active=0 --initial-p 0 --stagnation 2 --study limited
expect_failure 'by: stagnation; it goes on with new limits, such as a larger --stagnation' "$zilch" resume limited
expect_status 0 "$zilch" optimize --problem smop1 --dim 5 --population 20 --elites 5 --time 0 --seed 3 --study limited
expect_status 0 "$zilch" resume limited
expect_in_output 'goes on from generation 1'
expect_in_output 'stopped by: time'
expect_status 0 "$zilch" resume parts --generations 30
tail -n 12 printed | sed 's/^study: whole/study: parts/' >expected
tail -n 12 "$out" | cmp -s expected - || complain 'another result in parts'
expect_whole parts 1
"$zilch" resume parts --generations 1000000 --target -1 --final-pruning no >"$out" 2>"$err" &
pid=$!
sleep 1
kill -s TERM "$pid"
wait "$pid" || :
[ "$(tail -n 1 "$err")" = 'zilch resume parts --generations 1000000 --target -1 --final-pruning no' ] || complain 'the limits are lost'

# Another version is warned of; another problem, as a changed default would make it, is refused.
cp whole old
/usr/bin/python3 -c 'import sqlite3
with sqlite3.connect("old") as study: study.execute("UPDATE runs SET version = ?", ("0.0.1",))'
expect_status 0 "$zilch" resume old --generations 31
expect_in_error 'zilch resume: run 1 was begun by zilch 0.0.1, and this is '
/usr/bin/python3 -c 'import sqlite3
with sqlite3.connect("old") as study: study.execute("UPDATE runs SET problem = ?", ("smop1:dim=60,new=1",))'
expect_status 1 "$zilch" resume old --generations 32
expect_in_error 'what the study keeps of the run is not understood: --problem: smop1: "new" is not one of its settings'
/usr/bin/python3 -c 'import sqlite3
with sqlite3.connect("old") as study: study.execute("UPDATE runs SET problem = ?", ("smop1",))'
expect_status 1 "$zilch" resume old --generations 32
expect_in_error 'smop1:dim=100: has 100 coordinates, but the run has 60'

# Of several runs, the last that has not ended.
cp whole several
interrupt_second()
{
  (start several --generations 100000 --seed 2) >"$out" 2>"$err" &
  pid=$!
  tries=0
  while ! "$zilch" export several --generations | grep -q '^2,1,' && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
  kill -s INT "$pid"
  wait "$pid" || :
}
interrupt_second
[ "$(tail -n 1 "$err")" = 'zilch resume several --run 2' ] || complain 'the run is not named'
expect_status 0 "$zilch" optimize --problem smop1 --dim 20 --population 10 --elites 3 --generations 1 --study several
expect_status 0 "$zilch" resume several --evaluations 1
expect_in_output 'study: several, run 2'
expect_failure 'run 3 has ended' "$zilch" resume several

# A disk that is full: the last generation is lost, no more.
status=0
(
  ulimit -f 1200 # blocks of 512 or 1024 bytes
  start full
) >"$out" 2>"$err" || status=$?
[ "$status" -eq 1 ] || complain "status $status with a full disk"
expect_in_error 'zilch optimize: full: '
expect_in_error 'what was recorded is safe, and this goes on from there:'
[ "$(tail -n 1 "$err")" = 'zilch resume full' ] || complain 'not the line that resumes'
expect_status 0 "$zilch" resume full
expect_whole full 1

# A file that another program has locked, for longer than one waits.
cp whole locked
/usr/bin/python3 - <<'PYTHON' &
import os, sqlite3, time
study = sqlite3.connect("locked", isolation_level=None)
study.execute("BEGIN EXCLUSIVE")
open("is_locked", "w").close()
for _ in range(1200):
    if os.path.exists("is_over"): break
    time.sleep(0.05)
PYTHON
tries=0
while [ ! -e is_locked ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
expect_status 1 "$zilch" resume locked --generations 32
touch is_over
wait
expect_in_error 'zilch resume: locked: '
expect_in_error 'locked'
expect_status 0 "$zilch" resume locked --generations 32

# A file that may only be read. Root may do everything, so somebody else tries.
cp whole read_only
chmod 444 read_only
chmod 755 "$scratch" "$scratch/work"
as_somebody=
if [ "$(id -u)" -eq 0 ]; then as_somebody='setpriv --reuid=65534 --regid=65534 --clear-groups'; fi
if $as_somebody "$zilch" --version >/dev/null 2>&1; then
  # shellcheck disable=SC2086 # words
  expect_status 1 $as_somebody "$zilch" resume read_only --generations 32
  expect_in_error 'zilch resume: read_only: '
  # shellcheck disable=SC2086 # words
  expect_status 1 $as_somebody "$zilch" optimize --problem smop1 --dim 5 --study read_only
  expect_in_error 'zilch optimize: read_only: '
  expect_same whole read_only
  # shellcheck disable=SC2086 # words
  expect_status 0 $as_somebody "$zilch" show read_only
fi

# Data must be what they were; where one stands does not matter.
awk 'BEGIN {for (i = 1; i < 40; i++) print i % 7 "," i % 5 "," i % 3 "," (i % 5) * 2 + 1}' >data.csv
cp data.csv kept.csv
expect_status 0 "$zilch" optimize --problem linear --data data.csv --population 10 --elites 3 --generations 2 --study data
expect_status 0 sh -c 'cd / && "$0" resume "$1/data" --generations 3' "$zilch" "$PWD"
sed -i '1s/1/2/' data.csv
expect_failure 'data.csv: is not as it was when the run began; only the same data can go on' \
  "$zilch" resume data --generations 4
rm data.csv
expect_failure 'data.csv: cannot open' "$zilch" resume data --generations 4
cp kept.csv data.csv
expect_status 0 "$zilch" resume data --generations 4
# What was read once need not be there again.
awk 'BEGIN {for (i = 0; i < 8; i++) print 1 + i / 100 ",0,0," 5 + i}' >warm.csv
printf '0,2\n0,2\n0,2\n' >bounds.csv
printf '0.1\n0.2\n0.3\n' >penalties.csv
expect_status 0 "$zilch" optimize --problem smop1 --dim 3 --population 10 --elites 3 --generations 2 --study warm \
  --warm-start warm.csv --bounds-file bounds.csv --penalty-file penalties.csv
rm warm.csv bounds.csv penalties.csv
expect_status 0 "$zilch" resume warm --generations 4
verdict
