/* Coordinates with a step or a list of values: which values those are, and that a search keeps them. */
#include "property_support.h"
#include "search/repeats.h"
#include "search_support.h"

#include <float.h>

enum { DIM = 8, POPULATION = 30, ELITES = 8, GENERATIONS = 8 };

/* ---- Values ---------------------------------------------------------------------------------------- */

/* One coordinate with these limits; the bounds are those of the caller. */
static zilch_status create_one(zi_allowed *a, const double *step, const zilch_values *values, double *lower,
                               double *upper)
{
    zilch_optimizer_options o = zilch_optimizer_defaults();
    o.step = step;
    o.values = values;
    return zi_allowed_create(a, 1, &o, lower, upper);
}

/* A multiple is the double that its digits mean. */
static void multiples_are_what_their_digits_say(void **state)
{
    (void)state;
    static const double steps[] = {0.05, 0.1, 0.01, 0.25, 0.001, 1.0};
    static const int digits[] = {2, 1, 2, 2, 3, 0};
    for (size_t s = 0; s < COUNT(steps); s++) {
        double lower = -INFINITY, upper = INFINITY;
        zi_allowed a;
        assert_int_equal(create_one(&a, &steps[s], NULL, &lower, &upper), ZILCH_OK);
        for (int k = -3000; k <= 3000; k++) {
            char text[64];
            snprintf(text, sizeof text, "%.*f", digits[s], k * steps[s]);
            const double meant = strtod(text, NULL) + 0.0;
            const double found = zi_allowed_nearest(&a, 0, (k + 0.3) * steps[s]);
            if (found != meant || (found == 0.0 && signbit(found))) {
                fail_msg("%d times %g is %.17g, not %.17g", k, steps[s], found, meant);
            }
            assert_true(zi_allowed_is(&a, 0, found));
            assert_true(k == 0 || !zi_allowed_is(&a, 0, nextafter(found, INFINITY)));
        }
        zi_allowed_free(&a);
    }
}

/* However large or small a step is, and whatever comes. */
static void any_number_has_a_nearest_value(void **state)
{
    (void)state;
    static const double sizes[] = {DBL_TRUE_MIN, DBL_MIN, 1e-300, 1.0, 1e15, 1e300, DBL_MAX};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        for (size_t t = 0; t < COUNT(sizes); t++) {
            double lower = -INFINITY, upper = INFINITY;
            zi_allowed a;
            assert_int_equal(create_one(&a, &sizes[s], NULL, &lower, &upper), ZILCH_OK);
            const double given[] = {sizes[t], -sizes[t], INFINITY, -INFINITY, NAN};
            for (size_t k = 0; k < COUNT(given); k++) {
                const double found = zi_allowed_nearest(&a, 0, given[k]);
                assert_true(isfinite(found) && zi_allowed_is(&a, 0, found));
                assert_true(zi_allowed_active(&a, 0, given[k]) != 0.0);
            }
            zi_allowed_free(&a);
        }
    }
}

/* Far from zero, where numbers of steps are hardly told apart, a value is still the nearest to itself, with a
 * default, too: a point that was asked for can be told. Random options (case 4466) found one that was not. */
static void a_value_far_out_is_its_own_nearest(void **state)
{
    (void)state;
    for (size_t k = 0; k < 20000; k++) {
        zilch_rng rng = zilch_rng_make(31, k);
        const double step = of_any_size(&rng, -60.0, 60.0);
        const double origin = step * between(&rng, -1e12, 1e12);
        const double far = (chance(&rng, 0.5) ? -1.0 : 1.0) * step * exp2(between(&rng, 40.0, 56.0));
        double lower = -INFINITY, upper = INFINITY;
        zilch_optimizer_options o = zilch_optimizer_defaults();
        zi_allowed a;
        o.step = &step;
        o.defaults = chance(&rng, 0.5) ? &origin : NULL;
        assert_int_equal(zi_allowed_create(&a, 1, &o, &lower, &upper), ZILCH_OK);
        const double found = zi_allowed_nearest(&a, 0, far);
        if (!zi_allowed_is(&a, 0, found) || zi_allowed_nearest(&a, 0, found) != found) {
            fail_msg("case %zu: %.17g is %.17g steps of %g, but the nearest is %.17g", k, found, found / step,
                     step, zi_allowed_nearest(&a, 0, found));
        }
        zi_allowed_free(&a);
    }
}

