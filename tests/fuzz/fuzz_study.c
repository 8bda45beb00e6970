/* Studies that were damaged, of this version and of version 4. The input is a list of edits of a small, sound
 * study: of a value in a table, of the state in a checkpoint, whose checksum is then put right, or of bytes
 * in the file. So the damage gets behind what SQLite checks itself. An input that begins like an SQLite file
 * is the file. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "search/optimizer.h"
#include "store/schema.h"
#include "store/study.h"

#include "commands/commands.h"
#include "report/report.h"
#include "terminal/cli.h"

#include <math.h>
#include <sqlite3.h>

enum { DIM = 3, POPULATION = 5, GENERATIONS = 3, PATIENCE = 0, COST_MOST = 2000 };

static struct {
    unsigned char *bytes;
    size_t size;
} bases[2]; /* the sound study, and the same of version 4 */

/* ---- The sound study ------------------------------------------------------------------------------- */

/* Noisy, or else with a refinement that has turns. */
static double value_of(int is_noisy, uint64_t id, const double *x)
{
    double value = id % 5 == 3 ? NAN : is_noisy ? (double)(id % 7) : 0.0;
    for (size_t i = 0; i < DIM; i++) {
        value += (x[i] - 1.0) * (x[i] - 1.0);
    }
    return value;
}

static void advance(zilch_optimizer *o)
{
    enum { MOST = 64 };
    uint64_t id[MOST];
    double x[MOST * DIM], value[MOST], error[MOST];
    size_t n;
    const int is_noisy = !o->turns.refine;
    MUST(zilch_optimizer_wanted(o, &n) == ZILCH_OK && n <= MOST);
    MUST(zilch_optimizer_ask(o, n, id, x) == ZILCH_OK);
    for (size_t i = 0; i < n; i++) {
        value[i] = value_of(is_noisy, id[i], x + i * DIM);
        error[i] = id[i] % 3 || !is_noisy ? NAN : 0.5;
    }
    MUST(zilch_optimizer_tell_error(o, n, id, value, error) == ZILCH_OK);
}

static void add_run(zilch_study *study, zilch_method method, size_t archive_size)
{
    zilch_optimizer *o;
    uint64_t run, id[POPULATION];
    double x[POPULATION * DIM];
    size_t count;
    int is_closed;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.method = method;
    options.population = POPULATION;
    options.elites = 2;
    options.archive_size = archive_size;
    const zilch_setting settings[] = {{ZILCH_SETTING_PROBLEM, "response", "y"},
                                      {ZILCH_SETTING_MEANS, "threads", "1"}};
    const char *const names[DIM] = {"x", "y", "z"};
    const zilch_request request = {.name = "a",
                                   .problem = "by hand",
                                   .data = "d",
                                   .fingerprint = "f",
                                   .machine = "m",
                                   .started = "s",
                                   .settings = 2,
                                   .setting = settings,
                                   .coordinate_names = names};
    MUST(zilch_optimizer_create(&o, DIM, 1, &options) == ZILCH_OK);
    MUST(zilch_study_start(study, &request, o, &run) == ZILCH_OK);
    for (int g = 0; g < GENERATIONS; g++) {
        const zilch_timings timings = {0.5, 0.25};
        advance(o);
        MUST(zilch_study_record(study, run, o, &timings) == ZILCH_OK);
    }
    MUST(zilch_study_ask(study, run, 3, 1, id, x, &count) == ZILCH_OK && count == 3);
    const double value[2] = {1.5, NAN};
    const double error[2] = {0.5, NAN};
    MUST(zilch_study_tell(study, run, 2, id, value, error, &is_closed) == ZILCH_OK);
    const zilch_failure failure = {GENERATIONS, id[1], "fell over", "it was dark"};
    MUST(zilch_study_fail(study, run, 1, &failure) == ZILCH_OK);
    const zilch_conclusion conclusion = {.stop = ZILCH_STOP_GENERATIONS,
                                         .is_recommending = 1,
                                         .recommendation = {.evaluations = 5, .spent = 9, .active = 2},
                                         .held_out_mean = 1.0,
                                         .held_out_error = 0.5,
                                         .held_out_count = 7};
    MUST(zilch_study_conclude(study, run, &conclusion, x) == ZILCH_OK);
    zilch_optimizer_destroy(o);
}

