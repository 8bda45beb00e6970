/* The fit: against straightforward formulas written again here, by its symmetries, on the
 * columns that are special, and what the projections and shrinkages promise. */
#include "math/bivariate.h"
#include "math/linalg.h"
#include "model/invert.h"
#include "model/model.h"
#include "support.h"
#include "zilch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Data ---------------------------------------------------------------------------- */

typedef struct data {
    size_t rows, cols;
    double *x;
} data;

static data draw(size_t rows, size_t cols, double p_min, double p_max, uint64_t seed)
{
    zilch_rng rng = zilch_rng_make(seed, 0);
    zilch_model *law;
    data d = {rows, cols, test_malloc(rows * cols * sizeof(double))};
    assert_int_equal(zilch_model_random(&law, cols, &rng, 0.6, p_min, p_max), ZILCH_OK);
    assert_int_equal(zilch_model_sample(law, &rng, rows, d.x), ZILCH_OK);
    zilch_model_destroy(law);
    return d;
}

static zilch_model *fit(const data *d, const double *weights, const zilch_model_options *options)
{
    zilch_model *model;
    const zilch_status status = zilch_model_fit(&model, d->rows, d->cols, d->x, weights, options);
    if (status != ZILCH_OK) {
        print_message("%s\n", zilch_last_error());
    }
    assert_int_equal(status, ZILCH_OK);
    assert_true(zi_model_is_valid(model));
    return model;
}

static zilch_model_options with_projection(zilch_projection projection)
{
    zilch_model_options options = zilch_model_defaults();
    options.projection = projection;
    return options;
}

static double farthest(const double *a, const double *b, size_t count)
{
    double worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

/* ---- Marginals and Pearson correlations ------------------------------------------------- */

/* Pearson's correlation of two weighted columns, in long double, by the textbook. */
static double pearson(const long double *a, const long double *b, const double *w, size_t rows)
{
    long double sw = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (size_t r = 0; r < rows; r++) {
        sw += w[r];
        sa += w[r] * a[r];
        sb += w[r] * b[r];
    }
    for (size_t r = 0; r < rows; r++) {
        const long double da = a[r] - sa / sw;
        const long double db = b[r] - sb / sw;
        saa += w[r] * da * da;
        sbb += w[r] * db * db;
        sab += w[r] * da * db;
    }
    return (double)(sab / sqrtl(saa * sbb));
}

/* Columns of Y = (standardised values, indicators), from the definition. */
static void standardise(const data *d, const double *w, size_t column, long double *value,
                        long double *indicator)
{
    long double active = 0, sum = 0, squares = 0;
    for (size_t r = 0; r < d->rows; r++) {
        const double x = d->x[r * d->cols + column];
        indicator[r] = x != 0.0;
        active += w[r] * indicator[r];
        sum += w[r] * x;
    }
    for (size_t r = 0; r < d->rows; r++) {
        const long double x = d->x[r * d->cols + column];
        squares += x != 0 ? w[r] * (x - sum / active) * (x - sum / active) : 0;
    }
    for (size_t r = 0; r < d->rows; r++) {
        const long double x = d->x[r * d->cols + column];
        value[r] = x != 0 ? (x - sum / active) / sqrtl(squares / active) : 0;
    }
}

static void observed_is_pearsons(void **state)
{
    (void)state;
    const data d = draw(700, 5, 0.2, 0.8, 11); /* more than one block of rows */
    double w[700];
    for (size_t r = 0; r < d.rows; r++) {
        w[r] = (double)(r % 4); /* some rows count nothing */
    }
    zilch_model *model = fit(&d, w, NULL);
    long double *y = test_malloc(2 * d.cols * d.rows * sizeof *y);
    for (size_t i = 0; i < d.cols; i++) {
        standardise(&d, w, i, y + i * d.rows, y + (d.cols + i) * d.rows);
    }
    const size_t n = 2 * d.cols;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const double expected = pearson(y + i * d.rows, y + j * d.rows, w, d.rows);
            assert_true(fabs(zilch_model_observed(model)[i * n + j] - expected) < 1e-13);
        }
        assert_true(zilch_model_observed(model)[i * n + i] == 1.0);
    }
    test_free(y);
    test_free(d.x);
    zilch_model_destroy(model);
}

/* Integer weights are repetitions. */
static void weights_repeat_rows(void **state)
{
    (void)state;
    const data d = draw(90, 4, 0.3, 0.7, 12);
    double w[90];
    data repeated = {0, d.cols, test_malloc(4 * 90 * d.cols * sizeof(double))};
    for (size_t r = 0; r < d.rows; r++) {
        w[r] = (double)(r % 5);
        for (size_t k = 0; k < r % 5; k++) {
            memcpy(repeated.x + repeated.rows++ * d.cols, d.x + r * d.cols, d.cols * sizeof(double));
        }
    }
    zilch_model *a = fit(&d, w, NULL);
    zilch_model *b = fit(&repeated, NULL, NULL);
    assert_true(farthest(zilch_model_p(a), zilch_model_p(b), 4) < 1e-15);
    assert_true(farthest(zilch_model_mu(a), zilch_model_mu(b), 4) < 1e-13);
    assert_true(farthest(zilch_model_sigma(a), zilch_model_sigma(b), 4) < 1e-13);
    assert_true(farthest(zilch_model_correlation(a), zilch_model_correlation(b), 64) < 1e-9);
    zilch_fit_report report;
    assert_int_equal(zilch_model_report(b, &report), ZILCH_OK);
    assert_true(report.rows == (double)repeated.rows);
    zilch_model_destroy(a);
    zilch_model_destroy(b);
    test_free(d.x);
    test_free(repeated.x);
}

