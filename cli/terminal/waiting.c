/* The day's clock may be set back by years while somebody waits, so it is not asked. */
#define _GNU_SOURCE // for pthread_cond_clockwait()
#include "terminal/waiting.h"

#include <time.h>

void cli_wait(pthread_cond_t *change, pthread_mutex_t *lock, double seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double whole = (double)(time_t)seconds;
    const long nanoseconds = end.tv_nsec + (long)(1e9 * (seconds - whole));
    end.tv_sec += (time_t)whole + nanoseconds / 1000000000;
    end.tv_nsec = nanoseconds % 1000000000;
    (void)pthread_cond_clockwait(change, lock, CLOCK_MONOTONIC, &end);
}
