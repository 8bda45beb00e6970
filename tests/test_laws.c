/* The four laws: the first points, and what each draws from given elites, computed again by plain loops from
 * the stated random streams, and as statistics. Statistical bounds are 5 standard errors: each comparison
 * is a false alarm once in 1.7 million seeds, all of this file's together (about 700) once in 2,400. */
#include "search_support.h"

static const double allowed = 5.0;

/* A count of successes among n trials of probability p. */
static void assert_share(double count, double n, double p)
{
    const double error = fabs(count - n * p) / sqrt(n * p * (1.0 - p));
    if (!(error <= allowed)) {
        fail_msg("%g of %g, where %g are expected: %.1f standard errors", count, n, n * p, error);
    }
}

/* n normal numbers with this sum and sum of squares, of mean 0 and deviation 1. */
static void assert_standard_normal(double n, double sum, double squares)
{
    if (!(fabs(sum) <= allowed * sqrt(n) && fabs(squares - n) <= allowed * sqrt(2.0 * n))) {
        fail_msg("%g numbers: sum %g, sum of squares %g", n, sum, squares);
    }
}

/* ---- The first points --------------------------------------------------------------------------- */

enum { FIRST_DIM = 20, FIRST_ROWS = 5000 };

static double *spread_points(zilch_method law, uint64_t seed, double p, double mu, double sigma,
                             double spread)
{
    zilch_optimizer_options options = small_options(law, FIRST_ROWS, 2);
    options.initial_spread = spread;
    options.initial_p = p;
    options.initial_mu = mu;
    options.initial_sigma = sigma;
    zilch_optimizer *o = create_with(FIRST_DIM, seed, &options);
    uint64_t *id = test_malloc(FIRST_ROWS * sizeof *id);
    double *x = test_malloc(FIRST_ROWS * FIRST_DIM * sizeof *x);
    assert_int_equal(zilch_optimizer_ask(o, FIRST_ROWS, id, x), ZILCH_OK);
    test_free(id);
    zilch_optimizer_destroy(o);
    return x;
}

static double *first_points(zilch_method law, uint64_t seed, double p, double mu, double sigma)
{
    return spread_points(law, seed, p, mu, sigma, 0.0);
}

/* Share, mean and deviation of the active coordinates, over all and in each. */
static void first_points_follow_the_options(void **state)
{
    (void)state;
    static const struct {
        double p, mu, sigma;
    } cases[] = {{0.5, 0.0, 2.0}, {0.03, -3.0, 0.5}, {0.9, 1.0, 10.0}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        double *x = first_points(ZILCH_METHOD_DEFAULT, 10 + k, cases[k].p, cases[k].mu, cases[k].sigma);
        double all[3] = {0};
        for (size_t i = 0; i < FIRST_DIM; i++) {
            double count = 0.0, sum = 0.0, squares = 0.0;
            for (size_t row = 0; row < FIRST_ROWS; row++) {
                const double value = x[row * FIRST_DIM + i];
                const double z = value != 0.0 ? (value - cases[k].mu) / cases[k].sigma : 0.0;
                count += value != 0.0;
                sum += z;
                squares += z * z;
            }
            assert_share(count, FIRST_ROWS, cases[k].p);
            assert_standard_normal(count, sum, squares);
            all[0] += count;
            all[1] += sum;
            all[2] += squares;
        }
        assert_share(all[0], FIRST_ROWS * FIRST_DIM, cases[k].p);
        assert_standard_normal(all[0], all[1], all[2]);
        test_free(x);
    }
}

/* Both ends of the share are certain. */
static void first_points_may_be_empty_or_full(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        for (zilch_method law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
            double *x = first_points(law, 3, full, 0.0, 2.0);
            assert_int_equal(active_of((size_t)FIRST_ROWS * FIRST_DIM, x), full ? FIRST_ROWS * FIRST_DIM : 0);
            test_free(x);
        }
    }
}

/* Point number r from draws 2 dim r on: dim values, then dim masks. With a share of one half, active is what
 * has a mask that is not negative. */
static void first_points_are_the_same_for_every_law(void **state)
{
    (void)state;
    double *expected = test_malloc((size_t)FIRST_ROWS * FIRST_DIM * sizeof *expected);
    zilch_rng rng = zilch_rng_make(77, 0);
    for (size_t row = 0; row < FIRST_ROWS; row++) {
        double *x = expected + row * FIRST_DIM;
        for (size_t i = 0; i < FIRST_DIM; i++) {
            x[i] = 0.25 + 1.5 * zilch_rng_normal(&rng);
        }
        for (size_t i = 0; i < FIRST_DIM; i++) {
            x[i] = zilch_rng_normal(&rng) < 0.0 ? 0.0 : x[i];
        }
    }
    for (zilch_method law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
        double *x = first_points(law, 77, 0.5, 0.25, 1.5);
        assert_memory_equal(x, expected, (size_t)FIRST_ROWS * FIRST_DIM * sizeof *x);
        test_free(x);
    }
    double *other = first_points(ZILCH_METHOD_EA, 78, 0.5, 0.25, 1.5);
    assert_memory_not_equal(other, expected, (size_t)FIRST_ROWS * FIRST_DIM * sizeof *other);
    test_free(other);
    test_free(expected);
}

