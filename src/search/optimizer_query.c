/* What an optimiser knows, for others to read. */
#include "search/optimizer.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

size_t zilch_optimizer_dim(const zilch_optimizer *o)
{
    return o->dim;
}

uint64_t zilch_optimizer_seed(const zilch_optimizer *o)
{
    return o->seed;
}

const zilch_optimizer_options *zilch_optimizer_settings(const zilch_optimizer *o)
{
    return &o->options;
}

zilch_progress zilch_optimizer_progress(const zilch_optimizer *o)
{
    zilch_progress progress = {.generations = o->generations,
                               .evaluations = o->evaluations,
                               .failures = o->failures,
                               .foreign = o->foreign,
                               .points = o->archive.rows.count,
                               .improved = o->improved,
                               .restarts = o->restarts,
                               .noise = zi_noise_deviation(&o->noise),
                               .scale = o->law_state.scale,
                               .waiting = o->handed - o->told,
                               .best_value = NAN,
                               .best_fitness = NAN,
                               .best_violation = NAN};
    size_t best;
    if (zi_archive_best(&o->archive, &best)) {
        const zilch_record record = zi_archive_record(&o->archive, best);
        progress.best_value = record.value;
        progress.best_fitness = record.fitness;
        progress.best_active = record.active;
        progress.best_violation = record.violation;
    }
    return progress;
}

uint64_t zi_optimizer_budgeted(const zilch_optimizer *o)
{
    return o->evaluations - o->foreign;
}

const zi_evaluation *zi_optimizer_new_evaluations(const zilch_optimizer *o, size_t *count)
{
    *count = o->fresh.count;
    return o->fresh.list;
}

/* ---- The archive ---------------------------------------------------------------------------------- */

void zi_optimizer_show(const zilch_optimizer *o, const double *genome, double *x)
{
    zi_law_point(o->options.method, o->dim, genome, x);
    zi_allowed_values(&o->constraints.allowed, x);
}

zilch_status zi_optimizer_read(const zilch_optimizer *o, size_t point, double *x)
{
    double *genome;
    ZI_TRY(zi_alloc(&genome, o->width));
    zi_rows_read(&o->archive.rows, point, genome);
    zi_law_point(o->options.method, o->dim, genome, x);
    zi_free(genome);
    return ZILCH_OK;
}

zilch_status zilch_optimizer_point(const zilch_optimizer *o, uint64_t point, double *x, zilch_record *out)
{
    if (!o || point >= o->archive.rows.count) {
        return zi_fail(ZILCH_EARG, "archive: there is no point %llu", (unsigned long long)point);
    }
    if (out) {
        *out = zi_archive_record(&o->archive, (size_t)point);
    }
    if (x && zi_archive_is_forgotten(&o->archive, (size_t)point)) {
        return zi_fail(ZILCH_ESTATE,
                       "archive: the coordinates of point %llu were dropped; archive_size is %llu",
                       (unsigned long long)point, (unsigned long long)o->options.archive_size);
    }
    if (x) {
        ZI_TRY(zi_optimizer_read(o, (size_t)point, x));
        zi_allowed_values(&o->constraints.allowed, x);
    }
    return ZILCH_OK;
}

zilch_status zilch_optimizer_best(const zilch_optimizer *o, double *x, zilch_record *out)
{
    size_t best;
    if (!o) {
        return zi_fail(ZILCH_EARG, "best: no optimizer given");
    }
    if (!zi_archive_best(&o->archive, &best)) {
        return zi_fail(ZILCH_ESTATE, "best: no evaluation has succeeded yet");
    }
    return zilch_optimizer_point(o, best, x, out);
}

