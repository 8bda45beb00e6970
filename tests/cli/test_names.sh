#!/bin/sh
# Names of coordinates: from --names, from a header, from a program's greeting; and wherever points are shown.
. "$(dirname "$0")/lib.sh"

# ---- A model keeps the names of its data, also those that are written with care.
printf 'flour,"=su,gar",<b>\n1,0,2\n0,3,1\n2,1,0\n1,1,1\n3,0,2\n' >data.csv
expect_status 0 "$zilch" fit data.csv -o model
expect_status 0 "$zilch" show model
expect_in_output '  =su,gar'
expect_in_output 'corr(V flour, V <b>)'
expect_status 0 "$zilch" show model --json
expect_in_output '"names": ["flour", "=su,gar", "<b>"]'
expect_status 0 "$zilch" sample model -n 50 -o points.csv
[ "$(head -n 1 points.csv)" = "flour,\"'=su,gar\",<b>" ] || complain 'sample wrote no header'
expect_status 0 "$zilch" fit points.csv -o again
expect_status 0 "$zilch" show again --json
expect_in_output '"names": ["flour", "=su,gar", "<b>"]'

# Without names, the file is the one that 0.1 wrote, and the points have no header.
tail -n +2 data.csv >bare.csv
expect_status 0 "$zilch" fit bare.csv -o bare
[ "$(od -An -tu4 -j8 -N4 bare | tr -d ' ')" = 1 ] || complain 'a model without names is not of version 1'
expect_status 0 "$zilch" show bare --json
expect_in_output '"names": null'
expect_status 0 "$zilch" sample bare -n 50
tail -n +2 points.csv >"$scratch/io/tail"
expect_same "$scratch/io/tail" "$out"

# ---- Points that are handed out.
expect_status 0 "$zilch" ask asked --dim 3 --names flour,sugar,salt --csv -n 2
[ "$(head -n 1 "$out")" = id,flour,sugar,salt ] || complain 'the table has no names'
awk -F, 'NR == 1 {print $0 ",value"} NR > 1 {print $0 "," $1}' "$out" >values.csv
expect_status 0 "$zilch" tell asked values.csv
expect_in_output 'generation 1 has closed'
expect_status 0 "$zilch" ask asked --named -n 1
grep -q '^{"id":2,"x":{"flour":[-0-9.e]*,"sugar":[-0-9.e]*,"salt":[-0-9.e]*}}$' "$out" || complain 'not by names'
expect_status 0 "$zilch" ask asked --named --sparse -n 4
grep -q '"active":{"[fs]' "$out" || complain 'not sparsely by names'
expect_status 2 "$zilch" ask asked --named --csv
expect_status 2 "$zilch" ask other --dim 2 --names a,a
expect_in_error "two coordinates are called 'a'"
expect_status 0 "$zilch" ask unnamed --dim 2 --csv -n 1
[ "$(head -n 1 "$out")" = id,x1,x2 ] || complain 'not x1, x2'
expect_failure 'have no names' "$zilch" ask unnamed --named
expect_status 0 "$zilch" ask clash --dim 2 --names Value,b -n 1
expect_failure 'is called Value' "$zilch" ask clash --csv

# ---- Programs: their first line, each time that they are started, and points by names.
cat >greets.py <<'END'
import json, sys
print(json.dumps({"names": ["flour", "<b>", "a 'c'"]}), flush=True)
for line in sys.stdin:
    point = json.loads(line)
    x = point["active" if "active" in point else "x"]
    assert set(x) <= {"flour", "<b>", "a 'c'"}, x
    value = (x.get("flour", 0) - 1)**2 + x.get("<b>", 0)**2 + x.get("a 'c'", 0)**2
    print(json.dumps({"id": point["id"], "value": value}), flush=True)
    if "--once" in sys.argv:
        break
END
for how in '--named' '--named --sparse' '--named --jobs 2 --ahead 3'; do
  rm -f greeted
  # shellcheck disable=SC2086
  expect_status 0 "$zilch" optimize --program 'python3 greets.py' --hello $how --max-failures 2 --evaluations 20 --study greeted
  expect_in_output ', 0 failed'
done
expect_status 0 "$zilch" best greeted -o best.csv
[ "$(head -n 1 best.csv)" = "flour,<b>,\"a 'c'\"" ] || complain 'best has no names'
expect_status 0 "$zilch" show greeted --run 1
expect_in_output "names: flour, <b>, a 'c'"
expect_in_output "--names 'flour,<b>,a '\\''c'\\'''"
expect_status 0 "$zilch" resume greeted --program 'python3 greets.py' --evaluations 30
expect_in_output ', 0 failed'
expect_status 0 "$zilch" optimize --program 'python3 greets.py --once' --once --hello --named --evaluations 5 --study once
expect_in_output ', 0 failed'

# A program that greets otherwise than before gets no point.
sed -i 's/"flour", "<b>"/"<b>", "flour"/' greets.py
expect_status 1 "$zilch" resume greeted --program 'python3 greets.py' --evaluations 35
expect_in_error 'greeted with the name <b> for coordinate 1, which is flour'
cat >counts.py <<'END'
import sys
print('{"dim": 2}', flush=True)
for line in sys.stdin:
    print(sum(float(x)**2 for x in line.split()), flush=True)
