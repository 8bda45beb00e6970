/* A batch of landers behind the public interface. */
#include "sim/batch.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS_MOST = 1000000000 };

zilch_lander_options zilch_lander_defaults(void)
{
    return (zilch_lander_options){.size = sizeof(zilch_lander_options),
                                  .gravity = -10.0,
                                  .wind = 0,
                                  .wind_power = 15.0,
                                  .turbulence_power = 1.5,
                                  .max_steps = ZILCH_LANDER_MAX_STEPS,
                                  .lanes = 0};
}

static zilch_status check_options(const zilch_lander_options *o)
{
    if (o->size != sizeof *o) {
        return zi_fail(ZILCH_EARG, "lander: begin from zilch_lander_defaults()");
    }
    if (!(o->gravity > -12.0 && o->gravity < 0.0)) {
        return zi_fail(ZILCH_EARG, "lander: gravity must be between -12 and 0, not %g", o->gravity);
    }
    if (o->wind != 0 && o->wind != 1) {
        return zi_fail(ZILCH_EARG, "lander: wind must be 0 or 1, not %d", o->wind);
    }
    if (!(o->wind_power >= 0.0 && o->wind_power <= 20.0)) {
        return zi_fail(ZILCH_EARG, "lander: the wind's power must be from 0 to 20, not %g", o->wind_power);
    }
    if (!(o->turbulence_power >= 0.0 && o->turbulence_power <= 2.0)) {
        return zi_fail(ZILCH_EARG, "lander: the turbulence's power must be from 0 to 2, not %g",
                       o->turbulence_power);
    }
    if (o->max_steps < 1 || o->max_steps > MOST_STEPS_MOST) {
        return zi_fail(ZILCH_EARG, "lander: an episode's most steps must be from 1 to %d, not %u",
                       MOST_STEPS_MOST, o->max_steps);
    }
    if (o->lanes != 0 && o->lanes != 1 && o->lanes != 4 && o->lanes != 8 && o->lanes != 16) {
        return zi_fail(ZILCH_EARG, "lander: lanes must be 1, 4, 8 or 16, or 0 for the best, not %u",
                       o->lanes);
    }
    return ZILCH_OK;
}

/* ---- Lanes --------------------------------------------------------------------------- */

static unsigned widest(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("avx2") ? 8 : 4;
#else
    return 4;
#endif
}

static zilch_status check_lanes(unsigned lanes)
{
    if (lanes > widest()) {
        return zi_fail(ZILCH_EUNAVAILABLE, "lander: %u lanes are more than this processor has; it has %u",
                       lanes, widest());
    }
    return ZILCH_OK;
}

static void choose_lanes(zilch_lander *l)
{
    l->lanes = l->options.lanes ? l->options.lanes : widest();
    l->solve = l->lanes == 16  ? zi_solve_lanes16
               : l->lanes == 8 ? zi_solve_lanes8
               : l->lanes == 4 ? zi_solve_lanes4
                               : NULL;
}

/* ---- Memory --------------------------------------------------------------------------- */

static zilch_status allocate(zilch_lander *l)
{
    const size_t n = l->worlds;
    ZI_TRY(zi_alloc(&l->rider, n < ZI_CHUNK ? n : ZI_CHUNK));
    ZI_TRY(zi_alloc(&l->world, n));
    ZI_TRY(zi_alloc(&l->observation, n * ZI_OBSERVATIONS));
    ZI_TRY(zi_alloc(&l->reward, n));
    ZI_TRY(zi_alloc(&l->terminated, 2 * n));
    memset(l->world, 0, n * sizeof *l->world);
    memset(l->observation, 0, n * ZI_OBSERVATIONS * sizeof *l->observation);
    memset(l->reward, 0, n * sizeof *l->reward);
    memset(l->terminated, 0, 2 * n);
    l->truncated = l->terminated + n;
    return ZILCH_OK;
}

zilch_status zilch_lander_create(zilch_lander **out, size_t worlds, const zilch_lander_options *options)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "lander: no place for it given");
    }
    *out = NULL;
    const zilch_lander_options chosen = options ? *options : zilch_lander_defaults();
    ZI_TRY(check_options(&chosen));
    ZI_TRY(check_lanes(chosen.lanes));
    if (worlds < 1) {
        return zi_fail(ZILCH_EARG, "lander: needs at least one world");
    }
    zilch_lander *l;
    ZI_TRY(zi_alloc(&l, 1));
    *l = (zilch_lander){.worlds = worlds, .options = chosen};
    choose_lanes(l);
    const zilch_status status = allocate(l);
    if (status != ZILCH_OK) {
        zilch_lander_destroy(l);
        return status;
    }
    *out = l;
    return ZILCH_OK;
}

