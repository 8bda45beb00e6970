/* How the zero-inflated Gaussian learns: with every part off it is the model fitted to the elites; each part
 * alone is compared with numbers by hand or by a few lines of Python. Statistical bounds are 5 standard
 * errors: about 30 comparisons, a false alarm once in 50,000 seeds. */
#include "math/special.h"
#include "search_support.h"

/* ---- Lessons --------------------------------------------------------------------------------------- */

enum { DIM = 6, K = 30, MOST_DIM = 16, MOST_ELITES = 64 };

/* A law of before, as a lesson wants it. */
typedef struct past {
    double p[MOST_DIM], mu[MOST_DIM], sigma[MOST_DIM], ratio[MOST_DIM];
    zi_law_state memory;
} past;

static const zi_law_state no_past = {.scale = 1.0};

static zi_law_state *remember(past *b, double scale, double best)
{
    b->memory = (zi_law_state){
        .p = b->p, .mu = b->mu, .sigma = b->sigma, .ratio = b->ratio, .scale = scale, .best = best};
    return &b->memory;
}

/* Of `dim` equal coordinates. */
static zi_law_state *even_past(past *b, size_t dim, double p, double mu, double sigma)
{
    for (size_t i = 0; i < dim; i++) {
        b->p[i] = p;
        b->mu[i] = mu;
        b->sigma[i] = sigma;
        b->ratio[i] = 1.0;
    }
    return remember(b, 1.0, INFINITY);
}

