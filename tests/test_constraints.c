/* Limits on points: every point that is asked for keeps them, whatever they are, and sets that nothing can
 * keep are refused. The checker here, and the search through all choices, share nothing with the library.
 * Statistical bounds are 5 standard errors; false alarms are below 1 in 100,000 for the file. */
#include "search_support.h"

enum { MOST_DIM = 12 };

/* Limits with their arrays. */
typedef struct limits {
    size_t dim, least, most;
    zilch_forced forced[MOST_DIM];
    size_t group[MOST_DIM];
    double lower[MOST_DIM], upper[MOST_DIM];
    int has_forced, has_group, has_lower, has_upper;
} limits;

static void apply(const limits *l, zilch_optimizer_options *options)
{
    options->min_active = l->least;
    options->max_active = l->most;
    options->forced = l->has_forced ? l->forced : NULL;
    options->group = l->has_group ? l->group : NULL;
    options->lower = l->has_lower ? l->lower : NULL;
    options->upper = l->has_upper ? l->upper : NULL;
}

/* What a point breaks; NULL if nothing. */
static const char *broken_by(const limits *l, const double *x)
{
    const size_t active = active_of(l->dim, x);
    for (size_t i = 0; i < l->dim; i++) {
        const int on = x[i] != 0.0;
        if (!isfinite(x[i])) {
            return "finite";
        }
        if (on && ((l->has_lower && x[i] < l->lower[i]) || (l->has_upper && x[i] > l->upper[i]))) {
            return "bounds";
        }
        if (l->has_forced &&
            ((l->forced[i] == ZILCH_FORCED_ON && !on) || (l->forced[i] == ZILCH_FORCED_OFF && on))) {
            return "forced";
        }
        for (size_t j = 0; l->has_group && j < i; j++) {
            if (l->group[i] && l->group[i] == l->group[j] && on != (x[j] != 0.0)) {
                return "group";
            }
        }
    }
    return active < l->least || (l->most && active > l->most) ? "count" : NULL;
}

/* Whether any point at all keeps them: every choice of active coordinates is tried. */
static int can_be_kept(const limits *l)
{
    for (unsigned mask = 0; mask < 1U << l->dim; mask++) {
        double x[MOST_DIM];
        for (size_t i = 0; i < l->dim; i++) {
            const double low = l->has_lower ? l->lower[i] : -INFINITY;
            const double high = l->has_upper ? l->upper[i] : INFINITY;
            const double inside = low > 0.0 ? low : high < 0.0 ? high : high > 0.0 ? fmin(1.0, high) : low;
            x[i] = mask >> i & 1 ? fmax(inside, -1e9) : 0.0;
        }
        if ((mask == 0 || active_of(l->dim, x) == (size_t)__builtin_popcount(mask)) && !broken_by(l, x)) {
            return 1;
        }
    }
    return 0;
}

static size_t below(zilch_rng *rng, size_t n)
{
    return (size_t)(zilch_rng_uniform(rng) * (double)n);
}

/* ---- Random limits ----------------------------------------------------------------------------------- */

static void random_bounds(zilch_rng *rng, double *lower, double *upper, int may_be_nothing)
{
    const double a = 3.0 * zilch_rng_normal(rng);
    const double b = 0.01 + 3.0 * zilch_rng_uniform(rng);
    const size_t kind = below(rng, may_be_nothing ? 9 : 8);
    const double table[9][2] = {{-INFINITY, INFINITY}, {a, a + b}, {a, INFINITY},
                                {-INFINITY, a},        {0, b},     {-b, 0},
                                {0.05, 0.3},           {a, a},     {0, 0}};
    *lower = table[kind][0];
    *upper = table[kind][1];
}

