/* The normal law: probabilities, density and quantile against 40-digit tables, and their identities.
 *
 * Relative errors are held to 4e-16 (1 + x^2), which the header promises: x^2 is the condition number
 * of a tail probability, so the second part is one rounding of x. */
#include "math/special.h"

#include "support.h"

static double allowed(long double x)
{
    return 4e-16 * (1.0 + (double)(x * x));
}

static double relative(double got, long double exact)
{
    return (double)fabsl((got - exact) / exact);
}

/* ---- Tables ----------------------------------------------------------------- */

/* What stands in normal.txt behind x. The density's error is that of the exponent x^2 / 2, and
 * the log density is a sum of two negative numbers, accurate wherever it is. */
static const struct {
    const char *name;
    double (*function)(double x);
    int conditioned;
} normal_columns[] = {
    {"cdf", zi_normal_cdf, 1},
    {"tail", zi_normal_tail, 1},
    {"density", zi_normal_density, 1},
    {"log density", zi_normal_log_density, 0},
};

static void test_normal_table(void **state)
{
    (void)state;
    FILE *table = open_table("normal.txt");
    worst_error w[COUNT(normal_columns)] = {{0}};
    long double row[5];
    while (read_long_row(table, row, 5)) {
        for (size_t c = 0; c < COUNT(normal_columns); c++) {
            const double error = relative(normal_columns[c].function((double)row[0]), row[c + 1]);
            w[c].what = normal_columns[c].name;
            note_error(&w[c], error / (normal_columns[c].conditioned ? allowed(row[0]) : 4e-16), "x = %.17g",
                       (double)row[0]);
        }
    }
    fclose(table);
    for (size_t c = 0; c < COUNT(normal_columns); c++) {
        check_errors(&w[c]);
    }
}

/* The quantile's error does not grow with x, so besides the promise it is held to 1e-15 everywhere. */
static void test_quantile_table(void **state)
{
    (void)state;
    FILE *table = open_table("quantile.txt");
    worst_error promised = {.what = "quantile"};
    worst_error flat = {.what = "quantile, within 1e-15 everywhere"};
    long double row[2];
    while (read_long_row(table, row, 2)) {
        const double got = zi_normal_quantile((double)row[0]);
        const double error = row[1] == 0.0L ? fabs(got) : relative(got, row[1]);
        note_error(&promised, error / allowed(row[1]), "p = %.17g", (double)row[0]);
        note_error(&flat, error / 1e-15, "p = %.17g", (double)row[0]);
    }
    fclose(table);
    check_errors(&promised);
    check_errors(&flat);
}

/* ---- Special values --------------------------------------------------------- */

static const struct {
    double (*function)(double x);
    double x, value;
} special_values[] = {
    {zi_normal_cdf, 0.0, 0.5},
    {zi_normal_cdf, -0.0, 0.5},
    {zi_normal_cdf, INFINITY, 1.0},
    {zi_normal_cdf, -INFINITY, 0.0},
    {zi_normal_cdf, 50.0, 1.0},
    {zi_normal_cdf, -50.0, 0.0},
    {zi_normal_cdf, NAN, NAN},
    {zi_normal_tail, 0.0, 0.5},
    {zi_normal_tail, INFINITY, 0.0},
    {zi_normal_tail, -INFINITY, 1.0},
    {zi_normal_tail, DBL_MAX, 0.0},
    {zi_normal_tail, NAN, NAN},
    {zi_normal_density, INFINITY, 0.0},
    {zi_normal_density, -INFINITY, 0.0},
    {zi_normal_density, DBL_MAX, 0.0},
    {zi_normal_density, NAN, NAN},
    {zi_normal_log_density, INFINITY, -INFINITY},
    {zi_normal_log_density, -INFINITY, -INFINITY},
    {zi_normal_log_density, NAN, NAN},
    {zi_normal_quantile, 0.5, 0.0},
    {zi_normal_quantile, 0.0, -INFINITY},
    {zi_normal_quantile, -0.0, -INFINITY},
    {zi_normal_quantile, 1.0, INFINITY},
    {zi_normal_quantile, NAN, NAN},
    {zi_normal_quantile, -0x1p-1074, NAN},
    {zi_normal_quantile, 1.0 + DBL_EPSILON, NAN},
    {zi_normal_quantile, -INFINITY, NAN},
    {zi_normal_quantile, INFINITY, NAN},
};