static zi_fitted learn_noisily(const zilch_optimizer_options *options, size_t dim, size_t elites,
                               const double *elite, const double *cost, const zi_law_state *last,
                               double noise)
{
    double rising[MOST_ELITES];
    for (size_t k = 0; k < elites; k++) {
        rising[k] = (double)k;
    }
    double mu[MOST_DIM], sigma[MOST_DIM];
    zi_first_law(options, dim, mu, sigma);
    const zi_first first = {mu, sigma};
    const zi_refit_input lesson = {.options = options,
                                   .dim = dim,
                                   .elites = elites,
                                   .elite = elite,
                                   .cost = cost ? cost : rising,
                                   .noise = noise,
                                   .last = last,
                                   .first = &first};
    zi_fitted fitted;
    if (zi_refit(&fitted, &lesson) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return fitted;
}

static zi_fitted learn(const zilch_optimizer_options *options, size_t dim, size_t elites, const double *elite,
                       const zi_law_state *last)
{
    return learn_noisily(options, dim, elites, elite, NULL, last, 0.0);
}

static const double first_mu = -7.0, first_sigma = 3.0;

/* `elite`, K x dim, only for points that copy them. */
static void draw_points(const zi_fitted *f, const zilch_optimizer_options *parts, const double *elite,
                        zilch_rng rng, size_t rows, double *x)
{
    zilch_optimizer_options options = *parts;
    double mu[MOST_DIM], sigma[MOST_DIM];
    options.initial_mu = first_mu;
    options.initial_sigma = first_sigma;
    const size_t dim = zilch_model_dim(f->model);
    zi_first_law(&options, dim, mu, sigma);
    const zi_first first = {mu, sigma};
    const zi_draw draw = {.options = &options,
                          .dim = dim,
                          .width = dim,
                          .elites = elite ? K : 0,
                          .elite = elite,
                          .fitted = f,
                          .first = &first,
                          .rng = rng,
                          .rows = rows,
                          .genome = x};
    assert_int_equal(zi_draw_zig(&draw), ZILCH_OK);
}

static void draw_from(const zi_fitted *f, const zilch_optimizer_options *parts, zilch_rng rng, size_t rows,
                      double *x)
{
    draw_points(f, parts, NULL, rng, rows, x);
}

static void assert_close(double got, double expected)
{
    if (got != expected && !(fabs(got - expected) <= 1e-12 * (1.0 + fabs(expected)))) {
        fail_msg("%.17g, where %.17g is expected", got, expected);
    }
}

/* Coordinate i of a law that has not been widened. */
static void assert_marginal(const zi_fitted *f, size_t i, double p, double mu, double sigma)
{
    assert_close(f->state.p[i], p);
    assert_close(f->state.mu[i], mu);
    assert_close(f->state.sigma[i], sigma);
    assert_close(zilch_model_p(f->model)[i], p);
    assert_close(zilch_model_mu(f->model)[i], mu);
    assert_close(zilch_model_sigma(f->model)[i], sigma);
    assert_close(zilch_model_tau(f->model)[i], zi_normal_quantile(1.0 - p));
}

/* Points of a random law. */
static void random_elites(size_t dim, size_t elites, double p_min, double p_max, uint64_t seed, double *elite)
{
    zilch_model *law;
    zilch_rng rng = zilch_rng_make(seed, 0);
    assert_int_equal(zilch_model_random(&law, dim, &rng, 0.6, p_min, p_max), ZILCH_OK);
    assert_int_equal(zilch_model_sample(law, &rng, elites, elite), ZILCH_OK);
    zilch_model_destroy(law);
}

/* ---- All parts off ----------------------------------------------------------------------------------- */

/* With columns of all kinds: as the law gave them, never active, always, once, and constant where active. */
static void elites_of_all_kinds(double *elite)
{
    random_elites(DIM, K, 0.4, 0.8, 1, elite);
    for (size_t k = 0; k < K; k++) {
        double *x = elite + k * DIM;
        x[2] = 0.0;
        x[3] = x[3] != 0.0 ? x[3] : 1.0 + 0.01 * (double)k;
        x[4] = k == 7 ? -3.0 : 0.0;
        x[5] = k % 3 ? 2.5 : 0.0;
    }
}

static void check_off(const zilch_optimizer_options *options, const double *elite, const zi_law_state *last)
{
    zilch_model *model;
    double x[40 * DIM], y[40 * DIM];
    zi_fitted f = learn(options, DIM, K, elite, last);
    const zilch_model_options model_options = zi_optimizer_options_model(options);
    assert_int_equal(zilch_model_fit(&model, K, DIM, elite, NULL, &model_options), ZILCH_OK);
    for (size_t i = 0; i < DIM; i++) {
        const int is_known = zilch_model_p(model)[i] > 0.0;
        assert_marginal(&f, i, zilch_model_p(model)[i], is_known ? zilch_model_mu(model)[i] : last->mu[i],
                        is_known ? zilch_model_sigma(model)[i] : fmax(last->sigma[i], options->sigma_floor));
    }
    const double *rho = zilch_model_correlation(model);
    assert_memory_equal(zilch_model_correlation(f.model), rho, 4 * (size_t)DIM * DIM * sizeof *rho);
    assert_true(f.state.scale == 1.0 && f.state.best == 0.0);
    zilch_rng rng = zilch_rng_make(2, 0);
    draw_from(&f, options, rng, 40, x);
    assert_int_equal(zilch_model_sample(model, &rng, 40, y), ZILCH_OK);
    for (size_t i = 0; i < COUNT(x); i++) {
        assert_true((x[i] == 0.0) == (y[i] == 0.0));
        assert_close(x[i], y[i]);
    }
    zilch_model_destroy(model);
    zi_fitted_free(&f);
}

static void with_all_off_the_law_is_the_models_fit(void **state)
{
    (void)state;
    static past before;
    double elite[K * DIM];
    elites_of_all_kinds(elite);
    for (int code = 0; code < 20; code++) {
        zilch_optimizer_options options = options_as_published();
        options.shrinkage = (zilch_shrinkage)(code % 5);
        options.projection = (zilch_projection)(code / 5);
        options.sigma_floor = code & 1 ? 0.125 : 0.0;
        check_off(&options, elite, even_past(&before, DIM, 0.9, -7.0, 5.0)); /* of which nothing is seen */
    }
}

/* The first points' law is what the first law follows, as far as it follows any. */
static void the_first_law_follows_the_first_points(void **state)
{
    (void)state;
    zilch_optimizer_options options = options_as_published();
    const double elite[] = {1.0, 0.0, 2.0, 0.0};
    options.initial_p = 0.25;
    options.initial_mu = -3.0;
    options.initial_sigma = 0.5;
    zi_fitted plain = learn(&options, 2, 2, elite, &no_past);
    assert_marginal(&plain, 0, 1.0, 1.5, 0.5);
    assert_marginal(&plain, 1, 0.0, -3.0, 0.5);
    assert_close(plain.step[0], 4.5);
    assert_close(plain.step[1], 0.0);
    zi_fitted_free(&plain);
}

/* ---- The prior --------------------------------------------------------------------------------- */

/* Four elites of two coordinates, the last law's values, and all with equal weights by hand: of coordinate 0
 * the sum is 7 of 3, the squared deviations 14/3; of coordinate 1 there is but one. */
static const double four[] = {1, 0, 2, 0, 0, 0, 4, 3};

static zi_law_state *past_of_four(past *b)
{
    even_past(b, 2, 0.2, -1.0, 2.0);
    b->p[1] = 0.6;
    b->mu[1] = 0.5;
    b->sigma[1] = 0.25;
    return &b->memory;
}

static void a_prior_by_hand(void **state)
{
    (void)state;
    static past before;
    const zi_law_state *last = past_of_four(&before);
    for (int on = 0; on < 2; on++) {
        zilch_optimizer_options options = options_as_published();
        options.prior_sigma = on ? 5.0 : 0.0;
        zi_fitted f = learn(&options, 2, 4, four, last);
        assert_marginal(&f, 0, 0.75, 7.0 / 3.0, on ? sqrt((14.0 / 3.0 + 5.0 * 4.0) / 7.0) : sqrt(14.0 / 9.0));
        assert_marginal(&f, 1, 0.25, 3.0, on ? 0.25 : 0.0);
        assert_close(f.step[0], f.state.mu[0] + 1.0);
        assert_close(f.step[1], f.state.mu[1] - 0.5);
        zi_fitted_free(&f);
    }
}

/* One elite has a coordinate: without a prior its sigma is gone, with the default one it stays, however often
 * that happens. */
static void one_active_value_does_not_freeze(void **state)
{
    (void)state;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.weighting = ZILCH_WEIGHTING_EQUAL;
    double elite[10 * 3] = {0};
    zi_law_state last = no_past;
    for (size_t k = 0; k < 10; k++) {
        elite[3 * k] = 1.0 + 0.1 * (double)k;
    }
    elite[3 * 4 + 1] = 0.7; /* coordinate 2: nobody */
    for (int g = 0; g < 50; g++) {
        zi_fitted f = learn(&options, 3, 10, elite, &last);
        zi_law_state_free(&last);
        last = f.state;
        f.state = (zi_law_state){0};
        assert_close(last.sigma[1], 2.0);
        assert_close(last.mu[1], 0.7);
        assert_close(last.sigma[2], 2.0);
        assert_close(last.mu[2], 0.0);
        assert_true(last.sigma[0] > 0.28);
        zi_fitted_free(&f);
    }
    assert_close(last.sigma[0], sqrt(0.825 / 9.0)); /* of those with n - 1, at last */
    options = options_as_published();
    zi_fitted f = learn(&options, 3, 10, elite, &last);
    assert_true(f.state.sigma[1] == 0.0);
    zi_fitted_free(&f);
    zi_law_state_free(&last);
}

/* ---- Margin ------------------------------------------------------------------------------------ */

/* Of ten coordinates; e is what p stays away from 0 and 1 by. */
static void check_margin(double margin, double e)
{
    enum { COLS = 10, ROWS = 20000 };
    static past before;
    zilch_optimizer_options options = options_as_published();
    double elite[4 * COLS] = {0};
    options.margin = margin;
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 5; i++) {
            elite[k * COLS + i] = (double)(1 + k);
        }
    }
    zi_fitted f = learn(&options, COLS, 4, elite, even_past(&before, COLS, 0.5, 0.0, 1.0));
    double *x = test_malloc(ROWS * COLS * sizeof *x);
    double flips = 0.0;
    draw_from(&f, &options, zilch_rng_make(3, 0), ROWS, x);
    for (size_t i = 0; i < COLS; i++) {
        assert_close(zilch_model_p(f.model)[i], i < 5 ? 1.0 - e : e);
        assert_close(zilch_model_tau(f.model)[i], zi_normal_quantile(i < 5 ? e : 1.0 - e));
    }
    for (size_t i = 0; i < ROWS * COLS; i++) { /* so many are expected to differ from what all agree on */
        flips += (x[i] != 0.0) != (i % COLS < 5);
    }
    assert_double_equal(flips / ROWS, COLS * e, 5.0 * sqrt(COLS * e * (1.0 - e) / ROWS));
    for (size_t k = 0; k < 4; k++) { /* what is within it stays */
        elite[k * COLS + 9] = k % 2 ? 1.0 : 0.0;
    }
    zi_fitted g = learn(&options, COLS, 4, elite, &before.memory);
    assert_close(zilch_model_p(g.model)[9], 0.5);
    zi_fitted_free(&f);
    zi_fitted_free(&g);
    test_free(x);
}

