/* A Gaussian with the mean and the covariance of the elites. The covariance D^T D / (K - 1), D the K
 * deviations from the mean, has no full rank where there are fewer elites than coordinates, and needs none:
 * for K independent normals z, mean + z D / sqrt(K - 1) has just that covariance. */
#include "search/law.h"

#include "base/memory.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

static void mean_of(size_t rows, size_t cols, const double *x, double *mean)
{
    memset(mean, 0, cols * sizeof *mean);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            mean[j] += x[i * cols + j];
        }
    }
    for (size_t j = 0; j < cols; j++) {
        mean[j] /= (double)rows;
    }
}

zilch_status zi_draw_gaussian(const zi_draw *draw)
{
    const size_t cols = draw->width;
    const size_t rank = draw->elites;
    zilch_rng rng = draw->rng;
    double *mean;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&mean, cols + rank * cols + draw->rows * rank));
    double *deviation = mean + cols;
    double *z = deviation + rank * cols;
    mean_of(rank, cols, draw->elite, mean);
    for (size_t i = 0; i < rank; i++) {
        for (size_t j = 0; j < cols; j++) {
            deviation[i * cols + j] = draw->elite[i * cols + j] - mean[j];
        }
    }
    zilch_rng_normals(&rng, draw->rows * rank, z);
    for (size_t i = 0; i < draw->rows; i++) {
        memcpy(draw->genome + i * cols, mean, cols * sizeof *mean);
    }
    zi_multiply_add(draw->rows, rank, cols, 1.0 / sqrt((double)rank - 1.0), z, deviation, draw->genome);
    zi_free(mean);
    return ZILCH_OK;
}
