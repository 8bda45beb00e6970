/* The front of a run, what its law believes, and what its point predicts of a regression: from the whole of
 * its archive, as the search has it. */
#include "study/follow_inside.h"

#include "json/json.h"
#include "study/search_report.h"
#include "study/study_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRONT_SHOWN = 60, LAW_SHOWN = 24, PAIRS_SHOWN = 12, FIT_ROWS_SHOWN = 600 };

/* The error of a mean of so many evaluations, where the noise is known. */
static json_node *front_node(const zilch_optimizer *optimizer, int *failed)
{
    size_t count = 0;
    size_t recommended;
    const zilch_progress p = zilch_optimizer_progress(optimizer);
    zilch_record *front = p.points ? search_front_read(optimizer, NULL, &count, &recommended) : NULL;
    json_node *list = node_array();
    const size_t shown = count < FRONT_SHOWN ? count : FRONT_SHOWN;
    for (size_t k = 0; k < shown && front; k++) {
        const zilch_record *r = &front[shown > 1 ? k * (count - 1) / (shown - 1) : 0];
        json_node *one = node_array();
        node_append(one, node_whole(r->active), failed);
        node_append(one, node_real(r->value), failed);
        node_append(one,
                    node_real(p.noise > 0 && r->evaluations ? p.noise / sqrt((double)r->evaluations) : NAN),
                    failed);
        node_append(one, node_whole(r->evaluations), failed);
        node_append(list, one, failed);
    }
    free(front);
    return list;
}

/* ---- The law ------------------------------------------------------------------------------------------ */

typedef struct pair {
    size_t i, j; /* latents */
    double correlation;
} pair;

/* The likeliest coordinates, and how many there are. */
static size_t choose(const zilch_model *model, size_t out[LAW_SHOWN + 1])
{
    const double *p = zilch_model_p(model);
    size_t count = 0;
    for (size_t i = 0; i < zilch_model_dim(model); i++) {
        size_t at = count;
        for (; at > 0 && p[out[at - 1]] < p[i]; at--) {
            out[at] = out[at - 1];
        }
        out[at] = i;
        count += count < LAW_SHOWN;
    }
    return count;
}

/* The strongest of the pairs of their latents: whether a coordinate is active, and its value. */
static size_t choose_pairs(const zilch_model *model, size_t n, const size_t *chosen,
                           pair out[PAIRS_SHOWN + 1])
{
    const size_t dim = zilch_model_dim(model);
    size_t count = 0;
    for (size_t a = 0; a < 2 * n; a++) {
        for (size_t b = 0; b < a; b++) {
            const size_t i = chosen[a % n] + a / n * dim;
            const size_t j = chosen[b % n] + b / n * dim;
            const pair p = {i, j, zilch_model_correlation_at(model, i, j)};
            size_t at = count;
            if (!(fabs(p.correlation) >= 0.1)) {
                continue;
            }
            for (; at > 0 && fabs(out[at - 1].correlation) < fabs(p.correlation); at--) {
                out[at] = out[at - 1];
            }
            out[at] = p;
            count += count < PAIRS_SHOWN;
        }
    }
    return count;
}

static json_node *latent_name(const study_run *run, size_t latent)
{
    char name[NAME_SHOWN];
    char text[NAME_SHOWN + 32];
    follow_name(run, latent % run->run.dim, name);
    snprintf(text, sizeof text, "%s %s", name, latent < run->run.dim ? "active" : "value");
    return node_name(text);
}

static json_node *law_node(const study_run *run, const zilch_model *model, int *failed)
{
    size_t chosen[LAW_SHOWN + 1];
    pair pairs[PAIRS_SHOWN + 1];
    const size_t count = choose(model, chosen);
    const size_t strong = choose_pairs(model, count, chosen, pairs);
    json_node *list = node_array();
    json_node *strongest = node_array();
    for (size_t k = 0; k < count; k++) {
        char name[NAME_SHOWN];
        json_node *one = node_array();
        follow_name(run, chosen[k], name);
        node_append(one, node_name(name), failed);
        node_append(one, node_real(zilch_model_p(model)[chosen[k]]), failed);
        node_append(one, node_real(zilch_model_mu(model)[chosen[k]]), failed);
        node_append(one, node_real(zilch_model_sigma(model)[chosen[k]]), failed);
        node_append(list, one, failed);
    }
    for (size_t k = 0; k < strong; k++) {
        json_node *one = node_array();
        node_append(one, latent_name(run, pairs[k].i), failed);
        node_append(one, latent_name(run, pairs[k].j), failed);
        node_append(one, node_real(pairs[k].correlation), failed);
        node_append(strongest, one, failed);
    }
    json_node *object = node_object();
    node_put(object, "list", list, failed);
    node_put(object, "pairs", strongest, failed);
    return object;
}

