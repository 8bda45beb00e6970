/* Studies whose points are evaluated elsewhere: every call opens the study anew, as another process would,
 * and the run is the one that an optimiser in memory has. */
#include "search_support.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 5, N = 12 };

static char path[64];

#define OK(call)                                \
    do {                                        \
        if ((call) != ZILCH_OK) {               \
            fail_msg("%s", zilch_last_error()); \
        }                                       \
    } while (0)

/* ---- A process for each call ------------------------------------------------------------------------ */

static zilch_study *open_study(void)
{
    zilch_study *study;
    OK(zilch_study_open(&study, path, ZILCH_STUDY_WRITE));
    return study;
}

static size_t ask(size_t n, int is_more, uint64_t *id, double *x)
{
    size_t count = 77;
    zilch_study *study = open_study();
    OK(zilch_study_ask(study, 1, n, is_more, id, x, &count));
    zilch_study_close(study);
    return count;
}

static zilch_status tell(size_t n, const uint64_t *id, const double *value, int *is_closed)
{
    zilch_study *study = open_study();
    const zilch_status status = zilch_study_tell(study, 1, n, id, value, NULL, is_closed);
    zilch_study_close(study);
    return status;
}

static zilch_status advance(int *is_closed)
{
    zilch_study *study = open_study();
    const zilch_status status = zilch_study_advance(study, 1, is_closed);
    zilch_study_close(study);
    return status;
}

static zilch_optimizer *resume(void)
{
    zilch_optimizer *o;
    zilch_study *study = open_study();
    OK(zilch_study_resume(study, 1, &o));
    zilch_study_close(study);
    return o;
}

static void edit(const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* A study of a run that is the same as the optimiser that is given back. */
static zilch_optimizer *begin_with(const zilch_optimizer_options *options)
{
    zilch_optimizer *o = create_with(DIM, 3, options);
    zilch_study *study;
    uint64_t run;
    snprintf(path, sizeof path, "/tmp/zilch_turns_%ld.study", (long)getpid());
    (void)unlink(path);
    OK(zilch_study_open(&study, path, ZILCH_STUDY_CREATE));
    OK(zilch_study_start(study, NULL, o, &run));
    assert_int_equal(run, 1);
    zilch_study_close(study);
    return o;
}

static zilch_optimizer *begin(void)
{
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    return begin_with(&options);
}

static void end(zilch_optimizer *o)
{
    zilch_optimizer *resumed = resume();
    assert_true(is_same_state(o, resumed));
    zilch_optimizer_destroy(resumed);
    zilch_optimizer_destroy(o);
    assert_int_equal(unlink(path), 0);
}

/* Some fail. */
static void evaluate(size_t n, const uint64_t *id, const double *x, double *value)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = id[i] % 7 == 5 ? NAN : noisy_value(DIM, id[i], x + i * DIM);
    }
}

/* ---- In order ----------------------------------------------------------------------------------------- */

/* In odd portions, and told from the last to the first. */
static void a_run_by_hand_is_a_run(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    for (size_t g = 1; g <= 5; g++) {
        uint64_t id[N], id_here[N];
        double x[N * DIM], x_here[N * DIM], value[N];
        int is_closed = 0;
        size_t count = ask(g, 0, id, x);
        assert_int_equal(count, g);
        count += ask(100, 0, id + count, x + count * DIM);
        assert_int_equal(count, N);
        assert_int_equal(ask(1, 0, id_here, x_here), 0);
        OK(zilch_optimizer_ask(o, N, id_here, x_here));
        assert_memory_equal(id, id_here, sizeof id);
        assert_memory_equal(x, x_here, sizeof x);
        evaluate(N, id, x, value);
        OK(zilch_optimizer_tell(o, N, id, value));
        for (size_t i = N; i > 0; i -= 3) {
            assert_false(is_closed);
            OK(tell(3, id + i - 3, value + i - 3, &is_closed));
        }
        assert_true(is_closed);
    }
    assert_int_equal(zilch_optimizer_progress(o).generations, 5);
    end(o);
}

