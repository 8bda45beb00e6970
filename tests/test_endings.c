/* Searches that come to the end of what numbers can say: too narrow, too wide, too large, too small. They
 * end in good order with the best that was found; whoever asks by hand can go on for ever. */
#include "search_support.h"

#include <float.h>

enum { DIM = 3, N = 14, K = 4 };

/* ---- Objectives that lead there ------------------------------------------------------------------------ */

static double sum_of(const double *x)
{
    return x[0] + x[1] + x[2];
}

static double squares_of(const double *x)
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static double sphere(const double *x)
{
    return squares_of(x);
}

static double constant(const double *x)
{
    (void)x;
    return 1.0;
}

static double linear(const double *x)
{
    return sum_of(x);
}

static double growing(const double *x)
{
    return exp(x[0]) + exp(x[1]) - x[2]; /* not finite from 710 on: failed */
}

static double cubic(const double *x)
{
    return x[0] * x[0] * x[0] + x[1] + x[2];
}

static double large(const double *x)
{
    return 1e300 * squares_of(x);
}

static double largest(const double *x)
{
    return x[0] + x[1] > 0.5 ? -DBL_MAX : 1e308;
}

static double tiny(const double *x)
{
    return 1e-320 * squares_of(x);
}

static double steps(const double *x)
{
    return floor(sum_of(x));
}

static double scaled(const double *x) /* the farther, the better, as fast as it goes */
{
    return -fabs(x[0]) * 1e200 - fabs(x[1]);
}

typedef double (*function)(const double *x);
static const function functions[] = {sphere, constant, linear, growing, cubic,
                                     large,  largest,  tiny,   steps,   scaled};

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    const function f = *(const function *)context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * batch->dim;
        assert_true(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
        value[i] = f(x);
    }
    return ZILCH_OK;
}

/* ---- Every way to search ---------------------------------------------------------------------------- */

static const zilch_forced all_on[DIM] = {ZILCH_FORCED_ON, ZILCH_FORCED_ON, ZILCH_FORCED_ON};

/* Number `which` of the ways; 0 if there are no more. */
static int choose_way(size_t which, zilch_optimizer_options *o)
{
    static const zilch_structure structures[] = {ZILCH_STRUCTURE_FULL, ZILCH_STRUCTURE_FULL,
                                                 ZILCH_STRUCTURE_DIAGONAL, ZILCH_STRUCTURE_LOW_RANK};
    static const double sizes[] = {1e-130, 2.0, 1e140};
    const size_t laws = 8; /* zig in five ways of shrinking, and the three others */
    const size_t law = which % laws;
    const size_t rest = which / laws;
    *o =
        rest / 4 % 2 ? small_options(ZILCH_METHOD_DEFAULT, N, K) : small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    o->method = law < 5 ? ZILCH_METHOD_DEFAULT : four_methods[law - 4];
    o->shrinkage = law < 5 ? (zilch_shrinkage)law : ZILCH_SHRINK_FISHER;
    o->structure = structures[(law + rest) % 4];
    o->aggregate = which % 5 == 3 ? ZILCH_AGGREGATE_MEAN : ZILCH_AGGREGATE_LATEST;
    o->direction = rest % 2 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE;
    o->forced = rest / 2 % 2 ? NULL : all_on;
    o->initial_sigma = sizes[(which + rest) % COUNT(sizes)]; /* near one end, so that it is soon reached */
    return rest < 8;
}

static void check_end(zilch_optimizer *o, function f, zilch_stop stop)
{
    zilch_recommendation recommended;
    zilch_record best;
    double x[DIM];
    const zilch_progress p = zilch_optimizer_progress(o);
    assert_true(zi_optimizer_is_valid(o));
    assert_int_equal(zilch_optimizer_best(o, x, &best), ZILCH_OK);
    assert_true(best.value == p.best_value && f(x) == best.value);
    assert_int_equal(p.evaluations, p.generations * N); /* all that were told */
    if (zilch_optimizer_recommend(o, objective, &f, NULL, x, &recommended) != ZILCH_OK) {
        fail_msg("recommend: %s", zilch_last_error());
    }
    zilch_optimizer *copy = copy_of(o);
    zilch_stop again = ZILCH_STOP_NONE;
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = stop == ZILCH_STOP_GENERATIONS ? p.generations : p.generations + 10;
    assert_int_equal(zilch_optimizer_run(copy, objective, &f, &limits, NULL, NULL, &again), ZILCH_OK);
    assert_int_equal(again, stop);
    assert_int_equal(zilch_optimizer_progress(copy).generations, p.generations);
    zilch_optimizer_destroy(copy);
}

