/* The state of a training as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchtrn"
 *   u32       format version, 1
 *   u32       block
 *             the record, as in networks.c
 *   doubles   what is left of Adam's two decays
 *   floats    parameters, means of the gradients, means of their squares
 *   u64       CRC-64 of all before it
 */
#include "base/file.h"
#include "base/simd.h"
#include "model/networks.h"
#include "train/examples.h"
#include "train/trainer.h"

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 't', 'r', 'n'};
enum { VERSION = 1 };

zilch_status zilch_trainer_pack(const zilch_trainer *trainer, void *buffer, size_t capacity, size_t *length)
{
    if (!trainer || !length) {
        return zi_fail(ZILCH_EARG, "pack: trainer and place for the length must be given");
    }
    const size_t size = zi_mlp_size(trainer->shape);
    zi_writer writer = {.data = buffer, .capacity = capacity};
    zi_write_bytes(&writer, magic, sizeof magic);
    zi_write_u32(&writer, VERSION);
    zi_write_u32(&writer, trainer->block);
    zi_record_write(&writer, &trainer->record);
    zi_write_double(&writer, trainer->first_power);
    zi_write_double(&writer, trainer->second_power);
    zi_write_floats(&writer, trainer->parameter, size);
    zi_write_floats(&writer, trainer->first, size);
    zi_write_floats(&writer, trainer->second, size);
    return zi_write_end(&writer, length);
}

/* A setting that must be the same; reals by their bits. */
typedef struct setting {
    const char *name;
    uint64_t then, now;
    int is_real;
} setting;

static zilch_status check_settings(const zilch_training_record *then, const zilch_training_record *now)
{
    const zilch_examples_options *e = &then->examples, *f = &now->examples;
    const zilch_training_options *o = &then->options, *p = &now->options;
    const char *labels = zilch_labels_name(e->labels);
    if (e->labels != f->labels) {
        return zi_fail(ZILCH_EARG, "training: was begun with %s labels, not %s", labels ? labels : "unknown",
                       zilch_labels_name(f->labels));
    }
    const setting settings[] = {
        {"examples", e->count, f->count, 0},
        {"rows", e->rows, f->rows, 0},
        {"the examples' seed", e->seed, f->seed, 0},
        {"units", o->units, p->units, 0},
        {"epochs", o->epochs, p->epochs, 0},
        {"batch", o->batch, p->batch, 0},
        {"rate", zi_bits(o->rate), zi_bits(p->rate), 1},
        {"final rate", zi_bits(o->final_rate), zi_bits(p->final_rate), 1},
        {"seed", o->seed, p->seed, 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        if (s->then != s->now) {
            return s->is_real ? zi_fail(ZILCH_EARG, "training: was begun with %s %.17g, not %.17g", s->name,
                                        zi_from_bits(s->then), zi_from_bits(s->now))
                              : zi_fail(ZILCH_EARG, "training: was begun with %s %llu, not %llu", s->name,
                                        (unsigned long long)s->then, (unsigned long long)s->now);
        }
    }
    return ZILCH_OK;
}

static zilch_status check_header(zi_reader *reader, zilch_block block)
{
    char found[sizeof magic];
    zi_read_bytes(reader, found, sizeof found);
    if (!reader->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "training: this is not the state of a training");
    }
    const uint32_t version = zi_read_u32(reader);
    const uint32_t number = zi_read_u32(reader);
    if (reader->ok && version != VERSION) {
        return zi_fail(ZILCH_EVERSION, "training: format version %u, this library reads version %d", version,
                       VERSION);
    }
    if (reader->ok && number != (uint32_t)block) {
        const char *name = zilch_block_name((zilch_block)number);
        return zi_fail(ZILCH_EARG, "training: is of block %s, not %s", name ? name : "unknown",
                       zilch_block_name(block));
    }
    return ZILCH_OK;
}

/* The header and the record, if they are those of such a training. */
static zilch_status read_record(zi_reader *reader, zilch_block block, const zilch_training_record *now,
                                zilch_training_record *record)
{
    ZI_TRY(check_header(reader, block));
    *record = zi_record_read(reader);
    if (!reader->ok) {
        return zi_fail(ZILCH_EFORMAT, "training: truncated");
    }
    ZI_TRY(check_settings(record, now));
    if (record->report.epoch > record->options.epochs) {
        return zi_fail(ZILCH_EFORMAT, "training: damaged: more epochs done than there are");
    }
    return ZILCH_OK;
}

