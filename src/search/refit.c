/* The refit of the zig law, part by part. Correlations come from the elites alone, or are pulled to the last
 * ones; p, mu and sigma are estimated here, with priors and margin; then the law is widened. A part that is
 * off leaves what the publication does. law_zig.c draws from it.
 *
 * Bosman, Grahl and Thierens: Enhancing the performance of maximum-likelihood Gaussian EDAs using anticipated
 * mean shift (2008), for the variance control; Hamano, Saito, Nomura and Shirakawa: CMA-ES with
 * margin (2022), for the margin; Bosman, Grahl and Thierens: Benchmarking parameter-free AMaLGaM (2013) and
 * Hansen: The CMA evolution strategy (2016), for learning with memory. */
#include "search/refit.h"

#include "base/memory.h"
#include "model/model.h"
#include "model/project.h"

#include <math.h>
#include <string.h>

/* ---- Memory ----------------------------------------------------------------------- */

zilch_status zi_memory_create(zi_memory *memory, size_t dim, int has_correlation)
{
    *memory = (zi_memory){.scale = 1.0, .best = INFINITY};
    ZI_TRY(zi_alloc(&memory->p, 4 * dim + (has_correlation ? 4 * dim * dim : 0)));
    memory->mu = memory->p + dim;
    memory->sigma = memory->mu + dim;
    memory->ratio = memory->sigma + dim;
    memory->correlation = has_correlation ? memory->ratio + dim : NULL;
    return ZILCH_OK;
}

void zi_memory_free(zi_memory *memory)
{
    zi_free(memory->p);
    *memory = (zi_memory){.scale = 1.0, .best = INFINITY};
}

void zi_fitted_free(zi_fitted *fitted)
{
    zilch_model_destroy(fitted->model);
    zi_memory_free(&fitted->memory);
    zi_free(fitted->step);
    zi_scores_free(&fitted->scores);
    fitted->model = NULL;
    fitted->step = NULL;
}

/* What the first points were drawn from, as the last law of the first one. */
static void begin(zi_memory *memory, size_t dim, const zilch_optimizer_options *o)
{
    for (size_t i = 0; i < dim; i++) {
        memory->p[i] = o->initial_p;
        memory->mu[i] = o->initial_mu;
        memory->sigma[i] = o->initial_sigma;
        memory->ratio[i] = 1.0;
    }
}

/* ---- Weights by rank -------------------------------------------------------------- */

/* Their sum is what they are worth in elites of equal weight, (sum w)^2 / sum w^2; gives that. */
static double weigh(zilch_weighting how, size_t elites, double *weight)
{
    double sum = 0.0;
    double squares = 0.0;
    for (size_t k = 0; k < elites; k++) {
        const double best = (double)elites;
        const double rank = (double)(k + 1);
        weight[k] = how == ZILCH_WEIGHTING_LINEAR ? best + 1.0 - rank
                    : how == ZILCH_WEIGHTING_LOG  ? log(best + 0.5) - log(rank)
                                                  : 1.0;
        sum += weight[k];
        squares += weight[k] * weight[k];
    }
    for (size_t k = 0; k < elites; k++) {
        weight[k] *= sum / squares;
    }
    return sum * sum / squares;
}

/* ---- Marginals -------------------------------------------------------------------- */

/* A coordinate's active values. */
typedef struct column {
    double weight; /* their share of the elites, in elites */
    double count;  /* what they are worth: (sum w)^2 / sum w^2 */
    size_t rows;
    double mean, square; /* sum of squared deviations, of that many */
} column;

static column look(const zi_lesson *lesson, const double *weight, size_t i)
{
    column c = {0};
    double squares = 0.0;
    for (size_t k = 0; k < lesson->elites; k++) {
        const double x = lesson->elite[k * lesson->dim + i];
        if (x != 0.0) {
            c.rows++;
            c.weight += weight[k];
            squares += weight[k] * weight[k];
            c.mean += weight[k] * x;
        }
    }
    if (!(c.weight > 0.0)) {
        return c;
    }
    c.count = c.weight * c.weight / squares;
    c.mean /= c.weight;
    for (size_t k = 0; k < lesson->elites; k++) {
        const double x = lesson->elite[k * lesson->dim + i];
        c.square += x != 0.0 ? weight[k] * (x - c.mean) * (x - c.mean) : 0.0;
    }
    c.square *= c.count / c.weight;
    return c;
}

