/* Checks of a request that no single row of its table can make. */
#include "cli.h"
#include "search_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int search_wrong_usage(const char *command, const char *format, ...)
{
    char text[512];
    const cli_usage usage = {.command = command};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cli_wrong_usage(&usage, "%s", text);
}

/* ---- The problem ------------------------------------------------------------------------------ */

int search_is_regression(const char *problem)
{
    char name[32];
    zilch_regression kind;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(problem, ":"), problem);
    return zilch_regression_parse(name, &kind) == ZILCH_OK;
}

const char *search_setting_find(const char *problem, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strchr(problem, ':'); at; at = strchr(at + 1, ',')) {
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '=') {
            return at + 2 + length;
        }
    }
    return NULL;
}

static int check_regression(const search_request *r)
{
    const char *c = r->command;
    const int length = (int)strcspn(r->problem, ":");
    if (r->problem[length]) {
        return search_wrong_usage(c,
                                  "--problem: %.*s takes no settings behind the colon; --data, --response, "
                                  "--searched and --validation are its options",
                                  length, r->problem);
    }
    if (!r->data) {
        return search_wrong_usage(c, "--data FILE is missing, which %s needs", r->problem);
    }
    if (strcmp(r->data, "-") == 0) {
        return search_wrong_usage(c, "--data: is read again when the run is resumed; give a file");
    }
    if (r->dim != UINT64_MAX) {
        return search_wrong_usage(c, "--dim: the columns of --data are the coordinates; leave it out");
    }
    if (!(r->validation > 0 && r->validation < 1)) {
        return search_wrong_usage(c, "--validation: must be between 0 and 1, the ends excluded");
    }
    return 0;
}

static int check_program(const search_request *r)
{
    if (!*r->program) {
        return search_wrong_usage(r->command, "--program: is empty");
    }
    if (r->dim == UINT64_MAX) {
        return search_wrong_usage(r->command,
                                  "--dim N is missing: how many coordinates the program's points have");
    }
    if (r->is_plain && r->is_sparse) {
        return search_wrong_usage(r->command, "--plain and --sparse: give one of them");
    }
    if (r->is_once && r->ahead > 1) {
        return search_wrong_usage(r->command, "--ahead: a program that is started for each point gets one");
    }
    return 0;
}

/* Wind may also be a setting behind the problem's colon. */
static int check_world(const search_request *r)
{
    const unsigned powers = SEARCH_WIND_POWER | SEARCH_TURBULENCE_POWER;
    if (!(r->lander.gravity > -12.0 && r->lander.gravity < 0.0)) {
        return search_wrong_usage(r->command, "--gravity: must be between -12 and 0, the ends excluded");
    }
    if (!r->lander.wind && r->said & powers && !search_setting_find(r->problem, "wind")) {
        return search_wrong_usage(r->command,
                                  "--wind-power and --turbulence-power say nothing without --wind");
    }
    return 0;
}

/* ---- The search --------------------------------------------------------------------------------- */

static int check_search(const search_request *r)
{
    const char *c = r->command;
    if (r->elites >= r->population) {
        return search_wrong_usage(c, "--elites %llu: must be fewer than the population, which is %llu",
                                  (unsigned long long)r->elites, (unsigned long long)r->population);
    }
    if (!(r->initial_spread < 1)) {
        return search_wrong_usage(c, "--initial-spread: must be below 1");
    }
    if (r->active_most > 0 && r->active_least > r->active_most) {
        return search_wrong_usage(c, "--active-least %llu is more than --active-most %llu",
                                  (unsigned long long)r->active_least, (unsigned long long)r->active_most);
    }
    if (r->weights && r->inverter != ZILCH_AMORTISED) {
        return search_wrong_usage(
            c, "--weights: only the amortised inverter has networks; add --inverter amortised");
    }
    if (r->bounds && r->bounds_file) {
        return search_wrong_usage(c, "--bounds and --bounds-file: give one of them");
    }
    return 0;
}

int search_ending_check(const char *command, const search_ending *e)
{
    if (e->shortlist != UINT64_MAX && e->recheck != UINT64_MAX && e->recheck < e->shortlist) {
        return search_wrong_usage(
            command, "--recheck %llu: is less than --shortlist %llu; each point needs an evaluation",
            (unsigned long long)e->recheck, (unsigned long long)e->shortlist);
    }
    return 0;
}

zilch_limits search_limits_of(const search_request *r)
{
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = r->limits.generations;
    limits.evaluations = r->limits.evaluations;
    limits.stagnation = r->limits.stagnation;
    limits.target = r->limits.target;
    limits.over_ask = r->over_ask;
    return limits;
}

static int check_study(const search_request *r)
{
    if (r->study && !*r->study) {
        return search_wrong_usage(r->command, "--study: the file's name is empty");
    }
    if (cli_is_same_file(r->study, r->data) || cli_is_same_file(r->study, r->warm_start)) {
        return search_wrong_usage(r->command, "--study: %s is what is read", r->study);
    }
    return 0;
}

int search_request_check(const search_request *r)
{
    int status = r->program                         ? check_program(r)
                 : search_is_regression(r->problem) ? check_regression(r)
                                                    : check_world(r);
    if (!status) {
        status = check_search(r);
    }
    if (!status) {
        status = search_ending_check(r->command, &r->ending);
    }
    return status ? status : check_study(r);
}
