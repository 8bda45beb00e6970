/* Data sets in and out: every form that is accepted, every fault by its message, exact numbers. */
#include "dataset/dataset.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/zilch_table_XXXXXX";
static char file[64], copy[64];

/* ---- Helpers ---------------------------------------------------------------- */

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static dataset read_ok(const void *bytes, size_t length, size_t least_cols)
{
    dataset t;
    dataset_error error = {0};
    write_bytes(file, bytes, length);
    if (dataset_read(&t, file, least_cols, &error)) {
        fail_msg("%s", error.text);
    }
    return t;
}

/* The text reads as the values, rows * cols of them; names "a|b", or NULL for no header. */
static void accept(const char *text, size_t rows, size_t cols, const double *x, const char *names)
{
    dataset t = read_ok(text, strlen(text), 1);
    assert_int_equal(t.rows, rows);
    assert_int_equal(t.cols, cols);
    for (size_t i = 0; i < rows * cols; i++) {
        assert_true(t.x[i] == x[i]);
    }
    assert_int_equal(t.names != NULL, names != NULL);
    char joined[256] = "";
    for (size_t j = 0; names && j < cols; j++) {
        const size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%s%s", j ? "|" : "", t.names[j]);
    }
    assert_string_equal(joined, names ? names : "");
    dataset_free(&t);
}

/* Reading fails with exactly this message behind the file's name; nothing is left in the dataset. */
static void reject_bytes(const void *bytes, size_t length, size_t least_cols, const char *message)
{
    dataset t;
    dataset_error error = {0};
    char expected[512];
    write_bytes(file, bytes, length);
    snprintf(expected, sizeof expected, "%s: %s", file, message);
    assert_int_equal(dataset_read(&t, file, least_cols, &error), 1);
    assert_string_equal(error.text, expected);
    assert_null(t.x);
    assert_null(t.names);
    assert_int_equal(t.rows + t.cols, 0);
}

static void reject(const char *text, const char *message)
{
    reject_bytes(text, strlen(text), 2, message);
}

/* An .npy: magic, version, header padded to 64, elements. */
typedef struct npy {
    unsigned char bytes[4096];
    size_t length;
} npy;

static npy make_npy(unsigned version, const char *dict, const void *elements, size_t size)
{
    npy n = {.length = 0};
    const size_t prefix = version == 1 ? 10 : 12;
    const size_t header = (prefix + strlen(dict) + 1 + 63) / 64 * 64 - prefix;
    memcpy(n.bytes, "\x93NUMPY", 6);
    n.bytes[6] = (unsigned char)version;
    n.bytes[8] = (unsigned char)(header & 255);
    n.bytes[9] = (unsigned char)(header >> 8);
    memset(n.bytes + prefix, ' ', header);
    memcpy(n.bytes + prefix, dict, strlen(dict));
    n.bytes[prefix + header - 1] = '\n';
    memcpy(n.bytes + prefix + header, elements, size);
    n.length = prefix + header + size;
    return n;
}

#define DICT(descr, fortran, shape) "{'descr': " descr ", 'fortran_order': " fortran ", 'shape': " shape ", }"

static const double six[] = {1, 0, -2.5, 3e-300, 5, 6};
static const double two_by_two[] = {1, 2, 3, 4};

static void reject_npy(const char *dict, const char *message)
{
    const npy n = make_npy(1, dict, six, sizeof six);
    reject_bytes(n.bytes, n.length, 2, message);
}

/* ---- Text: what is accepted --------------------------------------------------- */

static void text_separators(void **state)
{
    (void)state;
    accept("1,2\n3,4\n", 2, 2, two_by_two, NULL);
    accept("1\t2\n3\t4\n", 2, 2, two_by_two, NULL);
    accept("1;2\n3;4\n", 2, 2, two_by_two, NULL);
    accept("1 2\n3 4\n", 2, 2, two_by_two, NULL);
    accept("  1   2  \n\t3 \t 4\n", 2, 2, two_by_two, NULL);
    accept("a, b;c\n1,2\n3,4\n", 2, 2, two_by_two, "a|b;c");
    accept("a,x\tb\n1\t2\n3\t4\n", 2, 2, two_by_two, "a,x|b");
    accept("\"a,b\" c\n1 2\n3 4\n", 2, 2, two_by_two, "a,b|c");
}

