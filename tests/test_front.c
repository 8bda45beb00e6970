/* The front of noisy values: it is evaluated again until each of its points has as many evaluations as were
 * asked for, within the budget, in whatever pieces the search is run. */
#include "search_support.h"

#include "search/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 8, BUDGET = 600, EACH = 10 };

/* Counts, and fails at one call if that is asked for. */
typedef struct judge {
    double noise;
    uint64_t evaluations, calls, fails_at; /* 0: never */
} judge;

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    static const double target[DIM] = {3, 2, 1, 0.5, 0.25};
    judge *j = context;
    if (++j->calls == j->fails_at) {
        return zilch_fail(ZILCH_EIO, "the objective has failed");
    }
    for (size_t i = 0; i < batch->n; i++) {
        zilch_rng rng = zilch_rng_make(77, batch->id[i]);
        value[i] = j->noise * zilch_rng_normal(&rng);
        for (size_t k = 0; k < DIM; k++) {
            const double off = batch->x[i * DIM + k] - target[k];
            value[i] += off * off;
        }
    }
    j->evaluations += batch->n;
    return ZILCH_OK;
}

static zilch_optimizer *create(uint64_t seed)
{
    zilch_optimizer *o;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.expected_evaluations = BUDGET;
    assert_int_equal(zilch_optimizer_create(&o, DIM, seed, &options), ZILCH_OK);
    return o;
}

typedef struct ending {
    zilch_final_options final;
    zilch_limits limits;
} ending;

static void end_by(ending *e, uint64_t front)
{
    e->final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    e->final.final_front = front;
    e->final.budget = BUDGET;
    e->limits = zilch_limits_defaults();
    e->limits.evaluations = BUDGET;
    e->limits.final = &e->final;
}

static size_t read_front(const zilch_optimizer *o, zilch_record front[DIM + 1])
{
    size_t count;
    assert_int_equal(zilch_optimizer_front(o, DIM + 1, front, &count), ZILCH_OK);
    return count;
}

static uint64_t least_evaluations(const zilch_optimizer *o)
{
    zilch_record front[DIM + 1];
    uint64_t least = UINT64_MAX;
    const size_t count = read_front(o, front);
    for (size_t i = 0; i < count; i++) {
        least = front[i].evaluations < least ? front[i].evaluations : least;
    }
    return least;
}

static void points_have_as_many_as_asked(void **state)
{
    (void)state;
    size_t whole = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        zilch_optimizer *o = create(seed);
        judge j = {.noise = 0.5};
        zilch_record front[DIM + 1];
        zilch_recommendation found;
        double x[DIM];
        ending e;
        zilch_stop stop;
        end_by(&e, EACH);
        assert_int_equal(zilch_optimizer_run(o, objective, &j, &e.limits, NULL, NULL, &stop), ZILCH_OK);
        assert_int_equal(stop, ZILCH_STOP_EVALUATIONS);
        assert_true(zi_optimizer_is_valid(o));
        assert_true(least_evaluations(o) >= EACH / 2); /* by fixed seeds: luck may follow luck, */
        whole += least_evaluations(o) >= EACH;         /* and the budget end first */
        const double noise = zilch_optimizer_progress(o).noise;
        const size_t count = read_front(o, front);
        for (size_t i = 0; i < count; i++) { /* the mean is of all but the first */
            const double values = fmax(1.0, (double)front[i].evaluations - 1.0);
            assert_true(fabs(front[i].error - noise / sqrt(values)) < 1e-12);
        }
        const uint64_t left = BUDGET - j.evaluations;
        assert_true(left >= zilch_final_budget(&e.final, o));
        assert_int_equal(zilch_optimizer_recommend(o, objective, &j, &e.final, x, &found), ZILCH_OK);
        assert_true(j.evaluations <= BUDGET);
        zilch_optimizer_destroy(o);
    }
    assert_true(whole >= 6);
}

/* Without noise it is as if it had not been asked for. */
static void exact_values_are_not_evaluated_again(void **state)
{
    (void)state;
    unsigned char *state_of[2];
    size_t length[2];
    for (int k = 0; k < 2; k++) {
        zilch_optimizer *o = create(1);
        judge j = {.noise = 0.0};
        ending e;
        end_by(&e, k ? EACH : 0);
        assert_int_equal(zilch_optimizer_run(o, objective, &j, &e.limits, NULL, NULL, NULL), ZILCH_OK);
        assert_int_equal(zilch_optimizer_pack(o, NULL, 0, &length[k]), ZILCH_OK);
        state_of[k] = malloc(length[k]);
        assert_int_equal(zilch_optimizer_pack(o, state_of[k], length[k], &length[k]), ZILCH_OK);
        zilch_optimizer_destroy(o);
    }
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(state_of[0], state_of[1], length[0]);
    free(state_of[0]);
    free(state_of[1]);
}

