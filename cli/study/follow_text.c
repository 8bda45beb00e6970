/* The document of a study as JSON, whole or what is new of it. Lists that grow say from where on. */
#include "study/follow_inside.h"

#include "json/json.h"
#include "study/follow_parts.h"
#include "study/search_report.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ------------------------------------------------------------------------------------------ */

/* The term of a controller that has this coefficient: "main: y vy". */
static void name_term(size_t index, char out[NAME_SHOWN])
{
    double unit[ZILCH_POLICY_PARAMETERS] = {0};
    char text[512];
    size_t length;
    const int is_main = index < ZILCH_POLICY_TERMS;
    unit[index] = 1.0;
    if (zilch_policy_format(unit, text, sizeof text, &length) != ZILCH_OK || length >= sizeof text) {
        return;
    }
    const char *line = strstr(text, is_main ? "a_main = " : "a_side = ");
    const char *term = line ? line + strlen("a_main = ") : "";
    term += strncmp(term, "1 ", 2) == 0 ? 2 : 0;
    const size_t letters = strcspn(term, "\n");
    const int is_bias = index % ZILCH_POLICY_TERMS == 0;
    snprintf(out, NAME_SHOWN, "%s: %.*s", is_main ? "main" : "side", is_bias ? 4 : (int)letters,
             is_bias ? "bias" : term);
}

void follow_name(const study_run *run, size_t index, char out[NAME_SHOWN])
{
    const char *const *names = run->run.request.coordinate_names;
    snprintf(out, NAME_SHOWN, "x%zu", index + 1);
    if (names) {
        text_shorten(names[index], LETTERS_OF_NAME, out, NAME_SHOWN);
    } else if (search_problem_is_lander(run->run.request.problem) &&
               run->run.dim == ZILCH_POLICY_PARAMETERS) {
        name_term(index, out);
    }
}

static json_node *name_node(const followed *r, size_t index)
{
    char name[NAME_SHOWN];
    follow_name(r->source, index, name);
    return node_name(name);
}

/* ---- What is said once ------------------------------------------------------------------------------ */

static void put_about(json_node *run, const followed *r, int *failed)
{
    const zilch_run *a = &r->source->run;
    const char *threads = zilch_request_find(&a->request, ZILCH_SETTING_MEANS, "threads");
    const char *jobs = zilch_request_find(&a->request, ZILCH_SETTING_MEANS, "jobs");
    node_put(run, "name", node_name(*a->request.name ? a->request.name : zilch_method_name(a->method)),
             failed);
    node_put(run, "problem", node_name(a->request.problem), failed);
    node_put(run, "program", node_name(r->source->program), failed);
    node_put(run, "data", node_name(a->request.data), failed);
    node_put(run, "machine", node_name(a->request.machine), failed);
    node_put(run, "started", node_name(a->request.started), failed);
    node_put(run, "version", node_name(a->version), failed);
    node_put(run, "seed", node_whole(a->seed), failed);
    node_put(run, "dim", node_whole(a->dim), failed);
    node_put(run, "method", node_text(zilch_method_name(a->method)), failed);
    node_put(run, "direction", node_text(zilch_direction_name(a->direction)), failed);
    node_put(run, "isCompared", node_truth(study_is_compared(r->source)), failed);
    node_put(run, "workers", node_name(jobs ? jobs : threads), failed);
}

/* ---- Rows ------------------------------------------------------------------------------------------- */

static json_node *row_node(const zilch_generation *g, int *failed)
{
    json_node *row = node_array();
    node_append(row, node_whole(g->generation), failed);
    node_append(row, node_whole(g->evaluations), failed);
    node_append(row, node_whole(g->failures), failed);
    node_append(row, node_real(g->best_value), failed);
    node_append(row, node_real(g->best_fitness), failed);
    node_append(row, node_whole(g->best_active), failed);
    node_append(row, node_real(g->noise), failed);
    node_append(row, node_real(g->timings.evaluating), failed);
    node_append(row, node_real(g->timings.searching), failed);
    return row;
}

static json_node *list_from(size_t from, json_node *list, int *failed)
{
    json_node *object = node_object();
    node_put(object, "from", node_whole(from), failed);
    node_put(object, "list", list, failed);
    return object;
}

