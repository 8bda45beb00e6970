/* Checks of a request that no single row of its table can make. */
#include "request/search_options.h"
#include "terminal/cli.h"

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

int search_wrong_request(const search_request *r, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return r->is_kept ? cli_fail("what the study keeps of the run is not understood: %s", text)
                      : search_wrong_usage(r->command, "%s", text);
}

/* ---- The problem ------------------------------------------------------------------------------ */

int search_is_regression(const char *problem)
{
    char name[32];
    zilch_regression kind;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(problem, ":"), problem);
    return zilch_regression_parse(name, &kind) == ZILCH_OK;
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
    if (r->dim == UINT64_MAX && !r->is_greeting) {
        return search_wrong_usage(r->command,
                                  "--dim N is missing: how many coordinates the program's points have; or "
                                  "--hello, if the program says so in its first line");
    }
    if (r->dim != UINT64_MAX && r->is_greeting) {
        return search_wrong_usage(r->command,
                                  "--dim and --hello: the program says how many there are; leave --dim out");
    }
    if (r->is_named && !r->names && !r->is_greeting) {
        return search_wrong_usage(r->command, "--named: the names are missing; give --names or --hello");
    }
    if (r->is_named && r->is_plain) {
        return search_wrong_usage(r->command, "--plain and --named: give one of them");
    }
    if (r->is_plain && r->is_sparse) {
        return search_wrong_usage(r->command, "--plain and --sparse: give one of them");
    }
    if (r->is_sparse && r->default_file) {
        return search_wrong_usage(r->command,
                                  "--sparse says that what it leaves out is 0, which is not so with "
                                  "--default; leave one of them out");
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
    if (!r->lander.wind && r->said & powers && !strstr(r->problem, "wind=")) {
        return search_wrong_usage(r->command,
                                  "--wind-power and --turbulence-power say nothing without --wind");
    }
    return 0;
}

/* ---- Settings ---------------------------------------------------------------------------------- */

int search_setting_is_flag(const char *name)
{
    return strcmp(name, "plain") == 0 || strcmp(name, "sparse") == 0 || strcmp(name, "once") == 0;
}

int search_setting_is_own_penalty(const zilch_setting *s)
{
    return s->kind == ZILCH_SETTING_PROBLEM && strcmp(s->name, "penalty") == 0 &&
           strcmp(s->value, "automatic") == 0;
}

/* ---- The search --------------------------------------------------------------------------------- */

static int check_search(const search_request *r)
{
    if (r->weights && r->options.inverter != ZILCH_AMORTISED) {
        return search_wrong_usage(
            r->command, "--weights: only the amortised inverter has networks; add --inverter amortised");
    }
    if (r->bounds && r->bounds_file) {
        return search_wrong_usage(r->command, "--bounds and --bounds-file: give one of them");
    }
    return 0;
}

int search_final_check(const search_request *r)
{
    const zilch_final_options *f = &r->final;
    if (f->final_evaluations && f->final_evaluations < f->final_candidates) {
        return search_wrong_usage(
            r->command,
            "--final-evaluations %llu: is less than --final-candidates %llu; each point needs an evaluation",
            (unsigned long long)f->final_evaluations, (unsigned long long)f->final_candidates);
    }
    if (r->limits.evaluations && f->final_evaluations >= r->limits.evaluations) {
        return search_wrong_usage(
            r->command,
            "--final-evaluations %llu: are a part of --evaluations %llu, which must be more than them",
            (unsigned long long)f->final_evaluations, (unsigned long long)r->limits.evaluations);
    }
    if (f->final_front && !r->limits.evaluations) {
        return search_wrong_usage(r->command, "--final-front: needs --evaluations, of which it takes a part");
    }
    return 0;
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
        status = search_final_check(r);
    }
    return status ? status : check_study(r);
}