/* ---- Symmetries ------------------------------------------------------------------------- */

static void permuting_columns_permutes_the_fit(void **state)
{
    (void)state;
    enum { D = 6, N = 12 };
    static const size_t to[D] = {3, 0, 5, 1, 4, 2};
    const data d = draw(200, D, 0.2, 0.8, 13);
    data moved = {d.rows, D, test_malloc(d.rows * D * sizeof(double))};
    for (size_t r = 0; r < d.rows; r++) {
        for (size_t i = 0; i < D; i++) {
            moved.x[r * D + to[i]] = d.x[r * D + i];
        }
    }
    for (int projection = ZILCH_CLIP; projection <= ZILCH_WEIGHTED; projection++) {
        const zilch_model_options options = with_projection((zilch_projection)projection);
        zilch_model *a = fit(&d, NULL, &options);
        zilch_model *b = fit(&moved, NULL, &options);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                const size_t at = (to[i % D] + i / D * D) * N + to[j % D] + j / D * D;
                assert_true(fabs(zilch_model_correlation(a)[i * N + j] - zilch_model_correlation(b)[at]) <
                            1e-6);
            }
        }
        zilch_model_destroy(a);
        zilch_model_destroy(b);
    }
    test_free(d.x);
    test_free(moved.x);
}

/* x -> a x scales mu and sigma; a < 0 flips the signs of the value's correlations. */
static void scaling_and_sign(void **state)
{
    (void)state;
    enum { D = 3, N = 6 };
    static const double scale[D] = {1e-3, -2.0, 1e6};
    const data d = draw(300, D, 0.3, 0.9, 14);
    data scaled = {d.rows, D, test_malloc(d.rows * D * sizeof(double))};
    for (size_t i = 0; i < d.rows * D; i++) {
        scaled.x[i] = d.x[i] * scale[i % D];
    }
    zilch_model *a = fit(&d, NULL, NULL);
    zilch_model *b = fit(&scaled, NULL, NULL);
    for (size_t i = 0; i < D; i++) {
        assert_true(fabs(zilch_model_mu(b)[i] / (scale[i] * zilch_model_mu(a)[i]) - 1.0) < 1e-12);
        assert_true(fabs(zilch_model_sigma(b)[i] / fabs(scale[i] * zilch_model_sigma(a)[i]) - 1.0) < 1e-12);
    }
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            const double sign = (i == 1) != (j == 1) ? -1.0 : 1.0;
            const double expected = sign * zilch_model_correlation(a)[i * N + j];
            assert_true(fabs(zilch_model_correlation(b)[i * N + j] - expected) < 1e-9);
        }
    }
    zilch_model_destroy(a);
    zilch_model_destroy(b);
    test_free(d.x);
    test_free(scaled.x);
}

/* A known law comes back: 200,000 rows, tolerance about 6 standard errors. */
static void recovers_a_known_law(void **state)
{
    (void)state;
    enum { ROWS = 200000 };
    const double p[] = {0.4, 0.7};
    const double mu[] = {-1.0, 3.0};
    const double sigma[] = {2.0, 0.1};
    const double corr[] = {1, -0.5, 0, 0.3, -0.5, 1, 0.4, 0, 0, 0.4, 1, 0.6, 0.3, 0, 0.6, 1};
    zilch_model *law;
    assert_int_equal(zilch_model_create(&law, 2, p, mu, sigma, corr), ZILCH_OK);
    zilch_rng rng = zilch_rng_make(15, 0);
    const data d = {ROWS, 2, test_malloc(2 * ROWS * sizeof(double))};
    assert_int_equal(zilch_model_sample(law, &rng, ROWS, d.x), ZILCH_OK);
    zilch_model *model = fit(&d, NULL, NULL);
    assert_true(farthest(zilch_model_p(model), p, 2) < 0.007);
    assert_true(fabs(zilch_model_mu(model)[0] + 1.0) < 0.045);
    assert_true(fabs(zilch_model_mu(model)[1] - 3.0) < 0.0017);
    assert_true(fabs(zilch_model_sigma(model)[0] - 2.0) < 0.03);
    assert_true(farthest(zilch_model_correlation(model), corr, 16) < 0.025);
    zilch_fit_report report;
    assert_int_equal(zilch_model_report(model, &report), ZILCH_OK);
    assert_true(report.projection_distance == 0.0 &&
                report.identity_weight == 0.0); /* it was positive definite already */
    zilch_model_destroy(model);
    zilch_model_destroy(law);
    test_free(d.x);
}

/* ---- Special columns -------------------------------------------------------------------- */

static int row_is_empty(const zilch_model *model, size_t row)
{
    const size_t n = 2 * zilch_model_dim(model);
    for (size_t j = 0; j < n; j++) {
        if (zilch_model_correlation(model)[row * n + j] != (j == row ? 1.0 : 0.0)) {
            return 0;
        }
    }
    return 1;
}

/* Columns: 0 always zero; 1 always active; 2 one active row; 3 constant where active; 4 a
 * nonzero constant; 5 and 6 ordinary; 7 negative zeros only. */
