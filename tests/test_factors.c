/* Laws of common factors, and of none: a law that is known is found again, what noise gives is not taken for
 * factors, symmetries of the data are symmetries of the fit, what is promised of L L^T + D, and files. */
#include "base/bytes.h"
#include "math/linalg.h"
#include "model/model.h"
#include "support.h"
#include "zilch.h"

enum { DIM = 12, LATENTS = 2 * DIM, FACTORS = 2 };

/* ---- A law that is known ---------------------------------------------------------------- */

/* Values load on the first factor, masks on the second: corr(V_i, M_i) = 0. Signs alternate in pairs. */
static double true_loading(size_t factor, size_t latent)
{
    const double sign = latent % 4 < 2 ? 1.0 : -1.0;
    return factor == (latent < DIM ? 0U : 1U) ? 0.55 * sign : 0.0;
}

static double true_correlation(size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t k = 0; k < FACTORS; k++) {
        sum += true_loading(k, i) * true_loading(k, j);
    }
    return i == j ? 1.0 : sum;
}

static zilch_model *make_law(double p_low, double p_high)
{
    double p[DIM], mu[DIM], sigma[DIM], loading[FACTORS * LATENTS];
    zilch_model *model;
    for (size_t i = 0; i < DIM; i++) {
        p[i] = p_low + (p_high - p_low) * (double)i / (DIM - 1);
        mu[i] = (double)i - 3.0;
        sigma[i] = 0.5 + (double)i;
    }
    for (size_t i = 0; i < FACTORS * LATENTS; i++) {
        loading[i] = true_loading(i / LATENTS, i % LATENTS);
    }
    assert_int_equal(zilch_model_create_factors(&model, DIM, p, mu, sigma, FACTORS, loading), ZILCH_OK);
    assert_true(zi_model_is_valid(model));
    return model;
}

static double *draw(const zilch_model *law, size_t rows, uint64_t seed)
{
    double *x = test_malloc(rows * zilch_model_dim(law) * sizeof *x);
    zilch_rng rng = zilch_rng_make(seed, 0);
    assert_int_equal(zilch_model_sample(law, &rng, rows, x), ZILCH_OK);
    assert_int_equal(rng.counter, rows * (2 * zilch_model_dim(law) + zilch_model_rank(law)));
    return x;
}

static zilch_model_options low_rank(zilch_shrinkage shrinkage)
{
    zilch_model_options options = zilch_model_defaults();
    options.structure = ZILCH_STRUCTURE_LOW_RANK;
    options.shrinkage = shrinkage;
    return options;
}

static zilch_model *fit(size_t rows, size_t cols, const double *x, const double *weights,
                        const zilch_model_options *options)
{
    zilch_model *model;
    if (zilch_model_fit(&model, rows, cols, x, weights, options) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(zi_model_is_valid(model));
    return model;
}

static double farthest_from_truth(const zilch_model *model)
{
    double worst = 0.0;
    for (size_t i = 0; i < LATENTS; i++) {
        for (size_t j = 0; j < i; j++) {
            worst = fmax(worst, fabs(zilch_model_correlation_at(model, i, j) - true_correlation(i, j)));
        }
    }
    return worst;
}

/* Pearson's correlation of always active coordinates is the latent one: standard error 1 / sqrt(rows) =
 * 0.004, of a variance 0.006: the worst
 * of 78 is beyond 0.03 once in 10^4. */
static void points_have_the_factors(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    zilch_model *law = make_law(1.0, 1.0);
    double *x = draw(law, ROWS, 1);
    for (size_t i = 0; i < DIM; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < ROWS; k++) {
                sum += (x[k * DIM + i] - ((double)i - 3.0)) / (0.5 + (double)i) *
                       (x[k * DIM + j] - ((double)j - 3.0)) / (0.5 + (double)j);
            }
            assert_double_equal(sum / ROWS, true_correlation(i, j), 0.03);
        }
    }
    test_free(x);
    zilch_model_destroy(law);
}

/* Found with many rows to what first order leaves of a correlation of 0.3: of values rho_M density^2 / p^2 =
 * 0.19 of it where p is 0.5, of masks rho tau^2 / 2 = 0.11 of it where p is 0.8. With few rows to 4 standard
 * errors of a correlation between values that are both active in half of them. */
