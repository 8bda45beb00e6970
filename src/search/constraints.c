/* Limits on points. A new point is repaired by switching whole units and by drawing values anew, with the
 * frequencies and the values that the elites show: what the law has learned is kept where it can be. */
#include "search/constraints.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REDRAWS = 8, ATTEMPTS = 16 };

/* So that what no elite, or every elite, has active may still be switched. */
static const double least_weight = 0.01;

/* ---- Making and checking ----------------------------------------------------------------------- */

static size_t size_of(const zi_constraints *c, size_t unit)
{
    return c->first[unit + 1] - c->first[unit];
}

void zi_constraints_free(zi_constraints *c)
{
    zi_free(c->first);
    zi_free(c->member);
    zi_free(c->forced);
    zi_free(c->fallback);
    zi_free(c->lower);
    zi_allowed_free(&c->allowed);
    *c = (zi_constraints){0};
}

/* A bound of -0.0 becomes 0.0, or values cut off there would be that. */
static zilch_status set_bounds(zi_constraints *c, const zilch_optimizer_options *o)
{
    for (size_t i = 0; i < c->dim; i++) {
        c->lower[i] = o->lower ? o->lower[i] + 0.0 : -INFINITY;
        c->upper[i] = o->upper ? o->upper[i] + 0.0 : INFINITY;
        if (!(c->lower[i] <= c->upper[i]) || c->lower[i] == INFINITY || c->upper[i] == -INFINITY) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                              "the bounds are no interval");
        }
    }
    return ZILCH_OK;
}

typedef struct member {
    size_t group, coordinate;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *m = a;
    const member *n = b;
    return m->group != n->group ? (m->group > n->group) - (m->group < n->group)
                                : (m->coordinate > n->coordinate) - (m->coordinate < n->coordinate);
}

/* next[i] gets the coordinate behind i in its group, SIZE_MAX behind the last; is_first[i], whether none is
 * before it. */
static zilch_status link_groups(size_t dim, const size_t *group, size_t *next, unsigned char *is_first)
{
    member *m;
    ZI_TRY(zi_alloc(&m, dim));
    for (size_t i = 0; i < dim; i++) {
        m[i] = (member){group ? group[i] : 0, i};
    }
    if (group) {
        qsort(m, dim, sizeof *m, compare_members);
    }
    for (size_t k = 0; k < dim; k++) {
        const int is_alone = m[k].group == 0;
        const int is_last = k + 1 == dim || m[k + 1].group != m[k].group;
        next[m[k].coordinate] = is_alone || is_last ? SIZE_MAX : m[k + 1].coordinate;
        is_first[m[k].coordinate] = is_alone || k == 0 || m[k - 1].group != m[k].group;
    }
    zi_free(m);
    return ZILCH_OK;
}

/* In the order of their first coordinates. */
static zilch_status set_units(zi_constraints *c, const size_t *group)
{
    size_t *next;
    size_t count = 0;
    ZI_TRY(zi_alloc(&next, c->dim));
    const zilch_status status = link_groups(c->dim, group, next, c->fallback); /* which is set later */
    for (size_t i = 0; i < c->dim && status == ZILCH_OK; i++) {
        if (c->fallback[i]) {
            c->first[c->units++] = count;
            for (size_t j = i; j != SIZE_MAX; j = next[j]) {
                c->member[count++] = j;
            }
        }
    }
    c->first[c->units] = count;
    zi_free(next);
    return status;
}

static zilch_status set_forced(zi_constraints *c, const zilch_forced *forced)
{
    for (size_t u = 0; u < c->units; u++) {
        c->forced[u] = ZILCH_FORCED_NOT;
        for (size_t k = c->first[u]; k < c->first[u + 1] && forced; k++) {
            const zilch_forced wanted = forced[c->member[k]];
            if (!zilch_forced_name(wanted)) {
                return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, c->member[k]}}},
                                  "it is forced to nothing known");
            }
            if (wanted != ZILCH_FORCED_NOT && c->forced[u] != ZILCH_FORCED_NOT && c->forced[u] != wanted) {
                return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, c->member[k]}}},
                                  "it is forced %s, another one of its group %s", zilch_forced_name(wanted),
                                  zilch_forced_name(c->forced[u]));
            }
            c->forced[u] = wanted != ZILCH_FORCED_NOT ? wanted : c->forced[u];
        }
        const size_t i = c->member[c->first[u]];
        if (size_of(c, u) == 1 && c->forced[u] == ZILCH_FORCED_NOT && c->lower[i] == 0.0 &&
            c->upper[i] == 0.0) {
            c->forced[u] = ZILCH_FORCED_OFF; /* by its bounds */
        }
    }
    return ZILCH_OK;
}