static void text_headers(void **state)
{
    (void)state;
    accept("a,b\n1,2\n3,4\n", 2, 2, two_by_two, "a|b");
    accept(",b\n1,2\n3,4\n", 2, 2, two_by_two, "|b");
    accept("\"first \"\"x\"\"\" , \"y\"\n1,2\n3,4\n", 2, 2, two_by_two, "first \"x\"|y");
    accept("naan,infinite\n1,2\n3,4\n", 2, 2, two_by_two, "naan|infinite");
    accept("a b\n1 2\n3 4\n", 2, 2, two_by_two, "a|b");
    accept("gr\xC3\xB6\xC3\x9F\x65,b\n1,2\n3,4\n", 2, 2, two_by_two, "gr\xC3\xB6\xC3\x9F\x65|b");
}

static void text_layout(void **state)
{
    (void)state;
    accept("1,2\n3,4", 2, 2, two_by_two, NULL);
    accept("1,2\r\n3,4\r\n", 2, 2, two_by_two, NULL);
    accept("a,b\r\n1,2\r\n3,4\r\n\r\n", 2, 2, two_by_two, "a|b");
    accept("\xEF\xBB\xBF"
           "a,b\n1,2\n3,4\n",
           2, 2, two_by_two, "a|b");
    accept("\xEF\xBB\xBF"
           "1,2\n3,4\n",
           2, 2, two_by_two, NULL);
    accept("1,2\n3,4\n\n  \n\t\n", 2, 2, two_by_two, NULL);
    accept("\n# first\n\n1,2\n  # between\n3,4\n# last", 2, 2, two_by_two, NULL);
    accept("# x, y\na b\n\n1 2\n3 4\n", 2, 2, two_by_two, "a|b");
    accept(" 1 , 2 \n\t3\t,4\n", 2, 2, two_by_two, NULL);
    accept("\"1\",\"2\"\n\" 3 \" , 4\n", 2, 2, two_by_two, NULL);
    accept("\"1\" \"2\"\n3\t\"4\"\n", 2, 2, two_by_two, NULL);
    accept("1\n2\n3\n4\n", 4, 1, two_by_two, NULL);
    accept("w\n1\n2\n3\n4\n", 4, 1, two_by_two, "w");
}

static void text_numbers(void **state)
{
    (void)state;
    const double x[] = {-0.5, 0.5, 1e5, 1e5, 5, -0.0};
    accept("-.5,+0.5,1E5\n1e+05,5.,-0\n", 2, 3, x, NULL);
    const double hard[] = {0.1,     123456789012345678901234567890.0, 5e-324,
                           DBL_MAX, 2.2250738585072011e-308,          0};
    accept(
        "0.1000000000000000055511151231257827,123456789012345678901234567890\n5e-324,1.7976931348623157e308\n"
        "2.2250738585072011e-308,0.000e-999\n",
        3, 2, hard, NULL);
}

/* Lines across the blocks in which the input is read, and a line longer than one. */
static void text_long(void **state)
{
    (void)state;
    enum { COLS = 300000, ROWS = 3 };
    char *text = malloc((size_t)COLS * ROWS * 8);
    char *at = text;
    for (size_t k = 0; k < (size_t)COLS * ROWS; k++) {
        at += sprintf(at, "%zu%c", k, (k + 1) % COLS ? ',' : '\n');
    }
    dataset t = read_ok(text, (size_t)(at - text), 2);
    assert_int_equal(t.rows, ROWS);
    assert_int_equal(t.cols, COLS);
    for (size_t k = 0; k < (size_t)COLS * ROWS; k++) {
        assert_true(t.x[k] == (double)k);
    }
    dataset_free(&t);
    for (char *c = text; c < at; c++) {
        *c = *c == ',' ? '\n' : *c;
    }
    t = read_ok(text, (size_t)(at - text), 1);
    assert_int_equal(t.rows, (size_t)COLS * ROWS);
    assert_true(t.x[t.rows - 1] == (double)(t.rows - 1));
    dataset_free(&t);
    free(text);
}

/* A decimal comma in the process's locale changes nothing. */
static void text_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        skip();
    }
    const double x[] = {0.1, 1.5, 0.12345678901234567, 2};
    accept("0.1,1.5\n0.12345678901234567000,2\n", 2, 2, x, NULL);
    setlocale(LC_ALL, "C");
}

