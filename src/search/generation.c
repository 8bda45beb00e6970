/* Opening a generation: the elites are chosen, the law is fitted to them, points are drawn. New points come
 * in pieces of one size, each with random numbers of its own, so that they do not depend on how many are
 * asked for at once. */
#include "search/turns.h"

#include "base/memory.h"
#include "model/model.h"
#include "search/repeats.h"

#include <float.h>
#include <math.h>

/* Streams of random numbers: so many for each generation. */
enum { STREAM_LAW, STREAM_REPAIR, STREAMS };
enum { PIECE_LOG2 = 48, ROW_LOG2 = 28 }; /* numbers for a piece, and for repairing a point */

static zilch_rng stream_of(const zilch_optimizer *o, unsigned which)
{
    return zilch_rng_make(o->seed, STREAMS * o->generations + which);
}

/* ---- Elites ----------------------------------------------------------------------- */

/* Without end for a point that is not feasible: it is worse than any that is, and between two of them noise
 * decides nothing. */
static double cost_of(const zilch_optimizer *o, size_t point)
{
    const zi_archive_entry *w = &o->archive.entry[point];
    return w->violation > 0.0 ? INFINITY : zi_archive_cost(&o->archive, w->estimate, w->active, w->penalties);
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

/* Whether elite number k is evaluated again: one that noise may have put among the elites, by two standard
 * errors, as usual; and the best, to see whether there is noise. */
static int is_reevaluated(const zilch_optimizer *o, double noise, size_t k)
{
    const double error = zi_trend_error(&o->trend, noise / sqrt(o->archive.entry[o->elite[k]].weight));
    return o->options.reevaluate == ZILCH_REEVALUATE_ALL ||
           (o->options.reevaluate == ZILCH_REEVALUATE_UNCERTAIN &&
            ((k == 0 && zi_turn_checks_noise(o)) ||
             !(cost_of(o, o->elite[k]) + 2.0 * error <= cost_of(o, o->elite[o->elites - 1]))));
}

zilch_status zi_generation_reserve(zilch_optimizer *o, size_t slots)
{
    ZI_TRY(zi_grow(&o->slot, sizeof *o->slot, o->slots, slots, &o->slot_capacity));
    return zi_grow(&o->genome, o->width * sizeof *o->genome, o->slots, slots, &o->genome_capacity);
}

static void put_again(zilch_optimizer *o, size_t point)
{
    zi_rows_read(&o->archive.rows, point, o->genome + o->slots * o->width);
    o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
}

/* With noise, some of a large generation go to the points that would be recommended, several times each: one
 * that was lucky often enough to get there is found out, and one that is good is known to be. */
static zilch_status check_best(zilch_optimizer *o)
{
    enum { PART = 40, MOST = 8 };
    const size_t room = o->population > o->slots ? o->population - o->slots - 1 : 0; /* one is new */
    const size_t count = o->population / PART < room ? o->population / PART : room;
    const size_t most = (size_t)sqrt((double)count);
    size_t best[MOST];
    if (!(o->archive.noise > 0.0) || o->options.reevaluate != ZILCH_REEVALUATE_UNCERTAIN) {
        return ZILCH_OK;
    }
    const size_t found = zi_archive_select(&o->archive, 0, most < MOST ? most : MOST, best);
    ZI_TRY(zi_generation_reserve(o, o->slots + count));
    for (size_t k = 0; k < count && found; k++) {
        put_again(o, best[k % found]);
    }
    return ZILCH_OK;
}

static zilch_status choose_elites(zilch_optimizer *o)
{
    const double noise = zi_noise_deviation(&o->noise);
    o->population = zi_turn_population(o);
    o->elites =
        zi_archive_select_drawn(&o->archive, o->epoch.first_id, zi_turn_elites(o, o->population), o->elite);
    ZI_TRY(zi_generation_reserve(o, o->elites));
    for (size_t k = 0; k < o->elites; k++) {
        const int has_room =
            o->options.population || 2 * o->slots < o->population; /* half is for new points */
        if (has_room && is_reevaluated(o, noise, k)) {
            put_again(o, o->elite[k]);
        }
    }
    ZI_TRY(check_best(o));
    o->reevaluated = o->slots;
    return ZILCH_OK;
}

/* ---- The law ---------------------------------------------------------------------- */

/* In the first generation only points from elsewhere can be elites. */
static int is_enough(const zilch_optimizer *o, size_t elites)
{
    return elites >= (o->generations > o->epoch.begin ? 2 : zi_turn_elites(o, zi_turn_population(o)));
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
        const zi_refit_input input = {.options = &o->options,
                                      .dim = o->dim,
                                      .elites = elites,
                                      .elite = genome,
                                      .cost = cost,
                                      .noise = isnan(noise) ? 0.0 : noise,
                                      .last = &o->law_state,
                                      .first = &o->first,
                                      .allowed = &o->constraints.allowed};
        status = zi_refit(out, &input);
        zi_free(cost);
    }
    zi_free(genome);
    return status;
}

