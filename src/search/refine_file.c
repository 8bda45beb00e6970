/* The refinement as bytes, a part of the optimiser's file. Layout, little-endian:
 *
 *   state     u32 phase, back, kind, failed_groups, failed_steps, tiny_steps, counted_steps,
 *             has_geometry, is_centred, scan_gains, wide_failures, is_whole, whole_wait, whole_pause;
 *             u64 next, working, batch; doubles value, probe, radius, predicted, swept, counted_cost,
 *             penalty; kind is more by 5 for each point of the batch that has not met the user's rule
 *   random    u64 key, stream, counter
 *   single    doubles x, slope, bend (dim each), dim bytes is_known, u32 order (dim)
 *   model     u32 member (working), doubles g, step (working each), h (working x working),
 *             and the matrix before it if is_whole
 *   batch     for each point u32 subject, then the point
 *   points    doubles base (dim), u64 count; for each, the oldest first, u32 number in the archive, double
 * value
 *
 * A point of the batch is u32 length and, for each coordinate in which it differs from x, u32 coordinate,
 * ascending, and double value. */
#include "search/refine_model.h"

#include <math.h>
#include <string.h>

/* ---- Writing -------------------------------------------------------------------------------------- */

static void write_state(const zi_refine_state *s, zi_writer *w)
{
    const uint32_t kind_and_raw = s->kind + ZI_BATCH_KINDS * (uint32_t)s->raw;
    const uint32_t small[] = {s->phase,        s->back,       kind_and_raw,     s->failed_groups,
                              s->failed_steps, s->tiny_steps, s->counted_steps, s->has_geometry,
                              s->is_centred,   s->scan_gains, s->wide_failures, s->is_whole,
                              s->whole_wait,   s->whole_pause};
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        zi_write_u32(w, small[k]);
    }
    zi_write_u64(w, s->next);
    zi_write_u64(w, s->working);
    zi_write_u64(w, s->batch);
    zi_write_doubles(
        w,
        (const double[]){s->value, s->probe, s->radius, s->predicted, s->swept, s->counted_cost, s->penalty},
        7);
}

static void write_indices(zi_writer *w, const size_t *index, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        zi_write_u32(w, (uint32_t)index[k]);
    }
}

static void write_batch(const zi_refine *r, zi_writer *w)
{
    for (size_t j = 0; j < r->state.batch; j++) {
        const double *x = r->batch_x + j * r->dim;
        uint32_t length = 0;
        for (size_t i = 0; i < r->dim; i++) {
            length += x[i] != r->x[i];
        }
        zi_write_u32(w, (uint32_t)r->batch_subject[j]);
        zi_write_u32(w, length);
        for (size_t i = 0; i < r->dim; i++) {
            if (x[i] != r->x[i]) {
                zi_write_u32(w, (uint32_t)i);
                zi_write_double(w, x[i]);
            }
        }
    }
}

static void write_points(const zi_points *p, zi_writer *w)
{
    zi_write_doubles(w, p->base, p->dim);
    zi_write_u64(w, p->count);
    for (size_t age = p->count; age-- > 0;) {
        const size_t row = zi_points_row(p, age);
        zi_write_u32(w, (uint32_t)p->number[row]);
        zi_write_double(w, p->value[row]);
    }
}

void zi_refine_write(const zi_refine *r, zi_writer *w)
{
    const size_t k = r->state.working;
    write_state(&r->state, w);
    zi_write_u64(w, r->rng.key);
    zi_write_u64(w, r->rng.stream);
    zi_write_u64(w, r->rng.counter);
    zi_write_doubles(w, r->x, r->dim);
    zi_write_doubles(w, r->slope, r->dim);
    zi_write_doubles(w, r->bend, r->dim);
    zi_write_bytes(w, r->is_known, r->dim);
    write_indices(w, r->order, r->dim);
    write_indices(w, r->member, k);
    zi_write_doubles(w, r->g, k);
    zi_write_doubles(w, r->step, k);
    for (size_t a = 0; a < k; a++) {
        zi_write_doubles(w, r->h + a * ZI_WORKING_MOST, k);
    }
    for (size_t a = 0; a < k && r->state.is_whole; a++) {
        zi_write_doubles(w, r->old_h + a * ZI_WORKING_MOST, k);
    }
    write_batch(r, w);
    write_points(&r->points, w);
}

