/* zilch show: a model file, one of weights, or a study, for people or as JSON. */
#include "commands/commands.h"
#include "commands/model_json.h"
#include "commands/networks_json.h"
#include "json/json.h"
#include "options/option_parser.h"
#include "study/show_study.h"
#include "terminal/cli.h"
#include "terminal/text.h"
#include "terminal/wrap.h"
#include "zilch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMNS_SHOWN = 20 };

typedef struct request {
    const char *file;
    uint64_t correlations, run;
    int json, all;
} request;

static const char about[] =
    "Print the model in FILE, if 'zilch fit' wrote it: for each column the activation probability p, mean mu "
    "and deviation sigma where active, and the threshold tau; and which latents, values V and masks M, go "
    "together. If FILE holds weights that 'zilch train' wrote, print how each network was trained. If FILE "
    "is a study, print its runs, or with --run how one of them was asked for, how it went and what it found.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print everything as JSON."},
        {"correlations", 'k', "K", CLI_COUNT, &r->correlations, 0, 1000, NULL,
         "Show the K strongest latent correlations of each block."},
        {"all", 0, NULL, CLI_FLAG, &r->all, 0, 0, NULL,
         "Show all columns of a long model, or all generations of a run."},
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run of a study to show."},
        {0},
    };
    const cli_usage usage = {"show", "FILE", about, options, &r->file, 1, 1};
    return cli_parse(&usage, argc, argv);
}

/* ---- The strongest correlations ------------------------------------------------ */

typedef struct pair {
    size_t row, col; /* in the latent matrix */
    double rho;
} pair;

/* Rows and columns of the latent matrix that make a block, by its kinds of latents. */
typedef struct block {
    const char *title;
    char row_kind, col_kind; /* 'V' or 'M' */
} block;

static const block blocks[] = {{"values", 'V', 'V'}, {"masks", 'M', 'M'}, {"value and mask", 'V', 'M'}};

/* Keep the `most` strongest in order; the earlier of two equals stays before. */
static void insert(pair *best, size_t *count, size_t most, pair candidate)
{
    if (*count == most && !(fabs(candidate.rho) > fabs(best[most - 1].rho))) {
        return;
    }
    size_t at = *count < most ? (*count)++ : most - 1;
    for (; at > 0 && fabs(best[at - 1].rho) < fabs(candidate.rho); at--) {
        best[at] = best[at - 1];
    }
    best[at] = candidate;
}

/* What no correlation of a latent exceeds but for its factor in another one: with common factors, the length
 * of its loadings. */
static void measure(const zilch_model *model, double *bound)
{
    const size_t n = 2 * zilch_model_dim(model);
    const double *loading = zilch_model_loadings(model);
    for (size_t i = 0; i < n; i++) {
        double square = zilch_model_structure(model) == ZILCH_STRUCTURE_FULL;
        for (size_t k = 0; k < zilch_model_rank(model); k++) {
            square += loading[k * n + i] * loading[k * n + i];
        }
        bound[i] = sqrt(square);
    }
}

/* Zeros are left out: they say nothing. Where bounds say that a pair is not among the strongest, it is not
 * looked at: of many thousand coordinates hardly any is. */
static size_t strongest(const zilch_model *model, const block *b, const double *bound, pair *best,
                        size_t most)
{
    const size_t dim = zilch_model_dim(model);
    const size_t row_base = b->row_kind == 'M' ? dim : 0;
    const size_t col_base = b->col_kind == 'M' ? dim : 0;
    double longest = 0;
    size_t count = 0;
    for (size_t j = 0; j < dim; j++) {
        longest = fmax(longest, bound[col_base + j]);
    }
    for (size_t i = 0; i < dim; i++) {
        const double here = bound[row_base + i];
        double least = count == most ? fabs(best[most - 1].rho) : 0;
        for (size_t j = row_base == col_base ? i + 1 : 0; here * longest > least && j < dim; j++) {
            if (here * bound[col_base + j] > least) {
                const pair p = {row_base + i, col_base + j,
                                zilch_model_correlation_at(model, row_base + i, col_base + j)};
                if (p.rho != 0) {
                    insert(best, &count, most, p);
                }
                least = count == most ? fabs(best[most - 1].rho) : 0;
            }
        }
    }
    return count;
}

/* "corr(V1,M2)", or by the names of the columns "corr(V flour, M sugar)". */
enum { NAME_LETTERS = 20, NAME_SIZE = 4 * NAME_LETTERS + 1, PAIR_SIZE = 2 * NAME_SIZE + 16 };

static void format_pair(const zilch_model *model, const block *b, const pair *p, char out[PAIR_SIZE])
{
    const char *const *names = zilch_model_names(model);
    const size_t row = p->row % zilch_model_dim(model);
    const size_t col = p->col % zilch_model_dim(model);
    char first[NAME_SIZE];
    char second[NAME_SIZE];
    if (!names) {
        snprintf(out, PAIR_SIZE, "corr(%c%zu,%c%zu)", b->row_kind, row + 1, b->col_kind, col + 1);
        return;
    }
    text_shorten(names[row], NAME_LETTERS, first, sizeof first);
    text_shorten(names[col], NAME_LETTERS, second, sizeof second);
    snprintf(out, PAIR_SIZE, "corr(%c %s, %c %s)", b->row_kind, first, b->col_kind, second);
}

