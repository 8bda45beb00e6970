#!/bin/sh
# Writing fails, for every file that the command writes: by a limit on the size of files, on a disk that is full, on a
# device that is. Status 1, messages that name the file, the old file as it was, nothing left beside it.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {print "a,b,c,y"; for (i = 1; i < 60; i++) for (j = 1; j <= 4; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 4 ? "," : "\n"}' >data.csv
expect_status 0 "$zilch" fit data.csv -o law
expect_status 0 "$zilch" optimize --problem smop1 --dim 5 --population 20 --elites 5 --generations 3 --study plain
expect_status 0 "$zilch" optimize --problem linear --data data.csv --population 20 --elites 5 --generations 3 --study fitted
expect_status 0 "$zilch" lander --population 20 --elites 5 --generations 2 --episodes 1 --final-evaluations 20 --held-out 10 --study flown
expect_status 0 "$zilch" ask by_hand --dim 3 --population 8 --elites 3

# What writes, with OUT for the file: files first, then studies, then what draws.
methods='--problem smop1 --dim 5 --methods default,ea --seeds 2 --generations 2'
files="fit data.csv -o OUT
sample law -n 5000 -o OUT
sample law -n 5000 -o OUT.npy
export plain -o OUT
export plain --json -o OUT
export plain --generations -o OUT
best plain -o OUT
best fitted -o OUT
best flown -o OUT
ask by_hand --waiting -o OUT
play -n 500 -o OUT
play --json -n 100 -o OUT
play --trace -o OUT
play --svg OUT
play --html OUT
compare $methods -o OUT
compare $methods --csv -o OUT
compare $methods --json -o OUT
compare $methods --latex -o OUT"
studies="optimize --problem smop1 --dim 5 --population 20 --elites 5 --generations 2 --study OUT
lander --population 20 --elites 5 --generations 2 --episodes 1 --held-out 5 --final-evaluations 20 --study OUT
compare $methods --study OUT
ask OUT --dim 3"

# limited BLOCKS COMMAND...: no file grows beyond; what it says goes through a pipe, which is none
limited()
{
  blocks=$1
  shift
  {
    status=0
    sh -c 'ulimit -f "$0"; exec "$@"' "$blocks" "$@" 2>&1 >/dev/null || status=$?
    echo "$status" >"$scratch/io/status"
  } | cat >"$err"
  status=$(cat "$scratch/io/status")
}

