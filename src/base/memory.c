/* Aligned blocks on top of an allocator that promises only malloc's alignment: the
 * block's own address is kept in the word before what the caller sees. */
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *(*hook_alloc)(size_t bytes) = malloc;
static void (*hook_release)(void *memory) = free;

void zilch_set_allocator(void *(*alloc)(size_t bytes), void (*release)(void *))
{
    hook_alloc = alloc && release ? alloc : malloc;
    hook_release = alloc && release ? release : free;
}

/* The pointer at `out` is of some type or other: it is copied, not assigned. */
static void set_pointer(void *out, char *memory)
{
    memcpy(out, &memory, sizeof memory);
}

zilch_status zi_alloc_bytes(void *out, size_t count, size_t size)
{
    assert(out && size);
    set_pointer(out, NULL);
    size_t bytes;
    if (!zi_multiply(count, size, &bytes) || __builtin_add_overflow(bytes, (size_t)ZI_ALIGNMENT, &bytes)) {
        return zi_fail(ZILCH_ENOMEM, "%zu elements of %zu bytes do not fit in memory", count, size);
    }
    char *block = hook_alloc(bytes);
    if (!block) {
        return zi_fail(ZILCH_ENOMEM, "%zu bytes could not be allocated", bytes);
    }
    /* The padding is at least malloc's own alignment, so the word fits before it. */
    const size_t padding = ZI_ALIGNMENT - ((uintptr_t)block & (ZI_ALIGNMENT - 1));
    char *memory = block + padding;
    memcpy(memory - sizeof block, &block, sizeof block);
    set_pointer(out, memory);
    return ZILCH_OK;
}

void zi_free(void *memory)
{
    if (memory) {
        char *block;
        memcpy(&block, (char *)memory - sizeof block, sizeof block);
        hook_release(block);
    }
}