static void run_sql(const char *text)
{
    sqlite3 *database;
    MUST(sqlite3_open(fuzz_path(), &database) == SQLITE_OK);
    MUST(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
}

static void remove_all(void)
{
    char path[FUZZ_PATH_SIZE + 16];
    static const char *const ending[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", fuzz_path(), ending[i]);
        remove(path);
    }
}

/* The file at the path of all files, as one of the bases. */
static void keep_base(size_t index)
{
    run_sql("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM");
    FILE *stream = fopen(fuzz_path(), "rb");
    MUST(stream && fseek(stream, 0, SEEK_END) == 0);
    const size_t size = (size_t)ftell(stream);
    bases[index].bytes = malloc(size);
    bases[index].size = size;
    rewind(stream);
    MUST(bases[index].bytes && fread(bases[index].bytes, 1, size, stream) == size);
    fclose(stream);
}

/* The first base as zilch 0.1 would have written it, with a command line of then. */
static void make_version4(void)
{
    static const char *const tables[] = {"generations", "points",   "evaluations", "checkpoints",
                                         "conclusions", "failures", "handed",      "told"};
    char path[FUZZ_PATH_SIZE + 16], text[FUZZ_PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s-other", fuzz_path());
    MUST(rename(fuzz_path(), path) == 0);
    run_sql(zi_schema_texts[1].text);
    sqlite3 *database;
    MUST(sqlite3_open(fuzz_path(), &database) == SQLITE_OK);
    snprintf(text, sizeof text, "PRAGMA foreign_keys = OFF; ATTACH '%s' AS other", path);
    MUST(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK);
    MUST(sqlite3_exec(
             database,
             "INSERT INTO runs SELECT run, name, problem, '{\"words\":[\"optimize\",\"--problem=linear\","
             "\"--data\",\"d\",\"--response\",\"y\",\"--on\",\"1\",\"-g3\"],\"checksum\":\"f\"}', machine, "
             "started,"
             " version, seed, dim, CASE method WHEN 'default' THEN 'zig' ELSE method END, direction, penalty"
             " FROM other.runs",
             NULL, NULL, NULL) == SQLITE_OK);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(text, sizeof text, "INSERT INTO %s SELECT * FROM other.%s", tables[i], tables[i]);
        MUST(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK);
    }
    sqlite3_close(database);
    remove(path);
}

/* What the fuzzer begins with is read. */
static void check_bases(void)
{
    for (size_t i = 0; i < 2; i++) {
        zilch_study *study;
        zilch_optimizer *o;
        fuzz_file(bases[i].bytes, bases[i].size);
        MUST(zilch_study_open(&study, fuzz_path(), ZILCH_STUDY_READ) == ZILCH_OK);
        MUST(zilch_study_resume(study, 1, &o) == ZILCH_OK);
        zilch_optimizer_destroy(o);
        zilch_study_close(study);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_study *study;
    static char message[4096]; /* what the command says */
    zilch_set_blas_threads(1);
    cli_keep_messages(message, sizeof message);
    MUST(freopen("/dev/null", "w", stdout));
    remove_all();
    atexit(remove_all);
    MUST(zilch_study_open(&study, fuzz_path(), ZILCH_STUDY_CREATE) == ZILCH_OK);
    add_run(study, ZILCH_METHOD_DEFAULT, 0);
    add_run(study, ZILCH_METHOD_ADHOC, 3);
    zilch_study_close(study);
    keep_base(0);
    make_version4();
    keep_base(1);
    check_bases();
    return 0;
}

/* ---- Edits ------------------------------------------------------------------------------------------ */

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

static uint64_t take(input *in, size_t bytes)
{
    uint64_t value = 0;
    for (; bytes > 0; bytes--) {
        value = value << 8 | (in->left ? *in->at : 0);
        in->at += in->left > 0;
        in->left -= in->left > 0;
    }
    return value;
}

/* Columns, and what tells their rows apart; the last three are of version 4. What a file does not have is not
 * changed. */
static const struct {
    const char *table, *column, *key;
} places[] = {
    {"runs", "dim", "run"},
    {"runs", "method", "run"},
    {"runs", "penalty", "run"},
    {"runs", "seed", "run"},
    {"settings", "value", "name"},
    {"runs", "name", "run"},
    {"runs", "problem", "run"},
    {"runs", "run", "run"},
    {"generations", "generation", "generation"},
    {"generations", "evaluations", "generation"},
    {"generations", "points", "generation"},
    {"generations", "best_point", "generation"},
    {"generations", "best_value", "generation"},
    {"generations", "noise", "generation"},
    {"points", "point", "point"},
    {"points", "active", "point"},
    {"points", "genome", "point"},
    {"evaluations", "position", "position"},
    {"evaluations", "point", "position"},
    {"evaluations", "id", "position"},
    {"evaluations", "value", "position"},
    {"evaluations", "weight", "position"},
    {"evaluations", "fitness", "position"},
    {"checkpoints", "generation", "run"},
    {"checkpoints", "points", "run"},
    {"checkpoints", "state", "run"},
    {"conclusions", "stop", "run"},
    {"conclusions", "point", "run"},
    {"conclusions", "mean", "run"},
    {"conclusions", "x", "run"},
    {"failures", "reason", "run"},
    {"failures", "id", "run"},
    {"handed", "points", "run"},
    {"told", "id", "id"},
    {"told", "value", "id"},
    {"told", "is_early", "id"},
    {"told", "error", "id"},
    {"settings", "name", "name"},
    {"settings", "kind", "name"},
    {"settings", "run", "name"},
    {"coordinates", "name", "coordinate"},
    {"coordinates", "coordinate", "coordinate"},
    {"runs", "data", "run"},
    {"runs", "fingerprint", "run"},
    {"runs", "arguments", "run"},
    {"runs", "law", "run"},
    {"runs", "price", "run"},
};
enum { PLACES = sizeof places / sizeof *places };

/* What the 64 bits, and for texts and blobs the bytes behind them, are taken for. */
static void bind(sqlite3_stmt *statement, input *in)
{
    const uint64_t bits = take(in, 8);
    const uint64_t kind = take(in, 1) % 6;
    const size_t most = (size_t)(bits % 128);
    const size_t length = kind != 3 && kind != 4 ? 0 : in->left < most ? in->left : most;
    const uint8_t *bytes = in->at;
    double number;
    memcpy(&number, &bits, sizeof number);
    in->at += length;
    in->left -= length;
    switch (kind) {
    case 0:
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)bits);
        break;
    case 1:
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)(bits % 64));
        break;
    case 2:
        sqlite3_bind_double(statement, 1, number);
        break;
    case 3:
        sqlite3_bind_text(statement, 1, (const char *)bytes, (int)length, SQLITE_TRANSIENT);
        break;
    case 4:
        sqlite3_bind_blob(statement, 1, bytes, (int)length, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_null(statement, 1);
    }
}

