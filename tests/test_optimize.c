/* The library drives: limits, observers, failures; and the recommendation, whose rounds are checked against
 * what its objective has seen. */
#include "base/status.h"
#include "search_support.h"

enum { DIM = 5, N = 12, K = 4 };

/* ---- An objective that keeps a record ----------------------------------------------------------------- */

enum { MOST_CALLS = 300, MOST_RECORDED = 20000 };

typedef struct record {
    size_t calls, n[MOST_CALLS];
    uint64_t generation[MOST_CALLS];
    size_t count;
    uint64_t id[MOST_RECORDED];
    double x[MOST_RECORDED * DIM], value[MOST_RECORDED];

    double noise, scale; /* value = scale * (distance + noise * normal) */
    int constant;        /* value = 1 */
    size_t fail_at;      /* call that fails, from 1, */
    zilch_status status; /* with this */
    const char *text;
    size_t bad_at; /* call in which every value is NaN, from 1 */
} record;

static record seen;

static record *fresh_record(void)
{
    memset(&seen, 0, sizeof seen);
    seen.scale = 1.0;
    return &seen;
}

static double value_of(const record *r, uint64_t id, const double *x)
{
    zilch_rng rng = zilch_rng_make(99, id);
    return r->constant ? 1.0 : r->scale * (distance_of(DIM, x) + r->noise * zilch_rng_normal(&rng));
}

static zilch_status recording(void *context, const zilch_batch *batch, double *value)
{
    record *r = context;
    assert_int_equal(batch->dim, DIM);
    assert_true(r->calls < MOST_CALLS && r->count + batch->n <= MOST_RECORDED);
    r->generation[r->calls] = batch->generation;
    r->n[r->calls++] = batch->n;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = r->calls == r->bad_at ? NAN : value_of(r, batch->id[i], batch->x + i * DIM);
        r->id[r->count] = batch->id[i];
        memcpy(r->x + r->count * DIM, batch->x + i * DIM, DIM * sizeof *r->x);
        r->value[r->count++] = value[i];
    }
    if (r->calls == r->fail_at) {
        return r->text ? zi_fail(r->status, "%s", r->text) : r->status;
    }
    return ZILCH_OK;
}

static zilch_limits no_limits(void)
{
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = 0;
    return limits;
}

static zilch_stop optimize(zilch_optimizer *o, record *r, const zilch_limits *limits)
{
    zilch_stop reason = (zilch_stop)77;
    if (zilch_optimizer_run(o, recording, r, limits, NULL, NULL, &reason) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    assert_true(zi_optimizer_is_valid(o));
    return reason;
}

/* ---- Driving ---------------------------------------------------------------------------------- */

static void driving_is_asking_and_telling(void **state)
{
    (void)state;
    for (zilch_method law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
        zilch_optimizer *by_hand = small_optimizer(law, DIM, 1);
        zilch_optimizer *driven = small_optimizer(law, DIM, 1);
        zilch_limits limits = no_limits();
        zilch_stop reason;
        limits.generations = 4;
        run_generations(by_hand, 4);
        assert_int_equal(zilch_optimizer_run(driven, noisy_objective, NULL, &limits, NULL, NULL, &reason),
                         ZILCH_OK);
        assert_int_equal(reason, ZILCH_STOP_GENERATIONS);
        assert_true(is_same_state(by_hand, driven));
        zilch_optimizer_destroy(by_hand);
        zilch_optimizer_destroy(driven);
    }
}

static void each_generation_is_one_batch(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 2);
    zilch_limits limits = no_limits();
    limits.generations = 3;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
    assert_int_equal(r->calls, 3);
    for (size_t g = 0; g < 3; g++) {
        assert_int_equal(r->n[g], N);
        assert_int_equal(r->generation[g], g);
    }
    for (size_t i = 0; i < r->count; i++) {
        assert_int_equal(r->id[i], i);
    }
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS); /* there already */
    assert_int_equal(r->calls, 3);
    limits.generations = 5;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
    assert_int_equal(r->calls, 5);
    zilch_optimizer_destroy(o);
}

/* A point asked for by hand is one of the population; the rest is driven. */
static void what_was_asked_by_hand_counts(void **state)
{
    (void)state;
    static asked a;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 2);
    zilch_limits limits = no_limits();
    a.n = 0;
    ask_more(o, 3, &a);
    limits.generations = 1;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
    assert_int_equal(r->n[0], N - 3);
    assert_int_equal(r->id[0], 3);
    tell_some(o, &a, 0, 3); /* late */
    assert_int_equal(zilch_optimizer_progress(o).evaluations, N);
    zilch_optimizer_destroy(o);
}

/* All asked for by hand and not told: the generation gets as many more. */
static void what_does_not_come_back_is_replaced(void **state)
{
    (void)state;
    static asked a;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 2);
    zilch_limits limits = no_limits();
    a.n = 0;
    ask_more(o, N, &a);
    tell_some(o, &a, 0, 2);
    limits.generations = 1;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
    assert_int_equal(r->calls, 1);
    assert_int_equal(r->n[0], N - 2);
    assert_int_equal(r->id[0], N);
    zilch_optimizer_destroy(o);
}

/* ---- Limits ----------------------------------------------------------------------------------- */

/* Without a limit a search ends when it has converged: half of its evaluations, and 1000 + 20 for each
 * coordinate, have found nothing better. Other methods have the publication's 100 generations. */
static void without_limits_a_search_converges(void **state)
{
    (void)state;
    const zilch_limits limits = zilch_limits_defaults();
    assert_true(limits.size == sizeof limits && limits.generations == 0 && limits.evaluations == 0);
    assert_true(isnan(limits.target) && limits.stagnation == 0);
    record *r = fresh_record();
    r->constant = 1;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 3);
    assert_int_equal(optimize(o, r, NULL), ZILCH_STOP_CONVERGED);
    const uint64_t evaluations = zilch_optimizer_progress(o).evaluations;
    const uint64_t since = evaluations - o->turns.improved;
    assert_true(since >= 1000 + 20 * DIM && 2 * since >= evaluations);
    assert_true(since < 1000 + 20 * DIM + N || 2 * (since - N) < evaluations - N); /* and not later */
    zilch_optimizer_destroy(o);
    r = fresh_record();
    o = small_optimizer(ZILCH_METHOD_EA, DIM, 3);
    assert_int_equal(optimize(o, r, NULL), ZILCH_STOP_GENERATIONS);
    assert_int_equal(zilch_optimizer_progress(o).generations, 100);
    zilch_optimizer_destroy(o);
}

/* The last generation is cut short. */
static void evaluations_are_kept_exactly(void **state)
{
    (void)state;
    for (size_t most = 1; most <= 3 * N; most++) {
        record *r = fresh_record();
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 4);
        zilch_limits limits = no_limits();
        limits.evaluations = most;
        assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_EVALUATIONS);
        assert_int_equal(r->count, most);
        assert_int_equal(zilch_optimizer_progress(o).evaluations, most);
        assert_int_equal(zilch_optimizer_progress(o).generations, (most + N - 1) / N);
        assert_int_equal(r->n[r->calls - 1], (most - 1) % N + 1);
        assert_int_equal(zilch_optimizer_progress(o).waiting, 0);
        zilch_optimizer_destroy(o);
    }
}

