/* A repair function of the user's: every point that is evaluated or recommended keeps its rule, no point is
 * evaluated twice, a run that was packed or whose function failed goes on to the same bits, and a function
 * that breaks a limit is refused in words. */
#include "search_support.h"

enum { DIM = 4, GRID = 4 };

/* The rule: multiples of a quarter, the first coordinate not below the second, where both are active. */
typedef struct rule {
    uint64_t calls, fails_at; /* 0: never */
    zilch_status status;
    int has_text;
} rule;

static int keeps_rule(size_t dim, const double *x)
{
    for (size_t i = 0; i < dim; i++) {
        if (x[i] * GRID != round(x[i] * GRID) || (x[i] == 0.0 && signbit(x[i]))) {
            return 0;
        }
    }
    return x[0] == 0.0 || x[1] == 0.0 || x[0] >= x[1];
}

static zilch_status repair(void *context, size_t dim, double *x)
{
    rule *r = context;
    r->calls++;
    for (size_t i = 0; i < dim; i++) {
        assert_true(isfinite(x[i]));
        x[i] = r->calls == r->fails_at ? NAN : round(x[i] * GRID) / GRID;
    }
    if (r->calls == r->fails_at) {
        return r->has_text ? zilch_fail(r->status, "the rule is out of order") : r->status;
    }
    if (x[0] != 0.0 && x[1] != 0.0 && x[0] < x[1]) {
        const double other = x[0];
        x[0] = x[1];
        x[1] = other;
    }
    return ZILCH_OK;
}

static zilch_status distance(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * batch->dim;
        assert_true(keeps_rule(batch->dim, x));
        value[i] = distance_of(batch->dim, x) + 0.3 * x[1] * x[2] - 0.4 * x[3];
    }
    return ZILCH_OK;
}

static zilch_status noisy_distance(void *context, const zilch_batch *batch, double *value)
{
    const zilch_status status = distance(context, batch, value);
    for (size_t i = 0; i < batch->n; i++) {
        value[i] += 0.1 * noise_of(batch->id[i]);
    }
    return status;
}

static zilch_optimizer *create_ruled(const zilch_optimizer_options *options, rule *r)
{
    zilch_optimizer *o = create_with(DIM, 3, options);
    assert_int_equal(zilch_optimizer_set_repair(o, repair, r), ZILCH_OK);
    return o;
}

static zilch_optimizer_options bounded(void)
{
    static const double lower[DIM] = {-2, -2, -2, -2}, upper[DIM] = {2, 2, 2, 2};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.penalty = 0.01;
    options.lower = lower;
    options.upper = upper;
    return options;
}

