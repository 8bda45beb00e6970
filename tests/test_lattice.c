/* Steps and lists of values together with linear limits: rounding, refusals, and that every point of a search
 * keeps both and the search learns all the same. limits_highs.py compares with another solver. */
#include "search/lattice.h"

#include "property_support.h"
#include "search_support.h"

/* ---- Rounding -------------------------------------------------------------------------------------------
 */

enum { FEW = 5 };

static double distance_between(size_t dim, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sum;
}

/* The least distance from y to numbers of twentieths, 1 to 12 each, that add up to 20. */
static double least_distance(const double *y, size_t at, int left, double sum)
{
    if (at == FEW - 1) {
        const double last = left / 20.0 - y[at];
        return left >= 1 && left <= 12 ? sum + last * last : INFINITY;
    }
    double least = INFINITY;
    for (int k = 1; k <= 12 && k < left; k++) {
        const double d = k / 20.0 - y[at];
        least = fmin(least, least_distance(y, at + 1, left - k, sum + d * d));
    }
    return least;
}

/* A sum with a common step: nothing is nearer. */
static void one_sum_is_rounded_to_the_nearest(void **state)
{
    (void)state;
    static const double step[FEW] = {0.05, 0.05, 0.05, 0.05, 0.05};
    static const double lower[FEW] = {0.05, 0.05, 0.05, 0.05, 0.05};
    static const double upper[FEW] = {0.6, 0.6, 0.6, 0.6, 0.6};
    static const double sigma[FEW] = {1, 1, 1, 1, 1};
    const zilch_linear_limit limit = {.count = FEW, .lower = 1.0, .upper = 1.0};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.step = step;
    options.lower = lower;
    options.upper = upper;
    options.linear_limits = &limit;
    options.linear_limit_count = 1;
    options.min_active = FEW;
    zilch_optimizer *o = create_with(FEW, 1, &options);
    zi_lattice lattice;
    assert_int_equal(zi_lattice_create(&lattice, &o->constraints), ZILCH_OK);
    for (uint64_t t = 0; t < 300; t++) {
        zilch_rng rng = zilch_rng_make(61, t);
        double y[FEW], x[FEW], sum = 0.0;
        for (size_t i = 0; i < FEW; i++) {
            y[i] = 0.05 + zilch_rng_uniform(&rng);
            sum += y[i];
        }
        for (size_t i = 0; i < FEW; i++) { /* the centre, and a part of the way to what was drawn */
            x[i] = y[i] = 0.2 + 0.7 * (y[i] / sum - 0.2);
        }
        assert_true(zi_lattice_round(&lattice, sigma, SIZE_MAX, x));
        assert_int_equal(zi_constraints_check(&o->constraints, x), ZILCH_OK);
        const double least = least_distance(y, 0, 20, 0.0);
        if (distance_between(FEW, x, y) > least + 1e-12) {
            fail_msg("case %llu: %g, not %g", (unsigned long long)t, distance_between(FEW, x, y), least);
        }
    }
    zi_lattice_free(&lattice);
    zilch_optimizer_destroy(o);
}

/* ---- Sets ------------------------------------------------------------------------------------------------
 */

typedef struct lattice {
    zilch_optimizer_options o;
    double step[MOST_COORDINATES], lower[MOST_COORDINATES], upper[MOST_COORDINATES];
    double weight[2][MOST_COORDINATES];
    zilch_values values[MOST_COORDINATES];
    zilch_linear_limit limit[2];
} lattice;

/* All of one kind, and one row. */
static void make_lattice(lattice *l, size_t dim, double step, double low, double high, double sum)
{
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < dim; i++) {
        l->step[i] = step;
        l->lower[i] = low;
        l->upper[i] = high;
        l->weight[0][i] = 1.0;
    }
    l->limit[0] = (zilch_linear_limit){.count = dim, .weight = l->weight[0], .lower = sum, .upper = sum};
    l->o = zilch_optimizer_defaults();
    l->o.step = l->step;
    l->o.lower = l->lower;
    l->o.upper = l->upper;
    l->o.linear_limits = l->limit;
    l->o.linear_limit_count = 1;
}

static void expect_refused(const lattice *l, size_t dim, const char *words)
{
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, dim, 1, &l->o), ZILCH_EARG);
    assert_null(o);
    if (!strstr(zilch_last_error(), words)) {
        fail_msg("\"%s\" does not say \"%s\"", zilch_last_error(), words);
    }
}

