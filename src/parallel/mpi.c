/* A batch spread over ranks. Rank 0 hands out parts; the thread that calls talks with the others, and a
 * second thread evaluates, so that rank 0 works too and nobody waits for it. (A counter in a window that
 * ranks advance by themselves would need no talking, but without the right network its owner must enter MPI
 * for others to get on, which one that computes does not.)
 *
 * A part is a share of what is left over (guided self-scheduling: Polychronopoulos and Kuck, IEEE
 * Transactions on Computers 36(12), 1987): of a thousand short evaluations a message holds hundreds, and the
 * last long ones go out one by one. Values are kept by place, so that it does not matter who computes them.
 *
 * MPI itself waits by polling without pause. That takes processors from those who compute wherever there are
 * more threads than processors, as there are here on rank 0; so nothing here blocks in MPI: it looks, and
 * sleeps, at first briefly. Messages are words of 64 bits, of which MPI can count enough. */
#include "zilch_mpi.h"

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_PART = 1, TAG_BYTES, TAG_OVER, TAG_ANSWER };
enum { HEADER = 4, TEXT_SIZE = 512, TEXT_WORDS = TEXT_SIZE / 8, SHARES = 4 };

/* Of a part; a larger one would take long to send while others wait. One point may be larger. */
static const size_t most_words = (size_t)1 << 20;

typedef struct part {
    size_t begin, n;
} part;

struct zilch_mpi {
    zilch_mpi_setup setup;
    MPI_Comm comm;
    int rank, ranks;
    int is_lost;     /* another rank cannot be reached, or may have sent what nobody has heard */
    uint64_t *words; /* the message under way */
    size_t capacity;
    size_t least, most;       /* points in a part; most 0: any number */
    const zilch_batch *batch; /* rank 0: under way, or NULL */
    part *given;              /* rank 0: what each rank has under way */
};

/* ---- Messages -------------------------------------------------------------------------------- */

static zilch_status fail(zilch_mpi *m, int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING + 64];
    char reason[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, reason, &length);
    snprintf(text, sizeof text, "mpi: %s: %s", what, reason);
    m->is_lost = 1;
    return zilch_fail(ZILCH_EIO, text);
}

static zilch_status reserve(zilch_mpi *m, size_t words)
{
    if (words <= m->capacity) {
        return ZILCH_OK;
    }
    free(m->words);
    m->words = malloc(words * sizeof *m->words);
    m->capacity = m->words ? words : 0;
    return m->words ? ZILCH_OK : zilch_fail(ZILCH_ENOMEM, "mpi: no memory for a message");
}

/* At first only lets others run, then sleeps, a quarter longer each time. */
static void rest(unsigned *times)
{
    enum { YIELDS = 50, FIRST = 5000, LONGEST = 250000 };
    struct timespec pause = {0, FIRST};
    if (*times < YIELDS) {
        sched_yield();
    } else {
        for (unsigned i = YIELDS; i < *times && pause.tv_nsec < LONGEST; i++) {
            pause.tv_nsec += pause.tv_nsec / 4;
        }
        pause.tv_nsec = pause.tv_nsec < LONGEST ? pause.tv_nsec : LONGEST;
        nanosleep(&pause, NULL);
    }
    ++*times;
}

static void wait_a_little(const zilch_mpi *m, unsigned *times)
{
    const zilch_batch *b = m->batch;
    if (m->rank == 0 && m->setup.idle) {
        m->setup.idle(m->setup.context);
    }
    if (b && b->arrived) { /* what it says is heard when something arrives */
        (void)!b->arrived(b->arrived_context, b, 0, NULL, NULL);
    }
    rest(times);
}

/* Until a message is out, or in. */
static zilch_status complete(zilch_mpi *m, MPI_Request *request, const char *what)
{
    int is_done = 0;
    for (unsigned times = 0;;) {
        const int code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            return fail(m, code, what);
        }
        if (is_done) {
            return ZILCH_OK;
        }
        wait_a_little(m, &times);
    }
}

static zilch_status post(zilch_mpi *m, int rank, int tag, const uint64_t *words, size_t count)
{
    MPI_Request request;
    const int code = MPI_Isend(words, (int)count, MPI_UINT64_T, rank, tag, m->comm, &request);
    return code == MPI_SUCCESS ? complete(m, &request, "sending") : fail(m, code, "sending");
}

