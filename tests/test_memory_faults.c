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
    unsigned char bytes[4096];
    size_t length;
    char path[64];
} scene;

/* A call under test; *out is what it made, NULL if nothing. */
typedef zilch_status (*call)(scene *s, zilch_model **out);

static zilch_status fit_with(scene *s, zilch_model **out, zilch_shrinkage shrinkage,
                             zilch_projection projection)
{
    zilch_model_options options = zilch_model_defaults();
    options.shrinkage = shrinkage;
    options.projection = projection;
    return zilch_model_fit(out, 40, 3, s->x, NULL, &options);
}

static zilch_status fit_clip(scene *s, zilch_model **out)
{
    return fit_with(s, out, ZILCH_SHRINK_NONE, ZILCH_CLIP);
}

static zilch_status fit_repair(scene *s, zilch_model **out)
{
    return fit_with(s, out, ZILCH_SHRINK_ENTRYWISE, ZILCH_REPAIR);
}

static zilch_status fit_nearest(scene *s, zilch_model **out)
{
    return fit_with(s, out, ZILCH_SHRINK_BAYES, ZILCH_NEAREST);
}

static zilch_status fit_weighted(scene *s, zilch_model **out)
{
    return fit_with(s, out, ZILCH_SHRINK_NONE, ZILCH_WEIGHTED);
}

static zilch_status create(scene *s, zilch_model **out)
{
    return zilch_model_create(out, 3, zilch_model_p(s->model), zilch_model_mu(s->model),
                              zilch_model_sigma(s->model), zilch_model_correlation(s->model));
}

static zilch_status make_random(scene *s, zilch_model **out)
{
    (void)s;
    zilch_rng rng = zilch_rng_make(1, 0);
    return zilch_model_random(out, 4, &rng, 0.5, 0.1, 0.9);
}

static zilch_status sample(scene *s, zilch_model **out)
{
    double x[3 * 20];
    zilch_rng rng = zilch_rng_make(1, 0);
    *out = NULL;
    return zilch_model_sample(s->model, &rng, 20, x);
}

static zilch_status unpack(scene *s, zilch_model **out)
{
    return zilch_model_unpack(out, s->bytes, s->length);
}

static zilch_status save(scene *s, zilch_model **out)
{
    *out = NULL;
    return zilch_model_save(s->model, s->path);
}

static zilch_status load(scene *s, zilch_model **out)
{
    return zilch_model_load(out, s->path);
}

static zilch_status no_job(void *context, size_t index)
{
    (void)context;
    (void)index;
    return ZILCH_OK;
}

static zilch_status in_parallel(scene *s, zilch_model **out)
{
    (void)s;
    *out = NULL;
    return zilch_parallel(2, 5, no_job, NULL);
}

static const struct {
    const char *name;
    call run;
} calls[] = {
    {"fit, clip", fit_clip},
    {"fit, repair", fit_repair},
    {"fit, nearest", fit_nearest},
    {"fit, weighted", fit_weighted},
    {"create", create},
    {"random", make_random},
    {"sample", sample},
    {"unpack", unpack},
    {"save", save},
    {"load", load},
    {"parallel", in_parallel},
};

/* Runs it with each allocation failing in turn, until none does. */
static void sweep(scene *s, const char *name, call run)
{
    const long before = outstanding;
    for (size_t k = 1;; k++) {
        zilch_model *out = (zilch_model *)s;
        allocations = 0;
        failing = k;
        const zilch_status status = run(s, &out);
        failing = 0;
        if (status == ZILCH_OK) {
            assert_true(allocations < k); /* it ended before its turn, and did not ignore the failure */
            zilch_model_destroy(out);
            assert_int_equal(outstanding, before);
            print_message("%-14s %zu allocations\n", name, k - 1);
            assert_true(k > 1);
            return;
        }
        assert_int_equal(status, ZILCH_ENOMEM);
        assert_null(out);
        assert_int_equal(outstanding, before);
        assert_non_null(strstr(zilch_last_error(), "allocated"));
    }
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
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        sweep(&s, calls[i].name, calls[i].run);
    }
    zilch_model_destroy(law);
    zilch_model_destroy(s.model);
    assert_int_equal(outstanding, 0);
    zilch_set_allocator(NULL, NULL);
    unlink(s.path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