/* How many coordinates of each row are active: their mean and its standard error. */
static double mean_active(const double *x, double *error)
{
    double sum = 0.0, squares = 0.0;
    for (size_t row = 0; row < FIRST_ROWS; row++) {
        const double active = (double)active_of(FIRST_DIM, x + row * FIRST_DIM);
        sum += active;
        squares += active * active;
    }
    const double mean = sum / FIRST_ROWS;
    *error = sqrt((squares / FIRST_ROWS - mean * mean) / FIRST_ROWS);
    return mean;
}

/* Whatever their masks have in common, each coordinate is active as often as said, its values are as ever,
 * and all laws have the same points. */
static void spread_leaves_the_share(void **state)
{
    (void)state;
    static const double shares[] = {0.5, 0.05, 0.8}, spreads[] = {0.1, 0.5, 0.95};
    for (size_t k = 0; k < 9; k++) {
        const double p = shares[k % 3], spread = spreads[k / 3];
        double *x = spread_points(ZILCH_METHOD_DEFAULT, 30 + k, p, -1.0, 3.0, spread);
        double *other = spread_points(ZILCH_METHOD_ADHOC, 30 + k, p, -1.0, 3.0, spread);
        double error, count = 0.0, sum = 0.0, squares = 0.0;
        assert_memory_equal(x, other, (size_t)FIRST_ROWS * FIRST_DIM * sizeof *x);
        const double mean = mean_active(x, &error);
        assert_double_equal(mean, p * FIRST_DIM, allowed * error);
        for (size_t i = 0; i < (size_t)FIRST_ROWS * FIRST_DIM; i++) {
            const double z = x[i] != 0.0 ? (x[i] + 1.0) / 3.0 : 0.0;
            count += x[i] != 0.0;
            sum += z;
            squares += z * z;
        }
        assert_standard_normal(count, sum, squares);
        for (size_t i = 0; i < FIRST_DIM; i++) { /* in each coordinate, too */
            double active = 0.0;
            for (size_t row = 0; row < FIRST_ROWS; row++) {
                active += x[row * FIRST_DIM + i] != 0.0;
            }
            assert_share(active, FIRST_ROWS, p);
        }
        test_free(x);
        test_free(other);
    }
}

/* At one half every number of active coordinates is as likely as any other, by chi-square of 20 degrees,
 * which is above 70 once in 5 million seeds; without a spread the number is binomial, and it is not so at
 * all. */
static void a_spread_of_one_half_makes_all_counts_as_likely(void **state)
{
    (void)state;
    for (int spread = 0; spread < 3; spread++) {
        double *x = spread_points(ZILCH_METHOD_EA, 40, 0.5, 0.0, 2.0, spread == 1 ? 0.5 : spread ? 0.1 : 0.0);
        double counts[FIRST_DIM + 1] = {0}, chi_square = 0.0;
        const double expected = (double)FIRST_ROWS / (FIRST_DIM + 1);
        for (size_t row = 0; row < FIRST_ROWS; row++) {
            counts[active_of(FIRST_DIM, x + row * FIRST_DIM)]++;
        }
        for (size_t k = 0; k <= FIRST_DIM; k++) {
            chi_square += (counts[k] - expected) * (counts[k] - expected) / expected;
        }
        print_message("    chi-square %.1f\n", chi_square);
        assert_true(spread == 1 ? chi_square < 70.0 : chi_square > 1000.0);
        test_free(x);
    }
}

/* Masks of correlation r, active half of the time, are active together 1/4 + asin(r) / (2 pi) of the time;
 * pairs (0, 1), (2, 3), .. of the rows, which are not independent: five standard errors of as many rows. */
static void masks_have_the_correlation_asked_for(void **state)
{
    (void)state;
    static const double spreads[] = {0.0, 0.1, 0.5, 0.9};
    for (size_t k = 0; k < COUNT(spreads); k++) {
        double *x = spread_points(ZILCH_METHOD_DEFAULT, 50 + k, 0.5, 0.0, 2.0, spreads[k]);
        for (size_t i = 0; i < FIRST_DIM; i += 2) {
            double both = 0.0;
            for (size_t row = 0; row < FIRST_ROWS; row++) {
                both += x[row * FIRST_DIM + i] != 0.0 && x[row * FIRST_DIM + i + 1] != 0.0;
            }
            assert_share(both, FIRST_ROWS, 0.25 + asin(spreads[k]) / (2.0 * 3.14159265358979324));
        }
        test_free(x);
    }
}

