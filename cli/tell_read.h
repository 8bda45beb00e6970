/* Values that come back from elsewhere: lines of JSON, or a table. */
#ifndef TELL_READ_H
#define TELL_READ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct told_values {
    size_t count, capacity;
    uint64_t *id;
    double *value, *error; /* NaN: failed; not known */
    char **reason;         /* why it failed; NULL: not said */
} told_values;

/* `name` is what messages call the stream. 0, or 1 after printing what is wrong and in which line; free it in
 * any case. */
int told_read(told_values *out, FILE *stream, const char *name);
void told_free(told_values *t);

#endif
