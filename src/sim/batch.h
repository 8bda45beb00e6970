/* The inside of a batch of landers. */
#ifndef ZI_BATCH_H
#define ZI_BATCH_H

#include "base/status.h"
#include "sim/grouping.h"
#include "sim/lander.h"

struct zilch_lander {
    size_t worlds;
    zilch_lander_options options;
    zi_lander *world;
    unsigned lanes;
    zi_lanes_solve solve; /* NULL: one by one */
    zi_rider *rider;      /* of a chunk */
    float *observation;
    double *reward;
    unsigned char *terminated, *truncated;
};

#endif
