/* Branch and bound over units that are on or off, and over values that have steps or are of lists. What is
 * not decided is relaxed (relaxation.c). Points of a linear program are corners, which have few active
 * coordinates: most questions are answered at once.
 *
 * Active means not zero, and a program cannot say that. But if no single coordinate is 0 in all points of a
 * convex set, some point has none that is 0: the mean of points in which one after the other is not.
 *
 * A unit that is on has ranges of values. Where one falls between two values that are allowed, its range is
 * split there. What rows can sum up to at all is asked first: multiples of the greatest step that all of
 * their terms are multiples of, which a program cannot see.
 *
 * A tree that has gone astray stays there. So a search that finds nothing soon begins anew some times, where
 * points shall have few and small values, with weights drawn at random, before it looks at the whole tree. */
#include "search/feasibility.h"

#include "base/memory.h"
#include "search/lattice.h"
#include "search/relaxation.h"

#include <math.h>
#include <string.h>

enum {
    MOST_NODES = 20000,
    FIRST_NODES = 1000,
    RESTARTS = 10,
    RESTART_NODES = 400,
    NEAR_NODES = 30,
    MOST_SPLITS = 40
};
static const double most_work = 1e10; /* steps, times what one looks at */

/* A decision: of a unit, or of the range of a coordinate. */
typedef struct choice {
    size_t unit, coordinate; /* one of them is SIZE_MAX */
    unsigned char decision;
    double low[3], high[3]; /* the range at first, on the other side, as it was before */
    int is_last;            /* the other side was tried */
} choice;

struct zi_feasibility {
    const zi_constraints *c;
    zi_relaxation relaxed;
    zi_lattice lattice;  /* where there are steps or lists */
    zi_mover mover;      /* where there are none */
    double *mean;        /* by coordinate */
    unsigned char *kept; /* by unit: decisions to go back to */
    choice *path;
    size_t depth, most_depth;
    uint64_t nodes, most_nodes;
};
typedef struct zi_feasibility search;

void zi_feasibility_destroy(search *s)
{
    if (s) {
        zi_relaxation_free(&s->relaxed);
        zi_lattice_free(&s->lattice);
        zi_mover_free(&s->mover);
        zi_free(s->mean);
        zi_free(s->kept);
        zi_free(s->path);
        zi_free(s);
    }
}

zilch_status zi_feasibility_create(search **out, const zi_constraints *c)
{
    search *s;
    size_t stepped = 0;
    *out = NULL;
    ZI_TRY(zi_alloc(&s, 1));
    *s = (search){.c = c};
    *out = s;
    for (size_t i = 0; i < c->dim; i++) {
        stepped += zi_allowed_has(&c->allowed, i) != 0;
    }
    s->most_depth = c->units + MOST_SPLITS * stepped + 1;
    ZI_TRY(zi_relaxation_create(&s->relaxed, c));
    ZI_TRY(zi_alloc(&s->mean, c->dim));
    ZI_TRY(zi_alloc(&s->kept, c->units));
    ZI_TRY(zi_alloc(&s->path, s->most_depth));
    return c->allowed.step ? zi_lattice_create(&s->lattice, c)
                           : zi_mover_create(&s->mover, &c->limits, c->dim, c->lower, c->upper, c->stays);
}

/* ---- A node
 * ------------------------------------------------------------------------------------------------ */

/* Moves the program's point to one in which this coordinate is not 0; 0 if there is none. */
static int leave_zero(search *s, size_t i)
{
    for (int way = 1; way >= -1; way -= 2) {
        const zi_simplex_end end = zi_relaxation_push(&s->relaxed, i, way);
        if ((end == ZI_SIMPLEX_OPTIMAL || end == ZI_SIMPLEX_UNBOUNDED) &&
            !zi_relaxation_is_zero(&s->relaxed, i, zi_relaxation_value(&s->relaxed, i))) {
            return 1;
        }
        s->relaxed.is_unsure |= end == ZI_SIMPLEX_STUCK || end == ZI_SIMPLEX_INFEASIBLE; /* was feasible */
    }
    return 0;
}

/* Every coordinate that is decided to be active is so in some point: x gets the mean of these points. The
 * mean of opposite values may be 0 again; then there is another round, of other weights. */
