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

/* ---- Single precision ------------------------------------------------------- */

ZI_LANE float zi_softplus_numerator(float x)
{
    float numerator;
    float denominator;
    zi_softplus(x, &numerator, &denominator);
    return numerator;
}

ZI_LANE float zi_softplus_denominator(float x)
{
    float numerator;
    float denominator;
    zi_softplus(x, &numerator, &denominator);
    return denominator;
}

#define LOOP_SINGLE(form, name, attribute)                                                      \
    attribute static void form##_##name(size_t n, const float *restrict x, float *restrict out) \
    {                                                                                           \
        for (size_t i = 0; i < n; i++) {                                                        \
            out[i] = zi_##name(x[i]);                                                           \
        }                                                                                       \
    }

/* As above: one call, and loops of sixteen, eight and four. */
#define EVERY_FORM_SINGLE(name)                                \
    __attribute__((noinline)) static float one_##name(float x) \
    {                                                          \
        return zi_##name(x);                                   \
    }                                                          \
    LOOP_SINGLE(all, name, ZI_CLONES)                          \
    LOOP_SINGLE(four, name, FOR_AVX2)                          \
    LOOP_SINGLE(two, name, FOR_ANY)
EVERY_FORM_SINGLE(exp_decay)
EVERY_FORM_SINGLE(softplus_numerator)
EVERY_FORM_SINGLE(softplus_denominator)
EVERY_FORM_SINGLE(sigmoid)
EVERY_FORM_SINGLE(tanh)

/* What the tests look at: the fraction itself, not its rounding. */
static double value_of_exp_decay(float x)
{
    return (double)one_exp_decay(x);
}
static double value_of_softplus(float x)
{
    return (double)one_softplus_numerator(x) / (double)one_softplus_denominator(x);
}
static double value_of_sigmoid(float x)
{
    return (double)one_sigmoid(x);
}
static double value_of_tanh(float x)
{
    return (double)one_tanh(x);
}

static long double exact_exp_decay(long double x)
{
    return expl(-fabsl(x));
}
static long double exact_softplus(long double x)
{
    return fmaxl(x, 0.0L) + log1pl(expl(-fabsl(x)));
}
static long double exact_sigmoid(long double x)
{
    return 1.0L / (1.0L + expl(-x));
}

/* The error in units in the last place of the float nearest to `exact`. */
static double float_ulps(double got, long double exact)
{
    int exponent;
    (void)frexpl(exact, &exponent);
    const int last = exponent - FLT_MANT_DIG;
    return (double)(fabsl(got - exact) / ldexpl(1.0L, last > -149 ? last : -149));
}

enum error_kind { ULPS, ABSOLUTE, RELATIVE };

/* Between two bounds, in equal steps of the value and in equal steps of its logarithm: what is promised, and
 * what was measured, a little rounded up; the bits are the same everywhere, so no more is allowed. The decay
 * ends at exp(-87), a little above the least normal number. */
static const struct {
    const char *what;
    double (*value)(float x);
    long double (*exact)(long double x);
    float from, to;
    enum error_kind kind;
    double bound, measured;
} single[] = {
    {"exp(-|x|), to 87, 2 ulp", value_of_exp_decay, exact_exp_decay, 0, 87, ULPS, 2, 1.03},
    {"exp(-|x|), from -87, 2 ulp", value_of_exp_decay, exact_exp_decay, -87, 0, ULPS, 2, 1.03},
    {"exp(-|x|), beyond, 2^-125", value_of_exp_decay, exact_exp_decay, 87, FLT_MAX, ABSOLUTE, 0x1p-125,
     1.7e-38},
    {"softplus, -20 to 0, 2e-7", value_of_softplus, exact_softplus, -20, 0, ABSOLUTE, 2e-7, 1.4e-7},
    {"softplus, below -20, 2e-7", value_of_softplus, exact_softplus, -FLT_MAX, -20, ABSOLUTE, 2e-7, 1e-7},
    {"softplus, 0 to 1, 2e-7", value_of_softplus, exact_softplus, 0, 1, ABSOLUTE, 2e-7, 1.85e-7},
    {"softplus, 0 to 20, 3e-7 relative", value_of_softplus, exact_softplus, 0, 20, RELATIVE, 3e-7, 2.2e-7},
    {"softplus, above 20, 3e-7 relative", value_of_softplus, exact_softplus, 20, 1e35F, RELATIVE, 3e-7,
     6.1e-8},
    {"sigmoid, -87 to 0, 3 ulp", value_of_sigmoid, exact_sigmoid, -87, 0, ULPS, 3, 2.15},
    {"sigmoid, 0 to 87, 2 ulp", value_of_sigmoid, exact_sigmoid, 0, 87, ULPS, 2, 1.5},
    {"sigmoid, below -87, 2^-125", value_of_sigmoid, exact_sigmoid, -FLT_MAX, -87, ABSOLUTE, 0x1p-125,
     1.7e-38},
    {"tanh, -10 to 0, 2e-7", value_of_tanh, tanhl, -10, 0, ABSOLUTE, 2e-7, 9e-8},
    {"tanh, 0 to 10, 2e-7", value_of_tanh, tanhl, 0, 10, ABSOLUTE, 2e-7, 9e-8},
    {"tanh, above 10, 2e-7", value_of_tanh, tanhl, 10, FLT_MAX, ABSOLUTE, 2e-7, 4.2e-9},
    {"tanh, below -10, 2e-7", value_of_tanh, tanhl, -FLT_MAX, -10, ABSOLUTE, 2e-7, 4.2e-9},
};

