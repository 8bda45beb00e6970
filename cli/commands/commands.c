/* The table of commands. */
#include "commands/commands.h"

#include "options/suggest.h"
#include "terminal/cli.h"

#include <string.h>

const command commands[] = {
    {"lander", "search a sparse controller for the Lunar Lander", cmd_search},
    {"optimize", "search a sparse optimum of a problem or a program, or a sparse regression", cmd_search},
    {"compare", "run several methods on a problem, and test which is better", cmd_compare},
    {"resume", "go on with a run that was interrupted", cmd_resume},
    {"ask", "hand out points of a search, to be evaluated anywhere", cmd_ask},
    {"tell", "take the values of points that were handed out", cmd_tell},
    {"best", "print the best point of a run, or write it to a file", cmd_best},
    {"report", "make a page of a study: tables, figures, the best controller and its landings", cmd_report},
    {"serve", "show a study in a browser as it grows, and steer its searches", cmd_serve},
    {"watch", "show a run in the terminal while it searches", cmd_watch},
    {"steer", "ask a search to stop, to pause, to go on, or to recommend now", cmd_steer},
    {"export", "print every evaluation of a study", cmd_export},
    {"fit", "fit a zero-inflated Gaussian to a dataset", cmd_fit},
    {"sample", "draw points from a fitted model", cmd_sample},
    {"show", "print a study, a fitted model, or how networks were trained", cmd_show},
    {"train", "train the networks of the amortised inverter", cmd_train},
    {"recover", "measure how well known models are recovered from samples", cmd_recover},
    {"play", "fly the Lunar Lander with a controller, or repeat recorded actions", cmd_play},
    {"bench", "measure how fast fitting, sampling, training, the lander and the search are", cmd_bench},
    {"help", "explain a command, and print its manual page", cmd_help},
    {0},
};

void command_overview(FILE *stream)
{
    fputs("Usage: zilch COMMAND [OPTION...]\n"
          "Sparse black-box optimisation: points that are good and mostly exact zeros.\n\n",
          stream);
    for (const command *c = commands; c->name; c++) {
        fprintf(stream, "  %-10s %s\n", c->name, c->summary);
    }
    fputs("\n"
          "'zilch COMMAND --help' shows the options of a command, 'zilch --version' the version.\n",
          stream);
}

const command *command_find(const char *name)
{
    const command *c = commands;
    while (c->name && strcmp(c->name, name) != 0) {
        c++;
    }
    return c->name ? c : NULL;
}

int command_run(const command *c, int argc, char **argv)
{
    cli_set_command(c->name);
    const int status = c->run(argc, argv);
    return status == CLI_HELPED ? CLI_OK : status;
}

int command_unknown(const char *name)
{
    suggestion near = suggestion_for(name, strlen(name));
    for (const command *c = commands; c->name; c++) {
        suggestion_offer(&near, c->name);
    }
    suggestion_offer(&near, "--help");
    suggestion_offer(&near, "--version");
    cli_fail("unknown %s '%s'%s%s%s", *name == '-' ? "option" : "command", name,
             near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    fputs("Try 'zilch --help'.\n", stderr);
    return CLI_USAGE;
}
