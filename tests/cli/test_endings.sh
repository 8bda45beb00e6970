#!/bin/sh
# A search that has converged or diverged has ended: it says so, with the best it found, and the study has it.
. "$(dirname "$0")/lib.sh"

# Forced on, with the optimum at 0, coordinates shrink until their squares are no numbers any more.
narrow='--problem sphere:dim=3,active=1 --forced-on 1-3 --generations 5000 --refinement no --population 40'
expect_status 0 "$zilch" optimize $narrow --study narrow
expect_in_output 'stopped by: converged'
expect_in_output 'x1 = 1'
generations=$(sed -n 's/^generations: //p' "$out")
[ "$generations" -lt 5000 ] || complain 'it has not converged'
expect_status 0 "$zilch" show narrow
expect_in_output converged
expect_status 0 "$zilch" show narrow --json
expect_in_output '"converged"'
expect_status 0 "$zilch" best narrow
expect_status 0 "$zilch" report narrow -o narrow.html
expect_failure "run 1 has ended, after $generations generations, by: converged; to look elsewhere, begin another run" \
  "$zilch" resume narrow

# Nothing is left to do, however far the limit: it ends again, after the same generations.
expect_status 0 "$zilch" resume narrow --generations 9000
expect_in_output 'stopped by: converged'
expect_in_output "generations: $generations"

# From near the end, a run in two parts ends in the same place.
near='--problem sphere:dim=3,active=0 --forced-on 1-3 --initial-sigma 1e-130 --refinement no --population 20'
expect_status 0 "$zilch" optimize $near --generations 500 --study whole
expect_in_output 'stopped by: converged'
expect_status 0 "$zilch" optimize $near --generations 50 --study parts
expect_status 0 "$zilch" resume parts --generations 500
expect_in_output 'stopped by: converged'
"$zilch" export whole >whole.csv
"$zilch" export parts >parts.csv
expect_same whole.csv parts.csv

# By hand, which never ends, it begins anew, and says so.
expect_status 0 "$zilch" ask --dim 3 --forced-on 1-3 --initial-sigma 1e-150 --population 20 --csv anew
generation=0
while [ "$generation" -lt 100 ] && ! grep -q '^restarts: 1' "$out"; do
  "$zilch" ask --waiting --csv anew | awk -F, 'NR == 1 {print "id,value"} NR > 1 {print $1 "," $2 * 1e150 * $2 * 1e150 + 1}' |
    "$zilch" tell anew - >"$out" 2>"$err" || complain 'not told'
  "$zilch" ask --csv anew >"$out" 2>"$err" || complain 'not asked'
  "$zilch" show anew --run 1 >"$out"
  generation=$((generation + 1))
done
expect_in_output 'restarts: 1'

# The farther, the better, from far away.
cat >away.sh <<'E'
while read -r line; do set -- $line; echo "-$1" | sed 's/^--//'; done
E
expect_status 0 "$zilch" optimize --program 'sh away.sh' --plain --dim 2 --forced-on 1-2 --initial-sigma 1e145 \
  --refinement no --population 12 --generations 400 --final-pruning no --study wide
expect_in_output 'stopped by: diverged'
expect_failure 'by: diverged; to keep the search in, begin another run with --bounds' "$zilch" resume wide
expect_status 0 "$zilch" report wide -o wide.html
verdict
