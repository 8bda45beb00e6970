/* Marginals in two passes over the data (sums, then squares about the mean), correlations
 * in a third: rows are standardised a block at a time and added by one symmetric rank
 * update each, so memory does not grow with the number of rows. */
#include "model/moments.h"

#include "base/memory.h"
#include "base/simd.h"
#include "math/linalg.h"
#include "model/model.h"

#include <assert.h>
#include <float.h>

static double weight_of(const zi_data *data, size_t row)
{
    return data->weights ? data->weights[row] : 1.0;
}

/* x * 0 is NaN for what is not finite, and 0 else. */
ZI_CLONES
static int row_is_finite(size_t cols, const double *row)
{
    double zero = 0.0;
    for (size_t j = 0; j < cols; j++) {
        zero += row[j] * 0.0;
    }
    return zero == 0.0;
}

zilch_status zi_data_check(const zi_data *data, double *total, double *worth)
{
    assert(data->x && total && worth);
    double sum = 0.0;
    double squares = 0.0;
    size_t positive = 0;
    for (size_t i = 0; i < data->rows; i++) {
        const double weight = weight_of(data, i);
        if (!(weight >= 0.0 && isfinite(weight))) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"fit", {{ZI_ROW, i}}, NULL},
                              "the weight is negative or not finite");
        }
        sum += weight;
        squares += weight * weight;
        positive += weight > 0.0;
    }
    if (positive < 2) {
        return zi_fail(ZILCH_EARG, "fit: at least two rows must have a positive weight, %zu of %zu have",
                       positive, data->rows);
    }
    if (!(squares > 0.0 && isfinite(sum * sum))) {
        return zi_fail(ZILCH_EARG, "fit: the weights are too large or too small to be added; scale them");
    }
    *total = sum;
    *worth = sum * sum / squares;
    for (size_t i = 0; i < data->rows; i++) {
        const double *row = data->x + i * data->cols;
        const int is_finite = row_is_finite(data->cols, row);
        for (size_t j = 0; j < data->cols && !is_finite; j++) {
            if (!isfinite(row[j])) {
                return zi_fail_at(ZILCH_EARG, &(zi_location){"fit", {{ZI_ROW, i}, {ZI_COLUMN, j}}, NULL},
                                  "the value is not finite");
            }
        }
    }
    return ZILCH_OK;
}

/* Running sums of one pass, one entry a column. */
typedef struct sums {
    double *active, *sum, *low, *high; /* of the first pass */
    double *shift, *squares;           /* of the second: about the first one's mean */
} sums;

ZI_CLONES
static void add_row(size_t cols, const double *restrict row, double weight, double *restrict active,
                    double *restrict sum, double *restrict low, double *restrict high)
{
    for (size_t j = 0; j < cols; j++) {
        const double x = row[j];
        const double counted = x != 0.0 ? weight : 0.0;
        active[j] += counted;
        sum[j] += counted * x;
        const double below = x != 0.0 ? x : INFINITY;
        const double above = x != 0.0 ? x : -INFINITY;
        low[j] = below < low[j] ? below : low[j];
        high[j] = above > high[j] ? above : high[j];
    }
}

ZI_CLONES
static void add_squares(size_t cols, const double *restrict row, double weight, const double *restrict mean,
                        double *restrict shift, double *restrict squares)
{
    for (size_t j = 0; j < cols; j++) {
        const double counted = row[j] != 0.0 ? weight : 0.0;
        const double deviation = row[j] - mean[j];
        shift[j] += counted * deviation;
        squares[j] += counted * (deviation * deviation);
    }
}

static void first_pass(const zi_data *data, sums *s)
{
    for (size_t j = 0; j < data->cols; j++) {
        s->active[j] = s->sum[j] = s->shift[j] = s->squares[j] = 0.0;
        s->low[j] = INFINITY;
        s->high[j] = -INFINITY;
    }
    for (size_t i = 0; i < data->rows; i++) {
        const double weight = weight_of(data, i);
        if (weight > 0.0) {
            add_row(data->cols, data->x + i * data->cols, weight, s->active, s->sum, s->low, s->high);
        }
    }
}

/* Column j from both passes. The deviations' own mean corrects the first mean, whose sum has
 * rounded; what is left of a spread below rounding is none. */
static zilch_status finish_column(const sums *s, size_t j, double *mu, double *sigma)
{
    *sigma = 0.0;
    if (!(s->low[j] < s->high[j])) {
        return ZILCH_OK;
    }
    const double shift = s->shift[j] / s->active[j];
    const double variance = s->squares[j] / s->active[j] - shift * shift;
    *mu = fmin(fmax(*mu + shift, s->low[j]), s->high[j]);
    if (!isfinite(*mu) || !isfinite(variance) || s->high[j] - s->low[j] < ZI_LEAST_SPREAD) {
        return zi_fail_at(ZILCH_ENUMERIC, &(zi_location){"fit", {{ZI_COLUMN, j}}, NULL},
                          "the values are too large or too small; scale them");
    }
    *sigma = variance > 0.0 ? sqrt(variance) : 0.0;
    *sigma = *sigma > 4.0 * DBL_EPSILON * fabs(*mu) ? *sigma : 0.0;
    return ZILCH_OK;
}

