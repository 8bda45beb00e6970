/* Every function of studies, on a file with runs in every state. What a call was to do before something
 * failed is done by the next one on the same handle, and then the file says the same as if nothing had
 * happened. */
#include "faults.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 4, N = 12, K = 4 };

/* Runs of the file. */
enum {
    RECORDED = 1, /* three generations, the third not yet recorded; a conclusion and failures */
    FORGETTING,   /* the same, with points that are forgotten */
    OPEN,         /* a generation of which 8 points are out and 3 back, one came late */
    CLOSING,      /* all are out, and one more value closes it */
    FAILING,      /* and all that came back failed */
    RUNS = FAILING
};

/* ---- Files -------------------------------------------------------------------------------------------- */

typedef struct content {
    unsigned char bytes[1 << 18];
    size_t length;
} content;

static struct {
    content file, log_file, log; /* the study; and one whose writer was killed, with what it left beside it */
    content violated;            /* and one that has been told a violation */
    zilch_optimizer *fresh, *next[FORGETTING + 1];
    zilch_study *study;
    zilch_journal *journal;
    zilch_optimizer *stopped;
    char log_path[80], index_path[80];
    uint64_t sum; /* over what the call gave */
} s;

/* Where the system has a file system in memory, there: thousands of files are made. */
static void make_folder_in_memory(void)
{
    strcpy(scratch.folder, "/dev/shm/zilch_test_XXXXXX");
    if (mkdtemp(scratch.folder)) {
        snprintf(scratch.file, sizeof scratch.file, "%s/file", scratch.folder);
    } else {
        assert_int_equal(make_folder(NULL), 0);
    }
}

static void read_content(const char *path, content *out)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    out->length = fread(out->bytes, 1, sizeof out->bytes, file);
    assert_true(out->length < sizeof out->bytes);
    fclose(file);
}

static void write_content(const char *path, const content *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->bytes, 1, bytes->length, file), bytes->length);
    fclose(file);
}

static void remove_files(void)
{
    unlink(scratch.file);
    unlink(s.log_path);
    unlink(s.index_path);
}

static uint64_t sum_row(sqlite3_stmt *row, uint64_t sum)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const int type = sqlite3_column_type(row, i);
        const double number = sqlite3_column_double(row, i);
        const int64_t integer = sqlite3_column_int64(row, i);
        const void *bytes = sqlite3_column_blob(row, i);
        sum = sum_of(sum, &type, sizeof type);
        sum = type == SQLITE_FLOAT     ? sum_of(sum, &number, sizeof number)
              : type == SQLITE_INTEGER ? sum_of(sum, &integer, sizeof integer)
                                       : sum_of(sum, bytes, (size_t)sqlite3_column_bytes(row, i));
    }
    return sum;
}

uint64_t study_sum(const char *path)
{
    static const char *const tables[] = {"runs",        "generations", "points", "evaluations", "checkpoints",
                                         "conclusions", "failures",    "handed", "told",        "journal"};
    sqlite3 *database;
    uint64_t sum = 1;
    int code = sqlite3_open(path, &database);
    for (size_t i = 0; i < COUNT(tables) && code == SQLITE_OK; i++) {
        char text[100];
        sqlite3_stmt *row = NULL;
        snprintf(text, sizeof text, "SELECT * FROM %s ORDER BY 1, 2", tables[i]);
        code = sqlite3_prepare_v2(database, text, -1, &row, NULL);
        while (code == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
            sum = sum_row(row, sum);
        }
        const int end = sqlite3_finalize(row);
        code = code == SQLITE_OK ? end : code;
    }
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    return code == SQLITE_OK ? sum : 0;
}

int study_is_free(const char *path)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    const int code = sqlite3_exec(database, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    return code == SQLITE_OK;
}

/* ---- What they work on -------------------------------------------------------------------------------- */

static void evaluate_all(size_t n, const uint64_t *id, const double *x, double *value)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = id[i] % 7 == 5 ? NAN : noisy_value(DIM, id[i], x + i * DIM);
    }
}

