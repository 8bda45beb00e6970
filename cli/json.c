/* The only file that knows Jansson; documents about studies are put together in json_study.c. Jansson's
 * constructors give NULL without memory, its setters take NULL for a failure; so documents are put together
 * without a check at each step, and one at the end. */
#include "json.h"

#include "cli.h"
#include "json_node.h"
#include "number.h"
#include "text.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Jansson has no infinite number: those are null. */
json_t *node_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Jansson's integers end at 2^63; a seed beyond is its digits. */
json_t *node_whole(uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_string(digits);
}

json_t *node_truth(int value)
{
    return json_boolean(value);
}

/* null for NULL. JSON is UTF-8, a file's name need not be: then what is not ASCII becomes '?'. */
json_t *node_name(const char *path)
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
void node_put(json_t *object, const char *name, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, name, value) != 0;
}

json_t *node_vector(const double *x, size_t count, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        *failed |= json_array_append_new(array, node_real(x[i])) != 0;
    }
    return array;
}

/* Rows of a matrix; null for NULL. */
static json_t *rows_of(const double *x, size_t count, size_t side, int *failed)
{
    if (!x) {
        return json_null();
    }
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        *failed |= json_array_append_new(rows, node_vector(x + i * side, side, failed)) != 0;
    }
    return rows;
}

static json_t *square(const double *x, size_t side, int *failed)
{
    return rows_of(x, side, side, failed);
}

/* Jansson escapes what JSON must have escaped; the rest that would not be seen, and might be obeyed, is
 * escaped here. Other letters stay as they are, unlike with JSON_ENSURE_ASCII: names shall be read. */
static int dump_piece(const char *piece, size_t size, void *stream)
{
    size_t plain = 0;
    while (plain < size && (unsigned char)piece[plain] < 0x7f) {
        plain++;
    }
    if (plain == size) {
        return fwrite(piece, 1, size, stream) == size ? 0 : -1;
    }
    char *text = strndup(piece, size); /* of whole characters */
    if (text) {
        text_put_json(stream, text);
    }
    free(text);
    return text && !ferror(stream) ? 0 : -1;
}

int node_print(json_t *document, int failed)
{
    if (failed || !document) {
        json_decref(document);
        return cli_fail("out of memory");
    }
    errno = 0;
    const int written = json_dump_callback(document, dump_piece, stdout, JSON_REAL_PRECISION(17));
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
    const int is_full = report.structure == ZILCH_STRUCTURE_FULL;
    node_put(object, "structure", json_string(zilch_structure_name(report.structure)), failed);
    node_put(object, "inverter", is_full ? json_string(zilch_inverter_name(report.inverter)) : json_null(),
             failed);
    node_put(object, "shrinkage", json_string(zilch_shrinkage_name(report.shrinkage)), failed);
    node_put(object, "projection",
             is_full ? json_string(zilch_projection_name(report.projection)) : json_null(), failed);
    node_put(object, "rows", node_real(report.rows), failed);
    node_put(object, "moved", node_real(report.moved), failed);
    node_put(object, "pull", node_real(report.pull), failed);
    return object;
}

int json_print_model(const zilch_model *model)
{
    const size_t dim = zilch_model_dim(model);
    json_t *document = json_object();
    int failed = 0;
    node_put(document, "dim", json_integer((json_int_t)dim), &failed);
    node_put(document, "p", node_vector(zilch_model_p(model), dim, &failed), &failed);
    node_put(document, "mu", node_vector(zilch_model_mu(model), dim, &failed), &failed);
    node_put(document, "sigma", node_vector(zilch_model_sigma(model), dim, &failed), &failed);
    node_put(document, "tau", node_vector(zilch_model_tau(model), dim, &failed), &failed);
    node_put(document, "structure", json_string(zilch_structure_name(zilch_model_structure(model))), &failed);
    node_put(document, "loadings",
             rows_of(zilch_model_loadings(model), zilch_model_rank(model), 2 * dim, &failed), &failed);
    node_put(document, "correlation", square(zilch_model_correlation(model), 2 * dim, &failed), &failed);
    node_put(document, "observed", square(zilch_model_observed(model), 2 * dim, &failed), &failed);
    node_put(document, "report", fit_report(model, &failed), &failed);
    return node_print(document, failed);
}

static json_t *training_record(const zilch_training_record *record, int *failed)
{
    json_t *examples = json_object();
    node_put(examples, "labels", json_string(zilch_labels_name(record->examples.labels)), failed);
    node_put(examples, "count", node_whole(record->examples.count), failed);
    node_put(examples, "rows", node_whole(record->examples.rows), failed);
    node_put(examples, "seed", node_whole(record->examples.seed), failed);
    json_t *object = json_object();
    node_put(object, "examples", examples, failed);
    node_put(object, "units", node_whole(record->options.units), failed);
    node_put(object, "epochs", node_whole(record->options.epochs), failed);
    node_put(object, "batch", node_whole(record->options.batch), failed);
    node_put(object, "rate", node_real(record->options.rate), failed);
    node_put(object, "final_rate", node_real(record->options.final_rate), failed);
    node_put(object, "seed", node_whole(record->options.seed), failed);
    node_put(object, "epochs_done", node_whole(record->report.epoch), failed);
    node_put(object, "training_error", node_real(record->report.training_error), failed);
    node_put(object, "validation_error", node_real(record->report.validation_error), failed);
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
        node_put(blocks, zilch_block_name((zilch_block)b), training_record(&record, &failed), &failed);
    }
    node_put(document, "weights", node_name(weights), &failed);
    node_put(document, "networks", blocks, &failed);
    return node_print(document, failed);
}

