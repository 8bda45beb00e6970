/* One way to fail: set this thread's error text, return the status. */
#ifndef ZI_STATUS_H
#define ZI_STATUS_H

#include "zilch.h"

/* return zi_fail(ZILCH_EARG, "fit: row %zu column %zu is not finite", i, j); */
zilch_status zi_fail(zilch_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Before a call of the user's, who may fail without setting a text. */
void zi_error_clear(void);

/* Hand a failure on to the caller. */
#define ZI_TRY(call)                               \
    do {                                           \
        const zilch_status zi_try_status = (call); \
        if (zi_try_status != ZILCH_OK) {           \
            return zi_try_status;                  \
        }                                          \
    } while (0)

/* A name table for an enum: position is value. */
typedef struct zi_names {
    const char *what; /* "inverter", for the error text */
    size_t count;
    const char *const *name;
} zi_names;

const char *zi_name(const zi_names *names, unsigned value); /* NULL if out of range */
zilch_status zi_name_parse(const zi_names *names, const char *name, unsigned *value);

#endif
