/* Waiting for another thread, but not for ever. */
#ifndef WAITING_H
#define WAITING_H

#include <pthread.h>

/* Until `change` is signalled or so many seconds are over, by a clock that nobody sets; `lock` is held.
 * Whoever calls looks first whether what it waits for has happened. */
void cli_wait(pthread_cond_t *change, pthread_mutex_t *lock, double seconds);

#endif