static void a_margin_limits_p(void **state)
{
    (void)state;
    check_margin(0.0, 0.0);
    check_margin(0.5, 0.05);
    check_margin(1.0, 0.1);
    check_margin(2.0, 0.1); /* not more than that: few coordinates would be as good as random */
    check_margin(5.0, 0.1);
}

/* ---- Weights ----------------------------------------------------------------------------------- */

/* p, mu and sigma without a prior, and sigma with one of 5, for four elites with weights by rank, as Python
 * has them: from math import * x=[[1,0],[2,0],[0,3],[4,5]]; last=[2.,.25]; w=[4,3,2,1] for i in range(2):
 *         a=[(w[k],x[k][i]) for k in range(4) if x[k][i]]; W=sum(v for v,_ in a)
 *         n=W**2/sum(v*v for v,_ in a); m=sum(v*y for v,y in a)/W; s=sum(v*(y-m)**2 for v,y in a)/W
 *         print(W/sum(w), m, sqrt(s), sqrt((s*n+5*last[i]**2)/(n+4)))
 */
static void weights_by_rank(void **state)
{
    (void)state;
    static const double x[] = {1, 0, 2, 0, 0, 3, 4, 5};
    static const double weight[] = {4, 3, 2, 1};
    static const double expected[2][4] = {{0.8, 1.75, 0.9682458365518543, 1.8580583823930161},
                                          {0.3, 3.6666666666666665, 0.9428090415820634, 0.5742311201165823}};
    static past before;
    zilch_optimizer_options options = options_as_published();
    zilch_model *model;
    options.weighting = ZILCH_WEIGHTING_LINEAR;
    zi_fitted plain = learn(&options, 2, 4, x, past_of_four(&before));
    const zilch_model_options model_options = zi_optimizer_options_model(&options);
    assert_int_equal(zilch_model_fit(&model, 4, 2, x, weight, &model_options), ZILCH_OK);
    options.prior_sigma = 5.0;
    zi_fitted pulled = learn(&options, 2, 4, x, past_of_four(&before));
    for (size_t i = 0; i < 2; i++) {
        const double *e = expected[i];
        assert_marginal(&plain, i, e[0], e[1], e[2]);
        assert_marginal(&pulled, i, e[0], e[1], e[3]);
    }
    for (size_t i = 0; i < 16; i++) {
        assert_double_equal(zilch_model_correlation(plain.model)[i], zilch_model_correlation(model)[i], 1e-9);
    }
    zilch_model_destroy(model);
    zi_fitted_free(&plain);
    zi_fitted_free(&pulled);
}

