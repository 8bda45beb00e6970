/* Journals: whatever stops a run, what has arrived is not evaluated again, and the run is the one that was
 * never stopped. And the run that a request means. */
#include "search_support.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 6, N = 12, GENERATIONS = 3, FINAL = 12 };

#define OK(call)                                        \
    do {                                                \
        if ((call) != ZILCH_OK) {                       \
            fail_msg(#call ": %s", zilch_last_error()); \
        }                                               \
    } while (0)

/* ---- A clock, an objective and a study ------------------------------------------------------------- */

static double now;              /* seconds */
static double takes;            /* that an evaluation takes */
static atomic_size_t evaluated; /* since the beginning */
static size_t stop_after;       /* so many, then ESTOPPED; 0: never */
static int is_silent;           /* the objective tells nothing before it returns */

static double seconds(void)
{
    return now;
}

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        if (stop_after && evaluated == stop_after) {
            return ZILCH_ESTOPPED;
        }
        evaluated++;
        now = takes > 0.0 ? now + takes : now; /* threads only read it */
        value[i] =
            batch->id[i] % 7 == 5 ? NAN : noisy_value(batch->dim, batch->id[i], batch->x + i * batch->dim);
        if (batch->error) {
            batch->error[i] = 0.5 + noise_of(batch->id[i]);
        }
        if (batch->violation) {
            batch->violation[i] = batch->id[i] % 3 == 1 ? 0.25 : 0.0;
        }
        if (!is_silent && batch->arrived) {
            const zilch_status status = batch->arrived(batch->arrived_context, batch, 1, &i, value);
            if (status != ZILCH_OK) {
                return status;
            }
        }
    }
    return ZILCH_OK;
}

static int64_t count_rows(const char *text)
{
    sqlite3 *database;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, text, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    const int64_t count = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(database);
    return count;
}

static int64_t count_journal(void)
{
    return count_rows("SELECT count(*) FROM journal");
}

static void edit(const char *text)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static zilch_optimizer *make_optimizer(uint64_t seed)
{
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    return create_with(DIM, seed, &options);
}

/* ---- Attempts ------------------------------------------------------------------------------------------ */

typedef struct keeper {
    zilch_study *study;
    uint64_t run;
} keeper;

static zilch_status record(void *context, const zilch_optimizer *optimizer)
{
    const keeper *k = context;
    return zilch_study_record(k->study, k->run, optimizer, NULL);
}

/* What a run comes to: its point and its recommendation, and its optimiser as bytes. */
typedef struct outcome {
    double x[DIM];
    zilch_recommendation recommendation;
    unsigned char bytes[1 << 16];
    size_t length;
} outcome;

/* One process of a run, on several threads or not, to its end or until it is stopped. */
static zilch_status attempt(const char *path, int is_threaded, outcome *out)
{
    keeper k = {.run = 1};
    zilch_optimizer *o = NULL;
    zilch_journal *journal;
    zilch_pool pool = {.threads = 3, .inner = objective};
    zilch_limits limits = zilch_limits_defaults();
    zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    limits.generations = GENERATIONS;
    final.final_evaluations = FINAL;
    final.final_candidates = 3;
    if (access(path, F_OK) != 0) {
        OK(zilch_study_open(&k.study, path, ZILCH_STUDY_CREATE));
        o = make_optimizer(7);
        OK(zilch_study_start(k.study, NULL, o, &k.run));
    } else {
        OK(zilch_study_open(&k.study, path, ZILCH_STUDY_WRITE));
        OK(zilch_study_resume(k.study, 1, &o));
    }
    OK(zilch_journal_open(&journal, k.study, 1, seconds));
    zilch_journaled journaled = {.journal = journal,
                                 .inner = is_threaded ? zilch_pool_objective : objective,
                                 .context = is_threaded ? &pool : NULL};
    zilch_status status =
        zilch_optimizer_run(o, zilch_journal_objective, &journaled, &limits, record, &k, NULL);
    if (status == ZILCH_OK) {
        status = zilch_optimizer_recommend(o, zilch_journal_objective, &journaled, &final, out->x,
                                           &out->recommendation);
    }
    if (status == ZILCH_OK) {
        const zilch_conclusion c = {
            .stop = ZILCH_STOP_GENERATIONS, .is_recommending = 1, .recommendation = out->recommendation};
        OK(zilch_study_conclude(k.study, 1, &c, out->x));
        OK(zilch_optimizer_pack(o, out->bytes, sizeof out->bytes, &out->length));
    }
    zilch_journal_close(journal);
    zilch_optimizer_destroy(o);
    zilch_study_close(k.study);
    return status;
}

