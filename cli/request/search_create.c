/* From what was asked for to an optimiser: the options, the arrays about single coordinates, the warm start.
 * What the library refuses here was said on the command line, and is therefore wrong usage. */
#include "dataset/dataset.h"
#include "request/coordinates.h"
#include "request/search_options.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the options point to while the optimiser is made; it keeps copies. */
typedef struct arrays {
    zilch_forced *forced;
    size_t *mark; /* of --forced-on and --forced-off */
    size_t *group;
    double *lower, *upper;
    zilch_networks *networks;
} arrays;

static void arrays_free(arrays *a)
{
    free(a->forced);
    free(a->mark);
    free(a->group);
    free(a->lower);
    free(a->upper);
    zilch_networks_destroy(a->networks);
}

/* ---- Single coordinates -------------------------------------------------------------------- */

static int take_coordinates(const search_request *r, size_t dim, arrays *a, zilch_optimizer_options *o)
{
    coordinates_error error;
    if (r->forced_on && coordinates_mark(r->forced_on, dim, ZILCH_FORCED_ON, a->mark, &error)) {
        return search_wrong_usage(r->command, "--forced-on: %s", error.text);
    }
    if (r->forced_off && coordinates_mark(r->forced_off, dim, ZILCH_FORCED_OFF, a->mark, &error)) {
        return search_wrong_usage(r->command, "--forced-off: %s%s", error.text,
                                  r->forced_on ? ", in --forced-on or here" : "");
    }
    for (size_t i = 0; i < dim; i++) {
        a->forced[i] = (zilch_forced)a->mark[i];
    }
    o->forced = r->forced_on || r->forced_off ? a->forced : NULL;
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

static int create(const search_request *r, const zilch_problem_info *problem, arrays *a,
                  zilch_optimizer **out)
{
    const size_t dim = problem->dim;
    zilch_optimizer_options o = r->options;
    o.direction = problem->direction;
    o.penalty = r->said & SEARCH_PENALTY ? o.penalty : problem->penalty;
    a->forced = calloc(dim, sizeof *a->forced);
    a->mark = calloc(dim, sizeof *a->mark);
    a->group = calloc(dim, sizeof *a->group);
    a->lower = calloc(dim, sizeof *a->lower);
    a->upper = calloc(dim, sizeof *a->upper);
    if (!a->forced || !a->mark || !a->group || !a->lower || !a->upper) {
        return cli_fail("out of memory");
    }
    int status = take_coordinates(r, dim, a, &o);
    status = status ? status : take_bounds(r, problem, a, &o);
    if (status) {
        return status;
    }
    if (r->weights && zilch_networks_load(&a->networks, r->weights) != ZILCH_OK) {
        return cli_fail_library();
    }
    o.networks = a->networks;
    const zilch_status created = zilch_optimizer_create(out, dim, r->seed, &o);
    if (created == ZILCH_EARG) {
        zilch_error error = zilch_last_error_details();
        error.where = ""; /* the user knows of no optimiser */
        return search_wrong_usage(r->command, "%s", cli_error_format(&error, NULL));
    }
    return created == ZILCH_OK ? 0 : cli_fail_library();
}

/* ---- Warm start ---------------------------------------------------------------------------------- */

static int tell_points(const search_request *r, const dataset *t, zilch_optimizer *optimizer)
{
    const size_t dim = zilch_optimizer_dim(optimizer);
    if (t->cols != dim + 1) {
        return cli_fail("%s: has %zu columns; a point's %zu coordinates and its value are %zu", r->warm_start,
                        t->cols, dim, dim + 1);
    }
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->x + i * t->cols;
        if (zilch_optimizer_tell_point(optimizer, row, row[dim]) != ZILCH_OK) {
            zilch_error error = zilch_last_error_details();
            error.where = r->warm_start;
            error.row = i;
            error.column = error.coordinate; /* in the same order */
            error.coordinate = ZILCH_NOWHERE;
            return cli_fail("%s", cli_error_format(&error, t->names));
        }
    }
    return 0;
}

static int start_warm(const search_request *r, zilch_optimizer *optimizer)
{
    dataset t;
    dataset_error error;
    if (dataset_read_any(&t, r->warm_start, &error)) {
        return cli_fail("%s", error.text);
    }
    const int status = tell_points(r, &t, optimizer);
    dataset_free(&t);
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
