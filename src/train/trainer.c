/* Training of one network by Adam (Kingma and Ba 2015) on shuffled batches. Everything is a
 * function of the examples, the options and the number of the epoch, so a training that was
 * interrupted goes on as if it had not been. */
#include "train/trainer.h"

#include "base/memory.h"
#include "base/simd.h"
#include "model/networks.h"
#include "train/examples.h"

static const float first_decay = 0.9F;
static const float second_decay = 0.999F;
static const float least_root = 1e-8F;

/* Streams of the seed; below them are the examples'. */
static const uint64_t stream_start = (uint64_t)1 << 62;
static const uint64_t stream_order = (uint64_t)1 << 63; /* and the epoch's number */

/* ---- Options ------------------------------------------------------------------------- */

zilch_training_options zilch_training_defaults(zilch_block block)
{
    return (zilch_training_options){.size = sizeof(zilch_training_options),
                                    .units = 32,
                                    .epochs = block == ZILCH_BLOCK_MM ? 1200 : 250,
                                    .batch = 128,
                                    .rate = 1e-3,
                                    .final_rate = 1e-3,
                                    .seed = 1};
}

static zilch_status check_options(zilch_block block, const zilch_training_options *options, size_t training)
{
    if (!zilch_block_name(block)) {
        return zi_fail(ZILCH_EARG, "training: block is not one of the known ones");
    }
    if (options->size != sizeof *options) {
        return zi_fail(ZILCH_EARG, "training: begin from zilch_training_defaults()");
    }
    if (options->units < ZI_MLP_STEP || options->units > ZI_MLP_MOST_UNITS || options->units % ZI_MLP_STEP) {
        return zi_fail(ZILCH_EARG, "training: units must be a multiple of %d up to %d, not %zu", ZI_MLP_STEP,
                       ZI_MLP_MOST_UNITS, options->units);
    }
    if (options->epochs < 1) {
        return zi_fail(ZILCH_EARG, "training: needs at least one epoch");
    }
    if (options->batch < 1 || options->batch > training) {
        return zi_fail(ZILCH_EARG, "training: the batch must be 1 to %zu, the training examples, not %llu",
                       training, (unsigned long long)options->batch);
    }
    if (!(options->rate > 0.0 && options->rate <= 1.0 && options->final_rate >= 0.0 &&
          options->final_rate <= options->rate)) {
        return zi_fail(ZILCH_EARG, "training: the rate must be in (0, 1], the final rate in [0, rate]");
    }
    return ZILCH_OK;
}

/* ---- Setting up -------------------------------------------------------------------------- */

static zilch_status allocate(zilch_trainer **out, zi_mlp_shape shape, size_t count, size_t batch)
{
    const size_t header = (sizeof(zilch_trainer) + ZI_ALIGNMENT - 1) / sizeof(float);
    const size_t size = zi_mlp_size(shape);
    const size_t per_example = shape.inputs + 1;
    const size_t space = zi_mlp_gradient_space(shape, batch);
    float *block;
    ZI_TRY(zi_alloc(&block, header + 4 * size + per_example * (count + batch) + batch + space + count));
    zilch_trainer *t = (zilch_trainer *)block;
    float *array = block + header;
    *t = (zilch_trainer){.shape = shape,
                         .parameter = array,
                         .gradient = array + size,
                         .first = array + 2 * size,
                         .second = array + 3 * size};
    t->input = array + 4 * size;
    t->target = t->input + shape.inputs * count;
    t->batch_input = t->target + count;
    t->batch_target = t->batch_input + shape.inputs * batch;
    t->batch_answer = t->batch_target + batch;
    t->space = t->batch_answer + batch;
    t->order = (uint32_t *)(t->space + space);
    *out = t;
    return ZILCH_OK;
}

/* Inputs of one example are kept together: they are fetched in random order. */
static void fill_examples(zilch_trainer *t, const zilch_examples *examples)
{
    enum { CHUNK = 256 };
    const size_t inputs = t->shape.inputs;
    const size_t count = examples->options.count;
    const zi_pairs *all = &examples->observed;
    const float *answer = examples->answer[t->block];
    float input[ZI_MOST_INPUTS * CHUNK];
    float sign[CHUNK];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        const size_t n = count - begin < CHUNK ? count - begin : CHUNK;
        const zi_pairs pairs = {n,
                                all->p_i + begin,
                                all->p_j + begin,
                                all->mm + begin,
                                all->vm_ij + begin,
                                all->vm_ji + begin,
                                all->vv + begin};
        zi_blocks[t->block].features(&pairs, input, sign);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < inputs; k++) {
                t->input[(begin + i) * inputs + k] = input[k * n + i];
            }
            t->target[begin + i] = sign[i] * answer[begin + i];
        }
    }
}

/* Examples begin, begin + 1, ... in this order, or with order NULL as they stand, as a batch. */
static void gather(zilch_trainer *t, const uint32_t *order, size_t begin, size_t rows)
{
    const size_t inputs = t->shape.inputs;
    for (size_t i = 0; i < rows; i++) {
        const size_t from = order ? order[begin + i] : begin + i;
        for (size_t k = 0; k < inputs; k++) {
            t->batch_input[k * rows + i] = t->input[from * inputs + k];
        }
        t->batch_target[i] = t->target[from];
    }
}

