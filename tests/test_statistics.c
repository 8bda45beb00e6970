/* Statistics of samples: mean and deviation, quantiles, and the rank-sum test. That is held against
 * scipy.stats.mannwhitneyu (1.10.1; method exact where this one is, else asymptotic), and what must hold for
 * any two samples. */
#include "support.h"
#include "zilch.h"

enum { MOST = 60 };

/* What the reference was given as well: i * factor mod modulus, shifted, for i = 1, 2, ... */
static void fill(size_t count, size_t factor, size_t modulus, double shift, double *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (double)((i + 1) * factor % modulus) + shift;
    }
}

static void test_table(void **state)
{
    (void)state;
    static const struct {
        size_t n, m;
        double shift, p;
    } row[] = {
        {1, 1, 0.5, 1.0},                       /* exact */
        {3, 3, 60.5, 0.2},                      /* exact */
        {10, 10, 0.5, 0.7393643508194593},      /* exact */
        {10, 10, 30.5, 0.0524259022711035},     /* exact */
        {8, 12, -40.5, 0.005493371437643883},   /* exact */
        {50, 50, 10.5, 0.33772849246884},       /* exact */
        {50, 7, 20.5, 0.206617505788018},       /* exact */
        {51, 10, -15.5, 0.09196919052379056},   /* many */
        {60, 60, 20.5, 0.004707561563348031},   /* many */
        {10, 10, 0.0, 0.7393643508194593},      /* exact */
        {30, 40, 9.0, 0.6307378170071858},      /* ties */
        {60, 60, -12.0, 0.0038907433124458386}, /* ties */
    };
    double a[MOST];
    double b[MOST];
    for (size_t i = 0; i < COUNT(row); i++) {
        fill(row[i].n, 37, 101, 0.0, a);
        fill(row[i].m, 53, 97, row[i].shift, b);
        const double p = zilch_rank_sum(row[i].n, a, row[i].m, b);
        if (!(fabs(p - row[i].p) <= 1e-12 * row[i].p)) {
            fail_msg("row %zu: %.17g, not %.17g", i, p, row[i].p);
        }
        assert_double_equal(zilch_rank_sum(row[i].m, b, row[i].n, a), p,
                            1e-13 * p); /* neither is the first */
    }
}

static void test_ties(void **state)
{
    (void)state;
    const double a[] = {1, 2, 2, 3};
    const double b[] = {2, 4, 5};
    const double zeros[] = {0, 0, 0, 1};
    const double others[] = {0, 0, 2, 3, 4};
    const double infinite[] = {INFINITY, 1, 2};
    const double more[] = {INFINITY, 3, 4, 5};
    assert_double_equal(zilch_rank_sum(4, a, 3, b), 0.19908985214820463, 1e-13);
    assert_double_equal(zilch_rank_sum(4, zeros, 5, others), 0.22724860991303364, 1e-13);
    assert_double_equal(zilch_rank_sum(3, infinite, 4, more), 0.4755326595969013, 1e-13);
}

/* All orders of three and three: 2 of 20 are as extreme as these. */
static void test_small(void **state)
{
    (void)state;
    const double low[] = {1, 2, 3};
    const double high[] = {4, 5, 6};
    const double same[] = {7, 7, 7};
    assert_double_equal(zilch_rank_sum(3, low, 3, high), 0.1, 1e-15);
    assert_double_equal(zilch_rank_sum(3, high, 3, low), 0.1, 1e-15);
    assert_true(zilch_rank_sum(1, low, 1, high) == 1.0);
    assert_true(zilch_rank_sum(3, same, 3, same) == 1.0);
    assert_true(zilch_rank_sum(0, NULL, 3, high) == 1.0);
    assert_true(zilch_rank_sum(3, low, 0, NULL) == 1.0);
}

/* Under the null hypothesis an exact p-value of at most x is as likely as x, or less: all 252 ways to take 5
 * of 10 ranks, counted. */
static void test_level(void **state)
{
    (void)state;
    size_t ways = 0;
    size_t rare = 0;
    for (unsigned set = 0; set < 1U << 10; set++) {
        double a[10];
        double b[10];
        size_t n = 0;
        size_t m = 0;
        for (unsigned i = 0; i < 10; i++) {
            if (set >> i & 1) {
                a[n++] = i;
            } else {
                b[m++] = i;
            }
        }
        if (n == 5) {
            ways++;
            rare += zilch_rank_sum(n, a, m, b) <= 0.05;
        }
    }
    assert_int_equal(ways, 252);
    assert_int_equal(rare, 8); /* U of at most 2: 1 + 1 + 2 orders at each end */
}

/* Against numbers computed by hand; far from 0, where a sum of squares would have no digits left. */
static void test_tally(void **state)
{
    (void)state;
    const double value[] = {1e9 + 2, 1e9 + 4, 1e9 + 4, 1e9 + 4, 1e9 + 5, 1e9 + 5, 1e9 + 7, 1e9 + 9};
    zilch_tally t = {0};
    assert_true(isnan(zilch_tally_deviation(&t)));
    for (size_t i = 0; i < COUNT(value); i++) {
        zilch_tally_add(&t, value[i]);
        assert_true(i > 0 || isnan(zilch_tally_deviation(&t)));
    }
    assert_int_equal(t.count, 8);
    assert_double_equal(t.mean, 1e9 + 5, 1e-6);
    assert_double_equal(zilch_tally_deviation(&t), sqrt(32.0 / 7.0), 1e-6);
}

/* Values so far apart that their difference is infinite still have a mean. */
static void test_tally_at_the_ends(void **state)
{
    (void)state;
    zilch_tally t = {0};
    zilch_tally_add(&t, 1.5e308);
    zilch_tally_add(&t, -1.5e308);
    assert_true(t.mean == 0.0);
    assert_true(zilch_tally_deviation(&t) == INFINITY);
    zilch_tally_add(&t, INFINITY);
    assert_true(isnan(zilch_tally_deviation(&t)));
}

/* As numpy.quantile gives them. */
static void test_quantiles(void **state)
{
    (void)state;
    double x[] = {7, 1, 10, 3};
    double infinite[] = {INFINITY, 1, -INFINITY, INFINITY};
    double one[] = {4};
    assert_true(zilch_quantile(4, x, 0.5) == 5.0);
    for (size_t i = 1; i < COUNT(x); i++) {
        assert_true(x[i - 1] < x[i]);
    }
    assert_true(zilch_quantile(4, x, 0.0) == 1.0);
    assert_true(zilch_quantile(4, x, 0.25) == 2.5);
    assert_true(zilch_quantile(4, x, 0.75) == 7.75);
    assert_true(zilch_quantile(4, x, 1.0) == 10.0);
    assert_true(zilch_quantile(1, one, 0.3) == 4.0);
    assert_true(isnan(zilch_quantile(0, NULL, 0.5)));
    assert_true(zilch_quantile(4, infinite, 0.0) == -INFINITY);
    assert_true(zilch_quantile(4, infinite, 0.9) == INFINITY); /* between two infinities */
    assert_true(zilch_quantile(4, infinite, 0.5) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),    cmocka_unit_test(test_ties),
        cmocka_unit_test(test_small),    cmocka_unit_test(test_level),
        cmocka_unit_test(test_tally),    cmocka_unit_test(test_tally_at_the_ends),
        cmocka_unit_test(test_quantiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
