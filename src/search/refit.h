/* How the zig law learns from one generation to the next. */
#ifndef ZI_REFIT_H
#define ZI_REFIT_H

#include "search/scores.h"

/* What a law leaves for the next one. One block holds the arrays. */
typedef struct zi_memory {
    double *p, *mu, *sigma; /* dim each, sigma before it was widened; NULL: no law yet */
    double *ratio;          /* dim: how narrow the law has become since the elites gave a coordinate up */
    double *correlation;    /* 2 dim x 2 dim; NULL unless the options ask for it */
    double scale;           /* of sigma, at least 1 */
    double best;            /* cost of the best elite */
} zi_memory;

/* Arrays not initialised. */
zilch_status zi_memory_create(zi_memory *memory, size_t dim, int has_correlation);
void zi_memory_free(zi_memory *memory);

/* What a law is fitted to. */
typedef struct zi_lesson {
    const zilch_optimizer_options *options;
    size_t dim, elites;  /* at least 2 */
    const double *elite; /* elites x dim, best first */
    const double *cost;  /* elites */
    double noise;        /* standard deviation of one evaluation; 0 if it is not known */
    const zi_memory *last;
} zi_lesson;

/* A fitted law: the model, sigma widened, and what else its points are drawn by. */
typedef struct zi_fitted {
    zilch_model *model; /* NULL: none */
    zi_memory memory;
    double *step; /* dim: what mu has moved by */
    zi_scores scores;
} zi_fitted;

/* Whatever it returns, zi_fitted_free(). */
zilch_status zi_refit(zi_fitted *out, const zi_lesson *lesson);
void zi_fitted_free(zi_fitted *fitted);

#endif
