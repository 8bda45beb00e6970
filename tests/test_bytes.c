/* Numbers as bytes, within bounds, and the checksum that finds damage. */
#include "base/bytes.h"
#include "support.h"

/* ---- Bytes ------------------------------------------------------------------ */

static const double packed_doubles[] = {0.0, -0.0, 1.0, -2.5, DBL_MAX, 0x1p-1074, INFINITY, -INFINITY, NAN};

static void test_bytes_round_trip(void **state)
{
    (void)state;
    unsigned char buffer[200];
    zi_writer writer = {buffer, sizeof buffer, 0};
    zi_write_u32(&writer, 0xdeadbeef);
    zi_write_u64(&writer, 0x0123456789abcdef);
    zi_write_double(&writer, -0.1);
    zi_write_bytes(&writer, "zilch", 5);
    zi_write_bytes(&writer, NULL, 0);
    zi_write_doubles(&writer, packed_doubles, COUNT(packed_doubles));
    zi_write_checksum(&writer);
    assert_int_equal(writer.length, 4 + 8 + 8 + 5 + 8 * COUNT(packed_doubles) + 8);

    zi_reader reader = {buffer, writer.length, 0, 1};
    char text[5];
    double values[COUNT(packed_doubles)];
    assert_true(zi_read_u32(&reader) == 0xdeadbeef);
    assert_true(zi_read_u64(&reader) == 0x0123456789abcdef);
    assert_true(zi_read_double(&reader) == -0.1);
    zi_read_bytes(&reader, text, 5);
    assert_memory_equal(text, "zilch", 5);
    zi_read_doubles(&reader, values, COUNT(values));
    assert_memory_equal(values, packed_doubles, sizeof values);
    assert_true(zi_read_checksum(&reader));
    assert_true(reader.ok);
    assert_int_equal(reader.position, reader.length);
}

/* Floats of every kind, NaNs with their payloads among them, bit for bit. */
static void test_floats_round_trip(void **state)
{
    (void)state;
    static const uint32_t bits[] = {0x00000000, 0x80000000, 0x3f800000, 0xc0200000, 0x7f7fffff, 0x00000001,
                                    0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffbfffff};
    unsigned char buffer[4 * COUNT(bits) + 1];
    float values[COUNT(bits)];
    float got[COUNT(bits)];
    memcpy(values, bits, sizeof values);
    zi_writer writer = {buffer, sizeof buffer, 0};
    zi_write_floats(&writer, values, COUNT(values));
    zi_write_floats(&writer, NULL, 0);
    assert_int_equal(writer.length, 4 * COUNT(bits));
    for (size_t i = 0; i < sizeof bits; i++) { /* little-endian, whatever the machine is */
        assert_int_equal(buffer[i], bits[i / 4] >> (8 * (i % 4)) & 255);
    }
    zi_reader reader = {buffer, writer.length, 0, 1};
    zi_read_floats(&reader, got, COUNT(got));
    assert_true(reader.ok && reader.position == writer.length);
    assert_memory_equal(got, bits, sizeof got);
    zi_read_floats(&reader, NULL, 0);
    assert_true(reader.ok);
    zi_read_floats(&reader, got, 2); /* past the end: zeros */
    assert_false(reader.ok);
    assert_true(got[0] == 0.0F && got[1] == 0.0F);
    assert_memory_equal(got + 2, bits + 2, sizeof got - 2 * sizeof *got);
}

/* A buffer that ends inside a float, and no buffer at all: counted all the same. */
static void test_floats_are_counted(void **state)
{
    (void)state;
    const float values[] = {1.0F, -2.0F, 3.0F};
    zi_writer counting = {NULL, 0, 0};
    zi_write_floats(&counting, values, COUNT(values));
    assert_int_equal(counting.length, sizeof values);
    for (size_t capacity = 0; capacity <= sizeof values; capacity++) {
        unsigned char *buffer = malloc(capacity + !capacity);
        zi_writer writer = {buffer, capacity, 0};
        zi_write_floats(&writer, values, COUNT(values));
        assert_int_equal(writer.length, sizeof values);
        free(buffer);
    }
}

static void test_byte_layout(void **state)
{
    (void)state;
    static const unsigned char expected[] = {0x04, 0x03, 0x02, 0x01,                         /* u32 */
                                             0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* u64 */
                                             0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0xbf, /* -1.5 */
                                             'z'};
    unsigned char buffer[sizeof expected];
    zi_writer writer = {buffer, sizeof buffer, 0};
    zi_write_u32(&writer, 0x01020304);
    zi_write_u64(&writer, 0x0102030405060708);
    zi_write_double(&writer, -1.5);
    zi_write_bytes(&writer, "z", 1);
    assert_int_equal(writer.length, sizeof expected);
    assert_memory_equal(buffer, expected, sizeof expected);
}

/* What every write of a message adds up to. */
static void write_message(zi_writer *writer)
{
    zi_write_u32(writer, 0xffffffff);
    zi_write_double(writer, 1e300);
    zi_write_bytes(writer, "\1\2\3", 3);
    zi_write_u64(writer, UINT64_MAX);
    zi_write_checksum(writer);
}