void zilch_lander_destroy(zilch_lander *lander)
{
    if (lander) {
        zi_free(lander->rider);
        zi_free(lander->world);
        zi_free(lander->observation);
        zi_free(lander->reward);
        zi_free(lander->terminated);
        zi_free(lander);
    }
}

/* ---- Worlds that are listed ---------------------------------------------------------------- */

static void publish(zilch_lander *l, size_t i)
{
    const zi_lander *w = &l->world[i];
    memcpy(l->observation + i * ZI_OBSERVATIONS, w->observation, sizeof w->observation);
    l->reward[i] = w->reward;
    l->terminated[i] = (unsigned char)w->terminated;
    l->truncated[i] = (unsigned char)w->truncated;
}

static int is_over(const zi_lander *w)
{
    return w->terminated || w->truncated;
}

/* From the actions to the contacts. Worlds that cannot take a lane are solved alone; gives how many can. */
static size_t begin_steps(zilch_lander *l, const double *actions, const size_t *world, size_t count)
{
    static const double nothing[ZI_ACTIONS] = {0.0, 0.0};
    size_t riders = 0;
    for (size_t k = 0; k < count; k++) {
        zi_lander *w = &l->world[world[k]];
        zi_lander_fire(w, actions ? actions + ZI_ACTIONS * world[k] : nothing);
        zi_world_collide(&w->world);
        if (l->solve && zi_world_board(&w->world, &l->rider[riders])) {
            riders++;
        } else {
            zi_world_solve(&w->world);
        }
    }
    return riders;
}

/* At most ZI_CHUNK worlds, which are listed. Without actions all engines are off. */
static void step_listed(zilch_lander *l, const double *actions, const size_t *world, size_t count)
{
    const size_t riders = begin_steps(l, actions, world, count);
    zi_riders_solve(l->solve, l->lanes, l->rider, riders);
    for (size_t k = 0; k < riders; k++) {
        l->rider[k].world->unrest = l->rider[k].unrest;
        zi_world_rest(l->rider[k].world, l->rider[k].is_solved);
    }
    for (size_t k = 0; k < count; k++) {
        zi_lander *w = &l->world[world[k]];
        zi_world_finish(&w->world);
        zi_lander_observe(w);
        publish(l, world[k]);
    }
}

/* ---- Resetting --------------------------------------------------------------------------- */

/* At most ZI_CHUNK worlds, whose random numbers are there. */
static void begin_listed(zilch_lander *l, const size_t *world, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        zi_lander *w = &l->world[world[k]];
        w->has_wind = l->options.wind;
        w->wind_power = l->options.wind_power;
        w->turbulence_power = l->options.turbulence_power;
        w->max_steps = (int)l->options.max_steps;
        w->is_ready = 1;
        zi_lander_build(w, l->options.gravity);
    }
    step_listed(l, NULL, world, count);
    for (size_t k = 0; k < count; k++) {
        l->world[world[k]].terminated = 0;
        l->terminated[world[k]] = 0;
        l->reward[world[k]] = 0.0;
    }
}

zilch_status zilch_lander_reset(zilch_lander *lander, size_t world, uint64_t seed)
{
    if (!lander || world >= lander->worlds) {
        return zi_fail(ZILCH_EARG, "lander: there is no world %zu", world);
    }
    lander->world[world].rng = zi_pcg64_seed(seed);
    begin_listed(lander, &world, 1);
    return ZILCH_OK;
}

zilch_status zilch_lander_restart(zilch_lander *lander, size_t world)
{
    if (!lander || world >= lander->worlds) {
        return zi_fail(ZILCH_EARG, "lander: there is no world %zu", world);
    }
    if (!lander->world[world].is_ready) {
        return zi_fail(ZILCH_ESTATE, "lander: world %zu was never reset", world);
    }
    begin_listed(lander, &world, 1);
    return ZILCH_OK;
}

