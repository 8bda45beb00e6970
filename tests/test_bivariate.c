/* The bivariate normal law: against a table of 28 decimals, against Hermite's series, by identities that
 * any implementation must obey, and its inverse there and back. */
#include "math/bivariate.h"
#include "math/special.h"
#include "support.h"
#include "zilch.h"

static const double pi = 3.14159265358979323846;

static double between(zilch_rng *rng, double low, double high)
{
    return low + (high - low) * zilch_rng_uniform(rng);
}

static void note_at(worst_error *w, double ratio, double h, double k, double rho)
{
    note_error(w, ratio, "h %.17g k %.17g rho %.17g", h, k, rho);
}

/* ---- References -------------------------------------------------------------- */

/* A rounding of the inputs moves the density's exponent q by q and, through h, by |h (h - rho k)| / (1 -
 * rho^2) roundings. Underflow is gradual, and what is lost in it is scaled by 1 / sqrt(1 - rho^2). */
static double density_allowed(double h, double k, double rho, double density)
{
    const double square = (1.0 - rho) * (1.0 + rho);
    const double along = h - rho * k;
    const double q = 0.5 * (along * along / square + k * k);
    return 4.0 * DBL_EPSILON * (1.0 + q + fabs(h * along) / square) * density +
           (1.0 + 1.0 / sqrt(square)) * 0x1p-1074;
}

/* The header promises 1e-14; the two probabilities are held to a tenth of it. */
static void test_table(void **state)
{
    (void)state;
    worst_error tail = {.what = "tail, within 1e-15"};
    worst_error excess = {.what = "excess, within 1e-15"};
    worst_error density = {.what = "density, by its conditioning"};
    FILE *table = open_table("bivariate.txt");
    long double row[5];
    while (read_long_row(table, row, 5)) {
        const double h = (double)row[0];
        const double k = (double)row[1];
        const double rho = (double)row[2];
        const long double product = 0.25L * erfcl(row[0] * sqrtl(0.5L)) * erfcl(row[1] * sqrtl(0.5L));
        note_at(&tail, (double)fabsl(zi_bivariate_tail(h, k, rho) - row[3]) / 1e-15, h, k, rho);
        note_at(&excess, (double)fabsl(zi_bivariate_excess(h, k, rho) - (row[3] - product)) / 1e-15, h, k,
                rho);
        if (isnan(row[4])) {
            assert_true(zi_bivariate_density(h, k, rho) == 0.0);
            continue;
        }
        const double error = (double)fabsl(zi_bivariate_density(h, k, rho) - row[4]);
        note_at(&density, error / density_allowed(h, k, rho, (double)row[4]), h, k, rho);
    }
    fclose(table);
    check_errors(&tail);
    check_errors(&excess);
    check_errors(&density);
}

/* phi(h) phi(k) sum rho^n / n! He_{n-1}(h) He_{n-1}(k): every digit of the excess, however small. */
static long double hermite_series(long double h, long double k, long double rho)
{
    enum { TERMS = 120 };
    long double sum = 0.0L;
    long double power = rho;
    long double of_h[2] = {0.0L, 1.0L};
    long double of_k[2] = {0.0L, 1.0L};
    for (int n = 1; n <= TERMS; n++) {
        sum += power * of_h[1] * of_k[1];
        power *= rho / (n + 1);
        const long double next_h = h * of_h[1] - (n - 1) * of_h[0];
        const long double next_k = k * of_k[1] - (n - 1) * of_k[0];
        of_h[0] = of_h[1];
        of_k[0] = of_k[1];
        of_h[1] = next_h;
        of_k[1] = next_k;
    }
    return sum * expl(-0.5L * (h * h + k * k)) / (2.0L * acosl(-1.0L));
}

static double excess_relative_error(double h, double k, double rho)
{
    const long double exact = hermite_series(h, k, rho);
    return (double)fabsl((zi_bivariate_excess(h, k, rho) - exact) / exact);
}

