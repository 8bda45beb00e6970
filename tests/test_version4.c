/* Studies of version 4, as zilch 0.1 wrote them: read as they are, nothing on the disk is changed; opened for
 * writing, they become studies of today that say the same. tests/old_study/make.sh says what is in the one
 * that is looked at here. */
#include "base/file.h"
#include "base/memory.h"
#include "search_support.h"
#include "store/study.h"

#include <dirent.h>
#include <sqlite3.h>
#include <sys/stat.h>

#define OK(call) assert_int_equal((call), ZILCH_OK)

enum { RUNS = 5, DIM = 4, BY_HAND = 2, GONE = 5 };

/* ---- The study, and copies of it ---------------------------------------------------------------------- */

typedef struct bytes {
    unsigned char *data;
    size_t length;
} bytes;

static bytes read_bytes(const char *path)
{
    bytes b;
    OK(zi_file_read(path, &b.data, &b.length));
    return b;
}

static void copy_study(void)
{
    char path[1024];
    const char *source = getenv("ZILCH_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/old_study/study", source ? source : ".");
    const bytes b = read_bytes(path);
    FILE *file = fopen(scratch.file, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b.data, 1, b.length, file), b.length);
    assert_int_equal(fclose(file), 0);
    zi_free(b.data);
}

static zilch_study *open_study(zilch_study_mode mode)
{
    zilch_study *study;
    if (zilch_study_open(&study, scratch.file, mode) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return study;
}

/* The first cell of the answer. */
static void check_answer(const char *sql, const char *expected)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        assert_non_null(expected);
        assert_string_equal(sqlite3_column_text(statement, 0), expected);
    } else {
        assert_null(expected);
    }
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* Another program's hands on the file; `text` is for a place in the statement. */
static void edit(const char *sql, const char *text)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    if (text) {
        assert_int_equal(sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC), SQLITE_OK);
    }
    const int answer = sqlite3_step(statement);
    assert_true(answer == SQLITE_DONE || answer == SQLITE_ROW);
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* ---- All that it says -----------------------------------------------------------------------------------
 */

typedef struct sums {
    uint64_t sum; /* over all that is read */
    size_t runs, settings, generations, evaluations, conclusions;
} sums;

static void add_bytes(sums *s, const void *data, size_t length)
{
    s->sum = zilch_fingerprint(s->sum, data, length);
}

static void add_text(sums *s, const char *text)
{
    add_bytes(s, text, strlen(text) + 1);
}

static zilch_status add_run(void *context, const zilch_run *run)
{
    sums *s = context;
    const char *const texts[] = {
        run->request.name,    run->request.problem, run->request.data, run->request.fingerprint,
        run->request.machine, run->request.started, run->version};
    const uint64_t counts[] = {
        run->run,         run->seed,        run->dim,      run->method, run->direction,
        run->generations, run->evaluations, run->failures, run->stop,   run->request.limits->generations};
    for (size_t i = 0; i < COUNT(texts); i++) {
        add_text(s, texts[i]);
    }
    add_bytes(s, counts, sizeof counts);
    add_bytes(s, &run->penalty, sizeof run->penalty);
    for (size_t i = 0; i < run->request.settings; i++) {
        add_bytes(s, &run->request.setting[i].kind, sizeof(zilch_setting_kind));
        add_text(s, run->request.setting[i].name);
        add_text(s, run->request.setting[i].value);
    }
    assert_null(run->request.coordinate_names);
    s->settings += run->request.settings;
    s->runs++;
    return ZILCH_OK;
}

static zilch_status add_generation(void *context, const zilch_generation *g)
{
    sums *s = context;
    const double numbers[] = {(double)g->generation, (double)g->evaluations, (double)g->points,
                              g->best_value,         g->timings.evaluating,  g->timings.searching};
    add_bytes(s, numbers, sizeof numbers);
    s->generations++;
    return ZILCH_OK;
}

static zilch_status add_evaluation(void *context, const zilch_evaluation *e)
{
    sums *s = context;
    const double numbers[] = {
        (double)e->generation, (double)e->id, (double)e->point, e->value, e->fitness, e->weight};
    add_bytes(s, numbers, sizeof numbers);
    add_bytes(s, e->x, DIM * sizeof *e->x);
    s->evaluations++;
    return ZILCH_OK;
}

