/* zilch compare: several methods on one problem, with the same seeds and the same budget, side by side. */
#include "commands/commands.h"
#include "compare/compare.h"
#include "compare/compare_shared.h"
#include "compare/compare_study.h"
#include "options/option_parser.h"
#include "options/option_shared.h"
#include "request/search_problem.h"
#include "run/beside.h"
#include "run/device.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BASE_WORDS_MOST = COMPARE_SHARED + 6,
    USUAL_EVALUATIONS = 50000,
    USUAL_GENERATIONS = 100,
    USUAL_HELD_OUT = 1000
};

typedef struct request {
    compare_shared shared; /* for the searches */
    const char *methods, *targets, *at, *study, *output;
    uint64_t seed, seeds, generations, evaluations, held_out, threads, jobs; /* UINT64_MAX: not said */
    int json, csv, latex, live, device;
} request;

static const char *said(const request *r, int which)
{
    return r->shared.text[which];
}

static const char about[] =
    "Run several methods on one problem, each with the same seeds and the same budget, and print a row for "
    "each: the fitness of what it recommends at the end (median, quartiles, worst), active coordinates, "
    "support recovered, time, evaluations until values as good as the targets, and the p-value of a rank-sum "
    "test against the first method. A method is default, published, gaussian, adhoc or ea; options of 'zilch "
    "optimize' may follow without their dashes, joined by '+', such as default+penalty=1+margin=0; and a "
    "name may stand before it, as in small:default+population=100. A backslash before a comma or a plus "
    "makes it a part of a value. With --program it is your own problem, as for 'zilch optimize'. Without "
    "--problem, --program and --methods it is the publication's study: four methods on the lander, of which "
    "gaussian has no penalty.";

/* The other methods as the publication has them. */
#define AS_PUBLISHED(method) method ":" method "+reevaluate=all+initial-spread=0+final-pruning=no"
static const char published_methods[] =
    AS_PUBLISHED("gaussian") "+penalty=0," AS_PUBLISHED("ea") "," AS_PUBLISHED("adhoc") ",published";

/* ---- Options --------------------------------------------------------------------- */

static const char *problem_of(const request *r)
{
    return said(r, COMPARE_PROBLEM) ? said(r, COMPARE_PROBLEM) : "lander";
}

static int check(const request *r)
{
    const char *program = said(r, COMPARE_PROGRAM);
    const char *problem = problem_of(r);
    const char *data = said(r, COMPARE_DATA);
    const struct {
        int is_wrong;
        const char *text;
    } checks[] = {
        {program && said(r, COMPARE_PROBLEM), "--problem and --program: give one of them"},
        {!program && !*problem, "--problem: the name is empty"},
        {r->methods ? !*r->methods : program || !search_problem_is_lander(problem),
         "--methods LIST is missing, such as default,published,ea"},
        {program && r->generations == UINT64_MAX && r->evaluations == UINT64_MAX,
         "--evaluations N is missing: how many a run may ask the program for"},
        {program && r->held_out != UINT64_MAX,
         "--held-out: is for problems whose noise zilch makes; the point that a run recommends is evaluated "
         "several times at its end, within --evaluations"},
        {!program && r->jobs != UINT64_MAX, "--jobs: is for a --program; --threads says how many runs"},
        {r->generations == 0 && (r->evaluations == 0 || r->evaluations == UINT64_MAX),
         "--generations 0: without --evaluations the runs would have no end"},
        {r->evaluations == 0 && r->generations == UINT64_MAX,
         "--evaluations 0: without --generations the runs would have no end"},
        {r->seeds - 1 > UINT64_MAX - r->seed,
         "--seed: so many --seeds would go beyond the largest of 64 bits"},
        {r->json + r->csv + r->latex > 1, "--json, --csv and --latex: give one of them"},
        {r->output && !*r->output, "-o: the file's name is empty"},
        {r->study && !*r->study, "--study: the file's name is empty"},
        {r->live && !r->study && r->methods && !program,
         "--live: give a --study FILE, which the page is made from"},
        {r->study && ((r->output && strcmp(r->output, r->study) == 0) ||
                      cli_is_same_file(r->output, r->study) || cli_is_same_file(r->study, data)),
         "--study: is another of the files"},
        {cli_is_same_file(r->output, data), "-o: is the data itself"},
        {r->device != DEVICE_CPU && (program || !search_problem_is_lander(problem)),
         "--device: is for the problem lander"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].is_wrong) {
            return search_wrong_usage("compare", "%s", checks[i].text);
        }
    }
    return 0;
}