static void a_known_law_is_found(void **state)
{
    (void)state;
    zilch_model *law = make_law(0.5, 0.8);
    double *x = draw(law, 40000, 2);
    const zilch_model_options options = low_rank(ZILCH_SHRINK_FISHER);
    zilch_model *many = fit(40000, DIM, x, NULL, &options);
    zilch_model *few = fit(200, DIM, x, NULL, &options);
    const double error_of_many = farthest_from_truth(many);
    const double error_of_few = farthest_from_truth(few);
    print_message("worst error: 40000 rows %.3f (%zu factors), 200 rows %.3f (%zu)\n", error_of_many,
                  zilch_model_rank(many), error_of_few, zilch_model_rank(few));
    assert_true(zilch_model_rank(many) >= FACTORS);
    assert_int_equal(zilch_model_rank(few), FACTORS);
    assert_true(error_of_many < 0.08);
    assert_true(error_of_few < 0.40);
    zilch_model_destroy(many);
    zilch_model_destroy(few);
    zilch_model_destroy(law);
    test_free(x);
}

/* Independent coordinates, more of them than rows, rare ones too. A false factor is to come up in one fit of
 * a hundred or so: more than 2 of 20 by chance once in a thousand times. */
static void noise_is_no_factor(void **state)
{
    (void)state;
    enum { COLS = 300, ROWS = 60, FITS = 20 };
    double p[COLS], mu[COLS], sigma[COLS];
    zilch_model *law;
    size_t wrong = 0;
    for (size_t i = 0; i < COLS; i++) {
        p[i] = 0.02 + 0.96 * (double)i / COLS;
        mu[i] = 1.0;
        sigma[i] = 1.0;
    }
    assert_int_equal(zilch_model_create_factors(&law, COLS, p, mu, sigma, 0, NULL), ZILCH_OK);
    assert_int_equal(zilch_model_structure(law), ZILCH_STRUCTURE_DIAGONAL);
    for (uint64_t seed = 0; seed < FITS; seed++) {
        double *x = draw(law, ROWS, 100 + seed);
        const zilch_model_options options = low_rank(ZILCH_SHRINK_BAYES);
        zilch_model *model = fit(ROWS, COLS, x, NULL, &options);
        wrong += zilch_model_rank(model) > 0;
        zilch_model_destroy(model);
        test_free(x);
    }
    print_message("%zu of %d fits to noise found a factor\n", wrong, FITS);
    assert_true(wrong <= 2);
    zilch_model_destroy(law);
}

/* ---- Symmetries ----------------------------------------------------------------------------- */

/* Columns in another order, scaled, and some with the other sign: the correlations follow, to rounding. */
static void symmetries_of_the_data_are_kept(void **state)
{
    (void)state;
    const size_t shapes[] = {18, 60, 400}; /* rows: fewer and more than latents */
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const size_t rows = shapes[s];
        zilch_model *law = make_law(0.3, 1.0);
        double *x = draw(law, rows, 3);
        double *moved = test_malloc(rows * DIM * sizeof *moved);
        for (size_t k = 0; k < rows; k++) {
            for (size_t i = 0; i < DIM; i++) {
                const double scale = (i % 3 == 0 ? -1.0 : 1.0) * (double)(1U << i);
                moved[k * DIM + (i * 5 + 1) % DIM] = scale * x[k * DIM + i];
            }
        }
        zilch_model_options options = low_rank(ZILCH_SHRINK_NONE);
        options.rank = FACTORS; /* whose eigenvalues stand alone */
        zilch_model *a = fit(rows, DIM, x, NULL, &options);
        zilch_model *b = fit(rows, DIM, moved, NULL, &options);
        assert_int_equal(zilch_model_rank(a), zilch_model_rank(b));
        double worst = 0.0;
        for (size_t i = 0; i < LATENTS; i++) {
            for (size_t j = 0; j < i; j++) {
                const size_t to_i = i / DIM * DIM + (i % DIM * 5 + 1) % DIM;
                const size_t to_j = j / DIM * DIM + (j % DIM * 5 + 1) % DIM;
                const double sign =
                    (i < DIM && i % 3 == 0 ? -1.0 : 1.0) * (j < DIM && j % 3 == 0 ? -1.0 : 1.0);
                worst = fmax(worst, fabs(zilch_model_correlation_at(b, to_i, to_j) -
                                         sign * zilch_model_correlation_at(a, i, j)));
            }
        }
        print_message("%zu rows, %zu factors: %.1e\n", rows, zilch_model_rank(a), worst);
        assert_true(worst < 1e-7);
        zilch_model_destroy(a);
        zilch_model_destroy(b);
        zilch_model_destroy(law);
        test_free(moved);
        test_free(x);
    }
}

