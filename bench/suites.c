#include "suites.h"

#include <time.h>

const bench_suite *const bench_suites[] = {&bench_model,  &bench_train, &bench_lander,
                                           &bench_search, &bench_large, NULL};

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