/* ---- Text: what is rejected ---------------------------------------------------- */

static void text_values_rejected(void **state)
{
    (void)state;
    reject("1.5,oops\n2,3\n4,5\n", "line 1 (row 1), column 2: 'oops' is not a number");
    reject("1,2\n3,x4\n", "line 2 (row 2), column 2: 'x4' is not a number");
    reject("a,b\n1,2\n3,4 5\n", "line 3 (row 2), column 2 (b): '4 5' is not a number");
    reject("a,b\n1,2\n0x10,4\n", "line 3 (row 2), column 1 (a): '0x10' is not a number");
    reject("a,b\n1,2\n1e,4\n", "line 3 (row 2), column 1 (a): '1e' is not a number");
    reject("a,b\n1,2\n.,4\n", "line 3 (row 2), column 1 (a): '.' is not a number");
    reject("a,b\n1,2\n1.2.3,4\n", "line 3 (row 2), column 1 (a): '1.2.3' is not a number");
    reject("a;b\n1;2\n1,5;4\n",
           "line 3 (row 2), column 1 (a): '1,5' is not a number (the decimal sign is a point)");
    reject("1,2\n,4\n", "line 2 (row 2), column 1: the field is empty");
    reject("1,2\n3,\n", "line 2 (row 2), column 2: the field is empty");
    reject("1,2\n3,\"\"\n", "line 2 (row 2), column 2: the field is empty");
    reject("1,,2\n3,4,5\n", "line 1 (row 1), column 2: the field is empty");
    reject("a,b\n1,2\nnan,4\n", "line 3 (row 2), column 1 (a): nan is not allowed");
    reject("1,2\n3,NaN\n", "line 2 (row 2), column 2: NaN is not allowed");
    reject("1,-Inf\n3,4\n", "line 1 (row 1), column 2: -Inf is not allowed");
    reject("1,2\n3,+infinity\n", "line 2 (row 2), column 2: +infinity is not allowed");
    reject("1,2\n3,1e999\n",
           "line 2 (row 2), column 2: '1e999' does not fit a double: too large, or too close to 0");
    reject("1,2\n3,-1e-999\n",
           "line 2 (row 2), column 2: '-1e-999' does not fit a double: too large, or too close to 0");
    reject("1,2\n3,1e99999999999999999999\n", "line 2 (row 2), column 2: '1e99999999999999999999' does not "
                                              "fit a double: too large, or too close to 0");
    reject("1,2\n3,0123456789012345678901234567890123456789x\n",
           "line 2 (row 2), column 2: '0123456789012345678901234567890123456789...' is not a number");
    reject("1,2\n3,a\x01\x7f"
           "b\n",
           "line 2 (row 2), column 2: 'a??b' is not a number");
}

static void text_shapes_rejected(void **state)
{
    (void)state;
    reject("", "is empty");
    reject("\n\n", "is empty");
    reject("\xEF\xBB\xBF", "is empty");
    reject("# nothing\n", "is empty");
    reject("a,b\n", "has a header but no rows");
    reject("a,b", "has a header but no rows");
    reject("1,2\n", "has one row of data: needs at least two rows");
    reject("a,b\n1,2\n", "has one row of data: needs at least two rows");
    const char *one_column = "has one column: a joint distribution needs at least two; is the separator "
                             "comma, tab, semicolon or blank?";
    reject("1\n2\n", one_column);
    reject("a\n1\n2\n", one_column);
    reject("a,b\n1,2\n3\n", "line 3 (row 2): 1 field, but 2 expected as in line 1");
    reject("# c\n1,2\n3,4,5\n", "line 3 (row 2): 3 fields, but 2 expected as in line 2");
    reject("1 2\n3 4 5\n", "line 2 (row 2): 3 fields, but 2 expected as in line 1");
    reject("1,2\n3,4,\n", "line 2 (row 2): 3 fields, but 2 expected as in line 1");
    reject("1,2\n\n3,4\n", "line 2 is blank, but data follow in line 3");
}

static void text_quotes_rejected(void **state)
{
    (void)state;
    reject("1,2\n3,\"4\n", "line 2 (row 2), column 2: a quote is not closed");
    reject("1,2\n\"3\"x,4\n", "line 2 (row 2), column 1: text follows a closing quote");
    reject("\"a,b\n1,2\n3,4\n", "line 1, column 1: a quote is not closed");
    reject("\"a\"x,b\n1,2\n3,4\n", "line 1, column 1: text follows a closing quote");
}

