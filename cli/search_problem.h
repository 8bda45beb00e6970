/* The problem of a search, as it was named on the command line, and a point of it in words. */
#ifndef SEARCH_PROBLEM_H
#define SEARCH_PROBLEM_H

#include "search_options.h"
#include "table.h"
#include "zilch.h"

#include <stdio.h>

typedef struct search_problem {
    zilch_problem *problem;
    zilch_problem_info info;
    char *text;    /* what opens it again, or for a regression what its data are */
    int is_lander; /* its points are controllers */
    int is_regression;
    table data;        /* of a regression */
    size_t response;   /* the column to be explained, from 0 */
    char checksum[17]; /* of the data, for whoever comes back; "" without data */
} search_problem;

/* 0, or the exit status after printing why; close it in any case. */
int search_problem_open(search_problem *out, const search_request *r);
void search_problem_close(search_problem *p);

/* The problem's name is lander, with or without settings: its points are controllers. */
int search_problem_is_lander(const char *text);

/* The lander that a problem's text speaks of, for flying a controller outside the search. */
zilch_lander_options search_problem_lander(const char *text);

/* Lines about a point: formulas of a controller, coefficients of a regression, or the active coordinates.
 * `problem` may be NULL; `is_lander` then says which. Of many coordinates the first `most` are printed, and
 * how many there are. 0, or 1 after printing why. */
int search_point_print(const search_problem *problem, int is_lander, size_t dim, const double *x, size_t most,
                       FILE *stream);

#endif
