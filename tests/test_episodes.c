/* Episodes: the runner against a world that is stepped by hand, bit for bit, however many threads and lanes
 * there are; its summary; its watcher; one that is recorded; and what is held out. */
#include "support.h"
#include "zilch.h"

#include <stdatomic.h>

enum { EPISODES = 37, FIRST = 1000 };

static double published[ZILCH_POLICY_PARAMETERS];

static int set_up(void **state)
{
    (void)state;
    return zilch_policy_parse(zilch_policy_published(), published) != ZILCH_OK;
}

static zilch_lander_options windy(void)
{
    zilch_lander_options o = zilch_lander_defaults();
    o.gravity = -9.0;
    o.wind = 1;
    return o;
}

/* One world, one step after the other. */
static zilch_episode by_hand(const double *parameters, const zilch_lander_options *options, uint64_t seed)
{
    zilch_lander *lander;
    zilch_world_view view;
    zilch_episode e = {0};
    assert_int_equal(zilch_lander_create(&lander, 1, options), ZILCH_OK);
    assert_int_equal(zilch_lander_reset(lander, 0, seed), ZILCH_OK);
    while (!*zilch_lander_terminated(lander) && !*zilch_lander_truncated(lander)) {
        double action[2];
        if (parameters) {
            zilch_policy_act(parameters, 1, zilch_lander_observations(lander), action);
        } else {
            zilch_lander_heuristic(1, zilch_lander_observations(lander), action);
        }
        assert_int_equal(zilch_lander_step(lander, action), ZILCH_OK);
        e.total += *zilch_lander_rewards(lander);
        e.steps++;
    }
    assert_int_equal(zilch_lander_view(lander, 0, &view), ZILCH_OK);
    e.ending = view.landing;
    zilch_lander_destroy(lander);
    return e;
}

static void check_run(const double *parameters, const zilch_lander_options *given)
{
    static const unsigned threads[] = {1, 3, 16, 0};
    static const unsigned lanes[] = {0, 1, 0, 4};
    zilch_lander_options options = *given;
    zilch_episode expected[EPISODES];
    for (size_t k = 0; k < EPISODES; k++) {
        expected[k] = by_hand(parameters, given, FIRST + k);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        zilch_episode found[EPISODES];
        options.lanes = lanes[i];
        assert_int_equal(
            zilch_episodes_run(parameters, &options, FIRST, EPISODES, threads[i], NULL, NULL, found),
            ZILCH_OK);
        for (size_t k = 0; k < EPISODES; k++) {
            assert_true(found[k].total == expected[k].total);
            assert_int_equal(found[k].steps, expected[k].steps);
            assert_int_equal(found[k].ending, expected[k].ending);
        }
    }
}

static void runs_are_as_by_hand(void **state)
{
    (void)state;
    const zilch_lander_options usual = zilch_lander_defaults();
    const zilch_lander_options other = windy();
    check_run(published, &usual);
    check_run(published, &other);
    check_run(NULL, &usual);
}

/* The last seed is the largest there is; one more episode would need another. */
static void runs_that_are_refused(void **state)
{
    (void)state;
    zilch_episode e[2];
    assert_int_equal(zilch_episodes_run(NULL, NULL, UINT64_MAX - 1, 2, 1, NULL, NULL, e), ZILCH_OK);
    assert_int_equal(zilch_episodes_run(NULL, NULL, UINT64_MAX, 2, 1, NULL, NULL, e), ZILCH_EARG);
    assert_int_equal(zilch_episodes_run(NULL, NULL, 0, 0, 1, NULL, NULL, e), ZILCH_EARG);
    assert_int_equal(zilch_episodes_run(NULL, NULL, 0, 2, 1, NULL, NULL, NULL), ZILCH_EARG);
    zilch_lander_options wrong = zilch_lander_defaults();
    wrong.gravity = 1;
    assert_int_equal(zilch_episodes_run(NULL, &wrong, 0, 2, 2, NULL, NULL, e), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "gravity"));
}

/* ---- Watching ------------------------------------------------------------------------------------ */

typedef struct watched {
    atomic_size_t calls, most;
    size_t last_call; /* the one that stops, once; 0: none does */
} watched;

static int watch(void *context, size_t done, size_t total)
{
    watched *w = context;
    const size_t call = atomic_fetch_add(&w->calls, 1) + 1;
    size_t most = atomic_load(&w->most);
    while (done > most && !atomic_compare_exchange_weak(&w->most, &most, done)) {
    }
    assert_int_equal(total, EPISODES);
    return call == w->last_call;
}

