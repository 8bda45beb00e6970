/* Evaluation and back-propagation for a batch of examples at once: matrix products in blocks of
 * 8 x 8 that stay in registers, and the gates element by element in SIMD lanes. Sums run over
 * the inner index in order, so the bits do not depend on the width of the registers, on
 * the size of the batch, or on the example's place in it. */
#include "math/mlp.h"

#include "base/simd.h"

#include <assert.h>

static const float least_divisor = 0.1F;
static const float zeros[ZI_MLP_MOST_UNITS];

/* ---- Matrix products ------------------------------------------------------------- */

enum { STEP = ZI_MLP_STEP };
typedef float lanes __attribute__((vector_size(STEP * sizeof(float)), aligned(sizeof(float)), may_alias));

/* A factor or a start of a sum: entry (i, k) at data[i * row + k * col]. */
typedef struct view {
    const float *data;
    size_t row, col;
} view;

/* rows x STEP entries of c = start + a b; b and c have rows of n, start's are contiguous. */
ZI_LANE void multiply_block(size_t rows, size_t n, size_t inner, view start, view a, const float *b, float *c)
{
    lanes sum[STEP];
    for (size_t i = 0; i < rows; i++) {
        sum[i] = *(const lanes *)(start.data + i * start.row);
    }
    for (size_t k = 0; k < inner; k++) {
        const lanes right = *(const lanes *)(b + k * n);
        for (size_t i = 0; i < rows; i++) {
            sum[i] += a.data[i * a.row + k * a.col] * right;
        }
    }
    for (size_t i = 0; i < rows; i++) {
        *(lanes *)(c + i * n) = sum[i];
    }
}

static view moved(view v, size_t i, size_t j)
{
    v.data += i * v.row + j * v.col;
    return v;
}

/* c (m x n) = start + a (m x inner) b (inner x n), n a multiple of STEP. */
ZI_CLONES
static void multiply(size_t m, size_t n, size_t inner, view start, view a, const float *b, float *c)
{
    const size_t whole = m - m % STEP;
    for (size_t j = 0; j < n; j += STEP) {
        for (size_t i = 0; i < whole; i += STEP) {
            multiply_block(STEP, n, inner, moved(start, i, j), moved(a, i, 0), b + j, c + i * n + j);
        }
        for (size_t i = whole; i < m; i++) {
            multiply_block(1, n, inner, moved(start, i, j), moved(a, i, 0), b + j, c + i * n + j);
        }
    }
}

static view rows_of(const float *matrix, size_t cols)
{
    return (view){matrix, cols, 1};
}

static view columns_of(const float *matrix, size_t cols)
{
    return (view){matrix, 1, cols};
}

/* The same row, over and over. */
static view repeated(const float *row)
{
    return (view){row, 0, 1};
}

static void transpose(size_t n, const float *restrict in, float *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            out[j * n + i] = in[i * n + j];
        }
    }
}

/* ---- Gates ------------------------------------------------------------------------- */

/* 1 / (softplus(gate) + 0.1), as a fraction. */
ZI_LANE void gate_fraction(float gate, float *numerator, float *denominator)
{
    float above;
    float below;
    zi_softplus(gate, &above, &below);
    *numerator = below;
    *denominator = above + least_divisor * below;
}

/* out = value / (softplus(gate) + 0.1) */
ZI_CLONES
static void divide(size_t n, const float *restrict value, const float *restrict gate, float *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        float above;
        float below;
        gate_fraction(gate[i], &above, &below);
        out[i] = value[i] * above / below;
    }
}

/* The same, and its derivatives: by the value, which replaces it, and by the gate, likewise. */
ZI_CLONES
static void divide_slopes(size_t n, float *restrict value, float *restrict gate, float *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        float above;
        float below;
        gate_fraction(gate[i], &above, &below);
        const float slope = above / below;
        out[i] = value[i] * above / below;
        value[i] = slope;
        gate[i] = -out[i] * slope * zi_sigmoid(gate[i]);
    }
}