/* A value that must not be zero needs bounds that allow another one. */
static zilch_status check_values(const zi_constraints *c)
{
    for (size_t u = 0; u < c->units; u++) {
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            const int must = c->forced[u] == ZILCH_FORCED_ON || size_of(c, u) > 1;
            if (must && c->lower[i] == 0.0 && c->upper[i] == 0.0) {
                return zi_fail_at(
                    ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                    "the bounds allow only zero, but it must be active with its group, or is forced on");
            }
        }
    }
    return ZILCH_OK;
}

/* Places for finding a choice, for each number from 0 to dim. */
typedef struct choice {
    size_t *by;    /* the size with which this sum can first be made; SIZE_MAX: it cannot */
    size_t *used;  /* of the size that is looked at, how many it takes */
    size_t *count; /* free units of this size; then those to be taken */
} choice;

/* What can be made with units of one more size. */
static void add_size(const choice *c, size_t size, size_t base, size_t most)
{
    for (size_t sum = base; sum <= most; sum++) {
        if (c->by[sum] != SIZE_MAX) {
            c->used[sum] = 0;
        } else if (sum - base >= size && c->by[sum - size] != SIZE_MAX &&
                   c->used[sum - size] < c->count[size]) {
            c->by[sum] = size;
            c->used[sum] = c->used[sum - size] + 1;
        }
    }
}

/* A choice of units whose sizes add up to the least number that is allowed and can be made, by dynamic
 * programming, size by size: units of one size are all the same, and there are few sizes. */
static int find_choice(zi_constraints *c, const choice *d)
{
    size_t base = 0;
    for (size_t s = 0; s <= c->dim; s++) {
        d->by[s] = SIZE_MAX;
        d->count[s] = 0;
    }
    for (size_t u = 0; u < c->units; u++) {
        c->fallback[u] = c->forced[u] == ZILCH_FORCED_ON;
        base += c->fallback[u] ? size_of(c, u) : 0;
        d->count[size_of(c, u)] += c->forced[u] == ZILCH_FORCED_NOT;
    }
    if (base > c->most) {
        return 0;
    }
    d->by[base] = 0;
    size_t sum = c->least > base ? c->least : base;
    for (size_t size = 1; size <= c->most && d->by[sum] == SIZE_MAX; size++) {
        if (d->count[size]) {
            add_size(d, size, base, c->most);
        }
    }
    while (sum <= c->most && d->by[sum] == SIZE_MAX) {
        sum++;
    }
    if (sum > c->most) {
        return 0;
    }
    memset(d->count, 0, (c->dim + 1) * sizeof *d->count);
    for (; sum > base; sum -= d->by[sum]) {
        d->count[d->by[sum]]++;
    }
    for (size_t u = 0; u < c->units; u++) {
        if (c->forced[u] == ZILCH_FORCED_NOT && d->count[size_of(c, u)]) {
            d->count[size_of(c, u)]--;
            c->fallback[u] = 1;
        }
    }
    return 1;
}

static zilch_status check_counts(zi_constraints *c)
{
    size_t *places;
    if (c->least > c->most) {
        return zi_fail(ZILCH_EARG, "min_active, %zu, must not be more than max_active, %zu", c->least,
                       c->most);
    }
    memset(c->fallback, 0, c->units);
    if (c->least == 0 && c->most == c->dim) { /* every choice is one */
        for (size_t u = 0; u < c->units; u++) {
            c->fallback[u] = c->forced[u] == ZILCH_FORCED_ON;
        }
        return ZILCH_OK;
    }
    const size_t sums = c->dim + 1;
    ZI_TRY(zi_alloc(&places, 3 * sums));
    const int found = find_choice(c, &(choice){places, places + sums, places + 2 * sums});
    zi_free(places);
    return found ? ZILCH_OK
                 : zi_fail(ZILCH_EARG,
                           "no choice of coordinates has from %zu to %zu active and keeps what is forced and "
                           "the groups",
                           c->least, c->most);
}

