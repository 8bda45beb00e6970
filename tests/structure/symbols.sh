#!/bin/sh
# A shared library exports the functions that its header declares, and nothing else.
. "${0%/*}/common.sh"

# check LIBRARY HEADER LEAST [FLAG...]: at least so many functions. Declarations are the statements that are no typedef; the
# name stands before the first "(". Only what the header itself declares counts, not what it includes.
check()
{
  library=$1 header=$2 least=$3
  shift 3
  cc -E "$@" '-D__attribute__(list)=' -I"$source/include" "$source/include/$header" |
    awk -v header="/$header\"" '/^# / {inside = index($0, header) > 0; next} inside' |
    tr '\n' ' ' | tr ';{}' '\n\n\n' | grep -v typedef |
    sed -nE 's/^[^(]*\<(zilch_[a-z0-9_]+)\(.*/\1/p' | sort >"$scratch/declared"
  nm --dynamic --defined-only "$build/$library" | awk '$3 != "_init" && $3 != "_fini" {print $3}' | sort >"$scratch/exported"
  count=$(wc -l <"$scratch/declared")
  [ "$count" -ge "$least" ] || complain "only $count declarations found in $header"
  comm -23 "$scratch/declared" "$scratch/exported" | while read -r name; do complain "$name: declared, not exported"; done
  comm -13 "$scratch/declared" "$scratch/exported" | while read -r name; do complain "$name: exported, not declared"; done
  echo "$header: $count functions declared"
}

check libzilch.so zilch.h 30
if [ -e "$build/libzilch_mpi.so" ]; then
  # shellcheck disable=SC2046 # words
  check libzilch_mpi.so zilch_mpi.h 8 $(mpicc --showme:compile 2>/dev/null || mpicc -compile_info | cut -d' ' -f2-)
fi
if [ -e "$build/libzilch_cuda.so" ]; then check libzilch_cuda.so zilch_cuda.h 18; fi
verdict
