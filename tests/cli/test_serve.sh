#!/bin/sh
# The live page's server: see test_serve.py.
# In memory where there is such a folder: values that are slow are synced one by one, and others may keep the disk busy.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
. "$(dirname "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
"$zilch" serve --help >help || complain 'serve has no help'
"$zilch" serve /dev/null >out 2>err || true
if grep -q 'built without' err; then exit 77; fi
expect_status 0 python3 "${ZILCH_SOURCE_DIR:?}/tests/cli/test_serve.py"
cat "$out"
verdict
