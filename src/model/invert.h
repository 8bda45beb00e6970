/* From observed to latent correlations: one table, one row an inverter. */
#ifndef ZI_INVERT_H
#define ZI_INVERT_H

#include "base/status.h"
#include "model/attenuation.h"

/* What an inverter is given: a margin for each of dim coordinates, the 2 dim x 2 dim observed
 * correlations, and networks, which the exact one does not look at. */
typedef struct zi_inversion {
    size_t dim;
    const zi_margin *margin;
    const double *observed;
    const zilch_networks *networks; /* NULL: the library's own */
    int is_tempered; /* the shrinkage to come tempers masks at their bounds (zi_fisher_information) */
} zi_inversion;

/* Fills the 2 dim x 2 dim `latent`. Rows of latents that say nothing (zero rows of `observed`)
 * come out as zero rows; so do corr(V_i, M_i). */
typedef zilch_status (*zi_inverter)(const zi_inversion *in, double *latent);

zilch_status zi_invert_exact(const zi_inversion *in, double *latent);
zilch_status zi_invert_amortised(const zi_inversion *in, double *latent);

zilch_status zi_invert(zilch_inverter which, const zi_inversion *in, double *latent);

#endif
