#!/bin/sh
# What is no file of the kind that is read: empty, huge, all zeros, a folder, a device, a pipe, UTF-16, one line without an
# end. For everything that every command reads: status 1, one line that names it, soon and without much memory.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {for (i = 1; i < 60; i++) for (j = 1; j <= 4; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 4 ? "," : "\n"}' >good.csv
expect_status 0 "$zilch" fit good.csv -o law
expect_status 0 "$zilch" ask by_hand --dim 3 --refinement no --population 5 --elites 2
printf '{"id":0,"value":1}\n' >values
mkdir -p given folder

# The size is a wish, no memory: sparse files. Their beginnings are those of what they pretend to be.
: >given/empty
head -c 3000 /dev/zero >given/zeros
truncate -s 2G given/huge
# pretend NAME BEGINNING
pretend()
{
  # shellcheck disable=SC2059 # the format is what is meant
  printf "$2" >"given/$1"
  truncate -s 2G "given/$1"
}
pretend huge.csv 'a,b\n1,2\n3,4\n'
pretend huge.npy '\223NUMPY\001\000\166\000garbage'
pretend huge.sqlite 'SQLite format 3\000'
pretend huge.json '{"id":0,"value":1}\n'
pretend huge.formula 'a_main = x\n'
printf '\377\376a\000,\000b\000\n\0001\000,\0002\000\n\0003\000,\0004\000\n\000' >given/utf16
head -c 3000000 /dev/zero | tr '\000' 7 >given/line
head -c 3000000 /dev/urandom >given/noise

# The release build does with 4 GB of addresses; sanitizers take terabytes.
memory=4000000
if ldd "$zilch" 2>/dev/null | grep -q libasan || nm "$zilch" 2>/dev/null | grep -q __asan_init; then memory=unlimited; fi

# refuses FILE WORDS...: by one line that names the file, in ten seconds
refuses()
{
  file=$1
  shift
  status=0
  # shellcheck disable=SC2016 # the inner shell's
  timeout 20 sh -c 'ulimit -v "$0"; exec "$@"' "$memory" "$zilch" "$@" >"$out" 2>"$err" </dev/null || status=$?
  [ "$status" -eq 1 ] || complain "status $status: $*"
  [ "$(wc -l <"$err")" -eq 1 ] || complain "not one line on stderr: $*"
  expect_in_error "zilch $1: "
  expect_in_error "$file: "
  tried=$((tried + 1))
}

# read_everywhere FILE: as everything that is read
read_everywhere()
{
  refuses "$1" fit "$1" -o new
  refuses "$1" fit good.csv --row-weights "$1" -o new
  refuses "$1" fit good.csv --inverter amortised --weights "$1" -o new
  refuses "$1" sample "$1" -o new
  refuses "$1" show "$1"
  refuses "$1" best "$1"
  refuses "$1" export "$1" -o new
  refuses "$1" report "$1" -o new
  refuses "$1" resume "$1"
  refuses "$1" ask "$1"
  refuses "$1" tell "$1" values
  refuses "$1" play --controller "$1"
  refuses "$1" play --actions "$1"
  refuses "$1" recover --models 1 -d 2 --rows 10 --weights "$1"
  refuses "$1" optimize --problem linear --data "$1" --study new
  refuses "$1" optimize --problem smop1 --dim 5 --warm-start "$1" --study new
  refuses "$1" optimize --problem smop1 --dim 5 --bounds-file "$1" --study new
  refuses "$1" optimize --problem smop1 --dim 5 --penalty-file "$1" --study new
  refuses "$1" optimize --problem smop1 --dim 5 --default "$1" --study new
  refuses "$1" optimize --problem smop1 --dim 5 --values-file "$1" --study new
  refuses "$1" optimize --problem smop1 --dim 5 --inverter amortised --weights "$1" --study new
  refuses "$1" compare --problem linear --data "$1" --methods default,ea --seeds 1 --study new
  # Of values, none are values too.
  case $1 in *empty) ;; *) refuses "$1" tell by_hand "$1" ;; esac
  expect_no_file new
}
tried=0
for input in given/empty given/zeros given/huge given/utf16 given/noise folder /dev/zero; do read_everywhere "$input"; done

