/* Latent correlations of a few common factors, fitted without a matrix of latents. */
#ifndef ZI_FACTORS_H
#define ZI_FACTORS_H

#include "model/moments.h"

/* No latent is explained by the factors but for this share of its variance at least. */
#define ZI_LEAST_OWN 1e-5

typedef struct zi_factors_request {
    const zi_data *data;
    double total, worth;          /* of its weights (zi_data_check) */
    const double *p, *mu, *sigma; /* its marginals */
    zilch_shrinkage shrinkage;    /* none: factors as they are seen; else without what noise alone gives */
    size_t most;                  /* factors */
} zi_factors_request;

/* Fills the first *rank rows of loading (most x 2 cols); the values of a coordinate and its own mask have
 * nothing in common, and the squares of a latent add up to at most 1 - ZI_LEAST_OWN. */
zilch_status zi_factors_fit(const zi_factors_request *request, double *loading, size_t *rank);

#endif
