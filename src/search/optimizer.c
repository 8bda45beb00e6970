/* Ask and tell. A generation opens when its first point is asked for (generation.c). It closes when enough
 * values are back: the archive takes them, in the order of their ids, whatever order they came in. */
#include "search/optimizer.h"

#include "base/memory.h"
#include "search/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making one ------------------------------------------------------------------- */

static zilch_status fill(zilch_optimizer *o, const zilch_optimizer_options *options)
{
    ZI_TRY(zi_options_copy(&o->options, o->dim, options));
    ZI_TRY(zi_alloc(&o->elite, options->elites));
    return zi_constraints_create(&o->constraints, o->dim, &o->options);
}

zilch_status zilch_optimizer_create(zilch_optimizer **out, size_t dim, uint64_t seed,
                                    const zilch_optimizer_options *options)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "optimizer: no place for it given");
    }
    *out = NULL;
    zilch_optimizer_options chosen = options ? *options : zilch_optimizer_defaults();
    if (chosen.elites == 0) {
        chosen.elites = chosen.population / 5 > 2 ? chosen.population / 5 : 2;
    }
    ZI_TRY(zi_options_check(dim, &chosen));
    zilch_optimizer *o;
    ZI_TRY(zi_alloc(&o, 1));
    const size_t width = zi_law_width(chosen.law, dim);
    *o = (zilch_optimizer){.dim = dim,
                           .width = width,
                           .seed = seed,
                           .restored_points = SIZE_MAX,
                           .least_cost = INFINITY,
                           .epoch.least_cost = INFINITY,
                           .memory.scale = 1.0,
                           .late.rows.width = width,
                           .archive = {.kind = chosen.archive,
                                       .price = chosen.price,
                                       .sign = chosen.direction == ZILCH_MINIMIZE ? 1.0 : -1.0,
                                       .rows.width = width}};
    const zilch_status status = fill(o, &chosen);
    if (status != ZILCH_OK) {
        zilch_optimizer_destroy(o);
        return status;
    }
    *out = o;
    return ZILCH_OK;
}

void zilch_optimizer_destroy(zilch_optimizer *o)
{
    if (!o) {
        return;
    }
    zi_options_free(&o->options);
    zi_constraints_free(&o->constraints);
    zi_archive_free(&o->archive);
    zi_memory_free(&o->memory);
    zi_fitted_free(&o->fitted);
    zi_free(o->elite);
    zi_free(o->slot);
    zi_free(o->genome);
    zi_rows_free(&o->late.rows);
    zi_free(o->late.slot);
    zi_free(o->news.told);
    zi_free(o);
}

/* ---- What the archive takes ------------------------------------------------------- */

/* The point's place in the archive is found, its evaluation becomes news; its value does not count yet. */
static zilch_status announce(zilch_optimizer *o, const zi_slot *slot, const double *genome)
{
    zi_news *news = &o->news;
    size_t point;
    if (news->is_closed) {
        news->count = 0;
        news->is_closed = 0;
    }
    ZI_TRY(zi_grow(&news->told, sizeof *news->told, news->count, news->count + 1, &news->capacity));
    const size_t active = zi_law_active(o->options.law, o->dim, genome);
    ZI_TRY(zi_archive_find(&o->archive, genome, active, &point));
    news->told[news->count++] = (zi_told){slot->id, point, slot->value, slot->error};
    return ZILCH_OK;
}

static zilch_status announce_late(zilch_optimizer *o)
{
    double *genome;
    zilch_status status = ZILCH_OK;
    ZI_TRY(zi_alloc(&genome, o->width));
    for (size_t i = 0; i < o->late.rows.count && status == ZILCH_OK; i++) {
        if (o->late.slot[i].state == ZI_SLOT_TOLD) {
            zi_rows_read(&o->late.rows, i, genome);
            status = announce(o, &o->late.slot[i], genome);
        }
    }
    zi_free(genome);
    return status;
}

/* Of those still asked for, the newest few generations' are remembered. */
static void forget_late(zilch_optimizer *o)
{
    zi_late *late = &o->late;
    const size_t most = 4 * o->options.population;
    size_t asked = 0;
    size_t kept = 0;
    for (size_t i = 0; i < late->rows.count; i++) {
        asked += late->slot[i].state == ZI_SLOT_ASKED;
    }
    for (size_t i = 0; i < late->rows.count; i++) {
        const int is_asked = late->slot[i].state == ZI_SLOT_ASKED;
        if (is_asked && asked <= most) {
            late->slot[kept] = late->slot[i];
            zi_rows_keep(&late->rows, i, kept++);
        }
        asked -= (size_t)is_asked;
    }
    late->rows.count = kept;
}

