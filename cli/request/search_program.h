/* A search whose points a program evaluates. */
#ifndef SEARCH_PROGRAM_H
#define SEARCH_PROGRAM_H

#include "request/search_options.h"
#include "request/search_problem.h"
#include "zilch.h"

typedef struct search_program search_program;

/* With --hello, starts the program once and takes from its first line how many coordinates there are, and
 * their names, as if --dim and --names had said so; *text, to be freed, holds them. 0, or the exit status
 * after printing why. */
int search_program_greet(search_request *r, char **text);

/* Makes the problem from its command line, and starts nothing. 0, or the exit status after printing why. */
int search_program_open(search_problem *out, const search_request *r);

/* Starts the program of a problem that is open. 0, or the exit status after printing why. */
int search_program_start(search_problem *out, const search_request *r);

void search_program_close(search_program *p);

/* Called after each evaluation, and five times a second between them: how many of the batch are done, of how
 * many; other than 0 stops. */
void search_program_watch(search_program *p, zilch_watcher watcher, void *context);

/* Where the words of failures go from now on, at most 1000 of a generation, together with the values; NULL:
 * nowhere. */
void search_program_write_to(search_program *p, zilch_journal *journal);

/* Before a generation is recorded: the words of its failures are in the study then. */
zilch_status search_program_keep(search_program *p);

/* The last failures of this process on stderr, each in a few lines; nothing if there were none. */
void search_program_print(const search_program *p);

#endif
