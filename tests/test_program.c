/* Evaluations by other programs: what is said and understood, what goes wrong, and that nobody is left
 * behind. */
#include "base/memory.h"
#include "parallel/answer.h"
#include "parallel/greeting.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DIM = 6, POINTS = 60, LOG_SIZE = 1 << 16 };

static char log_path[] = "/tmp/zilch_program_XXXXXX";

/* ---- Points, programs, and what they leave ------------------------------------------------------------ */

static uint64_t point_id[POINTS];
static double point_x[POINTS * DIM];

static zilch_batch points(size_t n)
{
    zilch_rng rng = zilch_rng_make(5, 0);
    zilch_rng_normals(&rng, COUNT(point_x), point_x);
    for (size_t i = 0; i < POINTS; i++) {
        point_id[i] = i;
        for (size_t j = i % 3; j < DIM; j += 3) {
            point_x[i * DIM + j] = 0.0;
        }
    }
    return (zilch_batch){.n = n, .dim = DIM, .generation = 4, .id = point_id, .x = point_x};
}

static double term(size_t index, double x)
{
    const double target = index < 3 ? (double)index + 1.0 : 0.0;
    return (x - target) * (x - target);
}

/* In the evaluator's order: sparsely, its three targets come last. */
static double expected_value(const double *x, int is_sparse)
{
    double sum = 0.0;
    for (size_t i = is_sparse ? 3 : 0; i < DIM; i++) {
        sum += x[i] != 0.0 || !is_sparse ? term(i, x[i]) : 0.0;
    }
    return is_sparse ? sum + term(0, x[0]) + term(1, x[1]) + term(2, x[2]) : sum;
}

typedef struct said {
    size_t count;
    zilch_failure last;
    char reason[256], output[4096];
    zilch_status status; /* what the reader gives back */
} said;

static said heard;

static zilch_status hear(void *context, const zilch_failure *failure)
{
    said *s = context;
    s->count++;
    s->last = *failure;
    snprintf(s->reason, sizeof s->reason, "%s", failure->reason);
    snprintf(s->output, sizeof s->output, "%s", failure->output);
    return s->status;
}

static zilch_program_options usual(zilch_protocol protocol)
{
    zilch_program_options o = zilch_program_defaults();
    memset(&heard, 0, sizeof heard);
    o.protocol = protocol;
    o.failure = hear;
    o.failure_context = &heard;
    o.max_failures = 0;
    return o;
}

/* The evaluator with up to three arguments. */
static zilch_program *open_evaluator(const zilch_program_options *o, const char *a, const char *b)
{
    const char *words[] = {getenv("ZILCH_EVALUATOR"), zilch_protocol_name(o->protocol), a, a ? b : NULL,
                           NULL};
    zilch_program *p;
    assert_int_equal(truncate(log_path, 0), 0);
    if (zilch_program_open(&p, words, o) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return p;
}

static size_t count_logged(const char *what)
{
    static char line[256];
    size_t count = 0;
    FILE *file = fopen(log_path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        count += strncmp(line, what, strlen(what)) == 0;
    }
    fclose(file);
    return count;
}

/* Of the processes that were logged, those that are still there, after up to five seconds. */
static size_t count_left(void)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    size_t left = 0;
    for (int k = 0; k < 500; k++) {
        FILE *file = fopen(log_path, "r");
        char line[64];
        left = 0;
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
            left += strncmp(line, "pid ", 4) == 0 && kill((pid_t)strtol(line + 4, NULL, 10), 0) == 0;
        }
        fclose(file);
        if (left == 0) {
            break;
        }
        nanosleep(&moment, NULL);
    }
    return left;
}

static size_t count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    assert_non_null(folder);
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count;
}

static void close_and_check(zilch_program *p)
{
    zilch_program_close(p);
    assert_int_equal(count_left(), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
    assert_int_equal(errno, ECHILD);
}

/* ---- In order --------------------------------------------------------------------------------------------
 */

/* Every protocol, one program or three, one point ahead or four, going on or started for each: the same
 * values, to the last bit. */
static void values_come_back(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, POINTS};
    const size_t descriptors = count_descriptors();
    for (size_t k = 0; k < 24; k++) {
        zilch_program_options o = usual((zilch_protocol)(k % 3));
        o.jobs = k / 3 % 2 ? 3 : 1;
        o.ahead = k / 6 % 2 ? 4 : 1;
        o.is_once = k / 12 % 2 != 0;
        o.timeout = 100;
        zilch_program *p = open_evaluator(&o, NULL, NULL);
        for (size_t c = 0; c < COUNT(counts); c++) {
            const zilch_batch batch = points(counts[c]);
            double value[POINTS + 1];
            value[counts[c]] = 77.0;
            assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
            for (size_t i = 0; i < batch.n; i++) {
                assert_true(value[i] ==
                            expected_value(batch.x + i * DIM, o.protocol == ZILCH_PROTOCOL_SPARSE));
            }
            assert_true(value[batch.n] == 77.0);
        }
        assert_int_equal(heard.count, 0);
        assert_int_equal(zilch_program_starts(p), o.is_once ? 1 + 2 + 7 + POINTS : o.jobs);
        close_and_check(p);
    }
    assert_int_equal(count_descriptors(), descriptors);
}