static int parse(request *r, int argc, char **argv)
{
    const cli_option own[] = {
        {"methods", 'm', "LIST", CLI_TEXT, &r->methods, 0, 0, cli_methods,
         "The methods, separated by commas. The others are tested against the first. Without them, on the "
         "lander, the publication's."},
        {"seeds", 0, "N", CLI_COUNT, &r->seeds, 1, 1e5, NULL, "Number of runs of each method."},
        {"runs", 0, "N", CLI_COUNT, &r->seeds, 1, 1e5, NULL, "The same as --seeds."},
        {"seed", 's', "S", CLI_COUNT, &r->seed, 0, 0x1p64, NULL, "The first seed; the others follow."},
        {"generations", 'g', "N", CLI_COUNT, &r->generations, 0, 0x1p64, NULL,
         "Stop a run after this many generations. Without it there is no limit; the publication's study has "
         "100."},
        {"evaluations", 0, "N", CLI_COUNT, &r->evaluations, 0, 0x1p64, NULL,
         "Stop a run after this many evaluations. Without it, 50000, or no limit if --generations is given, "
         "which differ in size between methods. A --program needs one of both."},
        {"targets", 0, "LIST", CLI_TEXT, &r->targets, 0, 0, NULL,
         "Values whose arrival is counted, or none. Without them, 200,250,300 for the lander, 1e-2,1e-4,1e-8 "
         "for other problems of zilch without noise."},
        {"at", 0, "LIST", CLI_TEXT, &r->at, 0, 0, NULL,
         "Evaluations after which the recommendation of then is measured too, such as 1000,10000; "
         "generations if --generations is given. What that takes comes on top of the budget."},
        {"held-out", 0, "N", CLI_COUNT, &r->held_out, 1, 1e6, NULL,
         "With noise: number of landings, or evaluations, in which a recommended point is measured. Without "
         "it, 1000."},
        {"study", 0, "FILE", CLI_TEXT, &r->study, 0, 0, NULL,
         "Keep every run in this study. Runs that are there already are not done again, so that the same "
         "command goes on after an interruption. Without it, with --program or without --methods, "
         "compare.study."},
        {"threads", 't', "N", CLI_COUNT, &r->threads, 0, 1024, NULL,
         "Runs at the same time; 0: one for each processor, or with --program one for each of the --jobs. "
         "The result does not depend on them."},
        {"jobs", 'j', "N", CLI_COUNT, &r->jobs, 0, 4096, NULL,
         "Programs that run at the same time, of all runs together; 0: one for each processor. Without it, "
         "one."},
        OPTION_DEVICE(&r->device),
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print every run as JSON."},
        {"csv", 0, NULL, CLI_FLAG, &r->csv, 0, 0, NULL,
         "Print a row for each run as CSV. An apostrophe stands before a name that begins with = + - or @, "
         "which a spreadsheet would compute."},
        {"latex", 0, NULL, CLI_FLAG, &r->latex, 0, 0, NULL,
         "Print tables of means and standard deviations in LaTeX."},
        {"live", 0, NULL, CLI_FLAG, &r->live, 0, 0, NULL,
         "Show the runs in a browser while they last. It needs a --study."},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL, "Write to this file."},
        OPTION_PROGRESS,
        OPTION_QUIET,
    };
    enum { OWN = sizeof own / sizeof *own };
    static const char *const for_experts[] = {"runs", "targets", "at",       "held-out",
                                              "csv",  "latex",   "progress", "device"};
    cli_option options[COMPARE_SHARED + OWN + 1] = {{0}};
    const char *heading[COMPARE_SHARED + OWN + 1] = {
        [0] = "What is optimised:", [COMPARE_SHARED] = "The comparison:"};
    unsigned char is_expert[COMPARE_SHARED + OWN + 1] = {0};
    unsigned char given[CLI_OPTIONS_MOST];
    compare_shared_rows(&r->shared, options, is_expert);
    memcpy(options + COMPARE_SHARED, own, sizeof own);
    for (size_t k = 0; k < OWN; k++) {
        for (size_t i = 0; i < sizeof for_experts / sizeof *for_experts; i++) {
            is_expert[COMPARE_SHARED + k] |= strcmp(own[k].name, for_experts[i]) == 0;
        }
    }
    const cli_usage usage = {"compare", "", about, options, NULL, 0, 0};
    const int status = cli_parse_given(&usage, &(cli_layout){heading, is_expert}, argc, argv, given);
    if (!status && !r->study && (!r->methods || said(r, COMPARE_PROGRAM))) {
        r->study = "compare.study"; /* it takes an hour */
    }
    return status ? status : check(r);
}

