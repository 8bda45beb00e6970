#!/bin/sh
# zilch ask and tell: a run is begun by name, a value stays with its point, workers wait for a generation or never do.
. "$(dirname "$0")/lib.sh"

# evaluate: a table of points on stdin, with a value behind each
evaluate()
{
  awk -F, 'NR == 1 {print $0 ",value"} NR > 1 {s = ($2 - 1)^2; for (i = 3; i <= NF; i++) s += $i^2; printf "%s,%.17g\n", $0, s}'
}

# ---- A second run is begun only where it is asked for
"$zilch" ask study --dim 3 --refinement no --population 4 --csv >first
evaluate <first >values
cp study before
expect_status 2 "$zilch" ask study --dim 3
expect_in_error 'study: has a run already; for its points, leave out --dim'
expect_in_error '--new-run begins another run beside it'
expect_same before study
expect_status 2 "$zilch" ask study --new-run
expect_in_error '--new-run: needs --dim N'
expect_status 2 "$zilch" ask study --new-run --dim 3 --run 1
expect_in_error '--run: names a run that is there'
expect_status 0 "$zilch" ask study --new-run --dim 3 --refinement no --population 4 --seed 2 --csv
cp "$out" second
cmp -s first second && complain 'not another run'
# From now on nobody guesses which of both is meant.
for command in 'ask study' 'tell study values' 'tell study --advance' 'ask study --waiting'; do
  # shellcheck disable=SC2086 # words
  expect_failure 'runs 1 and 2 are both evaluated by hand; say which one is meant, with --run N' "$zilch" $command
done
expect_failure 'values: line 2: x' "$zilch" tell study values --run 2
expect_in_error 'the value belongs to another point, or to another run'
expect_status 0 "$zilch" ask study --run 2 --waiting --csv
expect_same second "$out"
expect_status 0 "$zilch" tell study values --run 1
expect_in_output 'generation 1 has closed'
# A run that is not by hand is not meant.
expect_status 0 "$zilch" ask mixed --dim 2 --csv
expect_status 0 "$zilch" optimize --problem smop1 --dim 2 --evaluations 20 --study mixed
expect_status 0 "$zilch" ask mixed --waiting --csv
expect_in_output 'id,x1,x2'
expect_status 2 "$zilch" ask mixed --dim 2
# What was asked for is kept, and 'zilch show' says it in words that begin the same run.
"$zilch" ask words --dim 3 --bounds 0:3 --names '"a,b",c,d' --penalty 0.1 --direction maximize --quorum 0.9 -s 4 --csv >first
"$zilch" show words --run 1 >shown
grep -qxF 'names: "a,b", c, d' shown || complain 'not the names'
sed -n '/^asked for: /,/[^\\]$/p' shown | sed 's/^asked for: zilch ask STUDY/"$zilch" ask other --csv/' >asked_for
sh -c 'zilch=$1; . ./asked_for' sh "$zilch" >again || complain 'it cannot be asked for again'
expect_same first again
for key in asked_for direction penalty; do
  for study in words other; do
    "$zilch" show $study --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0][sys.argv[1]])' $key
  done >both
  [ "$(sort -u both | wc -l)" -eq 1 ] || complain "$key is not the same"
done

# A value of the open generation is kept, and not counted yet.
sed -n 's/^\([0-9]*\),.*/\1,1/p' first | head -n 1 >one
[ "$("$zilch" tell words one)" = '1 value taken; the generation is still open' ] || complain 'not one value'
expect_status 0 "$zilch" show words --run 1
expect_in_output 'evaluations: 0, 0 failed; 1 more since the last generation'

# Several who begin at once: one run.
for k in 1 2 3 4 5 6; do
  "$zilch" ask race --dim 2 -n 1 >"race$k" 2>&1 &
done
wait
[ "$(cat race? | grep -c '^{"id":0,')" -eq 1 ] || complain "not one has begun: $(cat race?)"

# ---- Whose values they are
"$zilch" ask fresh --dim 3 --refinement no --population 4 --csv >points
# contradicts PLACE TEXT: nothing of the file is taken
contradicts()
{
  cp fresh study
  printf '%s\n' "$2" >values
  expect_failure "$1" "$zilch" tell study values
  cmp -s fresh study || complain "something was taken: $2"
}
x=$(sed -n 3p points | cut -d, -f2-)
contradicts 'values: line 3: x2 is 7, but point 1 of run 1 has ' "id,x1,x2,value
0,,,1
1,,7,2"
contradicts 'values: line 1: x1 is 0, but point 1 of run 1 has ' "{\"id\":1,\"value\":2,\"active\":{\"2\":1}}"
contradicts 'values: line 1: x1 is ' "{\"id\":0,\"value\":2,\"x\":[$x]}"
contradicts 'values: line 2, field 2 (x1): '"'a' is not a number" "id,x1,value
1,a,2"
contradicts 'values: line 1, column 23: is not a point of the run: ' "{\"id\":1,\"value\":2,\"x\":\"1\"}"
# What agrees is taken: as it came, in other orders, rounded, or a part of it.
cp fresh study
printf '{"id":1,"value":2,"x":[%s]}\n' "$x" | "$zilch" tell study >"$out" || complain 'as it came'
awk -F, 'NR == 1 {print "value,x3,x1,id"} NR == 4 {printf "1,%.6g,%.6g,%s\n", $4, $2, $1}' points >values
expect_status 0 "$zilch" tell study values
"$zilch" ask study --waiting --sparse | sed 's/}$/,"value":3}/' | "$zilch" tell study >"$out" || complain 'sparsely'
expect_in_output 'generation 1 has closed'
# By name, too.
"$zilch" ask named --dim 3 --names flour,sugar,salt --refinement no --population 4 >points
printf 'salt,id,value\n77,0,1\n' >values
expect_failure 'values: line 2: salt is 77, but point 0 of run 1 has ' "$zilch" tell named values
# Begun in the same pipe.
"$zilch" ask piped --dim 3 --csv -n 4 | evaluate | "$zilch" tell piped >"$out" || complain 'not in a pipe'

