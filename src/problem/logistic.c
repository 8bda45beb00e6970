/* Logistic regression on chosen columns, by Newton's method with halved steps, on
 *
 *     mean of log(1 + exp(eta)) - y eta  +  (1e-6 / 2) |coefficients|^2,    eta = intercept + Z coefficients.
 *
 * The penalty is small beside the error, and gives an answer where the classes are separated and the
 * coefficients would grow for ever: Newton's method then moves by about one unit of eta in each step, so a
 * few dozen of them suffice. The intercept is not penalised; that both classes are among the training rows
 * keeps it finite. */
#include "base/simd.h"
#include "problem/regression.h"

#include <assert.h>

#define RIDGE 1e-6
#define SETTLED 1e-13 /* of what a step promises: the next would gain about its square */
enum { MOST_STEPS = 100, MOST_HALVINGS = 40 };

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Loss of each row, log(1 + exp(eta)) - y eta, such that nothing overflows. */
ZI_CLONES
static void fill_losses(size_t n, const double *restrict eta, const double *restrict y, double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        const double e = zi_exp(-fabs(eta[i]));
        loss[i] = ((eta[i] > 0.0 ? eta[i] : 0.0) - y[i] * eta[i]) + zi_log(1.0 + e);
    }
}

/* First and second derivative of each row's loss by its eta. */
ZI_CLONES
static void fill_slopes(size_t n, const double *restrict eta, const double *restrict y,
                        double *restrict residual, double *restrict weight)
{
    for (size_t i = 0; i < n; i++) {
        const double e = zi_exp(-fabs(eta[i]));
        const double inverse = 1.0 / (1.0 + e);
        residual[i] = (eta[i] > 0.0 ? inverse : e * inverse) - y[i];
        weight[i] = e * inverse * inverse;
    }
}