/* Relative errors: to the last digits where rho is small, else to 1e-12 for thresholds up to 3. */
static void test_series(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(11, 0);
    worst_error tiny = {.what = "excess at |rho| < 0.01, relative"};
    worst_error small = {.what = "excess at |rho| < 0.5, relative, within 1e-12"};
    for (int i = 0; i < 5000; i++) {
        const double h = between(&rng, -5.0, 5.0);
        const double k = between(&rng, -5.0, 5.0);
        const double near = between(&rng, -0.01, 0.01) * pow(10.0, -i % 12);
        note_at(&tiny, excess_relative_error(h, k, near) / (2.0 * DBL_EPSILON * (4.0 + h * h + k * k)), h, k,
                near);
        const double rho = between(&rng, -0.5, 0.5);
        note_at(&small, excess_relative_error(0.6 * h, 0.6 * k, rho) / 1e-12, 0.6 * h, 0.6 * k, rho);
    }
    check_errors(&tiny);
    check_errors(&small);
}

/* ---- Identities ------------------------------------------------------------- */

/* Sheppard: P(X > 0, Y > 0) = 1/4 + asin(rho) / (2 pi). */
static void test_quadrant(void **state)
{
    (void)state;
    worst_error w = {.what = "quadrant, within 4e-16"};
    for (int i = -1000; i <= 1000; i++) {
        const double rho = i / 1000.0;
        note_at(&w, fabs(zi_bivariate_tail(0.0, 0.0, rho) - (0.25 + asin(rho) / (2.0 * pi))) / 4e-16, 0.0,
                0.0, rho);
    }
    check_errors(&w);
}

/* What must hold at one point, to 1e-15. */
static void note_identities(worst_error *w, double h, double k, double rho)
{
    const double p_h = zi_normal_tail(h);
    const double p_k = zi_normal_tail(k);
    const double tail = zi_bivariate_tail(h, k, rho);
    const double error[] = {
        fabs(tail - zi_bivariate_tail(k, h, rho)),
        fabs(tail + zi_bivariate_tail(h, -k, -rho) - p_h),                       /* Y or -Y above */
        fabs(1.0 - p_h - p_k + tail - zi_bivariate_tail(-h, -k, rho)),           /* both below */
        fabs(zi_bivariate_excess(h, k, rho) - zi_bivariate_excess(-h, -k, rho)), /* (X, Y) -> (-X, -Y) */
        fabs(zi_bivariate_excess(h, k, rho) + zi_bivariate_excess(h, -k, -rho)), /* Y -> -Y */
        fabs(zi_bivariate_tail(h, k, 0.0) - p_h * p_k),                          /* independent */
        fabs(zi_bivariate_tail(h, k, 1.0) - fmin(p_h, p_k)),                     /* Y = X */
        fabs(zi_bivariate_tail(h, k, -1.0) - fmax(0.0, p_h - (1.0 - p_k))),      /* Y = -X */
        fmax(0.0, tail - fmin(p_h, p_k)),                                        /* Frechet's bounds */
        fmax(0.0, fmax(0.0, p_h + p_k - 1.0) - tail),
    };
    for (size_t i = 0; i < COUNT(error); i++) {
        note_error(w, error[i] / 1e-15, "number %zu, h %.17g k %.17g rho %.17g", i, h, k, rho);
    }
}

static void test_identities(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(12, 0);
    worst_error w = {.what = "identities, within 1e-15"};
    for (int i = 0; i < 20000; i++) {
        const double reach = i % 2 ? 8.0 : 2.0;
        const double h = between(&rng, -reach, reach);
        const double k = i % 5 ? between(&rng, -reach, reach) : h;
        note_identities(&w, h, k, i % 3 ? sin(between(&rng, -0.5 * pi, 0.5 * pi)) : between(&rng, -1.0, 1.0));
    }
    check_errors(&w);
}