/* ---- Variance control -------------------------------------------------------------------------- */

/* Four elites of two coordinates at `where` in the first, the two best of this cost; the last law had mu 0,
 * sigma 1 and a best of 10. */
typedef struct control {
    double where, cost, noise, scale, p;
    int variance_scaling;
} control;

static double scale_after(const control *c)
{
    static past before;
    zilch_optimizer_options options = options_as_published();
    const double elite[] = {c->where, 1, c->where, -1, -c->where, 1, -c->where, -1};
    const double cost[] = {c->cost, c->cost, 11, 12};
    options.variance_scaling = c->variance_scaling;
    even_past(&before, 2, c->p, 0.0, 1.0);
    zi_fitted f = learn_noisily(&options, 2, 4, elite, cost, remember(&before, c->scale, 10.0), c->noise);
    const double scale = f.state.scale;
    for (size_t i = 0; i < 2; i++) {
        assert_close(zilch_model_sigma(f.model)[i], scale * f.state.sigma[i]);
    }
    assert_true(f.state.best == c->cost);
    zi_fitted_free(&f);
    return scale;
}

static void the_law_widens_while_it_is_led_outside(void **state)
{
    (void)state;
    static const struct {
        control control;
        double expected;
    } cases[] = {
        {{1.01, 5, 0, 1, 0.6, 1}, 1.0 / 0.9},    /* better, and farther than sigma */
        {{-1.01, 5, 0, 3, 0.6, 1}, 3.0 / 0.9},   /* on either side */
        {{0.99, 5, 0, 1, 0.6, 1}, 1.0},          /* better, but from within */
        {{0.99, 5, 0, 3, 0.6, 1}, 3.0},          /* which leaves it as it is */
        {{1.01, 10, 0, 3, 0.6, 1}, 2.7},         /* as good is not better */
        {{1.01, 11, 0, 3, 0.6, 1}, 2.7},         /* nothing better: back */
        {{1.01, 11, 0, 1.05, 0.6, 1}, 1.0},      /* but not below 1 */
        {{1.01, 11, 0, 1, 0.6, 1}, 1.0},         /* never */
        {{1.01, 9, 0.49, 2, 0.6, 1}, 2.0 / 0.9}, /* beyond two deviations of the noise */
        {{1.01, 9, 0.51, 2, 0.6, 1}, 1.8},       /* within them */
        {{1.01, 5, 0, 1, 0.5, 1}, 1.0},          /* a coordinate that was off half of the time */
        {{1.01, 5, 0, 950, 0.6, 1}, 1000.0},     /* not for ever */
        {{1.01, 5, 0, 3, 0.6, 0}, 1.0},          /* a part that is off */
        {{1e9, -1e9, 0, 1, 0.6, 1}, 1.0 / 0.9},  /* however far */
        {{1.01, 5, 1e9, 1, 0.6, 1}, 1.0},        /* however noisy */
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        const double scale = scale_after(&cases[k].control);
        if (!(fabs(scale - cases[k].expected) <= 1e-12 * scale)) {
            fail_msg("case %zu: %.17g instead of %g", k, scale, cases[k].expected);
        }
    }
}

