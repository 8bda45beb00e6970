/* The fit costs most. It is made anew for each generation, to a part of the points if there are many, so that
 * what it makes of them follows from the archive alone. */
#include "search/trend.h"

#include "base/memory.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 100, MOST_POINTS = 20000 }; /* in a fit */
enum { POINTS_EACH = 9 };                             /* for each coordinate, at least */

typedef struct coordinate {
    size_t number, uses;
} coordinate;

/* Rows whose products are added together, so that each part of the matrix is fetched once for all of them. */
enum { BATCH = 64 };

typedef struct batch {
    size_t rows;
    uint64_t *active; /* for each coordinate in the trend: in which rows it is active, a bit each, */
    double *z;        /* and its value there, BATCH places each */
} batch;

/* One fit. */
typedef struct fit {
    zi_trend *trend;
    const zi_archive *archive;
    size_t most;      /* points that it is made to */
    coordinate *list; /* of all */
    size_t *position; /* room for a row: the coordinates that are active, */
    double *entry;    /* their values, */
    size_t *term;     /* the terms that are not 0, */
    double *feature;  /* and what they are */
    double *matrix;   /* terms x terms, lower triangle */
    batch batch;      /* rows that are not in it yet */
} fit;

void zi_trend_free(zi_trend *trend)
{
    zi_free(trend->place);
    zi_free(trend->centre);
    zi_free(trend->weight);
    *trend = (zi_trend){0};
}

/* ---- Which coordinates ---------------------------------------------------------------------- */

static int most_used_first(const void *a, const void *b)
{
    const coordinate *x = a;
    const coordinate *y = b;
    return x->uses != y->uses ? (x->uses < y->uses) - (x->uses > y->uses)
                              : (x->number > y->number) - (x->number < y->number);
}

/* The trend is that of feasible points; the others are not ranked by their values. */
static int is_fitted(const zi_archive *a, size_t row)
{
    return a->entry[row].is_ranked && !(a->entry[row].violation > 0.0);
}

/* How often each is active, and sums of its values and squares; gives how many points there are. */
static size_t count_uses(fit *f)
{
    const zi_archive *a = f->archive;
    size_t points = 0;
    for (size_t row = 0; row < a->rows.count; row++) {
        if (!is_fitted(a, row)) {
            continue;
        }
        const size_t active = zi_rows_active(&a->rows, row, f->position, f->entry);
        for (size_t k = 0; k < active; k++) {
            f->list[f->position[k]].uses++;
            f->trend->centre[f->position[k]] += f->entry[k];
            f->trend->unit[f->position[k]] += f->entry[k] * f->entry[k];
        }
        points++;
    }
    return points;
}

/* Mean and deviation from the sums. Values that differ by nothing are their own measure. */
static void set_scale(zi_trend *t, size_t i, double uses)
{
    const double mean = t->centre[i] / uses;
    const double variance = t->unit[i] / uses - mean * mean;
    t->centre[i] = mean;
    t->unit[i] = sqrt(variance > 1e-20 * mean * mean ? variance : mean * mean);
}

/* Those that are used most, as many as there are points for. */
static void choose(fit *f)
{
    zi_trend *t = f->trend;
    coordinate *list = f->list;
    for (size_t i = 0; i < t->dim; i++) {
        list[i] = (coordinate){.number = i};
        t->place[i] = 0;
        t->centre[i] = t->unit[i] = 0.0;
    }
    const size_t points = count_uses(f);
    const size_t most = points / POINTS_EACH < MOST_COORDINATES ? points / POINTS_EACH : MOST_COORDINATES;
    size_t count = 0;
    qsort(list, t->dim, sizeof *list, most_used_first);
    for (size_t i = 0; i < t->dim && count < most && list[i].uses; i++) {
        const size_t number = list[i].number;
        t->place[number] = (uint32_t)++count;
        set_scale(t, number, (double)list[i].uses);
    }
    t->terms = count ? 1 + 3 * count : 0;
}

/* ---- The fit --------------------------------------------------------------------------------- */

/* The terms of a point that are not 0; gives how many. */
static size_t terms_of(fit *f, size_t row)
{
    const zi_trend *t = f->trend;
    const size_t active = zi_rows_active(&f->archive->rows, row, f->position, f->entry);
    size_t count = 1;
    f->term[0] = 0;
    f->feature[0] = 1.0;
    for (size_t k = 0; k < active; k++) {
        const size_t place = t->place[f->position[k]];
        if (place) {
            const size_t i = f->position[k];
            const double z = (f->entry[k] - t->centre[i]) / t->unit[i];
            const double power[] = {1.0, z, z * z};
            for (size_t p = 0; p < 3; p++) {
                f->term[count] = 3 * place - 2 + p;
                f->feature[count++] = power[p];
            }
        }
    }
    return count;
}

static double dot(const fit *f, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += f->feature[i] * f->trend->weight[f->term[i]];
    }
    return sum;
}

