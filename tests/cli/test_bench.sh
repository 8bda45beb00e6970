#!/bin/sh
# zilch bench: the form of what it prints; never how fast.
. "$(dirname -- "$0")/lib.sh"

expect_status 0 "$zilch" bench model --json
cp "$out" bench.json
expect_status 0 python3 - bench.json <<'PYTHON'
import json, sys
rows = json.load(open(sys.argv[1]))
cases = [f"{what} {shape}" for shape in ("32 x 100000", "90 x 100", "200 x 400", "1000 x 2000")
         for what in ("fit", "invert exact", "invert amortised", "sample")
         if not what.startswith("invert") or shape == "90 x 100"]
assert [row["case"] for row in rows] == cases
for row in rows:
    assert set(row) == {"case", "value", "unit", "limit", "ratio"} and row["unit"] == "ms"
    assert row["value"] > 0 and row["limit"] > 0 and abs(row["ratio"] - row["value"] / row["limit"]) < 1e-9
PYTHON
expect_status 0 "$zilch" bench train
expect_in_output 'epoch vv 32 x 16000'
expect_status 0 "$zilch" bench large
expect_in_output 'low-rank d = 10000'
expect_status 2 "$zilch" bench
expect_status 2 "$zilch" bench modle
expect_in_error "there is no benchmark 'modle'; there is: model train lander"
verdict
