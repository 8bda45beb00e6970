/* Three doors at which allocations can be refused: zilch's hook, SQLite's, and the C library's own functions,
 * which this program replaces where no sanitizer has done so already. */
#include "allocation_faults.h"

#include "zilch.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic fault_scope armed;
static atomic_size_t count;
static size_t failing;
static int is_lasting_fault;
static atomic_long of_hooks, of_everything;

enum { NOTED_MOST = 100000 };
static unsigned char is_own[NOTED_MOST];

/* Whether this allocation, which comes to the door of that scope, is to fail. */
static int is_refused(fault_scope scope, int is_zilch)
{
    if (armed != scope) {
        return 0;
    }
    const size_t number = ++count;
    if (!failing && number < NOTED_MOST) {
        is_own[number] = (unsigned char)is_zilch;
    }
    return failing && (number == failing || (is_lasting_fault && number > failing));
}

void faults_arm(fault_scope scope, size_t k, int is_lasting)
{
    count = 0;
    failing = k;
    is_lasting_fault = is_lasting;
    armed = scope;
}

size_t faults_disarm(void)
{
    armed = FAULTS_NONE;
    return count;
}

int faults_is_own(size_t k)
{
    return k < NOTED_MOST && is_own[k];
}

long faults_outstanding(fault_scope scope)
{
    return scope == FAULTS_HOOKS ? of_hooks : of_everything;
}

/* ---- Speed ----------------------------------------------------------------------------------------------
 */

/* What reaches the disk is another test's concern, and takes most of the time. */
__attribute__((visibility("default"))) int fdatasync(int file)
{
    (void)file;
    return 0;
}

__attribute__((visibility("default"))) int fsync(int file)
{
    (void)file;
    return 0;
}

/* ---- zilch ------------------------------------------------------------------------------------------ */

static void *zilch_alloc(size_t bytes)
{
    void *memory = is_refused(FAULTS_HOOKS, 1) ? NULL : malloc(bytes);
    of_hooks += memory != NULL;
    return memory;
}

static void zilch_release(void *memory)
{
    of_hooks -= memory != NULL;
    free(memory);
}

/* ---- SQLite: blocks that know their size --------------------------------------------------------------- */

typedef union header {
    size_t size;
    max_align_t aligned;
} header;

static void *sized_alloc(size_t bytes)
{
    header *block = is_refused(FAULTS_HOOKS, 0) ? NULL : malloc(sizeof *block + bytes);
    if (!block) {
        return NULL;
    }
    of_hooks++;
    block->size = bytes;
    return block + 1;
}

static void sized_release(void *memory)
{
    if (memory) {
        of_hooks--;
        free((header *)memory - 1);
    }
}

static void *sqlite_alloc(int bytes)
{
    return sized_alloc((size_t)bytes);
}

static int sqlite_size(void *memory)
{
    return memory ? (int)((header *)memory - 1)->size : 0;
}

static void *sqlite_realloc(void *memory, int bytes)
{
    void *moved = sized_alloc((size_t)bytes);
    if (moved) {
        const int before = sqlite_size(memory);
        memcpy(moved, memory, (size_t)(before < bytes ? before : bytes));
        sized_release(memory);
    }
    return moved;
}

static int sqlite_round(int bytes)
{
    return (bytes + 7) & ~7;
}

static int sqlite_begin(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static void sqlite_end(void *context)
{
    (void)context;
}

void faults_install(void)
{
    static sqlite3_mem_methods methods = {sqlite_alloc, sized_release, sqlite_realloc, sqlite_size,
                                          sqlite_round, sqlite_begin,  sqlite_end,     NULL};
    zilch_set_allocator(zilch_alloc, zilch_release);
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) {
        abort();
    }
}

/* ---- The C library ---------------------------------------------------------------------------------------
 */

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)

#define EXPORTED __attribute__((visibility("default")))

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t number, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

static void *noted(void *memory)
{
    of_everything += memory != NULL;
    return memory;
}

static int is_out_of_memory(void)
{
    if (!is_refused(FAULTS_EVERYTHING, 0)) {
        return 0;
    }
    errno = ENOMEM;
    return 1;
}

EXPORTED void *malloc(size_t bytes)
{
    return is_out_of_memory() ? NULL : noted(__libc_malloc(bytes));
}

EXPORTED void *calloc(size_t number, size_t bytes)
{
    return is_out_of_memory() ? NULL : noted(__libc_calloc(number, bytes));
}

EXPORTED void *realloc(void *memory, size_t bytes)
{
    if (is_out_of_memory()) {
        return NULL;
    }
    void *moved = __libc_realloc(memory, bytes);
    of_everything += (moved != NULL && memory == NULL) - (moved == NULL && memory != NULL && bytes == 0);
    return moved;
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return is_out_of_memory() ? NULL : noted(__libc_memalign(alignment, bytes));
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *memory = is_out_of_memory() ? NULL : noted(__libc_memalign(alignment, bytes));
    if (!memory) {
        return ENOMEM;
    }
    *out = memory;
    return 0;
}

EXPORTED void free(void *memory)
{
    of_everything -= memory != NULL;
    __libc_free(memory);
}

#endif