/* Foreign evaluations count too. */
static void evaluations_are_counted_over_a_life(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 4);
    zilch_limits limits = no_limits();
    run_generations(o, 1);
    assert_int_equal(zilch_optimizer_tell_point(o, (const double[DIM]){1}, 3.0), ZILCH_OK);
    limits.evaluations = N + 5; /* the foreign point costs nothing */
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_EVALUATIONS);
    assert_int_equal(r->count, 5);
    limits.evaluations = 3;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_EVALUATIONS);
    assert_int_equal(r->count, 5);
    zilch_optimizer_destroy(o);
}

/* On the value, not on the fitness, whose penalty is far above the target; the first generation whose best
 * has it is the last. The penalty favours empty points, whose distance is 2. */
static void a_target_is_met_by_the_value(void **state)
{
    (void)state;
    for (int up = 0; up < 2; up++) {
        record *r = fresh_record();
        zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
        const double sign = up ? -1.0 : 1.0;
        options.direction = up ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE;
        options.penalty = 0.25;
        options.initial_p = 0.9;
        zilch_optimizer *o = create_with(DIM, 5, &options);
        zilch_limits limits = no_limits();
        r->scale = sign;
        limits.generations = 200;
        limits.target = sign * 1.0;
        assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_TARGET);
        const zilch_progress progress = zilch_optimizer_progress(o);
        assert_true(sign * progress.best_value <= 1.0);
        assert_true(sign * progress.best_fitness > sign * progress.best_value);
        assert_true(progress.generations > 1 && progress.generations < 200);
        /* one generation before, the best had not yet met it */
        zilch_optimizer *shorter = create_with(DIM, 5, &options);
        limits.target = NAN;
        limits.generations = progress.generations - 1;
        r = fresh_record();
        r->scale = sign;
        assert_int_equal(optimize(shorter, r, &limits), ZILCH_STOP_GENERATIONS);
        assert_true(sign * zilch_optimizer_progress(shorter).best_value > 1.0);
        limits.target = zilch_optimizer_progress(shorter).best_value; /* met exactly, without a call */
        limits.generations = 0;
        const size_t calls = r->calls;
        assert_int_equal(optimize(shorter, r, &limits), ZILCH_STOP_TARGET);
        assert_int_equal(r->calls, calls);
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(shorter);
    }
}

/* Where every value is the same, the first generation is the last to improve. */
static void stagnation_stops(void **state)
{
    (void)state;
    for (uint64_t stagnation = 1; stagnation < 4; stagnation++) {
        record *r = fresh_record();
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 6);
        zilch_limits limits = no_limits();
        r->constant = 1;
        limits.stagnation = stagnation;
        assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_STAGNATION);
        assert_int_equal(zilch_optimizer_progress(o).improved, 1);
        assert_int_equal(r->calls, 1 + stagnation);
        zilch_optimizer_destroy(o);
    }
    record *r = fresh_record(); /* and while it improves, it goes on */
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 6);
    zilch_limits limits = no_limits();
    limits.stagnation = 5;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_STAGNATION);
    const zilch_progress progress = zilch_optimizer_progress(o);
    assert_true(progress.improved > 1);
    assert_int_equal(progress.generations, progress.improved + 5);
    zilch_optimizer_destroy(o);
}

/* Who asks and tells by himself stops where the library would have. */
static void limits_can_be_asked_for(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_limits limits = no_limits();
    zilch_stop reason;
    limits.generations = 3;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, DIM, 5);
    for (uint64_t generation = 1; generation <= 3; generation++) {
        assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_OK);
        assert_int_equal(reason, ZILCH_STOP_NONE);
        limits.generations = generation;
        assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
        limits.generations = 3;
    }
    assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_OK);
    assert_int_equal(reason, ZILCH_STOP_GENERATIONS);
    limits.target = zilch_optimizer_progress(o).best_value;
    assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_OK);
    assert_int_equal(reason, ZILCH_STOP_TARGET);
    limits.size = 0;
    assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_EARG);
    assert_int_equal(zilch_limits_reached(NULL, o, &reason), ZILCH_EARG);
    zilch_optimizer_destroy(o);
}

static void bad_limits_are_refused(void **state)
{
    (void)state;
    static const double endless[] = {-INFINITY, INFINITY};
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 7);
    for (size_t k = 0; k < COUNT(endless); k++) {
        zilch_limits limits = no_limits();
        limits.target = endless[k];
        assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, NULL, NULL, NULL), ZILCH_EARG);
    }
    zilch_limits limits = {.generations = 1};
    assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, NULL, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_run(o, NULL, r, NULL, NULL, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_run(NULL, recording, r, NULL, NULL, NULL, NULL), ZILCH_EARG);
    assert_int_equal(r->calls, 0);
    zilch_optimizer_destroy(o);
}

/* ---- Observers -------------------------------------------------------------------------------- */

typedef struct watching {
    size_t calls, end_at;
    zilch_status status;
    const zilch_optimizer *optimizer;
} watching;

static zilch_status watch(void *context, const zilch_optimizer *optimizer)
{
    watching *w = context;
    w->calls++;
    assert_ptr_equal(optimizer, w->optimizer);
    assert_int_equal(zilch_optimizer_progress(optimizer).generations, w->calls);
    if (w->calls < w->end_at) {
        return ZILCH_OK;
    }
    return w->status == ZILCH_EIO ? zi_fail(w->status, "the disk is full") : w->status;
}

static void an_observer_may_end_the_run(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 8);
    watching w = {.end_at = 3, .status = ZILCH_ESTOPPED, .optimizer = o};
    zilch_limits limits = no_limits();
    zilch_stop reason = ZILCH_STOP_NONE;
    limits.generations = 9;
    assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, watch, &w, &reason), ZILCH_OK);
    assert_int_equal(reason, ZILCH_STOP_OBSERVER);
    assert_int_equal(w.calls, 3);
    assert_int_equal(r->calls, 3);
    w.end_at = 5;
    w.status = ZILCH_EIO;
    assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, watch, &w, &reason), ZILCH_EIO);
    assert_string_equal(zilch_last_error(), "the disk is full");
    assert_int_equal(reason, ZILCH_STOP_NONE);
    assert_int_equal(r->calls, 5);
    w.end_at = 100;
    assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, watch, &w, &reason), ZILCH_OK);
    assert_int_equal(reason, ZILCH_STOP_GENERATIONS);
    assert_int_equal(w.calls, 9); /* after the last generation too */
    assert_int_equal(r->calls, 9);
    zilch_optimizer_destroy(o);
}

/* ---- Failures --------------------------------------------------------------------------------- */

/* The objective gives up in the third generation: said in its words, or in ours; gone on with, the run is the
 * same as one that was never interrupted. */
