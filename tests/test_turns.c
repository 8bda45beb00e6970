/* A search in which the distribution and the refinement take turns: interrupted at any moment, told in any
 * order, kept in a study, with failures, limits and forgetting; and where there is nothing left to evaluate.
 */
#include "base/bytes.h"
#include "search_support.h"

#include <unistd.h>

#define OK(call) assert_int_equal((call), ZILCH_OK)

enum { DIM = 6, KINDS = 9, MOST = 4000 };

/* ---- Searches --------------------------------------------------------------------------------------- */

static const zilch_forced forced[DIM] = {[1] = ZILCH_FORCED_ON, [4] = ZILCH_FORCED_OFF};
static const double lower[DIM] = {-1, 0.25, -1, -1, -1, -1};
static const double upper[DIM] = {0.75, 2, 2, 2, 2, 2};

static zilch_optimizer_options options_of(unsigned kind)
{
    zilch_optimizer_options o = zilch_optimizer_defaults();
    o.direction = kind & 1 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE;
    o.penalty = kind & 1 ? 0.01 : 0.0;
    o.quorum = kind & 2 ? 0.5 : 1.0;
    if (kind & 4) {
        o.forced = forced;
        o.lower = lower;
        o.upper = upper;
        o.max_active = 4;
    }
    o.population = kind == 3 ? 12 : 0;
    o.refinement = kind != 8; /* only the automatic population */
    o.aggregate = kind == 5 ? ZILCH_AGGREGATE_MEAN : ZILCH_AGGREGATE_LATEST;
    return o;
}

/* Without noise; the points in one corner fail, and so does the zero point of some kinds. */
static double value_at(unsigned kind, const double *x)
{
    double sum = kind == 2 && active_of(DIM, x) == 0 ? NAN : 0.0;
    for (size_t i = 0; i < DIM; i++) {
        const double difference = x[i] - (i < 3 ? 0.5 + 0.25 * (double)i : 0.0);
        sum += (1.0 + (double)i) * difference * difference + (i ? 0.5 * x[i] * x[i - 1] : 0.0);
    }
    sum = x[0] > 3.0 ? INFINITY : sum;
    return kind & 1 ? -sum : sum;
}

static void evaluate(unsigned kind, size_t n, const double *x, double *value)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = value_at(kind, x + i * DIM);
    }
}

static void check_point(const zilch_optimizer *o, const double *x)
{
    const zilch_optimizer_options *settings = zilch_optimizer_settings(o);
    for (size_t i = 0; i < DIM && settings->forced; i++) {
        assert_true(x[i] == 0.0 || (x[i] >= lower[i] && x[i] <= upper[i]));
        assert_true((forced[i] != ZILCH_FORCED_ON || x[i] != 0.0) &&
                    (forced[i] != ZILCH_FORCED_OFF || x[i] == 0.0));
    }
    assert_true(!settings->max_active || active_of(DIM, x) <= settings->max_active);
}

static size_t ask_all(zilch_optimizer *o, asked *a)
{
    OK(zilch_optimizer_wanted(o, &a->n));
    assert_in_range(a->n, 1, MOST_ASKED);
    OK(zilch_optimizer_ask(o, a->n, a->id, a->x));
    for (size_t i = 0; i < a->n; i++) {
        check_point(o, a->x + i * DIM);
    }
    return a->n;
}

static void interrupt(zilch_optimizer **o)
{
    zilch_optimizer *copy = copy_of(*o);
    assert_true(is_same_state(copy, *o));
    zilch_optimizer_destroy(*o);
    *o = copy;
}

/* ---- Interruptions ------------------------------------------------------------------------------------ */

/* A generation: some more are asked for now and then, and a few stay out until the next one. */
static void step(zilch_optimizer **o, unsigned kind, size_t g, int is_broken)
{
    static asked a;
    ask_all(*o, &a);
    if (is_broken) {
        interrupt(o);
    }
    if (g % 5 == 3) {
        OK(zilch_optimizer_ask(*o, 4, a.id + a.n, a.x + a.n * DIM));
        a.n += 4;
    }
    evaluate(kind, a.n, a.x, a.value);
    const size_t half = (a.n + 1) / 2;
    OK(zilch_optimizer_tell(*o, half, a.id, a.value));
    assert_true(zi_optimizer_is_valid(*o));
    if (is_broken) {
        interrupt(o);
    }
    if (a.n > half) { /* late, where half of them were enough */
        OK(zilch_optimizer_tell(*o, a.n - half, a.id + half, a.value + half));
    }
    assert_true(zi_optimizer_is_valid(*o));
}

