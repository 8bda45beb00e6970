#!/bin/sh
# Prints how many lines of C there are: of .c files in cli/ and src/, and their ratio; and of all .c and .h files outside
# of tests. What cmake makes is not counted.
#
#   tools/lines.sh
set -eu
cd "$(dirname "$0")/.."

# lines WORDS...: of the files that find finds with these
lines()
{
  find "$@" -exec cat {} + | wc -l
}
command=$(lines cli -name '*.c')
library=$(lines src -name '*.c')
all=$(lines include src cli python bench examples \( -name '*.c' -o -name '*.h' \))
awk -v command="$command" -v library="$library" -v all="$all" 'BEGIN {
  printf "cli %d\nsrc %d\nratio %.3f\nall %d\n", command, library, command / library, all
}'
