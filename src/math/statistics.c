/* Statistics of samples.
 *
 * The tally: mean and sum of squared deviations, updated one by one (Welford 1962).
 *
 * Quantiles: linear between order statistics, as R's type 7 and NumPy's default.
 *
 * The rank-sum test (Wilcoxon 1945; Mann and Whitney 1947). U counts the pairs in which the first sample's
 * value is the larger one, a tie for half. Exact: under the null hypothesis all orders are as likely, and the
 * number of those that give U follows from a recurrence. Else U is nearly normal; ties make its variance
 * smaller. The p-values are those of scipy.stats.mannwhitneyu to 12 digits. */
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_MOST = 50 };

/* ---- Mean and deviation ---------------------------------------------------------------------- */

void zilch_tally_add(zilch_tally *tally, double value)
{
    const double count = (double)++tally->count;
    const double delta = value - tally->mean;
    if (!isfinite(delta)) { /* values so far apart have a mean, but no deviation that is a number */
        tally->squares += isfinite(value) && isfinite(tally->mean) ? INFINITY : NAN;
        tally->mean += value / count - tally->mean / count;
        return;
    }
    tally->mean += delta / count;
    tally->squares += delta * (value - tally->mean);
}

double zilch_tally_deviation(const zilch_tally *tally)
{
    return tally->count > 1 ? sqrt(tally->squares / ((double)tally->count - 1.0)) : NAN;
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int is_sorted(size_t count, const double *x)
{
    size_t i = 1;
    while (i < count && x[i - 1] <= x[i]) {
        i++;
    }
    return i >= count;
}

double zilch_quantile(size_t count, double *x, double share)
{
    if (count == 0) {
        return NAN;
    }
    if (!is_sorted(count, x)) {
        qsort(x, count, sizeof *x, ascending);
    }
    const double position = share * (double)(count - 1);
    const size_t low = (size_t)position;
    const double part = position - (double)low;
    return part > 0.0 && x[low] < x[low + 1] ? x[low] + part * (x[low + 1] - x[low]) : x[low];
}

/* ---- The rank-sum test ----------------------------------------------------------------------- */

typedef struct entry {
    double value;
    int is_first; /* of the first sample */
} entry;

static int by_value(const void *a, const void *b)
{
    const double x = ((const entry *)a)->value;
    const double y = ((const entry *)b)->value;
    return (x > y) - (x < y);
}

/* Both samples sorted together: U of the first, and the sum of t^3 - t over groups of t equal values. */
static double count_pairs(const entry *sorted, size_t count, double *ties)
{
    double u = 0.0;
    double lower = 0.0; /* values of the second sample that are smaller */
    *ties = 0.0;
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        double first = 0.0;
        for (end = begin; end < count && sorted[end].value == sorted[begin].value; end++) {
            first += sorted[end].is_first;
        }
        const double size = (double)(end - begin);
        u += first * (lower + (size - first) / 2.0);
        lower += size - first;
        *ties += size * size * size - size;
    }
    return u;
}

/* The share of all orders in which U is at least `least`. The number of orders of i and j values with U = u
 * is
 *
 *     c(i, j, u) = c(i - 1, j, u - j) + c(i, j - 1, u):
 *
 * the largest value belongs to the first sample and is above j others, or to the second. For each j the table
 * holds all i, by rows; c(i, 0, .) is 1 at u = 0. */
static double upper_tail(size_t n, size_t m, size_t least)
{
    const size_t width = n * m + 1;
    double *count;
    if (zi_alloc(&count, (n + 1) * width) != ZILCH_OK) {
        return NAN;
    }
    memset(count, 0, (n + 1) * width * sizeof *count);
    for (size_t i = 0; i <= n; i++) {
        count[i * width] = 1.0;
    }
    for (size_t j = 1; j <= m; j++) {
        for (size_t i = 1; i <= n; i++) {
            for (size_t u = j; u <= i * j; u++) {
                count[i * width + u] += count[(i - 1) * width + u - j];
            }
        }
    }
    double all = 0.0;
    double above = 0.0;
    for (size_t u = width; u-- > 0;) { /* the small ones first */
        const double orders = count[n * width + u];
        all += orders;
        above += u >= least ? orders : 0.0;
    }
    zi_free(count);
    return above / all;
}

static double normal_tails(double n, double m, double larger, double ties)
{
    const double total = n + m;
    const double variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if (!(variance > 0.0)) {
        return 1.0;
    }
    const double z = (larger - n * m / 2.0 - 0.5) / sqrt(variance);
    return erfc(z / sqrt(2.0));
}

double zilch_rank_sum(size_t n, const double *a, size_t m, const double *b)
{
    if (n == 0 || m == 0) {
        return 1.0;
    }
    entry *all;
    if (zi_alloc(&all, n + m) != ZILCH_OK) {
        return NAN;
    }
    for (size_t i = 0; i < n + m; i++) {
        all[i] = (entry){.value = i < n ? a[i] : b[i - n], .is_first = i < n};
    }
    qsort(all, n + m, sizeof *all, by_value);
    double ties;
    const double pairs = (double)n * (double)m;
    const double u = count_pairs(all, n + m, &ties);
    const double larger = fmax(u, pairs - u);
    zi_free(all);
    const double p = ties == 0.0 && n <= EXACT_MOST && m <= EXACT_MOST
                         ? 2.0 * upper_tail(n, m, (size_t)larger)
                         : normal_tails((double)n, (double)m, larger, ties);
    return p > 1.0 ? 1.0 : p; /* and NaN stays */
}
