/* zilch resume: a run goes on from its last evaluation. */
#include "commands/commands.h"
#include "options/option_parser.h"
#include "run/device.h"
#include "run/ranks.h"
#include "run/search.h"
#include "study/show_study.h"
#include "study/study_file.h"
#include "terminal/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *study;
    uint64_t run;
    const char *program;
    int is_trusting;
    int is_json;
    char more[SEARCH_MORE_SIZE]; /* what was said of limits and the rest, to be repeated */
} request;

static const char about[] =
    "Go on with a run that was interrupted, from the last evaluation that is in STUDY, as if it had never "
    "been. With new limits, or to recommend anew, a run that has ended goes on too. Data files must be as "
    "they were. A study may come from somebody else: a program that it names is started only if you repeat "
    "it with --program, or say --trust.";

/* What is said of limits and of the end replaces what `asked` has: twice, because which run that is, is said
 * here too. */
static int parse(request *r, search_request *asked, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL,
         "The run. Without it, the last that has not ended."},
        {"program", 0, "COMMAND", CLI_TEXT, &r->program, 0, 0, NULL,
         "The program that evaluates the run, in the words that the run began with."},
        {"trust", 0, NULL, CLI_FLAG, &r->is_trusting, 0, 0, NULL,
         "Start the program that the study names, whatever it is."},
        SEARCH_PRINTED_ROWS(asked),
        {0},
    };
    const cli_usage usage = {"resume", "STUDY", about, options, &r->study, 1, 1};
    const int status = search_request_parse_again(asked, &usage, argc, argv, r->more);
    return status ? status : search_final_check(asked);
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

/* What would let it go on: more of what ended it. A search that has ended by itself would end again. Time is
 * counted anew each time: where it was over, there is more of it now. */
static int check_run(const request *r, const study_run *run)
{
#define MORE "it goes on with new limits, such as "
    static const char *const remedies[] = {
        [ZILCH_STOP_EVALUATIONS] = MORE "--evaluations ",
        [ZILCH_STOP_TARGET] = MORE "a better --target",
        [ZILCH_STOP_STAGNATION] = MORE "a larger --stagnation",
        [ZILCH_STOP_CONVERGED] = "to look elsewhere, begin another run with another --seed",
        [ZILCH_STOP_EXHAUSTED] = "every possible point was evaluated",
        [ZILCH_STOP_DIVERGED] = "to keep the search in, begin another run with --bounds",
    };
    char number[24] = "";
    const zilch_stop stop = run->run.stop;
    if (stop == ZILCH_STOP_NONE || stop == ZILCH_STOP_OBSERVER || stop == ZILCH_STOP_ASKED || *r->more) {
        return 0;
    }
    const int is_known = (size_t)stop < sizeof remedies / sizeof *remedies && remedies[stop];
    if (!is_known || stop == ZILCH_STOP_EVALUATIONS) {
        snprintf(number, sizeof number, "%llu",
                 2 * (unsigned long long)(is_known ? run->run.evaluations : run->run.generations));
    }
    return cli_fail("%s: run %llu has ended, after %llu generations, by: %s; %s%s", r->study,
                    (unsigned long long)run->run.run, (unsigned long long)run->run.generations,
                    study_stop_name(stop), is_known ? remedies[stop] : MORE "--generations ", number);
}

/* ---- Going on --------------------------------------------------------------------------------------- */

