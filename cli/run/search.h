/* A search from its beginning, or from where it was interrupted, to its end: evaluated on threads, kept in a
 * study, shown as it goes on, stopped by Ctrl-C in good order. */
#ifndef SEARCH_H
#define SEARCH_H

#include "request/search_options.h"
#include "request/search_problem.h"
#include "zilch.h"

struct device;

typedef struct search {
    const search_request *request;
    search_problem problem;
    zilch_optimizer *optimizer;
    zilch_study *study;
    const char *path;      /* of the study */
    struct device *device; /* that flies its episodes; NULL: the processor */
    uint64_t run;
    int is_over;      /* it has ended in just this way, and its result is all that is asked for */
    const char *more; /* options to repeat when it goes on once more, each with a blank before; or "" */
} search;

/* A new run of what was asked for. Gives the exit status, or ends the program as the signal would that
 * stopped it. */
int search_begin(const search_request *r);

/* All the rest of a run. Gives the exit status. */
int search_run(search *s);

/* The command that goes on with the run, a line on stderr for the shell. It repeats the program, without
 * which 'zilch resume' does not start it. Gives CLI_FAILED. */
int search_say_command(const search *s);

#endif
