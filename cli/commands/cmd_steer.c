/* zilch steer: asks something of a run that is searching. */
#include "commands/commands.h"
#include "options/option_parser.h"
#include "study/study_file.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef struct request {
    const char *word[3]; /* the study, what is asked, and its value */
    uint64_t run;
    zilch_action action;
    double value;
} request;

static const char about[] =
    "Ask something of a run of STUDY that is searching, here or in another window, on this machine or on "
    "another that has the file: stop, which makes the final check; stop-now, without it; pause and go-on; "
    "recommend, which makes the final check and goes on; evaluations N or generations N, a new limit, 0 for "
    "none; penalty N, another penalty of each active coordinate. "
    "The search heeds it after the generation that is under way, stop-now at once. What was asked is kept in "
    "the "
    "study.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run. Without it, the last."},
        {0},
    };
    const cli_usage usage = {"steer", "STUDY ACTION [N]", about, options, r->word, 2, 3};
    const int status = cli_parse(&usage, argc, argv);
    if (status) {
        return status;
    }
    if (zilch_action_parse(r->word[1], &r->action) != ZILCH_OK) {
        return cli_wrong_usage(&usage, "%s", cli_error_text());
    }
    if (r->word[2] && !zilch_number_parse(r->word[2], &r->value)) {
        return cli_wrong_usage(&usage, "%s: '%s' is not a number", r->word[1], r->word[2]);
    }
    return 0;
}

/* A run of a comparison has the budget and the penalty of all the others. */
static int is_fixed(const study_run *run, zilch_action action)
{
    const int is_other = action == ZILCH_ACTION_EVALUATIONS || action == ZILCH_ACTION_GENERATIONS ||
                         action == ZILCH_ACTION_PENALTY;
    return is_other && study_is_compared(run);
}

static int ask(const request *r, const study_file *f)
{
    char now[32] = "";
    struct tm utc;
    const time_t seconds = time(NULL);
    const study_run *run = study_file_find(f, r->run == UINT64_MAX ? 0 : r->run);
    if (!run) {
        return CLI_FAILED;
    }
    if (is_fixed(run, r->action)) {
        return cli_fail(
            "%s: run %llu belongs to a comparison, whose runs all have the same budget and penalty",
            zilch_action_name(r->action), (unsigned long long)run->run.run);
    }
    if (gmtime_r(&seconds, &utc)) {
        strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    if (zilch_study_ask_run(f->study, run->run.run, r->action, r->value, now) != ZILCH_OK) {
        return cli_fail_library();
    }
    printf("run %llu was asked: %s\n", (unsigned long long)run->run.run, zilch_action_name(r->action));
    return 0;
}

int cmd_steer(int argc, char **argv)
{
    request r = {.run = UINT64_MAX, .value = NAN};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f;
    int status = study_file_open(&f, r.word[0], ZILCH_STUDY_WRITE);
    if (!status) {
        status = ask(&r, &f);
    }
    study_file_close(&f);
    return status;
}
