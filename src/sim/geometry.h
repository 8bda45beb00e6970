/* Vectors, rotations and poses in the plane, in single precision. The order of operations in
 * each is part of what the simulation promises; nothing may be contracted or rearranged. */
#ifndef ZI_GEOMETRY_H
#define ZI_GEOMETRY_H

#include "sim/trig.h"

#include <float.h>
#include <math.h>

typedef struct zi_vec {
    float x, y;
} zi_vec;

/* A rotation, by the sine and cosine of its angle. */
typedef struct zi_rotation {
    float s, c;
} zi_rotation;

/* Where a body is: first rotated, then moved by p. */
typedef struct zi_pose {
    zi_vec p;
    zi_rotation q;
} zi_pose;

static inline zi_vec zi_vec_of(float x, float y)
{
    return (zi_vec){x, y};
}

static inline zi_vec zi_add(zi_vec a, zi_vec b)
{
    return (zi_vec){a.x + b.x, a.y + b.y};
}

static inline zi_vec zi_minus(zi_vec a, zi_vec b)
{
    return (zi_vec){a.x - b.x, a.y - b.y};
}

static inline zi_vec zi_negative(zi_vec a)
{
    return (zi_vec){-a.x, -a.y};
}

static inline zi_vec zi_times(float s, zi_vec a)
{
    return (zi_vec){s * a.x, s * a.y};
}

static inline float zi_dot(zi_vec a, zi_vec b)
{
    return a.x * b.x + a.y * b.y;
}

static inline float zi_cross(zi_vec a, zi_vec b)
{
    return a.x * b.y - a.y * b.x;
}

/* The velocity at a, of a turn at rate w. */
static inline zi_vec zi_turn(float w, zi_vec a)
{
    return (zi_vec){-w * a.y, w * a.x};
}

/* a turned by a quarter clockwise. */
static inline zi_vec zi_right_of(zi_vec a)
{
    return (zi_vec){1.0F * a.y, -1.0F * a.x};
}

static inline float zi_length(zi_vec a)
{
    return sqrtf(a.x * a.x + a.y * a.y);
}

/* Length 1; unchanged if its length is next to nothing. The length goes to *length if given. */
static inline zi_vec zi_direction(zi_vec a, float *length)
{
    const float size = zi_length(a);
    if (length) {
        *length = size < FLT_EPSILON ? 0.0F : size;
    }
    if (size < FLT_EPSILON) {
        return a;
    }
    const float inverse = 1.0F / size;
    return (zi_vec){a.x * inverse, a.y * inverse};
}

static inline zi_rotation zi_rotation_of(float angle)
{
    zi_rotation q;
    zi_sincos_single(angle, &q.s, &q.c);
    return q;
}

static inline zi_vec zi_rotate(zi_rotation q, zi_vec a)
{
    return (zi_vec){q.c * a.x - q.s * a.y, q.s * a.x + q.c * a.y};
}

static inline zi_vec zi_rotate_back(zi_rotation q, zi_vec a)
{
    return (zi_vec){q.c * a.x + q.s * a.y, -q.s * a.x + q.c * a.y};
}

static inline zi_vec zi_place(zi_pose pose, zi_vec a)
{
    const float x = (pose.q.c * a.x - pose.q.s * a.y) + pose.p.x;
    const float y = (pose.q.s * a.x + pose.q.c * a.y) + pose.p.y;
    return (zi_vec){x, y};
}

static inline zi_vec zi_unplace(zi_pose pose, zi_vec a)
{
    return zi_rotate_back(pose.q, zi_minus(a, pose.p));
}

static inline float zi_clamp(float x, float low, float high)
{
    const float bounded = x < high ? x : high;
    return low > bounded ? low : bounded;
}

static inline float zi_least(float a, float b)
{
    return a < b ? a : b;
}

static inline float zi_most(float a, float b)
{
    return a > b ? a : b;
}

#endif
