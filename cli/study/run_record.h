/* A run as a study keeps it: made from a request, and told to people. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "request/search_options.h"
#include "request/search_problem.h"
#include "zilch.h"

#include <stdio.h>

typedef struct run_record {
    search_settings settings;
    char machine[512], started[64];
    char *data;            /* the whole path */
    zilch_request request; /* points into these, the problem and the search's request */
} run_record;

/* 0, or 1 after printing why; free it in any case. */
int run_record_make(run_record *out, const search_request *r, const search_problem *problem);
void run_record_free(run_record *record);

/* The same for a run that this command cannot go on with: where and when alone. */
void run_record_place(run_record *out, const char *problem);

/* A line for the shell that asks for the same run. Nothing if the study does not have all of it. */
void run_print_command(FILE *stream, const zilch_run *run);

/* What was asked of the run while it searched, and heeded, in order: "penalty 2 after generation 9, stop
 * after generation 20", between these texts. Nothing if nothing was. 0, or 1 after printing why. */
int run_print_steered(FILE *stream, const char *before, zilch_study *study, uint64_t run, const char *after);

#endif
