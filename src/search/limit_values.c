/* Values within linear limits.
 *
 * One limit: each value gives or takes a part of the way to the bound that helps. A value of unit s with
 * room r moves by r s^2 a t / (r + s^2 a t), for one t: as in the nearest point while r is large, and never
 * quite to the bound. t follows by Newton's method on a concave function, from the left.
 *
 * Several limits: the nearest point, in units, by its dual, a concave function of one multiplier for each
 * row, which is piecewise quadratic: Newton's method on it with a line search (Li, Sun, Toh: On the efficient
 * computation of a generalized Jacobian of the projector over the Birkhoff polytope, 2020, has the idea). The
 * nearest point is on the rim. Where values of it are on bounds, a cost that has no end at bounds takes the
 * place of the distance, if there is room for that. Its mirror image, as far inside as the wanted one was
 * outside, is taken where it is allowed, or half of the way to where it ceases to be. */
#include "search/limit_values.h"

#include "base/memory.h"
#include "search/constraints.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 60, HALVINGS = 40, POLISHES = 4 };
static const double smallest_part =
    1e-3; /* of a unit: what must not be 0 is that at least, where it can be */
static const double exact = 1e-13;
static const double good = 3e-13; /* where rounding may be all that is left */

zilch_status zi_mover_create(zi_mover *out, const zi_limits *limits, size_t dim, const double *lower,
                             const double *upper, const unsigned char *stays)
{
    const size_t rows = limits->rows;
    *out = (zi_mover){.limits = limits, .dim = dim, .lower = lower, .upper = upper, .stays = stays};
    ZI_TRY(zi_alloc(&out->list, dim));
    ZI_TRY(zi_alloc(&out->numbers, 7 * dim));
    ZI_TRY(zi_alloc(&out->multiplier, (7 + rows) * rows));
    double **const by_coordinate[] = {&out->y, &out->x,    &out->low,  &out->high,
                                      &out->w, &out->even, &out->whole};
    for (size_t k = 0; k < 7; k++) {
        *by_coordinate[k] = out->numbers + k * dim;
    }
    out->next = out->multiplier + rows;
    out->sum = out->next + rows;
    out->size = out->sum + rows;
    out->residual = out->size + rows;
    out->step = out->residual + rows;
    out->kept = out->step + rows;
    out->matrix = out->kept + rows;
    return ZILCH_OK;
}

void zi_mover_free(zi_mover *m)
{
    zi_free(m->list);
    zi_free(m->numbers);
    zi_free(m->multiplier);
    *m = (zi_mover){0};
}

/* ---- What is active -------------------------------------------------------------------------------------
 */

static double unit_of(const double *sigma, size_t i)
{
    return sigma[i] > 0.0 && isfinite(sigma[i]) ? sigma[i] : 1e-6;
}

/* A bound that is 0 gives way a little where the value must not be 0. */
static void keep_off_zero(zi_mover *m, size_t k, double unit, double x)
{
    const double wanted = x != 0.0 ? fmin(smallest_part * unit, 0.5 * fabs(x)) : smallest_part * unit;
    const double least = fmax(wanted, DBL_MIN);
    if (m->low[k] == 0.0) {
        m->low[k] = fmin(least, m->high[k]);
    } else if (m->high[k] == 0.0) {
        m->high[k] = fmax(-least, m->low[k]);
    }
}

static void gather(zi_mover *m, const double *sigma, int all_stay, const double *x)
{
    m->count = 0;
    for (size_t i = 0; i < m->dim; i++) {
        if (x[i] != 0.0) {
            const size_t k = m->count++;
            const double unit = unit_of(sigma, i);
            m->list[k] = i;
            m->low[k] = m->lower[i];
            m->high[k] = m->upper[i];
            m->w[k] = unit * unit;
            if (all_stay || m->stays[i]) {
                keep_off_zero(m, k, unit, x[i]);
            }
            m->y[k] = fmin(fmax(x[i], m->low[k]), m->high[k]);
        }
    }
}

/* Whether what was found, `from`, keeps the limits; x is changed only then. */
static int put_back(zi_mover *m, const double *from, double *x)
{
    memcpy(m->whole, x, m->dim * sizeof *x);
    for (size_t k = 0; k < m->count; k++) {
        m->whole[m->list[k]] = from[k] + 0.0;
        if (!isfinite(from[k])) {
            return 0;
        }
    }
    if (zi_limits_broken(m->limits, m->whole) != m->limits->rows) {
        return 0;
    }
    memcpy(x, m->whole, m->dim * sizeof *x);
    return 1;
}

