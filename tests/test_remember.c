/* Searches that are made for many coordinates: laws of factors and of none, and an archive that forgets all
 * but the best points. Interrupted anywhere, in memory or in a study, they go on as if they had not been. */
#include "search_support.h"
#include "zilch.h"

enum { DIMENSION = 20, POPULATION = 30, ELITES = 8, REMEMBERED = 10, GENERATIONS = 9 };

static zilch_optimizer_options options_of(zilch_structure structure, size_t remember)
{
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, POPULATION, ELITES);
    options.structure = structure;
    options.rank = 3;
    options.archive_size = remember;
    return options;
}

static zilch_optimizer *search_of(zilch_structure structure, size_t remember)
{
    const zilch_optimizer_options options = options_of(structure, remember);
    return create_with(DIMENSION, 5, &options);
}

/* The next generation's points; their values, without noise, are told from the last to the first if
 * `is_back`. */
static void step(zilch_optimizer *o, int is_back, double *x)
{
    uint64_t id[POPULATION];
    assert_int_equal(zilch_optimizer_ask(o, POPULATION, id, x), ZILCH_OK);
    for (size_t i = 0; i < POPULATION; i++) {
        const size_t k = is_back ? POPULATION - 1 - i : i;
        const double value = distance_of(DIMENSION, x + k * DIMENSION);
        assert_int_equal(zilch_optimizer_tell(o, 1, &id[k], &value), ZILCH_OK);
    }
    assert_true(zi_optimizer_is_valid(o));
}

/* The same points, whatever order values are told in, and after a copy through bytes in any generation. */
static void order_and_copies_change_nothing(void **state)
{
    (void)state;
    for (int structure = 0; structure < 3; structure++) {
        for (size_t remember = 0; remember <= REMEMBERED; remember += REMEMBERED) {
            zilch_optimizer *a = search_of((zilch_structure)structure, remember);
            zilch_optimizer *b = search_of((zilch_structure)structure, remember);
            for (size_t g = 0; g < GENERATIONS; g++) {
                double x[POPULATION * DIMENSION], y[POPULATION * DIMENSION];
                step(a, 0, x);
                step(b, 1, y);
                assert_memory_equal(x, y, sizeof x);
                zilch_optimizer *copy = copy_of(b);
                zilch_optimizer_destroy(b);
                b = copy;
            }
            zilch_optimizer_destroy(a);
            zilch_optimizer_destroy(b);
        }
    }
}

static size_t find_point(const zilch_optimizer *o, const double *x, zilch_record *out)
{
    size_t found = 0;
    for (uint64_t point = 0; point < zilch_optimizer_progress(o).points; point++) {
        double y[DIMENSION];
        zilch_record record;
        if (zilch_optimizer_point(o, point, y, &record) == ZILCH_OK && memcmp(x, y, sizeof y) == 0) {
            *out = record;
            found++;
        }
    }
    return found;
}

/* Without noise a point that is no elite never is one again: what is forgotten is not missed. Drawn once
 * more, it counts as another point. */
static void forgetting_changes_no_point(void **state)
{
    (void)state;
    zilch_optimizer *all = search_of(ZILCH_STRUCTURE_LOW_RANK, 0);
    zilch_optimizer *best = search_of(ZILCH_STRUCTURE_LOW_RANK, REMEMBERED);
    for (size_t g = 0; g < GENERATIONS; g++) {
        double x[POPULATION * DIMENSION], y[POPULATION * DIMENSION];
        step(all, 0, x);
        step(best, 0, y);
        assert_memory_equal(x, y, sizeof x);
        const zilch_progress p = zilch_optimizer_progress(all);
        const zilch_progress q = zilch_optimizer_progress(best);
        assert_true(p.points <= q.points && q.points <= q.evaluations);
        assert_true(p.best_value == q.best_value && p.best_active == q.best_active);
    }
    size_t remembered = 0;
    for (uint64_t point = 0; point < zilch_optimizer_progress(best).points; point++) {
        double x[DIMENSION];
        zilch_record a = {0}, b;
        assert_int_equal(zilch_optimizer_point(best, point, NULL, &b), ZILCH_OK);
        assert_true(isfinite(b.value) && b.evaluations > 0 && b.active <= DIMENSION);
        const zilch_status status = zilch_optimizer_point(best, point, x, &b);
        if (status == ZILCH_OK) {
            remembered++;
            assert_int_equal(find_point(best, x, &b), 1);
            assert_int_equal(find_point(all, x, &a), 1);
            assert_true(a.value == b.value && a.active == b.active);
        } else {
            assert_int_equal(status, ZILCH_ESTATE);
            assert_non_null(strstr(zilch_last_error(), "were dropped; archive_size is 10"));
        }
    }
    assert_int_equal(remembered, REMEMBERED);
    zilch_record top[REMEMBERED + 1], whole[REMEMBERED];
    size_t count;
    assert_int_equal(zilch_optimizer_top(all, REMEMBERED, whole, &count), ZILCH_OK);
    assert_int_equal(zilch_optimizer_top(best, REMEMBERED + 1, top, &count), ZILCH_OK);
    assert_int_equal(count, REMEMBERED);
    for (size_t i = 0; i < REMEMBERED; i++) {
        assert_true(top[i].value == whole[i].value);
    }
    zilch_optimizer_destroy(all);
    zilch_optimizer_destroy(best);
}

