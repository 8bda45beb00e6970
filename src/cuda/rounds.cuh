/* The velocity part of a world's step on a card: the rounds of lanes_body.inc with one world a lane. Worlds
 * of one kind are solved by code made for that kind, so that the threads of a warp go the same way and keep
 * all in registers. */
#ifndef ZI_CUDA_ROUNDS_CUH
#define ZI_CUDA_ROUNDS_CUH

#include "cuda/sim.cuh"

/* ---- What is solved ------------------------------------------------------------------------------ */

/* One point of a leg. */
typedef struct footing {
    float nx, ny, friction, rx, ry, normal_mass, tangent_mass, normal_impulse, tangent_impulse;
} footing;

typedef struct tie {
    float rax, ray, rbx, rby, k11, k12, k13, k22, k23, x, y, z, motor;
    int limit;
} tie;

enum { FIRST_LEG, SECOND_LEG, LEGS }; /* leg 1, leg 0: in the order of solving */

/* A world's velocity problem; its joints in the order of all worlds whose leg 1 was awake. */
typedef struct alignas(16) problem {
    float body[ZI_BODIES][3];
    tie joint[LEGS];
    int unrest;
    footing touch[LEGS];
} problem;

enum { MOST_OTHERS = ZI_SLOTS };

/* Contacts of other kinds: of the lander, of two points, or several of one leg. */
typedef struct others {
    int count;
    struct {
        int body, points;
        float nx, ny, friction, k11, k12, k22, i11, i12, i22;
        float point[2][6];
    } contact[MOST_OTHERS];
} others;

/* Bits: which legs touch, in the order of solving; and the other kinds. */
enum { FLIES = 0, FIRST_STANDS = 1, SECOND_STANDS = 2, BOTH_STAND = 3, OTHERWISE = 4, ALONE = 5 };

ZI_SIM static int stance_of(const zi_island *in)
{
    int stance = FLIES;
    int is_plain = 1;
    if (in->joint[0].hinge->leg != ZI_LEG1) {
        return ALONE;
    }
    for (int i = 0; i < in->contacts; i++) {
        const int body = in->contact[i].body;
        const int bit = body == ZI_LEG1 ? FIRST_STANDS : SECOND_STANDS;
        is_plain &= body != ZI_LANDER && in->contact[i].count == 1 && !(stance & bit);
        stance |= bit;
    }
    return is_plain ? stance : in->contacts > MOST_OTHERS ? ALONE : OTHERWISE;
}

ZI_SIM static tie tie_of(const zi_joint_constraint *c)
{
    const zi_joint *j = c->joint;
    const tie t = {c->ra.x, c->ra.y, c->rb.x, c->rb.y, c->k11, c->k12,   c->k13,
                   c->k22,  c->k23,  j->x,    j->y,    j->z,   j->motor, j->limit};
    return t;
}

ZI_SIM static footing footing_of(const zi_constraint *c)
{
    const zi_constraint_point *p = &c->point[0];
    const footing f = {c->normal.x,     c->normal.y,       c->friction,       p->r.x, p->r.y, p->normal_mass,
                       p->tangent_mass, p->normal_impulse, p->tangent_impulse};
    return f;
}

ZI_SIM static void problem_of(const zi_island *in, int stance, problem *q)
{
    for (int b = 0; b < ZI_BODIES; b++) {
        q->body[b][0] = in->motion[b].v.x;
        q->body[b][1] = in->motion[b].v.y;
        q->body[b][2] = in->motion[b].w;
    }
    q->joint[FIRST_LEG] = tie_of(&in->joint[0]);
    q->joint[SECOND_LEG] = tie_of(&in->joint[1]);
    q->unrest = in->unrest;
    for (int i = 0; i < in->contacts && stance <= BOTH_STAND; i++) {
        if (in->contact[i].body == ZI_LEG1) {
            q->touch[FIRST_LEG] = footing_of(&in->contact[i]);
        } else {
            q->touch[SECOND_LEG] = footing_of(&in->contact[i]);
        }
    }
}

ZI_SIM static void others_of(const zi_island *in, others *o)
{
    o->count = in->contacts;
    for (int i = 0; i < in->contacts; i++) {
        const zi_constraint *c = &in->contact[i];
        o->contact[i].body = c->body;
        o->contact[i].points = c->count;
        o->contact[i].nx = c->normal.x;
        o->contact[i].ny = c->normal.y;
        o->contact[i].friction = c->friction;
        o->contact[i].k11 = c->k[0];
        o->contact[i].k12 = c->k[1];
        o->contact[i].k22 = c->k[2];
        o->contact[i].i11 = c->inverse[0];
        o->contact[i].i12 = c->inverse[1];
        o->contact[i].i22 = c->inverse[3];
        for (int k = 0; k < c->count; k++) {
            const zi_constraint_point *p = &c->point[k];
            float *to = o->contact[i].point[k];
            to[0] = p->r.x;
            to[1] = p->r.y;
            to[2] = p->normal_mass;
            to[3] = p->tangent_mass;
            to[4] = p->normal_impulse;
            to[5] = p->tangent_impulse;
        }
    }
}

