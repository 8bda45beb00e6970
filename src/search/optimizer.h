/* The optimiser's inside, for its own files and for the store. */
#ifndef ZI_OPTIMIZER_H
#define ZI_OPTIMIZER_H

#include "search/archive.h"
#include "search/constraints.h"
#include "search/law.h"

/* A point that was, or may be, asked for. */
typedef enum zi_slot_state { ZI_SLOT_NEW, ZI_SLOT_ASKED, ZI_SLOT_TOLD } zi_slot_state;
typedef struct zi_slot {
    uint64_t id;
    double value;
    zi_slot_state state;
} zi_slot;

/* Points outside the open generation: of earlier ones, asked and perhaps told late, and foreign ones. They
 * wait here until the archive takes them. */
typedef struct zi_late {
    zi_rows rows;
    zi_slot *slot;
    size_t capacity;
} zi_late;

/* An evaluation as the archive took it. */
typedef struct zi_told {
    uint64_t id;
    size_t point;
    double value; /* not finite: failed */
} zi_told;

/* Evaluations since the last generation closed, or those of the one that did. */
typedef struct zi_news {
    zi_told *told;
    size_t count, capacity;
    int is_closed;
} zi_news;

struct zilch_optimizer {
    zilch_optimizer_options options; /* arrays and networks are its own */
    size_t dim, width;               /* of a point and of its genome */
    uint64_t seed;
    zi_constraints constraints;
    zi_archive archive;
    size_t restored_points; /* how many the archive must have when it is given back; SIZE_MAX: any number */

    uint64_t generations, evaluations, failures, foreign;
    uint64_t improved; /* the generation that found the least cost ever, */
    double least_cost; /* and that cost */

    /* The open generation; there is none while slots is 0. The first `elites` slots are elites, best first;
     * the first `handed` were asked for. */
    uint64_t first_id; /* of slot 0; the others follow */
    size_t slots, elites, handed, told;
    zi_slot *slot;
    double *genome; /* slots x width */
    size_t slot_capacity, genome_capacity;

    zi_late late;
    zi_news news;
};

/* First ids of foreign points and of evaluations after the search. */
#define ZI_FOREIGN_ID (UINT64_C(1) << 62)
#define ZI_RECOMMEND_ID (UINT64_C(1) << 63)

/* Between generations: the archive takes what was told late, and foreign points. */
zilch_status zi_optimizer_settle(zilch_optimizer *optimizer);

/* Forgets what was asked of the open generation: it is asked again, with the same ids. */
void zi_optimizer_reopen(zilch_optimizer *optimizer);

/* ---- For the store --------------------------------------------------------------------------- */

/* The evaluations of the generation that closed last, in the order in which the archive took them. */
const zi_told *zi_optimizer_news(const zilch_optimizer *optimizer, size_t *count);

/* Everything but the archive, which whoever has recorded all news can make again: */
zilch_status zi_optimizer_pack_state(const zilch_optimizer *optimizer, void *buffer, size_t capacity,
                                     size_t *length);
/* unpack the state, give back the points in order (bytes of zi_rows), then the evaluations in order. */
zilch_status zi_optimizer_unpack_state(zilch_optimizer **out, const void *buffer, size_t length);
zilch_status zi_optimizer_restore_point(zilch_optimizer *optimizer, const unsigned char *bytes,
                                        size_t length);
zilch_status zi_optimizer_restore_value(zilch_optimizer *optimizer, size_t point, double value);
/* Whether it is complete now: EFORMAT if not. */
zilch_status zi_optimizer_restored(zilch_optimizer *optimizer);

/* A point from the bytes of its genome. */
zilch_status zi_point_decode(zilch_law law, size_t dim, const unsigned char *bytes, size_t length, double *x);

/* Everything an optimiser promises, for the tests. */
int zi_optimizer_is_valid(const zilch_optimizer *optimizer);

#endif
