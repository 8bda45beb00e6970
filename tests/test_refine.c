/* The refinement: what it finds and how fast, that its points keep all limits, that it can be written and
 * read in the middle of anything, and that bytes from elsewhere do no harm. */
#include "search/refine_model.h"

#include "search_support.h"

enum { MOST_DIM = 50 };

typedef double (*objective)(size_t dim, const double *x);

/* ---- Objectives ----------------------------------------------------------------------------------- */

/* Coordinates 3, 13, 23, ... are 1, -2, 3, ...; the others zero. */
static double separable(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        const double best = i % 10 != 3 ? 0.0 : (i / 10 % 2 ? -1.0 : 1.0) * (double)(i / 10 + 1);
        sum += (1.0 + (double)(i % 7)) * (x[i] - best) * (x[i] - best);
    }
    return sum;
}

/* Turned by reflections; the axes' squared lengths are from 1 to 1e6; the minimum is at 1, -1, 1, ... */
static double ellipsoid(size_t dim, const double *x)
{
    double y[MOST_DIM];
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        y[i] = x[i] - (i % 2 ? -1.0 : 1.0);
    }
    for (size_t reflection = 1; reflection <= 3; reflection++) {
        double product = 0.0, square = 0.0;
        for (size_t i = 0; i < dim; i++) {
            const double v = cos((double)(reflection * (i + 1)));
            product += v * y[i];
            square += v * v;
        }
        for (size_t i = 0; i < dim; i++) {
            y[i] -= 2.0 * product / square * cos((double)(reflection * (i + 1)));
        }
    }
    for (size_t i = 0; i < dim; i++) {
        sum += pow(1e6, (double)i / (double)(dim - 1)) * y[i] * y[i];
    }
    return sum;
}

static double rosenbrock(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i + 1 < dim; i++) {
        const double off = x[i + 1] - x[i] * x[i];
        sum += 100.0 * off * off + (1.0 - x[i]) * (1.0 - x[i]);
    }
    return sum;
}

/* A network of two units: four pairs of weights, of which two are needed. At zero no weight is worth anything
 * alone. */
static double products(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t k = 0; k < 8; k++) {
        const double a = cos((double)k), b = sin(2.0 * (double)k);
        double answer = 0.0;
        for (size_t unit = 0; unit + 3 <= dim; unit += 3) {
            answer += x[unit] * tanh(a * x[unit + 1] + b * x[unit + 2]);
        }
        const double missing = answer - tanh(1.5 * a + b) + 0.5 * tanh(a - 2.0 * b);
        sum += missing * missing / 8.0;
    }
    return sum;
}

/* Fails on one side. */
static double half_failing(size_t dim, const double *x)
{
    return x[3] > 1.5 ? NAN : x[4] < -1.5 ? INFINITY : separable(dim, x);
}

/* ---- Driving -------------------------------------------------------------------------------------- */

typedef struct run {
    size_t dim;
    zi_constraints limits;
    double mu[MOST_DIM], sigma[MOST_DIM];
    double penalty;
    zi_refine *refine;
    objective f;
    size_t evaluations;
    double best;     /* without the penalty; of all that were told and the start */
    zi_rows archive; /* the start and what was told, if its width is set */
} run;

/* The number of a point in the archive, which takes it; 0 if there is none. */
static size_t number_of(run *r, const double *x)
{
    if (r->archive.width) {
        assert_int_equal(zi_rows_append(&r->archive, x), ZILCH_OK);
    }
    return r->archive.width ? r->archive.count - 1 : 0;
}

static zilch_status start_at(run *r, const double *x, double value, int is_dense)
{
    return zi_refine_start(r->refine, x, &(zi_known){number_of(r, x), value, 0.0}, is_dense);
}