static zilch_status both_passes(const zi_data *data, double total, sums *s, double *p, double *mu,
                                double *sigma)
{
    first_pass(data, s);
    for (size_t j = 0; j < data->cols; j++) {
        p[j] = s->active[j] / total; /* exactly 1 if all are active: the same sum */
        /* A first estimate; exactly the value where there is only one. */
        mu[j] = !(p[j] > 0.0) ? 0.0 : s->low[j] == s->high[j] ? s->low[j] : s->sum[j] / s->active[j];
    }
    for (size_t i = 0; i < data->rows; i++) {
        const double weight = weight_of(data, i);
        if (weight > 0.0) {
            add_squares(data->cols, data->x + i * data->cols, weight, mu, s->shift, s->squares);
        }
    }
    for (size_t j = 0; j < data->cols; j++) {
        if (p[j] > 0.0) {
            ZI_TRY(finish_column(s, j, &mu[j], &sigma[j]));
        } else {
            sigma[j] = 0.0;
        }
    }
    return ZILCH_OK;
}

zilch_status zi_marginals(const zi_data *data, double total, double *p, double *mu, double *sigma)
{
    assert(data->rows && data->cols && total > 0.0);
    assert(p && mu && sigma);
    double *block;
    ZI_TRY(zi_alloc(&block, 6 * data->cols));
    sums s = {.active = block,
              .sum = block + data->cols,
              .low = block + 2 * data->cols,
              .high = block + 3 * data->cols,
              .shift = block + 4 * data->cols,
              .squares = block + 5 * data->cols};
    const zilch_status status = both_passes(data, total, &s, p, mu, sigma);
    zi_free(block);
    return status;
}

/* One row of Y: standardised values (0 where inactive or without spread), indicators,
 * both times the root of the row's weight. */
ZI_CLONES
static void standardise(size_t cols, const double *restrict row, double root, const double *restrict mu,
                        const double *restrict inverse_sigma, double *restrict value,
                        double *restrict indicator)
{
    for (size_t j = 0; j < cols; j++) {
        const double on = row[j] != 0.0 ? root : 0.0;
        value[j] = on * ((row[j] - mu[j]) * inverse_sigma[j]);
        indicator[j] = on;
    }
}

/* y^T y of all rows into the lower triangle of `product`. */
static void add_products(const zi_data *data, const double *mu, const double *inverse_sigma,
                         size_t block_rows, double *y, double *product)
{
    const size_t d = data->cols;
    for (size_t begin = 0; begin < data->rows; begin += block_rows) {
        const size_t count = data->rows - begin < block_rows ? data->rows - begin : block_rows;
        for (size_t i = 0; i < count; i++) {
            const double *row = data->x + (begin + i) * d;
            double *out = y + i * 2 * d;
            standardise(d, row, sqrt(weight_of(data, begin + i)), mu, inverse_sigma, out, out + d);
        }
        zi_rank_update(2 * d, count, 1.0, y, begin ? 1.0 : 0.0, product);
    }
}

/* Products to correlations. `mean` has the means of Y's columns; `scale` turns a covariance's
 * row and column into a correlation's, 0 where nothing varies. */
static void correlate(size_t n, double total, const double *mean, const double *scale, double *observed)
{
    const double rounding = 1e-12; /* what is below it says nothing, not even by its sign */
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            const double covariance = observed[j * n + i] / total - mean[i] * mean[j];
            const double rho = covariance * scale[i] * scale[j];
            observed[j * n + i] = fabs(rho) < rounding ? 0.0 : fmin(1.0, fmax(-1.0, rho));
        }
        observed[j * n + j] = 1.0;
    }
    for (size_t j = 0; j < n / 2; j++) {
        observed[j * n + j + n / 2] = 0.0; /* a value and its own indicator: 0 but for rounding */
    }
    zi_symmetrise(n, observed);
}

zilch_status zi_observed(const zi_data *data, double total, const double *p, const double *mu,
                         const double *sigma, double *observed)
{
    assert(data->rows && data->cols && total > 0.0);
    assert(p && mu && sigma && observed);
    enum { CACHE = 1 << 15 }; /* doubles in a block: a quarter of a megabyte */
    const size_t d = data->cols;
    const size_t fitting = CACHE / (2 * d);
    const size_t least = fitting < 256 ? 256 : fitting; /* short blocks would starve the rank update */
    const size_t block_rows = least < data->rows ? least : data->rows;
    double *block;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&block, 5 * d + block_rows * 2 * d));
    double *inverse_sigma = block;
    double *scale = block + d;
    double *mean = block + 3 * d;
    for (size_t j = 0; j < d; j++) { /* 0 where nothing varies */
        const double spread = p[j] * (1.0 - p[j]);
        inverse_sigma[j] = sigma[j] > 0.0 ? 1.0 / sigma[j] : 0.0;
        scale[j] = sigma[j] > 0.0 ? 1.0 / sqrt(p[j]) : 0.0;
        scale[d + j] = spread > 0.0 ? 1.0 / sqrt(spread) : 0.0;
    }
    add_products(data, mu, inverse_sigma, block_rows, block + 5 * d, observed);
    for (size_t j = 0; j < d; j++) {
        mean[j] = observed[j * 2 * d + d + j] / total; /* a value's product with its own indicator */
        mean[d + j] = p[j];
    }
    correlate(2 * d, total, mean, scale, observed);
    zi_free(block);
    return ZILCH_OK;
}
