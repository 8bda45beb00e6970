/* The generator behind zilch_rng, for its published test vectors. */
#ifndef ZI_RNG_H
#define ZI_RNG_H

#include "zilch.h"

/* Philox4x32-10 of counter words (block, stream) and this key; 64-bit words hold
 * two 32-bit ones, low first. */
void zi_philox_block(uint64_t key, uint64_t stream, uint64_t block, uint64_t word[2]);

#endif
