# Sourced by the structure tests. Gives source and build (folders), scratch (a folder that
# goes away), complain TEXT and verdict: a test complains of all it finds, then ends.
set -eu
source=${ZILCH_SOURCE_DIR:?the source folder}
build=${ZILCH_BUILD_DIR:?the build folder}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
: >"$scratch/complaints"
export LC_ALL=C

# Into a file, so that it also counts from within a pipe.
complain()
{
  printf '%s\n' "$*" >>"$scratch/complaints"
}

# Exit status for ctest: not applicable here.
skip()
{
  printf 'skipped: %s\n' "$*"
  exit 77
}

verdict()
{
  cat "$scratch/complaints"
  if [ -s "$scratch/complaints" ]; then exit 1; fi
}
