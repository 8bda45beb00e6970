/* The table of options for a search. Its rows come in groups, so that the commands share them; a group that
 * is about one kind of problem is refused for the others. A method changes the defaults, and the words are
 * then read once more, so that what is said explicitly wins. */
#include "request/search_options.h"

#include "request/lander_options.h"
#include "request/search_problem.h"
#include "request/search_table.h"
#include "terminal/cli.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM_MOST = 1000000 };

static const char optimize_about[] = "Search a sparse optimum of a problem, of a regression on a dataset, or "
                                     "of whatever a program of yours evaluates. "
                                     "Every generation is kept in a study, which is one file; 'zilch resume "
                                     "STUDY' goes on with an interrupted run.";

/* ---- Tables of rows ---------------------------------------------------------------------- */

/* How a group of rows is kept and shown. */
typedef struct group {
    concern concern;
    int kind;
    const char *heading; /* before the first */
    int is_expert;
} group;

static void add(search_table *t, group g, const cli_option *rows, size_t count)
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

void search_name_with_dashes(const char *name, char out[SEARCH_NAME_SIZE])
{
    snprintf(out, SEARCH_NAME_SIZE, "%s", name);
    for (char *at = out; (at = strchr(at, '_')) != NULL;) {
        *at = '-';
    }
}

/* Rows of the library: its names with dashes, its sentences, its ranges. */
static void add_library(search_table *t, const char *heading, const zilch_option *list, size_t count,
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
        search_name_with_dashes(o->name, name);
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
        const group g = {about, SEARCH_NOT_KEPT, heading, wanted == ZILCH_OPTION_EXPERT};
        add(t, g, &row, 1);
        heading = NULL;
    }
}

size_t search_table_find(const search_table *t, const char *name)
{
    size_t k = 0;
    while (k < t->count && strcmp(t->row[k].name, name) != 0) {
        k++;
    }
    return k;
}

static int is_given(const search_table *t, const char *name)
{
    const size_t k = search_table_find(t, name);
    return k < t->count && t->given[k];
}

/* ---- The problem ------------------------------------------------------------------------- */

static void add_problem(search_request *r, search_table *t)
{
    const cli_option rows[] = {
        {"problem", 'p', "NAME", CLI_TEXT, &r->problem, 0, 0, cli_problems,
         "sphere, smop1 to smop8, ellipsoid, rosenbrock or lander, with settings such as smop1:dim=1000; or "
         "linear or logistic, a regression on --data."},
        {"program", 0, "COMMAND", CLI_TEXT, &r->program, 0, 0, NULL,
         "A program that reads points and prints values."},
        {"dim", 0, "N", CLI_COUNT, &r->dim, 1, DIM_MOST, NULL,
         "Number of coordinates; --program needs it or --hello."},
    };
    const cli_option data[] = {
        {"data", 0, "FILE", CLI_TEXT, &r->data, 0, 0, NULL, "Dataset of a regression: CSV, text or .npy."},
        {"response", 0, "COLUMN", CLI_TEXT, &r->response, 0, 0, NULL,
         "Column to predict, by name or number; else the last."},
    };
    const cli_option regression[] = {
        {"searched", 0, "NAME", CLI_CHOICE, &r->searched, 0, 0, cli_searched,
         "What is searched: which columns are used, their coefficients being fitted; or the coefficients."},
        {"validation", 0, "SHARE", CLI_REAL, &r->validation, 0, 1, NULL,
         "Share of the rows that are held out, the ends excluded."},
    };
    ADD(t, ((group){FOR_ALL, SEARCH_NOT_KEPT, "What is optimised:", 0}), rows);
    t->kind[search_table_find(t, "program")] = ZILCH_SETTING_PROBLEM;
    ADD(t, ((group){FOR_REGRESSION, SEARCH_NOT_KEPT, NULL, 0}), data);
    t->kind[search_table_find(t, "response")] = ZILCH_SETTING_PROBLEM;
    ADD(t, ((group){FOR_REGRESSION, ZILCH_SETTING_PROBLEM, NULL, 1}), regression);
}

static void add_program(search_request *r, search_table *t)
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
         "An evaluation fails after this; 0: never."},
        {"plain", 0, NULL, CLI_FLAG, &r->is_plain, 0, 0, NULL,
         "The program reads and prints numbers, not JSON."},
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
    ADD(t, ((group){FOR_PROGRAM, SEARCH_NOT_KEPT, NULL, 1}),
        hello); /* what it said is kept as --dim and --names */
    ADD(t, ((group){FOR_PROGRAM, ZILCH_SETTING_PROBLEM, NULL, 0}), common);
    ADD(t, ((group){FOR_PROGRAM, ZILCH_SETTING_PROBLEM, NULL, 1}), expert);
}

/* What they say becomes a part of the problem's name, which a study keeps. */
static void add_lander(search_request *r, search_table *t, int is_expert)
{
    cli_option rows[LANDER_OPTIONS];
    lander_options_rows(r, rows);
    ADD(t, ((group){FOR_LANDER, SEARCH_NOT_KEPT, "The Lunar Lander:", is_expert}), rows);
}

/* ---- The search --------------------------------------------------------------------------- */

