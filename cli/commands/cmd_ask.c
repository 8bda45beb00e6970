/* zilch ask: points of a search whose evaluations happen elsewhere. */
#include "commands/commands.h"
#include "request/search_problem.h"
#include "study/run_record.h"
#include "study/study_file.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    const char *study, *output;
    uint64_t n, run;
    int is_more, is_waiting, is_csv, is_sparse;
    int is_search_said; /* an option for a new run */
    search_request search;
} request;

static const char by_hand[] = "by hand"; /* what a study calls the problem */

static const char about[] =
    "Hand out points of a search, as lines of JSON or as CSV, to be evaluated by hand, by a queue, anywhere; "
    "'zilch tell STUDY' takes their values, in any order, days apart. The first time, with --dim, a run "
    "begins; "
    "the search's options are for then. Several may ask and tell at once: no point is handed out twice.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option rows[] = {
        {"count", 'n', "N", CLI_COUNT, &r->n, 1, 1e6, NULL,
         "Number of points; with a --population and --refinement no, at most those that the generation has "
         "left. Without it, all that it has left."},
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run. Without it, the last."},
        {"more", 0, NULL, CLI_FLAG, &r->is_more, 0, 0, NULL,
         "Hand out exactly N points, beyond the --population too, because some never come back."},
        {"waiting", 0, NULL, CLI_FLAG, &r->is_waiting, 0, 0, NULL,
         "Print again the points that are handed out and have no value yet."},
        {"csv", 0, NULL, CLI_FLAG, &r->is_csv, 0, 0, NULL,
         "Print a table with the columns id, x1, x2, ...; 'zilch tell' takes it back with a column value."},
        {"sparse", 0, NULL, CLI_FLAG, &r->is_sparse, 0, 0, NULL,
         "Print the active coordinates only: {\"id\":7,\"active\":{\"1\":1.5}}, counted from 0."},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL, "Write to this file."},
        {0},
    };
    const cli_usage usage = {"ask", "STUDY", about, rows, &r->study, 1, 1};
    const int status = search_request_parse_by_hand(&r->search, &usage, argc, argv, &r->is_search_said);
    if (status) {
        return status;
    }
    if (r->is_csv && r->is_sparse) {
        return cli_wrong_usage(&usage, "--csv and --sparse: give one of them");
    }
    if (r->is_more && r->n == UINT64_MAX) {
        return cli_wrong_usage(&usage, "--more: say how many, with -n N");
    }
    if (cli_is_study_file(r->output, r->study)) {
        return cli_wrong_usage(&usage, "-o: %s is the study itself, or a file of it", r->output);
    }
    return cli_try_output(r->output);
}

/* ---- A new run ------------------------------------------------------------------------------------- */

static int start(const request *r)
{
    search_problem problem = {.info = {.name = by_hand,
                                       .setting = "",
                                       .dim = (size_t)r->search.dim,
                                       .direction = r->search.options.direction,
                                       .lower = -INFINITY,
                                       .upper = INFINITY}};
    zilch_optimizer *optimizer = NULL;
    zilch_study *study = NULL;
    uint64_t run;
    run_record record;
    int failed = search_problem_name(&problem, &r->search);
    failed = failed ? failed : search_optimizer_create(&r->search, &problem, &optimizer);
    if (!failed) {
        run_record_place(&record, by_hand);
        record.request.coordinate_names = problem.names;
        failed = zilch_study_open(&study, r->study, ZILCH_STUDY_CREATE) != ZILCH_OK ||
                         zilch_study_start(study, &record.request, optimizer, &run) != ZILCH_OK
                     ? cli_fail_library()
                     : 0;
    }
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
    search_problem_close(&problem);
    return failed;
}

/* A study that is there has its run, unless a new one is asked for by --dim. */
static int begin(const request *r)
{
    if (r->search.dim != UINT64_MAX) {
        return start(r);
    }
    if (access(r->study, F_OK) != 0) {
        return search_wrong_usage("ask", "%s: is not there; a new run needs --dim N", r->study);
    }
    return r->is_search_said
               ? search_wrong_usage("ask", "the search's options are for a new run, which --dim N begins; "
                                           "this one has its own")
               : 0;
}

/* ---- Points -------------------------------------------------------------------------------------------- */

typedef struct handout {
    const request *request;
    size_t dim, count;
    uint64_t *id;
    double *x;
    const double *defaults; /* what --sparse leaves out; NULL: 0 */
} handout;

