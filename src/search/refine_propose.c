/* The points of the refinement: what each phase (refine.c) tries next. A point is begun as a copy of the
 * incumbent, changed, and then either one more of the batch or nothing: it is dropped where limits forbid it.
 */
#include "search/refine_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 8,     /* coordinates that are probed before the next step */
    MOST_JOINT = 6 /* trials that drop several coordinates at once */
};

/* ---- Batches -------------------------------------------------------------------------------------- */

/* Room for another point, which begins as the incumbent; NULL if there is none. */
static double *begin_point(zi_refine *r)
{
    if (r->state.batch == r->most_batch) {
        return NULL;
    }
    double *x = r->batch_x + r->state.batch * r->dim;
    memcpy(x, r->x, r->dim * sizeof *x);
    return x;
}

/* A hash of what a point differs in from the incumbent; 0 if it does not, or differs in something out of
 * bounds. */
static uint64_t hash_of(const zi_refine *r, const double *x)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < r->dim; i++) {
        if (x[i] != r->x[i]) {
            uint64_t bits;
            if (x[i] != 0.0 &&
                !(isfinite(x[i]) && x[i] >= r->limits->lower[i] && x[i] <= r->limits->upper[i])) {
                return 0;
            }
            memcpy(&bits, &x[i], sizeof bits);
            hash = (hash ^ bits ^ (i + 1) << 20) * 0x9e3779b97f4a7c15u;
            hash = (hash ^ hash >> 29) | 1;
        }
    }
    return hash;
}

/* Beyond bounds, which are those of single coordinates. */
static int is_allowed(const zi_refine *r, const double *x)
{
    for (size_t i = 0; i < r->dim; i++) {
        if (!isfinite(x[i])) {
            return 0;
        }
    }
    if ((r->limits->has_switches || r->limits->limits.rows) &&
        zi_constraints_check(r->limits, x) != ZILCH_OK) {
        zi_error_clear();
        return 0;
    }
    return 1;
}

/* A point that breaks linear limits is moved: a change of one coordinate becomes one of all that are active.
 * With steps or lists, coordinate `held` (SIZE_MAX: none) keeps its value. Gives 0 if that does not work. */
static int keep_limits(zi_refine *r, size_t held, double *x)
{
    const zi_constraints *c = r->limits;
    const double value = held != SIZE_MAX ? x[held] : 0.0;
    if (c->limits.rows == 0) {
        zi_constraints_snap(c, x);
        return 1;
    }
    if (c->allowed.step && zi_limits_broken(&c->limits, x) == c->limits.rows && zi_lattice_has(c, x)) {
        return 1;
    }
    if (!zi_refine_project(r, x)) {
        return 0;
    }
    if (!c->allowed.step) {
        return 1;
    }
    if (held != SIZE_MAX && zi_allowed_has(&c->allowed, held)) {
        x[held] = value;
    }
    return zi_lattice_round(&r->lattice, r->unit, held, x);
}

/* Whether the point that was begun is one more: not the incumbent, not there yet, and allowed. */
static int end_point(zi_refine *r, size_t subject, size_t held)
{
    const size_t bytes = r->dim * sizeof *r->x;
    double *x = r->batch_x + r->state.batch * r->dim;
    if (!keep_limits(r, held, x)) {
        return 0;
    }
    const uint64_t hash = hash_of(r, x);
    if (hash == 0) {
        return 0;
    }
    for (size_t j = 0; j < r->state.batch; j++) {
        if (r->batch_hash[j] == hash && memcmp(x, r->batch_x + j * r->dim, bytes) == 0) {
            return 0;
        }
    }
    if (!is_allowed(r, x)) {
        return 0;
    }
    r->batch_hash[r->state.batch] = hash;
    r->batch_subject[r->state.batch++] = subject;
    return 1;
}

static size_t below(zi_refine *r, size_t n)
{
    return (size_t)(zilch_rng_uniform(&r->rng) * (double)n);
}

static int has_groups(const zi_refine *r)
{
    return r->limits->units < r->dim;
}

/* A value of a coordinate that is not zero and, where it may be, small. */
static double small_value(const zi_refine *r, size_t i)
{
    static const double part = 0.1; /* of its unit */
    const double lower = r->limits->lower[i];
    const double upper = r->limits->upper[i];
    const double above = fmin(fmax(part * r->unit[i], lower), upper);
    return above != 0.0 ? above : fmin(fmax(-part * r->unit[i], lower), upper);
}