static data special_columns(void)
{
    enum { ROWS = 400, COLS = 8 };
    const data ordinary = draw(ROWS, 3, 0.3, 0.7, 16);
    const data d = {ROWS, COLS, test_malloc(ROWS * COLS * sizeof(double))};
    zilch_rng rng = zilch_rng_make(17, 0);
    for (size_t r = 0; r < ROWS; r++) {
        double *row = d.x + r * COLS;
        row[0] = 0.0;
        row[1] = zilch_rng_normal(&rng) + 0.5 * ordinary.x[r * 3];
        row[2] = r == 77 ? 5.0 : 0.0;
        row[3] = zilch_rng_uniform(&rng) < 0.4 ? 0.1 : 0.0;
        row[4] = -3.0;
        row[5] = ordinary.x[r * 3];
        row[6] = ordinary.x[r * 3 + 1];
        row[7] = -0.0;
    }
    test_free(ordinary.x);
    return d;
}

static void special_columns_are_special(void **state)
{
    (void)state;
    enum { D = 8 };
    const data d = special_columns();
    for (int projection = ZILCH_CLIP; projection <= ZILCH_WEIGHTED; projection++) {
        const zilch_model_options options = with_projection((zilch_projection)projection);
        zilch_model *model = fit(&d, NULL, &options);
        const double *p = zilch_model_p(model);
        const double *mu = zilch_model_mu(model);
        const double *sigma = zilch_model_sigma(model);
        assert_true(p[0] == 0.0 && p[7] == 0.0 && mu[0] == 0.0 && sigma[0] == 0.0);
        assert_true(p[1] == 1.0 && sigma[1] > 0.0 && p[4] == 1.0);
        assert_true(p[2] == 1.0 / 400 && mu[2] == 5.0 && sigma[2] == 0.0);
        assert_true(mu[3] == 0.1 && sigma[3] == 0.0 && mu[4] == -3.0 && sigma[4] == 0.0);
        assert_true(isinf(zilch_model_tau(model)[0]) && zilch_model_tau(model)[0] > 0.0);
        assert_true(isinf(zilch_model_tau(model)[1]) && zilch_model_tau(model)[1] < 0.0);
        static const size_t empty[] = {0, 2, 3, 4, 7, D + 0, D + 1, D + 4, D + 7};
        for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
            assert_true(row_is_empty(model, empty[i]));
        }
        assert_false(row_is_empty(model, 1));
        assert_false(row_is_empty(model, D + 3)); /* the mask of 3 varies */
        assert_false(row_is_empty(model, 5));
        zilch_rng rng = zilch_rng_make(1, 0);
        double x[D * 50];
        assert_int_equal(zilch_model_sample(model, &rng, 50, x), ZILCH_OK);
        for (size_t r = 0; r < 50; r++) {
            assert_true(x[r * D] == 0.0 && x[r * D + 1] != 0.0 && x[r * D + 4] == -3.0);
        }
        zilch_model_destroy(model);
    }
    test_free(d.x);
}

static void sigma_floor_holds(void **state)
{
    (void)state;
    const data d = special_columns();
    zilch_model_options options = zilch_model_defaults();
    options.sigma_floor = 0.25;
    zilch_model *model = fit(&d, NULL, &options);
    for (size_t i = 0; i < 8; i++) {
        const double least = zilch_model_p(model)[i] > 0.0 ? 0.25 : 0.0;
        assert_true(zilch_model_sigma(model)[i] >= least);
    }
    assert_true(zilch_model_sigma(model)[2] == 0.25 && zilch_model_sigma(model)[0] == 0.0);
    zilch_model_destroy(model);
    test_free(d.x);
}

/* Two neighbouring doubles are no spread; an offset of 1e9 deviations costs nine digits of
 * sixteen, not more. */
static void rounding_is_no_spread(void **state)
{
    (void)state;
    enum { ROWS = 900 };
    double x[3 * ROWS];
    zilch_rng rng = zilch_rng_make(19, 0);
    for (size_t r = 0; r < ROWS; r++) {
        const double z = zilch_rng_normal(&rng);
        x[3 * r] = r % 3 == 0 ? 0.1 + 0.2 : r % 3 == 1 ? 0.3 : 0.0;
        x[3 * r + 1] = zilch_rng_uniform(&rng) < 0.5 ? 1e9 + z : 0.0;
        x[3 * r + 2] = zilch_rng_uniform(&rng) < 0.5 ? z : 0.0;
    }
    const data d = {ROWS, 3, x};
    zilch_model *model = fit(&d, NULL, NULL);
    assert_true(zilch_model_sigma(model)[0] == 0.0);
    assert_true(zilch_model_mu(model)[0] >= 0.3 && zilch_model_mu(model)[0] <= 0.1 + 0.2);
    double w[ROWS];
    long double y[2][ROWS];
    long double indicator[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        w[r] = 1.0;
    }
    standardise(&d, w, 1, y[0], indicator);
    standardise(&d, w, 2, y[1], indicator);
    assert_true(fabs(zilch_model_observed(model)[6 + 2] - pearson(y[0], y[1], w, ROWS)) < 1e-7);
    zilch_model_destroy(model);
}

/* Rows without weight do not count, whatever they hold; nor does a share that underflows. */
static void weightless_rows_do_not_matter(void **state)
{
    (void)state;
    double x[] = {1, 0, 2, 3, 0, 4, 1e200, -1e200, 5, 1};
    const double w[] = {1, 1, 1, 0, 1};
    const data d = {5, 2, x};
    zilch_model *model = fit(&d, w, NULL);
    assert_true(zilch_model_p(model)[0] == 0.75);
    zilch_model_destroy(model);
    double rare[] = {1, 0, 0, 2, 0, 0, 3, 1, 0, 0};
    const double uneven[] = {1e-200, 1e150, 1e150, 1e-200, 1e150};
    const data e = {5, 2, rare};
    model = fit(&e, uneven, NULL);
    assert_true(zilch_model_p(model)[0] == 0.0 && zilch_model_mu(model)[0] == 0.0);
    assert_true(row_is_empty(model, 0));
    zilch_model_destroy(model);
}

