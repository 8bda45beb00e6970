/* What a search does not depend on, over random options (random_settings.h).
 *
 * Promised, with the same seed, bit for bit, of all points that are asked:
 *
 *   order: under f -> g(f), g increasing, if the penalty is 0, no errors are told, there is no refinement,
 *   which goes by values, and
 *   - the objective is not noisy: with all other options, the defaults among them; or
 *   - it is noisy: with aggregate latest, reevaluate all or none, no smoothing, a population that is
 *     given, and variance_scaling 0 or a method without a zero-inflated Gaussian. The others go by the size
 * of noise: reevaluate=uncertain asks whether an elite is two standard errors better than the last,
 *     variance_scaling whether an improvement is larger than noise, aggregate mean takes means, and an
 *     automatic population depends on whether the square of noise is a number.
 *
 *   scale: under f -> 4^k f, penalty and errors likewise, with all options; square roots are exact then.
 *
 *   origin: under f -> f + c, if that is exact, with all options but aggregate mean and smoothing, whose sums
 *   round, and refinement, which compares gains with the value.
 *
 *   direction: minimising f is maximising -f, with all options; zilch_optimizer_recommend() too.
 *
 *   interruption: a model, networks, a training or a search that was packed and unpacked, at any moment, has
 *   the same bytes and goes on with the same bits.
 *
 *   threads: fits, samples, examples, and searches and recommendations with a pool are the same on any number
 *   of threads. */
#include "model/model.h"
#include "random_settings.h"

/* ---- Objectives --------------------------------------------------------------------------------------- */

typedef double (*transformation)(double value);

static double as_it_is(double f)
{
    return f;
}

static double affine(double f)
{
    return 2.0 * f + 3.0;
}

static double cubed(double f)
{
    return f * f * f;
}

static double exponential(double f)
{
    return exp(f / 100.0);
}

static double reciprocal(double f)
{
    return -1.0 / (f + 1.0);
}

static double flat(double f)
{
    return atan(f / 300.0);
}

static double gigantic(double f)
{
    return f * 1e300;
}

static double minute(double f)
{
    return f * 1e-300;
}

static double scaled(double f)
{
    return ldexp(f, 36);
}

static double shifted(double f)
{
    return f + 4096.0;
}

static double negated(double f)
{
    return -f;
}

/* A whole number up to 1,000, so that transformations keep values apart, and equal ones equal; some fail. */
static double base_value(size_t dim, uint64_t id, const double *x, int is_noisy)
{
    zilch_rng rng = zilch_rng_make(31, id);
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += fmin(fabs(x[i] - (i % 3 == 0)), 1e100);
    }
    const double noise = is_noisy ? 0.2 * zilch_rng_uniform(&rng) : 0.0;
    return is_noisy && chance(&rng, 0.02) ? NAN : floor(1000.0 * fmin(sum / (1.0 + sum) * 0.8 + noise, 1.0));
}

typedef struct seen {
    transformation change;
    int is_noisy, has_errors;
    double error_factor;
} seen;

static double value_seen(const seen *s, size_t dim, uint64_t id, const double *x)
{
    return s->change(base_value(dim, id, x, s->is_noisy));
}

static double error_seen(const seen *s, uint64_t id)
{
    zilch_rng rng = zilch_rng_make(32, id);
    return chance(&rng, 0.2) ? NAN : s->error_factor * of_any_size(&rng, -1.0, 2.0);
}

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    const seen *s = context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = value_seen(s, batch->dim, batch->id[i], batch->x + i * batch->dim);
    }
    return ZILCH_OK;
}

/* ---- Two searches side by side --------------------------------------------------------------------------
 */

enum { GENERATIONS = 4 };

/* Settings that are tame: those of any size may end beyond all numbers. */
static void pick_tame(zilch_rng *rng, setting *s)
{
    zilch_optimizer *made;
    do {
        pick_setting(rng, s);
        made = NULL;
    } while (s->is_wild || fabs(s->o.penalty) > 1e100 ||
             zilch_optimizer_create(&made, s->dim, 1, &s->o) != ZILCH_OK);
    zilch_optimizer_destroy(made);
}

/* Asks what the generation wants, and tells it in an order and in portions that the rng gives. Gives how many
 * points that were. */
