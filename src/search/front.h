/* The front of active count and value. */
#ifndef ZI_FRONT_H
#define ZI_FRONT_H

#include "search/optimizer.h"

/* Points of the archive, the sparsest first, into room for dim + 1; gives how many: those whose value,
 * as zi_archive_careful_value() has it, is better than that of every sparser point. */
size_t zi_front_find(const zi_archive *archive, size_t dim, size_t *point);

/* How many evaluations the points of the front lack until each has `each`; 0 where no noise is known. */
zilch_status zi_front_lack(const zilch_optimizer *optimizer, uint64_t each, uint64_t *lack);

/* Opens a generation that evaluates them again, each at most as often as before, and `most` times in all.
 * There must be something that they lack, and no open generation. */
zilch_status zi_front_open(zilch_optimizer *optimizer, uint64_t each, uint64_t most);

/* Whether the open generation is one of these: nothing in it is new. */
int zi_front_is_open(const zilch_optimizer *optimizer);

#endif
