/* Sparse regression: which columns of the caller's data are needed to predict y, and with which coefficients.
 *
 * Rows are put in random order by the seed; the first of them validate, the others train. Columns are
 * standardised with the mean and the deviation (divided by the count, not by one less) of the training rows.
 * A column that is constant there is only centred: it explains nothing, and gets the coefficient 0 where
 * coefficients are fitted. So neither a column of ones nor a rare category that the split has kept from the
 * training rows is an error. y is left in its units.
 *
 * The penalty that suits: a hundredth of the training rows' error with the intercept alone. */
#include "problem/regression.h"

#include "base/memory.h"
#include "math/linalg.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

/* The caller's. */
typedef struct data {
    size_t rows, cols;
    const double *x, *y;
} data;

static int is_linear(const zi_regression *r)
{
    return r->options.kind == ZILCH_REGRESSION_LINEAR;
}

static int is_subset(const zi_regression *r)
{
    return r->options.searched == ZILCH_SEARCHED_SUBSET;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

zilch_regression_options zilch_regression_defaults(void)
{
    return (zilch_regression_options){.size = sizeof(zilch_regression_options),
                                      .kind = ZILCH_REGRESSION_LINEAR,
                                      .searched = ZILCH_SEARCHED_SUBSET,
                                      .validation = 0.3};
}

static zilch_status check_options(const zilch_regression_options *options)
{
    if (options->size != sizeof *options) {
        return zi_fail(ZILCH_EARG, "regression options: begin from zilch_regression_defaults()");
    }
    if (!zilch_regression_name(options->kind) || !zilch_searched_name(options->searched)) {
        return zi_fail(ZILCH_EARG, "regression options: kind or searched is not one of the known ones");
    }
    if (!(options->validation > 0.0 && options->validation < 1.0)) {
        return zi_fail(ZILCH_EARG, "regression options: validation must be between 0 and 1, not %g",
                       options->validation);
    }
    return ZILCH_OK;
}

static zilch_status check_values(const data *d, zilch_regression kind)
{
    for (size_t i = 0; i < d->rows; i++) {
        for (size_t j = 0; j < d->cols; j++) {
            if (!isfinite(d->x[i * d->cols + j])) {
                return zi_fail_at(ZILCH_EARG,
                                  &(zi_location){"regression", {{ZI_ROW, i}, {ZI_COLUMN, j}}, NULL},
                                  "the value is not finite");
            }
        }
        if (!isfinite(d->y[i])) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"regression", {{ZI_ROW, i}}, NULL},
                              "y is not finite");
        }
        if (kind == ZILCH_REGRESSION_LOGISTIC && d->y[i] != 0.0 && d->y[i] != 1.0) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"regression", {{ZI_ROW, i}}, NULL},
                              "y is %g; logistic needs 0 or 1", d->y[i]);
        }
    }
    return ZILCH_OK;
}

/* How many rows validate. */
static size_t held_out(size_t rows, double share)
{
    return (size_t)round(share * (double)rows);
}

static zilch_status check_data(const data *d, const zilch_regression_options *options)
{
    size_t count;
    if (!d->x || !d->y) {
        return zi_fail(ZILCH_EARG, "regression: x and y must be given");
    }
    if (d->cols < 1 || d->cols > ZI_MOST_ORDER) {
        return zi_fail(ZILCH_EARG, "regression: needs 1 to %d columns, not %zu", ZI_MOST_ORDER, d->cols);
    }
    if (!zi_multiply(d->rows, d->cols, &count)) {
        return zi_fail(ZILCH_EARG, "regression: %zu rows of %zu columns are more than memory can hold",
                       d->rows, d->cols);
    }
    const size_t held = held_out(d->rows, options->validation);
    if (held < 2 || d->rows - held < 2) {
        return zi_fail(ZILCH_EARG,
                       "regression: of %zu rows %zu would train and %zu validate; both need at least 2",
                       d->rows, d->rows - held, held);
    }
    return check_values(d, options->kind);
}

/* ---- Split and standardise ------------------------------------------------------------------- */

