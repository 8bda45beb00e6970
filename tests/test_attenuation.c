/* The attenuation relations: against the published double integrals (integrated numerically
 * to 25 digits, tests/reference), against simulation, and there and back. */
#include "support.h"
#include "zilch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* One pair: latent (rho_v, rho_ij, rho_ji, rho_m), or observed in the same places. */
typedef struct pair {
    double v, ij, ji, m;
} pair;

static pair attenuate(double p_i, double p_j, pair latent)
{
    return (pair){.v = zilch_attenuate_vv(p_i, p_j, latent.v, latent.ij, latent.ji, latent.m),
                  .ij = zilch_attenuate_vm(p_j, p_i, latent.ij, latent.m),
                  .ji = zilch_attenuate_vm(p_i, p_j, latent.ji, latent.m),
                  .m = zilch_attenuate_mm(p_i, p_j, latent.m)};
}

static pair invert(double p_i, double p_j, pair observed)
{
    pair latent;
    latent.m = zilch_invert_mm(p_i, p_j, observed.m);
    latent.ji = zilch_invert_vm(p_i, p_j, observed.ji, latent.m);
    latent.ij = zilch_invert_vm(p_j, p_i, observed.ij, latent.m);
    latent.v = zilch_invert_vv(p_i, p_j, observed.v, latent.ij, latent.ji, latent.m);
    return latent;
}

static double largest_difference(pair a, pair b)
{
    return fmax(fmax(fabs(a.v - b.v), fabs(a.m - b.m)), fmax(fabs(a.ij - b.ij), fabs(a.ji - b.ji)));
}

/* Whether [[1,v,0,ji],[v,1,ij,0],[0,ij,1,m],[ji,0,m,1]] is positive definite: its smallest
 * pivot, by elimination. */
static double smallest_pivot(pair l)
{
    double a[4][4] = {{1, l.v, 0, l.ji}, {l.v, 1, l.ij, 0}, {0, l.ij, 1, l.m}, {l.ji, 0, l.m, 1}};
    double smallest = 1.0;
    for (int k = 0; k < 4; k++) {
        smallest = fmin(smallest, a[k][k]);
        for (int i = k + 1; i < 4; i++) {
            for (int j = k + 1; j < 4; j++) {
                a[i][j] -= a[i][k] * a[k][j] / a[k][k];
            }
        }
        if (smallest <= 0.0) {
            return smallest;
        }
    }
    return smallest;
}

static void equals_published_integrals(void **state)
{
    (void)state;
    FILE *table = open_table("attenuation.txt");
    double row[9];
    size_t rows = 0;
    double worst = 0.0;
    while (read_row(table, row, 9)) {
        const pair latent = {row[2], row[3], row[4], row[5]};
        const pair found = attenuate(row[0], row[1], latent);
        worst =
            fmax(worst, fmax(fabs(found.m - row[6]), fmax(fabs(found.ji - row[7]), fabs(found.v - row[8]))));
        rows++;
    }
    fclose(table);
    print_message("%zu settings, largest difference %.2g\n", rows, worst);
    assert_int_equal(rows, 200);
    assert_true(worst < 2e-14);
}

/* How far rounding of the observed values, 4 units in the last place of 1, moves the latent
 * ones: to first order, through the forward relations alone. Where that is more than the
 * tolerance, no method could recover them from doubles. */
static double conditioning(double p_i, double p_j, pair l)
{
    const double rounding = 4.0 * DBL_EPSILON;
    const double h = 1e-6;
    const pair here = attenuate(p_i, p_j, l);
    pair moved = l;
    moved.m += l.m > 0.0 ? -h : h;
    const pair by_m = attenuate(p_i, p_j, moved);
    const double slope_m = fabs(by_m.m - here.m) / h;
    const double error_m = rounding / slope_m;
    const double slope_ji = zilch_attenuate_vm(p_i, p_j, 1.0, l.m);
    const double slope_ij = zilch_attenuate_vm(p_j, p_i, 1.0, l.m);
    const double error_ji = (rounding + fabs(by_m.ji - here.ji) / h * error_m) / slope_ji;
    const double error_ij = (rounding + fabs(by_m.ij - here.ij) / h * error_m) / slope_ij;
    const double slope_v = zilch_attenuate_vv(p_i, p_j, 1.0, 0.0, 0.0, l.m);
    const double through_masks = fabs(zilch_attenuate_vv(p_i, p_j, 0.0, 0.5, 0.5, l.m)) / 0.25;
    const double error_v = (rounding + fabs(by_m.v - here.v) / h * error_m +
                            through_masks * (fabs(l.ij) * error_ji + fabs(l.ji) * error_ij)) /
                           slope_v;
    return fmax(fmax(error_m, error_v), fmax(error_ij, error_ji));
}

typedef struct tally {
    size_t cases, ill;
    double worst, worst_ill;
} tally;

