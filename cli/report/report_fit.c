/* A regression: what the point shown predicts, against what was observed. Of a logistic one, how many rows of
 * each class got which probability. */
#include "report/figures.h"
#include "report/report_figures.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 5000 }; /* of many rows, so many, evenly spread */
enum { BINS = 20 };        /* of probabilities */

typedef struct fitted {
    const report *report;
    const double *coefficient;
    zilch_regression_fit fit;
} fitted;

static int is_logistic(const fitted *f)
{
    return strcmp(f->report->best.problem.info.name, "logistic") == 0;
}

/* Of a row of the data: what is linear in its columns. */
static double predict(const fitted *f, const double *row)
{
    const search_problem *p = &f->report->best.problem;
    double predicted = f->fit.intercept;
    for (size_t i = 0; i < p->info.dim; i++) {
        predicted += f->coefficient[i] * row[search_problem_column(p, i) - 1];
    }
    return predicted;
}

static zilch_status write_rows(void *context, FILE *stream)
{
    const fitted *f = context;
    const search_problem *p = &f->report->best.problem;
    const dataset *t = &p->data;
    const size_t shown = t->rows < ROWS_MOST ? t->rows : ROWS_MOST;
    fputs("# observed predicted\n", stream);
    for (size_t k = 0; k < shown; k++) {
        const double *row = t->x + k * t->rows / shown * t->cols;
        figure_put_number(stream, row[p->response]);
        figure_put_number(stream, predict(f, row));
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

static zilch_status write_probabilities(void *context, FILE *stream)
{
    const fitted *f = context;
    const search_problem *p = &f->report->best.problem;
    const dataset *t = &p->data;
    size_t rows[BINS][2] = {{0}};
    for (size_t k = 0; k < t->rows; k++) {
        const double *row = t->x + k * t->cols;
        const double probability = 1.0 / (1.0 + exp(-predict(f, row)));
        const size_t bin = (size_t)fmin(BINS * probability, BINS - 1.0);
        rows[bin][row[p->response] > 0.5]++;
    }
    fputs("# probability rows_of_0 rows_of_1\n", stream);
    for (size_t i = 0; i < BINS; i++) {
        figure_put_number(stream, ((double)i + 0.5) / BINS);
        fprintf(stream, " %zu %zu\n", rows[i][0], rows[i][1]);
    }
    return ZILCH_OK;
}

static zilch_status write_meta(void *context, FILE *stream)
{
    const fitted *f = context;
    fputs("texts = 3\n", stream);
    figure_put_setting(stream, "training", f->fit.training_score);
    figure_put_setting(stream, "held_out", f->fit.validation_score);
    fprintf(stream, "rows = %zu\n", f->report->best.problem.data.rows);
    return ZILCH_OK;
}

static zilch_status write_texts(void *context, FILE *stream)
{
    const fitted *f = context;
    const search_problem *p = &f->report->best.problem;
    char text[FIGURE_TEXT_SIZE];
    figure_put_text(stream, 1, figure_title(f->report, text));
    figure_put_text(stream, 2, figure_escape(f->report->name, text));
    figure_put_text(stream, 3, figure_escape(p->data.names ? p->data.names[p->response] : "observed", text));
    return ZILCH_OK;
}

int report_write_fit(const report *r, const private_folder *folder, report_figures *out)
{
    const search_problem *p = &r->best.problem;
    fitted f = {.report = r};
    if (!p->is_regression || !p->problem) {
        return 0;
    }
    const char *name = is_logistic(&f) ? "probability" : "predicted";
    const zilch_file_writer write = is_logistic(&f) ? write_probabilities : write_rows;
    double *coefficient = search_problem_fit(p, report_point(r), &f.fit);
    f.coefficient = coefficient;
    const int failed = !coefficient || figures_write(folder, name, ".dat", write, &f) ||
                       figures_write(folder, name, ".meta.gp", write_meta, &f) ||
                       figures_write(folder, name, ".text.dat", write_texts, &f);
    free(coefficient);
    out->name[out->count++] = name;
    return failed;
}