/* Rows without weight are as if they were not there. */
static void rows_without_weight_do_not_count(void **state)
{
    (void)state;
    enum { ROWS = 80, KEPT = 50 };
    double weights[ROWS];
    zilch_model *law = make_law(0.3, 0.9);
    double *x = draw(law, ROWS, 4);
    for (size_t k = 0; k < ROWS; k++) {
        weights[k] = k < KEPT ? 1.0 : 0.0;
    }
    const zilch_model_options options = low_rank(ZILCH_SHRINK_FISHER);
    zilch_model *a = fit(KEPT, DIM, x, NULL, &options);
    zilch_model *b = fit(ROWS, DIM, x, weights, &options);
    assert_int_equal(zilch_model_rank(a), zilch_model_rank(b));
    for (size_t i = 0; i < LATENTS; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_double_equal(zilch_model_correlation_at(a, i, j), zilch_model_correlation_at(b, i, j),
                                1e-9);
        }
    }
    zilch_model_destroy(a);
    zilch_model_destroy(b);
    zilch_model_destroy(law);
    test_free(x);
}

/* ---- Promises --------------------------------------------------------------------------------- */

/* Of data that would rather have a singular matrix: columns that are copies of each other. */
static void every_fit_is_positive_definite(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const size_t rows = seed % 2 ? 9 : 100;
        zilch_model *law = make_law(0.2, 1.0);
        double *x = draw(law, rows, 50 + seed);
        double matrix[LATENTS * LATENTS], value[LATENTS];
        for (size_t k = 0; k < rows; k++) {
            x[k * DIM + 1] = x[k * DIM];
            x[k * DIM + 2] = -3.0 * x[k * DIM];
            x[k * DIM + 5] = seed == 3 ? 0.0 : x[k * DIM + 5];
            x[k * DIM + 6] = seed == 4 ? 1.0 : x[k * DIM + 6];
        }
        const zilch_model_options options = low_rank((zilch_shrinkage)(seed % 5));
        zilch_model *model = fit(rows, DIM, x, NULL, &options);
        assert_true(seed % 5 != ZILCH_SHRINK_ALL || zilch_model_rank(model) == 0);
        for (size_t i = 0; i < LATENTS; i++) {
            for (size_t j = 0; j < LATENTS; j++) {
                matrix[i * LATENTS + j] = zilch_model_correlation_at(model, i, j);
                assert_true(i == j || fabs(matrix[i * LATENTS + j]) < 1.0);
            }
        }
        for (size_t i = 0; i < DIM; i++) {
            assert_double_equal(zilch_model_correlation_at(model, i, DIM + i), 0.0, 1e-12);
        }
        assert_int_equal(zi_eigen(LATENTS, matrix, value), ZILCH_OK);
        assert_true(value[0] > 0.9e-5);
        zilch_model_destroy(model);
        zilch_model_destroy(law);
        test_free(x);
    }
}

/* Without correlations the structure does not matter: full with shrinkage all is diagonal, bit for bit. */
static void diagonal_is_full_without_correlations(void **state)
{
    (void)state;
    zilch_model *law = make_law(0.2, 1.0);
    double *x = draw(law, 60, 6);
    zilch_model_options options = zilch_model_defaults();
    options.shrinkage = ZILCH_SHRINK_ALL;
    zilch_model *full = fit(60, DIM, x, NULL, &options);
    options.structure = ZILCH_STRUCTURE_DIAGONAL;
    options.shrinkage = ZILCH_SHRINK_FISHER;
    zilch_model *diagonal = fit(60, DIM, x, NULL, &options);
    assert_null(zilch_model_correlation(diagonal));
    assert_null(zilch_model_loadings(diagonal));
    assert_true(zilch_model_correlation_at(diagonal, 0, 1) == 0.0);
    assert_true(zilch_model_correlation_at(diagonal, 2, 2) == 1.0);
    assert_true(isnan(zilch_model_correlation_at(diagonal, 0, LATENTS)));
    double *a = draw(full, 500, 7);
    double *b = draw(diagonal, 500, 7);
    assert_memory_equal(a, b, 500 * DIM * sizeof *a);
    test_free(a);
    test_free(b);
    test_free(x);
    zilch_model_destroy(full);
    zilch_model_destroy(diagonal);
    zilch_model_destroy(law);
}

