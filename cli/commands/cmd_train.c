/* zilch train: networks for the amortised inverter, into a weights file. */
#include "commands/commands.h"
#include "commands/networks_json.h"
#include "options/option_parser.h"
#include "options/option_shared.h"
#include "terminal/cli.h"
#include "terminal/progress.h"
#include "terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *weights;
    int block, labels, json;
    uint64_t rows, examples, units, epochs, batch, seed, threads;
    double rate, final_rate;
} request;

enum { UNITS_STEP = 8 };

static const char about[] =
    "Train the networks that take observed correlations to latent ones, each for its block of the latent "
    "correlations: masks (mm), value and mask (vm), values (vv). Pairs whose latent correlations are known "
    "are the examples. WEIGHTS is for 'zilch fit --inverter amortised --weights' and 'zilch recover "
    "--weights'; networks not trained stay as they are in it, or are zilch's own in a new file. A training "
    "that was interrupted is kept in WEIGHTS.mm.part and so on, and goes on when it is started again.";

/* What the table of options cannot check, before anything takes long. */
static int check(const cli_usage *usage, const request *r)
{
    const uint64_t training = r->examples - r->examples / 5;
    if (!r->weights || !*r->weights) {
        return cli_wrong_usage(usage, "-o WEIGHTS is missing");
    }
    if (strcmp(r->weights, "-") == 0) {
        return cli_wrong_usage(usage, "-o: weights are written to a file, not to standard output");
    }
    if (r->units % UNITS_STEP) {
        return cli_wrong_usage(usage, "--units: %llu is not a multiple of %d", (unsigned long long)r->units,
                               UNITS_STEP);
    }
    if (r->rows == 1) {
        return cli_wrong_usage(usage,
                               "--rows: a sample of one row has no correlations; give 0, or 2 or more");
    }
    if (r->batch > training) {
        return cli_wrong_usage(usage, "--batch %llu is more than the %llu examples that train",
                               (unsigned long long)r->batch, (unsigned long long)training);
    }
    if (r->final_rate > r->rate) {
        return cli_wrong_usage(usage, "--final-rate %g is above --rate %g", r->final_rate, r->rate);
    }
    return 0;
}

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"output", 'o', "WEIGHTS", CLI_TEXT, &r->weights, 0, 0, NULL,
         "The weights file to write; it is needed."},
        {"block", 'b', "NAME", CLI_CHOICE, &r->block, 0, 0, cli_blocks, "The network to train."},
        {"labels", 0, "NAME", CLI_CHOICE, &r->labels, 0, 0, cli_labels,
         "Where the observed correlations of the examples come from: closed forms, or simulated samples."},
        {"rows", 0, "N", CLI_COUNT, &r->rows, 0, 1e8, NULL,
         "Rows of the sample behind each example: the noise of so many is added to exact labels, none for "
         "0; simulated labels come from so many, 100000 for 0"},
        {"examples", 0, "N", CLI_COUNT, &r->examples, 5, 1e8, NULL,
         "Examples to make: four fifths of them train, the others validate."},
        {"units", 0, "N", CLI_COUNT, &r->units, UNITS_STEP, 128, NULL,
         "Units in each of a network's two layers, a multiple of 8."},
        {"epochs", 0, "N", CLI_COUNT, &r->epochs, 0, 1e9, NULL,
         "How often each example is used; 0: as published, 1200 times for mm, 250 for vm and vv."},
        {"batch", 0, "N", CLI_COUNT, &r->batch, 1, 1e8, NULL, "Examples in a step."},
        {"rate", 0, "R", CLI_REAL, &r->rate, 1e-12, 1, NULL, "Learning rate of Adam."},
        {"final-rate", 0, "R", CLI_REAL, &r->final_rate, 0, 1, NULL,
         "The rate falls to this along half a cosine. Without it, the rate is constant, as published."},
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL,
         "Seed of the random numbers: the same seed gives the same weights."},
        {"threads", 't', "N", CLI_COUNT, &r->threads, 0, 1024, NULL,
         "Threads; 0: one for each processor. The result does not depend on them."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print the result as JSON."},
        OPTION_PROGRESS,
        OPTION_QUIET,
        {0},
    };
    const cli_usage usage = {"train", "", about, options, NULL, 0, 0};
    const int status = cli_parse(&usage, argc, argv);
    return status ? status : check(&usage, r);
}

/* ---- What is seen of it --------------------------------------------------------------------- */

static const double save_seconds = 10; /* between two writings of a checkpoint, at least */

typedef struct view {
    int has_begun;
    zilch_training_stage stage;
    progress line;
    double saved_at[ZILCH_BLOCKS];
} view;

