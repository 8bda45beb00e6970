/* The optimiser's options as bytes, little-endian. Version 5: u32 how many options follow, each as two texts,
 * its name and its value; then u32 which arrays there are (1 forced, 2 group, 4 lower, 8 upper, 16 x0, 32
 * scale, 64 penalties, 128 limits, 256 step, 512 values, 1024 defaults), and these; then u64 the length of
 * the packed networks (0: none), and these. A text is u32 its length and that many bytes. Limits are u64 how
 * many, and for each doubles lower and upper, u64 how many terms, u32 what it has (1 coordinates, 2 weights),
 * and these, as u64 and as doubles. Values are u64 how many there are in all, u64 those of each coordinate,
 * and doubles.
 *
 * Versions 3 and 4, of zilch 0.1, had the fields of the list below in its order in the place of the texts: a
 * choice as u32, a count as u64, a number as a double. */
#include "search/optimizer_options.h"

#include "base/memory.h"

#include <string.h>

enum { HAS_FORCED = 1, HAS_GROUP = 2, HAS_NUMBERS = 4, NUMBERS = 5 };
enum { HAS_LIMITS = 128, HAS_STEP = 256, HAS_VALUES = 512, HAS_DEFAULTS = 1024 };
enum { HAS_COORDINATES = 1, HAS_WEIGHTS = 2 };

/* ---- Writing -------------------------------------------------------------------------------------- */

static void write_text(zi_writer *w, const char *text)
{
    const size_t length = strlen(text);
    zi_write_u32(w, (uint32_t)length);
    zi_write_bytes(w, text, length);
}

static void write_limits(zi_writer *w, const zilch_optimizer_options *o)
{
    zi_write_u64(w, o->linear_limit_count);
    for (size_t r = 0; r < o->linear_limit_count; r++) {
        const zilch_linear_limit *limit = &o->linear_limits[r];
        zi_write_double(w, limit->lower);
        zi_write_double(w, limit->upper);
        zi_write_u64(w, limit->count);
        zi_write_u32(w, (limit->coordinate ? HAS_COORDINATES : 0U) | (limit->weight ? HAS_WEIGHTS : 0U));
        for (size_t k = 0; limit->coordinate && k < limit->count; k++) {
            zi_write_u64(w, limit->coordinate[k]);
        }
        if (limit->weight) {
            zi_write_doubles(w, limit->weight, limit->count);
        }
    }
}

static void write_values(zi_writer *w, size_t dim, const zilch_values *list)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        count += list[i].count;
    }
    zi_write_u64(w, count);
    for (size_t i = 0; i < dim; i++) {
        zi_write_u64(w, list[i].count);
    }
    for (size_t i = 0; i < dim; i++) {
        zi_write_doubles(w, list[i].value, list[i].count);
    }
}

