/* What can be seen of a generation that is still open: the same as if it closed. */
#include "search_support.h"
#include "zilch.h"

enum { DIM = 6, POPULATION = 20 };

static double value_of(const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < DIM; i++) {
        sum += (x[i] - (i == 2 ? 1.0 : 0.0)) * (x[i] - (i == 2 ? 1.0 : 0.0));
    }
    return sum;
}

static void expect_same_record(const zilch_record *a, const zilch_record *b)
{
    assert_int_equal(a->point, b->point);
    assert_true(a->value == b->value && a->fitness == b->fitness && a->violation == b->violation);
    assert_int_equal(a->active, b->active);
    assert_int_equal(a->evaluations, b->evaluations);
    assert_int_equal(a->failures, b->failures);
}

/* A copy closes its generation; the original must show the same best points and front without that. */
static void expect_as_if_closed(const zilch_optimizer *o)
{
    enum { MOST = 50 };
    zilch_optimizer *closed = copy_of(o);
    zilch_record shown[MOST], seen[MOST];
    size_t count, same;
    double x[DIM], y[DIM];
    assert_int_equal(zilch_optimizer_advance(closed), ZILCH_OK);
    assert_int_equal(zilch_optimizer_top(o, MOST, shown, &count), ZILCH_OK);
    assert_int_equal(zilch_optimizer_top(closed, MOST, seen, &same), ZILCH_OK);
    assert_int_equal(count, same);
    for (size_t i = 0; i < count; i++) {
        expect_same_record(&shown[i], &seen[i]);
        assert_int_equal(zilch_optimizer_point(o, shown[i].point, x, NULL), ZILCH_OK);
        assert_int_equal(zilch_optimizer_point(closed, seen[i].point, y, NULL), ZILCH_OK);
        assert_memory_equal(x, y, sizeof x);
    }
    assert_int_equal(zilch_optimizer_front(o, MOST, shown, &count), ZILCH_OK);
    assert_int_equal(zilch_optimizer_front(closed, MOST, seen, &same), ZILCH_OK);
    assert_int_equal(count, same);
    for (size_t i = 0; i < count; i++) {
        expect_same_record(&shown[i], &seen[i]);
    }
    if (count) {
        assert_int_equal(zilch_optimizer_best(o, x, shown), ZILCH_OK);
        assert_int_equal(zilch_optimizer_best(closed, y, seen), ZILCH_OK);
        expect_same_record(shown, seen);
        assert_memory_equal(x, y, sizeof x);
    }
    zilch_optimizer_destroy(closed);
}

/* Values come one by one, some fail, and elites are evaluated again. */
static void what_is_told_is_seen(void **state)
{
    const zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, POPULATION, 5);
    zilch_optimizer *o = create_with(DIM, 1, &options);
    uint64_t id[POPULATION];
    double x[POPULATION * DIM];
    (void)state;
    for (int g = 0; g < 4; g++) {
        assert_int_equal(zilch_optimizer_ask(o, POPULATION, id, x), ZILCH_OK);
        for (size_t i = 0; i + 1 < POPULATION; i++) { /* the last stays out */
            const double value = i % 7 == 6 ? NAN : value_of(x + (POPULATION - 1 - i) * DIM);
            const uint64_t one = id[POPULATION - 1 - i];
            assert_int_equal(zilch_optimizer_tell(o, 1, &one, &value), ZILCH_OK);
            expect_as_if_closed(o);
        }
        assert_int_equal(zilch_optimizer_advance(o), ZILCH_OK);
        const double late = value_of(x);
        assert_int_equal(zilch_optimizer_tell(o, 1, id, &late), ZILCH_OK); /* a straggler */
        zilch_record best;
        assert_int_equal(zilch_optimizer_best(o, NULL, &best), ZILCH_OK);
        assert_true(best.value <= late);
    }
    zilch_optimizer_destroy(o);
}

/* A point from elsewhere is seen before the first generation. Looking changes nothing of what follows. */
static void looking_changes_nothing(void **state)
{
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, POPULATION, 5);
    zilch_optimizer *o = create_with(DIM, 1, &options);
    static const double first[DIM] = {0.0, 0.0, 0.5};
    zilch_record best;
    double x[DIM];
    (void)state;
    assert_int_equal(zilch_optimizer_best(o, NULL, &best), ZILCH_ESTATE);
    assert_int_equal(zilch_optimizer_point(o, 0, x, &best), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_tell_point(o, first, 0.25), ZILCH_OK);
    zilch_optimizer *unseen = copy_of(o);
    assert_int_equal(zilch_optimizer_best(o, x, &best), ZILCH_OK);
    assert_memory_equal(x, first, sizeof x);
    assert_true(best.value == 0.25);
    assert_int_equal(zilch_optimizer_point(o, 1, x, &best), ZILCH_EARG);
    assert_true(isnan(zilch_optimizer_progress(o).best_value)); /* the archive has it not yet */
    zilch_optimizer *both[] = {o, unseen};
    for (int k = 0; k < 2; k++) {
        uint64_t id[POPULATION];
        double points[POPULATION * DIM];
        double value[POPULATION];
        assert_int_equal(zilch_optimizer_ask(both[k], POPULATION, id, points), ZILCH_OK);
        for (size_t i = 0; i < POPULATION; i++) {
            value[i] = value_of(points + i * DIM);
        }
        assert_int_equal(zilch_optimizer_tell(both[k], 7, id, value), ZILCH_OK);
        if (k == 0) {
            expect_as_if_closed(o);
        }
        assert_int_equal(zilch_optimizer_tell(both[k], POPULATION - 7, id + 7, value + 7), ZILCH_OK);
    }
    size_t lengths[2];
    void *bytes[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(zilch_optimizer_pack(both[k], NULL, 0, &lengths[k]), ZILCH_OK);
        bytes[k] = malloc(lengths[k]);
        assert_int_equal(zilch_optimizer_pack(both[k], bytes[k], lengths[k], &lengths[k]), ZILCH_OK);
    }
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    for (int k = 0; k < 2; k++) {
        free(bytes[k]);
        zilch_optimizer_destroy(both[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_is_seen),
        cmocka_unit_test(looking_changes_nothing),
    };
    return cmocka_run_group_tests_name("preview", tests, NULL, NULL);
}
