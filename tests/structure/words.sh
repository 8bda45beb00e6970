#!/bin/sh
# One word for one thing: the words of zilch 0.1 that 0.2 has replaced are nowhere, as names of functions, types, fields,
# options, settings, columns or files, but in the files below, which must know them, each for the reason behind it. A line
# that tells somebody the name of today has both.
. "${0%/*}/common.sh"

cd "$source"
git ls-files >"$scratch/all" 2>/dev/null && [ -s "$scratch/all" ] || skip 'this is no repository'
cat >"$scratch/known" <<'TEXT'
CHANGELOG.md                         history
tests/structure/words.sh             this list
src/base/renamed.c                   tells the name of today
src/store/schema4.sql                the tables that zilch 0.1 made
src/store/study_version4.c           reads studies of zilch 0.1
src/search/optimizer_options_file.c  reads optimisers of zilch 0.1
tests/test_optimizer_file.c          optimisers of zilch 0.1
tests/test_options.c                 every name that has changed
tests/test_version4.c                studies of version 4
tests/cli/test_version4.sh           studies of version 4
tests/cli/test_trust.sh              a setting of zilch 0.1 that is refused
tests/fuzz/fuzz_study.c              studies of version 4
tests/fuzz/study.dict                studies of version 4
tests/fuzz/make_seeds.sh             studies of version 4
tests/hostile/rows.py                arguments of studies of version 4
tests/hostile/values.py              arguments of studies of version 4
tests/hostile/bases.py               arguments of studies of version 4
docs/results/run.svg                 drawn by zilch 0.1
docs/results/tables.tex              printed by zilch 0.1
docs/results/tables.txt              printed by zilch 0.1
TEXT
# Fuzzers keep inputs of any kind, and zilch 0.1 wrote what is in tests/old_study.
grep -vE '^(tests/fuzz/corpus|tests/old_study)/' "$scratch/all" | while read -r file; do
  [ ! -f "$file" ] || grep -q "^$file " "$scratch/known" || printf '%s\n' "$file"
done >"$scratch/files"
[ "$(wc -l <"$scratch/files")" -gt 300 ] || complain 'no files found'

# refuse WHAT PATTERN [BUT]: no line has the pattern, unless it has the other one
refuse()
{
  tr '\n' '\0' <"$scratch/files" | xargs -0 grep -HnIE -e "$2" 2>/dev/null | grep -v 'since zilch 0\.2\|zilch 0\.2 has it no longer\|it is called\|zilch_option_renamed' |
    grep -vE -e "${3:-^$}" | cut -c 1-200 | while read -r line; do complain "$1: $line"; done
}

refuse 'a function of zilch 0.1' '\<zilch_(ask|tell|tell_error|tell_point|best|top|front|point|advance|progress_of|recommend|refit|optimize|pack|unpack)\>[^.]' \
  'zilch_(best|point|optimize)\.|struct zilch_'
refuse 'a function of zilch 0.1' '\<(zilch_lander_again|zilch_lander_look|zilch_refit_[a-z]+|zilch_law_(name|parse)|zilch_archive_(name|parse)|zilch_again_(name|parse)|zilch_values_(name|parse))\>'
refuse 'a type of zilch 0.1' '\<zilch_(law|refit|run_texts|recommend_options|again|archive|preset)\> *[*a-z_]*[,;)&*]'
refuse 'a constant of zilch 0.1' '\<ZILCH_(LAW|VALUES|PRESET|ARCHIVE|AGAIN)_[A-Z]'
refuse 'an inner name of zilch 0.1' '\<zi_(memory|lesson|worth|told|news|late|mend)(_[a-z_]+)?\>'
gone='price|law|preset|again|remember|shift|copied|redrawn|timid|widened|active-least|active-most|most-steps|most-failures|on|off|shortlist|recheck|prune|restart|over-ask|prior-p|prior-mu|prior-correlation|values|archive|share'
refuse 'an option of zilch 0.1' "(^|[^a-z-])--($gone)([^a-z-]|\$)" '(cmake|ctest|cpack)( --build| -S [^ ]+)* --preset|git .*--prune'
refuse 'an option of zilch 0.1 in a recipe' "[+,:\"'](price|law|preset|again|remember|shift|copied|redrawn|timid|widened|shortlist|recheck|prune|restart|over-ask|prior-p|prior-mu|prior-correlation|archive)=[a-z0-9]"
fields='price|preset|remember|copied|redrawn|timid|widened|active_least|active_most|most_steps|most_failures|shortlist|recheck|over_ask|prior_p|prior_mu|prior_correlation'
refuse 'a field of zilch 0.1' "(\\.|->|[\"'])($fields|prune|pull)\\>([\"']| *=[^=]|[];,)])" 'matrix\.preset'
refuse 'a field of zilch 0.1' "\\<($fields|prune)=[^=]"
refuse 'a name of zilch 0.1' '\<(active_least|active_most|most_steps|most_failures|over_ask|prior_p|prior_mu|prior_correlation)\>'
refuse 'a column or field of zilch 0.1' '["`](moved|pull|price)["`]'
refuse 'a name of a file of zilch 0.1' '\<(reading|scores|study_turns|search_texts|json_study|tell_read|rank_test)\.[ch]\>|(search|model)/(noise|rows)\.[ch]\>'
refuse 'a word of zilch 0.1' '\<(prices?|priced)\>'
for file in search/reading search/rows search/scores search/noise model/noise store/study_turns; do
  ! grep -qE "^src/$file\.[ch]\$" "$scratch/all" || complain "src/$file: a name of a file of zilch 0.1"
done
# What is not there need not be left out.
while read -r file reason; do
  [ -f "$file" ] && [ -n "$reason" ] || complain "$file: is left out without need"
  grep -qE 'pric|law|preset|again|remember|shift|copied|arguments|old' "$file" || complain "$file: has none of the words, and is left out"
done <"$scratch/known"
verdict
