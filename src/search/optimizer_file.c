/* The optimiser as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchopt"
 *   u32       format version, 5; 3 and 4, of zilch 0.1, are read too
 *   u32       1 if the archive is in it, 0 if it is kept elsewhere; 2 more if zilch 0.1 began the run
 *   u64       dim, seed
 *   options   (optimizer_options_file.c)
 *   counters  u64 generations, evaluations, failures, foreign, improved, first_id, restarts;
 *             of the epoch u64 begin, improved, first_id; doubles least cost, the epoch's least cost;
 *             of the noise doubles squares, count, unit
 *   law       u32 0: no state yet, 1: doubles p, mu, sigma, ratio (dim each), scale, best;
 *             version 4 could have 2: correlations (2 dim x 2 dim) before the scale
 *   open      u64 slots, elites, reevaluated, handed; for each elite u64 point;
 *             for each slot u32 state, doubles value, error, its genome
 *   late      u64 count, of points of earlier generations and foreign ones;
 *             for each u64 id, u32 state, doubles value, error, its genome
 *   new       u64 count of evaluations since the last generation closed;
 *             for each u64 id, u64 point, doubles value, weight
 *   archive   u64 count; if it is in it, for each doubles value, weight, u64 id,
 *             u32 evaluations, failures, is_ranked, its genome, of length 0 if it was forgotten,
 *             and then u32 how many coordinates were active
 *   u64       CRC-64 of all before it
 *
 * A genome is u64 length and that many bytes (sparse_rows.h). */
#include "search/optimizer.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"
#include "search/optimizer_options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'o', 'p', 't'};
enum { VERSION = 5, OLDEST = 3 };
enum { HAS_ARCHIVE = 1, IS_OLD = 2 };

/* ---- Writing ---------------------------------------------------------------------------------------- */

static void write_row(zi_writer *w, const zi_rows *rows, size_t index)
{
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(rows, index, &length);
    zi_write_u64(w, length);
    zi_write_bytes(w, bytes, length);
}

static zilch_status write_generation(zi_writer *w, const zilch_optimizer *o)
{
    zi_rows rows = {.width = o->width};
    zilch_status status = ZILCH_OK;
    zi_write_u64(w, o->slots);
    zi_write_u64(w, o->elites);
    zi_write_u64(w, o->reevaluated);
    zi_write_u64(w, o->handed);
    for (size_t k = 0; k < o->elites; k++) {
        zi_write_u64(w, o->elite[k]);
    }
    for (size_t i = 0; i < o->slots && status == ZILCH_OK; i++) {
        zi_write_u32(w, o->slot[i].state);
        zi_write_double(w, o->slot[i].value);
        zi_write_double(w, o->slot[i].error);
        status = zi_rows_append(&rows, o->genome + i * o->width);
        if (status == ZILCH_OK) {
            write_row(w, &rows, 0);
            zi_rows_take_back(&rows);
        }
    }
    zi_rows_free(&rows);
    return status;
}

static void write_stragglers(zi_writer *w, const zi_stragglers *late)
{
    zi_write_u64(w, late->rows.count);
    for (size_t i = 0; i < late->rows.count; i++) {
        zi_write_u64(w, late->slot[i].id);
        zi_write_u32(w, late->slot[i].state);
        zi_write_double(w, late->slot[i].value);
        zi_write_double(w, late->slot[i].error);
        write_row(w, &late->rows, i);
    }
}

static void write_new_evaluations(zi_writer *w, const zi_new_evaluations *fresh)
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

static void write_archive(zi_writer *w, const zi_archive *a)
{
    for (size_t i = 0; i < a->rows.count; i++) {
        zi_write_double(w, a->entry[i].value);
        zi_write_double(w, a->entry[i].weight);
        zi_write_u64(w, a->entry[i].id);
        zi_write_u32(w, a->entry[i].evaluations);
        zi_write_u32(w, a->entry[i].failures);
        zi_write_u32(w, a->entry[i].is_ranked);
        write_row(w, &a->rows, i);
        if (zi_archive_is_forgotten(a, i)) {
            zi_write_u32(w, a->entry[i].active);
        }
    }
}

