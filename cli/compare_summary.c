/* Figures over the runs of a method. The order of runs is that of their costs: a fitness that is no number is
 * worse than any that is. */
#include "compare.h"

#include "cli.h"
#include "rank_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void compare_usual_targets(compare_setting *s)
{
    static const double returns[] = {200.0, 250.0, 300.0};
    static const double distances[] = {1e-2, 1e-4, 1e-8};
    const int is_lander = strcmp(s->info.name, "lander") == 0;
    if (is_lander || !(s->info.is_noisy || search_is_regression(s->info.name))) {
        memcpy(s->target, is_lander ? returns : distances, sizeof returns);
        s->targets = sizeof returns / sizeof *returns;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between order statistics linearly; sorts them. Some may be infinite, NaN are not allowed. NaN of none. */
static double quantile(double *x, size_t count, double share)
{
    if (count == 0) {
        return NAN;
    }
    qsort(x, count, sizeof *x, ascending);
    const double position = share * (double)(count - 1);
    const size_t low = (size_t)position;
    const double part = position - (double)low;
    return part > 0.0 && x[low] < x[low + 1] ? x[low] + part * (x[low + 1] - x[low]) : x[low];
}

/* ---- Runs ----------------------------------------------------------------------------------------- */

/* NULL if the run has not finished, or did not get to the checkpoint. */
static const compare_score *score_of(const compare_run *run, size_t checkpoint)
{
    const compare_score *score = checkpoint == COMPARE_END ? &run->end : &run->checkpoint[checkpoint];
    return run->is_finished && score->evaluations > 0 ? score : NULL;
}

typedef enum figure { FITNESS, VALUE, ACTIVE, EVALUATIONS, SUPPORT } figure;

static double figure_of(const compare_score *score, figure f)
{
    switch (f) {
    case FITNESS:
        return score->fitness;
    case VALUE:
        return score->value;
    case ACTIVE:
        return (double)score->active;
    case EVALUATIONS:
        return (double)score->evaluations;
    case SUPPORT:
        return score->support;
    }
    return NAN;
}

/* The figure of each run of the method there is one of; gives how many. NaN become `missing`. */
static size_t collect(const compare_setting *s, const compare_run *run, size_t method, size_t checkpoint,
                      figure f, double missing, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < s->seeds; i++) {
        const compare_score *score = score_of(&run[method * s->seeds + i], checkpoint);
        if (score) {
            const double x = figure_of(score, f);
            out[count++] = isnan(x) ? missing : x;
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

int compare_summarise(const compare_setting *s, const compare_run *run, size_t method, size_t checkpoint,
                      compare_summary *out)
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
    *out = (compare_summary){.runs = n,
                             .p = method > 0 && n > 0 && m > 0 ? rank_test(n, x, m, first) : NAN,
                             .median = quantile(x, n, 0.5),
                             .low = quantile(x, n, 0.25),
                             .high = quantile(x, n, 0.75),
                             .worst = quantile(x, n, is_maximised ? 0.0 : 1.0),
                             .seconds = mean_seconds(s, run, method)};
    out->value = quantile(x, collect(s, run, method, checkpoint, VALUE, worst, x), 0.5);
    out->active = quantile(x, collect(s, run, method, checkpoint, ACTIVE, 0.0, x), 0.5);
    out->evaluations = quantile(x, collect(s, run, method, checkpoint, EVALUATIONS, 0.0, x), 0.5);
    const size_t known = collect(s, run, method, checkpoint, SUPPORT, -1.0, x);
    out->support = quantile(x, known, 0.5);
    out->least_support = quantile(x, known, 0.0);
    if (out->least_support < 0.0) { /* known of all points of a problem, or of none */
        out->support = out->least_support = NAN;
    }
    free(x);
    return 0;
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
    out->median = quantile(x, out->runs, 0.5);
    free(x);
    return 0;
}