/* With the options' bounds and other limits; from `start`, or from zero. */
static run *begin_run(size_t dim, objective f, zilch_optimizer_options options, const double *start)
{
    static const double zero[MOST_DIM];
    run *r = calloc(1, sizeof *r);
    *r = (run){.dim = dim, .f = f, .penalty = options.penalty};
    assert_int_equal(zi_constraints_create(&r->limits, dim, &options), ZILCH_OK);
    for (size_t i = 0; i < dim; i++) {
        const int has_bounds = options.lower && options.upper;
        r->mu[i] = has_bounds ? 0.5 * (options.lower[i] + options.upper[i]) : 0.0;
        r->sigma[i] = has_bounds ? 0.3 * (options.upper[i] - options.lower[i]) : 2.0;
    }
    assert_int_equal(
        zi_refine_create(&r->refine, &r->limits, r->mu, r->sigma, (zi_penalty){r->penalty, NULL}, 7),
        ZILCH_OK);
    assert_true(zi_refine_is_done(r->refine));
    r->best = f(dim, start ? start : zero);
    assert_int_equal(start_at(r, start ? start : zero, r->best, 0), ZILCH_OK);
    return r;
}

static void end_run(run *r)
{
    zi_refine_destroy(r->refine);
    zi_constraints_free(&r->limits);
    zi_rows_free(&r->archive);
    free(r);
}

static void check_batch(const run *r, size_t n, const double *x)
{
    assert_true(n >= 1);
    for (size_t j = 0; j < n; j++) {
        if (zi_constraints_check(&r->limits, x + j * r->dim) != ZILCH_OK) {
            fail_msg("%s", zilch_last_error());
        }
        for (size_t k = 0; k < j; k++) {
            assert_memory_not_equal(x + j * r->dim, x + k * r->dim, r->dim * sizeof *x);
        }
    }
}

/* One batch; false if it is done. */
static int advance(run *r)
{
    size_t n;
    const double *x;
    zi_known told[256];
    assert_int_equal(zi_refine_ask(r->refine, &n, &x), ZILCH_OK);
    if (zi_refine_is_done(r->refine)) {
        assert_int_equal(n, 0);
        return 0;
    }
    check_batch(r, n, x);
    assert_true(n <= COUNT(told));
    for (size_t j = 0; j < n; j++) {
        const double value = r->f(r->dim, x + j * r->dim);
        told[j] = (zi_known){number_of(r, x + j * r->dim), value, 0.0};
        r->best = isfinite(value) ? fmin(r->best, value) : r->best;
    }
    r->evaluations += n;
    assert_int_equal(zi_refine_tell(r->refine, n, x, told), ZILCH_OK);
    return 1;
}

/* Until the value is at most this, or it is done, or many evaluations are gone. */
static void go_on(run *r, double target, size_t most)
{
    const double *x;
    double value = INFINITY;
    while (r->evaluations < most && advance(r)) {
        zi_refine_best(r->refine, &x, &value);
        if (value <= target) {
            break;
        }
    }
    zi_refine_best(r->refine, &x, &value);
    assert_true(zi_constraints_check(&r->limits, x) == ZILCH_OK);
    assert_true(value == r->f(r->dim, x));
    if (r->penalty == 0.0) {
        assert_true(value == r->best);
    }
}

static double value_of(const run *r)
{
    const double *x;
    double value;
    zi_refine_best(r->refine, &x, &value);
    return value;
}

/* ---- What it finds -------------------------------------------------------------------------------- */

static void separable_is_solved(void **state)
{
    (void)state;
    const double penalties[] = {0.0, 0.1};
    for (size_t k = 0; k < COUNT(penalties); k++) {
        zilch_optimizer_options options = zilch_optimizer_defaults();
        const double *x;
        double value;
        options.penalty = penalties[k];
        run *r = begin_run(50, separable, options, NULL);
        go_on(r, 1e-20, 250);
        zi_refine_best(r->refine, &x, &value);
        assert_true(value <= 1e-20);
        for (size_t i = 0; i < 50; i++) {
            assert_true((x[i] != 0.0) == (i % 10 == 3));
        }
        end_run(r);
    }
}

