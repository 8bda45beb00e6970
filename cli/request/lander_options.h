/* The rows of the table of options that are about the Lunar Lander. */
#ifndef LANDER_OPTIONS_H
#define LANDER_OPTIONS_H

#include "options/option_parser.h"
#include "request/search_options.h"

enum { LANDER_OPTIONS = 6 };

/* What 'zilch lander' is for. */
extern const char lander_options_about[];

/* The bit of search_request.said for an option of the lander; 0 for others. */
unsigned lander_options_bit(const char *name);

/* They point into the request. */
void lander_options_rows(search_request *r, cli_option out[LANDER_OPTIONS]);

#endif
