/* Ask and tell: portions and orders that change nothing, what comes late or never, failures, foreign points,
 * and what is refused. States are compared as bytes. */
#include "base/bytes.h"
#include "search_support.h"

enum { DIM = 5, N = 12, K = 4 };

static const zilch_method laws[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_GAUSSIAN, ZILCH_METHOD_ADHOC,
                                    ZILCH_METHOD_EA};

/* ---- Options ---------------------------------------------------------------------------------------- */

static void defaults_are_as_documented(void **state)
{
    (void)state;
    const zilch_optimizer_options o = zilch_optimizer_defaults();
    assert_int_equal(o.size, sizeof o);
    assert_true(o.method == ZILCH_METHOD_DEFAULT && o.direction == ZILCH_MINIMIZE &&
                o.aggregate == ZILCH_AGGREGATE_LATER);
    assert_true(o.reevaluate == ZILCH_REEVALUATE_UNCERTAIN);
    assert_true(o.population == 0 && o.elites == 0 && o.quorum == 1.0 && o.penalty == 0.0);
    assert_true(o.initial_p == 0.5 && o.initial_mu == 0.0 && o.initial_sigma == 2.0);
    assert_true(o.initial_spread == 0.1);
    assert_true(o.prior_sigma == 5.0 && o.weighting == ZILCH_WEIGHTING_LINEAR);
    assert_true(o.margin == 0.5 && o.reactivation == 0.5);
    assert_true(o.structure == ZILCH_STRUCTURE_FULL && o.rank == 10 && o.archive_size == 0);
    assert_true(o.sigma_floor == 0.0 && !o.networks);
    assert_true(o.recombination == 0.02 && o.immigrants == 0.05);
    assert_true(o.mean_shift == 0.25 && o.variance_scaling == 1 && o.refinement == 1);
    assert_true(o.inverter == ZILCH_EXACT && o.shrinkage == ZILCH_SHRINK_FISHER);
    assert_true(o.projection == ZILCH_CLIP);
    assert_true(o.min_active == 0 && o.max_active == 0 && !o.forced && !o.group && !o.lower && !o.upper);
    zilch_optimizer *search;
    assert_int_equal(zilch_optimizer_create(&search, 3, 17, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_settings(search)->population, 0);
    assert_int_equal(zilch_optimizer_settings(search)->elites, 0);
    assert_int_equal(zilch_optimizer_dim(search), 3);
    assert_int_equal(zilch_optimizer_seed(search), 17);
    zilch_optimizer_destroy(search);
    for (size_t k = 1; k < COUNT(four_methods); k++) { /* where no population is chosen automatically */
        const zilch_optimizer_options other = zilch_method_defaults(four_methods[k]);
        assert_int_equal(zilch_optimizer_create(&search, 3, 17, &other), ZILCH_OK);
        assert_int_equal(zilch_optimizer_settings(search)->population, 500);
        assert_int_equal(zilch_optimizer_settings(search)->elites, 100);
        zilch_optimizer_destroy(search);
    }
    zilch_optimizer_destroy(NULL);
}

/* Elites that are not chosen are a fifth of the population, at least 2. */
static void elites_are_a_fifth(void **state)
{
    (void)state;
    static const size_t cases[][2] = {{3, 2}, {4, 2}, {14, 2}, {15, 3}, {19, 3}, {20, 4}, {500, 100}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, cases[k][0], 0);
        zilch_optimizer *o = create_with(DIM, 1, &options);
        assert_int_equal(zilch_optimizer_settings(o)->elites, cases[k][1]);
        zilch_optimizer_destroy(o);
    }
    const zilch_optimizer_options two = small_defaults(ZILCH_METHOD_DEFAULT, 2, 0); /* has no room for them */
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, DIM, 1, &two), ZILCH_EARG);
    assert_null(o);
}

typedef void (*change)(zilch_optimizer_options *o);
#define CHANGE(name, what)                       \
    static void name(zilch_optimizer_options *o) \
    {                                            \
        what;                                    \
    }