# ---- Waiting for a generation
expect_status 2 "$zilch" ask study --wait --more -n 1
expect_status 2 "$zilch" ask study --timeout 3
expect_in_error '--timeout: is for --wait'
"$zilch" ask patient --dim 3 --refinement no --population 4 --csv >points
expect_status 3 "$zilch" ask patient --wait --timeout 0.3
expect_in_error 'no point for 0.3 seconds: all of the generation are out'
[ ! -s "$out" ] || complain 'points, and the time was over'
expect_status 0 "$zilch" ask patient --waiting --csv
expect_same points "$out"
"$zilch" ask patient --wait --timeout 60 --csv >next &
waiting=$!
sleep 0.3
kill -0 "$waiting" 2>/dev/null || complain 'it did not wait'
evaluate <points | "$zilch" tell patient >/dev/null
wait "$waiting" || complain 'not the next generation'
[ "$(sed 1d next | cut -d, -f1 | tr '\n' ' ')" = '4 5 6 7 ' ] || complain "not the next four: $(cat next)"
# A signal ends it, and nothing is handed out; what is beside the study goes away.
"$zilch" ask patient --wait >next &
waiting=$!
sleep 0.3
kill -TERM "$waiting"
status=0
wait "$waiting" || status=$?
[ "$status" -eq 143 ] && [ ! -s next ] || complain "status $status, not as SIGTERM ends it"
[ "$(echo patient*)" = patient ] || complain "left behind: $(echo patient*)"

# worker ROUNDS OPTIONS...: asks for a point, evaluates it, tells its value, so often
worker()
{
  rounds=$1
  shift
  while [ "$rounds" -gt 0 ]; do
    rounds=$((rounds - 1))
    mine=$("$zilch" ask "$@" -n 1 --csv) || return
    printf '%s\n' "$mine" | evaluate | "$zilch" tell "$1" || return
  done
}

# Three workers of a generation of four: each point of a generation follows from all values before it.
"$zilch" ask barrier --dim 3 --refinement no --population 4 --elites 2 -n 1 --csv | evaluate | "$zilch" tell barrier >/dev/null
for k in 1 2 3; do
  worker $((k == 1 ? 3 : 4)) barrier --wait --timeout 60 >"worker$k" 2>&1 &
done
wait
[ "$(cat worker? | grep -c 'has closed')" -eq 3 ] || complain "not three generations: $(cat worker?)"
"$zilch" ask alone --dim 3 --refinement no --population 4 --elites 2 --csv >points
for generation in 1 2 3; do
  evaluate <points | "$zilch" tell alone >/dev/null
  "$zilch" ask alone --csv >points
done
"$zilch" export alone >expected
"$zilch" export barrier >found
expect_same expected found

# ---- Never waiting: there is another point, however many are out, and no value is lost
"$zilch" ask queue --dim 3 -n 1 --csv | evaluate | "$zilch" tell queue >/dev/null
for k in 1 2 3 4 5 6; do
  worker 5 queue >"worker$k" 2>&1 &
done
wait
grep -hv 'taken; the generation is still open\|^generation [0-9]* has closed' worker? >"$out" && complain 'a worker has failed'
expect_status 0 "$zilch" ask queue --waiting
[ ! -s "$out" ] || complain 'something waits'
"$zilch" ask queue --csv | evaluate | "$zilch" tell queue >"$out" || complain 'not the rest of the generation'
expect_in_output 'has closed'
"$zilch" export queue | sed 1d | cut -d, -f3 | sort -n >ids # those that came late are there when it has closed
seq 0 "$(($(wc -l <ids) - 1))" | cmp -s - ids && [ "$(wc -l <ids)" -gt 31 ] || complain "not every value once: $(tr '\n' ' ' <ids)"
[ "$("$zilch" export queue | tail -n 1 | cut -d, -f2)" -gt 3 ] || complain 'no generation has closed meanwhile'
# With a population, these are asked for by name.
"$zilch" ask steady --dim 3 --refinement no --population 4 -n 6 --csv >points
[ "$(wc -l <points)" -eq 5 ] || complain 'not the four of the population'
expect_status 3 "$zilch" ask steady -n 1
expect_status 0 "$zilch" ask steady --more -n 3 --csv
[ "$(sed 1d "$out" | cut -d, -f1 | tr '\n' ' ')" = '4 5 6 ' ] || complain 'not three more'
verdict
