/* No evaluation twice: where values have no noise, a point that was evaluated tells nothing new. */
#ifndef ZI_REPEATS_H
#define ZI_REPEATS_H

#include "search/optimizer.h"

/* Changes those of `*rows` new points, which keep the limits, that were evaluated before, are out or are
 * there twice, until they are new. What cannot be made new, in a space that has nearly been tried out, is
 * left out, but one point always stays. The repairer may be NULL where there are no limits. */
zilch_status zi_repeats_replace(zilch_optimizer *optimizer, zi_repairer *repairer, zilch_rng rng,
                                size_t *rows, double *x);

/* How many points there are, where each coordinate has finitely many values; 0: without end, or too many to
 * be counted. */
zilch_status zi_points_in_all(const zi_constraints *constraints, uint64_t *count);

/* Whether all of them were evaluated. */
int zi_points_are_exhausted(const zilch_optimizer *optimizer);

#endif