static zilch_optimizer *make_optimizer(uint64_t seed, size_t remember)
{
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    options.quorum = 0.75;
    options.archive_size = remember;
    options.defaults = remember ? (const double[DIM]){0, 0.5, -1} : NULL;
    return create_with(DIM, seed, &options);
}

static zilch_optimizer *make_run(zilch_study *study, uint64_t number, size_t remember)
{
    static const zilch_setting settings[] = {{ZILCH_SETTING_PROBLEM, "program", "so and so"},
                                             {ZILCH_SETTING_MEANS, "threads", "2"}};
    static const char *const names[DIM] = {"first", "second", "third", "fourth"};
    const zilch_request request = {.name = "a name",
                                   .problem = "a problem",
                                   .settings = COUNT(settings),
                                   .setting = settings,
                                   .coordinate_names = names};
    zilch_optimizer *o = make_optimizer(number, remember);
    uint64_t run;
    OK(zilch_study_start(study, &request, o, &run));
    assert_int_equal(run, number);
    return o;
}

/* Two generations recorded, and the third to be. */
static void make_recorded(zilch_study *study, uint64_t run, size_t remember)
{
    zilch_optimizer *o = make_run(study, run, remember);
    for (int g = 0; g < 2; g++) {
        run_generations(o, 1);
        OK(zilch_study_record(study, run, o, NULL));
    }
    run_generations(o, 1);
    s.next[run] = o;
}

static const zilch_failure failures[] = {{1, 3, "was ended by signal 11", "no such thing"},
                                         {2, 14, "answered 'x', which is not a number", ""}};
static const zilch_conclusion conclusion = {.stop = ZILCH_STOP_TARGET,
                                            .is_recommending = 1,
                                            .recommendation = {.mean = 1.5, .deviation = 0.5, .active = 2},
                                            .held_out_mean = 1.25,
                                            .held_out_error = 0.125,
                                            .held_out_count = 9};
static const double concluded[DIM] = {1.0, 0.0, 0.5, 0.0};

static void ask_and_tell(zilch_study *study, uint64_t run, size_t out, size_t back, int is_failing)
{
    uint64_t id[N];
    double x[N * DIM], value[N];
    size_t count;
    OK(zilch_study_ask(study, run, out, 0, id, x, &count));
    assert_int_equal(count, out);
    evaluate_all(count, id, x, value);
    for (size_t i = 0; is_failing && i < N; i++) {
        value[i] = NAN;
    }
    OK(zilch_study_tell(study, run, back, id, value, NULL, NULL));
}

static void make_turns(zilch_study *study)
{
    uint64_t id[N];
    double x[N * DIM], value[N];
    size_t count;
    zilch_optimizer_destroy(make_run(study, OPEN, 0));
    OK(zilch_study_ask(study, OPEN, N, 0, id, x, &count));
    evaluate_all(count, id, x, value);
    OK(zilch_study_tell(study, OPEN, 9, id, value, NULL, NULL));
    OK(zilch_study_tell(study, OPEN, 1, id + 10, value + 10, NULL, NULL)); /* late */
    ask_and_tell(study, OPEN, 8, 3, 0);
    zilch_optimizer_destroy(make_run(study, CLOSING, 0));
    ask_and_tell(study, CLOSING, N, 8, 0);
    zilch_optimizer_destroy(make_run(study, FAILING, 0));
    ask_and_tell(study, FAILING, N, 8, 1);
}

static void make_violated(void)
{
    const uint64_t id = 17;
    const double value = 1.5, violation = 0.25;
    zilch_study *study;
    remove_files();
    write_content(scratch.file, &s.file);
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    OK(zilch_study_tell_violation(study, OPEN, 1, &id, &value, NULL, &violation, NULL));
    zilch_study_close(study);
    read_content(scratch.file, &s.violated);
}

