/* What of an optimiser is in the making, as bytes: whose turn it is, the open generation, late points and new
 * evaluations. The layout is in the head of optimizer_file.c. Nothing that is read is trusted. */
#include "search/generation_file.h"

#include "base/memory.h"
#include "search/optimizer_options.h"
#include "search/turns.h"

#include <math.h>

/* ---- Genomes --------------------------------------------------------------------------- */

void zi_row_write(zi_writer *w, const zi_rows *rows, size_t index)
{
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(rows, index, &length);
    zi_write_u64(w, length);
    zi_write_bytes(w, bytes, length);
}

/* A genome into `row`. */
zilch_status zi_row_read(zi_reader *r, size_t width, double *row)
{
    const uint64_t length = zi_read_u64(r);
    if (!zi_read_fits(r, length, 1)) {
        return zi_optimizer_damaged("a point is cut off");
    }
    ZI_TRY(zi_row_decode(width, r->data + r->position, (size_t)length, row));
    r->position += (size_t)length;
    return ZILCH_OK;
}

/* ---- Whose turn it is ------------------------------------------------------------------ */

void zi_turns_write(zi_writer *w, const zi_turns *t)
{
    zi_write_u64(w, t->evaluations);
    zi_write_u64(w, t->starts);
    zi_write_u64(w, t->checked);
    zi_write_u64(w, t->improved);
    zi_write_double(w, t->share);
    zi_write_double(w, t->cost);
    zi_write_u32(w, t->refine ? 1U : 0U);
    if (t->refine) {
        zi_refine_write(t->refine, w);
    }
}

/* What zilch 0.1 wrote has none of it; it is taken to have found its best point just now. */
zilch_status zi_turns_read(zi_reader *r, uint32_t version, zilch_optimizer *o)
{
    zi_turns *t = &o->turns;
    if (version < 5) {
        t->improved = o->evaluations;
        return ZILCH_OK;
    }
    t->evaluations = zi_read_u64(r);
    t->starts = zi_read_u64(r);
    t->checked = zi_read_u64(r);
    t->improved = zi_read_u64(r);
    t->share = zi_read_double(r);
    t->cost = zi_read_double(r);
    const uint32_t has_refinement = zi_read_u32(r);
    if (!r->ok || t->evaluations > o->evaluations || t->starts / 16 > o->evaluations ||
        t->checked > o->evaluations || t->improved > o->evaluations || !(t->share >= 0.0 && t->share < 1.0) ||
        isnan(t->cost) || has_refinement != (t->refine != NULL)) {
        return zi_optimizer_damaged("whose turn it is");
    }
    if (has_refinement) {
        zi_refine *refine;
        ZI_TRY(zi_refine_read(&refine, &o->constraints, o->first.mu, o->first.sigma, zi_optimizer_penalty(o),
                              r));
        zi_refine_destroy(t->refine);
        t->refine = refine;
    }
    return ZILCH_OK;
}

/* ---- The open generation --------------------------------------------------------------- */

zilch_status zi_generation_write(zi_writer *w, const zilch_optimizer *o)
{
    zi_rows rows = {.width = o->width};
    zilch_status status = ZILCH_OK;
    zi_write_u64(w, o->slots);
    zi_write_u64(w, o->elites);
    zi_write_u64(w, o->reevaluated);
    zi_write_u64(w, o->handed);
    zi_write_u64(w, o->population);
    zi_write_u64(w, o->refined);
    for (size_t k = 0; k < o->elites; k++) {
        zi_write_u64(w, o->elite[k]);
    }
    for (size_t i = 0; i < o->slots && status == ZILCH_OK; i++) {
        zi_write_u32(w, o->slot[i].state);
        zi_write_double(w, o->slot[i].value);
        zi_write_double(w, o->slot[i].error);
        status = zi_rows_append(&rows, o->genome + i * o->width);
        if (status == ZILCH_OK) {
            zi_row_write(w, &rows, 0);
            zi_rows_take_back(&rows);
        }
    }
    zi_rows_free(&rows);
    return status;
}

static int is_error(double error)
{
    return isnan(error) || (error >= 0.0 && isfinite(error));
}

