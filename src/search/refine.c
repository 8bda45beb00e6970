/* The refinement: what its phases are, and what follows from the values of a batch (refine_propose.c makes
 * them).
 *
 * A sweep probes coordinates in random order, some at a time, at two points each, which gives a parabola for
 * each; after each group it goes to the minimum of all parabolas that are known. Steps to the minimum of the
 * quadratic (refine_model.c) in a trust region follow until they gain nothing. Then single active coordinates
 * are dropped, the others following by the model, and several at once. If all of it has gained much, there is
 * another sweep; if not, one with smaller probes, and then a scan, which tries single coordinates anywhere
 * and by steps of any size. When a scan has found nothing, it is done.
 *
 * A course that begins dense first meets no penalty, and then one that rises in stages to the whole: each
 * time that nothing more can be dropped. So coordinates that are worth nothing alone, as the weights of a
 * network are at zero, learn together before they are asked what they are worth. */
#include "search/refine.h"

#include "base/memory.h"
#include "math/linalg.h"
#include "search/refine_model.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_FAILED = 12, /* steps in a row without gain */
    MOST_TINY = 2,    /* steps in a row that promise nothing to speak of */
    MOST_FAILED_GROUPS = 2,
    MOST_PAUSE = 8 /* of the factor */
};
static const double first_probe = 0.5, dense_probe = 0.25, least_probe = 0.05, probe_factor = 0.2;
static const double least_gain = 1e-3; /* of a round, as a share of the cost; if less, it gained nothing */
static const double least_gain_cheap = 0.1; /* while the penalty is still rising */
static const double first_penalty = 1.0 / 64, penalty_factor = 4.0;
static const double least_radius = 1e-10;
static const size_t batch_numbers = 4000000;

/* ---- Making --------------------------------------------------------------------------------------- */

void zi_refine_destroy(zi_refine *r)
{
    if (r) {
        zi_points_free(&r->points);
        zi_mover_free(&r->mover);
        zi_lattice_free(&r->lattice);
        zi_free(r->numbers);
        zi_free(r->bytes);
        zi_free(r->order);
        zi_free(r->batch_x);
        zi_free(r->z);
        zi_free(r->near);
        zi_free(r->matrix);
        zi_free(r->pivot);
        zi_free(r->ranked);
        zi_free(r);
    }
}

static zilch_status allocate(zi_refine *r, size_t dim)
{
    const size_t k = r->most_working;
    const size_t order = r->most_near + k + 1;
    const size_t square =
        order * order + r->most_near * r->most_near; /* more than working x (working + near) */
    const size_t working = (size_t)ZI_WORKING_MOST * ZI_WORKING_MOST;
    ZI_TRY(zi_points_create(&r->points, dim));
    ZI_TRY(zi_alloc(&r->numbers, 6 * dim));
    ZI_TRY(zi_alloc(&r->bytes, 3 * dim));
    ZI_TRY(zi_alloc(&r->order, dim));
    ZI_TRY(zi_alloc(&r->batch_x, (r->most_batch + 1) * dim));
    ZI_TRY(zi_alloc(&r->near, r->most_near + 1));
    ZI_TRY(zi_alloc(&r->z, 2 * k * r->most_near));
    ZI_TRY(zi_alloc(&r->matrix, (square > working ? square : working) + order));
    ZI_TRY(zi_alloc(&r->pivot, order));
    ZI_TRY(zi_alloc(&r->ranked, dim));
    r->rows = r->z + k * r->most_near;
    r->right = r->matrix + (square > working ? square : working);
    r->x = r->numbers;
    r->mu = r->x + dim;
    r->unit = r->mu + dim;
    r->slope = r->unit + dim;
    r->bend = r->slope + dim;
    r->part = r->bend + dim;
    r->is_known = r->bytes;
    r->forced = r->is_known + dim;
    r->place = r->forced + dim;
    memset(r->numbers, 0, 6 * dim * sizeof *r->numbers);
    memset(r->bytes, 0, 3 * dim);
    const zi_constraints *c = r->limits;
    if (c->limits.rows == 0) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_mover_create(&r->mover, &c->limits, dim, c->lower, c->upper, c->stays));
    return c->allowed.step ? zi_lattice_create(&r->lattice, c) : ZILCH_OK;
}

