/* The networks of the amortised inverter, and as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchnet"
 *   u32       format version, 1
 *   for each block (mm, vm, vv):
 *     u32     inputs, units
 *             how it was trained: u32 labels, u64 examples, rows and seed of them; u64 units,
 *             epochs and batch, doubles rate and final rate, u64 seed; u64 epochs done, doubles
 *             training and validation error
 *     floats  the parameters, in the order of mlp.h
 *   u64       CRC-64 of all before it
 */
#include "model/networks.h"

#include "base/file.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'n', 'e', 't'};
enum { VERSION = 1 };

/* ---- Making ------------------------------------------------------------------------- */

zilch_status zi_networks_put(zilch_networks *networks, zilch_block block, const zi_network *network)
{
    assert(zilch_block_name(block) && network->parameter);
    assert(network->shape.inputs == zi_blocks[block].inputs);
    const size_t size = zi_mlp_size(network->shape);
    float *parameter;
    ZI_TRY(zi_alloc(&parameter, size));
    memcpy(parameter, network->parameter, size * sizeof *parameter);
    zi_network *place = &networks->block[block];
    zi_free((float *)place->parameter);
    *place = *network;
    place->parameter = parameter;
    return ZILCH_OK;
}

static zilch_status create_empty(zilch_networks **out)
{
    ZI_TRY(zi_alloc(out, 1));
    **out = (zilch_networks){0};
    return ZILCH_OK;
}

zilch_status zilch_networks_create(zilch_networks **out)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "networks: no place for them given");
    }
    *out = NULL;
    zilch_networks *networks;
    zilch_status status = create_empty(&networks);
    for (int b = 0; b < ZILCH_BLOCKS && status == ZILCH_OK; b++) {
        status = zi_networks_put(networks, (zilch_block)b, &zi_shipped_networks.block[b]);
    }
    if (status != ZILCH_OK) {
        zilch_networks_destroy(networks);
        return status;
    }
    *out = networks;
    return ZILCH_OK;
}

void zilch_networks_destroy(zilch_networks *networks)
{
    if (networks) {
        for (int b = 0; b < ZILCH_BLOCKS; b++) {
            zi_free((float *)networks->block[b].parameter);
        }
        zi_free(networks);
    }
}

zilch_status zilch_networks_record(const zilch_networks *networks, zilch_block block,
                                   zilch_training_record *out)
{
    if (!networks || !zilch_block_name(block) || !out) {
        return zi_fail(ZILCH_EARG, "networks: networks, block and place for the record must be given");
    }
    *out = networks->block[block].record;
    return ZILCH_OK;
}

/* ---- The record of a training ----------------------------------------------------------- */

void zi_record_write(zi_writer *writer, const zilch_training_record *record)
{
    zi_write_u32(writer, record->examples.labels);
    zi_write_u64(writer, record->examples.count);
    zi_write_u64(writer, record->examples.rows);
    zi_write_u64(writer, record->examples.seed);
    zi_write_u64(writer, record->options.units);
    zi_write_u64(writer, record->options.epochs);
    zi_write_u64(writer, record->options.batch);
    zi_write_double(writer, record->options.rate);
    zi_write_double(writer, record->options.final_rate);
    zi_write_u64(writer, record->options.seed);
    zi_write_u64(writer, record->report.epoch);
    zi_write_double(writer, record->report.training_error);
    zi_write_double(writer, record->report.validation_error);
}

zilch_training_record zi_record_read(zi_reader *reader)
{
    zilch_training_record r = {.examples.size = sizeof r.examples, .options.size = sizeof r.options};
    r.examples.labels = (zilch_labels)zi_read_u32(reader);
    r.examples.count = zi_read_u64(reader);
    r.examples.rows = zi_read_u64(reader);
    r.examples.seed = zi_read_u64(reader);
    r.options.units = (size_t)zi_read_u64(reader);
    r.options.epochs = zi_read_u64(reader);
    r.options.batch = zi_read_u64(reader);
    r.options.rate = zi_read_double(reader);
    r.options.final_rate = zi_read_double(reader);
    r.options.seed = zi_read_u64(reader);
    r.report.epoch = zi_read_u64(reader);
    r.report.training_error = zi_read_double(reader);
    r.report.validation_error = zi_read_double(reader);
    return r;
}

/* ---- Bytes ------------------------------------------------------------------------------ */

