/* The only file that knows Jansson. Its constructors give NULL without memory, its setters take NULL
 * for a failure; so documents are put together without a check at each step, and one at the end. */
#include "json.h"

#include "cli.h"
#include "search_report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Jansson has no infinite number: those are null. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Jansson's integers end at 2^63; a seed beyond is its digits. */
static json_t *whole(uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_string(digits);
}

/* null for NULL. JSON is UTF-8, a file's name need not be: then what is not ASCII becomes '?'. */
static json_t *file_name(const char *path)
{
    if (!path) {
        return json_null();
    }
    json_t *name = json_string(path);
    char *plain = name ? NULL : strdup(path);
    if (plain) {
        for (char *c = plain; *c; c++) {
            if ((unsigned char)*c >= 0x80) {
                *c = '?';
            }
        }
        name = json_string(plain);
    }
    free(plain);
    return name;
}

/* Steals `value`; a failure is kept in *failed. */
static void put(json_t *object, const char *name, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, name, value) != 0;
}

static json_t *vector(const double *x, size_t count, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        *failed |= json_array_append_new(array, real(x[i])) != 0;
    }
    return array;
}

/* Rows of a square matrix; null for NULL. */
static json_t *square(const double *x, size_t side, int *failed)
{
    if (!x) {
        return json_null();
    }
    json_t *rows = json_array();
    for (size_t i = 0; i < side; i++) {
        *failed |= json_array_append_new(rows, vector(x + i * side, side, failed)) != 0;
    }
    return rows;
}

static int print(json_t *document, int failed)
{
    if (failed || !document) {
        json_decref(document);
        return cli_fail("out of memory");
    }
    errno = 0;
    const int written = json_dumpf(document, stdout, JSON_REAL_PRECISION(17));
    json_decref(document);
    if (written != 0 || putchar('\n') == EOF) {
        return cli_fail("cannot write to standard output: %s", strerror(errno));
    }
    return 0;
}

static json_t *fit_report(const zilch_model *model, int *failed)
{
    zilch_fit_report report;
    if (zilch_model_report(model, &report) != ZILCH_OK) {
        return json_null();
    }
    json_t *object = json_object();
    put(object, "inverter", json_string(zilch_inverter_name(report.inverter)), failed);
    put(object, "shrinkage", json_string(zilch_shrinkage_name(report.shrinkage)), failed);
    put(object, "projection", json_string(zilch_projection_name(report.projection)), failed);
    put(object, "rows", real(report.rows), failed);
    put(object, "moved", real(report.moved), failed);
    put(object, "pull", real(report.pull), failed);
    return object;
}

int json_print_model(const zilch_model *model)
{
    const size_t dim = zilch_model_dim(model);
    json_t *document = json_object();
    int failed = 0;
    put(document, "dim", json_integer((json_int_t)dim), &failed);
    put(document, "p", vector(zilch_model_p(model), dim, &failed), &failed);
    put(document, "mu", vector(zilch_model_mu(model), dim, &failed), &failed);
    put(document, "sigma", vector(zilch_model_sigma(model), dim, &failed), &failed);
    put(document, "tau", vector(zilch_model_tau(model), dim, &failed), &failed);
    put(document, "correlation", square(zilch_model_correlation(model), 2 * dim, &failed), &failed);
    put(document, "observed", square(zilch_model_observed(model), 2 * dim, &failed), &failed);
    put(document, "report", fit_report(model, &failed), &failed);
    return print(document, failed);
}

static json_t *training_record(const zilch_training_record *record, int *failed)
{
    json_t *examples = json_object();
    put(examples, "labels", json_string(zilch_labels_name(record->examples.labels)), failed);
    put(examples, "count", whole(record->examples.count), failed);
    put(examples, "rows", whole(record->examples.rows), failed);
    put(examples, "seed", whole(record->examples.seed), failed);
    json_t *object = json_object();
    put(object, "examples", examples, failed);
    put(object, "units", whole(record->options.units), failed);
    put(object, "epochs", whole(record->options.epochs), failed);
    put(object, "batch", whole(record->options.batch), failed);
    put(object, "rate", real(record->options.rate), failed);
    put(object, "final_rate", real(record->options.final_rate), failed);
    put(object, "seed", whole(record->options.seed), failed);
    put(object, "epochs_done", whole(record->report.epoch), failed);
    put(object, "training_error", real(record->report.training_error), failed);
    put(object, "validation_error", real(record->report.validation_error), failed);
    return object;
}