static void run_to(zilch_optimizer *o, zilch_objective objective, uint64_t evaluations)
{
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = evaluations;
    if (zilch_optimizer_run(o, objective, NULL, &limits, NULL, NULL, NULL) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(zi_optimizer_is_valid(o));
}

static void check_recommended(const zilch_optimizer *o, zilch_objective objective)
{
    double x[DIM];
    zilch_recommendation r;
    if (zilch_optimizer_recommend(o, objective, NULL, NULL, x, &r) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(keeps_rule(DIM, x));
    for (uint64_t point = 0; point < zilch_optimizer_progress(o).points; point++) {
        assert_int_equal(zilch_optimizer_point(o, point, x, NULL), ZILCH_OK);
        assert_true(keeps_rule(DIM, x));
    }
}

/* By every method, with and without noise, with and without limits: `distance` looks at each point. */
static void test_points_keep_the_rule(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        for (int kind = 0; kind < 4; kind++) {
            rule r = {0};
            zilch_optimizer_options options = kind % 2 ? bounded() : zilch_optimizer_defaults();
            options.penalty = 0.01;
            options.method = four_methods[m];
            options.population = m ? 30 : 0;
            zilch_optimizer *o = create_ruled(&options, &r);
            run_to(o, kind < 2 ? distance : noisy_distance, 600);
            check_recommended(o, kind < 2 ? distance : noisy_distance);
            assert_true(r.calls > 0);
            zilch_optimizer_destroy(o);
        }
    }
}

/* Without noise, but for the points that are evaluated again to see whether there is any. */
static void test_no_point_twice(void **state)
{
    (void)state;
    rule r = {0};
    const zilch_optimizer_options options = bounded();
    zilch_optimizer *o = create_ruled(&options, &r);
    run_to(o, distance, 1000);
    const zilch_progress p = zilch_optimizer_progress(o);
    assert_true(p.points + 20 >= p.evaluations);
    assert_true(p.best_value <= distance_of(DIM, (const double[]){1, 0, 0, 0}));
    zilch_optimizer_destroy(o);
}

/* One point is all that there is: it is handed out again and again, and the search ends by itself. */
static zilch_status to_one_point(void *context, size_t dim, double *x)
{
    (void)context;
    for (size_t i = 0; i < dim; i++) {
        x[i] = i == 0 ? 1.0 : -0.0;
    }
    return ZILCH_OK;
}

static void test_one_point(void **state)
{
    (void)state;
    static const double step[DIM] = {1, 1, 1, 1};
    for (int is_stepped = 0; is_stepped < 2; is_stepped++) {
        zilch_optimizer_options options = bounded();
        options.step = is_stepped ? step : NULL;
        zilch_optimizer *o = create_with(DIM, 1, &options);
        zilch_stop stop;
        assert_int_equal(zilch_optimizer_set_repair(o, to_one_point, NULL), ZILCH_OK);
        assert_int_equal(zilch_optimizer_run(o, distance, NULL, NULL, NULL, NULL, &stop), ZILCH_OK);
        assert_int_equal(stop, ZILCH_STOP_CONVERGED);
        assert_int_equal(zilch_optimizer_progress(o).points, 1);
        zilch_optimizer_destroy(o);
    }
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static void test_goes_on_after_a_load(void **state)
{
    (void)state;
    for (int is_noisy = 0; is_noisy < 2; is_noisy++) {
        uint64_t id[2];
        double x[2 * DIM];
        size_t n;
        rule r = {0};
        const zilch_objective objective = is_noisy ? noisy_distance : distance;
        zilch_optimizer_options options = bounded();
        options.expected_evaluations = 500;
        zilch_optimizer *o = create_ruled(&options, &r);
        run_to(o, objective, 200);
        zilch_optimizer *loaded = copy_of(o);
        assert_true(is_same_state(o, loaded));
        assert_int_equal(zilch_optimizer_ask(loaded, 2, id, x), ZILCH_ESTATE);
        assert_non_null(strstr(zilch_last_error(), "set it again"));
        assert_int_equal(zilch_optimizer_wanted(loaded, &n), ZILCH_ESTATE);
        assert_int_equal(zilch_optimizer_run(loaded, objective, NULL, NULL, NULL, NULL, NULL), ZILCH_ESTATE);
        assert_int_equal(zilch_optimizer_set_repair(loaded, NULL, NULL), ZILCH_ESTATE);
        assert_true(is_same_state(o, loaded));
        assert_int_equal(zilch_optimizer_set_repair(loaded, repair, &r), ZILCH_OK);
        run_to(o, objective, 500);
        run_to(loaded, objective, 500);
        assert_true(is_same_state(o, loaded));
        zilch_optimizer_destroy(loaded);
        zilch_optimizer_destroy(o);
    }
}

static void test_when_it_may_be_set(void **state)
{
    (void)state;
    uint64_t id;
    double x[DIM];
    rule r = {0};
    zilch_optimizer *o = create_with(DIM, 1, NULL);
    assert_int_equal(zilch_optimizer_set_repair(NULL, repair, &r), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_set_repair(o, repair, &r), ZILCH_OK);
    assert_int_equal(zilch_optimizer_set_repair(o, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
    assert_int_equal(r.calls, 0);
    assert_int_equal(zilch_optimizer_set_repair(o, repair, &r), ZILCH_ESTATE);
    zilch_optimizer_destroy(o);
}

/* Told points break the rule and are taken; what is evaluated again is as it was. */
static zilch_status halve(void *context, size_t dim, double *x)
{
    (void)context;
    for (size_t i = 0; i < dim; i++) {
        x[i] *= 0.5;
    }
    return ZILCH_OK;
}

static void test_known_points_stay(void **state)
{
    (void)state;
    const double told[DIM] = {0.7, 0.1, 0, 0};
    double x[DIM];
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, 12, 4);
    zilch_optimizer *o = create_with(DIM, 1, &options);
    assert_int_equal(zilch_optimizer_set_repair(o, halve, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_tell_point(o, told, 1.0), ZILCH_OK);
    run_generations(o, 5);
    assert_int_equal(zilch_optimizer_point(o, 0, x, NULL), ZILCH_OK);
    assert_memory_equal(x, told, sizeof x);
    /* 12 new ones, then 8 and 4 elites in each of four generations; zero may have come twice */
    assert_true(zilch_optimizer_progress(o).points <= 1 + 12 + 4 * 8);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, 1 + 5 * 12);
    zilch_optimizer_destroy(o);
}

/* ---- What goes wrong ------------------------------------------------------------------------------------
 */

/* At any call, by any status: it is handed on, and the next try goes on to the same bits. */
static void test_failing_function(void **state)
{
    (void)state;
    static const zilch_status statuses[] = {ZILCH_ENUMERIC, ZILCH_EOBJECTIVE, ZILCH_ENOMEM, ZILCH_ESTATE};
    const zilch_optimizer_options options = bounded();
    rule right = {0};
    zilch_optimizer *o = create_ruled(&options, &right);
    run_to(o, distance, 300);
    for (uint64_t call = 1; call <= right.calls; call += call < 200 ? 1 : 37) {
        rule r = {.fails_at = call, .status = statuses[call % COUNT(statuses)], .has_text = call % 3 != 0};
        zilch_limits limits = zilch_limits_defaults();
        limits.evaluations = 300;
        zilch_optimizer *other = create_ruled(&options, &r);
        assert_int_equal(zilch_optimizer_run(other, distance, NULL, &limits, NULL, NULL, NULL), r.status);
        assert_non_null(
            strstr(zilch_last_error(), r.has_text ? "out of order" : "the repair function failed"));
        zilch_optimizer *copy = copy_of(other);
        assert_true(is_same_state(copy, other));
        assert_int_equal(zilch_optimizer_set_repair(copy, repair, &r), ZILCH_OK);
        zilch_optimizer_destroy(other);
        run_to(copy, distance, 300);
        assert_true(is_same_state(copy, o));
        zilch_optimizer_destroy(copy);
    }
    zilch_optimizer_destroy(o);
}

/* Gives what it is told to, whatever it gets. */
static zilch_status give(void *context, size_t dim, double *x)
{
    memcpy(x, context, dim * sizeof *x);
    return ZILCH_OK;
}

static void check_refused(const zilch_optimizer_options *options, double a, double b, double c, double d,
                          const char *text)
{
    double point[DIM] = {a, b, c, d};
    uint64_t id;
    double x[DIM];
    zilch_optimizer *o = create_with(DIM, 1, options);
    assert_int_equal(zilch_optimizer_set_repair(o, give, point), ZILCH_OK);
    assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_EARG);
    if (!strstr(zilch_last_error(), "the repair function broke a limit") ||
        !strstr(zilch_last_error(), text)) {
        fail_msg("%s", zilch_last_error());
    }
    memset(point, 0, sizeof point); /* which keeps them all */
    assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
    zilch_optimizer_destroy(o);
}

static void test_broken_limits(void **state)
{
    (void)state;
    static const size_t group[DIM] = {0, 0, 1, 1};
    static const zilch_forced forced[DIM] = {ZILCH_FORCED_OFF};
    static const double step[DIM] = {0, 0.5}, list[] = {1, 2};
    static const zilch_values values[DIM] = {[2] = {2, list}};
    static const zilch_linear_limit limit = {.count = DIM, .lower = -INFINITY, .upper = 1};
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        zilch_optimizer_options options = bounded();
        options.method = four_methods[m];
        options.population = m ? 12 : 0;
        check_refused(&options, 0, 0, 0, 2.5, "coordinate 3");
        check_refused(&options, 0, NAN, 0, 0, "coordinate 1");
        check_refused(&options, -INFINITY, 0, 0, 0, "coordinate 0");
        options.max_active = 2;
        check_refused(&options, 1, 1, 1, 0, "3 coordinates are active");
        options.linear_limits = &limit;
        options.linear_limit_count = 1;
        check_refused(&options, 1, 1, 0, 0, "limit 1 is broken");
        options = bounded();
        options.method = four_methods[m];
        options.population = m ? 12 : 0;
        options.group = group;
        options.forced = forced;
        options.step = step;
        check_refused(&options, 0, 0, 1, 0, "coordinates 2 and 3");
        check_refused(&options, 1, 0, 0, 0, "forced");
        check_refused(&options, 0, 0.25, 0, 0, "coordinate 1");
        options.values = values;
        check_refused(&options, 0, 0, 1.5, 1, "coordinate 2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_keep_the_rule),
        cmocka_unit_test(test_no_point_twice),
        cmocka_unit_test(test_one_point),
        cmocka_unit_test(test_goes_on_after_a_load),
        cmocka_unit_test(test_when_it_may_be_set),
        cmocka_unit_test(test_known_points_stay),
        cmocka_unit_test(test_failing_function),
        cmocka_unit_test(test_broken_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
