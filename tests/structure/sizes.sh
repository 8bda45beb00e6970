#!/bin/sh
# No function over 80 lines, no .c file over 600, in src/, bench/, cli/ and python/.
. "${0%/*}/common.sh"

cd "$source"
find src bench cli python -name '*.c' | sort >"$scratch/files"
# A function's braces stand in the first column; nothing else's opening brace does.
while read -r file; do
  lines=$(wc -l <"$file")
  [ "$lines" -le 600 ] || complain "$file: $lines lines"
  awk -v file="$file" '/^\{/ {start = NR} /^\}/ && start {print NR - start + 1, file ":" start; start = 0}' "$file"
done <"$scratch/files" | sort -n >"$scratch/functions"
awk '$1 > 80 {print $2 ": a function of " $1 " lines"}' "$scratch/functions" |
  while read -r line; do complain "$line"; done
count=$(wc -l <"$scratch/functions")
[ "$count" -gt 0 ] || complain 'no functions found'
median=$(sed -n "$(((count + 1) / 2))p" "$scratch/functions")
echo "$(wc -l <"$scratch/files") files, $count functions, of ${median%% *} lines at the median"
verdict