/* The runs that go on, as bytes; of the other what is said of it. */
static void add_optimizer(sums *s, zilch_study *study, uint64_t run)
{
    zilch_optimizer *o;
    uint64_t id;
    double x[DIM];
    OK(zilch_study_resume(study, run, &o));
    assert_true(zi_optimizer_is_valid(o));
    if (run == GONE) {
        zilch_record best;
        OK(zilch_optimizer_best(o, x, &best));
        add_bytes(s, x, sizeof x);
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_EVERSION);
        assert_non_null(strstr(zilch_last_error(), "the option prior_correlation of zilch 0.1"));
    } else {
        const packed p = pack_of(o);
        add_bytes(s, p.data, p.length);
        free(p.data);
    }
    zilch_optimizer_destroy(o);
}

static sums read_all(zilch_study *study)
{
    sums s = {.sum = ZILCH_FINGERPRINT_BEGIN};
    uint64_t id[16];
    double x[16 * DIM];
    size_t count;
    OK(zilch_study_runs(study, add_run, &s));
    for (uint64_t run = 1; run <= RUNS; run++) {
        zilch_conclusion conclusion;
        OK(zilch_study_generations(study, run, add_generation, &s));
        OK(zilch_study_evaluations(study, run, add_evaluation, &s));
        OK(zilch_study_conclusion(study, run, &conclusion, NULL));
        assert_int_equal(conclusion.stop, ZILCH_STOP_NONE);
        add_optimizer(&s, study, run);
    }
    OK(zilch_study_waiting(study, BY_HAND, 16, id, x, &count));
    assert_int_equal(count, 2);
    add_bytes(&s, x, count * DIM * sizeof *x);
    assert_int_equal(s.runs, RUNS);
    return s;
}

static void reading_changes_nothing(void **state)
{
    (void)state;
    copy_study();
    const bytes before = read_bytes(scratch.file);
    struct stat was, is;
    assert_int_equal(stat(scratch.file, &was), 0);
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    const sums first = read_all(study), second = read_all(study);
    zilch_study_close(study);
    assert_true(first.sum == second.sum && first.evaluations > 200 && first.generations > 20);
    const bytes after = read_bytes(scratch.file);
    assert_int_equal(before.length, after.length);
    assert_memory_equal(before.data, after.data, before.length);
    assert_int_equal(stat(scratch.file, &is), 0);
    assert_true(was.st_mtim.tv_sec == is.st_mtim.tv_sec && was.st_mtim.tv_nsec == is.st_mtim.tv_nsec);
    zi_free(before.data);
    zi_free(after.data); /* remove_folder() fails if anything lies beside it */
}

/* ---- What was asked for -----------------------------------------------------------------------------------
 */

static const struct {
    uint64_t run;
    zilch_setting_kind kind;
    const char *name, *value; /* NULL: nothing was said */
} said[] = {
    {1, ZILCH_SETTING_OPTION, "method", "default"},
    {1, ZILCH_SETTING_OPTION, "population", "6"},
    {1, ZILCH_SETTING_OPTION, "elites", "3"},
    {1, ZILCH_SETTING_OPTION, "penalty", "0.25"},
    {1, ZILCH_SETTING_OPTION, "structure", "diagonal"},
    {1, ZILCH_SETTING_OPTION, "reevaluate", "uncertain"},
    {1, ZILCH_SETTING_OPTION, "variance_scaling", "yes"},
    {1, ZILCH_SETTING_OPTION, "price", NULL},
    {1, ZILCH_SETTING_LIMIT, "generations", "40"},
    {1, ZILCH_SETTING_LIMIT, "evaluations", NULL},
    {1, ZILCH_SETTING_FINAL, "final_pruning", NULL},
    {2, ZILCH_SETTING_OPTION, "max_active", "2"},
    {2, ZILCH_SETTING_OPTION, "elites", "2"},
    {2, ZILCH_SETTING_LIMIT, "generations", NULL},
    {3, ZILCH_SETTING_OPTION, "method", "published"},
    {3, ZILCH_SETTING_OPTION, "reevaluate", "all"},
    {3, ZILCH_SETTING_OPTION, "inverter", "amortised"},
    {3, ZILCH_SETTING_OPTION, "margin", "0"},
    {3, ZILCH_SETTING_OPTION, "variance_scaling", "no"},
    {3, ZILCH_SETTING_FINAL, "final_pruning", "no"},
    {4, ZILCH_SETTING_OPTION, "method", "ea"},
    {4, ZILCH_SETTING_OPTION, "initial_spread", "0"},
    {4, ZILCH_SETTING_FINAL, "final_pruning", "no"},
    {5, ZILCH_SETTING_OPTION, "method", "default"},
    {5, ZILCH_SETTING_OPTION, "restart", NULL},
    {5, ZILCH_SETTING_MEANS, "threads", "2"},
};