/* Against all values, listed one by one. */
static void check_against(const zi_allowed *a, size_t count, const double *all, zilch_rng *rng)
{
    uint64_t actives = 0;
    for (size_t k = 0; k < count; k++) {
        assert_true(zi_allowed_is(a, 0, all[k]));
        if (all[k] != 0.0) {
            assert_true(zi_allowed_at(a, 0, actives++) == all[k]);
        }
        const double above = zi_allowed_next(a, 0, all[k], 1), below = zi_allowed_next(a, 0, all[k], -1);
        assert_true(k + 1 < count ? above == all[k + 1] : isnan(above));
        assert_true(k > 0 ? below == all[k - 1] : isnan(below));
        const double least = fmin(above - all[k], all[k] - below);
        assert_true(zi_allowed_spacing(a, 0, all[k]) == (isnan(least) ? 0.0 : least));
    }
    assert_true(zi_allowed_count(a, 0) == actives);
    for (size_t t = 0; t < 50; t++) {
        const double x = between(rng, all[0] - 1.0, all[count - 1] + 1.0);
        const double found = zi_allowed_nearest(a, 0, x), active = zi_allowed_active(a, 0, x);
        int is_there = 0;
        for (size_t k = 0; k < count; k++) {
            is_there |= found == all[k];
            assert_true(fabs(x - found) <= fabs(x - all[k]) + 1e-12);
        }
        assert_true(is_there && (active == found || (found == 0.0 && active != 0.0)));
        const double above = zi_allowed_next(a, 0, x, 1);
        for (size_t k = 0; k < count; k++) {
            assert_true(all[k] <= x || above <= all[k]);
        }
    }
}

static void values_are_those_of_the_step_or_the_list(void **state)
{
    (void)state;
    enum { MOST = 60 };
    for (size_t t = 0; t < 2000 / SLOWNESS; t++) {
        zilch_rng rng = zilch_rng_make(51, t);
        double all[MOST], given[MOST], lower = -INFINITY, upper = INFINITY;
        zi_allowed a;
        size_t count = 0;
        if (t % 2) {
            const double step = of_any_size(&rng, -2.0, 2.0);
            const double first = floor(between(&rng, -20.0, 10.0));
            lower = step * (first - 0.7);
            upper = step * (first + (double)pick(&rng, 1, 30) + 0.2);
            for (double k = first - 2.0; k < first + 40.0; k++) {
                const double inverse = 1.0 / step;
                const double value = (inverse == floor(inverse) ? k / inverse : k * step) + 0.0;
                if (value >= lower && value <= upper) {
                    all[count++] = value;
                }
            }
            assert_int_equal(create_one(&a, &step, NULL, &lower, &upper), ZILCH_OK);
            assert_true(lower == all[0] && upper == all[count - 1]);
        } else {
            const size_t length = pick(&rng, 1, MOST);
            for (size_t k = 0; k < length; k++) {
                given[k] = (k ? given[k - 1] : between(&rng, -30.0, 5.0)) + (chance(&rng, 0.2) ? 0.0 : 1.0);
                if (given[k] != 0.0 && (count == 0 || given[k] > all[count - 1])) {
                    all[count++] = given[k];
                }
            }
            assert_int_equal(create_one(&a, NULL, &(zilch_values){length, given}, &lower, &upper), ZILCH_OK);
        }
        check_against(&a, count, all, &rng);
        zi_allowed_free(&a);
    }
}

/* ---- What is refused ------------------------------------------------------------------------------- */

static void assert_refused(const zilch_optimizer_options *options, const char *why)
{
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, DIM, 1, options), ZILCH_EARG);
    assert_null(o);
    if (!strstr(zilch_last_error(), why) || zilch_last_error_details().coordinate != 3) {
        fail_msg("%s", zilch_last_error());
    }
}

