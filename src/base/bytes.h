/* Little-endian reader and writer over a buffer. Both remember that they ran over
 * the end: check `ok` once, at the end. */
#ifndef ZI_BYTES_H
#define ZI_BYTES_H

#include "base/status.h"

typedef struct zi_writer {
    unsigned char *data; /* NULL: only count */
    size_t capacity, length;
} zi_writer;

typedef struct zi_reader {
    const unsigned char *data;
    size_t length, position;
    int ok; /* 0 once anything was read past the end */
} zi_reader;

/* The writer counts on when the buffer is full, so `length` is what was needed. */
void zi_write_bytes(zi_writer *writer, const void *bytes, size_t count);
void zi_write_u32(zi_writer *writer, uint32_t value);
void zi_write_u64(zi_writer *writer, uint64_t value);
void zi_write_double(zi_writer *writer, double value);
void zi_write_doubles(zi_writer *writer, const double *values, size_t count);
void zi_write_floats(zi_writer *writer, const float *values, size_t count);
void zi_write_checksum(zi_writer *writer); /* of everything before it */
/* The checksum, and how many bytes there are; EARG if a buffer is too short for them. */
zilch_status zi_write_end(zi_writer *writer, size_t *length);

/* Past the end the reader gives zeros. */
void zi_read_bytes(zi_reader *reader, void *bytes, size_t count);
uint32_t zi_read_u32(zi_reader *reader);
uint64_t zi_read_u64(zi_reader *reader);
double zi_read_double(zi_reader *reader);
void zi_read_doubles(zi_reader *reader, double *values, size_t count);
void zi_read_floats(zi_reader *reader, float *values, size_t count);
/* Whether so many things of `size` bytes, or more, can still be there. */
int zi_read_fits(const zi_reader *reader, uint64_t count, size_t size);
int zi_read_checksum(zi_reader *reader); /* true if it is that of everything before it */

uint64_t zi_crc64(const void *bytes, size_t count); /* CRC-64/XZ */

#endif
