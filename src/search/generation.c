/* Opening a generation: the elites are chosen, the law is fitted to them, points are drawn. New points come
 * in pieces of one size, each with random numbers of its own, so that they do not depend on how many are
 * asked for at once. */
#include "search/optimizer.h"

#include "base/memory.h"

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
static zilch_status mend_rows(const zilch_optimizer *o, const double *elite, size_t rows, double *genome)
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
        if (law_is_fitted(o)) {
            zi_marginals_estimate(&marginals, o->dim, &o->options, o->elites, x + o->dim);
        }
        status = mend(o, &marginals, rows, o->slots, x, genome);
    }
    zi_marginals_free(&marginals);
    zi_free(x);
    return status;
}

/* All are numbers; and none is -0.0, as products too small for a number are. */
static zilch_status check_finite(const zilch_optimizer *o, size_t rows, double *genome)
{
    for (size_t i = 0; i < rows * o->width; i++) {
        genome[i] += 0.0;
        if (!isfinite(genome[i])) {
            return zi_fail(ZILCH_ENUMERIC,
                           "ask: the law gives coordinates beyond all numbers; bounds would keep them in");
        }
    }
    return ZILCH_OK;
}

static zilch_status draw_piece(const zilch_optimizer *o, const double *elite, size_t rows, double *genome)
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
    ZI_TRY(law_is_fitted(o) ? zi_draw_next(&draw) : zi_draw_first(&draw));
    ZI_TRY(mend_rows(o, elite, rows, genome));
    return check_finite(o, rows, genome);
}

zilch_status zi_generation_append(zilch_optimizer *o)
{
    const size_t rows = o->options.population - o->again;
    double *elite;
    ZI_TRY(reserve_slots(o, o->slots + rows));
    ZI_TRY(zi_generation_fit(o));
    ZI_TRY(read_genomes(o, o->elites, o->elite, &elite));
    const zilch_status status = draw_piece(o, elite, rows, o->genome + o->slots * o->width);
    zi_free(elite);
    for (size_t i = 0; i < rows && status == ZILCH_OK; i++) {
        o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
    }
    return status;
}

zilch_status zi_generation_open(zilch_optimizer *o)
{
    zilch_status status = choose_elites(o);
    if (status == ZILCH_OK) {
        status = zi_generation_append(o);
    }
    if (status != ZILCH_OK) {
        zi_generation_forget(o);
    }
    return status;
}
