/* The model of the refinement. Among all quadratics through the points next to the incumbent, the one whose
 * matrix differs least from the last one's, in the Frobenius norm (Powell: The NEWUOA software for
 * unconstrained optimization without derivatives, 2006). Its coefficients solve a dense symmetric system. The
 * step is the minimum of the quadratic and of the penalty in a box, approximately: coordinate descent that
 * may set a coordinate to zero or take it from there (Hazimeh and Mazumder: Fast best subset selection,
 * 2020), from the incumbent and from Newton's point; the better one counts. */
#include "search/refine_model.h"

#include "math/linalg.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { DESCENTS = 60, DAMPINGS = 40 };

/* A value this near to zero, in units, is zero. */
static const double nothing = 1e-15;

/* A coordinate is made active for a gain of at least this share of the value. */
static const double least_gain = 1e-8;

/* Bends below it are none. */
static const double flat = 1e-300;

size_t zi_refine_active(const zi_refine *r, const double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < r->dim; i++) {
        active += x[i] != 0.0;
    }
    return active;
}

double zi_refine_penalty(const zi_refine *r, size_t i)
{
    return r->state.penalty * r->part[i];
}

/* Where all cost the same, this is how many there are, and exactly so. */
double zi_refine_parts(const zi_refine *r, const double *x)
{
    double parts = 0.0;
    for (size_t i = 0; i < r->dim; i++) {
        parts += x[i] != 0.0 ? r->part[i] : 0.0;
    }
    return parts;
}

double zi_refine_cost(const zi_refine *r, double value, const double *x)
{
    return value + r->state.penalty * zi_refine_parts(r, x);
}

/* What an active coordinate must be worth. */
static double least_worth(const zi_refine *r, size_t i)
{
    return fmax(zi_refine_penalty(r, i), least_gain * fabs(r->state.value));
}

/* ---- Single coordinates --------------------------------------------------------------------------- */

static double value_at(const zi_refine *r, size_t i, double step)
{
    const double value = r->x[i] + r->unit[i] * step;
    if (fabs(value) < nothing * r->unit[i]) {
        return 0.0;
    }
    return fmin(fmax(value, r->limits->lower[i]), r->limits->upper[i]);
}

typedef struct slope_of { /* of a coordinate that has this value */
    size_t coordinate;
    double value, slope, bend;
} slope_of;

/* The best move of a coordinate between two steps; gives its gain. Zero may be farther than they are. */
static double best_move(const zi_refine *r, const slope_of *s, double least, double most, zi_refine_hold hold,
                        double *move)
{
    const size_t i = s->coordinate;
    const double worth = least_worth(r, i);
    const int is_on = s->value != 0.0;
    const double from = fmax(least, (r->limits->lower[i] - s->value) / r->unit[i]);
    const double to = fmin(most, (r->limits->upper[i] - s->value) / r->unit[i]);
    const double there = is_on ? worth : 0.0;
    double best = 0.0;
    *move = 0.0;
    if (!is_on && hold != ZI_HOLD_NOTHING) {
        return 0.0;
    }
    const int is_convex = s->bend > flat;
    for (int end = 0; end < (is_convex ? 1 : 2) && from <= to; end++) {
        const double t = is_convex ? fmin(fmax(-s->slope / s->bend, from), to) : end ? to : from;
        const int is_zero = s->value + r->unit[i] * t == 0.0;
        const double gain = there - (is_zero ? 0.0 : worth) - t * (s->slope + 0.5 * s->bend * t);
        if (gain > best) {
            best = gain;
            *move = t;
        }
    }
    const double t = -s->value / r->unit[i];
    if (is_on && hold != ZI_HOLD_ALL && r->forced[i] != ZILCH_FORCED_ON && t >= 3.0 * least &&
        t <= 3.0 * most) {
        const double gain = there - t * (s->slope + 0.5 * s->bend * t);
        if (gain > best) {
            best = gain;
            *move = t;
        }
    }
    return best;
}

/* ---- Working set ---------------------------------------------------------------------------------- */

/* Active coordinates come before the others, and those first that nothing is known about; within each class
 * they go by an amount, in any unit of values. */
typedef struct promise {
    enum { NO_GAIN, GAIN, ACTIVE, ACTIVE_UNKNOWN } class;
    double amount;
} promise;

