#!/bin/sh
# make.sh ZILCH: makes this folder's study with a zilch 0.1, and what that zilch makes of it. The study has
# runs that were killed in the midst, and one by hand:
#
#   1  the defaults, but for --structure diagonal: no digit then depends on the BLAS library
#   2  by hand: a generation closed, and of the next some points out and some values back
#   3  as published, without correlations
#   4  as published, by an evolutionary algorithm
#   5  with options that zilch 0.2 does not have
#
# expected.csv has all evaluations after resuming 1, 3 and 4 and telling the rest of 2; recommended.txt what the
# runs recommend then; 5.csv the evaluations of run 5 as it is.
set -eu
zilch=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$(mktemp -d)"
problem=sphere:dim=4,active=1,noise=1

# killed RUN OPTION...: a run of this number that a kill ended in the midst; a run may be too fast for it.
killed() {
    number=$1
    shift
    while :; do
        rm -f study study-wal study-shm
        if [ -e before ]; then cp before study; fi
        "$zilch" optimize --study study --population 6 --elites 3 --generations 40 "$@" >output 2>&1 &
        sleep 0.0$((2 + $(date +%N | cut -c 3) / 2))
        kill -9 $! || true
        wait $! || true
        [ -s study ] || continue
        made=$("$zilch" export study --run "$number" --generations 2>/dev/null | wc -l)
        if [ "$made" -ge 4 ] && [ "$made" -le 14 ]; then break; fi
    done
    "$zilch" ask study --run "$number" >output 2>&1 || true # refused, but its log goes into the file
    [ ! -e study-wal ]
    cp study before
}

killed 1 --problem $problem --structure diagonal --price 0.25 --seed 11
"$zilch" ask study --dim 4 --population 6 --elites 2 --active-most 2 --seed 18446744073709551615 -n 4 >points
[ "$(cut -d , -f 1 points | tr -d '{":id\n')" = 0123 ]
printf '{"id":%d,"value":%d.5}\n' 0 3 1 2 2 7 3 1 >values
"$zilch" tell study --run 2 --advance values
"$zilch" ask study --run 2 -n 3 >points
sed 's/}$/,"value":1.25}/; 2d; 3d' points | "$zilch" tell study --run 2
cp study before
killed 3 --problem $problem --preset published --structure diagonal --seed 13
killed 4 --problem $problem --preset published --law ea --seed 14
killed 5 --problem $problem --restart 2 --prior-correlation 20 --seed 15 --threads 2
python3 -c "import sqlite3; c = sqlite3.connect('study'); c.execute('UPDATE runs SET machine = ?', ('a machine',)); c.commit()"
"$zilch" ask study --run 1 >output 2>&1 || true
cp study "$here/study"
ls -l "$here/study"

"$zilch" export study --run 5 >"$here/5.csv"
: >"$here/recommended.txt"
for run in 1 3 4; do
    "$zilch" resume study --run $run | grep '^recommended: \|^x\[' >>"$here/recommended.txt"
done
"$here/finish.sh" "$zilch" study
"$zilch" export study >"$here/expected.csv"