static void smallest_data_sets(void **state)
{
    (void)state;
    double two_rows[] = {0.0, 1.0, 2.0, 0.0};
    double one_column[] = {0.0, 1.0, 2.0, 0.0};
    const data sets[] = {{2, 2, two_rows}, {4, 1, one_column}};
    for (int i = 0; i < 2; i++) {
        for (int projection = ZILCH_CLIP; projection <= ZILCH_WEIGHTED; projection++) {
            const zilch_model_options options = with_projection((zilch_projection)projection);
            zilch_model *model = fit(&sets[i], NULL, &options);
            assert_true(zilch_model_p(model)[0] == 0.5);
            zilch_model_destroy(model);
        }
    }
}

/* ---- Projections ------------------------------------------------------------------------- */

/* What the projections are given: observed correlations, inverted. */
static double *inverted(const zilch_model *model)
{
    const size_t d = zilch_model_dim(model);
    double *sigma = test_malloc(4 * d * d * sizeof *sigma);
    zi_margin *margin = test_malloc(d * sizeof *margin);
    for (size_t i = 0; i < d; i++) {
        margin[i] = zi_margin_of(zilch_model_p(model)[i]);
    }
    const zi_inversion inversion = {d, margin, zilch_model_observed(model), NULL, 0};
    assert_int_equal(zi_invert_exact(&inversion, sigma), ZILCH_OK);
    test_free(margin);
    return sigma;
}

/* An observed value correlation of exactly 0 is not a latent one: the masks have their share.
 * The public functions, pair by pair, say what must come out. */
static void inverts_exact_zeros(void **state)
{
    (void)state;
    double x[] = {0, 0, 1, 0, -1, 0, -1, 1, -1, 0, 0, 0, 1, 1, -1, 0, 1, 1, 1, -1, 0, -1, 0, 0, 0, -1, 0, 0};
    const data d = {14, 2, x};
    zilch_model *model = fit(&d, NULL, NULL);
    double *sigma = inverted(model);
    const double *p = zilch_model_p(model);
    const double *observed = zilch_model_observed(model);
    const double rho_m = zilch_invert_mm(p[0], p[1], observed[2 * 4 + 3]);
    const double rho_ji = zilch_invert_vm(p[0], p[1], observed[3], rho_m);
    const double rho_ij = zilch_invert_vm(p[1], p[0], observed[4 + 2], rho_m);
    assert_true(fabs(observed[1]) < 1e-15);
    assert_true(fabs(sigma[1] - zilch_invert_vv(p[0], p[1], observed[1], rho_ij, rho_ji, rho_m)) < 1e-12);
    assert_true(sigma[1] < -0.2);
    test_free(sigma);
    zilch_model_destroy(model);
}

static double frobenius(const double *a, const double *b, size_t count)
{
    double square = 0.0;
    for (size_t i = 0; i < count; i++) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(square);
}

static double largest_own(const zilch_model *model)
{
    const size_t d = zilch_model_dim(model);
    double largest = 0.0;
    for (size_t i = 0; i < d; i++) {
        largest = fmax(largest, fabs(zilch_model_correlation(model)[i * 2 * d + d + i]));
    }
    return largest;
}

static void projections_keep_their_promises(void **state)
{
    (void)state;
    const data d = draw(60, 12, 0.2, 0.8, 18);
    double moved[4];
    for (int projection = ZILCH_CLIP; projection <= ZILCH_WEIGHTED; projection++) {
        const zilch_model_options options = with_projection((zilch_projection)projection);
        zilch_model *model = fit(&d, NULL, &options);
        double *sigma = inverted(model);
        zilch_fit_report report;
        assert_int_equal(zilch_model_report(model, &report), ZILCH_OK);
        moved[projection] = report.projection_distance;
        assert_int_equal(report.projection, projection);
        const double distance = frobenius(sigma, zilch_model_correlation(model), 24 * 24);
        assert_true(distance > 0.1 && fabs(report.projection_distance - distance) < 1e-9);
        assert_true(projection == ZILCH_CLIP ? largest_own(model) > 0.01 : largest_own(model) == 0.0);
        print_message("%-8s moved %.3f, pull %.4f\n", zilch_projection_name(report.projection),
                      report.projection_distance, report.identity_weight);
        test_free(sigma);
        zilch_model_destroy(model);
    }
    /* Both keep the zeros, and nearest is the nearest of all that do. */
    assert_true(moved[ZILCH_NEAREST] < moved[ZILCH_REPAIR] && moved[ZILCH_NEAREST] < moved[ZILCH_WEIGHTED]);
    test_free(d.x);
}

/* Nine tenths of the pull would not have been enough. */
static void repair_pulls_no_further_than_needed(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 30; seed++) {
        const data d = draw(60, 15, 0.2, 0.8, seed);
        zilch_model *model = fit(&d, NULL, NULL);
        zilch_fit_report report;
        assert_int_equal(zilch_model_report(model, &report), ZILCH_OK);
        assert_true(report.identity_weight > 0.0 && report.identity_weight < 0.5);
        enum { N = 30 };
        double a[N * N];
        const double factor = (1.0 - 0.9 * report.identity_weight) / (1.0 - report.identity_weight);
        for (size_t i = 0; i < (size_t)N * N; i++) {
            a[i] = zilch_model_correlation(model)[i] * (i % (N + 1) ? factor : 1.0);
        }
        assert_false(zi_cholesky(N, a));
        zilch_model_destroy(model);
        test_free(d.x);
    }
}