static void a_failing_objective_loses_nothing(void **state)
{
    (void)state;
    static const struct {
        zilch_status status;
        const char *text, *told;
    } cases[] = {{ZILCH_EIO, "the network is down", "the network is down"},
                 {ZILCH_EOBJECTIVE, NULL, "generation 3: the objective reported failure"},
                 {ZILCH_ESTOPPED, NULL, "generation 3: stopped by the progress callback"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        record *r = fresh_record();
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 9);
        zilch_optimizer *smooth = small_optimizer(ZILCH_METHOD_EA, DIM, 9);
        zilch_limits limits = no_limits();
        zilch_stop reason = ZILCH_STOP_TARGET;
        limits.generations = 4;
        assert_int_equal(optimize(smooth, r, &limits), ZILCH_STOP_GENERATIONS);
        r = fresh_record();
        r->fail_at = 3;
        r->status = cases[k].status;
        r->text = cases[k].text;
        zi_fail(ZILCH_EARG, "stale");
        assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, NULL, NULL, &reason), cases[k].status);
        assert_string_equal(zilch_last_error(), cases[k].told);
        assert_int_equal(reason, ZILCH_STOP_NONE);
        assert_true(zi_optimizer_is_valid(o));
        assert_int_equal(zilch_optimizer_progress(o).generations, 2);
        assert_int_equal(zilch_optimizer_progress(o).evaluations, 2 * N);
        assert_int_equal(zilch_optimizer_progress(o).waiting, 0);
        assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
        assert_memory_equal(r->id + 2 * N, r->id + 3 * N, N * sizeof *r->id);
        assert_memory_equal(r->x + 2 * N * DIM, r->x + 3 * N * DIM, N * DIM * sizeof *r->x);
        assert_true(is_same_state(o, smooth));
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(smooth);
    }
}

/* Not one value of a generation is one: a failure of the run, which can go on. */
static void a_generation_without_values_ends_the_run(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 10);
    zilch_limits limits = no_limits();
    limits.generations = 3;
    r->bad_at = 2;
    assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, NULL, NULL, NULL), ZILCH_EOBJECTIVE);
    assert_non_null(strstr(zilch_last_error(), "none of 12 evaluations succeeded"));
    assert_int_equal(zilch_optimizer_progress(o).failures, N);
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
    assert_memory_equal(r->id + N, r->id + 2 * N, N * sizeof *r->id);
    assert_memory_equal(r->x + N * DIM, r->x + 2 * N * DIM, N * DIM * sizeof *r->x);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, 4 * N);
    zilch_optimizer_destroy(o);
}

/* A last generation of five points, all of which fail, is no failure of what was found before; a first one
 * is. */
static void a_budget_may_end_in_failures(void **state)
{
    (void)state;
    for (size_t bad = 1; bad <= 2; bad++) {
        record *r = fresh_record();
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 10);
        zilch_limits limits = no_limits();
        zilch_stop reason;
        const zilch_status expected = bad == 1 ? ZILCH_EOBJECTIVE : ZILCH_OK;
        limits.evaluations = bad == 1 ? 5 : N + 5;
        r->bad_at = bad;
        assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, NULL, NULL, &reason), expected);
        assert_int_equal(reason, bad == 1 ? ZILCH_STOP_NONE : ZILCH_STOP_EVALUATIONS);
        assert_int_equal(r->count, limits.evaluations);
        assert_int_equal(zilch_optimizer_progress(o).failures, 5);
        assert_int_equal(zilch_optimizer_progress(o).generations, bad - 1);
        zilch_optimizer_destroy(o);
    }
}

/* ---- Errors that the objective knows ------------------------------------------------------------ */

/* Values, and in odd ids their error; from generation `wrong` on, one that is none. */
static zilch_status measuring(void *context, const zilch_batch *batch, double *value)
{
    const uint64_t *wrong = context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = noisy_value(DIM, batch->id[i], batch->x + i * DIM);
        assert_true(isnan(batch->error[i]));
        batch->error[i] = batch->generation >= *wrong ? -1.0 : batch->id[i] % 2 ? 0.25 : NAN;
    }
    return ZILCH_OK;
}

/* As by hand with zilch_optimizer_tell_error(), through a pool too. */
static void an_objective_may_tell_errors(void **state)
{
    (void)state;
    uint64_t wrong = 3;
    zilch_limits limits = no_limits();
    zilch_pool pool = {.threads = 3, .inner = measuring, .context = &wrong};
    zilch_optimizer *by_hand = small_optimizer(ZILCH_METHOD_EA, DIM, 11);
    zilch_optimizer *driven = small_optimizer(ZILCH_METHOD_EA, DIM, 11);
    limits.generations = 3;
    for (size_t g = 0; g < 3; g++) {
        uint64_t id[N];
        double x[N * DIM], value[N], error[N];
        assert_int_equal(zilch_optimizer_ask(by_hand, N, id, x), ZILCH_OK);
        for (size_t i = 0; i < N; i++) {
            value[i] = noisy_value(DIM, id[i], x + i * DIM);
            error[i] = id[i] % 2 ? 0.25 : NAN;
        }
        assert_int_equal(zilch_optimizer_tell_error(by_hand, N, id, value, error), ZILCH_OK);
    }
    assert_int_equal(zilch_optimizer_run(driven, zilch_pool_objective, &pool, &limits, NULL, NULL, NULL),
                     ZILCH_OK);
    assert_true(is_same_state(by_hand, driven));
    assert_true(zilch_optimizer_progress(driven).noise > 0.0);
    limits.generations = 4;
    assert_int_equal(zilch_optimizer_run(driven, measuring, &wrong, &limits, NULL, NULL, NULL), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "tell: point 0 (counted from 0): the standard error is "));
    assert_int_equal(zilch_optimizer_progress(driven).waiting, 0);
    wrong = 9;
    assert_int_equal(zilch_optimizer_run(driven, measuring, &wrong, &limits, NULL, NULL, NULL), ZILCH_OK);
    zilch_optimizer_destroy(by_hand);
    zilch_optimizer_destroy(driven);
}

/* ---- Recommending ----------------------------------------------------------------------------- */

static zilch_recommendation recommend(const zilch_optimizer *o, record *r, size_t shortlist,
                                      uint64_t evaluations, int prune, double *x)
{
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    options.final_candidates = shortlist;
    options.final_evaluations = evaluations;
    options.final_pruning = prune;
    if (zilch_optimizer_recommend(o, recording, r, &options, x, &out) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return out;
}

static zilch_optimizer *searched(record *r, uint64_t seed, size_t generations)
{
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, seed);
    zilch_limits limits = no_limits();
    limits.generations = generations;
    (void)optimize(o, r, &limits);
    r->calls = r->count = 0;
    return o;
}

/* True values, without noise: over 40 searches the recommended point's are better than the luckiest's.
 * Of two equally good choices, 40 differences would be this one-sided once in 10,000. */
static void the_recommended_is_better_than_the_luckiest(void **state)
{
    (void)state;
    double sum = 0.0, squares = 0.0, flattery = 0.0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        record *r = fresh_record();
        double lucky[DIM], good[DIM];
        zilch_record best;
        r->noise = 3.0;
        zilch_optimizer *o = searched(r, 100 + seed, 8);
        assert_int_equal(zilch_optimizer_best(o, lucky, &best), ZILCH_OK);
        const zilch_recommendation out = recommend(o, r, 10, 400, 0, good);
        const double gain = distance_of(DIM, lucky) - distance_of(DIM, good);
        sum += gain;
        squares += gain * gain;
        flattery += distance_of(DIM, lucky) - best.value;
        assert_double_equal(out.mean, distance_of(DIM, good), 5.0 * 3.0 / sqrt((double)out.evaluations));
        zilch_optimizer_destroy(o);
    }
    const double mean = sum / 40.0;
    const double error = sqrt((squares / 40.0 - mean * mean) / 39.0);
    print_message("    gain %.3f +- %.3f, flattery %.3f\n", mean, error, flattery / 40.0);
    assert_true(mean > 3.7 * error);
    assert_true(flattery / 40.0 > 1.0);
}