static void write_counters(zi_writer *w, const zilch_optimizer *o)
{
    const uint64_t counter[] = {o->generations,    o->evaluations,   o->failures, o->foreign,
                                o->improved,       o->first_id,      o->restarts, o->epoch.begin,
                                o->epoch.improved, o->epoch.first_id};
    const double number[] = {o->least_cost, o->epoch.least_cost, o->noise.squares, o->noise.count,
                             o->noise.unit};
    for (size_t i = 0; i < sizeof counter / sizeof *counter; i++) {
        zi_write_u64(w, counter[i]);
    }
    zi_write_doubles(w, number, sizeof number / sizeof *number);
}

static zilch_status pack(const zilch_optimizer *o, int whole, void *buffer, size_t capacity, size_t *length)
{
    zi_writer w = {.data = buffer, .capacity = capacity};
    if (o->gone) {
        return zi_fail(ZILCH_EVERSION,
                       "pack: this run uses the option %s of zilch 0.1, which there is no longer", o->gone);
    }
    zi_write_bytes(&w, magic, sizeof magic);
    zi_write_u32(&w, VERSION);
    zi_write_u32(&w, (whole ? HAS_ARCHIVE : 0U) | (o->is_old ? IS_OLD : 0U));
    zi_write_u64(&w, o->dim);
    zi_write_u64(&w, o->seed);
    ZI_TRY(zi_optimizer_options_write(&w, o->dim, &o->options));
    write_counters(&w, o);
    zi_write_u32(&w, o->law_state.p ? 1U : 0U);
    if (o->law_state.p) {
        zi_write_doubles(&w, o->law_state.p, 4 * o->dim);
        zi_write_double(&w, o->law_state.scale);
        zi_write_double(&w, o->law_state.best);
    }
    ZI_TRY(write_generation(&w, o));
    write_stragglers(&w, &o->stragglers);
    write_new_evaluations(&w, &o->fresh);
    zi_write_u64(&w, o->restored_points == SIZE_MAX ? o->archive.rows.count : o->restored_points);
    if (whole) {
        write_archive(&w, &o->archive);
    }
    return zi_write_end(&w, length);
}

zilch_status zilch_optimizer_pack(const zilch_optimizer *o, void *buffer, size_t capacity, size_t *length)
{
    if (!o || !length) {
        return zi_fail(ZILCH_EARG, "pack: optimizer and place for the length must be given");
    }
    return pack(o, 1, buffer, capacity, length);
}

zilch_status zi_optimizer_pack_state(const zilch_optimizer *o, void *buffer, size_t capacity, size_t *length)
{
    return pack(o, 0, buffer, capacity, length);
}

/* ---- Reading: nothing is trusted -------------------------------------------------------------- */

static zilch_status damaged(const char *what)
{
    return zi_fail(ZILCH_EFORMAT, "optimizer: damaged: %s", what);
}

/* Whether so many things of at least `size` bytes can still be there. */
static int fits(const zi_reader *r, uint64_t count, size_t size)
{
    return r->ok && count <= (r->length - r->position) / size;
}

static int is_error(double error)
{
    return isnan(error) || (error >= 0.0 && isfinite(error));
}

static int is_weight(double weight)
{
    return weight > 0.0 && isfinite(weight);
}

/* A genome into `row`. */
static zilch_status read_row(zi_reader *r, size_t width, double *row)
{
    const uint64_t length = zi_read_u64(r);
    if (!fits(r, length, 1)) {
        return damaged("a point is cut off");
    }
    ZI_TRY(zi_row_decode(width, r->data + r->position, (size_t)length, row));
    r->position += (size_t)length;
    return ZILCH_OK;
}

static zilch_status read_generation(zi_reader *r, zilch_optimizer *o)
{
    const uint64_t slots = zi_read_u64(r);
    const uint64_t elites = zi_read_u64(r);
    const uint64_t reevaluated = zi_read_u64(r);
    const uint64_t handed = zi_read_u64(r);
    const size_t population = (size_t)o->options.population;
    const size_t piece = reevaluated < population ? population - (size_t)reevaluated : 1;
    if (!fits(r, slots, 4 + 8 + 8 + 8 + zi_row_least(o->width)) || elites > o->options.elites ||
        reevaluated > elites || handed > slots ||
        (slots && (slots < population || (slots - reevaluated) % piece)) || (!slots && elites)) {
        return damaged("the open generation");
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
            return damaged("the open generation");
        }
        o->slot[i] =
            (zi_slot){.id = o->first_id + i, .value = value, .error = error, .state = (zi_slot_state)state};
        o->told += state == ZI_SLOT_TOLD;
        ZI_TRY(read_row(r, o->width, o->genome + i * o->width));
    }
    o->slots = (size_t)slots;
    o->elites = (size_t)elites;
    o->reevaluated = (size_t)reevaluated;
    o->handed = (size_t)handed;
    return ZILCH_OK;
}

