#!/bin/sh
# A study may come from somebody else. What it names is shown, but no program starts, nothing is written and nothing but
# a regular file is read, unless the person at the command line has said so.
. "$(dirname "$0")/lib.sh"

# Notes that it was started, and evaluates: the squared distance to (1, 0, 0).
cat >evaluate.sh <<'SH'
echo started >>started
exec awk '{s = ($1 - 1)^2; for (i = 2; i <= NF; i++) s += $i^2; printf "%.17g\n", s; fflush()}'
SH
program='sh ./evaluate.sh'
search()
{
  "$zilch" optimize --plain --once --dim 3 --population 10 --elites 3 --final-evaluations 3 --final-pruning no --generations 3 --jobs 1 "$@"
}
# expect_not_started: nobody has since the last time
expect_not_started()
{
  [ ! -e started ] || complain "was started: $*"
  rm -f started
}
# expect_started: somebody has
expect_started()
{
  [ -e started ] || complain "was not started: $*"
  rm -f started
}
# alter STUDY COLUMN TEXT [COLUMN TEXT]...: of all its runs
alter()
{
  /usr/bin/python3 - "$@" <<'PYTHON'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as study:
    for column, text in zip(sys.argv[2::2], sys.argv[3::2]):
        study.execute(f"UPDATE runs SET {column} = ?", (text,))
PYTHON
}
# keep STUDY KIND [NAME VALUE]...: these settings of this kind, and no others, in all its runs
keep()
{
  /usr/bin/python3 - "$@" <<'PYTHON'
import os, sqlite3, sys
with sqlite3.connect(sys.argv[1]) as study:
    study.execute("DELETE FROM settings WHERE kind = ?", (sys.argv[2],))
    for name, value in zip(sys.argv[3::2], sys.argv[4::2]):
        study.execute("INSERT INTO settings SELECT run, ?, ?, CAST(? AS TEXT) FROM runs", (sys.argv[2], name, os.fsencode(value)))
PYTHON
}

# ---- A program that is what it says

expect_status 0 search --program "$program" --study honest
expect_started
"$zilch" export honest >honest.csv
# What it is evaluated by is said everywhere, and starts nothing.
expect_status 0 "$zilch" show honest
expect_in_output "run 1: evaluated by the program: '$program'"
expect_status 0 "$zilch" show honest --run 1
expect_in_output "evaluated by the program: '$program'"
expect_status 0 "$zilch" best honest
expect_in_output "evaluated by the program: '$program'"
! grep -q disagree "$out" || complain 'it does not disagree'
for words in 'show honest' 'show honest --run 1' 'best honest'; do
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" $words --json
  expect_in_output "\"program\": \"$program\", \"program_agrees\": true"
done
"$zilch" report honest -o honest.html >"$out" 2>"$err" || :
grep -qF "evaluated by the program: &#39;$program&#39;" honest.html || complain 'the page does not name the program'
expect_not_started looking

# It goes on only if somebody says so, and says how.
cp honest before
expect_status 1 "$zilch" resume honest --generations 4 --final-pruning no
expect_in_error 'honest: run 1 is evaluated by a program, which is started only if you repeat it with --program, or say --trust'
expect_in_error 'nothing was started'
line="zilch resume honest --program '$program' --generations 4 --final-pruning no"
[ "$(tail -n 1 "$err")" = "$line" ] || complain 'not the line that goes on'
expect_not_started resume
for other in 'sh ./evaluate.sh ' 'sh evaluate.sh' 'true' ''; do
  expect_status 1 "$zilch" resume honest --generations 4 --trust --program "$other"
  expect_in_error 'honest: run 1 is evaluated by another program than the --program given'
  expect_in_error "--program '$program'"
  expect_not_started "$other"
done
expect_same honest before
# shellcheck disable=SC2016 # the inner shell's
expect_status 0 eval "$(printf '%s' "$line" | sed 's/^zilch/"$zilch"/')"
expect_started again
cp before trusted
expect_status 0 "$zilch" resume trusted --generations 4 --final-pruning no --trust
expect_started trust
"$zilch" export honest >first.csv
"$zilch" export trusted >second.csv
expect_same first.csv second.csv

