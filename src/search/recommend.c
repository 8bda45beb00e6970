/* The best supported point. The best of the archive are the luckiest: with noise, their values flatter. So
 * the first few are evaluated anew and the better half is kept, again and again, each round with as many
 * evaluations as the others (Karnin, Koren and Somekh 2013, successive halving). All points of a round meet
 * the same noise (the same ids), so that their differences are less noisy than their values. */
#include "search/optimizer.h"

#include "base/memory.h"
#include "base/option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Evaluations of one point. */
typedef struct tally {
    uint64_t failures;
    zilch_tally values, violations; /* of those that succeeded */
} tally;

typedef struct candidate {
    size_t point, active;
    double penalties; /* of its active coordinates, beside the common one */
    double *x;        /* in offsets, where there are defaults */
    double cost;      /* of the mean, Inf if nothing succeeded; until the first evaluation, as on record */
    double violation; /* the same */
    tally tally;
} candidate;

typedef struct contest {
    const zilch_optimizer *optimizer;
    zilch_objective objective;
    void *context;
    uint64_t spent;
    uint64_t noise; /* ids used up: the next fresh one */
    int is_exact;   /* values are not noisy, as was known before or has turned out here */
} contest;

ZI_OPTION_TABLE(zilch_final_options, ZILCH_FINAL_LIST, zilch_final_list)

zilch_final_options zilch_final_defaults(zilch_method method)
{
    zilch_final_options o = ZI_OPTION_DEFAULTS(ZILCH_FINAL_LIST);
    o.is_noisy = 1;
    o.final_pruning = method != ZILCH_METHOD_PUBLISHED;
    return o;
}

/* ---- The budget ------------------------------------------------------------------------------------- */