CHANGE(no_size, o->size = 0)
CHANGE(no_law, o->method = (zilch_method)5)
CHANGE(no_direction, o->direction = (zilch_direction)2)
CHANGE(no_archive, o->aggregate = (zilch_aggregate)3)
CHANGE(one_elite, o->elites = 1)
CHANGE(only_elites, o->elites = o->population)
CHANGE(no_population, o->population = 0)
CHANGE(huge_population, o->population = SIZE_MAX / 4)
CHANGE(no_share, o->quorum = 0.0)
CHANGE(more_than_all, o->quorum = 1.0001)
CHANGE(share_of_nothing, o->quorum = NAN)
CHANGE(endless_price, o->penalty = INFINITY)
CHANGE(negative_price, o->penalty = -1e-300)
CHANGE(negative_p, o->initial_p = -0.1)
CHANGE(large_p, o->initial_p = 1.1)
CHANGE(p_of_nothing, o->initial_p = NAN)
CHANGE(endless_mu, o->initial_mu = INFINITY)
CHANGE(negative_sigma, o->initial_sigma = -1.0)
CHANGE(endless_sigma, o->initial_sigma = INFINITY)
CHANGE(no_again, o->reevaluate = (zilch_reevaluate)3)
CHANGE(negative_spread, o->initial_spread = -0.1)
CHANGE(whole_spread, o->initial_spread = 1.0)
CHANGE(spread_of_nothing, o->initial_spread = NAN)
CHANGE(negative_prior, o->prior_sigma = -1.0)
CHANGE(endless_prior, o->prior_sigma = INFINITY)
CHANGE(huge_prior, o->prior_sigma = 1.1e6)
CHANGE(prior_sigma_of_nothing, o->prior_sigma = NAN)
CHANGE(wide_margin, o->margin = 0.5 * DIM + 0.01)
CHANGE(negative_margin, o->margin = -0.1)
CHANGE(timid_beyond_all, o->reactivation = 1.01)
CHANGE(copied_beyond_all, o->recombination = 1.01)
CHANGE(redrawn_below_none, o->immigrants = -0.01)
CHANGE(shift_beyond_all, o->mean_shift = 1.01)
CHANGE(negative_shift, o->mean_shift = -0.01)
CHANGE(no_weighting, o->weighting = (zilch_weighting)2)
CHANGE(widened_twice, o->variance_scaling = 2)
CHANGE(no_inverter, o->inverter = (zilch_inverter)7)

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const change changes[] = {no_size,
                                     no_law,
                                     no_direction,
                                     no_archive,
                                     one_elite,
                                     only_elites,
                                     no_population,
                                     huge_population,
                                     no_share,
                                     more_than_all,
                                     share_of_nothing,
                                     endless_price,
                                     negative_p,
                                     large_p,
                                     p_of_nothing,
                                     endless_mu,
                                     negative_sigma,
                                     endless_sigma,
                                     no_inverter,
                                     no_again,
                                     negative_spread,
                                     whole_spread,
                                     spread_of_nothing,
                                     prior_sigma_of_nothing,
                                     negative_prior,
                                     endless_prior,
                                     huge_prior,
                                     negative_price,
                                     wide_margin,
                                     negative_margin,
                                     timid_beyond_all,
                                     copied_beyond_all,
                                     redrawn_below_none,
                                     shift_beyond_all,
                                     negative_shift,
                                     no_weighting,
                                     widened_twice};
    for (size_t k = 0; k < COUNT(changes); k++) {
        zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, N, K);
        zilch_optimizer *o = (zilch_optimizer *)&options;
        changes[k](&options);
        if (zilch_optimizer_create(&o, DIM, 1, &options) != ZILCH_EARG || o) {
            fail_msg("change %zu", k);
        }
        assert_true(*zilch_last_error());
    }
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, 0, 1, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_create(&o, SIZE_MAX / 2, 1, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_create(NULL, 1, 1, NULL), ZILCH_EARG);
}

static void extreme_options_are_accepted(void **state)
{
    (void)state;
    zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, 3, 2);
    options.quorum = 1e-6;
    options.initial_p = 0.0;
    options.initial_sigma = 0.0;
    options.penalty = DBL_MAX;
    for (size_t k = 0; k < COUNT(laws); k++) {
        static asked a;
        options.method = laws[k];
        zilch_optimizer *o = create_with(1, UINT64_MAX, &options);
        for (int g = 0; g < 4; g++) {
            a.n = 0;
            ask_more(o, 3, &a);
            tell_some(o, &a, 1, 1); /* one is enough */
            assert_int_equal(zilch_optimizer_progress(o).generations, g + 1);
        }
        zilch_optimizer_destroy(o);
    }
}

/* The caller's arrays may go, once the optimiser is there. */
static void options_are_copied(void **state)
{
    (void)state;
    static asked a;
    zilch_forced forced[DIM] = {ZILCH_FORCED_ON};
    size_t group[DIM] = {0, 2, 2, 0, 0};
    double lower[DIM] = {-1, -1, -1, -1, -1}, upper[DIM] = {1, 1, 1, 1, 1};
    zilch_networks *networks;
    zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, N, K);
    assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
    options.forced = forced;
    options.group = group;
    options.lower = lower;
    options.upper = upper;
    options.inverter = ZILCH_AMORTISED;
    options.networks = networks;
    zilch_optimizer *o = create_with(DIM, 1, &options);
    memset(forced, 0x77, sizeof forced);
    memset(group, 0x77, sizeof group);
    memset(lower, 0x77, sizeof lower);
    memset(upper, 0x77, sizeof upper);
    zilch_networks_destroy(networks);
    assert_int_equal(zilch_optimizer_settings(o)->forced[0], ZILCH_FORCED_ON);
    assert_int_equal(zilch_optimizer_settings(o)->group[2], 2);
    assert_true(zilch_optimizer_settings(o)->lower[4] == -1.0);
    run_generations(o, 2);
    a.n = 0;
    ask_more(o, N, &a);
    for (size_t i = 0; i < N; i++) {
        const double *x = a.x + i * DIM;
        assert_true(x[0] != 0.0 && (x[1] == 0.0) == (x[2] == 0.0) && fabs(x[3]) <= 1.0);
    }
    zilch_optimizer_destroy(o);
}

/* ---- A function of the seed ---------------------------------------------------------------------------- */

/* Of every law as published, then with the defaults. */
static zilch_optimizer *either_optimizer(size_t k, uint64_t seed)
{
    const zilch_method law = laws[k % COUNT(laws)];
    const zilch_optimizer_options options = small_defaults(law, N, K);
    return k / COUNT(laws) % 2 ? create_with(DIM, seed, &options) : small_optimizer(law, DIM, seed);
}

static void a_seed_gives_the_same_run(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(laws); k++) {
        zilch_optimizer *a = either_optimizer(k, 3);
        zilch_optimizer *b = either_optimizer(k, 3);
        zilch_optimizer *other = either_optimizer(k, 4);
        run_generations(a, 4);
        run_generations(b, 4);
        run_generations(other, 4);
        assert_true(is_same_state(a, b));
        assert_false(is_same_state(a, other));
        zilch_optimizer_destroy(a);
        zilch_optimizer_destroy(b);
        zilch_optimizer_destroy(other);
    }
}