/* The width of the longest name among the pairs. */
static int pair_width(const zilch_model *model, const block *b, const pair *best, size_t count)
{
    int width = 18;
    for (size_t k = 0; k < count; k++) {
        char name[PAIR_SIZE];
        format_pair(model, b, &best[k], name);
        width = (int)text_width(name) > width ? (int)text_width(name) : width;
    }
    return width;
}

static int print_correlations(const zilch_model *model, size_t most)
{
    pair *best = malloc(most * sizeof *best);
    double *bound = calloc(2 * zilch_model_dim(model), sizeof *bound);
    if (!best || !bound) {
        free(best);
        free(bound);
        return cli_fail("out of memory");
    }
    const size_t dim = zilch_model_dim(model);
    const double *observed = zilch_model_observed(model);
    measure(model, bound);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const size_t count = strongest(model, &blocks[i], bound, best, most);
        const int width = pair_width(model, &blocks[i], best, count);
        printf("\nstrongest latent correlations, %s:%s\n", blocks[i].title, count ? "" : " none");
        for (size_t k = 0; k < count; k++) {
            const pair *p = &best[k];
            char name[PAIR_SIZE];
            format_pair(model, &blocks[i], p, name);
            fputs("  ", stdout);
            text_put_aligned(stdout, name, -width);
            printf(" %8.4f", p->rho);
            if (observed) {
                printf("  observed %8.4f", observed[p->row * 2 * dim + p->col]);
            }
            putchar('\n');
        }
    }
    free(best);
    free(bound);
    return 0;
}

static void print_report(const zilch_model *model)
{
    zilch_fit_report report;
    if (zilch_model_report(model, &report) != ZILCH_OK) {
        puts("\nnot fitted: made from its parameters");
        return;
    }
    if (report.structure != ZILCH_STRUCTURE_FULL) {
        printf("\nfit: worth %.6g rows, structure %s, %zu factors, shrinkage %s\n", report.rows,
               zilch_structure_name(report.structure), zilch_model_rank(model),
               zilch_shrinkage_name(report.shrinkage));
        return;
    }
    printf("\nfit: worth %.6g rows, inverter %s, shrinkage %s, projection %s (projection distance %.3g, "
           "identity weight %.3g)\n",
           report.rows, zilch_inverter_name(report.inverter), zilch_shrinkage_name(report.shrinkage),
           zilch_projection_name(report.projection), report.projection_distance, report.identity_weight);
}

static int print_model(const request *r, const zilch_model *model)
{
    const size_t dim = zilch_model_dim(model);
    const size_t shown = r->all || dim <= COLUMNS_SHOWN ? dim : COLUMNS_SHOWN;
    const double *p = zilch_model_p(model);
    double sum = 0;
    for (size_t j = 0; j < dim; j++) {
        sum += p[j];
    }
    text_put_between(stdout, "", r->file, ": ");
    printf("%zu columns, active %.4g %% on average\n\n", dim, 100 * (sum / (double)dim));
    const char *const *names = zilch_model_names(model);
    printf("%8s %12s %12s %12s %12s%s\n", "column", "p", "mu", "sigma", "tau", names ? "  name" : "");
    for (size_t j = 0; j < shown; j++) {
        printf("%8zu %12.6g %12.6g %12.6g %12.6g", j + 1, p[j], zilch_model_mu(model)[j],
               zilch_model_sigma(model)[j], zilch_model_tau(model)[j]);
        text_put_between(stdout, names ? "  " : "", names ? names[j] : "", "\n");
    }
    if (shown < dim) {
        printf("%8s %zu more columns (--all shows them)\n", "...", dim - shown);
    }
    if (r->correlations > 0 && print_correlations(model, (size_t)r->correlations)) {
        return CLI_FAILED;
    }
    print_report(model);
    return CLI_OK;
}

/* ---- A model as JSON -------------------------------------------------------------- */

/* Rows of a matrix; null for NULL. */
static json_node *rows_of(const double *x, size_t count, size_t side, int *failed)
{
    if (!x) {
        return node_null();
    }
    json_node *rows = node_array();
    for (size_t i = 0; i < count; i++) {
        node_append(rows, node_vector(x + i * side, side, failed), failed);
    }
    return rows;
}

