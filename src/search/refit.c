/* The refit of the zero-inflated Gaussian, part by part. The correlations come from the elites alone; p, mu
 * and sigma are estimated here, with a prior and a margin; then sigma is scaled. A part that is off leaves
 * what the publication does. law_zig.c draws from the result.
 *
 * Bosman, Grahl and Thierens: Enhancing the performance of maximum-likelihood Gaussian EDAs using anticipated
 * mean shift (2008), for the variance scaling; Hamano, Saito, Nomura and Shirakawa: CMA-ES with
 * margin (2022), for the margin; Bosman, Grahl and Thierens: Benchmarking parameter-free AMaLGaM (2013) and
 * Hansen: The CMA evolution strategy (2016), for learning with memory. */
#include "search/refit.h"

#include "base/memory.h"
#include "model/model.h"
#include "search/optimizer_options.h"

#include <assert.h>
#include <math.h>

/* ---- State ------------------------------------------------------------------------ */

zilch_status zi_law_state_create(zi_law_state *state, size_t dim)
{
    *state = (zi_law_state){.scale = 1.0, .best = INFINITY};
    ZI_TRY(zi_alloc(&state->p, 4 * dim));
    state->mu = state->p + dim;
    state->sigma = state->mu + dim;
    state->ratio = state->sigma + dim;
    return ZILCH_OK;
}

void zi_law_state_free(zi_law_state *state)
{
    zi_free(state->p);
    *state = (zi_law_state){.scale = 1.0, .best = INFINITY};
}

void zi_fitted_free(zi_fitted *fitted)
{
    zilch_model_destroy(fitted->model);
    zi_law_state_free(&fitted->state);
    zi_free(fitted->step);
    fitted->model = NULL;
    fitted->step = NULL;
}

/* ---- Weights by rank -------------------------------------------------------------- */