zilch_status zi_constraints_create(zi_constraints *out, size_t dim, const zilch_optimizer_options *o)
{
    const size_t most = o->max_active ? (size_t)o->max_active : dim;
    *out = (zi_constraints){.dim = dim, .least = (size_t)o->min_active, .most = most < dim ? most : dim};
    out->has_switches = o->forced || o->group || out->least > 0 || out->most < dim;
    out->is_free = !out->has_switches && !o->lower && !o->upper && !o->step && !o->values;
    out->is_reflecting = o->method == ZILCH_METHOD_DEFAULT;
    ZI_TRY(zi_alloc(&out->first, dim + 1));
    ZI_TRY(zi_alloc(&out->member, dim));
    ZI_TRY(zi_alloc(&out->forced, dim));
    ZI_TRY(zi_alloc(&out->fallback, dim));
    ZI_TRY(zi_alloc(&out->lower, 2 * dim));
    out->upper = out->lower + dim;
    ZI_TRY(set_bounds(out, o));
    ZI_TRY(zi_allowed_create(&out->allowed, dim, o, out->lower, out->upper));
    ZI_TRY(set_units(out, o->group));
    ZI_TRY(set_forced(out, o->forced));
    ZI_TRY(check_values(out));
    return check_counts(out);
}

static zilch_status check_unit(const zi_constraints *c, size_t unit, const double *x)
{
    const int on = x[c->member[c->first[unit]]] != 0.0;
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        const size_t i = c->member[k];
        if ((x[i] != 0.0) != on) {
            return zi_fail_at(
                ZILCH_EARG,
                &(zi_location){"point", {{ZI_COORDINATE, c->member[c->first[unit]]}, {ZI_PARTNER, i}}, NULL},
                "they must be active together");
        }
        if (on && !(x[i] >= c->lower[i] && x[i] <= c->upper[i])) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, i}}, NULL},
                              "the value %g is out of its bounds %g and %g", x[i], c->lower[i], c->upper[i]);
        }
        if (on) {
            ZI_TRY(zi_allowed_check(&c->allowed, i, x[i]));
        }
        if (c->forced[unit] != ZILCH_FORCED_NOT && on != (c->forced[unit] == ZILCH_FORCED_ON)) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, i}}, NULL},
                              "the value is %g, but it is forced %s", x[i],
                              zilch_forced_name(c->forced[unit]));
        }
    }
    return ZILCH_OK;
}

zilch_status zi_constraints_check(const zi_constraints *c, const double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < c->dim; i++) {
        if (!isfinite(x[i])) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, i}}, NULL},
                              "the value is not finite");
        }
        active += x[i] != 0.0;
    }
    for (size_t u = 0; u < c->units; u++) {
        ZI_TRY(check_unit(c, u, x));
    }
    if (active < c->least || active > c->most) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "point"},
                          "%zu coordinates are active, allowed are %zu to %zu", active, c->least, c->most);
    }
    return ZILCH_OK;
}

/* ---- What the elites show ------------------------------------------------------------------------ */

zilch_status zi_marginals_create(zi_marginals *out, size_t dim, double p, const zi_first *first)
{
    ZI_TRY(zi_alloc(&out->p, 3 * dim));
    out->mu = out->p + dim;
    out->sigma = out->p + 2 * dim;
    for (size_t i = 0; i < dim; i++) {
        out->p[i] = p;
    }
    memcpy(out->mu, first->mu, dim * sizeof *out->mu);
    memcpy(out->sigma, first->sigma, dim * sizeof *out->sigma);
    return ZILCH_OK;
}

void zi_marginals_free(zi_marginals *marginals)
{
    zi_free(marginals->p);
}

void zi_marginals_estimate(zi_marginals *m, size_t dim, const zi_first *first, size_t rows, const double *x)
{
    assert(rows > 0);
    for (size_t i = 0; i < dim; i++) {
        double count = 0.0, sum = 0.0, squares = 0.0;
        for (size_t row = 0; row < rows; row++) {
            const double value = x[row * dim + i];
            count += value != 0.0;
            sum += value;
        }
        const double mean = count > 0.0 ? sum / count : first->mu[i];
        for (size_t row = 0; row < rows; row++) {
            const double value = x[row * dim + i];
            squares += value != 0.0 ? (value - mean) * (value - mean) : 0.0;
        }
        m->p[i] = count / (double)rows;
        m->mu[i] = mean;
        m->sigma[i] = count > 1.0 ? sqrt(squares / (count - 1.0)) : first->sigma[i];
    }
}

