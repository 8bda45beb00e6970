/* Moves the values of a point's active coordinates until linear limits hold; which coordinates are active is
 * given. */
#ifndef ZI_LIMIT_VALUES_H
#define ZI_LIMIT_VALUES_H

#include "search/limits.h"

typedef struct zi_mover {
    const zi_limits *limits;
    size_t dim;
    const double *lower, *upper; /* by coordinate */
    const unsigned char *stays;  /* by coordinate: where it is active, it must not become 0 */

    size_t count; /* active coordinates, and their numbers */
    size_t *list;
    double *numbers;                 /* one block: y to whole */
    double *y, *x, *low, *high, *w;  /* by active coordinate: wanted, found, bounds, squared units */
    double *even, *whole;            /* the nearest point of the equations alone; room for a point */
    double *multiplier, *next, *sum; /* by row */
    double *size, *residual, *step, *kept;
    double *matrix; /* rows x rows */
} zi_mover;

/* What it is given must live as long. Whatever it returns, zi_mover_free(). */
zilch_status zi_mover_create(zi_mover *out, const zi_limits *limits, size_t dim, const double *lower,
                             const double *upper, const unsigned char *stays);
void zi_mover_free(zi_mover *mover);

/* Into the inside: points do not heap up where limits end. `sigma` (dim) are the units of values; with
 * `all_stay` no coordinate becomes 0. Gives 0, and x is as it was, if it does not work. */
int zi_mover_move(zi_mover *mover, const double *sigma, int all_stay, double *x);

/* To the nearest point. */
int zi_mover_project(zi_mover *mover, const double *sigma, int all_stay, double *x);

/* The same where every coordinate may be active, and anything between 0 and its bounds, but those where
 * `off`. */
int zi_mover_relax(zi_mover *mover, const double *sigma, const unsigned char *off, double *x);

#endif
