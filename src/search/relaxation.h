/* The linear program of a node of branch and bound (feasibility.c): units that are on, off or not decided,
 * and ranges of values. */
#ifndef ZI_RELAXATION_H
#define ZI_RELAXATION_H

#include "math/simplex.h"
#include "search/constraints.h"

enum { ZI_UNDECIDED, ZI_ON, ZI_OFF };

typedef struct zi_relaxation {
    const zi_constraints *c;
    zi_simplex program;
    size_t *first, *row; /* of two columns a coordinate */
    double *weight;
    double *row_scale;  /* by row of the program: limits, most, least */
    double *cost;       /* by column */
    double *numbers;    /* one block: scale to quantum */
    double *scale;      /* by coordinate, as those that follow */
    double *low, *high; /* the range of a value that is active */
    double *x;
    double *quantum;         /* values are multiples of it; 0: of nothing */
    unsigned char *decision; /* by unit */
    double *favour;          /* by column: what a point shall have little of */
    int is_favouring;        /* whether that counts */
    int is_unsure;           /* once at least, a program that was not solved may have had a point */
} zi_relaxation;

/* `constraints` must live as long. Whatever it returns, zi_relaxation_free(). */
zilch_status zi_relaxation_create(zi_relaxation *solver, const zi_constraints *constraints);
void zi_relaxation_free(zi_relaxation *solver);

/* Decisions are what is forced, and ranges are bounds. */
void zi_relaxation_reset(zi_relaxation *solver);

/* The program of decisions and ranges as they are. */
void zi_relaxation_set(zi_relaxation *solver);
/* Whether it has a point, which goes to x. */
int zi_relaxation_solve(zi_relaxation *solver);
/* The way (-1 or 1) that one value goes as far as it can; the rest as zi_simplex_solve(). */
zi_simplex_end zi_relaxation_push(zi_relaxation *solver, size_t i, int way);
/* A value, of the program's last point. */
double zi_relaxation_value(const zi_relaxation *solver, size_t i);

/* 0 if a row, all of whose terms have steps, cannot sum up to anything between its ends, which a program does
 * not see. */
int zi_relaxation_has_sums(const zi_relaxation *solver);

/* A value that counts as 0: as a share of its bounds, it is tiny. */
int zi_relaxation_is_zero(const zi_relaxation *solver, size_t i, double x);

#endif
