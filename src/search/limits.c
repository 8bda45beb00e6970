/* Linear limits as they are kept, and the check of a point. */
#include "search/limits.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double precision = 1e-12;

void zi_limits_free(zi_limits *l)
{
    zi_free(l->lower);
    zi_free(l->first);
    zi_free(l->coordinate);
    zi_free(l->weight);
    zi_free(l->column);
    zi_free(l->row);
    zi_free(l->by);
    *l = (zi_limits){0};
}

/* `seen` (dim) has the number, from 1, of the last limit that had a coordinate. */
static zilch_status check_limit(const zilch_linear_limit *limit, size_t number, size_t dim, size_t *seen)
{
    if (!(limit->lower <= limit->upper) || limit->lower == INFINITY || limit->upper == -INFINITY) {
        return zi_fail(ZILCH_EARG,
                       "limit %zu: its ends %g and %g are no interval; lower must not be above upper", number,
                       limit->lower, limit->upper);
    }
    for (size_t k = 0; k < limit->count; k++) {
        const size_t i = limit->coordinate ? limit->coordinate[k] : k;
        if (i >= dim) {
            return zi_fail(ZILCH_EARG, "limit %zu: it names a coordinate beyond the %zu that there are",
                           number, dim);
        }
        const zi_location place = {.at = {{ZI_COORDINATE, i}}};
        if (seen[i] == number) {
            return zi_fail_at(ZILCH_EARG, &place, "limit %zu has it twice; give one weight", number);
        }
        if (limit->weight && !isfinite(limit->weight[k])) {
            return zi_fail_at(ZILCH_EARG, &place, "limit %zu: the weight is not finite", number);
        }
        seen[i] = number;
    }
    return ZILCH_OK;
}

static double weight_of(const zilch_linear_limit *limit, size_t k)
{
    return limit->weight ? limit->weight[k] : 1.0;
}

/* Entries by row, those that are not 0. */
static void fill_rows(zi_limits *l, const zilch_linear_limit *limit)
{
    size_t entries = 0;
    for (size_t r = 0; r < l->rows; r++) {
        l->first[r] = entries;
        l->lower[r] = limit[r].lower + 0.0;
        l->upper[r] = limit[r].upper + 0.0;
        for (size_t k = 0; k < limit[r].count; k++) {
            if (weight_of(&limit[r], k) != 0.0) {
                l->coordinate[entries] = limit[r].coordinate ? limit[r].coordinate[k] : k;
                l->weight[entries++] = weight_of(&limit[r], k);
            }
        }
    }
    l->first[l->rows] = entries;
}

/* The same by coordinate. */
static void fill_columns(zi_limits *l, size_t dim)
{
    memset(l->column, 0, (dim + 2) * sizeof *l->column);
    for (size_t k = 0; k < l->first[l->rows]; k++) {
        l->column[l->coordinate[k] + 2]++;
    }
    for (size_t i = 2; i < dim + 2; i++) {
        l->column[i] += l->column[i - 1];
    }
    for (size_t r = 0; r < l->rows; r++) {
        for (size_t k = l->first[r]; k < l->first[r + 1]; k++) {
            const size_t at = l->column[l->coordinate[k] + 1]++;
            l->row[at] = r;
            l->by[at] = l->weight[k];
        }
    }
}

/* Ends of sums of offsets. What is left of one by rounding alone is 0, so that the default point keeps the
 * limits that it is meant to keep. */
static void shift_ends(zi_limits *l, const double *origin)
{
    static const double rounding = 1e-14;
    for (size_t r = 0; r < l->rows; r++) {
        double *const end[] = {&l->lower[r], &l->upper[r]};
        const double sum = zi_limits_sum(l, r, origin, &l->scale[r]);
        for (size_t k = 0; k < 2; k++) {
            if (isfinite(*end[k])) {
                l->scale[r] = fmax(l->scale[r], fabs(*end[k]));
                const double rest = fmin(fmax(*end[k] - sum, -DBL_MAX), DBL_MAX);
                *end[k] = fabs(rest) > rounding * l->scale[r] ? rest : 0.0;
            }
        }
    }
}

zilch_status zi_limits_create(zi_limits *l, size_t dim, size_t count, const zilch_linear_limit *limit,
                              const double *origin)
{
    size_t *seen;
    size_t entries = 0;
    zilch_status status = ZILCH_OK;
    *l = (zi_limits){.rows = count};
    ZI_TRY(zi_alloc(&seen, dim));
    memset(seen, 0, dim * sizeof *seen);
    for (size_t r = 0; r < count && status == ZILCH_OK; r++) {
        status = check_limit(&limit[r], r + 1, dim, seen);
        entries += limit[r].count;
    }
    zi_free(seen);
    ZI_TRY(status);
    ZI_TRY(zi_alloc(&l->lower, 3 * count));
    l->upper = l->lower + count;
    l->scale = l->upper + count;
    memset(l->scale, 0, count * sizeof *l->scale);
    ZI_TRY(zi_alloc(&l->first, count + 1));
    ZI_TRY(zi_alloc(&l->coordinate, entries));
    ZI_TRY(zi_alloc(&l->weight, entries));
    ZI_TRY(zi_alloc(&l->column, dim + 2));
    ZI_TRY(zi_alloc(&l->row, entries));
    ZI_TRY(zi_alloc(&l->by, entries));
    fill_rows(l, limit);
    fill_columns(l, dim);
    if (origin) {
        shift_ends(l, origin);
    }
    return ZILCH_OK;
}

void zi_sum_add(zi_sum *s, double term)
{
    const double sum = s->value + term;
    s->rest += fabs(s->value) >= fabs(term) ? (s->value - sum) + term : (term - sum) + s->value;
    s->value = sum;
}

double zi_limits_sum(const zi_limits *l, size_t row, const double *x, double *size)
{
    zi_sum sum = {0.0, 0.0};
    *size = 0.0;
    for (size_t k = l->first[row]; k < l->first[row + 1]; k++) {
        const double term = l->weight[k] * x[l->coordinate[k]];
        zi_sum_add(&sum, term);
        *size += fabs(term);
    }
    return sum.value + sum.rest;
}

double zi_limits_slack(double size, double end)
{
    return precision * fmax(size, fabs(end));
}

size_t zi_limits_broken(const zi_limits *l, const double *x)
{
    for (size_t r = 0; r < l->rows; r++) {
        double size;
        const double sum = zi_limits_sum(l, r, x, &size);
        size = fmax(size, l->scale[r]);
        const int is_above =
            l->lower[r] == -INFINITY || sum >= l->lower[r] - zi_limits_slack(size, l->lower[r]);
        const int is_below =
            l->upper[r] == INFINITY || sum <= l->upper[r] + zi_limits_slack(size, l->upper[r]);
        if (!isfinite(sum) || !is_above || !is_below) {
            return r;
        }
    }
    return l->rows;
}
