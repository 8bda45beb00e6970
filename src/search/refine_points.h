/* Points that were evaluated, with their values, the newest ones only. A point is kept as what it differs in
 * from one point, the base. */
#ifndef ZI_REFINE_POINTS_H
#define ZI_REFINE_POINTS_H

#include "base/status.h"

enum { ZI_POINTS_MOST = 1500 };

typedef struct zi_points {
    size_t dim, capacity; /* capacity: entries of all points together */
    size_t first, count;  /* rows first, first + 1, ... modulo ZI_POINTS_MOST; the newest is the last */
    size_t used, head;    /* entries of the points that there are; where the next one goes */
    size_t *begin, *length;
    double *value, *violation;
    uint32_t *coordinate;
    double *entry; /* the point's value in that coordinate */
    double *base;  /* dim */
} zi_points;

/* Whatever it returns, zi_points_free(). */
zilch_status zi_points_create(zi_points *points, size_t dim);
void zi_points_free(zi_points *points);

/* Forgets all; from now on points are kept as differences from this one. */
void zi_points_begin(zi_points *points, const double *base);

/* Forgets as many of the oldest as is needed. */
void zi_points_add(zi_points *points, const double *x, double value, double violation);

/* The same for a feasible point that differs in `length` coordinates, which the caller fills in, ascending.
 */
uint32_t *zi_points_append(zi_points *points, size_t length, double value, double **entry);

/* The row that is number `age` from the newest, which is 0. */
static inline size_t zi_points_row(const zi_points *points, size_t age)
{
    return (points->first + points->count - 1 - age) % ZI_POINTS_MOST;
}

#endif