static void there_and_back(double p_i, double p_j, pair latent, tally *t)
{
    const double expected = conditioning(p_i, p_j, latent);
    const pair found = invert(p_i, p_j, attenuate(p_i, p_j, latent));
    const double error = largest_difference(found, latent);
    t->cases++;
    if (expected < 1e-7) {
        t->worst = fmax(t->worst, error);
        if (error > 1e-7) {
            print_message("p %g %g latent v %g ij %g ji %g m %g: error %g, conditioning %g\n", p_i, p_j,
                          latent.v, latent.ij, latent.ji, latent.m, error, expected);
        }
        assert_true(error <= 1e-7);
    } else { /* also an infinite or undefined one */
        t->ill++;
        t->worst_ill = fmax(t->worst_ill, error);
    }
    assert_true(fabs(found.v) <= 1.0 && fabs(found.m) <= 1.0 && fabs(found.ij) <= 1.0 &&
                fabs(found.ji) <= 1.0);
}

static const double probabilities[] = {0.01, 0.05, 0.2, 0.5, 0.7, 0.95, 0.99};
enum { PROBABILITIES = sizeof probabilities / sizeof *probabilities };

static void there_and_back_all_p(pair latent, tally *t)
{
    for (int i = 0; i < PROBABILITIES; i++) {
        for (int j = 0; j < PROBABILITIES; j++) {
            there_and_back(probabilities[i], probabilities[j], latent, t);
        }
    }
}

/* The whole grid of positive definite latent matrices, steps of 0.2 and the near ends. */
static void inverse_recovers_grid(void **state)
{
    (void)state;
    static const double grid[] = {-0.99, -0.9, -0.7, -0.5, -0.3, -0.1, 0.0, 0.2, 0.4, 0.6, 0.8, 0.95};
    enum { GRID = sizeof grid / sizeof *grid };
    tally t = {0};
    size_t matrices = 0;
    for (int code = 0; code < GRID * GRID * GRID * GRID; code++) {
        const pair latent = {grid[code % GRID], grid[code / GRID % GRID], grid[code / GRID / GRID % GRID],
                             grid[code / GRID / GRID / GRID]};
        if (smallest_pivot(latent) > 1e-9) {
            matrices++;
            there_and_back_all_p(latent, &t);
        }
    }
    print_message(
        "%zu matrices x %d pairs of p: worst error %.2g; in %zu of %zu cases rounding of the observed\n"
        "values alone moves the latent ones by more than 1e-7 (co-activation or its complement is too\n"
        "rare to be seen in a double): there the worst error is %.2g\n",
        matrices, PROBABILITIES * PROBABILITIES, t.worst, t.ill, t.cases, t.worst_ill);
    assert_true(t.cases > 200000);
    assert_true(t.ill < t.cases / 10);
}

/* ---- Simulation ------------------------------------------------------------------- */

typedef struct moment {
    double sum, squares;
} moment;

static void add(moment *m, double x)
{
    m->sum += x;
    m->squares += x * x;
}

/* Standard errors between the mean and what was expected. */
static double deviation(const moment *m, double rows, double expected)
{
    const double mean = m->sum / rows;
    const double variance = m->squares / rows - mean * mean;
    return fabs(mean - expected) / sqrt(variance / rows);
}

static pair random_latent(zilch_rng *rng)
{
    for (;;) {
        pair l;
        l.v = 2.0 * zilch_rng_uniform(rng) - 1.0;
        l.ij = 2.0 * zilch_rng_uniform(rng) - 1.0;
        l.ji = 2.0 * zilch_rng_uniform(rng) - 1.0;
        l.m = 2.0 * zilch_rng_uniform(rng) - 1.0;
        if (smallest_pivot(l) > 1e-3) {
            return l;
        }
    }
}

/* Draws the latents by a Cholesky factor of its own, not by the library's sampler. */
static void cholesky4(pair l, double f[4][4])
{
    const double a[4][4] = {{1, l.v, 0, l.ji}, {l.v, 1, l.ij, 0}, {0, l.ij, 1, l.m}, {l.ji, 0, l.m, 1}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) {
                sum -= f[i][k] * f[j][k];
            }
            f[i][j] = i == j ? sqrt(sum) : sum / f[j][j];
        }
    }
}

static double threshold_of(double p)
{
    double low = -40.0;
    double high = 40.0;
    for (int i = 0; i < 200; i++) { /* by bisection on libc's erfc */
        const double middle = 0.5 * (low + high);
        *(0.5 * erfc(middle * sqrt(0.5)) > p ? &low : &high) = middle;
    }
    return low;
}

