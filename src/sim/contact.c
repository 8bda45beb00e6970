/* Contacts as constraints: no approach along the normal, friction along the tangent, by sequential
 * impulses; two points of one contact are solved together (Catto's block solver). The moon does not
 * move: its velocities are zero and its masses infinite, but they stand in the sums where they
 * would change the sign of a zero. */
#include "sim/world.h"

#include <assert.h>
#include <string.h>

static const float most_correction = 0.2F;

ZI_SIM void zi_constraint_begin(zi_constraint *c, zi_world *world, zi_contact *contact, float previous)
{
    assert(contact->manifold.count >= 1 && contact->manifold.count <= 2);
    const zi_manifold *manifold = &contact->manifold;
    c->contact = contact;
    c->body = contact->body;
    c->shape = zi_shape_of(contact->body);
    c->count = manifold->count;
    c->friction = sqrtf(world->edge[contact->edge].friction * c->shape->friction);
    for (int i = 0; i < manifold->count; i++) {
        c->point[i].normal_impulse = previous != 0.0F ? manifold->point[i].normal_impulse : 0.0F;
        c->point[i].tangent_impulse = previous != 0.0F ? manifold->point[i].tangent_impulse : 0.0F;
    }
}

/* A point of contact in the world: half-way between the two skins; and the normal, from the
 * moon. */
ZI_SIM static zi_vec world_point(const zi_manifold *m, int i, zi_pose pose, zi_vec *normal)
{
    if (m->is_edge_reference) {
        const zi_vec clip = zi_place(pose, m->point[i].local);
        const float gap = zi_dot(zi_minus(clip, m->plane), m->normal);
        const zi_vec moon = zi_add(clip, zi_times(ZI_SKIN - gap, m->normal));
        const zi_vec body = zi_minus(clip, zi_times(ZI_SKIN, m->normal));
        *normal = m->normal;
        return zi_times(0.5F, zi_add(moon, body));
    }
    const zi_vec outward = zi_rotate(pose.q, m->normal);
    const zi_vec plane = zi_place(pose, m->plane);
    const zi_vec clip = m->point[i].local;
    const float gap = zi_dot(zi_minus(clip, plane), outward);
    const zi_vec body = zi_add(clip, zi_times(ZI_SKIN - gap, outward));
    const zi_vec moon = zi_minus(clip, zi_times(ZI_SKIN, outward));
    *normal = zi_negative(outward);
    return zi_times(0.5F, zi_add(moon, body));
}

/* Inverse of the mass that a push along `direction` at r meets. */
ZI_SIM static float softness(const zi_shape *shape, zi_vec r, zi_vec direction)
{
    const float arm = zi_cross(r, direction);
    return shape->inverse_mass + shape->inverse_inertia * arm * arm;
}

ZI_SIM static void set_up_block(zi_constraint *c)
{
    const zi_shape *s = c->shape;
    const float arm1 = zi_cross(c->point[0].r, c->normal);
    const float arm2 = zi_cross(c->point[1].r, c->normal);
    const float k11 = s->inverse_mass + s->inverse_inertia * arm1 * arm1;
    const float k22 = s->inverse_mass + s->inverse_inertia * arm2 * arm2;
    const float k12 = s->inverse_mass + s->inverse_inertia * arm1 * arm2;
    if (!(k11 * k11 < 1000.0F * (k11 * k22 - k12 * k12))) {
        c->count = 1; /* as good as one point */
        return;
    }
    c->k[0] = k11;
    c->k[1] = k12;
    c->k[2] = k22;
    const float determinant = k11 * k22 - k12 * k12;
    const float inverse = determinant != 0.0F ? 1.0F / determinant : determinant;
    c->inverse[0] = inverse * k22;
    c->inverse[1] = -inverse * k12;
    c->inverse[2] = -inverse * k12;
    c->inverse[3] = inverse * k11;
}

