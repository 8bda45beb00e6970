/* zilch best: the best point of a run. */
#include "cli.h"
#include "commands.h"
#include "json.h"
#include "options.h"
#include "search_problem.h"
#include "search_report.h"
#include "study_file.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *study, *output;
    uint64_t run;
    int json;
} request;

static const char about[] =
    "Print the best point that a run in STUDY has seen, and the one it recommends, if it has ended: the best "
    "supported, not the luckiest. A lander's is a controller, and -o writes it for 'zilch play "
    "--controller'.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run; without it the last"},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL,
         "Write the point alone, recommended or else the best seen: a lander's as formulas, a "
         "regression's as intercept and coefficients, others as they are: a CSV or .npy of one row"},
        {"json", 'j', NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print everything as JSON"},
        {0},
    };
    const cli_usage usage = {"best", "STUDY", about, options, &r->study, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && r->output && r->json) {
        return cli_wrong_usage(&usage, "-o writes the point itself; leave --json out");
    }
    if (!status && r->output && !*r->output) {
        return cli_wrong_usage(&usage, "-o: the file's name is empty");
    }
    if (!status && cli_is_study_file(r->output, r->study)) {
        return cli_wrong_usage(&usage, "-o: %s is the study itself, or a file of it", r->output);
    }
    return status;
}

/* ---- To a file ---------------------------------------------------------------------------------- */

static const double *chosen(const study_best *b)
{
    return b->conclusion.is_recommending ? b->recommended_x : b->seen_x;
}

static zilch_status write_formulas(void *context, FILE *stream)
{
    const study_best *b = context;
    return search_point_print(&b->problem, b->dim, chosen(b), SIZE_MAX, stream) ? ZILCH_ENOMEM : ZILCH_OK;
}

/* One row with its names. */
typedef struct row {
    size_t count;
    char **names;
    double *x;
} row;

enum { NAME_SIZE = 24 };

/* Names x1, x2, ... and numbers, in one block: free the names. */
static int row_create(row *out, size_t count)
{
    *out = (row){.count = count, .names = malloc(count * (sizeof(char *) + sizeof(double) + NAME_SIZE))};
    if (!out->names) {
        cli_fail("out of memory");
        return CLI_FAILED;
    }
    out->x = (double *)(void *)(out->names + count);
    for (size_t i = 0; i < count; i++) {
        out->names[i] = (char *)(out->x + count) + i * NAME_SIZE;
        snprintf(out->names[i], NAME_SIZE, "x%zu", i + 1);
    }
    return 0;
}

static zilch_status fill_row(void *context, size_t count, double *x)
{
    const row *r = context;
    memcpy(x, r->x, count * r->count * sizeof *x);
    return ZILCH_OK;
}

static int write_row(const char *path, row *r)
{
    table_error error;
    const table_rows rows = {1, r->count, r->names, fill_row, r};
    return table_write(path, &rows, &error) ? cli_fail("%s", error.text) : 0;
}

static int write_coordinates(const request *r, const study_best *b)
{
    row point;
    int status = row_create(&point, b->dim);
    if (!status) {
        memcpy(point.x, chosen(b), b->dim * sizeof *point.x);
        status = write_row(r->output, &point);
    }
    free(point.names);
    return status;
}

/* In the units of the data: the intercept, and a column for each column but the response. */
static int write_coefficients(const request *r, study_best *b)
{
    const search_problem *p = &b->problem;
    zilch_regression_fit fit;
    row fitted = {0};
    static char intercept[] = "intercept";
    if (!p->problem) {
        return cli_fail(
            "%s: the data are missing or have changed, and without them there are no coefficients to write",
            r->study);
    }
    double *coefficient = search_problem_fit(p, chosen(b), &fit);
    int status = coefficient ? row_create(&fitted, b->dim + 1) : CLI_FAILED;
    for (size_t i = 0; i < b->dim && !status; i++) {
        const size_t column = search_problem_column(p, i);
        fitted.x[i + 1] = coefficient[i];
        snprintf(fitted.names[i + 1], NAME_SIZE, "x%zu", column);
        fitted.names[i + 1] = p->data.names ? p->data.names[column - 1] : fitted.names[i + 1];
    }
    if (!status) {
        fitted.x[0] = fit.intercept;
        fitted.names[0] = intercept;
        status = write_row(r->output, &fitted);
    }
    free(fitted.names);
    free(coefficient);
    return status;
}

static int write_point(const request *r, study_best *b)
{
    if (b->seen.evaluations == 0) {
        return cli_fail("%s: the run has no point yet", r->study);
    }
    if (!b->problem.is_lander) {
        return b->problem.is_regression ? write_coefficients(r, b) : write_coordinates(r, b);
    }
    if (strcmp(r->output, "-") == 0) {
        return search_point_print(&b->problem, b->dim, chosen(b), SIZE_MAX, stdout);
    }
    return zilch_file_replace(r->output, write_formulas, b) == ZILCH_OK ? 0 : cli_fail_library();
}

/* ---- In words -------------------------------------------------------------------------------------- */

static int print_best(const study_run *run, const study_best *b)
{
    int status = 0;
    printf("run %llu: ", (unsigned long long)run->run.run);
    text_put_between(stdout, "", run->run.texts.problem, "\n");
    study_program_print(stdout, "", run);
    search_report_seen(&b->seen);
    if (b->seen.evaluations > 0) {
        status = search_point_print(&b->problem, b->dim, b->seen_x, SIZE_MAX, stdout);
    }
    if (!status && b->conclusion.is_recommending) {
        putchar('\n');
        search_report_recommended(&b->conclusion);
        status = search_point_print(&b->problem, b->dim, b->recommended_x, SIZE_MAX, stdout);
    }
    return status;
}

int cmd_best(int argc, char **argv)
{
    request r = {0};
    r.run = UINT64_MAX;
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f;
    study_best b = {0};
    int status = study_file_open(&f, r.study, ZILCH_STUDY_READ);
    const study_run *run = status ? NULL : study_file_find(&f, r.run != UINT64_MAX ? r.run : 0);
    status = run ? study_best_read(&b, &f, run) : CLI_FAILED;
    if (!status) {
        study_best_open_data(&b, run, !r.json && !r.output);
        status = r.output ? write_point(&r, &b) : r.json ? json_print_best(&f, run, &b) : print_best(run, &b);
    }
    study_best_free(&b);
    study_file_close(&f);
    return status;
}
