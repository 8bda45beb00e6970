/* The distribution explores, and the refinement makes the most of the best point. The refinement begins, from
 * the zero point or the first guess, as most problems are decided there, and has three quarters of the
 * evaluations as long as it finds better points. From its second course on, each that comes to an end without
 * one lowers its share. It starts again from a dense point, from the best point of the distribution, from the
 * best of all with some coordinates changed, and from a new point, in turn. Where values are noisy there is
 * no refinement: it would take luck for progress. */
#include "search/turns.h"

#include "base/memory.h"
#include "search/optimizer_options.h"
#include "search/repeats.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double most_share = 0.75;
static const double least_share = 0.1;
static const double share_decay = 0.25;

/* Streams of random numbers behind those of generations. */
static zilch_rng stream_of(const zilch_optimizer *o)
{
    return zilch_rng_make(o->seed, UINT64_MAX / 2 + o->turns.starts);
}

/* ---- The distribution's generations ------------------------------------------------- */

/* A small population learns fast and is soon sure of what it has; masks that are closed seldom open again,
 * and a larger population later does not help. So it follows from the evaluations that the search will have,
 * and grows along with them where that is not known. With noise, ranks are worth less, and it is larger;
 * with few evaluations in all not by as much, so that there are generations enough (measured on the lander).
 * How many evaluations there were is told by the first id of the generation, so that what is told meanwhile
 * changes nothing. */
size_t zi_turn_population(const zilch_optimizer *o)
{
    enum { LEAST = 20, MOST = 500, PART = 200, PART_NOISY = 35, PART_NOISY_FEW = 50, FEW = 20000, AHEAD = 3 };
    if (o->options.population) {
        return (size_t)o->options.population;
    }
    const int is_noisy = zi_noise_deviation(&o->noise) > 0.0;
    const uint64_t told = o->options.expected_evaluations;
    const uint64_t expected = told ? told : AHEAD * o->first_id;
    const uint64_t part = !is_noisy ? PART : told && told < FEW ? PART_NOISY_FEW : PART_NOISY;
    const uint64_t wanted = expected / part;
    const uint64_t most = is_noisy ? ZI_AUTOMATIC_MOST : MOST;
    return wanted < LEAST ? LEAST : wanted > most ? (size_t)most : (size_t)wanted;
}

size_t zi_turn_elites(const zilch_optimizer *o, size_t population)
{
    const size_t kept = o->options.archive_size ? (size_t)o->options.archive_size : SIZE_MAX;
    return o->options.elites ? (size_t)o->options.elites : population / 5 < kept ? population / 5 : kept;
}

size_t zi_most_elites(const zilch_optimizer_options *options)
{
    return options->elites ? (size_t)options->elites : ZI_AUTOMATIC_MOST / 5;
}

/* Generations of the refinement are small, but as many may be out as of a large one. */
size_t zi_most_late(const zilch_optimizer *o)
{
    const int is_small =
        o->options.population < ZI_AUTOMATIC_MOST && (o->turns.refine || !o->options.population);
    return 4 * (is_small ? ZI_AUTOMATIC_MOST : (size_t)o->options.population);
}

int zi_turn_checks_noise(const zilch_optimizer *o)
{
    return !o->turns.refine || zi_noise_deviation(&o->noise) > 0.0 || o->evaluations >= 2 * o->turns.checked;
}

/* ---- Where the refinement starts ---------------------------------------------------- */

/* Draws one value of a coordinate from the first law. */
static double draw_value(const zilch_optimizer *o, zilch_rng *rng, size_t i)
{
    const double drawn = o->first.mu[i] + o->first.sigma[i] * zilch_rng_normal(rng);
    const double x = fmax(-DBL_MAX, fmin(DBL_MAX, drawn));
    return x != 0.0 ? x : o->first.sigma[i];
}

static void draw_point(const zilch_optimizer *o, zilch_rng *rng, double *x)
{
    for (size_t i = 0; i < o->dim; i++) {
        const int is_active = zilch_rng_uniform(rng) < 0.5;
        const double value = draw_value(o, rng, i);
        x[i] = is_active ? value : 0.0;
    }
}

