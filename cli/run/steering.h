/* What people ask of a run while it searches: heard on a thread of its own, heeded between generations. */
#ifndef STEERING_H
#define STEERING_H

#include "zilch.h"

#include <pthread.h>

typedef struct steering {
    zilch_study *study;
    uint64_t run;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t change;
    int is_begun, is_ending, has_news;
} steering;

/* From now on it is listened, until steering_end(). What waits from before is passed over, but for limits and
 * the penalty.
 * A stop-now ends the run as SIGTERM does. Without a thread, nothing is heard, and the search goes on. */
zilch_status steering_begin(steering *s, zilch_study *study, uint64_t run, zilch_optimizer *optimizer,
                            zilch_limits *limits);
void steering_end(steering *s);

/* What was asked so far, heeded after this generation. With a pause, it returns when that is over. */
typedef struct steering_wish {
    int is_stopping, is_recommending;
    int is_limited; /* `limits` are others, and the study has them */
} steering_wish;
zilch_status steering_heed(steering *s, zilch_optimizer *optimizer, zilch_limits *limits, steering_wish *out);

#endif
