/* Drawing from the zero-inflated Gaussian, which refit.c has fitted: some of its points are moved.
 *
 * Bosman, Grahl and Thierens: Enhancing the performance of maximum-likelihood Gaussian EDAs using anticipated
 * mean shift (2008), for the shift. */
#include "search/law.h"

#include "model/model.h"

#include <math.h>

/* Of n rows as many as the share says, evenly spread: whether this is one of them. */
static int is_of_share(double share, size_t row)
{
    return floor(share * (double)(row + 1)) > floor(share * (double)row);
}

static void give_shape(const zi_fitted *f, double *x)
{
    const zilch_model *m = f->model;
    for (size_t i = 0; i < m->dim; i++) {
        x[i] = x[i] != 0.0 ? zi_scores_shape(&f->scores, i, m->mu[i], m->sigma[i], x[i]) : 0.0;
    }
}

static void shift(const zi_fitted *f, double *x)
{
    for (size_t i = 0; i < f->model->dim; i++) {
        x[i] += x[i] != 0.0 ? 2.0 * f->memory.scale * f->step[i] : 0.0;
    }
}

static void make_timid(const zi_fitted *f, double *x)
{
    for (size_t i = 0; i < f->model->dim; i++) {
        x[i] *= fmin(f->memory.scale * f->memory.ratio[i], 1.0);
    }
}

zilch_status zi_draw_zig(const zi_draw *draw)
{
    const zi_fitted *fitted = draw->fitted;
    const zilch_refit *refit = &draw->options->refit;
    const size_t shifted = (size_t)(refit->shift * (double)draw->rows);
    zilch_rng rng = draw->rng;
    ZI_TRY(zilch_model_sample(fitted->model, &rng, draw->rows, draw->genome));
    for (size_t k = 0; k < draw->rows; k++) {
        double *x = draw->genome + k * draw->dim;
        if (fitted->scores.value) {
            give_shape(fitted, x);
        }
        if (k < shifted) {
            shift(fitted, x);
        } else if (is_of_share(refit->timid, k)) {
            make_timid(fitted, x);
        }
    }
    return ZILCH_OK;
}