static void an_interruption_changes_nothing(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const zilch_optimizer_options options = options_of(kind);
        zilch_optimizer *plain = create_with(DIM, kind, &options), *broken = create_with(DIM, kind, &options);
        size_t refined = 0;
        for (size_t g = 0; g < 60; g++) {
            step(&plain, kind, g, 0);
            step(&broken, kind, g, 1);
            interrupt(&broken);
            assert_true(is_same_state(plain, broken));
            refined += plain->turns.evaluations > 0;
        }
        assert_true(kind == 8 ? refined == 0 : refined > 50);
        zilch_optimizer_destroy(plain);
        zilch_optimizer_destroy(broken);
    }
}

/* Once there is noise, the distribution has all turns, in populations of its own; something is always new. */
static void noise_ends_the_refinement(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        static asked a;
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.reevaluate = k ? ZILCH_REEVALUATE_ALL : ZILCH_REEVALUATE_UNCERTAIN;
        zilch_optimizer *o = create_with(DIM, 5, &options), *broken = create_with(DIM, 5, &options);
        for (size_t g = 0; g < 40; g++) {
            ask_all(broken, &a);
            interrupt(&broken);
            ask_all(o, &a);
            assert_true(g == 0 || (o->refined == 0 && a.n >= 20 && o->reevaluated < a.n));
            for (size_t i = 0; i < a.n; i++) {
                a.value[i] = noisy_value(DIM, a.id[i], a.x + i * DIM);
            }
            OK(zilch_optimizer_tell(o, a.n, a.id, a.value));
            OK(zilch_optimizer_tell(broken, a.n / 2, a.id, a.value));
            interrupt(&broken);
            OK(zilch_optimizer_tell(broken, a.n - a.n / 2, a.id + a.n / 2, a.value + a.n / 2));
            assert_true(is_same_state(o, broken));
        }
        assert_int_equal(o->turns.evaluations, 2);
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(broken);
    }
}

static void the_order_of_telling_does_not_matter(void **state)
{
    (void)state;
    static asked a, b;
    const zilch_optimizer_options options = options_of(4);
    zilch_optimizer *o = create_with(DIM, 9, &options), *other = create_with(DIM, 9, &options);
    for (size_t g = 0; g < 60; g++) {
        ask_all(o, &a);
        ask_all(other, &b);
        assert_int_equal(a.n, b.n);
        evaluate(4, a.n, a.x, a.value);
        OK(zilch_optimizer_tell(o, a.n, a.id, a.value));
        for (size_t i = a.n; i-- > 0;) {
            OK(zilch_optimizer_tell(other, 1, &a.id[i], &a.value[i]));
        }
        assert_true(is_same_state(o, other));
    }
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(other);
}

/* ---- Ids ---------------------------------------------------------------------------------------------- */

/* Whoever asks sees all points of a search counted, and no mark of those that the refinement chose, be it at
 * once, after a load or too late. */
static void ids_count_the_points(void **state)
{
    (void)state;
    static asked a;
    zilch_optimizer_options options = options_of(0);
    options.quorum = 0.5;
    zilch_optimizer *o = create_with(DIM, 3, &options);
    uint64_t next = 0;
    size_t refined = 0, late = 0;
    for (size_t g = 0; g < 60; g++) {
        ask_all(o, &a);
        for (size_t i = 0; i < a.n; i++) {
            assert_int_equal(a.id[i], next++);
        }
        evaluate(0, a.n, a.x, a.value);
        refined += o->refined;
        const uint64_t marked = ZI_REFINED_ID | a.id[0];
        assert_int_equal(zilch_optimizer_tell(o, 1, &marked, a.value), ZILCH_EARG);
        interrupt(&o);
        for (size_t i = 0; i < a.n; i++) { /* those behind the first half come late */
            const size_t before = o->stragglers.rows.count;
            OK(zilch_optimizer_tell(o, 1, &a.id[i], &a.value[i]));
            late += o->stragglers.rows.count > before;
            assert_int_equal(zilch_optimizer_tell(o, 1, &a.id[i], &a.value[i]), ZILCH_EARG);
        }
        interrupt(&o);
    }
    assert_true(refined > 100 && late > 10);
    zilch_optimizer_destroy(o);
}

/* ---- Points ------------------------------------------------------------------------------------------- */