static promise promise_of(const zi_refine *r, size_t i)
{
    double move;
    const double range = fmax(4.0 * r->state.probe, r->state.radius);
    if (r->x[i] != 0.0) {
        return r->is_known[i] ? (promise){ACTIVE, fabs(r->slope[i])} : (promise){ACTIVE_UNKNOWN, 0.0};
    }
    if (!r->is_known[i] || r->state.wide_failures >= ZI_WIDE_MOST || r->forced[i] == ZILCH_FORCED_OFF) {
        return (promise){NO_GAIN, 0.0};
    }
    const double gain =
        best_move(r, &(slope_of){i, 0.0, r->slope[i], r->bend[i]}, -range, range, ZI_HOLD_NOTHING, &move);
    return (promise){gain > 0.0 ? GAIN : NO_GAIN, gain};
}

static int is_less(promise a, promise b)
{
    return a.class < b.class || (a.class == b.class && a.amount < b.amount);
}

/* Entries of the old matrix are kept where both coordinates stay. Slopes and step follow from the next fit;
 * until then they are nothing, whatever was there before. */
static void rearrange(zi_refine *r, size_t count, const size_t *member)
{
    const size_t k = ZI_WORKING_MOST;
    for (size_t a = 0; a < count; a++) {
        const size_t old_a = r->place[member[a]];
        for (size_t b = 0; b <= a; b++) {
            const size_t old_b = r->place[member[b]];
            const double alone = a == b && r->is_known[member[a]] ? r->bend[member[a]] : 0.0;
            r->matrix[a * k + b] = old_a && old_b ? r->h[(old_a - 1) * k + old_b - 1] : alone;
        }
    }
    for (size_t a = 0; a < r->state.working; a++) {
        r->place[r->member[a]] = 0;
    }
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b <= a; b++) {
            zi_set_entry(k, r->h, a, b, r->matrix[a * k + b]);
        }
        r->member[a] = member[a];
        r->place[member[a]] = (unsigned char)(a + 1);
    }
    memset(r->g, 0, count * sizeof *r->g);
    memset(r->step, 0, count * sizeof *r->step);
    r->state.working = count;
}

void zi_refine_choose(zi_refine *r)
{
    promise key[ZI_WORKING_MOST + 1];
    size_t member[ZI_WORKING_MOST + 1];
    size_t count = 0;
    for (size_t i = 0; i < r->dim; i++) {
        const promise own = promise_of(r, i);
        if (own.class == NO_GAIN || (count == r->most_working && !is_less(key[count - 1], own))) {
            continue;
        }
        size_t at = count;
        for (; at > 0 && is_less(key[at - 1], own); at--) {
            key[at] = key[at - 1];
            member[at] = member[at - 1];
        }
        key[at] = own;
        member[at] = i;
        count += count < r->most_working;
    }
    rearrange(r, count, member);
}

/* ---- Points -------------------------------------------------------------------------------------- */

/* The steps from the incumbent to a point, if it differs in the working set only. `origin`: those to the
 * base; `outside`: in how many coordinates outside the working set the incumbent differs from the base. */
static int steps_to(const zi_refine *r, size_t row, const double *origin, size_t outside, double *restrict z)
{
    const zi_points *p = &r->points;
    const uint32_t *coordinate = p->coordinate + p->begin[row];
    const double *entry = p->entry + p->begin[row];
    memcpy(z, origin, r->state.working * sizeof *z);
    for (size_t k = 0; k < p->length[row]; k++) {
        const size_t i = coordinate[k];
        if (r->place[i]) {
            z[r->place[i] - 1] = (entry[k] - r->x[i]) / r->unit[i];
        } else if (entry[k] != r->x[i] || outside == 0) {
            return 0;
        } else {
            outside--;
        }
    }
    return outside == 0;
}

/* Puts a point in its place among those that are nearest; `most` of them are kept. */
static void put_near(zi_refine *r, double distance, size_t row, size_t most)
{
    size_t at = r->near_count;
    if (at == most && distance >= r->near[at - 1].distance) {
        return;
    }
    for (; at > 0 && r->near[at - 1].distance > distance; at--) {
        r->near[at] = r->near[at - 1];
    }
    r->near[at] = (zi_near){distance, row};
    r->near_count += r->near_count < most;
}

/* Coefficients of a quadratic of the working set. */
static size_t unknowns(size_t k)
{
    return (k + 1) * (k + 2) / 2;
}

