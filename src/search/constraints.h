/* What a point may be, and how one that may not is repaired. */
#ifndef ZI_CONSTRAINTS_H
#define ZI_CONSTRAINTS_H

#include "search/allowed.h"
#include "search/first_law.h"
#include "search/lattice.h"
#include "search/limit_values.h"

/* A function of the user's that makes points allowed ones. */
typedef struct zi_rule {
    zilch_repair repair; /* NULL: none, or not set again after a load */
    void *context;
    int is_needed; /* the run has one */
} zi_rule;

/* A unit is what is switched on or off as one: a group, or a coordinate of its own. */
typedef struct zi_constraints {
    size_t dim, units;
    size_t least, most;        /* active coordinates */
    size_t *first, *member;    /* unit u: coordinates member[first[u]] .. member[first[u + 1] - 1] */
    zilch_forced *forced;      /* by unit */
    unsigned char *fallback;   /* by unit: one choice of units that keeps the limits */
    double *lower, *upper;     /* by coordinate */
    zi_allowed allowed;        /* steps and lists of values */
    int has_switches, is_free; /* anything but bounds; nothing at all */
    int is_reflecting;         /* whether values are reflected at bounds, or drawn again and clipped */

    zi_limits limits;     /* linear ones; where there are some: */
    size_t *unit_of;      /* by coordinate */
    unsigned char *stays; /* by coordinate: must not become 0 where it is active, since its unit must not */
    double *fallback_x;   /* a point that keeps everything, of the units `fallback` */
    int is_single;        /* there is no other point */

    zi_rule rule; /* not among what is free, or checked */
} zi_constraints;

static inline size_t zi_unit_size(const zi_constraints *c, size_t unit)
{
    return c->first[unit + 1] - c->first[unit];
}

/* Checks that they can be kept at all. */
zilch_status zi_constraints_create(zi_constraints *out, size_t dim, const zilch_optimizer_options *options);
void zi_constraints_free(zi_constraints *constraints);

/* A value folded at the bounds until it is within them: as far inside as it was outside. One bound may be
 * infinite. A value that is not finite is clipped. */
double zi_reflect(double low, double high, double value);

/* How often coordinates are active among the elites, and the law of their values. */
typedef struct zi_marginals {
    double *p, *mu, *sigma; /* dim each, in one piece of memory that begins at p */
} zi_marginals;

/* Those of the first points. */
zilch_status zi_marginals_create(zi_marginals *out, size_t dim, double p, const zi_first *first);
/* From `rows` points; what they say nothing about is as in the first ones. */
void zi_marginals_estimate(zi_marginals *marginals, size_t dim, const zi_first *first, size_t rows,
                           const double *x);
void zi_marginals_free(zi_marginals *marginals);

typedef struct zi_ranked_unit {
    double key;
    size_t unit;
} zi_ranked_unit;

/* Makes points keep them. */
typedef struct zi_repairer {
    const zi_constraints *constraints;
    const zi_marginals *marginals;
    unsigned char *on; /* by unit, as those that follow */
    double *key;
    zi_ranked_unit *ranked; /* this and all below: only with linear limits */
    double *reach;          /* what a unit can add to a row */
    double *wanted;         /* by coordinate: the point as it came */
    unsigned char *off;     /* by coordinate: is never active */
    zi_mover mover;
    zi_lattice lattice; /* only with steps or lists, too */
    struct zi_feasibility *search;
} zi_repairer;

zilch_status zi_repairer_create(zi_repairer *out, const zi_constraints *constraints,
                                const zi_marginals *marginals);
void zi_repairer_free(zi_repairer *repairer);
void zi_repair(zi_repairer *m, zilch_rng rng, double *x);

/* Moves the values of active coordinates to the nearest that they may have. */
void zi_constraints_snap(const zi_constraints *constraints, double *x);

/* Has the user's function make x, which keeps the limits, an allowed point. On failure x is nothing. */
zilch_status zi_rule_apply(const zi_constraints *constraints, double *x);
/* ESTATE if the run has a function that was not set again after a load. */
zilch_status zi_rule_check(const zi_constraints *constraints);

/* EARG, saying what is not kept, or OK. */
zilch_status zi_constraints_check(const zi_constraints *constraints, const double *x);

#endif
