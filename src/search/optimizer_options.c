/* The optimiser's options: the rows of their table, the methods, what no single row can check, and a copy of
 * the caller's. */
#include "search/optimizer_options.h"

#include "base/memory.h"
#include "model/model.h"
#include "search/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ZI_OPTION_TABLE(zilch_optimizer_options, ZILCH_OPTIMIZER_OPTION_LIST, zilch_optimizer_option_list)

zilch_optimizer_options zilch_optimizer_defaults(void)
{
    return ZI_OPTION_DEFAULTS(ZILCH_OPTIMIZER_OPTION_LIST);
}

/* Everything that the publication says about its search; the other methods differ in the law alone. */
zilch_optimizer_options zilch_method_defaults(zilch_method method)
{
    zilch_optimizer_options o = zilch_optimizer_defaults();
    o.method = method;
    o.aggregate = method == ZILCH_METHOD_DEFAULT ? ZILCH_AGGREGATE_LATER : ZILCH_AGGREGATE_LATEST;
    if (method == ZILCH_METHOD_PUBLISHED) {
        o.population = 500;
        o.elites = 100;
        o.reevaluate = ZILCH_REEVALUATE_ALL;
        o.structure = ZILCH_STRUCTURE_FULL;
        o.inverter = ZILCH_AMORTISED;
        o.shrinkage = ZILCH_SHRINK_NONE;
        o.projection = ZILCH_CLIP;
        o.initial_p = 0.5;
        o.initial_mu = 0.0;
        o.initial_sigma = 2.0;
        o.initial_spread = 0.0;
        o.weighting = ZILCH_WEIGHTING_EQUAL;
        o.prior_sigma = o.margin = o.mean_shift = o.recombination = o.immigrants = o.reactivation = 0.0;
        o.variance_scaling = o.refinement = o.smoothing = 0;
    }
    return o;
}

/* ---- Checks -------------------------------------------------------------------------------------- */

static zilch_status check_lists(size_t dim, const zilch_values *list)
{
    size_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        const zi_location place = {"optimizer", {{ZI_COORDINATE, i}}, NULL};
        if ((list[i].count && !list[i].value) || list[i].count > SIZE_MAX / 64 - count) {
            return zi_fail_at(ZILCH_EARG, &place, "its values are missing, or too many");
        }
        count += list[i].count;
        for (size_t k = 0; k < list[i].count; k++) {
            if (!isfinite(list[i].value[k])) {
                return zi_fail_at(ZILCH_EARG, &place, "one of its values is %g; they must be finite numbers",
                                  list[i].value[k]);
            }
        }
    }
    return ZILCH_OK;
}

/* The penalty of a point in which all are active must be a number too. */
static zilch_status check_penalties(size_t dim, const zilch_optimizer_options *o)
{
    double sum = o->penalty * (double)dim;
    for (size_t i = 0; i < dim; i++) {
        if (!(o->penalties[i] >= 0.0 && isfinite(o->penalties[i]))) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"optimizer", {{ZI_COORDINATE, i}}, NULL},
                              "its penalty is %g; it must be a finite number, 0 or more", o->penalties[i]);
        }
        sum += o->penalties[i];
    }
    return isfinite(sum)
               ? ZILCH_OK
               : zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                            "the penalties add up to more than a number can hold; make them smaller");
}

/* There must be numbers on both sides of a default. */
static zilch_status check_defaults(size_t dim, const double *defaults)
{
    static const double most = 1e300;
    for (size_t i = 0; i < dim; i++) {
        if (!(fabs(defaults[i]) <= most)) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"optimizer", {{ZI_COORDINATE, i}}, NULL},
                              "its default is %g; it must be a number from %g to %g", defaults[i], -most,
                              most);
        }
    }
    return ZILCH_OK;
}

