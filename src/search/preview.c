/* The archive's entries are copied, and the evaluations that were told since the last generation closed are
 * put into the copy, in the order in which the archive will take them if nothing else is told. That is as
 * many bytes as the archive has points; without such evaluations nothing is copied. */
#include "search/preview.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void zi_preview_free(zi_preview *preview)
{
    if (preview->is_own) {
        zi_free(preview->archive.entry);
    }
    zi_archive_free(&preview->fresh);
    *preview = (zi_preview){.is_own = 0};
}

static size_t known_points(const zi_preview *preview)
{
    return preview->archive.rows.count - preview->fresh.rows.count;
}

const zi_rows *zi_preview_rows(const zi_preview *preview, size_t point, size_t *row)
{
    const size_t known = known_points(preview);
    *row = point < known ? point : point - known;
    return point < known ? &preview->archive.rows : &preview->fresh.rows;
}

zilch_record zi_preview_record(const zi_preview *preview, size_t point)
{
    const zi_archive_entry *w = &preview->archive.entry[point];
    if (point < known_points(preview) || w->is_ranked) {
        return zi_archive_record(&preview->archive, point);
    }
    return (zilch_record){.point = point,
                          .value = NAN,
                          .fitness = NAN,
                          .active = w->active,
                          .evaluations = w->evaluations,
                          .failures = w->failures,
                          .violation = NAN};
}

/* ---- Making it ------------------------------------------------------------------------------------ */

/* Evaluations that wait for the archive. */
typedef struct waiting {
    const zilch_optimizer *optimizer;
    zi_archive *fresh;
    zi_evaluation *list;
    size_t count;
} waiting;

/* A point that is in neither archive becomes one of the fresh. */
static zilch_status add(waiting *w, const zi_slot *slot, const double *genome)
{
    const zilch_optimizer *o = w->optimizer;
    const zilch_method method = o->options.method;
    size_t point;
    int is_known;
    ZI_TRY(zi_archive_lookup(&o->archive, genome, &point, &is_known));
    if (!is_known) {
        ZI_TRY(zi_archive_find(w->fresh, genome, zi_law_active(method, o->dim, genome),
                               zi_law_penalties(method, o->dim, o->options.penalties, genome), &point));
        point += o->archive.rows.count;
    }
    w->list[w->count++] = (zi_evaluation){.id = slot->id,
                                          .point = point,
                                          .value = slot->value,
                                          .error = slot->error,
                                          .violation = slot->violation};
    return ZILCH_OK;
}

static zilch_status gather(waiting *w, double *genome)
{
    const zilch_optimizer *o = w->optimizer;
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        if (o->stragglers.slot[i].state == ZI_SLOT_TOLD) {
            zi_rows_read(&o->stragglers.rows, i, genome);
            ZI_TRY(add(w, &o->stragglers.slot[i], genome));
        }
    }
    for (size_t i = 0; i < o->handed; i++) {
        if (o->slot[i].state == ZI_SLOT_TOLD) {
            ZI_TRY(add(w, &o->slot[i], o->genome + i * o->width));
        }
    }
    return ZILCH_OK;
}

/* The copy takes them. What they say about noise is left to the archive. */
static zilch_status put(zi_preview *out, const waiting *w)
{
    const size_t known = w->optimizer->archive.rows.count;
    zi_noise noise = w->optimizer->noise;
    zi_archive_entry *entry;
    ZI_TRY(zi_alloc(&entry, known + out->fresh.rows.count));
    if (known) {
        memcpy(entry, out->archive.entry, known * sizeof *entry);
    }
    if (out->fresh.rows.count) {
        memcpy(entry + known, out->fresh.entry, out->fresh.rows.count * sizeof *entry);
    }
    out->archive.entry = entry;
    out->archive.rows.count = known + out->fresh.rows.count;
    out->is_own = 1;
    for (size_t i = 0; i < w->count; i++) {
        zi_evaluation e = w->list[i];
        e.weight = zi_noise_weigh(&noise, isfinite(e.value) ? e.error : NAN);
        zi_archive_put(&out->archive, &e);
    }
    return ZILCH_OK;
}

static size_t count_told(const zilch_optimizer *o)
{
    size_t told = o->told;
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        told += o->stragglers.slot[i].state == ZI_SLOT_TOLD;
    }
    return told;
}

zilch_status zi_preview_make(zi_preview *out, const zilch_optimizer *o)
{
    const size_t told = count_told(o);
    waiting w = {.optimizer = o, .fresh = &out->fresh};
    double *genome = NULL;
    *out = (zi_preview){.archive = o->archive, .fresh = {.rows.width = o->width}};
    if (told == 0) {
        return ZILCH_OK;
    }
    zilch_status status = zi_alloc(&w.list, told);
    status = status == ZILCH_OK ? zi_alloc(&genome, o->width) : status;
    status = status == ZILCH_OK ? gather(&w, genome) : status;
    status = status == ZILCH_OK ? put(out, &w) : status;
    zi_free(genome);
    zi_free(w.list);
    return status;
}
