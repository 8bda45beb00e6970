/* Problems by name: values against a table of 40-digit ones, optima, noise, settings and their errors.
 * Regressions have a test of their own. */
#include "math/linalg.h"
#include "problem/problem.h"
#include "support.h"
#include "zilch.h"

#include <locale.h>

#define THIRD_OF_PI 1.0471975511965976

static zilch_problem *open_problem(const char *name, uint64_t seed)
{
    zilch_problem *problem;
    if (zilch_problem_open(&problem, name, seed) != ZILCH_OK) {
        fail_msg("%s: %s", name, zilch_last_error());
    }
    return problem;
}

static double value_of(zilch_problem *problem, uint64_t id, const double *x)
{
    double value = NAN;
    const zilch_batch batch = {.n = 1, .dim = zilch_problem_describe(problem).dim, .id = &id, .x = x};
    assert_int_equal(zilch_problem_objective(problem, &batch, &value), ZILCH_OK);
    return value;
}

static double support_of(const zilch_problem *problem, const double *x)
{
    double share = NAN;
    assert_int_equal(zilch_problem_support(problem, x, &share), ZILCH_OK);
    return share;
}

/* Zeros, and values within [-1, 2]. */
static void draw_points(size_t count, double active, uint64_t seed, double *x)
{
    zilch_rng rng = zilch_rng_make(seed, 99);
    for (size_t i = 0; i < count; i++) {
        const int is_active = zilch_rng_uniform(&rng) < active;
        const double value = 3.0 * zilch_rng_uniform(&rng) - 1.0;
        x[i] = is_active ? value : 0.0;
    }
}

/* ---- SMOP ------------------------------------------------------------------------------------ */

/* The same as coordinate() in reference/make_problems.py. */
static double coordinate(int k, int i, int dim)
{
    const int active[] = {0, 1, i % 2 == 0, (7 * i * i + 3 * i) % 5 == 0, i < dim / 2, i >= 10 && i < 15};
    return active[k] ? ((7919 * i + 10473 * k + 37) % 301 - 100) / 100.0 : 0.0;
}

static void smop_agrees_with_the_table(void **state)
{
    (void)state;
    FILE *table = open_table("smop.txt");
    worst_error worst = {.what = "smop1 to smop8"};
    double row[4];
    while (read_row(table, row, 4)) {
        char name[32];
        double x[101];
        const int dim = (int)row[1];
        snprintf(name, sizeof name, "smop%d:dim=%d", (int)row[0], dim);
        for (int i = 0; i < dim; i++) {
            x[i] = coordinate((int)row[2], i, dim);
        }
        zilch_problem *problem = open_problem(name, 1);
        const double error = fabs(value_of(problem, 0, x) - row[3]);
        note_error(&worst, error / (2e-15 * fmax(1.0, fabs(row[3]))), "%s point %d", name, (int)row[2]);
        zilch_problem_close(problem);
    }
    fclose(table);
    check_errors(&worst);
    assert_int_equal(worst.count, 8 * 6 * 6);
}

/* The first `active` at pi/3. */
static void place(size_t dim, size_t first, size_t active, double *x)
{
    for (size_t i = 0; i < dim; i++) {
        x[i] = i >= first && i < first + active ? THIRD_OF_PI : 0.0;
    }
}

static void smop_optima_are_zero(void **state)
{
    (void)state;
    enum { MOST = 1003 };
    static const size_t dims[] = {2, 9, 10, 11, 100, MOST};
    static const struct {
        const char *name;
        int is_anywhere; /* any tenth of the coordinates will do */
    } problems[] = {{"smop1", 0}, {"smop2", 0}, {"smop3", 0}, {"smop4", 1},
                    {"smop5", 1}, {"smop6", 1}, {"smop7", 0}};
    static double x[MOST];
    for (size_t k = 0; k < COUNT(problems) * COUNT(dims); k++) {
        char name[32];
        const size_t dim = dims[k % COUNT(dims)];
        const int is_anywhere = problems[k / COUNT(dims)].is_anywhere;
        const size_t active = (dim + 9) / 10;
        snprintf(name, sizeof name, "%s:dim=%zu", problems[k / COUNT(dims)].name, dim);
        zilch_problem *problem = open_problem(name, 1);
        place(dim, 0, active, x);
        assert_true(value_of(problem, 0, x) == 0.0);
        assert_true(support_of(problem, x) == 1.0);
        place(dim, dim - active, active, x);
        assert_true((value_of(problem, 0, x) == 0.0) == is_anywhere);
        assert_true((support_of(problem, x) == 1.0) == is_anywhere);
        zilch_problem_close(problem);
    }
}

/* The chained optimum of smop8 of ten active coordinates: each is (the next + pi) mod 2. */
static void place_chain(double *x)
{
    for (size_t i = 10; i-- > 0;) {
        x[i] = fmod(x[i + 1] + 3.14159265358979323846, 2.0);
    }
}

