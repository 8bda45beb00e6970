/* An evaluator for tests: the squared distance of a point from (1, 2, 3, 0, 0, ...), and every way to go
 * wrong.
 *
 *     evaluator [json|sparse|plain] [HOW=NUMBER ...]
 *
 * sigma=S       says how sure it is
 * reverse=K     answers K points at a time, the last first
 * crash=P exit=P hang=P garbage=P wrong=P twice=P close=P error=P null=P
 *               in this share of the ids (by a hash of the id, or of the point if it is plain): a
 * segmentation fault, exit(3), silence, rubbish, another point's id, a line too much, a closed output, an
 *               error in order, no value in order
 * once=1        ends after the first answer
 * child=1       has a child of its own, in a session of its own, that sleeps
 * sleep=MS      takes so long for each point
 * deaf=1        reads nothing
 *
 * When a point comes, and then silence if "stubborn" is said too:
 *
 * daemons=N     N processes, without a parent and in sessions of their own, that hold the pipes open and
 * ignore signals chains=N      N processes that fork and exit, and so do their children, for ever bomb=N a
 * tree of processes, N deep, two children each, whose leaves fork all the time user=1        a child that
 * becomes another user, who is nobody; user=0.5: this and a child become root shut=1        all descriptors
 * are closed flood=1       complains for ever stop=K kill=K stops or kills 1: its guard, 2: the guard's
 * guard, 3: both, 4: both again and again; a child of its own does it halt=1        stops itself
 *
 * ZILCH_TEST_LOG in the environment names a file that gets a line for each thing that went wrong, and one for
 * each process ("pid 123"). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MOST = 1 << 24, HELD_MOST = 64 };

static int argument_count;
static char **arguments;

static double setting(const char *name)
{
    const size_t length = strlen(name);
    for (int i = 1; i < argument_count; i++) {
        if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') {
            return strtod(arguments[i] + length + 1, NULL);
        }
    }
    return 0.0;
}

static int is_said(const char *word)
{
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], word) == 0) {
            return 1;
        }
    }
    return 0;
}

static void write_log(const char *what, long number)
{
    char line[64];
    const char *path = getenv("ZILCH_TEST_LOG");
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    const int length = snprintf(line, sizeof line, "%s %ld\n", what, number);
    if (file >= 0) {
        if (write(file, line, (size_t)length) != length) {
            abort();
        }
        close(file);
    }
}

/* ---- Points ------------------------------------------------------------------------------------- */

static double term(size_t index, double x)
{
    const double target = index < 3 ? (double)index + 1.0 : 0.0;
    return (x - target) * (x - target);
}

static double value_of(char *line)
{
    char *at = strchr(line, '[') ? strchr(line, '[') + 1 : line;
    double sum = 0.0;
    if (is_said("sparse")) {
        double seen[3] = {0};
        for (at = strchr(strstr(line, "active"), '{') + 1; *at == '"' || *at == ',';) {
            const size_t index = strtoul(strchr(at, '"') + 1, &at, 10);
            const double x = strtod(at + 2, &at);
            sum += index < 3 ? 0.0 : term(index, x);
            seen[index < 3 ? index : 0] = index < 3 ? x : seen[0];
        }
        return sum + term(0, seen[0]) + term(1, seen[1]) + term(2, seen[2]);
    }
    for (size_t i = 0;; i++) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at) {
            return sum;
        }
        sum += term(i, x);
        at = end + (*end == ',');
    }
}

/* In [0, 1), the same for the same key. */
static double chance(uint64_t key, const char *what)
{
    for (; *what; what++) {
        key = (key ^ (unsigned char)*what) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 29;
    }
    return (double)(key >> 11) * 0x1p-53;
}

static int goes(const char *what, uint64_t key)
{
    const int is_so = chance(key, what) < setting(what);
    if (is_so) {
        write_log(what, (long)key);
    }
    return is_so;
}

/* ---- Going wrong ---------------------------------------------------------------------------------- */

static void go_wrong(uint64_t key)
{
    if (goes("crash", key)) {
        fprintf(stderr, "about to crash on %llu\n", (unsigned long long)key);
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler */
        raise(SIGSEGV);
    }
    if (goes("exit", key)) {
        fputs("cannot go on\n", stderr);
        exit(3);
    }
    if (goes("hang", key)) {
        for (;;) {
            pause();
        }
    }
    if (goes("close", key)) {
        fclose(stdout);
        pause();
    }
}

static void answer(uint64_t id, uint64_t key, double value)
{
    const int is_plain = is_said("plain");
    if (goes("garbage", key)) {
        puts("\001rubbish \377");
    } else if (goes("wrong", key)) {
        printf("{\"id\":%llu,\"value\":1}\n", (unsigned long long)id + 1000000);
    } else if (goes("error", key)) {
        printf("{\"id\":%llu,\"error\":\"too hot\"}\n", (unsigned long long)id);
    } else if (goes("null", key)) {
        printf(is_plain ? "nan\n" : "{\"id\":%llu,\"value\":null}\n", (unsigned long long)id);
    } else if (is_plain) {
        printf("%.17g\n", value);
    } else if (setting("sigma") > 0.0) {
        printf("{\"value\": %.17g, \"sigma\": %.17g, \"id\": %llu}\n", value, setting("sigma"),
               (unsigned long long)id);
    } else {
        printf("{\"id\":%llu,\"value\":%.17g}\n", (unsigned long long)id, value);
    }
    if (goes("twice", key)) {
        puts("and another thing");
    }
    fflush(stdout);
}

