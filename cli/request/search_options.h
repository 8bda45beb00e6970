/* What 'zilch lander', 'zilch optimize' and 'zilch ask' are asked for: the library's tables of options, the
 * command's own rows beside them, and what becomes of them for the library and for a study. */
#ifndef SEARCH_OPTIONS_H
#define SEARCH_OPTIONS_H

#include "options/option_parser.h"
#include "options/option_shared.h"
#include "zilch.h"

#include <stdint.h>

/* Settings of the lander that options may give: bits of search_request.said. */
enum {
    SEARCH_EPISODES = 1 << 0,
    SEARCH_SEEDS = 1 << 1,
    SEARCH_GRAVITY = 1 << 2,
    SEARCH_WIND = 1 << 3,
    SEARCH_WIND_POWER = 1 << 4,
    SEARCH_TURBULENCE_POWER = 1 << 5,
    SEARCH_PENALTY = 1 << 6 /* without it, the problem's own */
};

/* Texts point into the words that were parsed, or into the settings of a run. UINT64_MAX and NaN: not said.
 */
typedef struct search_request {
    const char *command; /* "lander", "optimize", "ask" or "resume" */
    const char *name;    /* what the run is called; NULL: nothing */

    /* The problem. */
    const char *problem; /* "lander" of that command */
    uint64_t dim;
    const char *data, *response;
    int is_kept;             /* by a study: what is wrong in it is nobody's wrong usage */
    const char *fingerprint; /* of the data, if a study keeps it: other data are not taken; NULL: any */
    int searched;
    double validation;
    uint64_t episodes;
    int seeds;
    zilch_lander_options lander;
    unsigned said;

    /* Or a program, which the problem is then called after. */
    const char *program;
    int is_sparse, is_plain, is_once, is_named;
    int is_greeting; /* the program says how many coordinates there are, and their names */
    uint64_t jobs, ahead, max_failures;
    double timeout;

    /* The search. */
    zilch_optimizer_options options; /* without arrays and networks, which follow from these: */
    const char *forced_on, *forced_off, *groups, *bounds, *bounds_file, *penalty_file, *step, *values_file,
        *default_file, *weights, *warm_start;
    const char *names, *sum, *limits_file;
    double x0, scale; /* of every coordinate */
    uint64_t seed;

    /* Its end. */
    zilch_limits limits;
    zilch_final_options final;
    double seconds;
    uint64_t threads, held_out;
    int device; /* where episodes are flown: OPTION_DEVICE */

    const char *study;
    int is_json, is_verbose, is_live; /* how it is printed and shown */
} search_request;

/* Rows about what is printed, of the commands that search. */
#define SEARCH_PRINTED_ROWS(request)                      \
    {"json",                                              \
     0,                                                   \
     NULL,                                                \
     CLI_FLAG,                                            \
     &(request)->is_json,                                 \
     0,                                                   \
     0,                                                   \
     NULL,                                                \
     "Print the result as JSON, as 'zilch show' does."},  \
        {"verbose",                                       \
         'v',                                             \
         NULL,                                            \
         CLI_FLAG,                                        \
         &(request)->is_verbose,                          \
         0,                                               \
         0,                                               \
         NULL,                                            \
         "Print the settings of the method too."},        \
        {"live",                                          \
         0,                                               \
         NULL,                                            \
         CLI_FLAG,                                        \
         &(request)->is_live,                             \
         0,                                               \
         0,                                               \
         NULL,                                            \
         "Show the search in a browser while it lasts."}, \
        OPTION_PROGRESS, OPTION_QUIET

/* The request in words, the first of which is the command ("lander", "--population", "20"). 0, or the exit
 * status after printing why. */
int search_request_parse(search_request *r, int argc, char **argv);

/* The same for a run whose points are evaluated elsewhere: `usage` has the command, its own rows and
 * operands; those of a search are added. *is_any tells whether one of them was said; --dim may be missing. */
int search_request_parse_by_hand(search_request *r, const cli_usage *usage, int argc, char **argv,
                                 int *is_any);

/* The same for a run that goes on: the rows that may change are added to the command's own. What is said
 * replaces what the request has. `more` gets the words to repeat when it goes on once more, each with a blank
 * before. */
enum { SEARCH_MORE_SIZE = 1024 };
int search_request_parse_again(search_request *r, const cli_usage *usage, int argc, char **argv,
                               char more[SEARCH_MORE_SIZE]);

/* The row of 'zilch optimize' that has this name, for a command that hands the option on in words. It has no
 * place for a value. */
cli_option search_option_row(const char *name);

/* What was not said. */
search_request search_request_defaults(const char *command, zilch_method method);

/* The request as settings of a study, those of kind problem and means; free them. 0, or 1 after printing why.
 */
typedef struct search_settings {
    size_t count;
    zilch_setting setting[CLI_OPTIONS_MOST];
    char *value[CLI_OPTIONS_MOST];
    char name[CLI_OPTIONS_MOST][32];
} search_settings;
int search_settings_make(search_settings *out, const search_request *r);
/* Whether a setting of kind problem is an option without a value. */
int search_setting_is_flag(const char *name);
/* Whether it says that the penalty is the problem's own. */
int search_setting_is_own_penalty(const zilch_setting *s);
void search_settings_free(search_settings *s);

/* The request that a run of a study was begun with, as far as it takes to go on. It points into the run.
 * `why` gets what is not understood. 0, or 1. */
enum { SEARCH_WHY = 512 };
int search_request_restore(search_request *out, const zilch_run *run, char why[SEARCH_WHY]);

/* The request in words again, as much of it as opens its problem: each with its end, `size` bytes in all. To
 * be freed; NULL without memory. */
char *search_request_words(const search_request *r, size_t *size);

/* What no single row can check. 0, or CLI_USAGE after printing why. */
int search_request_check(const search_request *r);
int search_final_check(const search_request *r);

/* "zilch lander: message" and where help is found. Gives CLI_USAGE; or CLI_FAILED if a study said it. */
int search_wrong_request(const search_request *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what a person has said. */
int search_wrong_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Linear or logistic, with or without settings behind a colon, which they do not have on the command line. */
int search_is_regression(const char *problem);

/* The optimiser that is asked for, warm start included. 0, or the exit status after printing why. */
struct search_problem;
int search_optimizer_create(const search_request *r, const struct search_problem *problem,
                            zilch_optimizer **out);

#endif