static void make_study(void)
{
    zilch_study *study;
    snprintf(s.log_path, sizeof s.log_path, "%s-wal", scratch.file);
    snprintf(s.index_path, sizeof s.index_path, "%s-shm", scratch.file);
    s.fresh = make_optimizer(77, 0);
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE));
    make_recorded(study, RECORDED, 0);
    OK(zilch_study_fail(study, RECORDED, COUNT(failures), failures));
    OK(zilch_study_conclude(study, RECORDED, &conclusion, concluded));
    make_recorded(study, FORGETTING, K);
    make_turns(study);
    zilch_study_close(study);
    read_content(scratch.file, &s.file);
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    OK(zilch_study_record(study, RECORDED, s.next[RECORDED], NULL));
    read_content(scratch.file, &s.log_file);
    read_content(s.log_path, &s.log);
    zilch_study_close(study);
    make_violated();
}

/* ---- Before and after a call ----------------------------------------------------------------------------
 */

void study_put(void)
{
    remove_files();
    write_content(scratch.file, &s.file);
    s.sum = 1;
}

static void open_put(void)
{
    study_put();
    OK(zilch_study_open(&s.study, scratch.file, ZILCH_STUDY_WRITE));
}

/* A study that has its columns for violations: to get them takes thousands of allocations, seen elsewhere. */
static void open_violated(void)
{
    study_put();
    write_content(scratch.file, &s.violated);
    OK(zilch_study_open(&s.study, scratch.file, ZILCH_STUDY_WRITE));
}

static void put_log(void)
{
    study_put();
    write_content(scratch.file, &s.log_file);
    write_content(s.log_path, &s.log);
}

static uint64_t finish_study(object made)
{
    (void)made;
    zilch_study_close(s.study);
    s.study = NULL;
    return s.sum ^ study_sum(scratch.file);
}

static uint64_t finish_open(object made)
{
    s.study = made.study;
    return finish_study(made);
}

/* ---- Calls ----------------------------------------------------------------------------------------------
 */

static zilch_status create_study(object *made)
{
    return zilch_study_open(&made->study, scratch.file, ZILCH_STUDY_CREATE);
}

static zilch_status open_for_writing(object *made)
{
    return zilch_study_open(&made->study, scratch.file, ZILCH_STUDY_WRITE);
}

static zilch_status open_for_reading(object *made)
{
    return zilch_study_open(&made->study, scratch.file, ZILCH_STUDY_READ);
}

static zilch_status start(object *made)
{
    uint64_t run = 99;
    made->any = NULL;
    const zilch_status status = zilch_study_start(s.study, NULL, s.fresh, &run);
    assert_int_equal(run, status == ZILCH_OK ? RUNS + 1 : 99);
    return status;
}

static zilch_status record(object *made)
{
    made->any = NULL;
    return zilch_study_record(s.study, RECORDED, s.next[RECORDED], NULL);
}

static zilch_status record_forgetting(object *made)
{
    made->any = NULL;
    return zilch_study_record(s.study, FORGETTING, s.next[FORGETTING], NULL);
}

static zilch_status resume_run(object *made, uint64_t run)
{
    made->any = NULL;
    zilch_optimizer *optimizer = s.fresh;
    const zilch_status status = zilch_study_resume(s.study, run, &optimizer);
    if (status != ZILCH_OK) {
        assert_null(optimizer);
        return status;
    }
    const uint64_t generations = zilch_optimizer_progress(optimizer).generations;
    s.sum = sum_of(1, &generations, sizeof generations);
    zilch_optimizer_destroy(optimizer);
    return ZILCH_OK;
}

static zilch_status resume_recorded(object *made)
{
    return resume_run(made, RECORDED);
}

static zilch_status resume_forgetting(object *made)
{
    return resume_run(made, FORGETTING);
}

static zilch_status ask(object *made)
{
    uint64_t id[N];
    double x[N * DIM];
    size_t count = 99;
    made->any = NULL;
    const zilch_status status = zilch_study_ask(s.study, OPEN, 3, 0, id, x, &count);
    if (status != ZILCH_OK) {
        assert_int_equal(count, 0);
        return status;
    }
    s.sum = sum_of(sum_of(1, id, count * sizeof *id), x, count * DIM * sizeof *x);
    return ZILCH_OK;
}

