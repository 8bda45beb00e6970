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

struct device;

/* ---- Many episodes -------------------------------------------------------------------- */

typedef struct play_setting {
    play_controller controller;
    zilch_lander_options options;
    uint64_t seed, episodes, threads; /* the seeds are seed, seed + 1, ... */
    struct device *device;            /* that flies; NULL: the processor */
} play_setting;

/* By episode. */
typedef struct play_result {
    size_t count;
    zilch_episode *episode;
} play_result;

struct progress;

/* Shown on the line as it goes on. ESTOPPED after a signal (cli_watch_signals). free() the episodes in any
 * case. */
zilch_status play_run(const play_setting *setting, struct progress *line, play_result *result);

/* ---- One episode ------------------------------------------------------------------------ */

typedef struct play_episode {
    uint64_t seed;
    size_t steps; /* frames[0] is the reset's, frames[steps] the last */
    zilch_lander_frame frame[ZILCH_LANDER_MAX_STEPS + 1];
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
