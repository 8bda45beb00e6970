/* Relaxed, what is not decided may be anything between 0 and its bounds. A value x with bounds l > 0 and u
 * that is free to be off is l z + r, with z from 0 to 1 and r from 0 to u - l, so that the number of active
 * coordinates is the sum of z, or more than the sum of |x| / u. No row ties z to x, so that there are two
 * rows more than limits, and not one for each coordinate. */
#include "search/relaxation.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double nothing = 1e-9; /* a value, as a share of its bounds, that counts as 0 */

void zi_relaxation_free(zi_relaxation *s)
{
    zi_simplex_free(&s->program);
    zi_free(s->first);
    zi_free(s->row);
    zi_free(s->weight);
    zi_free(s->row_scale);
    zi_free(s->cost);
    zi_free(s->numbers);
    zi_free(s->decision);
}

/* The largest value that a row would be its end with, if it had no other; 0 if that is 0. */
static double reach_of(const zi_limits *l, size_t i)
{
    double reach = 0.0;
    for (size_t e = l->column[i]; e < l->column[i + 1]; e++) {
        const double lower = fabs(l->lower[l->row[e]]);
        const double upper = fabs(l->upper[l->row[e]]);
        const double end = fmax(isfinite(lower) ? lower : 0.0, isfinite(upper) ? upper : 0.0);
        reach = fmax(reach, end / fabs(l->by[e]));
    }
    return isfinite(reach) ? reach : 0.0;
}

/* A value is measured by its larger bound, unless that is far beyond all ends of rows. */
static double scale_of(const zi_constraints *c, size_t i)
{
    static const double far = 1e3;
    const double low = isfinite(c->lower[i]) ? fabs(c->lower[i]) : 0.0;
    const double high = isfinite(c->upper[i]) ? fabs(c->upper[i]) : 0.0;
    const double larger = fmax(low, high);
    const int is_usable = larger > 0.0 && isfinite(c->lower[i]) && isfinite(c->upper[i]);
    const double by_bounds = is_usable ? larger : fmax(1.0, larger);
    const double reach = reach_of(&c->limits, i);
    return reach > 0.0 ? fmin(by_bounds, far * reach) : by_bounds;
}

static void set_scales(zi_relaxation *s)
{
    const zi_limits *l = &s->c->limits;
    for (size_t i = 0; i < s->c->dim; i++) {
        s->scale[i] = scale_of(s->c, i);
    }
    for (size_t r = 0; r < l->rows; r++) {
        double largest = 0.0;
        for (size_t k = l->first[r]; k < l->first[r + 1]; k++) {
            largest = fmax(largest, fabs(l->weight[k]) * s->scale[l->coordinate[k]]);
        }
        s->row_scale[r] = largest > 0.0 && isfinite(largest) ? 1.0 / largest : 1.0;
    }
    s->row_scale[l->rows] = s->row_scale[l->rows + 1] = 1.0;
}

/* The greatest number that both are multiples of, but for rounding; 0 if there is none to speak of. */
static double common_divisor(double a, double b)
{
    const double largest = fmax(a, b);
    while (b > 1e-9 * largest) {
        const double rest = fmod(a, b);
        a = b;
        b = fmin(rest, a - rest);
    }
    return a > 1e-5 * largest && isfinite(largest) ? a : 0.0;
}

/* What all offsets of a coordinate are multiples of. With a step these are its multiples, less a default. */
static double quantum_of(const zi_allowed *allowed, size_t i)
{
    if (!zi_allowed_has(allowed, i)) {
        return 0.0;
    }
    if (allowed->step[i] > 0.0) {
        return common_divisor(allowed->step[i], allowed->origin ? fabs(allowed->origin[i]) : 0.0);
    }
    double quantum = 0.0;
    const uint64_t count = zi_allowed_count(allowed, i);
    for (uint64_t k = 0; k < count && (k == 0 || quantum > 0.0); k++) {
        quantum = common_divisor(fabs(zi_allowed_at(allowed, i, k)), quantum);
    }
    return quantum;
}

