/* Examples to train with: pairs whose latent correlations are known. */
#ifndef ZI_EXAMPLES_H
#define ZI_EXAMPLES_H

#include "base/status.h"
#include "model/block.h"

/* One pair's correlations; vm_ij is of i's value with j's mask. */
typedef struct zi_correlations {
    double mm, vm_ij, vm_ji, vv;
} zi_correlations;

typedef struct zi_example {
    double p_i, p_j; /* with noise: the shares seen */
    zi_correlations latent, observed;
} zi_example;

struct zilch_examples {
    zilch_examples_options options;
    zi_pairs observed;                 /* all of them, as columns */
    const float *answer[ZILCH_BLOCKS]; /* the latent correlation that a block's network shall find */
    float *column;                     /* the memory of those */
};

/* Checks the options, and fills in what 0 stands for. */
zilch_status zi_examples_settle(zilch_examples_options *options);

/* Example number `index`, for options that were checked. */
zilch_status zi_example_make(const zilch_examples_options *options, uint64_t index, zi_example *out);

#endif
