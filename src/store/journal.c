/* Journals: values on the disk as they arrive. An entry is known by its generation, its id and a sum of its
 * point, as points of the final check share ids, and as another version of the method may draw another point
 * under the same id: what is recalled is the value of this point, or nothing.
 *
 * Values are written in groups (Helland, Sammer, Lyon, Carr, Garrett and Reuter 1989, group commit timers),
 * but without a thread of its own: a value that took long is written by the one who brings it, before another
 * evaluation is begun, and the rule for the others is looked at when a value arrives, or a waiting objective
 * says that time has passed. */
#include "store/study.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "search/optimizer.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const double pause = 0.1;      /* seconds between two writings of fast values, at least */
static const double cost_most = 50.0; /* and so many times as long as writing took */

typedef struct entry {
    uint64_t generation, id, sum; /* generation from 1, as in the file */
    double value, error, violation;
} entry;

typedef struct entries {
    entry *list;
    size_t count, capacity;
} entries;

typedef struct spoken {
    zilch_failure *list; /* whose texts are one block for each, the reason first */
    size_t count, capacity;
} spoken;

struct zilch_journal {
    zilch_study *study; /* NULL: all is in memory */
    uint64_t run;
    double (*seconds)(void);
    entries known;        /* of earlier attempts, sorted */
    pthread_mutex_t lock; /* guards everything below, and the study while a batch is under way */
    entries fresh;        /* of this one, */
    size_t written;       /* of which the first so many are on the disk */
    spoken words;         /* that are not there yet */
    double began;         /* when the batch did */
    double last;          /* when something was written last, */
    double cost;          /* and how long that took */
    int is_heard;         /* something of the batch has arrived, */
    int is_slow;          /* and it took so long that every value is written at once */
    int is_refused;       /* the last attempt to write has failed */
};

/* A batch that the journal has given to an objective, and which of its values have arrived. */
typedef struct passing {
    zilch_journal *journal;
    const zilch_batch *batch;
    unsigned char *is_there;
} passing;

/* ---- Entries -------------------------------------------------------------------------------------- */

/* FNV-1a, but by coordinates and not by bytes: every fast evaluation pays for it. One coordinate that differs
 * still changes it for certain. */
static uint64_t sum_of(const double *x, size_t dim)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t sum = ZILCH_FINGERPRINT_BEGIN;
    for (size_t i = 0; i < dim; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum = (sum ^ bits) * prime;
    }
    return sum;
}

static entry key_of(const zilch_batch *b, size_t i)
{
    return (entry){.generation = b->generation + 1, .id = b->id[i], .sum = sum_of(b->x + i * b->dim, b->dim)};
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    const int generation = order(x->generation, y->generation);
    const int id = order(x->id, y->id);
    return generation ? generation : id ? id : order(x->sum, y->sum);
}

static zilch_status append(entries *to, const entry *e)
{
    ZI_TRY(zi_grow(&to->list, sizeof *to->list, to->count, to->count + 1, &to->capacity));
    to->list[to->count++] = *e;
    return ZILCH_OK;
}

/* ---- The file ------------------------------------------------------------------------------------- */

static zilch_status read_entry(zi_statement *row, void *context)
{
    zilch_journal *j = context;
    entry e = {.generation = zi_column_count(row)};
    e.id = zi_column_u64(row);
    e.sum = zi_column_u64(row);
    e.value = zi_column_double(row);
    e.error = zi_column_double(row);
    e.violation = zi_column_violation(row);
    row->is_sound &= !isinf(e.value) && (isnan(e.error) || (e.error >= 0.0 && !isinf(e.error)));
    ZI_TRY(zi_columns_check(row, "run", j->run));
    return append(&j->known, &e);
}

static zilch_status write_entries(zilch_journal *j)
{
    zi_statement *put;
    ZI_TRY(zi_study_prepare(j->study, ZI_PUT_JOURNAL, &put));
    for (size_t i = j->written; i < j->fresh.count; i++) {
        const entry *e = &j->fresh.list[i];
        zi_bind_u64(put, j->run);
        zi_bind_u64(put, e->generation);
        zi_bind_u64(put, e->id);
        zi_bind_u64(put, e->sum);
        zi_bind_double(put, e->value);
        zi_bind_double(put, e->error);
        zi_bind_double(put, e->violation);
        ZI_TRY(zi_statement_run(put));
    }
    return ZILCH_OK;
}