/* ---- What comes next, computed again ---------------------------------------------------------------- */

enum { DIM = 6, N = 40, K = 12 };

/* The elites' points, through the public interface. */
static void read_elites(const zilch_optimizer *o, double *elite)
{
    zilch_record record[K];
    size_t count;
    assert_int_equal(zilch_optimizer_top(o, K, record, &count), ZILCH_OK);
    assert_int_equal(count, K);
    for (size_t i = 0; i < K; i++) {
        assert_int_equal(zilch_optimizer_point(o, record[i].point, elite + i * DIM, NULL), ZILCH_OK);
    }
}

static void assert_near(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true((a[i] == 0.0) == (b[i] == 0.0));
        assert_double_equal(a[i], b[i], 1e-12 * (1.0 + fabs(b[i])));
    }
}

/* Elites first, then N - K new points; who asks for more gets N - K more of the same law, from random numbers
 * 2^48 further on. Means and deviations may differ in the last digits: the refit sums them up itself. */
static void check_zig(const zilch_model_options *model_options, unsigned generations)
{
    zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, N, K);
    options.inverter = model_options->inverter;
    options.shrinkage = model_options->shrinkage;
    options.projection = model_options->projection;
    options.sigma_floor = model_options->sigma_floor;
    options.networks = model_options->networks;
    options.structure = model_options->structure;
    options.rank = model_options->rank;
    zilch_optimizer *o = create_with(DIM, 5, &options);
    static asked a;
    double elite[K * DIM], fresh[(N - K) * DIM];
    zilch_model *model;
    for (unsigned g = 1; g <= generations; g++) {
        run_generations(o, 1);
        read_elites(o, elite);
        zilch_optimizer *copy = copy_of(o);
        a.n = 0;
        ask_more(copy, N + (N - K), &a);
        zilch_optimizer_destroy(copy);
        assert_memory_equal(a.x, elite, sizeof elite);
        assert_int_equal(zilch_model_fit(&model, K, DIM, elite, NULL, model_options), ZILCH_OK);
        for (uint64_t piece = 0; piece < 2; piece++) {
            zilch_rng rng = zilch_rng_make(5, 2 * g);
            rng.counter = piece << 48;
            assert_int_equal(zilch_model_sample(model, &rng, N - K, fresh), ZILCH_OK);
            assert_near(a.x + (K + piece * (N - K)) * DIM, fresh, COUNT(fresh));
        }
        zilch_model_destroy(model);
    }
    zilch_optimizer_destroy(o);
}

/* The publication's search has no memory. */
static void zig_is_the_model_fitted_to_the_elites(void **state)
{
    (void)state;
    zilch_model_options options = zilch_model_defaults();
    check_zig(&options, 4);
    options.shrinkage = ZILCH_SHRINK_FISHER;
    options.projection = ZILCH_NEAREST;
    options.sigma_floor = 0.75;
    check_zig(&options, 2);
    options.inverter = ZILCH_AMORTISED;
    check_zig(&options, 2);
}

/* mean + z D / sqrt(K - 1), D the elites' deviations from their mean, by plain loops. */
static void naive_dense(size_t rows, size_t cols, size_t elites, const double *elite, zilch_rng rng,
                        double *out)
{
    for (size_t row = 0; row < rows; row++) {
        for (size_t j = 0; j < cols; j++) {
            double mean = 0.0, sum = 0.0;
            for (size_t k = 0; k < elites; k++) {
                mean += elite[k * cols + j] / (double)elites;
            }
            for (size_t k = 0; k < elites; k++) {
                zilch_rng own = rng;
                own.counter += row * elites + k;
                sum += zilch_rng_normal(&own) * (elite[k * cols + j] - mean);
            }
            out[row * cols + j] = mean + sum / sqrt((double)elites - 1.0);
        }
    }
}

static void dense_is_a_gaussian_around_the_elites(void **state)
{
    (void)state;
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_GAUSSIAN, N, K);
    zilch_optimizer *o = create_with(DIM, 6, &options);
    static asked a;
    double elite[K * DIM], expected[(N - K) * DIM];
    for (unsigned g = 1; g <= 3; g++) {
        run_generations(o, 1);
        read_elites(o, elite);
        zilch_optimizer *copy = copy_of(o);
        a.n = 0;
        ask_more(copy, N + (N - K), &a);
        zilch_optimizer_destroy(copy);
        assert_memory_equal(a.x, elite, sizeof elite);
        for (uint64_t piece = 0; piece < 2; piece++) {
            zilch_rng rng = zilch_rng_make(6, 2 * g);
            rng.counter = piece << 48;
            naive_dense(N - K, DIM, K, elite, rng, expected);
            assert_near(a.x + (K + piece * (N - K)) * DIM, expected, COUNT(expected));
        }
    }
    zilch_optimizer_destroy(o);
}