/* ---- A regression ----------------------------------------------------------------------------------- */

static json_node *two(json_node *first, json_node *second, int *failed)
{
    json_node *both = node_array();
    node_append(both, first, failed);
    node_append(both, second, failed);
    return both;
}

/* Pairs of what was observed and what is predicted; of a logistic regression, for each bin of probabilities
 * the rows that were a 0 and those that were a 1. */
static json_node *fit_list_node(const study_fit *f, int *failed)
{
    const search_problem *p = f->problem;
    const size_t shown = p->data.rows < FIT_ROWS_SHOWN ? p->data.rows : FIT_ROWS_SHOWN;
    json_node *list = node_array();
    if (f->is_logistic) {
        size_t rows[STUDY_FIT_BINS][2];
        study_fit_count(f, rows);
        for (size_t k = 0; k < STUDY_FIT_BINS; k++) {
            node_append(list, two(node_whole(rows[k][0]), node_whole(rows[k][1]), failed), failed);
        }
        return list;
    }
    for (size_t k = 0; k < shown; k++) {
        const double *row = study_fit_row(f, k, shown);
        node_append(list, two(node_real(row[p->response]), node_real(study_fit_predict(f, row)), failed),
                    failed);
    }
    return list;
}

static json_node *fit_node(const study_best *b, int *failed)
{
    study_fit f;
    json_node *object = node_object();
    const int is_recommended = b->conclusion.is_recommending;
    if (study_fit_open(&f, &b->problem, is_recommended ? b->recommended_x : b->seen_x)) {
        *failed = 1;
        study_fit_close(&f);
        return object;
    }
    node_put(object, "isLogistic", node_truth(f.is_logistic), failed);
    node_put(object, "isRecommended", node_truth(is_recommended), failed);
    node_put(object, "response", node_name(study_fit_response(&f)), failed);
    node_put(object, "rows", node_whole(b->problem.data.rows), failed);
    node_put(object, "training", node_real(f.fit.training_score), failed);
    node_put(object, "validation", node_real(f.fit.validation_score), failed);
    node_put(object, "list", fit_list_node(&f, failed), failed);
    study_fit_close(&f);
    return object;
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static json_node *look_node(const study_run *run, const study_best *b, int *failed)
{
    zilch_model *model = NULL;
    json_node *object = node_object();
    const zilch_optimizer *optimizer = b->optimizer;
    const int has_fit = b->problem.is_regression && b->problem.problem && b->seen.evaluations;
    const int has_law = zilch_optimizer_model(optimizer, &model) == ZILCH_OK;
    node_put(object, "generation", node_whole(zilch_optimizer_progress(optimizer).generations), failed);
    node_put(object, "front", front_node(optimizer, failed), failed);
    node_put(object, "law", has_law ? law_node(run, model, failed) : node_null(), failed);
    node_put(object, "fit", has_fit ? fit_node(b, failed) : node_null(), failed);
    zilch_model_destroy(model);
    return object;
}

char *follow_look(const char *path, uint64_t number)
{
    study_file f;
    study_best b = {0};
    char *text = NULL;
    size_t size;
    int failed = 0;
    const study_run *run = study_file_open(&f, path, ZILCH_STUDY_READ) ? NULL : study_file_find(&f, number);
    if (run && !study_best_read(&b, &f, run)) {
        study_best_open_data(&b, run, 0);
        FILE *stream = open_memstream(&text, &size);
        json_node *look = look_node(run, &b, &failed);
        failed |= !stream;
        if (stream) {
            failed |= node_dump(stream, look, failed);
        } else {
            node_free(look);
        }
        failed |= stream && fclose(stream) != 0;
    }
    study_best_free(&b);
    study_file_close(&f);
    if (failed) {
        free(text);
        return NULL;
    }
    return text;
}
