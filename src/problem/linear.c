/* Least squares for chosen columns, by the normal equations: the Gram matrix of all columns is known, so a
 * fit takes only the part of it that was chosen. Standardised columns have a diagonal of 1 there; 1e-10 is
 * added to it, which changes coefficients in the tenth digit and keeps collinear columns from doing harm. A
 * column that is constant in the training rows has a diagonal of 0, and thus gets the coefficient 0. */
#include "problem/regression.h"

#include <assert.h>
#include <math.h>

#define RIDGE 1e-10

void zi_linear_fit(const zi_regression *r, zi_solution *s)
{
    assert(r->training.rows);
    const size_t n = s->count;
    for (size_t j = 0; j < n; j++) {
        const double *column = r->gram + s->column[j] * r->cols;
        for (size_t i = j; i < n; i++) { /* the chosen columns are in ascending order: i is below j */
            s->matrix[j * n + i] = column[s->column[i]];
        }
        s->matrix[j * n + j] += RIDGE;
        s->coefficient[j] = r->moment[s->column[j]];
    }
    s->intercept = r->y_mean;
    if (!zi_positive_solve(n, s->matrix, s->coefficient)) {
        s->intercept = NAN; /* not seen yet: rounding is far below the ridge */
    }
}

double zi_linear_error(const zi_part *part, zi_solution *s, double *score)
{
    assert(part->rows);
    const double rows = (double)part->rows;
    zi_columns_combine(part, s, s->coefficient, s->intercept, s->eta);
    zi_column_add(part->rows, -1.0, part->y, s->eta);
    const double error = zi_column_product(part->rows, s->eta, s->eta) / rows;
    if (score) { /* of y that do not vary, all is explained or nothing */
        const double mean = zi_column_sum(part->rows, part->y) / rows;
        for (size_t i = 0; i < part->rows; i++) {
            s->eta[i] = part->y[i] - mean;
        }
        const double variance = zi_column_product(part->rows, s->eta, s->eta) / rows;
        *score = variance > 0.0 ? 1.0 - error / variance : (double)(error == 0.0);
    }
    return error;
}
