/* What the search learns beside the law: how noisy the values are, which elites to look at again, when to
 * begin anew; and that an interruption at any moment changes nothing of it. Statistical bounds have fixed
 * seeds; each says how far from it the value is. */
#include "search_support.h"

enum { DIM = 6, N = 24, K = 6 };

static const zilch_method laws[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_GAUSSIAN, ZILCH_METHOD_ADHOC,
                                    ZILCH_METHOD_EA};

/* A generation of values that only the points decide; gives how many were evaluated before. */
static size_t run_exactly(zilch_optimizer *o, asked *a)
{
    const uint64_t known = zilch_optimizer_progress(o).points;
    const size_t n = zilch_optimizer_settings(o)->population;
    a->n = 0;
    ask_more(o, n, a);
    for (size_t i = 0; i < n; i++) {
        a->value[i] = distance_of(a->dim, a->x + i * a->dim);
    }
    tell_some(o, a, 0, n);
    return n - (size_t)(zilch_optimizer_progress(o).points - known);
}

/* ---- Noise ------------------------------------------------------------------------------------------------
 */

/* Noise of deviation `sd` on the squared distance; relative error of what is known of it. */
static double noise_after(double sd, unsigned generations, zilch_method law, zilch_aggregate archive)
{
    enum { SIDE = 20 };
    zilch_optimizer_options options = small_defaults(law, 200, 40);
    uint64_t id[200];
    double *x = test_malloc(200 * SIDE * sizeof *x), value[200];
    options.aggregate = archive;
    options.reevaluate = ZILCH_REEVALUATE_ALL;
    zilch_optimizer *o = create_with(SIDE, 31, &options);
    for (unsigned g = 0; g < generations; g++) {
        assert_int_equal(zilch_optimizer_ask(o, 200, id, x), ZILCH_OK);
        for (size_t i = 0; i < 200; i++) {
            zilch_rng rng = zilch_rng_make(32, id[i]);
            value[i] = distance_of(SIDE, x + i * SIDE) + sd * zilch_rng_normal(&rng);
        }
        assert_int_equal(zilch_optimizer_tell(o, 200, id, value), ZILCH_OK);
    }
    const double noise = zilch_optimizer_progress(o).noise;
    zilch_optimizer_destroy(o);
    test_free(x);
    return noise / sd - 1.0;
}

/* While points differ by more than noise, it is known to 15 %. Where all are equally good, the elites are the
 * lucky ones, whose first values lie too low: it seems larger, by up to two fifths. */
static void noise_is_measured(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(laws); k++) {
        const zilch_aggregate archive = k / COUNT(laws) ? ZILCH_AGGREGATE_LATEST : ZILCH_AGGREGATE_MEAN;
        const double early = noise_after(0.1, 8, laws[k % COUNT(laws)], archive);
        const double late = noise_after(0.1, 50, laws[k % COUNT(laws)], archive);
        print_message("    %-6s %-6s %+.3f after 8 generations, %+.3f after 50\n",
                      zilch_method_name(laws[k % COUNT(laws)]), zilch_aggregate_name(archive), early, late);
        assert_true(fabs(early) < 0.15);
        assert_true(late > -0.15 && late < 0.42);
    }
}

static void noise_is_not_known_at_first(void **state)
{
    (void)state;
    static asked a;
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *o = create_with(DIM, 1, &options);
    assert_true(isnan(zilch_optimizer_progress(o).noise));
    run_exactly(o, &a);
    assert_true(isnan(zilch_optimizer_progress(o).noise));
    run_exactly(o, &a);
    assert_true(zilch_optimizer_progress(o).noise == 0.0);
    zilch_optimizer_destroy(o);
}

/* Two values v and w of one point say (v - w)^2 / 2, a third u then (u - (v + w) / 2)^2 2/3 where the mean is
 * kept, (u - w)^2 / 2 where the latest is; from one generation to the next a tenth is forgotten. */
