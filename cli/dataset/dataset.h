/* Datasets in and out: text (CSV and its relatives) and NumPy's .npy. */
#ifndef DATASET_H
#define DATASET_H

#include "zilch.h"

#include <stddef.h>

typedef struct dataset {
    size_t rows, cols;
    double *x;    /* rows x cols, row-major, all finite */
    char **names; /* cols of them, or NULL without a header line */
} dataset;

/* What went wrong, one line, beginning with the file's name. */
typedef struct dataset_error {
    char text[1024];
    int is_unreadable; /* the file cannot be opened or read; whatever it holds is not the reason */
} dataset_error;

/* Read `path`, or standard input for "-". The format is told by the content: .npy (two-dimensional,
 * little-endian float32 or float64), else text: separated by tabs, commas, semicolons or blanks,
 * whichever the first line has; header line or not; # comments. At least two rows, and at least
 * `least_cols` columns; with 1, an .npy of one dimension is a column. 0, or 1 with *error filled and
 * *out empty. dataset_free() afterwards. */
int dataset_read(dataset *out, const char *path, size_t least_cols, dataset_error *error);

/* The same of a regular file alone: a pipe, a device or a socket is refused, and not waited for. For a path
 * that may come from somebody else's study. */
int dataset_read_file(dataset *out, const char *path, size_t least_cols, dataset_error *error);

/* The same with one row or more, one column or more. */
int dataset_read_any(dataset *out, const char *path, dataset_error *error);

void dataset_free(dataset *t);

/* Where the rows of a dataset to write come from. */
typedef struct dataset_rows {
    size_t rows, cols;
    const char *const *names;                                     /* header of a CSV, or NULL */
    zilch_status (*fill)(void *context, size_t count, double *x); /* the next `count` rows */
    void *context;
    int is_json; /* a line {"x":[...]} for each row instead */
} dataset_rows;

/* Write them, chunk by chunk, to `path` whole or not at all: .npy (float64) if it ends so, else CSV
 * or JSON, whose numbers read back as the same doubles. NULL or "-": to standard output. 0, or 1 with
 * *error filled. */
int dataset_write(const char *path, const dataset_rows *rows, dataset_error *error);

#endif