static void dense_ones_are_solved(void **state)
{
    (void)state;
    const double start[MOST_DIM] = {0.5, -0.5, 0.2, -1.0, 0.1};
    run *r = begin_run(10, ellipsoid, zilch_optimizer_defaults(), NULL);
    go_on(r, 1e-8, 1200);
    assert_true(value_of(r) <= 1e-8);
    end_run(r);
    r = begin_run(5, rosenbrock, zilch_optimizer_defaults(), start);
    go_on(r, 1e-8, 1200);
    assert_true(value_of(r) <= 1e-8);
    end_run(r);
}

/* From zero there is nothing to gain. A dense start meets no penalty until it has learned, and the whole one
 * in the end: what is left is worth it. */
static void a_dense_start_is_thinned(void **state)
{
    (void)state;
    enum { DIM = 18, NEEDED = 6 };
    zilch_optimizer_options options = zilch_optimizer_defaults();
    double start[DIM], value;
    const double *x;
    options.penalty = 0.002;
    for (size_t i = 0; i < DIM; i++) {
        start[i] = 0.5 * cos(5.0 * (double)(i + 1));
    }
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        run *r = begin_run(DIM, products, options, is_dense ? start : NULL);
        if (is_dense) {
            assert_int_equal(start_at(r, start, r->best, 1), ZILCH_OK);
        }
        go_on(r, -1.0, 20000);
        assert_true(zi_refine_is_done(r->refine));
        zi_refine_best(r->refine, &x, &value);
        if (is_dense) {
            assert_true(value < 1e-3 && active_of(DIM, x) <= NEEDED + 1);
            assert_true(r->refine->state.penalty == options.penalty);
        } else {
            assert_int_equal(active_of(DIM, x), 0);
        }
        end_run(r);
    }
}

static void failures_are_survived(void **state)
{
    (void)state;
    run *r = begin_run(20, half_failing, zilch_optimizer_defaults(), NULL);
    go_on(r, 1e-12, 2000);
    assert_true(value_of(r) <= 1e-12);
    end_run(r);
}

/* It ends, and can be started again. */
static void it_ends(void **state)
{
    (void)state;
    const double start[MOST_DIM] = {0.0, 0.0, 0.0, 1.0};
    run *r = begin_run(6, separable, zilch_optimizer_defaults(), NULL);
    go_on(r, -1.0, 100000);
    assert_true(zi_refine_is_done(r->refine));
    assert_true(r->evaluations < 5000);
    assert_int_equal(start_at(r, start, separable(6, start), 0), ZILCH_OK);
    assert_false(zi_refine_is_done(r->refine));
    assert_true(advance(r));
    assert_int_equal(start_at(r, start, NAN, 0), ZILCH_EARG);
    end_run(r);
}

/* ---- Limits --------------------------------------------------------------------------------------- */

static void bounds_are_kept(void **state)
{
    (void)state;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    double lower[10], upper[10];
    for (size_t i = 0; i < 10; i++) { /* 1.5 is as far as coordinate 3 may go from zero, 0.25 as near */
        lower[i] = i == 3 ? -0.5 : i == 5 ? 0.25 : i == 7 ? 2.0 : -1.5;
        upper[i] = i == 3 ? 0.75 : i == 5 ? 1.0 : i == 7 ? 2.0 : 1.5;
    }
    options.lower = lower;
    options.upper = upper;
    const double *x;
    double value;
    run *r = begin_run(10, separable, options, NULL);
    go_on(r, -1.0, 3000);
    zi_refine_best(r->refine, &x, &value);
    for (size_t i = 0; i < 10; i++) {
        assert_true(x[i] == (i == 3 ? 0.75 : 0.0));
    }
    end_run(r);
    r = begin_run(10, ellipsoid, options, NULL); /* coordinate 7 is 0 or 2, coordinate 5 0 or from 0.25 */
    go_on(r, -1.0, 3000);
    assert_true(value_of(r) < 0.1 * ellipsoid(10, (const double[10]){0}));
    end_run(r);
}

