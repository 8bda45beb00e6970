#!/bin/sh
# zilch play: episodes equal to Gymnasium's, whatever the threads and lanes; traces; pictures; bad input.
. "$(dirname "$0")/lib.sh"

reference=${ZILCH_SOURCE_DIR:?}/tests/reference/lander
examples=$ZILCH_SOURCE_DIR/examples
python=$(command -v python3 || command -v /usr/bin/python3 || true)

# check CODE ARGUMENT...: a Python program; left out where there is no Python
check()
{
  [ -n "$python" ] || return 0
  expect_status 0 "$python" -c "$@"
}

# ---- Episodes ------------------------------------------------------------------------------

expect_status 0 "$zilch" play
[ "$(head -n 1 "$out")" = seed,return,steps,outcome ] || complain 'not the header'
[ "$(wc -l <"$out")" -eq 2 ] || complain 'not one row'
expect_in_error '1 episode, 162 steps'

expect_status 0 "$zilch" play --seed 0 --episodes 60 -o all.csv
[ ! -s "$out" ] || complain 'something on stdout'
expect_in_error '60 episodes'
expect_in_error 'outcome   landed 59, crashed 1, out 0, truncated 0'
check '
import csv, struct, sys
data = open(sys.argv[1] + "/returns.bin", "rb").read()
rows = list(csv.DictReader(open("all.csv")))
assert len(rows) == 60 and list(rows[0]) == ["seed", "return", "steps", "outcome"]
for k, row in enumerate(rows):
    total, steps, outcome = struct.unpack_from("<dIB", data, 12 + 13 * k)
    assert int(row["seed"]) == k
    assert float(row["return"]).hex() == total.hex(), (k, row, total)
    assert row["return"] == "%.17g" % total
    assert int(row["steps"]) == steps and row["outcome"] == ("landed", "crashed", "out", "truncated")[outcome]
' "$reference"

# Neither threads nor lanes nor what is played beside it change an episode.
for threads in 1 2 3; do
  expect_status 0 "$zilch" play -n 60 --threads $threads
  expect_same all.csv "$out"
done
for lanes in 0 1 4 8 16; do
  # Not every processor has the wide ones.
  if ! "$zilch" play --lanes $lanes >"$out" 2>"$err" && grep -q 'this processor has no' "$err"; then continue; fi
  expect_status 0 "$zilch" play -n 60 --lanes $lanes -o -
  expect_same all.csv "$out"
done
expect_no_file ./-
expect_status 0 "$zilch" play -s 7 -n 1
sed -n '9p' all.csv >row
tail -n 1 "$out" >"$scratch/io/row"
expect_same row "$scratch/io/row"
expect_status 0 "$zilch" play --seed 18446744073709551614 --episodes 2
[ "$(cut -d, -f1 "$out" | tail -n 1)" = 18446744073709551615 ] || complain 'not the largest seed'

# The published controller from a file, from standard input, and by name are the same.
expect_status 0 "$zilch" play -n 60 --controller "$examples/published.controller"
expect_same all.csv "$out"
expect_status 0 sh -c '"$0" play -n 60 -c - <"$1"' "$zilch" "$examples/published.controller"
expect_same all.csv "$out"
expect_status 0 "$zilch" play -n 60 -c heuristic -o heuristic.csv
! cmp -s all.csv heuristic.csv || complain 'the heuristic is no other controller'
printf '# does nothing\na_main = 0\n' >idle
expect_status 0 "$zilch" play -n 20 -c idle
expect_in_error 'landed 0, crashed'

