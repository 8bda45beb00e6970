/* What a fit sees of its data: marginals, and Pearson correlations of the standardised
 * values and the activity indicators. */
#ifndef ZI_MOMENTS_H
#define ZI_MOMENTS_H

#include "base/status.h"

typedef struct zi_data {
    size_t rows, cols;
    const double *x;
    const double *weights; /* NULL: all 1 */
} zi_data;

/* Checks that everything is finite and that two rows weigh something; gives the sum of
 * the weights and what the rows are worth, (sum w)^2 / sum w^2. */
zilch_status zi_data_check(const zi_data *data, double *total, double *worth);

/* Activation share, mean and standard deviation of the nonzeros, for each column. sigma
 * is 0 where all nonzeros are equal; mu and sigma are 0 where there are none. */
zilch_status zi_marginals(const zi_data *data, double total, double *p, double *mu, double *sigma);

/* The 2 cols x 2 cols matrix P of MATH: values first, then indicators. Rows that say
 * nothing (values of sigma = 0, indicators of p = 0 or 1) are zero but for the diagonal. */
zilch_status zi_observed(const zi_data *data, double total, const double *p, const double *mu,
                         const double *sigma, double *observed);

#endif