static zilch_status waiting(object *made)
{
    uint64_t id[N];
    double x[N * DIM];
    size_t count = 99;
    made->any = NULL;
    const zilch_status status = zilch_study_waiting(s.study, OPEN, N, id, x, &count);
    if (status != ZILCH_OK) {
        assert_int_equal(count, 0);
        return status;
    }
    assert_int_equal(count, 7); /* two of them of the generation before */
    s.sum = sum_of(sum_of(1, id, count * sizeof *id), x, count * DIM * sizeof *x);
    return ZILCH_OK;
}

/* The last point that is out, in a run of which `closed` says whether that closes it. */
static zilch_status tell_one(object *made, uint64_t run, uint64_t id, double value, double violation,
                             int closed)
{
    int is_closed = 99;
    made->any = NULL;
    const zilch_status status =
        violation > 0.0
            ? zilch_study_tell_violation(s.study, run, 1, &id, &value, NULL, &violation, &is_closed)
            : zilch_study_tell(s.study, run, 1, &id, &value, NULL, &is_closed);
    assert_int_equal(is_closed, status == ZILCH_OK ? closed : 0);
    return status;
}

static zilch_status tell_answers(object *made)
{
    const uint64_t id = 17;
    const double value = NAN;
    double x[DIM];
    const char *const reason = "spilt";
    const zilch_answers answers = {
        .count = 1, .id = &id, .value = &value, .reason = &reason, .dim = DIM, .x = x};
    int is_closed = 99;
    made->any = NULL;
    for (size_t i = 0; i < DIM; i++) {
        x[i] = NAN; /* looked for, and not said */
    }
    const zilch_status status = zilch_study_tell_answers(s.study, OPEN, &answers, &is_closed);
    assert_int_equal(is_closed, 0);
    return status;
}

static zilch_status tell_open(object *made)
{
    return tell_one(made, OPEN, 17, 1.5, 0.0, 0);
}

static zilch_status tell_closing(object *made)
{
    return tell_one(made, CLOSING, 11, 1.5, 0.0, 1);
}

/* The first violation of the study, which gets its columns. */
static zilch_status tell_violating(object *made)
{
    return tell_one(made, OPEN, 17, 1.5, 0.5, 0);
}

static zilch_status tell_violating_last(object *made)
{
    return tell_one(made, CLOSING, 11, 1.5, 0.5, 1);
}

/* That nothing succeeded is what it says when it has done all. */
static zilch_status tell_failing(object *made)
{
    const zilch_status status = tell_one(made, FAILING, 11, NAN, 0.0, 0);
    return status == ZILCH_EOBJECTIVE ? ZILCH_OK : status;
}

static zilch_status advance(object *made)
{
    int is_closed = 99;
    made->any = NULL;
    const zilch_status status = zilch_study_advance(s.study, OPEN, &is_closed);
    assert_int_equal(is_closed, status == ZILCH_OK);
    return status;
}

static zilch_status put_failures(object *made)
{
    static const zilch_failure more[] = {{1, 5, "a reason", "said"}, {1, 3, "another reason", ""}};
    made->any = NULL;
    return zilch_study_fail(s.study, RECORDED, COUNT(more), more);
}

static zilch_status conclude(object *made)
{
    made->any = NULL;
    return zilch_study_conclude(s.study, FORGETTING, &conclusion, concluded);
}

static zilch_status read_conclusion(object *made)
{
    zilch_conclusion out;
    double x[DIM];
    made->any = NULL;
    const zilch_status status = zilch_study_conclusion(s.study, RECORDED, &out, x);
    if (status == ZILCH_OK) {
        s.sum = sum_of(out.held_out_count, x, sizeof x);
    }
    return status;
}

/* ---- Readers ---------------------------------------------------------------------------------------------
 */

static void add_text(const char *text)
{
    s.sum = sum_of(s.sum, text, strlen(text));
}

