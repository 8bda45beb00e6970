#!/bin/sh
# zilch train: the same weights by every way, interrupted or not; what is kept, what is refused; and the
# use of weights, good and bad, by fit and recover. Never how accurate they are.
. "$(dirname "$0")/lib.sh"

# train ARGUMENTS...: a tiny training
train()
{
  "$zilch" train --examples 2000 --epochs 3 --units 8 "$@"
}

# trained ARGUMENTS...: one that must succeed, and say nothing on stderr, which is no terminal
trained()
{
  expect_status 0 train "$@"
  [ ! -s "$err" ] || complain "something on stderr: $*"
}

# expect_alone FOLDER FILE...: nothing else is in the folder
expect_alone()
{
  folder=$1
  shift
  [ "$(ls -A "$folder")" = "$(printf '%s\n' "$@")" ] || complain "in $folder: $(ls -A "$folder")"
}

expect_different()
{
  ! cmp -s "$1" "$2" || complain "$1 and $2 are the same"
}

# What is printed.
mkdir all
trained -o all/weights
expect_alone all weights
grep -qxF 'block  units  epochs  training error  validation error  typical error' "$out" || complain 'no heading'
for block in mm vm vv; do
  grep -qE "^$block +8 +3 +[0-9]\.[0-9]{3}e-0[0-9] +[0-9]\.[0-9]{3}e-0[0-9] +0\.[0-9]{5}\$" "$out" || complain "no $block"
done
awk '$2 == 8 && ($6 * $6 < 0.999 * $5 || $6 * $6 > 1.001 * $5) {exit 1}' "$out" || complain 'not the root of the error'
[ "$(tail -n 1 "$out")" = 'weights: all/weights' ] || complain 'the file is not named'
trained --json -o json
expect_same all/weights json
cp "$out" trained.json
trained --json --block vm -o vm_json
cp "$out" vm.json
trained --json --block mm --rate 0.002 --seed 5 -o rate
cp "$out" rate.json
expect_status 0 python3 - <<'PYTHON'
import json
a, b = json.load(open("trained.json")), json.load(open("vm.json"))
assert list(a) == ["weights", "networks"] and a["weights"] == "json" and list(a["networks"]) == ["mm", "vm", "vv"]
assert list(b["networks"]) == ["vm"] and b["networks"]["vm"] == a["networks"]["vm"]
c = json.load(open("rate.json"))["networks"]["mm"]
assert c["rate"] == c["final_rate"] == 0.002 and c["seed"] == c["examples"]["seed"] == 5
assert a["networks"]["vm"]["epochs_done"] == a["networks"]["vm"]["epochs"] == 3
PYTHON

# The same seed gives the same bytes, on any number of threads; another one, or any other option, others.
for threads in 1 2 5; do
  trained --threads "$threads" -o again
  expect_same all/weights again
  rm again
done
for option in '--seed 2' '--units 16' '--epochs 2' '--batch 64' '--rate 0.01' '--final-rate 0' '--examples 2005' \
  '--rows 100' '--labels simulated --rows 100'; do
  # shellcheck disable=SC2086 # words
  trained $option -o other
  expect_different all/weights other
  rm other
done
trained --final-rate 1e-3 -o other
expect_same all/weights other # the default is the rate
rm other

# Each block by itself, in any order, gives the same: the others are kept.
trained --block vv -o alone
trained --block mm -o alone
expect_different all/weights alone
trained --block vm -o alone
expect_same all/weights alone
# Bytes of the networks in a weights file: see src/model/networks.c
cat >"$scratch/io/networks.py" <<'PYTHON'
import struct
def networks(path):
    data = open(path, "rb").read()
    at, out = 12, []
    for _ in range(3):
        inputs, units = struct.unpack_from("<II", data, at)
        size = 108 + 4 * (2 * units * (inputs + 1) + 2 * units * (units + 1) + units + 1)
        out.append(data[at:at + size])
        at += size
    assert at + 8 == len(data)
    return out
PYTHON
trained --block mm -o mm
trained --block vm --units 16 --seed 3 -o mm
expect_status 0 env PYTHONPATH="$scratch/io" python3 -c '
from networks import networks
whole, alone, own = networks("all/weights"), networks("mm"), networks("vm_json")
assert alone[0] == whole[0] and alone[1] != whole[1] and alone[2] != whole[2]
assert own[1] == whole[1] and own[0] != whole[0] and own[2] == alone[2]' # vv: the one of the library