static void test_infinite_thresholds(void **state)
{
    (void)state;
    static const double threshold[] = {-INFINITY, -3.0, 0.0, 1.5, INFINITY};
    static const double rho[] = {-1.0, -0.95, -0.5, 0.0, 0.5, 0.95, 1.0};
    for (size_t i = 0; i < COUNT(threshold) * COUNT(rho); i++) {
        const double h = threshold[i % COUNT(threshold)];
        const double r = rho[i / COUNT(threshold)];
        const double p = h == -INFINITY ? 1.0 : h == INFINITY ? 0.0 : zi_normal_tail(h);
        assert_true(zi_bivariate_tail(h, INFINITY, r) == 0.0);
        assert_true(zi_bivariate_tail(INFINITY, h, r) == 0.0);
        assert_true(zi_bivariate_tail(h, -INFINITY, r) == p);
        assert_true(zi_bivariate_tail(-INFINITY, h, r) == p);
        for (int above = 0; above <= 1; above++) {
            const double end = above ? INFINITY : -INFINITY;
            assert_true(zi_bivariate_excess(h, end, r) == 0.0);
            assert_true(zi_bivariate_excess(end, h, r) == 0.0);
            assert_true(zi_bivariate_density(h, end, r) == 0.0);
            assert_true(zi_bivariate_density(end, h, r) == 0.0);
            assert_true(zi_bivariate_inverse(h, p, end, 1.0 - above, 0.0) == 0.0);
        }
    }
}

/* Never down, but for 4e-16 of rounding, from -1 to 1; the formulas change at 0.925. */
static void test_monotone(void **state)
{
    (void)state;
    enum { STEPS = 4000 };
    zilch_rng rng = zilch_rng_make(13, 0);
    worst_error w = {.what = "decrease in rho, within 4e-16"};
    for (int i = 0; i < 50; i++) {
        const double h = between(&rng, -3.0, 3.0);
        const double k = i % 4 ? between(&rng, -3.0, 3.0) : h;
        double last = 0.0;
        for (int step = -STEPS; step <= STEPS; step++) {
            const double tail = zi_bivariate_tail(h, k, (double)step / STEPS);
            note_at(&w, (last - tail) / 4e-16, h, k, (double)step / STEPS);
            last = tail;
        }
    }
    check_errors(&w);
}

/* d excess / d rho = density: central differences of the sixth order, on a step that shrinks with the
 * distance to |rho| = 1, where the excess turns. The differences' own error is below the bound. */
static void test_derivative(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(14, 0);
    worst_error w = {.what = "d excess / d rho, within 2e-11"};
    for (int i = 0; i < 5000; i++) {
        const double h = between(&rng, -2.0, 2.0);
        const double k = between(&rng, -2.0, 2.0);
        const double rho = between(&rng, -0.95, 0.95);
        const double step = 0.01 * (1.0 - rho * rho) * (1.0 - rho * rho);
        double difference[3];
        for (int j = 0; j < 3; j++) {
            difference[j] = zi_bivariate_excess(h, k, rho + (j + 1) * step) -
                            zi_bivariate_excess(h, k, rho - (j + 1) * step);
        }
        const double slope = (45.0 * difference[0] - 9.0 * difference[1] + difference[2]) / (60.0 * step);
        const double scale = 1.0 / (2.0 * pi * sqrt(1.0 - rho * rho));
        note_at(&w, fabs(slope - zi_bivariate_density(h, k, rho)) / (2e-11 * scale), h, k, rho);
    }
    check_errors(&w);
}

/* ---- Inverse ---------------------------------------------------------------- */

/* A pair of masks and its correlation. */
typedef struct setting {
    double p_h, p_k, rho;
    double h, k, excess;
} setting;

static setting setting_of(double p_h, double p_k, double rho)
{
    setting s = {
        .p_h = p_h, .p_k = p_k, .rho = rho, .h = -zi_normal_quantile(p_h), .k = -zi_normal_quantile(p_k)};
    s.excess = zi_bivariate_excess(s.h, s.k, rho);
    return s;
}

/* Log-uniform from `least` to 1/2, or that from 1. */
static double random_probability(zilch_rng *rng, double least)
{
    const double p = 0.5 * pow(2.0 * least, zilch_rng_uniform(rng));
    return zilch_rng_uniform(rng) < 0.5 ? p : 1.0 - p;
}

static setting random_setting(zilch_rng *rng, double least)
{
    const double p_h = random_probability(rng, least);
    const double p_k = random_probability(rng, least);
    const int to_the_ends = zilch_rng_uniform(rng) < 0.5;
    return setting_of(p_h, p_k,
                      to_the_ends ? sin(between(rng, -0.5 * pi, 0.5 * pi)) : between(rng, -1.0, 1.0));
}

