#!/bin/sh
# Random command lines end well, or with a clean message: see random_options.py.
. "$(dirname "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
expect_status 0 python3 "${ZILCH_SOURCE_DIR:?}/tests/cli/random_options.py" "$zilch" "${ZILCH_COMMANDS:-200}"
cat "$out"
verdict
