/* Threads: every job done once, the first failure told, nothing started after it; and an objective that gives
 * the same values on any number of them. */
#include "base/status.h"
#include "search_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { JOBS = 1000 };

typedef struct jobs {
    atomic_int done[JOBS];
    size_t fail_at;
    zilch_status status;
} jobs;

static zilch_status do_job(void *context, size_t index)
{
    jobs *j = context;
    atomic_fetch_add(&j->done[index], 1);
    return index < j->fail_at
               ? ZILCH_OK
               : zi_fail_at(j->status, &(zi_location){.at = {{ZI_LINE, index}}}, "job %zu failed", index);
}

static size_t jobs_done(const jobs *j)
{
    size_t count = 0;
    for (size_t i = 0; i < JOBS; i++) {
        assert_in_range(j->done[i], 0, 1);
        count += (size_t)j->done[i];
    }
    return count;
}

/* Every index once, with more jobs than threads, fewer, and none. */
static void test_parallel(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 1, 2, 8, 100000};
    static const size_t counts[] = {0, 1, 3, 8, JOBS};
    for (size_t i = 0; i < COUNT(threads) * COUNT(counts); i++) {
        const size_t n = counts[i % COUNT(counts)];
        static jobs j;
        memset(&j, 0, sizeof j);
        j.fail_at = SIZE_MAX;
        assert_int_equal(zilch_parallel(threads[i / COUNT(counts)], n, do_job, &j), ZILCH_OK);
        assert_int_equal(jobs_done(&j), n);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(j.done[k], 1);
        }
    }
    assert_int_equal(zilch_parallel(1, 1, NULL, NULL), ZILCH_EARG);
}

/* One thread stops at once; of several, the lowest that ran and failed is told. Indexes are taken in order,
 * so that is the first that fails. */
static void test_parallel_failure(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 8};
    static const zilch_status statuses_told[] = {ZILCH_EOBJECTIVE, ZILCH_ESTOPPED};
    for (size_t i = 0; i < 50 * COUNT(threads); i++) {
        static jobs j;
        memset(&j, 0, sizeof j);
        j.fail_at = 37;
        j.status = statuses_told[i % 2];
        zi_fail(ZILCH_EARG, "stale");
        assert_int_equal(zilch_parallel(threads[i / 50], JOBS, do_job, &j), j.status);
        assert_string_equal(zilch_last_error(), "line 37: job 37 failed");
        assert_int_equal(zilch_last_error_details().line, 37); /* the place comes along */
        assert_true(jobs_done(&j) >= 38);
        assert_true(threads[i / 50] > 1 || jobs_done(&j) == 38);
    }
}

/* Jobs that all run at the same time, each on its own thread. */
typedef struct meeting {
    pthread_barrier_t all_here;
    pthread_t caller;
    size_t count;
    int only_helpers_fail, lowest_first;
} meeting;

static zilch_status meet(void *context, size_t index)
{
    meeting *m = context;
    pthread_barrier_wait(&m->all_here);
    if (m->only_helpers_fail && pthread_equal(pthread_self(), m->caller)) {
        return ZILCH_OK;
    }
    usleep((unsigned)(1000 * (m->lowest_first ? index : m->count - index)));
    return zi_fail(index == 0 ? ZILCH_EIO : ZILCH_ESTATE, "number %zu failed", index);
}

static zilch_status hold_meeting(size_t count, int only_helpers_fail, int lowest_first)
{
    meeting m = {.caller = pthread_self(), .count = count};
    m.only_helpers_fail = only_helpers_fail;
    m.lowest_first = lowest_first;
    pthread_barrier_init(&m.all_here, NULL, (unsigned)count);
    const zilch_status status = zilch_parallel((unsigned)count, count, meet, &m);
    pthread_barrier_destroy(&m.all_here);
    return status;
}

/* Number 0 is told, whether it fails first or last. */
static void test_parallel_tells_the_lowest(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(hold_meeting(4, 0, i % 2), ZILCH_EIO);
        assert_string_equal(zilch_last_error(), "number 0 failed");
    }
}

/* An error text of another thread arrives in the caller's. */
static void test_parallel_hands_text_over(void **state)
{
    (void)state;
    zi_fail(ZILCH_EARG, "stale");
    const zilch_status status = hold_meeting(2, 1, 0);
    assert_true(status == ZILCH_EIO || status == ZILCH_ESTATE);
    assert_string_equal(zilch_last_error(), status == ZILCH_EIO ? "number 0 failed" : "number 1 failed");
}

static zilch_status fail_first_else_wait(void *context, size_t index)
{
    atomic_fetch_add((atomic_int *)context, 1);
    if (index == 0) {
        return ZILCH_EOBJECTIVE;
    }
    usleep(1000);
    return ZILCH_OK;
}

/* After a failure no job is started. Of 10,000 jobs of 1 ms the first fails; more than half of them would
 * have to run before its thread does for a false alarm. */
static void test_parallel_stops(void **state)
{
    (void)state;
    atomic_int ran = 0;
    assert_int_equal(zilch_parallel(3, 10000, fail_first_else_wait, &ran), ZILCH_EOBJECTIVE);
    assert_true(ran < 5000);
}

/* ---- An objective around an objective ------------------------------------------------------------ */

enum { POINTS = 500, COLUMNS = 3 };

typedef struct inner_record {
    atomic_int done[POINTS], calls;
    uint64_t fail_from; /* ids from here on fail */
    int is_silent;      /* without a word */
} inner_record;