/* From news number `first` on; nothing can fail any more. Errors become weights. */
static void take_values(zilch_optimizer *o, size_t first)
{
    for (size_t i = first; i < o->news.count; i++) {
        zi_told *told = &o->news.told[i];
        told->weight = zi_noise_weigh(&o->noise, isfinite(told->value) ? told->weight : NAN);
        zi_noise_watch(&o->noise, &o->archive.worth[told->point], told->value, told->weight);
        zi_archive_put(&o->archive, told);
    }
}

zilch_status zi_optimizer_settle(zilch_optimizer *o)
{
    const size_t first = o->news.is_closed ? 0 : o->news.count;
    const zilch_status status = announce_late(o);
    if (status == ZILCH_OK && !o->news.is_closed) { /* else there was nothing */
        take_values(o, first);
        forget_late(o);
    } else if (!o->news.is_closed) {
        o->news.count = first;
    }
    return status;
}

/* ---- Asking ----------------------------------------------------------------------- */

/* Asking can always go on: where the search has ended by itself, it begins anew. */
static zilch_status open_generation(zilch_optimizer *o)
{
    zilch_stop ending;
    const zilch_status status = zi_generation_open(o, &ending);
    return ending == ZILCH_STOP_NONE ? status : zi_generation_restart(o);
}

zilch_status zilch_ask(zilch_optimizer *o, size_t n, uint64_t *id, double *x)
{
    if (!o || (n && (!id || !x))) {
        return zi_fail(ZILCH_EARG, "ask: optimizer and places for ids and points must be given");
    }
    if (n > SIZE_MAX / 2 / sizeof(double) / o->width - o->handed) {
        return zi_fail(ZILCH_EARG, "ask: %zu points are more than memory can hold", n);
    }
    if (n && o->slots == 0) {
        ZI_TRY(zi_optimizer_settle(o));
        ZI_TRY(open_generation(o));
    }
    while (o->slots < o->handed + n) {
        ZI_TRY(zi_generation_append(o));
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = o->handed + i;
        o->slot[at].state = ZI_SLOT_ASKED;
        o->slot[at].id = id[i] = o->first_id + at;
        zi_law_point(o->options.law, o->dim, o->genome + at * o->width, x + i * o->dim);
    }
    o->handed += n;
    return ZILCH_OK;
}

/* ---- Closing a generation --------------------------------------------------------- */

void zi_optimizer_reopen(zilch_optimizer *o)
{
    for (size_t i = 0; i < o->handed; i++) {
        o->slot[i] = (zi_slot){.state = ZI_SLOT_NEW};
    }
    o->handed = o->told = 0;
}

static zilch_status append_late(zilch_optimizer *o, const zi_slot *slot, const double *genome)
{
    zi_late *late = &o->late;
    const size_t count = late->rows.count;
    ZI_TRY(zi_grow(&late->slot, sizeof *late->slot, count, count + 1, &late->capacity));
    ZI_TRY(zi_rows_append(&late->rows, genome));
    late->slot[count] = *slot;
    return ZILCH_OK;
}

static zilch_status keep_unanswered(zilch_optimizer *o)
{
    for (size_t i = 0; i < o->handed; i++) {
        if (o->slot[i].state == ZI_SLOT_ASKED) {
            ZI_TRY(append_late(o, &o->slot[i], o->genome + i * o->width));
        }
    }
    return ZILCH_OK;
}

static zilch_status announce_told(zilch_optimizer *o)
{
    ZI_TRY(announce_late(o));
    for (size_t i = 0; i < o->handed; i++) {
        if (o->slot[i].state == ZI_SLOT_TOLD) {
            ZI_TRY(announce(o, &o->slot[i], o->genome + i * o->width));
        }
    }
    return keep_unanswered(o);
}

/* The least cost since an id, and the generation that found it. */
static void note_best(const zilch_optimizer *o, uint64_t since, double *least_cost, uint64_t *improved)
{
    size_t best;
    if (zi_archive_select(&o->archive, since, 1, &best)) {
        const zi_worth *w = &o->archive.worth[best];
        const double cost = zi_archive_cost(&o->archive, w->value, w->active);
        if (cost < *least_cost) {
            *least_cost = cost;
            *improved = o->generations;
        }
    }
}