/* What the tables do not allow is not done. */
static void edit_value(sqlite3 *database, input *in)
{
    char text[256];
    sqlite3_stmt *statement = NULL;
    const size_t place = (size_t)take(in, 1) % PLACES;
    const unsigned row = (unsigned)take(in, 1) % 32;
    snprintf(text, sizeof text, "UPDATE %s SET %s = ?1 WHERE %s = (SELECT %s FROM %s LIMIT 1 OFFSET %u)",
             places[place].table, places[place].column, places[place].key, places[place].key,
             places[place].table, row);
    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK) {
        bind(statement, in);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
}

static void overwrite(unsigned char *bytes, size_t size, input *in, size_t at)
{
    const size_t count = (size_t)take(in, 1) % 9;
    for (size_t i = 0; i < count && at + i < size; i++) {
        bytes[at + i] = (unsigned char)take(in, 1);
    }
}

/* Its checksum is right afterwards. */
static void edit_state(sqlite3 *database, input *in)
{
    sqlite3_stmt *statement = NULL;
    const int run = 1 + (int)(take(in, 1) % 2);
    unsigned char *state = NULL;
    size_t size = 0;
    if (sqlite3_prepare_v2(database, "SELECT state FROM checkpoints WHERE run = ?", -1, &statement, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_int(statement, 1, run);
        if (sqlite3_step(statement) == SQLITE_ROW) {
            size = (size_t)sqlite3_column_bytes(statement, 0);
            state = fuzz_copy(sqlite3_column_blob(statement, 0), size);
        }
    }
    sqlite3_finalize(statement);
    statement = NULL;
    const size_t at = (size_t)take(in, 2);
    if (size > 8) {
        overwrite(state, size, in, at % size);
        zi_writer writer = {.data = state, .capacity = size, .length = size - 8};
        zi_write_checksum(&writer);
        sqlite3_prepare_v2(database, "UPDATE checkpoints SET state = ?1 WHERE run = ?2", -1, &statement,
                           NULL);
        sqlite3_bind_blob(statement, 1, state, (int)size, SQLITE_TRANSIENT);
        sqlite3_bind_int(statement, 2, run);
        sqlite3_step(statement);
        sqlite3_finalize(statement);
    }
    free(state);
}

/* The sums over points and evaluations as they are now. */
static void repair_sums(sqlite3 *database)
{
    sqlite3_stmt *rows = NULL;
    for (int run = 1; run <= 2; run++) {
        uint64_t points = ZILCH_FINGERPRINT_BEGIN, evaluations = ZILCH_FINGERPRINT_BEGIN;
        char text[256];
        snprintf(text, sizeof text, "SELECT genome FROM points WHERE run = %d ORDER BY point", run);
        MUST(sqlite3_prepare_v2(database, text, -1, &rows, NULL) == SQLITE_OK);
        while (sqlite3_step(rows) == SQLITE_ROW) {
            const unsigned char *genome = sqlite3_column_blob(rows, 0);
            const size_t length = (size_t)sqlite3_column_bytes(rows, 0);
            const int is_forgotten =
                length == ZI_FORGOTTEN_LENGTH && memcmp(genome, ZI_FORGOTTEN, length) == 0;
            points = zi_sum_point(points, genome, is_forgotten ? 0 : length);
        }
        sqlite3_finalize(rows);
        snprintf(text, sizeof text,
                 "SELECT generation, id, point, value, weight FROM evaluations WHERE run = %d"
                 " ORDER BY generation, position",
                 run);
        MUST(sqlite3_prepare_v2(database, text, -1, &rows, NULL) == SQLITE_OK);
        while (sqlite3_step(rows) == SQLITE_ROW) {
            const int is_null = sqlite3_column_type(rows, 3) == SQLITE_NULL;
            const zilch_evaluation e = {.generation = (uint64_t)sqlite3_column_int64(rows, 0),
                                        .id = (uint64_t)sqlite3_column_int64(rows, 1),
                                        .point = (uint64_t)sqlite3_column_int64(rows, 2),
                                        .value = is_null ? NAN : sqlite3_column_double(rows, 3),
                                        .weight = sqlite3_column_double(rows, 4)};
            evaluations = zi_sum_evaluation(evaluations, &e);
        }
        sqlite3_finalize(rows);
        snprintf(text, sizeof text,
                 "UPDATE checkpoints SET points_sum = %lld, evaluations_sum = %lld WHERE run = %d",
                 (long long)points, (long long)evaluations, run);
        sqlite3_exec(database, text, NULL, NULL, NULL);
    }
}

enum { EDIT_BYTES, EDIT_VALUE, EDIT_STATE, EDIT_KINDS, VERSION4 = 32 };

/* The first byte says of which kind the edits are, whether they are of a study of version 4 (32), and whether
 * the sums are put right (128). */
static void make_file(const uint8_t *data, size_t size)
{
    input in = {data, size};
    const uint64_t kind = take(&in, 1);
    const unsigned char *base = bases[kind & VERSION4 ? 1 : 0].bytes;
    const size_t base_size = bases[kind & VERSION4 ? 1 : 0].size;
    remove_all();
    if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0) {
        fuzz_file(data, size);
        return;
    }
    if (kind % EDIT_KINDS == EDIT_BYTES) {
        unsigned char *bytes = fuzz_copy(base, base_size);
        while (in.left) {
            const size_t at = (size_t)take(&in, 3) % base_size;
            overwrite(bytes, base_size, &in, at);
        }
        fuzz_file(bytes, base_size);
        free(bytes);
        return;
    }
    sqlite3 *database;
    fuzz_file(base, base_size);
    MUST(sqlite3_open(fuzz_path(), &database) == SQLITE_OK);
    sqlite3_exec(database,
                 "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA foreign_keys = OFF;"
                 "PRAGMA ignore_check_constraints = ON; BEGIN",
                 NULL, NULL, NULL);
    while (in.left) {
        (kind % EDIT_KINDS == EDIT_VALUE ? edit_value : edit_state)(database, &in);
    }
    if (kind & 128) {
        repair_sums(database);
    }
    sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(database);
}