static zilch_status inner(void *context, const zilch_batch *batch, double *value)
{
    inner_record *r = context;
    atomic_fetch_add(&r->calls, 1);
    assert_true(batch->n > 0 && batch->dim == COLUMNS && batch->generation == 17);
    for (size_t i = 0; i < batch->n; i++) {
        const uint64_t id = batch->id[i] - 1000;
        if (id >= r->fail_from) {
            return r->is_silent ? ZILCH_EOBJECTIVE
                                : zi_fail(ZILCH_EIO, "from point %d on", (int)r->fail_from);
        }
        atomic_fetch_add(&r->done[id], 1);
        value[i] = noisy_value(COLUMNS, id, batch->x + i * COLUMNS);
    }
    return ZILCH_OK;
}

/* Points with ids from 1000 on. */
static zilch_batch some_points(size_t n)
{
    static uint64_t id[POINTS];
    static double x[POINTS * COLUMNS];
    zilch_rng rng = zilch_rng_make(1, 0);
    zilch_rng_normals(&rng, COUNT(x), x);
    for (size_t i = 0; i < POINTS; i++) {
        id[i] = 1000 + i;
    }
    return (zilch_batch){.n = n, .dim = COLUMNS, .generation = 17, .id = id, .x = x};
}

/* Each point once, and what it gives stands in its place, on 1, 2, 7 threads, or one a processor. */
static void a_pool_changes_no_value(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7, 0, 600};
    static const size_t counts[] = {0, 1, 2, 3, 8, 9, 27, 28, 29, 64, POINTS};
    for (size_t k = 0; k < COUNT(threads) * COUNT(counts); k++) {
        static inner_record r;
        memset(&r, 0, sizeof r);
        r.fail_from = UINT64_MAX;
        zilch_pool pool = {.threads = threads[k / COUNT(counts)], .inner = inner, .context = &r};
        const zilch_batch batch = some_points(counts[k % COUNT(counts)]);
        double value[POINTS + 1];
        for (size_t i = 0; i <= POINTS; i++) {
            value[i] = -1.0;
        }
        assert_int_equal(zilch_pool_objective(&pool, &batch, value), ZILCH_OK);
        for (size_t i = 0; i <= POINTS; i++) {
            const int there = i < batch.n;
            assert_true(value[i] == (there ? noisy_value(COLUMNS, i, batch.x + i * COLUMNS) : -1.0));
            assert_true(i == POINTS || r.done[i] == there);
        }
        assert_true(r.calls <= (int)batch.n);
        assert_true(pool.threads != 7 || batch.n < 28 || r.calls >= 7); /* there is work for all */
        assert_true(pool.threads != 1 || batch.n == 0 || r.calls == 1);
    }
}

static void a_pool_hands_failures_on(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    for (size_t k = 0; k < 60; k++) {
        static inner_record r;
        memset(&r, 0, sizeof r);
        r.fail_from = k % 4 ? 100 : 0;
        r.is_silent = k % 2 != 0;
        zilch_pool pool = {.threads = threads[k % 3], .inner = inner, .context = &r};
        const zilch_batch batch = some_points(POINTS);
        double value[POINTS];
        zi_error_clear();
        assert_int_equal(zilch_pool_objective(&pool, &batch, value),
                         r.is_silent ? ZILCH_EOBJECTIVE : ZILCH_EIO);
        assert_string_equal(zilch_last_error(), r.is_silent        ? ""
                                                : r.fail_from == 0 ? "from point 0 on"
                                                                   : "from point 100 on");
    }
}

static void a_pool_must_be_whole(void **state)
{
    (void)state;
    static inner_record r;
    zilch_pool pool = {.threads = 2, .inner = inner, .context = &r};
    const zilch_batch batch = some_points(1), none = some_points(0);
    double value;
    assert_int_equal(zilch_pool_objective(NULL, &batch, &value), ZILCH_EARG);
    assert_int_equal(zilch_pool_objective(&pool, NULL, &value), ZILCH_EARG);
    assert_int_equal(zilch_pool_objective(&pool, &batch, NULL), ZILCH_EARG);
    assert_int_equal(zilch_pool_objective(&pool, &none, NULL), ZILCH_OK);
    pool.inner = NULL;
    assert_int_equal(zilch_pool_objective(&pool, &batch, &value), ZILCH_EARG);
    assert_int_equal(r.calls, 0);
}

/* A whole search: the same bytes. */
static void threads_do_not_change_a_search(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    zilch_optimizer *plain = small_optimizer(ZILCH_METHOD_DEFAULT, 4, 3);
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = 4;
    run_generations(plain, 4);
    for (size_t k = 0; k < COUNT(threads); k++) {
        zilch_pool pool = {.threads = threads[k], .inner = noisy_objective};
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, 4, 3);
        assert_int_equal(zilch_optimizer_run(o, zilch_pool_objective, &pool, &limits, NULL, NULL, NULL),
                         ZILCH_OK);
        assert_true(is_same_state(o, plain));
        zilch_optimizer_destroy(o);
    }
    zilch_optimizer_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_parallel_failure),
        cmocka_unit_test(test_parallel_tells_the_lowest),
        cmocka_unit_test(test_parallel_hands_text_over),
        cmocka_unit_test(test_parallel_stops),
        cmocka_unit_test(a_pool_changes_no_value),
        cmocka_unit_test(a_pool_hands_failures_on),
        cmocka_unit_test(a_pool_must_be_whole),
        cmocka_unit_test(threads_do_not_change_a_search),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
