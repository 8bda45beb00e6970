/* Limits on points: whether they can be kept, and whether a point does. */
#include "search/constraints.h"

#include "base/memory.h"
#include "search/feasibility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void zi_constraints_free(zi_constraints *c)
{
    zi_free(c->first);
    zi_free(c->member);
    zi_free(c->forced);
    zi_free(c->fallback);
    zi_free(c->lower);
    zi_limits_free(&c->limits);
    zi_free(c->unit_of);
    zi_free(c->stays);
    zi_free(c->fallback_x);
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
        if (zi_unit_size(c, u) == 1 && c->forced[u] == ZILCH_FORCED_NOT && c->lower[i] == 0.0 &&
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
            const int must = c->forced[u] == ZILCH_FORCED_ON || zi_unit_size(c, u) > 1;
            if (must && c->lower[i] == 0.0 && c->upper[i] == 0.0) {
                return zi_fail_at(
                    ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                    "the bounds allow only %s, but it must be active with its group, or is forced on",
                    c->allowed.origin ? "its default" : "zero");
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
        base += c->fallback[u] ? zi_unit_size(c, u) : 0;
        d->count[zi_unit_size(c, u)] += c->forced[u] == ZILCH_FORCED_NOT;
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
        if (c->forced[u] == ZILCH_FORCED_NOT && d->count[zi_unit_size(c, u)]) {
            d->count[zi_unit_size(c, u)]--;
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

/* By coordinate, what linear limits need to know of units. */
static void describe_units(zi_constraints *c)
{
    for (size_t u = 0; u < c->units; u++) {
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            c->unit_of[c->member[k]] = u;
            c->stays[c->member[k]] = c->forced[u] == ZILCH_FORCED_ON || zi_unit_size(c, u) > 1;
        }
    }
}

/* A point that keeps them all stands in where nothing else is found. */
static zilch_status set_limits(zi_constraints *c, const zilch_optimizer_options *o)
{
    zi_answer answer;
    if (o->linear_limit_count == 0) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_limits_create(&c->limits, c->dim, o->linear_limit_count, o->linear_limits, c->allowed.origin));
    ZI_TRY(zi_alloc(&c->unit_of, c->dim));
    ZI_TRY(zi_alloc(&c->stays, c->dim));
    ZI_TRY(zi_alloc(&c->fallback_x, c->dim));
    describe_units(c);
    ZI_TRY(zi_feasibility_find(c, c->fallback_x, &answer, &c->is_single));
    if (answer == ZI_ANSWER_UNKNOWN) {
        return zi_fail(ZILCH_EARG, "it takes too long to find out whether any point keeps the limits; give "
                                   "fewer of them, or wider ones");
    }
    if (answer == ZI_ANSWER_NO) {
        return zi_feasibility_refuse(c);
    }
    for (size_t u = 0; u < c->units; u++) {
        c->fallback[u] = c->fallback_x[c->member[c->first[u]]] != 0.0;
    }
    return ZILCH_OK;
}

/* With linear limits, where values move, a bound of 0 becomes the step next to it: what is active is beyond.
 */
static void leave_zero(zi_constraints *c)
{
    for (size_t i = 0; i < c->dim; i++) {
        double *const bound = c->lower[i] == 0.0 ? &c->lower[i] : &c->upper[i];
        const int is_at_zero = *bound == 0.0 && c->lower[i] < c->upper[i];
        if (is_at_zero && zi_allowed_has(&c->allowed, i)) {
            *bound = zi_allowed_next(&c->allowed, i, 0.0, bound == &c->lower[i] ? 1 : -1);
        }
    }
}

zilch_status zi_constraints_create(zi_constraints *out, size_t dim, const zilch_optimizer_options *o)
{
    const size_t most = o->max_active ? (size_t)o->max_active : dim;
    *out = (zi_constraints){.dim = dim, .least = (size_t)o->min_active, .most = most < dim ? most : dim};
    out->has_switches = o->forced || o->group || out->least > 0 || out->most < dim;
    out->is_free =
        !out->has_switches && !o->lower && !o->upper && !o->linear_limit_count && !o->step && !o->values;
    out->is_reflecting = o->method == ZILCH_METHOD_DEFAULT;
    ZI_TRY(zi_alloc(&out->first, dim + 1));
    ZI_TRY(zi_alloc(&out->member, dim));
    ZI_TRY(zi_alloc(&out->forced, dim));
    ZI_TRY(zi_alloc(&out->fallback, dim));
    ZI_TRY(zi_alloc(&out->lower, 2 * dim));
    out->upper = out->lower + dim;
    ZI_TRY(set_bounds(out, o));
    ZI_TRY(zi_allowed_create(&out->allowed, dim, o, out->lower, out->upper));
    if (o->linear_limit_count) {
        leave_zero(out);
    }
    ZI_TRY(set_units(out, o->group));
    ZI_TRY(set_forced(out, o->forced));
    ZI_TRY(check_values(out));
    ZI_TRY(check_counts(out));
    return set_limits(out, o);
}

/* An offset as a value of the user's, for a message. */
static double shown(const zi_constraints *c, size_t i, double x)
{
    return c->allowed.origin ? c->allowed.origin[i] + x : x;
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
                              "the value %g is out of its bounds %g and %g", shown(c, i, x[i]),
                              shown(c, i, c->lower[i]), shown(c, i, c->upper[i]));
        }
        if (on) {
            ZI_TRY(zi_allowed_check(&c->allowed, i, x[i]));
        }
        if (c->forced[unit] != ZILCH_FORCED_NOT && on != (c->forced[unit] == ZILCH_FORCED_ON)) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, i}}, NULL},
                              "the value is %g, but it is forced %s", shown(c, i, x[i]),
                              zilch_forced_name(c->forced[unit]));
        }
    }
    return ZILCH_OK;
}

static zilch_status check_limits(const zi_constraints *c, const double *x)
{
    double size;
    const size_t row = c->limits.rows ? zi_limits_broken(&c->limits, x) : 0;
    if (row == c->limits.rows) {
        return ZILCH_OK;
    }
    const double base = c->allowed.origin ? zi_limits_sum(&c->limits, row, c->allowed.origin, &size) : 0.0;
    const double sum = zi_limits_sum(&c->limits, row, x, &size);
    return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "point"},
                      "limit %zu is broken: the sum is %.17g, but must be from %.17g to %.17g", row + 1,
                      base + sum, base + c->limits.lower[row], base + c->limits.upper[row]);
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
    return check_limits(c, x);
}