/* A coordinate that only half of the better points have does not count. */
static void improvements_must_agree_on_a_coordinate(void **state)
{
    (void)state;
    static past before;
    zilch_optimizer_options options = options_as_published();
    options.variance_scaling = 1;
    for (int both = 0; both < 2; both++) {
        const double elite[] = {5, 0.5, both ? 5 : 0, -0.5, 1, 0, -1, 0};
        const double cost[] = {3, 4, 11, 12};
        even_past(&before, 2, 0.9, 0.0, 1.0);
        zi_fitted f = learn_noisily(&options, 2, 4, elite, cost, remember(&before, 2.0, 10.0), 0.0);
        assert_close(f.state.scale, both ? 2.0 / 0.9 : 2.0);
        zi_fitted_free(&f);
    }
}

/* The first law has nothing to be better than. */
static void the_first_law_is_not_widened(void **state)
{
    (void)state;
    const zilch_optimizer_options options = zilch_optimizer_defaults();
    const double elite[] = {50, 0, 60, 0, 70, 1};
    zi_fitted f = learn(&options, 2, 3, elite, &no_past);
    assert_true(f.state.scale == 1.0);
    zi_fitted_free(&f);
}

/* ---- Shift and timid points -------------------------------------------------------------------- */

enum { ROWS = 400 };