/* Both columns of each coordinate have its limits, then the rows for most and least. */
zilch_status zi_relaxation_create(zi_relaxation *s, const zi_constraints *c)
{
    const zi_limits *l = &c->limits;
    const size_t entries = 2 * l->first[l->rows] + 4 * c->dim;
    *s = (zi_relaxation){.c = c};
    ZI_TRY(zi_alloc(&s->first, 2 * c->dim + 1));
    ZI_TRY(zi_alloc(&s->row, entries));
    ZI_TRY(zi_alloc(&s->weight, entries));
    ZI_TRY(zi_alloc(&s->row_scale, l->rows + 2));
    ZI_TRY(zi_alloc(&s->cost, 4 * c->dim));
    s->favour = s->cost + 2 * c->dim;
    ZI_TRY(zi_alloc(&s->numbers, 5 * c->dim));
    s->scale = s->numbers;
    s->low = s->scale + c->dim;
    s->high = s->low + c->dim;
    s->x = s->high + c->dim;
    s->quantum = s->x + c->dim;
    for (size_t i = 0; i < c->dim; i++) {
        s->quantum[i] = quantum_of(&c->allowed, i);
    }
    ZI_TRY(zi_alloc(&s->decision, c->units));
    size_t at = 0;
    for (size_t j = 0; j < 2 * c->dim; j++) {
        s->first[j] = at;
        for (size_t e = l->column[j / 2]; e < l->column[j / 2 + 1]; e++) {
            s->row[at++] = l->row[e];
        }
        s->row[at++] = l->rows;
        s->row[at++] = l->rows + 1;
    }
    s->first[2 * c->dim] = at;
    memset(s->weight, 0, entries * sizeof *s->weight);
    set_scales(s);
    zi_relaxation_reset(s);
    return zi_simplex_create(&s->program, (zi_columns){l->rows + 2, 2 * c->dim, s->first, s->row, s->weight});
}

void zi_relaxation_reset(zi_relaxation *s)
{
    const zi_constraints *c = s->c;
    for (size_t i = 0; i < c->dim; i++) { /* beyond that, rows would be rounding only */
        const double most = 1e12 * s->scale[i];
        s->low[i] = isfinite(c->lower[i]) && c->upper[i] > -most ? fmax(c->lower[i], -most) : c->lower[i];
        s->high[i] = isfinite(c->upper[i]) && c->lower[i] < most ? fmin(c->upper[i], most) : c->upper[i];
    }
    for (size_t u = 0; u < c->units; u++) {
        s->decision[u] = c->forced[u] == ZILCH_FORCED_ON    ? ZI_ON
                         : c->forced[u] == ZILCH_FORCED_OFF ? ZI_OFF
                                                            : ZI_UNDECIDED;
    }
}

/* Column j stands for `part` of x each. */
static void set_column(zi_relaxation *s, size_t j, double part, double most, double least, double upper)
{
    const zi_limits *l = &s->c->limits;
    const size_t i = j / 2;
    size_t at = s->first[j];
    for (size_t e = l->column[i]; e < l->column[i + 1]; e++) {
        s->weight[at++] = l->by[e] * part * s->row_scale[l->row[e]];
    }
    s->weight[at++] = most;
    s->weight[at] = least;
    s->program.lower[j] = 0.0;
    s->program.upper[j] = upper;
}

/* The share of a bound that one scale of a value is; 0 for a bound so far out that a pivot would be lost. */
static double share_of(double bound, double scale)
{
    static const double least = 1e-7;
    const double share = isfinite(bound) && bound != 0.0 ? scale / fabs(bound) : 0.0;
    return share >= least ? share : 0.0;
}

/* Where 0 is between the bounds: x = p - n. Else, with l the bound next to 0, x = l z + r. An active value
 * has z = 1. */
static void set_coordinate(zi_relaxation *s, size_t i, unsigned char decision)
{
    const double low = s->low[i];
    const double high = s->high[i];
    const double scale = s->scale[i];
    const int is_free = decision == ZI_UNDECIDED;
    const double room = decision == ZI_OFF ? 0.0 : 1.0;
    if (low <= 0.0 && high >= 0.0) {
        set_column(s, 2 * i, scale, is_free ? share_of(high, scale) : 0.0, 0.0,
                   room > 0.0 ? high / scale : 0.0);
        set_column(s, 2 * i + 1, -scale, is_free ? share_of(low, scale) : 0.0, 0.0,
                   room > 0.0 ? -low / scale : 0.0);
        return;
    }
    const double sign = low > 0.0 ? 1.0 : -1.0;
    const double near = low > 0.0 ? low : high;
    const double far = low > 0.0 ? high : low;
    set_column(s, 2 * i, near, is_free && isfinite(far) ? near / far : 0.0, is_free ? 1.0 : 0.0, room);
    s->program.lower[2 * i] = decision == ZI_ON ? 1.0 : 0.0;
    set_column(s, 2 * i + 1, sign * scale, is_free ? share_of(far, scale) : 0.0, 0.0,
               room > 0.0 ? fabs(far - near) / scale : 0.0);
}

