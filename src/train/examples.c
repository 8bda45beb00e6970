/* The examples. Each has a random stream of its own, so they are the same for any number of
 * threads. A latent matrix is drawn from the grid until it is positive semidefinite. Observed correlations
 * are the closed forms, or come from the code that draws from a law and looks at data, with a law of two
 * coordinates. */
#include "train/examples.h"

#include "base/memory.h"
#include "base/simd.h"
#include "model/moments.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    GRID_STEPS = 64,         /* of the latent correlations: -1, -1 + 1/32, ... 1 */
    P_STEPS = 128,           /* of the activation probabilities */
    MOST_NOISE_ROWS = 4096,  /* more are simulated by scaling the noise of so many */
    SIMULATED_ROWS = 100000, /* as published */
    CHUNK = 64,              /* examples in a job */
};
static const double most_examples = 1e8;
static const double most_rows = 1e8;

zilch_examples_options zilch_examples_defaults(void)
{
    return (zilch_examples_options){
        .size = sizeof(zilch_examples_options), .labels = ZILCH_LABELS_EXACT, .count = 200000, .seed = 1};
}

zilch_status zi_examples_settle(zilch_examples_options *options)
{
    if (options->size != sizeof *options) {
        return zi_fail(ZILCH_EARG, "examples: begin from zilch_examples_defaults()");
    }
    if (!zilch_labels_name(options->labels)) {
        return zi_fail(ZILCH_EARG, "examples: labels are none of the known ones");
    }
    if (options->count < 5 || (double)options->count > most_examples) {
        return zi_fail(ZILCH_EARG, "examples: their number must be 5 to %.0f", most_examples);
    }
    if (options->labels == ZILCH_LABELS_SIMULATED && options->rows == 0) {
        options->rows = SIMULATED_ROWS;
    }
    if ((double)options->rows > most_rows) {
        return zi_fail(ZILCH_EARG, "examples: a sample has at most %.0f rows", most_rows);
    }
    if (options->rows == 1) {
        return zi_fail(ZILCH_EARG, "examples: a sample of one row has no correlations; take 2 or more");
    }
    return ZILCH_OK;
}

/* ---- Latent correlations and probabilities, from grids -------------------------------- */

static size_t draw_index(zilch_rng *rng, size_t count)
{
    return (size_t)(zilch_rng_uniform(rng) * (double)count);
}

static double draw_correlation(zilch_rng *rng)
{
    return 2.0 * (double)draw_index(rng, GRID_STEPS + 1) / GRID_STEPS - 1.0;
}

/* (1 - cos t) / 2 at the middles of equal steps of t in (0, pi): twice as dense at 0.07 as at 1/2. */
static double draw_probability(zilch_rng *rng)
{
    double sine;
    double cosine;
    zi_sincos_quarters(2.0 * ((double)draw_index(rng, P_STEPS) + 0.5) / P_STEPS, &sine, &cosine);
    return 0.5 * (1.0 - cosine);
}

/* Of the matrix with these correlations and corr(V_i, M_i) = 0: a ring V_i - V_j - M_i - M_j - V_i.
 * All principal minors must not be negative. */
static int is_semidefinite(const zi_correlations *c)
{
    const double vv = c->vv * c->vv;
    const double ij = c->vm_ij * c->vm_ij;
    const double ji = c->vm_ji * c->vm_ji;
    const double mm = c->mm * c->mm;
    const double determinant =
        1.0 - vv - ij - ji - mm + vv * mm + ij * ji - 2.0 * c->vv * c->vm_ij * c->vm_ji * c->mm;
    return vv + ji <= 1.0 && vv + ij <= 1.0 && mm + ij <= 1.0 && mm + ji <= 1.0 && determinant >= 0.0;
}

/* One of the four comes from its whole grid, whatever the others would allow; the others are drawn
 * until they fit. Drawing all four at once would hardly ever give one near -1 or 1. */
