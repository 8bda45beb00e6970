/* The live page of a study: what a search does, drawn as it happens, and a few words to steer it. */
#ifndef LIVE_H
#define LIVE_H

#include <sys/types.h>

typedef struct live_options {
    const char *study;
    unsigned port; /* 0: a free one */
    pid_t beside;  /* it ends when this process has ended; 0: only by a signal */
} live_options;

/* Serves until it is stopped. Gives the exit status. */
int live_serve(const live_options *options);

/* The address of the page, with its token, as a line. */
#define LIVE_ADDRESS "http://127.0.0.1:%u/#%s"

#endif
