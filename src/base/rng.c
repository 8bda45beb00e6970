/* Random streams: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011) and Box-Muller normals.
 *
 * Draw number n of a stream comes from block n / 2: the 128-bit Philox counter is
 * (n / 2, stream), its key the seed. A block is four 32-bit words, two 64-bit words,
 * two uniforms u and v, or two normals sqrt(-2 log u) cos(2 pi v) and ... sin(2 pi v).
 * So draws can be skipped, taken one at a time or filled in bulk, and are the same. */
#include "base/rng.h"

#include "base/simd.h"

#include <assert.h>

/* One round, on 32-bit words. */
#define PHILOX_ROUND(x0, x1, x2, x3, k0, k1)                     \
    do {                                                         \
        const uint64_t product_0 = (uint64_t)0xD2511F53u * (x0); \
        const uint64_t product_2 = (uint64_t)0xCD9E8D57u * (x2); \
        const uint32_t high_2 = (uint32_t)(product_2 >> 32);     \
        const uint32_t high_0 = (uint32_t)(product_0 >> 32);     \
        (x0) = high_2 ^ (x1) ^ (k0);                             \
        (x1) = (uint32_t)product_2;                              \
        (x2) = high_0 ^ (x3) ^ (k1);                             \
        (x3) = (uint32_t)product_0;                              \
        (k0) += 0x9E3779B9u;                                     \
        (k1) += 0xBB67AE85u;                                     \
    } while (0)

ZI_LANE void philox(uint64_t key, uint64_t high, uint64_t low, uint64_t *word_0, uint64_t *word_1)
{
    uint32_t k0 = (uint32_t)key;
    uint32_t k1 = (uint32_t)(key >> 32);
    uint32_t x0 = (uint32_t)low;
    uint32_t x1 = (uint32_t)(low >> 32);
    uint32_t x2 = (uint32_t)high;
    uint32_t x3 = (uint32_t)(high >> 32);
    for (int round = 0; round < 10; round++) {
        PHILOX_ROUND(x0, x1, x2, x3, k0, k1);
    }
    *word_0 = x0 | (uint64_t)x1 << 32;
    *word_1 = x2 | (uint64_t)x3 << 32;
}

/* The upper 52 bits and a half: never 0, never 1, symmetric about 1/2. */
ZI_LANE double uniform_of(uint64_t word)
{
    return (zi_from_bits((word >> 12) | 0x3ff0000000000000u) - 1.0) + 0x1p-53;
}

ZI_LANE void normals_of(uint64_t word_0, uint64_t word_1, double *even, double *odd)
{
    const double radius = sqrt(-2.0 * zi_log(uniform_of(word_0)));
    double sine;
    double cosine;
    zi_sincos_quarters(4.0 * uniform_of(word_1), &sine, &cosine);
    *even = radius * cosine;
    *odd = radius * sine;
}

/* Normals of `blocks` consecutive blocks, two each. */
ZI_CLONES
static void fill_blocks(uint64_t key, uint64_t stream, uint64_t first, size_t blocks, double *restrict out)
{
    for (size_t i = 0; i < blocks; i++) {
        uint64_t word_0;
        uint64_t word_1;
        philox(key, stream, first + i, &word_0, &word_1);
        normals_of(word_0, word_1, &out[2 * i], &out[2 * i + 1]);
    }
}

void zi_philox_block(uint64_t key, uint64_t stream, uint64_t block, uint64_t word[2])
{
    assert(word);
    philox(key, stream, block, &word[0], &word[1]);
}

zilch_rng zilch_rng_make(uint64_t seed, uint64_t stream)
{
    return (zilch_rng){.key = seed, .stream = stream, .counter = 0};
}

double zilch_rng_uniform(zilch_rng *rng)
{
    const uint64_t draw = rng->counter++;
    uint64_t word[2];
    zi_philox_block(rng->key, rng->stream, draw / 2, word);
    return uniform_of(word[draw & 1]);
}

double zilch_rng_normal(zilch_rng *rng)
{
    const uint64_t draw = rng->counter++;
    uint64_t word[2];
    double normal[2];
    zi_philox_block(rng->key, rng->stream, draw / 2, word);
    normals_of(word[0], word[1], &normal[0], &normal[1]);
    return normal[draw & 1];
}

void zilch_rng_normals(zilch_rng *rng, size_t n, double *out)
{
    if (n && (rng->counter & 1)) { /* the second half of a begun block */
        *out++ = zilch_rng_normal(rng);
        n--;
    }
    fill_blocks(rng->key, rng->stream, rng->counter / 2, n / 2, out);
    rng->counter += n & ~(size_t)1;
    if (n & 1) {
        out[n - 1] = zilch_rng_normal(rng);
    }
}
