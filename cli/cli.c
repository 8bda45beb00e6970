/* Messages and exit statuses. */
#include "cli.h"

#include "zilch.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char *command;

void cli_set_command(const char *name)
{
    command = name;
}

int cli_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stderr);
    fprintf(stderr, "zilch%s%s: ", command ? " " : "", command ? command : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_fail_library(void)
{
    return cli_fail("%s", zilch_last_error());
}

void cli_print_word(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++) {
        if (*word == '\'') {
            fputs("'\\''", stream);
        } else {
            fputc(*word, stream);
        }
    }
    fputc('\'', stream);
}

#define X(name, text) "|" text
const char *const cli_inverters = &ZILCH_INVERTER_LIST(X)[1];
const char *const cli_shrinkages = &ZILCH_SHRINKAGE_LIST(X)[1];
const char *const cli_projections = &ZILCH_PROJECTION_LIST(X)[1];
const char *const cli_labels = &ZILCH_LABELS_LIST(X)[1];
const char *const cli_blocks = &ZILCH_BLOCK_LIST(X) "|all"[1];
const char *const cli_laws = &ZILCH_LAW_LIST(X)[1];
const char *const cli_archives = &ZILCH_ARCHIVE_LIST(X)[1];
const char *const cli_searched = &ZILCH_SEARCHED_LIST(X)[1];
#undef X

int cli_is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return a && b && strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && stat(a, &first) == 0 &&
           stat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static volatile sig_atomic_t stop_signal;

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

static void note_signal(int number)
{
    stop_signal = number;
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

void cli_end_if_stopped(void)
{
    if (stop_signal) {
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
