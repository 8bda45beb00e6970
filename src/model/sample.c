/* Points of the law: latents, correlated, then observed. Of factors by plain loops, tile by tile, so that a
 * tile of the loadings stays in the cache while all rows of a block pass: the same bits on every processor.
 */
#include "base/memory.h"
#include "base/simd.h"
#include "model/model.h"

enum { CACHE = 1 << 15 }; /* doubles in a block */

/* Latents to one observed row. */
ZI_CLONES
static void observe(size_t dim, const double *restrict value, const double *restrict mask,
                    const double *restrict mu, const double *restrict sigma, const double *restrict tau,
                    double *restrict x)
{
    for (size_t i = 0; i < dim; i++) {
        const double active = mu[i] + sigma[i] * value[i];
        x[i] = mask[i] >= tau[i] ? active : 0.0;
    }
}

ZI_CLONES
static void scale(size_t n, const double *restrict own, double *restrict latent)
{
    for (size_t i = 0; i < n; i++) {
        latent[i] *= own[i];
    }
}

ZI_CLONES
static void add(size_t n, double factor, const double *restrict loading, double *restrict latent)
{
    for (size_t i = 0; i < n; i++) {
        latent[i] += factor * loading[i];
    }
}

/* Rows are of 2 dim + rank numbers, the factors last. */
static void add_factors(const zilch_model *m, size_t rows, double *latent)
{
    enum { TILE = 512 };
    const size_t n = 2 * m->dim;
    for (size_t begin = 0; begin < n; begin += TILE) {
        const size_t count = n - begin < TILE ? n - begin : TILE;
        for (size_t row = 0; row < rows; row++) {
            double *z = latent + row * (n + m->rank);
            const double *factor = z + n;
            scale(count, m->own + begin, z + begin);
            for (size_t k = 0; k < m->rank; k++) {
                add(count, factor[k], m->loading + k * n + begin, z + begin);
            }
        }
    }
}

zilch_status zilch_model_sample(const zilch_model *model, zilch_rng *rng, size_t rows, double *x)
{
    if (!model || !rng || (!x && rows)) {
        return zi_fail(ZILCH_EARG, "sample: model, generator and place for the points must be given");
    }
    const size_t n = 2 * model->dim + model->rank;
    /* A triangle is multiplied well by many rows only. */
    const size_t least = model->structure == ZILCH_STRUCTURE_FULL ? 256 : 16;
    const size_t block = CACHE / n < least ? least : CACHE / n;
    const size_t block_rows = block < rows ? block : rows;
    double *latent;
    ZI_TRY(model->factor ? zi_blas_reserve() : ZILCH_OK);
    ZI_TRY(zi_alloc(&latent, block_rows * n));
    for (size_t begin = 0; begin < rows; begin += block_rows) {
        const size_t count = rows - begin < block_rows ? rows - begin : block_rows;
        zilch_rng_normals(rng, count * n, latent);
        if (model->factor) {
            zi_multiply_lower(n, count, model->factor, latent);
        } else if (model->rank) {
            add_factors(model, count, latent);
        }
        for (size_t i = 0; i < count; i++) {
            const double *row = latent + i * n;
            observe(model->dim, row, row + model->dim, model->mu, model->sigma, model->tau,
                    x + (begin + i) * model->dim);
        }
    }
    zi_free(latent);
    return ZILCH_OK;
}
