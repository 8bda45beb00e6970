/* The zero-inflated Gaussian law: made from data or from parameters, and read. */
#include "model/model.h"

#include "base/memory.h"
#include "math/linalg.h"
#include "model/factors.h"
#include "model/invert.h"
#include "model/moments.h"
#include "model/project.h"
#include "model/standard_errors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Options ------------------------------------------------------------------ */

zilch_model_options zilch_model_defaults(void)
{
    return (zilch_model_options){.size = sizeof(zilch_model_options),
                                 .inverter = ZILCH_EXACT,
                                 .shrinkage = ZILCH_SHRINK_NONE,
                                 .projection = ZILCH_REPAIR,
                                 .sigma_floor = 0.0,
                                 .networks = NULL,
                                 .structure = ZILCH_STRUCTURE_FULL,
                                 .rank = 10};
}

zilch_status zi_model_check_options(const zilch_model_options *options)
{
    if (options->size != sizeof *options) {
        return zi_fail(ZILCH_EARG, "model options: begin from zilch_model_defaults()");
    }
    if (!zilch_inverter_name(options->inverter) || !zilch_shrinkage_name(options->shrinkage) ||
        !zilch_projection_name(options->projection)) {
        return zi_fail(ZILCH_EARG,
                       "model options: inverter, shrinkage or projection is not one of the known ones");
    }
    if (!zilch_structure_name(options->structure)) {
        return zi_fail(ZILCH_EARG, "model options: structure is not one of the known ones");
    }
    if (options->rank < 1 || options->rank > ZI_MOST_RANK) {
        return zi_fail(ZILCH_EARG, "model options: rank must be 1 to %d, not %zu", ZI_MOST_RANK,
                       options->rank);
    }
    if (!(options->sigma_floor >= 0.0 && isfinite(options->sigma_floor))) {
        return zi_fail(ZILCH_EARG, "model options: sigma_floor must be finite and not negative");
    }
    return ZILCH_OK;
}

/* ---- Memory, and what follows from the parameters ------------------------------- */

zilch_status zi_model_check_dim(size_t dim, zilch_structure structure, const char *who)
{
    assert(who);
    const int most = structure == ZILCH_STRUCTURE_FULL ? ZI_MOST_FULL_DIM : ZI_MOST_DIM;
    if (dim >= 1 && dim <= (size_t)most) {
        return ZILCH_OK;
    }
    return dim < 1 || dim > ZI_MOST_DIM
               ? zi_fail_at(ZILCH_EARG, &(zi_location){.where = who},
                            "the dimension must be 1 to %d, not %zu", most, dim)
               : zi_fail_at(ZILCH_EARG, &(zi_location){.where = who},
                            "structure full takes a dimension of 1 to %d, not %zu; structure low-rank or "
                            "diagonal takes it",
                            most, dim);
}

/* Where it is the correlations that need much, the error says what would need less. */
static zilch_status allocate_block(double **block, const zi_shape *shape, size_t count)
{
    const size_t million = 1000000;
    const zilch_status status = zi_alloc(block, count);
    if (status == ZILCH_OK || shape->structure != ZILCH_STRUCTURE_FULL || count < million) {
        return status;
    }
    return zi_fail(
        status,
        "model: %zu MB for the correlations of %zu coordinates cannot be allocated; structure low-rank "
        "needs far less",
        count / (million / sizeof **block), shape->dim);
}

zilch_status zi_model_allocate(zilch_model **out, const zi_shape *shape)
{
    assert(shape->dim && shape->dim <= ZI_MOST_DIM);
    assert(shape->structure != ZILCH_STRUCTURE_FULL || shape->dim <= ZI_MOST_FULL_DIM);
    const size_t header = (sizeof(zilch_model) + ZI_ALIGNMENT - 1) / sizeof(double);
    const size_t dim = shape->dim;
    const int is_full = shape->structure == ZILCH_STRUCTURE_FULL;
    const size_t square = is_full ? 4 * dim * dim : 0;
    const size_t rank = shape->structure == ZILCH_STRUCTURE_LOW_RANK ? shape->rank : 0;
    const size_t factors = rank ? 2 * dim * (rank + 1) : 0;
    double *block;
    ZI_TRY(allocate_block(&block, shape, header + 4 * dim + (shape->fitted ? 3 : 2) * square + factors));
    zilch_model *model = (zilch_model *)block;
    double *array = block + header;
    double *rest = array + 4 * dim;
    *model = (zilch_model){.dim = dim,
                           .structure = shape->structure,
                           .fitted = shape->fitted,
                           .p = array,
                           .mu = array + dim,
                           .sigma = array + 2 * dim,
                           .tau = array + 3 * dim,
                           .correlation = is_full ? rest : NULL,
                           .factor = is_full ? rest + square : NULL,
                           .observed = is_full && shape->fitted ? rest + 2 * square : NULL,
                           .rank = rank,
                           .own = rank ? rest : NULL,
                           .loading = rank ? rest + 2 * dim : NULL};
    *out = model;
    return ZILCH_OK;
}