zilch_status zi_generation_read(zi_reader *r, uint32_t version, zilch_optimizer *o)
{
    const uint64_t slots = zi_read_u64(r);
    const uint64_t elites = zi_read_u64(r);
    const uint64_t reevaluated = zi_read_u64(r);
    const uint64_t handed = zi_read_u64(r);
    const uint64_t population = version >= 5 ? zi_read_u64(r) : slots ? o->options.population : 0;
    const uint64_t refined = version < 5 ? 0 : zi_read_u64(r);
    const uint64_t piece = reevaluated < population ? population - reevaluated : 1;
    const int is_new = reevaluated < population; /* or there is nothing new: the front is evaluated again */
    if (slots && !refined && !is_new && (elites || reevaluated != population)) {
        return zi_optimizer_damaged("the open generation");
    }
    if (slots && !o->turns.refine && is_new &&
        ((o->options.population && population != o->options.population) || (slots - reevaluated) % piece)) {
        return zi_optimizer_damaged("the open generation"); /* without refinement all pieces are whole */
    }
    if (!zi_read_fits(r, slots, 4 + 8 + 8 + 8 + zi_row_least(o->width)) ||
        elites > zi_most_elites(&o->options) || reevaluated > slots || handed > slots ||
        (slots && slots < population) || (!slots && (elites || refined || population)) || refined > slots ||
        (refined && (elites || !o->turns.refine || refined != population))) {
        return zi_optimizer_damaged("the open generation");
    }
    for (size_t k = 0; k < elites; k++) {
        o->elite[k] = (size_t)zi_read_u64(r);
    }
    ZI_TRY(zi_grow(&o->slot, sizeof *o->slot, 0, (size_t)slots, &o->slot_capacity));
    ZI_TRY(zi_grow(&o->genome, o->width * sizeof *o->genome, 0, (size_t)slots, &o->genome_capacity));
    for (size_t i = 0; i < slots; i++) {
        const uint32_t state = zi_read_u32(r);
        const double value = zi_read_double(r);
        const double error = zi_read_double(r);
        if (state > ZI_SLOT_TOLD || !is_error(error) || (state != ZI_SLOT_NEW) != (i < handed)) {
            return zi_optimizer_damaged("the open generation");
        }
        o->slot[i] = (zi_slot){.value = value, .error = error, .state = (zi_slot_state)state};
        o->told += state == ZI_SLOT_TOLD;
        ZI_TRY(zi_row_read(r, o->width, o->genome + i * o->width));
    }
    o->slots = (size_t)slots;
    o->elites = (size_t)elites;
    o->reevaluated = (size_t)reevaluated;
    o->handed = (size_t)handed;
    o->population = (size_t)population;
    o->refined = (size_t)refined;
    for (size_t i = 0; i < o->handed; i++) {
        o->slot[i].id = zi_slot_id(o, i);
    }
    return ZILCH_OK;
}

/* ---- Late points and new evaluations --------------------------------------------------- */

void zi_stragglers_write(zi_writer *w, const zi_stragglers *late)
{
    zi_write_u64(w, late->rows.count);
    for (size_t i = 0; i < late->rows.count; i++) {
        zi_write_u64(w, late->slot[i].id);
        zi_write_u32(w, late->slot[i].state);
        zi_write_double(w, late->slot[i].value);
        zi_write_double(w, late->slot[i].error);
        zi_row_write(w, &late->rows, i);
    }
}

zilch_status zi_stragglers_read(zi_reader *r, zilch_optimizer *o, double *row)
{
    zi_stragglers *late = &o->stragglers;
    const uint64_t count = zi_read_u64(r);
    if (!zi_read_fits(r, count, 8 + 4 + 8 + 8 + 8)) {
        return zi_optimizer_damaged("the late points");
    }
    ZI_TRY(zi_grow(&late->slot, sizeof *late->slot, 0, (size_t)count, &late->capacity));
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = zi_read_u64(r);
        const uint32_t state = zi_read_u32(r);
        const double value = zi_read_double(r);
        const double error = zi_read_double(r);
        const int is_foreign = id >= ZI_FOREIGN_ID && id - ZI_FOREIGN_ID < o->foreign;
        if ((state != ZI_SLOT_TOLD && (state != ZI_SLOT_ASKED || is_foreign)) || !is_error(error)) {
            return zi_optimizer_damaged("the late points");
        }
        const int is_impossible = id != zi_id_number(id) && !o->turns.refine;
        if ((zi_id_number(id) >= o->first_id && !is_foreign) ||
            is_impossible) { /* of the open one, or of none */
            return zi_optimizer_damaged("the late points");
        }
        late->slot[i] = (zi_slot){.id = id, .value = value, .error = error, .state = (zi_slot_state)state};
        ZI_TRY(zi_row_read(r, o->width, row));
        ZI_TRY(zi_rows_append(&late->rows, row));
    }
    return ZILCH_OK;
}

