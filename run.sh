#!/bin/sh
# Set up, build, and run the recovery experiment in a short form: random laws are sampled,
# fitted again, and the correlations found are held against the true ones.
#
#   ./run.sh             the experiment, with its figures in figures/
#   ./run.sh ARGUMENTS   zilch ARGUMENTS instead, in the current folder: ./run.sh --help
#
# On Debian, packages that are missing are installed (with sudo when not root).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$root/tools/setup.sh"

# shellcheck disable=SC2086
setup $build_packages
build=$root/build/run
mkdir -p "$build"
quietly "$build/build.log" cmake -S "$root" --preset release -B "$build" -DZILCH_TESTS=OFF
quietly "$build/build.log" cmake --build "$build"

if [ $# -gt 0 ]; then
  exec "$build/cli/zilch" "$@"
fi
cd "$root"
exec "$build/cli/zilch" recover --models 10 --figures figures
