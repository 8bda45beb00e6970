/* Rosenbrock's function of the first K of d coordinates, chained, and the squares of the others:
 *
 *     f(x) = sum_{i<K-1} [ 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2 ] + sum_{i>=K} x_i^2    (i from 0),
 *
 * with its minimum 0 where the first K are 1 and the others 0 (Rosenbrock, 1960: K = 2). A narrow, bent
 * valley leads there. From K = 4 on it has a second minimum, near x_0 = -1 (Shang and Qiu, 2006). */
#include "problem/problem.h"

typedef struct rosenbrock {
    size_t dim, active;
} rosenbrock;

static zilch_status open_rosenbrock(zilch_problem *problem)
{
    rosenbrock *r = problem->state;
    ZI_TRY(zi_active_settle(problem->info.name, r->dim, r->dim < 2 ? r->dim : 2, &r->active));
    problem->info.dim = r->dim;
    return ZILCH_OK;
}

static double chain_sum(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i + 1 < n; i++) {
        const double off = x[i + 1] - x[i] * x[i];
        const double left = 1.0 - x[i];
        sum += 100.0 * (off * off) + left * left;
    }
    return sum;
}

static double idle_sum(const rosenbrock *r, const double *x)
{
    double sum = 0.0;
    for (size_t i = r->active; i < r->dim; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

static zilch_status evaluate_rosenbrock(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const rosenbrock *r = problem->state;
    for (size_t k = 0; k < batch->n; k++) {
        const double *x = batch->x + k * r->dim;
        value[k] = chain_sum(r->active, x) + idle_sum(r, x);
    }
    return ZILCH_OK;
}

static double support_rosenbrock(const zilch_problem *problem, const double *x)
{
    const rosenbrock *r = problem->state;
    return zi_first_active_share(r->dim, r->active, x);
}

static const zi_setting settings[] = {
    {ZI_SETTING(rosenbrock, dim, COUNT, 100, 1, 1e7)},
    {ZI_SETTING(rosenbrock, active, COUNT, 0, 0, 1e7)},
};

const zi_family zi_rosenbrock_family = {.state_bytes = sizeof(rosenbrock),
                                        .settings = {sizeof settings / sizeof *settings, settings},
                                        .open = open_rosenbrock,
                                        .evaluate = evaluate_rosenbrock,
                                        .support = support_rosenbrock};
