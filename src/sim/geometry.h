/* Vectors, rotations and poses in the plane, in single precision. The order of operations in
 * each is part of what the simulation promises; nothing may be contracted or rearranged. */
#ifndef ZI_GEOMETRY_H
#define ZI_GEOMETRY_H

#include "sim/target.h"
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

ZI_SIM static inline zi_vec zi_vec_of(float x, float y)
{
    return (zi_vec){x, y};
}

ZI_SIM static inline zi_vec zi_add(zi_vec a, zi_vec b)
{
    return (zi_vec){a.x + b.x, a.y + b.y};
}

ZI_SIM static inline zi_vec zi_minus(zi_vec a, zi_vec b)
{
    return (zi_vec){a.x - b.x, a.y - b.y};
}

ZI_SIM static inline zi_vec zi_negative(zi_vec a)
{
    return (zi_vec){-a.x, -a.y};
}

ZI_SIM static inline zi_vec zi_times(float s, zi_vec a)
{
    return (zi_vec){s * a.x, s * a.y};
}

ZI_SIM static inline float zi_dot(zi_vec a, zi_vec b)
{
    return a.x * b.x + a.y * b.y;
}

ZI_SIM static inline float zi_cross(zi_vec a, zi_vec b)
{
    return a.x * b.y - a.y * b.x;
}

/* The velocity at a, of a turn at rate w. */
ZI_SIM static inline zi_vec zi_turn(float w, zi_vec a)
{
    return (zi_vec){-w * a.y, w * a.x};
}

/* a turned by a quarter clockwise. */
ZI_SIM static inline zi_vec zi_right_of(zi_vec a)
{
    return (zi_vec){1.0F * a.y, -1.0F * a.x};
}

ZI_SIM static inline float zi_length(zi_vec a)
{
    return sqrtf(a.x * a.x + a.y * a.y);
}

/* Length 1; unchanged if its length is next to nothing. The length goes to *length if given. */
ZI_SIM static inline zi_vec zi_direction(zi_vec a, float *length)
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

ZI_SIM static inline zi_rotation zi_rotation_of(float angle)
{
    zi_rotation q;
    zi_sincos_single(angle, &q.s, &q.c);
    return q;
}

ZI_SIM static inline zi_vec zi_rotate(zi_rotation q, zi_vec a)
{
    return (zi_vec){q.c * a.x - q.s * a.y, q.s * a.x + q.c * a.y};
}

ZI_SIM static inline zi_vec zi_rotate_back(zi_rotation q, zi_vec a)
{
    return (zi_vec){q.c * a.x + q.s * a.y, -q.s * a.x + q.c * a.y};
}

ZI_SIM static inline zi_vec zi_place(zi_pose pose, zi_vec a)
{
    const float x = (pose.q.c * a.x - pose.q.s * a.y) + pose.p.x;
    const float y = (pose.q.s * a.x + pose.q.c * a.y) + pose.p.y;
    return (zi_vec){x, y};
}

ZI_SIM static inline zi_vec zi_unplace(zi_pose pose, zi_vec a)
{
    return zi_rotate_back(pose.q, zi_minus(a, pose.p));
}

/* a if a < b, a > b, else b. CUDA's compiler would take the minimum's instruction for the plain words, and
 * that says which of two zeros is less. */
ZI_SIM static inline float zi_least(float a, float b)
{
#ifdef __CUDA_ARCH__
    float chosen;
    asm("{.reg .pred p; setp.lt.f32 p, %1, %2; selp.f32 %0, %1, %2, p;}" : "=f"(chosen) : "f"(a), "f"(b));
    return chosen;
#else
    return a < b ? a : b;
#endif
}

ZI_SIM static inline float zi_most(float a, float b)
{
#ifdef __CUDA_ARCH__
    float chosen;
    asm("{.reg .pred p; setp.gt.f32 p, %1, %2; selp.f32 %0, %1, %2, p;}" : "=f"(chosen) : "f"(a), "f"(b));
    return chosen;
#else
    return a > b ? a : b;
#endif
}

ZI_SIM static inline float zi_clamp(float x, float low, float high)
{
    return zi_most(low, zi_least(x, high));
}

#endif