/* What `count` elites show, as if `prior` more had shown the last value; the last value if there are none. */
static double pulled(double shown, double count, double prior, double last)
{
    if (prior > 0.0) {
        return (count * shown + prior * last) / (count + prior);
    }
    return count > 0.0 ? shown : last;
}

/* Without a prior divided by n, as published; with one by n - 1, so that one elite says nothing. */
static double sigma_of(const column *c, const zilch_optimizer_options *o, double last)
{
    const double prior = o->refit.prior_sigma;
    const double count = prior > 0.0 ? fmax(c->count - 1.0, 0.0) : c->count;
    const double shown = count > 0.0 ? c->square / count : 0.0;
    return fmax(sqrt(pulled(shown, count, prior, last * last)), o->model.sigma_floor);
}

/* Elites of the size of the largest numbers have sums that are none: the memory keeps what it had. */
static double number_or(double value, double last)
{
    return isfinite(value) ? value : last;
}

static void estimate(const zi_lesson *lesson, const double *weight, double total, zi_memory *next)
{
    const zilch_refit *r = &lesson->options->refit;
    const zi_memory *last = lesson->last;
    const double margin = fmin(r->margin / (double)lesson->dim, 0.1);
    for (size_t i = 0; i < lesson->dim; i++) {
        const column c = look(lesson, weight, i);
        const double p = pulled(c.weight / total, total, r->prior_p, last->p[i]);
        next->p[i] = fmin(fmax(p, margin), 1.0 - margin);
        next->mu[i] = number_or(pulled(c.mean, c.count, r->prior_mu, last->mu[i]), last->mu[i]);
        next->sigma[i] = number_or(sigma_of(&c, lesson->options, last->sigma[i]), last->sigma[i]);
        next->ratio[i] = c.rows < 2 ? last->ratio[i] : INFINITY; /* in use, which narrow() makes 1 */
    }
}

/* ---- Coordinates that were given up ----------------------------------------------- */

/* While the others converge, one that the elites have switched off keeps the values it had: far too wide to
 * come back without ruining what the others have found. By how much they have narrowed, is kept for it. */
static void narrow(const zi_lesson *lesson, zi_memory *next)
{
    const zi_memory *last = lesson->last;
    double sum = 0.0;
    double count = 0.0;
    for (size_t i = 0; i < lesson->dim; i++) {
        const int is_in_use = next->p[i] > 0.5 && last->p[i] > 0.5;
        if (is_in_use && next->sigma[i] > 0.0 && last->sigma[i] > 0.0) {
            sum += log(next->sigma[i] / last->sigma[i]);
            count += 1.0;
        }
    }
    const double change = count > 0.0 ? exp(sum / count) : 1.0;
    for (size_t i = 0; i < lesson->dim; i++) {
        next->ratio[i] = isinf(next->ratio[i]) ? 1.0 : fmin(next->ratio[i] * change, 1.0);
    }
}

/* ---- Variance control ------------------------------------------------------------- */

/* Elites that are better than the best was, beyond noise. */
static size_t count_improvements(const zi_lesson *lesson)
{
    const double least = lesson->last->best - 2.0 * lesson->noise;
    size_t count = 0;
    while (count < lesson->elites && lesson->cost[count] < least) {
        count++;
    }
    return count;
}

/* How far the mean of the improvements is from the last law's, at most, in its deviations. */
static double farthest(const zi_lesson *lesson, size_t improvements)
{
    const zi_memory *last = lesson->last;
    double most = 0.0;
    for (size_t i = 0; i < lesson->dim; i++) {
        double sum = 0.0;
        double count = 0.0;
        for (size_t k = 0; k < improvements; k++) {
            const double x = lesson->elite[k * lesson->dim + i];
            sum += x;
            count += x != 0.0;
        }
        if (2.0 * count > (double)improvements && last->p[i] > 0.5 && last->sigma[i] > 0.0) {
            most = fmax(most, fabs(sum / count - last->mu[i]) / last->sigma[i]);
        }
    }
    return most;
}

static double scale_of(const zi_lesson *lesson)
{
    static const double step = 0.9;
    static const double most = 1e3;
    const double scale = lesson->last->scale;
    if (!lesson->options->refit.is_widened || isinf(lesson->last->best)) {
        return 1.0;
    }
    const size_t improvements = count_improvements(lesson);
    if (improvements == 0) {
        return fmax(scale * step, 1.0);
    }
    return farthest(lesson, improvements) > 1.0 ? fmin(scale / step, most) : scale;
}

