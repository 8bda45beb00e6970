#!/bin/sh
# tools/results.sh, small: it makes all that docs/results shows, and a second time it finds all of it there.
. "$(dirname "$0")/lib.sh"

for turn in 1 2; do
  expect_status 0 sh "$ZILCH_SOURCE_DIR/tools/results.sh" "$zilch" "$PWD/results" 4 1
  mv results/times.txt "times_$turn"
  mkdir "turn_$turn"
  cp results/published.txt results/tables.txt results/runs.csv results/tables.tex "turn_$turn"
done
diff -r turn_1 turn_2 || complain 'other tables the second time'
[ "$(grep -c '^default,' results/runs.csv)" -eq 1 ] || complain 'a run of the default'
[ "$(wc -l <results/runs.csv)" -eq 8 ] || complain 'seven methods'
for figure in "$ZILCH_SOURCE_DIR"/docs/results/*.svg; do
  name=$(basename "$figure")
  [ -s "results/figures/$name" ] || [ -s "results/algorithm2/$name" ] || complain "no $name, which docs/results shows"
done
for page in results algorithm2; do
  grep -q '</html>' "results/$page.html" || complain "no whole page: $page"
done
verdict
