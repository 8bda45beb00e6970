/* The optimiser as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchopt"
 *   u32       format version, 5; 3 and 4, of zilch 0.1, are read too
 *   u32       1 if the archive is in it, 0 if it is kept elsewhere; 2 more if zilch 0.1 began the run;
 *             4 more if there are violations; 8 more if the run has a repair function; 16 more if there are
 *             defaults: then all points are offsets from them
 *   u64       dim, seed
 *   options   (optimizer_options_file.c)
 *   counters  u64 generations, evaluations, failures, foreign, improved, first_id, restarts;
 *             of the epoch u64 begin, improved, first_id; doubles least cost, the epoch's least cost;
 *             of the noise doubles squares, count, unit
 *   law       u32 0: no state yet, 1: doubles p, mu, sigma, ratio (dim each), scale, best;
 *             version 4 could have 2: correlations (2 dim x 2 dim) before the scale
 *   turns     (from version 5 on) u64 evaluations, starts, checked, improved; doubles share, cost;
 *             u32 0: no refinement, 1: the refinement (refine.c)
 *   open      u64 slots, elites, reevaluated, handed, and from version 5 on population, refined; for each
 * elite u64 point; for each slot u32 state, doubles value, error, its genome late      u64 count, of points
 * of earlier generations and foreign ones; for each u64 id, u32 state, doubles value, error, its genome new
 * u64 count of evaluations since the last generation closed; for each u64 id, u64 point, doubles value,
 * weight archive   u64 count; if it is in it, for each doubles value, weight, u64 id, u32 evaluations,
 * failures, is_ranked, its genome, of length 0 if it was forgotten, and then u32 how many coordinates were
 * active and, if coordinates have penalties, double what those of the active ones added up to
 *   violations (flag 4) of the best, of the epoch's best, of the best when the refinement was started last;
 *             of each slot, late point, new evaluation; of the refinement double value and violation of its
 *             incumbent, rho, and the violation of each of its points; of each point of the archive, if that
 *             is in it
 *   u64       CRC-64 of all before it
 *
 * A genome is u64 length and that many bytes (sparse_rows.h). */
#include "search/generation_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"
#include "search/optimizer_options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'o', 'p', 't'};
enum { VERSION = 5, OLDEST = 3 };
enum { HAS_ARCHIVE = 1, IS_OLD = 2, HAS_VIOLATIONS = 4, HAS_RULE = 8, HAS_DEFAULTS = 16 };

/* ---- Writing ---------------------------------------------------------------------------------------- */

