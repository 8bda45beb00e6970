/* The network: its answers against NumPy's, its gradient against differences of a plain evaluation in double
 * precision, the same bits in every batch, and nothing written where it should not be. */
#include "math/mlp.h"
#include "reference/network.h"
#include "support.h"
#include "zilch.h"

enum { MOST_INPUTS = 6, MOST_ROWS = 300 };

/* A network with examples, x as inputs x rows; doubles are the same numbers, an example's together. */
typedef struct scene {
    zi_mlp_shape shape;
    size_t size, rows;
    float *parameter, *x, *target;
    double *exact_parameter, *exact_x;
} scene;

static float *random_floats(zilch_rng *rng, size_t count, double bound)
{
    float *out = test_malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)(bound * (2.0 * zilch_rng_uniform(rng) - 1.0));
    }
    return out;
}

/* As training begins, but with more in the gates. */
static scene make_scene(zi_mlp_shape shape, size_t rows, uint64_t seed)
{
    zilch_rng rng = zilch_rng_make(seed, 0);
    scene s = {.shape = shape, .size = zi_mlp_size(shape), .rows = rows};
    s.parameter = random_floats(&rng, s.size, 1.5 / sqrt((double)shape.units));
    s.x = random_floats(&rng, shape.inputs * rows, 1.0);
    s.target = random_floats(&rng, rows, 1.0);
    s.exact_parameter = test_malloc(s.size * sizeof *s.exact_parameter);
    s.exact_x = test_malloc(shape.inputs * rows * sizeof *s.exact_x);
    for (size_t p = 0; p < s.size; p++) {
        s.exact_parameter[p] = (double)s.parameter[p];
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < shape.inputs; k++) {
            s.exact_x[r * shape.inputs + k] = (double)s.x[k * rows + r];
        }
    }
    return s;
}

static void free_scene(const scene *s)
{
    test_free(s->parameter);
    test_free(s->x);
    test_free(s->target);
    test_free(s->exact_parameter);
    test_free(s->exact_x);
}

/* The columns `first` to `first + rows - 1` of x. */
static void part(const scene *s, size_t first, size_t rows, float *x)
{
    for (size_t k = 0; k < s->shape.inputs; k++) {
        memcpy(x + k * rows, s->x + k * s->rows + first, rows * sizeof *x);
    }
}

/* In memory of just the size that is asked for, so that a sanitizer sees what goes beyond. */
static void evaluate(const scene *s, size_t rows, const float *x, float *y)
{
    float *space = test_malloc(zi_mlp_evaluate_space(s->shape, rows) * sizeof *space);
    zi_mlp_evaluate(s->shape, s->parameter, rows, x, space, y);
    test_free(space);
}

static double gradient_of(const scene *s, size_t rows, const float *x, const float *target, float *gradient)
{
    float *space = test_malloc(zi_mlp_gradient_space(s->shape, rows) * sizeof *space);
    const double error = zi_mlp_gradient(s->shape, s->parameter, rows, x, target, space, gradient);
    test_free(space);
    return error;
}

/* ---- Answers ------------------------------------------------------------------------- */

/* A matrix that stands a unit a row in the table, to where an input's weights stand together. */
static float *read_matrix(FILE *table, size_t units, size_t inputs, float *next)
{
    for (size_t u = 0; u < units; u++) {
        long double row[ZI_MLP_MOST_UNITS];
        assert_true(read_long_row(table, row, inputs));
        for (size_t k = 0; k < inputs; k++) {
            next[k * units + u] = (float)row[k];
            assert_true((long double)next[k * units + u] == row[k]);
        }
    }
    return next + units * inputs;
}

static void read_parameters(FILE *table, zi_mlp_shape shape, float *parameter)
{
    float *next = parameter;
    for (int layer = 0; layer < 2; layer++) {
        const size_t inputs = layer ? shape.units : shape.inputs;
        for (int part_of_it = 0; part_of_it < 2; part_of_it++) {
            next = read_matrix(table, shape.units, inputs, next);
            next = read_matrix(table, 1, shape.units, next);
        }
    }
    next = read_matrix(table, 1, shape.units, next);
    next = read_matrix(table, 1, 1, next);
    assert_int_equal(next - parameter, zi_mlp_size(shape));
}

/* Also a check of the reference that the gradient is compared to: it must agree with NumPy to the table's
 * digits. */