static void what_no_value_can_keep_is_refused(void **state)
{
    (void)state;
    double step[DIM] = {0}, lower[DIM] = {0}, upper[DIM], list[] = {0.5, 7.0};
    zilch_values values[DIM] = {{0}};
    zilch_optimizer_options o = zilch_optimizer_defaults();
    o.step = step;
    const double wrong[] = {-1.0, NAN, INFINITY};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        step[3] = wrong[k];
        assert_refused(&o, "it must be a finite number above 0, or 0 for none");
    }
    o.lower = lower;
    o.upper = upper;
    for (size_t i = 0; i < DIM; i++) {
        upper[i] = 3.0;
    }
    step[3] = 1.0;
    lower[3] = 1.1;
    upper[3] = 1.9;
    assert_refused(&o, "no multiple of its step is within its bounds 1.1 and 1.9");
    o.step = NULL;
    o.values = values;
    values[3] = (zilch_values){2, list};
    assert_refused(&o, "none of its values is within its bounds 1.1 and 1.9");
    upper[3] = 7.0;
    zilch_optimizer_destroy(create_with(DIM, 1, &o));
    o.step = step;
    assert_refused(&o, "it has a step and a list of values; give one of them");
    o.step = NULL;
    list[1] = NAN;
    assert_refused(&o, "one of its values is nan; they must be finite numbers");
    values[3] = (zilch_values){2, NULL};
    assert_refused(&o, "its values are missing");
    /* Zero alone, where it must be active. */
    static const zilch_forced forced[DIM] = {[3] = ZILCH_FORCED_ON};
    o.values = NULL;
    o.step = step;
    o.forced = forced;
    lower[3] = -0.5;
    upper[3] = 0.5;
    assert_refused(&o, "the bounds allow only zero");
}

/* ---- A search -------------------------------------------------------------------------------------- */

/* Steps, lists and none, and all other limits. */
typedef struct limited {
    zilch_optimizer_options o;
    double step[DIM], lower[DIM], upper[DIM];
    double list[3];
    zilch_values values[DIM];
    zilch_forced forced[DIM];
    size_t group[DIM];
} limited;

static void limit(limited *s, zilch_method method, int has_switches)
{
    static const double steps[DIM] = {1.0, 0.05, 0.0, 0.3, 0.0, 0.0, 2.0, 0.5};
    *s = (limited){.o = small_defaults(method, POPULATION, ELITES), .list = {2.5, -1.0, 0.5}};
    for (size_t i = 0; i < DIM; i++) {
        s->step[i] = steps[i];
        s->lower[i] = i == 3 ? -INFINITY : i == 7 ? 0.6 : -3.0;
        s->upper[i] = i == 3 ? INFINITY : 3.1;
    }
    s->values[2] = s->values[5] = (zilch_values){3, s->list};
    s->o.step = s->step;
    s->o.values = s->values;
    s->o.lower = s->lower;
    s->o.upper = s->upper;
    if (has_switches) {
        s->forced[0] = ZILCH_FORCED_ON;
        s->group[1] = s->group[2] = s->group[4] = 1;
        s->o.forced = s->forced;
        s->o.group = s->group;
        s->o.min_active = 3;
        s->o.max_active = 6;
    }
}

static void assert_kept(const limited *s, const double *x)
{
    for (size_t i = 0; i < DIM; i++) {
        const double k = s->step[i] > 0.0 ? round(x[i] / s->step[i]) : 0.0;
        const int is_multiple = s->step[i] == 0.0 || fabs(x[i] - k * s->step[i]) < 1e-12 * (1.0 + fabs(x[i]));
        const int is_listed =
            !s->values[i].count || x[i] == 0.0 || x[i] == 2.5 || x[i] == -1.0 || x[i] == 0.5;
        const int is_inside = x[i] == 0.0 || (x[i] >= s->lower[i] && x[i] <= s->upper[i]);
        if (!is_multiple || !is_listed || !is_inside || (x[i] == 0.0 && signbit(x[i]))) {
            fail_msg("coordinate %zu is %.17g", i, x[i]);
        }
    }
    assert_true(s->o.max_active == 0 || (x[0] != 0.0 && (x[1] != 0.0) == (x[2] != 0.0)));
}

static double aim(size_t i)
{
    return i % 2 ? 1.37 : -0.81;
}

static zilch_status distance(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t j = 0; j < batch->n; j++) {
        value[j] = 0.0;
        for (size_t i = 0; i < batch->dim; i++) {
            const double d = batch->x[j * batch->dim + i] - aim(i);
            value[j] += d * d;
        }
    }
    return ZILCH_OK;
}

