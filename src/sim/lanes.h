/* Velocities of many worlds at once: a world in each lane of a vector. */
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
    signed char slot[ZI_LANE_CONTACTS]; /* in lanes: which slot each contact takes */
    int unrest; /* 1: in the air, the velocities did not settle soon; kept for the next step */
} zi_island;

/* The contacts that are solved in the lanes of a vector, one after another. A lane has a contact in each or
 * not; the contacts of one body keep their order. */
typedef struct zi_slots {
    int count;
    int body[ZI_SLOTS], points[ZI_SLOTS];
} zi_slots;

/* Finds slots for the contacts of an island, or adds them; gives whether there was room, else nothing
 * changed. */
ZI_SIM int zi_slots_take(zi_slots *slots, zi_island *in);

ZI_SIM static inline int zi_slot_contact(const zi_island *in, int slot)
{
    int contact = -1;
    for (int k = 0; k < in->contacts; k++) {
        contact = in->slot[k] == slot ? k : contact;
    }
    return contact;
}

/* All rounds of the velocity part for at most twice as many islands as there are lanes. Their contacts have
 * taken these slots, their first joints are leg 1's. If it is to be quick, none has contacts, and those that
 * do not settle soon are left as they were, with unrest 1. */
typedef void (*zi_lanes_solve)(zi_island *const *island, int count, const zi_slots *slots, int is_quick);

/* A world's step up to its velocities, and from them on; nothing is to be done (0) if it sleeps. */
ZI_SIM int zi_world_prepare(zi_world *world, zi_island *in);
ZI_SIM void zi_world_conclude(zi_world *world, zi_island *in);

/* The parts of the latter: stores impulses, advances and corrects positions, gives whether these were solved;
 * then, when bodies have their poses and boxes, whether they fall asleep. */
ZI_SIM int zi_island_place(zi_island *in);
ZI_SIM void zi_world_rest(zi_world *world, int is_solved);

/* From velocities to poses and boxes, for at most as many worlds as there are lanes. */
typedef struct zi_move {
    zi_world *world;
    zi_island *island;
    int is_placed; /* by zi_island_place, which those with contacts need */
    int is_solved; /* is given, unless it is placed */
} zi_move;

typedef void (*zi_lanes_move)(zi_move *move, int count);

ZI_SIM void zi_solve_scalar(zi_island *in);
void zi_move_lanes4(zi_move *list, int count);
void zi_move_lanes8(zi_move *list, int count);
void zi_move_lanes16(zi_move *list, int count);
void zi_solve_lanes4(zi_island *const *island, int count, const zi_slots *slots, int is_quick);
void zi_solve_lanes8(zi_island *const *island, int count, const zi_slots *slots, int is_quick);
void zi_solve_lanes16(zi_island *const *island, int count, const zi_slots *slots, int is_quick);

#endif
