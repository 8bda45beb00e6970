/* Datasets from bytes: the same for both formats. A dataset that was read is written and read again. */
#ifndef ZILCH_FUZZ_DATASET_H
#define ZILCH_FUZZ_DATASET_H

#include "dataset/dataset.h"
#include "fuzz.h"
#include "fuzz_file.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>

typedef struct dataset_cursor {
    const dataset *data;
    size_t row;
} dataset_cursor;

static inline zilch_status dataset_fill(void *context, size_t count, double *x)
{
    dataset_cursor *cursor = context;
    const dataset *t = cursor->data;
    memcpy(x, t->x + cursor->row * t->cols, count * t->cols * sizeof *x);
    cursor->row += count;
    return ZILCH_OK;
}

/* Whether a name that was written is the one that is read: it is as it is shown. */
static inline int dataset_is_same_name(const char *written, const char *read)
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
static inline void dataset_check_again(const dataset *t, const char *ending)
{
    char path[FUZZ_PATH_SIZE + 8];
    dataset again;
    dataset_error error;
    dataset_cursor cursor = {.data = t};
    const dataset_rows rows = {.rows = t->rows,
                               .cols = t->cols,
                               .names = (const char *const *)t->names,
                               .fill = dataset_fill,
                               .context = &cursor};
    snprintf(path, sizeof path, "%s%s", fuzz_path(), ending);
    MUST(dataset_write(path, &rows, &error) == 0);
    if (dataset_read_any(&again, path, &error)) {
        fprintf(stderr, "%s\n", error.text);
        MUST(0);
    }
    MUST(again.rows == t->rows && again.cols == t->cols);
    for (size_t k = 0; k < t->rows * t->cols; k++) {
        MUST(again.x[k] == t->x[k]);
    }
    for (size_t j = 0; again.names && j < t->cols; j++) {
        MUST(t->names && dataset_is_same_name(t->names[j], again.names[j]));
    }
    dataset_free(&again);
    remove(path);
}

static inline void dataset_check(const uint8_t *data, size_t size)
{
    dataset t;
    dataset_error error = {0};
    const char *path = fuzz_file(data, size);
    const int failed = dataset_read_any(&t, path, &error);
    MUST(failed == (error.text[0] != '\0') && !strchr(error.text, '\n'));
    MUST(failed ? !t.x && !t.names : t.rows > 0 && t.cols > 0);
    for (size_t k = 0; k < t.rows * t.cols; k++) {
        MUST(isfinite(t.x[k]));
    }
    if (!failed && size % 2 == 0) { /* writing takes longer than reading */
        dataset_check_again(&t, size % 4 ? ".npy" : ".csv");
    }
    dataset_free(&t);
}

#endif