zilch_status zilch_optimizer_top(const zilch_optimizer *o, size_t capacity, zilch_record *out, size_t *count)
{
    size_t *best;
    if (!o || !count || (capacity && !out)) {
        return zi_fail(ZILCH_EARG, "top: optimizer and places for the result must be given");
    }
    const size_t most = capacity < o->archive.rows.count ? capacity : o->archive.rows.count;
    ZI_TRY(zi_alloc(&best, most));
    *count = zi_archive_select(&o->archive, 0, most, best);
    for (size_t i = 0; i < *count; i++) {
        out[i] = zi_archive_record(&o->archive, best[i]);
    }
    zi_free(best);
    return ZILCH_OK;
}

/* ---- The front ---------------------------------------------------------------------------------------- */

zilch_status zilch_optimizer_front(const zilch_optimizer *o, size_t capacity, zilch_record *out,
                                   size_t *count)
{
    size_t *best; /* best[k]: the point of k active coordinates with the best value, or SIZE_MAX */
    if (!o || !count || (capacity && !out)) {
        return zi_fail(ZILCH_EARG, "front: optimizer and places for the result must be given");
    }
    *count = 0;
    ZI_TRY(zi_alloc(&best, o->dim + 1));
    const zi_archive *a = &o->archive;
    const int is_feasible = a->best && !(a->entry[a->best - 1].violation > 0.0); /* are there any? */
    for (size_t k = 0; k <= o->dim; k++) {
        best[k] = SIZE_MAX;
    }
    for (size_t row = 0; row < a->rows.count; row++) {
        const zi_archive_entry *w = &a->entry[row];
        size_t *other = &best[w->active];
        if (is_feasible && w->violation > 0.0) {
            continue;
        }
        if (w->is_ranked && (*other == SIZE_MAX || a->sign * w->value < a->sign * a->entry[*other].value)) {
            *other = row;
        }
    }
    double least = INFINITY;
    for (size_t k = 0; k <= o->dim; k++) {
        const double cost = best[k] == SIZE_MAX ? INFINITY : a->sign * a->entry[best[k]].value;
        if (cost < least) {
            least = cost;
            if (*count < capacity) {
                out[(*count)++] = zi_archive_record(a, best[k]);
            }
        }
    }
    zi_free(best);
    return ZILCH_OK;
}

/* ---- For the tests ---------------------------------------------------------------------------- */

static int archive_is_valid(const zilch_optimizer *o)
{
    const zi_archive *a = &o->archive;
    size_t used = 0;
    size_t forgotten = 0;
    for (size_t i = 0; i < a->slots; i++) {
        used += a->slot[i] != 0;
        if (a->slot[i] > a->rows.count) {
            return 0;
        }
    }
    for (size_t row = 0; row < a->rows.count; row++) {
        const zi_archive_entry *w = &a->entry[row];
        forgotten += (size_t)zi_archive_is_forgotten(a, row);
        if (w->failures > w->evaluations || w->active > o->dim ||
            (w->is_ranked && !(isfinite(w->value) && w->weight > 0.0)) ||
            !(w->violation >= 0.0 && isfinite(w->violation))) {
            return 0;
        }
    }
    return used + forgotten == a->rows.count && (!forgotten || (size_t)o->options.archive_size);
}

static int generation_is_valid(const zilch_optimizer *o)
{
    size_t told = 0;
    for (size_t i = 0; i < o->slots; i++) {
        const int was_handed = i < o->handed;
        if ((o->slot[i].state != ZI_SLOT_NEW) != was_handed) {
            return 0;
        }
        told += o->slot[i].state == ZI_SLOT_TOLD;
    }
    return told == o->told && o->handed <= o->slots && o->reevaluated <= o->slots &&
           (!o->options.elites || o->elites <= o->options.elites) && o->slots <= o->slot_capacity &&
           o->slots <= o->genome_capacity && (o->slots == 0 || o->slots >= o->population) &&
           o->refined <= o->slots;
}

int zi_optimizer_is_valid(const zilch_optimizer *o)
{
    return archive_is_valid(o) && generation_is_valid(o) && o->failures <= o->evaluations &&
           o->improved <= o->generations && o->stragglers.rows.count <= o->stragglers.capacity &&
           o->fresh.count <= o->fresh.capacity;
}
