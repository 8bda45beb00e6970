/* Why no point keeps a set of limits: by leaving out one after the other for good where it goes without it
 * (a deletion filter; Chinneck and Dravnieks 1991). What is left contradicts itself, and no part of it does.
 */
#include "search/feasibility.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Limits of which some are left out. */
typedef struct without {
    zi_constraints c;
    double *ends;         /* of rows */
    double *bounds;       /* of coordinates */
    zilch_forced *forced; /* by unit */
    double *x;
    unsigned char *needed; /* by row */
} without;

/* Whether there is a point now. Where it takes too long to find out, there might be. */
static zilch_status is_possible(const without *w, int *result)
{
    zi_answer answer;
    ZI_TRY(zi_feasibility_find(&w->c, w->x, &answer, NULL));
    *result = answer != ZI_ANSWER_NO;
    return ZILCH_OK;
}

/* A row is left out for good if it goes without it. */
static zilch_status filter_rows(without *w)
{
    zi_limits *l = &w->c.limits;
    for (size_t r = 0; r < l->rows; r++) {
        const double lower = l->lower[r];
        const double upper = l->upper[r];
        int possible;
        l->lower[r] = -INFINITY;
        l->upper[r] = INFINITY;
        ZI_TRY(is_possible(w, &possible));
        w->needed[r] = (unsigned char)possible;
        if (possible) {
            l->lower[r] = lower;
            l->upper[r] = upper;
        }
    }
    return ZILCH_OK;
}

static zilch_status filter_counts(without *w, int *least, int *most)
{
    const size_t kept = w->c.least;
    w->c.least = 0;
    ZI_TRY(is_possible(w, least));
    w->c.least = *least ? kept : 0;
    const size_t kept_most = w->c.most;
    w->c.most = w->c.dim;
    ZI_TRY(is_possible(w, most));
    w->c.most = *most ? kept_most : w->c.dim;
    return ZILCH_OK;
}

static zilch_status filter_forced(without *w, int *forced)
{
    zilch_forced *const kept = w->c.forced;
    for (size_t u = 0; u < w->c.units; u++) {
        w->forced[u] = ZILCH_FORCED_NOT;
    }
    w->c.forced = w->forced;
    ZI_TRY(is_possible(w, forced));
    w->c.forced = *forced ? kept : w->forced;
    return ZILCH_OK;
}

static zilch_status filter_steps(without *w, int *steps)
{
    const zi_allowed kept = w->c.allowed;
    *steps = 0;
    if (!kept.step) {
        return ZILCH_OK;
    }
    w->c.allowed = (zi_allowed){.dim = kept.dim};
    ZI_TRY(is_possible(w, steps));
    w->c.allowed = *steps ? kept : w->c.allowed;
    return ZILCH_OK;
}

/* The ends of a list are its own. */
static zilch_status filter_bounds(without *w, int *bounds)
{
    const zi_allowed *a = &w->c.allowed;
    for (size_t i = 0; i < w->c.dim; i++) {
        const int is_listed = a->step && zi_allowed_has(a, i) && a->step[i] == 0.0;
        w->bounds[i] = is_listed ? w->c.lower[i] : -INFINITY;
        w->bounds[w->c.dim + i] = is_listed ? w->c.upper[i] : INFINITY;
    }
    w->c.allowed.lower = w->c.lower = w->bounds;
    w->c.allowed.upper = w->c.upper = w->bounds + w->c.dim;
    return is_possible(w, bounds);
}

/* "1, 3 and 4"; a long list is cut. */
static void list_rows(const without *w, char *text, size_t size)
{
    enum { MOST = 12 };
    size_t count = 0;
    size_t done = 0;
    size_t length = 0;
    for (size_t r = 0; r < w->c.limits.rows; r++) {
        count += w->needed[r];
    }
    text[0] = 0;
    for (size_t r = 0; r < w->c.limits.rows && done < MOST; r++) {
        if (w->needed[r]) {
            done++;
            const char *before = done == 1 ? "" : done == count ? " and " : ", ";
            const int written = snprintf(text + length, size - length, "%s%zu", before, r + 1);
            length += written > 0 ? (size_t)written : 0;
        }
    }
    if (done < count) {
        snprintf(text + length, size - length, " and %zu more", count - done);
    }
}

static zilch_status explain(without *w)
{
    enum { BOUNDS, LEAST, MOST, STEPS, FORCED, REASONS };
    static const char *const name[REASONS] = {"the bounds", "min_active", "max_active", "the steps and lists",
                                              "what is forced"};
    int is_reason[REASONS];
    char rows[ZI_ERROR_NAME_SIZE * 2];
    char more[ZI_ERROR_NAME_SIZE * 2] = "";
    size_t count = 0;
    size_t length = 0;
    ZI_TRY(filter_rows(w));
    ZI_TRY(filter_counts(w, &is_reason[LEAST], &is_reason[MOST]));
    ZI_TRY(filter_forced(w, &is_reason[FORCED]));
    ZI_TRY(filter_steps(w, &is_reason[STEPS]));
    ZI_TRY(filter_bounds(w, &is_reason[BOUNDS]));
    list_rows(w, rows, sizeof rows);
    for (size_t r = 0; r < w->c.limits.rows; r++) {
        count += w->needed[r];
    }
    for (size_t k = 0; k < REASONS; k++) {
        if (is_reason[k]) {
            const char *before = length ? ", " : " together with ";
            const int written = snprintf(more + length, sizeof more - length, "%s%s", before, name[k]);
            length += written > 0 ? (size_t)written : 0;
        }
    }
    return zi_fail(ZILCH_EARG, "no point keeps limit%s %s%s; give one of them up or make it wider",
                   count == 1 ? "" : "s", rows, more);
}

zilch_status zi_feasibility_refuse(const zi_constraints *c)
{
    without w = {.c = *c};
    const size_t rows = c->limits.rows;
    zilch_status status = zi_alloc(&w.ends, 2 * rows);
    status = status == ZILCH_OK ? zi_alloc(&w.bounds, 2 * c->dim) : status;
    status = status == ZILCH_OK ? zi_alloc(&w.forced, c->units) : status;
    status = status == ZILCH_OK ? zi_alloc(&w.x, c->dim) : status;
    status = status == ZILCH_OK ? zi_alloc(&w.needed, rows) : status;
    if (status == ZILCH_OK) {
        memcpy(w.ends, c->limits.lower, 2 * rows * sizeof *w.ends);
        w.c.limits.lower = w.ends;
        w.c.limits.upper = w.ends + rows;
        status = explain(&w);
    }
    zi_free(w.ends);
    zi_free(w.bounds);
    zi_free(w.forced);
    zi_free(w.x);
    zi_free(w.needed);
    return status;
}
