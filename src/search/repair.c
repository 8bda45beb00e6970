/* Points that keep the limits. A new point is repaired by switching whole units and by drawing values anew,
 * with the frequencies and the values that the elites show: what the law has learned is kept where it can be.
 * With linear limits, units are switched until bounds leave every row a chance, and then all values move
 * (limit_values.c). */
#include "search/constraints.h"

#include "base/memory.h"
#include "search/feasibility.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REDRAWS = 8, ATTEMPTS = 16 };

/* So that what no elite, or every elite, has active may still be switched. */
static const double least_weight = 0.01;

/* What a row may have beyond its end, as a share of it. */
static const double most_room = 0.9;

/* ---- What the elites show ------------------------------------------------------------------------ */

zilch_status zi_marginals_create(zi_marginals *out, size_t dim, double p, const zi_first *first)
{
    ZI_TRY(zi_alloc(&out->p, 3 * dim));
    out->mu = out->p + dim;
    out->sigma = out->p + 2 * dim;
    for (size_t i = 0; i < dim; i++) {
        out->p[i] = p;
    }
    memcpy(out->mu, first->mu, dim * sizeof *out->mu);
    memcpy(out->sigma, first->sigma, dim * sizeof *out->sigma);
    return ZILCH_OK;
}

void zi_marginals_free(zi_marginals *marginals)
{
    zi_free(marginals->p);
}

void zi_marginals_estimate(zi_marginals *m, size_t dim, const zi_first *first, size_t rows, const double *x)
{
    assert(rows > 0);
    for (size_t i = 0; i < dim; i++) {
        double count = 0.0, sum = 0.0, squares = 0.0;
        for (size_t row = 0; row < rows; row++) {
            const double value = x[row * dim + i];
            count += value != 0.0;
            sum += value;
        }
        const double mean = count > 0.0 ? sum / count : first->mu[i];
        for (size_t row = 0; row < rows; row++) {
            const double value = x[row * dim + i];
            squares += value != 0.0 ? (value - mean) * (value - mean) : 0.0;
        }
        m->p[i] = count / (double)rows;
        m->mu[i] = mean;
        m->sigma[i] = count > 1.0 ? sqrt(squares / (count - 1.0)) : first->sigma[i];
    }
}

/* ---- Mending --------------------------------------------------------------------------------------- */

zilch_status zi_repairer_create(zi_repairer *out, const zi_constraints *c, const zi_marginals *marginals)
{
    *out = (zi_repairer){.constraints = c, .marginals = marginals};
    ZI_TRY(zi_alloc(&out->on, c->units));
    ZI_TRY(zi_alloc(&out->key, c->units));
    if (c->limits.rows == 0) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&out->ranked, c->units));
    ZI_TRY(zi_alloc(&out->reach, 2 * c->units));
    ZI_TRY(zi_alloc(&out->wanted, c->dim));
    ZI_TRY(zi_alloc(&out->off, c->dim));
    for (size_t i = 0; i < c->dim; i++) {
        out->off[i] = c->forced[c->unit_of[i]] == ZILCH_FORCED_OFF;
    }
    ZI_TRY(zi_mover_create(&out->mover, &c->limits, c->dim, c->lower, c->upper, c->stays));
    if (c->allowed.step == NULL) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_lattice_create(&out->lattice, c));
    return zi_feasibility_create(&out->search, c);
}

void zi_repairer_free(zi_repairer *repairer)
{
    zi_free(repairer->on);
    zi_free(repairer->key);
    zi_free(repairer->ranked);
    zi_free(repairer->reach);
    zi_free(repairer->wanted);
    zi_free(repairer->off);
    zi_mover_free(&repairer->mover);
    zi_lattice_free(&repairer->lattice);
    zi_feasibility_destroy(repairer->search);
}

static size_t count_active(const zi_repairer *m)
{
    size_t active = 0;
    for (size_t u = 0; u < m->constraints->units; u++) {
        active += m->on[u] ? zi_unit_size(m->constraints, u) : 0;
    }
    return active;
}

/* Switches units off while too many coordinates are active, or on while too few are: drawn one after the
 * other, each with a chance proportional to its weight, which is to say in the order of exponential keys. */
