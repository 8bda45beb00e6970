/* A hinge between the lander and a leg: a motor, a limit of the angle, and the common point; by
 * sequential impulses. Where the limit holds, point and limit are solved together, 3 x 3. */
#include "sim/joint.h"

#include <assert.h>
#include <math.h>

static const float most_angular_correction = 8.0F / 180.0F * ZI_PI;
static const float most_motor_impulse = 0x1.999998p-1F; /* 40 N m in a step */

ZI_SIM static float joint_angle(const zi_hinge *h, float a_lander, float a_leg)
{
    return a_leg - a_lander - h->reference;
}

ZI_SIM void zi_joint_limit(zi_joint *j, const zi_hinge *h, float a_lander, float a_leg)
{
    const float angle = joint_angle(h, a_lander, a_leg);
    const int limit = angle <= h->lower ? ZI_LIMIT_LOWER : angle >= h->upper ? ZI_LIMIT_UPPER : ZI_LIMIT_NONE;
    if (limit != j->limit || limit == ZI_LIMIT_NONE) {
        j->z = 0.0F;
    }
    j->limit = limit;
}

ZI_SIM static void set_up_masses(zi_joint_constraint *c)
{
    const zi_shape *a = zi_shape_of(ZI_LANDER);
    const zi_shape *b = zi_shape_of(c->hinge->leg);
    const float ma = a->inverse_mass, ia = a->inverse_inertia;
    const float mb = b->inverse_mass, ib = b->inverse_inertia;
    const zi_vec ra = c->ra, rb = c->rb;
    c->k11 = ma + mb + ra.y * ra.y * ia + rb.y * rb.y * ib;
    c->k12 = -ra.y * ra.x * ia - rb.y * rb.x * ib;
    c->k13 = -ra.y * ia - rb.y * ib;
    c->k22 = ma + mb + ra.x * ra.x * ia + rb.x * rb.x * ib;
    c->k23 = ra.x * ia + rb.x * ib;
    c->k33 = ia + ib;
    c->motor_mass = 1.0F / (ia + ib);
}

/* Pushes the two apart by P at the point and by a turn. */
ZI_SIM static void push(const zi_joint_constraint *c, float x, float y, float turn_a, float turn_b,
                        zi_motion *a, zi_motion *b)
{
    const zi_shape *sa = zi_shape_of(ZI_LANDER);
    const zi_shape *sb = zi_shape_of(c->hinge->leg);
    const zi_vec p = {x, y};
    a->v = zi_minus(a->v, zi_times(sa->inverse_mass, p));
    a->w -= sa->inverse_inertia * turn_a;
    b->v = zi_add(b->v, zi_times(sb->inverse_mass, p));
    b->w += sb->inverse_inertia * turn_b;
}

ZI_SIM void zi_joint_begin(zi_joint_constraint *c, zi_world *world, int joint, zi_motion motion[ZI_BODIES])
{
    assert(joint >= 0);
    const zi_hinge *hinge = &zi_hinges[joint];
    zi_joint *j = &world->joint[joint];
    zi_motion *a = &motion[ZI_LANDER];
    zi_motion *b = &motion[hinge->leg];
    c->hinge = hinge;
    c->joint = j;
    c->ra = zi_rotate(world->body[ZI_LANDER].pose.q,
                      zi_minus(zi_vec_of(0.0F, 0.0F), zi_shape_of(ZI_LANDER)->centre));
    c->rb =
        zi_rotate(world->body[hinge->leg].pose.q, zi_minus(hinge->anchor, zi_shape_of(hinge->leg)->centre));
    set_up_masses(c);
    zi_joint_limit(j, hinge, a->a, b->a);
    j->x *= world->previous;
    j->y *= world->previous;
    j->z *= world->previous;
    j->motor *= world->previous;
    const zi_vec p = {j->x, j->y};
    push(c, j->x, j->y, zi_cross(c->ra, p) + j->motor + j->z, zi_cross(c->rb, p) + j->motor + j->z, a, b);
}

ZI_SIM static void solve_motor(zi_joint_constraint *c, zi_motion *a, zi_motion *b)
{
    zi_joint *j = c->joint;
    const float off = b->w - a->w - c->hinge->speed;
    const float impulse = zi_clamp(j->motor + -c->motor_mass * off, -most_motor_impulse, most_motor_impulse);
    const float change = impulse - j->motor;
    j->motor = impulse;
    a->w -= zi_shape_of(ZI_LANDER)->inverse_inertia * change;
    b->w += zi_shape_of(c->hinge->leg)->inverse_inertia * change;
}

typedef struct triple {
    float x, y, z;
} triple;

/* K x = b for the point alone, by Cramer's rule. */
ZI_SIM static zi_vec solve_point(const zi_joint_constraint *c, float bx, float by)
{
    float determinant = c->k11 * c->k22 - c->k12 * c->k12;
    if (determinant != 0.0F) {
        determinant = 1.0F / determinant;
    }
    return zi_vec_of(determinant * (c->k22 * bx - c->k12 * by), determinant * (c->k11 * by - c->k12 * bx));
}

