#!/bin/sh
# Set up, build, and search a controller for the Lunar Lander: some minutes on two cores. The search can be
# interrupted; ./run.sh then goes on with it.
#
#   ./run.sh             the search, kept in lander.study, and a page about it, lander.html
#   ./run.sh ARGUMENTS   zilch ARGUMENTS instead, in the current folder: ./run.sh --help
#
# On Debian, packages that are missing are installed (with sudo when not root).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$root/tools/setup.sh"

# shellcheck disable=SC2086
setup $build_packages
build=$root/build/run
zilch=$build/cli/zilch
mkdir -p "$build"

# The first time, when it takes long.
say()
{
  [ -x "$zilch" ] || printf '%s\n' "$*" >&2
}

say 'Looking at this machine: its compiler and libraries.'
quietly "$build/build.log" cmake -S "$root" --preset release -B "$build" -DZILCH_TESTS=OFF
say "Building zilch. This takes a minute or two, once; 'tail -f $build/build.log' shows how far it is."
quietly "$build/build.log" cmake --build "$build"

if [ $# -gt 0 ]; then
  exec "$zilch" "$@"
fi
cd "$root"
if [ -e lander.study ] && "$zilch" show lander.study 2>/dev/null | grep -q '  not ended  '; then
  echo 'lander.study has a run that has not ended: going on with it' >&2
  "$zilch" resume lander.study
else
  "$zilch" lander --evaluations 50000
fi
page=$("$zilch" report lander.study -o lander.html)
printf 'page: %s\n' "$page"
