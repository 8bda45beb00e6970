/* What the values of a coordinate are drawn from before anything is known of it. */
#ifndef ZI_FIRST_LAW_H
#define ZI_FIRST_LAW_H

#include "base/status.h"

/* Normal distributions, one for each coordinate. */
typedef struct zi_first {
    double *mu, *sigma; /* dim each, in one piece of memory that begins at mu */
} zi_first;

/* EARG says which entry of x0 or scale is wrong. The bounds must be right already. */
zilch_status zi_first_law_check(const zilch_optimizer_options *options, size_t dim);

/* What was checked gives finite numbers; mu is within the bounds, sigma is not negative. */
void zi_first_law(const zilch_optimizer_options *options, size_t dim, double *mu, double *sigma);

/* The same with its memory. */
zilch_status zi_first_create(zi_first *out, size_t dim, const zilch_optimizer_options *options);
void zi_first_free(zi_first *first);

#endif