void zilch_model_destroy(zilch_model *model)
{
    if (model) {
        zi_free(model->name);
    }
    zi_free(model);
}

void zi_model_thresholds(zilch_model *model)
{
    assert(model->dim && model->p && model->tau);
    for (size_t i = 0; i < model->dim; i++) {
        model->tau[i] = zi_margin_of(model->p[i]).tau;
    }
}

static double common_of(const zilch_model *m, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t k = 0; k < m->rank; k++) {
        sum += m->loading[k * 2 * m->dim + i] * m->loading[k * 2 * m->dim + j];
    }
    return sum;
}

void zi_model_own(zilch_model *model)
{
    assert(!model->rank || (model->loading && model->own));
    for (size_t i = 0; model->rank && i < 2 * model->dim; i++) {
        model->own[i] = sqrt(1.0 - common_of(model, i, i));
    }
}

zilch_status zi_model_factorise(zilch_model *model)
{
    assert(model->structure == ZILCH_STRUCTURE_FULL && model->correlation && model->factor);
    return zi_correlation_factor(2 * model->dim, model->correlation, model->factor);
}

static zilch_status check_loadings(const zilch_model *model, zilch_status failure, const char *who)
{
    for (size_t i = 0; model->rank && i < 2 * model->dim; i++) {
        const double common = common_of(model, i, i);
        if (!(common < 1.0)) { /* nor NaN */
            return zi_fail_at(
                failure, &(zi_location){who, {{ZI_COORDINATE, i < model->dim ? i : i - model->dim}}, NULL},
                "the loadings of its %s explain all of it, or more", i < model->dim ? "value" : "activity");
        }
    }
    return ZILCH_OK;
}

static zilch_status check_correlations(const zilch_model *model, zilch_status failure, const char *who)
{
    const size_t n = 2 * model->dim;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double rho = model->correlation[i * n + j];
            const int right =
                i == j ? rho == 1.0 : rho >= -1.0 && rho <= 1.0 && rho == model->correlation[j * n + i];
            if (!right) {
                return zi_fail_at(failure, &(zi_location){who, {{ZI_ROW, i}, {ZI_COLUMN, j}}, NULL},
                                  "the correlation is out of range, or the matrix is not symmetric");
            }
        }
    }
    return ZILCH_OK;
}

zilch_status zi_model_check_parameters(const zilch_model *model, zilch_status failure, const char *who)
{
    assert(failure != ZILCH_OK && who);
    for (size_t i = 0; i < model->dim; i++) {
        const double p = model->p[i];
        const double sigma = model->sigma[i];
        if (!(p >= 0.0 && p <= 1.0 && isfinite(model->mu[i]) && sigma >= 0.0 && isfinite(sigma))) {
            return zi_fail_at(failure, &(zi_location){who, {{ZI_COORDINATE, i}}, NULL},
                              "p, mu or sigma is out of range");
        }
    }
    return model->structure == ZILCH_STRUCTURE_FULL ? check_correlations(model, failure, who)
                                                    : check_loadings(model, failure, who);
}

int zi_model_is_valid(const zilch_model *model)
{
    const size_t n = 2 * model->dim;
    if (zi_model_check_parameters(model, ZILCH_EARG, "model") != ZILCH_OK) {
        return 0;
    }
    for (size_t i = 0; model->rank && i < n; i++) {
        if (!(fabs(common_of(model, i, i) + model->own[i] * model->own[i] - 1.0) < 1e-12)) {
            return 0;
        }
    }
    for (size_t i = 0; model->factor && i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double product = 0.0;
            for (size_t k = 0; k <= j; k++) {
                product += model->factor[k * n + i] * model->factor[k * n + j];
            }
            if (!(fabs(product - model->correlation[i * n + j]) < 1e-7)) {
                return 0;
            }
        }
    }
    return 1;
}

/* ---- From data ------------------------------------------------------------------ */

/* Observed correlations to latent ones: invert, shrink, project. `weight` is room for a
 * matrix, NULL where the projection needs none. */