static zilch_status add_run(void *context, const zilch_run *run)
{
    (void)context;
    add_text(run->request.name);
    add_text(run->request.problem);
    for (size_t i = 0; i < run->request.settings; i++) {
        add_text(run->request.setting[i].name);
        add_text(run->request.setting[i].value);
    }
    for (size_t i = 0; i < DIM; i++) {
        add_text(run->request.coordinate_names[i]);
    }
    add_text(run->version);
    s.sum = sum_of(s.sum, &run->evaluations, sizeof run->evaluations);
    return ZILCH_OK;
}

static zilch_status add_generation(void *context, const zilch_generation *generation)
{
    (void)context;
    s.sum = sum_of(s.sum, &generation->best_value, sizeof generation->best_value);
    return ZILCH_OK;
}

static zilch_status add_evaluation(void *context, const zilch_evaluation *evaluation)
{
    (void)context;
    s.sum = sum_of(s.sum, &evaluation->id, sizeof evaluation->id);
    s.sum = evaluation->x ? sum_of(s.sum, evaluation->x, DIM * sizeof *evaluation->x) : s.sum;
    return ZILCH_OK;
}

static zilch_status add_failure(void *context, const zilch_failure *failure)
{
    (void)context;
    add_text(failure->reason);
    add_text(failure->output);
    return ZILCH_OK;
}

static zilch_status add_conclusion(void *context, uint64_t generation, const zilch_conclusion *read,
                                   const double *x)
{
    (void)context;
    (void)x;
    s.sum = sum_of(s.sum, &generation, sizeof generation);
    s.sum = sum_of(s.sum, &read->held_out_mean, sizeof read->held_out_mean);
    return ZILCH_OK;
}

/* Something was asked of a run. */
static void open_asked(void)
{
    open_put();
    if (zilch_study_ask_run(s.study, RECORDED, ZILCH_ACTION_PAUSE, NAN, "before") != ZILCH_OK) {
        abort();
    }
}

static zilch_status read_runs(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_runs(s.study, add_run, NULL);
}

static zilch_status read_generations(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_generations(s.study, RECORDED, add_generation, NULL);
}

static zilch_status read_last(object *made)
{
    zilch_generation last = {0};
    made->any = NULL;
    const zilch_status status = zilch_study_last(s.study, RECORDED, &last);
    s.sum = last.evaluations;
    return status;
}

static zilch_status read_evaluations(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_evaluations(s.study, FORGETTING, add_evaluation, NULL);
}

static zilch_status has_violations(object *made)
{
    int result = 0;
    made->any = NULL;
    const zilch_status status = zilch_study_has_violations(s.study, &result);
    s.sum = (uint64_t)result;
    return status;
}

static zilch_status read_failures(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_failures(s.study, RECORDED, add_failure, NULL);
}

static zilch_status read_conclusions(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_conclusions(s.study, RECORDED, add_conclusion, NULL);
}

static const zilch_span second_generation = {2, 2};

static zilch_status read_generations_between(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_generations_between(s.study, RECORDED, second_generation, add_generation, NULL);
}

static zilch_status read_evaluations_between(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_evaluations_between(s.study, FORGETTING, second_generation, add_evaluation, NULL);
}

static zilch_status read_failures_between(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_failures_between(s.study, RECORDED, (zilch_span){1, UINT64_MAX}, add_failure, NULL);
}

static zilch_status read_changes(object *made)
{
    made->any = NULL;
    return zilch_study_changes(s.study, &s.sum);
}

static zilch_status add_command(void *context, const zilch_command *command)
{
    (void)context;
    s.sum = zilch_fingerprint(s.sum, command->asked, strlen(command->asked));
    s.sum += command->command + 10 * (uint64_t)command->is_heeded + 100 * command->generation;
    return ZILCH_OK;
}

static zilch_status ask_run(object *made)
{
    made->any = NULL;
    return zilch_study_ask_run(s.study, RECORDED, ZILCH_ACTION_EVALUATIONS, 300.0, "now");
}

