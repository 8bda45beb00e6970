#!/bin/sh
# The tables and figures of docs/results: the publication's study, and beside it the defaults of zilch 0.1, the exact
# inverter, and those defaults without correlations; and one run as in the publication's Algorithm 2. Between one and
# two hours on two cores; interrupted, it goes on where it was.
#
#   tools/results.sh ZILCH FOLDER [GENERATIONS [RUNS]]   100 and 10, if not given
set -eu
zilch=$1
folder=$2
generations=${3:-100}
runs=${4:-10}
as_published='+reevaluate=all+initial-spread=0+final-pruning=no'
published="gaussian:gaussian$as_published+penalty=0,ea:ea$as_published,adhoc:adhoc$as_published,published"
before='default+population=500+refinement=no+smoothing=no'
ours="exact:published+inverter=exact,uncorrelated:$before+shrinkage=all,default:$before"
mkdir -p "$folder"
cd "$folder"

# compare METHODS ARGUMENTS...
compare()
{
  methods=$1
  shift
  "$zilch" compare --study results.study --methods "$methods" --generations "$generations" --runs "$runs" \
    --at "$((generations / 4)),$((generations / 2))" "$@"
}

# timed WHAT COMMAND...: how long it took goes to times.txt.
timed()
{
  what=$1
  shift
  began=$(date +%s)
  "$@"
  printf '%s: %d s\n' "$what" $(($(date +%s) - began)) | tee -a times.txt
}

timed 'the four methods of the publication' compare "$published" -o published.txt
timed 'three more methods' compare "$published,$ours" -o tables.txt
compare "$published,$ours" --csv -o runs.csv
compare "$published,$ours" --latex -o tables.tex
"$zilch" report results.study -o results.html --figures figures
if [ ! -e algorithm2.study ]; then
  "$zilch" lander --method published --population 1000 --generations "$generations" --study algorithm2.study >algorithm2.txt
fi
"$zilch" report algorithm2.study -o algorithm2.html --figures algorithm2
