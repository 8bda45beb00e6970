/* The rank-sum test against scipy.stats.mannwhitneyu (1.10.1; method exact where this one is, else
 * asymptotic), and what must hold for any two samples. */
#include "rank_test.h"

#include "support.h"

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
        const double p = rank_test(row[i].n, a, row[i].m, b);
        if (!(fabs(p - row[i].p) <= 1e-12 * row[i].p)) {
            fail_msg("row %zu: %.17g, not %.17g", i, p, row[i].p);
        }
        assert_double_equal(rank_test(row[i].m, b, row[i].n, a), p, 1e-13 * p); /* neither is the first */
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
    assert_double_equal(rank_test(4, a, 3, b), 0.19908985214820463, 1e-13);
    assert_double_equal(rank_test(4, zeros, 5, others), 0.22724860991303364, 1e-13);
    assert_double_equal(rank_test(3, infinite, 4, more), 0.4755326595969013, 1e-13);
}

/* All orders of three and three: 2 of 20 are as extreme as these. */
static void test_small(void **state)
{
    (void)state;
    const double low[] = {1, 2, 3};
    const double high[] = {4, 5, 6};
    const double same[] = {7, 7, 7};
    assert_double_equal(rank_test(3, low, 3, high), 0.1, 1e-15);
    assert_double_equal(rank_test(3, high, 3, low), 0.1, 1e-15);
    assert_true(rank_test(1, low, 1, high) == 1.0);
    assert_true(rank_test(3, same, 3, same) == 1.0);
    assert_true(rank_test(0, NULL, 3, high) == 1.0);
    assert_true(rank_test(3, low, 0, NULL) == 1.0);
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
            rare += rank_test(n, a, m, b) <= 0.05;
        }
    }
    assert_int_equal(ways, 252);
    assert_int_equal(rare, 8); /* U of at most 2: 1 + 1 + 2 orders at each end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_small), cmocka_unit_test(test_level)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