/* ---- What is done with it ---------------------------------------------------------------------------- */

typedef struct looking {
    uint64_t run[4];
    size_t runs, dim;
} looking;

static zilch_status see_run(void *context, const zilch_run *run)
{
    looking *l = context;
    MUST(run->dim > 0 && zilch_method_name(run->method) && strlen(run->request.problem) < SIZE_MAX);
    for (size_t i = 0; i < run->request.settings; i++) {
        const zilch_setting *s = &run->request.setting[i];
        MUST(zilch_setting_kind_name(s->kind) && s->name && s->value);
    }
    for (size_t i = 0; run->request.coordinate_names && i < run->dim; i++) {
        MUST(run->request.coordinate_names[i]);
    }
    if (l->runs < 4) {
        l->run[l->runs++] = run->run;
    }
    return ZILCH_OK;
}

static zilch_status see_generation(void *context, const zilch_generation *generation)
{
    (void)context;
    MUST(generation->failures <= generation->evaluations);
    return ZILCH_OK;
}

static zilch_status see_evaluation(void *context, const zilch_evaluation *evaluation)
{
    (void)context;
    MUST(!isinf(evaluation->value) && (!evaluation->x || isfinite(evaluation->x[0])));
    return ZILCH_OK;
}

static zilch_status see_failure(void *context, const zilch_failure *failure)
{
    (void)context;
    MUST(strlen(failure->reason) + strlen(failure->output) < SIZE_MAX);
    return ZILCH_OK;
}

