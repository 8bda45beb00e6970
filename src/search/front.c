/* The front: the best point for each number of active coordinates. With noise a value of one evaluation is
 * the best of many, and lucky; so two standard errors are taken off, and the points may be evaluated again
 * until each has as many values as were asked for. One that was lucky falls behind another, which is then
 * evaluated again in its turn. Who is behind and who lacks what follows from the archive alone. */
#include "search/front.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

/* ---- After the final check ----------------------------------------------------------------------------- */

/* The error is that of the mean; NaN if it is not known. */
static zilch_record record_of(const zilch_recommendation *r)
{
    return (zilch_record){.point = r->point,
                          .value = r->mean,
                          .fitness = r->fitness,
                          .active = r->active,
                          .evaluations = r->evaluations,
                          .failures = r->failures,
                          .violation = r->violation,
                          .error = r->evaluations > 1 ? r->deviation / sqrt((double)r->evaluations) : NAN};
}

/* With two standard errors taken off. */
static double careful_value(double sign, const zilch_record *r)
{
    return sign * r->value + (r->error > 0.0 ? 2.0 * r->error : 0.0);
}

/* In the place of those that have as many active coordinates or more, and are no better; its place, or
 * SIZE_MAX if nothing is put. */
static size_t put(zilch_record *front, size_t *count, const zilch_record *made, double sign)
{
    const double value = careful_value(sign, made);
    size_t at = 0;
    while (at < *count && front[at].active < made->active) {
        at++;
    }
    const int is_taken = at < *count && front[at].active == made->active;
    const int is_behind = (is_taken && careful_value(sign, &front[at]) <= value) ||
                          (at > 0 && careful_value(sign, &front[at - 1]) <= value);
    if (is_behind) {
        return SIZE_MAX;
    }
    size_t end = at;
    while (end < *count && careful_value(sign, &front[end]) >= value) {
        end++;
    }
    memmove(front + at + 1, front + end, (*count - end) * sizeof *front);
    *count = *count - end + at + 1;
    front[at] = *made;
    return at;
}

zilch_status zilch_optimizer_front_with(const zilch_optimizer *o, const zilch_recommendation *recommendation,
                                        size_t capacity, zilch_record *out, size_t *count,
                                        size_t *recommended)
{
    if (!o || !recommendation || !out || !count || !recommended || capacity < o->dim + 2) {
        return zi_fail(ZILCH_EARG, "front: optimizer, recommendation, room for dim + 2 points and places for "
                                   "their number and for the recommended one must be given");
    }
    *recommended = SIZE_MAX;
    ZI_TRY(zilch_optimizer_front(o, capacity, out, count));
    if (recommendation->pruned && recommendation->evaluations && !(recommendation->violation > 0.0)) {
        const zilch_record made = record_of(recommendation);
        const double sign = o->options.direction == ZILCH_MINIMIZE ? 1.0 : -1.0;
        *recommended = put(out, count, &made, sign);
    }
    return ZILCH_OK;
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
