/* Normal scores. The values of a coordinate, in order, stand for the quantiles (W_before + w / 2) / W of a
 * normal number, W sums of weights; equal values share one. Between them the way back is linear, beyond the
 * first and the last it goes on with the slope of a normal law. */
#include "search/scores.h"

#include "base/memory.h"
#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 3 }; /* different values that have a shape */

static const double far_from_zero = 16.0; /* no score is as large */

typedef struct weighted {
    double value, weight;
} weighted;

static int ascending(const void *a, const void *b)
{
    const double x = ((const weighted *)a)->value;
    const double y = ((const weighted *)b)->value;
    return (x > y) - (x < y);
}

static double spread_of(size_t n, const weighted *v, double total)
{
    double mean = 0.0;
    double square = 0.0;
    for (size_t k = 0; k < n; k++) {
        mean += v[k].weight * v[k].value / total;
    }
    for (size_t k = 0; k < n; k++) {
        square += v[k].weight * (v[k].value - mean) * (v[k].value - mean) / total;
    }
    return sqrt(square);
}

/* Different values and their scores from n sorted ones; gives how many. */
static size_t rank(size_t n, const weighted *v, double total, double *value, double *score)
{
    size_t count = 0;
    double before = 0.0;
    for (size_t k = 0; k < n;) {
        double same = 0.0;
        const double here = v[k].value;
        for (; k < n && v[k].value == here; k++) {
            same += v[k].weight;
        }
        value[count] = here;
        score[count++] = zi_normal_quantile((before + 0.5 * same) / total);
        before += same;
    }
    return count;
}

/* The last of the ascending numbers, but not of all the last, that is not above x, which is not below the
 * first. */
static size_t place_of(size_t count, const double *ascending_numbers, double x)
{
    size_t low = 0;
    size_t high = count - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (ascending_numbers[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void score_column(const zi_scores *s, size_t i, double *scored)
{
    const size_t count = s->count[i];
    const double *value = s->value + i * s->rows;
    for (size_t k = 0; k < s->rows; k++) {
        double *x = &scored[k * s->dim + i];
        if (*x != 0.0) {
            const size_t at = place_of(count, value, *x);
            const double *score = s->score + i * s->rows + at;
            *x = far_from_zero + (*x == value[at] ? score[0] : score[1]);
        }
    }
}

static void column_create(zi_scores *s, size_t i, const double *x, const double *weight, weighted *v,
                          double *scored)
{
    size_t n = 0;
    double total = 0.0;
    for (size_t k = 0; k < s->rows; k++) {
        if (x[k * s->dim + i] != 0.0 && weight[k] > 0.0) {
            v[n++] = (weighted){x[k * s->dim + i], weight[k]};
            total += weight[k];
        }
    }
    qsort(v, n, sizeof *v, ascending);
    const size_t count = rank(n, v, total, s->value + i * s->rows, s->score + i * s->rows);
    s->count[i] = count >= LEAST ? count : 0;
    if (s->count[i]) {
        s->spread[i] = spread_of(n, v, total);
        score_column(s, i, scored);
    }
}

zilch_status zi_scores_create(zi_scores *out, size_t rows, size_t dim, const double *x, const double *weight,
                              double *scored)
{
    weighted *v;
    *out = (zi_scores){.rows = rows, .dim = dim};
    ZI_TRY(zi_alloc(&out->value, (2 * rows + 1) * dim));
    out->score = out->value + rows * dim;
    out->spread = out->score + rows * dim;
    ZI_TRY(zi_alloc(&out->count, dim));
    ZI_TRY(zi_alloc(&v, rows));
    memcpy(scored, x, rows * dim * sizeof *x);
    for (size_t i = 0; i < dim; i++) {
        column_create(out, i, x, weight, v, scored);
    }
    zi_free(v);
    return ZILCH_OK;
}

void zi_scores_free(zi_scores *scores)
{
    zi_free(scores->value);
    zi_free(scores->count);
    *scores = (zi_scores){0};
}

static double value_at(size_t count, const double *value, const double *score, double spread, double z)
{
    if (z <= score[0]) {
        return value[0] + spread * (z - score[0]);
    }
    if (z >= score[count - 1]) {
        return value[count - 1] + spread * (z - score[count - 1]);
    }
    const size_t at = place_of(count, score, z);
    const double part = (z - score[at]) / (score[at + 1] - score[at]);
    return value[at] + part * (value[at + 1] - value[at]);
}

/* The law may be wider than the values by now: their shape is stretched around mu. */
double zi_scores_shape(const zi_scores *scores, size_t coordinate, double mu, double sigma, double x)
{
    if (!scores->value || scores->count[coordinate] == 0 || !(sigma > 0.0) ||
        !(scores->spread[coordinate] > 0.0)) { /* which may be too small for a number */
        return x;
    }
    const double *value = scores->value + coordinate * scores->rows;
    const double *score = scores->score + coordinate * scores->rows;
    const double spread = scores->spread[coordinate];
    const double shaped = value_at(scores->count[coordinate], value, score, spread, (x - mu) / sigma);
    return mu + (shaped - mu) * (sigma / spread);
}
