/* Sparse regression: every subset of small data against NumPy's answers, the split, separated classes,
 * columns that are collinear or constant, and what must be refused. */
#include "problem/problem.h"
#include "support.h"
#include "zilch.h"

enum { ROWS = 61, COLS = 5, SUBSETS = 1 << COLS };

/* The same as data() in reference/make_problems.py. */
static void make_data(int is_logistic, double *x, double *y)
{
    for (int i = 0; i < ROWS; i++) {
        double *row = x + (ptrdiff_t)i * COLS;
        for (int j = 0; j < COLS; j++) {
            row[j] =
                ((31 * i * i + 17 * (i + 3) * j * j + 7 * i * j + 5 * i) % 97) / 10.0 * (1.0 + 3.0 * j) + j;
        }
        const double noise = ((i * i * i + 11 * i) % 53) / 53.0 - 0.5;
        y[i] = 3.0 + 2.0 * row[0] - 0.5 * row[2] + 0.125 * row[3] + 6.0 * noise;
        y[i] = is_logistic ? (double)(y[i] > 8.5) : y[i];
    }
}

static zilch_regression_options options_of(int is_logistic, int is_coefficients)
{
    zilch_regression_options options = zilch_regression_defaults();
    options.kind = is_logistic ? ZILCH_REGRESSION_LOGISTIC : ZILCH_REGRESSION_LINEAR;
    options.searched = is_coefficients ? ZILCH_SEARCHED_COEFFICIENTS : ZILCH_SEARCHED_SUBSET;
    return options;
}