/* Around a choice of active coordinates, so that it keeps them. */
static limits random_limits(zilch_rng *rng)
{
    limits l = {.dim = 1 + below(rng, MOST_DIM)};
    int on[MOST_DIM];
    size_t active = 0;
    const size_t groups = 1 + below(rng, 4);
    const double share = zilch_rng_uniform(rng);
    l.has_forced = zilch_rng_uniform(rng) < 0.5;
    l.has_group = zilch_rng_uniform(rng) < 0.5;
    l.has_lower = zilch_rng_uniform(rng) < 0.6;
    l.has_upper = l.has_lower; /* the sides alone: below */
    for (size_t i = 0; i < l.dim; i++) {
        on[i] = zilch_rng_uniform(rng) < share;
        l.group[i] = below(rng, groups + 2);
        for (size_t j = 0; l.has_group && j < i; j++) {
            on[i] = l.group[i] && l.group[j] == l.group[i] ? on[j] : on[i];
        }
        active += (size_t)on[i];
        l.forced[i] = zilch_rng_uniform(rng) < 0.7 ? ZILCH_FORCED_NOT
                      : on[i]                      ? ZILCH_FORCED_ON
                                                   : ZILCH_FORCED_OFF;
        random_bounds(rng, &l.lower[i], &l.upper[i], !on[i] && (!l.has_group || !l.group[i]));
        if (l.lower[i] == 0.0 && l.upper[i] == 0.0 && l.forced[i] == ZILCH_FORCED_ON) {
            l.upper[i] = 1.0;
        }
    }
    if (l.has_lower && below(rng, 3) == 0) { /* the other sides are given as none: must still be feasible */
        const int drop = (int)below(rng, 2);
        l.has_lower = !drop;
        l.has_upper = drop;
    }
    const int exact = zilch_rng_uniform(rng) < 0.3;
    l.least = exact ? active : below(rng, active + 1);
    l.most = exact ? active : active + below(rng, l.dim - active + 1);
    l.least = below(rng, 3) ? l.least : 0;
    l.most = below(rng, 3) ? l.most : 0;
    return l;
}

static void explain(const limits *l, const double *x, const char *what)
{
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "%s; %zu to %zu active:", what, l->least, l->most);
    for (size_t i = 0; i < l->dim; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " %g in [%g, %g] group %zu %s;", x[i],
                                 l->has_lower ? l->lower[i] : -INFINITY,
                                 l->has_upper ? l->upper[i] : INFINITY, l->has_group ? l->group[i] : 0,
                                 l->has_forced ? zilch_forced_name(l->forced[i]) : "free");
    }
    fail_msg("%s", text);
}

/* As published, or with the defaults and what else may move a point, which must be mended then. */
static zilch_optimizer_options either_options(zilch_method law, uint64_t seed)
{
    return seed % 2 ? small_defaults(law, 12, 4) : small_options(law, 12, 4);
}

/* Three generations; all points of each. */
static void search_within(const limits *l, zilch_method law, uint64_t seed, zilch_rng *rng)
{
    static asked a;
    zilch_optimizer_options options = either_options(law, seed);
    options.initial_p = below(rng, 4) ? zilch_rng_uniform(rng) : (double)below(rng, 2);
    options.initial_mu = below(rng, 2) ? 0.0 : zilch_rng_normal(rng);
    options.initial_sigma = below(rng, 8) ? 2.0 : 0.0;
    apply(l, &options);
    zilch_optimizer *o = create_with(l->dim, seed, &options);
    for (int g = 0; g < 3; g++) {
        a.n = 0;
        ask_more(o, g == 1 ? 23 : 12, &a);
        for (size_t i = 0; i < a.n; i++) {
            const char *what = broken_by(l, a.x + i * l->dim);
            if (what) {
                explain(l, a.x + i * l->dim, what);
            }
        }
        tell_some(o, &a, 0, a.n);
    }
    zilch_optimizer_destroy(o);
}

static void every_point_keeps_the_limits(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(1, 0);
    size_t counted = 0;
    for (uint64_t k = 0; k < 2000; k++) {
        const limits l = random_limits(&rng);
        counted += l.least > 0 || l.most > 0;
        search_within(&l, ZILCH_METHOD_EA, k, &rng);
        search_within(&l, ZILCH_METHOD_GAUSSIAN, k, &rng);
        search_within(&l, ZILCH_METHOD_ADHOC, k, &rng);
        search_within(&l, ZILCH_METHOD_DEFAULT, k, &rng);
    }
    assert_in_range(counted, 1000, 1900);
}

