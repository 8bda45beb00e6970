#!/bin/sh
# Set up, build, and pass every test: in the released form, and with sanitizers.
#
#   ./test.sh          all but the tests labelled slow
#   ./test.sh --all    those too
#
# On Debian, packages that are missing are installed (with sudo when not root).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$root/tools/setup.sh"

case ${1-} in
  '') skip_release='slow' skip_sanitize='slow|release-only' ;;
  --all) skip_release='no such label' skip_sanitize='release-only' ;;
  *)
    echo "usage: $0 [--all]" >&2
    exit 2 ;;
esac

# shellcheck disable=SC2086
setup $build_packages $test_packages
cores=$(getconf _NPROCESSORS_ONLN)
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
status=0

# run_tests PRESET LABELS: build the preset and run its tests but those with the labels.
run_tests()
{
  build=$root/build/$1
  mkdir -p "$build"
  printf '== %s: build\n' "$1"
  quietly "$build/build.log" cmake -S "$root" --preset "$1" -DZILCH_PYTHON=ON
  quietly "$build/build.log" cmake --build "$build"
  printf '== %s: tests\n' "$1"
  ctest --test-dir "$build" --parallel "$cores" --label-exclude "$2" --output-on-failure \
    --no-tests=error --output-log "$build/tests.log" || status=1
}

# The line that counts, and what it counts.
closing_lines()
{
  sed -n '/tests passed, .* failed out of/p; /^The following tests FAILED:/,/^[[E]/{/^[[E]/!p}' "$root/build/$1/tests.log"
}

run_tests release "$skip_release"
run_tests sanitize "$skip_sanitize"
for preset in release sanitize; do
  printf '\n== %s\n' "$preset"
  closing_lines "$preset"
done
exit "$status"