/* One round of Dykstra's algorithm in its plain form: cone, then diagonal and zeros. */
static void dykstra_round(size_t n, double *y, double *correction, double *x)
{
    double value[64];
    double vector[64 * 64];
    for (size_t i = 0; i < n * n; i++) {
        vector[i] = y[i] - correction[i];
    }
    assert_int_equal(zi_eigen(n, vector, value), ZILCH_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += fmax(0.0, value[k]) * vector[k * n + i] * vector[k * n + j];
            }
            x[i * n + j] = sum;
        }
    }
    for (size_t i = 0; i < n * n; i++) {
        correction[i] = x[i] - (y[i] - correction[i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            y[i * n + j] = i == j ? 1.0 : i == j + n / 2 || j == i + n / 2 ? 0.0 : x[i * n + j];
        }
    }
}

static void nearest_is_highams(void **state)
{
    (void)state;
    enum { N = 16 };
    const data d = draw(50, N / 2, 0.3, 0.8, 31);
    const zilch_model_options options = with_projection(ZILCH_NEAREST);
    zilch_model *model = fit(&d, NULL, &options);
    double *y = inverted(model);
    double correction[N * N] = {0};
    double x[N * N];
    for (int round = 0; round < 20000; round++) {
        dykstra_round(N, y, correction, x);
    }
    const double difference = farthest(y, zilch_model_correlation(model), (size_t)N * N);
    print_message("largest difference from 20,000 rounds of Dykstra's algorithm: %.2g\n", difference);
    assert_true(difference < 2e-4);
    test_free(y);
    zilch_model_destroy(model);
    test_free(d.x);
}

static double error_of(const zilch_model *truth, const data *d, zilch_projection projection)
{
    const size_t n = 2 * d->cols;
    const zilch_model_options options = with_projection(projection);
    zilch_model *model = fit(d, NULL, &options);
    const double error = frobenius(zilch_model_correlation(truth), zilch_model_correlation(model), n * n);
    zilch_model_destroy(model);
    return error;
}

/* On laws with rarely active coordinates. */
static void weighted_is_the_most_accurate(void **state)
{
    (void)state;
    double sum[4] = {0};
    for (uint64_t seed = 40; seed < 44; seed++) {
        enum { ROWS = 5000, D = 10 };
        zilch_rng rng = zilch_rng_make(seed, 0);
        zilch_model *law;
        const data d = {ROWS, D, test_malloc(ROWS * D * sizeof(double))};
        assert_int_equal(zilch_model_random(&law, D, &rng, 0.5, 0.02, 0.98), ZILCH_OK);
        assert_int_equal(zilch_model_sample(law, &rng, ROWS, d.x), ZILCH_OK);
        for (int projection = ZILCH_CLIP; projection <= ZILCH_WEIGHTED; projection++) {
            sum[projection] += error_of(law, &d, (zilch_projection)projection);
        }
        zilch_model_destroy(law);
        test_free(d.x);
    }
    print_message("errors: clip %.2f repair %.2f nearest %.2f weighted %.2f\n", sum[0], sum[1], sum[2],
                  sum[3]);
    assert_true(sum[ZILCH_WEIGHTED] < 0.8 * sum[ZILCH_NEAREST]);
    assert_true(sum[ZILCH_NEAREST] < sum[ZILCH_REPAIR]);
}

/* ---- Shrinkage ---------------------------------------------------------------------------- */

static double mean_size(const zilch_model *model)
{
    const size_t n = 2 * zilch_model_dim(model);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            sum += fabs(zilch_model_correlation(model)[i * n + j]);
        }
    }
    return sum / ((double)(n * (n - 1)) / 2.0);
}

static double mean_size_after(const data *d, zilch_shrinkage shrinkage)
{
    zilch_model_options options = zilch_model_defaults();
    options.shrinkage = shrinkage;
    zilch_model *model = fit(d, NULL, &options);
    const double size = mean_size(model);
    zilch_model_destroy(model);
    return size;
}

/* Where there is nothing but noise, each entry's own standard error takes much of it; where there is much
 * signal, it stays. With 27 latents that vary and 200 rows empirical Bayes trusts the matrix: it takes less.
 */
static void shrinkage_tells_noise_from_signal(void **state)
{
    (void)state;
    enum { ROWS = 200, D = 20 };
    double p[D];
    double mu[D] = {0};
    double sigma[D];
    for (int i = 0; i < D; i++) {
        p[i] = 0.4;
        sigma[i] = 1.0;
    }
    zilch_model *law;
    zilch_rng rng = zilch_rng_make(50, 0);
    const data noise = {ROWS, D, test_malloc(ROWS * D * sizeof(double))};
    assert_int_equal(zilch_model_create(&law, D, p, mu, sigma, NULL), ZILCH_OK);
    assert_int_equal(zilch_model_sample(law, &rng, ROWS, noise.x), ZILCH_OK);
    const double none = mean_size_after(&noise, ZILCH_SHRINK_NONE);
    const double entrywise = mean_size_after(&noise, ZILCH_SHRINK_ENTRYWISE);
    const double bayes = mean_size_after(&noise, ZILCH_SHRINK_BAYES);
    print_message("noise: none %.4f, entrywise %.4f, bayes %.4f\n", none, entrywise, bayes);
    assert_true(none > 0.05 && entrywise < 0.7 * none && bayes < 0.1 * none);
    const data signal = draw(20000, 8, 0.4, 0.6, 51);
    const double before = mean_size_after(&signal, ZILCH_SHRINK_NONE);
    assert_true(mean_size_after(&signal, ZILCH_SHRINK_ENTRYWISE) > 0.9 * before);
    assert_true(mean_size_after(&signal, ZILCH_SHRINK_BAYES) > 0.9 * before);
    assert_true(mean_size_after(&signal, ZILCH_SHRINK_FISHER) > 0.9 * before);
    test_free(noise.x);
    test_free(signal.x);
    zilch_model_destroy(law);
}

