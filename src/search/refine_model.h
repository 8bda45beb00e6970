/* What the refinement knows, and its model: the working set of coordinates, a quadratic of them, and the step
 * that the quadratic suggests. Steps are measured in units, one for each coordinate. */
#ifndef ZI_REFINE_MODEL_H
#define ZI_REFINE_MODEL_H

#include "search/constraints.h"
#include "search/refine.h"
#include "search/refine_points.h"

enum {
    ZI_WORKING_MOST = 40, /* coordinates of the quadratic */
    ZI_WIDE_MOST = 3,     /* steps without gain, after which zeros stay zero */
    ZI_BATCH_LEAST = 16,
    ZI_BATCH_MOST = 64, /* points of a batch; fewer where points are long */
};

typedef enum zi_refine_phase {
    ZI_REFINE_SWEEP, /* coordinates are probed one by one */
    ZI_REFINE_STEP,  /* steps to the minimum of the model in a trust region */
    ZI_REFINE_DROP,  /* trials with fewer active coordinates */
    ZI_REFINE_SCAN,  /* single coordinates anywhere, and by steps of any size */
    ZI_REFINE_DONE,
    ZI_REFINE_PHASES
} zi_refine_phase;

typedef enum zi_refine_kind { /* of the batch */
                              ZI_BATCH_PROBES,
                              ZI_BATCH_STEP,
                              ZI_BATCH_GEOMETRY, /* points that the model needs */
                              ZI_BATCH_DROPS,
                              ZI_BATCH_SCAN,
                              ZI_BATCH_KINDS
} zi_refine_kind;

/* What a step may switch, for limits on which coordinates are active. */
typedef enum zi_refine_hold { ZI_HOLD_NOTHING, ZI_HOLD_ZEROS, ZI_HOLD_ALL, ZI_HOLDS } zi_refine_hold;

typedef struct zi_near { /* a point of the ring near the incumbent */
    double distance;
    size_t row;
} zi_near;

typedef struct zi_ranked {
    double key;
    size_t coordinate;
} zi_ranked;

/* Numbers that are written to a file. */
typedef struct zi_refine_state {
    uint32_t phase, back, kind; /* back: the phase after steps */
    uint32_t failed_groups;     /* groups of probes in a row whose steps gained nothing */
    uint32_t failed_steps, tiny_steps;
    uint32_t counted_steps; /* since the cost was counted_cost */
    uint32_t has_geometry;  /* the model needs no further points: the last step has gained, or they were just
                               evaluated */
    uint32_t is_centred;    /* the model is that of the incumbent already */
    uint32_t scan_gains;
    uint32_t wide_failures; /* steps without gain that made zeros active, since one that gained */
    uint32_t is_whole; /* the quadratic goes through as many points as define it, and has to show its worth */
    uint32_t whole_wait;  /* evaluations until there may be another such one */
    uint32_t whole_pause; /* what they are multiplied by, for each that was of no use */
    uint64_t next;        /* of the order of coordinates */
    uint64_t working;     /* coordinates in the working set */
    uint64_t batch;       /* points that were asked for and not told */
    uint64_t raw;         /* the last so many of them have yet to be made to keep the user's rule */
    double value;         /* of the incumbent: its merit */
    double probe;         /* by how much coordinates are probed */
    double radius;        /* of the trust region */
    double predicted;     /* gain of the step */
    double swept;         /* cost after the last sweep */
    double counted_cost;
    double penalty; /* now, of the dearest coordinate: it may be rising to the whole one */
    /* These are written where there are violations, behind the rest. */
    double told, violation; /* of the incumbent */
    double rho;             /* what a violation of 1 costs: a merit is a value and rho times its violation */
} zi_refine_state;

struct zi_refine {
    const zi_constraints *limits;
    size_t dim, most_working, most_near, most_batch;
    double penalty; /* the whole one of the dearest coordinate */
    zilch_rng rng;
    zi_refine_state state;
    zi_points points;
    zi_mover mover;     /* where there are linear limits */
    zi_lattice lattice; /* and steps or lists */

    double *numbers;         /* one block: x to part */
    double *x;               /* the incumbent; dim, as those that follow */
    double *mu, *unit;       /* first mean; what steps are measured in */
    double *slope, *bend;    /* of single coordinates, at the last probe */
    double *part;            /* of the dearest one's penalty that each has; 1 where all cost the same */
    unsigned char *bytes;    /* one block: is_known to place */
    unsigned char *is_known; /* slope and bend are */
    unsigned char *forced;   /* zilch_forced */
    unsigned char *place;    /* in the working set, from 1; 0: not in it */
    size_t *order;           /* of coordinates in sweeps and scans */
    double *batch_x;         /* most_batch x dim, and room for one point */
    uint64_t batch_hash[ZI_BATCH_MOST];
    size_t batch_subject[ZI_BATCH_MOST];                              /* the coordinate of a probe */
    double batch_told[ZI_BATCH_MOST], batch_violation[ZI_BATCH_MOST]; /* while values are told */

