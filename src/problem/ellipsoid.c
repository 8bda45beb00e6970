/* The rotated sparse ellipsoid. The first K of the d coordinates in [-1, 2] are active at pi/3, a tenth of
 * them unless said otherwise; with Q a random rotation of them and y = Q (x - pi/3),
 *
 *     f(x) = (1/d) [ sum_{a<K} 1000^(a/(K-1)) y_a^2 + sum_{i>=K} (x_i^2 + 0.1 [x_i != 0]) ].
 *
 * Q comes from the seed: normal numbers, their rows made orthogonal by Gram's and Schmidt's method, done
 * twice so that rounding does not show (Giraud, Langou and Rozloznik, 2005). With normal numbers every
 * rotation is as likely as every other. */
#include "base/memory.h"
#include "problem/columns.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#define THIRD_OF_PI 1.0471975511965976

typedef struct ellipsoid {
    size_t dim;
    size_t active;  /* K */
    double *column; /* K x K: Q's columns, one after the other, so that products vectorise over the rows */
    double *weight; /* K, behind it */
} ellipsoid;

/* ---- The rotation ---------------------------------------------------------------------------- */

/* Takes out of row k what lies along those before it, and gives it length 1. */
static void row_orthogonalise(size_t n, size_t k, double *q)
{
    double *row = q + k * n;
    for (size_t j = 0; j < k; j++) {
        zi_column_add(n, -zi_column_product(n, row, q + j * n), q + j * n, row);
    }
    const double length = sqrt(zi_column_product(n, row, row));
    for (size_t i = 0; i < n; i++) {
        row[i] /= length;
    }
}

/* Rows or columns, either is a rotation. */
static void rotation_fill(size_t n, zilch_rng rng, double *q)
{
    zilch_rng_normals(&rng, n * n, q);
    for (size_t k = 0; k < n; k++) {
        row_orthogonalise(n, k, q);
        row_orthogonalise(n, k, q);
    }
}

/* ---- The family ------------------------------------------------------------------------------ */

static zilch_status open_ellipsoid(zilch_problem *problem)
{
    ellipsoid *e = problem->state;
    ZI_TRY(zi_active_settle(problem->info.name, e->dim, 1, &e->active));
    const size_t n = e->active;
    ZI_TRY(zi_alloc(&e->column, n * n + n));
    e->weight = e->column + n * n;
    rotation_fill(n, zi_problem_rng(problem, 0), e->column);
    for (size_t a = 0; a < n; a++) {
        e->weight[a] = n > 1 ? pow(1000.0, (double)a / (double)(n - 1)) : 1.0;
    }
    problem->info.dim = e->dim;
    problem->info.lower = -1.0;
    problem->info.upper = 2.0;
    return ZILCH_OK;
}

static void close_ellipsoid(zilch_problem *problem)
{
    const ellipsoid *e = problem->state;
    zi_free(e->column);
}

static double active_sum(const ellipsoid *e, const double *x, double *y)
{
    double sum = 0.0;
    memset(y, 0, e->active * sizeof *y);
    for (size_t j = 0; j < e->active; j++) {
        zi_column_add(e->active, x[j] - THIRD_OF_PI, e->column + j * e->active, y);
    }
    for (size_t a = 0; a < e->active; a++) {
        sum += e->weight[a] * (y[a] * y[a]);
    }
    return sum;
}

static double idle_sum(const ellipsoid *e, const double *x)
{
    double sum = 0.0;
    for (size_t i = e->active; i < e->dim; i++) {
        sum += x[i] * x[i] + (x[i] != 0.0 ? 0.1 : 0.0);
    }
    return sum;
}

static zilch_status evaluate_ellipsoid(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const ellipsoid *e = problem->state;
    double *y;
    ZI_TRY(zi_alloc(&y, e->active));
    for (size_t k = 0; k < batch->n; k++) {
        const double *x = batch->x + k * e->dim;
        value[k] = (active_sum(e, x, y) + idle_sum(e, x)) / (double)e->dim;
    }
    zi_free(y);
    return ZILCH_OK;
}

static double support_ellipsoid(const zilch_problem *problem, const double *x)
{
    const ellipsoid *e = problem->state;
    return zi_first_active_share(e->dim, e->active, x);
}

/* At most a rotation of 1,000 coordinates, which takes a second. */
static const zi_setting settings[] = {
    {ZI_SETTING(ellipsoid, dim, COUNT, 100, 1, 10000)},
    {ZI_SETTING(ellipsoid, active, COUNT, 0, 0, 1000)},
};

const zi_family zi_ellipsoid_family = {.state_bytes = sizeof(ellipsoid),
                                       .settings = {sizeof settings / sizeof *settings, settings},
                                       .open = open_ellipsoid,
                                       .evaluate = evaluate_ellipsoid,
                                       .support = support_ellipsoid,
                                       .close = close_ellipsoid};
