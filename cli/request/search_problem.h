/* The problem of a search, as it was named on the command line, and a point of it in words. */
#ifndef SEARCH_PROBLEM_H
#define SEARCH_PROBLEM_H

#include "dataset/dataset.h"
#include "request/search_options.h"
#include "zilch.h"

#include <stdio.h>

typedef struct search_problem {
    zilch_problem *problem;    /* NULL: only recognised, or somebody else's */
    zilch_objective objective; /* NULL: a program that was not started */
    void *context;             /* of the objective */
    int is_spreading;          /* it evaluates the points of a batch side by side without our threads */
    zilch_problem_info info;
    char *text;                     /* what a study calls it; it opens a named problem again */
    struct search_program *program; /* that evaluates; NULL: none */
    int is_lander;                  /* its points are controllers */
    int is_regression;
    int is_subset;            /* a regression whose points choose columns */
    const char *const *names; /* of the coordinates, if the run has some; NULL: x1, x2, ... */
    const char **own_names;   /* the same where they are the problem's own, */
    char *name_text;          /* and their texts, where the data do not have them */
    const double *defaults;   /* of its points where they are not active, in the optimiser; NULL: 0 */
    dataset data;             /* of a regression */
    size_t response;          /* the column to be explained, from 0 */
    char fingerprint[17];     /* of the data, for whoever comes back; "" without data */
    int is_changed;           /* the data have not the fingerprint that was asked for, which is not printed */
} search_problem;

/* Reads the data, if the problem has any, but starts no program: who only looks at a study opens its problem
 * too. 0, or the exit status after printing why; close it in any case. */
int search_problem_open(search_problem *out, const search_request *r);

/* Names its coordinates as was asked for, or as the columns of its data. The same result. */
int search_problem_name(search_problem *p, const search_request *r);

/* Starts the program that evaluates it, if one does; a problem with a program has no objective before this
 * call. Called for a program that the person at the command line has named, and for no other. 0, or the exit
 * status after printing why. */
int search_problem_start(search_problem *p, const search_request *r);
void search_problem_close(search_problem *p);

/* What a run tells of its problem, enough to print its points. */
void search_problem_recognise(search_problem *out, const zilch_request *request);

/* The problem's name is lander, with or without settings: its points are controllers. */
int search_problem_is_lander(const char *text);

/* The lander that a problem's text speaks of, for flying a controller outside the search. */
zilch_lander_options search_problem_lander(const char *text);

/* Number, from 1, of the column of the data that a coordinate, from 0, of a regression is about. */
size_t search_problem_column(const search_problem *p, size_t index);

/* A point of a regression that is open as coefficients in the units of the data, to be freed; NULL after
 * printing why. */
double *search_problem_fit(const search_problem *p, const double *x, zilch_regression_fit *fit);

/* Lines about a point: formulas of a controller, coefficients of a regression, or the active coordinates,
 * with their defaults. Of many coordinates the first `most` are printed, and how many there are. 0, or 1
 * after printing why. */
int search_point_print(const search_problem *p, size_t dim, const double *x, size_t most, FILE *stream);

#endif