/* A law of DIM coordinates with a step, a scale and ratios. */
static zi_fitted law_to_draw_from(double scale, past *before)
{
    zilch_optimizer_options options = options_as_published();
    double elite[K * DIM], cost[K];
    random_elites(DIM, K, 0.4, 0.8, 9, elite);
    for (size_t k = 0; k < K; k++) {
        elite[k * DIM + 1] = k == 3 ? 1.5 : 0.0; /* given up */
        elite[k * DIM + 2] = 0.0;
        cost[k] = (double)k;
    }
    even_past(before, DIM, 0.4, 0.25, 3.0);
    before->ratio[1] = 0.5;
    before->ratio[2] = 0.125;
    options.margin = 2.0; /* p of what was given up: 0.1 */
    options.prior_sigma = 5.0;
    options.variance_scaling = 1;
    return learn_noisily(&options, DIM, K, elite, cost, remember(before, scale / 0.9, 0.0), 0.0);
}

static void draw_with(const zi_fitted *f, double shift, double timid, size_t rows, double *x)
{
    const zilch_optimizer_options parts = {.mean_shift = shift, .reactivation = timid};
    draw_from(f, &parts, zilch_rng_make(10, 0), rows, x);
}

static void the_first_rows_are_shifted(void **state)
{
    (void)state;
    static past before;
    zi_fitted f = law_to_draw_from(3.0, &before);
    double plain[ROWS * DIM], moved[ROWS * DIM];
    size_t changed = 0;
    assert_close(f.state.scale, 3.0);
    draw_with(&f, 0.0, 0.0, ROWS, plain);
    draw_with(&f, 0.3, 0.0, ROWS, moved);
    for (size_t i = 0; i < ROWS * DIM; i++) {
        const int is_moved = i / DIM < 3 * ROWS / 10 && plain[i] != 0.0;
        const double by = f.state.mu[i % DIM] - 0.25;
        assert_double_equal(moved[i], plain[i] + (is_moved ? 2.0 * 3.0 * by : 0.0), is_moved ? 1e-12 : 0.0);
        changed += plain[i] != moved[i];
    }
    assert_true(changed > ROWS / 2);
    draw_with(&f, 0.0, 0.0, 1, plain); /* alone: BLAS may round a row otherwise beside others */
    draw_with(&f, 1.0, 1.0, 1, moved); /* all of one */
    assert_memory_not_equal(plain, moved, DIM * sizeof *plain);
    draw_with(&f, 0.99, 0.0, 1, moved); /* a part of one is none */
    assert_memory_equal(plain, moved, DIM * sizeof *plain);
    zi_fitted_free(&f);
}

/* Every second row, but not those that are shifted; where nothing was given up, nothing happens. */
static void timid_rows_are_small_where_the_elites_gave_up(void **state)
{
    (void)state;
    static past before;
    for (int wide = 0; wide < 2; wide++) {
        zi_fitted f = law_to_draw_from(wide ? 3.0 : 1.0, &before);
        double plain[ROWS * DIM], timid[ROWS * DIM];
        size_t changed = 0;
        assert_true(f.state.ratio[1] == 0.5 && f.state.ratio[2] == 0.125 && f.state.ratio[0] == 1.0);
        draw_with(&f, 0.25, 0.0, ROWS, plain);
        draw_with(&f, 0.25, 0.5, ROWS, timid);
        for (size_t i = 0; i < ROWS * DIM; i++) {
            const size_t row = i / DIM, col = i % DIM;
            const int is_timid = row >= ROWS / 4 && row % 2;
            const double size = !is_timid  ? 1.0
                                : col == 1 ? (wide ? 1.0 : 0.5) /* never larger */
                                : col == 2 ? (wide ? 0.375 : 0.125)
                                           : 1.0;
            assert_double_equal(timid[i], plain[i] * size, 1e-15 * fabs(plain[i]));
            changed += timid[i] != plain[i];
        }
        assert_true(changed > 3);
        zi_fitted_free(&f);
    }
}

