/* What the lander is made of, to the bit as the physics engine computes it from the drawings
 * in units of 1/30: hull, masses, and joints. */
#ifndef ZI_SHAPES_H
#define ZI_SHAPES_H

#include "sim/geometry.h"

enum { ZI_LANDER, ZI_LEG0, ZI_LEG1, ZI_BODIES };
enum { ZI_JOINTS = 2, ZI_MOST_VERTICES = 6 };

typedef struct zi_shape {
    int count;
    zi_vec vertex[ZI_MOST_VERTICES], normal[ZI_MOST_VERTICES]; /* normal k is of the side from vertex k */
    zi_vec centroid;
    zi_vec centre; /* of mass, in the body's frame */
    float inverse_mass, inverse_inertia;
    float friction;
} zi_shape;

/* The joint of a leg: from the lander's origin to `anchor` on the leg. */
typedef struct zi_hinge {
    int leg;
    zi_vec anchor;
    float reference, lower, upper; /* angles */
    float speed;                   /* of the motor */
} zi_hinge;

/* The lander's, and the legs'. */
ZI_TABLE static const zi_shape zi_shape_table[2] = {
    {
        .count = 6,
        .vertex = {{0x1.222222p-1F, -0x1.555556p-2F},
                   {0x1.222222p-1F, 0.0F},
                   {0x1.dddddep-2F, 0x1.222222p-1F},
                   {-0x1.dddddep-2F, 0x1.222222p-1F},
                   {-0x1.222222p-1F, 0.0F},
                   {-0x1.222222p-1F, -0x1.555556p-2F}},
        .normal = {{1.0F, -0.0F},
                   {0x1.f8358ep-1F, 0x1.63e99p-3F},
                   {0.0F, 1.0F},
                   {-0x1.f8358ep-1F, 0x1.63e99p-3F},
                   {-1.0F, -0.0F},
                   {0.0F, -1.0F}},
        .centroid = {0x1.09be72p-28F, 0x1.9ef446p-4F},
        .centre = {0.0F, 0x1.9ef44ap-4F},
        .inverse_mass = 0x1.a930b8p-3F,
        .inverse_inertia = 0x1.46948ep+0F,
        .friction = 0.1F,
    },
    {
        .count = 4,
        .vertex = {{-0x1.111112p-4F, -0x1.111112p-2F},
                   {0x1.111112p-4F, -0x1.111112p-2F},
                   {0x1.111112p-4F, 0x1.111112p-2F},
                   {-0x1.111112p-4F, 0x1.111112p-2F}},
        .normal = {{0.0F, -1.0F}, {1.0F, 0.0F}, {0.0F, 1.0F}, {-1.0F, 0.0F}},
        .centroid = {0.0F, 0.0F},
        .centre = {0.0F, 0.0F},
        .inverse_mass = 0x1.c1fffcp+3F,
        .inverse_inertia = 0x1.172e92p+9F,
        .friction = 0.2F,
    },
};

ZI_TABLE static const zi_hinge zi_hinges[ZI_JOINTS] = {
    {.leg = ZI_LEG0,
     .anchor = {-0x1.555556p-1F, 0x1.333334p-1F},
     .reference = -0.05F,
     .lower = 0.4F,
     .upper = 0.9F,
     .speed = -0.3F},
    {.leg = ZI_LEG1,
     .anchor = {0x1.555556p-1F, 0x1.333334p-1F},
     .reference = 0.05F,
     .lower = -0.9F,
     .upper = -0.4F,
     .speed = 0.3F},
};

ZI_SIM static inline const zi_shape *zi_shape_of(int body)
{
    return &zi_shape_table[body != ZI_LANDER];
}

#endif
