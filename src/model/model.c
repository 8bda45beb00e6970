/* The zero-inflated Gaussian law: made from data or from parameters, read, and sampled. */
#include "model/model.h"

#include "base/memory.h"
#include "base/simd.h"
#include "math/linalg.h"
#include "model/invert.h"
#include "model/moments.h"
#include "model/noise.h"
#include "model/project.h"

/* ---- Options ------------------------------------------------------------------ */

zilch_model_options zilch_model_defaults(void)
{
    return (zilch_model_options){.size = sizeof(zilch_model_options),
                                 .inverter = ZILCH_EXACT,
                                 .shrinkage = ZILCH_SHRINK_NONE,
                                 .projection = ZILCH_REPAIR,
                                 .sigma_floor = 0.0,
                                 .networks = NULL};
}

zilch_status zi_model_check_options(const zilch_model_options *options)
{
    if (options->size != sizeof *options) {
        return zi_fail(ZILCH_EARG, "model options: begin from zilch_model_defaults()");
    }
    if (!zilch_inverter_name(options->inverter) || !zilch_shrinkage_name(options->shrinkage) ||
        !zilch_projection_name(options->projection)) {
        return zi_fail(ZILCH_EARG,
                       "model options: inverter, shrinkage or projection is none of the known ones");
    }
    if (!(options->sigma_floor >= 0.0 && isfinite(options->sigma_floor))) {
        return zi_fail(ZILCH_EARG, "model options: sigma_floor must be finite and not negative");
    }
    return ZILCH_OK;
}

/* ---- Memory, and what follows from the parameters ------------------------------- */

static zilch_status check_dim(size_t dim, const char *who)
{
    if (dim < 1 || dim > ZI_MOST_DIM) {
        return zi_fail(ZILCH_EARG, "%s: the dimension must be 1 to %d, not %zu", who, ZI_MOST_DIM, dim);
    }
    return ZILCH_OK;
}

zilch_status zi_model_allocate(zilch_model **out, size_t dim, int fitted)
{
    const size_t header = (sizeof(zilch_model) + ZI_ALIGNMENT - 1) / sizeof(double);
    const size_t square = 4 * dim * dim;
    double *block;
    ZI_TRY(zi_alloc(&block, header + 4 * dim + (fitted ? 3 : 2) * square));
    zilch_model *model = (zilch_model *)block;
    double *array = block + header;
    *model = (zilch_model){.dim = dim,
                           .fitted = fitted,
                           .p = array,
                           .mu = array + dim,
                           .sigma = array + 2 * dim,
                           .tau = array + 3 * dim,
                           .correlation = array + 4 * dim,
                           .factor = array + 4 * dim + square,
                           .observed = fitted ? array + 4 * dim + 2 * square : NULL};
    *out = model;
    return ZILCH_OK;
}

void zilch_model_destroy(zilch_model *model)
{
    zi_free(model);
}

void zi_model_thresholds(zilch_model *model)
{
    for (size_t i = 0; i < model->dim; i++) {
        model->tau[i] = zi_margin_of(model->p[i]).tau;
    }
}

zilch_status zi_model_factorise(zilch_model *model)
{
    return zi_correlation_factor(2 * model->dim, model->correlation, model->factor);
}

static int is_parameter_row(const zilch_model *m, size_t i)
{
    return m->p[i] >= 0.0 && m->p[i] <= 1.0 && isfinite(m->mu[i]) && m->sigma[i] >= 0.0 &&
           isfinite(m->sigma[i]);
}

zilch_status zi_model_check_parameters(const zilch_model *model, zilch_status failure, const char *who)
{
    const size_t n = 2 * model->dim;
    for (size_t i = 0; i < model->dim; i++) {
        if (!is_parameter_row(model, i)) {
            return zi_fail(failure, "%s: p, mu or sigma of coordinate %zu (counted from 0) is out of range",
                           who, i);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double rho = model->correlation[i * n + j];
            const int right =
                i == j ? rho == 1.0 : rho >= -1.0 && rho <= 1.0 && rho == model->correlation[j * n + i];
            if (!right) {
                return zi_fail(failure,
                               "%s: entry (%zu, %zu) of the correlation matrix is out of range, or it is not "
                               "symmetric",
                               who, i, j);
            }
        }
    }
    return ZILCH_OK;
}

