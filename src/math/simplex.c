/* The simplex method for bounded variables (Dantzig 1963; Chvatal: Linear programming, 1983, chapter 8). The
 * sum of each row is a variable of its own, so that the first basis is the identity and bounds of rows are
 * bounds like others. The inverse of the basis is kept as a dense matrix, since there are few rows; it is
 * computed afresh now and then. The first phase lessens the sum of what the basic variables are out of their
 * bounds, from whatever basis there is, so that a solution may start where a similar one has ended. Bounds
 * are kept to 1e-9 of their size. Where many steps in a row gain nothing, Bland's rule prevents cycles. */
#include "math/simplex.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BASIC, AT_LOWER, AT_UPPER, AT_ZERO };
enum { REFACTOR = 50, MOST_IDLE = 30 };
static const double tolerance = 1e-9; /* of bounds and of reduced costs */
static const double least_pivot = 1e-9;

zilch_status zi_simplex_create(zi_simplex *out, zi_columns a)
{
    const size_t all = a.columns + a.rows;
    *out = (zi_simplex){.a = a};
    ZI_TRY(zi_alloc(&out->lower, 2 * all));
    out->upper = out->lower + all;
    ZI_TRY(zi_alloc(&out->x, all));
    ZI_TRY(zi_alloc(&out->dual, a.rows));
    ZI_TRY(zi_alloc(&out->status, all));
    ZI_TRY(zi_alloc(&out->basis, a.rows));
    ZI_TRY(zi_alloc(&out->inverse, a.rows * a.rows));
    ZI_TRY(zi_alloc(&out->work, (3 + a.rows) * a.rows));
    zi_simplex_reset(out);
    return ZILCH_OK;
}

void zi_simplex_reset(zi_simplex *s)
{
    const size_t columns = s->a.columns;
    s->steps = 0;
    memset(s->status, AT_LOWER, columns);
    memset(s->x, 0, (columns + s->a.rows) * sizeof *s->x);
    for (size_t r = 0; r < s->a.rows; r++) {
        s->status[columns + r] = BASIC;
        s->basis[r] = columns + r;
    }
}

void zi_simplex_free(zi_simplex *s)
{
    zi_free(s->lower);
    zi_free(s->x);
    zi_free(s->dual);
    zi_free(s->status);
    zi_free(s->basis);
    zi_free(s->inverse);
    zi_free(s->work);
    *s = (zi_simplex){0};
}

/* ---- The basis -------------------------------------------------------------------------------------- */

static void reset_basis(zi_simplex *s)
{
    const size_t m = s->a.rows;
    for (size_t j = 0; j < s->a.columns; j++) {
        s->status[j] = s->status[j] == BASIC ? AT_LOWER : s->status[j];
    }
    memset(s->inverse, 0, m * m * sizeof *s->inverse);
    for (size_t r = 0; r < m; r++) {
        s->status[s->a.columns + r] = BASIC;
        s->basis[r] = s->a.columns + r;
        s->inverse[r * m + r] = -1.0;
    }
}

/* Column j into `out`; that of a row's sum is -1 in its row. */
static void put_column(const zi_simplex *s, size_t j, size_t stride, double *out)
{
    for (size_t r = 0; r < s->a.rows; r++) {
        out[r * stride] = 0.0;
    }
    if (j >= s->a.columns) {
        out[(j - s->a.columns) * stride] = -1.0;
        return;
    }
    for (size_t k = s->a.first[j]; k < s->a.first[j + 1]; k++) {
        out[s->a.row[k] * stride] += s->a.weight[k];
    }
}

static void swap_rows(size_t m, double *a, size_t r, size_t q)
{
    for (size_t c = 0; c < m && r != q; c++) {
        const double kept = a[r * m + c];
        a[r * m + c] = a[q * m + c];
        a[q * m + c] = kept;
    }
}