/* Without noise a value that is on record is known. The search shows it by evaluating points again. */
static int is_exact(const zilch_final_options *given, const zilch_optimizer *o)
{
    return !given->is_noisy || zi_noise_is_absent(&o->noise);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the check would take, whatever is left. A fifth is enough to tell the best of few from the luckiest,
 * and leaves the search most of a small budget; 500 evaluations are enough for 20 points
 * (docs/explanation/search.md).
 */
static uint64_t share_of(const zilch_final_options *given, const zilch_optimizer *o)
{
    enum { USUAL = 500, PART = 5, PART_EXACT = 10 };
    size_t best;
    if (is_exact(given, o)) {
        const int is_pruned = given->final_pruning && zi_archive_select(&o->archive, 0, 1, &best);
        const uint64_t needed = is_pruned ? o->archive.entry[best].active : 0;
        return lesser(needed, given->final_evaluations ? given->final_evaluations
                              : given->budget          ? given->budget / PART_EXACT
                                                       : needed);
    }
    const uint64_t usual = given->final_candidates > USUAL ? given->final_candidates : USUAL;
    return given->final_evaluations ? given->final_evaluations
           : given->budget          ? lesser(usual, given->budget / PART)
                                    : usual;
}

uint64_t zilch_final_budget(const zilch_final_options *given, const zilch_optimizer *o)
{
    const uint64_t made = zi_optimizer_budgeted(o);
    const uint64_t share = share_of(given, o);
    return !given->budget ? share : made < given->budget ? lesser(share, given->budget - made) : 0;
}

/* The zeros filled in, and no more candidates than evaluations: with less than four for each, the best is
 * often lost in the first round. One that is not evaluated is there always. */
static zilch_final_options complete(const zilch_final_options *given, const zilch_optimizer *optimizer)
{
    enum { CANDIDATES = 20, EACH = 4 };
    zilch_final_options o = *given;
    o.final_evaluations = zilch_final_budget(given, optimizer);
    o.final_candidates = given->final_candidates
                             ? given->final_candidates
                             : lesser(CANDIDATES, (o.final_evaluations + EACH - 1) / EACH);
    o.final_candidates = is_exact(given, optimizer) ? 1 : lesser(o.final_candidates, o.final_evaluations);
    o.final_candidates += o.final_candidates == 0;
    return o;
}

static zilch_status check_options(const zilch_final_options *o)
{
    if (o->size != sizeof *o) {
        return zi_fail(ZILCH_EARG, "recommend: begin from zilch_final_defaults()");
    }
    ZI_TRY(zi_options_check("recommend", ROWS, rows, o));
    if (o->final_evaluations && o->final_evaluations < o->final_candidates) {
        return zi_fail(ZILCH_EARG,
                       "recommend: final_evaluations must be at least the %llu final_candidates, not %llu: "
                       "each of them needs an evaluation",
                       (unsigned long long)o->final_candidates, (unsigned long long)o->final_evaluations);
    }
    return ZILCH_OK;
}

/* ---- Evaluating ------------------------------------------------------------------------------------- */

/* Where values have a trend, few noisy ones do not outweigh it. */
static void update_cost(const zilch_optimizer *o, candidate *c)
{
    const zilch_tally *values = &c->tally.values;
    double value = values->mean;
    if (values->count && o->trend.terms &&
        !(c->tally.violations.mean > 0.0)) { /* it is one of feasible points */
        const double error = zi_noise_deviation(&o->noise) / sqrt((double)values->count);
        value = zi_trend_estimate(&o->trend, zi_trend_at(&o->trend, c->x), value, error);
    }
    c->cost = values->count ? zi_archive_cost(&o->archive, value, c->active, c->penalties) : INFINITY;
    c->violation = values->count ? c->tally.violations.mean : INFINITY;
}

/* Points that are evaluated in one call: as many as fit into 32 megabytes, and never so few that threads
 * would wait. So memory follows the number of coordinates, whatever the number of evaluations. */
static size_t part_of(size_t dim, size_t n)
{
    enum { ROOM = 1 << 22, LEAST = 32, MOST = 4096 };
    const size_t fitting = ROOM / dim;
    const size_t part = fitting < LEAST ? LEAST : fitting < MOST ? fitting : MOST;
    return n < part ? n : part;
}

/* `repeats` more values of each candidate, one candidate after the other, on noise number `noise` and the
 * following; in parts, which change nothing in the result. */
static zilch_status evaluate(contest *t, candidate *list, size_t count, size_t repeats, uint64_t noise)
{
    const size_t dim = t->optimizer->dim;
    const size_t n = count * repeats;
    const size_t most = part_of(dim, n);
    uint64_t *id = NULL;
    double *x = NULL;
    zilch_status status = zi_alloc(&id, most);
    status = status == ZILCH_OK ? zi_alloc(&x, most * (dim + 2)) : status;
    for (size_t begin = 0; begin < n && status == ZILCH_OK; begin += most) {
        const size_t part = n - begin < most ? n - begin : most;
        double *value = x + most * dim;
        double *violation = value + most;
        const zilch_batch batch = {
            .n = part, .dim = dim, .generation = UINT64_MAX, .id = id, .x = x, .violation = violation};
        for (size_t i = 0; i < part; i++) {
            id[i] = ZI_FINAL_ID + noise + (begin + i) % repeats;
            violation[i] = 0.0;
            memcpy(x + i * dim, list[(begin + i) / repeats].x, dim * sizeof *x);
            zi_allowed_values(&t->optimizer->constraints.allowed, x + i * dim);
        }
        zi_error_clear();
        status = t->objective(t->context, &batch, value);
        t->spent += part;
        if (status != ZILCH_OK && !*zilch_last_error()) {
            status = zi_fail(status, "recommend: the objective failed");
        }
        for (size_t i = 0; i < part && status == ZILCH_OK; i++) {
            tally *counted = &list[(begin + i) / repeats].tally;
            const double broken = zilch_violation(1, &violation[i]);
            if (isfinite(value[i]) && isfinite(broken)) {
                zilch_tally_add(&counted->values, value[i]);
                zilch_tally_add(&counted->violations, broken);
            } else {
                counted->failures++;
            }
        }
    }
    for (size_t i = 0; i < count && status == ZILCH_OK; i++) {
        update_cost(t->optimizer, &list[i]);
    }
    zi_free(id);
    zi_free(x);
    return status;
}

/* A point whose value is on record, and exact, is not evaluated again. */
static zilch_status evaluate_trial(contest *t, candidate *c, size_t repeats, uint64_t noise)
{
    const zilch_optimizer *o = t->optimizer;
    size_t point;
    int is_there = 0;
    if (t->is_exact && o->options.method == ZILCH_METHOD_DEFAULT) {
        ZI_TRY(zi_archive_lookup(&o->archive, c->x, &point, &is_there));
    }
    if (!is_there || !o->archive.entry[point].is_ranked) {
        return evaluate(t, c, 1, repeats, noise);
    }
    zilch_tally_add(&c->tally.values, o->archive.entry[point].value);
    zilch_tally_add(&c->tally.violations, o->archive.entry[point].violation);
    update_cost(o, c);
    return ZILCH_OK;
}

/* ---- Halving ------------------------------------------------------------------------------------------ */

/* Whether a point stands better: feasible, or of lesser violation; then fewer failures, then the lower cost.
 */
static int is_better(const candidate *a, const candidate *b)
{
    if (a->violation != b->violation) {
        return a->violation < b->violation;
    }
    if (a->tally.failures != b->tally.failures) {
        return a->tally.failures < b->tally.failures;
    }
    return a->cost < b->cost;
}

static int by_standing(const void *a, const void *b)
{
    const candidate *x = a;
    const candidate *y = b;
    if (is_better(x, y) || is_better(y, x)) {
        return is_better(x, y) ? -1 : 1;
    }
    return (x->point > y->point) - (x->point < y->point);
}

/* Whether every new value is the one on record: then there is no noise, and more values say nothing. */
static int repeats_record(const zilch_optimizer *o, const candidate *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const zilch_tally *t = &list[i].tally.values;
        if (!t->count || list[i].tally.failures || t->squares != 0.0 ||
            t->mean != o->archive.entry[list[i].point].value ||
            list[i].violation != o->archive.entry[list[i].point].violation) {
            return 0;
        }
    }
    return 1;
}