static zilch_status read_stragglers(zi_reader *r, zilch_optimizer *o, double *row)
{
    zi_stragglers *late = &o->stragglers;
    const uint64_t count = zi_read_u64(r);
    if (!fits(r, count, 8 + 4 + 8 + 8 + 8)) {
        return damaged("the late points");
    }
    ZI_TRY(zi_grow(&late->slot, sizeof *late->slot, 0, (size_t)count, &late->capacity));
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = zi_read_u64(r);
        const uint32_t state = zi_read_u32(r);
        const double value = zi_read_double(r);
        const double error = zi_read_double(r);
        const int is_foreign = id >= ZI_FOREIGN_ID && id - ZI_FOREIGN_ID < o->foreign;
        if ((state != ZI_SLOT_TOLD && (state != ZI_SLOT_ASKED || is_foreign)) || !is_error(error)) {
            return damaged("the late points");
        }
        if (id >= o->first_id && !is_foreign) { /* of the open generation, or of none */
            return damaged("the late points");
        }
        late->slot[i] = (zi_slot){.id = id, .value = value, .error = error, .state = (zi_slot_state)state};
        ZI_TRY(read_row(r, o->width, row));
        ZI_TRY(zi_rows_append(&late->rows, row));
    }
    return ZILCH_OK;
}

