/* Reading a dataset: open, tell the format by its first bytes, read, check. */
#include "dataset/dataset.h"

#include "dataset/dataset_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

/* ---- Source ------------------------------------------------------------------ */

int source_fail(const source *s, const char *format, ...)
{
    const size_t size = sizeof s->error->text;
    size_t length = (size_t)snprintf(s->error->text, size, "%.512s: ", s->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->error->text + length, size - length, format, arguments);
    va_end(arguments);
    return 1;
}

static int source_fail_system(const source *s, const char *what)
{
    s->error->is_unreadable = 1;
    return source_fail(s, "cannot %s: %s", what, strerror(errno));
}

int source_reserve(const source *s, void **memory, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return 0;
    }
    const size_t most = SIZE_MAX / 2 / size;
    const size_t doubled = *capacity < most / 2 ? 2 * *capacity : most;
    const size_t count = needed < doubled ? doubled : needed;
    void *grown = needed <= most ? realloc(*memory, count * size) : NULL;
    if (!grown) {
        return source_fail(s, "does not fit in memory");
    }
    *memory = grown;
    *capacity = count;
    return 0;
}

static int read_bytes(source *s, void *out, size_t size, size_t *taken)
{
    errno = 0;
    *taken = fread(out, 1, size, s->stream);
    s->ended = *taken < size;
    if (ferror(s->stream)) {
        return source_fail_system(s, "read");
    }
    return 0;
}

int source_fill(source *s)
{
    if (s->start > 0) {
        memmove(s->buffer, s->buffer + s->start, s->end - s->start);
        s->end -= s->start;
        s->start = 0;
    }
    void *memory = s->buffer;
    if (source_reserve(s, &memory, &s->capacity, s->end + BLOCK + 1, 1)) {
        return 1;
    }
    s->buffer = memory;
    size_t taken;
    if (read_bytes(s, s->buffer + s->end, s->capacity - s->end - 1, &taken)) {
        return 1;
    }
    s->end += taken;
    s->buffer[s->end] = '\0';
    return 0;
}

int source_take(source *s, void *out, size_t size, size_t *taken)
{
    const size_t ready = s->end - s->start;
    const size_t copied = size < ready ? size : ready;
    memcpy(out, s->buffer + s->start, copied);
    s->start += copied;
    *taken = copied;
    if (copied == size || s->ended) {
        return 0;
    }
    size_t more;
    if (read_bytes(s, (char *)out + copied, size - copied, &more)) {
        return 1;
    }
    *taken += more;
    return 0;
}

/* ---- Table ------------------------------------------------------------------- */

void dataset_free(dataset *t)
{
    for (size_t j = 0; t->names && j < t->cols; j++) {
        free(t->names[j]);
    }
    free(t->names);
    free(t->x);
    *t = (dataset){0};
}

static int begins_with(const source *s, const char *magic, size_t length)
{
    return s->end - s->start >= length && memcmp(s->buffer + s->start, magic, length) == 0;
}

static int read_by_content(source *s, size_t least_cols, dataset *out)
{
    if (source_fill(s)) {
        return 1;
    }
    if (s->end == 0) {
        return source_fail(s, "is empty");
    }
    if (begins_with(s, "\x93NUMPY", 6)) {
        return dataset_read_npy(s, least_cols, out);
    }
    if (begins_with(s, "PK\x03\x04", 4)) {
        return source_fail(s, "is a zip archive (.npz, .xlsx): give one array as .npy, or text as CSV");
    }
    if (begins_with(s, "\x1f\x8b", 2)) {
        return source_fail(s, "is compressed: pipe it, as in gzip -dc FILE | zilch fit - ...");
    }
    return dataset_read_text(s, out);
}

/* A regular file: neither a pipe's writer is waited for, nor the bytes of what only looks like a file. */
static int open_file(source *s)
{
    struct stat info;
    const int file = open(s->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const int is_regular = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    s->stream = is_regular ? fdopen(file, "rb") : NULL;
    if (file >= 0 && !s->stream) {
        close(file);
    }
    return s->stream                ? 0
           : file < 0 || is_regular ? source_fail_system(s, "open")
                                    : source_fail(s, "is not a regular file, as these data must be: they are "
                                                     "read again later");
}

static int read_path(dataset *out, const char *path, size_t least_rows, size_t least_cols, int is_file,
                     dataset_error *error)
{
    *out = (dataset){0};
    error->is_unreadable = 0;
    const int standard = !is_file && strcmp(path, "-") == 0;
    source s = {.name = standard ? "standard input" : path, .error = error};
    if (is_file && open_file(&s)) {
        return 1;
    }
    if (!is_file) {
        s.stream = standard ? stdin : fopen(path, "rbe");
    }
    if (!s.stream) {
        return source_fail_system(&s, "open");
    }
    int status = read_by_content(&s, least_cols, out);
    if (!status && out->rows < least_rows) {
        status = source_fail(&s, "has one row of data: needs at least two rows");
    } else if (!status && out->cols < least_cols) {
        status = source_fail(
            &s, "has one column: a joint distribution needs at least two; is the separator comma, "
                "tab, semicolon or blank?");
    }
    if (status) {
        dataset_free(out);
    }
    free(s.buffer);
    if (!standard) {
        fclose(s.stream);
    }
    return status;
}

int dataset_read(dataset *out, const char *path, size_t least_cols, dataset_error *error)
{
    return read_path(out, path, 2, least_cols, 0, error);
}

int dataset_read_file(dataset *out, const char *path, size_t least_cols, dataset_error *error)
{
    return read_path(out, path, 2, least_cols, 1, error);
}

int dataset_read_any(dataset *out, const char *path, dataset_error *error)
{
    return read_path(out, path, 1, 1, 0, error);
}