void zi_refine_write_violations(const zi_refine *r, zi_writer *w)
{
    zi_write_double(w, r->state.told);
    zi_write_double(w, r->state.violation);
    zi_write_double(w, r->state.rho);
    for (size_t age = r->points.count; age-- > 0;) {
        zi_write_double(w, r->points.violation[zi_points_row(&r->points, age)]);
    }
}

/* ---- Reading -------------------------------------------------------------------------------------- */

static int read_state(zi_refine *r, zi_reader *in)
{
    zi_refine_state *s = &r->state;
    uint32_t *const small[] = {&s->phase,        &s->back,       &s->kind,          &s->failed_groups,
                               &s->failed_steps, &s->tiny_steps, &s->counted_steps, &s->has_geometry,
                               &s->is_centred,   &s->scan_gains, &s->wide_failures, &s->is_whole,
                               &s->whole_wait,   &s->whole_pause};
    double *const number[] = {&s->value, &s->probe,        &s->radius, &s->predicted,
                              &s->swept, &s->counted_cost, &s->penalty};
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        *small[k] = zi_read_u32(in);
    }
    s->next = zi_read_u64(in);
    s->working = zi_read_u64(in);
    s->batch = zi_read_u64(in);
    s->raw = s->kind / ZI_BATCH_KINDS;
    s->kind %= ZI_BATCH_KINDS;
    s->violation = s->rho = 0.0;
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        *number[k] = zi_read_double(in);
    }
    s->told = s->value;
    const int is_back = s->back == ZI_REFINE_SWEEP || s->back == ZI_REFINE_DROP || s->back == ZI_REFINE_SCAN;
    const int is_done = s->phase == ZI_REFINE_DONE;
    return s->phase < ZI_REFINE_PHASES && s->whole_pause <= 16 && s->raw <= s->batch && is_back &&
           s->next <= r->dim && s->working <= r->most_working && s->batch <= (is_done ? 0 : r->most_batch) &&
           isfinite(s->value) && !isnan(s->swept) && !isnan(s->counted_cost) && s->penalty >= 0.0 &&
           s->penalty <= r->penalty && (is_done || (s->probe > 0.0 && s->probe <= 1.0 && s->radius > 0.0)) &&
           isfinite(s->radius);
}

int zi_refine_read_violations(zi_refine *r, zi_reader *in)
{
    zi_refine_state *s = &r->state;
    s->told = zi_read_double(in);
    s->violation = zi_read_double(in);
    s->rho = zi_read_double(in);
    int is_good = isfinite(s->told) && s->violation >= 0.0 && isfinite(s->violation) && s->rho >= 0.0 &&
                  isfinite(s->rho);
    for (size_t age = r->points.count; age-- > 0;) {
        double *violation = &r->points.violation[zi_points_row(&r->points, age)];
        *violation = zi_read_double(in);
        is_good &= *violation >= 0.0 && isfinite(*violation);
    }
    return in->ok && is_good;
}

/* Indices that are below `dim` and no two the same; seen (dim) is zero before and after. */
static int read_indices(zi_reader *in, size_t dim, unsigned char *seen, size_t *index, size_t count)
{
    int is_good = 1;
    for (size_t k = 0; k < count; k++) {
        index[k] = zi_read_u32(in);
        if (index[k] >= dim || seen[index[k]]) {
            is_good = 0;
            index[k] = 0;
        }
        seen[index[k]] = 1;
    }
    for (size_t k = 0; k < count; k++) {
        seen[index[k]] = 0;
    }
    return is_good;
}

