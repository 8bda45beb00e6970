/* The quadratic policy with its terms collected, for those who act often with many policies. */
#ifndef ZI_POLICY_H
#define ZI_POLICY_H

#include "zilch.h"

typedef struct zi_term {
    double coefficient;
    int first, second; /* inputs; second is -1 in a linear term */
} zi_term;

typedef struct zi_formula {
    double bias;
    int count;
    zi_term term[ZILCH_POLICY_TERMS];
} zi_formula;

typedef struct zi_policy {
    zi_formula engine[ZILCH_LANDER_ACTIONS];
} zi_policy;

zi_policy zi_policy_of(const double parameters[ZILCH_POLICY_PARAMETERS]);
void zi_policy_act(const zi_policy *policy, const float *observation, double *action);

#endif
