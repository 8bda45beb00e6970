/* The table of options for a search. Its rows come in groups, so that the two commands share them; a group
 * that is about one kind of problem is refused for the others. A preset changes the defaults, and the words
 * are then read once more, so that what is said explicitly wins. */
#include "search_options.h"

#include "cli.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { PRESET_PUBLISHED = 1, DIM_MOST = 1000000, RANK_MOST = 1000, PRIOR_MOST = 1000000 };

enum {
    KEY_EPISODES = 'n',
    KEY_DATA = 256,
    KEY_DIM,
    KEY_PROGRAM,
    KEY_DIRECTION,
    KEY_AHEAD,
    KEY_SPARSE,
    KEY_PLAIN,
    KEY_ONCE,
    KEY_TIMEOUT,
    KEY_MOST_FAILURES,
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
    KEY_STRUCTURE,
    KEY_RANK,
    KEY_INVERTER,
    KEY_SHRINKAGE,
    KEY_PROJECTION,
    KEY_ARCHIVE,
    KEY_AGAIN,
    KEY_POPULATION,
    KEY_ELITES,
    KEY_OVER_ASK,
    KEY_PRICE,
    KEY_INITIAL_P,
    KEY_INITIAL_MU,
    KEY_INITIAL_SIGMA,
    KEY_INITIAL_SPREAD,
    KEY_REMEMBER,
    KEY_RESTART,
    KEY_PRIOR_P,
    KEY_PRIOR_MU,
    KEY_PRIOR_SIGMA,
    KEY_PRIOR_CORRELATION,
    KEY_WEIGHTING,
    KEY_VALUES,
    KEY_MARGIN,
    KEY_SHIFT,
    KEY_COPIED,
    KEY_REDRAWN,
    KEY_TIMID,
    KEY_WIDENED,
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
    "is kept in a study, one file; an interrupted run goes on with 'zilch resume STUDY'. At the end the best "
    "points are flown again, the best supported one is recommended and flown in episodes that the search "
    "never saw; 'zilch best STUDY -o FILE' then writes it for 'zilch play --controller FILE'.";

static const char optimize_about[] =
    "Search a sparse optimum of a problem: sphere, smop1 to smop8, ellipsoid, rosenbrock or lander, with "
    "settings such "
    "as smop1:dim=1000; linear or logistic, regression on the columns of --data; or whatever a --program of "
    "yours evaluates, by reading points and writing values, a line each. Every generation is kept in "
    "a study, one file; an interrupted run goes on with 'zilch resume STUDY'.";

static const char no_yes[] = "no|yes"; /* the index is what the name says */

/* ---- Groups of options ------------------------------------------------------------------- */

/* Which problems a row is about. */
typedef enum concern { CONCERN_ALL, CONCERN_LANDER, CONCERN_REGRESSION, CONCERN_PROGRAM } concern;

typedef struct option_table {
    cli_option row[CLI_OPTIONS_MOST + 1]; /* an empty one ends it */
    concern concern[CLI_OPTIONS_MOST];
    size_t count;
    unsigned char given[CLI_OPTIONS_MOST]; /* which rows were said */
} option_table;

static void add(option_table *t, concern about, const cli_option *rows, size_t count)
{
    assert(t->count + count <= CLI_OPTIONS_MOST);
    for (size_t i = 0; i < count; i++, t->count++) {
        t->row[t->count] = rows[i];
        t->concern[t->count] = about;
    }
}

#define ADD(table, about, rows) add(table, about, rows, sizeof(rows) / sizeof *(rows))

static int is_given(const option_table *t, int key)
{
    size_t k = 0;
    while (k < t->count && t->row[k].key != key) {
        k++;
    }
    return k < t->count && t->given[k];
}

static void add_problem(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"problem", 'p', "NAME", CLI_TEXT, &r->problem, 0, 0, NULL,
         "The problem, with its settings; this or --program is needed"},
        {"program", KEY_PROGRAM, "COMMAND", CLI_TEXT, &r->program, 0, 0, NULL,
         "A program that evaluates points, with its arguments, such as './simulate --fast'; it is started "
         "without a shell"},
        {"dim", KEY_DIM, "N", CLI_COUNT, &r->dim, 1, DIM_MOST, NULL,
         "Coordinates of the problem: short for NAME:dim=N; needed with --program"},
    };
    const cli_option program[] = {
        {"direction", KEY_DIRECTION, "NAME", CLI_CHOICE, &r->direction, 0, 0, cli_directions,
         "Of a program: whether its values are to be small or large"},
        {"jobs", 'j', "N", CLI_COUNT, &r->jobs, 0, 4096, NULL,
         "Programs at work at once; 0: one a processor"},
        {"timeout", KEY_TIMEOUT, "SECONDS", CLI_REAL, &r->timeout, 0, 1e9, NULL,
         "That an evaluation may take; it has failed then, and the program is started anew; 0: any time"},
        {"plain", KEY_PLAIN, NULL, CLI_FLAG, &r->is_plain, 0, 0, NULL,
         "The program reads a line of numbers and prints a number; without it, JSON"},
        {"sparse", KEY_SPARSE, NULL, CLI_FLAG, &r->is_sparse, 0, 0, NULL,
         "The program is told the active coordinates only: {\"id\":7,\"active\":{\"1\":1.5}}"},
        {"once", KEY_ONCE, NULL, CLI_FLAG, &r->is_once, 0, 0, NULL, "The program is started for each point"},
        {"ahead", KEY_AHEAD, "N", CLI_COUNT, &r->ahead, 1, 4096, NULL,
         "Points that a program is given before it has answered the first; it may answer in any order"},
        {"most-failures", KEY_MOST_FAILURES, "N", CLI_COUNT, &r->most_failures, 0, 1e9, NULL,
         "Failed evaluations in a row that end the run; 0: any number"},
    };
    const cli_option regression[] = {
        {"data", KEY_DATA, "FILE", CLI_TEXT, &r->data, 0, 0, NULL,
         "For linear and logistic: a table of numbers, text or .npy, with a row for each observation"},
        {"response", KEY_RESPONSE, "COLUMN", CLI_TEXT, &r->response, 0, 0, NULL,
         "The column to be explained, by name or by number from 1; without it the last"},
        {"searched", KEY_SEARCHED, "NAME", CLI_CHOICE, &r->searched, 0, 0, cli_searched,
         "Which columns are used, their coefficients being fitted, or the coefficients themselves"},
        {"validation", KEY_VALIDATION, "SHARE", CLI_REAL, &r->validation, 0, 1, NULL,
         "Share of the rows that are held out, the ends excluded"},
    };
    ADD(t, CONCERN_ALL, rows);
    ADD(t, CONCERN_PROGRAM, program);
    ADD(t, CONCERN_REGRESSION, regression);
}