static void put_score(json_t *object, const recover_score *score, int *failed)
{
    node_put(object, "mae", node_real(score->mae), failed);
    node_put(object, "mse", node_real(score->mse), failed);
    node_put(object, "ccc", node_real(score->ccc), failed);
}

static json_t *recover_bin(const recover_inverter *inverter, int bin, int *failed)
{
    json_t *object = json_object();
    node_put(object, "low", node_real(recover_bin_edge[bin]), failed);
    node_put(object, "high", node_real(recover_bin_edge[bin + 1]), failed);
    for (int block = 0; block < RECOVER_BLOCKS; block++) {
        const recover_score *score = &inverter->bin[bin][block];
        node_put(object, recover_block_name[block], score->count ? node_real(score->mae) : json_null(),
                 failed);
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
        node_put(blocks, recover_block_name[block], one, failed);
    }
    for (int bin = 0; bin < RECOVER_BINS; bin++) {
        *failed |= json_array_append_new(bins, recover_bin(inverter, bin, failed)) != 0;
    }
    node_put(object, "blocks", blocks, failed);
    node_put(object, "mae_by_min_p", bins, failed);
    return object;
}

int json_print_recover(const recover_setting *setting, const char *weights, const recover_result *result)
{
    json_t *document = json_object();
    int failed = 0;
    node_put(document, "models", json_integer((json_int_t)setting->models), &failed);
    node_put(document, "dim", json_integer((json_int_t)setting->dim), &failed);
    node_put(document, "rows", json_integer((json_int_t)setting->rows), &failed);
    node_put(document, "seed", node_whole(setting->seed), &failed);
    node_put(document, "decay", node_real(setting->decay), &failed);
    node_put(document, "p_min", node_real(setting->p_min), &failed);
    node_put(document, "p_max", node_real(setting->p_max), &failed);
    node_put(document, "projection", json_string(zilch_projection_name(setting->projection)), &failed);
    node_put(document, "shrinkage", json_string(zilch_shrinkage_name(setting->shrinkage)), &failed);
    node_put(document, "weights", node_name(weights), &failed);
    node_put(document, "correlations", json_integer((json_int_t)result->count), &failed);
    node_put(document, "mean_abs_rho", node_real(result->mean_abs_rho), &failed);
    for (int k = 0; k < RECOVER_INVERTERS; k++) {
        node_put(document, zilch_inverter_name((zilch_inverter)k), recovered(&result->inverter[k], &failed),
                 &failed);
    }
    return node_print(document, failed);
}

int node_dump(FILE *stream, json_t *value, int failed)
{
    failed |= !value ||
              json_dump_callback(value, dump_piece, stream, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) != 0;
    json_decref(value);
    return failed && !ferror(stream);
}

static json_t *play_summary_object(const play_summary *s, int *failed)
{
    static const char *const name[PLAY_QUARTILES] = {"min", "q25", "median", "q75", "max"};
    json_t *object = json_object();
    json_t *outcomes = json_object();
    node_put(object, "mean", node_real(s->mean), failed);
    node_put(object, "sd", node_real(s->deviation), failed);
    for (int k = 0; k < PLAY_QUARTILES; k++) {
        node_put(object, name[k], node_real(s->quantile[k]), failed);
    }
    node_put(object, "share_200", node_real(s->solved), failed);
    node_put(object, "steps", node_whole(s->steps), failed);
    for (int k = 0; k < PLAY_ENDINGS; k++) {
        if (k != ZILCH_LANDING_FLYING || s->ending[k]) {
            node_put(outcomes, zilch_landing_name((zilch_landing)k), node_whole(s->ending[k]), failed);
        }
    }
    node_put(object, "outcomes", outcomes, failed);
    return object;
}

static json_t *play_episode_object(const play_setting *setting, const play_result *result, size_t index,
                                   int *failed)
{
    json_t *object = json_object();
    node_put(object, "seed", node_whole(setting->seed + index), failed);
    node_put(object, "return", node_real(result->total[index]), failed);
    node_put(object, "steps", node_whole(result->steps[index]), failed);
    node_put(object, "outcome", json_string(zilch_landing_name((zilch_landing)result->ending[index])),
             failed);
    return object;
}

