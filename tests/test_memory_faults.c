/* Out of memory: allocation k fails, for every k, under every function that allocates. Each
 * must say so, give nothing, and lose nothing. */
#include "search_support.h"
#include "zilch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t allocations; /* made so far */
static size_t failing;     /* the one that fails, counted from 1; 0 for none */
static long outstanding;   /* not yet released */

static void *counting_alloc(size_t bytes)
{
    if (++allocations == failing) {
        return NULL;
    }
    void *memory = malloc(bytes);
    outstanding += memory != NULL;
    return memory;
}

static void counting_release(void *memory)
{
    outstanding--;
    free(memory);
}

/* What the functions work on, made before the faults begin. */
typedef struct scene {
    double x[40 * 3];
    zilch_model *model;
    zilch_networks *networks;
    zilch_examples *examples;
    zilch_trainer *trainer;
    unsigned char bytes[4096], networks_bytes[65536], search_bytes[65536];
    size_t length, networks_length, search_length;
    char path[64], networks_path[64], trainer_path[64];
} scene;

/* What a call makes. */
typedef union object {
    zilch_model *model;
    zilch_networks *networks;
    zilch_examples *examples;
    zilch_trainer *trainer;
    zilch_lander *lander;
    zilch_optimizer *optimizer;
    void *any;
} object;

/* A call under test; *out is what it made, NULL if nothing. */
typedef zilch_status (*call)(scene *s, object *out);

static zilch_status fit_with(scene *s, object *out, zilch_shrinkage shrinkage, zilch_projection projection)
{
    zilch_model_options options = zilch_model_defaults();
    options.shrinkage = shrinkage;
    options.projection = projection;
    return zilch_model_fit(&out->model, 40, 3, s->x, NULL, &options);
}

static zilch_status fit_clip(scene *s, object *out)
{
    return fit_with(s, out, ZILCH_SHRINK_NONE, ZILCH_CLIP);
}

static zilch_status fit_repair(scene *s, object *out)
{
    return fit_with(s, out, ZILCH_SHRINK_ENTRYWISE, ZILCH_REPAIR);
}

static zilch_status fit_nearest(scene *s, object *out)
{
    return fit_with(s, out, ZILCH_SHRINK_BAYES, ZILCH_NEAREST);
}

static zilch_status fit_weighted(scene *s, object *out)
{
    return fit_with(s, out, ZILCH_SHRINK_NONE, ZILCH_WEIGHTED);
}

static zilch_status fit_low_rank(scene *s, object *out)
{
    zilch_model_options options = zilch_model_defaults();
    options.structure = ZILCH_STRUCTURE_LOW_RANK;
    options.rank = 2;
    return zilch_model_fit(&out->model, 40, 3, s->x, NULL, &options);
}

static zilch_status create_factors(scene *s, object *out)
{
    static const double loadings[6] = {0.5, 0.5, 0.0, 0.0, 0.0, -0.5};
    return zilch_model_create_factors(&out->model, 3, zilch_model_p(s->model), zilch_model_mu(s->model),
                                      zilch_model_sigma(s->model), 1, loadings);
}

static zilch_status create(scene *s, object *out)
{
    return zilch_model_create(&out->model, 3, zilch_model_p(s->model), zilch_model_mu(s->model),
                              zilch_model_sigma(s->model), zilch_model_correlation(s->model));
}

static zilch_status make_random(scene *s, object *out)
{
    (void)s;
    zilch_rng rng = zilch_rng_make(1, 0);
    return zilch_model_random(&out->model, 4, &rng, 0.5, 0.1, 0.9);
}

static zilch_status sample(scene *s, object *out)
{
    double x[3 * 20];
    zilch_rng rng = zilch_rng_make(1, 0);
    out->any = NULL;
    return zilch_model_sample(s->model, &rng, 20, x);
}

static zilch_status unpack(scene *s, object *out)
{
    return zilch_model_unpack(&out->model, s->bytes, s->length);
}

static zilch_status save(scene *s, object *out)
{
    out->any = NULL;
    return zilch_model_save(s->model, s->path);
}

static zilch_status load(scene *s, object *out)
{
    return zilch_model_load(&out->model, s->path);
}

static zilch_status no_job(void *context, size_t index)
{
    (void)context;
    (void)index;
    return ZILCH_OK;
}

static zilch_status in_parallel(scene *s, object *out)
{
    (void)s;
    out->any = NULL;
    return zilch_parallel(2, 5, no_job, NULL);
}

