/* The two controllers, one observation at a time.
 *
 * The quadratic policy: its terms that are not zero, added up in the order of the parameters (policy.c).
 *
 * Gymnasium's own controller: two proportional-derivative loops, one holds the angle that leads to
 * the middle, the other a height that grows with the distance from it; with a leg on the
 * ground only the fall is braked.
 *
 * In double precision from the single precision of the observation, as NumPy 1 computes it (NumPy 2
 * does so in single precision); tests/reference/lander/ holds the bits. */
#include "sim/pilot.h"

/* ---- The quadratic policy ---------------------------------------------------------------------- */

enum { INPUTS = ZILCH_LANDER_OBSERVATIONS, LINEAR_TERM = 1, QUADRATIC_TERM = LINEAR_TERM + INPUTS };

/* Where the parameter of s_i s_j stands, i <= j. */
ZI_SIM int zi_quadratic_index(int i, int j)
{
    return QUADRATIC_TERM + i * INPUTS - i * (i - 1) / 2 + (j - i);
}

ZI_SIM static void collect(zi_formula *f, double coefficient, int first, int second)
{
    if (coefficient != 0.0) {
        f->term[f->count++] = (zi_term){coefficient, first, second};
    }
}

ZI_SIM zi_formula zi_formula_of(const double *parameters)
{
    zi_formula f = {.bias = parameters[0] + 0.0}; /* -0 is 0 */
    for (int i = 0; i < INPUTS; i++) {
        collect(&f, parameters[LINEAR_TERM + i], i, -1);
    }
    for (int i = 0; i < INPUTS; i++) {
        for (int j = i; j < INPUTS; j++) {
            collect(&f, parameters[zi_quadratic_index(i, j)], i, j);
        }
    }
    return f;
}

ZI_SIM zi_policy zi_policy_of(const double *parameters)
{
    return (zi_policy){{zi_formula_of(parameters), zi_formula_of(parameters + ZILCH_POLICY_TERMS)}};
}

ZI_SIM static double evaluate(const zi_formula *f, const float *s)
{
    double sum = f->bias;
    for (int k = 0; k < f->count; k++) {
        const zi_term *t = &f->term[k];
        const double first = (double)s[t->first];
        sum += t->coefficient * (t->second < 0 ? first : first * (double)s[t->second]);
    }
    return sum < -1.0 ? -1.0 : sum > 1.0 ? 1.0 : sum == sum ? sum : 0.0;
}

ZI_SIM void zi_policy_act(const zi_policy *policy, const float *observation, double *action)
{
    for (int engine = 0; engine < ZILCH_LANDER_ACTIONS; engine++) {
        action[engine] = evaluate(&policy->engine[engine], observation);
    }
}

/* ---- Gymnasium's heuristic ---------------------------------------------------------------------- */

ZI_SIM static double within(double value, double limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

ZI_SIM void zi_heuristic_act(const float *observation, double *action)
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