static zilch_status check_request(void *context, const zilch_run *run)
{
    static const zilch_method methods[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_DEFAULT, ZILCH_METHOD_PUBLISHED,
                                           ZILCH_METHOD_EA, ZILCH_METHOD_DEFAULT};
    static const uint64_t seeds[] = {11, UINT64_MAX, 13, 14, 15};
    size_t *checked = context;
    const zilch_request *r = &run->request;
    assert_int_equal(run->method, methods[run->run - 1]);
    assert_int_equal(run->seed, seeds[run->run - 1]);
    assert_int_equal(run->dim, DIM);
    assert_true(run->penalty == (run->run == 1 ? 0.25 : 0.0));
    assert_string_equal(r->problem, run->run == BY_HAND ? "by hand" : "sphere:dim=4,active=1,noise=1");
    assert_string_equal(r->name, "");
    assert_string_equal(r->data, "");
    assert_string_equal(r->fingerprint, "");
    assert_string_equal(r->machine, "a machine");
    assert_true(strlen(r->started) == strlen("2026-11-16T18:03:10Z"));
    assert_string_equal(run->version, "0.1.0");
    assert_int_equal(r->limits->generations, run->run == BY_HAND ? 100 : 40);
    assert_int_equal(r->final->final_pruning, methods[run->run - 1] == ZILCH_METHOD_DEFAULT);
    for (size_t i = 0; i < COUNT(said); i++) {
        if (said[i].run == run->run) {
            const char *value = zilch_request_find(r, said[i].kind, said[i].name);
            if (!said[i].value) {
                assert_null(value);
            } else {
                assert_non_null(value);
                assert_string_equal(value, said[i].value);
            }
            (*checked)++;
        }
    }
    return ZILCH_OK;
}

static void requests_are_read_from_words(void **state)
{
    (void)state;
    copy_study();
    for (int turn = 0; turn < 2; turn++) {
        size_t checked = 0;
        zilch_study *study = open_study(turn ? ZILCH_STUDY_WRITE : ZILCH_STUDY_READ);
        OK(zilch_study_runs(study, check_request, &checked));
        assert_int_equal(checked, COUNT(said));
        zilch_study_close(study);
    }
}

typedef struct found {
    uint64_t generations;
    char threads[32], program[64];
    size_t settings;
} found;

static void note_text(const char *value, char *text, size_t size)
{
    snprintf(text, size, "%s", value ? value : "-");
}

static zilch_status note_run(void *context, const zilch_run *run)
{
    found *f = context;
    if (run->run == 1) {
        f->generations = run->request.limits->generations;
        note_text(zilch_request_find(&run->request, ZILCH_SETTING_MEANS, "threads"), f->threads,
                  sizeof f->threads);
        note_text(zilch_request_find(&run->request, ZILCH_SETTING_PROBLEM, "program"), f->program,
                  sizeof f->program);
        f->settings = run->request.settings;
    }
    return ZILCH_OK;
}

