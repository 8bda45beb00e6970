#!/bin/sh
# The command is a thin layer over the library: its .c files have at most 0.6 of the library's lines (tools/lines.sh).
. "${0%/*}/common.sh"

sh "$source/tools/lines.sh" >"$scratch/lines"
cat "$scratch/lines"
awk '$1 == "cli" && $2 > 1000 {known++} $1 == "src" && $2 > 1000 {known++} END {exit known != 2}' "$scratch/lines" || complain 'no lines found'
awk '$1 == "ratio" {exit !($2 <= 0.6)}' "$scratch/lines" || complain 'cli/ has more than 0.6 of the lines of src/'
verdict
