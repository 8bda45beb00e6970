/* Options of a command: one table gives their parsing, their help and their ranges.
 *
 *     uint64_t rows = 1000;
 *     const char *model = NULL;
 *     const cli_option options[] = {
 *         {"rows", 'n', "N", CLI_COUNT, &rows, 1, 1e9, NULL, "Rows to draw"},
 *         {0},
 *     };
 *     const cli_usage usage = {"sample", "MODEL", "Draw rows.", options, &model, 1, 1};
 *     const int status = cli_parse(&usage, argc, argv);
 */
#ifndef OPTION_PARSER_H
#define OPTION_PARSER_H

#include "zilch.h"

#include <stddef.h>
#include <stdio.h>

enum { CLI_OPTIONS_MOST = 96 }; /* rows of a table, without the empty one at its end */

typedef enum cli_kind {
    CLI_FLAG,  /* int, set to 1; no argument */
    CLI_COUNT, /* uint64_t; 1000 and 1e3 are the same */
    CLI_REAL,  /* double, finite */
    CLI_TEXT,  /* const char *, points into argv */
    CLI_CHOICE /* int, index of the name in `choices` */
} cli_kind;

typedef struct cli_option {
    const char *name;     /* long option, without the dashes */
    int letter;           /* short option, or 0 */
    const char *argument; /* what help calls the value; NULL for a flag */
    cli_kind kind;
    void *value;      /* holds the default before (NaN, UINT64_MAX, a choice of -1: none), the result after */
    double low, high; /* numbers: the ends are allowed; high may be INFINITY */
    const char
        *choices;     /* "exact|amortised"; of a text, names that it may be or begin with, for completions */
    const char *help; /* a sentence or a phrase; default and range are added to it */
} cli_option;

/* How help shows a table: a heading before a row, or NULL; and which rows only --help-all shows. */
typedef struct cli_layout {
    const char *const *heading;
    const unsigned char *is_expert;
} cli_layout;

typedef struct cli_usage {
    const char *command;       /* "fit" */
    const char *operands;      /* "DATA"; "" if there are none */
    const char *about;         /* what the command does, a sentence or a few; NULL: --help is refused */
    const cli_option *options; /* ends with name NULL; at most CLI_OPTIONS_MOST */
    const char **operand;      /* room for operand_most; what is not given stays as it was */
    size_t operand_least, operand_most;
} cli_usage;

/* 0 if the command shall go on, else the exit status: wrong usage, after a message; or CLI_HELPED after
 * --help. */
int cli_parse(const cli_usage *usage, int argc, char **argv);

/* The same. given[k] is set to 1 for each row k that was said, to 0 for the others. `layout` may be NULL. */
int cli_parse_given(const cli_usage *usage, const cli_layout *layout, int argc, char **argv,
                    unsigned char given[CLI_OPTIONS_MOST]);

/* What --help calls, in place of option_help_print(). */
typedef void cli_help_printer(const cli_usage *usage, const cli_layout *layout, int is_all);
void cli_set_help_printer(cli_help_printer *print);

/* A row's value from text and as text. EARG says what is allowed, without the option's name. `out` gets ""
 * for a text that is not there. */
enum { CLI_VALUE_SIZE = 4096 };
zilch_status cli_option_parse(const cli_option *option, const char *text);
void cli_option_format(const cli_option *option, char out[CLI_VALUE_SIZE]);

/* "zilch fit: message" and where help is found. Gives CLI_USAGE. */
int cli_wrong_usage(const cli_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
