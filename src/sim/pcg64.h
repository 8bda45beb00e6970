/* numpy's default generator: PCG64 (O'Neill's XSL-RR 128/64), seeded by a SeedSequence. */
#ifndef ZI_PCG64_H
#define ZI_PCG64_H

#include "sim/target.h"

#include <stdint.h>

typedef struct zi_pcg64 {
    uint64_t state[2], increment[2]; /* low half first */
    uint32_t kept;                   /* the upper half of a number of which the lower was given */
    int has_kept;
} zi_pcg64;

ZI_SIM zi_pcg64 zi_pcg64_seed(uint64_t seed);
ZI_SIM uint64_t zi_pcg64_next(zi_pcg64 *rng);

/* low + (high - low) u with u of 53 bits in [0, 1): Generator.uniform. */
ZI_SIM double zi_pcg64_uniform(zi_pcg64 *rng, double low, double high);

/* In low .. high - 1, high - low below 2^32: Generator.integers. */
ZI_SIM int64_t zi_pcg64_integer(zi_pcg64 *rng, int64_t low, int64_t high);

#endif
