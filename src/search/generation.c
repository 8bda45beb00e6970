/* Opening a generation: the elites are chosen, the law is fitted to them, points are drawn. New points come
 * in pieces of one size, each with random numbers of its own, so that they do not depend on how many are
 * asked for at once. */
#include "search/optimizer.h"

#include "base/memory.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

/* Streams of random numbers: so many for each generation. */
enum { STREAM_LAW, STREAM_MENDING, STREAMS };
enum { PIECE_LOG2 = 48, ROW_LOG2 = 28 }; /* numbers for a piece, and for mending a point */

static zilch_rng stream_of(const zilch_optimizer *o, unsigned which)
{
    return zilch_rng_make(o->seed, STREAMS * o->generations + which);
}

/* ---- Elites ----------------------------------------------------------------------- */

static double cost_of(const zilch_optimizer *o, size_t point)
{
    const zi_worth *w = &o->archive.worth[point];
    return zi_archive_cost(&o->archive, w->value, w->active);
}

/* To be freed. */
static zilch_status read_genomes(const zilch_optimizer *o, size_t count, const size_t *point, double **genome)
{
    ZI_TRY(zi_alloc(genome, count * o->width));
    for (size_t k = 0; k < count; k++) {
        zi_rows_read(&o->archive.rows, point[k], *genome + k * o->width);
    }
    return ZILCH_OK;
}

/* One that noise may have put among the elites; and the best, to see whether there is noise. Two standard
 * errors, as usual. */
static int is_uncertain(const zilch_optimizer *o, double noise, size_t k)
{
    const double error = noise / sqrt(o->archive.worth[o->elite[k]].weight);
    return k == 0 || !(cost_of(o, o->elite[k]) + 2.0 * error <= cost_of(o, o->elite[o->elites - 1]));
}

static int is_asked_again(const zilch_optimizer *o, double noise, size_t k)
{
    return o->options.again == ZILCH_AGAIN_ALL ||
           (o->options.again == ZILCH_AGAIN_UNCERTAIN && is_uncertain(o, noise, k));
}

static zilch_status reserve_slots(zilch_optimizer *o, size_t slots)
{
    ZI_TRY(zi_grow(&o->slot, sizeof *o->slot, o->slots, slots, &o->slot_capacity));
    return zi_grow(&o->genome, o->width * sizeof *o->genome, o->slots, slots, &o->genome_capacity);
}

static zilch_status choose_elites(zilch_optimizer *o)
{
    const double noise = zi_noise_deviation(&o->noise);
    o->elites = zi_archive_select(&o->archive, o->epoch.first_id, o->options.elites, o->elite);
    ZI_TRY(reserve_slots(o, o->elites));
    for (size_t k = 0; k < o->elites; k++) {
        if (is_asked_again(o, noise, k)) {
            zi_rows_read(&o->archive.rows, o->elite[k], o->genome + o->slots * o->width);
            o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
        }
    }
    o->again = o->slots;
    return ZILCH_OK;
}

/* ---- The law ---------------------------------------------------------------------- */

/* In the first generation only points from elsewhere can be elites. */
static int is_enough(const zilch_optimizer *o, size_t elites)
{
    return elites >= (o->generations > o->epoch.begin ? 2 : o->options.elites);
}

static int law_is_fitted(const zilch_optimizer *o)
{
    return is_enough(o, o->elites);
}

/* Fits a law to these points of the archive, best first. Whatever it returns, zi_fitted_free(). */
static zilch_status fit_to(const zilch_optimizer *o, size_t elites, const size_t *point, zi_fitted *out)
{
    const double noise = zi_noise_deviation(&o->noise);
    double *genome;
    double *cost;
    ZI_TRY(read_genomes(o, elites, point, &genome));
    zilch_status status = zi_alloc(&cost, elites);
    if (status == ZILCH_OK) {
        for (size_t k = 0; k < elites; k++) {
            cost[k] = cost_of(o, point[k]);
        }
        const zi_lesson lesson = {.options = &o->options,
                                  .dim = o->dim,
                                  .elites = elites,
                                  .elite = genome,
                                  .cost = cost,
                                  .noise = isnan(noise) ? 0.0 : noise,
                                  .last = &o->memory};
        status = zi_refit(out, &lesson);
        zi_free(cost);
    }
    zi_free(genome);
    return status;
}

