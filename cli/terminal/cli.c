/* Messages and exit statuses. */
#include "terminal/cli.h"

#include "terminal/progress.h"
#include "terminal/text.h"
#include "zilch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *command;
static void (*cleanup)(void); /* NULL: nothing */
static cli_messages kept;     /* where messages go instead */

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

enum { MESSAGE_SIZE = 1 << 14 }; /* for two of the longest paths, and what is said of them */

/* One line, whatever the names in it are made of. */
static void print_message(const char *text)
{
    flockfile(stderr);
    progress_clear();
    fprintf(stderr, "zilch%s%s: ", command ? " " : "", command ? command : "");
    text_put_between(stderr, "", text, "\n");
    funlockfile(stderr);
}

int cli_fail(const char *format, ...)
{
    char text[MESSAGE_SIZE];
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

void cli_say(const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_message(text);
}

const char *cli_error_format(const zilch_error *error, char *const *names)
{
    static _Thread_local char text[2048];
    zilch_error_format(error, 1, (const char *const *)names, text, sizeof text);
    return text;
}

const char *cli_error_text(void)
{
    const zilch_error error = zilch_last_error_details();
    return cli_error_format(&error, NULL);
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
const char *const cli_searched = &ZILCH_SEARCHED_LIST(X)[1];
const char *const cli_methods = &ZILCH_METHOD_LIST(X)[1];
#undef X
#define X(name, about) #name "|"
const char *const cli_problems = ZILCH_PROBLEM_LIST(X) "linear|logistic";
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

int cli_is_study_file(const char *path, const char *study)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal"};
    int is_found = cli_is_same_file(path, study);
    for (size_t i = 0; path && study && i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(study);
        is_found |= strncmp(path, study, length) == 0 && strcmp(path + length, endings[i]) == 0;
    }
    return is_found;
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

/* What a handler may read at any time: made before, and never freed while it is shown. */
static char *notice[2];
static atomic_int is_notice_shown;
static atomic_uint heard; /* a bit for each signal */

static void note_signal(int number)
{
    const int error = errno;
    const unsigned bit = 1U << number;
    const int is_again = (atomic_fetch_or(&heard, bit) & bit) != 0;
    const char *text = is_notice_shown ? notice[is_again] : NULL;
    stop_signal = number;
    if ((is_again || number == SIGINT || number == SIGUSR1) && text) {
        (void)!write(STDERR_FILENO, text, strlen(text));
    }
    if (is_again) {
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = error;
}

/* A live line is drawn over. */
static char *make_notice(const char *text)
{
    char *out = NULL;
    size_t size;
    FILE *stream = text ? open_memstream(&out, &size) : NULL;
    if (stream) {
        fprintf(stream, "%szilch%s%s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", command ? " " : "",
                command ? command : "", text);
        fclose(stream);
    }
    return out;
}

void cli_set_stop_notice(const char *first, const char *second)
{
    is_notice_shown = 0;
    if (first) {
        free(notice[0]);
        free(notice[1]);
        notice[0] = make_notice(first);
        notice[1] = make_notice(second);
        is_notice_shown = 1;
    }
}

/* One that the parent chose to have ignored (nohup, a background job) stays ignored. The same one again ends
 * the program at once: whoever sends it does not want to wait. */
void cli_watch_signals(void)
{
    for (int i = 0; i < STOP_SIGNALS; i++) {
        struct sigaction old;
        const struct sigaction watch = {.sa_handler = note_signal};
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

void cli_set_cleanup(void (*call)(void))
{
    cleanup = call;
}

void cli_end_if_stopped(void)
{
    if (stop_signal) {
        if (cleanup) {
            cleanup();
        }
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

/* The pipe has been closed at its other end: by a head or a pager that has seen enough, which is no failure
 * to speak of. */
static int is_reader_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int cli_finish(int status)
{
    errno = 0;
    const int failed = fflush(stdout) != 0;
    if ((!failed && !ferror(stdout)) || status != CLI_OK) {
        return status;
    }
    if (is_reader_gone()) {
        return CLI_UNREAD;
    }
    /* An error met earlier may have left no reason behind. */
    return cli_fail("cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
}