static void contradictions_are_named(void **state)
{
    (void)state;
    static const double list[] = {0.2, 0.5};
    lattice l;
    make_lattice(&l, 4, 0.3, 0.0, 3.0, 1.0);
    expect_refused(&l, 4, "no point keeps limit 1 together with the steps and lists;");
    make_lattice(&l, 4, 2.0, -INFINITY, INFINITY, 7.0); /* which would be a tree without end */
    expect_refused(&l, 4, "no point keeps limit 1 together with the steps and lists;");
    make_lattice(&l, 4, 0.25, 0.0, 0.25, 1.25);
    expect_refused(&l, 4, "no point keeps limit 1 together with the bounds;");
    make_lattice(&l, 4, 0.0, 0.0, 1.0, 1.3);
    for (size_t i = 0; i < 4; i++) {
        l.values[i] = (zilch_values){2, list};
    }
    l.o.values = l.values;
    expect_refused(&l, 4, "no point keeps limit 1 together with the steps and lists;");
    l.limit[0].lower = l.limit[0].upper = 1.4;
    l.o.max_active = 3;
    expect_refused(&l, 4, "no point keeps limit 1 together with max_active, the steps and lists;");
    l.o.max_active = 0;
    zilch_optimizer_destroy(create_with(4, 1, &l.o));
}

/* Defaults that are no multiples of the step: offsets from them are not multiples of it either. */
static void defaults_may_be_between_steps(void **state)
{
    (void)state;
    static const double origin[] = {0.04, 0.04, 0.04};
    lattice l;
    for (uint64_t least = 0; least <= 3; least += 3) {
        make_lattice(&l, 3, 0.1, -1.0, 1.0, 1.0);
        l.o.defaults = origin;
        l.o.min_active = least;
        zilch_optimizer *o = create_with(3, 1, &l.o);
        double x[3];
        uint64_t id;
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
        assert_true(fabs(x[0] + x[1] + x[2] - 1.0) < 1e-12);
        zilch_optimizer_destroy(o);
    }
}

/* 3 x1 + 5 x2 = 19 has one point of whole numbers from 0 on: 3 and 2. */
static void one_point_is_enough(void **state)
{
    (void)state;
    lattice l;
    double x[2];
    zilch_stop stop;
    make_lattice(&l, 2, 1.0, 0.0, 100.0, 19.0);
    l.weight[0][0] = 3.0;
    l.weight[0][1] = 5.0;
    zilch_optimizer *o = create_with(2, 3, &l.o);
    assert_int_equal(o->points_in_all, 1);
    assert_int_equal(zilch_optimizer_run(o, noisy_objective, NULL, NULL, NULL, NULL, &stop), ZILCH_OK);
    assert_int_equal(zilch_optimizer_best(o, x, NULL), ZILCH_OK);
    assert_true(x[0] == 3.0 && x[1] == 2.0);
    zilch_optimizer_destroy(o);
}

/* ---- Searches --------------------------------------------------------------------------------------------
 */

static int is_multiple(double x, double step)
{
    return step == 0.0 || fabs(x / step - round(x / step)) < 1e-9;
}

static void check_point(const lattice *l, size_t dim, const double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < dim; i++) {
        active += x[i] != 0.0;
        assert_true(x[i] == 0.0 || (x[i] >= l->lower[i] && x[i] <= l->upper[i]));
        assert_true(is_multiple(x[i], l->step[i]));
    }
    assert_true(active >= l->o.min_active && (l->o.max_active == 0 || active <= l->o.max_active));
    for (size_t r = 0; r < l->o.linear_limit_count; r++) {
        long double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < dim; i++) {
            sum += (long double)l->weight[r][i] * x[i];
            size += fabsl((long double)l->weight[r][i] * x[i]);
        }
        assert_true(sum >= l->limit[r].lower - 1.1e-12L * size && sum <= l->limit[r].upper + 1.1e-12L * size);
    }
}

/* Values pull at each other, so that no sum of single terms does. */
static double value_of(size_t dim, const double *x)
{
    double sum = 0.0, mix = 0.0;
    for (size_t i = 0; i < dim; i++) {
        const double aim = i % 3 == 0 ? 0.32 : 0.06;
        sum += (1.0 + 0.1 * (double)i) * (x[i] - aim) * (x[i] - aim);
        mix += sin((double)(3 * i)) * x[i];
    }
    return sum + 0.5 * mix * mix;
}

typedef struct task {
    const lattice *l;
    double scale;
} task;

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    const task *t = context;
    for (size_t k = 0; k < batch->n; k++) {
        double x[MOST_COORDINATES];
        check_point(t->l, batch->dim, batch->x + k * batch->dim);
        for (size_t i = 0; i < batch->dim; i++) {
            x[i] = batch->x[k * batch->dim + i] * t->scale;
        }
        value[k] = value_of(batch->dim, x);
    }
    return ZILCH_OK;
}

/* By all points: those with `left` steps still to give to coordinates from `at` on. */
static double least_of_all(size_t dim, size_t at, int left, int least, int most, size_t active, double *x)
{
    if (at == dim) {
        return left == 0 ? value_of(dim, x) : INFINITY;
    }
    double best = INFINITY;
    for (int k = 0; k <= most && k <= left; k = k ? k + 1 : least) {
        x[at] = k / 20.0;
        if (k == 0 || active > 0) {
            best = fmin(best, least_of_all(dim, at + 1, left - k, least, most, active - (k > 0), x));
        }
    }
    x[at] = 0.0;
    return best;
}

