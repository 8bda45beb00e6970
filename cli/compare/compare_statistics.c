/* Figures over the runs of a method. The order of runs is that of their costs: a fitness that is no number is
 * worse than any that is. */
#include "compare/compare.h"

#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void compare_usual_targets(compare_setting *s)
{
    static const double returns[] = {200.0, 250.0, 300.0};
    static const double distances[] = {1e-2, 1e-4, 1e-8};
    const int is_lander = strcmp(s->info.name, "lander") == 0;
    const int is_program = strcmp(s->info.name, "program") == 0;
    if (is_lander || !(s->info.is_noisy || is_program || search_is_regression(s->info.name))) {
        memcpy(s->target, is_lander ? returns : distances, sizeof returns);
        s->targets = sizeof returns / sizeof *returns;
    }
}

/* ---- Runs ----------------------------------------------------------------------------------------- */

typedef enum figure { FITNESS, VALUE, ACTIVE, EVALUATIONS, SUPPORT } figure;

/* The figure of each run of the method that has finished and got to the checkpoint; gives how many. NaN
 * become `missing`. */
static size_t collect(const compare_setting *s, const compare_run *run, size_t method, size_t checkpoint,
                      figure f, double missing, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < s->seeds; i++) {
        const compare_run *r = &run[method * s->seeds + i];
        const compare_score *score = checkpoint == COMPARE_END ? &r->end : &r->checkpoint[checkpoint];
        const double figures[] = {score->fitness, score->value, (double)score->active,
                                  (double)score->evaluations, score->support};
        if (r->is_finished && score->evaluations > 0) {
            out[count++] = isnan(figures[f]) ? missing : figures[f];
        }
    }
    return count;
}

static double mean_seconds(const compare_setting *s, const compare_run *run, size_t method)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < s->seeds; i++) {
        const compare_run *r = &run[method * s->seeds + i];
        sum += r->is_finished ? r->seconds : 0.0;
        count += r->is_finished != 0;
    }
    return sum / (double)count; /* NaN of none */
}

/* ---- Summaries --------------------------------------------------------------------------------------- */

int compare_statistics_make(const compare_setting *s, const compare_run *run, size_t method,
                            size_t checkpoint, compare_statistics *out)
{
    double *x = calloc(2 * s->seeds, sizeof *x);
    double *first = x ? x + s->seeds : NULL;
    if (!x) {
        return cli_fail("out of memory");
    }
    const int is_maximised = s->info.direction == ZILCH_MAXIMIZE;
    const double worst = is_maximised ? -INFINITY : INFINITY;
    const size_t n = collect(s, run, method, checkpoint, FITNESS, worst, x);
    const size_t m = collect(s, run, 0, checkpoint, FITNESS, worst, first);
    *out = (compare_statistics){.runs = n,
                                .p = method > 0 && n > 0 && m > 0 ? compare_rank_sum(n, x, m, first) : NAN,
                                .median = zilch_quantile(n, x, 0.5),
                                .low = zilch_quantile(n, x, 0.25),
                                .high = zilch_quantile(n, x, 0.75),
                                .worst = zilch_quantile(n, x, is_maximised ? 0.0 : 1.0),
                                .seconds = mean_seconds(s, run, method)};
    out->value = zilch_quantile(collect(s, run, method, checkpoint, VALUE, worst, x), x, 0.5);
    out->active = zilch_quantile(collect(s, run, method, checkpoint, ACTIVE, 0.0, x), x, 0.5);
    out->evaluations = zilch_quantile(collect(s, run, method, checkpoint, EVALUATIONS, 0.0, x), x, 0.5);
    const size_t known = collect(s, run, method, checkpoint, SUPPORT, -1.0, x);
    out->support = zilch_quantile(known, x, 0.5);
    out->least_support = zilch_quantile(known, x, 0.0);
    if (out->least_support < 0.0) { /* known of all points of a problem, or of none */
        out->support = out->least_support = NAN;
    }
    free(x);
    return 0;
}

double compare_rank_sum(size_t n, const double *a, size_t m, const double *b)
{
    return fmax(zilch_rank_sum(n, a, m, b), compare_least_p(n, m));
}

double compare_least_p(size_t n, size_t m)
{
    double p = 2.0;
    for (size_t i = 1; i <= n; i++) {
        p *= (double)i / (double)(m + i);
    }
    return fmin(p, 1.0);
}

int compare_reached(const compare_setting *s, const compare_run *run, size_t method, size_t target,
                    compare_arrival *out)
{
    double *x = calloc(s->seeds, sizeof *x);
    if (!x) {
        return cli_fail("out of memory");
    }
    *out = (compare_arrival){0};
    for (size_t i = 0; i < s->seeds; i++) {
        const compare_run *r = &run[method * s->seeds + i];
        if (r->is_finished) {
            x[out->runs++] = r->reached[target] ? (double)r->reached[target] : INFINITY;
            out->arrived += r->reached[target] > 0;
        }
    }
    out->median = zilch_quantile(out->runs, x, 0.5);
    free(x);
    return 0;
}
