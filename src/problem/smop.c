/* Eight sparse problems, after Tian, Zhang, Wang and Jin, "An evolutionary algorithm for large-scale sparse
 * multiobjective optimization problems", IEEE Transactions on Evolutionary Computation 24(2), 2020, in
 * single-objective form: the distance function alone, divided by d. Coordinates are in [-1, 2]; K, a tenth of
 * them, are active in the optimum. Building blocks, of v = x - t or of x and t:
 *
 *     g1 = v^2                          g3 = 4 - v - 4 exp(-100 v^2)
 *     g2 = 2 v^2 + sin^2(2 pi v)        g4 = v^2 + t sin^2(6 pi v), v = x - pi/3
 *
 * g3 is 0 at v = 0 and below it just above: -v + 400 v^2 has its minimum of -1/1600 at v = 1/800. So where g3
 * asks for zeros (2, 4 and 8) the least value is not sparse; a penalty above 1/(1600 d) of each active
 * coordinate makes it so.
 *
 * Each problem writes v into a workspace, turns it into the terms there, in loops that vectorise, and adds
 * them up in the order of the coordinates. Terms are accurate to about 1e-15 of their own size, or of 1. */
#include "base/memory.h"
#include "base/simd.h"
#include "problem/problem.h"

enum { BLOCK = 10 }; /* coordinates of problem 3 that are switched off together */

#define THIRD_OF_PI 1.0471975511965976
#define PI 3.14159265358979323846

typedef struct smop {
    size_t dim;
    size_t active; /* K */
} smop;

/* ---- Building blocks ------------------------------------------------------------------------- */

/* sin^2 of `half_turns`. A finite number beyond 2^52 is whole: 0. */
ZI_LANE double squared_sine(double half_turns)
{
    double sine;
    double cosine;
    zi_sincos_quarters(2.0 * (half_turns - rint(half_turns)), &sine, &cosine);
    return sine * sine;
}

ZI_LANE double g2(double v)
{
    return 2.0 * (v * v) + squared_sine(2.0 * v);
}

static void shift(size_t n, const double *x, double target, double *v)
{
    for (size_t i = 0; i < n; i++) {
        v[i] = x[i] - target;
    }
}

/* v becomes g1, g2 and g3 of it. */
static void apply_g1(size_t n, double *v)
{
    for (size_t i = 0; i < n; i++) {
        v[i] *= v[i];
    }
}

ZI_CLONES
static void apply_g2(size_t n, double *v)
{
    for (size_t i = 0; i < n; i++) {
        v[i] = g2(v[i]);
    }
}

ZI_CLONES
static void apply_g3(size_t n, double *v)
{
    for (size_t i = 0; i < n; i++) {
        v[i] = (4.0 - 4.0 * zi_exp(-100.0 * (v[i] * v[i]))) - v[i];
    }
}

/* i, below 2^52, by its bits: a conversion that AVX2 has. */
ZI_LANE double double_of(size_t i)
{
    return zi_from_bits(0x4330000000000000u | i) - 0x1p52;
}

/* g4, with t from 0 at the first coordinate to 1 at the last. */
ZI_CLONES
static void fill_g4(size_t n, const double *restrict x, double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        const double v = x[i] - THIRD_OF_PI;
        out[i] = v * v + double_of(i) / (double)(n - 1) * squared_sine(6.0 * v);
    }
}

/* g1(x, pi/3) g2(x, 0) */
ZI_CLONES
static void fill_products(size_t n, const double *restrict x, double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        const double v = x[i] - THIRD_OF_PI;
        out[i] = v * v * g2(x[i]);
    }
}

static double sum_of(size_t n, const double *term)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += term[i];
    }
    return sum;
}

/* ---- The smallest of many -------------------------------------------------------------------- */

/* The value that `rank` others come before (Hoare's and Wirth's selection); the array is rearranged. Each
 * round leaves value[.. j] <= pivot <= value[i ..], and nothing or one pivot between them. */
static double ranked_find(size_t n, double *value, size_t rank)
{
    const ptrdiff_t wanted = (ptrdiff_t)rank;
    ptrdiff_t first = 0;
    ptrdiff_t last = (ptrdiff_t)n - 1;
    while (first < last) {
        const double pivot = value[wanted];
        ptrdiff_t i = first;
        ptrdiff_t j = last;
        while (i <= j) {
            while (value[i] < pivot) {
                i++;
            }
            while (pivot < value[j]) {
                j--;
            }
            if (i <= j) {
                const double kept = value[i];
                value[i++] = value[j];
                value[j--] = kept;
            }
        }
        first = wanted > j ? i : first;
        last = wanted < i ? j : last;
    }
    return value[wanted];
}

/* Which are the `count` smallest, of equal ones the first: those below `limit`, and the first `ties` that
 * equal it. */
typedef struct smallest {
    double limit;
    size_t ties;
} smallest;

static smallest smallest_find(size_t n, const double *value, size_t count, double *work)
{
    memcpy(work, value, n * sizeof *value);
    smallest s = {.limit = ranked_find(n, work, count - 1), .ties = count};
    for (size_t i = 0; i < n; i++) {
        s.ties -= value[i] < s.limit;
    }
    return s;
}

/* Whether a value is among them; to be asked of all values in order. */
static int smallest_take(smallest *s, double value)
{
    if (value == s->limit && s->ties) {
        s->ties--;
        return 1;
    }
    return value < s->limit;
}

/* ---- The problems: sums of terms, with room for 2 dim numbers -------------------------------- */

