/* Penalties of single coordinates: they count wherever a point is compared, and are kept wherever it is. */
#include "search_support.h"
#include "zilch.h"

#include <float.h>

enum { DIM = 12, POPULATION = 30, ELITES = 8, GENERATIONS = 9 };

/* Every coordinate is worth 1 where it is 1; with noise that follows from the id, if there is any. */
static zilch_status worth_one(void *context, const zilch_batch *batch, double *value)
{
    const double *noise = context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = noise ? *noise * (noise_of(batch->id[i]) - 0.5) : 0.0;
        for (size_t k = 0; k < batch->dim; k++) {
            const double x = batch->x[i * batch->dim + k] - 1.0;
            value[i] += x * x;
        }
    }
    return ZILCH_OK;
}

static void run_for(zilch_optimizer *o, double *noise, uint64_t evaluations)
{
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = evaluations;
    if (zilch_optimizer_run(o, worth_one, noise, &limits, NULL, NULL, NULL) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
}

static double penalty_of(const zilch_optimizer_options *o, size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += x[i] != 0.0 ? o->penalty + (o->penalties ? o->penalties[i] : 0.0) : 0.0;
    }
    return sum;
}

/* ---- Checks ---------------------------------------------------------------------------------------- */

static void wrong_penalties_are_refused(void **state)
{
    (void)state;
    double penalties[DIM] = {0};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_optimizer *o;
    options.penalties = penalties;
    const double wrong[] = {-DBL_TRUE_MIN, -1, INFINITY, NAN};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        penalties[7] = wrong[k];
        assert_int_equal(zilch_optimizer_create(&o, DIM, 1, &options), ZILCH_EARG);
        assert_null(o);
        assert_int_equal(zilch_last_error_details().coordinate, 7);
        assert_non_null(strstr(zilch_last_error(), "it must be a finite number, 0 or more"));
    }
    penalties[7] = penalties[8] = DBL_MAX;
    assert_int_equal(zilch_optimizer_create(&o, DIM, 1, &options), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "add up to more than a number can hold"));
    penalties[8] = 0.0;
    zilch_optimizer_destroy(create_with(DIM, 1, &options));
}

/* ---- What is chosen -------------------------------------------------------------------------------- */

/* All are worth the same, and every second costs more than that. */
static void what_costs_more_than_it_is_worth_is_zero(void **state)
{
    (void)state;
    static const struct {
        zilch_method method;
        int refinement;
        double noise, penalty;
        uint64_t evaluations;
    } cases[] = {{ZILCH_METHOD_DEFAULT, 1, 0.0, 0.0, 600},     {ZILCH_METHOD_DEFAULT, 1, 0.0, 0.25, 600},
                 {ZILCH_METHOD_DEFAULT, 0, 0.0, 0.0, 6000},    {ZILCH_METHOD_DEFAULT, 1, 0.5, 0.0, 6000},
                 {ZILCH_METHOD_PUBLISHED, 0, 0.0, 0.1, 15000}, {ZILCH_METHOD_EA, 0, 0.0, 0.0, 30000}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        double penalties[DIM], x[DIM], noise = cases[k].noise;
        zilch_record best;
        zilch_optimizer_options options = zilch_method_defaults(cases[k].method);
        options.refinement = cases[k].refinement;
        options.penalty = cases[k].penalty;
        options.penalties = penalties;
        for (size_t i = 0; i < DIM; i++) {
            penalties[i] = i % 2 ? 1.5 : 0.5;
        }
        zilch_optimizer *o = create_with(DIM, 3 + k, &options);
        run_for(o, noise > 0.0 ? &noise : NULL, cases[k].evaluations);
        assert_int_equal(zilch_optimizer_best(o, x, &best), ZILCH_OK);
        for (size_t i = 0; i < DIM; i++) {
            if ((x[i] != 0.0) != (i % 2 == 0)) {
                fail_msg("case %zu: coordinate %zu is %g", k, i, x[i]);
            }
        }
        assert_double_equal(best.fitness, best.value + penalty_of(&options, DIM, x), 1e-12);
        zilch_optimizer_destroy(o);
    }
}

/* Only so many may be active: they are the cheapest. */
static void the_cheaper_one_of_two_is_chosen(void **state)
{
    (void)state;
    for (size_t dear = 0; dear < 2; dear++) {
        double penalties[2] = {0.1, 0.1}, x[2];
        zilch_optimizer_options options = zilch_optimizer_defaults();
        penalties[dear] = 0.11;
        options.penalties = penalties;
        options.max_active = 1;
        zilch_optimizer *o = create_with(2, 5, &options);
        run_for(o, NULL, 300);
        assert_int_equal(zilch_optimizer_best(o, x, NULL), ZILCH_OK);
        assert_true(x[dear] == 0.0 && fabs(x[1 - dear] - 1.0) < 1e-6);
        zilch_optimizer_destroy(o);
    }
}

