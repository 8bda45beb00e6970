/* Several methods on one problem, each with the same seeds, and what came of it. */
#ifndef COMPARE_H
#define COMPARE_H

#include "request/search_options.h"
#include "zilch.h"

#include <stdio.h>

enum { COMPARE_METHODS_MOST = 100, COMPARE_TARGETS_MOST = 16, COMPARE_CHECKPOINTS_MOST = 32 };

/* ---- Methods ---------------------------------------------------------------------------------- */

/* "ea", "published+elites=50", "small:default+elites=50": a method and options for 'zilch optimize'. */
typedef struct compare_method {
    char *name;   /* as it was given, or up to the colon */
    char *recipe; /* all of it, or behind the colon */
    char **words; /* what it says, such as "--method=ea"; and NULL behind them */
    size_t count;
    char **all; /* the base's words and these */
    size_t all_count;
    search_request request; /* of the first seed; its texts point into the words and into the base's */
} compare_method;

/* What all methods share: the words of a search without a method, the first of which is "optimize". */
typedef struct compare_base {
    char **words;
    size_t count;
} compare_base;

/* A list of methods, separated by commas. 0, or the exit status after printing why, with the method's name.
 * Free them in either case. */
int compare_methods_parse(const char *list, const compare_base *base, compare_method **out, size_t *count);
void compare_methods_free(compare_method *method, size_t count);

/* From now on messages name the method as well; NULL: no longer. */
void compare_name_method(const char *name);

/* ---- Runs ---------------------------------------------------------------------------------------- */

typedef struct compare_setting {
    const char *problem;         /* with all its settings */
    struct compare_study *study; /* that runs are kept in; NULL: none */
    zilch_problem_info info;
    size_t methods;
    const compare_method *method;
    uint64_t seed, seeds;              /* the first, and how many */
    uint64_t generations, evaluations; /* of each run; 0: no limit */
    uint64_t held_out, threads;
    int device;              /* OPTION_DEVICE: where episodes are flown */
    double penalty;          /* in every fitness, whatever penalty a method searches with */
    const double *penalties; /* beside it, those of single coordinates; NULL: none */
    const double *defaults;  /* of coordinates that are not active; NULL: 0 */
    size_t targets, checkpoints;
    double target[COMPARE_TARGETS_MOST];
    uint64_t checkpoint[COMPARE_CHECKPOINTS_MOST]; /* ascending; evaluations, or generations if these are
                                                      limited */
} compare_setting;

/* The point that a search would recommend, and what it is worth. */
typedef struct compare_score {
    uint64_t generations, evaluations; /* of the search, until then; 0: it did not get there */
    double value, error, fitness;      /* with noise: on noise held out; error: the standard error */
    double support;                    /* NaN: not known */
    double violation;                  /* 0: the point is feasible */
    size_t active;
} compare_score;

/* After a generation: the best on record, by its fitness with the penalty of its method. */
typedef struct compare_moment {
    uint64_t evaluations;
    double value;
    size_t active;
} compare_moment;

typedef struct compare_run {
    int is_finished, has_failed;
    char why[512]; /* it failed; "" if that is printed already */
    compare_score end;
    compare_score checkpoint[COMPARE_CHECKPOINTS_MOST];
    double seen;                            /* the best value of all */
    uint64_t reached[COMPARE_TARGETS_MOST]; /* evaluations until a value as good; 0: never */
    double seconds;                         /* of a processor, for the search alone */
    compare_moment *moment;                 /* of each generation, to be freed */
    size_t moments, moments_most;
} compare_run;

/* All runs on several threads, one each: run[method * seeds + seed - first]. Those that are not finished were
 * stopped by a signal, failed, or were not begun after that. Threads change nothing but seconds. OK if all
 * have finished. */
zilch_status compare_run_all(const compare_setting *setting, compare_run *run);

/* What a study has of a run: a generation, one after the other; and what it recommended then, x. */
zilch_status compare_run_restore(compare_run *run, const zilch_generation *generation);
compare_score compare_score_of(const compare_setting *setting, const compare_run *run, uint64_t generation,
                               const zilch_conclusion *conclusion, const double *x);

/* The targets that suit the problem: returns of the lander; of others, unless they have noise, distances from
 * an optimum of 0. */
void compare_usual_targets(compare_setting *setting);

/* ---- What came of it -------------------------------------------------------------------------------- */

/* Over the runs of a method that have finished, or that got to a checkpoint. NaN where there is none. */
typedef struct compare_statistics {
    size_t runs;
    double median, low, high, worst;   /* of the fitness; quartiles */
    double value, active, evaluations; /* medians */
    double support, least_support;     /* median, and the least */
    double seconds;                    /* mean */
    double p;                          /* rank-sum test of the fitness against the first method's */
} compare_statistics;

/* The least p-value that so many runs of two methods can have, when each of the one is better than all of the
 * other: 2 over the number of ways to choose them. */
double compare_least_p(size_t n, size_t m);

/* zilch_rank_sum(), which approximates where values are equal: never below that. */
double compare_rank_sum(size_t n, const double *a, size_t m, const double *b);

enum { COMPARE_END = COMPARE_CHECKPOINTS_MOST }; /* a number for what no checkpoint has */

/* At a checkpoint, by its place in the list, or at COMPARE_END. 0, or 1 after printing why. */
int compare_statistics_make(const compare_setting *setting, const compare_run *run, size_t method,
                            size_t checkpoint, compare_statistics *out);

/* How many of the runs that have finished got to a target, and the median of the evaluations until then, of
 * all of them: those that never got there count as infinite. 0, or 1 after printing why. */
typedef struct compare_arrival {
    size_t runs, arrived;
    double median;
} compare_arrival;
int compare_reached(const compare_setting *setting, const compare_run *run, size_t method, size_t target,
                    compare_arrival *out);

/* The forms it is printed in; errors of the stream are for its owner. 0, or 1 after printing why. */
int compare_write_table(const compare_setting *setting, const compare_run *run, FILE *stream);
int compare_write_csv(const compare_setting *setting, const compare_run *run, FILE *stream);
int compare_write_latex(const compare_setting *setting, const compare_run *run, FILE *stream);
int compare_write_json(const compare_setting *setting, const compare_run *run, FILE *stream);

#endif