zilch_status zi_optimizer_options_check(size_t dim, const zilch_optimizer_options *o)
{
    if (o->size != sizeof *o) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "begin from zilch_optimizer_defaults()");
    }
    ZI_TRY(zi_options_check("optimizer", ROWS, rows, o));
    const int is_zig = zi_law_is_zig(o->method);
    ZI_TRY(zi_model_check_dim(dim, is_zig ? o->structure : ZILCH_STRUCTURE_DIAGONAL, "optimizer"));
    if (o->population * zi_law_width(o->method, dim) > SIZE_MAX / 16) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "a population of %llu points is too large", (unsigned long long)o->population);
    }
    if (o->population && o->population < 3) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "population must be at least 3, or 0 for an automatic one, not %llu",
                          (unsigned long long)o->population);
    }
    if (o->population == 0 && o->elites) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "elites can be given only with a population, of which they are a part");
    }
    if (o->population && (o->elites < 2 || o->elites >= o->population)) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "elites must be at least 2 and fewer than the population of %llu, not %llu",
                          (unsigned long long)o->population, (unsigned long long)o->elites);
    }
    const uint64_t elites =
        o->population ? o->elites : 2; /* of an automatic population, no more than are kept */
    if (o->archive_size && o->archive_size < elites) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "archive_size must be 0, for all, or at least the %llu elites, not %llu",
                          (unsigned long long)elites, (unsigned long long)o->archive_size);
    }
    if (o->linear_limit_count && !o->linear_limits) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "linear_limit_count is %zu, but linear_limits is NULL", o->linear_limit_count);
    }
    for (size_t r = 0; r < o->linear_limit_count; r++) { /* before so many are copied */
        if (o->linear_limits[r].count > dim) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                              "limit %zu has %zu terms, but there are only %zu coordinates", r + 1,
                              o->linear_limits[r].count, dim);
        }
    }
    if (o->max_active > dim || o->min_active > dim) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "at most %zu coordinates can be active", dim);
    }
    if (o->margin > (double)dim / 2.0) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "optimizer"},
                          "margin must be from 0 to %g, half of the coordinates, not %g", (double)dim / 2.0,
                          o->margin);
    }
    ZI_TRY(o->penalties ? check_penalties(dim, o) : ZILCH_OK);
    ZI_TRY(o->defaults ? check_defaults(dim, o->defaults) : ZILCH_OK);
    return o->values ? check_lists(dim, o->values) : ZILCH_OK;
}

/* ---- A copy -------------------------------------------------------------------------------------- */

/* A copy of an array of the caller's, if there is one. */
static zilch_status copy_array(void *out, const void *array, size_t count, size_t size)
{
    void *copy = NULL;
    if (array) {
        ZI_TRY(zi_alloc_bytes(&copy, count, size));
        memcpy(copy, array, count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return ZILCH_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

zilch_status zi_values_create(zilch_values **out, size_t dim, size_t count, double **value)
{
    const size_t room = (count * sizeof **value + sizeof **out - 1) / sizeof **out;
    ZI_TRY(zi_alloc(out, dim + room));
    *value = (double *)(void *)(*out + dim);
    return ZILCH_OK;
}

/* Sorted, and never -0.0. */
static zilch_status copy_values(const zilch_values **out, size_t dim, const zilch_values *list)
{
    zilch_values *copy;
    double *value;
    size_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        count += list[i].count;
    }
    ZI_TRY(zi_values_create(&copy, dim, count, &value));
    for (size_t i = 0; i < dim; i++) {
        copy[i] = (zilch_values){list[i].count, value};
        for (size_t k = 0; k < list[i].count; k++) {
            value[k] = list[i].value[k] + 0.0;
        }
        if (list[i].count) {
            qsort(value, list[i].count, sizeof *value, ascending);
        }
        value += list[i].count;
    }
    *out = copy;
    return ZILCH_OK;
}

static zilch_status copy_networks(const zilch_networks **out, const zilch_networks *networks)
{
    size_t length;
    unsigned char *bytes;
    zilch_networks *copy;
    ZI_TRY(zilch_networks_pack(networks, NULL, 0, &length));
    ZI_TRY(zi_alloc(&bytes, length));
    zilch_status status = zilch_networks_pack(networks, bytes, length, &length);
    status = status == ZILCH_OK ? zilch_networks_unpack(&copy, bytes, length) : status;
    zi_free(bytes);
    if (status == ZILCH_OK) {
        *out = copy;
    }
    return status;
}

/* As text both zeros are 0, so that a copy of the optimiser would have another zero. */
static void drop_negative_zeros(zilch_optimizer_options *o)
{
    for (size_t i = 0; i < ROWS; i++) {
        double number;
        if (rows[i].type == ZILCH_OPTION_NUMBER) {
            memcpy(&number, (char *)o + rows[i].offset, sizeof number);
            number += 0.0;
            memcpy((char *)o + rows[i].offset, &number, sizeof number);
        }
    }
}

/* As many limits as there are whole copies of. */
static zilch_status copy_limits(zilch_optimizer_options *out, const zilch_optimizer_options *o)
{
    zilch_linear_limit *copy;
    if (o->linear_limit_count == 0 || !o->linear_limits) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&copy, o->linear_limit_count));
    out->linear_limits = copy;
    for (size_t r = 0; r < o->linear_limit_count; r++) {
        const zilch_linear_limit *from = &o->linear_limits[r];
        zilch_linear_limit *to = &copy[r];
        *to = (zilch_linear_limit){.count = from->count, .lower = from->lower, .upper = from->upper};
        out->linear_limit_count = r + 1;
        ZI_TRY(copy_array(&to->coordinate, from->coordinate, from->count, sizeof *from->coordinate));
        ZI_TRY(copy_array(&to->weight, from->weight, from->count, sizeof *from->weight));
    }
    return ZILCH_OK;
}

