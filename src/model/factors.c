/* Common factors of values and masks, by factor analysis in O(n d (n + k)) for n rows of d coordinates, or
 * O(n d^2) where there are more rows than latents.
 *
 * To first order in the latent correlations attenuation is a product: with y the standardised values (0 where
 * inactive) and indicators, corr(y_l, y_m) = a_l a_m rho_lm, a = sqrt(p) of a value and density(tau) /
 * sqrt(p q) of a mask. So the factor model of the latents is one of y, with loadings b_l = a_l L_l, and
 * dividing by a_l undoes the attenuation. Its fit, until psi stands still, at most 20 times over:
 *
 *   1. y is divided by the deviation psi_l^(1/2) of what is its own, 1 at first. Rows with factors in common
 *      have products of a size: the leading eigenvectors of these products (n x n) are the factors' values,
 * up to a rotation. A row's product with itself says only how much is in it, so all of these are set to their
 * mean. With fewer latents than rows the same comes from the latents' products.
 *   2. An eigenvalue that noise alone could give, up to the edge of Marchenko and Pastur and 2 deviations
 *      (Johnstone 2001), is no factor. Of the others the part that noise has added is taken off (Baik and
 *      Silverstein 2006): from lambda the strength s, lambda = (1 + s)(1 + g / s) for g latents a row, and
 * the squared cosine c^2 = (1 - g / s^2) / (1 + g / s) of direction and truth.
 *   3. b by weighted regression on the factors' values, times c sqrt(s / lambda): what is right for loadings
 *      that are all alike. A latent that stands out from noise by itself, as where few have something in
 *      common, is multiplied by sqrt(s / lambda) / c. psi = 1 - |b|^2, without noise's part of that.
 *
 * At the end a latent's loadings are shrunk by |b|^2 / (|b|^2 + se^2), divided by a, and the weaker of V_i
 * and M_i gives up what it shares with the other: corr(V_i, M_i) = 0. All of it depends on b b^T only, so
 * that which rotation of the factors the eigenvectors happen to be does not matter.
 *
 * Weights count in marginals and regression. They do not count in finding the factors: where latents are
 * many, a row of a large weight would look like one. Rows without weight are left out. */
#include "model/factors.h"

#include "base/memory.h"
#include "math/linalg.h"
#include "model/attenuation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { PASSES = 20, TILE = 64 };

static const double least_unique = 1e-3; /* psi: below, a latent would drown all others */
static const double settled = 1e-3;      /* change of a psi^(1/2) that another pass is not worth */

/* A latent that varies. y = scale (x - origin) where x is active, `rest` where it is not; of a mask x is 1.
 */
typedef struct varying {
    size_t latent; /* its number, 0 .. 2 cols - 1 */
    size_t col;    /* of the data */
    double origin, scale, rest;
    double gain; /* a */
    double root; /* of psi */
    double size; /* squared, of its loadings before they are capped */
} varying;

typedef struct analysis {
    const zi_factors_request *request;
    size_t rows;    /* with a weight, */
    size_t *row;    /* their numbers, */
    double *weight; /* and weights, sum 1 */
    size_t latents; /* that vary */
    varying *latent;
    size_t order;     /* rows or latents, the fewer */
    double *products; /* order x order */
    double *spectrum; /* order: eigenvalues, ascending */
    double *tile;     /* TILE x rows, or TILE x latents: y of some latents, or of some rows */
    size_t factors;
    double *score; /* most x rows: the factors' values */
    double *keep;  /* most: what loadings are multiplied by that are of no account by themselves, */
    double *sure;  /* most: and those that are */
    double *b;     /* latents x most */
} analysis;

/* ---- Data ------------------------------------------------------------------------- */