/* The next generation's law, without asking for a point: and asking changes nothing of it. */
static void the_law_can_be_looked_at(void **state)
{
    (void)state;
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, N, K);
    zilch_optimizer *o = create_with(DIM, 5, &options);
    double elite[K * DIM];
    zilch_model *expected, *seen;
    assert_int_equal(zilch_optimizer_model(o, &seen), ZILCH_ESTATE);
    assert_null(seen);
    run_generations(o, 3);
    read_elites(o, elite);
    const zilch_model_options model_options = zi_optimizer_options_model(&options);
    assert_int_equal(zilch_model_fit(&expected, K, DIM, elite, NULL, &model_options), ZILCH_OK);
    assert_int_equal(zilch_optimizer_model(o, &seen), ZILCH_OK);
    assert_near(zilch_model_p(seen), zilch_model_p(expected), DIM);
    for (size_t i = 0; i < DIM; i++) { /* what no elite has active, has values of no account */
        if (zilch_model_p(expected)[i] > 0.0) {
            assert_near(zilch_model_mu(seen) + i, zilch_model_mu(expected) + i, 1);
            assert_near(zilch_model_sigma(seen) + i, zilch_model_sigma(expected) + i, 1);
        }
    }
    for (size_t i = 0; i < 4 * DIM * DIM; i++) {
        assert_double_equal(zilch_model_correlation(seen)[i], zilch_model_correlation(expected)[i], 1e-9);
    }
    zilch_model_destroy(expected);
    zilch_model_destroy(seen);
    zilch_optimizer_destroy(o);
}

static void only_zig_has_a_model(void **state)
{
    (void)state;
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
    zilch_optimizer *o = create_with(DIM, 5, &options);
    zilch_model *model;
    run_generations(o, 2);
    assert_int_equal(zilch_optimizer_model(o, &model), ZILCH_ESTATE);
    assert_int_equal(zilch_optimizer_model(NULL, &model), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_model(o, NULL), ZILCH_EARG);
    zilch_optimizer_destroy(o);
}

/* Weights where the thresholds are not negative: the dense law, of genomes twice as wide. */
static void adhoc_is_a_gaussian_of_weights_and_thresholds(void **state)
{
    (void)state;
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_ADHOC, N, K);
    zilch_optimizer *o = create_with(DIM, 7, &options);
    static asked a;
    double elite[K * 2 * DIM], expected[(N - K) * 2 * DIM];
    run_generations(o, 1);
    for (unsigned g = 1; g <= 3; g++) {
        zilch_record record[K];
        size_t count;
        assert_int_equal(zilch_optimizer_top(o, K, record, &count), ZILCH_OK);
        for (size_t i = 0; i < K; i++) {
            zi_rows_read(&o->archive.rows, record[i].point, elite + i * 2 * DIM);
        }
        naive_dense(N - K, 2 * DIM, K, elite, zilch_rng_make(7, 2 * g), expected);
        a.n = 0;
        ask_more(o, N, &a);
        for (size_t row = 0; row < N; row++) {
            const double *genome = row < K ? elite + row * 2 * DIM : expected + (row - K) * 2 * DIM;
            for (size_t i = 0; i < DIM; i++) {
                const double x = genome[DIM + i] >= 0.0 ? genome[i] : 0.0;
                assert_double_equal(a.x[row * DIM + i], x, 1e-12 * (1.0 + fabs(x)));
            }
        }
        tell_some(o, &a, 0, N);
    }
    zilch_optimizer_destroy(o);
}

/* A new mask is the sign of a Gaussian threshold: in the first generation, of mean -tau and deviation 1. */
static void adhoc_thresholds_are_normal_at_first(void **state)
{
    (void)state;
    enum { ROWS = 20000, COLS = 3 };
    const double p = 0.3;
    const double tau = 0.52440051270804066; /* of which the upper tail is 0.3 */
    double *genome = test_malloc(ROWS * 2 * COLS * sizeof *genome);
    zilch_optimizer_options options = small_options(ZILCH_METHOD_ADHOC, N, K);
    options.initial_p = p;
    double mu[COLS], sigma[COLS];
    zi_first_law(&options, COLS, mu, sigma);
    const zi_draw draw = {.options = &options,
                          .dim = COLS,
                          .width = 2 * COLS,
                          .first = &(zi_first){mu, sigma},
                          .rng = zilch_rng_make(8, 0),
                          .rows = ROWS,
                          .genome = genome};
    assert_int_equal(zi_draw_first(&draw), ZILCH_OK);
    double sum = 0.0, squares = 0.0, on = 0.0;
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t i = 0; i < COLS; i++) {
            const double z = genome[row * 2 * COLS + COLS + i] + tau;
            sum += z;
            squares += z * z;
            on += z - tau >= 0.0;
        }
    }
    assert_standard_normal(ROWS * COLS, sum, squares);
    assert_share(on, ROWS * COLS, p);
    test_free(genome);
}