static void smop8_has_a_chained_optimum(void **state)
{
    (void)state;
    double x[100] = {0};
    zilch_problem *problem = open_problem("smop8:dim=100", 1);
    place_chain(x);
    assert_double_equal(value_of(problem, 0, x), 0.0, 1e-16);
    assert_true(support_of(problem, x) == 1.0);
    x[99] = 1e-9; /* no term of its own, and next to nothing as a target */
    assert_double_equal(value_of(problem, 0, x), 0.0, 1e-10);
    assert_double_equal(support_of(problem, x), 0.99, 1e-15);
    zilch_problem_close(problem);
}

/* Which is not the least value of all: g3 dips to -1/1600 at 1/800. A penalty would pay for
 * that. */
static void smop_dips_below_its_sparse_optimum(void **state)
{
    (void)state;
    static const int is_dipping[] = {0, 0, 1, 0, 1, 0, 0, 0, 1};
    for (int k = 1; k <= 8; k++) {
        char name[32];
        double x[100] = {0};
        snprintf(name, sizeof name, "smop%d", k);
        zilch_problem *problem = open_problem(name, 1);
        assert_true(zilch_problem_describe(problem).penalty == 0.0);
        place_chain(x);
        const double before = value_of(problem, 0, x);
        x[10] = 1.0 / 800.0;
        if (k == 8) {
            place_chain(x);
        }
        const double gain = before - value_of(problem, 0, x);
        if (is_dipping[k]) {
            assert_double_equal(gain, 1.0 / 1600.0 / 100.0, 1e-9);
        } else {
            assert_true(gain < 0.0);
        }
        zilch_problem_close(problem);
    }
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Selection against sorting, in arrays of many shapes: random, constant, rising, falling, of few values. */
static void smop4_finds_the_smallest(void **state)
{
    (void)state;
    enum { DIM = 1000, COUNTED = 900 };
    static double x[DIM];
    static double g[DIM];
    zilch_problem *problem = open_problem("smop4:dim=1000", 1);
    for (int shape = 0; shape < 6; shape++) {
        long double expected = 0.0L;
        draw_points(DIM, 0.7, 5, x);
        for (size_t i = 0; i < DIM; i++) {
            const double shaped[] = {x[i],
                                     1.5,
                                     0.001 * (double)i,
                                     1.0 - 0.001 * (double)i,
                                     round(x[i]),
                                     i < 500 ? 0.002 * (double)i : 2.0 - 0.002 * (double)i};
            x[i] = shaped[shape];
            g[i] = 4.0 - x[i] - 4.0 * exp(-100.0 * x[i] * x[i]);
        }
        qsort(g, DIM, sizeof *g, compare);
        for (size_t i = 0; i < COUNTED; i++) {
            expected += (long double)g[i];
        }
        assert_double_equal(value_of(problem, 0, x), expected / DIM, 1e-14);
    }
    zilch_problem_close(problem);
}

/* ---- Sphere and ellipsoid -------------------------------------------------------------------- */

static void sphere_is_a_sum_of_squares(void **state)
{
    (void)state;
    zilch_problem *problem = open_problem("sphere:dim=4,active=2", 1);
    const double x[] = {1.0, 3.0, -0.0, 0.5};
    assert_true(value_of(problem, 0, x) == 4.25);
    assert_true(support_of(problem, x) == 0.75);
    assert_false(zilch_problem_describe(problem).is_noisy);
    zilch_problem_close(problem);
    problem = open_problem("sphere:dim=4,active=0", 1);
    assert_true(value_of(problem, 0, x) == 10.25);
    assert_true(support_of(problem, x) == 0.25);
    zilch_problem_close(problem);
}

/* Mean and deviation of 20,000 numbers, at 4.5 standard errors each: false alarm 1 in 70,000. */
static void noise_comes_from_seed_and_id(void **state)
{
    (void)state;
    enum { N = 20000 };
    const double x[2] = {1.0, 0.0};
    zilch_problem *first = open_problem("sphere:dim=2,active=1,noise=0.5", 1);
    zilch_problem *again = open_problem("sphere:dim=2,active=1,noise=0.5", 1);
    zilch_problem *other = open_problem("sphere:dim=2,active=1,noise=0.5", 2);
    double sum = 0.0;
    double squares = 0.0;
    for (uint64_t id = 0; id < N; id++) {
        const double value = value_of(first, id, x);
        zilch_rng optimizer = zilch_rng_make(1, id);
        assert_true(value == value_of(again, id, x));
        assert_true(value != value_of(other, id, x));
        assert_true(value != value_of(first, id + 1, x));
        assert_true(value != 0.5 * zilch_rng_normal(&optimizer));
        sum += value;
        squares += value * value;
    }
    assert_true(fabs(sum / N) < 4.5 * 0.5 / sqrt(N));
    assert_true(fabs(sqrt(squares / N) - 0.5) < 4.5 * 0.5 / sqrt(2.0 * N));
    assert_true(zilch_problem_describe(first).is_noisy);
    zilch_problem_close(first);
    zilch_problem_close(again);
    zilch_problem_close(other);
}

/* d f = e^T A e in the active part, A = Q^T W Q: its entries by polarisation, its eigenvalues the powers of
 * 1000. */
static void check_axes(const char *name, size_t k)
{
    enum { MOST = 60 };
    double x[MOST];
    double a[MOST * MOST];
    double value[MOST];
    double diagonal[MOST];
    double off_diagonal = 0.0;
    zilch_problem *problem = open_problem(name, 3);
    const size_t dim = zilch_problem_describe(problem).dim;
    for (size_t i = 0; i < k; i++) {
        place(dim, 0, k, x);
        x[i] += 1.0;
        diagonal[i] = (double)dim * value_of(problem, 0, x);
    }
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++) {
            place(dim, 0, k, x);
            x[i] += 1.0;
            x[j] += i == j ? 0.0 : 1.0;
            const double both = (double)dim * value_of(problem, 0, x);
            a[i * k + j] = i == j ? diagonal[i] : 0.5 * (both - diagonal[i] - diagonal[j]);
            off_diagonal = fmax(off_diagonal, i == j ? 0.0 : fabs(a[i * k + j]));
        }
    }
    assert_int_equal(zi_eigen(k, a, value), ZILCH_OK);
    for (size_t i = 0; i < k; i++) {
        assert_double_equal(value[i] / pow(1000.0, (double)i / (double)(k - 1)), 1.0, 1e-9);
    }
    assert_true(off_diagonal > 10.0);
    zilch_problem_close(problem);
}

