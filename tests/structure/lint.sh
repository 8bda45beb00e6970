#!/bin/sh
# clang-tidy and cppcheck over the library, the benchmarks, the command and the extension module, clang-format over
# every C file.
. "${0%/*}/common.sh"

cd "$source"
find src bench cli python -name '*.c' | sort >"$scratch/units"
find include src bench cli python tests examples -name '*.[ch]' | sort >"$scratch/all"
# The build is gcc's: options that clang does not know are not our concern here.
# Asserts are on: they tell the analyser what is known.
xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 2 clang-tidy --quiet -p "$build" \
  --extra-arg=-UNDEBUG --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
  <"$scratch/units" >"$scratch/tidy" 2>"$scratch/tidy_errors" ||
  complain "clang-tidy:$(printf '\n'; cat "$scratch/tidy"; grep -v 'warnings\? generated' "$scratch/tidy_errors")"
xargs clang-format --dry-run -Werror <"$scratch/all" >"$scratch/format" 2>&1 ||
  complain "clang-format -i would change:$(printf '\n'; sed -n 's/: error:.*//p' "$scratch/format" | sort -u -t: -k1,1)"
# Memory that the caller knows to be large enough and aligned is divided among arrays of several types.
cppcheck --quiet -j "$(getconf _NPROCESSORS_ONLN)" --std=c11 --enable=warning,performance,portability --inline-suppr \
  --suppress=invalidPointerCast --error-exitcode=1 -I include -I src -I cli -I bench -I python --file-list="$scratch/units" \
  >"$scratch/cppcheck" 2>&1 || complain "cppcheck:$(printf '\n'; cat "$scratch/cppcheck")"
echo "$(wc -l <"$scratch/units") files read by clang-tidy and cppcheck, $(wc -l <"$scratch/all") by clang-format"
verdict
