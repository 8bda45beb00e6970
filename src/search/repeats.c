#include "search/repeats.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Beyond so many units that can be switched, nobody will try all points. */
enum { MOST_UNITS = 24 };

/* ---- How many points there are ------------------------------------------------------ */

static int has_one_value(const zi_constraints *c, size_t unit)
{
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        const size_t i = c->member[k];
        if (c->lower[i] != c->upper[i]) {
            return 0;
        }
    }
    return 1;
}

/* Units that are free to be on or off, or 0 if there are more than can be tried. */
static size_t list_free(const zi_constraints *c, size_t *list, size_t *forced_active)
{
    size_t free = 0;
    *forced_active = 0;
    for (size_t u = 0; u < c->units; u++) {
        if (c->forced[u] == ZILCH_FORCED_OFF) {
            continue;
        }
        if (!has_one_value(c, u) || free == MOST_UNITS) {
            return 0;
        }
        if (c->forced[u] == ZILCH_FORCED_ON) {
            *forced_active += c->first[u + 1] - c->first[u];
        } else {
            list[free++] = u;
        }
    }
    return free;
}

static size_t active_of(const zi_constraints *c, const size_t *list, size_t free, uint64_t choice)
{
    size_t active = 0;
    for (size_t k = 0; k < free; k++) {
        active += choice >> k & 1 ? c->first[list[k] + 1] - c->first[list[k]] : 0;
    }
    return active;
}

/* The point of a choice of units. */
static void set_choice(const zi_constraints *c, const size_t *list, size_t free, uint64_t choice, double *x)
{
    memset(x, 0, c->dim * sizeof *x);
    for (size_t u = 0; u < c->units; u++) {
        int is_on = c->forced[u] == ZILCH_FORCED_ON;
        for (size_t k = 0; k < free; k++) {
            is_on |= list[k] == u && (choice >> k & 1);
        }
        for (size_t k = c->first[u]; k < c->first[u + 1] && is_on; k++) {
            x[c->member[k]] = c->lower[c->member[k]];
        }
    }
}

/* With linear limits every choice has to be looked at: 0 if there are too many. */
static zilch_status count_by_limits(const zi_constraints *c, uint64_t *count)
{
    enum { MOST_LOOKED_AT = 16 };
    size_t list[MOST_UNITS];
    size_t forced;
    const size_t free = list_free(c, list, &forced);
    double *x;
    *count = c->is_single ? 1 : 0;
    if (c->is_single || free == 0 || free > MOST_LOOKED_AT) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&x, c->dim));
    for (uint64_t choice = 0; choice < UINT64_C(1) << free; choice++) {
        const size_t active = forced + active_of(c, list, free, choice);
        if (active >= c->least && active <= c->most) {
            set_choice(c, list, free, choice, x);
            *count += zi_limits_broken(&c->limits, x) == c->limits.rows;
        }
    }
    zi_free(x);
    return ZILCH_OK;
}

static uint64_t count_by_number(const zi_constraints *c)
{
    size_t list[MOST_UNITS];
    size_t forced;
    const size_t free = list_free(c, list, &forced);
    const uint64_t choices = UINT64_C(1) << free;
    uint64_t count = 0;
    if (free == 0 || (c->least <= forced && c->most >= c->dim)) {
        return free ? choices : 0;
    }
    uint64_t choice = 0;
    size_t active = forced;
    for (uint64_t k = 1; k <= choices; k++) { /* from one choice to the next, one unit is switched */
        size_t bit = 0;
        count += active >= c->least && active <= c->most;
        while (bit + 1 < free && !(k >> bit & 1)) {
            bit++;
        }
        const size_t size = c->first[list[bit] + 1] - c->first[list[bit]];
        active = choice >> bit & 1 ? active - size : active + size;
        choice ^= UINT64_C(1) << bit;
    }
    return count;
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
static void change(const zilch_optimizer *o, zi_repairer *repairer, zilch_rng *rng, double *x)
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
}

/* The first choice of units that was not evaluated, in the order of the numbers that they are the bits of. */
static zilch_status find_left(zilch_optimizer *o, double *x, size_t row, int *known)
{
    const zi_constraints *c = &o->constraints;
    double *point = x + row * o->dim;
    size_t list[MOST_UNITS];
    size_t forced;
    const size_t free = list_free(c, list, &forced);
    uint64_t step = 1;
    for (uint64_t choice = 0; free && choice < UINT64_C(1) << free && *known; choice += step) {
        const size_t active = forced + active_of(c, list, free, choice);
        const uint64_t lowest = choice & (~choice + 1);
        step = active > c->most && lowest ? lowest : 1; /* up to there, all have these units and more */
        if (active < c->least || active > c->most) {
            continue;
        }
        set_choice(c, list, free, choice, point);
        if (c->limits.rows && zi_limits_broken(&c->limits, point) != c->limits.rows) {
            continue;
        }
        ZI_TRY(is_known(o, x, row, known));
    }
    if (*known && c->limits.rows) { /* the last one that was looked at may break them */
        memcpy(point, c->fallback_x, o->dim * sizeof *point);
    }
    return ZILCH_OK;
}

zilch_status zi_repeats_replace(zilch_optimizer *o, zi_repairer *repairer, zilch_rng rng, size_t *rows,
                                double *x)
{
    enum { ATTEMPTS = 64, SMALL = 1 << 16 };
    const size_t given = *rows;
    size_t row = 0;
    for (size_t i = 0; i < given; i++) {
        int known;
        memmove(x + row * o->dim, x + i * o->dim, o->dim * sizeof *x);
        ZI_TRY(is_known(o, x, row, &known));
        for (int k = 0; k < ATTEMPTS && known; k++) {
            change(o, repairer, &rng, x + row * o->dim);
            ZI_TRY(is_known(o, x, row, &known));
        }
        if (known && o->points_in_all && o->points_in_all <= SMALL) {
            ZI_TRY(find_left(o, x, row, &known));
        }
        row += !known || (row == 0 && i + 1 == given);
    }
    *rows = row;
    return ZILCH_OK;
}
