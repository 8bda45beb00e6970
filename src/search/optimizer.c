/* Ask and tell. A generation opens when its first point is asked for (generation.c). It closes when enough
 * values are back: the archive takes them, in the order of their ids, whatever order they came in. */
#include "search/turns.h"

#include "base/memory.h"
#include "search/optimizer_options.h"
#include "search/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making one ------------------------------------------------------------------- */

zilch_status zilch_optimizer_create(zilch_optimizer **out, size_t dim, uint64_t seed,
                                    const zilch_optimizer_options *options)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "optimizer: no place for it given");
    }
    *out = NULL;
    zilch_optimizer_options chosen = options ? *options : zilch_optimizer_defaults();
    if (chosen.population == 0 && chosen.method != ZILCH_METHOD_DEFAULT) {
        chosen.population = 500;
    }
    if (chosen.elites == 0 && chosen.population) {
        chosen.elites = chosen.population / 5 > 2 ? chosen.population / 5 : 2;
    }
    ZI_TRY(zi_optimizer_options_check(dim, &chosen));
    zilch_optimizer *o;
    ZI_TRY(zi_alloc(&o, 1));
    const size_t width = zi_law_width(chosen.method, dim);
    *o = (zilch_optimizer){.dim = dim,
                           .width = width,
                           .seed = seed,
                           .restored_points = SIZE_MAX,
                           .least_cost = INFINITY,
                           .epoch.least_cost = INFINITY,
                           .law_state.scale = 1.0,
                           .stragglers.rows.width = width,
                           .archive = {.aggregate = chosen.aggregate,
                                       .penalty = chosen.penalty,
                                       .sign = chosen.direction == ZILCH_MINIMIZE ? 1.0 : -1.0,
                                       .rows.width = width}};
    zilch_status status = zi_optimizer_options_copy(&o->options, dim, &chosen);
    o->archive.penalties = o->options.penalties;
    status = status == ZILCH_OK ? zi_alloc(&o->elite, zi_most_elites(&o->options)) : status;
    status = status == ZILCH_OK ? zi_constraints_create(&o->constraints, dim, &o->options) : status;
    status = status == ZILCH_OK ? zi_first_law_check(&o->options, dim) : status;
    status = status == ZILCH_OK ? zi_first_create(&o->first, dim, &o->options) : status;
    status = status == ZILCH_OK ? zi_turns_create(o) : status;
    status = status == ZILCH_OK ? zi_points_in_all(&o->constraints, &o->points_in_all) : status;
    if (status != ZILCH_OK) {
        zilch_optimizer_destroy(o);
        return zi_fail_within(status, "optimizer");
    }
    *out = o;
    return ZILCH_OK;
}

void zilch_optimizer_destroy(zilch_optimizer *o)
{
    if (!o) {
        return;
    }
    zi_optimizer_options_free(&o->options);
    zi_constraints_free(&o->constraints);
    zi_turns_free(&o->turns);
    zi_first_free(&o->first);
    zi_trend_free(&o->trend);
    zi_archive_free(&o->archive);
    zi_law_state_free(&o->law_state);
    zi_fitted_free(&o->fitted);
    zi_free(o->elite);
    zi_free(o->slot);
    zi_free(o->genome);
    zi_rows_free(&o->stragglers.rows);
    zi_free(o->stragglers.slot);
    zi_free(o->fresh.list);
    zi_free(o);
}

/* ---- What the archive takes ------------------------------------------------------- */

zilch_status zi_optimizer_find(zilch_optimizer *o, const double *genome, size_t *point)
{
    const zilch_method method = o->options.method;
    return zi_archive_find(&o->archive, genome, zi_law_active(method, o->dim, genome),
                           zi_law_penalties(method, o->dim, o->options.penalties, genome), point);
}

/* The point's place in the archive is found, its evaluation becomes news; its value does not count yet. */
static zilch_status announce(zilch_optimizer *o, const zi_slot *slot, const double *genome)
{
    zi_new_evaluations *fresh = &o->fresh;
    size_t point;
    if (fresh->is_closed) {
        fresh->count = 0;
        fresh->is_closed = 0;
    }
    ZI_TRY(zi_grow(&fresh->list, sizeof *fresh->list, fresh->count, fresh->count + 1, &fresh->capacity));
    ZI_TRY(zi_optimizer_find(o, genome, &point));
    fresh->list[fresh->count++] = (zi_evaluation){.id = slot->id,
                                                  .point = point,
                                                  .value = slot->value,
                                                  .error = slot->error,
                                                  .violation = slot->violation};
    return ZILCH_OK;
}

