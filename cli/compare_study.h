/* A comparison that is kept in a study: each run under its method's name, and found again by that and its
 * seed. Any thread may call; one at a time is at work. */
#ifndef COMPARE_STUDY_H
#define COMPARE_STUDY_H

#include "compare.h"

typedef struct compare_study compare_study;

/* What is there of the setting's runs must have been asked for in the same words, but for the budget, and not
 * be further than that; the others begin. 0, or 1 after printing why; close it in any case. */
int compare_study_open(compare_study **out, const char *path, const compare_setting *setting);
void compare_study_close(compare_study *study);
const char *compare_study_path(const compare_study *study);

/* A run's optimiser, as it has come to, and its number. */
zilch_status compare_study_resume(compare_study *study, const char *method, uint64_t seed,
                                  zilch_optimizer **out, uint64_t *run);

zilch_status compare_study_record(compare_study *study, uint64_t run, const zilch_optimizer *optimizer,
                                  const zilch_timings *timings);
zilch_status compare_study_conclude(compare_study *study, uint64_t run, const zilch_conclusion *conclusion,
                                    const double *x);

/* What a run has recorded: its generations, then its evaluations, then its conclusions. */
typedef struct compare_readers {
    zilch_generation_reader generation;
    zilch_evaluation_reader evaluation;
    zilch_conclusion_reader conclusion;
} compare_readers;
zilch_status compare_study_read(compare_study *study, uint64_t run, const compare_readers *readers,
                                void *context);

#endif
