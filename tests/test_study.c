/* Studies: what was recorded comes back, bit for bit; whatever happens to the file or the program, a run goes
 * on from a generation that was recorded whole, or the study says why it cannot. */
#include "base/file.h"
#include "base/memory.h"
#include "search/optimizer.h"
#include "store/schema.h"
#include "store/study.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define OK(call) assert_int_equal((call), ZILCH_OK)

/* The call gives this status, and its text names the file and holds these words. */
#define FAILS(call, status, words)                                 \
    do {                                                           \
        assert_int_equal((call), (status));                        \
        assert_non_null(strstr(zilch_last_error(), scratch.file)); \
        assert_non_null(strstr(zilch_last_error(), (words)));      \
        assert_null(strchr(zilch_last_error(), '\n'));             \
    } while (0)

enum { DIM = 6, POPULATION = 20, ELITES = 6 };

/* ---- Optimisers and what becomes of them ------------------------------------------------------------- */

/* With a memory of the law; advance() makes it begin anew before long. */
static zilch_optimizer *make_optimizer(zilch_method law, zilch_aggregate archive, uint64_t seed)
{
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.method = law;
    options.aggregate = archive;
    options.population = POPULATION;
    options.elites = ELITES;
    options.refinement = 0; /* all generations have one size; test_turns.c has those that differ */
    options.penalty = 0.25;
    options.direction = seed & 1 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE;
    zilch_optimizer *optimizer;
    OK(zilch_optimizer_create(&optimizer, DIM, seed, &options));
    return optimizer;
}

static zilch_optimizer *make_simple(void)
{
    return make_optimizer(ZILCH_METHOD_DEFAULT, ZILCH_AGGREGATE_LATEST, UINT64_MAX - 1);
}

/* A function of the point and the id: some fail, some are a negative zero, all are noisy. */
static double value_of(uint64_t id, const double *x, size_t dim)
{
    double value = (double)(id * 2654435761u % 1000) * 1e-3;
    for (size_t i = 0; i < dim; i++) {
        value += (x[i] - (double)i) * (x[i] - (double)i);
    }
    return id % 7 == 3 ? NAN : id % 13 == 6 ? -INFINITY : id % 11 == 5 ? -0.0 : value;
}

/* The standard errors of some are known. */
static double error_of(uint64_t id)
{
    return id % 3 == 1 ? 0.25 + (double)(id % 5) : id % 17 == 2 ? 0.0 : NAN;
}

/* One generation: `asked` points, of which all but the last `unanswered` are told, the last first. */
static void advance_partly(zilch_optimizer *optimizer, size_t asked, size_t unanswered)
{
    const size_t dim = zilch_optimizer_dim(optimizer);
    uint64_t *id = malloc(asked * sizeof *id);
    double *x = malloc(asked * dim * sizeof *x);
    OK(zilch_optimizer_ask(optimizer, asked, id, x));
    const uint64_t before = zilch_optimizer_progress(optimizer).generations;
    for (size_t i = asked - unanswered; i-- > 0;) {
        const double value = value_of(id[i], x + i * dim, dim);
        const double error = error_of(id[i]);
        OK(zilch_optimizer_tell_error(optimizer, 1, &id[i], &value, &error));
    }
    OK(zilch_optimizer_advance(optimizer));
    assert_int_equal(zilch_optimizer_progress(optimizer).generations, before + 1);
    if (optimizer->generations - optimizer->epoch.improved >= 2) {
        zi_optimizer_begin_anew(optimizer);
    }
    free(id);
    free(x);
}

static void advance(zilch_optimizer *optimizer)
{
    advance_partly(optimizer, zilch_optimizer_settings(optimizer)->population, 0);
}

typedef struct packed {
    unsigned char *bytes;
    size_t length;
} packed;

static packed pack(const zilch_optimizer *optimizer)
{
    packed p;
    OK(zilch_optimizer_pack(optimizer, NULL, 0, &p.length));
    p.bytes = malloc(p.length);
    OK(zilch_optimizer_pack(optimizer, p.bytes, p.length, &p.length));
    return p;
}

static int is_same(const packed *a, const packed *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static void check_same(const zilch_optimizer *a, const zilch_optimizer *b)
{
    packed p = pack(a);
    packed q = pack(b);
    assert_true(is_same(&p, &q));
    free(p.bytes);
    free(q.bytes);
}

static zilch_optimizer *copy_of(const zilch_optimizer *optimizer)
{
    zilch_optimizer *copy;
    packed p = pack(optimizer);
    OK(zilch_optimizer_unpack(&copy, p.bytes, p.length));
    free(p.bytes);
    return copy;
}

/* ---- Studies ------------------------------------------------------------------------------------------ */

static zilch_study *open_study(zilch_study_mode mode)
{
    zilch_study *study;
    OK(zi_study_open(&study, scratch.file, mode, 2000));
    return study;
}

static uint64_t start(zilch_study *study, const zilch_optimizer *optimizer)
{
    uint64_t run;
    OK(zilch_study_start(study, NULL, optimizer, &run));
    return run;
}

static zilch_status record(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer)
{
    const double generation = (double)zilch_optimizer_progress(optimizer).generations;
    const zilch_timings timings = {generation, generation / 8};
    return zilch_study_record(study, run, optimizer, &timings);
}

/* The run as it is on file is this optimiser. */
static void check_resumes(uint64_t run, const zilch_optimizer *expected)
{
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    zilch_optimizer *resumed;
    OK(zilch_study_resume(study, run, &resumed));
    assert_true(zi_optimizer_is_valid(resumed));
    check_same(resumed, expected);
    zilch_optimizer_destroy(resumed);
    zilch_study_close(study);
}

/* A study of one run of so many generations; the optimiser is given back. */
static zilch_optimizer *make_study(uint64_t generations)
{
    zilch_optimizer *optimizer = make_simple();
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    const uint64_t run = start(study, optimizer);
    assert_int_equal(run, 1);
    for (uint64_t g = 0; g < generations; g++) {
        advance(optimizer);
        OK(record(study, run, optimizer));
    }
    zilch_study_close(study);
    return optimizer;
}

static zilch_status open_status(zilch_study_mode mode)
{
    zilch_study *study = (zilch_study *)scratch.file;
    const zilch_status status = zilch_study_open(&study, scratch.file, mode);
    assert_int_equal(status == ZILCH_OK, study != NULL);
    zilch_study_close(study);
    return status;
}

/* Another program's hands on the file. */
static void edit(const char *sql)
{
    sqlite3 *database;
    char *text = NULL;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &text) != SQLITE_OK) {
        fail_msg("%s: %s", sql, text);
    }
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void check_one_answer(sqlite3 *database, const char *sql, const char *expected)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        assert_non_null(expected);
        assert_string_equal(sqlite3_column_text(statement, 0), expected);
    } else {
        assert_null(expected);
    }
    sqlite3_finalize(statement);
}

/* Whole by SQLite's own judgement, with a log, and alone in its folder when nobody uses it. */
static void check_file(void)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    check_one_answer(database, "PRAGMA integrity_check", "ok");
    check_one_answer(database, "PRAGMA foreign_key_check", NULL);
    check_one_answer(database, "PRAGMA journal_mode", "wal");
    check_one_answer(database, "PRAGMA application_id", "2053729379");
    check_one_answer(database, "PRAGMA user_version", "5");
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    DIR *listing = opendir(scratch.folder);
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        assert_true(entry->d_name[0] == '.' || strcmp(entry->d_name, "file") == 0);
    }
    closedir(listing);
}

/* ---- Round trip ---------------------------------------------------------------------------------------- */

enum { GENERATIONS = 4, MOST_TOLD = 4 * GENERATIONS * POPULATION };

/* What is to be read again. */
typedef struct expected {
    const zilch_optimizer *optimizer;
    const zilch_request *request;
    zilch_progress progress[GENERATIONS];
    uint64_t best[GENERATIONS];
    zi_evaluation told[MOST_TOLD];
    uint64_t generation_of[MOST_TOLD];
    size_t count; /* told */
    size_t read;  /* rows so far */
} expected;

static void expect_generation(expected *e, const zilch_optimizer *optimizer)
{
    size_t count;
    zilch_record best;
    const zi_evaluation *news = zi_optimizer_new_evaluations(optimizer, &count);
    const zilch_progress progress = zilch_optimizer_progress(optimizer);
    OK(zilch_optimizer_best(optimizer, NULL, &best));
    e->progress[progress.generations - 1] = progress;
    e->best[progress.generations - 1] = best.point;
    for (size_t i = 0; i < count; i++) {
        assert_true(e->count < MOST_TOLD);
        e->generation_of[e->count] = progress.generations;
        e->told[e->count++] = news[i];
    }
}

static void check_rows(const zilch_request *got, zilch_setting_kind kind, size_t count,
                       const zilch_option *row, const void *options)
{
    for (size_t i = 0; i < count; i++) {
        char text[ZILCH_OPTION_SIZE];
        zilch_option_format(&row[i], options, text);
        const char *value = zilch_request_find(got, kind, row[i].name);
        assert_non_null(value);
        assert_string_equal(value, text);
    }
}

/* All that was asked for, as it was given; what the caller gave of the first three kinds is not looked at. */
static void check_request(const zilch_request *got, const zilch_request *given,
                          const zilch_optimizer_options *options)
{
    size_t option_count, linear_limit_count, final_count, others = 0;
    const zilch_option *option = zilch_optimizer_option_list(&option_count);
    const zilch_option *limit = zilch_limit_list(&linear_limit_count);
    const zilch_option *final = zilch_final_list(&final_count);
    assert_string_equal(got->name, given->name);
    assert_string_equal(got->problem, given->problem);
    assert_string_equal(got->data, given->data);
    assert_string_equal(got->fingerprint, given->fingerprint);
    assert_string_equal(got->machine, "");
    assert_string_equal(got->started, given->started);
    check_rows(got, ZILCH_SETTING_OPTION, option_count, option, options);
    check_rows(got, ZILCH_SETTING_LIMIT, linear_limit_count, limit, given->limits);
    check_rows(got, ZILCH_SETTING_FINAL, final_count, final, given->final);
    check_rows(got, ZILCH_SETTING_LIMIT, linear_limit_count, limit, got->limits);
    check_rows(got, ZILCH_SETTING_FINAL, final_count, final, got->final);
    for (size_t i = 0; i < given->settings; i++) {
        const zilch_setting *s = &given->setting[i];
        const char *value = zilch_request_find(got, s->kind, s->name);
        if (s->kind >= ZILCH_SETTING_PROBLEM) {
            assert_non_null(value);
            assert_string_equal(value, s->value);
            others++;
        } else {
            assert_null(value);
        }
    }
    assert_int_equal(got->settings, option_count + linear_limit_count + final_count + others);
    assert_null(zilch_request_find(got, ZILCH_SETTING_MEANS, "program"));
    assert_null(zilch_request_find(got, ZILCH_SETTING_PROBLEM, NULL));
    assert_null(zilch_request_find(NULL, ZILCH_SETTING_PROBLEM, "program"));
    for (size_t i = 0; i < DIM; i++) {
        assert_string_equal(got->coordinate_names[i], given->coordinate_names[i]);
    }
}

