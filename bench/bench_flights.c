/* Steps of the lander in a second where somebody else flies the episodes, as a graphics card does; beside
 * those of the scalar path on one core, in the same run. With the published controller. On the clock on the
 * wall, as a card has no other; the times of sending controllers and seeds and of fetching results are
 * counted. Up to 262,144 episodes have a world each, and end with the slowest of them; eight times as many
 * keep the worlds busy. */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static zilch_flyer fly;
static void *fly_context;

static const size_t sizes[] = {256, 4096, 32768, 262144, 2097152};
enum { SIZES = sizeof sizes / sizeof *sizes };

void bench_set_flyer(zilch_flyer flyer, void *context)
{
    fly = flyer;
    fly_context = context;
}

static double steps_of(const zilch_episode *episode, size_t count)
{
    double steps = 0.0;
    for (size_t i = 0; i < count; i++) {
        steps += episode[i].steps;
    }
    return steps;
}

/* The first time is for what happens once. Thousand steps in a second. */
static zilch_status time_flyer(const zilch_flights *flights, zilch_episode *episode, double *rate)
{
    zilch_status status = fly(fly_context, flights, episode);
    double seconds = 0.0;
    double steps = 0.0;
    for (int i = 0; status == ZILCH_OK && (i < BENCH_REPEATS || seconds < BENCH_SECONDS); i++) {
        const double start = bench_seconds();
        status = fly(fly_context, flights, episode);
        seconds += bench_seconds() - start;
        steps += steps_of(episode, flights->count);
    }
    *rate = 1e-3 * steps / seconds;
    return status;
}

static zilch_status time_scalar(const double *parameters, double *rate)
{
    enum { EPISODES = 500 };
    static zilch_episode episode[EPISODES];
    zilch_lander_options options = zilch_lander_defaults();
    options.lanes = 1;
    const double start = bench_seconds();
    const zilch_status status = zilch_episodes_run(parameters, &options, 0, EPISODES, 1, NULL, NULL, episode);
    *rate = 1e-3 * steps_of(episode, EPISODES) / (bench_seconds() - start);
    return status;
}

static zilch_status measure(size_t count, uint64_t *seed, zilch_episode *episode, bench_row *row)
{
    double parameters[ZILCH_POLICY_PARAMETERS];
    const zilch_flights flights = {.count = count, .each = count, .parameters = parameters, .seed = seed};
    for (size_t i = 0; i < count; i++) {
        seed[i] = i;
    }
    zilch_status status = zilch_policy_parse(zilch_policy_published(), parameters);
    status = status == ZILCH_OK ? time_scalar(parameters, &row->limit) : status;
    return status == ZILCH_OK ? time_flyer(&flights, episode, &row->value) : status;
}

static zilch_status run_flights_case(size_t index, bench_row *row)
{
    const size_t count = sizes[index];
    uint64_t *seed = malloc(count * sizeof *seed);
    zilch_episode *episode = malloc(count * sizeof *episode);
    const zilch_status status =
        seed && episode ? measure(count, seed, episode, row) : zilch_fail(ZILCH_ENOMEM, "out of memory");
    free(seed);
    free(episode);
    snprintf(row->name, sizeof row->name, "%zu episodes", count);
    row->unit = "k/s";
    return status;
}

const bench_suite bench_flights = {
    "lander",
    "thousand steps in a second on a graphics card; beside the scalar path on one core: here more is better",
    SIZES, run_flights_case};
