#!/bin/sh
# kill -9 at random points of every command that takes long or writes: what is on the disk is the old or the new, whole;
# a search that goes on ends as if nothing had happened; no evaluator is left. By hand, hundreds of them:
#     ZILCH_KILLS=20 ZILCH_SEED=7 ctest --preset release -R cli_kill -V
. "$(dirname "$0")/lib.sh"
evaluator=${ZILCH_EVALUATOR:?the program to evaluate with}
rounds=${ZILCH_KILLS:-1} # of each command
seed=${ZILCH_SEED:-1}    # of the points in time
export ZILCH_TEST_LOG="$scratch/log"
kills=0 met=0

# timed COMMAND...: to its end; takes $seconds
timed()
{
  begin=$(date +%s%N)
  expect_status 0 "$@"
  seconds=$(awk -v a="$begin" -v b="$(date +%s%N)" 'BEGIN {print (b - a) / 1e9}')
}

# killed FOLDER COMMAND...: in the folder, at a random point of $seconds
killed()
{
  kills=$((kills + 1))
  delay=$(awk -v s="$seconds" -v k="$kills" -v seed="$seed" 'BEGIN {srand(seed * 100003 + k); rand(); print rand() * s}')
  (
    cd "$1" || exit 1
    shift
    exec "$@"
  ) >"$out" 2>"$err" &
  pid=$!
  sleep "$delay"
  kill -s KILL "$pid" 2>/dev/null || :
  status=0
  wait "$pid" 2>/dev/null || status=$?
  [ "$status" -ne 137 ] || met=$((met + 1))
}

is_anyone()
{
  # shellcheck disable=SC2013 # a number a line
  for pid in $(sed -n 's/^pid //p' "$ZILCH_TEST_LOG"); do
    if kill -0 "$pid" 2>/dev/null; then return 0; fi
  done
  return 1
}

# What was logged as started is gone, in five seconds at most.
expect_nobody()
{
  tries=0
  while is_anyone; do
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || { complain "left behind: $pid"; break; }
    sleep 0.1
  done
  : >"$ZILCH_TEST_LOG"
}

# finish STUDY COMMAND...: goes on with what is there, or begins
finish()
{
  if "$zilch" show "$1" >/dev/null 2>&1; then
    "$zilch" resume "$1" --trust >"$out" 2>"$err" || grep -q 'run 1 has ended' "$err" || complain "cannot go on: $*"
  else
    study=$1
    shift
    expect_status 0 "$@" --study "$study"
  fi
}

# ---- Searches: killed when they begin, killed when they go on

# search COMMAND...: without --study
search()
{
  : >"$ZILCH_TEST_LOG"
  rm -f whole
  timed "$@" --study whole
  "$zilch" export whole >whole.csv
  "$zilch" best whole >whole.best
  expect_nobody
  round=0
  while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    rm -f killed killed-*
    killed . "$@" --study killed
    expect_nobody
    if "$zilch" show killed >/dev/null 2>&1; then killed . "$zilch" resume killed --trust; else killed . "$@" --study killed; fi
    expect_nobody
    finish killed "$@"
    expect_nobody
    "$zilch" export killed --run 1 >killed.csv
    expect_same whole.csv killed.csv
    "$zilch" best killed --run 1 >killed.best
    expect_same whole.best killed.best
  done
}
search "$zilch" lander --population 100 --elites 20 --generations 6 --episodes 1 --final-evaluations 100 --held-out 30
search "$zilch" optimize --problem smop1 --dim 40 --population 300 --elites 50 --generations 15
search "$zilch" optimize --program "$evaluator json sleep=1" --jobs 3 --dim 10 --population 60 --elites 15 --generations 5 \
  --final-pruning no --final-evaluations 20

# A comparison is begun again in the same words; its output is replaced at the end.
compare()
{
  "$zilch" compare --problem smop1 --dim 20 --methods default,ea --seeds 2 --generations 6 "$@"
}
rm -f whole
timed compare --study whole --csv -o runs.csv
"$zilch" export whole >whole.csv
round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  rm -f killed killed-*
  echo old >killed.csv
  killed . "$zilch" compare --problem smop1 --dim 20 --methods default,ea --seeds 2 --generations 6 --study killed --csv -o killed.csv
  [ "$(cat killed.csv)" = old ] || [ "$(wc -l <killed.csv)" -eq 5 ] || complain 'half a table'
  expect_status 0 compare --study killed --csv -o killed.csv
  [ "$(wc -l <killed.csv)" -eq 5 ] || complain 'no table'
  "$zilch" export killed >all.csv
  expect_same whole.csv all.csv
