/* Values on steps and lists within linear limits.
 *
 * Each value goes to the nearest that it may have. Then single values go on to their neighbours, those first
 * that lessen what rows are out by at the least cost in distance: for one sum and a common step these are the
 * largest remainders. Where no single change helps, two do: one by a step, another by what makes up for it.
 * What has neither step nor list follows at last, as near as it can stay (limit_values.c). It is no proof
 * where that finds nothing: feasibility.c is. */
#include "search/lattice.h"

#include "base/memory.h"
#include "search/constraints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 24, MOST_PAIRED = 48 };
static const double precision = 1e-12;
static const double least_gain = 1e-9; /* of what is out: less is rounding */

zilch_status zi_lattice_create(zi_lattice *out, const zi_constraints *c)
{
    const size_t rows = c->limits.rows;
    *out = (zi_lattice){.constraints = c};
    ZI_TRY(zi_alloc(&out->list, c->dim));
    ZI_TRY(zi_alloc(&out->move, 2 * c->dim));
    ZI_TRY(zi_alloc(&out->numbers, 4 * c->dim + 5 * rows));
    double **const by_coordinate[] = {&out->low, &out->high, &out->goal, &out->unit};
    double **const by_row[] = {&out->sum, &out->least, &out->most, &out->scale, &out->slack};
    for (size_t k = 0; k < 4; k++) {
        *by_coordinate[k] = out->numbers + k * c->dim;
    }
    for (size_t k = 0; k < 5; k++) {
        *by_row[k] = out->numbers + 4 * c->dim + k * rows;
    }
    memcpy(out->low, c->lower, c->dim * sizeof *out->low);
    memcpy(out->high, c->upper, c->dim * sizeof *out->high);
    for (size_t r = 0; r < rows; r++) {
        double largest = 0.0;
        for (size_t k = c->limits.first[r]; k < c->limits.first[r + 1]; k++) {
            largest = fmax(largest, fabs(c->limits.weight[k]));
        }
        out->scale[r] = largest > 0.0 ? 1.0 / largest : 1.0;
    }
    return zi_mover_create(&out->mover, &c->limits, c->dim, out->low, out->high, c->stays);
}

void zi_lattice_free(zi_lattice *l)
{
    zi_free(l->list);
    zi_free(l->move);
    zi_free(l->numbers);
    zi_mover_free(&l->mover);
    *l = (zi_lattice){0};
}

int zi_lattice_has(const zi_constraints *c, const double *x)
{
    size_t i = 0;
    while (i < c->dim && (x[i] == 0.0 || zi_allowed_is(&c->allowed, i, x[i]))) {
        i++;
    }
    return i == c->dim;
}

/* ---- What is out ----------------------------------------------------------------------------------------
 */

/* The rows' sums, and what values without a step can still add to them. */
static void gather(zi_lattice *l, const double *x)
{
    const zi_constraints *c = l->constraints;
    const zi_limits *rows = &c->limits;
    for (size_t r = 0; r < rows->rows; r++) {
        const double ends = (isfinite(rows->lower[r]) ? fabs(rows->lower[r]) : 0.0) +
                            (isfinite(rows->upper[r]) ? fabs(rows->upper[r]) : 0.0);
        l->sum[r] = 0.0;
        l->least[r] = rows->lower[r];
        l->most[r] = rows->upper[r];
        l->slack[r] = precision * ends;
    }
    l->count = 0;
    for (size_t i = 0; i < c->dim; i++) {
        const int has_steps = zi_allowed_has(&c->allowed, i);
        if (x[i] == 0.0) {
            continue;
        }
        if (has_steps) {
            l->list[l->count++] = i;
        }
        for (size_t e = rows->column[i]; e < rows->column[i + 1]; e++) {
            const size_t r = rows->row[e];
            const double a = rows->by[e];
            l->slack[r] += precision * fabs(a * x[i]);
            if (has_steps) {
                l->sum[r] += a * x[i];
            } else {
                l->least[r] -= a * (a > 0.0 ? c->upper[i] : c->lower[i]);
                l->most[r] -= a * (a > 0.0 ? c->lower[i] : c->upper[i]);
            }
        }
    }
}

