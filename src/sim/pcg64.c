/* The generator of numpy.random.default_rng(seed), to the bit: a 128-bit congruential step and a
 * rotation by its top bits (O'Neill 2014), and the SeedSequence that spreads a seed over
 * state and increment (O'Neill's seed_seq_fe, as numpy has it). */
#include "sim/pcg64.h"

#include <assert.h>
#include <stddef.h>

typedef unsigned __int128 wide;

ZI_SIM static wide join(const uint64_t half[2])
{
    return (wide)half[1] << 64 | half[0];
}

ZI_SIM static void split(wide value, uint64_t half[2])
{
    half[0] = (uint64_t)value;
    half[1] = (uint64_t)(value >> 64);
}

ZI_SIM static void advance(zi_pcg64 *rng)
{
    const wide multiplier = (wide)2549297995355413924u << 64 | 4865540595714422341u;
    split(join(rng->state) * multiplier + join(rng->increment), rng->state);
}

/* ---- Seeding --------------------------------------------------------------------- */

enum { POOL = 4 };

typedef struct seed_hash {
    uint32_t constant, multiplier;
} seed_hash;

ZI_SIM static uint32_t hash(seed_hash *h, uint32_t value)
{
    value ^= h->constant;
    h->constant *= h->multiplier;
    value *= h->constant;
    return value ^ value >> 16;
}

ZI_SIM static uint32_t mix(uint32_t x, uint32_t y)
{
    const uint32_t result = 0xca01f9ddu * x - 0x4973f715u * y;
    return result ^ result >> 16;
}

/* The seed's words, each hashed into each. */
ZI_SIM static void fill_pool(uint64_t seed, uint32_t pool[POOL])
{
    seed_hash h = {0x43b0d7e5u, 0x931e8875u};
    const uint32_t entropy[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0};
    for (size_t i = 0; i < POOL; i++) {
        pool[i] = hash(&h, entropy[i]);
    }
    for (size_t from = 0; from < POOL; from++) {
        for (size_t to = 0; to < POOL; to++) {
            if (from != to) {
                pool[to] = mix(pool[to], hash(&h, pool[from]));
            }
        }
    }
}

ZI_SIM static void draw_state(const uint32_t pool[POOL], uint64_t out[4])
{
    seed_hash h = {0x8b51f9ddu, 0x58f38dedu};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t low = hash(&h, pool[2 * i % POOL]);
        const uint32_t high = hash(&h, pool[(2 * i + 1) % POOL]);
        out[i] = (uint64_t)high << 32 | low;
    }
}

ZI_SIM zi_pcg64 zi_pcg64_seed(uint64_t seed)
{
    uint32_t pool[POOL];
    uint64_t word[4];
    fill_pool(seed, pool);
    draw_state(pool, word);
    zi_pcg64 rng = {.state = {0, 0}};
    const wide start = (wide)word[0] << 64 | word[1];
    const wide stream = (wide)word[2] << 64 | word[3];
    split(stream << 1 | 1, rng.increment);
    advance(&rng);
    split(join(rng.state) + start, rng.state);
    advance(&rng);
    return rng;
}

/* ---- Numbers ------------------------------------------------------------------------ */

ZI_SIM uint64_t zi_pcg64_next(zi_pcg64 *rng)
{
    advance(rng);
    const uint64_t folded = rng->state[1] ^ rng->state[0];
    const unsigned turn = (unsigned)(rng->state[1] >> 58);
    return folded >> turn | folded << (-turn & 63);
}

ZI_SIM double zi_pcg64_uniform(zi_pcg64 *rng, double low, double high)
{
    assert(low <= high);
    const double unit = (double)(zi_pcg64_next(rng) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

ZI_SIM static uint32_t next_half(zi_pcg64 *rng)
{
    if (rng->has_kept) {
        rng->has_kept = 0;
        return rng->kept;
    }
    const uint64_t next = zi_pcg64_next(rng);
    rng->has_kept = 1;
    rng->kept = (uint32_t)(next >> 32);
    return (uint32_t)next;
}

/* Lemire's method: the upper half of a product, unless the lower is in the unfair part. */
ZI_SIM int64_t zi_pcg64_integer(zi_pcg64 *rng, int64_t low, int64_t high)
{
    assert(low < high && high - low <= UINT32_MAX);
    const uint32_t count = (uint32_t)(high - low);
    uint64_t product = (uint64_t)next_half(rng) * count;
    if ((uint32_t)product < count) {
        const uint32_t unfair = (uint32_t)(-count) % count;
        while ((uint32_t)product < unfair) {
            product = (uint64_t)next_half(rng) * count;
        }
    }
    return low + (int64_t)(product >> 32);
}