/* The winner comes to the front. Every candidate is evaluated at least once, whatever the budget. */
static zilch_status halve(contest *t, candidate *list, size_t count, uint64_t budget)
{
    size_t rounds = 1;
    for (size_t left = (count + 1) / 2; left > 1; left = (left + 1) / 2) {
        rounds++;
    }
    for (size_t round = 0; round < rounds; round++) {
        const uint64_t share = (budget - t->spent) / (rounds - round) / count;
        const size_t repeats = round == 0 && share == 0 ? 1 : (size_t)share;
        if (repeats > 0) {
            ZI_TRY(evaluate(t, list, count, repeats, t->noise));
            t->noise += repeats;
        }
        qsort(list, count, sizeof *list, by_standing);
        t->is_exact = round == 0 && repeats_record(t->optimizer, list, count);
        if (t->is_exact) {
            break;
        }
        count = (count + 1) / 2;
    }
    return ZILCH_OK;
}

/* ---- Pruning ---------------------------------------------------------------------------------- */

static double penalties_of(const zilch_optimizer *o, const double *x)
{
    return zi_law_penalties(ZILCH_METHOD_DEFAULT, o->dim, o->options.penalties, x); /* x is no genome */
}

/* A unit's largest coefficient. */
static double magnitude(const zi_constraints *c, size_t unit, const double *x)
{
    double largest = 0.0;
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        largest = fmax(largest, fabs(x[c->member[k]]));
    }
    return largest;
}

/* The unit of the smallest coefficients among those not yet tried; units if there is none. */
static size_t smallest(const zi_constraints *c, const candidate *best, const unsigned char *tried)
{
    size_t found = c->units;
    for (size_t u = 0; u < c->units; u++) {
        const int may_be_pruned = !tried[u] && best->x[c->member[c->first[u]]] != 0.0 &&
                                  c->forced[u] == ZILCH_FORCED_NOT &&
                                  best->active >= c->least + (c->first[u + 1] - c->first[u]);
        if (may_be_pruned && (found == c->units || magnitude(c, u, best->x) < magnitude(c, found, best->x))) {
            found = u;
        }
    }
    return found;
}

/* What keeps linear limits, where there are some. */
typedef struct movers {
    zi_mover values;
    zi_lattice steps;
} movers;

static zilch_status create_movers(movers *m, const zi_constraints *c)
{
    *m = (movers){0};
    if (c->limits.rows == 0) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_mover_create(&m->values, &c->limits, c->dim, c->lower, c->upper, c->stays));
    return c->allowed.step ? zi_lattice_create(&m->steps, c) : ZILCH_OK;
}

/* The trial without a unit, in `spare`. With linear limits the others take its place, as little changed as
 * can be; 0 if they cannot. `movers` are for that. */
