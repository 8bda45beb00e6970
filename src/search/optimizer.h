/* The optimiser's inside, for its own files and for the store. */
#ifndef ZI_OPTIMIZER_H
#define ZI_OPTIMIZER_H

#include "base/ids.h"
#include "search/archive.h"
#include "search/constraints.h"
#include "search/law.h"
#include "search/noise_estimate.h"
#include "search/refine.h"
#include "search/trend.h"

/* A point that was, or may be, asked for. */
typedef enum zi_slot_state { ZI_SLOT_NEW, ZI_SLOT_ASKED, ZI_SLOT_TOLD } zi_slot_state;
typedef struct zi_slot {
    uint64_t id;         /* as the archive has it; whoever asks and tells has its zi_id_number() */
    double value, error; /* error NaN: not known */
    double violation;    /* finite, and not below 0 */
    zi_slot_state state;
} zi_slot;

/* Points outside the open generation: of earlier ones, asked and perhaps told late, and foreign ones. They
 * wait here until the archive takes them. */
typedef struct zi_stragglers {
    zi_rows rows;
    zi_slot *slot;
    size_t capacity;
} zi_stragglers;

/* Evaluations since the last generation closed, or those of the one that did. */
typedef struct zi_new_evaluations {
    zi_evaluation *list;
    size_t count, capacity;
    int is_closed;
} zi_new_evaluations;

/* From the beginning, or from a restart: elites are points that were asked for in this time, or came from
 * elsewhere at any. */
typedef struct zi_epoch {
    uint64_t begin;    /* generation */
    uint64_t improved; /* the generation that found the least cost of the epoch, */
    double least_cost; /* and that cost, */
    double violation;  /* and by how much that point breaks limits that only its evaluation knows */
    uint64_t first_id; /* of its first evaluation */
} zi_epoch;

/* The refinement, a search from one point on, and the distribution take turns, a generation each. */
typedef struct zi_turns {
    zi_refine *refine;    /* NULL: the distribution has all of them */
    uint64_t evaluations; /* that the refinement has had, */
    double share;         /* and the share of all that it may have */
    uint64_t starts;
    double cost;       /* the least cost when it was started last, */
    double violation;  /* and the violation of that point */
    uint64_t checked;  /* evaluations when a point was last evaluated again to see whether there is noise */
    uint64_t improved; /* evaluations when the least cost was found */
} zi_turns;

struct zilch_optimizer {
    zilch_optimizer_options options; /* arrays and networks are its own */
    size_t dim, width;               /* of a point and of its genome */
    uint64_t seed;
    zi_constraints constraints;
    zi_first first;
    uint64_t points_in_all; /* that the limits leave; 0: without end */
    zi_archive archive;
    size_t restored_points; /* how many the archive must have when it is given back; SIZE_MAX: any number */

    uint64_t generations, evaluations, failures, foreign;
    uint64_t improved; /* the generation that found the least cost ever, */
    double least_cost; /* and that cost, */
    double violation;  /* and that point's violation */
    uint64_t restarts;
    zi_epoch epoch;
    zi_noise noise;
    zi_turns turns;
    zi_trend trend;         /* of noisy values; follows from the archive, and from the noise */
    int is_smooth;          /* the archive's points are estimated by it */
    zi_law_state law_state; /* of the last generation that closed */
    int is_old;             /* read from what zilch 0.1 wrote, which has laws in the place of methods */
    const char *gone;       /* an option of an earlier version that this run needs; NULL: none */

    /* The open generation; there is none while slots is 0. The first `reevaluated` slots are points that are
     * evaluated again; the first `handed` were asked for. */
    uint64_t first_id; /* of slot 0; the others follow */
    size_t population; /* how many of them must be told, unless the quorum is lower */
    size_t refined;    /* the first so many are the refinement's; then nothing is evaluated again */
    size_t slots, reevaluated, handed, told;
    size_t elites, *elite; /* points of the archive, best first */
    zi_fitted fitted;      /* its law, once a point was drawn from it here */
    zi_slot *slot;
    double *genome; /* slots x width */
    size_t slot_capacity, genome_capacity;

    zi_stragglers stragglers;
    zi_new_evaluations fresh;
};

static inline zi_penalty zi_optimizer_penalty(const zilch_optimizer *optimizer)
{
    return (zi_penalty){optimizer->options.penalty, optimizer->options.penalties};
}

