/* Programs that do not want to end: after the timeout nothing of them is left, the search goes on soon, and
 * the failure says what happened. Each is tried with guards alone, and with a cgroup too where those may be
 * used. */
#define _GNU_SOURCE
#include "parallel/cgroup.h"
#include "support.h"
#include "zilch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char log_path[] = "/tmp/zilch_guard_XXXXXX";
static char folder_path[] = "/tmp/zilch_guard_XXXXXX";

/* ---- What is left ---------------------------------------------------------------------------------------
 */

/* A process of the evaluator has the name of the log in its environment. */
static int is_evaluator(const char *process)
{
    static char text[1 << 17];
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/environ", process);
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)(text[i] ? text[i] : '\n');
    }
    text[length] = '\0';
    return strstr(text, log_path) != NULL;
}

static size_t look_for_processes(int is_killing)
{
    size_t count = 0;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const long number = strtol(entry->d_name, NULL, 10);
        if (number > 1 && number != getpid() && is_evaluator(entry->d_name)) {
            count++;
            if (is_killing) {
                kill((pid_t)number, SIGKILL);
            }
        }
    }
    closedir(folder);
    return count;
}

static void rest(long milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Several looks: a chain may be between two processes for a moment. What is left is killed, so that a test
 * that fails leaves nothing. */
static size_t count_left(void)
{
    size_t count = 0;
    for (int k = 0; k < 10; k++) {
        count += look_for_processes(1);
        rest(5);
    }
    return count;
}

/* Cgroups of a process that has started programs. */
static size_t count_cgroups(pid_t owner)
{
    char prefix[32];
    size_t count = 0;
    zi_cgroup one = zi_cgroup_make();
    const int above = one.folder >= 0 ? openat(one.folder, "..", O_RDONLY | O_DIRECTORY) : -1;
    DIR *folder = above >= 0 ? fdopendir(above) : NULL;
    snprintf(prefix, sizeof prefix, "zilch.%d.", (int)owner);
    for (const struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && strcmp(entry->d_name, one.name) != 0;
    }
    if (folder) {
        closedir(folder);
    }
    assert_int_equal(zi_cgroup_end(&one), 0);
    zi_cgroup_close(&one);
    return count;
}

static int may_use_cgroups(void)
{
    zi_cgroup one = zi_cgroup_make();
    const int is_made = one.folder >= 0;
    assert_int_equal(zi_cgroup_end(&one), 0);
    zi_cgroup_close(&one);
    if (!is_made) {
        print_message("cgroups may not be used here\n");
    }
    return is_made;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- An evaluation that fails -----------------------------------------------------------------------------
 */

static char reason[512];

static zilch_status hear(void *context, const zilch_failure *failure)
{
    (void)context;
    snprintf(reason, sizeof reason, "%s", failure->reason);
    return ZILCH_OK;
}

/* One point; the seconds that it took. */
static double evaluate(const char *program, const char *first, const char *second, double timeout)
{
    const char *words[] = {program, "json", "stubborn", first, second, NULL};
    const double x[3] = {0};
    const uint64_t id = 1;
    const zilch_batch batch = {.n = 1, .dim = 3, .id = &id, .x = x};
    zilch_program_options o = zilch_program_defaults();
    zilch_program *p;
    double value = 0.0;
    o.failure = hear;
    o.timeout = timeout;
    *reason = '\0';
    assert_int_equal(zilch_program_open(&p, words, &o), ZILCH_OK);
    const double begin = now();
    assert_int_equal(zilch_program_objective(p, &batch, &value), ZILCH_OK);
    assert_true(isnan(value));
    const double seconds = now() - begin;
    zilch_program_close(p);
    return seconds;
}

#define LATE "did not answer within 0.3 seconds"
#define CLOSED "closed its output before it answered"
#define UNGUARDED "; its guard process was killed or did not answer"

enum { SECONDS_MOST = 15 }; /* on a busy machine */

/* What is said of it; where two things happen at once, there are two reasons. */
typedef struct hard_case {
    const char *first, *second, *reason, *other;
} hard_case;

static const hard_case cases[] = {
    {"daemons=5", "shut=1", LATE, CLOSED},
    {"daemons=5", "halt=1", LATE, LATE},
    {"chains=1", "", LATE, LATE},
    {"chains=30", "", LATE, LATE},
    {"hops=1", "", LATE, LATE},
    {"hops=10", "", LATE, LATE},
    {"bomb=5", "", LATE, LATE},
    {"flood=1", "", LATE, LATE},
    {"stop=1", "", LATE, LATE},
    {"stop=2", "daemons=3", LATE, LATE},
    {"stop=3", "chains=3", LATE, LATE},
    {"stop=4", "daemons=3", LATE, LATE UNGUARDED},
    {"kill=1", "daemons=3", "was ended by signal 9 (Killed)" UNGUARDED, CLOSED UNGUARDED},
    {"kill=1", "chains=3", "was ended by signal 9 (Killed)" UNGUARDED, CLOSED UNGUARDED},
    {"kill=2", "daemons=3", CLOSED UNGUARDED, LATE UNGUARDED},
    {"kill=2", "chains=3", CLOSED UNGUARDED, LATE UNGUARDED},
};

/* These need a cgroup, or are another way through the code with one. */
static const hard_case cases_of_cgroups[] = {
    {"daemons=5", "shut=1", LATE, CLOSED},
    {"chains=100", "hops=20", LATE, LATE},
    {"stop=4", "chains=20", LATE, LATE UNGUARDED},
    {"kill=1", "chains=3", "was ended by signal 9 (Killed)" UNGUARDED, CLOSED UNGUARDED},
    {"kill=2", "chains=3", CLOSED UNGUARDED, LATE UNGUARDED},
    {"kill=3", "daemons=3", CLOSED UNGUARDED, LATE UNGUARDED},
    {"kill=3", "chains=20", CLOSED UNGUARDED, LATE UNGUARDED},
    {"kill=4", "chains=20", CLOSED UNGUARDED, LATE UNGUARDED},
};

/* The processes that are left. */
static size_t try_case(const hard_case *c)
{
    const double seconds = evaluate(getenv("ZILCH_EVALUATOR"), c->first, c->second, 0.3);
    const size_t left = count_left();
    print_message("%s %s: %zu processes left, %.2f seconds: %s\n", c->first, c->second, left, seconds,
                  reason);
    assert_true(seconds < SECONDS_MOST && (strcmp(reason, c->reason) == 0 || strcmp(reason, c->other) == 0));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
    assert_int_equal(errno, ECHILD);
    return left;
}

static void nothing_outlives_the_timeout(void **state)
{
    (void)state;
    const char *only = getenv("ZILCH_TEST_ONLY"); /* to look at one by hand */
    zi_cgroup_forbid(1);
    for (size_t k = 0; k < COUNT(cases); k++) {
        if (!only || strcmp(only, cases[k].first) == 0) {
            assert_int_equal(try_case(&cases[k]), 0);
        }
    }
}

static void nothing_gets_out_of_a_cgroup(void **state)
{
    (void)state;
    if (!may_use_cgroups()) {
        skip();
    }
    for (size_t k = 0; k < COUNT(cases_of_cgroups); k++) {
        assert_int_equal(try_case(&cases_of_cgroups[k]), 0);
        assert_int_equal(count_cgroups(getpid()), 0);
    }
}

/* Without guards and without a cgroup, daemons are left, but the search goes on and says why. */
static void without_guards_the_search_goes_on(void **state)
{
    (void)state;
    static const hard_case killed[] = {{"kill=3", "daemons=3", CLOSED UNGUARDED, LATE UNGUARDED},
                                       {"kill=4", "daemons=3", CLOSED UNGUARDED, LATE UNGUARDED}};
    zi_cgroup_forbid(1);
    for (size_t k = 0; k < COUNT(killed); k++) {
        (void)try_case(&killed[k]);
        assert_int_equal(count_left(), 0);
    }
}

/* More chains than guards can be sure to end. The cgroup here is the test's: it ends what they leave. */
static void too_many_chains_hold_nobody_up(void **state)
{
    (void)state;
    int status = -1;
    if (!may_use_cgroups()) {
        skip();
    }
    zi_cgroup all = zi_cgroup_make();
    const pid_t child = zi_cgroup_fork(&all);
    if (child == 0) {
        zi_cgroup_forbid(1);
        const double seconds = evaluate(getenv("ZILCH_EVALUATOR"), "chains=100", "hops=20", 0.3);
        _exit(seconds > SECONDS_MOST || strncmp(reason, LATE, strlen(LATE)) != 0);
    }
    const pid_t ended = waitpid(child, &status, 0);
    const int left = zi_cgroup_end(&all);
    zi_cgroup_close(&all);
    assert_int_equal(ended, child);
    assert_int_equal(status, 0);
    assert_int_equal(left, 0);
    assert_int_equal(count_left(), 0);
}

/* This is the first test: our cgroup is looked for once. */
static void a_cgroup_of_the_dead_is_removed(void **state)
{
    (void)state;
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        const zi_cgroup one = zi_cgroup_make();
        _exit(one.folder < 0 || mkdirat(one.folder, "below", 0755) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!may_use_cgroups()) {
        skip();
    }
    assert_int_equal(status, 0);
    assert_int_equal(count_cgroups(child), 0);
}

/* A timer of 0 nanoseconds would not ring. */
static void the_shortest_timeout_is_one(void **state)
{
    (void)state;
    static const double timeouts[] = {1e-10, 5e-324, 1e-9, 0.9999999999, 1e-3};
    for (size_t k = 0; k < COUNT(timeouts); k++) {
        char expected[64];
        snprintf(expected, sizeof expected, "did not answer within %g seconds", timeouts[k]);
        assert_true(evaluate(getenv("ZILCH_EVALUATOR"), NULL, NULL, timeouts[k]) < SECONDS_MOST);
        assert_string_equal(reason, expected);
        assert_int_equal(count_left(), 0);
    }
}

/* ---- Other users
 * -------------------------------------------------------------------------------------------- */

static void a_change_of_user_does_not_help(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    for (int is_forbidden = 0; is_forbidden < 2; is_forbidden++) {
        zi_cgroup_forbid(is_forbidden);
        assert_true(evaluate(getenv("ZILCH_EVALUATOR"), "user=1", "daemons=2", 0.3) < SECONDS_MOST);
        assert_string_equal(reason, LATE);
        assert_int_equal(count_left(), 0);
    }
}

/* One that belongs to root and runs as its owner. */
static int copy_evaluator(const char *path)
{
    static char bytes[1 << 16];
    FILE *from = fopen(getenv("ZILCH_EVALUATOR"), "r");
    FILE *to = fopen(path, "w");
    int is_copied = from && to;
    for (size_t count = 1; is_copied && count;) {
        count = fread(bytes, 1, sizeof bytes, from);
        is_copied = fwrite(bytes, 1, count, to) == count;
    }
    is_copied = from && fclose(from) == 0 && is_copied;
    is_copied = to && fclose(to) == 0 && is_copied;
    return is_copied && chmod(path, 04755) == 0;
}

#define STRANGER 1987654321
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* Nobody else can use that file: it is in a file system that only this process and its children see, and that
 * goes when they go. Its folder belongs to a user who has nothing else. */
static int make_root_evaluator(const char *path)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder_path, "tmpfs", 0, "mode=0700,uid=" TEXT(STRANGER)) == 0 &&
           copy_evaluator(path);
}

