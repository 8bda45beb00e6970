/* A live line on stderr while something takes long: done, percent, elapsed, time left, and a note.
 * Cut to the width of the terminal; elsewhere than on one these functions do nothing. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <pthread.h>
#include <stddef.h>

typedef struct progress {
    const char *label, *unit;
    size_t total, done;
    double start, drawn; /* seconds */
    int shown;           /* stderr is a terminal */
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

/* Instead of all that, a line in the caller's own words; `is_due` draws it even if the last is recent. Its
 * parts, which two blanks separate, are shown whole or not at all. */
void progress_show(progress *p, const char *line, int is_due);

/* "9 s", "3 min 05 s", "2 h 07 min" */
void progress_duration(double seconds, char *out, size_t size);

/* Clears the line. */
void progress_end(progress *p);

#endif