static void answers_are_numpys(void **state)
{
    (void)state;
    FILE *table = open_table("network.txt");
    long double head[3];
    size_t networks = 0;
    worst_error w = {.what = "evaluate, 2e-6"};
    worst_error plain = {.what = "the tests' own reference, 1e-11"};
    for (; read_long_row(table, head, 3); networks++) {
        scene s = make_scene((zi_mlp_shape){(size_t)head[0], (size_t)head[1]}, (size_t)head[2], 1);
        double y[64];
        float got[64];
        assert_true(s.rows <= COUNT(y));
        read_parameters(table, s.shape, s.parameter);
        for (size_t p = 0; p < s.size; p++) {
            s.exact_parameter[p] = (double)s.parameter[p];
        }
        for (size_t r = 0; r < s.rows; r++) {
            double row[MOST_INPUTS + 1] = {0};
            assert_true(read_row(table, row, s.shape.inputs + 1));
            for (size_t k = 0; k < s.shape.inputs; k++) {
                s.x[k * s.rows + r] = (float)row[k];
            }
            y[r] = row[s.shape.inputs];
            note_error(&plain, fabs(reference_answer(s.shape, s.exact_parameter, row) - y[r]) / 1e-11,
                       "%zu inputs, example %zu", s.shape.inputs, r);
        }
        evaluate(&s, s.rows, s.x, got);
        for (size_t r = 0; r < s.rows; r++) {
            note_error(&w, fabs((double)got[r] - y[r]) / 2e-6, "%zu inputs, example %zu", s.shape.inputs, r);
        }
        free_scene(&s);
    }
    fclose(table);
    assert_int_equal(networks, 3);
    check_errors(&plain);
    check_errors(&w);
}

static const zi_mlp_shape shapes[] = {{3, 8}, {4, 16}, {1, 24}, {6, 32}, {5, 40}, {2, 128}};

/* Many networks at random, against the reference. */
static void answers_are_the_references(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        char what[64];
        snprintf(what, sizeof what, "%zu inputs, %zu units, 2e-6", shapes[i].inputs, shapes[i].units);
        worst_error w = {.what = what};
        for (uint64_t seed = 0; seed < 5; seed++) {
            const scene s = make_scene(shapes[i], 100, seed);
            float y[100];
            evaluate(&s, s.rows, s.x, y);
            for (size_t r = 0; r < s.rows; r++) {
                const double exact =
                    reference_answer(s.shape, s.exact_parameter, s.exact_x + r * s.shape.inputs);
                note_error(&w, fabs((double)y[r] - exact) / 2e-6, "network %d, example %zu", (int)seed, r);
            }
            free_scene(&s);
        }
        check_errors(&w);
    }
}

/* To the bit: what an example's answer is does not depend on who else is asked about. */
static void answers_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    static const size_t batches[] = {1, 2, 7, 8, 9, 15, 16, 17, 64, 129, MOST_ROWS};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const scene s = make_scene(shapes[i], MOST_ROWS, 3);
        float whole[MOST_ROWS];
        evaluate(&s, s.rows, s.x, whole);
        for (size_t b = 0; b < COUNT(batches); b++) {
            const size_t rows = batches[b];
            for (size_t first = 0; first + rows <= s.rows; first += rows / 3 + 1) {
                float x[MOST_INPUTS * MOST_ROWS];
                float y[MOST_ROWS];
                part(&s, first, rows, x);
                evaluate(&s, rows, x, y);
                assert_memory_equal(y, whole + first, rows * sizeof *y);
            }
        }
        free_scene(&s);
    }
}

/* No examples, nothing done. */
static void answers_nothing_to_nobody(void **state)
{
    (void)state;
    const scene s = make_scene((zi_mlp_shape){3, 8}, 1, 1);
    float y = 5.0F;
    evaluate(&s, 0, s.x, &y);
    assert_true(y == 5.0F);
    free_scene(&s);
}

/* ---- Gradient -------------------------------------------------------------------------- */

/* By every parameter: the mean over the first `rows` examples. `slope` holds each example's, size x rows. */
static double exact_gradient(const scene *s, const double *slope, size_t rows, double *gradient)
{
    double largest = 0.0;
    for (size_t p = 0; p < s->size; p++) {
        double sum = 0.0;
        for (size_t r = 0; r < rows; r++) {
            sum += slope[p * s->rows + r];
        }
        gradient[p] = sum / (double)rows;
        largest = fmax(largest, fabs(gradient[p]));
    }
    return largest;
}