/* Sizes that adding up one after the other, in most orders, does not meet: 2 and 3 of five, 9 of 5, 4, 4, 1.
 */
static void groups_are_chosen_whole(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(2, 0);
    const limits cases[] = {
        {.dim = 9, .least = 4, .most = 4, .has_group = 1, .group = {1, 1, 1, 1, 1, 2, 2, 2, 2}},
        {.dim = 12, .least = 8, .most = 8, .has_group = 1, .group = {7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9}},
        {.dim = 12, .least = 7, .most = 7, .has_group = 1, .group = {1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4}},
        {.dim = 11, .least = 9, .most = 9, .has_group = 1, .group = {1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3}},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        assert_true(can_be_kept(&cases[k]));
        for (uint64_t seed = 0; seed < 200; seed++) {
            search_within(&cases[k], four_methods[seed % 4], seed, &rng);
        }
    }
}

/* ---- What cannot be kept ------------------------------------------------------------------------------- */

static limits any_limits(zilch_rng *rng)
{
    limits l = {.dim = 1 + below(rng, 7)};
    l.has_forced = below(rng, 2) != 0;
    l.has_group = below(rng, 2) != 0;
    l.has_lower = l.has_upper = below(rng, 2) != 0;
    l.least = below(rng, l.dim + 1);
    l.most = below(rng, l.dim + 1);
    for (size_t i = 0; i < l.dim; i++) {
        l.group[i] = below(rng, 4);
        l.forced[i] = below(rng, 3) ? ZILCH_FORCED_NOT : (zilch_forced)below(rng, 3);
        random_bounds(rng, &l.lower[i], &l.upper[i], 1);
        if (below(rng, 4)) {
            l.lower[i] = -INFINITY;
        }
    }
    return l;
}

/* Creation agrees with a search through all choices. What the library demands beyond that: bounds that allow
 * only zero may not be in a group, where the whole group could never be active. */
static void limits_are_refused_only_if_nothing_keeps_them(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(3, 0);
    size_t refused = 0, count = 0;
    for (size_t k = 0; k < 20000; k++) {
        const limits l = any_limits(&rng);
        zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, 12, 4);
        zilch_optimizer *o = (zilch_optimizer *)&options;
        int strict = 0;
        for (size_t i = 0; i < l.dim; i++) {
            for (size_t j = 0; j < l.dim && l.has_group && l.has_lower; j++) {
                strict |= i != j && l.group[i] && l.group[i] == l.group[j] && l.lower[i] == 0.0 &&
                          l.upper[i] == 0.0;
            }
        }
        if (strict) {
            continue;
        }
        count++;
        apply(&l, &options);
        const zilch_status status = zilch_optimizer_create(&o, l.dim, 1, &options);
        assert_int_equal(status, can_be_kept(&l) ? ZILCH_OK : ZILCH_EARG);
        if (status != ZILCH_OK) {
            refused++;
            assert_null(o);
            assert_non_null(strstr(zilch_last_error(), "optimizer: "));
        }
        zilch_optimizer_destroy(o);
    }
    assert_true(refused > count / 10 && refused < count * 9 / 10);
}

/* In time that does not grow with the square of the coordinates. */
static void limits_on_many_coordinates_are_quick(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    zilch_optimizer *o;
    zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, 12, 4);
    size_t *group = calloc(MANY, sizeof *group);
    assert_non_null(group);
    for (size_t i = 0; i < MANY; i++) {
        group[i] = i / 2 + 1; /* in pairs */
    }
    options.min_active = MANY / 3;
    options.max_active = MANY / 2;
    assert_int_equal(zilch_optimizer_create(&o, MANY, 1, &options), ZILCH_OK);
    zilch_optimizer_destroy(o);
    options.group = group;
    assert_int_equal(zilch_optimizer_create(&o, MANY, 1, &options), ZILCH_OK);
    zilch_optimizer_destroy(o);
    options.min_active = options.max_active = MANY / 3 + 1; /* odd */
    assert_int_equal(zilch_optimizer_create(&o, MANY, 1, &options), ZILCH_EARG);
    free(group);
}