/* What many rows say with one voice is sure: masks that agree, exclude each other or take
 * turns keep their correlations under every shrinkage and projection. */
static void sure_masks_survive(void **state)
{
    (void)state;
    enum { ROWS = 3000, D = 5, N = 10 };
    static double x[ROWS * D];
    zilch_rng rng = zilch_rng_make(53, 0);
    for (size_t r = 0; r < ROWS; r++) {
        double *row = x + r * D;
        const double u = zilch_rng_uniform(&rng);
        row[0] = u < 0.4 ? 1.0 + zilch_rng_normal(&rng) : 0.0; /* 0 and 1: the same mask */
        row[1] = u < 0.4 ? 2.0 + zilch_rng_normal(&rng) : 0.0;
        const double v = zilch_rng_uniform(&rng);
        for (size_t k = 0; k < 3; k++) { /* 2, 3, 4: exactly one of them */
            row[2 + k] = (size_t)(3.0 * v) == k ? zilch_rng_normal(&rng) : 0.0;
        }
    }
    const data d = {ROWS, D, x};
    for (int code = 0; code < 12; code++) {
        zilch_model_options options = with_projection((zilch_projection)(code % 4));
        options.shrinkage = (zilch_shrinkage)(code / 4);
        zilch_model *model = fit(&d, NULL, &options);
        const double *rho = zilch_model_correlation(model);
        assert_true(rho[(D + 0) * N + D + 1] > 0.9);
        for (size_t k = 0; k < 3; k++) { /* three latents cannot be less than -1/2 correlated */
            const double exclusive = rho[(D + 2 + k) * N + D + 2 + (k + 1) % 3];
            assert_true(exclusive < -0.4 && exclusive > -0.6);
        }
        zilch_model_destroy(model);
    }
}

/* Two always active columns: se^2 = 1 / n, so the shrunk correlation is known by hand. */
static void entrywise_shrinkage_by_hand(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    double x[2 * ROWS];
    zilch_rng rng = zilch_rng_make(52, 0);
    for (size_t r = 0; r < ROWS; r++) {
        x[2 * r] = 1.0 + zilch_rng_normal(&rng);
        x[2 * r + 1] = x[2 * r] + 2.0 * zilch_rng_normal(&rng);
    }
    const data d = {ROWS, 2, x};
    zilch_model_options options = zilch_model_defaults();
    zilch_model *plain = fit(&d, NULL, &options);
    options.shrinkage = ZILCH_SHRINK_ENTRYWISE;
    zilch_model *shrunk = fit(&d, NULL, &options);
    const double rho = zilch_model_correlation(plain)[1];
    assert_true(fabs(rho - zilch_model_observed(plain)[1]) < 1e-14 && rho > 0.1);
    assert_true(fabs(zilch_model_correlation(shrunk)[1] - rho * rho * rho / (rho * rho + 1.0 / ROWS)) <
                1e-14);
    zilch_model_destroy(plain);
    zilch_model_destroy(shrunk);
}

/* Always active columns: se^2 = 1 / n, and as many latents vary as there are columns, d; with n > d rows se^2
 * counts as d / n^2. On the scale of atanh, t^2 is the mean of z^2 less that, at most pi^2 / 12, and each z
 * is pulled to 0 by t^2 / (t^2 + se^2). */
static void check_fisher_by_hand(size_t rows, size_t d, double share)
{
    const double crowd = rows > d ? (double)rows / (double)d : 1.0;
    const double se2 = 1.0 / ((double)rows * crowd);
    const data x = {rows, d, test_malloc(rows * d * sizeof(double))};
    zilch_rng rng = zilch_rng_make(54, rows);
    for (size_t r = 0; r < rows; r++) {
        const double common = zilch_rng_normal(&rng);
        for (size_t i = 0; i < d; i++) {
            x.x[r * d + i] = 20.0 + share * common + zilch_rng_normal(&rng);
        }
    }
    zilch_model_options options = zilch_model_defaults();
    options.projection = ZILCH_NEAREST; /* leaves what is a correlation matrix */
    zilch_model *plain = fit(&x, NULL, &options);
    options.shrinkage = ZILCH_SHRINK_FISHER;
    zilch_model *shrunk = fit(&x, NULL, &options);
    double sum = 0.0, pairs = 0.0;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++) {
            const double z = atanh(zilch_model_observed(plain)[i * 2 * d + j]);
            sum += z * z - se2;
            pairs += 1.0;
        }
    }
    const double most = acos(-1.0) * acos(-1.0) / 12.0; /* of a rho that is uniform from -1 to 1 */
    const double signal = fmin(fmax(0.0, sum / pairs), most);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++) {
            const double z = atanh(zilch_model_observed(plain)[i * 2 * d + j]);
            const double expected = tanh(z * signal / (signal + se2));
            assert_double_equal(zilch_model_correlation(shrunk)[i * 2 * d + j], expected, 1e-9);
        }
    }
    print_message("    %zu rows, %zu latents: %.3f of z is left\n", rows, d, signal / (signal + se2));
    zilch_model_destroy(plain);
    zilch_model_destroy(shrunk);
    test_free(x.x);
}

