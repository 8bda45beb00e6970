/* The recovery experiment. Model k has its own random streams and its own place in the
 * arrays, and the scores are added up in order at the end; so threads change nothing. */
#include "recover.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

const char *const recover_block_name[RECOVER_BLOCKS] = {"vv", "vm", "mm"};
const double recover_bin_edge[RECOVER_BINS + 1] = {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0};

typedef struct experiment {
    const recover_setting *setting;
    recover_result *result;
    size_t pairs; /* correlations of one model */
    recover_progress progress;
    void *context;
    atomic_size_t done;
} experiment;

static int block_of(size_t i, size_t j, size_t dim)
{
    return j < dim ? RECOVER_VV : i < dim ? RECOVER_VM : RECOVER_MM;
}

/* Copies the upper triangle, without corr(V_i, M_i), which is no estimate. */
static void copy_pairs(const double *matrix, size_t dim, float *out)
{
    const size_t n = 2 * dim;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (j != i + dim) {
                *out++ = (float)matrix[i * n + j];
            }
        }
    }
}

static void describe_pairs(const double *p, size_t dim, float *min_p, unsigned char *block)
{
    const size_t n = 2 * dim;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (j != i + dim) {
                *min_p++ = (float)fmin(p[i % dim], p[j % dim]);
                *block++ = (unsigned char)block_of(i, j, dim);
            }
        }
    }
}

static zilch_status fit_each(experiment *e, size_t index, const double *x)
{
    const recover_setting *s = e->setting;
    zilch_model_options options = zilch_model_defaults();
    options.shrinkage = s->shrinkage;
    options.projection = s->projection;
    options.networks = s->networks;
    zilch_status status = ZILCH_OK;
    for (int k = 0; k < RECOVER_INVERTERS && status == ZILCH_OK; k++) {
        recover_inverter *inverter = &e->result->inverter[k];
        zilch_model *fitted = NULL;
        options.inverter = (zilch_inverter)k;
        status = zilch_model_fit(&fitted, s->rows, s->dim, x, NULL, &options);
        if (status == ZILCH_OK) {
            copy_pairs(zilch_model_correlation(fitted), s->dim, inverter->recovered + index * e->pairs);
        }
        zilch_model_destroy(fitted);
    }
    return status;
}

static zilch_status recover_model(experiment *e, size_t index, const zilch_model *truth)
{
    const recover_setting *s = e->setting;
    const size_t first = index * e->pairs;
    copy_pairs(zilch_model_correlation(truth), s->dim, e->result->truth + first);
    describe_pairs(zilch_model_p(truth), s->dim, e->result->min_p + first, e->result->block + first);
    double *x = calloc(s->rows, s->dim * sizeof *x);
    if (!x) {
        return ZILCH_ENOMEM;
    }
    zilch_rng rng = zilch_rng_make(s->seed, 2 * index + 1);
    zilch_status status = zilch_model_sample(truth, &rng, s->rows, x);
    if (status == ZILCH_OK) {
        status = fit_each(e, index, x);
    }
    free(x);
    return status;
}

static zilch_status run_model(void *context, size_t index)
{
    experiment *e = context;
    const recover_setting *s = e->setting;
    zilch_rng rng = zilch_rng_make(s->seed, 2 * index);
    zilch_model *truth;
    zilch_status status = zilch_model_random(&truth, s->dim, &rng, s->decay, s->p_min, s->p_max);
    if (status == ZILCH_OK) {
        status = recover_model(e, index, truth);
    }
    zilch_model_destroy(truth);
    e->progress(e->context, atomic_fetch_add(&e->done, 1) + 1);
    return status;
}

/* ---- Scores --------------------------------------------------------------------- */

typedef struct filter {
    int block;        /* or -1 for all */
    double low, high; /* of min_p */
} filter;

static int passes(const filter *f, const recover_result *r, size_t i)
{
    const double p = (double)r->min_p[i];
    return (f->block < 0 || r->block[i] == f->block) && p >= f->low && (p < f->high || f->high == 1.0);
}

/* Lin's concordance correlation: 2 cov / (var + var + (difference of means)^2). */
static recover_score score(const recover_result *r, const float *recovered, filter f)
{
    recover_score s = {0};
    double mean_true = 0.0;
    double mean_found = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        if (passes(&f, r, i)) {
            const double error = (double)recovered[i] - (double)r->truth[i];
            s.count++;
            s.mae += fabs(error);
            s.mse += error * error;
            mean_true += (double)r->truth[i];
            mean_found += (double)recovered[i];
        }
    }
    const double count = (double)s.count;
    mean_true /= count;
    mean_found /= count;
    double spread = 0.0;
    double shared = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        if (passes(&f, r, i)) {
            const double a = (double)r->truth[i] - mean_true;
            const double b = (double)recovered[i] - mean_found;
            spread += a * a + b * b;
            shared += a * b;
        }
    }
    const double shift = mean_true - mean_found;
    s.mae /= count;
    s.mse /= count;
    s.ccc = 2.0 * shared / (spread + count * shift * shift);
    return s;
}

static void score_inverter(const recover_result *r, recover_inverter *inverter)
{
    inverter->all = score(r, inverter->recovered, (filter){-1, 0.0, 1.0});
    for (int block = 0; block < RECOVER_BLOCKS; block++) {
        inverter->block[block] = score(r, inverter->recovered, (filter){block, 0.0, 1.0});
        for (int bin = 0; bin < RECOVER_BINS; bin++) {
            const filter f = {block, recover_bin_edge[bin], recover_bin_edge[bin + 1]};
            inverter->bin[bin][block] = score(r, inverter->recovered, f);
        }
    }
}

static void score_all(recover_result *r)
{
    double sum = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        sum += fabs((double)r->truth[i]);
    }
    r->mean_abs_rho = sum / (double)r->count;
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        score_inverter(r, &r->inverter[k]);
    }
}

/* ---- Setting up ------------------------------------------------------------------ */

static zilch_status allocate(recover_result *r, size_t count)
{
    r->count = count;
    r->truth = calloc(count, sizeof *r->truth);
    r->min_p = calloc(count, sizeof *r->min_p);
    r->block = calloc(count, sizeof *r->block);
    int missing = !r->truth || !r->min_p || !r->block;
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        recover_inverter *inverter = &r->inverter[k];
        inverter->recovered = calloc(count, sizeof *inverter->recovered);
        missing |= !inverter->recovered;
    }
    return missing ? ZILCH_ENOMEM : ZILCH_OK;
}

zilch_status recover_run(const recover_setting *setting, recover_progress progress, void *context,
                         recover_result *result)
{
    *result = (recover_result){0};
    const size_t n = 2 * setting->dim;
    experiment e = {.setting = setting,
                    .result = result,
                    .pairs = n * (n - 1) / 2 - setting->dim,
                    .progress = progress,
                    .context = context};
    zilch_status status = allocate(result, setting->models * e.pairs);
    if (status == ZILCH_OK) {
        status = zilch_parallel((unsigned)setting->threads, setting->models, run_model, &e);
    }
    if (status == ZILCH_OK) {
        score_all(result);
    }
    return status;
}

void recover_free(recover_result *result)
{
    free(result->truth);
    free(result->min_p);
    free(result->block);
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        free(result->inverter[k].recovered);
    }
}
