/* Projections to a correlation matrix.
 *
 * clip     the published three steps: eigenvalues below a small constant are raised to it,
 *          the diagonal is rescaled to 1.
 * repair   clip, then the zeros corr(V_i, M_i) put back, then the smallest a for which
 *          (1 - a) S + a I is positive definite: from an estimate of the lowest eigenvalue,
 *          confirmed by Cholesky's factorisation.
 * nearest  the closest matrix of the semidefinite cone with unit diagonal and the given zeros,
 *          by alternating projections between the two sets (Higham, IMA J. Numer. Anal. 22,
 *          2002), in the form of the alternating direction method of multipliers, which needs
 *          fewer rounds than Dykstra's correction and allows weights.
 * weighted the same, distances weighted entry by entry.
 *
 * Inside this file the work is done on lower triangles, entry (i, j) at [j * n + i]; the upper
 * triangle of sigma keeps the matrix as it was given, to tell its projection distance. */
#include "model/project.h"

#include "base/memory.h"
#include "math/linalg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double least_eigenvalue = 1e-6;

typedef struct projector {
    size_t n, dim;
    double *sigma;  /* what is projected */
    double *work;   /* n x n: the factor to be made, eigenvectors before that */
    double *spare;  /* n x n */
    double *value;  /* n: eigenvalues, scales */
    char *isolated; /* n: this row is zero but for the diagonal, and stays so */
    size_t lives;   /* the other rows: */
    size_t *live;   /* n, their numbers */
} projector;

static void find_isolated(projector *p)
{
    memset(p->isolated, 1, p->n);
    for (size_t j = 0; j < p->n; j++) {
        for (size_t i = j + 1; i < p->n; i++) {
            if (p->sigma[j * p->n + i] != 0.0) {
                p->isolated[i] = p->isolated[j] = 0;
            }
        }
    }
    p->lives = 0;
    for (size_t i = 0; i < p->n; i++) {
        p->live[p->lives] = i;
        p->lives += !p->isolated[i];
    }
}

/* Unit diagonal and zero isolated rows; the zeros corr(V_i, M_i) too if asked. Returns the
 * largest of those: no eigenvalue moves further. */
static double impose(const projector *p, double *a, int own_zeros)
{
    const size_t n = p->n;
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        a[j * n + j] = 1.0;
        for (size_t i = j + 1; p->isolated[j] && i < n; i++) {
            a[j * n + i] = 0.0;
        }
        for (size_t i = 0; p->isolated[j] && i < j; i++) {
            a[i * n + j] = 0.0;
        }
    }
    for (size_t j = 0; own_zeros && j < p->dim; j++) {
        largest = fmax(largest, fabs(a[j * n + j + p->dim]));
        a[j * n + j + p->dim] = 0.0;
    }
    return largest;
}

/* The lower triangle of the rows that are not isolated, which is all there is to an eigendecomposition. */
static void gather(const projector *p, const double *a, double *packed)
{
    for (size_t j = 0; j < p->lives; j++) {
        const double *column = a + p->live[j] * p->n;
        for (size_t i = j; i < p->lives; i++) {
            packed[j * p->lives + i] = column[p->live[i]];
        }
    }
}

static void scatter(const projector *p, const double *packed, double *a)
{
    for (size_t j = 0; j < p->lives; j++) {
        double *column = a + p->live[j] * p->n;
        for (size_t i = j; i < p->lives; i++) {
            column[p->live[i]] = packed[j * p->lives + i];
        }
    }
}

/* Raise the eigenvalues of `a` below `least` to it: add what is missing along the lowest
 * eigenvectors, or rebuild from the others, whichever is fewer. */
static zilch_status raise_eigenvalues(const projector *p, double *a, double least)
{
    const size_t n = p->lives;
    double *vector = p->work;
    gather(p, a, p->spare);
    size_t first;
    size_t end;
    ZI_TRY(zi_eigen_side(n, p->spare, least, p->value, vector, &first, &end));
    gather(p, a, p->spare);
    for (size_t k = first; k < end; k++) {
        const double root = sqrt(fabs(p->value[k] - least));
        for (size_t i = 0; i < n; i++) {
            vector[k * n + i] *= root;
        }
    }
    const int rebuild = first > 0;
    zi_rank_update(n, end - first, 1.0, vector + first * n, rebuild ? 0.0 : 1.0, p->spare);
    for (size_t i = 0; rebuild && i < n; i++) {
        p->spare[i * n + i] += least;
    }
    scatter(p, p->spare, a);
    return ZILCH_OK;
}