/* Switches, of which at most so many are on. */
static zilch_optimizer *switches(size_t dim, size_t most)
{
    double one[MOST_COORDINATES];
    zilch_optimizer_options options = zilch_optimizer_defaults();
    for (size_t i = 0; i < dim; i++) {
        one[i] = 1.0;
    }
    options.lower = options.upper = one;
    options.max_active = most;
    return create_with(dim, 3, &options);
}

static int compare_points(const void *a, const void *b)
{
    return memcmp(a, b, DIM * sizeof(double));
}

/* How many of these points came before. They are sorted. */
static size_t count_repeats(size_t n, double *x)
{
    size_t repeats = 0;
    qsort(x, n, DIM * sizeof *x, compare_points);
    for (size_t i = 1; i < n; i++) {
        repeats += compare_points(x + (i - 1) * DIM, x + i * DIM) == 0;
    }
    return repeats;
}

/* A search of at least MOST evaluations, which are all told. Gives how many were of points that came before.
 */
static size_t search(zilch_optimizer *o, unsigned kind)
{
    static double seen[(MOST + MOST_ASKED) * DIM];
    static asked a;
    size_t count = 0;
    while (count < MOST) {
        ask_all(o, &a);
        memcpy(seen + count * DIM, a.x, a.n * DIM * sizeof *seen);
        count += a.n;
        evaluate(kind, a.n, a.x, a.value);
        OK(zilch_optimizer_tell(o, a.n, a.id, a.value));
    }
    return count_repeats(count, seen);
}

/* Only to see whether there is noise is a point evaluated again: the first one, and a few of the best. */
static void no_point_is_evaluated_twice(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        zilch_optimizer_options options = options_of(kind & ~2U); /* all are told */
        options.refinement = 1;
        zilch_optimizer *o = create_with(DIM, 3 + kind, &options);
        double worst = 0.0;
        const size_t repeats = search(o, kind & ~2U);
        const zilch_progress p = zilch_optimizer_progress(o);
        assert_in_range(repeats, 1, 16);
        assert_int_equal(p.evaluations - p.points, repeats);
        zilch_record best;
        double x[DIM];
        OK(zilch_optimizer_best(o, x, &best));
        assert_true(value_at(kind & ~2U, x) == best.value && p.best_value == best.value);
        for (size_t i = 0; i < p.points; i++) { /* the one that is kept as the best is the best */
            zilch_record record;
            OK(zilch_optimizer_point(o, i, NULL, &record));
            worst = fmax(worst, (kind & 1 ? 1.0 : -1.0) * (record.fitness - best.fitness));
        }
        assert_true(worst == 0.0);
        zilch_optimizer_destroy(o);
    }
}

/* Eight points are out at each moment, and come back in any order. Their ids count on, whoever has made them.
 */
static void many_at_once_are_evaluated_once(void **state)
{
    (void)state;
    enum { OUT = 8, IN_ALL = 1500 };
    static double seen[IN_ALL * DIM];
    const zilch_optimizer_options options = options_of(0);
    zilch_optimizer *o = create_with(DIM, 3, &options);
    zilch_rng rng = zilch_rng_make(5, 0);
    size_t out[OUT];
    for (size_t i = 0; i < IN_ALL; i++) {
        const size_t k = i < OUT ? i : (size_t)(zilch_rng_uniform(&rng) * OUT);
        uint64_t id;
        if (i >= OUT) {
            id = out[k];
            const double value = value_at(0, seen + out[k] * DIM);
            OK(zilch_optimizer_tell(o, 1, &id, &value));
        }
        OK(zilch_optimizer_ask(o, 1, &id, seen + i * DIM));
        assert_int_equal(id, i);
        out[k] = i;
    }
    assert_in_range(count_repeats(IN_ALL, seen), 1, 8);
    zilch_optimizer_destroy(o);
}

/* Asked for at once, far beyond what the generation wants. The first point is there twice. */
static void points_that_are_out_are_not_asked_again(void **state)
{
    (void)state;
    enum { MANY = 30, SWITCHES = 8, ASKED = 8 * MANY };
    zilch_optimizer *o = switches(SWITCHES, 0);
    uint64_t id[ASKED];
    double x[ASKED * SWITCHES];
    for (size_t i = 0; i < ASKED; i += MANY) {
        OK(zilch_optimizer_ask(o, MANY, id + i, x + i * SWITCHES));
    }
    for (size_t i = 2; i < ASKED; i++) {
        for (size_t k = 1; k < i; k++) {
            assert_memory_not_equal(x + i * SWITCHES, x + k * SWITCHES, SWITCHES * sizeof *x);
        }
    }
    zilch_optimizer_destroy(o);
}