static size_t advance(zilch_optimizer *search, const seen *s, zilch_rng rng, double *x)
{
    size_t n;
    const size_t dim = zilch_optimizer_dim(search);
    uint64_t id[MOST_POPULATION], told_id[MOST_POPULATION];
    double value[MOST_POPULATION], error[MOST_POPULATION];
    size_t order[MOST_POPULATION];
    if (zilch_optimizer_wanted(search, &n) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    n = n < MOST_POPULATION ? n : MOST_POPULATION;
    if (zilch_optimizer_ask(search, n, id, x) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    permute(&rng, n, order);
    for (size_t i = 0; i < n; i++) {
        told_id[i] = id[order[i]];
        value[i] = value_seen(s, dim, told_id[i], x + order[i] * dim);
        error[i] = error_seen(s, told_id[i]);
    }
    for (size_t begin = 0; begin < n;) {
        const size_t count = pick(&rng, 1, n - begin);
        const zilch_status status = zilch_optimizer_tell_error(search, count, told_id + begin, value + begin,
                                                               s->has_errors ? error + begin : NULL);
        if (status != ZILCH_OK && status != ZILCH_EOBJECTIVE) {
            fail_msg("%s", zilch_last_error());
        }
        begin += count;
    }
    return n;
}

/* Same points, whatever the values look like. */
static void assert_same_points(const setting *a, const seen *seen_a, const setting *b, const seen *seen_b,
                               uint64_t seed)
{
    static double x[MOST_POPULATION * MOST_DIM], y[MOST_POPULATION * MOST_DIM];
    zilch_optimizer *first = create_with(a->dim, seed, &a->o);
    zilch_optimizer *second = create_with(b->dim, seed, &b->o);
    const int generations = a->o.refinement ? 4 * GENERATIONS : GENERATIONS; /* which are small */
    for (int g = 0; g < generations; g++) {
        const size_t n = advance(first, seen_a, zilch_rng_make(33, seed), x);
        const size_t other = advance(second, seen_b, zilch_rng_make(33, seed), y);
        if (n != other || !is_same(x, y, n * a->dim * sizeof *x)) {
            fail_msg("seed %llu: points of generation %d differ", (unsigned long long)seed, g);
        }
    }
    zilch_optimizer_destroy(first);
    zilch_optimizer_destroy(second);
}

static void only_the_order_of_values_counts(void **state)
{
    (void)state;
    static const transformation all[] = {affine, cubed, exponential, reciprocal, flat, gigantic, minute};
    const cases c = cases_of("search: increasing transformations of values", 700);
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(41, k);
        setting s;
        at_case = k;
        pick_tame(&rng, &s);
        const int is_noisy = chance(&rng, 0.5);
        s.o.penalty = 0.0;
        s.o.penalties = NULL;
        s.o.refinement = 0; /* which goes by values */
        if (is_noisy) {
            s.o.population = s.o.population ? s.o.population : 10;
            s.o.smoothing = 0;
            s.o.aggregate = ZILCH_AGGREGATE_LATEST;
            s.o.reevaluate = chance(&rng, 0.5) ? ZILCH_REEVALUATE_ALL : ZILCH_REEVALUATE_NONE;
            s.o.variance_scaling = zi_law_is_zig(s.o.method) ? 0 : s.o.variance_scaling;
        }
        const seen before = {as_it_is, is_noisy, 0, 1.0};
        const seen after = {all[k % COUNT(all)], is_noisy, 0, 1.0};
        assert_same_points(&s, &before, &s, &after, k);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
}

/* The defaults, as they are, on what is not noisy. */
static void the_defaults_go_by_order(void **state)
{
    (void)state;
    static const transformation all[] = {affine, cubed, exponential, reciprocal, flat, gigantic, minute};
    const cases c = cases_of("search: the same, with the defaults", 70);
    for (size_t k = c.first; k < c.end; k++) {
        const seen before = {as_it_is, 0, 0, 1.0};
        const seen after = {all[k % COUNT(all)], 0, 0, 1.0};
        setting s = {.dim = 1 + k % MOST_DIM, .o = zilch_optimizer_defaults()};
        s.o.population = MOST_POPULATION;
        s.o.refinement = 0; /* which goes by values */
        s.o.margin = fmin(s.o.margin, (double)s.dim / 2.0);
        at_case = k;
        assert_same_points(&s, &before, &s, &after, k);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
}

static void the_unit_of_values_does_not_count(void **state)
{
    (void)state;
    const cases c = cases_of("search: values, errors and penalty times 4^18", 300);
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(42, k);
        setting s;
        at_case = k;
        pick_tame(&rng, &s);
        s.o.penalty = chance(&rng, 0.5) ? 0.0 : between(&rng, 0.0, 50.0);
        setting other = s; /* the arrays are those of s */
        other.o.penalty = scaled(s.o.penalty);
        for (size_t i = 0; i < s.dim; i++) {
            other.penalties[i] = scaled(s.penalties[i]);
        }
        other.o.penalties = s.o.penalties ? other.penalties : NULL;
        const int has_errors = chance(&rng, 0.5);
        const int is_noisy = (int)pick(&rng, 0, 1);
        const seen before = {as_it_is, is_noisy, has_errors, 1.0};
        const seen after = {scaled, is_noisy, has_errors, scaled(1.0)};
        assert_same_points(&s, &before, &other, &after, k);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
}

static void the_origin_of_values_does_not_count(void **state)
{
    (void)state;
    const cases c = cases_of("search: values plus 4096", 300);
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(43, k);
        setting s;
        at_case = k;
        pick_tame(&rng, &s);
        s.o.penalty = chance(&rng, 0.5) ? 0.0 : floor(between(&rng, 0.0, 50.0));
        s.o.penalties = NULL; /* whole numbers add up exactly */
        s.o.aggregate = ZILCH_AGGREGATE_LATEST;
        s.o.smoothing = s.o.refinement = 0;
        const int has_errors = chance(&rng, 0.5);
        const int is_noisy = (int)pick(&rng, 0, 1);
        const seen before = {as_it_is, is_noisy, has_errors, 1.0};
        const seen after = {shifted, is_noisy, has_errors, 1.0};
        assert_same_points(&s, &before, &s, &after, k);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
}

static void minimising_is_maximising_the_negative(void **state)
{
    (void)state;
    const cases c = cases_of("search: minimise f, maximise -f", 300);
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(44, k);
        setting s;
        at_case = k;
        pick_tame(&rng, &s);
        s.o.direction = ZILCH_MINIMIZE;
        setting other = s;
        other.o.direction = ZILCH_MAXIMIZE;
        seen before = {as_it_is, (int)pick(&rng, 0, 1), (int)pick(&rng, 0, 1), 1.0};
        seen after = before;
        after.change = negated;
        assert_same_points(&s, &before, &other, &after, k);

        static double x[MOST_POPULATION * MOST_DIM];
        double best_a[MOST_DIM], best_b[MOST_DIM];
        zilch_recommendation of_a, of_b;
        zilch_optimizer *a = create_with(s.dim, k, &s.o);
        zilch_optimizer *b = create_with(s.dim, k, &other.o);
        advance(a, &before, rng, x);
        advance(b, &after, rng, x);
        const zilch_status status = zilch_optimizer_recommend(a, objective, &before, NULL, best_a, &of_a);
        assert_int_equal(zilch_optimizer_recommend(b, objective, &after, NULL, best_b, &of_b), status);
        if (status == ZILCH_OK) {
            assert_true(is_same(best_a, best_b, s.dim * sizeof *best_a));
            assert_true(of_a.point == of_b.point && of_a.mean == -of_b.mean && of_a.spent == of_b.spent);
        }
        zilch_optimizer_destroy(a);
        zilch_optimizer_destroy(b);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
}

/* ---- Interruptions ---------------------------------------------------------------------------------------
 */

/* Data of all kinds of columns. */
static void fill_rows(zilch_rng *rng, size_t rows, size_t cols, double *x)
{
    for (size_t i = 0; i < rows * cols; i++) {
        const size_t j = i % cols;
        x[i] = j % 5 == 3 || chance(rng, 0.1 + 0.2 * (double)(j % 5)) ? zilch_rng_normal(rng) : 0.0;
    }
}

static zilch_model *any_model(zilch_rng *rng, const zilch_networks *networks)
{
    enum { ROWS = 40, COLS = 8 };
    static double x[ROWS * COLS];
    zilch_model_options o = zilch_model_defaults();
    zilch_model *model;
    const size_t cols = pick(rng, 1, COLS);
    if (chance(rng, 0.2)) {
        assert_int_equal(zilch_model_random(&model, cols, rng, 0.6, 0.0, 1.0), ZILCH_OK);
        return model;
    }
    o.inverter = (zilch_inverter)pick(rng, 0, 1);
    o.shrinkage = (zilch_shrinkage)pick(rng, 0, 4);
    o.projection = (zilch_projection)pick(rng, 0, 3);
    o.structure = (zilch_structure)pick(rng, 0, 2);
    o.networks = networks;
    fill_rows(rng, ROWS, cols, x);
    assert_int_equal(zilch_model_fit(&model, ROWS, cols, x, NULL, &o), ZILCH_OK);
    return model;
}

#define PACK_OF(kind, object, bytes, length)                                             \
    do {                                                                                 \
        size_t again_;                                                                   \
        assert_int_equal(zilch_##kind##_pack(object, NULL, 0, &(length)), ZILCH_OK);     \
        (bytes) = malloc(length);                                                        \
        assert_non_null(bytes);                                                          \
        assert_int_equal(zilch_##kind##_pack(object, bytes, length, &again_), ZILCH_OK); \
        assert_int_equal(again_, length);                                                \
    } while (0)

static void models_survive(void **state)
{
    (void)state;
    const cases c = cases_of("model: packed and unpacked", 500);
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(51, k);
        zilch_model *model = any_model(&rng, NULL);
        zilch_model *copy;
        unsigned char *bytes, *again;
        size_t length, length_again;
        PACK_OF(model, model, bytes, length);
        assert_int_equal(zilch_model_unpack(&copy, bytes, length), ZILCH_OK);
        PACK_OF(model, copy, again, length_again);
        assert_true(length == length_again && is_same(bytes, again, length));
        double x[20 * 8], y[20 * 8];
        zilch_rng one = rng, other = rng;
        assert_int_equal(zilch_model_sample(model, &one, 20, x), ZILCH_OK);
        assert_int_equal(zilch_model_sample(copy, &other, 20, y), ZILCH_OK);
        assert_true(is_same(x, y, 20 * zilch_model_dim(model) * sizeof *x) &&
                    is_same(&one, &other, sizeof one));
        zilch_model_destroy(model);
        zilch_model_destroy(copy);
        free(bytes);
        free(again);
    }
    report_cases(&c);
}

static zilch_examples *small_examples(zilch_rng *rng, unsigned threads)
{
    zilch_examples_options o = zilch_examples_defaults();
    zilch_examples *examples;
    o.labels = (zilch_labels)pick(rng, 0, 1);
    o.count = pick(rng, 10, 400);
    o.rows = o.labels == ZILCH_LABELS_SIMULATED ? 100 : pick(rng, 0, 1) * 200;
    o.seed = pick(rng, 0, 1000);
    assert_int_equal(zilch_examples_create(&examples, &o, threads, NULL, NULL), ZILCH_OK);
    return examples;
}

static zilch_training_options small_training(zilch_rng *rng, zilch_block block)
{
    zilch_training_options o = zilch_training_defaults(block);
    o.units = 8 * pick(rng, 1, 8);
    o.epochs = 6;
    o.batch = pick(rng, 1, 8);
    o.seed = pick(rng, 0, 1000);
    return o;
}

static void run_epochs(zilch_trainer *trainer, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(zilch_trainer_epoch(trainer), ZILCH_OK);
    }
}

static void check_networks(const zilch_networks *networks, zilch_rng rng)
{
    zilch_networks *copy;
    unsigned char *bytes, *again;
    size_t length, length_again;
    PACK_OF(networks, networks, bytes, length);
    assert_int_equal(zilch_networks_unpack(&copy, bytes, length), ZILCH_OK);
    PACK_OF(networks, copy, again, length_again);
    assert_true(length == length_again && is_same(bytes, again, length));
    free(bytes);
    free(again);
    zilch_rng other = rng;
    zilch_model *a = any_model(&rng, networks);
    zilch_model *b = any_model(&other, copy);
    PACK_OF(model, a, bytes, length);
    PACK_OF(model, b, again, length_again);
    assert_true(length == length_again && is_same(bytes, again, length));
    free(bytes);
    free(again);
    zilch_model_destroy(a);
    zilch_model_destroy(b);
    zilch_networks_destroy(copy);
}

static void trainings_and_networks_survive(void **state)
{
    (void)state;
    const cases c = cases_of("training, networks: packed and unpacked", 60);
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(52, k);
        const zilch_block block = (zilch_block)(k % ZILCH_BLOCKS);
        zilch_examples *examples = small_examples(&rng, 1);
        const zilch_training_options o = small_training(&rng, block);
        const size_t first = pick(&rng, 0, o.epochs);
        zilch_trainer *one, *other;
        zilch_networks *networks;
        unsigned char *bytes, *again;
        size_t length, length_again;
        assert_int_equal(zilch_trainer_create(&one, block, examples, &o), ZILCH_OK);
        assert_int_equal(zilch_trainer_create(&other, block, examples, &o), ZILCH_OK);
        run_epochs(one, first);
        PACK_OF(trainer, one, bytes, length);
        run_epochs(other, pick(&rng, 0, o.epochs)); /* wherever it was */
        assert_int_equal(zilch_trainer_restore(other, bytes, length), ZILCH_OK);
        for (int round = 0; round < 2; round++) { /* as restored, and to the end */
            free(bytes);
            PACK_OF(trainer, one, bytes, length);
            PACK_OF(trainer, other, again, length_again);
            assert_true(length == length_again && is_same(bytes, again, length));
            free(again);
            run_epochs(one, round ? 0 : o.epochs - first);
            run_epochs(other, round ? 0 : o.epochs - first);
        }
        assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
        assert_int_equal(zilch_networks_put(networks, other), ZILCH_OK);
        check_networks(networks, rng);
        zilch_networks_destroy(networks);
        zilch_trainer_destroy(one);
        zilch_trainer_destroy(other);
        zilch_examples_destroy(examples);
        free(bytes);
    }
    report_cases(&c);
}

/* Some points, some values, perhaps the end of a generation: the same to both. */
static void do_something(zilch_optimizer *search, const seen *s, zilch_rng rng, size_t *waiting, uint64_t *id,
                         double *x)
{
    const size_t dim = zilch_optimizer_dim(search);
    const size_t population = zilch_optimizer_settings(search)->population;
    const size_t n = pick(&rng, 0, 2 * population - *waiting);
    assert_int_equal(zilch_optimizer_ask(search, n, id + *waiting, x + *waiting * dim), ZILCH_OK);
    *waiting += n;
    for (size_t k = pick(&rng, 0, *waiting); k > 0; k--) {
        const size_t at = pick(&rng, 0, *waiting - 1);
        const double value = value_seen(s, dim, id[at], x + at * dim);
        const double error = error_seen(s, id[at]);
        const zilch_status status =
            zilch_optimizer_tell_error(search, 1, &id[at], &value, s->has_errors ? &error : NULL);
        *waiting -= 1;
        id[at] = id[*waiting];
        memmove(x + at * dim, x + *waiting * dim, dim * sizeof *x);
        if (status == ZILCH_EOBJECTIVE) {
            *waiting = 0;
            break;
        }
        assert_int_equal(status, ZILCH_OK);
    }
    if (chance(&rng, 0.1) && *waiting) {
        assert_int_equal(zilch_optimizer_tell_point(search, x, 3.0), ZILCH_OK);
    }
    if (chance(&rng, 0.1)) {
        const zilch_status status = zilch_optimizer_advance(search);
        assert_true(status == ZILCH_OK || status == ZILCH_EOBJECTIVE);
        *waiting = status == ZILCH_OK ? *waiting : 0;
    }
}

static void searches_survive(void **state)
{
    (void)state;
    enum { STEPS = 8 };
    const cases c = cases_of("search: packed and unpacked, at any moment", 500);
    static uint64_t id[2 * MOST_POPULATION], id_copy[2 * MOST_POPULATION];
    static double x[2 * MOST_POPULATION * MOST_DIM], x_copy[2 * MOST_POPULATION * MOST_DIM];
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(53, k);
        setting s;
        at_case = k;
        pick_tame(&rng, &s);
        const seen values = {as_it_is, 1, (int)pick(&rng, 0, 1), 1.0};
        zilch_optimizer *search = create_with(s.dim, k, &s.o);
        size_t waiting = 0;
        const size_t moment = pick(&rng, 0, STEPS - 1);
        for (size_t step = 0; step < moment; step++) {
            do_something(search, &values, zilch_rng_make(54, step), &waiting, id, x);
        }
        zilch_optimizer *copy = copy_of(search);
        assert_true(is_same_state(search, copy));
        size_t waiting_copy = waiting;
        memcpy(id_copy, id, sizeof id);
        memcpy(x_copy, x, sizeof x);
        for (size_t step = moment; step < STEPS; step++) {
            do_something(search, &values, zilch_rng_make(54, step), &waiting, id, x);
            do_something(copy, &values, zilch_rng_make(54, step), &waiting_copy, id_copy, x_copy);
            assert_int_equal(waiting, waiting_copy);
            assert_true(is_same(id, id_copy, waiting * sizeof *id) &&
                        is_same(x, x_copy, waiting * s.dim * sizeof *x));
            assert_true(is_same_state(search, copy));
        }
        zilch_optimizer_destroy(search);
        zilch_optimizer_destroy(copy);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
}

/* ---- Threads ---------------------------------------------------------------------------------------------
 */

static const unsigned thread_counts[] = {1, 2, 3, 7};

enum { JOBS = 40, JOB_ROWS = 10, JOB_COLS = 8 };

/* Bytes of a fitted model, and samples of it. */
typedef struct work {
    size_t first;
    struct {
        unsigned char *bytes;
        size_t length;
        double x[JOB_ROWS * JOB_COLS];
    } done[JOBS];
} work;

static zilch_status fit_and_sample(void *context, size_t index)
{
    work *w = context;
    zilch_rng rng = zilch_rng_make(61, w->first + index);
    zilch_model_options o = zilch_model_defaults();
    double data[30 * JOB_COLS];
    zilch_model *model;
    o.inverter = (zilch_inverter)pick(&rng, 0, 1);
    o.shrinkage = (zilch_shrinkage)pick(&rng, 0, 4);
    o.projection = (zilch_projection)pick(&rng, 0, 3);
    o.structure = (zilch_structure)pick(&rng, 0, 2);
    fill_rows(&rng, 30, JOB_COLS, data);
    zilch_status status = zilch_model_fit(&model, 30, JOB_COLS, data, NULL, &o);
    if (status == ZILCH_OK) {
        size_t *const length = &w->done[index].length;
        status = zilch_model_pack(model, NULL, 0, length);
        w->done[index].bytes = malloc(*length);
        status = status == ZILCH_OK ? zilch_model_pack(model, w->done[index].bytes, *length, length) : status;
        status = status == ZILCH_OK ? zilch_model_sample(model, &rng, JOB_ROWS, w->done[index].x) : status;
        zilch_model_destroy(model);
    }
    return status;
}

static void fits_are_the_same_on_threads(void **state)
{
    (void)state;
    const cases c = cases_of("threads: fits and samples, 40 each", 5);
    static work w[COUNT(thread_counts)];
    for (size_t k = c.first; k < c.end; k++) {
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            w[t].first = k * JOBS;
            assert_int_equal(zilch_parallel(thread_counts[t], JOBS, fit_and_sample, &w[t]), ZILCH_OK);
            for (size_t i = 0; i < JOBS; i++) {
                assert_int_equal(w[t].done[i].length, w[0].done[i].length);
                assert_true(is_same(w[t].done[i].bytes, w[0].done[i].bytes, w[0].done[i].length));
                assert_true(is_same(w[t].done[i].x, w[0].done[i].x, sizeof w[0].done[i].x));
            }
        }
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            for (size_t i = 0; i < JOBS; i++) {
                free(w[t].done[i].bytes);
            }
        }
    }
    report_cases(&c);
}

