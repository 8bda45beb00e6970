/* What 'zilch lander' and 'zilch optimize' are asked for: one table of options for both, and what becomes of
 * them for the library. */
#ifndef SEARCH_OPTIONS_H
#define SEARCH_OPTIONS_H

#include "options.h"
#include "zilch.h"

#include <stdint.h>

/* When to stop, and on how many threads: what may change when a run goes on. UINT64_MAX and NaN: not said. */
typedef struct search_limits {
    uint64_t generations, evaluations, stagnation, threads;
    double target, seconds;
} search_limits;

/* What happens to the best points when the search is over: this may change too. UINT64_MAX, -1: not said. */
typedef struct search_ending {
    uint64_t shortlist, recheck, held_out;
    int prune;
} search_ending;

/* Settings of the lander that options may give: bits of search_request.said. */
enum {
    SEARCH_EPISODES = 1 << 0,
    SEARCH_SEEDS = 1 << 1,
    SEARCH_GRAVITY = 1 << 2,
    SEARCH_WIND = 1 << 3,
    SEARCH_WIND_POWER = 1 << 4,
    SEARCH_TURBULENCE_POWER = 1 << 5
};

/* Texts point into the words that were parsed. UINT64_MAX and NaN: not said. */
typedef struct search_request {
    const char *command; /* "lander" or "optimize" */

    /* The problem. */
    const char *problem; /* "lander" of that command */
    uint64_t dim;
    const char *data, *response;
    const char *checksum; /* of the data, if a study keeps it: other data are not taken; NULL: any */
    int searched;
    double validation;
    uint64_t episodes;
    int seeds, preset;
    zilch_lander_options lander;
    unsigned said; /* of the lander */

    /* Or a program, which the problem is then named after. */
    const char *program;
    int direction, is_sparse, is_plain, is_once;
    uint64_t jobs, ahead, most_failures;
    double timeout;

    /* The search. */
    int law, structure, inverter, shrinkage, projection, archive, again;
    int weighting, values; /* of the refit, which has the rest of it */
    zilch_refit refit;
    uint64_t population, elites, rank, remember, restart, seed;
    double over_ask, price, initial_p, initial_mu, initial_sigma, initial_spread;
    uint64_t active_least, active_most;
    const char *on, *off, *groups, *bounds, *bounds_file, *weights, *warm_start;

    /* Its end. */
    search_limits limits;
    search_ending ending;

    const char *study;
    int is_kept; /* the words come from a study */
} search_request;

/* The request in words, the first of which is the command ("lander", "--population", "20"). 0, or the exit
 * status after printing why. */
int search_request_parse(search_request *out, int argc, char **argv);

/* The same of words that a study keeps. They are data from somebody else: --help and --study are refused. */
int search_request_parse_kept(search_request *out, int argc, char **argv);

/* The same for a run whose points are evaluated elsewhere: `usage` has the command, its own rows and
 * operands; those of a search are added. *is_any tells whether one of them was said; --dim may be missing. */
int search_request_parse_by_hand(search_request *out, const cli_usage *usage, int argc, char **argv,
                                 int *is_any);

/* Rows for the limits and for the ending; at most so many, an empty one behind them not counted. They give
 * how many. */
enum { SEARCH_LIMIT_OPTIONS = 6, SEARCH_ENDING_OPTIONS = 4 };
size_t search_limits_list(search_limits *limits, cli_option out[SEARCH_LIMIT_OPTIONS]);
size_t search_ending_list(search_ending *ending, cli_option out[SEARCH_ENDING_OPTIONS]);

/* What no single row can check. 0, or CLI_USAGE after printing why. */
int search_request_check(const search_request *r);
int search_ending_check(const char *command, const search_ending *ending);

/* "zilch lander: message" and where help is found. Gives CLI_USAGE. */
int search_wrong_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Linear or logistic, with or without settings behind a colon, which they do not have. */
int search_is_regression(const char *problem);

/* What stands behind "name=" in "problem:name=value,..."; NULL if it does not. */
const char *search_setting_find(const char *problem, const char *name);

/* The library's, without the seconds. */
zilch_limits search_limits_of(const search_request *r);

/* The optimiser that is asked for, warm start included. 0, or the exit status after printing why. */
int search_optimizer_create(const search_request *r, const zilch_problem_info *problem,
                            zilch_optimizer **out);

#endif
