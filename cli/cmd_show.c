/* zilch show: a model file, one of weights, or a study, for people or as JSON. */
#include "cli.h"
#include "commands.h"
#include "json.h"
#include "options.h"
#include "show_study.h"
#include "text.h"
#include "zilch.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMNS_SHOWN = 20, KEY_JSON = 256, KEY_ALL };

typedef struct request {
    const char *file;
    uint64_t correlations, run;
    int json, all;
} request;

static const char about[] =
    "Print the law in FILE, if 'zilch fit' wrote it: for each column the activation probability p, mean mu "
    "and deviation sigma where active, and the threshold tau; and which latents, values V and masks M, go "
    "together. If FILE holds weights that 'zilch train' wrote, print how each network was trained. If FILE "
    "is a study, print its runs, or with --run how one of them was asked for, how it went and what it found.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"json", KEY_JSON, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print everything as JSON"},
        {"correlations", 'k', "K", CLI_COUNT, &r->correlations, 0, 1000, NULL,
         "Show the K strongest latent correlations of each block"},
        {"all", KEY_ALL, NULL, CLI_FLAG, &r->all, 0, 0, NULL,
         "Show all columns of a long model, all generations of a run"},
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "Of a study, the run to show"},
        {0},
    };
    const cli_usage usage = {"show", "FILE", about, options, &r->file, 1, 1};
    return cli_parse(&usage, argc, argv);
}

