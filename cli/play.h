/* Playing the lander: a controller, many episodes on several threads, or one that is recorded. */
#ifndef PLAY_H
#define PLAY_H

#include "zilch.h"

/* ---- Who gives the actions ---------------------------------------------------------- */

typedef struct play_controller {
    int is_heuristic;                           /* Gymnasium's; else the policy below */
    double parameters[ZILCH_POLICY_PARAMETERS]; /* of the quadratic policy */
} play_controller;

/* "published", "heuristic", or a file of formulas ("-": standard input). 0, or 1 after printing why. */
int play_controller_read(play_controller *out, const char *name);

/* ---- Many episodes -------------------------------------------------------------------- */

typedef struct play_setting {
    play_controller controller;
    zilch_lander_options options;
    uint64_t seed, episodes, threads; /* the seeds are seed, seed + 1, ... */
} play_setting;

/* By episode. */
typedef struct play_result {
    size_t count;
    double *total; /* the return */
    uint16_t *steps;
    unsigned char *ending; /* a zilch_landing */
    double *sorted;        /* the returns, ascending, once there is a summary */
} play_result;

enum { PLAY_ENDINGS = ZILCH_LANDING_TRUNCATED + 1, PLAY_QUARTILES = 5 };

typedef struct play_summary {
    uint64_t steps;                  /* of all episodes */
    double mean, deviation;          /* the sample's; NaN for one episode */
    double quantile[PLAY_QUARTILES]; /* least, quartiles, largest return */
    double solved;                   /* share of returns of at least 200 */
    size_t ending[PLAY_ENDINGS];     /* how many, by zilch_landing */
} play_summary;

/* Called as episodes end, from any thread. */
typedef void (*play_progress)(void *context, size_t done);

/* Neither threads nor lanes change the result. ESTOPPED after a signal (cli_watch_signals).
 * play_free() the result in any case. */
zilch_status play_run(const play_setting *setting, play_progress progress, void *context,
                      play_result *result);
zilch_status play_allocate(play_result *result, size_t count);
play_summary play_summarise(play_result *result);
void play_free(play_result *result);

/* ---- One episode ------------------------------------------------------------------------ */

/* After the reset, or after a step. */
typedef struct play_frame {
    float observation[ZILCH_LANDER_OBSERVATIONS];
    double reward, total;
    int terminated, truncated;
    zilch_lander_view view;
} play_frame;

typedef struct play_episode {
    uint64_t seed;
    size_t steps; /* frames[0] is the reset's, frames[steps] the last */
    play_frame frame[ZILCH_LANDER_MOST_STEPS + 1];
} play_episode;

/* Actions to repeat, two a step. */
typedef struct play_actions {
    const double *x;
    size_t count;
} play_actions;

/* One episode of the first seed, by the controller, or by `actions` if not NULL, until it has ended
 * or they have. free() it. */
zilch_status play_record(const play_setting *setting, const play_actions *actions, play_episode **out);

#endif