static void trainings_are_the_same_on_threads(void **state)
{
    (void)state;
    const cases c = cases_of("threads: examples and training", 20);
    for (size_t k = c.first; k < c.end; k++) {
        unsigned char *bytes[COUNT(thread_counts)];
        size_t length[COUNT(thread_counts)];
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            zilch_rng rng = zilch_rng_make(62, k);
            const zilch_block block = (zilch_block)(k % ZILCH_BLOCKS);
            zilch_examples *examples = small_examples(&rng, thread_counts[t]);
            const zilch_training_options o = small_training(&rng, block);
            zilch_trainer *trainer;
            assert_int_equal(zilch_trainer_create(&trainer, block, examples, &o), ZILCH_OK);
            run_epochs(trainer, 2);
            PACK_OF(trainer, trainer, bytes[t], length[t]);
            assert_true(length[t] == length[0] && is_same(bytes[t], bytes[0], length[0]));
            zilch_trainer_destroy(trainer);
            zilch_examples_destroy(examples);
        }
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            free(bytes[t]);
        }
    }
    report_cases(&c);
}

/* A search of two generations and a recommendation; the state as bytes, and the point. */
static packed search_on_threads(const char *name, const setting *s, unsigned threads, double *x,
                                zilch_recommendation *out)
{
    zilch_problem *problem;
    zilch_limits limits = zilch_limits_defaults();
    zilch_final_options o = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    limits.generations = 2;
    o.final_candidates = 4;
    o.final_evaluations = 24;
    if (zilch_problem_open(&problem, name, 5) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    zilch_pool pool = {threads, zilch_problem_objective, problem};
    zilch_optimizer *search = create_with(s->dim, 9, &s->o);
    if (zilch_optimizer_run(search, zilch_pool_objective, &pool, &limits, NULL, NULL, NULL) != ZILCH_OK ||
        zilch_optimizer_recommend(search, zilch_pool_objective, &pool, &o, x, out) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    const packed bytes = pack_of(search);
    zilch_optimizer_destroy(search);
    zilch_problem_close(problem);
    return bytes;
}

static void searches_are_the_same_on_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"sphere:dim=9,active=3,noise=1", "smop5:dim=20", "ellipsoid:dim=12",
                                        "lander:episodes=1", "lander:episodes=3,wind=1"};
    static const size_t dims[] = {9, 20, 12, ZILCH_POLICY_PARAMETERS, ZILCH_POLICY_PARAMETERS};
    const cases c = cases_of("threads: searches and recommendations", 20);
    for (size_t k = c.first; k < c.end; k++) {
        setting s = {.dim = dims[k % COUNT(dims)], .o = zilch_optimizer_defaults()};
        s.o.population = 10 + k;
        s.o.direction = k % COUNT(dims) >= 3 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE;
        double x[ZILCH_POLICY_PARAMETERS], y[ZILCH_POLICY_PARAMETERS];
        zilch_recommendation first, other;
        const packed bytes = search_on_threads(names[k % COUNT(names)], &s, 1, x, &first);
        for (size_t t = 1; t < COUNT(thread_counts); t++) {
            const packed again = search_on_threads(names[k % COUNT(names)], &s, thread_counts[t], y, &other);
            assert_true(bytes.length == again.length && is_same(bytes.data, again.data, bytes.length));
            assert_true(is_same(x, y, s.dim * sizeof *x) && first.mean == other.mean &&
                        first.spent == other.spent);
            free(again.data);
        }
        free(bytes.data);
    }
    report_cases(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(only_the_order_of_values_counts, say_case),
        cmocka_unit_test_teardown(the_defaults_go_by_order, say_case),
        cmocka_unit_test_teardown(the_unit_of_values_does_not_count, say_case),
        cmocka_unit_test_teardown(the_origin_of_values_does_not_count, say_case),
        cmocka_unit_test_teardown(minimising_is_maximising_the_negative, say_case),
        cmocka_unit_test(models_survive),
        cmocka_unit_test(trainings_and_networks_survive),
        cmocka_unit_test_teardown(searches_survive, say_case),
        cmocka_unit_test(fits_are_the_same_on_threads),
        cmocka_unit_test(trainings_are_the_same_on_threads),
        cmocka_unit_test(searches_are_the_same_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
