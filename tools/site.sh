#!/bin/sh
# Build the documentation site: tools/site.sh [OUT], by default into build/site. OUT/index.html is the first page; the
# pages need no server and ask no other host for anything.
#
# The pages are those of docs/, the docstrings of the package and the headers: tools/site/stage.py lays them out, Sphinx
# turns them into HTML. It is installed from tools/site/requirements.txt into build/site-env, with every version fixed. Any
# warning is an error, and is told with the file and line where it can be mended.
#
# ZILCH_CORE names the extension module of the package; without it, build/release has it or builds it.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"
out=${1:-$root/build/site}

python_environment site-env "$root/tools/site/requirements.txt"

if [ -z "${ZILCH_CORE-}" ]; then
  mkdir -p "$root/build/release"
  quietly "$root/build/release/build.log" cmake -S "$root" --preset release -DZILCH_PYTHON=ON
  quietly "$root/build/release/build.log" cmake --build "$root/build/release" --target _core
  ZILCH_CORE=$root/build/release/python/_core.abi3.so
fi
export ZILCH_CORE PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
"$environment/bin/python" "$root/tools/site/stage.py" "$root" "$work/stage"
status=0
"$environment/bin/python" -m sphinx -q -W --keep-going -b html -c "$root/tools/site" -d "$work/doctrees" "$work/stage" "$out" \
  2>"$work/warnings" || status=$?
# As the reader knows the files.
sed "s|$work/stage/index\.md|README.md|g; s|$work/stage/||g; s|$root/||g" "$work/warnings" >&2
exit "$status"
