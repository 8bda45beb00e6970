/* zilch resume: a run goes on from its last generation. */
#include "cli.h"
#include "commands.h"
#include "number.h"
#include "options.h"
#include "ranks.h"
#include "search.h"
#include "search_texts.h"
#include "study_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MORE_SIZE = 512 };

typedef struct request {
    const char *study;
    uint64_t run;
    search_limits limits;
    search_ending ending;
    const char *program;
    int is_trusting;
} request;

enum { KEY_PROGRAM = 1024, KEY_TRUST };

static const char about[] =
    "Go on with a run that was interrupted, from the last generation that is in STUDY, as if it had never "
    "been. With new limits, or to recommend anew, a run that has ended goes on too. Data files must be as "
    "they were. A study may come from somebody else: a program that it names is started only if you repeat "
    "it with --program, or say --trust.";

static int parse(request *r, int argc, char **argv)
{
    enum { OWN = 3 };
    cli_option options[OWN + SEARCH_LIMIT_OPTIONS + SEARCH_ENDING_OPTIONS + 1] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL,
         "The run; without it the last that has not ended"},
        {"program", KEY_PROGRAM, "COMMAND", CLI_TEXT, &r->program, 0, 0, NULL,
         "The program that evaluates the run, in the words that the run began with"},
        {"trust", KEY_TRUST, NULL, CLI_FLAG, &r->is_trusting, 0, 0, NULL,
         "Start the program that the study names, whatever it is"},
    };
    const size_t limits = search_limits_list(&r->limits, options + OWN);
    search_ending_list(&r->ending, options + OWN + limits);
    const cli_usage usage = {"resume", "STUDY", about, options, &r->study, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    return status ? status : search_ending_check("resume", &r->ending);
}

/* ---- What is new ------------------------------------------------------------------------------- */

static int is_anything_new(const request *r)
{
    const search_limits *l = &r->limits;
    const search_ending *e = &r->ending;
    return l->generations != UINT64_MAX || l->evaluations != UINT64_MAX || l->stagnation != UINT64_MAX ||
           !isnan(l->target) || !isnan(l->seconds) || e->shortlist != UINT64_MAX ||
           e->recheck != UINT64_MAX || e->held_out != UINT64_MAX || e->prune >= 0;
}

static void take_count(uint64_t *limit, uint64_t given)
{
    *limit = given != UINT64_MAX ? given : *limit;
}

static void take_real(double *limit, double given)
{
    *limit = !isnan(given) ? given : *limit;
}

static void take_limits(search_limits *limits, const search_limits *given)
{
    take_count(&limits->generations, given->generations);
    take_count(&limits->evaluations, given->evaluations);
    take_count(&limits->stagnation, given->stagnation);
    take_count(&limits->threads, given->threads);
    take_real(&limits->target, given->target);
    take_real(&limits->seconds, given->seconds);
}

static void take_ending(search_ending *ending, const search_ending *given)
{
    take_count(&ending->shortlist, given->shortlist);
    take_count(&ending->recheck, given->recheck);
    take_count(&ending->held_out, given->held_out);
    ending->prune = given->prune >= 0 ? given->prune : ending->prune;
}

static void say_count(char more[MORE_SIZE], const char *name, uint64_t given)
{
    const size_t used = strlen(more);
    if (given != UINT64_MAX) {
        snprintf(more + used, MORE_SIZE - used, " --%s %llu", name, (unsigned long long)given);
    }
}

static void say_real(char more[MORE_SIZE], const char *name, double given)
{
    const size_t used = strlen(more);
    char number[NUMBER_SIZE];
    if (!isnan(given)) {
        number_format(given, number);
        snprintf(more + used, MORE_SIZE - used, " --%s %s", name, number);
    }
}