static void add_search(search_request *r, search_table *t)
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
        {"bounds-file", 0, "FILE", CLI_TEXT, &r->bounds_file, 0, 0, NULL,
         "A file with a line 'LOW,HIGH' for each coordinate, behind which its x0 and scale may stand."},
        {"limits", 0, "FILE", CLI_TEXT, &r->limits_file, 0, 0, NULL,
         "A file of linear limits, one in each line, written like those of --sum."},
        {"names", 0, "LIST", CLI_TEXT, &r->names, 0, 0, NULL,
         "Names of the coordinates, such as flour,sugar,salt; one with a comma in double quotes. Without "
         "them, x1, x2 and so on, or the data's "
         "columns."},
        {"step", 0, "STEPS", CLI_TEXT, &r->step, 0, 0, NULL,
         "Values are multiples of this, such as 1 for whole numbers; or '2=1,5=0.05' for some coordinates."},
        {"values-file", 0, "FILE", CLI_TEXT, &r->values_file, 0, 0, NULL,
         "Values that coordinates may have: a file with lines 'COORDINATE,VALUE,VALUE,...' for some of "
         "them."},
        {"penalty-file", 0, "FILE", CLI_TEXT, &r->penalty_file, 0, 0, NULL,
         "Penalties of single coordinates, beside the common one: a file with a line 'PENALTY' for each, or "
         "'COORDINATE,PENALTY' for some."},
        {"default", 0, "FILE", CLI_TEXT, &r->default_file, 0, 0, NULL,
         "What coordinates are where they are not active, in place of 0: a file with a line 'VALUE' for "
         "each, or 'COORDINATE,VALUE' for some."},
        {"forced-on", 0, "LIST", CLI_TEXT, &r->forced_on, 0, 0, NULL,
         "Coordinates that are always active, by number from 1, such as 1,4-7."},
        {"forced-off", 0, "LIST", CLI_TEXT, &r->forced_off, 0, 0, NULL, "Coordinates that are never active."},
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
static void add_end(search_request *r, search_table *t)
{
    size_t limits, final;
    const zilch_option *limit = zilch_limit_list(&limits);
    const zilch_option *last = zilch_final_list(&final);
    const cli_option rows[] = {
        {"time", 0, "SECONDS", CLI_REAL, &r->seconds, 0, INFINITY, NULL,
         "Stop after this time, when a generation ends."},
        {"threads", 't', "N", CLI_COUNT, &r->threads, 0, 1024, NULL, "Threads; 0: all processors."},
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

/* It changes no result, and is said anew when a run goes on: perhaps elsewhere. */
static void add_device(search_request *r, search_table *t, int is_expert)
{
    const cli_option rows[] = {OPTION_DEVICE(&r->device)};
    ADD(t, ((group){FOR_LANDER, SEARCH_NOT_KEPT, NULL, is_expert}), rows);
}

static void add_run(search_request *r, search_table *t)
{
    const cli_option rows[] = {
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL, "The same seed gives the same run."},
        {"study", 0, "FILE", CLI_TEXT, &r->study, 0, 0, NULL,
         "The study that keeps the run, new or with other runs. Without it, the problem's name and .study."},
    };
    const cli_option printed[] = {SEARCH_PRINTED_ROWS(r)};
    ADD(t, ((group){FOR_ALL, SEARCH_NOT_KEPT, "The run:", 0}), rows);
    ADD(t, ((group){FOR_ALL, SEARCH_NOT_KEPT, NULL, 0}), printed);
}

void search_table_add_kept(search_request *r, search_table *t)
{
    add_problem(r, t);
    add_search(r, t);
    add_end(r, t);
    add_program(r, t);
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
static int check_concerns(const search_request *r, const search_table *t)
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

static void note_said(search_request *r, const search_table *t)
{
    r->said = is_given(t, "penalty") ? SEARCH_PENALTY : 0;
    for (size_t k = 0; k < t->count; k++) {
        r->said |= t->given[k] ? lander_options_bit(t->row[k].name) : 0;
    }
}

/* Twice if a method was said, because its defaults are others. */
static int parse_table(search_request *r, search_table *t, const cli_usage *usage, int argc, char **argv)
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
    search_table t = {.count = 0};
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
    add_device(r, &t, !is_short);
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

cli_option search_option_row(const char *name)
{
    search_request r = search_request_defaults("optimize", ZILCH_METHOD_DEFAULT);
    search_table t = {.count = 0};
    search_table_add_kept(&r, &t);
    const size_t k = search_table_find(&t, name);
    assert(k < t.count);
    cli_option row = t.row[k];
    row.name = name; /* that of the table goes away with it, and so does the value */
    row.value = NULL;
    return row;
}

int search_request_parse_by_hand(search_request *r, const cli_usage *usage, int argc, char **argv,
                                 int *is_any)
{
    search_table t = {.count = 0};
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
    add(&t, (group){FOR_ALL, SEARCH_NOT_KEPT, "Points:", 0}, usage->options, own);
    ADD(&t, ((group){FOR_ALL, SEARCH_NOT_KEPT, "A new run:", 0}), rows);
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
    search_table t = {.count = 0};
    size_t own = 0;
    while (usage->options[own].name) {
        own++;
    }
    add(&t, (group){FOR_ALL, SEARCH_NOT_KEPT, "The run:", 0}, usage->options, own);
    add_end(r, &t);
    add_device(r, &t, 1);
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
