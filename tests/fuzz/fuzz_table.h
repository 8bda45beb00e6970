/* Data sets from bytes: the same for both formats. A table that was read is written and read again. */
#ifndef ZILCH_FUZZ_TABLE_H
#define ZILCH_FUZZ_TABLE_H

#include "fuzz.h"
#include "fuzz_file.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

typedef struct table_cursor {
    const table *table;
    size_t row;
} table_cursor;

static inline zilch_status table_fill(void *context, size_t count, double *x)
{
    table_cursor *cursor = context;
    const table *t = cursor->table;
    memcpy(x, t->x + cursor->row * t->cols, count * t->cols * sizeof *x);
    cursor->row += count;
    return ZILCH_OK;
}

/* Whether a name that was written is the one that is read: it is as it is shown. */
static inline int table_is_same_name(const char *written, const char *read)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&shown, &size);
    MUST(stream);
    text_put(stream, written);
    MUST(fclose(stream) == 0);
    const int is_same = strcmp(shown, read) == 0;
    free(shown);
    return is_same;
}

/* `ending` is .csv or .npy. Names of columns are in a CSV only, and only if one of them is no number. */
static inline void table_check_again(const table *t, const char *ending)
{
    char path[FUZZ_PATH_SIZE + 8];
    table again;
    table_error error;
    table_cursor cursor = {.table = t};
    const table_rows rows = {
        .rows = t->rows, .cols = t->cols, .names = t->names, .fill = table_fill, .context = &cursor};
    snprintf(path, sizeof path, "%s%s", fuzz_path(), ending);
    MUST(table_write(path, &rows, &error) == 0);
    if (table_read_any(&again, path, &error)) {
        fprintf(stderr, "%s\n", error.text);
        MUST(0);
    }
    MUST(again.rows == t->rows && again.cols == t->cols);
    for (size_t k = 0; k < t->rows * t->cols; k++) {
        MUST(again.x[k] == t->x[k]);
    }
    for (size_t j = 0; again.names && j < t->cols; j++) {
        MUST(t->names && table_is_same_name(t->names[j], again.names[j]));
    }
    table_free(&again);
    remove(path);
}

static inline void table_check(const uint8_t *data, size_t size)
{
    table t;
    table_error error = {""};
    const char *path = fuzz_file(data, size);
    const int failed = table_read_any(&t, path, &error);
    MUST(failed == (error.text[0] != '\0') && !strchr(error.text, '\n'));
    MUST(failed ? !t.x && !t.names : t.rows > 0 && t.cols > 0);
    for (size_t k = 0; k < t.rows * t.cols; k++) {
        MUST(isfinite(t.x[k]));
    }
    if (!failed && size % 2 == 0) { /* writing takes longer than reading */
        table_check_again(&t, size % 4 ? ".npy" : ".csv");
    }
    table_free(&t);
}

#endif
