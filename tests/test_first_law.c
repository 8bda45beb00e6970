/* Where a search begins: the first mean and standard deviation of each coordinate, from bounds, x0 and scale;
 * what of these is refused; and values that are reflected at bounds. Statistical bounds are 5 standard
 * errors; false alarms are below 1 in 100,000 for the file. */
#include "search_support.h"

#include <float.h>

enum { DIM = 4, ROWS = 4000 };

/* ---- The law --------------------------------------------------------------------------------------- */

static void assert_first(const zilch_optimizer_options *o, double mu, double sigma)
{
    double found_mu[1], found_sigma[1];
    zi_first_law(o, 1, found_mu, found_sigma);
    assert_double_equal(found_mu[0], mu, 1e-12 * fabs(mu));
    assert_double_equal(found_sigma[0], sigma, 1e-12 * sigma);
}

static zilch_optimizer_options bounded(const double *low, const double *high)
{
    zilch_optimizer_options o = zilch_optimizer_defaults();
    o.lower = low;
    o.upper = high;
    return o;
}

/* NAN: x0 or scale is not given. */
static void first_law_follows_what_is_given(void **state)
{
    (void)state;
    static const struct {
        double low, high, x0, scale, mu, sigma;
    } cases[] = {
        {100, 400, NAN, NAN, 250, 90},
        {0.001, 0.01, NAN, NAN, 0.0055, 0.0027},
        {100, 400, 150, NAN, 150, 90},
        {100, 400, NAN, 7, 250, 7},
        {100, 400, 150, 7, 150, 7},
        {100, 400, 0, NAN, 250, 90}, /* 0 is no value here */
        {-1, 1, 0, NAN, 0, 0.6},
        {5, 5, NAN, NAN, 5, 0},
        {5, INFINITY, NAN, NAN, 7, 2},
        {5, INFINITY, NAN, 30, 35, 30},
        {5, INFINITY, 6, 30, 6, 30},
        {-INFINITY, -5, NAN, NAN, -7, 2},
        {-INFINITY, INFINITY, NAN, NAN, 0, 2},
        {-INFINITY, INFINITY, 200, NAN, 200, 2},
        {-INFINITY, INFINITY, NAN, 1000, 0, 1000},
        {-DBL_MAX, DBL_MAX, NAN, NAN, 0, 0.6 * DBL_MAX},
        {DBL_MAX, INFINITY, NAN, NAN, DBL_MAX, 2},
        {DBL_TRUE_MIN, DBL_TRUE_MIN, NAN, NAN, DBL_TRUE_MIN, 0},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        zilch_optimizer_options o = bounded(&cases[k].low, &cases[k].high);
        o.x0 = isnan(cases[k].x0) ? NULL : &cases[k].x0;
        o.scale = isnan(cases[k].scale) ? NULL : &cases[k].scale;
        assert_int_equal(zi_first_law_check(&o, 1), ZILCH_OK);
        assert_first(&o, cases[k].mu, cases[k].sigma);
    }
}

/* What nothing else says, initial_mu and initial_sigma do; and all of it for the methods to compare with. */
static void the_options_say_the_rest(void **state)
{
    (void)state;
    const double low = 100, high = 400, guess = 3;
    zilch_optimizer_options o = bounded(NULL, NULL);
    o.initial_mu = -8;
    o.initial_sigma = 0.5;
    assert_first(&o, -8, 0.5);
    o.x0 = &guess;
    assert_first(&o, 3, 0.5);
    o = bounded(&low, NULL);
    o.initial_sigma = 0.5;
    assert_first(&o, 100.5, 0.5);
    for (zilch_method m = ZILCH_METHOD_PUBLISHED; m <= ZILCH_METHOD_EA; m++) {
        o = bounded(&low, &high);
        o.method = m;
        assert_first(&o, 0, 2);
    }
}

/* ---- Checks ---------------------------------------------------------------------------------------- */

/* The coordinate is told apart from the text; ZILCH_NOWHERE: there is none. */
static void assert_refused(const zilch_optimizer_options *options, size_t coordinate, const char *text)
{
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, DIM, 1, options), ZILCH_EARG);
    assert_null(o);
    const zilch_error error = zilch_last_error_details();
    assert_string_equal(error.message, text);
    assert_true(error.coordinate == coordinate);
}

