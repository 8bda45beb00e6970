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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct request {
    const char *study, *output;
    uint64_t n, run;
    int is_more, is_waiting, is_csv, is_sparse, is_named;
    int is_patient;     /* --wait */
    double timeout;     /* seconds; NaN: not said */
    int is_new;         /* --new-run */
    int is_search_said; /* an option for a new run */
    search_request search;
} request;

static const char about[] =
    "Hand out points of a search, as lines of JSON or as CSV, to be evaluated by hand, by a queue, anywhere; "
    "'zilch tell STUDY' takes their values, in any order, days apart. The first time, with --dim, a run "
    "begins; the search's options are for then. Several may ask and tell at once: no point is handed out "
    "twice. With -n N there is always another point, so that no worker waits for the others. If all points "
    "of the generation are out and no others were asked for, the exit status is 3; with --wait, zilch waits "
    "until the generation has closed.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option rows[] = {
        {"count", 'n', "N", CLI_COUNT, &r->n, 1, 1e6, NULL,
         "Number of points; with a --population and --refinement no, at most those that the generation has "
         "left. Without it, all that it has left."},
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL,
         "The run. Without it, the one that is evaluated by hand; needed if there are several."},
        {"more", 0, NULL, CLI_FLAG, &r->is_more, 0, 0, NULL,
         "Hand out exactly N points, beyond the --population too, because some never come back."},
        {"wait", 0, NULL, CLI_FLAG, &r->is_patient, 0, 0, NULL,
         "Hand out points of the generation only. If all of them are out, wait until it has closed."},
        {"timeout", 0, "SECONDS", CLI_REAL, &r->timeout, 0, 1e9, NULL,
         "Time to --wait, after which the exit status is 3; 0: no limit."},
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
        {"new-run", 0, NULL, CLI_FLAG, &r->is_new, 0, 0, NULL,
         "Begin another run in a study that has one; with --dim."},
        {0},
    };
    const cli_usage usage = {"ask", "STUDY", about, rows, &r->study, 1, 1};
    const int status = search_request_parse_by_hand(&r->search, &usage, argc, argv, &r->is_search_said);
    if (status) {
        return status;
    }
    const struct {
        int is_wrong;
        const char *text;
    } checks[] = {
        {r->is_csv && r->is_sparse, "--csv and --sparse: give one of them"},
        {r->is_csv && r->is_named, "--named: a table has the names anyway; leave it out, or --csv"},
        {r->is_more && r->n == UINT64_MAX, "--more: say how many, with -n N"},
        {r->is_patient && r->is_more, "--wait and --more: give one of them; with --more there is no waiting"},
        {r->is_waiting && (r->is_patient || r->is_more),
         "--waiting prints points that are out; leave out --wait and --more"},
        {!isnan(r->timeout) && !r->is_patient, "--timeout: is for --wait"},
        {r->is_new && r->search.dim == UINT64_MAX, "--new-run: needs --dim N"},
        {r->search.dim != UINT64_MAX && r->run != UINT64_MAX,
         "--run: names a run that is there, and --dim begins one; give one of them"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].is_wrong) {
            return cli_wrong_usage(&usage, "%s", checks[i].text);
        }
    }
    if (cli_is_study_file(r->output, r->study)) {
        return cli_wrong_usage(&usage, "-o: %s is the study itself, or a file of it", r->output);
    }
    return cli_try_output(r->output);
}

/* ---- A new run ------------------------------------------------------------------------------------- */

/* The first of the study, unless another is asked for by name: whoever tells values of the one that is there
 * means that. */
static int start(request *r)
{
    search_problem problem = {.info = {.name = study_by_hand,
                                       .setting = "",
                                       .dim = (size_t)r->search.dim,
                                       .direction = r->search.options.direction,
                                       .lower = -INFINITY,
                                       .upper = INFINITY}};
    zilch_optimizer *optimizer = NULL;
    zilch_study *study = NULL;
    run_record record;
    run_record_place(&record, study_by_hand);
    int failed = search_problem_name(&problem, &r->search);
    failed = failed ? failed : search_optimizer_create(&r->search, &problem, &optimizer);
    failed = failed ? failed : search_settings_make(&record.settings, &r->search);
    if (!failed) {
        record.request.settings = record.settings.count;
        record.request.setting = record.settings.setting;
        record.request.coordinate_names = problem.names;
        record.request.is_first = !r->is_new;
        zilch_status status = zilch_study_open(&study, r->study, ZILCH_STUDY_CREATE);
        const int is_open = status == ZILCH_OK;
        status = is_open ? zilch_study_start(study, &record.request, optimizer, &r->run) : status;
        failed = status == ZILCH_OK ? 0
                 : is_open && status == ZILCH_ESTATE && !r->is_new
                     ? search_wrong_usage("ask",
                                          "%s: has a run already; for its points, leave out --dim and the "
                                          "options of a search; --new-run begins another run beside it",
                                          r->study)
                     : cli_fail_library();
    }
    zilch_study_close(study);
    run_record_free(&record);
    zilch_optimizer_destroy(optimizer);
    search_problem_close(&problem);
    return failed;
}

