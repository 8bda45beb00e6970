/* The trend of noisy values: against the function that the values were made from, where it is a sum over the
 * coordinates; not there where it is none; and searches that use it, interrupted at any moment. */
#include "search/turns.h"
#include "search_support.h"

enum { DIM = 30, POINTS = 3000 };
static const double deviation = 2.0;

/* ---- Fits --------------------------------------------------------------------------------------- */

static double sum_of(const double *x)
{
    double sum = 3.0;
    for (size_t i = 0; i < DIM; i++) {
        sum += x[i] != 0.0 ? 0.5 * (double)(i % 3) + 0.3 * (double)(i % 5) * x[i] + 0.1 * x[i] * x[i] : 0.0;
    }
    return sum;
}

static double product_of(const double *x)
{
    double product = 1.0;
    for (size_t i = 0; i < DIM; i++) {
        product *= x[i] != 0.0 ? 1.0 + 0.5 * x[i] : 1.0;
    }
    return product;
}

static void fill(zi_archive *archive, double (*f)(const double *), double noise)
{
    zilch_rng rng = zilch_rng_make(7, 7);
    for (size_t i = 0; i < POINTS; i++) {
        double x[DIM];
        size_t point;
        for (size_t k = 0; k < DIM; k++) {
            const double value = 1.0 + 2.0 * zilch_rng_normal(&rng);
            x[k] = zilch_rng_uniform(&rng) < 0.3 ? value : 0.0;
        }
        assert_int_equal(zi_archive_find(archive, x, active_of(DIM, x), 0.0, &point), ZILCH_OK);
        const zi_evaluation e = {
            .id = i, .point = point, .value = f(x) + noise * zilch_rng_normal(&rng), .weight = 1.0};
        zi_archive_put(archive, &e);
    }
}

static const zi_noise seen = {.squares = 4.0 * 50.0, .count = 50.0};

static void a_sum_is_found(void **state)
{
    (void)state;
    zi_archive archive = {.sign = 1.0, .rows.width = DIM};
    zi_trend trend = {0};
    double by_value = 0.0;
    double by_estimate = 0.0;
    fill(&archive, sum_of, deviation);
    assert_int_equal(zi_trend_fit(&trend, &archive, DIM, POINTS, &seen), ZILCH_OK);
    assert_int_equal(trend.terms, 1 + 3 * DIM);
    for (size_t row = 0; row < POINTS; row++) {
        double x[DIM];
        zi_rows_read(&archive.rows, row, x);
        const zi_archive_entry *w = &archive.entry[row];
        assert_true(fabs(zi_trend_at(&trend, x) - sum_of(x)) < 2.0);
        by_value += fabs(w->value - sum_of(x));
        by_estimate += fabs(w->estimate - sum_of(x));
    }
    assert_true(by_estimate < 0.6 * by_value);
    assert_true(zi_trend_error(&trend, deviation) < 0.7 * deviation);
    zi_trend_free(&trend);
    zi_archive_free(&archive);
}

/* Of many points every second is enough, or every fifth; and the constant is that of the zero point. */
static void a_part_is_enough(void **state)
{
    (void)state;
    static const double zero[DIM];
    zi_archive archive = {.sign = 1.0, .rows.width = DIM};
    zi_trend trend = {0};
    fill(&archive, sum_of, deviation);
    for (size_t most = POINTS / 5; most <= POINTS; most *= 2) {
        assert_int_equal(zi_trend_fit(&trend, &archive, DIM, most, &seen), ZILCH_OK);
        assert_true(trend.terms && fabs(zi_trend_at(&trend, zero) - 3.0) < 1.5);
    }
    zi_trend_free(&trend);
    zi_archive_free(&archive);
}

/* A bowl whose bottom is at 50.03, in a box that is a thousandth of that wide, and zero outside of it: active
 * where that is worth the penalty of 1. */
static double far_bowl(const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < DIM; i++) {
        const double z = (x[i] - 50.03) / 0.01;
        sum += x[i] == 0.0 ? 0.0 : z * z - (i % 2 ? 2.0 : 0.5);
    }
    return sum;
}

