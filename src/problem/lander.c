/* The Lunar Lander: a point is a quadratic policy, its value the mean return of some landings. All landings
 * of a batch are played at once; a world whose landing has ended takes the next one, so that the lanes stay
 * busy. A landing's return does not depend on the others. */
#include "base/memory.h"
#include "base/rng.h"
#include "problem/problem.h"
#include "sim/policy.h"

#include <stddef.h>
#include <string.h>

enum { MOST_WORLDS = 1024 };
enum { SEEDS_FRESH, SEEDS_COMMON };

typedef struct landing_problem {
    size_t episodes;
    unsigned seeds;
    double gravity;
    size_t wind;
    double wind_power, turbulence_power;
} landing_problem;

static const zi_setting setting[] = {
    {.name = "episodes",
     .kind = ZI_COUNT,
     .offset = offsetof(landing_problem, episodes),
     .fallback = 8,
     .low = 1,
     .high = 1e6},
    {.name = "seeds",
     .kind = ZI_CHOICE,
     .offset = offsetof(landing_problem, seeds),
     .fallback = SEEDS_FRESH,
     .choice = {"fresh", "common"}},
    {.name = "gravity",
     .kind = ZI_REAL,
     .offset = offsetof(landing_problem, gravity),
     .fallback = -10,
     .low = -12,
     .high = 0,
     .is_open = 1},
    {.name = "wind",
     .kind = ZI_COUNT,
     .offset = offsetof(landing_problem, wind),
     .fallback = 0,
     .low = 0,
     .high = 1},
    {.name = "wind_power",
     .kind = ZI_REAL,
     .offset = offsetof(landing_problem, wind_power),
     .fallback = 15,
     .low = 0,
     .high = 20},
    {.name = "turbulence_power",
     .kind = ZI_REAL,
     .offset = offsetof(landing_problem, turbulence_power),
     .fallback = 1.5,
     .low = 0,
     .high = 2},
};

static zilch_status open_lander(zilch_problem *problem)
{
    problem->info.dim = ZILCH_POLICY_PARAMETERS;
    problem->info.direction = ZILCH_MAXIMIZE;
    problem->info.price = 2.0;
    problem->info.is_noisy = 1;
    return ZILCH_OK;
}

/* ---- Landings ------------------------------------------------------------------------------------- */

/* Landing number k is landing k % episodes of point k / episodes. */
typedef struct match {
    const zilch_problem *problem;
    const zilch_batch *batch;
    size_t episodes, landings, next, playing;
    zi_policy *policy; /* by point */
    double *total;     /* by landing */
    zilch_lander *lander;
    size_t worlds;
    size_t *landing; /* by world: which one it plays; `landings`: none any more */
    double *action;
} match;

/* Seeds of the search have their highest bit set: those below 2^63 stay for who wants to test what was found.
 * Evaluations after the search are fresh in any case. */
static uint64_t seed_of(const match *m, size_t landing)
{
    const landing_problem *setting_of = m->problem->state;
    const zilch_batch *batch = m->batch;
    const int common = setting_of->seeds == SEEDS_COMMON && batch->generation != UINT64_MAX;
    const uint64_t stream = common ? ~batch->generation : batch->id[landing / m->episodes];
    uint64_t word[2];
    zi_philox_block(zi_problem_rng(m->problem, stream).key, stream, landing % m->episodes, word);
    return word[0] | UINT64_C(1) << 63;
}

static zilch_status begin_landing(match *m, size_t world)
{
    m->landing[world] = m->next;
    if (m->next == m->landings) {
        return ZILCH_OK;
    }
    m->playing++;
    m->total[m->next] = 0.0;
    return zilch_lander_reset(m->lander, world, seed_of(m, m->next++));
}

static zilch_status step(match *m)
{
    const float *observation = zilch_lander_observations(m->lander);
    const double *reward = zilch_lander_rewards(m->lander);
    const unsigned char *terminated = zilch_lander_terminated(m->lander);
    const unsigned char *truncated = zilch_lander_truncated(m->lander);
    for (size_t i = 0; i < m->worlds; i++) {
        if (m->landing[i] < m->landings) {
            zi_policy_act(&m->policy[m->landing[i] / m->episodes],
                          observation + i * ZILCH_LANDER_OBSERVATIONS, m->action + i * ZILCH_LANDER_ACTIONS);
        }
    }
    ZI_TRY(zilch_lander_step(m->lander, m->action));
    for (size_t i = 0; i < m->worlds; i++) {
        if (m->landing[i] == m->landings) {
            continue;
        }
        m->total[m->landing[i]] += reward[i];
        if (terminated[i] || truncated[i]) {
            m->playing--;
            ZI_TRY(begin_landing(m, i));
        }
    }
    return ZILCH_OK;
}

static zilch_status play(match *m)
{
    for (size_t i = 0; i < m->worlds; i++) {
        ZI_TRY(begin_landing(m, i));
    }
    while (m->playing > 0) {
        ZI_TRY(step(m));
    }
    return ZILCH_OK;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

static zilch_status prepare(match *m)
{
    const landing_problem *s = m->problem->state;
    zilch_lander_options options = zilch_lander_defaults();
    options.gravity = s->gravity;
    options.wind = (int)s->wind;
    options.wind_power = s->wind_power;
    options.turbulence_power = s->turbulence_power;
    m->worlds = m->landings < MOST_WORLDS ? m->landings : MOST_WORLDS;
    ZI_TRY(zi_alloc(&m->policy, m->batch->n));
    ZI_TRY(zi_alloc(&m->total, m->landings));
    ZI_TRY(zi_alloc(&m->landing, m->worlds));
    ZI_TRY(zi_alloc(&m->action, m->worlds * ZILCH_LANDER_ACTIONS));
    memset(m->action, 0, m->worlds * ZILCH_LANDER_ACTIONS * sizeof *m->action);
    for (size_t i = 0; i < m->batch->n; i++) {
        m->policy[i] = zi_policy_of(m->batch->x + i * ZILCH_POLICY_PARAMETERS);
    }
    return zilch_lander_create(&m->lander, m->worlds, &options);
}

static void clear_up(match *m)
{
    zilch_lander_destroy(m->lander);
    zi_free(m->policy);
    zi_free(m->total);
    zi_free(m->landing);
    zi_free(m->action);
}

static zilch_status evaluate_lander(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const landing_problem *s = problem->state;
    match m = {.problem = problem, .batch = batch, .episodes = s->episodes};
    if (batch->n == 0) {
        return ZILCH_OK;
    }
    if (!zi_multiply(batch->n, s->episodes, &m.landings)) {
        return zi_fail(ZILCH_EARG, "lander: more landings than can be counted");
    }
    zilch_status status = prepare(&m);
    status = status == ZILCH_OK ? play(&m) : status;
    for (size_t i = 0; i < batch->n && status == ZILCH_OK; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < s->episodes; k++) {
            sum += m.total[i * s->episodes + k];
        }
        value[i] = sum / (double)s->episodes;
    }
    clear_up(&m);
    return status;
}

const zi_family zi_lander_family = {
    .state_bytes = sizeof(landing_problem),
    .settings = {sizeof setting / sizeof *setting, setting},
    .open = open_lander,
    .evaluate = evaluate_lander,
};