static zilch_status estimate_correlations(zilch_model *model, const zilch_model_options *options,
                                          zi_margin *margin, double *weight)
{
    zi_projected projected;
    for (size_t i = 0; i < model->dim; i++) {
        margin[i] = zi_margin_of(model->p[i]);
        model->tau[i] = margin[i].tau;
    }
    if (options->shrinkage == ZILCH_SHRINK_ALL) {
        zi_identity(2 * model->dim, model->correlation);
        zi_identity(2 * model->dim, model->factor);
        return ZILCH_OK;
    }
    const zi_inversion inversion = {.dim = model->dim,
                                    .margin = margin,
                                    .observed = model->observed,
                                    .networks = options->networks,
                                    .is_tempered = options->shrinkage == ZILCH_SHRINK_FISHER};
    ZI_TRY(zi_invert(options->inverter, &inversion, model->correlation));
    if (weight) {
        zi_weigh(model->dim, margin, model->report.rows, model->correlation, weight);
    }
    zi_shrink(options->shrinkage, model->dim, margin, model->report.rows, model->correlation);
    ZI_TRY(
        zi_project(options->projection, model->dim, weight, model->correlation, model->factor, &projected));
    model->report.projection_distance = projected.projection_distance;
    model->report.identity_weight = projected.identity_weight;
    return ZILCH_OK;
}

static zilch_status fit_correlations(zilch_model *model, const zilch_model_options *options)
{
    zi_margin *margin = NULL;
    double *weight = NULL;
    zilch_status status = zi_alloc(&margin, model->dim);
    if (status == ZILCH_OK && options->projection == ZILCH_WEIGHTED) {
        status = zi_alloc(&weight, 4 * model->dim * model->dim);
    }
    if (status == ZILCH_OK) {
        status = estimate_correlations(model, options, margin, weight);
    }
    zi_free(weight);
    zi_free(margin);
    return status;
}

/* Of one block of memory, made for as many factors as may be, the loadings found are used. */
static zilch_status fit_factors(zilch_model *model, const zi_data *data, double total,
                                const zilch_model_options *options)
{
    const zi_factors_request request = {.data = data,
                                        .total = total,
                                        .worth = model->report.rows,
                                        .p = model->p,
                                        .mu = model->mu,
                                        .sigma = model->sigma,
                                        .shrinkage = options->shrinkage,
                                        .most = model->rank};
    zi_model_thresholds(model);
    if (options->shrinkage == ZILCH_SHRINK_ALL) {
        model->rank = 0;
    }
    if (model->rank) {
        ZI_TRY(zi_factors_fit(&request, model->loading, &model->rank));
    }
    zi_model_own(model);
    return ZILCH_OK;
}

static zilch_status fit(zilch_model *model, const zi_data *data, const zilch_model_options *options)
{
    double total;
    model->report = (zilch_fit_report){.structure = options->structure,
                                       .inverter = options->inverter,
                                       .shrinkage = options->shrinkage,
                                       .projection = options->projection};
    ZI_TRY(zi_data_check(data, &total, &model->report.rows));
    ZI_TRY(zi_marginals(data, total, model->p, model->mu, model->sigma));
    if (model->structure == ZILCH_STRUCTURE_FULL) {
        ZI_TRY(zi_observed(data, total, model->p, model->mu, model->sigma, model->observed));
        ZI_TRY(fit_correlations(model, options));
    } else {
        ZI_TRY(fit_factors(model, data, total, options));
    }
    for (size_t i = 0; i < model->dim; i++) {
        model->sigma[i] = fmax(model->sigma[i], model->p[i] > 0.0 ? options->sigma_floor : 0.0);
    }
    return ZILCH_OK;
}

zilch_status zilch_model_fit(zilch_model **out, size_t rows, size_t cols, const double *x,
                             const double *weights, const zilch_model_options *options)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "fit: no place for the model given");
    }
    *out = NULL;
    const zilch_model_options chosen = options ? *options : zilch_model_defaults();
    ZI_TRY(zi_model_check_options(&chosen));
    ZI_TRY(zi_model_check_dim(cols, chosen.structure, "fit"));
    size_t count;
    if (!x || rows < 2) {
        return zi_fail(ZILCH_EARG, "fit: needs at least two rows of data, not %zu", x ? rows : 0);
    }
    if (!zi_multiply(rows, cols, &count)) {
        return zi_fail(ZILCH_EARG, "fit: %zu rows of %zu columns are more than memory can hold", rows, cols);
    }
    const zi_data data = {.rows = rows, .cols = cols, .x = x, .weights = weights};
    const size_t fewest = rows < 2 * cols ? rows : 2 * cols; /* there are no more factors than that */
    const zi_shape shape = {cols, chosen.structure, chosen.rank < fewest ? chosen.rank : fewest, 1, 0};
    zilch_model *model;
    ZI_TRY(zi_model_allocate(&model, &shape));
    const zilch_status status = fit(model, &data, &chosen);
    if (status != ZILCH_OK) {
        zilch_model_destroy(model);
        return status;
    }
    *out = model;
    return ZILCH_OK;
}

/* ---- From parameters -------------------------------------------------------------- */