static zilch_status check_run(void *context, const zilch_run *run)
{
    expected *e = context;
    const zilch_optimizer_options *options = zilch_optimizer_settings(e->optimizer);
    const zilch_progress *last = &e->progress[GENERATIONS - 1];
    e->read++;
    assert_int_equal(run->run, 1);
    check_request(&run->request, e->request, options);
    assert_string_equal(run->version, zilch_version());
    assert_int_equal(run->seed, zilch_optimizer_seed(e->optimizer));
    assert_int_equal(run->dim, DIM);
    assert_int_equal(run->method, options->method);
    assert_int_equal(run->direction, options->direction);
    assert_true(run->penalty == options->penalty);
    assert_int_equal(run->generations, GENERATIONS);
    assert_int_equal(run->evaluations, last->evaluations);
    assert_int_equal(run->failures, last->failures);
    assert_int_equal(run->stop, ZILCH_STOP_NONE);
    return ZILCH_OK;
}

static zilch_status check_generation(void *context, const zilch_generation *generation)
{
    expected *e = context;
    const zilch_progress *progress = &e->progress[e->read];
    assert_int_equal(generation->generation, e->read + 1);
    assert_int_equal(generation->evaluations, progress->evaluations);
    assert_int_equal(generation->failures, progress->failures);
    assert_int_equal(generation->points, progress->points);
    assert_true(generation->best_value == progress->best_value);
    assert_true(generation->best_fitness == progress->best_fitness);
    assert_int_equal(generation->best_active, progress->best_active);
    assert_int_equal(generation->best_point, e->best[e->read]);
    assert_true(generation->noise == progress->noise || (isnan(generation->noise) && isnan(progress->noise)));
    assert_true(generation->timings.evaluating == (double)generation->generation);
    assert_true(generation->timings.searching == (double)generation->generation / 8);
    e->read++;
    return ZILCH_OK;
}

static zilch_status check_evaluation(void *context, const zilch_evaluation *evaluation)
{
    expected *e = context;
    const zi_evaluation *told = &e->told[e->read];
    double x[DIM];
    zilch_record point;
    assert_int_equal(evaluation->generation, e->generation_of[e->read]);
    assert_int_equal(evaluation->id, told->id);
    assert_int_equal(evaluation->point, told->point);
    assert_true(evaluation->weight == told->weight);
    OK(zilch_optimizer_point(e->optimizer, evaluation->point, x, &point));
    assert_memory_equal(evaluation->x, x, sizeof x);
    assert_int_equal(evaluation->active, point.active);
    if (isfinite(told->value)) {
        assert_memory_equal(&evaluation->value, &told->value, sizeof told->value);
        const double fitness = zi_archive_fitness(&e->optimizer->archive, told->value, point.active, 0.0);
        assert_true(evaluation->fitness == fitness);
    } else {
        assert_true(isnan(evaluation->value) && isnan(evaluation->fitness));
    }
    e->read++;
    return ZILCH_OK;
}

/* Foreign points, late answers and unanswered ones among them. */
static void record_eventfully(zilch_study *study, uint64_t run, zilch_optimizer *optimizer, expected *e)
{
    const double foreign[DIM] = {0, 1, 2, 0, 0, 5};
    for (uint64_t g = 0; g < GENERATIONS; g++) {
        const uint64_t late = POPULATION + 1;
        const double value = 3.5;
        OK(zilch_optimizer_tell_point(optimizer, foreign, g & 1 ? INFINITY : 1.5));
        if (g == 1) {
            OK(zilch_optimizer_tell(optimizer, 1, &late, &value));
        }
        advance_partly(optimizer, POPULATION + 3, 2);
        OK(record(study, run, optimizer));
        expect_generation(e, optimizer);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    static expected e;
    zilch_limits limits = zilch_limits_defaults();
    zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_PUBLISHED);
    limits.generations = UINT64_MAX;
    limits.target = -1.0 / 3.0;
    final.final_candidates = 7;
    static const zilch_setting settings[] = {{ZILCH_SETTING_PROBLEM, "program", "a \"\xc3\xa9\n\xff"},
                                             {ZILCH_SETTING_OPTION, "no such option", "1"},
                                             {ZILCH_SETTING_MEANS, "threads", "8"},
                                             {ZILCH_SETTING_PROBLEM, "threads", ""}};
    static const char *const names[DIM] = {"x", "y", "x", "", "\xc3\xa9", "a name"};
    const zilch_request request = {.name = "plain, default",
                                   .problem = "smop1:dim=6",
                                   .data = "some/file.csv",
                                   .fingerprint = "0123456789abcdef",
                                   .started = "2026-11-15",
                                   .limits = &limits,
                                   .final = &final,
                                   .settings = COUNT(settings),
                                   .setting = settings,
                                   .coordinate_names = names};
    e = (expected){.optimizer = make_optimizer(ZILCH_METHOD_DEFAULT, ZILCH_AGGREGATE_MEAN, UINT64_MAX),
                   .request = &request};
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    uint64_t run;
    OK(zilch_study_start(study, e.request, e.optimizer, &run));
    assert_int_equal(run, 1);
    record_eventfully(study, run, (zilch_optimizer *)(uintptr_t)e.optimizer, &e);
    for (int turn = 0; turn < 2; turn++) { /* by the writer, and by a reader after it */
        e.read = 0;
        OK(zilch_study_runs(study, check_run, &e));
        assert_int_equal(e.read, 1);
        e.read = 0;
        OK(zilch_study_generations(study, run, check_generation, &e));
        assert_int_equal(e.read, GENERATIONS);
        e.read = 0;
        OK(zilch_study_evaluations(study, run, check_evaluation, &e));
        assert_int_equal(e.read, e.count);
        assert_true(e.count > GENERATIONS * POPULATION);
        zilch_study_close(study);
        study = open_study(ZILCH_STUDY_READ);
    }
    zilch_study_close(study);
    check_resumes(run, e.optimizer);
    check_file();
    zilch_optimizer_destroy((zilch_optimizer *)(uintptr_t)e.optimizer);
}

/* After each generation, whatever the law: the same bytes, and they stay the same. */
static void check_resume_everywhere(zilch_method law, zilch_aggregate archive)
{
    zilch_optimizer *steady = make_optimizer(law, archive, 77);
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    const uint64_t run = start(study, steady);
    check_resumes(run, steady);
    for (int g = 0; g < GENERATIONS; g++) {
        zilch_optimizer *resumed;
        OK(zilch_study_resume(study, run, &resumed));
        advance(steady);
        advance(resumed);
        check_same(steady, resumed);
        OK(record(study, run, g & 1 ? steady : resumed));
        zilch_optimizer_destroy(resumed);
        check_resumes(run, steady);
    }
    zilch_study_close(study);
    zilch_optimizer_destroy(steady);
}

static void test_resume_everywhere(void **state)
{
    (void)state;
    for (int law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
        check_resume_everywhere((zilch_method)law, ZILCH_AGGREGATE_LATEST);
        check_resume_everywhere((zilch_method)law, ZILCH_AGGREGATE_MEAN);
    }
    check_file();
}

/* A generation that has been asked for, but not told, before the last is recorded. */
static void test_resume_within_generation(void **state)
{
    (void)state;
    uint64_t id[3];
    double x[3 * DIM];
    zilch_optimizer *optimizer = make_simple();
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    const uint64_t run = start(study, optimizer);
    advance(optimizer);
    OK(zilch_optimizer_ask(optimizer, 3, id, x));
    OK(zilch_optimizer_tell(optimizer, 1, id, x));
    OK(record(study, run, optimizer));
    check_resumes(run, optimizer);
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
}

static zilch_status count_row(void *context, const zilch_run *run)
{
    assert_int_equal(run->run, ++*(uint64_t *)context);
    return ZILCH_OK;
}

/* Runs do not meet, though they are recorded in turn. */
static void test_several_runs(void **state)
{
    (void)state;
    enum { RUNS = 3 };
    zilch_optimizer *optimizer[RUNS];
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    uint64_t count = 0;
    for (uint64_t r = 0; r < RUNS; r++) {
        optimizer[r] = make_optimizer((zilch_method)r, ZILCH_AGGREGATE_LATEST, r);
        assert_int_equal(start(study, optimizer[r]), r + 1);
    }
    for (int g = 0; g < GENERATIONS; g++) {
        for (uint64_t r = 0; r < RUNS; r++) {
            advance(optimizer[r]);
            OK(record(study, r + 1, optimizer[r]));
        }
    }
    OK(zilch_study_runs(study, count_row, &count));
    assert_int_equal(count, RUNS);
    zilch_study_close(study);
    for (uint64_t r = 0; r < RUNS; r++) {
        check_resumes(r + 1, optimizer[r]);
        zilch_optimizer_destroy(optimizer[r]);
    }
    check_file();
}

/* ---- Conclusions -------------------------------------------------------------------------------------- */

static const zilch_conclusion sample_conclusion = {.stop = ZILCH_STOP_TARGET,
                                                   .is_recommending = 1,
                                                   .recommendation = {.point = 5,
                                                                      .mean = -1.5,
                                                                      .deviation = 0.25,
                                                                      .fitness = 2.5,
                                                                      .evaluations = 100,
                                                                      .failures = 7,
                                                                      .spent = 500,
                                                                      .active = 3,
                                                                      .pruned = 2},
                                                   .held_out_mean = 7.5,
                                                   .held_out_error = 0.125,
                                                   .held_out_count = 1000};

