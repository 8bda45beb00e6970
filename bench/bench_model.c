/* How long fit and sample take, each beside the bare BLAS and LAPACK calls that it cannot
 * avoid: for a fit the symmetric product of the standardised data (dsyrk) and the
 * eigendecomposition (dsyevd) of the very matrix the fit has to project; for a sample the
 * normals and their product with the factor (dtrmm). And the inversion of all pairs, exact and
 * amortised, either beside the exact one. Best of several repetitions, both sides in turn, one
 * thread. */
#include "base/memory.h"
#include "math/linalg.h"
#include "model/invert.h"
#include "model/model.h"
#include "suites.h"

#include <math.h>
#include <string.h>

typedef struct timing {
    double ours, bare;
} timing;

typedef struct scene {
    size_t dim, rows, n;
    zilch_model *law, *fitted;
    double *x;         /* rows x dim points */
    double *y;         /* rows x n normals */
    double *matrix;    /* n x n */
    double *value;     /* n */
    zi_margin *margin; /* dim, of the fitted p */
} scene;

static zilch_status repeat(zilch_status (*once)(scene *s, timing *t), scene *s, timing *best)
{
    *best = (timing){INFINITY, INFINITY};
    const double start = bench_seconds();
    for (int i = 0; i < BENCH_REPEATS || bench_seconds() - start < BENCH_SECONDS; i++) {
        timing t;
        ZI_TRY(once(s, &t));
        best->ours = fmin(best->ours, t.ours);
        best->bare = fmin(best->bare, t.bare);
    }
    return ZILCH_OK;
}

/* From the fit's observed correlations to latent ones: what the projection is given. */
static zilch_status invert(scene *s, zilch_inverter inverter)
{
    const zi_inversion inversion = {s->dim, s->margin, s->fitted->observed, NULL, 0};
    return zi_invert(inverter, &inversion, s->matrix);
}

static zilch_status fit(scene *s)
{
    zilch_model_destroy(s->fitted);
    s->fitted = NULL;
    return zilch_model_fit(&s->fitted, s->rows, s->dim, s->x, NULL, NULL);
}

static zilch_status time_fit(scene *s, timing *t)
{
    double start = bench_seconds();
    ZI_TRY(fit(s));
    t->ours = bench_seconds() - start;

    zilch_rng rng = zilch_rng_make(3, 0);
    zilch_rng_normals(&rng, s->rows * s->n, s->y);
    start = bench_seconds();
    zi_rank_update(s->n, s->rows, 1.0, s->y, 0.0, s->matrix);
    t->bare = bench_seconds() - start;

    ZI_TRY(invert(s, ZILCH_EXACT));
    start = bench_seconds();
    ZI_TRY(zi_eigen(s->n, s->matrix, s->value));
    t->bare += bench_seconds() - start;
    return ZILCH_OK;
}

static zilch_status time_sample(scene *s, timing *t)
{
    zilch_rng rng = zilch_rng_make(4, 0);
    double start = bench_seconds();
    ZI_TRY(zilch_model_sample(s->fitted, &rng, s->rows, s->x));
    t->ours = bench_seconds() - start;

    start = bench_seconds();
    zilch_rng_normals(&rng, s->rows * s->n, s->y);
    zi_multiply_lower(s->n, s->rows, s->fitted->factor, s->y);
    t->bare = bench_seconds() - start;
    return ZILCH_OK;
}

static zilch_status time_inversion(scene *s, zilch_inverter inverter, timing *t)
{
    double start = bench_seconds();
    ZI_TRY(invert(s, inverter));
    t->ours = bench_seconds() - start;

    start = bench_seconds();
    ZI_TRY(invert(s, ZILCH_EXACT));
    t->bare = bench_seconds() - start;
    return ZILCH_OK;
}

static zilch_status time_exact(scene *s, timing *t)
{
    return time_inversion(s, ZILCH_EXACT, t);
}

static zilch_status time_amortised(scene *s, timing *t)
{
    return time_inversion(s, ZILCH_AMORTISED, t);
}

/* A law with independent latents, three in ten active, and points of it. */
static zilch_status draw_points(scene *s)
{
    for (size_t i = 0; i < s->dim; i++) {
        s->value[i] = 0.3;
        s->value[s->dim + i] = 2.0;
    }
    memset(s->y, 0, s->dim * sizeof *s->y);
    ZI_TRY(zilch_model_create(&s->law, s->dim, s->value, s->y, s->value + s->dim, NULL));
    zilch_rng rng = zilch_rng_make(2, 0);
    return zilch_model_sample(s->law, &rng, s->rows, s->x);
}

static zilch_status prepare(scene *s)
{
    ZI_TRY(draw_points(s));
    ZI_TRY(fit(s));
    for (size_t i = 0; i < s->dim; i++) {
        s->margin[i] = zi_margin_of(s->fitted->p[i]);
    }
    return ZILCH_OK;
}

static zilch_status run_scene(scene *s, zilch_status (*once)(scene *s, timing *t), timing *best)
{
    double *block;
    ZI_TRY(zi_alloc(&block, s->rows * s->dim + s->rows * s->n + s->n * s->n + s->n));
    s->x = block;
    s->y = s->x + s->rows * s->dim;
    s->matrix = s->y + s->rows * s->n;
    s->value = s->matrix + s->n * s->n;
    zilch_status status = zi_alloc(&s->margin, s->dim);
    if (status == ZILCH_OK) {
        status = prepare(s);
    }
    if (status == ZILCH_OK) {
        status = repeat(once, s, best);
    }
    zilch_model_destroy(s->law);
    zilch_model_destroy(s->fitted);
    zi_free(s->margin);
    zi_free(block);
    return status;
}

static const struct model_case {
    const char *name;
    size_t dim, rows;
    zilch_status (*once)(scene *s, timing *t);
} cases[] = {
    {"fit", 32, 100000, time_fit},
    {"sample", 32, 100000, time_sample},
    {"fit", 90, 100, time_fit},
    {"invert exact", 90, 100, time_exact},
    {"invert amortised", 90, 100, time_amortised},
    {"sample", 90, 100, time_sample},
    {"fit", 200, 400, time_fit},
    {"sample", 200, 400, time_sample},
    {"fit", 1000, 2000, time_fit},
    {"sample", 1000, 2000, time_sample},
};
enum { CASES = sizeof cases / sizeof *cases };

static zilch_status run_model_case(size_t index, bench_row *row)
{
    const struct model_case *c = &cases[index];
    scene s = {.dim = c->dim, .rows = c->rows, .n = 2 * c->dim};
    timing best = {0};
    ZI_TRY(run_scene(&s, c->once, &best));
    snprintf(row->name, sizeof row->name, "%s %zu x %zu", c->name, c->dim, c->rows);
    row->value = 1e3 * best.ours;
    row->limit = 1e3 * best.bare;
    row->unit = "ms";
    return ZILCH_OK;
}

const bench_suite bench_model = {
    "model",
    "fit against dsyrk + dsyevd, sample against drawing normals + dtrmm, inversions against the exact one",
    CASES, run_model_case};