/* Generations are small, but many workers may each have a point. */
static void many_may_be_out(void **state)
{
    (void)state;
    enum { WORKERS = 250, ROUNDS = 4 };
    for (uint64_t population = 0; population <= 3; population += 3) {
        static asked a;
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.population = population;
        zilch_optimizer *o = create_with(DIM, 3, &options);
        OK(zilch_optimizer_ask(o, WORKERS, a.id, a.x));
        for (size_t k = 0; k < ROUNDS * WORKERS; k++) { /* who is ready gets the next one */
            const size_t i = k % WORKERS;
            const double value = value_at(0, a.x + i * DIM);
            OK(zilch_optimizer_tell(o, 1, &a.id[i], &value));
            OK(zilch_optimizer_ask(o, 1, &a.id[i], a.x + i * DIM));
        }
        zilch_optimizer_destroy(o);
    }
}

/* ---- Failures ----------------------------------------------------------------------------------------- */

static zilch_status fails_at_zero(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    evaluate(2, batch->n, batch->x, value);
    return ZILCH_OK;
}

static zilch_status always_fails(void *context, const zilch_batch *batch, double *value)
{
    *(size_t *)context += batch->n;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = NAN;
    }
    return ZILCH_OK;
}

/* Where zero is far outside of the bounds, the first mean is the better of the first two points, and the
 * refinement is near it from the beginning. A first guess is the only first point. */
static void the_better_first_point_counts(void **state)
{
    (void)state;
    static const double low[DIM] = {50, 50, 50, 50, 50, 50}, high[DIM] = {51, 51, 51, 51, 51, 51};
    static const double guess[DIM] = {50.2, 50.2, 50.2, 50.2, 50.2, 50.2};
    for (int has_guess = 0; has_guess < 2; has_guess++) {
        static asked a;
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.lower = low;
        options.upper = high;
        options.x0 = has_guess ? guess : NULL;
        zilch_optimizer *o = create_with(DIM, 4, &options);
        for (size_t g = 0; g < 5; g++) {
            const size_t n = ask_all(o, &a);
            for (size_t i = 0; i < n; i++) {
                a.value[i] = 0.0;
                for (size_t k = 0; k < DIM; k++) {
                    const double off = a.x[i * DIM + k] - 50.4;
                    a.value[i] += off * off;
                    if (g == 0) { /* the first twice, and the other */
                        assert_int_equal(n, has_guess ? 2 : 3);
                        assert_true(a.x[i * DIM + k] == (has_guess ? 50.2 : i < 2 ? 0.0 : 50.5));
                    }
                }
                assert_true(g == 0 || !o->refined || active_of(DIM, a.x + i * DIM) >= DIM - 1);
            }
            OK(zilch_optimizer_tell(o, n, a.id, a.value));
        }
        assert_true(o->turns.starts == 1 && o->turns.evaluations > 3);
        zilch_optimizer_destroy(o);
    }
}

static void a_start_that_fails_is_passed_over(void **state)
{
    (void)state;
    zilch_optimizer *o = create_with(DIM, 3, NULL);
    zilch_stop stop;
    OK(zilch_optimizer_run(o, fails_at_zero, NULL, NULL, NULL, NULL, &stop));
    assert_int_equal(stop, ZILCH_STOP_CONVERGED);
    assert_true(zilch_optimizer_progress(o).best_value < 1e-6 + value_at(0, (double[DIM]){0.5, 0.75, 1.0}));
    zilch_optimizer_destroy(o);
}

static void what_always_fails_is_said(void **state)
{
    (void)state;
    size_t count = 0;
    zilch_optimizer *o = create_with(DIM, 3, NULL);
    assert_int_equal(zilch_optimizer_run(o, always_fails, &count, NULL, NULL, NULL, NULL), ZILCH_EOBJECTIVE);
    assert_in_range(count, 1, 100);
    assert_true(zi_optimizer_is_valid(o));
    interrupt(&o);
    zilch_optimizer_destroy(o);
}

/* ---- Nothing left ------------------------------------------------------------------------------------- */

static zilch_status counting(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = distance_of(batch->dim, batch->x + i * batch->dim);
    }
    return ZILCH_OK;
}