/* ---- Lists of numbers ------------------------------------------------------------ */

/* "1e-2,1e-4" as at most so many numbers. 0, or the exit status after printing why. */
static int parse_numbers(const char *option, const char *list, size_t most, double *out, size_t *count)
{
    *count = 0;
    for (const char *at = list;; at++) {
        if (*count == most) {
            return search_wrong_usage("compare", "%s: %zu numbers are the most", option, most);
        }
        const char *end = zilch_number_scan(at, &out[*count]);
        if (!end || (*end && *end != ',') || !isfinite(out[*count])) {
            return search_wrong_usage("compare", "%s: '%s' is not a list of numbers separated by commas",
                                      option, list);
        }
        ++*count;
        at = end;
        if (!*at) {
            return 0;
        }
    }
}

static int parse_targets(const request *r, compare_setting *s)
{
    if (!r->targets) {
        compare_usual_targets(s);
        return 0;
    }
    return strcmp(r->targets, "none") == 0
               ? 0
               : parse_numbers("--targets", r->targets, COMPARE_TARGETS_MOST, s->target, &s->targets);
}

static int parse_checkpoints(const request *r, compare_setting *s)
{
    double number[COMPARE_CHECKPOINTS_MOST];
    const int status =
        r->at ? parse_numbers("--at", r->at, COMPARE_CHECKPOINTS_MOST, number, &s->checkpoints) : 0;
    for (size_t c = 0; c < s->checkpoints && !status; c++) {
        if (!(number[c] >= 1 && number[c] <= 1e15 && number[c] == floor(number[c])) ||
            (c > 0 && number[c] <= number[c - 1])) {
            return search_wrong_usage("compare", "--at: '%s' must be whole numbers from 1 on, ascending",
                                      r->at);
        }
        const uint64_t most = s->generations ? s->generations : s->evaluations;
        if (number[c] > (double)most) {
            return search_wrong_usage("compare", "--at: %.0f is beyond the %llu %s of a run", number[c],
                                      (unsigned long long)most,
                                      s->generations ? "generations" : "evaluations");
        }
        s->checkpoint[c] = (uint64_t)number[c];
    }
    return status;
}

/* ---- The base -------------------------------------------------------------------- */

/* What all searches are asked for in, their problem and their budget. */
typedef struct base {
    char *words[BASE_WORDS_MOST];
    size_t count;
    search_request request;
    search_problem problem;     /* of the first seed, for what it says of itself */
    zilch_optimizer *optimizer; /* that has the penalties in every fitness; NULL: there are none */
} base;

static int add_count(base *b, const char *name, uint64_t value)
{
    char word[64];
    snprintf(word, sizeof word, "--%s=%llu", name, (unsigned long long)value);
    b->words[b->count] = strdup(word);
    return b->words[b->count++] ? 0 : cli_fail("out of memory");
}

