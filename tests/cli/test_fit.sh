#!/bin/sh
# zilch fit: its summary, its options, every way in for the same data; and the frame of all commands.
. "$(dirname "$0")/lib.sh"

printf 'a,b\n1,0\n0,2\n3,0\n4,-1\n0,1\n2,2\n0,0\n-1,3\n0,-2\n2,0\n0,3\n1,1\n' >data.csv

expect_status 0 "$zilch" fit data.csv -o model
expect_output 'data: data.csv, 12 rows, 2 columns
active: 62.5 % on average
columns: 0 always zero, 0 always active, 0 constant where active
fit: inverter exact, shrinkage none, projection repair (projection distance 0, identity weight 0)
model: model'
expect_file model
[ ! -s "$err" ] || complain 'something on stderr'

# The same data in other clothes, the same model: with the names of a header, or without.
sed 1d data.csv >plain.csv
expect_status 0 "$zilch" fit plain.csv -o bare
expect_status 0 "$zilch" sample bare -o bare_points.csv
expect_status 0 "$zilch" sample model
sed 1d "$out" | cmp -s - bare_points.csv || complain 'names change the points'
same_model()
{
  rm -f other
  expect_status 0 "$zilch" fit "$1" -o other
  case $1 in
    plain.csv | *.txt | *.npy) expect_same bare other ;;
    *) expect_same model other ;;
  esac
}
tr , '\t' <data.csv >data.tsv
tr , ';' <data.csv >semicolon.csv
tr , ' ' <plain.csv >blanks.txt
sed 's/$/\r/' data.csv >crlf.csv
sed 's/,/" , "/; s/^/"/; s/$/"/' data.csv >quoted.csv
{ printf '\357\273\277# made by hand\n'; cat data.csv; printf '\n\n'; } >marked.csv
{ # shape (12, 2), little-endian float64, columns first; the upper two bytes of each, the others are 0
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<f8', 'fortran_order': True, 'shape': (12, 2), }"
  for high in '\360\077' '\000\000' '\010\100' '\020\100' '\000\000' '\000\100' \
    '\000\000' '\360\277' '\000\000' '\000\100' '\000\000' '\360\077' \
    '\000\000' '\000\100' '\000\000' '\360\277' '\360\077' '\000\100' \
    '\000\000' '\010\100' '\000\300' '\000\000' '\010\100' '\360\077'; do
    printf '\000\000\000\000\000\000%b' "$(printf '%s' "$high" | sed 's/\\/\\0/g')"
  done
} >bytes.npy
for file in plain.csv data.tsv semicolon.csv blanks.txt crlf.csv quoted.csv marked.csv bytes.npy; do
  same_model "$file"
done
expect_status 0 sh -c 'cat data.csv | "$0" fit - -o other' "$zilch"
expect_in_output 'data: standard input, 12 rows, 2 columns'
expect_same model other

# The files that NumPy itself writes.
if [ -n "$numpy" ]; then
  "$numpy" - <<'PYTHON'
import numpy as np
from numpy.lib import format
x = np.loadtxt("data.csv", delimiter=",", skiprows=1)
np.save("c.npy", x)
np.save("f.npy", np.asfortranarray(x))
np.save("f4.npy", x.astype("f4"))
for version in (1, 0), (2, 0), (3, 0):
    with open("v%d.npy" % version[0], "wb") as file:
        format.write_array(file, x, version)
np.savetxt("savetxt.txt", x)
wrong = {"i": x.astype(int), "be": x.astype(">f8"), "c": x.astype(complex), "o": x.astype(object),
         "b": x > 1, "h": x.astype("f2"), "s": x.astype(str), "one": x[0], "three": x.reshape(2, 3, 4)}
for name, array in wrong.items():
    np.save("wrong_%s.npy" % name, array, allow_pickle=True)
