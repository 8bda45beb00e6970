/* A program that runs beside this one, with pipes to its standard streams, and guards that end it. */
#ifndef ZI_PROCESS_H
#define ZI_PROCESS_H

#include "base/status.h"
#include "parallel/guard.h"

/* Descriptors are -1 where there is none. */
typedef struct zi_process {
    int guard;              /* the outer guard of the program; 0: none is there */
    int handle;             /* a descriptor of that process */
    int control;            /* a socket to both guards */
    int input;              /* of the program: written here, */
    int output, complaints; /* and its output and standard error: read here, without waiting */
    zi_cgroup cgroup;       /* of the program, if there is one */
} zi_process;

static const zi_process zi_no_process = {0, -1, -1, -1, -1, -1, {.folder = -1}};

/* words[0] is looked for in the PATH; NULL ends them. EIO with the reason if it cannot be started. */
zilch_status zi_process_start(zi_process *out, char *const *words);

/* Ends it, and everything that it has started; a program that is just ending by itself gets `milliseconds` to
 * do so. That takes a few seconds at most, even if something cannot be ended. What it wrote can still be
 * read: zi_process_close() gives the rest back. */
zi_ending zi_process_end(zi_process *process, int milliseconds);
void zi_process_close(zi_process *process);

/* Bytes written to its input or read from an output, without waiting; 0: none now; -1: the program has closed
 * that side. A pipe that nobody reads raises no signal here. */
long zi_process_write(zi_process *process, const char *bytes, size_t count);
long zi_process_read(int descriptor, char *bytes, size_t capacity);

#endif
