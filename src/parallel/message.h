/* Points as lines of text, for programs that evaluate: docs/how-to/programs.md. */
#ifndef ZI_MESSAGE_H
#define ZI_MESSAGE_H

#include "base/status.h"

#include <stdint.h>

/* Text that grows; {0} is an empty one. */
typedef struct zi_text {
    char *bytes;
    size_t length, capacity;
} zi_text;

zilch_status zi_text_reserve(zi_text *text, size_t more);
void zi_text_free(zi_text *text);

/* The names of coordinates as JSON has them before a value, "flour":, in one block; free it by zi_free(). */
typedef struct zi_labels {
    size_t bytes; /* of all */
    char *text[]; /* dim of them */
} zi_labels;
zilch_status zi_labels_make(zi_labels **out, size_t dim, const char *const *names);

/* {"id":7,"x":[0,1.5]}, sparsely {"id":7,"active":{"1":1.5}}, or plainly 0 1.5; and the end of the line. With
 * labels, {"id":7,"x":{"flour":0,"sugar":1.5}}, or sparsely {"id":7,"active":{"sugar":1.5}}. The locale is
 * C's. */
zilch_status zi_message_write(zi_text *out, zilch_protocol protocol, const zi_labels *labels, uint64_t id,
                              size_t dim, const double *x);

#endif
