#!/bin/sh
# zilch show, best and export of studies: the tables, the JSON, and that they agree.
. "$(dirname "$0")/lib.sh"

# search ARGUMENTS...: a small one, into the study
search()
{
  "$zilch" optimize --refinement no --population 20 --elites 5 --study study "$@"
}
expect_status 0 search --problem smop1 --dim 6 --generations 30 --forced-on 1
expect_status 0 search --problem sphere:active=2,noise=0.5 --dim 6 --generations 3 --method ea --seed 18446744073709551615 \
  --groups '1-3;4,5'
cp study both

# All runs.
expect_status 0 "$zilch" show study
[ "$(wc -l <"$out")" -eq 3 ] || complain 'not a line for each run'
grep -qE '^run  problem +method +seed  ended by +evaluations +fitness +value +active$' "$out" || complain 'no heading'
grep -qE '^ +1  sm[^ ]*\.\.\. +default +1  generations +600 ' "$out" || complain 'no run 1'
grep -qE '^ +2  sp[^ ]*\.\.\. +ea +18446744073709551615  generations +[0-9]{3} ' "$out" || complain 'no run 2'

# One run: thinned, or all of it.
expect_status 0 "$zilch" show study --run 1
expect_in_output 'run 1: smop1:dim=6, 6 coordinates, minimize'
expect_in_output 'asked for: zilch optimize --problem smop1:dim=6 --forced-on 1 --penalty 0 --population 20 \'
expect_in_output '  --elites 5 --refinement no --generations 30 --seed 1'
expect_in_output 'ended by: generations'
grep -qE '^started: 20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z on .*, by zilch ' "$out" || complain 'no time'
[ "$(grep -cE '^ +[0-9]+ +[0-9]+ +0 ' "$out")" -eq 20 ] || complain 'not 20 generations'
grep -qE '^ +1 +20 +0 ' "$out" || complain 'not the first generation'
grep -qE '^ +30 +600 +0 ' "$out" || complain 'not the last generation'
expect_in_output '30 generations in all (--all shows them)'
expect_status 0 "$zilch" show study --run 1 --all
[ "$(grep -cE '^ +[0-9]+ +[0-9]+ +0 ' "$out")" -eq 30 ] || complain 'not all generations'
expect_status 0 "$zilch" show -r 2 study
expect_in_output "--groups '1-3;4,5'"
expect_in_output ' --method ea '
expect_in_output ' --seed 18446744073709551615'

# The best, to look at and to use.
expect_status 0 "$zilch" best study --run 1
expect_in_output 'run 1: smop1:dim=6'
expect_in_output 'best seen: value '
expect_in_output 'recommended: value '
grep -qE '^x[1-6] = ' "$out" || complain 'no coordinates'
expect_status 0 "$zilch" best study -o point.csv
[ "$(head -n 1 point.csv)" = x1,x2,x3,x4,x5,x6 ] && [ "$(wc -l <point.csv)" -eq 2 ] || complain 'not a point'
expect_status 0 "$zilch" best study -o point.npy
[ "$(head -c 6 point.npy | tail -c 5)" = NUMPY ] || complain 'not an .npy'

# Programs get all of it, and it agrees.
"$zilch" show study --json >runs.json
"$zilch" show study --run 2 --json >run.json
"$zilch" best study --run 2 --json >best.json
"$zilch" export study --json >rows.json
"$zilch" export study >rows.csv
"$zilch" export study --generations >generations.csv
"$zilch" export study --generations --json --run 2 >generations.json
"$zilch" export study --csv --run 2 -o two.csv
[ "$(wc -l <runs.json)$(wc -l <run.json)$(wc -l <best.json)" = 111 ] || complain 'not one line each'
expect_status 0 python3 - <<'PYTHON'
import csv, json
runs = json.load(open("runs.json"))["runs"]
run, best = json.load(open("run.json")), json.load(open("best.json"))
rows = json.load(open("rows.json"))
table = list(csv.DictReader(open("rows.csv")))
history = list(csv.DictReader(open("generations.csv")))
assert open("generations.csv").readline() == ("run,generation,evaluations,failures,points,best_value,best_fitness,"
    "best_active,noise,evaluating_seconds,searching_seconds\n")
