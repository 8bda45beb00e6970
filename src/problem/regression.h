/* Inside a sparse regression: its data, standardised and split, and what fits coefficients to them. */
#ifndef ZI_REGRESSION_H
#define ZI_REGRESSION_H

#include "base/status.h"
#include "problem/columns.h"

/* Rows that belong together. */
typedef struct zi_part {
    size_t rows;
    double *x; /* standardised; a column of `rows` numbers after the other */
    double *y; /* rows */
} zi_part;

typedef struct zi_regression {
    zilch_regression_options options;
    size_t cols;
    zi_part training, validation;
    double *mean, *scale;  /* of the training rows' columns */
    double y_mean;         /* of the training rows */
    double *gram, *moment; /* linear and subset: Z^T Z / rows (lower triangle, BLAS' order), and Z^T (y -
                              mean) / rows */
} zi_regression;

/* Room for one fit, of up to `most` columns, and what came out of it. */
typedef struct zi_solution {
    size_t count;        /* columns that have a coefficient */
    size_t *column;      /* which */
    double *coefficient; /* of the standardised columns */
    double intercept;
    double *eta; /* rows of the larger part: the linear predictor, and by turns other things */
    double *direction, *weight, *product; /* as long */
    double *matrix;                       /* (most + 1)^2 */
    double *gradient, *step;              /* most + 1 */
} zi_solution;

/* constant + sum of coefficient_k times column column_k, for every row. */
void zi_columns_combine(const zi_part *part, const zi_solution *s, const double *coefficient, double constant,
                        double *out);

/* ---- Coefficients and intercept for the chosen columns, fitted to the training rows ---------- */

void zi_linear_fit(const zi_regression *r, zi_solution *s);
void zi_logistic_fit(const zi_regression *r, zi_solution *s);

/* The best intercept for coefficients that are given. */
void zi_logistic_intercept(const zi_regression *r, zi_solution *s);

/* Mean error of a part's rows, and the score: R^2, or the share of rows told apart rightly (may be NULL). */
double zi_linear_error(const zi_part *part, zi_solution *s, double *score);
double zi_logistic_error(const zi_part *part, zi_solution *s, double *score);

#endif