/* The point of a genome as the user knows it; that of the archive as the search does, in offsets. */
void zi_optimizer_show(const zilch_optimizer *optimizer, const double *genome, double *x);
zilch_status zi_optimizer_read(const zilch_optimizer *optimizer, size_t point, double *x);

/* The archive's point with this genome, which is added if there is none yet. */
zilch_status zi_optimizer_find(zilch_optimizer *optimizer, const double *genome, size_t *point);

/* Between generations: the archive takes what was told late, and foreign points. */
zilch_status zi_optimizer_settle(zilch_optimizer *optimizer);

/* Whenever the archive has changed: where values are noisy, its points are ranked by estimates. */
zilch_status zi_optimizer_smooth(zilch_optimizer *optimizer);

/* Opens a generation; on failure there is none. ENUMERIC: the elites have no law, or one whose points are no
 * numbers; *ending says whether that is because the search has converged or diverged, or STOP_NONE. Then
 * zi_generation_restart() opens one that begins anew. */
zilch_status zi_generation_open(zilch_optimizer *optimizer, zilch_stop *ending);
zilch_status zi_generation_restart(zilch_optimizer *optimizer);
/* Draws one more piece of new points, as many as a population has beside the elites that are evaluated again.
 */
zilch_status zi_generation_append(zilch_optimizer *optimizer);
/* The law of the open generation is fitted when it is first needed, in one place: when points are drawn from
 * it, or when the generation closes after a load. */
zilch_status zi_generation_fit(zilch_optimizer *optimizer);
void zi_generation_forget(zilch_optimizer *optimizer);
/* Room for so many slots. */
zilch_status zi_generation_reserve(zilch_optimizer *optimizer, size_t slots);

/* The id of a slot, as the archive has it. */
static inline uint64_t zi_slot_id(const zilch_optimizer *optimizer, size_t slot)
{
    return (optimizer->first_id + slot) | (slot < optimizer->refined ? ZI_REFINED_ID : 0);
}

/* The archive is kept, but the next elites come from what is found from here on. */
void zi_optimizer_begin_anew(zilch_optimizer *optimizer);

/* Forgets what was asked of the open generation: it is asked again, with the same ids. */
void zi_optimizer_reopen(zilch_optimizer *optimizer);

/* The evaluations that a budget counts: foreign points cost nothing. */
uint64_t zi_optimizer_budgeted(const zilch_optimizer *optimizer);

/* ---- For the store --------------------------------------------------------------------------- */

/* The evaluations of the generation that closed last, in the order in which the archive took them. */
const zi_evaluation *zi_optimizer_new_evaluations(const zilch_optimizer *optimizer, size_t *count);

/* Everything but the archive, which whoever has recorded all news can make again: */
zilch_status zi_optimizer_pack_state(const zilch_optimizer *optimizer, void *buffer, size_t capacity,
                                     size_t *length);
/* unpack the state, give back the points in order (bytes of zi_rows), then the evaluations in order. */
zilch_status zi_optimizer_unpack_state(zilch_optimizer **out, const void *buffer, size_t length);
zilch_status zi_optimizer_restore_point(zilch_optimizer *optimizer, const unsigned char *bytes,
                                        size_t length);
/* The same of one that was forgotten; `penalties` are those of its active coordinates, NaN if the run has
 * none. */
zilch_status zi_optimizer_restore_forgotten(zilch_optimizer *optimizer, uint64_t active, double penalties);
zilch_status zi_optimizer_restore_value(zilch_optimizer *optimizer, const zi_evaluation *evaluation);
/* What zilch 0.1 wrote does not say whether the method was published. The run does. */
void zi_optimizer_take_method(zilch_optimizer *optimizer, zilch_method method);
/* Whether it is complete now: EFORMAT if not. */
zilch_status zi_optimizer_restored(zilch_optimizer *optimizer);

/* A point from the bytes of its genome, as the user knows it, and how many coordinates are active. */
zilch_status zi_point_decode(zilch_method method, const zi_allowed *allowed, const unsigned char *bytes,
                             size_t length, double *x, size_t *active);
/* What values a packed state's points may have, and no other limits. A state that cannot be read has no
 * defaults. Whatever it returns, zi_constraints_free(). */
zilch_status zi_optimizer_unpack_allowed(zi_constraints *out, size_t dim, const void *state, size_t length);

/* A run of zilch 0.1 goes on as it began: its first law knows no bounds, and values are clipped at them. */
void zi_optimizer_take_old(zilch_optimizer *optimizer);

/* Everything an optimiser promises, for the tests. */
int zi_optimizer_is_valid(const zilch_optimizer *optimizer);

#endif
