#!/bin/sh
# `zilch recover --figures DIR`: pictures, data and scripts that draw them again, in any
# folder; and what is said where they cannot be drawn.
set -eu
zilch=${ZILCH:?the path of the command}
scratch=$(mktemp -d)
trap 'chmod -R u+rwx "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
export LC_ALL=C
names='histogram shift recovered error'

fail()
{
  printf 'FAILED: %s\n' "$*"
  if [ -s "$scratch/err" ]; then sed 's/^/  stderr: /' "$scratch/err"; fi
  exit 1
}

# draw FOLDER: a small recovery with figures; its exit status.
draw()
{
  "$zilch" recover --models 2 --rows 2000 --dim 8 --figures "$1" >"$scratch/out" 2>"$scratch/err"
}

# refuses FOLDER TEXT: status 1, and TEXT on stderr.
refuses()
{
  status=0
  draw "$1" || status=$?
  [ "$status" -eq 1 ] || fail "$1: status $status, not 1"
  grep -q "$2" "$scratch/err" || fail "$1: stderr does not say: $2"
}

check_png()
{
  magic=$(od -An -tx1 -N8 "$1" | tr -d ' \n')
  [ "$magic" = 89504e470d0a1a0a ] || fail "$1: not a PNG: $magic"
  [ "$(wc -c <"$1")" -gt 10000 ] || fail "$1: too small for a picture"
}

check_svg()
{
  if command -v xmllint >/dev/null; then
    xmllint --noout "$1" || fail "$1: not well-formed"
  fi
  tail -n 2 "$1" | grep -q '</svg>' || fail "$1: not complete"
  [ "$(wc -c <"$1")" -gt 10000 ] || fail "$1: too small for a picture"
}

# check_pictures FOLDER: all twelve, and nothing half-written beside them.
check_pictures()
{
  for name in $names; do
    [ -f "$1/$name.png" ] || fail "$1/$name.png is missing"
    [ -f "$1/$name.svg" ] || fail "$1/$name.svg is missing"
    [ "$(head -c 4 "$1/$name.pdf")" = '%PDF' ] || fail "$1/$name.pdf: not a PDF"
    check_png "$1/$name.png"
    check_svg "$1/$name.svg"
    [ -s "$1/$name.dat" ] || fail "$1/$name.dat is missing"
    [ -s "$1/$name.gp" ] || fail "$1/$name.gp is missing"
  done
  [ -z "$(find "$1" -name '*.tmp')" ] || fail "$1: temporary files are left"
}

command -v gnuplot >/dev/null || { echo 'skipped: gnuplot is not installed'; exit 77; }

# A new folder within a new folder; the numbers in the pictures are those of the run:
# 2 models, 16 latents, less the 8 pairs of a value and its own mask: 2 (120 - 8).
draw "$scratch/new/plain" || fail "figures: status $?"
check_pictures "$scratch/new/plain"
if grep -qi 'warning\|error' "$scratch/err"; then fail 'gnuplot complained'; fi
grep -q '^n = 224$' "$scratch/new/plain/recovered.meta.gp" || fail 'recovered.meta.gp: not 224 correlations'
total=$(awk '!/^#/ {sum += $3} END {print sum + 0}' "$scratch/new/plain/recovered.dat")
[ "$total" = 224 ] || fail "recovered.dat: $total correlations, not 224"
total=$(awk '!/^#/ {sum += $2 + $3} END {print sum + 0}' "$scratch/new/plain/histogram.dat")
[ "$total" = 100000 ] || fail "histogram.dat: $total draws, not 100000"
total=$(awk '!/^#/ {sum += $2 * 0.1} END {printf "%.3f", sum}' "$scratch/new/plain/shift.dat")
[ "$total" = 1.000 ] || fail "shift.dat: integrates to $total, not 1"
total=$(awk 'NF == 6 && !/^#/ {sum += $6} END {print sum + 0}' "$scratch/new/plain/error.dat")
[ "$total" = 56 ] || fail "error.dat: $total value-value pairs, not 56"

# The folder is enough to draw a picture again, by hand and in another style.
cp "$scratch/new/plain/recovered.svg" "$scratch/recovered.svg"
rm "$scratch/new/plain/recovered.svg"
(cd "$scratch/new/plain" && gnuplot -d recovered.gp) 2>"$scratch/err" || fail 'recovered.gp does not run by itself'
cmp "$scratch/recovered.svg" "$scratch/new/plain/recovered.svg" || fail 'drawn by hand, another picture'

# Same run, same files.
draw "$scratch/again" || fail "figures again: status $?"
for name in $names; do
  cmp "$scratch/new/plain/$name.dat" "$scratch/again/$name.dat" || fail "$name.dat differs from run to run"
  cmp "$scratch/new/plain/$name.svg" "$scratch/again/$name.svg" || fail "$name.svg differs from run to run"
done

# Names that a shell or gnuplot would take apart; a relative one; one like an option.
odd="$scratch/it's a \"folder\" \$HOME;"
draw "$odd" || fail "$odd: status $?"
check_pictures "$odd"
(cd "$scratch" && draw "relative folder/-d") || fail "a relative folder: status $?"
check_pictures "$scratch/relative folder/-d"

# Folders that cannot be: a file in the way, no permission (which root does not need), no name.
: >"$scratch/file"
refuses "$scratch/file" 'Not a directory'
refuses "$scratch/file/folder" 'Not a directory'
refuses '' 'empty'
if [ "$(id -u)" -ne 0 ]; then
  mkdir -m 555 "$scratch/closed"
  refuses "$scratch/closed" 'Permission denied'
  refuses "$scratch/closed/folder" 'cannot make the folder: Permission denied'
fi

# Without gnuplot: the remedy is named, data and scripts are kept, old pictures are not.
mkdir "$scratch/empty"
status=0
PATH=$scratch/empty draw "$scratch/again" || status=$?
[ "$status" -eq 1 ] || fail "no gnuplot: status $status, not 1"
grep -q 'apt install gnuplot-nox' "$scratch/err" || fail 'no gnuplot: the remedy is not named'
grep -q "kept in $scratch/again" "$scratch/err" || fail 'no gnuplot: the folder is not named'
[ -s "$scratch/again/style.gp" ] || fail 'no gnuplot: the scripts are not kept'
for name in $names; do
  [ -s "$scratch/again/$name.dat" ] || fail 'no gnuplot: the data are not kept'
  [ -s "$scratch/again/$name.gp" ] || fail 'no gnuplot: the scripts are not kept'
  [ ! -e "$scratch/again/$name.svg" ] || fail 'no gnuplot: a picture of other data is left'
done

# A gnuplot that fails, one that writes nothing, one that is ended.
broken()
{
  printf '#!/bin/sh\n%s\n' "$1" >"$scratch/empty/gnuplot"
  chmod +x "$scratch/empty/gnuplot"
  status=0
  PATH=$scratch/empty draw "$scratch/again" || status=$?
  [ "$status" -eq 1 ] || fail "gnuplot does '$1': status $status, not 1"
  grep -q "$2" "$scratch/err" || fail "gnuplot does '$1': stderr does not say: $2"
}
broken 'exit 3' 'failed with status 3'
broken 'exit 0' 'histogram.svg: gnuplot did not write it'
broken 'kill -9 $$' 'ended by signal 9'
echo 'figures: passed'
