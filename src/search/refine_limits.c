/* The refinement's steps within linear limits. The minimum of the quadratic over the limits is found by
 * projected gradients with the step lengths of Barzilai and Borwein (Birgin, Martinez, Raydan: Nonmonotone
 * spectral projected gradient methods on convex sets, 2000), from the step that knows of no limits and from
 * none; which coordinates are active is as there. */
#include "search/refine_model.h"

#include <math.h>
#include <string.h>

enum { GRADIENTS = 40, SHORTER = 8 };

/* A step keeps an equation but for what was rounded off, which would add up from step to step. */
static int has_equation(const zi_limits *l)
{
    size_t r = 0;
    while (r < l->rows && l->lower[r] != l->upper[r]) {
        r++;
    }
    return r < l->rows;
}

int zi_refine_project(zi_refine *r, double *x)
{
    const zi_limits *l = &r->limits->limits;
    for (size_t i = 0; i < r->dim; i++) {
        if (!isfinite(x[i])) {
            return 0;
        }
    }
    const int is_kept = !has_equation(l) && zi_limits_broken(l, x) == l->rows;
    return is_kept || zi_mover_project(&r->mover, r->unit, 0, x);
}

/* A step becomes one to a point within the limits; 0 if there is none. `x` is room for a point. */
static int project_step(zi_refine *r, double *x, double *step)
{
    memcpy(x, r->x, r->dim * sizeof *x);
    zi_refine_move(r, step, x);
    if (!zi_refine_project(r, x)) {
        return 0;
    }
    for (size_t a = 0; a < r->state.working; a++) {
        const size_t i = r->member[a];
        step[a] = (x[i] - r->x[i]) / r->unit[i];
    }
    return 1;
}

/* A bound on how much the gradient changes with a step. */
static double steepest_bend(const zi_refine *r)
{
    double most = 0.0;
    for (size_t a = 0; a < r->state.working; a++) {
        double sum = 0.0;
        for (size_t c = 0; c < r->state.working; c++) {
            sum += fabs(r->h[a * ZI_WORKING_MOST + c]);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* Down the gradient by `length`, within the trust region; a zero stays zero. */
static void go_down(const zi_refine *r, const double *from, const double *slope, double length, double *step)
{
    const double radius = r->state.radius;
    for (size_t a = 0; a < r->state.working; a++) {
        const size_t i = r->member[a];
        const int is_zero = r->x[i] + r->unit[i] * from[a] == 0.0;
        const double there = fmin(fmax(from[a] - length * slope[a], -radius), radius);
        step[a] = is_zero ? from[a] : fabs(from[a]) > radius ? from[a] : there;
    }
}

/* The length that fits how the gradient has changed between two steps; `otherwise` if it has not. */
static double next_length(const zi_refine *r, const double *old, const double *old_slope, const double *step,
                          const double *slope, double otherwise)
{
    double square = 0.0;
    double product = 0.0;
    for (size_t a = 0; a < r->state.working; a++) {
        square += (step[a] - old[a]) * (step[a] - old[a]);
        product += (step[a] - old[a]) * (slope[a] - old_slope[a]);
    }
    return product > 0.0 && isfinite(square / product) ? square / product : otherwise;
}

/* Improves a step that keeps the limits; gives the model's change. */
static double improve(zi_refine *r, double *x, double *step)
{
    const size_t bytes = r->state.working * sizeof *step;
    const double bend = steepest_bend(r);
    double trial[ZI_WORKING_MOST];
    double slope[ZI_WORKING_MOST];
    double trial_slope[ZI_WORKING_MOST];
    double change = zi_refine_change(r, step);
    zi_refine_gradient(r, step, slope);
    double largest = 0.0;
    for (size_t a = 0; a < r->state.working; a++) {
        largest = fmax(largest, fabs(slope[a]));
    }
    const double first = bend > 0.0 ? 1.0 / bend : largest > 0.0 ? r->state.radius / largest : 0.0;
    double length = first;
    for (int round = 0; round < GRADIENTS && length > 0.0; round++) {
        int is_better = 0;
        double now = change;
        for (int k = 0; k < SHORTER && !is_better; k++) {
            go_down(r, step, slope, length, trial);
            is_better = project_step(r, x, trial) && (now = zi_refine_change(r, trial)) < change;
            length *= is_better ? 1.0 : 0.25;
        }
        if (!is_better) {
            break;
        }
        zi_refine_gradient(r, trial, trial_slope);
        length = next_length(r, step, slope, trial, trial_slope, first);
        const int is_little = change - now < 1e-6 * fabs(now);
        memcpy(step, trial, bytes);
        memcpy(slope, trial_slope, bytes);
        change = now;
        if (is_little) {
            break;
        }
    }
    return change;
}

double zi_refine_keep_limits(zi_refine *r, zi_refine_hold hold)
{
    double still[ZI_WORKING_MOST] = {0};
    double *x = r->batch_x + (r->most_batch - 1) * r->dim; /* the batch is still empty */
    double change = INFINITY;
    if (project_step(r, x, r->step)) {
        change = improve(r, x, r->step);
    }
    const double other = hold == ZI_HOLD_NOTHING && change < 0.0 ? INFINITY : improve(r, x, still);
    if (other < change) {
        memcpy(r->step, still, r->state.working * sizeof *still);
    }
    return -fmin(change, other);
}
