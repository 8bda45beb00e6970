/* One JSON object on one line, read without memory of its own. */
#ifndef ZI_JSON_READER_H
#define ZI_JSON_READER_H

#include <stddef.h>
#include <stdint.h>

typedef enum zi_json_kind {
    ZI_JSON_ABSENT,
    ZI_JSON_NULL,
    ZI_JSON_INTEGER, /* of 64 bits, with a sign */
    ZI_JSON_REAL,    /* finite */
    ZI_JSON_STRING,
    ZI_JSON_OTHER /* true, false, an array, an object */
} zi_json_kind;

/* A member that is looked for; kind and text are found. */
typedef struct zi_json_member {
    const char *name;
    zi_json_kind kind;
    const char *text; /* of the value, in the line */
} zi_json_member;

/* Where a line is wrong, and how. */
typedef struct zi_json_fault {
    const char *at;
    const char *why;
} zi_json_fault;

/* Whether the line, ended by '\0', is an object, whole and alone, in which none of these members comes twice.
 * The locale is C's. If it is not, *fault says why. */
int zi_json_read(const char *line, size_t count, zi_json_member *member, zi_json_fault *fault);

int zi_json_is_number(const zi_json_member *member);
double zi_json_number(const zi_json_member *member);
int64_t zi_json_integer(const zi_json_member *member);

/* As much of it as there is room for. */
void zi_json_string(const zi_json_member *member, char *out, size_t size);

#endif
