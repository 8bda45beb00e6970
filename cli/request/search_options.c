/* The table of options for a search. Its rows come in groups, so that the commands share them; a group that
 * is about one kind of problem is refused for the others. A method changes the defaults, and the words are
 * then read once more, so that what is said explicitly wins. */
#include "request/search_options.h"

#include "request/lander_options.h"
#include "request/search_problem.h"
#include "terminal/cli.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM_MOST = 1000000, NOT_KEPT = -1, NAME_SIZE = 32 };

static const char optimize_about[] = "Search a sparse optimum of a problem, of a regression on a dataset, or "
                                     "of whatever a program of yours evaluates. "
                                     "Every generation is kept in a study, which is one file; 'zilch resume "
                                     "STUDY' goes on with an interrupted run.";

/* ---- Tables of rows ---------------------------------------------------------------------- */

/* Which problems a row is about. */
typedef enum concern { FOR_ALL, FOR_LANDER, FOR_REGRESSION, FOR_PROGRAM, FOR_ASK } concern;

typedef struct option_table {
    cli_option row[CLI_OPTIONS_MOST + 1];   /* an empty one ends it */
    char name[CLI_OPTIONS_MOST][NAME_SIZE]; /* of rows that come from the library */
    concern concern[CLI_OPTIONS_MOST];
    int kind[CLI_OPTIONS_MOST]; /* of the setting that a study keeps; or NOT_KEPT */
    const char *heading[CLI_OPTIONS_MOST];
    unsigned char is_expert[CLI_OPTIONS_MOST];
    unsigned char given[CLI_OPTIONS_MOST]; /* which rows were said */
    size_t count;
} option_table;

/* How a group of rows is kept and shown. */
typedef struct group {
    concern concern;
    int kind;
    const char *heading; /* before the first */
    int is_expert;
} group;

static void add(option_table *t, group g, const cli_option *rows, size_t count)
{
    assert(t->count + count <= CLI_OPTIONS_MOST);
    for (size_t i = 0; i < count; i++, t->count++) {
        t->row[t->count] = rows[i];
        t->concern[t->count] = g.concern;
        t->kind[t->count] = g.kind;
        t->heading[t->count] = i == 0 ? g.heading : NULL;
        t->is_expert[t->count] = (unsigned char)g.is_expert;
    }
}

#define ADD(table, group, rows) add(table, group, rows, sizeof(rows) / sizeof *(rows))

/* Options have dashes where settings have underscores. */
static void name_with_dashes(const char *name, char out[NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "%s", name);
    for (char *at = out; (at = strchr(at, '_')) != NULL;) {
        *at = '-';
    }
}

/* Rows of the library: its names with dashes, its sentences, its ranges. */
static void add_library(option_table *t, const char *heading, const zilch_option *list, size_t count,
                        void *options, zilch_option_group wanted)
{
    static const cli_kind kinds[] = {[ZILCH_OPTION_CHOICE] = CLI_CHOICE,
                                     [ZILCH_OPTION_COUNT] = CLI_COUNT,
                                     [ZILCH_OPTION_NUMBER] = CLI_REAL,
                                     [ZILCH_OPTION_FLAG] = CLI_CHOICE};
    static const char *const arguments[] = {"NAME", "N", "X", "NAME"};
    for (size_t i = 0; i < count; i++) {
        const zilch_option *o = &list[i];
        char *name = t->name[t->count];
        if (o->group != wanted) {
            continue;
        }
        name_with_dashes(o->name, name);
        const concern about = strcmp(name, "direction") == 0 ? FOR_PROGRAM /* others say it themselves */
                              : strcmp(name, "quorum") == 0  ? FOR_ASK     /* others wait for all values */
                                                             : FOR_ALL;
        const cli_option row = {name,
                                strcmp(name, "generations") == 0 ? 'g' : 0,
                                arguments[o->type],
                                kinds[o->type],
                                (char *)options + o->offset,
                                o->least,
                                o->greatest,
                                o->type == ZILCH_OPTION_FLAG ? "no|yes" : o->choices,
                                o->about};
        const group g = {about, NOT_KEPT, heading, wanted == ZILCH_OPTION_EXPERT};
        add(t, g, &row, 1);
        heading = NULL;
    }
}

