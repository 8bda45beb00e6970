/* One way to fail: set this thread's error text, return the status. */
#ifndef ZI_STATUS_H
#define ZI_STATUS_H

#include "zilch.h"

/* return zi_fail(ZILCH_EARG, "fit: needs at least two rows of data, not %zu", rows); */
zilch_status zi_fail(zilch_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* What a place is counted in. Those up to ZI_PARTNER are counted from 0, those of a text from 1. */
typedef enum zi_axis {
    ZI_NO_AXIS,
    ZI_POINT,
    ZI_ROW,
    ZI_COLUMN,
    ZI_COORDINATE,
    ZI_PARTNER, /* the second of two coordinates */
    ZI_LINE,
    ZI_CHARACTER, /* of a line */
    ZI_FIELD      /* of a line */
} zi_axis;

enum { ZI_PLACE_AXES = 2 };
typedef struct zi_axis_index {
    zi_axis axis;
    size_t index;
} zi_axis_index;

typedef struct zi_location {
    const char *where; /* what fails: "fit"; NULL: not said, or said by zi_fail_within() */
    zi_axis_index at[ZI_PLACE_AXES];
    const char *name; /* of the column or the field; NULL: none */
} zi_location;

/* The place is told apart from the text:
 * return zi_fail_at(ZILCH_EARG, &(zi_location){"fit", {{ZI_ROW, i}, {ZI_COLUMN, j}}, NULL}, "the value is not
 * finite"); */
zilch_status zi_fail_at(zilch_status status, const zi_location *place, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Puts a text, such as a file's name, before where the last error happened; its place and message stay. */
zilch_status zi_fail_within(zilch_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* A thread's last error, to be handed to another thread: *zi_error_last() = kept. */
enum { ZI_ERROR_SIZE = 512, ZI_ERROR_NAME_SIZE = 64 };
typedef struct zi_error {
    zilch_status status;
    zi_axis_index at[ZI_PLACE_AXES];
    char text[ZI_ERROR_SIZE], where[ZI_ERROR_SIZE], message[ZI_ERROR_SIZE], name[ZI_ERROR_NAME_SIZE];
} zi_error;
zi_error *zi_error_last(void);

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
