/* Documents about studies: runs, their generations, and the points they found. */
#include "cli.h"
#include "json.h"
#include "json_node.h"
#include "search_report.h"

#include <math.h>
#include <stdlib.h>

static json_node *record_object(const zilch_record *r, const double *x, size_t dim, int *failed)
{
    json_node *object = node_object();
    node_put(object, "point", node_whole(r->point), failed);
    node_put(object, "fitness", node_real(r->fitness), failed);
    node_put(object, "value", node_real(r->value), failed);
    node_put(object, "active", node_whole(r->active), failed);
    node_put(object, "evaluations", node_whole(r->evaluations), failed);
    node_put(object, "failures", node_whole(r->failures), failed);
    if (x) {
        node_put(object, "x", node_vector(x, dim, failed), failed);
    }
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

static json_node *coefficient_object(const search_problem *p, size_t index, double value, int *failed)
{
    const size_t column = search_problem_column(p, index);
    json_node *object = node_object();
    node_put(object, "column", node_whole(column), failed);
    node_put(object, "name", node_name(p->data.names ? p->data.names[column - 1] : NULL), failed);
    node_put(object, "coefficient", node_real(value), failed);
    return object;
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
        if (coefficient[i] != 0) {
            node_append(array, coefficient_object(p, i, coefficient[i], failed), failed);
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

static json_node *seen_object(const study_best *b, int *failed)
{
    if (b->seen.evaluations == 0) {
        return node_null();
    }
    json_node *object = record_object(&b->seen, b->seen_x, b->dim, failed);
    node_put(object, "controller", formulas(b, b->seen_x), failed);
    node_put(object, "fit", fit_object(b, b->seen_x, failed), failed);
    return object;
}

static json_node *recommended_object(const study_best *b, int *failed)
{
    const zilch_conclusion *c = &b->conclusion;
    const zilch_recommendation *r = &c->recommendation;
    if (!c->is_recommending) {
        return node_null();
    }
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
    node_put(object, "held_out_mean", node_real(c->held_out_mean), failed);
    node_put(object, "held_out_error", node_real(c->held_out_error), failed);
    node_put(object, "held_out_count", node_whole(c->held_out_count), failed);
    node_put(object, "x", node_vector(b->recommended_x, b->dim, failed), failed);
    node_put(object, "controller", formulas(b, b->recommended_x), failed);
    node_put(object, "fit", fit_object(b, b->recommended_x, failed), failed);
    return object;
}

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

static json_node *run_object(const study_run *run, int *failed)
{
    const zilch_run *r = &run->run;
    json_node *object = node_object();
    node_put(object, "run", node_whole(r->run), failed);
    node_put(object, "name", node_name(r->texts.name), failed);
    node_put(object, "problem", node_name(r->texts.problem), failed);
    put_program(object, run, failed);
    node_put(object, "arguments", node_parsed(r->texts.arguments), failed);
    node_put(object, "machine", node_name(r->texts.machine), failed);
    node_put(object, "started", node_name(r->texts.started), failed);
    node_put(object, "version", node_name(r->version), failed);
    node_put(object, "seed", node_whole(r->seed), failed);
    node_put(object, "dim", node_whole(r->dim), failed);
    node_put(object, "law", node_text(zilch_law_name(r->law)), failed);
    node_put(object, "direction", node_text(zilch_direction_name(r->direction)), failed);
    node_put(object, "price", node_real(r->price), failed);
    node_put(object, "ended_by",
             r->stop == ZILCH_STOP_NONE ? node_null() : node_text(study_stop_name(r->stop)), failed);
    node_put(object, "generations", node_whole(r->generations), failed);
    node_put(object, "evaluations", node_whole(r->evaluations), failed);
    node_put(object, "failures", node_whole(r->failures), failed);
    node_put(object, "last", run->last.generation ? generation_object(&run->last, failed) : node_null(),
             failed);
    return object;
}

int json_print_study(const study_file *file)
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

/* What is said about single coordinates, an array each; null for nothing. */
static void put_limits(json_node *object, const zilch_optimizer_options *o, size_t dim, int *failed)
{
    json_node *forced = o->forced ? node_array() : node_null();
    json_node *groups = o->group ? node_array() : node_null();
    for (size_t i = 0; i < dim; i++) {
        if (o->forced) {
            node_append(forced, node_text(zilch_forced_name(o->forced[i])), failed);
        }
        if (o->group) {
            node_append(groups, node_whole(o->group[i]), failed);
        }
    }
    node_put(object, "forced", forced, failed);
    node_put(object, "groups", groups, failed);
    node_put(object, "lower", o->lower ? node_vector(o->lower, dim, failed) : node_null(), failed);
    node_put(object, "upper", o->upper ? node_vector(o->upper, dim, failed) : node_null(), failed);
}

/* How the zig law learns from one generation to the next. */
static void put_refit(json_node *object, const zilch_refit *r, int *failed)
{
    node_put(object, "prior_p", node_real(r->prior_p), failed);
    node_put(object, "prior_mu", node_real(r->prior_mu), failed);
    node_put(object, "prior_sigma", node_real(r->prior_sigma), failed);
    node_put(object, "prior_correlation", node_real(r->prior_correlation), failed);
    node_put(object, "weighting", node_text(zilch_weighting_name(r->weighting)), failed);
    node_put(object, "values", node_text(zilch_values_name(r->values)), failed);
    node_put(object, "margin", node_real(r->margin), failed);
    node_put(object, "shift", node_real(r->shift), failed);
    node_put(object, "copied", node_real(r->copied), failed);
    node_put(object, "redrawn", node_real(r->redrawn), failed);
    node_put(object, "timid", node_real(r->timid), failed);
    node_put(object, "widened", node_truth(r->is_widened), failed);
}

static json_node *settings_object(const study_best *b, int *failed)
{
    const zilch_optimizer_options *o = zilch_optimizer_settings(b->optimizer);
    json_node *object = node_object();
    node_put(object, "archive", node_text(zilch_archive_name(o->archive)), failed);
    node_put(object, "again", node_text(zilch_again_name(o->again)), failed);
    node_put(object, "population", node_whole(o->population), failed);
    node_put(object, "elites", node_whole(o->elites), failed);
    node_put(object, "share", node_real(o->share), failed);
    node_put(object, "over_ask", node_real(b->over_ask), failed);
    node_put(object, "initial_p", node_real(o->initial_p), failed);
    node_put(object, "initial_mu", node_real(o->initial_mu), failed);
    node_put(object, "initial_sigma", node_real(o->initial_sigma), failed);
    node_put(object, "initial_spread", node_real(o->initial_spread), failed);
    node_put(object, "restart", node_whole(o->restart), failed);
    node_put(object, "remember", node_whole(o->remember), failed);
    node_put(object, "structure", node_text(zilch_structure_name(o->model.structure)), failed);
    node_put(object, "rank", node_whole(o->model.rank), failed);
    node_put(object, "inverter", node_text(zilch_inverter_name(o->model.inverter)), failed);
    node_put(object, "shrinkage", node_text(zilch_shrinkage_name(o->model.shrinkage)), failed);
    node_put(object, "projection", node_text(zilch_projection_name(o->model.projection)), failed);
    put_refit(object, &o->refit, failed);
    node_put(object, "active_least", node_whole(o->active_least), failed);
    node_put(object, "active_most", node_whole(o->active_most), failed);
    put_limits(object, o, b->dim, failed);
    return object;
}

/* What the optimiser knew after the last generation, beside what the study has of each. */
static void put_state(json_node *object, const zilch_optimizer *optimizer, int *failed)
{
    const zilch_progress p = zilch_optimizer_progress(optimizer);
    node_put(object, "restarts", node_whole(p.restarts), failed);
    node_put(object, "noise", node_real(p.noise), failed);
    node_put(object, "scale", node_real(p.scale), failed);
}

static zilch_status append_generation(void *context, const zilch_generation *g)
{
    int failed = 0;
    node_append(context, generation_object(g, &failed), &failed);
    return failed ? ZILCH_ENOMEM : ZILCH_OK;
}

static json_node *front_array(const zilch_optimizer *optimizer, int *failed)
{
    size_t count;
    zilch_record *front = search_front_read(optimizer, &count);
    json_node *array = node_array();
    *failed |= !front;
    for (size_t i = 0; i < count && front; i++) {
        node_append(array, record_object(&front[i], NULL, 0, failed), failed);
    }
    free(front);
    return array;
}

int json_print_run(const study_file *file, const study_run *run, const study_best *best)
{
    int failed = 0;
    json_node *document = run_object(run, &failed);
    json_node *generations = node_array();
    const zilch_status status =
        zilch_study_generations(file->study, run->run.run, append_generation, generations);
    if (status != ZILCH_OK && status != ZILCH_ENOMEM) {
        node_free(document);
        node_free(generations);
        return cli_fail_library();
    }
    failed |= status != ZILCH_OK;
    node_put(document, "study", node_name(file->path), &failed);
    put_state(document, best->optimizer, &failed);
    node_put(document, "settings", settings_object(best, &failed), &failed);
    node_put(document, "history", generations, &failed);
    node_put(document, "front", front_array(best->optimizer, &failed), &failed);
    node_put(document, "best", seen_object(best, &failed), &failed);
    node_put(document, "recommended", recommended_object(best, &failed), &failed);
    return node_print(document, failed);
}

int json_print_best(const study_file *file, const study_run *run, const study_best *best)
{
    json_node *document = node_object();
    int failed = 0;
    node_put(document, "study", node_name(file->path), &failed);
    node_put(document, "run", node_whole(run->run.run), &failed);
    node_put(document, "problem", node_name(run->run.texts.problem), &failed);
    put_program(document, run, &failed);
    node_put(document, "best", seen_object(best, &failed), &failed);
    node_put(document, "recommended", recommended_object(best, &failed), &failed);
    return node_print(document, failed);
}

int json_write_evaluation(FILE *stream, const zilch_run *run, const zilch_evaluation *evaluation)
{
    const zilch_evaluation *e = evaluation;
    int failed = 0;
    json_node *object = node_object();
    node_put(object, "run", node_whole(run->run), &failed);
    node_put(object, "generation", node_whole(e->generation), &failed);
    node_put(object, "id", node_whole(e->id), &failed);
    node_put(object, "value", node_real(e->value), &failed);
    node_put(object, "fitness", node_real(e->fitness), &failed);
    node_put(object, "active", node_whole(e->active), &failed);
    node_put(object, "x", e->x ? node_vector(e->x, run->dim, &failed) : node_real(NAN), &failed);
    return node_dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}

int json_write_generation(FILE *stream, const zilch_run *run, const zilch_generation *generation)
{
    int failed = 0;
    json_node *object = generation_object(generation, &failed);
    node_put(object, "run", node_whole(run->run), &failed);
    return node_dump(stream, object, failed) ? cli_fail("out of memory") : 0;
}

int json_write_failure(FILE *stream, const zilch_run *run, const zilch_failure *failure)
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
