/* Random numbers: the generator, draw by draw and in bulk, and the statistics of its draws.
 *
 * Statistical checks have fixed seeds. Each allows 5 standard deviations of a nearly normal statistic, a
 * false alarm in 1.7 million (in 200,000 for the farthest tails, the least normal); there are 37, so a good
 * generator would fail for about one choice of seeds in 30,000. */
#include "base/bytes.h"
#include "base/rng.h"
#include "support.h"

/* ---- Random numbers --------------------------------------------------------- */

/* Random123's known answers for philox4x32 with 10 rounds. */
static const struct {
    uint32_t counter[4], key[2], answer[4];
} known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static uint64_t join(const uint32_t *low_first)
{
    return low_first[0] | (uint64_t)low_first[1] << 32;
}

static void test_philox_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(known_answers); i++) {
        uint64_t word[2];
        zi_philox_block(join(known_answers[i].key), join(known_answers[i].counter + 2),
                        join(known_answers[i].counter), word);
        assert_true(word[0] == join(known_answers[i].answer));
        assert_true(word[1] == join(known_answers[i].answer + 2));
    }
}

/* Draw n is word n mod 2 of block n / 2: its upper 52 bits and a half, so never 0 or 1. */
static void test_uniforms_are_philox(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(0x123456789abcdefu, 0xfedcba987654321u);
    assert_int_equal(rng.counter, 0);
    for (uint64_t n = 0; n < 1000; n++) {
        uint64_t word[2];
        zi_philox_block(0x123456789abcdefu, 0xfedcba987654321u, n / 2, word);
        assert_true(zilch_rng_uniform(&rng) == ldexp((double)(word[n % 2] >> 12), -52) + 0x1p-53);
    }
}

/* Box and Muller's pair from a block's two uniforms, in higher precision. */
static void test_normals_are_box_muller(void **state)
{
    (void)state;
    zilch_rng uniform = zilch_rng_make(3, 4);
    zilch_rng normal = uniform;
    worst_error w = {.what = "normals, within 2e-15"};
    for (int i = 0; i < 50000; i++) {
        const long double u = zilch_rng_uniform(&uniform);
        const long double angle = 2.0L * acosl(-1.0L) * zilch_rng_uniform(&uniform);
        const long double radius = sqrtl(-2.0L * logl(u));
        note_error(&w, (double)fabsl(zilch_rng_normal(&normal) - radius * cosl(angle)) / 2e-15, "pair %d", i);
        note_error(&w, (double)fabsl(zilch_rng_normal(&normal) - radius * sinl(angle)) / 2e-15, "pair %d", i);
    }
    check_errors(&w);
}

/* The same bits on every processor, now and in every later version. */
static void test_normals_are_pinned(void **state)
{
    (void)state;
    double x[1000];
    unsigned char bytes[sizeof x];
    zilch_rng rng = zilch_rng_make(2024, 7);
    zi_writer writer = {bytes, sizeof bytes, 0};
    zilch_rng_normals(&rng, COUNT(x), x);
    zi_write_doubles(&writer, x, COUNT(x));
    assert_true(zi_crc64(bytes, sizeof bytes) == 0xAF24E6EC70045A96u);
}

static void test_draws_advance_by_one(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(5, 6);
    for (uint64_t n = 0; n < 10; n++) {
        assert_true(rng.counter == n);
        (void)(n % 3 ? zilch_rng_normal(&rng) : zilch_rng_uniform(&rng));
        assert_true(rng.key == 5 && rng.stream == 6);
    }
    double x[7];
    zilch_rng_normals(&rng, 7, x);
    assert_true(rng.counter == 17);
    zilch_rng_normals(&rng, 0, x);
    assert_true(rng.counter == 17);
}

static void test_skipping(void **state)
{
    (void)state;
    for (uint64_t skip = 0; skip < 20; skip++) {
        zilch_rng walked = zilch_rng_make(8, 9);
        zilch_rng jumped = walked;
        for (uint64_t n = 0; n < skip; n++) {
            zilch_rng_uniform(&walked);
        }
        jumped.counter += skip;
        assert_true(zilch_rng_normal(&walked) == zilch_rng_normal(&jumped));
        assert_true(zilch_rng_uniform(&walked) == zilch_rng_uniform(&jumped));
    }
}