/* ---- Mending --------------------------------------------------------------------------------------- */

zilch_status zi_repairer_create(zi_repairer *out, const zi_constraints *constraints,
                                const zi_marginals *marginals)
{
    *out = (zi_repairer){.constraints = constraints, .marginals = marginals};
    ZI_TRY(zi_alloc(&out->on, constraints->units));
    return zi_alloc(&out->key, constraints->units);
}

void zi_repairer_free(zi_repairer *repairer)
{
    zi_free(repairer->on);
    zi_free(repairer->key);
}

static size_t count_active(const zi_repairer *m)
{
    size_t active = 0;
    for (size_t u = 0; u < m->constraints->units; u++) {
        active += m->on[u] ? size_of(m->constraints, u) : 0;
    }
    return active;
}

/* Switches units off while too many coordinates are active, or on while too few are: drawn one after the
 * other, each with a chance proportional to its weight, which is to say in the order of exponential keys. */
static size_t switch_some(zi_repairer *m, zilch_rng *rng, size_t active, int to)
{
    const zi_constraints *c = m->constraints;
    for (size_t u = 0; u < c->units; u++) {
        const double p = m->marginals->p[c->member[c->first[u]]];
        m->key[u] = -log(zilch_rng_uniform(rng)) / ((to ? p : 1.0 - p) + least_weight);
    }
    while (to ? active < c->least : active > c->most) {
        size_t next = c->units;
        for (size_t u = 0; u < c->units; u++) {
            const int may = m->on[u] != to && c->forced[u] == ZILCH_FORCED_NOT &&
                            (!to || active + size_of(c, u) <= c->most);
            if (may && (next == c->units || m->key[u] < m->key[next])) {
                next = u;
            }
        }
        if (next == c->units) {
            break;
        }
        m->on[next] = (unsigned char)to;
        active = to ? active + size_of(c, next) : active - size_of(c, next);
    }
    return active;
}

/* Groups may jump over the allowed range; then another order is tried, and at last a choice known to be
 * right. */
static void choose_units(zi_repairer *m, zilch_rng *rng)
{
    const zi_constraints *c = m->constraints;
    size_t active = count_active(m);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (active >= c->least && active <= c->most) {
            return;
        }
        active = switch_some(m, rng, active, active < c->least);
        active = active < c->least ? switch_some(m, rng, active, 1) : active;
    }
    if (active < c->least || active > c->most) {
        memcpy(m->on, c->fallback, c->units);
    }
}

/* How far inside of its bound a value ends that is `over` beyond it. */
static double fold(double width, double over)
{
    const double rest = fmod(over, 2.0 * width);
    return rest <= width ? rest : 2.0 * width - rest;
}

/* What is far apart is folded at an eighth of its size: twice the width may be beyond all numbers. */
double zi_reflect(double low, double high, double value)
{
    static const double far = DBL_MAX / 8.0;
    if (!isfinite(value) || (value >= low && value <= high) || low == high) {
        return fmin(fmax(value, low), high);
    }
    const int is_above = value > high;
    const double bound = is_above ? high : low;
    const double other = is_above ? low : high;
    const int is_far = fabs(value) > far || fabs(bound) > far || (isfinite(other) && fabs(other) > far);
    const double part = is_far ? 0.125 : 1.0;
    const double over = fabs(part * value - part * bound);
    const double width = part * high - part * low;
    const double inside = isfinite(width) ? fold(width, over) : over;
    const double folded = (part * bound + (is_above ? -inside : inside)) / part;
    return fmin(fmax(folded, fmax(low, -DBL_MAX)), fmin(high, DBL_MAX));
}

static int is_inside(const zi_constraints *c, size_t i, double value)
{
    return value >= c->lower[i] && value <= c->upper[i];
}

/* Not zero, within the bounds: where the elites' values say nothing that fits. A bound, or a number of the
 * scale's size, stands in for a value that came out as zero. */