/* A checksum of the points of some generations. */
static uint64_t hash_run(zilch_method law, size_t generations, int bounded)
{
    static const double lower[DIM] = {-1, -1, -1, 0, 0.05}, upper[DIM] = {1, 1, 1, 2, 0.3};
    static asked a;
    uint64_t hash = 0;
    zilch_optimizer_options options = small_options(law, N, K);
    options.lower = bounded ? lower : NULL;
    options.upper = bounded ? upper : NULL;
    options.max_active = bounded ? 3 : 0;
    zilch_optimizer *o = create_with(DIM, 2024, &options);
    for (size_t g = 0; g < generations; g++) {
        a.n = 0;
        ask_more(o, N, &a);
        for (size_t i = 0; i < N; i++) { /* values without rounding */
            a.value[i] = floor(noise_of(a.id[i]) * 64.0) + (double)active_of(DIM, a.x + i * DIM);
        }
        hash ^= zi_crc64(a.x, N * DIM * sizeof *a.x) + g;
        tell_some(o, &a, 0, N);
    }
    zilch_optimizer_destroy(o);
    return hash;
}

/* For ever, on every processor: where no BLAS is behind it, to the last bit. */
static void a_seed_gives_the_same_for_ever(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(laws); k++) {
        assert_int_equal(hash_run(laws[k], 1, 0), UINT64_C(0x1a9c4de594ba29d3));
    }
    assert_int_equal(hash_run(ZILCH_METHOD_EA, 6, 0), UINT64_C(0x35114ac8c121907b));
    assert_int_equal(hash_run(ZILCH_METHOD_EA, 6, 1), UINT64_C(0xd19e1429aaa64849));
}

/* ---- Portions and orders ------------------------------------------------------------------------------- */

/* One at a time, seven, all at once: the same ids and points, also beyond the population. */
static void points_do_not_depend_on_portions(void **state)
{
    (void)state;
    static asked whole, parts;
    static const size_t portions[] = {1, 7, 5, N};
    for (size_t k = 0; k < 2 * COUNT(laws); k++) {
        zilch_optimizer *a = either_optimizer(k, 5);
        for (int g = 0; g < 3; g++) {
            whole.n = 0;
            zilch_optimizer *all = copy_of(a);
            ask_more(all, 3 * N + 1, &whole);
            for (size_t i = 0; i < whole.n; i++) {
                assert_int_equal(whole.id[i], whole.id[0] + i);
            }
            for (size_t p = 0; p < COUNT(portions); p++) {
                zilch_optimizer *b = copy_of(a);
                for (parts.n = 0; parts.n < whole.n;) {
                    const size_t left = whole.n - parts.n;
                    ask_more(b, portions[p] < left ? portions[p] : left, &parts);
                    assert_int_equal(zilch_optimizer_progress(b).waiting, parts.n);
                }
                assert_memory_equal(parts.x, whole.x, whole.n * DIM * sizeof *whole.x);
                assert_memory_equal(parts.id, whole.id, whole.n * sizeof *whole.id);
                assert_true(is_same_state(all, b));
                zilch_optimizer_destroy(b);
            }
            zilch_optimizer_destroy(all);
            run_generations(a, 1);
        }
        zilch_optimizer_destroy(a);
    }
}

static void shuffle(zilch_rng *rng, asked *a)
{
    for (size_t i = a->n; i > 1; i--) {
        const size_t j = (size_t)(zilch_rng_uniform(rng) * (double)i);
        const uint64_t id = a->id[i - 1];
        const double value = a->value[i - 1];
        a->id[i - 1] = a->id[j];
        a->value[i - 1] = a->value[j];
        a->id[j] = id;
        a->value[j] = value;
    }
}

/* Values in any order and any portions: the same bytes afterwards, at the end of each generation and,
 * whatever has been told, in the middle. */
static void the_order_of_telling_does_not_matter(void **state)
{
    (void)state;
    static asked a;
    zilch_rng rng = zilch_rng_make(6, 0);
    for (size_t k = 0; k < 20; k++) {
        zilch_optimizer *plain = either_optimizer(k, k);
        zilch_optimizer *mixed = either_optimizer(k, k);
        for (int g = 0; g < 3; g++) {
            run_generations(plain, 1);
            a.n = 0;
            ask_more(mixed, N, &a);
            shuffle(&rng, &a);
            for (size_t told = 0; told < N;) {
                size_t n = (size_t)(zilch_rng_uniform(&rng) * 6.0); /* none, now and then */
                n = n < N - told ? n : N - told;
                tell_some(mixed, &a, told, n);
                told += n;
                assert_int_equal(zilch_optimizer_progress(mixed).waiting, told < N ? N - told : 0);
            }
            assert_true(is_same_state(plain, mixed));
        }
        zilch_optimizer_destroy(plain);
        zilch_optimizer_destroy(mixed);
    }
}

/* Asking and telling in turns. */
static void values_may_come_before_all_is_asked(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *plain = small_optimizer(ZILCH_METHOD_EA, DIM, 8);
    zilch_optimizer *turns = small_optimizer(ZILCH_METHOD_EA, DIM, 8);
    for (int g = 0; g < 3; g++) {
        run_generations(plain, 1);
        for (a.n = 0; a.n < N;) {
            ask_more(turns, 1, &a);
            tell_some(turns, &a, a.n - 1, 1);
        }
        assert_true(is_same_state(plain, turns));
    }
    zilch_optimizer_destroy(plain);
    zilch_optimizer_destroy(turns);
}

/* ---- Beyond the population, and less than all of it --------------------------------------------------- */