/* The penalty of a group is the sum of its members': one is worth 3 and costs 2.9, the other 3.1. */
static void groups_cost_what_their_members_do(void **state)
{
    (void)state;
    static const double penalties[6] = {2.9, 0, 0, 0, 3.1, 0};
    static const size_t group[6] = {1, 1, 1, 2, 2, 2};
    double x[6];
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.penalties = penalties;
    options.group = group;
    zilch_optimizer *o = create_with(6, 5, &options);
    run_for(o, NULL, 1500);
    assert_int_equal(zilch_optimizer_best(o, x, NULL), ZILCH_OK);
    assert_true(fabs(x[0] - 1.0) < 1e-3 && fabs(x[1] - 1.0) < 1e-3 && fabs(x[2] - 1.0) < 1e-3);
    assert_true(x[3] == 0.0 && x[4] == 0.0 && x[5] == 0.0);
    zilch_optimizer_destroy(o);
}

/* What all have of their own is as good as a common penalty, to the bit: it is a number of few digits. */
static void equal_penalties_are_a_common_one(void **state)
{
    (void)state;
    double penalties[DIM];
    for (double noise = 0.0; noise < 1.0; noise += 0.5) {
        for (zilch_method method = ZILCH_METHOD_DEFAULT; method <= ZILCH_METHOD_EA; method++) {
            zilch_optimizer_options options = zilch_method_defaults(method);
            options.population = method == ZILCH_METHOD_DEFAULT ? 0 : POPULATION;
            options.elites = method == ZILCH_METHOD_DEFAULT ? 0 : ELITES;
            options.penalty = 0.25;
            zilch_optimizer *a = create_with(DIM, 4, &options);
            options.penalty = 0.125;
            options.penalties = penalties;
            for (size_t i = 0; i < DIM; i++) {
                penalties[i] = 0.125;
            }
            zilch_optimizer *b = create_with(DIM, 4, &options);
            for (uint64_t limit = 100; limit <= 500; limit += 100) {
                double x[DIM], y[DIM];
                zilch_record p, q;
                run_for(a, noise > 0.0 ? &noise : NULL, limit);
                run_for(b, noise > 0.0 ? &noise : NULL, limit);
                assert_int_equal(zilch_optimizer_best(a, x, &p), ZILCH_OK);
                assert_int_equal(zilch_optimizer_best(b, y, &q), ZILCH_OK);
                assert_memory_equal(x, y, sizeof x);
                assert_true(p.value == q.value && p.fitness == q.fitness && p.point == q.point);
            }
            zilch_optimizer_destroy(a);
            zilch_optimizer_destroy(b);
        }
    }
}

/* ---- The refinement ---------------------------------------------------------------------------------- */

/* From all active: the penalties rise together, and what is not worth its own is dropped. */
static void a_dense_course_drops_what_costs_too_much(void **state)
{
    (void)state;
    static const double mu[DIM];
    double sigma[DIM], penalties[DIM], start[DIM];
    const zilch_optimizer_options options = zilch_optimizer_defaults();
    zi_constraints limits = {0};
    zi_refine *r;
    for (size_t i = 0; i < DIM; i++) {
        sigma[i] = 2.0;
        start[i] = 0.5 + 0.1 * (double)i;
        penalties[i] = i % 3 == 0 ? 40.0 : i % 3 == 1 ? 0.9 : 0.0;
    }
    assert_int_equal(zi_constraints_create(&limits, DIM, &options), ZILCH_OK);
    assert_int_equal(zi_refine_create(&r, &limits, mu, sigma, (zi_penalty){0.05, penalties}, 1), ZILCH_OK);
    double value;
    const double *x = start;
    assert_int_equal(worth_one(NULL, &(zilch_batch){.n = 1, .dim = DIM, .x = x}, &value), ZILCH_OK);
    assert_int_equal(zi_refine_start(r, start, &(zi_known){.value = value}, 1), ZILCH_OK);
    for (size_t batches = 0; batches < 200 && !zi_refine_is_done(r); batches++) {
        double values[MOST_ASKED];
        size_t n;
        assert_int_equal(zi_refine_ask(r, &n, &x), ZILCH_OK);
        assert_int_equal(worth_one(NULL, &(zilch_batch){.n = n, .dim = DIM, .x = x}, values), ZILCH_OK);
        zi_known told[MOST_ASKED] = {{0}};
        for (size_t i = 0; i < n; i++) {
            told[i].value = values[i];
        }
        assert_int_equal(zi_refine_tell(r, n, x, told), ZILCH_OK);
    }
    zi_refine_best(r, &x, &value);
    for (size_t i = 0; i < DIM; i++) {
        assert_true(i % 3 == 0 ? x[i] == 0.0 : fabs(x[i] - 1.0) < 1e-6);
    }
    zi_refine_destroy(r);
    zi_constraints_free(&limits);
}

