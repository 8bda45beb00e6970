/* Which worlds share a vector. */
#ifndef ZI_GROUPING_H
#define ZI_GROUPING_H

#include "sim/lanes.h"

#include <stddef.h>

enum { ZI_CHUNK = 1024 }; /* worlds that are grouped together, at most */

/* Solves the velocities of `count` worlds, with so many lanes, and gives them poses and boxes. */
void zi_riders_solve(zi_lanes_solve solve, size_t lanes, zi_rider *rider, size_t count);

#endif