/* The problem is said in any case. */
static int make_words(base *b, const request *r, const compare_setting *s)
{
    compare_shared shared = r->shared;
    if (!shared.text[COMPARE_PROGRAM]) {
        shared.text[COMPARE_PROBLEM] = problem_of(r);
    }
    b->words[b->count++] = strdup("optimize");
    return !b->words[0] || compare_shared_words(&shared, b->words, &b->count) ||
           add_count(b, "seed", s->seed) || add_count(b, "generations", s->generations) ||
           add_count(b, "evaluations", s->evaluations) || add_count(b, "threads", 1) ||
           (r->jobs != UINT64_MAX && add_count(b, "jobs", r->jobs));
}

static int base_open(base *b, const request *r, compare_setting *s)
{
    int status =
        make_words(b, r, s) ? CLI_FAILED : search_request_parse(&b->request, (int)b->count, b->words);
    b->request.command = "compare"; /* in messages */
    if (!status) {
        status = search_problem_open(&b->problem, &b->request);
    }
    if (status) {
        return status;
    }
    s->problem = b->problem.text;
    s->info = b->problem.info;
    s->info.is_noisy &= !b->request.program; /* whose noise cannot be held out */
    s->penalty = b->request.said & SEARCH_PENALTY ? b->request.options.penalty : s->info.penalty;
    if (said(r, COMPARE_PENALTY_FILE)) {
        status = search_optimizer_create(&b->request, &b->problem, &b->optimizer);
        s->penalties = status ? NULL : zilch_optimizer_settings(b->optimizer)->penalties;
        s->defaults = status ? NULL : zilch_optimizer_settings(b->optimizer)->defaults;
    }
    return status;
}

/* ---- Methods --------------------------------------------------------------------- */

/* What the library refuses, it refuses now and not after an hour. */
static int try_methods(const request *r, const compare_setting *s)
{
    int status = 0;
    for (size_t k = 0; k < s->methods && !status; k++) {
        const search_request *method = &s->method[k].request;
        zilch_optimizer *optimizer = NULL;
        search_problem problem;
        compare_name_method(s->method[k].name);
        status = search_problem_open(&problem, method);
        if (!status) {
            status = search_optimizer_create(method, &problem, &optimizer);
        }
        zilch_optimizer_destroy(optimizer);
        search_problem_close(&problem);
        if (!status && (cli_is_same_file(r->output, method->warm_start) ||
                        cli_is_same_file(r->output, method->weights) ||
                        cli_is_same_file(r->output, method->bounds_file) ||
                        cli_is_same_file(r->output, method->values_file) ||
                        cli_is_same_file(r->output, method->penalty_file))) {
            status = search_wrong_usage("compare", "-o: names a file that the method reads");
        }
        compare_name_method(NULL);
    }
    return status;
}

/* ---- Results --------------------------------------------------------------------- */

typedef struct report {
    const request *request;
    const compare_setting *setting;
    const compare_run *run;
    int failed; /* and said so */
} report;

static zilch_status write_report(void *context, FILE *stream)
{
    report *p = context;
    p->failed = (p->request->json    ? compare_write_json
                 : p->request->csv   ? compare_write_csv
                 : p->request->latex ? compare_write_latex
                                     : compare_write_table)(p->setting, p->run, stream);
    return p->failed ? ZILCH_ENOMEM : ZILCH_OK;
}

static int print_report(report *p)
{
    const char *path = p->request->output;
    if (!path || strcmp(path, "-") == 0) {
        write_report(p, stdout);
        return p->failed ? p->failed : cli_finish(CLI_OK); /* before anything is said on stderr */
    }
    if (zilch_file_replace(path, write_report, p) == ZILCH_OK || p->failed) {
        return p->failed;
    }
    cli_fail("%s; the result goes to standard output instead", cli_error_text());
    write_report(p, stdout);
    return CLI_FAILED;
}