static void refused_limits_are_named(void **state)
{
    (void)state;
    const struct {
        limits l;
        const char *text;
    } cases[] = {
        {{.dim = 3, .least = 2, .most = 1}, "min_active, 2, must not be more than max_active, 1"},
        {{.dim = 3, .least = 4}, "at most 3"},
        {{.dim = 3, .most = 4}, "at most 3"},
        {{.dim = 3, .has_lower = 1, .lower = {0, NAN, 0}}, "coordinate 1"},
        {{.dim = 3, .has_upper = 1, .upper = {0, 0, -INFINITY}}, "coordinate 2"},
        {{.dim = 3, .has_lower = 1, .lower = {INFINITY, 0, 0}}, "coordinate 0"},
        {{.dim = 2, .has_lower = 1, .has_upper = 1, .lower = {0, 2}, .upper = {1, 1}}, "coordinate 1"},
        {{.dim = 2, .has_forced = 1, .forced = {ZILCH_FORCED_NOT, (zilch_forced)3}}, "coordinate 1"},
        {{.dim = 3,
          .has_forced = 1,
          .has_group = 1,
          .group = {5, 0, 5},
          .forced = {ZILCH_FORCED_ON, ZILCH_FORCED_NOT, ZILCH_FORCED_OFF}},
         "coordinate 2 (counted from 0): it is forced off, another one of its group on"},
        {{.dim = 2,
          .has_forced = 1,
          .forced = {ZILCH_FORCED_NOT, ZILCH_FORCED_ON},
          .has_lower = 1,
          .has_upper = 1},
         "coordinate 1"},
        {{.dim = 3, .has_group = 1, .group = {1, 1, 1}, .least = 1, .most = 2}, "no choice"},
        {{.dim = 3, .most = 1, .has_forced = 1, .forced = {ZILCH_FORCED_ON, ZILCH_FORCED_ON}}, "no choice"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        zilch_optimizer *o = (zilch_optimizer *)&rmdir;
        zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, 12, 4);
        apply(&cases[k].l, &options);
        assert_int_equal(zilch_optimizer_create(&o, cases[k].l.dim, 1, &options), ZILCH_EARG);
        assert_null(o);
        if (!strstr(zilch_last_error(), cases[k].text)) {
            fail_msg("case %zu: %s", k, zilch_last_error());
        }
        const zilch_error error = zilch_last_error_details();
        assert_string_equal(error.where, "optimizer"); /* said once, apart from the message */
        assert_null(strstr(error.message, "optimizer"));
        assert_int_equal(error.coordinate == ZILCH_NOWHERE, !strstr(cases[k].text, "coordinate "));
    }
}

/* ---- Points of the caller's ------------------------------------------------------------------- */

/* A told point is taken if the checker finds nothing, and leaves no trace if it is not. */
static void told_points_must_keep_the_limits(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(4, 0);
    size_t taken = 0, tried = 0;
    for (uint64_t k = 0; k < 2000; k++) {
        const limits l = random_limits(&rng);
        zilch_optimizer_options options = small_options(four_methods[k % 4], 12, 4);
        apply(&l, &options);
        zilch_optimizer *o = create_with(l.dim, k, &options);
        double x[MOST_DIM];
        uint64_t id;
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x),
                         ZILCH_OK); /* a good one, to be changed a little */
        for (size_t t = 0; t < 5; t++) {
            const size_t at = below(&rng, l.dim);
            const double before = x[at];
            const uint64_t evaluations = zilch_optimizer_progress(o).evaluations;
            x[at] = t == 0 ? before : below(&rng, 2) ? 0.0 : before + zilch_rng_normal(&rng);
            x[at] = below(&rng, 20) ? x[at] : below(&rng, 2) ? NAN : INFINITY;
            const char *what = broken_by(&l, x);
            assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), what ? ZILCH_EARG : ZILCH_OK);
            assert_int_equal(zilch_optimizer_progress(o).evaluations, evaluations + !what);
            assert_true(!what || strstr(zilch_last_error(), "point: "));
            taken += !what;
            tried++;
            x[at] = what ? before : x[at];
        }
        zilch_optimizer_destroy(o);
    }
    assert_in_range(taken, tried / 10, tried * 9 / 10);
}