static int is_same_or_unknown(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_conclusion(zilch_study *study, const zilch_conclusion *expected_one,
                             const double *expected_x)
{
    zilch_conclusion c;
    double x[DIM] = {0};
    OK(zilch_study_conclusion(study, 1, &c, NULL));
    OK(zilch_study_conclusion(study, 1, &c, x));
    assert_int_equal(c.stop, expected_one->stop);
    assert_int_equal(c.is_recommending, expected_one->is_recommending);
    if (!c.is_recommending) {
        assert_true(isnan(c.held_out_mean) && isnan(c.held_out_error));
        return;
    }
    const zilch_recommendation *r = &c.recommendation;
    const zilch_recommendation *s = &expected_one->recommendation;
    assert_true(r->point == s->point && r->mean == s->mean && r->fitness == s->fitness);
    assert_true(is_same_or_unknown(r->deviation, s->deviation));
    assert_true(r->evaluations == s->evaluations && r->failures == s->failures && r->spent == s->spent);
    assert_true(r->active == s->active && r->pruned == s->pruned);
    assert_true(is_same_or_unknown(c.held_out_mean, expected_one->held_out_mean));
    assert_true(c.held_out_error == expected_one->held_out_error);
    assert_int_equal(c.held_out_count, expected_one->held_out_count);
    assert_memory_equal(x, expected_x, sizeof x);
}

typedef struct conclusions {
    size_t count;
    uint64_t generation[4];
    zilch_stop stop[4];
    double mean[4];
} conclusions;

static zilch_status note_conclusion(void *context, uint64_t generation, const zilch_conclusion *c,
                                    const double *x)
{
    conclusions *all = context;
    assert_true(all->count < COUNT(all->mean) && !x == !c->is_recommending);
    all->generation[all->count] = generation;
    all->stop[all->count] = c->stop;
    all->mean[all->count++] = x ? c->recommendation.mean + x[1] : NAN;
    return ZILCH_OK;
}

static zilch_status note_stop(void *context, const zilch_run *run)
{
    *(zilch_stop *)context = run->stop;
    return ZILCH_OK;
}

static void test_conclusion(void **state)
{
    (void)state;
    const double x[DIM] = {0, 1.5, -2.5, 0, 1e-300, 0};
    const double bad[DIM] = {0, 0, 0, 0, 0, NAN};
    zilch_conclusion c = sample_conclusion;
    zilch_stop stop = ZILCH_STOP_OBSERVER;
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    check_conclusion(study, &(zilch_conclusion){0}, NULL);
    OK(zilch_study_conclude(study, 1, &c, x));
    check_conclusion(study, &c, x);
    OK(zilch_study_runs(study, note_stop, &stop));
    assert_int_equal(stop, ZILCH_STOP_TARGET);
    assert_int_equal(zilch_study_conclude(study, 1, &c, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_conclude(study, 1, &c, bad), ZILCH_EARG);
    FAILS(zilch_study_conclude(study, 2, &c, x), ZILCH_EARG, "no run 2");
    FAILS(zilch_study_conclusion(study, 2, &c, NULL), ZILCH_EARG, "no run 2");
    c = sample_conclusion;
    check_conclusion(study, &c, x);
    c.held_out_mean = NAN;
    c.recommendation.point = 6;
    c.recommendation.evaluations = 1;
    c.recommendation.deviation = NAN;
    OK(zilch_study_conclude(study, 1, &c, x)); /* again */
    check_conclusion(study, &c, x);
    c = (zilch_conclusion){.stop = ZILCH_STOP_STAGNATION};
    OK(zilch_study_conclude(study, 1, &c, NULL));
    check_conclusion(study, &c, NULL);
    advance(optimizer); /* it goes on: then it has not ended */
    OK(record(study, 1, optimizer));
    check_conclusion(study, &(zilch_conclusion){0}, NULL);
    c.stop = (zilch_stop)99;
    assert_int_equal(zilch_study_conclude(study, 1, &c, NULL), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "no reason to stop"));
    c.stop = ZILCH_STOP_NONE;
    assert_int_equal(zilch_study_conclude(study, 1, &c, NULL), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "nothing to tell"));
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

/* What was recommended on the way stays, and ends nothing. */
static void test_conclusions_on_the_way(void **state)
{
    (void)state;
    const double x[DIM] = {0, 1.5, -2.5, 0, 1e-300, 0};
    zilch_conclusion c = sample_conclusion;
    conclusions all = {0};
    zilch_stop stop = ZILCH_STOP_OBSERVER;
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    OK(zilch_study_conclusions(study, 1, note_conclusion, &all));
    assert_int_equal(all.count, 0);
    c.stop = ZILCH_STOP_NONE;
    OK(zilch_study_conclude(study, 1, &c, x));
    check_conclusion(study, &c, x);
    OK(zilch_study_runs(study, note_stop, &stop));
    assert_int_equal(stop, ZILCH_STOP_NONE);
    const uint64_t before = zilch_optimizer_progress(optimizer).generations;
    advance(optimizer);
    OK(record(study, 1, optimizer));
    c.stop = ZILCH_STOP_GENERATIONS;
    c.recommendation.mean = 8.0;
    OK(zilch_study_conclude(study, 1, &c, x));
    advance(optimizer);
    OK(record(study, 1, optimizer));
    OK(zilch_study_conclude(study, 1, &(zilch_conclusion){.stop = ZILCH_STOP_OBSERVER}, NULL));
    OK(zilch_study_conclusions(study, 1, note_conclusion, &all));
    assert_int_equal(all.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(all.generation[i], before + i);
    }
    assert_true(all.stop[0] == ZILCH_STOP_NONE && all.stop[1] == ZILCH_STOP_GENERATIONS &&
                all.stop[2] == ZILCH_STOP_OBSERVER);
    assert_true(all.mean[0] == 0.0 && all.mean[1] == 9.5 && isnan(all.mean[2]));
    FAILS(zilch_study_conclusions(study, 2, note_conclusion, &all), ZILCH_EARG, "no run 2");
    assert_int_equal(zilch_study_conclusions(NULL, 1, note_conclusion, &all), ZILCH_EARG);
    assert_int_equal(zilch_study_conclusions(study, 1, NULL, &all), ZILCH_EARG);
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

/* ---- What is not allowed ---------------------------------------------------------------------------- */

static zilch_status give_up(void *context, const zilch_evaluation *evaluation)
{
    (void)evaluation;
    return ++*(int *)context == 3 ? zi_fail(ZILCH_ESTOPPED, "enough") : ZILCH_OK;
}

static void test_readers_may_stop(void **state)
{
    (void)state;
    int count = 0;
    zilch_optimizer_destroy(make_study(1));
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    assert_int_equal(zilch_study_evaluations(study, 1, give_up, &count), ZILCH_ESTOPPED);
    assert_int_equal(count, 3);
    assert_string_equal(zilch_last_error(), "enough");
    zilch_study_close(study);
}

static zilch_status resume_inside(void *context, const zilch_evaluation *evaluation)
{
    zilch_study *study = context;
    zilch_optimizer *optimizer;
    int count = 0;
    (void)evaluation;
    OK(zilch_study_resume(study, 1, &optimizer));
    zilch_optimizer_destroy(optimizer);
    assert_int_equal(zilch_study_evaluations(study, 1, give_up, &count), ZILCH_ESTOPPED);
    return ZILCH_OK;
}

static void test_readings_may_be_nested(void **state)
{
    (void)state;
    zilch_optimizer_destroy(make_study(1));
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    OK(zilch_study_evaluations(study, 1, resume_inside, study));
    zilch_study_close(study);
}

static void test_wrong_turns(void **state)
{
    (void)state;
    uint64_t run = 99;
    const double x[DIM] = {0};
    zilch_optimizer *other = make_optimizer(ZILCH_METHOD_DEFAULT, ZILCH_AGGREGATE_LATEST, 5);
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    FAILS(record(study, 1, optimizer), ZILCH_ESTATE, "recorded to generation 1");
    FAILS(zilch_study_start(study, NULL, optimizer, &run), ZILCH_ESTATE, "further");
    advance(optimizer);
    advance(other);
    advance(other);
    FAILS(record(study, 1, other), ZILCH_EARG, "another optimiser");
    FAILS(record(study, 2, optimizer), ZILCH_EARG, "no run 2");
    FAILS(record(study, UINT64_MAX, optimizer), ZILCH_EARG, "no run");
    assert_int_equal(zilch_study_record(study, 1, optimizer, &(zilch_timings){NAN, 0}), ZILCH_EARG);
    OK(zilch_study_record(study, 1, optimizer, NULL));
    advance(optimizer);
    advance(optimizer);
    FAILS(record(study, 1, optimizer), ZILCH_ESTATE, "this optimiser is at 4");
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
    study = open_study(ZILCH_STUDY_WRITE);
    OK(zilch_study_resume(study, 1, &optimizer));
    advance(optimizer);
    OK(zilch_optimizer_tell_point(optimizer, x, 1.0));
    uint64_t id;
    double asked[DIM];
    OK(zilch_optimizer_ask(optimizer, 1, &id,
                           asked)); /* the archive has taken the point for the next generation */
    FAILS(record(study, 1, optimizer), ZILCH_ESTATE, "before the next");
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
    zilch_optimizer_destroy(other);
    assert_int_equal(run, 99);
    check_file();
}

/* Whatever differs, though the seed, the dimension and the generation are the same. */
static void test_other_optimizer(void **state)
{
    (void)state;
    zilch_optimizer *optimizer = make_study(1);
    const zilch_optimizer_options *settings = zilch_optimizer_settings(optimizer);
    zilch_optimizer_options others[] = {*settings, *settings, *settings};
    others[0].method = ZILCH_METHOD_EA;
    others[1].direction = ZILCH_MAXIMIZE;
    others[2].penalty *= 2;
    assert_int_not_equal(settings->direction, ZILCH_MAXIMIZE);
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    for (size_t i = 0; i < COUNT(others); i++) {
        zilch_optimizer *other;
        OK(zilch_optimizer_create(&other, DIM, zilch_optimizer_seed(optimizer), &others[i]));
        advance(other);
        advance(other);
        FAILS(record(study, 1, other), ZILCH_EARG, "another optimiser");
        zilch_optimizer_destroy(other);
    }
    zilch_study_close(study);
    check_resumes(1, optimizer);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

/* ---- The same runs --------------------------------------------------------------------------------------
 */

enum { MOST_RUNS = 32 };

/* Runs that were asked for in some way, and which of the others were asked for in the same. */
typedef struct sameness {
    zilch_study *other;
    const zilch_run *first;
    int is_same[MOST_RUNS][MOST_RUNS];
} sameness;

static zilch_status compare_second(void *context, const zilch_run *run)
{
    sameness *s = context;
    s->is_same[s->first->run][run->run] = zilch_run_is_same(s->first, run);
    return ZILCH_OK;
}

static zilch_status compare_first(void *context, const zilch_run *run)
{
    sameness *s = context;
    s->first = run;
    return zilch_study_runs(s->other, compare_second, s);
}

/* Everything that a run can be asked for by. */
typedef struct asking {
    zilch_request request;
    zilch_limits limits;
    zilch_final_options final;
    zilch_setting setting[2];
    zilch_optimizer_options options;
    size_t dim;
    uint64_t seed;
} asking;

static asking ask_first(void)
{
    asking a = {.limits = zilch_limits_defaults(),
                .final = zilch_final_defaults(ZILCH_METHOD_DEFAULT),
                .setting = {{ZILCH_SETTING_PROBLEM, "program", "a"}, {ZILCH_SETTING_MEANS, "threads", "2"}},
                .options = zilch_optimizer_defaults(),
                .dim = DIM,
                .seed = 1};
    a.request = (zilch_request){.name = "name",
                                .problem = "problem",
                                .data = "file",
                                .fingerprint = "0123",
                                .machine = "here",
                                .started = "now",
                                .settings = 2};
    a.options.population = POPULATION;
    a.options.elites = ELITES;
    return a;
}

typedef void (*other_asking)(asking *a);
#define OTHER(name, what)       \
    static void name(asking *a) \
    {                           \
        what;                   \
    }
OTHER(other_nothing, (void)a)
OTHER(other_seed, a->seed = 2)
OTHER(other_limit, a->limits.generations = 3)
OTHER(other_target, a->limits.target = 1.0)
OTHER(other_means, a->setting[1].value = "3")
OTHER(no_means, a->request.settings = 1)
OTHER(other_machine, a->request.machine = "there")
OTHER(other_time, a->request.started = "later")
OTHER(other_path, a->request.data = "the same file elsewhere")
OTHER(other_name, a->request.name = "name 2")
OTHER(no_name, a->request.name = NULL)
OTHER(other_problem, a->request.problem = "problem 2")
OTHER(other_data, a->request.fingerprint = "4567")
OTHER(no_fingerprint, a->request.fingerprint = NULL)
OTHER(other_program, a->setting[0].value = "b")
OTHER(other_setting, a->setting[0].name = "jobs")
OTHER(no_settings, a->request.settings = 0)
OTHER(more_settings, a->setting[1].kind = ZILCH_SETTING_PROBLEM)
OTHER(other_final, a->final.final_candidates = 7)
OTHER(other_pruning, a->final.final_pruning = 0)
OTHER(other_method, a->options.method = ZILCH_METHOD_PUBLISHED)
OTHER(other_direction, a->options.direction = ZILCH_MAXIMIZE)
OTHER(other_penalty, a->options.penalty = 0.5)
OTHER(other_margin, a->options.margin = 0.25)
OTHER(other_weighting, a->options.weighting = ZILCH_WEIGHTING_EQUAL)
OTHER(other_dim, a->dim = DIM - 1)

static const struct {
    other_asking change;
    int is_same;
} askings[] = {{other_nothing, 1},   {other_seed, 1},      {other_limit, 1},   {other_target, 1},
               {other_means, 1},     {no_means, 1},        {other_machine, 1}, {other_time, 1},
               {other_path, 1},      {other_name, 0},      {no_name, 0},       {other_problem, 0},
               {other_data, 0},      {no_fingerprint, 0},  {other_program, 0}, {other_setting, 0},
               {no_settings, 0},     {more_settings, 0},   {other_final, 0},   {other_pruning, 0},
               {other_method, 0},    {other_direction, 0}, {other_penalty, 0}, {other_margin, 0},
               {other_weighting, 0}, {other_dim, 0}};

static zilch_optimizer *asked_optimizer(size_t i, asking *a)
{
    zilch_optimizer *optimizer;
    *a = ask_first();
    askings[i].change(a);
    a->request.limits = &a->limits;
    a->request.final = &a->final;
    a->request.setting = a->setting;
    OK(zilch_optimizer_create(&optimizer, a->dim, a->seed, &a->options));
    return optimizer;
}

static zilch_status match_run(void *context, const zilch_run *run)
{
    size_t *matched = context;
    for (size_t i = 0; i < COUNT(askings); i++) {
        asking a;
        zilch_optimizer *optimizer = asked_optimizer(i, &a);
        const int is_expected = i + 1 == run->run || (askings[i].is_same && askings[run->run - 1].is_same);
        if (zilch_run_matches(run, &a.request, optimizer) != is_expected) {
            fail_msg("run %d and case %zu are%s the same", (int)run->run, i, is_expected ? "" : " not");
        }
        (*matched)++;
        zilch_optimizer_destroy(optimizer);
    }
    return ZILCH_OK;
}

static void test_same_runs(void **state)
{
    (void)state;
    static sameness s;
    size_t matched = 0;
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    for (size_t i = 0; i < COUNT(askings); i++) {
        asking a;
        uint64_t run;
        zilch_optimizer *optimizer = asked_optimizer(i, &a);
        OK(zilch_study_start(study, &a.request, optimizer, &run));
        zilch_optimizer_destroy(optimizer);
    }
    s.other = open_study(ZILCH_STUDY_READ);
    OK(zilch_study_runs(study, compare_first, &s));
    for (size_t i = 0; i < COUNT(askings); i++) {
        for (size_t j = 0; j < COUNT(askings); j++) {
            const int is_expected = i == j || (askings[i].is_same && askings[j].is_same);
            if (s.is_same[i + 1][j + 1] != is_expected) {
                fail_msg("runs %zu and %zu are%s the same", i + 1, j + 1, is_expected ? "" : " not");
            }
        }
    }
    OK(zilch_study_runs(study, match_run, &matched));
    assert_int_equal(matched, COUNT(askings) * COUNT(askings));
    zilch_study_close(s.other);
    zilch_study_close(study);
    check_file();
}

static void test_reader_does_not_write(void **state)
{
    (void)state;
    uint64_t run;
    zilch_optimizer *optimizer = make_study(1);
    zilch_optimizer *fresh = make_simple();
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    advance(optimizer);
    FAILS(record(study, 1, optimizer), ZILCH_ESTATE, "reading only");
    FAILS(zilch_study_start(study, NULL, fresh, &run), ZILCH_ESTATE, "reading only");
    FAILS(zilch_study_conclude(study, 1, &sample_conclusion, NULL), ZILCH_ESTATE, "reading only");
    zilch_study_close(study);
    zilch_optimizer_destroy(fresh);
    zilch_optimizer_destroy(optimizer);
}

static void test_arguments(void **state)
{
    (void)state;
    uint64_t run;
    zilch_conclusion c;
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study = (zilch_study *)optimizer;
    zilch_optimizer *resumed = optimizer;
    assert_int_equal(zilch_study_open(NULL, scratch.file, ZILCH_STUDY_READ), ZILCH_EARG);
    assert_int_equal(zilch_study_open(&study, NULL, ZILCH_STUDY_READ), ZILCH_EARG);
    assert_null(study);
    assert_int_equal(zilch_study_open(&study, "", ZILCH_STUDY_CREATE), ZILCH_EARG);
    assert_int_equal(zilch_study_open(&study, scratch.file, (zilch_study_mode)7), ZILCH_EARG);
    zilch_study_close(NULL);
    study = open_study(ZILCH_STUDY_WRITE);
    assert_int_equal(zilch_study_start(NULL, NULL, optimizer, &run), ZILCH_EARG);
    assert_int_equal(zilch_study_start(study, NULL, NULL, &run), ZILCH_EARG);
    assert_int_equal(zilch_study_start(study, NULL, optimizer, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_record(NULL, 1, optimizer, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_record(study, 1, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_conclude(study, 1, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_resume(study, 1, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_resume(NULL, 1, &resumed), ZILCH_EARG);
    FAILS(zilch_study_resume(study, 2, &resumed), ZILCH_EARG, "no run 2");
    assert_null(resumed);
    assert_int_equal(zilch_study_conclusion(NULL, 1, &c, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_conclusion(study, 1, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_runs(study, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_generations(study, 1, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_evaluations(study, 1, NULL, NULL), ZILCH_EARG);
    FAILS(zilch_study_generations(study, 0, check_generation, NULL), ZILCH_EARG, "no run 0");
    FAILS(zilch_study_evaluations(study, 7, check_evaluation, NULL), ZILCH_EARG, "no run 7");
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
}

/* ---- Others at the same file ------------------------------------------------------------------------ */

/* In a process of its own, so that locks are real: 0 if all its assertions held. */
typedef void (*job)(void *context);

static pid_t begin_child(job work, void *context)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* an assertion that fails ends the child, not its test */
        work(context);
        _exit(0);
    }
    return child;
}

static void end_child(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

enum { LONG_RUN = 30 };

static void write_long_run(void *context)
{
    (void)context;
    zilch_study *study;
    zilch_optimizer *optimizer = make_simple();
    uint64_t run;
    assert_true(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE) == ZILCH_OK);
    assert_true(zilch_study_start(study, NULL, optimizer, &run) == ZILCH_OK);
    for (int g = 0; g < LONG_RUN; g++) {
        advance(optimizer);
        assert_true(record(study, run, optimizer) == ZILCH_OK);
    }
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
}

static zilch_status count_evaluation(void *context, const zilch_evaluation *evaluation)
{
    (void)evaluation;
    ++*(size_t *)context;
    return ZILCH_OK;
}

static zilch_status note_generation(void *context, const zilch_run *run)
{
    *(uint64_t *)context = run->generations;
    return ZILCH_OK;
}

/* What a reader sees is always whole generations. Gives their number; 0 while there is no study yet. */
static uint64_t look_at_long_run(zilch_study *study, const packed *history)
{
    uint64_t generations = UINT64_MAX;
    size_t evaluations = 0;
    zilch_optimizer *resumed;
    OK(zilch_study_runs(study, note_generation, &generations));
    if (generations == UINT64_MAX) {
        return 0;
    }
    OK(zilch_study_evaluations(study, 1, count_evaluation, &evaluations));
    assert_int_equal(evaluations % POPULATION, 0);
    assert_true(evaluations >= generations * POPULATION);
    OK(zilch_study_resume(study, 1, &resumed));
    const uint64_t found = zilch_optimizer_progress(resumed).generations;
    assert_true(found * POPULATION >= evaluations && found <= LONG_RUN);
    const packed now = pack(resumed);
    assert_true(is_same(&now, &history[found]));
    free(now.bytes);
    zilch_optimizer_destroy(resumed);
    return found;
}

/* The optimiser after each generation of the long run. */
static void make_history(packed *history)
{
    zilch_optimizer *optimizer = make_simple();
    for (int g = 0; g <= LONG_RUN; g++) {
        history[g] = pack(optimizer);
        if (g < LONG_RUN) {
            advance(optimizer);
        }
    }
    zilch_optimizer_destroy(optimizer);
}

static void free_history(packed *history)
{
    for (int g = 0; g <= LONG_RUN; g++) {
        free(history[g].bytes);
    }
}

static void test_reading_while_writing(void **state)
{
    (void)state;
    packed history[LONG_RUN + 1];
    zilch_study *study = NULL;
    uint64_t seen = 0;
    size_t looks = 0;
    make_history(history);
    const pid_t child = begin_child(write_long_run, NULL);
    while (seen < LONG_RUN) {
        if (!study && zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ) != ZILCH_OK) {
            continue; /* not there yet */
        }
        const uint64_t now = look_at_long_run(study, history);
        assert_true(now >= seen);
        seen = now;
        if (++looks % 5 == 0) { /* as a reader that comes and goes */
            zilch_study_close(study);
            study = NULL;
        }
    }
    end_child(child);
    zilch_study_close(study);
    free_history(history);
    print_message("    %zu looks while %d generations were written\n", looks, LONG_RUN);
    check_file();
}

static zilch_status create_and_start(void *context, size_t index)
{
    zilch_study *study;
    uint64_t *run = context;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_optimizer *optimizer;
    ZI_TRY(zilch_optimizer_create(&optimizer, DIM, index, &options));
    zilch_status status = zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE);
    if (status == ZILCH_OK) {
        status = zilch_study_start(study, NULL, optimizer, &run[index]);
        zilch_study_close(study);
    }
    zilch_optimizer_destroy(optimizer);
    return status;
}

static void test_creating_at_once(void **state)
{
    (void)state;
    enum { TURNS = 10, MANY = 12 };
    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t run[MANY] = {0};
        unsigned seen = 0;
        const zilch_status status = zilch_parallel(MANY, MANY, create_and_start, run);
        if (status != ZILCH_OK) {
            fail_msg("%s", zilch_last_error());
        }
        for (size_t i = 0; i < MANY; i++) {
            seen |= 1U << run[i];
        }
        assert_int_equal(seen, (2U << MANY) - 2); /* 1 to MANY, each once */
        check_file();
        unlink(scratch.file);
    }
}

/* Two go on with one run: the first to record a generation is the one. */
static void test_two_writers(void **state)
{
    (void)state;
    zilch_optimizer *a = make_study(1);
    zilch_optimizer *b;
    zilch_study *first = open_study(ZILCH_STUDY_WRITE);
    zilch_study *second = open_study(ZILCH_STUDY_WRITE);
    OK(zilch_study_resume(second, 1, &b));
    advance(a);
    advance(b);
    OK(record(first, 1, a));
    FAILS(record(second, 1, b), ZILCH_ESTATE, "another process");
    advance(a);
    OK(record(first, 1, a));
    zilch_study_close(first);
    zilch_study_close(second);
    check_resumes(1, a);
    zilch_optimizer_destroy(a);
    zilch_optimizer_destroy(b);
    check_file();
}

static void test_locked(void **state)
{
    (void)state;
    sqlite3 *other;
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study;
    OK(zi_study_open(&study, scratch.file, ZILCH_STUDY_WRITE, 30));
    advance(optimizer);
    assert_int_equal(sqlite3_open(scratch.file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    FAILS(record(study, 1, optimizer), ZILCH_EIO,
          "is locked by another process; try again when it has finished");
    size_t evaluations = 0; /* a reader does not mind */
    OK(zilch_study_evaluations(study, 1, count_evaluation, &evaluations));
    assert_int_equal(evaluations, POPULATION);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    OK(record(study, 1, optimizer));
    zilch_study_close(study);
    /* Taken whole: nobody else gets in. */
    assert_int_equal(
        sqlite3_exec(other, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", NULL, NULL, NULL),
        SQLITE_OK);
    for (int mode = ZILCH_STUDY_READ; mode <= ZILCH_STUDY_CREATE; mode++) {
        FAILS(zi_study_open(&study, scratch.file, (zilch_study_mode)mode, 30), ZILCH_EIO, "is locked");
    }
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    check_resumes(1, optimizer);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

/* A writer that waits gets its turn. */
static zilch_status hold_lock(void *context, size_t index)
{
    zilch_optimizer *optimizer = context;
    if (index == 0) {
        sqlite3 *other;
        sqlite3_open(scratch.file, &other);
        sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        sqlite3_sleep(300);
        sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
        sqlite3_close(other);
        return ZILCH_OK;
    }
    sqlite3_sleep(100);
    zilch_study *study;
    ZI_TRY(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    const zilch_status status = record(study, 1, optimizer);
    zilch_study_close(study);
    return status;
}

static void test_waiting_for_lock(void **state)
{
    (void)state;
    zilch_optimizer *optimizer = make_study(1);
    advance(optimizer);
    OK(zilch_parallel(2, 2, hold_lock, optimizer));
    check_resumes(1, optimizer);
    zilch_optimizer_destroy(optimizer);
}

/* A study without a log, as a copy may be, gets one when nobody is at it: there SQLite itself does not wait.
 */
static zilch_status hold_without_log(void *context, size_t index)
{
    (void)context;
    if (index == 0) {
        sqlite3 *other;
        sqlite3_open(scratch.file, &other);
        sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        sqlite3_sleep(300);
        sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
        sqlite3_close(other);
        return ZILCH_OK;
    }
    zilch_study *study;
    sqlite3_sleep(100);
    assert_int_equal(zi_study_open(&study, scratch.file, ZILCH_STUDY_WRITE, 20), ZILCH_EIO);
    ZI_TRY(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    zilch_study_close(study);
    return ZILCH_OK;
}

static void test_waiting_for_log(void **state)
{
    (void)state;
    zilch_optimizer_destroy(make_study(1));
    edit("PRAGMA journal_mode = DELETE");
    OK(zilch_parallel(2, 2, hold_without_log, NULL));
    check_file();
}

/* ---- Files and folders that cannot be written ------------------------------------------------------- */

/* Root may write anywhere: become someone who may not. */
static void become_nobody(void)
{
    assert_true(geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0));
}

static size_t folder_entries(void)
{
    size_t count = 0;
    DIR *listing = opendir(scratch.folder);
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        count += entry->d_name[0] != '.';
    }
    closedir(listing);
    return count;
}

static void check_child_reads(const zilch_optimizer *wanted)
{
    zilch_study *study;
    zilch_optimizer *resumed;
    assert_true(zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ) == ZILCH_OK);
    assert_true(zilch_study_resume(study, 1, &resumed) == ZILCH_OK);
    const packed found = pack(resumed);
    const packed expected_one = pack(wanted);
    assert_true(is_same(&found, &expected_one));
    free(found.bytes);
    free(expected_one.bytes);
    zilch_optimizer_destroy(resumed);
    zilch_study_close(study);
}

static void read_finished(void *context)
{
    become_nobody();
    zilch_study *study;
    const size_t before = folder_entries();
    check_child_reads(context);
    assert_true(folder_entries() == before); /* nothing is left beside it */
    assert_true(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE) == ZILCH_EIO);
    assert_true(!study && strstr(zilch_last_error(), scratch.file) &&
                strstr(zilch_last_error(), "read-only"));
    assert_true(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE) == ZILCH_EIO);
}

/* The file can be written, but nothing can be put beside it. */
static void read_in_closed_folder(void *context)
{
    become_nobody();
    zilch_study *study;
    check_child_reads(context);
    assert_true(folder_entries() == 1);
    assert_true(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE) == ZILCH_EIO);
    assert_true(strstr(zilch_last_error(), scratch.file));
}

static void test_read_only(void **state)
{
    (void)state;
    zilch_optimizer *optimizer = make_study(2);
    assert_int_equal(chmod(scratch.file, 0444), 0);
    assert_int_equal(chmod(scratch.folder, 0777), 0); /* the file alone */
    end_child(begin_child(read_finished, optimizer));
    assert_int_equal(chmod(scratch.folder, 0555), 0); /* both */
    end_child(begin_child(read_finished, optimizer));
    assert_int_equal(chmod(scratch.file, 0666), 0); /* the folder alone */
    end_child(begin_child(read_in_closed_folder, optimizer));
    assert_int_equal(chmod(scratch.folder, 0755), 0);
    check_resumes(1, optimizer);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

static void read_live(void *context)
{
    become_nobody();
    check_child_reads(context);
    assert_true(folder_entries() == 3);
}

/* Someone without rights looks at a study that is being written: what is new is still in the log. */
static void test_read_only_while_writing(void **state)
{
    (void)state;
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    assert_int_equal(chmod(scratch.folder, 0755), 0);
    advance(optimizer);
    OK(record(study, 1, optimizer));
    if (geteuid() == 0) { /* else the owner looks, who may write */
        end_child(begin_child(read_live, optimizer));
    }
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

static void write_text(const char *text, size_t length)
{
    FILE *stream = fopen(scratch.file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static void copy_file(const char *from, const char *to)
{
    unsigned char *bytes;
    size_t length;
    OK(zi_file_read(from, &bytes, &length));
    FILE *stream = fopen(to, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
    zi_free(bytes);
}

static void read_left_behind(void *context)
{
    become_nobody();
    check_child_reads(context);
    assert_true(folder_entries() == 2);
}

/* File and log of a writer that was killed: the log counts, also in a folder that cannot be written. */
static void test_log_left_behind(void **state)
{
    (void)state;
    char log[100], index[100], kept[100], kept_log[100];
    snprintf(log, sizeof log, "%s-wal", scratch.file);
    snprintf(index, sizeof index, "%s-shm", scratch.file);
    snprintf(kept, sizeof kept, "%s.kept", scratch.file);
    snprintf(kept_log, sizeof kept_log, "%s.kept_log", scratch.file);
    zilch_optimizer *optimizer = make_study(1);
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    advance(optimizer);
    OK(record(study, 1, optimizer));
    copy_file(scratch.file, kept);
    copy_file(log, kept_log);
    zilch_study_close(study);
    assert_int_equal(access(log, F_OK), -1);
    assert_int_equal(rename(kept, scratch.file), 0);
    assert_int_equal(rename(kept_log, log), 0);
    if (geteuid() == 0) {
        assert_int_equal(chmod(scratch.folder, 0555), 0);
        end_child(begin_child(read_left_behind, optimizer));
        assert_int_equal(chmod(scratch.folder, 0755), 0);
    }
    check_resumes(1, optimizer);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

static void remove_beside(void)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        char path[100];
        snprintf(path, sizeof path, "%s%s", scratch.file, suffixes[i]);
        unlink(path);
    }
}

/* Does the work, and is killed before it can close anything. */
static void run_killed(job work)
{
    int status;
    const pid_t child = begin_child(work, NULL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void create_and_die(void *context)
{
    (void)context;
    zilch_optimizer *optimizer = make_simple();
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    const uint64_t run = start(study, optimizer);
    advance(optimizer);
    OK(record(study, run, optimizer));
    kill(getpid(), SIGKILL);
}

/* As a kill does between the tables and their way into the file. */
static void fill_log_and_die(void *context)
{
    (void)context;
    sqlite3 *database;
    sqlite3_open(scratch.file, &database);
    sqlite3_exec(database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    sqlite3_exec(database, zi_schema_texts[0].text, NULL, NULL, NULL);
    kill(getpid(), SIGKILL);
}

static void open_and_die(void *context)
{
    (void)context;
    open_study(ZILCH_STUDY_WRITE);
    kill(getpid(), SIGKILL);
}

/* Of a writer that was killed the file is copied, the log forgotten: it is a study, of what had got there. */
static void test_log_forgotten(void **state)
{
    (void)state;
    uint64_t runs = 0;
    run_killed(create_and_die);
    remove_beside();
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    OK(zilch_study_runs(study, count_row, &runs));
    assert_true(runs <= 1);
    zilch_study_close(study);
    unlink(scratch.file);
    run_killed(fill_log_and_die);
    run_killed(open_and_die);
    remove_beside();
    OK(open_status(ZILCH_STUDY_READ));
    unlink(scratch.file);
    run_killed(fill_log_and_die);
    remove_beside();
    FAILS(open_status(ZILCH_STUDY_READ), ZILCH_EFORMAT,
          "is empty, not a zilch study; if it was copied, its -wal file is missing");
}

/* A file that goes away under its writer takes nothing more: what is written would be in a log without a
 * file. Once it is back, the run goes on. */
static void test_moved_while_open(void **state)
{
    (void)state;
    static const char words[] = "was moved or deleted while it was open";
    char moved[100];
    uint64_t run;
    snprintf(moved, sizeof moved, "%s.moved", scratch.file);
    zilch_optimizer *optimizer = make_simple();
    zilch_optimizer *fresh = make_simple();
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    OK(zilch_study_start(study, NULL, optimizer, &run));
    advance(optimizer);
    OK(record(study, run, optimizer));
    advance(optimizer);
    assert_int_equal(rename(scratch.file, moved), 0);
    FAILS(record(study, run, optimizer), ZILCH_EIO, words);
    FAILS(zilch_study_start(study, NULL, fresh, &run), ZILCH_EIO, words);
    FAILS(zilch_study_conclude(study, run, &(zilch_conclusion){.stop = ZILCH_STOP_TARGET}, NULL), ZILCH_EIO,
          words);
    write_text("", 0); /* another in its place */
    FAILS(record(study, run, optimizer), ZILCH_EIO, words);
    assert_int_equal(rename(moved, scratch.file), 0);
    OK(record(study, run, optimizer));
    check_resumes(run, optimizer);
    advance(optimizer);
    unlink(scratch.file);
    FAILS(record(study, run, optimizer), ZILCH_EIO, words);
    zilch_study_close(study);
    remove_beside();
    zilch_optimizer_destroy(fresh);
    zilch_optimizer_destroy(optimizer);
}

/* ---- Names ------------------------------------------------------------------------------------------ */

/* Whatever the name means to SQLite or in a URI, it is the file of that name, also when read as it stands. */
static void read_named(void *context)
{
    become_nobody();
    zilch_study *study;
    assert_true(zilch_study_open(&study, context, ZILCH_STUDY_READ) == ZILCH_OK);
    zilch_study_close(study);
}

static void test_names(void **state)
{
    (void)state;
    static char names[][40] = {"a?mode=memory&b#c%41 d;.db",
                               ":memory:",
                               "file:x.db?vfs=none",
                               "%00",
                               " ",
                               "\xc3\xa9\xff\n'\"$`\\",
                               "-",
                               "...",
                               "././/x"};
    const int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(chdir(scratch.folder), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        for (int is_absolute = 0; is_absolute < 2; is_absolute++) {
            char path[500];
            zilch_study *study;
            snprintf(path, sizeof path, "%s%s%s", is_absolute ? scratch.folder : "", is_absolute ? "//" : "",
                     names[i]);
            OK(zilch_study_open(&study, path, ZILCH_STUDY_CREATE));
            zilch_study_close(study);
            OK(zilch_study_open(&study, path, ZILCH_STUDY_READ));
            zilch_study_close(study);
            struct stat info;
            assert_int_equal(stat(names[i], &info), 0);
            assert_true(info.st_size > 0);
            assert_int_equal(chmod(names[i], 0444), 0);
            assert_int_equal(chmod(".", 0555), 0);
            end_child(begin_child(read_named, path));
            assert_int_equal(chmod(".", 0755), 0);
            assert_int_equal(unlink(names[i]), 0);
            assert_int_equal(folder_entries(), 0);
        }
    }
    assert_int_equal(fchdir(before), 0);
    close(before);
}

static void test_mode_of_new_file(void **state)
{
    (void)state;
    struct stat info;
    static const mode_t masks[] = {0022, 0002, 0077};
    for (size_t i = 0; i < COUNT(masks); i++) {
        const mode_t before = umask(masks[i]);
        OK(open_status(ZILCH_STUDY_CREATE));
        umask(before);
        assert_int_equal(stat(scratch.file, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0666 & ~masks[i]);
        unlink(scratch.file);
    }
}

static void test_through_link(void **state)
{
    (void)state;
    char link[100];
    snprintf(link, sizeof link, "%s/link", scratch.folder);
    zilch_optimizer *optimizer = make_study(1);
    assert_int_equal(symlink("file", link), 0);
    zilch_study *study, *through;
    study = open_study(ZILCH_STUDY_WRITE);
    OK(zilch_study_open(&through, link, ZILCH_STUDY_WRITE));
    advance(optimizer);
    OK(record(through, 1, optimizer));
    FAILS(record(study, 1, optimizer), ZILCH_ESTATE, "recorded to generation 2");
    zilch_study_close(through);
    zilch_study_close(study);
    unlink(link);
    check_resumes(1, optimizer);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

/* ---- What is no study ------------------------------------------------------------------------------- */

static void check_all_modes(zilch_status status, const char *words)
{
    for (int mode = ZILCH_STUDY_READ; mode <= ZILCH_STUDY_CREATE; mode++) {
        FAILS(open_status((zilch_study_mode)mode), status, words);
    }
}

static void test_no_study(void **state)
{
    (void)state;
    static char text[5000];
    memset(text, 'x', sizeof text);
    FAILS(open_status(ZILCH_STUDY_READ), ZILCH_EIO, "No such file");
    FAILS(open_status(ZILCH_STUDY_WRITE), ZILCH_EIO, "No such file");
    write_text(text, sizeof text);
    check_all_modes(ZILCH_EFORMAT, "is no SQLite file");
    write_text(text, 20);
    check_all_modes(ZILCH_EFORMAT, "is no SQLite file");
    unlink(scratch.file);
    assert_int_equal(mkdir(scratch.file, 0755), 0);
    check_all_modes(ZILCH_EIO, "not a regular file");
    assert_int_equal(rmdir(scratch.file), 0);
    assert_int_equal(mkfifo(scratch.file, 0600), 0);
    check_all_modes(ZILCH_EIO, "not a regular file");
    unlink(scratch.file);
    zilch_study *study;
    char path[100];
    snprintf(path, sizeof path, "%s/missing/file", scratch.folder);
    assert_int_equal(zilch_study_open(&study, path, ZILCH_STUDY_CREATE), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "cannot create"));
}

/* Another program's file is told from a study, and not touched. */
static void test_others_file(void **state)
{
    (void)state;
    unsigned char *before, *after;
    size_t length, length_after;
    static const char *const others[] = {
        "CREATE TABLE runs (run)", "PRAGMA application_id = 1; CREATE TABLE t (a)", "PRAGMA user_version = 2",
        "PRAGMA application_id = -1; PRAGMA user_version = 2"};
    for (size_t i = 0; i < COUNT(others); i++) {
        edit(others[i]);
        OK(zi_file_read(scratch.file, &before, &length));
        check_all_modes(ZILCH_EFORMAT, "is an SQLite file, but not a zilch study");
        OK(zi_file_read(scratch.file, &after, &length_after));
        assert_int_equal(length, length_after);
        assert_memory_equal(before, after, length);
        zi_free(before);
        zi_free(after);
        unlink(scratch.file);
    }
}

static void test_other_version(void **state)
{
    (void)state;
    zilch_optimizer_destroy(make_study(1));
    edit("PRAGMA user_version = 6");
    check_all_modes(ZILCH_EVERSION,
                    "is a study of a later version than those that this library reads, 4 to 5");
    edit("PRAGMA user_version = 1"); /* of before there were weights */
    check_all_modes(ZILCH_EVERSION, "is a study of an earlier version");
    edit("PRAGMA user_version = 0");
    check_all_modes(ZILCH_EVERSION, "is a study of an earlier version");
    edit("PRAGMA user_version = 5; PRAGMA journal_mode = DELETE");
    OK(open_status(ZILCH_STUDY_READ));
    OK(open_status(ZILCH_STUDY_WRITE)); /* into a log again */
    check_file();
}

/* An empty file, or an empty database as a kill may leave it, is a new study for who creates. */
static void test_empty_file(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        if (turn) {
            edit("PRAGMA journal_mode = WAL");
        } else {
            write_text("", 0);
        }
        FAILS(open_status(ZILCH_STUDY_READ), ZILCH_EFORMAT, "is empty, not a zilch study");
        FAILS(open_status(ZILCH_STUDY_WRITE), ZILCH_EFORMAT, "its -wal file is missing");
        OK(open_status(ZILCH_STUDY_CREATE));
        check_file();
        OK(open_status(ZILCH_STUDY_WRITE));
        unlink(scratch.file);
    }
}

/* ---- Damage ----------------------------------------------------------------------------------------- */

/* Takes from the tables what keeps wrong values out. */
static void relax(void)
{
    edit("PRAGMA writable_schema = ON;"
         "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT, WITHOUT', 'WITHOUT');"
         "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '');"
         "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '');"
         "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (dim > 0)', '');"
         "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (weight > 0)', '');"
         "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (value IS NULL OR typeof(value) = ''real'')', "
         "'')");
}

/* The tables' texts as they were, so that the file is a study again; the wrong values stay. */
static void tighten(void)
{
    sqlite3 *database;
    sqlite3_stmt *put;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA writable_schema = ON", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database,
                                        "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND"
                                        " ?1 LIKE 'CREATE TABLE ' || name || ' (%'",
                                        -1, &put, NULL),
                     SQLITE_OK);
    for (const char *at = strstr(zi_schema_texts[0].text, "\nCREATE"); at; at = strstr(at, "\nCREATE")) {
        at++;
        const char *end = strstr(at, "STRICT");
        end = strchr(end, ';');
        assert_int_equal(sqlite3_bind_text(put, 1, at, (int)(end - at), SQLITE_STATIC), SQLITE_OK);
        assert_int_equal(sqlite3_step(put), SQLITE_DONE);
        assert_int_equal(sqlite3_changes(database), 1);
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    sqlite3_close(database);
}

static zilch_status ignore_run(void *context, const zilch_run *run)
{
    (void)context;
    (void)run;
    return ZILCH_OK;
}

static zilch_status ignore_generation(void *context, const zilch_generation *generation)
{
    (void)context;
    (void)generation;
    return ZILCH_OK;
}

static zilch_status read_all_runs(zilch_study *study)
{
    return zilch_study_runs(study, ignore_run, NULL);
}

static zilch_status read_all_generations(zilch_study *study)
{
    return zilch_study_generations(study, 1, ignore_generation, NULL);
}

static zilch_status read_all_evaluations(zilch_study *study)
{
    size_t count = 0;
    return zilch_study_evaluations(study, 1, count_evaluation, &count);
}

static zilch_status read_the_conclusion(zilch_study *study)
{
    zilch_conclusion c;
    double x[DIM];
    const zilch_status status = zilch_study_conclusion(study, 1, &c, x);
    conclusions all = {0};
    return status == ZILCH_OK ? zilch_study_conclusions(study, 1, note_conclusion, &all) : status;
}

static zilch_status resume_run(zilch_study *study)
{
    zilch_optimizer *optimizer = (zilch_optimizer *)study;
    const zilch_status status = zilch_study_resume(study, 1, &optimizer);
    assert_int_equal(status == ZILCH_OK, optimizer != NULL);
    zilch_optimizer_destroy(optimizer);
    return status;
}

typedef zilch_status (*study_reader)(zilch_study *study);
static const study_reader readers[] = {read_all_runs, read_all_generations, read_all_evaluations,
                                       read_the_conclusion, resume_run};
enum { RUNS_READER, GENERATIONS_READER, EVALUATIONS_READER, CONCLUSION_READER, RESUME, READERS };

/* A cell that cannot be, and which readers must notice. */
#define BY(reader) (1U << (reader))
static const struct {
    const char *sql;
    unsigned noticed;
} damages[] = {
    {"UPDATE runs SET name = NULL", BY(RUNS_READER)},
    {"UPDATE runs SET problem = NULL", BY(RUNS_READER)},
    {"UPDATE runs SET data = x'00'", BY(RUNS_READER)},
    {"UPDATE runs SET fingerprint = NULL", BY(RUNS_READER)},
    {"UPDATE runs SET machine = CAST(x'610062' AS TEXT)", BY(RUNS_READER)},
    {"UPDATE runs SET version = NULL", BY(RUNS_READER)},
    {"UPDATE runs SET seed = seed + 1", BY(RESUME)},
    {"UPDATE runs SET seed = 'abc'", BY(RUNS_READER) | BY(RESUME)},
    {"UPDATE runs SET dim = 0",
     BY(RUNS_READER) | BY(GENERATIONS_READER) | BY(EVALUATIONS_READER) | BY(CONCLUSION_READER) | BY(RESUME)},
    {"UPDATE runs SET dim = 7", BY(CONCLUSION_READER) | BY(RESUME)},
    {"UPDATE runs SET dim = 600", BY(EVALUATIONS_READER) | BY(CONCLUSION_READER) | BY(RESUME)},
    {"UPDATE runs SET dim = 1000000000000", BY(RUNS_READER) | BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE runs SET dim = -6", BY(RUNS_READER) | BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE runs SET method = 'adhoc'", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE runs SET method = 'ea'", BY(RESUME)},
    {"UPDATE runs SET method = 'none'", BY(RUNS_READER) | BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE runs SET direction = 'up'", BY(RUNS_READER) | BY(RESUME)},
    {"UPDATE runs SET direction = 'maximize'", BY(RESUME)},
    {"UPDATE runs SET penalty = penalty + 1", BY(RESUME)},
    {"UPDATE runs SET penalty = 9e999", BY(RUNS_READER) | BY(RESUME)},
    {"UPDATE runs SET penalty = NULL", BY(RUNS_READER) | BY(RESUME)},
    {"UPDATE settings SET kind = 'sort' WHERE name = 'margin'", BY(RUNS_READER)},
    {"UPDATE settings SET name = x'00' WHERE name = 'margin'", BY(RUNS_READER)},
    {"UPDATE settings SET value = NULL WHERE name = 'margin'", BY(RUNS_READER)},
    {"UPDATE settings SET value = 'many' WHERE kind = 'limit' AND name = 'generations'", BY(RUNS_READER)},
    {"UPDATE settings SET value = '-1' WHERE kind = 'limit' AND name = 'evaluations'", BY(RUNS_READER)},
    {"UPDATE settings SET value = 'inf' WHERE kind = 'limit' AND name = 'target'", BY(RUNS_READER)},
    {"UPDATE settings SET value = 'maybe' WHERE kind = 'final' AND name = 'final_pruning'", BY(RUNS_READER)},
    {"UPDATE settings SET value = '100001' WHERE kind = 'final' AND name = 'final_candidates'",
     BY(RUNS_READER)},
    {"INSERT INTO coordinates VALUES (1, 0, 'a')", BY(RUNS_READER)}, /* of six */
    {"INSERT INTO coordinates VALUES (1, 1, 'a')", BY(RUNS_READER)},
    {"INSERT INTO coordinates VALUES (1, 0, 'a'), (1, 1, 'b'), (1, 2, 'c'), (1, 3, 'd'), (1, 4, 'e'), (1, 6, "
     "'g')",
     BY(RUNS_READER)},
    {"INSERT INTO coordinates VALUES (1, 0, 'a'), (1, 1, 'b'), (1, 2, 'c'), (1, 3, 'd'), (1, 4, 'e'), (1, 5, "
     "'f'),"
     " (1, 6, 'g')",
     BY(RUNS_READER)},
    {"INSERT INTO coordinates VALUES (1, 0, 'a'), (1, 1, 'b'), (1, 2, 'c'), (1, 3, 'd'), (1, 4, 'e'), (1, 5, "
     "x'66')",
     BY(RUNS_READER)},
    {"UPDATE generations SET evaluations = -1", BY(RUNS_READER) | BY(GENERATIONS_READER)},
    {"UPDATE generations SET failures = evaluations + 1", BY(RUNS_READER) | BY(GENERATIONS_READER)},
    {"UPDATE generations SET best_point = points", BY(GENERATIONS_READER)},
    {"UPDATE generations SET best_fitness = NULL", BY(GENERATIONS_READER)},
    {"UPDATE generations SET best_active = 'x'", BY(GENERATIONS_READER)},
    {"UPDATE generations SET noise = 'x'", BY(GENERATIONS_READER)},
    {"UPDATE generations SET noise = -0.5", BY(GENERATIONS_READER)},
    {"UPDATE generations SET noise = 9e999", BY(GENERATIONS_READER)},
    {"UPDATE generations SET noise = -9e999", BY(GENERATIONS_READER)},
    {"UPDATE generations SET evaluating = 'x'", BY(GENERATIONS_READER)},
    {"DELETE FROM generations WHERE generation = 1", BY(GENERATIONS_READER) | BY(RESUME)},
    {"DELETE FROM generations", BY(RESUME)},
    {"UPDATE generations SET run = 7", BY(RESUME)},
    {"UPDATE points SET genome = NULL WHERE point = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE points SET genome = x'' WHERE point = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE points SET genome = 'text' WHERE point = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE points SET genome = genome || x'00' WHERE point = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE points SET genome = x'01000000000000f07f' WHERE point = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE points SET genome = x'01000000000000f03f', active = 1 WHERE point = 3", BY(RESUME)},
    {"UPDATE points SET genome = (SELECT genome FROM points WHERE point = 4),"
     " active = (SELECT active FROM points WHERE point = 4) WHERE point = 3",
     BY(RESUME)},
    {"UPDATE points SET active = active + 1 WHERE point = 3", BY(EVALUATIONS_READER)},
    {"DELETE FROM points WHERE point = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"DELETE FROM points WHERE point = (SELECT max(point) FROM points)", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET value = 'x' WHERE position = 3", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET value = CAST(4 AS INTEGER) WHERE position = 4",
     BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET value = 9e999 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET value = value * 2 + 1 WHERE position = 4", BY(RESUME)},
    {"UPDATE evaluations SET value = 0.0 WHERE id = 5", BY(RESUME)}, /* was -0.0 */
    {"UPDATE evaluations SET value = NULL WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET fitness = NULL WHERE position = 4", BY(EVALUATIONS_READER)},
    {"UPDATE evaluations SET weight = 0.0 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET weight = -1.0 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET weight = NULL WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET weight = 'x' WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET weight = 9e999 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET weight = 2.0 WHERE position = 4", BY(RESUME)},
    {"UPDATE evaluations SET point = 1000000 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET point = -1 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET point = point + 1 WHERE position = 4", BY(RESUME)},
    {"UPDATE evaluations SET id = id + 1 WHERE position = 4", BY(RESUME)},
    {"UPDATE evaluations SET id = 1.5 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"UPDATE evaluations SET position = 1000 WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"DELETE FROM evaluations WHERE position = 4", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"DELETE FROM evaluations WHERE generation = 1", BY(EVALUATIONS_READER) | BY(RESUME)},
    {"DELETE FROM evaluations WHERE generation = 2", BY(RESUME)},
    {"UPDATE checkpoints SET state = NULL", BY(RESUME)},
    {"UPDATE checkpoints SET state = x''", BY(RESUME)},
    {"UPDATE checkpoints SET state = substr(state, 1, length(state) - 1)", BY(RESUME)},
    {"UPDATE checkpoints SET state = zeroblob(length(state))", BY(RESUME)},
    {"UPDATE checkpoints SET generation = 1", BY(RESUME)},
    {"UPDATE checkpoints SET points_sum = points_sum + 1", BY(RESUME)},
    {"UPDATE checkpoints SET evaluations_sum = evaluations_sum + 1", BY(RESUME)},
    {"UPDATE conclusions SET stop = 'boredom'", BY(RUNS_READER) | BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET stop = 'not stopped'", BY(RUNS_READER) | BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET stop = NULL, point = NULL", BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET failures = NULL", BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET x = x'00'", BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET x = NULL", BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET x = zeroblob(40) || x'000000000000f07f'", BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET active = -1", BY(CONCLUSION_READER)},
    {"UPDATE conclusions SET mean = 'x'", BY(CONCLUSION_READER)},
};

/* Of every reader that notices: EFORMAT and the path; nobody crashes. */
static void check_damage(size_t i)
{
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    for (unsigned r = 0; r < READERS; r++) {
        const zilch_status status = readers[r](study);
        if (damages[i].noticed & BY(r) && status != ZILCH_EFORMAT) {
            fail_msg("%s: not noticed by reader %u, which gave %d", damages[i].sql, r, status);
        }
        if (damages[i].noticed & BY(r)) {
            assert_non_null(strstr(zilch_last_error(), scratch.file));
        }
    }
    zilch_study_close(study);
}

static void test_damaged_cells(void **state)
{
    (void)state;
    char kept[100];
    const double x[DIM] = {1, 2, 3, 4, 5, 6};
    zilch_optimizer_destroy(make_study(2));
    zilch_study *study = open_study(ZILCH_STUDY_WRITE);
    OK(zilch_study_conclude(study, 1, &sample_conclusion, x));
    for (size_t r = 0; r < READERS; r++) {
        OK(readers[r](study));
    }
    zilch_study_close(study);
    relax();
    snprintf(kept, sizeof kept, "%s.kept", scratch.file);
    copy_file(scratch.file, kept);
    for (size_t i = 0; i < COUNT(damages); i++) {
        copy_file(kept, scratch.file);
        edit(damages[i].sql);
        tighten();
        check_damage(i);
    }
    unlink(kept);
    print_message("    %zu damages noticed\n", COUNT(damages));
}

/* Tables that are not the known ones, to the letter: a view, a trigger or a computed column could do
 * anything, and without end. Such a file is refused before anything of it is computed. */
static const char *const foreign_tables[] = {
    "DROP TABLE conclusions",
    "DROP TABLE conclusions; CREATE VIEW conclusions AS WITH RECURSIVE c(run) AS"
    " (SELECT 1 UNION ALL SELECT run FROM c) SELECT * FROM c",
    "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT n FROM c",
    "CREATE TRIGGER t AFTER INSERT ON generations BEGIN DELETE FROM evaluations; END",
    "CREATE TABLE more (x)",
    "CREATE TABLE pragma_user_version (a, user_version AS (1 + 1))",
    "CREATE INDEX i ON runs (name)",
    "ALTER TABLE generations DROP COLUMN failures",
    "ALTER TABLE runs ADD COLUMN more TEXT AS (printf('%.*c', 900000000, 'a')) VIRTUAL",
    "ANALYZE",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'machine     TEXT    NOT "
    "NULL,',"
    " 'machine TEXT AS (printf(''%.*c'', 900000000, ''a'')) VIRTUAL,') WHERE name = 'runs'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '-- from 1', '-- from 2')",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'dim > 0', 'dim >  0')",
};

static void test_foreign_tables(void **state)
{
    (void)state;
    char kept[100];
    snprintf(kept, sizeof kept, "%s.kept", scratch.file);
    zilch_optimizer_destroy(make_study(1));
    copy_file(scratch.file, kept);
    for (size_t i = 0; i < COUNT(foreign_tables); i++) {
        copy_file(kept, scratch.file);
        edit(foreign_tables[i]);
        check_all_modes(ZILCH_EFORMAT, "its tables are not those of a zilch study of version 5");
    }
    unlink(kept);
}

/* Rows in the way of the next ones, or numbers that cannot be, are no reason to write. */
static void test_damage_before_recording(void **state)
{
    (void)state;
    static const char *const in_the_way[] = {
        "INSERT INTO generations VALUES (1, 2, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0)",
        "INSERT INTO points VALUES (1, 25, 0, x'00')",
        "UPDATE checkpoints SET points = -1",
    };
    char kept[100];
    zilch_optimizer *optimizer = make_study(1);
    advance(optimizer);
    snprintf(kept, sizeof kept, "%s.kept", scratch.file);
    copy_file(scratch.file, kept);
    for (size_t i = 0; i < COUNT(in_the_way); i++) {
        copy_file(kept, scratch.file);
        edit(in_the_way[i]);
        zilch_study *study = open_study(ZILCH_STUDY_WRITE);
        FAILS(record(study, 1, optimizer), ZILCH_EFORMAT, "damaged");
        zilch_study_close(study);
    }
    unlink(kept);
    zilch_optimizer_destroy(optimizer);
}

/* Reads everything of a file that may be anything. What a run goes on from is what was recorded, or nothing.
 */
static int is_noticed(const packed *whole)
{
    zilch_study *study;
    zilch_optimizer *resumed = NULL;
    if (zi_study_open(&study, scratch.file, ZILCH_STUDY_READ, 0) != ZILCH_OK) {
        return 1;
    }
    for (size_t r = 0; r < RESUME; r++) {
        (void)readers[r](study);
    }
    const zilch_status status = zilch_study_resume(study, 1, &resumed);
    if (status == ZILCH_OK) {
        const packed found = pack(resumed);
        assert_true(is_same(&found, whole));
        free(found.bytes);
        zilch_optimizer_destroy(resumed);
    }
    zilch_study_close(study);
    return status != ZILCH_OK;
}

static void test_truncated(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t length;
    zilch_optimizer *optimizer = make_study(2);
    const packed whole = pack(optimizer);
    OK(zi_file_read(scratch.file, &bytes, &length));
    for (size_t cut = 0; cut < length; cut += cut < 200 ? 1 : 509) {
        write_text((const char *)bytes, cut);
        const int is_page_missing =
            cut <= length - 4096; /* of the last one only the end, which may be empty */
        assert_true(is_noticed(&whole) || !is_page_missing);
        if (is_page_missing) {
            FAILS(open_status(ZILCH_STUDY_READ), ZILCH_EFORMAT, "");
        }
        remove_beside();
    }
    zi_free(bytes);
    free(whole.bytes);
    zilch_optimizer_destroy(optimizer);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t length;
    size_t noticed = 0;
    size_t flips = 0;
    zilch_optimizer *optimizer = make_study(2);
    const packed whole = pack(optimizer);
    edit("PRAGMA journal_mode = DELETE"); /* a third of the time */
    OK(zi_file_read(scratch.file, &bytes, &length));
    for (size_t i = 0; i < length; i += i < 100 ? 1 : 11) {
        const unsigned char bit = (unsigned char)(1U << (i * 7919 / 11 % 8));
        bytes[i] ^= bit;
        write_text((const char *)bytes, length);
        bytes[i] ^= bit;
        noticed += (size_t)is_noticed(&whole);
        flips++;
        remove_beside();
    }
    print_message("    %zu of %zu flips made the run unreadable, the others changed nothing\n", noticed,
                  flips);
    assert_true(noticed > flips / 20);
    zi_free(bytes);
    free(whole.bytes);
    zilch_optimizer_destroy(optimizer);
}

/* ---- Full disks, kills, no memory ------------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* No file may grow beyond a limit, as on a full disk; a little more room each time, until it is enough. */
static void test_full_disk(void **state)
{
    (void)state;
    size_t refused = 0;
    zilch_status status = ZILCH_EIO;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    zilch_optimizer *before = make_study(1);
    zilch_optimizer *after = copy_of(before);
    advance(after);
    for (rlim_t room = 0; status != ZILCH_OK; room += 1500) {
        zilch_study *study = open_study(ZILCH_STUDY_WRITE);
        limit_files(room);
        status = record(study, 1, after);
        limit_files(RLIM_INFINITY);
        if (status != ZILCH_OK) {
            assert_int_equal(status, ZILCH_EIO);
            assert_non_null(strstr(zilch_last_error(), scratch.file));
            assert_true(strstr(zilch_last_error(), "too large") || strstr(zilch_last_error(), "full"));
            refused++;
            check_resumes(1, before);
            if (refused % 2) { /* the same handle goes on */
                OK(zilch_study_conclude(study, 1, &(zilch_conclusion){.stop = ZILCH_STOP_OBSERVER}, NULL));
            }
        }
        zilch_study_close(study);
    }
    check_resumes(1, after);
    check_file();
    unlink(scratch.file);
    limit_files(6000);
    FAILS(open_status(ZILCH_STUDY_CREATE), ZILCH_EIO, "");
    limit_files(RLIM_INFINITY);
    OK(open_status(ZILCH_STUDY_CREATE));
    check_file();
    signal(SIGXFSZ, handler);
    print_message("    refused %zu times, nothing lost\n", refused);
    assert_true(refused > 3);
    zilch_optimizer_destroy(before);
    zilch_optimizer_destroy(after);
}

/* Killed at any moment, from before the file is there: the study opens, and the run is at a whole generation.
 */
static void test_killed(void **state)
{
    (void)state;
    packed history[LONG_RUN + 1];
    unsigned seen = 0;
    make_history(history);
    for (int turn = 0; turn < 40; turn++) {
        const pid_t child = begin_child(write_long_run, NULL);
        const struct timespec pause = {.tv_nsec = 60000L * turn * turn};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        zilch_study *study = open_study(ZILCH_STUDY_CREATE);
        const uint64_t generations = look_at_long_run(study, history);
        seen |= 1U << generations;
        zilch_study_close(study);
        check_file();
        unlink(scratch.file);
    }
    free_history(history);
    print_message("    generations found: %x (a bit each)\n", seen);
}

static size_t allocations, failing;
static long outstanding;

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

static zilch_status create_one(zilch_optimizer *optimizer)
{
    zilch_study *study;
    uint64_t run;
    (void)optimizer;
    ZI_TRY(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE));
    zilch_optimizer *fresh = NULL;
    zilch_status status = zilch_optimizer_create(&fresh, DIM, 1, NULL);
    status = status == ZILCH_OK ? zilch_study_start(study, NULL, fresh, &run) : status;
    zilch_optimizer_destroy(fresh);
    zilch_study_close(study);
    return status;
}

static zilch_status record_one(zilch_optimizer *optimizer)
{
    zilch_study *study;
    ZI_TRY(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    const zilch_status status = record(study, 1, optimizer);
    zilch_study_close(study);
    return status;
}

static zilch_status read_everything(zilch_optimizer *optimizer)
{
    zilch_study *study;
    (void)optimizer;
    ZI_TRY(zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ));
    zilch_status status = ZILCH_OK;
    for (size_t r = 0; r < READERS && status == ZILCH_OK; r++) {
        status = readers[r](study);
    }
    zilch_study_close(study);
    return status;
}

/* Allocation k fails, for every k. Whole failures only: then it can be tried again. */
static void check_without_memory(zilch_status (*work)(zilch_optimizer *optimizer), zilch_optimizer *optimizer)
{
    zilch_status status = ZILCH_ENOMEM;
    for (size_t k = 1; status != ZILCH_OK; k++) {
        zilch_set_allocator(counting_alloc, counting_release);
        allocations = 0;
        outstanding = 0;
        failing = k;
        status = work(optimizer);
        zilch_set_allocator(NULL, NULL);
        assert_true(status == ZILCH_ENOMEM || allocations < k);
        assert_int_equal(outstanding, 0);
        assert_true(k < 10000);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    zilch_optimizer *optimizer = make_study(1);
    advance(optimizer);
    check_without_memory(record_one, optimizer);
    check_resumes(1, optimizer);
    check_without_memory(create_one, optimizer);
    check_without_memory(read_everything, optimizer);
    zilch_optimizer_destroy(optimizer);
    check_file();
}

#define STUDY_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STUDY_TEST(test_round_trip),
        STUDY_TEST(test_resume_everywhere),
        STUDY_TEST(test_resume_within_generation),
        STUDY_TEST(test_several_runs),
        STUDY_TEST(test_conclusion),
        STUDY_TEST(test_conclusions_on_the_way),
        STUDY_TEST(test_readers_may_stop),
        STUDY_TEST(test_readings_may_be_nested),
        STUDY_TEST(test_wrong_turns),
        STUDY_TEST(test_other_optimizer),
        STUDY_TEST(test_reader_does_not_write),
        STUDY_TEST(test_same_runs),
        STUDY_TEST(test_arguments),
        STUDY_TEST(test_reading_while_writing),
        STUDY_TEST(test_creating_at_once),
        STUDY_TEST(test_two_writers),
        STUDY_TEST(test_locked),
        STUDY_TEST(test_waiting_for_lock),
        STUDY_TEST(test_waiting_for_log),
        STUDY_TEST(test_read_only),
        STUDY_TEST(test_read_only_while_writing),
        STUDY_TEST(test_log_left_behind),
        STUDY_TEST(test_log_forgotten),
        STUDY_TEST(test_moved_while_open),
        STUDY_TEST(test_names),
        STUDY_TEST(test_mode_of_new_file),
        STUDY_TEST(test_through_link),
        STUDY_TEST(test_no_study),
        STUDY_TEST(test_others_file),
        STUDY_TEST(test_other_version),
        STUDY_TEST(test_empty_file),
        STUDY_TEST(test_damaged_cells),
        STUDY_TEST(test_foreign_tables),
        STUDY_TEST(test_damage_before_recording),
        STUDY_TEST(test_truncated),
        STUDY_TEST(test_flipped_bits),
        STUDY_TEST(test_full_disk),
        STUDY_TEST(test_killed),
        STUDY_TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