/* Four at a time, the last first. */
/* Four answers at once, while the next point is given out: none of them is passed over, however they meet. */
static void answers_come_in_any_order(void **state)
{
    (void)state;
    zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    const zilch_batch batch = points(POINTS);
    double value[POINTS];
    o.ahead = 4;
    o.timeout = 10;
    zilch_program *p = open_evaluator(&o, "reverse=4", NULL);
    for (int turn = 0; turn < 300; turn++) {
        assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
        for (size_t i = 0; i < POINTS; i++) {
            assert_true(value[i] == expected_value(batch.x + i * DIM, 0));
        }
        assert_int_equal(heard.count, 0);
    }
    close_and_check(p);
}

/* After a search, points come with the same ids. */
static void the_same_id_may_come_twice(void **state)
{
    (void)state;
    zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    zilch_batch batch = points(POINTS);
    double value[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        point_id[i] = (UINT64_C(1) << 63) + i % 3;
    }
    batch.generation = UINT64_MAX;
    o.ahead = 4;
    o.jobs = 2;
    zilch_program *p = open_evaluator(&o, NULL, NULL);
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
    for (size_t i = 0; i < POINTS; i++) {
        assert_true(value[i] == expected_value(batch.x + i * DIM, 0));
    }
    close_and_check(p);
}

static void errors_come_back(void **state)
{
    (void)state;
    const zilch_program_options o = usual(ZILCH_PROTOCOL_SPARSE);
    double value[POINTS], error[POINTS];
    zilch_batch batch = points(POINTS);
    zilch_program *p = open_evaluator(&o, "sigma=0.125", NULL);
    batch.error = error;
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
    for (size_t i = 0; i < POINTS; i++) {
        assert_true(error[i] == 0.125);
    }
    close_and_check(p);
}

/* A message of megabytes does not fit a pipe at once. */
static void large_points_go_through(void **state)
{
    (void)state;
    enum { LARGE = 100000 };
    const uint64_t id[2] = {1, 2};
    const size_t count = (size_t)2 * LARGE;
    double *x = calloc(count, sizeof *x);
    double value[2];
    for (size_t i = 0; i < count; i++) {
        x[i] = 1.0 / 3.0;
    }
    for (int is_once = 0; is_once < 2; is_once++) {
        const zilch_batch batch = {.n = 2, .dim = LARGE, .id = id, .x = x};
        zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
        o.is_once = is_once;
        zilch_program *p = open_evaluator(&o, NULL, NULL);
        assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
        assert_true(value[0] == value[1] && fabs(value[0] - (LARGE / 9.0 + 14.0 - 4.0)) < 1e-6);
        close_and_check(p);
    }
    free(x);
}

/* A program that ends after each answer is started again, without a word. */
static void who_ends_after_the_answer_is_started_again(void **state)
{
    (void)state;
    const zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    const zilch_batch batch = points(9);
    double value[9];
    zilch_program *p = open_evaluator(&o, "once=1", NULL);
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
    for (size_t i = 0; i < batch.n; i++) {
        assert_true(value[i] == expected_value(batch.x + i * DIM, 0));
    }
    assert_int_equal(heard.count, 0);
    assert_int_equal(zilch_program_starts(p), 9);
    close_and_check(p);
}

/* ---- Going wrong ------------------------------------------------------------------------------------------
 */

/* What goes wrong in every third evaluation or so is that evaluation's failure and no other's; what is said
 * of it; and whether another program was needed. */