np.savez("wrong_z.npz", x=x)
PYTHON
  for file in c.npy f.npy f4.npy v1.npy v2.npy v3.npy savetxt.txt; do
    same_model "$file"
  done
  expect_status 0 sh -c '"$0" fit - -o other <f.npy' "$zilch"
  expect_same bare other
  expect_failure "holds integers (dtype '<i8')" "$zilch" fit wrong_i.npy -o other
  expect_failure "holds big-endian floats (dtype '>f8')" "$zilch" fit wrong_be.npy -o other
  expect_failure "holds complex numbers (dtype '<c16')" "$zilch" fit wrong_c.npy -o other
  expect_failure "holds Python objects (dtype '|O')" "$zilch" fit wrong_o.npy -o other
  expect_failure "holds booleans (dtype '|b1')" "$zilch" fit wrong_b.npy -o other
  expect_failure "holds floats of another size (dtype '<f2')" "$zilch" fit wrong_h.npy -o other
  expect_failure "holds text (dtype '<U" "$zilch" fit wrong_s.npy -o other
  expect_failure 'has the shape (2,): 1 dimension' "$zilch" fit wrong_one.npy -o other
  expect_failure 'has the shape (2, 3, 4): 3 dimensions' "$zilch" fit wrong_three.npy -o other
  expect_failure 'is a zip archive' "$zilch" fit wrong_z.npz -o other
fi

# Options change what they name.
printf '1,0,7,0\n2,0,7,1\n-3,0,7,0\n4,0,7,0\n' >special.csv
expect_status 0 "$zilch" fit special.csv -o special
expect_in_output 'columns: 1 always zero, 2 always active, 2 constant where active'
expect_status 0 "$zilch" fit special.csv -o special --sigma-floor 0.5
expect_in_output 'columns: 1 always zero, 2 always active, 2 at the sigma floor'
expect_status 0 "$zilch" fit data.csv -o other --shrinkage=bayes --projection nearest
expect_in_output 'fit: inverter exact, shrinkage bayes, projection nearest'
expect_status 0 "$zilch" fit data.csv -o other --proj clip --shrink entrywise
expect_in_output 'shrinkage entrywise, projection clip'
# Each shrinkage is named in the model, and gives correlations of its own.
awk 'BEGIN {srand(1); for (k = 0; k < 60; k++) {v = rand(); m = rand(); for (i = 0; i < 4; i++)
  printf "%s%.4f", i ? "," : "", (m + rand() > 1) ? v + rand() : 0; print ""}}' >related.csv
for name in none entrywise bayes fisher all; do
  expect_status 0 "$zilch" fit related.csv -o "shrunk_$name" --shrinkage "$name"
  expect_in_output "fit: inverter exact, shrinkage $name, projection repair"
  "$zilch" show "shrunk_$name" >"$out"
  expect_in_output "shrinkage $name"
  grep '^ *corr(' "$out" >"shown_$name" || echo none >"shown_$name"
done
for name in none entrywise bayes all; do ! cmp -s shown_fisher "shown_$name" || complain "fisher is $name"; done
expect_status 2 "$zilch" fit related.csv -o other --shrinkage some
expect_in_error "--shrinkage: 'some' is not one of none|entrywise|bayes|fisher|all"

# Weights: a row counted twice is a row of weight 2.
{ cat plain.csv; sed -n 4p plain.csv; } >twice.csv
printf '%s\n' 1 1 1 2 1 1 1 1 1 1 1 1 >weights
expect_status 0 "$zilch" fit twice.csv -o twice
expect_status 0 "$zilch" fit plain.csv -o weighted --row-weights weights
expect_in_output 'row weights: weights, worth 11.2667 rows'
"$zilch" show twice | sed 1,3d | grep -v '^fit' | head -n 2 >"$scratch/io/twice"
"$zilch" show weighted | sed 1,3d | grep -v '^fit' | head -n 2 >"$scratch/io/weighted"
expect_same "$scratch/io/twice" "$scratch/io/weighted"
printf '1\n1\n' >short
expect_failure 'short: has 2 weights, but data.csv has 12 rows' "$zilch" fit data.csv -o new --row-weights short
expect_failure 'data.csv: has 2 columns; weights are one column' "$zilch" fit data.csv -o new --row-weights data.csv
printf '%s\n' 1 1 1 1 -1 1 1 1 1 1 1 1 >negative
expect_failure 'negative: row 5: the weight is negative or not finite' "$zilch" fit data.csv -o new --row-weights negative
printf 'a,yield\n1,1e200\n2,-1e200\n3,1\n' >large.csv
expect_failure 'large.csv: column 2 (yield): the values are too large or too small; scale them' "$zilch" fit large.csv -o new
expect_no_file new

