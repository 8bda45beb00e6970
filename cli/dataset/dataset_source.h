/* Inside the reader of datasets: bytes from a stream, and what text and .npy share. */
#ifndef DATASET_SOURCE_H
#define DATASET_SOURCE_H

#include "dataset/dataset.h"

#include <stdio.h>

/* Unread bytes are buffer[start .. end); buffer[end] is NUL. */
typedef struct source {
    FILE *stream;
    const char *name; /* for messages */
    char *buffer;
    size_t start, end, capacity;
    int ended; /* nothing follows in the stream */
    dataset_error *error;
} source;

/* "name: message" into the error. Gives 1. */
int source_fail(const source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read more bytes behind the unread ones, which may move; `ended` if there are none. 0 or 1. */
int source_fill(source *s);

/* The next `size` bytes, fewer only at the end. 0 or 1. */
int source_take(source *s, void *out, size_t size, size_t *taken);

/* Room for `needed` elements of `size` bytes, growing by doubling. 0 or 1; what was there stays. */
int source_reserve(const source *s, void **memory, size_t *capacity, size_t needed, size_t size);

/* The readers. The dataset is empty before; on failure (1) it may hold part, for dataset_free(). */
int dataset_read_text(source *s, dataset *out);
int dataset_read_npy(source *s, size_t least_cols, dataset *out);

#endif
