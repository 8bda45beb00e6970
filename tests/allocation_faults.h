/* Allocations that are counted, and of which one, or all from one on, fail. */
#ifndef ZILCH_TESTS_ALLOCATION_FAULTS_H
#define ZILCH_TESTS_ALLOCATION_FAULTS_H

#include <stddef.h>
#include <stdlib.h> /* which says whose library it is */

typedef enum fault_scope {
    FAULTS_NONE,      /* nothing fails */
    FAULTS_HOOKS,     /* what goes through zilch_set_allocator(), and what SQLite allocates for it */
    FAULTS_EVERYTHING /* each malloc, calloc and realloc of the process, the C library's own among them */
} fault_scope;

/* A sanitizer has its own malloc: then there are but the hooks. */
#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
#define FAULTS_WIDEST FAULTS_EVERYTHING
#else
#define FAULTS_WIDEST FAULTS_HOOKS
#endif

/* Before anything else is called, once. */
void faults_install(void);

/* From here on allocations are counted, and number k of them fails, counted from 1 (0: none); with
 * `is_lasting` all that come after it too. */
void faults_arm(fault_scope scope, size_t k, int is_lasting);

/* Nothing fails any more; how many allocations there were. */
size_t faults_disarm(void);

/* Whether number k, when allocations were last counted without a fault, was zilch's own: not SQLite's, nor
 * another's. */
int faults_is_own(size_t k);

/* Blocks that are allocated now, of the scope; to be compared before and after. */
long faults_outstanding(fault_scope scope);

#endif
