/* A world that flies on a card: its step in two parts, up to the velocity problem and from its solution on,
 * so that another kernel can solve the problems of all worlds, those of a kind side by side. */
#ifndef ZI_CUDA_FLIGHT_CUH
#define ZI_CUDA_FLIGHT_CUH

#include "cuda/launch.h"
#include "cuda/rounds.cuh"

enum { IS_NEW, IS_BETWEEN, IS_SOLVING, IS_IDLE }; /* what a world waits for */

typedef struct alignas(16) flight {
    zi_lander lander;
    double total; /* of the rewards */
    uint64_t episode;
    int phase, stance, is_reset; /* reset: this step is that of a reset, and does not count */
    int contacts;
    unsigned char contact[MOST_OTHERS]; /* which of the world's contacts are being solved, in order */
} flight;

/* A new episode, but for the reset's own step; seeded before. */
ZI_SIM static void flight_begin(flight *f, const weather *w)
{
    zi_lander *l = &f->lander;
    l->has_wind = w->wind;
    l->wind_power = w->wind_power;
    l->turbulence_power = w->turbulence_power;
    l->max_steps = w->max_steps;
    zi_lander_build(l, w->gravity);
    l->is_ready = 1;
    f->total = 0.0;
    f->phase = IS_BETWEEN;
    f->is_reset = 1;
}

/* Kinds of problems, those that take long first; of each but the first, by which joints are at a limit. */
enum { OF_OTHERS, OF_BOTH, OF_FIRST, OF_SECOND, OF_RESTLESS, OF_QUICK };
enum { BUCKETS = 1 + OF_QUICK * 4, NO_PROBLEM = BUCKETS, LISTS };

ZI_SIM static int bucket_of(const problem *q, int stance)
{
    const int limits = (q->joint[0].limit != ZI_LIMIT_NONE) | (q->joint[1].limit != ZI_LIMIT_NONE) << 1;
    const int kind = stance == BOTH_STAND       ? OF_BOTH
                     : stance == FIRST_STANDS   ? OF_FIRST
                     : stance == SECOND_STANDS  ? OF_SECOND
                     : q->unrest || limits != 3 ? OF_RESTLESS
                                                : OF_QUICK;
    return stance == OTHERWISE ? OF_OTHERS : 1 + (kind - 1) * 4 + limits;
}

/* Up to the problem; gives its bucket, or NO_PROBLEM. */
ZI_SIM static int flight_prepare(flight *f, const double *action, problem *q, others *o)
{
    zi_world *world = &f->lander.world;
    zi_island in;
    zi_lander_fire(&f->lander, action);
    zi_world_collide(world);
    f->phase = IS_BETWEEN;
    if (!zi_world_prepare(world, &in)) {
        return NO_PROBLEM;
    }
    in.unrest = world->unrest;
    f->stance = stance_of(&in);
    if (f->stance == ALONE) {
        zi_solve_scalar(&in);
        world->unrest = 0;
        zi_world_conclude(world, &in);
        return NO_PROBLEM;
    }
    problem_of(&in, f->stance, q);
    if (f->stance == OTHERWISE) {
        others_of(&in, o);
    }
    f->contacts = in.contacts;
    for (int i = 0; i < in.contacts; i++) {
        f->contact[i] = (unsigned char)(in.contact[i].contact - world->contact);
    }
    f->phase = IS_SOLVING;
    return bucket_of(q, f->stance);
}

/* The island again, as far as it is needed after its solution. */
ZI_SIM static void island_again(flight *f, zi_island *in)
{
    zi_world *world = &f->lander.world;
    for (int i = 0; i < ZI_BODIES; i++) {
        in->motion[i].c = world->body[i].sweep.c;
        in->motion[i].a = world->body[i].sweep.a;
    }
    for (int i = 0; i < ZI_JOINTS; i++) {
        in->joint[i].hinge = &zi_hinges[1 - i];
        in->joint[i].joint = &world->joint[1 - i];
        in->joint[i].motor_mass =
            1.0F / (zi_shape_table[0].inverse_inertia + zi_shape_table[1].inverse_inertia);
    }
    in->contacts = f->contacts;
    for (int i = 0; i < f->contacts; i++) {
        zi_constraint *c = &in->contact[i];
        c->contact = &world->contact[f->contact[i]];
        c->body = c->contact->body;
        c->shape = zi_shape_of(c->body);
    }
}

/* From the solution to the end of the step. */
ZI_SIM static void flight_conclude(flight *f, const problem *q, const others *o)
{
    zi_lander *l = &f->lander;
    if (f->phase == IS_SOLVING) {
        zi_island in;
        island_again(f, &in);
        solution_of(q, o, f->stance, &in);
        l->world.unrest = in.unrest;
        zi_world_conclude(&l->world, &in);
    }
    f->phase = IS_BETWEEN;
    zi_world_finish(&l->world);
    zi_lander_observe(l);
    if (f->is_reset) {
        f->is_reset = 0;
        l->terminated = 0;
        l->reward = 0.0;
    } else {
        f->total += l->reward;
    }
}

ZI_SIM static int flight_is_over(const flight *f)
{
    return f->lander.terminated || f->lander.truncated;
}

ZI_SIM static zilch_episode flight_result(const flight *f)
{
    const zi_lander *l = &f->lander;
    zilch_episode e;
    e.total = f->total;
    e.steps = (unsigned)l->steps;
    e.ending = l->terminated  ? !l->world.body[ZI_LANDER].is_awake ? ZILCH_LANDING_LANDED
                                : l->world.touch.crashed           ? ZILCH_LANDING_CRASHED
                                                                   : ZILCH_LANDING_OUT
               : l->truncated ? ZILCH_LANDING_TRUNCATED
                              : ZILCH_LANDING_FLYING;
    return e;
}

/* ---- Solving by buckets --------------------------------------------------------------------------- */

ZI_SIM static void solve_bucket(int bucket, problem *q, others *o)
{
    const int limits = (bucket - 1) & 3;
    const int kind = bucket ? 1 + (bucket - 1) / 4 : OF_OTHERS;
    if (kind == OF_QUICK) {
        solve_stance<FLIES, 3>(q, LOOKS);
    } else if (kind == OF_RESTLESS) {
        solve_stance<FLIES, ANY_LIMIT>(q, QUICK);
    } else if (kind == OF_BOTH && limits == 3) {
        solve_stance<BOTH_STAND, 3>(q, 0);
    } else if (kind == OF_BOTH) {
        solve_stance<BOTH_STAND, ANY_LIMIT>(q, 0);
    } else if (kind == OF_FIRST) {
        solve_stance<FIRST_STANDS, ANY_LIMIT>(q, 0);
    } else if (kind == OF_SECOND) {
        solve_stance<SECOND_STANDS, ANY_LIMIT>(q, 0);
    } else {
        solve_others(q, o);
    }
}

#endif
