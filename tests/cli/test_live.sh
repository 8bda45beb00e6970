#!/bin/sh
# The live page in a browser: see test_live.py. Screenshots are kept in the build, in artefacts/.
. "$(dirname "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
artefacts=${ZILCH_BUILD_DIR:?}/artefacts
mkdir -p "$artefacts"
"$zilch" serve /dev/null >out 2>err || true
if grep -q 'built without' err; then exit 77; fi
expect_status 0 python3 "${ZILCH_SOURCE_DIR:?}/tests/cli/test_live.py" "$artefacts"
verdict
