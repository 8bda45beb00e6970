/* What is said on stderr while something takes long: done, percent, elapsed, time left, and a note. On a
 * terminal it is a live line, cut to the width of the terminal. Elsewhere it is a log: a line after 5
 * seconds, 10, 20, 40 and so on, and then every ten minutes. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <pthread.h>
#include <stddef.h>

/* How it is shown, the same for all that this process does. */
typedef enum progress_form { PROGRESS_AUTO, PROGRESS_LINE, PROGRESS_LOG, PROGRESS_NONE } progress_form;
extern const char *const progress_forms; /* their names, as the choices of an option */
extern int progress_form_chosen;         /* one of them; auto: a line on a terminal, else a log */
extern int progress_is_quiet;            /* only results are printed; auto is then none */

typedef struct progress {
    const char *label, *unit;
    size_t total, done;
    double start, drawn; /* seconds */
    double next;         /* of a log: the seconds since the start at which a line is due */
    progress_form form;  /* line, log or none */
    char note[192];
    pthread_mutex_t lock;
} progress;

/* "label: 3/10 units, ..." */
void progress_begin(progress *p, const char *label, const char *unit, size_t total);

/* A text to stand behind the times from the next drawing on; copied. Any thread. */
void progress_note(progress *p, const char *note);

/* `done` of the total are done; less than what another thread reported is ignored. Any thread, as
 * often as it likes: the line is drawn ten times a second at most. */
void progress_update(progress *p, size_t done);

/* A zilch_watcher whose context is the line: updates it, and stops after a signal (cli_watch_signals). */
int progress_watch(void *line, size_t done, size_t total);

/* Instead of all that, a line in the caller's own words; with `is_first` a live line is drawn even if the
 * last is recent. Its parts, which two blanks separate, are shown whole or not at all. */
void progress_show(progress *p, const char *line, int is_first);

/* "9 s", "3 min 05 s", "2 h 07 min" */
void progress_duration(double seconds, char *out, size_t size);

/* Clears the line. */
void progress_end(progress *p);

/* Clears a live line that is on the terminal now, whosever it is, so that something else can be printed
 * there. */
void progress_clear(void);

#endif