static zi_correlations draw_latent(size_t leading, zilch_rng *rng)
{
    double c[4];
    zi_correlations drawn;
    c[leading] = draw_correlation(rng);
    do {
        for (size_t k = 1; k < 4; k++) {
            c[(leading + k) % 4] = draw_correlation(rng);
        }
        drawn = (zi_correlations){.mm = c[0], .vm_ij = c[1], .vm_ji = c[2], .vv = c[3]};
    } while (!is_semidefinite(&drawn));
    return drawn;
}

/* ---- Observed correlations ---------------------------------------------------------------- */

/* The example's law, sampled: the activation shares and the observed correlations. */
static zilch_status simulate(const zi_example *e, size_t rows, zilch_rng *rng, double *p,
                             zi_correlations *observed)
{
    const zi_correlations *c = &e->latent;
    const double probability[2] = {e->p_i, e->p_j};
    const double mu[2] = {0.0, 0.0};
    const double sigma[2] = {1.0, 1.0};
    const double correlation[4][4] = {{1.0, c->vv, 0.0, c->vm_ij},
                                      {c->vv, 1.0, c->vm_ji, 0.0},
                                      {0.0, c->vm_ji, 1.0, c->mm},
                                      {c->vm_ij, 0.0, c->mm, 1.0}};
    zilch_model *law;
    double *x = NULL;
    ZI_TRY(zilch_model_create(&law, 2, probability, mu, sigma, correlation[0]));
    zilch_status status = zi_alloc(&x, 2 * rows);
    const zi_data data = {.rows = rows, .cols = 2, .x = x};
    double found_mu[2], found_sigma[2], matrix[4][4];
    status = status == ZILCH_OK ? zilch_model_sample(law, rng, rows, x) : status;
    status = status == ZILCH_OK ? zi_marginals(&data, (double)rows, p, found_mu, found_sigma) : status;
    status =
        status == ZILCH_OK ? zi_observed(&data, (double)rows, p, found_mu, found_sigma, matrix[0]) : status;
    if (status == ZILCH_OK) {
        *observed = (zi_correlations){
            .vv = matrix[0][1], .vm_ij = matrix[0][3], .vm_ji = matrix[1][2], .mm = matrix[2][3]};
    }
    zi_free(x);
    zilch_model_destroy(law);
    return status;
}

