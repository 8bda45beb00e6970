#!/bin/sh
# Help: every command has it, in lines that fit a terminal; the help of a search is short, and --help-all has every option.
# An option of zilch 0.1 is refused with the name that it has today.
. "$(dirname "$0")/lib.sh"

# fits: no line of the output is longer than 80 characters, and none ends in a blank
fits()
{
  awk 'length($0) > 80 || / $/ {print "too long, or a blank at its end: " $0; bad = 1} END {exit bad}' "$out" || complain "$*"
}

"$zilch" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
[ "$(wc -l <commands)" -eq 20 ] || complain 'not all commands are listed'
while read -r command; do
  expect_status 0 "$zilch" "$command" --help
  fits "$command --help"
  head -n 1 "$out" | grep -q "^Usage: zilch $command \[OPTION...\]" || complain "no usage of $command"
  expect_in_output '  -h, --help '
  [ "$(wc -l <"$out")" -ge 8 ] || complain "no help of $command"
  [ ! -s "$err" ] || complain "something on stderr: $command --help"
  cp "$out" short
  for words in "$command -h" "help $command"; do
    # shellcheck disable=SC2086 # words
    expect_status 0 "$zilch" $words
    expect_same short "$out"
  done
done <commands

# options: the names in the output, with their dashes
options()
{
  grep -oE '^  (-[a-z], |    )--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+' | sort
}
for command in optimize lander compare ask resume; do
  expect_status 0 "$zilch" "$command" --help
  [ "$(wc -l <"$out")" -le 60 ] || complain "$command --help has $(wc -l <"$out") lines, more than 60"
  [ "$(grep -cE '^[A-Z].*:$' "$out")" -ge 2 ] || complain "$command --help has no groups with headings"
  expect_in_output '--help-all'
  options >short
  cp "$out" short.text
  expect_status 0 "$zilch" "$command" --help-all
  fits "$command --help-all"
  [ "$(grep -cE '^[A-Z].*:$' "$out")" -ge 2 ] || complain "$command --help-all has no groups with headings"
  options >"all.$command"
  [ -z "$(comm -23 short "all.$command")" ] && [ "$(wc -l <short)" -lt "$(wc -l <"all.$command")" ] || complain "$command --help is not a part of --help-all"
  [ -z "$(uniq -d "all.$command")" ] || complain "$command --help-all has an option twice: $(uniq -d "all.$command")"
done
grep -q '^The search:$' short.text && complain 'resume does not change the search'
# Every row of the library's tables is an option, but for what single coordinates may be.
sed -n '/define ZILCH_OPTIMIZER_OPTION_LIST/,/^$/s/^ *\(CHOICE\|COUNT\|NUMBER\|FLAG\)(\([a-z_]*\),.*/\2/p; /define ZILCH_OPTIMIZER_OPTION_LIST/,/^$/s/^ *\([a-z_]*\), [A-Z]*, ZILCH.*/\1/p' \
  "$ZILCH_SOURCE_DIR/include/zilch.h" | tr _ - | sed 's/^/--/' >rows
[ "$(wc -l <rows)" -ge 28 ] || complain 'the rows of the table were not found'
for command in optimize lander ask; do
  sort rows | comm -23 - "all.$command" >missing
  [ ! -s missing ] || complain "$command --help-all lacks $(tr '\n' ' ' <missing)"
done

# ---- Letters: each stands for one option in all commands; -n is how many rows come out, whatever these are.

while read -r command; do
  option=--help
  ! grep -q . "all.$command" 2>/dev/null || option=--help-all
  "$zilch" "$command" "$option" | sed -n 's/^  -\([a-zA-Z]\), --\([a-z-]*\).*/\1 \2/p'
done <commands | sed 's/^n \(count\|rows\|episodes\)$/n rows that come out/' | sort -u >letters
[ "$(wc -l <letters)" -ge 12 ] || complain 'the letters were not found'
[ -z "$(cut -d ' ' -f 1 letters | uniq -d)" ] || complain "several meanings: $(cut -d ' ' -f 1 letters | uniq -d | tr '\n' ' ')"
grep -qx 'j jobs' letters || complain '-j is not --jobs'
for words in 'best s -j json' 'bench lander -j json' 'export s -j json' 'play -j json' 'recover -j json' 'train -j json' \
  'lander -n5 episodes' 'optimize -n episodes' 'compare -n seeds' 'recover -n rows' 'recover -m models'; do
  # shellcheck disable=SC2086 # words
  expect_status 2 "$zilch" ${words% *}
  letter=$(printf '%s' "$words" | grep -o -e ' -[a-z]')
  expect_in_error "unknown option '${letter# }'; since zilch 0.2 it is written '--${words##* }'"
done
expect_status 2 "$zilch" fit -j
expect_in_error "unknown option '-j'"

# ---- Options of zilch 0.1

sed -n 's/^ *{"\([a-z_]*\)", "\([a-z_]*\)"},$/\1 \2/p' "$ZILCH_SOURCE_DIR/src/base/renamed.c" | tr _ - >renamed
[ "$(wc -l <renamed)" -ge 28 ] || complain 'the table of old names was not found'
told=0
for command in optimize lander compare ask resume; do
  case $command in
    ask | resume) operand=some.study ;;
    *) operand= ;;
  esac
  while read -r before now; do
    ! grep -qx -e "--$before" "all.$command" || complain "--$before is an option of $command still"
    # shellcheck disable=SC2086 # nothing, or a study
    expect_status 2 "$zilch" $command $operand "--$before" 1
    expect_in_error "unknown option '--$before'"
    if [ -n "$now" ] && grep -qx -e "--$now" "all.$command"; then
      told=$((told + 1))
      expect_in_error "unknown option '--$before'; since zilch 0.2 it is called '--$now'"
    elif [ -z "$now" ] && grep -qx -e --population "all.$command"; then
      told=$((told + 1))
      expect_in_error "unknown option '--$before'; zilch 0.2 has it no longer"
    fi
    # With its value behind an equals sign, the same is said.
    cp "$err" first
    # shellcheck disable=SC2086
    expect_status 2 "$zilch" $command $operand "--$before=1"
    expect_same first "$err"
    # In a recipe of a comparison, too.
    if [ "$command" = optimize ] && grep -q 'since zilch 0.2\|no longer' first; then
      expect_status 2 "$zilch" compare --problem sphere --methods "ea+$before=1"
      expect_in_error "$(sed -n "1s/.*\(unknown option .*\)/\1/p" first)"
    fi
  done <renamed
done
# Most rows of the table are about a search; a command without such an option says no more than that it is unknown.
[ "$told" -ge 80 ] || complain "only $told old options were told of their new names"
[ "$(ls -A | grep -c study)" -eq 0 ] || complain 'a study was made'
verdict