/* Slopes become gradients: each times that of what they are slopes of. */
ZI_CLONES
static void scale_slopes(size_t n, const float *restrict outer, float *restrict value, float *restrict gate)
{
    for (size_t i = 0; i < n; i++) {
        value[i] *= outer[i];
        gate[i] *= outer[i];
    }
}

ZI_CLONES
static void squash(size_t n, float *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = zi_tanh(y[i]);
    }
}

/* ---- The network --------------------------------------------------------------------- */

/* One gated layer's parameters, or their gradients. */
typedef struct layer {
    size_t inputs, units;
    float *value, *value_bias, *gate, *gate_bias;
} layer;

typedef struct network {
    layer first, second;
    float *output, *output_bias;
} network;

static size_t layer_size(size_t inputs, size_t units)
{
    return 2 * units * (inputs + 1);
}

static layer layer_at(size_t inputs, size_t units, float *block)
{
    return (layer){.inputs = inputs,
                   .units = units,
                   .value = block,
                   .value_bias = block + inputs * units,
                   .gate = block + (inputs + 1) * units,
                   .gate_bias = block + (2 * inputs + 1) * units};
}

static network network_at(zi_mlp_shape shape, float *block)
{
    float *second = block + layer_size(shape.inputs, shape.units);
    float *output = second + layer_size(shape.units, shape.units);
    return (network){.first = layer_at(shape.inputs, shape.units, block),
                     .second = layer_at(shape.units, shape.units, second),
                     .output = output,
                     .output_bias = output + shape.units};
}

size_t zi_mlp_size(zi_mlp_shape shape)
{
    assert(shape.inputs && shape.units && shape.units <= ZI_MLP_MOST_UNITS);
    assert(shape.units % ZI_MLP_STEP == 0);
    return layer_size(shape.inputs, shape.units) + layer_size(shape.units, shape.units) + shape.units + 1;
}

size_t zi_mlp_find_bad(zi_mlp_shape shape, const float *parameter)
{
    const size_t size = zi_mlp_size(shape);
    size_t i = 0;
    while (i < size && isfinite(parameter[i])) {
        i++;
    }
    return i;
}

static void draw(zilch_rng *rng, size_t inputs, size_t count, float *out)
{
    const double bound = 1.0 / sqrt((double)inputs);
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)(bound * (2.0 * zilch_rng_uniform(rng) - 1.0));
    }
}

void zi_mlp_draw(zi_mlp_shape shape, zilch_rng *rng, float *parameter)
{
    assert(rng && parameter);
    const network net = network_at(shape, parameter);
    draw(rng, shape.inputs, layer_size(shape.inputs, shape.units), net.first.value);
    draw(rng, shape.units, layer_size(shape.units, shape.units), net.second.value);
    draw(rng, shape.units, shape.units + 1, net.output);
}

static void apply_layer(const layer *l, size_t rows, view x, float *value, float *gate)
{
    multiply(rows, l->units, l->inputs, repeated(l->value_bias), x, l->value, value);
    multiply(rows, l->units, l->inputs, repeated(l->gate_bias), x, l->gate, gate);
}

/* Summed in lanes, in an order that no register width changes. */
ZI_CLONES
static void apply_output(size_t rows, size_t units, const float *restrict weight, float bias,
                         const float *restrict h, float *restrict y)
{
    for (size_t r = 0; r < rows; r++) {
        float sum[STEP] = {0};
        for (size_t j = 0; j < units; j += STEP) {
            for (size_t i = 0; i < STEP; i++) {
                sum[i] += weight[j + i] * h[r * units + j + i];
            }
        }
        y[r] = bias + (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])));
    }
}

size_t zi_mlp_evaluate_space(zi_mlp_shape shape, size_t rows)
{
    return 3 * rows * shape.units;
}