/* A message, in m->words; MPI_ANY_SOURCE and MPI_ANY_TAG are told apart in `from`. */
static zilch_status hear(zilch_mpi *m, int source, int tag, MPI_Status *from)
{
    MPI_Message message;
    MPI_Request request;
    int is_there = 0;
    int count = 0;
    for (unsigned times = 0; !is_there;) {
        const int code = MPI_Improbe(source, tag, m->comm, &is_there, &message, from);
        if (code != MPI_SUCCESS) {
            return fail(m, code, "waiting");
        }
        if (!is_there) {
            wait_a_little(m, &times);
        }
    }
    MPI_Get_count(from, MPI_UINT64_T, &count);
    const zilch_status status = reserve(m, (size_t)count + 1);
    if (status != ZILCH_OK) {
        m->is_lost = 1;
        return status;
    }
    const int code = MPI_Imrecv(m->words, count, MPI_UINT64_T, &message, &request);
    return code == MPI_SUCCESS ? complete(m, &request, "receiving") : fail(m, code, "receiving");
}

/* An answer begins with a status; behind a failure stands its text. */
static size_t write_failure(uint64_t *words, zilch_status status)
{
    char text[TEXT_SIZE] = "";
    snprintf(text, sizeof text, "%s", zilch_last_error());
    words[0] = (uint64_t)(int64_t)status;
    memcpy(words + 1, text, sizeof text);
    return 1 + TEXT_WORDS;
}

static zilch_status read_status(const uint64_t *words)
{
    return (zilch_status)(int64_t)words[0];
}

/* ---- A rank that serves ------------------------------------------------------------------------ */

/* What is asked for beside values, in words[3]: errors, and then violations, stand behind them. */
enum { WITH_ERRORS = 1, WITH_VIOLATIONS = 2 };

static size_t columns_of(uint64_t asked)
{
    return 1 + (asked & WITH_ERRORS ? 1U : 0U) + (asked & WITH_VIOLATIONS ? 1U : 0U);
}

static zilch_status evaluate(zilch_mpi *m, uint64_t *answer)
{
    const uint64_t *words = m->words;
    const size_t n = (size_t)words[0];
    const int has_errors = (words[3] & WITH_ERRORS) != 0;
    const int has_violations = (words[3] & WITH_VIOLATIONS) != 0;
    double *value = (double *)(void *)(answer + 1);
    const zilch_batch batch = {.n = n,
                               .dim = (size_t)words[1],
                               .generation = words[2],
                               .id = words + HEADER,
                               .x = (const double *)(const void *)(words + HEADER + n),
                               .error = has_errors ? value + n : NULL,
                               .violation = has_violations ? value + (has_errors ? 2 : 1) * n : NULL};
    for (size_t i = 0; i < n && has_errors; i++) {
        batch.error[i] = NAN;
    }
    for (size_t i = 0; i < n && has_violations; i++) {
        batch.violation[i] = 0.0;
    }
    zilch_fail(ZILCH_OK, ""); /* it may fail without a word */
    return m->setup.inner(m->setup.context, &batch, value);
}

static zilch_status answer_part(zilch_mpi *m)
{
    const size_t n = (size_t)m->words[0];
    const size_t values = n * columns_of(m->words[3]);
    uint64_t *answer = malloc((1 + (values > TEXT_WORDS ? values : TEXT_WORDS)) * sizeof *answer);
    if (!answer) {
        return zilch_fail(ZILCH_ENOMEM, "mpi: no memory for values");
    }
    const zilch_status status = evaluate(m, answer);
    size_t length = 1 + values;
    answer[0] = 0;
    if (status != ZILCH_OK) {
        length = write_failure(answer, status);
    }
    const zilch_status sent = post(m, 0, TAG_ANSWER, answer, length);
    free(answer);
    return sent;
}

static zilch_status answer_bytes(zilch_mpi *m)
{
    zilch_fail(ZILCH_OK, "");
    const zilch_status status = m->setup.receive
                                    ? m->setup.receive(m->setup.context, m->words + 1, (size_t)m->words[0])
                                    : zilch_fail(ZILCH_ESTATE, "mpi: bytes were sent, but nothing receives");
    const zilch_status reserved = reserve(m, 1 + TEXT_WORDS);
    if (reserved != ZILCH_OK) {
        return reserved;
    }
    return post(m, 0, TAG_ANSWER, m->words, write_failure(m->words, status));
}

