/* What a controller does with one observation. */
#ifndef ZI_PILOT_H
#define ZI_PILOT_H

#include "sim/target.h"
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

/* The quadratic policy with its terms collected, for those who act often with many policies. */
typedef struct zi_policy {
    zi_formula engine[ZILCH_LANDER_ACTIONS];
} zi_policy;

ZI_SIM int zi_quadratic_index(int i, int j); /* where the parameter of s_i s_j stands, i <= j */
ZI_SIM zi_formula zi_formula_of(const double *parameters);
ZI_SIM zi_policy zi_policy_of(const double *parameters); /* ZILCH_POLICY_PARAMETERS of them */
ZI_SIM void zi_policy_act(const zi_policy *policy, const float *observation, double *action);
ZI_SIM void zi_heuristic_act(const float *observation, double *action);

#endif