/* ---- Genomes and points ----------------------------------------------------------------------- */

static void a_genome_gives_a_point(void **state)
{
    (void)state;
    const double genome[] = {1.5, -2.0, 3.0, 0.0, 4.0, 5.0, 0.5, -0.5, 0.0, 1.0, -0.0, -1e-300};
    const double expected[] = {1.5, 0.0, 3.0, 0.0, 4.0, 0.0};
    double x[12];
    zi_law_point(ZILCH_METHOD_ADHOC, 6, genome, x);
    for (size_t i = 0; i < 6; i++) {
        assert_true(x[i] == expected[i]);
    }
    assert_int_equal(zi_law_active(ZILCH_METHOD_ADHOC, 6, genome), 3);
    assert_int_equal(zi_law_width(ZILCH_METHOD_ADHOC, 6), 12);
    static const zilch_method plain[] = {ZILCH_METHOD_DEFAULT, ZILCH_METHOD_GAUSSIAN, ZILCH_METHOD_EA};
    for (size_t k = 0; k < COUNT(plain); k++) {
        assert_int_equal(zi_law_width(plain[k], 12), 12);
        zi_law_point(plain[k], 12, genome, x);
        assert_memory_equal(x, genome, sizeof x);
        assert_int_equal(zi_law_active(plain[k], 12, genome), 9);
    }
}

/* The point that a genome follows is the one it gives; a threshold on the right side stays. */
static void a_genome_follows_a_point(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(9, 0);
    for (size_t k = 0; k < 2000; k++) {
        double x[4], got[4], genome[8], before[8];
        for (size_t i = 0; i < 8; i++) {
            before[i] = genome[i] = zilch_rng_uniform(&rng) < 0.1 ? 0.0 : zilch_rng_normal(&rng);
        }
        for (size_t i = 0; i < 4; i++) {
            const double u = zilch_rng_uniform(&rng);
            x[i] = u < 0.4 ? 0.0 : u < 0.5 ? -0.0 : zilch_rng_normal(&rng);
        }
        zi_law_follow(ZILCH_METHOD_ADHOC, 4, x, genome);
        zi_law_point(ZILCH_METHOD_ADHOC, 4, genome, got);
        for (size_t i = 0; i < 4; i++) {
            assert_true(got[i] == x[i]);
            assert_true(fabs(genome[4 + i]) == fabs(before[4 + i]) || before[4 + i] == 0.0);
            assert_true(x[i] == 0.0 || genome[4 + i] >= 0.0);
            assert_true(x[i] != 0.0 || (genome[4 + i] < 0.0 && genome[i] == before[i]));
        }
    }
}

/* ---- dense, as a law -------------------------------------------------------------------------- */

static void draw_dense(size_t cols, size_t elites, const double *elite, size_t rows, double *out)
{
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_GAUSSIAN, N, K);
    const zi_draw draw = {.options = &options,
                          .dim = cols,
                          .width = cols,
                          .elites = elites,
                          .elite = elite,
                          .rng = zilch_rng_make(10, 0),
                          .rows = rows,
                          .genome = out};
    assert_int_equal(zi_draw_next(&draw), ZILCH_OK);
}

static double covariance(size_t rows, size_t cols, const double *x, size_t i, size_t j, double divisor)
{
    double mean_i = 0.0, mean_j = 0.0, sum = 0.0;
    for (size_t row = 0; row < rows; row++) {
        mean_i += x[row * cols + i] / (double)rows;
        mean_j += x[row * cols + j] / (double)rows;
    }
    for (size_t row = 0; row < rows; row++) {
        sum += (x[row * cols + i] - mean_i) * (x[row * cols + j] - mean_j);
    }
    return sum / divisor;
}