zilch_status zilch_mpi_serve(zilch_mpi *m)
{
    if (!m || m->rank == 0) {
        return zilch_fail(ZILCH_ESTATE, "mpi: rank 0 does not serve, it is served");
    }
    for (;;) {
        MPI_Status from;
        zilch_status status = hear(m, 0, MPI_ANY_TAG, &from);
        if (status == ZILCH_OK && from.MPI_TAG == TAG_OVER) {
            return ZILCH_OK;
        }
        if (status == ZILCH_OK) {
            status = from.MPI_TAG == TAG_PART ? answer_part(m) : answer_bytes(m);
        }
        if (status != ZILCH_OK) {
            return status;
        }
    }
}

/* ---- Rank 0 -------------------------------------------------------------------------------------- */

typedef struct work {
    zilch_mpi *mpi;
    const zilch_batch *batch;
    double *value;
    size_t least, most;   /* points in a part */
    pthread_mutex_t lock; /* guards everything below */
    size_t next;
    size_t failed; /* begin of the first part that failed, n if none */
    zilch_status status;
    char text[TEXT_SIZE];
} work;

/* The next part; of no points when all are given, or one has failed. */
static part take(work *w)
{
    const size_t n = w->batch->n;
    pthread_mutex_lock(&w->lock);
    const size_t left = w->status == ZILCH_OK ? n - w->next : 0;
    const size_t shares = (size_t)SHARES * (size_t)w->mpi->ranks;
    size_t count = (left + shares - 1) / shares;
    count = count > w->least ? count : w->least;
    count = count < w->most ? count : w->most;
    const part p = {w->next, count < left ? count : left};
    w->next += p.n;
    pthread_mutex_unlock(&w->lock);
    return p;
}

static void note_failure(work *w, size_t begin, zilch_status status, const char *text)
{
    pthread_mutex_lock(&w->lock);
    if (begin < w->failed) {
        w->failed = begin;
        w->status = status;
        snprintf(w->text, sizeof w->text, "%s", text);
    }
    pthread_mutex_unlock(&w->lock);
}

/* Values of a part are there. */
static zilch_status announce(const work *w, part p)
{
    const zilch_batch batch = zilch_batch_part(w->batch, p.begin, p.n);
    return batch.arrived ? batch.arrived(batch.arrived_context, &batch, p.n, NULL, w->value + p.begin)
                         : ZILCH_OK;
}

static zilch_status evaluate_here(const work *w, part p)
{
    const zilch_batch batch = zilch_batch_part(w->batch, p.begin, p.n);
    zilch_fail(ZILCH_OK, "");
    const zilch_status status = w->mpi->setup.inner(w->mpi->setup.context, &batch, w->value + p.begin);
    return status == ZILCH_OK ? announce(w, p) : status;
}

static void *work_here(void *argument)
{
    work *w = argument;
    for (part p = take(w); p.n > 0; p = take(w)) {
        const zilch_status status = evaluate_here(w, p);
        if (status != ZILCH_OK) {
            note_failure(w, p.begin, status, zilch_last_error());
        }
    }
    return NULL;
}

/* The next part to a rank; *is_busy: there was one. */
static zilch_status give(work *w, int rank, int *is_busy)
{
    zilch_mpi *m = w->mpi;
    const zilch_batch *b = w->batch;
    const part p = take(w);
    *is_busy = p.n > 0;
    m->given[rank] = p;
    if (!*is_busy) {
        return ZILCH_OK;
    }
    const size_t words = HEADER + p.n * (1 + b->dim);
    const zilch_status status = reserve(m, words);
    if (status != ZILCH_OK) {
        *is_busy = 0;
        return status;
    }
    m->words[0] = p.n;
    m->words[1] = b->dim;
    m->words[2] = b->generation;
    m->words[3] = (b->error ? WITH_ERRORS : 0U) | (b->violation ? WITH_VIOLATIONS : 0U);
    memcpy(m->words + HEADER, b->id + p.begin, p.n * sizeof *b->id);
    memcpy(m->words + HEADER + p.n, b->x + p.begin * b->dim, p.n * b->dim * sizeof *b->x);
    return post(m, rank, TAG_PART, m->words, words);
}