static void draw_dense(const zilch_optimizer *o, zilch_rng *rng, double *x)
{
    static const double part = 0.25; /* of the first spread */
    for (size_t i = 0; i < o->dim; i++) {
        const double drawn = o->first.mu[i] + part * o->first.sigma[i] * zilch_rng_normal(rng);
        x[i] = drawn != 0.0 ? fmax(-DBL_MAX, fmin(DBL_MAX, drawn)) : o->first.sigma[i];
    }
}

/* Some coordinates, up to a third as many as are active, are switched on or off. */
static void change_point(const zilch_optimizer *o, zilch_rng *rng, double *x)
{
    const double active = (double)zi_law_active(o->options.method, o->dim, x);
    const size_t changes = 1 + (size_t)(zilch_rng_uniform(rng) * fmax(1.0, 0.3 * active));
    for (size_t k = 0; k < changes; k++) {
        const size_t on = (size_t)(zilch_rng_uniform(rng) * (double)o->dim);
        x[on] = draw_value(o, rng, on);
        double left = floor(zilch_rng_uniform(rng) * active);
        const int is_dropped = zilch_rng_uniform(rng) < 0.5;
        for (size_t i = 0; i < o->dim && is_dropped; i++) {
            if (x[i] != 0.0 && left-- == 0.0) {
                x[i] = 0.0;
                break;
            }
        }
    }
}

/* The best point that the refinement has not found; 0 if there is none. */
static int best_of_law(const zilch_optimizer *o, double *x)
{
    size_t best;
    if (!zi_archive_select_drawn(&o->archive, 0, 1, &best)) {
        return 0;
    }
    zi_rows_read(&o->archive.rows, best, x);
    return 1;
}

static zilch_status keep_limits(const zilch_optimizer *o, zilch_rng rng, double *x)
{
    zi_marginals marginals = {0};
    zi_repairer repairer = {0};
    if (o->constraints.is_free) {
        return zi_rule_apply(&o->constraints, x);
    }
    zilch_status status = zi_marginals_create(&marginals, o->dim, o->options.initial_p, &o->first);
    status = status == ZILCH_OK ? zi_repairer_create(&repairer, &o->constraints, &marginals) : status;
    if (status == ZILCH_OK) {
        zi_repair(&repairer, rng, x);
    }
    for (size_t i = 0; i < o->dim; i++) { /* a value from a law that is too wide */
        x[i] = fmax(-DBL_MAX, fmin(DBL_MAX, x[i]));
    }
    zi_repairer_free(&repairer);
    zi_marginals_free(&marginals);
    return status == ZILCH_OK ? zi_rule_apply(&o->constraints, x) : status;
}

/* The first start is the first guess; without one, zero, or what is within bounds that leave zero out,
 * whichever is better. */
static zilch_status choose_first(const zilch_optimizer *o, double *guess, double *other)
{
    const zi_constraints *c = &o->constraints;
    const double *x0 = o->options.x0;
    const zilch_rng rng = stream_of(o);
    for (size_t i = 0; i < o->dim; i++) {
        const int is_outside = c->lower[i] > 0.0 || c->upper[i] < 0.0;
        guess[i] = x0 ? zi_offset(c->allowed.origin, i, x0[i]) + 0.0 : 0.0; /* not -0.0 */
        other[i] = is_outside && !x0 ? o->first.mu[i] : guess[i];
    }
    ZI_TRY(keep_limits(o, rng, guess));
    return keep_limits(o, rng, other);
}

/* The later ones, in turn. A dense one is near the first mean in all coordinates; with many of them, its
 * course would not come to an end. */
typedef enum start_kind { DENSE, FROM_LAW, CHANGED, NEW, KINDS } start_kind;

static start_kind kind_of(const zilch_optimizer *o)
{
    enum { MOST_DENSE = 400 };
    const start_kind kind = (start_kind)((o->turns.starts - 1) % KINDS);
    return kind == DENSE && o->dim > MOST_DENSE ? CHANGED : kind;
}