/* Closed before all are back; one comes late before anything else is asked for, one after. */
static void what_comes_late_counts(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    uint64_t id[2 * N];
    double x[2 * N * DIM], value[2 * N];
    int is_closed = 0;
    assert_int_equal(ask(N, 0, id, x), N);
    OK(zilch_optimizer_ask(o, N, id, x));
    evaluate(N, id, x, value);
    OK(tell(N - 2, id, value, &is_closed));
    OK(zilch_optimizer_tell(o, N - 2, id, value));
    assert_false(is_closed);
    OK(advance(&is_closed));
    OK(zilch_optimizer_advance(o));
    assert_true(is_closed);
    OK(tell(1, id + N - 1, value + N - 1, &is_closed)); /* early in the second generation */
    OK(zilch_optimizer_tell(o, 1, id + N - 1, value + N - 1));
    assert_false(is_closed);
    assert_int_equal(ask(N, 0, id + N, x + N * DIM), N);
    OK(zilch_optimizer_ask(o, N, id + N, x + N * DIM));
    OK(tell(1, id + N - 2, value + N - 2, &is_closed)); /* and late */
    OK(zilch_optimizer_tell(o, 1, id + N - 2, value + N - 2));
    evaluate(N, id + N, x + N * DIM, value + N);
    OK(tell(N, id + N, value + N, &is_closed));
    OK(zilch_optimizer_tell(o, N, id + N, value + N));
    assert_true(is_closed);
    end(o);
}

static void what_is_out_can_be_seen(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    uint64_t id[2 * N], out[2 * N];
    double x[2 * N * DIM], seen[2 * N * DIM];
    const double value[2] = {1.0, 2.0};
    size_t count = 77;
    zilch_study *study = open_study();
    OK(zilch_study_waiting(study, 1, 0, NULL, NULL, &count));
    assert_int_equal(count, 0);
    assert_int_equal(ask(N + 3, 1, id, x), N + 3); /* more than the population */
    assert_int_equal(ask(1, 0, id + N + 3, x), 0);
    OK(tell(2, id + 4, value, NULL));
    OK(zilch_study_waiting(study, 1, 5, out, seen, &count));
    assert_int_equal(count, N + 1);
    assert_int_equal(out[3], id[3]);
    assert_int_equal(out[4], id[6]);
    assert_memory_equal(seen + 4 * DIM, x + 6 * DIM, DIM * sizeof *x);
    zilch_study_close(study);
    zilch_optimizer_destroy(o);
    unlink(path);
}

/* ---- Going wrong ------------------------------------------------------------------------------------------
 */

static void a_generation_of_failures_is_asked_again(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    uint64_t id[N], again[N];
    double x[N * DIM], y[N * DIM], value[N];
    for (size_t i = 0; i < N; i++) {
        value[i] = NAN;
    }
    assert_int_equal(ask(N, 0, id, x), N);
    OK(tell(N - 1, id, value, NULL));
    assert_int_equal(tell(1, id + N - 1, value, NULL), ZILCH_EOBJECTIVE);
    assert_int_equal(ask(N, 0, again, y), N);
    assert_memory_equal(id, again, sizeof id);
    assert_memory_equal(x, y, sizeof x);
    zilch_optimizer_destroy(o);
    unlink(path);
}