/* The inverse of the basis, by elimination with row exchanges; 0 if it has none. */
static int invert(zi_simplex *s)
{
    const size_t m = s->a.rows;
    double *b = s->work + 3 * m;
    for (size_t c = 0; c < m; c++) {
        put_column(s, s->basis[c], m, b + c);
    }
    memset(s->inverse, 0, m * m * sizeof *b);
    for (size_t r = 0; r < m; r++) {
        s->inverse[r * m + r] = 1.0;
    }
    for (size_t c = 0; c < m; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < m; r++) {
            best = fabs(b[r * m + c]) > fabs(b[best * m + c]) ? r : best;
        }
        if (!(fabs(b[best * m + c]) > 1e-11)) {
            return 0;
        }
        swap_rows(m, b, c, best);
        swap_rows(m, s->inverse, c, best);
        const double pivot = b[c * m + c];
        for (size_t q = 0; q < m; q++) {
            b[c * m + q] /= pivot;
            s->inverse[c * m + q] /= pivot;
        }
        for (size_t r = 0; r < m; r++) {
            const double factor = b[r * m + c];
            for (size_t q = 0; q < m && r != c && factor != 0.0; q++) {
                b[r * m + q] -= factor * b[c * m + q];
                s->inverse[r * m + q] -= factor * s->inverse[c * m + q];
            }
        }
    }
    return 1;
}

/* A variable out of the basis is at a bound that there is. */
static void settle(zi_simplex *s, size_t j)
{
    const int has_lower = isfinite(s->lower[j]);
    const int has_upper = isfinite(s->upper[j]);
    const int wants_upper = s->status[j] == AT_UPPER;
    s->status[j] = has_upper && (wants_upper || !has_lower) ? AT_UPPER : has_lower ? AT_LOWER : AT_ZERO;
    s->x[j] = s->status[j] == AT_UPPER ? s->upper[j] : s->status[j] == AT_LOWER ? s->lower[j] : 0.0;
}

/* The same before a start: bounds that are far out would cost the rows their digits. */
static void settle_near(zi_simplex *s, size_t j)
{
    static const double far = 1e6;
    const int is_far = fabs(s->upper[j]) > far && fabs(s->lower[j]) <= far;
    s->status[j] = s->status[j] == AT_UPPER && is_far ? AT_LOWER : s->status[j];
    settle(s, j);
}

/* The basic variables' values from the others'. */
static void compute_basics(zi_simplex *s)
{
    const size_t m = s->a.rows;
    double *sum = s->work;
    memset(sum, 0, m * sizeof *sum);
    for (size_t j = 0; j < s->a.columns + m; j++) {
        if (s->status[j] == BASIC || s->x[j] == 0.0) {
            continue;
        }
        if (j >= s->a.columns) {
            sum[j - s->a.columns] -= s->x[j];
            continue;
        }
        for (size_t k = s->a.first[j]; k < s->a.first[j + 1]; k++) {
            sum[s->a.row[k]] += s->a.weight[k] * s->x[j];
        }
    }
    for (size_t r = 0; r < m; r++) {
        double value = 0.0;
        for (size_t q = 0; q < m; q++) {
            value -= s->inverse[r * m + q] * sum[q];
        }
        s->x[s->basis[r]] = value;
    }
}

static void refresh(zi_simplex *s)
{
    if (!invert(s)) {
        reset_basis(s);
        for (size_t j = 0; j < s->a.columns; j++) {
            settle(s, j);
        }
    }
    compute_basics(s);
}

/* ---- Steps -------------------------------------------------------------------------------------------- */

/* -1: below its bounds, 1: above, 0: within them. */
static int side_of(const zi_simplex *s, size_t j)
{
    const double x = s->x[j];
    return x < s->lower[j] - tolerance * fmax(1.0, fabs(s->lower[j]))   ? -1
           : x > s->upper[j] + tolerance * fmax(1.0, fabs(s->upper[j])) ? 1
                                                                        : 0;
}

/* What a row is worth, in the phase that it is; gives whether that is the first. */
static int set_duals(zi_simplex *s, const double *cost)
{
    const size_t m = s->a.rows;
    double *own = s->work + m;
    int is_first = 0;
    for (size_t r = 0; r < m; r++) {
        own[r] = side_of(s, s->basis[r]);
        is_first |= own[r] != 0.0;
    }
    for (size_t r = 0; r < m && !is_first; r++) {
        own[r] = cost && s->basis[r] < s->a.columns ? cost[s->basis[r]] : 0.0;
    }
    for (size_t q = 0; q < m; q++) {
        s->dual[q] = 0.0;
        for (size_t r = 0; r < m; r++) {
            s->dual[q] += own[r] * s->inverse[r * m + q];
        }
    }
    return is_first;
}