static void a_small_space_is_exhausted(void **state)
{
    (void)state;
    static const size_t cases[][3] = {{1, 0, 2},   {5, 0, 32},  {5, 2, 16},
                                      {9, 9, 512}, {12, 1, 13}, {24, 2, 301}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        zilch_optimizer *o = switches(cases[k][0], cases[k][1]);
        zilch_stop stop;
        OK(zilch_optimizer_run(o, counting, NULL, NULL, NULL, NULL, &stop));
        assert_int_equal(stop, ZILCH_STOP_EXHAUSTED);
        assert_int_equal(zilch_optimizer_progress(o).points, cases[k][2]);
        assert_in_range(zilch_optimizer_progress(o).evaluations, cases[k][2], cases[k][2] + 16);
        size_t n; /* by hand it can go on */
        OK(zilch_optimizer_wanted(o, &n));
        assert_true(n > 0);
        zilch_optimizer_destroy(o);
    }
}

/* 31 points, but too many switches to be counted: it ends when it has converged. */
static void what_cannot_be_counted_ends_too(void **state)
{
    (void)state;
    zilch_optimizer *o = switches(30, 1);
    zilch_stop stop;
    OK(zilch_optimizer_run(o, counting, NULL, NULL, NULL, NULL, &stop));
    assert_int_equal(stop, ZILCH_STOP_CONVERGED);
    assert_int_equal(zilch_optimizer_progress(o).points, 31);
    interrupt(&o);
    zilch_optimizer_destroy(o);
}

/* ---- Forgetting --------------------------------------------------------------------------------------- */

/* It has no refinement, whose points would be forgotten: what is asked for is as without. */
static void what_forgets_has_the_distribution_alone(void **state)
{
    (void)state;
    static asked a, b;
    zilch_optimizer_options options = options_of(0);
    options.archive_size = 200;
    zilch_optimizer *o = create_with(DIM, 3, &options);
    options.archive_size = 0;
    options.refinement = 0;
    zilch_optimizer *all = create_with(DIM, 3, &options);
    assert_true(!o->turns.refine);
    for (size_t g = 0; g < 60; g++) {
        ask_all(o, &a);
        assert_int_equal(ask_all(all, &b), a.n);
        assert_memory_equal(a.id, b.id, a.n * sizeof *a.id);
        assert_memory_equal(a.x, b.x, a.n * DIM * sizeof *a.x);
        evaluate(0, a.n, a.x, a.value);
        OK(zilch_optimizer_tell(o, a.n, a.id, a.value));
        OK(zilch_optimizer_tell(all, a.n, a.id, a.value));
        interrupt(&o);
    }
    zilch_optimizer_destroy(all);
    zilch_optimizer_destroy(o);
}

/* ---- Damage ------------------------------------------------------------------------------------------- */

static void use(zilch_optimizer *o)
{
    static asked a;
    for (int g = 0; g < 3; g++) {
        if (zilch_optimizer_wanted(o, &a.n) != ZILCH_OK || a.n == 0 || a.n > MOST_ASKED ||
            zilch_optimizer_ask(o, a.n, a.id, a.x) != ZILCH_OK) {
            return;
        }
        evaluate(0, a.n, a.x, a.value);
        OK(zilch_optimizer_tell(o, a.n, a.id, a.value));
        assert_true(zi_optimizer_is_valid(o));
    }
}

/* A flipped bit, with the checksum made right again, is refused or gives a whole search that packs as it was.
 */