/* What a row with this sum is out by; 0 if that is rounding. */
static double out_by(const zi_lattice *l, size_t r, double sum)
{
    const double below = l->least[r] - sum;
    const double above = sum - l->most[r];
    const double out = fmax(below, above);
    return out > l->slack[r] ? l->scale[r] * out : 0.0;
}

static double all_out(const zi_lattice *l)
{
    double out = 0.0;
    for (size_t r = 0; r < l->constraints->limits.rows; r++) {
        out += out_by(l, r, l->sum[r]);
    }
    return out;
}

/* How much less rows are out where a value changes by so much. */
static double gain_of(const zi_lattice *l, size_t i, double change)
{
    const zi_limits *rows = &l->constraints->limits;
    double gain = 0.0;
    for (size_t e = rows->column[i]; e < rows->column[i + 1]; e++) {
        const size_t r = rows->row[e];
        gain += out_by(l, r, l->sum[r]) - out_by(l, r, l->sum[r] + rows->by[e] * change);
    }
    return gain;
}

static void apply(zi_lattice *l, size_t i, double to, double *x)
{
    const zi_limits *rows = &l->constraints->limits;
    for (size_t e = rows->column[i]; e < rows->column[i + 1]; e++) {
        l->sum[rows->row[e]] += rows->by[e] * (to - x[i]);
    }
    x[i] = to;
}

/* How much farther from the goal, in squared units. */
static double cost_of(const zi_lattice *l, size_t i, double from, double to)
{
    const double before = (from - l->goal[i]) / l->unit[i];
    const double after = (to - l->goal[i]) / l->unit[i];
    return after * after - before * before;
}

/* The neighbour that is not 0; NaN if there is none. */
static double next_of(const zi_lattice *l, size_t i, double x, int direction)
{
    const zi_allowed *a = &l->constraints->allowed;
    const double next = zi_allowed_next(a, i, x, direction);
    return next == 0.0 ? zi_allowed_next(a, i, next, direction) : next;
}

/* ---- Changes of one value -------------------------------------------------------------------------------
 */

static int compare_moves(const void *a, const void *b)
{
    const zi_lattice_move *m = a;
    const zi_lattice_move *n = b;
    return m->key != n->key ? (m->key > n->key) - (m->key < n->key)
                            : (m->coordinate > n->coordinate) - (m->coordinate < n->coordinate);
}

/* Those that help, the cheapest for what they gain first; gives whether any was made. */
static int change_single(zi_lattice *l, size_t held, double *x)
{
    const double little = least_gain * all_out(l);
    size_t count = 0;
    int is_changed = 0;
    for (size_t k = 0; k < l->count; k++) {
        const size_t i = l->list[k];
        for (int direction = -1; direction <= 1 && i != held; direction += 2) {
            const double to = next_of(l, i, x[i], direction);
            const double gain = isnan(to) ? 0.0 : gain_of(l, i, to - x[i]);
            if (gain > little) {
                l->move[count++] = (zi_lattice_move){cost_of(l, i, x[i], to) / gain, to, i};
            }
        }
    }
    qsort(l->move, count, sizeof *l->move, compare_moves);
    for (size_t k = 0; k < count; k++) {
        const zi_lattice_move *m = &l->move[k];
        if (gain_of(l, m->coordinate, m->to - x[m->coordinate]) > little) {
            apply(l, m->coordinate, m->to, x);
            is_changed = 1;
        }
    }
    return is_changed;
}

/* ---- Changes of two -------------------------------------------------------------------------------------
 */

typedef struct pair {
    size_t i, j;
    double to_i, to_j, out, cost;
} pair;