/* The others of its group are active where this coordinate is, and zero where it is. */
static void switch_group(const zi_refine *r, size_t i, double *x)
{
    const zi_constraints *c = r->limits;
    size_t unit = 0;
    for (size_t u = 0; u < c->units; u++) {
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            unit = c->member[k] == i ? u : unit;
        }
    }
    for (size_t k = c->first[unit]; k < c->first[unit + 1]; k++) {
        const size_t other = c->member[k];
        if ((x[other] != 0.0) != (x[i] != 0.0)) {
            x[other] = x[i] != 0.0 ? small_value(r, other) : 0.0;
        }
    }
}

/* Where no more coordinates may be active, another one, any of them, makes room for this one. With linear
 * limits it hands over its value, so that the others keep theirs. */
static void make_room(zi_refine *r, size_t i, double *x)
{
    size_t left = below(r, zi_refine_active(r, r->x));
    for (size_t j = 0; j < r->dim; j++) {
        if (r->x[j] != 0.0 && left-- == 0 && r->forced[j] != ZILCH_FORCED_ON) {
            const double value = fmin(fmax(x[j], r->limits->lower[i]), r->limits->upper[i]);
            x[i] = r->limits->limits.rows && value != 0.0 ? value : x[i];
            x[j] = 0.0;
            return;
        }
    }
}

/* With linear limits, steps are exchanged: another active coordinate, any of them, makes up for the change of
 * this one in a row that both have, as far as its own values let it. */
static void exchange(zi_refine *r, size_t i, double *x)
{
    const zi_limits *l = &r->limits->limits;
    const size_t active = zi_refine_active(r, x) - (x[i] != 0.0);
    size_t left = below(r, active);
    size_t j = 0;
    while (j < r->dim && (j == i || x[j] == 0.0 || left-- > 0)) {
        j++;
    }
    if (j == r->dim) {
        return;
    }
    size_t e = l->column[i];
    size_t f = l->column[j];
    while (e < l->column[i + 1] && f < l->column[j + 1] && l->row[e] != l->row[f]) { /* which ascend */
        *(l->row[e] < l->row[f] ? &e : &f) += 1;
    }
    if (e < l->column[i + 1] && f < l->column[j + 1]) {
        x[j] = zi_allowed_active(&r->limits->allowed, j, x[j] - l->by[e] * (x[i] - r->x[i]) / l->by[f]);
    }
}

/* A point that differs in one coordinate, and in whether its group is active. */
static void try_value(zi_refine *r, size_t i, double value)
{
    const zi_constraints *c = r->limits;
    double *x = begin_point(r);
    if (x) {
        const int is_exchanged = c->limits.rows && zi_allowed_has(&c->allowed, i);
        x[i] = value + 0.0; /* never -0.0 */
        if (is_exchanged && value != 0.0) {
            x[i] = zi_allowed_active(&c->allowed, i, value);
        }
        if (has_groups(r)) {
            switch_group(r, i, x);
        } else if (r->limits->most < r->dim && zi_refine_active(r, x) > r->limits->most) {
            make_room(r, i, x);
        }
        if (is_exchanged && zi_limits_broken(&c->limits, x) != c->limits.rows) {
            exchange(r, i, x);
        }
        end_point(r, i, i);
    }
}

static int try_step(zi_refine *r, const double *step, size_t subject)
{
    double *x = begin_point(r);
    if (!x) {
        return 0;
    }
    zi_refine_move(r, step, x);
    return end_point(r, subject, SIZE_MAX);
}

/* A step that was moved to allowed values is another one, and the model may promise nothing of it. */
static void try_model_step(zi_refine *r)
{
    if (!try_step(r, r->step, 0) || !r->limits->allowed.step) {
        return;
    }
    r->state.predicted = zi_refine_predict(r, r->batch_x);
    if (!(r->state.predicted > 0.0)) {
        r->state.batch = 0;
    }
}
static double either(zi_refine *r, double value)
{
    return zilch_rng_uniform(&r->rng) < 0.5 ? value : -value;
}

void zi_refine_shuffle(zi_refine *r)
{
    for (size_t i = r->dim; i > 1; i--) {
        const size_t j = below(r, i);
        const size_t other = r->order[i - 1];
        r->order[i - 1] = r->order[j];
        r->order[j] = other;
    }
    r->state.next = 0;
}

/* ---- Asking --------------------------------------------------------------------------------------- */

/* The allowed value next to x + change, and at least one away from x; NaN if there is none that way. */
static double away(const zi_refine *r, size_t i, double x, double change)
{
    const zi_allowed *a = &r->limits->allowed;
    const double there = zi_allowed_nearest(a, i, x + change);
    return change * (there - x) > 0.0 ? there : zi_allowed_next(a, i, x, change > 0.0 ? 1 : -1);
}