static zilch_status write_all(zilch_journal *j)
{
    ZI_TRY(write_entries(j));
    return zi_study_put_failures(j->study, j->run, j->words.count, j->words.list);
}

static void forget_words(zilch_journal *j)
{
    while (j->words.count > 0) {
        zi_free((char *)j->words.list[--j->words.count].reason);
    }
}

static zilch_status flush(zilch_journal *j)
{
    if (!j->study || (j->written == j->fresh.count && !j->words.count)) {
        return ZILCH_OK;
    }
    const double before = j->seconds();
    j->is_refused = 1;
    ZI_TRY(zi_sql_begin(j->study->sql));
    ZI_TRY(zi_sql_end(j->study->sql, write_all(j)));
    j->is_refused = 0;
    forget_words(j);
    j->written = j->fresh.count;
    j->last = j->seconds();
    j->cost = j->last - before;
    return ZILCH_OK;
}

static zilch_status flush_if_due(zilch_journal *j)
{
    const double since = j->seconds() - j->last;
    return j->is_slow || (since >= pause && since >= cost_most * j->cost) ? flush(j) : ZILCH_OK;
}

/* ---- Arriving ------------------------------------------------------------------------------------- */

/* What is not finite has failed, as the optimiser would have it. */
static zilch_status add(zilch_journal *j, const zilch_batch *b, size_t i, double value)
{
    const double violation = b->violation ? zilch_violation(1, &b->violation[i]) : 0.0;
    const int is_good = isfinite(value) && isfinite(violation);
    entry e = key_of(b, i);
    e.value = is_good ? value : NAN;
    e.error = is_good && b->error && b->error[i] >= 0.0 && isfinite(b->error[i]) ? b->error[i] : NAN;
    e.violation = is_good ? violation : 0.0;
    return append(&j->fresh, &e);
}

static void note_first(zilch_journal *j, size_t n)
{
    if (n && !j->is_heard) {
        j->is_heard = 1;
        j->is_slow = j->seconds() - j->began >= pause;
    }
}

static zilch_status take(zilch_journal *j, passing *p, const zilch_batch *b, size_t n, const size_t *index,
                         const double *value)
{
    const size_t begin = p ? (size_t)(b->id - p->batch->id) : 0;
    assert(!p || begin + b->n <= p->batch->n);
    note_first(j, n);
    for (size_t k = 0; k < n; k++) {
        const size_t i = index ? index[k] : k;
        if (p && p->is_there[begin + i]) {
            continue;
        }
        ZI_TRY(add(j, b, i, value[i]));
        if (p) {
            p->is_there[begin + i] = 1;
        }
    }
    return flush_if_due(j);
}

static zilch_status arrive(void *context, const zilch_batch *batch, size_t n, const size_t *index,
                           const double *value)
{
    passing *p = context;
    pthread_mutex_lock(&p->journal->lock);
    const zilch_status status = take(p->journal, p, batch, n, index, value);
    pthread_mutex_unlock(&p->journal->lock);
    return status;
}

static zilch_status check(const zilch_journal *j, const zilch_batch *batch, const void *value)
{
    return j && batch && (!batch->n || (batch->id && batch->x && value))
               ? ZILCH_OK
               : zi_fail(ZILCH_EARG, "journal: it, a batch and its values must be given");
}

zilch_status zilch_journal_keep(zilch_journal *j, const zilch_batch *batch, size_t n, const size_t *index,
                                const double *value)
{
    ZI_TRY(check(j, batch, value));
    pthread_mutex_lock(&j->lock);
    const zilch_status status = take(j, NULL, batch, n, index, value);
    pthread_mutex_unlock(&j->lock);
    return status;
}

static zilch_status add_words(spoken *to, const zilch_failure *failure)
{
    const char *reason = failure->reason ? failure->reason : "";
    const char *output = failure->output ? failure->output : "";
    const size_t length = strlen(reason) + 1;
    zilch_failure *own;
    char *text;
    ZI_TRY(zi_grow(&to->list, sizeof *to->list, to->count, to->count + 1, &to->capacity));
    ZI_TRY(zi_alloc(&text, length + strlen(output) + 1));
    memcpy(text, reason, length);
    memcpy(text + length, output, strlen(output) + 1);
    own = &to->list[to->count++];
    *own = *failure;
    own->reason = text;
    own->output = text + length;
    return ZILCH_OK;
}

