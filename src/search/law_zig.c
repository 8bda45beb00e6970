/* Drawing from the zero-inflated Gaussian, which refit.c has fitted: some of its points are moved.
 *
 * Bosman, Grahl and Thierens: Enhancing the performance of maximum-likelihood Gaussian EDAs using anticipated
 * mean shift (2008), for the mean shift; Muehlenbein and Voigt: Gene pool recombination in genetic algorithms
 * (1996), for recombination; Grefenstette: Genetic algorithms for changing environments (1992), for
 * immigrants. */
#include "search/law.h"

#include "model/model.h"

#include <math.h>

/* Of n rows as many as the share says, evenly spread: whether this is one of them. */
static int is_of_share(double share, size_t row)
{
    return floor(share * (double)(row + 1)) > floor(share * (double)row);
}

static void shift(const zi_fitted *f, double *x)
{
    for (size_t i = 0; i < f->model->dim; i++) {
        x[i] += x[i] != 0.0 ? 2.0 * f->state.scale * f->step[i] : 0.0;
    }
}

static void shrink_dropped(const zi_fitted *f, double *x)
{
    for (size_t i = 0; i < f->model->dim; i++) {
        x[i] *= fmin(f->state.scale * f->state.ratio[i], 1.0);
    }
}

/* The value of an elite, any of those that have the coordinate active; 0 if none has. */
static double copy(const zi_draw *draw, zilch_rng *rng, size_t i)
{
    const size_t first = (size_t)(zilch_rng_uniform(rng) * (double)draw->elites);
    for (size_t k = 0; k < draw->elites; k++) {
        const double x = draw->elite[(first + k) % draw->elites * draw->dim + i];
        if (x != 0.0) {
            return x;
        }
    }
    return 0.0;
}

static void recombine(const zi_draw *draw, zilch_rng *rng, double *x)
{
    for (size_t i = 0; i < draw->dim; i++) {
        const double value = x[i] != 0.0 ? copy(draw, rng, i) : 0.0;
        x[i] = value != 0.0 ? value : x[i];
    }
}

static void add_immigrant(const zi_draw *draw, zilch_rng *rng, double *x)
{
    const double z = zilch_rng_normal(rng);
    double left = floor(zilch_rng_uniform(rng) * (double)zi_law_active(draw->options->method, draw->dim, x));
    for (size_t i = 0; i < draw->dim; i++) {
        if (x[i] != 0.0 && left-- == 0.0) {
            x[i] = draw->first->mu[i] + draw->first->sigma[i] * z;
            return;
        }
    }
}

zilch_status zi_draw_zig(const zi_draw *draw)
{
    const zi_fitted *fitted = draw->fitted;
    const zilch_optimizer_options *o = draw->options;
    const double rows = (double)draw->rows;
    const size_t shifted = (size_t)(o->mean_shift * rows);
    const size_t recombined = shifted + (size_t)(o->recombination * rows);
    const size_t renewed = recombined + (size_t)(o->immigrants * rows);
    zilch_rng rng = draw->rng;
    ZI_TRY(zilch_model_sample(fitted->model, &rng, draw->rows, draw->genome));
    for (size_t k = 0; k < draw->rows; k++) {
        double *x = draw->genome + k * draw->dim;
        if (k < shifted) {
            shift(fitted, x);
        } else if (k < recombined) {
            recombine(draw, &rng, x);
        } else if (k < renewed) {
            add_immigrant(draw, &rng, x);
        } else if (is_of_share(o->reactivation, k)) {
            shrink_dropped(fitted, x);
        }
    }
    return ZILCH_OK;
}
