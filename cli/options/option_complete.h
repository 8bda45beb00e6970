/* What the word that somebody types in a shell can become. */
#ifndef OPTION_COMPLETE_H
#define OPTION_COMPLETE_H

#include "options/option_parser.h"

/* Prints, for the scripts in cli/options/completions: on the first line "words", "files", "folders" or
 * "programs", which the shell then offers itself; behind "words" a line for each word, with a tab and its
 * meaning if there is one. */
void complete_words_begin(void);
void complete_word(const char *before, const char *word, size_t length, const char *meaning);

/* The word to complete, and the one before it. They must stay. */
void option_complete_set(const char *previous, const char *current);

/* A printer for cli_set_help_printer(). */
void option_complete_print(const cli_usage *usage, const cli_layout *layout, int is_all);

#endif
