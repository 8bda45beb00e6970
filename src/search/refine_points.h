/* Points that were evaluated, with their values, the newest ones only. A point is kept as what it differs in
 * from one point, the base, and by its number in the archive, which is what a file keeps of it. */
#ifndef ZI_REFINE_POINTS_H
#define ZI_REFINE_POINTS_H

#include "search/sparse_rows.h"

enum { ZI_POINTS_MOST = 1500 };

typedef struct zi_points {
    size_t dim, capacity; /* capacity: entries of all points together */
    size_t first, count;  /* rows first, first + 1, ... modulo ZI_POINTS_MOST; the newest is the last */
    size_t used, head;    /* entries of the points that there are; where the next one goes */
    size_t *begin, *length;
    size_t *number; /* in the archive */
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
void zi_points_add(zi_points *points, const double *x, size_t number, double value, double violation);

/* From a file: a feasible point whose coordinates are not known before zi_points_fill(), which takes those of
 * all points from the archive. EFORMAT if one is not there; then, and without memory, none is known. */
void zi_points_expect(zi_points *points, size_t number, double value);
zilch_status zi_points_fill(zi_points *points, const zi_rows *archive);

/* The row that is number `age` from the newest, which is 0. */
static inline size_t zi_points_row(const zi_points *points, size_t age)
{
    return (points->first + points->count - 1 - age) % ZI_POINTS_MOST;
}

#endif
