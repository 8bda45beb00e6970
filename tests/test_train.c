/* Training: it learns, every step is Adam's as an implementation in double precision has it, the same again
 * from the same seed or from where it was interrupted, and nothing is restored that does not belong. */
#include "base/bytes.h"
#include "model/networks.h"
#include "reference/network.h"
#include "support.h"
#include "train/examples.h"
#include "train/trainer.h"

/* ---- Making --------------------------------------------------------------------------------- */

static zilch_examples *make_examples(uint64_t count)
{
    zilch_examples_options options = zilch_examples_defaults();
    zilch_examples *examples;
    options.count = count;
    assert_int_equal(zilch_examples_create(&examples, &options, 1, NULL, NULL), ZILCH_OK);
    return examples;
}

static zilch_training_options short_training(zilch_block block, uint64_t epochs, uint64_t batch)
{
    zilch_training_options options = zilch_training_defaults(block);
    options.units = 8;
    options.epochs = epochs;
    options.batch = batch;
    options.rate = 0.01;
    options.final_rate = 0.001;
    return options;
}

static zilch_trainer *make_trainer(zilch_block block, const zilch_examples *examples,
                                   const zilch_training_options *options)
{
    zilch_trainer *trainer;
    assert_int_equal(zilch_trainer_create(&trainer, block, examples, options), ZILCH_OK);
    return trainer;
}

static void train(zilch_trainer *trainer, uint64_t epochs)
{
    for (uint64_t e = 0; e < epochs; e++) {
        assert_int_equal(zilch_trainer_epoch(trainer), ZILCH_OK);
    }
}

typedef struct packed {
    unsigned char *bytes;
    size_t length;
} packed;

static packed pack(const zilch_trainer *trainer)
{
    packed p;
    assert_int_equal(zilch_trainer_pack(trainer, NULL, 0, &p.length), ZILCH_OK);
    p.bytes = test_malloc(p.length);
    size_t length;
    assert_int_equal(zilch_trainer_pack(trainer, p.bytes, p.length, &length), ZILCH_OK);
    assert_int_equal(length, p.length);
    return p;
}

static int has_state(const zilch_trainer *trainer, const packed *expected)
{
    const packed now = pack(trainer);
    const int same = now.length == expected->length && memcmp(now.bytes, expected->bytes, now.length) == 0;
    test_free(now.bytes);
    return same;
}

/* ---- What it is made of ------------------------------------------------------------------------ */

static void defaults_are_as_published(void **state)
{
    (void)state;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const zilch_training_options d = zilch_training_defaults((zilch_block)b);
        assert_int_equal(d.size, sizeof d);
        assert_int_equal(d.units, 32);
        assert_int_equal(d.epochs, b == ZILCH_BLOCK_MM ? 1200 : 250);
        assert_int_equal(d.batch, 128);
        assert_true(d.rate == 1e-3 && d.final_rate == 1e-3);
        assert_int_equal(d.seed, 1);
    }
}

/* The first four fifths, rounded up, train; inputs and targets are the block's features. */
static void takes_the_examples_features(void **state)
{
    (void)state;
    static const uint64_t counts[] = {5, 9, 255, 256, 257, 1003};
    for (size_t i = 0; i < COUNT(counts) * ZILCH_BLOCKS; i++) {
        const size_t count = counts[i / ZILCH_BLOCKS];
        const int block = (int)(i % ZILCH_BLOCKS);
        const size_t inputs = zi_blocks[block].inputs;
        zilch_examples *examples = make_examples(count);
        const zilch_training_options options = short_training((zilch_block)block, 1, 1);
        zilch_trainer *t = make_trainer((zilch_block)block, examples, &options);
        float *input = test_malloc(count * inputs * sizeof *input);
        float *sign = test_malloc(count * sizeof *sign);
        zi_blocks[block].features(&examples->observed, input, sign);
        assert_int_equal(t->validating, count / 5);
        assert_int_equal(t->training, count - count / 5);
        for (size_t k = 0; k < count; k++) {
            for (size_t j = 0; j < inputs; j++) {
                assert_true(t->input[k * inputs + j] == input[j * count + k]);
            }
            assert_true(t->target[k] == sign[k] * examples->answer[block][k]);
        }
        test_free(input);
        test_free(sign);
        zilch_trainer_destroy(t);
        zilch_examples_destroy(examples);
    }
}

/* One training example counts once an epoch, whatever the order. */
static void order_is_a_permutation(void **state)
{
    (void)state;
    enum { COUNT_OF_THEM = 333, TRAINING = 267 };
    zilch_examples *examples = make_examples(COUNT_OF_THEM);
    const zilch_training_options options = short_training(ZILCH_BLOCK_MM, 5, 10);
    zilch_trainer *t = make_trainer(ZILCH_BLOCK_MM, examples, &options);
    uint32_t before[TRAINING] = {0};
    for (int epoch = 0; epoch < 5; epoch++) {
        unsigned char seen[TRAINING] = {0};
        train(t, 1);
        for (size_t i = 0; i < TRAINING; i++) {
            assert_true(t->order[i] < TRAINING && !seen[t->order[i]]);
            seen[t->order[i]] = 1;
        }
        assert_memory_not_equal(before, t->order, sizeof before);
        memcpy(before, t->order, sizeof before);
    }
    zilch_trainer_destroy(t);
    zilch_examples_destroy(examples);
}

