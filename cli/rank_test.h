/* Whether one sample tends to be larger than another: Wilcoxon's rank-sum test, also Mann and Whitney's. */
#ifndef RANK_TEST_H
#define RANK_TEST_H

#include <stddef.h>

/* The two-sided p-value of n values against m others. Numbers may be infinite, equal infinities are ties; a
 * NaN is not allowed. Exact, if no two values are equal and neither sample has more than 50; else the normal
 * approximation, corrected for ties and for continuity. 1 if a sample is empty or all values are equal. NaN
 * without memory. */
double rank_test(size_t n, const double *a, size_t m, const double *b);

#endif