static void expect_same_outcome(const outcome *a, const outcome *b)
{
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->bytes, b->bytes, a->length);
    assert_memory_equal(a->x, b->x, sizeof a->x);
    assert_memory_equal(&a->recommendation, &b->recommendation, sizeof a->recommendation);
}

static void forget_study(void)
{
    unlink(scratch.file);
    evaluated = 0;
    stop_after = 0;
    now = 0.0;
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

/* Stopped after every number of evaluations, of the final check too. With slow ones nothing is repeated. */
static void nothing_that_has_arrived_is_repeated(void **state)
{
    (void)state;
    static outcome whole, parts;
    takes = 1.0;
    is_silent = 0;
    forget_study();
    OK(attempt(scratch.file, 0, &whole));
    const size_t all = evaluated;
    assert_true(all > GENERATIONS * N && all <= GENERATIONS * N + FINAL);
    assert_int_equal(count_journal(), 0);
    for (size_t k = 1; k < all; k++) {
        forget_study();
        stop_after = k;
        assert_int_equal(attempt(scratch.file, 0, &parts), ZILCH_ESTOPPED);
        stop_after = 0;
        OK(attempt(scratch.file, 0, &parts));
        assert_int_equal(evaluated, all);
        assert_int_equal(count_journal(), 0);
        expect_same_outcome(&parts, &whole);
    }
}

/* Stopped again after each of them; threads bring their values too. */
static void one_evaluation_at_a_time_is_enough(void **state)
{
    (void)state;
    static outcome whole, parts;
    takes = 1.0;
    is_silent = 0;
    forget_study();
    OK(attempt(scratch.file, 0, &whole));
    const size_t all = evaluated;
    forget_study();
    while (stop_after++, attempt(scratch.file, 0, &parts) == ZILCH_ESTOPPED) {
        assert_true(stop_after < 2 * all);
    }
    assert_int_equal(evaluated, all);
    expect_same_outcome(&parts, &whole);
    forget_study();
    takes = 0.0;
    OK(attempt(scratch.file, 1, &parts));
    expect_same_outcome(&parts, &whole);
}

static zilch_status keep_one(zilch_journal *journal, uint64_t generation, uint64_t id, double value)
{
    const double x[DIM] = {(double)id};
    const zilch_batch batch = {.n = 1, .dim = DIM, .generation = generation, .id = &id, .x = x};
    return zilch_journal_keep(journal, &batch, 1, NULL, &value);
}

static void begin_batch(zilch_journal *journal, uint64_t generation)
{
    const zilch_batch none = {.n = 0, .dim = DIM, .generation = generation};
    OK(zilch_journal_recall(journal, &none, NULL, NULL));
}

static zilch_study *start_study(uint64_t *run)
{
    zilch_study *study;
    zilch_optimizer *o = make_optimizer(7);
    forget_study();
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE));
    OK(zilch_study_start(study, NULL, o, run));
    zilch_optimizer_destroy(o);
    return study;
}

/* Fast values are written a tenth of a second after the last time, all together, and also when nothing but
 * time has passed. Slow ones at once. */
