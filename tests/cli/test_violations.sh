#!/bin/sh
# Limits that only the evaluation knows: a program that tells them, 'zilch tell', and what is said of points that break
# them, in words, in JSON and in CSV.
. "$(dirname "$0")/lib.sh"

# The sphere, where the first two coordinates must add up to 1: half of all points do not. At the best, both are 0.5.
cat >sphere.py <<'EOF_PYTHON'
import json, sys
never = len(sys.argv) > 1
for line in sys.stdin:
    asked = json.loads(line)
    x = asked["x"]
    limits = [1 - x[0] - x[1], -1]
    if never:
        limits.append(0.25)
    print(json.dumps({"id": asked["id"], "value": sum(v * v for v in x), "violations": limits}), flush=True)
EOF_PYTHON

search()
{
  "$zilch" optimize --dim 6 --evaluations 400 "$@"
}

# expect_feasible: nothing that was printed is said to be infeasible
expect_feasible()
{
  if grep -q infeasible "$out"; then complain 'said to be infeasible'; fi
}

expect_status 0 search --program 'python3 sphere.py' --study kept
expect_feasible
"$zilch" best kept --json >best
python3 - best <<'EOF_PYTHON' || complain 'what is recommended is not feasible, or not the best'
import json, sys
document = json.load(open(sys.argv[1]))
for point in document["best"], document["recommended"]:
    assert point["violation"] == 0 and point["x"][0] + point["x"][1] >= 1, point
    assert abs(sum(v * v for v in point["x"]) - 0.5) < 0.05, point
EOF_PYTHON

# Every evaluation has its violation; about half have one.
"$zilch" export kept >evaluations
python3 - evaluations <<'EOF_PYTHON' || complain 'violations are not those that were told'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
broken = 0
for row in rows:
    told = max(0, 1 - float(row["x1"]) - float(row["x2"]))
    assert float(row["violation"]) == told, row
    broken += told > 0
assert 0.2 < broken / len(rows) < 0.8, broken
EOF_PYTHON
"$zilch" export kept --json >evaluations.json
grep -q '"violation": *0\.' evaluations.json || complain 'no violation in JSON'
"$zilch" export kept --generations >generations
grep -q ',best_violation$' generations || complain 'no column best_violation'

# Interrupted and resumed, and with two programs at once: the same run.
expect_status 0 search --program 'python3 sphere.py' --jobs 2 --study whole --final-evaluations 1 --final-candidates 1
expect_status 0 search --program 'python3 sphere.py' --study parts --final-evaluations 1 --final-candidates 1 --generations 12
expect_status 0 "$zilch" resume parts --program 'python3 sphere.py' --generations 0
"$zilch" export parts >parts.csv
"$zilch" export whole >whole.csv
expect_same parts.csv whole.csv

# Nothing is feasible: it is said wherever the point is shown.
expect_status 0 search --program 'python3 sphere.py never' --study never --evaluations 100
grep -q '^best seen: .*, infeasible, violation 0\.25' "$out" || complain 'the best is not said to be infeasible'
grep -q '^recommended: .*, infeasible, violation 0\.25' "$out" || complain 'what is recommended is not said to be infeasible'
expect_status 0 "$zilch" best never
expect_in_output 'infeasible, violation 0.25'
expect_status 0 "$zilch" show never --run 1
expect_in_output 'infeasible, violation'

# By hand: JSON and tables. A study without violations has no column for them.
expect_status 0 "$zilch" ask hand --dim 2 --refinement no --population 4
"$zilch" export hand >nothing
if grep -q violation nothing; then complain 'a column for violations that there are none of'; fi
printf '{"id":0,"value":-5,"violations":[0.5,0.25]}\n{"id":1,"value":-9,"violation":1}\n' >lines
expect_status 0 "$zilch" tell hand lines
printf 'id,value,violation\n2,3,-1\n3,1,0.5\n' >table
expect_status 0 "$zilch" tell hand table
expect_in_output 'generation 1 has closed: best value 3, active'
expect_feasible
taken=$("$zilch" export hand | sed 1d | cut -d, -f3,4,7 | tr '\n' ' ')
[ "$taken" = '0,-5,0.75 1,-9,1 2,3,0 3,1,0.5 ' ] || complain "taken as $taken"
verdict