/* Linear in the columns: 20,000 of them, of which 400 go together. */
static void many_columns_need_no_matrix(void **state)
{
    (void)state;
    enum { COLS = 20000, ROWS = 50, TOGETHER = 400 };
    double *x = test_malloc((size_t)ROWS * COLS * sizeof *x);
    zilch_rng rng = zilch_rng_make(8, 0);
    for (size_t k = 0; k < ROWS; k++) {
        const double common = zilch_rng_normal(&rng);
        for (size_t i = 0; i < COLS; i++) {
            x[k * COLS + i] = 5.0 + zilch_rng_normal(&rng) + (i < TOGETHER ? 2.0 * common : 0.0);
        }
    }
    const zilch_model_options options = low_rank(ZILCH_SHRINK_FISHER);
    zilch_model *model = fit(ROWS, COLS, x, NULL, &options);
    print_message("%zu factors\n", zilch_model_rank(model));
    double together = 0.0;
    double apart = 0.0;
    for (size_t i = 1; i < TOGETHER; i++) {
        together += zilch_model_correlation_at(model, 0, i) / (TOGETHER - 1);
        apart += fabs(zilch_model_correlation_at(model, 0, TOGETHER + i)) / (TOGETHER - 1);
    }
    print_message("correlation of those that go together %.2f (0.80), of others %.3f (0)\n", together, apart);
    assert_true(together > 0.4 && together < 0.9);
    assert_true(apart < 0.08);
    zilch_model_destroy(model);
    zilch_model *none;
    assert_int_equal(zilch_model_fit(&none, 2, COLS, x, NULL, NULL), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "structure low-rank"));
    test_free(x);
}

