/* What is done with the standard errors of estimated latent correlations: shrinkage, and
 * weights for the projection. */
#ifndef ZI_STANDARD_ERRORS_H
#define ZI_STANDARD_ERRORS_H

#include "base/status.h"
#include "model/attenuation.h"

/* `latent` (2 dim x 2 dim) was estimated from data worth `rows` rows. */
void zi_shrink(zilch_shrinkage how, size_t dim, const zi_margin *margin, double rows, double *latent);

/* weight (2 dim x 2 dim): what one row tells of each entry, 1 / (rows se^2), at most 1. */
void zi_weigh(size_t dim, const zi_margin *margin, double rows, const double *latent, double *weight);

#endif