static zilch_status choose_start(const zilch_optimizer *o, start_kind kind, double *x)
{
    zilch_rng rng = stream_of(o);
    size_t best;
    if (kind == DENSE) {
        draw_dense(o, &rng, x);
    } else if (kind == NEW || (kind == FROM_LAW && !best_of_law(o, x)) ||
               !zi_archive_best(&o->archive, &best)) {
        draw_point(o, &rng, x);
    } else if (kind == FROM_LAW && o->constraints.rule.repair) { /* it was evaluated as it is */
        return ZILCH_OK;
    } else if (kind == CHANGED) {
        zi_rows_read(&o->archive.rows, best, x);
        change_point(o, &rng, x);
    }
    rng = stream_of(o);
    rng.counter = UINT64_C(1) << 40;
    return keep_limits(o, rng, x);
}

/* ---- Opening and closing ------------------------------------------------------------ */

/* What the archive has of a point. */
typedef enum knowledge { UNKNOWN, FAILED, KNOWN } knowledge;

static zilch_status look_up(zilch_optimizer *o, const double *x, knowledge *known, zi_known *told)
{
    size_t point;
    int is_there;
    ZI_TRY(zi_archive_lookup(&o->archive, x, &point, &is_there));
    *known = !is_there ? UNKNOWN : o->archive.entry[point].is_ranked ? KNOWN : FAILED;
    *told = (zi_known){.value = NAN};
    if (*known == KNOWN) {
        const zi_archive_entry *entry = &o->archive.entry[point];
        *told = (zi_known){point, o->archive.sign * entry->value, entry->violation};
    }
    return ZILCH_OK;
}

static double cost_of(const zilch_optimizer *o, double value, const double *x)
{
    const zilch_method method = o->options.method;
    return value + (o->options.penalty * (double)zi_law_active(method, o->dim, x) +
                    zi_law_penalties(method, o->dim, o->options.penalties, x));
}

static zilch_status put_slot(zilch_optimizer *o, const double *x)
{
    ZI_TRY(zi_generation_reserve(o, o->slots + 1));
    memcpy(o->genome + o->slots * o->dim, x, o->dim * sizeof *x);
    o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
    o->population = o->refined = o->slots;
    return ZILCH_OK;
}

/* Both are evaluated, where they differ, and the first twice, to see whether there is noise. */
static zilch_status start_first(zilch_optimizer *o, double *guess, double *other)
{
    knowledge known[2];
    zi_known told[2];
    ZI_TRY(choose_first(o, guess, other));
    ZI_TRY(look_up(o, guess, &known[0], &told[0]));
    ZI_TRY(look_up(o, other, &known[1], &told[1]));
    if (known[0] == UNKNOWN) {
        ZI_TRY(put_slot(o, guess));
        ZI_TRY(put_slot(o, guess));
    }
    if (known[1] == UNKNOWN && memcmp(guess, other, o->dim * sizeof *other) != 0) {
        ZI_TRY(put_slot(o, other));
    }
    if (o->slots) {
        return ZILCH_OK;
    }
    const int is_other =
        known[1] == KNOWN &&
        (known[0] != KNOWN || zi_is_better(told[1].violation, cost_of(o, told[1].value, other),
                                           told[0].violation, cost_of(o, told[0].value, guess)));
    if (known[is_other] == KNOWN) {
        ZI_TRY(zi_refine_start(o->turns.refine, is_other ? other : guess, &told[is_other], 0));
    }
    o->turns.starts++;
    return ZILCH_OK;
}

/* One whose value is not known is evaluated first; one that has failed is passed over. */
static zilch_status start_later(zilch_optimizer *o, double *x)
{
    zi_turns *t = &o->turns;
    const start_kind kind = kind_of(o);
    knowledge known;
    zi_known told;
    ZI_TRY(choose_start(o, kind, x));
    ZI_TRY(look_up(o, x, &known, &told));
    if (known == UNKNOWN) {
        return put_slot(o, x);
    }
    if (known == KNOWN) {
        ZI_TRY(zi_refine_start(t->refine, x, &told, kind == DENSE));
    }
    t->starts++;
    return ZILCH_OK;
}