static void switches_are_kept(void **state)
{
    (void)state;
    const zilch_forced forced[20] = {[0] = ZILCH_FORCED_ON, [3] = ZILCH_FORCED_OFF};
    const size_t group[20] = {[10] = 1, [11] = 1, [13] = 1};
    const double start[20] = {[0] = 0.7};
    const double *x;
    double value;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.forced = forced;
    run *r = begin_run(20, separable, options, start);
    go_on(r, -1.0, 3000);
    zi_refine_best(r->refine, &x, &value);
    assert_true(x[0] != 0.0 && fabs(x[0]) < 1e-5 && x[3] == 0.0 && fabs(x[13] + 2.0) < 1e-8);
    end_run(r);

    options = zilch_optimizer_defaults();
    options.max_active = 1;
    r = begin_run(20, separable, options, NULL);
    go_on(r, -1.0, 3000);
    assert_true(value_of(r) <= separable(20, (const double[20]){[3] = 1.0}) + 1e-9);
    end_run(r);

    options.max_active = 5;
    options.min_active = 3;
    options.group = group;
    const double grouped[20] = {[10] = 0.1, [11] = 0.1, [13] = 0.1};
    r = begin_run(20, separable, options, grouped);
    go_on(r, -1.0, 3000);
    assert_true(value_of(r) <= 1e-6);
    assert_int_equal(start_at(r, start, 0.0, 0), ZILCH_EARG);
    end_run(r);

    options.min_active = 0; /* from zero, a group is switched as a whole */
    r = begin_run(20, separable, options, NULL);
    go_on(r, -1.0, 3000);
    assert_true(value_of(r) <= 1e-6);
    end_run(r);
}

/* Values that are 0 or one other. */
static void fixed_values_are_switched(void **state)
{
    (void)state;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    const double fixed[10] = {1.0, 2.0, -1.0, 1.0, 0.5, 1.0, 1.0, -2.0, 1.0, 3.0};
    options.lower = options.upper = fixed;
    const double *x;
    double value;
    run *r = begin_run(10, separable, options, NULL);
    go_on(r, -1.0, 3000);
    zi_refine_best(r->refine, &x, &value);
    assert_true(zi_refine_is_done(r->refine));
    for (size_t i = 0; i < 10; i++) {
        assert_true(x[i] == (i == 3 ? 1.0 : 0.0));
    }
    end_run(r);
}

/* ---- Bytes ---------------------------------------------------------------------------------------- */

static unsigned char *pack(const zi_refine *refine, size_t *length)
{
    zi_writer count = {0};
    zi_refine_write(refine, &count);
    zi_writer writer = {.data = malloc(count.length), .capacity = count.length};
    zi_refine_write(refine, &writer);
    assert_int_equal(writer.length, count.length);
    *length = count.length;
    return writer.data;
}

