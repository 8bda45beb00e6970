/* Reading a data set: open, tell the format by its first bytes, read, check. */
#include "table.h"

#include "table_source.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
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
        return source_fail(s, "cannot read: %s", strerror(errno));
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

void table_free(table *t)
{
    for (size_t j = 0; t->names && j < t->cols; j++) {
        free(t->names[j]);
    }
    free(t->names);
    free(t->x);
    *t = (table){0};
}

static int begins_with(const source *s, const char *magic, size_t length)
{
    return s->end - s->start >= length && memcmp(s->buffer + s->start, magic, length) == 0;
}

static int read_by_content(source *s, size_t least_cols, table *out)
{
    if (source_fill(s)) {
        return 1;
    }
    if (s->end == 0) {
        return source_fail(s, "is empty");
    }
    if (begins_with(s, "\x93NUMPY", 6)) {
        return table_read_npy(s, least_cols, out);
    }
    if (begins_with(s, "PK\x03\x04", 4)) {
        return source_fail(s, "is a zip archive (.npz, .xlsx): give one array as .npy, or text as CSV");
    }
    if (begins_with(s, "\x1f\x8b", 2)) {
        return source_fail(s, "is compressed: pipe it, as in gzip -dc FILE | zilch fit - ...");
    }
    return table_read_text(s, out);
}

static int check_shape(const source *s, size_t least_rows, size_t least_cols, const table *t)
{
    if (t->rows < least_rows) {
        return source_fail(s, "has one row of data: needs at least two rows");
    }
    if (t->cols < least_cols) {
        return source_fail(s, "has one column: a joint law needs at least two; is the separator comma, "
                              "tab, semicolon or blank?");
    }
    return 0;
}

/* strtod obeys the thread's locale: reading happens in "C", where the point is a point. */
static int read_in_c_locale(source *s, size_t least_rows, size_t least_cols, table *out)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return source_fail(s, "does not fit in memory");
    }
    const locale_t before = uselocale(plain);
    const int status = read_by_content(s, least_cols, out) || check_shape(s, least_rows, least_cols, out);
    uselocale(before);
    freelocale(plain);
    return status;
}

/* Not waited for, whatever it is: neither a pipe's writer, nor the bytes of what only looks like a file. */
static int open_file(source *s)
{
    struct stat info;
    const int file = open(s->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return source_fail(s, "cannot open: %s", strerror(errno));
    }
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(file);
        return source_fail(s, "is not a regular file, as these data must be: they are read again later");
    }
    s->stream = fdopen(file, "rb");
    if (!s->stream) {
        close(file);
        return source_fail(s, "cannot open: %s", strerror(errno));
    }
    return 0;
}

static int open_any(source *s)
{
    s->stream = fopen(s->name, "rbe");
    return s->stream ? 0 : source_fail(s, "cannot open: %s", strerror(errno));
}

typedef struct shape {
    size_t least_rows, least_cols;
    int is_file; /* a regular one, not standard input */
} shape;

static int read_path(table *out, const char *path, const shape *needed, table_error *error)
{
    *out = (table){0};
    const int standard = !needed->is_file && strcmp(path, "-") == 0;
    source s = {.name = standard ? "standard input" : path, .error = error};
    s.stream = standard ? stdin : NULL;
    if (!standard && (needed->is_file ? open_file(&s) : open_any(&s))) {
        return 1;
    }
    const int status = read_in_c_locale(&s, needed->least_rows, needed->least_cols, out);
    if (status) {
        table_free(out);
    }
    free(s.buffer);
    if (!standard) {
        fclose(s.stream);
    }
    return status;
}

int table_read(table *out, const char *path, size_t least_cols, table_error *error)
{
    return read_path(out, path, &(shape){2, least_cols, 0}, error);
}

int table_read_file(table *out, const char *path, size_t least_cols, table_error *error)
{
    return read_path(out, path, &(shape){2, least_cols, 1}, error);
}

int table_read_any(table *out, const char *path, table_error *error)
{
    return read_path(out, path, &(shape){1, 1, 0}, error);
}