/* ---- One limit --------------------------------------------------------------------------------------------
 */

/* Its weights at the active coordinates, where the equations' nearest point is with several limits. */
static void set_weights(zi_mover *m)
{
    for (size_t k = 0; k < m->count; k++) {
        const size_t at = m->limits->column[m->list[k]];
        m->even[k] = at < m->limits->column[m->list[k] + 1] ? m->limits->by[at] : 0.0;
    }
}

static double weight_at(const zi_mover *m, size_t k)
{
    return m->even[k];
}

/* The sum as it is, and the least and the greatest that bounds leave. */
static double range_of(const zi_mover *m, double *least, double *most, double *size)
{
    zi_sum sum = {0.0, 0.0};
    *least = *most = *size = 0.0;
    for (size_t k = 0; k < m->count; k++) {
        const double a = weight_at(m, k);
        if (a != 0.0) {
            zi_sum_add(&sum, a * m->x[k]);
            *size += fabs(a * m->x[k]);
            *least += a * (a > 0.0 ? m->low[k] : m->high[k]);
            *most += a * (a > 0.0 ? m->high[k] : m->low[k]);
        }
    }
    return sum.value + sum.rest;
}

/* The room of a value on the way that helps, and how fast it goes there. */
static double room_of(const zi_mover *m, size_t k, double a, int is_up)
{
    const double end = (a > 0.0) == is_up ? m->high[k] : m->low[k];
    return fabs(end - m->x[k]);
}

/* What all moves add up to, and how that grows with t. */
static double moved_by(const zi_mover *m, double t, int is_up, double *slope)
{
    double sum = 0.0;
    *slope = 0.0;
    for (size_t k = 0; k < m->count; k++) {
        const double a = weight_at(m, k);
        const double rate = m->w[k] * fabs(a);
        const double room = a != 0.0 ? room_of(m, k, a, is_up) : 0.0;
        if (room > 0.0 && rate > 0.0) {
            const double share = isfinite(room) ? room / (room + rate * t) : 1.0;
            sum += fabs(a) * rate * t * share;
            *slope += fabs(a) * rate * share * share;
        }
    }
    return sum;
}

static void move_all(zi_mover *m, double t, int is_up)
{
    for (size_t k = 0; k < m->count; k++) {
        const double a = weight_at(m, k);
        const double rate = m->w[k] * fabs(a);
        const double room = a != 0.0 ? room_of(m, k, a, is_up) : 0.0;
        if (room > 0.0) {
            const double step = isfinite(room) ? room * (rate * t / (room + rate * t)) : rate * t;
            const double moved = m->x[k] + ((a > 0.0) == is_up ? step : -step);
            m->x[k] = fmin(fmax(moved, m->low[k]), m->high[k]);
        }
    }
}

/* All of them the same share of the way to bounds that are finite: for what Newton's method leaves. */
static void move_share(zi_mover *m, double share, int is_up)
{
    for (size_t k = 0; k < m->count; k++) {
        const double a = weight_at(m, k);
        const double room = a != 0.0 ? room_of(m, k, a, is_up) : 0.0;
        const double step = isfinite(room) ? share * room : 0.0;
        const double moved = m->x[k] + ((a > 0.0) == is_up ? step : -step);
        m->x[k] = a != 0.0 ? fmin(fmax(moved, m->low[k]), m->high[k]) : m->x[k];
    }
}

static void shift_sum(zi_mover *m, double needed)
{
    const int is_up = needed > 0.0;
    const double wanted = fabs(needed);
    double t = 0.0;
    double slope;
    double sum = moved_by(m, t, is_up, &slope);
    for (int step = 0; step < NEWTON_STEPS && sum < wanted * (1.0 - 1e-14) && slope > 0.0; step++) {
        const double next = t + (wanted - sum) / slope;
        if (!(next > t) || !isfinite(next)) {
            break;
        }
        t = next;
        sum = moved_by(m, t, is_up, &slope);
    }
    move_all(m, t, is_up);
}

/* The last bit of the way, which may be all that is left to bounds. */
static void polish_sum(zi_mover *m, double target)
{
    for (int trial = 0; trial < POLISHES; trial++) {
        double least, most, size;
        const double needed = target - range_of(m, &least, &most, &size);
        double room = 0.0;
        for (size_t k = 0; k < m->count; k++) {
            const double a = weight_at(m, k);
            const double own = a != 0.0 ? fabs(a) * room_of(m, k, a, needed > 0.0) : 0.0;
            room += isfinite(own) ? own : 0.0;
        }
        if (!(fabs(needed) > exact * (size + fabs(target)))) {
            return;
        }
        if (room > 0.0) {
            move_share(m, fmin(1.0, fabs(needed) / room), needed > 0.0);
        } else {
            shift_sum(m, needed);
        }
    }
}