static void assert_same(const zilch_optimizer *a, const zilch_optimizer *b)
{
    zilch_record of_a[DIM + 1];
    zilch_record of_b[DIM + 1];
    const size_t count = read_front(a, of_a);
    assert_int_equal(read_front(b, of_b), count);
    assert_memory_equal(of_a, of_b, count * sizeof *of_a);
    assert_int_equal(zilch_optimizer_progress(a).evaluations, zilch_optimizer_progress(b).evaluations);
    assert_int_equal(zilch_optimizer_progress(a).generations, zilch_optimizer_progress(b).generations);
}

/* An objective that fails at any call, and a file between: the result is the same. */
static void an_interruption_changes_nothing(void **state)
{
    (void)state;
    char path[] = "test_front.XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    zilch_optimizer *whole = create(1);
    judge j = {.noise = 0.5};
    ending e;
    size_t fronts = 0;
    end_by(&e, EACH);
    assert_int_equal(zilch_optimizer_run(whole, objective, &j, &e.limits, NULL, NULL, NULL), ZILCH_OK);
    for (uint64_t at = 1; at <= j.calls; at++) {
        zilch_optimizer *o = create(1);
        judge failing = {.noise = 0.5, .fails_at = at};
        assert_int_equal(zilch_optimizer_run(o, objective, &failing, &e.limits, NULL, NULL, NULL), ZILCH_EIO);
        fronts += (size_t)zi_front_is_open(o);
        assert_int_equal(zilch_optimizer_save(o, path), ZILCH_OK);
        zilch_optimizer_destroy(o);
        assert_int_equal(zilch_optimizer_load(&o, path), ZILCH_OK);
        assert_true(zi_optimizer_is_valid(o));
        assert_int_equal(zilch_optimizer_run(o, objective, &failing, &e.limits, NULL, NULL, NULL), ZILCH_OK);
        assert_same(whole, o);
        zilch_optimizer_destroy(o);
    }
    assert_true(fronts >= 2); /* generations of the front were among them */
    unlink(path);
    zilch_optimizer_destroy(whole);
}

/* Whoever asks and tells gets the same, and may ask for more than there is. */
static void it_can_be_asked_for(void **state)
{
    (void)state;
    uint64_t id[BUDGET];
    double x[BUDGET * DIM];
    double value[BUDGET];
    zilch_optimizer *run = create(2);
    zilch_optimizer *o = create(2);
    judge j = {.noise = 0.5};
    zilch_stop stop;
    size_t n;
    ending e;
    end_by(&e, EACH);
    assert_int_equal(zilch_optimizer_run(run, objective, &j, &e.limits, NULL, NULL, NULL), ZILCH_OK);
    e.final.final_front = 0;
    assert_int_equal(zilch_optimizer_open_front(o, &e.limits, &n), ZILCH_OK);
    assert_int_equal(n, 0);
    e.final.final_front = EACH;
    assert_int_equal(zilch_optimizer_open_front(o, &e.limits, &n), ZILCH_OK);
    assert_int_equal(n, 0); /* nothing is known yet */
    for (;;) {
        assert_int_equal(zilch_limits_reached(&e.limits, o, &stop), ZILCH_OK);
        if (stop == ZILCH_STOP_NONE) {
            assert_int_equal(zilch_optimizer_wanted(o, &n), ZILCH_OK);
            const uint64_t left = zilch_limits_left(&e.limits, o);
            n = n < left ? n : (size_t)left;
        } else {
            assert_int_equal(zilch_optimizer_open_front(o, &e.limits, &n), ZILCH_OK);
        }
        if (n == 0) {
            break;
        }
        const zilch_batch batch = {.n = n, .dim = DIM, .id = id, .x = x};
        assert_int_equal(zilch_optimizer_ask(o, n, id, x), ZILCH_OK);
        assert_int_equal(objective(&j, &batch, value), ZILCH_OK);
        assert_int_equal(zilch_optimizer_tell(o, n, id, value), ZILCH_OK);
        assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    }
    assert_same(run, o);
    zilch_optimizer_destroy(run);
    zilch_optimizer_destroy(o);
}

