/* The table of options for a search. Its rows come in groups, so that the two commands share them; a preset
 * changes the defaults, and the words are then read once more, so that what is said explicitly wins. */
#include "search_options.h"

#include "cli.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OPTIONS_MOST = 64, PRESET_PUBLISHED = 1 };

enum {
    KEY_DATA = 256,
    KEY_DIM,
    KEY_RESPONSE,
    KEY_SEARCHED,
    KEY_VALIDATION,
    KEY_SEEDS,
    KEY_PRESET,
    KEY_HELD_OUT,
    KEY_GRAVITY,
    KEY_WIND,
    KEY_WIND_POWER,
    KEY_TURBULENCE_POWER,
    KEY_LAW,
    KEY_INVERTER,
    KEY_SHRINKAGE,
    KEY_PROJECTION,
    KEY_ARCHIVE,
    KEY_POPULATION,
    KEY_ELITES,
    KEY_SHARE,
    KEY_OVER_ASK,
    KEY_PRICE,
    KEY_INITIAL_P,
    KEY_INITIAL_MU,
    KEY_INITIAL_SIGMA,
    KEY_WEIGHTS,
    KEY_ACTIVE_LEAST,
    KEY_ACTIVE_MOST,
    KEY_ON,
    KEY_OFF,
    KEY_GROUPS,
    KEY_BOUNDS,
    KEY_BOUNDS_FILE,
    KEY_WARM_START,
    KEY_EVALUATIONS,
    KEY_TARGET,
    KEY_STAGNATION,
    KEY_TIME,
    KEY_SHORTLIST,
    KEY_RECHECK,
    KEY_PRUNE,
    KEY_STUDY
};

static const char lander_about[] =
    "Search a sparse quadratic controller for the Lunar Lander, of up to 90 coefficients. Every generation "
    "is "
    "kept in a study, one file; an interrupted run goes on with 'zilch resume STUDY'. At the end the best "
    "points are flown again, the best supported one is recommended and flown in episodes that the search "
    "never saw; 'zilch best STUDY -o FILE' then writes it for 'zilch play --controller FILE'.";

static const char optimize_about[] =
    "Search a sparse optimum of a problem: sphere, smop1 to smop8, ellipsoid or lander, with settings such "
    "as "
    "smop1:dim=1000; or linear or logistic, regression on the columns of --data. Every generation is kept in "
    "a study, one file; an interrupted run goes on with 'zilch resume STUDY'.";

/* ---- Groups of options ------------------------------------------------------------------- */

typedef struct option_table {
    cli_option row[OPTIONS_MOST];
    size_t count;
} option_table;

static void add(option_table *t, const cli_option *rows, size_t count)
{
    assert(t->count + count < OPTIONS_MOST); /* an empty row ends the table */
    memcpy(t->row + t->count, rows, count * sizeof *rows);
    t->count += count;
}

#define ADD(table, rows) add(table, rows, sizeof(rows) / sizeof *(rows))

static void add_problem(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"problem", 'p', "NAME", CLI_TEXT, &r->problem, 0, 0, NULL, "The problem, with its settings; needed"},
        {"dim", KEY_DIM, "N", CLI_COUNT, &r->dim, 1, 1e7, NULL,
         "Coordinates of the problem: short for NAME:dim=N"},
        {"data", KEY_DATA, "FILE", CLI_TEXT, &r->data, 0, 0, NULL,
         "For linear and logistic: a table of numbers, text or .npy, with a row for each observation"},
        {"response", KEY_RESPONSE, "COLUMN", CLI_TEXT, &r->response, 0, 0, NULL,
         "The column to be explained, by name or by number from 1; without it the last"},
        {"searched", KEY_SEARCHED, "NAME", CLI_CHOICE, &r->searched, 0, 0, cli_searched,
         "Which columns are used, their coefficients being fitted, or the coefficients themselves"},
        {"validation", KEY_VALIDATION, "SHARE", CLI_REAL, &r->validation, 0, 1, NULL,
         "Share of the rows that are held out"},
    };
    ADD(t, rows);
}

