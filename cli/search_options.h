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

/* Texts point into the words that were parsed. UINT64_MAX and NaN: not said. */
typedef struct search_request {
    const char *command; /* "lander" or "optimize" */

    /* The problem. */
    const char *problem;
    uint64_t dim;
    const char *data, *response;
    int searched;
    double validation;
    uint64_t episodes, held_out;
    int seeds, preset;
    zilch_lander_options lander;

    /* The search. */
    int law, inverter, shrinkage, projection, archive;
    uint64_t population, elites, seed;
    double share, over_ask, price, initial_p, initial_mu, initial_sigma;
    uint64_t active_least, active_most;
    const char *on, *off, *groups, *bounds, *bounds_file, *weights, *warm_start;

    /* Its end. */
    search_limits limits;
    uint64_t shortlist, recheck;
    int prune;

    const char *study;
} search_request;

/* The request in words, the first of which is the command ("lander", "--population", "20"). 0, or the exit
 * status after printing why. */
int search_request_parse(search_request *out, int argc, char **argv);

/* "zilch lander: message" and where help is found. Gives CLI_USAGE. */
int search_wrong_usage(const search_request *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Rows for the limits, at most SEARCH_LIMIT_OPTIONS; gives how many. */
enum { SEARCH_LIMIT_OPTIONS = 6 };
size_t search_limits_list(search_limits *limits, cli_option out[SEARCH_LIMIT_OPTIONS]);

/* The library's, without the seconds. */
zilch_limits search_limits_of(const search_request *r);

/* The optimiser that is asked for, warm start included. 0, or the exit status after printing why. */
int search_optimizer_create(const search_request *r, const zilch_problem_info *problem,
                            zilch_optimizer **out);

#endif
