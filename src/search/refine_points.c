/* A ring of points. Entries are one behind the other in a piece of memory that is used round and round. A
 * point's entries are never split: where they do not fit before the end they begin at the start, which leaves
 * less than the length of one point unused. So there is room for that much more than what may be used, and
 * which points are forgotten does not depend on where they are. */
#include "search/refine_points.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* Entries: all points whole where there are few coordinates, a fixed amount of memory where there are many.
 */
static const size_t most_entries = 400000;

zilch_status zi_points_create(zi_points *p, size_t dim)
{
    const size_t least = dim < most_entries ? most_entries : dim;
    *p = (zi_points){.dim = dim, .capacity = dim < least / ZI_POINTS_MOST ? dim * ZI_POINTS_MOST : least};
    ZI_TRY(zi_alloc(&p->begin, ZI_POINTS_MOST));
    ZI_TRY(zi_alloc(&p->length, ZI_POINTS_MOST));
    ZI_TRY(zi_alloc(&p->number, ZI_POINTS_MOST));
    ZI_TRY(zi_alloc(&p->value, ZI_POINTS_MOST));
    ZI_TRY(zi_alloc(&p->violation, ZI_POINTS_MOST));
    ZI_TRY(zi_alloc(&p->coordinate, p->capacity + dim));
    ZI_TRY(zi_alloc(&p->entry, p->capacity + dim));
    ZI_TRY(zi_alloc(&p->base, dim));
    memset(p->base, 0, dim * sizeof *p->base);
    return ZILCH_OK;
}

void zi_points_free(zi_points *p)
{
    zi_free(p->begin);
    zi_free(p->length);
    zi_free(p->number);
    zi_free(p->value);
    zi_free(p->violation);
    zi_free(p->coordinate);
    zi_free(p->entry);
    zi_free(p->base);
    *p = (zi_points){0};
}

void zi_points_begin(zi_points *p, const double *base)
{
    memcpy(p->base, base, p->dim * sizeof *base);
    p->first = p->count = p->used = p->head = 0;
}

/* Room for a point that differs from the base in `length` coordinates; gives its row. */
static size_t append(zi_points *p, size_t length)
{
    const size_t room = length ? length : 1;
    assert(length <= p->dim);
    while (p->count == ZI_POINTS_MOST || p->used + room > p->capacity) {
        p->used -= p->length[p->first] ? p->length[p->first] : 1;
        p->first = (p->first + 1) % ZI_POINTS_MOST;
        p->count--;
    }
    if (p->head + room > p->capacity + p->dim) {
        p->head = 0;
    }
    const size_t row = (p->first + p->count++) % ZI_POINTS_MOST;
    p->begin[row] = p->head;
    p->length[row] = length;
    p->used += room;
    p->head += room;
    return row;
}

void zi_points_add(zi_points *p, const double *x, size_t number, double value, double violation)
{
    size_t length = 0;
    for (size_t i = 0; i < p->dim; i++) {
        length += x[i] != p->base[i];
    }
    const size_t row = append(p, length);
    p->number[row] = number;
    p->value[row] = value;
    p->violation[row] = violation;
    for (size_t i = 0, k = p->begin[row]; i < p->dim; i++) {
        if (x[i] != p->base[i]) {
            p->coordinate[k] = (uint32_t)i;
            p->entry[k++] = x[i] + 0.0; /* as the archive has it */
        }
    }
}

/* ---- From a file ---------------------------------------------------------------------------------- */

void zi_points_expect(zi_points *p, size_t number, double value)
{
    const size_t row = append(p, 0);
    p->number[row] = number;
    p->value[row] = value;
    p->violation[row] = 0.0;
}

typedef struct known { /* of a point whose coordinates are not */
    size_t number;
    double value, violation;
} known;

zilch_status zi_points_fill(zi_points *p, const zi_rows *archive)
{
    const size_t count = p->count;
    known *points;
    double *x;
    ZI_TRY(zi_alloc(&points, count ? count : 1));
    zilch_status status = zi_alloc(&x, p->dim);
    for (size_t age = count; age-- > 0 && status == ZILCH_OK;) {
        const size_t row = zi_points_row(p, age);
        points[age] = (known){p->number[row], p->value[row], p->violation[row]};
        if (points[age].number >= archive->count || zi_rows_is_empty(archive, points[age].number)) {
            status = zi_fail(ZILCH_EFORMAT, "the refinement has a point that the archive does not have");
        }
    }
    p->first = p->count = p->used = p->head = 0;
    for (size_t age = count; age-- > 0 && status == ZILCH_OK;) {
        zi_rows_read(archive, points[age].number, x);
        zi_points_add(p, x, points[age].number, points[age].value, points[age].violation);
    }
    zi_free(x);
    zi_free(points);
    return status;
}