zilch_status zilch_trainer_restore(zilch_trainer *trainer, const void *buffer, size_t length)
{
    if (!trainer || !buffer) {
        return zi_fail(ZILCH_EARG, "restore: trainer and bytes must be given");
    }
    zi_reader reader = {.data = buffer, .length = length, .ok = 1};
    zilch_training_record record;
    ZI_TRY(read_record(&reader, trainer->block, &trainer->record, &record));
    size_t needed;
    ZI_TRY(zilch_trainer_pack(trainer, NULL, 0, &needed));
    zi_reader end = {.data = buffer, .length = length, .position = needed - 8, .ok = 1};
    if (length != needed || !zi_read_checksum(&end)) { /* before anything is believed or changed */
        return zi_fail(ZILCH_EFORMAT, "training: truncated or damaged");
    }
    const size_t size = zi_mlp_size(trainer->shape);
    const double first_power = zi_read_double(&reader);
    const double second_power = zi_read_double(&reader);
    zi_read_floats(&reader, trainer->gradient, size); /* which the next step makes anew */
    const size_t bad = zi_mlp_find_bad(trainer->shape, trainer->gradient);
    if (bad < size) {
        return zi_fail(ZILCH_EFORMAT, "training: damaged: weight %zu of its network is not finite", bad);
    }
    trainer->record.report = record.report;
    trainer->first_power = first_power;
    trainer->second_power = second_power;
    memcpy(trainer->parameter, trainer->gradient, size * sizeof *trainer->parameter);
    zi_read_floats(&reader, trainer->first, size);
    zi_read_floats(&reader, trainer->second, size);
    return ZILCH_OK;
}

/* ---- Files ------------------------------------------------------------------------------- */

typedef struct expectation {
    zilch_block block;
    zilch_training_record record;
} expectation;

static zilch_status check_record(void *expected, const void *buffer, size_t length)
{
    const expectation *e = expected;
    zi_reader reader = {.data = buffer, .length = length, .ok = 1};
    zilch_training_record record;
    return read_record(&reader, e->block, &e->record, &record);
}

zilch_status zilch_trainer_check(const char *path, zilch_block block, const zilch_examples_options *examples,
                                 const zilch_training_options *options)
{
    if (!zilch_block_name(block) || !examples || !options) {
        return zi_fail(ZILCH_EARG, "training: block, the examples' options and its own must be given");
    }
    if (options->size != sizeof *options) {
        return zi_fail(ZILCH_EARG, "training: begin from zilch_training_defaults()");
    }
    expectation e = {block, {.examples = *examples, .options = *options}};
    ZI_TRY(zi_examples_settle(&e.record.examples));
    return zi_file_load(path, check_record, &e);
}

static zilch_status pack(const void *trainer, void *buffer, size_t capacity, size_t *length)
{
    return zilch_trainer_pack(trainer, buffer, capacity, length);
}

static zilch_status restore(void *trainer, const void *buffer, size_t length)
{
    return zilch_trainer_restore(trainer, buffer, length);
}

zilch_status zilch_trainer_save(const zilch_trainer *trainer, const char *path)
{
    return zi_file_save(path, pack, trainer);
}

zilch_status zilch_trainer_load(zilch_trainer *trainer, const char *path)
{
    return zi_file_load(path, restore, trainer);
}

zilch_status zilch_networks_put(zilch_networks *networks, const zilch_trainer *trainer)
{
    if (!networks || !trainer) {
        return zi_fail(ZILCH_EARG, "networks: networks and trainer must be given");
    }
    if (zi_mlp_find_bad(trainer->shape, trainer->parameter) < zi_mlp_size(trainer->shape)) {
        return zi_fail(ZILCH_ESTATE, "networks: the trainer's network is not finite");
    }
    const zi_network network = {
        .shape = trainer->shape, .parameter = trainer->parameter, .record = trainer->record};
    return zi_networks_put(networks, trainer->block, &network);
}
