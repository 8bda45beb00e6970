/* zilch recover: how well the latent correlations of known laws are found again. */
#include "commands/commands.h"
#include "json/json.h"
#include "options/option_parser.h"
#include "options/option_shared.h"
#include "report/figures.h"
#include "report/figures_model.h"
#include "terminal/cli.h"
#include "terminal/progress.h"
#include "terminal/text.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    zilch_recover_options setting;
    int shrinkage, projection, json;
    uint64_t threads;
    const char *figures;
    const char *weights; /* NULL: the library's own */
} request;

static int parse(request *r, int argc, char **argv)
{
    zilch_recover_options *s = &r->setting;
    const cli_option options[] = {
        {"models", 0, "N", CLI_COUNT, &s->models, 1, 1e6, NULL, "Number of random models."},
        {"dim", 'd', "D", CLI_COUNT, &s->dim, 2, 1000, NULL, "Coordinates of each model."},
        {"rows", 0, "N", CLI_COUNT, &s->rows, 2, 1e9, NULL, "Points drawn from each model."},
        {"p-min", 0, "P", CLI_REAL, &s->p_min, 0, 1, NULL, "The least probability of being active."},
        {"p-max", 0, "P", CLI_REAL, &s->p_max, 0, 1, NULL, "The greatest probability of being active."},
        {"decay", 0, "R", CLI_REAL, &s->decay, 1e-3, 0.999, NULL,
         "Ratio of successive eigenvalues of the latent correlations."},
        {"projection", 0, "NAME", CLI_CHOICE, &r->projection, 0, 0, cli_projections,
         "How the estimate becomes a correlation matrix."},
        {"shrinkage", 0, "NAME", CLI_CHOICE, &r->shrinkage, 0, 0, cli_shrinkages,
         "How the estimate shrinks towards 0."},
        {"weights", 0, "FILE", CLI_TEXT, &r->weights, 0, 0, NULL,
         "Networks of the amortised inverter, a file that 'zilch train' wrote. Without it, zilch's own."},
        {"seed", 's', "S", CLI_COUNT, &s->seed, 0, 0x1p64, NULL, "Seed of the random numbers."},
        {"threads", 't', "N", CLI_COUNT, &r->threads, 0, 1024, NULL,
         "Threads; 0: one for each processor. The result does not depend on them."},
        {"figures", 'f', "DIR", CLI_TEXT, &r->figures, 0, 0, NULL, "Draw figures into this folder."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print JSON."},
        OPTION_PROGRESS,
        OPTION_QUIET,
        {0},
    };
    const char *about =
        "Draw random models, sample them, fit the samples, and compare the latent correlations found with "
        "the true ones: for each inverter, over all and for each block (VV values, VM values and "
        "masks, MM masks).";
    const cli_usage usage = {"recover", "", about, options, NULL, 0, 0};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && s->p_min > s->p_max) {
        return cli_wrong_usage(&usage, "--p-min %g is above --p-max %g", s->p_min, s->p_max);
    }
    s->threads = (unsigned)r->threads;
    s->shrinkage = (zilch_shrinkage)r->shrinkage;
    s->projection = (zilch_projection)r->projection;
    return status;
}

static const char *const block_title[ZILCH_BLOCKS] = {"MM", "VM", "VV"};

static void print_score(const char *name, const char *block, const zilch_recovery_score *s)
{
    printf("%-10s  %-8s%10zu  %14.5f  %9.2e  %8.5f\n", name, block, s->count, s->mae, s->mse, s->ccc);
}

static void print_bin(const zilch_recovery *result, int bin)
{
    const zilch_recovery_score *s = result->inverter[0].bin[bin];
    const size_t count = s[ZILCH_BLOCK_VV].count + s[ZILCH_BLOCK_VM].count + s[ZILCH_BLOCK_MM].count;
    printf("%.2f to %.2f %9zu", zilch_recovery_edge((size_t)bin), zilch_recovery_edge((size_t)bin + 1),
           count);
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        putchar(' ');
        for (int block = ZILCH_BLOCKS; block-- > 0;) { /* vv, vm, mm */
            const zilch_recovery_score *one = &result->inverter[k].bin[bin][block];
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
static void print_bins(const zilch_recovery *result)
{
    printf("\nMean absolute error against min(p_i, p_j)\n%-22s", "");
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        const int width = k + 1 < ZILCH_INVERTERS ? 25 : 0;
        printf("   %-*s", width, zilch_inverter_name((zilch_inverter)k));
    }
    printf("\n%-13s%9s", "min(p_i, p_j)", "count");
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        printf("   %7s  %7s  %7s", block_title[ZILCH_BLOCK_VV], block_title[ZILCH_BLOCK_VM],
               block_title[ZILCH_BLOCK_MM]);
    }
    putchar('\n');
    for (int bin = 0; bin < ZILCH_RECOVERY_BINS; bin++) {
        print_bin(result, bin);
    }
}

