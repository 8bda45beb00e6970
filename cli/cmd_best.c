/* zilch best: the best point of a run. */
#include "cli.h"
#include "commands.h"
#include "json.h"
#include "options.h"
#include "search_problem.h"
#include "search_report.h"
#include "study_file.h"
#include "table.h"

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
         "Write the point alone, recommended or else the best seen: a lander's as formulas, others as a CSV "
         "or .npy of one row"},
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
    if (!status && cli_is_same_file(r->output, r->study)) {
        return cli_wrong_usage(&usage, "-o: %s is the study itself", r->output);
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
    return search_point_print(NULL, 1, b->dim, chosen(b), SIZE_MAX, stream) ? ZILCH_ENOMEM : ZILCH_OK;
}

static zilch_status fill_row(void *context, size_t count, double *x)
{
    const study_best *b = context;
    memcpy(x, chosen(b), count * b->dim * sizeof *x);
    return ZILCH_OK;
}

/* x1, x2, ... in one block; NULL without memory. */
static char **names_create(size_t dim)
{
    enum { NAME_SIZE = 24 };
    char **names = malloc(dim * (sizeof *names + NAME_SIZE));
    for (size_t i = 0; i < dim && names; i++) {
        names[i] = (char *)(names + dim) + i * NAME_SIZE;
        snprintf(names[i], NAME_SIZE, "x%zu", i + 1);
    }
    return names;
}

static int write_row(const request *r, study_best *b)
{
    table_error error;
    char **names = names_create(b->dim);
    if (!names) {
        return cli_fail("out of memory");
    }
    const table_rows rows = {1, b->dim, names, fill_row, b};
    const int failed = table_write(r->output, &rows, &error);
    free(names);
    return failed ? cli_fail("%s", error.text) : 0;
}

static int write_point(const request *r, study_best *b)
{
    if (b->seen.evaluations == 0) {
        return cli_fail("%s: the run has no point yet", r->study);
    }
    if (!b->is_lander) {
        return write_row(r, b);
    }
    if (strcmp(r->output, "-") == 0) {
        return search_point_print(NULL, 1, b->dim, chosen(b), SIZE_MAX, stdout);
    }
    return zilch_file_replace(r->output, write_formulas, b) == ZILCH_OK ? 0 : cli_fail_library();
}

/* ---- In words -------------------------------------------------------------------------------------- */

/* A regression's coefficients need its data; without them the coordinates must do. 0 or 1, silently or not.
 */
static int open_regression(search_problem *p, const study_run *run, const json_arguments *arguments)
{
    search_request asked;
    if (search_request_parse(&asked, (int)arguments->count, arguments->words) ||
        search_problem_open(p, &asked)) {
        return 1;
    }
    if (p->info.dim != run->run.dim || strcmp(p->checksum, arguments->checksum) != 0) {
        return cli_fail("%s: is not as it was when the run began; the coordinates are printed as they are",
                        asked.data);
    }
    return 0;
}

static int print_points(const study_best *b, const search_problem *problem)
{
    int status = 0;
    search_report_seen(&b->seen);
    if (b->seen.evaluations > 0) {
        status = search_point_print(problem, b->is_lander, b->dim, b->seen_x, SIZE_MAX, stdout);
    }
    if (!status && b->conclusion.is_recommending) {
        putchar('\n');
        search_report_recommended(&b->conclusion);
        status = search_point_print(problem, b->is_lander, b->dim, b->recommended_x, SIZE_MAX, stdout);
    }
    return status;
}

static int print_best(const study_run *run, const study_best *b)
{
    search_problem problem = {0};
    json_arguments arguments = {0};
    const int has_data = json_arguments_parse(run->run.texts.arguments, &arguments) == 0 &&
                         *arguments.checksum && !open_regression(&problem, run, &arguments);
    printf("run %llu: %s\n", (unsigned long long)run->run.run, run->run.texts.problem);
    const int status = print_points(b, has_data ? &problem : NULL);
    search_problem_close(&problem);
    json_arguments_free(&arguments);
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
        status = r.output ? write_point(&r, &b) : r.json ? json_print_best(&f, run, &b) : print_best(run, &b);
    }
    study_best_free(&b);
    study_file_close(&f);
    return status;
}
