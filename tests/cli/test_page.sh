#!/bin/sh
# The pages in a browser: see test_page.py. Screenshots of them are kept in the build, in artefacts/.
. "$(dirname "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
artefacts=${ZILCH_BUILD_DIR:?}/artefacts
mkdir -p "$artefacts"

expect_status 0 "$zilch" play --seed 3 --html play.html
expect_status 0 "$zilch" play --seed 7 --html other.html
expect_status 0 "$zilch" compare --methods 'zig:population=20+elites=5+aggregate=latest+final-evaluations=20,ea:ea+population=20+elites=5' --seeds 2 \
  --generations 8 --held-out 20 --study c.study
expect_status 0 "$zilch" report c.study -o report.html
expect_status 0 python3 "${ZILCH_SOURCE_DIR:?}/tests/cli/test_page.py" "$artefacts" play.html other.html report.html
verdict
