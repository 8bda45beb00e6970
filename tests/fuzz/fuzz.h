/* What the fuzzers share. Each defines LLVMFuzzerTestOneInput: bytes in, and whatever they are, no crash, no
 * leak, nothing read beyond them, and no promise broken. libFuzzer calls it (preset fuzz), or replay.c does
 * with the inputs that are kept in corpus/. */
#ifndef ZILCH_FUZZ_H
#define ZILCH_FUZZ_H

#include "base/bytes.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise, in every build. */
#define MUST(condition)                                                                                 \
    do {                                                                                                \
        if (!(condition)) {                                                                             \
            dprintf(2, "%s:%d: broken: %s (%s)\n", __FILE__, __LINE__, #condition, zilch_last_error()); \
            abort();                                                                                    \
        }                                                                                               \
    } while (0)

/* Bytes of their own, in a block that ends where they do. */
static inline unsigned char *fuzz_copy(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    MUST(copy);
    if (size) {
        memcpy(copy, data, size);
    }
    return copy;
}

/* The same as a string. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    MUST(text);
    if (size) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

/* The last eight bytes become the checksum of those before, so that what is behind it is reached; one input
 * in sixteen stays as it is. */
static inline void fuzz_repair(unsigned char *bytes, size_t size)
{
    if (size >= 8 && bytes[size - 1] % 16) {
        zi_writer writer = {.data = bytes, .capacity = size, .length = size - 8};
        zi_write_checksum(&writer);
    }
}

#endif