/* Whoever draws them; and an interruption changes nothing. */
static void every_point_keeps_them(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        limited s;
        uint64_t id[POPULATION];
        double x[POPULATION * DIM], y[POPULATION * DIM], value[POPULATION];
        limit(&s, (zilch_method)(k % 6 % 5), k >= 6);
        s.o.refinement = k % 6 == 5;
        zilch_optimizer *o = create_with(DIM, 5, &s.o);
        zilch_optimizer *other = create_with(DIM, 5, &s.o);
        for (size_t g = 0; g < GENERATIONS; g++) {
            assert_int_equal(zilch_optimizer_ask(o, POPULATION, id, x), ZILCH_OK);
            assert_int_equal(zilch_optimizer_ask(other, POPULATION, id, y), ZILCH_OK);
            assert_memory_equal(x, y, sizeof x);
            for (size_t i = 0; i < POPULATION; i++) {
                assert_kept(&s, x + i * DIM);
                assert_int_equal(zi_constraints_check(&o->constraints, x + i * DIM), ZILCH_OK);
            }
            const zilch_batch batch = {.n = POPULATION, .dim = DIM, .x = x};
            assert_int_equal(distance(NULL, &batch, value), ZILCH_OK);
            assert_int_equal(zilch_optimizer_tell(o, POPULATION, id, value), ZILCH_OK);
            assert_int_equal(zilch_optimizer_tell(other, POPULATION, id, value), ZILCH_OK);
            zilch_optimizer *copy = copy_of(other);
            zilch_optimizer_destroy(other);
            other = copy;
            assert_true(is_same_state(o, other));
        }
        zilch_recommendation r;
        assert_int_equal(zilch_optimizer_recommend(o, distance, NULL, NULL, x, &r), ZILCH_OK);
        assert_kept(&s, x);
        const zilch_optimizer_options *kept = zilch_optimizer_settings(other);
        assert_memory_equal(kept->step, s.step, sizeof s.step);
        assert_true(kept->values[2].count == 3 && kept->values[0].count == 0);
        assert_true(kept->values[2].value[0] == -1.0 && kept->values[2].value[2] == 2.5);
        zilch_optimizer_destroy(o);
        zilch_optimizer_destroy(other);
    }
}

static void told_points_must_keep_them(void **state)
{
    (void)state;
    limited s;
    limit(&s, ZILCH_METHOD_DEFAULT, 0);
    zilch_optimizer *o = create_with(DIM, 5, &s.o);
    double x[DIM] = {1.0, 0.15, 2.5};
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_OK);
    x[1] = 0.151;
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_EARG);
    assert_int_equal(zilch_last_error_details().coordinate, 1);
    assert_non_null(strstr(zilch_last_error(), "is not one of those it may have; the nearest is 0.15"));
    x[1] = 0.0;
    x[2] = 1.0;
    assert_int_equal(zilch_optimizer_tell_point(o, x, 1.0), ZILCH_EARG);
    assert_int_equal(zilch_last_error_details().coordinate, 2);
    zilch_optimizer_destroy(o);
}

/* ---- What is found --------------------------------------------------------------------------------- */

/* The nearest whole numbers, 0 where that is nearest; the distribution alone finds them too, and does not
 * freeze before. */
static void the_best_whole_numbers_are_found(void **state)
{
    (void)state;
    enum { MANY = 20 };
    static const double goal[4] = {3.0, 0.0, -7.0, 0.0};
    for (int k = 0; k < 3; k++) {
        double step[MANY], lower[MANY], upper[MANY], x[MANY];
        zilch_optimizer_options options = zilch_optimizer_defaults();
        zilch_optimizer *o;
        for (size_t i = 0; i < MANY; i++) {
            step[i] = 1.0;
            lower[i] = -10.0;
            upper[i] = 10.0;
        }
        options.step = step;
        options.lower = k == 2 ? NULL : lower;
        options.upper = k == 2 ? NULL : upper;
        options.refinement = k != 1;
        options.penalty = 0.01;
        o = create_with(MANY, 2, &options);
        const size_t most = k == 1 ? 8000 : 1500;
        size_t evaluations = 0;
        for (int is_found = 0; !is_found && evaluations < most;) {
            uint64_t id;
            double value = 0.0;
            assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_OK);
            is_found = 1;
            for (size_t i = 0; i < MANY; i++) {
                value += (x[i] - goal[i % 4]) * (x[i] - goal[i % 4]);
                is_found = is_found && x[i] == goal[i % 4];
            }
            assert_int_equal(zilch_optimizer_tell(o, 1, &id, &value), ZILCH_OK);
            evaluations++;
        }
        if (evaluations >= most) {
            fail_msg("case %d: not found", k);
        }
        print_message("found after %zu evaluations\n", evaluations);
        zilch_optimizer_destroy(o);
    }
}