static size_t find_row(const option_table *t, const char *name)
{
    size_t k = 0;
    while (k < t->count && strcmp(t->row[k].name, name) != 0) {
        k++;
    }
    return k;
}

static int is_given(const option_table *t, const char *name)
{
    const size_t k = find_row(t, name);
    return k < t->count && t->given[k];
}

/* ---- The problem ------------------------------------------------------------------------- */

static void add_problem(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"problem", 'p', "NAME", CLI_TEXT, &r->problem, 0, 0, NULL,
         "sphere, smop1 to smop8, ellipsoid, rosenbrock or lander, with settings such as smop1:dim=1000; or "
         "linear or logistic, a regression on --data."},
        {"program", 0, "COMMAND", CLI_TEXT, &r->program, 0, 0, NULL,
         "A program that reads points and prints values."},
        {"dim", 0, "N", CLI_COUNT, &r->dim, 1, DIM_MOST, NULL,
         "Number of coordinates; --program needs it or --hello."},
    };
    const cli_option data[] = {
        {"data", 0, "FILE", CLI_TEXT, &r->data, 0, 0, NULL,
         "The dataset of a regression: CSV, text or .npy, a row for each observation."},
        {"response", 0, "COLUMN", CLI_TEXT, &r->response, 0, 0, NULL,
         "The column to be predicted, by name or by number from 1. Without it, the last."},
    };
    const cli_option regression[] = {
        {"searched", 0, "NAME", CLI_CHOICE, &r->searched, 0, 0, cli_searched,
         "What is searched: which columns are used, their coefficients being fitted; or the coefficients."},
        {"validation", 0, "SHARE", CLI_REAL, &r->validation, 0, 1, NULL,
         "Share of the rows that are held out, the ends excluded."},
    };
    ADD(t, ((group){FOR_ALL, NOT_KEPT, "What is optimised:", 0}), rows);
    t->kind[find_row(t, "program")] = ZILCH_SETTING_PROBLEM;
    ADD(t, ((group){FOR_REGRESSION, NOT_KEPT, NULL, 0}), data);
    t->kind[find_row(t, "response")] = ZILCH_SETTING_PROBLEM;
    ADD(t, ((group){FOR_REGRESSION, ZILCH_SETTING_PROBLEM, NULL, 1}), regression);
}

static void add_program(search_request *r, option_table *t)
{
    const cli_option jobs[] = {
        {"jobs", 'j', "N", CLI_COUNT, &r->jobs, 0, 4096, NULL,
         "Programs that run at the same time; 0: one for each processor."},
    };
    const cli_option hello[] = {
        {"hello", 0, NULL, CLI_FLAG, &r->is_greeting, 0, 0, NULL,
         "The first line of the program, before it is given a point, is {\"names\": [...]} or {\"dim\": N}: "
         "the names of the coordinates, or how many there are."},
    };
    const cli_option common[] = {
        {"timeout", 0, "SECONDS", CLI_REAL, &r->timeout, 0, 1e9, NULL,
         "Time for an evaluation, which has failed after that; 0: no limit."},
        {"plain", 0, NULL, CLI_FLAG, &r->is_plain, 0, 0, NULL,
         "The program reads a line of numbers and prints a number. Without it, both are JSON."},
    };
    const cli_option expert[] = {
        {"named", 0, NULL, CLI_FLAG, &r->is_named, 0, 0, NULL,
         "The program is told the coordinates by their names: {\"id\":7,\"x\":{\"flour\":1.5,\"salt\":0}}."},
        {"sparse", 0, NULL, CLI_FLAG, &r->is_sparse, 0, 0, NULL,
         "The program is told the active coordinates only: {\"id\":7,\"active\":{\"1\":1.5}}."},
        {"once", 0, NULL, CLI_FLAG, &r->is_once, 0, 0, NULL, "The program is started anew for each point."},
        {"ahead", 0, "N", CLI_COUNT, &r->ahead, 1, 4096, NULL,
         "Points that a program is given before it has answered the first one."},
        {"max-failures", 0, "N", CLI_COUNT, &r->max_failures, 0, 1e9, NULL,
         "Failed evaluations in a row that end the run; 0: any number."},
    };
    ADD(t, ((group){FOR_PROGRAM, ZILCH_SETTING_MEANS, "Programs:", 0}), jobs);
    ADD(t, ((group){FOR_PROGRAM, NOT_KEPT, NULL, 1}), hello); /* what it said is kept as --dim and --names */
    ADD(t, ((group){FOR_PROGRAM, ZILCH_SETTING_PROBLEM, NULL, 0}), common);
    ADD(t, ((group){FOR_PROGRAM, ZILCH_SETTING_PROBLEM, NULL, 1}), expert);
}

