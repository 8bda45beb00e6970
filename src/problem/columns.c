/* Loops over columns of data, in the same bits on every processor, and Cholesky's method for small systems.
 * No BLAS here: a point's value must not change with the threads that BLAS may use, and most systems are of a
 * few unknowns. The loops are static, with functions around them, as copies for several processors would be
 * exported otherwise. */
#include "problem/columns.h"

#include "base/simd.h"

#include <assert.h>

static double lanes_sum(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

ZI_CLONES
static double column_sum(size_t n, const double *a)
{
    double lane[ZI_LANES] = {0};
    const size_t whole = n - n % ZI_LANES;
    for (size_t begin = 0; begin < whole; begin += ZI_LANES) {
        for (size_t i = 0; i < ZI_LANES; i++) {
            lane[i] += a[begin + i];
        }
    }
    for (size_t i = 0; i < n - whole; i++) {
        lane[i] += a[whole + i];
    }
    return lanes_sum(lane);
}

double zi_column_sum(size_t n, const double *a)
{
    assert(a || !n);
    return column_sum(n, a);
}

ZI_CLONES
static double column_product(size_t n, const double *a, const double *b)
{
    double lane[ZI_LANES] = {0};
    const size_t whole = n - n % ZI_LANES;
    for (size_t begin = 0; begin < whole; begin += ZI_LANES) {
        for (size_t i = 0; i < ZI_LANES; i++) {
            lane[i] += a[begin + i] * b[begin + i];
        }
    }
    for (size_t i = 0; i < n - whole; i++) {
        lane[i] += a[whole + i] * b[whole + i];
    }
    return lanes_sum(lane);
}

double zi_column_product(size_t n, const double *a, const double *b)
{
    assert((a && b) || !n);
    return column_product(n, a, b);
}

ZI_CLONES
static void column_add(size_t n, double factor, const double *restrict a, double *restrict sum)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += factor * a[i];
    }
}

void zi_column_add(size_t n, double factor, const double *a, double *sum)
{
    assert((a && sum) || !n);
    column_add(n, factor, a, sum);
}

/* Column after column, each less its share in those before. */
ZI_CLONES
static int factorise(size_t n, double *a)
{
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * n;
        for (size_t k = 0; k < j; k++) {
            const double *before = a + k * n;
            const double factor = before[j];
            ZI_INDEPENDENT
            for (size_t i = j; i < n; i++) {
                column[i] -= factor * before[i];
            }
        }
        if (!(column[j] > 0.0 && column[j] < INFINITY)) {
            return 0;
        }
        const double pivot = sqrt(column[j]);
        for (size_t i = j; i < n; i++) {
            column[i] /= pivot;
        }
    }
    return 1;
}

int zi_positive_solve(size_t n, double *a, double *b)
{
    assert((a && b) || !n);
    if (!factorise(n, a)) {
        return 0;
    }
    for (size_t j = 0; j < n; j++) {
        b[j] /= a[j * n + j];
        zi_column_add(n - j - 1, -b[j], a + j * n + j + 1, b + j + 1);
    }
    for (size_t j = n; j-- > 0;) {
        b[j] -= zi_column_product(n - j - 1, a + j * n + j + 1, b + j + 1);
        b[j] /= a[j * n + j];
    }
    return 1;
}