static zilch_status announce_late(zilch_optimizer *o)
{
    double *genome;
    zilch_status status = ZILCH_OK;
    ZI_TRY(zi_alloc(&genome, o->width));
    for (size_t i = 0; i < o->stragglers.rows.count && status == ZILCH_OK; i++) {
        if (o->stragglers.slot[i].state == ZI_SLOT_TOLD) {
            zi_rows_read(&o->stragglers.rows, i, genome);
            status = announce(o, &o->stragglers.slot[i], genome);
        }
    }
    zi_free(genome);
    return status;
}

/* The newest of the points that are still out are remembered. */
static void forget_late(zilch_optimizer *o)
{
    zi_stragglers *late = &o->stragglers;
    const size_t most = zi_most_late(o);
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
    for (size_t i = first; i < o->fresh.count; i++) {
        zi_evaluation *e = &o->fresh.list[i];
        o->is_smooth = 0;
        e->weight = zi_noise_weigh(&o->noise, isfinite(e->value) ? e->error : NAN);
        zi_noise_watch(&o->noise, &o->archive.entry[e->point], e->value, e->weight);
        zi_archive_put(&o->archive, e);
    }
}

zilch_status zi_optimizer_smooth(zilch_optimizer *o)
{
    enum { LEAST = 2000, FOR_EACH = 40 }; /* points in a fit, for each new one: so it costs little */
    const size_t most = FOR_EACH * zi_turn_population(o);
    const double noise = zi_noise_deviation(&o->noise);
    zilch_status status = ZILCH_OK;
    o->is_smooth = 1;
    if (o->options.method != ZILCH_METHOD_DEFAULT || o->is_old || !(noise > 0.0)) {
        return ZILCH_OK;
    }
    if (o->options.smoothing) {
        status = zi_trend_fit(&o->trend, &o->archive, o->dim, most < LEAST ? LEAST : most, &o->noise);
        o->is_smooth = status == ZILCH_OK;
    }
    o->archive.noise = noise;
    o->archive.lack = o->trend.terms ? o->trend.lack : 0.0;
    zi_archive_find_best(&o->archive);
    return status;
}

zilch_status zi_optimizer_settle(zilch_optimizer *o)
{
    const size_t first = o->fresh.is_closed ? 0 : o->fresh.count;
    const zilch_status status = announce_late(o);
    if (status == ZILCH_OK && !o->fresh.is_closed) { /* else there was nothing */
        take_values(o, first);
        forget_late(o);
    } else if (!o->fresh.is_closed) {
        o->fresh.count = first;
    }
    return status == ZILCH_OK && !o->is_smooth ? zi_optimizer_smooth(o) : status;
}

/* ---- Asking ----------------------------------------------------------------------- */

/* It can always go on. */
static zilch_status open_generation(zilch_optimizer *o)
{
    zilch_stop ending;
    ZI_TRY(zi_rule_check(&o->constraints));
    if (o->slots) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_optimizer_settle(o));
    const zilch_status status = zi_generation_open(o, &ending);
    return ending == ZILCH_STOP_NONE ? status : zi_generation_restart(o);
}

zilch_status zilch_optimizer_wanted(zilch_optimizer *o, size_t *n)
{
    if (!o || !n) {
        return zi_fail(ZILCH_EARG, "wanted: optimizer and a place for the result must be given");
    }
    ZI_TRY(open_generation(o));
    *n = o->handed < o->population ? o->population - o->handed : 0;
    return ZILCH_OK;
}