/* What they say becomes a part of the problem's name, which a study keeps. */
static void add_lander(search_request *r, option_table *t, int is_expert)
{
    cli_option rows[LANDER_OPTIONS];
    lander_options_rows(r, rows);
    ADD(t, ((group){FOR_LANDER, NOT_KEPT, "The Lunar Lander:", is_expert}), rows);
}

/* ---- The search --------------------------------------------------------------------------- */

static void add_search(search_request *r, option_table *t)
{
    size_t count;
    const zilch_option *list = zilch_optimizer_option_list(&count);
    const cli_option common[] = {
        {"sum", 0, "LIMIT", CLI_TEXT, &r->sum, 0, 0, NULL,
         "What all values add up to, such as 1; or 'a+b<=0.4'."},
        {"bounds", 0, "LOW:HIGH", CLI_TEXT, &r->bounds, 0, 0, NULL,
         "Bounds of every active coordinate, such as -1:none. Without them, the problem's own."},
        {"x0", 0, "X", CLI_REAL, &r->x0, -INFINITY, INFINITY, NULL,
         "A first guess of the value of every active coordinate."},
        {"scale", 0, "S", CLI_REAL, &r->scale, 0, INFINITY, NULL,
         "The size of a sensible change of a value."},
    };
    const cli_option expert[] = {
        {"bounds-file", 0, "CSV", CLI_TEXT, &r->bounds_file, 0, 0, NULL,
         "A file with a line 'LOW,HIGH' for each coordinate, behind which its x0 and scale may stand."},
        {"limits", 0, "FILE", CLI_TEXT, &r->limits_file, 0, 0, NULL,
         "A file of linear limits, one in each line, written like those of --sum."},
        {"names", 0, "LIST", CLI_TEXT, &r->names, 0, 0, NULL,
         "Names of the coordinates, such as flour,sugar,salt. Without them, x1, x2 and so on, or the data's "
         "columns."},
        {"step", 0, "STEPS", CLI_TEXT, &r->step, 0, 0, NULL,
         "Values are multiples of this, such as 1 for whole numbers; or '2=1,5=0.05' for some coordinates."},
        {"values-file", 0, "FILE", CLI_TEXT, &r->values_file, 0, 0, NULL,
         "Values that coordinates may have: a file with lines 'COORDINATE,VALUE,VALUE,...' for some of "
         "them."},
        {"penalty-file", 0, "FILE", CLI_TEXT, &r->penalty_file, 0, 0, NULL,
         "Penalties of single coordinates, beside the common one: a file with a line 'PENALTY' for each, or "
         "'COORDINATE,PENALTY' for some."},
        {"forced-on", 0, "LIST", CLI_TEXT, &r->forced_on, 0, 0, NULL,
         "Coordinates that are always active, by number from 1, such as 1,4-7."},
        {"forced-off", 0, "LIST", CLI_TEXT, &r->forced_off, 0, 0, NULL, "Coordinates that are always zero."},
        {"groups", 0, "LISTS", CLI_TEXT, &r->groups, 0, 0, NULL,
         "Coordinates that are active together or not at all, such as '1-3;4,6'."},
        {"weights", 0, "FILE", CLI_TEXT, &r->weights, 0, 0, NULL,
         "Networks of the amortised inverter, a file that 'zilch train' wrote. Without it, zilch's own."},
        {"warm-start", 0, "FILE", CLI_TEXT, &r->warm_start, 0, 0, NULL,
         "A dataset of points that are known before, a row for each: its coordinates, then its value."},
    };
    add_library(t, "The search:", list, count, &r->options, ZILCH_OPTION_COMMON);
    ADD(t, ((group){FOR_ALL, ZILCH_SETTING_PROBLEM, NULL, 0}), common);
    ADD(t, ((group){FOR_ALL, ZILCH_SETTING_PROBLEM, "Limits on points, and files:", 1}), expert);
    add_library(t, "The distribution, for experts:", list, count, &r->options, ZILCH_OPTION_EXPERT);
}