# Without a program, --trust changes nothing and --program is wrong.
expect_status 0 "$zilch" optimize --problem sphere:dim=3,active=1 --population 10 --elites 3 --generations 2 --study named
expect_status 0 "$zilch" resume named --generations 3 --trust
expect_failure 'named: run 1 has no program, but the problem sphere:dim=3,active=1,noise=0; leave --program out' \
  "$zilch" resume named --generations 4 --program "$program"
expect_not_started named

# A run that is interrupted prints the command that goes on with it.
(exec env --default-signal=INT "$zilch" optimize --plain --once --dim 3 --population 10 --elites 3 --generations 0 --jobs 1 \
  --program "$program" --study cut) >"$out" 2>"$err" &
pid=$!
tries=0
while ! "$zilch" export cut --generations 2>/dev/null | grep -q '^1,1,' && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -s INT "$pid"
wait "$pid" || :
[ "$(tail -n 1 "$err")" = "zilch resume cut --program '$program'" ] || complain 'the program is not repeated'
rm -f started

# ---- A program behind another problem

expect_status 0 "$zilch" optimize --problem sphere:dim=3,active=1 --population 10 --elites 3 --generations 2 --study hidden
keep hidden problem program "$program" plain yes once yes
cp hidden before
for words in '' --trust "--program='$program'" '--trust --generations=9'; do
  # shellcheck disable=SC2016 # the inner shell's
  expect_failure 'hidden: run 1: its problem is sphere:dim=3,active=1,noise=0, but its settings name a program' \
    eval '"$zilch" resume hidden --final-evaluations 5' "$words"
  expect_not_started "hidden $words"
done
expect_same hidden before
for words in 'show hidden' 'show hidden --run 1' 'best hidden'; do
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" $words
  expect_in_output "evaluated by the program: '$program'"
  expect_in_output "its problem and its settings disagree about the program; 'zilch resume' refuses it"
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" $words --json
  expect_in_output "\"program\": \"$program\", \"program_agrees\": false"
done
"$zilch" report hidden -o hidden.html >"$out" 2>"$err" || :
grep -qF "evaluated by the program: &#39;$program&#39;" hidden.html || complain 'the page does not name the program'
grep -qF 'disagree about the program' hidden.html || complain 'the page does not warn'
expect_not_started looking
# The other way round: a problem that is a program, and none is named; nor by another kind of setting.
for kind in problem means option final limit; do
  for name in program Program pro; do
    cp before other
    alter other problem program
    keep other problem
    [ "$kind $name" = 'problem program' ] || keep other $kind $name "$program" plain yes once yes
    expect_status 1 "$zilch" resume other --final-evaluations 5 --trust
    grep -q 'its problem is program, but its settings name no program\|which this command does not know\|is no setting of a run' "$err" ||
      complain "not refused as it should be: $kind $name"
    expect_not_started "$kind $name"
  done
done
# What 0.1 called such a problem is none today.
cp before other
alter other problem "program:$program"
expect_failure "its problem is program:$program, but its settings name a program" "$zilch" resume other --final-evaluations 5 --trust
keep other problem
expect_status 1 "$zilch" resume other --final-evaluations 5 --trust
expect_in_error 'what the study keeps of the run is not understood: --problem: '
expect_not_started other

# What would deceive a reader is shown, and the line that is printed still is that program.
odd="$(printf 'sh -c "echo started >>started; exec sh evaluate.sh" \033[2K\342\200\256\t\\302\\240')"
cp before other
alter other problem program
keep other problem program "$odd" plain yes once yes
expect_status 1 "$zilch" resume other --final-evaluations 5
expect_not_started odd
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\200-\377]')" "$err" && complain 'control characters are printed'
# shellcheck disable=SC2016 # the inner shell's
line=$(tail -n 1 "$err" | sed 's/^zilch/"$zilch"/')
if command -v bash >/dev/null; then
  expect_status 0 env zilch="$zilch" bash -c "$line"
  expect_started odd
