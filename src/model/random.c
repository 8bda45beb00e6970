/* A random law, for experiments on how well laws are recovered from samples. */
#include "base/memory.h"
#include "math/linalg.h"
#include "model/project.h"

#include <math.h>

/* Rows of `q` become a random orthonormal basis. A matrix G of normals is Q L^T with
 * L L^T = G^T G and Q orthogonal, as likely in one direction as in any other. */
static int random_basis(size_t n, zilch_rng *rng, double *q, double *gram)
{
    zilch_rng_normals(rng, n * n, q);
    zi_rank_update(n, n, 1.0, q, 0.0, gram);
    if (!zi_cholesky(n, gram)) {
        return 0;
    }
    zi_solve_lower(n, n, gram, q);
    return 1;
}

/* S = sum of decay^k q_k q_k^T, scaled to unit diagonal, corr(V_i, M_i) set to 0. */
static void spectral_matrix(size_t dim, double decay, double *q, double *sigma)
{
    const size_t n = 2 * dim;
    for (size_t k = 0; k < n; k++) {
        const double root = sqrt(pow(decay, (double)k));
        for (size_t i = 0; i < n; i++) {
            q[k * n + i] *= root;
        }
    }
    zi_rank_update(n, n, 1.0, q, 0.0, sigma);
    zi_symmetrise(n, sigma);
    for (size_t i = 0; i < n; i++) {
        q[i] = 1.0 / sqrt(sigma[i * n + i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const int own = i + dim == j || j + dim == i;
            sigma[i * n + j] = i == j ? 1.0 : own ? 0.0 : sigma[i * n + j] * (q[i] * q[j]);
        }
    }
}

static double uniform(zilch_rng *rng, double low, double high)
{
    return low + (high - low) * zilch_rng_uniform(rng);
}

static zilch_status draw(zilch_model **out, size_t dim, zilch_rng *rng, double decay, double p_min,
                         double p_max, double *block)
{
    const size_t n = 2 * dim;
    double *q = block;
    double *sigma = block + n * n;
    double *marginal = block + 2 * n * n;
    zi_projected projected;
    ZI_TRY(zi_blas_reserve());
    if (!random_basis(n, rng, q, sigma)) {
        return zi_fail(ZILCH_ENUMERIC, "random model: the basis is singular");
    }
    spectral_matrix(dim, decay, q, sigma);
    ZI_TRY(zi_project(ZILCH_NEAREST, dim, NULL, sigma, q, &projected));
    for (size_t i = 0; i < dim; i++) {
        marginal[i] = uniform(rng, p_min, p_max);
        marginal[dim + i] = uniform(rng, -2.0, 2.0);
        marginal[2 * dim + i] = uniform(rng, 0.0, 4.0);
    }
    return zilch_model_create(out, dim, marginal, marginal + dim, marginal + 2 * dim, sigma);
}

zilch_status zilch_model_random(zilch_model **out, size_t dim, zilch_rng *rng, double decay, double p_min,
                                double p_max)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "random model: no place for the model given");
    }
    *out = NULL;
    if (!rng || dim < 1 || dim > ZI_MOST_ORDER / 2 || !(decay > 0.0 && decay < 1.0) ||
        !(p_min >= 0.0 && p_min <= p_max && p_max <= 1.0)) {
        return zi_fail(ZILCH_EARG,
                       "random model: needs a generator, 1 <= dim <= %d, 0 < decay < 1 and "
                       "0 <= p_min <= p_max <= 1",
                       ZI_MOST_ORDER / 2);
    }
    const size_t n = 2 * dim;
    double *block;
    ZI_TRY(zi_alloc(&block, 2 * n * n + 3 * dim));
    const zilch_status status = draw(out, dim, rng, decay, p_min, p_max, block);
    zi_free(block);
    return status;
}