zilch_status zilch_lander_reset_many(zilch_lander *lander, const unsigned char *mask, const uint64_t *seeds)
{
    if (!lander) {
        return zi_fail(ZILCH_EARG, "lander: no lander given");
    }
    for (size_t i = 0; i < lander->worlds && !seeds; i++) {
        if ((!mask || mask[i]) && !lander->world[i].is_ready) {
            return zi_fail(ZILCH_ESTATE, "lander: world %zu was never reset", i);
        }
    }
    size_t listed[ZI_CHUNK];
    size_t count = 0;
    for (size_t i = 0; i < lander->worlds; i++) {
        if (!mask || mask[i]) {
            listed[count++] = i;
            lander->world[i].rng = seeds ? zi_pcg64_seed(seeds[i]) : lander->world[i].rng;
        }
        if (count == ZI_CHUNK || (count > 0 && i + 1 == lander->worlds)) {
            begin_listed(lander, listed, count);
            count = 0;
        }
    }
    return ZILCH_OK;
}

/* ---- Stepping ---------------------------------------------------------------------------- */

static zilch_status check_actions(const zilch_lander *l, const double *actions)
{
    for (size_t i = 0; i < l->worlds; i++) {
        if (!l->world[i].is_ready) {
            return zi_fail(ZILCH_ESTATE, "lander: world %zu was never reset", i);
        }
        if (isnan(actions[2 * i]) || isnan(actions[2 * i + 1])) {
            return zi_fail(ZILCH_EARG, "lander: the action of world %zu is not a number", i);
        }
    }
    return ZILCH_OK;
}

zilch_status zilch_lander_step(zilch_lander *lander, const double *actions)
{
    if (!lander || !actions) {
        return zi_fail(ZILCH_EARG, "lander: lander and actions must be given");
    }
    ZI_TRY(check_actions(lander, actions));
    size_t listed[ZI_CHUNK];
    size_t count = 0;
    for (size_t i = 0; i < lander->worlds; i++) {
        if (!is_over(&lander->world[i])) {
            listed[count++] = i;
        }
        if (count == ZI_CHUNK || (count > 0 && i + 1 == lander->worlds)) {
            step_listed(lander, actions, listed, count);
            count = 0;
        }
    }
    return ZILCH_OK;
}

zilch_status zilch_lander_discrete(unsigned action, double out[2])
{
    static const double actions[][2] = {{0.0, 0.0}, {0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};
    if (action >= sizeof actions / sizeof *actions || !out) {
        return zi_fail(ZILCH_EARG, "lander: a discrete action is 0 to 3, not %u", action);
    }
    memcpy(out, actions[action], sizeof actions[action]);
    return ZILCH_OK;
}

/* ---- Reading -------------------------------------------------------------------------------- */

size_t zilch_lander_worlds(const zilch_lander *lander)
{
    return lander->worlds;
}

const float *zilch_lander_observations(const zilch_lander *lander)
{
    return lander->observation;
}

const double *zilch_lander_rewards(const zilch_lander *lander)
{
    return lander->reward;
}

const unsigned char *zilch_lander_terminated(const zilch_lander *lander)
{
    return lander->terminated;
}

const unsigned char *zilch_lander_truncated(const zilch_lander *lander)
{
    return lander->truncated;
}

static zilch_landing landing_of(const zi_lander *w)
{
    return w->terminated  ? !w->world.body[ZI_LANDER].is_awake ? ZILCH_LANDING_LANDED
                            : w->world.touch.crashed           ? ZILCH_LANDING_CRASHED
                                                               : ZILCH_LANDING_OUT
           : w->truncated ? ZILCH_LANDING_TRUNCATED
                          : ZILCH_LANDING_FLYING;
}

zilch_status zilch_lander_view(const zilch_lander *lander, size_t world, zilch_world_view *out)
{
    if (!lander || world >= lander->worlds || !out) {
        return zi_fail(ZILCH_EARG, "lander: there is no world %zu to look at, or no place for it", world);
    }
    const zi_lander *w = &lander->world[world];
    *out = (zilch_world_view){.landing = landing_of(w),
                              .steps = (unsigned)w->steps,
                              .leg_touches = {w->world.touch.leg[0], w->world.touch.leg[1]},
                              .main_power = w->main_power,
                              .side_power = w->side_power * w->side_direction,
                              .helipad = 400.0 / 30.0 / 4.0};
    for (int i = 0; i < ZI_BODIES; i++) {
        out->x[i] = (double)w->world.body[i].pose.p.x;
        out->y[i] = (double)w->world.body[i].pose.p.y;
        out->angle[i] = (double)w->world.body[i].sweep.a;
    }
    for (int i = 1; i < ZI_EDGES; i++) {
        out->ground[i - 1] = (double)w->world.edge[i].v1.y;
        out->ground[i] = (double)w->world.edge[i].v2.y;
    }
    return ZILCH_OK;
}
