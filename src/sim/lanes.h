/* Velocities of many worlds at once: a world in each lane of a vector. */
#ifndef ZI_LANES_H
#define ZI_LANES_H

#include "sim/joint.h"

enum { ZI_LANE_CONTACTS = 6 }; /* worlds with more of them are solved one by one */

/* What a step solves for in one world. */
typedef struct zi_island {
    zi_motion motion[ZI_BODIES];
    zi_joint_constraint joint[ZI_JOINTS]; /* in the order of solving */
    zi_constraint contact[ZI_MOST_CONTACTS];
    int contacts;
    int unrest; /* how long the velocities took to settle, in some measure; kept for the next step */
} zi_island;

/* All rounds of the velocity part. The islands, at most as many as there are lanes, have the same limits,
 * and contacts of the same bodies with as many points. */
typedef void (*zi_lanes_solve)(zi_island *const *island, int count);

/* A world's step up to its velocities, and from them on; nothing is to be done (0) if it sleeps. */
int zi_world_prepare(zi_world *world, zi_island *in);
void zi_world_conclude(zi_world *world, zi_island *in);

void zi_solve_scalar(zi_island *in);
void zi_solve_lanes4(zi_island *const *island, int count);
void zi_solve_lanes8(zi_island *const *island, int count);
void zi_solve_lanes16(zi_island *const *island, int count);

#endif