static void destroy_model(object made)
{
    zilch_model_destroy(made.model);
}

static zilch_status fit_amortised(scene *s, object *out)
{
    zilch_model_options options = zilch_model_defaults();
    options.inverter = ZILCH_AMORTISED;
    return zilch_model_fit(&out->model, 40, 3, s->x, NULL, &options);
}

/* ---- Networks ---------------------------------------------------------------------- */

static zilch_status create_networks(scene *s, object *out)
{
    (void)s;
    return zilch_networks_create(&out->networks);
}

static zilch_status unpack_networks(scene *s, object *out)
{
    return zilch_networks_unpack(&out->networks, s->networks_bytes, s->networks_length);
}

static zilch_status save_networks(scene *s, object *out)
{
    out->any = NULL;
    return zilch_networks_save(s->networks, s->networks_path);
}

static zilch_status load_networks(scene *s, object *out)
{
    return zilch_networks_load(&out->networks, s->networks_path);
}

/* Replaces a network by one of another size; all are whole afterwards, whatever happened. */
static zilch_status put_network(scene *s, object *out)
{
    size_t length;
    out->any = NULL;
    const zilch_status status = zilch_networks_put(s->networks, s->trainer);
    assert_int_equal(zilch_networks_pack(s->networks, s->networks_bytes, sizeof s->networks_bytes, &length),
                     ZILCH_OK);
    assert_true(status == ZILCH_OK || length == s->networks_length);
    return status;
}

static void destroy_networks(object made)
{
    zilch_networks_destroy(made.networks);
}

/* ---- Training ------------------------------------------------------------------------ */

static zilch_status examples_with(object *out, zilch_labels labels)
{
    zilch_examples_options options = zilch_examples_defaults();
    options.labels = labels;
    options.count = 7;
    options.rows = 10;
    return zilch_examples_create(&out->examples, &options, 1, NULL, NULL);
}

static zilch_status noisy_examples(scene *s, object *out)
{
    (void)s;
    return examples_with(out, ZILCH_LABELS_EXACT);
}

static zilch_status simulated_examples(scene *s, object *out)
{
    (void)s;
    return examples_with(out, ZILCH_LABELS_SIMULATED);
}

static void destroy_examples(object made)
{
    zilch_examples_destroy(made.examples);
}

static zilch_training_options small_training(void)
{
    zilch_training_options options = zilch_training_defaults(ZILCH_BLOCK_VM);
    options.units = 40;
    options.batch = 2;
    return options;
}

static zilch_status create_trainer(scene *s, object *out)
{
    const zilch_training_options options = small_training();
    return zilch_trainer_create(&out->trainer, ZILCH_BLOCK_VM, s->examples, &options);
}

static zilch_status save_trainer(scene *s, object *out)
{
    out->any = NULL;
    return zilch_trainer_save(s->trainer, s->trainer_path);
}

static zilch_status load_trainer(scene *s, object *out)
{
    out->any = NULL;
    return zilch_trainer_load(s->trainer, s->trainer_path);
}

static void destroy_trainer(object made)
{
    zilch_trainer_destroy(made.trainer);
}

/* ---- The lander ------------------------------------------------------------------------- */

static zilch_status create_lander(scene *s, object *out)
{
    (void)s;
    return zilch_lander_create(&out->lander, 20, NULL);
}

static void destroy_lander(object made)
{
    zilch_lander_destroy(made.lander);
}

/* ---- The search --------------------------------------------------------------------------- */

enum { DIM = 4, N = 12, K = 4 };

enum { WITH_MEMORY = ZILCH_LAW_EA + 1, KINDS };

/* One of four laws as published, or zig with all that it can learn by; every second with all kinds of limits
 * on points. */
static zilch_status create_search(int kind, const zilch_networks *networks, zilch_optimizer **out)
{
    static const zilch_forced forced[DIM] = {ZILCH_FORCED_NOT, ZILCH_FORCED_ON};
    static const size_t group[DIM] = {5, 0, 5, 0};
    static const double lower[DIM] = {-1, -1, -1, 0}, upper[DIM] = {2, 2, 2, 2};
    zilch_optimizer_options options =
        kind == WITH_MEMORY ? small_defaults(ZILCH_LAW_ZIG, N, K) : small_options((zilch_law)kind, N, K);
    options.share = 0.75;
    options.model.networks = networks;
    if (kind == WITH_MEMORY) {
        options.refit.prior_correlation = 5.0;
        options.refit.values = ZILCH_VALUES_SCORES;
        options.refit.weighting = ZILCH_WEIGHTING_LOG;
        options.restart = 3;
    }
    if (kind % 2 == 0) {
        options.forced = forced;
        options.group = group;
        options.lower = lower;
        options.upper = upper;
        options.active_least = 2;
        options.active_most = 3;
    }
    return zilch_optimizer_create(out, DIM, 9, &options);
}

