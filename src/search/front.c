/* The front: the best point for each number of active coordinates. With noise a value of one evaluation is
 * the best of many, and lucky; so two standard errors are taken off, and the points may be evaluated again
 * until each has as many values as were asked for. One that was lucky falls behind another, which is then
 * evaluated again in its turn. Who is behind and who lacks what follows from the archive alone. */
#include "search/front.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>

/* best[k]: the point of k active coordinates with the best value, or SIZE_MAX. */
static void find_best_of_each(const zi_archive *a, size_t dim, size_t *best)
{
    const int is_feasible = a->best && !(a->entry[a->best - 1].violation > 0.0); /* are there any? */
    for (size_t k = 0; k <= dim; k++) {
        best[k] = SIZE_MAX;
    }
    for (size_t row = 0; row < a->rows.count; row++) {
        const zi_archive_entry *w = &a->entry[row];
        size_t *other = &best[w->active];
        if (!w->is_ranked || (is_feasible && w->violation > 0.0)) {
            continue;
        }
        if (*other == SIZE_MAX || zi_archive_careful_value(a, row) < zi_archive_careful_value(a, *other)) {
            *other = row;
        }
    }
}

size_t zi_front_find(const zi_archive *a, size_t dim, size_t *point)
{
    double least = INFINITY;
    size_t count = 0;
    find_best_of_each(a, dim, point);
    for (size_t k = 0; k <= dim; k++) {
        const double value = point[k] == SIZE_MAX ? INFINITY : zi_archive_careful_value(a, point[k]);
        if (value < least) {
            least = value;
            point[count++] = point[k];
        }
    }
    return count;
}

/* ---- Evaluating it again ------------------------------------------------------------------------------ */

static uint64_t lack_of(const zilch_optimizer *o, size_t point, uint64_t each)
{
    const uint64_t made = o->archive.entry[point].evaluations;
    return made < each ? each - made : 0;
}

/* To be freed. */
static zilch_status find(const zilch_optimizer *o, size_t **point, size_t *count)
{
    ZI_TRY(zi_alloc(point, o->dim + 1));
    *count = zi_front_find(&o->archive, o->dim, *point);
    return ZILCH_OK;
}

zilch_status zi_front_lack(const zilch_optimizer *o, uint64_t each, uint64_t *lack)
{
    size_t *point;
    size_t count;
    *lack = 0;
    if (each == 0 || !(zi_noise_deviation(&o->noise) > 0.0)) {
        return ZILCH_OK;
    }
    ZI_TRY(find(o, &point, &count));
    for (size_t i = 0; i < count; i++) {
        *lack += lack_of(o, point[i], each);
    }
    zi_free(point);
    return ZILCH_OK;
}

static zilch_status put_again(zilch_optimizer *o, size_t point, uint64_t times)
{
    ZI_TRY(zi_generation_reserve(o, o->slots + (size_t)times));
    for (uint64_t k = 0; k < times; k++) {
        zi_rows_read(&o->archive.rows, point, o->genome + o->slots * o->width);
        o->slot[o->slots++] = (zi_slot){.state = ZI_SLOT_NEW};
    }
    return ZILCH_OK;
}

zilch_status zi_front_open(zilch_optimizer *o, uint64_t each, uint64_t most)
{
    size_t *point;
    size_t count;
    zilch_status status = find(o, &point, &count);
    for (size_t i = 0; i < count && status == ZILCH_OK; i++) {
        const uint64_t lack = lack_of(o, point[i], each);
        const uint64_t made = o->archive.entry[point[i]].evaluations;
        const uint64_t left = most - o->slots;
        const uint64_t times = lack < made ? lack : made;
        status = put_again(o, point[i], times < left ? times : left);
    }
    zi_free(point);
    if (status != ZILCH_OK) {
        zi_generation_forget(o);
        return status;
    }
    assert(o->slots > 0);
    o->population = o->reevaluated = o->slots;
    return ZILCH_OK;
}

int zi_front_is_open(const zilch_optimizer *o)
{
    return o->slots && !o->refined && o->reevaluated == o->population;
}