/* What may change when a run goes on. */
static void add_end(search_request *r, option_table *t)
{
    size_t limits, final;
    const zilch_option *limit = zilch_limit_list(&limits);
    const zilch_option *last = zilch_final_list(&final);
    const cli_option rows[] = {
        {"time", 0, "SECONDS", CLI_REAL, &r->seconds, 0, INFINITY, NULL,
         "Stop after this time, when a generation ends."},
        {"threads", 't', "N", CLI_COUNT, &r->threads, 0, 1024, NULL, "Threads; 0: one for each processor."},
    };
    const cli_option held_out[] = {
        {"held-out", 0, "N", CLI_COUNT, &r->held_out, 0, 1e6, NULL,
         "Episodes, unseen by the search, in which the recommended controller is flown at the end."},
    };
    add_library(t, "When it ends (without a limit, when it has converged):", limit, limits, &r->limits,
                ZILCH_OPTION_COMMON);
    ADD(t, ((group){FOR_ALL, ZILCH_SETTING_MEANS, NULL, 0}), rows);
    add_library(t, NULL, limit, limits, &r->limits, ZILCH_OPTION_EXPERT);
    add_library(t, "The final recommendation:", last, final, &r->final, ZILCH_OPTION_EXPERT);
    ADD(t, ((group){FOR_LANDER, ZILCH_SETTING_MEANS, NULL, 1}), held_out);
}

static void add_run(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Seed of the random numbers: the same seed gives the same run."},
        {"study", 0, "FILE", CLI_TEXT, &r->study, 0, 0, NULL,
         "The study that keeps the run, new or with other runs. Without it, the problem's name and .study."},
    };
    ADD(t, ((group){FOR_ALL, NOT_KEPT, "The run:", 0}), rows);
}

/* ---- Defaults ----------------------------------------------------------------------------- */

static int is_lander(const char *command)
{
    return strcmp(command, "lander") == 0;
}

search_request search_request_defaults(const char *command, zilch_method method)
{
    const zilch_regression_options regression = zilch_regression_defaults();
    const zilch_program_options program = zilch_program_defaults();
    return (search_request){.command = command,
                            .problem = is_lander(command) ? "lander" : NULL,
                            .dim = UINT64_MAX,
                            .searched = (int)regression.searched,
                            .validation = regression.validation,
                            .jobs = program.jobs,
                            .ahead = program.ahead,
                            .max_failures = program.max_failures,
                            .episodes = 8,
                            .lander = zilch_lander_defaults(),
                            .options = zilch_method_defaults(method),
                            .limits = zilch_limits_defaults(),
                            .final = zilch_final_defaults(method),
                            .x0 = NAN,
                            .scale = NAN,
                            .seconds = NAN,
                            .held_out = 1000,
                            .seed = 1};
}

/* ---- Parsing -------------------------------------------------------------------------------- */