zilch_status zi_generation_fit(zilch_optimizer *o)
{
    if (o->options.law != ZILCH_LAW_ZIG || o->fitted.model || !law_is_fitted(o)) {
        return ZILCH_OK;
    }
    const zilch_status status = fit_to(o, o->elites, o->elite, &o->fitted);
    if (status != ZILCH_OK) {
        zi_fitted_free(&o->fitted);
    }
    return status;
}

zilch_status zilch_optimizer_model(const zilch_optimizer *o, zilch_model **out)
{
    zi_fitted fitted = {0};
    size_t *point;
    if (!o || !out) {
        return zi_fail(ZILCH_EARG, "law: optimizer and a place for the result must be given");
    }
    *out = NULL;
    if (o->options.law != ZILCH_LAW_ZIG) {
        return zi_fail(ZILCH_ESTATE, "law: %s has no model", zilch_law_name(o->options.law));
    }
    ZI_TRY(zi_alloc(&point, o->options.elites));
    const size_t elites = zi_archive_select(&o->archive, o->epoch.first_id, o->options.elites, point);
    zilch_status status = is_enough(o, elites)
                              ? fit_to(o, elites, point, &fitted)
                              : zi_fail(ZILCH_ESTATE, "law: there are not enough elites to fit it to yet");
    if (status == ZILCH_OK) {
        *out = fitted.model;
        fitted.model = NULL;
    }
    zi_fitted_free(&fitted);
    zi_free(point);
    return status;
}

void zi_generation_forget(zilch_optimizer *o)
{
    zi_fitted_free(&o->fitted);
    o->slots = o->elites = o->again = o->handed = o->told = 0;
}

/* ---- New points ------------------------------------------------------------------- */

static zilch_status mend(const zilch_optimizer *o, const zi_marginals *marginals, size_t rows,
                         size_t first_row, double *x, double *genome)
{
    zi_mending mending;
    zilch_status status = zi_mending_create(&mending, &o->constraints, marginals);
    for (size_t i = 0; i < rows && status == ZILCH_OK; i++) {
        zilch_rng rng = stream_of(o, STREAM_MENDING);
        rng.counter = (uint64_t)(first_row + i) << ROW_LOG2;
        double *row = genome + i * o->width;
        if (o->width == o->dim) { /* it is the point */
            zi_mend(&mending, rng, row);
            continue;
        }
        zi_law_point(o->options.law, o->dim, row, x);
        zi_mend(&mending, rng, x);
        zi_law_follow(o->options.law, o->dim, x, row);
    }
    zi_mending_free(&mending);
    return status;
}

/* Brings new genomes within the limits. */
static zilch_status mend_rows(const zilch_optimizer *o, const double *elite, int is_first, size_t rows,
                              double *genome)
{
    zi_marginals marginals = {0};
    double *x;
    if (o->constraints.is_free) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&x, (o->elites + 1) * o->dim));
    for (size_t i = 0; i < o->elites; i++) {
        zi_law_point(o->options.law, o->dim, elite + i * o->width, x + (i + 1) * o->dim);
    }
    zilch_status status = zi_marginals_create(&marginals, o->dim, &o->options);
    if (status == ZILCH_OK) {
        if (!is_first) {
            zi_marginals_estimate(&marginals, o->dim, &o->options, o->elites, x + o->dim);
        }
        status = mend(o, &marginals, rows, o->slots, x, genome);
    }
    zi_marginals_free(&marginals);
    zi_free(x);
    return status;
}

/* All are numbers; and none is -0.0, as products too small for a number are. The first law is cut off at the
 * largest number: without it there is no search. */
static zilch_status check_finite(const zilch_optimizer *o, int is_first, size_t rows, double *genome)
{
    for (size_t i = 0; i < rows * o->width; i++) {
        genome[i] += 0.0;
        if (isfinite(genome[i])) {
            continue;
        }
        if (!is_first) {
            return zi_fail(ZILCH_ENUMERIC,
                           "ask: the law gives coordinates beyond all numbers; bounds would keep them in");
        }
        genome[i] = copysign(DBL_MAX, genome[i]);
    }
    return ZILCH_OK;
}

