/* Default values: a search with defaults makes the same points as one without that evaluates x + defaults, to
 * the bit; what is inactive is exactly the default, what is active is something else, and bounds, steps,
 * lists and linear limits are kept. Files and studies give the same values back. */
#include "search_support.h"

#include "store/study.h"

enum { DIM = 6 };
static const double defaults[DIM] = {1.5, -0.25, 40.0, 0.0, -3.0, 0.5};

/* The optimum differs from the defaults in two coordinates. */
static double value_at(const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < DIM; i++) {
        const double offset = x[i] - defaults[i];
        const double aim = i == 1 ? 1.0 : i == 2 ? -2.5 : 0.0;
        sum += (offset - aim) * (offset - aim);
    }
    return sum + 0.3 * (x[1] + 0.25) * x[5];
}

typedef struct judge {
    int is_shifted, is_noisy; /* shifted: points are offsets */
} judge;

static zilch_status evaluate(void *context, const zilch_batch *batch, double *value)
{
    const judge *j = context;
    for (size_t i = 0; i < batch->n; i++) {
        double x[DIM];
        for (size_t k = 0; k < DIM; k++) {
            x[k] = batch->x[i * DIM + k] + (j->is_shifted ? defaults[k] : 0.0);
        }
        value[i] = value_at(x) + (j->is_noisy ? 0.3 * noise_of(batch->id[i]) : 0.0);
    }
    return ZILCH_OK;
}

static void run_to(zilch_optimizer *o, judge j, uint64_t evaluations)
{
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = evaluations;
    if (zilch_optimizer_run(o, evaluate, &j, &limits, NULL, NULL, NULL) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(zi_optimizer_is_valid(o));
}

/* ---- The same search ---------------------------------------------------------------------------------- */

static void check_same_point(const double *x, const double *offset)
{
    for (size_t i = 0; i < DIM; i++) {
        const double sum = defaults[i] + offset[i];
        assert_memory_equal(&x[i], &sum, sizeof sum);
        assert_int_equal(x[i] != defaults[i], offset[i] != 0.0);
    }
}

static void check_same_search(const zilch_optimizer_options *with, const zilch_optimizer_options *without,
                              int is_noisy)
{
    zilch_optimizer *a = create_with(DIM, 5, with);
    zilch_optimizer *b = create_with(DIM, 5, without);
    const double told[DIM] = {1.5, 0.25, 40.0, 0.0, -3.0, 0.5};
    const double told_offset[DIM] = {0.0, 0.5, 0.0, 0.0, 0.0, 0.0};
    double x[DIM], y[DIM];
    zilch_record at, bt;
    zilch_recommendation ar, br;
    judge ja = {.is_noisy = is_noisy}, jb = {.is_shifted = 1, .is_noisy = is_noisy};
    if (!with->linear_limit_count) {
        assert_int_equal(zilch_optimizer_tell_point(a, told, 3.0), ZILCH_OK);
        assert_int_equal(zilch_optimizer_tell_point(b, told_offset, 3.0), ZILCH_OK);
    }
    run_to(a, ja, 500);
    run_to(b, jb, 500);
    const uint64_t points = zilch_optimizer_progress(a).points;
    assert_int_equal(points, zilch_optimizer_progress(b).points);
    for (uint64_t k = 0; k < points; k++) {
        assert_int_equal(zilch_optimizer_point(a, k, x, &at), ZILCH_OK);
        assert_int_equal(zilch_optimizer_point(b, k, y, &bt), ZILCH_OK);
        check_same_point(x, y);
        assert_memory_equal(&at.fitness, &bt.fitness, sizeof at.fitness);
        assert_int_equal(at.active, bt.active);
    }
    assert_int_equal(zilch_optimizer_recommend(a, evaluate, &ja, NULL, x, &ar), ZILCH_OK);
    assert_int_equal(zilch_optimizer_recommend(b, evaluate, &jb, NULL, y, &br), ZILCH_OK);
    check_same_point(x, y);
    assert_memory_equal(&ar.fitness, &br.fitness, sizeof ar.fitness);
    assert_int_equal(ar.active, br.active);
    assert_int_equal(ar.pruned, br.pruned);
    zilch_optimizer_destroy(a);
    zilch_optimizer_destroy(b);
}

/* By all methods, with and without noise, bounds, a guess, and a sum. Shifts are exact here. */
static void test_same_as_a_shifted_objective(void **state)
{
    (void)state;
    static const double lower[DIM] = {1.0, -4.0, 30.0, 2.0, -8.0, -2.0}, upper[DIM] = {4, 4, 50, 8, 0, 2};
    static const double low[DIM] = {-0.5, -3.75, -10.0, 2.0, -5.0, -2.5},
                        high[DIM] = {2.5, 4.25, 10, 8, 3, 1.5};
    static const double x0[DIM] = {2.5, -0.25, 38.0, 0.0, -3.0, 0.5}, guess[DIM] = {1.0, 0.0, -2.0};
    static const zilch_linear_limit sum = {.count = DIM, .lower = 30.0, .upper = 42.0};
    static const zilch_linear_limit rest = {.count = DIM, .lower = -8.75, .upper = 3.25};
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        for (int kind = 0; kind < 4; kind++) {
            zilch_optimizer_options with = zilch_optimizer_defaults();
            with.method = four_methods[m];
            with.population = m ? 30 : 0;
            with.penalty = 0.05;
            zilch_optimizer_options without = with;
            with.defaults = defaults;
            if (kind) {
                with.lower = lower, with.upper = upper;
                without.lower = low, without.upper = high;
            }
            if (kind == 2 && m == 0) {
                with.x0 = x0, without.x0 = guess;
            }
            if (kind == 3) {
                with.linear_limits = &sum, without.linear_limits = &rest;
                with.linear_limit_count = without.linear_limit_count = 1;
            }
            check_same_search(&with, &without, 0);
            if (kind < 2) {
                check_same_search(&with, &without, 1);
            }
        }
    }
}