    size_t member[ZI_WORKING_MOST];
    double g[ZI_WORKING_MOST];                   /* the quadratic g'z + z'Hz / 2 */
    double h[ZI_WORKING_MOST * ZI_WORKING_MOST]; /* rows of ZI_WORKING_MOST */
    double step[ZI_WORKING_MOST];
    double old_h[ZI_WORKING_MOST * ZI_WORKING_MOST]; /* where is_whole: the one before */

    /* Room for work; nothing of it outlives a call but `near` and `z`, from selecting to fitting. */
    size_t usable;     /* points that differ from the incumbent in the working set only */
    size_t near_count; /* those of them that are nearest */
    double scale;      /* what steps to them are measured in, beside units */
    zi_near *near;
    double *z, *rows; /* steps to the near points, in units and scale: working x near, near x working */
    double *matrix;   /* of the equations, and of Newton's step */
    double *right;    /* their right side */
    int32_t *pivot;
    zi_ranked *ranked; /* dim */
};

size_t zi_refine_active(const zi_refine *r, const double *x);

/* The penalty of a coordinate now. */
double zi_refine_penalty(const zi_refine *r, size_t i);

/* What the active coordinates of a point cost, as multiples of what the dearest one does. */
double zi_refine_parts(const zi_refine *r, const double *x);

/* With the penalty. */
double zi_refine_cost(const zi_refine *r, double value, const double *x);

/* What the model is made of: a value, or what it is with its violation. */
static inline double zi_refine_merit(const zi_refine *r, double value, double violation)
{
    return violation > 0.0 ? value + r->state.rho * violation : value;
}

/* Where points break limits: sets rho by what is known of them, and the incumbent's merit. */
void zi_refine_weigh(zi_refine *r);

/* The active coordinates and those that promise a gain, the best of them. */
void zi_refine_choose(zi_refine *r);

/* The points that the model goes through: those next to the incumbent that differ from it in the working set
 * only.
 */
void zi_refine_select(zi_refine *r);

/* lacks[a]: no near point differs from the incumbent much in coordinate member[a]. */
void zi_refine_inspect(const zi_refine *r, unsigned char *lacks);

/* The quadratic through these points; false if there is none. */
int zi_refine_fit(zi_refine *r);

/* Whether there are enough points to define a quadratic, whatever the last one was, and it is time to try it;
 * and that. It goes through far points too. */
int zi_refine_is_whole_due(const zi_refine *r);
int zi_refine_fit_whole(zi_refine *r);
void zi_refine_forget_whole(zi_refine *r); /* back to the matrix before */

/* The step, and what it promises. */
double zi_refine_solve(zi_refine *r, zi_refine_hold hold);

/* Makes the step that which leads to x, and gives what that promises. */
double zi_refine_predict(zi_refine *r, const double *x);

/* What the model says is lost by making member[at] zero, when the others follow: into `step` (working set).
 */
double zi_refine_loss(zi_refine *r, size_t at, double *step);

/* The model's gradient after a step, and its change of the cost. */
void zi_refine_gradient(const zi_refine *r, const double *step, double *slope);
double zi_refine_change(const zi_refine *r, const double *step);

/* With linear limits: r->step becomes one that keeps them and promises as much as can be had nearby; gives
 * what it promises. */
double zi_refine_keep_limits(zi_refine *r, zi_refine_hold hold);
/* x, of which the refinement is to make a point, moves to the nearest one with the same active coordinates
 * that keeps them; 0 if there is none. */
int zi_refine_project(zi_refine *r, double *x);

/* The model's origin moves with the incumbent, by `step`. */
void zi_refine_recentre(zi_refine *r);

/* x, which is the incumbent, moved by a step of the working set. */
void zi_refine_move(const zi_refine *r, const double *step, double *x);

/* The next batch of this phase; it may be empty. */
void zi_refine_propose(zi_refine *r);
/* Has the user's rule look at the points of the batch that it has not seen. What it makes the incumbent, or
 * a point that is there, is left out. */
zilch_status zi_refine_keep_rule(zi_refine *r);

/* A new order of the coordinates. */
void zi_refine_shuffle(zi_refine *r);

#endif