static void what_goes_wrong_fails_alone(void **state)
{
    (void)state;
    static const struct {
        const char *how, *reason, *output;
        int is_restarted;
    } cases[] = {
        {"crash", "was ended by signal 11 (Segmentation fault)", "about to crash on ", 1},
        {"exit", "ended with status 3 before it answered", "cannot go on\n", 1},
        {"hang", "did not answer within 0.5 seconds", "", 1},
        {"garbage", "answered '?rubbish ?', which is not a JSON object", "", 1},
        {"wrong", "answered with an id that it was not given", "", 1},
        {"close", "closed its output before it answered", "", 1},
        {"error", "said: too hot", "", 0},
        {"null", "said: no value", "", 0},
    };
    for (size_t k = 0; k < 3 * COUNT(cases); k++) {
        const size_t c = k % COUNT(cases);
        char how[32];
        zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
        const zilch_batch batch = points(20);
        double value[20];
        size_t failures = 0;
        o.jobs = k < COUNT(cases) ? 1 : 2;
        o.ahead = k < 2 * COUNT(cases) ? 1 : 3;
        const int is_hanging = strcmp(cases[c].how, "hang") == 0;
        o.timeout = is_hanging ? 0.5 : 0.0;
        snprintf(how, sizeof how, "%s=%g", cases[c].how, is_hanging ? 0.15 : 0.3);
        zilch_program *p = open_evaluator(&o, how, NULL);
        assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
        for (size_t i = 0; i < batch.n; i++) {
            failures += isnan(value[i]) ? 1 : 0;
            assert_true(isnan(value[i]) || value[i] == expected_value(batch.x + i * DIM, 0));
        }
        assert_true(failures > 0 && failures < batch.n);
        assert_int_equal(heard.count, failures);
        assert_string_equal(heard.reason, cases[c].reason);
        assert_int_equal(strncmp(heard.output, cases[c].output, strlen(cases[c].output)), 0);
        assert_int_equal(heard.last.generation, 5);
        if (o.ahead == 1) {
            assert_int_equal(count_logged(cases[c].how), failures);
            const uint64_t again = cases[c].is_restarted ? failures : 0;
            assert_true(zilch_program_starts(p) <= o.jobs + again &&
                        zilch_program_starts(p) + o.jobs >= 1 + again);
        }
        close_and_check(p);
    }
}

static void plain_ones_fail_too(void **state)
{
    (void)state;
    static const char *const how[] = {"garbage=0.3", "null=0.3", "exit=0.3", "twice=0.3"};
    static const char *const reason[] = {
        "answered '?rubbish ?', which is not a number", "said: a value that is not finite",
        "ended with status 3 before it answered", "answered more than one line"};
    for (size_t k = 0; k < 2 * COUNT(how); k++) {
        zilch_program_options o = usual(ZILCH_PROTOCOL_PLAIN);
        const zilch_batch batch = points(20);
        double value[20];
        o.is_once = k >= COUNT(how);
        zilch_program *p = open_evaluator(&o, how[k % COUNT(how)], NULL);
        assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
        for (size_t i = 0; i < batch.n; i++) {
            assert_true(isnan(value[i]) || value[i] == expected_value(batch.x + i * DIM, 0));
        }
        if (o.is_once || k % COUNT(how) < 3) { /* else the line too much may come late */
            assert_true(heard.count > 0);
            assert_string_equal(heard.reason, reason[k % COUNT(how)]);
        }
        close_and_check(p);
    }
}

/* It reads nothing, and the message is larger than a pipe. */
static void the_deaf_are_not_waited_for(void **state)
{
    (void)state;
    enum { LARGE = 50000 };
    const uint64_t id = 1;
    double *x = calloc(LARGE, sizeof *x);
    double value = 0.0;
    const zilch_batch batch = {.n = 1, .dim = LARGE, .id = &id, .x = x};
    zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    o.timeout = 0.1;
    zilch_program *p = open_evaluator(&o, "deaf=1", NULL);
    assert_int_equal(zilch_program_objective(p, &batch, &value), ZILCH_OK);
    assert_true(isnan(value));
    assert_string_equal(heard.reason, "did not answer within 0.1 seconds");
    close_and_check(p);
    free(x);
}

static void too_many_failures_in_a_row_are_too_many(void **state)
{
    (void)state;
    zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    const zilch_batch batch = points(POINTS);
    double value[POINTS];
    o.max_failures = 7;
    o.jobs = 2;
    zilch_program *p = open_evaluator(&o, "exit=1", NULL);
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_EOBJECTIVE);
    assert_string_equal(zilch_last_error(),
                        "program: 7 evaluations in a row failed; the last one ended with status 3 "
                        "before it answered; it complained: cannot go on");
    assert_int_equal(heard.count, 7);
    close_and_check(p);
}

static int stop_after_ten(void *context, size_t done, size_t total)
{
    size_t *calls = context;
    *calls += 1;
    assert_int_equal(total, POINTS);
    return done >= 10;
}

static int stop_at_third_call(void *context, size_t done, size_t total)
{
    size_t *calls = context;
    *calls += 1;
    assert_int_equal(done, 0);
    assert_int_equal(total, POINTS);
    return *calls == 3;
}

/* The watcher is asked while nothing is answered: in silence, and while the program complains all the time.
 */
static void silence_can_be_stopped(void **state)
{
    (void)state;
    const char *const ways[][2] = {{"hang=1", NULL}, {"flood=1", "stubborn"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
        const zilch_batch batch = points(POINTS);
        double value[POINTS];
        size_t calls = 0;
        o.watcher = stop_at_third_call;
        o.watcher_context = &calls;
        zilch_program *p = open_evaluator(&o, ways[i][0], ways[i][1]);
        assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_ESTOPPED);
        assert_int_equal(calls, 3);
        close_and_check(p);
    }
}