/* The same where there is a step, or a list of values. */
static void probe_allowed(zi_refine *r, size_t i, double h)
{
    const double right = away(r, i, r->x[i], h);
    const double left = away(r, i, r->x[i], -h);
    const double first = !isnan(right) ? right : isnan(left) ? 0.0 : away(r, i, left, -h);
    const double second = !isnan(left) ? left : isnan(right) ? 0.0 : away(r, i, right, h);
    if (!isnan(first)) {
        try_value(r, i, first);
    }
    if (!isnan(second)) {
        try_value(r, i, second);
    }
}

/* One point on either side, or two on one side where a bound is near. */
static void probe(zi_refine *r, size_t i)
{
    const double lower = r->limits->lower[i];
    const double upper = r->limits->upper[i];
    const double h = r->state.probe * r->unit[i];
    const double x = r->x[i];
    const int is_far = isfinite(lower) && isfinite(upper) && !r->limits->limits.rows; /* which move others */
    if (lower == upper) {
        try_value(r, i, x != 0.0 ? 0.0 : lower);
    } else if (x == 0.0 && (lower > 0.0 || upper < 0.0)) {
        try_value(r, i, is_far ? 0.5 * (lower + upper) : lower > 0.0 ? lower + h : upper - h);
    } else if (zi_allowed_has(&r->limits->allowed, i)) {
        probe_allowed(r, i, h);
    } else {
        const double right = x + h > upper ? x - 2.0 * h : x + h;
        const double left = x - h < lower && right > x ? x + 2.0 * h : x - h;
        try_value(r, i, fmin(fmax(right, lower), upper));
        try_value(r, i, fmin(fmax(left, lower), upper));
    }
}

static void propose_probes(zi_refine *r)
{
    r->state.kind = ZI_BATCH_PROBES;
    for (size_t count = 0; count < GROUP && r->state.next < r->dim;) {
        const size_t i = r->order[r->state.next++];
        if (r->forced[i] != ZILCH_FORCED_OFF) {
            probe(r, i);
            count++;
        }
    }
}

/* Points that differ in the active coordinates in which no near one does. */
static void propose_geometry(zi_refine *r)
{
    unsigned char lacks[ZI_WORKING_MOST];
    double step[ZI_WORKING_MOST] = {0};
    r->state.kind = ZI_BATCH_GEOMETRY;
    zi_refine_inspect(r, lacks);
    for (size_t a = 0; a < r->state.working; a++) {
        if (lacks[a] && r->x[r->member[a]] != 0.0) {
            step[a] = either(r, r->state.radius);
            if (!try_step(r, step, 0)) {
                step[a] = -step[a];
                try_step(r, step, 0);
            }
            step[a] = 0.0;
        }
    }
}

/* A point at the trust radius in some coordinate, where the model has nothing to offer. */
static void propose_anything(zi_refine *r)
{
    r->state.kind = ZI_BATCH_GEOMETRY;
    r->state.predicted = 0.0;
    for (size_t trial = 0; trial < r->state.working && r->state.batch == 0; trial++) {
        double step[ZI_WORKING_MOST] = {0};
        step[below(r, r->state.working)] = either(r, r->state.radius);
        try_step(r, step, 0);
    }
}

static void propose_step(zi_refine *r)
{
    int has_model = 1;
    if (!r->state.is_centred) {
        zi_refine_choose(r);
        if (!r->state.working) {
            return;
        }
        zi_refine_select(r);
        if (r->state.back == ZI_REFINE_DROP && !r->state.has_geometry) {
            propose_geometry(r);
            if (r->state.batch) {
                return;
            }
        }
        has_model = zi_refine_is_whole_due(r) ? zi_refine_fit_whole(r) : zi_refine_fit(r);
    }
    r->state.kind = ZI_BATCH_STEP;
    for (int hold = 0; hold < ZI_HOLDS && has_model && !r->state.batch; hold++) {
        r->state.predicted = zi_refine_solve(r, (zi_refine_hold)hold);
        if (r->limits->limits.rows) {
            r->state.predicted = zi_refine_keep_limits(r, (zi_refine_hold)hold);
        }
        if (!(r->state.predicted > 0.0)) {
            break;
        }
        try_model_step(r);
        if (!r->limits->has_switches && !r->limits->limits.rows) {
            break;
        }
    }
    if (!r->state.batch && r->state.back == ZI_REFINE_DROP) {
        propose_anything(r);
    }
}

static int compare_ranked(const void *a, const void *b)
{
    const zi_ranked *r = a;
    const zi_ranked *s = b;
    return r->key != s->key ? (r->key > s->key) - (r->key < s->key)
                            : (r->coordinate > s->coordinate) - (r->coordinate < s->coordinate);
}