/* In memory nobody would read them. */
zilch_status zilch_journal_fail(zilch_journal *j, const zilch_failure *failure)
{
    if (!j || !failure) {
        return zi_fail(ZILCH_EARG, "journal: it and a failure must be given");
    }
    pthread_mutex_lock(&j->lock);
    const zilch_status status = j->study ? add_words(&j->words, failure) : ZILCH_OK;
    pthread_mutex_unlock(&j->lock);
    return status;
}

zilch_status zilch_journal_flush(zilch_journal *j)
{
    if (!j) {
        return zi_fail(ZILCH_EARG, "journal: none given");
    }
    pthread_mutex_lock(&j->lock);
    const zilch_status status = flush(j);
    pthread_mutex_unlock(&j->lock);
    return status;
}

/* ---- Recalling ------------------------------------------------------------------------------------ */

/* What waits of a generation that has closed is recorded with it, and is not needed any more. */
static void begin_batch(zilch_journal *j, const zilch_batch *b)
{
    const size_t waiting = j->fresh.count - j->written;
    const int is_over = waiting && j->fresh.list[j->written].generation != b->generation + 1;
    if (waiting && !is_over) {
        memmove(j->fresh.list, j->fresh.list + j->written, waiting * sizeof *j->fresh.list);
    }
    j->fresh.count = is_over ? 0 : waiting;
    j->written = 0;
    j->began = j->seconds();
    j->is_heard = j->is_slow = j->is_refused = 0;
}

/* Gives whether something is known that has not failed. A batch of failures alone is evaluated again: it has
 * not closed its generation. */
static int look_up(const zilch_journal *j, const zilch_batch *b, double *value, unsigned char *is_known)
{
    int is_worth = 0;
    size_t known = 0;
    for (size_t i = 0; i < b->n; i++) {
        const entry key = j->known.count ? key_of(b, i) : (entry){0};
        const entry *e =
            j->known.count ? bsearch(&key, j->known.list, j->known.count, sizeof key, by_key) : NULL;
        is_known[i] = e != NULL;
        if (e) {
            value[i] = e->value;
            known++;
            is_worth |= !isnan(e->value);
        }
        if (e && b->error) {
            b->error[i] = e->error;
        }
        if (e && b->violation) {
            b->violation[i] = e->violation;
        }
    }
    return is_worth || known < b->n;
}

zilch_status zilch_journal_recall(zilch_journal *j, const zilch_batch *batch, double *value,
                                  unsigned char *is_known)
{
    ZI_TRY(check(j, batch, value && is_known ? value : NULL));
    pthread_mutex_lock(&j->lock);
    begin_batch(j, batch);
    if (batch->n && !look_up(j, batch, value, is_known)) {
        memset(is_known, 0, batch->n);
    }
    pthread_mutex_unlock(&j->lock);
    return ZILCH_OK;
}

/* ---- The objective -------------------------------------------------------------------------------- */

/* The attempt is over: a later one knows what this one has found. After an objective that has given up,
 * failures may be the program's, which can be mended. */
static zilch_status end_attempt(zilch_journal *j, zilch_status reason)
{
    const int is_mended = reason == ZILCH_EOBJECTIVE;
    const zilch_status flushed = j->is_refused ? reason : flush(j); /* or all of it waits on */
    size_t kept = 0;
    for (size_t i = 0; i < j->known.count && is_mended; i++) {
        j->known.list[kept] = j->known.list[i];
        kept += isnan(j->known.list[i].value) ? 0 : 1;
    }
    j->known.count = is_mended ? kept : j->known.count;
    for (size_t i = 0; i < j->fresh.count; i++) {
        if (!(is_mended && isnan(j->fresh.list[i].value))) {
            ZI_TRY(append(&j->known, &j->fresh.list[i]));
        }
    }
    if (j->known.count) {
        qsort(j->known.list, j->known.count, sizeof *j->known.list, by_key);
    }
    ZI_TRY(flushed);
    j->fresh.count = j->written = 0;
    if (!is_mended || !j->study) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_sql_begin(j->study->sql));
    return zi_sql_end(j->study->sql, zi_study_run_statement(j->study, ZI_FORGET_JOURNAL_FAILURES, j->run));
}