/* Back into the island: what was solved. */
ZI_SIM static void solution_of(const problem *q, const others *o, int stance, zi_island *in)
{
    for (int b = 0; b < ZI_BODIES; b++) {
        in->motion[b].v = zi_vec_of(q->body[b][0], q->body[b][1]);
        in->motion[b].w = q->body[b][2];
    }
    for (int k = 0; k < ZI_JOINTS; k++) {
        zi_joint *j = in->joint[k].joint;
        j->x = q->joint[k].x;
        j->y = q->joint[k].y;
        j->z = q->joint[k].z;
        j->motor = q->joint[k].motor;
    }
    in->unrest = q->unrest;
    for (int i = 0; i < in->contacts; i++) {
        zi_constraint *c = &in->contact[i];
        if (stance == OTHERWISE) {
            c->count = o->contact[i].points;
            for (int k = 0; k < c->count; k++) {
                c->point[k].normal_impulse = o->contact[i].point[k][4];
                c->point[k].tangent_impulse = o->contact[i].point[k][5];
            }
        } else {
            const int is_first = c->body == ZI_LEG1;
            c->count = 1;
            c->point[0].normal_impulse = is_first ? q->touch[0].normal_impulse : q->touch[1].normal_impulse;
            c->point[0].tangent_impulse =
                is_first ? q->touch[0].tangent_impulse : q->touch[1].tangent_impulse;
        }
    }
}

/* ---- Into lanes and out ------------------------------------------------------------------------------ */

enum { ANY_LIMIT = -1 };

/* is_limited: whether a limit holds, if that is known, else ANY_LIMIT. */
INLINE void link_in(const tie *t, int leg, int is_limited, linkage *j)
{
    const float ia = zi_shape_table[0].inverse_inertia;
    const float ib = zi_shape_table[1].inverse_inertia;
    const int is_free = is_limited == ANY_LIMIT ? t->limit == ZI_LIMIT_NONE : !is_limited;
    j->rax = t->rax;
    j->ray = t->ray;
    j->rbx = t->rbx;
    j->rby = t->rby;
    j->k11 = t->k11;
    j->k12 = t->k12;
    j->k13 = t->k13;
    j->k22 = t->k22;
    j->k23 = t->k23;
    j->k33 = vf(ia + ib);
    j->x = t->x;
    j->y = t->y;
    j->z = t->z;
    j->motor = t->motor;
    j->motor_mass = 1.0F / (ia + ib);
    j->speed = leg == FIRST_LEG ? zi_hinges[1].speed : zi_hinges[0].speed;
    j->is_free = vi(-is_free);
    j->upper = vi(t->limit == ZI_LIMIT_UPPER ? INT32_MIN : 0);
    j->has_free = is_free;
    j->are_free = is_free;
    find_determinants(j);
}

INLINE void link_out(const linkage *j, tie *t)
{
    t->x = j->x.x;
    t->y = j->y.x;
    t->z = j->z.x;
    t->motor = j->motor.x;
}

INLINE void bodies_in(const problem *q, group *g)
{
    for (int b = 0; b < ZI_BODIES; b++) {
        g->body[b].vx = q->body[b][0];
        g->body[b].vy = q->body[b][1];
        g->body[b].w = q->body[b][2];
    }
}

INLINE void bodies_out(const group *g, problem *q)
{
    for (int b = 0; b < ZI_BODIES; b++) {
        q->body[b][0] = g->body[b].vx.x;
        q->body[b][1] = g->body[b].vy.x;
        q->body[b][2] = g->body[b].w.x;
    }
}

INLINE void touch_in(const footing *f, int body, touch *c)
{
    c->body = body;
    c->count = 1;
    c->is_partial = 0;
    c->nx = f->nx;
    c->ny = f->ny;
    c->friction = f->friction;
    c->point[0].rx = f->rx;
    c->point[0].ry = f->ry;
    c->point[0].normal_mass = f->normal_mass;
    c->point[0].tangent_mass = f->tangent_mass;
    c->point[0].normal_impulse = f->normal_impulse;
    c->point[0].tangent_impulse = f->tangent_impulse;
}

INLINE void touch_out(const touch *c, footing *f)
{
    f->normal_impulse = c->point[0].normal_impulse.x;
    f->tangent_impulse = c->point[0].tangent_impulse.x;
}

/* ---- Solving --------------------------------------------------------------------------------------------
 */