/* ---- What points keep --------------------------------------------------------------------------------- */

static int is_listed(double x, size_t count, const double *list)
{
    int is_there = 0;
    for (size_t k = 0; k < count; k++) {
        is_there |= x == list[k];
    }
    return is_there;
}

static const double machine[DIM] = {0.12, 12.0, 0.3, 1e9, 7.0, -1.0 / 3.0};
static const double machine_lower[DIM] = {0.0, 20.0, 0.1, 0.0, 0.0, -0.7};
static const double machine_upper[DIM] = {0.3, 60.0, 0.9, 2e9, 9.0, 0.1};
static const double machine_step[DIM] = {0.05, 0.0, 0.1, 0.0, 0.0, 0.0};
static const double machine_list[] = {0.1, 0.7, 7.0, 7.3};

static void check_machine(const double *x, size_t active)
{
    size_t count = 0;
    for (size_t i = 0; i < DIM; i++) {
        const int is_on = x[i] != machine[i];
        count += (size_t)is_on;
        assert_true(!is_on || (x[i] >= machine_lower[i] && x[i] <= machine_upper[i]));
        assert_true(!is_on || i != 0 || x[i] == round(x[i] * 20.0) / 20.0);
        assert_true(!is_on || i != 2 || x[i] == round(x[i] * 10.0) / 10.0);
        assert_true(!is_on || i != 4 || is_listed(x[i], COUNT(machine_list), machine_list));
    }
    assert_int_equal(count, active);
    assert_true(count <= 4);
}

/* 1e9 is best 1e-8 above: less than the distance to the next number. */
static zilch_status run_machine(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * DIM;
        value[i] = fabs(x[0] - 0.2) + fabs(x[1] - 25.0) / 10.0 + fabs(x[2] - 0.5) +
                   fabs((x[3] - 1e9) - 1e-8) + fabs(x[4] - 7.2) + fabs(x[5] + 0.4);
    }
    return ZILCH_OK;
}