static void fast_values_are_written_together(void **state)
{
    (void)state;
    uint64_t run;
    zilch_journal *journal;
    zilch_study *study = start_study(&run);
    OK(zilch_journal_open(&journal, study, run, seconds));
    begin_batch(journal, 0);
    for (uint64_t id = 0; id < 9; id++) {
        now = 0.01 * (double)(id + 1);
        OK(keep_one(journal, 0, id, 1.0));
        assert_int_equal(count_journal(), 0);
    }
    now = 0.101;
    OK(keep_one(journal, 0, 9, 1.0));
    assert_int_equal(count_journal(), 10);
    OK(keep_one(journal, 0, 10, 1.0));
    assert_int_equal(count_journal(), 10);
    now = 0.3;
    const zilch_batch none = {.n = 0, .dim = DIM};
    OK(zilch_journal_keep(journal, &none, 0, NULL, NULL));
    assert_int_equal(count_journal(), 11);
    OK(keep_one(journal, 0, 11, 1.0));
    OK(zilch_journal_flush(journal));
    assert_int_equal(count_journal(), 12);
    begin_batch(journal, 1);
    now += 0.1;
    for (uint64_t id = 20; id < 25; id++) { /* all at one moment */
        OK(keep_one(journal, 1, id, 1.0));
        assert_int_equal(count_journal(), id - 20 + 13);
    }
    zilch_journal_close(journal);
    zilch_study_close(study);
}

static zilch_status count_words(void *context, const zilch_failure *failure)
{
    size_t *count = context;
    assert_string_equal(failure->reason, "broke");
    assert_string_equal(failure->output, *count ? "" : "the mesh");
    ++*count;
    return ZILCH_OK;
}

/* The words of a failure are on the disk when its value is, and not before. */
static void words_are_written_with_the_values(void **state)
{
    (void)state;
    uint64_t run;
    size_t count = 0;
    zilch_journal *journal;
    zilch_study *study = start_study(&run);
    OK(zilch_journal_open(&journal, study, run, seconds));
    begin_batch(journal, 0);
    OK(zilch_journal_fail(journal, &(zilch_failure){1, 3, "broke", "the mesh"}));
    OK(keep_one(journal, 0, 3, NAN));
    assert_int_equal(count_rows("SELECT count(*) FROM failures"), 0);
    now += 0.2;
    OK(keep_one(journal, 0, 4, 1.0));
    assert_int_equal(count_rows("SELECT count(*) FROM failures"), 1);
    assert_int_equal(count_journal(), 2);
    OK(zilch_journal_fail(journal, &(zilch_failure){1, 5, "broke", NULL}));
    begin_batch(journal, 1); /* values of a generation that has closed go, words do not */
    OK(zilch_journal_flush(journal));
    OK(zilch_study_failures(study, run, count_words, &count));
    assert_int_equal(count, 2);
    assert_int_equal(zilch_journal_fail(journal, NULL), ZILCH_EARG);
    assert_int_equal(zilch_journal_fail(NULL, NULL), ZILCH_EARG);
    zilch_journal_close(journal);
    zilch_study_close(study);
}

enum { WRITERS = 4, EACH = 200 };
typedef struct writer {
    zilch_study *study;
    uint64_t run;
} writer;

static zilch_status write_many(void *context, size_t index)
{
    const writer *w = (const writer *)context + index;
    zilch_journal *journal;
    zilch_status status = zilch_journal_open(&journal, w->study, w->run, seconds);
    for (uint64_t id = 0; id < EACH && status == ZILCH_OK; id++) {
        status = keep_one(journal, 0, id, (double)id);
        status = status == ZILCH_OK ? zilch_journal_flush(journal) : status;
    }
    zilch_journal_close(journal);
    return status;
}

/* Runs of a comparison share a study, each on its own thread. */
static void journals_of_several_threads_share_a_study(void **state)
{
    (void)state;
    writer list[WRITERS];
    zilch_study *study = start_study(&list[0].run);
    for (size_t i = 0; i < WRITERS; i++) {
        zilch_optimizer *o = make_optimizer(i + 10);
        list[i].study = study;
        OK(zilch_study_start(study, NULL, o, &list[i].run));
        zilch_optimizer_destroy(o);
    }
    OK(zilch_parallel(WRITERS, WRITERS, write_many, list));
    assert_int_equal(count_journal(), WRITERS * EACH);
    zilch_study_close(study);
}

static zilch_status failing(void *context, const zilch_batch *batch, double *value)
{
    const zilch_status status = *(const zilch_status *)context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = i == 0 && status == ZILCH_EOBJECTIVE ? 1.0 : NAN;
    }
    const size_t both[] = {0, 1};
    const zilch_status kept = batch->arrived(batch->arrived_context, batch, 2, both, value);
    return kept == ZILCH_OK ? status : kept;
}

