/* A study as it grows, for whoever watches: each look reads only what is new, and says only what has changed.
 * What is said is JSON, a document of which cli/report/pages/charts.js draws every figure. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "zilch.h"

#include <stddef.h>

typedef struct follow follow;

/* 0, or 1 after printing why. */
int follow_open(follow **out, const char *path);
void follow_close(follow *f);

/* From now on, only of this run. */
void follow_only(follow *f, uint64_t run);

/* Reads what is new, about `most` evaluations of it at most; *is_more: there is more to be read. 0, or 1
 * after printing why. */
enum { FOLLOW_ALL = 0 };
int follow_read(follow *f, size_t most, int *is_more);

/* The document, to be freed: all of it, or what has changed since the last call, NULL if nothing has. What
 * is not known yet is not there. A list that grows is {"from": n, "list": [...]}: it takes the place of
 * what was there from n on. NULL also without memory. */
char *follow_text(follow *f, int is_whole);

/* The front and what the law believes cost a reading of the whole run: they are asked for apart, also on a
 * thread of its own. Gives the text to be freed, NULL if there is nothing yet. */
char *follow_look(const char *path, uint64_t number);
/* Hands it on to the document, which frees it. */
void follow_take_look(follow *f, uint64_t run, char *look);

/* A run, for whoever decides what is looked at next. */
typedef struct follow_state {
    uint64_t run, generations;
    int is_over;           /* it has ended */
    int is_lander;         /* and its points are controllers; */
    const double *best;    /* the best seen, dim numbers; NULL: not known */
    uint64_t best_version; /* counts how often it was another */
    size_t dim;
} follow_state;
size_t follow_count(const follow *f);
follow_state follow_at(const follow *f, size_t index);
const char *follow_problem(const follow *f, size_t index);

#endif
