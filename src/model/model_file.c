/* The model as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchmdl"
 *   u32       format version: 1 of structure full, 2 of the others, 3 of any whose columns have names
 *   u32       1 if fitted, else 0
 *   u64       dim
 *   version 2 and 3: u32 structure, u32 factors
 *   version 3: u64 bytes of the names
 *   if fitted: u32 inverter, u32 shrinkage, u32 projection, u32 0,
 *             doubles rows, projection distance, identity weight
 *   doubles   p, mu, sigma (dim each)
 *   structure full: doubles, the correlation matrix's strict upper triangle, row by row;
 *             if fitted, the same of the observed one
 *   others:   doubles, the loadings, factors x 2 dim
 *   version 3: the names (dim), each ended by a zero byte
 *   u64       CRC-64 of all before it
 *
 * Thresholds and the sampling factor follow from these and are made anew. */
#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'm', 'd', 'l'};
enum { VERSION_FULL = 1, VERSION_FACTORS = 2, VERSION_NAMES = 3 };

static void write_triangle(zi_writer *writer, size_t n, const double *matrix)
{
    for (size_t i = 0; i + 1 < n; i++) {
        zi_write_doubles(writer, matrix + i * n + i + 1, n - i - 1);
    }
}

static void read_triangle(zi_reader *reader, size_t n, double *matrix)
{
    for (size_t i = 0; i < n; i++) {
        matrix[i * n + i] = 1.0;
        zi_read_doubles(reader, matrix + i * n + i + 1, n - i - 1);
        for (size_t j = i + 1; j < n; j++) {
            matrix[j * n + i] = matrix[i * n + j];
        }
    }
}

static zilch_status read_report(zi_reader *reader, zilch_fit_report *report)
{
    report->inverter = (zilch_inverter)zi_read_u32(reader);
    report->shrinkage = (zilch_shrinkage)zi_read_u32(reader);
    report->projection = (zilch_projection)zi_read_u32(reader);
    const uint32_t spare = zi_read_u32(reader);
    report->rows = zi_read_double(reader);
    report->projection_distance = zi_read_double(reader);
    report->identity_weight = zi_read_double(reader);
    const int known = zilch_inverter_name(report->inverter) && zilch_shrinkage_name(report->shrinkage) &&
                      zilch_projection_name(report->projection);
    const int in_range = report->rows > 0.0 && isfinite(report->rows) && report->projection_distance >= 0.0 &&
                         isfinite(report->projection_distance) && report->identity_weight >= 0.0 &&
                         report->identity_weight <= 1.0 && !spare;
    if (!known || !in_range) {
        return zi_fail(ZILCH_EFORMAT, "model: the fit report holds values out of range");
    }
    return ZILCH_OK;
}

zilch_status zilch_model_pack(const zilch_model *model, void *buffer, size_t capacity, size_t *length)
{
    if (!model || !length) {
        return zi_fail(ZILCH_EARG, "pack: model and place for the length must be given");
    }
    zi_writer writer = {.data = buffer, .capacity = capacity};
    const size_t n = 2 * model->dim;
    const int is_full = model->structure == ZILCH_STRUCTURE_FULL;
    zi_write_bytes(&writer, magic, sizeof magic);
    zi_write_u32(&writer, model->name ? VERSION_NAMES : is_full ? VERSION_FULL : VERSION_FACTORS);
    zi_write_u32(&writer, (uint32_t)model->fitted);
    zi_write_u64(&writer, model->dim);
    if (model->name || !is_full) {
        zi_write_u32(&writer, model->structure);
        zi_write_u32(&writer, (uint32_t)model->rank);
    }
    if (model->name) {
        zi_write_u64(&writer, zi_model_name_bytes(model));
    }
    if (model->fitted) {
        zi_write_u32(&writer, model->report.inverter);
        zi_write_u32(&writer, model->report.shrinkage);
        zi_write_u32(&writer, model->report.projection);
        zi_write_u32(&writer, 0);
        zi_write_double(&writer, model->report.rows);
        zi_write_double(&writer, model->report.projection_distance);
        zi_write_double(&writer, model->report.identity_weight);
    }
    zi_write_doubles(&writer, model->p, model->dim);
    zi_write_doubles(&writer, model->mu, model->dim);
    zi_write_doubles(&writer, model->sigma, model->dim);
    if (is_full) {
        write_triangle(&writer, n, model->correlation);
    }
    if (is_full && model->fitted) {
        write_triangle(&writer, n, model->observed);
    }
    if (model->rank) {
        zi_write_doubles(&writer, model->loading, model->rank * n);
    }
    for (size_t i = 0; model->name && i < model->dim; i++) {
        zi_write_bytes(&writer, model->name[i], strlen(model->name[i]) + 1);
    }
    return zi_write_end(&writer, length);
}

/* Bytes of a packed model: known from its first fields, so nothing is allocated for a
 * length that the buffer does not have. */
