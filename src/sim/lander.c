/* The environment, in double precision around the single precision of the world: every number
 * given to the world is rounded once, every number read from it is exact. */
#include "sim/lander.h"

static const double width = 600.0 / 30.0;
static const double height = 400.0 / 30.0;
static const double scale = 30.0;
static const double pad = (400.0 / 30.0) / 4.0;

/* ---- Ground ---------------------------------------------------------------------------- */

enum { CHUNKS = 11 };

/* Random heights, smoothed, with a flat pad in the middle. */
ZI_SIM static void draw_ground(zi_pcg64 *rng, double ground[CHUNKS])
{
    double h[CHUNKS + 1];
    for (int i = 0; i <= CHUNKS; i++) {
        h[i] = zi_pcg64_uniform(rng, 0.0, height / 2.0);
    }
    for (int i = CHUNKS / 2 - 2; i <= CHUNKS / 2 + 2; i++) {
        h[i] = pad;
    }
    for (int i = 0; i < CHUNKS; i++) {
        ground[i] = 0.33 * (h[i > 0 ? i - 1 : CHUNKS] + h[i] + h[i + 1]);
    }
}

/* ---- Engines and wind --------------------------------------------------------------------- */

ZI_SIM static double limited(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

typedef struct heading {
    double sine, cosine;
    double x, y; /* of the body's origin */
    double disperse[2];
} heading;

ZI_SIM static void push(zi_lander *l, double ox, double oy, double power, double share, double x, double y)
{
    const zi_vec impulse = {(float)(-ox * power * share), (float)(-oy * power * share)};
    zi_world_push(&l->world, impulse, zi_vec_of((float)x, (float)y));
}

ZI_SIM static void fire_main(zi_lander *l, const heading *h, double throttle)
{
    const double below = 4.0 / scale + 2.0 * h->disperse[0];
    const double ox = h->sine * below + -h->cosine * h->disperse[1];
    const double oy = -h->cosine * below - h->sine * h->disperse[1];
    l->main_power = (limited(throttle, 0.0, 1.0) + 1.0) * 0.5;
    push(l, ox, oy, 13.0, l->main_power, h->x + ox, h->y + oy);
}

ZI_SIM static void fire_side(zi_lander *l, const heading *h, double throttle)
{
    const double direction = throttle < 0.0 ? -1.0 : 1.0;
    const double aside = 3.0 * h->disperse[1] + direction * 12.0 / scale;
    const double ox = h->sine * h->disperse[0] + -h->cosine * aside;
    const double oy = -h->cosine * h->disperse[0] - h->sine * aside;
    l->side_direction = direction;
    l->side_power = limited(direction * throttle, 0.5, 1.0);
    push(l, ox, oy, 0.6, l->side_power, h->x + ox - h->sine * 17.0 / scale,
         h->y + oy + h->cosine * 14.0 / scale);
}

/* Only in the air. */
ZI_SIM static void blow(zi_lander *l)
{
    if (!l->has_wind || l->world.touch.leg[0] || l->world.touch.leg[1]) {
        return;
    }
    l->world.force.x += (float)(zi_gust(l->wind++) * l->wind_power);
    l->world.torque += (float)(zi_gust(l->turbulence++) * l->turbulence_power);
}

ZI_SIM void zi_lander_fire(zi_lander *l, const double action[ZI_ACTIONS])
{
    blow(l);
    const zi_body *b = &l->world.body[ZI_LANDER];
    const double angle = (double)b->sweep.a;
    heading h = {.x = (double)b->pose.p.x, .y = (double)b->pose.p.y};
    zi_sincos(angle, &h.sine, &h.cosine);
    h.disperse[0] = zi_pcg64_uniform(&l->rng, -1.0, 1.0) / scale;
    h.disperse[1] = zi_pcg64_uniform(&l->rng, -1.0, 1.0) / scale;
    const double main = limited(action[0], -1.0, 1.0);
    const double side = limited(action[1], -1.0, 1.0);
    l->main_power = 0.0;
    l->side_power = 0.0;
    l->side_direction = 1.0;
    if (main > 0.0) {
        fire_main(l, &h, main);
    }
    if (fabs(side) > 0.5) {
        fire_side(l, &h, side);
    }
}

/* ---- Observation and reward ------------------------------------------------------------------ */

ZI_SIM static void look(const zi_lander *l, double state[ZI_OBSERVATIONS])
{
    const zi_body *b = &l->world.body[ZI_LANDER];
    state[0] = ((double)b->pose.p.x - width / 2.0) / (width / 2.0);
    state[1] = ((double)b->pose.p.y - (pad + 18.0 / scale)) / (height / 2.0);
    state[2] = (double)b->v.x * (width / 2.0) / 50.0;
    state[3] = (double)b->v.y * (height / 2.0) / 50.0;
    state[4] = (double)b->sweep.a;
    state[5] = 20.0 * (double)b->w / 50.0;
    state[6] = l->world.touch.leg[0] ? 1.0 : 0.0;
    state[7] = l->world.touch.leg[1] ? 1.0 : 0.0;
}

ZI_SIM static double shaping_of(const double s[ZI_OBSERVATIONS])
{
    return -100.0 * sqrt(s[0] * s[0] + s[1] * s[1]) - 100.0 * sqrt(s[2] * s[2] + s[3] * s[3]) -
           100.0 * fabs(s[4]) + 10.0 * s[6] + 10.0 * s[7];
}

ZI_SIM void zi_lander_observe(zi_lander *l)
{
    double state[ZI_OBSERVATIONS];
    look(l, state);
    const double shaping = shaping_of(state);
    l->reward = shaping - l->shaping;
    l->reward -= l->main_power * 0.30;
    l->reward -= l->side_power * 0.03;
    l->shaping = shaping;
    if (l->world.touch.crashed || fabs(state[0]) >= 1.0) {
        l->terminated = 1;
        l->reward = -100.0;
    }
    if (!l->world.body[ZI_LANDER].is_awake) {
        l->terminated = 1;
        l->reward = 100.0;
    }
    l->steps++;
    l->truncated = l->steps >= l->max_steps;
    for (int i = 0; i < ZI_OBSERVATIONS; i++) {
        l->observation[i] = (float)state[i];
    }
}

ZI_SIM void zi_lander_step(zi_lander *l, const double action[ZI_ACTIONS])
{
    zi_lander_fire(l, action);
    zi_world_step(&l->world);
    zi_lander_observe(l);
}

ZI_SIM void zi_lander_build(zi_lander *l, double gravity)
{
    double ground[CHUNKS];
    draw_ground(&l->rng, ground);
    zi_world_build(&l->world, ground, gravity);
    l->world.force.x = (float)zi_pcg64_uniform(&l->rng, -1000.0, 1000.0);
    l->world.force.y = (float)zi_pcg64_uniform(&l->rng, -1000.0, 1000.0);
    if (l->has_wind) {
        l->wind = zi_pcg64_integer(&l->rng, -9999, 9999);
        l->turbulence = zi_pcg64_integer(&l->rng, -9999, 9999);
    }
    l->steps = -1;
    l->shaping = 0.0;
    l->terminated = 0;
    l->truncated = 0;
}

ZI_SIM void zi_lander_begin(zi_lander *l, double gravity)
{
    static const double nothing[ZI_ACTIONS] = {0.0, 0.0};
    zi_lander_build(l, gravity);
    zi_lander_step(l, nothing);
    l->terminated = 0;
}

ZI_SIM void zi_lander_reset(zi_lander *l, uint64_t seed, double gravity)
{
    l->rng = zi_pcg64_seed(seed);
    l->max_steps = ZI_MOST_STEPS;
    zi_lander_begin(l, gravity);
}