END
expect_status 0 "$zilch" optimize --program 'python3 counts.py' --hello --plain --names a,b --evaluations 10 --study counted
expect_in_output '2 coordinates'
expect_status 0 "$zilch" optimize --program 'python3 counts.py' --dim 2 --plain --evaluations 10 --study counted
expect_in_output ', 0 failed'
expect_status 1 "$zilch" optimize --program 'python3 counts.py' --dim 3 --plain --evaluations 10 --study counted --max-failures 2
expect_in_error 'greeted with 2 coordinates, but the points have 3'

expect_failure 'said nothing for 0.2 seconds, not even its greeting; with --hello its first line' \
  "$zilch" optimize --program cat --hello --timeout 0.2
expect_failure 'its first line is no greeting' "$zilch" optimize --program 'echo welcome' --hello
expect_failure 'ended without a greeting' "$zilch" optimize --program true --hello
expect_status 2 "$zilch" optimize --program cat --hello --dim 3
expect_status 2 "$zilch" optimize --program cat --dim 3 --named
expect_no_file program.study

# ---- Names with commas and quotes are written and read as in CSV.
expect_status 0 "$zilch" ask commas --dim 3 --names '"a,b",c,"d""e"' --csv -n 2
[ "$(head -n 1 "$out")" = 'id,"a,b",c,"d""e"' ] || complain "names with commas: $(head -n 1 "$out")"
awk 'NR == 1 {print $0 ",value"} NR > 1 {print $0 "," NR}' "$out" >commas.csv
expect_status 0 "$zilch" tell commas commas.csv
expect_in_output 'generation 1 has closed'
expect_status 0 "$zilch" show commas --json
expect_in_output '"names": ["a,b", "c", "d\"e"]'
expect_status 0 "$zilch" show commas --run 1
expect_in_output 'names: "a,b", c, "d""e"'
expect_status 0 "$zilch" export commas -o exported.csv
[ "$(head -n 1 exported.csv)" = 'run,generation,id,value,fitness,active,"a,b",c,"d""e"' ] || complain 'export'
expect_status 0 "$zilch" best commas -o best.csv
[ "$(head -n 1 best.csv)" = '"a,b",c,"d""e"' ] || complain 'best'
expect_status 0 "$zilch" fit exported.csv -o exported
expect_status 0 "$zilch" sample exported -n 9 -o drawn.csv
[ "$(head -n 1 drawn.csv)" = "$(head -n 1 exported.csv)" ] || complain 'sample'
cat >commas.py <<'END'
import json, sys
print(json.dumps({"names": ["a,b", 'd"e']}), flush=True)
for line in sys.stdin:
    point = json.loads(line)
    print(json.dumps({"id": point["id"], "value": (point["x"]["a,b"] - 1)**2 + point["x"]['d"e']**2}), flush=True)
END
expect_status 0 "$zilch" optimize --program 'python3 commas.py' --hello --named --evaluations 20 --study hello
expect_status 0 "$zilch" resume hello --program 'python3 commas.py' --evaluations 30
expect_in_output ', 0 failed'
for wrong in '"a,b,c' '"a"b,c,d' '"",b,c'; do
  expect_status 2 "$zilch" ask wrong --dim 3 --names "$wrong"
done

# ---- Studies.
printf 'a,b,c,y\n1,0,2,1\n0,3,1,2\n2,1,0,3\n1,1,1,2\n3,0,2,5\n4,1,1,6\n5,2,2,7\n2,2,1,3\n' >regression.csv
expect_status 0 "$zilch" optimize --problem linear --data regression.csv --evaluations 30 --study study
expect_status 0 "$zilch" optimize --problem 'sphere:dim=3,active=1' --names '<u>,b,=c' --evaluations 30 --study study
expect_status 0 "$zilch" export study --run 1
[ "$(head -n 1 "$out")" = run,generation,id,value,fitness,active,a,b,c ] || complain 'export has no names'
expect_status 0 "$zilch" export study --run 2
[ "$(head -n 1 "$out")" = "run,generation,id,value,fitness,active,<u>,b,'=c" ] || complain 'export has no names'
expect_status 0 "$zilch" export study --run 2 --json
expect_in_output '"by_name": {"'
expect_status 0 "$zilch" export study
[ "$(head -n 1 "$out")" = run,generation,id,value,fitness,active,x1,x2,x3 ] || complain 'not x1, x2, x3'
expect_in_error '--run N has the names of one'
expect_status 0 "$zilch" show study --run 2
expect_in_output 'names: <u>, b, =c'
expect_status 0 "$zilch" show study --json
expect_in_output '"names": ["<u>", "b", "=c"]'
expect_status 0 "$zilch" best study --json
expect_in_output '"by_name": {'

expect_status 0 "$zilch" play --trace -o trace.csv
[ "$(head -n 1 trace.csv)" = x,y,vx,vy,theta,omega,l1,l2,reward,terminated,truncated ] || complain 'no names'

verdict