/* One point's values in a contest. */
typedef struct rival {
    double x[DIM];
    double sum, squares, count;
} rival;

static size_t find_rival(rival *list, size_t *count, const double *x)
{
    for (size_t i = 0; i < *count; i++) {
        if (memcmp(list[i].x, x, sizeof list[i].x) == 0) {
            return i;
        }
    }
    memset(&list[*count], 0, sizeof *list);
    memcpy(list[*count].x, x, sizeof list->x);
    return (*count)++;
}

/* How many of those in `round`, by their values so far, are better than this one. */
static size_t better_than(const rival *list, size_t count, const double *penalty, size_t one)
{
    size_t better = 0;
    const double cost = list[one].sum / list[one].count + *penalty * (double)active_of(DIM, list[one].x);
    for (size_t i = 0; i < count; i++) {
        better += list[i].sum / list[i].count + *penalty * (double)active_of(DIM, list[i].x) < cost;
    }
    return better;
}

/* Every round, seen from the objective: the first has the best of the archive, each other the better half of
 * the one before it, all equally often and on the same ids, which no evaluation had before. */
static void rounds_halve_the_field(void **state)
{
    (void)state;
    enum { SHORTLIST = 11, BUDGET = 300 };
    record *r = fresh_record();
    r->noise = 2.0;
    const double penalty = 0.3;
    zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
    options.penalty = penalty;
    zilch_optimizer *o = create_with(DIM, 12, &options);
    zilch_limits limits = no_limits();
    limits.generations = 6;
    (void)optimize(o, r, &limits);
    r->calls = r->count = 0;
    double x[DIM];
    zilch_record top[SHORTLIST];
    size_t found;
    assert_int_equal(zilch_optimizer_top(o, SHORTLIST, top, &found), ZILCH_OK);
    const zilch_recommendation out = recommend(o, r, SHORTLIST, BUDGET, 0, x);
    static const size_t field[] = {11, 6, 3, 2};
    static rival list[2][SHORTLIST];
    size_t at = 0, count[2] = {0, 0}, left = BUDGET;
    uint64_t next_id = UINT64_C(1) << 63;
    assert_int_equal(r->calls, 4);
    for (size_t round = 0; round < 4; round++) {
        rival *now = list[round % 2], *then = list[(round + 1) % 2];
        const size_t repeats = left / (4 - round) / field[round];
        count[round % 2] = 0;
        assert_int_equal(r->n[round], field[round] * repeats);
        assert_true(r->generation[round] == UINT64_MAX);
        for (size_t k = 0; k < r->n[round]; k++, at++) {
            const size_t i = find_rival(now, &count[round % 2], r->x + at * DIM);
            now[i].count++;
            now[i].sum += r->value[at];
            now[i].squares += r->value[at] * r->value[at];
            assert_int_equal(r->id[at], next_id + k % repeats);
        }
        assert_int_equal(count[round % 2], field[round]);
        for (size_t i = 0; i < field[round]; i++) {
            assert_int_equal((size_t)now[i].count, repeats);
            if (round == 0) {
                double expected[DIM];
                assert_int_equal(zilch_optimizer_point(o, top[i].point, expected, NULL), ZILCH_OK);
                assert_memory_equal(now[i].x, expected, sizeof expected);
                continue;
            }
            const size_t was = find_rival(then, &count[(round + 1) % 2], now[i].x);
            assert_int_equal(count[(round + 1) % 2], field[round - 1]); /* it was there */
            assert_true(better_than(then, field[round - 1], &penalty, was) < field[round]);
            now[i].count += then[was].count;
            now[i].sum += then[was].sum;
            now[i].squares += then[was].squares;
        }
        next_id += repeats;
        left -= r->n[round];
    }
    const rival *last = list[1];
    const size_t winner = better_than(last, 2, &penalty, 0);
    const double n = last[winner].count;
    const double mean = last[winner].sum / n;
    assert_memory_equal(x, last[winner].x, sizeof x);
    assert_double_equal(out.mean, mean, 1e-12);
    assert_double_equal(out.deviation, sqrt((last[winner].squares - n * mean * mean) / (n - 1.0)), 1e-10);
    assert_double_equal(out.fitness, mean + penalty * (double)active_of(DIM, x), 1e-12);
    assert_int_equal(out.evaluations, (uint64_t)n);
    assert_int_equal(out.spent, BUDGET - left);
    assert_int_equal(out.active, active_of(DIM, x));
    assert_int_equal(out.pruned, 0);
    assert_int_equal(zilch_optimizer_point(o, out.point, x, NULL), ZILCH_OK);
    assert_memory_equal(x, last[winner].x, sizeof x);
    zilch_optimizer_destroy(o);
}

static void the_budget_is_kept(void **state)
{
    (void)state;
    record *r = fresh_record();
    r->noise = 1.0;
    zilch_optimizer *o = searched(r, 13, 4);
    const size_t points = (size_t)zilch_optimizer_progress(o).points;
    for (size_t shortlist = 1; shortlist < 60; shortlist += 3) {
        for (uint64_t budget = shortlist; budget < 200; budget += 7) {
            double x[DIM];
            r->calls = r->count = 0;
            const zilch_recommendation out = recommend(o, r, shortlist, budget, 0, x);
            assert_int_equal(out.spent, r->count);
            assert_true(out.spent <= budget && out.spent >= 1);
            assert_true(out.evaluations >= 1 && out.evaluations <= out.spent);
            assert_true(isfinite(out.mean) && out.point < points);
        }
    }
    zilch_optimizer_destroy(o);
}

/* However small the budget, each point is evaluated: the best one, told last, is not dropped for its age. */
static void a_small_budget_goes_to_the_best(void **state)
{
    (void)state;
    enum { POINTS = 16 };
    for (uint64_t budget = POINTS; budget < 8 * POINTS; budget += 5) {
        record *r = fresh_record();
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 14);
        double x[DIM] = {0};
        uint64_t id;
        for (size_t i = 0; i < POINTS; i++) { /* better and better */
            x[0] = 1.0 + 1.0 / (double)(i + 1);
            x[1] = i + 1 < POINTS ? 0.0 : 1.0;
            x[0] = i + 1 < POINTS ? x[0] : 1.0; /* the last: 0 */
            assert_int_equal(zilch_optimizer_tell_point(o, x, distance_of(DIM, x)), ZILCH_OK);
        }
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
        const zilch_recommendation out = recommend(o, r, POINTS, budget, 0, x);
        assert_int_equal(out.point, POINTS - 1);
        assert_true(r->count >= POINTS && out.spent <= budget);
        assert_true(out.evaluations > 0 && out.mean == distance_of(DIM, x) && out.deviation == 0.0);
        zilch_optimizer_destroy(o);
    }
}

static zilch_status nothing(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    memset(value, 0, batch->n * sizeof *value);
    return ZILCH_OK;
}

/* Without an evaluation nothing is known, even where every value on record is the 0 that a mean begins with.
 */