static int read_model(zi_refine *r, zi_reader *in)
{
    const size_t k = r->state.working;
    const int is_good = read_indices(in, r->dim, r->place, r->member, k);
    for (size_t a = 0; a < k; a++) {
        r->place[r->member[a]] = (unsigned char)(a + 1);
    }
    zi_read_doubles(in, r->g, k);
    zi_read_doubles(in, r->step, k);
    for (size_t a = 0; a < k; a++) {
        zi_read_doubles(in, r->h + a * ZI_WORKING_MOST, k);
    }
    for (size_t a = 0; a < k && r->state.is_whole; a++) {
        zi_read_doubles(in, r->old_h + a * ZI_WORKING_MOST, k);
    }
    return is_good;
}

/* A coordinate that comes after `last`, or is the first. */
static int read_coordinate(zi_reader *in, size_t dim, size_t k, uint32_t last, uint32_t *coordinate)
{
    *coordinate = zi_read_u32(in);
    return in->ok && *coordinate < dim && (k == 0 || *coordinate > last);
}

static int read_batch(zi_refine *r, zi_reader *in)
{
    for (size_t j = 0; j < r->state.batch; j++) {
        double *x = r->batch_x + j * r->dim;
        memcpy(x, r->x, r->dim * sizeof *x);
        r->batch_subject[j] = zi_read_u32(in);
        const uint32_t length = zi_read_u32(in);
        uint32_t i = 0;
        if (r->batch_subject[j] >= r->dim || length > r->dim) {
            return 0;
        }
        for (size_t k = 0; k < length; k++) {
            if (!read_coordinate(in, r->dim, k, i, &i)) {
                return 0;
            }
            x[i] = zi_read_double(in);
        }
        if (zi_constraints_check(r->limits, x) != ZILCH_OK) {
            return 0;
        }
    }
    return 1;
}

static int read_points(zi_points *p, zi_reader *in)
{
    zi_read_doubles(in, p->base, p->dim);
    const uint64_t count = zi_read_u64(in);
    for (uint64_t row = 0; row < count && row < ZI_POINTS_MOST && in->ok; row++) {
        const uint32_t number = zi_read_u32(in);
        zi_points_expect(p, number, zi_read_double(in));
    }
    return p->count == count;
}

static int read_all(zi_refine *r, zi_reader *in)
{
    if (!read_state(r, in)) {
        return 0;
    }
    r->rng.key = zi_read_u64(in);
    r->rng.stream = zi_read_u64(in);
    r->rng.counter = zi_read_u64(in);
    zi_read_doubles(in, r->x, r->dim);
    zi_read_doubles(in, r->slope, r->dim);
    zi_read_doubles(in, r->bend, r->dim);
    zi_read_bytes(in, r->is_known, r->dim);
    int is_good = in->ok;
    for (size_t i = 0; i < r->dim; i++) {
        is_good &= r->is_known[i] <= 1;
    }
    return is_good && read_indices(in, r->dim, r->place, r->order, r->dim) && read_model(r, in) &&
           (r->state.phase == ZI_REFINE_DONE || zi_constraints_check(r->limits, r->x) == ZILCH_OK) &&
           read_batch(r, in) && read_points(&r->points, in) && in->ok;
}

zilch_status zi_refine_read_archive(zi_refine *r, const zi_rows *archive)
{
    return zi_points_fill(&r->points, archive);
}

zilch_status zi_refine_read(zi_refine **out, const zi_constraints *constraints, const double *mu,
                            const double *sigma, zi_penalty penalty, zi_reader *reader)
{
    ZI_TRY(zi_refine_create(out, constraints, mu, sigma, penalty, 0));
    if (!read_all(*out, reader)) {
        zi_refine_destroy(*out);
        *out = NULL;
        return zi_fail(ZILCH_EFORMAT, "the refinement's state is damaged");
    }
    return ZILCH_OK;
}