# What begins well is read on, and refused where it is wrong.
refuses given/huge.csv fit given/huge.csv -o new
expect_in_error 'line 4 (row 3): '
refuses given/huge.csv optimize --problem linear --data given/huge.csv --study new
refuses given/huge.csv play --actions given/huge.csv
refuses given/huge.npy fit given/huge.npy -o new
refuses given/huge.sqlite show given/huge.sqlite
refuses given/huge.sqlite export given/huge.sqlite
refuses given/huge.sqlite resume given/huge.sqlite
refuses given/huge.sqlite optimize --problem smop1 --dim 5 --study given/huge.sqlite
refuses given/huge.json tell by_hand given/huge.json
expect_in_error 'line 2: a NUL byte'
refuses given/huge.formula play --controller given/huge.formula
refuses given/line fit given/line -o new
refuses given/line tell by_hand given/line
refuses given/line play --controller given/line
refuses given/line optimize --problem smop1 --dim 5 --bounds-file given/line --study new
expect_no_file new
[ "$("$zilch" ask by_hand --waiting | wc -l)" -eq 5 ] || complain 'a value was taken'

# A trainer's own file, beside the weights.
for input in given/empty given/zeros given/huge given/noise; do
  rm -rf kept
  mkdir kept
  cp --sparse=always "$input" kept/weights.mm.part
  refuses kept/weights.mm.part train -o kept/weights --block mm --examples 200 --epochs 2 --units 8 --batch 16
  rm -rf kept/*
  cp --sparse=always "$input" kept/weights
  refuses kept/weights train -o kept/weights --block mm --examples 200 --epochs 2 --units 8 --batch 16
done

# From standard input, which has no size.
for command in 'fit - -o new' 'play --controller -' 'play --actions -' 'tell by_hand -'; do
  status=0
  # shellcheck disable=SC2086,SC2016 # words; the inner shell's
  timeout 20 sh -c 'ulimit -v "$0"; exec "$@" </dev/zero' "$memory" "$zilch" $command >"$out" 2>"$err" || status=$?
  [ "$status" -eq 1 ] || complain "status $status: $command </dev/zero"
  expect_in_error 'standard input: '
done

# A pipe with a writer is as good as a file where data are read; where a file is needed it is refused, not waited for.
mkfifo pipe
cat good.csv >pipe &
expect_status 0 "$zilch" fit pipe -o from_pipe
expect_same law from_pipe
for words in 'sample pipe -o new' 'show pipe' 'best pipe' 'export pipe' 'resume pipe' 'report pipe -o new' 'ask pipe' \
  'recover --models 1 -d 2 --rows 10 --weights pipe' 'optimize --problem smop1 --dim 5 --study pipe'; do
  # shellcheck disable=SC2086 # words
  refuses pipe $words
done

# What may not be read. Root may, so somebody else tries.
cp good.csv secret
chmod 000 secret
chmod 755 "$scratch" "$scratch/work"
if [ "$(id -u)" -ne 0 ]; then
  read_everywhere secret
elif setpriv --reuid=65534 --regid=65534 --clear-groups "$zilch" --version >/dev/null 2>&1; then
  for words in 'fit secret -o new' 'sample secret' 'show secret' 'best secret' 'play --controller secret' 'tell secret values' \
    'recover --models 1 -d 2 --rows 10 --weights secret' 'optimize --problem smop1 --dim 5 --bounds-file secret'; do
    # shellcheck disable=SC2086 # words
    expect_failure 'secret: ' setpriv --reuid=65534 --regid=65534 --clear-groups "$zilch" $words
    expect_in_error 'Permission denied'
  done
fi
echo "$tried files were refused"
verdict
