/* A comparison for other programs: every run, as JSON or as CSV. */
#include "compare/compare_json.h"

#include "compare/compare_summaries.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>

/* ---- JSON ------------------------------------------------------------------------------------------ */

static json_node *whole_or_null(uint64_t value)
{
    return value ? node_whole(value) : node_null();
}

static void put_score(json_node *object, const compare_score *score, int *failed)
{
    node_put(object, "generations", node_whole(score->generations), failed);
    node_put(object, "evaluations", node_whole(score->evaluations), failed);
    node_put(object, "value", node_real(score->value), failed);
    node_put(object, "error", node_real(score->error), failed);
    node_put(object, "fitness", node_real(score->fitness), failed);
    node_put(object, "active", node_whole(score->active), failed);
    node_put(object, "support", node_real(score->support), failed);
}

/* The best on record after each generation, each figure an array. */
static json_node *best_object(const compare_run *r, int *failed)
{
    json_node *object = node_object();
    json_node *evaluations = node_array();
    json_node *value = node_array();
    json_node *active = node_array();
    for (size_t g = 0; g < r->moments; g++) {
        node_append(evaluations, node_whole(r->moment[g].evaluations), failed);
        node_append(value, node_real(r->moment[g].value), failed);
        node_append(active, node_whole(r->moment[g].active), failed);
    }
    node_put(object, "evaluations", evaluations, failed);
    node_put(object, "value", value, failed);
    node_put(object, "active", active, failed);
    return object;
}

static json_node *run_object(const compare_setting *s, const compare_run *run, size_t method, size_t seed,
                             int *failed)
{
    const compare_run *r = &run[method * s->seeds + seed];
    json_node *object = node_object();
    json_node *checkpoints = node_array();
    json_node *reached = node_array();
    for (size_t c = 0; c < s->checkpoints; c++) {
        const int is_known = r->checkpoint[c].evaluations > 0; /* the run got there */
        json_node *score = is_known ? node_object() : node_null();
        if (is_known) {
            put_score(score, &r->checkpoint[c], failed);
        }
        node_append(checkpoints, score, failed);
    }
    for (size_t t = 0; t < s->targets; t++) {
        node_append(reached, whole_or_null(r->reached[t]), failed);
    }
    node_put(object, "method", node_name(s->method[method].name), failed);
    node_put(object, "seed", node_whole(s->seed + seed), failed);
    put_score(object, &r->end, failed);
    node_put(object, "best_value_seen", node_real(r->seen), failed);
    node_put(object, "evaluations_to_targets", reached, failed);
    node_put(object, "checkpoints", checkpoints, failed);
    node_put(object, "best_after_generation", best_object(r, failed), failed);
    node_put(object, "seconds", node_real(r->seconds), failed);
    return object;
}

static json_node *method_object(const compare_setting *s, const compare_run *run, size_t method, int *failed)
{
    const compare_method *m = &s->method[method];
    compare_statistics statistics = {0};
    *failed |= compare_statistics_make(s, run, method, COMPARE_END, &statistics);
    json_node *object = node_object();
    json_node *words = node_array();
    for (size_t i = 0; i < m->count; i++) {
        node_append(words, node_name(m->words[i]), failed);
    }
    node_put(object, "method", node_name(m->name), failed);
    node_put(object, "options", words, failed);
    node_put(object, "runs", node_whole(statistics.runs), failed);
    node_put(object, "fitness_median", node_real(statistics.median), failed);
    node_put(object, "fitness_q25", node_real(statistics.low), failed);
    node_put(object, "fitness_q75", node_real(statistics.high), failed);
    node_put(object, "fitness_worst", node_real(statistics.worst), failed);
    node_put(object, "p", node_real(statistics.p), failed);
    return object;
}

json_node *compare_methods_array(const compare_setting *s, const compare_run *run, int *failed)
{
    json_node *methods = node_array();
    for (size_t k = 0; k < s->methods; k++) {
        node_append(methods, method_object(s, run, k, failed), failed);
    }
    return methods;
}

static void put_setting(json_node *document, const compare_setting *s, int *failed)
{
    json_node *checkpoints = node_array();
    for (size_t c = 0; c < s->checkpoints; c++) {
        node_append(checkpoints, node_whole(s->checkpoint[c]), failed);
    }
    node_put(document, "problem", node_name(s->problem), failed);
    const char *data = s->method[0].request.data;
    const char *program = s->method[0].request.program;
    node_put(document, "data", data ? node_name(data) : node_null(), failed);
    node_put(document, "program", program ? node_name(program) : node_null(), failed);
    node_put(document, "dim", node_whole(s->info.dim), failed);
    node_put(document, "direction", node_text(zilch_direction_name(s->info.direction)), failed);
    node_put(document, "penalty", node_real(s->penalty), failed);
    node_put(document, "penalties",
             s->penalties ? node_vector(s->penalties, s->info.dim, failed) : node_null(), failed);
    node_put(document, "held_out", s->info.is_noisy ? node_whole(s->held_out) : node_null(), failed);
    node_put(document, "seed", node_whole(s->seed), failed);
    node_put(document, "seeds", node_whole(s->seeds), failed);
    node_put(document, "generations", whole_or_null(s->generations), failed);
    node_put(document, "evaluations", whole_or_null(s->evaluations), failed);
    node_put(document, "targets", node_vector(s->target, s->targets, failed), failed);
    node_put(document, "checkpoints", checkpoints, failed);
}

