/* zilch serve: a study in a browser, as it grows. */
#include "commands/commands.h"
#include "live/live.h"
#include "options/option_parser.h"
#include "terminal/cli.h"

typedef struct request {
    const char *study;
    uint64_t port, beside;
} request;

static const char about[] =
    "Show the runs of STUDY in a browser while they search, and later: values, the front, what is active "
    "when, "
    "the best point, what the law believes, failures. The page is told of each generation as soon as it is "
    "recorded. It can ask a search to stop, to pause, to go on, for another budget and for a recommendation. "
    "It is "
    "served at an address of this machine alone, and needs the token that stands in the line printed first. "
    "Ctrl-C ends it.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"port", 0, "N", CLI_COUNT, &r->port, 0, 65535, NULL, "The port at 127.0.0.1; 0: one that is free."},
        {"beside", 0, "PID", CLI_COUNT, &r->beside, 1, 0x7fffffff, NULL, "End when this process has ended."},
        {0},
    };
    const cli_usage usage = {"serve", "STUDY", about, options, &r->study, 1, 1};
    return cli_parse(&usage, argc, argv);
}

int cmd_serve(int argc, char **argv)
{
    request r = {.port = 0, .beside = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    const live_options options = {r.study, (unsigned)r.port, r.beside == UINT64_MAX ? 0 : (pid_t)r.beside};
    return live_serve(&options);
}
