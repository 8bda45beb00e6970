/* zilch best: the best point of a run. */
#include "commands/commands.h"
#include "dataset/dataset.h"
#include "options/option_parser.h"
#include "request/search_problem.h"
#include "study/search_report.h"
#include "study/study_file.h"
#include "study/study_json.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *study, *output;
    uint64_t run, active;
    int json;
} request;

static const char about[] =
    "Print the best point that a run in STUDY has seen, and the one it recommends, if it has ended: the best "
    "supported, not the luckiest. With --active, print a sparser one. A lander's is a controller, and -o "
    "writes it for 'zilch play --controller'.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run. Without it, the last."},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL,
         "Write the recommended point, or else the best seen, to this file: a lander's as formulas, a "
         "regression's as intercept and coefficients, others as a CSV or .npy of one row."},
        {"active", 0, "N", CLI_COUNT, &r->active, 0, 1e9, NULL,
         "Take the best point with at most N active coordinates instead, from the front."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print everything as JSON."},
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

enum { NAME_SIZE = 24 };

/* One row with its names x1, x2, ..., all in one block: free the names. */
typedef struct row {
    size_t count;
    char **names;
    double *x;
} row;

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

/* In the units of the data: the intercept, and a column for each column but the response. */
static int fill_coefficients(row *out, const request *r, const study_best *b)
{
    static char intercept[] = "intercept";
    const search_problem *p = &b->problem;
    zilch_regression_fit fit;
    if (!p->problem) {
        return cli_fail(
            "%s: the data are missing or have changed, and without them there are no coefficients to write",
            r->study);
    }
    double *coefficient = search_problem_fit(p, chosen(b), &fit);
    const int status = coefficient ? row_create(out, b->dim + 1) : CLI_FAILED;
    for (size_t i = 0; i < b->dim && !status; i++) {
        const size_t column = search_problem_column(p, i);
        out->x[i + 1] = coefficient[i];
        snprintf(out->names[i + 1], NAME_SIZE, "x%zu", column);
        out->names[i + 1] = p->data.names ? p->data.names[column - 1] : out->names[i + 1];
    }
    if (!status) {
        out->x[0] = fit.intercept;
        out->names[0] = intercept;
    }
    free(coefficient);
    return status;
}

static int write_row(const request *r, const study_best *b)
{
    row point = {0};
    dataset_error error;
    int status = b->problem.is_regression ? fill_coefficients(&point, r, b) : row_create(&point, b->dim);
    if (!status) {
        const dataset_rows rows = {1, point.count, (const char *const *)point.names, fill_row, &point, 0};
        if (!b->problem.is_regression) {
            memcpy(point.x, chosen(b), b->dim * sizeof *point.x);
            for (size_t i = 0; b->problem.names && i < b->dim; i++) {
                point.names[i] = (char *)b->problem.names[i];
            }
        }
        status = dataset_write(r->output, &rows, &error) ? cli_fail("%s", error.text) : 0;
    }
    free(point.names);
    return status;
}

static int write_point(const request *r, study_best *b)
{
    if (b->seen.evaluations == 0) {
        return cli_fail("%s: the run has no point yet", r->study);
    }
    if (!b->problem.is_lander) {
        return write_row(r, b);
    }
    if (strcmp(r->output, "-") == 0) {
        return search_point_print(&b->problem, b->dim, chosen(b), SIZE_MAX, stdout);
    }
    return zilch_file_replace(r->output, write_formulas, b) == ZILCH_OK ? 0 : cli_fail_library();
}

/* ---- From the front --------------------------------------------------------------------------------- */

/* The point takes the place of the best seen, and nothing is recommended. */
static int take_from_front(const request *r, study_best *b)
{
    size_t count;
    size_t recommended;
    zilch_record *front = search_front_read(b->optimizer, &b->conclusion, &count, &recommended);
    size_t found = 0;
    if (!front) {
        return CLI_FAILED;
    }
    while (found < count && front[found].active <= r->active) {
        found++;
    }
    int status = 0;
    b->conclusion.is_recommending &= found == 0;
    if (found > 0 && found - 1 == recommended) {
        b->seen = front[recommended];
        memcpy(b->seen_x, b->recommended_x, b->dim * sizeof *b->seen_x);
    } else if (found > 0) {
        status = zilch_optimizer_point(b->optimizer, front[found - 1].point, b->seen_x, &b->seen) == ZILCH_OK
                     ? 0
                     : cli_fail_library();
    } else if (count > 0) {
        status =
            cli_fail("%s: no point with at most %llu active coordinate%s is on the front; the sparsest "
                     "has %zu",
                     r->study, (unsigned long long)r->active, r->active == 1 ? "" : "s", front[0].active);
    } else {
        status = cli_fail("%s: the run has no point yet", r->study);
    }
    free(front);
    return status;
}

/* ---- In words -------------------------------------------------------------------------------------- */

static int print_best(const request *r, const study_run *run, const study_best *b)
{
    int status = 0;
    printf("run %llu: ", (unsigned long long)run->run.run);
    text_put_between(stdout, "", run->run.request.problem, "\n");
    study_program_print(stdout, "", run);
    if (r->active == UINT64_MAX) {
        search_report_seen(b->optimizer, &b->seen);
    } else {
        printf("best with at most %llu active: value %.6g", (unsigned long long)r->active, b->seen.value);
        if (b->seen.error > 0) {
            printf(" +- %.3g", b->seen.error);
        }
        printf(" in %llu evaluation%s", (unsigned long long)b->seen.evaluations,
               b->seen.evaluations == 1 ? "" : "s");
        search_report_penalised(b->seen.value, b->seen.fitness);
        printf(", active %zu", b->seen.active);
        search_report_violation(b->seen.violation);
        putchar('\n');
    }
    if (b->seen.evaluations > 0) {
        status = search_point_print(&b->problem, b->dim, b->seen_x, SIZE_MAX, stdout);
    }
    if (!status && b->conclusion.is_recommending) {
        putchar('\n');
        search_report_recommended(b->optimizer, &b->conclusion);
        status = search_point_print(&b->problem, b->dim, b->recommended_x, SIZE_MAX, stdout);
    }
    return status;
}

int cmd_best(int argc, char **argv)
{
    request r = {.run = UINT64_MAX, .active = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f;
    study_best b = {0};
    int status = study_file_open(&f, r.study, ZILCH_STUDY_READ);
    const study_run *run = status ? NULL : study_file_find(&f, r.run != UINT64_MAX ? r.run : 0);
    status = run ? study_best_read(&b, &f, run) : CLI_FAILED;
    if (!status && r.active != UINT64_MAX) {
        status = take_from_front(&r, &b);
    }
    if (!status) {
        study_best_open_data(&b, run, !r.json && !r.output);
        status = r.output ? write_point(&r, &b)
                 : r.json ? study_json_print_best(&f, run, &b)
                          : print_best(&r, run, &b);
    }
    study_best_free(&b);
    study_file_close(&f);
    return status;
}