static zilch_problem *open_data(size_t rows, size_t cols, const double *x, const double *y,
                                const zilch_regression_options *options, uint64_t seed)
{
    zilch_problem *problem;
    if (zilch_problem_regression(&problem, rows, cols, x, y, options, seed) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return problem;
}

static zilch_problem *open_small(int is_logistic, int is_coefficients, uint64_t seed)
{
    static double x[ROWS * COLS];
    static double y[ROWS];
    const zilch_regression_options options = options_of(is_logistic, is_coefficients);
    make_data(is_logistic, x, y);
    return open_data(ROWS, COLS, x, y, &options, seed);
}

static double value_of(zilch_problem *problem, const double *x)
{
    double value = NAN;
    const uint64_t id = 0;
    const zilch_batch batch = {.n = 1, .dim = zilch_problem_describe(problem).dim, .id = &id, .x = x};
    assert_int_equal(zilch_problem_objective(problem, &batch, &value), ZILCH_OK);
    return value;
}

static zilch_regression_fit fit_of(const zilch_problem *problem, const double *x, double *coefficients)
{
    zilch_regression_fit fit;
    assert_int_equal(zilch_problem_fit(problem, x, coefficients, &fit), ZILCH_OK);
    return fit;
}

/* ---- What a fit must fulfil, in long double -------------------------------------------------- */

/* The rows in the order of the shuffle, drawn once more: the first `held` validate. */
static void find_order(const zilch_problem *problem, size_t rows, size_t *order)
{
    zilch_rng rng = zi_problem_rng(problem, 0);
    for (size_t i = 0; i < rows; i++) {
        order[i] = i;
    }
    for (size_t i = rows - 1; i > 0; i--) {
        const size_t j = (size_t)(zilch_rng_uniform(&rng) * (double)(i + 1));
        const size_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

typedef struct slopes {
    double intercept; /* of the mean log loss of the training rows, by the intercept */
    double
        coefficient; /* and by the coefficient of this column, if that is standardised; the ridge is in it */
} slopes;

static slopes slopes_of(const zilch_problem *problem, const double *x, const double *y, size_t rows,
                        size_t cols, size_t held, double intercept, const double *slope, size_t column)
{
    size_t order[128];
    long double sum = 0.0L;
    long double product = 0.0L;
    long double mean = 0.0L;
    long double squares = 0.0L;
    const long double n = (long double)(rows - held);
    find_order(problem, rows, order);
    for (size_t k = held; k < rows; k++) {
        mean += (long double)x[order[k] * cols + column] / n;
    }
    for (size_t k = held; k < rows; k++) {
        const double *row = x + order[k] * cols;
        long double eta = (long double)intercept;
        for (size_t j = 0; j < cols; j++) {
            eta += (long double)slope[j] * (long double)row[j];
        }
        const long double residual = 1.0L / (1.0L + expl(-eta)) - (long double)y[order[k]];
        const long double centred = (long double)row[column] - mean;
        sum += residual / n;
        product += residual * centred / n;
        squares += centred * centred / n;
    }
    const long double scale = sqrtl(squares);
    return (slopes){(double)sum, (double)(product / scale + 1e-6L * (long double)slope[column] * scale)};
}

/* ---- Against NumPy --------------------------------------------------------------------------- */

enum { LOGISTIC, COEFFICIENTS, MASK, INTERCEPT, TRAINING, VALIDATION = 6, FIRST = 8, NUMBERS = 13 };

static void note_relative(worst_error *w, double got, double expected, const double *row, const char *what)
{
    note_error(w, fabs(got - expected) / (1e-8 * fmax(1.0, fabs(expected))),
               "logistic %g coefficients %g mask %g %s", row[LOGISTIC], row[COEFFICIENTS], row[MASK], what);
}

static void check_row(worst_error *worst, zilch_problem *problem, const double *row)
{
    double x[COLS];
    double slope[COLS];
    for (int j = 0; j < COLS; j++) {
        const int is_chosen = (int)row[MASK] >> j & 1;
        x[j] = is_chosen ? row[COEFFICIENTS] != 0.0 ? (j - 1.25) * 0.5 : 1e-3 - 7.0 * j : 0.0;
    }
    const zilch_regression_fit fit = fit_of(problem, x, slope);
    note_relative(worst, value_of(problem, x), row[row[COEFFICIENTS] != 0.0 ? TRAINING : VALIDATION], row,
                  "value");
    note_relative(worst, fit.intercept, row[INTERCEPT], row, "intercept");
    note_relative(worst, fit.training_error, row[TRAINING], row, "training error");
    note_relative(worst, fit.training_score, row[TRAINING + 1], row, "training score");
    note_relative(worst, fit.validation_error, row[VALIDATION], row, "validation error");
    note_relative(worst, fit.validation_score, row[VALIDATION + 1], row, "validation score");
    for (int j = 0; j < COLS; j++) {
        note_relative(worst, slope[j], row[FIRST + j], row, "coefficient");
        assert_true((slope[j] != 0.0) == (x[j] != 0.0));
    }
}

static void every_subset_agrees_with_numpy(void **state)
{
    (void)state;
    FILE *table = open_table("regression.txt");
    worst_error worst = {.what = "regressions"};
    double row[NUMBERS];
    zilch_problem *problem[2][2];
    for (int k = 0; k < 4; k++) {
        problem[k / 2][k % 2] = open_small(k / 2, k % 2, 7);
    }
    size_t count = 0;
    for (; read_row(table, row, NUMBERS); count++) {
        check_row(&worst, problem[(int)row[LOGISTIC]][(int)row[COEFFICIENTS]], row);
    }
    for (int k = 0; k < 4; k++) {
        zilch_problem_close(problem[k / 2][k % 2]);
    }
    fclose(table);
    assert_int_equal(count, 4 * SUBSETS);
    check_errors(&worst);
}

/* The value is that of the zeros alone: other numbers at the same places, the same bits. */
static void a_subset_ignores_the_values(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        zilch_problem *problem = open_small(kind, 0, 3);
        const double a[COLS] = {1.0, 0.0, -2.0, 0.0, 1e-300};
        const double b[COLS] = {-5.0, -0.0, 1e300, 0.0, 2.0};
        assert_true(value_of(problem, a) == value_of(problem, b));
        assert_true(value_of(problem, a) != value_of(problem, (double[COLS]){1.0, 1.0, 1.0, 0.0, 1.0}));
        zilch_problem_close(problem);
    }
}

/* Units of the data change nothing but the coefficients. */
static void scaling_a_column_scales_its_coefficient(void **state)
{
    (void)state;
    double x[ROWS * COLS];
    double y[ROWS];
    const double point[COLS] = {1.0, 0.0, 1.0, 1.0, 0.0};
    for (int kind = 0; kind < 2; kind++) {
        double slope[COLS];
        double scaled[COLS];
        const zilch_regression_options options = options_of(kind, 0);
        zilch_problem *problem = open_small(kind, 0, 11);
        make_data(kind, x, y);
        for (size_t i = 0; i < ROWS; i++) {
            x[i * COLS + 2] = 1024.0 * x[i * COLS + 2] + 512.0;
        }
        zilch_problem *other = open_data(ROWS, COLS, x, y, &options, 11);
        const zilch_regression_fit fit = fit_of(problem, point, slope);
        const zilch_regression_fit moved = fit_of(other, point, scaled);
        assert_double_equal(moved.validation_error, fit.validation_error, 1e-9);
        assert_double_equal(1024.0 * scaled[2], slope[2], 1e-9);
        assert_double_equal(moved.intercept, fit.intercept - 512.0 * scaled[2], 1e-9);
        zilch_problem_close(problem);
        zilch_problem_close(other);
    }
}

/* ---- The split ------------------------------------------------------------------------------- */

/* y says which row it is, so that the empty subset's errors tell of the parts: their sums are those of all
 * rows, and the parts differ from seed to seed. */
static void the_split_is_random_and_loses_no_row(void **state)
{
    (void)state;
    enum { N = 40, HELD = 12 };
    double x[N];
    double y[N];
    const double nothing = 0.0;
    double errors[8];
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)(i % 7);
        y[i] = (double)(i * i);
    }
    for (uint64_t seed = 0; seed < 8; seed++) {
        zilch_problem *problem = open_data(N, 1, x, y, NULL, seed);
        const zilch_regression_fit fit = fit_of(problem, &nothing, NULL);
        double all = 0.0;
        for (size_t i = 0; i < N; i++) {
            all += (y[i] - fit.intercept) * (y[i] - fit.intercept);
        }
        const double parts = fit.training_error * (N - HELD) + fit.validation_error * HELD;
        assert_double_equal(parts / all, 1.0, 1e-12);
        errors[seed] = fit.validation_error;
        for (uint64_t before = 0; before < seed; before++) {
            assert_true(errors[before] != errors[seed]);
        }
        zilch_problem_close(problem);
    }
}

