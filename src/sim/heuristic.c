/* Gymnasium's own controller: two proportional-derivative loops, one holds the angle that leads to
 * the middle, the other a height that grows with the distance from it; with a leg on the
 * ground only the fall is braked.
 *
 * In double precision from the single precision of the observation, as NumPy 1 computes it (NumPy 2
 * does so in single precision); tests/reference/lander/ holds the bits. */
#include "zilch.h"

static double within(double value, double limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

static void act(const float *observation, double *action)
{
    const double x = (double)observation[0];
    const double y = (double)observation[1];
    const double vx = (double)observation[2];
    const double vy = (double)observation[3];
    const double angle = (double)observation[4];
    const double spin = (double)observation[5];
    double lift;
    double turn;
    if (observation[6] != 0.0F || observation[7] != 0.0F) {
        lift = -vy * 0.5;
        turn = -0.0; /* so that the action is +0 */
    } else {
        const double aim = within(x * 0.5 + vx, 0.4);
        const double height = 0.55 * (x < 0.0 ? -x : x);
        lift = (height - y) * 0.5 - vy * 0.5;
        turn = (aim - angle) * 0.5 - spin;
    }
    action[0] = within(lift * 20.0 - 1.0, 1.0);
    action[1] = within(-turn * 20.0, 1.0);
}

void zilch_lander_heuristic(size_t n, const float *observations, double *actions)
{
    for (size_t k = 0; k < n; k++) {
        act(observations + k * ZILCH_LANDER_OBSERVATIONS, actions + k * ZILCH_LANDER_ACTIONS);
    }
}