/* An objective that gives up may be mended: what failed is tried again, what succeeded is not. And a batch of
 * failures alone closes nothing. */
static void failures_that_may_be_mended_are_forgotten(void **state)
{
    (void)state;
    uint64_t run;
    zilch_journal *journal;
    zilch_study *study = start_study(&run);
    const uint64_t id[3] = {1, 2, 3};
    const double x[3 * DIM] = {0};
    double value[3];
    unsigned char is_known[3];
    const zilch_batch batch = {.n = 3, .dim = DIM, .id = id, .x = x};
    zilch_status status = ZILCH_EOBJECTIVE;
    takes = 1.0;
    OK(zilch_journal_open(&journal, study, run, seconds));
    const zilch_journaled journaled = {.journal = journal, .inner = failing, .context = &status};
    assert_int_equal(zilch_journal_objective((void *)&journaled, &batch, value), ZILCH_EOBJECTIVE);
    assert_int_equal(count_journal(), 1);
    OK(zilch_journal_recall(journal, &batch, value, is_known));
    assert_memory_equal(is_known, ((unsigned char[]){1, 0, 0}), 3);
    zilch_journal_close(journal);
    edit("DELETE FROM journal");
    OK(zilch_journal_open(&journal, study, run, seconds));
    const zilch_journaled again = {.journal = journal, .inner = failing, .context = &status};
    status = ZILCH_ESTOPPED;
    assert_int_equal(zilch_journal_objective((void *)&again, &batch, value), ZILCH_ESTOPPED);
    assert_int_equal(count_journal(), 2);
    OK(zilch_journal_recall(journal, &batch, value, is_known));
    assert_memory_equal(is_known, ((unsigned char[]){1, 1, 0}), 3);
    const zilch_batch two = zilch_batch_part(&batch, 0, 2);
    OK(zilch_journal_recall(journal, &two, value, is_known));
    assert_memory_equal(is_known, ((unsigned char[]){0, 0}), 2);
    zilch_journal_close(journal);
    zilch_study_close(study);
}

/* Another point under the same id is another evaluation. */
static void a_value_belongs_to_its_point(void **state)
{
    (void)state;
    uint64_t run;
    zilch_journal *journal;
    zilch_study *study = start_study(&run);
    const uint64_t id[2] = {5, 5};
    double x[2 * DIM] = {1.0, [DIM] = 2.0};
    double value[2] = {1.5, -0.0};
    unsigned char is_known[2];
    const zilch_batch batch = {.n = 2, .dim = DIM, .generation = UINT64_MAX, .id = id, .x = x};
    OK(zilch_journal_open(&journal, study, run, seconds));
    OK(zilch_journal_keep(journal, &batch, 2, NULL, value));
    OK(zilch_journal_flush(journal));
    zilch_journal_close(journal);
    OK(zilch_journal_open(&journal, study, run, seconds));
    value[0] = value[1] = 7.0;
    OK(zilch_journal_recall(journal, &batch, value, is_known));
    assert_true(is_known[0] && is_known[1] && value[0] == 1.5 && value[1] == 0.0 && signbit(value[1]));
    x[0] = 3.0;
    OK(zilch_journal_recall(journal, &batch, value, is_known));
    assert_true(!is_known[0] && is_known[1]);
    zilch_journal_close(journal);
    zilch_study_close(study);
}

static void damage_is_found(void **state)
{
    (void)state;
    static const char *const damage[] = {
        "UPDATE journal SET generation = -1", "UPDATE journal SET violation = -1.0",
        "UPDATE journal SET violation = 9e999", "UPDATE journal SET error = -1.0",
        "UPDATE journal SET value = 9e999"};
    uint64_t run;
    zilch_journal *journal;
    for (size_t i = 0; i < COUNT(damage); i++) {
        zilch_study *study = start_study(&run);
        OK(zilch_journal_open(&journal, study, run, seconds));
        OK(keep_one(journal, 0, 1, 1.0));
        OK(zilch_journal_flush(journal));
        zilch_journal_close(journal);
        edit(damage[i]);
        assert_int_equal(zilch_journal_open(&journal, study, run, seconds), ZILCH_EFORMAT);
        assert_null(journal);
        zilch_study_close(study);
    }
}

