/* Linear programs with few rows and many columns: lower <= x <= upper, row_lower <= A x <= row_upper, least
 * cost. */
#ifndef ZI_SIMPLEX_H
#define ZI_SIMPLEX_H

#include "base/status.h"

/* Column j of A: entries first[j] .. first[j + 1] - 1. They belong to the caller, who may change weights
 * between two solutions. */
typedef struct zi_columns {
    size_t rows, columns;
    const size_t *first, *row;
    const double *weight;
} zi_columns;

typedef enum zi_simplex_end {
    ZI_SIMPLEX_OPTIMAL,    /* x has the least cost */
    ZI_SIMPLEX_INFEASIBLE, /* no x keeps the bounds; dual says which rows are the reason */
    ZI_SIMPLEX_UNBOUNDED,  /* costs have no least; x is feasible, and one step on the way */
    ZI_SIMPLEX_STUCK       /* numbers too bad, or too many steps */
} zi_simplex_end;

typedef struct zi_simplex {
    zi_columns a;
    double *lower, *upper; /* columns, then rows: to be set before solving */
    double *x;             /* columns, then the sums of rows */
    double *dual;          /* rows */
    uint64_t steps;        /* of all solutions */

    unsigned char *status; /* inside: where a variable is */
    size_t *basis;         /* rows */
    double *inverse;       /* rows x rows */
    double *work;          /* 3 rows and rows x rows */
} zi_simplex;

/* Whatever it returns, zi_simplex_free(). The first solution starts from the rows alone, a later one from
 * where the last one ended. */
zilch_status zi_simplex_create(zi_simplex *out, zi_columns a);
void zi_simplex_free(zi_simplex *simplex);

/* The next solution starts from the rows alone again. */
void zi_simplex_reset(zi_simplex *simplex);

/* `cost` (columns), or NULL where any feasible x will do. */
zi_simplex_end zi_simplex_solve(zi_simplex *simplex, const double *cost);

#endif
