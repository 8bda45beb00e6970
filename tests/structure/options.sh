#!/bin/sh
# An option of the optimiser is written by hand in three places: its row in zilch.h, its use in src/search (and in the
# model, which it is handed on to), and its explanation in docs/. Everything else follows from the row: nothing in the
# command, the Python package or the store names it. The exceptions are listed here, each with its reason. The reference
# page docs/reference/options.md is what the tables give.
. "${0%/*}/common.sh"

"$OPTIONS_PAGE" >"$scratch/options.md"
cmp -s "$scratch/options.md" "$source/docs/reference/options.md" ||
  complain "docs/reference/options.md is not what the tables give; make it anew: $OPTIONS_PAGE >docs/reference/options.md"

# FILE OPTION: why it is named there.
cat >"$scratch/known" <<'KNOWN'
cli/commands/cmd_ask.c population because it says how many points are left
cli/commands/cmd_ask.c refinement for the same reason
cli/commands/cmd_resume.c stagnation because it says which limit would let a run go on
cli/compare/compare_method.c stagnation because methods are compared with one budget
cli/options/option_parser.c population because it tells the commands that search from the others
cli/report/report_tables.c elites because the publication's study is recognised
cli/report/report_tables.c reevaluate for the same reason
cli/report/report_tables.c initial_spread for the same reason
cli/report/report_tables.c final_front because it says how lucky values are told from good ones
cli/commands/cmd_compare.c reevaluate because the publication's study is asked for
cli/commands/cmd_compare.c initial_spread for the same reason
cli/commands/cmd_compare.c final_pruning for the same reason
cli/request/search_check.c final_evaluations because the command says what is wrong in its own words
cli/request/search_check.c final_candidates for the same reason
cli/request/search_check.c final_front for the same reason
cli/request/search_options.c quorum because only 'zilch ask' can do something with it
cli/request/search_options.h population because a comment has an example
cli/run/search.c population because it foretells which limit ends a run
cli/study/run_record.c elites because the command that asks for a run again leaves out a fifth
cli/study/run_record.c population for the same reason
cli/study/search_report.c population because it is always shown
cli/study/search_report.c elites because it is always shown
cli/study/search_report.c expected_evaluations because it follows from a limit
cli/study/search_report.c stagnation because the budget is told in words
python/zilch/_evaluate.py population because the library remembers so many points that are out
python/zilch/_evaluate.py refinement because a search that has it does not end where its distribution does
python/zilch/_evaluate.py archive_size for the same reason
python/zilch/_minimize.py expected_evaluations because an executor is driven from here
python/zilch/_minimize.py final_candidates because the final check can be left out
python/zilch/_minimize.py final_evaluations for the same reason
python/zilch/_optimizer.py final_evaluations because the final check can be asked for
python/zilch/_optimizer.py aggregate because it says of how many values a mean is
python/zilch/nevergrad.py expected_evaluations because the host says how many there will be
python/zilch/_subsets.py expected_evaluations because a budget of fits says how many there will be
python/zilch/_subsets.py max_active because an estimator has its own word for it
python/zilch/_subsets.py min_active because a model needs a column
python/zilch/_options.py final_evaluations because minimize has it as a parameter of its own
src/store/study.c archive_size because dropped points are dropped from the file
src/store/study_asktell.c population because it says how many points are left
KNOWN

cd "$source"
sed -n 's/^| `\([a-z_]*\)` |.*/\1/p' "$scratch/options.md" | sort -u >"$scratch/names"
[ "$(wc -l <"$scratch/names")" -ge 30 ] || complain 'no options found'
# Names that are also those of a problem, of a run, of a fit or of counts cannot be looked for.
grep -vxE 'method|direction|penalty|rank|structure|inverter|shrinkage|projection|sigma_floor|generations|evaluations|target' "$scratch/names" >"$scratch/sought"
find cli python src/store src/parallel src/base -name '*.[ch]' -o -path 'python/zilch/*.py' | sort |
  grep -vxE 'src/store/study_version4.c|src/base/renamed.c|python/zilch/_foreign.py' >"$scratch/files"
while read -r name; do
  dashed=$(echo "$name" | tr _ -)
  xargs grep -lE -e "(\.|->)$name\>" -e "\"$name\"" -e "--$dashed\>" -e "\"$dashed\"" <"$scratch/files" |
    while read -r file; do
      grep -q "^$file $name " "$scratch/known" || complain "$file names the option $name"
    done
  [ "$(grep -cE "^ *(CHOICE|COUNT|NUMBER|FLAG)\($name," include/zilch.h)" = 1 ] || complain "$name has not one row in zilch.h"
  grep -rqw -- "$name\|$dashed" docs/explanation docs/reference || complain "$name is explained nowhere in docs/"
done <"$scratch/sought"
echo "$(wc -l <"$scratch/names") options"
verdict