void zi_relaxation_set(zi_relaxation *s)
{
    const zi_constraints *c = s->c;
    const size_t rows = c->limits.rows;
    double *lower = s->program.lower + 2 * c->dim;
    double *upper = s->program.upper + 2 * c->dim;
    size_t on = 0;
    size_t easy = 0; /* undecided, and as small as may be */
    for (size_t u = 0; u < c->units; u++) {
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            set_coordinate(s, i, s->decision[u]);
            on += s->decision[u] == ZI_ON;
            easy += s->decision[u] == ZI_UNDECIDED && s->low[i] <= 0.0 && s->high[i] >= 0.0;
        }
    }
    for (size_t r = 0; r < rows; r++) {
        lower[r] = c->limits.lower[r] * s->row_scale[r];
        upper[r] = c->limits.upper[r] * s->row_scale[r];
    }
    lower[rows] = -INFINITY;
    upper[rows] = (double)c->most - (double)on;
    lower[rows + 1] = (double)c->least - (double)on - (double)easy;
    upper[rows + 1] = INFINITY;
}

double zi_relaxation_value(const zi_relaxation *s, size_t i)
{
    const double *x = s->program.x + 2 * i;
    if (s->low[i] <= 0.0 && s->high[i] >= 0.0) {
        return s->scale[i] * (x[0] - x[1]);
    }
    const double near = s->low[i] > 0.0 ? s->low[i] : s->high[i];
    return near * x[0] + (s->low[i] > 0.0 ? s->scale[i] : -s->scale[i]) * x[1];
}

int zi_relaxation_is_zero(const zi_relaxation *s, size_t i, double x)
{
    return fabs(x) <= nothing * s->scale[i];
}

int zi_relaxation_solve(zi_relaxation *s)
{
    zi_relaxation_set(s);
    const zi_simplex_end end = zi_simplex_solve(&s->program, s->is_favouring ? s->favour : NULL);
    if (end != ZI_SIMPLEX_OPTIMAL) {
        s->is_unsure |= end == ZI_SIMPLEX_STUCK;
        return 0;
    }
    for (size_t i = 0; i < s->c->dim; i++) {
        s->x[i] = zi_relaxation_value(s, i);
    }
    return 1;
}

/* Rows would lose their digits if values went to bounds that are far out. Until the next program is set, they
 * stay near. A point that is farther is on a line with the one there is, and others on that line are near. */
static void stay_near(zi_simplex *program)
{
    static const double far = 1e4;
    for (size_t j = 0; j < program->a.columns; j++) {
        program->upper[j] = isfinite(program->upper[j]) ? fmin(program->upper[j], fmax(far, program->x[j]))
                                                        : program->upper[j];
    }
}

zi_simplex_end zi_relaxation_push(zi_relaxation *s, size_t i, int way)
{
    stay_near(&s->program);
    const int is_split = s->low[i] <= 0.0 && s->high[i] >= 0.0;
    const double near = fmax(s->low[i], -s->high[i]) / s->scale[i];
    const double sign = s->low[i] > 0.0 ? -way : way; /* of the size of the value */
    memset(s->cost, 0, 2 * s->c->dim * sizeof *s->cost);
    s->cost[2 * i] = is_split ? -way : sign * near;
    s->cost[2 * i + 1] = is_split ? way : sign;
    return zi_simplex_solve(&s->program, s->cost);
}

/* ---- What a row can sum up to ---------------------------------------------------------------------------
 */

/* Whether a multiple of `divisor` is between a row's ends, less what is settled already. */
static int has_multiple(const zi_relaxation *s, size_t r, double divisor, double settled, double size)
{
    const double lower = (s->c->limits.lower[r] - settled) / divisor;
    const double upper = (s->c->limits.upper[r] - settled) / divisor;
    const double rounding = 1e-6;
    const double largest = fmax(isfinite(lower) ? fabs(lower) : 0.0, isfinite(upper) ? fabs(upper) : 0.0);
    return largest + size / divisor > 1e5 || ceil(lower - rounding) <= upper + rounding;
}

static int row_is_possible(const zi_relaxation *s, size_t r)
{
    const zi_limits *l = &s->c->limits;
    double divisor = 0.0;
    double settled = 0.0;
    double size = 0.0;
    for (size_t k = l->first[r]; k < l->first[r + 1]; k++) {
        const size_t i = l->coordinate[k];
        const unsigned char decision = s->decision[s->c->unit_of[i]];
        if (decision == ZI_OFF) {
            continue;
        }
        if (decision == ZI_ON && s->low[i] == s->high[i]) {
            settled += l->weight[k] * s->low[i];
            size += fabs(l->weight[k] * s->low[i]);
            continue;
        }
        divisor = s->quantum[i] > 0.0 ? common_divisor(fabs(l->weight[k]) * s->quantum[i], divisor) : 0.0;
        if (divisor == 0.0) {
            return 1;
        }
    }
    return divisor == 0.0 || has_multiple(s, r, divisor, settled, size);
}

int zi_relaxation_has_sums(const zi_relaxation *s)
{
    size_t r = 0;
    while (s->c->allowed.step && r < s->c->limits.rows && row_is_possible(s, r)) {
        r++;
    }
    return !s->c->allowed.step || r == s->c->limits.rows;
}