/* Fisher's and Yates' shuffle. */
static void shuffle(size_t n, zilch_rng rng, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (size_t i = n; i-- > 1;) {
        const size_t j = (size_t)(zilch_rng_uniform(&rng) * (double)(i + 1));
        const size_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static void part_fill(zi_part *part, const data *d, const size_t *order)
{
    for (size_t i = 0; i < part->rows; i++) {
        const double *row = d->x + order[i] * d->cols;
        for (size_t j = 0; j < d->cols; j++) {
            part->x[j * part->rows + i] = row[j];
        }
        part->y[i] = d->y[order[i]];
    }
}

/* Of numbers that are all the same, exactly that one: a mean by division may differ from it. */
static double mean_of(size_t n, const double *a)
{
    const double mean = zi_column_sum(n, a) / (double)n;
    size_t same = 1;
    while (same < n && a[same] == a[0]) {
        same++;
    }
    return same == n ? a[0] : mean;
}

static double deviation_of(size_t n, const double *a, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (a[i] - mean) * (a[i] - mean);
    }
    return sqrt(sum / (double)n);
}

static void scale_column(zi_part *part, size_t column, double mean, double scale)
{
    double *a = part->x + column * part->rows;
    for (size_t i = 0; i < part->rows; i++) {
        a[i] = (a[i] - mean) / scale;
    }
}

static zilch_status standardise(zi_regression *r)
{
    for (size_t j = 0; j < r->cols; j++) {
        const double *column = r->training.x + j * r->training.rows;
        const double mean = mean_of(r->training.rows, column);
        const double deviation = deviation_of(r->training.rows, column, mean);
        if (!isfinite(deviation)) {
            return zi_fail_at(ZILCH_ENUMERIC, &(zi_location){"regression", {{ZI_COLUMN, j}}, NULL},
                              "the values are too large; scale them");
        }
        r->mean[j] = mean;
        r->scale[j] = deviation > 0.0 ? deviation : 1.0;
        scale_column(&r->training, j, r->mean[j], r->scale[j]);
        scale_column(&r->validation, j, r->mean[j], r->scale[j]);
    }
    return ZILCH_OK;
}

/* ---- What follows from the training rows ----------------------------------------------------- */

/* Their mean of y, and their error with no column at all. */
static zilch_status describe_target(zi_regression *r, double *error)
{
    const zi_part *t = &r->training;
    r->y_mean = mean_of(t->rows, t->y);
    if (is_linear(r)) {
        const double deviation = deviation_of(t->rows, t->y, r->y_mean);
        const double other = deviation_of(r->validation.rows, r->validation.y, r->y_mean);
        *error = deviation * deviation;
        return isfinite(*error) && isfinite(other)
                   ? ZILCH_OK
                   : zi_fail(ZILCH_ENUMERIC, "regression: y is too large; scale it");
    }
    if (r->y_mean == 0.0 || r->y_mean == 1.0) {
        return zi_fail(ZILCH_EARG,
                       "regression: y is %g in all %zu training rows; logistic needs both classes there",
                       r->y_mean, t->rows);
    }
    *error = -r->y_mean * log(r->y_mean) - (1.0 - r->y_mean) * log(1.0 - r->y_mean);
    return ZILCH_OK;
}

/* BLAS wants rows: they are copied, a block of them at a time. */
static zilch_status fill_gram(zi_regression *r)
{
    enum { BLOCK = 256 };
    const zi_part *t = &r->training;
    double *block;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&block, BLOCK * r->cols));
    for (size_t begin = 0; begin < t->rows; begin += BLOCK) {
        const size_t count = t->rows - begin < BLOCK ? t->rows - begin : BLOCK;
        for (size_t j = 0; j < r->cols; j++) {
            for (size_t i = 0; i < count; i++) {
                block[i * r->cols + j] = t->x[j * t->rows + begin + i];
            }
        }
        zi_rank_update(r->cols, count, 1.0 / (double)t->rows, block, begin ? 1.0 : 0.0, r->gram);
    }
    zi_free(block);
    return ZILCH_OK;
}