/* ---- Data that are awkward ------------------------------------------------------------------- */

enum { MANY = 80 };

/* Columns: a signal, its double, a constant, and noise. */
static void make_awkward(double *x, double *y, int is_logistic)
{
    zilch_rng rng = zilch_rng_make(17, 0);
    for (size_t i = 0; i < MANY; i++) {
        const double signal = zilch_rng_normal(&rng);
        x[4 * i] = signal;
        x[4 * i + 1] = 2.0 * signal + 1.0;
        x[4 * i + 2] = 0.1;
        x[4 * i + 3] = zilch_rng_normal(&rng);
        y[i] = is_logistic ? (double)(signal + zilch_rng_normal(&rng) > 0.0)
                           : 3.0 * signal + zilch_rng_normal(&rng);
    }
}

static void collinear_and_constant_columns_do_no_harm(void **state)
{
    (void)state;
    double x[4 * MANY];
    double y[MANY];
    for (int kind = 0; kind < 2; kind++) {
        const zilch_regression_options options = options_of(kind, 0);
        double slope[4];
        make_awkward(x, y, kind);
        zilch_problem *problem = open_data(MANY, 4, x, y, &options, 1);
        const double alone = value_of(problem, (double[4]){1.0, 0.0, 0.0, 0.0});
        const double all = value_of(problem, (double[4]){1.0, 1.0, 1.0, 0.0});
        assert_double_equal(all / alone, 1.0,
                            kind ? 1e-4 : 1e-8); /* the ridge of two shares is half that of one */
        const zilch_regression_fit fit = fit_of(problem, (double[4]){1.0, 1.0, 1.0, 0.0}, slope);
        assert_true(slope[2] == 0.0);
        assert_double_equal(slope[0], 2.0 * slope[1], 1e-5); /* the same of both, once standardised */
        assert_true(isfinite(fit.intercept) && fit.training_score > 0.5);
        const zilch_regression_fit none = fit_of(problem, (double[4]){0.0, 0.0, 1.0, 0.0}, slope);
        const zilch_regression_fit empty = fit_of(problem, (double[4]){0.0}, slope);
        assert_double_equal(none.validation_error, empty.validation_error, 1e-14);
        assert_double_equal(none.intercept, empty.intercept, 1e-14);
        zilch_problem_close(problem);
    }
}