static size_t switch_some(zi_repairer *m, zilch_rng *rng, size_t active, int to)
{
    const zi_constraints *c = m->constraints;
    for (size_t u = 0; u < c->units; u++) {
        const double p = m->marginals->p[c->member[c->first[u]]];
        m->key[u] = -log(zilch_rng_uniform(rng)) / ((to ? p : 1.0 - p) + least_weight);
    }
    while (to ? active < c->least : active > c->most) {
        size_t next = c->units;
        for (size_t u = 0; u < c->units; u++) {
            const int may = m->on[u] != to && c->forced[u] == ZILCH_FORCED_NOT &&
                            (!to || active + zi_unit_size(c, u) <= c->most);
            if (may && (next == c->units || m->key[u] < m->key[next])) {
                next = u;
            }
        }
        if (next == c->units) {
            break;
        }
        m->on[next] = (unsigned char)to;
        active = to ? active + zi_unit_size(c, next) : active - zi_unit_size(c, next);
    }
    return active;
}

/* Groups may jump over the allowed range; then another order is tried, and at last a choice known to be
 * right. */
static void choose_units(zi_repairer *m, zilch_rng *rng)
{
    const zi_constraints *c = m->constraints;
    size_t active = count_active(m);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (active >= c->least && active <= c->most) {
            return;
        }
        active = switch_some(m, rng, active, active < c->least);
        active = active < c->least ? switch_some(m, rng, active, 1) : active;
    }
    if (active < c->least || active > c->most) {
        memcpy(m->on, c->fallback, c->units);
    }
}

/* How far inside of its bound a value ends that is `over` beyond it. */
static double fold(double width, double over)
{
    const double rest = fmod(over, 2.0 * width);
    return rest <= width ? rest : 2.0 * width - rest;
}

/* What is far apart is folded at an eighth of its size: twice the width may be beyond all numbers. */
double zi_reflect(double low, double high, double value)
{
    static const double far = DBL_MAX / 8.0;
    if (!isfinite(value) || (value >= low && value <= high) || low == high) {
        return fmin(fmax(value, low), high);
    }
    const int is_above = value > high;
    const double bound = is_above ? high : low;
    const double other = is_above ? low : high;
    const int is_far = fabs(value) > far || fabs(bound) > far || (isfinite(other) && fabs(other) > far);
    const double part = is_far ? 0.125 : 1.0;
    const double over = fabs(part * value - part * bound);
    const double width = part * high - part * low;
    const double inside = isfinite(width) ? fold(width, over) : over;
    const double folded = (part * bound + (is_above ? -inside : inside)) / part;
    return fmin(fmax(folded, fmax(low, -DBL_MAX)), fmin(high, DBL_MAX));
}

static int is_inside(const zi_constraints *c, size_t i, double value)
{
    return value >= c->lower[i] && value <= c->upper[i];
}

/* Not zero, within the bounds: where the elites' values say nothing that fits. A bound, or a number of the
 * scale's size, stands in for a value that came out as zero. */
static double any_value(const zi_repairer *m, zilch_rng *rng, size_t i)
{
    const double low = m->constraints->lower[i];
    const double high = m->constraints->upper[i];
    const double scale = m->marginals->sigma[i] > 0.0 ? m->marginals->sigma[i] : 1.0;
    if (isfinite(low) && isfinite(high)) {
        const double u = zilch_rng_uniform(rng);
        const double width = high - low; /* which may be no number */
        const double drawn = isfinite(width) ? low + width * u : low * (1.0 - u) + high * u;
        const double value = fmin(fmax(drawn, low), high);
        return value != 0.0 ? value : high != 0.0 ? high : low;
    }
    const double step = scale * fabs(zilch_rng_normal(rng));
    const double sign = isfinite(high) ? -1.0 : 1.0;
    const double end = isfinite(low) ? low : isfinite(high) ? high : 0.0;
    const double value = end + sign * step;
    return value != 0.0 ? value : end != 0.0 ? end : sign * scale;
}

static double repaired_value(const zi_repairer *m, zilch_rng *rng, size_t i, double value, int may_be_zero)
{
    const zi_constraints *c = m->constraints;
    for (int k = 0; k < REDRAWS && (value == 0.0 || (!c->is_reflecting && !is_inside(c, i, value))); k++) {
        value = m->marginals->mu[i] + m->marginals->sigma[i] * zilch_rng_normal(rng);
    }
    const double cut = c->is_reflecting ? zi_reflect(c->lower[i], c->upper[i], value)
                                        : fmin(fmax(value, c->lower[i]), c->upper[i]);
    return cut != 0.0 || may_be_zero ? cut : any_value(m, rng, i);
}