static void a_wrong_id_takes_all_back(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    uint64_t id[N];
    double x[N * DIM];
    const double value[3] = {1.0, 2.0, 3.0};
    size_t count;
    assert_int_equal(tell(1, &(uint64_t){0}, value, NULL), ZILCH_EARG);
    assert_int_equal(ask(3, 0, id, x), 3);
    assert_int_equal(tell(3, (uint64_t[]){id[0], id[1], 99}, value, NULL), ZILCH_EARG);
    assert_int_equal(tell(2, (uint64_t[]){id[0], id[0]}, value, NULL), ZILCH_EARG);
    OK(tell(1, id, value, NULL));
    assert_int_equal(tell(1, id, value, NULL), ZILCH_EARG);
    zilch_study *study = open_study();
    OK(zilch_study_waiting(study, 1, 0, NULL, NULL, &count));
    assert_int_equal(count, 2);
    assert_int_equal(zilch_study_ask(study, 2, 1, 0, id, x, &count), ZILCH_EARG); /* no such run */
    assert_int_equal(zilch_study_ask(study, 1, 1, 0, NULL, x, &count), ZILCH_EARG);
    assert_int_equal(zilch_study_ask(study, 1, 1, 0, id, x, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_tell(study, 1, 1, NULL, value, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_study_waiting(NULL, 1, 0, NULL, NULL, &count), ZILCH_EARG);
    zilch_study_close(study);
    OK(zilch_study_open(&study, path, ZILCH_STUDY_READ));
    assert_int_equal(zilch_study_ask(study, 1, 1, 0, id, x, &count), ZILCH_ESTATE);
    assert_int_equal(zilch_study_tell(study, 1, 1, id, value, NULL, NULL), ZILCH_ESTATE);
    assert_int_equal(zilch_study_advance(study, 1, NULL), ZILCH_ESTATE);
    OK(zilch_study_waiting(study, 1, 0, NULL, NULL, &count));
    zilch_study_close(study);
    zilch_optimizer_destroy(o);
    unlink(path);
}

static zilch_status tell_answers(const zilch_answers *answers)
{
    zilch_study *study = open_study();
    const zilch_status status = zilch_study_tell_answers(study, 1, answers, NULL);
    zilch_study_close(study);
    return status;
}

/* Values are those of the points that they say: exactly, rounded, or in some coordinates; late ones too. */
static void values_of_other_points_are_refused(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    uint64_t id[N];
    double x[N * DIM], said[2 * DIM], value[N];
    size_t count;
    assert_int_equal(ask(N, 0, id, x), N);
    const zilch_answers two = {.count = 2, .id = id, .value = value, .dim = DIM, .x = said};
    evaluate(N, id, x, value);
    for (size_t late = 0; late < 2; late++) {
        for (size_t j = 0; j < DIM; j++) {
            memcpy(said, x, sizeof said);
            said[DIM + j] = x[DIM + j] != 0.0 ? x[DIM + j] * (1 + 2e-5) : 1e-300;
            assert_int_equal(tell_answers(&two), ZILCH_EARG);
            const zilch_error error = zilch_last_error_details();
            assert_true(error.point == 1 && error.coordinate == j);
        }
        if (!late) {
            OK(tell(N - 2, id + 2, value + 2, NULL));
            OK(advance(NULL));
        }
    }
    zilch_study *study = open_study();
    OK(zilch_study_waiting(study, 1, 0, NULL, NULL, &count));
    zilch_study_close(study);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < 2 * DIM; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", x[i]);
        said[i] = i % 4 == 1 ? NAN : strtod(text, NULL);
    }
    zilch_answers wrong = two;
    wrong.dim = DIM + 1;
    assert_int_equal(tell_answers(&wrong), ZILCH_EARG);
    wrong.dim = DIM;
    wrong.id = NULL;
    assert_int_equal(tell_answers(&wrong), ZILCH_EARG);
    assert_int_equal(tell_answers(NULL), ZILCH_EARG);
    OK(tell_answers(&two));
    zilch_optimizer_destroy(o);
    unlink(path);
}

/* A run that must be the first is not begun beside another. */
static void a_first_run_is_alone(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    const zilch_request request = {.name = "second", .is_first = 1};
    uint64_t run = 77;
    zilch_study *study = open_study();
    assert_int_equal(zilch_study_start(study, &request, o, &run), ZILCH_ESTATE);
    assert_int_equal(run, 77);
    OK(zilch_study_start(study, NULL, o, &run));
    assert_int_equal(run, 2);
    zilch_study_close(study);
    unlink(path);
    OK(zilch_study_open(&study, path, ZILCH_STUDY_CREATE));
    OK(zilch_study_start(study, &request, o, &run));
    assert_int_equal(run, 1);
    zilch_study_close(study);
    zilch_optimizer_destroy(o);
    unlink(path);
}

/* Whatever another program wrote there, an error is said, and nothing else happens. */
static void damage_is_found(void **state)
{
    (void)state;
    static const char *const damage[] = {"UPDATE handed SET points = -1",
                                         "UPDATE handed SET points = 4611686018427387904",
                                         "UPDATE handed SET points = 1073741824",
                                         "UPDATE handed SET points = 1",
                                         "UPDATE told SET id = 99",
                                         "UPDATE told SET is_early = 1",
                                         "UPDATE handed SET points = 0"};
    for (size_t k = 0; k < COUNT(damage); k++) {
        zilch_optimizer *o = begin();
        uint64_t id[N];
        double x[N * DIM];
        size_t count;
        assert_int_equal(ask(3, 0, id, x), 3);
        OK(tell(1, id + 2, &(double){4.0}, NULL));
        edit(damage[k]);
        zilch_study *study = open_study();
        assert_int_equal(zilch_study_ask(study, 1, 1, 0, id, x, &count), ZILCH_EFORMAT);
        assert_int_equal(zilch_study_tell(study, 1, 1, id, x, NULL, NULL), ZILCH_EFORMAT);
        assert_int_equal(count, 0);
        zilch_study_close(study);
        zilch_optimizer_destroy(o);
        unlink(path);
    }
}

/* ---- Failures in words
 * ------------------------------------------------------------------------------------------ */

typedef struct heard {
    size_t count;
    char text[256];
} heard;

static zilch_status hear(void *context, const zilch_failure *f)
{
    heard *h = context;
    const size_t used = strlen(h->text);
    snprintf(h->text + used, sizeof h->text - used, "%llu:%llu %s|%s;", (unsigned long long)f->generation,
             (unsigned long long)f->id, f->reason, f->output);
    return ++h->count == 9 ? ZILCH_ESTOPPED : ZILCH_OK;
}

static void reasons_are_kept(void **state)
{
    (void)state;
    zilch_optimizer *o = begin();
    const zilch_failure first[] = {{0, UINT64_C(1) << 63, "after", NULL},
                                   {2, 7, "late", "x\ny"},
                                   {1, 9, "early", ""},
                                   {1, 3, NULL, "z"}};
    const zilch_failure second = {2, 7, "again", "it's \"so\""};
    heard h = {0};
    zilch_study *study = open_study();
    OK(zilch_study_fail(study, 1, COUNT(first), first));
    OK(zilch_study_fail(study, 1, 1, &second));
    OK(zilch_study_fail(study, 1, 0, NULL));
    OK(zilch_study_failures(study, 1, hear, &h));
    assert_string_equal(h.text, "1:3 |z;1:9 early|;2:7 again|it's \"so\";0:9223372036854775808 after|;");
    h.count = 8;
    assert_int_equal(zilch_study_failures(study, 1, hear, &h), ZILCH_ESTOPPED);
    assert_int_equal(zilch_study_fail(study, 1, 1, NULL), ZILCH_EARG);
    assert_int_not_equal(zilch_study_fail(study, 2, 1, &second), ZILCH_OK); /* no such run */
    assert_int_equal(zilch_study_failures(study, 1, NULL, NULL), ZILCH_EARG);
    zilch_study_close(study);
    zilch_optimizer_destroy(o);
    unlink(path);
}

/* ---- Where no law can follow --------------------------------------------------------------------- */

/* By hand, a run that has converged begins anew; the study has it as the optimiser in memory does. */
static void a_converged_run_begins_anew(void **state)
{
    (void)state;
    static const zilch_forced on[DIM] = {ZILCH_FORCED_ON, ZILCH_FORCED_ON, ZILCH_FORCED_ON, ZILCH_FORCED_ON,
                                         ZILCH_FORCED_ON};
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    options.forced = on;
    options.initial_sigma = 1e-138;
    zilch_optimizer *o = begin_with(&options);
    uint64_t id[N];
    double x[N * DIM], value[N];
    size_t generations = 0;
    for (; generations < 200 && zilch_optimizer_progress(o).restarts < 2; generations++) {
        int is_closed = 0;
        uint64_t same_id[N];
        double same_x[N * DIM];
        assert_int_equal(ask(N, 0, id, x), N);
        OK(zilch_optimizer_ask(o, N, same_id, same_x));
        assert_memory_equal(x, same_x, sizeof x);
        for (size_t i = 0; i < N; i++) {
            value[i] = 0.0;
            for (size_t j = 0; j < DIM; j++) {
                value[i] += fabs(x[i * DIM + j]);
            }
        }
        OK(tell(N, id, value, &is_closed));
        assert_true(is_closed);
        OK(zilch_optimizer_tell(o, N, same_id, value));
    }
    assert_int_equal(zilch_optimizer_progress(o).restarts, 2);
    zilch_study *study = open_study();
    zilch_conclusion c = {.stop = ZILCH_STOP_CONVERGED};
    OK(zilch_study_conclude(study, 1, &c, NULL));
    c.stop = ZILCH_STOP_NONE;
    OK(zilch_study_conclusion(study, 1, &c, NULL));
    assert_int_equal(c.stop, ZILCH_STOP_CONVERGED);
    zilch_study_close(study);
    end(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converged_run_begins_anew),
        cmocka_unit_test(a_run_by_hand_is_a_run),
        cmocka_unit_test(what_comes_late_counts),
        cmocka_unit_test(what_is_out_can_be_seen),
        cmocka_unit_test(a_generation_of_failures_is_asked_again),
        cmocka_unit_test(a_wrong_id_takes_all_back),
        cmocka_unit_test(values_of_other_points_are_refused),
        cmocka_unit_test(a_first_run_is_alone),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(reasons_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
