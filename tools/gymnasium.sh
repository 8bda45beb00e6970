#!/bin/sh
# Makes a throw-away Python environment with the real Gymnasium and its Box2D, and prints the path of its python:
#
#   tools/gymnasium.sh [FOLDER]     (without FOLDER: one under ${TMPDIR:-/tmp})
#
# An environment that is already complete is left as it is. The packages come from where pip is set up to look, all as
# wheels, so that neither swig nor a compiler is needed, and the Box2D is the one that everybody has.
#
# NumPy is the last 1.x: Gymnasium's heuristic multiplies float32 scalars by Python floats, which is done in double
# precision by 1.x and in single by 2.x. The environment itself gives the same bits with both. NumPy 1.x has wheels up
# to Python 3.12.
set -euf
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"

folder=${1:-${TMPDIR:-/tmp}/zilch-gymnasium}
packages='gymnasium[box2d]==1.4.0 box2d==2.3.10 numpy==1.26.4'

# Whether the environment's python has just these versions.
ready()
{
  # The list is words to be split.
  # shellcheck disable=SC2086
  [ -x "$folder/bin/python" ] && "$folder/bin/python" - $packages 2>/dev/null <<'PYTHON'
import sys
from importlib.metadata import version
for package in sys.argv[1:]:
    name, wanted = package.split("==")
    assert version(name.partition("[")[0]) == wanted
from gymnasium.envs.box2d import lunar_lander
PYTHON
}

# The first python that NumPy 1.26 and Gymnasium 1.4 are for.
find_python()
{
  for python in python3 python3.12 python3.11 python3.10 /usr/bin/python3; do
    "$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 13))' 2>/dev/null &&
      return
  done
  echo 'No Python from 3.10 to 3.12 with venv was found.' >&2
  return 1
}

if ! ready; then
  setup python3 python3-venv >&2
  find_python
  mkdir -p "$folder"
  quietly "$folder/install.log" "$python" -m venv "$folder"
  # shellcheck disable=SC2086
  quietly "$folder/install.log" "$folder/bin/python" -m pip install --only-binary :all: $packages
  ready || { echo "The environment in $folder is not what it should be." >&2; exit 1; }
fi
printf '%s\n' "$folder/bin/python"
