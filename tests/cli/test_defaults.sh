#!/bin/sh
# Default values on the command line: --default. A coordinate that is not active has its default to the bit, and
# every command counts and prints what differs from it.
. "$(dirname "$0")/lib.sh"

printf '%s\n' 'import json, sys' 'for line in sys.stdin:' '    m = json.loads(line)' '    x = m["x"]' \
  '    print(json.dumps({"id": m["id"], "value": abs(x[0] - 30) / 100 + abs(x[1] - 0.2) + (x[2] - 5) ** 2}), flush=True)' >machine.py
printf '%s\n' 'setting,value' 'speed,30' '# a comment' 'heat,2' 'feed,0.12' >factory.csv
printf '%s\n' 30 0.12 2 0 >factory.txt
machine="--names speed,feed,heat,oil --dim 4 --penalty 0.01 --evaluations 80"

expect_status 0 "$zilch" optimize --program 'python3 machine.py' $machine --default factory.csv --step heat=0.5 --study machine
expect_in_output 'with 2 active (not default) coordinates'
expect_in_output 'heat = 5, not 2'
! grep -q '^speed\|^oil' "$out" || complain "coordinates at their defaults are printed"

# Counted, exported and shown by what differs.
"$zilch" export machine >points.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  { n = ($at["speed"] != "30") + ($at["feed"] != "0.12") + ($at["heat"] != "2") + ($at["oil"] != "0")
    if (n != $at["active"]) print; if ($at["speed"] == "30") off++ }
  END { if (off < 10) print "few" }' points.csv >broken
[ ! -s broken ] || complain "active is not what differs: $(head -n 3 broken)"
expect_status 0 "$zilch" best machine --json
! grep -q '"by_name".*"oil"' "$out" || complain 'what has its default is there by name'
python3 - "$out" <<'END' || complain 'by_name is not what differs'
import json, sys
x = json.load(open(sys.argv[1]))["best"]
usual = {"speed": 30, "feed": 0.12, "heat": 2, "oil": 0}
assert x["by_name"] == {n: v for (n, u), v in zip(usual.items(), x["x"]) if v != u}, x
END
expect_status 0 "$zilch" export machine --json
python3 - "$out" <<'END' || complain 'by_name of evaluations is not what differs'
import json, sys
usual = {"speed": 30, "feed": 0.12, "heat": 2, "oil": 0}
for e in json.load(open(sys.argv[1])):
    assert e["by_name"] == {n: v for (n, u), v in zip(usual.items(), e["x"]) if v != u} and len(e["by_name"]) == e["active"], e
END
expect_status 0 "$zilch" best machine
expect_in_output 'heat = 5, not 2'
expect_status 0 "$zilch" show machine --run 1 --json
expect_in_output '"defaults": [30.0, 0.12, 2.0, 0.0]'
expect_status 0 "$zilch" show machine --run 1
expect_in_output "--default $PWD/factory.csv"

# A line for each coordinate says the same; in two parts it is the same run, without the file.
expect_status 0 "$zilch" optimize --program 'python3 machine.py' $machine --default factory.txt --step heat=0.5 --study lines
"$zilch" export lines >lines.csv
expect_same points.csv lines.csv
expect_status 0 "$zilch" optimize --program 'python3 machine.py' $machine --default factory.csv --step heat=0.5 --generations 5 \
  --expected-evaluations 80 --study parts
mv factory.csv gone.csv
expect_status 0 "$zilch" resume parts --generations 0 --program 'python3 machine.py'
"$zilch" export parts >parts.csv
expect_same points.csv parts.csv

# By hand: the zero point of the search is the default, and a sparse message leaves it out.
expect_status 0 "$zilch" ask hand --dim 4 --default factory.txt -n 1 --sparse
expect_output '{"id":0,"active":{}}'
expect_status 0 "$zilch" ask hand --waiting --csv
expect_in_output '0,30,0.12,2,0'

# Answers that repeat sparse points are those of the points; of another one they are refused.
expect_status 0 "$zilch" ask hand -n 8 --sparse
sed 's/}$/,"value":3}/' "$out" >answers
grep -q '"active":{"' answers || complain 'all of them are the default'
sed '1s/"active":{[^}]*}/"active":{"1":77}/' answers >wrong
expect_failure 'line 1: x2 is 77, but point 1 of run 1 has' "$zilch" tell hand wrong
expect_status 0 "$zilch" tell hand answers

# A comparison counts what differs, too.
printf '1,0.3\n3,0.2\n' >costs.csv
expect_status 0 "$zilch" compare --program 'python3 machine.py' --dim 4 --default factory.txt --penalty-file costs.csv --methods default --seeds 1 \
  --evaluations 80 --study compared --json
expect_in_output '"active": 2'

# What cannot be.
expect_status 2 "$zilch" optimize --program cat --dim 4 --default factory.txt --sparse --study no
expect_in_error '--sparse says that what it leaves out is 0'
printf '1,2\n1,3\n' >twice.csv
expect_status 1 "$zilch" optimize --problem smop1 --dim 5 --default twice.csv --study no
expect_in_error 'twice.csv: line 2: coordinate 1 is named twice'
expect_status 1 "$zilch" optimize --problem smop1 --dim 5 --default factory.txt --study no
expect_in_error 'factory.txt: has 4 defaults, but there are 5 coordinates'
printf '1e301\n' >far.csv
expect_status 2 "$zilch" optimize --problem sphere:active=1 --dim 1 --default far.csv --study no
expect_in_error 'coordinate 1: its default is 1e+301; it must be a number from -1e+300 to 1e+300'
printf 'a,b,y\n1,2,3\n2,1,4\n3,5,1\n4,4,4\n5,1,2\n6,2,2\n7,1,3\n8,2,1\n' >data.csv
printf '1\n2\n' >two.csv
expect_status 2 "$zilch" optimize --problem linear --data data.csv --default two.csv --study no
expect_in_error '--default: columns of data are used or not'
[ ! -e no ] || complain "a study was begun"
verdict