static zilch_status heed(object *made)
{
    made->any = NULL;
    return zilch_study_heed(s.study, 1, 2);
}

static zilch_status read_commands(object *made)
{
    made->any = NULL;
    s.sum = 1;
    return zilch_study_commands(s.study, RECORDED, 0, add_command, NULL);
}

/* Closing gives nothing and says nothing: it must but lose nothing, and what was recorded is there. */
static zilch_status close_study(object *made)
{
    made->any = NULL;
    zilch_study_close(s.study);
    s.study = NULL;
    return ZILCH_OK;
}

static void record_put(void)
{
    open_put();
    OK(zilch_study_record(s.study, RECORDED, s.next[RECORDED], NULL));
}

/* ---- Journals --------------------------------------------------------------------------------------------
 */

enum { KEPT = 5 };
static const uint64_t journal_id[KEPT] = {40, 41, 42, 43, 44};
static const double journal_x[KEPT * DIM] = {1.0, 0.0, 2.0, 0.0, 3.0};

/* Each look is a second later, and every value is slow; or the time stands still, and all of them wait. */
static double second = 1.0;

static double seconds(void)
{
    static double now;
    return now += second;
}

static zilch_batch journal_batch(void)
{
    return (zilch_batch){.n = KEPT, .dim = DIM, .generation = 2, .id = journal_id, .x = journal_x};
}

/* The second one fails. */
static zilch_status evaluate_kept(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = batch->id[i] == 41 ? NAN : noisy_value(DIM, batch->id[i], batch->x + i * DIM);
    }
    return ZILCH_OK;
}

static void open_journal(void)
{
    open_put();
    OK(zilch_journal_open(&s.journal, s.study, RECORDED, seconds));
}

/* With three values on the disk, and recalled. */
static void open_kept_journal(void)
{
    const double value[KEPT] = {1.0, NAN, -0.0};
    const zilch_batch batch = journal_batch();
    open_journal();
    OK(zilch_journal_keep(s.journal, &batch, 3, NULL, value));
    OK(zilch_journal_flush(s.journal));
    zilch_journal_close(s.journal);
    OK(zilch_journal_open(&s.journal, s.study, RECORDED, seconds));
}

/* With three values that wait. */
static void open_waiting_journal(void)
{
    const double value[KEPT] = {1.0, NAN, -0.0};
    const zilch_batch batch = journal_batch();
    unsigned char is_known[KEPT];
    double none[KEPT];
    open_journal();
    second = 0.0;
    OK(zilch_journal_recall(s.journal, &batch, none, is_known));
    OK(zilch_journal_keep(s.journal, &batch, 3, NULL, value));
    second = 1.0;
}

/* Five values of a generation, and then it was stopped. */
static zilch_status evaluate_five(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < 5; i++) {
        value[i] = noisy_value(DIM, batch->id[i], batch->x + i * DIM);
    }
    const zilch_status status = batch->arrived(batch->arrived_context, batch, 5, NULL, value);
    return status == ZILCH_OK ? ZILCH_ESTOPPED : status;
}

static void open_stopped_journal(void)
{
    open_put();
    s.stopped = make_optimizer(5, 0);
    OK(zilch_journal_open(&s.journal, NULL, 0, seconds));
    zilch_journaled journaled = {.journal = s.journal, .inner = evaluate_five};
    assert_int_equal(
        zilch_optimizer_run(s.stopped, zilch_journal_objective, &journaled, NULL, NULL, NULL, NULL),
        ZILCH_ESTOPPED);
}

static zilch_status tell_journal(object *made)
{
    made->any = NULL;
    const zilch_status status = zilch_journal_tell(s.journal, s.stopped);
    const zilch_progress p = zilch_optimizer_progress(s.stopped);
    assert_int_equal(p.evaluations, status == ZILCH_OK ? 5 : 0);
    s.sum = sum_of(1, &p.best_value, sizeof p.best_value);
    return status;
}

static zilch_status flush_values(object *made)
{
    made->any = NULL;
    return zilch_journal_flush(s.journal);
}