/* Without a study, what has arrived is remembered; told, the generation closes with it. */
static void memory_is_enough_for_one_process(void **state)
{
    (void)state;
    zilch_journal *journal;
    zilch_optimizer *o = make_optimizer(7);
    forget_study();
    is_silent = 0;
    OK(zilch_journal_open(&journal, NULL, 0, seconds));
    zilch_journaled journaled = {.journal = journal, .inner = objective};
    stop_after = N + 5;
    assert_int_equal(zilch_optimizer_run(o, zilch_journal_objective, &journaled, NULL, NULL, NULL, NULL),
                     ZILCH_ESTOPPED);
    assert_int_equal(zilch_optimizer_progress(o).evaluations, N);
    OK(zilch_journal_tell(journal, o));
    assert_int_equal(zilch_optimizer_progress(o).evaluations, N + 5);
    assert_int_equal(zilch_optimizer_progress(o).generations, 2);
    OK(zilch_journal_tell(journal, o)); /* nothing is open */
    assert_int_equal(zilch_optimizer_progress(o).generations, 2);
    zilch_journal_close(journal);
    zilch_optimizer_destroy(o);
}

static uint64_t find(const zilch_request *request, const zilch_optimizer *optimizer, int *is_over)
{
    zilch_study *study;
    uint64_t run;
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ));
    OK(zilch_study_find(study, request, optimizer, &run, is_over));
    zilch_study_close(study);
    return run;
}

/* The same goes on or is over, more goes on, less is another run; other options, arrays too, are as well. */
static void a_request_finds_its_run(void **state)
{
    (void)state;
    static outcome out;
    zilch_limits limits = zilch_limits_defaults();
    const zilch_request request = {.limits = &limits};
    zilch_optimizer *same = make_optimizer(7);
    zilch_optimizer *other = make_optimizer(8);
    zilch_study *study;
    int is_over;
    forget_study();
    stop_after = N + 1;
    assert_int_equal(attempt(scratch.file, 0, &out), ZILCH_ESTOPPED);
    assert_int_equal(find(&request, same, &is_over), 1);
    assert_int_equal(is_over, 0);
    assert_int_equal(find(&request, other, &is_over), 0);
    stop_after = 0;
    OK(attempt(scratch.file, 0, &out));
    assert_int_equal(find(&request, same, &is_over), 1);
    assert_int_equal(is_over, 1);
    limits.generations = GENERATIONS - 1;
    assert_int_equal(find(&request, same, &is_over), 0);
    limits.generations = GENERATIONS + 1;
    assert_int_equal(find(&request, same, &is_over), 1);
    assert_int_equal(is_over, 0);
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    OK(zilch_study_set_limits(study, 1, &limits));
    zilch_study_close(study);
    assert_int_equal(find(&request, same, &is_over), 1);
    assert_int_equal(is_over, 1);
    zilch_optimizer_destroy(other);
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    const double lower[DIM] = {-1, -1, -1, -1, -1, -1};
    options.lower = lower;
    other = create_with(DIM, 7, &options);
    assert_int_equal(find(&request, other, &is_over), 0);
    zilch_optimizer_destroy(other);
    zilch_optimizer_destroy(same);
}

/* Where the system has a file system in memory, there: each value is synced. */
static int make_fast_folder(void **state)
{
    strcpy(scratch.folder, "/dev/shm/zilch_test_XXXXXX");
    if (!mkdtemp(scratch.folder)) {
        return make_folder(state);
    }
    snprintf(scratch.file, sizeof scratch.file, "%s/file", scratch.folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_has_arrived_is_repeated),
        cmocka_unit_test(one_evaluation_at_a_time_is_enough),
        cmocka_unit_test(fast_values_are_written_together),
        cmocka_unit_test(words_are_written_with_the_values),
        cmocka_unit_test(journals_of_several_threads_share_a_study),
        cmocka_unit_test(failures_that_may_be_mended_are_forgotten),
        cmocka_unit_test(a_value_belongs_to_its_point),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(memory_is_enough_for_one_process),
        cmocka_unit_test(a_request_finds_its_run),
    };
    return cmocka_run_group_tests(tests, make_fast_folder, remove_folder);
}
