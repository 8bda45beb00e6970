/* Dense linear algebra on n x n symmetric matrices. What needs a triangle uses the lower
 * one in BLAS' (column-major) order, entry (i, j) at [j * n + i], and leaves the other
 * alone; a symmetric matrix is the same in both orders. */
#ifndef ZI_LINALG_H
#define ZI_LINALG_H

#include "base/status.h"

/* Largest order: workspace sizes must fit BLAS' int. */
enum { ZI_MOST_ORDER = 32000 };

/* Before what has no status below. OpenBLAS works in a buffer of 128 megabytes, one for each thread that is
 * in it, and where it cannot get one it tries for ever. This gets the first; ENOMEM if it is not to be had.
 */
zilch_status zi_blas_reserve(void);

/* c (lower) = beta c + alpha y^T y, for y of `rows` rows of n. */
void zi_rank_update(size_t n, size_t rows, double alpha, const double *y, double beta, double *c);

/* c (rows x cols) += alpha a b, for a of rows x inner and b of inner x cols, all row by row. */
void zi_multiply_add(size_t rows, size_t inner, size_t cols, double alpha, const double *a, const double *b,
                     double *c);

void zi_identity(size_t n, double *a);

/* Entry (i, j) and its mirror image. */
static inline void zi_set_entry(size_t n, double *a, size_t i, size_t j, double value)
{
    a[i * n + j] = value;
    a[j * n + i] = value;
}

/* Copies the lower triangle onto the upper. */
void zi_symmetrise(size_t n, double *a);

/* Eigenvalues ascending; a becomes the eigenvectors, vector k at a + k * n. */
zilch_status zi_eigen(size_t n, double *a, double *value);

/* Eigenvalues ascending; of the eigenvectors only those whose eigenvalue is below `least`,
 * or those for which it is not, whichever are fewer: numbers *first to *end - 1, vector k at
 * vector + k * n. Cheaper than all of them. a is destroyed. */
zilch_status zi_eigen_side(size_t n, double *a, double least, double *value, double *vector, size_t *first,
                           size_t *end);

/* a (lower) becomes its Cholesky factor; returns 0 when a is not positive definite. */
int zi_cholesky(size_t n, double *a);

/* The smallest eigenvalue of the matrix with this Cholesky factor, to a few percent and never
 * too small: Lanczos' method on the inverse. */
zilch_status zi_smallest_eigenvalue(size_t n, const double *factor, double *smallest);

/* Each of `rows` rows b (n) becomes L b, and L^-1 b. */
void zi_multiply_lower(size_t n, size_t rows, const double *factor, double *b);
void zi_solve_lower(size_t n, size_t rows, const double *factor, double *b);

/* b (n) becomes A^-1 b, for the matrix A with this Cholesky factor. */
void zi_solve_definite(size_t n, const double *factor, double *b);

/* b (n) becomes a^-1 b, for a symmetric a (both triangles) that need not be definite; a is destroyed. `pivot`
 * is room for n numbers. Returns 0, and b is nothing, when a is singular. */
int zi_solve(size_t n, double *a, int32_t *pivot, double *b);

#endif
