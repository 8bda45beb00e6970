#!/bin/sh
# Each header compiles alone, and twice in a row; the public ones as C17 and as C++17.
. "${0%/*}/common.sh"

# compiles COMPILER STANDARD HEADER SUFFIX: with every warning an error
compiles()
{
  printf '#include "%s"\n#include "%s"\n' "$3" "$3" >"$scratch/alone.$4"
  "$1" -std="$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$source/include" -I"$source/src" \
    -I"$source/cli" -I"$source/bench" $defines "$scratch/alone.$4" 2>"$scratch/errors" ||
    complain "$3 does not compile alone as $2:$(printf '\n'; cat "$scratch/errors")"
}

defines=
compiles cc c17 "$source/include/zilch.h" c
compiles c++ c++17 "$source/include/zilch.h" cpp
compiles cc c17 "$source/include/zilch_cuda.h" c
compiles c++ c++17 "$source/include/zilch_cuda.h" cpp
if [ -e "$build/libzilch_mpi.so" ]; then
  # What MPI's own header is warned of is not our concern.
  defines=$( (mpicc --showme:compile 2>/dev/null || mpicc -compile_info | cut -d' ' -f2-) | sed 's/-I/-isystem /g')
  compiles cc c17 "$source/include/zilch_mpi.h" c
  compiles c++ c++17 "$source/include/zilch_mpi.h" cpp
fi
# CUDA's header is the stand-in's.
defines="-D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -I$source/tests/cuda"
find "$source/src" "$source/bench" "$source/cli" -name '*.h' | sort >"$scratch/headers"
while read -r header; do compiles cc c17 "$header" c; done <"$scratch/headers"
echo "$(wc -l <"$scratch/headers") internal headers"
verdict