/* In bulk, from any place and of any length, the same bits as one by one, and nothing beyond. */
static void test_bulk_equals_single(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 64, 100, 1001};
    static const uint64_t starts[] = {0, 1, 2, 5, 1000003, ((uint64_t)1 << 33) - 3, (uint64_t)1 << 63};
    for (size_t i = 0; i < COUNT(lengths) * COUNT(starts); i++) {
        const size_t n = lengths[i % COUNT(lengths)];
        zilch_rng bulk = {.key = 10, .stream = (uint64_t)11 << 40, .counter = starts[i / COUNT(lengths)]};
        zilch_rng single = bulk;
        double x[1002];
        double y[1002];
        x[n] = y[n] = 42.0;
        zilch_rng_normals(&bulk, n, x);
        for (size_t j = 0; j < n; j++) {
            y[j] = zilch_rng_normal(&single);
        }
        assert_memory_equal(x, y, (n + 1) * sizeof *x);
        assert_memory_equal(&bulk, &single, sizeof bulk);
    }
}

/* Seeds and streams that differ in one bit share no number among their first. */
static void test_streams_differ(void **state)
{
    (void)state;
    enum { STREAMS = 129, DRAWS = 8 };
    static double x[STREAMS * DRAWS];
    for (size_t i = 0; i < STREAMS; i++) {
        const uint64_t bit = i ? (uint64_t)1 << (i - 1) % 64 : 0;
        zilch_rng rng = zilch_rng_make(i <= 64 ? 77 ^ bit : 77, i <= 64 ? 88 : 88 ^ bit);
        for (size_t j = 0; j < DRAWS; j++) {
            x[i * DRAWS + j] = zilch_rng_uniform(&rng);
        }
    }
    for (size_t i = 0; i < COUNT(x); i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(x[i] != x[j]);
        }
    }
}

/* ---- Random numbers: statistics ---------------------------------------------- */

enum { DRAWN = 1000000, BINS = 64 };

static double drawn[DRAWN], beside[DRAWN];

/* A statistic that should be normal with this mean and deviation. */
static void check_statistic(const char *what, double value, double mean, double deviation)
{
    const double z = (value - mean) / deviation;
    print_message("    %-40s %12.6g, %5.2f deviations\n", what, value, z);
    assert_true(fabs(z) <= 5.0);
}

/* Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is nearly normal. */
static void check_chi_square(const char *what, const size_t *count, size_t bins, size_t total)
{
    const double expected = (double)total / (double)bins;
    double sum = 0.0;
    for (size_t i = 0; i < bins; i++) {
        sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    }
    const double spread = 2.0 / (9.0 * (double)(bins - 1));
    check_statistic(what, cbrt(sum / (double)(bins - 1)), 1.0 - spread, sqrt(spread));
}

static double mean_power(const double *x, int power)
{
    double sum = 0.0;
    for (size_t i = 0; i < DRAWN; i++) {
        sum += power == 1   ? x[i]
               : power == 2 ? x[i] * x[i]
               : power == 3 ? x[i] * x[i] * x[i]
                            : pow(x[i], power);
    }
    return sum / DRAWN;
}

static double mean_product(const double *x, const double *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * y[i];
    }
    return sum / (double)count;
}

static void test_uniform_statistics(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(31, 0);
    size_t count[BINS] = {0};
    size_t pairs[BINS] = {0};
    for (size_t i = 0; i < DRAWN; i++) {
        drawn[i] = zilch_rng_uniform(&rng);
        assert_true(drawn[i] > 0.0 && drawn[i] < 1.0);
        count[(size_t)(BINS * drawn[i])]++;
    }
    for (size_t i = 0; i < DRAWN; i += 2) {
        pairs[8 * (size_t)(8.0 * drawn[i]) + (size_t)(8.0 * drawn[i + 1])]++;
    }
    check_chi_square("uniform, 64 bins", count, BINS, DRAWN);
    check_chi_square("uniform, neighbours in 8 x 8 bins", pairs, BINS, DRAWN / 2);
    for (size_t i = 0; i < DRAWN; i++) {
        drawn[i] = (drawn[i] - 0.5) * sqrt(12.0);
    }
    check_statistic("uniform, mean", mean_power(drawn, 1), 0.0, 1.0 / sqrt(DRAWN));
    check_statistic("uniform, variance", mean_power(drawn, 2), 1.0, sqrt(0.8 / DRAWN));
    for (size_t lag = 1; lag <= 8; lag++) {
        check_statistic("uniform, serial correlation", mean_product(drawn, drawn + lag, DRAWN - lag), 0.0,
                        1.0 / sqrt((double)(DRAWN - lag)));
    }
}

