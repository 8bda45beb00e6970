/* Figures of the run that is shown closely: its way, the activity of each coordinate over generations, and
 * what its law has learned. */
#include "report/report_figures.h"

#include "report/figures.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>

/* ---- The run shown: its way ------------------------------------------------------ */

static zilch_status write_run_meta(void *context, FILE *stream)
{
    const report *r = context;
    const zilch_run *run = &r->source[r->shown]->run;
    fputs("texts = 2\n", stream);
    figure_put_setting(stream, "penalty", run->penalty);
    fprintf(stream, "generations = %llu\nis_log = %d\nis_return = %d\n", (unsigned long long)run->generations,
            report_is_logarithmic(r), r->best.problem.is_lander);
    return ZILCH_OK;
}

static zilch_status write_run_texts(void *context, FILE *stream)
{
    const report *r = context;
    char text[FIGURE_TEXT_SIZE];
    figure_put_text(stream, 1, figure_title(r, text));
    figure_put_text(stream, 2, figure_escape(r->name, text));
    return ZILCH_OK;
}

static zilch_status put_generation(void *context, const zilch_generation *g)
{
    FILE *stream = context;
    fprintf(stream, "%llu", (unsigned long long)g->generation);
    figure_put_number(stream, g->best_fitness);
    figure_put_number(stream, g->best_value);
    fprintf(stream, " %zu\n", g->best_active);
    return ZILCH_OK;
}

static zilch_status write_run(void *context, FILE *stream)
{
    const report *r = context;
    fputs("# generation best_fitness best_value best_active\n", stream);
    return zilch_study_generations(r->file.study, r->source[r->shown]->run.run, put_generation, stream);
}

/* ---- The activity of each coordinate --------------------------------------------- */

typedef struct activity {
    const report *report;
    size_t dim, generations;
    uint32_t *active; /* generations x dim: evaluations in which it was */
    uint32_t *all;    /* of a generation */
} activity;

static int is_active(const report *r, size_t i, const double *x)
{
    const double *defaults = r->best.problem.defaults;
    return x[i] != (defaults ? defaults[i] : 0.0);
}

static zilch_status count_active(void *context, const zilch_evaluation *e)
{
    activity *a = context;
    if (e->generation < 1 || e->generation > a->generations || !e->x) {
        return ZILCH_OK;
    }
    uint32_t *row = a->active + (e->generation - 1) * a->dim;
    a->all[e->generation - 1]++;
    for (size_t i = 0; i < a->dim; i++) {
        row[i] += (uint32_t)is_active(a->report, i, e->x);
    }
    return ZILCH_OK;
}

