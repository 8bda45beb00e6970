/* From observed to latent correlations: one table, one row an inverter. */
#ifndef ZI_INVERT_H
#define ZI_INVERT_H

#include "base/status.h"
#include "model/attenuation.h"

/* Fills the 2 dim x 2 dim `latent` from `observed`. Rows of latents that say nothing
 * (zero rows of `observed`) come out as zero rows; so do corr(V_i, M_i). */
typedef zilch_status (*zi_inverter)(size_t dim, const zi_margin *margin, const double *observed,
                                    double *latent);

zilch_status zi_invert(zilch_inverter which, size_t dim, const zi_margin *margin, const double *observed,
                       double *latent);

zilch_status zi_invert_exact(size_t dim, const zi_margin *margin, const double *observed, double *latent);

#endif
