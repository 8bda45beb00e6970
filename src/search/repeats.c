/* Points that were evaluated, and those that are left where they can be counted: a point is then a number
 * whose digits say which units are on, and with which of the values they may have. */
#include "search/repeats.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Beyond so many units that can be in several ways, or so many points, nobody will try all. */
enum { MOST_UNITS = 24 };
static const uint64_t most_points = UINT64_C(1) << 32;

/* ---- How many points there are ------------------------------------------------------ */

/* In how many ways a unit can be on; 0: without end, or too many. */
static uint64_t ways_of(const zi_constraints *c, size_t unit)
{
    uint64_t ways = 1;
    for (size_t k = c->first[unit]; k < c->first[unit + 1] && ways; k++) {
        const uint64_t own = zi_allowed_count(&c->allowed, c->member[k]);
        ways = own <= most_points / ways ? ways * own : 0;
    }
    return ways;
}

/* A point as a number: each unit that can be in several ways is a digit of it, 0 for off, if it may be. */
typedef struct digits {
    size_t count;
    size_t unit[MOST_UNITS], size[MOST_UNITS]; /* size: coordinates */
    uint64_t ways[MOST_UNITS];                 /* to be on */
    uint64_t base[MOST_UNITS];                 /* ways, and one more if it may be off */
    size_t forced;                             /* active coordinates of the other units */
    uint64_t numbers; /* of points, with any number of active coordinates; 0: without end, or too many */
} digits;

static digits list_digits(const zi_constraints *c)
{
    digits d = {.numbers = 1};
    for (size_t u = 0; u < c->units; u++) {
        if (c->forced[u] == ZILCH_FORCED_OFF) {
            continue;
        }
        const uint64_t ways = ways_of(c, u);
        const uint64_t base = ways + (c->forced[u] == ZILCH_FORCED_NOT);
        const size_t size = c->first[u + 1] - c->first[u];
        assert(d.numbers > 0);
        if (ways == 0 || base > most_points / d.numbers || (base > 1 && d.count == MOST_UNITS)) {
            return (digits){.numbers = 0};
        }
        if (base == 1) {
            d.forced += size;
            continue;
        }
        d.unit[d.count] = u;
        d.size[d.count] = size;
        d.ways[d.count] = ways;
        d.base[d.count++] = base;
        d.numbers *= base;
    }
    d.numbers = d.count ? d.numbers : 0;
    return d;
}

static int may_be_off(const digits *d, size_t k)
{
    return d->base[k] > d->ways[k];
}

/* How many coordinates are active in the point of this number; *place gets that of its lowest digit that is
 * on, 0 if none is. */
static size_t active_of(const digits *d, uint64_t number, uint64_t *place)
{
    size_t active = d->forced;
    uint64_t own = 1;
    *place = 0;
    for (size_t k = 0; k < d->count; k++) {
        const int is_on = number % d->base[k] != 0 || !may_be_off(d, k);
        active += is_on ? d->size[k] : 0;
        *place = is_on && may_be_off(d, k) && !*place ? own : *place;
        number /= d->base[k];
        own *= d->base[k];
    }
    return active;
}

/* A unit that is on, in a way from 0. */
static void put_unit(const zi_constraints *c, size_t unit, uint64_t way, double *x)
{
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        const uint64_t count = zi_allowed_count(&c->allowed, c->member[k]);
        x[c->member[k]] = zi_allowed_at(&c->allowed, c->member[k], way % count);
        way /= count;
    }
}

static void put_point(const zi_constraints *c, const digits *d, uint64_t number, double *x)
{
    memset(x, 0, c->dim * sizeof *x);
    for (size_t u = 0; u < c->units; u++) {
        if (c->forced[u] == ZILCH_FORCED_ON) { /* the way of those that have several follows */
            put_unit(c, u, 0, x);
        }
    }
    for (size_t k = 0; k < d->count; k++) {
        const uint64_t digit = number % d->base[k];
        if (digit || !may_be_off(d, k)) {
            put_unit(c, d->unit[k], digit - (uint64_t)may_be_off(d, k), x);
        }
        number /= d->base[k];
    }
}

/* From one choice of units to the next, one is switched. */
static uint64_t count_within(const zi_constraints *c, const digits *d)
{
    size_t free[MOST_UNITS];
    size_t count = 0;
    size_t active = d->forced;
    uint64_t ways = 1; /* in which the choice can be */
    for (size_t k = 0; k < d->count; k++) {
        if (may_be_off(d, k)) {
            free[count++] = k;
        } else {
            active += d->size[k];
            ways *= d->ways[k];
        }
    }
    uint64_t points = 0;
    uint64_t choice = 0;
    for (uint64_t n = 1; n <= UINT64_C(1) << count; n++) {
        size_t bit = 0;
        points += active >= c->least && active <= c->most ? ways : 0;
        while (bit + 1 < count && !(n >> bit & 1)) {
            bit++;
        }
        if (count) {
            const size_t k = free[bit];
            const int is_on = (choice >> bit & 1) != 0;
            active = is_on ? active - d->size[k] : active + d->size[k];
            ways = is_on ? ways / d->ways[k] : ways * d->ways[k];
            choice ^= UINT64_C(1) << bit;
        }
    }
    return points;
}

/* With linear limits every point has to be looked at: 0 if there are too many. */
static zilch_status count_by_limits(const zi_constraints *c, uint64_t *count)
{
    static const uint64_t most_looked_at = UINT64_C(1) << 16;
    const digits d = list_digits(c);
    double *x;
    *count = c->is_single ? 1 : 0;
    if (c->is_single || d.numbers == 0 || d.numbers > most_looked_at) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&x, c->dim));
    for (uint64_t number = 0; number < d.numbers; number++) {
        uint64_t place;
        const size_t active = active_of(&d, number, &place);
        if (active >= c->least && active <= c->most) {
            put_point(c, &d, number, x);
            *count += zi_limits_broken(&c->limits, x) == c->limits.rows;
        }
    }
    zi_free(x);
    return ZILCH_OK;
}

