/* One program at work: what it has been sent, what it has said, and how long it takes. */
#ifndef ZI_WORKER_H
#define ZI_WORKER_H

#include "parallel/message.h"
#include "parallel/process.h"

#include <poll.h>

enum {
    ZI_TAIL_SIZE = 2048, /* of standard error, what is kept */
    ZI_WORKER_POLLED = 4 /* input, output, standard error, timer */
};

typedef struct zi_worker {
    zi_process process;
    int timer;     /* -1: it may take as long as it likes */
    size_t *point; /* what it is at work on, the oldest first; numbers of the owner's */
    size_t count;
    uint64_t answers; /* since the program was started */
    int has_greeted;  /* since then */
    zi_text outgoing;
    size_t sent; /* bytes of it */
    zi_text incoming;
    char tail[ZI_TAIL_SIZE + 1];
    size_t tail_length;
} zi_worker;

/* Without a program yet; `ahead` is how many points it may have. */
zilch_status zi_worker_make(zi_worker *out, size_t ahead, int is_timed);
void zi_worker_free(zi_worker *w);

/* A program that is ready to be given something: the one at hand, unless it has ended or spoken unasked since
 * its last answer; what it says before the first may be a greeting. *is_new tells. */
zilch_status zi_worker_ready(zi_worker *w, char *const *words, int *is_new);

/* It is given a point, and this text; is_last: there will be no more for it. */
zilch_status zi_worker_give(zi_worker *w, size_t point, const zi_text *message, int is_last);
void zi_worker_drop(zi_worker *w, size_t index); /* one that it was given: it is done with */

/* In so many seconds the timer rings; 0: it does not. */
void zi_worker_set_timer(const zi_worker *w, double seconds);

/* What to look for while it is at work, and the first things to do then. zi_worker_hear() gives 1: it said
 * more; 0: nothing now; -1: that was all. */
void zi_worker_look(const zi_worker *w, struct pollfd look[ZI_WORKER_POLLED]);
void zi_worker_send(zi_worker *w, int is_last);
void zi_worker_complain(zi_worker *w);
zilch_status zi_worker_hear(zi_worker *w, int *more);

/* The first whole line of what it said, ended by '\0', NULL if there is none; to be taken away then. */
char *zi_worker_line(const zi_worker *w, size_t *length);
void zi_worker_take(zi_worker *w, size_t length);

/* The program ends, see zi_process_end(); what it complained of is read to the end. */
zi_ending zi_worker_end(zi_worker *w, int milliseconds);

/* The end of its complaints, as text; they are forgotten. */
void zi_worker_tail(zi_worker *w, char out[ZI_TAIL_SIZE + 1]);

#endif