static void rescale_diagonal(const projector *p, double *a)
{
    const size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        p->value[i] = 1.0 / sqrt(a[i * n + i]);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            a[j * n + i] *= p->value[i] * p->value[j];
        }
    }
}

/* factor = Cholesky of (1 - identity_weight) a + identity_weight I; false where that is not positive
 * definite. */
static int factorise(size_t n, const double *a, double identity_weight, double *factor)
{
    for (size_t j = 0; j < n; j++) {
        factor[j * n + j] = 1.0;
        for (size_t i = j + 1; i < n; i++) {
            factor[j * n + i] = (1.0 - identity_weight) * a[j * n + i];
        }
    }
    return zi_cholesky(n, factor);
}

/* The smallest identity_weight that works, to a few percent, in *identity_weight; the factor is left in
 * p->work. No eigenvalue is below -depth, so a identity_weight of depth / (1 + depth) is enough. The smallest
 * eigenvalue of what that gives tells how much less would do. */
static zilch_status smallest_identity_weight(const projector *p, double depth, double *identity_weight)
{
    *identity_weight = 0.0;
    if (factorise(p->n, p->sigma, 0.0, p->work)) {
        return ZILCH_OK;
    }
    double enough = depth / (1.0 + depth) + 1e-14;
    while (!factorise(p->n, p->sigma, enough, p->work)) {
        if (enough == 1.0) {
            return zi_fail(ZILCH_ENUMERIC, "the correlation matrix is not finite");
        }
        enough = fmin(1.0, 2.0 * enough); /* short by rounding */
    }
    double smallest;
    ZI_TRY(zi_smallest_eigenvalue(p->n, p->work, &smallest));
    const double least = fmax(0.0, (enough - smallest) / (1.0 - smallest));
    double excess = 0.02 * least + 1e-14;
    do {
        *identity_weight = fmin(enough, least + excess);
        excess *= 2.0;
    } while (!factorise(p->n, p->sigma, *identity_weight, p->work));
    return ZILCH_OK;
}

static zilch_status mix_to_definite(const projector *p, double depth, double *identity_weight)
{
    const size_t n = p->n;
    ZI_TRY(smallest_identity_weight(p, depth, identity_weight));
    for (size_t j = 0; *identity_weight > 0.0 && j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            p->sigma[j * n + i] *= 1.0 - *identity_weight;
        }
    }
    return ZILCH_OK;
}

/* A corner that is not positive definite tells of the whole, at a small part of the cost. */
static int corner_is_definite(const projector *p)
{
    enum { CORNER = 256 };
    const size_t order = p->n < CORNER ? p->n : CORNER;
    for (size_t j = 0; j < order; j++) {
        memcpy(p->work + j * order, p->sigma + j * p->n, order * sizeof *p->work);
    }
    return zi_cholesky(order, p->work);
}

static zilch_status clip(const projector *p)
{
    if (corner_is_definite(p) && factorise(p->n, p->sigma, 0.0, p->work)) {
        return ZILCH_OK; /* no eigenvalue to replace */
    }
    ZI_TRY(raise_eigenvalues(p, p->sigma, least_eigenvalue));
    rescale_diagonal(p, p->sigma);
    return ZILCH_OK;
}

/* The splitting that finds the nearest matrix: x has the unit diagonal and the zeros, y is
 * in the cone, u is the sum of their differences. */
typedef struct splitting {
    const double *weight; /* NULL: all 1 */
    double penalty;
    double *y, *u;
    double gap, change; /* distance of x and y, and of x and its predecessor */
} splitting;

/* x, the lower triangle of sigma: between the given matrix, which is the upper triangle, and
 * y - u, in proportion of weight and penalty. */
static void place_x(const projector *p, splitting *s)
{
    const size_t n = p->n;
    double square = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            const size_t at = j * n + i;
            if (i == j + p->dim) {
                continue; /* corr(V_j, M_j): a zero that stays */
            }
            const double weight = s->weight ? s->weight[at] : 1.0;
            const double given = p->sigma[i * n + j];
            const double x = (weight * given + s->penalty * (s->y[at] - s->u[at])) / (weight + s->penalty);
            square += 2.0 * (x - p->sigma[at]) * (x - p->sigma[at]);
            p->sigma[at] = x;
        }
    }
    s->change = sqrt(square);
    impose(p, p->sigma, 1);
}

