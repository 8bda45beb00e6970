/* Documents about studies: runs, their generations, and the points they found. */
#include "study/study_json.h"

#include "json/json.h"
#include "study/search_report.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>

/* ---- Points -------------------------------------------------------------------------------------- */

static json_node *record_object(const zilch_record *r, int *failed)
{
    json_node *object = node_object();
    node_put(object, "point", node_whole(r->point), failed);
    node_put(object, "fitness", node_real(r->fitness), failed);
    node_put(object, "value", node_real(r->value), failed);
    node_put(object, "error", node_real(r->error), failed);
    node_put(object, "active", node_whole(r->active), failed);
    node_put(object, "evaluations", node_whole(r->evaluations), failed);
    node_put(object, "failures", node_whole(r->failures), failed);
    node_put(object, "violation", node_real(r->violation), failed);
    return object;
}

/* The controller's lines; null for what is none. */
static json_node *formulas(const study_best *b, const double *x)
{
    char text[8192];
    size_t length;
    const int is_known = b->problem.is_lander && b->dim == ZILCH_POLICY_PARAMETERS &&
                         zilch_policy_format(x, text, sizeof text, &length) == ZILCH_OK &&
                         length < sizeof text;
    return is_known ? node_text(text) : node_null();
}

/* What a point says as a regression; null for what is none, and without its data. */
static json_node *fit_object(const study_best *b, const double *x, int *failed)
{
    const search_problem *p = &b->problem;
    zilch_regression_fit fit;
    double *coefficient = p->is_regression && p->problem ? search_problem_fit(p, x, &fit) : NULL;
    if (!coefficient) {
        return node_null();
    }
    json_node *object = node_object();
    json_node *array = node_array();
    for (size_t i = 0; i < b->dim; i++) {
        const size_t column = search_problem_column(p, i);
        if (coefficient[i] != 0) {
            json_node *one = node_object();
            node_put(one, "column", node_whole(column), failed);
            node_put(one, "name", node_name(p->data.names ? p->data.names[column - 1] : NULL), failed);
            node_put(one, "coefficient", node_real(coefficient[i]), failed);
            node_append(array, one, failed);
        }
    }
    node_put(object, "intercept", node_real(fit.intercept), failed);
    node_put(object, "coefficients", array, failed);
    node_put(object, "training_error", node_real(fit.training_error), failed);
    node_put(object, "training_score", node_real(fit.training_score), failed);
    node_put(object, "validation_error", node_real(fit.validation_error), failed);
    node_put(object, "validation_score", node_real(fit.validation_score), failed);
    free(coefficient);
    return object;
}

/* The coordinates that are active: not 0, or not their default where there are defaults; null for a run
 * without names. */
static json_node *named_object(const char *const *names, const double *defaults, size_t dim, const double *x,
                               int *failed)
{
    json_node *object = names && x ? node_object() : node_null();
    for (size_t i = 0; names && x && i < dim; i++) {
        if (x[i] != (defaults ? defaults[i] : 0.0)) {
            node_put(object, names[i], node_real(x[i]), failed);
        }
    }
    return object;
}

static json_node *point_object(json_node *object, const study_best *b, const double *x, int *failed)
{
    node_put(object, "x", node_vector(x, b->dim, failed), failed);
    node_put(object, "by_name", named_object(b->problem.names, b->problem.defaults, b->dim, x, failed),
             failed);
    node_put(object, "controller", formulas(b, x), failed);
    node_put(object, "fit", fit_object(b, x, failed), failed);
    return object;
}

