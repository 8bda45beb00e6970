/* Ids of evaluations: one number line for all of them.
 *   from 0         points of a search, in the order in which they are drawn
 *   from 2^61      points of the refinement of a search, in archives and studies: 2^61 and their place among
 * all points of the search. Whoever asks, tells or reads has the place alone, zi_id_number() from 2^62 points
 * that were not asked for from 2^63      the final recommendation; points that are compared share ids, and so
 * meet the same noise from 3 * 2^62  held-out evaluations, whose noise neither a search nor a recommendation
 * has met
 *
 * A program is told an id below 2^53, so that every language has it as a number: the first 2^52 as they are,
 * and all others with their last 52 bits behind 2^52. */
#ifndef ZI_IDS_H
#define ZI_IDS_H

#include <stdint.h>

#define ZI_REFINED_ID (UINT64_C(1) << 61)
#define ZI_FOREIGN_ID (UINT64_C(1) << 62)
#define ZI_FINAL_ID (UINT64_C(1) << 63)
#define ZI_HELD_OUT_ID (UINT64_C(3) << 62)
#define ZI_MESSAGE_ID_END (UINT64_C(1) << 53)

/* The id as it is outside: the place of a point of a search among all of them. */
static inline uint64_t zi_id_number(uint64_t id)
{
    return id < ZI_FOREIGN_ID ? id & ~ZI_REFINED_ID : id;
}

static inline uint64_t zi_message_id(uint64_t id)
{
    const uint64_t half = ZI_MESSAGE_ID_END / 2;
    return id < half ? id : half | (id & (half - 1));
}

#endif