/* All 24 orders of four examples, over 4,800 epochs: chi-square with 23 degrees of freedom below 75, false
 * alarm 1 in 3,000,000. */
static void orders_are_equally_likely(void **state)
{
    (void)state;
    enum { EPOCHS = 4800 };
    zilch_examples *examples = make_examples(5);
    const zilch_training_options options = short_training(ZILCH_BLOCK_MM, EPOCHS, 4);
    zilch_trainer *t = make_trainer(ZILCH_BLOCK_MM, examples, &options);
    double count[256] = {0};
    double sum = 0.0;
    size_t orders = 0;
    for (size_t e = 0; e < EPOCHS; e++) {
        train(t, 1);
        count[t->order[0] + 4 * t->order[1] + 16 * t->order[2] + 64 * t->order[3]] += 1.0;
    }
    for (size_t i = 0; i < COUNT(count); i++) {
        orders += count[i] > 0.0;
        sum +=
            count[i] > 0.0 ? (count[i] - EPOCHS / 24.0) * (count[i] - EPOCHS / 24.0) / (EPOCHS / 24.0) : 0.0;
    }
    assert_int_equal(orders, 24);
    assert_true(sum < 75.0);
    zilch_trainer_destroy(t);
    zilch_examples_destroy(examples);
}

/* ---- Steps ------------------------------------------------------------------------------------------ */

/* Adam in double precision, by the paper's algorithm 1, on gradients by differences. */
typedef struct reference {
    zi_mlp_shape shape;
    size_t size, steps;
    double *parameter, *first, *second, *gradient, *begin;
} reference;

static reference make_reference(const zilch_trainer *t)
{
    reference r = {.shape = t->shape, .size = zi_mlp_size(t->shape)};
    r.parameter = test_malloc(r.size * sizeof *r.parameter);
    r.begin = test_malloc(r.size * sizeof *r.begin);
    r.gradient = test_malloc(r.size * sizeof *r.gradient);
    r.first = test_calloc(r.size, sizeof *r.first);
    r.second = test_calloc(r.size, sizeof *r.second);
    for (size_t p = 0; p < r.size; p++) {
        r.parameter[p] = r.begin[p] = (double)t->parameter[p];
    }
    return r;
}

static void free_reference(const reference *r)
{
    test_free(r->parameter);
    test_free(r->begin);
    test_free(r->gradient);
    test_free(r->first);
    test_free(r->second);
}

static double squared_error(const reference *r, const zilch_trainer *t, size_t example)
{
    double x[ZI_MOST_INPUTS];
    for (size_t k = 0; k < r->shape.inputs; k++) {
        x[k] = (double)t->input[example * r->shape.inputs + k];
    }
    const double error = reference_answer(r->shape, r->parameter, x) - (double)t->target[example];
    return error * error;
}

/* One step on the examples of a batch; the sum of their errors before it. */
static double reference_step(reference *r, const zilch_trainer *t, const uint32_t *batch, size_t rows,
                             double rate)
{
    double sum = 0.0;
    memset(r->gradient, 0, r->size * sizeof *r->gradient);
    for (size_t i = 0; i < rows; i++) {
        double x[ZI_MOST_INPUTS];
        for (size_t k = 0; k < r->shape.inputs; k++) {
            x[k] = (double)t->input[batch[i] * r->shape.inputs + k];
        }
        sum += squared_error(r, t, batch[i]);
        for (size_t p = 0; p < r->size; p++) {
            r->gradient[p] +=
                reference_slope(r->shape, r->parameter, p, x, (double)t->target[batch[i]]) / (double)rows;
        }
    }
    r->steps++;
    for (size_t p = 0; p < r->size; p++) {
        r->first[p] = 0.9 * r->first[p] + 0.1 * r->gradient[p];
        r->second[p] = 0.999 * r->second[p] + 0.001 * r->gradient[p] * r->gradient[p];
        const double mean = r->first[p] / (1.0 - pow(0.9, (double)r->steps));
        const double square = r->second[p] / (1.0 - pow(0.999, (double)r->steps));
        r->parameter[p] -= rate * mean / (sqrt(square) + 1e-8);
    }
    return sum;
}

/* The trainer's last epoch again, in the order that it took. */
static double reference_epoch(reference *r, const zilch_trainer *t, uint64_t epoch)
{
    const zilch_training_options *o = &t->record.options;
    const double share = (double)epoch / (double)o->epochs;
    const double rate = o->final_rate + (o->rate - o->final_rate) * 0.5 * (1.0 + cos(acos(-1.0) * share));
    double sum = 0.0;
    for (size_t begin = 0; begin < t->training; begin += o->batch) {
        const size_t rows = t->training - begin < o->batch ? t->training - begin : o->batch;
        sum += reference_step(r, t, t->order + begin, rows, rate);
    }
    return sum / (double)t->training;
}

static double reference_validation(const reference *r, const zilch_trainer *t)
{
    double sum = 0.0;
    for (size_t i = t->training; i < t->training + t->validating; i++) {
        sum += squared_error(r, t, i);
    }
    return sum / (double)t->validating;
}

