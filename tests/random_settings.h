/* Random settings of a search, over the whole of what is allowed. */
#ifndef ZILCH_TESTS_RANDOM_SETTINGS_H
#define ZILCH_TESTS_RANDOM_SETTINGS_H

#include "property_support.h"
#include "search_support.h"

enum { MOST_DIM = 40, MOST_POPULATION = 40, MOST_LIMITS = 4 };

typedef struct setting {
    size_t dim;
    zilch_optimizer_options o;
    zilch_forced forced[MOST_DIM];
    size_t group[MOST_DIM];
    double lower[MOST_DIM], upper[MOST_DIM], x0[MOST_DIM], scale[MOST_DIM], penalties[MOST_DIM],
        step[MOST_DIM], list[4];
    zilch_values values[MOST_DIM];
    double defaults[MOST_DIM];
    double weight[MOST_LIMITS][MOST_DIM];
    zilch_linear_limit limit[MOST_LIMITS];
    int is_wild; /* numbers of any size */
} setting;

static inline double sign_of(zilch_rng *rng)
{
    return chance(rng, 0.5) ? -1.0 : 1.0;
}

/* From 0 to most, the ends and what is next to them among them. */
static inline double share_of(zilch_rng *rng, double most)
{
    const double ends[] = {0.0, DBL_TRUE_MIN, DBL_MIN, 1e-17, most, nextafter(most, 0.0)};
    return chance(rng, 0.5) ? between(rng, 0.0, most) : ends[pick(rng, 0, COUNT(ends) - 1)];
}

/* Not negative, usually of a size that is met, sometimes of any that a law can bear, or of any at all. */
static inline double size_of_any(zilch_rng *rng, const setting *s)
{
    static const double wild[] = {DBL_MAX, DBL_TRUE_MIN, DBL_MIN, 1e300, 1e-300, 1e155, 1e-155};
    if (s->is_wild && chance(rng, 0.3)) {
        return wild[pick(rng, 0, COUNT(wild) - 1)];
    }
    return chance(rng, 0.2)   ? 0.0
           : chance(rng, 0.1) ? of_any_size(rng, -60.0, 60.0)
                              : of_any_size(rng, -3.0, 3.0);
}

static inline void pick_first_points(zilch_rng *rng, setting *s)
{
    s->o.initial_p = share_of(rng, 1.0);
    s->o.initial_mu = chance(rng, 0.5) ? 0.0 : sign_of(rng) * size_of_any(rng, s);
    s->o.initial_sigma = size_of_any(rng, s);
    s->o.initial_spread = chance(rng, 0.5) ? 0.1 : share_of(rng, 0.999999);
}

static inline void pick_counts(zilch_rng *rng, setting *s)
{
    zilch_optimizer_options *o = &s->o;
    const int is_automatic = chance(rng, 0.3);
    const uint64_t population = pick(rng, 3, MOST_POPULATION);
    o->population = is_automatic && s->o.method == ZILCH_METHOD_DEFAULT ? 0 : population;
    o->elites = chance(rng, 0.3) || !o->population ? 0 : pick(rng, 2, o->population - 1);
    const size_t elites = o->elites               ? o->elites
                          : !o->population        ? 2
                          : o->population / 5 > 2 ? o->population / 5
                                                  : 2;
    o->archive_size = chance(rng, 0.6) ? 0 : elites + pick(rng, 0, 50);
    o->refinement = (int)pick(rng, 0, 1);
    o->smoothing = (int)pick(rng, 0, 1);
    o->expected_evaluations = chance(rng, 0.5) ? 0 : chance(rng, 0.1) ? 1000000000000 : pick(rng, 1, 3000);
    o->quorum = chance(rng, 0.5) ? 1.0 : fmax(share_of(rng, 1.0), 1e-6);
    o->penalty = chance(rng, 0.5) ? 0.0 : chance(rng, 0.1) ? DBL_MAX : of_any_size(rng, -10.0, 10.0);
}

static inline void pick_model(zilch_rng *rng, setting *s)
{
    zilch_optimizer_options *o = &s->o;
    o->inverter = (zilch_inverter)pick(rng, 0, 1);
    o->shrinkage = (zilch_shrinkage)pick(rng, 0, 4);
    o->projection = (zilch_projection)pick(rng, 0, 3);
    o->structure = (zilch_structure)pick(rng, 0, 2);
    o->rank = chance(rng, 0.1) ? 1000 : pick(rng, 1, 12);
    o->sigma_floor = chance(rng, 0.7) ? 0.0 : size_of_any(rng, s);
}

static inline double prior_of(zilch_rng *rng)
{
    return chance(rng, 0.4) ? 0.0 : chance(rng, 0.2) ? 1e6 : of_any_size(rng, -3.0, 3.0);
}