/* ---- Correlations ----------------------------------------------------------------- */

/* What counts against the last value: of two values elites that have both active, of a value and a mask those
 * that have the value, of two masks all. */
static zilch_status remember_correlations(zilch_model *model, const zi_lesson *lesson, double total,
                                          const zi_memory *last, zi_memory *next)
{
    const size_t dim = lesson->dim;
    const size_t n = 2 * dim;
    const double prior = lesson->options->refit.prior_correlation;
    zi_projected projected;
    for (size_t a = 0; last->correlation && a < n; a++) {
        for (size_t b = 0; b < a; b++) {
            double count = total;
            count *= a < dim ? model->p[a] : 1.0;
            count *= b < dim ? model->p[b] : 1.0;
            double *rho = &model->correlation[a * n + b];
            *rho = pulled(*rho, count, prior, last->correlation[a * n + b]);
            model->correlation[b * n + a] = *rho;
        }
    }
    if (last->correlation) { /* a mixture with a weight for each entry need not be positive definite */
        ZI_TRY(zi_project(ZILCH_CLIP, dim, NULL, model->correlation, model->factor, &projected));
    }
    memcpy(next->correlation, model->correlation, n * n * sizeof *model->correlation);
    return ZILCH_OK;
}

/* ---- The law ---------------------------------------------------------------------- */

static void set_marginals(zilch_model *model, const zi_memory *memory)
{
    for (size_t i = 0; i < model->dim; i++) {
        model->p[i] = memory->p[i];
        model->mu[i] = memory->mu[i];
        model->sigma[i] = memory->scale * memory->sigma[i];
    }
    zi_model_thresholds(model);
}

/* The model with its correlations; `scored` is room for the elites. */
static zilch_status fit(zi_fitted *out, const zi_lesson *lesson, const double *weight, double *scored)
{
    const zilch_optimizer_options *o = lesson->options;
    const double *x = lesson->elite;
    if (o->refit.values == ZILCH_VALUES_SCORES) {
        ZI_TRY(zi_scores_create(&out->scores, lesson->elites, lesson->dim, x, weight, scored));
        x = scored;
    }
    const double *weights = o->refit.weighting == ZILCH_WEIGHTING_EQUAL ? NULL : weight;
    return zilch_model_fit(&out->model, lesson->elites, lesson->dim, x, weights, &o->model);
}

static zilch_status learn(zi_fitted *out, const zi_lesson *lesson, double *weight, double *scored)
{
    const zilch_refit *r = &lesson->options->refit;
    const double total = weigh(r->weighting, lesson->elites, weight);
    zi_memory *next = &out->memory;
    ZI_TRY(fit(out, lesson, weight, scored));
    if (r->prior_correlation > 0.0) {
        ZI_TRY(remember_correlations(out->model, lesson, total, lesson->last, next));
    }
    estimate(lesson, weight, total, next);
    narrow(lesson, next);
    next->scale = scale_of(lesson);
    next->best = lesson->cost[0];
    for (size_t i = 0; i < lesson->dim; i++) {
        out->step[i] = next->mu[i] - lesson->last->mu[i];
    }
    set_marginals(out->model, next);
    return ZILCH_OK;
}

zilch_status zi_refit(zi_fitted *out, const zi_lesson *lesson)
{
    const zilch_refit *r = &lesson->options->refit;
    zi_memory first = {0};
    zi_lesson whole = *lesson;
    double *weight = NULL;
    *out = (zi_fitted){.memory.scale = 1.0};
    ZI_TRY(zi_memory_create(&out->memory, lesson->dim, r->prior_correlation > 0.0));
    ZI_TRY(zi_alloc(&out->step, lesson->dim));
    if (!lesson->last->p) {
        ZI_TRY(zi_memory_create(&first, lesson->dim, 0));
        begin(&first, lesson->dim, lesson->options);
        whole.last = &first;
    }
    const size_t scored = r->values == ZILCH_VALUES_SCORES ? lesson->elites * lesson->dim : 0;
    zilch_status status = zi_alloc(&weight, lesson->elites + scored);
    if (status == ZILCH_OK) {
        status = learn(out, &whole, weight, weight + lesson->elites);
    }
    zi_free(weight);
    zi_memory_free(&first);
    return status;
}
