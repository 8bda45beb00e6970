/* What a program may say of itself before it is asked: docs/how-to/programs.md. */
#ifndef ZI_GREETING_H
#define ZI_GREETING_H

#include "parallel/worker.h"

/* One block: the struct, the pointers to the names, and their texts. */
typedef struct zi_greeting {
    size_t dim;
    char **name; /* dim of them; NULL: it said how many coordinates there are, and no names */
} zi_greeting;

/* Reads a line, ended by '\0': an object with "names" or "dim", and no "id". To be freed by zi_free().
 * EFORMAT says what is wrong with it: "has ...". The locale is C's. */
zilch_status zi_greeting_read(const char *line, zi_greeting **out);

/* Takes the first line that a program has said since it was started, if that is a greeting. *is_wrong: it
 * contradicts the number of coordinates, or their names, unless those are NULL; the reason says how. */
zilch_status zi_greeting_take(zi_worker *w, size_t dim, const char *const *names, int *is_wrong,
                              char reason[ZILCH_REASON_SIZE]);

/* Waits for that line, and leaves it there: EOBJECTIVE if it is something else, or does not come while the
 * program is silent for so many seconds. */
zilch_status zi_greeting_await(zi_worker *w, double seconds, const zilch_program_options *options,
                               zi_greeting **out);

#endif
