/* The suites, and what they share. */
#ifndef BENCH_SUITES_H
#define BENCH_SUITES_H

#include "bench.h"

double bench_seconds(void);

/* Repeat for about this long, but at least this often. */
#define BENCH_SECONDS 1.0
enum { BENCH_REPEATS = 3 };

extern const bench_suite bench_model, bench_train, bench_lander, bench_search, bench_large;

#endif