/* 7,0,1.5; or {"id":7,"x":[0,1.5]}; or sparsely {"id":7,"active":{"1":1.5}}. */
static void write_point(FILE *stream, const handout *h, uint64_t id, const double *x)
{
    const request *r = h->request;
    const char *before = r->is_csv ? "," : "";
    char number[ZILCH_NUMBER_SIZE];
    fprintf(stream, r->is_csv ? "%llu" : "{\"id\":%llu,", (unsigned long long)id);
    fputs(r->is_csv ? "" : r->is_sparse ? "\"active\":{" : "\"x\":[", stream);
    for (size_t i = 0; i < h->dim; i++) {
        if (r->is_sparse && x[i] == (h->defaults ? h->defaults[i] : 0.0)) {
            continue;
        }
        fputs(before, stream);
        if (r->is_sparse) {
            fprintf(stream, "\"%zu\":", i);
        }
        zilch_number_format(x[i], number);
        fputs(number, stream);
        before = ",";
    }
    fputs(r->is_csv ? "\n" : r->is_sparse ? "}}\n" : "]}\n", stream);
}

static zilch_status write_points(void *context, FILE *stream)
{
    const handout *h = context;
    if (h->request->is_csv) {
        fputs("id", stream);
        for (size_t i = 1; i <= h->dim; i++) {
            fprintf(stream, ",x%zu", i);
        }
        fputc('\n', stream);
    }
    for (size_t i = 0; i < h->count; i++) {
        write_point(stream, h, h->id[i], h->x + i * h->dim);
    }
    return ZILCH_OK;
}

/* What was handed out cannot be lost: it is shown by --waiting. A generation that is small by itself has
 * fewer points than there may be workers who wait for some. */
static int hand_out(const request *r, zilch_study *study, const zilch_run *run,
                    const zilch_optimizer *optimizer, size_t wanted)
{
    const zilch_optimizer_options *o = zilch_optimizer_settings(optimizer);
    const int is_small = o->population == 0 || (o->method == ZILCH_METHOD_DEFAULT && o->refinement);
    handout h = {.request = r, .dim = run->dim, .defaults = o->defaults};
    const int is_more = r->is_more || (is_small && r->n != UINT64_MAX);
    size_t n = wanted;
    if (r->is_waiting && zilch_study_waiting(study, run->run, 0, NULL, NULL, &n) != ZILCH_OK) {
        return cli_fail_library();
    }
    n = r->n == UINT64_MAX || (r->is_waiting && r->n > n) ? n : (size_t)r->n;
    h.id = malloc((n + 1) * sizeof *h.id);
    h.x = malloc((n * run->dim + 1) * sizeof *h.x);
    int status = h.id && h.x ? 0 : cli_fail("out of memory");
    if (!status) {
        const zilch_status given = r->is_waiting
                                       ? zilch_study_waiting(study, run->run, n, h.id, h.x, &h.count)
                                       : zilch_study_ask(study, run->run, n, is_more, h.id, h.x, &h.count);
        h.count = h.count < n ? h.count : n; /* of those that wait, the first */
        const int is_file = r->output && strcmp(r->output, "-") != 0;
        if (given == ZILCH_OK && h.count == 0 && !r->is_waiting) {
            status =
                cli_fail("%s: all points of generation %llu are out; 'zilch tell' their values, see them "
                         "again with --waiting, have more with %s-n N, or close it with 'zilch tell "
                         "--advance'",
                         r->study, (unsigned long long)run->generations + 1, is_small ? "" : "--more ");
        } else if (given != ZILCH_OK || (is_file ? zilch_file_replace(r->output, write_points, &h)
                                                 : write_points(&h, stdout)) != ZILCH_OK) {
            status = cli_fail_library();
        }
    }
    free(h.id);
    free(h.x);
    return status;
}

static int ask(const request *r, const study_file *f)
{
    const study_run *run = study_file_find(f, r->run == UINT64_MAX ? 0 : r->run);
    zilch_optimizer *optimizer;
    if (!run) {
        return CLI_FAILED;
    }
    if (strcmp(run->run.request.problem, by_hand) != 0) {
        return cli_fail("%s: run %llu is of %s, which is evaluated by 'zilch resume'", r->study,
                        (unsigned long long)run->run.run, run->run.request.problem);
    }
    size_t wanted;
    if (zilch_study_resume(f->study, run->run.run, &optimizer) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int status = zilch_optimizer_wanted(optimizer, &wanted) == ZILCH_OK
                           ? hand_out(r, f->study, &run->run, optimizer, wanted)
                           : cli_fail_library();
    zilch_optimizer_destroy(optimizer);
    return status;
}

int cmd_ask(int argc, char **argv)
{
    request r = {.n = UINT64_MAX, .run = UINT64_MAX};
    int status = parse(&r, argc, argv);
    if (!status) {
        status = begin(&r);
    }
    if (status) {
        return status;
    }
    study_file f;
    status = study_file_open(&f, r.study, r.is_waiting ? ZILCH_STUDY_READ : ZILCH_STUDY_WRITE);
    if (!status) {
        status = ask(&r, &f);
    }
    study_file_close(&f);
    return status;
}