/* The active coordinates that may be zero, the one nearest to it first. */
static size_t rank_active(zi_refine *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->dim; i++) {
        if (r->x[i] != 0.0 && r->forced[i] != ZILCH_FORCED_ON) {
            r->ranked[count++] = (zi_ranked){fabs(r->x[i]) / r->unit[i], i};
        }
    }
    qsort(r->ranked, count, sizeof *r->ranked, compare_ranked);
    return count;
}

static void propose_drops(zi_refine *r)
{
    const size_t count = rank_active(r);
    r->state.kind = ZI_BATCH_DROPS;
    for (size_t c = 3 * count / 4; c >= 2 && r->state.batch < MOST_JOINT; c = 3 * c / 4) {
        double *x = begin_point(r);
        for (size_t k = 0; k < c; k++) {
            x[r->ranked[k].coordinate] = 0.0;
        }
        end_point(r, 0, SIZE_MAX);
    }
    for (size_t k = 0; k < count; k++) {
        double step[ZI_WORKING_MOST];
        const size_t i = r->ranked[k].coordinate;
        const double most_loss = fmax(4.0 * zi_refine_penalty(r, i), 1e-3 * fabs(r->state.value));
        if (!r->place[i] || r->state.working < 2 || has_groups(r)) {
            try_value(r, i, 0.0);
        } else if (zi_refine_loss(r, r->place[i] - 1u, step) <= most_loss) {
            try_step(r, step, 0);
        }
    }
}

static void propose_scan(zi_refine *r)
{
    r->state.kind = ZI_BATCH_SCAN;
    if (r->state.next >= r->dim) {
        zi_refine_shuffle(r);
        r->state.scan_gains = 0;
    }
    for (size_t count = 0; count < GROUP && r->state.next < r->dim;) {
        const size_t i = r->order[r->state.next++];
        const double lower = r->limits->lower[i];
        const double upper = r->limits->upper[i];
        if (r->forced[i] == ZILCH_FORCED_OFF) {
            continue;
        }
        const double anywhere = isfinite(lower) && isfinite(upper)
                                    ? lower + (upper - lower) * zilch_rng_uniform(&r->rng)
                                    : r->mu[i] + r->unit[i] * zilch_rng_normal(&r->rng);
        const double size = r->unit[i] * pow(10.0, -3.0 * zilch_rng_uniform(&r->rng));
        const double change = either(r, size);
        const double next = zi_allowed_has(&r->limits->allowed, i) ? away(r, i, r->x[i], change) : NAN;
        const double near = isnan(next) ? r->x[i] + change : next;
        try_value(r, i, fmin(fmax(anywhere, lower), upper));
        try_value(r, i, fmin(fmax(near, lower), upper));
        count++;
    }
}

/* Whether a point is in the batch before row `end`, or is the incumbent. */
static int is_there(const zi_refine *r, const double *x, size_t end)
{
    const size_t bytes = r->dim * sizeof *x;
    int result = memcmp(x, r->x, bytes) == 0;
    for (size_t j = 0; j < end && !result; j++) {
        result = memcmp(x, r->batch_x + j * r->dim, bytes) == 0;
    }
    return result;
}

zilch_status zi_refine_keep_rule(zi_refine *r)
{
    zi_refine_state *s = &r->state;
    const size_t bytes = r->dim * sizeof *r->x;
    double *const room = r->batch_x + r->most_batch * r->dim;
    const size_t count = s->batch;
    size_t kept = count - s->raw;
    if (s->raw == 0) {
        return ZILCH_OK;
    }
    zilch_status status = ZILCH_OK;
    for (size_t j = kept; j < count; j++) {
        memcpy(room, r->batch_x + j * r->dim, bytes);
        status = status == ZILCH_OK ? zi_rule_apply(r->limits, room) : status;
        if (status != ZILCH_OK) { /* this one and the rest stay as they are */
            memcpy(room, r->batch_x + j * r->dim, bytes);
        } else if (is_there(r, room, kept)) {
            s->raw--;
            continue;
        }
        s->raw -= status == ZILCH_OK;
        memcpy(r->batch_x + kept * r->dim, room, bytes);
        r->batch_subject[kept++] = r->batch_subject[j];
    }
    s->batch = kept;
    if (status == ZILCH_OK && s->batch && s->kind == ZI_BATCH_STEP) { /* which may be another one now */
        s->predicted = zi_refine_predict(r, r->batch_x);
        s->batch = s->predicted > 0.0 ? s->batch : 0;
    }
    return status;
}

void zi_refine_propose(zi_refine *r)
{
    static void (*const by_phase[])(zi_refine * r) = {
        [ZI_REFINE_SWEEP] = propose_probes,
        [ZI_REFINE_STEP] = propose_step,
        [ZI_REFINE_DROP] = propose_drops,
        [ZI_REFINE_SCAN] = propose_scan,
    };
    by_phase[r->state.phase](r);
}