/* A value cut off at 0 switches its coordinate off, where that is allowed. */
static void repair_values(zi_repairer *m, zilch_rng *rng, double *x)
{
    const zi_constraints *c = m->constraints;
    size_t active = count_active(m);
    for (size_t u = 0; u < c->units; u++) {
        const int alone = zi_unit_size(c, u) == 1 && c->forced[u] == ZILCH_FORCED_NOT;
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            if (!m->on[u]) {
                x[i] = 0.0;
            } else if (x[i] == 0.0 || !is_inside(c, i, x[i])) {
                x[i] = repaired_value(m, rng, i, x[i], alone && active > c->least);
                active -= x[i] == 0.0;
            }
        }
    }
}

/* The same where there are bounds only, so that units are coordinates: a point is mostly zeros, and they are
 * passed over quickly. */
static void repair_bounds(const zi_repairer *m, zilch_rng *rng, double *x)
{
    const zi_constraints *c = m->constraints;
    for (size_t i = 0; i < c->dim; i++) {
        if (x[i] != 0.0 && !is_inside(c, i, x[i])) {
            x[i] = c->forced[i] == ZILCH_FORCED_OFF ? 0.0 : repaired_value(m, rng, i, x[i], 1);
        }
    }
}

/* ---- Linear limits --------------------------------------------------------------------------------------
 */

static int compare_ranked(const void *a, const void *b)
{
    const zi_ranked_unit *r = a;
    const zi_ranked_unit *s = b;
    return r->key != s->key ? (r->key > s->key) - (r->key < s->key)
                            : (r->unit > s->unit) - (r->unit < s->unit);
}

/* How much each unit adds to a row, at most, when it is on. With sign -1, to the row's negative. */
static void set_reach(zi_repairer *m, size_t row, double sign, double *reach)
{
    const zi_constraints *c = m->constraints;
    memset(reach, 0, c->units * sizeof *reach);
    for (size_t k = c->limits.first[row]; k < c->limits.first[row + 1]; k++) {
        const size_t i = c->limits.coordinate[k];
        const double a = sign * c->limits.weight[k];
        reach[c->unit_of[i]] += a * (a > 0.0 ? c->upper[i] : c->lower[i]);
    }
}

enum { ANY = 2 };

/* Units that are on, off or any of the two, and may be switched, in random order: those first that the elites
 * have as they would become. Gives their number. */
static size_t rank_units(zi_repairer *m, zilch_rng *rng, int state)
{
    const zi_constraints *c = m->constraints;
    size_t count = 0;
    for (size_t u = 0; u < c->units; u++) {
        const double p = m->marginals->p[c->member[c->first[u]]];
        const double weight = (m->on[u] ? 1.0 - p : p) + least_weight;
        const double drawn = zilch_rng_uniform(rng); /* for each, so that others do not depend on it */
        if (c->forced[u] == ZILCH_FORCED_NOT && (state == ANY || m->on[u] == state)) {
            m->ranked[count++] = (zi_ranked_unit){-log(drawn) / weight, u};
        }
    }
    qsort(m->ranked, count, sizeof *m->ranked, compare_ranked);
    return count;
}

/* The number of active coordinates becomes right, as in switch_some(), which takes longer. */
static void choose_count(zi_repairer *m, zilch_rng *rng)
{
    const zi_constraints *c = m->constraints;
    size_t active = count_active(m);
    if (active >= c->least && active <= c->most) {
        return;
    }
    const int to = active < c->least;
    const size_t count = rank_units(m, rng, !to);
    for (size_t k = 0; k < count && (to ? active < c->least : active > c->most); k++) {
        const size_t u = m->ranked[k].unit;
        const size_t size = zi_unit_size(c, u);
        if (!to || active + size <= c->most) {
            m->on[u] = (unsigned char)to;
            active = to ? active + size : active - size;
        }
    }
    choose_units(m, rng); /* where groups have jumped over what is allowed */
}

/* The unit that is on, or off, that a switch takes least from the row with; SIZE_MAX if none is worse than
 * `than`. */
static size_t find_partner(const zi_repairer *m, const double *reach, int is_on, double than, size_t size)
{
    const zi_constraints *c = m->constraints;
    size_t best = SIZE_MAX;
    for (size_t u = 0; u < c->units; u++) {
        const double worth = is_on ? reach[u] : -reach[u];
        if (m->on[u] == is_on && c->forced[u] == ZILCH_FORCED_NOT && zi_unit_size(c, u) == size &&
            worth < than && (best == SIZE_MAX || worth < (is_on ? reach[best] : -reach[best]))) {
            best = u;
        }
    }
    return best;
}