static void fill_marginals(zilch_model *model, const double *p, const double *mu, const double *sigma)
{
    memcpy(model->p, p, model->dim * sizeof *p);
    memcpy(model->mu, mu, model->dim * sizeof *mu);
    memcpy(model->sigma, sigma, model->dim * sizeof *sigma);
}

static zilch_status fill(zilch_model *model, const double *p, const double *mu, const double *sigma,
                         const double *correlation)
{
    const size_t n = 2 * model->dim;
    fill_marginals(model, p, mu, sigma);
    if (correlation) {
        memcpy(model->correlation, correlation, n * n * sizeof *correlation);
    } else {
        zi_identity(n, model->correlation);
    }
    ZI_TRY(zi_model_check_parameters(model, ZILCH_EARG, "create"));
    zi_model_thresholds(model);
    return zi_model_factorise(model);
}

zilch_status zilch_model_create(zilch_model **out, size_t dim, const double *p, const double *mu,
                                const double *sigma, const double *correlation)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "create: no place for the model given");
    }
    *out = NULL;
    ZI_TRY(zi_model_check_dim(dim, ZILCH_STRUCTURE_FULL, "create"));
    if (!p || !mu || !sigma) {
        return zi_fail(ZILCH_EARG, "create: p, mu and sigma must be given");
    }
    const zi_shape shape = {dim, ZILCH_STRUCTURE_FULL, 0, 0, 0};
    zilch_model *model;
    ZI_TRY(zi_model_allocate(&model, &shape));
    const zilch_status status = fill(model, p, mu, sigma, correlation);
    if (status != ZILCH_OK) {
        zilch_model_destroy(model);
        return status;
    }
    *out = model;
    return ZILCH_OK;
}

zilch_status zilch_model_create_factors(zilch_model **out, size_t dim, const double *p, const double *mu,
                                        const double *sigma, size_t rank, const double *loadings)
{
    const zi_shape shape = {dim, rank ? ZILCH_STRUCTURE_LOW_RANK : ZILCH_STRUCTURE_DIAGONAL, rank, 0, 0};
    if (!out) {
        return zi_fail(ZILCH_EARG, "create: no place for the model given");
    }
    *out = NULL;
    ZI_TRY(zi_model_check_dim(dim, shape.structure, "create"));
    if (!p || !mu || !sigma || (rank && !loadings) || rank > ZI_MOST_RANK) {
        return zi_fail(ZILCH_EARG,
                       "create: p, mu, sigma and the loadings of at most %d factors must be given",
                       ZI_MOST_RANK);
    }
    zilch_model *model;
    ZI_TRY(zi_model_allocate(&model, &shape));
    fill_marginals(model, p, mu, sigma);
    if (rank) {
        memcpy(model->loading, loadings, rank * 2 * dim * sizeof *loadings);
    }
    const zilch_status status = zi_model_check_parameters(model, ZILCH_EARG, "create");
    if (status != ZILCH_OK) {
        zilch_model_destroy(model);
        return status;
    }
    zi_model_thresholds(model);
    zi_model_own(model);
    *out = model;
    return ZILCH_OK;
}

/* ---- Reading -------------------------------------------------------------------- */

size_t zilch_model_dim(const zilch_model *model)
{
    return model->dim;
}

const double *zilch_model_p(const zilch_model *model)
{
    return model->p;
}

const double *zilch_model_mu(const zilch_model *model)
{
    return model->mu;
}

const double *zilch_model_sigma(const zilch_model *model)
{
    return model->sigma;
}

const double *zilch_model_tau(const zilch_model *model)
{
    return model->tau;
}

const double *zilch_model_correlation(const zilch_model *model)
{
    return model->correlation;
}

const double *zilch_model_observed(const zilch_model *model)
{
    return model->observed;
}

zilch_structure zilch_model_structure(const zilch_model *model)
{
    return model->structure;
}

size_t zilch_model_rank(const zilch_model *model)
{
    return model->rank;
}

const double *zilch_model_loadings(const zilch_model *model)
{
    return model->rank ? model->loading : NULL;
}

double zilch_model_correlation_at(const zilch_model *model, size_t i, size_t j)
{
    const size_t n = 2 * model->dim;
    if (i >= n || j >= n) {
        return NAN;
    }
    if (model->correlation) {
        return model->correlation[i * n + j];
    }
    return i == j ? 1.0 : common_of(model, i, j);
}

zilch_status zilch_model_report(const zilch_model *model, zilch_fit_report *out)
{
    if (!model || !out) {
        return zi_fail(ZILCH_EARG, "report: model and place for the report must be given");
    }
    if (!model->fitted) {
        return zi_fail(ZILCH_ESTATE, "report: this model was not fitted to data");
    }
    *out = model->report;
    return ZILCH_OK;
}
