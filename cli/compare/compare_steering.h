/* What people ask of the runs of a comparison: heard on a thread, for all runs at once. A run can be paused,
 * and can recommend; to stop one of them stops the comparison, which the same command goes on with, because a
 * run that was given less than the others could not be compared with them. */
#ifndef COMPARE_STEERING_H
#define COMPARE_STEERING_H

#include "compare/compare_study.h"

#include <pthread.h>

typedef struct compare_steering {
    compare_study *study;
    size_t runs;
    uint64_t *run; /* their numbers in the study */
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t change;
    uint64_t *generations;   /* of each run, as far as it is */
    unsigned char *has_news; /* something was asked of it */
    int is_begun, is_ending;
} compare_steering;

/* What waits from before is passed over. With study NULL nothing is heard. */
zilch_status compare_steering_begin(compare_steering *s, const compare_setting *setting);
void compare_steering_end(compare_steering *s);

/* After a generation of a run, by its place: waits while it is paused. *is_recommending: that was asked for.
 */
zilch_status compare_steering_heed(compare_steering *s, size_t place, uint64_t generation,
                                   int *is_recommending);

#endif
