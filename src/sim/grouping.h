/* Which worlds share a vector. */
#ifndef ZI_GROUPING_H
#define ZI_GROUPING_H

#include "sim/lanes.h"

#include <stddef.h>

enum { ZI_CHUNK = 1024 }; /* islands that are grouped together, at most */

/* Solves the velocities of `count` islands, with so many lanes. */
void zi_islands_solve(zi_lanes_solve solve, size_t lanes, zi_island *island, size_t count);

#endif
