/* How the zero-inflated Gaussian learns from one generation to the next. */
#ifndef ZI_REFIT_H
#define ZI_REFIT_H

#include "search/allowed.h"
#include "search/first_law.h"

/* What a fitted law leaves for the next one. One block holds the arrays. */
typedef struct zi_law_state {
    double *p, *mu, *sigma; /* dim each, sigma without the scale; NULL: there is no law yet */
    double *ratio;          /* dim: how narrow the law has become since the elites dropped a coordinate */
    double scale;           /* of sigma, at least 1 */
    double best;            /* cost of the best elite */
} zi_law_state;

/* The arrays are not initialised. */
zilch_status zi_law_state_create(zi_law_state *state, size_t dim);
void zi_law_state_free(zi_law_state *state);

/* What a law is fitted to. */
typedef struct zi_refit_input {
    const zilch_optimizer_options *options;
    size_t dim, elites;  /* at least 2 */
    const double *elite; /* elites x dim, best first */
    const double *cost;  /* elites */
    double noise;        /* standard deviation of one evaluation; 0 if it is not known */
    const zi_law_state *last;
    const zi_first *first;     /* for the first law, which has no last one */
    const zi_allowed *allowed; /* values that coordinates may have; NULL: any */
} zi_refit_input;

/* A fitted law: the model, with scaled sigma, and what else its points are drawn by. */
typedef struct zi_fitted {
    zilch_model *model; /* NULL: none */
    zi_law_state state;
    double *step; /* dim: what mu has moved by */
} zi_fitted;

/* Whatever it returns, zi_fitted_free(). */
zilch_status zi_refit(zi_fitted *out, const zi_refit_input *input);
void zi_fitted_free(zi_fitted *fitted);

#endif