/* dim, names, p, mu, sigma, tau, structure, loadings, correlation and observed (arrays of rows), report. */
static int print_model_json(const zilch_model *model)
{
    const size_t dim = zilch_model_dim(model);
    json_node *document = node_object();
    int failed = 0;
    node_put(document, "dim", node_whole(dim), &failed);
    node_put(document, "names", node_names(zilch_model_names(model), dim, &failed), &failed);
    node_put(document, "p", node_vector(zilch_model_p(model), dim, &failed), &failed);
    node_put(document, "mu", node_vector(zilch_model_mu(model), dim, &failed), &failed);
    node_put(document, "sigma", node_vector(zilch_model_sigma(model), dim, &failed), &failed);
    node_put(document, "tau", node_vector(zilch_model_tau(model), dim, &failed), &failed);
    node_put(document, "structure", node_text(zilch_structure_name(zilch_model_structure(model))), &failed);
    node_put(document, "loadings",
             rows_of(zilch_model_loadings(model), zilch_model_rank(model), 2 * dim, &failed), &failed);
    node_put(document, "correlation", rows_of(zilch_model_correlation(model), 2 * dim, 2 * dim, &failed),
             &failed);
    node_put(document, "observed", rows_of(zilch_model_observed(model), 2 * dim, 2 * dim, &failed), &failed);
    node_put(document, "report", model_report_json(model, &failed), &failed);
    return node_print(document, failed);
}

static int show_model(const request *r)
{
    zilch_model *model;
    if (zilch_model_load(&model, r->file) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int status = r->json ? print_model_json(model) : print_model(r, model);
    zilch_model_destroy(model);
    return status;
}

/* ---- Weights --------------------------------------------------------------------- */

/* A line of the table: its title, and a figure of each network's record r. */
#define PRINT_LINE(title, format, figure)                                               \
    do {                                                                                \
        printf("%-20s", title);                                                         \
        for (const zilch_training_record *r = record; r < record + ZILCH_BLOCKS; r++) { \
            printf(" %12" format, figure);                                              \
        }                                                                               \
        putchar('\n');                                                                  \
    } while (0)

/* A column for each network. */
static int print_networks(const char *path, const zilch_networks *networks)
{
    zilch_training_record record[ZILCH_BLOCKS];
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        if (zilch_networks_record(networks, (zilch_block)b, &record[b]) != ZILCH_OK) {
            return cli_fail_library();
        }
    }
    text_put_between(stdout, "", path, ": ");
    puts("weights of the amortised inverter's networks\n");
    PRINT_LINE("block", "s", zilch_block_name((zilch_block)(r - record)));
    PRINT_LINE("units", "zu", r->options.units);
    PRINT_LINE("labels", "s", zilch_labels_name(r->examples.labels));
    PRINT_LINE("examples", PRIu64, r->examples.count);
    PRINT_LINE("rows behind each", PRIu64, r->examples.rows);
    PRINT_LINE("seed of the examples", PRIu64, r->examples.seed);
    PRINT_LINE("epochs", PRIu64, r->options.epochs);
    PRINT_LINE("epochs done", PRIu64, r->report.epoch);
    PRINT_LINE("batch", PRIu64, r->options.batch);
    PRINT_LINE("rate", ".4g", r->options.rate);
    PRINT_LINE("final rate", ".4g", r->options.final_rate);
    PRINT_LINE("seed", PRIu64, r->options.seed);
    PRINT_LINE("training error", ".4g", r->report.training_error);
    PRINT_LINE("validation error", ".4g", r->report.validation_error);
    return CLI_OK;
}

static int show_weights(const request *r)
{
    zilch_networks *networks;
    if (zilch_networks_load(&networks, r->file) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int status =
        r->json ? networks_print_json(r->file, networks, ZILCH_BLOCKS) : print_networks(r->file, networks);
    zilch_networks_destroy(networks);
    return status;
}

/* ---- Which of the three --------------------------------------------------------------- */

enum { BEGINNING = 16 };

static int show(const request *r)
{
    char beginning[BEGINNING + 1] =
        ""; /* of a file that cannot be read: whoever loads it will say so better */
    struct stat info;
    FILE *stream = stat(r->file, &info) == 0 && S_ISREG(info.st_mode) ? fopen(r->file, "rb") : NULL;
    if (stream) {
        (void)!fread(beginning, 1, BEGINNING, stream);
        fclose(stream);
    }
    const int is_run_asked = r->run != UINT64_MAX && !*beginning;
    if (is_run_asked || memcmp(beginning, "SQLite format 3", BEGINNING) == 0) {
        return show_study(r->file, r->run, r->json, r->all);
    }
    if (*beginning && strncmp(beginning, "zilch", 5) != 0) {
        return cli_fail("%s: is neither a model nor weights of networks nor a study", r->file);
    }
    if (r->run != UINT64_MAX) {
        return cli_fail("%s: is no study, so it has no run %llu", r->file, (unsigned long long)r->run);
    }
    return strncmp(beginning, "zilchnet", 8) == 0 ? show_weights(r) : show_model(r);
}

int cmd_show(int argc, char **argv)
{
    request r = {.correlations = 10, .run = UINT64_MAX};
    wrap page;
    const int usage = parse(&r, argc, argv);
    if (usage || r.json) {
        return usage ? usage : show(&r);
    }
    wrap_begin(&page);
    const int status = show(&r);
    wrap_end(&page);
    return status;
}
