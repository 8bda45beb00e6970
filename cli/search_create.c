/* From what was asked for to an optimiser: the options, the arrays about single coordinates, the warm start.
 * What the library refuses here was said on the command line, and is therefore wrong usage. */
#include "cli.h"
#include "coordinates.h"
#include "search_options.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the options point to while the optimiser is made; it keeps copies. */
typedef struct arrays {
    zilch_forced *forced;
    size_t *mark; /* of --on and --off */
    size_t *group;
    double *lower, *upper;
    zilch_networks *networks;
} arrays;

static int arrays_allocate(arrays *a, size_t dim)
{
    a->forced = calloc(dim, sizeof *a->forced);
    a->mark = calloc(dim, sizeof *a->mark);
    a->group = calloc(dim, sizeof *a->group);
    a->lower = calloc(dim, sizeof *a->lower);
    a->upper = calloc(dim, sizeof *a->upper);
    return a->forced && a->mark && a->group && a->lower && a->upper ? 0 : cli_fail("out of memory");
}

static void arrays_free(arrays *a)
{
    free(a->forced);
    free(a->mark);
    free(a->group);
    free(a->lower);
    free(a->upper);
    zilch_networks_destroy(a->networks);
}

/* The library's last error, counted from 1, without the word it begins with. */
static const char *error_behind(const char *word)
{
    const char *text = cli_error_text();
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : text;
}

/* ---- Single coordinates -------------------------------------------------------------------- */

static int take_forced(const search_request *r, size_t dim, arrays *a, zilch_optimizer_options *o)
{
    coordinates_error error;
    if (r->on && coordinates_mark(r->on, dim, ZILCH_FORCED_ON, a->mark, &error)) {
        return search_wrong_usage(r->command, "--on: %s", error.text);
    }
    if (r->off && coordinates_mark(r->off, dim, ZILCH_FORCED_OFF, a->mark, &error)) {
        return search_wrong_usage(r->command, "--off: %s%s", error.text, r->on ? ", in --on or here" : "");
    }
    for (size_t i = 0; i < dim; i++) {
        a->forced[i] = (zilch_forced)a->mark[i];
    }
    o->forced = r->on || r->off ? a->forced : NULL;
    return 0;
}

static int take_groups(const search_request *r, size_t dim, arrays *a, zilch_optimizer_options *o)
{
    coordinates_error error;
    if (r->groups && coordinates_group(r->groups, dim, a->group, &error)) {
        return search_wrong_usage(r->command, "--groups: %s", error.text);
    }
    o->group = r->groups ? a->group : NULL;
    return 0;
}

static int take_bounds(const search_request *r, const zilch_problem_info *problem, arrays *a,
                       zilch_optimizer_options *o)
{
    coordinates_error error;
    double low = problem->lower;
    double high = problem->upper;
    o->lower = a->lower;
    o->upper = a->upper;
    if (r->bounds_file) {
        return coordinates_bounds_read(r->bounds_file, problem->dim, a->lower, a->upper, &error)
                   ? cli_fail("%s: %s", r->bounds_file, error.text)
                   : 0;
    }
    if (r->bounds && coordinates_bounds(r->bounds, &low, &high, &error)) {
        return search_wrong_usage(r->command, "--bounds: %s", error.text);
    }
    for (size_t i = 0; i < problem->dim; i++) {
        a->lower[i] = low;
        a->upper[i] = high;
    }
    if (isinf(low) && isinf(high)) {
        o->lower = o->upper = NULL;
    }
    return 0;
}

/* ---- Options ---------------------------------------------------------------------------------- */

static zilch_optimizer_options options_of(const search_request *r, const zilch_problem_info *problem)
{
    zilch_optimizer_options o = zilch_optimizer_defaults();
    o.law = (zilch_law)r->law;
    o.direction = problem->direction;
    o.archive = (zilch_archive)r->archive;
    o.again = (zilch_again)r->again;
    o.population = (size_t)r->population;
    o.elites = (size_t)r->elites;
    o.price = isnan(r->price) ? problem->price : r->price;
    o.initial_p = r->initial_p;
    o.initial_mu = r->initial_mu;
    o.initial_sigma = r->initial_sigma;
    o.initial_spread = r->initial_spread;
    o.restart = r->restart;
    o.active_least = (size_t)r->active_least;
    o.active_most = (size_t)r->active_most;
    o.remember = (size_t)r->remember;
    o.model.structure = (zilch_structure)r->structure;
    o.model.rank = (size_t)r->rank;
    o.model.inverter = (zilch_inverter)r->inverter;
    o.model.shrinkage = (zilch_shrinkage)r->shrinkage;
    o.model.projection = (zilch_projection)r->projection;
    o.refit = r->refit;
    o.refit.weighting = (zilch_weighting)r->weighting;
    o.refit.values = (zilch_values)r->values;
    return o;
}

static int create(const search_request *r, const zilch_problem_info *problem, arrays *a,
                  zilch_optimizer **out)
{
    zilch_optimizer_options o = options_of(r, problem);
    int status = arrays_allocate(a, problem->dim);
    if (!status) {
        status = take_forced(r, problem->dim, a, &o);
    }
    if (!status) {
        status = take_groups(r, problem->dim, a, &o);
    }
    if (!status) {
        status = take_bounds(r, problem, a, &o);
    }
    if (!status && r->weights && zilch_networks_load(&a->networks, r->weights) != ZILCH_OK) {
        status = cli_fail_library();
    }
    if (status) {
        return status;
    }
    o.model.networks = a->networks;
    const zilch_status created = zilch_optimizer_create(out, problem->dim, r->seed, &o);
    return created == ZILCH_OK     ? 0
           : created == ZILCH_EARG ? search_wrong_usage(r->command, "%s", error_behind("optimizer: "))
                                   : cli_fail_library();
}

/* ---- Warm start ---------------------------------------------------------------------------------- */

/* Coordinates are columns of the file, in the same order. */
static int fail_row(const search_request *r, size_t row)
{
    static const char word[] = "coordinate";
    const char *text = error_behind("point: ");
    const int is_column = strncmp(text, word, strlen(word)) == 0;
    return cli_fail("%s: row %zu: %s%s", r->warm_start, row, is_column ? "column" : "",
                    is_column ? text + strlen(word) : text);
}

static int tell_points(const search_request *r, const table *t, zilch_optimizer *optimizer)
{
    const size_t dim = zilch_optimizer_dim(optimizer);
    if (t->cols != dim + 1) {
        return cli_fail("%s: has %zu columns; a point's %zu coordinates and its value are %zu", r->warm_start,
                        t->cols, dim, dim + 1);
    }
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->x + i * t->cols;
        if (zilch_tell_point(optimizer, row, row[dim]) != ZILCH_OK) {
            return fail_row(r, i + 1);
        }
    }
    return 0;
}

static int start_warm(const search_request *r, zilch_optimizer *optimizer)
{
    table t;
    table_error error;
    if (table_read_any(&t, r->warm_start, &error)) {
        return cli_fail("%s", error.text);
    }
    const int status = tell_points(r, &t, optimizer);
    table_free(&t);
    return status;
}

int search_optimizer_create(const search_request *r, const zilch_problem_info *problem, zilch_optimizer **out)
{
    arrays a = {0};
    *out = NULL;
    int status = create(r, problem, &a, out);
    arrays_free(&a);
    if (!status && r->warm_start) {
        status = start_warm(r, *out);
    }
    if (status) {
        zilch_optimizer_destroy(*out);
        *out = NULL;
    }
    return status;
}