static void describe_coordinates(zi_refine *r, const double *mu, const double *sigma)
{
    const zi_constraints *c = r->limits;
    for (size_t u = 0; u < c->units; u++) {
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            r->forced[c->member[k]] = (unsigned char)c->forced[u];
        }
    }
    for (size_t i = 0; i < r->dim; i++) {
        const double size = fmin(fabs(c->lower[i]), fabs(c->upper[i]));
        r->mu[i] = mu[i];
        r->unit[i] = sigma[i] > 0.0 && isfinite(sigma[i]) ? sigma[i]
                     : size > 0.0 && isfinite(size)       ? size
                                                          : 1.0;
        r->unit[i] = fmax(r->unit[i], zi_allowed_spacing(&c->allowed, i, mu[i])); /* a step, at least */
        r->order[i] = i;
    }
}

/* Penalties rise together, so each is kept as a part of the dearest. */
static void set_penalties(zi_refine *r, zi_penalty penalty)
{
    r->penalty = penalty.common;
    for (size_t i = 0; penalty.own && i < r->dim; i++) {
        r->penalty = fmax(r->penalty, penalty.common + penalty.own[i]);
    }
    for (size_t i = 0; i < r->dim; i++) {
        const int is_dearest = !penalty.own || r->penalty == 0.0;
        r->part[i] = is_dearest ? 1.0 : (penalty.common + penalty.own[i]) / r->penalty;
    }
}

zilch_status zi_refine_create(zi_refine **out, const zi_constraints *constraints, const double *mu,
                              const double *sigma, zi_penalty penalty, uint64_t seed)
{
    assert(out && constraints && mu && sigma);
    const size_t dim = constraints->dim;
    const size_t k = dim < ZI_WORKING_MOST ? dim : ZI_WORKING_MOST;
    const size_t batch = batch_numbers / dim;
    zi_refine *r;
    *out = NULL;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&r, 1));
    *r = (zi_refine){.limits = constraints, .dim = dim, .most_working = k};
    r->most_near = (k + 1) * (k + 2) * 5 / 8 + 1; /* a quarter more than a quadratic has coefficients */
    r->most_near = r->most_near > 3 * k + 10 ? r->most_near : 3 * k + 10;
    r->most_batch = batch < ZI_BATCH_LEAST ? ZI_BATCH_LEAST : batch < ZI_BATCH_MOST ? batch : ZI_BATCH_MOST;
    r->rng = zilch_rng_make(seed, 0);
    r->state.phase = ZI_REFINE_DONE;
    const zilch_status status = allocate(r, dim);
    if (status != ZILCH_OK) {
        zi_refine_destroy(r);
        return status;
    }
    describe_coordinates(r, mu, sigma);
    set_penalties(r, penalty);
    *out = r;
    return ZILCH_OK;
}

/* ---- Telling -------------------------------------------------------------------------------------- */

/* The best of the batch becomes the incumbent if it is better, or as good and sparser; gives its number, or
 * SIZE_MAX. No merit makes up for a violation: of two points, the one of the lesser is better. */
