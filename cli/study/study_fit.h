/* What a point of a regression says about the rows of its data. */
#ifndef STUDY_FIT_H
#define STUDY_FIT_H

#include "request/search_problem.h"

enum { STUDY_FIT_BINS = 20 }; /* of probabilities */

typedef struct study_fit {
    const search_problem *problem; /* open, with its data */
    double *coefficient;           /* in the units of the data */
    zilch_regression_fit fit;
    int is_logistic;
} study_fit;

/* 0, or 1 after printing why; close it in any case. */
int study_fit_open(study_fit *out, const search_problem *problem, const double *x);
void study_fit_close(study_fit *f);

/* What is linear in the columns of a row: the prediction, or of a logistic regression its log-odds. */
double study_fit_predict(const study_fit *f, const double *row);

/* The row of the data that stands in place k of `shown`, evenly spread. */
const double *study_fit_row(const study_fit *f, size_t k, size_t shown);

/* How many rows that were a 0, and how many that were a 1, got a probability in each bin. */
void study_fit_count(const study_fit *f, size_t rows[STUDY_FIT_BINS][2]);

/* What the column is called that is explained. */
const char *study_fit_response(const study_fit *f);

#endif
