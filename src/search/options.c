/* The optimiser's options: defaults, what is allowed, and a copy of the caller's. */
#include "search/options.h"

#include "base/memory.h"
#include "model/model.h"
#include "search/law.h"

#include <math.h>
#include <string.h>

zilch_optimizer_options zilch_optimizer_defaults(void)
{
    zilch_model_options model = zilch_model_defaults();
    model.shrinkage = ZILCH_SHRINK_FISHER; /* elites are few: docs/search.md has the figures */
    model.projection = ZILCH_CLIP;
    return (zilch_optimizer_options){.size = sizeof(zilch_optimizer_options),
                                     .law = ZILCH_LAW_ZIG,
                                     .direction = ZILCH_MINIMIZE,
                                     .archive = ZILCH_ARCHIVE_LATEST,
                                     .again = ZILCH_AGAIN_UNCERTAIN,
                                     .population = 500,
                                     .elites = 0,
                                     .share = 1.0,
                                     .price = 0.0,
                                     .initial_p = 0.5,
                                     .initial_mu = 0.0,
                                     .initial_sigma = 2.0,
                                     .initial_spread = 0.1,
                                     .model = model,
                                     .refit = {.prior_sigma = 5.0,
                                               .weighting = ZILCH_WEIGHTING_LINEAR,
                                               .margin = 0.5,
                                               .shift = 0.25,
                                               .copied = 0.02,
                                               .redrawn = 0.05,
                                               .timid = 0.5,
                                               .is_widened = 1}};
}

static zilch_status check_counts(size_t dim, const zilch_optimizer_options *o)
{
    const size_t most = (size_t)1 << 24;
    const size_t wide = zi_law_width(o->law, dim);
    ZI_TRY(zi_model_check_dim(dim, o->law == ZILCH_LAW_ZIG ? o->model.structure : ZILCH_STRUCTURE_DIAGONAL,
                              "optimizer"));
    if (o->population > most || o->population * wide > SIZE_MAX / 16) {
        return zi_fail(ZILCH_EARG, "optimizer: a population of %zu points is too large", o->population);
    }
    if (o->elites < 2 || o->elites >= o->population) {
        return zi_fail(ZILCH_EARG,
                       "optimizer: elites must be at least 2 and fewer than the population of %zu, not %zu",
                       o->population, o->elites);
    }
    if (o->remember && o->remember < o->elites) {
        return zi_fail(ZILCH_EARG,
                       "optimizer: remember must be 0, for all, or at least the %zu elites, not %zu",
                       o->elites, o->remember);
    }
    if (o->active_most > dim || o->active_least > dim) {
        return zi_fail(ZILCH_EARG, "optimizer: at most %zu coordinates can be active", dim);
    }
    return ZILCH_OK;
}

static zilch_status check_numbers(const zilch_optimizer_options *o)
{
    if (!(o->share > 0.0 && o->share <= 1.0)) {
        return zi_fail(ZILCH_EARG, "optimizer: share must be above 0 and at most 1, not %g", o->share);
    }
    if (!isfinite(o->price)) {
        return zi_fail(ZILCH_EARG, "optimizer: price must be finite");
    }
    if (!(o->initial_p >= 0.0 && o->initial_p <= 1.0)) {
        return zi_fail(ZILCH_EARG, "optimizer: initial_p must be from 0 to 1, not %g", o->initial_p);
    }
    if (!isfinite(o->initial_mu) || !(o->initial_sigma >= 0.0 && isfinite(o->initial_sigma))) {
        return zi_fail(ZILCH_EARG,
                       "optimizer: initial_mu and initial_sigma must be finite, sigma not negative");
    }
    if (!(o->initial_spread >= 0.0 && o->initial_spread < 1.0)) {
        return zi_fail(ZILCH_EARG, "optimizer: initial_spread must be from 0 to below 1, not %g",
                       o->initial_spread);
    }
    return ZILCH_OK;
}

static zilch_status check_refit(size_t dim, const zilch_refit *r, zilch_structure structure)
{
    const struct {
        const char *name;
        double value, most;
    } row[] = {{"prior_p", r->prior_p, 1e6},
               {"prior_mu", r->prior_mu, 1e6},
               {"prior_sigma", r->prior_sigma, 1e6},
               {"prior_correlation", r->prior_correlation, 1e6},
               {"margin", r->margin, (double)dim / 2.0},
               {"shift", r->shift, 1.0},
               {"copied", r->copied, 1.0},
               {"redrawn", r->redrawn, 1.0},
               {"timid", r->timid, 1.0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (!(row[i].value >= 0.0 && row[i].value <= row[i].most)) {
            return zi_fail(ZILCH_EARG, "optimizer: %s must be from 0 to %g, not %g", row[i].name, row[i].most,
                           row[i].value);
        }
    }
    if (r->prior_correlation > 0.0 && structure != ZILCH_STRUCTURE_FULL) {
        return zi_fail(ZILCH_EARG, "optimizer: prior_correlation is for structure full, not %s",
                       zilch_structure_name(structure));
    }
    if (!zilch_weighting_name(r->weighting) || !zilch_values_name(r->values)) {
        return zi_fail(ZILCH_EARG, "optimizer: weighting or values is none of the known ones");
    }
    if (r->is_widened != 0 && r->is_widened != 1) {
        return zi_fail(ZILCH_EARG, "optimizer: is_widened must be 0 or 1, not %d", r->is_widened);
    }
    return ZILCH_OK;
}

zilch_status zi_options_check(size_t dim, const zilch_optimizer_options *o)
{
    if (o->size != sizeof *o) {
        return zi_fail(ZILCH_EARG, "optimizer: begin from zilch_optimizer_defaults()");
    }
    if (!zilch_law_name(o->law) || !zilch_direction_name(o->direction) || !zilch_archive_name(o->archive) ||
        !zilch_again_name(o->again)) {
        return zi_fail(ZILCH_EARG, "optimizer: law, direction, archive or again is none of the known ones");
    }
    ZI_TRY(zi_model_check_options(&o->model));
    ZI_TRY(check_counts(dim, o));
    ZI_TRY(check_numbers(o));
    return check_refit(dim, &o->refit, o->model.structure);
}

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

/* What is shared with the caller is set to NULL first: whatever fails, what is not NULL is ours. */
zilch_status zi_options_copy(zilch_optimizer_options *out, size_t dim, const zilch_optimizer_options *o)
{
    *out = *o;
    out->forced = NULL;
    out->group = NULL;
    out->lower = out->upper = NULL;
    out->model.networks = NULL;
    ZI_TRY(copy_array(&out->forced, o->forced, dim, sizeof *o->forced));
    ZI_TRY(copy_array(&out->group, o->group, dim, sizeof *o->group));
    ZI_TRY(copy_array(&out->lower, o->lower, dim, sizeof *o->lower));
    ZI_TRY(copy_array(&out->upper, o->upper, dim, sizeof *o->upper));
    return o->model.networks ? copy_networks(&out->model.networks, o->model.networks) : ZILCH_OK;
}

void zi_options_free(zilch_optimizer_options *o)
{
    zi_free((void *)o->forced);
    zi_free((void *)o->group);
    zi_free((void *)o->lower);
    zi_free((void *)o->upper);
    zilch_networks_destroy((zilch_networks *)o->model.networks);
}