/* Weights as moved so far, relative to the movement or to one step of the rate, whichever is more; reported
 * errors relative. A batch of all, one that does not divide their number, single examples. */
static void steps_are_adams(void **state)
{
    (void)state;
    static const struct {
        zilch_block block;
        uint64_t batch;
    } cases[] = {{ZILCH_BLOCK_MM, 40}, {ZILCH_BLOCK_VM, 13}, {ZILCH_BLOCK_VV, 40}, {ZILCH_BLOCK_MM, 1}};
    zilch_examples *examples = make_examples(50);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char what[64];
        snprintf(what, sizeof what, "%s, batch %d, 1e-4", zilch_block_name(cases[i].block),
                 (int)cases[i].batch);
        const zilch_training_options options = short_training(cases[i].block, 3, cases[i].batch);
        zilch_trainer *t = make_trainer(cases[i].block, examples, &options);
        reference r = make_reference(t);
        worst_error w = {.what = what};
        worst_error e = {.what = "errors, 1e-5 relative"};
        note_error(&e,
                   fabs(zilch_trainer_report(t).validation_error / reference_validation(&r, t) - 1.0) / 1e-5,
                   "the beginning");
        assert_true(zilch_trainer_report(t).training_error == 0.0 && zilch_trainer_report(t).epoch == 0);
        for (uint64_t epoch = 0; epoch < 3; epoch++) {
            train(t, 1);
            const double error = reference_epoch(&r, t, epoch);
            const zilch_training_report report = zilch_trainer_report(t);
            assert_int_equal(report.epoch, epoch + 1);
            note_error(&e, fabs(report.training_error / error - 1.0) / 1e-5, "training, epoch %d",
                       (int)epoch);
            note_error(&e, fabs(report.validation_error / reference_validation(&r, t) - 1.0) / 1e-5,
                       "validation, epoch %d", (int)epoch);
            for (size_t p = 0; p < r.size; p++) {
                const double moved = fmax(fabs(r.parameter[p] - r.begin[p]), options.rate);
                note_error(&w, fabs((double)t->parameter[p] - r.parameter[p]) / moved / 1e-4,
                           "epoch %d, parameter %zu", (int)epoch, p);
            }
        }
        check_errors(&w);
        check_errors(&e);
        free_reference(&r);
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
}

/* By the rate, against the gradient's sign. */
static void first_step_is_the_rate(void **state)
{
    (void)state;
    zilch_examples *examples = make_examples(100);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const zilch_training_options options = short_training((zilch_block)b, 4, 80);
        zilch_trainer *t = make_trainer((zilch_block)b, examples, &options);
        const size_t size = zi_mlp_size(t->shape);
        float *before = test_malloc(size * sizeof *before);
        memcpy(before, t->parameter, size * sizeof *before);
        train(t, 1);
        size_t sure = 0;
        for (size_t p = 0; p < size; p++) {
            if (fabsf(t->gradient[p]) > 1e-5F) { /* so that 1e-8 does not count */
                const double moved = (double)t->parameter[p] - (double)before[p];
                assert_true(fabs(moved + (t->gradient[p] > 0.0F ? 0.01 : -0.01)) < 1.5e-5);
                sure++;
            }
        }
        assert_true(sure > size / 2);
        test_free(before);
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
}

/* How far the farthest weight goes in one epoch of one step. */
static double movement(zilch_trainer *t)
{
    const size_t size = zi_mlp_size(t->shape);
    float *before = test_malloc(size * sizeof *before);
    double farthest = 0.0;
    memcpy(before, t->parameter, size * sizeof *before);
    train(t, 1);
    for (size_t p = 0; p < size; p++) {
        const double moved = fabs((double)t->parameter[p] - (double)before[p]);
        farthest = moved > farthest ? moved : farthest;
    }
    test_free(before);
    return farthest;
}

/* Along half a cosine, the last of 20 epochs has 0.6 % of the first rate; at a rate that stays, steps do not
 * become that small. */
static void the_rate_falls(void **state)
{
    (void)state;
    static const double final_rates[] = {0.0, 0.01};
    zilch_examples *examples = make_examples(100);
    double last[2];
    for (size_t i = 0; i < 2; i++) {
        zilch_training_options options = short_training(ZILCH_BLOCK_VM, 20, 80);
        options.final_rate = final_rates[i];
        zilch_trainer *t = make_trainer(ZILCH_BLOCK_VM, examples, &options);
        const double first = movement(t);
        train(t, 18);
        last[i] = movement(t) / first;
        zilch_trainer_destroy(t);
    }
    print_message("    last step to first: %.4f with final rate 0, %.4f else\n", last[0], last[1]);
    assert_true(last[0] < 0.012 && last[1] > 0.1);
    zilch_examples_destroy(examples);
}

/* ---- Learning --------------------------------------------------------------------------------------- */

/* Five short epochs: the error falls by a factor of 8 at least (measured: 14 to 24), to less than half of
 * what the observed correlations would have as answers, and so far less than zeros would. */