/* A recipe of 9 ingredients in steps of 5 %: none, or 10 to 60 % of at most 4, 100 % in all. There are some
 * 30,000; 300 evaluations find the best one, from each of several seeds. */
static void the_best_recipe_is_found(void **state)
{
    (void)state;
    enum { DIM = 9 };
    lattice l;
    double x[DIM] = {0};
    make_lattice(&l, DIM, 0.05, 0.1, 0.6, 1.0);
    l.o.max_active = 4;
    const double least = least_of_all(DIM, 0, 20, 2, 12, 4, x);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        task t = {&l, 1.0};
        zilch_limits limits = zilch_limits_defaults();
        zilch_recommendation out;
        limits.evaluations = 300;
        zilch_optimizer *o = create_with(DIM, seed, &l.o);
        assert_int_equal(zilch_optimizer_run(o, objective, &t, &limits, NULL, NULL, NULL), ZILCH_OK);
        assert_int_equal(zilch_optimizer_recommend(o, objective, &t, NULL, x, &out), ZILCH_OK);
        check_point(&l, DIM, x);
        if (!(value_of(DIM, x) <= least + 1e-12)) {
            fail_msg("seed %llu: %g, not %g", (unsigned long long)seed, value_of(DIM, x), least);
        }
        zilch_optimizer_destroy(o);
    }
}

/* Numbers of machines at 3 to 11 each, for at most 60, and one more of some than of others; one number is not
 * whole. */
static void make_machines(lattice *l, size_t dim)
{
    make_lattice(l, dim, 1.0, 0.0, 6.0, 0.0);
    for (size_t i = 0; i < dim; i++) {
        l->weight[0][i] = 3.0 + (double)(i * 5 % 9);
        l->weight[1][i] = i % 2 ? 1.0 : -1.0;
    }
    l->step[dim - 1] = 0.0;
    l->limit[0].lower = -INFINITY;
    l->limit[0].upper = 60.0;
    l->limit[1] = (zilch_linear_limit){.count = dim, .weight = l->weight[1], .lower = 1.0, .upper = 1.0};
    l->o.linear_limit_count = 2;
    l->o.min_active = 2;
}

static void machines_keep_their_budget(void **state)
{
    (void)state;
    enum { DIM = 12 };
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        lattice l;
        make_machines(&l, DIM);
        const zilch_optimizer_options given = l.o;
        l.o = zilch_method_defaults(four_methods[m]);
        l.o.step = given.step;
        l.o.lower = given.lower;
        l.o.upper = given.upper;
        l.o.linear_limits = given.linear_limits;
        l.o.linear_limit_count = given.linear_limit_count;
        l.o.min_active = given.min_active;
        l.o.penalty = 1e-3;
        zilch_optimizer *o = create_with(DIM, 4, &l.o);
        task t = {&l, 0.1};
        double x[DIM];
        zilch_limits limits = zilch_limits_defaults();
        zilch_recommendation out;
        limits.evaluations = 600;
        assert_int_equal(zilch_optimizer_run(o, objective, &t, &limits, NULL, NULL, NULL), ZILCH_OK);
        assert_int_equal(zilch_optimizer_recommend(o, objective, &t, NULL, x, &out), ZILCH_OK);
        check_point(&l, DIM, x);
        x[0] += 0.5; /* what is told is checked, too */
        assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_EARG);
        zilch_optimizer_destroy(o);
    }
}

/* From bytes, at each of some moments, on to the same bytes. */
static void resumed_searches_are_the_same(void **state)
{
    (void)state;
    enum { DIM = 12, ASKED = 20 };
    lattice l;
    make_machines(&l, DIM);
    l.o.population = ASKED;
    for (int refinement = 0; refinement < 2; refinement++) {
        l.o.refinement = refinement;
        zilch_optimizer *o = create_with(DIM, 11, &l.o);
        for (int g = 0; g < 15; g++) {
            zilch_optimizer *copy = copy_of(o);
            for (int which = 0; which < 2; which++) {
                zilch_optimizer *one = which ? copy : o;
                uint64_t id[ASKED];
                double x[ASKED * DIM], value[ASKED];
                assert_int_equal(zilch_optimizer_ask(one, ASKED, id, x), ZILCH_OK);
                for (size_t k = 0; k < ASKED; k++) {
                    check_point(&l, DIM, x + k * DIM);
                    value[k] = value_of(DIM, x + k * DIM);
                }
                assert_int_equal(zilch_optimizer_tell(one, ASKED, id, value), ZILCH_OK);
            }
            assert_true(is_same_state(o, copy));
            zilch_optimizer_destroy(copy);
        }
        zilch_optimizer_destroy(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sum_is_rounded_to_the_nearest), cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(defaults_may_be_between_steps),     cmocka_unit_test(one_point_is_enough),
        cmocka_unit_test(the_best_recipe_is_found),          cmocka_unit_test(machines_keep_their_budget),
        cmocka_unit_test(resumed_searches_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
