/* Linear limits: the simplex method by its own optimality conditions, sets that can and cannot be kept, and
 * that every point keeps them, whoever makes it. limits_highs.py compares with another solver. */
#include "math/simplex.h"
#include "search_support.h"

/* ---- The simplex method ------------------------------------------------------------------------------- */

enum { ROWS = 5, COLUMNS = 12, ENTRIES = ROWS * COLUMNS };

typedef struct program {
    size_t first[COLUMNS + 1], row[ENTRIES];
    double weight[ENTRIES], cost[COLUMNS];
    zi_simplex simplex;
} program;

static void random_program(zilch_rng *rng, program *p)
{
    size_t at = 0;
    for (size_t j = 0; j < COLUMNS; j++) {
        p->first[j] = at;
        for (size_t r = 0; r < ROWS; r++) {
            if (zilch_rng_uniform(rng) < 0.6) {
                p->row[at] = r;
                p->weight[at++] = zilch_rng_uniform(rng) < 0.5 ? 1.0 : zilch_rng_normal(rng);
            }
        }
        p->cost[j] = zilch_rng_normal(rng);
    }
    p->first[COLUMNS] = at;
    assert_int_equal(zi_simplex_create(&p->simplex, (zi_columns){ROWS, COLUMNS, p->first, p->row, p->weight}),
                     ZILCH_OK);
    for (size_t j = 0; j < COLUMNS + ROWS; j++) {
        const double a = zilch_rng_normal(rng);
        const double kind = zilch_rng_uniform(rng);
        p->simplex.lower[j] = kind < 0.2 ? -INFINITY : a;
        p->simplex.upper[j] = kind > 0.8 ? INFINITY : kind < 0.4 ? a : a + 2.0;
    }
}

static double reduced_cost_of(const program *p, size_t j)
{
    if (j >= COLUMNS) {
        return p->simplex.dual[j - COLUMNS];
    }
    double d = p->cost[j];
    for (size_t k = p->first[j]; k < p->first[j + 1]; k++) {
        d -= p->simplex.dual[p->row[k]] * p->weight[k];
    }
    return d;
}

/* Bounds are kept; a value that is not at a bound has no reduced cost, and one that is, none that would have
 * it leave. */
static void check_optimum(const program *p)
{
    const zi_simplex *s = &p->simplex;
    for (size_t j = 0; j < COLUMNS + ROWS; j++) {
        const double d = reduced_cost_of(p, j);
        assert_true(s->x[j] >= s->lower[j] - 1e-8 && s->x[j] <= s->upper[j] + 1e-8);
        assert_true(d > -1e-8 || s->x[j] > s->upper[j] - 1e-8);
        assert_true(d < 1e-8 || s->x[j] < s->lower[j] + 1e-8);
    }
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0.0;
        for (size_t j = 0; j < COLUMNS; j++) {
            for (size_t k = p->first[j]; k < p->first[j + 1]; k++) {
                sum += p->row[k] == r ? p->weight[k] * s->x[j] : 0.0;
            }
        }
        assert_double_equal(sum, s->x[COLUMNS + r], 1e-9);
    }
}

/* The rows' combination by the duals cannot be reached: that is a proof. */
static void check_infeasible(const program *p)
{
    const zi_simplex *s = &p->simplex;
    double most = 0.0;
    for (size_t j = 0; j < COLUMNS + ROWS; j++) {
        double a = j >= COLUMNS ? -s->dual[j - COLUMNS] : 0.0;
        for (size_t k = j < COLUMNS ? p->first[j] : 0; j < COLUMNS && k < p->first[j + 1]; k++) {
            a += s->dual[p->row[k]] * p->weight[k];
        }
        most += fabs(a) < 1e-9 ? 0.0 : a * (a > 0.0 ? s->upper[j] : s->lower[j]);
    }
    assert_true(most < 0.0);
}

static void programs_are_solved(void **state)
{
    (void)state;
    size_t count[4] = {0};
    for (uint64_t seed = 0; seed < 3000 / SLOWNESS; seed++) {
        static program p;
        zilch_rng rng = zilch_rng_make(seed, 1);
        random_program(&rng, &p);
        for (int again = 0; again < 3; again++) { /* later ones begin where the last has ended */
            const zi_simplex_end end = zi_simplex_solve(&p.simplex, p.cost);
            assert_int_not_equal(end, ZI_SIMPLEX_STUCK);
            count[end]++;
            if (end == ZI_SIMPLEX_OPTIMAL) {
                check_optimum(&p);
            } else if (end == ZI_SIMPLEX_INFEASIBLE) {
                check_infeasible(&p);
            }
            p.cost[seed % COLUMNS] = zilch_rng_normal(&rng);
            if (isfinite(p.simplex.lower[seed % COLUMNS])) {
                p.simplex.upper[seed % COLUMNS] = p.simplex.lower[seed % COLUMNS] + 1.0;
            }
        }
        zi_simplex_free(&p.simplex);
    }
    assert_true(count[0] > 500 / SLOWNESS && count[1] > 500 / SLOWNESS && count[2] > 500 / SLOWNESS);
}