/* The columns' mean is 0, up to rounding: against y less its mean, rounding stays small. */
static zilch_status fill_moments(zi_regression *r)
{
    const zi_part *t = &r->training;
    double *centred;
    ZI_TRY(zi_alloc(&centred, t->rows));
    for (size_t i = 0; i < t->rows; i++) {
        centred[i] = t->y[i] - r->y_mean;
    }
    for (size_t j = 0; j < r->cols; j++) {
        r->moment[j] = zi_column_product(t->rows, t->x + j * t->rows, centred) / (double)t->rows;
    }
    zi_free(centred);
    return ZILCH_OK;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static zilch_status allocate_data(zi_regression *r, const data *d)
{
    const size_t held = held_out(d->rows, r->options.validation);
    const int needs_gram = is_linear(r) && is_subset(r);
    const size_t gram = needs_gram ? r->cols * r->cols : 0;
    double *block;
    ZI_TRY(zi_alloc(&block, d->rows * (r->cols + 1) + 3 * r->cols + gram));
    r->validation = (zi_part){.rows = held, .x = block, .y = block + held * r->cols};
    block += held * (r->cols + 1);
    r->training = (zi_part){.rows = d->rows - held, .x = block, .y = block + (d->rows - held) * r->cols};
    block += (d->rows - held) * (r->cols + 1);
    r->mean = block;
    r->scale = block + r->cols;
    r->moment = block + 2 * r->cols;
    r->gram = needs_gram ? block + 3 * r->cols : NULL;
    return ZILCH_OK;
}

static void close_regression(zilch_problem *problem)
{
    const zi_regression *r = problem->state;
    zi_free(r->validation.x); /* the block begins with it */
}

static zilch_status fill_data(zilch_problem *problem, const data *d)
{
    zi_regression *r = problem->state;
    size_t *order;
    double error = 0.0;
    ZI_TRY(allocate_data(r, d));
    ZI_TRY(zi_alloc(&order, d->rows));
    shuffle(d->rows, zi_problem_rng(problem, 0), order);
    part_fill(&r->validation, d, order);
    part_fill(&r->training, d, order + r->validation.rows);
    zi_free(order);
    ZI_TRY(standardise(r));
    ZI_TRY(describe_target(r, &error));
    problem->info.penalty = 0.01 * error;
    if (is_subset(r)) { /* what is active counts, not its value: one point a subset */
        problem->info.lower = problem->info.upper = 1.0;
    }
    if (r->gram) {
        ZI_TRY(fill_gram(r));
        ZI_TRY(fill_moments(r));
    }
    return ZILCH_OK;
}

zilch_status zilch_problem_regression(zilch_problem **out, size_t rows, size_t cols, const double *x,
                                      const double *y, const zilch_regression_options *options, uint64_t seed)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "regression: no place for the problem given");
    }
    *out = NULL;
    const zilch_regression_options chosen = options ? *options : zilch_regression_defaults();
    const data d = {.rows = rows, .cols = cols, .x = x, .y = y};
    ZI_TRY(check_options(&chosen));
    ZI_TRY(check_data(&d, &chosen));
    zilch_problem *problem;
    ZI_TRY(zi_problem_allocate(&problem, &zi_regression_family, zilch_regression_name(chosen.kind), seed));
    zi_regression *r = problem->state;
    r->options = chosen;
    r->cols = cols;
    problem->info.dim = cols;
    const zilch_status status = fill_data(problem, &d);
    if (status != ZILCH_OK) {
        zilch_problem_close(problem);
        return status;
    }
    *out = problem;
    return ZILCH_OK;
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* Room for solutions of up to `most` columns; the block to be freed is s->eta. */
static zilch_status allocate_solution(const zi_regression *r, size_t most, zi_solution *s)
{
    const size_t rows = r->training.rows > r->validation.rows ? r->training.rows : r->validation.rows;
    const size_t n = most + 1;
    double *block;
    ZI_TRY(zi_alloc(&block, 4 * rows + n * n + 4 * n));
    *s = (zi_solution){.eta = block,
                       .direction = block + rows,
                       .weight = block + 2 * rows,
                       .product = block + 3 * rows,
                       .matrix = block + 4 * rows,
                       .gradient = block + 4 * rows + n * n,
                       .step = block + 4 * rows + n * n + n,
                       .coefficient = block + 4 * rows + n * n + 2 * n,
                       .column = (size_t *)(void *)(block + 4 * rows + n * n + 3 * n)};
    return ZILCH_OK;
}