ZI_SIM static triple cross3(triple a, triple b)
{
    return (triple){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

ZI_SIM static float dot3(triple a, triple b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* K x = b for point and limit, likewise. */
ZI_SIM static triple solve_all(const zi_joint_constraint *c, triple b)
{
    const triple ex = {c->k11, c->k12, c->k13};
    const triple ey = {c->k12, c->k22, c->k23};
    const triple ez = {c->k13, c->k23, c->k33};
    const triple minor = cross3(ey, ez);
    float determinant = dot3(ex, minor);
    if (determinant != 0.0F) {
        determinant = 1.0F / determinant;
    }
    return (triple){determinant * dot3(b, minor), determinant * dot3(ex, cross3(b, ez)),
                    determinant * dot3(ex, cross3(ey, b))};
}

/* How the two ends of the point drift apart. */
ZI_SIM static zi_vec drift(const zi_joint_constraint *c, const zi_motion *a, const zi_motion *b)
{
    return zi_minus(zi_minus(zi_add(b->v, zi_turn(b->w, c->rb)), a->v), zi_turn(a->w, c->ra));
}

ZI_SIM static void solve_limited(zi_joint_constraint *c, zi_motion *a, zi_motion *b)
{
    zi_joint *j = c->joint;
    const zi_vec d = drift(c, a, b);
    const triple solved = solve_all(c, (triple){d.x, d.y, b->w - a->w});
    triple impulse = {-solved.x, -solved.y, -solved.z};
    const float z = j->z + impulse.z;
    if (j->limit == ZI_LIMIT_LOWER ? z < 0.0F : z > 0.0F) { /* a limit only pushes: the point alone */
        const zi_vec p = solve_point(c, -d.x + j->z * c->k13, -d.y + j->z * c->k23);
        impulse = (triple){p.x, p.y, -j->z};
        j->x += p.x;
        j->y += p.y;
        j->z = 0.0F;
    } else {
        j->x += impulse.x;
        j->y += impulse.y;
        j->z += impulse.z;
    }
    const zi_vec p = {impulse.x, impulse.y};
    push(c, p.x, p.y, zi_cross(c->ra, p) + impulse.z, zi_cross(c->rb, p) + impulse.z, a, b);
}

ZI_SIM static void solve_free(zi_joint_constraint *c, zi_motion *a, zi_motion *b)
{
    const zi_vec d = drift(c, a, b);
    const zi_vec p = solve_point(c, -d.x, -d.y);
    c->joint->x += p.x;
    c->joint->y += p.y;
    push(c, p.x, p.y, zi_cross(c->ra, p), zi_cross(c->rb, p), a, b);
}

ZI_SIM void zi_joint_solve(zi_joint_constraint *c, zi_motion motion[ZI_BODIES])
{
    zi_motion *a = &motion[ZI_LANDER];
    zi_motion *b = &motion[c->hinge->leg];
    solve_motor(c, a, b);
    if (c->joint->limit == ZI_LIMIT_NONE) {
        solve_free(c, a, b);
    } else {
        solve_limited(c, a, b);
    }
}

/* ---- Positions ----------------------------------------------------------------------- */

/* Turns the two back towards the limit; gives the error found. */
ZI_SIM static float correct_angle(const zi_joint_constraint *c, zi_motion *a, zi_motion *b)
{
    const zi_hinge *h = c->hinge;
    const float angle = joint_angle(h, a->a, b->a);
    float error = 0.0F;
    float impulse = 0.0F;
    if (c->joint->limit == ZI_LIMIT_LOWER) {
        const float over = angle - h->lower;
        error = -over;
        impulse = -c->motor_mass * zi_clamp(over + ZI_ANGULAR_SLOP, -most_angular_correction, 0.0F);
    } else if (c->joint->limit == ZI_LIMIT_UPPER) {
        const float over = angle - h->upper;
        error = over;
        impulse = -c->motor_mass * zi_clamp(over - ZI_ANGULAR_SLOP, 0.0F, most_angular_correction);
    } else {
        return 0.0F;
    }
    a->a -= zi_shape_of(ZI_LANDER)->inverse_inertia * impulse;
    b->a += zi_shape_of(h->leg)->inverse_inertia * impulse;
    return error;
}

/* Brings the two ends of the point together; gives their distance before. */
ZI_SIM static float correct_point(const zi_joint_constraint *c, zi_motion *a, zi_motion *b)
{
    const zi_shape *sa = zi_shape_of(ZI_LANDER);
    const zi_shape *sb = zi_shape_of(c->hinge->leg);
    const float ma = sa->inverse_mass, ia = sa->inverse_inertia;
    const float mb = sb->inverse_mass, ib = sb->inverse_inertia;
    const zi_vec ra = zi_rotate(zi_rotation_of(a->a), zi_minus(zi_vec_of(0.0F, 0.0F), sa->centre));
    const zi_vec rb = zi_rotate(zi_rotation_of(b->a), zi_minus(c->hinge->anchor, sb->centre));
    const zi_vec apart = zi_minus(zi_minus(zi_add(b->c, rb), a->c), ra);
    const float k11 = ma + mb + ia * ra.y * ra.y + ib * rb.y * rb.y;
    const float k12 = -ia * ra.x * ra.y - ib * rb.x * rb.y;
    const float k22 = ma + mb + ia * ra.x * ra.x + ib * rb.x * rb.x;
    float determinant = k11 * k22 - k12 * k12;
    if (determinant != 0.0F) {
        determinant = 1.0F / determinant;
    }
    const zi_vec p = {-(determinant * (k22 * apart.x - k12 * apart.y)),
                      -(determinant * (k11 * apart.y - k12 * apart.x))};
    a->c = zi_minus(a->c, zi_times(ma, p));
    a->a -= ia * zi_cross(ra, p);
    b->c = zi_add(b->c, zi_times(mb, p));
    b->a += ib * zi_cross(rb, p);
    return zi_length(apart);
}

ZI_SIM int zi_joint_correct(const zi_joint_constraint *c, zi_motion motion[ZI_BODIES])
{
    zi_motion *a = &motion[ZI_LANDER];
    zi_motion *b = &motion[c->hinge->leg];
    const float angle = correct_angle(c, a, b);
    const float distance = correct_point(c, a, b);
    return distance <= ZI_SLOP && angle <= ZI_ANGULAR_SLOP;
}