static void learns(void **state)
{
    (void)state;
    zilch_examples *examples = make_examples(20000);
    const float *const observed[] = {examples->observed.mm, examples->observed.vm_ij, examples->observed.vv};
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_options options = short_training((zilch_block)b, 5, 32);
        options.units = 16;
        options.final_rate = 0.0;
        zilch_trainer *t = make_trainer((zilch_block)b, examples, &options);
        const double before = zilch_trainer_report(t).validation_error;
        double zeros = 0.0;
        double unchanged = 0.0;
        for (size_t i = t->training; i < t->training + t->validating; i++) {
            const double answer = (double)examples->answer[b][i];
            const double seen = (double)observed[b][i];
            zeros += answer * answer / (double)t->validating;
            unchanged += (seen - answer) * (seen - answer) / (double)t->validating;
        }
        train(t, 5);
        const zilch_training_report report = zilch_trainer_report(t);
        print_message(
            "    %s: %.4f before, %.4f after, a factor of %.1f; zeros have %.3f, the observed %.3f\n",
            zilch_block_name((zilch_block)b), before, report.validation_error,
            before / report.validation_error, zeros, unchanged);
        assert_true(report.validation_error < before / 8.0);
        assert_true(report.validation_error < 0.5 * unchanged && unchanged < zeros);
        assert_true(report.training_error > 0.5 * report.validation_error &&
                    report.training_error < 2.0 * report.validation_error);
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
}

/* ---- Again ------------------------------------------------------------------------------------------- */

/* The same seed, also when the examples are gone; another seed. */
static void the_seed_decides(void **state)
{
    (void)state;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_examples *examples = make_examples(300);
        zilch_training_options options = short_training((zilch_block)b, 3, 32);
        zilch_trainer *a = make_trainer((zilch_block)b, examples, &options);
        zilch_trainer *same = make_trainer((zilch_block)b, examples, &options);
        options.seed = 2;
        zilch_trainer *other = make_trainer((zilch_block)b, examples, &options);
        const size_t bytes = zi_mlp_size(a->shape) * sizeof *a->parameter;
        assert_memory_equal(a->parameter, same->parameter, bytes);
        assert_memory_not_equal(a->parameter, other->parameter, bytes);
        train(a, 3);
        zilch_examples_destroy(examples);
        train(same, 3);
        train(other, 3);
        const packed p = pack(a);
        assert_true(has_state(same, &p));
        assert_memory_equal(a->order, same->order, a->training * sizeof *a->order);
        assert_memory_not_equal(a->order, other->order, a->training * sizeof *a->order);
        test_free(p.bytes);
        zilch_trainer_destroy(a);
        zilch_trainer_destroy(same);
        zilch_trainer_destroy(other);
    }
}

/* The library's own networks must come out again as they are; so must these, on every processor. Made when
 * this was written: another number means that the weights of the library are to be made anew. */
static void a_seed_gives_the_same_for_ever(void **state)
{
    (void)state;
    static const uint64_t made[ZILCH_BLOCKS] = {0x584be5b8f3bb7247, 0x4431cc2ac18086db, 0x527e38a2f3812a88};
    zilch_examples *examples = make_examples(300);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const zilch_training_options options = short_training((zilch_block)b, 4, 32);
        zilch_trainer *t = make_trainer((zilch_block)b, examples, &options);
        train(t, 3);
        const packed p = pack(t);
        assert_true(zi_crc64(p.bytes, p.length - 8) == made[b]);
        test_free(p.bytes);
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
}

static int same_report(zilch_training_report a, zilch_training_report b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Interrupted after any number of epochs and gone on with in a fresh trainer: the same bits. */
static void an_interruption_changes_nothing(void **state)
{
    (void)state;
    enum { EPOCHS = 4 };
    zilch_examples *examples = make_examples(300);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const zilch_training_options options = short_training((zilch_block)b, EPOCHS, 32);
        zilch_trainer *t = make_trainer((zilch_block)b, examples, &options);
        packed after[EPOCHS + 1];
        zilch_training_report report[EPOCHS + 1];
        for (int e = 0; e <= EPOCHS; e++) {
            train(t, e > 0);
            after[e] = pack(t);
            report[e] = zilch_trainer_report(t);
        }
        for (int e = 0; e <= EPOCHS; e++) {
            zilch_trainer *fresh = make_trainer((zilch_block)b, examples, &options);
            if (e == 1) { /* one that was used is as good */
                train(fresh, 3);
            }
            assert_int_equal(zilch_trainer_restore(fresh, after[e].bytes, after[e].length), ZILCH_OK);
            for (int f = e; f <= EPOCHS; f++) {
                train(fresh, f > e);
                assert_true(has_state(fresh, &after[f]));
                assert_true(same_report(zilch_trainer_report(fresh), report[f]));
            }
            zilch_trainer_destroy(fresh);
        }
        for (int e = 0; e <= EPOCHS; e++) {
            test_free(after[e].bytes);
        }
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
}

static void files_round_trip(void **state)
{
    (void)state;
    zilch_examples *examples = make_examples(100);
    const zilch_training_options options = short_training(ZILCH_BLOCK_VV, 3, 32);
    zilch_trainer *t = make_trainer(ZILCH_BLOCK_VV, examples, &options);
    zilch_trainer *fresh = make_trainer(ZILCH_BLOCK_VV, examples, &options);
    train(t, 2);
    const packed p = pack(t);
    const packed unused = pack(fresh);
    assert_int_equal(zilch_trainer_load(fresh, scratch.file), ZILCH_EIO);
    assert_int_equal(zilch_trainer_save(t, scratch.file), ZILCH_OK);
    assert_int_equal(truncate(scratch.file, (off_t)p.length - 1), 0);
    assert_int_equal(zilch_trainer_load(fresh, scratch.file), ZILCH_EFORMAT);
    assert_ptr_equal(strstr(zilch_last_error(), scratch.file), zilch_last_error());
    assert_true(has_state(fresh, &unused));
    assert_int_equal(zilch_trainer_save(t, scratch.file), ZILCH_OK);
    assert_int_equal(zilch_trainer_load(fresh, scratch.file), ZILCH_OK);
    assert_true(has_state(fresh, &p));
    assert_int_equal(zilch_trainer_load(NULL, scratch.file), ZILCH_EARG);
    assert_int_equal(zilch_trainer_load(fresh, NULL), ZILCH_EARG);
    assert_int_equal(zilch_trainer_save(t, NULL), ZILCH_EARG);
    assert_int_equal(zilch_trainer_save(NULL, scratch.file), ZILCH_EARG);
    test_free(p.bytes);
    test_free(unused.bytes);
    zilch_trainer_destroy(fresh);
    zilch_trainer_destroy(t);
    zilch_examples_destroy(examples);
}

/* ---- What is refused ----------------------------------------------------------------------------------- */

static void expect_text(const char *text)
{
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("\"%s\" does not say \"%s\"", zilch_last_error(), text);
    }
}

