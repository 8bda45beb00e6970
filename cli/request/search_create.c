/* From what was asked for to an optimiser: the options, the arrays about single coordinates, the warm start.
 * What the library refuses here was said on the command line, and is therefore wrong usage. */
#include "dataset/dataset.h"
#include "request/coordinates.h"
#include "request/search_limits.h"
#include "request/search_problem.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the options point to while the optimiser is made; it keeps copies. */
typedef struct arrays {
    zilch_forced *forced;
    size_t *mark; /* of --forced-on and --forced-off */
    size_t *group;
    double *number[COORDINATES_COLUMNS]; /* lower and upper bounds, x0, scale */
    double *penalties, *defaults, *step;
    zilch_values *values;
    size_t dim;
    zilch_networks *networks;
    zilch_linear_limit *limit;
    size_t limits;
} arrays;

static void arrays_free(arrays *a)
{
    free(a->forced);
    free(a->mark);
    free(a->group);
    for (size_t k = 0; k < COORDINATES_COLUMNS; k++) {
        free(a->number[k]);
    }
    free(a->penalties);
    free(a->defaults);
    free(a->step);
    coordinates_values_free(a->dim, a->values);
    zilch_networks_destroy(a->networks);
    zilch_linear_limits_free(a->limit, a->limits);
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
    double said[COORDINATES_COLUMNS] = {problem->lower, problem->upper, r->x0, r->scale};
    if (r->bounds_file && coordinates_bounds_read(r->bounds_file, problem->dim, a->number, &error)) {
        return cli_fail("%s: %s", r->bounds_file, error.text);
    }
    if (r->bounds && coordinates_bounds(r->bounds, &said[0], &said[1], &error)) {
        return search_wrong_usage(r->command, "--bounds: %s", error.text);
    }
    for (size_t k = 0; k < COORDINATES_COLUMNS; k++) {
        const int is_read = r->bounds_file && (k < 2 || !isnan(a->number[k][0]));
        if (is_read && k >= 2 && !isnan(said[k])) {
            return search_wrong_usage(r->command, "--%s: %s has it for each coordinate; give one of them",
                                      k == 2 ? "x0" : "scale", r->bounds_file);
        }
        for (size_t i = 0; i < problem->dim && !is_read; i++) {
            a->number[k][i] = said[k];
        }
    }
    const int is_bounded = r->bounds_file || !isinf(said[0]) || !isinf(said[1]);
    o->lower = is_bounded ? a->number[0] : NULL;
    o->upper = is_bounded ? a->number[1] : NULL;
    o->x0 = isnan(a->number[2][0]) ? NULL : a->number[2];
    o->scale = isnan(a->number[3][0]) ? NULL : a->number[3];
    return 0;
}

/* A number for each coordinate from a file, if there is one. */
static int take_numbers(const search_problem *p, const char *path, const coordinates_kind *kind, double **out)
{
    coordinates_error error;
    if (!path) {
        return 0;
    }
    *out = malloc(p->info.dim * sizeof **out);
    if (!*out) {
        return cli_fail("out of memory");
    }
    return coordinates_numbers_read(path, kind, p->info.dim, p->names, *out, &error)
               ? cli_fail("%s: %s", path, error.text)
               : 0;
}

static int take_files(const search_request *r, const search_problem *p, arrays *a, zilch_optimizer_options *o)
{
    static const coordinates_kind penalties = {"penalty", "penalties", 0.0};
    static const coordinates_kind defaults = {"default", "defaults", -INFINITY};
    if (r->default_file && p->is_subset) {
        return search_wrong_usage(r->command,
                                  "--default: columns of data are used or not, and have no values; "
                                  "with --searched coefficients they have");
    }
    int status = take_numbers(p, r->penalty_file, &penalties, &a->penalties);
    status = status ? status : take_numbers(p, r->default_file, &defaults, &a->defaults);
    o->penalties = a->penalties;
    o->defaults = a->defaults;
    return status;
}

static int take_allowed(const search_request *r, const search_problem *p, arrays *a,
                        zilch_optimizer_options *o)
{
    coordinates_error error;
    const size_t dim = p->info.dim;
    a->dim = dim;
    a->step = malloc(dim * sizeof *a->step);
    a->values = calloc(dim, sizeof *a->values);
    if (!a->step || !a->values) {
        return cli_fail("out of memory");
    }
    if (r->step && coordinates_steps(r->step, dim, p->names, a->step, &error)) {
        return search_wrong_usage(r->command, "--step: %s", error.text);
    }
    if (r->values_file && coordinates_values_read(r->values_file, dim, p->names, a->values, &error)) {
        return cli_fail("%s: %s", r->values_file, error.text);
    }
    for (size_t i = 0; i < dim && r->step; i++) { /* one step for all is for those without a list */
        const int is_listed = a->values[i].count > 0 && !strchr(r->step, '=');
        a->step[i] = is_listed ? 0.0 : a->step[i];
    }
    o->step = r->step ? a->step : NULL;
    o->values = r->values_file ? a->values : NULL;
    return 0;
}

/* ---- Options ---------------------------------------------------------------------------------- */

static int create(const search_request *r, const search_problem *p, arrays *a, zilch_optimizer **out)
{
    const zilch_problem_info *problem = &p->info;
    const size_t dim = problem->dim;
    zilch_optimizer_options o = r->options;
    o.direction = problem->direction;
    o.penalty = r->said & SEARCH_PENALTY ? o.penalty : problem->penalty;
    a->forced = calloc(dim, sizeof *a->forced);
    a->mark = calloc(dim, sizeof *a->mark);
    a->group = calloc(dim, sizeof *a->group);
    int is_there = a->forced && a->mark && a->group;
    for (size_t k = 0; k < COORDINATES_COLUMNS; k++) {
        a->number[k] = calloc(dim, sizeof *a->number[k]);
        is_there = is_there && a->number[k];
    }
    if (!is_there) {
        return cli_fail("out of memory");
    }
    int status = take_coordinates(r, dim, a, &o);
    status = status ? status : take_bounds(r, problem, a, &o);
    status = status ? status : search_limits_read(r, dim, p->names, &a->limit, &a->limits);
    status = status ? status : take_files(r, p, a, &o);
    status = status ? status : take_allowed(r, p, a, &o);
    if (status) {
        return status;
    }
    if (r->weights && zilch_networks_load(&a->networks, r->weights) != ZILCH_OK) {
        return cli_fail_library();
    }
    o.networks = a->networks;
    o.linear_limits = a->limit;
    o.linear_limit_count = a->limits;
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

int search_optimizer_create(const search_request *r, const search_problem *problem, zilch_optimizer **out)
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