static void put_points(json_node *document, const study_best *b, int *failed)
{
    const zilch_recommendation *r = &b->conclusion.recommendation;
    json_node *seen = node_null();
    json_node *recommended = node_null();
    if (b->seen.evaluations > 0) {
        seen = point_object(record_object(&b->seen, failed), b, b->seen_x, failed);
    }
    if (b->conclusion.is_recommending) {
        json_node *object = node_object();
        node_put(object, "point", node_whole(r->point), failed);
        node_put(object, "mean", node_real(r->mean), failed);
        node_put(object, "deviation", node_real(r->deviation), failed);
        node_put(object, "standard_error", node_real(r->deviation / sqrt((double)r->evaluations)), failed);
        node_put(object, "fitness", node_real(r->fitness), failed);
        node_put(object, "evaluations", node_whole(r->evaluations), failed);
        node_put(object, "failures", node_whole(r->failures), failed);
        node_put(object, "spent", node_whole(r->spent), failed);
        node_put(object, "active", node_whole(r->active), failed);
        node_put(object, "pruned", node_whole(r->pruned), failed);
        node_put(object, "violation", node_real(r->violation), failed);
        node_put(object, "held_out_mean", node_real(b->conclusion.held_out_mean), failed);
        node_put(object, "held_out_error", node_real(b->conclusion.held_out_error), failed);
        node_put(object, "held_out_count", node_whole(b->conclusion.held_out_count), failed);
        recommended = point_object(object, b, b->recommended_x, failed);
    }
    node_put(document, "best", seen, failed);
    node_put(document, "recommended", recommended, failed);
}

/* ---- Runs ---------------------------------------------------------------------------------------- */

static json_node *generation_object(const zilch_generation *g, int *failed)
{
    json_node *object = node_object();
    node_put(object, "generation", node_whole(g->generation), failed);
    node_put(object, "evaluations", node_whole(g->evaluations), failed);
    node_put(object, "failures", node_whole(g->failures), failed);
    node_put(object, "points", node_whole(g->points), failed);
    node_put(object, "best_value", node_real(g->best_value), failed);
    node_put(object, "best_fitness", node_real(g->best_fitness), failed);
    node_put(object, "best_active", node_whole(g->best_active), failed);
    node_put(object, "best_point", node_whole(g->best_point), failed);
    node_put(object, "best_violation", node_real(g->best_violation), failed);
    node_put(object, "noise", node_real(g->noise), failed);
    node_put(object, "evaluating_seconds", node_real(g->timings.evaluating), failed);
    node_put(object, "searching_seconds", node_real(g->timings.searching), failed);
    return object;
}

/* What evaluates it, whatever its problem says. */
static void put_program(json_node *object, const study_run *run, int *failed)
{
    node_put(object, "program", node_name(run->program), failed);
    node_put(object, "program_agrees", node_truth(!run->is_disguised), failed);
}

/* What was asked for, by kind. */
static json_node *asked_object(const zilch_run *r, int *failed)
{
    json_node *object = node_object();
    for (int kind = 0; kind <= ZILCH_SETTING_MEANS; kind++) {
        json_node *settings = node_object();
        for (size_t i = 0; i < r->request.settings; i++) {
            const zilch_setting *s = &r->request.setting[i];
            if ((int)s->kind == kind) {
                node_put(settings, s->name, node_name(s->value), failed);
            }
        }
        node_put(object, zilch_setting_kind_name((zilch_setting_kind)kind), settings, failed);
    }
    return object;
}

static json_node *run_object(const study_run *run, int *failed)
{
    const zilch_run *r = &run->run;
    json_node *object = node_object();
    node_put(object, "run", node_whole(r->run), failed);
    node_put(object, "name", node_name(r->request.name), failed);
    node_put(object, "problem", node_name(r->request.problem), failed);
    put_program(object, run, failed);
    node_put(object, "data", node_name(r->request.data), failed);
    node_put(object, "fingerprint", node_name(r->request.fingerprint), failed);
    node_put(object, "asked_for", asked_object(r, failed), failed);
    node_put(object, "machine", node_name(r->request.machine), failed);
    node_put(object, "started", node_name(r->request.started), failed);
    node_put(object, "version", node_name(r->version), failed);
    node_put(object, "seed", node_whole(r->seed), failed);
    node_put(object, "dim", node_whole(r->dim), failed);
    node_put(object, "names", node_names(r->request.coordinate_names, r->dim, failed), failed);
    node_put(object, "method", node_text(zilch_method_name(r->method)), failed);
    node_put(object, "direction", node_text(zilch_direction_name(r->direction)), failed);
    node_put(object, "penalty", node_real(r->penalty), failed);
    node_put(object, "ended_by",
             r->stop == ZILCH_STOP_NONE ? node_null() : node_text(study_stop_name(r->stop)), failed);
    node_put(object, "generations", node_whole(r->generations), failed);
    node_put(object, "evaluations", node_whole(r->evaluations), failed);
    node_put(object, "failures", node_whole(r->failures), failed);
    node_put(object, "arrived", node_whole(r->arrived), failed);
    node_put(object, "last", run->last.generation ? generation_object(&run->last, failed) : node_null(),
             failed);
    return object;
}