/* The value of j that makes up best for what a row of it is out; it may be the one it has. */
static double make_up(const zi_lattice *l, size_t j, size_t e, double x)
{
    const zi_limits *rows = &l->constraints->limits;
    const size_t r = rows->row[e];
    const double lacks = l->sum[r] < l->least[r]  ? l->least[r] - l->sum[r]
                         : l->sum[r] > l->most[r] ? l->most[r] - l->sum[r]
                                                  : 0.0;
    return zi_allowed_active(&l->constraints->allowed, j, x + lacks / rows->by[e]);
}

/* The best partner of a change that was just made, which is in `best` already. */
static void find_partner(const zi_lattice *l, size_t held, const double *x, const pair *first, double out,
                         pair *best)
{
    const zi_limits *rows = &l->constraints->limits;
    const size_t most = l->count < MOST_PAIRED ? l->count : MOST_PAIRED;
    for (size_t k = 0; k < most; k++) {
        const size_t j = l->list[k];
        for (size_t e = rows->column[j]; e < rows->column[j + 1] && j != held && j != first->i; e++) {
            const double to = make_up(l, j, e, x[j]);
            const double now = out - gain_of(l, j, to - x[j]);
            const double cost = first->cost + cost_of(l, j, x[j], to);
            if (to != x[j] &&
                (now < best->out * (1.0 - least_gain) || (now <= best->out && cost < best->cost))) {
                *best = (pair){first->i, j, first->to_i, to, now, cost};
            }
        }
    }
}

static int change_two(zi_lattice *l, size_t held, double *x)
{
    const double out = all_out(l);
    const size_t most = l->count < MOST_PAIRED ? l->count : MOST_PAIRED;
    pair best = {.i = SIZE_MAX, .out = out * (1.0 - least_gain), .cost = -INFINITY};
    for (size_t k = 0; k < most; k++) {
        const size_t i = l->list[k];
        for (int direction = -1; direction <= 1 && i != held; direction += 2) {
            const double from = x[i];
            const pair first = {.i = i, .to_i = next_of(l, i, from, direction)};
            if (isnan(first.to_i)) {
                continue;
            }
            pair with_cost = first;
            with_cost.cost = cost_of(l, i, from, first.to_i);
            apply(l, i, first.to_i, x);
            find_partner(l, held, x, &with_cost, all_out(l), &best);
            apply(l, i, from, x);
        }
    }
    if (best.i == SIZE_MAX) {
        return 0;
    }
    apply(l, best.i, best.to_i, x);
    apply(l, best.j, best.to_j, x);
    return 1;
}

/* ---- The point ------------------------------------------------------------------------------------------
 */

/* The other values follow; those that are set have no room. */
static int move_others(zi_lattice *l, double *x)
{
    const zi_constraints *c = l->constraints;
    if (zi_limits_broken(&c->limits, x) == c->limits.rows) {
        return 1;
    }
    for (size_t k = 0; k < l->count; k++) {
        const size_t i = l->list[k];
        l->low[i] = l->high[i] = x[i];
        l->unit[i] *= 1e-6;
    }
    const int is_right = zi_mover_project(&l->mover, l->unit, 1, x);
    for (size_t k = 0; k < l->count; k++) {
        l->low[l->list[k]] = c->lower[l->list[k]];
        l->high[l->list[k]] = c->upper[l->list[k]];
    }
    return is_right;
}

int zi_lattice_round(zi_lattice *l, const double *sigma, size_t held, double *x)
{
    const zi_constraints *c = l->constraints;
    memcpy(l->goal, x, c->dim * sizeof *x);
    for (size_t i = 0; i < c->dim; i++) {
        l->unit[i] = sigma[i] > 0.0 && isfinite(sigma[i]) ? sigma[i] : 1e-6;
    }
    zi_constraints_snap(c, x);
    gather(l, x);
    for (int round = 0; round < MOST_ROUNDS && all_out(l) > 0.0; round++) {
        if (!change_single(l, held, x) && !change_two(l, held, x)) {
            return 0;
        }
    }
    return all_out(l) == 0.0 && move_others(l, x);
}