static void watchers_see_progress(void **state)
{
    (void)state;
    zilch_episode e[EPISODES];
    watched w = {.last_call = 0};
    assert_int_equal(zilch_episodes_run(published, NULL, 0, EPISODES, 3, watch, &w, e), ZILCH_OK);
    assert_true(w.most > 0 && w.most < EPISODES); /* it is asked before a step, and not after the last */
    assert_true(w.calls >= e[0].steps);
}

/* That one thread was told to stop is enough for all: none of them is told again. */
static void watchers_stop_all_threads(void **state)
{
    (void)state;
    zilch_episode e[EPISODES];
    watched w = {.last_call = 10};
    assert_int_equal(zilch_episodes_run(published, NULL, 0, EPISODES, 4, watch, &w, e), ZILCH_ESTOPPED);
    assert_string_equal(zilch_last_error(), "episodes: stopped");
    assert_true(w.calls < 50);
}

/* ---- Summary --------------------------------------------------------------------------------------- */

static void summaries(void **state)
{
    (void)state;
    const zilch_episode e[] = {{200.0, 10, ZILCH_LANDING_LANDED},
                               {-100.0, 20, ZILCH_LANDING_CRASHED},
                               {300.0, 30, ZILCH_LANDING_LANDED},
                               {199.0, 40, ZILCH_LANDING_TRUNCATED},
                               {1.0, 50, ZILCH_LANDING_OUT}};
    const double quartile[] = {-100.0, 1.0, 199.0, 200.0, 300.0};
    zilch_episodes_summary s;
    assert_int_equal(zilch_episodes_summarise(5, e, &s), ZILCH_OK);
    assert_int_equal(s.steps, 150);
    assert_double_equal(s.mean, 120.0, 1e-12);
    assert_double_equal(s.deviation, sqrt(107602.0 / 4.0), 1e-9);
    assert_double_equal(s.solved, 0.4, 1e-15); /* 200 is solved, 199 is not */
    for (int k = 0; k < ZILCH_QUARTILES; k++) {
        assert_true(s.quartile[k] == quartile[k]);
    }
    const size_t ending[ZILCH_LANDINGS] = {0, 2, 1, 1, 1};
    assert_memory_equal(s.ending, ending, sizeof ending);
    assert_int_equal(zilch_episodes_summarise(1, e, &s), ZILCH_OK);
    assert_true(s.mean == 200.0 && isnan(s.deviation) && s.quartile[0] == 200.0 && s.quartile[4] == 200.0);
    assert_int_equal(zilch_episodes_summarise(0, e, &s), ZILCH_EARG);
    assert_int_equal(zilch_episodes_summarise(1, NULL, &s), ZILCH_EARG);
    assert_int_equal(zilch_episodes_summarise(1, e, NULL), ZILCH_EARG);
}

/* ---- One episode ------------------------------------------------------------------------------------ */

static void records(void **state)
{
    (void)state;
    enum { ROOM = ZILCH_LANDER_MAX_STEPS + 1 };
    zilch_lander_frame *frame = malloc(ROOM * sizeof *frame);
    zilch_lander_frame *again = malloc(ROOM * sizeof *again);
    double *action = malloc(ROOM * 2 * sizeof *action);
    size_t steps;
    size_t repeated;
    assert_true(frame && again && action);
    const zilch_episode expected = by_hand(published, NULL, 7);
    const zilch_pilot pilot = {.parameters = published};
    assert_int_equal(zilch_episode_record(&pilot, NULL, 7, ROOM, frame, &steps), ZILCH_OK);
    assert_int_equal(steps, expected.steps);
    assert_true(frame[0].reward == 0.0 && frame[0].view.steps == 0);
    assert_true(frame[steps].total == expected.total);
    assert_true(frame[steps].terminated || frame[steps].truncated);
    assert_int_equal(frame[steps].view.landing, expected.ending);

    for (size_t k = 0; k < steps; k++) {
        zilch_policy_act(published, 1, frame[k].observation, action + 2 * k);
    }
    const zilch_pilot recorded = {.actions = action, .action_count = steps + 5}; /* more than it needs */
    assert_int_equal(zilch_episode_record(&recorded, NULL, 7, ROOM, again, &repeated), ZILCH_OK);
    assert_int_equal(repeated, steps);
    assert_true(again[steps].total == frame[steps].total);

    const zilch_pilot few = {.actions = action, .action_count = 3};
    assert_int_equal(zilch_episode_record(&few, NULL, 7, ROOM, again, &repeated), ZILCH_OK);
    assert_int_equal(repeated, 3);
    assert_int_equal(zilch_episode_record(&pilot, NULL, 7, 5, again, &repeated), ZILCH_OK); /* no more room */
    assert_int_equal(repeated, 4);
    assert_true(again[4].total == frame[4].total && again[3].total == frame[3].total);

    const zilch_pilot heuristic = {0};
    assert_int_equal(zilch_episode_record(&heuristic, NULL, 7, ROOM, again, &repeated), ZILCH_OK);
    assert_true(again[repeated].total == by_hand(NULL, NULL, 7).total);
    assert_int_equal(zilch_episode_record(NULL, NULL, 7, ROOM, again, &repeated), ZILCH_EARG);
    assert_int_equal(zilch_episode_record(&pilot, NULL, 7, 0, again, &repeated), ZILCH_EARG);
    free(frame);
    free(again);
    free(action);
}