void zi_new_evaluations_write(zi_writer *w, const zi_new_evaluations *fresh)
{
    const size_t count = fresh->is_closed ? 0 : fresh->count;
    zi_write_u64(w, count);
    for (size_t i = 0; i < count; i++) {
        zi_write_u64(w, fresh->list[i].id);
        zi_write_u64(w, fresh->list[i].point);
        zi_write_double(w, fresh->list[i].value);
        zi_write_double(w, fresh->list[i].weight);
    }
}

zilch_status zi_new_evaluations_read(zi_reader *r, zilch_optimizer *o)
{
    zi_new_evaluations *fresh = &o->fresh;
    const uint64_t count = zi_read_u64(r);
    if (!zi_read_fits(r, count, 8 + 8 + 8 + 8)) {
        return zi_optimizer_damaged("the new evaluations");
    }
    ZI_TRY(zi_grow(&fresh->list, sizeof *fresh->list, 0, (size_t)count, &fresh->capacity));
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = zi_read_u64(r);
        const uint64_t point = zi_read_u64(r);
        const double value = zi_read_double(r);
        fresh->list[i] = (zi_evaluation){
            .id = id, .point = (size_t)point, .value = value, .error = NAN, .weight = zi_read_double(r)};
    }
    fresh->count = (size_t)count;
    return ZILCH_OK;
}

/* ---- Violations ------------------------------------------------------------------------ */

int zi_optimizer_has_violations(const zilch_optimizer *o)
{
    int is_found = o->violation > 0.0 || o->epoch.violation > 0.0 || o->turns.violation > 0.0 ||
                   (o->turns.refine && zi_refine_has_violations(o->turns.refine));
    for (size_t i = 0; i < o->slots; i++) {
        is_found |= o->slot[i].violation > 0.0;
    }
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        is_found |= o->stragglers.slot[i].violation > 0.0;
    }
    for (size_t i = 0; i < o->fresh.count && !o->fresh.is_closed; i++) {
        is_found |= o->fresh.list[i].violation > 0.0;
    }
    for (size_t i = 0; i < o->archive.rows.count && !is_found; i++) {
        is_found = o->archive.entry[i].violation > 0.0;
    }
    return is_found;
}

void zi_violations_write(zi_writer *w, const zilch_optimizer *o)
{
    zi_write_doubles(w, (const double[]){o->violation, o->epoch.violation, o->turns.violation}, 3);
    for (size_t i = 0; i < o->slots; i++) {
        zi_write_double(w, o->slot[i].violation);
    }
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        zi_write_double(w, o->stragglers.slot[i].violation);
    }
    for (size_t i = 0; i < o->fresh.count && !o->fresh.is_closed; i++) {
        zi_write_double(w, o->fresh.list[i].violation);
    }
    if (o->turns.refine) {
        zi_refine_write_violations(o->turns.refine, w);
    }
}

int zi_violation_read(zi_reader *r, double *out)
{
    *out = zi_read_double(r);
    return r->ok && *out >= 0.0 && isfinite(*out);
}

zilch_status zi_violations_read(zi_reader *r, zilch_optimizer *o)
{
    int is_good = zi_violation_read(r, &o->violation);
    is_good &= zi_violation_read(r, &o->epoch.violation);
    is_good &= zi_violation_read(r, &o->turns.violation);
    for (size_t i = 0; i < o->slots && is_good; i++) {
        is_good = zi_violation_read(r, &o->slot[i].violation);
    }
    for (size_t i = 0; i < o->stragglers.rows.count && is_good; i++) {
        is_good = zi_violation_read(r, &o->stragglers.slot[i].violation);
    }
    for (size_t i = 0; i < o->fresh.count && is_good; i++) {
        is_good = zi_violation_read(r, &o->fresh.list[i].violation);
    }
    is_good = is_good && (!o->turns.refine || zi_refine_read_violations(o->turns.refine, r));
    return is_good ? ZILCH_OK : zi_optimizer_damaged("the violations");
}
