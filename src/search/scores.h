/* Marginals of the elites' own shape: the Gaussian copula's other half. */
#ifndef ZI_SCORES_H
#define ZI_SCORES_H

#include "base/status.h"

/* For each coordinate its different active values, ascending, and the normal scores of their ranks. One block
 * holds the arrays. */
typedef struct zi_scores {
    size_t rows, dim;
    double *value, *score; /* dim x rows; NULL: values are normal */
    double *spread;        /* dim: the values' standard deviation */
    size_t *count;         /* dim: how many; 0: too few, this coordinate is normal */
} zi_scores;

/* From rows x dim points with weights; `scored` (rows x dim) gets the points with scores in the place of
 * values, moved away from 0. Whatever it returns, zi_scores_free(). */
zilch_status zi_scores_create(zi_scores *out, size_t rows, size_t dim, const double *x, const double *weight,
                              double *scored);
void zi_scores_free(zi_scores *scores);

/* What a normal law gave for a coordinate, (x - mu) / sigma its score, in the shape of the values. */
double zi_scores_shape(const zi_scores *scores, size_t coordinate, double mu, double sigma, double x);

#endif