static zilch_status write_activity(void *context, FILE *stream)
{
    const activity *a = context;
    for (size_t i = 0; i < a->dim; i++) {
        for (size_t g = 0; g < a->generations; g++) {
            const double all = a->all[g] ? (double)a->all[g] : 1.0;
            fprintf(stream, "%s%.4g", g ? " " : "", (double)a->active[g * a->dim + i] / all);
        }
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

/* The coordinates that are active in the point have labels, at most so many. */
enum { LABELS_MOST = 24 };

/* Gives how many are active in all. */
static size_t list_active(const report *r, size_t out[LABELS_MOST], size_t *labels)
{
    const double *x = report_point(r);
    size_t count = 0;
    for (size_t i = 0; i < r->best.dim; i++) {
        if (is_active(r, i, x) && count++ < LABELS_MOST) {
            out[count - 1] = i;
        }
    }
    *labels = count < LABELS_MOST ? count : LABELS_MOST;
    return count;
}

/* The run's name, and those of the coordinates. */
static void put_labels(FILE *stream, const report *r, size_t count, const size_t *coordinate)
{
    char text[FIGURE_TEXT_SIZE];
    figure_put_text(stream, 1, figure_title(r, text));
    for (size_t i = 0; i < count; i++) {
        figure_put_text(stream, 2 + i, figure_coordinate(r, coordinate[i], text));
    }
}

static zilch_status write_activity_texts(void *context, FILE *stream)
{
    const activity *a = context;
    size_t coordinate[LABELS_MOST];
    size_t count;
    list_active(a->report, coordinate, &count);
    put_labels(stream, a->report, count, coordinate);
    return ZILCH_OK;
}

static zilch_status write_activity_meta(void *context, FILE *stream)
{
    const activity *a = context;
    size_t coordinate[LABELS_MOST];
    double at[LABELS_MOST];
    size_t count;
    const size_t active = list_active(a->report, coordinate, &count);
    for (size_t i = 0; i < count; i++) {
        at[i] = (double)coordinate[i] + 1.0;
    }
    fprintf(stream, "texts = %zu\ndim = %zu\ngenerations = %zu\nshown = %zu\nactive = %zu\nis_open = %d\n",
            1 + count, a->dim, a->generations, count, active, !a->report->best.conclusion.is_recommending);
    figure_put_numbers(stream, "at", count, at);
    return ZILCH_OK;
}

static int write_activities(const report *r, const private_folder *folder, report_figures *out)
{
    const zilch_run *run = &r->source[r->shown]->run;
    activity a = {.report = r, .dim = run->dim, .generations = (size_t)run->generations};
    a.active = calloc(a.generations * (a.dim + 1), sizeof *a.active);
    if (!a.active) {
        return cli_fail("out of memory");
    }
    a.all = a.active + a.generations * a.dim;
    const int failed = zilch_study_evaluations(r->file.study, run->run, count_active, &a) != ZILCH_OK
                           ? cli_fail_library()
                           : figures_write(folder, "activity", ".dat", write_activity, &a) ||
                                 figures_write(folder, "activity", ".meta.gp", write_activity_meta, &a) ||
                                 figures_write(folder, "activity", ".text.dat", write_activity_texts, &a);
    free(a.active);
    out->name[out->count++] = "activity";
    return failed;
}

/* ---- What the law has learned ---------------------------------------------------- */

enum { CORRELATED_MOST = 20 };

/* A coordinate that is active less often says nothing about correlations. */
#define RARE 0.05

typedef struct learned {
    const report *report;
    const zilch_model *model;
    size_t count, coordinate[CORRELATED_MOST + 1]; /* room for one that falls out */
} learned;

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Those of the largest p, the first among equals: each is put in its place, and the last falls out. */
static void choose_correlated(learned *l)
{
    const double *p = zilch_model_p(l->model);
    for (size_t i = 0; i < zilch_model_dim(l->model); i++) {
        size_t at = l->count;
        for (; at > 0 && p[l->coordinate[at - 1]] < p[i]; at--) {
            l->coordinate[at] = l->coordinate[at - 1];
        }
        l->coordinate[at] = i;
        l->count += l->count < CORRELATED_MOST;
    }
    qsort(l->coordinate, l->count, sizeof *l->coordinate, by_number);
}

static zilch_status write_correlations(void *context, FILE *stream)
{
    const learned *l = context;
    const size_t dim = zilch_model_dim(l->model);
    const size_t n = l->count;
    for (size_t i = 0; i < 2 * n; i++) {
        const size_t row = l->coordinate[i % n] + i / n * dim;
        for (size_t j = 0; j < 2 * n; j++) {
            const size_t column = l->coordinate[j % n] + j / n * dim;
            fprintf(stream, "%s%.4f", j ? " " : "", zilch_model_correlation_at(l->model, row, column));
        }
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

static zilch_status write_correlations_meta(void *context, FILE *stream)
{
    const learned *l = context;
    double is_rare[CORRELATED_MOST];
    for (size_t i = 0; i < l->count; i++) {
        is_rare[i] = zilch_model_p(l->model)[l->coordinate[i]] < RARE;
    }
    fprintf(stream, "texts = %zu\nn = %zu\nrare = %g\n", 1 + l->count, l->count, RARE);
    figure_put_numbers(stream, "is_rare", l->count, is_rare);
    return ZILCH_OK;
}

static zilch_status write_correlations_texts(void *context, FILE *stream)
{
    const learned *l = context;
    put_labels(stream, l->report, l->count, l->coordinate);
    return ZILCH_OK;
}

static int write_learned(const report *r, const private_folder *folder, report_figures *out)
{
    zilch_model *model = NULL;
    if (r->best.dim < 2) {
        return 0;
    }
    const zilch_status status = zilch_optimizer_model(r->best.optimizer, &model);
    if (status != ZILCH_OK) {
        /* Another law has none, nor has a search that has converged or diverged. */
        return status == ZILCH_ESTATE || status == ZILCH_ENUMERIC ? 0 : cli_fail_library();
    }
    learned l = {.report = r, .model = model};
    choose_correlated(&l);
    const int failed = figures_write(folder, "correlations", ".dat", write_correlations, &l) ||
                       figures_write(folder, "correlations", ".meta.gp", write_correlations_meta, &l) ||
                       figures_write(folder, "correlations", ".text.dat", write_correlations_texts, &l);
    zilch_model_destroy(model);
    out->name[out->count++] = "correlations";
    return failed;
}

/* ---- All of it ------------------------------------------------------------------- */

int report_write_shown(const report *r, const private_folder *folder, report_figures *out)
{
    report copy = *r;
    out->name[out->count++] = "run";
    return figures_write(folder, "run", ".meta.gp", write_run_meta, &copy) ||
           figures_write(folder, "run", ".text.dat", write_run_texts, &copy) ||
           figures_write(folder, "run", ".dat", write_run, &copy) || write_activities(r, folder, out) ||
           write_learned(r, folder, out);
}