/* The steps to the points that were chosen, scaled. */
static void set_steps(zi_refine *r, const double *origin, size_t outside)
{
    const size_t k = r->state.working;
    const size_t m = r->near_count;
    for (size_t j = 0; j < m; j++) {
        double *row = r->rows + j * k;
        steps_to(r, r->near[j].row, origin, outside, row);
        for (size_t a = 0; a < k; a++) {
            row[a] /= r->scale;
            r->z[a * m + j] = row[a];
        }
    }
}

/* The `most` nearest ones; those that are much farther than the others only if `is_whole`. */
static void select_nearest(zi_refine *r, size_t most, int is_whole)
{
    const size_t k = r->state.working;
    double origin[ZI_WORKING_MOST];
    double z[ZI_WORKING_MOST];
    size_t outside = 0;
    for (size_t i = 0; i < r->dim; i++) {
        outside += r->x[i] != r->points.base[i] && !r->place[i];
    }
    for (size_t a = 0; a < k; a++) {
        const size_t i = r->member[a];
        origin[a] = (r->points.base[i] - r->x[i]) / r->unit[i];
    }
    r->near_count = r->usable = 0;
    for (size_t age = 0; age < r->points.count; age++) {
        const size_t row = zi_points_row(&r->points, age);
        double square = 0.0;
        if (steps_to(r, row, origin, outside, z)) {
            for (size_t a = 0; a < k; a++) {
                square += z[a] * z[a];
            }
            r->usable++;
            put_near(r, sqrt(square), row, most);
        }
    }
    const size_t m = r->near_count;
    r->scale = r->state.radius;
    if (is_whole && m) {
        r->scale = fmax(r->scale, r->near[m / 2].distance);
    } else if (m >= 2) {
        const double far = 20.0 * fmax(r->state.radius, r->near[k + 1 < m ? k + 1 : m - 1].distance);
        while (r->near_count > k + 2 && r->near[r->near_count - 1].distance > far) {
            r->near_count--;
        }
    }
    set_steps(r, origin, outside);
}

void zi_refine_select(zi_refine *r)
{
    const size_t k = r->state.working;
    const size_t most = 3 * k + 10;
    select_nearest(r, unknowns(k) < most ? unknowns(k) : most, 0);
}

void zi_refine_inspect(const zi_refine *r, unsigned char *lacks)
{
    const size_t k = r->state.working;
    const size_t m = r->near_count;
    memset(lacks, 1, k);
    for (size_t j = 0; j < m; j++) {
        double largest = 0.0;
        for (size_t a = 0; a < k; a++) {
            largest = fmax(largest, fabs(r->z[a * m + j]));
        }
        for (size_t a = 0; a < k && largest <= 3.0; a++) {
            const double z = fabs(r->z[a * m + j]);
            lacks[a] = lacks[a] && !(z > 0.1 && z >= 0.5 * largest);
        }
    }
}

/* ---- Quadratic ------------------------------------------------------------------------------------ */

/* z'Hz for each near point; `room` is for working x working and working x near numbers. */
static void set_bends(const zi_refine *r, double *room, double *bend)
{
    const size_t k = r->state.working;
    const size_t m = r->near_count;
    double *product = room + k * k;
    for (size_t a = 0; a < k; a++) {
        memcpy(room + a * k, r->h + a * ZI_WORKING_MOST, k * sizeof *room);
    }
    memset(product, 0, k * m * sizeof *product);
    zi_multiply_add(k, k, m, 1.0, room, r->z, product);
    memset(bend, 0, m * sizeof *bend);
    for (size_t a = 0; a < k; a++) {
        for (size_t j = 0; j < m; j++) {
            bend[j] += r->z[a * m + j] * product[a * m + j];
        }
    }
}

/* The equations of the least change: the points' kernel (z_i'z_j)^2 / 2, bordered by 1 and z. The small terms
 * on the diagonal let equal points be. */
static void set_equations(zi_refine *r)
{
    const size_t k = r->state.working;
    const size_t m = r->near_count;
    const size_t n = m + k + 1;
    const double square = r->scale * r->scale;
    double *a = r->matrix;
    double *kernel = a + n * n;
    set_bends(r, a, r->right);
    for (size_t j = 0; j < m; j++) {
        const size_t row = r->near[j].row;
        const double merit = zi_refine_merit(r, r->points.value[row], r->points.violation[row]);
        r->right[j] = merit - r->state.value - 0.5 * square * r->right[j];
    }
    memset(r->right + m, 0, (k + 1) * sizeof *r->right);
    zi_rank_update(m, k, 1.0, r->z, 0.0, kernel);
    for (size_t j = 0; j < m; j++) {
        double *column = a + j * n;
        for (size_t i = j; i < m; i++) {
            column[i] = 0.5 * kernel[j * m + i] * kernel[j * m + i];
        }
        column[j] += 1e-13 * (1.0 + column[j]);
        column[m] = 1.0;
        memcpy(column + m + 1, r->rows + j * k, k * sizeof *column);
    }
    for (size_t c = m; c < n; c++) {
        memset(a + c * n, 0, n * sizeof *a);
        a[c * n + c] = -1e-12;
    }
    zi_symmetrise(n, a);
}