static void its_best_point_is_that_of_the_sum(void **state)
{
    (void)state;
    for (int is_high = 0; is_high < 2; is_high++) {
        zi_archive archive = {.sign = is_high ? -1.0 : 1.0, .penalty = 1.0, .rows.width = DIM};
        zi_trend trend = {0};
        double low[DIM], high[DIM], x[DIM];
        zilch_rng rng = zilch_rng_make(8, 8);
        for (size_t i = 0; i < POINTS; i++) {
            size_t point;
            for (size_t k = 0; k < DIM; k++) {
                const double value = 50.0 + 0.05 * zilch_rng_uniform(&rng);
                x[k] = zilch_rng_uniform(&rng) < 0.5 ? value : 0.0;
            }
            assert_int_equal(zi_archive_find(&archive, x, active_of(DIM, x), 0.0, &point), ZILCH_OK);
            const double value = archive.sign * far_bowl(x) + 0.1 * deviation * zilch_rng_normal(&rng);
            zi_archive_put(&archive,
                           &(zi_evaluation){.id = i, .point = point, .value = value, .weight = 1.0});
        }
        const zi_noise little = {.squares = 0.04 * 50.0, .count = 50.0};
        assert_int_equal(zi_trend_fit(&trend, &archive, DIM, POINTS, &little), ZILCH_OK);
        assert_int_equal(trend.terms, 1 + 3 * DIM);
        for (size_t i = 0; i < DIM; i++) {
            low[i] = 50.0;
            high[i] = i == 3 ? 50.02 : 50.05;
        }
        zi_trend_minimise(&trend, &archive, low, high, x);
        for (size_t i = 0; i < DIM; i++) {
            assert_true(i % 2 ? fabs(x[i] - (i == 3 ? 50.02 : 50.03)) < 1e-3 : x[i] == 0.0);
        }
        zi_trend_free(&trend);
        zi_archive_free(&archive);
    }
}

static void assert_none(double (*f)(const double *), double noise)
{
    zi_archive archive = {.sign = 1.0, .rows.width = DIM};
    zi_trend trend = {0};
    fill(&archive, f, noise);
    assert_int_equal(zi_trend_fit(&trend, &archive, DIM, POINTS, &seen), ZILCH_OK);
    assert_int_equal(trend.terms, 0);
    for (size_t row = 0; row < POINTS; row++) {
        assert_true(archive.entry[row].estimate == archive.entry[row].value);
    }
    assert_true(zi_trend_error(&trend, 3.0) == 3.0);
    zi_trend_free(&trend);
    zi_archive_free(&archive);
}

static double huge(const double *x)
{
    return 1e200 * sum_of(x);
}

static void what_is_no_sum_has_none(void **state)
{
    (void)state;
    assert_none(product_of, 0.0);
    assert_none(huge, 0.0);             /* squares beyond all numbers */
    assert_none(sum_of, 5 * deviation); /* more noise than repeats have shown */
}

/* ---- Searches ------------------------------------------------------------------------------------ */

static zilch_status very_noisy(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        zilch_rng rng = zilch_rng_make(11, batch->id[i]);
        value[i] = distance_of(batch->dim, batch->x + i * batch->dim) + 5.0 * zilch_rng_normal(&rng);
    }
    return ZILCH_OK;
}

static zilch_optimizer *search_for(uint64_t evaluations, int smoothing, uint64_t seed)
{
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_limits limits = zilch_limits_defaults();
    options.smoothing = smoothing;
    options.penalty = 0.25;
    limits.evaluations = evaluations;
    zilch_optimizer *o = create_with(DIM, seed, &options);
    assert_int_equal(zilch_optimizer_run(o, very_noisy, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
    return o;
}

static double true_cost(const zilch_optimizer *o)
{
    double x[DIM];
    zilch_recommendation r;
    assert_int_equal(zilch_optimizer_recommend(o, very_noisy, NULL, NULL, x, &r), ZILCH_OK);
    return distance_of(DIM, x) + 0.25 * (double)active_of(DIM, x);
}

/* The best is 2: eight coordinates with a penalty of a quarter. The zero point is worth 8. */
static void a_noisy_search_gains(void **state)
{
    (void)state;
    double with = 0.0;
    double without = 0.0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        zilch_optimizer *a = search_for(10000, 1, seed);
        zilch_optimizer *b = search_for(10000, 0, seed);
        with += true_cost(a) / 4.0;
        without += true_cost(b) / 4.0;
        assert_true(a->trend.terms > 0 && b->trend.terms == 0);
        zilch_optimizer_destroy(a);
        zilch_optimizer_destroy(b);
    }
    assert_true(with < 3.5);
    assert_true(with < without - 0.5);
}

/* A copy of every moment asks for the same points, and has the same best one. */
static void a_noisy_search_goes_on(void **state)
{
    (void)state;
    enum { STEP = 37 };
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.population = 60;
    options.elites = 12;
    zilch_optimizer *a = create_with(DIM, 3, &options);
    for (int step = 0; step < 60; step++) {
        static double x[2][STEP * DIM];
        uint64_t id[2][STEP];
        double value[STEP];
        zilch_optimizer *b = copy_of(a);
        assert_true(a->archive.best == b->archive.best);
        assert_int_equal(zilch_optimizer_ask(a, STEP, id[0], x[0]), ZILCH_OK);
        assert_int_equal(zilch_optimizer_ask(b, STEP, id[1], x[1]), ZILCH_OK);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        const zilch_batch batch = {.n = STEP, .dim = DIM, .id = id[0], .x = x[0]};
        assert_int_equal(very_noisy(NULL, &batch, value), ZILCH_OK);
        assert_int_equal(zilch_optimizer_tell(a, STEP, id[0], value), ZILCH_OK);
        assert_int_equal(zilch_optimizer_tell(b, STEP, id[1], value), ZILCH_OK);
        assert_true(is_same_state(a, b));
        zilch_optimizer_destroy(step % 2 ? a : b);
        a = step % 2 ? b : a;
    }
    assert_true(a->trend.terms > 0);
    zilch_optimizer_destroy(a);
}

/* The more likely to fail, the cheaper: the cheapest value that can be seen is 0, of a point that fails
 * nearly always, and at best 1.4 can be had for sure. */
static double chance_to_fail(const double *x)
{
    return 1.0 / (1.0 + exp(3.0 * (x[0] + x[1] - 0.5 * x[2] - 1.5)));
}

static double effort(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += (i < 3 ? 0.3 : 0.05) * x[i] * x[i];
    }
    return sum;
}