/* By the watcher, by who hears of failures; afterwards it goes on. */
static void it_can_be_stopped(void **state)
{
    (void)state;
    zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    zilch_batch batch = points(POINTS);
    double value[POINTS];
    size_t calls = 0;
    o.watcher = stop_after_ten;
    o.watcher_context = &calls;
    o.jobs = 3;
    zilch_program *p = open_evaluator(&o, "exit=0.1", NULL);
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_ESTOPPED);
    assert_in_range(calls, 4, 10);
    heard.status = ZILCH_EIO;
    batch.id += 20;
    batch.n = 0;
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
    close_and_check(p);
    o.watcher = NULL;
    p = open_evaluator(&o, "exit=1", NULL);
    heard = (said){.status = ZILCH_EIO};
    batch = points(POINTS);
    assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_EIO);
    assert_int_equal(heard.count, 1);
    close_and_check(p);
}

/* ---- Nobody is left behind
 * ----------------------------------------------------------------------------------- */

/* Children that have left the group, for one of their own, are found too. */
static void children_go_with_their_program(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
        const zilch_batch batch = points(10);
        double value[10];
        o.is_once = k % 2;
        o.jobs = 2;
        zilch_program *p = open_evaluator(&o, "child=1", k < 2 ? NULL : "crash=0.5");
        assert_int_equal(zilch_program_objective(p, &batch, value), ZILCH_OK);
        assert_true(count_logged("pid") >= 4);
        close_and_check(p);
    }
}

/* A process that evaluates is killed: programs that wait, work or hang end with it, and their children. */
static void a_kill_leaves_nobody(void **state)
{
    (void)state;
    static const char *const how[] = {"sleep=5", "hang=1", "sleep=0"};
    for (size_t k = 0; k < COUNT(how); k++) {
        const struct timespec moment = {.tv_nsec = 10000000};
        assert_int_equal(truncate(log_path, 0), 0);
        const pid_t child = fork();
        if (child == 0) {
            zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
            const char *words[] = {getenv("ZILCH_EVALUATOR"), "json", how[k], "child=1", NULL};
            const zilch_batch batch = points(POINTS);
            double value[POINTS];
            zilch_program *p;
            o.jobs = 3;
            if (zilch_program_open(&p, words, &o) == ZILCH_OK) {
                for (;;) {
                    (void)!zilch_program_objective(p, &batch, value);
                }
            }
            _exit(1);
        }
        for (int i = 0; i < 1000 && count_logged("pid") < 6; i++) {
            nanosleep(&moment, NULL);
        }
        assert_int_equal(count_logged("pid"), 6);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(count_left(), 0);
    }
}

/* ---- What cannot be
 * ----------------------------------------------------------------------------------------- */

