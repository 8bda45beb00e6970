/* Whether any point keeps a set of limits, and one that does. */
#ifndef ZI_FEASIBILITY_H
#define ZI_FEASIBILITY_H

#include "search/constraints.h"

typedef enum zi_answer {
    ZI_ANSWER_YES,
    ZI_ANSWER_NO,
    ZI_ANSWER_UNKNOWN /* it would take too long to find out */
} zi_answer;

/* `x` (dim) gets a point that keeps the limits, if there is one. *is_single, unless it is NULL: no other
 * point does, whatever is on or off. */
zilch_status zi_feasibility_find(const zi_constraints *constraints, double *x, zi_answer *answer,
                                 int *is_single);

/* The same for units that are on or off already, within a moment: 0 if that does not do. */
typedef struct zi_feasibility zi_feasibility;
/* `constraints` must live as long. Whatever it returns, zi_feasibility_destroy(). */
zilch_status zi_feasibility_create(zi_feasibility **out, const zi_constraints *constraints);
void zi_feasibility_destroy(zi_feasibility *search);
int zi_feasibility_settle(zi_feasibility *search, const unsigned char *on, double *x);

/* EARG for limits that no point keeps: which of them contradict each other, as few as will do. */
zilch_status zi_feasibility_refuse(const zi_constraints *constraints);

#endif