# Wrong usage: status 2, what is wrong, and where help is found.
wrong_usage()
{
  expect_status 2 "$@"
  expect_in_error "Try 'zilch"
  [ ! -s "$out" ] || complain 'something on stdout'
}
wrong_usage "$zilch" fit data.csv
expect_in_error 'zilch fit: -o MODEL is missing'
wrong_usage "$zilch" fit -o new
expect_in_error 'zilch fit: DATA is missing'
wrong_usage "$zilch" fit data.csv more.csv -o new
expect_in_error "unexpected argument 'more.csv'"
wrong_usage "$zilch" fit data.csv -o new --row-wieghts weights
expect_in_error "unknown option '--row-wieghts'; did you mean '--row-weights'?"
wrong_usage "$zilch" fit data.csv -o new --wieghts weights
expect_in_error "unknown option '--wieghts'; did you mean '--weights'?"
wrong_usage "$zilch" fit data.csv -o new --weights weights
expect_in_error '--weights: only the amortised inverter has networks; add --inverter amortised'
wrong_usage "$zilch" fit data.csv -o new --frobnicate
expect_in_error "unknown option '--frobnicate'"
wrong_usage "$zilch" fit data.csv -o new -x
expect_in_error "unknown option '-x'"
wrong_usage "$zilch" fit data.csv -o new --s 1
expect_in_error "option '--s' is short for more than one"
wrong_usage "$zilch" fit data.csv -o
expect_in_error "option '-o' needs a value: MODEL"
wrong_usage "$zilch" fit data.csv -o new --inverter
expect_in_error "option '--inverter' needs a value: NAME"
wrong_usage "$zilch" fit data.csv -o new --inverter fast
expect_in_error "--inverter: 'fast' is not one of exact|amortised"
for value in -1 nan inf 1e999 1x '' ' 1' 0x1; do
  wrong_usage "$zilch" fit data.csv -o new --sigma-floor "$value"
  expect_in_error "--sigma-floor: '$value' is not a number of at least 0"
done
wrong_usage "$zilch" fit data.csv -o -
expect_no_file new
expect_no_file ./-

# The frame.
wrong_usage "$zilch" fitt
expect_in_error "zilch: unknown command 'fitt'; did you mean 'fit'?"
wrong_usage "$zilch" frobnicate
expect_in_error "zilch: unknown command 'frobnicate'"
wrong_usage "$zilch" --versoin
expect_in_error "did you mean '--version'?"
wrong_usage "$zilch" help smaple
expect_status 2 "$zilch"
expect_in_error 'Usage: zilch COMMAND'
expect_status 0 "$zilch" --version
expect_output "zilch $(sed -nE 's/^#define ZILCH_VERSION_(MAJOR|MINOR|PATCH) //p' "$ZILCH_SOURCE_DIR/include/zilch.h" |
  paste -sd.)"
expect_status 0 "$zilch" --help
expect_in_output 'Usage: zilch COMMAND'
for command in fit sample show train recover bench; do
  expect_status 0 "$zilch" --help
  expect_in_output "  $command "
  expect_status 0 "$zilch" "$command" --help
  expect_in_output "Usage: zilch $command"
  cp "$out" "$scratch/io/help"
  expect_status 0 "$zilch" help "$command"
  expect_same "$out" "$scratch/io/help"
done
expect_status 0 "$zilch" fit --help
expect_in_output 'default exact'
tr -s ' \n' '  ' <"$out" | grep -qF 'No standard deviation is fitted below this. (default 0)' || complain 'the floor has no default'

# What is read is not replaced.
printf '1,2\n3,0\n0,4\n' >read.csv
ln -s read.csv link.csv
expect_status 2 "$zilch" fit read.csv -o read.csv
expect_in_error 'read.csv is what is read'
expect_status 2 "$zilch" fit link.csv -o read.csv
[ "$(wc -l <read.csv)" -eq 3 ] || complain 'the data were replaced'
# Structures without a matrix: fitted, shown, sampled from.
for structure in diagonal low-rank; do
  expect_status 0 "$zilch" fit data.csv -o structured --structure $structure --rank 2
  expect_in_output "fit: structure $structure, "
  expect_status 0 "$zilch" show structured
  expect_in_output "structure $structure, "
  expect_status 0 "$zilch" show structured --json
  expect_in_output "\"structure\": \"$structure\""
  expect_in_output '"correlation": null'
  expect_status 0 "$zilch" sample structured -n 3
done
expect_status 2 "$zilch" fit data.csv -o structured --structure lowrank
expect_in_error "--structure: 'lowrank' is not one of full|diagonal|low-rank"
verdict