static void what_cannot_be_started_is_known_at_once(void **state)
{
    (void)state;
    const size_t descriptors = count_descriptors();
    const zilch_program_options o = usual(ZILCH_PROTOCOL_JSON);
    zilch_program *p;
    assert_int_equal(zilch_program_open(&p, (const char *[]){"./no such program", NULL}, &o), ZILCH_EIO);
    assert_null(p);
    assert_string_equal(zilch_last_error(),
                        "program: './no such program' cannot be started: No such file or directory");
    assert_int_equal(zilch_program_open(&p, (const char *[]){"/", "x", NULL}, NULL), ZILCH_EIO);
    assert_string_equal(zilch_last_error(), "program: '/' cannot be started: Permission denied");
    assert_int_equal(count_descriptors(), descriptors);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const char *const words[] = {"true", NULL};
    zilch_program *p;
    for (int k = 0; k < 6; k++) {
        zilch_program_options o = zilch_program_defaults();
        o.size += k == 0;
        o.jobs = k == 1 ? 5000 : 1;
        o.ahead = k == 2 ? 0 : 1;
        o.protocol = k == 3 ? (zilch_protocol)9 : ZILCH_PROTOCOL_JSON;
        o.timeout = k == 4 ? -1.0 : k == 5 ? NAN : 0.0;
        assert_int_equal(zilch_program_open(&p, words, &o), ZILCH_EARG);
        assert_null(p);
    }
    assert_int_equal(zilch_program_open(NULL, words, NULL), ZILCH_EARG);
    assert_int_equal(zilch_program_open(&p, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_program_open(&p, (const char *[]){"", NULL}, NULL), ZILCH_EARG);
    assert_int_equal(zilch_program_objective(NULL, &(zilch_batch){0}, NULL), ZILCH_EARG);
    assert_int_equal(zilch_program_starts(NULL), 0);
    zilch_program_close(NULL);
}

/* ---- Lines
 * ------------------------------------------------------------------------------------------------------ */

static void messages_are_as_documented(void **state)
{
    (void)state;
    static const double x[4] = {0.0, 1.5, -0.0, -0.1};
    static const char *const lines[] = {"{\"id\":7,\"x\":[0,1.5,0,-0.10000000000000001]}\n",
                                        "{\"id\":7,\"active\":{\"1\":1.5,\"3\":-0.10000000000000001}}\n",
                                        "0 1.5 0 -0.10000000000000001\n"};
    zi_text text = {0};
    for (size_t k = 0; k < COUNT(lines); k++) {
        assert_int_equal(zi_message_write(&text, (zilch_protocol)k, NULL, 7, 4, x), ZILCH_OK);
        assert_int_equal(text.length, strlen(lines[k]));
        assert_memory_equal(text.bytes, lines[k], text.length);
    }
    assert_int_equal(zi_message_write(&text, ZILCH_PROTOCOL_SPARSE, NULL, UINT64_C(1) << 63, 1, x), ZILCH_OK);
    assert_memory_equal(text.bytes, "{\"id\":4503599627370496,\"active\":{}}\n", text.length);
    static const char *const names[] = {"a", "\"b\\", "\n\xc3\xa4", "d"};
    zi_labels *labels;
    assert_int_equal(zi_labels_make(&labels, 4, names), ZILCH_OK);
    static const char *const named[] = {
        "{\"id\":7,\"x\":{\"a\":0,\"\\\"b\\\\\":1.5,\"\\u000a\xc3\xa4\":0,\"d\":-0.10000000000000001}}\n",
        "{\"id\":7,\"active\":{\"\\\"b\\\\\":1.5,\"d\":-0.10000000000000001}}\n"};
    for (size_t k = 0; k < COUNT(named); k++) {
        assert_int_equal(zi_message_write(&text, (zilch_protocol)k, labels, 7, 4, x), ZILCH_OK);
        assert_int_equal(text.length, strlen(named[k]));
        assert_memory_equal(text.bytes, named[k], text.length);
    }
    zi_free(labels);
    zi_text_free(&text);
}

static void greetings_are_read(void **state)
{
    (void)state;
    static const char *const wrong[] = {"{}",
                                        "[]",
                                        "hello",
                                        "{\"names\":[]}",
                                        "{\"names\":[\"a\",1]}",
                                        "{\"names\":[\"a\",\"\"]}",
                                        "{\"names\":\"a\"}",
                                        "{\"names\":[\"a\"],\"dim\":2}",
                                        "{\"dim\":0}",
                                        "{\"dim\":1e3}",
                                        "{\"dim\":2,\"id\":1}"};
    zi_greeting *g;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(zi_greeting_read(wrong[i], &g), ZILCH_EFORMAT);
        assert_null(g);
    }
    assert_int_equal(zi_greeting_read("{\"dim\": 12, \"other\": [1]}", &g), ZILCH_OK);
    assert_int_equal(g->dim, 12);
    assert_null(g->name);
    zi_free(g);
    assert_int_equal(zi_greeting_read(" {\"names\": [ \"a,b\" , \"\\\"]\\u00e4\"]}", &g), ZILCH_OK);
    assert_int_equal(g->dim, 2);
    assert_string_equal(g->name[0], "a,b");
    assert_string_equal(g->name[1], "\"]\xc3\xa4");
    zi_free(g);
}

static zilch_status read_points(const char *text, size_t dim, const char *const *names, zilch_answers **out)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    rewind(stream);
    const zilch_status status = zilch_answers_read(out, stream, dim, names);
    fclose(stream);
    return status;
}

static zilch_status read_text(const char *text, zilch_answers **out)
{
    return read_points(text, 0, NULL, out);
}

/* The same verdict for one line alone, */
static void parses_alike(const char *line, zi_verdict verdict, double value)
{
    zilch_answer answer;
    const zilch_status status = zilch_answer_parse(line, ZILCH_PROTOCOL_JSON, &answer);
    assert_int_equal(status, verdict == ZI_ANSWER_WRONG ? ZILCH_EFORMAT : ZILCH_OK);
    assert_true(verdict == ZI_ANSWER_VALUE ? answer.value == value : isnan(answer.value));
    assert_int_equal(*answer.reason != '\0', verdict == ZI_ANSWER_FAILED);
}

/* and for a file of it. */
static void reads_alike(const char *line, zi_verdict verdict, double value)
{
    zilch_answers *told;
    assert_int_equal(read_text(line, &told), verdict == ZI_ANSWER_WRONG ? ZILCH_EFORMAT : ZILCH_OK);
    if (told) {
        assert_int_equal(told->count, 1);
        assert_true(verdict == ZI_ANSWER_VALUE ? told->value[0] == value : isnan(told->value[0]));
        assert_int_equal(told->reason[0] != NULL, verdict == ZI_ANSWER_FAILED);
    }
    zilch_answers_destroy(told);
}