static void check_noise_by_hand(zilch_aggregate archive, double third)
{
    const double x[DIM] = {1};
    static asked a;
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_EA, N, K);
    options.aggregate = archive;
    options.reevaluate = ZILCH_REEVALUATE_NONE;
    zilch_optimizer *o = create_with(DIM, 2, &options);
    static const double told[] = {3.0, 7.0, 11.0};
    for (size_t k = 0; k < COUNT(told); k++) {
        assert_int_equal(zilch_optimizer_tell_point(o, x, told[k]), ZILCH_OK);
        a.n = 0;
        ask_more(o, 1, &a);
        a.value[0] = 100.0;
        tell_some(o, &a, 0, 1);
        assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    }
    const double squares = 0.9 * 8.0 + third, count = 0.9 * 1.0 + 1.0;
    assert_int_equal(zilch_optimizer_progress(o).points, 4);
    assert_double_equal(zilch_optimizer_progress(o).noise, sqrt(squares / count), 1e-12);
    assert_int_equal(zilch_optimizer_tell_point(o, x, NAN), ZILCH_OK); /* a failure says nothing */
    a.n = 0;
    ask_more(o, 1, &a);
    assert_double_equal(zilch_optimizer_progress(o).noise, sqrt(squares / count), 1e-12);
    zilch_optimizer_destroy(o);
}

static void noise_by_hand(void **state)
{
    (void)state;
    check_noise_by_hand(ZILCH_AGGREGATE_MEAN, 36.0 * 2.0 / 3.0);
    check_noise_by_hand(ZILCH_AGGREGATE_LATEST, 16.0 / 2.0);
}

/* ---- Which are evaluated again --------------------------------------------------------------------------
 */

/* Without noise: all that may be until that is known; then the best alone, or always all, or none. Points
 * are different otherwise, but for the empty one. */
static void a_second_look_is_for_the_uncertain(void **state)
{
    (void)state;
    static asked a;
    for (zilch_reevaluate again = ZILCH_REEVALUATE_ALL; again <= ZILCH_REEVALUATE_NONE; again++) {
        for (size_t k = 0; k < COUNT(laws); k++) {
            zilch_optimizer_options options = small_defaults(laws[k], N, K);
            options.reevaluate = again;
            options.initial_p = 0.9;
            zilch_optimizer *o = create_with(DIM, 3 + k, &options);
            assert_int_equal(run_exactly(o, &a), 0);
            for (int g = 1; g < 8; g++) {
                zilch_record best;
                double x[DIM];
                assert_int_equal(zilch_optimizer_best(o, x, &best), ZILCH_OK);
                const size_t expected = again == ZILCH_REEVALUATE_NONE            ? 0
                                        : again == ZILCH_REEVALUATE_ALL || g == 1 ? K
                                                                                  : 1;
                zilch_optimizer *copy = copy_of(o);
                assert_int_equal(zilch_optimizer_ask(copy, 1, a.id, a.x), ZILCH_OK);
                assert_int_equal(copy->reevaluated, expected);
                assert_int_equal(copy->elites, K);
                assert_true(expected == 0 || memcmp(a.x, x, sizeof x) == 0);
                zilch_optimizer_destroy(copy);
                assert_in_range(run_exactly(o, &a), expected, expected + 1);
            }
            assert_true(again == ZILCH_REEVALUATE_NONE || zilch_optimizer_progress(o).noise == 0.0);
            zilch_optimizer_destroy(o);
        }
    }
}

/* Elites of values 0, 10, .. 50 and a noise of 8 that is told: those within two standard errors of the last,
 * and the best; an error that has halved makes one sure. */