int study_json_print_all(const study_file *file)
{
    json_node *document = node_object();
    json_node *runs = node_array();
    int failed = 0;
    for (size_t i = 0; i < file->count; i++) {
        node_append(runs, run_object(&file->runs[i], &failed), &failed);
    }
    node_put(document, "study", node_name(file->path), &failed);
    node_put(document, "runs", runs, &failed);
    return node_print(document, failed);
}

/* The options by their names; behind them what is said about single coordinates, an array each, or null for
 * nothing. */
static json_node *settings_object(const study_best *b, int *failed)
{
    const zilch_optimizer_options *o = zilch_optimizer_settings(b->optimizer);
    json_node *object = node_object();
    json_node *forced = o->forced ? node_array() : node_null();
    json_node *groups = o->group ? node_array() : node_null();
    size_t count;
    const zilch_option *list = zilch_optimizer_option_list(&count);
    for (size_t i = 0; i < count; i++) {
        const void *field = (const char *)o + list[i].offset;
        char text[ZILCH_OPTION_SIZE];
        zilch_option_format(&list[i], o, text);
        node_put(object, list[i].name,
                 list[i].type == ZILCH_OPTION_NUMBER  ? node_real(*(const double *)field)
                 : list[i].type == ZILCH_OPTION_COUNT ? node_whole(*(const uint64_t *)field)
                 : list[i].type == ZILCH_OPTION_FLAG  ? node_truth(*(const int *)field)
                                                      : node_text(text),
                 failed);
    }
    for (size_t i = 0; i < b->dim && o->forced; i++) {
        node_append(forced, node_text(zilch_forced_name(o->forced[i])), failed);
    }
    for (size_t i = 0; i < b->dim && o->group; i++) {
        node_append(groups, node_whole(o->group[i]), failed);
    }
    node_put(object, "forced", forced, failed);
    node_put(object, "groups", groups, failed);
    node_put(object, "lower", o->lower ? node_vector(o->lower, b->dim, failed) : node_null(), failed);
    node_put(object, "upper", o->upper ? node_vector(o->upper, b->dim, failed) : node_null(), failed);
    node_put(object, "x0", o->x0 ? node_vector(o->x0, b->dim, failed) : node_null(), failed);
    node_put(object, "scale", o->scale ? node_vector(o->scale, b->dim, failed) : node_null(), failed);
    json_node *values = o->values ? node_array() : node_null();
    for (size_t i = 0; i < b->dim && o->values; i++) {
        node_append(values,
                    o->values[i].count ? node_vector(o->values[i].value, o->values[i].count, failed)
                                       : node_null(),
                    failed);
    }
    node_put(object, "step", o->step ? node_vector(o->step, b->dim, failed) : node_null(), failed);
    node_put(object, "values", values, failed);
    node_put(object, "defaults", o->defaults ? node_vector(o->defaults, b->dim, failed) : node_null(),
             failed);
    node_put(object, "penalties", o->penalties ? node_vector(o->penalties, b->dim, failed) : node_null(),
             failed);
    return object;
}

static zilch_status append_generation(void *context, const zilch_generation *g)
{
    int failed = 0;
    node_append(context, generation_object(g, &failed), &failed);
    return failed ? ZILCH_ENOMEM : ZILCH_OK;
}

static json_node *front_array(const study_best *b, int *failed)
{
    size_t count;
    size_t recommended;
    zilch_record *front = search_front_read(b->optimizer, &b->conclusion, &count, &recommended);
    json_node *array = node_array();
    *failed |= !front;
    for (size_t i = 0; i < count && front; i++) {
        node_append(array, record_object(&front[i], failed), failed);
    }
    free(front);
    return array;
}