/* What a rank has done. */
static zilch_status gather(work *w, int *rank)
{
    zilch_mpi *m = w->mpi;
    MPI_Status from;
    const zilch_status status = hear(m, MPI_ANY_SOURCE, TAG_ANSWER, &from);
    if (status != ZILCH_OK) {
        return status;
    }
    *rank = from.MPI_SOURCE;
    const part p = m->given[*rank];
    if (read_status(m->words) != ZILCH_OK) {
        char text[TEXT_SIZE];
        memcpy(text, m->words + 1, sizeof text);
        note_failure(w, p.begin, read_status(m->words), text);
        return ZILCH_OK;
    }
    memcpy(w->value + p.begin, m->words + 1, p.n * sizeof *w->value);
    if (w->batch->error) {
        memcpy(w->batch->error + p.begin, m->words + 1 + p.n, p.n * sizeof *w->value);
    }
    if (w->batch->violation) {
        const size_t behind = w->batch->error ? 2 : 1;
        memcpy(w->batch->violation + p.begin, m->words + 1 + behind * p.n, p.n * sizeof *w->value);
    }
    const zilch_status kept = announce(w, p);
    if (kept != ZILCH_OK) {
        note_failure(w, p.begin, kept, zilch_last_error());
    }
    return ZILCH_OK;
}

/* Gives and gathers until all is given, and those who had something have answered. */
static zilch_status talk(work *w)
{
    int busy = 0;
    zilch_status status = ZILCH_OK;
    for (int rank = 1; rank < w->mpi->ranks && status == ZILCH_OK; rank++) {
        int is_busy;
        status = give(w, rank, &is_busy);
        busy += is_busy;
    }
    while (busy > 0 && !w->mpi->is_lost) {
        int rank = 0;
        int is_busy = 0;
        zilch_status now = gather(w, &rank);
        busy--;
        if (now == ZILCH_OK && status == ZILCH_OK) {
            now = give(w, rank, &is_busy);
            busy += is_busy;
        }
        status = status == ZILCH_OK ? now : status;
    }
    return status;
}

/* Without a second thread others do it all. */
static zilch_status spread(work *w)
{
    pthread_t here;
    const int is_started = pthread_create(&here, NULL, work_here, w) == 0;
    const zilch_status status = talk(w);
    if (status != ZILCH_OK) {
        note_failure(w, 0, status, zilch_last_error());
    }
    if (is_started) {
        pthread_join(here, NULL);
    }
    return w->status == ZILCH_OK ? ZILCH_OK : zilch_fail(w->status, w->text);
}

zilch_status zilch_mpi_objective(void *mpi, const zilch_batch *batch, double *value)
{
    zilch_mpi *m = mpi;
    if (!m || !batch || (batch->n && !value)) {
        return zilch_fail(ZILCH_EARG, "mpi: handle, batch and place for the values must be given");
    }
    if (m->rank != 0 || m->is_lost) {
        return zilch_fail(ZILCH_ESTATE, m->rank ? "mpi: only rank 0 evaluates a batch; others serve"
                                                : "mpi: a rank was lost before");
    }
    if (batch->dim > INT_MAX / 2) {
        return zilch_fail(ZILCH_EARG, "mpi: a point is too long for a message");
    }
    if (batch->n == 0 || m->ranks == 1) {
        return batch->n ? m->setup.inner(m->setup.context, batch, value) : ZILCH_OK;
    }
    work w = {.mpi = m,
              .batch = batch,
              .value = value,
              .least = m->least,
              .most = (most_words - HEADER) / (1 + batch->dim),
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .failed = batch->n};
    w.most = m->most && m->most < w.most ? m->most : w.most;
    w.most = w.most > 0 ? w.most : 1;
    m->batch = batch;
    const zilch_status status = spread(&w);
    m->batch = NULL;
    pthread_mutex_destroy(&w.lock);
    return status;
}

/* ---- Bytes for all --------------------------------------------------------------------------------- */

static zilch_status send_all(zilch_mpi *m, const void *bytes, size_t count)
{
    const size_t words = 1 + (count + 7) / 8;
    zilch_status status = reserve(m, words);
    if (status != ZILCH_OK) {
        return status;
    }
    m->words[words - 1] = 0; /* behind the last byte */
    m->words[0] = count;
    memcpy(m->words + 1, bytes, count);
    for (int rank = 1; rank < m->ranks && status == ZILCH_OK; rank++) {
        status = post(m, rank, TAG_BYTES, m->words, words);
    }
    return status;
}