/* H + sum_j l_j z_j z_j', for the multipliers l. */
static void change_matrix(zi_refine *r, const double *multiplier)
{
    const size_t k = r->state.working;
    const size_t m = r->near_count;
    const double square = r->scale * r->scale;
    double *change = r->matrix;
    double *scaled = change + k * k;
    for (size_t a = 0; a < k; a++) {
        for (size_t j = 0; j < m; j++) {
            scaled[a * m + j] = multiplier[j] * r->z[a * m + j];
        }
    }
    memset(change, 0, k * k * sizeof *change);
    zi_multiply_add(k, m, k, 1.0 / square, scaled, r->rows, change);
    for (size_t a = 0; a < k; a++) {
        for (size_t b = 0; b <= a; b++) {
            zi_set_entry(ZI_WORKING_MOST, r->h, a, b, r->h[a * ZI_WORKING_MOST + b] + change[a * k + b]);
        }
    }
}

int zi_refine_fit(zi_refine *r)
{
    const size_t k = r->state.working;
    const size_t m = r->near_count;
    if (m < 2) {
        return 0;
    }
    set_equations(r);
    int is_finite = zi_solve(m + k + 1, r->matrix, r->pivot, r->right);
    for (size_t j = 0; j < m + k + 1; j++) {
        is_finite = is_finite && isfinite(r->right[j]);
    }
    if (!is_finite) {
        return 0;
    }
    for (size_t a = 0; a < k; a++) {
        r->g[a] = r->right[m + 1 + a] / r->scale;
    }
    change_matrix(r, r->right);
    return 1;
}

int zi_refine_is_whole_due(const zi_refine *r)
{
    const size_t k = r->state.working;
    return unknowns(k) > 3 * k + 10 && r->usable >= unknowns(k) && !r->state.whole_wait;
}

int zi_refine_fit_whole(zi_refine *r)
{
    const size_t needed = unknowns(r->state.working);
    memcpy(r->old_h, r->h, sizeof r->h);
    select_nearest(r, needed + needed / 4, 1);
    r->state.is_whole = 1;
    r->state.whole_wait = (uint32_t)needed / 8 * r->state.whole_pause;
    return zi_refine_fit(r);
}

void zi_refine_forget_whole(zi_refine *r)
{
    memcpy(r->h, r->old_h, sizeof r->h);
    r->state.is_whole = 0;
}

/* ---- Step ----------------------------------------------------------------------------------------- */

void zi_refine_gradient(const zi_refine *r, const double *step, double *slope)
{
    const size_t k = r->state.working;
    for (size_t a = 0; a < k; a++) {
        slope[a] = r->g[a];
        for (size_t c = 0; c < k; c++) {
            slope[a] += r->h[a * ZI_WORKING_MOST + c] * step[c];
        }
    }
}

double zi_refine_change(const zi_refine *r, const double *step)
{
    double slope[ZI_WORKING_MOST];
    double change = 0.0;
    zi_refine_gradient(r, step, slope);
    for (size_t a = 0; a < r->state.working; a++) {
        const size_t i = r->member[a];
        const double after = value_at(r, i, step[a]);
        change += 0.5 * step[a] * (r->g[a] + slope[a]);
        change += least_worth(r, i) * ((after != 0.0) - (r->x[i] != 0.0));
    }
    return change;
}

