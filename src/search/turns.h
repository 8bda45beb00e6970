/* Whose turn it is: the distribution's or the refinement's. */
#ifndef ZI_TURNS_H
#define ZI_TURNS_H

#include "search/optimizer.h"

enum { ZI_AUTOMATIC_MOST = 2000 }; /* points in a generation whose size is chosen automatically */

/* Points in the next generation of the distribution, and elites that it is fitted to. */
size_t zi_turn_population(const zilch_optimizer *optimizer);
size_t zi_turn_elites(const zilch_optimizer *optimizer, size_t population);

/* The most elites that a generation can have. */
size_t zi_most_elites(const zilch_optimizer_options *options);

/* How many points of earlier generations may be out and are remembered. */
size_t zi_most_late(const zilch_optimizer *optimizer);

/* Whether the best point is evaluated again, to see whether there is noise. */
int zi_turn_checks_noise(const zilch_optimizer *optimizer);

/* Makes the refinement of a search that has one. */
zilch_status zi_turns_create(zilch_optimizer *optimizer);
void zi_turns_free(zi_turns *turns);

/* Opens a generation of the refinement, if it is its turn: its slots are there then. */
zilch_status zi_turn_open(zilch_optimizer *optimizer);

#endif
