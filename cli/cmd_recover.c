/* zilch recover: how well the latent correlations of known laws are found again. */
#include "cli.h"
#include "commands.h"
#include "figures.h"
#include "figures_model.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "recover.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    recover_setting setting;
    int shrinkage, projection, json;
    const char *figures;
    const char *weights; /* NULL: the library's own */
} request;

static int parse(request *r, int argc, char **argv)
{
    recover_setting *s = &r->setting;
    const cli_option options[] = {
        {"models", 'm', "N", CLI_COUNT, &s->models, 1, 1e6, NULL, "Random laws to recover"},
        {"dim", 'd', "D", CLI_COUNT, &s->dim, 2, 1000, NULL, "Coordinates of each"},
        {"rows", 'n', "N", CLI_COUNT, &s->rows, 2, 1e9, NULL, "Points drawn from each"},
        {"p-min", 256, "P", CLI_REAL, &s->p_min, 0, 1, NULL, "Lowest activation probability"},
        {"p-max", 257, "P", CLI_REAL, &s->p_max, 0, 1, NULL, "Highest activation probability"},
        {"decay", 258, "R", CLI_REAL, &s->decay, 1e-3, 0.999, NULL,
         "Ratio of successive eigenvalues of the latent correlations"},
        {"projection", 259, "NAME", CLI_CHOICE, &r->projection, 0, 0, cli_projections,
         "How the estimate is made a correlation matrix"},
        {"shrinkage", 260, "NAME", CLI_CHOICE, &r->shrinkage, 0, 0, cli_shrinkages,
         "Of the estimate towards 0"},
        {"weights", 261, "FILE", CLI_TEXT, &r->weights, 0, 0, NULL,
         "The amortised inverter's networks, a file that 'zilch train' wrote; without it, zilch's own"},
        {"seed", 's', "S", CLI_COUNT, &s->seed, 0, 0x1p64, NULL, "Of the random numbers"},
        {"threads", 't', "N", CLI_COUNT, &s->threads, 0, 1024, NULL,
         "Threads, 0 for one a processor; the result does not depend on it"},
        {"figures", 'f', "DIR", CLI_TEXT, &r->figures, 0, 0, NULL, "Draw the figures of the model into DIR"},
        {"json", 'j', NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print JSON"},
        {0},
    };
    const char *about =
        "Draw random laws, sample them, fit the samples, and compare the latent correlations found with "
        "the true ones: for each inverter, over all and for each block (VV values, VM values and "
        "masks, MM masks).";
    const cli_usage usage = {"recover", "", about, options, NULL, 0, 0};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && s->p_min > s->p_max) {
        return cli_wrong_usage(&usage, "--p-min %g is above --p-max %g", s->p_min, s->p_max);
    }
    s->shrinkage = (zilch_shrinkage)r->shrinkage;
    s->projection = (zilch_projection)r->projection;
    return status;
}

static const char *const block_title[RECOVER_BLOCKS] = {"VV", "VM", "MM"};

static void print_score(const char *name, const char *block, const recover_score *s)
{
    printf("%-10s  %-8s%10zu  %14.5f  %9.2e  %8.5f\n", name, block, s->count, s->mae, s->mse, s->ccc);
}

static void print_inverter(const char *name, const recover_inverter *inverter)
{
    print_score(name, "all", &inverter->all);
    for (int block = 0; block < RECOVER_BLOCKS; block++) {
        print_score("", block_title[block], &inverter->block[block]);
    }
}

static void print_bin(const recover_result *result, int bin)
{
    const recover_score *s = result->inverter[0].bin[bin];
    const size_t count = s[RECOVER_VV].count + s[RECOVER_VM].count + s[RECOVER_MM].count;
    printf("%.2f to %.2f %9zu", recover_bin_edge[bin], recover_bin_edge[bin + 1], count);
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        putchar(' ');
        for (int block = 0; block < RECOVER_BLOCKS; block++) {
            const recover_score *one = &result->inverter[k].bin[bin][block];
            if (one->count) {
                printf("  %7.5f", one->mae);
            } else {
                printf("  %7s", "-");
            }
        }
    }
    putchar('\n');
}

