#!/bin/sh
# Manual pages: one for each command and one for all, with every option of the command's help; man and mandoc find nothing
# wrong in them. They are the ones that the build has made, to be installed. Completions have every option, too.
. "$(dirname "$0")/lib.sh"

"$zilch" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 17 ] || complain 'not all commands are listed'
expect_status 0 "$zilch" help --man
cp "$out" zilch.1
while read -r command; do
  expect_status 0 "$zilch" help --man "$command"
  cp "$out" "zilch-$command.1"
  grep -q "^\.BR zilch..$command (1)" zilch.1 || complain "zilch.1 does not name $command"
  option=--help
  ! "$zilch" "$command" --help | grep -q -e ' --help-all ' || option=--help-all
  "$zilch" "$command" "$option" | grep -oE '^  (-[a-zA-Z], |    )--[a-z0-9-]+(=[^ ]+)?' | sed 's/^ *//' | sort >listed
  sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "$out" | grep -A 1 -x '\.TP' | grep -e '--\|\\-' | sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\&//g' | grep -vx -e -- | sort >described
  expect_same listed described
  expect_status 0 "$zilch" help --complete -- "$command" '' --
  sed 1d "$out" | cut -f 1 | sort >completed
  grep -oE -e '--[a-z0-9-]+' listed | sort >names
  expect_same names completed
done <commands
expect_status 0 "$zilch" help --complete -- '' '' ''
sed 1d "$out" | cut -f 1 | cmp -s - commands || complain 'not all commands are completed'
expect_status 0 "$zilch" help --complete -- nosuch '' --
expect_output words
expect_status 2 "$zilch" help --man nosuch
expect_in_error "zilch help: unknown command 'nosuch'"
expect_status 2 "$zilch" help fit show
expect_in_error "unexpected argument 'show'"

for page in zilch*.1; do
  expect_same "$page" "$ZILCH_BUILD_DIR/cli/man1/$page"
  # A page without a date is the same in every build.
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date' >"$out" || :
    [ ! -s "$out" ] || complain "mandoc warns of $page"
  fi
  if command -v groff >/dev/null; then
    groff -man -T utf8 -ww -rLL=80n -Kutf8 "$page" >shown 2>"$out" || complain "groff fails on $page"
    [ ! -s "$out" ] || complain "groff warns of $page"
    grep -q 'Success' shown || complain "$page is not shown"
  fi
done
if command -v man >/dev/null && command -v groff >/dev/null; then
  MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z zilch-optimize.1 >/dev/null 2>"$out" || complain 'man fails'
  [ ! -s "$out" ] || complain 'man warns'
fi
verdict