/* Coordinate descent in the box from where `step` is; `fixed` (a member, or SIZE_MAX) stays. */
static void descend(const zi_refine *r, double radius, zi_refine_hold hold, size_t fixed, double *step)
{
    const size_t k = r->state.working;
    double slope[ZI_WORKING_MOST];
    double largest = INFINITY;
    zi_refine_gradient(r, step, slope);
    for (int round = 0; round < DESCENTS && largest >= 1e-6 * radius; round++) {
        largest = 0.0;
        for (size_t a = 0; a < k; a++) {
            const size_t i = r->member[a];
            double move = 0.0;
            if (a != fixed) {
                const double least = fmin(-radius - step[a], 0.0);
                const double most = fmax(radius - step[a], 0.0);
                const slope_of s = {i, value_at(r, i, step[a]), slope[a], r->h[a * ZI_WORKING_MOST + a]};
                best_move(r, &s, least, most, hold, &move);
            }
            if (move != 0.0) {
                step[a] += move;
                for (size_t c = 0; c < k; c++) {
                    slope[c] += r->h[a * ZI_WORKING_MOST + c] * move;
                }
                largest = fmax(largest, fabs(move));
            }
        }
    }
}

/* Newton's step, damped until it is in the box, or nearly, and then cut off. */
static void newton(zi_refine *r, zi_refine_hold hold, double *step)
{
    const size_t k = r->state.working;
    double scale = 0.0;
    double steepest = 0.0;
    double damping = 0.0;
    for (size_t a = 0; a < k; a++) {
        scale = fmax(scale, fabs(r->h[a * ZI_WORKING_MOST + a]));
        steepest = fmax(steepest, fabs(r->g[a]));
    }
    scale = scale > 0.0 ? scale : steepest;
    for (int trial = 0; trial < DAMPINGS; trial++) {
        for (size_t a = 0; a < k; a++) {
            for (size_t c = 0; c < k; c++) {
                r->matrix[a * k + c] = r->h[a * ZI_WORKING_MOST + c] + (a == c ? damping : 0.0);
            }
            step[a] = 0.0;
        }
        if (zi_cholesky(k, r->matrix)) {
            double largest = 0.0;
            for (size_t a = 0; a < k; a++) {
                step[a] = -r->g[a];
            }
            zi_solve_definite(k, r->matrix, step);
            for (size_t a = 0; a < k; a++) {
                largest = fmax(largest, fabs(step[a]));
            }
            if (largest <= 1.5 * r->state.radius) {
                break;
            }
        }
        damping = damping > 0.0 ? 4.0 * damping : 1e-8 * scale;
    }
    for (size_t a = 0; a < k; a++) {
        const size_t i = r->member[a];
        const double cut = isfinite(step[a]) ? fmin(fmax(step[a], -r->state.radius), r->state.radius) : 0.0;
        const double value = fmin(fmax(r->x[i] + r->unit[i] * cut, r->limits->lower[i]), r->limits->upper[i]);
        const int is_held = hold != ZI_HOLD_NOTHING && r->x[i] == 0.0;
        step[a] = is_held ? 0.0 : value == r->x[i] + r->unit[i] * cut ? cut : (value - r->x[i]) / r->unit[i];
    }
}

double zi_refine_solve(zi_refine *r, zi_refine_hold hold)
{
    double other[ZI_WORKING_MOST];
    memset(r->step, 0, sizeof r->step);
    descend(r, r->state.radius, hold, SIZE_MAX, r->step);
    newton(r, hold, other);
    descend(r, r->state.radius, hold, SIZE_MAX, other);
    const double change = zi_refine_change(r, r->step);
    const double other_change = zi_refine_change(r, other);
    if (other_change < change) {
        memcpy(r->step, other, r->state.working * sizeof *other);
    }
    return -fmin(change, other_change);
}

double zi_refine_predict(zi_refine *r, const double *x)
{
    for (size_t a = 0; a < r->state.working; a++) {
        const size_t i = r->member[a];
        r->step[a] = (x[i] - r->x[i]) / r->unit[i];
    }
    return -zi_refine_change(r, r->step);
}

double zi_refine_loss(zi_refine *r, size_t at, double *step)
{
    const size_t i = r->member[at];
    memset(step, 0, r->state.working * sizeof *step);
    step[at] = -r->x[i] / r->unit[i];
    descend(r, fmax(r->state.radius, fabs(step[at])), ZI_HOLD_NOTHING, at, step);
    return zi_refine_change(r, step);
}

void zi_refine_recentre(zi_refine *r)
{
    double slope[ZI_WORKING_MOST];
    zi_refine_gradient(r, r->step, slope);
    memcpy(r->g, slope, r->state.working * sizeof *slope);
}

void zi_refine_move(const zi_refine *r, const double *step, double *x)
{
    for (size_t a = 0; a < r->state.working; a++) {
        if (step[a] != 0.0) {
            x[r->member[a]] = value_at(r, r->member[a], step[a]);
        }
    }
}
