/* How long an epoch of training takes, beside its multiplications and additions alone, at the
 * speed this processor has for them in registers. Best of several repetitions, in turn. */
#include "base/simd.h"
#include "suites.h"
#include "train/examples.h"

#include <stdio.h>

enum { EXAMPLES = 16000, VALIDATING = EXAMPLES / 5, TRAINING = EXAMPLES - VALIDATING };

/* Multiply-adds of one example: a pass forward, and one back, which needs the products with the
 * gradients twice, but for the inputs' own. */
static double forward_work(double inputs, double units)
{
    return 2.0 * inputs * units + 2.0 * units * units + units;
}

static double backward_work(double inputs, double units)
{
    return 2.0 * inputs * units + 4.0 * units * units + 2.0 * units;
}

/* Multiplications and additions that wait for nothing but their own chain's last one, in vectors
 * of so many floats. */
enum { CHAINS = 6, ROUNDS = 100000 };
#define DEFINE_MULTIPLY_ADD(width)                                                \
    ZI_CLONES                                                                     \
    static void multiply_add_##width(float *x)                                    \
    {                                                                             \
        typedef float wide __attribute__((vector_size((width) * sizeof(float)))); \
        wide product[CHAINS], sum[CHAINS];                                        \
        memcpy(product, x, sizeof product);                                       \
        memcpy(sum, x, sizeof sum);                                               \
        for (int i = 0; i < ROUNDS; i++) {                                        \
            for (int k = 0; k < CHAINS; k++) {                                    \
                product[k] *= 0.999F;                                             \
                sum[k] += 0.001F;                                                 \
            }                                                                     \
        }                                                                         \
        for (int k = 0; k < CHAINS; k++) {                                        \
            product[k] += sum[k];                                                 \
        }                                                                         \
        memcpy(x, product, sizeof product);                                       \
    }
DEFINE_MULTIPLY_ADD(4)
DEFINE_MULTIPLY_ADD(8)
DEFINE_MULTIPLY_ADD(16)

static const struct kernel {
    double width;
    void (*run)(float *x);
} kernels[] = {{4, multiply_add_4}, {8, multiply_add_8}, {16, multiply_add_16}};

/* The time for so many multiply-adds in the width that suits this processor best. */
static double seconds_of(double work)
{
    float x[CHAINS * 16] = {0};
    double best = INFINITY;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const double start = bench_seconds();
        kernels[i].run(x);
        best = fmin(best, (bench_seconds() - start) / (ROUNDS * CHAINS * kernels[i].width));
    }
    return work * best;
}

static zilch_status time_epochs(zilch_trainer *trainer, double work, bench_row *row)
{
    row->value = INFINITY;
    row->limit = INFINITY;
    const double begin = bench_seconds();
    for (int i = 0; i < BENCH_REPEATS || bench_seconds() - begin < BENCH_SECONDS; i++) {
        const double start = bench_seconds();
        const zilch_status status = zilch_trainer_epoch(trainer);
        if (status != ZILCH_OK) {
            return status;
        }
        row->value = fmin(row->value, 1e3 * (bench_seconds() - start));
        row->limit = fmin(row->limit, 1e3 * seconds_of(work));
    }
    row->unit = "ms";
    return ZILCH_OK;
}

static zilch_status run_train_case(size_t index, bench_row *row)
{
    const zilch_block block = (zilch_block)index;
    zilch_examples_options made = zilch_examples_defaults();
    zilch_training_options options = zilch_training_defaults(block);
    made.count = EXAMPLES;
    options.epochs = 1000000;
    zilch_examples *examples;
    zilch_trainer *trainer;
    zilch_status status = zilch_examples_create(&examples, &made, 1, NULL, NULL);
    if (status != ZILCH_OK) {
        return status;
    }
    status = zilch_trainer_create(&trainer, block, examples, &options);
    if (status == ZILCH_OK) {
        const double inputs = (double)zi_blocks[block].inputs;
        const double units = (double)options.units;
        const double work = EXAMPLES * forward_work(inputs, units) + TRAINING * backward_work(inputs, units);
        snprintf(row->name, sizeof row->name, "epoch %s %zu x %d", zilch_block_name(block), options.units,
                 EXAMPLES);
        status = time_epochs(trainer, work, row);
    }
    zilch_trainer_destroy(trainer);
    zilch_examples_destroy(examples);
    return status;
}

const bench_suite bench_train = {
    "train", "an epoch of each network (units x examples) against its multiplications and additions alone",
    ZILCH_BLOCKS, run_train_case};
