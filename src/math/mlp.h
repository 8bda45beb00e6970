/* Networks of the published form, two gated layers and a tanh:
 *
 *     h1 = (W1 x + b1) / (softplus(W2 x + b2) + 0.1)
 *     h2 = (W3 h1 + b3) / (softplus(W4 h1 + b4) + 0.1)
 *     y  = tanh(w h2 + b)
 *
 * in single precision. All parameters are one block, in the order W1 b1 W2 b2 W3 b3 W4 b4 w b,
 * each W with an input's weights to all units together. The same bits on every processor. */
#ifndef ZI_MLP_H
#define ZI_MLP_H

#include "zilch.h"

enum { ZI_MLP_STEP = 8, ZI_MLP_MOST_UNITS = 128 }; /* units are a multiple of the step */

typedef struct zi_mlp_shape {
    size_t inputs, units;
} zi_mlp_shape;

size_t zi_mlp_size(zi_mlp_shape shape); /* floats in the parameter block */

/* The first parameter that is not finite; the size of the block if all are. */
size_t zi_mlp_find_bad(zi_mlp_shape shape, const float *parameter);

/* Parameters to begin a training with: uniform in +- 1/sqrt(inputs of the layer), biases too. */
void zi_mlp_draw(zi_mlp_shape shape, zilch_rng *rng, float *parameter);

/* Floats of workspace that `rows` examples at once need, for y alone and for the gradient. */
size_t zi_mlp_evaluate_space(zi_mlp_shape shape, size_t rows);
size_t zi_mlp_gradient_space(zi_mlp_shape shape, size_t rows);

/* y of each example. x is inputs x rows: an input's values of all examples together. */
void zi_mlp_evaluate(zi_mlp_shape shape, const float *parameter, size_t rows, const float *x, float *space,
                     float *y);

/* The mean of (y - target)^2 over the rows, and its gradient. */
double zi_mlp_gradient(zi_mlp_shape shape, const float *parameter, size_t rows, const float *x,
                       const float *target, float *space, float *gradient);

#endif
