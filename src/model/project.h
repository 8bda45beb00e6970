/* From an estimated matrix to a latent correlation matrix. */
#ifndef ZI_PROJECT_H
#define ZI_PROJECT_H

#include "base/status.h"

typedef struct zi_projected {
    double projection_distance; /* Frobenius distance between the matrix given and the one made */
    double identity_weight;     /* share of the identity mixed in at the end */
} zi_projected;

/* `sigma` (2 dim x 2 dim, symmetric, unit diagonal) becomes a positive definite correlation
 * matrix, `factor` its lower Cholesky factor, which is the proof. `weight` (2 dim x 2 dim, in [0, 1]) is used
 * by `weighted` alone. Rows that are zero but for the diagonal stay so; corr(V_i, M_i) = 0 is kept by all but
 * clip. */
zilch_status zi_project(zilch_projection how, size_t dim, const double *weight, double *sigma, double *factor,
                        zi_projected *report);

/* The lower Cholesky factor of a correlation matrix that is positive semidefinite to
 * rounding: an identity weight of up to 1e-8 is allowed. */
zilch_status zi_correlation_factor(size_t n, const double *sigma, double *factor);

#endif