static void searches_end_in_good_order(void **state)
{
    (void)state;
    zilch_optimizer_options options;
    size_t ended[ZILCH_STOP_EXHAUSTED + 1] = {0};
    size_t hopeless = 0;
    for (size_t k = 0; k < COUNT(functions); k++) {
        for (size_t way = 0; choose_way(way, &options); way++) {
            zilch_optimizer *o = create_with(DIM, way + 1, &options);
            zilch_limits limits = zilch_limits_defaults();
            zilch_stop stop = ZILCH_STOP_NONE;
            function f = functions[k];
            limits.generations = 250;
            const zilch_status status = zilch_optimizer_run(o, objective, &f, &limits, NULL, NULL, &stop);
            if (status == ZILCH_EOBJECTIVE && isnan(zilch_optimizer_progress(o).best_value)) {
                zilch_optimizer_destroy(o); /* no first point has a value that is finite */
                hopeless++;
                continue;
            }
            if (status != ZILCH_OK) {
                fail_msg("function %zu, way %zu: %s", k, way, zilch_last_error());
            }
            ended[stop]++;
            check_end(o, f, stop);
            zilch_optimizer_destroy(o);
        }
    }
    print_message("      generations %zu, converged %zu, diverged %zu, without a value %zu\n",
                  ended[ZILCH_STOP_GENERATIONS], ended[ZILCH_STOP_CONVERGED], ended[ZILCH_STOP_DIVERGED],
                  hopeless);
    assert_true(ended[ZILCH_STOP_CONVERGED] > 20 && ended[ZILCH_STOP_DIVERGED] > 50 && hopeless < 60);
}

/* ---- Those that ask and tell -------------------------------------------------------------------------- */

static zilch_optimizer *collapsed(function f, zilch_stop *stop)
{
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_limits limits = zilch_limits_defaults();
    options.forced = all_on;
    options.initial_sigma = f == sphere ? 1e-110 : 1e110;
    limits.generations = 600;
    zilch_optimizer *o = create_with(DIM, 3, &options);
    assert_int_equal(zilch_optimizer_run(o, objective, &f, &limits, NULL, NULL, stop), ZILCH_OK);
    return o;
}

static void ask_and_tell(zilch_optimizer *o, function f, size_t n)
{
    uint64_t id[5 * N];
    double x[5 * N * DIM], value[5 * N];
    if (zilch_optimizer_ask(o, n, id, x) != ZILCH_OK) {
        fail_msg("ask: %s", zilch_last_error());
    }
    for (size_t i = 0; i < n; i++) {
        value[i] = f(x + i * DIM);
    }
    if (zilch_optimizer_tell(o, n, id, value) != ZILCH_OK) {
        fail_msg("tell: %s", zilch_last_error());
    }
    assert_true(zi_optimizer_is_valid(o));
}

/* Asking begins anew: the best stays, the law starts over, and a copy does the same. */
static void asking_begins_anew(void **state)
{
    (void)state;
    static const function both[] = {sphere, linear};
    static const zilch_stop expected[] = {ZILCH_STOP_CONVERGED, ZILCH_STOP_DIVERGED};
    for (size_t k = 0; k < 2; k++) {
        zilch_stop stop;
        zilch_optimizer *o = collapsed(both[k], &stop);
        assert_int_equal(stop, expected[k]);
        const zilch_progress before = zilch_optimizer_progress(o);
        uint64_t id[1];
        double x[DIM];
        assert_int_equal(before.restarts, 0);
        assert_int_equal(zilch_optimizer_ask(o, 1, id, x), ZILCH_OK);
        assert_true(k ? fabs(x[0]) < 1e113 : fabs(x[0]) > 1e-113);
        assert_int_equal(zilch_optimizer_progress(o).restarts, 1);
        zilch_optimizer *copy = copy_of(o); /* in the midst of the generation */
        for (size_t g = 0; g < 20; g++) {
            ask_and_tell(o, both[k], g == 0 ? N - 1 : 2 * N);
            ask_and_tell(copy, both[k], g == 0 ? N - 1 : 2 * N);
            zilch_optimizer *same = copy_of(copy);
            zilch_optimizer_destroy(copy);
            copy = same;
        }
        assert_true(is_same_state(o, copy));
        const zilch_progress after = zilch_optimizer_progress(o);
        assert_int_equal(after.restarts, 1);
        assert_true(after.best_value == before.best_value); /* so soon nothing better is found */
        zilch_optimizer_destroy(copy);
        zilch_optimizer_destroy(o);
    }
}