static zilch_status see_conclusion(void *context, uint64_t generation, const zilch_conclusion *conclusion,
                                   const double *x)
{
    (void)context;
    MUST(generation <= INT64_MAX && zilch_stop_name(conclusion->stop) && (!x || isfinite(x[0])));
    return ZILCH_OK;
}

static void look(zilch_study *study, looking *l)
{
    (void)!zilch_study_runs(study, see_run, l);
    for (size_t i = 0; i < l->runs; i++) {
        zilch_conclusion conclusion;
        (void)!zilch_study_generations(study, l->run[i], see_generation, NULL);
        (void)!zilch_study_evaluations(study, l->run[i], see_evaluation, NULL);
        (void)!zilch_study_failures(study, l->run[i], see_failure, NULL);
        (void)!zilch_study_conclusions(study, l->run[i], see_conclusion, NULL);
        (void)!zilch_study_conclusion(study, l->run[i], &conclusion, NULL);
    }
}

/* Many points that are out, but not too many, are made again at every turn. */
static int is_quick(void)
{
    enum { SLOW = 1000, BEYOND = 1 << 21 };
    sqlite3 *database;
    sqlite3_stmt *rows = NULL;
    int is_right = 1;
    if (sqlite3_open(fuzz_path(), &database) == SQLITE_OK &&
        sqlite3_prepare_v2(database, "SELECT points FROM handed", -1, &rows, NULL) == SQLITE_OK) {
        while (sqlite3_step(rows) == SQLITE_ROW) {
            const sqlite3_int64 points = sqlite3_column_int64(rows, 0);
            is_right &= points < SLOW || points > BEYOND;
        }
    }
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return is_right;
}

