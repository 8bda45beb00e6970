/* What a study keeps beside a run, so that another process can go on with it. */
#ifndef SEARCH_TEXTS_H
#define SEARCH_TEXTS_H

#include "json.h"
#include "search_options.h"
#include "search_problem.h"
#include "zilch.h"

#include <stdio.h>

typedef struct search_texts {
    char *arguments; /* the words, but for those that name the study, as JSON */
    char machine[512], started[64];
    zilch_run_texts run; /* of these and of the problem, whose text it points to; without a name */
} search_texts;

/* `argv` are the words that the request was parsed from, or copies of them that it points into. 0, or 1 after
 * printing why. */
int search_texts_make(search_texts *out, const search_request *r, const search_problem *problem, int argc,
                      char **argv);
/* The same of a run that this command cannot go on with: where and when alone. */
void search_texts_place(search_texts *out, const char *problem);
void search_texts_free(search_texts *texts);

/* What a run's `arguments` ask for, as data: nothing is printed, opened or started. 0; else 1, with why it is
 * not known in `why`, "" if they are no words of this command. Free it in any case. */
enum { SEARCH_WHY = 512 };
typedef struct search_kept {
    json_arguments arguments;
    search_request request; /* points into them */
} search_kept;
int search_kept_read(search_kept *out, const char *arguments, char why[SEARCH_WHY]);
/* The same of what a comparison has said to all of its methods. */
int search_kept_read_shared(search_kept *out, const char *arguments, char why[SEARCH_WHY]);
void search_kept_free(search_kept *kept);

/* A run's `arguments` as a line for the shell: "zilch lander --seed 1". */
void search_words_print(FILE *stream, const char *arguments);

/* How many of the words of a comparison's run are said to all methods: they end with the threads. */
size_t search_words_shared(const json_arguments *arguments);

/* Whether two runs' `arguments` ask for the same, but for the seed, how long, the threads, and in how many
 * episodes the end is measured. */
int search_words_are_same(const char *a, const char *b);

/* Whether they were given the same data, as far as it is known. */
int search_data_are_same(const char *a, const char *b);

#endif