/* For ever: a thousand generations by hand, through one collapse after the other. */
static void asking_never_fails(void **state)
{
    (void)state;
    static const function both[] = {sphere, linear};
    for (size_t k = 0; k < 2; k++) {
        zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
        options.forced = all_on;
        options.initial_sigma = k ? 1e130 : 1e-130;
        zilch_optimizer *o = create_with(DIM, 5, &options);
        for (size_t g = 0; g < 1000; g++) {
            ask_and_tell(o, both[k], g % 3 == 0 ? 5 * N : N);
        }
        assert_true(zilch_optimizer_progress(o).restarts >= 1);
        zilch_optimizer_destroy(o);
    }
}

/* A first law that is too wide is cut off at the largest number. */
static void a_first_law_may_be_too_wide(void **state)
{
    (void)state;
    for (zilch_method law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
        zilch_optimizer_options options = small_defaults(law, N, K);
        function f = constant;
        zilch_limits limits = zilch_limits_defaults();
        zilch_stop stop;
        options.initial_mu = -1e308;
        options.initial_sigma = 1.5e308;
        zilch_optimizer *o = create_with(DIM, 5, &options);
        assert_int_equal(zilch_optimizer_run(o, objective, &f, &limits, NULL, NULL, &stop), ZILCH_OK);
        for (size_t g = 0; g < 20; g++) {
            ask_and_tell(o, f, 2 * N);
        }
        zilch_optimizer_destroy(o);
    }
}

static zilch_status broken(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    (void)batch;
    (void)value;
    return zilch_fail(ZILCH_ENUMERIC, "the valve is beyond all numbers");
}

/* An objective that fails in the same words is not a search that has ended. */
static void other_failures_stay_failures(void **state)
{
    (void)state;
    zilch_stop stop = ZILCH_STOP_TARGET;
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *o = create_with(DIM, 5, &options);
    assert_int_equal(zilch_optimizer_run(o, broken, NULL, NULL, NULL, NULL, &stop), ZILCH_ENUMERIC);
    assert_int_equal(stop, ZILCH_STOP_NONE);
    assert_string_equal(zilch_last_error(), "the valve is beyond all numbers");
    zilch_optimizer_destroy(o);
}

static void an_ended_search_has_no_model(void **state)
{
    (void)state;
    zilch_stop stop;
    zilch_model *model;
    zilch_optimizer *o = collapsed(sphere, &stop);
    assert_int_equal(zilch_optimizer_model(o, &model), ZILCH_ENUMERIC);
    assert_null(model);
    zilch_optimizer_destroy(o);
}

static void endings_have_names(void **state)
{
    (void)state;
    zilch_stop parsed = ZILCH_STOP_NONE;
    assert_int_equal(zilch_stop_parse("converged", &parsed), ZILCH_OK);
    assert_int_equal(parsed, ZILCH_STOP_CONVERGED);
    assert_int_equal(zilch_stop_parse("diverged", &parsed), ZILCH_OK);
    assert_int_equal(parsed, ZILCH_STOP_DIVERGED);
    assert_int_equal(zilch_stop_parse("exhausted", &parsed), ZILCH_OK);
    assert_int_equal(parsed, ZILCH_STOP_EXHAUSTED);
    assert_int_equal(ZILCH_STOP_OBSERVER, 5); /* those before keep their numbers */
    assert_int_equal(ZILCH_STOP_DIVERGED, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_end_in_good_order),   cmocka_unit_test(asking_begins_anew),
        cmocka_unit_test(asking_never_fails),           cmocka_unit_test(a_first_law_may_be_too_wide),
        cmocka_unit_test(other_failures_stay_failures), cmocka_unit_test(an_ended_search_has_no_model),
        cmocka_unit_test(endings_have_names),
    };
    return cmocka_run_group_tests_name("endings", tests, NULL, NULL);
}