static varying varying_of(const zi_factors_request *r, size_t latent)
{
    const size_t d = r->data->cols;
    const size_t i = latent < d ? latent : latent - d;
    const zi_margin m = zi_margin_of(r->p[i]);
    if (latent < d) {
        return (varying){.latent = latent,
                         .col = i,
                         .origin = r->mu[i],
                         .scale = 1.0 / (r->sigma[i] * m.value_root),
                         .gain = m.value_root,
                         .root = 1.0};
    }
    return (varying){.latent = latent,
                     .col = i,
                     .origin = m.p,
                     .scale = 1.0 / m.mask_root,
                     .rest = -m.p / m.mask_root,
                     .gain = m.density / m.mask_root,
                     .root = 1.0};
}

static void fill_latents(analysis *a)
{
    const zi_factors_request *r = a->request;
    const size_t d = r->data->cols;
    for (size_t l = 0; l < 2 * d; l++) {
        const double p = r->p[l < d ? l : l - d];
        const int varies = l < d ? p > 0.0 && r->sigma[l] > 0.0 : p > 0.0 && p < 1.0;
        if (varies) {
            a->latent[a->latents++] = varying_of(r, l);
        }
    }
}

static void fill_rows(analysis *a)
{
    const zi_data *data = a->request->data;
    for (size_t i = 0; i < data->rows; i++) {
        const double weight = data->weights ? data->weights[i] : 1.0;
        if (weight > 0.0) {
            a->weight[a->rows] = weight / a->request->total;
            a->row[a->rows++] = i;
        }
    }
}

static double y_of(const analysis *a, const varying *v, size_t row)
{
    const zi_data *data = a->request->data;
    const double x = data->x[a->row[row] * data->cols + v->col];
    if (v->latent < data->cols) {
        return x != 0.0 ? (x - v->origin) * v->scale : 0.0;
    }
    return x != 0.0 ? (1.0 - v->origin) * v->scale : v->rest;
}

/* y of latents number `begin` to `end` - 1 into the tile, a row for each. */
static void fill_latents_tile(const analysis *a, size_t begin, size_t end)
{
    for (size_t k = 0; k < a->rows; k++) {
        for (size_t t = begin; t < end; t++) {
            a->tile[(t - begin) * a->rows + k] = y_of(a, &a->latent[t], k);
        }
    }
}

/* ---- Factors' values ---------------------------------------------------------------- */

/* Lower triangle of the rows' products of y / psi^(1/2), made free of the rows' common mean. */
static void multiply_rows(analysis *a)
{
    const size_t n = a->rows;
    for (size_t begin = 0; begin < a->latents; begin += TILE) {
        const size_t end = a->latents - begin < TILE ? a->latents : begin + TILE;
        fill_latents_tile(a, begin, end);
        for (size_t t = begin; t < end; t++) {
            double *y = a->tile + (t - begin) * n;
            double mean = 0.0;
            for (size_t k = 0; k < n; k++) {
                mean += y[k];
            }
            mean /= (double)n;
            for (size_t k = 0; k < n; k++) {
                y[k] = (y[k] - mean) / a->latent[t].root;
            }
        }
        zi_rank_update(n, end - begin, 1.0, a->tile, begin ? 1.0 : 0.0, a->products);
    }
    double trace = 0.0;
    for (size_t k = 0; k < n; k++) {
        trace += a->products[k * n + k];
    }
    for (size_t k = 0; k < n; k++) {
        a->products[k * n + k] = trace / (double)n;
    }
}

/* The same of the latents' products over the rows. */
static void multiply_latents(analysis *a, double *mean)
{
    const size_t n = a->latents;
    memset(mean, 0, n * sizeof *mean);
    for (size_t begin = 0; begin < a->rows; begin += TILE) {
        const size_t end = a->rows - begin < TILE ? a->rows : begin + TILE;
        for (size_t k = begin; k < end; k++) {
            for (size_t t = 0; t < n; t++) {
                const double y = y_of(a, &a->latent[t], k) / a->latent[t].root;
                a->tile[(k - begin) * n + t] = y;
                mean[t] += y;
            }
        }
        zi_rank_update(n, end - begin, 1.0, a->tile, begin ? 1.0 : 0.0, a->products);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            a->products[j * n + i] -= mean[i] * mean[j] / (double)a->rows;
        }
    }
}