enum { IMPOSSIBLE = 77 };

static int evaluate_as_stranger(void)
{
    char expected[128];
    char program[sizeof folder_path + 16];
    snprintf(program, sizeof program, "%s/evaluator", folder_path);
    if (!make_root_evaluator(program) || setresgid(STRANGER, STRANGER, STRANGER) != 0 ||
        setresuid(STRANGER, STRANGER, STRANGER) != 0) {
        return IMPOSSIBLE;
    }
    const double seconds = evaluate(program, "user=0.5", "daemons=2", 0.3);
    const char *number = strstr(reason, "its process ");
    snprintf(expected, sizeof expected,
             LATE "; its process %ld, which belongs to another user, could not be ended",
             number ? strtol(number + 12, NULL, 10) : 0);
    return seconds > SECONDS_MOST || strcmp(reason, expected) != 0;
}

/* It is not waited for. */
static void a_process_that_may_not_be_killed_is_named(void **state)
{
    (void)state;
    const pid_t child = geteuid() == 0 ? fork() : -1;
    if (child == 0) {
        _exit(evaluate_as_stranger());
    }
    int status = -1;
    if (child < 0) {
        skip();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    const size_t left = count_left();
    if (WIFEXITED(status) && WEXITSTATUS(status) == IMPOSSIBLE) {
        print_message("a file system of its own may not be made here\n");
        skip();
    }
    assert_int_equal(status, 0);
    assert_true(left > 0);
    assert_int_equal(count_left(), 0);
}

/* ---- Us
 * ------------------------------------------------------------------------------------------------------- */

/* We are killed while the program does its worst. The guards are still at work then, for a moment. */
static void a_kill_leaves_nothing(void **state)
{
    (void)state;
    static const char *const how[][2] = {
        {"chains=10", ""}, {"daemons=5", "stop=1"}, {"bomb=4", "halt=1"}, {"kill=2", "chains=2"}};
    for (size_t k = 0; k < COUNT(how); k++) {
        const pid_t child = fork();
        if (child == 0) {
            (void)evaluate(getenv("ZILCH_EVALUATOR"), how[k][0], how[k][1], 0.0);
            rest(60000);
            _exit(0);
        }
        rest(500);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        for (int i = 0; i < 500 && (look_for_processes(0) > 0 || count_cgroups(child) > 0); i++) {
            rest(10);
        }
        assert_int_equal(count_left(), 0);
        assert_int_equal(count_cgroups(child), 0);
    }
}

static int make_files(void **state)
{
    (void)state;
    const int file = mkstemp(log_path);
    return file < 0 || fchmod(file, 0666) != 0 || close(file) != 0 ||
           setenv("ZILCH_TEST_LOG", log_path, 1) != 0 || !mkdtemp(folder_path);
}

static int remove_files(void **state)
{
    (void)state;
    const int is_left = rmdir(folder_path) != 0;
    return unlink(log_path) != 0 || is_left;
}

static int allow_cgroups(void **state)
{
    (void)state;
    zi_cgroup_forbid(0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cgroup_of_the_dead_is_removed),
        cmocka_unit_test_teardown(nothing_outlives_the_timeout, allow_cgroups),
        cmocka_unit_test(nothing_gets_out_of_a_cgroup),
        cmocka_unit_test_teardown(without_guards_the_search_goes_on, allow_cgroups),
        cmocka_unit_test(too_many_chains_hold_nobody_up),
        cmocka_unit_test(the_shortest_timeout_is_one),
        cmocka_unit_test_teardown(a_change_of_user_does_not_help, allow_cgroups),
        cmocka_unit_test(a_process_that_may_not_be_killed_is_named),
        cmocka_unit_test(a_kill_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