static void uncertain_is_within_two_standard_errors(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_EA, N, K);
    zilch_optimizer *o = create_with(DIM, 9, &options);
    double error[N];
    a.n = 0;
    ask_more(o, N, &a);
    for (size_t i = 0; i < N; i++) {
        a.value[i] = 10.0 * (double)i;
        error[i] = i == 4 ? 4.0 : 8.0; /* 40 + 2 x 4 < 50 */
    }
    assert_int_equal(zilch_optimizer_tell_error(o, N, a.id, a.value, error), ZILCH_OK);
    static const size_t expected[] = {0, 5}; /* 40 - 4: 50 of itself; 0..3: 30 + 16 < 50 */
    asked *b = &a;
    double first[N * DIM];
    memcpy(first, a.x, sizeof first);
    b->n = 0;
    ask_more(o, N, b);
    assert_int_equal(o->reevaluated, COUNT(expected));
    for (size_t k = 0; k < COUNT(expected); k++) {
        assert_memory_equal(b->x + k * DIM, first + expected[k] * DIM, DIM * sizeof *first);
    }
    zilch_optimizer_destroy(o);
    o = create_with(DIM, 9, &options);
    a.n = 0;
    ask_more(o, N, &a);
    for (size_t i = 0; i < N; i++) {
        a.value[i] = 10.0 * (double)i;
        error[i] = 11.0; /* 28, 22 .. below 50; 30 + 22 and above are not */
    }
    assert_int_equal(zilch_optimizer_tell_error(o, N, a.id, a.value, error), ZILCH_OK);
    a.n = 0;
    ask_more(o, N, &a);
    assert_int_equal(o->reevaluated, 4); /* 0, and 30, 40, 50 */
    zilch_optimizer_destroy(o);
}

/* ---- Errors told
 * -------------------------------------------------------------------------------------------- */

/* Of the best point, which is asked again and again: the values, their errors, and what it is worth then. The
 * first error, 2, is the unit: weights 1, 4, 1 (not known), 1/4; a value without error outweighs all. */
static void errors_weigh_values(void **state)
{
    (void)state;
    static const struct {
        double value, error, mean;
    } steps[] = {{10.0, 2.0, 10.0},
                 {4.0, 1.0, (10.0 + 4.0 * 4.0) / 5.0},
                 {7.0, NAN, (10.0 + 16.0 + 7.0) / 6.0},
                 {-5.0, 4.0, (33.0 - 5.0 / 4.0) / 6.25},
                 {3.0, 0.0, 3.0}};
    for (int latest = 0; latest < 2; latest++) {
        static asked a;
        zilch_optimizer_options options = small_defaults(ZILCH_METHOD_EA, N, K);
        options.aggregate = latest ? ZILCH_AGGREGATE_LATEST : ZILCH_AGGREGATE_MEAN;
        zilch_optimizer *o = create_with(DIM, 10, &options);
        assert_true(isnan(zilch_optimizer_progress(o).noise));
        for (size_t k = 0; k < COUNT(steps); k++) {
            zilch_record record;
            double error[N];
            a.n = 0;
            ask_more(o, N, &a);
            for (size_t i = 0; i < N; i++) {
                a.value[i] = i ? 1000.0 + (double)i : steps[k].value;
                error[i] = i ? 5.0 : steps[k].error;
            }
            assert_int_equal(zilch_optimizer_tell_error(o, N, a.id, a.value, error), ZILCH_OK);
            assert_int_equal(zilch_optimizer_best(o, NULL, &record), ZILCH_OK);
            assert_int_equal(record.point, 0);
            assert_int_equal(record.evaluations, k + 1);
            assert_double_equal(record.value, latest ? steps[k].value : steps[k].mean, 1e-10);
            assert_true(zilch_optimizer_progress(o).noise == 2.0);
        }
        zilch_optimizer_destroy(o);
    }
}

/* Of an evaluation that failed nothing is known: the unit is the first error of one that did not, 2, and a
 * failure weighs 1, whatever its error. */
static void the_error_of_a_failure_is_not_looked_at(void **state)
{
    (void)state;
    static const double failure[] = {NAN, INFINITY, -INFINITY};
    static asked a;
    for (size_t k = 0; k < 2 * COUNT(failure); k++) {
        zilch_optimizer_options options = small_defaults(ZILCH_METHOD_EA, N, K);
        double error[N];
        size_t count;
        options.aggregate = k % 2 ? ZILCH_AGGREGATE_LATEST : ZILCH_AGGREGATE_MEAN;
        zilch_optimizer *o = create_with(DIM, 10, &options);
        for (int g = 0; g < 3; g++) {
            a.n = 0;
            ask_more(o, N, &a);
            for (size_t i = 0; i < N; i++) { /* the first, and then among the others */
                const int failed = i < 2 || i == 9;
                a.value[i] = failed ? failure[k / 2] : a.value[i];
                error[i] = failed ? 1e-3 * (double)(i + 1) : i % 2 ? 1.0 : 2.0;
            }
            assert_int_equal(zilch_optimizer_tell_error(o, N, a.id, a.value, error), ZILCH_OK);
            assert_true(zilch_optimizer_progress(o).noise == 2.0);
            const zi_evaluation *told = zi_optimizer_new_evaluations(o, &count);
            assert_int_equal(count, N);
            for (size_t i = 0; i < N; i++) {
                const double weight = isfinite(told[i].value) && i % 2 ? 4.0 : 1.0;
                assert_true(told[i].id == a.id[i] && told[i].weight == weight);
            }
        }
        assert_int_equal(zilch_optimizer_progress(o).failures, 9);
        zilch_optimizer_destroy(o);
    }
}