static inline void pick_refit(zilch_rng *rng, setting *s)
{
    zilch_optimizer_options *o = &s->o;
    o->prior_sigma = prior_of(rng);
    o->weighting = (zilch_weighting)pick(rng, 0, 1);
    o->margin = share_of(rng, (double)s->dim / 2.0);
    o->mean_shift = share_of(rng, 1.0);
    o->recombination = share_of(rng, 1.0);
    o->immigrants = share_of(rng, 1.0);
    o->reactivation = share_of(rng, 1.0);
    o->variance_scaling = (int)pick(rng, 0, 1);
}

/* An interval, finite or not, with zero in it, beside it or at its end. */
static inline void pick_bounds(zilch_rng *rng, const setting *s, double *lower, double *upper)
{
    const double a = chance(rng, 0.3) ? 0.0 : sign_of(rng) * size_of_any(rng, s);
    const double b = chance(rng, 0.2) ? a : sign_of(rng) * size_of_any(rng, s);
    *lower = chance(rng, 0.2) ? -INFINITY : fmin(a, b);
    *upper = chance(rng, 0.2) ? INFINITY : fmax(a, b);
}

static inline void pick_limits(zilch_rng *rng, setting *s)
{
    const int has_forced = chance(rng, 0.3), has_group = chance(rng, 0.3);
    const int has_lower = chance(rng, 0.4), has_upper = chance(rng, 0.4);
    for (size_t i = 0; i < s->dim; i++) {
        s->forced[i] = chance(rng, 0.2) ? (zilch_forced)pick(rng, 0, 2) : ZILCH_FORCED_NOT;
        s->group[i] = chance(rng, 0.5) ? 0 : chance(rng, 0.1) ? SIZE_MAX : pick(rng, 1, 1 + s->dim / 3);
        pick_bounds(rng, s, &s->lower[i], &s->upper[i]);
    }
    s->o.forced = has_forced ? s->forced : NULL;
    s->o.group = has_group ? s->group : NULL;
    s->o.lower = has_lower ? s->lower : NULL;
    s->o.upper = has_upper ? s->upper : NULL;
    s->o.min_active = chance(rng, 0.7) ? 0 : pick(rng, 0, s->dim);
    s->o.max_active = chance(rng, 0.6) ? 0 : pick(rng, s->o.min_active, s->dim);
}

/* Where the search begins, within the bounds. */
static inline void pick_guess(zilch_rng *rng, setting *s)
{
    const int has_x0 = chance(rng, 0.3), has_scale = chance(rng, 0.3);
    for (size_t i = 0; i < s->dim; i++) {
        const double low = s->o.lower ? s->lower[i] : -INFINITY, high = s->o.upper ? s->upper[i] : INFINITY;
        const double x0 = sign_of(rng) * size_of_any(rng, s), scale = size_of_any(rng, s);
        s->x0[i] = chance(rng, 0.5) ? 0.0 : fmin(fmax(x0, low), high);
        s->scale[i] = scale > 0.0 ? scale : 1.0;
    }
    s->o.x0 = has_x0 && s->o.method == ZILCH_METHOD_DEFAULT ? s->x0 : NULL;
    s->o.scale = has_scale && s->o.method == ZILCH_METHOD_DEFAULT ? s->scale : NULL;
}

static inline void pick_penalties(zilch_rng *rng, setting *s)
{
    const int has_penalties = chance(rng, 0.3) && s->o.penalty < 1e100; /* or they add up to no number */
    for (size_t i = 0; i < s->dim; i++) {
        s->penalties[i] = chance(rng, 0.3) ? 0.0 : of_any_size(rng, -10.0, 10.0);
    }
    s->o.penalties = has_penalties ? s->penalties : NULL;
}

/* Bounds as they are within a step or a list; what leaves no value has neither. */
static inline void draw_in_bounds(setting *s, size_t i)
{
    double lower = s->o.lower ? s->lower[i] : -INFINITY, upper = s->o.upper ? s->upper[i] : INFINITY;
    zi_allowed a;
    zilch_optimizer_options one = s->o;
    one.step = s->o.step ? &s->step[i] : NULL;
    one.values = s->o.values ? &s->values[i] : NULL;
    if (lower > upper || zi_allowed_create(&a, 1, &one, &lower, &upper) != ZILCH_OK) {
        s->step[i] = 0.0;
        s->values[i] = (zilch_values){0, NULL};
    } else {
        s->lower[i] = s->o.lower ? lower : s->lower[i];
        s->upper[i] = s->o.upper ? upper : s->upper[i];
    }
    zi_allowed_free(&a);
}

/* Values that single coordinates may have: multiples of a step, or four of a list. */
static inline void pick_allowed(zilch_rng *rng, setting *s)
{
    const int has_step = chance(rng, 0.2), has_values = chance(rng, 0.2);
    for (size_t k = 0; k < 4; k++) {
        s->list[k] = sign_of(rng) * fmax(size_of_any(rng, s), 1e-3);
    }
    for (size_t i = 0; i < s->dim; i++) {
        const int is_stepped = chance(rng, 0.5), is_listed = chance(rng, 0.3);
        const double size = size_of_any(rng, s);
        s->step[i] = is_stepped && !(has_values && is_listed) ? size : 0.0;
        s->values[i] = is_listed ? (zilch_values){pick(rng, 1, 4), s->list} : (zilch_values){0, NULL};
    }
    s->o.step = has_step ? s->step : NULL;
    s->o.values = has_values ? s->values : NULL;
    for (size_t i = 0; i < s->dim && (has_step || has_values); i++) {
        draw_in_bounds(s, i);
    }
}