static void no_evaluation_proves_nothing(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 14);
    zilch_limits limits = no_limits();
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    double x[DIM];
    limits.generations = 2;
    assert_int_equal(zilch_optimizer_run(o, nothing, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
    options.final_candidates = 10;
    options.final_evaluations = 10;
    assert_int_equal(zilch_optimizer_recommend(o, nothing, NULL, &options, x, &out), ZILCH_OK);
    assert_true(out.evaluations > 0 && out.spent > 0 && out.mean == 0.0);
    zilch_optimizer_destroy(o);
}

/* A search that knows these values, each of another point, and has seen none twice. */
static zilch_optimizer *told(const record *r, uint64_t seed, size_t points)
{
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, seed);
    zilch_rng rng = zilch_rng_make(seed, 3);
    for (size_t i = 0; i < points; i++) {
        double x[DIM];
        for (size_t j = 0; j < DIM; j++) {
            x[j] = zilch_rng_normal(&rng);
        }
        assert_int_equal(zilch_optimizer_tell_point(o, x, value_of(r, i, x)), ZILCH_OK);
    }
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    assert_true(isnan(zilch_optimizer_progress(o).noise));
    return o;
}

/* The values on record come again: one round says all. */
static void without_noise_one_round_is_enough(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = told(r, 15, 60);
    double x[DIM], best[DIM];
    zilch_record luckiest;
    const zilch_final_options defaults = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    assert_true(defaults.final_candidates == 0 && defaults.final_evaluations == 0 &&
                defaults.final_pruning == 1 && defaults.is_noisy == 1 && defaults.budget == 0);
    assert_int_equal(zilch_final_budget(&defaults, o), 500);
    const zilch_recommendation out = recommend(o, r, 20, 500, 0, x);
    assert_int_equal(r->calls, 1);
    assert_int_equal(out.spent, 100); /* 500 evaluations, 5 rounds */
    assert_int_equal(out.evaluations, 5);
    assert_true(out.deviation == 0.0);
    assert_int_equal(zilch_optimizer_best(o, best, &luckiest), ZILCH_OK);
    assert_int_equal(out.point, luckiest.point);
    assert_true(out.mean == luckiest.value && out.fitness == luckiest.fitness);
    assert_memory_equal(x, best, sizeof x);
    r->calls = r->count = 0;
    zilch_recommendation again;
    const zilch_recommendation pruned = recommend(o, r, 20, 500, 1, best);
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, NULL, x, &again),
                     ZILCH_OK); /* the defaults */
    assert_memory_equal(&again, &pruned, sizeof pruned);
    assert_memory_equal(x, best, sizeof x);
    assert_true(again.point == out.point && again.fitness <= out.fitness);
    zilch_optimizer_destroy(o);
}

/* Where it is known that there is no noise, because the caller says so or the search has seen the same values
 * twice, nothing is evaluated again: each active coordinate is left out once, and that is all. */
static void what_is_known_is_not_evaluated_again(void **state)
{
    (void)state;
    for (int is_told = 0; is_told < 2; is_told++) {
        record *r = fresh_record();
        zilch_optimizer *o = is_told ? told(r, 15, 60) : searched(r, 15, 5);
        zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
        zilch_record best;
        double x[DIM], seen_best[DIM];
        zilch_recommendation out;
        options.is_noisy = !is_told;
        assert_true(is_told || zilch_optimizer_progress(o).noise == 0.0);
        assert_int_equal(zilch_optimizer_best(o, seen_best, &best), ZILCH_OK);
        assert_int_equal(zilch_final_budget(&options, o), best.active);
        assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_OK);
        assert_true(out.spent == r->count && out.spent <= best.active && out.spent > 0);
        for (size_t i = 0; i < r->count; i++) {
            assert_true(active_of(DIM, r->x + i * DIM) < best.active);
        }
        assert_true(out.deviation == 0.0 && out.evaluations == (out.pruned > 0));
        assert_true(out.mean == distance_of(DIM, x) && out.point == best.point);
        for (uint64_t most = 1; most < best.active; most++) { /* the smallest are tried first */
            options.final_evaluations = most;
            r->calls = r->count = 0;
            assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_OK);
            assert_true(out.spent == most && r->count == most && out.mean == distance_of(DIM, x));
        }
        options.final_pruning = 0;
        options.final_candidates = 3;
        options.final_evaluations = 30;
        r->calls = r->count = 0;
        assert_int_equal(zilch_final_budget(&options, o), 0);
        assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_OK);
        assert_true(r->count == 0 && out.spent == 0 && out.evaluations == 0 && out.deviation == 0.0);
        assert_true(out.mean == best.value && out.fitness == best.fitness);
        assert_memory_equal(x, seen_best, sizeof x);
        zilch_optimizer_destroy(o);
    }
}

/* What a zero means with noise: the same as these numbers would. */
static void zeros_are_filled_in(void **state)
{
    (void)state;
    static const struct {
        int pruning;
        size_t candidates;
        uint64_t evaluations, budget;
        size_t then_candidates;
        uint64_t then_evaluations;
    } cases[] = {
        {1, 0, 0, 0, 20, 500},     /* 20 points, 500 evaluations */
        {0, 0, 0, 0, 20, 500},     /* whether it is pruned or not */
        {1, 600, 0, 0, 600, 600},  /* more candidates than 500 */
        {1, 3, 0, 0, 3, 500},      /* or fewer */
        {1, 0, 7, 0, 2, 7},        /* four evaluations for each, or nearly */
        {0, 0, 1, 0, 1, 1},        /* one at least */
        {1, 30, 90, 0, 30, 90},    /* what is given counts */
        {1, 0, 0, 10000, 20, 500}, /* a fifth of a budget is more than is needed, */
        {1, 0, 0, 1000, 20, 200},  /* or all that there is */
        {1, 0, 0, 200, 10, 40},    /* for fewer candidates, */
        {1, 50, 0, 200, 40, 40},   /* whatever their number should be */
        {1, 0, 90, 200, 20, 90},   /* what is given may be more, */
        {0, 0, 199, 200, 20, 140}, /* but not more than is left: the search made 60 */
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        record *r = fresh_record();
        r->noise = 1.0;
        zilch_optimizer *o = searched(r, 24, 5);
        zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_EA);
        zilch_recommendation out;
        double x[DIM], y[DIM];
        options.final_pruning = cases[k].pruning;
        options.final_candidates = cases[k].candidates;
        options.final_evaluations = cases[k].evaluations;
        options.budget = cases[k].budget;
        assert_int_equal(zilch_final_budget(&options, o), cases[k].then_evaluations);
        assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_OK);
        assert_true(out.spent <= cases[k].then_evaluations && out.spent == r->count);
        r->calls = r->count = 0;
        const zilch_recommendation same =
            recommend(o, r, cases[k].then_candidates, cases[k].then_evaluations, cases[k].pruning, y);
        assert_memory_equal(&out, &same, sizeof out);
        assert_memory_equal(x, y, sizeof x);
        zilch_optimizer_destroy(o);
    }
}

/* ---- A budget for both --------------------------------------------------------------------------------- */