static double validation_error(zilch_trainer *t)
{
    const size_t batch = t->record.options.batch;
    const size_t end = t->training + t->validating;
    double sum = 0.0;
    for (size_t begin = t->training; begin < end; begin += batch) {
        const size_t rows = end - begin < batch ? end - begin : batch;
        gather(t, NULL, begin, rows);
        zi_mlp_evaluate(t->shape, t->parameter, rows, t->batch_input, t->space, t->batch_answer);
        for (size_t i = 0; i < rows; i++) {
            const double error = (double)t->batch_answer[i] - (double)t->batch_target[i];
            sum += error * error;
        }
    }
    return sum / (double)t->validating;
}

zilch_status zilch_trainer_create(zilch_trainer **out, zilch_block block, const zilch_examples *examples,
                                  const zilch_training_options *options)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "training: no place for the trainer given");
    }
    *out = NULL;
    if (!examples) {
        return zi_fail(ZILCH_EARG, "training: no examples given");
    }
    const size_t count = examples->options.count;
    const size_t validating = count / 5;
    const zilch_training_options chosen = options ? *options : zilch_training_defaults(block);
    ZI_TRY(check_options(block, &chosen, count - validating));
    zilch_trainer *t;
    ZI_TRY(allocate(&t, (zi_mlp_shape){zi_blocks[block].inputs, chosen.units}, count, chosen.batch));
    t->block = block;
    t->training = count - validating;
    t->validating = validating;
    t->record = (zilch_training_record){.examples = examples->options, .options = chosen};
    fill_examples(t, examples);
    zilch_rng rng = zilch_rng_make(chosen.seed, stream_start);
    zi_mlp_draw(t->shape, &rng, t->parameter);
    memset(t->first, 0, zi_mlp_size(t->shape) * sizeof *t->first);
    memset(t->second, 0, zi_mlp_size(t->shape) * sizeof *t->second);
    t->first_power = t->second_power = 1.0;
    t->record.report.validation_error = validation_error(t);
    *out = t;
    return ZILCH_OK;
}

void zilch_trainer_destroy(zilch_trainer *trainer)
{
    zi_free(trainer);
}

zilch_training_report zilch_trainer_report(const zilch_trainer *trainer)
{
    return trainer->record.report;
}

/* ---- An epoch ----------------------------------------------------------------------------- */

ZI_CLONES
static void adam(size_t n, float step, float second_missing, const float *restrict gradient,
                 float *restrict first, float *restrict second, float *restrict parameter)
{
    for (size_t i = 0; i < n; i++) {
        first[i] += (1.0F - first_decay) * (gradient[i] - first[i]);
        second[i] += (1.0F - second_decay) * (gradient[i] * gradient[i] - second[i]);
        parameter[i] -= step * first[i] / (sqrtf(second[i] * second_missing) + least_root);
    }
}

/* Fisher and Yates. */
static void shuffle(zilch_trainer *t)
{
    zilch_rng rng = zilch_rng_make(t->record.options.seed, stream_order + t->record.report.epoch);
    for (size_t i = 0; i < t->training; i++) {
        const size_t j = (size_t)(zilch_rng_uniform(&rng) * (double)(i + 1));
        t->order[i] = t->order[j];
        t->order[j] = (uint32_t)i;
    }
}

zilch_status zilch_trainer_epoch(zilch_trainer *t)
{
    if (!t) {
        return zi_fail(ZILCH_EARG, "training: no trainer given");
    }
    zilch_training_report *report = &t->record.report;
    if (report->epoch >= t->record.options.epochs) {
        return zi_fail(ZILCH_ESTATE, "training: all %llu epochs are done",
                       (unsigned long long)t->record.options.epochs);
    }
    const size_t batch = t->record.options.batch;
    const zilch_training_options *o = &t->record.options;
    double sine, cosine;
    zi_sincos_quarters(2.0 * (double)report->epoch / (double)o->epochs, &sine, &cosine);
    /* From the first to the final rate along half a cosine. */
    const double rate = o->final_rate + 0.5 * (o->rate - o->final_rate) * (1.0 + cosine);
    double sum = 0.0;
    shuffle(t);
    for (size_t begin = 0; begin < t->training; begin += batch) {
        const size_t rows = t->training - begin < batch ? t->training - begin : batch;
        gather(t, t->order, begin, rows);
        sum += (double)rows * zi_mlp_gradient(t->shape, t->parameter, rows, t->batch_input, t->batch_target,
                                              t->space, t->gradient);
        t->first_power *= (double)first_decay;
        t->second_power *= (double)second_decay;
        const float step = (float)(rate / (1.0 - t->first_power));
        const float missing = (float)(1.0 / (1.0 - t->second_power));
        adam(zi_mlp_size(t->shape), step, missing, t->gradient, t->first, t->second, t->parameter);
    }
    report->epoch++;
    report->training_error = sum / (double)t->training;
    report->validation_error = validation_error(t);
    if (!isfinite(report->training_error) || !isfinite(report->validation_error) ||
        zi_mlp_find_bad(t->shape, t->parameter) < zi_mlp_size(t->shape)) {
        return zi_fail(ZILCH_ENUMERIC,
                       "training: the network is not finite any more after epoch %llu; take a lower rate",
                       (unsigned long long)report->epoch);
    }
    return ZILCH_OK;
}
