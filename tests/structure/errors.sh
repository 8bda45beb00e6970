#!/bin/sh
# Errors are data: a place is told in fields of zilch_error, and no code compares, searches or cuts the text of an
# error. A statement that looks into a text must not name one, nor a variable that a text of an error was put into.
. "${0%/*}/common.sh"

cd "$source"
find src bench cli python -name '*.[ch]' | sort >"$scratch/files"
[ -s "$scratch/files" ] || complain 'no source files found'
while read -r file; do
  awk -v file="$file" '
    BEGIN {
      RS = ";"
      error = "zilch_last_error\\(|cli_error_text\\(|cli_error_format\\(|error(\\.|->)(text|message|where)"
      looks = "(^|[^a-z_])(strn?cmp|strn?casecmp|str(str|chr|rchr|spn|cspn|pbrk|tok|tok_r|sep)|strto[a-z]+|mem(chr|cmp|mem)|sscanf)\\("
    }
    {
      if (match($0, /[A-Za-z_]+ *= *(zilch_last_error|cli_error_text|cli_error_format)\(/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/ *=.*/, "", name)
        error = error "|" name "[,) +[]"
      }
      if ($0 ~ looks "([^()]*[^()A-Za-z_])?(" error ")") {
        gsub(/[ \n]+/, " ")
        print file ": looks into the text of an error:" $0
      }
    }' "$file" >>"$scratch/complaints"
done <"$scratch/files"

# A place that is written into a text cannot be counted or named in another way.
grep -rnE '"[^"]*\<(row|column|coordinate)s? %(zu|td|llu)' src | grep 'zi_fail' | while read -r line; do
  complain "$line: a place within a text; zi_fail_at() tells it apart"
done
grep -rn 'counted from' src cli python/*.c python/zilch --include='*.c' --include='*.py' | grep 'fail\|raise' | while read -r line; do
  complain "$line: only zilch_error_format() says how places are counted"
done

# Python neither.
grep -rnE '(\<in|==|startswith|endswith|split|search|match|replace)\>.*(str\((error|exc|e|err|why)\)|\.args\[)' python/zilch \
  --include='*.py' | while read -r line; do
  complain "$line: looks into the text of an error"
done
grep -rnE '(str\((error|exc|e|err|why)\)|\.args\[[0-9]\])(\.| ==| in)' python/zilch --include='*.py' | while read -r line; do
  complain "$line: looks into the text of an error"
done
verdict