static void ellipsoid_has_its_axes(void **state)
{
    (void)state;
    check_axes("ellipsoid:dim=58", 6);
    check_axes("ellipsoid:dim=58,active=9", 9);
    check_axes("ellipsoid:dim=20,active=20", 20);
}

static void ellipsoid_may_be_dense(void **state)
{
    (void)state;
    double x[20];
    zilch_problem *problem = open_problem("ellipsoid:dim=20,active=20", 3);
    place(20, 0, 20, x);
    assert_true(value_of(problem, 0, x) == 0.0);
    assert_true(support_of(problem, x) == 1.0);
    x[19] = 0.0;
    assert_true(value_of(problem, 0, x) > 0.0);
    assert_double_equal(support_of(problem, x), 0.95, 1e-16);
    assert_true(zilch_problem_describe(problem).lower == -1.0 &&
                zilch_problem_describe(problem).upper == 2.0);
    zilch_problem_close(problem);
}

/* The default number of active coordinates, said or not: the same bits. */
static void ellipsoid_has_a_tenth_active(void **state)
{
    (void)state;
    static const char *const names[] = {"ellipsoid:dim=58,active=0", "ellipsoid:dim=58,active=6"};
    double x[58];
    draw_points(58, 0.6, 4, x);
    zilch_problem *problem = open_problem("ellipsoid:dim=58", 3);
    const double value = value_of(problem, 0, x);
    zilch_problem_close(problem);
    for (size_t i = 0; i < COUNT(names); i++) {
        problem = open_problem(names[i], 3);
        assert_true(value_of(problem, 0, x) == value);
        zilch_problem_close(problem);
    }
}

static void ellipsoid_charges_for_idle_coordinates(void **state)
{
    (void)state;
    double x[20];
    zilch_problem *problem = open_problem("ellipsoid:dim=20", 3);
    zilch_problem *other = open_problem("ellipsoid:dim=20", 4);
    place(20, 0, 2, x);
    assert_true(value_of(problem, 0, x) == 0.0);
    assert_true(support_of(problem, x) == 1.0);
    x[7] = -0.5;
    assert_double_equal(value_of(problem, 0, x), (0.25 + 0.1) / 20.0, 1e-16);
    assert_double_equal(support_of(problem, x), 0.95, 1e-16);
    x[0] = 0.5;
    assert_true(value_of(problem, 0, x) != value_of(other, 0, x));
    zilch_problem_close(problem);
    zilch_problem_close(other);
    problem = open_problem("ellipsoid:dim=5", 3); /* one axis, no rotation */
    const double y[5] = {THIRD_OF_PI + 0.5};
    assert_double_equal(value_of(problem, 0, y), 0.25 / 5.0, 1e-16);
    zilch_problem_close(problem);
}

/* ---- Rosenbrock ------------------------------------------------------------------------------ */

