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

void zi_lander_reset(zi_lander *l, uint64_t seed, double gravity);
void zi_lander_begin(zi_lander *l, double gravity); /* the same, with the random numbers that come next */

/* One step; `action` holds main and side engine, from -1 to 1 (beyond is cut off). */
void zi_lander_step(zi_lander *l, const double action[ZI_ACTIONS]);

/* Its two halves, before and after the world's step. */
void zi_lander_fire(zi_lander *l, const double action[ZI_ACTIONS]);
void zi_lander_observe(zi_lander *l);

#endif