int json_write_play(FILE *stream, const char *controller, const play_setting *setting,
                    const play_result *result, const play_summary *summary)
{
    const zilch_lander_options *o = &setting->options;
    int failed = 0;
    fputs("{\"controller\": ", stream);
    failed |= node_dump(stream, node_name(controller), failed);
    fputs(", \"gravity\": ", stream);
    failed |= node_dump(stream, node_real(o->gravity), failed);
    fprintf(stream, ", \"wind\": %s, \"wind_power\": ", o->wind ? "true" : "false");
    failed |= node_dump(stream, node_real(o->wind_power), failed);
    fputs(", \"turbulence_power\": ", stream);
    failed |= node_dump(stream, node_real(o->turbulence_power), failed);
    fputs(", \"episodes\": [", stream);
    for (size_t i = 0; i < result->count && !failed && !ferror(stream); i++) {
        fputs(i ? ", " : "", stream);
        json_t *episode = play_episode_object(setting, result, i, &failed);
        failed |= node_dump(stream, episode, failed);
    }
    fputs("], \"summary\": ", stream);
    json_t *object = play_summary_object(summary, &failed);
    failed |= node_dump(stream, object, failed);
    fputs("}\n", stream);
    return failed ? cli_fail("out of memory") : 0;
}

int json_print_bench(const bench_row *rows, size_t count)
{
    json_t *document = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_object();
        node_put(row, "case", json_string(rows[i].name), &failed);
        node_put(row, "value", node_real(rows[i].value), &failed);
        node_put(row, "unit", json_string(rows[i].unit), &failed);
        node_put(row, "limit", node_real(rows[i].limit), &failed);
        node_put(row, "ratio", node_real(rows[i].value / rows[i].limit), &failed);
        failed |= json_array_append_new(document, row) != 0;
    }
    return node_print(document, failed);
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
    node_put(document, "words", array, &failed);
    node_put(document, "checksum", json_string(checksum), &failed);
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
    enum { MOST_WORDS = 1000 }; /* of a command line; to parse them takes time by their square */
    out->count = json_array_size(words);
    if (out->count == 0 || out->count > MOST_WORDS || !checksum || strlen(checksum) >= sizeof out->checksum) {
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
json_t *node_parsed(const char *text)
{
    json_t *value = json_loads(text, 0, NULL);
    return value ? value : node_name(text);
}

json_node *node_object(void)
{
    return json_object();
}

json_node *node_array(void)
{
    return json_array();
}

json_node *node_null(void)
{
    return json_null();
}

json_node *node_text(const char *text)
{
    return json_string(text);
}

void node_append(json_node *array, json_node *value, int *failed)
{
    *failed |= json_array_append_new(array, value) != 0;
}

void node_free(json_node *node)
{
    json_decref(node);
}

/* ---- Points and answers ------------------------------------------------------------------------ */

void json_write_point(FILE *stream, uint64_t id, size_t dim, const double *x, int is_sparse)
{
    const char *before = "";
    char number[NUMBER_SIZE];
    fprintf(stream, "{\"id\":%llu,%s", (unsigned long long)id, is_sparse ? "\"active\":{" : "\"x\":[");
    for (size_t i = 0; i < dim; i++) {
        if (is_sparse && x[i] == 0) {
            continue;
        }
        number_format(x[i], number);
        if (is_sparse) {
            fprintf(stream, "%s\"%zu\":%s", before, i, number);
        } else {
            fprintf(stream, "%s%s", before, number);
        }
        before = ",";
    }
    fputs(is_sparse ? "}}\n" : "]}\n", stream);
}

static const char *answer_read(const json_t *answer, json_answer *out)
{
    const json_t *id = json_object_get(answer, "id");
    const json_t *value = json_object_get(answer, "value");
    const json_t *sigma = json_object_get(answer, "sigma");
    const json_t *error = json_object_get(answer, "error");
    if (!json_is_integer(id) || json_integer_value(id) < 0 ||
        json_integer_value(id) >= (json_int_t)JSON_ID_END) {
        return "has no \"id\", a whole number from 0 to 2^53 - 1";
    }
    if (!value && !error) {
        return "has neither \"value\" nor \"error\"";
    }
    if (value && !json_is_number(value) && !json_is_null(value)) {
        return "its \"value\" is not a number";
    }
    if (sigma && !json_is_null(sigma) && !(json_is_number(sigma) && json_number_value(sigma) >= 0)) {
        return "its \"sigma\" is not a number from 0 on";
    }
    out->id = (uint64_t)json_integer_value(id);
    if (error && !json_is_null(error)) {
        out->reason = strdup(json_is_string(error) ? json_string_value(error) : "error");
    } else if (json_is_number(value)) {
        out->value = json_number_value(value);
    } else {
        out->reason = strdup("no value");
    }
    out->sigma = json_is_number(sigma) ? json_number_value(sigma) : NAN;
    return NULL;
}

int json_answer_parse(const char *line, json_answer *out, char *wrong, size_t size)
{
    json_error_t error;
    json_t *answer = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    *out = (json_answer){.value = NAN, .sigma = NAN};
    const char *why = json_is_object(answer) ? answer_read(answer, out)
                      : answer               ? "is not an object"
                                             : error.text;
    if (answer) {
        snprintf(wrong, size, "%s", why ? why : "");
    } else {
        snprintf(wrong, size, "column %d: %s", error.column, why);
    }
    json_decref(answer);
    return why != NULL;
}
