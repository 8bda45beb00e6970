/* What a generation costs outside the objective with each structure of the correlations, by the number of
 * coordinates. Beside it the normal numbers that its points are made of: two for each coordinate of each
 * point. Of the second generation, where no coordinate has settled yet: the dearest. Best of a few, one
 * thread. */
#include "base/memory.h"
#include "suites.h"

#include <math.h>

typedef struct scene {
    size_t dim, population;
    uint64_t *id;
    double *x, *value;
} scene;

typedef struct large_case {
    zilch_structure structure;
    size_t dim;
} large_case;

static const large_case cases[] = {{ZILCH_STRUCTURE_FULL, 100},       {ZILCH_STRUCTURE_LOW_RANK, 100},
                                   {ZILCH_STRUCTURE_DIAGONAL, 100},   {ZILCH_STRUCTURE_FULL, 1000},
                                   {ZILCH_STRUCTURE_LOW_RANK, 1000},  {ZILCH_STRUCTURE_DIAGONAL, 1000},
                                   {ZILCH_STRUCTURE_LOW_RANK, 5000},  {ZILCH_STRUCTURE_DIAGONAL, 5000},
                                   {ZILCH_STRUCTURE_LOW_RANK, 10000}, {ZILCH_STRUCTURE_DIAGONAL, 10000}};

static void evaluate(scene *s)
{
    for (size_t k = 0; k < s->population; k++) {
        s->value[k] = 0.0;
        for (size_t i = 0; i < s->dim; i++) {
            const double x = s->x[k * s->dim + i];
            s->value[k] += x * x;
        }
    }
}

static zilch_status time_once(scene *s, const large_case *c, double *ours)
{
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_optimizer *o;
    options.population = s->population;
    options.structure = c->structure;
    ZI_TRY(zilch_optimizer_create(&o, s->dim, 1, &options));
    zilch_status status = zilch_optimizer_ask(o, s->population, s->id, s->x);
    evaluate(s);
    const double start = bench_seconds();
    status = status == ZILCH_OK ? zilch_optimizer_tell(o, s->population, s->id, s->value) : status;
    status = status == ZILCH_OK ? zilch_optimizer_ask(o, s->population, s->id, s->x) : status;
    *ours = fmin(*ours, bench_seconds() - start);
    zilch_optimizer_destroy(o);
    return status;
}

static double time_normals(scene *s)
{
    zilch_rng rng = zilch_rng_make(1, 0);
    const double start = bench_seconds();
    zilch_rng_normals(&rng, s->population * s->dim, s->x);
    zilch_rng_normals(&rng, s->population * s->dim, s->x);
    return bench_seconds() - start;
}

static zilch_status run_large_case(size_t index, bench_row *row)
{
    const large_case *c = &cases[index];
    scene s = {.dim = c->dim, .population = 500};
    double ours = INFINITY;
    double limit = INFINITY;
    ZI_TRY(zi_alloc(&s.x, s.population * (s.dim + 1)));
    s.value = s.x + s.population * s.dim;
    zilch_status status = zi_alloc(&s.id, s.population);
    for (int i = 0; i < 3 && status == ZILCH_OK; i++) {
        status = time_once(&s, c, &ours);
        limit = fmin(limit, time_normals(&s));
    }
    zi_free(s.id);
    zi_free(s.x);
    snprintf(row->name, sizeof row->name, "%s d = %zu", zilch_structure_name(c->structure), c->dim);
    row->value = 1e3 * ours;
    row->limit = 1e3 * limit;
    row->unit = "ms";
    return status;
}

const bench_suite bench_large = {
    "large", "a generation of 500 outside the objective, against the normal numbers in its points",
    sizeof cases / sizeof *cases, run_large_case};