static int move_one(zi_mover *m)
{
    double least, most, size;
    const double lower = m->limits->lower[0];
    const double upper = m->limits->upper[0];
    memcpy(m->x, m->y, m->count * sizeof *m->x);
    set_weights(m);
    const double sum = range_of(m, &least, &most, &size);
    const double from = fmax(least, lower);
    const double to = fmin(most, upper);
    if (sum >= lower && sum <= upper) {
        return 1;
    }
    if (!(from <= to)) { /* but for rounding */
        const double end = least > upper ? upper : lower;
        if (!(from - to <= zi_limits_slack(fmax(size, m->limits->scale[0]), end))) {
            return 0;
        }
        shift_sum(m, (least > upper ? least : most) - sum);
        polish_sum(m, least > upper ? least : most);
        return 1;
    }
    const double target = zi_reflect(from, to, sum);
    shift_sum(m, target - sum);
    polish_sum(m, target);
    return 1;
}

/* ---- Several limits -------------------------------------------------------------------------------------
 */

/* What keeps values within their bounds: nothing, they themselves, or a cost that has no end there. */
typedef enum fence { OPEN, HARD, SOFT } fence;

/* The value that a pull gives; its slope, by the pull and the squared unit; and its cost. With a soft fence
 * it goes a part of its room, as with one limit. */
static double value_at(const zi_mover *m, size_t k, double pull, fence kind, double *slope, double *cost)
{
    const double way = m->w[k] * pull;
    const double room = way > 0.0 ? m->high[k] - m->y[k] : m->y[k] - m->low[k];
    if (kind == SOFT && isfinite(room)) {
        const double share = room > 0.0 ? room / (room + fabs(way)) : 0.0;
        const double moved = way * share;
        *slope = share * share;
        *cost = share > 0.0 ? room / m->w[k] * (-fabs(moved) - room * log1p(-fabs(moved) / room)) : 0.0;
        return m->y[k] + moved;
    }
    const double there = m->y[k] + way;
    const double x = kind == HARD ? fmin(fmax(there, m->low[k]), m->high[k]) : there;
    *slope = x == there ? 1.0 : 0.0; /* on a bound, it may leave it */
    *cost = 0.5 * (x - m->y[k]) * (x - m->y[k]) / m->w[k];
    return x;
}

/* Values for these multipliers, their slopes in m->whole, and the rows' sums; gives the dual function. */
static double evaluate(zi_mover *m, const double *multiplier, fence kind, double *x)
{
    const zi_limits *l = m->limits;
    double dual = 0.0;
    memset(m->sum, 0, l->rows * sizeof *m->sum);
    memset(m->size, 0, l->rows * sizeof *m->size);
    for (size_t k = 0; k < m->count; k++) {
        const size_t begin = l->column[m->list[k]];
        const size_t end = l->column[m->list[k] + 1];
        double pull = 0.0;
        for (size_t e = begin; e < end; e++) {
            pull += l->by[e] * multiplier[l->row[e]];
        }
        double cost;
        x[k] = value_at(m, k, pull, kind, &m->whole[k], &cost);
        dual += cost - (x[k] - m->y[k]) * pull - m->y[k] * pull;
        for (size_t e = begin; e < end; e++) {
            m->sum[l->row[e]] += l->by[e] * x[k];
            m->size[l->row[e]] += fabs(l->by[e] * x[k]);
        }
    }
    for (size_t r = 0; r < l->rows; r++) {
        dual += multiplier[r] > 0.0   ? multiplier[r] * l->lower[r]
                : multiplier[r] < 0.0 ? multiplier[r] * l->upper[r]
                                      : 0.0;
    }
    return dual;
}

static int is_equation(const zi_limits *l, size_t r)
{
    return l->lower[r] == l->upper[r];
}