zilch_status zilch_mpi_send(zilch_mpi *m, const void *bytes, size_t count)
{
    if (!m || m->rank != 0 || m->is_lost) {
        return zilch_fail(ZILCH_ESTATE, "mpi: only rank 0 sends, and not after a rank was lost");
    }
    if ((!bytes && count) || count / 8 > INT_MAX - 2) {
        return zilch_fail(ZILCH_EARG, "mpi: no bytes, or too many for a message");
    }
    zilch_status status = send_all(m, bytes ? bytes : "", count);
    char text[TEXT_SIZE] = "";
    zilch_status failure = ZILCH_OK;
    for (int rank = 1; rank < m->ranks && status == ZILCH_OK; rank++) {
        MPI_Status from;
        status = hear(m, rank, TAG_ANSWER, &from);
        if (status == ZILCH_OK && failure == ZILCH_OK && read_status(m->words) != ZILCH_OK) {
            failure = read_status(m->words);
            memcpy(text, m->words + 1, sizeof text);
        }
    }
    return status != ZILCH_OK || failure == ZILCH_OK ? status : zilch_fail(failure, text);
}

/* ---- Handles ------------------------------------------------------------------------------------------ */

static zilch_status check_running(void)
{
    int is_begun = 0;
    int is_ended = 0;
    int level = MPI_THREAD_SINGLE;
    MPI_Initialized(&is_begun);
    MPI_Finalized(&is_ended);
    if (!is_begun || is_ended) {
        return zilch_fail(ZILCH_ESTATE, "mpi: MPI is not running");
    }
    MPI_Query_thread(&level);
    return level >= MPI_THREAD_FUNNELED
               ? ZILCH_OK
               : zilch_fail(ZILCH_ESTATE, "mpi: MPI must be initialised with MPI_THREAD_FUNNELED");
}

zilch_status zilch_mpi_create(zilch_mpi **out, MPI_Comm communicator, const zilch_mpi_setup *setup)
{
    if (!out || !setup || !setup->inner) {
        return zilch_fail(ZILCH_EARG, "mpi: place for the handle and an objective must be given");
    }
    *out = NULL;
    const zilch_status status = check_running();
    if (status != ZILCH_OK) {
        return status;
    }
    int ranks = 0;
    MPI_Comm_size(communicator, &ranks);
    zilch_mpi *m = calloc(1, sizeof *m + (size_t)ranks * sizeof *m->given);
    if (!m) {
        return zilch_fail(ZILCH_ENOMEM, "mpi: no memory for a handle");
    }
    m->setup = *setup;
    m->ranks = ranks;
    m->least = 1;
    m->given = (part *)(m + 1);
    const int code = MPI_Comm_dup(communicator, &m->comm);
    if (code != MPI_SUCCESS) {
        (void)fail(m, code, "copying the communicator");
        free(m);
        return ZILCH_EIO;
    }
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &m->rank);
    *out = m;
    return ZILCH_OK;
}

/* With a rank that is lost nothing can be agreed upon any more. */
void zilch_mpi_destroy(zilch_mpi *m)
{
    if (!m) {
        return;
    }
    if (!m->is_lost && check_running() == ZILCH_OK) {
        for (int rank = 1; rank < m->ranks && m->rank == 0; rank++) {
            MPI_Send(NULL, 0, MPI_UINT64_T, rank, TAG_OVER, m->comm);
        }
        MPI_Comm_free(&m->comm);
    }
    free(m->words);
    free(m);
}

int zilch_mpi_rank(const zilch_mpi *m)
{
    return m->rank;
}

int zilch_mpi_ranks(const zilch_mpi *m)
{
    return m->ranks;
}

void zilch_mpi_set_least(zilch_mpi *m, size_t points)
{
    m->least = points > 0 ? points : 1;
}

void zilch_mpi_set_most(zilch_mpi *m, size_t points)
{
    m->most = points;
}

/* ---- MPI itself ----------------------------------------------------------------------------------- */

zilch_status zilch_mpi_begin(void)
{
    int level = MPI_THREAD_SINGLE;
    int is_begun = 0;
    MPI_Initialized(&is_begun);
    if (!is_begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return zilch_fail(ZILCH_EIO, "mpi: MPI could not be initialised");
    }
    return check_running();
}

void zilch_mpi_end(void)
{
    if (check_running() == ZILCH_OK) {
        MPI_Finalize();
    }
}