/* Classes that a column tells apart without error: the penalty keeps its coefficient finite, and the slopes
 * of the penalised error vanish there. */
static void separated_classes_have_an_answer(void **state)
{
    (void)state;
    double x[2 * MANY];
    double y[MANY];
    zilch_rng rng = zilch_rng_make(5, 0);
    const zilch_regression_options options = options_of(1, 0);
    for (size_t i = 0; i < MANY; i++) {
        y[i] = (double)(i % 2);
        x[2 * i] = (y[i] > 0.5 ? 1.0 : -1.0) * (0.05 + zilch_rng_uniform(&rng)) * 1e4;
        x[2 * i + 1] = zilch_rng_normal(&rng);
    }
    zilch_problem *problem = open_data(MANY, 2, x, y, &options, 9);
    for (int both = 0; both < 2; both++) {
        double slope[2];
        const zilch_regression_fit fit = fit_of(problem, (double[2]){1.0, both}, slope);
        assert_true(fit.training_score == 1.0 && fit.validation_score == 1.0);
        assert_true(fit.training_error > 0.0 && fit.training_error < 1e-3);
        assert_true(slope[0] > 0.0 && slope[0] < 1.0 && isfinite(fit.intercept));
        assert_true(value_of(problem, (double[2]){1.0, both}) == fit.validation_error);
        for (size_t j = 0; j <= (size_t)both; j++) {
            const slopes left = slopes_of(problem, x, y, MANY, 2, 24, fit.intercept, slope, j);
            assert_double_equal(left.intercept, 0.0, 1e-10);
            assert_double_equal(left.coefficient, 0.0, 1e-10);
        }
    }
    zilch_problem_close(problem);
}

/* Coefficients of any size: the error's slope vanishes, or is that of an intercept in the last digit; nothing
 * overflows before it must. */
static void the_intercept_is_the_best(void **state)
{
    (void)state;
    static double x[ROWS * COLS];
    static double y[ROWS];
    static const double sizes[] = {1e-3, 1.0, 30.0, 1e4};
    double slope[COLS];
    zilch_problem *problem = open_small(1, 1, 7);
    make_data(1, x, y);
    for (size_t k = 0; k < COUNT(sizes); k++) {
        const zilch_regression_fit fit =
            fit_of(problem, (double[COLS]){sizes[k], 0.0, -sizes[k], 0.0, 0.0}, slope);
        assert_true(isfinite(fit.training_error) && isfinite(fit.validation_error));
        const slopes left = slopes_of(problem, x, y, ROWS, COLS, 18, fit.intercept, slope, 0);
        assert_double_equal(left.intercept, 0.0, 1e-14 * fmax(1.0, fabs(fit.intercept)));
    }
    double value;
    const uint64_t id = 0;
    const double huge[COLS] = {1e308, 1e308, -1e308, 1e308, 1e308};
    const zilch_batch batch = {.n = 1, .dim = COLS, .id = &id, .x = huge};
    assert_int_equal(zilch_problem_objective(problem, &batch, &value), ZILCH_OK);
    assert_true(!isfinite(value));
    zilch_problem_close(problem);
    problem = open_small(0, 1, 7);
    assert_int_equal(zilch_problem_objective(problem, &batch, &value), ZILCH_OK);
    assert_true(!isfinite(value));
    zilch_problem_close(problem);
}

