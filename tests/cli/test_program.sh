#!/bin/sh
# zilch optimize --program: evaluators that go wrong in every way, what is printed and kept, and that no process is
# left behind; zilch ask and tell: by hand, by several at once, and what is refused.
. "$(dirname "$0")/lib.sh"
evaluator=${ZILCH_EVALUATOR:?the program to evaluate with}
export ZILCH_TEST_LOG="$scratch/log"

# search ARGUMENTS...: a small one
search()
{
  "$zilch" optimize --dim 10 --refinement no --population 100 --generations 20 --penalty 0.1 --final-pruning no --final-evaluations 20 "$@"
}

# What was logged as started is gone, in five seconds at most.
expect_nobody()
{
  tries=0
  while for pid in $(sed -n 's/^pid //p' "$ZILCH_TEST_LOG"); do kill -0 "$pid" 2>/dev/null && break; done; do
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || { complain "left behind: $pid"; return; }
    sleep 0.1
  done
}

# value_of FILE: the best value that was printed
value_of()
{
  sed -n 's/^best seen: value \([^ ]*\) with .*/\1/p' "$1"
}

# Every way to talk gives the same run, to the last bit, with any number of jobs; sparse ones sum in another order.
: >"$ZILCH_TEST_LOG"
for way in json 'json --jobs 3' 'json --jobs 2 --ahead 5' 'plain --plain' 'plain --plain --once --jobs 2'; do
  rm -f same.study
  # shellcheck disable=SC2086 # words
  set -- $way
  first=$1
  shift
  expect_status 0 search --generations 4 --program "$evaluator $first" --study same.study "$@"
  "$zilch" export same.study >"export"
  [ -f export_first ] || cp export export_first
  expect_same export export_first
done
expect_status 0 search --generations 4 --program "'$evaluator' \"sparse\"" --sparse --study sparse.study
expect_in_output 'problem: program, 10 coordinates, minimize'
expect_in_output "program: '""'\''$evaluator'\'' \"sparse\"'"
# A command of any length is kept whole.
long="$evaluator json $(printf '%05000d' 0)"
expect_status 0 search --generations 1 --program "$long" --study long.study
expect_status 0 "$zilch" resume long.study --generations 2 --program "$long"
expect_nobody

# A clean search, and one whose evaluator crashes in 5 % of the calls, hangs in 1 % and prints rubbish in 1 %: the same
# target; every failure is counted, and told of.
expect_status 0 search --program "$evaluator json" --target 1e-3 --generations 0 --study clean.study
expect_in_output 'stopped by: target'
expect_in_output ', 0 failed'
: >"$ZILCH_TEST_LOG"
expect_status 0 search --program "$evaluator json crash=0.05 hang=0.01 garbage=0.01" --timeout 0.5 --jobs 2 --target 1e-3 \
  --generations 0 --study broken.study --final-evaluations 1 --final-candidates 1
expect_in_output 'stopped by: target'
expect_nobody
cp "$out" broken
counted=$(sed -n 's/^evaluations: .*, \([0-9]*\) failed.*/\1/p' broken)
"$zilch" export broken.study --failures >failures.csv
logged=$(grep -cE '^(crash|hang|garbage) ' "$ZILCH_TEST_LOG") # those after the search among them
told=$(grep -cE '^1,[0-9]+,[0-9]+,' failures.csv)
after=$(grep -cE '^1,0,[0-9]+,' failures.csv || :)
[ "$counted" -gt 0 ] || complain 'nothing failed'
[ "$logged" -eq "$told" ] || complain "$logged went wrong, of $told it is known why"
[ "$((counted + after))" -eq "$told" ] || complain "$counted are counted, and $after after the search, but $told known"
for reason in 'was ended by signal 11 (Segmentation fault)","about to crash on' 'did not answer within 0.5 seconds' \
  'which is not a JSON object'; do
  grep -qF "$reason" failures.csv || complain "nobody said: $reason"
done
expect_status 0 "$zilch" export broken.study --failures --json
expect_in_output '"reason": "was ended by signal 11 (Segmentation fault)"'
expect_status 2 "$zilch" export broken.study --failures --generations

# It fails always: the last messages, and how it goes on when the program is mended.
expect_status 1 search --program "$evaluator json exit=1" --max-failures 5 --study never.study
expect_in_error 'the last failures of 5:'
expect_in_error 'point 4: the program ended with status 3 before it answered'
expect_in_error '  | cannot go on'
expect_in_error '5 evaluations in a row failed'
[ "$(tail -n 1 "$err")" = "zilch resume never.study --program '$evaluator json exit=1'" ] || complain 'not the line that resumes'
"$zilch" export never.study --failures >failures.csv
[ "$(wc -l <failures.csv)" -ge 6 ] || complain 'failures of a run that ended are not kept'
# What a mended program has evaluated after all has not failed any more.
cat >mended.py <<'END'
import os, sys
for line in sys.stdin:
    if float(line.split()[0]) != 0 and not os.path.exists("mended"):
        raise SystemExit("the disk is full")
    print(sum((float(x) - 1)**2 for x in line.split()), flush=True)