/* Every generation, or every second, fourth, ... one, and the last: what is shown follows from their number
 * alone. */
static void put_rows(json_node *run, followed *r, int is_whole, int *failed)
{
    size_t stride = 1;
    while (r->rows / stride > ROWS_SHOWN) {
        stride *= 2;
    }
    if (!is_whole && r->rows == r->rows_said) {
        return;
    }
    const size_t from = is_whole || stride != r->stride_said ? 0 : r->rows_said / stride;
    json_node *list = node_array();
    for (size_t i = (from + 1) * stride; i <= r->rows; i += stride) {
        node_append(list, row_node(&r->row[i - 1], failed), failed);
    }
    if (r->rows % stride) {
        node_append(list, row_node(&r->row[r->rows - 1], failed), failed);
    }
    node_put(run, "rows", list_from(from, list, failed), failed);
    r->rows_said = r->rows;
    r->stride_said = stride;
}

/* ---- What was active when ---------------------------------------------------------------------------- */

typedef struct total {
    uint64_t count;
    size_t index;
} total;

static int by_count(const void *a, const void *b)
{
    const total *x = a;
    const total *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Those that were active most often. Gives whether they are others than before. */
static int choose(followed *r, size_t bins, int *failed)
{
    size_t chosen[COORDINATES_SHOWN];
    size_t count = 0;
    total *sum = calloc(r->dim, sizeof *sum);
    if (!sum) {
        *failed = 1;
        return 0;
    }
    for (size_t i = 0; i < r->dim; i++) {
        sum[i].index = i;
        for (size_t b = 0; b < bins; b++) {
            sum[i].count += r->active[b * r->dim + i];
        }
    }
    qsort(sum, r->dim, sizeof *sum, by_count);
    for (; count < COORDINATES_SHOWN && count < r->dim && sum[count].count; count++) {
        chosen[count] = sum[count].index;
    }
    free(sum);
    if (count) {
        qsort(chosen, count, sizeof *chosen, by_index);
    }
    const int is_other = count != r->chosen_count || memcmp(chosen, r->chosen, count * sizeof *chosen) != 0;
    memcpy(r->chosen, chosen, count * sizeof *chosen);
    r->chosen_count = count;
    return is_other;
}

/* Shares in percent, a column for each bin of generations. */
static json_node *column_node(const followed *r, size_t bin, int *failed)
{
    json_node *column = node_array();
    for (size_t k = 0; k < r->chosen_count; k++) {
        const double share = r->all[bin] ? (double)r->active[bin * r->dim + r->chosen[k]] / r->all[bin] : 0;
        node_append(column, node_whole((uint64_t)lround(100 * share)), failed);
    }
    return column;
}

static void put_active(json_node *run, followed *r, int is_whole, int *failed)
{
    const size_t bins = (size_t)((r->seen + r->width - 1) / r->width);
    if (!r->seen || (!is_whole && r->seen == r->seen_said)) {
        return;
    }
    const int is_other = choose(r, bins, failed);
    const int is_anew = is_whole || is_other || r->width != r->width_said;
    const size_t from = is_anew ? 0 : (size_t)(r->seen_said / r->width);
    json_node *list = node_array();
    for (size_t b = from; b < bins; b++) {
        node_append(list, column_node(r, b, failed), failed);
    }
    node_put(run, "active", list_from(from, list, failed), failed);
    node_put(run, "seen", node_whole(r->seen), failed);
    if (is_anew) {
        json_node *names = node_array();
        for (size_t k = 0; k < r->chosen_count; k++) {
            node_append(names, name_node(r, r->chosen[k]), failed);
        }
        node_put(run, "activeNames", names, failed);
        node_put(run, "binWidth", node_whole(r->width), failed);
    }
    r->seen_said = r->seen;
    r->width_said = r->width;
}

/* ---- The best point ----------------------------------------------------------------------------------- */

static json_node *point_node(const followed *r, const double *x, int *failed)
{
    json_node *list = node_array();
    size_t count = 0;
    for (size_t i = 0; i < r->dim; i++) {
        if (x[i] != (r->defaults ? r->defaults[i] : 0.0) && count++ < COORDINATES_SHOWN) {
            json_node *one = node_array();
            node_append(one, name_node(r, i), failed);
            node_append(one, node_real(x[i]), failed);
            node_append(list, one, failed);
        }
    }
    json_node *object = node_object();
    node_put(object, "active", node_whole(count), failed);
    node_put(object, "list", list, failed);
    return object;
}

static json_node *some_names(const followed *r, size_t count, const size_t *index, int *failed)
{
    json_node *list = node_array();
    for (size_t i = 0; i < count && i < 4; i++) {
        node_append(list, name_node(r, index[i]), failed);
    }
    if (count > 4) {
        char more[40];
        snprintf(more, sizeof more, "%zu more", count - 4);
        node_append(list, node_text(more), failed);
    }
    return list;
}

static json_node *change_node(const followed *r, const follow_change *c, int *failed)
{
    const zilch_generation *g = &r->row[c->generation - 1];
    json_node *object = node_object();
    node_put(object, "generation", node_whole(c->generation), failed);
    node_put(object, "evaluations", node_whole(g->evaluations), failed);
    node_put(object, "value", node_real(g->best_value), failed);
    node_put(object, "fitness", node_real(g->best_fitness), failed);
    node_put(object, "active", node_whole(g->best_active), failed);
    node_put(object, "gained", c->is_known ? some_names(r, c->gained, c->first_gained, failed) : node_null(),
             failed);
    node_put(object, "lost", c->is_known ? some_names(r, c->lost, c->first_lost, failed) : node_null(),
             failed);
    return object;
}

/* The latest first. */
static void put_best(json_node *run, followed *r, int is_whole, int *failed)
{
    if (!r->changes || (!is_whole && r->changes == r->changes_said)) {
        return;
    }
    json_node *list = node_array();
    for (size_t k = 0; k < CHANGES_SHOWN && k < r->changes; k++) {
        node_append(list, change_node(r, &r->change[(r->changes - 1 - k) % CHANGES_SHOWN], failed), failed);
    }
    node_put(run, "changes", list, failed);
    node_put(run, "changesAll", node_whole(r->changes), failed);
    node_put(run, "best", r->is_best_known ? point_node(r, r->best_x, failed) : node_null(), failed);
    r->changes_said = r->changes;
}

/* ---- Failures, commands, what is recommended ----------------------------------------------------------- */

static void put_failures(json_node *run, const followed *r, int *failed)
{
    json_node *list = node_array();
    for (size_t k = 0; k < FAILURES_SHOWN && k < r->failures; k++) {
        const follow_failure *f = &r->failure[(r->failures - 1 - k) % FAILURES_SHOWN];
        json_node *one = node_object();
        node_put(one, "generation", node_whole(f->generation), failed);
        node_put(one, "reason", node_name(f->reason), failed);
        node_put(one, "output", node_name(f->output), failed);
        node_append(list, one, failed);
    }
    node_put(run, "failures", list, failed);
    node_put(run, "failuresAll", node_whole(r->failures), failed);
}

static void put_limits(json_node *run, const followed *r, int *failed)
{
    const zilch_limits *l = &r->limits;
    node_put(run, "endedBy", r->stop == ZILCH_STOP_NONE ? node_null() : node_text(study_stop_name(r->stop)),
             failed);
    node_put(run, "spent", node_real(r->spent), failed);
    node_put(run, "limitEvaluations", l->evaluations ? node_whole(l->evaluations) : node_null(), failed);
    node_put(run, "limitGenerations", l->generations ? node_whole(l->generations) : node_null(), failed);
    node_put(run, "target", node_real(l->target), failed);
    node_put(run, "penalty", node_real(r->penalty), failed);
}

static zilch_status take_command(void *context, const zilch_command *c)
{
    int failed = 0;
    json_node *object = node_object();
    node_put(object, "number", node_whole(c->command), &failed);
    node_put(object, "action", node_text(zilch_action_name(c->action)), &failed);
    node_put(object, "value", node_real(c->value), &failed);
    node_put(object, "asked", node_name(c->asked), &failed);
    node_put(object, "heeded", c->is_heeded ? node_whole(c->generation) : node_null(), &failed);
    node_append(context, object, &failed);
    return failed ? ZILCH_ENOMEM : ZILCH_OK;
}

static zilch_status node_to_text(json_node *node, int failed, char **out)
{
    size_t size;
    FILE *stream = open_memstream(out, &size);
    failed |= !stream;
    if (!stream) {
        node_free(node);
        return ZILCH_ENOMEM;
    }
    failed = node_dump(stream, node, failed);
    return fclose(stream) != 0 || failed ? ZILCH_ENOMEM : ZILCH_OK;
}

zilch_status follow_commands(zilch_study *study, uint64_t run, char **out)
{
    json_node *list = node_array();
    const zilch_status status = zilch_study_commands(study, run, 0, take_command, list);
    if (status != ZILCH_OK) {
        node_free(list);
        return status;
    }
    return node_to_text(list, 0, out);
}

zilch_status follow_conclusion(zilch_study *study, const followed *r, char **out)
{
    zilch_conclusion c;
    int failed = 0;
    double *x = calloc(r->dim, sizeof *x);
    const zilch_status status = x ? zilch_study_conclusion(study, r->run, &c, x) : ZILCH_ENOMEM;
    json_node *object = node_null();
    if (status == ZILCH_OK && c.is_recommending) {
        node_free(object);
        object = point_node(r, x, &failed);
        node_put(object, "value", node_real(c.recommendation.mean), &failed);
        node_put(object, "fitness", node_real(c.recommendation.fitness), &failed);
        node_put(object, "error",
                 node_real(c.recommendation.deviation / sqrt((double)c.recommendation.evaluations)), &failed);
        node_put(object, "heldOut", node_real(c.held_out_mean), &failed);
        node_put(object, "heldOutError", node_real(c.held_out_error), &failed);
    }
    free(x);
    if (status != ZILCH_OK) {
        node_free(object);
        return status;
    }
    return node_to_text(object, failed, out);
}

/* ---- The document ---------------------------------------------------------------------------------------
 */

static int is_changed(const followed *r)
{
    return !r->is_said || r->is_new || r->rows != r->rows_said || r->seen != r->seen_said;
}

/* An object without its last bracket, so that texts can follow. */
static int put_run(FILE *stream, followed *r, int is_whole)
{
    int failed = 0;
    char *text = NULL;
    const int is_all = is_whole || !r->is_said;
    json_node *run = node_object();
    node_put(run, "run", node_whole(r->run), &failed);
    if (is_all) {
        put_about(run, r, &failed);
    }
    if (is_all || r->is_new) {
        put_limits(run, r, &failed);
        put_failures(run, r, &failed);
    }
    put_rows(run, r, is_all, &failed);
    put_active(run, r, is_all, &failed);
    put_best(run, r, is_all, &failed);
    failed |= node_to_text(run, failed, &text) != ZILCH_OK;
    if (!failed) {
        fwrite(text, 1, strlen(text) - 1, stream);
    }
    if (!failed && (is_all || r->is_new)) {
        fprintf(stream, ", \"commands\": %s, \"recommended\": %s, \"look\": %s",
                r->commands ? r->commands : "[]", r->conclusion ? r->conclusion : "null",
                r->look ? r->look : "null");
    }
    fputc('}', stream);
    free(text);
    r->is_said = 1;
    r->is_new = 0;
    return failed;
}

char *follow_text(follow *f, int is_whole)
{
    char *text = NULL;
    size_t size;
    size_t count = 0;
    int failed = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        return NULL;
    }
    fputs("{\"study\": ", stream);
    failed |= node_dump(stream, node_name(f->path), 0);
    fputs(", \"runs\": [", stream);
    for (size_t i = 0; i < f->count; i++) {
        const int is_meant = !f->only || f->list[i].run == f->only;
        if (is_meant && (is_whole || is_changed(&f->list[i]))) {
            fputs(count++ ? ", " : "", stream);
            failed |= put_run(stream, &f->list[i], is_whole);
        }
    }
    fprintf(stream, "], \"isReading\": %s}", f->has_more ? "true" : "false");
    if (fclose(stream) != 0 || failed || (!is_whole && !count)) {
        free(text);
        return NULL;
    }
    return text;
}