/* ---- Portfolios: at most 5 of all, each from 5 to 60 %, 100 % in all ---------------------------------- */

enum { MOST_DIM = 1000 };

typedef struct portfolio {
    double lower[MOST_DIM], upper[MOST_DIM];
    zilch_linear_limit limit;
    zilch_optimizer_options options;
} portfolio;

static void make_portfolio(size_t dim, size_t population, portfolio *p)
{
    for (size_t i = 0; i < dim; i++) {
        p->lower[i] = 0.05;
        p->upper[i] = 0.6;
    }
    p->limit = (zilch_linear_limit){.count = dim, .lower = 1.0, .upper = 1.0};
    p->options = zilch_optimizer_defaults();
    p->options.lower = p->lower;
    p->options.upper = p->upper;
    p->options.max_active = 5;
    p->options.linear_limits = &p->limit;
    p->options.linear_limit_count = 1;
    p->options.population = population;
    p->options.elites = population / 5;
}

static void check_portfolio(size_t dim, const double *x)
{
    long double sum = 0.0;
    size_t active = 0;
    for (size_t i = 0; i < dim; i++) {
        assert_true(x[i] == 0.0 || (x[i] >= 0.05 && x[i] <= 0.6));
        active += x[i] != 0.0;
        sum += x[i];
    }
    assert_true(active >= 2 && active <= 5);
    assert_true(fabsl(sum - 1.0L) <= 2e-12L);
}

/* Far from what is wanted in some, near in others. */
static double risk_of(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += (1.0 + (double)(i % 7)) * x[i] * x[i] - 0.3 * x[i] * sin((double)i);
    }
    return sum;
}

static void follow_portfolio(size_t dim, size_t population, size_t generations, int refinement)
{
    static portfolio p;
    make_portfolio(dim, population, &p);
    p.options.refinement = refinement;
    zilch_optimizer *o = create_with(dim, 5, &p.options);
    uint64_t *id = malloc(population * sizeof *id);
    double *x = malloc(population * dim * sizeof *x);
    double *value = malloc(population * sizeof *value);
    for (size_t g = 0; g < generations; g++) {
        assert_int_equal(zilch_optimizer_ask(o, population, id, x), ZILCH_OK);
        for (size_t k = 0; k < population; k++) {
            check_portfolio(dim, x + k * dim);
            value[k] = risk_of(dim, x + k * dim);
        }
        assert_int_equal(zilch_optimizer_tell(o, population, id, value), ZILCH_OK);
    }
    zilch_optimizer_destroy(o);
    free(id);
    free(x);
    free(value);
}

static void portfolios_of_50(void **state)
{
    (void)state;
    follow_portfolio(50, 10000, 2, 0);
    follow_portfolio(50, 1000, 14, 0);
    follow_portfolio(50, 100, 30, 1);
}

static void portfolios_of_1000(void **state)
{
    (void)state;
    follow_portfolio(1000, 1000, 4, 0);
}

/* Values do not heap up on bounds, and every coordinate is active now and then; with several rows, too. */
static void check_spread(size_t rows)
{
    enum { DIM = 50, POINTS = 2000, MOST_ROWS = 5 };
    static portfolio p;
    static double weight[MOST_ROWS][DIM];
    zilch_linear_limit limit[MOST_ROWS];
    zilch_rng rng = zilch_rng_make(3, 3);
    static double x[POINTS * DIM];
    static uint64_t id[POINTS];
    size_t used[DIM] = {0};
    size_t on_bounds = 0;
    make_portfolio(DIM, POINTS, &p);
    limit[0] = p.limit;
    for (size_t r = 1; r < rows; r++) {
        for (size_t i = 0; i < DIM; i++) {
            weight[r][i] = zilch_rng_uniform(&rng);
        }
        limit[r] = (zilch_linear_limit){.count = DIM, .weight = weight[r], .lower = -INFINITY, .upper = 0.5};
    }
    p.options.linear_limits = limit;
    p.options.linear_limit_count = rows;
    p.options.refinement = 0;
    zilch_optimizer *o = create_with(DIM, 1, &p.options);
    assert_int_equal(zilch_optimizer_ask(o, POINTS, id, x), ZILCH_OK);
    for (size_t k = 0; k < POINTS * DIM; k++) {
        used[k % DIM] += x[k] != 0.0;
        on_bounds += x[k] == 0.05 || x[k] == 0.6;
    }
    for (size_t i = 0; i < DIM; i++) { /* 200 each on average */
        assert_in_range(used[i], rows > 1 ? 50 : 120, rows > 1 ? 500 : 300);
    }
    assert_true(on_bounds < POINTS / 20);
    zilch_optimizer_destroy(o);
}