static double mean_loss(const zi_part *t, const double *eta, double *work)
{
    fill_losses(t->rows, eta, t->y, work);
    return zi_column_sum(t->rows, work) / (double)t->rows;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* Gradient and Hessian (lower triangle) at s->eta. The intercept is unknown number 0, coefficient k number k
 * + 1. */
static void slopes_find(const zi_part *t, zi_solution *s)
{
    const size_t n = s->count + 1;
    const double rows = (double)t->rows;
    double *residual = s->product;
    fill_slopes(t->rows, s->eta, t->y, residual, s->weight);
    s->gradient[0] = zi_column_sum(t->rows, residual) / rows;
    for (size_t k = 0; k < s->count; k++) {
        const double *column = t->x + s->column[k] * t->rows;
        s->gradient[k + 1] = zi_column_product(t->rows, residual, column) / rows + RIDGE * s->coefficient[k];
    }
    s->matrix[0] = zi_column_sum(t->rows, s->weight) / rows;
    for (size_t j = 0; j < s->count; j++) {
        const double *column = t->x + s->column[j] * t->rows;
        for (size_t i = 0; i < t->rows; i++) {
            s->product[i] = s->weight[i] * column[i];
        }
        s->matrix[j + 1] = zi_column_sum(t->rows, s->product) / rows;
        for (size_t k = j; k < s->count; k++) {
            s->matrix[(j + 1) * n + k + 1] =
                zi_column_product(t->rows, s->product, t->x + s->column[k] * t->rows) / rows;
        }
        s->matrix[(j + 1) * n + j + 1] += RIDGE;
    }
}

static double penalty(const zi_solution *s)
{
    return 0.5 * RIDGE * zi_column_product(s->count, s->coefficient, s->coefficient);
}

/* Moves by `length` steps. */
static void move(const zi_part *t, zi_solution *s, double length)
{
    s->intercept -= length * s->step[0];
    zi_column_add(s->count, -length, s->step + 1, s->coefficient);
    zi_column_add(t->rows, -length, s->direction, s->eta);
}

/* Goes along the step, half as far each time, until the sum of loss and penalty has fallen as it should;
 * whether it has. What rounding may hide counts as fallen. */
static int descend(const zi_part *t, zi_solution *s, double promise, double *loss)
{
    double length = 1.0;
    move(t, s, length);
    for (int halving = 0; halving < MOST_HALVINGS; halving++) {
        const double reached = mean_loss(t, s->eta, s->product) + penalty(s);
        if (reached <= *loss - 1e-4 * length * promise + 1e-15 * (1.0 + *loss)) {
            *loss = reached;
            return 1;
        }
        length *= 0.5;
        move(t, s, -length);
    }
    move(t, s, -length);
    return 0;
}

void zi_logistic_fit(const zi_regression *r, zi_solution *s)
{
    assert(r->training.rows);
    const zi_part *t = &r->training;
    s->intercept = log(r->y_mean / (1.0 - r->y_mean));
    memset(s->coefficient, 0, s->count * sizeof *s->coefficient);
    zi_columns_combine(t, s, s->coefficient, s->intercept, s->eta);
    double loss = mean_loss(t, s->eta, s->product);
    for (int step = 0; s->count && step < MOST_STEPS; step++) {
        slopes_find(t, s);
        memcpy(s->step, s->gradient, (s->count + 1) * sizeof *s->step);
        if (!zi_positive_solve(s->count + 1, s->matrix, s->step)) {
            return; /* rounding has eaten a pivot: as far as it goes */
        }
        const double promise = zi_column_product(s->count + 1, s->gradient, s->step);
        zi_columns_combine(t, s, s->step + 1, s->step[0], s->direction);
        if (!descend(t, s, promise, &loss) || promise < SETTLED) {
            return;
        }
    }
}

/* ---- The intercept alone --------------------------------------------------------------------- */

typedef struct range {
    double low, high;
} range;

static range range_of(size_t n, const double *a)
{
    range found = {INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        found.low = a[i] < found.low ? a[i] : found.low;
        found.high = a[i] > found.high ? a[i] : found.high;
    }
    return found;
}

/* Newton's method between bounds that close in. With every eta at the logit of the mean of y, or all of them
 * below it, the mean of the probabilities is below that of y: so the bounds are the logit less the largest
 * and the smallest. */
void zi_logistic_intercept(const zi_regression *r, zi_solution *s)
{
    assert(r->training.rows);
    const zi_part *t = &r->training;
    const double logit = log(r->y_mean / (1.0 - r->y_mean));
    zi_columns_combine(t, s, s->coefficient, 0.0, s->direction);
    const range given = range_of(t->rows, s->direction);
    range inside = {logit - given.high, logit - given.low};
    s->intercept = 0.5 * inside.low + 0.5 * inside.high;
    for (int step = 0; step < MOST_STEPS && inside.low < inside.high; step++) {
        for (size_t i = 0; i < t->rows; i++) {
            s->eta[i] = s->intercept + s->direction[i];
        }
        fill_slopes(t->rows, s->eta, t->y, s->product, s->weight);
        const double slope = zi_column_sum(t->rows, s->product);
        const double next = s->intercept - slope / zi_column_sum(t->rows, s->weight);
        inside = slope > 0.0 ? (range){inside.low, s->intercept} : (range){s->intercept, inside.high};
        const double before = s->intercept;
        s->intercept = next > inside.low && next < inside.high ? next : 0.5 * inside.low + 0.5 * inside.high;
        if (!(fabs(s->intercept - before) > 1e-14 * (1.0 + fabs(before)))) {
            return;
        }
    }
}

double zi_logistic_error(const zi_part *part, zi_solution *s, double *score)
{
    assert(part->rows);
    zi_columns_combine(part, s, s->coefficient, s->intercept, s->eta);
    if (score) {
        size_t right = 0;
        for (size_t i = 0; i < part->rows; i++) {
            right += (s->eta[i] > 0.0) == (part->y[i] > 0.5);
        }
        *score = (double)right / (double)part->rows;
    }
    return mean_loss(part, s->eta, s->product);
}