/* As many rows as the share says. */
static void a_share_of_the_rows_is_timid(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    static past before;
    static double plain[MANY * DIM], timid[MANY * DIM];
    zi_fitted f = law_to_draw_from(1.0, &before);
    static const double shares[] = {0.0, 0.1, 0.3, 0.75, 1.0};
    for (size_t k = 0; k < COUNT(shares); k++) {
        double active = 0.0, changed = 0.0;
        draw_with(&f, 0.0, 0.0, MANY, plain);
        draw_with(&f, 0.0, shares[k], MANY, timid);
        for (size_t row = 0; row < MANY; row++) {
            const double *x = plain + row * DIM, *y = timid + row * DIM;
            active += x[2] != 0.0;
            changed += x[2] != y[2];
        }
        assert_true(active > 100.0); /* of p = 0.1, by the margin */
        assert_double_equal(changed / active, shares[k],
                            5.0 * sqrt(shares[k] * (1.0 - shares[k]) / active) + 1e-12);
    }
    zi_fitted_free(&f);
}

/* ---- Copied and redrawn points -------------------------------------------------------------------- */

/* Behind the shifted rows: active as drawn, each active value one of an elite's in that coordinate, of all
 * elites about equally often, and independently of each other; of a coordinate that no elite has, as drawn.
 */
static void copied_rows_have_values_of_elites(void **state)
{
    (void)state;
    enum { MANY = 8000 };
    static past before;
    static double plain[MANY * DIM], x[MANY * DIM];
    double elite[K * DIM];
    for (size_t i = 0; i < K * DIM; i++) {
        elite[i] = i % DIM == 2 ? 0.0 : 100.0 + (double)i;
    }
    elite[4 * DIM + 1] = 0.0;
    const zilch_optimizer_options off = {.mean_shift = 0.25};
    const zilch_optimizer_options on = {.mean_shift = 0.25, .recombination = 0.5, .immigrants = 1.0};
    zi_fitted f = law_to_draw_from(1.0, &before);
    draw_points(&f, &off, elite, zilch_rng_make(10, 0), MANY, plain);
    draw_points(&f, &on, elite, zilch_rng_make(10, 0), MANY, x);
    double seen[K] = {0.0}, same = 0.0, both = 0.0, all = 0.0;
    for (size_t row = 0; row < MANY; row++) {
        const int is_copied = row >= MANY / 4 && row < 3 * MANY / 4;
        size_t from[DIM] = {0};
        for (size_t i = 0; i < DIM && row < 3 * MANY / 4; i++) {
            const double value = x[row * DIM + i], drawn = plain[row * DIM + i];
            if (!is_copied || drawn == 0.0 || i == 2) {
                assert_true(value == drawn);
                continue;
            }
            const size_t at = (size_t)(value - 100.0);
            assert_true(at < K * DIM && value == elite[at] && at % DIM == i);
            from[i] = at / DIM;
            seen[from[i]] += i == 0;
            all += i == 0;
        }
        if (is_copied && plain[row * DIM] != 0.0 && plain[row * DIM + 3] != 0.0) {
            same += from[0] == from[3];
            both += 1.0;
        }
    }
    for (size_t k = 0; k < K; k++) {
        assert_double_equal(seen[k], all / K, 5.0 * sqrt(all / K));
    }
    assert_double_equal(same, both / K, 5.0 * sqrt(both / K));
    zi_fitted_free(&f);
}

