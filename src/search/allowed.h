/* Values that a coordinate may have where it is active: multiples of a step, or those of a list, within its
 * bounds. Where there are defaults, all numbers here are offsets from them (offset.h), but for what is called
 * a value of the user's. Zero may be among the multiples and means that the coordinate is not active; a list
 * never has it. */
#ifndef ZI_ALLOWED_H
#define ZI_ALLOWED_H

#include "base/status.h"
#include "search/offset.h"

typedef struct zi_allowed {
    size_t dim;
    double *step;  /* by coordinate, 0: none; NULL: every coordinate may have any value */
    size_t *first; /* the list of coordinate i is value[first[i]] to value[first[i + 1] - 1], ascending */
    double *value;
    const double *lower, *upper; /* the bounds, which are allowed values themselves where they are finite */
    double *origin;              /* dim defaults; NULL: all are 0, and offsets are values; else: */
    double *least, *greatest;    /* the bounds as values of the user's, in the memory that begins at origin */
    double *listed;              /* `value` as values of the user's, in the same memory as these */
} zi_allowed;

/* What a caller has given is checked, and the bounds (dim each, which must live as long) are drawn in to the
 * nearest allowed values and become offsets. */
zilch_status zi_allowed_create(zi_allowed *out, size_t dim, const zilch_optimizer_options *options,
                               double *lower, double *upper);
void zi_allowed_free(zi_allowed *allowed);

/* Whether a coordinate has a step or a list. The functions below are for all: one without has any value. */
int zi_allowed_has(const zi_allowed *allowed, size_t i);

/* The nearest allowed value; and the nearest but zero, which is 0 only where there is no other. */
double zi_allowed_nearest(const zi_allowed *allowed, size_t i, double x);
double zi_allowed_active(const zi_allowed *allowed, size_t i, double x);

/* The next one above x, or below it if `direction` is negative; NaN if there is none. For coordinates that
 * have a step or a list. */
double zi_allowed_next(const zi_allowed *allowed, size_t i, double x, int direction);

/* How far the neighbour of what is nearest to x is from it; 0 where it has none, or any value is allowed. */
double zi_allowed_spacing(const zi_allowed *allowed, size_t i, double x);

/* The value of the user's that an offset stands for: the default where the offset is 0, and another number
 * elsewhere, within the bounds, and exactly a multiple of the step or a value of the list. The offset that
 * stands for a value, or for the nearest number: it has 16 digits, as the value and the default have. */
double zi_allowed_value(const zi_allowed *allowed, size_t i, double offset);
double zi_allowed_offset(const zi_allowed *allowed, size_t i, double value);
/* The same of a whole point, in its place. */
void zi_allowed_values(const zi_allowed *allowed, double *x);
void zi_allowed_offsets(const zi_allowed *allowed, double *x);

int zi_allowed_is(const zi_allowed *allowed, size_t i, double x);
zilch_status zi_allowed_check(const zi_allowed *allowed, size_t i, double x); /* EARG if it is not */

/* How many values but zero there are, 0: without end; and value number k of these, from 0, ascending. */
uint64_t zi_allowed_count(const zi_allowed *allowed, size_t i);
double zi_allowed_at(const zi_allowed *allowed, size_t i, uint64_t k);

#endif
