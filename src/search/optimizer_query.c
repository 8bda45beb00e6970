/* What an optimiser knows, for others to read. */
#include "search/front.h"
#include "search/preview.h"

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

/* From the rows of a preview, as the user knows it. */
static zilch_status read_point(const zilch_optimizer *o, const zi_preview *preview, size_t point, double *x)
{
    double *genome;
    size_t row;
    const zi_rows *rows = zi_preview_rows(preview, point, &row);
    if (zi_rows_is_empty(rows, row)) {
        return zi_fail(ZILCH_ESTATE,
                       "archive: the coordinates of point %llu were dropped; archive_size is %llu",
                       (unsigned long long)point, (unsigned long long)o->options.archive_size);
    }
    ZI_TRY(zi_alloc(&genome, o->width));
    zi_rows_read(rows, row, genome);
    zi_optimizer_show(o, genome, x);
    zi_free(genome);
    return ZILCH_OK;
}

static zilch_record record_of(const zilch_optimizer *o, const zi_preview *preview, size_t point)
{
    zilch_record record = zi_preview_record(preview, point);
    record.error = isnan(record.value)
                       ? NAN
                       : zi_noise_deviation(&o->noise) / sqrt(preview->archive.entry[point].weight);
    return record;
}

static zilch_status look_at(const zilch_optimizer *o, const zi_preview *preview, uint64_t point, double *x,
                            zilch_record *out)
{
    if (point >= preview->archive.rows.count) {
        return zi_fail(ZILCH_EARG, "archive: there is no point %llu", (unsigned long long)point);
    }
    if (out) {
        *out = record_of(o, preview, (size_t)point);
    }
    return x ? read_point(o, preview, (size_t)point, x) : ZILCH_OK;
}

zilch_status zilch_optimizer_point(const zilch_optimizer *o, uint64_t point, double *x, zilch_record *out)
{
    zi_preview preview;
    if (!o) {
        return zi_fail(ZILCH_EARG, "archive: no optimizer given");
    }
    zilch_status status = zi_preview_make(&preview, o);
    status = status == ZILCH_OK ? look_at(o, &preview, point, x, out) : status;
    zi_preview_free(&preview);
    return status;
}

zilch_status zilch_optimizer_best(const zilch_optimizer *o, double *x, zilch_record *out)
{
    zi_preview preview;
    size_t best;
    if (!o) {
        return zi_fail(ZILCH_EARG, "best: no optimizer given");
    }
    zilch_status status = zi_preview_make(&preview, o);
    if (status == ZILCH_OK) {
        status = zi_archive_best(&preview.archive, &best)
                     ? look_at(o, &preview, best, x, out)
                     : zi_fail(ZILCH_ESTATE, "best: no evaluation has succeeded yet");
    }
    zi_preview_free(&preview);
    return status;
}

zilch_status zilch_optimizer_top(const zilch_optimizer *o, size_t capacity, zilch_record *out, size_t *count)
{
    zi_preview preview;
    size_t *best = NULL;
    if (!o || !count || (capacity && !out)) {
        return zi_fail(ZILCH_EARG, "top: optimizer and places for the result must be given");
    }
    *count = 0;
    zilch_status status = zi_preview_make(&preview, o);
    const size_t points = preview.archive.rows.count;
    const size_t most = capacity < points ? capacity : points;
    status = status == ZILCH_OK ? zi_alloc(&best, most) : status;
    if (status == ZILCH_OK) {
        *count = zi_archive_select(&preview.archive, 0, most, best);
        for (size_t i = 0; i < *count; i++) {
            out[i] = record_of(o, &preview, best[i]);
        }
    }
    zi_free(best);
    zi_preview_free(&preview);
    return status;
}

/* ---- The front ---------------------------------------------------------------------------------------- */

zilch_status zilch_optimizer_front(const zilch_optimizer *o, size_t capacity, zilch_record *out,
                                   size_t *count)
{
    zi_preview preview;
    size_t *point;
    size_t found;
    if (!o || !count || (capacity && !out)) {
        return zi_fail(ZILCH_EARG, "front: optimizer and places for the result must be given");
    }
    *count = 0;
    ZI_TRY(zi_alloc(&point, o->dim + 1));
    const zilch_status status = zi_preview_make(&preview, o);
    if (status == ZILCH_OK) {
        found = zi_front_find(&preview.archive, o->dim, point);
        *count = found < capacity ? found : capacity;
        for (size_t i = 0; i < *count; i++) {
            out[i] = record_of(o, &preview, point[i]);
        }
    }
    zi_preview_free(&preview);
    zi_free(point);
    return status;
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
