/* Help for a table of options. */
#ifndef OPTION_HELP_H
#define OPTION_HELP_H

#include "options/option_parser.h"

/* --help, and --help-all, which tables with a layout have. */
extern const cli_option option_help_rows[2];

/* What help says about a row: "Rows to draw. (1 to 1000; default 10)" */
enum { OPTION_HELP_SIZE = 1024 + 2 * CLI_VALUE_SIZE };
void option_help_text(const cli_option *option, char out[OPTION_HELP_SIZE]);

/* On standard output; with `is_all`, also the rows that the layout calls expert ones. */
void option_help_print(const cli_usage *usage, const cli_layout *layout, int is_all);

#endif
