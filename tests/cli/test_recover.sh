#!/bin/sh
# zilch recover: its tables, its JSON, and that threads change nothing.
. "$(dirname -- "$0")/lib.sh"

# small ARGUMENTS...: a small experiment, which must succeed
small()
{
  expect_status 0 "$zilch" recover --models 3 --dim 6 --rows 2000 "$@"
}

small --seed 7 --threads 1
[ ! -s "$err" ] || complain "something on stderr, which is no terminal"
expect_in_output '3 models, d = 6, n = 2000, p ~ U(0, 1), decay 0.6, seed 7'
expect_in_output '180 correlations, mean |rho| 0.' # 3 (12 * 11 / 2 - 6)
expect_in_output 'exact '
cp "$out" one
small --seed 7 --threads 1 --json
cp "$out" one.json
for threads in 2 5; do
  small --seed 7 --threads "$threads"
  expect_same one "$out"
  small --seed 7 --threads "$threads" --json
  expect_same one.json "$out"
done
small --seed 8
! cmp -s one "$out" || complain "another seed gives the same result"

# The JSON: its keys, that blocks add up to the whole (45 VV, 90 VM and 45 MM pairs), its ranges.
expect_status 0 python3 - one.json <<'PYTHON'
import json, sys
r = json.load(open(sys.argv[1]))
e = r["exact"]
b = e["blocks"]
assert set(b) == {"vv", "vm", "mm"} and r["correlations"] == 180
assert "amortised" in r and 0.1 < r["mean_abs_rho"] < 0.6
for key in ("mae", "mse"):
    mean = (b["vv"][key] + 2 * b["vm"][key] + b["mm"][key]) / 4
    assert abs(mean - e[key]) < 1e-12, (key, mean, e[key])
for part in (e, *b.values()):
    assert 0 < part["mse"] < part["mae"] < 0.2 and 0.8 < part["ccc"] < 1, part
PYTHON

# Each projection runs; what is known to be better is better.
for projection in clip repair nearest weighted; do
  expect_status 0 "$zilch" recover --models 4 --dim 8 --rows 20000 --projection "$projection" --json
  cp "$out" "$projection.json"
done
expect_status 0 python3 - <<'PYTHON'
import json
mae = {n: json.load(open(n + ".json"))["exact"]["mae"] for n in ("clip", "repair", "nearest", "weighted")}
assert mae["weighted"] < mae["nearest"] < mae["repair"] < 0.06, mae
PYTHON

expect_status 2 "$zilch" recover --p-min 0.9 --p-max 0.1
expect_in_error '--p-min 0.9 is above --p-max 0.1'
expect_status 2 "$zilch" recover --models 0
expect_status 2 "$zilch" recover --projection nearset
expect_status 2 "$zilch" recover extra
verdict
