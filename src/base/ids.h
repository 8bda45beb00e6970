/* Ids of evaluations: one number line for all of them.
 *   from 0         points of a search, in the order in which they are drawn
 *   from 2^62      points that were not asked for
 *   from 2^63      the final recommendation; points that are compared share ids, and so meet the same noise
 *   from 3 * 2^62  held-out evaluations, whose noise neither a search nor a recommendation has met
 *
 * A program is told an id below 2^53, so that every language has it as a number: the first 2^52 as they are,
 * and all others with their last 52 bits behind 2^52. */
#ifndef ZI_IDS_H
#define ZI_IDS_H

#include <stdint.h>

#define ZI_FOREIGN_ID (UINT64_C(1) << 62)
#define ZI_FINAL_ID (UINT64_C(1) << 63)
#define ZI_HELD_OUT_ID (UINT64_C(3) << 62)
#define ZI_MESSAGE_ID_END (UINT64_C(1) << 53)

static inline uint64_t zi_message_id(uint64_t id)
{
    const uint64_t half = ZI_MESSAGE_ID_END / 2;
    return id < half ? id : half | (id & (half - 1));
}

#endif