static void first_points_are_spread(void **state)
{
    (void)state;
    check_spread(1);
    check_spread(5);
}

/* ---- Sets ------------------------------------------------------------------------------------------------
 */

/* Refused, and the message has these words. */
static void expect_refused(const zilch_optimizer_options *options, size_t dim, const char *words)
{
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, dim, 1, options), ZILCH_EARG);
    assert_null(o);
    if (!strstr(zilch_last_error(), words)) {
        fail_msg("\"%s\" does not say \"%s\"", zilch_last_error(), words);
    }
}

static void contradictions_are_named(void **state)
{
    (void)state;
    static const size_t some[] = {0, 1};
    static const double lower[] = {0, 0, 0, 0};
    static const double upper[] = {1, 1, 1, 1};
    static const zilch_forced forced[] = {ZILCH_FORCED_ON, ZILCH_FORCED_NOT, ZILCH_FORCED_NOT,
                                          ZILCH_FORCED_NOT};
    zilch_linear_limit limit[3] = {{.count = 4, .lower = 1, .upper = 3},
                                   {.count = 2, .coordinate = some, .lower = 5, .upper = 6},
                                   {.count = 2, .coordinate = some, .lower = -INFINITY, .upper = 4}};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.linear_limits = limit;
    options.linear_limit_count = 3;
    expect_refused(&options, 4, "no point keeps limits 2 and 3;");
    limit[0] = limit[1]; /* said twice, it is named once */
    expect_refused(&options, 4, "no point keeps limits 2 and 3;");
    limit[0] = (zilch_linear_limit){.count = 4, .lower = 1, .upper = 3};
    options.linear_limit_count = 2;
    options.lower = lower;
    options.upper = upper;
    expect_refused(&options, 4, "no point keeps limit 2 together with the bounds;");
    limit[1] = (zilch_linear_limit){.count = 4, .lower = 2.5, .upper = 3};
    options.max_active = 2;
    expect_refused(&options, 4, "no point keeps limit 2 together with the bounds, max_active;");
    options.max_active = 0;
    options.forced = forced;
    limit[1] = (zilch_linear_limit){.count = 2, .coordinate = some, .lower = 0, .upper = 0};
    expect_refused(&options, 4, "no point keeps limit 2 together with the bounds, what is forced;");
    options.forced = NULL;
    limit[1].upper = -1.0;
    expect_refused(&options, 4, "limit 2: its ends");
    limit[1].upper = NAN;
    expect_refused(&options, 4, "limit 2: its ends");
    limit[1] = (zilch_linear_limit){.count = 5, .lower = 0, .upper = 1};
    expect_refused(&options, 4, "limit 2 has 5 terms");
    limit[1] = (zilch_linear_limit){.count = 2, .coordinate = (const size_t[]){1, 1}, .lower = 0, .upper = 1};
    expect_refused(&options, 4, "limit 2 has it twice");
    limit[1] = (zilch_linear_limit){.count = 2, .coordinate = (const size_t[]){1, 4}, .lower = 0, .upper = 1};
    expect_refused(&options, 4, "limit 2: it names a coordinate beyond");
    limit[1] = (zilch_linear_limit){.count = 1, .weight = (const double[]){INFINITY}, .lower = 0, .upper = 1};
    expect_refused(&options, 4, "limit 2: the weight is not finite");
    options.linear_limits = NULL;
    expect_refused(&options, 4, "limits is NULL");
}

