#!/bin/sh
# What the documents show is run, and their links lead somewhere: see documents.py.
. "${0%/*}/common.sh"
python3 "$source/tests/structure/documents.py" "$source" "$build" "$ZILCH" "$scratch"
