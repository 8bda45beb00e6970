#!/bin/sh
# Writes what the fuzzers begin with: small, sound examples of everything they read, and some that are not.
#
#   tests/fuzz/make_seeds.sh FUZZ_SEEDS FOLDER
#
# FUZZ_SEEDS is the program of that name that a build makes; FOLDER gets a folder for each fuzzer.
set -eu
program=${1:?the program fuzz_seeds} folder=${2:?the folder to write to}
for name in model optimizer networks trainer lander policy problem study text npy answer request command; do
  mkdir -p "$folder/$name"
done
"$program" "$folder"

# seed NAME FORMAT...: the next file of a fuzzer's, as printf writes it.
number=0
seed()
{
  number=$((number + 1))
  name=$1
  shift
  # shellcheck disable=SC2059
  printf "$@" >"$folder/$name/seed-$number"
}

# ---- Requests to the live page: method, path, host, origin, site, length, encoding, token, run, action, value
token=0123456789abcdef0123456789abcdef
seed request 'GET\n/\n127.0.0.1:8000\nhttp://127.0.0.1:8000\nsame-origin'
seed request 'GET\n/charts.js\n[::1]\n\nnone'
seed request "GET\\n/events\\nlocalhost\\n\\n\\n\\n\\n$token"
seed request "GET\\n/flight\\nlocalhost:1\\n\\n\\n\\n\\n$token\\n1"
seed request "POST\\n/command\\nlocalhost:65535\\nhttp://localhost:65535\\nsame-origin\\n0\\n\\n$token\\n1\\nstop"
seed request "POST\\n/command\\nlocalhost\\n\\n\\n\\n\\n$token\\n12\\nevaluations\\n1e6"
seed request "POST\\n/command\\nexample.com\\nhttp://example.com\\ncross-site\\n9\\nchunked\\n${token}0\\n0\\ndance\\n-1.5"

# ---- Controllers and problems
seed policy 'a_main = -2.5988 y - 1.7162 vy - 0.0226 x l2 - 2.8239 y^2 + 4.0005 vy^2\na_side = 3.6608 theta\n'
seed policy '# all of it\na_side = x + y - vx*vy\n  + 2e-3 omega l1 - .5 l2 ^ 2\na_main = 0\n'
seed policy '\357\273\277a_main=1e308+1e308 x - - theta^2\n'
for problem in lander lander:episodes=2,seeds=common,gravity=-9.5,wind=1,wind_power=10,turbulence_power=1 \
  sphere sphere:dim=20,active=3,noise=0.5 smop1:dim=10 smop2:dim=20 smop3:dim=40 smop4 smop5:dim=30 \
  smop6 smop7:dim=25 smop8 ellipsoid:dim=20,active=5 \
  rosenbrock:dim=10,active=2 smop1:dim=1 smop9 sphere: sphere:dim; do
  seed problem '%s' "$problem"
done

# ---- Tables; .npy without the six bytes that it begins with
seed text '1,2,0\n-3.5,4e2,.5\n'
seed text 'a,b,"c ""d"""\r\n1,2,3\r\n4,5,6\r\n'
seed text '# a comment\n\357\273\277x\ty\n1\t2\n3\t4\n\n'
seed text '1 2  3\n 4 5 6\n'
seed text '1;2\n"3";4\nnan;inf\n'
seed text '1e999,1\n'
seed text '\037\213'
seed npy "\\001\\000\\166\\000{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }%58s\\n%s" '' \
  '12345678abcdefgh'
seed npy "\\001\\000\\166\\000{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }%58s\\n%s" '' \
  '1234abcd5678efgh9012ijkl'
seed npy "\\002\\000\\050\\000\\000\\000{'descr':'=f4','fortran_order':True,'shape':(3,)}%s" '123412341234'
seed npy "\\003\\000\\052\\000\\000\\000{'descr':'>f8','fortran_order':True,'shape':(3L,)} "

# ---- Answers: the first byte chooses the reader
for protocol in 0 1; do
  seed answer '%s{"id":7,"value":3.25}' "$protocol"
  seed answer '%s{"id":7,"value":-1e3,"sigma":0.5}' "$protocol"
  seed answer '%s{"id":7,"value":1,"violations":[0.3, -1,2e-3]}' "$protocol"
  seed answer '%s{"id":7,"value":1,"violation":0.3}' "$protocol"
  seed answer '%s{"id":7,"error":"it was \\"dark\\""}' "$protocol"
  seed answer '%s{"id":7,"value":null,"x":[1,{"a":true}]}' "$protocol"
done
for answer in ' 3.25 ' nan 0x1p3 -inf 1e999 abc; do seed answer '2%s' "$answer"; done
seed answer '3{"id":1,"value":2}\n{"id":2,"error":"no"}\n\n# end\n'
seed answer '3id,value,sigma\n1,2.5,0.5\n2,nan,\n'
seed answer '3id,value,violation\n1,2.5,0.5\n2,1,-3\n3,1,nan\n'
seed answer '4x;id;y;value\n0.5;"7";0;failed\n'
seed answer '41 2.5\n2\t-1e3\t0.1\r\n'
seed answer '5low,high\n-1,1\nnone,2 # c\n,\n0,none\n'
seed answer '61,4-7;2'
seed answer '6-1:none'
seed answer '62=1,4=0.05'
seed answer '6sum = 1'
seed answer '6x1 + x2 + x3 = 2; 0.1 <= 2 * x2 - x4 <= 3 # a comment\nx3 >= 0.5'
seed answer '63*x2 + 5*x3 = 4.25'
for value in uncertain none yes 0 0.25 1e5 18446744073709551615 low-rank price; do seed answer '7%s' "$value"; done
seed answer '7./f "a b" '"'c d'"' \\ e'