static void a_refused_point_is_explained(void **state)
{
    (void)state;
    const limits l = {.dim = 5,
                      .least = 1,
                      .most = 3,
                      .has_forced = 1,
                      .forced = {ZILCH_FORCED_OFF, ZILCH_FORCED_NOT},
                      .has_group = 1,
                      .group = {0, 3, 0, 3, 0},
                      .has_upper = 1,
                      .upper = {1, 1, 1, 1, 1}};
    const struct {
        double x[5];
        const char *text;
    } cases[] = {
        {{0, 0, 0, 0, NAN}, "coordinate 4 (counted from 0): the value is not finite"},
        {{0.5, 0, 0, 0, 0}, "coordinate 0 (counted from 0): the value is 0.5, but it is forced off"},
        {{0, 0.5, 0, 0, 0}, "coordinates 1 and 3 (counted from 0): they must be active together"},
        {{0, 0, 1.5, 0, 0}, "coordinate 2 (counted from 0): the value 1.5 is out of its bounds -inf and 1"},
        {{0, 0, 0, 0, 0}, "0 coordinates are active, allowed are 1 to 3"},
        {{0, 1, 1, 1, 1}, "4 coordinates are active, allowed are 1 to 3"},
        {{0, 1, 0, 1, -9}, NULL},
    };
    zilch_optimizer_options options = small_options(ZILCH_METHOD_EA, 12, 4);
    apply(&l, &options);
    zilch_optimizer *o = create_with(5, 1, &options);
    for (size_t k = 0; k < COUNT(cases); k++) {
        assert_int_equal(zilch_optimizer_tell_point(o, cases[k].x, 0.0),
                         cases[k].text ? ZILCH_EARG : ZILCH_OK);
        assert_true(!cases[k].text || strstr(zilch_last_error(), cases[k].text));
    }
    zilch_optimizer_destroy(o);
}

/* ---- Values ----------------------------------------------------------------------------------- */

/* 0 or from 0.05 to 0.3: both occur, also where the law reaches far beyond. */
static void bounds_may_exclude_zero(void **state)
{
    (void)state;
    static asked a;
    const limits l = {
        .dim = 3, .has_lower = 1, .has_upper = 1, .lower = {0.05, 0.05, 0.05}, .upper = {.3, .3, .3}};
    for (zilch_method law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
        zilch_optimizer_options options = small_options(law, 40, 8);
        apply(&l, &options);
        zilch_optimizer *o = create_with(3, 9, &options);
        size_t zeros = 0, inner = 0, all = 0;
        for (int g = 0; g < 3; g++) {
            a.n = 0;
            ask_more(o, 40, &a);
            for (size_t i = 0; i < 3 * a.n; i++) {
                assert_true(a.x[i] == 0.0 || (a.x[i] >= 0.05 && a.x[i] <= 0.3));
                zeros += a.x[i] == 0.0;
                inner += a.x[i] > 0.05 && a.x[i] < 0.3;
                all++;
            }
            tell_some(o, &a, 0, a.n);
        }
        assert_true(zeros > all / 20 && inner > all / 10);
        zilch_optimizer_destroy(o);
    }
}

/* By methods that clip: values that are always below 0 are cut off at 0, where a coordinate is free to be
 * absent: never -0, never tiny. Where it must be there, it is drawn between the bounds. */