/* Whether going on is quick. */
static int resumes(zilch_study *study, uint64_t run, size_t *dim)
{
    zilch_optimizer *o;
    if (zilch_study_resume(study, run, &o) != ZILCH_OK) {
        MUST(!o);
        return 0;
    }
    MUST(zi_optimizer_is_valid(o));
    *dim = zilch_optimizer_dim(o);
    const size_t given = zilch_optimizer_settings(o)->population;
    const size_t population = given ? given : 20; /* what an automatic one begins with */
    zilch_optimizer_destroy(o);
    return population <= COST_MOST && *dim * population <= COST_MOST && is_quick();
}

static void go_on(zilch_study *study, uint64_t run)
{
    enum { ASKED = 2 };
    uint64_t id[ASKED];
    double x[ASKED * COST_MOST];
    const double value[ASKED] = {1.0, 2.0};
    size_t count, dim;
    int is_closed;
    if (!resumes(study, run, &dim)) {
        return;
    }
    (void)!zilch_study_waiting(study, run, ASKED, id, x, &count);
    if (zilch_study_ask(study, run, ASKED, 0, id, x, &count) == ZILCH_OK && count) {
        MUST(count <= ASKED);
        (void)!zilch_study_tell(study, run, count, id, value, NULL, &is_closed);
    }
    (void)!zilch_study_advance(study, run, &is_closed);
}

/* The linker's name: who looks at a study starts none of the programs that it names. */
zilch_status __wrap_zilch_program_open(zilch_program **out, const char *const *words,
                                       const zilch_program_options *options);
zilch_status __wrap_zilch_program_open(zilch_program **out, const char *const *words,
                                       const zilch_program_options *options)
{
    (void)words;
    (void)options;
    *out = NULL;
    dprintf(2, "a program is started\n");
    abort();
}

/* What the command makes of it. */
static void run_commands(void)
{
    static char show[] = "show", best[] = "best", export[] = "export", json[] = "--json", all[] = "--all";
    char path[FUZZ_PATH_SIZE];
    report content;
    snprintf(path, sizeof path, "%s", fuzz_path());
    (void)cmd_show(3, (char *[]){show, path, all, NULL});
    (void)cmd_show(3, (char *[]){show, path, json, NULL});
    (void)cmd_best(2, (char *[]){best, path, NULL});
    (void)cmd_best(3, (char *[]){best, path, json, NULL});
    (void)cmd_export(2, (char *[]){export, path, NULL});
    (void)report_open(&content, path, 0);
    report_close(&content);
}

enum { COMMANDS = 64 }; /* a bit of the first byte */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_study *study;
    looking l = {.runs = 0};
    make_file(data, size);
    if (size && data[0] & COMMANDS) {
        run_commands();
        return 0;
    }
    if (zi_study_open(&study, fuzz_path(), ZILCH_STUDY_READ, PATIENCE) == ZILCH_OK) {
        look(study, &l);
        zilch_study_close(study);
    }
    if (l.runs && zi_study_open(&study, fuzz_path(), ZILCH_STUDY_WRITE, PATIENCE) == ZILCH_OK) {
        for (size_t i = 0; i < l.runs; i++) {
            go_on(study, l.run[i]);
        }
        zilch_study_close(study);
    }
    return 0;
}
