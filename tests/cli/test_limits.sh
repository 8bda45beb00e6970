#!/bin/sh
# Linear limits on the command line: --sum, --limits and --names. Every point of the study keeps them; what
# cannot be understood or kept is refused in words.
. "$(dirname "$0")/lib.sh"

names=flour,sugar,salt,milk,eggs,oil
recipe="--problem sphere:dim=6,active=2 --bounds 0.05:0.6 --max-active 3 --names $names"

# keeps STUDY PROGRAM: every point of it, as export has them, makes the awk program print nothing.
keeps()
{
  "$zilch" export "$1" >points.csv
  [ "$(head -n 1 points.csv)" = "run,generation,id,value,fitness,active,$names" ] || complain "$1: $(head -n 1 points.csv)"
  awk -F, -v OFS=, "NR == 1 { n = NF - 6; next }
    { sum = 0; active = 0
      for (k = 1; k <= n; k++) { x[k] = \$(6 + k); sum += x[k]; active += x[k] != 0 }
      if (n != 6 || active > 3 || ($2)) print }" points.csv >broken
  [ ! -s broken ] || complain "$1 has points that break the limits: $(head -n 3 broken)"
  [ "$(wc -l <points.csv)" -gt 50 ] || complain "$1 has few points"
}

expect_status 0 "$zilch" optimize $recipe --sum 1 --evaluations 300 --study whole
expect_in_output 'flour = 0.'
keeps whole 'sum < 1 - 1e-9 || sum > 1 + 1e-9'

# In two parts it is the same run.
expect_status 0 "$zilch" optimize $recipe --sum 1 --evaluations 120 --expected-evaluations 300 --study one
expect_status 0 "$zilch" optimize $recipe --sum 1 --generations 10 --expected-evaluations 300 --study two
expect_status 0 "$zilch" resume two --generations 0 --evaluations 120
"$zilch" export one >one.csv
"$zilch" export two >two.csv
expect_same one.csv two.csv

printf '%s\n' '# what is in it' 'sum <= 1' '0.2 <= flour + 2 * sugar' >recipe.txt
expect_status 0 "$zilch" optimize $recipe --limits recipe.txt --sum 'sum >= 0.5' --evaluations 300 --study file
keeps file 'sum < 0.5 - 1e-9 || sum > 1 + 1e-9 || x[1] + 2 * x[2] < 0.2 - 1e-9'

# Numbers stand for coordinates without names; by hand, too.
expect_status 0 "$zilch" ask --dim 3 --bounds 0:1 --sum 'x1 + x3 = 0.5' --csv hand
expect_status 0 "$zilch" optimize --problem sphere:dim=3,active=1 --bounds 0:1 --sum 'x1+x3=0.5' --evaluations 60 --study numbers

wrong()
{
  message=$1
  shift
  expect_status 2 "$zilch" optimize $recipe --evaluations 100 --study none "$@"
  expect_in_error "$message"
  [ ! -e none ] || complain 'a study was begun'
}
wrong "limit 'flour + suger <= 1': there is no coordinate 'suger'" --sum 'flour + suger <= 1'
wrong "limit 'flour < 1': <=, >= or = is expected before '< 1'" --sum 'flour < 1'
wrong "no point keeps limit 1 together with the bounds, max_active" --sum 'sum = 2'
wrong "no point keeps limits 1 and 2" --sum 'flour + sugar >= 0.5; flour + sugar <= 0.4'
wrong '--names: 6 names must be given, separated by commas' --sum 1 --names a,b
expect_status 1 "$zilch" optimize $recipe --limits missing.txt --study none
expect_in_error 'missing.txt: cannot open'

verdict