static double simulate(zilch_rng *rng, double p_i, double p_j, pair latent, size_t rows)
{
    double f[4][4] = {{0}};
    cholesky4(latent, f);
    const double tau_i = threshold_of(p_i);
    const double tau_j = threshold_of(p_j);
    moment mm = {0};
    moment ji = {0};
    moment vv = {0};
    for (size_t r = 0; r < rows; r++) {
        double normal[4];
        double z[4] = {0};
        zilch_rng_normals(rng, 4, normal);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k <= i; k++) {
                z[i] += f[i][k] * normal[k];
            }
        }
        const double on_i = z[2] >= tau_i;
        const double on_j = z[3] >= tau_j;
        add(&mm, (on_i - p_i) * (on_j - p_j));
        add(&ji, on_i * z[0] * (on_j - p_j));
        add(&vv, on_i * z[0] * on_j * z[1]);
    }
    const pair expected = attenuate(p_i, p_j, latent);
    const double n = (double)rows;
    const double spread_i = p_i * (1.0 - p_i);
    const double spread_j = p_j * (1.0 - p_j);
    return fmax(deviation(&mm, n, expected.m * sqrt(spread_i * spread_j)),
                fmax(deviation(&ji, n, expected.ji * sqrt(p_i * spread_j)),
                     deviation(&vv, n, expected.v * sqrt(p_i * p_j))));
}

/* 3,000 comparisons at 5 standard errors: a false alarm for one seed in 580. */
static void agrees_with_simulation(void **state)
{
    (void)state;
    enum { SETTINGS = 1000, ROWS = 10000 };
    double worst = 0.0;
    zilch_rng rng = zilch_rng_make(20261115, 0);
    for (int i = 0; i < SETTINGS; i++) {
        const double p_i = 0.1 + 0.8 * zilch_rng_uniform(&rng);
        const double p_j = 0.1 + 0.8 * zilch_rng_uniform(&rng);
        pair latent = random_latent(&rng);
        /* Co-activations must be frequent enough for their mean to be normal. */
        while (zilch_attenuate_vv(p_i, p_j, 1.0, 0.0, 0.0, latent.m) * sqrt(p_i * p_j) * ROWS < 100.0 ||
               fabs(latent.m) > 0.95) {
            latent = random_latent(&rng);
        }
        worst = fmax(worst, simulate(&rng, p_i, p_j, latent, ROWS));
    }
    print_message("%d settings, largest deviation %.2f standard errors\n", SETTINGS, worst);
    assert_true(worst < 5.0);
}

static void limits(void **state)
{
    (void)state;
    assert_true(zilch_attenuate_mm(0.0, 0.5, 0.3) == 0.0);
    assert_true(zilch_attenuate_mm(1.0, 0.5, 0.3) == 0.0);
    assert_true(zilch_attenuate_vm(1.0, 1.0, 0.3, 0.0) == 0.0);
    assert_double_equal(zilch_attenuate_vv(1.0, 1.0, 0.37, 0.0, 0.0, 0.0), 0.37, 1e-15);
    assert_double_equal(zilch_attenuate_mm(0.3, 0.3, 1.0), 1.0, 1e-14);
    assert_double_equal(zilch_attenuate_mm(0.5, 0.5, -1.0), -1.0, 1e-14);
    /* Both thresholds at 0: the arcsine law. */
    assert_double_equal(zilch_attenuate_mm(0.5, 0.5, 0.6), 2.0 / 3.14159265358979323846 * asin(0.6), 1e-15);
    assert_true(isnan(zilch_attenuate_mm(-0.1, 0.5, 0.0)));
    assert_true(isnan(zilch_attenuate_vm(0.5, 0.5, 1.5, 0.0)));
    assert_true(isnan(zilch_attenuate_vv(0.5, NAN, 0.0, 0.0, 0.0, 0.0)));
    assert_true(isnan(zilch_invert_mm(0.5, 2.0, 0.0)));
    assert_true(isnan(zilch_invert_vm(0.5, 0.5, NAN, 0.0)));
    assert_true(isnan(zilch_invert_vv(0.5, 0.5, 0.0, 0.0, 0.0, -1.01)));
    /* Far beyond any data, but no nonsense. */
    assert_double_equal(zilch_attenuate_mm(1e-300, 1e-300, 0.0), 0.0, 1e-15);
    /* Never together active: nothing is known of the values. */
    assert_true(zilch_invert_mm(0.1, 0.1, zilch_attenuate_mm(0.1, 0.1, -1.0)) == -1.0);
    assert_true(zilch_invert_vm(0.1, 0.1, 0.2, -1.0) == 0.0);
    assert_true(zilch_invert_vv(0.1, 0.1, 0.2, 0.0, 0.0, -1.0) == 0.0);
    assert_true(zilch_invert_vv(1.0, 1.0, 0.25, 0.0, 0.0, 0.0) == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_published_integrals),
        cmocka_unit_test(inverse_recovers_grid),
        cmocka_unit_test(agrees_with_simulation),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