/* What was said here is not in the study: the next resumption must hear it again. */
static void say_again(char more[MORE_SIZE], const search_limits *given, const search_ending *ending)
{
    *more = '\0';
    say_count(more, "generations", given->generations);
    say_count(more, "evaluations", given->evaluations);
    say_count(more, "stagnation", given->stagnation);
    say_count(more, "threads", given->threads);
    say_real(more, "target", given->target);
    say_real(more, "time", given->seconds);
    say_count(more, "shortlist", ending->shortlist);
    say_count(more, "recheck", ending->recheck);
    say_count(more, "held-out", ending->held_out);
    if (ending->prune >= 0) {
        strncat(more, ending->prune ? " --prune yes" : " --prune no", MORE_SIZE - strlen(more) - 1);
    }
}

/* ---- Which run ------------------------------------------------------------------------------------ */

/* The one that was asked for, or the last that has not ended, or, with new limits, the last. */
static const study_run *choose(const request *r, const study_file *f)
{
    if (r->run != UINT64_MAX) {
        return study_file_find(f, r->run);
    }
    for (size_t i = f->count; i > 0; i--) {
        if (f->runs[i - 1].run.stop == ZILCH_STOP_NONE) {
            return &f->runs[i - 1];
        }
    }
    return &f->runs[f->count - 1];
}

/* What would let it go on: more of what ended it. A search that has ended by itself would end again. */
static void suggest(const zilch_run *run, char *out, size_t size)
{
    static const char more[] = "it goes on with new limits, such as";
    switch (run->stop) {
    case ZILCH_STOP_EVALUATIONS:
        snprintf(out, size, "%s --evaluations %llu", more, 2 * (unsigned long long)run->evaluations);
        return;
    case ZILCH_STOP_TARGET:
        snprintf(out, size, "%s a better --target", more);
        return;
    case ZILCH_STOP_STAGNATION:
        snprintf(out, size, "%s a larger --stagnation", more);
        return;
    case ZILCH_STOP_CONVERGED:
        snprintf(out, size, "to look elsewhere, begin another run with another --seed or with --restart");
        return;
    case ZILCH_STOP_DIVERGED:
        snprintf(out, size, "to keep the search in, begin another run with --bounds");
        return;
    default:
        snprintf(out, size, "%s --generations %llu", more, 2 * (unsigned long long)run->generations);
    }
}

/* Time is counted anew each time: where it was over, there is more of it now. */
static int check_run(const request *r, const study_run *run)
{
    char remedy[128];
    const zilch_stop stop = run->run.stop;
    if (stop == ZILCH_STOP_NONE || stop == ZILCH_STOP_OBSERVER || is_anything_new(r)) {
        return 0;
    }
    suggest(&run->run, remedy, sizeof remedy);
    return cli_fail("%s: run %llu has ended, after %llu generations, by: %s; %s", r->study,
                    (unsigned long long)run->run.run, (unsigned long long)run->run.generations,
                    study_stop_name(stop), remedy);
}

/* ---- Going on --------------------------------------------------------------------------------------- */

static void warn_of_version(const study_run *run)
{
    if (strcmp(run->run.version, zilch_version()) != 0) {
        cli_fail("run %llu was begun by zilch %s, and this is %s; what follows may differ from what would "
                 "have followed there",
                 (unsigned long long)run->run.run, run->run.version, zilch_version());
    }
}

static int open_problem(search *s)
{
    const int status = search_problem_open(&s->problem, s->request);
    return s->problem.is_changed
               ? cli_fail("%s: is not as it was when the run began; only the same data can go on",
                          s->request->data)
               : status;
}

static int check_problem(const search *s, const study_run *run)
{
    if (s->problem.info.dim != zilch_optimizer_dim(s->optimizer)) {
        return cli_fail("%s: has %zu coordinates, but the run has %zu", s->problem.text, s->problem.info.dim,
                        zilch_optimizer_dim(s->optimizer));
    }
    if (!search_problem_is_same(s->problem.text, run->run.texts.problem)) {
        return cli_fail("the run began with the problem %s, which is now %s: a default has changed, and only "
                        "the same problem can go on",
                        run->run.texts.problem, s->problem.text);
    }
    return 0;
}

