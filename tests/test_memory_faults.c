/* Out of memory: allocation k fails, for every k, under every function that allocates. Each
 * must say so, give nothing, and lose nothing. */
#include "support.h"
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
    unsigned char bytes[4096], networks_bytes[65536];
    size_t length, networks_length;
    char path[64], networks_path[64], trainer_path[64];
} scene;

/* What a call makes. */
typedef union object {
    zilch_model *model;
    zilch_networks *networks;
    zilch_examples *examples;
    zilch_trainer *trainer;
    zilch_lander *lander;
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

static const struct {
    const char *name;
    call run;
    void (*destroy)(object made);
} calls[] = {
    {"fit, clip", fit_clip, destroy_model},
    {"fit, repair", fit_repair, destroy_model},
    {"fit, nearest", fit_nearest, destroy_model},
    {"fit, weighted", fit_weighted, destroy_model},
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
