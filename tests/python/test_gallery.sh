#!/bin/sh
# The cases of the gallery in their small size: each gives its rows, a figure and tables; a run that was stopped goes on, and
# what is there is not run again.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
export ZILCH_CORE="$ZILCH_BUILD_DIR/python/_core.abi3.so"

fail()
{
  printf '%s\n' "$*" >&2
  exit 1
}

gallery()
{
  "$ZILCH_SOURCE_DIR/tools/gallery.sh" --small "$@" >"$scratch/out.txt" 2>"$scratch/log.txt" || { cat "$scratch/log.txt"; fail "tools/gallery.sh --small $*"; }
}

gallery "$scratch/all"
for script in "$ZILCH_SOURCE_DIR"/examples/gallery/*.py; do
  case=$(basename "$script" .py)
  [ -s "$scratch/all/$case.json" ] && [ -s "$scratch/all/$case.svg" ] || fail "$case: has no numbers or no figure"
  grep -q "^$case, " "$scratch/out.txt" || fail "$case: has no table"
done

# A row that is there is taken, one that is broken off is made again.
mkdir "$scratch/some"
sed -n '/"rows"/,$p' "$scratch/all/equations.json" | sed '1d; s/,$//' | grep '^{' | head -2 >"$scratch/some/equations.rows"
printf '{"number": 8, "noi' >>"$scratch/some/equations.rows"
gallery "$scratch/some" equations
grep -q "1 of $(($(grep -c '^{"number"' "$scratch/all/equations.json") - 2))\$" "$scratch/log.txt" || { cat "$scratch/log.txt"; fail 'rows that are there are made again'; }
gallery "$scratch/some" equations
grep -q ' of ' "$scratch/log.txt" && fail 'a case that is there is run again'
"$ZILCH_SOURCE_DIR/tools/gallery.sh" "$scratch/some" nothing 2>"$scratch/log.txt" && fail 'a case that is none was run'
grep -q 'nothing: is no case; these are: ' "$scratch/log.txt" || fail 'a case that is none is not named'
