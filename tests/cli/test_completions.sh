#!/bin/sh
# Completions of bash, zsh and fish: commands, the options of a command, the names of a choice, files. What a shell is asked
# here is what it is asked at a terminal; zsh's own functions are stood in for, since they need one. A shell that is not
# installed is left out. That no option is missing is for test_manual.sh.
. "$(dirname "$0")/lib.sh"

scripts=$ZILCH_SOURCE_DIR/cli/options/completions
mkdir programs
ln -s "$zilch" programs/zilch
PATH=$PWD/programs:$PATH
touch some.study other.csv
mkdir some.folder

# ---- The shells
# expect_words WORDS WANTED...: the last of the words becomes one of these and nothing else; expect_word: among others
check()
{
  words=$1
  shift
  # shellcheck disable=SC2086 # words
  (eval "$shell_answer $words") >answer.raw 2>&1 || :
  LC_ALL=C sort answer.raw >answer
  for word; do printf '%s\n' "$word"; done | LC_ALL=C sort >wanted
}

expect_words()
{
  check "$@"
  cmp -s wanted answer || { cp answer "$out"; complain "$shell_name: $1 should become: $(tr '\n' ' ' <wanted)"; }
}

expect_word()
{
  check "$@"
  grep -qx -e "$2" answer || { cp answer "$out"; complain "$shell_name: $1 should become, among others: $2"; }
}

# all_expectations OPTION SLASH: what stands before a value that is completed behind "=", and behind a folder
all_expectations()
{
  expect_words "opt" optimize
  expect_words "help opt" optimize
  expect_word "''" resume
  expect_words "optimize --meth" --method
  expect_word "optimize --" --penalty
  expect_words "optimize --method g" gaussian
  expect_words "optimize --problem ros" rosenbrock
  expect_words "optimize --problem=ros" "$1rosenbrock"
  expect_words "compare --methods default,g" default,gaussian
  expect_words "resume some.st" some.study
  expect_words "sample --out" --output
  expect_words "fit -o oth" other.csv
  expect_words "report some.study --figures some.f" "some.folder$2"
  expect_word "optimize --program seque" sequence-of-tests
  expect_words "nosuch --"
  expect_words "sample --rows 1"
}
printf '#!/bin/sh\n' >programs/sequence-of-tests
chmod +x programs/sequence-of-tests

shell_name=bash
cat >bash.sh <<'TEXT'
source "$1"
shift
COMP_WORDS=(zilch)
for word; do
  case $word in
    --*=*) COMP_WORDS+=("${word%%=*}" = "${word#*=}") ;;
    *) COMP_WORDS+=("$word") ;;
  esac
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; } # of a terminal
_zilch zilch "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
TEXT
if command -v bash >/dev/null; then
  shell_answer="bash bash.sh $scripts/zilch.bash"
  all_expectations '' ''
  [ "$(bash -c "source $scripts/zilch.bash; complete -p zilch")" = 'complete -F _zilch zilch' ] || complain 'bash does not know of it'
fi

shell_name=zsh
cat >zsh.sh <<'TEXT'
script=$1
shift
words=(zilch "$@") CURRENT=$#words PREFIX=$words[-1]
_describe() { local line; for line in "${(@P)3}"; do [[ $line != ${(b)PREFIX}* ]] || print -r -- "${line%%:*}"; done }
compset() { [[ $PREFIX != --*=* ]] || PREFIX=${PREFIX#*=} }
_files() { local -a found; if [[ $1 == -/ ]]; then found=($~PREFIX*(N/)); else found=($~PREFIX*(N)); fi; print -rl -- $found }
_command_names() { print -rl -- ${(k)commands[(I)${(b)PREFIX}*]} }
complete_it() { source $script }
complete_it
TEXT
if command -v zsh >/dev/null; then
  shell_answer="zsh -f zsh.sh $scripts/_zilch"
  all_expectations --problem= ''
fi

shell_name=fish
cat >fish.sh <<'TEXT'
source $argv[1]
complete -C "zilch "(string join ' ' -- $argv[2..-1]) | string replace -r '\t.*' ''
TEXT
if command -v fish >/dev/null; then
  shell_answer="fish --no-config fish.sh $scripts/zilch.fish"
  all_expectations --problem= /
fi
verdict