static double exact_error(const scene *s, size_t rows)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) {
        const double y = reference_answer(s->shape, s->exact_parameter, s->exact_x + r * s->shape.inputs);
        sum += (y - (double)s->target[r]) * (y - (double)s->target[r]);
    }
    return sum / (double)rows;
}

/* Errors are relative to the entry, or to a thousandth of the largest if that is more. */
static void check_gradient(const scene *s, const double *slope, size_t rows, worst_error *w,
                           worst_error *error)
{
    float x[MOST_INPUTS * MOST_ROWS];
    float *got = test_malloc(s->size * sizeof *got);
    double *exact = test_malloc(s->size * sizeof *exact);
    part(s, 0, rows, x);
    memset(got, 0xff, s->size * sizeof *got); /* what was there does not matter */
    const double e = gradient_of(s, rows, x, s->target, got);
    note_error(error, fabs(e / exact_error(s, rows) - 1.0) / 3e-6, "%zu rows", rows);
    const double largest = exact_gradient(s, slope, rows, exact);
    assert_true(largest > 1e-3);
    for (size_t p = 0; p < s->size; p++) {
        const double scale = fmax(fabs(exact[p]), 1e-3 * largest);
        note_error(w, fabs((double)got[p] - exact[p]) / scale / 1e-3, "%zu rows, parameter %zu", rows, p);
    }
    test_free(got);
    test_free(exact);
}

static void gradient_is_that_of_differences(void **state)
{
    (void)state;
    static const size_t batches[] = {1, 7, 8, 9, 128};
    static const struct {
        zi_mlp_shape shape;
        size_t rows; /* of the largest batch: the reference is slow */
    } cases[] = {{{3, 8}, 128}, {{1, 24}, 9}, {{4, 16}, 128}, {{6, 32}, 9}};
    worst_error error = {.what = "mean squared error, 3e-6 relative"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const scene s = make_scene(cases[i].shape, cases[i].rows, 7 + i);
        char what[64];
        snprintf(what, sizeof what, "%zu inputs, %zu units, 1e-3", s.shape.inputs, s.shape.units);
        worst_error w = {.what = what};
        double *slope = test_malloc(s.size * s.rows * sizeof *slope);
        for (size_t p = 0; p < s.size; p++) {
            for (size_t r = 0; r < s.rows; r++) {
                slope[p * s.rows + r] = reference_slope(s.shape, s.exact_parameter, p,
                                                        s.exact_x + r * s.shape.inputs, (double)s.target[r]);
            }
        }
        for (size_t b = 0; b < COUNT(batches) && batches[b] <= s.rows; b++) {
            check_gradient(&s, slope, batches[b], &w, &error);
        }
        check_errors(&w);
        test_free(slope);
        free_scene(&s);
    }
    check_errors(&error);
}

/* A batch's gradient is the mean of its examples'; for shapes that are too large for differences. */
static void gradient_is_the_mean_of_single_ones(void **state)
{
    (void)state;
    enum { ROWS = 131 };
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const scene s = make_scene(shapes[i], ROWS, 11);
        char what[64];
        snprintf(what, sizeof what, "%zu inputs, %zu units, 1e-5 of the largest", s.shape.inputs,
                 s.shape.units);
        worst_error w = {.what = what};
        float *whole = test_malloc(s.size * sizeof *whole);
        float *single = test_malloc(s.size * sizeof *single);
        double *sum = test_calloc(s.size, sizeof *sum);
        double error = 0.0;
        double largest = 0.0;
        const double whole_error = gradient_of(&s, ROWS, s.x, s.target, whole);
        for (size_t r = 0; r < ROWS; r++) {
            float x[MOST_INPUTS];
            part(&s, r, 1, x);
            error += gradient_of(&s, 1, x, s.target + r, single) / ROWS;
            for (size_t p = 0; p < s.size; p++) {
                sum[p] += (double)single[p] / ROWS;
            }
        }
        for (size_t p = 0; p < s.size; p++) {
            largest = fmax(largest, fabs(sum[p]));
        }
        for (size_t p = 0; p < s.size; p++) {
            note_error(&w, fabs((double)whole[p] - sum[p]) / largest / 1e-5, "parameter %zu", p);
        }
        note_error(&w, fabs(whole_error / error - 1.0) / 1e-12, "the error");
        check_errors(&w);
        test_free(whole);
        test_free(single);
        test_free(sum);
        free_scene(&s);
    }
}