/* What a row's sum lacks of the end that its multiplier is for; gives the largest, as a share of its size. */
static double set_residuals(zi_mover *m, const double *multiplier, int only_equations)
{
    const zi_limits *l = m->limits;
    double worst = 0.0;
    for (size_t r = 0; r < l->rows; r++) {
        const double below = l->lower[r] - m->sum[r];
        const double above = l->upper[r] - m->sum[r];
        m->residual[r] = is_equation(l, r)                                              ? below
                         : only_equations                                               ? 0.0
                         : multiplier[r] > 0.0 || (multiplier[r] == 0.0 && below > 0.0) ? below
                         : multiplier[r] < 0.0 || (multiplier[r] == 0.0 && above < 0.0) ? above
                                                                                        : 0.0;
        const double end = m->residual[r] == below ? l->lower[r] : l->upper[r];
        const double size = m->size[r] + (isfinite(end) ? fabs(end) : 0.0);
        worst = fmax(worst, m->residual[r] != 0.0 ? fabs(m->residual[r]) / size : 0.0);
    }
    return worst;
}

static int factorise(size_t n, double *a)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return 0;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return 1;
}

static void solve(size_t n, const double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] /= a[i * n + i];
    }
}

/* The second derivative over rows in use, lower triangle; other rows have 1 on the diagonal. `damping`: a
 * share of what the diagonal would be with all values free. */
static void set_matrix(zi_mover *m, const double *multiplier, double damping)
{
    const zi_limits *l = m->limits;
    const size_t n = l->rows;
    memset(m->matrix, 0, n * n * sizeof *m->matrix);
    for (size_t k = 0; k < m->count; k++) {
        const size_t begin = l->column[m->list[k]];
        const size_t end = l->column[m->list[k] + 1];
        const double slope = m->whole[k];
        for (size_t e = begin; e < end; e++) {
            const double own = m->w[k] * l->by[e];
            double *row = m->matrix + l->row[e] * n;
            row[l->row[e]] += damping * own * l->by[e];
            for (size_t f = begin; f <= e && slope > 0.0; f++) { /* rows ascend within a column */
                row[l->row[f]] += slope * own * l->by[f];
            }
        }
    }
    for (size_t r = 0; r < n; r++) {
        const int is_used = m->residual[r] != 0.0 || multiplier[r] != 0.0;
        for (size_t q = 0; q < n && !is_used; q++) {
            m->matrix[r > q ? r * n + q : q * n + r] = 0.0;
        }
        m->matrix[r * n + r] = is_used && m->matrix[r * n + r] > 0.0 ? m->matrix[r * n + r] : 1.0;
    }
}

/* Multipliers a part of the step further; one of a limit with two ends does not change its sign at once. */
static void step_to(zi_mover *m, const double *step, double part)
{
    const zi_limits *l = m->limits;
    for (size_t r = 0; r < l->rows; r++) {
        const double old = m->multiplier[r];
        const double value = old + part * step[r];
        const double side = old != 0.0 ? old : m->residual[r];
        m->next[r] = is_equation(l, r) || value * side > 0.0 ? value : 0.0;
    }
}

/* Newton's step for the multipliers; 0 if there is none. */
static int set_step(zi_mover *m, double worst)
{
    const size_t n = m->limits->rows;
    for (double damping = fmin(1e-3, fmax(worst * worst, 1e-14)); damping < 1e3; damping *= 100.0) {
        set_matrix(m, m->multiplier, damping);
        if (factorise(n, m->matrix)) {
            memcpy(m->step, m->residual, n * sizeof *m->step);
            solve(n, m->matrix, m->step);
            return 1;
        }
    }
    return 0;
}

/* One step with its line search; 0 if nothing is better. */
static int step_once(zi_mover *m, fence kind, double *dual, double *worst)
{
    const size_t n = m->limits->rows;
    double slope = 0.0;
    double part = 1.0;
    if (!set_step(m, *worst)) {
        return 0;
    }
    for (size_t r = 0; r < n; r++) {
        slope += m->step[r] * m->residual[r];
    }
    memcpy(m->kept, m->residual, n * sizeof *m->kept);
    const int most = *worst > good ? HALVINGS : 1;
    for (int halving = 0; halving < most; halving++, part *= 0.5) {
        step_to(m, m->step, part);
        const double value = evaluate(m, m->next, kind, m->x);
        const double now = set_residuals(m, m->next, kind == OPEN);
        const int is_near = *worst < 1e-6 && now < 0.9 * *worst; /* where the function is all rounding */
        if (value >= *dual + 1e-4 * part * slope || is_near) {
            memcpy(m->multiplier, m->next, n * sizeof *m->next);
            *dual = value;
            *worst = now;
            return 1;
        }
        memcpy(m->residual, m->kept, n * sizeof *m->kept);
    }
    evaluate(m, m->multiplier, kind, m->x); /* as they were */
    return 0;
}