/* Three masks, the second as the first but for one row in `disagree`; values are independent. The variance of
 * a count is that of the four cells, and no estimate is farther from 0 than it would be to first order. */
static void check_fisher_of_masks_by_hand(size_t rows, size_t disagree)
{
    enum { D = 3 };
    const double pi = acos(-1.0);
    const data x = {rows, D, test_malloc(rows * D * sizeof(double))};
    zilch_rng rng = zilch_rng_make(55, disagree);
    double both[D] = {0.0};
    for (size_t r = 0; r < rows; r++) {
        const int first = zilch_rng_uniform(&rng) < 0.3;
        const int active[D] = {first, r % disagree ? first : !first, zilch_rng_uniform(&rng) < 0.6};
        for (size_t i = 0; i < D; i++) {
            x.x[r * D + i] = active[i] ? 5.0 + zilch_rng_normal(&rng) : 0.0;
            both[i] += active[(i + 1) % D] && active[(i + 2) % D] ? 1.0 / (double)rows : 0.0;
        }
    }
    zilch_model_options options = zilch_model_defaults();
    options.inverter = ZILCH_EXACT;
    options.projection = ZILCH_NEAREST;
    zilch_model *plain = fit(&x, NULL, &options);
    options.shrinkage = ZILCH_SHRINK_FISHER;
    zilch_model *shrunk = fit(&x, NULL, &options);
    const double *p = zilch_model_p(plain), *tau = zilch_model_tau(plain);
    double latents = 0.0, z[D], precision[D], total = 0.0, weight = 0.0;
    for (size_t i = 0; i < D; i++) {
        latents += p[i] + 4.0 * p[i] * (1.0 - p[i]);
    }
    for (size_t pair = 0; pair < D; pair++) { /* the pair that leaves this one out */
        const size_t i = (pair + 1) % D, j = (pair + 2) % D;
        const double seen = zilch_model_correlation(plain)[(D + i) * 2 * D + D + j];
        const double excess = both[pair] - p[i] * p[j];
        const double chance = p[i] * (1.0 - p[i]) * p[j] * (1.0 - p[j]) / (double)rows;
        const double far = excess * 2.0 * pi * exp((tau[i] * tau[i] + tau[j] * tau[j]) / 2.0) *
                           (1.0 + excess * excess / chance);
        z[pair] = fabs(far) < fabs(atanh(seen)) ? far : atanh(seen);
        const double rho = tanh(z[pair]), s = 1.0 - rho * rho;
        const double square = (tau[i] * tau[i] - 2.0 * rho * tau[i] * tau[j] + tau[j] * tau[j]) / s;
        const double slope = s * exp(-square / 2.0) / (2.0 * pi * sqrt(s));
        const double b = zi_bivariate_tail(tau[i], tau[j], rho);
        const double cells = 1.0 / b + 1.0 / (p[i] - b) + 1.0 / (p[j] - b) + 1.0 / (1.0 - p[i] - p[j] + b);
        precision[pair] = (double)rows * fmax(1.0, (double)rows / latents) * slope * slope * cells;
        total += z[pair] * z[pair] * precision[pair] - 1.0;
        weight += precision[pair];
    }
    const double found = fmax(0.0, total / weight), t2 = fmin(found, pi * pi / 12.0);
    for (size_t pair = 0; pair < D; pair++) {
        const size_t i = (pair + 1) % D, j = (pair + 2) % D;
        const double expected = tanh(z[pair] * t2 / (t2 + 1.0 / precision[pair]));
        assert_double_equal(zilch_model_correlation(shrunk)[(D + i) * 2 * D + D + j], expected, 1e-6);
    }
    print_message("    masks, z = %.2f, %.2f, %.2f: t^2 = %.3f, of %.3f found\n", z[0], z[1], z[2], t2,
                  found);
    zilch_model_destroy(plain);
    zilch_model_destroy(shrunk);
    test_free(x.x);
}

static void fisher_shrinkage_by_hand(void **state)
{
    (void)state;
    check_fisher_by_hand(60, 3, 0.5);
    check_fisher_by_hand(8, 8, 1.0);
    check_fisher_by_hand(24, 30, 0.7); /* fewer rows than latents */
    check_fisher_of_masks_by_hand(4096, 3);
    check_fisher_of_masks_by_hand(4096, 500);
    check_fisher_of_masks_by_hand(40, 2);
}

/* Independent coordinates: nothing is left, whatever the data, and the marginals are as ever. */
static void shrinkage_all_gives_the_identity(void **state)
{
    (void)state;
    const data d = draw(100, 4, 0.4, 0.6, 55);
    for (int code = 0; code < 4; code++) {
        zilch_model_options options = with_projection((zilch_projection)code);
        zilch_model *plain = fit(&d, NULL, &options);
        options.shrinkage = ZILCH_SHRINK_ALL;
        zilch_model *model = fit(&d, NULL, &options);
        double x[5 * 4], y[5 * 4];
        zilch_rng rng = zilch_rng_make(56, 0), same = rng;
        zilch_model *created;
        for (size_t i = 0; i < 8 * 8; i++) {
            assert_true(zilch_model_correlation(model)[i] == (i % 9 == 0 ? 1.0 : 0.0));
        }
        assert_memory_equal(zilch_model_p(model), zilch_model_p(plain), 4 * sizeof(double));
        assert_memory_equal(zilch_model_mu(model), zilch_model_mu(plain), 4 * sizeof(double));
        assert_memory_equal(zilch_model_sigma(model), zilch_model_sigma(plain), 4 * sizeof(double));
        assert_memory_equal(zilch_model_observed(model), zilch_model_observed(plain), 64 * sizeof(double));
        assert_int_equal(zilch_model_create(&created, 4, zilch_model_p(model), zilch_model_mu(model),
                                            zilch_model_sigma(model), NULL),
                         ZILCH_OK);
        assert_int_equal(zilch_model_sample(model, &rng, 5, x), ZILCH_OK);
        assert_int_equal(zilch_model_sample(created, &same, 5, y), ZILCH_OK);
        assert_memory_equal(x, y, sizeof x);
        zilch_model_destroy(created);
        zilch_model_destroy(plain);
        zilch_model_destroy(model);
    }
    test_free(d.x);
}

