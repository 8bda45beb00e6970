#!/bin/sh
# Makes src/model/weights.c, the networks that the library carries:
#
#     tools/make_weights.sh build/release/cli/zilch src/model/weights.c
#
# Takes two and a half minutes, and gives the same bytes again.
set -eu
zilch=$1
source=$2
weights=${source%.c}.zilch
tools=$(dirname -- "$0")

# As many units as leave the amortised inversion cheaper than the exact one (zilch bench model).
train()
{
  "$zilch" train --block "$1" --units "$2" --examples 1e6 --epochs 400 --rate "$3" --final-rate 0 --seed 1 \
    --output "$weights"
}
train mm 8 3e-3
train vm 16 5e-3
train vv 16 5e-3
python3 "$tools/weights_source.py" "$weights" >"$source.new"
mv "$source.new" "$source"
rm "$weights"