/* Terms that a row and the constant have in common; the row's values wait in the batch. */
static void add_row(fit *f, size_t row)
{
    const double value = f->archive->entry[row].value;
    const size_t count = terms_of(f, row);
    const uint64_t bit = (uint64_t)1 << f->batch.rows;
    for (size_t i = 0; i < count; i++) {
        f->matrix[f->term[i]] += f->feature[i];
        f->trend->weight[f->term[i]] += f->feature[i] * value;
    }
    for (size_t i = 1; i < count; i += 3) {
        const size_t k = f->term[i] / 3;
        f->batch.active[k] |= bit;
        f->batch.z[BATCH * k + f->batch.rows] = f->feature[i + 1];
    }
    f->batch.rows++;
}

/* The products of two coordinates' terms, in those rows of the batch in which both are active. */
static void add_pair(fit *f, size_t first, size_t second, uint64_t rows)
{
    const size_t n = f->trend->terms;
    const double *a = f->batch.z + BATCH * first;
    const double *b = f->batch.z + BATCH * second;
    double *block = f->matrix + (3 * first + 1) * n + 3 * second + 1;
    double sum[9];
    for (size_t k = 0; k < 9; k++) {
        sum[k] = block[k / 3 * n + k % 3];
    }
    for (; rows; rows &= rows - 1) {
        const int row = __builtin_ctzll(rows);
        const double across[] = {1.0, a[row], a[row] * a[row]};
        const double down[] = {1.0, b[row], b[row] * b[row]};
        for (size_t k = 0; k < 9; k++) {
            sum[k] += across[k / 3] * down[k % 3];
        }
    }
    for (size_t k = 0; k < 9; k++) {
        block[k / 3 * n + k % 3] = sum[k];
    }
}

/* Adds the batch to the lower triangle, pair by pair, and empties it. */
static void add_batch(fit *f)
{
    const size_t coordinates = f->trend->terms / 3;
    for (size_t i = 0; i < coordinates; i++) {
        for (size_t j = i; j < coordinates; j++) {
            const uint64_t both = f->batch.active[i] & f->batch.active[j];
            if (both) {
                add_pair(f, i, j, both);
            }
        }
        f->batch.active[i] = 0;
    }
    f->batch.rows = 0;
}

/* Normal equations, with a little of the identity, so that terms that no point tells apart share. More of it
 * would bend a trend that few points follow exactly. */
static int solve(fit *f)
{
    zi_trend *t = f->trend;
    const zi_archive *a = f->archive;
    const size_t n = t->terms;
    const size_t stride = 1 + a->rows.count / f->most;
    static const double ridge = 0.01;
    memset(f->matrix, 0, n * n * sizeof *f->matrix);
    memset(t->weight, 0, n * sizeof *t->weight);
    memset(f->batch.active, 0, n / 3 * sizeof *f->batch.active);
    for (size_t i = 0; i < n; i++) {
        f->matrix[i * n + i] = i ? ridge : 1e-9;
    }
    for (size_t row = (a->rows.count - 1) % stride; row < a->rows.count; row += stride) {
        if (is_fitted(a, row)) {
            add_row(f, row);
        }
        if (f->batch.rows == BATCH) {
            add_batch(f);
        }
    }
    add_batch(f);
    if (!zi_cholesky(n, f->matrix)) {
        return 0;
    }
    zi_solve_definite(n, f->matrix, t->weight);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += t->weight[i];
    }
    return isfinite(sum);
}

/* ---- What it is worth ---------------------------------------------------------------------------- */

double zi_trend_estimate(const zi_trend *t, double expected, double mean, double error)
{
    const double between = t->lack * t->lack;
    const double within = error * error;
    return between + within > 0.0 ? expected + between / (between + within) * (mean - expected) : mean;
}

double zi_trend_error(const zi_trend *t, double error)
{
    return t->terms && t->lack + error > 0.0 ? error * t->lack / sqrt(t->lack * t->lack + error * error)
                                             : error;
}

double zi_trend_at(const zi_trend *t, const double *x)
{
    double sum = t->weight[0];
    for (size_t i = 0; i < t->dim; i++) {
        if (x[i] != 0.0 && t->place[i]) {
            const double *weight = t->weight + 3 * (size_t)t->place[i] - 2;
            const double z = (x[i] - t->centre[i]) / t->unit[i];
            sum += weight[0] + z * (weight[1] + z * weight[2]);
        }
    }
    return sum;
}

/* The z of least cost between two, for the terms of one coordinate; NaN if zero is better than any. */
static double minimise(const double *weight, double sign, double penalty, double low, double high)
{
    const double slope = sign * weight[1];
    const double bend = 2.0 * sign * weight[2];
    double least = 0.0;
    double best = NAN;
    for (int end = 0; end < (bend > 0.0 ? 1 : 2); end++) {
        const double z = bend > 0.0 ? fmin(fmax(-slope / bend, low), high) : end ? high : low;
        const double cost = sign * weight[0] + penalty + z * (slope + 0.5 * bend * z);
        if (cost < least) {
            least = cost;
            best = z;
        }
    }
    return best;
}