static size_t packed_length(const zi_shape *shape, uint32_t version)
{
    const size_t n = 2 * shape->dim;
    const int is_full = shape->structure == ZILCH_STRUCTURE_FULL;
    const size_t triangles = shape->fitted ? 2 : 1;
    const size_t doubles = 3 * shape->dim + (is_full ? triangles * (n * (n - 1) / 2) : shape->rank * n);
    return sizeof magic + 4 + 4 + 8 + (version == VERSION_FULL ? 0 : 4 + 4) +
           (version == VERSION_NAMES ? 8 + (size_t)shape->name_bytes : 0) +
           (shape->fitted ? 4 * 4 + 3 * 8 : 0) + 8 * doubles + 8;
}

static int is_shape(const zi_shape *shape, uint32_t version)
{
    return shape->structure == ZILCH_STRUCTURE_FULL
               ? version != VERSION_FACTORS && shape->rank == 0 && shape->dim <= ZI_MOST_FULL_DIM
           : shape->structure == ZILCH_STRUCTURE_DIAGONAL
               ? shape->rank == 0
               : shape->structure == ZILCH_STRUCTURE_LOW_RANK && shape->rank <= ZI_MOST_RANK;
}

static zilch_status read_header(zi_reader *reader, zi_shape *shape)
{
    char found[sizeof magic];
    zi_read_bytes(reader, found, sizeof found);
    if (!reader->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "model: this is not a zilch model");
    }
    const uint32_t version = zi_read_u32(reader);
    const uint32_t flag = zi_read_u32(reader);
    const uint64_t size = zi_read_u64(reader);
    if (reader->ok && (version < VERSION_FULL || version > VERSION_NAMES)) {
        return zi_fail(ZILCH_EVERSION, "model: format version %u, this library reads versions %d to %d",
                       version, VERSION_FULL, VERSION_NAMES);
    }
    *shape = (zi_shape){.dim = (size_t)size, .fitted = (int)(flag & 1)};
    if (version != VERSION_FULL) {
        shape->structure = (zilch_structure)zi_read_u32(reader);
        shape->rank = zi_read_u32(reader);
    }
    if (version == VERSION_NAMES) {
        shape->name_bytes = zi_read_u64(reader);
    }
    if (!reader->ok || flag > 1 || size < 1 || size > ZI_MOST_DIM || !is_shape(shape, version) ||
        shape->name_bytes > reader->length || (version == VERSION_NAMES && shape->name_bytes < size) ||
        packed_length(shape, version) != reader->length) {
        return zi_fail(ZILCH_EFORMAT,
                       "model: truncated or damaged: %zu bytes do not fit what it says it holds",
                       reader->length);
    }
    return ZILCH_OK;
}

/* The bytes before the checksum, which are known to be there. */
static zilch_status read_names(zi_reader *reader, zilch_model *model, size_t bytes)
{
    const char *texts = (const char *)reader->data + reader->position;
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        count += texts[i] == '\0';
    }
    if (count != model->dim || texts[bytes - 1]) {
        return zi_fail(ZILCH_EFORMAT, "model: its names are not one for each column");
    }
    reader->position += bytes;
    return zi_model_adopt_names(model, texts, bytes);
}

static zilch_status read_body(zi_reader *reader, zilch_model *model, const zi_shape *shape)
{
    const size_t n = 2 * model->dim;
    if (model->fitted) {
        ZI_TRY(read_report(reader, &model->report));
        model->report.structure = model->structure;
    }
    zi_read_doubles(reader, model->p, model->dim);
    zi_read_doubles(reader, model->mu, model->dim);
    zi_read_doubles(reader, model->sigma, model->dim);
    if (model->correlation) {
        read_triangle(reader, n, model->correlation);
    }
    if (model->observed) {
        read_triangle(reader, n, model->observed);
    }
    if (model->rank) {
        zi_read_doubles(reader, model->loading, model->rank * n);
    }
    if (shape->name_bytes) {
        ZI_TRY(read_names(reader, model, (size_t)shape->name_bytes));
    }
    if (!zi_read_checksum(reader)) {
        return zi_fail(ZILCH_EFORMAT, "model: damaged: the checksum is wrong");
    }
    ZI_TRY(zi_model_check_parameters(model, ZILCH_EFORMAT, "model"));
    for (size_t i = 0; model->observed && i < n * n; i++) {
        if (!(fabs(model->observed[i]) <= 1.0)) {
            return zi_fail(ZILCH_EFORMAT, "model: an observed correlation is out of range");
        }
    }
    zi_model_thresholds(model);
    zi_model_own(model);
    return model->factor ? zi_model_factorise(model) : ZILCH_OK;
}

zilch_status zilch_model_unpack(zilch_model **out, const void *buffer, size_t length)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "unpack: no place for the model given");
    }
    *out = NULL;
    if (!buffer) {
        return zi_fail(ZILCH_EARG, "unpack: no bytes given");
    }
    zi_reader reader = {.data = buffer, .length = length, .ok = 1};
    zi_shape shape = {0};
    ZI_TRY(read_header(&reader, &shape));
    zilch_model *model;
    ZI_TRY(zi_model_allocate(&model, &shape));
    const zilch_status status = read_body(&reader, model, &shape);
    if (status != ZILCH_OK) {
        zilch_model_destroy(model);
        return status == ZILCH_ENUMERIC ? ZILCH_EFORMAT : status;
    }
    *out = model;
    return ZILCH_OK;
}

ZI_DEFINE_FILES(model)