/* A step against the gradient makes the error smaller, by about what the gradient says. */
static void gradient_points_uphill(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        scene s = make_scene(shapes[i], 64, 13);
        float *gradient = test_malloc(s.size * sizeof *gradient);
        double square = 0.0;
        const double before = gradient_of(&s, s.rows, s.x, s.target, gradient);
        for (size_t p = 0; p < s.size; p++) {
            square += (double)gradient[p] * (double)gradient[p];
        }
        const double step = 1e-3 * before / square; /* a thousandth less, if it were linear */
        for (size_t p = 0; p < s.size; p++) {
            s.parameter[p] -= (float)(step * (double)gradient[p]);
        }
        const double after = gradient_of(&s, s.rows, s.x, s.target, gradient);
        assert_true(fabs((before - after) / (1e-3 * before) - 1.0) < 0.05);
        test_free(gradient);
        free_scene(&s);
    }
}

/* ---- Limits ------------------------------------------------------------------------------ */

/* Words of a known pattern, and whether they are still that. */
enum { GUARDS = 64 };

static void put_guards(float *end)
{
    memset(end, 0x5a, GUARDS * sizeof *end);
}

static int guards_stand(const float *end)
{
    const unsigned char *byte = (const unsigned char *)end;
    for (size_t i = 0; i < GUARDS * sizeof *end; i++) {
        if (byte[i] != 0x5a) {
            return 0;
        }
    }
    return 1;
}

static float *guarded(size_t count)
{
    float *memory = test_malloc((count + GUARDS) * sizeof *memory);
    put_guards(memory + count);
    return memory;
}

/* Nothing is written behind what was promised to be enough; inputs are left as they were. */
static void writes_only_where_it_may(void **state)
{
    (void)state;
    static const size_t batches[] = {1, 7, 8, 9, 63, 128};
    for (size_t i = 0; i < COUNT(shapes) * COUNT(batches); i++) {
        const size_t rows = batches[i % COUNT(batches)];
        const scene s = make_scene(shapes[i / COUNT(batches)], rows, 17);
        const scene same = make_scene(shapes[i / COUNT(batches)], rows, 17);
        const size_t evaluate_space = zi_mlp_evaluate_space(s.shape, rows);
        const size_t gradient_space = zi_mlp_gradient_space(s.shape, rows);
        float *space = guarded(evaluate_space);
        float *more = guarded(gradient_space);
        float *y = guarded(rows);
        float *gradient = guarded(s.size);
        zi_mlp_evaluate(s.shape, s.parameter, rows, s.x, space, y);
        (void)zi_mlp_gradient(s.shape, s.parameter, rows, s.x, s.target, more, gradient);
        assert_true(guards_stand(space + evaluate_space));
        assert_true(guards_stand(more + gradient_space));
        assert_true(guards_stand(y + rows));
        assert_true(guards_stand(gradient + s.size));
        assert_memory_equal(s.parameter, same.parameter, s.size * sizeof *s.parameter);
        assert_memory_equal(s.x, same.x, rows * s.shape.inputs * sizeof *s.x);
        assert_memory_equal(s.target, same.target, rows * sizeof *s.target);
        test_free(space);
        test_free(more);
        test_free(y);
        test_free(gradient);
        free_scene(&same);
        free_scene(&s);
    }
}

/* W1 b1 W2 b2 W3 b3 W4 b4 w b. */
static void sizes_are_those_of_the_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const size_t n = shapes[i].inputs, m = shapes[i].units;
        assert_int_equal(zi_mlp_size(shapes[i]), n * m + m + n * m + m + m * m + m + m * m + m + m + 1);
    }
}

