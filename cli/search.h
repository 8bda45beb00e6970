/* A search from its beginning, or from where it was interrupted, to its end: evaluated on threads, kept in a
 * study, shown as it goes on, stopped by Ctrl-C in good order. */
#ifndef SEARCH_H
#define SEARCH_H

#include "play.h"
#include "search_options.h"
#include "search_problem.h"
#include "zilch.h"

typedef struct search {
    const search_request *request;
    search_problem problem;
    zilch_optimizer *optimizer;
    zilch_study *study;
    const char *path; /* of the study */
    uint64_t run;
    const char *more; /* options to repeat when it goes on once more, each with a blank before; or "" */
} search;

/* A new run of what was asked for; `argv` are the words it was asked in. Gives the exit status, or ends the
 * program as the signal would that stopped it. */
int search_begin(const search_request *r, int argc, char **argv);

/* All the rest of a run. Gives the exit status. */
int search_run(search *s);

/* The command that goes on with the run, a line on stderr for the shell. It repeats the program, without
 * which 'zilch resume' does not start it. Gives CLI_FAILED. */
int search_say_command(const search *s);

/* How the best points are evaluated again at the end, as asked for. */
zilch_recommend_options search_recommend_options(const search_request *r, const zilch_problem_info *problem);

/* A controller flown where no search of the problem ever was: in episodes of seeds 0, 1, ...; a search's own
 * seeds are all 2^63 and above. Fills what the conclusion says of held-out episodes. */
typedef struct search_flight {
    uint64_t episodes, threads;
    play_progress progress;
    void *context; /* of the progress */
} search_flight;
zilch_status search_fly(const search_problem *p, const search_flight *flight, const double *x,
                        zilch_conclusion *c);

#endif