fi

# ---- Settings that are not a run's

# Help is nobody's answer, and another study is not looked at. What is said of the problem must be understood; the
# options are in the optimiser itself, whatever stands beside it.
for setting in 'help yes' 'study elsewhere' 'run 2' 'trust yes' 'output elsewhere' 'data elsewhere' 'nothing 1' 'price 3'; do
  for kind in option limit final means problem; do
    cp before other
    keep other problem
    # shellcheck disable=SC2086 # words
    keep other $kind $setting
    for words in "best other" 'show other' 'show other --run 1' 'resume other --final-evaluations 5'; do
      # shellcheck disable=SC2086 # words
      "$zilch" $words >"$out" 2>"$err" && status=0 || status=$?
      [ "$status" -le 1 ] || complain "status $status: $words with $kind $setting"
      ! grep -q Usage "$out" || complain "help instead of an answer: $words"
    done
    expect_no_file elsewhere
  done
  [ "$status" -eq 1 ] || complain "not refused: $kind $setting"
  grep -qE 'other: run 1: it (has the setting|uses) [a-z]+, which this (command|version) (does not know|no longer has)' "$err" ||
    complain "not the reason: $setting"
done
# Files that a search has read when it began are not opened again, and none is written.
mkfifo pipe
find . | sort >"$scratch/io/listed"
cp before other
keep other problem weights "$PWD/pipe" bounds_file "$PWD/pipe" penalty_file "$PWD/pipe" values_file "$PWD/pipe" warm_start "$PWD/pipe"
expect_status 0 timeout 20 "$zilch" resume other --final-evaluations 5
expect_status 0 timeout 20 "$zilch" best other
find . | sort | cmp -s - "$scratch/io/listed" || complain 'a file was made'

# Data are opened if they are a regular file, and nothing is waited for.
awk 'BEGIN {for (i = 1; i < 40; i++) print i % 7 "," i % 5 "," i % 3 "," (i % 5) * 2 + 1}' >data.csv
expect_status 0 "$zilch" optimize --problem linear --data data.csv --population 10 --elites 3 --generations 2 --study fitted
for path in "$PWD/pipe" /dev/tty /dev/zero "$PWD"; do
  cp fitted other
  alter other data "$path"
  expect_status 1 timeout 20 "$zilch" resume other --generations 3
  expect_in_error "$path: "
  expect_status 0 timeout 20 "$zilch" best other
  expect_in_error "$path: "
  expect_in_output 'column 2: used'
  expect_status 0 timeout 20 "$zilch" show other --run 1 --json
  timeout 20 "$zilch" report other -o other.html >"$out" 2>"$err" || [ $? -ne 124 ] || complain 'the report waits'
done
for path in '' -; do
  cp fitted other
  alter other data "$path"
  expect_failure 'other: run 1: it is a regression, but names no file with data' timeout 20 "$zilch" resume other --generations 3
  expect_status 0 timeout 20 "$zilch" best other
  expect_in_output 'column 2: used'
done
expect_failure 'pipe: is not a regular file' timeout 20 "$zilch" optimize --problem linear --data pipe --study new
expect_no_file new

# ---- A comparison goes by its own words, and by what its runs began with

compare()
{
  "$zilch" compare --problem sphere:dim=5,active=2 --methods a:default+population=20 --seeds 1 "$@"
}
expect_status 0 compare --generations 2 --study contest
expect_status 0 "$zilch" compare --problem sphere:dim=9,active=2 --methods a:default+population=20 --seeds 1 --generations 2 --study wider
alter wider problem sphere:dim=5,active=2,noise=0
cp wider before
expect_failure "run 1 is called 'a' too, but is of the problem sphere:dim=5,active=2,noise=0 with 9 coordinates" \
  compare --generations 3 --study wider
expect_same wider before
alter contest problem sphere:dim=5,active=3,noise=0
expect_failure "run 1 is called 'a' too, but is of the problem sphere:dim=5,active=3,noise=0" compare --generations 3 --study contest
verdict
