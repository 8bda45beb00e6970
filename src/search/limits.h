/* Linear limits: rows lower <= sum of weight * x <= upper, by row and by coordinate. */
#ifndef ZI_LIMITS_H
#define ZI_LIMITS_H

#include "base/status.h"

typedef struct zi_limits {
    size_t rows;
    double *lower, *upper;      /* rows each, in one piece of memory that begins at lower */
    double *scale;              /* in the same memory: of the default point's terms and ends; else 0 */
    size_t *first, *coordinate; /* row r: entries first[r] .. first[r + 1] - 1 */
    double *weight;             /* none is 0 */
    size_t *column, *row;       /* coordinate i: entries column[i] .. column[i + 1] - 1 of `row` and `by` */
    double *by;
} zi_limits;

/* EARG says which limit is malformed. With defaults (`origin`, dim, or NULL) the ends are those of sums of
 * offsets. Whatever it returns, zi_limits_free(). */
zilch_status zi_limits_create(zi_limits *limits, size_t dim, size_t count, const zilch_linear_limit *limit,
                              const double *origin);
void zi_limits_free(zi_limits *limits);

/* A row's sum, and the sum of its terms' sizes, without loss. */
double zi_limits_sum(const zi_limits *limits, size_t row, const double *x, double *size);

/* The first row that a point breaks, by more than 1e-12 of its size, or of the default point's; `rows` if
 * there is none. */
size_t zi_limits_broken(const zi_limits *limits, const double *x);

/* A sum with what was rounded off (Neumaier 1974). */
typedef struct zi_sum {
    double value, rest;
} zi_sum;
void zi_sum_add(zi_sum *sum, double term);

/* How far a sum may be out. */
double zi_limits_slack(double size, double end);

#endif
