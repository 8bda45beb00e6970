/* A point of a regression as coefficients, and what these predict for each row. */
#include "study/study_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int study_fit_open(study_fit *out, const search_problem *problem, const double *x)
{
    *out = (study_fit){.problem = problem, .is_logistic = strcmp(problem->info.name, "logistic") == 0};
    out->coefficient = search_problem_fit(problem, x, &out->fit);
    return out->coefficient == NULL;
}

void study_fit_close(study_fit *f)
{
    free(f->coefficient);
}

double study_fit_predict(const study_fit *f, const double *row)
{
    double predicted = f->fit.intercept;
    for (size_t i = 0; i < f->problem->info.dim; i++) {
        predicted += f->coefficient[i] * row[search_problem_column(f->problem, i) - 1];
    }
    return predicted;
}

const double *study_fit_row(const study_fit *f, size_t k, size_t shown)
{
    const dataset *data = &f->problem->data;
    return data->x + k * data->rows / shown * data->cols;
}

void study_fit_count(const study_fit *f, size_t rows[STUDY_FIT_BINS][2])
{
    const dataset *data = &f->problem->data;
    memset(rows, 0, STUDY_FIT_BINS * sizeof *rows);
    for (size_t k = 0; k < data->rows; k++) {
        const double *row = data->x + k * data->cols;
        const double probability = 1.0 / (1.0 + exp(-study_fit_predict(f, row)));
        const size_t bin = (size_t)fmin(STUDY_FIT_BINS * probability, STUDY_FIT_BINS - 1.0);
        rows[bin][row[f->problem->response] > 0.5]++;
    }
}

const char *study_fit_response(const study_fit *f)
{
    const dataset *data = &f->problem->data;
    return data->names ? data->names[f->problem->response] : "observed";
}
