/* The zilch command: finds the command named and runs it. */
#include "commands/commands.h"
#include "options/suggest.h"
#include "run/ranks.h"
#include "terminal/cli.h"
#include "zilch.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"lander", "search a sparse controller for the Lunar Lander", cmd_search},
    {"optimize", "search a sparse optimum of a problem or a program, or a sparse regression", cmd_search},
    {"compare", "run several methods on a problem, and test which is better", cmd_compare},
    {"resume", "go on with a run that was interrupted", cmd_resume},
    {"ask", "hand out points of a search, to be evaluated anywhere", cmd_ask},
    {"tell", "take the values of points that were handed out", cmd_tell},
    {"best", "print the best point of a run, or write it to a file", cmd_best},
    {"report", "make a page of a study: tables, figures, the best controller and its landings", cmd_report},
    {"export", "print every evaluation of a study", cmd_export},
    {"fit", "fit a zero-inflated Gaussian to a dataset", cmd_fit},
    {"sample", "draw points from a fitted model", cmd_sample},
    {"show", "print a study, a fitted model, or how networks were trained", cmd_show},
    {"train", "train the networks of the amortised inverter", cmd_train},
    {"recover", "measure how well known models are recovered from samples", cmd_recover},
    {"play", "fly the Lunar Lander with a controller, or repeat recorded actions", cmd_play},
    {"bench", "measure how fast fitting, sampling, training, the lander and the search are", cmd_bench},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_overview(FILE *stream)
{
    fputs("Usage: zilch COMMAND [OPTION...]\n"
          "Sparse black-box optimisation: points that are good and mostly exact zeros.\n\n",
          stream);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\n"
          "'zilch COMMAND --help' shows the options of a command, 'zilch --version' the version.\n",
          stream);
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    suggestion near = suggestion_for(name, strlen(name));
    for (size_t i = 0; i < COMMANDS; i++) {
        suggestion_offer(&near, commands[i].name);
    }
    suggestion_offer(&near, "help");
    suggestion_offer(&near, "--help");
    suggestion_offer(&near, "--version");
    cli_fail("unknown %s '%s'%s%s%s", *name == '-' ? "option" : "command", name,
             near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    fputs("Try 'zilch --help'.\n", stderr);
    return CLI_USAGE;
}

static int run_command(const command *c, int argc, char **argv)
{
    cli_set_command(c->name);
    return c->run(argc, argv);
}

/* zilch help [COMMAND] */
static int help(const char *name)
{
    if (!name) {
        print_overview(stdout);
        return CLI_OK;
    }
    const command *c = find_command(name);
    char word[32];
    char option[] = "--help";
    char *arguments[] = {word, option, NULL};
    snprintf(word, sizeof word, "%s", name);
    return c ? run_command(c, 2, arguments) : unknown_command(name);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("zilch %s\n", zilch_version());
        return CLI_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argv[2]);
    }
    const command *c = find_command(name);
    return c ? run_command(c, argc - 1, argv + 1) : unknown_command(name);
}

/* A closed standard stream would give its number to the next file opened, and what is printed would
 * land there. A stand-in that refuses the stream's direction makes using it an error instead. */
static void occupy_standard_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0) { /* the lowest free number is this one */
            (void)!open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

/* A search makes and frees the same large matrices again and again. Memory that stays with the program is not
 * handed out in fresh pages each time: a tenth of a generation at 1,000 coordinates. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

int main(int argc, char **argv)
{
    keep_memory();
    occupy_standard_streams();
    /* Both would end the program silently; ignored, they show as write errors. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    zilch_set_blas_threads(1);
    int status = ranks_begin();
    if (status < 0) { /* this process is the command */
        cli_set_cleanup(ranks_end);
        status = cli_finish(dispatch(argc, argv));
        ranks_end();
    }
    return status;
}