static double frechet_bound(const setting *s)
{
    return s->excess > 0.0 ? fmin(s->p_h * (1.0 - s->p_k), s->p_k * (1.0 - s->p_h))
                           : fmin(s->p_h * s->p_k, (1.0 - s->p_h) * (1.0 - s->p_k));
}

/* Where rho is recovered from the excess, how well, and how often that was set by what.
 *
 * An error `scale` eps in the excess moves rho by scale eps / density: 100 times that, and at least 1e-13, is
 * allowed. Within 1e-13 (relative) of a Frechet bound the excess says nothing more about rho: only the
 * sign, and the excess itself, must come back. */
typedef struct recovery {
    worst_error forward, backward;
    size_t by_conditioning, saturated;
} recovery;

static void note_recovery(recovery *r, const setting *s, double scale)
{
    const double got = zi_bivariate_inverse(s->h, s->p_h, s->k, s->p_k, s->excess);
    const double density = zi_bivariate_density(s->h, s->k, s->rho);
    const double back = fabs(zi_bivariate_excess(s->h, s->k, got) - s->excess);
    const double back_allowed =
        4e-15 * fmax(s->p_h, s->p_k) + 1e-14 * frechet_bound(s) + 2.0 * DBL_EPSILON * density;
    note_at(&r->backward, back / back_allowed, s->h, s->k, s->rho);
    assert_true(fabs(got) <= 1.0);
    if (fabs(s->excess) >= (1.0 - 1e-13) * frechet_bound(s)) {
        r->saturated++;
        assert_true(got * s->excess > 0.0);
        return;
    }
    const double conditioned = 100.0 * DBL_EPSILON * scale / density;
    r->by_conditioning += conditioned > 1e-13;
    note_at(&r->forward, fabs(got - s->rho) / fmax(1e-13, conditioned), s->h, s->k, s->rho);
}

static void check_recovery(const recovery *r)
{
    check_errors(&r->forward);
    print_message("    of these, %zu by the conditioning, not 1e-13; besides, %zu at a Frechet bound\n",
                  r->by_conditioning, r->saturated);
    check_errors(&r->backward);
}

/* Masks that are neither rare nor nearly sure: to the digits that the rounded excess has; beyond |rho| =
 * 0.925, where the excess is a difference of probabilities, to those that they have. */
static void test_inverse_of_common_masks(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(15, 0);
    recovery r = {.forward.what = "rho, p from 0.02 to 0.98, scale |excess|", .backward.what = "its excess"};
    for (int i = 0; i < 50000; i++) {
        const setting s = random_setting(&rng, 0.02);
        note_recovery(&r, &s, fabs(s.rho) < 0.925 ? fabs(s.excess) : fmax(s.p_h, s.p_k));
    }
    check_recovery(&r);
}

static void test_inverse_of_rare_masks(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(16, 0);
    recovery r = {.forward.what = "rho, p from 1e-6, scale max(p)", .backward.what = "its excess"};
    for (int i = 0; i < 50000; i++) {
        const setting s = random_setting(&rng, 1e-6);
        note_recovery(&r, &s, fmax(s.p_h, s.p_k));
    }
    check_recovery(&r);
}

/* The table's excess, which this library did not compute. */
static void test_inverse_of_table(void **state)
{
    (void)state;
    recovery r = {.forward.what = "rho of the table, scale max(p)", .backward.what = "its excess"};
    FILE *table = open_table("bivariate.txt");
    long double row[5];
    while (read_long_row(table, row, 5)) {
        const double h = (double)row[0];
        const double k = (double)row[1];
        const long double p_h = 0.5L * erfcl(row[0] * sqrtl(0.5L));
        const long double p_k = 0.5L * erfcl(row[1] * sqrtl(0.5L));
        if (fabsl(row[2]) == 1.0L || row[2] == 0.0L || fmax(fabs(h), fabs(k)) > 5.0) {
            continue;
        }
        const setting s = {(double)p_h, (double)p_k, (double)row[2], h, k, (double)(row[3] - p_h * p_k)};
        note_recovery(&r, &s, fmax(s.p_h, s.p_k));
    }
    fclose(table);
    check_recovery(&r);
}

