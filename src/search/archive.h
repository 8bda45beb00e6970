/* The archive, or fitness map: every point ever evaluated and what it is worth. */
#ifndef ZI_ARCHIVE_H
#define ZI_ARCHIVE_H

#include "base/ids.h"
#include "search/sparse_rows.h"

typedef struct zi_archive_entry {
    double value;     /* latest, or mean of what succeeded */
    double estimate;  /* what it is ranked by: the value, or more where there is noise (trend.h) */
    double weight;    /* of the value: 1, or the sum of the weights in the mean */
    double violation; /* of limits that only its evaluation knows: that of the value; 0: it is feasible */
    double penalties; /* what those that its active coordinates have of their own add up to */
    uint64_t id;      /* the highest of its evaluations' */
    uint32_t evaluations, failures; /* failures are among the evaluations */
    uint32_t active;
    uint32_t is_ranked; /* has a value that counts */
} zi_archive_entry;

typedef struct zi_archive {
    zilch_aggregate aggregate;
    double penalty;          /* of an active coordinate */
    const double *penalties; /* of each coordinate, beside it; NULL: none */
    double sign;             /* 1 to minimise, -1 to maximise */
    zi_rows rows;            /* genomes, in the order of their first values */
    zi_archive_entry *entry;
    size_t entry_capacity;
    uint32_t *slot;    /* hash table: row + 1, 0 where free */
    size_t slots;      /* a power of 2, or 0 */
    size_t *forgotten; /* points that the last zi_archive_forget() has forgotten: */
    size_t forgotten_count, forgotten_capacity;
    size_t best;  /* number of the best point + 1; 0: there is none */
    double noise; /* standard deviation of a value of weight 1; 0: none, or not known */
    double lack;  /* of what estimates miss beside it; 0: estimates are values */
} zi_archive;

void zi_archive_free(zi_archive *archive);

/* Finds or adds the point with this genome, of `active` active coordinates whose own penalties add up to
 * `penalties`. */
zilch_status zi_archive_find(zi_archive *archive, const double *genome, size_t active, double penalties,
                             size_t *point);

/* Whether there is a point with this genome. */
zilch_status zi_archive_lookup(const zi_archive *archive, const double *genome, size_t *point, int *is_there);

/* The coordinates of all but the best `most` points, and the best `most` since an id, are forgotten; what
 * they are worth stays. They are not found, selected or ranked any more. */
zilch_status zi_archive_forget(zi_archive *archive, uint64_t since, size_t most);
int zi_archive_is_forgotten(const zi_archive *archive, size_t point);
zilch_status zi_archive_add_forgotten(zi_archive *archive, size_t active,
                                      double penalties); /* as the next point */

/* One more evaluation of a point. */
typedef struct zi_evaluation {
    uint64_t id;
    size_t point;
    double value;     /* not finite: failed */
    double error;     /* its standard error; NaN: not known */
    double violation; /* finite, and not below 0 */
    double weight;    /* above 0, once the archive takes it: 1 unless the standard error is known */
} zi_evaluation;

void zi_archive_put(zi_archive *archive, const zi_evaluation *evaluation);

/* What is to be minimised, and the same in the user's direction. */
double zi_archive_cost(const zi_archive *archive, double value, size_t active, double penalties);
double zi_archive_fitness(const zi_archive *archive, double value, size_t active, double penalties);

/* Whether a point of this violation and cost is better than another: feasible ones come first, then those of
 * lesser violation; where these are equal, the cost decides. */
int zi_is_better(double violation, double cost, double other_violation, double other_cost);

/* The best `most` points, best first, of equals the older; gives how many there were. Only those that were
 * asked for with this id or a later one, and foreign ones; 0: all. Where there is noise, a feasible point
 * counts with two standard errors less than it is worth. */
size_t zi_archive_select(const zi_archive *archive, uint64_t since, size_t most, size_t *best);

/* The same of points that the refinement has not found, and of the best point of all, by what they are
 * worth: what may be good is worth a try. */
size_t zi_archive_select_drawn(const zi_archive *archive, uint64_t since, size_t most, size_t *best);

/* The value of a point to minimise; of a feasible one, where there is noise, with two standard errors less.
 */
double zi_archive_careful_value(const zi_archive *archive, size_t point);

/* The best point of all; 0 if there is none. After entries were filled in by hand, it must be found first. */
void zi_archive_find_best(zi_archive *archive);
int zi_archive_best(const zi_archive *archive, size_t *best);

zilch_record zi_archive_record(const zi_archive *archive, size_t point);

#endif