/* ---- The trend --------------------------------------------------------------------------------------- */

static void the_trend_knows_what_coordinates_cost(void **state)
{
    (void)state;
    enum { POINTS = 400 };
    static const double low[3] = {-9, -9, -9}, high[3] = {9, 9, 9}, penalties[3] = {0.9, 1.1, 0.0};
    const zi_noise seen = {.squares = 0.01 * 50.0, .count = 50.0};
    zi_archive archive = {.sign = 1.0, .penalties = penalties, .rows.width = 3};
    zi_trend trend = {0};
    zilch_rng rng = zilch_rng_make(7, 7);
    double best[3];
    for (size_t i = 0; i < POINTS; i++) {
        double x[3], value;
        size_t point;
        for (size_t k = 0; k < 3; k++) {
            const double drawn = 1.0 + zilch_rng_normal(&rng);
            x[k] = zilch_rng_uniform(&rng) < 0.5 ? drawn : 0.0;
        }
        assert_int_equal(worth_one(NULL, &(zilch_batch){.n = 1, .dim = 3, .x = x}, &value), ZILCH_OK);
        assert_int_equal(zi_archive_find(&archive, x, active_of(3, x), 0.0, &point), ZILCH_OK);
        zi_archive_put(&archive, &(zi_evaluation){.id = i,
                                                  .point = point,
                                                  .value = value + 0.1 * zilch_rng_normal(&rng),
                                                  .weight = 1.0});
    }
    assert_int_equal(zi_trend_fit(&trend, &archive, 3, POINTS, &seen), ZILCH_OK);
    assert_int_equal(trend.terms, 10);
    zi_trend_minimise(&trend, &archive, low, high, best);
    assert_true(fabs(best[0] - 1.0) < 0.2 && best[1] == 0.0 && fabs(best[2] - 1.0) < 0.2);
    zi_trend_free(&trend);
    zi_archive_free(&archive);
}

/* ---- The end ------------------------------------------------------------------------------------------- */

/* A point that is told, and a penalty that its last coordinate is not worth: it is pruned. */
static void pruning_counts_them(void **state)
{
    (void)state;
    static const double penalties[3] = {0.9, 0.0, 1.1}, told[3] = {1.0, 1.0, 1.0};
    double noise = 0.0, x[3];
    zilch_recommendation r;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.penalties = penalties;
    options.penalty = 0.05;
    zilch_optimizer *o = create_with(3, 1, &options);
    assert_int_equal(zilch_optimizer_tell_point(o, told, 0.0), ZILCH_OK);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    for (final.is_noisy = 0; final.is_noisy < 2; final.is_noisy++) {
        assert_int_equal(zilch_optimizer_recommend(o, worth_one, &noise, &final, x, &r), ZILCH_OK);
        assert_true(x[0] == 1.0 && x[1] == 1.0 && x[2] == 0.0);
        assert_true(r.pruned == 1 && r.active == 2 && r.mean == 1.0);
        assert_double_equal(r.fitness, 1.0 + 2 * 0.05 + 0.9, 1e-12);
    }
    zilch_optimizer_destroy(o);
}

/* ---- Keeping ------------------------------------------------------------------------------------------- */

static void check_records(const zilch_optimizer *o, const zilch_optimizer_options *options)
{
    const double sign = options->direction == ZILCH_MINIMIZE ? 1.0 : -1.0;
    const zilch_progress p = zilch_optimizer_progress(o);
    double least = INFINITY;
    zilch_record front[DIM + 1];
    size_t count;
    for (uint64_t point = 0; point < p.points; point++) {
        double x[DIM];
        zilch_record record;
        if (zilch_optimizer_point(o, point, x, &record) == ZILCH_OK) {
            const double penalty = penalty_of(options, DIM, x);
            assert_double_equal(record.fitness, record.value + sign * penalty, 1e-12 * (1.0 + penalty));
            least = fmin(least, sign * record.fitness);
        }
    }
    assert_true(sign * p.best_fitness == least);
    assert_int_equal(zilch_optimizer_front(o, DIM + 1, front, &count), ZILCH_OK);
    for (size_t k = 1; k < count; k++) {
        assert_true(front[k].active > front[k - 1].active &&
                    sign * front[k].value < sign * front[k - 1].value);
    }
}

typedef struct sums {
    const zilch_optimizer_options *options;
    size_t with, without;
} sums;