static double any_value(const zi_repairer *m, zilch_rng *rng, size_t i)
{
    const double low = m->constraints->lower[i];
    const double high = m->constraints->upper[i];
    const double scale = m->marginals->sigma[i] > 0.0 ? m->marginals->sigma[i] : 1.0;
    if (isfinite(low) && isfinite(high)) {
        const double u = zilch_rng_uniform(rng);
        const double width = high - low; /* which may be no number */
        const double drawn = isfinite(width) ? low + width * u : low * (1.0 - u) + high * u;
        const double value = fmin(fmax(drawn, low), high);
        return value != 0.0 ? value : high != 0.0 ? high : low;
    }
    const double step = scale * fabs(zilch_rng_normal(rng));
    const double sign = isfinite(high) ? -1.0 : 1.0;
    const double end = isfinite(low) ? low : isfinite(high) ? high : 0.0;
    const double value = end + sign * step;
    return value != 0.0 ? value : end != 0.0 ? end : sign * scale;
}

static double repaired_value(const zi_repairer *m, zilch_rng *rng, size_t i, double value, int may_be_zero)
{
    const zi_constraints *c = m->constraints;
    for (int k = 0; k < REDRAWS && (value == 0.0 || (!c->is_reflecting && !is_inside(c, i, value))); k++) {
        value = m->marginals->mu[i] + m->marginals->sigma[i] * zilch_rng_normal(rng);
    }
    const double cut = c->is_reflecting ? zi_reflect(c->lower[i], c->upper[i], value)
                                        : fmin(fmax(value, c->lower[i]), c->upper[i]);
    return cut != 0.0 || may_be_zero ? cut : any_value(m, rng, i);
}

/* A value cut off at 0 switches its coordinate off, where that is allowed. */
static void repair_values(zi_repairer *m, zilch_rng *rng, double *x)
{
    const zi_constraints *c = m->constraints;
    size_t active = count_active(m);
    for (size_t u = 0; u < c->units; u++) {
        const int alone = size_of(c, u) == 1 && c->forced[u] == ZILCH_FORCED_NOT;
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            if (!m->on[u]) {
                x[i] = 0.0;
            } else if (x[i] == 0.0 || !is_inside(c, i, x[i])) {
                x[i] = repaired_value(m, rng, i, x[i], alone && active > c->least);
                active -= x[i] == 0.0;
            }
        }
    }
}

/* The same where there are bounds only, so that units are coordinates: a point is mostly zeros, and they are
 * passed over quickly. */
static void repair_bounds(const zi_repairer *m, zilch_rng *rng, double *x)
{
    const zi_constraints *c = m->constraints;
    for (size_t i = 0; i < c->dim; i++) {
        if (x[i] != 0.0 && !is_inside(c, i, x[i])) {
            x[i] = c->forced[i] == ZILCH_FORCED_OFF ? 0.0 : repaired_value(m, rng, i, x[i], 1);
        }
    }
}

/* A value that is nearest to 0 switches its coordinate off, where that is allowed. */
void zi_constraints_snap(const zi_constraints *c, double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < c->dim && c->allowed.step; i++) {
        active += x[i] != 0.0;
    }
    for (size_t u = 0; u < c->units && c->allowed.step; u++) {
        const int alone = size_of(c, u) == 1 && c->forced[u] == ZILCH_FORCED_NOT;
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            if (x[i] != 0.0) {
                x[i] = alone && active > c->least ? zi_allowed_nearest(&c->allowed, i, x[i])
                                                  : zi_allowed_active(&c->allowed, i, x[i]);
                active -= x[i] == 0.0;
            }
        }
    }
}

static void repair_switches(zi_repairer *m, zilch_rng rng, double *x)
{
    const zi_constraints *c = m->constraints;
    for (size_t u = 0; u < c->units; u++) {
        m->on[u] = c->forced[u] == ZILCH_FORCED_NOT ? x[c->member[c->first[u]]] != 0.0
                                                    : c->forced[u] == ZILCH_FORCED_ON;
    }
    choose_units(m, &rng);
    repair_values(m, &rng, x);
}

void zi_repair(zi_repairer *m, zilch_rng rng, double *x)
{
    if (m->constraints->has_switches) {
        repair_switches(m, rng, x);
    } else {
        repair_bounds(m, &rng, x);
    }
    zi_constraints_snap(m->constraints, x);
}