# Wind and gravity, and the heuristic, as recorded; the total is that of the recorded rewards.
check '
import struct, subprocess, sys
data = open(sys.argv[1] + "/episodes.bin", "rb").read()
at, count, kinds = 12, 0, {}
for _ in range(struct.unpack_from("<I", data, 8)[0]):
    kind, discrete, wind, outcome, steps, seed, gravity, power, turbulence = struct.unpack_from("<4BIQ3d", data, at)
    at += 72
    total = 0.0
    for k in range(steps):
        total += struct.unpack_from("<d", data, at + 57 * k + 48)[0]
    at += 57 * steps
    key = kind, wind, gravity
    kinds[key] = kinds.get(key, 0) + 1
    if kind > 1 or discrete or kinds[key] > 3:
        continue
    command = [sys.argv[2], "play", "-c", ("published", "heuristic")[kind], "-s", str(seed), "--gravity", repr(gravity)]
    text = subprocess.run(command + ["--wind"] * wind, check=True, capture_output=True, text=True).stdout
    name = ("landed", "crashed", "out", "truncated")[outcome]
    assert text.splitlines()[1] == "%d,%.17g,%d,%s" % (seed, total, steps, name), (text, seed, total)
    count += 1
assert count == 14, count
' "$reference" "$zilch"

# ---- Traces -----------------------------------------------------------------------------------