void zi_trend_minimise(const zi_trend *t, const zi_archive *archive, const double *lower, const double *upper,
                       double *x)
{
    static const double far = 2.0; /* in deviations from the centre */
    for (size_t i = 0; i < t->dim; i++) {
        x[i] = 0.0;
        if (t->place[i]) {
            const double *weight = t->weight + 3 * (size_t)t->place[i] - 2;
            const double own = archive->penalties ? archive->penalties[i] : 0.0;
            const double z = minimise(weight, archive->sign, archive->penalty + own, -far, far);
            x[i] = isfinite(z) ? fmin(fmax(t->centre[i] + t->unit[i] * z, lower[i]), upper[i]) : 0.0;
        }
    }
}

/* Writes what the trend expects of each point into its estimate, where estimate() finds it. Values of the
 * later half of the points lie about the trend with their noise, and with what it lacks. Few points and few
 * repeats make it seem better than it is, which is added. Gives 0 where it lacks too much to be a trend. */
static int measure(fit *f, zi_archive *archive, const zi_noise *noise)
{
    static const double most = 1.5;
    const double within = zi_noise_deviation(noise) * zi_noise_deviation(noise);
    const double repeats = noise->unit > 0.0 ? INFINITY : fmax(noise->count, 1.0);
    zi_trend *t = f->trend;
    double squares = 0.0;
    double points = 0.0;
    for (size_t row = 0; row < archive->rows.count; row++) {
        zi_archive_entry *w = &archive->entry[row];
        if (!is_fitted(archive, row)) {
            continue;
        }
        w->estimate = dot(f, terms_of(f, row));
        if (row >= archive->rows.count / 2) {
            const double rest = w->value - w->estimate;
            squares += rest * rest;
            points += 1.0;
        }
    }
    const double terms = fmin((double)t->terms, 0.9 * points);
    const double about = squares / (points - terms);
    const double open = about * (terms / points + sqrt(2.0 / points) + sqrt(2.0 / repeats));
    t->lack = sqrt(fmax(0.0, about - within) + open);
    return about <= most * within && isfinite(t->lack); /* false where either is NaN */
}

static void estimate(fit *f, zi_archive *archive, double noise)
{
    for (size_t row = 0; row < archive->rows.count; row++) {
        zi_archive_entry *w = &archive->entry[row];
        if (is_fitted(archive, row)) {
            w->estimate = zi_trend_estimate(f->trend, w->estimate, w->value, noise / sqrt(w->weight));
        }
    }
}

static void forget(zi_trend *t, zi_archive *archive)
{
    t->terms = 0;
    for (size_t row = 0; row < archive->rows.count; row++) {
        archive->entry[row].estimate = archive->entry[row].value;
    }
}

/* All memory first: where there is none, nothing has changed. */
static zilch_status create(fit *f, size_t dim)
{
    zi_trend *t = f->trend;
    const size_t coordinates = dim < MOST_COORDINATES ? dim : MOST_COORDINATES;
    const size_t terms = 1 + 3 * coordinates;
    ZI_TRY(zi_blas_reserve());
    if (!t->weight) {
        zi_trend fresh = {.dim = dim};
        zilch_status status = zi_alloc(&fresh.place, dim);
        status = status == ZILCH_OK ? zi_alloc(&fresh.centre, 2 * dim) : status;
        status = status == ZILCH_OK ? zi_alloc(&fresh.weight, terms) : status;
        if (status != ZILCH_OK) {
            zi_trend_free(&fresh);
            return status;
        }
        *t = fresh;
        t->unit = t->centre + dim;
    }
    ZI_TRY(zi_alloc(&f->list, dim));
    ZI_TRY(zi_alloc(&f->position, dim));
    ZI_TRY(zi_alloc(&f->entry, dim));
    ZI_TRY(zi_alloc(&f->term, terms));
    ZI_TRY(zi_alloc(&f->feature, terms));
    ZI_TRY(zi_alloc(&f->batch.active, coordinates));
    ZI_TRY(zi_alloc(&f->batch.z, BATCH * coordinates));
    return zi_alloc(&f->matrix, terms * terms);
}

zilch_status zi_trend_fit(zi_trend *trend, zi_archive *archive, size_t dim, size_t most,
                          const zi_noise *noise)
{
    fit f = {.trend = trend, .archive = archive, .most = most < MOST_POINTS ? most : MOST_POINTS};
    const zilch_status status = create(&f, dim);
    if (status == ZILCH_OK) {
        choose(&f);
        if (trend->terms && solve(&f) && measure(&f, archive, noise)) {
            estimate(&f, archive, zi_noise_deviation(noise));
        } else {
            forget(trend, archive);
        }
    }
    zi_free(f.list);
    zi_free(f.position);
    zi_free(f.entry);
    zi_free(f.term);
    zi_free(f.feature);
    zi_free(f.batch.active);
    zi_free(f.batch.z);
    zi_free(f.matrix);
    return status;
}