static int leave_out(const zilch_optimizer *o, movers *m, size_t unit, const candidate *best,
                     candidate *spare)
{
    const zi_constraints *c = &o->constraints;
    memcpy(spare->x, best->x, o->dim * sizeof *spare->x);
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        spare->x[c->member[k]] = 0.0;
    }
    spare->active = best->active - zi_unit_size(c, unit);
    spare->tally = (tally){0};
    if (c->limits.rows == 0) {
        return 1;
    }
    if (zi_limits_broken(&c->limits, spare->x) != c->limits.rows &&
        !zi_mover_project(&m->values, o->first.sigma, 1, spare->x)) {
        return 0;
    }
    if (c->allowed.step && !zi_lattice_round(&m->steps, o->first.sigma, SIZE_MAX, spare->x)) {
        return 0;
    }
    spare->active = zi_law_active(ZILCH_METHOD_DEFAULT, o->dim, spare->x);
    const int is_right = zi_constraints_check(c, spare->x) == ZILCH_OK;
    if (!is_right) {
        zi_error_clear();
    }
    return is_right;
}

/* The user's rule may have it otherwise; *is_sparser: what it leaves is still sparser. */
static zilch_status keep_rule(const zilch_optimizer *o, const candidate *best, candidate *spare,
                              int *is_sparser)
{
    ZI_TRY(zi_rule_apply(&o->constraints, spare->x));
    spare->active = zi_law_active(ZILCH_METHOD_DEFAULT, o->dim, spare->x);
    *is_sparser = spare->active < best->active;
    return ZILCH_OK;
}

/* `spare` is room for a candidate. All trials meet the same noise, which the contest has not seen; a point
 * that was changed is evaluated once more, on noise that decided nothing; if it then breaks limits more than
 * the point before, that one stays. Without noise the value before is known, and that of the last change is
 * the value after. */
static zilch_status prune(contest *t, candidate *best, candidate *spare, movers *m, unsigned char *tried,
                          size_t repeats, uint64_t budget)
{
    const zi_constraints *c = &t->optimizer->constraints;
    const uint64_t noise = t->noise;
    const size_t before = best->active;
    const double penalties = best->penalties;
    const tally unpruned = best->tally;
    t->noise += repeats;
    memset(tried, 0, c->units);
    if (!t->is_exact) {
        best->tally = (tally){0};
        ZI_TRY(evaluate(t, best, 1, repeats, noise));
    }
    for (size_t u = smallest(c, best, tried); u < c->units && t->spent + repeats <= budget;
         u = smallest(c, best, tried)) {
        tried[u] = 1;
        int is_sparser = leave_out(t->optimizer, m, u, best, spare);
        if (is_sparser && c->rule.repair) {
            ZI_TRY(keep_rule(t->optimizer, best, spare, &is_sparser));
        }
        if (!is_sparser) {
            continue;
        }
        spare->penalties = penalties_of(t->optimizer, spare->x);
        ZI_TRY(evaluate_trial(t, spare, repeats, noise));
        if (!is_better(best, spare)) {
            double *const x = best->x;
            const size_t point = best->point;
            *best = *spare;
            best->point = point;
            spare->x = x;
        }
    }
    if (t->is_exact) {
        return ZILCH_OK;
    }
    best->tally = unpruned;
    if (best->active < before) {
        best->tally = (tally){0};
        ZI_TRY(evaluate(t, best, 1, repeats, t->noise));
        t->noise += repeats;
    }
    update_cost(t->optimizer, best);
    if (unpruned.values.count && isfinite(best->violation) && best->violation > unpruned.violations.mean) {
        ZI_TRY(zi_optimizer_read(t->optimizer, best->point, best->x));
        best->tally = unpruned;
        best->active = before;
        best->penalties = penalties;
        update_cost(t->optimizer, best);
    }
    return ZILCH_OK;
}

/* With as many evaluations for each trial as the budget gives: one for the point as it is, one for each
 * active coordinate, one for the result. Without noise once is enough, and the smallest that the budget
 * reaches are tried. */
static zilch_status prune_best(contest *t, candidate *best, double *room, uint64_t budget)
{
    unsigned char *tried;
    candidate spare = {.x = room};
    const size_t repeats = t->is_exact ? 1 : (size_t)((budget - t->spent) / (best->active + 2));
    if (repeats == 0) {
        return ZILCH_OK;
    }
    const zi_constraints *c = &t->optimizer->constraints;
    movers m;
    ZI_TRY(zi_rule_check(c));
    ZI_TRY(zi_alloc(&tried, c->units));
    zilch_status status = create_movers(&m, c);
    status = status == ZILCH_OK ? prune(t, best, &spare, &m, tried, repeats, budget) : status;
    zi_mover_free(&m.values);
    zi_lattice_free(&m.steps);
    zi_free(tried);
    return status;
}

/* ---- Recommending ----------------------------------------------------------------------------- */