int json_print_networks(const char *weights, const zilch_networks *networks, int block)
{
    json_t *document = json_object();
    json_t *blocks = json_object();
    int failed = 0;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_record record;
        if (block != ZILCH_BLOCKS && block != b) {
            continue;
        }
        failed |= zilch_networks_record(networks, (zilch_block)b, &record) != ZILCH_OK;
        put(blocks, zilch_block_name((zilch_block)b), training_record(&record, &failed), &failed);
    }
    put(document, "weights", file_name(weights), &failed);
    put(document, "networks", blocks, &failed);
    return print(document, failed);
}

static void put_score(json_t *object, const recover_score *score, int *failed)
{
    put(object, "mae", real(score->mae), failed);
    put(object, "mse", real(score->mse), failed);
    put(object, "ccc", real(score->ccc), failed);
}

static json_t *recover_bin(const recover_inverter *inverter, int bin, int *failed)
{
    json_t *object = json_object();
    put(object, "low", real(recover_bin_edge[bin]), failed);
    put(object, "high", real(recover_bin_edge[bin + 1]), failed);
    for (int block = 0; block < RECOVER_BLOCKS; block++) {
        const recover_score *score = &inverter->bin[bin][block];
        put(object, recover_block_name[block], score->count ? real(score->mae) : json_null(), failed);
    }
    return object;
}

static json_t *recovered(const recover_inverter *inverter, int *failed)
{
    json_t *object = json_object();
    json_t *blocks = json_object();
    json_t *bins = json_array();
    put_score(object, &inverter->all, failed);
    for (int block = 0; block < RECOVER_BLOCKS; block++) {
        json_t *one = json_object();
        put_score(one, &inverter->block[block], failed);
        put(blocks, recover_block_name[block], one, failed);
    }
    for (int bin = 0; bin < RECOVER_BINS; bin++) {
        *failed |= json_array_append_new(bins, recover_bin(inverter, bin, failed)) != 0;
    }
    put(object, "blocks", blocks, failed);
    put(object, "mae_by_min_p", bins, failed);
    return object;
}

int json_print_recover(const recover_setting *setting, const char *weights, const recover_result *result)
{
    json_t *document = json_object();
    int failed = 0;
    put(document, "models", json_integer((json_int_t)setting->models), &failed);
    put(document, "dim", json_integer((json_int_t)setting->dim), &failed);
    put(document, "rows", json_integer((json_int_t)setting->rows), &failed);
    put(document, "seed", whole(setting->seed), &failed);
    put(document, "decay", real(setting->decay), &failed);
    put(document, "p_min", real(setting->p_min), &failed);
    put(document, "p_max", real(setting->p_max), &failed);
    put(document, "projection", json_string(zilch_projection_name(setting->projection)), &failed);
    put(document, "shrinkage", json_string(zilch_shrinkage_name(setting->shrinkage)), &failed);
    put(document, "weights", file_name(weights), &failed);
    put(document, "correlations", json_integer((json_int_t)result->count), &failed);
    put(document, "mean_abs_rho", real(result->mean_abs_rho), &failed);
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        put(document, zilch_inverter_name((zilch_inverter)k), recovered(&result->inverter[k], &failed),
            &failed);
    }
    return print(document, failed);
}

static int dump(FILE *stream, json_t *value, int failed)
{
    failed |= !value || json_dumpf(value, stream, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) != 0;
    json_decref(value);
    return failed && !ferror(stream);
}

static json_t *play_summary_object(const play_summary *s, int *failed)
{
    static const char *const name[PLAY_QUARTILES] = {"min", "q25", "median", "q75", "max"};
    json_t *object = json_object();
    json_t *outcomes = json_object();
    put(object, "mean", real(s->mean), failed);
    put(object, "sd", real(s->deviation), failed);
    for (int k = 0; k < PLAY_QUARTILES; k++) {
        put(object, name[k], real(s->quantile[k]), failed);
    }
    put(object, "share_200", real(s->solved), failed);
    put(object, "steps", whole(s->steps), failed);
    for (int k = 0; k < PLAY_ENDINGS; k++) {
        if (k != ZILCH_LANDING_FLYING || s->ending[k]) {
            put(outcomes, zilch_landing_name((zilch_landing)k), whole(s->ending[k]), failed);
        }
    }
    put(object, "outcomes", outcomes, failed);
    return object;
}