static void test_steps_lists_and_bounds(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        static const zilch_values values[DIM] = {[4] = {COUNT(machine_list), machine_list}};
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.method = four_methods[m];
        options.population = m ? 30 : 0;
        options.defaults = machine;
        options.lower = machine_lower;
        options.upper = machine_upper;
        options.step = machine_step;
        options.values = values;
        options.max_active = 4;
        zilch_optimizer *o = create_with(DIM, 2, &options);
        zilch_limits limits = zilch_limits_defaults();
        limits.evaluations = 1000;
        double x[DIM];
        zilch_record record;
        zilch_recommendation r;
        assert_int_equal(zilch_optimizer_run(o, run_machine, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
        for (uint64_t k = 0; k < zilch_optimizer_progress(o).points; k++) {
            assert_int_equal(zilch_optimizer_point(o, k, x, &record), ZILCH_OK);
            check_machine(x, record.active);
        }
        assert_int_equal(zilch_optimizer_recommend(o, run_machine, NULL, NULL, x, &r), ZILCH_OK);
        check_machine(x, r.active);
        zilch_optimizer_destroy(o);
    }
}

/* Nothing but values of lists: all points are counted and evaluated. */
static void test_all_points(void **state)
{
    (void)state;
    static const double step[DIM] = {0.05, 1, 0.1, 2e9, 1, 0.1};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_stop stop;
    options.defaults = machine;
    options.lower = machine_lower;
    options.upper = (const double[]){0.05, 21.0, 0.4, 2e9, 1.0, -0.6};
    options.step = step;
    zilch_optimizer *o = create_with(DIM, 2, &options);
    assert_int_equal(o->points_in_all, 3 * 3 * 4 * 3 * 3 * 3);
    assert_int_equal(zilch_optimizer_run(o, run_machine, NULL, NULL, NULL, NULL, &stop), ZILCH_OK);
    assert_int_equal(stop, ZILCH_STOP_EXHAUSTED);
    assert_int_equal(zilch_optimizer_progress(o).points, o->points_in_all);
    zilch_optimizer_destroy(o);
}

/* A mixture that is changed in few places still adds up. */
static void test_sum(void **state)
{
    (void)state;
    static const double mixture[DIM] = {0.1, 0.1, 0.1, 0.2, 0.2, 0.3}, none[DIM] = {0},
                        most[DIM] = {1, 1, 1, 1, 1, 1};
    static const zilch_linear_limit limits[] = {{.count = DIM, .lower = 1.0, .upper = 1.0},
                                                {.count = 2, .lower = -INFINITY, .upper = 0.3}};
    for (size_t rows = 1; rows <= 2; rows++) {
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.defaults = mixture;
        options.lower = none;
        options.upper = most;
        options.max_active = 3;
        options.linear_limits = limits;
        options.linear_limit_count = rows;
        zilch_optimizer *o = create_with(DIM, 2, &options);
        double x[DIM];
        assert_int_equal(zilch_optimizer_tell_point(o, mixture, 9.0), ZILCH_OK);
        /* A small change adds up as well as its values do, which is not as well as its offsets might. */
        memcpy(x, mixture, sizeof x);
        x[0] += 1e-9;
        x[4] += 2e-9;
        x[5] -= 3e-9;
        assert_int_equal(zilch_optimizer_tell_point(o, x, 9.0), ZILCH_OK);
        run_to(o, (judge){0}, 600);
        assert_true(zilch_optimizer_progress(o).points > 100);
        for (uint64_t k = 0; k < zilch_optimizer_progress(o).points; k++) {
            double sum = 0.0;
            assert_int_equal(zilch_optimizer_point(o, k, x, NULL), ZILCH_OK);
            for (size_t i = 0; i < DIM; i++) {
                sum += x[i];
                assert_true(x[i] >= 0.0 && x[i] <= 1.0);
            }
            assert_true(fabs(sum - 1.0) <= 1e-12);
            assert_true(rows == 1 || x[0] + x[1] <= 0.3 + 1e-12);
        }
        zilch_optimizer_destroy(o);
    }
}

/* 0.7 and 0.1 are meant to be 0.8, but are not, by the last bit. */
static void test_sum_of_the_defaults(void **state)
{
    (void)state;
    static const double two[DIM] = {0.7, 0.1};
    static const zilch_linear_limit limit = {.count = 2, .lower = 0.8, .upper = 0.8};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.defaults = two;
    options.linear_limits = &limit;
    options.linear_limit_count = 1;
    zilch_optimizer *o = create_with(DIM, 2, &options);
    assert_true(two[0] + two[1] != 0.8);
    assert_true(o->constraints.limits.lower[0] == 0.0 && o->constraints.limits.upper[0] == 0.0);
    zilch_optimizer_destroy(o);
}

/* The function sees values, and what it leaves is what is evaluated, to the digits of a value and its
 * default. */
static const double odd[DIM] = {1.1, -0.3, 40.3, 0.7, -3.1, 0.9};

static zilch_status to_quarters(void *context, size_t dim, double *x)
{
    (void)context;
    for (size_t i = 0; i < dim; i++) {
        x[i] = x[i] == odd[i] ? x[i] : round(4.0 * x[i]) / 4.0;
    }
    return ZILCH_OK;
}

static void test_repair(void **state)
{
    (void)state;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.defaults = odd;
    zilch_optimizer *o = create_with(DIM, 2, &options);
    double x[DIM];
    assert_int_equal(zilch_optimizer_set_repair(o, to_quarters, NULL), ZILCH_OK);
    run_to(o, (judge){0}, 300);
    for (uint64_t k = 0; k < zilch_optimizer_progress(o).points; k++) {
        assert_int_equal(zilch_optimizer_point(o, k, x, NULL), ZILCH_OK);
        for (size_t i = 0; i < DIM; i++) {
            const double rounding = DBL_EPSILON * (fabs(x[i]) + fabs(odd[i]));
            assert_true(x[i] == odd[i] || fabs(x[i] - round(4.0 * x[i]) / 4.0) <= rounding);
        }
    }
    zilch_optimizer_destroy(o);
}

/* ---- What enters -------------------------------------------------------------------------------------- */

/* Values next to defaults, far from them, and of other signs come back as they were told, those beyond the
 * default to the bit. */
static void test_told_points(void **state)
{
    (void)state;
    const double points[][DIM] = {{0.1, 0.7, 1.0 / 3.0, -5.3, 2e-3, 1.0},
                                  {1.5, -0.25, 40.0, -0.0, -3.0, 0.5},
                                  {nextafter(1.5, 2.0), -0.25, 39.99, 1e-300, 5.3, -1e17},
                                  {1.7, -0.3, 1e12, DBL_MAX, -1e300, 0.0}};
    const size_t active[] = {6, 0, 5, 6};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.defaults = defaults;
    zilch_optimizer *o = create_with(DIM, 1, &options);
    for (size_t k = 0; k < COUNT(points); k++) {
        assert_int_equal(zilch_optimizer_tell_point(o, points[k], (double)k), ZILCH_OK);
    }
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    for (size_t k = 0; k < COUNT(points); k++) {
        double x[DIM];
        zilch_record record;
        assert_int_equal(zilch_optimizer_point(o, k, x, &record), ZILCH_OK);
        assert_int_equal(record.active, active[k]);
        for (size_t i = 0; i < DIM; i++) {
            const double told = points[k][i];
            const int is_exact = defaults[i] * told >= 0.0 && fabs(told) >= fabs(defaults[i]);
            assert_true(fabs(x[i] - told) <=
                        (is_exact ? 0.0 : DBL_EPSILON * (fabs(defaults[i]) + fabs(told))));
            assert_false(signbit(x[i]) && x[i] == 0.0);
        }
    }
    zilch_optimizer_destroy(o);
}

static void check_told(const zilch_optimizer_options *options, size_t i, double value, const char *text)
{
    double x[DIM];
    zilch_optimizer *o = create_with(DIM, 1, options);
    memcpy(x, defaults, sizeof x);
    x[i] = value;
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_EARG);
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("%s", zilch_last_error());
    }
    zilch_optimizer_destroy(o);
}