/* `x` is room for as many points. */
static zilch_status draw_up(const zilch_optimizer *o, candidate *list, size_t most, double *x, size_t *count)
{
    size_t *point;
    zilch_status status = ZILCH_OK;
    ZI_TRY(zi_alloc(&point, most));
    *count = zi_archive_select(&o->archive, 0, most, point);
    for (size_t i = 0; status == ZILCH_OK && i < *count; i++) {
        const zi_archive_entry *entry = &o->archive.entry[point[i]];
        list[i] =
            (candidate){.point = point[i],
                        .active = entry->active,
                        .penalties = entry->penalties,
                        .x = x + i * o->dim,
                        .cost = zi_archive_cost(&o->archive, entry->value, entry->active, entry->penalties),
                        .violation = entry->violation};
        status = zi_optimizer_read(o, point[i], list[i].x);
    }
    zi_free(point);
    return status;
}

/* A point that was not evaluated again has its value on record. */
static void report(const contest *t, const candidate *best, zilch_recommendation *out)
{
    const zilch_tally *values = &best->tally.values;
    const zi_archive_entry *entry = &t->optimizer->archive.entry[best->point];
    const int is_fresh = values->count || best->tally.failures;
    *out = (zilch_recommendation){.point = best->point,
                                  .mean = !is_fresh       ? entry->value
                                          : values->count ? values->mean
                                                          : NAN,
                                  .deviation =
                                      values->count < 2 && t->is_exact ? 0.0 : zilch_tally_deviation(values),
                                  .evaluations = values->count,
                                  .failures = best->tally.failures,
                                  .spent = t->spent,
                                  .active = best->active,
                                  .pruned = entry->active - best->active,
                                  .violation = !is_fresh       ? entry->violation
                                               : values->count ? best->violation
                                                               : NAN};
    out->fitness = zi_archive_fitness(&t->optimizer->archive, out->mean, best->active, best->penalties);
}

/* For the halving; half is kept for pruning, if that is enough to try every coordinate of any of them. */
static uint64_t halving_budget(const zilch_final_options *o, const candidate *list, size_t count)
{
    const uint64_t half = o->final_evaluations / 2;
    size_t most_active = 0;
    for (size_t i = 0; i < count; i++) {
        most_active = list[i].active > most_active ? list[i].active : most_active;
    }
    if (!o->final_pruning || half < most_active + 2) {
        return o->final_evaluations;
    }
    return half > count ? half : count;
}

static zilch_status hold(contest *t, const zilch_final_options *o, candidate *list, double *room, double *x,
                         zilch_recommendation *out)
{
    size_t count;
    ZI_TRY(draw_up(t->optimizer, list, (size_t)o->final_candidates, room, &count));
    if (count == 0) {
        return zi_fail(ZILCH_ESTATE, "recommend: no evaluation has succeeded yet");
    }
    if (!t->is_exact && o->final_evaluations) {
        ZI_TRY(halve(t, list, count, halving_budget(o, list, count)));
    }
    if (o->final_pruning) {
        ZI_TRY(prune_best(t, list, room + (size_t)o->final_candidates * t->optimizer->dim,
                          o->final_evaluations));
    }
    memcpy(x, list->x, t->optimizer->dim * sizeof *x);
    zi_allowed_values(&t->optimizer->constraints.allowed, x);
    report(t, list, out);
    return ZILCH_OK;
}

zilch_status zilch_optimizer_recommend(const zilch_optimizer *optimizer, zilch_objective objective,
                                       void *context, const zilch_final_options *options, double *x,
                                       zilch_recommendation *out)
{
    if (!optimizer || !objective || !x || !out) {
        return zi_fail(ZILCH_EARG, "recommend: optimizer, objective and places for the result must be given");
    }
    const zilch_final_options usual = zilch_final_defaults(optimizer->options.method);
    const zilch_final_options *given = options ? options : &usual;
    ZI_TRY(check_options(given));
    const zilch_final_options chosen = complete(given, optimizer);
    contest t = {.optimizer = optimizer,
                 .objective = objective,
                 .context = context,
                 .is_exact = is_exact(given, optimizer)};
    candidate *list;
    double *room = NULL;
    ZI_TRY(zi_alloc(&list, (size_t)chosen.final_candidates));
    zilch_status status = zi_alloc(&room, ((size_t)chosen.final_candidates + 1) * optimizer->dim);
    status = status == ZILCH_OK ? hold(&t, &chosen, list, room, x, out) : status;
    zi_free(room);
    zi_free(list);
    return status;
}
