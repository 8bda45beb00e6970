/* Memory: sizes checked for overflow, 64-byte aligned, through the caller's hook. */
#ifndef ZI_MEMORY_H
#define ZI_MEMORY_H

#include "base/status.h"

enum { ZI_ALIGNMENT = 64 };

/* count * size bytes, not initialised; their address goes to the pointer at `out`, NULL on
 * failure. For count 0 it is a valid pointer too. Sets the error text. */
zilch_status zi_alloc_bytes(void *out, size_t count, size_t size);
void zi_free(void *memory); /* accepts NULL */

/* zi_alloc(&array, count): typed by its first argument. */
#define zi_alloc(out, count) zi_alloc_bytes((out), (count), sizeof **(out))

/* a * b into *out; false when it does not fit. */
static inline int zi_multiply(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

#endif
