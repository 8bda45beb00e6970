/* zilch ask: points of a search whose evaluations happen elsewhere. */
#include "commands/commands.h"
#include "json/json.h"
#include "request/search_problem.h"
#include "study/run_record.h"
#include "study/study_file.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct request {
    const char *study, *output;
    uint64_t n, run;
    int is_more, is_waiting, is_csv, is_sparse, is_named;
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
         "Print a table with the column id and one for each coordinate, by its name, or else x1, x2, ...; "
         "'zilch tell' takes it back with a column value."},
        {"sparse", 0, NULL, CLI_FLAG, &r->is_sparse, 0, 0, NULL,
         "Print the active coordinates only: {\"id\":7,\"active\":{\"1\":1.5}}, counted from 0."},
        {"named", 0, NULL, CLI_FLAG, &r->is_named, 0, 0, NULL,
         "Print coordinates by the names that the run has: {\"id\":7,\"x\":{\"flour\":1.5,\"salt\":0}}."},
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
    if (r->is_csv && r->is_named) {
        return cli_wrong_usage(&usage, "--named: a table has the names anyway; leave it out, or --csv");
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
    const char *const *names; /* of the coordinates; NULL: they have none */
    uint64_t *id;
    double *x;
} handout;

/* 7,0,1.5; or {"id":7,"x":[0,1.5]}; or sparsely {"id":7,"active":{"1":1.5}}; or by names
 * {"id":7,"x":{"a":0,"b":1.5}}. Gives whether there was memory. */
static int write_point(FILE *stream, const handout *h, size_t index)
{
    const request *r = h->request;
    const double *x = h->x + index * h->dim;
    const int is_object = r->is_sparse || r->is_named;
    const char *before = r->is_csv ? "," : "";
    char number[ZILCH_NUMBER_SIZE];
    int failed = 0;
    fprintf(stream, r->is_csv ? "%llu" : "{\"id\":%llu,", (unsigned long long)h->id[index]);
    fputs(r->is_csv ? "" : r->is_sparse ? "\"active\":" : "\"x\":", stream);
    fputs(r->is_csv ? "" : is_object ? "{" : "[", stream);
    for (size_t i = 0; i < h->dim; i++) {
        if (r->is_sparse && x[i] == 0) {
            continue;
        }
        fputs(before, stream);
        if (r->is_named) {
            failed |= node_dump(stream, node_name(h->names[i]), failed);
            fputc(':', stream);
        } else if (r->is_sparse) {
            fprintf(stream, "\"%zu\":", i);
        }
        zilch_number_format(x[i], number);
        fputs(number, stream);
        before = ",";
    }
    fputs(r->is_csv ? "\n" : is_object ? "}}\n" : "]}\n", stream);
    return !failed;
}

static zilch_status write_points(void *context, FILE *stream)
{
    const handout *h = context;
    if (h->request->is_csv) {
        fputs("id", stream);
        for (size_t i = 0; i < h->dim; i++) {
            fputc(',', stream);
            if (h->names) {
                text_put_field(stream, h->names[i], 0);
            } else {
                fprintf(stream, "x%zu", i + 1);
            }
        }
        fputc('\n', stream);
    }
    int is_whole = 1;
    for (size_t i = 0; i < h->count && is_whole; i++) {
        is_whole = write_point(stream, h, i);
    }
    return is_whole ? ZILCH_OK : ZILCH_ENOMEM;
}

/* What was handed out cannot be lost: it is shown by --waiting. A generation that is small by itself has
 * fewer points than there may be workers who wait for some. */
static int hand_out(const request *r, zilch_study *study, const zilch_run *run, size_t wanted, int is_small)
{
    handout h = {.request = r, .dim = run->dim, .names = run->request.coordinate_names};
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

/* 'zilch tell' looks for its columns by name. */
static int check_names(const request *r, const zilch_run *run)
{
    static const char *const taken[] = {"id", "value", "sigma", "violation"};
    const char *const *names = run->request.coordinate_names;
    const unsigned long long number = run->run;
    if (r->is_named && !names) {
        return cli_fail("%s: the coordinates of run %llu have no names; begin a run with --names, or leave "
                        "--named out",
                        r->study, number);
    }
    for (size_t i = 0; i < run->dim && names && r->is_csv; i++) {
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
            if (strcasecmp(names[i], taken[k]) == 0) {
                return cli_fail("%s: a coordinate of run %llu is called %s, which 'zilch tell' would take "
                                "for its own column; leave --csv out",
                                r->study, number, names[i]);
            }
        }
    }
    return 0;
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
    if (check_names(r, &run->run)) {
        return CLI_FAILED;
    }
    size_t wanted;
    if (zilch_study_resume(f->study, run->run.run, &optimizer) != ZILCH_OK) {
        return cli_fail_library();
    }
    const zilch_status status = zilch_optimizer_wanted(optimizer, &wanted);
    const zilch_optimizer_options *o = zilch_optimizer_settings(optimizer);
    const int is_small = o->population == 0 || (o->method == ZILCH_METHOD_DEFAULT && o->refinement);
    zilch_optimizer_destroy(optimizer);
    return status == ZILCH_OK ? hand_out(r, f->study, &run->run, wanted, is_small) : cli_fail_library();
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