static void check_refused(const zilch_optimizer_options *options, const char *text)
{
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, DIM, 1, options), ZILCH_EARG);
    assert_null(o);
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("%s", zilch_last_error());
    }
}

/* Messages speak of values, not of offsets. */
static void test_refusals(void **state)
{
    (void)state;
    static const double lower[DIM] = {1, -1, 30, -1, -8, -2}, upper[DIM] = {4, 4, 50, 8, 0, 2};
    static const double step[DIM] = {0, 0, 7};
    static const zilch_forced forced[DIM] = {[4] = ZILCH_FORCED_OFF};
    static const zilch_linear_limit sum = {.count = DIM, .lower = 30.0, .upper = 42.0};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    double wrong[DIM] = {0, 0, NAN};
    options.defaults = wrong;
    check_refused(&options, "coordinate 2 (counted from 0): its default is nan; it must be a number from");
    wrong[2] = nextafter(1e300, INFINITY);
    check_refused(&options, "coordinate 2");
    options.defaults = defaults;
    options.lower = lower;
    options.upper = upper;
    check_told(&options, 2, 29.0, "the value 29 is out of its bounds 30 and 50");
    check_told(&options, 1, NAN, "coordinate 1 (counted from 0): the value is not finite");
    options.x0 = (const double[]){1.5, -0.25, 20.0, 0.0, -3.0, 0.5};
    check_refused(&options,
                  "x0 is 20, out of its bounds 30 and 50; give a value between them, or 40 for none");
    options.x0 = NULL;
    options.step = step;
    check_told(&options, 2, 36.0, "the value 36 is not one of those it may have; the nearest is 35");
    options.step = NULL;
    options.forced = forced;
    check_told(&options, 4, -2.0, "the value is -2, but it is forced off");
    options.forced = NULL;
    options.linear_limits = &sum;
    options.linear_limit_count = 1;
    check_told(&options, 2, 50.0, "the sum is 48.75, but must be from 30 to 42");
    options.linear_limit_count = 0;
    options.step = (const double[DIM]){0, 0, 1e-15};
    options.lower = options.upper = NULL;
    check_refused(&options, "coordinate 2 (counted from 0): its default 40 is so far away that its steps");
    options.step = NULL;
    options.values = (const zilch_values[DIM]){[2] = {2, (const double[]){1e-20, 2e-20}}};
    check_refused(&options, "its default 40 is so far away that its values cannot be told apart");
    options.values = NULL;
    options.lower = options.upper = defaults;
    options.forced = (const zilch_forced[DIM]){[1] = ZILCH_FORCED_ON};
    check_refused(&options, "the bounds allow only its default");
}