static void test_special_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(special_values); i++) {
        const double got = special_values[i].function(special_values[i].x);
        const double value = special_values[i].value;
        if (isnan(value) ? !isnan(got) : got != value) {
            fail_msg("row %zu: f(%g) is %g, not %g", i, special_values[i].x, got, value);
        }
    }
}

/* The smallest positive p have a quantile too: values by mpmath. */
static void test_quantile_extremes(void **state)
{
    (void)state;
    assert_true(relative(zi_normal_quantile(0x1p-1074), -38.46740561714434625L) < 1e-15);
    assert_true(relative(zi_normal_quantile(DBL_MIN), -37.51937934714449982L) < 1e-15);
    assert_true(relative(zi_normal_quantile(1.0 - 0x1p-53), 8.209536151601386856L) < 1e-15);
}

/* ---- Identities ------------------------------------------------------------- */

enum { GRID = 200000 };

/* From -40 to 40, both ends included. */
static double grid_point(int i)
{
    return -40.0 + 80.0 * i / GRID;
}

static void test_complement_and_symmetry(void **state)
{
    (void)state;
    worst_error sum = {.what = "cdf + tail = 1, within 2^-52"};
    for (int i = 0; i <= GRID; i++) {
        const double x = grid_point(i);
        note_error(&sum, fabs(zi_normal_cdf(x) + zi_normal_tail(x) - 1.0) / 0x1p-52, "x = %.17g", x);
        assert_true(zi_normal_tail(x) == zi_normal_cdf(-x));
        assert_true(zi_normal_density(x) == zi_normal_density(-x));
    }
    check_errors(&sum);
    for (int i = 1; i < GRID; i++) { /* where 1 - p is exact */
        const double p = 0.5 + 0.5 * i / GRID;
        assert_true(zi_normal_quantile(p) == -zi_normal_quantile(1.0 - p));
    }
}

/* Strictly, until neighbours of the grid share a double. */
static void test_monotone(void **state)
{
    (void)state;
    for (int i = 1; i <= GRID; i++) {
        const double x = grid_point(i);
        const double step = zi_normal_cdf(x) - zi_normal_cdf(grid_point(i - 1));
        assert_true(x < 37.0 ? step >= 0.0 : step == 0.0);
        assert_true(fabs(x) > 5.0 || step > 0.0);
        assert_true(zi_normal_tail(x) <= zi_normal_tail(grid_point(i - 1)));
        const double p = (double)i / (GRID + 1);
        assert_true(zi_normal_quantile(p) > zi_normal_quantile((double)(i - 1) / (GRID + 1)));
    }
    double last = -INFINITY; /* the tail, a fifth of a percent of p a step */
    for (double p = 1e-300; p < 0.5; p *= 1.002) {
        assert_true(zi_normal_quantile(p) > last);
        last = zi_normal_quantile(p);
    }
}

/* quantile(cdf(x)) = x: the probability's rounding, as it moves x, and the quantile's own. In the upper
 * half that is the spacing of doubles below 1; in the lower half it is relative. */
static void test_round_trip(void **state)
{
    (void)state;
    worst_error w = {.what = "quantile(cdf(x)) = x"};
    for (int i = 0; i <= GRID; i++) {
        const double x = grid_point(i);
        const double p = zi_normal_cdf(x);
        if (x < -37.5 || x > 8.0) {
            continue;
        }
        const double moved = allowed(x) * p / zi_normal_density(x);
        note_error(&w, fabs(zi_normal_quantile(p) - x) / (moved + 1e-15 * fabs(x)), "x = %.17g", x);
    }
    check_errors(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_table),
        cmocka_unit_test(test_quantile_table),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_quantile_extremes),
        cmocka_unit_test(test_complement_and_symmetry),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