/* Without errors zilch_optimizer_tell_error is zilch_optimizer_tell. */
static void unknown_errors_are_none(void **state)
{
    (void)state;
    static asked a;
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *o[3];
    double error[N];
    for (size_t k = 0; k < 3; k++) {
        o[k] = create_with(DIM, 11, &options);
    }
    for (size_t i = 0; i < N; i++) {
        error[i] = NAN;
    }
    for (int g = 0; g < 4; g++) {
        for (size_t k = 0; k < 3; k++) {
            a.n = 0;
            ask_more(o[k], N, &a);
            assert_int_equal(k == 0   ? zilch_optimizer_tell(o[k], N, a.id, a.value)
                             : k == 1 ? zilch_optimizer_tell_error(o[k], N, a.id, a.value, NULL)
                                      : zilch_optimizer_tell_error(o[k], N, a.id, a.value, error),
                             ZILCH_OK);
        }
    }
    assert_true(is_same_state(o[0], o[1]) && is_same_state(o[0], o[2]));
    for (size_t k = 0; k < 3; k++) {
        zilch_optimizer_destroy(o[k]);
    }
}

/* Each with an error of its own, or none; in which order they are told does not matter. */
static void the_order_of_errors_does_not_matter(void **state)
{
    (void)state;
    static asked a;
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *o[2] = {create_with(DIM, 12, &options), create_with(DIM, 12, &options)};
    for (int g = 0; g < 5; g++) {
        for (int backwards = 0; backwards < 2; backwards++) {
            a.n = 0;
            ask_more(o[backwards], N, &a);
            for (size_t k = 0; k < N; k++) {
                const size_t i = backwards ? N - 1 - k : k;
                const double error = a.id[i] % 3 ? 0.1 + noise_of(a.id[i] + 1000) : NAN;
                assert_int_equal(zilch_optimizer_tell_error(o[backwards], 1, &a.id[i], &a.value[i], &error),
                                 ZILCH_OK);
            }
        }
        assert_true(is_same_state(o[0], o[1]));
    }
    assert_true(zilch_optimizer_progress(o[0]).noise == 0.1 + noise_of(1001)); /* id 1 is the first */
    zilch_optimizer_destroy(o[0]);
    zilch_optimizer_destroy(o[1]);
}

static void impossible_errors_take_nothing(void **state)
{
    (void)state;
    static asked a;
    static const double bad[] = {-1.0, -1e-300, INFINITY, -INFINITY};
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_EA, N, K);
    zilch_optimizer *o = create_with(DIM, 13, &options);
    a.n = 0;
    ask_more(o, N, &a);
    for (size_t k = 0; k < COUNT(bad); k++) {
        const packed before = pack_of(o);
        const double error[] = {0.5, 0.5, bad[k]};
        assert_int_equal(zilch_optimizer_tell_error(o, 3, a.id, a.value, error), ZILCH_EARG);
        assert_non_null(strstr(zilch_last_error(), "tell: point 2 (counted from 0): the standard error is "));
        const packed after = pack_of(o);
        assert_int_equal(before.length, after.length);
        assert_memory_equal(before.data, after.data, before.length);
        free(before.data);
        free(after.data);
    }
    const double zeros[N] = {0.0, -0.0};
    assert_int_equal(zilch_optimizer_tell_error(o, N, a.id, a.value, zeros), ZILCH_OK);
    assert_true(isnan(zilch_optimizer_progress(o).noise)); /* no unit yet: all count the same */
    assert_int_equal(zilch_optimizer_tell_error(NULL, 0, NULL, NULL, NULL), ZILCH_EARG);
    zilch_optimizer_destroy(o);
}