/* Means, and covariances of standard error sqrt((c_ii c_jj + c_ij^2) / rows). */
static void dense_has_the_elites_mean_and_covariance(void **state)
{
    (void)state;
    enum { COLS = 4, ELITES = 9, ROWS = 100000 };
    double elite[ELITES * COLS];
    double *x = test_malloc(ROWS * COLS * sizeof *x);
    zilch_rng rng = zilch_rng_make(11, 0);
    for (size_t k = 0; k < ELITES * COLS; k++) {
        elite[k] = zilch_rng_normal(&rng) * (double)(1 + k % COLS) + 5.0;
    }
    draw_dense(COLS, ELITES, elite, ROWS, x);
    for (size_t i = 0; i < COLS; i++) {
        const double c_ii = covariance(ELITES, COLS, elite, i, i, ELITES - 1.0);
        double mean = 0.0, target = 0.0;
        for (size_t row = 0; row < ROWS; row++) {
            mean += x[row * COLS + i] / ROWS;
        }
        for (size_t row = 0; row < ELITES; row++) {
            target += elite[row * COLS + i] / ELITES;
        }
        assert_double_equal(mean, target, allowed * sqrt(c_ii / ROWS));
        for (size_t j = 0; j <= i; j++) {
            const double c_jj = covariance(ELITES, COLS, elite, j, j, ELITES - 1.0);
            const double c_ij = covariance(ELITES, COLS, elite, i, j, ELITES - 1.0);
            assert_double_equal(covariance(ROWS, COLS, x, i, j, ROWS), c_ij,
                                allowed * sqrt((c_ii * c_jj + c_ij * c_ij) / ROWS));
        }
    }
    test_free(x);
}

static void take_away(size_t cols, const double *unit, double *x)
{
    double dot = 0.0;
    for (size_t i = 0; i < cols; i++) {
        dot += unit[i] * x[i];
    }
    for (size_t i = 0; i < cols; i++) {
        x[i] -= dot * unit[i];
    }
}

/* Fewer elites than coordinates: nothing leaves the flat that they span. */
static void dense_stays_where_the_elites_are(void **state)
{
    (void)state;
    enum { COLS = 10, ELITES = 4, ROWS = 200 };
    double elite[ELITES * COLS], basis[(ELITES - 1) * COLS], x[ROWS * COLS];
    double widest = 0.0;
    zilch_rng rng = zilch_rng_make(12, 0);
    zilch_rng_normals(&rng, COUNT(elite), elite);
    for (size_t k = 0; k + 1 < ELITES; k++) { /* Gram and Schmidt */
        double *unit = basis + k * COLS;
        double norm = 0.0;
        for (size_t i = 0; i < COLS; i++) {
            unit[i] = elite[(k + 1) * COLS + i] - elite[i];
        }
        for (size_t other = 0; other < k; other++) {
            take_away(COLS, basis + other * COLS, unit);
        }
        for (size_t i = 0; i < COLS; i++) {
            norm += unit[i] * unit[i];
        }
        for (size_t i = 0; i < COLS; i++) {
            unit[i] /= sqrt(norm);
        }
    }
    draw_dense(COLS, ELITES, elite, ROWS, x);
    for (size_t row = 0; row < ROWS; row++) {
        double rest[COLS];
        for (size_t i = 0; i < COLS; i++) {
            rest[i] = x[row * COLS + i] - elite[i];
            widest = fmax(widest, fabs(rest[i]));
        }
        for (size_t k = 0; k + 1 < ELITES; k++) {
            take_away(COLS, basis + k * COLS, rest);
        }
        for (size_t i = 0; i < COLS; i++) {
            assert_double_equal(rest[i], 0.0, 1e-12);
        }
    }
    assert_true(widest > 1.0); /* but they do move */
}

/* ---- ea --------------------------------------------------------------------------------------- */

enum { EA_DIM = 10, EA_ROWS = 120000 };

/* Children of elites that are all this one point: each differs from it in one coordinate. */
typedef struct tally {
    double deactivated, activated, perturbed, unchanged;
    double where[3][EA_DIM]; /* in which coordinate each happened */
    double sum[2], squares[2];
} tally;

static double *draw_ea(size_t dim, size_t elites, const double *elite, size_t rows, uint64_t seed)
{
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, N, K);
    double *x = test_malloc(rows * dim * sizeof *x);
    const zi_draw draw = {.options = &options,
                          .dim = dim,
                          .width = dim,
                          .elites = elites,
                          .elite = elite,
                          .rng = zilch_rng_make(seed, 0),
                          .rows = rows,
                          .genome = x};
    assert_int_equal(zi_draw_next(&draw), ZILCH_OK);
    return x;
}

static void add(double z, double *sum, double *squares)
{
    *sum += z;
    *squares += z * z;
}

static void count_child(const double *parent, const double *child, tally *t)
{
    size_t changes = 0;
    for (size_t i = 0; i < EA_DIM; i++) {
        if (child[i] == parent[i]) {
            continue;
        }
        changes++;
        if (child[i] == 0.0) {
            t->deactivated++;
            t->where[0][i]++;
        } else if (parent[i] == 0.0 && fabs(child[i]) > 0.0) {
            t->activated++;
            t->where[1][i]++;
            add(child[i], &t->sum[0], &t->squares[0]);
        } else {
            t->perturbed++;
            t->where[2][i]++;
            add((child[i] - parent[i]) / 0.1, &t->sum[1], &t->squares[1]);
        }
    }
    assert_true(changes <= 1);
    t->unchanged += changes == 0;
}