static void text_not_text(void **state)
{
    (void)state;
    reject_bytes("1,2\n3,4\0\n", 9, 2, "line 2 (row 2), column 2: a NUL byte: this is no text file");
    reject_bytes("1\0,2\n3,4\n", 9, 2, "line 1 (row 1), column 1: a NUL byte: this is no text file");
    reject_bytes("a\0,b\n3,4\n", 9, 2, "line 1: a NUL byte: this is no text file");
    reject_bytes("\xFF\xFE"
                 "a\0,\0b\0\n\0",
                 10, 2, "line 1: a NUL byte: this is no text file");
    reject_bytes("PK\003\004.....", 9, 2,
                 "is a zip archive (.npz, .xlsx): give one array as .npy, or text as CSV");
    reject_bytes("\x1f\x8b.....", 7, 2, "is compressed: pipe it, as in gzip -dc FILE | zilch fit - ...");
}

static void files_rejected(void **state)
{
    (void)state;
    dataset t;
    dataset_error error;
    assert_int_equal(dataset_read(&t, "/nonexistent/data.csv", 2, &error), 1);
    assert_string_equal(error.text, "/nonexistent/data.csv: cannot open: No such file or directory");
    assert_int_equal(dataset_read(&t, "/tmp", 2, &error), 1);
    assert_string_equal(error.text, "/tmp: cannot read: Is a directory");
}

/* ---- .npy ---------------------------------------------------------------------- */

static void npy_accepted(void **state)
{
    (void)state;
    const double turned[] = {1, 3e-300, 0, 5, -2.5, 6}; /* six, columns first */
    const float small[] = {1, 0, -2.5F, 4, 5, 6};
    for (unsigned version = 1; version <= 3; version++) {
        const npy made[] = {
            make_npy(version, DICT("'<f8'", "False", "(2, 3)"), six, sizeof six),
            make_npy(version, DICT("'<f8'", "True", "(2, 3)"), turned, sizeof turned),
            make_npy(version, DICT("'=f8'", "False", "(2L, 3L)"), six, sizeof six),
            make_npy(version, DICT("'<f4'", "False", "(2, 3)"), small, sizeof small),
        };
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
            dataset t = read_ok(made[i].bytes, made[i].length, 2);
            assert_int_equal(t.rows, 2);
            assert_int_equal(t.cols, 3);
            assert_null(t.names);
            for (size_t k = 0; k < 6; k++) {
                assert_true(t.x[k] == (i == 3 ? (double)small[k] : six[k]));
            }
            dataset_free(&t);
        }
    }
}

static void npy_one_dimension(void **state)
{
    (void)state;
    const npy n = make_npy(1, DICT("'<f8'", "False", "(6,)"), six, sizeof six);
    dataset t = read_ok(n.bytes, n.length, 1);
    assert_int_equal(t.rows, 6);
    assert_int_equal(t.cols, 1);
    dataset_free(&t);
    reject_bytes(n.bytes, n.length, 2, "has the shape (6,): 1 dimension, but rows and columns are needed");
}

static void npy_large(void **state)
{
    (void)state;
    enum { ROWS = 1000, COLS = 333 }; /* more than one chunk, no multiple of a tile */
    double *x = malloc(sizeof *x * ROWS * COLS);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++) {
            x[j * ROWS + i] = (double)(i * COLS + j);
        }
    }
    const npy n = make_npy(1, DICT("'<f8'", "True", "(1000, 333)"), "", 0);
    FILE *stream = fopen(copy, "wb");
    assert_non_null(stream);
    fwrite(n.bytes, 1, n.length, stream);
    fwrite(x, sizeof *x, (size_t)ROWS * COLS, stream);
    assert_int_equal(fclose(stream), 0);
    free(x);
    dataset t;
    dataset_error error;
    assert_int_equal(dataset_read(&t, copy, 2, &error), 0);
    for (size_t k = 0; k < (size_t)ROWS * COLS; k++) {
        assert_true(t.x[k] == (double)k);
    }
    dataset_free(&t);
}