static json_t *play_episode_object(const play_setting *setting, const play_result *result, size_t index,
                                   int *failed)
{
    json_t *object = json_object();
    put(object, "seed", whole(setting->seed + index), failed);
    put(object, "return", real(result->total[index]), failed);
    put(object, "steps", whole(result->steps[index]), failed);
    put(object, "outcome", json_string(zilch_landing_name((zilch_landing)result->ending[index])), failed);
    return object;
}

int json_write_play(FILE *stream, const char *controller, const play_setting *setting,
                    const play_result *result, const play_summary *summary)
{
    const zilch_lander_options *o = &setting->options;
    int failed = 0;
    fputs("{\"controller\": ", stream);
    failed |= dump(stream, file_name(controller), failed);
    fputs(", \"gravity\": ", stream);
    failed |= dump(stream, real(o->gravity), failed);
    fprintf(stream, ", \"wind\": %s, \"wind_power\": ", o->wind ? "true" : "false");
    failed |= dump(stream, real(o->wind_power), failed);
    fputs(", \"turbulence_power\": ", stream);
    failed |= dump(stream, real(o->turbulence_power), failed);
    fputs(", \"episodes\": [", stream);
    for (size_t i = 0; i < result->count && !failed && !ferror(stream); i++) {
        fputs(i ? ", " : "", stream);
        json_t *episode = play_episode_object(setting, result, i, &failed);
        failed |= dump(stream, episode, failed);
    }
    fputs("], \"summary\": ", stream);
    json_t *object = play_summary_object(summary, &failed);
    failed |= dump(stream, object, failed);
    fputs("}\n", stream);
    return failed ? cli_fail("out of memory") : 0;
}

int json_print_bench(const bench_row *rows, size_t count)
{
    json_t *document = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_object();
        put(row, "case", json_string(rows[i].name), &failed);
        put(row, "value", real(rows[i].value), &failed);
        put(row, "unit", json_string(rows[i].unit), &failed);
        put(row, "limit", real(rows[i].limit), &failed);
        put(row, "ratio", real(rows[i].value / rows[i].limit), &failed);
        failed |= json_array_append_new(document, row) != 0;
    }
    return print(document, failed);
}

/* ---- Studies ----------------------------------------------------------------------------------- */

char *json_arguments_format(size_t count, char *const *words, const char *checksum)
{
    json_t *document = json_object();
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        failed |= json_array_append_new(array, json_string(words[i])) != 0;
    }
    put(document, "words", array, &failed);
    put(document, "checksum", json_string(checksum), &failed);
    char *text = failed ? NULL : json_dumps(document, JSON_COMPACT);
    json_decref(document);
    return text;
}

void json_arguments_free(json_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count && arguments->words; i++) {
        free(arguments->words[i]);
    }
    free(arguments->words);
    *arguments = (json_arguments){0};
}

/* Any other JSON, or one with something else in it, is none of ours. */
static int take_arguments(const json_t *document, json_arguments *out)
{
    const json_t *words = json_object_get(document, "words");
    const char *checksum = json_string_value(json_object_get(document, "checksum"));
    out->count = json_array_size(words);
    if (out->count == 0 || !checksum || strlen(checksum) >= sizeof out->checksum) {
        out->count = 0;
        return 1;
    }
    snprintf(out->checksum, sizeof out->checksum, "%s", checksum);
    out->words = calloc(out->count + 1, sizeof *out->words);
    for (size_t i = 0; i < out->count && out->words; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (!word || !(out->words[i] = strdup(word))) {
            return 1;
        }
    }
    return !out->words;
}

int json_arguments_parse(const char *text, json_arguments *out)
{
    *out = (json_arguments){0};
    json_t *document = json_loads(text, 0, NULL);
    const int failed = take_arguments(document, out);
    json_decref(document);
    if (failed) {
        json_arguments_free(out);
    }
    return failed;
}

/* As JSON if it is one, else as a string. */
static json_t *arguments_value(const char *text)
{
    json_t *value = json_loads(text, 0, NULL);
    return value ? value : file_name(text);
}

