/* Networks of the published form, evaluated and differentiated once more: in double precision, an example at
 * a time, by the formulas as they stand, the gradient by central differences. Parameters in the order of
 * src/math/mlp.h. */
#ifndef ZILCH_TESTS_REFERENCE_NETWORK_H
#define ZILCH_TESTS_REFERENCE_NETWORK_H

#include "math/mlp.h"

#include <math.h>

/* One gated layer; returns where its parameters end. */
static inline const double *reference_layer(size_t inputs, size_t units, const double *parameter,
                                            const double *x, double *out)
{
    const double *value = parameter, *value_bias = value + inputs * units;
    const double *gate = value_bias + units, *gate_bias = gate + inputs * units;
    for (size_t u = 0; u < units; u++) {
        double above = value_bias[u];
        double below = gate_bias[u];
        for (size_t k = 0; k < inputs; k++) {
            above += value[k * units + u] * x[k];
            below += gate[k * units + u] * x[k];
        }
        out[u] = above / (fmax(below, 0.0) + log1p(exp(-fabs(below))) + 0.1);
    }
    return gate_bias + units;
}

static inline double reference_answer(zi_mlp_shape shape, const double *parameter, const double *x)
{
    double first[ZI_MLP_MOST_UNITS];
    double second[ZI_MLP_MOST_UNITS];
    const double *next = reference_layer(shape.inputs, shape.units, parameter, x, first);
    next = reference_layer(shape.units, shape.units, next, first, second);
    double sum = next[shape.units];
    for (size_t u = 0; u < shape.units; u++) {
        sum += next[u] * second[u];
    }
    return tanh(sum);
}

/* Derivative of (y - target)^2 of one example by parameter p. */
static inline double reference_slope(zi_mlp_shape shape, double *parameter, size_t p, const double *x,
                                     double target)
{
    const double h = 1e-5;
    const double middle = parameter[p];
    parameter[p] = middle + h;
    const double above = reference_answer(shape, parameter, x) - target;
    parameter[p] = middle - h;
    const double below = reference_answer(shape, parameter, x) - target;
    parameter[p] = middle;
    return (above - below) * (above + below) / (2.0 * h);
}

#endif