static void npy_dtypes_rejected(void **state)
{
    (void)state;
#define REMEDY ", not little-endian float32 or float64; save x.astype(float)"
    reject_npy(DICT("'>f8'", "False", "(2, 3)"), "holds big-endian floats (dtype '>f8')" REMEDY);
    reject_npy(DICT("'<f2'", "False", "(2, 3)"), "holds floats of another size (dtype '<f2')" REMEDY);
    reject_npy(DICT("'<i8'", "False", "(2, 3)"), "holds integers (dtype '<i8')" REMEDY);
    reject_npy(DICT("'|u1'", "False", "(2, 3)"), "holds unsigned integers (dtype '|u1')" REMEDY);
    reject_npy(DICT("'|b1'", "False", "(2, 3)"), "holds booleans (dtype '|b1')" REMEDY);
    reject_npy(DICT("'<c16'", "False", "(2, 3)"), "holds complex numbers (dtype '<c16')" REMEDY);
    reject_npy(DICT("'|O'", "False", "(2, 3)"), "holds Python objects (dtype '|O')" REMEDY);
    reject_npy(DICT("'<U4'", "False", "(2, 3)"), "holds text (dtype '<U4')" REMEDY);
    reject_npy(DICT("'<q8'", "False", "(2, 3)"), "holds elements (dtype '<q8')" REMEDY);
    reject_npy(
        DICT("[('a', '<f8')]", "False", "(2, 3)"),
        "holds records (a structured dtype), not float64; save one array of them with x.astype(float)");
}

static void npy_shapes_rejected(void **state)
{
    (void)state;
    reject_npy(DICT("'<f8'", "False", "()"),
               "has the shape (): 0 dimensions, but rows and columns are needed");
    reject_npy(DICT("'<f8'", "False", "(1, 2, 3)"),
               "has the shape (1, 2, 3): 3 dimensions, but rows and columns are needed");
    reject_npy(DICT("'<f8'", "False", "(5, 0)"), "has no columns: its shape is (5, 0)");
    reject_npy(DICT("'<f8'", "False", "(0, 5)"), "has no rows: its shape is (0, 5)");
    reject_npy(DICT("'<f8'", "False", "(1, 6)"), "has one row of data: needs at least two rows");
    reject_npy(DICT("'<f8'", "False", "(6, 1)"), "has one column: a joint distribution needs at least two; "
                                                 "is the separator comma, tab, semicolon or blank?");
    reject_npy(DICT("'<f8'", "False", "(4294967296, 4294967296)"),
               "claims the shape (4294967296, 4294967296), which is more than memory can hold");
    reject_npy(DICT("'<f8'", "False", "(2, 1152921504606846976)"),
               "claims the shape (2, 1152921504606846976), which is more than memory can hold");
    reject_npy(DICT("'<f8'", "False", "(1000000000, 1000000000)"),
               "is a truncated .npy file: the shape (1000000000, 1000000000) needs 8000000000000000000 "
               "bytes, 48 are "
               "there");
    reject_npy(DICT("'<f8'", "False", "(2, 2)"),
               "has bytes behind its array of shape (2, 2): one array a file");
    reject_npy(DICT("'<f8'", "False", "(3, 3)"),
               "is a truncated .npy file: the shape (3, 3) needs 72 bytes, 48 are there");
}

static void npy_headers_rejected(void **state)
{
    (void)state;
    const char *damaged = "is a damaged .npy file: its header cannot be read";
    reject_npy("", damaged);
    reject_npy("{}", damaged);
    reject_npy("{'descr': '<f8', 'fortran_order': False, }", damaged);
    reject_npy("{'descr': '<f8', 'shape': (2, 3), }", damaged);
    reject_npy("{'fortran_order': False, 'shape': (2, 3), }", damaged);
    reject_npy(DICT("'<f8'", "Maybe", "(2, 3)"), damaged);
    reject_npy(DICT("'<f8", "False", "(2, 3"), damaged);
    reject_npy(DICT("'<f8'", "False", "(2 3)"), damaged);
    reject_npy(DICT("'<f8'", "False", "(-2, 3)"), damaged);
    reject_npy(DICT("'<f8'", "False", "(99999999999999999999999, 3)"), damaged);
    reject_npy(DICT("''", "False", "(2, 3)"), damaged);
    npy n = make_npy(9, DICT("'<f8'", "False", "(2, 3)"), six, sizeof six);
    reject_bytes(n.bytes, n.length, 2, "is .npy of version 9; 1 to 3 can be read");
    n = make_npy(2, DICT("'<f8'", "False", "(2, 3)"), six, sizeof six);
    n.bytes[11] = 0xFF;
    reject_bytes(n.bytes, n.length, 2, damaged);
}