/* Values from SciPy 1.17.1:
 *     from scipy.optimize import rosen
 *     x = [-1.2, 1.0, 0.75, -0.3, 2.0, 0.0]
 *     [float(rosen(x[:k]) + sum(v * v for v in x[k:])) for k in (2, 3, 6)]
 *     y = [((7919 * i + 10473 + 37) % 301 - 100) / 100 for i in range(20)]
 *     [float(rosen(y[:k]) + sum(v * v for v in y[k:])) for k in (2, 20)] */
static void rosenbrock_agrees_with_scipy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int is_long; /* y, else x */
        double value;
    } cases[] = {
        {"rosenbrock:dim=6", 0, 28.852499999999996},     {"rosenbrock:dim=6,active=3", 0, 34.53999999999999},
        {"rosenbrock:dim=6,active=6", 0, 2072.403125},   {"rosenbrock:dim=20", 1, 1185.683476},
        {"rosenbrock:dim=20,active=20", 1, 6336.966152},
    };
    const double x[] = {-1.2, 1.0, 0.75, -0.3, 2.0, 0.0};
    double y[20];
    for (int i = 0; i < 20; i++) {
        y[i] = coordinate(1, i, 20);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        zilch_problem *problem = open_problem(cases[i].name, 1);
        const double value = value_of(problem, 0, cases[i].is_long ? y : x);
        assert_double_equal(value / cases[i].value, 1.0, 1e-14);
        zilch_problem_close(problem);
    }
}

/* The first `active` at 1: 0; one more or one less active: another support, and a larger value. */
static void rosenbrock_has_its_optimum_at_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t dim, active;
    } cases[] = {
        {"rosenbrock", 100, 10},
        {"rosenbrock:dim=2", 2, 2},
        {"rosenbrock:dim=11", 11, 2},
        {"rosenbrock:dim=21", 21, 3},
        {"rosenbrock:dim=20,active=20", 20, 20},
        {"rosenbrock:dim=20,active=19", 20, 19},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        const size_t dim = cases[k].dim;
        double x[100] = {0};
        zilch_problem *problem = open_problem(cases[k].name, 1);
        const zilch_problem_info info = zilch_problem_describe(problem);
        assert_true(info.dim == dim && info.direction == ZILCH_MINIMIZE && !info.is_noisy &&
                    info.penalty == 0.0);
        assert_true(info.lower == -INFINITY && info.upper == INFINITY);
        for (size_t i = 0; i < cases[k].active; i++) {
            x[i] = 1.0;
        }
        assert_true(value_of(problem, 0, x) == 0.0);
        assert_true(support_of(problem, x) == 1.0);
        for (size_t i = 0; i < dim; i++) {
            const double before = x[i];
            x[i] = before != 0.0 ? 0.0 : 1e-3;
            assert_true(value_of(problem, 0, x) > 0.0);
            assert_double_equal(support_of(problem, x), 1.0 - 1.0 / (double)dim, 1e-15);
            x[i] = before;
        }
        zilch_problem_close(problem);
    }
}

/* One coordinate has no chain: nothing is asked of it. Too large a point is infinitely bad, not undefined. */
static void rosenbrock_bears_the_extremes(void **state)
{
    (void)state;
    const double large[] = {1.7e308, -1.7e308, 1.7e308};
    zilch_problem *problem = open_problem("rosenbrock:dim=1", 1);
    assert_true(value_of(problem, 0, large) == 0.0);
    assert_true(support_of(problem, large) == 1.0);
    zilch_problem_close(problem);
    problem = open_problem("rosenbrock:dim=3", 1);
    assert_true(value_of(problem, 0, large) == INFINITY);
    zilch_problem_close(problem);
}

/* ---- Batches --------------------------------------------------------------------------------- */

enum { POINTS = 60, DIM = 37, PART = 7 };

typedef struct parts {
    zilch_problem *problem;
    const uint64_t *id;
    const double *x;
    double *value;
} parts;

static zilch_status evaluate_part(void *context, size_t index)
{
    const parts *p = context;
    const size_t begin = index * PART;
    const zilch_batch batch = {.n = POINTS - begin < PART ? POINTS - begin : PART,
                               .dim = DIM,
                               .generation = index,
                               .id = p->id + begin,
                               .x = p->x + begin * DIM};
    return zilch_problem_objective(p->problem, &batch, p->value + begin);
}

