/* What every command shares: exit statuses, and one way to say that something failed. */
#ifndef CLI_H
#define CLI_H

#include "zilch.h"

#include <stdio.h>

typedef enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_LATER = 3,    /* nothing is wrong, but there is nothing to do yet */
    CLI_HELPED = 100, /* not seen outside: the command has printed its help, which is success */
    CLI_UNREAD = 141  /* nobody reads standard output any more; what shells show for an end by SIGPIPE */
} cli_status;

/* The command's name for the messages below ("fit"); NULL: the program alone. */
void cli_set_command(const char *name);

/* "zilch fit: " and the message, one line on stderr. Gives CLI_FAILED. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same line for what is no failure. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on the message goes to a buffer instead, without the command's name; NULL: no longer. */
typedef struct cli_messages {
    char *buffer;
    size_t size;
} cli_messages;
void cli_keep_messages(char *buffer, size_t size);
cli_messages cli_kept_messages(void); /* where they go now */

/* An error of the library as users of the command count: from 1, with the names of columns or coordinates if
 * they are given. The text is valid until the next call of this thread. */
const char *cli_error_format(const zilch_error *error, char *const *names);

/* The library's last error, without names. */
const char *cli_error_text(void);

/* cli_fail() with it. */
int cli_fail_library(void);

/* The names of the library's lists, as the choices of an option: "exact|amortised". */
extern const char *const cli_inverters, *const cli_structures, *const cli_shrinkages, *const cli_projections,
                                                                                          *const cli_labels;
extern const char *const cli_blocks; /* and "all" behind them */
extern const char *const cli_searched, *const cli_methods, *const cli_problems;

/* Whether a file of this name could be written, before long work; NULL and "-" are standard output. 0, or 1
 * after printing why. */
int cli_try_output(const char *path);

/* Whether both name one file that exists; NULL and "-" name none. */
int cli_is_same_file(const char *a, const char *b);
int cli_is_study_file(const char *path, const char *study); /* or a file that lies beside it */

/* From now on Ctrl-C, SIGUSR1, SIGTERM and a closed terminal only ask to stop, so that what is half done can
 * be taken back; cli_end_if_stopped() then ends the program as the signal would have. The same signal
 * again ends it at once. */
void cli_watch_signals(void);
int cli_is_stopped(void);

/* By SIGTERM or a closed terminal: whoever sent that may not wait for long. */
int cli_is_told_to_end(void);

/* What the first Ctrl-C or SIGUSR1 prints on stderr at once, in the handler itself, and what the same signal
 * prints the second time, before it ends the program: whoever presses it shall know what happens next. NULL:
 * nothing; the first NULL: neither. */
void cli_set_stop_notice(const char *first, const char *second);
void cli_end_if_stopped(void);

/* What cli_end_if_stopped() calls before it ends the program. NULL: nothing. */
void cli_set_cleanup(void (*call)(void));

/* Seconds on a clock that is never set back. */
double cli_seconds(void);

/* Flush stdout; what could not be written turns success into failure, with a message, or in silence into
 * CLI_UNREAD. Every way out of the program goes through this. */
int cli_finish(int status);

#endif