/* A whole run on a budget; gives how many evaluations there were in all. */
static uint64_t spend(record *r, uint64_t budget, zilch_final_options options, zilch_stop *reason,
                      zilch_recommendation *out)
{
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, budget);
    zilch_limits limits = no_limits();
    double x[DIM];
    limits.evaluations = options.budget = budget;
    limits.final = &options;
    *reason = optimize(o, r, &limits);
    assert_int_equal(zilch_limits_left(&limits, o), 0);
    const uint64_t made = zilch_optimizer_progress(o).evaluations;
    assert_int_equal(r->count, made);
    assert_true(made >= 1 && made + zilch_final_budget(&options, o) <= budget);
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, out), ZILCH_OK);
    assert_int_equal(out->spent, r->count - made);
    assert_true(out->spent <= budget / 5 && out->spent <= 500);
    zilch_optimizer_destroy(o);
    return r->count;
}

/* Every budget up to 3,000, with and without noise, pruned or not: no evaluation more, and without noise none
 * that is left. With noise, two finalists may leave one. */
static void no_budget_is_exceeded(void **state)
{
    (void)state;
    for (uint64_t budget = 1; budget <= 3000; budget += budget < 150 ? 1 : 7) {
        for (int k = 0; k < 4; k++) {
            record *r = fresh_record();
            zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_EA);
            zilch_stop reason;
            zilch_recommendation out;
            r->noise = k & 1 ? 1.0 : 0.0;
            options.is_noisy = k & 1;
            options.final_pruning = k >> 1;
            const uint64_t spent = spend(r, budget, options, &reason, &out);
            assert_int_equal(reason, ZILCH_STOP_EVALUATIONS);
            assert_true(spent <= budget);
            if (!options.is_noisy) {
                assert_true(out.spent <= budget / 10 && out.spent <= DIM);
                assert_true(spent == budget || options.final_pruning);
                assert_true(budget - spent <= DIM);
            } else if (!options.final_pruning) {
                assert_true(budget - spent <= 1);
            }
        }
    }
}

/* The rule itself, for every budget: what the search may use and what the check may take are the budget. */
static void a_budget_is_divided(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *unknown = small_optimizer(ZILCH_METHOD_EA, DIM, 1);
    zilch_optimizer *exact = told(r, 15, 60); /* foreign points cost nothing */
    r->noise = 1.0;
    zilch_optimizer *noisy = searched(r, 24, 5);
    const zilch_optimizer *all[] = {unknown, exact, noisy};
    for (uint64_t budget = 1; budget <= 3000; budget++) {
        for (size_t k = 0; k < COUNT(all) * 2; k++) {
            const zilch_optimizer *o = all[k / 2];
            const zilch_progress p = zilch_optimizer_progress(o);
            const uint64_t made = p.evaluations - p.foreign;
            zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_EA);
            zilch_limits limits = no_limits();
            options.final_pruning = k % 2;
            options.is_noisy = o != exact;
            options.budget = limits.evaluations = budget;
            const uint64_t left = budget > made ? budget - made : 0;
            assert_int_equal(zilch_limits_left(&limits, o), left);
            limits.final = &options;
            const uint64_t share = zilch_final_budget(&options, o);
            assert_int_equal(zilch_limits_left(&limits, o) + share, left);
            const uint64_t fifth = budget / 5 < 500 ? budget / 5 : 500;
            const uint64_t tenth = budget / 10 < DIM ? budget / 10 : DIM;
            const uint64_t expected = options.is_noisy ? fifth : options.final_pruning ? tenth : 0;
            assert_int_equal(share, expected < left ? expected : left);
        }
    }
    zilch_optimizer_destroy(unknown);
    zilch_optimizer_destroy(exact);
    zilch_optimizer_destroy(noisy);
}

/* Noise that shows itself late: the search stops at once, and the check takes what is left. */
static void noise_may_be_found_late(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 5);
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_EA);
    zilch_limits limits = no_limits();
    zilch_recommendation out;
    zilch_stop reason;
    double x[DIM];
    limits.final = &options;
    limits.generations = 8;
    limits.evaluations = options.budget = 9 * N + 4;
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_GENERATIONS);
    limits.generations = 0;
    r->noise = 1.0;
    assert_true(zilch_limits_left(&limits, o) >= N);
    assert_int_equal(optimize(o, r, &limits), ZILCH_STOP_EVALUATIONS);
    assert_int_equal(r->count, 9 * N);
    assert_int_equal(zilch_final_budget(&options, o), 4);
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_OK);
    assert_true(out.spent == 4 && r->count == 9 * N + 4);
    limits.evaluations = options.budget = 9 * N; /* nothing is left: what is on record is recommended */
    assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_OK);
    assert_int_equal(reason, ZILCH_STOP_EVALUATIONS);
    r->calls = r->count = 0;
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_OK);
    zilch_record best;
    assert_int_equal(zilch_optimizer_best(o, NULL, &best), ZILCH_OK);
    assert_true(out.spent == 0 && r->count == 0 && out.evaluations == 0 && out.failures == 0);
    assert_true(out.mean == best.value && out.point == best.point && isnan(out.deviation));
    zilch_optimizer_destroy(o);
}

/* The number that is asked for is a part of the budget, and leaves the search something. */
static void a_check_is_a_part_of_the_budget(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_EA);
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 3);
    zilch_limits limits = no_limits();
    zilch_stop reason;
    zilch_recommendation out;
    r->noise = 1.0;
    limits.final = &options;
    limits.evaluations = 200;
    options.final_evaluations = 200;
    assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_EARG);
    assert_string_equal(zilch_last_error(),
                        "limits: evaluations must be more than the 200 final_evaluations, "
                        "which are a part of them, not 200");
    assert_int_equal(zilch_optimizer_run(o, recording, r, &limits, NULL, NULL, &reason), ZILCH_EARG);
    assert_int_equal(r->calls, 0);
    limits.evaluations = 0; /* without a budget it comes on top */
    assert_int_equal(zilch_limits_reached(&limits, o, &reason), ZILCH_OK);
    assert_true(zilch_limits_left(&limits, o) == UINT64_MAX);
    zilch_optimizer_destroy(o);
    options.final_pruning = 0;
    options.final_candidates = 2;
    for (uint64_t each = 2; each < 40; each += 2) {
        r = fresh_record();
        r->noise = 1.0;
        options.final_evaluations = each;
        const uint64_t spent = spend(r, 200, options, &reason, &out);
        assert_true(spent == 200 && out.spent == each);
    }
}

/* Without options it is what the method does: published leaves nothing out. */
static void a_method_has_an_end_of_its_own(void **state)
{
    (void)state;
    const double point[DIM] = {1, 1, 1, -0.01, 77};
    static const zilch_method methods[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_PUBLISHED, ZILCH_METHOD_EA};
    for (size_t k = 0; k < COUNT(methods); k++) {
        const zilch_optimizer_options options = small_options(methods[k], N, K);
        zilch_optimizer *o = create_with(DIM, 17, &options);
        zilch_recommendation out;
        double x[DIM];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(zilch_optimizer_tell_point(o, point, 0.0), ZILCH_OK);
        }
        assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
        assert_int_equal(zilch_optimizer_recommend(o, nothing, NULL, NULL, x, &out), ZILCH_OK);
        assert_int_equal(out.pruned, methods[k] == ZILCH_METHOD_PUBLISHED ? 0 : 5); /* nothing is missed */
        zilch_optimizer_destroy(o);
    }
}

/* Half of the evaluations is kept for pruning, unless that is too little to try every coordinate, and what
 * the pruned point and its parent need: then all of it goes into the choice. */
