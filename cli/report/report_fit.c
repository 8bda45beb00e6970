/* A regression: what the point shown predicts, against what was observed. Of a logistic one, how many rows of
 * each class got which probability. */
#include "report/figures.h"
#include "report/report_figures.h"
#include "study/study_fit.h"

enum { ROWS_MOST = 5000 }; /* of many rows, so many, evenly spread */

typedef struct fitted {
    const report *report;
    study_fit fit;
} fitted;

static zilch_status write_rows(void *context, FILE *stream)
{
    const fitted *f = context;
    const search_problem *p = f->fit.problem;
    const size_t shown = p->data.rows < ROWS_MOST ? p->data.rows : ROWS_MOST;
    fputs("# observed predicted\n", stream);
    for (size_t k = 0; k < shown; k++) {
        const double *row = study_fit_row(&f->fit, k, shown);
        figure_put_number(stream, row[p->response]);
        figure_put_number(stream, study_fit_predict(&f->fit, row));
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

static zilch_status write_probabilities(void *context, FILE *stream)
{
    const fitted *f = context;
    size_t rows[STUDY_FIT_BINS][2];
    study_fit_count(&f->fit, rows);
    fputs("# probability rows_of_0 rows_of_1\n", stream);
    for (size_t i = 0; i < STUDY_FIT_BINS; i++) {
        figure_put_number(stream, ((double)i + 0.5) / STUDY_FIT_BINS);
        fprintf(stream, " %zu %zu\n", rows[i][0], rows[i][1]);
    }
    return ZILCH_OK;
}

static zilch_status write_meta(void *context, FILE *stream)
{
    const fitted *f = context;
    fputs("texts = 3\n", stream);
    figure_put_setting(stream, "training", f->fit.fit.training_score);
    figure_put_setting(stream, "held_out", f->fit.fit.validation_score);
    fprintf(stream, "rows = %zu\n", f->fit.problem->data.rows);
    return ZILCH_OK;
}

static zilch_status write_texts(void *context, FILE *stream)
{
    const fitted *f = context;
    char text[FIGURE_TEXT_SIZE];
    figure_put_text(stream, 1, figure_title(f->report, text));
    figure_put_text(stream, 2, figure_escape(f->report->name, text));
    figure_put_text(stream, 3, figure_escape(study_fit_response(&f->fit), text));
    return ZILCH_OK;
}

int report_write_fit(const report *r, const private_folder *folder, report_figures *out)
{
    const search_problem *p = &r->best.problem;
    fitted f = {.report = r};
    if (!p->is_regression || !p->problem) {
        return 0;
    }
    const int has_no_fit = study_fit_open(&f.fit, p, report_point(r));
    const char *name = f.fit.is_logistic ? "probability" : "predicted";
    const zilch_file_writer write = f.fit.is_logistic ? write_probabilities : write_rows;
    const int failed = has_no_fit || figures_write(folder, name, ".dat", write, &f) ||
                       figures_write(folder, name, ".meta.gp", write_meta, &f) ||
                       figures_write(folder, name, ".text.dat", write_texts, &f);
    study_fit_close(&f.fit);
    out->name[out->count++] = name;
    return failed;
}