/* How the settings may differ from those that the state was made with, and what is said then. */
typedef struct setting {
    zilch_block block;
    zilch_examples_options examples;
    zilch_training_options options;
} setting;

static void other_block(setting *s)
{
    s->block = ZILCH_BLOCK_VM;
}
static void other_labels(setting *s)
{
    s->examples.labels = ZILCH_LABELS_SIMULATED;
}
static void other_count(setting *s)
{
    s->examples.count = 101;
}
static void other_rows(setting *s)
{
    s->examples.rows = 31;
}
static void other_examples_seed(setting *s)
{
    s->examples.seed = 9;
}
static void other_units(setting *s)
{
    s->options.units = 16;
}
static void other_epochs(setting *s)
{
    s->options.epochs = 5;
}
static void other_batch(setting *s)
{
    s->options.batch = 33;
}
static void other_rate(setting *s)
{
    s->options.rate = 0.02;
}
static void other_final_rate(setting *s)
{
    s->options.final_rate = 0.0;
}
static void other_seed(setting *s)
{
    s->options.seed = 4;
}

static const struct {
    void (*change)(setting *s);
    const char *text;
} changes[] = {
    {other_block, "training: is of block mm, not vm"},
    {other_labels, "training: was begun with exact labels, not simulated"},
    {other_count, "training: was begun with examples 100, not 101"},
    {other_rows, "training: was begun with rows 30, not 31"},
    {other_examples_seed, "training: was begun with the examples' seed 1, not 9"},
    {other_units, "training: was begun with units 8, not 16"},
    {other_epochs, "training: was begun with epochs 4, not 5"},
    {other_batch, "training: was begun with batch 32, not 33"},
    {other_rate, "training: was begun with rate 0.01, not 0.02"},
    {other_final_rate, "training: was begun with final rate 0.001, not 0"},
    {other_seed, "training: was begun with seed 1, not 4"},
};

static zilch_trainer *trainer_of(const setting *s)
{
    zilch_examples *examples;
    assert_int_equal(zilch_examples_create(&examples, &s->examples, 1, NULL, NULL), ZILCH_OK);
    zilch_trainer *t = make_trainer(s->block, examples, &s->options);
    zilch_examples_destroy(examples);
    return t;
}

static setting usual_setting(void)
{
    setting s = {ZILCH_BLOCK_MM, zilch_examples_defaults(), short_training(ZILCH_BLOCK_MM, 4, 32)};
    s.examples.count = 100;
    s.examples.rows = 30;
    return s;
}

/* Each with its name, and the trainer stays as it is. */
static void restore_refuses_other_settings(void **state)
{
    (void)state;
    const setting usual = usual_setting();
    zilch_trainer *t = trainer_of(&usual);
    train(t, 2);
    const packed p = pack(t);
    for (size_t i = 0; i < COUNT(changes); i++) {
        setting s = usual;
        changes[i].change(&s);
        zilch_trainer *other = trainer_of(&s);
        train(other, 1);
        const packed before = pack(other);
        assert_int_equal(zilch_trainer_restore(other, p.bytes, p.length), ZILCH_EARG);
        assert_string_equal(zilch_last_error(), changes[i].text);
        assert_true(has_state(other, &before));
        test_free(before.bytes);
        zilch_trainer_destroy(other);
    }
    test_free(p.bytes);
    zilch_trainer_destroy(t);
}

