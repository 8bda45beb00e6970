#!/bin/sh
# Slow: the networks that the library carries, trained again as their file says, are the same bytes.
. "$(dirname -- "$0")/lib.sh"
source=${ZILCH_SOURCE_DIR:?where the sources are}

expect_status 0 sh "$source/tools/make_weights.sh" "$zilch" "$scratch/weights.c"
expect_same "$scratch/weights.c" "$source/src/model/weights.c"
verdict
