/* The trend of noisy values: what each coordinate adds on its own, by least squares. Where values are noisy,
 * a single one says little about a point, and those of all others say more. */
#ifndef ZI_TREND_H
#define ZI_TREND_H

#include "search/archive.h"
#include "search/noise_estimate.h"

typedef struct zi_trend {
    size_t dim;
    size_t terms;    /* 3 for each coordinate in it, and 1; 0: there is no trend */
    uint32_t *place; /* of a coordinate in it, + 1; 0: it is not */
    double *centre;  /* mean of its active values, */
    double *unit;    /* and their standard deviation */
    double *weight;  /* terms: the constant; for each coordinate being active, z, and its square */
    double lack;     /* standard deviation of values about it, without their noise */
} zi_trend;

void zi_trend_free(zi_trend *trend);

/* Fits it to at most so many points of the archive, whose values have this noise, and estimates all of them
 * by it. Where values have no trend, estimates are values. On failure nothing has changed. */
zilch_status zi_trend_fit(zi_trend *trend, zi_archive *archive, size_t dim, size_t most,
                          const zi_noise *noise);

double zi_trend_at(const zi_trend *trend, const double *x);

/* What is known from a mean with this standard error and from the trend, and how well. */
double zi_trend_estimate(const zi_trend *trend, double expected, double mean, double error);
double zi_trend_error(const zi_trend *trend, double error);

/* The point that the trend expects most of, within bounds and not far from what was evaluated. */
void zi_trend_minimise(const zi_trend *trend, const zi_archive *archive, const double *lower,
                       const double *upper, double *x);

#endif