# Recorded actions, replayed: every observation and reward to the bit. Episode 40 is random, 78 goes beyond
# the limits, 82 is truncated.
check '
import struct, subprocess, sys
data = open(sys.argv[1] + "/episodes.bin", "rb").read()
at, replayed = 12, 0
for index in range(struct.unpack_from("<I", data, 8)[0]):
    steps, seed = struct.unpack_from("<IQ", data, at + 4)
    start, at = at, at + 72 + 57 * steps
    if index not in (0, 20, 40, 41, 78, 80, 82):
        continue
    actions = [struct.unpack_from("<2d", data, start + 72 + 57 * k) for k in range(steps)]
    with open("actions.csv", "w") as file:
        file.write("main,side\n" if index % 2 else "")
        file.writelines("%r,%r\n" % a for a in actions)
    command = [sys.argv[2], "play", "--actions", "actions.csv", "--seed", str(seed), "--trace"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert rows.pop(0)[7:9] == ["l2", "reward"]
    assert len(rows) == steps + 1
    for k, row in enumerate(rows):
        place = start + 40 if k == 0 else start + 72 + 57 * (k - 1) + 16
        expected = struct.unpack_from("<8f", data, place)
        reward, end = struct.unpack_from("<dB", data, place + 32) if k else (0.0, 0)
        assert len(row) == 11
        assert struct.pack("<8f", *map(float, row[:8])) == struct.pack("<8f", *expected), (index, k)
        assert row[:8] == ["%.9g" % value for value in expected]
        assert float(row[8]).hex() == reward.hex() and row[8] == "%.17g" % reward, (index, k)
        assert row[9:] == [str(end & 1), str(end >> 1)], (index, k)
    replayed += 1
assert replayed == 7
' "$reference" "$zilch"

# Actions that are too many, too few, and a controller's trace.
expect_status 0 "$zilch" play --trace -o trace.csv
[ ! -s "$out" ] || complain 'something on stdout'
[ "$(wc -l <trace.csv)" -eq 164 ] || complain 'not 163 rows and their names'
awk 'BEGIN {for (i = 0; i < 300; i++) print "0 0"}' >many.txt
expect_status 0 "$zilch" play --actions many.txt --seed 4 --trace
tail -n 1 "$out" | grep -q ',-100,1,0$' || complain 'does not end with the crash'
rows=$(($(wc -l <"$out") - 1))
expect_in_error "the episode ended after $((rows - 1)) steps; $((301 - rows)) actions were left over"
printf '1,0.7\n' >one.csv
expect_status 0 "$zilch" play --actions one.csv --trace
[ "$(wc -l <"$out")" -eq 3 ] || complain 'not two rows and their names'
expect_in_error 'the actions ended after 1 steps, before the episode'
expect_status 0 "$zilch" play --actions one.csv
expect_in_output ',1,flying'
expect_status 0 "$zilch" play --actions many.txt --seed 4
expect_in_output ",$((rows - 1)),crashed"

# ---- JSON, SVG, HTML ------------------------------------------------------------------------------

expect_status 0 "$zilch" play -n 60 --json
[ ! -s "$err" ] || complain 'something on stderr'
cp "$out" all.json
expect_status 0 "$zilch" play -n 60 --json -o file.json
expect_same all.json file.json
check '
import csv, json, statistics
document = json.load(open("all.json"))
rows = list(csv.DictReader(open("all.csv")))
assert [e["return"] for e in document["episodes"]] == [float(row["return"]) for row in rows]
assert [e["seed"] for e in document["episodes"]] == list(range(60))
assert [e["outcome"] for e in document["episodes"]] == [row["outcome"] for row in rows]
returns = sorted(float(row["return"]) for row in rows)
s = document["summary"]
assert abs(s["mean"] - statistics.fmean(returns)) < 1e-9 and abs(s["sd"] - statistics.stdev(returns)) < 1e-9
assert s["min"] == returns[0] and s["max"] == returns[-1] and abs(s["median"] - statistics.median(returns)) < 1e-9
quarters = statistics.quantiles(returns, n=4, method="inclusive")
assert abs(s["q25"] - quarters[0]) < 1e-9 and abs(s["q75"] - quarters[2]) < 1e-9
assert s["share_200"] == sum(r >= 200 for r in returns) / 60 and s["steps"] == sum(int(row["steps"]) for row in rows)
assert s["outcomes"] == {"landed": 59, "crashed": 1, "out": 0, "truncated": 0}
assert document["controller"] == "published" and document["wind"] is False
'
expect_status 0 "$zilch" play --json --seed 18446744073709551615
expect_in_output '"seed": "18446744073709551615"'
expect_in_output '"sd": null'

cp idle 'a<b>&"c.txt'
expect_status 0 "$zilch" play -n 3 --svg flight.svg --html flight.html
head -n 4 all.csv >"$scratch/io/rows"
expect_same "$scratch/io/rows" "$out"
expect_status 0 "$zilch" play -c 'a<b>&"c.txt' --svg crash.svg --html crash.html
expect_status 0 "$zilch" play --actions one.csv --trace --svg one.svg --html one.html
check '
import re, xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
for name, poses in ("flight", 34), ("crash", 0), ("one", 2):
    root = tree.parse(name + ".svg").getroot()
    assert root.tag == space + "svg" and root.find(space + "title").text.startswith("Lunar Lander, seed 0")
    hulls = [use for use in root.iter(space + "use") if use.get("href") == "#hull"]
    assert len(hulls) == poses or not poses, len(hulls)
    text = open(name + ".svg").read().replace("http://www.w3.org/2000/svg", "")
    assert "://" not in text and "nan" not in text
    page = open(name + ".html").read()
    assert not re.search("https?:", page) and not re.search("@[A-Za-z.]+@", page)
    assert "nan" not in page and page.rstrip().endswith("</html>")
assert "landed, return 293.7" in open("flight.svg").read() and open("flight.html").read().count("\n[") == 163
assert "a&lt;b&gt;&amp;&quot;c.txt" in open("crash.svg").read() and "a<b>" not in open("crash.html").read()
'

# ---- Bad input ----------------------------------------------------------------------------------------

# bad_actions CONTENT MESSAGE
bad_actions()
{
  printf "$1" >bad.csv
  expect_refusal "zilch play: bad.csv: $2" "$zilch" play --actions bad.csv --trace
  expect_in_error 'actions are two numbers a row'
}
bad_actions '' 'is empty'
bad_actions 'main,side\n' 'has a header but no rows'
bad_actions '0,0\n0,nan\n' 'line 2 (row 2), column 2: nan is not allowed'
bad_actions 'main,side\n0,0\nNaN,1\n' 'line 3 (row 2), column 1 (main): NaN is not allowed'
bad_actions '0,0\n0,inf\n' 'line 2 (row 2), column 2: inf is not allowed'
bad_actions '0,0,0\n' 'has 3 columns;'
bad_actions '0\n1\n' 'has 1 column;'
bad_actions '0,0\n0\n' 'line 2 (row 2): 1 field, but 2 expected as in line 1'
bad_actions '0,0\n0,up\n' "line 2 (row 2), column 2: 'up' is not a number"
expect_refusal 'nowhere: cannot open: No such file or directory' "$zilch" play --actions nowhere

# bad_controller CONTENT MESSAGE
bad_controller()
{
  printf "$1" >bad
  expect_refusal "zilch play: bad: $2" "$zilch" play --controller bad
  expect_failure "zilch play: standard input: $2" sh -c '"$0" play --controller - <bad' "$zilch"
}
bad_controller '' 'there is no formula'
bad_controller 'a_main = y\na_side = 2 x + 3 vz\n' \
  "line 2, column 18: unknown name 'vz'; the names are x y vx vy theta omega l1 l2"
bad_controller 'a_main = x y vx\n' 'line 1, column 14: a third factor'
bad_controller 'a_main = y\na_main = x\n' 'line 2, column 1: a_main is given twice'
bad_controller 'a_main = y\000\n' 'has a NUL byte: this is no text file'
expect_refusal "publishd: cannot open: No such file or directory; did you mean 'published'?" "$zilch" play -c publishd
expect_refusal "--controller is a file, 'published' or 'heuristic'" "$zilch" play -c nowhere/at/all
mkdir folder
expect_refusal 'folder: cannot read: Is a directory' "$zilch" play -c folder
expect_failure 'No such file or directory' "$zilch" play -o nowhere/rows.csv
expect_failure 'No such file or directory' "$zilch" play --svg nowhere/a.svg
expect_failure 'No such file or directory' "$zilch" play --html nowhere/a.html
expect_failure 'cannot write to standard output' sh -c '"$0" play >&-' "$zilch"
expect_failure 'cannot write to standard output' sh -c '"$0" play --json >&-' "$zilch"
expect_failure 'cannot write to standard output' sh -c '"$0" play --actions one.csv --trace >&-' "$zilch"

# wrong MESSAGE OPTION...: wrong usage
wrong()
{
  text=$1
  shift
  expect_status 2 "$zilch" play "$@"
  expect_in_error "$text"
  expect_in_error "Try 'zilch play --help'."
}
wrong "--seed: '18446744073709551616' is not a whole number from 0 to 18446744073709551615" --seed 18446744073709551616
wrong "--seed: '-1' is not a whole number" --seed -1
wrong '--seed 18446744073709551615: 2 episodes need seeds beyond 18446744073709551615' --seed 18446744073709551615 -n 2
wrong "--episodes: '0' is not" --episodes 0
wrong '--actions and --controller' --actions one.csv --controller published
wrong '--actions repeats one episode' --actions one.csv --episodes 2
wrong '--trace shows one episode' --trace --episodes 2
wrong '--trace prints CSV' --trace --json
wrong '--lanes: 3 is not one of 0, 1, 4, 8 and 16' --lanes 3
wrong '--gravity' --gravity 0
wrong '--gravity' --gravity -12
wrong '--gravity' --gravity 3
wrong 'without --wind' --wind-power 3
wrong "--wind-power: '21' is not a number from 0 to 20" --wind --wind-power 21
wrong 'is the controller itself' -c idle -o idle
wrong 'holds the actions themselves' --actions one.csv --svg one.csv
wrong '--svg and --html name the same file' --svg same --html same
wrong '--svg: is written to a file' --svg -
wrong "did you mean '--episodes'?" --episode5 3
wrong "unexpected argument 'published'" published
expect_no_file same
expect_status 0 "$zilch" play --help
expect_in_output '--controller'
expect_status 0 "$zilch" help
expect_in_output 'play'
verdict
