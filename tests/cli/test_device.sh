#!/bin/sh
# --device cuda: the same bytes as the processor's, on a stand-in for a card (tests/cuda/standin.cpp); and what is said
# where there is no card, where it has too little memory, and where it is lost.
. "$(dirname "$0")/lib.sh"
card=${STANDIN:?a command whose card is none}

# expect_usage TEXT COMMAND...: refused, and nothing is left
expect_usage()
{
  text=$1
  shift
  expect_status 2 "$@"
  expect_in_error "$text"
  [ -z "$(ls)" ] || complain "left behind: $(ls)"
}

# ---- Without a card -------------------------------------------------------------------------------------------------
for words in 'play' 'lander --generations 1' 'optimize --problem lander --generations 1' 'compare --generations 1' 'bench lander'; do
  # shellcheck disable=SC2086 # words
  {
    expect_usage 'there is no NVIDIA graphics card with a driver here' env ZILCH_STANDIN_CARDS=0 "$card" $words --device cuda
    expect_in_error 'leave --device out to fly on the processor'
    expect_usage "'gpu' is not one of cpu|cuda" "$zilch" $words --device gpu
  }
done
# The command itself, wherever it runs.
status=0
"$zilch" play --device cuda --quiet >"$out" 2>"$err" || status=$?
case $status in
  0) ;;
  2) grep -qE 'built without CUDA.*-DZILCH_CUDA=ON|no NVIDIA graphics card|has no code for the card' "$err" || complain 'play: no reason' ;;
  *) complain "play --device cuda: status $status" ;;
esac

expect_usage '--device is for the problem lander' "$card" optimize --problem sphere --device cuda
expect_usage '--device: is for the problem lander' "$card" compare --problem sphere --methods default --device cuda
expect_usage '--device: is for the benchmark lander' "$card" bench search --device cuda
expect_usage '--device: one episode that is looked at' "$card" play --trace --device cuda

# ---- The same bytes -------------------------------------------------------------------------------------------------
for words in '--episodes 30 --seed 7' '--episodes 270 --wind --gravity=-9' '--controller heuristic --episodes 20' \
  '--episodes 5 --json'; do
  # shellcheck disable=SC2086 # words
  {
    expect_status 0 "$zilch" play -q $words
    cp "$out" own.out
    cp "$err" own.err
    expect_status 0 "$card" play -q $words --device cuda
  }
  expect_same own.out "$out"
  expect_same own.err "$err"
done

small='lander --population 20 --elites 8 --episodes 1 --held-out 10 --generations 3 --wind'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $small --study own
  sed 's/\<own\>/card/g' "$out" >own.out
  expect_status 0 "$card" $small --study card --device cuda
  expect_same own.out "$out"
  expect_same_runs own card
}

# ---- A card that is lost ----------------------------------------------------------------------------------------------
# In the midst of a run, which goes on with the processor or with a card. Nothing of what was recorded is done again.
# go_on LOST [WORD...]: lost after so many waits for it
go_on()
{
  rm -f lost*
  lost=$1
  shift
  # shellcheck disable=SC2086 # words
  expect_status 1 env ZILCH_STANDIN_LOST="$lost" "$card" $small --study lost --device cuda
  expect_in_error 'cuda: stand-in 0: the card failed: '
  expect_in_error 'what was recorded is safe, and this goes on from there:'
  expect_in_error 'zilch resume lost --device cuda'
  expect_status 0 "$card" resume lost "$@"
  expect_same_runs own lost
}
go_on 3
go_on 25 --device cuda
go_on 60

# Begun by the processor, finished by a card, which is not kept.
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $small --generations 1 --study part
  expect_status 0 "$card" resume part --generations 3 --device cuda
}
expect_same_runs own part
"$zilch" show part --json >"$out"
if grep -q cuda "$out"; then complain 'the study knows of the card'; fi
"$zilch" optimize --problem sphere:dim=10,active=1 --generations 2 --study sphere >"$out" 2>"$err"
expect_status 2 "$card" resume sphere --generations 4 --device cuda
expect_in_error '--device is for the problem lander'

# ---- A card with too little memory -------------------------------------------------------------------------------------
expect_status 1 env ZILCH_STANDIN_MEMORY=100000 "$card" play --episodes 100 --device cuda
expect_in_error 'cuda: stand-in 0: out of memory on the card: 100 worlds take '
# shellcheck disable=SC2086 # words
expect_status 1 env ZILCH_STANDIN_MEMORY=100000 "$card" $small --study poor --device cuda
expect_in_error 'out of memory on the card'
expect_in_error 'zilch resume poor --device cuda'
expect_status 0 "$zilch" resume poor
expect_same_runs own poor

# ---- Several runs at once -----------------------------------------------------------------------------------------------
# times are those of a processor, which a card takes less of
without_times()
{
  sed -E 's/"seconds": [^,}]*/"seconds": 0/g' "$1"
}
several='compare --problem lander:episodes=1 --methods default+population=20,ea+population=20 --generations 1 --seeds 2 --held-out 5 --json'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $several
  without_times "$out" >own.out
  expect_status 0 "$card" $several --device cuda --threads 3
}
without_times "$out" >card.out
expect_same own.out card.out
verdict