/* More columns than training rows: the fit is as close as it likes, the value finite. */
static void more_columns_than_rows(void **state)
{
    (void)state;
    enum { N = 30, WIDE = 50 };
    double x[N * WIDE];
    double y[N];
    double all[WIDE];
    zilch_rng rng = zilch_rng_make(23, 0);
    zilch_rng_normals(&rng, COUNT(x), x);
    for (size_t j = 0; j < WIDE; j++) {
        all[j] = 1.0;
    }
    for (int kind = 0; kind < 2; kind++) {
        const zilch_regression_options options = options_of(kind, 0);
        for (size_t i = 0; i < N; i++) {
            y[i] = kind ? (double)(x[i * WIDE] > 0.0) : x[i * WIDE];
        }
        zilch_problem *problem = open_data(N, WIDE, x, y, &options, 1);
        const zilch_regression_fit fit = fit_of(problem, all, NULL);
        assert_true(fit.training_error < 1e-3 && isfinite(fit.validation_error));
        assert_true(value_of(problem, all) == fit.validation_error);
        zilch_problem_close(problem);
    }
}

/* y that does not vary: R^2 is 1 if nothing is left to explain, else 0. */
static void a_constant_y_is_explained_or_not(void **state)
{
    (void)state;
    double x[20];
    double y[20];
    for (size_t i = 0; i < 20; i++) {
        x[i] = (double)(i * i % 11);
        y[i] = 0.1;
    }
    zilch_problem *problem = open_data(20, 1, x, y, NULL, 1);
    const zilch_regression_fit fit = fit_of(problem, (double[1]){1.0}, NULL);
    assert_true(fit.training_error == 0.0 && fit.validation_error == 0.0);
    assert_true(fit.training_score == 1.0 && fit.validation_score == 1.0);
    assert_true(zilch_problem_describe(problem).penalty == 0.0);
    zilch_problem_close(problem);
    zilch_regression_options options = options_of(0, 1);
    problem = open_data(20, 1, x, y, &options, 1);
    assert_true(fit_of(problem, (double[1]){1.0}, NULL).training_score == 0.0);
    zilch_problem_close(problem);
}

/* ---- As a problem ---------------------------------------------------------------------------- */

typedef struct parts {
    zilch_problem *problem;
    const double *x;
    double *value;
} parts;

static zilch_status evaluate_one(void *context, size_t index)
{
    const parts *p = context;
    const uint64_t id = index;
    const zilch_batch batch = {.n = 1, .dim = COLS, .id = &id, .x = p->x + index * COLS};
    return zilch_problem_objective(p->problem, &batch, p->value + index);
}

static void values_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    double x[SUBSETS * COLS];
    double whole[SUBSETS];
    double single[SUBSETS];
    uint64_t id[SUBSETS] = {0};
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = i / COLS >> i % COLS & 1 ? 0.25 * (double)(i % 7) + 0.25 : 0.0;
    }
    for (int k = 0; k < 4; k++) {
        zilch_problem *problem = open_small(k / 2, k % 2, 2);
        const zilch_batch batch = {.n = SUBSETS, .dim = COLS, .id = id, .x = x};
        const parts p = {problem, x, single};
        assert_int_equal(zilch_problem_objective(problem, &batch, whole), ZILCH_OK);
        assert_int_equal(zilch_parallel(4, SUBSETS, evaluate_one, (void *)&p), ZILCH_OK);
        assert_memory_equal(whole, single, sizeof whole);
        zilch_problem_close(problem);
    }
}

static void describes_itself(void **state)
{
    (void)state;
    double share;
    for (int kind = 0; kind < 2; kind++) {
        zilch_problem *problem = open_small(kind, 0, 7);
        const zilch_problem_info info = zilch_problem_describe(problem);
        assert_string_equal(info.name, kind ? "logistic" : "linear");
        assert_string_equal(info.setting, "");
        assert_int_equal(info.dim, COLS);
        assert_int_equal(info.direction, ZILCH_MINIMIZE);
        assert_true(info.lower == 1.0 && info.upper == 1.0 && !info.is_noisy); /* one point a subset */
        const zilch_regression_fit fit = fit_of(problem, (double[COLS]){0.0}, NULL);
        assert_double_equal(info.penalty, 0.01 * fit.training_error, 1e-12);
        assert_int_equal(zilch_problem_support(problem, (double[COLS]){0.0}, &share), ZILCH_ESTATE);
        assert_non_null(strstr(zilch_last_error(), "optimum is not known"));
        zilch_problem_close(problem);
    }
}