/* Scores from directions in the latents' space, which are the last eigenvectors. */
static void project_rows(analysis *a)
{
    const size_t n = a->latents;
    for (size_t k = 0; k < a->rows; k++) {
        for (size_t t = 0; t < n; t++) {
            a->tile[t] = y_of(a, &a->latent[t], k) / a->latent[t].root;
        }
        for (size_t j = 0; j < a->factors; j++) {
            const double *direction = a->products + (n - 1 - j) * n;
            double sum = 0.0;
            for (size_t t = 0; t < n; t++) {
                sum += direction[t] * a->tile[t];
            }
            a->score[j * a->rows + k] = sum;
        }
    }
}

/* How many of the leading eigenvalues are factors, and what is left of their loadings. */
static void choose_factors(analysis *a)
{
    const zi_factors_request *r = a->request;
    const double rows = (double)a->rows - 1.0;
    const double root_rows = sqrt(rows);
    const double root_latents = sqrt((double)a->latents);
    const double ratio = (double)a->latents / rows;
    const int is_plain = r->shrinkage == ZILCH_SHRINK_NONE;
    const double edge = (root_rows + root_latents) * (root_rows + root_latents);
    const double deviation = (root_rows + root_latents) * cbrt(1.0 / root_rows + 1.0 / root_latents);
    const double least = is_plain ? rows : edge + 2.0 * deviation;
    a->factors = 0;
    for (size_t j = 0; j < r->most && j < a->order; j++) {
        const double value = a->spectrum[a->order - 1 - j];
        if (!(value > least)) {
            break;
        }
        const double lambda = value / rows;
        const double half = 0.5 * (lambda - 1.0 - ratio);
        const double strength = is_plain ? lambda - 1.0 : half + sqrt(fmax(half * half - ratio, 0.0));
        const double cosine2 =
            is_plain ? 1.0 : (1.0 - ratio / (strength * strength)) / (1.0 + ratio / strength);
        a->keep[a->factors] = sqrt(strength / lambda * fmax(cosine2, 0.0));
        a->sure[a->factors++] = fmin(sqrt(strength / (lambda * fmax(cosine2, 1e-6))), 1.0);
    }
}

static zilch_status find_factors(analysis *a)
{
    const int by_rows = a->order == a->rows;
    ZI_TRY(zi_blas_reserve());
    if (by_rows) {
        multiply_rows(a);
    } else {
        multiply_latents(a, a->spectrum);
    }
    ZI_TRY(zi_eigen(a->order, a->products, a->spectrum));
    choose_factors(a);
    for (size_t j = 0; j < a->factors && by_rows; j++) {
        memcpy(a->score + j * a->rows, a->products + (a->order - 1 - j) * a->order,
               a->rows * sizeof *a->score);
    }
    if (!by_rows) {
        project_rows(a);
    }
    return ZILCH_OK;
}

/* ---- Loadings ------------------------------------------------------------------------- */

/* Scores become uncorrelated with mean 0 and variance 1 by the weights, one after the other (twice, against
 * rounding); one that is nothing new becomes 0. */
static void standardise_scores(analysis *a)
{
    const size_t n = a->rows;
    for (size_t j = 0; j < a->factors; j++) {
        double *f = a->score + j * n;
        for (size_t round = 0; round < 2; round++) {
            for (size_t i = 0; i <= j; i++) { /* i = j: the constant */
                const double *other = a->score + i * n;
                double common = 0.0;
                for (size_t k = 0; k < n; k++) {
                    common += a->weight[k] * f[k] * (i < j ? other[k] : 1.0);
                }
                for (size_t k = 0; k < n; k++) {
                    f[k] -= common * (i < j ? other[k] : 1.0);
                }
            }
        }
        double square = 0.0;
        for (size_t k = 0; k < n; k++) {
            square += a->weight[k] * f[k] * f[k];
        }
        const double scale = square > 1e-20 ? 1.0 / sqrt(square) : 0.0;
        for (size_t k = 0; k < n; k++) {
            f[k] *= scale;
        }
    }
}