/* Counting needs no buffer; with too small a one the count is the same, and nothing beyond it is touched. */
static void test_writer_counts(void **state)
{
    (void)state;
    enum { NEEDED = 4 + 8 + 3 + 8 + 8 };
    zi_writer counting = {NULL, 0, 0};
    unsigned char whole[NEEDED];
    zi_writer writer = {whole, NEEDED, 0};
    write_message(&counting);
    write_message(&writer);
    assert_int_equal(counting.length, NEEDED);
    assert_int_equal(writer.length, NEEDED);
    for (size_t capacity = 0; capacity < NEEDED; capacity++) {
        unsigned char *buffer = malloc(capacity + 32);
        memset(buffer, 0x5A, capacity + 32);
        zi_writer small = {buffer, capacity, 0};
        write_message(&small);
        assert_int_equal(small.length, NEEDED);
        for (size_t i = 0; i < capacity + 32; i++) { /* as in the whole message, or untouched */
            assert_true(buffer[i] == 0x5A || (i < capacity && buffer[i] == whole[i]));
        }
        free(buffer);
    }
}

/* Whatever is missing reads as zeros, and so does all after it, even what would fit. */
static void test_reading_past_the_end(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(11);
    memset(bytes, 0xff, 11);
    for (size_t length = 0; length <= 11; length++) {
        zi_reader reader = {bytes, length, 0, 1};
        const uint64_t first = zi_read_u64(&reader);
        assert_true(first == (length >= 8 ? UINT64_MAX : 0));
        assert_int_equal(reader.ok, length >= 8);
        assert_true(zi_read_u32(&reader) == 0);
        assert_int_equal(reader.ok, 0);
        unsigned char rest[3] = {1, 2, 3};
        zi_read_bytes(&reader, rest, 3);
        assert_memory_equal(rest, "\0\0\0", 3);
        double values[2] = {1.0, 2.0};
        zi_read_doubles(&reader, values, 2);
        assert_true(values[0] == 0.0 && values[1] == 0.0 && zi_read_double(&reader) == 0.0);
        assert_false(zi_read_checksum(&reader));
        assert_true(reader.position <= length);
    }
    free(bytes);
}

/* One byte more than there is, and a reader of nothing. */
static void test_reading_one_too_many(void **state)
{
    (void)state;
    const unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned char out[5];
    zi_reader reader = {bytes, sizeof bytes, 0, 1};
    zi_read_bytes(&reader, out, 4);
    assert_memory_equal(out, bytes, 4);
    zi_read_bytes(&reader, out, 5);
    assert_int_equal(reader.ok, 0);
    assert_memory_equal(out, "\0\0\0\0\0", 5);
    zi_reader empty = {NULL, 0, 0, 1};
    assert_true(zi_read_u32(&empty) == 0);
    assert_int_equal(empty.ok, 0);
}

/* ---- Checksum --------------------------------------------------------------- */

/* CRC-64/XZ from its definition: reflected, polynomial 0x42F0E1EBA9EA3693, all ones at both ends. */
static uint64_t reference_crc(const unsigned char *bytes, size_t count)
{
    uint64_t reflected = 0;
    for (int bit = 0; bit < 64; bit++) {
        reflected |= (uint64_t)(0x42F0E1EBA9EA3693u >> bit & 1) << (63 - bit);
    }
    uint64_t crc = UINT64_MAX;
    for (size_t i = 0; i < 8 * count; i++) {
        const uint64_t bit = (crc ^ (uint64_t)(bytes[i / 8] >> i % 8)) & 1;
        crc = crc >> 1 ^ (bit ? reflected : 0);
    }
    return ~crc;
}

static void fill_random(unsigned char *bytes, size_t count)
{
    zilch_rng rng = zilch_rng_make(51, 0);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(256.0 * zilch_rng_uniform(&rng));
    }
}

static void test_crc(void **state)
{
    (void)state;
    unsigned char bytes[48];
    fill_random(bytes, sizeof bytes);
    assert_true(zi_crc64("123456789", 9) == 0x995DC9BBDF1939FA);
    assert_true(zi_crc64("", 0) == 0);
    for (size_t length = 0; length <= 40; length++) {
        for (size_t begin = 0; begin < 8; begin++) { /* aligned or not */
            assert_true(zi_crc64(bytes + begin, length) == reference_crc(bytes + begin, length));
        }
    }
}

static int message_is_whole(const unsigned char *bytes, size_t length)
{
    unsigned char body[200];
    zi_reader reader = {bytes, length, 0, 1};
    zi_read_bytes(&reader, body, sizeof body);
    return zi_read_checksum(&reader);
}

/* Every single flipped bit and every cut of 200 bytes and their checksum. */
static void test_damage_is_found(void **state)
{
    (void)state;
    unsigned char body[200];
    unsigned char bytes[208];
    fill_random(body, sizeof body);
    zi_writer writer = {bytes, sizeof bytes, 0};
    zi_write_bytes(&writer, body, sizeof body);
    zi_write_checksum(&writer);
    assert_true(message_is_whole(bytes, sizeof bytes));
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_false(message_is_whole(bytes, sizeof bytes));
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t length = 0; length < sizeof bytes; length++) {
        assert_false(message_is_whole(bytes, length));
    }
    assert_true(message_is_whole(bytes, sizeof bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_round_trip),     cmocka_unit_test(test_floats_round_trip),
        cmocka_unit_test(test_floats_are_counted),   cmocka_unit_test(test_byte_layout),
        cmocka_unit_test(test_writer_counts),        cmocka_unit_test(test_reading_past_the_end),
        cmocka_unit_test(test_reading_one_too_many), cmocka_unit_test(test_crc),
        cmocka_unit_test(test_damage_is_found),
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
