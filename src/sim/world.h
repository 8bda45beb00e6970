/* A world of the lander: a moon of eleven edges that never moves, and three bodies, the lander
 * and its two legs, each leg on a joint with a motor and a limit. */
#ifndef ZI_WORLD_H
#define ZI_WORLD_H

#include "sim/shapes.h"

enum { ZI_EDGES = 11, ZI_MOST_CONTACTS = ZI_BODIES * ZI_EDGES };
enum { ZI_VELOCITY_ROUNDS = 180, ZI_POSITION_ROUNDS = 60 };

/* ---- State ---------------------------------------------------------------------------- */

typedef struct zi_box {
    zi_vec lower, upper;
} zi_box;

/* The way of a body's centre during a step, from c0, a0 at time `start` to c, a at 1. */
typedef struct zi_sweep {
    zi_vec c0;
    float a0, start;
    zi_vec c;
    float a;
} zi_sweep;

/* Up to `swept` it stands as lanes read and write it (lanes_words.inc). */
typedef struct zi_body {
    zi_sweep sweep;
    zi_pose pose;
    zi_vec v;
    float w;
    zi_box box;   /* where it may be without being looked for anew */
    zi_box swept; /* where it was in this step, at its beginning and its end */
    float still;  /* seconds without motion */
    int is_awake;
} zi_body;

enum { ZI_LIMIT_NONE, ZI_LIMIT_LOWER, ZI_LIMIT_UPPER };

typedef struct zi_joint {
    float x, y, z; /* impulses: of the point, and of the limit */
    float motor;
    int limit;
} zi_joint;

typedef struct zi_point {
    zi_vec local; /* in the frame of the body that is not the reference */
    float normal_impulse, tangent_impulse;
    uint32_t id; /* of the features that made it */
} zi_point;

typedef struct zi_manifold {
    int count;
    int is_edge_reference; /* else a side of the body is */
    zi_vec normal, plane;  /* in the reference's frame */
    zi_point point[2];
} zi_manifold;

typedef struct zi_contact {
    int edge, body;
    unsigned char is_touching, is_enabled;
    unsigned char has_impact, impacts; /* for the time of impact: known in this step, and how often */
    float impact;
    zi_manifold manifold;
} zi_contact;

typedef struct zi_edge {
    zi_vec v1, v2;
    zi_vec along; /* from one to the other, of length 1 */
    float friction;
    zi_box box, skin; /* with margin, and without */
} zi_edge;

/* What a step has to tell: the legs' flags and whether the lander was touched. */
typedef struct zi_touch {
    int leg[2];
    int crashed;
} zi_touch;

typedef struct zi_world {
    zi_body body[ZI_BODIES];
    zi_joint joint[ZI_JOINTS];
    float gravity;
    float previous; /* 0 in the first step, then 1: how much of the last impulses to begin with */
    zi_vec force;   /* on the lander in the next step */
    float torque;
    int contacts;
    zi_contact contact[ZI_MOST_CONTACTS]; /* newest first */
    unsigned moved;                       /* bodies whose box is new, as bits */
    float moon_start;                     /* the moon's sweep time */
    int unrest;                           /* 1: in the air, the solver did not settle soon last time */
    zi_touch touch;
    zi_edge edge[ZI_EDGES];
    float summit; /* no edge's box reaches higher */
} zi_world;

/* ---- Steps ------------------------------------------------------------------------------ */

/* Builds the world over this ground: heights at x = 0, 2, .. 20. */
ZI_SIM void zi_world_build(zi_world *world, const double *ground, double gravity);

/* What follows from the edges' ends and boxes. */
ZI_SIM void zi_world_survey(zi_world *world);

/* 1/50 of a second. */
ZI_SIM void zi_world_step(zi_world *world);

/* Its parts, for a batch: before the solver (lanes.h) and after it. */
ZI_SIM void zi_world_collide(zi_world *world);
ZI_SIM void zi_world_finish(zi_world *world);

/* An impulse at a point of the lander. */
ZI_SIM void zi_world_push(zi_world *world, zi_vec impulse, zi_vec point);

/* ---- Between the files ----------------------------------------------------------------- */

#define ZI_STEP_SECONDS 0.02F
#define ZI_SKIN 0.01F /* radius of every shape */
#define ZI_BOX_MARGIN 0.1F
#define ZI_BOX_AHEAD 2.0F /* in steps of the present displacement */
#define ZI_SLOP 0.005F    /* overlap that is let be */
#define ZI_PI 3.14159265359F
#define ZI_ANGULAR_SLOP (2.0F / 180.0F * ZI_PI)

/* collide.c: a polygon against an edge. */
ZI_SIM void zi_collide(const zi_edge *edge, const zi_shape *shape, zi_pose pose, zi_manifold *out);

/* contact.c: one contact's constraint, in world coordinates. */
typedef struct zi_constraint_point {
    zi_vec r; /* from the body's centre */
    float normal_impulse, tangent_impulse, normal_mass, tangent_mass;
} zi_constraint_point;

typedef struct zi_constraint {
    zi_contact *contact;
    const zi_shape *shape;
    int body, count;        /* points in the velocity part */
    float k[3], inverse[4]; /* of two points: k11, k12, k22; and the inverse by columns */
    float friction;
    zi_vec normal;
    zi_constraint_point point[2];
} zi_constraint;

/* A body while it is being solved. */
typedef struct zi_motion {
    zi_vec c, v;
    float a, w;
} zi_motion;

ZI_SIM void zi_constraint_begin(zi_constraint *c, zi_world *world, zi_contact *contact, float previous);
ZI_SIM void zi_constraint_set_up(zi_constraint *c, zi_vec centre, zi_pose pose);
ZI_SIM void zi_constraint_warm_start(const zi_constraint *c, zi_motion *m);
ZI_SIM void zi_constraint_solve(zi_constraint *c, zi_motion *m);
/* One round on the contacts of a body; gives whether it changed anything. If not, no later one does. */
ZI_SIM int zi_constraint_round(zi_constraint *c, int count, zi_motion *m);
ZI_SIM void zi_constraint_store(const zi_constraint *c);
/* Pushes apart what overlaps, by this share; gives the deepest gap found. */
ZI_SIM float zi_constraint_separate(const zi_constraint *c, float share, zi_motion *m);

/* Moves a body on, by no more than is allowed in a step. */
ZI_SIM void zi_motion_advance(zi_motion *m, float seconds);

/* step.c: the contact's manifold at its body's present pose; tells of what begins and ends. */
ZI_SIM void zi_contact_update(zi_world *world, zi_contact *contact);
ZI_SIM void zi_body_follow(zi_world *world, int body); /* its box, after it moved */
ZI_SIM void zi_find_contacts(zi_world *world);         /* with all bodies that have a new box */
ZI_SIM zi_pose zi_pose_of(zi_vec centre, float angle, zi_vec local_centre);

ZI_SIM int zi_overlap(zi_box a, zi_box b);

/* impact.c: what hits within the step. */
ZI_SIM void zi_world_impacts(zi_world *world);

#endif