static tally mutate_often(const double *parent, uint64_t seed)
{
    tally t = {0};
    double elite[2 * EA_DIM];
    memcpy(elite, parent, EA_DIM * sizeof *elite);
    memcpy(elite + EA_DIM, parent, EA_DIM * sizeof *elite);
    double *x = draw_ea(EA_DIM, 2, elite, EA_ROWS, seed);
    for (size_t row = 0; row < EA_ROWS; row++) {
        count_child(parent, x + row * EA_DIM, &t);
    }
    assert_true(t.unchanged == 0.0);
    test_free(x);
    return t;
}

/* Each of those coordinates that can be hit is hit equally often. */
static void assert_spread(const double *where, double count, const double *parent, int active)
{
    const size_t all = active_of(EA_DIM, parent);
    const double choices = (double)(active ? all : EA_DIM - all);
    for (size_t i = 0; i < EA_DIM; i++) {
        if ((parent[i] != 0.0) == active) {
            assert_share(where[i], count, 1.0 / choices);
        } else {
            assert_true(where[i] == 0.0);
        }
    }
}

/* One in twelve loses a coordinate, one in twelve gains one of deviation 2, the others have one moved by
 * a deviation of 0.1. */
static void ea_mutates_one_coordinate(void **state)
{
    (void)state;
    const double parent[EA_DIM] = {5, 0, -7, 0, 9, 11, 0, -13, 15, 0};
    const tally t = mutate_often(parent, 20);
    assert_share(t.deactivated, EA_ROWS, 1.0 / 12.0);
    assert_share(t.activated, EA_ROWS, 1.0 / 12.0);
    assert_share(t.perturbed, EA_ROWS, 10.0 / 12.0);
    assert_standard_normal(t.activated, t.sum[0] / 2.0, t.squares[0] / 4.0);
    assert_standard_normal(t.perturbed, t.sum[1], t.squares[1]);
    assert_spread(t.where[0], t.deactivated, parent, 1);
    assert_spread(t.where[1], t.activated, parent, 0);
    assert_spread(t.where[2], t.perturbed, parent, 1);
}

/* Nothing to switch on: what would have, is a perturbation of any coordinate. */
static void ea_cannot_activate_what_is_active(void **state)
{
    (void)state;
    const double parent[EA_DIM] = {5, 6, -7, 8, 9, 11, 12, -13, 15, 16};
    const tally t = mutate_often(parent, 21);
    assert_share(t.deactivated, EA_ROWS, 1.0 / 12.0);
    assert_true(t.activated == 0.0);
    assert_share(t.perturbed, EA_ROWS, 11.0 / 12.0);
    assert_standard_normal(t.perturbed, t.sum[1], t.squares[1]);
    assert_spread(t.where[0], t.deactivated, parent, 1);
    assert_spread(t.where[2], t.perturbed, parent, 1);
}

/* Nothing to switch off or to move: eleven in twelve have any coordinate moved by 0.1, one in twelve gets one
 * of deviation 2. The sum of squares of such a mixture is 1/12 of 4 and 11/12 of 0.01; its fourth moment is
 * 3 (1/12 16 + 11/12 0.0001). */
static void ea_moves_zeros_where_there_is_nothing_else(void **state)
{
    (void)state;
    const double parent[EA_DIM] = {0};
    const tally t = mutate_often(parent, 22);
    const double square = 4.0 / 12.0 + 0.01 * 11.0 / 12.0;
    const double fourth = 3.0 * (16.0 / 12.0 + 0.0001 * 11.0 / 12.0);
    assert_true(t.activated == EA_ROWS);
    assert_spread(t.where[1], t.activated, parent, 0);
    assert_double_equal(t.sum[0], 0.0, allowed * sqrt(EA_ROWS * square));
    assert_double_equal(t.squares[0], EA_ROWS * square, allowed * sqrt(EA_ROWS * (fourth - square * square)));
}

/* A single coordinate, off and on. */
static void ea_works_in_one_dimension(void **state)
{
    (void)state;
    const double elite[] = {0.0, 3.0};
    double *x = draw_ea(1, 2, elite, 50000, 23);
    double near[2] = {0}, off = 0.0;
    for (size_t row = 0; row < 50000; row++) {
        assert_true(isfinite(x[row]));
        off += x[row] == 0.0;
        near[0] += x[row] != 0.0 && fabs(x[row]) < 1.0;
        near[1] += fabs(x[row] - 3.0) < 1.0;
    }
    assert_share(off, 50000, 0.5 / 12.0);     /* of those that had something */
    const double beyond = 0.61707507745197;   /* P(|2 z| >= 1) */
    const double there = 0.13590512198327787; /* P(2 < 2 z < 4) */
    assert_share(near[0], 50000, 0.5 * (11.0 / 12.0 + (1.0 - beyond) / 12.0));
    assert_share(near[1], 50000, 0.5 * (11.0 / 12.0 + there / 12.0));
    test_free(x);
}

