/* schema.sql, schema4.sql and violations.sql, put into the library by cmake/embed.cmake when it is built. */
#ifndef ZI_SCHEMA_H
#define ZI_SCHEMA_H

#include <stddef.h>

typedef struct zi_schema_text {
    const char *name, *text;
} zi_schema_text;
extern const zi_schema_text zi_schema_texts[];

#endif