static double square_of(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        sum += a[j] * b[j];
    }
    return sum;
}

/* How surely a latent has more in common with the factors than noise would give it, from 0 to 1: what its
 * squared loadings exceed k psi / rows by, against three standard deviations of that. */
static double certainty(const analysis *a, const varying *v, const double *b)
{
    const double factors = (double)a->factors;
    const double unit = v->root * v->root / a->request->worth;
    const double excess = fmax(square_of(a->factors, b, b) - factors * unit, 0.0);
    const double chance = 18.0 * factors * unit * unit;
    return excess > 0.0 ? excess * excess / (excess * excess + chance) : 0.0;
}

/* Gives the largest change of a psi^(1/2). */
static double regress(analysis *a)
{
    const int is_plain = a->request->shrinkage == ZILCH_SHRINK_NONE;
    double change = 0.0;
    const size_t n = a->rows;
    const size_t most = a->request->most;
    for (size_t begin = 0; begin < a->latents; begin += TILE) {
        const size_t end = a->latents - begin < TILE ? a->latents : begin + TILE;
        fill_latents_tile(a, begin, end);
        for (size_t t = begin; t < end; t++) {
            const double *y = a->tile + (t - begin) * n;
            double *b = a->b + t * most;
            double square = 0.0;
            for (size_t j = 0; j < a->factors; j++) {
                const double *f = a->score + j * n;
                double sum = 0.0;
                for (size_t k = 0; k < n; k++) {
                    sum += f[k] * y[k];
                }
                b[j] = sum;
            }
            const double sure = is_plain ? 0.0 : certainty(a, &a->latent[t], b);
            const double noise = is_plain ? 0.0 : a->latent[t].root * a->latent[t].root / a->request->worth;
            for (size_t j = 0; j < a->factors; j++) {
                const double part = a->keep[j] + (a->sure[j] - a->keep[j]) * sure;
                b[j] *= part;
                square += b[j] * b[j] - part * part * noise;
            }
            const double root = sqrt(fmin(fmax(1.0 - square, least_unique), 1.0));
            change = fmax(change, fabs(root - a->latent[t].root));
            a->latent[t].root = root;
        }
    }
    return change;
}

/* Scores with their weights, for the regression. */
static void weigh_scores(analysis *a)
{
    for (size_t j = 0; j < a->factors; j++) {
        for (size_t k = 0; k < a->rows; k++) {
            a->score[j * a->rows + k] *= a->weight[k];
        }
    }
}

/* ---- From b to L ------------------------------------------------------------------------ */

/* Of one latent, in place. */
static void finish_latent(const analysis *a, varying *v, double noise, double *b)
{
    const double square = square_of(a->factors, b, b);
    const double se2 = noise * v->root * v->root;
    const double shrunk = se2 > 0.0 ? square / (square + se2) : 1.0;
    const double most = 1.0 - ZI_LEAST_OWN;
    v->size = square * shrunk * shrunk / (v->gain * v->gain);
    const double capped = v->size > most ? sqrt(most / v->size) : 1.0;
    for (size_t j = 0; j < a->factors; j++) {
        b[j] *= square > 0.0 ? shrunk * capped / v->gain : 0.0;
    }
}

/* The weaker of both gives up its part in the direction of the other. Which one that is, their sizes before
 * the cap tell: where both were cut off they are of one size but for rounding, which must not decide. Between
 * equals it is the mask. */
static void part(size_t factors, int is_value_weaker, double *value, double *mask)
{
    double *weaker = is_value_weaker ? value : mask;
    const double *stronger = is_value_weaker ? mask : value;
    const double both = square_of(factors, value, mask);
    const double of_stronger = square_of(factors, stronger, stronger);
    const double share = of_stronger > 0.0 ? both / of_stronger : 0.0;
    for (size_t j = 0; j < factors; j++) {
        weaker[j] -= share * stronger[j];
    }
}