static double reduced_cost(const zi_simplex *s, const double *cost, size_t j)
{
    if (j >= s->a.columns) {
        return s->dual[j - s->a.columns];
    }
    double d = cost ? cost[j] : 0.0;
    for (size_t k = s->a.first[j]; k < s->a.first[j + 1]; k++) {
        d -= s->dual[s->a.row[k]] * s->a.weight[k];
    }
    return d;
}

/* The variable that enters and the way it goes, 1 or -1; SIZE_MAX if none would gain. */
static size_t choose_entering(const zi_simplex *s, const double *cost, int by_number, int *way)
{
    size_t best = SIZE_MAX;
    double most = tolerance;
    for (size_t j = 0; j < s->a.columns + s->a.rows; j++) {
        if (s->status[j] == BASIC || s->lower[j] == s->upper[j]) {
            continue;
        }
        const double d = reduced_cost(s, cost, j);
        const int may = (d < 0.0 && s->status[j] != AT_UPPER) || (d > 0.0 && s->status[j] != AT_LOWER);
        if (may && fabs(d) > most) {
            best = j;
            most = fabs(d);
            *way = d < 0.0 ? 1 : -1;
            if (by_number) {
                break;
            }
        }
    }
    return best;
}

/* How far a basic variable that changes at this rate lets the entering one go. */
static double reach_of(const zi_simplex *s, size_t j, double rate)
{
    const int side = side_of(s, j);
    const double target = rate > 0.0 ? (side < 0   ? s->lower[j]
                                        : side > 0 ? INFINITY
                                                   : s->upper[j])
                                     : (side > 0   ? s->upper[j]
                                        : side < 0 ? -INFINITY
                                                   : s->lower[j]);
    return isfinite(target) ? fmax(0.0, (target - s->x[j]) / rate) : INFINITY;
}

/* The row whose variable leaves, SIZE_MAX if none does; *length: how far the entering one goes. */
static size_t choose_leaving(const zi_simplex *s, const double *alpha, int way, int by_number, double *length)
{
    const size_t m = s->a.rows;
    size_t row = SIZE_MAX;
    for (size_t r = 0; r < m; r++) {
        if (fabs(alpha[r]) <= least_pivot) {
            continue;
        }
        const double reach = reach_of(s, s->basis[r], -way * alpha[r]);
        const double slack = 1e-12 * fmax(1.0, fabs(*length));
        const int is_tie = row != SIZE_MAX && isfinite(reach) && fabs(reach - *length) <= slack;
        const int is_better_tie =
            is_tie && (by_number ? s->basis[r] < s->basis[row] : fabs(alpha[r]) > fabs(alpha[row]));
        if (is_better_tie || (!is_tie && reach < *length)) {
            row = r;
            *length = is_tie ? fmin(reach, *length) : reach;
        }
    }
    return row;
}

static void move(zi_simplex *s, size_t entering, int way, double length, const double *alpha)
{
    s->x[entering] += way * length;
    for (size_t r = 0; r < s->a.rows; r++) {
        s->x[s->basis[r]] -= way * length * alpha[r];
    }
}

/* The leaving variable is at the nearer one of its bounds by now. */
static void exchange(zi_simplex *s, size_t row, size_t entering, const double *alpha)
{
    const size_t m = s->a.rows;
    const size_t leaving = s->basis[row];
    const int is_to_upper = !isfinite(s->lower[leaving]) ||
                            fabs(s->upper[leaving] - s->x[leaving]) < fabs(s->x[leaving] - s->lower[leaving]);
    s->status[leaving] = is_to_upper ? AT_UPPER : AT_LOWER;
    settle(s, leaving);
    s->status[entering] = BASIC;
    s->basis[row] = entering;
    for (size_t q = 0; q < m; q++) {
        s->inverse[row * m + q] /= alpha[row];
    }
    for (size_t r = 0; r < m; r++) {
        for (size_t q = 0; q < m && r != row && alpha[r] != 0.0; q++) {
            s->inverse[r * m + q] -= alpha[r] * s->inverse[row * m + q];
        }
    }
}

