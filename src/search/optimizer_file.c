/* The optimiser as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchopt"
 *   u32       format version, 4; 3, which had fewer options, is read too
 *   u32       1 if the archive is in it, 0 if it is kept elsewhere
 *   u64       dim, seed
 *   options   (options_file.c)
 *   counters  u64 generations, evaluations, failures, foreign, improved, first_id, restarts;
 *             of the epoch u64 begin, improved, first_id; doubles least cost, the epoch's least cost;
 *             of the noise doubles squares, count, unit
 *   memory    u32 0: none, 1: without, 2: with correlations; doubles p, mu, sigma, ratio (dim each),
 *             correlations (2 dim x 2 dim), scale, best
 *   open      u64 slots, elites, again, handed; for each elite u64 point;
 *             for each slot u32 state, doubles value, error, its genome
 *   late      u64 count; for each u64 id, u32 state, doubles value, error, its genome
 *   news      u64 count, of the open generation; for each u64 id, u64 point, doubles value, weight
 *   archive   u64 count; if it is in it, for each doubles value, weight, u64 id,
 *             u32 evaluations, failures, is_ranked, its genome, of length 0 if it was forgotten, and then u32
 *             how many coordinates were active
 *   u64       CRC-64 of all before it
 *
 * A genome is u64 length and that many bytes (rows.h). */
#include "search/optimizer.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"
#include "search/options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'o', 'p', 't'};
enum { VERSION = 4, OLDEST = 3 };

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
    zi_write_u64(w, o->again);
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

static void write_late(zi_writer *w, const zi_late *late)
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

static void write_news(zi_writer *w, const zi_news *news)
{
    const size_t count = news->is_closed ? 0 : news->count;
    zi_write_u64(w, count);
    for (size_t i = 0; i < count; i++) {
        zi_write_u64(w, news->told[i].id);
        zi_write_u64(w, news->told[i].point);
        zi_write_double(w, news->told[i].value);
        zi_write_double(w, news->told[i].weight);
    }
}

static void write_archive(zi_writer *w, const zi_archive *a)
{
    for (size_t i = 0; i < a->rows.count; i++) {
        zi_write_double(w, a->worth[i].value);
        zi_write_double(w, a->worth[i].weight);
        zi_write_u64(w, a->worth[i].id);
        zi_write_u32(w, a->worth[i].evaluations);
        zi_write_u32(w, a->worth[i].failures);
        zi_write_u32(w, a->worth[i].is_ranked);
        write_row(w, &a->rows, i);
        if (zi_archive_is_forgotten(a, i)) {
            zi_write_u32(w, a->worth[i].active);
        }
    }
}