/* Whole, in parts on threads, and one by one from the end: the same bits. */
static void values_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    static const char *const names[] = {"smop1", "smop2", "smop3",  "smop4",     "smop5",     "smop6",
                                        "smop7", "smop8", "sphere", "ellipsoid", "rosenbrock"};
    static double x[POINTS * DIM];
    uint64_t id[POINTS];
    double whole[POINTS];
    double divided[POINTS];
    draw_points(POINTS * DIM, 0.4, 8, x);
    for (size_t k = 0; k < POINTS; k++) {
        id[k] = 1000 + 7 * k;
    }
    for (size_t k = 0; k < COUNT(names); k++) {
        char name[64];
        snprintf(name, sizeof name, "%s:dim=%d%s", names[k], DIM, k == 8 ? ",noise=2" : "");
        zilch_problem *problem = open_problem(name, 5);
        const zilch_batch batch = {.n = POINTS, .dim = DIM, .id = id, .x = x};
        const parts p = {problem, id, x, divided};
        assert_int_equal(zilch_problem_objective(problem, &batch, whole), ZILCH_OK);
        assert_int_equal(zilch_parallel(4, (POINTS + PART - 1) / PART, evaluate_part, (void *)&p), ZILCH_OK);
        assert_memory_equal(whole, divided, sizeof whole);
        for (size_t i = POINTS; i-- > 0;) {
            assert_true(whole[i] == value_of(problem, id[i], x + i * DIM));
        }
        zilch_problem_close(problem);
    }
}

static void refuses_bad_batches(void **state)
{
    (void)state;
    zilch_problem *problem = open_problem("smop1:dim=3", 1);
    double x[6] = {0};
    double value[2];
    const uint64_t id[2] = {0, 1};
    zilch_batch batch = {.n = 2, .dim = 3, .id = id, .x = x};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        x[4] = bad[i];
        assert_int_equal(zilch_problem_objective(problem, &batch, value), ZILCH_EARG);
        assert_non_null(strstr(zilch_last_error(), "smop1: point 1, coordinate 1 "));
        assert_int_equal(zilch_problem_support(problem, x + 3, value), ZILCH_EARG);
    }
    x[4] = 0.0;
    batch.dim = 2;
    assert_int_equal(zilch_problem_objective(problem, &batch, value), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "3 coordinates, not 2"));
    batch.dim = 3;
    batch.id = NULL;
    assert_int_equal(zilch_problem_objective(problem, &batch, value), ZILCH_EARG);
    assert_int_equal(zilch_problem_objective(problem, NULL, value), ZILCH_EARG);
    assert_int_equal(zilch_problem_objective(NULL, &batch, value), ZILCH_EARG);
    batch = (zilch_batch){.n = 0, .dim = 3};
    assert_int_equal(zilch_problem_objective(problem, &batch, NULL), ZILCH_OK);
    assert_int_equal(zilch_problem_support(problem, NULL, value), ZILCH_EARG);
    assert_int_equal(zilch_problem_support(problem, x, NULL), ZILCH_EARG);
    assert_int_equal(zilch_problem_support(NULL, x, value), ZILCH_EARG);
    zilch_problem_close(problem);
    zilch_problem_close(NULL);
}

/* Far out of bounds there are values or failures, never a crash or an endless loop. */
static void bears_the_largest_numbers(void **state)
{
    (void)state;
    static const double large[] = {1e10, -1e17, 1e150, -1e200, 1.7e308, -1.7e308};
    for (int k = 1; k <= 8; k++) {
        char name[32];
        double x[30] = {0};
        snprintf(name, sizeof name, "smop%d:dim=30", k);
        zilch_problem *problem = open_problem(name, 1);
        for (size_t i = 0; i < 30; i++) {
            x[i] = large[i % COUNT(large)];
            (void)value_of(problem, 0, x);
        }
        zilch_problem_close(problem);
    }
}

/* ---- Flown by others ----------------------------------------------------------------------------- */

typedef struct flying {
    size_t calls, episodes;
    zilch_status status; /* to fail with */
} flying;

/* As the library would fly them, one episode at a time. */
static zilch_status fly_singly(void *context, const zilch_flights *f, zilch_episode *out)
{
    flying *seen = context;
    seen->calls++;
    seen->episodes += f->count;
    if (seen->status != ZILCH_OK) {
        return zilch_fail(seen->status, "the card is gone");
    }
    for (size_t k = 0; k < f->count; k++) {
        const double *parameters = f->parameters + k / f->each * ZILCH_POLICY_PARAMETERS;
        const zilch_status status =
            zilch_episodes_run(parameters, f->options, f->seed[k], 1, 1, f->watch, f->watch_context, &out[k]);
        if (status != ZILCH_OK) {
            return status;
        }
    }
    return ZILCH_OK;
}