static zilch_status risky(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * batch->dim;
        zilch_rng rng = zilch_rng_make(12, batch->id[i]);
        value[i] = effort(batch->dim, x) + (zilch_rng_uniform(&rng) < chance_to_fail(x) ? 10.0 : 0.0);
    }
    return ZILCH_OK;
}

/* What is good in the mean is the best point, not what was lucky: if standard errors did not count, it would
 * be worth 8.6 with the second seed. */
static void luck_is_not_learned(void **state)
{
    (void)state;
    enum { RISKY_DIM = 12, EVALUATIONS = 10000 };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        zilch_optimizer_options options = zilch_optimizer_defaults();
        zilch_limits limits = zilch_limits_defaults();
        double x[RISKY_DIM];
        zilch_record best;
        options.penalty = 0.05;
        limits.evaluations = EVALUATIONS;
        zilch_optimizer *o = create_with(RISKY_DIM, seed, &options);
        assert_int_equal(zilch_optimizer_run(o, risky, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
        assert_int_equal(zilch_optimizer_best(o, x, &best), ZILCH_OK);
        const double cost = effort(RISKY_DIM, x) + 10.0 * chance_to_fail(x);
        assert_true(cost < 3.0);
        zilch_optimizer_destroy(o);
    }
}

/* ---- Populations ------------------------------------------------------------------------------------- */

static void noise_and_budget_decide(void **state)
{
    (void)state;
    static const uint64_t budgets[] = {100, 3500, 35000, 1000000};
    static const size_t exact[] = {20, 20, 175, 500};
    static const size_t noisy[] = {20, 70, 1000, 2000};
    for (size_t i = 0; i < COUNT(budgets); i++) {
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.expected_evaluations = budgets[i];
        zilch_optimizer *o = create_with(DIM, 1, &options);
        assert_int_equal(zi_turn_population(o), exact[i]);
        o->noise = seen;
        assert_int_equal(zi_turn_population(o), noisy[i]);
        assert_int_equal(zi_turn_elites(o, noisy[i]), noisy[i] / 5);
        zilch_optimizer_destroy(o);
    }
    zilch_optimizer *o = search_for(1400, 1, 1); /* which knows from its limits */
    assert_int_equal(zi_turn_population(o), 28);
    zilch_optimizer_destroy(o);
    zilch_optimizer_options options = zilch_optimizer_defaults();
    o = create_with(DIM, 1, &options); /* which does not know, and has made as many evaluations as this */
    o->first_id = 7000;
    o->noise = seen;
    assert_int_equal(zi_turn_population(o), 600);
    o->first_id = 3500;
    assert_int_equal(zi_turn_population(o), 300);
    zilch_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_found),
        cmocka_unit_test(a_part_is_enough),
        cmocka_unit_test(what_is_no_sum_has_none),
        cmocka_unit_test(a_noisy_search_gains),
        cmocka_unit_test(its_best_point_is_that_of_the_sum),
        cmocka_unit_test(luck_is_not_learned),
        cmocka_unit_test(a_noisy_search_goes_on),
        cmocka_unit_test(noise_and_budget_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
