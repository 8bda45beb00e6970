#!/bin/sh
# The tables and figures of docs/results: the publication's study, and beside it the released defaults, the exact
# inverter, and the defaults without correlations; and one run as in the publication's Algorithm 2. Between one and
# two hours on two cores; interrupted, it goes on where it was.
#
#   tools/results.sh ZILCH FOLDER [ARGUMENTS]   ARGUMENTS of 'zilch compare', such as --runs 2 --generations 8
set -eu
zilch=$1
folder=$2
shift 2
published='dense:published+dense+price=0,ea:published+ea,adhoc:published+adhoc,zig:published'
ours='exact:published+inverter=exact,uncorrelated:default+shrinkage=all,default'
mkdir -p "$folder"
cd "$folder"

# compare METHODS ARGUMENTS...
compare()
{
  methods=$1
  shift
  "$zilch" compare --study results.study --at 25,50 --methods "$methods" "$@"
}

began=$(date +%s)
compare "$published" "$@" -o published.txt
printf 'the four laws of the publication: %d s\n' $(($(date +%s) - began)) | tee -a times.txt
began=$(date +%s)
compare "$published,$ours" "$@" -o tables.txt
printf 'three more methods: %d s\n' $(($(date +%s) - began)) | tee -a times.txt
compare "$published,$ours" "$@" --csv -o runs.csv
compare "$published,$ours" "$@" --latex -o tables.tex
"$zilch" report results.study -o results.html --figures figures
if [ ! -e algorithm2.study ]; then
  "$zilch" lander --preset published --population 1000 --study algorithm2.study >algorithm2.txt
fi
"$zilch" report algorithm2.study -o algorithm2.html --figures algorithm2