static zilch_status append_steered(void *context, const zilch_command *c)
{
    int failed = 0;
    if (!c->is_heeded) {
        return ZILCH_OK;
    }
    json_node *object = node_object();
    node_put(object, "action", node_text(zilch_action_name(c->action)), &failed);
    node_put(object, "value", node_real(c->value), &failed);
    node_put(object, "asked", node_name(c->asked), &failed);
    node_put(object, "generation", node_whole(c->generation), &failed);
    node_append(context, object, &failed);
    return failed ? ZILCH_ENOMEM : ZILCH_OK;
}

int study_json_print_run(const study_file *file, const study_run *run, const study_best *best)
{
    int failed = 0;
    const zilch_progress state = zilch_optimizer_progress(best->optimizer);
    json_node *document = run_object(run, &failed);
    json_node *generations = node_array();
    json_node *steered = node_array();
    zilch_status status = zilch_study_generations(file->study, run->run.run, append_generation, generations);
    status = status == ZILCH_OK ? zilch_study_commands(file->study, run->run.run, 0, append_steered, steered)
                                : status;
    if (status != ZILCH_OK && status != ZILCH_ENOMEM) {
        node_free(document);
        node_free(generations);
        node_free(steered);
        return cli_fail_library();
    }
    failed |= status != ZILCH_OK;
    node_put(document, "study", node_name(file->path), &failed);
    node_put(document, "restarts", node_whole(state.restarts), &failed);
    node_put(document, "noise", node_real(state.noise), &failed);
    node_put(document, "scale", node_real(state.scale), &failed);
    node_put(document, "steered", steered, &failed);
    node_put(document, "settings", settings_object(best, &failed), &failed);
    node_put(document, "history", generations, &failed);
    node_put(document, "front", front_array(best, &failed), &failed);
    put_points(document, best, &failed);
    return node_print(document, failed);
}

int study_json_print_best(const study_file *file, const study_run *run, const study_best *best)
{
    json_node *document = node_object();
    int failed = 0;
    node_put(document, "study", node_name(file->path), &failed);
    node_put(document, "run", node_whole(run->run.run), &failed);
    node_put(document, "problem", node_name(run->run.request.problem), &failed);
    put_program(document, run, &failed);
    put_points(document, best, &failed);
    return node_print(document, failed);
}

int study_json_print_told(const study_file *file, const zilch_run *run, size_t values,
                          const zilch_generation *closed)
{
    json_node *document = node_object();
    int failed = 0;
    node_put(document, "study", node_name(file->path), &failed);
    node_put(document, "run", node_whole(run->run), &failed);
    node_put(document, "values", node_whole(values), &failed);
    node_put(document, "closed", closed ? generation_object(closed, &failed) : node_null(), &failed);
    return node_print(document, failed);
}

/* ---- Rows ---------------------------------------------------------------------------------------- */

int study_json_write_evaluation(FILE *stream, const zilch_run *run, const double *defaults,
                                const zilch_evaluation *e)
{
    int failed = 0;
    json_node *object = node_object();
    node_put(object, "run", node_whole(run->run), &failed);
    node_put(object, "generation", node_whole(e->generation), &failed);
    node_put(object, "id", node_whole(e->id), &failed);
    node_put(object, "value", node_real(e->value), &failed);
    node_put(object, "fitness", node_real(e->fitness), &failed);
    node_put(object, "active", node_whole(e->active), &failed);
    node_put(object, "violation", node_real(e->violation), &failed);
    node_put(object, "x", e->x ? node_vector(e->x, run->dim, &failed) : node_null(), &failed);
    if (run->request.coordinate_names) {
        node_put(object, "by_name",
                 named_object(run->request.coordinate_names, defaults, run->dim, e->x, &failed), &failed);
    }
    return node_dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}

int study_json_write_generation(FILE *stream, const zilch_run *run, const zilch_generation *generation)
{
    int failed = 0;
    json_node *object = generation_object(generation, &failed);
    node_put(object, "run", node_whole(run->run), &failed);
    return node_dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}

int study_json_write_failure(FILE *stream, const zilch_run *run, const zilch_failure *failure)
{
    int failed = 0;
    json_node *object = node_object();
    node_put(object, "run", node_whole(run->run), &failed);
    node_put(object, "generation", node_whole(failure->generation), &failed);
    node_put(object, "id", node_whole(failure->id), &failed);
    node_put(object, "reason", node_name(failure->reason), &failed);
    node_put(object, "output", node_name(failure->output), &failed);
    return node_dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}
