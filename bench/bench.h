/* Benchmarks: what a call costs beside the calls it cannot do without, in one run. */
#ifndef BENCH_H
#define BENCH_H

#include "zilch.h"

typedef struct bench_row {
    char name[48];
    double value, limit; /* both in `unit`; their ratio is what counts on a shared machine */
    const char *unit;
} bench_row;

/* One case, for progress: fills `row`. */
typedef zilch_status (*bench_case)(size_t index, bench_row *row);

typedef struct bench_suite {
    const char *name, *about;
    size_t count;
    bench_case run;
} bench_suite;

extern const bench_suite *const bench_suites[]; /* ends with NULL */

/* The lander once more, flown by somebody else, such as a graphics card, who is said first. */
extern const bench_suite bench_flights;
void bench_set_flyer(zilch_flyer flyer, void *context);

#endif
