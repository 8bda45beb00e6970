#!/bin/sh
# finish.sh ZILCH STUDY: tells the points of run 2 that are out, and the rest of two generations.
set -eu
for generation in 1 2; do
    "$1" ask "$2" --run 2 >/dev/null 2>&1 || true # all may be out
    "$1" ask "$2" --run 2 --waiting | sed 's/^{"id": *\([0-9]*\).*/{"id":\1,"value":\1.75}/' | "$1" tell "$2" --run 2
done
