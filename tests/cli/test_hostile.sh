#!/bin/sh
# Studies that somebody has made hostile, by mutation: whatever one holds, commands and Python end in time with status 0, 1 or 2,
# write only where they may, start nothing, and print no control characters; readers change nothing. See tests/hostile/hostile.py.
. "$(dirname "$0")/lib.sh"

[ -n "$numpy" ] || numpy=python3
core=$ZILCH_BUILD_DIR/python/_core.abi3.so
if [ -f "$core" ] && "$numpy" -c 'import numpy' 2>/dev/null; then
  mkdir "$scratch/package"
  cp -r "$ZILCH_SOURCE_DIR/python/zilch" "$core" "$scratch/package/"
  mv "$scratch/package/_core.abi3.so" "$scratch/package/zilch/"
  export ZILCH_PYTHON_PACKAGE="$scratch/package"
  case ${ZILCH_SANITIZE-} in
    *address*) export ZILCH_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)" ;;
  esac
fi
PYTHONDONTWRITEBYTECODE=1 "$numpy" "$ZILCH_SOURCE_DIR/tests/hostile/hostile.py" "$zilch"
