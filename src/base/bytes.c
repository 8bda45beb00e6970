/* Bounds-checked little-endian bytes with a checksum: CRC-64 with the ECMA-182
 * polynomial, reflected, as xz uses it; every burst of up to 64 flipped bits is
 * found. Eight bytes a step ("slicing by eight"), about 1 byte a cycle. */
#include "base/bytes.h"

#include <assert.h>
#include <string.h>

static const uint64_t polynomial = 0xC96C5795D7870F42u;

static int has_room(const zi_writer *writer, size_t count)
{
    return writer->data && writer->length <= writer->capacity && count <= writer->capacity - writer->length;
}

void zi_write_bytes(zi_writer *writer, const void *bytes, size_t count)
{
    assert(writer && (bytes || !count));
    if (has_room(writer, count) && count) {
        memcpy(writer->data + writer->length, bytes, count);
    }
    writer->length += count;
}

void zi_write_u64(zi_writer *writer, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    zi_write_bytes(writer, bytes, sizeof bytes);
}

void zi_write_u32(zi_writer *writer, uint32_t value)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    zi_write_bytes(writer, bytes, sizeof bytes);
}

void zi_write_double(zi_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    zi_write_u64(writer, bits);
}

void zi_write_doubles(zi_writer *writer, const double *values, size_t count)
{
    assert(values || !count);
    for (size_t i = 0; i < count; i++) {
        zi_write_double(writer, values[i]);
    }
}

void zi_write_floats(zi_writer *writer, const float *values, size_t count)
{
    assert(values || !count);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        zi_write_u32(writer, bits);
    }
}

void zi_write_checksum(zi_writer *writer)
{
    const int whole = has_room(writer, 8);
    zi_write_u64(writer, whole ? zi_crc64(writer->data, writer->length) : 0);
}

zilch_status zi_write_end(zi_writer *writer, size_t *length)
{
    zi_write_checksum(writer);
    *length = writer->length;
    return writer->data && writer->length > writer->capacity
               ? zi_fail(ZILCH_EARG, "pack: needs %zu bytes, the buffer has %zu", writer->length,
                         writer->capacity)
               : ZILCH_OK;
}

void zi_read_bytes(zi_reader *reader, void *bytes, size_t count)
{
    assert(reader->position <= reader->length);
    assert(bytes || !count);
    if (!reader->ok || count > reader->length - reader->position) {
        reader->ok = 0;
        memset(bytes, 0, count);
        return;
    }
    if (count) {
        memcpy(bytes, reader->data + reader->position, count);
        reader->position += count;
    }
}

uint64_t zi_read_u64(zi_reader *reader)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    zi_read_bytes(reader, bytes, sizeof bytes);
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

uint32_t zi_read_u32(zi_reader *reader)
{
    unsigned char bytes[4];
    uint32_t value = 0;
    zi_read_bytes(reader, bytes, sizeof bytes);
    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)bytes[i] << (8 * i);
    }
    return value;
}

double zi_read_double(zi_reader *reader)
{
    const uint64_t bits = zi_read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void zi_read_doubles(zi_reader *reader, double *values, size_t count)
{
    assert(values || !count);
    for (size_t i = 0; i < count; i++) {
        values[i] = zi_read_double(reader);
    }
}

void zi_read_floats(zi_reader *reader, float *values, size_t count)
{
    assert(values || !count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = zi_read_u32(reader);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

int zi_read_fits(const zi_reader *reader, uint64_t count, size_t size)
{
    return reader->ok && count <= (reader->length - reader->position) / size;
}

int zi_read_checksum(zi_reader *reader)
{
    assert(reader->position <= reader->length);
    const uint64_t expected = zi_crc64(reader->data, reader->position);
    return zi_read_u64(reader) == expected && reader->ok;
}

/* table[0] advances the remainder by one byte, table[k] by k + 1. Built on the
 * stack: 2,048 short steps, nothing next to reading a model. */
static void crc_tables(uint64_t table[8][256])
{
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t remainder = byte;
        for (int bit = 0; bit < 8; bit++) {
            remainder = (remainder >> 1) ^ (polynomial & (0 - (remainder & 1)));
        }
        table[0][byte] = remainder;
    }
    for (int k = 1; k < 8; k++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            const uint64_t previous = table[k - 1][byte];
            table[k][byte] = (previous >> 8) ^ table[0][previous & 255];
        }
    }
}

uint64_t zi_crc64(const void *bytes, size_t count)
{
    assert(bytes || !count);
    uint64_t table[8][256];
    crc_tables(table);
    const unsigned char *next = bytes;
    uint64_t crc = ~(uint64_t)0;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t advanced = 0;
        for (int k = 0; k < 8; k++) {
            advanced ^= table[7 - k][((crc >> (8 * k)) ^ next[k]) & 255];
        }
        crc = advanced;
    }
    for (; count; count--, next++) {
        crc = (crc >> 8) ^ table[0][(crc ^ *next) & 255];
    }
    return ~crc;
}

/* ---- FNV-1a (Fowler, Noll and Vo), 64 bits ---------------------------------------------------- */

uint64_t zilch_fingerprint(uint64_t begin, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    uint64_t sum = begin;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}