void zi_optimizer_begin_anew(zilch_optimizer *o)
{
    o->epoch = (zi_epoch){
        .begin = o->generations, .improved = o->generations, .least_cost = INFINITY, .first_id = o->first_id};
    zi_memory_free(&o->memory);
    o->restarts++;
}

static void restart_if_stalled(zilch_optimizer *o)
{
    if (o->options.restart && o->generations - o->epoch.improved >= o->options.restart) {
        zi_optimizer_begin_anew(o);
    }
}

/* What the law of the generation leaves to the next one. */
static void keep_memory(zilch_optimizer *o)
{
    if (o->fitted.model) {
        zi_memory_free(&o->memory);
        o->memory = o->fitted.memory;
        o->fitted.memory = (zi_memory){0};
    }
}

static size_t count_successes(const zilch_optimizer *o)
{
    size_t successes = 0;
    for (size_t i = 0; i < o->handed; i++) {
        successes += o->slot[i].state == ZI_SLOT_TOLD && isfinite(o->slot[i].value);
    }
    return successes;
}

/* Those that are still out may do better; without any, all is asked again. */
static zilch_status fail_generation(zilch_optimizer *o)
{
    const unsigned long long number = o->generations + 1;
    const size_t told = o->told;
    if (told < o->handed) {
        return zi_fail(ZILCH_EOBJECTIVE,
                       "generation %llu: none of %zu evaluations succeeded; %zu are still out", number, told,
                       o->handed - told);
    }
    zi_optimizer_reopen(o);
    return zi_fail(
        ZILCH_EOBJECTIVE,
        "generation %llu: none of %zu evaluations succeeded; nothing is lost, its points will be asked "
        "again",
        number, told);
}

static zilch_status close_generation(zilch_optimizer *o)
{
    const size_t first = o->news.is_closed ? 0 : o->news.count;
    const size_t late = o->late.rows.count;
    if (count_successes(o) == 0) {
        return fail_generation(o);
    }
    zilch_status status = zi_generation_fit(o); /* it is not if the points were drawn before a load */
    /* Elites of a damaged file may have no law: then the memory stays. */
    status = status == ZILCH_OK || status == ZILCH_ENUMERIC ? announce_told(o) : status;
    if (status != ZILCH_OK) { /* as before */
        o->news.count = first;
        o->late.rows.count = late;
        return status;
    }
    take_values(o, first);
    zi_noise_age(&o->noise);
    forget_late(o);
    keep_memory(o);
    o->first_id += o->handed;
    zi_generation_forget(o);
    o->generations++;
    o->news.is_closed = 1;
    note_best(o, 0, &o->least_cost, &o->improved);
    note_best(o, o->epoch.first_id, &o->epoch.least_cost, &o->epoch.improved);
    restart_if_stalled(o);
    if (o->options.remember) { /* without memory for that, all are remembered until the next time */
        (void)!zi_archive_forget(&o->archive, o->epoch.first_id, o->options.remember);
    }
    return ZILCH_OK;
}

zilch_status zilch_advance(zilch_optimizer *o)
{
    if (!o) {
        return zi_fail(ZILCH_EARG, "advance: no optimizer given");
    }
    if (o->told) {
        return close_generation(o);
    }
    /* Later, what the last generation has announced may still be read. */
    return o->generations == 0 && o->slots == 0 ? zi_optimizer_settle(o) : ZILCH_OK;
}

/* ---- Telling ---------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = ((const zi_slot *)a)->id;
    const uint64_t y = ((const zi_slot *)b)->id;
    return (x > y) - (x < y);
}

/* The slot with this id; NULL if it was never asked for, or is forgotten. */
static zi_slot *find_slot(zilch_optimizer *o, uint64_t id)
{
    if (id >= o->first_id && id - o->first_id < o->handed) {
        return &o->slot[id - o->first_id];
    }
    for (size_t i = 0; i < o->late.rows.count; i++) { /* few */
        if (o->late.slot[i].id == id) {
            return &o->late.slot[i];
        }
    }
    return NULL;
}