/* Damage of any kind is found before anything is changed. */
static void restore_refuses_damage(void **state)
{
    (void)state;
    const setting usual = usual_setting();
    zilch_trainer *t = trainer_of(&usual);
    zilch_trainer *fresh = trainer_of(&usual);
    train(t, 2);
    const packed p = pack(t);
    const packed before = pack(fresh);
    for (size_t length = 0; length < p.length; length++) {
        unsigned char *cut = test_malloc(length + !length);
        memcpy(cut, p.bytes, length);
        assert_int_equal(zilch_trainer_restore(fresh, cut, length), ZILCH_EFORMAT);
        test_free(cut);
    }
    unsigned char *longer = test_calloc(p.length + 8, 1);
    memcpy(longer, p.bytes, p.length);
    for (size_t extra = 1; extra <= 8; extra++) {
        assert_int_equal(zilch_trainer_restore(fresh, longer, p.length + extra), ZILCH_EFORMAT);
    }
    test_free(longer);
    for (size_t i = 0; i < p.length; i++) {
        for (size_t bit = i % 8; bit < 8; bit += i < 150 ? 1 : 8) {
            p.bytes[i] ^= (unsigned char)(1u << bit);
            const zilch_status status = zilch_trainer_restore(fresh, p.bytes, p.length);
            assert_true(status == ZILCH_EFORMAT ||
                        (i < 16 + ZI_RECORD_BYTES && (status == ZILCH_EARG || status == ZILCH_EVERSION)));
            p.bytes[i] ^= (unsigned char)(1u << bit);
        }
    }
    assert_true(has_state(fresh, &before));
    assert_int_equal(zilch_trainer_restore(fresh, p.bytes, p.length), ZILCH_OK);
    assert_true(has_state(fresh, &p));
    assert_int_equal(zilch_trainer_restore(NULL, p.bytes, p.length), ZILCH_EARG);
    assert_int_equal(zilch_trainer_restore(fresh, NULL, p.length), ZILCH_EARG);
    test_free(before.bytes);
    test_free(p.bytes);
    zilch_trainer_destroy(fresh);
    zilch_trainer_destroy(t);
}

static void set_checksum(const packed *p)
{
    const uint64_t crc = zi_crc64(p->bytes, p->length - 8);
    for (size_t i = 0; i < 8; i++) {
        p->bytes[p->length - 8 + i] = (unsigned char)(crc >> (8 * i));
    }
}

enum { EPOCHS_DONE = 16 + ZI_RECORD_BYTES - 24 }; /* where their number stands */

static void restore_refuses_other_versions(void **state)
{
    (void)state;
    const setting usual = usual_setting();
    zilch_trainer *t = trainer_of(&usual);
    const packed p = pack(t);
    p.bytes[8] = 2;
    set_checksum(&p);
    assert_int_equal(zilch_trainer_restore(t, p.bytes, p.length), ZILCH_EVERSION);
    expect_text("version 2");
    p.bytes[8] = 1;
    memcpy(p.bytes, "zilchnet", 8); /* what networks begin with */
    set_checksum(&p);
    assert_int_equal(zilch_trainer_restore(t, p.bytes, p.length), ZILCH_EFORMAT);
    expect_text("not the state of a training");
    memcpy(p.bytes, "zilchtrn", 8);
    p.bytes[12] = 77; /* no block */
    set_checksum(&p);
    assert_int_equal(zilch_trainer_restore(t, p.bytes, p.length), ZILCH_EARG);
    expect_text("block unknown");
    p.bytes[12] = ZILCH_BLOCK_MM;
    p.bytes[16] = 77; /* no labels */
    set_checksum(&p);
    assert_int_equal(zilch_trainer_restore(t, p.bytes, p.length), ZILCH_EARG);
    expect_text("unknown labels");
    p.bytes[16] = ZILCH_LABELS_EXACT;
    p.bytes[EPOCHS_DONE] = 5; /* of 4 */
    set_checksum(&p);
    assert_int_equal(zilch_trainer_restore(t, p.bytes, p.length), ZILCH_EFORMAT);
    expect_text("epochs");
    p.bytes[EPOCHS_DONE] = 4;
    set_checksum(&p);
    assert_int_equal(zilch_trainer_restore(t, p.bytes, p.length), ZILCH_OK);
    assert_int_equal(zilch_trainer_report(t).epoch, 4);
    test_free(p.bytes);
    zilch_trainer_destroy(t);
}

static zilch_status check_file(const char *path, const setting *s)
{
    return zilch_trainer_check(path, s->block, &s->examples, &s->options);
}