static void print_text(const request *r, const zilch_recovery *result)
{
    const zilch_recover_options *s = &r->setting;
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
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        print_score(zilch_inverter_name((zilch_inverter)k), "all", &result->inverter[k].all);
        for (int block = ZILCH_BLOCKS; block-- > 0;) { /* vv, vm, mm */
            print_score("", block_title[block], &result->inverter[k].block[block]);
        }
    }
    print_bins(result);
}

static int draw_figures(const char *folder, const zilch_recovery *result)
{
    const zilch_recovery_inverter *exact = &result->inverter[ZILCH_EXACT];
    unsigned char *is_vv = malloc(result->count);
    if (!is_vv) {
        return cli_fail("out of memory");
    }
    for (size_t i = 0; i < result->count; i++) {
        is_vv[i] = result->block[i] == ZILCH_BLOCK_VV;
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

static void put_score(json_node *object, const zilch_recovery_score *score, int *failed)
{
    node_put(object, "mae", node_real(score->mae), failed);
    node_put(object, "mse", node_real(score->mse), failed);
    node_put(object, "ccc", node_real(score->ccc), failed);
}

static json_node *recovered(const zilch_recovery_inverter *inverter, int *failed)
{
    json_node *object = node_object();
    json_node *blocks = node_object();
    json_node *bins = node_array();
    put_score(object, &inverter->all, failed);
    for (int block = ZILCH_BLOCKS; block-- > 0;) { /* vv, vm, mm */
        json_node *one = node_object();
        put_score(one, &inverter->block[block], failed);
        node_put(blocks, zilch_block_name((zilch_block)block), one, failed);
    }
    for (size_t bin = 0; bin < ZILCH_RECOVERY_BINS; bin++) {
        json_node *one = node_object();
        node_put(one, "low", node_real(zilch_recovery_edge(bin)), failed);
        node_put(one, "high", node_real(zilch_recovery_edge(bin + 1)), failed);
        for (int block = ZILCH_BLOCKS; block-- > 0;) { /* vv, vm, mm */
            const zilch_recovery_score *score = &inverter->bin[bin][block];
            node_put(one, zilch_block_name((zilch_block)block),
                     score->count ? node_real(score->mae) : node_null(), failed);
        }
        node_append(bins, one, failed);
    }
    node_put(object, "blocks", blocks, failed);
    node_put(object, "mae_by_min_p", bins, failed);
    return object;
}

/* The setting with the weights' file (null: the library's own), mean_abs_rho, and for each inverter
 * mae, mse, ccc, the same by block, and the mean absolute errors by min(p_i, p_j). */
static int print_json(const zilch_recover_options *setting, const char *weights, const zilch_recovery *result)
{
    json_node *document = node_object();
    int failed = 0;
    node_put(document, "models", node_whole(setting->models), &failed);
    node_put(document, "dim", node_whole(setting->dim), &failed);
    node_put(document, "rows", node_whole(setting->rows), &failed);
    node_put(document, "seed", node_whole(setting->seed), &failed);
    node_put(document, "decay", node_real(setting->decay), &failed);
    node_put(document, "p_min", node_real(setting->p_min), &failed);
    node_put(document, "p_max", node_real(setting->p_max), &failed);
    node_put(document, "projection", node_text(zilch_projection_name(setting->projection)), &failed);
    node_put(document, "shrinkage", node_text(zilch_shrinkage_name(setting->shrinkage)), &failed);
    node_put(document, "weights", node_name(weights), &failed);
    node_put(document, "correlations", node_whole(result->count), &failed);
    node_put(document, "mean_abs_rho", node_real(result->mean_abs_rho), &failed);
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        node_put(document, zilch_inverter_name((zilch_inverter)k), recovered(&result->inverter[k], &failed),
                 &failed);
    }
    return node_print(document, failed);
}

static int report(const request *r, const zilch_recovery *result)
{
    int status = 0;
    if (r->json) {
        status = print_json(&r->setting, r->weights, result);
    } else {
        print_text(r, result);
    }
    if (status || !r->figures) {
        return status;
    }
    fflush(stdout);      /* the result comes before what is said of its figures */
    cli_watch_signals(); /* to take half a figure away */
    status = draw_figures(r->figures, result);
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
    zilch_recovery *result;
    progress_begin(&line, "recover", "models", r->setting.models);
    const zilch_status status = zilch_recover(&result, &r->setting, progress_watch, &line);
    progress_end(&line);
    const int failed = status == ZILCH_OK       ? report(r, result)
                       : status == ZILCH_ENOMEM ? cli_fail("out of memory")
                                                : cli_fail_library();
    zilch_recovery_destroy(result);
    return failed;
}

int cmd_recover(int argc, char **argv)
{
    request r = {.setting = zilch_recover_defaults()};
    r.projection = (int)r.setting.projection;
    r.shrinkage = (int)r.setting.shrinkage;
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