/* The dual function is below the distance to the nearest point, which is no more than this if there is one.
 */
static double farthest(const zi_mover *m, fence kind)
{
    double sum = 0.0;
    for (size_t k = 0; k < m->count; k++) {
        const double way = fmax(m->y[k] - m->low[k], m->high[k] - m->y[k]);
        sum += 0.5 * way * way / m->w[k];
    }
    return kind != HARD ? INFINITY : sum * (1.0 + 1e-9);
}

/* The nearest point of `y` into m->x. */
static int find_nearest(zi_mover *m, fence kind)
{
    const double most = farthest(m, kind);
    memset(m->multiplier, 0, m->limits->rows * sizeof *m->multiplier);
    double dual = evaluate(m, m->multiplier, kind, m->x);
    double worst = set_residuals(m, m->multiplier, kind == OPEN);
    for (int step = 0; step < NEWTON_STEPS && worst > exact; step++) {
        if (dual > most || !step_once(m, kind, &dual, &worst)) {
            break;
        }
    }
    return worst <= 1e-11; /* what follows says whether it is good enough */
}

/* What part of the way from the nearest point to the mirror image keeps bounds and limits. */
static double share_inside(const zi_mover *m)
{
    const zi_limits *l = m->limits;
    double share = 1.0;
    memset(m->next, 0, l->rows * sizeof *m->next);
    for (size_t k = 0; k < m->count; k++) {
        const double way = m->x[k] - m->even[k];
        const double room = way > 0.0 ? m->high[k] - m->x[k] : m->x[k] - m->low[k];
        share = way != 0.0 && room < share * fabs(way) ? room / fabs(way) : share;
        for (size_t e = l->column[m->list[k]]; e < l->column[m->list[k] + 1]; e++) {
            m->next[l->row[e]] += l->by[e] * way;
        }
    }
    for (size_t r = 0; r < l->rows; r++) {
        const double way = m->next[r];
        const double room = way > 0.0 ? l->upper[r] - m->sum[r] : m->sum[r] - l->lower[r];
        if (!is_equation(l, r) && way != 0.0 && room < share * fabs(way)) {
            share = fmax(0.0, room / fabs(way));
        }
    }
    return share;
}

static int is_on_bounds(const zi_mover *m)
{
    size_t k = 0;
    while (k < m->count && ((m->x[k] > m->low[k] && m->x[k] < m->high[k]) || m->low[k] == m->high[k])) {
        k++;
    }
    return k < m->count;
}

static int move_several(zi_mover *m, double *x)
{
    double *const mirrored = m->even;
    if (!find_nearest(m, OPEN)) {
        return 0;
    }
    memcpy(m->even, m->x, m->count * sizeof *m->x);
    if (!find_nearest(m, HARD)) {
        return 0;
    }
    if (is_on_bounds(m) && !find_nearest(m, SOFT)) {
        (void)find_nearest(m, HARD);
    }
    const double share = share_inside(m);
    for (size_t k = 0; k < m->count; k++) {
        const double moved = m->x[k] + (share < 1.0 ? 0.5 * share : 1.0) * (m->x[k] - m->even[k]);
        mirrored[k] = fmin(fmax(moved, m->low[k]), m->high[k]);
    }
    return put_back(m, mirrored, x) || put_back(m, m->x, x);
}

/* ---- Interface ------------------------------------------------------------------------------------------
 */

int zi_mover_move(zi_mover *m, const double *sigma, int all_stay, double *x)
{
    gather(m, sigma, all_stay, x);
    return m->limits->rows == 1 ? move_one(m) && put_back(m, m->x, x) : move_several(m, x);
}

int zi_mover_project(zi_mover *m, const double *sigma, int all_stay, double *x)
{
    gather(m, sigma, all_stay, x);
    return find_nearest(m, HARD) && put_back(m, m->x, x);
}

int zi_mover_relax(zi_mover *m, const double *sigma, const unsigned char *off, double *x)
{
    m->count = 0;
    for (size_t i = 0; i < m->dim; i++) {
        if (!off[i]) {
            const size_t k = m->count++;
            m->list[k] = i;
            m->low[k] = fmin(m->lower[i], 0.0);
            m->high[k] = fmax(m->upper[i], 0.0);
            m->w[k] = unit_of(sigma, i) * unit_of(sigma, i);
            m->y[k] = fmin(fmax(x[i], m->low[k]), m->high[k]);
        }
    }
    return find_nearest(m, HARD) && put_back(m, m->x, x);
}