zilch_status zilch_optimizer_ask(zilch_optimizer *o, size_t n, uint64_t *id, double *x)
{
    if (!o || (n && (!id || !x))) {
        return zi_fail(ZILCH_EARG, "ask: optimizer and places for ids and points must be given");
    }
    if (n > SIZE_MAX / 2 / sizeof(double) / o->width - o->handed) {
        return zi_fail(ZILCH_EARG, "ask: %zu points are more than memory can hold", n);
    }
    if (n) {
        ZI_TRY(open_generation(o));
    }
    while (o->slots < o->handed + n) {
        ZI_TRY(zi_generation_append(o));
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = o->handed + i;
        o->slot[at].state = ZI_SLOT_ASKED;
        o->slot[at].id = zi_slot_id(o, at);
        id[i] = zi_id_number(o->slot[at].id);
        zi_optimizer_show(o, o->genome + at * o->width, x + i * o->dim);
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
    zi_stragglers *late = &o->stragglers;
    const size_t count = late->rows.count;
    ZI_TRY(zi_grow(&late->slot, sizeof *late->slot, count, count + 1, &late->capacity));
    ZI_TRY(zi_rows_append(&late->rows, genome));
    late->slot[count] = *slot;
    return ZILCH_OK;
}

/* What is still out may come back late. */
static zilch_status announce_told(zilch_optimizer *o)
{
    ZI_TRY(announce_late(o));
    for (size_t i = 0; i < o->handed; i++) {
        const double *genome = o->genome + i * o->width;
        ZI_TRY(o->slot[i].state == ZI_SLOT_TOLD ? announce(o, &o->slot[i], genome)
                                                : append_late(o, &o->slot[i], genome));
    }
    return ZILCH_OK;
}

/* What a generation is to improve on: the least cost, of a point of this violation. Before there is one, the
 * cost is infinite. */
typedef struct record_to_beat {
    double *violation, *cost;
    uint64_t *improved; /* the generation that set it */
} record_to_beat;

/* The best since an id; gives whether it is better than all before. */
static int note_best(const zilch_optimizer *o, uint64_t since, record_to_beat record)
{
    size_t best;
    int is_better = 0;
    if (since ? zi_archive_select(&o->archive, since, 1, &best)
              : (size_t)zi_archive_best(&o->archive, &best)) {
        const zi_archive_entry *w = &o->archive.entry[best];
        const double cost = zi_archive_cost(&o->archive, w->value, w->active, w->penalties);
        is_better = isinf(*record.cost) ? cost < *record.cost
                                        : zi_is_better(w->violation, cost, *record.violation, *record.cost);
        if (is_better) {
            *record.violation = w->violation;
            *record.cost = cost;
            *record.improved = o->generations;
        }
    }
    return is_better;
}

void zi_optimizer_take_method(zilch_optimizer *o, zilch_method method)
{
    if (o->is_old && o->options.method == ZILCH_METHOD_DEFAULT && method == ZILCH_METHOD_PUBLISHED) {
        o->options.method = method;
    }
}

void zi_optimizer_take_old(zilch_optimizer *o)
{
    zilch_optimizer_options unbounded = o->options;
    unbounded.lower = unbounded.upper = NULL;
    o->is_old = 1;
    zi_turns_free(&o->turns);
    o->constraints.is_reflecting = 0;
    zi_first_law(&unbounded, o->dim, o->first.mu, o->first.sigma);
}

void zi_optimizer_begin_anew(zilch_optimizer *o)
{
    o->epoch = (zi_epoch){
        .begin = o->generations, .improved = o->generations, .least_cost = INFINITY, .first_id = o->first_id};
    zi_law_state_free(&o->law_state);
    o->restarts++;
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
        "generation %llu: none of %zu evaluations succeeded; nothing is lost, its points will be asked again",
        number, told);
}

