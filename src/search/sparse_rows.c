/* Compact rows. The mask makes a zero cost a bit, and equal rows have equal bytes: rows can be compared and
 * hashed without being read. */
#include "search/sparse_rows.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static size_t mask_bytes(size_t width)
{
    return (width + 7) / 8;
}

int zi_rows_is_equal(const zi_rows *rows, size_t index, const zi_rows *other, size_t other_index)
{
    size_t length, other_length;
    const unsigned char *bytes = zi_rows_bytes(rows, index, &length);
    const unsigned char *other_bytes = zi_rows_bytes(other, other_index, &other_length);
    return length == other_length && memcmp(bytes, other_bytes, length) == 0;
}

size_t zi_row_least(size_t width)
{
    return mask_bytes(width);
}

void zi_rows_free(zi_rows *rows)
{
    zi_free(rows->end);
    zi_free(rows->bytes);
    *rows = (zi_rows){.width = rows->width};
}

zilch_status zi_grow(void *array, size_t size, size_t used, size_t wanted, size_t *capacity)
{
    if (wanted <= *capacity) {
        return ZILCH_OK;
    }
    void *old;
    memcpy(&old, array, sizeof old);
    const size_t larger = wanted < 2 * *capacity ? 2 * *capacity : wanted < 64 ? 64 : wanted;
    void *new;
    ZI_TRY(zi_alloc_bytes(&new, larger, size));
    if (used) {
        memcpy(new, old, used * size);
    }
    zi_free(old);
    memcpy(array, &new, sizeof new);
    *capacity = larger;
    return ZILCH_OK;
}

static size_t start_of(const zi_rows *rows, size_t index)
{
    return index ? rows->end[index - 1] : 0;
}

static zilch_status reserve(zi_rows *rows, size_t length)
{
    const size_t used = start_of(rows, rows->count);
    ZI_TRY(zi_grow(&rows->end, sizeof *rows->end, rows->count, rows->count + 1, &rows->row_capacity));
    return zi_grow(&rows->bytes, 1, used, used + length, &rows->byte_capacity);
}

static size_t count_nonzero(size_t width, const double *row)
{
    size_t count = 0;
    for (size_t i = 0; i < width; i++) {
        count += row[i] != 0.0;
    }
    return count;
}

zilch_status zi_rows_append(zi_rows *rows, const double *row)
{
    const size_t mask = mask_bytes(rows->width);
    const size_t length = mask + sizeof(double) * count_nonzero(rows->width, row);
    ZI_TRY(reserve(rows, length));
    const size_t start = start_of(rows, rows->count);
    unsigned char *bytes = rows->bytes + start;
    memset(bytes, 0, mask);
    zi_writer writer = {.data = bytes, .capacity = length, .length = mask};
    for (size_t i = 0; i < rows->width; i++) {
        if (row[i] != 0.0) {
            bytes[i / 8] |= (unsigned char)(1U << (i % 8));
            zi_write_double(&writer, row[i]);
        }
    }
    rows->end[rows->count++] = start + length;
    return ZILCH_OK;
}

static void read_row(size_t width, const unsigned char *bytes, size_t length, double *row)
{
    zi_reader reader = {.data = bytes, .length = length, .position = mask_bytes(width), .ok = 1};
    for (size_t i = 0; i < width; i++) {
        row[i] = bytes[i / 8] >> (i % 8) & 1 ? zi_read_double(&reader) : 0.0;
    }
}

zilch_status zi_row_decode(size_t width, const unsigned char *bytes, size_t length, double *row)
{
    const size_t mask = mask_bytes(width);
    size_t ones = 0;
    for (size_t i = 0; i < 8 * mask && length >= mask; i++) {
        ones += bytes[i / 8] >> (i % 8) & 1;
    }
    const int spare = width % 8 && length >= mask && bytes[mask - 1] >> (width % 8);
    if (length < mask || spare || length != mask + sizeof(double) * ones) {
        return zi_fail(ZILCH_EFORMAT, "a point is damaged: %zu bytes do not fit its mask", length);
    }
    read_row(width, bytes, length, row);
    for (size_t i = 0; i < width; i++) {
        if (!isfinite(row[i]) || (bytes[i / 8] >> (i % 8) & 1 && row[i] == 0.0)) {
            return zi_fail_at(ZILCH_EFORMAT, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                              "the point is damaged");
        }
    }
    return ZILCH_OK;
}

void zi_rows_read(const zi_rows *rows, size_t index, double *row)
{
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(rows, index, &length);
    read_row(rows->width, bytes, length, row);
}

size_t zi_rows_active(const zi_rows *rows, size_t index, size_t *position, double *entry)
{
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(rows, index, &length);
    const size_t mask = mask_bytes(rows->width);
    zi_reader reader = {.data = bytes, .length = length, .position = mask, .ok = 1};
    size_t count = 0;
    for (size_t i = 0; i < mask; i++) {
        for (unsigned left = bytes[i]; left; left &= left - 1) {
            position[count] = 8 * i + (size_t)__builtin_ctz(left);
            entry[count++] = zi_read_double(&reader);
        }
    }
    return count;
}

const unsigned char *zi_rows_bytes(const zi_rows *rows, size_t index, size_t *length)
{
    const size_t start = start_of(rows, index);
    *length = rows->end[index] - start;
    return rows->bytes + start;
}

void zi_rows_take_back(zi_rows *rows)
{
    rows->count--;
}

void zi_rows_keep(zi_rows *rows, size_t index, size_t place)
{
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(rows, index, &length);
    const size_t start = start_of(rows, place);
    memmove(rows->bytes + start, bytes, length);
    rows->end[place] = start + length;
}

void zi_rows_forget(zi_rows *rows, const unsigned char *is_kept)
{
    size_t start = 0; /* of the row, as it was */
    size_t used = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const size_t end = rows->end[i];
        if (is_kept[i]) {
            memmove(rows->bytes + used, rows->bytes + start, end - start);
            used += end - start;
        }
        rows->end[i] = used;
        start = end;
    }
}

zilch_status zi_rows_append_empty(zi_rows *rows)
{
    ZI_TRY(reserve(rows, 0));
    rows->end[rows->count] = start_of(rows, rows->count);
    rows->count++;
    return ZILCH_OK;
}

int zi_rows_is_empty(const zi_rows *rows, size_t index)
{
    return rows->end[index] == start_of(rows, index);
}