static int leave_zeros(search *s)
{
    enum { ROUNDS = 3 };
    const zi_constraints *c = s->c;
    double points = 1.0;
    int is_done = 0;
    memcpy(s->mean, s->relaxed.x, c->dim * sizeof *s->relaxed.x);
    for (int round = 0; round < ROUNDS && !is_done; round++) {
        is_done = 1;
        for (size_t k = 0; k < c->dim; k++) {
            const size_t i = c->member[k];
            const int must = s->relaxed.decision[c->unit_of[i]] == ZI_ON && c->lower[i] <= 0.0 &&
                             c->upper[i] >= 0.0 && !zi_allowed_has(&c->allowed, i);
            if (!must || !zi_relaxation_is_zero(&s->relaxed, i, s->mean[i])) {
                continue;
            }
            if (!leave_zero(s, i)) {
                return 0;
            }
            is_done = 0;
            points += 1.0;
            const double own = fabs(zi_relaxation_value(&s->relaxed, i) / s->relaxed.scale[i]);
            const double part = fmax(points, own); /* not as far as a bound that is far out */
            for (size_t j = 0; j < c->dim; j++) {
                s->mean[j] += (zi_relaxation_value(&s->relaxed, j) - s->mean[j]) / part;
            }
        }
    }
    memcpy(s->relaxed.x, s->mean, c->dim * sizeof *s->relaxed.x);
    return 1;
}

static int relax(search *s)
{
    s->nodes++;
    return zi_relaxation_solve(&s->relaxed);
}

/* The share of a unit that is on: what its values have of the least that they must have. */
static double share_on(const search *s, size_t u)
{
    const zi_constraints *c = s->c;
    double share = 1.0;
    double largest = 0.0;
    for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
        const size_t i = c->member[k];
        const double near = fmax(fmax(c->lower[i], -c->upper[i]), 0.0);
        const double own = zi_relaxation_is_zero(&s->relaxed, i, s->relaxed.x[i]) ? 0.0
                           : near > 0.0 ? fmin(1.0, fabs(s->relaxed.x[i]) / near)
                                        : 1.0;
        share = fmin(share, own > 1.0 - 1e-9 ? 1.0 : own);
        largest = fmax(largest, own);
    }
    return largest == 0.0 ? 0.0 : share == 1.0 ? 1.0 : 0.5 * (share + largest);
}

/* What is nearly a point that keeps everything becomes one, or does not. */
static int finish(search *s)
{
    const zi_constraints *c = s->c;
    for (size_t u = 0; u < c->units; u++) {
        const int is_on = s->relaxed.decision[u] == ZI_ON ||
                          (s->relaxed.decision[u] == ZI_UNDECIDED && share_on(s, u) > 0.0);
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            s->relaxed.x[i] = is_on ? fmin(fmax(s->relaxed.x[i], c->lower[i]), c->upper[i]) : 0.0;
        }
    }
    const int is_moved = c->allowed.step
                             ? zi_lattice_round(&s->lattice, s->relaxed.scale, SIZE_MAX, s->relaxed.x)
                             : zi_limits_broken(&c->limits, s->relaxed.x) == c->limits.rows ||
                                   zi_mover_project(&s->mover, s->relaxed.scale, 1, s->relaxed.x);
    if (!is_moved) {
        return 0;
    }
    const int is_right = zi_constraints_check(c, s->relaxed.x) == ZILCH_OK;
    if (!is_right) {
        zi_error_clear();
    }
    return is_right;
}

/* Whether x has only units that are on or off, and the right number of them. */
static int is_whole(const search *s)
{
    size_t active = 0;
    for (size_t u = 0; u < s->c->units; u++) {
        const double share = s->relaxed.decision[u] == ZI_OFF  ? 0.0
                             : s->relaxed.decision[u] == ZI_ON ? 1.0
                                                               : share_on(s, u);
        if (share > 0.0 && share < 1.0) {
            return 0;
        }
        active += share > 0.0 ? zi_unit_size(s->c, u) : 0;
    }
    return active >= s->c->least && active <= s->c->most;
}

