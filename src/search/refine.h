/* The refinement: a local search without derivatives, by a quadratic model of the active coordinates and
 * those that promise to be worth their penalty. It is for objectives whose values have no noise. It is asked
 * for points and told their values like the optimiser; the points are its own to choose. */
#ifndef ZI_REFINE_H
#define ZI_REFINE_H

#include "base/bytes.h"
#include "search/constraints.h"
#include "search/sparse_rows.h"

typedef struct zi_refine zi_refine;

/* What an active coordinate costs: the common penalty, and its own beside it (dim; NULL: it has none). */
typedef struct zi_penalty {
    double common;
    const double *own;
} zi_penalty;

/* `mu` and `sigma` (dim each): the first mean and spread of each coordinate; they and the penalties are
 * copied. `constraints` must live as long. There is nothing to ask for before zi_refine_start(). */
zilch_status zi_refine_create(zi_refine **out, const zi_constraints *constraints, const double *mu,
                              const double *sigma, zi_penalty penalty, uint64_t seed);
void zi_refine_destroy(zi_refine *refine); /* accepts NULL */

/* What the archive has of a point. `value` is to be minimised, and is without the penalty; one that is not
 * finite has failed. `violation` says by how much the point breaks limits that only its evaluation knows. */
typedef struct zi_known {
    size_t number;
    double value, violation;
} zi_known;

/* From this point on, which must keep the limits on coordinates. What was asked for and not told is
 * forgotten. A dense start meets no penalty at first: it rises. */
zilch_status zi_refine_start(zi_refine *refine, const double *x, const zi_known *told, int is_dense);
int zi_refine_is_done(const zi_refine *refine); /* there is nothing left to try from here */

/* The next batch, n points (n x dim) that live until the next call; the same one until it has been told. n is
 * 0 only where it is done. No point is in a batch twice, and all keep the limits and the user's rule. If the
 * rule fails, the same points are made to keep it the next time. */
zilch_status zi_refine_ask(zi_refine *refine, size_t *n, const double **x);
zilch_status zi_refine_tell(zi_refine *refine, size_t n, const double *x,
                            const zi_known *told); /* the whole batch */

/* The best point since the start; its value is without the penalty. A feasible one is better than any other.
 */
void zi_refine_best(const zi_refine *refine, const double **x, double *value);

/* What was read goes on exactly as what was written would have. EFORMAT if the bytes are none of these. */
void zi_refine_write(const zi_refine *refine, zi_writer *writer);
/* What it knows of violations: written and read behind the rest, where there are any. 0 if the bytes are
 * none. */
int zi_refine_has_violations(const zi_refine *refine);
void zi_refine_write_violations(const zi_refine *refine, zi_writer *writer);
int zi_refine_read_violations(zi_refine *refine, zi_reader *in);
zilch_status zi_refine_read(zi_refine **out, const zi_constraints *constraints, const double *mu,
                            const double *sigma, zi_penalty penalty, zi_reader *reader);
/* Once the archive is there too, behind all of these: only then may it go on. EFORMAT if points are missing.
 */
zilch_status zi_refine_read_archive(zi_refine *refine, const zi_rows *archive);

#endif
