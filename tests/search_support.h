/* What the tests of the search share: small optimisers, values that follow from ids, states as bytes. */
#ifndef ZILCH_TESTS_SEARCH_SUPPORT_H
#define ZILCH_TESTS_SEARCH_SUPPORT_H

#include "search/optimizer.h"
#include "search/optimizer_options.h"
#include "support.h"

/* ---- Optimisers ------------------------------------------------------------------------------- */

/* The publication's search, but for how its law is shrunk and projected: the latest value counts, every elite
 * is evaluated again, the masks of the first points are independent, and the law has no memory. */
static inline zilch_optimizer_options options_as_published(void)
{
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.aggregate = ZILCH_AGGREGATE_LATEST;
    options.reevaluate = ZILCH_REEVALUATE_ALL;
    options.initial_spread = 0.0;
    options.weighting = ZILCH_WEIGHTING_EQUAL;
    options.prior_sigma = options.margin = options.mean_shift = 0.0;
    options.recombination = options.immigrants = options.reactivation = 0.0;
    options.variance_scaling = 0;
    options.refinement = options.smoothing = 0;
    return options;
}

/* The methods that draw in different ways; published draws as default does. */
static const zilch_method four_methods[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_GAUSSIAN, ZILCH_METHOD_ADHOC,
                                            ZILCH_METHOD_EA};

static inline zilch_optimizer_options small_options(zilch_method law, size_t population, size_t elites)
{
    zilch_optimizer_options options = options_as_published();
    options.method = law;
    options.population = population;
    options.elites = elites;
    return options;
}

/* The defaults of the distribution, in small: it has all generations. */
static inline zilch_optimizer_options small_defaults(zilch_method law, size_t population, size_t elites)
{
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.method = law;
    options.refinement = 0;
    options.population = population;
    options.elites = elites;
    return options;
}

static inline zilch_optimizer *create_with(size_t dim, uint64_t seed, const zilch_optimizer_options *options)
{
    zilch_optimizer *o;
    if (zilch_optimizer_create(&o, dim, seed, options) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(zi_optimizer_is_valid(o));
    return o;
}

static inline zilch_optimizer *small_optimizer(zilch_method law, size_t dim, uint64_t seed)
{
    const zilch_optimizer_options options = small_options(law, 12, 4);
    return create_with(dim, seed, &options);
}

/* ---- Values ------------------------------------------------------------------------------------- */

/* Noise of an evaluation: a number in (0, 1) that only its id decides. */
static inline double noise_of(uint64_t id)
{
    zilch_rng rng = zilch_rng_make(4711, id);
    return zilch_rng_uniform(&rng);
}

static inline size_t active_of(size_t dim, const double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < dim; i++) {
        active += x[i] != 0.0;
    }
    return active;
}

/* Squared distance from a sparse optimum: 1 in the first coordinates, 0 in the others. */
static inline double distance_of(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        const double aim = 4 * i < dim ? 1.0 : 0.0;
        sum += (x[i] - aim) * (x[i] - aim);
    }
    return sum;
}

static inline double noisy_value(size_t dim, uint64_t id, const double *x)
{
    return distance_of(dim, x) + noise_of(id);
}

static inline zilch_status noisy_objective(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = noisy_value(batch->dim, batch->id[i], batch->x + i * batch->dim);
    }
    return ZILCH_OK;
}

/* ---- Asking and telling ----------------------------------------------------------------------------- */

enum { MOST_ASKED = 256, MOST_COORDINATES = 32 };

/* Points as they were asked for, and values to tell. */
typedef struct asked {
    size_t n, dim;
    uint64_t id[MOST_ASKED];
    double x[MOST_ASKED * MOST_COORDINATES];
    double value[MOST_ASKED];
} asked;

/* n more points, with their noisy values. */
static inline void ask_more(zilch_optimizer *o, size_t n, asked *a)
{
    a->dim = zilch_optimizer_dim(o);
    assert_true(a->n + n <= MOST_ASKED && a->dim <= MOST_COORDINATES);
    assert_int_equal(zilch_optimizer_ask(o, n, a->id + a->n, a->x + a->n * a->dim), ZILCH_OK);
    assert_true(zi_optimizer_is_valid(o));
    for (size_t i = a->n; i < a->n + n; i++) {
        a->value[i] = noisy_value(a->dim, a->id[i], a->x + i * a->dim);
    }
    a->n += n;
}

static inline void tell_some(zilch_optimizer *o, const asked *a, size_t first, size_t n)
{
    if (zilch_optimizer_tell(o, n, a->id + first, a->value + first) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(zi_optimizer_is_valid(o));
}

/* Whole generations, with noisy values. */
static inline void run_generations(zilch_optimizer *o, size_t count)
{
    for (size_t g = 0; g < count; g++) {
        static asked a;
        a.n = 0;
        ask_more(o, zilch_optimizer_settings(o)->population, &a);
        tell_some(o, &a, 0, a.n);
    }
}

/* A search that is asked begins anew where it has converged or diverged. Tests of this need not wait for it:
 * here it does so between two generations, after so many without a better point. */
static inline void restart_if_stalled(zilch_optimizer *o, uint64_t generations)
{
    if (o->slots == 0 && o->generations - o->epoch.improved >= generations) {
        zi_optimizer_begin_anew(o);
    }
}

/* ---- States ------------------------------------------------------------------------------------------- */

typedef struct packed {
    unsigned char *data;
    size_t length;
} packed;

static inline packed pack_of(const zilch_optimizer *o)
{
    packed p;
    size_t length;
    assert_int_equal(zilch_optimizer_pack(o, NULL, 0, &p.length), ZILCH_OK);
    p.data = malloc(p.length);
    assert_non_null(p.data);
    assert_int_equal(zilch_optimizer_pack(o, p.data, p.length, &length), ZILCH_OK);
    assert_int_equal(length, p.length);
    return p;
}

static inline int is_same_state(const zilch_optimizer *a, const zilch_optimizer *b)
{
    const packed p = pack_of(a);
    const packed q = pack_of(b);
    const int same = p.length == q.length && memcmp(p.data, q.data, p.length) == 0;
    free(p.data);
    free(q.data);
    return same;
}

static inline zilch_optimizer *copy_of(const zilch_optimizer *o)
{
    zilch_optimizer *copy;
    const packed p = pack_of(o);
    if (zilch_optimizer_unpack(&copy, p.data, p.length) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    free(p.data);
    assert_true(zi_optimizer_is_valid(copy));
    return copy;
}

#endif
