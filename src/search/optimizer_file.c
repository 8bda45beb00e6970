/* The optimiser as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchopt"
 *   u32       format version, 1
 *   u32       1 if the archive is in it, 0 if it is kept elsewhere
 *   u64       dim, seed
 *   options   u32 law, direction, archive, inverter, shrinkage, projection
 *             u64 population, elites, active_least, active_most
 *             doubles share, price, initial_p, initial_mu, initial_sigma, sigma_floor
 *             u32 which arrays there are (1 forced, 2 group, 4 lower, 8 upper), and these
 *             u64 length of the packed networks (0: none), and these
 *   counters  u64 generations, evaluations, failures, foreign, improved, first_id; double least cost
 *   open      u64 slots, elites, handed; for each slot u32 state, double value, its genome
 *   late      u64 count; for each u64 id, u32 state, double value, its genome
 *   news      u64 count, of the open generation; for each u64 id, u64 point, double value
 *   archive   u64 count; if it is in it, for each double value, u32 evaluations, failures, is_ranked, its
 *             genome
 *   u64       CRC-64 of all before it
 *
 * A genome is u64 length and that many bytes (rows.h). */
#include "search/optimizer.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'o', 'p', 't'};
enum { VERSION = 1 };
enum { HAS_FORCED = 1, HAS_GROUP = 2, HAS_LOWER = 4, HAS_UPPER = 8 };

/* ---- Writing ---------------------------------------------------------------------------------------- */

static void write_arrays(zi_writer *w, size_t dim, const zilch_optimizer_options *o)
{
    zi_write_u32(w, (o->forced ? HAS_FORCED : 0U) | (o->group ? HAS_GROUP : 0U) |
                        (o->lower ? HAS_LOWER : 0U) | (o->upper ? HAS_UPPER : 0U));
    for (size_t i = 0; o->forced && i < dim; i++) {
        zi_write_u32(w, o->forced[i]);
    }
    for (size_t i = 0; o->group && i < dim; i++) {
        zi_write_u64(w, o->group[i]);
    }
    if (o->lower) {
        zi_write_doubles(w, o->lower, dim);
    }
    if (o->upper) {
        zi_write_doubles(w, o->upper, dim);
    }
}

static zilch_status write_networks(zi_writer *w, const zilch_networks *networks)
{
    size_t length = 0;
    unsigned char *bytes;
    if (networks) {
        ZI_TRY(zilch_networks_pack(networks, NULL, 0, &length));
    }
    zi_write_u64(w, length);
    ZI_TRY(zi_alloc(&bytes, length));
    const zilch_status status = networks ? zilch_networks_pack(networks, bytes, length, &length) : ZILCH_OK;
    zi_write_bytes(w, bytes, length);
    zi_free(bytes);
    return status;
}

static zilch_status write_options(zi_writer *w, size_t dim, const zilch_optimizer_options *o)
{
    const uint32_t choice[] = {
        o->law, o->direction, o->archive, o->model.inverter, o->model.shrinkage, o->model.projection};
    const uint64_t count[] = {o->population, o->elites, o->active_least, o->active_most};
    const double number[] = {o->share,      o->price,         o->initial_p,
                             o->initial_mu, o->initial_sigma, o->model.sigma_floor};
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
        zi_write_u32(w, choice[i]);
    }
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        zi_write_u64(w, count[i]);
    }
    zi_write_doubles(w, number, sizeof number / sizeof *number);
    write_arrays(w, dim, o);
    return write_networks(w, o->model.networks);
}

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
    zi_write_u64(w, o->handed);
    for (size_t i = 0; i < o->slots && status == ZILCH_OK; i++) {
        zi_write_u32(w, o->slot[i].state);
        zi_write_double(w, o->slot[i].value);
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
    }
}

static void write_archive(zi_writer *w, const zi_archive *a)
{
    for (size_t i = 0; i < a->rows.count; i++) {
        zi_write_double(w, a->worth[i].value);
        zi_write_u32(w, a->worth[i].evaluations);
        zi_write_u32(w, a->worth[i].failures);
        zi_write_u32(w, a->worth[i].is_ranked);
        write_row(w, &a->rows, i);
    }
}