ZI_SIM void zi_constraint_set_up(zi_constraint *c, zi_vec centre, zi_pose pose)
{
    const zi_manifold *manifold = &c->contact->manifold;
    for (int i = 0; i < c->count; i++) {
        zi_constraint_point *p = &c->point[i];
        p->r = zi_minus(world_point(manifold, i, pose, &c->normal), centre);
        const float along = softness(c->shape, p->r, c->normal);
        const float across = softness(c->shape, p->r, zi_right_of(c->normal));
        p->normal_mass = along > 0.0F ? 1.0F / along : 0.0F;
        p->tangent_mass = across > 0.0F ? 1.0F / across : 0.0F;
    }
    if (c->count == 2) {
        set_up_block(c);
    }
}

ZI_SIM static void push(const zi_constraint *c, zi_vec r, zi_vec impulse, zi_motion *m)
{
    m->v = zi_add(m->v, zi_times(c->shape->inverse_mass, impulse));
    m->w += c->shape->inverse_inertia * zi_cross(r, impulse);
}

ZI_SIM void zi_constraint_warm_start(const zi_constraint *c, zi_motion *m)
{
    const zi_vec tangent = zi_right_of(c->normal);
    for (int i = 0; i < c->count; i++) {
        const zi_constraint_point *p = &c->point[i];
        const zi_vec impulse =
            zi_add(zi_times(p->normal_impulse, c->normal), zi_times(p->tangent_impulse, tangent));
        m->w += c->shape->inverse_inertia * zi_cross(p->r, impulse);
        m->v = zi_add(m->v, zi_times(c->shape->inverse_mass, impulse));
    }
}

/* The body's velocity at r. */
ZI_SIM static zi_vec velocity_at(const zi_motion *m, zi_vec r)
{
    return zi_add(m->v, zi_turn(m->w, r));
}

ZI_SIM static void solve_friction(zi_constraint *c, zi_motion *m)
{
    const zi_vec tangent = zi_right_of(c->normal);
    for (int i = 0; i < c->count; i++) {
        zi_constraint_point *p = &c->point[i];
        const float slip = zi_dot(velocity_at(m, p->r), tangent);
        const float most = c->friction * p->normal_impulse;
        const float impulse = zi_clamp(p->tangent_impulse + p->tangent_mass * -slip, -most, most);
        const float change = impulse - p->tangent_impulse;
        p->tangent_impulse = impulse;
        push(c, p->r, zi_times(change, tangent), m);
    }
}

ZI_SIM static void solve_one(zi_constraint *c, zi_motion *m)
{
    zi_constraint_point *p = &c->point[0];
    const float approach = zi_dot(velocity_at(m, p->r), c->normal);
    const float impulse = zi_most(p->normal_impulse + -p->normal_mass * approach, 0.0F);
    const float change = impulse - p->normal_impulse;
    p->normal_impulse = impulse;
    push(c, p->r, zi_times(change, c->normal), m);
}

ZI_SIM static void apply_two(zi_constraint *c, float x1, float x2, zi_motion *m)
{
    zi_constraint_point *p = c->point;
    const zi_vec first = zi_times(x1 - p[0].normal_impulse, c->normal);
    const zi_vec second = zi_times(x2 - p[1].normal_impulse, c->normal);
    m->v = zi_add(m->v, zi_times(c->shape->inverse_mass, zi_add(first, second)));
    m->w += c->shape->inverse_inertia * (zi_cross(p[0].r, first) + zi_cross(p[1].r, second));
    p[0].normal_impulse = x1;
    p[1].normal_impulse = x2;
}

/* The linear complementarity problem vn = K x + b, vn >= 0, x >= 0, vn x = 0, by trying which of the
 * two push. */
