/* What the tests of properties share: how many cases there are, and random choices from one seed a case, so
 * that a case that fails can be run again alone. */
#ifndef ZILCH_TESTS_PROPERTY_SUPPORT_H
#define ZILCH_TESTS_PROPERTY_SUPPORT_H

#include "support.h"
#include "zilch.h"

/* ---- Cases ------------------------------------------------------------------------------------- */

/* A whole number from the environment; `otherwise` if it is not set. */
static inline size_t number_from(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (size_t)strtoull(text, NULL, 10) : otherwise;
}

/* ZILCH_CASES=10 tries ten times as many; ZILCH_CASE=7 only number 7. With sanitizers there are fewer. */
typedef struct cases {
    const char *what;
    size_t first, end;
} cases;

static inline cases cases_of(const char *what, size_t usual)
{
    const size_t only = number_from("ZILCH_CASE", SIZE_MAX);
    const size_t count = usual * number_from("ZILCH_CASES", 1) / SLOWNESS;
    return only == SIZE_MAX ? (cases){what, 0, count} : (cases){what, only, only + 1};
}

/* The case that is tried, for a teardown that names it if it failed. */
static size_t at_case = SIZE_MAX;

static inline int say_case(void **state)
{
    (void)state;
    if (at_case != SIZE_MAX) {
        print_message("    it was case %zu\n", at_case);
        at_case = SIZE_MAX;
    }
    return 0;
}

static inline void report_cases(const cases *c)
{
    print_message("    %-52s %6zu cases\n", c->what, c->end - c->first);
}

/* ---- Random choices ---------------------------------------------------------------------------- */

/* From least to most, both included. */
static inline size_t pick(zilch_rng *rng, size_t least, size_t most)
{
    const size_t count = most - least + 1;
    const size_t index = (size_t)(zilch_rng_uniform(rng) * (double)count);
    return least + (index < count ? index : count - 1);
}

static inline int chance(zilch_rng *rng, double p)
{
    return zilch_rng_uniform(rng) < p;
}

static inline double between(zilch_rng *rng, double low, double high)
{
    return low + (high - low) * zilch_rng_uniform(rng);
}

/* Of any size from 10^low to 10^high. */
static inline double of_any_size(zilch_rng *rng, double low, double high)
{
    return pow(10.0, between(rng, low, high));
}

static inline void permute(zilch_rng *rng, size_t n, size_t *to)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = i;
    }
    for (size_t i = n; i > 1; i--) {
        const size_t k = pick(rng, 0, i - 1);
        const size_t moved = to[i - 1];
        to[i - 1] = to[k];
        to[k] = moved;
    }
}

static inline int is_same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

#endif
