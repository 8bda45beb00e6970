/* A hinge while it is being solved. */
#ifndef ZI_JOINT_H
#define ZI_JOINT_H

#include "sim/world.h"

typedef struct zi_joint_constraint {
    const zi_hinge *hinge;
    zi_joint *joint;
    zi_vec ra, rb;                      /* from the centres of lander and leg to the point */
    float k11, k12, k13, k22, k23, k33; /* symmetric: point, and angle */
    float motor_mass;
} zi_joint_constraint;

/* Finds whether its limit holds. */
ZI_SIM void zi_joint_limit(zi_joint *j, const zi_hinge *h, float a_lander, float a_leg);

/* Sets up joint number `joint` at the bodies' poses, and begins with the last step's impulses. */
ZI_SIM void zi_joint_begin(zi_joint_constraint *c, zi_world *world, int joint, zi_motion motion[ZI_BODIES]);
ZI_SIM void zi_joint_solve(zi_joint_constraint *c, zi_motion motion[ZI_BODIES]);

/* One round on the positions; whether they were within tolerance. */
ZI_SIM int zi_joint_correct(const zi_joint_constraint *c, zi_motion motion[ZI_BODIES]);

#endif