/* ---- Restarts
 * ------------------------------------------------------------------------------------------------- */

enum { RESTART = 3 };

/* The better, the later, until generation 4 (from 0); nothing as good after that. */
static double stalling_value(uint64_t generation, const asked *a, size_t i)
{
    const double level = generation < 5 ? 100.0 - 10.0 * (double)generation : 1000.0 - (double)generation;
    return level + noise_of(a->id[i]);
}

static void run_stalling(zilch_optimizer *o, asked *a)
{
    const uint64_t generation = zilch_optimizer_progress(o).generations;
    a->n = 0;
    ask_more(o, N, a);
    for (size_t i = 0; i < N; i++) {
        a->value[i] = stalling_value(generation, a, i);
    }
    tell_some(o, a, 0, N);
    restart_if_stalled(o, RESTART);
}

/* What a generation's first law gives: no elite, random numbers of its own. */
static void assert_begun_anew(const zilch_optimizer *o, uint64_t seed, uint64_t generation, const asked *a)
{
    double genome[N * 2 * DIM], x[DIM];
    const zi_draw draw = {.options = zilch_optimizer_settings(o),
                          .dim = DIM,
                          .width = o->width,
                          .first = &o->first,
                          .rng = zilch_rng_make(seed, 2 * generation),
                          .rows = N,
                          .genome = genome};
    assert_int_equal(zi_draw_first(&draw), ZILCH_OK);
    for (size_t i = 0; i < N; i++) {
        zi_law_point(o->options.method, DIM, genome + i * o->width, x);
        assert_memory_equal(a->x + i * DIM, x, sizeof x);
    }
}

/* Generation 5 (from 1) has found the best; 6, 7 and 8 find nothing better; 9 is a first one again. Each
 * generation is better than the last from then on, within the epoch: no second restart. */
static void a_search_that_stalls_begins_anew(void **state)
{
    (void)state;
    static asked a;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer_options options = small_defaults(laws[k], N, K);
        options.smoothing = 0; /* values have no trend here, but a generation */
        options.aggregate = ZILCH_AGGREGATE_LATEST;
        zilch_optimizer *o = create_with(DIM, 20, &options);
        for (unsigned g = 1; g <= 8; g++) {
            assert_int_equal(zilch_optimizer_progress(o).restarts, 0);
            run_stalling(o, &a);
        }
        const size_t before = (size_t)zilch_optimizer_progress(o).points;
        zilch_record best, still;
        assert_int_equal(zilch_optimizer_best(o, NULL, &best), ZILCH_OK);
        assert_int_equal(zilch_optimizer_progress(o).restarts, 1);
        assert_int_equal(zilch_optimizer_progress(o).improved, 5);
        assert_true(zilch_optimizer_progress(o).scale == 1.0);
        assert_null(o->law_state.p);
        run_stalling(o, &a);
        assert_begun_anew(o, 20, 8, &a);
        for (unsigned g = 10; g <= 16; g++) {
            a.n = 0;
            zilch_optimizer *copy = copy_of(o);
            ask_more(copy, N, &a);
            assert_int_equal(copy->elites, K);
            for (size_t i = 0; i < K; i++) { /* of this epoch alone */
                assert_true(copy->elite[i] >= before);
            }
            zilch_optimizer_destroy(copy);
            run_stalling(o, &a);
            assert_int_equal(zilch_optimizer_progress(o).generations, g);
            assert_int_equal(zilch_optimizer_progress(o).restarts, 1);
        }
        assert_int_equal(zilch_optimizer_best(o, NULL, &still), ZILCH_OK); /* of before, and not forgotten */
        assert_int_equal(still.point, best.point);
        assert_true(still.value == best.value && still.evaluations == best.evaluations);
        assert_int_equal(zilch_optimizer_progress(o).improved, 5);
        zilch_optimizer_destroy(o);
    }
}

/* Foreign points after a restart belong to the new epoch; fewer than the elites, the others are of the first
 * law, as at the beginning. */