static zilch_status read_new_evaluations(zi_reader *r, zilch_optimizer *o)
{
    zi_new_evaluations *fresh = &o->fresh;
    const uint64_t count = zi_read_u64(r);
    if (!fits(r, count, 8 + 8 + 8 + 8)) {
        return damaged("the new evaluations");
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

/* Points of an archive that is there by now. */
static zilch_status check_points(const zilch_optimizer *o)
{
    for (size_t i = 0; i < o->fresh.count; i++) {
        if (o->fresh.list[i].point >= o->archive.rows.count || !is_weight(o->fresh.list[i].weight)) {
            return damaged("the new evaluations");
        }
    }
    for (size_t k = 0; k < o->elites; k++) {
        if (o->elite[k] >= o->archive.rows.count || !o->archive.entry[o->elite[k]].is_ranked) {
            return damaged("the elites");
        }
    }
    return ZILCH_OK;
}

static zilch_status add_point(zilch_optimizer *o, const double *genome)
{
    const size_t before = o->archive.rows.count;
    size_t point;
    const size_t active = zi_law_active(o->options.method, o->dim, genome);
    ZI_TRY(zi_archive_find(&o->archive, genome, active, &point));
    return point == before ? ZILCH_OK : damaged("a point is there twice");
}

static zilch_status add_forgotten(zilch_optimizer *o, uint64_t active)
{
    return o->options.archive_size && active <= o->dim ? zi_archive_add_forgotten(&o->archive, (size_t)active)
                                                       : damaged("a point is missing");
}

static zilch_status read_archive(zi_reader *r, zilch_optimizer *o, uint64_t points, double *row)
{
    for (uint64_t i = 0; i < points; i++) {
        const double value = zi_read_double(r);
        const double weight = zi_read_double(r);
        const uint64_t id = zi_read_u64(r);
        const uint32_t evaluations = zi_read_u32(r);
        const uint32_t failures = zi_read_u32(r);
        const uint32_t is_ranked = zi_read_u32(r);
        if (!r->ok || failures > evaluations || evaluations > UINT32_MAX / 2 || is_ranked > 1 ||
            (is_ranked && !(isfinite(value) && is_weight(weight)))) {
            return damaged("the archive");
        }
        zi_reader ahead = *r;
        if (zi_read_u64(&ahead) == 0 && ahead.ok) {
            *r = ahead;
            ZI_TRY(add_forgotten(o, zi_read_u32(r)));
        } else {
            ZI_TRY(read_row(r, o->width, row));
            ZI_TRY(add_point(o, row));
        }
        if (is_ranked && zi_archive_is_forgotten(&o->archive, (size_t)i)) {
            return damaged("the archive");
        }
        zi_archive_entry *w = &o->archive.entry[i];
        w->value = value;
        w->weight = weight;
        w->id = id;
        w->evaluations = evaluations;
        w->failures = failures;
        w->is_ranked = is_ranked;
    }
    return check_points(o);
}

static zilch_status read_counters(zi_reader *r, zilch_optimizer *o)
{
    uint64_t *const counter[] = {&o->generations,    &o->evaluations,   &o->failures, &o->foreign,
                                 &o->improved,       &o->first_id,      &o->restarts, &o->epoch.begin,
                                 &o->epoch.improved, &o->epoch.first_id};
    double *const number[] = {&o->least_cost, &o->epoch.least_cost, &o->noise.squares, &o->noise.count,
                              &o->noise.unit};
    const uint64_t most = ZI_FOREIGN_ID / 4;
    int is_right = 1;
    for (size_t i = 0; i < sizeof counter / sizeof *counter; i++) {
        *counter[i] = zi_read_u64(r);
        is_right &= *counter[i] <= most;
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        *number[i] = zi_read_double(r);
        is_right &= !isnan(*number[i]);
    }
    is_right &= o->failures <= o->evaluations && o->improved <= o->generations &&
                o->epoch.first_id <= o->first_id && o->epoch.begin <= o->epoch.improved &&
                o->epoch.improved <= o->generations && o->noise.squares >= 0.0 && o->noise.count >= 0.0 &&
                o->noise.unit >= 0.0;
    return is_right ? ZILCH_OK : damaged("the counters");
}

static zilch_status read_law_state(zi_reader *r, uint32_t version, zilch_optimizer *o)
{
    const uint32_t kind = zi_read_u32(r);
    const size_t correlations = kind == 2 ? 4 * o->dim * o->dim : 0;
    if (kind > (version < 5 ? 2 : 1) || (kind && !fits(r, 4 * o->dim + correlations, 8))) {
        return damaged("the law's state");
    }
    if (kind) {
        ZI_TRY(zi_law_state_create(&o->law_state, o->dim));
        zi_read_doubles(r, o->law_state.p, 4 * o->dim);
        r->position += 8 * correlations; /* which nothing follows from any more */
        o->law_state.scale = zi_read_double(r);
        o->law_state.best = zi_read_double(r);
    }
    const zi_law_state *m = &o->law_state;
    int is_right = !kind || (m->scale >= 1.0 && isfinite(m->scale) && !isnan(m->best));
    for (size_t i = 0; kind && i < o->dim; i++) {
        is_right &= m->p[i] >= 0.0 && m->p[i] <= 1.0 && isfinite(m->mu[i]) && m->sigma[i] >= 0.0 &&
                    isfinite(m->sigma[i]) && m->ratio[i] >= 0.0 && m->ratio[i] <= 1.0;
    }
    return is_right ? ZILCH_OK : damaged("the law's state");
}

static zilch_status read_body(zi_reader *r, uint32_t version, zilch_optimizer *o, int whole, double *row)
{
    ZI_TRY(read_counters(r, o));
    ZI_TRY(read_law_state(r, version, o));
    ZI_TRY(read_generation(r, o));
    ZI_TRY(read_stragglers(r, o, row));
    ZI_TRY(read_new_evaluations(r, o));
    const uint64_t points = zi_read_u64(r);
    if (points > UINT32_MAX / 4 || (whole && !fits(r, points, 3 * 8 + 3 * 4 + 8))) {
        return damaged("the archive");
    }
    if (whole) {
        ZI_TRY(read_archive(r, o, points, row));
    } else {
        o->restored_points = (size_t)points;
    }
    if (!zi_read_checksum(r)) {
        return damaged("the checksum is wrong");
    }
    return r->ok && r->position == r->length ? ZILCH_OK : damaged("it is too long or too short");
}

static zilch_status read_header(zi_reader *r, int whole, uint32_t *version, int *is_old, size_t *dim,
                                uint64_t *seed)
{
    char found[sizeof magic];
    zi_read_bytes(r, found, sizeof found);
    if (!r->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "optimizer: this is not a zilch optimizer");
    }
    *version = zi_read_u32(r);
    if (r->ok && (*version < OLDEST || *version > VERSION)) {
        return zi_fail(ZILCH_EVERSION, "optimizer: format version %u, this library reads versions %d to %d",
                       *version, OLDEST, VERSION);
    }
    const uint32_t flags = zi_read_u32(r);
    *is_old = *version < 5 || flags & IS_OLD;
    const uint64_t size = zi_read_u64(r);
    *seed = zi_read_u64(r);
    if (!r->ok || flags >= 2 * IS_OLD || (flags & HAS_ARCHIVE) != (uint32_t)whole || size < 1 ||
        size > ZI_MOST_DIM) {
        return damaged("its header");
    }
    *dim = (size_t)size;
    return ZILCH_OK;
}

static zilch_status create(zi_reader *r, uint32_t version, size_t dim, uint64_t seed, zilch_optimizer **out)
{
    zilch_optimizer_options options;
    const char *gone;
    zilch_status status = zi_optimizer_options_read(r, version, dim, &options, &gone);
    if (status == ZILCH_OK && options.elites == 0) { /* an optimiser has chosen how many */
        status = damaged("its options");
    }
    if (status == ZILCH_OK) {
        status = zilch_optimizer_create(out, dim, seed, &options);
        status = status == ZILCH_EARG ? damaged("its options") : status;
    }
    if (status == ZILCH_OK) {
        (*out)->gone = gone;
    }
    zi_optimizer_options_free(&options);
    return status;
}

static zilch_status unpack(zilch_optimizer **out, int whole, const void *buffer, size_t length)
{
    zi_reader r = {.data = buffer, .length = length, .ok = 1};
    uint32_t version = 0;
    int is_old = 0;
    size_t dim = 0;
    uint64_t seed = 0;
    double *row;
    zilch_optimizer *o = NULL;
    *out = NULL;
    if (!buffer) {
        return zi_fail(ZILCH_EARG, "unpack: no bytes given");
    }
    ZI_TRY(read_header(&r, whole, &version, &is_old, &dim, &seed));
    ZI_TRY(create(&r, version, dim, seed, &o));
    assert(o);
    if (is_old) {
        zi_optimizer_take_old(o);
    }
    zilch_status status = zi_alloc(&row, o->width);
    if (status == ZILCH_OK) {
        status = read_body(&r, version, o, whole, row);
        zi_free(row);
    }
    if (status != ZILCH_OK) {
        zilch_optimizer_destroy(o);
        return status;
    }
    *out = o;
    return ZILCH_OK;
}

zilch_status zilch_optimizer_unpack(zilch_optimizer **out, const void *buffer, size_t length)
{
    return out ? unpack(out, 1, buffer, length)
               : zi_fail(ZILCH_EARG, "unpack: no place for the optimizer given");
}

/* ---- From parts: the store's --------------------------------------------------------------------------- */

zilch_status zi_optimizer_unpack_state(zilch_optimizer **out, const void *buffer, size_t length)
{
    return unpack(out, 0, buffer, length);
}

zilch_status zi_optimizer_restore_point(zilch_optimizer *o, const unsigned char *bytes, size_t length,
                                        uint64_t active)
{
    double *row;
    if (length == 0) {
        return add_forgotten(o, active);
    }
    ZI_TRY(zi_alloc(&row, o->width));
    zilch_status status = zi_row_decode(o->width, bytes, length, row);
    status = status == ZILCH_OK ? add_point(o, row) : status;
    zi_free(row);
    return status;
}

zilch_status zi_optimizer_restore_value(zilch_optimizer *o, const zi_evaluation *evaluation)
{
    if (evaluation->point >= o->archive.rows.count || !is_weight(evaluation->weight)) {
        return damaged("a value of no point, or without a weight");
    }
    zi_archive_put(&o->archive, evaluation);
    return ZILCH_OK;
}

zilch_status zi_optimizer_restored(zilch_optimizer *o)
{
    if (o->archive.rows.count != o->restored_points) {
        return zi_fail(ZILCH_EFORMAT, "optimizer: %zu points were kept, but %zu are needed",
                       o->archive.rows.count, o->restored_points);
    }
    o->restored_points = SIZE_MAX;
    for (size_t point = 0; o->options.archive_size && point < o->archive.rows.count; point++) {
        o->archive.entry[point].is_ranked &= (uint32_t)!zi_archive_is_forgotten(&o->archive, point);
    }
    return check_points(o);
}

zilch_status zi_point_decode(zilch_method method, size_t dim, const unsigned char *bytes, size_t length,
                             double *x)
{
    double *genome;
    const size_t width = zi_law_width(method, dim);
    ZI_TRY(zi_alloc(&genome, width));
    const zilch_status status = zi_row_decode(width, bytes, length, genome);
    if (status == ZILCH_OK) {
        zi_law_point(method, dim, genome, x);
    }
    zi_free(genome);
    return status;
}

ZI_DEFINE_FILES(optimizer)