static void print_columns(const zilch_model *model, size_t shown)
{
    const size_t dim = zilch_model_dim(model);
    printf("%8s %12s %12s %12s %12s\n", "column", "p", "mu", "sigma", "tau");
    for (size_t j = 0; j < shown; j++) {
        printf("%8zu %12.6g %12.6g %12.6g %12.6g\n", j + 1, zilch_model_p(model)[j], zilch_model_mu(model)[j],
               zilch_model_sigma(model)[j], zilch_model_tau(model)[j]);
    }
    if (shown < dim) {
        printf("%8s %zu more columns (--all shows them)\n", "...", dim - shown);
    }
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

static void print_pair(const zilch_model *model, const block *b, const pair *p)
{
    const size_t dim = zilch_model_dim(model);
    const double *observed = zilch_model_observed(model);
    char name[64];
    snprintf(name, sizeof name, "corr(%c%zu,%c%zu)", b->row_kind, p->row % dim + 1, b->col_kind,
             p->col % dim + 1);
    printf("  %-18s %8.4f", name, p->rho);
    if (observed) {
        printf("  observed %8.4f", observed[p->row * 2 * dim + p->col]);
    }
    putchar('\n');
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
    measure(model, bound);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const size_t count = strongest(model, &blocks[i], bound, best, most);
        printf("\nstrongest latent correlations, %s:%s\n", blocks[i].title, count ? "" : " none");
        for (size_t k = 0; k < count; k++) {
            print_pair(model, &blocks[i], &best[k]);
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
    printf("\nfit: worth %.6g rows, inverter %s, shrinkage %s, projection %s (moved %.3g, pull %.3g)\n",
           report.rows, zilch_inverter_name(report.inverter), zilch_shrinkage_name(report.shrinkage),
           zilch_projection_name(report.projection), report.moved, report.pull);
}

static double mean_active(const zilch_model *model)
{
    const size_t dim = zilch_model_dim(model);
    double sum = 0;
    for (size_t j = 0; j < dim; j++) {
        sum += zilch_model_p(model)[j];
    }
    return sum / (double)dim;
}

static int print_model(const request *r, const zilch_model *model)
{
    const size_t dim = zilch_model_dim(model);
    text_put_between(stdout, "", r->file, ": ");
    printf("%zu columns, active %.4g %% on average\n\n", dim, 100 * mean_active(model));
    print_columns(model, r->all || dim <= COLUMNS_SHOWN ? dim : COLUMNS_SHOWN);
    if (r->correlations > 0 && print_correlations(model, (size_t)r->correlations)) {
        return CLI_FAILED;
    }
    print_report(model);
    return CLI_OK;
}

static int show_model(const request *r)
{
    zilch_model *model;
    if (zilch_model_load(&model, r->file) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int status = r->json ? json_print_model(model) : print_model(r, model);
    zilch_model_destroy(model);
    return status;
}

/* ---- Weights --------------------------------------------------------------------- */

enum {
    UNITS,
    LABELS,
    EXAMPLES,
    ROWS,
    EXAMPLES_SEED,
    EPOCHS,
    EPOCHS_DONE,
    BATCH,
    RATE,
    FINAL_RATE,
    SEED,
    TRAINING_ERROR,
    VALIDATION_ERROR,
    LINES
};

static const char *const line_title[LINES] = {
    [UNITS] = "units",
    [LABELS] = "labels",
    [EXAMPLES] = "examples",
    [ROWS] = "rows behind each",
    [EXAMPLES_SEED] = "seed of the examples",
    [EPOCHS] = "epochs",
    [EPOCHS_DONE] = "epochs done",
    [BATCH] = "batch",
    [RATE] = "rate",
    [FINAL_RATE] = "final rate",
    [SEED] = "seed",
    [TRAINING_ERROR] = "training error",
    [VALIDATION_ERROR] = "validation error",
};

typedef char cell[24];

static void count_cell(cell out, uint64_t value)
{
    snprintf(out, sizeof(cell), "%llu", (unsigned long long)value);
}

static void real_cell(cell out, double value)
{
    snprintf(out, sizeof(cell), "%.4g", value);
}

static void fill_cells(const zilch_training_record *r, cell out[LINES])
{
    const zilch_examples_options *e = &r->examples;
    const zilch_training_options *o = &r->options;
    count_cell(out[UNITS], o->units);
    snprintf(out[LABELS], sizeof(cell), "%s", zilch_labels_name(e->labels));
    count_cell(out[EXAMPLES], e->count);
    count_cell(out[ROWS], e->rows);
    count_cell(out[EXAMPLES_SEED], e->seed);
    count_cell(out[EPOCHS], o->epochs);
    count_cell(out[EPOCHS_DONE], r->report.epoch);
    count_cell(out[BATCH], o->batch);
    real_cell(out[RATE], o->rate);
    real_cell(out[FINAL_RATE], o->final_rate);
    count_cell(out[SEED], o->seed);
    real_cell(out[TRAINING_ERROR], r->report.training_error);
    real_cell(out[VALIDATION_ERROR], r->report.validation_error);
}

/* A column for each network. */
static int print_networks(const char *path, const zilch_networks *networks)
{
    cell column[ZILCH_BLOCKS][LINES];
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_record record;
        if (zilch_networks_record(networks, (zilch_block)b, &record) != ZILCH_OK) {
            return cli_fail_library();
        }
        fill_cells(&record, column[b]);
    }
    text_put_between(stdout, "", path, ": ");
    printf("weights of the amortised inverter's networks\n\n%-20s", "block");
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        printf(" %12s", zilch_block_name((zilch_block)b));
    }
    putchar('\n');
    for (int line = 0; line < LINES; line++) {
        printf("%-20s", line_title[line]);
        for (int b = 0; b < ZILCH_BLOCKS; b++) {
            printf(" %12s", column[b][line]);
        }
        putchar('\n');
    }
    return CLI_OK;
}

static int show_weights(const request *r)
{
    zilch_networks *networks;
    if (zilch_networks_load(&networks, r->file) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int status =
        r->json ? json_print_networks(r->file, networks, ZILCH_BLOCKS) : print_networks(r->file, networks);
    zilch_networks_destroy(networks);
    return status;
}

/* ---- Which of the three --------------------------------------------------------------- */

enum { BEGINNING = 16 };

/* Its first bytes; "" if it cannot be read, which whoever loads it will say better. */
static void read_beginning(const char *path, char out[BEGINNING + 1])
{
    struct stat info;
    FILE *stream = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    memset(out, 0, BEGINNING + 1);
    (void)!(stream ? fread(out, 1, BEGINNING, stream) : 0);
    if (stream) {
        fclose(stream);
    }
}

int cmd_show(int argc, char **argv)
{
    request r = {.correlations = 10, .run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    char beginning[BEGINNING + 1];
    read_beginning(r.file, beginning);
    if (memcmp(beginning, "SQLite format 3", BEGINNING) == 0) {
        return show_study(r.file, r.run, r.json, r.all);
    }
    if (*beginning && strncmp(beginning, "zilch", 5) != 0) {
        return cli_fail("%s: is neither a model nor weights of networks nor a study", r.file);
    }
    if (r.run != UINT64_MAX) {
        return cli_fail("%s: is no study, so it has no run %llu", r.file, (unsigned long long)r.run);
    }
    return strncmp(beginning, "zilchnet", 8) == 0 ? show_weights(&r) : show_model(&r);
}