/* A study is data: what it names starts only if the person at the command line has said so. */
static int check_program(const request *r, const search *s, const study_run *run)
{
    const unsigned long long number = run->run.run;
    const char *program = s->request->program;
    if (run->is_disguised) {
        return cli_fail(
            "%s: run %llu: its problem is %s, but its arguments %s: the study is not as zilch wrote "
            "it, and nothing of it is started",
            r->study, number, run->run.texts.problem, program ? "name a program" : "name no program");
    }
    if (!program) {
        return r->program ? cli_fail("%s: run %llu has no program, but the problem %s; leave --program out",
                                     r->study, number, run->run.texts.problem)
                          : 0;
    }
    if (r->program ? strcmp(r->program, program) == 0 : r->is_trusting) {
        return 0;
    }
    cli_fail("%s: run %llu is evaluated by %s; nothing was started. If you want to start the program in this "
             "line, go on with it:",
             r->study, number,
             r->program ? "another program than the --program given"
                        : "a program, which is started only if you repeat it with --program, or say --trust");
    return search_say_command(s);
}

/* What was asked for then, and now. */
static int ask(const request *r, search_request *out)
{
    if (r->ending.held_out != UINT64_MAX && !search_problem_is_lander(out->problem)) {
        return search_wrong_usage("resume", "--held-out is for the problem lander, not for %.64s",
                                  out->problem);
    }
    take_limits(&out->limits, &r->limits);
    take_ending(&out->ending, &r->ending);
    return search_ending_check("resume", &out->ending);
}

static int go_on(const request *r, const study_file *f, const study_run *run, search_kept *kept)
{
    char more[MORE_SIZE];
    search_request *asked = &kept->request;
    const json_arguments *arguments = &kept->arguments;
    search s = {.request = asked, .study = f->study, .path = f->path, .run = run->run.run, .more = more};
    say_again(more, &r->limits, &r->ending);
    int status = check_program(r, &s, run);
    if (!status) {
        status = ask(r, asked);
    }
    if (status) {
        return status;
    }
    warn_of_version(run);
    status = open_problem(&s);
    if (!status && zilch_study_resume(f->study, s.run, &s.optimizer) != ZILCH_OK) {
        status = cli_fail_library();
    }
    if (!status) {
        status = check_problem(&s, run);
    }
    if (!status) {
        status = search_problem_start(&s.problem, asked);
    }
    if (!status) {
        status = ranks_open((int)arguments->count, arguments->words, asked->limits.threads);
    }
    if (!status) {
        status = search_run(&s);
    }
    zilch_optimizer_destroy(s.optimizer);
    search_problem_close(&s.problem);
    return status;
}

static int resume(const request *r, const study_file *f)
{
    const study_run *run = choose(r, f);
    if (!run || check_run(r, run)) {
        return CLI_FAILED;
    }
    char why[SEARCH_WHY];
    search_kept kept;
    if (strcmp(run->run.texts.problem, "by hand") == 0) {
        return cli_fail(
            "%s: run %llu is evaluated by hand: 'zilch ask' has its points, 'zilch tell' takes values",
            r->study, (unsigned long long)run->run.run);
    }
    const int is_unknown = search_kept_read(&kept, run->run.texts.arguments, why);
    const int status =
        !is_unknown ? go_on(r, f, run, &kept)
        : *why ? cli_fail("%s: run %llu: the words that the study keeps are not understood: %s", r->study,
                          (unsigned long long)run->run.run, why)
               : cli_fail("%s: run %llu was not begun by this command: it does not say how to go on",
                          r->study, (unsigned long long)run->run.run);
    search_kept_free(&kept);
    return status;
}

int cmd_resume(int argc, char **argv)
{
    const search_limits unsaid = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, NAN, NAN};
    const search_ending usual = {UINT64_MAX, UINT64_MAX, UINT64_MAX, -1};
    request r = {.run = UINT64_MAX, .limits = unsaid, .ending = usual};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f;
    cli_watch_signals();
    int status = study_file_open(&f, r.study, ZILCH_STUDY_WRITE);
    if (!status) {
        status = resume(&r, &f);
    }
    study_file_close(&f);
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
