/* zilch sample: points drawn from a model file, as CSV or .npy. */
#include "commands/commands.h"
#include "dataset/dataset.h"
#include "options/option_parser.h"
#include "terminal/cli.h"
#include "zilch.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *model, *output;
    uint64_t rows, seed;
    int json;
} request;

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"rows", 'n', "N", CLI_COUNT, &r->rows, 1, 1e12, NULL, "Number of points to draw."},
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Seed of the random numbers: the same seed gives the same points."},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL,
         "The file to write: .npy if its name ends so, else CSV. Without it, CSV goes to standard output."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL,
         "Write a line of JSON for each point instead, {\"x\":[0,1.5]}."},
        {0},
    };
    const char *about = "Draw points from the distribution in MODEL, a file that 'zilch fit' wrote. If its "
                        "columns have names, they are the first line of a CSV.";
    const cli_usage usage = {"sample", "MODEL", about, options, &r->model, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    const char *ending = r->output ? strrchr(r->output, '.') : NULL;
    if (!status && r->json && ending && strcmp(ending, ".npy") == 0) {
        return cli_wrong_usage(&usage, "--json: %s is to be .npy; leave one of both out", r->output);
    }
    if (!status && cli_is_same_file(r->output, r->model)) {
        return cli_wrong_usage(&usage, "-o: %s is the model itself; the points would replace it", r->output);
    }
    return status;
}

typedef struct sampler {
    const zilch_model *model;
    zilch_rng rng;
} sampler;

static zilch_status draw(void *context, size_t count, double *x)
{
    sampler *s = context;
    if (cli_is_stopped()) {
        return ZILCH_ESTOPPED; /* whoever writes the file takes it back */
    }
    return zilch_model_sample(s->model, &s->rng, count, x);
}

int cmd_sample(int argc, char **argv)
{
    request r = {.rows = 1000, .seed = 1};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    zilch_model *model;
    if (zilch_model_load(&model, r.model) != ZILCH_OK) {
        return cli_fail_library();
    }
    sampler s = {.model = model, .rng = zilch_rng_make(r.seed, 0)};
    const dataset_rows rows = {.rows = (size_t)r.rows,
                               .cols = zilch_model_dim(model),
                               .names = zilch_model_names(model),
                               .fill = draw,
                               .context = &s,
                               .is_json = r.json};
    dataset_error error;
    cli_watch_signals();
    const int failed = dataset_write(r.output, &rows, &error);
    zilch_model_destroy(model);
    cli_end_if_stopped();
    if (failed) {
        return cli_fail("%s", error.text);
    }
    const int status = cli_finish(CLI_OK);
    if (status == CLI_OK) {
        fprintf(stderr, "zilch sample: seed %llu\n", (unsigned long long)r.seed);
    }
    return status;
}
