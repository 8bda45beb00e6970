#!/bin/sh
# The Python package's own tests, on the extension module of this build; with sanitizers, their runtime comes first.
set -eu
. "$ZILCH_SOURCE_DIR/tests/python/env.sh"

package=$ZILCH_BUILD_DIR/package
rm -rf "$package"
mkdir -p "$package"
cp -r "$ZILCH_SOURCE_DIR/python/zilch" "$package/"
cp "$ZILCH_BUILD_DIR/python/_core.abi3.so" "$package/zilch/"
cd "$package"
case ${ZILCH_SANITIZE-} in
  '') ;;
  thread) export LD_PRELOAD="$(cc -print-file-name=libtsan.so)" ;;
  *)
    # The interpreter and its packages leak on purpose; what the package leaks is measured by a test.
    export LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)"
    export ASAN_OPTIONS=detect_leaks=0 ;;
esac
export ZILCH PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg
exec "$python" -m pytest -q -p no:cacheprovider "$ZILCH_SOURCE_DIR/python/tests"