/* Values that went there would leave the rows no digits. */
static void far_bounds_hide_no_point(void **state)
{
    (void)state;
    static const double lower[] = {0.0, -5e40, -4e40, 0.0};
    static const double upper[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    static const zilch_forced forced[] = {ZILCH_FORCED_ON, ZILCH_FORCED_NOT, ZILCH_FORCED_NOT,
                                          ZILCH_FORCED_ON};
    const zilch_linear_limit sum = {.count = 4, .lower = 47.0, .upper = 47.0};
    const zilch_linear_limit twice[] = {sum, sum};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.lower = lower;
    options.upper = upper;
    options.forced = forced;
    options.linear_limits = twice;
    options.linear_limit_count = 2;
    zilch_optimizer *o = create_with(4, 1, &options);
    zilch_optimizer_destroy(o);
}

/* x1 + x2 = 2, x1 - x2 = 1 is one point. */
static void one_point_is_enough(void **state)
{
    (void)state;
    static const double difference[] = {1, -1};
    const zilch_linear_limit limit[2] = {{.count = 2, .lower = 2, .upper = 2},
                                         {.count = 2, .weight = difference, .lower = 1, .upper = 1}};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    double x[2];
    zilch_stop stop;
    options.linear_limits = limit;
    options.linear_limit_count = 2;
    zilch_optimizer *o = create_with(2, 3, &options);
    assert_int_equal(o->points_in_all, 1);
    assert_int_equal(zilch_optimizer_run(o, noisy_objective, NULL, NULL, NULL, NULL, &stop), ZILCH_OK);
    assert_int_equal(zilch_optimizer_best(o, x, NULL), ZILCH_OK);
    assert_double_equal(x[0], 1.5, 1e-12);
    assert_double_equal(x[1], 0.5, 1e-12);
    zilch_optimizer_destroy(o);
}

static void told_points_are_checked(void **state)
{
    (void)state;
    static portfolio p;
    double x[50] = {0};
    make_portfolio(50, 20, &p);
    zilch_optimizer *o = create_with(50, 1, &p.options);
    x[3] = 0.6;
    x[4] = 0.4;
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_OK);
    x[4] = 0.4 + 1e-10;
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "limit 1 is broken"));
    zilch_optimizer_destroy(o);
}

/* ---- Searches -------------------------------------------------------------------------------------------
 */

static zilch_status risk_objective(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        check_portfolio(batch->dim, batch->x + i * batch->dim);
        value[i] = risk_of(batch->dim, batch->x + i * batch->dim);
    }
    return ZILCH_OK;
}

/* Points of the search, of the refinement and of the final check. */
static void recommended_points_keep_them(void **state)
{
    (void)state;
    static portfolio p;
    double x[50];
    zilch_recommendation out;
    make_portfolio(50, 0, &p);
    p.options.penalty = 1e-3;
    zilch_optimizer *o = create_with(50, 7, &p.options);
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = 3000;
    assert_int_equal(zilch_optimizer_run(o, risk_objective, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_recommend(o, risk_objective, NULL, NULL, x, &out), ZILCH_OK);
    check_portfolio(50, x);
    zilch_optimizer_destroy(o);
}

enum { SUM_DIM = 20 };
static zilch_status aim_objective(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t k = 0; k < batch->n; k++) {
        const double *x = batch->x + k * batch->dim;
        value[k] = 0.0;
        for (size_t i = 0; i < batch->dim; i++) {
            const double aim = i < 4 ? 0.5 + 0.1 * (double)i : 0.0;
            value[k] += (1.0 + (double)i) * (x[i] - aim) * (x[i] - aim);
        }
    }
    return ZILCH_OK;
}

/* The least of a quadratic on x1 + ... + xd = 1, x >= 0: by its multiplier, x = max(0, aim - t / (2 w)). */
static double least_on_simplex(double *x)
{
    double low = 0.0, high = 10.0, value = 0.0;
    for (int step = 0; step < 200; step++) {
        const double t = 0.5 * (low + high);
        double sum = 0.0;
        for (size_t i = 0; i < SUM_DIM; i++) {
            x[i] = fmax(0.0, (i < 4 ? 0.5 + 0.1 * (double)i : 0.0) - t / (2.0 + 2.0 * (double)i));
            sum += x[i];
        }
        *(sum > 1.0 ? &low : &high) = t;
    }
    const zilch_batch batch = {.n = 1, .dim = SUM_DIM, .x = x};
    (void)aim_objective(NULL, &batch, &value);
    return value;
}