static int begin(request *r)
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
    zilch_optimizer *optimizer; /* as it was before these were asked for; NULL: not looked at */
} handout;

/* 7,0,1.5; or {"id":7,"x":[0,1.5]}; or sparsely {"id":7,"active":{"1":1.5}}; or by names
 * {"id":7,"x":{"a":0,"b":1.5}}. Gives whether there was memory. */
static int write_point(FILE *stream, const handout *h, size_t index)
{
    const request *r = h->request;
    const double *absent = h->optimizer ? zilch_optimizer_settings(h->optimizer)->defaults : NULL;
    const double *x = h->x + index * h->dim;
    const int is_object = r->is_sparse || r->is_named;
    const char *before = r->is_csv ? "," : "";
    char number[ZILCH_NUMBER_SIZE];
    int failed = 0;
    fprintf(stream, r->is_csv ? "%llu" : "{\"id\":%llu,", (unsigned long long)h->id[index]);
    fputs(r->is_csv ? "" : r->is_sparse ? "\"active\":" : "\"x\":", stream);
    fputs(r->is_csv ? "" : is_object ? "{" : "[", stream);
    for (size_t i = 0; i < h->dim; i++) {
        if (r->is_sparse && x[i] == (absent ? absent[i] : 0.0)) {
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

static int print_points(const request *r, handout *h)
{
    const int is_file = r->output && strcmp(r->output, "-") != 0;
    return (is_file ? zilch_file_replace(r->output, write_points, h) : write_points(h, stdout)) == ZILCH_OK
               ? 0
               : cli_fail_library();
}

/* ---- Waiting -------------------------------------------------------------------------------------- */

/* When and how far a study was last written: cheaper to look at than the study. */
typedef struct stamp {
    struct timespec changed[2];
    off_t size[2];
} stamp;

static stamp stamp_take(const char *study)
{
    stamp out = {.size = {-1, -1}};
    char *log = malloc(strlen(study) + sizeof "-wal");
    struct stat found;
    if (log) {
        sprintf(log, "%s-wal", study);
    }
    for (int i = 0; i < 2 && log; i++) {
        if (stat(i ? log : study, &found) == 0) {
            out.changed[i] = found.st_mtim;
            out.size[i] = found.st_size;
        }
    }
    free(log);
    return out;
}

static int stamp_is_same(const stamp *a, const stamp *b)
{
    int is_same = 1;
    for (int i = 0; i < 2; i++) {
        is_same &= a->size[i] == b->size[i] && a->changed[i].tv_sec == b->changed[i].tv_sec &&
                   a->changed[i].tv_nsec == b->changed[i].tv_nsec;
    }
    return is_same;
}

/* Until the study has changed since `before`, or for the longest time between two looks at it: the clock of a
 * file system is coarse. Gives 0 if it is worth asking again; CLI_LATER when the time is over. */
static int wait_for_change(const request *r, const stamp *before, double end)
{
    static const double longest = 2.0, shortest = 0.01, most = 0.25; /* seconds */
    const double begin = cli_seconds();
    double pause = shortest;
    while (!cli_is_stopped()) {
        const double now = cli_seconds();
        const stamp then = stamp_take(r->study);
        if (!stamp_is_same(before, &then) || now - begin > longest) {
            return now >= end ? CLI_LATER : 0;
        }
        if (now >= end) {
            return CLI_LATER;
        }
        const double seconds = fmin(pause, end - now);
        nanosleep(&(struct timespec){0, (long)(1e9 * seconds)}, NULL);
        pause = fmin(2 * pause, most);
    }
    return CLI_FAILED;
}

/* ---- Asking --------------------------------------------------------------------------------------- */

static int say_none(const request *r, const zilch_run *run, int is_small)
{
    if (r->is_patient) {
        char seconds[ZILCH_NUMBER_SIZE];
        zilch_number_format(r->timeout, seconds);
        cli_fail("%s: no point for %s seconds: all of the generation are out; 'zilch tell' their values, see "
                 "them again with --waiting, or have others without --wait, with %s-n N",
                 r->study, seconds, is_small ? "" : "--more ");
        return CLI_LATER;
    }
    cli_fail("%s: all points of generation %llu are out; 'zilch tell' their values, see them again with "
             "--waiting, wait for the next with --wait, have more with %s-n N, or close it with 'zilch tell "
             "--advance'",
             r->study, (unsigned long long)run->generations + 1, is_small ? "" : "--more ");
    return CLI_LATER;
}

/* How many the generation has left; and whether generations are small by themselves, so that they have fewer
 * points than there may be workers who wait for some. */
static zilch_status look(const study_file *f, const zilch_run *run, handout *h, size_t *left, int *is_small)
{
    zilch_optimizer_destroy(h->optimizer);
    h->optimizer = NULL;
    const zilch_status status = zilch_study_resume(f->study, run->run, &h->optimizer);
    if (status != ZILCH_OK) {
        return status;
    }
    const zilch_optimizer_options *o = zilch_optimizer_settings(h->optimizer);
    *is_small = o->population == 0 || (o->method == ZILCH_METHOD_DEFAULT && o->refinement);
    return zilch_optimizer_wanted(h->optimizer, left);
}

static int make_room(handout *h, size_t n)
{
    free(h->id);
    free(h->x);
    h->id = malloc((n + 1) * sizeof *h->id);
    h->x = malloc((n * h->dim + 1) * sizeof *h->x);
    return h->id && h->x ? 0 : cli_fail("out of memory");
}

/* Points that are out; of those, the first. */
static int hand_out_again(const request *r, const study_file *f, const zilch_run *run, handout *h)
{
    size_t n;
    if ((r->is_sparse && zilch_study_resume(f->study, run->run, &h->optimizer) != ZILCH_OK) ||
        zilch_study_waiting(f->study, run->run, 0, NULL, NULL, &n) != ZILCH_OK) {
        return cli_fail_library();
    }
    n = r->n < n ? (size_t)r->n : n;
    if (make_room(h, n)) {
        return CLI_FAILED;
    }
    if (zilch_study_waiting(f->study, run->run, n, h->id, h->x, &h->count) != ZILCH_OK) {
        return cli_fail_library();
    }
    h->count = h->count < n ? h->count : n;
    return print_points(r, h);
}

/* What was handed out cannot be lost: it is shown by --waiting. */
static int hand_out(const request *r, const study_file *f, const zilch_run *run, handout *h)
{
    const double end = r->is_patient && r->timeout > 0 ? cli_seconds() + r->timeout : INFINITY;
    for (;;) {
        const stamp before = stamp_take(r->study);
        size_t left;
        int is_small;
        if (look(f, run, h, &left, &is_small) != ZILCH_OK) {
            return cli_fail_library();
        }
        const size_t n = r->n == UINT64_MAX ? left : (size_t)r->n;
        const int is_more = r->is_more || (is_small && r->n != UINT64_MAX && !r->is_patient);
        if (make_room(h, n)) {
            return CLI_FAILED;
        }
        if (zilch_study_ask(f->study, run->run, n, is_more, h->id, h->x, &h->count) != ZILCH_OK) {
            return cli_fail_library();
        }
        if (h->count > 0) {
            return print_points(r, h);
        }
        const int status = r->is_patient ? wait_for_change(r, &before, end) : CLI_LATER;
        if (status) {
            return status == CLI_LATER ? say_none(r, run, is_small) : status;
        }
    }
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
    const study_run *run = study_file_find_by_hand(f, r->run == UINT64_MAX ? 0 : r->run);
    if (!run) {
        return CLI_FAILED;
    }
    if (strcmp(run->run.request.problem, study_by_hand) != 0) {
        return cli_fail("%s: run %llu is of %s, which is evaluated by 'zilch resume'", r->study,
                        (unsigned long long)run->run.run, run->run.request.problem);
    }
    if (check_names(r, &run->run)) {
        return CLI_FAILED;
    }
    handout h = {.request = r, .dim = run->run.dim, .names = run->run.request.coordinate_names};
    const int status = r->is_waiting ? hand_out_again(r, f, &run->run, &h) : hand_out(r, f, &run->run, &h);
    zilch_optimizer_destroy(h.optimizer);
    free(h.id);
    free(h.x);
    return status;
}

int cmd_ask(int argc, char **argv)
{
    request r = {.n = UINT64_MAX, .run = UINT64_MAX, .timeout = NAN};
    int status = parse(&r, argc, argv);
    if (!status) {
        status = begin(&r);
    }
    if (status) {
        return status;
    }
    study_file f;
    if (r.is_patient) {
        cli_watch_signals();
    }
    status = study_file_open(&f, r.study, r.is_waiting ? ZILCH_STUDY_READ : ZILCH_STUDY_WRITE);
    if (!status) {
        status = ask(&r, &f);
    }
    study_file_close(&f);
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