static void nothing_hostile_gets_through(void **state)
{
    (void)state;
    static asked a;
    const zilch_optimizer_options options = options_of(6);
    zilch_optimizer *o = create_with(DIM, 6, &options), *out;
    for (size_t g = 0; g < 9; g++) {
        step(&o, 6, g, 0);
    }
    for (ask_all(o, &a); !o->refined; ask_all(o, &a)) {
        evaluate(6, a.n, a.x, a.value);
        OK(zilch_optimizer_tell(o, a.n, a.id, a.value));
    }
    const packed p = pack_of(o);
    size_t taken = 0;
    for (size_t bit = 0; bit < 8 * (p.length - 8); bit += 3) {
        p.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
        zi_writer w = {.data = p.data, .capacity = p.length, .length = p.length - 8};
        zi_write_checksum(&w);
        const zilch_status status = zilch_optimizer_unpack(&out, p.data, p.length);
        assert_true(status == ZILCH_OK || status == ZILCH_EFORMAT || status == ZILCH_EVERSION);
        if (status == ZILCH_OK) {
            const packed again = pack_of(out);
            if (!zi_optimizer_is_valid(out) || again.length != p.length ||
                memcmp(again.data, p.data, p.length) != 0) {
                fail_msg("byte %zu, bit %zu of %zu%s", bit / 8, bit % 8, p.length,
                         zi_optimizer_is_valid(out) ? "" : ": not valid");
            }
            free(again.data);
            if (taken++ % 5 == 0) {
                use(out);
            }
            zilch_optimizer_destroy(out);
        }
        p.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    assert_true(taken > p.length / 10);
    free(p.data);
    zilch_optimizer_destroy(o);
}

/* ---- Studies ------------------------------------------------------------------------------------------ */

static zilch_study *open_study(zilch_study_mode mode)
{
    zilch_study *study;
    if (zilch_study_open(&study, scratch.file, mode) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return study;
}

static zilch_status read_next(void *context, const zilch_evaluation *evaluation)
{
    uint64_t *next = context;
    assert_int_equal(evaluation->id, *next);
    ++*next;
    return ZILCH_OK;
}

/* What a study has of a run that was told all its points in order. */
static void check_ids(zilch_study *study, uint64_t run, uint64_t evaluations)
{
    uint64_t next = 0;
    OK(zilch_study_evaluations(study, run, read_next, &next));
    assert_int_equal(next, evaluations);
}

/* Resumed after every generation, and by hand with a new process for each call: the same in the end. */
static void a_study_goes_on_with_the_same(void **state)
{
    (void)state;
    static asked a;
    const zilch_timings no_time = {0};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const zilch_optimizer_options options = options_of(kind);
        zilch_optimizer *plain = create_with(DIM, kind, &options), *kept = create_with(DIM, kind, &options);
        uint64_t run, by_hand;
        (void)unlink(scratch.file);
        zilch_study *study = open_study(ZILCH_STUDY_CREATE);
        OK(zilch_study_start(study, NULL, kept, &run));
        OK(zilch_study_start(study, NULL, plain, &by_hand));
        zilch_study_close(study);
        for (size_t g = 0; g < 40; g++) {
            int is_closed;
            size_t n;
            ask_all(plain, &a);
            evaluate(kind, a.n, a.x, a.value);
            OK(zilch_optimizer_tell(plain, a.n, a.id, a.value));
            assert_int_equal(ask_all(kept, &a), a.n);
            OK(zilch_optimizer_tell(kept, a.n, a.id, a.value));
            study = open_study(ZILCH_STUDY_WRITE);
            OK(zilch_study_record(study, run, kept, &no_time));
            zilch_optimizer_destroy(kept);
            OK(zilch_study_resume(study, run, &kept));
            zilch_study_close(study);
            assert_true(is_same_state(plain, kept));
            static asked b;
            study = open_study(ZILCH_STUDY_WRITE);
            OK(zilch_study_ask(study, by_hand, MOST_ASKED, 0, b.id, b.x, &n));
            assert_int_equal(n, a.n);
            assert_memory_equal(a.id, b.id, n * sizeof *a.id);
            assert_memory_equal(a.x, b.x, n * DIM * sizeof *a.x);
            OK(zilch_study_tell(study, by_hand, n, b.id, a.value, NULL, &is_closed));
            assert_true(is_closed);
            zilch_study_close(study);
        }
        study = open_study(ZILCH_STUDY_READ);
        check_ids(study, run, zilch_optimizer_progress(plain).evaluations);
        check_ids(study, by_hand, zilch_optimizer_progress(plain).evaluations);
        zilch_study_close(study);
        zilch_optimizer_destroy(plain);
        zilch_optimizer_destroy(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interruption_changes_nothing),
        cmocka_unit_test(noise_ends_the_refinement),
        cmocka_unit_test(the_order_of_telling_does_not_matter),
        cmocka_unit_test(ids_count_the_points),
        cmocka_unit_test(no_point_is_evaluated_twice),
        cmocka_unit_test(many_at_once_are_evaluated_once),
        cmocka_unit_test(points_that_are_out_are_not_asked_again),
        cmocka_unit_test(many_may_be_out),
        cmocka_unit_test(the_better_first_point_counts),
        cmocka_unit_test(a_start_that_fails_is_passed_over),
        cmocka_unit_test(what_always_fails_is_said),
        cmocka_unit_test(a_small_space_is_exhausted),
        cmocka_unit_test(what_cannot_be_counted_ends_too),
        cmocka_unit_test(what_forgets_has_the_distribution_alone),
        cmocka_unit_test(nothing_hostile_gets_through),
        cmocka_unit_test_setup_teardown(a_study_goes_on_with_the_same, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