static zilch_status check_evaluation(void *context, const zilch_evaluation *e)
{
    sums *s = context;
    s->with += e->x != NULL;
    s->without += e->x == NULL;
    if (e->x) {
        const double penalty = penalty_of(s->options, DIM, e->x);
        assert_double_equal(e->fitness, e->value - penalty, 1e-12 * (1.0 + penalty));
    } else {
        assert_true(e->fitness <= e->value - (double)e->active * s->options->penalty);
    }
    return ZILCH_OK;
}

static void step(zilch_optimizer *o, double *x)
{
    uint64_t id[POPULATION];
    double value[POPULATION];
    assert_int_equal(zilch_optimizer_ask(o, POPULATION, id, x), ZILCH_OK);
    for (size_t i = 0; i < POPULATION; i++) {
        value[i] = -distance_of(DIM, x + i * DIM);
    }
    if (zilch_optimizer_tell(o, POPULATION, id, value) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
}

/* Through bytes and through a study, all points or only the best remembered. */
static void an_interrupted_search_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        static const zilch_method methods[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_ADHOC,
                                               ZILCH_METHOD_DEFAULT};
        double penalties[DIM], x[POPULATION * DIM], y[POPULATION * DIM], z[POPULATION * DIM];
        char path[] = "penalties_XXXXXX";
        zilch_study *study;
        uint64_t run;
        zilch_optimizer_options options = small_defaults(methods[k % 3], POPULATION, ELITES);
        options.refinement = k % 3 == 2;
        options.direction = ZILCH_MAXIMIZE;
        options.archive_size = k < 3 ? 0 : ELITES + 2;
        options.penalty = 0.01;
        options.penalties = penalties;
        for (size_t i = 0; i < DIM; i++) {
            penalties[i] = 0.1 / (double)(1 + i);
        }
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        zilch_optimizer *a = create_with(DIM, 6, &options);
        zilch_optimizer *b = create_with(DIM, 6, &options);
        zilch_optimizer *c = create_with(DIM, 6, &options);
        assert_int_equal(zilch_study_open(&study, path, ZILCH_STUDY_CREATE), ZILCH_OK);
        assert_int_equal(zilch_study_start(study, NULL, c, &run), ZILCH_OK);
        for (size_t g = 0; g < GENERATIONS; g++) {
            step(a, x);
            step(b, y);
            step(c, z);
            assert_memory_equal(x, y, sizeof x);
            assert_memory_equal(x, z, sizeof x);
            assert_int_equal(zilch_study_record(study, run, c, NULL), ZILCH_OK);
            zilch_optimizer *copy = copy_of(b);
            zilch_optimizer_destroy(b);
            b = copy;
            zilch_optimizer_destroy(c);
            if (zilch_study_resume(study, run, &c) != ZILCH_OK) {
                fail_msg("%s", zilch_last_error());
            }
            assert_true(is_same_state(a, b) && is_same_state(a, c));
            assert_memory_equal(zilch_optimizer_settings(c)->penalties, penalties, sizeof penalties);
            check_records(a, &options);
        }
        for (uint64_t point = 0; point < zilch_optimizer_progress(a).points; point++) {
            zilch_record p, q, r; /* of points that were forgotten too */
            assert_int_equal(zilch_optimizer_point(a, point, NULL, &p), ZILCH_OK);
            assert_int_equal(zilch_optimizer_point(b, point, NULL, &q), ZILCH_OK);
            assert_int_equal(zilch_optimizer_point(c, point, NULL, &r), ZILCH_OK);
            assert_true(p.fitness == q.fitness && p.fitness == r.fitness && p.fitness <= p.value);
        }
        sums s = {.options = &options};
        assert_int_equal(zilch_study_evaluations(study, run, check_evaluation, &s), ZILCH_OK);
        assert_true(s.with && (k < 3) == !s.without);
        zilch_study_close(study);
        zilch_optimizer_destroy(a);
        zilch_optimizer_destroy(b);
        zilch_optimizer_destroy(c);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_penalties_are_refused),
        cmocka_unit_test(what_costs_more_than_it_is_worth_is_zero),
        cmocka_unit_test(the_cheaper_one_of_two_is_chosen),
        cmocka_unit_test(groups_cost_what_their_members_do),
        cmocka_unit_test(equal_penalties_are_a_common_one),
        cmocka_unit_test(a_dense_course_drops_what_costs_too_much),
        cmocka_unit_test(the_trend_knows_what_coordinates_cost),
        cmocka_unit_test(pruning_counts_them),
        cmocka_unit_test(an_interrupted_search_goes_on_to_the_same_bits),
    };
    return cmocka_run_group_tests_name("penalties", tests, NULL, NULL);
}
