/* The sphere around a sparse point: sum of (x_i - 1)^2 over the first `active` coordinates and of x_i^2 over
 * the others. With noise, a normal number is added to each evaluation, the first of the stream that its id
 * chooses: the same whoever evaluates the point, and another one when it is evaluated again. */
#include "problem/problem.h"

typedef struct sphere {
    size_t dim, active;
    double noise;
} sphere;

static zilch_status open_sphere(zilch_problem *problem)
{
    const sphere *s = problem->state;
    if (s->active > s->dim) {
        return zi_fail(ZILCH_EARG, "sphere: active (%zu) must not be more than dim (%zu)", s->active, s->dim);
    }
    problem->info.dim = s->dim;
    problem->info.is_noisy = s->noise > 0.0;
    return ZILCH_OK;
}

static zilch_status evaluate_sphere(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const sphere *s = problem->state;
    for (size_t k = 0; k < batch->n; k++) {
        const double *x = batch->x + k * s->dim;
        value[k] = 0.0;
        for (size_t i = 0; i < s->dim; i++) {
            const double v = i < s->active ? x[i] - 1.0 : x[i];
            value[k] += v * v;
        }
        if (s->noise > 0.0) {
            zilch_rng rng = zi_problem_rng(problem, batch->id[k]);
            value[k] += s->noise * zilch_rng_normal(&rng);
        }
    }
    return ZILCH_OK;
}

static double support_sphere(const zilch_problem *problem, const double *x)
{
    const sphere *s = problem->state;
    return zi_first_active_share(s->dim, s->active, x);
}

static const zi_setting settings[] = {
    {ZI_SETTING(sphere, dim, COUNT, 100, 1, 1e7)},
    {ZI_SETTING(sphere, active, COUNT, 10, 0, 1e7)},
    {ZI_SETTING(sphere, noise, REAL, 0, 0, 1e6)},
};

const zi_family zi_sphere_family = {.state_bytes = sizeof(sphere),
                                    .settings = {sizeof settings / sizeof *settings, settings},
                                    .open = open_sphere,
                                    .evaluate = evaluate_sphere,
                                    .support = support_sphere};
