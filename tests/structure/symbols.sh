#!/bin/sh
# The shared library exports the functions that zilch.h declares, and nothing else.
. "${0%/*}/common.sh"

# Declarations are the statements that are no typedef; the name stands before the first "(".
cc -E -P '-D__attribute__(list)=' "$source/include/zilch.h" | tr '\n' ' ' | tr ';{}' '\n\n\n' | grep -v typedef |
  sed -nE 's/^[^(]*\<(zilch_[a-z0-9_]+)\(.*/\1/p' | sort >"$scratch/declared"
nm --dynamic --defined-only "$build/libzilch.so" | awk '$3 != "_init" && $3 != "_fini" {print $3}' |
  sort >"$scratch/exported"
count=$(wc -l <"$scratch/declared")
[ "$count" -ge 30 ] || complain "only $count declarations found in zilch.h"
comm -23 "$scratch/declared" "$scratch/exported" | while read -r name; do complain "$name: declared, not exported"; done
comm -13 "$scratch/declared" "$scratch/exported" | while read -r name; do complain "$name: exported, not declared"; done
echo "$count functions declared"
verdict
