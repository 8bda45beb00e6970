#!/bin/sh
# zilch show: the table for people, exactly, and the JSON for programs.
. "$(dirname "$0")/lib.sh"

printf '1,0\n0,2\n3,0\n4,-1\n0,1\n2,2\n0,0\n-1,3\n0,-2\n2,0\n0,3\n1,1\n' >data.csv
expect_status 0 "$zilch" fit data.csv -o model
expect_status 0 "$zilch" show model
expect_output 'model: 2 columns, active 62.5 % on average

  column            p           mu        sigma          tau
       1     0.583333      1.71429      1.48461    -0.210428
       2     0.666667        1.125      1.69097    -0.430727

strongest latent correlations, values:
  corr(V1,V2)         -0.9490  observed  -0.5114

strongest latent correlations, masks:
  corr(M1,M2)         -0.3911  observed  -0.2390

strongest latent correlations, value and mask:
  corr(V1,M2)         -0.2006  observed  -0.1336
  corr(V2,M1)          0.0888  observed   0.0612

fit: worth 12 rows, inverter exact, shrinkage none, projection repair (projection distance 0,
  identity weight 0)'
expect_status 0 "$zilch" show model --correlations 1
[ "$(grep -c 'corr(' "$out")" -eq 3 ] || complain 'not one correlation a block'
expect_status 0 "$zilch" show -k 0 model
[ "$(grep -c 'corr' "$out")" -eq 0 ] || complain 'correlations nobody asked for'

# Columns without a threshold; nothing goes with them.
printf '1,0,7\n2,0,7\n-3,0,7\n4,0,7\n' >special.csv
expect_status 0 "$zilch" fit special.csv -o special
expect_status 0 "$zilch" show special
expect_in_output '       1            1            1      2.54951         -inf'
expect_in_output '       2            0            0            0          inf'
expect_in_output '       3            1            7            0         -inf'
expect_in_output 'strongest latent correlations, values: none'

# A long model is shortened; --all shows it.
awk 'BEGIN {for (i = 1; i < 40; i++) for (j = 1; j <= 25; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 25 ? "," : "\n"}' >long.csv
expect_status 0 "$zilch" fit long.csv -o long
expect_status 0 "$zilch" show long
expect_in_output '     ... 5 more columns (--all shows them)'
[ "$(grep -cE '^ +[0-9]+ ' "$out")" -eq 20 ] || complain 'not 20 columns'
[ "$(grep -c 'corr(V[0-9]*,V' "$out")" -eq 10 ] || complain 'not the 10 strongest'
expect_status 0 "$zilch" show --all long
[ "$(grep -cE '^ +[0-9]+ ' "$out")" -eq 25 ] || complain 'not all columns'

# JSON: one line; infinite thresholds are null.
expect_status 0 "$zilch" show --json special
[ "$(wc -l <"$out")" -eq 1 ] || complain 'not one line'
expect_in_output '"dim": 3'
expect_in_output '"tau": [null, null, null]'
expect_in_output '"inverter": "exact"'
if [ -n "$numpy" ]; then
  for name in model special long; do
    "$zilch" show --json "$name" >"$name.json"
    expect_status 0 "$numpy" - "$name" <<'PYTHON'
import json
import math
import subprocess
import sys
import numpy as np

name = sys.argv[1]
m = json.load(open(name + ".json"))
x = np.loadtxt({"model": "data"}.get(name, name) + ".csv", delimiter=",")
d = x.shape[1]
assert list(m) == ["dim", "names", "p", "mu", "sigma", "tau", "structure", "loadings", "correlation", "observed", "report"], list(m)
assert m["dim"] == d and all(len(m[key]) == d for key in ("p", "mu", "sigma", "tau"))
active = x != 0
np.testing.assert_allclose(m["p"], active.mean(0), rtol=1e-15)
mu = [x[active[:, j], j].mean() if active[:, j].any() else 0 for j in range(d)]
np.testing.assert_allclose(m["mu"], mu, rtol=1e-13, atol=1e-15)
r, o = np.array(m["correlation"]), np.array(m["observed"])
assert r.shape == o.shape == (2 * d, 2 * d)
assert (r == r.T).all() and (np.diag(r) == 1).all() and np.linalg.eigvalsh(r).min() > -1e-12
assert set(m["report"]) == {"structure", "inverter", "shrinkage", "projection", "rows", "projection_distance", "identity_weight"}
assert m["report"]["rows"] == len(x)
for p, tau in zip(m["p"], m["tau"]):
    assert (tau is None) == (p in (0, 1))
    assert tau is None or abs(0.5 * math.erfc(tau / math.sqrt(2)) - p) < 1e-12
PYTHON
  done
fi

# Weights: a column for each network, and the same as JSON.
expect_status 0 "$zilch" train --examples 2000 --epochs 3 --units 8 --rate 2e-3 --final-rate 1e-5 --seed 7 -o weights
expect_status 0 "$zilch" train --block vm --examples 1000 --epochs 2 --units 16 --batch 64 --labels simulated \
  --rows 50 --seed 18446744073709551615 -o weights
