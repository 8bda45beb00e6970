#!/bin/sh
# `zilch report`: the page holds the study's numbers, the figures their data; and what is said, and made all the
# same, where something is missing. What a browser makes of the page: test_page.sh.
. "$(dirname "$0")/lib.sh"
small=population=20+elites=5
methods="gaussian:gaussian+reevaluate=all+initial-spread=0+final-pruning=no+penalty=0+$small,it's <b>:$small+final-evaluations=20,published:published+$small"

# A comparison on the lander: the tables are those of 'zilch compare', which come from the searches themselves.
compare()
{
  "$zilch" compare --methods "$methods" --seeds 2 --generations 8 --held-out 20 --study c.study "$@"
}
expect_status 0 compare --csv -o runs.csv
expect_status 0 compare
cp "$out" tables.txt
expect_status 0 "$zilch" report c.study -o page.html --figures figures
expect_output "page.html
figures"
[ ! -s "$err" ] || complain 'something is said'
cat >tables.py <<'END'
import html.parser

class Tables(html.parser.HTMLParser):
    """{id of the section: rows of texts}, and the text of the whole."""
    def __init__(self, page):
        super().__init__()
        self.tables, self.text, self.id, self.cell = {}, "", None, None
        self.feed(page)
    def handle_starttag(self, tag, attributes):
        self.id = dict(attributes).get("id", self.id) if tag == "section" else self.id
        if tag == "table":
            self.tables[self.id] = []
        if tag == "tr":
            self.tables[self.id].append([])
        if tag in ("td", "th"):
            self.cell = ""
    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[self.id][-1].append(" ".join(self.cell.split()))
            self.cell = None
    def handle_data(self, data):
        self.text += data
        self.cell = self.cell + data if self.cell is not None else None
END
cat >check.py <<'END'
import csv, re
from tables import Tables

page = Tables(open("page.html", encoding="utf-8").read())
runs = list(csv.DictReader(open("runs.csv", encoding="utf-8")))
expected = [[r["method"], r["seed"], r["generations"], f"{float(r['best_value']):.1f}", r["best_active"],
             f"{float(r['value']):.1f} ± {float(r['error']):.1f}", r["active"], f"{float(r['fitness']):.1f}"] for r in runs]
assert page.tables["table-runs"][1:] == expected, (page.tables["table-runs"], expected)

# The other tables say what 'zilch compare' prints, number for number.
blocks = open("tables.txt", encoding="utf-8").read().split("\n\n")
names = ["it's <b>", "gaussian", "published"]
def rows(lines):
    return [[name, *re.split(r"  +", line[len(name):].strip())] for line in lines for name in names if line.startswith(name + " ")]
for name, title in {"scores": "value of the best", "arrivals": "generations until", "active": "active coordinates of",
                    "recommended": "what is recommended", "tests": "p of the two-sided"}.items():
    block, = [b for b in blocks if b.startswith(title)]
    theirs = [[cell.replace("+-", "±").replace("–", "-") for cell in row] for row in rows(block.splitlines()[2:])]
    ours = [[re.sub(r"^–.*", "-", cell) for cell in row] for row in page.tables["table-" + name][1:]]
    assert len(theirs) == 3 and ours == theirs, (name, ours, theirs)

# The run that is shown is the best, and everything is of it.
best = max(runs, key=lambda r: float(r["fitness"]))
lead = " ".join(page.text.split())
assert f"({best['method']}, seed {best['seed']}) recommends a point with {best['active']} of 90" in lead
assert "Lunar Lander: 3 methods, 6 runs" in lead
END
python3 check.py 2>"$err" || complain 'the page and the comparison differ'

# Every figure in three forms, well-formed, drawn from what the study says.
for name in return active scores arrival counts run activity landing formulas; do
  for kind in svg png pdf gp; do
    [ -s "figures/$name.$kind" ] || complain "figures/$name.$kind is missing"
  done
  grep -q "<figure id=\"figure-$name\">" page.html || complain "$name is not in the page"
done
cat >check.py <<'END'
import csv, glob, math, sqlite3, xml.etree.ElementTree as tree
for path in glob.glob("figures/*.svg"):
    tree.parse(path)
runs = list(csv.DictReader(open("runs.csv", encoding="utf-8")))
def numbers(path):
    return [[float(x) for x in line.split()] for line in open(path) if line.strip() and line[0] != "#"]
