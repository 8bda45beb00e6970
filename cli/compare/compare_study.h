/* A comparison that is kept in a study: each run under its method's name, and found again by that and its
 * seed. */
#ifndef COMPARE_STUDY_H
#define COMPARE_STUDY_H

#include "compare/compare.h"

typedef struct compare_study compare_study;

/* What is there of the setting's runs must have been asked for in the same words, but for the budget, and not
 * be further than that; the others begin. 0, or 1 after printing why; close it in any case. */
int compare_study_open(compare_study **out, const char *path, const compare_setting *setting);
void compare_study_close(compare_study *study);
const char *compare_study_path(const compare_study *study);

/* The number of a method's run with a seed. */
uint64_t compare_study_run(const compare_study *study, const char *method, uint64_t seed);

/* The study itself, for this thread alone until it is unlocked. */
zilch_study *compare_study_lock(compare_study *study);
void compare_study_unlock(compare_study *study);

#endif
