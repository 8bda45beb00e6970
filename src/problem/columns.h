/* Loops over columns of numbers, in the same bits on every processor. */
#ifndef ZI_COLUMNS_H
#define ZI_COLUMNS_H

#include <stddef.h>

/* Sums run in eight lanes, added up at the end. */
double zi_column_sum(size_t n, const double *a);
double zi_column_product(size_t n, const double *a, const double *b);
void zi_column_add(size_t n, double factor, const double *a, double *sum); /* sum += factor a */

/* b becomes A^-1 b; the lower triangle of A (BLAS' order), positive definite, becomes its Cholesky factor. 0
 * if A is not positive definite, and then b is worthless. */
int zi_positive_solve(size_t n, double *a, double *b);

#endif