static void answers_are_read_as_documented(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        zi_verdict verdict;
        double value, sigma;
    } cases[] = {
        {"{\"id\":7,\"value\":3.25}", ZI_ANSWER_VALUE, 3.25, NAN},
        {" { \"sigma\" : 0 , \"value\" : -3 , \"id\" : 7, \"more\": [1] } ", ZI_ANSWER_VALUE, -3.0, 0.0},
        {"{\"id\":7,\"value\":1e-3,\"sigma\":2,\"error\":null}", ZI_ANSWER_VALUE, 1e-3, 2.0},
        {"{\"id\":7,\"value\":1,\"error\":\"no\"}", ZI_ANSWER_FAILED, 0, 0},
        {"{\"id\":7,\"value\":\"x\",\"error\":\"e\"}", ZI_ANSWER_FAILED, 0, 0},
        {"{\"id\":7,\"sigma\":-1,\"error\":\"e\"}", ZI_ANSWER_FAILED, 0, 0},
        {"{\"id\":7,\"value\":null,\"sigma\":-1}", ZI_ANSWER_FAILED, 0, 0},
        {"{\"id\":7,\"error\":null}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":9007199254740992,\"value\":1}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":1,\"note\":1,\"note\":2}", ZI_ANSWER_VALUE, 1.0, NAN},
        {"{\"id\":7,\"error\":5}", ZI_ANSWER_FAILED, 0, 0},
        {"{\"id\":7,\"value\":null}", ZI_ANSWER_FAILED, 0, 0},
        {"{\"id\":7}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":\"3\"}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":1,\"sigma\":-1}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":1,\"sigma\":\"x\"}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7.5,\"value\":1}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":-7,\"value\":1}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"value\":1}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":NaN}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":1e999}", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"id\":7,\"value\":1}", ZI_ANSWER_WRONG, 0, 0},
        {"[7,3.25]", ZI_ANSWER_WRONG, 0, 0},
        {"3.25", ZI_ANSWER_WRONG, 0, 0},
        {"", ZI_ANSWER_WRONG, 0, 0},
        {"{\"id\":7,\"value\":3.25}}", ZI_ANSWER_WRONG, 0, 0},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        zi_answer answer;
        assert_int_equal(zi_answer_read(cases[k].line, strlen(cases[k].line), ZILCH_PROTOCOL_JSON, &answer),
                         cases[k].verdict);
        if (cases[k].verdict == ZI_ANSWER_VALUE) {
            assert_int_equal(answer.id, 7);
            assert_true(answer.value == cases[k].value);
            assert_true(isnan(cases[k].sigma) ? isnan(answer.sigma) : answer.sigma == cases[k].sigma);
        } else {
            assert_true(*answer.why);
        }
        parses_alike(cases[k].line, cases[k].verdict, cases[k].value);
        if (*cases[k].line == '{') {
            reads_alike(cases[k].line, cases[k].verdict, cases[k].value);
        }
    }
}

/* What is wrong is told as data: the line, and the character or the field, which has a name. */
static void wrong_answers_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line, field, character;
        const char *name, *message;
    } cases[] = {
        {"id,value\n0,1\n1,x\n", 3, 2, ZILCH_NOWHERE, "value", "'x' is not a number"},
        {"a,id,value,sigma\n7,0,1,-1\n", 2, 4, ZILCH_NOWHERE, "sigma", "'-1' is not a number from 0 on"},
        {"0,\"1\n", 1, 2, ZILCH_NOWHERE, "", "its quotes are not closed"},
        {"0,1\n1,2,3\n", 2, ZILCH_NOWHERE, ZILCH_NOWHERE, "", "has 3 fields"},
        {"{\"id\":0,\"value\":1}\n{\"id\":1,\"value\":}\n", 2, ZILCH_NOWHERE, 17, "",
         "is not a JSON object: "},
        {"{\"id\":0,\"value\":1,\"id\":2}\n", 1, ZILCH_NOWHERE, 24, "", "duplicate object key"},
        {"{\"id\":0}\n", 1, ZILCH_NOWHERE, ZILCH_NOWHERE, "", "has neither"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        zilch_answers *told = (zilch_answers *)&wrong_answers_have_a_place;
        assert_int_equal(read_text(cases[k].text, &told), ZILCH_EFORMAT);
        assert_null(told);
        const zilch_error error = zilch_last_error_details();
        assert_true(error.line == cases[k].line);
        assert_true(error.field == cases[k].field);
        assert_true(error.character == cases[k].character);
        assert_string_equal(error.name, cases[k].name);
        assert_non_null(strstr(error.message, cases[k].message));
    }
}

