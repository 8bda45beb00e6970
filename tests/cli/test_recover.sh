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
for inverter in exact amortised; do
  expect_in_output "$inverter "
done
# The errors by min(p_i, p_j): one table, three blocks for each inverter.
grep -qE '^ +exact +amortised$' "$out" || complain 'the inverters are not side by side'
grep -qE '^min\(p_i, p_j\) +count( +VV +VM +MM){2}$' "$out" || complain 'not three blocks for each inverter'
[ "$(grep -cE '^[01]\.[0-9]{2} to [01]\.[0-9]{2} +[0-9]+( +([0-9.]+|-)){6}$' "$out")" -eq 8 ] || complain 'not eight bins'
[ "$(wc -L <"$out")" -le 80 ] || complain 'wider than 80 columns'
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
assert r["correlations"] == 180 and 0.1 < r["mean_abs_rho"] < 0.6 and r["weights"] is None
for inverter in ("exact", "amortised"):
    e = r[inverter]
    b = e["blocks"]
    assert set(b) == {"vv", "vm", "mm"} and len(e["mae_by_min_p"]) == 8
    for key in ("mae", "mse"):
        mean = (b["vv"][key] + 2 * b["vm"][key] + b["mm"][key]) / 4
        assert abs(mean - e[key]) < 1e-12, (inverter, key, mean, e[key])
for part in (r["exact"], *r["exact"]["blocks"].values()):
    assert 0 < part["mse"] < part["mae"] < 0.2 and 0.8 < part["ccc"] < 1, part
PYTHON

# The table of errors by min(p_i, p_j) has the JSON's numbers, those of the exact inverter first.
expect_status 0 python3 - <<'PYTHON'
import json, re
r = json.load(open("one.json"))
text = [line.split() for line in open("one") if re.match(r"\d\.\d\d to", line)]
for i, fields in enumerate(text):
    bins = [r[inverter]["mae_by_min_p"][i] for inverter in ("exact", "amortised")]
    mae = [b[block] for b in bins for block in ("vv", "vm", "mm")]
    assert fields[4:] == ["-" if m is None else "%.5f" % m for m in mae], (fields, mae)
    assert [float(fields[0]), float(fields[2])] == [bins[0]["low"], bins[0]["high"]]
assert sum(int(fields[3]) for fields in text) == r["correlations"]
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

# Other networks change the amortised inverter's part and nothing else; the text names their file.
expect_status 0 "$zilch" train --examples 2000 --epochs 2 --units 8 -o networks
small --seed 7 --weights networks
expect_in_output 'amortised with the weights in networks'
! cmp -s one "$out" || complain 'the weights change nothing'
small --seed 7 --weights networks --json
cp "$out" other.json
expect_status 0 python3 - <<'PYTHON'
import json
a, b = (json.load(open(name)) for name in ("one.json", "other.json"))
assert b["weights"] == "networks" and a["amortised"] != b["amortised"]
assert {k: v for k, v in a.items() if k not in ("weights", "amortised")} == \
    {k: v for k, v in b.items() if k not in ("weights", "amortised")}
PYTHON
expect_failure 'nowhere: cannot open' "$zilch" recover --weights nowhere
expect_failure 'one: weights: these are not the weights' "$zilch" recover --weights one
verdict