/* The arrays belong to the setting: it must stay where it is. */
static inline void pick_setting(zilch_rng *rng, setting *s)
{
    *s = (setting){.dim = chance(rng, 0.2) ? pick(rng, 1, 3) : pick(rng, 1, MOST_DIM),
                   .o = zilch_optimizer_defaults(),
                   .is_wild = chance(rng, 0.2)};
    s->o.method = (zilch_method)pick(rng, 0, 4);
    s->o.method = chance(rng, 0.5) ? ZILCH_METHOD_DEFAULT : s->o.method;
    s->o.direction = (zilch_direction)pick(rng, 0, 1);
    s->o.aggregate = (zilch_aggregate)pick(rng, 0, 1);
    s->o.reevaluate = (zilch_reevaluate)pick(rng, 0, 2);
    pick_counts(rng, s);
    pick_first_points(rng, s);
    pick_model(rng, s);
    pick_refit(rng, s);
    pick_limits(rng, s);
    pick_allowed(rng, s);
    pick_guess(rng, s);
    pick_penalties(rng, s);
}

static inline double default_of(const setting *s, size_t i)
{
    return s->o.defaults ? s->defaults[i] : 0.0;
}

/* Defaults have any size, or are 0, at a bound, or a step away from it. A guess that says nothing is the
 * default. */
static inline void pick_defaults(zilch_rng *rng, setting *s)
{
    const int has_defaults = chance(rng, 0.4);
    for (size_t i = 0; i < s->dim; i++) {
        const double any = sign_of(rng) * size_of_any(rng, s);
        const double choice[] = {
            0.0, any, s->lower[i], s->upper[i], s->lower[i] + s->step[i], 3.0 * s->step[i]};
        const double picked = choice[pick(rng, 0, COUNT(choice) - 1)];
        const int is_far = s->values[i].count || (s->step[i] > 0.0 && fabs(picked) > 1e12 * s->step[i]);
        s->defaults[i] = fabs(picked) <= 1e300 && !is_far ? picked : 0.0;
        s->x0[i] = has_defaults && s->x0[i] == 0.0 ? s->defaults[i] : s->x0[i];
    }
    s->o.defaults = has_defaults ? s->defaults : NULL;
}

/* A row that a point keeps: an equation, or one or two ends. */
static inline void pick_limit(zilch_rng *rng, size_t dim, const double *x, double *weight,
                              zilch_linear_limit *out)
{
    const double kind = zilch_rng_uniform(rng);
    const int is_sum = chance(rng, 0.4), is_whole = chance(rng, 0.5);
    long double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < dim; i++) {
        const double any = is_whole ? (double)pick(rng, 1, 5) : sign_of(rng) * of_any_size(rng, -1.0, 1.0);
        weight[i] = is_sum ? 1.0 : chance(rng, 0.4) ? 0.0 : any;
        sum += (long double)weight[i] * x[i];
        size += fabsl((long double)weight[i] * x[i]);
    }
    const double width = kind < 0.4 ? 0.0 : (double)size * zilch_rng_uniform(rng);
    *out = (zilch_linear_limit){.count = dim, .weight = weight, .lower = -INFINITY, .upper = INFINITY};
    out->lower = kind < 0.8 ? (double)sum - width * zilch_rng_uniform(rng) : out->lower;
    out->upper = kind < 0.4 ? out->lower : kind < 0.6 || kind > 0.8 ? (double)sum + width : out->upper;
}

/* Linear limits that the first point of a search without them keeps: so there is one. Numbers beyond what
 * sums can bear have none. */
static inline void pick_linear_limits(zilch_rng *rng, setting *s)
{
    const size_t count = chance(rng, 0.3) ? pick(rng, 1, MOST_LIMITS) : 0;
    double x[MOST_DIM];
    uint64_t id;
    if (count == 0 || s->is_wild) {
        return;
    }
    zilch_optimizer *o = create_with(s->dim, 1, &s->o);
    assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
    zilch_optimizer_destroy(o);
    for (size_t i = 0; i < s->dim; i++) {
        const double offset = fabs(x[i] - default_of(s, i));
        if ((x[i] != 0.0 && !(fabs(x[i]) > 1e-6 && fabs(x[i]) < 1e6)) || (offset > 0.0 && offset < 1e-6)) {
            return;
        }
    }
    for (size_t r = 0; r < count; r++) {
        pick_limit(rng, s->dim, x, s->weight[r], &s->limit[r]);
    }
    s->o.linear_limits = s->limit;
    s->o.linear_limit_count = count;
}

#endif