END
expect_status 1 "$zilch" optimize --program 'python3 mended.py' --plain --dim 3 --population 8 --refinement no --evaluations 40 \
  --max-failures 3 --study mended.study
"$zilch" export mended.study --failures >failures.csv
[ "$(wc -l <failures.csv)" -eq 4 ] || complain 'not three failures'
: >mended
expect_status 0 "$zilch" resume mended.study --program 'python3 mended.py'
expect_in_output ', 0 failed'
"$zilch" export mended.study --failures >failures.csv
[ "$(wc -l <failures.csv)" -eq 1 ] || complain "failures of a mended program: $(cat failures.csv)"

# The shortest timeout is one; programs that attack their guards do not outlast one.
: >"$ZILCH_TEST_LOG"
expect_status 1 timeout -s KILL 60 "$zilch" optimize --dim 10 --program "$evaluator json hang=1" --timeout 1e-10 --max-failures 3
expect_in_error 'did not answer within 1e-10 seconds'
for how in stop=1 stop=3 kill=1 kill=2; do
  expect_status 1 timeout -s KILL 60 "$zilch" optimize --dim 10 --program "$evaluator json stubborn daemons=2 $how" --timeout 0.2 \
    --max-failures 3
  expect_in_error '3 evaluations in a row failed'
done
expect_status 2 search --program "$evaluator json" --timeout -1
expect_status 2 search --program "$evaluator json" --timeout nan
expect_nobody

# Interrupted and resumed, the run is the same; kill -9 leaves nobody.
for signal in TERM KILL; do
  : >"$ZILCH_TEST_LOG"
  rm -f cut.study
  "$zilch" optimize --dim 10 --refinement no --population 100 --generations 4 --penalty 0.1 --final-pruning no --final-evaluations 20 \
    --program "$evaluator json sleep=12 child=1" --jobs 2 --study cut.study >"$out" 2>"$err" &
  pid=$!
  sleep 0.6
  kill -s "$signal" "$pid" || complain "ended before $signal"
  wait "$pid" 2>/dev/null || :
  expect_nobody
  expect_status 0 "$zilch" resume cut.study --program "$evaluator json sleep=12 child=1"
  expect_nobody
  "$zilch" export cut.study >export
  expect_same export export_first
done

# Programs that cannot be, and words that make no sense.
expect_status 1 search --program './nowhere --fast' --study none.study
expect_in_error "program: './nowhere' cannot be started: No such file or directory"
[ ! -e none.study ] || complain 'a study of a program that is not there'
expect_status 2 search --program "'$evaluator json"
expect_in_error 'a quote is not closed'
expect_status 2 search --program ' '
expect_status 2 "$zilch" optimize --program "$evaluator json"
expect_in_error '--dim N is missing'
expect_status 2 search --program "$evaluator" --problem sphere
expect_status 2 search --program "$evaluator" --plain --sparse
expect_status 2 search --program "$evaluator" --once --ahead 2
expect_status 2 "$zilch" optimize --problem sphere --jobs 2
expect_in_error '--jobs is for a --program, not for sphere'
expect_status 0 search --program "$evaluator json" --direction maximize --generations 1 --bounds -1:1 --study max.study
expect_in_output ', maximize'

# ---- By hand

# evaluate: points to values, as somebody might
evaluate()
{
  awk -F, 'NR == 1 {print "id,value"} NR > 1 {s = ($2 - 1)^2; for (i = 3; i <= NF; i++) s += $i^2; printf "%s,%.17g\n", $1, s}'
}

# The points of a run by hand are those of a program's, generation after generation, whatever the portions and the order.
cat >values.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    point = json.loads(line)
    print(json.dumps({"id": point["id"], "value": sum((v - (i == 0))**2 for i, v in enumerate(point["x"]))}), flush=True)
PYTHON
expect_status 0 "$zilch" optimize --program 'python3 values.py' --dim 5 --refinement no --population 12 --generations 4 --penalty 0.1 --study by_program \
  --final-evaluations 1 --final-candidates 1 --final-pruning no
"$zilch" ask by_hand --dim 5 --refinement no --population 12 --penalty 0.1 -n 5 >first
for generation in 1 2 3 4; do
  "$zilch" ask by_hand >>first
  python3 values.py <first | sort -t: -k3 >second # by value
  head -n 4 second | "$zilch" tell by_hand >/dev/null
  tail -n +5 second >rest
  expect_status 0 "$zilch" tell by_hand rest
  expect_in_output "generation $generation has closed: best value"
  : >first
done
"$zilch" export by_program >export_program
"$zilch" export by_hand >export_hand
expect_same export_program export_hand

# The same with an automatic population, as many at a time as somebody wants: one; the rest of a generation, which is
# what a program is given; or more, which come from the distribution while a small generation is out.
expect_status 0 "$zilch" optimize --program 'python3 values.py' --dim 5 --penalty 0.1 --generations 30 --study by_program2 --final-pruning no
"$zilch" export by_program2 >export_program
"$zilch" ask one --dim 5 --penalty 0.1 -n 1 >points
"$zilch" ask portions --dim 5 --penalty 0.1 >points_of_rest
for turn in $(seq 1 24); do
  python3 values.py <points | "$zilch" tell one >/dev/null
  "$zilch" ask one -n 1 >points
  [ "$(wc -l <points)" -eq 1 ] || complain 'not one point'
  python3 values.py <points_of_rest | "$zilch" tell portions >said
  grep -q "^generation $turn has closed" said || complain "not closed: generation $turn"
  "$zilch" ask portions >points_of_rest
