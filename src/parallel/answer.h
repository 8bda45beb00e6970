/* An answer of an evaluator, as docs/how-to/programs.md defines it. */
#ifndef ZI_ANSWER_H
#define ZI_ANSWER_H

#include "base/status.h"
#include "parallel/json_reader.h"

/* What an answer says. */
typedef enum zi_verdict {
    ZI_ANSWER_VALUE,
    ZI_ANSWER_FAILED, /* in order: this evaluation has failed */
    ZI_ANSWER_WRONG   /* not an answer */
} zi_verdict;

/* Ids are below: a double has them all. */
#define ZI_ID_END (INT64_C(1) << 53)

typedef struct zi_answer {
    uint64_t id;          /* 0 for a plain one */
    double value, sigma;  /* NaN: failed; not known */
    double violation;     /* of limits that only the evaluation knows; 0: all are kept */
    const char *why;      /* unless there is a value: the reason, or what is wrong: "is not a number" */
    zi_json_member error; /* if this is a string, it is the reason, and `why` is not */
    zi_json_fault fault;  /* where the line is no JSON; zeros: elsewhere */
} zi_answer;

/* A line, without its end, ended by '\0', which must stay while the answer is used. The locale is C's. */
zi_verdict zi_answer_read(const char *line, size_t length, zilch_protocol protocol, zi_answer *out);

/* Why the evaluation failed, as much of it as there is room for. */
void zi_answer_reason(const zi_answer *answer, char *out, size_t size);

/* Why an answer has no value: "said: did not converge", or "answered 'x', which is not a number", with as
 * much of the line as can be shown. */
void zi_answer_describe(const zi_answer *answer, zi_verdict verdict, const char *line,
                        char out[ZILCH_REASON_SIZE]);

#endif