static void foreign_points_may_begin_an_epoch(void **state)
{
    (void)state;
    static asked a;
    const double x[2][DIM] = {{0, 1, 0, 2, 0, 3}, {1, 0, 0, 0, 5, 0}};
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *o = create_with(DIM, 22, &options);
    while (zilch_optimizer_progress(o).restarts == 0) {
        run_stalling(o, &a);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(zilch_optimizer_tell_point(o, x[i], 500.0 + (double)i), ZILCH_OK);
    }
    const uint64_t generation = zilch_optimizer_progress(o).generations;
    a.n = 0;
    ask_more(o, N, &a);
    assert_memory_equal(a.x, x, sizeof x);
    assert_int_equal(o->elites, 2);
    assert_null(o->fitted.model);
    double genome[(N - 2) * DIM];
    const zi_draw draw = {.options = &options,
                          .dim = DIM,
                          .width = DIM,
                          .first = &o->first,
                          .rng = zilch_rng_make(22, 2 * generation),
                          .rows = N - 2,
                          .genome = genome};
    assert_int_equal(zi_draw_first(&draw), ZILCH_OK);
    assert_memory_equal(a.x + 2 * DIM, genome, sizeof genome);
    zilch_optimizer_destroy(o);
}

/* A generation that closes with half of its values; the others stay out. */
static void run_half(zilch_optimizer *o, asked *a)
{
    const uint64_t generation = zilch_optimizer_progress(o).generations;
    a->n = 0;
    ask_more(o, N, a);
    for (size_t i = 0; i < N; i++) {
        a->value[i] = stalling_value(generation, a, i);
    }
    tell_some(o, a, 0, N / 2);
    assert_int_equal(zilch_optimizer_progress(o).generations, generation + 1);
    restart_if_stalled(o, RESTART);
}

/* Late values of two points, better than all. */
static void tell_late(zilch_optimizer *o, asked *late, size_t first)
{
    for (size_t i = first; i < first + 2; i++) {
        late->value[i] = -1000.0 - (double)i;
    }
    tell_some(o, late, first, 2);
}

static void assert_elites_since(const zilch_optimizer *o, uint64_t first_id)
{
    assert_int_equal(o->elites, K);
    for (size_t k = 0; k < K; k++) {
        assert_true(o->archive.entry[o->elite[k]].id >= first_id);
        assert_true(o->archive.entry[o->elite[k]].value > 0.0);
    }
}

/* What was asked for before a restart and is told after it, before the next generation opens, while it is
 * open, or later, is kept, but is no elite of the new epoch, and does not count as its best. */
static void late_values_of_before_a_restart_are_no_elites(void **state)
{
    (void)state;
    static asked before, a;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer_options options = small_defaults(laws[k], N, K);
        options.quorum = 0.5;
        zilch_optimizer *o = create_with(DIM, 23, &options);
        zilch_record best;
        double x[DIM];
        while (zilch_optimizer_progress(o).restarts == 0) {
            run_half(o, &before);
        }
        const uint64_t generation = zilch_optimizer_progress(o).generations;
        const uint64_t first_id = before.id[N - 1] + 1;
        assert_int_equal(generation, 8);
        tell_late(o, &before, N / 2);
        a.n = 0;
        ask_more(o, N, &a);
        assert_int_equal(o->elites, 0);
        assert_int_equal(a.id[0], first_id);
        assert_begun_anew(o, 23, generation, &a);
        tell_late(o, &before, N / 2 + 2);
        for (size_t i = 0; i < N; i++) {
            a.value[i] = stalling_value(generation, &a, i);
        }
        tell_some(o, &a, 0, N / 2);
        for (unsigned g = 0; g < 5; g++) {
            if (g < 3) {
                tell_late(o, &before, N / 2 + 4 + 2 * g);
            }
            zilch_optimizer *copy = copy_of(o);
            assert_int_equal(zilch_optimizer_ask(copy, 1, a.id, a.x), ZILCH_OK);
            assert_elites_since(copy, first_id);
            zilch_optimizer_destroy(copy);
            run_half(o, &a);
            assert_int_equal(zilch_optimizer_progress(o).restarts, 1);
        }
        assert_int_equal(zilch_optimizer_best(o, x, &best), ZILCH_OK); /* and yet */
        assert_true(best.value == -1000.0 - (double)(N / 2 + 9));
        assert_memory_equal(x, before.x + (N / 2 + 9) * DIM, sizeof x);
        assert_true(o->epoch.least_cost > 0.0);
        zilch_optimizer_destroy(o);
    }
}