/* Elite k has k in the hundreds of every coordinate, so that each tells where it comes from. Parents are
 * chosen with replacement; half of the pairs are crossed, each coordinate from either. */
static void ea_crosses_half_of_the_pairs(void **state)
{
    (void)state;
    enum { COLS = 30, ELITES = 8, ROWS = 40000 };
    double elite[ELITES * COLS];
    for (size_t k = 0; k < ELITES * COLS; k++) {
        elite[k] = 100.0 * (double)(1 + k / COLS);
    }
    double *x = draw_ea(COLS, ELITES, elite, ROWS, 24);
    double crossed = 0.0, pure[ELITES] = {0}, pairs[ELITES] = {0}, sum = 0.0, squares = 0.0;
    for (size_t row = 0; row < ROWS; row++) {
        double of[ELITES] = {0};
        double known = 0.0;
        size_t parents = 0, least = ELITES;
        for (size_t i = 0; i < COLS; i++) {
            const double value = x[row * COLS + i];
            if (value > 50.0) { /* not switched off */
                of[(size_t)lround(value / 100.0) - 1]++;
                known++;
            }
        }
        for (size_t k = 0; k < ELITES; k++) {
            parents += of[k] > 0.0;
            least = of[k] > 0.0 && least == ELITES ? k : least;
        }
        assert_in_range(parents, 1, 2);
        if (parents == 1) {
            pure[least]++;
        } else {
            crossed++;
            for (size_t k = 0; k < ELITES; k++) {
                pairs[k] += of[k] > 0.0;
            }
            add((of[least] - known / 2.0) / sqrt(known / 4.0), &sum, &squares);
        }
    }
    const double p = 0.5 * (1.0 - 1.0 / ELITES);
    assert_share(crossed, ROWS, p);
    for (size_t k = 0; k < ELITES; k++) {
        assert_share(pure[k], ROWS, (1.0 - p) / ELITES);
        assert_share(pairs[k], crossed, 2.0 / ELITES);
    }
    assert_standard_normal(crossed, sum, squares);
    test_free(x);
}

/* A child does not depend on how many are drawn with it. */
static void ea_children_have_numbers_of_their_own(void **state)
{
    (void)state;
    double elite[3 * EA_DIM];
    zilch_rng rng = zilch_rng_make(25, 0);
    zilch_rng_normals(&rng, COUNT(elite), elite);
    double *many = draw_ea(EA_DIM, 3, elite, 50, 26);
    double *few = draw_ea(EA_DIM, 3, elite, 9, 26);
    assert_memory_equal(many, few, 9 * EA_DIM * sizeof *few);
    for (size_t row = 1; row < 50; row++) {
        assert_memory_not_equal(many, many + row * EA_DIM, EA_DIM * sizeof *many);
    }
    test_free(many);
    test_free(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_points_follow_the_options),
        cmocka_unit_test(first_points_may_be_empty_or_full),
        cmocka_unit_test(first_points_are_the_same_for_every_law),
        cmocka_unit_test(spread_leaves_the_share),
        cmocka_unit_test(a_spread_of_one_half_makes_all_counts_as_likely),
        cmocka_unit_test(masks_have_the_correlation_asked_for),
        cmocka_unit_test(zig_is_the_model_fitted_to_the_elites),
        cmocka_unit_test(the_law_can_be_looked_at),
        cmocka_unit_test(only_zig_has_a_model),
        cmocka_unit_test(dense_is_a_gaussian_around_the_elites),
        cmocka_unit_test(adhoc_is_a_gaussian_of_weights_and_thresholds),
        cmocka_unit_test(adhoc_thresholds_are_normal_at_first),
        cmocka_unit_test(a_genome_gives_a_point),
        cmocka_unit_test(a_genome_follows_a_point),
        cmocka_unit_test(dense_has_the_elites_mean_and_covariance),
        cmocka_unit_test(dense_stays_where_the_elites_are),
        cmocka_unit_test(ea_mutates_one_coordinate),
        cmocka_unit_test(ea_cannot_activate_what_is_active),
        cmocka_unit_test(ea_moves_zeros_where_there_is_nothing_else),
        cmocka_unit_test(ea_works_in_one_dimension),
        cmocka_unit_test(ea_crosses_half_of_the_pairs),
        cmocka_unit_test(ea_children_have_numbers_of_their_own),
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