static void add_lander(search_request *r, option_table *t)
{
    zilch_lander_options *o = &r->lander;
    const cli_option rows[] = {
        {"episodes", 'n', "N", CLI_COUNT, &r->episodes, 1, 1e6, NULL, "Landings behind each value"},
        {"seeds", KEY_SEEDS, "NAME", CLI_CHOICE, &r->seeds, 0, 0, "fresh|common",
         "Of the landings: fresh for each value, or common to all of a generation"},
        {"preset", KEY_PRESET, "NAME", CLI_CHOICE, &r->preset, 0, 0, "default|published",
         "published: as in the publication, that is --law zig --archive latest --inverter amortised "
         "--shrinkage none --projection clip, unless said otherwise"},
        {"held-out", KEY_HELD_OUT, "N", CLI_COUNT, &r->held_out, 0, 1e6, NULL,
         "Episodes that the recommended controller is flown in at the end"},
        {"gravity", KEY_GRAVITY, "G", CLI_REAL, &o->gravity, -12, 0, NULL, "Gravity, the ends excluded"},
        {"wind", KEY_WIND, NULL, CLI_FLAG, &o->wind, 0, 0, NULL, "With wind and turbulence"},
        {"wind-power", KEY_WIND_POWER, "P", CLI_REAL, &o->wind_power, 0, 20, NULL, "Of the wind"},
        {"turbulence-power", KEY_TURBULENCE_POWER, "P", CLI_REAL, &o->turbulence_power, 0, 2, NULL,
         "Of the turbulence"},
    };
    ADD(t, rows);
}

static void add_search(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"population", KEY_POPULATION, "N", CLI_COUNT, &r->population, 3, 1e6, NULL, "Points a generation"},
        {"elites", KEY_ELITES, "N", CLI_COUNT, &r->elites, 2, 1e6, NULL,
         "Best points, which the law is fitted to; fewer than the population"},
        {"price", KEY_PRICE, "X", CLI_REAL, &r->price, 0, INFINITY, NULL,
         "Of each active coordinate: what its value must improve the rest by; without it, what suits the "
         "problem"},
        {"law", KEY_LAW, "NAME", CLI_CHOICE, &r->law, 0, 0, cli_laws, "What new points are drawn from"},
        {"archive", KEY_ARCHIVE, "NAME", CLI_CHOICE, &r->archive, 0, 0, cli_archives,
         "What a point is worth that was evaluated more than once"},
        {"inverter", KEY_INVERTER, "NAME", CLI_CHOICE, &r->inverter, 0, 0, cli_inverters,
         "From observed to latent correlations"},
        {"weights", KEY_WEIGHTS, "FILE", CLI_TEXT, &r->weights, 0, 0, NULL,
         "The amortised inverter's networks, a file that 'zilch train' wrote; without it, zilch's own"},
        {"shrinkage", KEY_SHRINKAGE, "NAME", CLI_CHOICE, &r->shrinkage, 0, 0, cli_shrinkages,
         "Of latent correlations towards 0, by their standard errors"},
        {"projection", KEY_PROJECTION, "NAME", CLI_CHOICE, &r->projection, 0, 0, cli_projections,
         "To a positive definite matrix"},
        {"initial-p", KEY_INITIAL_P, "P", CLI_REAL, &r->initial_p, 0, 1, NULL,
         "Share of active coordinates in the first points"},
        {"initial-mu", KEY_INITIAL_MU, "X", CLI_REAL, &r->initial_mu, -INFINITY, INFINITY, NULL,
         "Mean of the active ones"},
        {"initial-sigma", KEY_INITIAL_SIGMA, "X", CLI_REAL, &r->initial_sigma, 0, INFINITY, NULL,
         "Deviation of the active ones"},
        {"share", KEY_SHARE, "SHARE", CLI_REAL, &r->share, 0, 1, NULL,
         "A generation closes when this share of the population is back"},
        {"over-ask", KEY_OVER_ASK, "SHARE", CLI_REAL, &r->over_ask, 0, 10, NULL,
         "Share of points asked for beyond the population"},
        {"warm-start", KEY_WARM_START, "FILE", CLI_TEXT, &r->warm_start, 0, 0, NULL,
         "Points known before: a table with a row for each, its coordinates and behind them its value"},
    };
    ADD(t, rows);
}

static void add_sparsity(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"active-least", KEY_ACTIVE_LEAST, "N", CLI_COUNT, &r->active_least, 0, 1e6, NULL,
         "Coordinates that are active at least"},
        {"active-most", KEY_ACTIVE_MOST, "N", CLI_COUNT, &r->active_most, 0, 1e6, NULL,
         "and at most; 0: any number"},
        {"on", KEY_ON, "LIST", CLI_TEXT, &r->on, 0, 0, NULL,
         "Coordinates that are always active, by number from 1, such as 1,4-7"},
        {"off", KEY_OFF, "LIST", CLI_TEXT, &r->off, 0, 0, NULL, "Coordinates that never are"},
        {"groups", KEY_GROUPS, "LISTS", CLI_TEXT, &r->groups, 0, 0, NULL,
         "Coordinates that are active together or not at all, such as '1-3;4,6'"},
        {"bounds", KEY_BOUNDS, "LOW:HIGH", CLI_TEXT, &r->bounds, 0, 0, NULL,
         "Bounds of every coordinate where it is active, such as -1:none; without it the problem's own"},
        {"bounds-file", KEY_BOUNDS_FILE, "CSV", CLI_TEXT, &r->bounds_file, 0, 0, NULL,
         "A file with a line 'LOW,HIGH' for each coordinate"},
    };
    ADD(t, rows);
}