static json_t *record_object(const zilch_record *r, const double *x, size_t dim, int *failed)
{
    json_t *object = json_object();
    put(object, "point", whole(r->point), failed);
    put(object, "fitness", real(r->fitness), failed);
    put(object, "value", real(r->value), failed);
    put(object, "active", whole(r->active), failed);
    put(object, "evaluations", whole(r->evaluations), failed);
    put(object, "failures", whole(r->failures), failed);
    if (x) {
        put(object, "x", vector(x, dim, failed), failed);
    }
    return object;
}

/* The controller's lines; null for what is none. */
static json_t *formulas(const study_best *b, const double *x)
{
    char text[8192];
    size_t length;
    const int is_known = b->is_lander && b->dim == ZILCH_POLICY_PARAMETERS &&
                         zilch_policy_format(x, text, sizeof text, &length) == ZILCH_OK &&
                         length < sizeof text;
    return is_known ? json_string(text) : json_null();
}

static json_t *seen_object(const study_best *b, int *failed)
{
    if (b->seen.evaluations == 0) {
        return json_null();
    }
    json_t *object = record_object(&b->seen, b->seen_x, b->dim, failed);
    put(object, "controller", formulas(b, b->seen_x), failed);
    return object;
}

static json_t *recommended_object(const study_best *b, int *failed)
{
    const zilch_conclusion *c = &b->conclusion;
    const zilch_recommendation *r = &c->recommendation;
    if (!c->is_recommending) {
        return json_null();
    }
    json_t *object = json_object();
    put(object, "point", whole(r->point), failed);
    put(object, "mean", real(r->mean), failed);
    put(object, "deviation", real(r->deviation), failed);
    put(object, "standard_error", real(r->deviation / sqrt((double)r->evaluations)), failed);
    put(object, "fitness", real(r->fitness), failed);
    put(object, "evaluations", whole(r->evaluations), failed);
    put(object, "spent", whole(r->spent), failed);
    put(object, "active", whole(r->active), failed);
    put(object, "pruned", whole(r->pruned), failed);
    put(object, "held_out_mean", real(c->held_out_mean), failed);
    put(object, "held_out_error", real(c->held_out_error), failed);
    put(object, "held_out_count", whole(c->held_out_count), failed);
    put(object, "x", vector(b->recommended_x, b->dim, failed), failed);
    put(object, "controller", formulas(b, b->recommended_x), failed);
    return object;
}

static json_t *generation_object(const zilch_generation *g, int *failed)
{
    json_t *object = json_object();
    put(object, "generation", whole(g->generation), failed);
    put(object, "evaluations", whole(g->evaluations), failed);
    put(object, "failures", whole(g->failures), failed);
    put(object, "points", whole(g->points), failed);
    put(object, "best_value", real(g->best_value), failed);
    put(object, "best_fitness", real(g->best_fitness), failed);
    put(object, "best_active", whole(g->best_active), failed);
    put(object, "best_point", whole(g->best_point), failed);
    put(object, "evaluating_seconds", real(g->timings.evaluating), failed);
    put(object, "searching_seconds", real(g->timings.searching), failed);
    return object;
}

static json_t *run_object(const study_run *run, int *failed)
{
    const zilch_run *r = &run->run;
    json_t *object = json_object();
    put(object, "run", whole(r->run), failed);
    put(object, "problem", file_name(r->texts.problem), failed);
    put(object, "arguments", arguments_value(r->texts.arguments), failed);
    put(object, "machine", file_name(r->texts.machine), failed);
    put(object, "started", file_name(r->texts.started), failed);
    put(object, "version", file_name(r->version), failed);
    put(object, "seed", whole(r->seed), failed);
    put(object, "dim", whole(r->dim), failed);
    put(object, "law", json_string(zilch_law_name(r->law)), failed);
    put(object, "direction", json_string(zilch_direction_name(r->direction)), failed);
    put(object, "price", real(r->price), failed);
    put(object, "ended_by", r->stop == ZILCH_STOP_NONE ? json_null() : json_string(study_stop_name(r->stop)),
        failed);
    put(object, "generations", whole(r->generations), failed);
    put(object, "evaluations", whole(r->evaluations), failed);
    put(object, "failures", whole(r->failures), failed);
    put(object, "last", run->last.generation ? generation_object(&run->last, failed) : json_null(), failed);
    return object;
}

