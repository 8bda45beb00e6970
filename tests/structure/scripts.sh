#!/bin/sh
# The gnuplot scripts of the command have nothing that could turn a text into a command: no macros, no backquotes, no
# shell, no pipes; they load files that they name, and evaluate what they have made of numbers and words of their own.
# And the scripts that a document calls can be started.
. "${0%/*}/common.sh"

cd "$source/cli/report/figures"
# Comments are for people.
for file in *.gp; do sed -n "s/^\([^#].*\)$/$file: \1/p" "$file"; done >"$scratch/lines"
[ "$(wc -l <"$scratch/lines")" -gt 500 ] || complain 'no scripts found'

# forbid WHAT PATTERN [BUT]: no line has the pattern, unless it has the other one
forbid()
{
  grep -E -e "$2" "$scratch/lines" | grep -Ev -e "${3:-^$}" | while read -r line; do complain "$1: $line"; done
}
forbid 'a macro' '@'
forbid 'a backquote' '`'
forbid 'a command of the shell' '(^|[^a-z_])(system|shell|call|fit|import|exit|pause|cd|save|update|undefine)([^a-z_]|$)|: *!'
forbid 'a pipe' "[\"'] *[<|]([^=]|\$)"
forbid 'a file by a name that is not fixed' '(^|[^a-z_])load([^a-z_]|$)' ': *load "[a-z.]+"$'
forbid 'a file by a name that is not fixed' '(^|[^a-z_])set (print|table|output|loadpath)' "^style.gp: page\\(kind, name\\) = sprintf\\(\"[^\"]*set output '%s.%s'; %s\""
forbid 'data by a name that is not fixed' '(^|[^a-z_])(stats|plot|splot) ' \
  '(stats|plot) ("[a-z_]+\.dat"|figure\."\.dat"|texts_of\."\.text\.dat"|for \[|sample \[|2$)'
forbid 'a text that is run' '(^|[^a-z_])eval *\(' \
  'eval\((page\(kind, ("[a-z]+"|figure)\)|tall\([a-z0-9 +*().]+\)|row_page\(lines\)|scale|"set palette defined "\.pale_to_dark)\)$'
forbid 'a format that is not fixed' '(^|[^a-z_])g?printf *\(' '(sprintf|gprintf)\((fewest < most_runs \? )?"|gprintf\(format, x\)'

cd "$source"
find . -name '*.md' -not -path './build/*' -exec grep -Eoh '(^|[^a-z/])(tools|bench)/[a-z_]+\.sh( |`|$)' {} + | tr -d ' `(' | sort -u >"$scratch/called"
[ "$(wc -l <"$scratch/called")" -gt 5 ] || complain 'no scripts are called'
while read -r script; do
  [ -x "$script" ] || complain "$script cannot be started"
done <"$scratch/called"
verdict