/* Decides all that is open as the program's point suggests, the clearest cases first; counts are kept. */
static void round_off(search *s)
{
    const zi_constraints *c = s->c;
    size_t active = 0;
    for (size_t u = 0; u < c->units; u++) {
        active += s->relaxed.decision[u] == ZI_ON ? zi_unit_size(c, u) : 0;
    }
    static const double step[] = {1.0, 0.5, 1e-6, 0.0};
    for (size_t pass = 0; pass < sizeof step / sizeof *step; pass++) {
        for (size_t u = 0; u < c->units; u++) {
            const int is_wanted = step[pass] > 0.0 ? share_on(s, u) >= step[pass] : active < c->least;
            if (s->relaxed.decision[u] == ZI_UNDECIDED && is_wanted &&
                active + zi_unit_size(c, u) <= c->most) {
                s->relaxed.decision[u] = ZI_ON;
                active += zi_unit_size(c, u);
            }
        }
    }
    for (size_t u = 0; u < c->units; u++) {
        s->relaxed.decision[u] = s->relaxed.decision[u] == ZI_UNDECIDED ? ZI_OFF : s->relaxed.decision[u];
    }
}

/* Whether that gives a point. */
static int dive(search *s)
{
    memcpy(s->kept, s->relaxed.decision, s->c->units);
    round_off(s);
    const int is_found = relax(s) && leave_zeros(s) && is_whole(s) && finish(s);
    memcpy(s->relaxed.decision, s->kept, s->c->units);
    return is_found;
}

/* ---- The tree
 * ------------------------------------------------------------------------------------------------ */

/* The unit that is most neither on nor off, else one that is off or on where the count is wrong, else any;
 * *worth is 0 then. SIZE_MAX if all are decided. */
static size_t choose_unit(const search *s, unsigned char *decision, double *worth)
{
    const zi_constraints *c = s->c;
    size_t best = SIZE_MAX;
    size_t active = 0;
    *worth = -1.0;
    for (size_t u = 0; u < c->units; u++) {
        const int is_on = s->relaxed.decision[u] == ZI_ON ||
                          (s->relaxed.decision[u] == ZI_UNDECIDED && share_on(s, u) > 0.0);
        active += is_on ? zi_unit_size(c, u) : 0;
    }
    for (size_t u = 0; u < c->units; u++) {
        if (s->relaxed.decision[u] != ZI_UNDECIDED) {
            continue;
        }
        const double share = share_on(s, u);
        const int is_whole = share == 0.0 || share == 1.0;
        const double own = !is_whole                           ? 2.0 - fabs(share - 0.5)
                           : active < c->least && share == 0.0 ? 1.0
                           : active > c->most && share == 1.0  ? 1.0
                                                               : 0.0;
        if (own > *worth) {
            *worth = own;
            best = u;
            *decision = !is_whole ? (share >= 0.5 ? ZI_ON : ZI_OFF) : active < c->least ? ZI_ON : ZI_OFF;
        }
    }
    return best;
}

/* Where a value's range is to be split: up to `below`, and from `above`. */
typedef struct gap {
    double below, above;
    double part; /* of the way between them; 0: the value is allowed, and one of them */
} gap;

static double next_active(const zi_allowed *a, size_t i, double x, int direction)
{
    const double next = zi_allowed_next(a, i, x, direction);
    return next == 0.0 ? zi_allowed_next(a, i, next, direction) : next;
}

/* 0 if the range is one value. */
static int find_gap(const search *s, size_t i, gap *found)
{
    const zi_allowed *a = &s->c->allowed;
    const double x = s->relaxed.x[i];
    const double nearest = zi_allowed_active(a, i, x);
    const double other = next_active(a, i, nearest, nearest < x ? 1 : -1);
    if (s->relaxed.low[i] == s->relaxed.high[i]) {
        return 0;
    }
    if (isnan(other) || zi_relaxation_is_zero(&s->relaxed, i, nearest - x)) {
        const int is_up = nearest < s->relaxed.high[i];
        *found = is_up ? (gap){nearest, next_active(a, i, nearest, 1), 0.0}
                       : (gap){next_active(a, i, nearest, -1), nearest, 0.0};
        return 1;
    }
    *found = (gap){.below = fmin(nearest, other), .above = fmax(nearest, other)};
    found->part = (x - found->below) / (found->above - found->below);
    return 1;
}