static void whoever_asks_for_more_gets_more(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 9);
    run_generations(o, 1);
    a.n = 0;
    ask_more(o, 30, &a);
    for (size_t i = 0; i < 30; i++) {
        assert_int_equal(a.id[i], N + i);
    }
    tell_some(o, &a, 15, 11); /* one fewer than a population, and not the first */
    assert_int_equal(zilch_optimizer_progress(o).generations, 1);
    assert_int_equal(zilch_optimizer_progress(o).waiting, 19);
    tell_some(o, &a, 0, 1);
    assert_int_equal(zilch_optimizer_progress(o).generations, 2);
    assert_int_equal(zilch_optimizer_progress(o).waiting, 0);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, 2 * N);
    tell_some(o, &a, 1, 14); /* late */
    tell_some(o, &a, 26, 4);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, N + 30);
    assert_int_equal(zilch_optimizer_progress(o).generations, 2);
    a.n = 0;
    ask_more(o, 1, &a);
    assert_int_equal(a.id[0], N + 30); /* ids go on */
    zilch_optimizer_destroy(o);
}

/* More than a generation's worth told at once all counts in it. */
static void all_told_at_once_count(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 9);
    a.n = 0;
    ask_more(o, 30, &a);
    tell_some(o, &a, 0, 30);
    const zilch_progress progress = zilch_optimizer_progress(o);
    assert_int_equal(progress.generations, 1);
    assert_int_equal(progress.evaluations, 30);
    assert_int_equal(progress.points, 30);
    zilch_optimizer_destroy(o);
}

/* The generation closes with the value that makes up the share: ceil(share N). */
static void a_share_closes_the_generation(void **state)
{
    (void)state;
    static const struct {
        double share;
        size_t needed;
    } cases[] = {{1.0, 12}, {0.99, 12}, {0.75, 9}, {0.74, 9}, {0.5, 6}, {0.01, 1}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        static asked a;
        zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
        options.quorum = cases[k].share;
        zilch_optimizer *o = create_with(DIM, 10, &options);
        a.n = 0;
        ask_more(o, N, &a);
        for (size_t i = 0; i < cases[k].needed; i++) {
            assert_int_equal(zilch_optimizer_progress(o).generations, 0);
            tell_some(o, &a, i, 1);
        }
        assert_int_equal(zilch_optimizer_progress(o).generations, 1);
        assert_int_equal(zilch_optimizer_progress(o).points, cases[k].needed);
        zilch_optimizer_destroy(o);
    }
}

/* ---- Late values --------------------------------------------------------------------------------------- */

static zilch_optimizer *half_share(uint64_t seed)
{
    zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
    options.quorum = 0.5;
    return create_with(DIM, seed, &options);
}

/* Told between two generations, a value counts in the choice of the elites. */
static void a_late_value_counts_in_the_next_generation(void **state)
{
    (void)state;
    static asked a, b;
    zilch_optimizer *o = half_share(11);
    a.n = b.n = 0;
    ask_more(o, N, &a);
    tell_some(o, &a, 0, 6);
    a.value[9] = -100.0; /* the best of all */
    tell_some(o, &a, 9, 1);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, 7);
    assert_true(zilch_optimizer_progress(o).best_value > 0.0); /* of closed generations */
    ask_more(o, N, &b);
    assert_memory_equal(b.x, a.x + 9 * DIM, DIM * sizeof *b.x);
    zilch_optimizer_destroy(o);
}

/* Told while the next is open, it is taken when that closes, before its values. */
static void a_value_in_the_middle_waits(void **state)
{
    (void)state;
    static asked a, b;
    zilch_optimizer *o = half_share(11);
    a.n = b.n = 0;
    ask_more(o, N, &a);
    tell_some(o, &a, 0, 6);
    ask_more(o, N, &b);
    a.value[9] = -100.0;
    tell_some(o, &a, 9, 1);
    assert_int_equal(zilch_optimizer_progress(o).points, 6);
    assert_int_equal(zilch_optimizer_progress(o).waiting, N);
    tell_some(o, &b, K, 6); /* new points */
    assert_int_equal(zilch_optimizer_progress(o).generations, 2);
    assert_int_equal(zilch_optimizer_progress(o).points, 13);
    double x[DIM];
    zilch_record record;
    assert_int_equal(zilch_optimizer_point(o, 6, x, &record), ZILCH_OK);
    assert_memory_equal(x, a.x + 9 * DIM, sizeof x);
    assert_int_equal(zilch_optimizer_best(o, x, &record), ZILCH_OK);
    assert_int_equal(record.point, 6);
    assert_int_equal(zilch_optimizer_progress(o).improved, 2);
    zilch_optimizer_destroy(o);
}

/* The order in which late values come does not matter either. */
static void the_order_of_late_values_does_not_matter(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *o[2] = {half_share(12), half_share(12)};
    for (int i = 0; i < 2; i++) {
        a.n = 0;
        ask_more(o[i], N, &a);
        tell_some(o[i], &a, 0, 6);
        for (size_t k = 0; k < 6; k++) {
            tell_some(o[i], &a, i ? 11 - k : 6 + k, 1);
        }
    }
    assert_true(is_same_state(o[0], o[1]));
    run_generations(o[0], 2);
    run_generations(o[1], 2);
    assert_true(is_same_state(o[0], o[1]));
    zilch_optimizer_destroy(o[0]);
    zilch_optimizer_destroy(o[1]);
}

/* Four populations' worth of unanswered points are remembered, the newest. */
static void very_late_is_never(void **state)
{
    (void)state;
    static asked a[12];
    zilch_optimizer *o = half_share(13);
    for (size_t g = 0; g < 12; g++) {
        a[g].n = 0;
        ask_more(o, N, &a[g]);
        tell_some(o, &a[g], 0, 6); /* six stay open each time: 72 in the end, 48 are kept */
    }
    for (size_t g = 0; g < 12; g++) {
        for (size_t i = 6; i < N; i++) {
            const uint64_t evaluations = zilch_optimizer_progress(o).evaluations;
            const int known = g >= 4;
            assert_int_equal(zilch_optimizer_tell(o, 1, &a[g].id[i], &a[g].value[i]),
                             known ? ZILCH_OK : ZILCH_EARG);
            assert_int_equal(zilch_optimizer_progress(o).evaluations, evaluations + (uint64_t)known);
            assert_true(known || strstr(zilch_last_error(), "forgotten"));
        }
    }
    assert_true(zi_optimizer_is_valid(o));
    run_generations(o, 1);
    assert_int_equal(zilch_optimizer_progress(o).generations, 13);
    zilch_optimizer_destroy(o);
}