/* LIMITS: bits, which joints are at a limit, or ANY_LIMIT. */
template <int STANCE, int LIMITS> ZI_SIM static void solve_stance(problem *q, int looks)
{
    group g;
    enum { CONTACTS = (STANCE & 1) + (STANCE >> 1) };
    bodies_in(q, &g);
    link_in(&q->joint[FIRST_LEG], FIRST_LEG, LIMITS == ANY_LIMIT ? ANY_LIMIT : LIMITS & 1, &g.joint[0]);
    link_in(&q->joint[SECOND_LEG], SECOND_LEG, LIMITS == ANY_LIMIT ? ANY_LIMIT : LIMITS >> 1 & 1,
            &g.joint[1]);
    if (STANCE & FIRST_STANDS) {
        touch_in(&q->touch[FIRST_LEG], ZI_LEG1, &g.contact[0]);
    }
    if (STANCE & SECOND_STANDS) {
        touch_in(&q->touch[SECOND_LEG], ZI_LEG0, &g.contact[CONTACTS - 1]);
    }
    if (STANCE) {
        solve_in_contact(&g, NULL, CONTACTS);
        q->unrest = 0;
    } else {
        vi unrest[2] = {ZERO(vi), ZERO(vi)};
        solve_in_flight(&g, NULL, looks, 0, unrest);
        q->unrest = unrest[0].x != 0;
    }
    if (STANCE & FIRST_STANDS) {
        touch_out(&g.contact[0], &q->touch[FIRST_LEG]);
    }
    if (STANCE & SECOND_STANDS) {
        touch_out(&g.contact[CONTACTS - 1], &q->touch[SECOND_LEG]);
    }
    link_out(&g.joint[0], &q->joint[FIRST_LEG]);
    link_out(&g.joint[1], &q->joint[SECOND_LEG]);
    bodies_out(&g, q);
}

ZI_SIM static void solve_others(problem *q, others *o)
{
    group g;
    bodies_in(q, &g);
    link_in(&q->joint[FIRST_LEG], FIRST_LEG, ANY_LIMIT, &g.joint[0]);
    link_in(&q->joint[SECOND_LEG], SECOND_LEG, ANY_LIMIT, &g.joint[1]);
    for (int i = 0; i < o->count; i++) {
        touch *c = &g.contact[i];
        c->body = o->contact[i].body;
        c->count = o->contact[i].points;
        c->is_partial = 0;
        c->nx = o->contact[i].nx;
        c->ny = o->contact[i].ny;
        c->friction = o->contact[i].friction;
        c->k11 = o->contact[i].k11;
        c->k12 = o->contact[i].k12;
        c->k22 = o->contact[i].k22;
        c->i11 = o->contact[i].i11;
        c->i12 = o->contact[i].i12;
        c->i22 = o->contact[i].i22;
        for (int k = 0; k < c->count; k++) {
            memcpy(&c->point[k], o->contact[i].point[k], sizeof c->point[k]);
        }
    }
    solve_in_contact(&g, NULL, o->count);
    for (int i = 0; i < o->count; i++) {
        for (int k = 0; k < o->contact[i].points; k++) {
            o->contact[i].point[k][4] = g.contact[i].point[k].normal_impulse.x;
            o->contact[i].point[k][5] = g.contact[i].point[k].tangent_impulse.x;
        }
    }
    q->unrest = 0;
    link_out(&g.joint[0], &q->joint[FIRST_LEG]);
    link_out(&g.joint[1], &q->joint[SECOND_LEG]);
    bodies_out(&g, q);
}

/* ---- A world alone
 * ----------------------------------------------------------------------------------------- */

ZI_SIM static void solve_island(zi_island *in)
{
    const int stance = stance_of(in);
    problem q;
    others o;
    if (stance == ALONE) {
        zi_solve_scalar(in);
        in->unrest = 0;
        return;
    }
    problem_of(in, stance, &q);
    if (stance == OTHERWISE) {
        others_of(in, &o);
        solve_others(&q, &o);
    } else if (stance == BOTH_STAND) {
        solve_stance<BOTH_STAND, ANY_LIMIT>(&q, 0);
    } else if (stance == FIRST_STANDS) {
        solve_stance<FIRST_STANDS, ANY_LIMIT>(&q, 0);
    } else if (stance == SECOND_STANDS) {
        solve_stance<SECOND_STANDS, ANY_LIMIT>(&q, 0);
    } else {
        solve_stance<FLIES, ANY_LIMIT>(&q, in->unrest ? QUICK : LOOKS);
    }
    solution_of(&q, &o, stance, in);
}

ZI_SIM static void step_alone(zi_lander *l, const double *action)
{
    zi_island in;
    zi_lander_fire(l, action);
    zi_world_collide(&l->world);
    if (zi_world_prepare(&l->world, &in)) {
        in.unrest = l->world.unrest;
        solve_island(&in);
        l->world.unrest = in.unrest;
        zi_world_conclude(&l->world, &in);
    }
    zi_world_finish(&l->world);
    zi_lander_observe(l);
}

#endif