void zi_columns_combine(const zi_part *part, const zi_solution *s, const double *coefficient, double constant,
                        double *out)
{
    for (size_t i = 0; i < part->rows; i++) {
        out[i] = constant;
    }
    for (size_t k = 0; k < s->count; k++) {
        zi_column_add(part->rows, coefficient[k], part->x + s->column[k] * part->rows, out);
    }
}

/* What a point says: its columns, and their coefficients, its own or fitted ones. */
static void solution_find(const zi_regression *r, const double *x, zi_solution *s)
{
    s->count = 0;
    for (size_t j = 0; j < r->cols; j++) {
        if (x[j] != 0.0) {
            s->coefficient[s->count] = x[j];
            s->column[s->count++] = j;
        }
    }
    if (is_subset(r)) {
        (is_linear(r) ? zi_linear_fit : zi_logistic_fit)(r, s);
    } else if (is_linear(r)) {
        s->intercept = r->y_mean; /* the best one, as the columns' means are 0 */
    } else {
        zi_logistic_intercept(r, s);
    }
}

static double error_of(const zi_regression *r, const zi_part *part, zi_solution *s, double *score)
{
    return is_linear(r) ? zi_linear_error(part, s, score) : zi_logistic_error(part, s, score);
}

static zilch_status evaluate_regression(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const zi_regression *r = problem->state;
    zi_solution s;
    size_t most = 0;
    for (size_t k = 0; k < batch->n; k++) {
        const size_t count = zi_active_count(r->cols, batch->x + k * r->cols);
        most = count > most ? count : most;
    }
    ZI_TRY(allocate_solution(r, most, &s));
    for (size_t k = 0; k < batch->n; k++) {
        solution_find(r, batch->x + k * r->cols, &s);
        value[k] = error_of(r, is_subset(r) ? &r->validation : &r->training, &s, NULL);
    }
    zi_free(s.eta);
    return ZILCH_OK;
}

/* In the units of the data: sum of c (x - mean) / scale is the sum of (c / scale) x, less a constant. */
static double unscale(const zi_regression *r, const zi_solution *s, double *coefficients)
{
    double intercept = s->intercept;
    if (coefficients) {
        memset(coefficients, 0, r->cols * sizeof *coefficients);
    }
    for (size_t k = 0; k < s->count; k++) {
        const size_t j = s->column[k];
        const double slope = s->coefficient[k] / r->scale[j];
        intercept -= slope * r->mean[j];
        if (coefficients) {
            coefficients[j] = slope;
        }
    }
    return intercept;
}

zilch_status zilch_problem_fit(const zilch_problem *problem, const double *x, double *coefficients,
                               zilch_regression_fit *out)
{
    if (!problem || !x || !out) {
        return zi_fail(ZILCH_EARG, "regression: a problem, a point and a place for the fit must be given");
    }
    if (problem->family != &zi_regression_family) {
        return zi_fail(ZILCH_ESTATE, "%s: is no regression", problem->info.name);
    }
    const zi_regression *r = problem->state;
    zi_solution s;
    ZI_TRY(zi_points_check(problem->info.name, 1, r->cols, x));
    ZI_TRY(allocate_solution(r, zi_active_count(r->cols, x), &s));
    solution_find(r, x, &s);
    out->intercept = unscale(r, &s, coefficients);
    out->training_error = error_of(r, &r->training, &s, &out->training_score);
    out->validation_error = error_of(r, &r->validation, &s, &out->validation_score);
    zi_free(s.eta);
    return ZILCH_OK;
}

const zi_family zi_regression_family = {
    .state_bytes = sizeof(zi_regression), .evaluate = evaluate_regression, .close = close_regression};
