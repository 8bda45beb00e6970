/* The best controller of a run of the lander, flown once for each better one. */
#ifndef LIVE_FLIGHT_H
#define LIVE_FLIGHT_H

#include "study/follow.h"

#include <pthread.h>

typedef struct live_flight {
    uint64_t run, version;
    char *text; /* an array of one episode, as landing.js has it */
} live_flight;

typedef struct live_flights {
    live_flight *list;
    size_t count;
} live_flights;

/* Whether there is a new one. The lock is held while what others read is changed. */
int live_flight_fly(live_flights *flights, pthread_mutex_t *lock, const follow_state *state,
                    const char *problem);

/* To be freed; NULL: there is none. */
char *live_flight_copy(const live_flights *flights, uint64_t run);
void live_flights_free(live_flights *flights);

#endif