static size_t accept_best(zi_refine *r, const double *value)
{
    size_t best = SIZE_MAX;
    size_t fewest = zi_refine_active(r, r->x);
    double least = zi_refine_cost(r, r->state.value, r->x);
    double mildest = r->state.violation;
    for (size_t j = 0; j < r->state.batch; j++) {
        const size_t active = zi_refine_active(r, r->batch_x + j * r->dim);
        const double cost = zi_refine_cost(r, value[j], r->batch_x + j * r->dim);
        const double violation = r->batch_violation[j];
        const int is_as_mild = violation == mildest;
        if (isfinite(cost) && (violation < mildest || (is_as_mild && cost < least) ||
                               (is_as_mild && cost == least && active < fewest))) {
            mildest = violation;
            least = cost;
            fewest = active;
            best = j;
        }
    }
    if (best != SIZE_MAX) {
        memcpy(r->x, r->batch_x + best * r->dim, r->dim * sizeof *r->x);
        r->state.value = value[best];
        r->state.told = r->batch_told[best];
        r->state.violation = mildest;
    }
    return best;
}

static void begin_steps(zi_refine *r, zi_refine_phase back, double radius)
{
    r->state.phase = ZI_REFINE_STEP;
    r->state.back = back;
    r->state.radius = radius;
    r->state.failed_steps = r->state.tiny_steps = 0;
    r->state.has_geometry = r->state.is_centred = r->state.wide_failures = 0;
    r->state.counted_steps = 0;
    r->state.counted_cost = zi_refine_cost(r, r->state.value, r->x);
}

/* Whether another coordinate has made room in a point of the batch. */
static int has_made_room(const zi_refine *r, size_t j)
{
    const double *x = r->batch_x + j * r->dim;
    for (size_t i = 0; i < r->dim && r->limits->most < r->dim; i++) {
        if (r->x[i] != 0.0 && x[i] == 0.0 && i != r->batch_subject[j]) {
            return 1;
        }
    }
    return 0;
}

/* Slopes and bends from the probes, as seen from the incumbent. With linear limits other coordinates have
 * moved along: it is what the coordinate is worth together with what it costs them. Where the limits did not
 * let it move, nothing is learned. */
static void learn_parabolas(zi_refine *r, const double *value)
{
    for (size_t j = 0; j < r->state.batch;) {
        const size_t i = r->batch_subject[j];
        const int has_two = j + 1 < r->state.batch && r->batch_subject[j + 1] == i;
        const double t = (r->batch_x[j * r->dim + i] - r->x[i]) / r->unit[i];
        const double chord = (value[j] - r->state.value) / t;
        if (!(fabs(t) > 0.0) || has_made_room(r, j)) {
            j += has_two ? 2 : 1;
            continue;
        }
        if (has_two && isfinite(value[j]) && isfinite(value[j + 1])) {
            const double t2 = (r->batch_x[(j + 1) * r->dim + i] - r->x[i]) / r->unit[i];
            const double chord2 = (value[j + 1] - r->state.value) / t2;
            r->bend[i] = 2.0 * (chord - chord2) / (t - t2);
            r->slope[i] = chord - 0.5 * r->bend[i] * t;
            r->is_known[i] = isfinite(r->bend[i]) && isfinite(r->slope[i]);
        } else if (!has_two && r->is_known[i] && isfinite(value[j])) {
            r->slope[i] = chord - 0.5 * r->bend[i] * t;
        }
        j += has_two ? 2 : 1;
    }
}

static void conclude_probes(zi_refine *r, const double *value)
{
    learn_parabolas(r, value);
    accept_best(r, value);
    if (r->state.next >= r->dim) {
        begin_steps(r, ZI_REFINE_DROP, r->state.probe);
    } else if (r->state.failed_groups < MOST_FAILED_GROUPS) {
        begin_steps(r, ZI_REFINE_SWEEP, 2.0);
    }
}

/* The trust region after a step of this length and gain. */
static void adapt_radius(zi_refine *r, double length, double gain, double cost)
{
    zi_refine_state *s = &r->state;
    const double ratio = gain / s->predicted;
    s->tiny_steps = s->predicted < 1e-13 * fabs(cost) ? s->tiny_steps + 1 : 0;
    if (ratio > 0.7) {
        s->radius *= length > 0.8 * s->radius ? 2.0 : 1.0;
    } else if (!(ratio >= 0.1)) {
        s->radius = fmax(0.1 * s->radius, 0.5 * fmin(s->radius, length));
    }
    if (length < 0.1 * s->radius) {
        s->radius = fmax(2.0 * length, 0.1 * s->radius);
    }
    s->failed_steps = gain > 0.0 ? 0 : s->failed_steps + 1;
}

