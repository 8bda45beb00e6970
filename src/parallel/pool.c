/* Independent jobs on several threads. Workers take the next index from a shared
 * counter, so uneven jobs balance; results must be kept by index, so the outcome does
 * not depend on the number of threads. */
#include "base/memory.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

typedef struct team {
    zilch_job job;
    void *context;
    size_t count;
    pthread_mutex_t lock; /* guards everything below */
    size_t next;
    size_t failed; /* index of the first failed job, count if none */
    zilch_status status;
    zi_error error;
} team;

static size_t take(team *t)
{
    pthread_mutex_lock(&t->lock);
    const size_t index = t->status == ZILCH_OK ? t->next : t->count;
    t->next = index < t->count ? index + 1 : index;
    pthread_mutex_unlock(&t->lock);
    return index;
}

static void *work(void *argument)
{
    team *t = argument;
    for (size_t index = take(t); index < t->count; index = take(t)) {
        const zilch_status status = t->job(t->context, index);
        if (status == ZILCH_OK) {
            continue;
        }
        pthread_mutex_lock(&t->lock);
        if (index < t->failed) {
            t->failed = index;
            t->status = status;
            t->error = *zi_error_last();
        }
        pthread_mutex_unlock(&t->lock);
    }
    return NULL;
}

unsigned zilch_processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

static size_t thread_count(unsigned asked, size_t jobs)
{
    const size_t wanted = asked ? asked : zilch_processors();
    const size_t useful = wanted < jobs ? wanted : jobs;
    return useful < MOST_THREADS ? useful : MOST_THREADS;
}

zilch_status zilch_parallel(unsigned threads, size_t n, zilch_job job, void *context)
{
    if (!job) {
        return zi_fail(ZILCH_EARG, "parallel: no job given");
    }
    team t = {.job = job, .context = context, .count = n, .failed = n, .lock = PTHREAD_MUTEX_INITIALIZER};
    const size_t wanted = thread_count(threads, n);
    pthread_t *helper;
    ZI_TRY(zi_alloc(&helper, wanted));
    /* The caller works too. A helper that cannot be started is one fewer, no failure. */
    size_t started = 0;
    while (started + 1 < wanted && pthread_create(&helper[started], NULL, work, &t) == 0) {
        started++;
    }
    work(&t);
    for (size_t i = 0; i < started; i++) {
        pthread_join(helper[i], NULL);
    }
    zi_free(helper);
    pthread_mutex_destroy(&t.lock);
    if (t.status != ZILCH_OK) {
        *zi_error_last() = t.error;
    }
    return t.status;
}

/* ---- An objective around an objective ------------------------------------------------------- */

zilch_batch zilch_batch_part(const zilch_batch *batch, size_t begin, size_t n)
{
    zilch_batch part = *batch;
    part.n = n;
    part.id = batch->id + begin;
    part.x = batch->x + begin * batch->dim;
    part.error = batch->error ? batch->error + begin : NULL;
    part.violation = batch->violation ? batch->violation + begin : NULL;
    return part;
}

typedef struct division {
    const zilch_pool *pool;
    const zilch_batch *batch;
    double *value;
    size_t each; /* points in a part */
} division;

static zilch_status evaluate_part(void *context, size_t index)
{
    const division *d = context;
    const size_t begin = index * d->each;
    const size_t left = d->batch->n - begin;
    const zilch_batch part = zilch_batch_part(d->batch, begin, left < d->each ? left : d->each);
    ZI_TRY(d->pool->inner(d->pool->context, &part, d->value + begin));
    return part.arrived ? part.arrived(part.arrived_context, &part, part.n, NULL, d->value + begin)
                        : ZILCH_OK;
}

/* A few parts for each thread, so that none waits long for another. */
zilch_status zilch_pool_objective(void *pool, const zilch_batch *batch, double *value)
{
    enum { PARTS = 4 };
    const zilch_pool *p = pool;
    if (!p || !p->inner || !batch || (batch->n && !value)) {
        return zi_fail(ZILCH_EARG, "pool: pool, its objective, batch and place for the values must be given");
    }
    const size_t threads = thread_count(p->threads, batch->n);
    const size_t parts = threads > 1 ? PARTS * threads : 1;
    division d = {.pool = p, .batch = batch, .value = value, .each = (batch->n + parts - 1) / parts};
    return batch->n ? zilch_parallel(p->threads, (batch->n + d.each - 1) / d.each, evaluate_part, &d)
                    : ZILCH_OK;
}
