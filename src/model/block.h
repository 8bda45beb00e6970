/* What the networks see of a pair, and what they answer: one row a block. */
#ifndef ZI_BLOCK_H
#define ZI_BLOCK_H

#include "zilch.h"

enum { ZI_MOST_INPUTS = 6 };

/* Pairs (i, j) as columns, `count` long each: activation probabilities and correlations,
 * observed or latent. vm_ij is of i's value with j's mask: rho_ji of zilch.h. */
typedef struct zi_pairs {
    size_t count;
    const float *p_i, *p_j, *mm, *vm_ij, *vm_ji, *vv;
} zi_pairs;

/* Fills the network's inputs (inputs x count) from observed pairs, and the sign, 1, -1 or 0,
 * with which each answer is to be taken. Pairs that differ only by a symmetry of the law
 * give the same inputs. */
typedef void (*zi_features)(const zi_pairs *pairs, float *input, float *sign);

typedef struct zi_block {
    size_t inputs;
    zi_features features;
} zi_block;

extern const zi_block zi_blocks[ZILCH_BLOCKS];

#endif