static size_t switch_unit(zi_repairer *m, const double *reach, size_t unit, size_t active, double *sum)
{
    const size_t size = zi_unit_size(m->constraints, unit);
    m->on[unit] = !m->on[unit];
    *sum += m->on[unit] ? reach[unit] : -reach[unit];
    return m->on[unit] ? active + size : active - size;
}

/* Switches units until the row can reach its end, as far as bounds go, and some more, or there would be one
 * point alone that does. Gives 0 if it cannot. */
static int reach_end(zi_repairer *m, zilch_rng *rng, const double *reach, double end)
{
    const zi_constraints *c = m->constraints;
    size_t active = count_active(m);
    double sum = 0.0;
    for (size_t u = 0; u < c->units; u++) {
        sum += m->on[u] ? reach[u] : 0.0;
    }
    const double enough = end - 1e-12 * fabs(end);
    if (sum >= enough) {
        return 1;
    }
    const double wanted = end + most_room * zilch_rng_uniform(rng) * fabs(end);
    const size_t count = rank_units(m, rng, ANY);
    for (size_t k = 0; k < count && !(sum >= wanted); k++) {
        const size_t u = m->ranked[k].unit;
        const size_t size = zi_unit_size(c, u);
        const double gain = m->on[u] ? -reach[u] : reach[u];
        const int is_too_much = m->on[u] ? active < c->least + size : active + size > c->most;
        if (!(gain > 0.0)) {
            continue;
        }
        if (is_too_much) { /* another one takes its place */
            const size_t partner = find_partner(m, reach, !m->on[u], gain, size);
            if (partner == SIZE_MAX) {
                continue;
            }
            active = switch_unit(m, reach, partner, active, &sum);
        }
        active = switch_unit(m, reach, u, active, &sum);
    }
    return sum >= enough;
}

/* Both ends of every row, one after the other: what helps one may harm another, so they take turns. */
static int reach_all(zi_repairer *m, zilch_rng *rng)
{
    enum { ROUNDS = 4 };
    const zi_constraints *c = m->constraints;
    int is_done = 0;
    for (int round = 0; round < ROUNDS && !is_done; round++) {
        is_done = 1;
        for (size_t r = 0; r < c->limits.rows; r++) {
            const double ends[] = {c->limits.lower[r], -c->limits.upper[r]};
            for (int side = 0; side < 2; side++) {
                if (ends[side] == -INFINITY) {
                    continue;
                }
                set_reach(m, r, side ? -1.0 : 1.0, m->reach);
                double before = 0.0;
                for (size_t u = 0; u < c->units; u++) {
                    before += m->on[u] ? m->reach[u] : 0.0;
                }
                if (!(before >= ends[side] - 1e-12 * fabs(ends[side]))) {
                    is_done = 0;
                    if (!reach_end(m, rng, m->reach, ends[side])) {
                        return 0;
                    }
                }
            }
        }
    }
    return 1;
}

/* The values that were wanted, within the limits, for the units that are on; 0 if that does not work. What
 * has become 0 is off, where it may be. */
static int move_values(zi_repairer *m, zilch_rng *rng, double *x)
{
    const zi_constraints *c = m->constraints;
    memcpy(x, m->wanted, c->dim * sizeof *x);
    repair_values(m, rng, x);
    for (int all_stay = 0; all_stay < 2; all_stay++) {
        if (zi_limits_broken(&c->limits, x) != c->limits.rows &&
            !zi_mover_move(&m->mover, m->marginals->sigma, all_stay, x)) {
            return 0;
        }
        if (c->allowed.step && !zi_lattice_round(&m->lattice, m->marginals->sigma, SIZE_MAX, x) && all_stay) {
            return zi_feasibility_settle(m->search, m->on, x);
        }
        if (zi_constraints_check(c, x) == ZILCH_OK) {
            return 1;
        }
        zi_error_clear();
        memcpy(x, m->wanted, c->dim * sizeof *x);
        repair_values(m, rng, x);
    }
    return 0;
}

