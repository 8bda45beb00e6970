/* zilch help: the overview, the help of a command, manual pages, and what shells ask to complete a word. All
 * but the overview is printed by the command itself, which alone knows its table of options. */
#include "commands/commands.h"
#include "options/option_complete.h"
#include "options/option_help.h"
#include "options/option_man.h"
#include "terminal/cli.h"

#include <string.h>

enum { WORDS = 3, PAGE = 64 };

typedef struct request {
    const char *word[WORDS]; /* the command; to complete, also the word before and the word itself */
    int is_man, is_completing;
} request;

static const char about[] =
    "Print the list of commands, or what COMMAND does and its options, as 'zilch COMMAND --help' does.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"man", 0, NULL, CLI_FLAG, &r->is_man, 0, 0, NULL,
         "Print the manual page of COMMAND, or of zilch, in the language of man: zilch help --man fit | man "
         "-l -"},
        {"complete", 0, NULL, CLI_FLAG, &r->is_completing, 0, 0, NULL,
         "Print what a word of a command line can become, as completions in shells ask: zilch help "
         "--complete "
         "-- COMMAND WORD-BEFORE WORD"},
        {0},
    };
    const cli_usage usage = {"help", "[COMMAND]", about, options, r->word, 0, WORDS};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && r->word[1] && !r->is_completing) {
        return cli_wrong_usage(&usage, "unexpected argument '%s'", r->word[1]);
    }
    return status;
}

/* The command says it with another printer. */
static int explain(const command *c, cli_help_printer *print)
{
    char name[PAGE];
    char option[] = "--help";
    char *arguments[] = {name, option, NULL};
    snprintf(name, sizeof name, "%s", c->name);
    cli_set_help_printer(print);
    return command_run(c, 2, arguments);
}

/* ---- Manual pages ------------------------------------------------------------------------------- */

static void page_name(char out[PAGE], const command *c)
{
    snprintf(out, PAGE, "zilch-%s", c->name);
}

static void print_status(void)
{
    man_section("EXIT STATUS");
    man_item("0", "Success.");
    man_item("1", "The work failed. The message on standard error names the place and the reason.");
    man_item("2", "The command line is wrong. The message names the nearest option or command.");
    man_item("141", "The reader of standard output has closed it, as head does. Nothing is said.");
}

static int print_command_page(const command *c)
{
    char page[PAGE];
    page_name(page, c);
    man_begin(page, c->summary);
    const int status = explain(c, option_man_print);
    print_status();
    man_section("SEE ALSO");
    man_reference("zilch", 1);
    return status;
}

static int print_main_page(void)
{
    man_begin("zilch", "sparse black-box optimisation");
    man_section("SYNOPSIS");
    puts("\\fBzilch\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n\\fBzilch\\fR \\fB\\-\\-version\\fR");
    man_section("DESCRIPTION");
    puts("Searches points that are good and mostly exact zeros, from the values of a function alone.");
    man_paragraph("The function is a problem of zilch's, a regression on a dataset, or whatever a program of "
                  "yours evaluates. Every evaluation is kept in a study, which is one file. Results go to "
                  "standard output, messages and progress to standard error.");
    man_section("COMMANDS");
    for (const command *c = commands; c->name; c++) {
        man_item(c->name, c->summary);
    }
    print_status();
    man_section("SEE ALSO");
    for (const command *c = commands; c->name; c++) {
        char page[PAGE];
        page_name(page, c);
        man_reference(page, !c[1].name);
    }
    return CLI_OK;
}

/* ---- Completion --------------------------------------------------------------------------------- */

static int complete(const request *r, const command *c)
{
    const char *previous = r->word[1] ? r->word[1] : "";
    const char *current = r->word[2] ? r->word[2] : "";
    const int is_name = !r->word[0] || !*r->word[0] || (c && c->run == cmd_help && *current != '-');
    if (!is_name && c) {
        option_complete_set(previous, current);
        return explain(c, option_complete_print);
    }
    complete_words_begin();
    for (c = commands; c->name && is_name; c++) {
        complete_word("", c->name, strlen(c->name), c->summary);
    }
    return CLI_OK;
}

int cmd_help(int argc, char **argv)
{
    request r = {.is_man = 0};
    const int status = parse(&r, argc, argv);
    const command *c = !status && r.word[0] ? command_find(r.word[0]) : NULL;
    if (status) {
        return status;
    }
    if (r.is_completing) {
        return complete(&r, c);
    }
    if (r.word[0] && !c) {
        return command_unknown(r.word[0]);
    }
    if (r.is_man) {
        return c ? print_command_page(c) : print_main_page();
    }
    if (c) {
        return explain(c, option_help_print);
    }
    command_overview(stdout);
    return CLI_OK;
}