/* Gates of +-1000 and more, wide open and shut: answers stay in [-1, 1], gradients finite. */
static void extreme_inputs_give_finite_answers(void **state)
{
    (void)state;
    static const float scales[] = {1e-30F, 1.0F, 1e3F, 1e5F};
    size_t ends = 0;
    for (size_t i = 0; i < COUNT(shapes) * COUNT(scales); i++) {
        const zi_mlp_shape shape = shapes[i / COUNT(scales)];
        const scene s = make_scene(shape, 50, 19);
        float y[50];
        float *gradient = test_malloc(s.size * sizeof *gradient);
        for (size_t k = 0; k < shape.inputs * s.rows; k++) {
            s.x[k] *= scales[i % COUNT(scales)];
        }
        float *gate_bias = s.parameter + (2 * shape.inputs + 1) * shape.units;
        for (size_t u = 0; u < shape.units; u++) {
            gate_bias[u] = u % 2 ? 1e3F : -1e3F;
        }
        evaluate(&s, s.rows, s.x, y);
        for (size_t r = 0; r < s.rows; r++) {
            assert_true(y[r] >= -1.0F && y[r] <= 1.0F);
            ends += fabsf(y[r]) == 1.0F;
        }
        assert_true(isfinite(gradient_of(&s, s.rows, s.x, s.target, gradient)));
        for (size_t p = 0; p < s.size; p++) {
            assert_true(isfinite(gradient[p]));
        }
        test_free(gradient);
        free_scene(&s);
    }
    assert_true(ends > 0); /* some were that far */
}

/* ---- Beginning ---------------------------------------------------------------------------- */

/* Within the bound, up to it, mean 0 and variance a third of the bound's square to 5 standard errors (the
 * variance's: bound^2 sqrt(4/45/n)). Nine such checks: false alarm 1 in 90,000. */
static void check_uniform(const float *value, size_t count, double bound)
{
    const double n = (double)count;
    double sum = 0.0;
    double squares = 0.0;
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)value[i];
        squares += (double)value[i] * (double)value[i];
        largest = fmax(largest, fabs((double)value[i]));
    }
    assert_true(largest <= bound * (1.0 + 1e-7) && largest > bound * (1.0 - 20.0 / n));
    assert_true(fabs(sum / n) < 5.0 * bound / sqrt(3.0 * n));
    assert_true(fabs(squares / n / (bound * bound) - 1.0 / 3.0) < 5.0 * sqrt(4.0 / 45.0 / n));
}

/* Every parameter by one draw, in +- 1/sqrt(inputs of its layer), and nothing behind the last. */
static void first_weights_are_uniform(void **state)
{
    (void)state;
    static const zi_mlp_shape large[] = {{3, 128}, {4, 128}, {6, 120}};
    for (size_t i = 0; i < COUNT(large); i++) {
        const size_t size = zi_mlp_size(large[i]);
        const size_t first = 2 * large[i].units * (large[i].inputs + 1);
        const size_t second = 2 * large[i].units * (large[i].units + 1);
        float *parameter = guarded(size);
        zilch_rng rng = zilch_rng_make(23, i);
        memset(parameter, 0xff, size * sizeof *parameter);
        zi_mlp_draw(large[i], &rng, parameter);
        assert_int_equal(rng.counter, size);
        assert_true(guards_stand(parameter + size));
        check_uniform(parameter, first, 1.0 / sqrt((double)large[i].inputs));
        check_uniform(parameter + first, second, 1.0 / sqrt((double)large[i].units));
        check_uniform(parameter + first + second, large[i].units + 1, 1.0 / sqrt((double)large[i].units));
        test_free(parameter);
    }
}

/* The first parameter that is not finite. */
static void finds_what_is_not_finite(void **state)
{
    (void)state;
    static const float poison[] = {NAN, INFINITY, -INFINITY};
    const scene s = make_scene((zi_mlp_shape){3, 8}, 1, 29);
    s.parameter[0] = 3e38F;
    s.parameter[1] = -0x1p-149F;
    assert_int_equal(zi_mlp_find_bad(s.shape, s.parameter), s.size);
    for (size_t i = s.size; i-- > 0;) { /* from the end, so that the first is the newest */
        s.parameter[i] = poison[i % COUNT(poison)];
        assert_int_equal(zi_mlp_find_bad(s.shape, s.parameter), i);
    }
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_numpys),
        cmocka_unit_test(answers_are_the_references),
        cmocka_unit_test(answers_do_not_depend_on_the_batch),
        cmocka_unit_test(answers_nothing_to_nobody),
        cmocka_unit_test(gradient_is_that_of_differences),
        cmocka_unit_test(gradient_is_the_mean_of_single_ones),
        cmocka_unit_test(gradient_points_uphill),
        cmocka_unit_test(writes_only_where_it_may),
        cmocka_unit_test(sizes_are_those_of_the_parts),
        cmocka_unit_test(extreme_inputs_give_finite_answers),
        cmocka_unit_test(first_weights_are_uniform),
        cmocka_unit_test(finds_what_is_not_finite),
    };
    return cmocka_run_group_tests_name("mlp", tests, NULL, NULL);
}