static void wrong_guesses_are_refused(void **state)
{
    (void)state;
    const double low[DIM] = {1, 1, 1, 1}, high[DIM] = {9, 9, 9, 9};
    double x0[DIM] = {1, 2, 0, 9}, scale[DIM] = {1, 2, 3, 4};
    zilch_optimizer_options o = bounded(low, high);
    o.x0 = x0;
    o.scale = scale;
    zilch_optimizer_destroy(create_with(DIM, 1, &o));
    x0[3] = 9.5;
    assert_refused(&o, 3, "x0 is 9.5, out of its bounds 1 and 9; give a value between them, or 0 for none");
    x0[3] = NAN;
    assert_refused(&o, 3, "x0 is nan; it must be a finite number");
    o.lower = o.upper = NULL;
    x0[3] = -INFINITY;
    assert_refused(&o, 3, "x0 is -inf; it must be a finite number");
    x0[3] = 9.5;
    const double wrong[] = {0, -1, INFINITY, NAN};
    const char *const said[] = {"0", "-1", "inf", "nan"};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        char text[80];
        scale[2] = wrong[k];
        snprintf(text, sizeof text, "scale is %s; it must be a finite number above 0", said[k]);
        assert_refused(&o, 2, text);
    }
    scale[2] = 3;
    o.method = ZILCH_METHOD_PUBLISHED;
    assert_refused(&o, ZILCH_NOWHERE,
                   "x0 and scale are for the method default; with the method published, give initial_mu and "
                   "initial_sigma in their place");
}

/* ---- In a search ----------------------------------------------------------------------------------- */

/* Active values are as the law says, and none is heaped on a bound. */
static void first_points_are_in_the_units_of_the_bounds(void **state)
{
    (void)state;
    const double low[DIM] = {50, 0, 0, 100}, high[DIM] = {100, 100, 0.001, 400};
    static uint64_t id[ROWS];
    static double x[ROWS * DIM];
    zilch_optimizer_options options = bounded(low, high);
    zilch_optimizer *o = create_with(DIM, 3, &options);
    assert_int_equal(zilch_optimizer_ask(o, ROWS, id, x), ZILCH_OK);
    for (size_t i = 0; i < DIM; i++) {
        double count = 0, sum = 0, quarter = 0;
        const double width = high[i] - low[i];
        for (size_t row = 0; row < ROWS; row++) {
            const double value = x[row * DIM + i];
            assert_true(value == 0.0 || (value > low[i] && value < high[i]));
            count += value != 0.0;
            sum += value != 0.0 ? (value - low[i]) / width : 0.0;
            quarter += value != 0.0 && value < low[i] + 0.25 * width;
        }
        assert_true(count > 0.4 * ROWS);
        assert_double_equal(sum / count, 0.5, 5.0 * 0.3 / sqrt(count));
        assert_double_equal(quarter / count, 0.196,
                            5.0 * 0.4 / sqrt(count)); /* 0.154 as drawn, 0.042 reflected */
    }
    zilch_optimizer_destroy(o);
}

/* Bits that follow from the arrays, and the arrays themselves, survive packing; the caller's may go. */
static void arrays_are_copied_and_packed(void **state)
{
    (void)state;
    double x0[DIM] = {200, -3, 1e-9, 0}, scale[DIM] = {50, 1, 1e-10, 2};
    uint64_t id[8];
    double x[8 * DIM], y[8 * DIM];
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.x0 = x0;
    options.scale = scale;
    zilch_optimizer *o = create_with(DIM, 5, &options);
    memset(x0, 0, sizeof x0);
    memset(scale, 0, sizeof scale);
    zilch_optimizer *copy = copy_of(o);
    assert_true(is_same_state(o, copy));
    const zilch_optimizer_options *kept = zilch_optimizer_settings(copy);
    assert_true(kept->x0[0] == 200 && kept->x0[3] == 0 && kept->scale[0] == 50 && kept->scale[3] == 2);
    assert_null(kept->lower);
    assert_int_equal(zilch_optimizer_ask(o, 8, id, x), ZILCH_OK);
    assert_int_equal(zilch_optimizer_ask(copy, 8, id, y), ZILCH_OK);
    assert_memory_equal(x, y, sizeof x);
    for (size_t row = 0; row < 8; row++) {
        assert_true(x[row * DIM] == 0 || fabs(x[row * DIM] - 200) < 5 * 50);
    }
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(copy);
}