/* ---- What is refused -------------------------------------------------------------------------- */

/* Nothing of a bad telling is taken: the state is the same to the bit. */
static void assert_refused(zilch_optimizer *o, size_t n, const uint64_t *id, const double *value,
                           const char *text)
{
    const packed before = pack_of(o);
    assert_int_equal(zilch_optimizer_tell(o, n, id, value), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), text));
    const packed after = pack_of(o);
    assert_int_equal(before.length, after.length);
    assert_memory_equal(before.data, after.data, before.length);
    free(before.data);
    free(after.data);
}

static void a_bad_telling_takes_nothing(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *o = half_share(14);
    const double value[4] = {1, 2, 3, 4};
    a.n = 0;
    assert_refused(o, 1, (const uint64_t[]){0}, value, "id 0 was not asked for");
    ask_more(o, 8, &a);
    tell_some(o, &a, 2, 1);
    assert_refused(o, 2, (const uint64_t[]){0, 8}, value, "id 8 was not asked for");
    assert_refused(o, 2, (const uint64_t[]){0, 2}, value, "id 2 was told before");
    assert_refused(o, 3, (const uint64_t[]){4, 0, 4}, value, "id 4 is there twice");
    assert_refused(o, 2, (const uint64_t[]){UINT64_MAX, 1}, value, "not asked for");
    assert_refused(o, 1, (const uint64_t[]){ZI_FOREIGN_ID}, value, "not asked for");
    assert_int_equal(zilch_optimizer_tell_point(o, (const double[DIM]){1, 2}, 3.0), ZILCH_OK);
    assert_refused(o, 1, (const uint64_t[]){ZI_FOREIGN_ID}, value, "told before");
    tell_some(o, &a, 3, 5); /* closes: ids 0 and 1 are late */
    assert_refused(o, 2, (const uint64_t[]){0, 5}, value, "told in a generation that has closed");
    assert_refused(o, 2, (const uint64_t[]){1, 1}, value, "id 1 is there twice");
    tell_some(o, &a, 0, 1);
    assert_refused(o, 1, (const uint64_t[]){0}, value, "id 0 was told before");
    assert_int_equal(zilch_optimizer_tell(o, 0, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_ask(o, 0, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_tell(o, 1, NULL, value), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_tell(NULL, 0, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_ask(o, 1, NULL, a.x), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_ask(o, 1, a.id, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_ask(NULL, 0, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_ask(o, SIZE_MAX / 2, a.id, a.x), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_tell_point(o, NULL, 1.0), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_tell_point(NULL, value, 1.0), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_advance(NULL), ZILCH_EARG);
    assert_true(zi_optimizer_is_valid(o));
    zilch_optimizer_destroy(o);
}

/* ---- Another penalty -------------------------------------------------------------------------- */

/* The best point is the best by the new one, at once; sparser ones win where it is higher. */
static void another_penalty_is_judged_by_at_once(void **state)
{
    (void)state;
    static asked a;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer *o = small_optimizer(laws[k], DIM, 21);
        run_generations(o, 6);
        const zilch_progress before = zilch_optimizer_progress(o);
        assert_int_equal(zilch_optimizer_set_penalty(o, 1e6), ZILCH_OK);
        const zilch_progress after = zilch_optimizer_progress(o);
        assert_true(zi_optimizer_is_valid(o));
        assert_true(after.best_active <= before.best_active);
        assert_true(fabs(after.best_fitness - after.best_value) == 1e6 * (double)after.best_active);
        assert_int_equal(after.improved, 6);
        run_generations(o, 3);
        assert_true(zi_optimizer_is_valid(o));
        a.n = 0;
        ask_more(o, 1, &a);
        assert_int_equal(zilch_optimizer_set_penalty(o, 1.0), ZILCH_ESTATE);
        assert_int_equal(zilch_optimizer_set_penalty(o, -1.0), ZILCH_EARG);
        assert_int_equal(zilch_optimizer_set_penalty(o, INFINITY), ZILCH_EARG);
        assert_int_equal(zilch_optimizer_set_penalty(NULL, 1.0), ZILCH_EARG);
        zilch_optimizer_destroy(o);
    }
}

/* ---- Closing early ---------------------------------------------------------------------------- */

static void advance_closes_with_what_is_back(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 15);
    zilch_optimizer *untouched = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 15);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK); /* nothing is asked */
    assert_true(is_same_state(o, untouched));
    a.n = 0;
    ask_more(o, N, &a);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK); /* nothing is back */
    assert_int_equal(zilch_optimizer_progress(o).generations, 0);
    tell_some(o, &a, 3, 5);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    assert_true(zi_optimizer_is_valid(o));
    assert_int_equal(zilch_optimizer_progress(o).generations, 1);
    assert_int_equal(zilch_optimizer_progress(o).points, 5);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    assert_int_equal(zilch_optimizer_progress(o).generations, 1);
    tell_some(o, &a, 0, 3); /* the others may still come */
    tell_some(o, &a, 8, 4);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, N);
    run_generations(o, 1);
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(untouched);
}

