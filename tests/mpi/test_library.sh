#!/bin/sh
# An objective on several ranks, from a program (test_mpi.c): values, failures, searches; and that ranks are busy.
. "${0%/*}/../cli/lib.sh"
. "${0%/*}/lib.sh"
program=${TEST_MPI:?the program}

for count in 1 2 3 4 5; do
  expect_status 0 ranks "$count" "$program"
  grep '^search: ' "$out" >"search.$count" || complain "no search on $count ranks"
  expect_same search.1 "search.$count"
done

# Evaluations of 1 to 50 ms, uniformly: four ranks are busy 90 % of the time or more. They sleep, so that it does not
# matter how many processors there are; but where these have other things to do they may wake late, so the best of
# three counts. The same with the longest at the end, where equal shares would be busy 58 % of the time.
for lengths in busy rising; do
  tries=1
  until ranks 4 "$program" $lengths 300 >"$out" 2>"$err" || [ $tries -eq 3 ]; do
    cat "$out"
    tries=$((tries + 1))
  done
  grep -q '^ranks 4, points 300, parts 56, ' "$out" || complain 'not handed out as it should be'
  [ ! -s "$err" ] || complain "$lengths: not busy enough"
  cat "$out"
done

# A rank that waits leaves the processor to others.
expect_status 0 ranks 3 "$program" idle 2
cat "$out"

# The example, on one rank as on three.
expect_status 0 ranks 1 "${EXAMPLE_MPI:?the example}"
cp "$out" one
expect_status 0 ranks 3 "$EXAMPLE_MPI"
expect_same one "$out"
verdict
