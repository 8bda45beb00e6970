/* Flying episodes, by one controller or by many. */
#ifndef ZI_EPISODES_H
#define ZI_EPISODES_H

#include "sim/pilot.h"

/* What to fly: episode k is flown by policy number k / each. Neither threads nor lanes change a result. */
typedef struct zi_flights {
    size_t count;            /* of episodes, at least 1 */
    size_t each;             /* episodes of a policy */
    const zi_policy *policy; /* NULL: Gymnasium's heuristic flies all */
    const zilch_lander_options *options;
    uint64_t (*seed)(const void *context, size_t episode);
    const void *context; /* of the seeds */
    zilch_watcher watch; /* may be NULL */
    void *watch_context;
} zi_flights;

/* On `threads` threads, 0: one for each processor. `out` has a place for each episode. */
zilch_status zi_episodes_fly(const zi_flights *flights, unsigned threads, zilch_episode *out);

#endif
