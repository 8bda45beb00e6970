#!/bin/sh
# The command is a thin layer over the library: its .c files have at most 0.6 of the library's lines (tools/lines.sh). And
# examples are short: 40 lines, a case of the gallery 100.
. "${0%/*}/common.sh"

sh "$source/tools/lines.sh" >"$scratch/lines"
cat "$scratch/lines"
awk '$1 == "cli" && $2 > 1000 {known++} $1 == "src" && $2 > 1000 {known++} END {exit known != 2}' "$scratch/lines" || complain 'no lines found'
awk '$1 == "ratio" {exit !($2 <= 0.6)}' "$scratch/lines" || complain 'cli/ has more than 0.6 of the lines of src/'

# short MOST FILE...
short()
{
  most=$1
  shift
  for file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le "$most" ] || complain "${file#"$source"/} has $lines lines; at most $most are for it"
  done
}
short 40 "$source"/examples/*.py "$source"/examples/*.c "$source"/examples/*.slurm
short 100 "$source"/examples/gallery/*.py
verdict