/* A file, before the examples are made: it says what restoring would, behind the path. */
static void check_tells_what_a_file_is_of(void **state)
{
    (void)state;
    char text[200];
    const setting usual = usual_setting();
    zilch_trainer *t = trainer_of(&usual);
    train(t, 2);
    assert_int_equal(check_file(scratch.file, &usual), ZILCH_EIO);
    assert_int_equal(zilch_trainer_save(t, scratch.file), ZILCH_OK);
    assert_int_equal(check_file(scratch.file, &usual), ZILCH_OK);
    for (size_t i = 0; i < COUNT(changes); i++) {
        setting s = usual;
        changes[i].change(&s);
        snprintf(text, sizeof text, "%s: %s", scratch.file, changes[i].text);
        assert_int_equal(check_file(scratch.file, &s), ZILCH_EARG);
        assert_string_equal(zilch_last_error(), text);
    }
    setting bad = usual;
    bad.examples.count = 4;
    assert_int_equal(check_file(scratch.file, &bad), ZILCH_EARG);
    assert_int_equal(check_file(NULL, &usual), ZILCH_EARG);
    assert_int_equal(zilch_trainer_check(scratch.file, (zilch_block)3, &usual.examples, &usual.options),
                     ZILCH_EARG);
    expect_text("must be given");
    assert_int_equal(zilch_trainer_check(scratch.file, usual.block, NULL, &usual.options), ZILCH_EARG);
    assert_int_equal(zilch_trainer_check(scratch.file, usual.block, &usual.examples, NULL), ZILCH_EARG);
    assert_int_equal(truncate(scratch.file, 16 + ZI_RECORD_BYTES - 1), 0);
    assert_int_equal(check_file(scratch.file, &usual), ZILCH_EFORMAT);
    zilch_trainer_destroy(t);
}

/* What 0 rows stand for is filled in. */
static void check_knows_the_default_rows(void **state)
{
    (void)state;
    setting s = usual_setting();
    s.examples.labels = ZILCH_LABELS_SIMULATED;
    s.examples.count = 5;
    s.examples.rows = 0;
    s.options.batch = 2;
    zilch_trainer *t = trainer_of(&s);
    assert_int_equal(zilch_trainer_save(t, scratch.file), ZILCH_OK);
    assert_int_equal(check_file(scratch.file, &s), ZILCH_OK);
    zilch_trainer_destroy(t);
}

static void pack_never_writes_past_its_buffer(void **state)
{
    (void)state;
    const setting usual = usual_setting();
    zilch_trainer *t = trainer_of(&usual);
    size_t needed;
    assert_int_equal(zilch_trainer_pack(t, NULL, 0, &needed), ZILCH_OK);
    for (size_t capacity = 0; capacity < needed; capacity += capacity < needed - 20 ? 5 : 1) {
        unsigned char *buffer = test_malloc(capacity + !capacity);
        size_t length;
        assert_int_equal(zilch_trainer_pack(t, buffer, capacity, &length), ZILCH_EARG);
        assert_int_equal(length, needed);
        test_free(buffer);
    }
    assert_int_equal(zilch_trainer_pack(NULL, NULL, 0, &needed), ZILCH_EARG);
    assert_int_equal(zilch_trainer_pack(t, NULL, 0, NULL), ZILCH_EARG);
    zilch_trainer_destroy(t);
}

static void ends_after_the_last_epoch(void **state)
{
    (void)state;
    const setting usual = usual_setting();
    zilch_trainer *t = trainer_of(&usual);
    train(t, 4);
    const packed p = pack(t);
    assert_int_equal(zilch_trainer_epoch(t), ZILCH_ESTATE);
    expect_text("all 4 epochs");
    assert_true(has_state(t, &p));
    assert_int_equal(zilch_trainer_report(t).epoch, 4);
    assert_int_equal(zilch_trainer_epoch(NULL), ZILCH_EARG);
    test_free(p.bytes);
    zilch_trainer_destroy(t);
    zilch_trainer_destroy(NULL);
}

/* A weight that is no number, or beyond all: it is said after the epoch. No rate that is allowed leads there
 * by itself. */
static void tells_that_the_network_is_not_finite(void **state)
{
    (void)state;
    static const float poison[] = {NAN, INFINITY, -INFINITY};
    const setting usual = usual_setting();
    for (size_t at = 0; at < 217; at += 27) {
        zilch_trainer *t = trainer_of(&usual);
        train(t, 1);
        t->parameter[at] = poison[at % COUNT(poison)];
        assert_int_equal(zilch_trainer_epoch(t), ZILCH_ENUMERIC);
        expect_text("not finite");
        expect_text("epoch 2");
        zilch_trainer_destroy(t);
    }
}

static void refuse(const zilch_examples *examples, int block, zilch_training_options options,
                   const char *text)
{
    zilch_trainer *t = (zilch_trainer *)&options;
    assert_int_equal(zilch_trainer_create(&t, (zilch_block)block, examples, &options), ZILCH_EARG);
    assert_null(t);
    expect_text(text);
}