static zilch_status close_generation(zilch_optimizer *o)
{
    const size_t first = o->fresh.is_closed ? 0 : o->fresh.count;
    const size_t late = o->stragglers.rows.count;
    if (count_successes(o) == 0 && !o->refined) { /* where the refinement is, may be all there is to fail */
        return fail_generation(o);
    }
    zilch_status status = zi_generation_fit(o); /* it is not if the points were drawn before a load */
    /* Elites of a damaged file may have no law: then the last state stays. */
    status = status == ZILCH_OK || status == ZILCH_ENUMERIC ? announce_told(o) : status;
    if (status != ZILCH_OK) { /* as before */
        o->fresh.count = first;
        o->stragglers.rows.count = late;
        return status;
    }
    for (size_t i = 0; i < o->refined; i++) {
        o->turns.evaluations += o->slot[i].state == ZI_SLOT_TOLD;
    }
    take_values(o, first);
    zi_noise_age(&o->noise);
    forget_late(o);
    if (o->fitted.model) { /* what its law leaves to the next one */
        zi_law_state_free(&o->law_state);
        o->law_state = o->fitted.state;
        o->fitted.state = (zi_law_state){0};
    }
    o->first_id += o->handed;
    zi_generation_forget(o);
    o->generations++;
    o->fresh.is_closed = 1;
    if (note_best(o, 0, (record_to_beat){&o->violation, &o->least_cost, &o->improved})) {
        o->turns.improved = o->evaluations;
    }
    (void)note_best(o, o->epoch.first_id,
                    (record_to_beat){&o->epoch.violation, &o->epoch.least_cost, &o->epoch.improved});
    if (o->options.archive_size) { /* without memory for that, all are remembered until the next time */
        (void)!zi_archive_forget(&o->archive, o->epoch.first_id, (size_t)o->options.archive_size);
    }
    (void)!zi_optimizer_smooth(o); /* or, without memory for it, before the next generation opens */
    return ZILCH_OK;
}

/* The refinement has weighed its points by the old penalty, so it begins anew; and nothing was improved on by
 * the new one yet. */
zilch_status zilch_optimizer_set_penalty(zilch_optimizer *o, double penalty)
{
    if (!o || !(penalty >= 0.0 && isfinite(penalty))) {
        return zi_fail(ZILCH_EARG, "penalty: needs an optimizer and a finite number that is not below 0");
    }
    if (o->slots) {
        return zi_fail(ZILCH_ESTATE, "penalty: can change only between two generations, and one is open");
    }
    zi_turns *t = &o->turns;
    if (t->refine) {
        zi_refine *anew;
        ZI_TRY(zi_refine_create(&anew, &o->constraints, o->first.mu, o->first.sigma,
                                (zi_penalty){penalty, o->options.penalties}, o->seed));
        zi_refine_destroy(t->refine);
        t->refine = anew;
    }
    o->options.penalty = o->archive.penalty = penalty;
    o->law_state.best = INFINITY;
    o->least_cost = o->epoch.least_cost = INFINITY;
    zi_archive_find_best(&o->archive);
    if (note_best(o, 0, (record_to_beat){&o->violation, &o->least_cost, &o->improved})) {
        t->improved = o->evaluations;
    }
    (void)note_best(o, o->epoch.first_id,
                    (record_to_beat){&o->epoch.violation, &o->epoch.least_cost, &o->epoch.improved});
    t->cost = o->least_cost;
    t->violation = o->violation;
    return ZILCH_OK;
}

zilch_status zilch_optimizer_advance(zilch_optimizer *o)
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

/* The slot with this id, which says nothing of whose point it is; NULL if it was never asked for, or is
 * forgotten. */
static zi_slot *find_slot(zilch_optimizer *o, uint64_t id)
{
    if (id >= o->first_id && id - o->first_id < o->handed) {
        return &o->slot[id - o->first_id];
    }
    for (size_t i = 0; i < o->stragglers.rows.count; i++) { /* few */
        if (zi_id_number(o->stragglers.slot[i].id) == id) {
            return &o->stragglers.slot[i];
        }
    }
    return NULL;
}

/* In a generation of the refinement, points that were asked for beyond it are the distribution's: they close
 * nothing. Without the refinement's own, the next generation would have to ask for these again. */
static size_t count_told(const zilch_optimizer *o)
{
    size_t told = o->refined ? 0 : o->told;
    for (size_t i = 0; i < o->refined; i++) {
        told += o->slot[i].state == ZI_SLOT_TOLD;
    }
    return told;
}

/* All were asked for and not yet told, and none is there twice. */
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
        const unsigned long long number = sorted[i].id;
        const zi_slot *slot = find_slot(o, number);
        if (i && number == sorted[i - 1].id) {
            status = zi_fail(ZILCH_EARG, "tell: id %llu is there twice", number);
        } else if (!slot) {
            status = zi_fail(
                ZILCH_EARG,
                "tell: id %llu was not asked for, was told in a generation that has closed, or is forgotten",
                number);
        } else if (slot->state == ZI_SLOT_TOLD) {
            status = zi_fail(ZILCH_EARG, "tell: id %llu was told before", number);
        }
    }
    zi_free(sorted);
    return status;
}

