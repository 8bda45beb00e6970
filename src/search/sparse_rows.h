/* Rows of doubles in which most are zero, one behind the other in one growing piece of memory. A row is its
 * mask, a bit for each entry (the first in the lowest bit of the first byte), and the entries that are not
 * zero, as little-endian doubles. Rows are never changed. */
#ifndef ZI_SPARSE_ROWS_H
#define ZI_SPARSE_ROWS_H

#include "base/status.h"

typedef struct zi_rows {
    size_t width, count;
    size_t *end;          /* of row i, in bytes */
    unsigned char *bytes; /* of all rows */
    size_t row_capacity, byte_capacity;
} zi_rows;

void zi_rows_free(zi_rows *rows);

/* -0.0 is kept as 0.0. On failure nothing has changed. */
zilch_status zi_rows_append(zi_rows *rows, const double *row);
void zi_rows_take_back(zi_rows *rows); /* the last one */

/* Row number `index` becomes number `place`, which is not behind it. Done in ascending order for the rows to
 * be kept, and with `count` set afterwards, the others are gone. */
void zi_rows_keep(zi_rows *rows, size_t index, size_t place);

/* Makes rows empty; those behind them keep their numbers. `is_kept` (count). An empty row can only be asked
 * for its length, which is 0. */
void zi_rows_forget(zi_rows *rows, const unsigned char *is_kept);
zilch_status zi_rows_append_empty(zi_rows *rows);
int zi_rows_is_empty(const zi_rows *rows, size_t index);

/* The entries of a row that are not zero, and where they are; room for all. Gives how many. */
size_t zi_rows_active(const zi_rows *rows, size_t index, size_t *position, double *entry);
/* Whether a row of one is equal to a row of the other. */
int zi_rows_is_equal(const zi_rows *rows, size_t index, const zi_rows *other, size_t other_index);

void zi_rows_read(const zi_rows *rows, size_t index, double *row);
const unsigned char *zi_rows_bytes(const zi_rows *rows, size_t index, size_t *length);

/* Bytes that a row of this width has at least. */
size_t zi_row_least(size_t width);

/* A row from bytes that come from outside: EFORMAT if they are none of this width. */
zilch_status zi_row_decode(size_t width, const unsigned char *bytes, size_t length, double *row);

/* Room for `wanted` entries of `size` bytes in the array that the pointer at `array` points to; the first
 * `used` are kept. Doubles what there is, so that appending costs a constant on average. */
zilch_status zi_grow(void *array, size_t size, size_t used, size_t wanted, size_t *capacity);

#endif
