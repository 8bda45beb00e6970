/* What a generation costs outside the objective: the archive takes the values, the elites are chosen, the law
 * is fitted and drawn from. Beside it the eigendecomposition that the fit of the zig law makes, of the very
 * matrix, where its correlations are not shrunk; shrunk, they may need none. Of the second generation, where
 * no coordinate has settled yet: the dearest. Best of several repetitions, one thread. */
#include "base/memory.h"
#include "math/linalg.h"
#include "model/attenuation.h"
#include "model/invert.h"
#include "model/model.h"
#include "search/optimizer_options.h"
#include "suites.h"

#include <math.h>

typedef struct scene {
    size_t dim, population;
    uint64_t *id;
    double *x, *value;
    double *matrix, *vector, *eigenvalue; /* of order 2 dim */
    zi_margin *margin;
} scene;

/* Anything that tells points apart. */
static void evaluate(scene *s)
{
    for (size_t k = 0; k < s->population; k++) {
        s->value[k] = 0.0;
        for (size_t i = 0; i < s->dim; i++) {
            const double x = s->x[k * s->dim + i];
            s->value[k] += (double)(i + 1) * x * x;
        }
    }
}

static zilch_status time_generation(scene *s, zilch_optimizer *o, double *seconds)
{
    ZI_TRY(zilch_optimizer_ask(o, s->population, s->id, s->x));
    evaluate(s);
    const double start = bench_seconds();
    ZI_TRY(zilch_optimizer_tell(o, s->population, s->id, s->value));
    ZI_TRY(zilch_optimizer_ask(o, s->population, s->id, s->x));
    *seconds = bench_seconds() - start;
    return ZILCH_OK;
}

/* The first points of this generation are the elites: what the law was fitted to. */
static zilch_status time_eigen(scene *s, const zilch_optimizer *o, double *seconds)
{
    const zilch_optimizer_options *options = zilch_optimizer_settings(o);
    const size_t n = 2 * s->dim;
    zilch_model *model;
    size_t first;
    size_t end;
    const zilch_model_options fit = zi_optimizer_options_model(options);
    ZI_TRY(zilch_model_fit(&model, (size_t)options->elites, s->dim, s->x, NULL, &fit));
    for (size_t i = 0; i < s->dim; i++) {
        s->margin[i] = zi_margin_of(model->p[i]);
    }
    const zi_inversion inversion = {s->dim, s->margin, model->observed, NULL, 1};
    zilch_status status = zi_invert(options->inverter, &inversion, s->matrix);
    zilch_model_destroy(model);
    const double start = bench_seconds();
    status = status == ZILCH_OK ? zi_eigen_side(n, s->matrix, 1e-6, s->eigenvalue, s->vector, &first, &end)
                                : status;
    *seconds = bench_seconds() - start;
    return status;
}

typedef struct search_case {
    const char *name;
    zilch_method method;
    size_t dim;
} search_case;

static zilch_status time_once(scene *s, const search_case *c, double *ours, double *eigen)
{
    zilch_optimizer_options options = zilch_method_defaults(c->method);
    zilch_optimizer *o;
    options.inverter = ZILCH_EXACT;
    options.population = s->population;
    ZI_TRY(zilch_optimizer_create(&o, s->dim, 1, &options));
    zilch_status status = time_generation(s, o, ours);
    status = status == ZILCH_OK ? time_eigen(s, o, eigen) : status;
    zilch_optimizer_destroy(o);
    return status;
}

static zilch_status repeat(scene *s, const search_case *c, double *ours, double *eigen)
{
    *ours = *eigen = INFINITY;
    const double start = bench_seconds();
    for (int i = 0; i < BENCH_REPEATS || bench_seconds() - start < BENCH_SECONDS; i++) {
        double once;
        double bare = 0.0;
        ZI_TRY(time_once(s, c, &once, &bare));
        *ours = fmin(*ours, once);
        *eigen = fmin(*eigen, bare);
    }
    return ZILCH_OK;
}

static zilch_status allocate(scene *s)
{
    const size_t square = 4 * s->dim * s->dim;
    ZI_TRY(zi_alloc(&s->id, s->population));
    ZI_TRY(zi_alloc(&s->margin, s->dim));
    ZI_TRY(zi_alloc(&s->x, s->population * (s->dim + 1) + 2 * square + 2 * s->dim));
    s->value = s->x + s->population * s->dim;
    s->matrix = s->value + s->population;
    s->vector = s->matrix + square;
    s->eigenvalue = s->vector + square;
    return ZILCH_OK;
}

static const search_case cases[] = {
    {"published, exact", ZILCH_METHOD_PUBLISHED, 90},
    {"default", ZILCH_METHOD_DEFAULT, 90},
    {"gaussian", ZILCH_METHOD_GAUSSIAN, 90},
    {"adhoc", ZILCH_METHOD_ADHOC, 90},
    {"ea", ZILCH_METHOD_EA, 90},
    {"published, exact", ZILCH_METHOD_PUBLISHED, 1000},
    {"default", ZILCH_METHOD_DEFAULT, 1000},
};
enum { CASES = sizeof cases / sizeof *cases };

static zilch_status run_search_case(size_t index, bench_row *row)
{
    const search_case *c = &cases[index];
    scene s = {.dim = c->dim, .population = 500};
    double ours = 0.0;
    double eigen = 0.0;
    zilch_status status = allocate(&s);
    status = status == ZILCH_OK ? repeat(&s, c, &ours, &eigen) : status;
    zi_free(s.id);
    zi_free(s.margin);
    zi_free(s.x);
    snprintf(row->name, sizeof row->name, "generation %s d = %zu", c->name, c->dim);
    row->value = 1e3 * ours;
    row->limit = 1e3 * eigen;
    row->unit = "ms";
    return status;
}

const bench_suite bench_search = {
    "search", "a generation of 500 outside the objective, against the eigendecomposition in zig's fit", CASES,
    run_search_case};