/* Coordinates that are on, at 1, or off: 64 points, all of which have been seen soon. Those that come again
 * after a restart are its elites all the same. */
static void a_restart_finds_elites_among_few_points(void **state)
{
    (void)state;
    static const double one[DIM] = {1, 1, 1, 1, 1, 1};
    static const zilch_method with_masks[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_EA};
    for (size_t k = 0; k < COUNT(with_masks); k++) {
        for (zilch_reevaluate again = ZILCH_REEVALUATE_ALL; again <= ZILCH_REEVALUATE_NONE; again++) {
            static asked a;
            zilch_optimizer_options options = small_defaults(with_masks[k], N, K);
            options.lower = options.upper = one;
            options.reevaluate = again;
            zilch_optimizer *o = create_with(DIM, 24, &options);
            for (int g = 0; g < 60; g++) {
                const int is_first = o->generations == o->epoch.begin;
                zilch_optimizer *copy = copy_of(o);
                assert_int_equal(zilch_optimizer_ask(copy, 1, a.id, a.x), ZILCH_OK);
                assert_int_equal(copy->elites, is_first ? 0 : K);
                for (size_t i = 0; i < copy->elites; i++) {
                    assert_true(copy->archive.entry[copy->elite[i]].id >= copy->epoch.first_id);
                }
                zilch_optimizer_destroy(copy);
                run_exactly(o, &a);
                restart_if_stalled(o, RESTART);
            }
            assert_true(zilch_optimizer_progress(o).restarts >= 10);
            assert_in_range(zilch_optimizer_progress(o).points, 48, 64);
            assert_true(zilch_optimizer_progress(o).best_value == 0.0);
            zilch_optimizer_destroy(o);
        }
    }
}

/* ---- Interruptions
 * ---------------------------------------------------------------------------------------------- */

enum { KINDS = 6, MOMENTS = 14 };

/* The defaults, then what else there is to keep. */
static zilch_optimizer_options options_of_kind(unsigned kind)
{
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    options.structure = kind == 1                ? ZILCH_STRUCTURE_DIAGONAL
                        : kind == 2 || kind == 5 ? ZILCH_STRUCTURE_LOW_RANK
                                                 : ZILCH_STRUCTURE_FULL;
    options.weighting = kind == 3 ? ZILCH_WEIGHTING_EQUAL : ZILCH_WEIGHTING_LINEAR;
    options.aggregate = kind == 3 || kind == 5 ? ZILCH_AGGREGATE_MEAN : ZILCH_AGGREGATE_LATEST;
    if (kind == 4) {
        options.prior_sigma = 0.0;
        options.reevaluate = ZILCH_REEVALUATE_ALL;
    }
    return options;
}

static void interrupt(zilch_optimizer **o)
{
    zilch_optimizer *copy = copy_of(*o);
    assert_true(is_same_state(copy, *o));
    zilch_optimizer_destroy(*o);
    *o = copy;
}

/* A generation: before the first ask, after a part is asked, after some are told, after all but one; more
 * is asked for than a population at the end. Interrupted where the bits of `when` say. */
static void run_interrupted(zilch_optimizer **o, unsigned when, int is_restless)
{
    static asked a;
    a.n = 0;
    if (when & 1) {
        interrupt(o);
    }
    ask_more(*o, N / 2, &a);
    if (when & 2) {
        interrupt(o);
    }
    tell_some(*o, &a, 1, 4);
    if (when & 4) {
        interrupt(o);
    }
    ask_more(*o, N, &a); /* of another piece of the same law */
    if (when & 8) {
        interrupt(o);
    }
    tell_some(*o, &a, 5, N - 5);
    if (when & 16) {
        interrupt(o);
    }
    tell_some(*o, &a, N, 4);
    if (is_restless) {
        restart_if_stalled(*o, 1);
    }
}