static zilch_status pack(const zilch_optimizer *o, int whole, void *buffer, size_t capacity, size_t *length)
{
    zi_writer w = {.data = buffer, .capacity = capacity};
    const uint64_t counter[] = {o->generations, o->evaluations, o->failures,
                                o->foreign,     o->improved,    o->first_id};
    zi_write_bytes(&w, magic, sizeof magic);
    zi_write_u32(&w, VERSION);
    zi_write_u32(&w, (uint32_t)whole);
    zi_write_u64(&w, o->dim);
    zi_write_u64(&w, o->seed);
    ZI_TRY(write_options(&w, o->dim, &o->options));
    for (size_t i = 0; i < sizeof counter / sizeof *counter; i++) {
        zi_write_u64(&w, counter[i]);
    }
    zi_write_double(&w, o->least_cost);
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

/* What has been allocated for options that are being read. */
typedef struct parts {
    zilch_forced *forced;
    size_t *group;
    double *bounds; /* lower, then upper */
    zilch_networks *networks;
} parts;

static void free_parts(parts *p)
{
    zi_free(p->forced);
    zi_free(p->group);
    zi_free(p->bounds);
    zilch_networks_destroy(p->networks);
}

static zilch_status read_arrays(zi_reader *r, size_t dim, parts *p, zilch_optimizer_options *o)
{
    const uint32_t has = zi_read_u32(r);
    if (has > (HAS_FORCED | HAS_GROUP | HAS_LOWER | HAS_UPPER)) {
        return damaged("its options");
    }
    ZI_TRY(zi_alloc(&p->forced, dim));
    ZI_TRY(zi_alloc(&p->group, dim));
    ZI_TRY(zi_alloc(&p->bounds, 2 * dim));
    for (size_t i = 0; has & HAS_FORCED && i < dim; i++) {
        p->forced[i] = (zilch_forced)zi_read_u32(r);
    }
    for (size_t i = 0; has & HAS_GROUP && i < dim; i++) {
        p->group[i] = (size_t)zi_read_u64(r);
    }
    if (has & HAS_LOWER) {
        zi_read_doubles(r, p->bounds, dim);
    }
    if (has & HAS_UPPER) {
        zi_read_doubles(r, p->bounds + dim, dim);
    }
    o->forced = has & HAS_FORCED ? p->forced : NULL;
    o->group = has & HAS_GROUP ? p->group : NULL;
    o->lower = has & HAS_LOWER ? p->bounds : NULL;
    o->upper = has & HAS_UPPER ? p->bounds + dim : NULL;
    return ZILCH_OK;
}

static zilch_status read_networks(zi_reader *r, parts *p, zilch_optimizer_options *o)
{
    const uint64_t length = zi_read_u64(r);
    if (!fits(r, length, 1)) {
        return damaged("the networks are cut off");
    }
    if (length) {
        ZI_TRY(zilch_networks_unpack(&p->networks, r->data + r->position, (size_t)length));
        r->position += (size_t)length;
        o->model.networks = p->networks;
    }
    return ZILCH_OK;
}

static zilch_status read_options(zi_reader *r, size_t dim, parts *p, zilch_optimizer_options *o)
{
    *o = zilch_optimizer_defaults();
    o->law = (zilch_law)zi_read_u32(r);
    o->direction = (zilch_direction)zi_read_u32(r);
    o->archive = (zilch_archive)zi_read_u32(r);
    o->model.inverter = (zilch_inverter)zi_read_u32(r);
    o->model.shrinkage = (zilch_shrinkage)zi_read_u32(r);
    o->model.projection = (zilch_projection)zi_read_u32(r);
    o->population = (size_t)zi_read_u64(r);
    o->elites = (size_t)zi_read_u64(r);
    o->active_least = (size_t)zi_read_u64(r);
    o->active_most = (size_t)zi_read_u64(r);
    o->share = zi_read_double(r);
    o->price = zi_read_double(r);
    o->initial_p = zi_read_double(r);
    o->initial_mu = zi_read_double(r);
    o->initial_sigma = zi_read_double(r);
    o->model.sigma_floor = zi_read_double(r);
    ZI_TRY(read_arrays(r, dim, p, o));
    return read_networks(r, p, o);
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
    const uint64_t handed = zi_read_u64(r);
    const size_t population = o->options.population;
    const size_t piece = elites < population ? population - (size_t)elites : 1;
    if (!fits(r, slots, 4 + 8 + 8) || elites > o->options.elites || handed > slots ||
        (slots && (slots < population || (slots - elites) % piece)) || (!slots && elites)) {
        return damaged("the open generation");
    }
    ZI_TRY(zi_grow(&o->slot, sizeof *o->slot, 0, (size_t)slots, &o->slot_capacity));
    ZI_TRY(zi_grow(&o->genome, o->width * sizeof *o->genome, 0, (size_t)slots, &o->genome_capacity));
    for (size_t i = 0; i < slots; i++) {
        const uint32_t state = zi_read_u32(r);
        const double value = zi_read_double(r);
        if (state > ZI_SLOT_TOLD || (state != ZI_SLOT_NEW) != (i < handed)) {
            return damaged("the open generation");
        }
        o->slot[i] = (zi_slot){.id = o->first_id + i, .value = value, .state = (zi_slot_state)state};
        o->told += state == ZI_SLOT_TOLD;
        ZI_TRY(read_row(r, o->width, o->genome + i * o->width));
    }
    o->slots = (size_t)slots;
    o->elites = (size_t)elites;
    o->handed = (size_t)handed;
    return ZILCH_OK;
}

static zilch_status read_late(zi_reader *r, zilch_optimizer *o, double *row)
{
    zi_late *late = &o->late;
    const uint64_t count = zi_read_u64(r);
    if (!fits(r, count, 8 + 4 + 8 + 8)) {
        return damaged("the late points");
    }
    ZI_TRY(zi_grow(&late->slot, sizeof *late->slot, 0, (size_t)count, &late->capacity));
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = zi_read_u64(r);
        const uint32_t state = zi_read_u32(r);
        const double value = zi_read_double(r);
        const int is_foreign = id >= ZI_FOREIGN_ID && id - ZI_FOREIGN_ID < o->foreign;
        if (state != ZI_SLOT_TOLD && (state != ZI_SLOT_ASKED || is_foreign)) {
            return damaged("the late points");
        }
        if (id >= o->first_id && !is_foreign) { /* of the open generation, or of none */
            return damaged("the late points");
        }
        late->slot[i] = (zi_slot){.id = id, .value = value, .state = (zi_slot_state)state};
        ZI_TRY(read_row(r, o->width, row));
        ZI_TRY(zi_rows_append(&late->rows, row));
    }
    return ZILCH_OK;
}

