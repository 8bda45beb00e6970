/* What a watcher keeps of a study, for the files behind follow.h. */
#ifndef FOLLOW_INSIDE_H
#define FOLLOW_INSIDE_H

#include "study/follow.h"
#include "study/study_file.h"

/* How much of a run is shown, so that a page is small whatever the run is. */
enum { ROWS_SHOWN = 3000, BINS = 96, COORDINATES_SHOWN = 40, CHANGES_SHOWN = 20, FAILURES_SHOWN = 20 };
enum { LETTERS_SHOWN = 400, LETTERS_OF_NAME = 40, NAME_SHOWN = 4 * LETTERS_OF_NAME + 8 };

/* The best point was another one after this generation. */
typedef struct follow_change {
    uint64_t generation;
    size_t gained, lost; /* coordinates, */
    size_t first_gained[4], first_lost[4];
    int is_known; /* or nothing is said of them */
} follow_change;

typedef struct follow_failure {
    uint64_t generation, id;
    char *reason, *output;
} follow_failure;

typedef struct followed {
    uint64_t run;
    size_t dim;
    const study_run *source;
    zilch_stop stop;
    zilch_limits limits;
    double spent, penalty;

    zilch_generation *row; /* row[i] is of generation i + 1 */
    size_t rows, row_capacity;

    uint64_t seen;    /* generations whose evaluations are read */
    uint32_t *active; /* BINS x dim: evaluations in which a coordinate was active */
    uint32_t all[BINS];
    uint64_t width;          /* generations of a bin */
    double *defaults;        /* NULL: zeros */
    double *best_x, *next_x; /* of the best point of the generation that was read last, and of the next */
    uint64_t best_point;
    int is_best_known, is_next_known;
    uint64_t best_version;
    follow_change change[CHANGES_SHOWN];
    size_t changes; /* in all */

    follow_failure failure[FAILURES_SHOWN];
    size_t failures;
    char *commands;   /* JSON, as it is now */
    char *conclusion; /* the same */
    char *look;

    /* What was said last. */
    size_t rows_said, stride_said, changes_said;
    uint64_t seen_said, width_said;
    size_t chosen[COORDINATES_SHOWN], chosen_count;
    int is_said; /* anything */
    int is_new;  /* of what is said whole: limits, failures, commands, conclusion, look */
} followed;

struct follow {
    study_file file;
    char *path;
    followed *list;
    size_t count;
    uint64_t changes; /* of the study, when it was read */
    int is_read;
    int has_more;
    uint64_t only; /* the run that is followed; 0: all */
};

/* A coordinate's name for people. */
void follow_name(const study_run *run, size_t index, char out[NAME_SHOWN]);

#endif