/* One active value is drawn as the first points are, any of them equally often. */
static void redrawn_rows_differ_in_one_value(void **state)
{
    (void)state;
    enum { MANY = 8000 };
    static past before;
    static double plain[MANY * DIM], x[MANY * DIM];
    const zilch_optimizer_options off = {0}, on = {.immigrants = 0.75};
    zi_fitted f = law_to_draw_from(1.0, &before);
    draw_from(&f, &off, zilch_rng_make(10, 0), MANY, plain);
    draw_from(&f, &on, zilch_rng_make(10, 0), MANY, x);
    double chosen[DIM] = {0.0}, expected[DIM] = {0.0}, sum = 0.0, squares = 0.0, count = 0.0;
    for (size_t row = 0; row < MANY; row++) {
        const double *was = plain + row * DIM, *is = x + row * DIM;
        const double active = (double)zi_law_active(ZILCH_METHOD_DEFAULT, DIM, was);
        size_t changed = 0;
        for (size_t i = 0; i < DIM; i++) {
            assert_true((was[i] == 0.0) == (is[i] == 0.0));
            expected[i] += row < 3 * MANY / 4 && was[i] != 0.0 ? 1.0 / active : 0.0;
            if (was[i] != is[i]) {
                const double z = (is[i] - first_mu) / first_sigma;
                changed++;
                chosen[i] += 1.0;
                sum += z;
                squares += z * z;
                count += 1.0;
            }
        }
        assert_int_equal(changed, row < 3 * MANY / 4 && active > 0.0);
    }
    for (size_t i = 0; i < DIM; i++) {
        assert_double_equal(chosen[i], expected[i], 5.0 * sqrt(expected[i]));
    }
    assert_double_equal(sum / count, 0.0, 5.0 / sqrt(count));
    assert_double_equal(squares / count, 1.0, 5.0 * sqrt(2.0 / count));
    zi_fitted_free(&f);
}

/* Coordinates in use, before and now, narrow to a half and a quarter: so does what was given up, by the
 * geometric mean. In use again, its ratio is 1. */
static void ratios_follow_the_coordinates_in_use(void **state)
{
    (void)state;
    static past before;
    const zilch_optimizer_options options = options_as_published();
    const double elite[] = {1, 10, 0, 0, 1, 3, 11, 7, 0, 2}; /* deviations 1, 0.5; none, one, two */
    even_past(&before, 5, 1.0, 0.0, 2.0);
    before.p[2] = before.p[3] = 0.4;
    before.ratio[2] = 0.8;
    before.ratio[3] = 0.4;
    before.ratio[4] = 0.1;
    before.p[4] = 0.5; /* not in use before */
    zi_fitted f = learn(&options, 5, 2, elite, &before.memory);
    assert_close(f.state.sigma[0], 1.0);
    assert_close(f.state.sigma[1], 0.5);
    assert_close(f.state.ratio[0], 1.0);
    assert_close(f.state.ratio[1], 1.0);
    assert_close(f.state.ratio[2], 0.8 * sqrt(0.125));
    assert_close(f.state.ratio[3], 0.4 * sqrt(0.125));
    assert_close(f.state.ratio[4], 1.0);
    before.sigma[0] = before.sigma[1] = 0.01; /* wider now: what was given up is never larger than it was */
    zi_fitted g = learn(&options, 5, 2, elite, &before.memory);
    assert_close(g.state.ratio[2], 1.0);
    zi_fitted_free(&f);
    zi_fitted_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_all_off_the_law_is_the_models_fit),
        cmocka_unit_test(the_first_law_follows_the_first_points),
        cmocka_unit_test(a_prior_by_hand),
        cmocka_unit_test(one_active_value_does_not_freeze),
        cmocka_unit_test(a_margin_limits_p),
        cmocka_unit_test(weights_by_rank),
        cmocka_unit_test(the_law_widens_while_it_is_led_outside),
        cmocka_unit_test(improvements_must_agree_on_a_coordinate),
        cmocka_unit_test(the_first_law_is_not_widened),
        cmocka_unit_test(the_first_rows_are_shifted),
        cmocka_unit_test(timid_rows_are_small_where_the_elites_gave_up),
        cmocka_unit_test(a_share_of_the_rows_is_timid),
        cmocka_unit_test(copied_rows_have_values_of_elites),
        cmocka_unit_test(redrawn_rows_differ_in_one_value),
        cmocka_unit_test(ratios_follow_the_coordinates_in_use),
    };
    return cmocka_run_group_tests_name("refit", tests, NULL, NULL);
}
