#!/bin/sh
# The results and figures of the gallery's cases (examples/gallery), for docs/gallery: see tools/gallery/gallery.py.
# Interrupted, it goes on where it was; a case that is there is not run again.
#
#   tools/gallery.sh [--small] FOLDER [CASE ...]     all cases, if none is named
#   tools/gallery.sh --slow FOLDER CASE              adds the peers that take an hour; needs 7 GB for their packages
#
# The packages that zilch is compared with have fixed versions in tools/gallery/requirements.txt and are installed into
# build/gallery-env, those of --slow in requirements-slow.txt and build/gallery-slow-env. ZILCH_CORE names the extension
# module of the package; without it, build/release has it or builds it.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"

if [ "${1-}" = --slow ]; then
  python_environment gallery-slow-env "$root/tools/gallery/requirements-slow.txt"
  export OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES=
else
  python_environment gallery-env "$root/tools/gallery/requirements.txt"
fi

if [ -z "${ZILCH_CORE-}" ]; then
  mkdir -p "$root/build/release"
  quietly "$root/build/release/build.log" cmake -S "$root" --preset release -DZILCH_PYTHON=ON
  quietly "$root/build/release/build.log" cmake --build "$root/build/release" --target _core
  ZILCH_CORE=$root/build/release/python/_core.abi3.so
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cp -r "$root/python/zilch" "$work/"
cp "$ZILCH_CORE" "$work/zilch/"
export PYTHONPATH="$work" PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 JAX_PLATFORMS=cpu MPLCONFIGDIR="$work" LC_ALL=C.UTF-8
"$environment/bin/python" "$root/tools/gallery/gallery.py" "$@"