/* A run of zilch 0.1 begins, clips and is kept as it was then. */
static void old_runs_stay_as_they_were(void **state)
{
    (void)state;
    const double low[DIM] = {50, 0, 0, 100}, high[DIM] = {100, 100, 0.001, 400};
    uint64_t id[200];
    static double x[200 * DIM], y[200 * DIM];
    zilch_optimizer_options options = bounded(low, high);
    zilch_optimizer *o = create_with(DIM, 3, &options);
    zi_optimizer_take_old(o);
    zilch_optimizer *copy = copy_of(o);
    assert_true(copy->is_old && !copy->constraints.is_reflecting);
    for (size_t i = 0; i < DIM; i++) {
        assert_true(copy->first.mu[i] == 0.0 && copy->first.sigma[i] == 2.0);
    }
    assert_int_equal(zilch_optimizer_ask(o, 200, id, x), ZILCH_OK);
    assert_int_equal(zilch_optimizer_ask(copy, 200, id, y), ZILCH_OK);
    assert_memory_equal(x, y, sizeof x);
    for (size_t row = 0; row < 200; row++) {
        assert_true(x[row * DIM] == 0.0 || x[row * DIM] == 50.0);
    }
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(copy);
}

/* ---- Reflection ------------------------------------------------------------------------------------ */

static void values_are_reflected(void **state)
{
    (void)state;
    static const struct {
        double low, high, value, expected;
    } cases[] = {
        {0, 10, 3, 3},
        {0, 10, 0, 0},
        {0, 10, 10, 10},
        {0, 10, 12, 8},
        {0, 10, -2, 2},
        {0, 10, 23, 3},
        {0, 10, -13, 7},
        {0, 10, 1e6 + 4, 4},
        {-4, -2, 1, -3},
        {5, 5, 7, 5},
        {5, INFINITY, 3, 7},
        {-INFINITY, 5, 8, 2},
        {5, INFINITY, -DBL_MAX, DBL_MAX},
        {-INFINITY, INFINITY, -7, -7},
        {0, 10, INFINITY, 10},
        {0, 10, -INFINITY, 0},
        {0, INFINITY, INFINITY, INFINITY},
        {-0x1.8p1023, 0x1.8p1023, 0x1.cp1023, 0x1.4p1023},
        {0, 1, -DBL_TRUE_MIN, DBL_TRUE_MIN},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        const double found = zi_reflect(cases[k].low, cases[k].high, cases[k].value);
        if (found != cases[k].expected) {
            fail_msg("case %zu: %.17g", k, found);
        }
    }
    zilch_rng rng = zilch_rng_make(7, 0);
    for (size_t k = 0; k < 100000; k++) { /* within, whatever the sizes */
        const double a = zilch_rng_normal(&rng) * pow(10, 600 * zilch_rng_uniform(&rng) - 300);
        const double b = zilch_rng_normal(&rng) * pow(10, 600 * zilch_rng_uniform(&rng) - 300);
        const double value = zilch_rng_normal(&rng) * pow(10, 600 * zilch_rng_uniform(&rng) - 300);
        const double found = zi_reflect(fmin(a, b), fmax(a, b), value);
        assert_true(found >= fmin(a, b) && found <= fmax(a, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_law_follows_what_is_given),
        cmocka_unit_test(the_options_say_the_rest),
        cmocka_unit_test(wrong_guesses_are_refused),
        cmocka_unit_test(first_points_are_in_the_units_of_the_bounds),
        cmocka_unit_test(arrays_are_copied_and_packed),
        cmocka_unit_test(old_runs_stay_as_they_were),
        cmocka_unit_test(values_are_reflected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
