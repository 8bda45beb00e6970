/* The recovery experiment. Model k has its own random streams and its own place in the arrays, and the scores
 * are added up in order at the end; so threads change nothing. The concordance correlation is Lin's (1989).
 */
#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>

static const double edge[ZILCH_RECOVERY_BINS + 1] = {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0};

typedef struct experiment {
    const zilch_recover_options *options;
    float *truth, *min_p, *recovered[ZILCH_INVERTERS];
    unsigned char *block;
    size_t pairs; /* correlations of one model */
    zilch_watcher watch;
    void *context;
    atomic_size_t done;
} experiment;

zilch_recover_options zilch_recover_defaults(void)
{
    return (zilch_recover_options){.size = sizeof(zilch_recover_options),
                                   .models = 100,
                                   .dim = 32,
                                   .rows = 100000,
                                   .seed = 1,
                                   .decay = 0.6,
                                   .p_max = 1.0,
                                   .shrinkage = ZILCH_SHRINK_NONE,
                                   .projection = ZILCH_WEIGHTED};
}

double zilch_recovery_edge(size_t k)
{
    return k <= ZILCH_RECOVERY_BINS ? edge[k] : 1.0;
}

/* ---- One model ------------------------------------------------------------------- */

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
                *block++ = j < dim ? ZILCH_BLOCK_VV : i < dim ? ZILCH_BLOCK_VM : ZILCH_BLOCK_MM;
            }
        }
    }
}

/* Samples the law, and finds its correlations again by each inverter. */
static zilch_status recover_model(const experiment *e, size_t index, const zilch_model *truth, double *x)
{
    const zilch_recover_options *o = e->options;
    const size_t first = index * e->pairs;
    copy_pairs(zilch_model_correlation(truth), o->dim, e->truth + first);
    describe_pairs(zilch_model_p(truth), o->dim, e->min_p + first, e->block + first);
    zilch_rng rng = zilch_rng_make(o->seed, 2 * index + 1);
    ZI_TRY(zilch_model_sample(truth, &rng, o->rows, x));
    zilch_model_options fit = zilch_model_defaults();
    fit.shrinkage = o->shrinkage;
    fit.projection = o->projection;
    fit.networks = o->networks;
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        zilch_model *fitted;
        fit.inverter = (zilch_inverter)k;
        ZI_TRY(zilch_model_fit(&fitted, o->rows, o->dim, x, NULL, &fit));
        copy_pairs(zilch_model_correlation(fitted), o->dim, e->recovered[k] + first);
        zilch_model_destroy(fitted);
    }
    return ZILCH_OK;
}

static zilch_status run_model(void *context, size_t index)
{
    experiment *e = context;
    const zilch_recover_options *o = e->options;
    zilch_rng rng = zilch_rng_make(o->seed, 2 * index);
    zilch_model *truth;
    double *x = NULL;
    ZI_TRY(zilch_model_random(&truth, o->dim, &rng, o->decay, o->p_min, o->p_max));
    zilch_status status = zi_alloc_bytes(&x, o->rows, o->dim * sizeof *x);
    if (status == ZILCH_OK) {
        status = recover_model(e, index, truth, x);
    }
    zi_free(x);
    zilch_model_destroy(truth);
    const size_t done = atomic_fetch_add(&e->done, 1) + 1;
    if (e->watch && e->watch(e->context, done, o->models) && status == ZILCH_OK) {
        status = zi_fail(ZILCH_ESTOPPED, "recover: stopped");
    }
    return status;
}

/* ---- Scores --------------------------------------------------------------------- */

typedef struct filter {
    int block;        /* or -1 for all */
    double low, high; /* of min_p */
} filter;

static int passes(const filter *f, const zilch_recovery *r, size_t i)
{
    const double p = (double)r->min_p[i];
    return (f->block < 0 || r->block[i] == f->block) && p >= f->low && (p < f->high || f->high == 1.0);
}

/* Lin's concordance correlation: 2 cov / (var + var + (difference of means)^2). */
static zilch_recovery_score score(const zilch_recovery *r, const float *recovered, filter f)
{
    zilch_recovery_score s = {0};
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

static void score_all(zilch_recovery *r)
{
    double sum = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        sum += fabs((double)r->truth[i]);
    }
    r->mean_abs_rho = sum / (double)r->count;
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        zilch_recovery_inverter *inverter = &r->inverter[k];
        inverter->all = score(r, inverter->recovered, (filter){-1, 0.0, 1.0});
        for (int block = 0; block < ZILCH_BLOCKS; block++) {
            inverter->block[block] = score(r, inverter->recovered, (filter){block, 0.0, 1.0});
            for (int bin = 0; bin < ZILCH_RECOVERY_BINS; bin++) {
                const filter f = {block, edge[bin], edge[bin + 1]};
                inverter->bin[bin][block] = score(r, inverter->recovered, f);
            }
        }
    }
}

/* ---- Setting up ------------------------------------------------------------------ */

static zilch_status check_options(const zilch_recover_options *o)
{
    if (o->size != sizeof *o) {
        return zi_fail(ZILCH_EARG, "recover: begin from zilch_recover_defaults()");
    }
    if (o->models < 1 || o->dim < 2 || o->rows < 2) {
        return zi_fail(ZILCH_EARG, "recover: needs a model, two coordinates and two rows, or more");
    }
    if (o->dim > 1000 || o->models > 1000000) {
        return zi_fail(ZILCH_EARG, "recover: at most 1000 coordinates and 1000000 models, not %llu and %llu",
                       (unsigned long long)o->dim, (unsigned long long)o->models);
    }
    return ZILCH_OK;
}

/* One block: the result, then its floats, then its bytes. */
static zilch_status allocate(zilch_recovery **out, size_t count, experiment *e)
{
    enum { ARRAYS = 2 + ZILCH_INVERTERS };
    unsigned char *memory;
    ZI_TRY(zi_alloc(&memory, sizeof **out + count * (ARRAYS * sizeof(float) + 1)));
    zilch_recovery *r = (zilch_recovery *)(void *)memory;
    float *array = (float *)(void *)(memory + sizeof *r);
    e->truth = array;
    e->min_p = array + count;
    e->block = (unsigned char *)(array + ARRAYS * count);
    *r = (zilch_recovery){.count = count, .truth = e->truth, .min_p = e->min_p, .block = e->block};
    for (size_t k = 0; k < ZILCH_INVERTERS; k++) {
        e->recovered[k] = array + (2 + k) * count;
        r->inverter[k].recovered = e->recovered[k];
    }
    *out = r;
    return ZILCH_OK;
}

zilch_status zilch_recover(zilch_recovery **out, const zilch_recover_options *options, zilch_watcher watch,
                           void *context)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "recover: no place for the result given");
    }
    *out = NULL;
    const zilch_recover_options chosen = options ? *options : zilch_recover_defaults();
    ZI_TRY(check_options(&chosen));
    const size_t n = 2 * chosen.dim;
    experiment e = {
        .options = &chosen, .pairs = n * (n - 1) / 2 - chosen.dim, .watch = watch, .context = context};
    zilch_recovery *r;
    ZI_TRY(allocate(&r, chosen.models * e.pairs, &e));
    const zilch_status status = zilch_parallel(chosen.threads, chosen.models, run_model, &e);
    if (status != ZILCH_OK) {
        zi_free(r);
        return status;
    }
    score_all(r);
    *out = r;
    return ZILCH_OK;
}

void zilch_recovery_destroy(zilch_recovery *recovery)
{
    zi_free(recovery);
}