/* Defaults that are all 0 are the same as none. No default is -0.0. */
static zilch_status copy_defaults(const double **out, size_t dim, const double *defaults)
{
    double *copy;
    size_t first = 0;
    while (defaults && first < dim && defaults[first] == 0.0) {
        first++;
    }
    if (!defaults || first == dim) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_alloc(&copy, dim));
    for (size_t i = 0; i < dim; i++) {
        copy[i] = defaults[i] + 0.0;
    }
    *out = copy;
    return ZILCH_OK;
}

/* What is shared with the caller is set to NULL first: whatever fails, what is not NULL is ours. */
zilch_status zi_optimizer_options_copy(zilch_optimizer_options *out, size_t dim,
                                       const zilch_optimizer_options *o)
{
    *out = *o;
    drop_negative_zeros(out);
    out->forced = NULL;
    out->group = NULL;
    out->lower = out->upper = out->penalties = out->step = out->x0 = out->scale = NULL;
    out->values = NULL;
    out->defaults = NULL;
    out->networks = NULL;
    out->linear_limits = NULL;
    out->linear_limit_count = 0;
    ZI_TRY(copy_array(&out->forced, o->forced, dim, sizeof *o->forced));
    ZI_TRY(copy_array(&out->group, o->group, dim, sizeof *o->group));
    ZI_TRY(copy_array(&out->lower, o->lower, dim, sizeof *o->lower));
    ZI_TRY(copy_array(&out->upper, o->upper, dim, sizeof *o->upper));
    ZI_TRY(copy_array(&out->penalties, o->penalties, dim, sizeof *o->penalties));
    ZI_TRY(copy_array(&out->step, o->step, dim, sizeof *o->step));
    ZI_TRY(o->values ? copy_values(&out->values, dim, o->values) : ZILCH_OK);
    ZI_TRY(copy_array(&out->x0, o->x0, dim, sizeof *o->x0));
    ZI_TRY(copy_array(&out->scale, o->scale, dim, sizeof *o->scale));
    ZI_TRY(copy_defaults(&out->defaults, dim, o->defaults));
    ZI_TRY(copy_limits(out, o));
    return o->networks ? copy_networks(&out->networks, o->networks) : ZILCH_OK;
}

void zi_optimizer_options_free(zilch_optimizer_options *o)
{
    zi_free((void *)o->forced);
    zi_free((void *)o->group);
    zi_free((void *)o->lower);
    zi_free((void *)o->upper);
    zi_free((void *)o->penalties);
    zi_free((void *)o->step);
    zi_free((void *)o->values);
    zi_free((void *)o->x0);
    zi_free((void *)o->scale);
    zi_free((void *)o->defaults);
    for (size_t r = 0; r < o->linear_limit_count; r++) {
        zi_free((void *)o->linear_limits[r].coordinate);
        zi_free((void *)o->linear_limits[r].weight);
    }
    zi_free((void *)o->linear_limits);
    zilch_networks_destroy((zilch_networks *)o->networks);
}

zilch_model_options zi_optimizer_options_model(const zilch_optimizer_options *o)
{
    zilch_model_options model = zilch_model_defaults();
    model.inverter = o->inverter;
    model.shrinkage = o->shrinkage;
    model.projection = o->projection;
    model.sigma_floor = o->sigma_floor;
    model.networks = o->networks;
    model.structure = o->structure;
    model.rank = (size_t)o->rank;
    return model;
}