/* A row that is about another kind of problem would do nothing. */
static int check_concerns(const search_request *r, const option_table *t)
{
    const size_t length = strcspn(r->problem, ":");
    const int is_the_lander = search_problem_is_lander(r->problem);
    const int is_a_regression = search_is_regression(r->problem);
    for (size_t k = 0; k < t->count; k++) {
        const char *const about = t->concern[k] == FOR_LANDER && !is_the_lander ? "the problem lander"
                                  : t->concern[k] == FOR_REGRESSION && !is_a_regression
                                      ? "the problems linear and logistic"
                                  : t->concern[k] == FOR_PROGRAM && !r->program ? "a --program"
                                  : t->concern[k] == FOR_ASK                    ? "'zilch ask'"
                                                                                : NULL;
        if (about && t->given[k]) {
            return search_wrong_usage(r->command, "--%s is for %s, not for %.*s", t->row[k].name, about,
                                      (int)(length < 64 ? length : 64), r->problem);
        }
    }
    return 0;
}

static void note_said(search_request *r, const option_table *t)
{
    r->said = is_given(t, "penalty") ? SEARCH_PENALTY : 0;
    for (size_t k = 0; k < t->count; k++) {
        r->said |= t->given[k] ? lander_options_bit(t->row[k].name) : 0;
    }
}

/* Twice if a method was said, because its defaults are others. */
static int parse_table(search_request *r, option_table *t, const cli_usage *usage, int argc, char **argv)
{
    cli_usage whole = *usage;
    const cli_layout layout = {t->heading, t->is_expert};
    whole.options = t->row;
    int status = cli_parse_given(&whole, &layout, argc, argv, t->given);
    if (!status && is_given(t, "method")) {
        *r = search_request_defaults(r->command, r->options.method);
        status = cli_parse_given(&whole, &layout, argc, argv, t->given);
    }
    return status;
}

int search_request_parse(search_request *r, int argc, char **argv)
{
    const int is_short = is_lander(argv[0]); /* its problem is known */
    option_table t = {.count = 0};
    *r = search_request_defaults(is_short ? "lander" : "optimize", ZILCH_METHOD_DEFAULT);
    if (!is_short) {
        add_problem(r, &t);
    }
    add_search(r, &t);
    add_end(r, &t);
    if (!is_short) {
        add_program(r, &t);
    }
    add_lander(r, &t, !is_short);
    add_run(r, &t);
    const cli_usage usage = {
        .command = r->command, .operands = "", .about = is_short ? lander_options_about : optimize_about};
    const int status = parse_table(r, &t, &usage, argc, argv);
    if (status) {
        return status;
    }
    if (r->program && r->problem) {
        return search_wrong_usage(r->command, "--problem and --program: give one of them");
    }
    r->problem = r->program ? "program" : r->problem;
    if (!r->problem || !*r->problem) {
        return search_wrong_usage(r->command, "--problem NAME or --program COMMAND is missing");
    }
    note_said(r, &t);
    const int concerns = check_concerns(r, &t);
    return concerns ? concerns : search_request_check(r);
}

int search_request_parse_by_hand(search_request *r, const cli_usage *usage, int argc, char **argv,
                                 int *is_any)
{
    option_table t = {.count = 0};
    *r = search_request_defaults(usage->command, ZILCH_METHOD_DEFAULT);
    const cli_option rows[] = {
        {"dim", 0, "N", CLI_COUNT, &r->dim, 1, DIM_MOST, NULL, "Coordinates; this begins a new run."},
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Seed of the random numbers: the same seed gives the same first points."},
    };
    size_t own = 0;
    while (usage->options[own].name) {
        own++;
    }
    add(&t, (group){FOR_ALL, NOT_KEPT, "Points:", 0}, usage->options, own);
    ADD(&t, ((group){FOR_ALL, NOT_KEPT, "A new run:", 0}), rows);
    add_search(r, &t);
    const int status = parse_table(r, &t, usage, argc, argv);
    *is_any = 0;
    for (size_t k = own; k < t.count; k++) {
        *is_any |= t.given[k];
    }
    r->problem = "by hand";
    r->said = SEARCH_PENALTY;
    return status ? status : search_request_check(r);
}

