#!/bin/sh
# Standard streams that are closed, and pipes that nobody reads: no file gets what was to be printed, no study is damaged.
. "$(dirname "$0")/lib.sh"
evaluator=${ZILCH_EVALUATOR:?the program to evaluate with}

awk 'BEGIN {print "a,b,c,y"; for (i = 1; i < 60; i++) for (j = 1; j <= 4; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 4 ? "," : "\n"}' >data.csv
small='--population 30 --elites 8 --generations 4'
mkdir usual
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" fit data.csv -o usual/law
  expect_status 0 "$zilch" optimize --problem smop1 --dim 5 $small --study usual/plain
  expect_status 0 "$zilch" lander --population 20 --elites 5 --generations 2 --episodes 1 --final-evaluations 20 --held-out 10 --study usual/flown
  expect_status 0 "$zilch" best usual/flown -o usual/formulas
  expect_status 0 "$zilch" ask usual/by_hand --dim 3 --population 8 --elites 3 -n 4
}

# ---- Standard streams that are closed: no file lands where something is printed or read.
mkdir closed
cp usual/law usual/plain usual/flown usual/by_hand usual/formulas data.csv closed
# Of each command in turn others are tried, and all of the first.
combinations='<&- >&- 2>&- <&-_>&- <&-_2>&- >&-_2>&- <&-_>&-_2>&-'
# expect_closed FILES STATUS WORDS...: in a copy of the folder, with each combination closed; STATUS is what it is without a
# place to print to. FILES are made as with all of them open.
expect_closed()
{
  files=$1
  without=$2
  shift 2
  rm -rf open
  cp -r closed open
  expect_status 0 sh -c 'cd open && exec "$@"' sh "$zilch" "$@"
  for streams in $combinations; do
    streams=$(printf '%s' "$streams" | tr _ ' ')
    rm -rf shut
    cp -r closed shut
    expected=0
    case $streams in *' >&-'* | '>&-'*) expected=$without ;; esac
    expect_status "$expected" sh -c "cd shut && exec \"\$@\" $streams" sh "$zilch" "$@"
    for file in $files; do expect_same "open/$file" "shut/$file"; done
    for file in law formulas data.csv plain flown by_hand; do expect_same "closed/$file" "shut/$file"; done
    [ "$(find open | wc -l)" -eq "$(find shut | wc -l)" ] || complain "other files ($streams): $*"
  done
}
expect_closed model 1 fit data.csv -o model
expect_closed points 0 sample law -o points
combinations='>&-_2>&- <&-_>&-_2>&- <&-'
expect_closed out.csv 0 export plain -o out.csv
expect_closed '' 1 export plain
expect_closed '' 1 show plain
expect_closed '' 1 best flown
expect_closed out 0 best flown -o out
expect_closed 'rows.csv scene.svg scene.html' 0 play --controller formulas -o rows.csv --svg scene.svg --html scene.html
expect_closed more 1 train -o more --examples 200 --epochs 2 --units 8 --batch 16
expect_closed '' 1 ask by_hand --waiting
# A study is not the same bytes twice; what is in it is.
for words in 'optimize --problem smop1 --dim 5' "optimize --dim 3 --program $evaluator\\ json" 'resume plain --generations 6' \
  'compare --problem smop1 --dim 5 --methods default,ea --seeds 1 --generations 2'; do
  rm -rf base
  for streams in '' '<&- >&- 2>&-' '>&- 2>&-' '<&-'; do
    rm -rf shut
    cp -r closed shut
    case $words in resume*) study=plain options= ;; compare*) study=new options='--study new' ;; *) study=new options="$small --study new" ;; esac
    status=0
    (cd shut && eval "exec \"\$zilch\" $words $options $streams") >"$out" 2>"$err" || status=$?
    case $streams in *'>&-'*) [ "$status" -eq 1 ] ;; *) [ "$status" -eq 0 ] ;; esac || complain "status $status ($streams): $words"
    "$zilch" export "shut/$study" >now || complain "$study is damaged ($streams): $words"
    [ -e base ] || cp now base
    expect_same base now
  done
done
if command -v gnuplot >/dev/null; then
  expect_closed 'page.html fig/return.svg' 1 report flown -o page.html --figures fig
  expect_closed 'fig/histogram.svg' 1 recover --models 1 -d 3 --rows 50 --figures fig
fi

# ---- A pipe that nobody reads any more: no word about it, the status that shells have for it, and what was to be kept is kept.
for words in 'export usual/flown' 'export usual/flown --json' 'sample usual/law -n 100000' 'play -n 3000' 'play --json -n 3000' 'show usual/plain' 'show usual/plain --json' 'best usual/flown' \
  'recover --models 2 -d 3 --rows 100' 'compare --problem smop1 --dim 5 --methods default,ea --seeds 1 --generations 1' 'ask usual/by_hand --waiting' '--help'; do
  for reader in 'head -n 1' true; do
    # shellcheck disable=SC2086 # words
    {
      status=0
      [ "$reader" != true ] || sleep 0.05 # so that it is gone
      "$zilch" $words 2>"$err" || status=$?
      echo "$status" >"$scratch/io/status"
    } | $reader >"$out"
    status=$(cat "$scratch/io/status")
    case $reader$status in true141 | head*0 | head*141) ;; *) complain "status $status: $words | $reader" ;; esac
    ! grep '^zilch' "$err" || complain "not in silence: $words | $reader"
  done
done
# What else keeps it from being written is said.
if [ -w /dev/full ]; then
  for words in 'show usual/plain' 'show usual/plain --json' 'sample usual/law -n 100000' '--help'; do
    # shellcheck disable=SC2086 # words
    expect_status 1 sh -c '"$@" >/dev/full' sh "$zilch" $words
    expect_in_error 'cannot write to standard output'
  done
fi
expect_status 0 "$zilch" optimize --problem smop1 --dim 20 --generations 12 --study heard
for how in '2>&1 | head -n 1' '2>&1 | true' '| true' '2>&1 >/dev/null | true'; do
  rm -f unheard*
  eval "\"\$zilch\" optimize --problem smop1 --dim 20 --generations 8 --study unheard $how" >"$out" 2>"$err" || :
  "$zilch" resume unheard --generations 12 >"$out" 2>"$err" || complain "cannot go on after: $how"
  "$zilch" export unheard >unheard.csv
  "$zilch" export heard | cmp -s - unheard.csv || complain "another search after: $how"
done
verdict