static uint64_t count_by_number(const zi_constraints *c)
{
    const digits d = list_digits(c);
    size_t least = d.forced;
    for (size_t k = 0; k < d.count; k++) {
        least += may_be_off(&d, k) ? 0 : d.size[k];
    }
    if (d.numbers == 0 || (c->least <= least && c->most >= c->dim)) {
        return d.numbers;
    }
    return count_within(c, &d);
}

zilch_status zi_points_in_all(const zi_constraints *c, uint64_t *count)
{
    if (c->limits.rows) {
        return count_by_limits(c, count);
    }
    *count = count_by_number(c);
    return ZILCH_OK;
}

/* Points from elsewhere may break the limits, and would be counted with the others. */
int zi_points_are_exhausted(const zilch_optimizer *o)
{
    return o->points_in_all && o->foreign == 0 && o->archive.rows.count >= o->points_in_all;
}

/* ---- New points in the place of known ones ------------------------------------------ */

/* Whether it is one of so many rows. */
static int is_among(size_t dim, const double *x, size_t rows, const double *row)
{
    for (size_t k = 0; k < rows; k++) {
        if (memcmp(row + k * dim, x, dim * sizeof *x) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a point of an earlier generation is still out. Appends the point for the comparison. */
static zilch_status is_late(zi_rows *rows, const double *x, int *result)
{
    const size_t count = rows->count;
    *result = 0;
    if (count == 0) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_rows_append(rows, x));
    for (size_t k = 0; k < count && !*result; k++) {
        *result = zi_rows_is_equal(rows, k, rows, count);
    }
    zi_rows_take_back(rows);
    return ZILCH_OK;
}

/* Whether row number `row` of x was evaluated, is out, or is there before. */
static zilch_status is_known(zilch_optimizer *o, const double *x, size_t row, int *result)
{
    size_t point;
    const double *own = x + row * o->dim;
    *result = is_among(o->dim, own, row, x) || is_among(o->dim, own, o->slots, o->genome);
    if (!*result) {
        ZI_TRY(is_late(&o->stragglers.rows, own, result));
    }
    return *result ? ZILCH_OK : zi_archive_lookup(&o->archive, own, &point, result);
}

/* One unit is switched. */
static zilch_status change(const zilch_optimizer *o, zi_repairer *repairer, zilch_rng *rng, double *x)
{
    const zi_constraints *c = &o->constraints;
    const size_t unit = (size_t)(zilch_rng_uniform(rng) * (double)c->units);
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        const size_t i = c->member[k];
        const double drawn = o->first.mu[i] + o->first.sigma[i] * zilch_rng_normal(rng);
        x[i] = x[i] != 0.0 ? 0.0 : fmax(-DBL_MAX, fmin(DBL_MAX, drawn));
    }
    if (repairer) {
        zi_repair(repairer, *rng, x);
    }
    rng->counter += UINT64_C(1) << 16; /* what a repair may use */
    return zi_rule_apply(c, x);
}

/* The first point that was not evaluated, in the order of their numbers. */
static zilch_status find_left(zilch_optimizer *o, double *x, size_t row, int *known)
{
    const zi_constraints *c = &o->constraints;
    const digits d = list_digits(c);
    double *point = x + row * o->dim;
    uint64_t step = 1;
    for (uint64_t number = 0; number < d.numbers && *known; number += step) {
        uint64_t place;
        const size_t active = active_of(&d, number, &place);
        step = active > c->most && place ? place : 1; /* up to there, all have these units and more */
        if (active < c->least || active > c->most) {
            continue;
        }
        put_point(c, &d, number, point);
        if (c->limits.rows && zi_limits_broken(&c->limits, point) != c->limits.rows) {
            continue;
        }
        ZI_TRY(zi_rule_apply(c, point));
        ZI_TRY(is_known(o, x, row, known));
    }
    if (*known && c->limits.rows) { /* the last one that was looked at may break them */
        memcpy(point, c->fallback_x, o->dim * sizeof *point);
        return zi_rule_apply(c, point);
    }
    return ZILCH_OK;
}

zilch_status zi_repeats_replace(zilch_optimizer *o, zi_repairer *repairer, zilch_rng rng, size_t *rows,
                                double *x)
{
    enum { ATTEMPTS = 64, SMALL = 1 << 16, SMALL_RULED = 1 << 12 };
    const size_t given = *rows;
    const int is_ruled = o->constraints.rule.repair != NULL; /* by a function that may take its time, */
    const uint64_t small = is_ruled ? SMALL_RULED : SMALL;
    int has_ended = 0; /* and may leave fewer points than the limits do */
    size_t row = 0;
    for (size_t i = 0; i < given; i++) {
        int known;
        memmove(x + row * o->dim, x + i * o->dim, o->dim * sizeof *x);
        ZI_TRY(is_known(o, x, row, &known));
        for (int k = 0; k < ATTEMPTS && known; k++) {
            ZI_TRY(change(o, repairer, &rng, x + row * o->dim));
            ZI_TRY(is_known(o, x, row, &known));
        }
        if (known && o->points_in_all && o->points_in_all <= small && !has_ended) {
            ZI_TRY(find_left(o, x, row, &known));
            has_ended = is_ruled && known;
        }
        row += !known || (row == 0 && i + 1 == given);
    }
    *rows = row;
    return ZILCH_OK;
}