static int is_rising(const zi_refine *r)
{
    return r->state.penalty < r->penalty;
}

/* What an active coordinate will cost, on average. */
static double mean_penalty(const zi_refine *r)
{
    const size_t active = zi_refine_active(r, r->x);
    return active ? r->penalty * (zi_refine_parts(r, r->x) / (double)active) : r->penalty;
}

/* Whether a descent that has yet to meet the whole penalty gains less than one coordinate will cost, in as
 * many steps as there are coordinates: then it is time to drop some. */
static int is_slow(zi_refine *r)
{
    zi_refine_state *s = &r->state;
    if (!is_rising(r) || ++s->counted_steps <= s->working) {
        return 0;
    }
    const double before = s->counted_cost;
    s->counted_steps = 0;
    s->counted_cost = zi_refine_cost(r, s->value, r->x);
    return before - s->counted_cost < mean_penalty(r);
}

/* Whether other coordinates may be worth more than better values of these: where their number, or what they
 * add up to, is limited, there are many sets to choose from, and a set is known well enough when a step is
 * expected to gain little beside what the last sweep and the steps have gained. */
static int is_good_enough(const zi_refine *r)
{
    static const double part = 1e-2;
    const zi_refine_state *s = &r->state;
    return (r->limits->most < r->dim || r->limits->limits.rows) &&
           s->predicted < part * (s->swept - zi_refine_cost(r, s->value, r->x));
}

static void conclude_step(zi_refine *r, const double *value)
{
    zi_refine_state *s = &r->state;
    double length = 0.0;
    int is_wider = 0; /* a zero becomes active */
    s->is_centred = 0;
    if (!s->batch) {
        if (s->is_whole) {
            zi_refine_forget_whole(r);
        }
        s->phase = s->back;
        return;
    }
    for (size_t a = 0; a < s->working; a++) {
        const size_t i = r->member[a];
        length = fmax(length, fabs(r->batch_x[i] - r->x[i]) / r->unit[i]);
        is_wider |= r->x[i] == 0.0 && r->batch_x[i] != 0.0;
    }
    const double cost = zi_refine_cost(r, s->value, r->x);
    const double told = isfinite(value[0]) ? value[0] : DBL_MAX;
    const double told_gain = cost - zi_refine_cost(r, told, r->batch_x);
    const size_t best = accept_best(r, value);
    const double gain = best == 0 ? told_gain : fmin(told_gain, 0.0); /* none, if its violation is worse */
    const int is_step = s->kind == ZI_BATCH_STEP;
    if (s->is_whole && !(is_step && gain > 0.25 * s->predicted)) {
        zi_refine_forget_whole(r);
        s->whole_pause = s->whole_pause < MOST_PAUSE ? 2 * s->whole_pause : MOST_PAUSE;
        if (best == SIZE_MAX) {
            return;
        }
    } else if (s->is_whole) {
        s->is_whole = 0;
        s->whole_pause = 1;
    }
    if (is_step && best == 0 && fabs(gain - s->predicted) < 0.1 * s->predicted) {
        zi_refine_recentre(r);
        s->is_centred = 1;
    }
    if (s->back != ZI_REFINE_DROP) {
        s->radius *= length > 0.8 * s->radius ? 2.0 : 1.0;
        if (!is_step || !(gain > 0.25 * s->predicted)) {
            s->phase = s->back;
            s->failed_groups = best != SIZE_MAX ? 0 : s->failed_groups + 1;
        }
        return;
    }
    if (is_step) {
        s->has_geometry = gain > 0.0;
        s->wide_failures = !is_wider ? s->wide_failures : gain > 0.0 ? 0 : s->wide_failures + 1;
        adapt_radius(r, length, gain, cost);
    } else {
        if (s->predicted == 0.0 && best == SIZE_MAX && s->batch == 1) {
            s->radius *= 0.25;
            s->failed_steps++;
        }
        s->predicted = 1.0;
        s->has_geometry = 1;
    }
    if (!(s->radius >= least_radius) || s->failed_steps > MOST_FAILED || s->tiny_steps > MOST_TINY ||
        is_slow(r) || (is_step && is_good_enough(r))) {
        s->phase = ZI_REFINE_DROP;
    }
}