static void lander_is_flown_by_others(void **state)
{
    (void)state;
    enum { N = 3, LANDINGS = 2, HELD_OUT = 5 };
    static const char *const names[] = {"lander:episodes=2", "lander:episodes=2,seeds=common,wind=1"};
    double x[N * ZILCH_POLICY_PARAMETERS];
    const uint64_t id[N] = {7, 8, 1000};
    const zilch_batch batch = {.n = N, .dim = ZILCH_POLICY_PARAMETERS, .generation = 4, .id = id, .x = x};
    draw_points(COUNT(x), 0.3, 1, x);
    for (size_t i = 0; i < COUNT(names); i++) {
        double own[N + 2];
        double other[N + 2];
        flying seen = {0};
        zilch_problem *problem = open_problem(names[i], 3);
        assert_int_equal(zilch_problem_objective(problem, &batch, own), ZILCH_OK);
        assert_int_equal(zilch_problem_held_out(problem, x, HELD_OUT, 1, NULL, NULL, &own[N], &own[N + 1]),
                         ZILCH_OK);
        assert_int_equal(zilch_problem_set_flyer(problem, fly_singly, &seen), ZILCH_OK);
        assert_int_equal(zilch_problem_objective(problem, &batch, other), ZILCH_OK);
        assert_int_equal(
            zilch_problem_held_out(problem, x, HELD_OUT, 1, NULL, NULL, &other[N], &other[N + 1]), ZILCH_OK);
        assert_memory_equal(own, other, sizeof own);
        assert_int_equal(seen.calls, 2);
        assert_int_equal(seen.episodes, N * LANDINGS + HELD_OUT);
        seen.status = ZILCH_EIO;
        assert_int_equal(zilch_problem_objective(problem, &batch, other), ZILCH_EIO);
        assert_string_equal(zilch_last_error(), "the card is gone");
        assert_int_equal(zilch_problem_set_flyer(problem, NULL, NULL), ZILCH_OK);
        assert_int_equal(zilch_problem_objective(problem, &batch, other), ZILCH_OK);
        assert_int_equal(seen.calls, 3);
        zilch_problem_close(problem);
    }
    zilch_problem *problem = open_problem("sphere", 1);
    assert_int_equal(zilch_problem_set_flyer(problem, fly_singly, NULL), ZILCH_ESTATE);
    assert_int_equal(zilch_problem_set_flyer(NULL, fly_singly, NULL), ZILCH_EARG);
    zilch_problem_close(problem);
}

/* ---- Names and settings ---------------------------------------------------------------------- */

#define X(name, text) #name,
static const char *const listed[] = {ZILCH_PROBLEM_LIST(X)};
#undef X

static void opens_every_listed_problem(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(listed); i++) {
        zilch_problem *problem = open_problem(listed[i], 1);
        const zilch_problem_info info = zilch_problem_describe(problem);
        assert_string_equal(info.name, listed[i]);
        assert_true(info.dim >= 90);
        zilch_problem_close(problem);
    }
    zilch_problem *problem = open_problem("smop5", 1);
    const zilch_problem_info info = zilch_problem_describe(problem);
    assert_int_equal(info.dim, 100);
    assert_int_equal(info.direction, ZILCH_MINIMIZE);
    assert_true(info.lower == -1.0 && info.upper == 2.0 && info.penalty == 0.0 && !info.is_noisy);
    zilch_problem_close(problem);
    problem = open_problem("sphere", 1);
    assert_true(isinf(zilch_problem_describe(problem).lower) && isinf(zilch_problem_describe(problem).upper));
    zilch_problem_close(problem);
}

static void settings_open_the_same_again(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"smop1", "smop1:dim=100"},
        {"smop8:dim=1e3", "smop8:dim=1000"},
        {"smop2:dim=10000000", "smop2:dim=10000000"},
        {"ellipsoid:dim=0050", "ellipsoid:dim=50,active=5"},
        {"ellipsoid:active=0", "ellipsoid:dim=100,active=10"},
        {"ellipsoid:active=20,dim=20", "ellipsoid:dim=20,active=20"},
        {"ellipsoid:dim=1", "ellipsoid:dim=1,active=1"},
        {"rosenbrock", "rosenbrock:dim=100,active=10"},
        {"rosenbrock:active=0,dim=101", "rosenbrock:dim=101,active=11"},
        {"rosenbrock:dim=20,active=20", "rosenbrock:dim=20,active=20"},
        {"rosenbrock:dim=9", "rosenbrock:dim=9,active=2"},
        {"rosenbrock:dim=1", "rosenbrock:dim=1,active=1"},
        {"sphere:noise=0.1", "sphere:dim=100,active=10,noise=0.1"},
        {"sphere:noise=-0,active=5,dim=50", "sphere:dim=50,active=5,noise=0"},
        {"sphere:noise=0.3000000000000000166", "sphere:dim=100,active=10,noise=0.3"},
        {"sphere:noise=0.30000000000000004", "sphere:dim=100,active=10,noise=0.30000000000000004"},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (int again = 0; again < 2; again++) {
            zilch_problem *problem = open_problem(texts[i][again], 1);
            assert_string_equal(zilch_problem_describe(problem).setting, texts[i][1]);
            zilch_problem_close(problem);
        }
    }
}

