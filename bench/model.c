/* How long fit and sample take, each beside the bare BLAS and LAPACK calls that it cannot
 * avoid: for a fit the symmetric product of the standardised data (dsyrk) and the
 * eigendecomposition (dsyevd) of the very matrix the fit has to project; for a sample the
 * normals and their product with the factor (dtrmm). Best of several repetitions, both
 * sides in turn, one thread. */
#include "model/model.h"
#include "base/memory.h"
#include "bench.h"
#include "math/linalg.h"
#include "model/invert.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const struct shape {
    size_t dim, rows;
} shapes[] = {{32, 100000}, {90, 100}, {200, 400}, {1000, 2000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Repeat for about this long, but at least this often. */
static const double enough_seconds = 1.0;
enum { LEAST_REPEATS = 3 };

typedef struct timing {
    double ours, bare;
} timing;

typedef struct scene {
    size_t dim, rows, n;
    zilch_model *law, *fitted;
    double *x;      /* rows x dim points */
    double *y;      /* rows x n normals */
    double *matrix; /* n x n */
    double *value;  /* n */
} scene;

static zilch_status repeat(zilch_status (*once)(scene *s, timing *t), scene *s, timing *best)
{
    *best = (timing){INFINITY, INFINITY};
    const double start = seconds();
    for (int i = 0; i < LEAST_REPEATS || seconds() - start < enough_seconds; i++) {
        timing t;
        ZI_TRY(once(s, &t));
        best->ours = fmin(best->ours, t.ours);
        best->bare = fmin(best->bare, t.bare);
    }
    return ZILCH_OK;
}

/* The matrix that the projection is given: the inverted correlations. */
static zilch_status inverted(const zilch_model *fitted, double *out)
{
    zi_margin *margin;
    ZI_TRY(zi_alloc(&margin, fitted->dim));
    for (size_t i = 0; i < fitted->dim; i++) {
        margin[i] = zi_margin_of(fitted->p[i]);
    }
    const zilch_status status = zi_invert(ZILCH_EXACT, fitted->dim, margin, fitted->observed, out);
    zi_free(margin);
    return status;
}

static zilch_status time_fit(scene *s, timing *t)
{
    zilch_model_destroy(s->fitted);
    s->fitted = NULL;
    double start = seconds();
    ZI_TRY(zilch_model_fit(&s->fitted, s->rows, s->dim, s->x, NULL, NULL));
    t->ours = seconds() - start;

    zilch_rng rng = zilch_rng_make(3, 0);
    zilch_rng_normals(&rng, s->rows * s->n, s->y);
    start = seconds();
    zi_rank_update(s->n, s->rows, 1.0, s->y, 0.0, s->matrix);
    t->bare = seconds() - start;

    ZI_TRY(inverted(s->fitted, s->matrix));
    start = seconds();
    ZI_TRY(zi_eigen(s->n, s->matrix, s->value));
    t->bare += seconds() - start;
    return ZILCH_OK;
}

static zilch_status time_sample(scene *s, timing *t)
{
    zilch_rng rng = zilch_rng_make(4, 0);
    double start = seconds();
    ZI_TRY(zilch_model_sample(s->fitted, &rng, s->rows, s->x));
    t->ours = seconds() - start;

    start = seconds();
    zilch_rng_normals(&rng, s->rows * s->n, s->y);
    zi_multiply_lower(s->n, s->rows, s->fitted->factor, s->y);
    t->bare = seconds() - start;
    return ZILCH_OK;
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

static zilch_status run_scene(scene *s, int sampling, timing *best)
{
    double *block;
    ZI_TRY(zi_alloc(&block, s->rows * s->dim + s->rows * s->n + s->n * s->n + s->n));
    s->x = block;
    s->y = s->x + s->rows * s->dim;
    s->matrix = s->y + s->rows * s->n;
    s->value = s->matrix + s->n * s->n;
    zilch_status status = draw_points(s);
    timing once;
    if (status == ZILCH_OK) {
        status = sampling ? time_fit(s, &once) : repeat(time_fit, s, best);
    }
    if (status == ZILCH_OK && sampling) {
        status = repeat(time_sample, s, best);
    }
    zilch_model_destroy(s->law);
    zilch_model_destroy(s->fitted);
    zi_free(block);
    return status;
}

static zilch_status run_model_case(size_t index, bench_row *row)
{
    const struct shape *shape = &shapes[index / 2];
    const int sampling = index % 2 == 1;
    scene s = {.dim = shape->dim, .rows = shape->rows, .n = 2 * shape->dim};
    timing best = {0};
    ZI_TRY(run_scene(&s, sampling, &best));
    snprintf(row->name, sizeof row->name, "%s %zu x %zu", sampling ? "sample" : "fit", shape->dim,
             shape->rows);
    row->value = 1e3 * best.ours;
    row->limit = 1e3 * best.bare;
    row->unit = "ms";
    return ZILCH_OK;
}

const bench_suite bench_suites[] = {
    {"model", "fit against dsyrk + dsyevd, sample against drawing normals + dtrmm", (size_t)2 * SHAPES,
     run_model_case},
    {NULL, NULL, 0, NULL},
};