ZI_SIM static void solve_two(zi_constraint *c, zi_motion *m)
{
    const zi_constraint_point *p = c->point;
    const float a1 = p[0].normal_impulse;
    const float a2 = p[1].normal_impulse;
    const float b1 = zi_dot(velocity_at(m, p[0].r), c->normal) - (c->k[0] * a1 + c->k[1] * a2);
    const float b2 = zi_dot(velocity_at(m, p[1].r), c->normal) - (c->k[1] * a1 + c->k[2] * a2);

    const float both1 = -(c->inverse[0] * b1 + c->inverse[2] * b2);
    const float both2 = -(c->inverse[1] * b1 + c->inverse[3] * b2);
    const float only1 = -p[0].normal_mass * b1;
    const float only2 = -p[1].normal_mass * b2;
    if (both1 >= 0.0F && both2 >= 0.0F) {
        apply_two(c, both1, both2, m);
    } else if (only1 >= 0.0F && c->k[1] * only1 + b2 >= 0.0F) {
        apply_two(c, only1, 0.0F, m);
    } else if (only2 >= 0.0F && c->k[1] * only2 + b1 >= 0.0F) {
        apply_two(c, 0.0F, only2, m);
    } else if (b1 >= 0.0F && b2 >= 0.0F) {
        apply_two(c, 0.0F, 0.0F, m);
    } /* else there is no solution, which rounding can bring about: leave it */
}

ZI_SIM void zi_constraint_solve(zi_constraint *c, zi_motion *m)
{
    solve_friction(c, m);
    if (c->count == 1) {
        solve_one(c, m);
    } else {
        solve_two(c, m);
    }
}

ZI_SIM static int differ(float a, float b)
{
    uint32_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] != bits[1];
}

ZI_SIM int zi_constraint_round(zi_constraint *c, int count, zi_motion *m)
{
    const zi_motion before = *m;
    int changed = 0;
    for (int i = 0; i < count; i++) {
        const zi_constraint_point old[2] = {c[i].point[0], c[i].point[1]};
        zi_constraint_solve(&c[i], m);
        for (int p = 0; p < c[i].count; p++) {
            changed |= differ(old[p].normal_impulse, c[i].point[p].normal_impulse) |
                       differ(old[p].tangent_impulse, c[i].point[p].tangent_impulse);
        }
    }
    return changed | differ(before.v.x, m->v.x) | differ(before.v.y, m->v.y) | differ(before.w, m->w);
}

ZI_SIM void zi_constraint_store(const zi_constraint *c)
{
    assert(c->contact && c->count >= 1 && c->count <= 2);
    for (int i = 0; i < c->count; i++) {
        c->contact->manifold.point[i].normal_impulse = c->point[i].normal_impulse;
        c->contact->manifold.point[i].tangent_impulse = c->point[i].tangent_impulse;
    }
}

/* A point, its normal and the gap there, for the position part. */
ZI_SIM static zi_vec gap_at(const zi_manifold *m, int i, zi_pose pose, zi_vec *normal, float *gap)
{
    if (m->is_edge_reference) {
        const zi_vec clip = zi_place(pose, m->point[i].local);
        *normal = m->normal;
        *gap = zi_dot(zi_minus(clip, m->plane), m->normal) - ZI_SKIN - ZI_SKIN;
        return clip;
    }
    const zi_vec outward = zi_rotate(pose.q, m->normal);
    const zi_vec plane = zi_place(pose, m->plane);
    const zi_vec clip = m->point[i].local;
    *gap = zi_dot(zi_minus(clip, plane), outward) - ZI_SKIN - ZI_SKIN;
    *normal = zi_negative(outward);
    return clip;
}

ZI_SIM float zi_constraint_separate(const zi_constraint *c, float share, zi_motion *m)
{
    assert(share > 0.0F);
    const zi_manifold *manifold = &c->contact->manifold;
    float least = 0.0F;
    for (int i = 0; i < manifold->count; i++) {
        zi_vec normal;
        float gap;
        const zi_pose pose = zi_pose_of(m->c, m->a, c->shape->centre);
        const zi_vec r = zi_minus(gap_at(manifold, i, pose, &normal, &gap), m->c);
        least = zi_least(least, gap);
        const float depth = zi_clamp(share * (gap + ZI_SLOP), -most_correction, 0.0F);
        const float k = softness(c->shape, r, normal);
        const zi_vec impulse = zi_times(k > 0.0F ? -depth / k : 0.0F, normal);
        m->c = zi_add(m->c, zi_times(c->shape->inverse_mass, impulse));
        m->a += c->shape->inverse_inertia * zi_cross(r, impulse);
    }
    return least;
}