static void refuses_impossible_requests(void **state)
{
    (void)state;
    const double p[2] = {0.5, 0.5}, mu[2] = {0}, sigma[2] = {1.0, 1.0};
    const double loadings[3][4] = {{1.0, 0, 0, 0}, {0.8, 0, NAN, 0}, {0, 0, 0, -INFINITY}};
    zilch_model *model;
    for (size_t i = 0; i < COUNT(loadings); i++) {
        assert_int_equal(zilch_model_create_factors(&model, 2, p, mu, sigma, 1, loadings[i]), ZILCH_EARG);
        assert_null(model);
    }
    assert_int_equal(zilch_model_create_factors(&model, 2, p, mu, sigma, 1, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_create_factors(&model, 0, p, mu, sigma, 0, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_create_factors(NULL, 2, p, mu, sigma, 0, NULL), ZILCH_EARG);
    zilch_model_options options = low_rank(ZILCH_SHRINK_NONE);
    const double x[4] = {1.0, 2.0, 3.0, 0.0};
    const size_t ranks[] = {0, 1001};
    for (size_t i = 0; i < COUNT(ranks); i++) {
        options.rank = ranks[i];
        assert_int_equal(zilch_model_fit(&model, 2, 2, x, NULL, &options), ZILCH_EARG);
        assert_non_null(strstr(zilch_last_error(), "rank must be 1 to 1000"));
    }
    options.rank = 1;
    options.structure = (zilch_structure)9;
    assert_int_equal(zilch_model_fit(&model, 2, 2, x, NULL, &options), ZILCH_EARG);
}

/* ---- Files -------------------------------------------------------------------------------------- */

typedef struct packed {
    unsigned char *bytes;
    size_t length;
} packed;

static packed pack(const zilch_model *model)
{
    packed p = {0};
    assert_int_equal(zilch_model_pack(model, NULL, 0, &p.length), ZILCH_OK);
    p.bytes = test_malloc(p.length);
    assert_int_equal(zilch_model_pack(model, p.bytes, p.length, &p.length), ZILCH_OK);
    return p;
}

static void bytes_give_the_same_law(void **state)
{
    (void)state;
    zilch_model *law = make_law(0.3, 0.9);
    double *x = draw(law, 100, 9);
    for (int structure = ZILCH_STRUCTURE_DIAGONAL; structure <= ZILCH_STRUCTURE_LOW_RANK; structure++) {
        zilch_model_options options = low_rank(ZILCH_SHRINK_FISHER);
        options.structure = (zilch_structure)structure;
        zilch_model *model = fit(100, DIM, x, NULL, &options);
        packed p = pack(model);
        assert_int_equal(p.bytes[8], 2);
        zilch_model *again;
        zilch_fit_report report;
        assert_int_equal(zilch_model_unpack(&again, p.bytes, p.length), ZILCH_OK);
        assert_int_equal(zilch_model_report(again, &report), ZILCH_OK);
        assert_int_equal(report.structure, structure);
        packed q = pack(again);
        assert_int_equal(p.length, q.length);
        assert_memory_equal(p.bytes, q.bytes, p.length);
        double *a = draw(model, 50, 10);
        double *b = draw(again, 50, 10);
        assert_memory_equal(a, b, 50 * DIM * sizeof *a);
        test_free(a);
        test_free(b);
        test_free(p.bytes);
        test_free(q.bytes);
        zilch_model_destroy(again);
        zilch_model_destroy(model);
    }
    test_free(x);
    zilch_model_destroy(law);
}

static void put_checksum(packed p)
{
    zi_writer writer = {.data = p.bytes, .capacity = p.length, .length = p.length - 8};
    zi_write_checksum(&writer);
}

/* Every truncation and flipped bit; and with the checksum made right, every byte changed, every number
 * impossible: whatever is accepted is a law. */
static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    zilch_model *law = make_law(0.3, 0.9);
    const packed p = pack(law);
    zilch_model *out;
    for (size_t length = 0; length < p.length; length++) {
        unsigned char *cut = test_malloc(length + !length);
        memcpy(cut, p.bytes, length);
        assert_int_equal(zilch_model_unpack(&out, cut, length), ZILCH_EFORMAT);
        assert_null(out);
        test_free(cut);
    }
    for (size_t at = 0; at < p.length - 8; at++) {
        const unsigned char kept = p.bytes[at];
        for (unsigned change = 0; change < 3; change++) {
            p.bytes[at] = (unsigned char)(change == 0 ? kept ^ 1 : change == 1 ? 0xff : kept ^ 0x80);
            if (change == 0) {
                assert_int_not_equal(zilch_model_unpack(&out, p.bytes, p.length), ZILCH_OK);
            }
            put_checksum(p);
            if (zilch_model_unpack(&out, p.bytes, p.length) == ZILCH_OK) {
                assert_true(zi_model_is_valid(out));
                zilch_model_destroy(out);
            }
            p.bytes[at] = kept;
            put_checksum(p);
        }
    }
    for (size_t at = 32; at + 16 <= p.length; at += 8) {
        const double poison[] = {NAN, INFINITY, -1e300, 2.0};
        for (size_t k = 0; k < COUNT(poison); k++) {
            unsigned char kept[8];
            memcpy(kept, p.bytes + at, 8);
            memcpy(p.bytes + at, &poison[k], 8);
            put_checksum(p);
            if (zilch_model_unpack(&out, p.bytes, p.length) == ZILCH_OK) {
                assert_true(zi_model_is_valid(out));
                zilch_model_destroy(out);
            }
            memcpy(p.bytes + at, kept, 8);
        }
    }
    put_checksum(p);
    assert_int_equal(zilch_model_unpack(&out, p.bytes, p.length), ZILCH_OK);
    zilch_model_destroy(out);
    zilch_model_destroy(law);
    test_free(p.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_the_factors),
        cmocka_unit_test(a_known_law_is_found),
        cmocka_unit_test(noise_is_no_factor),
        cmocka_unit_test(symmetries_of_the_data_are_kept),
        cmocka_unit_test(rows_without_weight_do_not_count),
        cmocka_unit_test(every_fit_is_positive_definite),
        cmocka_unit_test(diagonal_is_full_without_correlations),
        cmocka_unit_test(many_columns_need_no_matrix),
        cmocka_unit_test(refuses_impossible_requests),
        cmocka_unit_test(bytes_give_the_same_law),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