static void write_archive(zi_writer *w, const zi_archive *a)
{
    for (size_t i = 0; i < a->rows.count; i++) {
        zi_write_double(w, a->entry[i].value);
        zi_write_double(w, a->entry[i].weight);
        zi_write_u64(w, a->entry[i].id);
        zi_write_u32(w, a->entry[i].evaluations);
        zi_write_u32(w, a->entry[i].failures);
        zi_write_u32(w, a->entry[i].is_ranked);
        zi_row_write(w, &a->rows, i);
        if (zi_archive_is_forgotten(a, i)) {
            zi_write_u32(w, a->entry[i].active);
        }
        if (zi_archive_is_forgotten(a, i) && a->penalties) {
            zi_write_double(w, a->entry[i].penalties);
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
    const int has_violations = zi_optimizer_has_violations(o);
    zi_write_u32(
        &w, (whole ? HAS_ARCHIVE : 0U) | (o->is_old ? IS_OLD : 0U) | (has_violations ? HAS_VIOLATIONS : 0U) |
                (o->constraints.rule.is_needed ? HAS_RULE : 0U) | (o->options.defaults ? HAS_DEFAULTS : 0U));
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
    zi_turns_write(&w, &o->turns);
    ZI_TRY(zi_generation_write(&w, o));
    zi_stragglers_write(&w, &o->stragglers);
    zi_new_evaluations_write(&w, &o->fresh);
    zi_write_u64(&w, o->restored_points == SIZE_MAX ? o->archive.rows.count : o->restored_points);
    if (whole) {
        write_archive(&w, &o->archive);
    }
    if (has_violations) {
        zi_violations_write(&w, o);
        for (size_t i = 0; i < o->archive.rows.count && whole; i++) {
            zi_write_double(&w, o->archive.entry[i].violation);
        }
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

static int is_weight(double weight)
{
    return weight > 0.0 && isfinite(weight);
}

/* Points of an archive that is there by now. */
static zilch_status check_points(const zilch_optimizer *o)
{
    for (size_t i = 0; i < o->fresh.count; i++) {
        if (o->fresh.list[i].point >= o->archive.rows.count || !is_weight(o->fresh.list[i].weight)) {
            return zi_optimizer_damaged("the new evaluations");
        }
    }
    for (size_t k = 0; k < o->elites; k++) {
        if (o->elite[k] >= o->archive.rows.count || !o->archive.entry[o->elite[k]].is_ranked) {
            return zi_optimizer_damaged("the elites");
        }
    }
    return ZILCH_OK;
}

static zilch_status add_point(zilch_optimizer *o, const double *genome)
{
    const size_t before = o->archive.rows.count;
    size_t point;
    ZI_TRY(zi_optimizer_find(o, genome, &point));
    return point == before ? ZILCH_OK : zi_optimizer_damaged("a point is there twice");
}

zilch_status zi_optimizer_restore_forgotten(zilch_optimizer *o, uint64_t active, double penalties)
{
    if (!o->options.archive_size || active > o->dim) {
        return zi_optimizer_damaged("a point is missing");
    }
    if (o->options.penalties ? !(penalties >= 0.0 && isfinite(penalties)) : !isnan(penalties)) {
        return zi_optimizer_damaged("the penalties of a point");
    }
    return zi_archive_add_forgotten(&o->archive, (size_t)active, o->options.penalties ? penalties : 0.0);
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
            return zi_optimizer_damaged("the archive");
        }
        zi_reader ahead = *r;
        if (zi_read_u64(&ahead) == 0 && ahead.ok) {
            *r = ahead;
            const uint32_t active = zi_read_u32(r);
            const double penalties = o->options.penalties ? zi_read_double(r) : NAN;
            ZI_TRY(zi_optimizer_restore_forgotten(o, active, penalties));
        } else {
            ZI_TRY(zi_row_read(r, o->width, row));
            ZI_TRY(add_point(o, row));
        }
        if (is_ranked && zi_archive_is_forgotten(&o->archive, (size_t)i)) {
            return zi_optimizer_damaged("the archive");
        }
        zi_archive_entry *w = &o->archive.entry[i];
        w->value = w->estimate = value;
        w->weight = weight;
        w->id = id;
        w->evaluations = evaluations;
        w->failures = failures;
        w->is_ranked = is_ranked;
    }
    return ZILCH_OK;
}

static zilch_status read_violations(zi_reader *r, zilch_optimizer *o, size_t points)
{
    ZI_TRY(zi_violations_read(r, o));
    for (size_t i = 0; i < points; i++) {
        if (!zi_violation_read(r, &o->archive.entry[i].violation)) {
            return zi_optimizer_damaged("the violations");
        }
    }
    return ZILCH_OK;
}

/* The archive is whole. */
static zilch_status finish_archive(zilch_optimizer *o)
{
    zi_archive_find_best(&o->archive);
    ZI_TRY(check_points(o));
    if (o->turns.refine) {
        ZI_TRY(zi_refine_read_archive(o->turns.refine, &o->archive.rows));
    }
    return zi_optimizer_smooth(o);
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
    return is_right ? ZILCH_OK : zi_optimizer_damaged("the counters");
}

static zilch_status read_law_state(zi_reader *r, uint32_t version, zilch_optimizer *o)
{
    const uint32_t kind = zi_read_u32(r);
    const size_t correlations = kind == 2 ? 4 * o->dim * o->dim : 0;
    if (kind > (version < 5 ? 2 : 1) || (kind && !zi_read_fits(r, 4 * o->dim + correlations, 8))) {
        return zi_optimizer_damaged("the law's state");
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
    return is_right ? ZILCH_OK : zi_optimizer_damaged("the law's state");
}

/* What the header says of the rest. */
typedef struct header {
    uint32_t version;
    int is_old, has_violations, has_rule, has_defaults;
    size_t dim;
    uint64_t seed;
} header;

static zilch_status read_body(zi_reader *r, const header *h, zilch_optimizer *o, int whole, double *row)
{
    const uint32_t version = h->version;
    ZI_TRY(read_counters(r, o));
    ZI_TRY(read_law_state(r, version, o));
    ZI_TRY(zi_turns_read(r, version, o));
    ZI_TRY(zi_generation_read(r, version, o));
    ZI_TRY(zi_stragglers_read(r, o, row));
    ZI_TRY(zi_new_evaluations_read(r, o));
    const uint64_t points = zi_read_u64(r);
    if (points > UINT32_MAX / 4 || (whole && !zi_read_fits(r, points, 3 * 8 + 3 * 4 + 8))) {
        return zi_optimizer_damaged("the archive");
    }
    if (whole) {
        ZI_TRY(read_archive(r, o, points, row));
    } else {
        o->restored_points = (size_t)points;
    }
    if (h->has_violations) {
        ZI_TRY(read_violations(r, o, whole ? (size_t)points : 0));
    }
    if (whole) {
        ZI_TRY(finish_archive(o));
    }
    if (!zi_read_checksum(r)) {
        return zi_optimizer_damaged("the checksum is wrong");
    }
    return r->ok && r->position == r->length ? ZILCH_OK : zi_optimizer_damaged("it is too long or too short");
}

static zilch_status read_header(zi_reader *r, int whole, header *out)
{
    char found[sizeof magic];
    zi_read_bytes(r, found, sizeof found);
    if (!r->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "optimizer: this is not a zilch optimizer");
    }
    out->version = zi_read_u32(r);
    if (r->ok && (out->version < OLDEST || out->version > VERSION)) {
        return zi_fail(ZILCH_EVERSION, "optimizer: format version %u, this library reads versions %d to %d",
                       out->version, OLDEST, VERSION);
    }
    const uint32_t flags = zi_read_u32(r);
    out->is_old = out->version < 5 || flags & IS_OLD;
    out->has_violations = (flags & HAS_VIOLATIONS) != 0;
    out->has_rule = (flags & HAS_RULE) != 0;
    out->has_defaults = (flags & HAS_DEFAULTS) != 0;
    const uint64_t size = zi_read_u64(r);
    out->seed = zi_read_u64(r);
    if (!r->ok || flags >= 2 * HAS_DEFAULTS || (flags & HAS_ARCHIVE) != (uint32_t)whole || size < 1 ||
        size > ZI_MOST_DIM) {
        return zi_optimizer_damaged("its header");
    }
    out->dim = (size_t)size;
    return ZILCH_OK;
}

static zilch_status create(zi_reader *r, uint32_t version, size_t dim, uint64_t seed, zilch_optimizer **out)
{
    zilch_optimizer_options options;
    const char *gone;
    zilch_status status = zi_optimizer_options_read(r, version, dim, &options, &gone);
    if (status == ZILCH_OK && options.elites == 0 &&
        options.population) { /* an optimiser has chosen how many */
        status = zi_optimizer_damaged("its options");
    }
    if (status == ZILCH_OK) {
        status = zilch_optimizer_create(out, dim, seed, &options);
        status = status == ZILCH_EARG ? zi_optimizer_damaged("its options") : status;
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
    header h = {0};
    double *row;
    zilch_optimizer *o = NULL;
    *out = NULL;
    if (!buffer) {
        return zi_fail(ZILCH_EARG, "unpack: no bytes given");
    }
    ZI_TRY(read_header(&r, whole, &h));
    ZI_TRY(create(&r, h.version, h.dim, h.seed, &o));
    assert(o);
    if (h.has_defaults != (o->options.defaults != NULL)) {
        zilch_optimizer_destroy(o);
        return zi_optimizer_damaged("its header");
    }
    o->constraints.rule.is_needed = h.has_rule;
    if (h.is_old) {
        zi_optimizer_take_old(o);
    }
    zilch_status status = zi_alloc(&row, o->width);
    if (status == ZILCH_OK) {
        status = read_body(&r, &h, o, whole, row);
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

zilch_status zi_optimizer_restore_value(zilch_optimizer *o, const zi_evaluation *evaluation)
{
    if (evaluation->point >= o->archive.rows.count || !is_weight(evaluation->weight) ||
        !(evaluation->violation >= 0.0 && isfinite(evaluation->violation))) {
        return zi_optimizer_damaged("a value of no point, or without a weight");
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
    return finish_archive(o); /* none that is forgotten is the best */
}

/* To be freed. */
static zilch_status options_bytes(const zilch_optimizer *o, unsigned char **out, size_t *length)
{
    zilch_optimizer_options options = o->options;
    zi_writer measure = {.data = NULL};
    options.expected_evaluations = 0;
    ZI_TRY(zi_optimizer_options_write(&measure, o->dim, &options));
    ZI_TRY(zi_alloc(out, measure.length));
    zi_writer writer = {.data = *out, .capacity = measure.length};
    *length = measure.length;
    return zi_optimizer_options_write(&writer, o->dim, &options);
}

zilch_status zi_optimizer_options_same(const zilch_optimizer *a, const zilch_optimizer *b, int *is_same)
{
    unsigned char *bytes[2] = {NULL, NULL};
    size_t length[2] = {0, 0};
    zilch_status status = options_bytes(a, &bytes[0], &length[0]);
    status = status == ZILCH_OK ? options_bytes(b, &bytes[1], &length[1]) : status;
    *is_same = status == ZILCH_OK && length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0;
    zi_free(bytes[0]);
    zi_free(bytes[1]);
    return status;
}

zilch_status zi_point_decode(zilch_method method, const zi_allowed *allowed, const unsigned char *bytes,
                             size_t length, double *x, size_t *active)
{
    double *genome;
    const size_t dim = allowed->dim;
    const size_t width = zi_law_width(method, dim);
    ZI_TRY(zi_alloc(&genome, width));
    const zilch_status status = zi_row_decode(width, bytes, length, genome);
    if (status == ZILCH_OK) {
        zi_law_point(method, dim, genome, x);
        zi_allowed_values(allowed, x);
        *active = zi_law_active(method, dim, genome);
    }
    zi_free(genome);
    return status;
}

zilch_status zi_optimizer_unpack_allowed(zi_constraints *out, size_t dim, const void *state, size_t length)
{
    zi_reader r = {.data = state, .length = length, .ok = 1};
    header h = {0};
    *out = (zi_constraints){.dim = dim, .allowed.dim = dim};
    if (read_header(&r, 0, &h) != ZILCH_OK || !h.has_defaults || h.dim != dim) {
        zi_error_clear();
        return ZILCH_OK;
    }
    zilch_optimizer_options all;
    const char *gone;
    zilch_status status = zi_optimizer_options_read(&r, h.version, dim, &all, &gone);
    status = status == ZILCH_OK ? zi_optimizer_options_check(dim, &all) : status;
    if (status == ZILCH_OK) {
        zilch_optimizer_options some = zilch_optimizer_defaults();
        some.lower = all.lower;
        some.upper = all.upper;
        some.step = all.step;
        some.values = all.values;
        some.defaults = all.defaults;
        status = zi_constraints_create(out, dim, &some);
    }
    zi_optimizer_options_free(&all);
    return status == ZILCH_EARG ? zi_optimizer_damaged("its options") : status;
}

ZI_DEFINE_FILES(optimizer)