static zilch_status create_optimizer(scene *s, object *out)
{
    return create_search(WITH_MEMORY, s->networks, &out->optimizer);
}

static zilch_status unpack_optimizer(scene *s, object *out)
{
    return zilch_optimizer_unpack(&out->optimizer, s->search_bytes, s->search_length);
}

static void destroy_optimizer(object made)
{
    zilch_optimizer_destroy(made.optimizer);
}

static const struct {
    const char *name;
    call run;
    void (*destroy)(object made);
} calls[] = {
    {"fit, clip", fit_clip, destroy_model},
    {"fit, repair", fit_repair, destroy_model},
    {"fit, nearest", fit_nearest, destroy_model},
    {"fit, weighted", fit_weighted, destroy_model},
    {"fit, low-rank", fit_low_rank, destroy_model},
    {"create with factors", create_factors, destroy_model},
    {"fit, amortised", fit_amortised, destroy_model},
    {"create", create, destroy_model},
    {"random", make_random, destroy_model},
    {"sample", sample, destroy_model},
    {"unpack", unpack, destroy_model},
    {"save", save, destroy_model},
    {"load", load, destroy_model},
    {"parallel", in_parallel, destroy_model},
    {"networks", create_networks, destroy_networks},
    {"networks, unpack", unpack_networks, destroy_networks},
    {"networks, save", save_networks, destroy_networks},
    {"networks, load", load_networks, destroy_networks},
    {"examples, noisy", noisy_examples, destroy_examples},
    {"examples, simulated", simulated_examples, destroy_examples},
    {"trainer", create_trainer, destroy_trainer},
    {"trainer, save", save_trainer, destroy_trainer},
    {"trainer, load", load_trainer, destroy_trainer},
    {"lander", create_lander, destroy_lander},
    {"optimizer", create_optimizer, destroy_optimizer},
    {"optimizer, unpack", unpack_optimizer, destroy_optimizer},
    {"networks, put", put_network, destroy_networks}, /* the last: they are others then */
};

/* Runs it with each allocation failing in turn, until none does. */
static void sweep(scene *s, size_t number)
{
    const long before = outstanding;
    for (size_t k = 1;; k++) {
        object out = {.any = s};
        allocations = 0;
        failing = k;
        const zilch_status status = calls[number].run(s, &out);
        failing = 0;
        if (status == ZILCH_OK) {
            assert_true(allocations < k); /* it ended before its turn, and did not ignore the failure */
            calls[number].destroy(out);
            assert_int_equal(outstanding, before);
            print_message("%-20s %zu allocations\n", calls[number].name, k - 1);
            assert_true(k > 1);
            return;
        }
        assert_int_equal(status, ZILCH_ENOMEM);
        assert_null(out.any);
        assert_int_equal(outstanding, before);
        assert_non_null(strstr(zilch_last_error(), "allocated"));
    }
}

/* Networks, examples, a trainer and their files. */
static void make_networks(scene *s, const char *folder)
{
    object made;
    snprintf(s->networks_path, sizeof s->networks_path, "%s/networks", folder);
    snprintf(s->trainer_path, sizeof s->trainer_path, "%s/trainer", folder);
    assert_int_equal(zilch_networks_create(&s->networks), ZILCH_OK);
    assert_int_equal(
        zilch_networks_pack(s->networks, s->networks_bytes, sizeof s->networks_bytes, &s->networks_length),
        ZILCH_OK);
    assert_int_equal(zilch_networks_save(s->networks, s->networks_path), ZILCH_OK);
    assert_int_equal(noisy_examples(s, &made), ZILCH_OK);
    s->examples = made.examples;
    assert_int_equal(create_trainer(s, &made), ZILCH_OK);
    s->trainer = made.trainer;
    assert_int_equal(zilch_trainer_save(s->trainer, s->trainer_path), ZILCH_OK);
}