static zilch_status unpack(const run *r, const unsigned char *bytes, size_t length, zi_refine **out)
{
    zi_reader reader = {.data = bytes, .length = length, .ok = 1};
    zilch_status status =
        zi_refine_read(out, &r->limits, r->mu, r->sigma, (zi_penalty){r->penalty, NULL}, &reader);
    status = status == ZILCH_OK ? zi_refine_read_archive(*out, &r->archive) : status;
    if (status != ZILCH_OK) {
        zi_refine_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* From here on points are kept, so that bytes can be read. */
static void keep_points(run *r, const double *start, int is_dense)
{
    r->archive.width = r->dim;
    assert_int_equal(start_at(r, start, r->best, is_dense), ZILCH_OK);
}

static void read_again_and_again(run *r)
{
    for (size_t batch = 0; batch < 400 && !zi_refine_is_done(r->refine); batch++) {
        size_t length, n;
        const double *x;
        if (batch % 2) {
            assert_int_equal(zi_refine_ask(r->refine, &n, &x), ZILCH_OK);
        }
        if (batch % 5 < 2) { /* the other one takes over */
            unsigned char *bytes = pack(r->refine, &length);
            zi_refine *other;
            assert_int_equal(unpack(r, bytes, length, &other), ZILCH_OK);
            zi_refine *old = r->refine;
            const size_t known = r->archive.count;
            advance(r);
            r->archive.count = known; /* the other one is told the same points */
            r->refine = other;
            advance(r);
            size_t old_length, new_length;
            unsigned char *before = pack(old, &old_length);
            unsigned char *after = pack(other, &new_length);
            assert_int_equal(old_length, new_length);
            assert_memory_equal(before, after, new_length);
            zi_refine_destroy(old);
            free(before);
            free(after);
            free(bytes);
        } else {
            advance(r);
        }
    }
}

/* At every batch, before it is asked for and after; the rest is the same. A dense start has its penalty
 * raised in the middle of it. */
static void reading_goes_on_exactly(void **state)
{
    (void)state;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    double start[12] = {0};
    run *r = begin_run(12, ellipsoid, options, NULL);
    keep_points(r, start, 0);
    read_again_and_again(r);
    end_run(r);
    for (size_t i = 0; i < COUNT(start); i++) {
        start[i] = 0.5 + 0.1 * (double)i;
    }
    options.penalty = 0.01;
    r = begin_run(12, products, options, start);
    keep_points(r, start, 1);
    read_again_and_again(r);
    assert_true(r->refine->state.penalty > 0.0);
    end_run(r);
}

/* Cut off at every length, and with bytes changed at random: refused, or harmless. */
static void hostile_bytes_are_harmless(void **state)
{
    (void)state;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.max_active = 4;
    run *r = begin_run(8, ellipsoid, options, NULL);
    zilch_rng rng = zilch_rng_make(3, 0);
    keep_points(r, (const double[8]){0}, 0);
    size_t refused = 0;
    for (size_t batch = 0; batch < 8; batch++) {
        size_t length, n;
        const double *x;
        assert_int_equal(zi_refine_ask(r->refine, &n, &x), ZILCH_OK);
        unsigned char *bytes = pack(r->refine, &length);
        zi_refine *other;
        for (size_t cut = 0; cut < length; cut += 1 + cut / 20) {
            assert_int_equal(unpack(r, bytes, cut, &other), ZILCH_EFORMAT);
            assert_null(other);
        }
        for (size_t trial = 0; trial < 200; trial++) {
            unsigned char *copy = malloc(length);
            memcpy(copy, bytes, length);
            const size_t most = trial % 2 ? length : 100;
            const size_t at = (size_t)(zilch_rng_uniform(&rng) * (double)most);
            copy[at] = (unsigned char)(256.0 * zilch_rng_uniform(&rng));
            run hostile = *r;
            hostile.archive = (zi_rows){0};
            if (unpack(r, copy, length, &hostile.refine) == ZILCH_OK) {
                for (size_t step = 0; step < 20 && advance(&hostile); step++) {
                }
                zi_refine_destroy(hostile.refine);
            } else {
                refused++;
            }
            free(copy);
        }
        free(bytes);
        for (size_t k = 0; k < 1 + batch; k++) {
            advance(r);
        }
    }
    assert_true(refused > 100);
    end_run(r);
}

static void others_points_are_refused(void **state)
{
    (void)state;
    size_t n;
    const double *x;
    static const zi_known told[256];
    static const double others[256 * 8];
    run *r = begin_run(8, ellipsoid, zilch_optimizer_defaults(), NULL);
    assert_int_equal(zi_refine_ask(r->refine, &n, &x), ZILCH_OK);
    assert_int_equal(zi_refine_tell(r->refine, n - 1, x, told), ZILCH_EARG);
    assert_int_equal(zi_refine_tell(r->refine, n, others, told), ZILCH_EARG);
    end_run(r);
}

/* ---- Many coordinates ----------------------------------------------------------------------------- */

static void many_coordinates_are_no_matter(void **state)
{
    (void)state;
    enum { DIM = 20000 };
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zi_constraints limits;
    zi_refine *refine;
    double *numbers = calloc(3 * (size_t)DIM, sizeof *numbers);
    double *sigma = numbers + DIM, *zero = numbers + 2 * (size_t)DIM;
    for (size_t i = 0; i < DIM; i++) {
        sigma[i] = 2.0;
    }
    assert_int_equal(zi_constraints_create(&limits, DIM, &options), ZILCH_OK);
    assert_int_equal(zi_refine_create(&refine, &limits, numbers, sigma, (zi_penalty){0.1, NULL}, 1),
                     ZILCH_OK);
    const double first = separable(DIM, zero);
    assert_int_equal(zi_refine_start(refine, zero, &(zi_known){.value = first}, 0), ZILCH_OK);
    for (size_t evaluations = 0; evaluations < 500;) {
        size_t n;
        const double *x;
        zi_known told[256] = {{0}};
        assert_int_equal(zi_refine_ask(refine, &n, &x), ZILCH_OK);
        for (size_t j = 0; j < n; j++) {
            told[j].value = separable(DIM, x + j * DIM);
        }
        assert_int_equal(zi_refine_tell(refine, n, x, told), ZILCH_OK);
        evaluations += n;
    }
    const double *x;
    double value;
    zi_refine_best(refine, &x, &value);
    assert_true(value < first);
    zi_refine_destroy(refine);
    zi_constraints_free(&limits);
    free(numbers);
}

/* ---- Memory ----------------------------------------------------------------------------------------- */

static size_t allocations, blocks, failing;

static void *count_alloc(size_t bytes)
{
    void *block = ++allocations == failing ? NULL : malloc(bytes);
    blocks += block != NULL;
    return block;
}

static void count_release(void *block)
{
    blocks -= block != NULL;
    free(block);
}

static void missing_memory_is_an_error(void **state)
{
    (void)state;
    run *r = begin_run(8, ellipsoid, zilch_optimizer_defaults(), NULL);
    zi_refine *refine;
    zilch_status status = ZILCH_ENOMEM;
    end_run(r);
    zilch_set_allocator(count_alloc, count_release);
    r = begin_run(8, ellipsoid, zilch_optimizer_defaults(), NULL);
    const size_t before = blocks;
    for (failing = 1; status != ZILCH_OK; failing++) {
        allocations = 0;
        status = zi_refine_create(&refine, &r->limits, r->mu, r->sigma, (zi_penalty){0.0, NULL}, 1);
        assert_true(status == ZILCH_OK || (status == ZILCH_ENOMEM && !refine && blocks == before));
    }
    assert_true(failing > 5);
    allocations = failing = 0;
    assert_int_equal(zi_refine_start(refine, (const double[8]){0}, &(zi_known){.value = 1e9}, 0), ZILCH_OK);
    zi_refine_destroy(r->refine);
    r->refine = refine;
    go_on(r, 1e-8, 1000);
    assert_int_equal(allocations, 0); /* nothing is allocated on the way */
    end_run(r);
    assert_int_equal(blocks, 0);
    zilch_set_allocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separable_is_solved),
        cmocka_unit_test(dense_ones_are_solved),
        cmocka_unit_test(a_dense_start_is_thinned),
        cmocka_unit_test(failures_are_survived),
        cmocka_unit_test(it_ends),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(switches_are_kept),
        cmocka_unit_test(fixed_values_are_switched),
        cmocka_unit_test(reading_goes_on_exactly),
        cmocka_unit_test(hostile_bytes_are_harmless),
        cmocka_unit_test(others_points_are_refused),
        cmocka_unit_test(many_coordinates_are_no_matter),
        cmocka_unit_test(missing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