static void conclude_drops(zi_refine *r, const double *value)
{
    zi_refine_state *s = &r->state;
    if (accept_best(r, value) != SIZE_MAX) {
        begin_steps(r, ZI_REFINE_DROP, fmax(s->radius, 0.05));
        return;
    }
    const double cost = zi_refine_cost(r, s->value, r->x);
    const int has_gained = s->swept - cost > (is_rising(r) ? least_gain_cheap : least_gain) * fabs(s->swept);
    if (is_rising(r) && !has_gained) { /* drops again, for more */
        s->penalty =
            fmin(s->penalty > 0.0 ? penalty_factor * s->penalty : first_penalty * r->penalty, r->penalty);
        s->swept = zi_refine_cost(r, s->value, r->x);
        return;
    }
    s->swept = cost;
    s->failed_groups = 0;
    s->phase = ZI_REFINE_SWEEP;
    zi_refine_shuffle(r);
    if (has_gained) {
        s->probe = first_probe;
    } else if (s->probe > least_probe) {
        s->probe *= probe_factor;
    } else {
        s->phase = ZI_REFINE_SCAN;
        s->scan_gains = 0;
        s->probe = first_probe;
    }
}

static void conclude_scan(zi_refine *r, const double *value)
{
    const double before = zi_refine_cost(r, r->state.value, r->x);
    if (accept_best(r, value) != SIZE_MAX) {
        r->state.scan_gains += before - zi_refine_cost(r, r->state.value, r->x) > least_gain * fabs(before);
        begin_steps(r, ZI_REFINE_SCAN, 0.1);
    } else if (r->state.next >= r->dim && !r->state.scan_gains) {
        r->state.phase = ZI_REFINE_DONE;
    } else if (r->state.next >= r->dim) {
        zi_refine_shuffle(r);
        r->state.phase = ZI_REFINE_DROP;
    }
}

static void conclude(zi_refine *r, const double *value)
{
    static void (*const by_phase[])(zi_refine * r, const double *value) = {
        [ZI_REFINE_SWEEP] = conclude_probes,
        [ZI_REFINE_STEP] = conclude_step,
        [ZI_REFINE_DROP] = conclude_drops,
        [ZI_REFINE_SCAN] = conclude_scan,
    };
    by_phase[r->state.phase](r, value);
}

/* ---- Interface ------------------------------------------------------------------------------------ */

zilch_status zi_refine_start(zi_refine *r, const double *x, const zi_known *told, int is_dense)
{
    assert(r && x && told);
    ZI_TRY(zi_constraints_check(r->limits, x));
    if (!isfinite(told->value)) {
        return zi_fail(ZILCH_EARG, "refinement: the value to start from is not finite");
    }
    for (size_t i = 0; i < r->dim; i++) {
        r->x[i] = x[i] + 0.0;
    }
    for (size_t a = 0; a < r->state.working; a++) {
        r->place[r->member[a]] = 0;
    }
    r->state = (zi_refine_state){.phase = ZI_REFINE_SWEEP,
                                 .value = told->value,
                                 .told = told->value,
                                 .violation = told->violation,
                                 .probe = is_dense ? dense_probe : first_probe,
                                 .radius = 0.5,
                                 .penalty = is_dense ? 0.0 : r->penalty,
                                 .whole_pause = 1};
    r->state.swept = zi_refine_cost(r, told->value, r->x);
    memset(r->is_known, 0, r->dim);
    zi_points_begin(&r->points, r->x);
    zi_points_add(&r->points, r->x, told->number, told->value, told->violation);
    zi_refine_shuffle(r);
    return ZILCH_OK;
}