/* Coordinates that stand beside a value, in a table and in JSON, by number and by name. */
static void points_beside_values_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"flour", "x3", "salt"};
    static const struct {
        const char *text;
        int is_named;
        double x[3]; /* of the last line */
    } cases[] = {
        {"x2,id,x1,value,x3\n1.5,7,0,3,-2e-3\n", 0, {0, 1.5, -2e-3}},
        {"X2 id note value\n1.5 7 a 3\n", 0, {NAN, 1.5, NAN}},
        {"x1;x2;id;value\n1;2;6;1\n;2.5;7;3\n", 0, {NAN, 2.5, NAN}},
        {"salt,id,value,flour,x4,x02\n1,7,3,2,a,b\n", 1, {2, NAN, 1}},
        {"x3,x1,id,value\n1,2,7,3\n", 1, {2, 1, NAN}}, /* a name comes before a number */
        {"{\"id\":7,\"value\":3,\"x\":[0, -1.5 ,2e1]}\n", 0, {0, -1.5, 20}},
        {"{\"id\":6,\"value\":3}\n{\"active\":{\"1\":1.5},\"id\":7,\"error\":\"e\"}\n", 0, {0, 1.5, 0}},
        {"{\"id\":7,\"value\":3,\"x\":{ \"x3\" : 4 , \"0\":5}}\n", 1, {5, 4, NAN}},
        {"{\"id\":6,\"x\":[1,2,3],\"value\":3}\n{\"id\":7,\"x\":null,\"value\":3}\n", 0, {NAN, NAN, NAN}},
        {"{\"id\":7,\"value\":3,\"active\":{}}\n", 1, {0, 0, 0}},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        zilch_answers *told;
        assert_int_equal(read_points(cases[k].text, 3, cases[k].is_named ? names : NULL, &told), ZILCH_OK);
        const size_t last = told->count - 1;
        assert_true(told->id[last] == 7 && told->dim == 3 && told->x);
        for (size_t i = 0; i < 3; i++) {
            const double x = told->x[3 * last + i];
            assert_true(isnan(cases[k].x[i]) ? isnan(x) : x == cases[k].x[i]);
        }
        assert_int_equal(told->line[last], last + 1 + (*cases[k].text != '{'));
        zilch_answers_destroy(told);
        assert_int_equal(read_text(cases[k].text, &told), ZILCH_OK); /* where nobody asks for them */
        assert_null(told->x);
        zilch_answers_destroy(told);
    }
    char many[4000] = "id,x1,x2,x3,value\n";
    for (int i = 0; i < 70; i++) {
        sprintf(many + strlen(many), "%d,%d,%d,%d,1\n", i, i, i + 1, i + 2);
    }
    zilch_answers *told;
    assert_int_equal(read_points(many, 3, NULL, &told), ZILCH_OK);
    for (size_t i = 0; i < 70 * 3; i++) {
        assert_true(told->x[i] == (double)(i / 3 + i % 3));
    }
    zilch_answers_destroy(told);
}

static void wrong_points_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line, field, character;
        const char *name, *message;
    } cases[] = {
        {"id,x1,value\n1,2,3\n2,abc,3\n", 3, 2, ZILCH_NOWHERE, "x1", "'abc' is not a number"},
        {"id;x1;value\n1;2,5;3\n", 2, 2, ZILCH_NOWHERE, "x1", "with a decimal point"},
        {"id;x2;value\n1;nan;3\n", 2, 2, ZILCH_NOWHERE, "x2", "'nan' is not a number"},
        {"x1,id,value,X1\n1,2,3,4\n", 1, ZILCH_NOWHERE, ZILCH_NOWHERE, "", "fields 1 and 4 are both called"},
        {"{\"id\":1,\"x\":[1],\"value\":3}\n", 1, ZILCH_NOWHERE, 15, "", "has more coordinates"},
        {"{\"id\":1,\"x\":[1,2,3],\"value\":3}\n", 1, ZILCH_NOWHERE, 18, "", "has fewer coordinates"},
        {"{\"id\":1,\"x\":[1,\"2\"],\"value\":3}\n", 1, ZILCH_NOWHERE, 16, "", "a coordinate is a number"},
        {"{\"id\":1,\"x\":7,\"value\":3}\n", 1, ZILCH_NOWHERE, 13, "", "is an array of numbers"},
        {"{\"id\":1,\"active\":[1,2],\"value\":3}\n", 1, ZILCH_NOWHERE, 18, "", "is an object"},
        {"{\"id\":1,\"active\":{\"2\":1},\"value\":3}\n", 1, ZILCH_NOWHERE, 19, "", "no coordinate"},
        {"{\"id\":1,\"active\":{\"01\":1},\"value\":3}\n", 1, ZILCH_NOWHERE, 19, "", "no coordinate"},
        {"{\"id\":1,\"active\":{\"1\":null},\"value\":3}\n", 1, ZILCH_NOWHERE, 23, "", "is a number"},
        {"{\"id\":1,\"x\":[1,2],\"active\":{},\"value\":3}\n", 1, ZILCH_NOWHERE, 28, "", "is said once"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        zilch_answers *told;
        assert_int_equal(read_points(cases[k].text, 2, NULL, &told), ZILCH_EFORMAT);
        assert_null(told);
        const zilch_error error = zilch_last_error_details();
        assert_true(error.line == cases[k].line);
        assert_true(error.field == cases[k].field);
        assert_true(error.character == cases[k].character);
        assert_string_equal(error.name, cases[k].name);
        assert_non_null(strstr(error.message, cases[k].message));
    }
}