/* When all elites agree, the neighbours are still tried. */
static void the_distribution_does_not_freeze(void **state)
{
    (void)state;
    limited s;
    limit(&s, ZILCH_METHOD_DEFAULT, 0);
    s.o.lower = s.o.upper = NULL;
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = 3000;
    zilch_optimizer *o = create_with(DIM, 5, &s.o);
    assert_int_equal(zilch_optimizer_run(o, distance, NULL, &limits, NULL, NULL, NULL), ZILCH_OK);
    const zi_law_state *law = &o->law_state;
    assert_true(law->p && law->sigma[4] < 0.01); /* of any value, which has converged */
    for (size_t i = 0; i < DIM; i++) {
        const double spacing = s.values[i].count ? 1.5 : s.step[i];
        assert_true(law->sigma[i] >= 0.999 * spacing / 3.0);
    }
    zilch_optimizer_destroy(o);
}

/* A search over few points ends when all were evaluated, none of them twice but for the look at noise. */
static void a_small_search_is_exhausted(void **state)
{
    (void)state;
    enum { EACH = SLOWNESS > 1 ? 3 : 4, NOT_ZERO = EACH - 1 }; /* values of a coordinate */
    static const double two[] = {1.5, -4.0};
    static const struct {
        uint64_t most;
        size_t forced;
        uint64_t points;
    } small[] = {{0, 0, EACH * EACH * EACH * EACH * EACH * EACH},
                 {2, 0, 1 + 6 * NOT_ZERO + 15 * NOT_ZERO * NOT_ZERO},
                 {0, 2, NOT_ZERO * NOT_ZERO * EACH * EACH * EACH * EACH},
                 {3, 2, NOT_ZERO * NOT_ZERO * (1 + 4 * NOT_ZERO)},
                 {0, 5, NOT_ZERO * NOT_ZERO * NOT_ZERO * NOT_ZERO * NOT_ZERO * 3}};
    for (size_t k = 0; k < COUNT(small); k++) {
        double step[6], lower[6] = {0}, upper[6];
        zilch_values values[6] = {{0}};
        zilch_forced forced[6] = {0};
        zilch_optimizer_options options = zilch_optimizer_defaults();
        zilch_limits limits = zilch_limits_defaults();
        zilch_stop stop;
        limits.evaluations = 10000;
        for (size_t i = 0; i < 6; i++) {
            step[i] = 1.0;
            upper[i] = NOT_ZERO + 0.4;
            forced[i] = i < small[k].forced ? ZILCH_FORCED_ON : ZILCH_FORCED_NOT;
        }
        options.step = step;
        options.lower = lower;
        options.upper = upper;
        options.max_active = small[k].most;
        options.forced = small[k].forced ? forced : NULL;
        if (k == 4) { /* a list, in the place of the last step; all but this one forced on */
            step[5] = 0.0;
            lower[5] = -9.0;
            values[5] = (zilch_values){2, two};
            options.values = values;
        }
        zilch_optimizer *o = create_with(6, 3, &options);
        assert_int_equal(o->points_in_all, small[k].points);
        assert_int_equal(zilch_optimizer_run(o, distance, NULL, &limits, NULL, NULL, &stop), ZILCH_OK);
        const zilch_progress p = zilch_optimizer_progress(o);
        assert_int_equal(stop, ZILCH_STOP_EXHAUSTED);
        assert_int_equal(p.points, small[k].points);
        print_message("%llu points in %llu evaluations\n", (unsigned long long)p.points,
                      (unsigned long long)p.evaluations);
        assert_true(p.evaluations <= small[k].points + 16);
        zilch_optimizer_destroy(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_are_what_their_digits_say),
        cmocka_unit_test(any_number_has_a_nearest_value),
        cmocka_unit_test(a_value_far_out_is_its_own_nearest),
        cmocka_unit_test(values_are_those_of_the_step_or_the_list),
        cmocka_unit_test(what_no_value_can_keep_is_refused),
        cmocka_unit_test(every_point_keeps_them),
        cmocka_unit_test(told_points_must_keep_them),
        cmocka_unit_test(the_best_whole_numbers_are_found),
        cmocka_unit_test(the_distribution_does_not_freeze),
        cmocka_unit_test(a_small_search_is_exhausted),
    };
    return cmocka_run_group_tests_name("allowed", tests, NULL, NULL);
}