/* The words of a command line in the ways in which they could be said. What is no such text says nothing. */
static void words_are_read_in_all_ways(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        uint64_t generations;
        const char *threads, *program;
    } cases[] = {
        {"{\"words\":[\"optimize\",\"--generations\",\"12\",\"--threads=3\"],\"checksum\":\"\"}", 12, "3",
         "-"},
        {"{\"words\":[\"optimize\",\"-g12\",\"-t\",\"3\"],\"checksum\":\"\"}", 12, "3", "-"},
        {"{\"words\":[\"optimize\",\"--gen\",\"12\",\"--thr=3\"],\"checksum\":\"\"}", 12, "3", "-"},
        {"{\"words\":[\"optimize\",\"-g\",\"7\",\"-g\",\"12\"],\"checksum\":\"\"}", 12, "-", "-"},
        {"{\"words\":[\"optimize\",\"--program\",\"a \\\"b\\\\\\t\\u001b c\"],\"checksum\":\"\"}", 100, "-",
         "a \"b\\\t\033 c"},
        {"{\"words\":[\"optimize\",\"--program\",\"--threads\",\"-t\",\"3\"],\"checksum\":\"\"}", 100, "3",
         "--threads"},
        {"{\"words\":[\"optimize\",\"--generations\"],\"checksum\":\"\"}", 100, "-", "-"},
        {"{\"words\":[\"-g\",\"12\"],\"checksum\":\"\"}", 100, "-", "-"}, /* the first is the command */
        {"{\"words\":[\"optimize\",\"-g\",\"12\"],\"checksum\":\"\"", 100, "-", "-"},
        {"{\"words\":[\"optimize\",\"-g\",\"12\",\"checksum\":\"\"}", 100, "-", "-"},
        {"{\"words\":[\"optimize\",\"-g\",\"12\"]}", 100, "-", "-"},
        {"{\"words\":[\"optimize\",\"-g\",\"12\\", 100, "-", "-"},
        {"{\"words\":[\"optimize\",\"-g\",\"12\\u00", 100, "-", "-"},
        {"{\"words\":[\"optimize\",\"-g\",\"12\\q\"],\"checksum\":\"\"}", 100, "-", "-"},
        {"{\"words\":[],\"checksum\":\"\"}", 100, "-", "-"},
        {"{", 100, "-", "-"},
        {"--generations 12", 100, "-", "-"},
        {"", 100, "-", "-"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        found f = {0};
        size_t options;
        (void)zilch_optimizer_option_list(&options);
        copy_study();
        edit("UPDATE runs SET arguments = ? WHERE run = 1", cases[i].arguments);
        zilch_study *study = open_study(ZILCH_STUDY_READ);
        OK(zilch_study_runs(study, note_run, &f));
        zilch_study_close(study);
        assert_int_equal(f.generations, cases[i].generations);
        assert_string_equal(f.threads, cases[i].threads);
        assert_string_equal(f.program, cases[i].program);
        assert_int_equal(f.settings, options + (f.generations == 12) + (*f.threads != '-') +
                                         (strcmp(f.program, "-") != 0));
    }
}

/* ---- Damage ---------------------------------------------------------------------------------------------
 */

static zilch_status ignore_run(void *context, const zilch_run *run)
{
    (void)context;
    (void)run;
    return ZILCH_OK;
}

static void damage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *text;
        zilch_status status;
    } cases[] = {
        {"UPDATE runs SET arguments = ? WHERE run = 1",
         "{\"words\":[\"optimize\",\"--generations\",\"many\"],\"checksum\":\"\"}", ZILCH_EFORMAT},
        {"UPDATE runs SET arguments = ? WHERE run = 1",
         "{\"words\":[\"optimize\",\"--shortlist\",\"100001\"],\"checksum\":\"\"}", ZILCH_EFORMAT},
        {"UPDATE runs SET law = ? WHERE run = 1", "none", ZILCH_EFORMAT},
        {"UPDATE runs SET law = ? WHERE run = 1", "published", ZILCH_EFORMAT}, /* a method of today */
        {"UPDATE runs SET direction = ? WHERE run = 1", "up", ZILCH_EFORMAT},
        {"CREATE TABLE settings (run, kind, name, value)", NULL, ZILCH_EFORMAT},
        {"CREATE VIEW more AS SELECT 1", NULL, ZILCH_EFORMAT},
        {"PRAGMA user_version = 5", NULL, ZILCH_EFORMAT}, /* its tables are not those of version 5 */
        {"PRAGMA user_version = 3", NULL, ZILCH_EVERSION},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int writes = 0; writes < 2; writes++) {
            zilch_study *study;
            copy_study();
            edit(cases[i].sql, cases[i].text);
            zilch_status status =
                zilch_study_open(&study, scratch.file, writes ? ZILCH_STUDY_WRITE : ZILCH_STUDY_READ);
            status = status == ZILCH_OK ? zilch_study_runs(study, ignore_run, NULL) : status;
            if (status != cases[i].status || !strstr(zilch_last_error(), scratch.file)) {
                fail_msg("%s, %s: %d, %s", cases[i].sql, cases[i].text ? cases[i].text : "", status,
                         zilch_last_error());
            }
            zilch_study_close(study);
        }
    }
}

/* A checkpoint that is no optimiser: the run can be read, and says what is wrong when it is to go on. */
static void a_damaged_checkpoint_is_found_by_resume(void **state)
{
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        zilch_optimizer *o;
        copy_study();
        edit("UPDATE checkpoints SET state = zeroblob(length(state)) WHERE run = 1", NULL);
        zilch_study *study = open_study(writes ? ZILCH_STUDY_WRITE : ZILCH_STUDY_READ);
        OK(zilch_study_runs(study, ignore_run, NULL));
        assert_int_equal(zilch_study_resume(study, 1, &o), ZILCH_EFORMAT);
        OK(zilch_study_resume(study, 3, &o));
        zilch_optimizer_destroy(o);
        zilch_study_close(study);
    }
}

