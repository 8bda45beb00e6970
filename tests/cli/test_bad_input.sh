#!/bin/sh
# What cannot be done: status 1, one line that says why and where, no file made, none changed.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {for (i = 1; i < 60; i++) for (j = 1; j <= 8; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 8 ? "," : "\n"}' >good.csv
printf '1,0\n0,2\n3,0\n4,5\n0,1\n2,2\n' >small.csv
expect_status 0 "$zilch" fit good.csv -o good
expect_status 0 "$zilch" fit small.csv -o small

# Data: bad NAME CONTENT MESSAGE, from a file and from standard input
bad()
{
  printf "$2" >"$1"
  expect_refusal "zilch fit: $1: $3" "$zilch" fit "$1"
  expect_refusal "zilch fit: standard input: $3" sh -c 'file=$1; shift; exec "$0" fit - "$@" <"$file"' "$zilch" "$1"
}
bad nan.csv 'a,b\n1,2\n3,nan\n' 'line 3 (row 2), column 2 (b): nan is not allowed'
bad inf.csv '1,2\n-Inf,4\n' 'line 2 (row 2), column 1: -Inf is not allowed'
bad text.csv 'a,b\n1,2\n3,four\n' "line 3 (row 2), column 2 (b): 'four' is not a number"
bad missing.csv 'a,b\n1,2\n,4\n' 'line 3 (row 2), column 1 (a): the field is empty'
bad overflow.csv '1,2\n1e999,4\n' "line 2 (row 2), column 1: '1e999' does not fit a double"
bad ragged.csv '1,2\n3,4\n5\n' 'line 3 (row 3): 1 field, but 2 expected as in line 1'
bad wide.csv 'a,b\n1,2,3\n' 'line 2 (row 1): 3 fields, but 2 expected as in line 1'
bad blank.csv '1,2\n\n3,4\n' 'line 2 is blank, but data follow in line 3'
bad quote.csv '1,2\n3,"4\n' 'line 2 (row 2), column 2: a quote is not closed'
bad empty.csv '' 'is empty'
bad header.csv 'a,b\n' 'has a header but no rows'
bad row.csv 'a,b\n1,2\n' 'has one row of data: needs at least two rows'
bad column.csv 'a\n1\n2\n' 'has one column: a joint distribution needs at least two'
bad nul.csv '1,2\n3,4\000\n' 'line 2 (row 2), column 2: a NUL byte: this is no text file'

# .npy: npy DICT gives magic, version 1.0 and a header of 128 bytes in all, in printf's words
npy()
{
  printf '\\223NUMPY\\001\\000\\166\\000%-117s\\n' "{'descr': $1, 'fortran_order': False, 'shape': $2, }"
}
one='\000\000\000\000\000\000\360\077'
not_a_number='\000\000\000\000\000\000\370\177'
infinite='\000\000\000\000\000\000\360\377'
bad zero.npy "$(npy "'<f8'" '(5, 0)')" 'has no columns: its shape is (5, 0)'
bad rows.npy "$(npy "'<f8'" '(0, 5)')" 'has no rows: its shape is (0, 5)'
bad flat.npy "$(npy "'<f8'" '(2,)')$one$one" 'has the shape (2,): 1 dimension'
bad nan.npy "$(npy "'<f8'" '(2, 2)')$one$one$not_a_number$one" 'row 2, column 1: NaN is not allowed'
bad inf.npy "$(npy "'<f8'" '(2, 2)')$one$one$one$infinite" 'row 2, column 2: -Inf is not allowed'
bad short.npy "$(npy "'<f8'" '(2, 2)')$one$one$one" 'is a truncated .npy file'
bad liar.npy "$(npy "'<f8'" '(4294967296, 4294967296)')$one" 'claims the shape (4294967296, 4294967296), which is more than memory can hold'
bad vast.npy "$(npy "'<f8'" '(1000000000, 1000000000)')$one" 'is a truncated .npy file'
bad integers.npy "$(npy "'<i8'" '(2, 2)')$one$one$one$one" "holds integers (dtype '<i8')"

# Files that cannot be read. The process's own memory is one that even root cannot read at 0.
mkdir folder
for command in fit sample; do
  expect_refusal 'nowhere: cannot open: No such file or directory' "$zilch" "$command" nowhere
  expect_refusal 'folder: ' "$zilch" "$command" folder
  expect_refusal '/proc/self/mem: ' "$zilch" "$command" /proc/self/mem
  if [ "$(id -u)" -ne 0 ]; then
    cp good.csv secret
    chmod 000 secret
    expect_refusal 'secret: cannot open: Permission denied' "$zilch" "$command" secret
    rm -f secret
  fi
done
expect_failure 'nowhere: cannot open: No such file or directory' "$zilch" show nowhere
expect_failure 'folder: ' "$zilch" show folder
expect_refusal 'nowhere: cannot open' "$zilch" fit good.csv --row-weights nowhere

# Places that cannot be written.
expect_failure 'No such file or directory' "$zilch" fit good.csv -o nowhere/model
expect_failure 'No such file or directory' "$zilch" sample good -o nowhere/points.csv
expect_failure 'folder: ' "$zilch" fit good.csv -o folder
expect_failure 'folder: ' "$zilch" sample good -o folder
expect_no_file nowhere
[ -z "$(ls -A folder)" ] || complain 'something in the folder'

# A full disk: a device that is, and a file that may not grow.
for command in "fit good.csv" "sample good"; do
  # shellcheck disable=SC2086 # two words
  expect_failure '/dev/full: cannot write: No space left on device' "$zilch" $command -o /dev/full
  # shellcheck disable=SC2086
  expect_refusal 'cannot write: File too large' sh -c 'ulimit -f 1; exec "$0" "$@"' "$zilch" $command
done
expect_failure 'cannot write: File too large' sh -c 'ulimit -f 1; exec "$0" sample good -o box/new.npy' "$zilch"
[ "$(ls -A box)" = old ] || complain "left behind: $(ls -A box)"

# Models: what is no model, a model cut anywhere, a model with any byte changed.
expect_refusal 'good.csv: ' "$zilch" sample good.csv
expect_failure 'good.csv: ' "$zilch" show good.csv
size=$(wc -c <small)
length=0
while [ "$length" -lt "$size" ]; do
  head -c "$length" small >damaged
  expect_refusal 'zilch sample: damaged: ' "$zilch" sample damaged
  length=$((length + 1))
done
{ cat small; echo; } >damaged
expect_refusal 'zilch sample: damaged: ' "$zilch" sample damaged
at=0
for byte in $(od -An -v -tu1 small); do
  cp small damaged
  printf "\\$(printf %03o $((byte ^ (1 << at % 8))))" | dd of=damaged bs=1 seek="$at" conv=notrunc 2>"$err"
  expect_refusal 'zilch sample: damaged: ' "$zilch" sample damaged
  expect_failure 'zilch show: damaged: ' "$zilch" show --json damaged
  at=$((at + 1))
done
[ "$at" -eq "$size" ] || complain 'not every byte was changed'
verdict
