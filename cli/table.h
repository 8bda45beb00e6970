/* Data sets in and out: text (CSV and its relatives) and NumPy's .npy. */
#ifndef TABLE_H
#define TABLE_H

#include "zilch.h"

#include <stddef.h>

typedef struct table {
    size_t rows, cols;
    double *x;    /* rows x cols, row-major, all finite */
    char **names; /* cols of them, or NULL without a header line */
} table;

/* What went wrong, one line, beginning with the file's name. */
typedef struct table_error {
    char text[1024];
} table_error;

/* Read `path`, or standard input for "-". The format is told by the content: .npy (two-dimensional,
 * little-endian float32 or float64), else text: separated by tabs, commas, semicolons or blanks,
 * whichever the first line has; header line or not; # comments. At least two rows, and at least
 * `least_cols` columns; with 1, an .npy of one dimension is a column. 0, or 1 with *error filled and
 * *out empty. table_free() afterwards. */
int table_read(table *out, const char *path, size_t least_cols, table_error *error);

/* The same of a regular file alone: a pipe, a device or a socket is refused, and not waited for. For a path
 * that may come from somebody else's study. */
int table_read_file(table *out, const char *path, size_t least_cols, table_error *error);

/* The same with one row or more, one column or more. */
int table_read_any(table *out, const char *path, table_error *error);

void table_free(table *t);

/* Where the rows of a table to write come from. */
typedef struct table_rows {
    size_t rows, cols;
    char **names;                                                 /* header of a CSV, or NULL */
    zilch_status (*fill)(void *context, size_t count, double *x); /* the next `count` rows */
    void *context;
} table_rows;

/* Write them, chunk by chunk, to `path` whole or not at all: .npy (float64) if it ends so, else CSV
 * whose numbers read back as the same doubles. NULL or "-": CSV to standard output. 0, or 1 with
 * *error filled. */
int table_write(const char *path, const table_rows *rows, table_error *error);

#endif