/* ---- Held out ----------------------------------------------------------------------------------------- */

/* Episodes of seeds 0, 1, ... in the problem's own world. */
static void landers_are_held_out_on_low_seeds(void **state)
{
    (void)state;
    const zilch_lander_options options = windy();
    zilch_episode e[EPISODES];
    zilch_episodes_summary s;
    zilch_problem *problem;
    double mean;
    double error;
    assert_int_equal(zilch_episodes_run(published, &options, 0, EPISODES, 1, NULL, NULL, e), ZILCH_OK);
    assert_int_equal(zilch_episodes_summarise(EPISODES, e, &s), ZILCH_OK);
    assert_int_equal(zilch_problem_open(&problem, "lander:gravity=-9,wind=1,episodes=2", 5), ZILCH_OK);
    assert_int_equal(zilch_problem_held_out(problem, published, EPISODES, 2, NULL, NULL, &mean, &error),
                     ZILCH_OK);
    assert_true(mean == s.mean);
    assert_true(error == s.deviation / sqrt(EPISODES));
    watched w = {.last_call = 3};
    assert_int_equal(zilch_problem_held_out(problem, published, EPISODES, 1, watch, &w, &mean, &error),
                     ZILCH_ESTOPPED);
    zilch_problem_close(problem);
}

/* The other problems have noise that follows from the ids; those of 3 * 2^62 and above are no search's. */
static void other_noise_is_held_out_by_ids(void **state)
{
    (void)state;
    enum { VALUES = 100 };
    zilch_problem *problem;
    uint64_t id[VALUES];
    double x[VALUES * 10] = {0};
    double value[VALUES];
    double mean;
    double error;
    zilch_tally t = {0};
    assert_int_equal(zilch_problem_open(&problem, "sphere:dim=10,noise=0.5", 3), ZILCH_OK);
    for (size_t i = 0; i < VALUES; i++) {
        id[i] = (UINT64_C(3) << 62) + i;
        x[i * 10 + 4] = 0.25;
    }
    const zilch_batch batch = {.n = VALUES, .dim = 10, .generation = UINT64_MAX, .id = id, .x = x};
    assert_int_equal(zilch_problem_objective(problem, &batch, value), ZILCH_OK);
    for (size_t i = 0; i < VALUES; i++) {
        zilch_tally_add(&t, value[i]);
    }
    for (unsigned threads = 0; threads < 4; threads++) {
        assert_int_equal(zilch_problem_held_out(problem, x, VALUES, threads, NULL, NULL, &mean, &error),
                         ZILCH_OK);
        assert_double_equal(mean, t.mean, 1e-12);
        assert_double_equal(error, zilch_tally_deviation(&t) / 10.0, 1e-12);
    }
    assert_int_equal(zilch_problem_held_out(problem, x, 1, 1, NULL, NULL, &mean, &error), ZILCH_OK);
    assert_true(mean == value[0] && isnan(error));
    x[0] = NAN;
    assert_int_equal(zilch_problem_held_out(problem, x, 1, 1, NULL, NULL, &mean, &error), ZILCH_EARG);
    assert_int_equal(zilch_problem_held_out(problem, x, 0, 1, NULL, NULL, &mean, &error), ZILCH_EARG);
    zilch_problem_close(problem);
}

static void without_noise_nothing_is_held_out(void **state)
{
    (void)state;
    zilch_problem *problem;
    double mean;
    double error;
    const double x[10] = {0};
    assert_int_equal(zilch_problem_open(&problem, "sphere:dim=10", 3), ZILCH_OK);
    assert_int_equal(zilch_problem_held_out(problem, x, 10, 1, NULL, NULL, &mean, &error), ZILCH_ESTATE);
    zilch_problem_close(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_as_by_hand),
        cmocka_unit_test(runs_that_are_refused),
        cmocka_unit_test(watchers_see_progress),
        cmocka_unit_test(watchers_stop_all_threads),
        cmocka_unit_test(summaries),
        cmocka_unit_test(records),
        cmocka_unit_test(landers_are_held_out_on_low_seeds),
        cmocka_unit_test(other_noise_is_held_out_by_ids),
        cmocka_unit_test(without_noise_nothing_is_held_out),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
