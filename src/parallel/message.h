/* Points and values as lines of text, for programs that evaluate: docs/programs.md. */
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

/* What a program is told as the id: below 2^53, so that every language has it as a number. */
uint64_t zi_message_id(uint64_t id);

/* {"id":7,"x":[0,1.5]}, sparsely {"id":7,"active":{"1":1.5}}, or plainly 0 1.5; and the end of the line. The
 * locale is C's. */
zilch_status zi_message_write(zi_text *out, zilch_protocol protocol, uint64_t id, size_t dim,
                              const double *x);

/* What an answer says. */
typedef enum zi_verdict {
    ZI_ANSWER_VALUE,
    ZI_ANSWER_FAILED, /* in order: this evaluation has failed */
    ZI_ANSWER_WRONG   /* not an answer */
} zi_verdict;

enum { ZI_REASON_SIZE = 256 };
typedef struct zi_answer {
    uint64_t id;                 /* but of a plain one */
    double value, error;         /* NaN: not known */
    char reason[ZI_REASON_SIZE]; /* unless there is a value */
} zi_answer;

/* A line, without its end, ended by '\0'. The locale is C's. */
zi_verdict zi_answer_read(const char *line, size_t length, zilch_protocol protocol, zi_answer *out);

#endif