def same(a, b):
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-8) or x != x and y != y for x, y in zip(a, b))
# Means and deviations by hand.
methods = list(dict.fromkeys(r["method"] for r in runs))
for k, row in enumerate(numbers("figures/scores.dat")):
    mine = [r for r in runs if r["method"] == methods[k]]
    expected = [k + 1]
    for column in ("best_value", "value"):
        x = [float(r[column]) for r in mine]
        mean = sum(x) / len(x)
        expected += [mean, math.sqrt(sum((v - mean) ** 2 for v in x) / (len(x) - 1))]
    assert same(row, expected), (row, expected)
# Activity, from the genomes in the file: mask bits, then the numbers that are not 0.
shown = max(runs, key=lambda r: float(r["fitness"]))
db = sqlite3.connect("file:c.study?mode=ro", uri=True)
run, method = db.execute("select run, method from runs where name = ? and seed = ?", (shown["method"], int(shown["seed"]))).fetchone()
if method != "adhoc":
    counts = [[0] * 90 for _ in range(8)]
    evaluations = [0] * 8
    for generation, genome in db.execute("select generation, genome from evaluations join points using (run, point) where run = ?", (run,)):
        evaluations[generation - 1] += 1
        for i in range(90):
            counts[generation - 1][i] += genome[i // 8] >> i % 8 & 1
    matrix = numbers("figures/activity.dat")
    assert len(matrix) == 90 and all(abs(matrix[i][g] - counts[g][i] / evaluations[g]) < 1e-4 for i in range(90) for g in range(8))
END
python3 check.py 2>"$err" || complain 'the data of the figures are wrong'

# Same study, same page. Another run can be shown.
expect_status 0 "$zilch" report c.study -o again.html
expect_same page.html again.html
expect_status 0 "$zilch" report c.study -o one.html --run 1 --figures one
expect_in_output one.html
grep -q '(gaussian, seed 1) recommends' one.html || complain 'run 1 is not shown'
[ ! -e one/correlations.svg ] || complain 'a Gaussian has no latent correlations'
expect_status 0 "$zilch" report c.study -o six.html --run 6 --figures six
[ -s six/correlations.svg ] || complain 'no latent correlations'
[ "$(awk 'NR == 1 {print NF}' six/correlations.dat)" -eq 40 ] || complain 'not 20 coordinates'

# Prices and budgets are the comparison's, whatever a method searches with; a name stands for one method.
cat >fitness.py <<'END'
import csv, sys
from tables import Tables
page = Tables(open(sys.argv[1], encoding="utf-8").read())
runs = list(csv.DictReader(open(sys.argv[2], encoding="utf-8")))
ours = [float(row[-1]) for row in page.tables["table-runs"][1:]]
assert len(ours) == len(runs) and all(abs(a - float(r["fitness"])) < 6e-4 * (1 + abs(a)) for a, r in zip(ours, runs)), (ours, runs)
assert ("table-active" in page.tables) == (len(sys.argv) == 3)
active = [row[6] for row in page.tables["table-runs"][1:]]
assert active == [r["active"] for r in runs], (active, runs)
END
printf 'a,b,c,y\n' >data.csv
awk 'BEGIN {for (i = 0; i < 60; i++) print i % 7 "," i % 5 "," i * i % 11 "," 2 * (i % 7) + i % 3}' >>data.csv
charged()
{
  rm -f charged.study
  expect_status 0 "$zilch" compare "$@" --study charged.study --csv -o charged.csv
  expect_status 0 "$zilch" report charged.study -o charged.html
}
charged --problem sphere:active=2 --dim 6 --penalty 0.1 --methods "a:$small,b:$small+penalty=5" --seeds 2 --generations 6
python3 fitness.py charged.html charged.csv 2>"$err" || complain 'not the penalty of the comparison'
charged --problem linear --data data.csv --methods "a:$small,b:$small+ea,c:$small+final-pruning=no" --seeds 3 --generations 4
python3 fitness.py charged.html charged.csv 2>"$err" || complain 'not the penalty of the first split'
cp charged.csv first.csv
expect_status 0 "$zilch" compare --problem linear --data data.csv --methods "a:$small,b:$small+ea,c:$small+final-pruning=no" --seeds 3 \
  --generations 4 --study charged.study --csv -o charged.csv
expect_same first.csv charged.csv
expect_failure "is called 'a' too, but was asked for with other options" "$zilch" compare --problem linear --data data.csv \
  --methods "a:$small" --penalty 0.25 --seeds 3 --generations 4 --study charged.study
charged --problem sphere:active=2 --dim 6 --methods "a:$small,b:population=50+elites=5" --seeds 2 --evaluations 300
python3 fitness.py charged.html charged.csv 'by evaluations' 2>"$err" || complain 'tables by generations, of a budget of evaluations'
expect_failure "is called 'a' too, but was asked for with other options" "$zilch" compare --problem sphere:active=2 --dim 6 \
  --methods "a:$small+ea" --seed 9 --seeds 2 --evaluations 300 --study charged.study
cp data.csv other.csv
echo 1,2,3,4 >>other.csv
for data in data.csv other.csv; do
  expect_status 0 "$zilch" optimize --problem linear --data $data --population 20 --elites 5 --generations 2 --study data.study
done
expect_status 0 "$zilch" report data.study -o data.html
grep -q '1; 1 of other problems' data.html || complain 'other data are the same problem'
rm other.csv
expect_status 0 "$zilch" report data.study -o data.html
grep -q 'The data are missing or have changed' data.html || complain 'missing data are not told'

# Names of all kinds, more methods than colours, and runs that are longer than others.
long=$(printf 'ä%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40)
names="100 %s:$small,$long:$small,a_b^{c}:$small,url(#q <i>&:$small"
for i in 5 6 7 8 9 10; do names="$names,m$i:$small"; done
for generations in 4 9; do
  expect_status 0 "$zilch" compare --problem smop1 --dim 8 --methods "$names" --seeds $((generations / 4)) --generations $generations --study names.study
  names="100 %s:$small"
done
expect_status 0 "$zilch" report names.study -o names.html --figures names
[ ! -s "$err" ] || complain 'names make gnuplot complain'
grep -q '<dd>4 to 9</dd>' names.html || complain 'the generations of the shortest and the longest'
python3 -c '
import glob, xml.etree.ElementTree as tree
for path in glob.glob("names/*.svg"): tree.parse(path)
text = open("names.html", encoding="utf-8").read()
assert "url(#q &lt;i&gt;&amp;" in text and "ä" * 40 in text' 2>"$err" || complain 'names are not as they were given'

# Figures of another study in the folder go away; what a run has not recommended is not shown as recommended.
[ -s figures/landing.svg ] || complain 'no landing'
expect_status 0 "$zilch" report names.study -o names2.html --figures figures
[ ! -e figures/landing.svg ] && [ -s figures/return.svg ] || complain 'pictures of another study are left'
cp c.study silent.study
python3 -c '
import sqlite3
db = sqlite3.connect("silent.study")
columns = "point mean deviation fitness evaluations failures spent active pruned held_out_mean held_out_error held_out_count x".split()
db.execute("update conclusions set " + ", ".join(c + " = NULL" for c in columns) + " where run = 1")
db.commit()'
expect_status 0 "$zilch" report silent.study -o silent.html --run 1
grep -q 'has recommended nothing' silent.html || complain 'nothing is recommended'
grep -q 'gaussian, seed 1, the best seen' silent.html || complain 'the best seen is not shown'

# One run, without noise and without a name; two that differ by their seeds belong together; other problems do not.
expect_status 0 "$zilch" optimize --problem sphere:active=4 --dim 8 --population 20 --elites 5 --generations 6 --study s.study --seed 1
expect_status 0 "$zilch" optimize --problem sphere:active=4 --dim 8 --population 20 --elites 5 --generations 6 --study s.study --seed=2
expect_status 0 "$zilch" report s.study -o sphere.html --figures sphere
grep -q '<h1>sphere:dim=8,active=4: 2 runs</h1>' sphere.html || complain 'not a title'
grep -q 'id="landing"' sphere.html && complain 'a landing of a sphere'
expect_status 0 "$zilch" optimize --problem smop1 --dim 12 --population 20 --elites 5 --generations 1 --study s.study --method ea
expect_status 0 "$zilch" report s.study -o smop.html
grep -q '<h1>smop1:dim=12: 1 run</h1>' smop.html || complain 'the last problem is not shown'
grep -q '1; 2 of other problems' smop.html || complain 'other problems are not counted'
expect_status 0 "$zilch" report s.study -o sphere2.html --run 1
grep -q '(default, seed 1) recommends' sphere2.html || complain 'not the run asked for'

# A study may come from anywhere: whoever looks at it starts no program that it names, whatever it says.
cp s.study named.study
cat >name_program.py <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect("named.study")
db.execute("update runs set name = 'x', problem = ?, data = 'd' where run = 3", (sys.argv[1],))
db.execute("insert or replace into settings values (3, 'problem', 'program', 'touch started')")
db.commit()
PYTHON
for problem in smop1:dim=12 program linear:response=1,searched=subset,validation=0.3; do
  python3 name_program.py "$problem"
  expect_status 0 "$zilch" report named.study -o named.html --run 3
  expect_status 0 "$zilch" best named.study --run 3
  expect_status 0 "$zilch" show named.study --run 3
  [ ! -s "$err" ] || complain "something is said about $problem"
  [ ! -e started ] || complain 'a program was started by looking at a study'
done

# Wrong words, wrong files.
expect_status 2 "$zilch" report
expect_in_error 'STUDY is missing'
expect_status 2 "$zilch" report c.study -o c.study
expect_in_error 'is the study itself'
expect_status 2 "$zilch" report c.study -o -
expect_failure 'missing.study: cannot open' "$zilch" report missing.study
expect_failure 'runs.csv: is no SQLite file' "$zilch" report runs.csv
expect_failure 'has no run 7' "$zilch" report c.study --run 7
expect_failure 'nowhere/page.html' "$zilch" report c.study -o nowhere/page.html
expect_failure 'runs.csv: cannot make the folder' "$zilch" report c.study --figures runs.csv -o box.html
expect_no_file box.html

# A run that has not ended is counted, and shown as far as it has come where it is asked for, or alone.
cp c.study open.study
python3 -c 'import sqlite3; db = sqlite3.connect("open.study"); db.execute("delete from conclusions where run = 4"); db.commit()'
expect_status 0 "$zilch" report open.study -o open.html
grep -q '5; 1 more has not ended' open.html || complain 'what has not ended is not told'
expect_status 0 "$zilch" report open.study -o four.html --run 4
grep -q 'has not ended: this is its state after 8 generations' four.html || complain 'run 4 is not shown as it stands'
grep -q '1; 5 more have ended' four.html || complain 'what has ended is not told'

# Evaluated by hand: nothing before a generation has closed, then what there is, by hostile names.
expect_status 0 "$zilch" ask hand.study --dim 3 --names '<b>flour,sugar,salt' --csv -o handed.csv
expect_failure 'hand.study: its runs have no generation yet' "$zilch" report hand.study -o none.html
expect_no_file none.html
for round in 1 2 3; do
  awk -F, 'NR == 1 {print $0 ",value"} NR > 1 {print $0 "," ($2 - 1) ^ 2 + ($3 + 2) ^ 2 + $4 * $4}' handed.csv >values.csv
  expect_status 0 "$zilch" tell hand.study values.csv
  expect_status 0 "$zilch" ask hand.study --csv -o handed.csv
done
expect_status 0 "$zilch" report hand.study -o hand.html --figures hand
grep -q 'Best point so far' hand.html || complain 'the point is not the best so far'
grep -q 'by hand: 1 run, not ended' hand.html || complain 'the title does not say that it goes on'
grep -q '&lt;b&gt;flour' hand.html || complain 'no names'
! grep -q '<b>flour' hand.html || complain 'a name is markup'
expect_no_file hand/arrival.svg
expect_file hand/front.svg
python3 - <<'END' || complain 'a name is not in the figure'
rows = [line.split() for line in open("hand/activity.text.dat") if line[0] != "#"]
text = bytes(int(byte) for number, byte in rows if number == "2").decode()
assert "flour" in text or "sugar" in text, text
END

# A regression: the response by name, predicted against observed, and R squared.
python3 -c '
import random
random.seed(1)
print("size,age,other,<height>")
for i in range(60):
    x = [random.gauss(0, 1) for k in range(3)]
    print(*x, 3 * x[0] + 10 + random.gauss(0, 0.1), sep=",")' >house.csv
expect_status 0 "$zilch" optimize --problem linear --data house.csv --evaluations 30 --study house.study
expect_status 0 "$zilch" report house.study -o house.html --figures house
grep -q '<h1>linear regression of &lt;height&gt;: 1 run' house.html || complain 'the title has no response'
grep -q 'R² of the point shown</dt><dd>0.99' house.html || complain 'no R squared'
[ "$(wc -l <house/predicted.dat)" -eq 61 ] || complain 'not a row for each prediction'
awk 'NR > 1 && ($1 - $2) ^ 2 > 1 {bad = 1} END {exit bad}' house/predicted.dat || complain 'not predictions'

# A logistic one: how many rows of each class got which probability, and the accuracy. As JSON, too.
awk -F, 'NR == 1 {print "size,age,other,ill"} NR > 1 {print $1 "," $2 "," $3 "," ($4 > 10)}' house.csv >ill.csv
expect_status 0 "$zilch" optimize --problem logistic --data ill.csv --evaluations 30 --study ill.study
expect_status 0 "$zilch" report ill.study -o ill.html --figures ill --json
python3 - "$out" <<'END' || complain 'not what the report has'
import json, sys
report = json.load(open(sys.argv[1]))
assert (report["study"], report["page"], report["figures"], report["run"]) == ("ill.study", "ill.html", "ill", 1), report
assert report["problem"] == "logistic regression of ill" and "probability" in report["drawn"], report
assert report["methods"][0]["method"] == "default" and report["methods"][0]["runs"] == 1, report
assert report["front"] and report["front"][0]["again"] is None, report
END
grep -q '<h1>logistic regression of ill: 1 run' ill.html || complain 'the title has no response'
grep -q 'accuracy of the point shown</dt><dd>' ill.html || complain 'no accuracy'
grep -q 'Predicted probability: ill' ill.html || complain 'the figure has no title'
rows=$(awk 'NR > 1 && ($4 > 10) {n++} END {print n + 0}' FS=, house.csv)
awk -v ones="$rows" 'NR > 1 {zeros += $2; sum += $3; low += $1 < 0.5 ? $3 : 0}
  END {exit !(NR == 21 && sum == ones && zeros == 60 - ones && low < ones / 5)}' ill/probability.dat || complain 'not the rows of the data'

# A program: its failures with their words.
cat >fails.py <<'END'
import json, sys
for line in sys.stdin:
    point = json.loads(line)
    if point["id"] % 5 == 4:
        print("<script> no mesh\nin line two", file=sys.stderr, flush=True)
        sys.exit(3)
    answer = {"error": "did <i>not</i> converge"} if point["id"] % 5 == 3 else {"value": sum(x * x for x in point["x"])}
    print(json.dumps({"id": point["id"], **answer}), flush=True)
END
expect_status 0 "$zilch" optimize --program 'python3 fails.py' --dim 3 --evaluations 30 --study fails.study
expect_status 0 "$zilch" report fails.study -o fails.html
grep -q 'times: <strong>said: did &lt;i&gt;not&lt;/i&gt; converge</strong>' fails.html || complain 'no reason'
grep -q '^<pre>| &lt;script&gt; no mesh$' fails.html || complain 'no standard error'
grep -q '^| in line two$' fails.html || complain 'no second line of standard error, behind a bar'

# The front: a table, whose points 'zilch best --active' gives; those of a lander are flown again.
cat >front.py <<'END'
import json, re, subprocess, sys
from tables import Tables
page = Tables(open("page.html", encoding="utf-8").read())
rows, run = page.tables["table-front"], re.search(r"Run (\d+) of the study", page.text)[1]
assert rows[0] == ["active", "on record", "evaluations", "evaluated again"], rows[0]
assert len(rows) > 2
for active, value, evaluations, again in rows[1:]:
    best = json.loads(subprocess.check_output([sys.argv[1], "best", "c.study", "--run", run, "--active", active, "--json"]))
    assert best["recommended"] is None and best["best"]["active"] == int(active)
    assert f'{best["best"]["value"]:.1f}' == value and best["best"]["evaluations"] == int(evaluations)
    assert sum(x != 0 for x in best["best"]["x"]) == int(active)
    mean, error = map(float, again.split(" ± "))
    assert error > 0
END
expect_status 0 python3 front.py "$zilch"
expect_status 0 "$zilch" best hand.study --active 1
expect_in_output 'best with at most 1 active: value '
expect_status 0 "$zilch" best hand.study --active 1 -o one.csv
[ "$(head -n 1 one.csv)" = '<b>flour,sugar,salt' ] || complain 'no names in the file'
expect_status 0 "$zilch" optimize --problem sphere:dim=4,active=2 --forced-on 1 --evaluations 30 --study forced.study
expect_failure 'the sparsest has 1' "$zilch" best forced.study --active 0

# What the final check made by leaving out coordinates is on the front, where nothing as sparse is as good.
cat >pruned.py <<'END'
import json, subprocess, sys
zilch, on_front, pruned = sys.argv[1], 0, 0
def run(*words):
    return json.loads(subprocess.check_output([zilch, *words, "--json"]))
def careful(p):
    return p["value"] + 2 * (p["error"] or 0)
for seed in range(1, 31):
    run("optimize", "--problem", "sphere:dim=20,active=5,noise=0.3", "--penalty", "0.3", "--evaluations", "400", "--seed", str(seed),
        "--study", "pruned.study", "--quiet")
    shown = run("show", "pruned.study", "--run", str(seed))
    front, r = shown["front"], shown["recommended"]
    assert all(a["active"] < b["active"] and careful(b) < careful(a) for a, b in zip(front, front[1:])), (seed, front)
    if not r["pruned"]:
        continue
    pruned += 1
    own = careful({"value": r["mean"], "error": r["standard_error"]})
    best = run("best", "pruned.study", "--run", str(seed), "--active", str(r["active"]))["best"]
    assert careful(best) <= own, (seed, best, r)
    if best["x"] == r["x"] and best["value"] == r["mean"]:
        on_front += 1
        assert best in [{**best, **p} for p in front]
assert on_front > 0, pruned
END
expect_status 0 python3 pruned.py "$zilch"

# On a log axis means are geometric; few seeds cannot give a small p; rare coordinates are greyed.
expect_status 0 "$zilch" compare --problem smop1:dim=12 --methods default:population=20,ea:ea+population=20 --seeds 3 --generations 30 --study log.study
expect_in_output 'with 3 runs of each it cannot be below 0.1'
expect_status 0 "$zilch" report log.study -o log.html --figures log
grep -q 'With 3 runs of each it cannot be below 0.1' log.html || complain 'the least p is not said'
python3 - <<'END' || complain 'the means are not geometric'
import math
rows = [list(map(float, line.split())) for line in open("log/progress.dat") if line.strip() and line[0] != "#"]
assert any(max(row[3::2]) > 10 * min(row[3::2]) > 0 for row in rows)
for row in rows:
    values = row[3::2]
    mean = math.exp(sum(map(math.log, values)) / len(values)) if min(values) > 0 else 0
    assert math.isclose(row[1], mean, rel_tol=1e-6), row
END
grep -q '^array is_rare\[12\] = \[.*1' log/correlations.meta.gp || complain 'no coordinate is rare'

# Another version; a file that another program keeps for itself.
cp c.study other.study
python3 -c 'import sqlite3; db = sqlite3.connect("other.study"); db.execute("pragma user_version = 99"); db.commit()'
expect_failure 'other.study: is a study of a later version than those that this library reads, 4 to 5' "$zilch" report other.study -o none.html
cat >lock.py <<'END'
import sqlite3, subprocess, sys
db = sqlite3.connect("c.study", isolation_level=None)
db.execute("pragma locking_mode = exclusive")
db.execute("begin exclusive")
sys.exit(subprocess.run(sys.argv[1:]).returncode)
END
expect_failure 'c.study: ' python3 lock.py "$zilch" report c.study -o none.html
expect_in_error 'locked'
expect_no_file none.html

# Without gnuplot: all but the figures, and the data of these.
status=0
env PATH=/nowhere "$zilch" report c.study -o bare.html --figures bare >"$out" 2>"$err" || status=$?
[ "$status" -eq 1 ] || complain "no gnuplot: status $status"
expect_in_error 'gnuplot is not installed'
expect_in_error 'bare.html: made without figures'
grep -q 'Without figures' bare.html || complain 'the page does not say so'
[ -s bare/progress.dat ] && [ ! -e bare/return.svg ] || complain 'not the data alone'
grep -q 'table-runs' bare.html || complain 'no tables'
# More methods than a table of pairs holds; no folder for figures.
for part in a b; do
  many=$(awk -v p=$part -v s="$small" 'BEGIN {for (i = 1; i <= 51; i++) printf "%s%s%d:%s", (i > 1 ? "," : ""), p, i, s}')
  expect_status 0 "$zilch" compare --problem sphere:active=2 --dim 3 --methods "$many" --seeds 1 --generations 1 --study many.study
done
status=0
env TMPDIR=/nowhere "$zilch" report many.study -o many.html >"$out" 2>"$err" || status=$?
[ "$status" -eq 1 ] || complain "no folder: status $status"
expect_in_error 'cannot make a folder for the figures'
grep -q 'sphere:dim=3,active=2: 102 methods, 102 runs' many.html || complain 'no page of 102 methods'
verdict
