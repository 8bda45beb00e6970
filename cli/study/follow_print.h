/* A study that is followed, as text for a terminal. */
#ifndef FOLLOW_PRINT_H
#define FOLLOW_PRINT_H

#include "study/follow.h"

#include <stdio.h>

/* The size of a terminal that it has to fit; rows 0: it may be as long as it likes. */
typedef struct follow_size {
    size_t rows, columns;
} follow_size;

/* The run of that number (0: the last) as a dozen lines or more: how far it is, its best value over time, its
 * front, what is active, and what has failed. `optimizer` has its front; NULL: nothing is said of that. 0, or
 * 1 after printing why. */
int follow_print(const follow *f, uint64_t run, const zilch_optimizer *optimizer, follow_size size,
                 FILE *stream);

/* Whether the run has ended; the number 0 becomes that of the last. -1 after printing that there is none. */
int follow_has_ended(const follow *f, uint64_t *run);

#endif