int zi_model_is_valid(const zilch_model *model)
{
    const size_t n = 2 * model->dim;
    if (zi_model_check_parameters(model, ZILCH_EARG, "model") != ZILCH_OK) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
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
    const zi_inversion inversion = {model->dim, margin, model->observed, options->networks};
    ZI_TRY(zi_invert(options->inverter, &inversion, model->correlation));
    if (weight) {
        zi_weigh(model->dim, margin, model->report.rows, model->correlation, weight);
    }
    zi_shrink(options->shrinkage, model->dim, margin, model->report.rows, model->correlation);
    ZI_TRY(
        zi_project(options->projection, model->dim, weight, model->correlation, model->factor, &projected));
    model->report.moved = projected.moved;
    model->report.pull = projected.pull;
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

static zilch_status fit(zilch_model *model, const zi_data *data, const zilch_model_options *options)
{
    double total;
    model->report = (zilch_fit_report){
        .inverter = options->inverter, .shrinkage = options->shrinkage, .projection = options->projection};
    ZI_TRY(zi_data_check(data, &total, &model->report.rows));
    ZI_TRY(zi_marginals(data, total, model->p, model->mu, model->sigma));
    ZI_TRY(zi_observed(data, total, model->p, model->mu, model->sigma, model->observed));
    ZI_TRY(fit_correlations(model, options));
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
    ZI_TRY(check_dim(cols, "fit"));
    size_t count;
    if (!x || rows < 2) {
        return zi_fail(ZILCH_EARG, "fit: needs at least two rows of data, not %zu", x ? rows : 0);
    }
    if (!zi_multiply(rows, cols, &count)) {
        return zi_fail(ZILCH_EARG, "fit: %zu rows of %zu columns are more than memory can hold", rows, cols);
    }
    const zi_data data = {.rows = rows, .cols = cols, .x = x, .weights = weights};
    zilch_model *model;
    ZI_TRY(zi_model_allocate(&model, cols, 1));
    const zilch_status status = fit(model, &data, &chosen);
    if (status != ZILCH_OK) {
        zilch_model_destroy(model);
        return status;
    }
    *out = model;
    return ZILCH_OK;
}

/* ---- From parameters -------------------------------------------------------------- */

static zilch_status fill(zilch_model *model, const double *p, const double *mu, const double *sigma,
                         const double *correlation)
{
    const size_t n = 2 * model->dim;
    memcpy(model->p, p, model->dim * sizeof *p);
    memcpy(model->mu, mu, model->dim * sizeof *mu);
    memcpy(model->sigma, sigma, model->dim * sizeof *sigma);
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
    ZI_TRY(check_dim(dim, "create"));
    if (!p || !mu || !sigma) {
        return zi_fail(ZILCH_EARG, "create: p, mu and sigma must be given");
    }
    zilch_model *model;
    ZI_TRY(zi_model_allocate(&model, dim, 0));
    const zilch_status status = fill(model, p, mu, sigma, correlation);
    if (status != ZILCH_OK) {
        zilch_model_destroy(model);
        return status;
    }
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

/* ---- Sampling -------------------------------------------------------------------- */

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

zilch_status zilch_model_sample(const zilch_model *model, zilch_rng *rng, size_t rows, double *x)
{
    if (!model || !rng || (!x && rows)) {
        return zi_fail(ZILCH_EARG, "sample: model, generator and place for the points must be given");
    }
    enum { CACHE = 1 << 15 }; /* doubles in a block */
    const size_t n = 2 * model->dim;
    const size_t fitting = CACHE / n < 256 ? 256 : CACHE / n;
    const size_t block_rows = fitting < rows ? fitting : rows;
    double *latent;
    ZI_TRY(zi_alloc(&latent, block_rows * n));
    for (size_t begin = 0; begin < rows; begin += block_rows) {
        const size_t count = rows - begin < block_rows ? rows - begin : block_rows;
        zilch_rng_normals(rng, count * n, latent);
        zi_multiply_lower(n, count, model->factor, latent);
        for (size_t i = 0; i < count; i++) {
            const double *row = latent + i * n;
            observe(model->dim, row, row + model->dim, model->mu, model->sigma, model->tau,
                    x + (begin + i) * model->dim);
        }
    }
    zi_free(latent);
    return ZILCH_OK;
}