/* Number i of an even grid, or of one that is even in the logarithm; its smallest steps are denormal. */
static float grid_point(float from, float to, size_t i, size_t count, int logarithmic)
{
    const double share = (double)i / (double)(count - 1);
    if (!logarithmic) {
        return (float)((double)from + share * ((double)to - (double)from));
    }
    const double sign = from < 0.0F ? -1.0 : 1.0;
    const double low = fmax(fmin(fabs((double)from), fabs((double)to)), 0x1p-149);
    const double high = fmax(fabs((double)from), fabs((double)to));
    return (float)fmin(fmax(sign * low * pow(high / low, share), (double)from), (double)to);
}

static double single_error(enum error_kind kind, double got, long double exact)
{
    return kind == ULPS       ? float_ulps(got, exact)
           : kind == ABSOLUTE ? (double)fabsl(got - exact)
                              : (double)fabsl(got / exact - 1.0L);
}

static void test_single_precision(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(single); f++) {
        worst_error w = {.what = single[f].what};
        for (size_t i = 0; i < 2 * (size_t)ARGUMENTS; i++) {
            const float x = grid_point(single[f].from, single[f].to, i / 2, (size_t)ARGUMENTS, (int)(i % 2));
            const double error = single_error(single[f].kind, single[f].value(x), single[f].exact(x));
            note_error(&w, error / single[f].bound, "%.9g", (double)x);
        }
        check_errors(&w);
        assert_true(w.ratio * single[f].bound <= single[f].measured);
    }
}

#define FORMS_SINGLE(name)                  \
    one_##name,                             \
    {                                       \
        all_##name, four_##name, two_##name \
    }

static const struct {
    float (*one)(float x);
    void (*loop[3])(size_t n, const float *x, float *out);
} single_forms[] = {
    {FORMS_SINGLE(exp_decay)},
    {FORMS_SINGLE(softplus_numerator)},
    {FORMS_SINGLE(softplus_denominator)},
    {FORMS_SINGLE(sigmoid)},
    {FORMS_SINGLE(tanh)},
};

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Of ordinary numbers, and of floats of any bits at all but NaN. */
static void fill_singles(float *x, size_t count)
{
    zilch_rng rng = zilch_rng_make(43, 0);
    for (size_t i = 0; i < count; i++) {
        const double u = zilch_rng_uniform(&rng);
        const uint32_t bits = (uint32_t)(u * 0x1p32);
        memcpy(&x[i], &bits, sizeof x[i]);
        if (i % 2 || isnan(x[i])) {
            x[i] = (float)(200.0 * (u - 0.5));
        }
    }
}

static void test_single_loops_equal_calls(void **state)
{
    (void)state;
    static float x[ARGUMENTS];
    static float out[ARGUMENTS];
    fill_singles(x, ARGUMENTS);
    for (size_t f = 0; f < COUNT(single_forms); f++) {
        for (size_t form = 0; form < 3; form++) {
            if (form == 1 && !HAS_AVX2) {
                continue;
            }
            single_forms[f].loop[form](ARGUMENTS, x, out);
            for (size_t i = 0; i < ARGUMENTS; i++) {
                assert_true(float_bits(out[i]) == float_bits(single_forms[f].one(x[i])));
            }
        }
    }
}

static void test_single_exact_values(void **state)
{
    (void)state;
    static const float nothing[] = {0.0F, -0.0F, 0x1p-149F, -0x1p-149F, FLT_MIN, -0x1p-30F};
    for (size_t i = 0; i < COUNT(nothing); i++) {
        assert_true(one_exp_decay(nothing[i]) == 1.0F);
        assert_true(one_sigmoid(nothing[i]) == 0.5F);
        assert_true(fabsf(one_tanh(nothing[i])) <= 0x1p-25F);
        assert_true(value_of_softplus(nothing[i]) == 0x1.62e430p-1);
    }
    assert_true(one_tanh(0.0F) == 0.0F);
    static const float much[] = {87.0F, 100.0F, 1e10F, FLT_MAX, INFINITY};
    for (size_t i = 0; i < COUNT(much); i++) { /* never 0, and never above 1 */
        assert_true(one_exp_decay(much[i]) == one_exp_decay(-87.0F) && one_exp_decay(much[i]) >= FLT_MIN);
        assert_true(one_sigmoid(much[i]) == 1.0F && one_sigmoid(-much[i]) == one_exp_decay(much[i]));
        assert_true(one_tanh(much[i]) == 1.0F && one_tanh(-much[i]) == -1.0F);
        assert_true(isfinite(value_of_softplus(-much[i])) && value_of_softplus(-much[i]) > 0.0);
    }
}

/* Odd and even to the bit; in (0, 1], and never beyond the ends. */
static void test_single_symmetries(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARGUMENTS; i++) {
        const float x = grid_point(0.0F, 100.0F, i, ARGUMENTS, (int)(i % 2));
        assert_true(one_tanh(-x) == -one_tanh(x) && one_tanh(x) >= 0.0F && one_tanh(x) <= 1.0F);
        assert_true(float_bits(one_exp_decay(-x)) == float_bits(one_exp_decay(x)));
        assert_true(one_exp_decay(x) > 0.0F && one_exp_decay(x) <= 1.0F);
        assert_true(one_sigmoid(-x) > 0.0F && one_sigmoid(x) >= 0.5F && one_sigmoid(x) <= 1.0F);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementary_functions), cmocka_unit_test(test_loops_equal_calls),
        cmocka_unit_test(test_exact_values),         cmocka_unit_test(test_exp_limits),
        cmocka_unit_test(test_single_precision),     cmocka_unit_test(test_single_loops_equal_calls),
        cmocka_unit_test(test_single_exact_values),  cmocka_unit_test(test_single_symmetries),
    };
    return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
