/* The Lunar Lander: a point is a quadratic policy, its value the mean return of some landings. All landings
 * of a batch are flown at once. A landing's return does not depend on the others. */
#include "base/memory.h"
#include "base/rng.h"
#include "problem/problem.h"
#include "sim/episodes.h"

#include <math.h>
#include <stddef.h>

enum { SEEDS_FRESH, SEEDS_COMMON };

typedef struct landing_problem {
    size_t episodes;
    unsigned seeds;
    double gravity;
    size_t wind;
    double wind_power, turbulence_power;
} landing_problem;

static const zi_setting setting[] = {
    {ZI_SETTING(landing_problem, episodes, COUNT, 8, 1, 1e6)},
    {.name = "seeds",
     .kind = ZI_CHOICE,
     .offset = offsetof(landing_problem, seeds),
     .fallback = SEEDS_FRESH,
     .choice = {"fresh", "common"}},
    {ZI_SETTING(landing_problem, gravity, REAL, -10, -12, 0), .is_open = 1},
    {ZI_SETTING(landing_problem, wind, COUNT, 0, 0, 1)},
    {ZI_SETTING(landing_problem, wind_power, REAL, 15, 0, 20)},
    {ZI_SETTING(landing_problem, turbulence_power, REAL, 1.5, 0, 2)},
};

static zilch_status open_lander(zilch_problem *problem)
{
    problem->info.dim = ZILCH_POLICY_PARAMETERS;
    problem->info.direction = ZILCH_MAXIMIZE;
    problem->info.penalty = 2.0;
    problem->info.is_noisy = 1;
    return ZILCH_OK;
}

static zilch_lander_options world_of(const landing_problem *s)
{
    zilch_lander_options options = zilch_lander_defaults();
    options.gravity = s->gravity;
    options.wind = (int)s->wind;
    options.wind_power = s->wind_power;
    options.turbulence_power = s->turbulence_power;
    return options;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* Landing number k is landing k % episodes of point k / episodes. */
typedef struct match {
    const zilch_problem *problem;
    const zilch_batch *batch;
} match;

/* Seeds of the search have their highest bit set: those below 2^63 stay for who wants to test what was found.
 * Evaluations after the search are fresh in any case. */
static uint64_t seed_of(const void *context, size_t landing)
{
    const match *m = context;
    const landing_problem *s = m->problem->state;
    const zilch_batch *batch = m->batch;
    const int common = s->seeds == SEEDS_COMMON && batch->generation != UINT64_MAX;
    const uint64_t stream = common ? ~batch->generation : batch->id[landing / s->episodes];
    uint64_t word[2];
    zi_philox_block(zi_problem_rng(m->problem, stream).key, stream, landing % s->episodes, word);
    return word[0] | UINT64_C(1) << 63;
}

/* By somebody else, who has all seeds at once. */
static zilch_status fly_elsewhere(const match *m, const zi_flights *f, zilch_episode *out)
{
    const zilch_problem *problem = m->problem;
    uint64_t *seed;
    ZI_TRY(zi_alloc(&seed, f->count));
    for (size_t k = 0; k < f->count; k++) {
        seed[k] = f->seed(f->context, k);
    }
    const zilch_flights flights = {
        .count = f->count, .each = f->each, .parameters = m->batch->x, .seed = seed, .options = f->options};
    const zilch_status status = problem->fly(problem->fly_context, &flights, out);
    zi_free(seed);
    return status;
}

static zilch_status fly_here(const match *m, zi_flights *f, zilch_episode *out)
{
    const zilch_batch *batch = m->batch;
    zi_policy *policy;
    ZI_TRY(zi_alloc(&policy, batch->n));
    for (size_t i = 0; i < batch->n; i++) {
        policy[i] = zi_policy_of(batch->x + i * ZILCH_POLICY_PARAMETERS);
    }
    f->policy = policy;
    const zilch_status status = zi_episodes_fly(f, 1, out);
    zi_free(policy);
    return status;
}

static zilch_status evaluate_lander(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const landing_problem *s = problem->state;
    const zilch_lander_options options = world_of(s);
    const match m = {.problem = problem, .batch = batch};
    zi_flights flights = {.each = s->episodes, .options = &options, .seed = seed_of, .context = &m};
    zilch_episode *landing;
    if (batch->n == 0) {
        return ZILCH_OK;
    }
    if (!zi_multiply(batch->n, s->episodes, &flights.count)) {
        return zi_fail(ZILCH_EARG, "lander: more landings than can be counted");
    }
    ZI_TRY(zi_alloc(&landing, flights.count));
    const zilch_status status =
        problem->fly ? fly_elsewhere(&m, &flights, landing) : fly_here(&m, &flights, landing);
    for (size_t i = 0; i < batch->n && status == ZILCH_OK; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < s->episodes; k++) {
            sum += landing[i * s->episodes + k].total;
        }
        value[i] = sum / (double)s->episodes;
    }
    zi_free(landing);
    return status;
}

/* ---- Held out --------------------------------------------------------------------------------------------
 */

static zilch_status hold_out_elsewhere(const zilch_problem *problem, const double *x, size_t count,
                                       zilch_watcher watch, void *context, zilch_episode *out)
{
    const zilch_lander_options options = world_of(problem->state);
    uint64_t *seed;
    ZI_TRY(zi_alloc(&seed, count));
    for (size_t k = 0; k < count; k++) {
        seed[k] = k;
    }
    const zilch_flights flights = {.count = count,
                                   .each = count,
                                   .parameters = x,
                                   .seed = seed,
                                   .options = &options,
                                   .watch = watch,
                                   .watch_context = context};
    const zilch_status status = problem->fly(problem->fly_context, &flights, out);
    zi_free(seed);
    return status;
}

/* Episodes of seeds 0, 1, ...: those of a search are all 2^63 and above. */
static zilch_status hold_out(const zilch_problem *problem, const double *x, size_t count, unsigned threads,
                             zilch_watcher watch, void *context, double *mean, double *error)
{
    const zilch_lander_options options = world_of(problem->state);
    zilch_episodes_summary summary;
    zilch_episode *episode;
    ZI_TRY(zi_alloc(&episode, count));
    zilch_status status = problem->fly
                              ? hold_out_elsewhere(problem, x, count, watch, context, episode)
                              : zilch_episodes_run(x, &options, 0, count, threads, watch, context, episode);
    status = status == ZILCH_OK ? zilch_episodes_summarise(count, episode, &summary) : status;
    zi_free(episode);
    ZI_TRY(status);
    *mean = summary.mean;
    *error = summary.deviation / sqrt((double)count);
    return ZILCH_OK;
}

const zi_family zi_lander_family = {
    .state_bytes = sizeof(landing_problem),
    .settings = {sizeof setting / sizeof *setting, setting},
    .open = open_lander,
    .evaluate = evaluate_lander,
    .hold_out = hold_out,
};