static void more_can_be_asked_for_than_it_has(void **state)
{
    (void)state;
    uint64_t id[BUDGET];
    double x[BUDGET * DIM];
    double value[BUDGET];
    zilch_optimizer *o = create(3);
    judge j = {.noise = 0.5};
    size_t n;
    ending e;
    end_by(&e, 0);
    assert_int_equal(zilch_optimizer_run(o, objective, &j, &e.limits, NULL, NULL, NULL), ZILCH_OK);
    end_by(&e, EACH);
    e.limits.evaluations = 2 * BUDGET;
    assert_int_equal(zilch_optimizer_open_front(o, &e.limits, &n), ZILCH_OK);
    assert_true(n > 0);
    const size_t all = n + 20;
    const zilch_batch batch = {.n = all, .dim = DIM, .id = id, .x = x};
    assert_int_equal(zilch_optimizer_ask(o, all, id, x), ZILCH_OK);
    assert_true(zi_optimizer_is_valid(o));
    assert_int_equal(objective(&j, &batch, value), ZILCH_OK);
    assert_int_equal(zilch_optimizer_tell(o, all, id, value), ZILCH_OK);
    assert_true(zi_optimizer_is_valid(o));
    assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
    zilch_optimizer_destroy(o);
}

static void it_needs_a_budget(void **state)
{
    (void)state;
    zilch_optimizer *o = create(1);
    judge j = {.noise = 0.5};
    size_t n;
    ending e;
    end_by(&e, EACH);
    e.limits.evaluations = 0;
    e.limits.generations = 3;
    assert_int_equal(zilch_optimizer_run(o, objective, &j, &e.limits, NULL, NULL, NULL), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "final_front needs evaluations"));
    assert_int_equal(zilch_optimizer_open_front(o, &e.limits, &n), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_open_front(NULL, &e.limits, &n), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_open_front(o, NULL, &n), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_open_front(o, &e.limits, NULL), ZILCH_EARG);
    zilch_optimizer_destroy(o);
}

static int is_in_order(const zilch_record *front, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (front[i].active <= front[i - 1].active || front[i].value >= front[i - 1].value) {
            return 0;
        }
    }
    return 1;
}

/* Leaving out coordinates may make a point that is in no archive. */
static void what_the_final_check_has_made_is_on_it(void **state)
{
    (void)state;
    zilch_optimizer *o = create(1);
    judge j = {.noise = 0.0};
    ending e;
    zilch_record plain[DIM + 1];
    zilch_record front[DIM + 2];
    size_t count;
    size_t place;
    end_by(&e, 0);
    assert_int_equal(zilch_optimizer_run(o, objective, &j, &e.limits, NULL, NULL, NULL), ZILCH_OK);
    const size_t before = read_front(o, plain);
    assert_true(before > 3);

    const zilch_record above = plain[2];
    zilch_recommendation made = {.point = above.point,
                                 .mean = above.value,
                                 .active = plain[1].active,
                                 .pruned = above.active - plain[1].active,
                                 .evaluations = 1};
    made.mean = 0.5 * (plain[1].value + above.value); /* better than what is as sparse */
    assert_int_equal(zilch_optimizer_front_with(o, &made, DIM + 2, front, &count, &place), ZILCH_OK);
    assert_int_equal(place, 1);
    assert_int_equal(count, before);
    assert_true(is_in_order(front, count) && front[1].value == made.mean);
    assert_int_equal(front[1].point, above.point);

    made.mean = plain[before - 1].value; /* as good as the best */
    assert_int_equal(zilch_optimizer_front_with(o, &made, DIM + 2, front, &count, &place), ZILCH_OK);
    assert_int_equal(count, 2);
    assert_true(place == 1 && is_in_order(front, count));

    made.mean = plain[1].value; /* no better than what is as sparse */
    assert_int_equal(zilch_optimizer_front_with(o, &made, DIM + 2, front, &count, &place), ZILCH_OK);
    assert_true(place == SIZE_MAX && count == before);

    made.mean = -1.0;
    made.violation = 0.1;
    assert_int_equal(zilch_optimizer_front_with(o, &made, DIM + 2, front, &count, &place), ZILCH_OK);
    assert_true(place == SIZE_MAX && count == before);
    made.violation = 0.0;
    made.pruned = 0; /* then it is in the archive */
    assert_int_equal(zilch_optimizer_front_with(o, &made, DIM + 2, front, &count, &place), ZILCH_OK);
    assert_true(place == SIZE_MAX && count == before);
    assert_int_equal(zilch_optimizer_front_with(o, &made, DIM + 1, front, &count, &place), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_front_with(o, NULL, DIM + 2, front, &count, &place), ZILCH_EARG);
    zilch_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_as_many_as_asked),
        cmocka_unit_test(exact_values_are_not_evaluated_again),
        cmocka_unit_test(an_interruption_changes_nothing),
        cmocka_unit_test(it_can_be_asked_for),
        cmocka_unit_test(more_can_be_asked_for_than_it_has),
        cmocka_unit_test(it_needs_a_budget),
        cmocka_unit_test(what_the_final_check_has_made_is_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