/* ---- What is refused --------------------------------------------------------------------- */

static void expect_refusal(const data *d, const double *weights, const zilch_model_options *options,
                           zilch_status status, const char *words)
{
    zilch_model *model = (zilch_model *)d->x;
    assert_int_equal(zilch_model_fit(&model, d->rows, d->cols, d->x, weights, options), status);
    assert_null(model);
    if (!strstr(zilch_last_error(), words)) {
        print_message("\"%s\" does not say \"%s\"\n", zilch_last_error(), words);
    }
    assert_non_null(strstr(zilch_last_error(), words));
}

static void refuses_bad_data(void **state)
{
    (void)state;
    data d = draw(20, 3, 0.4, 0.6, 60);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const double kept = d.x[7 * 3 + 2];
        d.x[7 * 3 + 2] = bad[i];
        expect_refusal(&d, NULL, NULL, ZILCH_EARG, "row 7, column 2");
        d.x[7 * 3 + 2] = kept;
    }
    double w[20] = {0};
    expect_refusal(&d, w, NULL, ZILCH_EARG, "positive weight");
    w[3] = 1.0;
    expect_refusal(&d, w, NULL, ZILCH_EARG, "positive weight");
    w[4] = -1.0;
    expect_refusal(&d, w, NULL, ZILCH_EARG, "row 4 (counted from 0): the weight");
    w[4] = NAN;
    expect_refusal(&d, w, NULL, ZILCH_EARG, "row 4 (counted from 0): the weight");
    w[4] = 1e200;
    expect_refusal(&d, w, NULL, ZILCH_EARG, "scale them");
    d.x[0] = 1e308;
    d.x[3] = 1e308;
    expect_refusal(&d, NULL, NULL, ZILCH_ENUMERIC, "column 0");
    expect_refusal(&(data){1, 3, d.x}, NULL, NULL, ZILCH_EARG, "two rows");
    expect_refusal(&(data){0, 3, d.x}, NULL, NULL, ZILCH_EARG, "two rows");
    expect_refusal(&(data){5, 0, d.x}, NULL, NULL, ZILCH_EARG, "dimension");
    expect_refusal(&(data){SIZE_MAX / 2, 3, d.x}, NULL, NULL, ZILCH_EARG, "more than memory");
    d.x[0] = 1e-200;
    for (size_t r = 1; r < 20; r++) {
        d.x[3 * r] = r % 2 ? 2e-200 : 0.0;
    }
    expect_refusal(&d, NULL, NULL, ZILCH_ENUMERIC, "too small");
    expect_refusal(&(data){5, 3, NULL}, NULL, NULL, ZILCH_EARG, "rows");
    assert_int_equal(zilch_model_fit(NULL, 20, 3, d.x, NULL, NULL), ZILCH_EARG);
    test_free(d.x);
}

static void refuses_bad_options(void **state)
{
    (void)state;
    const data d = draw(20, 3, 0.4, 0.6, 61);
    zilch_model_options options = {0};
    expect_refusal(&d, NULL, &options, ZILCH_EARG, "zilch_model_defaults");
    options = zilch_model_defaults();
    options.projection = (zilch_projection)17;
    expect_refusal(&d, NULL, &options, ZILCH_EARG, "projection");
    options = zilch_model_defaults();
    options.sigma_floor = -1.0;
    expect_refusal(&d, NULL, &options, ZILCH_EARG, "sigma_floor");
    test_free(d.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observed_is_pearsons),
        cmocka_unit_test(weights_repeat_rows),
        cmocka_unit_test(permuting_columns_permutes_the_fit),
        cmocka_unit_test(scaling_and_sign),
        cmocka_unit_test(recovers_a_known_law),
        cmocka_unit_test(special_columns_are_special),
        cmocka_unit_test(sigma_floor_holds),
        cmocka_unit_test(rounding_is_no_spread),
        cmocka_unit_test(weightless_rows_do_not_matter),
        cmocka_unit_test(smallest_data_sets),
        cmocka_unit_test(inverts_exact_zeros),
        cmocka_unit_test(projections_keep_their_promises),
        cmocka_unit_test(repair_pulls_no_further_than_needed),
        cmocka_unit_test(nearest_is_highams),
        cmocka_unit_test(weighted_is_the_most_accurate),
        cmocka_unit_test(shrinkage_tells_noise_from_signal),
        cmocka_unit_test(sure_masks_survive),
        cmocka_unit_test(entrywise_shrinkage_by_hand),
        cmocka_unit_test(fisher_shrinkage_by_hand),
        cmocka_unit_test(shrinkage_all_gives_the_identity),
        cmocka_unit_test(refuses_bad_data),
        cmocka_unit_test(refuses_bad_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