/* Their sum is what they are worth in elites of equal weight, (sum w)^2 / sum w^2; gives that. */
static double weigh(zilch_weighting how, size_t elites, double *weight)
{
    double sum = 0.0;
    double squares = 0.0;
    for (size_t k = 0; k < elites; k++) {
        weight[k] = how == ZILCH_WEIGHTING_LINEAR ? (double)elites + 1.0 - (double)(k + 1) : 1.0;
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

static column look(const zi_refit_input *input, const double *weight, size_t i)
{
    column c = {0};
    double squares = 0.0;
    for (size_t k = 0; k < input->elites; k++) {
        const double x = input->elite[k * input->dim + i];
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
    for (size_t k = 0; k < input->elites; k++) {
        const double x = input->elite[k * input->dim + i];
        c.square += x != 0.0 ? weight[k] * (x - c.mean) * (x - c.mean) : 0.0;
    }
    c.square *= c.count / c.weight;
    return c;
}

/* What moves by steps must not freeze between them: neighbours are as far away as 3 of these. */
static double least_sigma(const zi_refit_input *input, size_t i, double mu)
{
    return input->allowed && isfinite(mu) ? zi_allowed_spacing(input->allowed, i, mu) / 3.0 : 0.0;
}

/* With a prior, the variance of the last generation counts like that many more elites, and the elites' own is
 * divided by n - 1, so that one elite says nothing. Without, it is divided by n, as published. On overflow,
 * the previous value is kept: sums of elites as large as the largest numbers are not finite. */
static void estimate(const zi_refit_input *input, const double *weight, double total, zi_law_state *next)
{
    const zi_law_state *last = input->last;
    const double margin = fmin(input->options->margin / (double)input->dim, 0.1);
    const double prior = input->options->prior_sigma;
    for (size_t i = 0; i < input->dim; i++) {
        const column c = look(input, weight, i);
        const double p = total > 0.0 ? c.weight / total : last->p[i];
        const double mu = c.count > 0.0 ? c.mean : last->mu[i];
        const double count = prior > 0.0 ? fmax(c.count - 1.0, 0.0) : c.count;
        const double shown = count > 0.0 ? c.square / count : 0.0;
        const double before = last->sigma[i] * last->sigma[i];
        const double variance = prior > 0.0   ? (count * shown + prior * before) / (count + prior)
                                : count > 0.0 ? shown
                                              : before;
        const double sigma =
            fmax(sqrt(variance), fmax(input->options->sigma_floor, least_sigma(input, i, mu)));
        next->p[i] = fmin(fmax(p, margin), 1.0 - margin);
        next->mu[i] = isfinite(mu) ? mu : last->mu[i];
        next->sigma[i] = isfinite(sigma) ? sigma : last->sigma[i];
        next->ratio[i] = c.rows < 2 ? last->ratio[i] : INFINITY; /* in use, which narrow() makes 1 */
    }
}

/* ---- Coordinates that were dropped ------------------------------------------------- */

/* While the others converge, a coordinate that the elites have dropped keeps the spread it had: far too wide
 * to come back without ruining what the others have found. So the ratio by which the others have narrowed is
 * kept for it. */
static void narrow(const zi_refit_input *input, zi_law_state *next)
{
    const zi_law_state *last = input->last;
    double sum = 0.0;
    double count = 0.0;
    for (size_t i = 0; i < input->dim; i++) {
        const int is_in_use = next->p[i] > 0.5 && last->p[i] > 0.5;
        if (is_in_use && next->sigma[i] > 0.0 && last->sigma[i] > 0.0) {
            sum += log(next->sigma[i] / last->sigma[i]);
            count += 1.0;
        }
    }
    const double change = count > 0.0 ? exp(sum / count) : 1.0;
    for (size_t i = 0; i < input->dim; i++) {
        next->ratio[i] = isinf(next->ratio[i]) ? 1.0 : fmin(next->ratio[i] * change, 1.0);
    }
}

/* ---- Variance scaling -------------------------------------------------------------- */

/* How far the mean of the improvements is from the last law's mean, at most, in its standard deviations. */
static double farthest(const zi_refit_input *input, size_t improvements)
{
    const zi_law_state *last = input->last;
    double most = 0.0;
    for (size_t i = 0; i < input->dim; i++) {
        double sum = 0.0;
        double count = 0.0;
        for (size_t k = 0; k < improvements; k++) {
            const double x = input->elite[k * input->dim + i];
            sum += x;
            count += x != 0.0;
        }
        if (2.0 * count > (double)improvements && last->p[i] > 0.5 && last->sigma[i] > 0.0) {
            most = fmax(most, fabs(sum / count - last->mu[i]) / last->sigma[i]);
        }
    }
    return most;
}

/* The scale grows while improvements come from far outside, and shrinks back without improvements. An
 * improvement is an elite that is better than the best of the last generation, beyond noise. */
static double scale_of(const zi_refit_input *input)
{
    static const double step = 0.9;
    static const double most = 1e3;
    const double scale = input->last->scale;
    const double least = input->last->best - 2.0 * input->noise;
    size_t improvements = 0;
    if (!input->options->variance_scaling || isinf(input->last->best)) {
        return 1.0;
    }
    while (improvements < input->elites && input->cost[improvements] < least) {
        improvements++;
    }
    if (improvements == 0) {
        return fmax(scale * step, 1.0);
    }
    return farthest(input, improvements) > 1.0 ? fmin(scale / step, most) : scale;
}

/* ---- The law ---------------------------------------------------------------------- */

static zilch_status learn(zi_fitted *out, const zi_refit_input *input, double *weight)
{
    const zilch_optimizer_options *o = input->options;
    const zilch_model_options model = zi_optimizer_options_model(o);
    const double total = weigh(o->weighting, input->elites, weight);
    const double *weights = o->weighting == ZILCH_WEIGHTING_EQUAL ? NULL : weight;
    zi_law_state *next = &out->state;
    ZI_TRY(zilch_model_fit(&out->model, input->elites, input->dim, input->elite, weights, &model));
    estimate(input, weight, total, next);
    narrow(input, next);
    next->scale = scale_of(input);
    next->best = input->cost[0];
    for (size_t i = 0; i < input->dim; i++) {
        out->step[i] = next->mu[i] - input->last->mu[i];
        out->model->p[i] = next->p[i];
        out->model->mu[i] = next->mu[i];
        out->model->sigma[i] = next->scale * next->sigma[i];
    }
    zi_model_thresholds(out->model);
    return ZILCH_OK;
}

zilch_status zi_refit(zi_fitted *out, const zi_refit_input *input)
{
    const zilch_optimizer_options *o = input->options;
    zi_law_state first = {0};
    zi_refit_input whole = *input;
    double *weight = NULL;
    assert(input->elites >= 2 && input->elite && input->cost && input->last);
    *out = (zi_fitted){.state.scale = 1.0};
    ZI_TRY(zi_law_state_create(&out->state, input->dim));
    ZI_TRY(zi_alloc(&out->step, input->dim));
    if (!input->last->p) { /* what the first points were drawn from is the last law of the first one */
        ZI_TRY(zi_law_state_create(&first, input->dim));
        for (size_t i = 0; i < input->dim; i++) {
            first.p[i] = o->initial_p;
            first.mu[i] = input->first->mu[i];
            first.sigma[i] = input->first->sigma[i];
            first.ratio[i] = 1.0;
        }
        whole.last = &first;
    }
    zilch_status status = zi_alloc(&weight, input->elites);
    status = status == ZILCH_OK ? learn(out, &whole, weight) : status;
    zi_free(weight);
    zi_law_state_free(&first);
    return status;
}
