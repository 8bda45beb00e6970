#!/bin/sh
# A budget is a budget: all evaluations of a run, those of the final check included, are at most --evaluations. They are
# counted where they happen: in a program that notes each.
. "${0%/*}/lib.sh"

# The program: a point a line, a value a line; with a word, noise that follows from the number of the call.
cat >evaluate.py <<'END'
import random
import sys
noise = random.Random(7)
with open("calls", "a") as calls:
    for line in sys.stdin:
        x = [float(word) for word in line.split()]
        calls.write("x\n")
        calls.flush()
        value = (x[0] - 1)**2 + (x[1] + 0.5)**2 + sum(abs(each) for each in x[2:])
        print(value + (noise.gauss(0, 0.3) if len(sys.argv) > 1 else 0), flush=True)
END

# search WORD OPTION...: in this folder, with the program's word
search()
{
  word=$1
  shift
  rm -f calls
  "$zilch" optimize --program "python3 evaluate.py $word" --plain --dim 6 --penalty 0.02 --population 20 --elites 5 --jobs 1 "$@"
}
calls()
{
  wc -l <calls | tr -d ' '
}
printed()
{
  sed -n 's/^evaluations: \([0-9]*\).*/\1/p' "$out"
}

for word in '' noisy; do
  for budget in 1 4 7 30 200 1000; do
    rm -f s
    expect_status 0 search "$word" --evaluations $budget --study s
    expect_in_output 'stopped by: evaluations'
    [ "$(calls)" -le $budget ] || complain "$word $budget: $(calls) evaluations"
    [ "$(printed)" = "$(calls)" ] || complain "$word $budget: says $(printed), not $(calls)"
    if [ -z "$word" ] && [ $budget != 7 ]; then
      [ "$(calls)" -ge $((budget - 6)) ] || complain "$budget: only $(calls) are used"
    fi
    cp "$out" first
    expect_status 0 "$zilch" show s --run 1
    [ "$(printed)" = "$(calls)" ] || complain "$word $budget: show says $(printed), not $(calls)"
    expect_status 0 "$zilch" show s --run 1 --json
    python3 -c 'import json, sys
run = json.load(sys.stdin)
spent = run["recommended"]["spent"]
assert run["evaluations"] == int(sys.argv[1]) and run["last"]["evaluations"] + spent == run["evaluations"], run["evaluations"]
assert spent <= int(sys.argv[2]) // 5' "$(calls)" $budget <"$out" || complain "$word $budget: the document says something else"
  done
done
# What is not evaluated again is told.
expect_status 0 search noisy --evaluations 3 --study few
grep -qE '^recommended: value [0-9.]+ with [0-9]+ active \(nonzero\) coordinates?, not evaluated again$' "$out" || complain 'no word about the missing check'

# The final check that is asked for is inside, and leaves the search something.
rm -f s
expect_status 0 search noisy --evaluations 100 --final-evaluations 60 --final-pruning no --study s
[ "$(calls)" -le 100 ] && [ "$(calls)" -ge 95 ] || complain "$(calls) evaluations"
for budget in 60 59; do
  expect_status 2 search noisy --evaluations $budget --final-evaluations 60 --study none
  expect_in_error "--final-evaluations 60: are a part of --evaluations $budget, which must be more than them"
done
expect_status 2 "$zilch" resume s --evaluations 50 --trust
expect_in_error '--final-evaluations 60: are a part of --evaluations 50'
# Without a budget it comes on top.
rm -f s
expect_status 0 search noisy --generations 5 --study s
[ "$(calls)" -gt 400 ] && [ "$(printed)" = "$(calls)" ] || complain "$(calls) evaluations, says $(printed)"

# The same problem of the library's own, in one go, in two parts, and interrupted in the final check. The search of the first
# part has 162 evaluations, which is the end of a generation: one that is cut short would make another search.
tiny='--problem sphere:noise=1,dim=10 --population 20 --elites 5'
# shellcheck disable=SC2086
expect_status 0 "$zilch" optimize $tiny --evaluations 400 --study whole
cp "$out" whole.out
expect_in_output 'stopped by: evaluations'
[ "$(printed)" -le 400 ] && [ "$(printed)" -gt 380 ] || complain "$(printed) evaluations"
# shellcheck disable=SC2086
expect_status 0 "$zilch" optimize $tiny --evaluations 202 --study parts
expect_status 0 "$zilch" resume parts --evaluations 400
grep '^evaluations\|^recommended' "$out" >parts.line
grep '^evaluations\|^recommended' whole.out | cmp - parts.line || complain 'another end after two parts'
cat >slow.py <<'END'
import sys, time, os
for line in sys.stdin:
    with open("calls", "a") as calls:
        calls.write("x\n")
    if os.path.exists("slowly") and sum(1 for _ in open("calls")) > 85:
        time.sleep(5)
    x = [float(word) for word in line.split()]
    print(sum((each - 1)**2 for each in x[:2]) + hash(line) % 7 * 0.1, flush=True)
END
export PYTHONHASHSEED=0
slow() # becomes the command, so that a signal reaches it
{
  exec env --default-signal=INT "$zilch" optimize --program 'python3 slow.py' --plain --dim 4 --population 20 --elites 5 --jobs 1 --reevaluate none --evaluations 100 "$@"
}
to_its_end()
{
  (slow "$@")
}
rm -f calls
expect_status 0 to_its_end --study calm
grep '^evaluations\|^recommended' "$out" >calm.line
rm -f calls
: >slowly
slow --study stopped >"$out" 2>"$err" &
pid=$!
tries=0
while [ "$(cat calls 2>/dev/null | wc -l)" -lt 86 ] && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -s INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || complain "status $status after INT in the final check"
rm slowly
expect_status 0 "$zilch" resume stopped --trust
grep '^evaluations\|^recommended' "$out" | cmp - calm.line || complain 'another end after an interruption'

# A comparison gives each method the same.
expect_status 0 "$zilch" compare --problem sphere:noise=1,dim=10 --methods 'default:population=20+elites=5,ea:ea+population=50+elites=5' --seeds 2 \
  --evaluations 300 --held-out 5 --csv --study compared
python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert len(rows) == 4 and all(280 < int(row["evaluations"]) <= 300 for row in rows), [row["evaluations"] for row in rows]' <"$out" || complain 'another budget'
cp "$out" compared.csv
expect_status 0 "$zilch" compare --problem sphere:noise=1,dim=10 --methods 'default:population=20+elites=5,ea:ea+population=50+elites=5' --seeds 2 \
  --evaluations 300 --held-out 5 --csv --study compared
cmp -s "$out" compared.csv || complain 'a comparison that has ended says something else'
verdict