# Interrupted, it ends by the signal, keeps its parts, goes on from them, and gives what it would have given.
# As many epochs as it takes not to be done before that, nor before the first epoch.
epochs=20
long()
{
  train --epochs "$epochs" --threads 2 -o "$@"
}
# has_begun: its parts are there, or it has said that they were, or it is done
has_begun()
{
  if [ -n "$old" ]; then grep -q '^zilch train: vv ' "$err"; else [ -e cut/weights.vv.part ] || [ -e cut/weights ]; fi
}
# cut SIGNAL: starts it, and sends the signal soon after it has begun; gives its status
cut()
{
  old=$(ls cut)
  # A shell makes background jobs ignore INT; env brings the default back.
  env --default-signal=INT,TERM "$zilch" train --examples 2000 --units 8 --epochs "$epochs" --threads 2 \
    -o cut/weights >"$out" 2>"$err" &
  pid=$!
  tries=0
  while ! has_begun && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
  sleep 0.1
  status=0
  kill -s "$1" "$pid" 2>/dev/null || :
  wait "$pid" || status=$?
}
went_on=
while [ -z "$went_on" ] && [ "$epochs" -lt 20000 ]; do
  epochs=$((epochs * 2))
  rm -rf cut killed parts
  mkdir cut
  cut KILL
  rm -f cut/*.tmp # which nobody can clear away when killed
  cp -r cut killed
  if [ "$status" -eq 137 ]; then cut INT; fi
  if [ "$status" -ne 130 ]; then
    [ "$status" -eq 0 ] || complain "status $status after a signal"
    continue
  fi
  expect_in_error 'zilch train: stopped; the same command goes on from here'
  expect_alone cut weights.mm.part weights.vm.part weights.vv.part
  [ ! -s "$out" ] || complain 'a result of an interrupted training'
  cp -r cut parts
  cut TERM
  [ "$status" -eq 143 ] || [ "$status" -eq 0 ] || complain "status $status after TERM"
  went_on=$(grep -E '^zilch train: mm goes on from epoch [1-9]' "$err" || :)
done
[ -n "$went_on" ] || complain 'never went on from an epoch'
expect_status 0 long cut/weights
expect_alone cut weights
expect_status 0 long whole
expect_same whole cut/weights
expect_status 0 long killed/weights
expect_same whole killed/weights

# A part does not fit other options; it stays, and so do the others.
# other MESSAGE OPTION...: the training of the parts, with the options behind
other()
{
  message=$1
  shift
  rm -rf box
  cp -r parts box
  expect_failure "zilch train: box/weights.mm.part: training: $message; give the same options, or remove the file" \
    train --epochs "$epochs" "$@" -o box/weights
  for block in mm vm vv; do
    expect_same "parts/weights.$block.part" "box/weights.$block.part"
  done
  expect_alone box weights.mm.part weights.vm.part weights.vv.part
}
other "was begun with the examples' seed 1, not 2" --seed 2
other 'was begun with units 8, not 16' --units 16
other "was begun with epochs $epochs, not 7" --epochs 7
other 'was begun with batch 128, not 64' --batch 64
other 'was begun with rate 0.001, not 0.01' --rate 0.01
other 'was begun with final rate 0.001, not 0.0001' --final-rate 0.0001
other 'was begun with examples 2000, not 2005' --examples 2005
other 'was begun with rows 0, not 100' --rows 100
other 'was begun with exact labels, not simulated' --labels simulated --rows 100

# A damaged part, or what is none; nothing is begun beside it.
# damaged MESSAGE: by the vm part in the folder box, which is alone there
damaged()
{
  cp box/weights.vm.part kept
  expect_failure "zilch train: box/weights.vm.part: training: $1" long box/weights
  expect_alone box weights.vm.part
  expect_same kept box/weights.vm.part
}
size=$(wc -c <parts/weights.vm.part)
rm -f box/*
head -c $((size - 1)) parts/weights.vm.part >box/weights.vm.part
damaged 'truncated or damaged; remove the file to begin anew'
{ cat parts/weights.vm.part; echo; } >box/weights.vm.part
damaged 'truncated or damaged'
{ head -c $((size / 2)) parts/weights.vm.part; printf 'four'; tail -c +$((size / 2 + 5)) parts/weights.vm.part; } >box/weights.vm.part
damaged 'truncated or damaged'
echo text >box/weights.vm.part
damaged 'this is not the state of a training'
: >box/weights.vm.part
damaged 'this is not the state of a training'
cp all/weights box/weights.vm.part
damaged 'this is not the state of a training'
cp parts/weights.mm.part box/weights.vm.part
damaged 'is of block mm, not vm'
rm box/weights.vm.part
mkdir box/weights.vm.part
expect_failure 'box/weights.vm.part: not a regular file' long box/weights
rmdir box/weights.vm.part

# A copy with other bytes at an offset, and with the checksum that belongs to it (CRC-64/XZ).
cat >"$scratch/io/patch.py" <<'PYTHON'
import sys
source, target, offset, patch = sys.argv[1:]
data = bytearray(open(source, "rb").read()[:-8])
patch = bytes.fromhex(patch)
data[int(offset):int(offset) + len(patch)] = patch
crc = 2 ** 64 - 1
for byte in data:
    crc ^= byte
    for _ in range(8):
        crc = crc >> 1 ^ (0xC96C5795D7870F42 if crc & 1 else 0)
open(target, "wb").write(data + (crc ^ 2 ** 64 - 1).to_bytes(8, "little"))
PYTHON
patch()
{
  python3 "$scratch/io/patch.py" "$@"
}
patch all/weights same 0 7a696c63686e6574
expect_same all/weights same

# A part whose network is not finite is damaged.
rm -f box/*
patch parts/weights.vm.part box/weights.vm.part 132 0000c07f
damaged 'damaged: weight 0 of its network is not finite; remove the file to begin anew'

# A network that is not finite any more ends the training; its part, with which nobody could go on, goes.
rm -rf box
cp -r parts box
patch parts/weights.vm.part early 92 0000000000000000
patch early box/weights.vm.part 1064 0000c07f
expect_status 1 long box/weights
expect_in_error 'zilch train: vm: training: the network is not finite any more after epoch 1'
expect_alone box weights.mm.part weights.vv.part

# A part that can no longer be written ends the training of all.
rm -rf cut
mkdir cut
cut_off()
{
  (
    while [ ! -e cut/weights.vv.part ] && [ -d "$scratch" ]; do sleep 0.02; done
    mv cut gone # at once, whatever is being written in it
  ) &
  long cut/weights
}
expect_failure 'cut/weights.mm.part: cannot create a file beside it: No such file or directory' cut_off
wait
expect_no_file cut

# A live line on a terminal: never wider than that, nothing of it left at the end.
expect_status 0 python3 - "$zilch" "$epochs" <<'PYTHON'
import fcntl, os, pty, re, struct, sys, termios
zilch, epochs = sys.argv[1:]
for width in 60, 200:
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        os.execv(zilch, [zilch, "train", "--examples", "2000", "--units", "8", "--epochs", epochs, "-o", "live%d" % width])
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    assert os.waitpid(child, 0)[1] == 0
    lines = shown.decode().split("\r\033[K")
    live = [line for line in lines if re.match(r"train: \d+/\d+ epochs, \d+ %, \d+ s", line)]
    assert live and all(len(line) < width for line in live), live
    error = r"\d\.\d\de-\d\d"
    noted = [re.search(r"; (mm|vm|vv) \d+/%s: %s %s" % (epochs, error, error), line) for line in live]
    assert width == 60 or any(noted), live
    assert width == 200 or any(len(line) == width - 1 for line in live), live
    assert lines[-1].startswith("block  units"), lines[-1]
PYTHON

# Places that are refused before anything is trained: what is there and is no weights file, or no file.
printf '1,0\n0,2\n3,0\n4,5\n0,1\n2,2\n' >data.csv
expect_status 0 "$zilch" fit data.csv -o model
mkdir folder refused
mkfifo refused/pipe
cp data.csv model refused
for name in data.csv model; do
  expect_failure "zilch train: refused/$name: weights: these are not the weights of zilch's networks; it is left as it is" \
    "$zilch" train -o "refused/$name"
  expect_same "$name" "refused/$name"
done
head -c 1000 all/weights >refused/short
expect_failure 'refused/short: weights: truncated' "$zilch" train -o refused/short
[ "$(wc -c <refused/short)" -eq 1000 ] || complain 'the damaged file has changed'
expect_failure 'refused/pipe: not a regular file, which weights and their parts need' "$zilch" train -o refused/pipe
expect_failure 'folder: not a regular file, which' "$zilch" train -o folder
expect_failure '/dev/full: not a regular file, which' "$zilch" train -o /dev/full
expect_failure 'nowhere/weights: cannot write into its folder: No such file or directory' "$zilch" train -o nowhere/weights
expect_failure 'data.csv/weights: cannot write into its folder: Not a directory' "$zilch" train -o data.csv/weights
if [ "$(id -u)" -ne 0 ]; then
  mkdir -m 555 closed
  expect_failure 'closed/weights: cannot write into its folder: Permission denied' "$zilch" train -o closed/weights
fi
expect_no_file nowhere
expect_no_file /dev/full.mm.part
[ -z "$(ls -A folder)" ] || complain 'something in the folder'
expect_alone refused data.csv model pipe short

# A full disk: noticed at the beginning, when not even the parts fit. Later, the old weights and what was
# trained are still there, and only the writing is left to do.
limited()
{
  limit=$1
  shift
  sh -c 'ulimit -f "$0"; exec "$@"' "$limit" "$zilch" train --examples 2000 --epochs 3 "$@"
}
rm -rf box
mkdir box
expect_failure 'box/weights.mm.part: cannot write: File too large' limited 1 -o box/weights
[ -z "$(ls -A box)" ] || complain "left behind: $(ls -A box)"
ln -s nowhere/part box/weights.vv.part
expect_failure 'box/weights.vv.part: cannot create a file beside it: No such file or directory' train -o box/weights
expect_alone box weights.vv.part
rm box/weights.vv.part
trained --units 32 -o box/old # 3 networks of 32 units are more than a part of 8
cp box/old box/weights
expect_failure 'box/weights: cannot write: File too large; the training is kept in box/weights.*.part' \
  limited 12 --units 8 --block mm -o box/weights
expect_alone box old weights weights.mm.part
expect_same box/old box/weights
expect_status 0 train --block mm -o box/weights
expect_in_error 'zilch train: mm has had all its epochs'
expect_alone box old weights
expect_status 0 env PYTHONPATH="$scratch/io" python3 -c '
from networks import networks
new, old, whole = networks("box/weights"), networks("box/old"), networks("all/weights")
assert new[0] == whole[0] and new[1:] == old[1:]'
expect_failure 'cannot write to standard output: No space left on device' \
  sh -c '"$0" train --examples 2000 --epochs 3 --units 8 -o box/other >/dev/full' "$zilch"

# Weights are used where they are given, by the inverter that has networks.
expect_status 0 "$zilch" fit data.csv --inverter amortised -o own
! grep -q '^weights:' "$out" || complain 'weights that were not given'
expect_status 0 "$zilch" fit data.csv --inverter amortised --weights all/weights -o given
expect_in_output 'weights: all/weights'
expect_in_output 'fit: inverter amortised'
expect_different own given
expect_status 0 "$zilch" fit data.csv --inverter amortised --weights alone -o again
expect_same given again
expect_status 2 "$zilch" fit data.csv --weights all/weights -o new
expect_in_error 'add --inverter amortised'
expect_status 2 "$zilch" fit data.csv --inverter amortised --weights alone -o alone
expect_in_error 'alone is what is read'
expect_same all/weights alone
expect_no_file new

# Bad weights: bad MESSAGE, of the file 'bad'
bad()
{
  expect_refusal "zilch fit: bad: $1" "$zilch" fit data.csv --inverter amortised --weights bad
  expect_failure "zilch recover: bad: $1" "$zilch" recover --models 1 --rows 100 --dim 2 --weights bad --figures figures
  expect_no_file figures
}
no_weights="weights: these are not the weights of zilch's networks"
patch all/weights bad 8 02000000
bad 'weights: format version 2, this library reads version 1'
expect_failure 'zilch show: bad: weights: format version 2' "$zilch" show bad
patch all/weights bad 12 04000000
bad 'weights: wrong shape: the mm network has 4 inputs, not 3'
patch all/weights bad 16 0c000000
bad 'weights: wrong shape: the mm network has 12 units'
patch all/weights bad 16 10000000
bad 'weights: '
patch all/weights bad 16 00000080
bad 'weights: wrong shape: the mm network has 2147483648 units'
patch all/weights bad 20 09000000
bad "weights: the record of the mm network's training is damaged"
patch all/weights bad 120 0000c07f
bad 'weights: weight 0 of the mm network is not finite'
expect_failure 'zilch show: bad: weights: weight 0' "$zilch" show --json bad
patch all/weights bad 124 000080ff
bad 'weights: weight 1 of the mm network is not finite'
for length in 0 7 11 15 19 119 500 3000 $(($(wc -c <all/weights) - 1)); do
  head -c "$length" all/weights >bad
  bad 'weights: '
done
{ cat all/weights; echo; } >bad
bad 'weights: damaged: 1 bytes follow their end'
{ head -c 200 all/weights; printf 'four'; tail -c +205 all/weights; } >bad
bad 'weights: damaged: the checksum is wrong'
cp data.csv bad
bad "$no_weights"
cp model bad
bad "$no_weights"
cp parts/weights.mm.part bad
bad "$no_weights"
: >bad
bad "$no_weights"
rm bad
bad 'cannot open: No such file or directory'
mkdir bad
bad 'not a regular file'

# Wrong usage.
wrong_usage()
{
  expect_status 2 "$@"
  expect_in_error "Try 'zilch train --help'."
  [ ! -s "$out" ] || complain 'something on stdout'
}
wrong_usage "$zilch" train
expect_in_error 'zilch train: -o WEIGHTS is missing'
wrong_usage "$zilch" train -o ''
wrong_usage "$zilch" train -o -
expect_in_error '-o: weights are written to a file, not to standard output'
wrong_usage "$zilch" train -o new extra
expect_in_error "unexpected argument 'extra'"
wrong_usage "$zilch" train -o new --block mv
expect_in_error "--block: 'mv' is not one of mm|vm|vv|all"
wrong_usage "$zilch" train -o new --labels noisy
expect_in_error "--labels: 'noisy' is not one of exact|simulated"
wrong_usage "$zilch" train -o new --epoch 3 --epcohs 3
expect_in_error "unknown option '--epcohs'; did you mean '--epochs'?"
wrong_usage "$zilch" train -o new --units 4
expect_in_error "--units: '4' is not a whole number from 8 to 128"
wrong_usage "$zilch" train -o new --units 12
expect_in_error '--units: 12 is not a multiple of 8'
wrong_usage "$zilch" train -o new --rows 1
expect_in_error '--rows: a sample of one row has no correlations'
wrong_usage "$zilch" train -o new --examples 4
expect_in_error "--examples: '4' is not a whole number from 5 to"
wrong_usage "$zilch" train -o new --examples 100
expect_in_error '--batch 128 is more than the 80 examples that train'
for value in 0 -1 2 nan x; do
  wrong_usage "$zilch" train -o new --rate "$value"
  expect_in_error "--rate: '$value' is not a number from"
done
wrong_usage "$zilch" train -o new --final-rate 0.1
expect_in_error '--final-rate 0.1 is above --rate 0.001'
for option in batch threads seed epochs; do
  wrong_usage "$zilch" train -o new "--$option" -1
  expect_in_error "--$option: '-1' is not a whole number"
done
expect_no_file new
[ -z "$(find . -name '*.tmp' -o -name 'new.*')" ] || complain "left behind: $(find . -name '*.tmp' -o -name 'new.*')"

# The smallest training there is; and help, which tells the defaults.
expect_status 0 "$zilch" train --examples 5 --batch 4 --units 8 --epochs 1 -o least
expect_status 0 "$zilch" train --help
tr -s ' \n' '  ' <"$out" >help
for text in 'default all' 'default exact' 'default 200000' 'four fifths of them train, the others validate' 'default 32' \
  '1200 times for mm, 250 for vm and vv' 'default 128' 'default 0.001' 'Without it, the rate is constant' \
  'the same seed gives the same weights. (default 1)' '8 to 128; default 32' 'at least 5; default 200000' '100000 for 0' 'needed'; do
  grep -qF -e "$text" help || complain "not in the help: $text"
done
verdict