/* An objective need not tell of values that it has when it returns. */
static zilch_status pass(const zilch_journaled *w, const zilch_batch *batch, double *value)
{
    zilch_journal *j = w->journal;
    zilch_batch told = *batch;
    passing p = {.journal = j, .batch = batch};
    ZI_TRY(zi_alloc(&p.is_there, batch->n));
    memset(p.is_there, 0, batch->n);
    told.arrived = arrive;
    told.arrived_context = &p;
    zilch_status status = w->inner(w->context, &told, value);
    if (status == ZILCH_OK) {
        status = arrive(&p, batch, batch->n, NULL, value);
    }
    if (status != ZILCH_OK) {
        const zi_error reason = *zi_error_last();
        pthread_mutex_lock(&j->lock);
        (void)!end_attempt(j, status); /* there is worse */
        pthread_mutex_unlock(&j->lock);
        *zi_error_last() = reason;
    }
    zi_free(p.is_there);
    return status;
}

/* The points of a batch that are not known, in arrays of their own. */
typedef struct rest {
    zilch_batch batch;
    size_t *place; /* in the whole */
    uint64_t *id;
    double *x, *value;
} rest;

static zilch_status gather(const zilch_batch *whole, const unsigned char *is_known, size_t n, rest *r)
{
    const size_t dim = whole->dim;
    ZI_TRY(zi_alloc(&r->place, n));
    ZI_TRY(zi_alloc(&r->id, n));
    ZI_TRY(zi_alloc(&r->x, n * dim));
    ZI_TRY(zi_alloc(&r->value, 3 * n));
    r->batch = *whole;
    r->batch.n = n;
    r->batch.id = r->id;
    r->batch.x = r->x;
    r->batch.error = whole->error ? r->value + n : NULL;
    r->batch.violation = whole->violation ? r->value + 2 * n : NULL;
    for (size_t i = 0, k = 0; i < whole->n; i++) {
        if (is_known[i]) {
            continue;
        }
        r->place[k] = i;
        r->id[k] = whole->id[i];
        memcpy(r->x + k * dim, whole->x + i * dim, dim * sizeof *r->x);
        r->value[n + k] = NAN;
        r->value[2 * n + k] = 0.0;
        k++;
    }
    return ZILCH_OK;
}

static void give_back(const rest *r, const zilch_batch *whole, double *value)
{
    const size_t n = r->batch.n;
    for (size_t k = 0; k < n; k++) {
        value[r->place[k]] = r->value[k];
        if (whole->error) {
            whole->error[r->place[k]] = r->value[n + k];
        }
        if (whole->violation) {
            whole->violation[r->place[k]] = r->value[2 * n + k];
        }
    }
}

static zilch_status pass_rest(const zilch_journaled *w, const zilch_batch *batch, double *value,
                              const unsigned char *is_known, size_t n)
{
    rest r = {.place = NULL};
    zilch_status status = gather(batch, is_known, n, &r);
    status = status == ZILCH_OK ? pass(w, &r.batch, r.value) : status;
    if (status == ZILCH_OK) {
        give_back(&r, batch, value);
    }
    zi_free(r.place);
    zi_free(r.id);
    zi_free(r.x);
    zi_free(r.value);
    return status;
}

zilch_status zilch_journal_objective(void *journaled, const zilch_batch *batch, double *value)
{
    const zilch_journaled *w = journaled;
    unsigned char *is_known;
    size_t known = 0;
    if (!w || !w->journal || !w->inner || !batch || (batch->n && !value)) {
        return zi_fail(ZILCH_EARG,
                       "journal: it, an objective, a batch and place for the values must be given");
    }
    ZI_TRY(zi_alloc(&is_known, batch->n));
    zilch_status status = zilch_journal_recall(w->journal, batch, value, is_known);
    for (size_t i = 0; i < batch->n && status == ZILCH_OK; i++) {
        known += is_known[i];
    }
    if (status == ZILCH_OK) {
        status = known == batch->n ? zilch_journal_flush(w->journal)
                 : known           ? pass_rest(w, batch, value, is_known, batch->n - known)
                                   : pass(w, batch, value);
    }
    zi_free(is_known);
    return status;
}