assert open("rows.csv").readline() == "run,generation,id,value,fitness,active,x1,x2,x3,x4,x5,x6\n"
assert [r["run"] for r in runs] == [1, 2] and runs[1]["seed"] == "18446744073709551615"
asked = runs[0]["asked_for"]
assert sorted(asked) == ["final", "limit", "means", "option", "problem"] and runs[0]["ended_by"] == "generations"
assert asked["option"]["population"] == "20" and asked["limit"]["generations"] == "30" and asked["problem"] == {"forced_on": "1"}
assert runs[0]["method"] == "default" and runs[1]["method"] == "ea" and runs[0]["penalty"] == 0
assert len(rows) == len(table) == 660 and len(history) == 33 and len(run["history"]) == 3
for a, b in zip(rows, table):
    assert a["run"] == int(b["run"]) and a["generation"] == int(b["generation"]) and str(a["id"]) == b["id"]
    assert a["value"] == float(b["value"]) and a["fitness"] == float(b["fitness"]) and a["active"] == int(b["active"])
    assert a["x"] == [float(b["x%d" % i]) for i in range(1, 7)]
assert [r for r in rows if r["run"] == 2] and open("two.csv").read().count("\n") == 61
last = json.load(open("generations.json"))[-1]
assert {k: v for k, v in last.items() if k != "run"} == run["last"] == runs[1]["last"] == run["history"][-1]
assert run["best"] == best["best"] and run["recommended"] == best["recommended"]
first = [float(b["fitness"]) for b in table if b["run"] == "1"]
assert min(first) == runs[0]["last"]["best_fitness"] == float(history[29]["best_fitness"])
point = [float(v) for v in open("point.csv").read().split("\n")[1].split(",")]
assert point == best["recommended"]["x"]
front = [(f["active"], f["value"]) for f in run["front"]]
assert front == sorted(front) and all(a[1] > b[1] for a, b in zip(front, front[1:]))
PYTHON
expect_same both study # reading changes nothing
expect_status 0 search --problem smop1 --dim 4 --generations 1 --forced-off 1 --groups 2,3 --bounds -1:none --sigma-floor 0.25 \
  --study limited
"$zilch" show limited --run 1 --json >limited.json
expect_status 0 python3 - <<'PYTHON'
import json
s, free = json.load(open("limited.json"))["settings"], json.load(open("run.json"))["settings"]
assert s["forced"] == ["off", "free", "free", "free"] and s["groups"] == [0, 1, 1, 0]
assert s["lower"] == [-1] * 4 and s["upper"] == [None] * 4 and s["sigma_floor"] == 0.25
assert free["forced"] is None and free["groups"] == [1, 1, 1, 2, 2, 0] and free["sigma_floor"] == 0
recommended = json.load(open("run.json"))["recommended"]
assert recommended["failures"] == 0 and recommended["spent"] >= recommended["evaluations"]
PYTHON

# Evaluations of what is recommended that failed are told, and a mean of one value has no standard error.
cp study failing
/usr/bin/python3 -c 'import sqlite3
with sqlite3.connect("failing") as study:
    study.execute("UPDATE conclusions SET failures = 3, evaluations = 1, spent = 7, deviation = NULL WHERE run = 2")'
expect_status 0 "$zilch" best failing
grep -qE '^recommended: value [0-9.]+ with [0-9]+ active \(nonzero\) coordinates?, the mean of 1 new evaluation out of 7 in the final check, 3 failed' "$out" || complain 'failures are not told'
expect_status 0 "$zilch" best failing --json
expect_in_output '"standard_error": null'
expect_in_output '"failures": 3'