static void enter_column(const zi_simplex *s, size_t j, double *alpha)
{
    const size_t m = s->a.rows;
    double *column = s->work;
    put_column(s, j, 1, column);
    for (size_t r = 0; r < m; r++) {
        alpha[r] = 0.0;
        for (size_t q = 0; q < m; q++) {
            alpha[r] += s->inverse[r * m + q] * column[q];
        }
    }
}

/* Whether the duals prove that nothing keeps the bounds (Farkas 1902): what they sum the rows up to is 0 in
 * every solution, and below that wherever the variables are within their bounds. */
static int is_proven(const zi_simplex *s)
{
    static const double rounding = 1e-13;
    double most = 0.0;
    double size = 0.0;
    for (size_t j = 0; j < s->a.columns + s->a.rows; j++) {
        double weight = 0.0;
        double parts = 0.0;
        for (size_t k = j < s->a.columns ? s->a.first[j] : 0; j < s->a.columns && k < s->a.first[j + 1];
             k++) {
            weight += s->dual[s->a.row[k]] * s->a.weight[k];
            parts += fabs(s->dual[s->a.row[k]] * s->a.weight[k]);
        }
        weight = j < s->a.columns ? weight : -s->dual[j - s->a.columns];
        const double end = weight * (weight > 0.0 ? s->upper[j] : s->lower[j]);
        const int is_rounding =
            fabs(weight) <= rounding * parts || (!isfinite(end) && fabs(weight) <= tolerance);
        most += is_rounding ? 0.0 : end;
        size += is_rounding ? 0.0 : fabs(end);
    }
    return most < -rounding * size;
}

zi_simplex_end zi_simplex_solve(zi_simplex *s, const double *cost)
{
    const size_t m = s->a.rows;
    const uint64_t most = s->steps + 200 * (m + 10) + 10 * s->a.columns;
    double *alpha = s->work + 2 * m;
    size_t idle = 0;
    for (size_t j = 0; j < s->a.columns + m; j++) {
        if (s->lower[j] > s->upper[j]) {
            memset(s->dual, 0, m * sizeof *s->dual);
            return ZI_SIMPLEX_INFEASIBLE;
        }
        if (s->status[j] != BASIC) {
            settle_near(s, j);
        }
    }
    refresh(s);
    int is_fresh = 1;
    while (s->steps++ < most) {
        int way = 1;
        if (s->steps % REFACTOR == 0) {
            refresh(s);
            is_fresh = 1;
        }
        const int is_first = set_duals(s, cost);
        if (!is_first && !cost && is_fresh) {
            return ZI_SIMPLEX_OPTIMAL;
        }
        const double *now = is_first ? NULL : cost;
        const size_t entering =
            !is_first && !cost ? SIZE_MAX : choose_entering(s, now, idle > MOST_IDLE, &way);
        if (entering == SIZE_MAX && !is_fresh) { /* said again by fresh numbers, it is true */
            refresh(s);
            is_fresh = 1;
            continue;
        }
        if (entering == SIZE_MAX) {
            return !is_first ? ZI_SIMPLEX_OPTIMAL : is_proven(s) ? ZI_SIMPLEX_INFEASIBLE : ZI_SIMPLEX_STUCK;
        }
        enter_column(s, entering, alpha);
        const double range = s->upper[entering] - s->lower[entering];
        double length = range;
        const size_t row = choose_leaving(s, alpha, way, idle > MOST_IDLE, &length);
        if (!isfinite(length)) {
            if (is_first) {
                return ZI_SIMPLEX_STUCK;
            }
            move(s, entering, way, 1.0, alpha);
            s->status[entering] = AT_ZERO;
            return ZI_SIMPLEX_UNBOUNDED;
        }
        idle = length > 1e-12 ? 0 : idle + 1;
        move(s, entering, way, length, alpha);
        if (row == SIZE_MAX) {
            s->status[entering] = way > 0 ? AT_UPPER : AT_LOWER;
            s->x[entering] = way > 0 ? s->upper[entering] : s->lower[entering];
        } else {
            exchange(s, row, entering, alpha);
        }
        is_fresh = 0;
    }
    return ZI_SIMPLEX_STUCK;
}