done
for study in one portions; do
  "$zilch" export $study >export_hand
  rows=$(wc -l <export_hand)
  lines=$(wc -l <export_program)
  [ "$rows" -gt 15 ] || complain "only $rows rows: $study"
  head -n "$((rows < lines ? rows : lines))" export_hand >expected
  head -n "$(wc -l <expected)" export_program >found
  expect_same expected found
done
"$zilch" ask eight --dim 5 --penalty 0.1 -n 8 --csv >points
[ "$(wc -l <points)" -eq 9 ] || complain 'not 8 points'
expect_status 3 "$zilch" ask eight
expect_in_error 'all points of generation 1 are out'
expect_in_error 'have more with -n N,'
# The first two are the generation's; the others are late, but not lost.
evaluate <points >values
head -n 3 values | "$zilch" tell eight >"$out"
expect_in_output 'generation 1 has closed'
expect_status 0 "$zilch" ask eight --waiting --csv
sed 2,3d points | cmp -s - "$out" || complain 'late points are lost'
(head -n 1 values; tail -n 6 values) | "$zilch" tell eight >/dev/null
expect_status 0 "$zilch" ask eight --waiting
[ ! -s "$out" ] || complain 'something waits'
"$zilch" ask eight -n 8 --csv >points
for turn in 2 3 4 5 6; do
  evaluate <points | "$zilch" tell eight >/dev/null
  "$zilch" ask eight -n 8 --csv >points
done
"$zilch" export eight | sed 1d | cut -d, -f3 | sort -n >ids
seq 0 "$(($(wc -l <ids) - 1))" | cmp -s ids - && [ "$(wc -l <ids)" -gt 30 ] || complain "not ids from 0 on: $(wc -l <ids)"
"$zilch" export eight | sed 1d | cut -d, -f7- | sort | uniq -d >twice
[ "$(wc -l <twice)" -eq 1 ] || complain 'more than the first point was evaluated twice'

# Several at once: every point once, every value taken.
"$zilch" ask many --dim 6 --refinement no --population 40 -n 1 --csv >ask0
for k in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
  "$zilch" ask many -n 3 --csv >"ask$k" &
done
wait
[ "$(cat ask? ask?? | grep -c '^[0-9]')" -eq 40 ] || complain 'not 40 points'
[ "$(cat ask? ask?? | grep '^[0-9]' | cut -d, -f1 | sort -u | wc -l)" -eq 40 ] || complain 'a point was handed out twice'
expect_status 3 "$zilch" ask many
expect_in_error 'all points of generation 1 are out'
for k in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do
  evaluate <"ask$k" | "$zilch" tell many >"told$k" &
done
wait
[ "$(cat told? told?? | grep -c 'has closed')" -eq 1 ] || complain 'the generation did not close once'

# Failed ones, late ones, wrong ones.
"$zilch" ask many -n 4 --sparse >points
expect_status 0 "$zilch" ask many --waiting --sparse
expect_same points "$out"
printf '{"id":40,"value":3,"sigma":0.5}\n{"id":41,"error":"spilt"}\n' >values
expect_status 0 "$zilch" tell many values
expect_output '2 values taken; the generation is still open'
expect_status 1 "$zilch" tell many values
expect_in_error 'id 40 was told before'
expect_status 1 "$zilch" resume many
expect_in_error "'zilch ask' has its points"
expect_status 0 "$zilch" tell many --advance
expect_in_output 'generation 2 has closed'
expect_status 0 "$zilch" export many --failures
expect_in_output '1,2,41,"spilt",""'
echo '42 1.5' >late
expect_status 0 "$zilch" tell many late # late
printf 'x1;;ID;value\n0;;43;2.5\n' >unnamed # a column without a name
expect_status 0 "$zilch" tell many unnamed
"$zilch" ask wide --dim 50000 --method ea --population 5 --elites 2 -n 1 --csv >points # as it came, and quickly
awk 'NR == 1 {print $0 ",value"} NR > 1 {print $0 ",1.5"}' points >values
expect_status 0 timeout 20 "$zilch" tell wide values
for wrong in 'id,worth' '1' 'x,1' '{"id":1}' '{"id":1,"value":"a"}' '{"id":1,"value":1' '99999 1' '44,abc' '1.5,2' '44,1,-1'; do
  echo "$wrong" >wrong
  expect_status 1 "$zilch" tell many wrong
done
expect_status 1 "$zilch" tell many no_such_file
expect_status 2 "$zilch" ask many --penalty 3
expect_status 2 "$zilch" ask nothing_here
expect_status 2 "$zilch" ask many --more
expect_status 1 "$zilch" ask by_program
expect_in_error "is evaluated by 'zilch resume'"
expect_status 0 "$zilch" best many
verdict
