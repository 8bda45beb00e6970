#!/bin/sh
# Studies that zilch 0.1 wrote: they are shown and exported as they are, and go on as they would have there.
. "$(dirname "$0")/lib.sh"
old=${ZILCH_SOURCE_DIR:?the sources}/tests/old_study # make.sh there says what is in it

# Looking changes nothing.
cp "$old/study" study
chmod a-w study
expect_status 0 "$zilch" show study
for method in default published ea; do
  grep -q " $method " "$out" || complain "no run of the method $method"
done
expect_status 0 "$zilch" show study --run 4
expect_in_output '--method ea '
expect_in_output '--reevaluate all '
expect_in_output '--initial-spread 0 '
expect_in_output '--final-pruning no'
expect_status 0 "$zilch" show study --run 1
expect_in_output '--structure diagonal '
expect_in_output '--penalty 0.25 '
expect_status 0 "$zilch" export study --run 5
expect_same "$old/5.csv" "$out"
expect_same "$old/study" study

# Each run goes on to where zilch 0.1 came.
chmod u+w study
for run in 1 3 4; do
  expect_status 0 "$zilch" resume study --run $run
  sed -n 's|^x\([0-9]*\) = |x[\1] = |; # in the words of 0.1
s|^\(recommended: .*\) with \([0-9]*\) active .*, the mean of \([0-9]*\) new evaluations out of \([0-9]*\) in the final check|\1 in \3 of \4 fresh evaluations, active \2|
s|, \([0-9]*\) more set to zero at the end$|, \1 pruned|
/^recommended: \|^x\[/p' "$out" >>recommended || complain "run $run recommends nothing"
done
expect_same "$old/recommended.txt" recommended
expect_status 0 "$old/finish.sh" "$zilch" study
expect_status 0 "$zilch" export study
expect_same "$old/expected.csv" "$out"

# A run that needs an option that is gone is refused, before and after the study is brought up to date.
cp "$old/study" other
for study in study other; do
  cp $study before
  expect_status 1 "$zilch" resume $study --run 5
  expect_in_error 'the option prior_correlation of zilch 0.1'
  expect_status 0 "$zilch" show $study --run 5
  expect_in_output 'ended by: not ended'
  expect_status 0 "$zilch" export $study --run 5
  expect_same "$old/5.csv" "$out"
done

# A study of today takes new runs beside the old ones.
expect_status 0 "$zilch" optimize --problem sphere:dim=4,active=1 --generations 2 --population 6 --study study
expect_status 0 "$zilch" export study
head -n "$(wc -l <"$old/expected.csv")" "$out" >first
expect_same "$old/expected.csv" first
verdict
