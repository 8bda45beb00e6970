/* zilch watch: a run in a terminal, as it goes on. */
#include "commands/commands.h"
#include "options/option_parser.h"
#include "study/follow_print.h"
#include "terminal/cli.h"

#include <math.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

typedef struct request {
    const char *study;
    uint64_t run;
} request;

static const char about[] = "Show a run of STUDY in the terminal while it searches: how far it is, the best "
                            "value over time, the front, what "
                            "is active, and what has failed. It is drawn anew when there is something new, "
                            "and ends with the run, or with "
                            "Ctrl-C, which leaves the search alone. Where standard output is no terminal, "
                            "the run is printed once, as it is "
                            "now.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run. Without it, the last."},
        {0},
    };
    const cli_usage usage = {"watch", "STUDY", about, options, &r->study, 1, 1};
    return cli_parse(&usage, argc, argv);
}

/* The width of the terminal. Where there is none, lines are as wide as on a usual terminal. */
static follow_size size_of(int is_live)
{
    struct winsize size;
    const int is_known =
        is_live && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
    return is_known ? (follow_size){size.ws_row, size.ws_col} : (follow_size){is_live ? 24 : 0, 80};
}

/* With its front, for which the whole run is read: that may take long, so that a terminal has all but the
 * front first. */
static int print(const request *r, const follow *f, uint64_t run, int is_live, int is_first)
{
    if (is_live && is_first) {
        fputs("\033[H\033[2J", stdout);
        if (follow_print(f, run, NULL, size_of(is_live), stdout)) {
            return CLI_FAILED;
        }
        fflush(stdout);
    }
    zilch_study *study;
    zilch_optimizer *optimizer = NULL;
    zilch_status status = zilch_study_open(&study, r->study, ZILCH_STUDY_READ);
    if (status == ZILCH_OK) {
        status = zilch_study_resume(study, run, &optimizer);
        zilch_study_close(study);
    }
    if (status != ZILCH_OK) {
        return cli_fail_library();
    }
    fputs(is_live ? "\033[H\033[2J" : "", stdout);
    const int failed = follow_print(f, run, optimizer, size_of(is_live), stdout);
    zilch_optimizer_destroy(optimizer);
    fflush(stdout);
    return failed;
}

static void rest(double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    (void)nanosleep(&time, NULL); /* a signal ends it */
}

static int watch(const request *r, follow *f)
{
    const int is_live = isatty(STDOUT_FILENO);
    uint64_t run = r->run == UINT64_MAX ? 0 : r->run;
    uint64_t shown = UINT64_MAX;
    for (;;) {
        int is_more;
        const double before = cli_seconds();
        if (follow_read(f, FOLLOW_ALL, &is_more)) {
            return CLI_FAILED;
        }
        const int has_ended = follow_has_ended(f, &run);
        uint64_t generations = 0;
        for (size_t i = 0; i < follow_count(f); i++) {
            generations = follow_at(f, i).run == run ? follow_at(f, i).generations : generations;
        }
        const int is_due = generations != shown || has_ended;
        if (has_ended < 0 || (is_due && print(r, f, run, is_live, shown == UINT64_MAX))) {
            return CLI_FAILED;
        }
        if (has_ended || !is_live || cli_is_stopped()) {
            return 0;
        }
        shown = generations;
        rest(fmin(60.0, fmax(0.2, 20 * (cli_seconds() - before))));
    }
}

int cmd_watch(int argc, char **argv)
{
    request r = {.run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    follow *f;
    cli_watch_signals();
    const int status = follow_open(&f, r.study) || watch(&r, f);
    follow_close(f);
    return status;
}
