/* A million coordinates: what the end of a search allocates follows their number, not the number of
 * evaluations. Counted by an allocator of the test's own. */
#include "search_support.h"

#include <stddef.h>

/* ---- An allocator that counts -------------------------------------------------------------------------- */

static size_t held, peak;

typedef union head {
    size_t bytes;
    max_align_t align;
} head;

static void *counting_alloc(size_t bytes)
{
    head *h = malloc(sizeof *h + bytes);
    if (!h) {
        return NULL;
    }
    h->bytes = bytes;
    held += bytes;
    peak = held > peak ? held : peak;
    return h + 1;
}

static void counting_release(void *memory)
{
    if (memory) {
        head *h = (head *)memory - 1;
        held -= h->bytes;
        free(h);
    }
}

/* ---- A search of which only the end is looked at ------------------------------------------------------- */

enum { POINTS = 4 };

typedef struct watch {
    size_t matter; /* the first so many coordinates, which should be 1 */
    double noise;
    size_t evaluations, most; /* in all, and in one call */
} watch;

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    watch *w = context;
    w->evaluations += batch->n;
    w->most = batch->n > w->most ? batch->n : w->most;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * batch->dim;
        value[i] = w->noise * noise_of(batch->id[i]);
        for (size_t j = 0; j < w->matter; j++) {
            value[i] += fabs(x[j] - 1.0);
        }
    }
    return ZILCH_OK;
}

/* Points of which the first is the best; each has `active` coordinates, of which the first `matter` matter.
 */
static zilch_optimizer *prepared(size_t dim, size_t active, watch *w)
{
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, 12, 4);
    options.structure = ZILCH_STRUCTURE_DIAGONAL;
    options.penalty = 0.001;
    zilch_optimizer *o = create_with(dim, 1, &options);
    double *x = calloc(dim, sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < POINTS; k++) {
        double value = 0.0;
        for (size_t j = 0; j < active; j++) {
            x[j] = 1.0 + 0.25 * (double)k;
        }
        const uint64_t id = k;
        const zilch_batch batch = {.n = 1, .dim = dim, .id = &id, .x = x};
        assert_int_equal(objective(w, &batch, &value), ZILCH_OK);
        assert_int_equal(zilch_optimizer_tell_point(o, x, value), ZILCH_OK);
    }
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    free(x);
    return o;
}

/* The best supported point within so much memory: the shortlist, one point for pruning, and a part of the
 * evaluations, which is 32 points, or 2^22 numbers where those are more. */
static void check_memory(size_t dim, size_t active, double noise, uint64_t evaluations)
{
    watch w = {.matter = 3, .noise = noise};
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_recommendation out;
    double *x = calloc(dim, sizeof *x);
    assert_non_null(x);
    zilch_set_allocator(counting_alloc, counting_release);
    zilch_optimizer *o = prepared(dim, active, &w);
    options.final_candidates = POINTS;
    options.final_evaluations = evaluations;
    w.evaluations = w.most = 0;
    peak = held;
    const size_t before = held;
    assert_int_equal(zilch_optimizer_recommend(o, objective, &w, &options, x, &out), ZILCH_OK);
    const size_t part = 32 * dim > (1 << 22) ? 32 * dim : (1 << 22);
    const size_t most = ((POINTS + 1) * dim + part) * sizeof *x + dim + 65536;
    print_message("      %zu coordinates, %zu active: %zu evaluations, %zu at once, %.0f MB\n", dim, active,
                  w.evaluations, w.most, (double)(peak - before) / 1e6);
    assert_true(peak - before <= most);
    assert_int_equal(held, before);
    assert_int_equal(w.evaluations, out.spent);
    /* What pruning can afford: all, or nothing with noise, and some coordinates without. */
    const size_t kept = evaluations >= 2 * (active + 2) ? 3 : noise > 0.0 ? active : active - out.pruned;
    assert_true(kept == active || out.pruned > 0);
    assert_int_equal(out.active, kept);
    assert_int_equal(active_of(dim, x), kept);
    assert_true(x[0] == 1.0 && x[1] == 1.0 && x[2] == 1.0);
    assert_int_equal(out.point, 0);
    zilch_optimizer_destroy(o);
    zilch_set_allocator(NULL, NULL);
    free(x);
}

static void memory_follows_the_coordinates(void **state)
{
    (void)state;
    check_memory(1000000, 5, 0.0, 200);     /* few active ones, all tried */
    check_memory(1000000, 5, 1e-6, 200);    /* with noise */
    check_memory(1000000, 200000, 0.0, 60); /* too many to be tried */
    check_memory(20000, 2000, 0.0, 4100);   /* many that are tried */
}

/* Where 4,096 points are small they come in one call, as ever; and the size of a part changes no result. */
static void parts_are_as_large_as_they_may_be(void **state)
{
    (void)state;
    watch w = {.matter = 3, .noise = 0.5};
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    static const size_t dims[] = {1000, 2000, 100000};
    static const size_t expected[] = {4096, (1 << 22) / 2000, 41};
    double mean = 0.0;
    options.final_candidates = 1;
    options.final_evaluations = 5000;
    options.final_pruning = 0;
    for (size_t k = 0; k < COUNT(dims); k++) {
        zilch_recommendation out;
        double *x = calloc(dims[k], sizeof *x);
        assert_non_null(x);
        zilch_optimizer *o = prepared(dims[k], 3, &w);
        w.most = 0;
        assert_int_equal(zilch_optimizer_recommend(o, objective, &w, &options, x, &out), ZILCH_OK);
        assert_int_equal(w.most, expected[k]);
        assert_int_equal(out.evaluations, 5000);
        mean = k ? mean : out.mean;
        assert_true(out.mean == mean);
        zilch_optimizer_destroy(o);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_follows_the_coordinates),
        cmocka_unit_test(parts_are_as_large_as_they_may_be),
    };
    return cmocka_run_group_tests_name("large", tests, NULL, NULL);
}