done

# By hand: what was handed out and told is there or is not, and the generation ends the same.
# tell_all STUDY: those that wait
tell_all()
{
  "$zilch" ask "$1" --waiting --csv | awk -F, 'NR > 1 {s = 0; for (i = 2; i <= NF; i++) s += $i * $i; printf "%d,%.17g\n", $1, s}' >values
}
by_hand()
{
  expect_status 0 "$zilch" ask "$1" --dim 3 --population 8 --elites 3 -n 1
  for generation in 1 2; do
    [ "$2" -eq 0 ] || killed . "$zilch" ask "$1"
    "$zilch" ask "$1" >/dev/null 2>&1 || :
    tell_all "$1"
    [ "$2" -eq 0 ] || killed . "$zilch" tell "$1" values
    tell_all "$1"
    if [ "$("$zilch" export "$1" --generations 2>/dev/null | tail -n 1 | cut -d, -f2)" != "$generation" ]; then
      expect_status 0 "$zilch" tell "$1" values
    fi
  done
  "$zilch" export "$1" >"$1.csv"
}
by_hand quiet 0
seconds=0.1
round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  rm -f disturbed disturbed-*
  by_hand disturbed 1
  expect_same quiet.csv disturbed.csv
done

# ---- Files

# is_whole FILE: a picture that ends as one does
is_whole()
{
  case $1 in
    *.svg) tail -c 16 "$1" | grep -q '</svg>' ;;
    *.png) tail -c 16 "$1" | grep -q IEND ;;
    *.pdf) tail -c 16 "$1" | grep -q '%%EOF' ;;
    *) false ;;
  esac
}

# writes 'FILE...' COMMAND...: the command, run in a folder, writes them
writes()
{
  files=$1
  shift
  rm -rf new
  mkdir new
  timed sh -c 'cd new && exec "$@"' sh "$@"
  for file in $files; do expect_file "new/$file"; done
  round=0
  while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf box
    mkdir box
    for file in $files; do
      mkdir -p "box/$(dirname "$file")"
      echo old >"box/$file"
    done
    killed box "$@"
    for file in $files; do
      [ "$(head -c 4 "box/$file")" = old ] || cmp -s "new/$file" "box/$file" || is_whole "box/$file" || complain "$file is neither old nor new: $*"
    done
    expect_status 0 sh -c 'cd box && exec "$@"' sh "$@"
    for file in $files; do
      cmp -s "new/$file" "box/$file" || is_whole "box/$file" || complain "$file is not new: $*"
    done
  done
}
awk 'BEGIN {for (i = 1; i < 3000; i++) for (j = 1; j <= 8; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 8 ? "," : "\n"}' >data.csv
expect_status 0 "$zilch" fit data.csv -o law
expect_status 0 "$zilch" lander --population 20 --elites 5 --generations 3 --episodes 1 --final-evaluations 20 --held-out 10 --study flown
writes model "$zilch" fit ../data.csv -o model
writes points.csv "$zilch" sample ../law -n 30000 -o points.csv
writes points.npy "$zilch" sample ../law -n 100000 -o points.npy
writes all.csv "$zilch" export ../whole -o all.csv
writes all.json "$zilch" export ../whole --json -o all.json
writes point "$zilch" best ../flown -o point
writes 'rows.csv scene.svg page.html' "$zilch" play -n 200 -o rows.csv --svg scene.svg --html page.html
if command -v gnuplot >/dev/null; then
  writes 'page.html fig/return.svg fig/return.png fig/return.pdf fig/run.svg fig/landing.png fig/landing.pdf' \
    "$zilch" report ../flown -o page.html --figures fig
  writes 'fig/histogram.svg fig/histogram.png fig/shift.pdf fig/recovered.svg fig/error.png' \
    "$zilch" recover --models 2 -d 5 --rows 1000 --figures fig
fi

# A training goes on from what is kept beside the weights, which end the same; what was there is whole until then.
train()
{
  "$zilch" train --examples 2000 --epochs 12 --units 8 "$@"
}
timed train -o weights
expect_status 0 train --seed 2 -o old
round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  rm -f killed killed.*
  cp old killed
  killed . "$zilch" train --examples 2000 --epochs 12 --units 8 -o killed
  cmp -s old killed || cmp -s weights killed || complain 'the weights are neither old nor new'
  killed . "$zilch" train --examples 2000 --epochs 12 --units 8 -o killed
  expect_status 0 train -o killed
  expect_same weights killed
done
echo "$kills kills, $met of them met a living process"
[ "$met" -gt $((kills / 3)) ] || complain "of $kills kills only $met met a living process"
verdict