static void an_interruption_at_any_moment_changes_nothing(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const zilch_optimizer_options options = options_of_kind(kind);
        zilch_optimizer *plain = create_with(DIM, 40 + kind, &options);
        for (int g = 0; g < MOMENTS; g++) {
            run_interrupted(&plain, 0, kind == 5);
        }
        assert_true(kind != 5 || zilch_optimizer_progress(plain).restarts > 1);
        for (unsigned when = 1; when < 32; when = when < 16 ? 2 * when : when + 15) {
            zilch_optimizer *o = create_with(DIM, 40 + kind, &options);
            for (int g = 0; g < MOMENTS; g++) {
                run_interrupted(&o, when, kind == 5);
            }
            assert_true(is_same_state(o, plain));
            zilch_optimizer_destroy(o);
        }
        zilch_optimizer_destroy(plain);
    }
}

/* Once, in each generation around a restart. */
static void an_interruption_at_a_restart_changes_nothing(void **state)
{
    (void)state;
    static asked a;
    for (size_t k = 0; k < COUNT(laws); k++) {
        const zilch_optimizer_options options = small_defaults(laws[k], N, K);
        zilch_optimizer *plain = create_with(DIM, 50, &options);
        for (int g = 0; g < 12; g++) {
            run_stalling(plain, &a);
        }
        assert_int_equal(zilch_optimizer_progress(plain).restarts, 1);
        for (int at = 0; at < 12; at++) {
            zilch_optimizer *o = create_with(DIM, 50, &options);
            for (int g = 0; g < 12; g++) {
                if (g == at) {
                    interrupt(&o);
                }
                run_stalling(o, &a);
            }
            assert_true(is_same_state(o, plain));
            zilch_optimizer_destroy(o);
        }
        zilch_optimizer_destroy(plain);
    }
}

/* Down a slope that never ends, with values above 1,000: the law follows, and becomes wider and wider. */
static void run_down_a_slope(zilch_optimizer *o)
{
    static asked a;
    a.n = 0;
    ask_more(o, N, &a);
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < DIM; j++) {
            sum += a.x[i * DIM + j];
        }
        a.value[i] = 1e3 * (2.0 - sum / (1.0 + fabs(sum)));
    }
    tell_some(o, &a, 0, N);
}

static void an_interruption_on_a_slope_changes_nothing(void **state)
{
    (void)state;
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *plain = create_with(DIM, 60, &options), *broken = create_with(DIM, 60, &options);
    double widest = 1.0;
    for (int g = 0; g < 20; g++) {
        run_down_a_slope(plain);
        interrupt(&broken);
        run_down_a_slope(broken);
        const zilch_progress p = zilch_optimizer_progress(plain), q = zilch_optimizer_progress(broken);
        assert_true(p.scale == q.scale && p.best_value == q.best_value);
        widest = fmax(widest, p.scale);
    }
    assert_true(is_same_state(plain, broken));
    assert_true(widest > 1.5 && zilch_optimizer_progress(plain).best_value < 1001.0);
    zilch_optimizer_destroy(plain);
    zilch_optimizer_destroy(broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_measured),
        cmocka_unit_test(noise_is_not_known_at_first),
        cmocka_unit_test(noise_by_hand),
        cmocka_unit_test(a_second_look_is_for_the_uncertain),
        cmocka_unit_test(uncertain_is_within_two_standard_errors),
        cmocka_unit_test(errors_weigh_values),
        cmocka_unit_test(the_error_of_a_failure_is_not_looked_at),
        cmocka_unit_test(unknown_errors_are_none),
        cmocka_unit_test(the_order_of_errors_does_not_matter),
        cmocka_unit_test(impossible_errors_take_nothing),
        cmocka_unit_test(a_search_that_stalls_begins_anew),
        cmocka_unit_test(foreign_points_may_begin_an_epoch),
        cmocka_unit_test(late_values_of_before_a_restart_are_no_elites),
        cmocka_unit_test(a_restart_finds_elites_among_few_points),
        cmocka_unit_test(an_interruption_at_any_moment_changes_nothing),
        cmocka_unit_test(an_interruption_at_a_restart_changes_nothing),
        cmocka_unit_test(an_interruption_on_a_slope_changes_nothing),
    };
    return cmocka_run_group_tests_name("learning", tests, NULL, NULL);
}
