/* Manual pages as roff, in the macros of man(7), on standard output. */
#ifndef OPTION_MAN_H
#define OPTION_MAN_H

#include "options/option_parser.h"

/* The beginning of a page of section 1: its title, and NAME. */
void man_begin(const char *page, const char *summary);

void man_section(const char *title);
void man_paragraph(const char *text);
void man_item(const char *tag, const char *text);  /* the tag is shown in bold */
void man_reference(const char *page, int is_last); /* page(1), a word of SEE ALSO */

/* SYNOPSIS, DESCRIPTION and OPTIONS of a command, with all rows. A printer for cli_set_help_printer(). */
void option_man_print(const cli_usage *usage, const cli_layout *layout, int is_all);

#endif