# Runs of different dimensions: a CSV has the columns of one.
expect_status 0 search --problem smop1 --dim 7 --generations 2
expect_failure 'study: its runs have different numbers of coordinates; choose one with --run, or use --json' \
  "$zilch" export study
expect_status 0 "$zilch" export study --run 3
expect_status 0 "$zilch" export study --json

# What is not there, or is no study.
expect_failure 'study: has no run 9; the last is 3' "$zilch" show study --run 9
for command in best export resume; do
  expect_failure 'study: has no run 9; the last is 3' "$zilch" "$command" study --run 9
  expect_failure 'nowhere: cannot open: No such file or directory' "$zilch" "$command" nowhere
  expect_failure 'point.csv: is no SQLite file, and so no zilch study' "$zilch" "$command" point.csv
done
expect_failure 'point.csv: is neither a model nor weights of networks nor a study' "$zilch" show point.csv
/usr/bin/python3 -c 'import sqlite3; sqlite3.connect("other.db").execute("CREATE TABLE a (b)")'
for command in show best export resume; do
  expect_failure 'other.db: is an SQLite file, but not a zilch study' "$zilch" "$command" other.db
done
printf '1,0\n0,2\n3,0\n4,-1\n0,1\n2,2\n' >data.csv
expect_status 0 "$zilch" fit data.csv -o model
expect_failure 'model: is no study, so it has no run 1' "$zilch" show model --run 1
expect_failure 'nowhere: cannot open: No such file or directory' "$zilch" show nowhere --run 1
head -c 5000 study >short
for command in show best export resume; do
  expect_status 1 "$zilch" "$command" short
  expect_in_error "zilch $command: short: "
done

# Output: whole or not at all.
expect_refusal 'study: has no run 9' "$zilch" export study --run 9
expect_refusal 'study: has no run 9' "$zilch" best study --run 9
expect_failure 'No such file or directory' "$zilch" export study --run 1 -o nowhere/rows.csv
expect_failure 'No such file or directory' "$zilch" best study -o nowhere/point
for command in 'export study --run 1' 'show study' 'best study' 'show study --json'; do
  # shellcheck disable=SC2086 # words
  expect_failure 'cannot write to standard output' sh -c 'exec "$@" >&-' sh "$zilch" $command
  # shellcheck disable=SC2086 # words
  expect_failure 'cannot write to standard output' sh -c 'exec "$@" >/dev/full' sh "$zilch" $command
done

# wrong COMMAND MESSAGE OPTION...
wrong()
{
  command=$1
  text=$2
  shift 2
  expect_status 2 "$zilch" "$command" "$@"
  expect_in_error "$text"
  expect_in_error "Try 'zilch $command --help'."
}
for command in show best export resume; do
  wrong "$command" 'is missing'
  wrong "$command" "--run: '0' is not a whole number" study --run 0
  wrong "$command" "--run: 'x' is not a whole number" study --run x
  wrong "$command" "unexpected argument 'more'" study more
  wrong "$command" "did you mean '--run'?" study --rum 1
done
wrong export '--csv and --json: give one of them' study --csv --json
wrong export '-o: study is the study itself' study -o study
wrong best '-o: study is the study itself' study -o study
for ending in -wal -shm -journal; do wrong best "-o: study$ending is the study itself, or a file of it" study -o "study$ending"; done
wrong best '-o writes the point itself; leave --json out' study --json -o point

# The script that measures the tables of docs/explanation/search.md makes each run once.
for turn in 1 2; do
  expect_status 0 python3 "$ZILCH_SOURCE_DIR/tools/ablation.py" "$zilch" smop --seeds 1 --dim 10 --only 'exact inverter' --keep kept
  [ "$(grep -c '^| published, exact' "$out")" -eq 1 ] || complain 'a table with one row'
  [ "$(ls kept | wc -l)" -eq 9 ] || complain 'nine problems'
done
verdict