/* With one elite nothing can be fitted: it comes first, the others are of the first law, and new. */
static void one_success_is_not_enough_for_a_law(void **state)
{
    (void)state;
    static asked a, b;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer *o = small_optimizer(laws[k], DIM, 16);
        a.n = b.n = 0;
        ask_more(o, N, &a);
        tell_some(o, &a, 7, 1);
        assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
        ask_more(o, N, &b);
        assert_memory_equal(b.x, a.x + 7 * DIM, DIM * sizeof *b.x);
        zilch_rng rng = zilch_rng_make(16, 2); /* of the second generation */
        for (size_t i = 0; i < DIM; i++) {
            const double value = 2.0 * zilch_rng_normal(&rng);
            assert_true(b.x[DIM + i] == 0.0 || b.x[DIM + i] == value);
        }
        assert_in_range(active_of(DIM, b.x + DIM), 1, DIM);
        for (size_t i = 1; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                assert_memory_not_equal(b.x + i * DIM, a.x + j * DIM, DIM * sizeof *b.x);
            }
        }
        zilch_optimizer_destroy(o);
    }
}

/* With fewer elites than wanted, all there are are taken, and the population is filled up. */
static void few_elites_leave_room_for_new_points(void **state)
{
    (void)state;
    static asked a, b;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_GAUSSIAN, DIM, 17);
    a.n = b.n = 0;
    ask_more(o, N, &a);
    tell_some(o, &a, 0, 3);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    ask_more(o, N, &b);
    for (size_t i = 0; i < 3; i++) { /* the flat of three points has two dimensions */
        size_t found = 0;
        for (size_t j = 0; j < 3; j++) {
            found += memcmp(b.x + i * DIM, a.x + j * DIM, DIM * sizeof *a.x) == 0;
        }
        assert_int_equal(found, 1);
    }
    assert_int_equal(o->elites, 3);
    assert_int_equal(o->slots, N);
    zilch_optimizer_destroy(o);
}

/* ---- Failures --------------------------------------------------------------------------------- */

/* Nothing succeeded: said so, counted, and the same points again, as often as needed. */
static void a_generation_of_failures_is_asked_again(void **state)
{
    (void)state;
    static const double failure[] = {NAN, INFINITY, -INFINITY};
    static asked a, b;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer *o = small_optimizer(laws[k], DIM, 18);
        zilch_optimizer *smooth = small_optimizer(laws[k], DIM, 18);
        run_generations(o, 1);
        run_generations(smooth, 1);
        const double best = zilch_optimizer_progress(o).best_fitness;
        a.n = 0;
        ask_more(o, N, &a);
        for (uint64_t attempt = 1; attempt <= 3; attempt++) {
            for (size_t i = 0; i < N; i++) {
                a.value[i] = failure[(i + attempt) % 3];
            }
            assert_int_equal(zilch_optimizer_tell(o, N, a.id, a.value), ZILCH_EOBJECTIVE);
            assert_non_null(strstr(zilch_last_error(), "generation 2: none of 12 evaluations succeeded"));
            assert_true(zi_optimizer_is_valid(o));
            const zilch_progress progress = zilch_optimizer_progress(o);
            assert_int_equal(progress.generations, 1);
            assert_int_equal(progress.failures, attempt * N);
            assert_int_equal(progress.evaluations, N + attempt * N);
            assert_int_equal(progress.waiting, 0);
            assert_true(progress.best_fitness == best);
            b.n = 0;
            ask_more(o, N, &b);
            assert_memory_equal(a.id, b.id, N * sizeof *a.id);
            assert_memory_equal(a.x, b.x, N * DIM * sizeof *a.x);
        }
        tell_some(o, &b, 0, N);
        run_generations(smooth, 1);
        a.n = b.n = 0;
        ask_more(o, N, &a);
        ask_more(smooth, N, &b);
        assert_memory_equal(a.x, b.x, N * DIM * sizeof *a.x); /* as if nothing had happened */
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(smooth);
    }
}

/* Where others are still out, the generation waits for them. */
static void failures_with_others_open(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer *o = half_share(19);
    a.n = 0;
    ask_more(o, N, &a);
    for (size_t i = 0; i < 6; i++) {
        a.value[i] = NAN;
    }
    assert_int_equal(zilch_optimizer_tell(o, 6, a.id, a.value), ZILCH_OK);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_EOBJECTIVE);
    assert_non_null(strstr(zilch_last_error(), "still out"));
    assert_int_equal(zilch_optimizer_progress(o).generations, 0);
    tell_some(o, &a, 7, 1);
    assert_int_equal(zilch_optimizer_progress(o).generations, 1);
    assert_int_equal(zilch_optimizer_progress(o).failures, 6);
    a.n = 0;
    ask_more(o, 1, &a);
    assert_int_equal(a.id[0], N);
    assert_int_equal(zilch_optimizer_tell(o, 1, a.id, (const double[]){NAN}), ZILCH_OK);
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_EOBJECTIVE);
    assert_non_null(strstr(zilch_last_error(), "asked again"));
    zilch_optimizer_destroy(o);
}

/* A failed point is in the archive, has no value, and is no elite. An elite that fails is none any more; with
 * the mean of its values it stays one. */
static void a_failed_point_is_ranked_last(void **state)
{
    (void)state;
    for (int mean = 0; mean < 2; mean++) {
        static asked a, b;
        zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
        options.aggregate = mean ? ZILCH_AGGREGATE_MEAN : ZILCH_AGGREGATE_LATEST;
        zilch_optimizer *o = create_with(DIM, 20, &options);
        a.n = b.n = 0;
        ask_more(o, N, &a);
        for (size_t i = 0; i < N; i++) {
            a.value[i] = i < 3 ? -INFINITY : (double)i;
        }
        tell_some(o, &a, 0, N);
        zilch_record record;
        assert_int_equal(zilch_optimizer_point(o, 0, NULL, &record), ZILCH_OK);
        assert_true(isnan(record.value) && isnan(record.fitness));
        assert_true(record.failures == 1 && record.evaluations == 1);
        ask_more(o, N, &b);
        assert_memory_equal(b.x, a.x + 3 * DIM, K * DIM * sizeof *b.x);
        for (size_t i = 0; i < N; i++) {
            b.value[i] = i ? 100.0 : NAN;
        }
        tell_some(o, &b, 0, N);
        assert_int_equal(zilch_optimizer_point(o, 3, NULL, &record), ZILCH_OK);
        assert_true(record.evaluations == 2 && record.failures == 1);
        assert_true(mean ? record.value == 3.0 : isnan(record.value));
        zilch_optimizer_destroy(o);
    }
}