/* ---- Telling what is known ------------------------------------------------------------------------ */

static zilch_status ask_and_tell(zilch_journal *j, zilch_optimizer *o, const zilch_batch *b, uint64_t *id,
                                 double *x, double *value)
{
    unsigned char *is_known;
    ZI_TRY(zi_alloc(&is_known, b->n));
    zilch_status status = zilch_optimizer_ask(o, b->n, id, x);
    status = status == ZILCH_OK ? zilch_journal_recall(j, b, value, is_known) : status;
    for (size_t i = 0; i < b->n && status == ZILCH_OK && o->slots; i++) {
        if (is_known[i]) {
            status = zilch_optimizer_tell_violation(o, 1, &id[i], &value[i], &b->error[i], &b->violation[i]);
        }
    }
    zi_free(is_known);
    return status == ZILCH_OK ? zilch_optimizer_advance(o) : status;
}

/* If nothing is known, or it fails, it is as if nothing had been asked. */
static zilch_status tell_known(zilch_journal *j, zilch_optimizer *o, const zilch_batch *b, uint64_t *id,
                               double *x, double *value)
{
    const uint64_t evaluations = o->evaluations;
    const uint64_t failures = o->failures;
    const uint64_t generations = o->generations;
    const zilch_status status = ask_and_tell(j, o, b, id, x, value);
    if (o->generations == generations) {
        zi_optimizer_reopen(o);
        o->evaluations = evaluations;
        o->failures = failures;
    }
    return status;
}

zilch_status zilch_journal_tell(zilch_journal *j, zilch_optimizer *o)
{
    if (!j || !o) {
        return zi_fail(ZILCH_EARG, "journal: it and an optimizer must be given");
    }
    if (!o->slots || o->handed) { /* nothing is open, or somebody tells by himself */
        return zilch_optimizer_advance(o);
    }
    size_t n;
    ZI_TRY(zilch_optimizer_wanted(o, &n));
    uint64_t *id = NULL;
    double *x = NULL; /* and values, errors and violations behind them */
    zilch_status status = zi_alloc(&id, n);
    status = status == ZILCH_OK ? zi_alloc(&x, n * (o->dim + 3)) : status;
    if (status == ZILCH_OK) {
        double *value = x + n * o->dim;
        const zilch_batch batch = {.n = n,
                                   .dim = o->dim,
                                   .generation = o->generations,
                                   .id = id,
                                   .x = x,
                                   .error = value + n,
                                   .violation = value + 2 * n};
        status = tell_known(j, o, &batch, id, x, value);
    }
    zi_free(id);
    zi_free(x);
    return status;
}

/* ---- Opening and closing -------------------------------------------------------------------------- */

static zilch_status read_known(zilch_journal *j)
{
    return zi_study_rows(j->study,
                         "SELECT generation, id, sum, value, error, violation FROM journal WHERE run = ?"
                         " ORDER BY generation, id, sum",
                         j->run, read_entry, j);
}

zilch_status zilch_journal_open(zilch_journal **out, zilch_study *study, uint64_t run,
                                double (*seconds)(void))
{
    zilch_journal *j;
    if (!out || !seconds) {
        return zi_fail(ZILCH_EARG, "journal: a place for it and a clock must be given");
    }
    *out = NULL;
    if (study) {
        ZI_TRY(zi_study_check_writable(study, seconds));
    }
    ZI_TRY(zi_alloc(&j, 1));
    *j = (zilch_journal){.study = study, .run = run, .seconds = seconds, .lock = PTHREAD_MUTEX_INITIALIZER};
    const zilch_status status = study ? read_known(j) : ZILCH_OK;
    if (status != ZILCH_OK) {
        zilch_journal_close(j);
        return status;
    }
    if (j->known.count) { /* the file orders numbers with signs */
        qsort(j->known.list, j->known.count, sizeof *j->known.list, by_key);
    }
    j->last = seconds();
    *out = j;
    return ZILCH_OK;
}

void zilch_journal_close(zilch_journal *j)
{
    if (!j) {
        return;
    }
    pthread_mutex_destroy(&j->lock);
    zi_free(j->known.list);
    zi_free(j->fresh.list);
    forget_words(j);
    zi_free(j->words.list);
    zi_free(j);
}
