/* Several processes that were started as one, as mpirun does: rank 0 is the command, the others evaluate for
 * it. An ordinary process is one of one, and meets none of this. */
#ifndef RANKS_H
#define RANKS_H

#include "request/search_options.h"
#include "zilch.h"

/* Called first. Gives -1 where the command is to be run; else this process has served, or refuses, and ends
 * with the exit status given. */
int ranks_begin(void);

/* Called last, on rank 0: lets the others go. Once is enough, more does no harm. */
void ranks_end(void);

/* How many they are. */
unsigned ranks_count(void);

/* Every other rank opens the problem of the request, which is called so in a study, and evaluates on as many
 * threads, of which 0 are 1. 0, or 1 after printing why. Nothing to do for a process alone. */
int ranks_open(const search_request *r, const char *problem);

/* A batch of that problem, on all ranks; `inner` on this one, on another thread. */
zilch_status ranks_evaluate(zilch_objective inner, void *context, const zilch_batch *batch, double *value);

/* What to do on rank 0, while it waits for the others, if a signal demands an end: one that died would never
 * be heard of again, and whoever started us kills soon. NULL: nothing. */
void ranks_set_ending(void (*end)(void *context), void *context);

/* What ranks.c shares with the file that knows how ranks talk, of which there is one for builds with MPI and
 * one for those without. */
int ranks_are_told(unsigned *rank); /* whether the environment speaks of several */
int ranks_join(void);               /* as ranks_begin() */

#endif