/* ---- What must be refused -------------------------------------------------------------------- */

static void expect_refusal(const double *x, const double *y, const zilch_regression_options *options,
                           size_t rows, size_t cols, zilch_status status, const char *text)
{
    zilch_problem *problem = (zilch_problem *)&problem;
    assert_int_equal(zilch_problem_regression(&problem, rows, cols, x, y, options, 1), status);
    assert_null(problem);
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("says \"%s\", not \"%s\"", zilch_last_error(), text);
    }
}

static void refuses_bad_data(void **state)
{
    (void)state;
    double x[ROWS * COLS];
    double y[ROWS];
    const zilch_regression_options logistic = options_of(1, 0);
    make_data(0, x, y);
    expect_refusal(x, y, &logistic, ROWS, COLS, ZILCH_EARG, "regression: row 0 (counted from 0): y is ");
    expect_refusal(NULL, y, NULL, ROWS, COLS, ZILCH_EARG, "x and y must be given");
    expect_refusal(x, NULL, NULL, ROWS, COLS, ZILCH_EARG, "x and y must be given");
    expect_refusal(x, y, NULL, ROWS, 0, ZILCH_EARG, "1 to 32000 columns, not 0");
    expect_refusal(x, y, NULL, SIZE_MAX, COLS, ZILCH_EARG, "more than memory can hold");
    expect_refusal(x, y, NULL, 0, COLS, ZILCH_EARG, "of 0 rows 0 would train and 0 validate");
    expect_refusal(x, y, NULL, 4, COLS, ZILCH_EARG,
                   "of 4 rows 3 would train and 1 validate; both need at least 2");
    x[3 * COLS + 2] = NAN;
    expect_refusal(x, y, NULL, ROWS, COLS, ZILCH_EARG,
                   "regression: row 3, column 2 (counted from 0): the value is not finite");
    x[3 * COLS + 2] = 1.0;
    y[6] = INFINITY;
    expect_refusal(x, y, NULL, ROWS, COLS, ZILCH_EARG, "regression: row 6 (counted from 0): y is not finite");
    y[6] = 1e300;
    expect_refusal(x, y, NULL, ROWS, COLS, ZILCH_ENUMERIC, "y is too large");
    y[6] = 1.0;
    for (size_t i = 0; i < ROWS; i++) {
        x[i * COLS + 1] = i % 2 ? 1e300 : -1e300;
        y[i] = 1.0;
    }
    expect_refusal(x, y, NULL, ROWS, COLS, ZILCH_ENUMERIC,
                   "column 1 (counted from 0): the values are too large");
    make_data(1, x, y);
    memset(y, 0, sizeof y);
    expect_refusal(x, y, &logistic, ROWS, COLS, ZILCH_EARG, "y is 0 in all 43 training rows");
    y[5] = 2.0;
    expect_refusal(x, y, &logistic, ROWS, COLS, ZILCH_EARG,
                   "row 5 (counted from 0): y is 2; logistic needs 0 or 1");
}

static void refuses_bad_options(void **state)
{
    (void)state;
    double x[ROWS * COLS];
    double y[ROWS];
    static const double shares[] = {0.0, 1.0, -0.1, 1.5, NAN, INFINITY};
    make_data(0, x, y);
    zilch_regression_options options = {0};
    expect_refusal(x, y, &options, ROWS, COLS, ZILCH_EARG, "begin from zilch_regression_defaults()");
    for (size_t i = 0; i < COUNT(shares); i++) {
        options = zilch_regression_defaults();
        options.validation = shares[i];
        expect_refusal(x, y, &options, ROWS, COLS, ZILCH_EARG, "validation must be between 0 and 1");
    }
    options = zilch_regression_defaults();
    options.kind = (zilch_regression)9;
    expect_refusal(x, y, &options, ROWS, COLS, ZILCH_EARG, "not one of the known ones");
    options = zilch_regression_defaults();
    options.searched = (zilch_searched)9;
    expect_refusal(x, y, &options, ROWS, COLS, ZILCH_EARG, "not one of the known ones");
    assert_int_equal(zilch_problem_regression(NULL, ROWS, COLS, x, y, NULL, 1), ZILCH_EARG);
}

