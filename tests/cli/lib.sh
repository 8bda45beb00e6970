# Sourced by the tests of the command. Gives zilch (the command), a scratch folder that goes away as
# the working folder, and the expectations below: a test notes all that fails, then calls verdict.
set -eu
zilch=${ZILCH:?the command to test}
command -v "$zilch" >/dev/null || exit 1
scratch=$(mktemp -d)
failures=0
# A test that forgets to call verdict fails all the same.
trap 'status=$?; rm -rf "$scratch"; [ "$status" -ne 0 ] || [ "$failures" -eq 0 ] || status=1; exit "$status"' EXIT
trap 'exit 1' INT TERM
mkdir "$scratch/io" "$scratch/work"
out=$scratch/io/out
err=$scratch/io/err
cd "$scratch/work"
export LC_ALL=C OPENBLAS_NUM_THREADS=1

# The Python that has numpy, or empty: tests that compare with NumPy are left out then.
numpy=
for python in /usr/bin/python3 python3; do
  if [ -z "$numpy" ] && "$python" -c 'import numpy' 2>/dev/null; then numpy=$python; fi
done

complain()
{
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*"
  sed 's/^/  stdout: /' "$out" | head -n 20
  sed 's/^/  stderr: /' "$err" | head -n 20
  [ "$failures" -lt 20 ] || exit 1
}

# expect_status STATUS COMMAND...: runs it, its output goes to $out and $err
expect_status()
{
  expected=$1
  shift
  status=0
  "$@" >"$out" 2>"$err" || status=$?
  [ "$status" -eq "$expected" ] || complain "status $status, not $expected: $*"
}

# expect_output TEXT: stdout of the last command, exactly
expect_output()
{
  printf '%s\n' "$1" | cmp -s - "$out" || complain "stdout should be: $1"
}

# expect_in_output TEXT, expect_in_error TEXT: it is a part of a line there
expect_in_output()
{
  grep -qF -e "$1" "$out" || complain "not in stdout: $1"
}

expect_in_error()
{
  grep -qF -e "$1" "$err" || complain "not in stderr: $1"
}

expect_file()
{
  [ -f "$1" ] || complain "$1 is missing"
}

expect_no_file()
{
  [ ! -e "$1" ] || complain "$1 should not be there"
}

# expect_same FILE FILE
expect_same()
{
  cmp -s "$1" "$2" || complain "$1 and $2 differ"
}

# expect_failure TEXT COMMAND...: status 1, and one line on stderr with the text in it
expect_failure()
{
  text=$1
  shift
  expect_status 1 "$@"
  [ "$(wc -l <"$err")" -eq 1 ] || complain "not one line on stderr: $*"
  expect_in_error "$text"
}

# expect_refusal TEXT COMMAND...: fails so with -o FILE, be FILE new or old: the new one is not made,
# the old one is unchanged, and nothing is left beside them
expect_refusal()
{
  rm -rf box
  mkdir box
  echo old >box/old
  text=$1
  shift
  expect_failure "$text" "$@" -o box/new
  expect_failure "$text" "$@" -o box/old
  [ "$(ls -A box)" = old ] || complain "left behind: $(ls -A box)"
  [ "$(cat box/old)" = old ] || complain "the old file has changed: $*"
}

verdict()
{
  [ "$failures" -eq 0 ] || exit 1
}

# expect_same_runs STUDY STUDY: the same evaluations and the same best point
expect_same_runs()
{
  "$zilch" export "$1" >exported.1
  "$zilch" export "$2" >exported.2
  expect_same exported.1 exported.2
  "$zilch" best "$1" | sed 1d >best.1
  "$zilch" best "$2" | sed 1d >best.2
  expect_same best.1 best.2
}