int zi_refine_is_done(const zi_refine *r)
{
    return r->state.phase == ZI_REFINE_DONE;
}

zilch_status zi_refine_ask(zi_refine *r, size_t *n, const double **x)
{
    assert(r && n && x);
    while (r->state.phase != ZI_REFINE_DONE && (!r->state.batch || r->state.raw)) {
        if (!r->state.raw) { /* else the rule has failed before */
            zi_refine_propose(r);
            r->state.raw = r->limits->rule.repair ? r->state.batch : 0;
        }
        ZI_TRY(zi_refine_keep_rule(r));
        if (!r->state.batch) {
            conclude(r, NULL);
        }
    }
    *n = r->state.batch;
    *x = r->batch_x;
    return ZILCH_OK;
}

/* The course goes on from its first feasible point as from a start: the model was one of violations. */
static void begin_feasible(zi_refine *r)
{
    zi_refine_state *s = &r->state;
    for (size_t a = 0; a < s->working; a++) {
        r->place[r->member[a]] = 0;
    }
    *s = (zi_refine_state){.phase = ZI_REFINE_SWEEP,
                           .batch = s->batch,
                           .value = s->value,
                           .told = s->told,
                           .probe = s->penalty < r->penalty ? dense_probe : first_probe,
                           .radius = 0.5,
                           .penalty = s->penalty,
                           .whole_pause = 1};
    s->swept = zi_refine_cost(r, s->value, r->x);
    memset(r->is_known, 0, r->dim);
    zi_refine_shuffle(r);
    zi_refine_weigh(r);
}

/* Merits of the batch. One that is not feasible is never better than an incumbent that is. */
static void set_merits(const zi_refine *r, size_t n, double *merit)
{
    const double cost = zi_refine_cost(r, r->state.value, r->x);
    for (size_t j = 0; j < n; j++) {
        const double violation = r->batch_violation[j];
        merit[j] = zi_refine_merit(r, r->batch_told[j], violation);
        if (violation > 0.0 && r->state.violation == 0.0) {
            const double parts = zi_refine_parts(r, r->batch_x + j * r->dim);
            merit[j] = fmax(merit[j], cost - r->state.penalty * parts);
        }
    }
}

zilch_status zi_refine_tell(zi_refine *r, size_t n, const double *x, const zi_known *told)
{
    assert(r && x && told);
    const int is_same =
        x == r->batch_x || (n == r->state.batch && !memcmp(x, r->batch_x, n * r->dim * sizeof *x));
    if (n != r->state.batch || !is_same) {
        return zi_fail(ZILCH_EARG, "refinement: these are not the %zu points that were asked for",
                       (size_t)r->state.batch);
    }
    const int was_feasible = r->state.violation == 0.0;
    double merit[ZI_BATCH_MOST];
    for (size_t j = 0; j < n; j++) {
        const int is_known = isfinite(told[j].value);
        r->batch_told[j] = told[j].value;
        r->batch_violation[j] = is_known ? told[j].violation : 0.0;
        if (is_known) {
            zi_points_add(&r->points, x + j * r->dim, told[j].number, told[j].value, told[j].violation);
        }
    }
    zi_refine_weigh(r);
    set_merits(r, n, merit);
    if (n) {
        conclude(r, merit);
    }
    if (!was_feasible && r->state.violation == 0.0) {
        begin_feasible(r);
    }
    r->state.whole_wait -= r->state.whole_wait < n ? r->state.whole_wait : (uint32_t)n;
    r->state.batch = 0;
    return ZILCH_OK;
}

void zi_refine_best(const zi_refine *r, const double **x, double *value)
{
    *x = r->x;
    *value = r->state.told;
}
