/* "Did you mean ...?": the candidate nearest to a mistyped word. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

typedef struct suggestion {
    const char *word;
    size_t length;    /* of the word */
    const char *best; /* NULL until a candidate is near enough */
    size_t distance;  /* of the best; candidates must be nearer */
} suggestion;

suggestion suggestion_for(const char *word, size_t length);
void suggestion_offer(suggestion *s, const char *candidate);

#endif
