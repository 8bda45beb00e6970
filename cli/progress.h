/* A live line on stderr while something takes long: done, percent, elapsed, time left. Only on a
 * terminal; elsewhere these functions do nothing. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <pthread.h>
#include <stddef.h>

typedef struct progress {
    const char *label;
    size_t total, done;
    double start, drawn; /* seconds */
    int shown;           /* stderr is a terminal */
    pthread_mutex_t lock;
} progress;

void progress_begin(progress *p, const char *label, size_t total);

/* `done` of the total are done; less than what another thread reported is ignored. Any thread, as
 * often as it likes: the line is drawn ten times a second at most. */
void progress_update(progress *p, size_t done);

/* Clears the line. */
void progress_end(progress *p);

#endif
