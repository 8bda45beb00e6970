/* zilch fit: a dataset in, a model file out. */
#include "commands/commands.h"
#include "commands/model_json.h"
#include "dataset/dataset.h"
#include "options/option_parser.h"
#include "terminal/cli.h"
#include "terminal/text.h"
#include "zilch.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *data, *model, *row_weights;
    const char *weights; /* of the networks; NULL: the library's own */
    int structure, inverter, shrinkage, projection;
    uint64_t rank;
    double sigma_floor;
    int json;
} request;

static const char about[] =
    "Fit the zero-inflated Gaussian to DATA, a dataset with a point in each row: text (separated by "
    "commas, tabs, semicolons or blanks, with a header line or without) or .npy; - is "
    "standard input. An exact 0 means that a coordinate is inactive. The names of a header line are kept in "
    "the model.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"output", 'o', "MODEL", CLI_TEXT, &r->model, 0, 0, NULL, "The model file to write; it is needed."},
        {"structure", 0, "NAME", CLI_CHOICE, &r->structure, 0, 0, cli_structures,
         "Correlations: any; none; or those of a few common factors, for thousands of columns."},
        {"rank", 0, "K", CLI_COUNT, &r->rank, 1, 1000, NULL,
         "The greatest number of factors, for structure low-rank."},
        {"inverter", 0, "NAME", CLI_CHOICE, &r->inverter, 0, 0, cli_inverters,
         "How latent correlations follow from observed ones."},
        {"weights", 0, "FILE", CLI_TEXT, &r->weights, 0, 0, NULL,
         "Networks of the amortised inverter, a file that 'zilch train' wrote. Without it, zilch's own."},
        {"shrinkage", 0, "NAME", CLI_CHOICE, &r->shrinkage, 0, 0, cli_shrinkages,
         "How latent correlations shrink towards 0, by their standard errors."},
        {"projection", 0, "NAME", CLI_CHOICE, &r->projection, 0, 0, cli_projections,
         "How the correlations become a positive definite matrix."},
        {"sigma-floor", 0, "S", CLI_REAL, &r->sigma_floor, 0, INFINITY, NULL,
         "No standard deviation is fitted below this."},
        {"row-weights", 0, "FILE", CLI_TEXT, &r->row_weights, 0, 0, NULL,
         "A file with one column: the weight of each row."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print the summary as JSON."},
        {0},
    };
    const cli_usage usage = {"fit", "DATA", about, options, &r->data, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && !r->model) {
        return cli_wrong_usage(&usage, "-o MODEL is missing");
    }
    if (!status && strcmp(r->model, "-") == 0) {
        return cli_wrong_usage(&usage, "-o: a model is written to a file, not to standard output");
    }
    if (!status && (cli_is_same_file(r->model, r->data) || cli_is_same_file(r->model, r->row_weights) ||
                    cli_is_same_file(r->model, r->weights))) {
        return cli_wrong_usage(&usage, "-o: %s is what is read; the model would replace it", r->model);
    }
    if (!status && r->weights && r->inverter != ZILCH_AMORTISED) {
        return cli_wrong_usage(&usage, "--weights: only the amortised inverter has networks; add --inverter "
                                       "amortised (the weights of rows are --row-weights)");
    }
    return status;
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") != 0 ? path : "standard input";
}

/* One weight a row of the data; *out stays empty if none were asked for. */
static int read_row_weights(const request *r, size_t rows, dataset *out)
{
    dataset_error error;
    if (!r->row_weights) {
        return 0;
    }
    if (dataset_read(out, r->row_weights, 1, &error)) {
        return cli_fail("%s", error.text);
    }
    if (out->cols != 1) {
        return cli_fail("%s: has %zu columns; weights are one column", r->row_weights, out->cols);
    }
    if (out->rows != rows) {
        return cli_fail("%s: has %zu weights, but %s has %zu rows", r->row_weights, out->rows, r->data, rows);
    }
    return 0;
}

/* Columns of one kind. */
typedef struct kinds {
    double active; /* the mean probability */
    size_t never, always, constant;
} kinds;

static kinds count_kinds(const zilch_model *model, double sigma_floor)
{
    const size_t dim = zilch_model_dim(model);
    const double *p = zilch_model_p(model);
    const double *sigma = zilch_model_sigma(model);
    kinds k = {0};
    double sum = 0;
    for (size_t j = 0; j < dim; j++) {
        sum += p[j];
        k.never += p[j] == 0;
        k.always += p[j] == 1;
        k.constant += p[j] > 0 && sigma[j] <= sigma_floor;
    }
    k.active = sum / (double)dim;
    return k;
}

static void print_columns(const zilch_model *model, double sigma_floor)
{
    const kinds k = count_kinds(model, sigma_floor);
    printf("active: %.4g %% on average\n", 100 * k.active);
    printf("columns: %zu always zero, %zu always active, %zu %s\n", k.never, k.always, k.constant,
           sigma_floor > 0 ? "at the sigma floor" : "constant where active");
}