static void rest(void)
{
    const double milliseconds = setting("sleep");
    const struct timespec time = {.tv_sec = (time_t)(milliseconds / 1000),
                                  .tv_nsec = (long)(fmod(milliseconds, 1000) * 1e6)};
    nanosleep(&time, NULL);
}

static uint64_t key_of(const char *line, uint64_t id)
{
    uint64_t sum = id;
    for (const char *c = is_said("plain") ? line : ""; *c; c++) {
        sum = (sum ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static void have_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        pause();
        _exit(0);
    }
    write_log("pid", child);
}

/* ---- Not to be got rid of ---------------------------------------------------------------------- */

/* 1: in the child. */
static int is_child(void)
{
    const pid_t child = fork();
    return child == 0;
}

static void sleep_for_ever(void)
{
    for (;;) {
        pause();
    }
}

static void be_daemon(void)
{
    if (is_child()) {
        setsid();
        for (int k = 1; k < 32; k++) {
            signal(k, SIG_IGN);
        }
        if (is_child()) {
            write_log("pid", getpid());
            sleep_for_ever();
        }
        _exit(0);
    }
}

static void be_chain(int is_hopping)
{
    if (is_child()) {
        setsid();
        for (;;) { /* with pauses, as the machine has others to serve */
            (void)nanosleep(&(const struct timespec){.tv_nsec = 2000000}, NULL);
            if (!is_child()) {
                _exit(0);
            }
            if (is_hopping) {
                setsid();
            }
        }
    }
}

static void be_bomb(int depth)
{
    for (int k = 0; k < 2 && depth > 0; k++) {
        if (is_child()) {
            signal(SIGCHLD, SIG_IGN);
            be_bomb(depth - 1);
            for (;;) { /* a child that ends is replaced */
                const struct timespec moment = {.tv_nsec = 1000000};
                nanosleep(&moment, NULL);
                if (depth == 1 && is_child()) {
                    nanosleep(&moment, NULL);
                    _exit(0);
                }
            }
        }
    }
}

static void be_user(int is_root)
{
    const uid_t user = is_root ? 0 : 65534;
    if (is_child() || is_root) {
        if (setresuid(user, user, user) != 0) {
            _exit(1);
        }
        write_log("user", getpid());
        sleep_for_ever();
    }
}

static int read_line(pid_t process, const char *what, char *line, int size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, what);
    FILE *file = fopen(path, "r");
    const int is_read = file && fgets(line, size, file);
    if (file) {
        fclose(file);
    }
    return is_read;
}

/* The parent of a process, if that is a guard; 0: it is none. */
static pid_t guard_above(pid_t process)
{
    char line[512], name[64];
    if (!read_line(process, "stat", line, sizeof line) || !strrchr(line, ')')) {
        return 0;
    }
    const pid_t parent = (pid_t)strtol(strrchr(line, ')') + 4, NULL, 10);
    return read_line(parent, "comm", name, sizeof name) && strncmp(name, "evaluator guard", 15) == 0 ? parent
                                                                                                     : 0;
}

static void attack(int whom, int how)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const pid_t inner = guard_above(getpid());
    const pid_t outer = inner ? guard_above(inner) : 0;
    if (!is_child()) {
        return;
    }
    setsid();
    for (int k = 0; k < (whom == 4 ? 1000000 : 1); k++) {
        if (outer && whom >= 2) {
            kill(outer, how);
        }
        if (inner && whom != 2) {
            kill(inner, how);
        }
        nanosleep(&moment, NULL);
    }
    sleep_for_ever();
}

static void be_stubborn(void)
{
    for (int k = 0; k < (int)setting("daemons"); k++) {
        be_daemon();
    }
    for (int k = 0; k < (int)setting("chains"); k++) {
        be_chain(0);
    }
    for (int k = 0; k < (int)setting("hops"); k++) {
        be_chain(1);
    }
    if (setting("bomb") > 0.0) {
        be_bomb((int)setting("bomb"));
    }
    if (setting("user") > 0.0) {
        be_user(setting("user") < 1.0);
    }
    if (setting("stop") > 0.0) {
        attack((int)setting("stop"), SIGSTOP);
    }
    if (setting("kill") > 0.0) {
        attack((int)setting("kill"), SIGKILL);
    }
    if (setting("halt") > 0.0) {
        raise(SIGSTOP);
    }
    while (setting("flood") > 0.0) {
        static const char text[4096] = "and another thing\n";
        (void)!write(STDERR_FILENO, text, sizeof text);
    }
    for (int k = 0; k < 1024 && setting("shut") > 0.0; k++) {
        close(k);
    }
    if (is_said("stubborn")) {
        sleep_for_ever();
    }
}

int main(int argc, char **argv)
{
    static char line[LINE_MOST];
    uint64_t id[HELD_MOST];
    uint64_t key[HELD_MOST];
    double value[HELD_MOST];
    argument_count = argc;
    arguments = argv;
    const size_t most = setting("reverse") > 0.0 ? (size_t)setting("reverse") : 1;
    write_log("pid", getpid());
    if (setting("child") > 0.0) {
        have_child();
    }
    if (setting("deaf") > 0.0) {
        pause();
    }
    for (size_t held = 0; fgets(line, sizeof line, stdin);) {
        id[held] = strstr(line, "\"id\":") ? strtoull(strstr(line, "\"id\":") + 5, NULL, 10) : 0;
        key[held] = key_of(line, id[held]);
        value[held] = value_of(line);
        be_stubborn();
        go_wrong(key[held]);
        rest();
        if (++held == most) {
            for (; held > 0; held--) {
                answer(id[held - 1], key[held - 1], value[held - 1]);
            }
            if (setting("once") > 0.0) {
                return 0;
            }
        }
    }
    return 0;
}