/* Half and half: rho = sin(2 pi excess). */
static void test_inverse_of_halves(void **state)
{
    (void)state;
    worst_error w = {.what = "rho of p = 1/2, within 1e-15"};
    for (int i = -999; i < 1000; i++) {
        const double excess = i / 4000.0;
        const double error = fabs(zi_bivariate_inverse(0.0, 0.5, 0.0, 0.5, excess) - sin(2.0 * pi * excess));
        note_error(&w, error / 1e-15, "excess %.17g", excess);
    }
    check_errors(&w);
}

static void test_inverse_at_bounds(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(17, 0);
    for (int i = 0; i < 2000; i++) {
        setting s = random_setting(&rng, 1e-6);
        for (int side = -1; side <= 1; side += 2) {
            s.excess = side;
            const double bound = side * frechet_bound(&s);
            for (int times = 1; times <= 3; times++) {
                assert_true(zi_bivariate_inverse(s.h, s.p_h, s.k, s.p_k, times * bound) == side);
            }
            assert_true(side * zi_bivariate_inverse(s.h, s.p_h, s.k, s.p_k, 0.01 * bound) > 0.0);
        }
        assert_true(zi_bivariate_inverse(s.h, s.p_h, s.k, s.p_k, 0.0) == 0.0);
    }
}

/* ---- Many at once ----------------------------------------------------------- */

enum { BATCH = 1003 }; /* of 8 at once, 3 are left */

typedef struct batch {
    double h, p_h;
    double k[BATCH], p_k[BATCH], excess[BATCH], rho[BATCH];
} batch;

/* Every kind of lane: inside, at the bounds, beyond them, without a threshold. */
static void fill_batch(batch *b, double p_h, zilch_rng *rng)
{
    b->p_h = p_h;
    b->h = -zi_normal_quantile(p_h);
    for (size_t i = 0; i < BATCH; i++) {
        const setting s =
            setting_of(p_h, random_probability(rng, 1e-4), sin(between(rng, -0.5 * pi, 0.5 * pi)));
        b->p_k[i] = i % 11 == 3 ? (double)(i % 2) : s.p_k;
        b->k[i] = -zi_normal_quantile(b->p_k[i]);
        b->excess[i] = i % 7 == 5 ? 2.0 * frechet_bound(&s) : i % 13 == 0 ? 0.0 : s.excess;
        b->rho[i] = zi_bivariate_inverse(b->h, p_h, b->k[i], b->p_k[i], b->excess[i]);
        assert_true(fabs(b->rho[i]) <= 1.0);
    }
}

/* `count` from `begin` are the same bits together as one by one. */
static void check_batch(const batch *b, size_t begin, size_t count)
{
    double rho[BATCH + 1];
    rho[count] = 42.0;
    zi_bivariate_inverses(count, b->h, b->p_h, b->k + begin, b->p_k + begin, b->excess + begin, rho);
    assert_memory_equal(rho, b->rho + begin, count * sizeof *rho);
    assert_true(rho[count] == 42.0);
}

static void test_batch(void **state)
{
    (void)state;
    static const double p_h[] = {0.5, 0.03, 1e-5, 0.999, 0.0, 1.0};
    static batch b;
    zilch_rng rng = zilch_rng_make(18, 0);
    for (size_t i = 0; i < COUNT(p_h); i++) {
        fill_batch(&b, p_h[i], &rng);
        check_batch(&b, 0, BATCH);
        for (size_t begin = 0; begin < 24; begin++) { /* other neighbours, other places in the register */
            check_batch(&b, begin, begin % 19);
            check_batch(&b, begin, BATCH - begin);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_quadrant),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_infinite_thresholds),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_inverse_of_common_masks),
        cmocka_unit_test(test_inverse_of_rare_masks),
        cmocka_unit_test(test_inverse_of_table),
        cmocka_unit_test(test_inverse_of_halves),
        cmocka_unit_test(test_inverse_at_bounds),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests_name("bivariate", tests, NULL, NULL);
}