zilch_status zilch_optimizer_tell(zilch_optimizer *o, size_t n, const uint64_t *id, const double *value)
{
    return zilch_optimizer_tell_error(o, n, id, value, NULL);
}

zilch_status zilch_optimizer_tell_error(zilch_optimizer *o, size_t n, const uint64_t *id, const double *value,
                                        const double *error)
{
    return zilch_optimizer_tell_violation(o, n, id, value, error, NULL);
}

/* What was told of a point. Without a violation that is a number, its evaluation has failed. */
static void put_told(zilch_optimizer *o, zi_slot *slot, double value, double error, double violation)
{
    const int is_known = isfinite(zilch_violation(1, &violation));
    slot->value = is_known ? value : NAN;
    slot->error = error;
    slot->violation = is_known && isfinite(value) ? zilch_violation(1, &violation) : 0.0;
    slot->state = ZI_SLOT_TOLD;
    o->evaluations++;
    o->failures += isfinite(slot->value) ? 0 : 1;
}

zilch_status zilch_optimizer_tell_violation(zilch_optimizer *o, size_t n, const uint64_t *id,
                                            const double *value, const double *error, const double *violation)
{
    if (!o || (n && (!id || !value))) {
        return zi_fail(ZILCH_EARG, "tell: optimizer, ids and values must be given");
    }
    for (size_t i = 0; error && i < n; i++) {
        if (error[i] < 0.0 || isinf(error[i])) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"tell", {{ZI_POINT, i}}, NULL},
                              "the standard error is %g; it must be 0 or more, or NaN", error[i]);
        }
    }
    ZI_TRY(check_ids(o, n, id));
    for (size_t i = 0; i < n; i++) {
        put_told(o, find_slot(o, id[i]), value[i], error ? error[i] : NAN, violation ? violation[i] : 0.0);
        o->told += id[i] >= o->first_id && id[i] < ZI_FOREIGN_ID;
    }
    const double share = o->options.quorum * (double)o->population;
    const size_t needed = (size_t)ceil(share * (1.0 - 1e-12)); /* 0.07 of 100 is 7 */
    if (o->slots == 0 || count_told(o) < needed || (o->told < o->handed && count_successes(o) == 0)) {
        return ZILCH_OK; /* none is open, or others are still out, and may do better */
    }
    return close_generation(o);
}

zilch_status zilch_optimizer_tell_point(zilch_optimizer *o, const double *x, double value)
{
    return zilch_optimizer_tell_point_violation(o, x, value, 0.0);
}

/* What the point leaves open of its genome comes from the first law. */
static zilch_status take_point(zilch_optimizer *o, const double *x, double *genome)
{
    ZI_TRY(zi_constraints_check(&o->constraints, x));
    const zi_draw draw = {.options = &o->options,
                          .dim = o->dim,
                          .width = o->width,
                          .first = &o->first,
                          .rng = zilch_rng_make(o->seed, UINT64_MAX - o->foreign),
                          .rows = 1,
                          .genome = genome};
    ZI_TRY(zi_draw_first(&draw));
    zi_law_follow(o->options.method, o->dim, x, genome);
    const zi_slot slot = {.id = ZI_FOREIGN_ID + o->foreign};
    return append_late(o, &slot, genome);
}

zilch_status zilch_optimizer_tell_point_violation(zilch_optimizer *o, const double *x, double value,
                                                  double violation)
{
    double *room;
    if (!o || !x) {
        return zi_fail(ZILCH_EARG, "tell: optimizer and point must be given");
    }
    ZI_TRY(zi_alloc(&room, o->dim + o->width));
    memcpy(room, x, o->dim * sizeof *x);
    zi_allowed_offsets(&o->constraints.allowed, room);
    const zilch_status status = take_point(o, room, room + o->dim);
    zi_free(room);
    if (status == ZILCH_OK) {
        o->foreign++;
        put_told(o, &o->stragglers.slot[o->stragglers.rows.count - 1], value, NAN, violation);
    }
    return status;
}