int compare_write_json(const compare_setting *s, const compare_run *run, FILE *stream)
{
    int failed = 0;
    json_node *document = node_object();
    json_node *runs = node_array();
    uint64_t unfinished = 0;
    put_setting(document, s, &failed);
    for (size_t k = 0; k < s->methods; k++) {
        for (size_t i = 0; i < s->seeds; i++) {
            if (run[k * s->seeds + i].is_finished) {
                node_append(runs, run_object(s, run, k, i, &failed), &failed);
            } else {
                unfinished++;
            }
        }
    }
    node_put(document, "unfinished_runs", node_whole(unfinished), &failed);
    node_put(document, "methods", compare_methods_array(s, run, &failed), &failed);
    node_put(document, "runs", runs, &failed);
    failed = node_dump(stream, document, failed);
    fputc('\n', stream);
    return failed ? cli_fail("out of memory") : 0;
}

/* ---- CSV ------------------------------------------------------------------------------------------- */

/* Empty for what is not known. */
static void write_real(double value, FILE *stream)
{
    char number[ZILCH_NUMBER_SIZE] = "";
    if (isfinite(value)) {
        zilch_number_format(value, number);
    }
    fprintf(stream, ",%s", number);
}

static void write_count(uint64_t value, FILE *stream)
{
    if (value) {
        fprintf(stream, ",%llu", (unsigned long long)value);
    } else {
        fputc(',', stream);
    }
}

/* ",evaluations_to_200" */
static void write_name(const char *before, double target, FILE *stream)
{
    char number[ZILCH_NUMBER_SIZE];
    zilch_number_format(target, number);
    fprintf(stream, ",%s_%s", before, number);
}

static void write_header(const compare_setting *s, FILE *stream)
{
    fputs("method,seed,value,error,fitness,active,support,generations,evaluations,best_value_seen,seconds",
          stream);
    for (size_t t = 0; t < s->targets; t++) {
        write_name("evaluations_to", s->target[t], stream);
    }
    for (size_t c = 0; c < s->checkpoints; c++) {
        const unsigned long long g = s->checkpoint[c];
        fprintf(stream, ",value_at_%llu,error_at_%llu,fitness_at_%llu,active_at_%llu,support_at_%llu", g, g,
                g, g, g);
    }
    fputs(",best_value,best_active", stream);
    for (size_t t = 0; t < s->targets && compare_is_by_generations(s); t++) {
        write_name("generations_to", s->target[t], stream);
    }
    for (size_t q = 0; q < COMPARE_QUARTERS && compare_is_by_generations(s); q++) {
        fprintf(stream, ",best_active_at_%llu", (unsigned long long)compare_quarter(s, q));
    }
    fputc('\n', stream);
}

/* ",value,error,fitness,active,support", all empty where the run did not get to. */
static void write_score(const compare_score *score, FILE *stream)
{
    if (!score->evaluations) {
        fputs(",,,,,", stream);
        return;
    }
    write_real(score->value, stream);
    write_real(score->error, stream);
    write_real(score->fitness, stream);
    fprintf(stream, ",%zu", score->active);
    write_real(score->support, stream);
}

static void write_run(const compare_setting *s, const compare_run *r, FILE *stream)
{
    write_score(&r->end, stream);
    write_count(r->end.generations, stream);
    write_count(r->end.evaluations, stream);
    write_real(r->seen, stream);
    fprintf(stream, ",%.6g", r->seconds);
    for (size_t t = 0; t < s->targets; t++) {
        write_count(r->reached[t], stream);
    }
    for (size_t c = 0; c < s->checkpoints; c++) {
        write_score(&r->checkpoint[c], stream);
    }
    const compare_moment *last = r->moments > 0 ? &r->moment[r->moments - 1] : NULL;
    write_real(last ? last->value : NAN, stream);
    write_real(last ? (double)last->active : NAN, stream);
    for (size_t t = 0; t < s->targets && compare_is_by_generations(s); t++) {
        write_real(compare_generations_to(s, r, t), stream);
    }
    for (size_t q = 0; q < COMPARE_QUARTERS && compare_is_by_generations(s); q++) {
        write_real(compare_active_at(s, r, q), stream);
    }
    fputc('\n', stream);
}

int compare_write_csv(const compare_setting *s, const compare_run *run, FILE *stream)
{
    write_header(s, stream);
    for (size_t i = 0; i < s->methods * s->seeds; i++) {
        const unsigned long long seed = s->seed + i % s->seeds;
        if (run[i].is_finished) {
            text_put_field(stream, s->method[i / s->seeds].name, 0);
            fprintf(stream, ",%llu", seed);
            write_run(s, &run[i], stream);
        }
    }
    return 0;
}