static void add_lander(search_request *r, option_table *t)
{
    zilch_lander_options *o = &r->lander;
    const cli_option rows[] = {
        {"episodes", KEY_EPISODES, "N", CLI_COUNT, &r->episodes, 1, 1e6, NULL,
         "Of the lander: landings behind each value"},
        {"seeds", KEY_SEEDS, "NAME", CLI_CHOICE, &r->seeds, 0, 0, "fresh|common",
         "Of the landings: fresh for each value, or common to all of a generation"},
        {"gravity", KEY_GRAVITY, "G", CLI_REAL, &o->gravity, -12, 0, NULL,
         "Gravity of the lander's world, the ends excluded"},
        {"wind", KEY_WIND, NULL, CLI_FLAG, &o->wind, 0, 0, NULL, "With wind and turbulence"},
        {"wind-power", KEY_WIND_POWER, "P", CLI_REAL, &o->wind_power, 0, 20, NULL, "Of the wind"},
        {"turbulence-power", KEY_TURBULENCE_POWER, "P", CLI_REAL, &o->turbulence_power, 0, 2, NULL,
         "Of the turbulence"},
    };
    ADD(t, CONCERN_LANDER, rows);
}

static void add_search(search_request *r, option_table *t)
{
    const cli_option rows[] = {
        {"preset", KEY_PRESET, "NAME", CLI_CHOICE, &r->preset, 0, 0, "default|published",
         "published: all as in the publication, unless said otherwise: --law zig --archive latest "
         "--again all --structure full --inverter amortised --shrinkage none --projection clip --population "
         "500 --elites 100 "
         "--generations 100 --initial-p 0.5 --initial-mu 0 --initial-sigma 2 --initial-spread 0 "
         "--restart 0 --prune no, and nothing kept from one refit to the next: --prior-p 0 --prior-mu 0 "
         "--prior-sigma 0 --prior-correlation 0 --weighting equal --values normal --margin 0 --shift 0 "
         "--copied 0 --redrawn 0 --timid 0 --widened no"},
        {"population", KEY_POPULATION, "N", CLI_COUNT, &r->population, 3, 1e6, NULL, "Points a generation"},
        {"elites", KEY_ELITES, "N", CLI_COUNT, &r->elites, 0, 1e6, NULL,
         "Best points, which the law is fitted to; fewer than the population; 0: a fifth of it"},
        {"price", KEY_PRICE, "X", CLI_REAL, &r->price, 0, INFINITY, NULL,
         "Of each active coordinate: what its value must improve the rest by; without it, what suits the "
         "problem"},
        {"law", KEY_LAW, "NAME", CLI_CHOICE, &r->law, 0, 0, cli_laws, "What new points are drawn from"},
        {"archive", KEY_ARCHIVE, "NAME", CLI_CHOICE, &r->archive, 0, 0, cli_archives,
         "What a point is worth that was evaluated more than once"},
        {"again", KEY_AGAIN, "NAME", CLI_CHOICE, &r->again, 0, 0, cli_agains,
         "Which elites the next generation evaluates again: all, as published; those that noise may have "
         "put among the elites, and the best; or none"},
        {"structure", KEY_STRUCTURE, "NAME", CLI_CHOICE, &r->structure, 0, 0, cli_structures,
         "Of the law zig: its correlations are any; none; or those of a few common factors, for thousands of "
         "coordinates"},
        {"rank", KEY_RANK, "K", CLI_COUNT, &r->rank, 1, RANK_MOST, NULL,
         "Of the structure low-rank: factors at most"},
        {"inverter", KEY_INVERTER, "NAME", CLI_CHOICE, &r->inverter, 0, 0, cli_inverters,
         "From observed to latent correlations"},
        {"weights", KEY_WEIGHTS, "FILE", CLI_TEXT, &r->weights, 0, 0, NULL,
         "The amortised inverter's networks, a file that 'zilch train' wrote; without it, zilch's own"},
        {"shrinkage", KEY_SHRINKAGE, "NAME", CLI_CHOICE, &r->shrinkage, 0, 0, cli_shrinkages,
         "Of latent correlations towards 0, by their standard errors; all: they are left out"},
        {"projection", KEY_PROJECTION, "NAME", CLI_CHOICE, &r->projection, 0, 0, cli_projections,
         "To a positive definite matrix"},
        {"initial-p", KEY_INITIAL_P, "P", CLI_REAL, &r->initial_p, 0, 1, NULL,
         "Share of active coordinates in the first points"},
        {"initial-mu", KEY_INITIAL_MU, "X", CLI_REAL, &r->initial_mu, -INFINITY, INFINITY, NULL,
         "Mean of the active ones"},
        {"initial-sigma", KEY_INITIAL_SIGMA, "X", CLI_REAL, &r->initial_sigma, 0, INFINITY, NULL,
         "Deviation of the active ones"},
        {"initial-spread", KEY_INITIAL_SPREAD, "X", CLI_REAL, &r->initial_spread, 0, 1, NULL,
         "Correlation of being active in the first points, below 1: above 0 some of them are dense and some "
         "sparse, at 0.5 every number of active coordinates is as likely"},
        {"remember", KEY_REMEMBER, "N", CLI_COUNT, &r->remember, 0, 1e9, NULL,
         "How many of the best points, at least as many as elites, keep their coordinates in memory and in "
         "the "
         "study; 0: all"},
        {"restart", KEY_RESTART, "N", CLI_COUNT, &r->restart, 0, 0x1p64, NULL,
         "Begin anew after so many generations without a new best, the archive kept; 0: never"},
        {"over-ask", KEY_OVER_ASK, "SHARE", CLI_REAL, &r->over_ask, 0, 10, NULL,
         "Points asked for beyond the population, as a share of it. The population's size closes a "
         "generation, but here every evaluation comes back, so this makes the population larger by that "
         "share"},
        {"warm-start", KEY_WARM_START, "FILE", CLI_TEXT, &r->warm_start, 0, 0, NULL,
         "Points known before: a table with a row for each, its coordinates and behind them its value"},
    };
    ADD(t, CONCERN_ALL, rows);
}

