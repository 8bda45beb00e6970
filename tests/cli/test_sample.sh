#!/bin/sh
# zilch sample: what is drawn, where it goes, and that a seed gives the same points again.
. "$(dirname "$0")/lib.sh"

printf '1,0,7\n0,2,7\n3,0,7\n4,5,7\n0,1,7\n2,2,7\n' >data.csv
expect_status 0 "$zilch" fit data.csv -o model

# The defaults: 1000 points of seed 1, to stdout.
expect_status 0 "$zilch" sample model
cp "$out" first.csv
[ "$(wc -l <first.csv)" -eq 1000 ] || complain 'not 1000 points'
expect_in_error 'zilch sample: seed 1'
expect_status 0 "$zilch" sample model -n 1000 --seed 1 -o file.csv
expect_in_error 'zilch sample: seed 1'
[ ! -s "$out" ] || complain 'something on stdout'
expect_same first.csv file.csv
expect_status 0 "$zilch" sample model -n 1e3 --seed=1 -o -
expect_same first.csv "$out"
expect_no_file ./-

# Fewer points are the first ones of more, across the chunks in which they are drawn.
expect_status 0 "$zilch" sample model -n 10000 -o more.csv
head -n 1000 more.csv >"$scratch/io/head"
expect_same first.csv "$scratch/io/head"
[ "$(wc -l <more.csv)" -eq 10000 ] || complain 'not 10000 points'

# Another seed, other points; the largest seed is one.
expect_status 0 "$zilch" sample model --seed 2
! cmp -s first.csv "$out" || complain 'seeds 1 and 2 give the same points'
expect_status 0 "$zilch" sample model -n 1 --seed 18446744073709551615
expect_in_error 'seed 18446744073709551615'

# Exact zeros as 0, the constant column as it was; some rows are mixed.
awk -F, 'NF != 3 || $3 != "7" || /(^|,)-0(,|$)|nan|inf/ {bad = 1} $1 == "0" {zeros++}
  END {exit bad || zeros < 200 || zeros > 500}' first.csv || complain 'not the points of this law'

# What is written can be read: CSV and .npy hold the same numbers to the last bit.
expect_status 0 "$zilch" sample model -o file.npy
[ "$(head -c 6 file.npy | od -An -tx1 | tr -d ' \n')" = 934e554d5059 ] || complain 'not .npy'
[ "$(wc -c <file.npy)" -eq $((128 + 1000 * 3 * 8)) ] || complain 'not the size of 1000 x 3 doubles behind 128 bytes'
expect_status 0 "$zilch" fit file.csv -o from_csv
expect_status 0 "$zilch" fit file.npy -o from_npy
expect_same from_csv from_npy
if [ -n "$numpy" ]; then
  expect_status 0 "$numpy" -c '
import numpy as np
x, y = np.load("file.npy"), np.loadtxt("file.csv", delimiter=",")
assert x.dtype == np.float64 and x.shape == (1000, 3) and x.flags.c_contiguous and (x == y).all()
assert not np.signbit(x[x == 0]).any()'
fi

# A pipe that closes early ends in silence; a device that is full is an error.
expect_status 0 sh -c '{ "$0" sample model -n 100000; echo $? >pipe_status; } 2>pipe_error | head -n 1' "$zilch"
[ "$(wc -l <"$out")" -eq 1 ] || complain 'head did not get its line'
[ "$(cat pipe_status)" -eq 141 ] || complain "a closed pipe has status $(cat pipe_status), not 141"
[ ! -s pipe_error ] || complain "said of the closed pipe: $(cat pipe_error)"
expect_failure 'cannot write to standard output: No space left on device' sh -c '"$0" sample model >/dev/full' "$zilch"
expect_failure 'cannot write to standard output' sh -c '"$0" sample model >&-' "$zilch"

for value in 0 -1 1.5 1e13 nan x '' 99999999999999999999; do
  expect_status 2 "$zilch" sample model -n "$value" -o new
  expect_in_error "--rows: '$value' is not a whole number from 1 to 1000000000000"
done
expect_status 2 "$zilch" sample model --seed 18446744073709551616 -o new
expect_in_error "Try 'zilch sample --help'."
expect_no_file new
# Stopped half-way, it takes the file back and ends by the signal.
for signal in INT TERM; do
  mkdir "stopped_$signal"
  status=0
  # A shell makes background jobs ignore INT; env brings the default back.
  env --default-signal=INT,TERM "$zilch" sample model -n 1e9 -o "stopped_$signal/points.npy" >"$out" 2>"$err" &
  pid=$!
  tries=0
  while [ -z "$(ls -A "stopped_$signal")" ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -s "$signal" "$pid"
  wait "$pid" || status=$?
  [ "$status" -gt 128 ] || complain "status $status after SIG$signal"
  [ -z "$(ls -A "stopped_$signal")" ] || complain "left behind: $(ls -A "stopped_$signal")"
done
cp model same
expect_status 2 "$zilch" sample same -o same
expect_in_error 'the model itself'
verdict