/* ---- Foreign points --------------------------------------------------------------------------- */

/* Fewer than the elites, before the first ask: they come first, the others are the first law's. */
static void some_foreign_points_come_first(void **state)
{
    (void)state;
    static asked a, plain;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer *o = small_optimizer(laws[k], DIM, 21);
        zilch_optimizer *without = small_optimizer(laws[k], DIM, 21);
        const double x[3][DIM] = {{1, 0, 0, 0, 2}, {0, 3, -0.0, 0, 0}, {4, 5, 6, 7, 8}};
        const double value[3] = {2, NAN, 1};
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(zilch_optimizer_tell_point(o, x[i], value[i]), ZILCH_OK);
            assert_true(zi_optimizer_is_valid(o));
        }
        const zilch_progress progress = zilch_optimizer_progress(o);
        assert_true(progress.evaluations == 3 && progress.failures == 1 && progress.generations == 0);
        assert_true(progress.foreign == 3 && isnan(progress.best_value));
        a.n = plain.n = 0;
        ask_more(o, N, &a);
        ask_more(without, N, &plain);
        assert_memory_equal(a.x, x[2], sizeof x[2]);
        assert_memory_equal(a.x + DIM, x[0], sizeof x[0]);
        assert_memory_equal(a.x + 2 * DIM, plain.x, (N - 2) * DIM * sizeof *a.x);
        tell_some(o, &a, 0, N);
        assert_int_equal(zilch_optimizer_progress(o).points, N + 1);
        zilch_record record;
        assert_int_equal(zilch_optimizer_point(o, 2, NULL, &record), ZILCH_OK);
        assert_int_equal(record.evaluations, 2);
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(without);
    }
}

/* They count before anything is asked, if one asks for it; and the run is the same then. */
static void foreign_points_are_taken_by_an_advance(void **state)
{
    (void)state;
    static asked a, plain;
    const double x[2][DIM] = {{1, 0, 0, 0, 2}, {0, 3, 0, 0, 0}};
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 21);
    zilch_optimizer *without = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 21);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(zilch_optimizer_tell_point(o, x[i], (double)(2 - i)), ZILCH_OK);
        assert_int_equal(zilch_optimizer_tell_point(without, x[i], (double)(2 - i)), ZILCH_OK);
    }
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    assert_true(zi_optimizer_is_valid(o));
    const zilch_progress progress = zilch_optimizer_progress(o);
    assert_true(progress.generations == 0 && progress.best_value == 1.0 && progress.best_active == 1);
    a.n = plain.n = 0;
    ask_more(o, N, &a);
    ask_more(without, N, &plain);
    assert_memory_equal(a.x, plain.x, (size_t)N * DIM * sizeof *a.x);
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(without);
}

/* As many as the elites: the first population is of a law fitted to them. */
static void enough_foreign_points_are_a_warm_start(void **state)
{
    (void)state;
    static asked a;
    double x[6 * DIM], fresh[(N - K) * DIM];
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 22);
    zilch_model *model;
    zilch_rng rng = zilch_rng_make(1, 0);
    assert_int_equal(zilch_model_random(&model, DIM, &rng, 0.5, 0.4, 0.9), ZILCH_OK);
    assert_int_equal(zilch_model_sample(model, &rng, 6, x), ZILCH_OK);
    zilch_model_destroy(model);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(zilch_optimizer_tell_point(o, x + i * DIM, -(double)i), ZILCH_OK);
    }
    a.n = 0;
    ask_more(o, N, &a);
    double elite[K * DIM]; /* the last, the best first */
    for (size_t i = 0; i < K; i++) {
        memcpy(elite + i * DIM, x + (5 - i) * DIM, DIM * sizeof *x);
    }
    assert_memory_equal(a.x, elite, sizeof elite);
    const zilch_model_options model_options = zi_optimizer_options_model(zilch_optimizer_settings(o));
    assert_int_equal(zilch_model_fit(&model, K, DIM, elite, NULL, &model_options), ZILCH_OK);
    rng = zilch_rng_make(22, 0);
    assert_int_equal(zilch_model_sample(model, &rng, N - K, fresh), ZILCH_OK);
    for (size_t i = 0; i < COUNT(fresh); i++) {
        assert_true((a.x[K * DIM + i] == 0.0) == (fresh[i] == 0.0));
        assert_double_equal(a.x[K * DIM + i], fresh[i], 1e-12 * (1.0 + fabs(fresh[i])));
    }
    zilch_model_destroy(model);
    zilch_optimizer_destroy(o);
}

/* Told in the middle of a generation, it is an elite of the next; a point known before has one entry. */
static void a_foreign_point_in_the_middle(void **state)
{
    (void)state;
    static asked a, b;
    for (size_t k = 0; k < COUNT(laws); k++) {
        zilch_optimizer *o = small_optimizer(laws[k], DIM, 23);
        const double x[DIM] = {0, 0, 1.25, 0, 0};
        run_generations(o, 1);
        a.n = b.n = 0;
        ask_more(o, N, &a);
        tell_some(o, &a, 0, 5);
        assert_int_equal(zilch_optimizer_tell_point(o, x, -50.0), ZILCH_OK);
        assert_true(zilch_optimizer_progress(o).best_value > 0.0);
        tell_some(o, &a, 5, N - 5);
        assert_true(zilch_optimizer_progress(o).best_value == -50.0);
        assert_int_equal(zilch_optimizer_progress(o).evaluations, 2 * N + 1);
        assert_int_equal(zilch_optimizer_progress(o).best_active, 1);
        ask_more(o, N, &b);
        assert_memory_equal(b.x, x, sizeof x);
        zilch_optimizer_destroy(o);
    }
}

