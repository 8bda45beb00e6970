#!/bin/sh
# The command on several ranks: the same studies as by one process, whatever happens to a rank.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../mpi/lib.sh"

# expect_same_print FILE FILE STUDY STUDY: what was printed, but for the studies' names
expect_same_print()
{
  sed "s/\<$4\>/$3/g" "$2" | cmp -s "$1" - || complain "$2 is not $1"
}
# has_run STUDY RUN GENERATION: it is recorded
has_run()
{
  "$zilch" export "$1" --generations 2>/dev/null | grep -q "^$2,$3,"
}

# ---- The same studies -------------------------------------------------------------------------------------------
small='--population 60 --elites 20 --episodes 2 --held-out 20'
[ -n "${ZILCH_SANITIZE-}" ] || small= # as it is, it takes a while
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" lander --generations 5 $small --study one
  cp "$out" printed.1
  expect_status 0 ranks 3 "$zilch" lander --generations 5 $small --study three
}
[ ! -s "$err" ] || complain 'something on stderr'
expect_same_print printed.1 "$out" one three
expect_same_runs one three

sphere='optimize --problem sphere:dim=30,active=3,noise=0.1 --population 80 --elites 20 --generations 6'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $sphere --study sphere.1
  expect_status 0 ranks 2 "$zilch" $sphere --study sphere.2
  expect_same_runs sphere.1 sphere.2
  expect_status 0 ranks 4 "$zilch" $sphere --threads 2 --study sphere.4
  expect_same_runs sphere.1 sphere.4
  expect_status 0 ranks 1 "$zilch" $sphere --study sphere.3
  expect_same_runs sphere.1 sphere.3
}

# Begun by one process and finished by three ranks, and the other way round.
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $sphere --generations 2 --study part.1
  expect_status 0 ranks 3 "$zilch" resume part.1 --generations 6 --threads 1
  expect_in_output 'goes on from generation 2'
  expect_status 0 ranks 3 "$zilch" $sphere --generations 2 --study part.2
  expect_status 0 "$zilch" resume part.2 --generations 6
}
expect_same_runs sphere.1 part.1
expect_same_runs sphere.1 part.2

# Several runs of several methods; times differ.
compare='compare --problem sphere:dim=20,noise=0.1 --methods default+population=60+elites=20,published+population=60+elites=20
  --seeds 2 --generations 3 --at 2 --held-out 50'
untimed()
{
  /usr/bin/python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print({k: v for k, v in row.items() if "seconds" not in k})'
}
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $compare --csv --study compare.1
  untimed <"$out" >table.1
  expect_status 0 ranks 3 "$zilch" $compare --csv --study compare.2
  untimed <"$out" >table.2
  [ "$(wc -l <table.1)" -ge 4 ] || complain 'no table'
  expect_same table.1 table.2
  expect_same_runs compare.1 compare.2
  expect_status 0 ranks 2 "$zilch" compare --problem lander:episodes=1 --methods default+population=40+elites=10 --seeds 1 --generations 2 --held-out 30
}

# A regression: each rank reads the data by itself. One that cannot, says so through rank 0.
awk 'BEGIN {for (i = 1; i < 40; i++) print i % 7 "," i % 5 "," i % 3 "," (i % 5) * 2 + 1}' >data.csv
linear='optimize --problem linear --data data.csv --population 20 --elites 5 --generations 2'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $linear --study data.1
  expect_status 0 ranks 2 "$zilch" $linear --study data.2
  expect_same_runs data.1 data.2
  status=0
  ranks 1 "$zilch" $linear --study data.3 : -n 2 sh -c 'cd / && exec "$@"' sh "$zilch" $linear >"$out" 2>"$err" || status=$?
}
[ "$status" -eq 1 ] || complain "status $status where a rank has no data"
expect_in_error 'zilch optimize: rank 1 cannot open the problem: data.csv: cannot open'
[ "$(grep -c '^zilch' "$err")" -eq 1 ] || complain 'said more than once'

# ---- Said once ----------------------------------------------------------------------------------------------------
expect_status 2 ranks 3 "$zilch" lander --generatins 5
[ "$(grep -c "unknown option '--generatins'" "$err")" -eq 1 ] || complain 'a wrong option is not named once'
expect_status 0 ranks 3 "$zilch" show one
"$zilch" show one | cmp -s - "$out" || complain 'show prints something else on three ranks'
expect_status 0 ranks 2 "$zilch" --version
[ "$(wc -l <"$out")" -eq 1 ] || complain 'the version is not printed once'