static void refuses_bad_points(void **state)
{
    (void)state;
    zilch_regression_fit fit;
    zilch_problem *problem = open_small(0, 0, 1);
    const double point[COLS] = {0.0, 0.0, NAN, 0.0, 0.0};
    assert_int_equal(zilch_problem_fit(problem, point, NULL, &fit), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "linear: point 0, coordinate 2 "));
    assert_int_equal(zilch_problem_fit(problem, NULL, NULL, &fit), ZILCH_EARG);
    assert_int_equal(zilch_problem_fit(problem, point, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_problem_fit(NULL, point, NULL, &fit), ZILCH_EARG);
    zilch_problem_close(problem);
    assert_int_equal(zilch_problem_open(&problem, "smop1", 1), ZILCH_OK);
    assert_int_equal(zilch_problem_fit(problem, point, NULL, &fit), ZILCH_ESTATE);
    assert_string_equal(zilch_last_error(), "smop1: is no regression");
    zilch_problem_close(problem);
    assert_int_equal(zilch_problem_open(&problem, "linear", 1), ZILCH_EARG);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

static size_t allocations;
static size_t failing;
static long outstanding;

static void *counting_alloc(size_t bytes)
{
    if (++allocations == failing) {
        return NULL;
    }
    outstanding++;
    return malloc(bytes);
}

static void counting_release(void *memory)
{
    outstanding--;
    free(memory);
}

static zilch_status open_evaluate_fit(void)
{
    static double x[ROWS * COLS];
    static double y[ROWS];
    const double point[COLS] = {1.0};
    const uint64_t id = 0;
    double value;
    zilch_regression_fit fit;
    zilch_problem *problem;
    const zilch_batch batch = {.n = 1, .dim = COLS, .id = &id, .x = point};
    make_data(0, x, y);
    zilch_status status = zilch_problem_regression(&problem, ROWS, COLS, x, y, NULL, 1);
    status = status == ZILCH_OK ? zilch_problem_objective(problem, &batch, &value) : status;
    status = status == ZILCH_OK ? zilch_problem_fit(problem, point, NULL, &fit) : status;
    zilch_problem_close(problem);
    return status;
}

static void loses_nothing_out_of_memory(void **state)
{
    (void)state;
    zilch_status status = ZILCH_ENOMEM;
    zilch_set_allocator(counting_alloc, counting_release);
    for (failing = 1; status != ZILCH_OK; failing++) {
        allocations = 0;
        status = open_evaluate_fit();
        assert_int_equal(outstanding, 0);
        assert_true(status == ZILCH_OK || status == ZILCH_ENOMEM);
    }
    zilch_set_allocator(NULL, NULL);
    assert_int_equal(failing, 7 + 2); /* seven allocations, and a round in which none failed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subset_agrees_with_numpy),
        cmocka_unit_test(a_subset_ignores_the_values),
        cmocka_unit_test(scaling_a_column_scales_its_coefficient),
        cmocka_unit_test(the_split_is_random_and_loses_no_row),
        cmocka_unit_test(collinear_and_constant_columns_do_no_harm),
        cmocka_unit_test(separated_classes_have_an_answer),
        cmocka_unit_test(the_intercept_is_the_best),
        cmocka_unit_test(more_columns_than_rows),
        cmocka_unit_test(a_constant_y_is_explained_or_not),
        cmocka_unit_test(values_do_not_depend_on_the_batch),
        cmocka_unit_test(describes_itself),
        cmocka_unit_test(refuses_bad_data),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(refuses_bad_points),
        cmocka_unit_test(loses_nothing_out_of_memory),
    };
    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
