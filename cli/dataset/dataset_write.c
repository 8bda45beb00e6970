/* Writing a dataset in chunks, so that memory does not grow with the rows. */
#include "dataset/dataset.h"
#include "terminal/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_VALUES = 1 << 18, CHUNK_ROWS = 4096, NPY_ALIGNMENT = 64, NPY_PREFIX = 10 };

/* What zilch_file_replace() hands to the writer below. */
typedef struct job {
    const dataset_rows *rows;
    double *chunk;
    size_t chunk_rows;
    const struct row_format *format;
} job;

typedef struct row_format {
    void (*put_header)(const dataset_rows *rows, FILE *stream);
    void (*put_rows)(const double *x, size_t count, size_t cols, FILE *stream);
} row_format;

static int write_fail(dataset_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int write_fail(dataset_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return 1;
}

static void put_csv_header(const dataset_rows *rows, FILE *stream)
{
    for (size_t j = 0; rows->names && j < rows->cols; j++) {
        text_put_field(stream, rows->names[j], strpbrk(rows->names[j], " #") != NULL);
        fputc(j + 1 < rows->cols ? ',' : '\n', stream);
    }
}

static void put_csv_rows(const double *x, size_t count, size_t cols, FILE *stream)
{
    char text[ZILCH_NUMBER_SIZE];
    for (size_t k = 0; k < count * cols; k++) {
        const size_t length = zilch_number_format(x[k], text);
        text[length] = (k + 1) % cols ? ',' : '\n';
        fwrite(text, 1, length + 1, stream);
    }
}

static void put_no_header(const dataset_rows *rows, FILE *stream)
{
    (void)rows;
    (void)stream;
}

static void put_json_rows(const double *x, size_t count, size_t cols, FILE *stream)
{
    char text[ZILCH_NUMBER_SIZE];
    for (size_t k = 0; k < count * cols; k++) {
        zilch_number_format(x[k], text);
        fprintf(stream, "%s%s%s", k % cols ? "," : "{\"x\":[", text, (k + 1) % cols ? "" : "]}\n");
    }
}

/* Version 1.0: magic, version, length of the rest; padded so that the elements begin at a
 * multiple of 64. */
static void put_npy_header(const dataset_rows *rows, FILE *stream)
{
    char text[256];
    const int length =
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                 rows->rows, rows->cols);
    const size_t used = NPY_PREFIX + (size_t)length + 1;
    const size_t padding = (NPY_ALIGNMENT - used % NPY_ALIGNMENT) % NPY_ALIGNMENT;
    const size_t size = used + padding - NPY_PREFIX;
    fwrite("\x93NUMPY\x01\x00", 1, 8, stream);
    fputc((int)(size & 255), stream);
    fputc((int)(size >> 8), stream);
    fprintf(stream, "%s%*s\n", text, (int)padding, "");
}

static void put_npy_rows(const double *x, size_t count, size_t cols, FILE *stream)
{
    for (size_t k = 0; k < count * cols; k++) {
        uint64_t word;
        unsigned char bytes[sizeof word];
        memcpy(&word, x + k, sizeof word);
        for (size_t i = 0; i < sizeof word; i++) {
            bytes[i] = (unsigned char)(word >> 8 * i);
        }
        fwrite(bytes, 1, sizeof bytes, stream);
    }
}

static const row_format csv = {put_csv_header, put_csv_rows};
static const row_format json_lines = {put_no_header, put_json_rows};
static const row_format npy = {put_npy_header, put_npy_rows};

/* A stream that failed ends the work with OK: whoever flushes it finds the error and words it, cli_finish()
 * for standard output. */
static zilch_status write_rows(void *context, FILE *stream)
{
    const job *j = context;
    const dataset_rows *rows = j->rows;
    j->format->put_header(rows, stream);
    for (size_t done = 0; done < rows->rows && !ferror(stream);) {
        const size_t left = rows->rows - done;
        const size_t count = left < j->chunk_rows ? left : j->chunk_rows;
        const zilch_status status = rows->fill(rows->context, count, j->chunk);
        if (status != ZILCH_OK) {
            return status;
        }
        j->format->put_rows(j->chunk, count, rows->cols, stream);
        done += count;
    }
    return ZILCH_OK;
}

int dataset_write(const char *path, const dataset_rows *rows, dataset_error *error)
{
    job j = {.rows = rows};
    j.chunk_rows = rows->cols < CHUNK_VALUES / CHUNK_ROWS ? CHUNK_ROWS : CHUNK_VALUES / rows->cols;
    j.chunk_rows += j.chunk_rows == 0;
    j.chunk = rows->cols < SIZE_MAX / sizeof(double) / CHUNK_VALUES
                  ? malloc(j.chunk_rows * rows->cols * sizeof *j.chunk)
                  : NULL;
    if (!j.chunk) {
        return write_fail(error, "out of memory");
    }
    const int is_file = path && strcmp(path, "-") != 0;
    int status = 0;
    const char *ending = is_file ? strrchr(path, '.') : NULL;
    j.format = rows->is_json ? &json_lines : ending && strcmp(ending, ".npy") == 0 ? &npy : &csv;
    if ((is_file ? zilch_file_replace(path, write_rows, &j) : write_rows(&j, stdout)) != ZILCH_OK) {
        status = write_fail(error, "%s", zilch_last_error());
    }
    free(j.chunk);
    return status;
}