# ---- Studies: edits of bytes (0), of values (1), of the state (2); from 128 on with the sums put right
seed study '\006\000\001\000\004\000\000\000\001'
seed study '\001\000\000\000\000\000\000\000\000\000\007\001'
seed study '\201\022\002\100\010\000\000\000\000\000\000\002'
seed study '\201\016\001\000\000\000\000\000\000\000\011\004\003abcdefgh'
seed study '\202\000\001\054\010\000\000\000\000\000\000\000\001'
seed study '\202\001\000\020\004\001\002\003\004'
# (64: for the commands, 32: of version 4) a setting of a run, its problem, its name; the arguments and the law of then
seed study '\301\004\001\000\000\000\000\000\000\000\011\003%s' '/dev/null'
seed study '\301\046\001\000\000\000\000\000\000\000\007\003%s' 'problem'
seed study '\301\051\001\000\000\000\000\000\000\000\003\003%s' 'abc'
seed study '\301\006\001\000\000\000\000\000\000\000\043\003%s' 'linear:response=2,searched=subset'
seed study '\341\054\001\000\000\000\000\000\000\000\147\003%s' \
  '{"words":["optimize","--problem","linear","--data","/dev/null"],"checksum":"0123456789abcdef"}'
seed study '\341\006\001\000\000\000\000\000\000\000\052\003%s' 'linear:data=d,response=2,searched=subset'
seed study '\341\055\001\000\000\000\000\000\000\000\005\003%s' 'dense'
seed study '\340\000\001\000\004\000\000\000\001'
seed study '\301\005\001\000\000\000\000\000\000\000\003\003%s' 'abc'
seed study 'SQLite format 3\000\020\000\001\001\000\100\040\040'

# ---- Command lines
words()
{
  seed command "$(printf '%s\\n' "$@" | sed 's/%/%%/g; s/\\n$//')"
}
words lander --population 50 -g 3 --seed 1e3 --wind --gravity=-9
words lander --episodes 3 --seeds common --method published --study s --held-out 10
words optimize -p smop1:dim=20 --method ea --elites 10 --penalty 0.1 --forced-on 1,3-4 --forced-off 5 --groups '6-7;8,9' \
  --bounds -1:none
words optimize --problem linear --data d.csv --response y --searched coefficients --validation 0.2
words optimize --program "./f 'a b' \\c" --dim 10 --jobs 2 --plain --timeout 3 --once
words optimize -p sphere --min-active 2 --max-active 5 --structure low-rank --rank 3 --final-candidates 4 \
  --final-evaluations 50 --final-pruning no
words optimize -p ellipsoid --dim 30 --inverter amortised --weights w --shrinkage bayes --projection nearest \
  --prior-sigma 1 --weighting equal --quorum 1 --archive-size 200 --margin 1 --mean-shift 0.1 --variance-scaling no
words compare -p smop1:dim=10 --methods 'default,ea+reevaluate=all,small:elites=5+population=20' --seeds 2 \
  --targets 1e-2,1 --at 5,10
words compare -p sphere -m 'a:default+penalty=0\,1,b:adhoc' --evaluations 1000 --json -o -
words resume a.study -r 1 --generations 5 --time 3 --target -1
words ask a.study --dim 5 -n 3 --csv --direction maximize
words ask a.study --waiting --sparse -o b
words tell a.study values --advance -r 2
words best a.study --json
words report a.study -o r.html -f d
words export a.study
words fit d.csv -o m --structure diagonal --sigma-floor 0.1 --row-weights w
words sample m -n 10 -s 3 -o x.npy
words show m --json
words train -o w --block mm --labels simulated --rows 100 --examples 100 --units 16 --epochs 3 \
  --batch 8 --rate 0.01
words recover --models 3 -d 4 --rows 100 --p-min 0.1 --p-max 0.9 --decay 0.5
words play --controller published -n 3 --json
words bench model --json
words optimize -p sphere:dim=6 --sum 1 --step 0.05 --bounds 0:1 --max-active 3
words optimize -p smop1:dim=8 --sum 'x1 + 2*x3 <= 4; sum >= 1' --step '1=1,3=0.5' --limits l.txt --values-file v.csv \
  --penalty-file c.csv
words ask a.study --dim 4 --names a,b,c,d --sum 'a + "b" - c = 0.5' --step 0.25
words compare -p sphere:dim=5 -m 'a:default,b:ea' --sum '0 <= x1 - x2 <= 1' --evaluations 100
words fit --help
words optimize --probelm x

# ---- Answers with coordinates beside them
for reader in 3 4; do
  seed answer '%sid,x1,x2,x3,value\n7,0,1.5,-2e-3,3.25\n8,,0,1,nan\n' "$reader"
  seed answer '%sa;y;id;x2;value\n0;1,5;7;0;3\n' "$reader"
  seed answer '%s{"id":7,"x":[0,1.5,2],"value":3}\n{"id":8,"active":{"2":1},"value":1}\n{"id":9,"value":1}\n' "$reader"
  seed answer '%s{"id":7,"x":{"a":1,"2":-0.5,"\\u0079":1},"value":3}\n' "$reader"
  seed answer '%s{"id":7,"x":[0,[1],2],"value":3}\n' "$reader"
  seed answer '%s{"id":7,"x":[0,1],"active":{"99999999999999999999":1},"value":3}\n' "$reader"
done
words ask a.study --dim 5 --new-run --wait --timeout 5
words compare --program './f a' --dim 3 --bounds 0:1 -m default,ea --evaluations 100 --jobs 2 --timeout 1 --plain