static void write_memory(zi_writer *w, size_t dim, const zi_memory *memory)
{
    zi_write_u32(w, !memory->p ? 0U : memory->correlation ? 2U : 1U);
    if (memory->p) {
        zi_write_doubles(w, memory->p, 4 * dim + (memory->correlation ? 4 * dim * dim : 0));
        zi_write_double(w, memory->scale);
        zi_write_double(w, memory->best);
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
    zi_write_bytes(&w, magic, sizeof magic);
    zi_write_u32(&w, VERSION);
    zi_write_u32(&w, (uint32_t)whole);
    zi_write_u64(&w, o->dim);
    zi_write_u64(&w, o->seed);
    ZI_TRY(zi_options_write(&w, o->dim, &o->options));
    write_counters(&w, o);
    write_memory(&w, o->dim, &o->memory);
    ZI_TRY(write_generation(&w, o));
    write_late(&w, &o->late);
    write_news(&w, &o->news);
    zi_write_u64(&w, o->archive.rows.count);
    if (whole) {
        write_archive(&w, &o->archive);
    }
    zi_write_checksum(&w);
    *length = w.length;
    return buffer && w.length > capacity
               ? zi_fail(ZILCH_EARG, "pack: needs %zu bytes, the buffer has %zu", w.length, capacity)
               : ZILCH_OK;
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
    const uint64_t again = zi_read_u64(r);
    const uint64_t handed = zi_read_u64(r);
    const size_t population = o->options.population;
    const size_t piece = again < population ? population - (size_t)again : 1;
    if (!fits(r, slots, 4 + 8 + 8 + 8 + zi_row_least(o->width)) || elites > o->options.elites ||
        again > elites || handed > slots || (slots && (slots < population || (slots - again) % piece)) ||
        (!slots && elites)) {
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
    o->again = (size_t)again;
    o->handed = (size_t)handed;
    return ZILCH_OK;
}

static zilch_status read_late(zi_reader *r, zilch_optimizer *o, double *row)
{
    zi_late *late = &o->late;
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

static zilch_status read_news(zi_reader *r, zilch_optimizer *o)
{
    zi_news *news = &o->news;
    const uint64_t count = zi_read_u64(r);
    if (!fits(r, count, 8 + 8 + 8 + 8)) {
        return damaged("the news");
    }
    ZI_TRY(zi_grow(&news->told, sizeof *news->told, 0, (size_t)count, &news->capacity));
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = zi_read_u64(r);
        const uint64_t point = zi_read_u64(r);
        const double value = zi_read_double(r);
        news->told[i] = (zi_told){id, (size_t)point, value, zi_read_double(r)};
    }
    news->count = (size_t)count;
    return ZILCH_OK;
}

/* Points of an archive that is there by now. */
static zilch_status check_points(const zilch_optimizer *o)
{
    for (size_t i = 0; i < o->news.count; i++) {
        if (o->news.told[i].point >= o->archive.rows.count || !is_weight(o->news.told[i].weight)) {
            return damaged("the news");
        }
    }
    for (size_t k = 0; k < o->elites; k++) {
        if (o->elite[k] >= o->archive.rows.count || !o->archive.worth[o->elite[k]].is_ranked) {
            return damaged("the elites");
        }
    }
    return ZILCH_OK;
}

static zilch_status add_point(zilch_optimizer *o, const double *genome)
{
    const size_t before = o->archive.rows.count;
    size_t point;
    const size_t active = zi_law_active(o->options.law, o->dim, genome);
    ZI_TRY(zi_archive_find(&o->archive, genome, active, &point));
    return point == before ? ZILCH_OK : damaged("a point is there twice");
}

static zilch_status add_forgotten(zilch_optimizer *o, uint64_t active)
{
    return o->options.remember && active <= o->dim ? zi_archive_add_forgotten(&o->archive, (size_t)active)
                                                   : damaged("a point is missing");
}

static zilch_status read_point(zi_reader *r, zilch_optimizer *o, double *row)
{
    zi_reader ahead = *r;
    if (zi_read_u64(&ahead) == 0 && ahead.ok) {
        *r = ahead;
        return add_forgotten(o, zi_read_u32(r));
    }
    ZI_TRY(read_row(r, o->width, row));
    return add_point(o, row);
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
        ZI_TRY(read_point(r, o, row));
        if (is_ranked && zi_archive_is_forgotten(&o->archive, (size_t)i)) {
            return damaged("the archive");
        }
        zi_worth *w = &o->archive.worth[i];
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

static int is_memory(size_t dim, const zi_memory *m)
{
    int is_right = m->scale >= 1.0 && isfinite(m->scale) && !isnan(m->best);
    for (size_t i = 0; i < dim; i++) {
        is_right &= m->p[i] >= 0.0 && m->p[i] <= 1.0 && isfinite(m->mu[i]) && m->sigma[i] >= 0.0 &&
                    isfinite(m->sigma[i]) && m->ratio[i] >= 0.0 && m->ratio[i] <= 1.0;
    }
    for (size_t i = 0; m->correlation && i < 4 * dim * dim; i++) {
        is_right &= m->correlation[i] >= -1.0 && m->correlation[i] <= 1.0;
    }
    return is_right;
}

static zilch_status read_memory(zi_reader *r, zilch_optimizer *o)
{
    const uint32_t kind = zi_read_u32(r);
    const size_t count = 4 * o->dim + (kind == 2 ? 4 * o->dim * o->dim : 0);
    if (kind > 2 || (kind && !fits(r, count, 8)) ||
        (kind == 2) != (o->options.refit.prior_correlation > 0.0 && kind)) {
        return damaged("the memory");
    }
    if (kind) {
        ZI_TRY(zi_memory_create(&o->memory, o->dim, kind == 2));
        zi_read_doubles(r, o->memory.p, count);
        o->memory.scale = zi_read_double(r);
        o->memory.best = zi_read_double(r);
    }
    return !kind || is_memory(o->dim, &o->memory) ? ZILCH_OK : damaged("the memory");
}

static zilch_status read_body(zi_reader *r, zilch_optimizer *o, int whole, double *row)
{
    ZI_TRY(read_counters(r, o));
    ZI_TRY(read_memory(r, o));
    ZI_TRY(read_generation(r, o));
    ZI_TRY(read_late(r, o, row));
    ZI_TRY(read_news(r, o));
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

static zilch_status read_header(zi_reader *r, int whole, uint32_t *version, size_t *dim, uint64_t *seed)
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
    const uint32_t found_whole = zi_read_u32(r);
    const uint64_t size = zi_read_u64(r);
    *seed = zi_read_u64(r);
    if (!r->ok || found_whole != (uint32_t)whole || size < 1 || size > ZI_MOST_DIM) {
        return damaged("its header");
    }
    *dim = (size_t)size;
    return ZILCH_OK;
}

static zilch_status create(zi_reader *r, uint32_t version, size_t dim, uint64_t seed, zilch_optimizer **out)
{
    zilch_optimizer_options options;
    zilch_status status = zi_options_read(r, version, dim, &options);
    if (status == ZILCH_OK && options.elites == 0) { /* an optimiser has chosen how many */
        status = damaged("its options");
    }
    if (status == ZILCH_OK) {
        status = zilch_optimizer_create(out, dim, seed, &options);
        status = status == ZILCH_EARG ? damaged("its options") : status;
    }
    zi_options_free(&options);
    return status;
}

static zilch_status unpack(zilch_optimizer **out, int whole, const void *buffer, size_t length)
{
    zi_reader r = {.data = buffer, .length = length, .ok = 1};
    uint32_t version = 0;
    size_t dim = 0;
    uint64_t seed = 0;
    double *row;
    zilch_optimizer *o = NULL;
    *out = NULL;
    if (!buffer) {
        return zi_fail(ZILCH_EARG, "unpack: no bytes given");
    }
    ZI_TRY(read_header(&r, whole, &version, &dim, &seed));
    ZI_TRY(create(&r, version, dim, seed, &o));
    assert(o);
    zilch_status status = zi_alloc(&row, o->width);
    if (status == ZILCH_OK) {
        status = read_body(&r, o, whole, row);
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

zilch_status zi_optimizer_restore_value(zilch_optimizer *o, const zi_told *told)
{
    if (told->point >= o->archive.rows.count || !is_weight(told->weight)) {
        return damaged("a value of no point, or without a weight");
    }
    zi_archive_put(&o->archive, told);
    return ZILCH_OK;
}

zilch_status zi_optimizer_restored(zilch_optimizer *o)
{
    if (o->archive.rows.count != o->restored_points) {
        return zi_fail(ZILCH_EFORMAT, "optimizer: %zu points were kept, but %zu are needed",
                       o->archive.rows.count, o->restored_points);
    }
    o->restored_points = SIZE_MAX;
    for (size_t point = 0; o->options.remember && point < o->archive.rows.count; point++) {
        o->archive.worth[point].is_ranked &= (uint32_t)!zi_archive_is_forgotten(&o->archive, point);
    }
    return check_points(o);
}

zilch_status zi_point_decode(zilch_law law, size_t dim, const unsigned char *bytes, size_t length, double *x)
{
    double *genome;
    const size_t width = zi_law_width(law, dim);
    ZI_TRY(zi_alloc(&genome, width));
    const zilch_status status = zi_row_decode(width, bytes, length, genome);
    if (status == ZILCH_OK) {
        zi_law_point(law, dim, genome, x);
    }
    zi_free(genome);
    return status;
}

/* ---- Files ------------------------------------------------------------------------------------ */

static zilch_status pack_any(const void *optimizer, void *buffer, size_t capacity, size_t *length)
{
    return zilch_optimizer_pack(optimizer, buffer, capacity, length);
}

static zilch_status unpack_any(void *out, const void *buffer, size_t length)
{
    return zilch_optimizer_unpack(out, buffer, length);
}

zilch_status zilch_optimizer_save(const zilch_optimizer *optimizer, const char *path)
{
    return zi_file_save(path, pack_any, optimizer);
}

zilch_status zilch_optimizer_load(zilch_optimizer **out, const char *path)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "load: no place for the optimizer given");
    }
    *out = NULL;
    return zi_file_load(path, unpack_any, out);
}
