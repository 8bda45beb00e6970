/* Messages and exit statuses. */
#include "cli.h"

#include "ranks.h"
#include "text.h"
#include "zilch.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *command;
static cli_messages kept;                                 /* where messages go instead */
static const char counted_from_0[] = " (counted from 0)"; /* as the library says it */

void cli_set_command(const char *name)
{
    command = name;
}

void cli_keep_messages(char *buffer, size_t size)
{
    kept = (cli_messages){buffer, size};
}

cli_messages cli_kept_messages(void)
{
    return kept;
}

/* One line, whatever the names in it are made of. */
static void print_message(const char *text)
{
    flockfile(stderr);
    fprintf(stderr, "zilch%s%s: ", command ? " " : "", command ? command : "");
    text_put_between(stderr, "", text, "\n");
    funlockfile(stderr);
}

int cli_fail(const char *format, ...)
{
    char text[1 << 14]; /* for two of the longest paths, and what is said of them */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (kept.buffer) {
        snprintf(kept.buffer, kept.size, "%s", text);
    } else {
        print_message(text);
    }
    return CLI_FAILED;
}

/* "row 3 column 7 (counted from 0) is ..." becomes "row 4 column 8 is ...": every number between the mark and
 * the colon before it is an index. */
const char *cli_error_text(void)
{
    static _Thread_local char text[1024];
    const char *error = zilch_last_error();
    const char *mark = strstr(error, counted_from_0);
    const char *at = error;
    size_t used = 0;
    if (!mark) {
        return error;
    }
    for (const char *c = error; c < mark; c++) {
        at = *c == ':' ? c + 1 : at;
    }
    used = (size_t)snprintf(text, sizeof text, "%.*s", (int)(at - error), error);
    while (at < mark && used < sizeof text) {
        const size_t letters = strcspn(at, "0123456789");
        const size_t length = letters < (size_t)(mark - at) ? letters : (size_t)(mark - at);
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", (int)length, at);
        at += length;
        if (at < mark && used < sizeof text) {
            char *end;
            const unsigned long long number = strtoull(at, &end, 10);
            used += (size_t)snprintf(text + used, sizeof text - used, "%llu", number + 1);
            at = end;
        }
    }
    if (used < sizeof text) {
        snprintf(text + used, sizeof text - used, "%s", mark + strlen(counted_from_0));
    }
    return text;
}

int cli_fail_library(void)
{
    return cli_fail("%s", cli_error_text());
}

#define X(name, text) "|" text
const char *const cli_inverters = &ZILCH_INVERTER_LIST(X)[1];
const char *const cli_structures = &ZILCH_STRUCTURE_LIST(X)[1];
const char *const cli_shrinkages = &ZILCH_SHRINKAGE_LIST(X)[1];
const char *const cli_projections = &ZILCH_PROJECTION_LIST(X)[1];
const char *const cli_labels = &ZILCH_LABELS_LIST(X)[1];
const char *const cli_blocks = &ZILCH_BLOCK_LIST(X) "|all"[1];
const char *const cli_laws = &ZILCH_LAW_LIST(X)[1];
const char *const cli_directions = &ZILCH_DIRECTION_LIST(X)[1];
const char *const cli_archives = &ZILCH_ARCHIVE_LIST(X)[1];
const char *const cli_agains = &ZILCH_AGAIN_LIST(X)[1];
const char *const cli_weightings = &ZILCH_WEIGHTING_LIST(X)[1];
const char *const cli_values = &ZILCH_VALUES_LIST(X)[1];
const char *const cli_searched = &ZILCH_SEARCHED_LIST(X)[1];
#undef X

int cli_try_output(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const int length = slash == path ? 1 : (int)(slash ? slash - path : 0);
    if (!path || strcmp(path, "-") == 0) {
        return 0;
    }
    char *folder = strndup(path, (size_t)length);
    if (!folder) {
        return cli_fail("out of memory");
    }
    const int failed = access(length ? folder : ".", W_OK | X_OK) != 0 && access(path, W_OK) != 0;
    free(folder);
    return failed ? cli_fail("%s: cannot be written: %s", path, strerror(errno)) : 0;
}

/* Whether it is one of the files that a study has beside it. */
static int is_beside(const char *path, const char *study)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    const size_t length = strlen(study);
    int is_found = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && strncmp(path, study, length) == 0; i++) {
        is_found |= strcmp(path + length, endings[i]) == 0;
    }
    return is_found;
}

int cli_is_study_file(const char *path, const char *study)
{
    return path && study && (cli_is_same_file(path, study) || is_beside(path, study));
}

int cli_is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return a && b && strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && stat(a, &first) == 0 &&
           stat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Not sig_atomic_t: a handler runs in one thread, and all of them look at these. */
static atomic_int stop_signal;

/* SIGUSR1 is what mpirun hands on, and what Slurm can be told to send before the time is over. */
static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

/* Two texts, of which the handler reads the one that is not being written. */
static char notice[2][160];
static atomic_int notice_shown = -1;

static void note_signal(int number)
{
    const int error = errno;
    stop_signal = number;
    const int shown = notice_shown;
    if ((number == SIGINT || number == SIGUSR1) && shown >= 0) {
        (void)!write(STDERR_FILENO, notice[shown], strlen(notice[shown]));
    }
    errno = error;
}

void cli_set_stop_notice(const char *text)
{
    const int next = notice_shown == 0;
    if (text) { /* a live line is drawn over */
        snprintf(notice[next], sizeof notice[next], "%szilch%s%s: %s\n",
                 isatty(STDERR_FILENO) ? "\r\033[K" : "", command ? " " : "", command ? command : "", text);
    }
    notice_shown = text ? next : -1;
}

/* One that the parent chose to have ignored (nohup, a background job) stays ignored. A second one ends the
 * program at once: whoever sends it does not want to wait. */
void cli_watch_signals(void)
{
    for (int i = 0; i < STOP_SIGNALS; i++) {
        struct sigaction old;
        const struct sigaction watch = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
        if (sigaction(stop_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(stop_signals[i], &watch, NULL);
        }
    }
}

int cli_is_stopped(void)
{
    return stop_signal != 0;
}

int cli_is_told_to_end(void)
{
    return stop_signal == SIGTERM || stop_signal == SIGHUP;
}

void cli_end_if_stopped(void)
{
    if (stop_signal) {
        ranks_end();
        signal(stop_signal, SIG_DFL);
        raise(stop_signal);
    }
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int cli_finish(int status)
{
    errno = 0;
    const int failed = fflush(stdout) != 0;
    if ((!failed && !ferror(stdout)) || status != CLI_OK) {
        return status;
    }
    /* An error met earlier may have left no reason behind. */
    return cli_fail("cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
}