/* ---- Files -------------------------------------------------------------------------------------------- */

static void test_zeros_are_none(void **state)
{
    (void)state;
    static const double zeros[DIM] = {0.0, -0.0};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_optimizer *a = create_with(DIM, 1, &options);
    options.defaults = zeros;
    zilch_optimizer *b = create_with(DIM, 1, &options);
    assert_null(zilch_optimizer_settings(b)->defaults);
    assert_true(is_same_state(a, b));
    zilch_optimizer_destroy(a);
    zilch_optimizer_destroy(b);
}

static void test_goes_on_after_a_load(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT(four_methods); m++) {
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.method = four_methods[m];
        options.population = m ? 20 : 0;
        options.expected_evaluations = 400;
        options.defaults = defaults;
        zilch_optimizer *o = create_with(DIM, 3, &options);
        run_to(o, (judge){.is_noisy = (int)m % 2}, 150);
        zilch_optimizer *loaded = copy_of(o);
        assert_memory_equal(zilch_optimizer_settings(loaded)->defaults, defaults, sizeof defaults);
        run_to(o, (judge){.is_noisy = (int)m % 2}, 400);
        run_to(loaded, (judge){.is_noisy = (int)m % 2}, 400);
        assert_true(is_same_state(o, loaded));
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(loaded);
    }
}