/* Begins the next course, or has its start evaluated. Then what the last one was worth is judged; the first
 * and the first dense one have the same share. If that fails, nothing has changed. */
static zilch_status start_again(zilch_optimizer *o)
{
    zi_turns *t = &o->turns;
    const uint64_t starts = t->starts;
    double *x;
    ZI_TRY(zi_alloc(&x, 2 * o->dim));
    const zilch_status status = starts ? start_later(o, x) : start_first(o, x, x + o->dim);
    zi_free(x);
    if (status == ZILCH_OK && t->starts > starts) {
        const int is_better = zi_is_better(o->violation, o->least_cost, t->violation, t->cost);
        t->share = is_better || t->starts <= 2 ? most_share : fmax(least_share, share_decay * t->share);
        t->cost = o->least_cost;
        t->violation = o->violation;
    }
    return status;
}

/* Points of its batch that are not known become slots. Once all are known, it is told their values: so no
 * point is evaluated again, and nothing is kept of a batch that is out. */
static zilch_status refine(zilch_optimizer *o)
{
    zi_refine *r = o->turns.refine;
    size_t n;
    const double *x;
    zi_known *told;
    ZI_TRY(zi_refine_ask(r, &n, &x));
    ZI_TRY(zi_alloc(&told, n ? n : 1));
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < n && status == ZILCH_OK; i++) {
        knowledge known = UNKNOWN;
        status = look_up(o, x + i * o->dim, &known, &told[i]);
        if (status == ZILCH_OK && known == UNKNOWN) {
            status = put_slot(o, x + i * o->dim);
        }
    }
    if (status == ZILCH_OK && o->slots == 0) {
        status = zi_refine_tell(r, n, x, told);
    }
    zi_free(told);
    return status;
}

/* As if the next generation of the distribution had been made: a large one does not come before the
 * refinement has shown what it can do. Within linear limits points that are drawn are worth little at first:
 * there the refinement is ahead by as many evaluations as a small search has in all. */
static int is_its_turn(const zilch_optimizer *o)
{
    enum { LEAD = 400 };
    const zi_turns *t = &o->turns;
    const size_t next = zi_turn_population(o);
    const size_t ahead = o->constraints.limits.rows && next < LEAD ? LEAD : next;
    const double all = (double)(o->evaluations + ahead);
    return t->refine && !(zi_noise_deviation(&o->noise) > 0.0) && !zi_points_are_exhausted(o) &&
           (double)t->evaluations <= t->share * all;
}

/* Where every start leads to points that are known, the distribution has the turn. */
zilch_status zi_turn_open(zilch_optimizer *o)
{
    enum { MOST_STARTS = 8 };
    for (int starts = 0; o->slots == 0 && starts <= MOST_STARTS && is_its_turn(o);) {
        if (!zi_refine_is_done(o->turns.refine)) {
            ZI_TRY(refine(o));
        } else if (starts++ < MOST_STARTS) {
            ZI_TRY(start_again(o));
        }
    }
    return ZILCH_OK;
}

/* ---- Making it -------------------------------------------------------------------------- */

/* It finds the values of its points in the archive, and would wait for ever for those that are forgotten. */
zilch_status zi_turns_create(zilch_optimizer *o)
{
    o->turns = (zi_turns){.share = most_share, .cost = INFINITY};
    if (o->options.method != ZILCH_METHOD_DEFAULT || !o->options.refinement || o->options.archive_size) {
        return ZILCH_OK;
    }
    return zi_refine_create(&o->turns.refine, &o->constraints, o->first.mu, o->first.sigma,
                            zi_optimizer_penalty(o), o->seed);
}

void zi_turns_free(zi_turns *turns)
{
    zi_refine_destroy(turns->refine);
    turns->refine = NULL;
}
