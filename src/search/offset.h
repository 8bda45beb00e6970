/* A search with default values looks for offsets: what is added to the default of each coordinate. Everything
 * inside the optimiser is an offset, and 0 is inactive; allowed.c makes values of offsets where points leave,
 * and offsets of values where they enter. */
#ifndef ZI_OFFSET_H
#define ZI_OFFSET_H

#include <float.h>
#include <math.h>
#include <stddef.h>

/* The offset of a value or of a bound from origin[i]: 0 only for the default itself. A finite one stays
 * finite. NULL: the default is 0. */
static inline double zi_offset(const double *origin, size_t i, double value)
{
    if (!origin || !isfinite(value)) {
        return value;
    }
    return fmin(fmax(value - origin[i], -DBL_MAX), DBL_MAX);
}

#endif