static zilch_status fail_and_flush(object *made)
{
    static const zilch_failure failure = {3, 41, "a reason", "said"};
    made->any = NULL;
    const zilch_status status = zilch_journal_fail(s.journal, &failure);
    return status == ZILCH_OK ? zilch_journal_flush(s.journal) : status;
}

static uint64_t finish_journal(object made)
{
    zilch_optimizer_destroy(s.stopped);
    s.stopped = NULL;
    zilch_journal_close(s.journal);
    s.journal = NULL;
    return finish_study(made);
}

static zilch_status reopen_journal(object *made)
{
    zilch_journal *again = NULL;
    made->any = NULL;
    const zilch_status status = zilch_journal_open(&again, s.study, RECORDED, seconds);
    assert_int_equal(again != NULL, status == ZILCH_OK);
    zilch_journal_close(again);
    return status;
}

static zilch_status evaluate_journaled(object *made)
{
    double value[KEPT] = {0};
    const zilch_batch batch = journal_batch();
    const zilch_journaled journaled = {.journal = s.journal, .inner = evaluate_kept};
    made->any = NULL;
    const zilch_status status = zilch_journal_objective((void *)&journaled, &batch, value);
    if (status == ZILCH_OK) {
        assert_true(isnan(value[1]));
        s.sum = sum_of(1, value + 2, 3 * sizeof *value);
    }
    return status;
}

static zilch_status keep_values(object *made)
{
    static const size_t index[] = {3, 4};
    static const double value[KEPT] = {0, 0, 0, 2.5, 3.5};
    const zilch_batch batch = journal_batch();
    made->any = NULL;
    return zilch_journal_keep(s.journal, &batch, COUNT(index), index, value);
}

static zilch_status find_run(object *made)
{
    uint64_t run = 99;
    int is_over = 99;
    const zilch_request request = {.name = "another name"};
    made->any = NULL;
    const zilch_status status = zilch_study_find(s.study, &request, s.fresh, &run, &is_over);
    assert_int_equal(run, 0);
    return status;
}

static zilch_status set_limits(object *made)
{
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = 123;
    made->any = NULL;
    return zilch_study_set_limits(s.study, RECORDED, &limits);
}

static zilch_status set_penalty(object *made)
{
    zilch_optimizer *o;
    made->any = NULL;
    zilch_status status = zilch_study_resume(s.study, RECORDED, &o);
    if (status == ZILCH_OK) {
        status = zilch_optimizer_set_penalty(o, 0.25);
        status = status == ZILCH_OK ? zilch_study_set_penalty(s.study, RECORDED, o) : status;
        zilch_optimizer_destroy(o);
    }
    return status;
}

/* ---- All of them ------------------------------------------------------------------------------------------
 */

