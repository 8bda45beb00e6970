/* The rows of a search's options, as the files that read them and keep them share it. */
#ifndef SEARCH_TABLE_H
#define SEARCH_TABLE_H

#include "request/search_options.h"

enum { SEARCH_NOT_KEPT = -1, SEARCH_NAME_SIZE = 32 };

/* Which problems a row is about. */
typedef enum concern { FOR_ALL, FOR_LANDER, FOR_REGRESSION, FOR_PROGRAM, FOR_ASK } concern;

typedef struct search_table {
    cli_option row[CLI_OPTIONS_MOST + 1];          /* an empty one ends it */
    char name[CLI_OPTIONS_MOST][SEARCH_NAME_SIZE]; /* of rows that come from the library */
    concern concern[CLI_OPTIONS_MOST];
    int kind[CLI_OPTIONS_MOST]; /* of the setting that a study keeps; or SEARCH_NOT_KEPT */
    const char *heading[CLI_OPTIONS_MOST];
    unsigned char is_expert[CLI_OPTIONS_MOST];
    unsigned char given[CLI_OPTIONS_MOST]; /* which rows were said */
    size_t count;
} search_table;

/* All rows that a study keeps something of. */
void search_table_add_kept(search_request *r, search_table *t);

/* The row of that name; t->count if there is none. */
size_t search_table_find(const search_table *t, const char *name);

/* Options have dashes where settings have underscores. */
void search_name_with_dashes(const char *name, char out[SEARCH_NAME_SIZE]);

#endif