/* Moments to the fourth: deviations of x, x^2, x^3 and x^4 from the moments 2, 4, 6 and 8. */
static void test_normal_moments(void **state)
{
    (void)state;
    static const double mean[] = {0.0, 1.0, 0.0, 3.0};
    static const double variance[] = {1.0, 2.0, 15.0, 96.0};
    zilch_rng rng = zilch_rng_make(32, 0);
    zilch_rng_normals(&rng, DRAWN, drawn);
    for (int power = 1; power <= 4; power++) {
        char what[40];
        snprintf(what, sizeof what, "normal, moment %d", power);
        check_statistic(what, mean_power(drawn, power), mean[power - 1], sqrt(variance[power - 1] / DRAWN));
    }
}

static void test_normal_distribution(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(33, 0);
    size_t count[4 * BINS] = {0};
    zilch_rng_normals(&rng, DRAWN, drawn);
    for (size_t i = 0; i < DRAWN; i++) {
        const double p = 0.5 * erfc(-drawn[i] * sqrt(0.5));
        count[(size_t)(4 * BINS * p)]++;
    }
    check_chi_square("normal, 256 bins", count, 4 * BINS, DRAWN);
    for (double limit = 2.5; limit <= 4.0; limit += 0.5) {
        const double p = 0.5 * erfc(limit * sqrt(0.5));
        size_t above = 0;
        size_t below = 0;
        for (size_t i = 0; i < DRAWN; i++) {
            above += drawn[i] > limit;
            below += drawn[i] < -limit;
        }
        check_statistic("normal, upper tail", (double)above, DRAWN * p, sqrt(DRAWN * p));
        check_statistic("normal, lower tail", (double)below, DRAWN * p, sqrt(DRAWN * p));
    }
}

/* Neighbours, the two of one block above all, and neighbouring streams and seeds: the values and their
 * squares. */
static void check_independence(const char *what, const double *x, const double *y, size_t count)
{
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        squares += (x[i] * x[i] - 1.0) * (y[i] * y[i] - 1.0);
    }
    check_statistic(what, mean_product(x, y, count), 0.0, 1.0 / sqrt((double)count));
    check_statistic("    the squares", squares / (double)count, 0.0, 2.0 / sqrt((double)count));
}

static void test_normal_independence(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(34, 0);
    zilch_rng_normals(&rng, DRAWN, drawn);
    for (size_t lag = 1; lag <= 4; lag++) {
        check_independence("normal, serial correlation", drawn, drawn + lag, DRAWN - lag);
    }
    rng = zilch_rng_make(34, 1);
    zilch_rng_normals(&rng, DRAWN, beside);
    check_independence("normal, next stream", drawn, beside, DRAWN);
    rng = zilch_rng_make(35, 0);
    zilch_rng_normals(&rng, DRAWN, beside);
    check_independence("normal, next seed", drawn, beside, DRAWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answers),   cmocka_unit_test(test_uniforms_are_philox),
        cmocka_unit_test(test_normals_are_box_muller), cmocka_unit_test(test_normals_are_pinned),
        cmocka_unit_test(test_draws_advance_by_one),   cmocka_unit_test(test_skipping),
        cmocka_unit_test(test_bulk_equals_single),     cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_uniform_statistics),     cmocka_unit_test(test_normal_moments),
        cmocka_unit_test(test_normal_distribution),    cmocka_unit_test(test_normal_independence),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