static void settings_are_the_same_in_every_locale(void **state)
{
    (void)state;
    const char *const found = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    zilch_problem *problem = open_problem("sphere:noise=0.5", 1);
    assert_string_equal(zilch_problem_describe(problem).setting, "sphere:dim=100,active=10,noise=0.5");
    zilch_problem_close(problem);
    setlocale(LC_NUMERIC, "C");
    if (!found) {
        print_message("    no German locale here: tried in C's only\n");
    }
}

static void bad_settings_say_what_is_wrong(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"smop9",
         "problem: \"smop9\" is not one of the known ones: lander sphere smop1 smop2 smop3 smop4 smop5 smop6 "
         "smop7 smop8 ellipsoid rosenbrock"},
        {"", "problem: \"\" is not one of the known ones: lander"},
        {"smop", "\"smop\" is not one"},
        {"smop1 :dim=3", "\"smop1 \" is not one"},
        {"Smop1", "\"Smop1\" is not one"},
        {"smop1:", "smop1: settings are missing behind the colon"},
        {"smop1:dim", "smop1: \"dim\" is no setting, which is a name, = and a value"},
        {"smop1:dim=5,", "smop1: \"\" is no setting"},
        {"smop1:,dim=5", "smop1: \"\" is no setting"},
        {"sphere:dims=5", "sphere: \"dims\" is not one of its settings, which are dim, active, noise"},
        {"smop1:dim=1", "smop1: dim must be a whole number from 2 to 10000000, not \"1\""},
        {"smop1:dim=10000001", "dim must be a whole number from 2 to 10000000, not \"10000001\""},
        {"smop1:dim=2.5", "dim must be a whole number"},
        {"smop1:dim=-3", "not \"-3\""},
        {"smop1:dim=", "not \"\""},
        {"smop1:dim= 5", "not \" 5\""},
        {"smop1:dim=5x", "not \"5x\""},
        {"smop1:dim=0x10", "not \"0x10\""},
        {"smop1:dim=1e", "not \"1e\""},
        {"smop1:dim=5=6", "not \"5=6\""},
        {"smop1:dim=5,dim=5", "smop1: dim is given twice"},
        {"sphere:noise=-0.1", "sphere: noise must be a number from 0 to 1000000, not \"-0.1\""},
        {"sphere:noise=nan", "not \"nan\""},
        {"sphere:noise=1e999", "not \"1e999\""},
        {"sphere:noise=0,5", "sphere: \"5\" is no setting"},
        {"sphere:dim=5", "sphere: active (10) must not be more than dim (5)"},
        {"ellipsoid:dim=10001", "from 1 to 10000, not"},
        {"ellipsoid:dim=5,active=6",
         "ellipsoid: active (6) must be from 1 to dim (5), or 0 for a tenth of it"},
        {"ellipsoid:dim=5000,active=1001", "ellipsoid: active must be a whole number from 0 to 1000, not"},
        {"ellipsoid:activ=5", "ellipsoid: \"activ\" is not one of its settings, which are dim, active"},
        {"rosenbrok", "\"rosenbrok\" is not one of the known ones"},
        {"rosenbrock:noise=1", "rosenbrock: \"noise\" is not one of its settings, which are dim, active"},
        {"rosenbrock:dim=0", "rosenbrock: dim must be a whole number from 1 to 10000000, not \"0\""},
        {"rosenbrock:active=1", "rosenbrock: active (1) must be from 2 to dim (100), or 0 for a tenth of it"},
        {"rosenbrock:dim=4,active=5", "rosenbrock: active (5) must be from 2 to dim (4)"},
        {"rosenbrock:dim=1,active=2", "rosenbrock: active (2) must be from 1 to dim (1)"},
        {"rosenbrock:active=-1", "rosenbrock: active must be a whole number from 0 to 10000000, not \"-1\""},
        {"sphere:dim=00000000000000000000000000000000000000000000000000000000000000001",
         "too long for a setting"},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        zilch_problem *problem = (zilch_problem *)&problem;
        assert_int_equal(zilch_problem_open(&problem, texts[i][0], 1), ZILCH_EARG);
        assert_null(problem);
        if (!strstr(zilch_last_error(), texts[i][1])) {
            fail_msg("%s: says \"%s\", not \"%s\"", texts[i][0], zilch_last_error(), texts[i][1]);
        }
    }
    zilch_problem *problem;
    assert_int_equal(zilch_problem_open(&problem, NULL, 1), ZILCH_EARG);
    assert_int_equal(zilch_problem_open(NULL, "smop1", 1), ZILCH_EARG);
}

/* Choices and open ranges, which only other families have, by a table of the test's own. */
typedef struct sample {
    double level;
    unsigned seeds;
    size_t count;
} sample;