static double smop1(const smop *s, const double *x, double *v)
{
    shift(s->active, x, THIRD_OF_PI, v);
    shift(s->dim - s->active, x + s->active, 0.0, v + s->active);
    apply_g1(s->active, v);
    apply_g2(s->dim - s->active, v + s->active);
    return sum_of(s->dim, v);
}

static double smop2(const smop *s, const double *x, double *v)
{
    shift(s->active, x, THIRD_OF_PI, v);
    shift(s->dim - s->active, x + s->active, 0.0, v + s->active);
    apply_g2(s->active, v);
    apply_g3(s->dim - s->active, v + s->active);
    return sum_of(s->dim, v);
}

static double smop3(const smop *s, const double *x, double *v)
{
    shift(s->active, x, THIRD_OF_PI, v);
    apply_g1(s->active, v);
    double sum = sum_of(s->active, v);
    for (size_t begin = s->active; begin < s->dim; begin += BLOCK) {
        const size_t count = s->dim - begin < BLOCK ? s->dim - begin : BLOCK;
        if (zi_active_count(count, x + begin)) {
            shift(count, x + begin, 0.0, v);
            apply_g1(count, v);
            sum += 50.0 - sum_of(count, v);
        }
    }
    return sum;
}

static double smop4(const smop *s, const double *x, double *v)
{
    shift(s->dim, x, 0.0, v);
    apply_g3(s->dim, v);
    smallest counted = smallest_find(s->dim, v, s->dim - s->active, v + s->dim);
    double sum = 0.0;
    for (size_t i = 0; i < s->dim; i++) {
        sum += smallest_take(&counted, v[i]) ? v[i] : 0.0;
    }
    return sum;
}

static double smop5(const smop *s, const double *x, double *v)
{
    fill_products(s->dim, x, v);
    return sum_of(s->dim, v) + fabs((double)s->active - (double)zi_active_count(s->dim, x));
}

static double smop6(const smop *s, const double *x, double *v)
{
    fill_g4(s->dim, x, v);
    smallest always = smallest_find(s->dim, v, s->active, v + s->dim);
    double sum = 0.0;
    for (size_t i = 0; i < s->dim; i++) {
        const int is_counted = smallest_take(&always, v[i]) || x[i] != 0.0;
        sum += is_counted ? v[i] : 0.0;
    }
    return sum;
}

/* What stands before 0.9 of its neighbour: x_i - 0.9 x_{i+1}, for n coordinates and the one behind them. */
static void shift_linked(size_t n, const double *x, double *v)
{
    for (size_t i = 0; i < n; i++) {
        v[i] = x[i] - 0.9 * x[i + 1];
    }
}

static double smop7(const smop *s, const double *x, double *v)
{
    const size_t last = s->dim - 1;
    shift(s->active, x, THIRD_OF_PI, v);
    shift_linked(last - s->active, x + s->active, v + s->active);
    v[last] = x[last] - 0.9 * x[s->active];
    apply_g2(s->dim, v);
    return sum_of(s->dim, v);
}

/* The last coordinate has no term of its own: it is only the target of the one before. */
static double smop8(const smop *s, const double *x, double *v)
{
    for (size_t i = 0; i < s->active; i++) {
        const double moved = x[i + 1] + PI;
        v[i] = x[i] - (moved - 2.0 * floor(0.5 * moved));
    }
    shift_linked(s->dim - 1 - s->active, x + s->active, v + s->active);
    apply_g3(s->dim - 1, v);
    return sum_of(s->dim - 1, v);
}

/* ---- The family ------------------------------------------------------------------------------ */

typedef struct variant {
    double (*sum)(const smop *s, const double *x, double *work);
    int has_places; /* the optimum's active coordinates are the first; else only their number is known */
} variant;

static const variant variants[] = {
    {NULL, 0}, {smop1, 1}, {smop2, 1}, {smop3, 1}, {smop4, 0}, {smop5, 0}, {smop6, 0}, {smop7, 1}, {smop8, 0},
};

static zilch_status open_smop(zilch_problem *problem)
{
    smop *s = problem->state;
    s->active = zi_tenth(s->dim);
    problem->info.dim = s->dim;
    problem->info.lower = -1.0;
    problem->info.upper = 2.0;
    return ZILCH_OK;
}

static zilch_status evaluate_smop(const zilch_problem *problem, const zilch_batch *batch, double *value)
{
    const smop *s = problem->state;
    double *work;
    ZI_TRY(zi_alloc(&work, 2 * s->dim));
    for (size_t k = 0; k < batch->n; k++) {
        value[k] = variants[problem->variant].sum(s, batch->x + k * s->dim, work) / (double)s->dim;
    }
    zi_free(work);
    return ZILCH_OK;
}

static double support_smop(const zilch_problem *problem, const double *x)
{
    const smop *s = problem->state;
    if (variants[problem->variant].has_places) {
        return zi_first_active_share(s->dim, s->active, x);
    }
    const double surplus = (double)zi_active_count(s->dim, x) - (double)s->active;
    return 1.0 - fabs(surplus) / (double)s->dim;
}

/* From two coordinates on: 6 divides by d - 1, 8 needs a coordinate behind the active ones. */
static const zi_setting settings[] = {
    {ZI_SETTING(smop, dim, COUNT, 100, 2, 1e7)},
};

const zi_family zi_smop_family = {.state_bytes = sizeof(smop),
                                  .settings = {sizeof settings / sizeof *settings, settings},
                                  .open = open_smop,
                                  .evaluate = evaluate_smop,
                                  .support = support_smop};