/* y, the point of the cone next to x + u, x moved on beyond itself (over-relaxation). */
static zilch_status place_y(const projector *p, splitting *s)
{
    static const double relaxation = 1.7;
    const size_t n = p->n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            const size_t at = j * n + i;
            s->u[at] += relaxation * p->sigma[at] + (1.0 - relaxation) * s->y[at];
            s->y[at] = s->u[at];
        }
    }
    ZI_TRY(raise_eigenvalues(p, s->y, 0.0));
    double square = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            const size_t at = j * n + i;
            const double difference = p->sigma[at] - s->y[at];
            s->u[at] -= s->y[at];
            square += (i == j ? 1.0 : 2.0) * difference * difference;
        }
    }
    s->gap = sqrt(square);
    return ZILCH_OK;
}

/* No eigenvalue of the result is below -*depth. */
static zilch_status nearest(const projector *p, const double *weight, double *depth)
{
    enum { MOST_ROUNDS = 1000 };
    const size_t count = p->n * p->n;
    const double tolerance = 1e-6 * (double)p->n;
    *depth = 0.0;
    if (factorise(p->n, p->sigma, 0.0, p->work)) {
        return ZILCH_OK;
    }
    splitting s = {.weight = weight, .penalty = weight ? 0.05 : 1.0, .gap = INFINITY};
    ZI_TRY(zi_alloc(&s.y, 2 * count));
    s.u = s.y + count;
    memcpy(s.y, p->sigma, count * sizeof *s.y);
    memset(s.u, 0, count * sizeof *s.u);
    zilch_status status = ZILCH_OK;
    for (int round = 0;
         status == ZILCH_OK && (s.gap > tolerance || s.change > tolerance) && round < MOST_ROUNDS; round++) {
        place_x(p, &s);
        status = place_y(p, &s);
    }
    *depth = s.gap;
    zi_free(s.y);
    return status;
}

static zilch_status project(zilch_projection how, const projector *p, const double *weight,
                            double *identity_weight)
{
    double depth;
    if (how == ZILCH_NEAREST || how == ZILCH_WEIGHTED) {
        ZI_TRY(nearest(p, how == ZILCH_WEIGHTED ? weight : NULL, &depth));
    } else {
        ZI_TRY(clip(p));
        depth = impose(p, p->sigma, how == ZILCH_REPAIR);
    }
    return mix_to_definite(p, depth, identity_weight);
}

/* Between the two triangles, as a distance of symmetric matrices. In square tiles, as one of them is gone
 * through across its rows. */
static double triangle_distance(size_t n, const double *a)
{
    enum { TILE = 32 };
    double square = 0.0;
    for (size_t tile_j = 0; tile_j < n; tile_j += TILE) {
        for (size_t tile_i = tile_j; tile_i < n; tile_i += TILE) {
            for (size_t j = tile_j; j < n && j < tile_j + TILE; j++) {
                for (size_t i = tile_i > j ? tile_i : j + 1; i < n && i < tile_i + TILE; i++) {
                    const double difference = a[j * n + i] - a[i * n + j];
                    square += 2.0 * difference * difference;
                }
            }
        }
    }
    return sqrt(square);
}

zilch_status zi_project(zilch_projection how, size_t dim, const double *weight, double *sigma, double *factor,
                        zi_projected *report)
{
    assert(zilch_projection_name(how) && dim && dim <= ZI_MOST_ORDER / 2);
    assert(sigma && factor && report);
    const size_t n = 2 * dim;
    double *spare; /* and the projector's other arrays */
    size_t *live;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&spare, n * n + 2 * n));
    const zilch_status allocated = zi_alloc(&live, n + 1);
    if (allocated != ZILCH_OK) {
        zi_free(spare);
        return allocated;
    }
    double *value = spare + n * n;
    projector p = {.n = n,
                   .dim = dim,
                   .sigma = sigma,
                   .work = factor,
                   .spare = spare,
                   .value = value,
                   .isolated = (char *)(value + n),
                   .live = live};
    find_isolated(&p);
    const zilch_status status = project(how, &p, weight, &report->identity_weight);
    if (status == ZILCH_OK) {
        report->projection_distance = triangle_distance(n, sigma);
        zi_symmetrise(n, sigma);
    }
    zi_free(live);
    zi_free(spare);
    return status;
}

zilch_status zi_correlation_factor(size_t n, const double *sigma, double *factor)
{
    assert(n && sigma && factor);
    ZI_TRY(zi_blas_reserve());
    if (factorise(n, sigma, 0.0, factor)) {
        return ZILCH_OK;
    }
    for (double identity_weight = 1e-14; identity_weight < 2e-8; identity_weight *= 10.0) {
        if (factorise(n, sigma, identity_weight, factor)) {
            return ZILCH_OK;
        }
    }
    return zi_fail(ZILCH_ENUMERIC, "the correlation matrix is not positive semidefinite");
}
