/* The publication's figures of the lander, to stand beside a study's. */
#ifndef REPORT_PUBLISHED_H
#define REPORT_PUBLISHED_H

#include <stddef.h>

typedef struct published_figure {
    double mean, deviation; /* of 10 runs, or of those that got there; NaN: not told */
    size_t count;           /* of runs that got there */
} published_figure;

/* For a method (gaussian, ea, adhoc, published) with 100 generations: what a summary's column has (scores:
 * the value; arrivals: 200, 250, 300; active: after 25, 50, 75, 100). NULL: nothing. */
const published_figure *published_find(const char *method, const char *summary, size_t column);

#endif