static void too_little_to_prune_is_not_kept(void **state)
{
    (void)state;
    for (uint64_t budget = 2 * DIM - 6; budget < 2 * DIM + 12; budget += 2) {
        record *r = fresh_record();
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 14);
        double x[DIM], y[DIM];
        uint64_t id;
        r->noise = 1.0;
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < DIM; j++) { /* all are active */
                x[j] = 1.0 + 0.125 * (double)(i + j);
            }
            assert_int_equal(zilch_optimizer_tell_point(o, x, distance_of(DIM, x)), ZILCH_OK);
        }
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
        const zilch_recommendation plain = recommend(o, r, 4, budget, 0, x);
        const zilch_recommendation out = recommend(o, r, 4, budget, 1, y);
        assert_true(out.spent <= budget);
        if (budget / 2 < DIM + 2) {
            assert_memory_equal(&out, &plain, sizeof out);
            assert_memory_equal(x, y, sizeof x);
        } else {
            assert_true(out.evaluations < plain.evaluations || out.spent > plain.spent || out.pruned > 0);
        }
        zilch_optimizer_destroy(o);
    }
}

/* Every other evaluation fails, without noise. */
static zilch_status unreliable(void *context, const zilch_batch *batch, double *value)
{
    const zilch_status status = recording(context, batch, value);
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = batch->id[i] % 2 ? value[i] : NAN;
    }
    return status;
}

static void failures_are_noise(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = told(r, 15, 40);
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    double x[DIM];
    options.final_pruning = 0;
    assert_int_equal(zilch_optimizer_recommend(o, unreliable, r, &options, x, &out), ZILCH_OK);
    assert_int_equal(r->calls, 5); /* all rounds */
    assert_true(out.deviation == 0.0 && out.evaluations < out.spent);
    zilch_optimizer_destroy(o);
}

/* The point at 3 is the best, but fails in nine of ten evaluations. */
static zilch_status fragile(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        const double x = batch->x[i * batch->dim];
        value[i] = x == 3.0 && batch->id[i] % 10 ? NAN : -x;
    }
    return ZILCH_OK;
}

static void fewer_failures_are_preferred(void **state)
{
    (void)state;
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    double x[DIM] = {0};
    uint64_t id;
    for (int prune = 0; prune < 2; prune++) {
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 21);
        for (int k = 1; k <= 3; k++) {
            assert_int_equal(zilch_optimizer_tell_point(o, (const double[DIM]){k}, -k), ZILCH_OK);
        }
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
        options.final_pruning = prune;
        assert_int_equal(zilch_optimizer_recommend(o, fragile, NULL, &options, x, &out), ZILCH_OK);
        assert_true(x[0] == 2.0 && out.failures == 0 && out.mean == -2.0);
        zilch_optimizer_destroy(o);
    }
}

/* Rounds of more than a part (4,096 evaluations) are whole all the same. */
static void long_rounds_come_in_parts(void **state)
{
    (void)state;
    record *r = fresh_record();
    zilch_optimizer *o = told(r, 22, 30);
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    double x[DIM];
    options.final_pruning = 0;
    options.final_candidates = 3;
    options.final_evaluations = 30000; /* 5,000 of each of three, 7,500 of each of two */
    assert_int_equal(zilch_optimizer_recommend(o, fragile, NULL, &options, x, &out), ZILCH_OK);
    assert_true(out.spent <= 30000 && out.evaluations >= 5000);
    assert_true(out.mean == -x[0]);
    zilch_optimizer_destroy(o);
}

static void recommending_changes_nothing(void **state)
{
    (void)state;
    record *r = fresh_record();
    r->noise = 1.0;
    zilch_optimizer *o = searched(r, 16, 4);
    zilch_optimizer *before = copy_of(o);
    for (int prune = 0; prune < 2; prune++) {
        double x[2][DIM];
        zilch_recommendation out[2];
        for (int i = 0; i < 2; i++) {
            r->calls = r->count = 0;
            out[i] = recommend(o, r, 10, 100, prune, x[i]);
        }
        assert_memory_equal(&out[0], &out[1], sizeof *out);
        assert_memory_equal(x[0], x[1], sizeof *x);
        assert_true(is_same_state(o, before));
    }
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(before);
}

/* ---- Pruning ---------------------------------------------------------------------------------- */

/* The first two coordinates matter, and the third a little. */
static zilch_status three_matter(void *context, const zilch_batch *batch, double *value)
{
    const record *r = context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * batch->dim;
        zilch_rng rng = zilch_rng_make(5, batch->id[i]);
        value[i] = (x[0] - 1.0) * (x[0] - 1.0) + (x[1] - 1.0) * (x[1] - 1.0) + 0.1 * (x[2] != 1.0) +
                   r->noise * zilch_rng_normal(&rng);
    }
    return ZILCH_OK;
}

/* A search in which this one point was told; pruned, on values that are noisy or not. */
static zilch_recommendation prune_one(const zilch_optimizer_options *options, const double *point,
                                      double noise, double *x)
{
    record *r = fresh_record();
    zilch_optimizer *o = create_with(DIM, 17, options);
    zilch_final_options chosen = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    uint64_t id;
    r->noise = noise;
    chosen.final_pruning = 1;
    chosen.final_candidates = 1;
    chosen.final_evaluations = 300;    /* half of them for the contest */
    for (size_t i = 0; i < DIM; i++) { /* a worse one before it */
        x[i] = 0.5 * point[i];
    }
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_OK);
    assert_int_equal(zilch_optimizer_tell_point(o, point, 0.0), ZILCH_OK);
    assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
    assert_int_equal(zilch_optimizer_recommend(o, three_matter, r, &chosen, x, &out), ZILCH_OK);
    assert_int_equal(out.point, 1);
    assert_int_equal(out.active, active_of(DIM, x));
    assert_int_equal(out.pruned, active_of(DIM, point) - out.active);
    zilch_optimizer_destroy(o);
    return out;
}

static void pruning_leaves_out_what_does_not_matter(void **state)
{
    (void)state;
    const double point[DIM] = {1, 1, 1, -0.01, 77};
    const double expected[DIM] = {1, 1, 1, 0, 0}, dear[DIM] = {1, 1, 0, 0, 0};
    double x[DIM];
    for (int noisy = 0; noisy < 2; noisy++) { /* the same noise for all: it cancels but for rounding */
        zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
        options.penalty = 1e-6;
        zilch_recommendation out = prune_one(&options, point, noisy ? 2.0 : 0.0, x);
        assert_memory_equal(x, expected, sizeof x);
        assert_int_equal(out.pruned, 2);
        const uint64_t each = noisy ? 150 / 7 : 1; /* before, five times between, and after; */
        assert_int_equal(out.evaluations, each);
        assert_int_equal(out.spent, 150 + (noisy ? 7 * each : 5)); /* without noise, between alone */
        double mean = 0.0; /* the contest had 150 ids, the trials others */
        for (uint64_t k = 150 + each; k < 150 + 2 * each; k++) {
            zilch_rng rng = zilch_rng_make(5, (UINT64_C(1) << 63) + k);
            mean += noisy ? 2.0 * zilch_rng_normal(&rng) / (double)each : 0.0;
        }
        assert_double_equal(out.mean, mean, 1e-12);
        assert_true(noisy ? fabs(out.deviation - 2.0) < 2.0 : out.deviation == 0.0);
        options.penalty = 0.2; /* dearer than the third coordinate is worth */
        out = prune_one(&options, point, noisy ? 2.0 : 0.0, x);
        assert_memory_equal(x, dear, sizeof x);
        assert_int_equal(out.pruned, 3);
    }
}