/* The value of a unit that is on (or not decided, without `is_decided`) that is most between two others;
 * with `any`, one that is allowed may be split, too. SIZE_MAX: none. */
static size_t choose_value(const search *s, int is_decided, int any, gap *best)
{
    size_t chosen = SIZE_MAX;
    double most = any ? -1.0 : 0.0;
    for (size_t i = 0; i < s->c->dim && s->c->allowed.step; i++) {
        gap found;
        const unsigned char wanted = is_decided ? ZI_ON : ZI_UNDECIDED;
        const int may = zi_allowed_has(&s->c->allowed, i) &&
                        s->relaxed.decision[s->c->unit_of[i]] == wanted &&
                        !(wanted == ZI_UNDECIDED && s->relaxed.x[i] == 0.0);
        if (may && find_gap(s, i, &found) && fmin(found.part, 1.0 - found.part) > most) {
            most = fmin(found.part, 1.0 - found.part);
            chosen = i;
            *best = found;
        }
    }
    return chosen;
}

static choice decide_unit(size_t unit, unsigned char decision)
{
    return (choice){.unit = unit, .coordinate = SIZE_MAX, .decision = decision};
}

/* The side of the value first. */
static choice split_range(const search *s, size_t i, gap at)
{
    const int is_up = at.part == 0.0 ? s->relaxed.x[i] > 0.5 * (at.below + at.above) : at.part > 0.5;
    const double low = s->relaxed.low[i];
    const double high = s->relaxed.high[i];
    choice made = {.unit = SIZE_MAX, .coordinate = i};
    made.low[is_up] = low;
    made.high[is_up] = at.below;
    made.low[!is_up] = at.above;
    made.high[!is_up] = high;
    made.low[2] = low;
    made.high[2] = high;
    return made;
}

/* What to decide next; 0 if all is. */
static int choose(const search *s, choice *next)
{
    gap at;
    unsigned char decision = ZI_ON;
    double worth;
    const size_t unit = choose_unit(s, &decision, &worth);
    if (unit != SIZE_MAX && worth > 0.0) {
        *next = decide_unit(unit, decision);
        return 1;
    }
    size_t i = choose_value(s, 1, 0, &at);
    if (i == SIZE_MAX) {
        const size_t open = choose_value(s, 0, 0, &at);
        if (open != SIZE_MAX || unit != SIZE_MAX) {
            *next = open != SIZE_MAX ? decide_unit(s->c->unit_of[open], ZI_ON) : decide_unit(unit, decision);
            return 1;
        }
        i = choose_value(s, 1, 1, &at);
    }
    if (i != SIZE_MAX) {
        *next = split_range(s, i, at);
    }
    return i != SIZE_MAX;
}

static void set_range(search *s, const choice *made, int side)
{
    s->relaxed.low[made->coordinate] = made->low[side];
    s->relaxed.high[made->coordinate] = made->high[side];
}

static void go_down(search *s, const choice *next)
{
    s->path[s->depth++] = *next;
    if (next->unit != SIZE_MAX) {
        s->relaxed.decision[next->unit] = next->decision;
    } else {
        set_range(s, next, 0);
    }
}

static int back_up(search *s)
{
    while (s->depth > 0) {
        choice *const made = &s->path[s->depth - 1];
        if (!made->is_last) {
            made->is_last = 1;
            if (made->unit != SIZE_MAX) {
                s->relaxed.decision[made->unit] = made->decision == ZI_ON ? ZI_OFF : ZI_ON;
            } else {
                set_range(s, made, 1);
            }
            return 1;
        }
        if (made->unit != SIZE_MAX) {
            s->relaxed.decision[made->unit] = ZI_UNDECIDED;
        } else {
            set_range(s, made, 2);
        }
        s->depth--;
    }
    return 0;
}