/* What kept runs from their ends. */
static int say_unfinished(const compare_setting *s, const compare_run *run, size_t finished)
{
    const size_t count = s->methods * (size_t)s->seeds;
    for (size_t i = 0; i < count; i++) {
        const unsigned long long seed = s->seed + i % s->seeds;
        if (run[i].has_failed) {
            cli_fail("method '%s', seed %llu: %s", s->method[i / s->seeds].name, seed,
                     *run[i].why ? run[i].why : "failed, for the reason above");
        }
    }
    return cli_fail("stopped with %zu of %zu runs finished%s%s", finished, count,
                    finished ? "; the result is of those" : "",
                    s->study ? "; all is kept, and the same command goes on from there" : "");
}

static int run_all(const request *r, const compare_setting *s)
{
    const size_t count = s->methods * (size_t)s->seeds;
    compare_run *run = count > 0 ? calloc(count, sizeof *run) : NULL;
    if (!run) {
        return cli_fail("out of memory");
    }
    report p = {.request = r, .setting = s, .run = run};
    const zilch_status ended = compare_run_all(s, run);
    size_t finished = 0;
    for (size_t i = 0; i < count; i++) {
        finished += run[i].is_finished != 0;
    }
    int status = finished ? print_report(&p) : 0;
    if (!status && ended != ZILCH_OK) {
        status = say_unfinished(s, run, finished);
    }
    for (size_t i = 0; i < count; i++) {
        free(run[i].moment);
    }
    free(run);
    return status;
}

/* Without a card it is said now, and not by each run. */
static int try_device(const compare_setting *s)
{
    device *tried;
    const int status = device_open(&tried, "compare", s->device);
    device_close(tried);
    return status;
}

/* Populations differ between methods, and so evaluations are what can be compared, unless the publication
 * says otherwise. */
static void set_budget(const request *r, compare_setting *s)
{
    const int is_said = r->generations != UINT64_MAX || r->evaluations != UINT64_MAX;
    s->generations = r->generations != UINT64_MAX ? r->generations : 0;
    s->evaluations = r->evaluations != UINT64_MAX ? r->evaluations : 0;
    if (!is_said && r->methods) {
        s->evaluations = USUAL_EVALUATIONS;
    } else if (!is_said) {
        s->generations = USUAL_GENERATIONS;
    }
}

int cmd_compare(int argc, char **argv)
{
    request r = {.seed = 1,
                 .seeds = 10,
                 .generations = UINT64_MAX,
                 .evaluations = UINT64_MAX,
                 .held_out = UINT64_MAX,
                 .jobs = UINT64_MAX};
    int status = parse(&r, argc, argv);
    if (status) {
        return status;
    }
    base b = {.count = 0};
    compare_method *method = NULL;
    compare_setting s = {.seed = r.seed,
                         .seeds = r.seeds,
                         .held_out = r.held_out == UINT64_MAX ? USUAL_HELD_OUT : r.held_out,
                         .threads = r.threads,
                         .device = r.device};
    set_budget(&r, &s);
    status = try_device(&s);
    status = status ? status : base_open(&b, &r, &s);
    status = status ? status : parse_targets(&r, &s);
    status = status ? status : parse_checkpoints(&r, &s);
    if (!status) {
        const compare_base shared = {b.words, b.count};
        status =
            compare_methods_parse(r.methods ? r.methods : published_methods, &shared, &method, &s.methods);
        s.method = method;
    }
    status = status ? status : try_methods(&r, &s);
    status = status ? status : cli_try_output(r.output);
    if (!status && r.study) {
        status = compare_study_open(&s.study, r.study, &s);
    }
    if (!status) {
        cli_watch_signals();
        const pid_t server = r.live ? beside_begin(r.study) : 0;
        status = run_all(&r, &s);
        beside_end(server);
    }
    compare_study_close(s.study);
    compare_methods_free(method, s.methods);
    zilch_optimizer_destroy(b.optimizer);
    search_problem_close(&b.problem);
    for (size_t i = 0; i < b.count; i++) {
        free(b.words[i]);
    }
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