/* The inverters side by side, each with its three blocks. */
static void print_bins(const recover_result *result)
{
    printf("\nMean absolute error against min(p_i, p_j)\n%-22s", "");
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        const int width = k + 1 < RECOVER_INVERTERS ? 25 : 0;
        printf("   %-*s", width, zilch_inverter_name((zilch_inverter)k));
    }
    printf("\n%-13s%9s", "min(p_i, p_j)", "count");
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        printf("   %7s  %7s  %7s", block_title[RECOVER_VV], block_title[RECOVER_VM], block_title[RECOVER_MM]);
    }
    putchar('\n');
    for (int bin = 0; bin < RECOVER_BINS; bin++) {
        print_bin(result, bin);
    }
}

static void print_text(const request *r, const recover_result *result)
{
    const recover_setting *s = &r->setting;
    printf("%llu models, d = %llu, n = %llu, p ~ U(%g, %g), decay %g, seed %llu\n",
           (unsigned long long)s->models, (unsigned long long)s->dim, (unsigned long long)s->rows, s->p_min,
           s->p_max, s->decay, (unsigned long long)s->seed);
    printf("projection %s, shrinkage %s\n", zilch_projection_name(s->projection),
           zilch_shrinkage_name(s->shrinkage));
    if (r->weights) {
        text_put_between(stdout, "amortised with the weights in ", r->weights, "\n");
    }
    printf("%zu correlations, mean |rho| %.4f\n\n", result->count, result->mean_abs_rho);
    printf("inverter    block        count  mean abs error        MSE       CCC\n");
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        print_inverter(zilch_inverter_name((zilch_inverter)k), &result->inverter[k]);
    }
    print_bins(result);
}

static int draw_figures(const char *folder, const recover_result *result)
{
    const recover_inverter *exact = &result->inverter[ZILCH_EXACT];
    unsigned char *is_vv = malloc(result->count);
    if (!is_vv) {
        return cli_fail("out of memory");
    }
    for (size_t i = 0; i < result->count; i++) {
        is_vv[i] = result->block[i] == RECOVER_VV;
    }
    const figure_pairs pairs = {.count = result->count,
                                .truth = result->truth,
                                .recovered = exact->recovered,
                                .min_p = result->min_p,
                                .is_vv = is_vv,
                                .mae = exact->all.mae,
                                .mse = exact->all.mse,
                                .ccc = exact->all.ccc};
    const int status = figures_draw_model(folder, &pairs);
    free(is_vv);
    return status;
}

static void show_progress(void *context, size_t done)
{
    progress_update(context, done);
}

static int report(const request *r, const recover_result *result)
{
    if (r->json) {
        const int status = json_print_recover(&r->setting, r->weights, result);
        if (status) {
            return status;
        }
    } else {
        print_text(r, result);
    }
    if (!r->figures) {
        return CLI_OK;
    }
    fflush(stdout);      /* the result comes before what is said of its figures */
    cli_watch_signals(); /* to take half a figure away */
    const int status = draw_figures(r->figures, result);
    if (!status) {
        text_put_between(stderr, "zilch recover: figures in ", r->figures, "\n");
    } else {
        cli_end_if_stopped();
    }
    return status;
}

static int recover(const request *r)
{
    progress line;
    recover_result result;
    progress_begin(&line, "recover", "models", r->setting.models);
    const zilch_status status = recover_run(&r->setting, show_progress, &line, &result);
    progress_end(&line);
    const int failed = status == ZILCH_OK       ? report(r, &result)
                       : status == ZILCH_ENOMEM ? cli_fail("out of memory")
                                                : cli_fail_library();
    recover_free(&result);
    return failed;
}

int cmd_recover(int argc, char **argv)
{
    request r = {.setting = {.models = 100, .dim = 32, .rows = 100000, .seed = 1, .decay = 0.6, .p_max = 1.0},
                 .projection = ZILCH_WEIGHTED,
                 .shrinkage = ZILCH_SHRINK_NONE};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    zilch_networks *networks = NULL;
    if (r.weights && zilch_networks_load(&networks, r.weights) != ZILCH_OK) {
        return cli_fail_library();
    }
    r.setting.networks = networks;
    int status = r.figures ? figures_make_folder(r.figures) : 0;
    if (!status) {
        status = recover(&r);
    }
    zilch_networks_destroy(networks);
    return status;
}