/* How the zig law learns; the other laws have nothing of it. */
static void add_refit(search_request *r, option_table *t)
{
    zilch_refit *o = &r->refit;
    const cli_option rows[] = {
        {"prior-p", KEY_PRIOR_P, "X", CLI_REAL, &o->prior_p, 0, PRIOR_MOST, NULL,
         "Of the law zig: elites that the shares of active coordinates which it had last count for in its "
         "next fit; 0: fitted to the elites alone"},
        {"prior-mu", KEY_PRIOR_MU, "X", CLI_REAL, &o->prior_mu, 0, PRIOR_MOST, NULL,
         "Of the law zig: the same for its means"},
        {"prior-sigma", KEY_PRIOR_SIGMA, "X", CLI_REAL, &o->prior_sigma, 0, PRIOR_MOST, NULL,
         "Of the law zig: the same for its deviations"},
        {"prior-correlation", KEY_PRIOR_CORRELATION, "X", CLI_REAL, &o->prior_correlation, 0, PRIOR_MOST,
         NULL,
         "Of the law zig: the same for its correlations, against the elites that have both coordinates "
         "active"},
        {"weighting", KEY_WEIGHTING, "NAME", CLI_CHOICE, &r->weighting, 0, 0, cli_weightings,
         "Of the law zig: what an elite counts for in its fit, by its rank"},
        {"values", KEY_VALUES, "NAME", CLI_CHOICE, &r->values, 0, 0, cli_values,
         "Of the law zig: active values are normal, or distributed as those of the elites, through their "
         "normal scores"},
        {"margin", KEY_MARGIN, "X", CLI_REAL, &o->margin, 0, INFINITY, NULL,
         "Of the law zig: coordinates of a new point that are expected to differ from what all elites agree "
         "on, at most a tenth of all; 0: what is lost stays lost"},
        {"shift", KEY_SHIFT, "SHARE", CLI_REAL, &o->shift, 0, 1, NULL,
         "Of the law zig: share of the new points that are moved on by twice the last step of its means"},
        {"copied", KEY_COPIED, "SHARE", CLI_REAL, &o->copied, 0, 1, NULL,
         "Of the law zig: share of the new points whose active values are copied from elites, each from "
         "another one"},
        {"redrawn", KEY_REDRAWN, "SHARE", CLI_REAL, &o->redrawn, 0, 1, NULL,
         "Of the law zig: share of the new points with one active value drawn as in the first points: a way "
         "out of a local optimum"},
        {"timid", KEY_TIMID, "SHARE", CLI_REAL, &o->timid, 0, 1, NULL,
         "Of the law zig: share of the other points in which a coordinate that the elites have given up "
         "comes back only as far from 0 as the law has become narrow since"},
        {"widened", KEY_WIDENED, "NAME", CLI_CHOICE, &o->is_widened, 0, 0, no_yes,
         "Of the law zig: its deviations grow while improvements come from far outside, then shrink back"},
    };
    ADD(t, CONCERN_ALL, rows);
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
    ADD(t, CONCERN_ALL, rows);
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

/* What is flown on other seeds at the end stands last: the rows before are about every problem. */
size_t search_ending_list(search_ending *e, cli_option out[SEARCH_ENDING_OPTIONS])
{
    const cli_option rows[] = {
        {"shortlist", KEY_SHORTLIST, "N", CLI_COUNT, &e->shortlist, 1, 1e5, NULL,
         "Best points that are evaluated again at the end; without it 20, or 1 if values have no noise"},
        {"recheck", KEY_RECHECK, "N", CLI_COUNT, &e->recheck, 1, 1e7, NULL,
         "Evaluations for that, in all; without it 500, or as many as needed if values have no noise"},
        {"prune", KEY_PRUNE, "NAME", CLI_CHOICE, &e->prune, 0, 0, no_yes,
         "With half of them, leave out each coordinate that is not missed"},
        {"held-out", KEY_HELD_OUT, "N", CLI_COUNT, &e->held_out, 0, 1e6, NULL,
         "Episodes that a recommended controller of the lander is flown in at the end"},
    };
    memcpy(out, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

static void add_end(search_request *r, option_table *t)
{
    cli_option limits[SEARCH_LIMIT_OPTIONS];
    cli_option ending[SEARCH_ENDING_OPTIONS];
    const cli_option rows[] = {
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Of the random numbers: the same seed gives the same run"},
        {"study", KEY_STUDY, "FILE", CLI_TEXT, &r->study, 0, 0, NULL,
         "The study to keep the run in, new or with other runs; without it the problem's name and .study"},
    };
    const size_t endings = search_ending_list(&r->ending, ending);
    add(t, CONCERN_ALL, limits, search_limits_list(&r->limits, limits));
    add(t, CONCERN_ALL, ending, endings - 1);
    add(t, CONCERN_LANDER, ending + endings - 1, 1);
    add(t, CONCERN_ALL, rows, r->is_kept ? 1 : 2); /* what a study keeps names no study */
}

/* ---- Defaults ----------------------------------------------------------------------------- */

static int is_lander(const char *command)
{
    return strcmp(command, "lander") == 0;
}

static void defaults_of_search(search_request *r)
{
    const zilch_optimizer_options o = zilch_optimizer_defaults();
    r->law = (int)o.law;
    r->archive = (int)o.archive;
    r->again = (int)o.again;
    r->structure = (int)o.model.structure;
    r->rank = o.model.rank;
    r->inverter = (int)o.model.inverter;
    r->shrinkage = (int)o.model.shrinkage;
    r->projection = (int)o.model.projection;
    r->population = o.population;
    r->elites = o.elites;
    r->initial_p = o.initial_p;
    r->initial_mu = o.initial_mu;
    r->initial_sigma = o.initial_sigma;
    r->initial_spread = o.initial_spread;
    r->remember = o.remember;
    r->restart = o.restart;
    r->refit = o.refit;
    r->weighting = (int)o.refit.weighting;
    r->values = (int)o.refit.values;
    r->active_least = o.active_least;
    r->active_most = o.active_most;
}

static search_request defaults(const char *command)
{
    const zilch_limits limits = zilch_limits_defaults();
    const zilch_regression_options regression = zilch_regression_defaults();
    const zilch_program_options program = zilch_program_defaults();
    search_request r = {.command = command,
                        .problem = is_lander(command) ? "lander" : NULL,
                        .dim = UINT64_MAX,
                        .searched = (int)regression.searched,
                        .validation = regression.validation,
                        .direction = ZILCH_MINIMIZE,
                        .jobs = program.jobs,
                        .ahead = program.ahead,
                        .most_failures = program.most_failures,
                        .episodes = 8,
                        .lander = zilch_lander_defaults(),
                        .price = NAN,
                        .over_ask = limits.over_ask,
                        .ending = {UINT64_MAX, UINT64_MAX, 1000, zilch_recommend_defaults().prune},
                        .seed = 1};
    r.limits = (search_limits){.generations = limits.generations,
                               .evaluations = limits.evaluations,
                               .stagnation = limits.stagnation,
                               .target = limits.target,
                               .seconds = NAN};
    defaults_of_search(&r);
    return r;
}

/* All that the publication says of its search; the price and the landings are the problem's. */
static void defaults_as_published(search_request *r)
{
    r->law = ZILCH_LAW_ZIG;
    r->archive = ZILCH_ARCHIVE_LATEST;
    r->again = ZILCH_AGAIN_ALL;
    r->structure = ZILCH_STRUCTURE_FULL;
    r->inverter = ZILCH_AMORTISED;
    r->shrinkage = ZILCH_SHRINK_NONE;
    r->projection = ZILCH_CLIP;
    r->population = 500;
    r->elites = 100;
    r->limits.generations = 100;
    r->initial_p = 0.5;
    r->initial_mu = 0;
    r->initial_sigma = 2;
    r->initial_spread = 0;
    r->remember = 0;
    r->restart = 0;
    r->refit = (zilch_refit){0};
    r->weighting = ZILCH_WEIGHTING_EQUAL;
    r->values = ZILCH_VALUES_NORMAL;
    r->ending.prune = 0;
}

/* ---- Parsing -------------------------------------------------------------------------------- */

/* A row that is about another kind of problem would do nothing. */
static int check_concerns(const search_request *r, const option_table *t)
{
    const size_t length = strcspn(r->problem, ":");
    const int is_the_lander = length == strlen("lander") && strncmp(r->problem, "lander", length) == 0;
    const int is_a_regression = search_is_regression(r->problem);
    for (size_t k = 0; k < t->count; k++) {
        const char *const about = t->concern[k] == CONCERN_LANDER && !is_the_lander ? "the problem lander"
                                  : t->concern[k] == CONCERN_REGRESSION && !is_a_regression
                                      ? "the problems linear and logistic"
                                  : t->concern[k] == CONCERN_PROGRAM && !r->program ? "a --program"
                                                                                    : NULL;
        if (about && t->given[k]) {
            return search_wrong_usage(r->command, "--%s is for %s, not for %.*s", t->row[k].name, about,
                                      (int)(length < 64 ? length : 64), r->problem);
        }
    }
    return 0;
}

static unsigned lander_said(const option_table *t)
{
    static const struct {
        int key;
        unsigned bit;
    } row[] = {{KEY_EPISODES, SEARCH_EPISODES},     {KEY_SEEDS, SEARCH_SEEDS},
               {KEY_GRAVITY, SEARCH_GRAVITY},       {KEY_WIND, SEARCH_WIND},
               {KEY_WIND_POWER, SEARCH_WIND_POWER}, {KEY_TURBULENCE_POWER, SEARCH_TURBULENCE_POWER}};
    unsigned said = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        said |= is_given(t, row[i].key) ? row[i].bit : 0;
    }
    return said;
}

static int parse_words(search_request *r, int argc, char **argv)
{
    const int is_short = is_lander(r->command); /* its problem is known */
    option_table t = {.count = 0};
    if (!is_short) {
        add_problem(r, &t);
    }
    add_lander(r, &t);
    add_search(r, &t);
    add_refit(r, &t);
    add_sparsity(r, &t);
    add_end(r, &t);
    const cli_usage usage = {.command = r->command,
                             .operands = "",
                             .about = r->is_kept ? NULL
                                      : is_short ? lander_about
                                                 : optimize_about,
                             .options = t.row};
    const int status = cli_parse_given(&usage, argc, argv, t.given);
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
    r->said = lander_said(&t);
    return check_concerns(r, &t);
}

/* ---- By hand ---------------------------------------------------------------------------------- */

static int parse_by_hand(search_request *r, const cli_usage *usage, int argc, char **argv, int *is_any)
{
    option_table t = {.count = 0};
    const cli_option rows[] = {
        {"dim", KEY_DIM, "N", CLI_COUNT, &r->dim, 1, DIM_MOST, NULL,
         "Of a new run: coordinates; needed for it"},
        {"direction", KEY_DIRECTION, "NAME", CLI_CHOICE, &r->direction, 0, 0, cli_directions,
         "Whether values are to be small or large"},
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Of the random numbers: the same seed gives the same first points"},
    };
    size_t own = 0;
    while (usage->options[own].name) {
        own++;
    }
    add(&t, CONCERN_ALL, usage->options, own);
    ADD(&t, CONCERN_ALL, rows);
    add_search(r, &t);
    add_refit(r, &t);
    add_sparsity(r, &t);
    cli_usage whole = *usage;
    whole.options = t.row;
    const int status = cli_parse_given(&whole, argc, argv, t.given);
    *is_any = 0;
    for (size_t k = own; k < t.count; k++) {
        *is_any |= t.given[k];
    }
    return status;
}

int search_request_parse_by_hand(search_request *out, const cli_usage *usage, int argc, char **argv,
                                 int *is_any)
{
    *out = defaults(usage->command);
    int status = parse_by_hand(out, usage, argc, argv, is_any);
    if (!status && out->preset == PRESET_PUBLISHED) {
        *out = defaults(usage->command);
        defaults_as_published(out);
        status = parse_by_hand(out, usage, argc, argv, is_any);
    }
    out->problem = "by hand";
    return status ? status : search_request_check(out);
}

/* ---- A command ---------------------------------------------------------------------------------- */

static int parse_request(search_request *out, int is_kept, int argc, char **argv)
{
    const char *command = is_lander(argv[0]) ? "lander" : "optimize";
    *out = defaults(command);
    out->is_kept = is_kept;
    int status = parse_words(out, argc, argv);
    if (!status && out->preset == PRESET_PUBLISHED) {
        *out = defaults(command);
        out->is_kept = is_kept;
        defaults_as_published(out);
        status = parse_words(out, argc, argv);
    }
    return status ? status : search_request_check(out);
}

int search_request_parse(search_request *out, int argc, char **argv)
{
    return parse_request(out, 0, argc, argv);
}

int search_request_parse_kept(search_request *out, int argc, char **argv)
{
    return parse_request(out, 1, argc, argv);
}