/* adhoc: what a point leaves open, its absent weights and the sizes of its thresholds, is of the first law,
 * drawn for it alone: foreign point k has stream 2^64 - 1 - k. */
static void a_foreign_point_gets_a_genome_of_its_own(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_ADHOC, DIM, 26);
    const double x[DIM] = {0, 0, 1.25, 0, -3};
    for (uint64_t k = 0; k < 3; k++) {
        assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_OK);
        double genome[2 * DIM], first[2 * DIM];
        zilch_rng rng = zilch_rng_make(26, UINT64_MAX - k);
        zilch_rng_normals(&rng, 2 * DIM, first);
        zi_rows_read(&o->stragglers.rows, (size_t)k, genome);
        for (size_t i = 0; i < DIM; i++) {
            const double size = fabs(first[DIM + i]);
            assert_true(genome[i] == (x[i] != 0.0 ? x[i] : 2.0 * first[i]));
            assert_true(genome[DIM + i] == (x[i] != 0.0 ? size : -size));
        }
    }
    zilch_optimizer_destroy(o);
}

static void a_foreign_point_may_be_a_known_one(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 24);
    double x[DIM];
    zilch_record record;
    run_generations(o, 1);
    assert_int_equal(zilch_optimizer_point(o, 5, x, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_tell_point(o, x, -3.0), ZILCH_OK);
    run_generations(o, 1);
    assert_int_equal(zilch_optimizer_point(o, 5, NULL, &record), ZILCH_OK);
    assert_int_equal(record.evaluations, 3); /* once as asked, once as told, once as the best */
    zilch_optimizer_destroy(o);
}

/* ---- Beyond all numbers ----------------------------------------------------------------------- */

/* Elites so far apart that a law of theirs overflows: nothing of it is given out, and the search begins anew.
 */
static void coordinates_beyond_all_numbers_are_not_given_out(void **state)
{
    (void)state;
    static const double far[2][K] = {{1.7e308, -1.7e308, 1.6e308, -1.6e308}, {1e200, 1e100, 3e200, 2e100}};
    const double lower[] = {0.0};
    for (int bounded = 0; bounded < 2; bounded++) {
        zilch_optimizer_options options = small_options(ZILCH_METHOD_GAUSSIAN, N, K);
        options.lower = bounded ? lower : NULL;
        zilch_optimizer *o = create_with(1, 25, &options);
        for (size_t i = 0; i < K; i++) {
            assert_int_equal(zilch_optimizer_tell_point(o, &far[bounded][i], 1.0), ZILCH_OK);
        }
        uint64_t id[10 * N];
        double x[10 * N];
        zilch_optimizer *copy = copy_of(o);
        zilch_stop stop;
        assert_int_equal(zilch_optimizer_run(copy, noisy_objective, NULL, NULL, NULL, NULL, &stop), ZILCH_OK);
        assert_int_equal(stop, ZILCH_STOP_DIVERGED);
        assert_int_equal(zilch_optimizer_progress(copy).generations, 0);
        zilch_optimizer_destroy(copy);
        assert_int_equal(zilch_optimizer_ask(o, 10 * N, id, x), ZILCH_OK);
        for (size_t i = 0; i < 10 * N; i++) {
            assert_true(fabs(x[i]) < 100.0);
        }
        assert_int_equal(zilch_optimizer_progress(o).restarts, 1);
        assert_true(zi_optimizer_is_valid(o));
        zilch_optimizer_destroy(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(elites_are_a_fifth),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(extreme_options_are_accepted),
        cmocka_unit_test(options_are_copied),
        cmocka_unit_test(a_seed_gives_the_same_run),
        cmocka_unit_test(a_seed_gives_the_same_for_ever),
        cmocka_unit_test(points_do_not_depend_on_portions),
        cmocka_unit_test(the_order_of_telling_does_not_matter),
        cmocka_unit_test(values_may_come_before_all_is_asked),
        cmocka_unit_test(whoever_asks_for_more_gets_more),
        cmocka_unit_test(all_told_at_once_count),
        cmocka_unit_test(a_share_closes_the_generation),
        cmocka_unit_test(a_late_value_counts_in_the_next_generation),
        cmocka_unit_test(a_value_in_the_middle_waits),
        cmocka_unit_test(the_order_of_late_values_does_not_matter),
        cmocka_unit_test(very_late_is_never),
        cmocka_unit_test(a_bad_telling_takes_nothing),
        cmocka_unit_test(another_penalty_is_judged_by_at_once),
        cmocka_unit_test(advance_closes_with_what_is_back),
        cmocka_unit_test(one_success_is_not_enough_for_a_law),
        cmocka_unit_test(few_elites_leave_room_for_new_points),
        cmocka_unit_test(a_generation_of_failures_is_asked_again),
        cmocka_unit_test(failures_with_others_open),
        cmocka_unit_test(a_failed_point_is_ranked_last),
        cmocka_unit_test(some_foreign_points_come_first),
        cmocka_unit_test(foreign_points_are_taken_by_an_advance),
        cmocka_unit_test(enough_foreign_points_are_a_warm_start),
        cmocka_unit_test(a_foreign_point_in_the_middle),
        cmocka_unit_test(a_foreign_point_gets_a_genome_of_its_own),
        cmocka_unit_test(a_foreign_point_may_be_a_known_one),
        cmocka_unit_test(coordinates_beyond_all_numbers_are_not_given_out),
    };
    return cmocka_run_group_tests_name("optimizer", tests, NULL, NULL);
}
