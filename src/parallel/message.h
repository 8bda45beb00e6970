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

/* {"id":7,"x":[0,1.5]}, sparsely {"id":7,"active":{"1":1.5}}, or plainly 0 1.5; and the end of the line. The
 * locale is C's. */
zilch_status zi_message_write(zi_text *out, zilch_protocol protocol, uint64_t id, size_t dim,
                              const double *x);

#endif