# Processes that were started as one, but of which MPI does not know, would all write the same study.
expect_failure 'MPI knows of this one only' env PMI_SIZE=3 PMI_RANK=0 "$zilch" lander --study strangers
expect_status 1 env PMI_SIZE=3 PMI_RANK=1 "$zilch" lander --study strangers
[ ! -s "$err" ] || complain 'another rank speaks too'
expect_no_file strangers
alone=${ALONE:?the program}
for told in 'OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK' 'PMI_SIZE=3 PMI_RANK' 'SLURM_STEP_NUM_TASKS=3 SLURM_PROCID'; do
  # shellcheck disable=SC2086 # words
  expect_failure 'built without MPI; install it' env $told=0 "$alone"
  # shellcheck disable=SC2086 # words
  expect_status 1 env $told=2 "$alone"
  [ ! -s "$err" ] || complain 'another rank speaks too'
done
for told in OMPI_COMM_WORLD_SIZE=1 SLURM_NTASKS=3 SLURM_PROCID=0; do
  expect_status 0 env "$told" "$alone"
  expect_output runs
done

# A program that a study names starts on no rank, unless somebody says so.
cat >evaluate.sh <<'SH'
echo started >>started
exec awk '{s = ($1 - 1)^2 + $2^2; printf "%.17g\n", s}'
SH
expect_status 0 "$zilch" optimize --program 'sh evaluate.sh' --plain --once --dim 2 --population 10 --elites 3 --final-evaluations 3 --final-pruning no \
  --generations 2 --jobs 1 --study evaluated
rm -f started
expect_status 1 ranks 3 "$zilch" resume evaluated --generations 3
[ "$(grep -c "^zilch resume evaluated --program 'sh evaluate.sh' --generations 3$" "$err")" -eq 1 ] || complain 'not the line that resumes, once'
expect_no_file started
expect_status 0 ranks 3 "$zilch" resume evaluated --generations 3 --program 'sh evaluate.sh'
expect_file started

# ---- A rank that dies -----------------------------------------------------------------------------------------------
lander='lander --population 100 --elites 20 --episodes 2 --held-out 20 --final-evaluations 60 --generations 12'
# shellcheck disable=SC2086 # words
expect_status 0 "$zilch" $lander --study whole
# begin STUDY WORD...: three ranks in the background, whose process ids go to files, that have recorded two generations
begin()
{
  study=$1
  shift
  rm -f pid.*
  ranks 3 sh -c 'echo $$ >"pid.$OMPI_COMM_WORLD_RANK"; exec "$@"' sh "$zilch" "$@" >"$out" 2>"$err" &
  started=$!
  tries=0
  while ! has_run "$study" 1 2 && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
}
# expect_no_rank: of those begun none is left. A rank that waits for the others ends two seconds after it was asked to,
# if nobody kills it before.
expect_no_rank()
{
  for file in pid.*; do
    tries=0
    while kill -s 0 "$(cat "$file")" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
    [ $tries -lt 100 ] || complain "$file is left behind"
  done
}
# ending: waits for what was begun, and gives its status
ending()
{
  status=0
  wait "$started" || status=$?
}
# shellcheck disable=SC2086 # words
begin killed $lander --study killed --generations 100000
kill -s KILL "$(cat pid.2)"
ending
[ "$status" -ne 0 ] || complain 'status 0 after a rank has died'
expect_no_rank
expect_in_error 'rank 2 '
expect_in_error 'zilch lander: stopped from outside, as when a rank has died; generation '
grep -qx 'zilch resume killed' "$err" || complain 'not the line that resumes'
expect_status 0 ranks 2 "$zilch" resume killed --generations 12
expect_same_runs whole killed

# Rank 0 itself; there is nobody left to say how it goes on.
# shellcheck disable=SC2086 # words
begin first $lander --study first --generations 100000
kill -s KILL "$(cat pid.0)"
ending
[ "$status" -ne 0 ] || complain 'status 0 after rank 0 has died'
expect_no_rank
expect_status 0 "$zilch" resume first --generations 12
expect_same_runs whole first

# SIGUSR1, which mpirun hands on, ends the evaluations under way.
# shellcheck disable=SC2086 # words
begin asked $lander --study asked --generations 100000
kill -s USR1 "$(cat pid.1)" "$(cat pid.0)"
ending
[ "$status" -ne 0 ] || complain 'status 0 after SIGUSR1'
expect_no_rank
expect_in_error 'zilch lander: finishing the evaluations under way'
grep -qE '^zilch lander: stopped after generation [0-9]+; it and every evaluation since are recorded, and this goes on from there:$' "$err" ||
  complain 'it does not say that it stopped'
expect_status 0 "$zilch" resume asked --generations 12
expect_same_runs whole asked

# A comparison goes on as well.
# shellcheck disable=SC2086 # words
begin contest $compare --generations 400 --study contest
kill -s KILL "$(cat pid.1)"
ending
[ "$status" -ne 0 ] || complain 'status 0 of a comparison after a rank has died'
expect_no_rank
expect_in_error 'zilch compare: stopped from outside, as when a rank has died; all is kept, and the same command goes on'
verdict