static int count_is_possible(const search *s)
{
    size_t on = 0;
    size_t off = 0;
    for (size_t u = 0; u < s->c->units; u++) {
        on += s->relaxed.decision[u] == ZI_ON ? zi_unit_size(s->c, u) : 0;
        off += s->relaxed.decision[u] == ZI_OFF ? zi_unit_size(s->c, u) : 0;
    }
    return on <= s->c->most && s->c->dim - off >= s->c->least;
}

static int is_too_long(const search *s)
{
    const double work = (double)s->relaxed.program.steps * (double)s->relaxed.first[2 * s->c->dim];
    return s->nodes > s->most_nodes || work > most_work;
}

static zi_answer search_tree(search *s)
{
    s->depth = 0;
    s->nodes = 0;
    s->relaxed.is_unsure = 0;
    for (;;) {
        choice next;
        int has_next = 0;
        if (is_too_long(s)) {
            return ZI_ANSWER_UNKNOWN;
        }
        if (count_is_possible(s) && zi_relaxation_has_sums(&s->relaxed) && relax(s) && leave_zeros(s)) {
            has_next = choose(s, &next);
            if ((is_whole(s) && finish(s)) || (has_next && dive(s))) {
                return ZI_ANSWER_YES;
            }
        }
        s->relaxed.is_unsure |= has_next && s->depth == s->most_depth;
        if (has_next && s->depth < s->most_depth) {
            go_down(s, &next);
        } else if (!back_up(s)) {
            return s->relaxed.is_unsure ? ZI_ANSWER_UNKNOWN : ZI_ANSWER_NO;
        }
    }
}

/* Whether no coordinate can be anything else than in x. The first that can ends it. */
static int is_alone(search *s, const double *x)
{
    zi_relaxation *const r = &s->relaxed;
    zi_relaxation_reset(r);
    zi_relaxation_set(r);
    for (size_t i = 0; i < s->c->dim; i++) {
        for (int way = -1; way <= 1; way += 2) {
            if (zi_relaxation_push(r, i, way) != ZI_SIMPLEX_OPTIMAL ||
                !zi_relaxation_is_zero(r, i, zi_relaxation_value(r, i) - x[i])) {
                return 0;
            }
        }
    }
    return 1;
}

/* From the beginning, with so many nodes at most. */
static zi_answer search_again(search *s, uint64_t nodes)
{
    s->most_nodes = nodes;
    zi_simplex_reset(&s->relaxed.program);
    zi_relaxation_reset(&s->relaxed);
    return search_tree(s);
}

static zi_answer search_all(search *s)
{
    zilch_rng rng = zilch_rng_make(0, 0);
    zi_answer answer = search_again(s, FIRST_NODES);
    for (int k = 0; k < RESTARTS && answer == ZI_ANSWER_UNKNOWN; k++) {
        for (size_t j = 0; j < 2 * s->c->dim; j++) {
            s->relaxed.favour[j] = 1.0 + zilch_rng_uniform(&rng);
        }
        s->relaxed.is_favouring = 1;
        answer = search_again(s, RESTART_NODES);
    }
    s->relaxed.is_favouring = 0;
    return answer == ZI_ANSWER_UNKNOWN ? search_again(s, MOST_NODES) : answer;
}

zilch_status zi_feasibility_find(const zi_constraints *c, double *x, zi_answer *answer, int *is_single)
{
    search *s;
    const zilch_status status = zi_feasibility_create(&s, c);
    if (status == ZILCH_OK) {
        *answer = search_all(s);
        memcpy(x, s->relaxed.x, c->dim * sizeof *x);
        if (is_single) {
            *is_single = *answer == ZI_ANSWER_YES && is_alone(s, x);
        }
    }
    zi_feasibility_destroy(s);
    return status;
}

int zi_feasibility_settle(search *s, const unsigned char *on, double *x)
{
    zi_relaxation_reset(&s->relaxed);
    for (size_t u = 0; u < s->c->units; u++) {
        s->relaxed.decision[u] = on[u] ? ZI_ON : ZI_OFF;
    }
    s->most_nodes = NEAR_NODES;
    zi_simplex_reset(&s->relaxed.program); /* so that it does not matter what was asked before */
    if (search_tree(s) != ZI_ANSWER_YES) {
        return 0;
    }
    memcpy(x, s->relaxed.x, s->c->dim * sizeof *x);
    return 1;
}