static void write_arrays(zi_writer *w, size_t dim, const zilch_optimizer_options *o)
{
    const double *const numbers[NUMBERS] = {o->lower, o->upper, o->x0, o->scale, o->penalties};
    uint32_t has = (o->forced ? HAS_FORCED : 0U) | (o->group ? HAS_GROUP : 0U) |
                   (o->linear_limit_count ? HAS_LIMITS : 0U) | (o->step ? HAS_STEP : 0U) |
                   (o->values ? HAS_VALUES : 0U) | (o->defaults ? HAS_DEFAULTS : 0U);
    for (unsigned k = 0; k < NUMBERS; k++) {
        has |= numbers[k] ? (uint32_t)HAS_NUMBERS << k : 0U;
    }
    zi_write_u32(w, has);
    for (size_t i = 0; o->forced && i < dim; i++) {
        zi_write_u32(w, o->forced[i]);
    }
    for (size_t i = 0; o->group && i < dim; i++) {
        zi_write_u64(w, o->group[i]);
    }
    for (unsigned k = 0; k < NUMBERS; k++) {
        if (numbers[k]) {
            zi_write_doubles(w, numbers[k], dim);
        }
    }
    if (o->linear_limit_count) {
        write_limits(w, o);
    }
    if (o->step) {
        zi_write_doubles(w, o->step, dim);
    }
    if (o->values) {
        write_values(w, dim, o->values);
    }
    if (o->defaults) {
        zi_write_doubles(w, o->defaults, dim);
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

zilch_status zi_optimizer_options_write(zi_writer *w, size_t dim, const zilch_optimizer_options *o)
{
    char text[ZILCH_OPTION_SIZE];
    size_t count;
    const zilch_option *row = zilch_optimizer_option_list(&count);
    zi_write_u32(w, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        zilch_option_format(&row[i], o, text);
        write_text(w, row[i].name);
        write_text(w, text);
    }
    write_arrays(w, dim, o);
    return write_networks(w, o->networks);
}

/* ---- Reading: nothing is trusted ------------------------------------------------------------------- */

zilch_status zi_optimizer_damaged(const char *what)
{
    return zi_fail(ZILCH_EFORMAT, "optimizer: damaged: %s", what);
}

static void read_text(zi_reader *r, char text[ZILCH_OPTION_SIZE])
{
    const uint32_t length = zi_read_u32(r);
    r->ok = r->ok && length < ZILCH_OPTION_SIZE;
    memset(text, 0, ZILCH_OPTION_SIZE);
    if (r->ok) {
        zi_read_bytes(r, text, length);
    }
}

static const zilch_option *find_row(const char *name)
{
    size_t rows;
    const zilch_option *row = zilch_optimizer_option_list(&rows);
    size_t k = 0;
    while (k < rows && strcmp(row[k].name, name) != 0) {
        k++;
    }
    return k < rows ? &row[k] : NULL;
}

static zilch_status read_texts(zi_reader *r, zilch_optimizer_options *out)
{
    char name[ZILCH_OPTION_SIZE];
    char text[ZILCH_OPTION_SIZE];
    const uint32_t count = zi_read_u32(r);
    for (uint32_t i = 0; i < count; i++) {
        read_text(r, name);
        read_text(r, text);
        if (!r->ok) {
            return zi_optimizer_damaged("its options");
        }
        const zilch_option *row = find_row(name);
        if (!row) {
            return zi_fail(ZILCH_EVERSION,
                           "optimizer: it has the option %s, which this version does not know", name);
        }
        if (zilch_option_parse(row, text, out) != ZILCH_OK) {
            return zi_optimizer_damaged("its options");
        }
        zilch_option_format(row, out, name);
        if (strcmp(name, text) != 0) { /* a value has one text */
            return zi_optimizer_damaged("its options");
        }
    }
    return ZILCH_OK;
}

static zilch_status read_numbers(zi_reader *r, size_t dim, const double **out)
{
    double *numbers;
    ZI_TRY(zi_alloc(&numbers, dim));
    zi_read_doubles(r, numbers, dim);
    *out = numbers;
    return ZILCH_OK;
}

static zilch_status read_limit(zi_reader *r, size_t dim, zilch_linear_limit *out)
{
    const double lower = zi_read_double(r);
    const double upper = zi_read_double(r);
    const uint64_t count = zi_read_u64(r);
    const uint32_t has = zi_read_u32(r);
    *out = (zilch_linear_limit){.lower = lower, .upper = upper};
    if (!r->ok || count > dim || has > (HAS_COORDINATES | HAS_WEIGHTS)) {
        return zi_optimizer_damaged("its options");
    }
    out->count = (size_t)count;
    if (has & HAS_COORDINATES) {
        size_t *coordinate;
        ZI_TRY(zi_alloc(&coordinate, out->count));
        out->coordinate = coordinate;
        for (size_t k = 0; k < out->count; k++) {
            coordinate[k] = (size_t)zi_read_u64(r);
        }
    }
    return has & HAS_WEIGHTS ? read_numbers(r, out->count, &out->weight) : ZILCH_OK;
}

/* As many limits as were read are there, whatever fails. */
static zilch_status read_limits(zi_reader *r, size_t dim, zilch_optimizer_options *o)
{
    const uint64_t count = zi_read_u64(r);
    zilch_linear_limit *limit;
    if (!r->ok || count == 0 || !zi_read_fits(r, count, 3 * 8 + 4)) {
        return zi_optimizer_damaged("its options");
    }
    ZI_TRY(zi_alloc(&limit, (size_t)count));
    o->linear_limits = limit;
    for (size_t k = 0; k < count; k++) {
        o->linear_limit_count = k + 1;
        ZI_TRY(read_limit(r, dim, &limit[k]));
    }
    return ZILCH_OK;
}

static zilch_status read_values(zi_reader *r, size_t dim, const zilch_values **out)
{
    const uint64_t count = zi_read_u64(r);
    uint64_t left = count;
    zilch_values *list;
    double *value;
    if (!zi_read_fits(r, dim, 8) || !zi_read_fits(r, count, 8)) {
        return zi_optimizer_damaged("its options");
    }
    ZI_TRY(zi_values_create(&list, dim, (size_t)count, &value));
    *out = list;
    for (size_t i = 0; i < dim; i++) {
        const uint64_t own = zi_read_u64(r);
        list[i] = (zilch_values){own <= left ? (size_t)own : 0, value + (count - left)};
        r->ok &= own <= left;
        left -= list[i].count;
    }
    zi_read_doubles(r, value, (size_t)count);
    return r->ok && left == 0 ? ZILCH_OK : zi_optimizer_damaged("its options");
}

static zilch_status read_arrays(zi_reader *r, size_t dim, zilch_optimizer_options *o)
{
    zilch_forced *forced;
    size_t *group;
    const double **const numbers[NUMBERS] = {&o->lower, &o->upper, &o->x0, &o->scale, &o->penalties};
    const uint32_t has = zi_read_u32(r);
    if (has >= 2U * HAS_DEFAULTS) {
        return zi_optimizer_damaged("its options");
    }
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
    for (unsigned k = 0; k < NUMBERS; k++) {
        if (has & (uint32_t)HAS_NUMBERS << k) {
            ZI_TRY(read_numbers(r, dim, numbers[k]));
        }
    }
    if (has & HAS_LIMITS) {
        ZI_TRY(read_limits(r, dim, o));
    }
    if (has & HAS_STEP) {
        ZI_TRY(read_numbers(r, dim, &o->step));
    }
    if (has & HAS_VALUES) {
        ZI_TRY(read_values(r, dim, &o->values));
    }
    return has & HAS_DEFAULTS ? read_numbers(r, dim, &o->defaults) : ZILCH_OK;
}

static zilch_status read_networks(zi_reader *r, zilch_optimizer_options *o)
{
    const uint64_t length = zi_read_u64(r);
    zilch_networks *networks;
    if (!r->ok || length > r->length - r->position) {
        return zi_optimizer_damaged("the networks are cut off");
    }
    if (length) {
        ZI_TRY(zilch_networks_unpack(&networks, r->data + r->position, (size_t)length));
        r->position += (size_t)length;
        o->networks = networks;
    }
    return ZILCH_OK;
}

/* ---- Versions 3 and 4 ------------------------------------------------------------------------------ */

/* The fields of then, in their order, under the names of today. One without an option of its name is gone,
 * and had no effect at 0. */
static const struct {
    zilch_option_type type;
    const char *name[20];
} old_fields[] = {
    {ZILCH_OPTION_CHOICE,
     {"method", "direction", "aggregate", "reevaluate", "inverter", "shrinkage", "projection", "weighting",
      "values", "variance_scaling"}},
    {ZILCH_OPTION_COUNT, {"population", "elites", "min_active", "max_active", "restart"}},
    {ZILCH_OPTION_NUMBER,
     {"quorum", "penalty", "initial_p", "initial_mu", "initial_sigma", "initial_spread", "sigma_floor",
      "prior_p", "prior_mu", "prior_sigma", "prior_correlation", "margin", "mean_shift", "recombination",
      "immigrants", "reactivation"}},
    {ZILCH_OPTION_CHOICE, {"structure"}}, /* since version 4 */
    {ZILCH_OPTION_COUNT, {"rank", "archive_size"}},
};
enum { OLD_FIELDS = sizeof old_fields / sizeof *old_fields, OLD_FIELDS_OF_VERSION_3 = 3 };
_Static_assert(HAS_NUMBERS << NUMBERS == HAS_LIMITS, "one bit for each array");
_Static_assert(sizeof(zilch_method) == sizeof(uint32_t) && sizeof(int) == sizeof(uint32_t),
               "a choice is a u32");

static void read_old_field(zi_reader *r, zilch_option_type type, const char *name,
                           zilch_optimizer_options *out, const char **gone)
{
    const zilch_option *row = find_row(name);
    const uint32_t choice = type == ZILCH_OPTION_CHOICE ? zi_read_u32(r) : 0;
    const uint64_t count = type == ZILCH_OPTION_COUNT ? zi_read_u64(r) : 0;
    const double number = type == ZILCH_OPTION_NUMBER ? zi_read_double(r) : 0.0;
    if (!row) {
        *gone = choice || count || number != 0.0 ? name : *gone;
    } else if (type == ZILCH_OPTION_CHOICE) {
        memcpy((char *)out + row->offset, &choice, sizeof choice);
    } else if (type == ZILCH_OPTION_COUNT) {
        memcpy((char *)out + row->offset, &count, sizeof count);
    } else {
        memcpy((char *)out + row->offset, &number, sizeof number);
    }
}

static zilch_status read_old(zi_reader *r, uint32_t version, zilch_optimizer_options *out, const char **gone)
{
    static const zilch_method methods[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_GAUSSIAN, ZILCH_METHOD_ADHOC,
                                           ZILCH_METHOD_EA};
    const size_t count = version < 4 ? OLD_FIELDS_OF_VERSION_3 : OLD_FIELDS;
    out->refinement = out->smoothing = 0; /* which there was not */
    for (size_t i = 0; i < count; i++) {
        for (const char *const *name = old_fields[i].name; *name; name++) {
            read_old_field(r, old_fields[i].type, *name, out, gone);
        }
    }
    const uint32_t law = (uint32_t)out->method;
    if (law >= sizeof methods / sizeof *methods || (uint32_t)out->weighting > ZILCH_WEIGHTING_LINEAR + 1) {
        return zi_optimizer_damaged("its options");
    }
    out->method = methods[law];
    if ((uint32_t)out->weighting > ZILCH_WEIGHTING_LINEAR) {
        *gone = "weighting log";
        out->weighting = ZILCH_WEIGHTING_LINEAR;
    }
    return ZILCH_OK;
}

zilch_status zi_optimizer_options_read(zi_reader *r, uint32_t version, size_t dim,
                                       zilch_optimizer_options *out, const char **gone)
{
    *out = zilch_optimizer_defaults();
    *gone = NULL;
    ZI_TRY(version < 5 ? read_old(r, version, out, gone) : read_texts(r, out));
    ZI_TRY(read_arrays(r, dim, out));
    ZI_TRY(read_networks(r, out));
    return r->ok ? ZILCH_OK : zi_optimizer_damaged("its options");
}