static const zi_setting sample_setting[] = {
    {.name = "seeds",
     .kind = ZI_CHOICE,
     .offset = offsetof(sample, seeds),
     .fallback = 1,
     .choice = {"fresh", "common"}},
    {.name = "level",
     .kind = ZI_REAL,
     .offset = offsetof(sample, level),
     .fallback = -10,
     .low = -12,
     .is_open = 1},
    {.name = "count", .kind = ZI_COUNT, .offset = offsetof(sample, count), .fallback = 0, .high = 0x1p53},
};
static const zi_settings sample_settings = {COUNT(sample_setting), sample_setting};

static void settings_know_choices_and_open_ranges(void **state)
{
    (void)state;
    char text[ZI_SETTING_CAPACITY];
    sample s = {0};
    assert_int_equal(zi_settings_parse(&sample_settings, "it", "", &s), ZILCH_OK);
    assert_true(s.seeds == 1 && s.level == -10.0 && s.count == 0);
    assert_int_equal(
        zi_settings_parse(&sample_settings, "it", "count=9007199254740992,seeds=fresh,level=-11.9", &s),
        ZILCH_OK);
    assert_true(s.seeds == 0 && s.level == -11.9 && s.count == 9007199254740992u);
    assert_int_equal(zi_settings_format(&sample_settings, "it", &s, text, sizeof text), ZILCH_OK);
    assert_string_equal(text, "it:seeds=fresh,level=-11.9,count=9007199254740992");
    assert_int_equal(zi_settings_parse(&sample_settings, "it", "seeds=fres", &s), ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "it: seeds must be one of fresh, common, not \"fres\"");
    assert_int_equal(zi_settings_parse(&sample_settings, "it", "level=-12", &s), ZILCH_EARG);
    assert_string_equal(zilch_last_error(),
                        "it: level must be a number from -12 to 0, the ends excluded, not \"-12\"");
    assert_int_equal(zi_settings_parse(&sample_settings, "it", "level=0", &s), ZILCH_EARG);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

static size_t allocations;
static size_t failing;
static long outstanding;

static void *counting_alloc(size_t bytes)
{
    if (++allocations == failing) {
        return NULL;
    }
    outstanding++;
    return malloc(bytes);
}

static void counting_release(void *memory)
{
    outstanding--;
    free(memory);
}

static zilch_status open_and_evaluate(const char *name)
{
    const double x[30] = {0};
    const uint64_t id = 0;
    double value;
    zilch_problem *problem;
    zilch_status status = zilch_problem_open(&problem, name, 1);
    if (status == ZILCH_OK) {
        const zilch_batch batch = {.n = 1, .dim = 30, .id = &id, .x = x};
        status = zilch_problem_objective(problem, &batch, &value);
    }
    zilch_problem_close(problem);
    return status;
}

static void loses_nothing_out_of_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"smop6:dim=30", "ellipsoid:dim=30", "ellipsoid:dim=30,active=30"};
    zilch_set_allocator(counting_alloc, counting_release);
    for (size_t i = 0; i < COUNT(names); i++) {
        zilch_status status = ZILCH_ENOMEM;
        for (failing = 1; status != ZILCH_OK; failing++) {
            allocations = 0;
            status = open_and_evaluate(names[i]);
            assert_int_equal(outstanding, 0);
            assert_true(status == ZILCH_OK || status == ZILCH_ENOMEM);
        }
        assert_true(failing > 3);
    }
    zilch_set_allocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smop_agrees_with_the_table),
        cmocka_unit_test(smop_optima_are_zero),
        cmocka_unit_test(smop8_has_a_chained_optimum),
        cmocka_unit_test(smop_dips_below_its_sparse_optimum),
        cmocka_unit_test(smop4_finds_the_smallest),
        cmocka_unit_test(sphere_is_a_sum_of_squares),
        cmocka_unit_test(noise_comes_from_seed_and_id),
        cmocka_unit_test(ellipsoid_has_its_axes),
        cmocka_unit_test(ellipsoid_charges_for_idle_coordinates),
        cmocka_unit_test(ellipsoid_may_be_dense),
        cmocka_unit_test(ellipsoid_has_a_tenth_active),
        cmocka_unit_test(rosenbrock_agrees_with_scipy),
        cmocka_unit_test(rosenbrock_has_its_optimum_at_one),
        cmocka_unit_test(rosenbrock_bears_the_extremes),
        cmocka_unit_test(values_do_not_depend_on_the_batch),
        cmocka_unit_test(refuses_bad_batches),
        cmocka_unit_test(lander_is_flown_by_others),
        cmocka_unit_test(bears_the_largest_numbers),
        cmocka_unit_test(opens_every_listed_problem),
        cmocka_unit_test(settings_open_the_same_again),
        cmocka_unit_test(settings_are_the_same_in_every_locale),
        cmocka_unit_test(bad_settings_say_what_is_wrong),
        cmocka_unit_test(settings_know_choices_and_open_ranges),
        cmocka_unit_test(loses_nothing_out_of_memory),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