zilch_status zi_generation_fit(zilch_optimizer *o)
{
    if (!zi_law_is_zig(o->options.method) || o->fitted.model || !is_enough(o, o->elites)) {
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
        return zi_fail(ZILCH_EARG, "model: optimizer and a place for the result must be given");
    }
    *out = NULL;
    if (!zi_law_is_zig(o->options.method)) {
        return zi_fail(ZILCH_ESTATE, "model: the method %s has none", zilch_method_name(o->options.method));
    }
    const size_t most = zi_turn_elites(o, zi_turn_population(o));
    ZI_TRY(zi_alloc(&point, most));
    const size_t elites = zi_archive_select_drawn(&o->archive, o->epoch.first_id, most, point);
    zilch_status status = is_enough(o, elites)
                              ? fit_to(o, elites, point, &fitted)
                              : zi_fail(ZILCH_ESTATE, "model: there are not enough elites to fit it to yet");
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
    o->slots = o->elites = o->reevaluated = o->population = o->refined = o->handed = o->told = 0;
}

/* ---- New points ------------------------------------------------------------------- */

/* The user's rule, if there is one. Points that are no numbers are found later. */
static zilch_status keep_rule(const zilch_optimizer *o, int is_first, size_t rows, double *genome)
{
    const zilch_method method = o->options.method;
    double *x;
    if (!o->constraints.rule.repair) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&x, o->dim));
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < rows && status == ZILCH_OK; i++) {
        double *row = genome + i * o->width;
        int is_finite = 1;
        for (size_t k = 0; k < o->width; k++) {
            is_finite &= isfinite(row[k]) != 0;
        }
        if (is_finite || is_first) {
            zi_law_point(method, o->dim, row, x);
            status = zi_rule_apply(&o->constraints, x);
            zi_law_follow(method, o->dim, x, row);
        }
    }
    zi_free(x);
    return status;
}

/* Brings new genomes within the limits, and has the user's rule look at them. */
static zilch_status repair_rows(zilch_optimizer *o, const double *elite, int is_first, size_t *rows,
                                double *genome)
{
    const zilch_method method = o->options.method;
    zi_marginals marginals = {0};
    zi_repairer repairer = {0};
    double *x;
    const int may_repeat = !o->turns.refine || zi_noise_deviation(&o->noise) > 0.0;
    zilch_rng repeats = stream_of(o, STREAM_REPAIR);
    repeats.counter = (UINT64_C(1) << 62) + ((uint64_t)o->slots << 32);
    if (o->constraints.is_free) {
        ZI_TRY(keep_rule(o, is_first, *rows, genome));
        return may_repeat ? ZILCH_OK : zi_repeats_replace(o, NULL, repeats, rows, genome);
    }
    ZI_TRY(zi_alloc(&x, (o->elites + 1) * o->dim)); /* a point, and the elites */
    zilch_status status = zi_marginals_create(&marginals, o->dim, o->options.initial_p, &o->first);
    if (status == ZILCH_OK && !is_first) {
        for (size_t i = 0; i < o->elites; i++) {
            zi_law_point(method, o->dim, elite + i * o->width, x + (i + 1) * o->dim);
        }
        zi_marginals_estimate(&marginals, o->dim, &o->first, o->elites, x + o->dim);
    }
    status = status == ZILCH_OK ? zi_repairer_create(&repairer, &o->constraints, &marginals) : status;
    for (size_t i = 0; i < *rows && status == ZILCH_OK; i++) {
        zilch_rng rng = stream_of(o, STREAM_REPAIR);
        rng.counter = (uint64_t)(o->slots + i) << ROW_LOG2;
        double *row = genome + i * o->width;
        zi_law_point(method, o->dim, row, x);
        zi_repair(&repairer, rng, x);
        zi_law_follow(method, o->dim, x, row);
    }
    status = status == ZILCH_OK ? keep_rule(o, is_first, *rows, genome) : status;
    if (status == ZILCH_OK && !may_repeat) {
        status = zi_repeats_replace(o, &repairer, repeats, rows, genome);
    }
    zi_repairer_free(&repairer);
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
            return zi_fail(
                ZILCH_ENUMERIC,
                "ask: the distribution gives coordinates beyond all numbers; bounds would keep them in");
        }
        genome[i] = copysign(DBL_MAX, genome[i]);
    }
    return ZILCH_OK;
}