/* Cut anywhere, it is an error; nothing is read beyond. */
static void npy_truncated(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 2; version++) {
        const npy n = make_npy(version, DICT("'<f8'", "False", "(2, 3)"), six, sizeof six);
        for (size_t length = 1; length < n.length; length++) {
            dataset t;
            dataset_error error = {0};
            write_bytes(file, n.bytes, length);
            assert_int_equal(dataset_read(&t, file, 2, &error), 1);
            assert_true(length < 6 || strstr(error.text, "is a truncated .npy file") != NULL);
        }
    }
}

/* Any byte changed: read or refused, but never a crash; for the sanitizers. */
static void npy_flipped(void **state)
{
    (void)state;
    npy n = make_npy(1, DICT("'<f8'", "True", "(2, 3)"), six, sizeof six);
    for (size_t at = 0; at < n.length; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            dataset t;
            dataset_error error = {0};
            n.bytes[at] ^= (unsigned char)(1U << bit);
            write_bytes(file, n.bytes, n.length);
            const int failed = dataset_read(&t, file, 1, &error);
            assert_int_equal(failed, error.text[0] != '\0');
            assert_null(strchr(error.text, '\n'));
            dataset_free(&t);
            n.bytes[at] ^= (unsigned char)(1U << bit);
        }
    }
}

static void npy_values_rejected(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 6};
    x[4] = NAN;
    npy n = make_npy(1, DICT("'<f8'", "False", "(2, 3)"), x, sizeof x);
    reject_bytes(n.bytes, n.length, 2, "row 2, column 2: NaN is not allowed");
    n = make_npy(1, DICT("'<f8'", "True", "(2, 3)"), x, sizeof x);
    reject_bytes(n.bytes, n.length, 2, "row 1, column 3: NaN is not allowed");
    x[4] = -INFINITY;
    n = make_npy(1, DICT("'<f8'", "False", "(2, 3)"), x, sizeof x);
    reject_bytes(n.bytes, n.length, 2, "row 2, column 2: -Inf is not allowed");
    const float small[] = {1, 2, 3, 4, 5, INFINITY};
    n = make_npy(1, DICT("'<f4'", "False", "(2, 3)"), small, sizeof small);
    reject_bytes(n.bytes, n.length, 2, "row 2, column 3: Inf is not allowed");
}

/* ---- Writing ------------------------------------------------------------------- */

/* Rows that count up; fails at the row `last`. */
typedef struct counter {
    size_t next, cols, last;
} counter;

static double counted(size_t k)
{
    return k % 3 ? 0 : (double)k / 7;
}

static zilch_status count_up(void *context, size_t count, double *x)
{
    counter *c = context;
    for (size_t k = 0; k < count * c->cols; k++) {
        x[k] = counted(c->next++);
    }
    return c->next > c->last * c->cols ? ZILCH_ENUMERIC : ZILCH_OK;
}

