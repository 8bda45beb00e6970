#!/bin/sh
# Where memory is limited, every command ends within seconds: it has done its work, or says what it could not get.
# OpenBLAS alone would try for ever.
. "$(dirname "$0")/lib.sh"
unset OPENBLAS_NUM_THREADS

# limited KILOBYTES COMMAND...: status 0, or 1 and a reason; 124 is one that does not end
limited()
{
  kilobytes=$1
  shift
  status=0
  rm -f study study-journal
  (ulimit -v "$kilobytes" && exec timeout -s KILL 60 "$zilch" "$@") >"$out" 2>"$err" || status=$?
  case $status in
    0) ended="$ended $kilobytes" ;;
    1) grep -qE 'out of memory|could not be allocated|[Cc]annot allocate' "$err" || complain "no reason: $*" ;;
    *) complain "status $status with $kilobytes kB: $*" ;;
  esac
}

seq 1 400 | awk '{printf "%s%s", sin($1 * $1), $1 % 10 ? "," : "\n"}' >x.csv
ended=
for size in 70000 150000 215000 230000 300000 500000; do
  limited $size --version
  [ "$status" -eq 0 ] || complain "not even its version with $size kB"
  # The refinement's equations have up to 20 megabytes.
  limited $size optimize --problem sphere:dim=50,active=3 --generations 3 --study study
  [ "$size" -lt 230000 ] || [ "$status" -eq 0 ] || complain "$size kB do not suffice for a search with the refinement"
  limited $size optimize --problem sphere:dim=50,active=3 --refinement no --population 500 --generations 3 --study study
  [ "$size" -lt 215000 ] || [ "$status" -eq 0 ] || complain "$size kB do not suffice for a search"
  [ "$status" -eq 0 ] || expect_in_error 'out of memory: OpenBLAS needs a buffer of 134217728 bytes'
  limited $size optimize --problem sphere:dim=20,active=3 --method gaussian --generations 3 --population 40 --study study
  limited $size lander --population 20 --generations 2 --held-out 10 --final-evaluations 20 --study study
  limited $size compare --problem sphere:dim=20,active=2 --methods 'a:default+population=40,b:default+population=41' \
    --seeds 4 --generations 5 --threads 4
  limited $size fit x.csv -o model
done
[ "$(echo "$ended" | tr ' ' '\n' | grep -c 500000)" -eq 7 ] || complain "500,000 kB are enough for all:$ended"
verdict