static zilch_status read_news(zi_reader *r, zilch_optimizer *o)
{
    zi_news *news = &o->news;
    const uint64_t count = zi_read_u64(r);
    if (!fits(r, count, 8 + 8 + 8)) {
        return damaged("the news");
    }
    ZI_TRY(zi_grow(&news->told, sizeof *news->told, 0, (size_t)count, &news->capacity));
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = zi_read_u64(r);
        const uint64_t point = zi_read_u64(r);
        news->told[i] = (zi_told){id, (size_t)point, zi_read_double(r)};
    }
    news->count = (size_t)count;
    return ZILCH_OK;
}

static zilch_status check_news(const zilch_optimizer *o)
{
    for (size_t i = 0; i < o->news.count; i++) {
        if (o->news.told[i].point >= o->archive.rows.count) {
            return damaged("the news");
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

static zilch_status read_archive(zi_reader *r, zilch_optimizer *o, uint64_t points, double *row)
{
    for (uint64_t i = 0; i < points; i++) {
        const double value = zi_read_double(r);
        const uint32_t evaluations = zi_read_u32(r);
        const uint32_t failures = zi_read_u32(r);
        const uint32_t is_ranked = zi_read_u32(r);
        if (!r->ok || failures > evaluations || is_ranked > 1 || (is_ranked && !isfinite(value))) {
            return damaged("the archive");
        }
        ZI_TRY(read_row(r, o->width, row));
        ZI_TRY(add_point(o, row));
        zi_worth *w = &o->archive.worth[i];
        w->value = value;
        w->evaluations = evaluations;
        w->failures = failures;
        w->is_ranked = is_ranked;
    }
    return check_news(o);
}

static zilch_status read_counters(zi_reader *r, zilch_optimizer *o)
{
    o->generations = zi_read_u64(r);
    o->evaluations = zi_read_u64(r);
    o->failures = zi_read_u64(r);
    o->foreign = zi_read_u64(r);
    o->improved = zi_read_u64(r);
    o->first_id = zi_read_u64(r);
    o->least_cost = zi_read_double(r);
    const uint64_t most = ZI_FOREIGN_ID / 4;
    if (o->failures > o->evaluations || o->improved > o->generations || isnan(o->least_cost) ||
        o->foreign > most || o->first_id > most || o->generations > most || o->evaluations > most) {
        return damaged("the counters");
    }
    return ZILCH_OK;
}

static zilch_status read_body(zi_reader *r, zilch_optimizer *o, int whole, double *row)
{
    ZI_TRY(read_counters(r, o));
    ZI_TRY(read_generation(r, o));
    ZI_TRY(read_late(r, o, row));
    ZI_TRY(read_news(r, o));
    const uint64_t points = zi_read_u64(r);
    if (points > UINT32_MAX / 4 || (whole && !fits(r, points, 8 + 3 * 4 + 8))) {
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

static zilch_status read_header(zi_reader *r, int whole, size_t *dim, uint64_t *seed)
{
    char found[sizeof magic];
    zi_read_bytes(r, found, sizeof found);
    if (!r->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "optimizer: this is not a zilch optimizer");
    }
    const uint32_t version = zi_read_u32(r);
    if (r->ok && version != VERSION) {
        return zi_fail(ZILCH_EVERSION, "optimizer: format version %u, this library reads version %d", version,
                       VERSION);
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

static zilch_status create(zi_reader *r, size_t dim, uint64_t seed, zilch_optimizer **out)
{
    parts p = {0};
    zilch_optimizer_options options;
    zilch_status status = read_options(r, dim, &p, &options);
    if (status == ZILCH_OK) {
        status = r->ok ? zilch_optimizer_create(out, dim, seed, &options) : damaged("its options");
        status = status == ZILCH_EARG ? damaged("its options") : status;
    }
    free_parts(&p);
    return status;
}

static zilch_status unpack(zilch_optimizer **out, int whole, const void *buffer, size_t length)
{
    zi_reader r = {.data = buffer, .length = length, .ok = 1};
    size_t dim = 0;
    uint64_t seed = 0;
    double *row;
    zilch_optimizer *o = NULL;
    *out = NULL;
    if (!buffer) {
        return zi_fail(ZILCH_EARG, "unpack: no bytes given");
    }
    ZI_TRY(read_header(&r, whole, &dim, &seed));
    ZI_TRY(create(&r, dim, seed, &o));
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

zilch_status zi_optimizer_restore_point(zilch_optimizer *o, const unsigned char *bytes, size_t length)
{
    double *row;
    ZI_TRY(zi_alloc(&row, o->width));
    zilch_status status = zi_row_decode(o->width, bytes, length, row);
    status = status == ZILCH_OK ? add_point(o, row) : status;
    zi_free(row);
    return status;
}

zilch_status zi_optimizer_restore_value(zilch_optimizer *o, size_t point, double value)
{
    if (point >= o->archive.rows.count) {
        return damaged("a value of no point");
    }
    zi_archive_put(&o->archive, point, value);
    return ZILCH_OK;
}

zilch_status zi_optimizer_restored(zilch_optimizer *o)
{
    if (o->archive.rows.count != o->restored_points) {
        return zi_fail(ZILCH_EFORMAT, "optimizer: %zu points were kept, but %zu are needed",
                       o->archive.rows.count, o->restored_points);
    }
    o->restored_points = SIZE_MAX;
    return check_news(o);
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