/* Another law than the optimiser's is not taken for its method, in whichever way the file is opened. */
static void another_law_is_not_believed(void **state)
{
    (void)state;
    static const char *const laws[] = {"ea", "adhoc", "dense"};
    for (int writes = 0; writes < 2; writes++) {
        for (size_t i = 0; i < COUNT(laws); i++) {
            zilch_optimizer *o;
            copy_study();
            edit("UPDATE runs SET law = ? WHERE run = 1", laws[i]);
            zilch_study *study = open_study(writes ? ZILCH_STUDY_WRITE : ZILCH_STUDY_READ);
            assert_int_equal(zilch_study_resume(study, 1, &o), ZILCH_EFORMAT);
            assert_non_null(strstr(zilch_last_error(), "the checkpoint is not of this run"));
            zilch_study_close(study);
        }
    }
}

/* ---- Bringing it up to date -----------------------------------------------------------------------------
 */

static void writing_brings_it_up_to_date(void **state)
{
    (void)state;
    copy_study();
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    const sums before = read_all(study);
    zilch_study_close(study);
    check_answer("PRAGMA user_version", "4");
    for (int turn = 0; turn < 3; turn++) { /* brought up to date; opened again; read */
        study = open_study(turn == 2 ? ZILCH_STUDY_READ : ZILCH_STUDY_WRITE);
        const sums after = read_all(study);
        zilch_study_close(study);
        assert_true(after.sum == before.sum);
        assert_true(after.settings == before.settings && after.evaluations == before.evaluations);
        check_answer("PRAGMA user_version", "5");
        check_answer("PRAGMA integrity_check", "ok");
        check_answer("PRAGMA foreign_key_check", NULL);
        check_answer("PRAGMA journal_mode", "wal");
    }
}

/* One who reads meanwhile is not disturbed. */
static void a_reader_is_not_disturbed(void **state)
{
    (void)state;
    copy_study();
    edit("PRAGMA journal_mode = WAL", NULL);
    zilch_study *reader = open_study(ZILCH_STUDY_READ);
    const sums before = read_all(reader);
    zilch_study *writer = open_study(ZILCH_STUDY_WRITE);
    const sums between = read_all(reader), written = read_all(writer);
    zilch_study_close(writer);
    const sums after = read_all(reader);
    zilch_study_close(reader);
    assert_true(before.sum == between.sum && before.sum == written.sum && before.sum == after.sum);
    zilch_study_close(open_study(ZILCH_STUDY_WRITE)); /* a reader leaves the log where it is */
}

/* Runs go on in it, beside new ones. */
static void old_and_new_runs_go_on(void **state)
{
    (void)state;
    copy_study();
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    zilch_optimizer *o, *other, *again;
    OK(zilch_study_resume(study, 3, &o));
    const uint64_t generations = zilch_optimizer_progress(o).generations;
    run_generations(o, 1);
    OK(zilch_study_record(study, 3, o, NULL));
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_GAUSSIAN, 6, 3);
    other = create_with(DIM, 9, &options);
    uint64_t run;
    OK(zilch_study_start(study, NULL, other, &run));
    assert_int_equal(run, RUNS + 1);
    zilch_study_close(study);
    study = open_study(ZILCH_STUDY_READ);
    OK(zilch_study_resume(study, 3, &again));
    assert_true(is_same_state(again, o));
    assert_int_equal(zilch_optimizer_progress(again).generations, generations + 1);
    zilch_optimizer_destroy(again);
    OK(zilch_study_resume(study, run, &again));
    assert_true(is_same_state(again, other));
    zilch_study_close(study);
    zilch_optimizer_destroy(again);
    zilch_optimizer_destroy(other);
    zilch_optimizer_destroy(o);
}

#define OLD_STUDY_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OLD_STUDY_TEST(reading_changes_nothing),
        OLD_STUDY_TEST(requests_are_read_from_words),
        OLD_STUDY_TEST(words_are_read_in_all_ways),
        OLD_STUDY_TEST(damage_is_named),
        OLD_STUDY_TEST(a_damaged_checkpoint_is_found_by_resume),
        OLD_STUDY_TEST(another_law_is_not_believed),
        OLD_STUDY_TEST(writing_brings_it_up_to_date),
        OLD_STUDY_TEST(a_reader_is_not_disturbed),
        OLD_STUDY_TEST(old_and_new_runs_go_on),
    };
    return cmocka_run_group_tests_name("version4", tests, NULL, NULL);
}