/* Written with the first names, and read with the second. */
static void check_renamed(const char *path, size_t rows, size_t cols, char **names, char **read)
{
    counter c = {.cols = cols, .last = SIZE_MAX / cols};
    const dataset_rows source = {
        .rows = rows, .cols = cols, .names = (const char *const *)names, .fill = count_up, .context = &c};
    dataset_error error;
    dataset t;
    if (dataset_write(path, &source, &error) || dataset_read(&t, path, 1, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(t.rows, rows);
    assert_int_equal(t.cols, cols);
    for (size_t k = 0; k < rows * cols; k++) {
        assert_true(t.x[k] == counted(k));
    }
    for (size_t j = 0; names && t.names && j < cols; j++) {
        assert_string_equal(t.names[j], read[j]);
    }
    dataset_free(&t);
    assert_int_equal(unlink(path), 0);
}

static void check_written(const char *path, size_t rows, size_t cols, char **names)
{
    check_renamed(path, rows, cols, names, names);
}

static void written_is_read_back(void **state)
{
    (void)state;
    char *names[] = {"a", "b \"c\"", "d,e"};
    char csv[128], binary[128];
    snprintf(csv, sizeof csv, "%s/out.csv", folder);
    snprintf(binary, sizeof binary, "%s/out.npy", folder);
    check_written(csv, 2, 3, NULL);
    check_written(csv, 2, 3, names);
    char *marks[][2] = {{"\xEF\xBB\xBF"
                         "a",
                         "b"},
                        {"\x1f\x8b", "b"},
                        {"PK\x03\x04", "b"},
                        {"\x93NUMPY", "b"}};
    char *shown[][2] = {{"\\ufeffa", "b"}, {"\\x1f\\x8b", "b"}, {"PK\\x03\\x04", "b"}, {"\\x93NUMPY", "b"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        check_renamed(csv, 2, 2, marks[i], shown[i]); /* the file does not begin as another kind would */
        check_written(csv, 2, 2, shown[i]);
    }
    char *formulas[][2] = {{"=a", "-b"}, {"@\"a\"", "+b,c"}, {"'a", "-1"}};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        check_written(csv, 2, 2, formulas[i]);
    }
    check_written(csv, 10000, 3, NULL); /* several chunks */
    check_written(csv, 2, 300000, NULL);
    check_written(binary, 2, 3, names);
    check_written(binary, 10000, 3, NULL);
    check_written(binary, 2, 300000, NULL);
}

static void written_bytes(void **state)
{
    (void)state;
    char *names[] = {"a", "b"};
    counter c = {.cols = 2, .last = 10};
    const dataset_rows source = {
        .rows = 2, .cols = 2, .names = (const char *const *)names, .fill = count_up, .context = &c};
    dataset_error error;
    char bytes[256] = "";
    assert_int_equal(dataset_write(copy, &source, &error), 0);
    FILE *stream = fopen(copy, "rb");
    assert_non_null(stream);
    const size_t length = fread(bytes, 1, sizeof bytes - 1, stream);
    fclose(stream);
    assert_int_equal(length, strlen(bytes));
    assert_string_equal(bytes, "a,b\n0,0\n0,0.42857142857142855\n");
}

/* What cannot be written leaves what was there. */
static void write_failures(void **state)
{
    (void)state;
    counter c = {.cols = 2, .last = 5000};
    const dataset_rows source = {.rows = 100000, .cols = 2, .fill = count_up, .context = &c};
    dataset_error error = {0};
    write_bytes(copy, "old", 3);
    assert_int_equal(dataset_write(copy, &source, &error), 1);
    char bytes[8] = "";
    FILE *stream = fopen(copy, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(bytes, 1, sizeof bytes, stream), 3);
    fclose(stream);
    assert_string_equal(bytes, "old");
    c = (counter){.cols = 2, .last = SIZE_MAX / 2};
    assert_int_equal(dataset_write("/nonexistent/out.csv", &source, &error), 1);
    assert_non_null(strstr(error.text, "/nonexistent/out.csv: "));
    assert_int_equal(dataset_write("/dev/full", &source, &error), 1);
    assert_string_equal(error.text, "/dev/full: cannot write: No space left on device");
}

/* ---- Frame --------------------------------------------------------------------- */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(file, sizeof file, "%s/data", folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(file);
    unlink(copy);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_separators),
        cmocka_unit_test(text_headers),
        cmocka_unit_test(text_layout),
        cmocka_unit_test(text_numbers),
        cmocka_unit_test(text_long),
        cmocka_unit_test(text_locale),
        cmocka_unit_test(text_values_rejected),
        cmocka_unit_test(text_shapes_rejected),
        cmocka_unit_test(text_quotes_rejected),
        cmocka_unit_test(text_not_text),
        cmocka_unit_test(files_rejected),
        cmocka_unit_test(npy_accepted),
        cmocka_unit_test(npy_one_dimension),
        cmocka_unit_test(npy_large),
        cmocka_unit_test(npy_dtypes_rejected),
        cmocka_unit_test(npy_shapes_rejected),
        cmocka_unit_test(npy_headers_rejected),
        cmocka_unit_test(npy_truncated),
        cmocka_unit_test(npy_flipped),
        cmocka_unit_test(npy_values_rejected),
        cmocka_unit_test(written_is_read_back),
        cmocka_unit_test(written_bytes),
        cmocka_unit_test(write_failures),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