/* The flag in the header and the array belong together. */
static void test_damaged_flag(void **state)
{
    (void)state;
    enum { FLAGS = 12, HAS_DEFAULTS = 16 };
    zilch_optimizer_options options = zilch_optimizer_defaults();
    for (int is_with = 0; is_with < 2; is_with++) {
        options.defaults = is_with ? defaults : NULL;
        zilch_optimizer *o = create_with(DIM, 1, &options);
        zilch_optimizer *loaded;
        packed p = pack_of(o);
        p.data[FLAGS] ^= HAS_DEFAULTS;
        assert_int_equal(zilch_optimizer_unpack(&loaded, p.data, p.length), ZILCH_EFORMAT);
        free(p.data);
        zilch_optimizer_destroy(o);
    }
}

typedef struct reading {
    const zilch_optimizer *optimizer;
    size_t count;
} reading;

static zilch_status read_evaluation(void *context, const zilch_evaluation *e)
{
    reading *r = context;
    double x[DIM];
    zilch_record record;
    assert_int_equal(zilch_optimizer_point(r->optimizer, e->point, x, &record), ZILCH_OK);
    assert_memory_equal(x, e->x, sizeof x);
    assert_int_equal(record.active, e->active);
    r->count++;
    return ZILCH_OK;
}

/* Points that a study hands out, waits for and has recorded are values. */
static void test_study(void **state)
{
    (void)state;
    static const double step[DIM] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.population = 20;
    options.elites = 5;
    options.quorum = 0.5;
    options.refinement = 0;
    options.defaults = defaults;
    options.step = step;
    zilch_optimizer *o = create_with(DIM, 3, &options);
    zilch_study *study;
    uint64_t run, id[20], other[20];
    double x[20 * DIM], y[20 * DIM], z[20 * DIM], value[20];
    size_t count;
    int is_closed;
    assert_int_equal(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE), ZILCH_OK);
    assert_int_equal(zilch_study_start(study, NULL, o, &run), ZILCH_OK);
    for (int generation = 0; generation < 3; generation++) {
        assert_int_equal(zilch_study_ask(study, run, 20, 0, id, x, &count), ZILCH_OK);
        assert_int_equal(zilch_optimizer_ask(o, 20, other, y), ZILCH_OK);
        assert_memory_equal(x, y, sizeof x);
        for (size_t i = 0; i < 20; i++) {
            value[i] = value_at(x + i * DIM);
        }
        assert_int_equal(zilch_optimizer_tell(o, 10, id, value), ZILCH_OK);
        assert_int_equal(zilch_study_tell(study, run, 10, id, value, NULL, &is_closed), ZILCH_OK);
        assert_true(is_closed);
        assert_int_equal(zilch_study_waiting(study, run, 20, other, z, &count), ZILCH_OK);
        assert_int_equal(count, 10);
        assert_memory_equal(z, x + 10 * DIM, 10 * DIM * sizeof *z);
        assert_int_equal(zilch_optimizer_tell(o, 10, id + 10, value + 10), ZILCH_OK);
        assert_int_equal(zilch_study_tell(study, run, 10, id + 10, value + 10, NULL, &is_closed), ZILCH_OK);
    }
    reading r = {.optimizer = o};
    assert_int_equal(zilch_study_evaluations(study, run, read_evaluation, &r), ZILCH_OK);
    assert_int_equal(r.count, 50); /* ten are not in a generation yet */
    zilch_optimizer *resumed;
    assert_int_equal(zilch_study_resume(study, run, &resumed), ZILCH_OK);
    assert_memory_equal(zilch_optimizer_settings(resumed)->defaults, defaults, sizeof defaults);
    zilch_optimizer_destroy(resumed);
    zilch_study_close(study);
    zilch_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_shifted_objective),
        cmocka_unit_test(test_steps_lists_and_bounds),
        cmocka_unit_test(test_all_points),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_sum_of_the_defaults),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_told_points),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_zeros_are_none),
        cmocka_unit_test(test_goes_on_after_a_load),
        cmocka_unit_test(test_damaged_flag),
        cmocka_unit_test(test_study),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
