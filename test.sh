#!/bin/sh
# Set up, build, and pass every test.
#
#   ./test.sh             as released, and with the address and undefined-behaviour sanitizers
#   ./test.sh --all       and with the thread sanitizer, under valgrind and counting coverage; the slow tests too, and
#                         four times the random cases
#   ./test.sh PRESET...   these only: release, sanitize, thread, valgrind, coverage
#
# On Debian, packages that are missing are installed (with sudo when not root).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$root/tools/setup.sh"

slow=slow
case ${1-} in
  '') presets='release sanitize' ;;
  --all) presets='release sanitize thread valgrind coverage' slow=none
    export ZILCH_CASES=4 ;;
  *) presets=$* ;;
esac

# Which tests a build runs, as options of ctest: by the labels of tests/CMakeLists.txt.
chosen()
{
  case $1 in
    release) echo "--label-exclude $slow" ;;
    sanitize) echo "--label-exclude $slow|release-only" ;;
    thread) echo '--label-regex threads|canary' ;;
    valgrind) echo '--label-regex unit|canary --label-exclude no-valgrind' ;;
    coverage) echo '--label-regex unit|coverage' ;;
    *) return 1 ;;
  esac
}

for preset in $presets; do
  chosen "$preset" >/dev/null || {
    echo "usage: $0 [--all | PRESET...]; presets: release sanitize thread valgrind coverage" >&2
    exit 2
  }
  case $preset in
    valgrind) test_packages="$test_packages valgrind" ;;
    coverage) test_packages="$test_packages gcovr" ;;
  esac
done

# shellcheck disable=SC2086
setup $build_packages $test_packages
jobs=$(($(getconf _NPROCESSORS_ONLN) + 1)) # some tests mostly wait
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
status=0

# run_tests PRESET: build the preset and run its tests.
run_tests()
{
  build=$root/build/$1
  mkdir -p "$build"
  printf '== %s: build\n' "$1"
  quietly "$build/build.log" cmake -S "$root" --preset "$1" -DZILCH_PYTHON=ON
  quietly "$build/build.log" cmake --build "$build"
  if [ "$1" = coverage ]; then find "$build" -name '*.gcda' -delete; fi
  printf '== %s: tests\n' "$1"
  # shellcheck disable=SC2046 # words
  ctest --test-dir "$build" --parallel "$jobs" $(chosen "$1") --output-on-failure --no-tests=error \
    --output-log "$build/tests.log" || status=1
  if [ "$1" = coverage ]; then sh "$root/tools/coverage.sh" "$build" >"$build/coverage.log" 2>&1 || status=1; fi
}

# The line that counts, and what it counts.
closing_lines()
{
  sed -n '/tests passed, .* failed out of/p; /^The following tests FAILED:/,/^[[E]/{/^[[E]/!p}' "$root/build/$1/tests.log"
  if [ "$1" = coverage ]; then tail -n 4 "$root/build/$1/coverage.log"; fi
}

for preset in $presets; do
  run_tests "$preset"
done
for preset in $presets; do
  printf '\n== %s\n' "$preset"
  closing_lines "$preset"
done
exit "$status"
