/* A study as the reading commands see it: open, with its runs at hand. */
#ifndef STUDY_FILE_H
#define STUDY_FILE_H

#include "request/search_problem.h"
#include "zilch.h"

#include <stddef.h>
#include <stdio.h>

typedef struct study_run {
    zilch_run run;         /* its texts and settings are copies */
    zilch_generation last; /* recorded, once it was read; generation 0: none yet */
    const char *program;   /* that evaluates it; NULL: none */
    int is_disguised; /* its problem says nothing of a program that its settings have, or the other way round
                       */
} study_run;

typedef struct study_file {
    const char *path;
    zilch_study *study;
    study_run *runs; /* in the order of their numbers */
    size_t count;    /* 1 at least */
    size_t capacity;
} study_file;

/* A setting of every run of a comparison, and of no other: the penalty in the fitness that methods are
 * compared by. */
#define STUDY_COMPARISON "comparison_penalty"
int study_is_compared(const study_run *run);

/* 0, or 1 after printing why; close it in any case. */
int study_file_open(study_file *out, const char *path, zilch_study_mode mode);
void study_file_close(study_file *f);

/* The last generation of each run, or of one: all of them are gone through, so only where it is shown. 0, or
 * 1 after printing why. */
int study_file_read_last(study_file *f, uint64_t number);
enum { STUDY_ALL_RUNS = 0 };

/* The run of that number, 0 for the last; NULL after printing which there are. */
const study_run *study_file_find(const study_file *f, uint64_t number);

/* What a study calls the problem of a run that 'zilch ask' has begun. */
extern const char study_by_hand[];

/* The run of that number; 0: the one that is evaluated by hand, or the last if none is. NULL after printing
 * why, as when there are several. */
const study_run *study_file_find_by_hand(const study_file *f, uint64_t number);

/* Lines for people: by which program a run is evaluated, and whether its problem says so too. Nothing if
 * there is no program. Each line begins with `before`. */
void study_program_print(FILE *stream, const char *before, const study_run *run);

/* How a run stands, in a word: "not ended", or what ended it. */
const char *study_stop_name(zilch_stop stop);

/* The best seen and what is recommended, of one run. */
typedef struct study_best {
    size_t dim;
    search_problem problem; /* recognised by its text, or open with the data of a regression */
    zilch_record seen;      /* evaluations 0: nothing has succeeded yet */
    zilch_conclusion conclusion;
    double *seen_x, *recommended_x; /* dim */
    zilch_optimizer *optimizer;     /* as it was after the last generation */
} study_best;

/* 0, or 1 after printing why; free it in any case. */
int study_best_read(study_best *out, const study_file *f, const study_run *run);
void study_best_free(study_best *b);

/* Of a regression, opens the data again, so that points can be told as coefficients. Where they are gone or
 * have changed, it goes without them; `is_loud`: and says so. */
void study_best_open_data(study_best *b, const study_run *run, int is_loud);

#endif
