/* Gymnasium's own controller (pilot.c) on many observations. */
#include "sim/pilot.h"

void zilch_lander_heuristic(size_t n, const float *observations, double *actions)
{
    for (size_t k = 0; k < n; k++) {
        zi_heuristic_act(observations + k * ZILCH_LANDER_OBSERVATIONS, actions + k * ZILCH_LANDER_ACTIONS);
    }
}