/* *rows may become fewer. *is_lost: ENUMERIC is the law's, and not what the user's rule says. */
static zilch_status draw_piece(zilch_optimizer *o, const double *elite, int is_first, size_t *rows,
                               double *genome, int *is_lost)
{
    zi_draw draw = {.options = &o->options,
                    .dim = o->dim,
                    .width = o->width,
                    .elites = o->elites,
                    .elite = elite,
                    .fitted = &o->fitted,
                    .first = &o->first,
                    .rng = stream_of(o, STREAM_LAW),
                    .rows = *rows,
                    .genome = genome};
    draw.rng.counter = (uint64_t)((o->slots - o->reevaluated - o->refined) / *rows) << PIECE_LOG2;
    zilch_status status = is_first ? zi_draw_first(&draw) : zi_draw_next(&draw);
    *is_lost = status == ZILCH_ENUMERIC;
    ZI_TRY(status);
    if (o->trend.terms && !is_first && o->slots == o->reevaluated) {
        zi_trend_minimise(&o->trend, &o->archive, o->constraints.lower, o->constraints.upper, genome);
    }
    ZI_TRY(repair_rows(o, elite, is_first, rows, genome));
    status = check_finite(o, is_first, *rows, genome);
    *is_lost = status == ZILCH_ENUMERIC;
    return status;
}

/* ---- Where no law can follow ------------------------------------------------------ */

/* Why the elites have none, because the active values of a coordinate have none; STOP_NONE if that is not for
 * their values. Squares and sums of what is far may be no numbers. */
static zilch_stop look_at_elites(const zilch_optimizer *o, const double *elite)
{
    static const double far = 1e100;
    zilch_stop ending = ZILCH_STOP_NONE;
    for (size_t i = 0; i < o->width; i++) {
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
        ending = low < high && high - low < ZI_LEAST_SPREAD ? ZILCH_STOP_CONVERGED : ending;
    }
    return ending;
}

/* ---- Opening ---------------------------------------------------------------------- */

/* One more piece. With ENUMERIC, *ending has why. */
static zilch_status append(zilch_optimizer *o, const double *elite, size_t *rows, zilch_stop *ending,
                           int *is_lost)
{
    double *genome = o->genome + o->slots * o->width;
    zilch_status status = zi_generation_fit(o);
    *is_lost = status == ZILCH_ENUMERIC;
    if (*is_lost) {
        *ending = look_at_elites(o, elite);
    }
    ZI_TRY(status);
    status = draw_piece(o, elite, !is_enough(o, o->elites), rows, genome, is_lost);
    if (*is_lost) {
        *ending = ZILCH_STOP_DIVERGED;
    }
    return status;
}

/* A later piece that cannot be had from the law, as of one so wide that it overflows now and then, comes from
 * the first law: the points that are out already stay as they are. */
static zilch_status append_piece(zilch_optimizer *o, zilch_stop *ending)
{
    const size_t news = o->population - o->reevaluated; /* none where all are evaluated again */
    const int is_opening = o->slots == o->reevaluated && !o->refined && news;
    size_t rows = o->refined || !news ? zi_turn_population(o) : news;
    double *elite;
    int is_lost;
    *ending = ZILCH_STOP_NONE;
    ZI_TRY(zi_generation_reserve(o, o->slots + rows));
    ZI_TRY(read_genomes(o, o->elites, o->elite, &elite));
    zilch_status status = append(o, elite, &rows, ending, &is_lost);
    if (is_lost && o->slots > o->reevaluated + o->refined) {
        status = draw_piece(o, elite, 1, &rows, o->genome + o->slots * o->width, &is_lost);
    }
    zi_free(elite);
    for (size_t i = 0; i < rows && status == ZILCH_OK; i++) {
        o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
    }
    o->population = is_opening && status == ZILCH_OK ? o->slots : o->population;
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
    ZI_TRY(zi_rule_check(&o->constraints));
    if (o->gone) {
        return zi_fail(ZILCH_EVERSION,
                       "this run uses the option %s of zilch 0.1, which there is no longer; it can be read, "
                       "and zilch 0.1 can go on with it",
                       o->gone);
    }
    zilch_status status = zi_turn_open(o);
    if (status == ZILCH_OK && o->slots == 0) {
        status = choose_elites(o);
        status = status == ZILCH_OK ? append_piece(o, ending) : status;
        o->turns.checked = status == ZILCH_OK && o->reevaluated ? o->evaluations : o->turns.checked;
    }
    return forget_if_failed(o, status);
}

/* Without elites all points are drawn from the first law. */
zilch_status zi_generation_restart(zilch_optimizer *o)
{
    zi_optimizer_begin_anew(o);
    o->population = zi_turn_population(o);
    return forget_if_failed(o, zi_generation_append(o));
}
