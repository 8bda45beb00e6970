/* A study's inside, for its two files and the tests. */
#ifndef ZI_STUDY_H
#define ZI_STUDY_H

#include "store/sql.h"

/* Statements that write, each prepared when first used and kept. */
typedef enum zi_study_write {
    ZI_FIND_RUN,
    ZI_ADD_RUN,
    ZI_ADD_POINT,
    ZI_ADD_GENERATION,
    ZI_ADD_EVALUATION,
    ZI_PUT_CHECKPOINT,
    ZI_PUT_CONCLUSION,
    ZI_DROP_CONCLUSION,
    ZI_STUDY_WRITES
} zi_study_write;

struct zilch_study {
    zi_sql *sql;
    zilch_study_mode mode;
    zi_statement write[ZI_STUDY_WRITES];
    unsigned char *bytes; /* of what is written, a state or a point */
    size_t capacity;
};

/* zilch_study_open, with another patience than ten seconds for locks that others hold. */
zilch_status zi_study_open(zilch_study **out, const char *path, zilch_study_mode mode, int milliseconds);

/* Sums over what an archive is made of, in order: the next from the one before. FNV-1a goes on from any sum,
 * so that a generation costs what it adds; every change within one byte changes it for certain. */
#define ZI_SUM_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t zi_sum_point(uint64_t sum, const unsigned char *genome, size_t length);
uint64_t zi_sum_evaluation(uint64_t sum,
                           const zilch_evaluation *evaluation); /* all but fitness and point's own */

zilch_status zi_study_fail_run(const zilch_study *study, uint64_t run); /* there is no such run */

#endif
