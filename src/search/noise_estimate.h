/* How noisy the values are: measured from evaluations that come again, or told. */
#ifndef ZI_NOISE_ESTIMATE_H
#define ZI_NOISE_ESTIMATE_H

#include "search/archive.h"

typedef struct zi_noise {
    double squares, count; /* of repeated evaluations, older generations counting less */
    double unit;           /* the first standard error told, which weight 1 stands for; 0: none was */
} zi_noise;

/* Of an evaluation: 1 / error^2 in units of the first error told; 1 if it is not known. */
double zi_noise_weigh(zi_noise *noise, double error);

/* An evaluation, before the archive takes it. */
void zi_noise_watch(zi_noise *noise, const zi_archive_entry *before, double value, double weight);
void zi_noise_age(zi_noise *noise); /* a generation is over */

/* Of an evaluation of weight 1; NaN: not known. */
double zi_noise_deviation(const zi_noise *noise);

/* Whether points have been evaluated again, and each gave the value that it had before. */
int zi_noise_is_absent(const zi_noise *noise);

#endif
