/* Steps of the lander in a second on one core, for each width of lanes, beside those of the scalar
 * path in the same run: in flight (the first 90 steps of an episode), in contact with the ground
 * (steps 140 to 160, when most have touched down), and over whole episodes with their resets. With the
 * published controller, whose time is counted. All in time of the processor, so that other programs matter
 * less. */
#include "suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORLDS = 1024 };

typedef struct scene {
    zilch_lander *lander;
    double policy[ZILCH_POLICY_PARAMETERS];
    double *actions;
    uint64_t seed, *seeds;
    unsigned char *ended;
} scene;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a scene has come to. */
typedef struct tally {
    double steps, seconds;
} tally;

static int is_over(const scene *s, size_t i)
{
    return zilch_lander_terminated(s->lander)[i] || zilch_lander_truncated(s->lander)[i];
}

/* All worlds, or those that have ended. */
static zilch_status reset(scene *s, int is_all)
{
    size_t count = 0;
    for (size_t i = 0; i < WORLDS; i++) {
        s->ended[i] = is_all || is_over(s, i);
        s->seeds[i] = s->seed;
        s->seed += s->ended[i];
        count += s->ended[i];
    }
    return count ? zilch_lander_reset_many(s->lander, s->ended, s->seeds) : ZILCH_OK;
}

static zilch_status step(scene *s)
{
    zilch_policy_act(s->policy, WORLDS, zilch_lander_observations(s->lander), s->actions);
    return zilch_lander_step(s->lander, s->actions);
}

static size_t running(const scene *s)
{
    size_t count = 0;
    for (size_t i = 0; i < WORLDS; i++) {
        count += !is_over(s, i);
    }
    return count;
}

/* Steps `from` to `to` of new episodes; only these are timed. */
static zilch_status time_part(scene *s, int from, int to, tally *t)
{
    zilch_status status = reset(s, 1);
    for (int k = 0; k < to && status == ZILCH_OK; k++) {
        const double alive = (double)running(s);
        const double start = processor_seconds();
        status = step(s);
        if (k >= from) {
            t->seconds += processor_seconds() - start;
            t->steps += alive;
        }
    }
    return status;
}

static zilch_status time_flight(scene *s, tally *t)
{
    return time_part(s, 0, 90, t);
}

static zilch_status time_contact(scene *s, tally *t)
{
    return time_part(s, 140, 160, t);
}

/* Worlds that have ended begin anew at once. */
static zilch_status time_mix(scene *s, tally *t)
{
    enum { STEPS = 250 };
    zilch_status status = ZILCH_OK;
    const double start = processor_seconds();
    for (int k = 0; k < STEPS && status == ZILCH_OK; k++) {
        status = reset(s, 0);
        if (status == ZILCH_OK) {
            status = step(s);
        }
    }
    t->seconds += processor_seconds() - start;
    t->steps += (double)STEPS * WORLDS;
    return status;
}

static const struct kind {
    const char *name;
    zilch_status (*once)(scene *s, tally *t);
} kinds[] = {{"flight", time_flight}, {"contact", time_contact}, {"mix", time_mix}};
static const unsigned widths[] = {1, 4, 8, 16};
enum { KINDS = sizeof kinds / sizeof *kinds, WIDTHS = sizeof widths / sizeof *widths };

/* Thousand steps in a second; 0 where the processor has no such lanes. */
static zilch_status measure(const struct kind *kind, unsigned lanes, double *rate)
{
    scene s = {.seed = 1};
    zilch_lander_options options = zilch_lander_defaults();
    options.lanes = lanes;
    *rate = 0.0;
    zilch_status status = zilch_lander_create(&s.lander, WORLDS, &options);
    if (status == ZILCH_EUNAVAILABLE) {
        return ZILCH_OK;
    }
    s.actions = calloc(WORLDS, ZILCH_LANDER_ACTIONS * sizeof *s.actions);
    s.seeds = calloc(WORLDS, sizeof *s.seeds);
    s.ended = calloc(WORLDS, sizeof *s.ended);
    if (status == ZILCH_OK) {
        status = s.actions && s.seeds && s.ended ? zilch_policy_parse(zilch_policy_published(), s.policy)
                                                 : ZILCH_ENOMEM;
    }
    if (status == ZILCH_OK) {
        status = reset(&s, 1);
    }
    tally t = {0};
    while (status == ZILCH_OK && t.seconds < BENCH_SECONDS) {
        status = kind->once(&s, &t);
    }
    *rate = status == ZILCH_OK ? 1e-3 * t.steps / t.seconds : 0.0;
    free(s.ended);
    free(s.seeds);
    free(s.actions);
    zilch_lander_destroy(s.lander);
    return status;
}

static zilch_status run_lander_case(size_t index, bench_row *row)
{
    const struct kind *kind = &kinds[index / WIDTHS];
    const unsigned lanes = widths[index % WIDTHS];
    zilch_status status = measure(kind, 1, &row->limit);
    if (status == ZILCH_OK) {
        status = measure(kind, lanes, &row->value);
    }
    snprintf(row->name, sizeof row->name, "%s, %s%.0u%s", kind->name, lanes == 1 ? "scalar" : "",
             lanes == 1 ? 0 : lanes, lanes == 1 ? "" : " lanes");
    row->unit = "k/s";
    return status;
}

const bench_suite bench_lander = {
    "lander", "thousand steps in a second, on one core; beside the scalar path: here more is better",
    (size_t)KINDS *WIDTHS, run_lander_case};