static void pruning_may_find_nothing(void **state)
{
    (void)state;
    const double point[DIM] = {1, 1, 1};
    double x[DIM];
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
    const zilch_recommendation out = prune_one(&options, point, 0.0, x);
    assert_memory_equal(x, point, sizeof x);
    assert_true(out.pruned == 0 && out.evaluations == 150 && out.spent == 150 + 3 && out.mean == 0.0);
}

/* Forced coordinates stay; groups stay or go as one; a least number stays, the largest of what could go. */
static void pruning_keeps_the_limits(void **state)
{
    (void)state;
    const double point[DIM] = {1, 1, 1, 5, 7};
    double x[DIM];
    zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
    const zilch_forced forced[DIM] = {0, 0, 0, ZILCH_FORCED_ON, 0};
    options.forced = forced;
    (void)prune_one(&options, point, 0.0, x);
    assert_memory_equal(x, ((const double[DIM]){1, 1, 1, 5, 0}), sizeof x);
    options.forced = NULL;
    const size_t held[DIM] = {4, 0, 0, 0, 4}; /* with one that matters */
    options.group = held;
    (void)prune_one(&options, point, 0.0, x);
    assert_memory_equal(x, ((const double[DIM]){1, 1, 1, 0, 7}), sizeof x);
    const size_t useless[DIM] = {0, 0, 0, 4, 4};
    options.group = useless;
    (void)prune_one(&options, point, 0.0, x);
    assert_memory_equal(x, ((const double[DIM]){1, 1, 1, 0, 0}), sizeof x);
    options.min_active = 4; /* both or neither: three would be too few */
    (void)prune_one(&options, point, 0.0, x);
    assert_memory_equal(x, point, sizeof x);
    options.group = NULL;
    (void)prune_one(&options, point, 0.0, x);
    assert_memory_equal(x, ((const double[DIM]){1, 1, 1, 0, 7}), sizeof x); /* the smaller one went */
}

/* ---- What a recommendation refuses ------------------------------------------------------------ */

static void bad_recommendations_are_refused(void **state)
{
    (void)state;
    record *r = fresh_record();
    double x[DIM];
    zilch_recommendation out;
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 18);
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, NULL, x, &out), ZILCH_ESTATE);
    assert_non_null(strstr(zilch_last_error(), "succeeded"));
    run_generations(o, 1);
    options.final_candidates = 20;
    options.final_evaluations = 19;
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "recommend: final_evaluations must be at least the 20 "
                                            "final_candidates, not 19: each of them needs an evaluation");
    options.final_candidates = 100001;
    options.final_evaluations = 10000000;
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "recommend: final_candidates must be"));
    options.final_candidates = 1;
    options.final_evaluations = 10000001;
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "recommend: final_evaluations must be"));
    options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    options.size = 0;
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, &options, x, &out), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_recommend(o, NULL, r, NULL, x, &out), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, NULL, NULL, &out), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, NULL, x, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_recommend(NULL, recording, r, NULL, x, &out), ZILCH_EARG);
    assert_int_equal(r->calls, 0);
    r->fail_at = 2;
    r->noise = 1.0;
    r->status = ZILCH_EIO;
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, NULL, x, &out), ZILCH_EIO);
    assert_string_equal(zilch_last_error(), "recommend: the objective failed");
    r->fail_at = 4;
    r->text = "no more";
    assert_int_equal(zilch_optimizer_recommend(o, recording, r, NULL, x, &out), ZILCH_EIO);
    assert_string_equal(zilch_last_error(), "no more");
    zilch_optimizer_destroy(o);
}

/* Failures are no values: they are left out of the mean, and a point that only fails is last. */
static void failures_in_a_recommendation_are_left_out(void **state)
{
    (void)state;
    record *r = fresh_record();
    r->noise = 0.5;
    zilch_optimizer *o = searched(r, 19, 4);
    double x[DIM];
    r->bad_at = 2; /* the second round */
    const zilch_recommendation out = recommend(o, r, 4, 80, 0, x);
    assert_int_equal(r->calls, 2);
    assert_int_equal(out.spent, r->count);
    assert_int_equal(out.evaluations, 10); /* of the first round alone */
    assert_true(isfinite(out.mean));
    r->calls = r->count = 0;
    r->bad_at = 1;
    const zilch_recommendation none = recommend(o, r, 1, 5, 0, x);
    assert_int_equal(none.evaluations, 0);
    assert_true(isnan(none.mean) && isnan(none.fitness) && none.spent == 5);
    zilch_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driving_is_asking_and_telling),
        cmocka_unit_test(each_generation_is_one_batch),
        cmocka_unit_test(what_was_asked_by_hand_counts),
        cmocka_unit_test(what_does_not_come_back_is_replaced),
        cmocka_unit_test(without_limits_a_search_converges),
        cmocka_unit_test(evaluations_are_kept_exactly),
        cmocka_unit_test(evaluations_are_counted_over_a_life),
        cmocka_unit_test(a_target_is_met_by_the_value),
        cmocka_unit_test(stagnation_stops),
        cmocka_unit_test(limits_can_be_asked_for),
        cmocka_unit_test(bad_limits_are_refused),
        cmocka_unit_test(an_observer_may_end_the_run),
        cmocka_unit_test(a_failing_objective_loses_nothing),
        cmocka_unit_test(a_generation_without_values_ends_the_run),
        cmocka_unit_test(a_budget_may_end_in_failures),
        cmocka_unit_test(an_objective_may_tell_errors),
        cmocka_unit_test(the_recommended_is_better_than_the_luckiest),
        cmocka_unit_test(rounds_halve_the_field),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(a_small_budget_goes_to_the_best),
        cmocka_unit_test(no_evaluation_proves_nothing),
        cmocka_unit_test(without_noise_one_round_is_enough),
        cmocka_unit_test(what_is_known_is_not_evaluated_again),
        cmocka_unit_test(zeros_are_filled_in),
        cmocka_unit_test(no_budget_is_exceeded),
        cmocka_unit_test(a_budget_is_divided),
        cmocka_unit_test(noise_may_be_found_late),
        cmocka_unit_test(a_check_is_a_part_of_the_budget),
        cmocka_unit_test(a_method_has_an_end_of_its_own),
        cmocka_unit_test(too_little_to_prune_is_not_kept),
        cmocka_unit_test(failures_are_noise),
        cmocka_unit_test(fewer_failures_are_preferred),
        cmocka_unit_test(long_rounds_come_in_parts),
        cmocka_unit_test(recommending_changes_nothing),
        cmocka_unit_test(pruning_leaves_out_what_does_not_matter),
        cmocka_unit_test(pruning_may_find_nothing),
        cmocka_unit_test(pruning_keeps_the_limits),
        cmocka_unit_test(bad_recommendations_are_refused),
        cmocka_unit_test(failures_in_a_recommendation_are_left_out),
    };
    return cmocka_run_group_tests_name("optimize", tests, NULL, NULL);
}