size_t search_limits_list(search_limits *limits, cli_option out[SEARCH_LIMIT_OPTIONS])
{
    const cli_option rows[] = {
        {"generations", 'g', "N", CLI_COUNT, &limits->generations, 0, 0x1p64, NULL,
         "Generations at most; 0: no limit"},
        {"evaluations", KEY_EVALUATIONS, "N", CLI_COUNT, &limits->evaluations, 0, 0x1p64, NULL,
         "Evaluations at most; 0: no limit"},
        {"target", KEY_TARGET, "X", CLI_REAL, &limits->target, -INFINITY, INFINITY, NULL,
         "Stop when the best point's value is as good as this"},
        {"stagnation", KEY_STAGNATION, "N", CLI_COUNT, &limits->stagnation, 0, 0x1p64, NULL,
         "Stop after so many generations without a new best; 0: no limit"},
        {"time", KEY_TIME, "SECONDS", CLI_REAL, &limits->seconds, 0, INFINITY, NULL,
         "Stop after the generation in which so many seconds have passed"},
        {"threads", 't', "N", CLI_COUNT, &limits->threads, 0, 1024, NULL,
         "Threads, 0 for one a processor; the result does not depend on it"},
    };
    memcpy(out, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

static void add_end(search_request *r, option_table *t)
{
    cli_option limits[SEARCH_LIMIT_OPTIONS];
    const cli_option rows[] = {
        {"shortlist", KEY_SHORTLIST, "N", CLI_COUNT, &r->shortlist, 1, 1e6, NULL,
         "Best points that are evaluated again at the end; without it 20, or 1 if values have no noise"},
        {"recheck", KEY_RECHECK, "N", CLI_COUNT, &r->recheck, 1, 0x1p64, NULL,
         "Evaluations for that, in all; without it 500, or as many as the shortlist is long"},
        {"prune", KEY_PRUNE, NULL, CLI_FLAG, &r->prune, 0, 0, NULL,
         "Then leave out each coordinate that is not missed"},
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Of the random numbers: the same seed gives the same run"},
        {"study", KEY_STUDY, "FILE", CLI_TEXT, &r->study, 0, 0, NULL,
         "The study to keep the run in, new or with other runs; without it the problem's name and .study"},
    };
    add(t, limits, search_limits_list(&r->limits, limits));
    ADD(t, rows);
}

/* ---- Defaults ----------------------------------------------------------------------------- */

static void defaults_of_search(search_request *r)
{
    const zilch_optimizer_options o = zilch_optimizer_defaults();
    r->law = (int)o.law;
    r->archive = (int)o.archive;
    r->inverter = (int)o.model.inverter;
    r->shrinkage = (int)o.model.shrinkage;
    r->projection = (int)o.model.projection;
    r->population = o.population;
    r->elites = o.elites;
    r->share = o.share;
    r->initial_p = o.initial_p;
    r->initial_mu = o.initial_mu;
    r->initial_sigma = o.initial_sigma;
    r->active_least = o.active_least;
    r->active_most = o.active_most;
}

static search_request defaults(const char *command)
{
    const zilch_limits limits = zilch_limits_defaults();
    const zilch_regression_options regression = zilch_regression_defaults();
    search_request r = {.command = command,
                        .dim = UINT64_MAX,
                        .searched = (int)regression.searched,
                        .validation = regression.validation,
                        .episodes = 8,
                        .held_out = 1000,
                        .lander = zilch_lander_defaults(),
                        .price = NAN,
                        .over_ask = limits.over_ask,
                        .shortlist = UINT64_MAX,
                        .recheck = UINT64_MAX,
                        .seed = 1};
    r.limits = (search_limits){.generations = limits.generations,
                               .evaluations = limits.evaluations,
                               .stagnation = limits.stagnation,
                               .target = limits.target,
                               .seconds = NAN};
    defaults_of_search(&r);
    return r;
}

static void defaults_as_published(search_request *r)
{
    r->law = ZILCH_LAW_ZIG;
    r->archive = ZILCH_ARCHIVE_LATEST;
    r->inverter = ZILCH_AMORTISED;
    r->shrinkage = ZILCH_SHRINK_NONE;
    r->projection = ZILCH_CLIP;
}

/* ---- Checks that no single row can make ------------------------------------------------------ */

int search_wrong_usage(const search_request *r, const char *format, ...)
{
    char text[512];
    const cli_usage usage = {.command = r->command};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cli_wrong_usage(&usage, "%s", text);
}

static int is_regression(const search_request *r)
{
    zilch_regression kind;
    return r->problem && zilch_regression_parse(r->problem, &kind) == ZILCH_OK;
}

static int check_problem(const search_request *r)
{
    const int regression = is_regression(r);
    if (!r->problem || !*r->problem) {
        return search_wrong_usage(r, "--problem NAME is missing");
    }
    if (regression && !r->data) {
        return search_wrong_usage(r, "--data FILE is missing, which %s needs", r->problem);
    }
    if (regression && strcmp(r->data, "-") == 0) {
        return search_wrong_usage(r, "--data: is read again when the run is resumed; give a file");
    }
    if (regression && r->dim != UINT64_MAX) {
        return search_wrong_usage(r, "--dim: the columns of --data are the coordinates; leave it out");
    }
    if (!regression && (r->data || r->response)) {
        return search_wrong_usage(r, "--%s is for the problems linear and logistic",
                                  r->data ? "data" : "response");
    }
    return 0;
}

static int check_lander(const search_request *r)
{
    const zilch_lander_options *o = &r->lander;
    const zilch_lander_options usual = zilch_lander_defaults();
    if (!(o->gravity > -12.0 && o->gravity < 0.0)) {
        return search_wrong_usage(r, "--gravity: must be between -12 and 0, the ends excluded");
    }
    if (!o->wind && (o->wind_power != usual.wind_power || o->turbulence_power != usual.turbulence_power)) {
        return search_wrong_usage(r, "--wind-power and --turbulence-power say nothing without --wind");
    }
    return 0;
}

static int check_search(const search_request *r)
{
    if (r->elites >= r->population) {
        return search_wrong_usage(r, "--elites %llu: must be fewer than the population, which is %llu",
                                  (unsigned long long)r->elites, (unsigned long long)r->population);
    }
    if (r->active_most > 0 && r->active_least > r->active_most) {
        return search_wrong_usage(r, "--active-least %llu is more than --active-most %llu",
                                  (unsigned long long)r->active_least, (unsigned long long)r->active_most);
    }
    if (r->weights && r->inverter != ZILCH_AMORTISED) {
        return search_wrong_usage(
            r, "--weights: only the amortised inverter has networks; add --inverter amortised");
    }
    if (r->bounds && r->bounds_file) {
        return search_wrong_usage(r, "--bounds and --bounds-file: give one of them");
    }
    if (!(r->share > 0)) {
        return search_wrong_usage(r, "--share: must be above 0");
    }
    return 0;
}

static int check_end(const search_request *r)
{
    const uint64_t shortlist = r->shortlist != UINT64_MAX ? r->shortlist : 1;
    if (r->recheck != UINT64_MAX && r->recheck < shortlist) {
        return search_wrong_usage(r, "--recheck %llu: is less than one for each of the shortlist's %llu",
                                  (unsigned long long)r->recheck, (unsigned long long)shortlist);
    }
    if (r->study && !*r->study) {
        return search_wrong_usage(r, "--study: the file's name is empty");
    }
    if (cli_is_same_file(r->study, r->data) || cli_is_same_file(r->study, r->warm_start)) {
        return search_wrong_usage(r, "--study: %s is what is read", r->study);
    }
    return 0;
}

/* ---- Parsing -------------------------------------------------------------------------------- */

static int parse_words(search_request *r, int is_lander, int argc, char **argv)
{
    option_table t = {.count = 0};
    if (is_lander) {
        add_lander(r, &t);
    } else {
        add_problem(r, &t);
    }
    add_search(r, &t);
    add_sparsity(r, &t);
    add_end(r, &t);
    const cli_usage usage = {.command = r->command,
                             .operands = "",
                             .about = is_lander ? lander_about : optimize_about,
                             .options = t.row};
    return cli_parse(&usage, argc, argv);
}

int search_request_parse(search_request *out, int argc, char **argv)
{
    const int is_lander = strcmp(argv[0], "lander") == 0;
    const char *command = is_lander ? "lander" : "optimize";
    *out = defaults(command);
    int status = parse_words(out, is_lander, argc, argv);
    if (!status && out->preset == PRESET_PUBLISHED) {
        *out = defaults(command);
        defaults_as_published(out);
        status = parse_words(out, is_lander, argc, argv);
    }
    if (!status) {
        status = is_lander ? check_lander(out) : check_problem(out);
    }
    if (!status) {
        status = check_search(out);
    }
    return status ? status : check_end(out);
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