static void finish(analysis *a, double *loading)
{
    const size_t d = a->request->data->cols;
    const size_t most = a->request->most;
    const double noise = a->request->shrinkage == ZILCH_SHRINK_NONE
                             ? 0.0
                             : square_of(a->factors, a->keep, a->keep) / a->request->worth;
    memset(loading, 0, a->factors * 2 * d * sizeof *loading);
    for (size_t t = 0; t < a->latents; t++) {
        finish_latent(a, &a->latent[t], noise, a->b + t * most);
    }
    size_t mask = 0;
    while (mask < a->latents && a->latent[mask].latent < d) {
        mask++;
    }
    for (size_t t = 0; t < a->latents && a->latent[t].latent < d; t++) { /* both lists ascend */
        while (mask < a->latents && a->latent[mask].col < a->latent[t].col) {
            mask++;
        }
        if (mask < a->latents && a->latent[mask].col == a->latent[t].col) {
            const int is_value_weaker = a->latent[t].size < (1.0 - 1e-9) * a->latent[mask].size;
            part(a->factors, is_value_weaker, a->b + t * most, a->b + mask * most);
        }
    }
    for (size_t t = 0; t < a->latents; t++) {
        for (size_t j = 0; j < a->factors; j++) {
            loading[j * 2 * d + a->latent[t].latent] = a->b[t * most + j];
        }
    }
}

/* ---- The fit ---------------------------------------------------------------------------- */

static zilch_status analyse(analysis *a, double *loading)
{
    for (size_t pass = 0; pass < PASSES; pass++) {
        ZI_TRY(find_factors(a));
        if (a->factors == 0) {
            return ZILCH_OK;
        }
        standardise_scores(a);
        weigh_scores(a);
        if (regress(a) < settled) {
            break;
        }
    }
    finish(a, loading);
    return ZILCH_OK;
}

static zilch_status allocate(analysis *a, double **room)
{
    const size_t most = a->request->most;
    const size_t wide = a->rows > a->latents ? a->rows : a->latents;
    if (a->order > ZI_MOST_ORDER) {
        return zi_fail(ZILCH_EARG, "fit: low-rank needs at most %d rows, or half as many columns",
                       ZI_MOST_ORDER);
    }
    const size_t tile = a->order == a->rows ? TILE * a->rows : TILE * wide;
    const size_t squares = a->order * a->order + a->order;
    ZI_TRY(zi_alloc(room, squares + tile + most * (a->rows + 2) + a->latents * most));
    a->products = *room;
    a->spectrum = a->products + a->order * a->order;
    a->tile = a->spectrum + a->order;
    a->score = a->tile + tile;
    a->keep = a->score + most * a->rows;
    a->sure = a->keep + most;
    a->b = a->sure + most;
    return ZILCH_OK;
}

zilch_status zi_factors_fit(const zi_factors_request *request, double *loading, size_t *rank)
{
    assert(request->most);
    assert(request->total > 0.0 && request->worth > 0.0);
    assert(loading && rank);
    analysis a = {.request = request};
    double *room = NULL;
    *rank = 0;
    zilch_status status = zi_alloc(&a.row, request->data->rows);
    status = status == ZILCH_OK ? zi_alloc(&a.weight, request->data->rows) : status;
    status = status == ZILCH_OK ? zi_alloc(&a.latent, 2 * request->data->cols) : status;
    if (status == ZILCH_OK) {
        fill_rows(&a);
        fill_latents(&a);
        a.order = a.rows < a.latents ? a.rows : a.latents;
        status = a.latents ? allocate(&a, &room) : ZILCH_OK;
    }
    if (status == ZILCH_OK && a.latents) {
        status = analyse(&a, loading);
        *rank = a.factors;
    }
    zi_free(room);
    zi_free(a.latent);
    zi_free(a.weight);
    zi_free(a.row);
    return status;
}