static zilch_status draw_piece(const zilch_optimizer *o, const double *elite, int is_first, size_t rows,
                               double *genome)
{
    zi_draw draw = {.options = &o->options,
                    .dim = o->dim,
                    .width = o->width,
                    .elites = o->elites,
                    .elite = elite,
                    .fitted = &o->fitted,
                    .rng = stream_of(o, STREAM_LAW),
                    .rows = rows,
                    .genome = genome};
    draw.rng.counter = (uint64_t)((o->slots - o->again) / rows) << PIECE_LOG2;
    ZI_TRY(is_first ? zi_draw_first(&draw) : zi_draw_next(&draw));
    ZI_TRY(mend_rows(o, elite, is_first, rows, genome));
    return check_finite(o, is_first, rows, genome);
}

/* ---- Where no law can follow ------------------------------------------------------ */

/* Why the active values of one coordinate have no law. Squares and sums of what is far may be no numbers. */
static zilch_stop ending_of(const zilch_optimizer *o, const double *elite, size_t i)
{
    static const double far = 1e100;
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t k = 0; k < o->elites; k++) {
        const double x = elite[k * o->width + i];
        low = x != 0.0 ? fmin(low, x) : low;
        high = x != 0.0 ? fmax(high, x) : high;
    }
    if (low < high && (low < -far || high > far)) {
        return ZILCH_STOP_DIVERGED;
    }
    return low < high && high - low < ZI_LEAST_SPREAD ? ZILCH_STOP_CONVERGED : ZILCH_STOP_NONE;
}

/* Why the elites have none; STOP_NONE if that is not for their values. */
static zilch_stop look_at_elites(const zilch_optimizer *o, const double *elite)
{
    zilch_stop ending = ZILCH_STOP_NONE;
    for (size_t i = 0; i < o->width && ending != ZILCH_STOP_DIVERGED; i++) {
        const zilch_stop found = ending_of(o, elite, i);
        ending = found != ZILCH_STOP_NONE ? found : ending;
    }
    return ending;
}

/* ---- Opening ---------------------------------------------------------------------- */

/* One more piece. With ENUMERIC, *ending has why. */
static zilch_status append(zilch_optimizer *o, const double *elite, size_t rows, zilch_stop *ending)
{
    double *genome = o->genome + o->slots * o->width;
    zilch_status status = zi_generation_fit(o);
    if (status == ZILCH_ENUMERIC) {
        *ending = look_at_elites(o, elite);
    }
    ZI_TRY(status);
    status = draw_piece(o, elite, !law_is_fitted(o), rows, genome);
    if (status == ZILCH_ENUMERIC) {
        *ending = ZILCH_STOP_DIVERGED;
    }
    return status;
}

/* A later piece that cannot be had from the law, as of one so wide that it overflows now and then, comes from
 * the first law: the points that are out already stay as they are. */
static zilch_status append_piece(zilch_optimizer *o, zilch_stop *ending)
{
    const size_t rows = o->options.population - o->again;
    double *elite;
    *ending = ZILCH_STOP_NONE;
    ZI_TRY(reserve_slots(o, o->slots + rows));
    ZI_TRY(read_genomes(o, o->elites, o->elite, &elite));
    zilch_status status = append(o, elite, rows, ending);
    if (status == ZILCH_ENUMERIC && o->slots > o->again) {
        status = draw_piece(o, elite, 1, rows, o->genome + o->slots * o->width);
    }
    zi_free(elite);
    for (size_t i = 0; i < rows && status == ZILCH_OK; i++) {
        o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
    }
    return status;
}

zilch_status zi_generation_append(zilch_optimizer *o)
{
    zilch_stop ending;
    return append_piece(o, &ending);
}

static zilch_status forget_if_failed(zilch_optimizer *o, zilch_status status)
{
    if (status != ZILCH_OK) {
        zi_generation_forget(o);
    }
    return status;
}

zilch_status zi_generation_open(zilch_optimizer *o, zilch_stop *ending)
{
    *ending = ZILCH_STOP_NONE;
    zilch_status status = choose_elites(o);
    status = status == ZILCH_OK ? append_piece(o, ending) : status;
    return forget_if_failed(o, status);
}

/* Without elites all points are drawn from the first law. */
zilch_status zi_generation_restart(zilch_optimizer *o)
{
    zi_optimizer_begin_anew(o);
    return forget_if_failed(o, zi_generation_append(o));
}
