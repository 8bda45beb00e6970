#!/bin/sh
# The site is built without a warning, and its pages are what check_site.py says. Screenshots are kept in artefacts/.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
artefacts=${ZILCH_BUILD_DIR:?}/artefacts
mkdir -p "$artefacts"
export PYTHONDONTWRITEBYTECODE=1 ZILCH_CORE="$ZILCH_BUILD_DIR/python/_core.abi3.so"

"$ZILCH_SOURCE_DIR/tools/site.sh" "$scratch/site"
python3 "$ZILCH_SOURCE_DIR/tests/site/check_site.py" "$scratch/site" "$ZILCH_SOURCE_DIR" "$ZILCH_BUILD_DIR/libzilch.so" "$artefacts"
