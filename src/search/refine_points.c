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

uint32_t *zi_points_append(zi_points *p, size_t length, double value, double **entry)
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
    p->value[row] = value;
    p->violation[row] = 0.0;
    p->used += room;
    p->head += room;
    *entry = p->entry + p->begin[row];
    return p->coordinate + p->begin[row];
}

void zi_points_add(zi_points *p, const double *x, double value, double violation)
{
    size_t length = 0;
    double *entry;
    for (size_t i = 0; i < p->dim; i++) {
        length += x[i] != p->base[i];
    }
    uint32_t *coordinate = zi_points_append(p, length, value, &entry);
    p->violation[zi_points_row(p, 0)] = violation;
    for (size_t i = 0, k = 0; i < p->dim; i++) {
        if (x[i] != p->base[i]) {
            coordinate[k] = (uint32_t)i;
            entry[k++] = x[i];
        }
    }
}
