/* Points whose values have steps, or are of lists, and keep linear limits: near ones that keep the limits
 * with any values. */
#ifndef ZI_LATTICE_H
#define ZI_LATTICE_H

#include "search/limit_values.h"

struct zi_constraints;

typedef struct zi_lattice_move { /* of one value */
    double key, to;
    size_t coordinate;
} zi_lattice_move;

typedef struct zi_lattice {
    const struct zi_constraints *constraints;
    size_t count; /* active coordinates that have a step or a list, and their numbers */
    size_t *list;
    zi_lattice_move *move;      /* two for each of them */
    double *numbers;            /* one block: low to slack */
    double *low, *high;         /* by coordinate: its bounds, or its value where that is set */
    double *goal, *unit;        /* by coordinate: the point that came, and what distances are measured in */
    double *sum, *least, *most; /* by row: that of `list`, and what the others leave it */
    double *scale, *slack;      /* by row: of what is out, and how much of it is rounding */
    zi_mover mover;             /* of the other values */
} zi_lattice;

/* `constraints` must live as long. Whatever it returns, zi_lattice_free(). */
zilch_status zi_lattice_create(zi_lattice *out, const struct zi_constraints *constraints);
void zi_lattice_free(zi_lattice *lattice);

/* Whether every active value is one that it may have. */
int zi_lattice_has(const struct zi_constraints *constraints, const double *x);

/* x, which keeps the limits or nearly so, becomes a near point that does and has only allowed values.
 * Coordinate `held` (SIZE_MAX: none), whose value is allowed, keeps it. Gives 0 if none was found, and x is
 * nothing then. Other limits are not looked at. */
int zi_lattice_round(zi_lattice *lattice, const double *sigma, size_t held, double *x);

#endif
