/* Elementary functions: their errors, their limits, and the same bits from loops as from single calls. */
#include "base/simd.h"
#include "support.h"
#include "zilch.h"

/* ---- Elementary functions --------------------------------------------------- */

ZI_LANE double zi_sine(double x)
{
    double sine;
    double cosine;
    zi_sincos_quarters(x, &sine, &cosine);
    return sine;
}

ZI_LANE double zi_cosine(double x)
{
    double sine;
    double cosine;
    zi_sincos_quarters(x, &sine, &cosine);
    return cosine;
}

/* Without clones, for the processors that this one is not. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_AVX2 __attribute__((target("avx2")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define FOR_AVX2
#define HAS_AVX2 1
#endif
#define FOR_ANY

#define LOOP(form, name, attribute)                                                               \
    attribute static void form##_##name(size_t n, const double *restrict x, double *restrict out) \
    {                                                                                             \
        for (size_t i = 0; i < n; i++) {                                                          \
            out[i] = zi_##name(x[i]);                                                             \
        }                                                                                         \
    }

/* A function as one call, and as loops that the compiler turns into vectors: of the widest, four and two. */
#define EVERY_FORM(name)                                         \
    __attribute__((noinline)) static double one_##name(double x) \
    {                                                            \
        return zi_##name(x);                                     \
    }                                                            \
    LOOP(all, name, ZI_CLONES)                                   \
    LOOP(four, name, FOR_AVX2)                                   \
    LOOP(two, name, FOR_ANY)
EVERY_FORM(exp)
EVERY_FORM(log)
EVERY_FORM(sine)
EVERY_FORM(cosine)

/* sin and cos of x quarter turns; the remainder is exact. */
static long double exact_sine(long double x)
{
    return sinl(remainderl(x, 4.0L) * 0.5L * acosl(-1.0L));
}

static long double exact_cosine(long double x)
{
    return cosl(remainderl(x, 4.0L) * 0.5L * acosl(-1.0L));
}

/* Arguments from a uniform u: over the whole range, and where care is needed. */
static double exp_range(double u)
{
    return -708.0 + u * (709.78 + 708.0);
}
static double exp_small(double u)
{
    return ldexp(u - 0.5, (int)(u * 1e6) % 50 - 40);
}
static double exp_underflow(double u)
{
    return -746.0 + u * 38.0;
}
static double log_range(double u)
{
    return ldexp(1.0 + u, (int)(u * 1e9) % 2046 - 1022);
}
static double log_near_one(double u)
{
    return 1.0 + ldexp(u - 0.5, -(int)(u * 1e9) % 45);
}
static double log_unit(double u)
{
    return u;
}
static double log_near_fold(double u)
{
    return 0.69 + 0.03 * u;
}
static double turn(double u)
{
    return 4.0 * u;
}
static double many_turns(double u)
{
    return ldexp(u - 0.5, (int)(u * 1e9) % 52);
}

#define FORMS(name)                         \
    one_##name,                             \
    {                                       \
        all_##name, four_##name, two_##name \
    }

/* Errors against long double, in units in the last place or absolute. */
static const struct {
    const char *what;
    double (*one)(double x);
    void (*loop[3])(size_t n, const double *x, double *out);
    long double (*exact)(long double x);
    double (*argument)(double u);
    double absolute; /* the bound; 0: one unit in the last place */
} elementary[] = {
    {"exp, -708 to 709.78, 1 ulp", FORMS(exp), expl, exp_range, 0.0},
    {"exp, near 0, 1 ulp", FORMS(exp), expl, exp_small, 0.0},
    {"exp, gradual underflow, 1 ulp", FORMS(exp), expl, exp_underflow, 0.0},
    {"log, all normal numbers, 1 ulp", FORMS(log), logl, log_range, 0.0},
    {"log, near 1, 1 ulp", FORMS(log), logl, log_near_one, 0.0},
    {"log, 0 to 1, 1 ulp", FORMS(log), logl, log_unit, 0.0},
    {"log, near sqrt(1/2), 1 ulp", FORMS(log), logl, log_near_fold, 0.0},
    {"sine, one turn, 2.5e-16", FORMS(sine), exact_sine, turn, 2.5e-16},
    {"sine, up to 2^50 quarters, 2.5e-16", FORMS(sine), exact_sine, many_turns, 2.5e-16},
    {"cosine, one turn, 2.5e-16", FORMS(cosine), exact_cosine, turn, 2.5e-16},
    {"cosine, up to 2^50 quarters, 2.5e-16", FORMS(cosine), exact_cosine, many_turns, 2.5e-16},
};

