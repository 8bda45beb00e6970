#!/bin/sh
# Run the fuzzers of tests/fuzz, each for so many seconds, and print what they did as a table.
#
#   tools/fuzz.sh [SECONDS [NAME...]]    600 seconds, all of them
#
# They begin with the inputs in tests/fuzz/corpus; new ones go to build/fuzz/corpus. The first finding ends
# it: its input stays in build/fuzz/findings. On Debian, packages that are missing are installed.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"
build=$root/build/fuzz
all='model optimizer networks trainer lander study text npy policy answer request problem command'
seconds=${1:-600}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || {
  # shellcheck disable=SC2086
  set -- $all
}
case $seconds in
  '' | *[!0-9]*)
    echo "usage: $0 [SECONDS [NAME...]]" >&2
    exit 2 ;;
esac
export OPENBLAS_NUM_THREADS=1
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

# fuzz NAME SECONDS: into NAME.log; false if there is a finding. A file of some kilobytes must not make us
# take a gigabyte, nor seconds.
fuzz()
{
  name=$1 time=$2
  mkdir -p "$build/corpus/$name" "$build/findings"
  set -- -max_total_time="$time" -timeout=20 -malloc_limit_mb=1000 -rss_limit_mb=2000 -max_len=8192 \
    -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$build/findings/$name-"
  [ ! -f "$root/tests/fuzz/$name.dict" ] || set -- "$@" -dict="$root/tests/fuzz/$name.dict"
  set -- "$@" "$build/corpus/$name" "$root/tests/fuzz/corpus/$name"
  "$build/tests/fuzz/fuzz_$name" "$@" >"$build/$name.log" 2>&1 </dev/null
}

# row NAME FINDINGS SECONDS: of the table.
row()
{
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log")
  state=$(grep -a 'cov: ' "$build/$1.log" | tail -n 1)
  covered=$(echo "$state" | sed -n 's/.* cov: \([0-9]*\).*/\1/p')
  corpus=$(echo "$state" | sed -n 's/.* corp: \([0-9]*\).*/\1/p')
  printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "${executions:--}" "$3" "${covered:--}" "${corpus:--}" \
    "$2" >>"$build/table.md"
}

# The list is words to be split.
# shellcheck disable=SC2086
setup $build_packages clang libclang-rt-dev
mkdir -p "$build"
quietly "$build/build.log" cmake -S "$root" --preset fuzz
quietly "$build/build.log" cmake --build "$build"
printf '| fuzzer | executions | seconds | edges covered | corpus | findings |\n|---|---|---|---|---|---|\n' \
  >"$build/table.md"

# A fuzzer that cannot find a fault which is there would find none anywhere.
mkdir -p "$build/findings"
if "$build/tests/fuzz/fuzz_canary" -max_total_time=60 -artifact_prefix="$build/findings/canary-" \
  >"$build/canary.log" 2>&1 </dev/null; then
  echo "the canary's fault was not found in a minute: these fuzzers are blind ($build/canary.log)" >&2
  exit 1
fi
grep -q 'AddressSanitizer: heap-buffer-overflow' "$build/canary.log" || {
  echo "the canary fails, but not by its fault ($build/canary.log)" >&2
  exit 1
}

status=0
for name; do
  [ -x "$build/tests/fuzz/fuzz_$name" ] || {
    echo "there is no fuzzer $name; there is: $all" >&2
    exit 2
  }
  printf '%s: %s seconds\n' "$name" "$seconds" >&2
  begun=$(date +%s)
  if fuzz "$name" "$seconds"; then
    row "$name" 0 "$(($(date +%s) - begun))"
  else
    row "$name" 1 "$(($(date +%s) - begun))"
    grep -a -E 'ERROR: |runtime error: |broken: |SUMMARY: ' "$build/$name.log" >&2 ||
      tail -n 20 "$build/$name.log" >&2
    input=$(sed -n 's/.*Test unit written to \(.*\)/\1/p' "$build/$name.log" | tail -n 1)
    printf 'input: %s\nagain: %s/tests/fuzz/fuzz_%s %s\n' "$input" "$build" "$name" "$input" >&2
    status=1
    break
  fi
done
cat "$build/table.md"
exit "$status"