static void minimum_on_the_simplex_is_found(void **state)
{
    (void)state;
    double lower[SUM_DIM] = {0}, upper[SUM_DIM], best[SUM_DIM];
    const zilch_linear_limit limit = {.count = SUM_DIM, .lower = 1.0, .upper = 1.0};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_limits limits = zilch_limits_defaults();
    zilch_record record;
    for (size_t i = 0; i < SUM_DIM; i++) {
        upper[i] = 1.0;
    }
    options.lower = lower;
    options.upper = upper;
    options.linear_limits = &limit;
    options.linear_limit_count = 1;
    limits.evaluations = 500; /* by the refinement: if others do not move along, 1e-6 is not reached */
    zilch_optimizer *o = create_with(SUM_DIM, 2, &options);
    assert_int_equal(zilch_optimizer_run(o, aim_objective, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_best(o, NULL, &record), ZILCH_OK);
    const double least = least_on_simplex(best);
    assert_true(record.value <= least * (1.0 + 1e-8) && record.value >= least * (1.0 - 1e-9));
    zilch_optimizer_destroy(o);
}

/* From bytes, at each of some moments, on to the same bytes. */
static void resumed_searches_are_the_same(void **state)
{
    (void)state;
    static portfolio p;
    static double x[30 * 50];
    double value[30];
    uint64_t id[30];
    make_portfolio(50, 30, &p);
    for (int refinement = 0; refinement < 2; refinement++) {
        p.options.refinement = refinement;
        zilch_optimizer *o = create_with(50, 11, &p.options);
        for (int g = 0; g < 25; g++) {
            zilch_optimizer *copy = copy_of(o);
            assert_true(is_same_state(o, copy));
            for (int which = 0; which < 2; which++) {
                zilch_optimizer *one = which ? copy : o;
                assert_int_equal(zilch_optimizer_ask(one, 30, id, x), ZILCH_OK);
                for (size_t k = 0; k < 30; k++) {
                    value[k] = risk_of(50, x + k * 50);
                }
                assert_int_equal(zilch_optimizer_tell(one, 30, id, value), ZILCH_OK);
            }
            assert_true(is_same_state(o, copy));
            zilch_optimizer_destroy(copy);
        }
        zilch_optimizer_destroy(o);
    }
}

/* Bytes that were damaged are refused or read, but nothing else. */
static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    static const size_t some[] = {0, 2};
    static const double weight[] = {1.0, -2.0};
    const zilch_linear_limit limit[2] = {
        {.count = 3, .lower = 1, .upper = 2},
        {.count = 2, .coordinate = some, .weight = weight, .lower = -1, .upper = INFINITY}};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.linear_limits = limit;
    options.linear_limit_count = 2;
    zilch_optimizer *o = create_with(3, 1, &options);
    packed whole = pack_of(o);
    for (size_t i = 0; i < whole.length; i++) {
        zilch_optimizer *copy;
        const unsigned char kept = whole.data[i];
        whole.data[i] ^= 0x41;
        assert_int_not_equal(zilch_optimizer_unpack(&copy, whole.data, whole.length), ZILCH_OK);
        assert_int_not_equal(zilch_optimizer_unpack(&copy, whole.data, i), ZILCH_OK);
        whole.data[i] = kept;
    }
    free(whole.data);
    zilch_optimizer_destroy(o);
}

/* The other methods keep them too. */
static void all_methods_keep_them(void **state)
{
    (void)state;
    static portfolio p;
    static double x[40 * 50];
    double value[40];
    uint64_t id[40];
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        make_portfolio(50, 40, &p);
        p.options = zilch_method_defaults(four_methods[m]);
        p.options.lower = p.lower;
        p.options.upper = p.upper;
        p.options.max_active = 5;
        p.options.linear_limits = &p.limit;
        p.options.linear_limit_count = 1;
        p.options.population = 40;
        p.options.elites = 8;
        zilch_optimizer *o = create_with(50, 3, &p.options);
        for (int g = 0; g < 10; g++) {
            assert_int_equal(zilch_optimizer_ask(o, 40, id, x), ZILCH_OK);
            for (size_t k = 0; k < 40; k++) {
                check_portfolio(50, x + k * 50);
                value[k] = risk_of(50, x + k * 50);
            }
            assert_int_equal(zilch_optimizer_tell(o, 40, id, value), ZILCH_OK);
        }
        zilch_optimizer_destroy(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_solved),
        cmocka_unit_test(portfolios_of_50),
        cmocka_unit_test(portfolios_of_1000),
        cmocka_unit_test(first_points_are_spread),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(far_bounds_hide_no_point),
        cmocka_unit_test(one_point_is_enough),
        cmocka_unit_test(told_points_are_checked),
        cmocka_unit_test(recommended_points_keep_them),
        cmocka_unit_test(minimum_on_the_simplex_is_found),
        cmocka_unit_test(resumed_searches_are_the_same),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(all_methods_keep_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