static void a_value_cut_off_at_zero_is_absent(void **state)
{
    (void)state;
    static asked a;
    limits l = {.dim = 3, .has_lower = 1, .has_upper = 1, .lower = {0, 0, 0}, .upper = {1, 1, 1}};
    l.has_forced = 1;
    l.forced[1] = ZILCH_FORCED_ON;
    zilch_optimizer_options options = small_options(ZILCH_METHOD_PUBLISHED, 40, 8);
    options.initial_p = 1.0;
    options.initial_mu = -100.0;
    options.initial_sigma = 1.0;
    apply(&l, &options);
    zilch_optimizer *o = create_with(3, 9, &options);
    double sum = 0.0;
    a.n = 0;
    ask_more(o, 240, &a);
    for (size_t i = 0; i < a.n; i++) {
        assert_true(a.x[3 * i] == 0.0 && !signbit(a.x[3 * i]) && a.x[3 * i + 2] == 0.0);
        assert_true(a.x[3 * i + 1] > 0.0 && a.x[3 * i + 1] <= 1.0);
        sum += a.x[3 * i + 1];
        for (size_t j = 0; j < i; j++) { /* each from random numbers of its own */
            assert_true(a.x[3 * i + 1] != a.x[3 * j + 1]);
        }
    }
    assert_double_equal(sum / 240.0, 0.5, 5.0 * sqrt(1.0 / 12.0 / 240.0)); /* uniform */
    zilch_optimizer_destroy(o);
}

/* So few may be absent that some of those cut off at 0 must be there all the same. */
static void cutting_off_keeps_the_least_number(void **state)
{
    (void)state;
    static asked a;
    const limits l = {.dim = 4, .least = 3, .has_lower = 1, .has_upper = 1, .upper = {1, 1, 1, 1}};
    zilch_optimizer_options options = small_options(ZILCH_METHOD_GAUSSIAN, 40, 8);
    options.initial_mu = -100.0;
    options.initial_sigma = 1.0;
    apply(&l, &options);
    zilch_optimizer *o = create_with(4, 9, &options);
    a.n = 0;
    ask_more(o, 40, &a);
    for (size_t i = 0; i < a.n; i++) {
        assert_int_equal(active_of(4, a.x + 4 * i), 3);
    }
    zilch_optimizer_destroy(o);
}

/* What lies within is left alone: with bounds that nothing meets, the points are those without bounds, if the
 * first law is the same. */
static void what_keeps_the_limits_is_not_touched(void **state)
{
    (void)state;
    static asked a, b;
    for (zilch_method law = ZILCH_METHOD_DEFAULT; law <= ZILCH_METHOD_EA; law++) {
        const limits l = {.dim = 4,
                          .most = 4,
                          .has_lower = 1,
                          .has_upper = 1,
                          .has_group = 1,
                          .has_forced = 1,
                          .lower = {-1e6, -1e6, -1e6, -1e6},
                          .upper = {1e6, 1e6, 1e6, 1e6}};
        zilch_optimizer_options options = small_options(law, 12, 4);
        zilch_optimizer *plain = create_with(4, 5, &options);
        const double zeros[] = {0, 0, 0, 0}, twos[] = {2, 2, 2, 2};
        apply(&l, &options);
        options.x0 = law == ZILCH_METHOD_DEFAULT ? zeros : NULL;
        options.scale = law == ZILCH_METHOD_DEFAULT ? twos : NULL;
        zilch_optimizer *bound = create_with(4, 5, &options);
        for (int g = 0; g < 3; g++) {
            a.n = b.n = 0;
            ask_more(plain, 12, &a);
            ask_more(bound, 12, &b);
            assert_memory_equal(a.x, b.x, 12 * 4 * sizeof *a.x);
            tell_some(plain, &a, 0, 12);
            tell_some(bound, &b, 0, 12);
        }
        zilch_optimizer_destroy(plain);
        zilch_optimizer_destroy(bound);
    }
}

/* ---- How often what is switched --------------------------------------------------------------- */

/* Of points with nothing active where one must be, coordinate i is switched on with a chance in
 * proportion to how often elites have it active, and a hundredth more; off likewise, by how often they have
 * not. Its value is of the elites' law. */