enum { ARGUMENTS = 100003 };

static double arguments[ARGUMENTS], results[ARGUMENTS];

static void test_elementary_functions(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(41, 0);
    for (size_t f = 0; f < COUNT(elementary); f++) {
        worst_error w = {.what = elementary[f].what};
        for (size_t i = 0; i < ARGUMENTS; i++) {
            const double x = elementary[f].argument(zilch_rng_uniform(&rng));
            const double got = elementary[f].one(x);
            const long double exact = elementary[f].exact(x);
            const double bound = elementary[f].absolute;
            note_error(&w, bound > 0.0 ? (double)fabsl(got - exact) / bound : ulps(got, exact), "%.17g", x);
        }
        check_errors(&w);
    }
}

/* Vector loops of every width give the bits of single calls. */
static void test_loops_equal_calls(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(42, 0);
    for (size_t f = 0; f < COUNT(elementary); f++) {
        for (size_t i = 0; i < ARGUMENTS; i++) {
            arguments[i] = elementary[f].argument(zilch_rng_uniform(&rng));
        }
        for (size_t form = 0; form < 3; form++) {
            if (form == 1 && !HAS_AVX2) {
                continue;
            }
            elementary[f].loop[form](ARGUMENTS, arguments, results);
            for (size_t i = 0; i < ARGUMENTS; i++) {
                assert_true(zi_bits(results[i]) == zi_bits(elementary[f].one(arguments[i])));
            }
        }
    }
}

/* Results that are exact, or not numbers at all; alone and as a vector. */
static const struct {
    void (*all)(size_t n, const double *x, double *out);
    double x, value;
} exact_values[] = {
    {all_exp, 0.0, 1.0},
    {all_exp, -0.0, 1.0},
    {all_exp, 709.79, INFINITY},
    {all_exp, 710.5, INFINITY},
    {all_exp, 1e308, INFINITY},
    {all_exp, INFINITY, INFINITY},
    {all_exp, -745.2, 0.0},
    {all_exp, -1e308, 0.0},
    {all_exp, -INFINITY, 0.0},
    {all_exp, NAN, NAN},
    {all_exp, -745.1, 0x1p-1074},
    {all_exp, 0x1p-60, 1.0},
    {all_log, 1.0, 0.0},
    {all_sine, 0.0, 0.0},
    {all_sine, 1.0, 1.0},
    {all_sine, 2.0, 0.0},
    {all_sine, 3.0, -1.0},
    {all_sine, -1.0, -1.0},
    {all_sine, 0x1p49 + 1, 1.0},
    {all_cosine, 0.0, 1.0},
    {all_cosine, 1.0, 0.0},
    {all_cosine, 2.0, -1.0},
    {all_cosine, 3.0, 0.0},
    {all_cosine, -2.0, -1.0},
    {all_cosine, 0x1p49 + 2, -1.0},
};

static void test_exact_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(exact_values); i++) {
        double x[ZI_LANES + 1];
        double out[ZI_LANES + 1];
        for (size_t j = 0; j < COUNT(x); j++) {
            x[j] = exact_values[i].x;
        }
        exact_values[i].all(COUNT(x), x, out);
        for (size_t j = 0; j < COUNT(x); j++) {
            assert_true(isnan(exact_values[i].value) ? isnan(out[j]) : out[j] == exact_values[i].value);
        }
    }
}

/* The largest argument whose exp is finite, the next, and powers of 2. */
static void test_exp_limits(void **state)
{
    (void)state;
    const double last = 0x1.62e42fefa39efp+9;
    assert_true(ulps(one_exp(last), expl(last)) <= 1.0);
    assert_true(isinf(one_exp(nextafter(last, INFINITY))));
    for (int k = -1022; k <= 1023; k++) {
        assert_true(zi_power_of_2(k) == ldexp(1.0, k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementary_functions),
        cmocka_unit_test(test_loops_equal_calls),
        cmocka_unit_test(test_exact_values),
        cmocka_unit_test(test_exp_limits),
    };
    return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