int search_request_parse_again(search_request *r, const cli_usage *usage, int argc, char **argv,
                               char more[SEARCH_MORE_SIZE])
{
    option_table t = {.count = 0};
    size_t own = 0;
    while (usage->options[own].name) {
        own++;
    }
    add(&t, (group){FOR_ALL, NOT_KEPT, "The run:", 0}, usage->options, own);
    add_end(r, &t);
    cli_usage whole = *usage;
    const cli_layout layout = {t.heading, t.is_expert};
    whole.options = t.row;
    const int status = cli_parse_given(&whole, &layout, argc, argv, t.given);
    *more = '\0';
    for (size_t k = own; k < t.count && !status; k++) {
        char value[CLI_VALUE_SIZE];
        const size_t used = strlen(more);
        if (t.given[k]) {
            cli_option_format(&t.row[k], value);
            snprintf(more + used, SEARCH_MORE_SIZE - used, " --%s %s", t.row[k].name, value);
        }
    }
    return status;
}

/* ---- Settings ----------------------------------------------------------------------------------- */

/* All rows that a study keeps something of. */
static void add_kept(search_request *r, option_table *t)
{
    add_problem(r, t);
    add_search(r, t);
    add_end(r, t);
    add_program(r, t);
}

/* A file is kept by its whole path. NULL without memory. */
static char *copy_value(const cli_option *row, const char *value)
{
    static const char *const files[] = {"bounds-file", "limits",  "penalty-file",
                                        "values-file", "weights", "warm-start"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = strcmp(row->name, files[i]) == 0 ? realpath(value, NULL) : NULL;
        if (path) {
            return path;
        }
    }
    return strdup(value);
}

/* A row's value as text: a text of any length itself, another value in the buffer. NULL: there is none. */
static const char *value_text(const cli_option *row, char buffer[CLI_VALUE_SIZE])
{
    if (row->kind == CLI_TEXT) {
        return *(const char *const *)row->value;
    }
    if (row->kind == CLI_REAL && isnan(*(const double *)row->value)) {
        return NULL;
    }
    cli_option_format(row, buffer);
    return buffer;
}

int search_settings_make(search_settings *out, const search_request *r)
{
    search_request request = *r;
    search_request usual = search_request_defaults(r->command, r->options.method);
    option_table t = {.count = 0};
    option_table u = {.count = 0};
    add_kept(&request, &t);
    add_kept(&usual, &u);
    *out = (search_settings){.count = 0};
    for (size_t k = 0; k < t.count; k++) {
        char buffer[CLI_VALUE_SIZE];
        char other[CLI_VALUE_SIZE];
        const size_t i = out->count;
        const char *value = value_text(&t.row[k], buffer);
        const char *same = value_text(&u.row[k], other);
        if (t.kind[k] == NOT_KEPT || !value || !*value || (same && strcmp(value, same) == 0)) {
            continue; /* what is as it always is says nothing */
        }
        snprintf(out->name[i], sizeof out->name[i], "%s", t.row[k].name);
        for (char *at = out->name[i]; (at = strchr(at, '-')) != NULL;) {
            *at = '_';
        }
        out->value[i] = copy_value(&t.row[k], value);
        if (!out->value[i]) {
            return cli_fail("out of memory");
        }
        out->setting[i] = (zilch_setting){(zilch_setting_kind)t.kind[k], out->name[i], out->value[i]};
        out->count++;
    }
    if (search_is_regression(r->problem) && !(r->said & SEARCH_PENALTY)) { /* it follows from the seed */
        out->setting[out->count++] = (zilch_setting){ZILCH_SETTING_PROBLEM, "penalty", "automatic"};
    }
    return 0;
}

void search_settings_free(search_settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->value[i]);
    }
    s->count = 0;
}

