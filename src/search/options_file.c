/* The optimiser's options as bytes, little-endian: the fields of the table below in its order, a choice as
 * u32, a count as u64, a number as a double; then u32 which arrays there are (1 forced, 2 group, 4 lower, 8
 * upper), and these; then u64 length of the packed networks (0: none), and these. */
#include "search/options.h"

#include "base/memory.h"

#include <string.h>

typedef enum field_kind { CHOICE, COUNT, COUNT64, NUMBER } field_kind;

typedef struct field {
    field_kind kind;
    size_t offset;
} field;

#define FIELD(kind, name)                             \
    {                                                 \
        kind, offsetof(zilch_optimizer_options, name) \
    }
static const field fields[] = {
    FIELD(CHOICE, law),
    FIELD(CHOICE, direction),
    FIELD(CHOICE, archive),
    FIELD(CHOICE, again),
    FIELD(CHOICE, model.inverter),
    FIELD(CHOICE, model.shrinkage),
    FIELD(CHOICE, model.projection),
    FIELD(CHOICE, refit.weighting),
    FIELD(CHOICE, refit.values),
    FIELD(CHOICE, refit.is_widened),
    FIELD(COUNT, population),
    FIELD(COUNT, elites),
    FIELD(COUNT, active_least),
    FIELD(COUNT, active_most),
    FIELD(COUNT64, restart),
    FIELD(NUMBER, share),
    FIELD(NUMBER, price),
    FIELD(NUMBER, initial_p),
    FIELD(NUMBER, initial_mu),
    FIELD(NUMBER, initial_sigma),
    FIELD(NUMBER, initial_spread),
    FIELD(NUMBER, model.sigma_floor),
    FIELD(NUMBER, refit.prior_p),
    FIELD(NUMBER, refit.prior_mu),
    FIELD(NUMBER, refit.prior_sigma),
    FIELD(NUMBER, refit.prior_correlation),
    FIELD(NUMBER, refit.margin),
    FIELD(NUMBER, refit.shift),
    FIELD(NUMBER, refit.copied),
    FIELD(NUMBER, refit.redrawn),
    FIELD(NUMBER, refit.timid),
    FIELD(CHOICE, model.structure), /* since version 4 */
    FIELD(COUNT, model.rank),
    FIELD(COUNT, remember),
};
#undef FIELD
enum { FIELDS = sizeof fields / sizeof *fields, FIELDS_OF_VERSION_3 = 31 };
_Static_assert(sizeof(zilch_law) == sizeof(uint32_t) && sizeof(int) == sizeof(uint32_t), "a choice is a u32");

enum { HAS_FORCED = 1, HAS_GROUP = 2, HAS_LOWER = 4, HAS_UPPER = 8 };

/* ---- Writing -------------------------------------------------------------------------------------- */

static void write_field(zi_writer *w, const field *f, const void *from)
{
    uint32_t choice;
    size_t count;
    uint64_t count64;
    double number;
    switch (f->kind) {
    case CHOICE:
        memcpy(&choice, from, sizeof choice);
        zi_write_u32(w, choice);
        break;
    case COUNT:
        memcpy(&count, from, sizeof count);
        zi_write_u64(w, count);
        break;
    case COUNT64:
        memcpy(&count64, from, sizeof count64);
        zi_write_u64(w, count64);
        break;
    case NUMBER:
        memcpy(&number, from, sizeof number);
        zi_write_double(w, number);
        break;
    }
}

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

zilch_status zi_options_write(zi_writer *w, size_t dim, const zilch_optimizer_options *o)
{
    for (size_t i = 0; i < FIELDS; i++) {
        write_field(w, &fields[i], (const char *)o + fields[i].offset);
    }
    write_arrays(w, dim, o);
    return write_networks(w, o->model.networks);
}

/* ---- Reading: nothing is trusted -------------------------------------------------------------------- */

static zilch_status damaged(const char *what)
{
    return zi_fail(ZILCH_EFORMAT, "optimizer: damaged: %s", what);
}

static void read_field(zi_reader *r, const field *f, void *to)
{
    if (f->kind == CHOICE) {
        const uint32_t choice = zi_read_u32(r);
        memcpy(to, &choice, sizeof choice);
    } else if (f->kind == COUNT) {
        const size_t count = (size_t)zi_read_u64(r);
        memcpy(to, &count, sizeof count);
    } else if (f->kind == COUNT64) {
        const uint64_t count64 = zi_read_u64(r);
        memcpy(to, &count64, sizeof count64);
    } else {
        const double number = zi_read_double(r);
        memcpy(to, &number, sizeof number);
    }
}

static zilch_status read_bounds(zi_reader *r, size_t dim, const double **out)
{
    double *bounds;
    ZI_TRY(zi_alloc(&bounds, dim));
    zi_read_doubles(r, bounds, dim);
    *out = bounds;
    return ZILCH_OK;
}

static zilch_status read_choices(zi_reader *r, uint32_t has, size_t dim, zilch_optimizer_options *o)
{
    zilch_forced *forced = NULL;
    size_t *group = NULL;
    if (has & HAS_FORCED) {
        ZI_TRY(zi_alloc(&forced, dim));
        for (size_t i = 0; i < dim; i++) {
            forced[i] = (zilch_forced)zi_read_u32(r);
        }
        o->forced = forced;
    }
    if (has & HAS_GROUP) {
        ZI_TRY(zi_alloc(&group, dim));
        for (size_t i = 0; i < dim; i++) {
            group[i] = (size_t)zi_read_u64(r);
        }
        o->group = group;
    }
    return ZILCH_OK;
}

static zilch_status read_arrays(zi_reader *r, size_t dim, zilch_optimizer_options *o)
{
    const uint32_t has = zi_read_u32(r);
    if (has > (HAS_FORCED | HAS_GROUP | HAS_LOWER | HAS_UPPER)) {
        return damaged("its options");
    }
    ZI_TRY(read_choices(r, has, dim, o));
    if (has & HAS_LOWER) {
        ZI_TRY(read_bounds(r, dim, &o->lower));
    }
    return has & HAS_UPPER ? read_bounds(r, dim, &o->upper) : ZILCH_OK;
}

static zilch_status read_networks(zi_reader *r, zilch_optimizer_options *o)
{
    const uint64_t length = zi_read_u64(r);
    zilch_networks *networks;
    if (!r->ok || length > r->length - r->position) {
        return damaged("the networks are cut off");
    }
    if (length) {
        ZI_TRY(zilch_networks_unpack(&networks, r->data + r->position, (size_t)length));
        r->position += (size_t)length;
        o->model.networks = networks;
    }
    return ZILCH_OK;
}

zilch_status zi_options_read(zi_reader *r, uint32_t version, size_t dim, zilch_optimizer_options *out)
{
    *out = zilch_optimizer_defaults();
    for (size_t i = 0; i < (version < 4 ? (size_t)FIELDS_OF_VERSION_3 : (size_t)FIELDS); i++) {
        read_field(r, &fields[i], (char *)out + fields[i].offset);
    }
    ZI_TRY(read_arrays(r, dim, out));
    ZI_TRY(read_networks(r, out));
    return r->ok ? ZILCH_OK : damaged("its options");
}
