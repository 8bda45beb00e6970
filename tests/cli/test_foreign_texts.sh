#!/bin/sh
# Texts of others are shown, and never obeyed by a terminal, a spreadsheet, LaTeX or a browser: see foreign_texts.py.
. "$(dirname "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
expect_status 0 /usr/bin/python3 "${ZILCH_SOURCE_DIR:?}/tests/cli/foreign_texts.py" "$zilch"
cat "$out"
verdict