int search_request_restore(search_request *out, const zilch_run *run, char why[SEARCH_WHY])
{
    const zilch_request *kept = &run->request;
    option_table t = {.count = 0};
    *why = '\0';
    if (search_is_regression(kept->problem) && (!*kept->data || strcmp(kept->data, "-") == 0)) {
        snprintf(why, SEARCH_WHY, "it is a regression, but names no file with data");
        return 1;
    }
    *out = search_request_defaults("resume", run->method);
    out->problem = kept->problem;
    out->dim =
        search_is_regression(kept->problem) || !strcmp(kept->problem, "program") ? run->dim : UINT64_MAX;
    out->data = *kept->data ? kept->data : NULL;
    out->fingerprint = *kept->fingerprint ? kept->fingerprint : NULL;
    out->options.direction = run->direction;
    out->options.penalty = run->penalty;
    out->said = SEARCH_PENALTY;
    out->is_kept = 1;
    out->limits = *kept->limits;
    out->final = *kept->final;
    out->seed = run->seed;
    add_kept(out, &t);
    for (size_t i = 0; i < kept->settings; i++) {
        char name[NAME_SIZE];
        const zilch_setting *s = &kept->setting[i];
        if ((s->kind != ZILCH_SETTING_PROBLEM && s->kind != ZILCH_SETTING_MEANS) ||
            search_setting_is_own_penalty(s)) {
            continue;
        }
        name_with_dashes(s->name, name);
        const size_t k = find_row(&t, name);
        const char *renamed = zilch_option_renamed(s->name);
        if (k == t.count && s->kind == ZILCH_SETTING_MEANS && !renamed) {
            continue; /* of another command, such as 'zilch compare'; it changes no result */
        }
        if (k == t.count || t.kind[k] != (int)s->kind) {
            snprintf(why, SEARCH_WHY,
                     renamed ? "it uses %.64s, which this version no longer has; zilch 0.1 can go on with it"
                             : "it has the setting %.64s, which this command does not know",
                     s->name);
            return 1;
        }
        const char *value = t.row[k].kind == CLI_FLAG && strcmp(s->value, "no") == 0 ? NULL : s->value;
        if (value && cli_option_parse(&t.row[k], value) != ZILCH_OK) {
            snprintf(why, SEARCH_WHY, "its %.64s: %.300s", s->name, zilch_last_error());
            return 1;
        }
    }
    return 0;
}

char *search_request_words(const search_request *r, size_t *size)
{
    search_settings settings;
    char *text = NULL;
    FILE *stream = search_settings_make(&settings, r) ? NULL : open_memstream(&text, size);
    const int is_regression = search_is_regression(r->problem);
    if (!stream) {
        search_settings_free(&settings);
        return NULL;
    }
    fprintf(stream, "optimize%c--seed=%llu%c", 0, (unsigned long long)r->seed, 0);
    if (r->program) {
        fprintf(stream, "--dim=%llu%c", (unsigned long long)r->dim, 0);
    } else {
        fprintf(stream, "--problem=%.*s%c",
                is_regression ? (int)strcspn(r->problem, ":") : (int)strlen(r->problem), r->problem, 0);
    }
    if (r->data) {
        fprintf(stream, "--data=%s%c", r->data, 0);
    }
    for (size_t i = 0; i < settings.count; i++) {
        const char *value = settings.value[i];
        char name[NAME_SIZE];
        if (settings.setting[i].kind != ZILCH_SETTING_PROBLEM ||
            search_setting_is_own_penalty(&settings.setting[i])) {
            continue;
        }
        name_with_dashes(settings.name[i], name);
        const int is_flag = search_setting_is_flag(settings.name[i]);
        fprintf(stream, "--%s%s%s%c", name, is_flag ? "" : "=", is_flag ? "" : value, 0);
    }
    if (r->program) {
        fprintf(stream, "--jobs=%llu%c", (unsigned long long)r->jobs, 0);
    }
    fprintf(stream, "--threads=%llu%c", (unsigned long long)(r->threads ? r->threads : 1), 0);
    search_settings_free(&settings);
    return fclose(stream) == 0 ? text : NULL;
}