# expect_unwritten HOW WORDS...: zilch cannot write $OUT, or writes it after all; counts those that cannot
expect_unwritten()
{
  how=$1
  shift
  : >"$out"
  rm -rf box/*
  echo old >box/old
  cp box/old box/old.npy
  $how "$zilch" "$@"
  [ "$status" -ne 0 ] || return 0
  [ "$status" -eq 1 ] || complain "status $status ($how): $*"
  ! grep -qv "^zilch $1: " "$err" || complain "not only messages ($how): $*"
  grep -q "$OUT" "$err" || grep -q "by_hand: " "$err" || complain "the file is not named ($how): $*"
  [ "$(ls -A box)" = "$(printf 'old\nold.npy')" ] || complain "left behind ($how): $(ls -A box): $*"
  [ "$(cat box/old box/old.npy)" = "$(printf 'old\nold')" ] || complain "the old file has changed ($how): $*"
  refused=$((refused + 1))
}

# each HOW LIST FILE...: every line of it, for each of the files
each()
{
  refused=0
  how_all=$1
  printf '%s\n' "$2" >"$scratch/io/list"
  shift 2
  while read -r line; do
    for OUT; do
      # shellcheck disable=SC2046 # words
      expect_unwritten "$how_all" $(printf '%s\n' "$line" | sed "s|OUT|$OUT|") </dev/null
    done
  done <"$scratch/io/list"
}
mkdir box
each 'limited 0' "$files" box/new box/old
[ "$refused" -eq 38 ] || complain "only $refused of 38 were refused"
each 'limited 1' "$files" box/new box/old
[ "$refused" -gt 20 ] || complain "only $refused were refused"
each 'limited 16' "$files" box/new box/old
[ "$refused" -gt 6 ] || complain "only $refused were refused"
for blocks in 0 1 4; do each "limited $blocks" 'train -o OUT --examples 200 --epochs 2 --units 8 --batch 16' box/new; done

# A study that cannot be made is not there. One that ends half filled says how it goes on, and does.
for blocks in 0 1 8 64; do each "limited $blocks" "$studies" box/new; done
for blocks in 200 250 300; do
  rm -rf box/*
  limited "$blocks" "$zilch" optimize --problem smop1 --dim 20 --population 200 --elites 40 --generations 8 --study box/new
  if [ "$status" -eq 0 ] || ! grep -q 'goes on from there' "$err"; then
    [ "$status" -eq 0 ] || [ ! -e box/new ] || complain "left behind with $blocks blocks: $(ls box)"
    continue
  fi
  expect_status 0 "$zilch" resume box/new
  expect_in_output 'generations: 8'
done

# Figures: none is half there, and a page is made of none that is. The scratch folder goes away with them, unless it
# holds data that could not be drawn for a page that was made.
if command -v gnuplot >/dev/null; then
  mkdir scratch
  export TMPDIR="$PWD/scratch"
  for blocks in 0 8 40 60 80 200; do
    rm -rf box/* scratch/*
    echo old >box/old
    limited "$blocks" "$zilch" report plain -o box/old --figures box/fig
    [ "$status" -eq 1 ] || [ "$blocks" -eq 200 ] || complain "status $status with $blocks blocks"
    ! grep -qv '^zilch report: ' "$err" || complain "not only messages with $blocks blocks"
    if [ "$(head -c 4 box/old)" = old ]; then expect_in_error 'box/old: '; else tail -n 1 box/old | grep -q '</html>' || complain 'half a page'; fi
    for picture in box/fig/*.svg box/fig/*.png box/fig/*.pdf; do
      case $(tail -c 16 "$picture" 2>/dev/null | tr -d '\000') in
        *'</svg>'* | *IEND* | *%%EOF* | '') ;;
        *) complain "$picture is half there with $blocks blocks" ;;
      esac
    done
    ! find box -name '*tmp*' | grep . || complain "left behind with $blocks blocks"
    limited "$blocks" "$zilch" report plain -o box/new
    [ -e box/new ] || [ -z "$(ls scratch)" ] || complain "the scratch folder is left with $blocks blocks"
  done
  unset TMPDIR
  rm -rf box/*
  limited 60 "$zilch" recover --models 1 -d 3 --rows 50 --figures box/fig
  [ "$status" -eq 1 ] || complain "recover: status $status"
  expect_in_error 'zilch recover: box/fig/'
  ! find box -name '*tmp*' | grep . || complain 'recover leaves something behind'
fi

# Devices, and standard output.
printf '%s\n' "$files" | grep -v npy >"$scratch/io/list"
while read -r line; do
  # shellcheck disable=SC2046 # words
  expect_status 1 "$zilch" $(printf '%s\n' "$line" | sed 's|OUT|/dev/full|') </dev/null
  [ "$(wc -l <"$err")" -eq 1 ] || complain "not one line on stderr: $line"
  expect_in_error '/dev/full: cannot write: No space left on device'
done <"$scratch/io/list"
# shellcheck disable=SC2086 # words
for line in 'fit data.csv -o model' 'sample law' 'export plain' 'export plain --json' 'best plain' 'best flown --json' 'best flown -o -' \
  'show plain' 'show law' 'show --json law' 'ask by_hand --waiting' 'play' 'play --json' 'play --trace' "compare $methods" \
  "compare $methods --latex" 'resume plain --generations 4' 'report plain -o page.html' 'recover --models 1 -d 3 --rows 50' \
  'recover --models 1 -d 3 --rows 50 --json' 'train -o some --examples 200 --epochs 2 --units 8 --batch 16' '--help' '--version' 'help fit' 'fit --help'; do
  expect_status 1 sh -c 'exec "$@" >/dev/full' sh "$zilch" $line
  expect_in_error 'cannot write to standard output'
  [ "$(grep -c '^zilch[ a-z]*: ' "$err")" -le 2 ] || complain "more than it takes on stderr: $line"
done

# A disk that is full. Not everybody may make one.
full_disk()
{
  status=0
  "$@" >"$out" 2>"$err" || status=$?
}
rm -rf box/*
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k zilch box 2>/dev/null; then
  trap 'cd /; umount "$scratch/work/box"; rm -rf "$scratch"' EXIT
  # filled HOW: a file that leaves so many kilobytes is put there again and again
  filled()
  {
    room=$1
    shift
    head -c $(((256 - 8 - room) * 1024)) /dev/zero >box/.filler 2>/dev/null || :
    full_disk "$@"
    rm -f box/.filler
  }
  each 'filled 0' "$(printf '%s\n' "$files" | grep -- '-n \|svg\|html\|json')" box/new box/old
  [ "$refused" -gt 8 ] || complain "only $refused were refused"
  for room in 0 4 16 28; do each "filled $room" "$studies" box/new; done
  # And a study on it can be read.
  rm -rf box/*
  cp plain box/study
  head -c 300000 /dev/zero >box/filler 2>/dev/null || :
  expect_status 0 "$zilch" show box/study
  expect_status 0 "$zilch" export box/study
  "$zilch" export plain | cmp -s - "$out" || complain 'another study on a full disk'
  expect_status 1 "$zilch" resume box/study --generations 9
  expect_in_error 'zilch resume: box/study: '
  rm box/filler
  expect_status 0 "$zilch" resume box/study --generations 4
else
  echo 'no full disk was tried: it takes root, and the right to mount'
fi
verdict