void zi_mlp_evaluate(zi_mlp_shape shape, const float *parameter, size_t rows, const float *x, float *space,
                     float *y)
{
    const network net = network_at(shape, (float *)parameter);
    const size_t n = rows * shape.units;
    float *value = space;
    float *gate = space + n;
    float *h = space + 2 * n;
    apply_layer(&net.first, rows, columns_of(x, rows), value, gate);
    divide(n, value, gate, h);
    apply_layer(&net.second, rows, rows_of(h, shape.units), value, gate);
    divide(n, value, gate, h);
    apply_output(rows, shape.units, net.output, *net.output_bias, h, y);
    squash(rows, y);
}

/* ---- Its gradient ----------------------------------------------------------------------- */

static void sum_rows(size_t rows, size_t n, const float *restrict matrix, float *restrict out)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++) {
            out[j] += matrix[i * n + j];
        }
    }
}

/* From the gradients by the layer's value and gate to those by its parameters; x as inputs x
 * rows. */
static void layer_gradient(const layer *gradient, size_t rows, view x, const float *value, const float *gate)
{
    const size_t inputs = gradient->inputs;
    const size_t units = gradient->units;
    multiply(inputs, units, rows, repeated(zeros), x, value, gradient->value);
    multiply(inputs, units, rows, repeated(zeros), x, gate, gradient->gate);
    sum_rows(rows, units, value, gradient->value_bias);
    sum_rows(rows, units, gate, gradient->gate_bias);
}

/* Gradient by the layer's inputs; `room` holds a transposed matrix. */
static void input_gradient(const layer *l, size_t rows, const float *value, const float *gate, float *room,
                           float *out)
{
    transpose(l->units, l->value, room);
    multiply(rows, l->units, l->units, repeated(zeros), rows_of(value, l->units), room, out);
    transpose(l->units, l->gate, room);
    multiply(rows, l->units, l->units, rows_of(out, l->units), rows_of(gate, l->units), room, out);
}

/* y becomes the gradient by the tanh's argument. */
static double output_gradient(size_t rows, const float *target, float *y)
{
    double sum = 0.0;
    const float scale = 2.0F / (float)rows;
    for (size_t r = 0; r < rows; r++) {
        const float error = y[r] - target[r];
        sum += (double)error * (double)error;
        y[r] = scale * error * (1.0F - y[r]) * (1.0F + y[r]);
    }
    return sum / (double)rows;
}

size_t zi_mlp_gradient_space(zi_mlp_shape shape, size_t rows)
{
    return 7 * rows * shape.units + rows + shape.units * shape.units;
}

double zi_mlp_gradient(zi_mlp_shape shape, const float *parameter, size_t rows, const float *x,
                       const float *target, float *space, float *gradient)
{
    const network net = network_at(shape, (float *)parameter);
    const network by = network_at(shape, gradient);
    const size_t n = rows * shape.units;
    float *value1 = space, *gate1 = space + n, *h1 = space + 2 * n;
    float *value2 = space + 3 * n, *gate2 = space + 4 * n, *h2 = space + 5 * n;
    float *by_h = space + 6 * n, *y = space + 7 * n, *room = y + rows;

    apply_layer(&net.first, rows, columns_of(x, rows), value1, gate1);
    divide_slopes(n, value1, gate1, h1);
    apply_layer(&net.second, rows, rows_of(h1, shape.units), value2, gate2);
    divide_slopes(n, value2, gate2, h2);
    apply_output(rows, shape.units, net.output, *net.output_bias, h2, y);
    squash(rows, y);
    const double error = output_gradient(rows, target, y);

    memset(gradient, 0, zi_mlp_size(shape) * sizeof *gradient);
    for (size_t r = 0; r < rows; r++) {
        *by.output_bias += y[r];
        for (size_t j = 0; j < shape.units; j++) {
            by.output[j] += y[r] * h2[r * shape.units + j];
            by_h[r * shape.units + j] = y[r] * net.output[j];
        }
    }
    scale_slopes(n, by_h, value2, gate2);
    layer_gradient(&by.second, rows, columns_of(h1, shape.units), value2, gate2);
    input_gradient(&net.second, rows, value2, gate2, room, by_h);
    scale_slopes(n, by_h, value1, gate1);
    layer_gradient(&by.first, rows, rows_of(x, rows), value1, gate1);
    return error;
}
