/* Gymnasium's lander around a world: engines, wind, ground, observation and reward. */
#ifndef ZI_LANDER_H
#define ZI_LANDER_H

#include "sim/pcg64.h"
#include "sim/world.h"

#include <stdint.h>

enum { ZI_OBSERVATIONS = 8, ZI_ACTIONS = 2, ZI_MOST_STEPS = 1000 };

typedef struct zi_lander {
    zi_world world;
    zi_pcg64 rng;
    double shaping;                /* after the last step */
    double main_power, side_power; /* of the step that is going on */
    double side_direction;         /* -1: left, 1: right */
    int64_t wind, turbulence;      /* how far each has come */
    int has_wind;
    double wind_power, turbulence_power;
    int steps, max_steps;
    float observation[ZI_OBSERVATIONS];
    double reward;
    int terminated, truncated;
    int is_ready; /* was reset */
} zi_lander;

ZI_SIM void zi_lander_reset(zi_lander *l, uint64_t seed, double gravity);
ZI_SIM void zi_lander_begin(zi_lander *l,
                            double gravity); /* the same, with the random numbers that come next */

/* Its beginning: a reset ends with a step without engines, whose reward and end do not count. */
ZI_SIM void zi_lander_build(zi_lander *l, double gravity);

/* One step; `action` holds main and side engine, from -1 to 1 (beyond is cut off). */
ZI_SIM void zi_lander_step(zi_lander *l, const double action[ZI_ACTIONS]);

/* What Gymnasium asks the C library for: sine and cosine of the lander's angle, and the wind at a time.
 * libm.c does so; a card has its own (cuda/libm.cuh). */
ZI_SIM void zi_sincos(double angle, double *sine, double *cosine);
ZI_SIM double zi_gust(int64_t time);
#define ZI_GUST(time) tanh(sin(0.02 * (time)) + sin(3.141592653589793 * 0.01 * (time)))

/* Its two halves, before and after the world's step. */
ZI_SIM void zi_lander_fire(zi_lander *l, const double action[ZI_ACTIONS]);
ZI_SIM void zi_lander_observe(zi_lander *l);

#endif