/* An optimiser in the middle of things, with late and foreign points, as bytes. */
static void make_search(scene *s)
{
    static asked a;
    zilch_optimizer *o;
    assert_int_equal(create_search(WITH_MEMORY, s->networks, &o), ZILCH_OK);
    run_generations(o, 1);
    a.n = 0;
    ask_more(o, N, &a);
    tell_some(o, &a, 0, 10);
    ask_more(o, N, &a);
    tell_some(o, &a, 10, 3);
    assert_int_equal(zilch_tell_point(o, (const double[DIM]){1, 1, 1, 0}, 2.0), ZILCH_OK);
    assert_int_equal(zilch_optimizer_pack(o, s->search_bytes, sizeof s->search_bytes, &s->search_length),
                     ZILCH_OK);
    zilch_optimizer_destroy(o);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static scene s;
    char folder[] = "/tmp/zilch-test-XXXXXX";
    zilch_model *law;
    zilch_rng rng = zilch_rng_make(3, 0);
    assert_non_null(mkdtemp(folder));
    snprintf(s.path, sizeof s.path, "%s/model", folder);
    zilch_set_allocator(counting_alloc, counting_release);
    assert_int_equal(zilch_model_random(&law, 3, &rng, 0.5, 0.3, 0.7), ZILCH_OK);
    assert_int_equal(zilch_model_sample(law, &rng, 40, s.x), ZILCH_OK);
    assert_int_equal(zilch_model_fit(&s.model, 40, 3, s.x, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_model_pack(s.model, s.bytes, sizeof s.bytes, &s.length), ZILCH_OK);
    assert_int_equal(zilch_model_save(s.model, s.path), ZILCH_OK);
    make_networks(&s, folder);
    make_search(&s);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        sweep(&s, i);
    }
    zilch_model_destroy(law);
    zilch_model_destroy(s.model);
    zilch_networks_destroy(s.networks);
    zilch_examples_destroy(s.examples);
    zilch_trainer_destroy(s.trainer);
    assert_int_equal(outstanding, 0);
    zilch_set_allocator(NULL, NULL);
    unlink(s.path);
    unlink(s.networks_path);
    unlink(s.trainer_path);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- A search goes on after a failure -------------------------------------------------------- */

/* What is done with an optimiser; done again after a failure, until it succeeds. The values are
 * noisy_value's, so that what is asked again gets the same. */
typedef struct deed {
    asked a;
    double x[DIM];
    zilch_recommendation recommendation;
    unsigned char bytes[65536];
    size_t length;
} deed;
typedef zilch_status (*act)(zilch_optimizer *o, deed *d);

static zilch_status ask_all(zilch_optimizer *o, deed *d)
{
    const zilch_status status = zilch_ask(o, N, d->a.id, d->a.x);
    d->a.n = status == ZILCH_OK ? N : 0;
    return status;
}

static zilch_status ask_beyond(zilch_optimizer *o, deed *d)
{
    const zilch_status status = zilch_ask(o, 3 * N, d->a.id, d->a.x);
    d->a.n = status == ZILCH_OK ? 3 * N : 0;
    return status;
}

/* If the values were taken and only the closing failed, advance closes. */
static zilch_status tell_all(zilch_optimizer *o, deed *d)
{
    const size_t n = 10; /* two stay open */
    double error[10];
    for (size_t i = 0; i < n; i++) {
        d->a.value[i] = noisy_value(DIM, d->a.id[i], d->a.x + i * DIM);
        error[i] = 0.25 + noise_of(d->a.id[i]);
    }
    return zilch_optimizer_progress(o).waiting == d->a.n ? zilch_tell_error(o, n, d->a.id, d->a.value, error)
                                                         : zilch_advance(o);
}

static zilch_status tell_few(zilch_optimizer *o, deed *d)
{
    d->a.value[0] = noisy_value(DIM, d->a.id[0], d->a.x);
    return zilch_tell(o, 1, d->a.id, d->a.value);
}

static zilch_status tell_late(zilch_optimizer *o, deed *d)
{
    d->a.value[11] = noisy_value(DIM, d->a.id[11], d->a.x + 11 * DIM);
    return zilch_tell(o, 1, d->a.id + 11, d->a.value + 11);
}

static zilch_status advance(zilch_optimizer *o, deed *d)
{
    (void)d;
    return zilch_advance(o);
}

static zilch_status tell_foreign(zilch_optimizer *o, deed *d)
{
    (void)d;
    return zilch_tell_point(o, (const double[DIM]){1, 1, 1, 0}, 0.5);
}

static zilch_status pack(zilch_optimizer *o, deed *d)
{
    return zilch_optimizer_pack(o, d->bytes, sizeof d->bytes, &d->length);
}

static zilch_status optimize(zilch_optimizer *o, deed *d)
{
    (void)d;
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = zilch_optimizer_progress(o).generations < 6 ? 6 : 9;
    return zilch_optimize(o, noisy_objective, NULL, &limits, NULL, NULL, NULL);
}

static zilch_status recommend(zilch_optimizer *o, deed *d)
{
    zilch_recommend_options options = zilch_recommend_defaults();
    options.prune = 1;
    return zilch_recommend(o, noisy_objective, NULL, &options, d->x, &d->recommendation);
}

static zilch_status read_all(zilch_optimizer *o, deed *d)
{
    zilch_record record[DIM + 1];
    size_t count;
    zilch_model *model = NULL;
    zilch_status status = zilch_best(o, d->x, record);
    status = status == ZILCH_OK ? zilch_top(o, 3, record, &count) : status;
    if (status == ZILCH_OK && zilch_optimizer_settings(o)->law == ZILCH_LAW_ZIG) {
        status = zilch_optimizer_model(o, &model);
        zilch_model_destroy(model);
    }
    return status == ZILCH_OK ? zilch_front(o, DIM + 1, record, &count) : status;
}

static const struct {
    const char *name;
    act run;
} story[] = {
    {"ask", ask_all},   {"tell, a few", tell_few}, {"advance", advance},           {"ask", ask_all},
    {"tell", tell_all}, {"tell, late", tell_late}, {"tell a point", tell_foreign}, {"ask beyond", ask_beyond},
    {"tell", tell_all}, {"optimize", optimize},    {"recommend", recommend},       {"read", read_all},
    {"pack", pack},     {"optimize", optimize}};

/* The story with allocation k failing once, in chapter number `chapter`; gives whether it came to that. */
static int tell_story(int kind, size_t chapter, size_t k, deed *d, packed *end)
{
    zilch_optimizer *o;
    int failed = 0;
    assert_int_equal(create_search(kind, NULL, &o), ZILCH_OK);
    for (size_t i = 0; i < COUNT(story); i++) {
        allocations = 0;
        failing = i == chapter ? k : 0;
        zilch_status status = story[i].run(o, d);
        failing = 0;
        assert_true(zi_optimizer_is_valid(o));
        if (status != ZILCH_OK) {
            failed = 1;
            assert_int_equal(i, chapter);
            assert_int_equal(status, ZILCH_ENOMEM);
            assert_non_null(strstr(zilch_last_error(), "allocated"));
            status = story[i].run(o, d);
        } else {
            assert_true(i != chapter || k == 0 || allocations < k); /* it was not ignored */
        }
        if (status != ZILCH_OK) {
            fail_msg("%s: %s", story[i].name, zilch_last_error());
        }
        assert_true(zi_optimizer_is_valid(o));
    }
    *end = pack_of(o);
    zilch_optimizer_destroy(o);
    return failed;
}

static void a_search_goes_on_after_a_failure(void **state)
{
    (void)state;
    static deed plain, d;
    zilch_set_allocator(counting_alloc, counting_release);
    const long before = outstanding;
    for (int kind = 0; kind < KINDS; kind++) {
        packed expected, got;
        assert_false(tell_story(kind, 0, 0, &plain, &expected));
        for (size_t chapter = 0; chapter < COUNT(story); chapter++) {
            size_t k = 0;
            int more = 1;
            while (more) {
                more = tell_story(kind, chapter, ++k, &d, &got);
                if (got.length != expected.length || memcmp(got.data, expected.data, got.length) != 0) {
                    fail_msg("kind %d, %s, allocation %zu: another end", kind, story[chapter].name, k);
                }
                assert_memory_equal(d.x, plain.x, sizeof d.x);
                assert_memory_equal(&d.recommendation, &plain.recommendation, sizeof d.recommendation);
                free(got.data);
                assert_int_equal(outstanding, before);
            }
            print_message("%-6s %-14s %zu allocations\n",
                          kind == WITH_MEMORY ? "all" : zilch_law_name((zilch_law)kind), story[chapter].name,
                          k - 1);
        }
        free(expected.data);
    }
    zilch_set_allocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                       cmocka_unit_test(a_search_goes_on_after_a_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