static void take_units(zi_repairer *m, const double *x)
{
    const zi_constraints *c = m->constraints;
    for (size_t u = 0; u < c->units; u++) {
        m->on[u] = c->forced[u] == ZILCH_FORCED_NOT ? x[c->member[c->first[u]]] != 0.0
                                                    : c->forced[u] == ZILCH_FORCED_ON;
    }
}

/* As many units as are allowed, those with the largest values where all values may be active. */
static void choose_by_relaxation(zi_repairer *m, double *x)
{
    const zi_constraints *c = m->constraints;
    size_t active = 0;
    memcpy(x, m->wanted, c->dim * sizeof *x);
    if (!zi_mover_relax(&m->mover, m->marginals->sigma, m->off, x)) {
        return;
    }
    for (size_t u = 0; u < c->units; u++) {
        double largest = 0.0;
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            const double near = fmax(fmax(c->lower[i], -c->upper[i]), 0.0);
            const double unit = near > 0.0                     ? near
                                : m->marginals->sigma[i] > 0.0 ? m->marginals->sigma[i]
                                                               : 1.0;
            largest = fmax(largest, fabs(x[i]) / unit);
        }
        m->ranked[u] = (zi_ranked_unit){c->forced[u] == ZILCH_FORCED_ON ? -INFINITY : -largest, u};
    }
    qsort(m->ranked, c->units, sizeof *m->ranked, compare_ranked);
    memset(m->on, 0, c->units);
    for (size_t k = 0; k < c->units; k++) {
        const size_t u = m->ranked[k].unit;
        const int is_wanted = m->ranked[k].key < -0.5 || active < c->least;
        if (c->forced[u] != ZILCH_FORCED_OFF && is_wanted && active + zi_unit_size(c, u) <= c->most) {
            m->on[u] = 1;
            active += zi_unit_size(c, u);
        }
    }
}

/* One unit that may be switched, if it is the first one drawn. */
static void switch_any(zi_repairer *m, zilch_rng *rng)
{
    const zi_constraints *c = m->constraints;
    const size_t u = (size_t)(zilch_rng_uniform(rng) * (double)c->units);
    m->on[u] = c->forced[u] == ZILCH_FORCED_NOT ? !m->on[u] : m->on[u];
}

/* Units that can keep the limits, and values that do. The last resort is the point that is known. */
static void repair_limits(zi_repairer *m, zilch_rng *rng, double *x)
{
    enum { TRIALS = 8, RELAXED = 5 };
    const zi_constraints *c = m->constraints;
    if (c->is_single) {
        memcpy(x, c->fallback_x, c->dim * sizeof *x);
        return;
    }
    for (size_t i = 0; i < c->dim; i++) {
        m->wanted[i] = isfinite(x[i]) ? x[i] : m->marginals->mu[i];
    }
    for (int trial = 0; trial < TRIALS; trial++) {
        take_units(m, m->wanted);
        if (trial > 0 && c->allowed.step) { /* values that add up with these may not be there */
            switch_any(m, rng);
        }
        choose_count(m, rng);
        if (trial >= RELAXED) {
            choose_by_relaxation(m, x);
        }
        if (reach_all(m, rng) && move_values(m, rng, x)) {
            return;
        }
    }
    memcpy(m->on, c->fallback, c->units);
    if (!move_values(m, rng, x)) {
        memcpy(x, c->fallback_x, c->dim * sizeof *x);
    }
}

/* A value that is nearest to 0 switches its coordinate off, where that is allowed. */
void zi_constraints_snap(const zi_constraints *c, double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < c->dim && c->allowed.step; i++) {
        active += x[i] != 0.0;
    }
    for (size_t u = 0; u < c->units && c->allowed.step; u++) {
        const int alone = zi_unit_size(c, u) == 1 && c->forced[u] == ZILCH_FORCED_NOT;
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            if (x[i] != 0.0) {
                x[i] = alone && active > c->least ? zi_allowed_nearest(&c->allowed, i, x[i])
                                                  : zi_allowed_active(&c->allowed, i, x[i]);
                active -= x[i] == 0.0;
            }
        }
    }
}

void zi_repair(zi_repairer *m, zilch_rng rng, double *x)
{
    const zi_constraints *c = m->constraints;
    if (c->limits.rows) {
        repair_limits(m, &rng, x);
        return;
    }
    if (c->has_switches) {
        take_units(m, x);
        choose_units(m, &rng);
        repair_values(m, &rng, x);
    } else {
        repair_bounds(m, &rng, x);
    }
    zi_constraints_snap(c, x);
}