/* After a restart the new points are worse than the old ones, and must not be forgotten for that. */
static void a_restart_is_not_forgotten(void **state)
{
    (void)state;
    zilch_optimizer_options options = options_of(ZILCH_STRUCTURE_DIAGONAL, ELITES);
    zilch_optimizer *o = create_with(DIMENSION, 5, &options);
    double x[POPULATION * DIMENSION];
    uint64_t id[POPULATION];
    for (size_t g = 0; g < 14; g++) {
        assert_int_equal(zilch_optimizer_ask(o, POPULATION, id, x), ZILCH_OK);
        for (size_t i = 0; i < POPULATION; i++) { /* better never again */
            const double value = 100.0 * (double)g + distance_of(DIMENSION, x + i * DIMENSION);
            assert_int_equal(zilch_optimizer_tell(o, 1, &id[i], &value), ZILCH_OK);
        }
        restart_if_stalled(o, 2);
        assert_true(zi_optimizer_is_valid(o));
    }
    assert_true(zilch_optimizer_progress(o).restarts >= 2);
    size_t elite[ELITES];
    assert_true(zi_archive_select(&o->archive, o->epoch.first_id, ELITES, elite) == ELITES ||
                o->epoch.begin == o->generations);
    zilch_optimizer_destroy(o);
}

/* ---- Studies ------------------------------------------------------------------------------------ */

typedef struct counted {
    size_t with, without;
} counted;

static zilch_status count_points(void *context, const zilch_evaluation *e)
{
    counted *c = context;
    c->with += e->x != NULL;
    c->without += e->x == NULL;
    assert_true(!e->x || active_of(DIMENSION, e->x) == e->active);
    return ZILCH_OK;
}

static void a_study_forgets_too_and_goes_on(void **state)
{
    (void)state;
    char path[] = "remember_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    zilch_study *study;
    uint64_t run;
    zilch_optimizer *a = search_of(ZILCH_STRUCTURE_LOW_RANK, REMEMBERED);
    zilch_optimizer *b = search_of(ZILCH_STRUCTURE_LOW_RANK, REMEMBERED);
    assert_int_equal(zilch_study_open(&study, path, ZILCH_STUDY_CREATE), ZILCH_OK);
    assert_int_equal(zilch_study_start(study, NULL, b, &run), ZILCH_OK);
    for (size_t g = 0; g < GENERATIONS; g++) {
        double x[POPULATION * DIMENSION], y[POPULATION * DIMENSION];
        step(a, 0, x);
        step(b, 0, y);
        assert_memory_equal(x, y, sizeof x);
        assert_int_equal(zilch_study_record(study, run, b, NULL), ZILCH_OK);
        zilch_optimizer_destroy(b);
        if (zilch_study_resume(study, run, &b) != ZILCH_OK) {
            fail_msg("%s", zilch_last_error());
        }
        assert_true(zi_optimizer_is_valid(b));
    }
    counted c = {0};
    assert_int_equal(zilch_study_evaluations(study, run, count_points, &c), ZILCH_OK);
    assert_true(c.without > 0 && c.with >= REMEMBERED);
    assert_int_equal(c.with + c.without, GENERATIONS * POPULATION);
    zilch_study_close(study);
    zilch_optimizer_destroy(a);
    zilch_optimizer_destroy(b);
    unlink(path);
}

/* ---- What is refused ----------------------------------------------------------- */

static void is_refused(size_t dim, const zilch_optimizer_options *options, const char *why)
{
    zilch_optimizer *o;
    assert_int_equal(zilch_optimizer_create(&o, dim, 1, options), ZILCH_EARG);
    assert_null(o);
    if (!strstr(zilch_last_error(), why)) {
        fail_msg("%s", zilch_last_error());
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    zilch_optimizer_options options = options_of(ZILCH_STRUCTURE_FULL, ELITES - 1);
    is_refused(DIMENSION, &options, "archive_size must be 0, for all, or at least the 8 elites");
    options = options_of(ZILCH_STRUCTURE_FULL, 0);
    is_refused(20000, &options, "structure low-rank");
    options.structure = ZILCH_STRUCTURE_DIAGONAL;
    is_refused(1000001, &options, "1 to 1000000");
    options.method = ZILCH_METHOD_EA; /* which has no correlations */
    options.structure = ZILCH_STRUCTURE_FULL;
    zilch_optimizer_destroy(create_with(20000, 1, &options));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_copies_change_nothing), cmocka_unit_test(forgetting_changes_no_point),
        cmocka_unit_test(a_restart_is_not_forgotten),      cmocka_unit_test(a_study_forgets_too_and_goes_on),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