zilch_status zilch_networks_pack(const zilch_networks *networks, void *buffer, size_t capacity,
                                 size_t *length)
{
    if (!networks || !length) {
        return zi_fail(ZILCH_EARG, "pack: networks and place for the length must be given");
    }
    zi_writer writer = {.data = buffer, .capacity = capacity};
    zi_write_bytes(&writer, magic, sizeof magic);
    zi_write_u32(&writer, VERSION);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const zi_network *network = &networks->block[b];
        zi_write_u32(&writer, (uint32_t)network->shape.inputs);
        zi_write_u32(&writer, (uint32_t)network->shape.units);
        zi_record_write(&writer, &network->record);
        zi_write_floats(&writer, network->parameter, zi_mlp_size(network->shape));
    }
    return zi_write_end(&writer, length);
}

static zilch_status read_network(zi_reader *reader, zilch_block block, zi_network *out)
{
    const char *name = zilch_block_name(block);
    out->shape.inputs = zi_read_u32(reader);
    out->shape.units = zi_read_u32(reader);
    const zi_mlp_shape shape = out->shape;
    if (reader->ok && shape.inputs != zi_blocks[block].inputs) {
        return zi_fail(ZILCH_EFORMAT, "weights: wrong shape: the %s network has %zu inputs, not %zu", name,
                       shape.inputs, zi_blocks[block].inputs);
    }
    if (reader->ok &&
        (shape.units < ZI_MLP_STEP || shape.units > ZI_MLP_MOST_UNITS || shape.units % ZI_MLP_STEP)) {
        return zi_fail(ZILCH_EFORMAT,
                       "weights: wrong shape: the %s network has %zu units, not a multiple of %d up to %d",
                       name, shape.units, ZI_MLP_STEP, ZI_MLP_MOST_UNITS);
    }
    out->record = zi_record_read(reader);
    const size_t size = reader->ok ? zi_mlp_size(out->shape) : 0;
    if (!reader->ok || size > (reader->length - reader->position) / sizeof(float)) {
        return zi_fail(ZILCH_EFORMAT, "weights: truncated: %zu bytes end inside the %s network",
                       reader->length, name);
    }
    float *parameter;
    ZI_TRY(zi_alloc(&parameter, size));
    out->parameter = parameter;
    zi_read_floats(reader, parameter, size);
    return ZILCH_OK;
}

static zilch_status read_networks(zi_reader *reader, zilch_networks *networks)
{
    char found[sizeof magic];
    zi_read_bytes(reader, found, sizeof found);
    if (!reader->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "weights: these are not the weights of zilch's networks");
    }
    const uint32_t version = zi_read_u32(reader);
    if (reader->ok && version != VERSION) {
        return zi_fail(ZILCH_EVERSION, "weights: format version %u, this library reads version %d", version,
                       VERSION);
    }
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        ZI_TRY(read_network(reader, (zilch_block)b, &networks->block[b]));
    }
    if (!zi_read_checksum(reader)) {
        return zi_fail(ZILCH_EFORMAT, "weights: damaged: the checksum is wrong");
    }
    if (reader->position != reader->length) {
        return zi_fail(ZILCH_EFORMAT, "weights: damaged: %zu bytes follow their end",
                       reader->length - reader->position);
    }
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const char *name = zilch_block_name((zilch_block)b);
        const zi_network *network = &networks->block[b];
        const size_t bad = zi_mlp_find_bad(network->shape, network->parameter);
        if (bad < zi_mlp_size(network->shape)) {
            return zi_fail(ZILCH_EFORMAT, "weights: weight %zu of the %s network is not finite", bad, name);
        }
        if (!zilch_labels_name(network->record.examples.labels) ||
            network->record.options.units != network->shape.units) {
            return zi_fail(ZILCH_EFORMAT, "weights: the record of the %s network's training is damaged",
                           name);
        }
    }
    return ZILCH_OK;
}

zilch_status zilch_networks_unpack(zilch_networks **out, const void *buffer, size_t length)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "unpack: no place for the networks given");
    }
    *out = NULL;
    if (!buffer) {
        return zi_fail(ZILCH_EARG, "unpack: no bytes given");
    }
    zi_reader reader = {.data = buffer, .length = length, .ok = 1};
    zilch_networks *networks;
    ZI_TRY(create_empty(&networks));
    const zilch_status status = read_networks(&reader, networks);
    if (status != ZILCH_OK) {
        zilch_networks_destroy(networks);
        return status;
    }
    *out = networks;
    return ZILCH_OK;
}

ZI_DEFINE_FILES(networks)