static void mending_follows_the_elites(void **state)
{
    (void)state;
    enum { ROWS = 40000 };
    double p[] = {0.6, 0.3, 0.1, 0.0}, mu[] = {10, 20, 30, 40}, sigma[] = {1, 2, 3, 4};
    const zi_marginals marginals = {.p = p, .mu = mu, .sigma = sigma};
    for (int to = 0; to < 2; to++) {
        double count[4] = {0}, sum[4] = {0}, squares[4] = {0}, total = 0.0;
        zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, 12, 4);
        zi_constraints c;
        zi_repairer mending;
        options.min_active = to ? 1 : 0;
        options.max_active = to ? 0 : 3;
        assert_int_equal(zi_constraints_create(&c, 4, &options), ZILCH_OK);
        assert_int_equal(zi_repairer_create(&mending, &c, &marginals), ZILCH_OK);
        for (size_t row = 0; row < ROWS; row++) {
            double x[4] = {to ? 0.0 : 1.0, to ? 0.0 : 1.0, to ? 0.0 : 1.0, to ? 0.0 : 1.0};
            zi_repair(&mending, zilch_rng_make(12, row), x);
            assert_int_equal(active_of(4, x), to ? 1 : 3);
            for (size_t i = 0; i < 4; i++) {
                if ((x[i] != 0.0) == to) {
                    const double z = to ? (x[i] - mu[i]) / sigma[i] : 0.0;
                    count[i]++;
                    sum[i] += z;
                    squares[i] += z * z;
                }
                assert_true(to || x[i] == 0.0 || x[i] == 1.0);
            }
        }
        for (size_t i = 0; i < 4; i++) {
            total += (to ? p[i] : 1.0 - p[i]) + 0.01;
        }
        for (size_t i = 0; i < 4; i++) {
            const double chance = ((to ? p[i] : 1.0 - p[i]) + 0.01) / total;
            assert_double_equal(count[i], ROWS * chance, 5.0 * sqrt(ROWS * chance * (1.0 - chance)));
            assert_double_equal(sum[i], 0.0, 5.0 * sqrt(count[i]));
            assert_true(!to || fabs(squares[i] - count[i]) <= 5.0 * sqrt(2.0 * count[i]));
        }
        zi_repairer_free(&mending);
        zi_constraints_free(&c);
    }
}

/* From points: share, mean and deviation of what is active; of what they do not show, the first law's. */
static void marginals_are_what_the_elites_show(void **state)
{
    (void)state;
    const double x[] = {1, 0, 7, 0, 3, 0, 0, 5, 5, 0, 0, 9};
    double first[] = {-6, -6, -6, -6, 1.5, 1.5, 1.5, 1.5};
    zi_marginals m;
    assert_int_equal(zi_marginals_create(&m, 4, 0.25, &(zi_first){first, first + 4}), ZILCH_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_true(m.p[i] == 0.25 && m.mu[i] == -6.0 && m.sigma[i] == 1.5);
    }
    zi_marginals_estimate(&m, 4, &(zi_first){first, first + 4}, 3, x);
    const double p[] = {1.0, 0.0, 1.0 / 3.0, 2.0 / 3.0}, mu[] = {3, -6, 7, 7},
                 sigma[] = {2, 1.5, 1.5, sqrt(8)};
    for (size_t i = 0; i < 4; i++) {
        assert_double_equal(m.p[i], p[i], 1e-15);
        assert_double_equal(m.mu[i], mu[i], 1e-15);
        assert_double_equal(m.sigma[i], sigma[i], 1e-15);
    }
    zi_marginals_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_keeps_the_limits),
        cmocka_unit_test(groups_are_chosen_whole),
        cmocka_unit_test(limits_are_refused_only_if_nothing_keeps_them),
        cmocka_unit_test(limits_on_many_coordinates_are_quick),
        cmocka_unit_test(refused_limits_are_named),
        cmocka_unit_test(told_points_must_keep_the_limits),
        cmocka_unit_test(a_refused_point_is_explained),
        cmocka_unit_test(bounds_may_exclude_zero),
        cmocka_unit_test(a_value_cut_off_at_zero_is_absent),
        cmocka_unit_test(cutting_off_keeps_the_least_number),
        cmocka_unit_test(what_keeps_the_limits_is_not_touched),
        cmocka_unit_test(mending_follows_the_elites),
        cmocka_unit_test(marginals_are_what_the_elites_show),
    };
    return cmocka_run_group_tests_name("constraints", tests, NULL, NULL);
}