/* The problem as it is now, and the optimiser as it was. */
static int open_both(search *s, const study_run *run)
{
    int status = device_open(&s->device, "resume", s->request->device);
    status = status ? status : search_problem_open(&s->problem, s->request);
    status = status ? status : device_attach(s->device, s->problem.problem);
    if (s->problem.is_changed) {
        return cli_fail("%s: is not as it was when the run began; only the same data can go on",
                        s->request->data);
    }
    if (status || zilch_study_resume(s->study, s->run, &s->optimizer) != ZILCH_OK) {
        return status ? status : cli_fail_library();
    }
    if (s->problem.info.dim != zilch_optimizer_dim(s->optimizer)) {
        return cli_fail("%s: has %zu coordinates, but the run has %zu", s->problem.text, s->problem.info.dim,
                        zilch_optimizer_dim(s->optimizer));
    }
    if (strcmp(s->problem.text, run->run.request.problem) != 0) {
        return cli_fail("the run began with the problem %s, which is now %s: a default has changed, and only "
                        "the same problem can go on",
                        run->run.request.problem, s->problem.text);
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
            "%s: run %llu: its problem is %s, but its settings %s: the study is not as zilch wrote "
            "it, and nothing of it is started",
            r->study, number, run->run.request.problem, program ? "name a program" : "name no program");
    }
    if (!program) {
        return r->program ? cli_fail("%s: run %llu has no program, but the problem %s; leave --program out",
                                     r->study, number, run->run.request.problem)
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

static int go_on(const request *r, const study_file *f, const study_run *run, const search_request *asked)
{
    search s = {.request = asked, .study = f->study, .path = f->path, .run = run->run.run, .more = r->more};
    int status = check_program(r, &s, run);
    if (status) {
        return status;
    }
    if (strcmp(run->run.version, zilch_version()) != 0) {
        cli_fail("run %llu was begun by zilch %s, and this is %s; what follows may differ from what would "
                 "have followed there",
                 (unsigned long long)run->run.run, run->run.version, zilch_version());
    }
    status = open_both(&s, run);
    if (!status) {
        status = search_problem_start(&s.problem, asked);
    }
    if (!status) {
        status = ranks_open(asked, s.problem.text);
    }
    if (!status) {
        status = search_run(&s);
    }
    zilch_optimizer_destroy(s.optimizer);
    search_problem_close(&s.problem);
    device_close(s.device);
    return status;
}

static int resume(request *r, const study_file *f, int argc, char **argv)
{
    char why[SEARCH_WHY];
    search_request asked;
    const study_run *run = choose(r, f);
    if (!run || check_run(r, run)) {
        return CLI_FAILED;
    }
    const unsigned long long number = r->run = run->run.run;
    if (strcmp(run->run.request.problem, "by hand") == 0) {
        return cli_fail(
            "%s: run %llu is evaluated by hand: 'zilch ask' has its points, 'zilch tell' takes values",
            r->study, number);
    }
    if (strncmp(run->run.request.problem, "python:", strlen("python:")) == 0) {
        return cli_fail("%s: run %llu was begun in Python, with a function of its own; go on with it there",
                        r->study, number);
    }
    if (search_request_restore(&asked, &run->run, why)) {
        return cli_fail("%s: run %llu: %s", r->study, number, why);
    }
    const uint64_t held_out = asked.held_out;
    const int usage = parse(r, &asked, argc, argv);
    if (usage) {
        return usage;
    }
    if (asked.held_out != held_out && !search_problem_is_lander(asked.problem)) {
        return search_wrong_usage("resume", "--held-out is for the problem lander, not for %.64s",
                                  asked.problem);
    }
    if (asked.device != DEVICE_CPU && !search_problem_is_lander(asked.problem)) {
        return search_wrong_usage("resume", "--device is for the problem lander, not for %.64s",
                                  asked.problem);
    }
    r->is_json = asked.is_json;
    return go_on(r, f, run, &asked);
}

int cmd_resume(int argc, char **argv)
{
    request r = {.run = UINT64_MAX};
    search_request unknown = search_request_defaults("resume", ZILCH_METHOD_DEFAULT);
    const int usage = parse(&r, &unknown, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f;
    cli_watch_signals();
    int status = study_file_open(&f, r.study, ZILCH_STUDY_WRITE);
    if (!status) {
        status = resume(&r, &f, argc, argv);
    }
    study_file_close(&f);
    if (status) {
        cli_end_if_stopped();
    }
    return !status && r.is_json ? show_study(r.study, r.run, 1, 0) : status;
}