static int print_json(const request *r, const dataset *data, const zilch_model *model)
{
    const kinds k = count_kinds(model, r->sigma_floor);
    json_node *document = node_object();
    int failed = 0;
    node_put(document, "data", node_name(name_of(r->data)), &failed);
    node_put(document, "rows", node_whole(data->rows), &failed);
    node_put(document, "columns", node_whole(data->cols), &failed);
    node_put(document, "row_weights", node_name(r->row_weights), &failed);
    node_put(document, "weights", node_name(r->weights), &failed);
    node_put(document, "active", node_real(k.active), &failed);
    node_put(document, "always_zero", node_whole(k.never), &failed);
    node_put(document, "always_active", node_whole(k.always), &failed);
    node_put(document, "constant", node_whole(k.constant), &failed);
    node_put(document, "report", model_report_json(model, &failed), &failed);
    node_put(document, "model", node_name(r->model), &failed);
    return node_print(document, failed);
}

static int print_summary(const request *r, const dataset *data, const zilch_model *model)
{
    zilch_fit_report report;
    if (zilch_model_report(model, &report) != ZILCH_OK) {
        return cli_fail_library();
    }
    text_put_between(stdout, "data: ", name_of(r->data), ", ");
    printf("%zu rows, %zu columns\n", data->rows, data->cols);
    if (r->row_weights) {
        text_put_between(stdout, "row weights: ", r->row_weights, ", ");
        printf("worth %.6g rows\n", report.rows);
    }
    print_columns(model, r->sigma_floor);
    if (report.structure != ZILCH_STRUCTURE_FULL) {
        printf("fit: structure %s, %zu factors, shrinkage %s\n", zilch_structure_name(report.structure),
               zilch_model_rank(model), zilch_shrinkage_name(report.shrinkage));
    } else {
        printf("fit: inverter %s, shrinkage %s, projection %s (projection distance %.3g, identity weight "
               "%.3g)\n",
               zilch_inverter_name(report.inverter), zilch_shrinkage_name(report.shrinkage),
               zilch_projection_name(report.projection), report.projection_distance, report.identity_weight);
        if (r->weights) {
            text_put_between(stdout, "weights: ", r->weights, "\n");
        }
    }
    text_put_between(stdout, "model: ", r->model, "\n");
    return CLI_OK;
}

static int fit(const request *r, const zilch_networks *networks, const dataset *data, const double *weights)
{
    zilch_model_options options = zilch_model_defaults();
    options.structure = (zilch_structure)r->structure;
    options.rank = (size_t)r->rank;
    options.inverter = (zilch_inverter)r->inverter;
    options.shrinkage = (zilch_shrinkage)r->shrinkage;
    options.projection = (zilch_projection)r->projection;
    options.sigma_floor = r->sigma_floor;
    options.networks = networks;
    zilch_model *model;
    if (zilch_model_fit(&model, data->rows, data->cols, data->x, weights, &options) != ZILCH_OK) {
        zilch_error error = zilch_last_error_details();
        error.where = error.column != ZILCH_NOWHERE ? name_of(r->data)
                      : error.row != ZILCH_NOWHERE  ? r->row_weights /* a row without a column is a weight */
                                                    : error.where;
        return cli_fail("%s", cli_error_format(&error, data->names));
    }
    const int is_kept = zilch_model_set_names(model, (const char *const *)data->names) == ZILCH_OK &&
                        zilch_model_save(model, r->model) == ZILCH_OK;
    const int status = !is_kept  ? cli_fail_library()
                       : r->json ? print_json(r, data, model)
                                 : print_summary(r, data, model);
    zilch_model_destroy(model);
    return status;
}

static int read_and_fit(const request *r, const zilch_networks *networks)
{
    dataset data, weights = {0};
    dataset_error error;
    if (dataset_read(&data, r->data, 2, &error)) {
        return cli_fail("%s", error.text);
    }
    int status = read_row_weights(r, data.rows, &weights);
    if (!status) {
        status = fit(r, networks, &data, weights.x);
    }
    dataset_free(&weights);
    dataset_free(&data);
    return status;
}

int cmd_fit(int argc, char **argv)
{
    const zilch_model_options defaults = zilch_model_defaults();
    request r = {.structure = (int)defaults.structure,
                 .rank = defaults.rank,
                 .inverter = (int)defaults.inverter,
                 .shrinkage = (int)defaults.shrinkage,
                 .projection = (int)defaults.projection,
                 .sigma_floor = defaults.sigma_floor};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    zilch_networks *networks = NULL;
    if (r.weights && zilch_networks_load(&networks, r.weights) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int status = read_and_fit(&r, networks);
    zilch_networks_destroy(networks);
    return status;
}
