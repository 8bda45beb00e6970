/* Steps of many worlds at once: a world in each lane of a vector, from velocities to poses and boxes. */
#ifndef ZI_LANES_H
#define ZI_LANES_H

#include "sim/joint.h"

enum { ZI_LANE_CONTACTS = 6, ZI_SLOTS = 8 }; /* worlds with more contacts are solved one by one */

/* What a step solves for in one world. */
typedef struct zi_island {
    zi_motion motion[ZI_BODIES];
    zi_joint_constraint joint[ZI_JOINTS]; /* in the order of solving */
    zi_constraint contact[ZI_MOST_CONTACTS];
    int contacts;
    int unrest; /* 1: in the air, the velocities did not settle soon; kept for the next step */
} zi_island;

/* The same of a world that takes a lane: only its contacts are set up before. */
typedef struct zi_rider {
    zi_world *world;
    zi_constraint contact[ZI_LANE_CONTACTS];
    int contacts;
    signed char slot[ZI_LANE_CONTACTS]; /* which slot each contact takes */
    int unrest;
    int is_solved; /* is given: the positions were */
} zi_rider;

/* The contacts that are solved in the lanes of a vector, one after another. A lane has a contact in each or
 * not; the contacts of one body keep their order. */
typedef struct zi_slots {
    int count;
    int body[ZI_SLOTS], points[ZI_SLOTS];
} zi_slots;

/* Finds slots for the contacts of a rider, or adds them; gives whether there was room, else nothing
 * changed. */
ZI_SIM int zi_slots_take(zi_slots *slots, zi_rider *in);

/* From velocities to poses and boxes, for at most twice as many worlds as there are lanes. Their contacts
 * have taken these slots. If it is to be quick, none has contacts, and those that do not settle soon are left
 * as they were, with unrest 1. */
typedef void (*zi_lanes_solve)(zi_rider *const *rider, int count, const zi_slots *slots, int is_quick);

/* Gives whether a world can take a lane, and how. It cannot if it sleeps, was not wholly awake, or has too
 * many contacts. */
ZI_SIM int zi_world_board(zi_world *world, zi_rider *r);

/* Alone: from velocities to falling asleep. The parts of it: up to the velocity problem, nothing being to be
 * done (0) if the world sleeps; its solution; and from it on. */
ZI_SIM void zi_world_solve(zi_world *world);
ZI_SIM int zi_world_prepare(zi_world *world, zi_island *in);
ZI_SIM void zi_solve_scalar(zi_island *in);
ZI_SIM void zi_world_conclude(zi_world *world, zi_island *in);

/* When bodies have their poses and boxes: whether they fall asleep. */
ZI_SIM void zi_world_rest(zi_world *world, int is_solved);

void zi_solve_lanes4(zi_rider *const *rider, int count, const zi_slots *slots, int is_quick);
void zi_solve_lanes8(zi_rider *const *rider, int count, const zi_slots *slots, int is_quick);
void zi_solve_lanes16(zi_rider *const *rider, int count, const zi_slots *slots, int is_quick);

#endif