int json_print_study(const study_file *file)
{
    json_t *document = json_object();
    json_t *runs = json_array();
    int failed = 0;
    for (size_t i = 0; i < file->count; i++) {
        failed |= json_array_append_new(runs, run_object(&file->runs[i], &failed)) != 0;
    }
    put(document, "study", file_name(file->path), &failed);
    put(document, "runs", runs, &failed);
    return print(document, failed);
}

static json_t *settings_object(const zilch_optimizer *optimizer, int *failed)
{
    const zilch_optimizer_options *o = zilch_optimizer_settings(optimizer);
    json_t *object = json_object();
    put(object, "archive", json_string(zilch_archive_name(o->archive)), failed);
    put(object, "population", whole(o->population), failed);
    put(object, "elites", whole(o->elites), failed);
    put(object, "share", real(o->share), failed);
    put(object, "initial_p", real(o->initial_p), failed);
    put(object, "initial_mu", real(o->initial_mu), failed);
    put(object, "initial_sigma", real(o->initial_sigma), failed);
    put(object, "inverter", json_string(zilch_inverter_name(o->model.inverter)), failed);
    put(object, "shrinkage", json_string(zilch_shrinkage_name(o->model.shrinkage)), failed);
    put(object, "projection", json_string(zilch_projection_name(o->model.projection)), failed);
    put(object, "active_least", whole(o->active_least), failed);
    put(object, "active_most", whole(o->active_most), failed);
    return object;
}

static zilch_status append_generation(void *context, const zilch_generation *g)
{
    int failed = 0;
    failed |= json_array_append_new(context, generation_object(g, &failed)) != 0;
    return failed ? ZILCH_ENOMEM : ZILCH_OK;
}

static json_t *front_array(const zilch_optimizer *optimizer, int *failed)
{
    size_t count;
    zilch_record *front = search_front_read(optimizer, &count);
    json_t *array = json_array();
    *failed |= !front;
    for (size_t i = 0; i < count && front; i++) {
        *failed |= json_array_append_new(array, record_object(&front[i], NULL, 0, failed)) != 0;
    }
    free(front);
    return array;
}

int json_print_run(const study_file *file, const study_run *run, const study_best *best)
{
    int failed = 0;
    json_t *document = run_object(run, &failed);
    json_t *generations = json_array();
    const zilch_status status =
        zilch_study_generations(file->study, run->run.run, append_generation, generations);
    if (status != ZILCH_OK && status != ZILCH_ENOMEM) {
        json_decref(document);
        json_decref(generations);
        return cli_fail_library();
    }
    failed |= status != ZILCH_OK;
    put(document, "study", file_name(file->path), &failed);
    put(document, "settings", settings_object(best->optimizer, &failed), &failed);
    put(document, "history", generations, &failed);
    put(document, "front", front_array(best->optimizer, &failed), &failed);
    put(document, "best", seen_object(best, &failed), &failed);
    put(document, "recommended", recommended_object(best, &failed), &failed);
    return print(document, failed);
}

int json_print_best(const study_file *file, const study_run *run, const study_best *best)
{
    json_t *document = json_object();
    int failed = 0;
    put(document, "study", file_name(file->path), &failed);
    put(document, "run", whole(run->run.run), &failed);
    put(document, "problem", file_name(run->run.texts.problem), &failed);
    put(document, "best", seen_object(best, &failed), &failed);
    put(document, "recommended", recommended_object(best, &failed), &failed);
    return print(document, failed);
}

int json_write_evaluation(FILE *stream, const zilch_run *run, const zilch_evaluation *evaluation)
{
    const zilch_evaluation *e = evaluation;
    int failed = 0;
    json_t *object = json_object();
    put(object, "run", whole(run->run), &failed);
    put(object, "generation", whole(e->generation), &failed);
    put(object, "id", whole(e->id), &failed);
    put(object, "value", real(e->value), &failed);
    put(object, "fitness", real(e->fitness), &failed);
    put(object, "active", whole(e->active), &failed);
    put(object, "x", vector(e->x, run->dim, &failed), &failed);
    return dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}

int json_write_generation(FILE *stream, const zilch_run *run, const zilch_generation *generation)
{
    int failed = 0;
    json_t *object = generation_object(generation, &failed);
    put(object, "run", whole(run->run), &failed);
    return dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}