static double bounded(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The noise of `rows` rows: that of a smaller sample, scaled by the root of the ratio. */
static zilch_status add_noise(size_t rows, zilch_rng *rng, zi_example *e)
{
    const size_t drawn = rows < MOST_NOISE_ROWS ? rows : MOST_NOISE_ROWS;
    const double scale = sqrt((double)drawn / (double)rows);
    double p[2];
    zi_correlations seen;
    ZI_TRY(simulate(e, drawn, rng, p, &seen));
    zi_correlations *o = &e->observed;
    e->p_i = bounded(e->p_i + scale * (p[0] - e->p_i), 0.0, 1.0);
    e->p_j = bounded(e->p_j + scale * (p[1] - e->p_j), 0.0, 1.0);
    o->mm = bounded(o->mm + scale * (seen.mm - o->mm), -1.0, 1.0);
    o->vm_ij = bounded(o->vm_ij + scale * (seen.vm_ij - o->vm_ij), -1.0, 1.0);
    o->vm_ji = bounded(o->vm_ji + scale * (seen.vm_ji - o->vm_ji), -1.0, 1.0);
    o->vv = bounded(o->vv + scale * (seen.vv - o->vv), -1.0, 1.0);
    return ZILCH_OK;
}

zilch_status zi_example_make(const zilch_examples_options *options, uint64_t index, zi_example *out)
{
    assert(options->count > index && options->rows != 1 && out);
    zilch_rng rng = zilch_rng_make(options->seed, index);
    out->latent = draw_latent(index % 4, &rng);
    out->p_i = draw_probability(&rng);
    out->p_j = draw_probability(&rng);
    if (options->labels == ZILCH_LABELS_SIMULATED) {
        double p[2];
        ZI_TRY(simulate(out, options->rows, &rng, p, &out->observed));
        out->p_i = p[0];
        out->p_j = p[1];
        return ZILCH_OK;
    }
    const zi_correlations *c = &out->latent;
    out->observed = (zi_correlations){
        .mm = zilch_attenuate_mm(out->p_i, out->p_j, c->mm),
        .vm_ij = zilch_attenuate_vm(out->p_i, out->p_j, c->vm_ij, c->mm),
        .vm_ji = zilch_attenuate_vm(out->p_j, out->p_i, c->vm_ji, c->mm),
        .vv = zilch_attenuate_vv(out->p_i, out->p_j, c->vv, c->vm_ji, c->vm_ij, c->mm),
    };
    return options->rows ? add_noise(options->rows, &rng, out) : ZILCH_OK;
}

/* ---- All of them ------------------------------------------------------------------------- */

enum { P_I, P_J, MM, VM_IJ, VM_JI, VV, LATENT_MM, LATENT_VM, LATENT_VV, COLUMNS };

typedef struct job {
    zilch_examples *examples;
    atomic_size_t done;
    zilch_watcher watch;
    void *context;
} job;

static void store(const zi_example *e, size_t count, size_t index, float *column)
{
    const double value[COLUMNS] = {[P_I] = e->p_i,
                                   [P_J] = e->p_j,
                                   [MM] = e->observed.mm,
                                   [VM_IJ] = e->observed.vm_ij,
                                   [VM_JI] = e->observed.vm_ji,
                                   [VV] = e->observed.vv,
                                   [LATENT_MM] = e->latent.mm,
                                   [LATENT_VM] = e->latent.vm_ij,
                                   [LATENT_VV] = e->latent.vv};
    for (size_t c = 0; c < COLUMNS; c++) {
        column[c * count + index] = (float)value[c];
    }
}

static zilch_status make_chunk(void *context, size_t index)
{
    job *j = context;
    const zilch_examples_options *options = &j->examples->options;
    const size_t first = index * CHUNK;
    const size_t end = first + CHUNK < options->count ? first + CHUNK : options->count;
    for (size_t i = first; i < end; i++) {
        zi_example example;
        ZI_TRY(zi_example_make(options, i, &example));
        store(&example, options->count, i, j->examples->column);
        if (j->watch && j->watch(j->context, atomic_fetch_add(&j->done, 1) + 1, options->count)) {
            return zi_fail(ZILCH_ESTOPPED, "examples: stopped");
        }
    }
    return ZILCH_OK;
}

static zilch_status allocate(zilch_examples **out, const zilch_examples_options *options)
{
    zilch_examples *e;
    const size_t n = options->count;
    ZI_TRY(zi_alloc(&e, 1));
    *e = (zilch_examples){.options = *options};
    const zilch_status status = zi_alloc(&e->column, COLUMNS * n);
    if (status != ZILCH_OK) {
        zi_free(e);
        return status;
    }
    const float *column = e->column;
    e->observed = (zi_pairs){n,
                             column + P_I * n,
                             column + P_J * n,
                             column + MM * n,
                             column + VM_IJ * n,
                             column + VM_JI * n,
                             column + VV * n};
    e->answer[ZILCH_BLOCK_MM] = column + LATENT_MM * n;
    e->answer[ZILCH_BLOCK_VM] = column + LATENT_VM * n;
    e->answer[ZILCH_BLOCK_VV] = column + LATENT_VV * n;
    *out = e;
    return ZILCH_OK;
}

zilch_status zilch_examples_create(zilch_examples **out, const zilch_examples_options *options,
                                   unsigned threads, zilch_watcher watch, void *context)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "examples: no place for them given");
    }
    *out = NULL;
    zilch_examples_options chosen = options ? *options : zilch_examples_defaults();
    ZI_TRY(zi_examples_settle(&chosen));
    job j = {.watch = watch, .context = context};
    ZI_TRY(allocate(&j.examples, &chosen));
    const zilch_status status = zilch_parallel(threads, (chosen.count + CHUNK - 1) / CHUNK, make_chunk, &j);
    if (status != ZILCH_OK) {
        zilch_examples_destroy(j.examples);
        return status;
    }
    *out = j.examples;
    return ZILCH_OK;
}

void zilch_examples_destroy(zilch_examples *examples)
{
    if (examples) {
        zi_free(examples->column);
        zi_free(examples);
    }
}