static void refuses_bad_options(void **state)
{
    (void)state;
    static const size_t units[] = {0, 4, 12, 136, SIZE_MAX - 7};
    static const double rates[][2] = {{0.0, 0.0},  {-0.1, -0.2}, {1.1, 0.1}, {0.1, 0.2},
                                      {0.1, -0.1}, {NAN, 0.0},   {0.1, NAN}, {INFINITY, 0.0}};
    zilch_examples *examples = make_examples(50);
    const zilch_training_options good = short_training(ZILCH_BLOCK_MM, 4, 40);
    zilch_training_options bad = good;
    refuse(examples, 3, good, "block");
    bad.size = 0;
    refuse(examples, ZILCH_BLOCK_MM, bad, "zilch_training_defaults");
    for (size_t i = 0; i < COUNT(units); i++) {
        bad = good;
        bad.units = units[i];
        refuse(examples, ZILCH_BLOCK_MM, bad, "multiple of 8 up to 128");
    }
    bad = good;
    bad.epochs = 0;
    refuse(examples, ZILCH_BLOCK_MM, bad, "epoch");
    bad = good;
    bad.batch = 0;
    refuse(examples, ZILCH_BLOCK_MM, bad, "1 to 40");
    bad.batch = 41;
    refuse(examples, ZILCH_BLOCK_MM, bad, "1 to 40");
    for (size_t i = 0; i < COUNT(rates); i++) {
        bad = good;
        bad.rate = rates[i][0];
        bad.final_rate = rates[i][1];
        refuse(examples, ZILCH_BLOCK_MM, bad, "rate");
    }
    zilch_trainer *t = (zilch_trainer *)examples;
    assert_int_equal(zilch_trainer_create(&t, ZILCH_BLOCK_MM, NULL, &good), ZILCH_EARG);
    assert_null(t);
    assert_int_equal(zilch_trainer_create(NULL, ZILCH_BLOCK_MM, examples, &good), ZILCH_EARG);
    /* No options: the defaults, whose batch is too large here. */
    assert_int_equal(zilch_trainer_create(&t, ZILCH_BLOCK_MM, examples, NULL), ZILCH_EARG);
    expect_text("128");
    zilch_examples_destroy(examples);
}

/* The edges of what is allowed. */
static void accepts_the_extremes(void **state)
{
    (void)state;
    zilch_examples *examples = make_examples(200);
    zilch_training_options options = short_training(ZILCH_BLOCK_VV, 1, 160);
    options.units = 128;
    options.rate = options.final_rate = 1.0;
    zilch_trainer *t = make_trainer(ZILCH_BLOCK_VV, examples, &options);
    train(t, 1);
    zilch_trainer_destroy(t);
    t = make_trainer(ZILCH_BLOCK_VV, examples, NULL); /* the defaults */
    assert_int_equal(t->record.options.epochs, 250);
    train(t, 1);
    zilch_trainer_destroy(t);
    zilch_examples_destroy(examples);
}

/* ---- Where it goes ----------------------------------------------------------------------------------------
 */

/* Into its block's place, as a copy; the others stay. */
static void put_replaces_one_block(void **state)
{
    (void)state;
    zilch_examples *examples = make_examples(100);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const zilch_training_options options = short_training((zilch_block)b, 3, 32);
        zilch_trainer *t = make_trainer((zilch_block)b, examples, &options);
        zilch_networks *networks;
        assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
        train(t, 2);
        assert_int_equal(zilch_networks_put(networks, t), ZILCH_OK);
        const size_t bytes = zi_mlp_size(t->shape) * sizeof(float);
        for (int c = 0; c < ZILCH_BLOCKS; c++) {
            const zi_network *now = &networks->block[c];
            const zi_network *own = &zi_shipped_networks.block[c];
            zilch_training_record record;
            assert_int_equal(zilch_networks_record(networks, (zilch_block)c, &record), ZILCH_OK);
            if (c == b) {
                assert_memory_equal(now->parameter, t->parameter, bytes);
                assert_int_equal(now->shape.units, 8);
                assert_int_equal(record.examples.count, 100);
                assert_int_equal(record.options.batch, 32);
                assert_true(same_report(record.report, zilch_trainer_report(t)));
            } else {
                assert_memory_equal(now->parameter, own->parameter, zi_mlp_size(own->shape) * sizeof(float));
                assert_true(same_report(record.report, own->record.report));
            }
        }
        float *then = test_malloc(bytes);
        memcpy(then, t->parameter, bytes);
        train(t, 1);
        assert_memory_equal(networks->block[b].parameter, then, bytes);
        assert_memory_not_equal(t->parameter, then, bytes);
        assert_int_equal(zilch_networks_put(NULL, t), ZILCH_EARG);
        assert_int_equal(zilch_networks_put(networks, NULL), ZILCH_EARG);
        test_free(then);
        zilch_networks_destroy(networks);
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_published),
        cmocka_unit_test(takes_the_examples_features),
        cmocka_unit_test(order_is_a_permutation),
        cmocka_unit_test(orders_are_equally_likely),
        cmocka_unit_test(steps_are_adams),
        cmocka_unit_test(first_step_is_the_rate),
        cmocka_unit_test(the_rate_falls),
        cmocka_unit_test(learns),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(a_seed_gives_the_same_for_ever),
        cmocka_unit_test(an_interruption_changes_nothing),
        cmocka_unit_test_setup_teardown(files_round_trip, make_folder, remove_folder),
        cmocka_unit_test(restore_refuses_other_settings),
        cmocka_unit_test(restore_refuses_damage),
        cmocka_unit_test(restore_refuses_other_versions),
        cmocka_unit_test_setup_teardown(check_tells_what_a_file_is_of, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(check_knows_the_default_rows, make_folder, remove_folder),
        cmocka_unit_test(pack_never_writes_past_its_buffer),
        cmocka_unit_test(ends_after_the_last_epoch),
        cmocka_unit_test(tells_that_the_network_is_not_finite),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(accepts_the_extremes),
        cmocka_unit_test(put_replaces_one_block),
    };
    return cmocka_run_group_tests_name("train", tests, NULL, NULL);
}