const fault_call study_calls[] = {
    {"zilch_study_open", "create", remove_files, create_study, finish_open, 1, 1, 1},
    {"zilch_study_open", "write", study_put, open_for_writing, finish_open, 1, 1, 1},
    {"zilch_study_open", "read", study_put, open_for_reading, finish_open, 1, 1, 1},
    {"zilch_study_open", "recover", put_log, open_for_writing, finish_open, 1, 1, 1},
    {"zilch_study_open", "read recover", put_log, open_for_reading, finish_open, 1, 1, 1},
    {"zilch_study_start", "", open_put, start, finish_study, 1, 0, 1},
    {"zilch_study_record", "", open_put, record, finish_study, 1, 0, 1},
    {"zilch_study_record", "forgetting", open_put, record_forgetting, finish_study, 1, 0, 1},
    {"zilch_study_resume", "", open_put, resume_recorded, finish_study, 1, 0, 1},
    {"zilch_study_resume", "forgetting", open_put, resume_forgetting, finish_study, 1, 0, 1},
    {"zilch_study_ask", "", open_put, ask, finish_study, 1, 0, 1},
    {"zilch_study_waiting", "", open_put, waiting, finish_study, 1, 0, 1},
    {"zilch_study_tell", "", open_put, tell_open, finish_study, 1, 0, 1},
    {"zilch_study_tell_answers", "", open_put, tell_answers, finish_study, 1, 0, 1},
    {"zilch_study_tell", "closing", open_put, tell_closing, finish_study, 1, 0, 1},
    {"zilch_study_tell_violation", "", open_put, tell_violating, finish_study, 1, 0, 1},
    {"zilch_study_tell_violation", "closing", open_violated, tell_violating_last, finish_study, 1, 0, 1},
    {"zilch_study_tell", "failing", open_put, tell_failing, finish_study, 1, 0, 1},
    {"zilch_study_advance", "", open_put, advance, finish_study, 1, 0, 1},
    {"zilch_study_fail", "", open_put, put_failures, finish_study, 1, 0, 1},
    {"zilch_study_conclude", "", open_put, conclude, finish_study, 1, 0, 1},
    {"zilch_study_conclusion", "", open_put, read_conclusion, finish_study, 1, 0, 1},
    {"zilch_study_runs", "", open_put, read_runs, finish_study, 1, 0, 1},
    {"zilch_study_generations", "", open_put, read_generations, finish_study, 1, 0, 1},
    {"zilch_study_last", "", open_put, read_last, finish_study, 1, 0, 1},
    {"zilch_study_evaluations", "", open_put, read_evaluations, finish_study, 1, 0, 1},
    {"zilch_study_has_violations", "", open_put, has_violations, finish_study, 1, 0, 1},
    {"zilch_study_failures", "", open_put, read_failures, finish_study, 1, 0, 1},
    {"zilch_study_conclusions", "", open_put, read_conclusions, finish_study, 1, 0, 1},
    {"zilch_study_generations_between", "", open_put, read_generations_between, finish_study, 1, 0, 1},
    {"zilch_study_evaluations_between", "", open_put, read_evaluations_between, finish_study, 1, 0, 1},
    {"zilch_study_failures_between", "", open_put, read_failures_between, finish_study, 1, 0, 1},
    {"zilch_study_changes", "", open_put, read_changes, finish_study, 1, 0, 1},
    {"zilch_study_ask_run", "", open_put, ask_run, finish_study, 1, 0, 1},
    {"zilch_study_commands", "", open_asked, read_commands, finish_study, 1, 0, 1},
    {"zilch_study_heed", "", open_asked, heed, finish_study, 1, 0, 1},
    {"zilch_study_find", "", open_put, find_run, finish_study, 1, 0, 1},
    {"zilch_study_set_limits", "", open_put, set_limits, finish_study, 1, 0, 1},
    {"zilch_study_set_penalty", "", open_put, set_penalty, finish_study, 1, 0, 1},
    {"zilch_journal_open", "", open_kept_journal, reopen_journal, finish_journal, 1, 0, 1},
    {"zilch_journal_objective", "", open_journal, evaluate_journaled, finish_journal, 1, 0, 1},
    {"zilch_journal_objective", "recalling", open_kept_journal, evaluate_journaled, finish_journal, 1, 0, 1},
    {"zilch_journal_flush", "", open_waiting_journal, flush_values, finish_journal, 1, 0, 1},
    {"zilch_journal_fail", "", open_waiting_journal, fail_and_flush, finish_journal, 1, 0, 1},
    {"zilch_journal_tell", "", open_stopped_journal, tell_journal, finish_journal, 1, 0, 1},
    {"zilch_journal_keep", "", open_kept_journal, keep_values, finish_journal, 1, 0, 1},
    {"zilch_study_close", "", record_put, close_study, finish_study, 1, 0, 1},
};
const size_t study_call_count = COUNT(study_calls);

const char *study_scene_make(void)
{
    make_folder_in_memory();
    make_study();
    return scratch.file;
}

void study_scene_drop(void)
{
    zilch_optimizer_destroy(s.fresh);
    zilch_optimizer_destroy(s.next[RECORDED]);
    zilch_optimizer_destroy(s.next[FORGETTING]);
    remove_files();
    assert_int_equal(remove_folder(NULL), 0);
}