static void command_lines_are_cut_into_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words[5];
    } cases[] = {
        {"a", {"a"}},
        {"  a \t b\nc ", {"a", "b", "c"}},
        {"'a b' \"c 'd\" e\\ f", {"a b", "c 'd", "e f"}},
        {"a'b'\"c\"\\\\ '' \"\"", {"abc\\", "", ""}},
        {"'\\' \"\\\"\" *$;\\", {"\\", "\"", "*$;\\"}},
    };
    char **words;
    for (size_t k = 0; k < COUNT(cases); k++) {
        assert_int_equal(zilch_program_words(&words, cases[k].text), ZILCH_OK);
        size_t i = 0;
        for (; cases[k].words[i]; i++) {
            assert_non_null(words[i]);
            assert_string_equal(words[i], cases[k].words[i]);
        }
        assert_null(words[i]);
        zilch_program_words_destroy(words);
    }
    static const char *const wrong[] = {"", " \t", "a 'b", "\"", "a \"b\\\""};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        assert_int_equal(zilch_program_words(&words, wrong[k]), ZILCH_EARG);
        assert_null(words);
        assert_string_equal(zilch_last_error_details().message, k < 2 ? "is empty" : "a quote is not closed");
    }
}

/* A reason is kept whole, however long it is; zilch_answer has room for its beginning. */
static void long_reasons_are_kept(void **state)
{
    (void)state;
    char line[3000] = "{\"id\":3,\"error\":\"";
    char *const reason = line + strlen(line);
    zilch_answers *told;
    zilch_answer answer;
    memset(reason, 'x', 2000);
    strcpy(reason + 2000, "\"}");
    assert_int_equal(zilch_answer_parse(line, ZILCH_PROTOCOL_SPARSE, &answer), ZILCH_OK);
    assert_true(answer.id == 3 && isnan(answer.value) && strlen(answer.reason) == ZILCH_REASON_SIZE - 1);
    strcat(line, "\n{\"id\":4,\"value\":2,\"sigma\":0.5}\n");
    assert_int_equal(read_text(line, &told), ZILCH_OK);
    assert_int_equal(told->count, 2);
    assert_int_equal(strlen(told->reason[0]), 2000);
    assert_true(told->id[1] == 4 && told->value[1] == 2.0 && told->sigma[1] == 0.5 && !told->reason[1]);
    zilch_answers_destroy(told);
    assert_int_equal(zilch_answer_parse(NULL, ZILCH_PROTOCOL_JSON, &answer), ZILCH_EARG);
    assert_int_equal(zilch_answers_read(&told, NULL, 0, NULL), ZILCH_EARG);
}

static int make_log(void **state)
{
    (void)state;
    const int file = mkstemp(log_path);
    return file < 0 || close(file) != 0 || setenv("ZILCH_TEST_LOG", log_path, 1) != 0;
}

static int remove_log(void **state)
{
    (void)state;
    return unlink(log_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(answers_come_in_any_order),
        cmocka_unit_test(the_same_id_may_come_twice),
        cmocka_unit_test(errors_come_back),
        cmocka_unit_test(large_points_go_through),
        cmocka_unit_test(who_ends_after_the_answer_is_started_again),
        cmocka_unit_test(what_goes_wrong_fails_alone),
        cmocka_unit_test(plain_ones_fail_too),
        cmocka_unit_test(the_deaf_are_not_waited_for),
        cmocka_unit_test(too_many_failures_in_a_row_are_too_many),
        cmocka_unit_test(silence_can_be_stopped),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(children_go_with_their_program),
        cmocka_unit_test(a_kill_leaves_nobody),
        cmocka_unit_test(what_cannot_be_started_is_known_at_once),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(messages_are_as_documented),
        cmocka_unit_test(greetings_are_read),
        cmocka_unit_test(answers_are_read_as_documented),
        cmocka_unit_test(wrong_answers_have_a_place),
        cmocka_unit_test(points_beside_values_are_read),
        cmocka_unit_test(wrong_points_have_a_place),
        cmocka_unit_test(long_reasons_are_kept),
        cmocka_unit_test(command_lines_are_cut_into_words),
    };
    return cmocka_run_group_tests(tests, make_log, remove_log);
}
