/* Calls that things go wrong under, and studies to call. */
#ifndef ZILCH_TESTS_FAULTS_H
#define ZILCH_TESTS_FAULTS_H

#include "search_support.h"
#include "zilch.h"

/* What a call makes. */
typedef union object {
    zilch_model *model;
    zilch_networks *networks;
    zilch_examples *examples;
    zilch_trainer *trainer;
    zilch_recovery *recovery;
    zilch_lander *lander;
    zilch_optimizer *optimizer;
    zilch_problem *problem;
    zilch_program *program;
    zilch_answers *answers;
    zilch_line line;
    char **words;
    zilch_linear_limit *limits;
    zilch_study *study;
    void *any;
} object;

/* A call under which something fails. */
typedef struct fault_call {
    const char *function; /* of zilch.h */
    const char *variant;
    void (*prepare)(void);             /* NULL, or what comes before it */
    zilch_status (*run)(object *made); /* with faults; what it made, NULL if nothing */
    uint64_t (*finish)(object made);   /* destroys it; a sum over what came out */
    int is_tolerant;                   /* some allocations are only for speed: without them it succeeds too */
    int is_alone;                      /* one fails alone, which ends it; to have others fail adds nothing */
    int is_slow; /* with sanitizers one fails alone, and some of SQLite's are left out */
} fault_call;

/* A sum over bytes, which goes on from another. */
static inline uint64_t sum_of(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

#define OK(call)                                        \
    do {                                                \
        if ((call) != ZILCH_OK) {                       \
            fail_msg(#call ": %s", zilch_last_error()); \
        }                                               \
    } while (0)

/* ---- Studies: faults_study.c ----------------------------------------------------------------------------
 */

/* Every function of studies, on a file with runs in every state. */
extern const fault_call study_calls[];
extern const size_t study_call_count;

/* The scene of these calls, before and after all of them; the study is in a folder of its own. */
const char *study_scene_make(void);
void study_scene_drop(void);

/* Puts the study there as it is before a call, closed. */
void study_put(void);

/* Over all that a study says, read as another program would; 0 if it cannot be. */
uint64_t study_sum(const char *path);

/* Whether another program could write to it now. */
int study_is_free(const char *path);

#endif