expect_status 0 "$zilch" show weights
grep -v 'error' "$out" >"$scratch/io/table"
printf '%s\n' "weights: weights of the amortised inverter's networks" '' \
  'block                          mm           vm           vv' \
  'units                           8           16            8' \
  'labels                      exact    simulated        exact' \
  'examples                     2000         1000         2000' \
  'rows behind each                0           50            0' \
  'seed of the examples            7 18446744073709551615            7' \
  'epochs                          3            2            3' \
  'epochs done                     3            2            3' \
  'batch                         128           64          128' \
  'rate                        0.002        0.001        0.002' \
  'final rate                  1e-05        0.001        1e-05' \
  'seed                            7 18446744073709551615            7' >"$scratch/io/expected"
expect_same "$scratch/io/table" "$scratch/io/expected"
[ "$(grep -cE '^(training|validation) error( +[0-9.e-]+){3}$' "$out")" -eq 2 ] || complain 'not two errors of each'
expect_status 0 "$zilch" show --json weights
[ "$(wc -l <"$out")" -eq 1 ] || complain 'not one line'
cp "$out" weights.json
expect_status 0 python3 - <<'PYTHON'
import json
w = json.load(open("weights.json"))
assert list(w) == ["weights", "networks"] and w["weights"] == "weights"
n = w["networks"]
assert list(n) == ["mm", "vm", "vv"]
for block in n.values():
    assert 0 < block.pop("training_error") < 1 and 0 < block.pop("validation_error") < 1
assert n["mm"] == n["vv"] == {
    "examples": {"labels": "exact", "count": 2000, "rows": 0, "seed": 7}, "units": 8, "epochs": 3, "batch": 128,
    "rate": 2e-3, "final_rate": 1e-5, "seed": 7, "epochs_done": 3}
seed = "18446744073709551615"
assert n["vm"] == {
    "examples": {"labels": "simulated", "count": 1000, "rows": 50, "seed": seed}, "units": 16, "epochs": 2,
    "batch": 64, "rate": 1e-3, "final_rate": 1e-3, "seed": seed, "epochs_done": 2}
PYTHON
# A name that is no UTF-8 does not spoil the JSON.
odd=$(printf 'w\351ights')
cp weights "$odd"
expect_status 0 "$zilch" show --json "$odd"
expect_in_output '"weights": "w?ights"'
expect_failure 'data.csv: is neither a model nor weights of networks' "$zilch" show data.csv

# A document that does not arrive is a failure.
expect_failure 'cannot write to standard output: No space left on device' sh -c '"$0" show model >/dev/full' "$zilch"
expect_failure 'cannot write to standard output' sh -c '"$0" show --json long >/dev/full' "$zilch"
expect_status 2 "$zilch" show --jsno model
expect_in_error "did you mean '--json'?"
expect_status 2 "$zilch" show --json=yes model
expect_in_error "option '--json' takes no value"
expect_status 2 "$zilch" show model -k 1001
expect_in_error "--correlations: '1001' is not a whole number from 0 to 1000"
# Everything fits in 100 columns, and what was asked for can be copied from it.
# fits WORDS...: letters, not bytes
fits()
{
  expect_status 0 "$zilch" show "$@"
  LC_ALL=C.UTF-8 grep -E '^.{101}' "$out" >too_long || return 0
  cp too_long "$out"
  complain "more than 100 columns: show $*"
}
awk 'BEGIN {for (i = 1; i < 30; i++) for (j = 1; j <= 60; j++) printf "%s%s", ((i * j * 7 + i * i) % 11 > 5 ? -(i * i * j) / 7e100 : 0), (j < 60 ? "," : "\n")}' >wide.csv
expect_status 0 "$zilch" fit wide.csv --structure low-rank -o wide
fits wide --all
fits model
small='--population 20 --elites 5 --generations 2'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" optimize --problem ellipsoid:dim=40,active=20 $small --study wide.study --seed 18446744073709551615 --forced-on 1-3 \
    --forced-off '4,6-8' --shrinkage bayes --projection repair --refinement no --reevaluate all --initial-spread 0.123456789 --penalty 0.000012345
  expect_status 0 "$zilch" optimize --problem sphere:dim=40,active=3,noise=0.5 $small --study wide.study
  expect_status 0 "$zilch" compare --problem smop1 --dim 10 --methods "default+population=20,a name of a method in many words:ea+population=20" \
    --seeds 1 --generations 2 --study several.study
}
fits wide.study
fits several.study
[ "$(wc -l <"$out")" -eq 3 ] || complain 'a row of the table is broken'
grep -qF '...  ' "$out" || complain 'nothing is shortened'
for run in 1 2; do fits wide.study --run $run --all; done
"$zilch" show wide.study --run 1 | sed -n '/^asked for: zilch /,/[^\\]$/p' | sed 's/^asked for: zilch/"$1"/' >asked_for
[ "$(wc -l <asked_for)" -ge 2 ] || complain 'what was asked for is on one line'
sed -i '$s/$/ --study again.study/' asked_for
expect_status 0 sh asked_for "$zilch"
"$zilch" export wide.study --run 1 --csv >first.csv
"$zilch" export again.study --csv | cmp -s - first.csv || complain 'what was asked for gives another run'
verdict