static zilch_status check_id(zilch_optimizer *o, uint64_t id)
{
    const zi_slot *slot = find_slot(o, id);
    const unsigned long long number = id;
    if (!slot) {
        return zi_fail(
            ZILCH_EARG,
            "tell: id %llu was not asked for, was told in a generation that has closed, or is forgotten",
            number);
    }
    if (slot->state == ZI_SLOT_TOLD) {
        return zi_fail(ZILCH_EARG, "tell: id %llu was told before", number);
    }
    return ZILCH_OK;
}

/* None of the ids twice. */
static zilch_status check_ids(zilch_optimizer *o, size_t n, const uint64_t *id)
{
    zi_slot *sorted;
    ZI_TRY(zi_alloc(&sorted, n));
    for (size_t i = 0; i < n; i++) {
        sorted[i].id = id[i];
    }
    qsort(sorted, n, sizeof *sorted, ascending);
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < n && status == ZILCH_OK; i++) {
        status = i && sorted[i].id == sorted[i - 1].id
                     ? zi_fail(ZILCH_EARG, "tell: id %llu is there twice", (unsigned long long)sorted[i].id)
                     : check_id(o, sorted[i].id);
    }
    zi_free(sorted);
    return status;
}

static size_t needed(const zilch_optimizer *o)
{
    const double share = o->options.share * (double)o->options.population;
    return (size_t)ceil(share * (1.0 - 1e-12)); /* 0.07 of 100 is 7 */
}

zilch_status zilch_tell(zilch_optimizer *o, size_t n, const uint64_t *id, const double *value)
{
    return zilch_tell_error(o, n, id, value, NULL);
}

static zilch_status check_errors(size_t n, const double *error)
{
    for (size_t i = 0; error && i < n; i++) {
        if (error[i] < 0.0 || isinf(error[i])) {
            return zi_fail(ZILCH_EARG, "tell: error %zu (counted from 0) is %g; it must be 0 or more, or NaN",
                           i, error[i]);
        }
    }
    return ZILCH_OK;
}

zilch_status zilch_tell_error(zilch_optimizer *o, size_t n, const uint64_t *id, const double *value,
                              const double *error)
{
    if (!o || (n && (!id || !value))) {
        return zi_fail(ZILCH_EARG, "tell: optimizer, ids and values must be given");
    }
    ZI_TRY(check_errors(n, error));
    ZI_TRY(check_ids(o, n, id));
    for (size_t i = 0; i < n; i++) {
        zi_slot *slot = find_slot(o, id[i]);
        slot->value = value[i];
        slot->error = error ? error[i] : NAN;
        slot->state = ZI_SLOT_TOLD;
        o->told += id[i] >= o->first_id && id[i] < ZI_FOREIGN_ID;
        o->evaluations++;
        o->failures += isfinite(value[i]) ? 0 : 1;
    }
    if (o->told < needed(o) || (o->told < o->handed && count_successes(o) == 0)) {
        return ZILCH_OK; /* others are still out, and may do better */
    }
    return close_generation(o);
}

/* A genome that gives this point: what the point leaves open comes from the first law. */
static zilch_status genome_of(const zilch_optimizer *o, const double *x, double *genome)
{
    const zi_draw draw = {.options = &o->options,
                          .dim = o->dim,
                          .width = o->width,
                          .rng = zilch_rng_make(o->seed, UINT64_MAX - o->foreign),
                          .rows = 1,
                          .genome = genome};
    ZI_TRY(zi_draw_first(&draw));
    zi_law_follow(o->options.law, o->dim, x, genome);
    return ZILCH_OK;
}

zilch_status zilch_tell_point(zilch_optimizer *o, const double *x, double value)
{
    double *genome;
    if (!o || !x) {
        return zi_fail(ZILCH_EARG, "tell: optimizer and point must be given");
    }
    ZI_TRY(zi_constraints_check(&o->constraints, x));
    ZI_TRY(zi_alloc(&genome, o->width));
    zilch_status status = genome_of(o, x, genome);
    if (status == ZILCH_OK) {
        const zi_slot slot = {
            .id = ZI_FOREIGN_ID + o->foreign, .value = value, .error = NAN, .state = ZI_SLOT_TOLD};
        status = append_late(o, &slot, genome);
    }
    zi_free(genome);
    if (status == ZILCH_OK) {
        o->foreign++;
        o->evaluations++;
        o->failures += isfinite(value) ? 0 : 1;
    }
    return status;
}
