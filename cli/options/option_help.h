/* Help for a table of options. */
#ifndef OPTION_HELP_H
#define OPTION_HELP_H

#include "options/option_parser.h"

/* --help, and --help-all, which tables with a layout have. */
extern const cli_option option_help_rows[2];

/* On standard output; with `is_all`, also the rows that the layout calls expert ones. */
void option_help_print(const cli_usage *usage, const cli_layout *layout, int is_all);

#endif