static void begin_stage(view *v, const zilch_training_progress *p)
{
    if (v->has_begun) {
        progress_end(&v->line);
    }
    v->has_begun = 1;
    v->stage = p->stage;
    for (size_t i = 0; i < p->parts && p->stage == ZILCH_TRAINING_EPOCHS; i++) {
        const zilch_training_part *part = &p->part[i];
        const char *name = zilch_block_name(part->block);
        v->saved_at[part->block] = cli_seconds();
        if (part->is_continued && part->report.epoch == part->epochs) {
            fprintf(stderr, "zilch train: %s has had all its epochs\n", name);
        } else if (part->is_continued) {
            fprintf(stderr, "zilch train: %s goes on from epoch %llu\n", name,
                    (unsigned long long)part->report.epoch);
        }
    }
    progress_begin(&v->line, "train", p->stage == ZILCH_TRAINING_EXAMPLES ? "examples" : "epochs", p->total);
}

/* "mm 120/1200: 1.23e-03 1.25e-03; vm 7/250: ...": training and validation error of what is running. */
static void note_running(view *v, const zilch_training_progress *p)
{
    char note[sizeof v->line.note] = "";
    size_t used = 0;
    for (size_t i = 0; i < p->parts && used < sizeof note; i++) {
        const zilch_training_part *part = &p->part[i];
        if (part->is_running) {
            used += (size_t)snprintf(note + used, sizeof note - used, "%s%s %llu/%llu: %.2e %.2e",
                                     used ? "; " : "", zilch_block_name(part->block),
                                     (unsigned long long)part->report.epoch, (unsigned long long)part->epochs,
                                     part->report.training_error, part->report.validation_error);
        }
    }
    progress_note(&v->line, note);
}

static zilch_training_answer watch(void *context, const zilch_training_progress *p)
{
    view *v = context;
    if (!v->has_begun || p->stage != v->stage) {
        begin_stage(v, p);
    } else {
        if (p->stage == ZILCH_TRAINING_EPOCHS) {
            note_running(v, p);
        }
        progress_update(&v->line, p->done);
    }
    if (cli_is_stopped()) {
        return ZILCH_TRAINING_STOP;
    }
    const double now = p->stage == ZILCH_TRAINING_EPOCHS ? cli_seconds() : 0;
    const zilch_training_part *part = &p->part[p->changed];
    if (part->is_running && now - v->saved_at[part->block] >= save_seconds) {
        v->saved_at[part->block] = now;
        return ZILCH_TRAINING_SAVE;
    }
    return ZILCH_TRAINING_CONTINUE;
}

/* 0 and what was written, or CLI_FAILED after saying why and what the same command would do. */
static int train(const request *r, zilch_networks **out)
{
    view v = {0};
    zilch_networks_options options = zilch_networks_defaults();
    options.block = r->block;
    options.threads = (unsigned)r->threads;
    options.examples.labels = (zilch_labels)r->labels;
    options.examples.count = r->examples;
    options.examples.rows = r->rows;
    options.examples.seed = r->seed;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_options *o = &options.training[b];
        o->units = (size_t)r->units;
        o->epochs = r->epochs ? r->epochs : o->epochs;
        o->batch = r->batch;
        o->rate = r->rate;
        o->final_rate = isnan(r->final_rate) ? r->rate : r->final_rate;
        o->seed = r->seed;
    }
    const zilch_status status = zilch_networks_train(out, r->weights, &options, watch, &v);
    if (v.has_begun) {
        progress_end(&v.line);
    }
    if (status == ZILCH_ESTOPPED) {
        return cli_fail("stopped; the same command %s", v.stage == ZILCH_TRAINING_EXAMPLES
                                                            ? "makes the examples again"
                                                            : "goes on from here");
    }
    if (status != ZILCH_OK && v.has_begun && v.stage == ZILCH_TRAINING_WRITING) {
        return cli_fail("%s; the training is kept in %s.*.part: the same command writes it",
                        zilch_last_error(), r->weights);
    }
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

static int print_text(const request *r, const zilch_networks *networks)
{
    printf("block  units  epochs  training error  validation error  typical error\n");
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_record record;
        if (r->block != ZILCH_BLOCKS && r->block != b) {
            continue;
        }
        if (zilch_networks_record(networks, (zilch_block)b, &record) != ZILCH_OK) {
            return cli_fail_library();
        }
        printf("%-5s  %5zu  %6llu  %14.3e  %16.3e  %13.5f\n", zilch_block_name((zilch_block)b),
               record.options.units, (unsigned long long)record.report.epoch, record.report.training_error,
               record.report.validation_error, sqrt(record.report.validation_error));
    }
    text_put_between(stdout, "weights: ", r->weights, "\n");
    return CLI_OK;
}

int cmd_train(int argc, char **argv)
{
    const zilch_examples_options examples = zilch_examples_defaults();
    const zilch_training_options training = zilch_training_defaults(ZILCH_BLOCK_MM);
    request r = {.block = ZILCH_BLOCKS,
                 .labels = (int)examples.labels,
                 .rows = examples.rows,
                 .examples = examples.count,
                 .units = training.units,
                 .batch = training.batch,
                 .rate = training.rate,
                 .final_rate = NAN,
                 .seed = training.seed};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    zilch_networks *networks;
    cli_watch_signals();
    int status = train(&r, &networks);
    if (status) {
        cli_end_if_stopped();
        return status;
    }
    status = r.json ? networks_print_json(r.weights, networks, r.block) : print_text(&r, networks);
    zilch_networks_destroy(networks);
    return status;
}
