/* What a card gives beside what the library gives, bit for bit: whole episodes of many controllers, and
 * worlds that are stepped from outside. On a real card, a million episodes; on the stand-in for one
 * (standin.cpp), fewer, and what happens without memory, without a card, and when a card is lost. */
#include "support.h"
#include "zilch_cuda.h"

#include <unistd.h>

enum { SKIPPED = 77, POLICIES = 4 };

static int is_standin;

static zilch_cuda *open_card(void)
{
    zilch_cuda *card;
    if (zilch_cuda_open(&card, 0) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return card;
}

/* ---- Controllers --------------------------------------------------------------------------------------- */

/* One that a search has found, in the usual form. */
static const char searched[] = "a_main = -0.9 y - 2.5 vy - 0.7 l1 + 1.9 y l2\n"
                               "a_side = 0.4 + 3.1 theta - 2.2 vx + 2.9 omega - 1.1 x vy\n";

/* The published one, one that was searched, and others of some terms each. */
static void make_policies(double *parameters)
{
    zilch_rng rng = zilch_rng_make(5, 0);
    double *at = parameters;
    assert_int_equal(zilch_policy_parse(zilch_policy_published(), at), ZILCH_OK);
    at += ZILCH_POLICY_PARAMETERS;
    assert_int_equal(zilch_policy_parse(searched, at), ZILCH_OK);
    for (at += ZILCH_POLICY_PARAMETERS; at < parameters + POLICIES * ZILCH_POLICY_PARAMETERS; at++) {
        const int is_active = zilch_rng_uniform(&rng) < 0.2;
        const double value = 3.0 * zilch_rng_normal(&rng);
        *at = is_active ? value : 0.0;
    }
}

/* ---- Episodes -------------------------------------------------------------------------------------------
 */

static void expect_same(const zilch_episode *card, const zilch_episode *own, size_t first, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (memcmp(&card[first + k].total, &own[k].total, sizeof own[k].total) != 0 ||
            card[first + k].steps != own[k].steps || card[first + k].ending != own[k].ending) {
            fail_msg("episode %zu: %.17g in %u steps, %s; the library has %.17g in %u, %s", first + k,
                     card[first + k].total, card[first + k].steps, zilch_landing_name(card[first + k].ending),
                     own[k].total, own[k].steps, zilch_landing_name(own[k].ending));
        }
    }
}

/* `each` episodes of each controller; none: as many of the heuristic. */
static void compare(zilch_cuda *card, const double *parameters, size_t policies, size_t each,
                    const zilch_lander_options *options, uint64_t first_seed)
{
    const size_t count = (policies ? policies : 1) * each;
    zilch_episode *flown = calloc(count, sizeof *flown);
    zilch_episode *own = calloc(each, sizeof *own);
    uint64_t *seed = calloc(count, sizeof *seed);
    assert_true(flown && own && seed);
    for (size_t k = 0; k < count; k++) {
        seed[k] = first_seed + k % each;
    }
    const zilch_flights flights = {.count = count,
                                   .each = each,
                                   .parameters = policies ? parameters : NULL,
                                   .seed = seed,
                                   .options = options};
    if (zilch_cuda_fly(card, &flights, flown) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    for (size_t i = 0; i * each < count; i++) {
        const double *at = policies ? parameters + i * ZILCH_POLICY_PARAMETERS : NULL;
        assert_int_equal(zilch_episodes_run(at, options, first_seed, each, 0, NULL, NULL, own), ZILCH_OK);
        expect_same(flown, own, i * each, each);
    }
    free(flown);
    free(own);
    free(seed);
}

static zilch_lander_options windy(void)
{
    zilch_lander_options o = zilch_lander_defaults();
    o.wind = 1;
    o.gravity = -9.5;
    o.wind_power = 18.0;
    o.turbulence_power = 1.75;
    return o;
}

/* Few worlds, and so many that they go another way. */
static void episodes_have_the_same_bits(void **state)
{
    (void)state;
    const size_t sizes[] = {is_standin ? 5 : 500, is_standin ? 90 : 111000};
    double parameters[POLICIES * ZILCH_POLICY_PARAMETERS];
    zilch_cuda *card = open_card();
    const zilch_lander_options wind = windy();
    make_policies(parameters);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        compare(card, parameters, POLICIES, sizes[i], NULL, 0);
        compare(card, parameters, POLICIES, sizes[i], &wind, UINT64_C(1) << 63);
        compare(card, NULL, 0, sizes[i], NULL, 1000000);
        compare(card, NULL, 0, sizes[i], &wind, 2000000);
    }
    zilch_cuda_close(card);
}

static void short_episodes_are_cut(void **state)
{
    (void)state;
    double parameters[POLICIES * ZILCH_POLICY_PARAMETERS];
    zilch_lander_options o = zilch_lander_defaults();
    zilch_cuda *card = open_card();
    make_policies(parameters);
    for (o.max_steps = 1; o.max_steps < 80; o.max_steps += 39) {
        compare(card, parameters, POLICIES, 7, &o, 3);
    }
    zilch_cuda_close(card);
}

static int stop_at_once(void *context, size_t done, size_t total)
{
    size_t *seen = context;
    assert_true(done <= total && total == 9);
    return ++*seen == 2;
}

static void a_watcher_stops_it(void **state)
{
    (void)state;
    zilch_cuda *card = open_card();
    const uint64_t seed[9] = {0};
    zilch_episode out[9];
    size_t seen = 0;
    const zilch_flights flights = {
        .count = 9, .each = 9, .seed = seed, .watch = stop_at_once, .watch_context = &seen};
    assert_int_equal(zilch_cuda_fly(card, &flights, out), ZILCH_ESTOPPED);
    assert_int_equal(seen, 2);
    compare(card, NULL, 0, 4, NULL, 0); /* and then as before */
    zilch_cuda_close(card);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    zilch_cuda *card = open_card();
    const uint64_t seed = 0;
    zilch_episode out;
    zilch_lander_options o = windy();
    zilch_flights f = {.count = 1, .each = 1, .seed = &seed, .options = &o};
    o.max_steps = 100001;
    assert_int_equal(zilch_cuda_fly(card, &f, &out), ZILCH_EARG);
    assert_non_null(strstr(zilch_last_error(), "from 1 to 100000 on a card"));
    o.max_steps = 1;
    assert_int_equal(zilch_cuda_fly(card, &f, &out), ZILCH_OK);
    o.gravity = 1.0;
    assert_int_equal(zilch_cuda_fly(card, &f, &out), ZILCH_EARG);
    f.each = 0;
    assert_int_equal(zilch_cuda_fly(card, &f, &out), ZILCH_EARG);
    assert_int_equal(zilch_cuda_fly(NULL, &f, &out), ZILCH_EARG);
    assert_int_equal(zilch_cuda_open(NULL, 0), ZILCH_EARG);
    assert_int_equal(zilch_cuda_open(&(zilch_cuda *){NULL}, 1000), ZILCH_EARG);
    assert_int_equal(zilch_cuda_count(NULL), ZILCH_EARG);
    zilch_cuda_close(card);
    zilch_cuda_close(NULL);
}

/* ---- Worlds for a learner -------------------------------------------------------------------------------
 */

/* Worlds on the card and in the library. Actions must be on the card, where this program, which has no CUDA,
 * cannot put them: they are what is seen of other worlds there, which are reset again and again. */
typedef struct pair {
    zilch_cuda_lander *card, *other;
    zilch_lander *own;
    size_t worlds;
    uint64_t *seed;
    float *seen;
    double *actions;
} pair;

static pair make_pair(zilch_cuda *card, size_t worlds, const zilch_lander_options *options)
{
    pair p = {.worlds = worlds};
    p.seed = calloc(worlds, sizeof *p.seed);
    p.seen = calloc(8 * worlds, sizeof *p.seen);
    p.actions = calloc(2 * worlds, sizeof *p.actions);
    assert_true(p.seed && p.seen && p.actions);
    assert_int_equal(zilch_cuda_lander_create(&p.other, card, worlds, NULL), ZILCH_OK);
    assert_int_equal(zilch_cuda_lander_create(&p.card, card, worlds, options), ZILCH_OK);
    assert_int_equal(zilch_lander_create(&p.own, worlds, options), ZILCH_OK);
    assert_int_equal(zilch_cuda_lander_worlds(p.card), worlds);
    for (size_t i = 0; i < worlds; i++) {
        p.seed[i] = 100 + 3 * i;
        assert_int_equal(zilch_lander_reset(p.own, i, p.seed[i]), ZILCH_OK);
    }
    assert_int_equal(zilch_cuda_lander_reset(p.card, NULL, NULL), ZILCH_ESTATE);
    assert_int_equal(zilch_cuda_lander_reset(p.card, NULL, p.seed), ZILCH_OK);
    return p;
}

static void free_pair(pair *p)
{
    zilch_cuda_lander_destroy(p->other);
    zilch_cuda_lander_destroy(p->card);
    zilch_lander_destroy(p->own);
    free(p->seed);
    free(p->seen);
    free(p->actions);
}

static void expect_same_worlds(const pair *p)
{
    const size_t n = p->worlds;
    float *observation = calloc(8 * n, sizeof *observation);
    double *reward = calloc(n, sizeof *reward);
    unsigned char *flags = calloc(2 * n, 1);
    assert_true(observation && reward && flags);
    assert_int_equal(zilch_cuda_lander_read(p->card, observation, reward, flags, flags + n), ZILCH_OK);
    assert_memory_equal(observation, zilch_lander_observations(p->own), 8 * n * sizeof *observation);
    assert_memory_equal(reward, zilch_lander_rewards(p->own), n * sizeof *reward);
    assert_memory_equal(flags, zilch_lander_terminated(p->own), n);
    assert_memory_equal(flags + n, zilch_lander_truncated(p->own), n);
    free(observation);
    free(reward);
    free(flags);
}

static int is_over(const pair *p, size_t i)
{
    return zilch_lander_terminated(p->own)[i] || zilch_lander_truncated(p->own)[i];
}

/* The same step by the library. Worlds that have ended are begun anew after it, as they do not move in it. */
static void step_own(const pair *p, const double *actions, int restart)
{
    unsigned char *ended = calloc(p->worlds, 1);
    assert_non_null(ended);
    for (size_t i = 0; i < p->worlds; i++) {
        ended[i] = (unsigned char)is_over(p, i);
    }
    assert_int_equal(zilch_lander_step(p->own, actions), ZILCH_OK);
    for (size_t i = 0; i < p->worlds; i++) {
        if (ended[i] && restart) {
            assert_int_equal(zilch_lander_restart(p->own, i), ZILCH_OK);
        }
    }
    free(ended);
}

/* One step of both. */
static void step_both(pair *p, int restart)
{
    for (size_t i = 0; i < p->worlds; i++) {
        p->seed[i] += 7 * p->worlds;
    }
    assert_int_equal(zilch_cuda_lander_reset(p->other, NULL, p->seed), ZILCH_OK);
    assert_int_equal(zilch_cuda_lander_read(p->other, p->seen, NULL, NULL, NULL), ZILCH_OK);
    for (size_t i = 0; i < 2 * p->worlds; i++) {
        p->actions[i] = (double)p->seen[i];
    }
    assert_int_equal(
        zilch_cuda_lander_step(p->card, ZILCH_CUDA_FLOATS, zilch_cuda_lander_observations(p->other), restart),
        ZILCH_OK);
    step_own(p, p->actions, restart);
}

static void worlds_have_the_same_bits(void **state)
{
    (void)state;
    const size_t sizes[] = {33, is_standin ? 300 : 40000};
    const int steps = is_standin ? 130 / SLOWNESS : 400;
    const zilch_lander_options wind = windy();
    zilch_cuda *card = open_card();
    for (size_t k = 0; k < COUNT(sizes); k++) {
        pair p = make_pair(card, sizes[k], k ? NULL : &wind);
        expect_same_worlds(&p);
        for (int step = 0; step < steps; step++) {
            step_both(&p, step % 40 < 30);
            if (step % 10 == 9 || is_standin) {
                expect_same_worlds(&p);
            }
        }
        free_pair(&p);
    }
    zilch_cuda_close(card);
}

/* Those whose flag is set: the mask is the card's own array of flags. */
static void masks_choose_worlds(void **state)
{
    (void)state;
    zilch_cuda *card = open_card();
    pair p = make_pair(card, 50, NULL);
    size_t ended = 0;
    for (int step = 0; step < 200; step++) {
        step_both(&p, 0);
        assert_int_equal(zilch_cuda_lander_reset(p.card, zilch_cuda_lander_terminated(p.card), NULL),
                         ZILCH_OK);
        for (size_t i = 0; i < p.worlds; i++) {
            if (zilch_lander_terminated(p.own)[i]) {
                ended++;
                assert_int_equal(zilch_lander_restart(p.own, i), ZILCH_OK);
            }
        }
    }
    expect_same_worlds(&p);
    assert_true(ended >= 50);
    free_pair(&p);
    zilch_cuda_close(card);
}

/* The forms of actions, in memory of the stand-in's, which is the host's. */
static void actions_have_three_forms(void **state)
{
    (void)state;
    if (!is_standin) {
        skip();
    }
    enum { N = 6 };
    static const double given[2 * N] = {0.0, 0.0, 1.0, 0.0, 0.3, -0.9, NAN, 0.7, 0.0, 1.0, 2.0, -2.0};
    static const int64_t choice[N] = {0, 1, 2, 3, 4, -1};
    zilch_cuda *card = open_card();
    pair p = make_pair(card, N, NULL);
    double actions[2 * N];
    for (int step = 0; step < 20; step++) {
        assert_int_equal(zilch_cuda_lander_step(p.card, ZILCH_CUDA_DOUBLES, given, 1), ZILCH_OK);
        for (size_t i = 0; i < COUNT(given); i++) {
            actions[i] = isnan(given[i]) ? 0.0 : given[i];
        }
        step_own(&p, actions, 1);
        expect_same_worlds(&p);
        assert_int_equal(zilch_cuda_lander_step(p.card, ZILCH_CUDA_CHOICES, choice, 1), ZILCH_OK);
        for (size_t i = 0; i < N; i++) {
            const unsigned known = choice[i] >= 0 && choice[i] < 4 ? (unsigned)choice[i] : 0;
            assert_int_equal(zilch_lander_discrete(known, actions + 2 * i), ZILCH_OK);
        }
        step_own(&p, actions, 1);
        expect_same_worlds(&p);
    }
    assert_int_equal(zilch_cuda_lander_step(p.card, (zilch_cuda_actions)3, given, 1), ZILCH_EARG);
    assert_int_equal(zilch_cuda_lander_step(p.card, ZILCH_CUDA_DOUBLES, NULL, 1), ZILCH_EARG);
    assert_int_equal(zilch_cuda_lander_after(p.card, NULL), ZILCH_OK);
    assert_int_equal(zilch_cuda_lander_before(p.card, NULL), ZILCH_OK);
    zilch_cuda_lander *none;
    assert_int_equal(zilch_cuda_lander_create(&none, card, 0, NULL), ZILCH_EARG);
    assert_null(none);
    free_pair(&p);
    zilch_cuda_close(card);
}

/* ---- What may be missing ----------------------------------------------------------------------------------
 */

static void no_card_is_said(void **state)
{
    (void)state;
    unsigned count = 7;
    zilch_cuda *card;
    if (!is_standin) {
        skip();
    }
    setenv("ZILCH_STANDIN_CARDS", "0", 1);
    assert_int_equal(zilch_cuda_count(&count), ZILCH_OK);
    assert_int_equal(count, 0);
    assert_int_equal(zilch_cuda_open(&card, 0), ZILCH_EUNAVAILABLE);
    assert_null(card);
    assert_string_equal(zilch_last_error(), "cuda: there is no NVIDIA graphics card with a driver here: no "
                                            "CUDA-capable device is detected");
    unsetenv("ZILCH_STANDIN_CARDS");
}

static void worlds_fly_in_turn_without_memory(void **state)
{
    (void)state;
    if (!is_standin) {
        skip();
    }
    size_t free_bytes;
    size_t all_bytes;
    zilch_lander_options o = zilch_lander_defaults();
    zilch_cuda_lander *worlds;
    o.max_steps = 40;
    setenv("ZILCH_STANDIN_MEMORY", "9000000", 1); /* for some 1,500 worlds */
    zilch_cuda *card = open_card();
    compare(card, NULL, 0, 2500, &o, 0);
    setenv("ZILCH_STANDIN_PROCESSORS", "100", 1);
    zilch_cuda *large = open_card();
    zilch_cuda_close(card);
    card = large;
    compare(card, NULL, 0, 2500, &o, 0);
    unsetenv("ZILCH_STANDIN_PROCESSORS");
    assert_int_equal(zilch_cuda_memory(card, &free_bytes, &all_bytes), ZILCH_OK);
    assert_int_equal(all_bytes, 9000000);
    assert_true(free_bytes < 4000000);
    assert_int_equal(zilch_cuda_lander_create(&worlds, card, 100000, NULL), ZILCH_ENOMEM);
    assert_null(worlds);
    assert_string_equal(zilch_last_error(),
                        "cuda: stand-in 0: out of memory on the card: 100000 worlds take 485 MB");
    zilch_cuda_close(card);
    setenv("ZILCH_STANDIN_MEMORY", "1000000", 1);
    card = open_card();
    const uint64_t seed[2000] = {0};
    zilch_episode out[2000];
    const zilch_flights flights = {.count = 2000, .each = 1, .seed = seed};
    assert_int_equal(zilch_cuda_fly(card, &flights, out), ZILCH_ENOMEM);
    compare(card, NULL, 0, 20, &o, 0); /* the card is still good */
    zilch_cuda_close(card);
    unsetenv("ZILCH_STANDIN_MEMORY");
}

static void a_lost_card_is_said(void **state)
{
    (void)state;
    if (!is_standin) {
        skip();
    }
    const uint64_t seed[2] = {0};
    zilch_episode out[2];
    const zilch_flights flights = {.count = 2, .each = 1, .seed = seed};
    zilch_cuda *card = open_card();
    setenv("ZILCH_STANDIN_LOST", "0", 1);
    assert_int_equal(zilch_cuda_fly(card, &flights, out), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "cuda: stand-in 0: the card failed: "));
    unsetenv("ZILCH_STANDIN_LOST");
    assert_int_equal(zilch_cuda_fly(card, &flights, out), ZILCH_EIO);
    assert_string_equal(zilch_last_error(),
                        "cuda: stand-in 0: the card failed before, and is not used any more");
    zilch_cuda_close(card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_have_the_same_bits),
        cmocka_unit_test(short_episodes_are_cut),
        cmocka_unit_test(a_watcher_stops_it),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(worlds_have_the_same_bits),
        cmocka_unit_test(masks_choose_worlds),
        cmocka_unit_test(actions_have_three_forms),
        cmocka_unit_test(no_card_is_said),
        cmocka_unit_test(worlds_fly_in_turn_without_memory),
        cmocka_unit_test(a_lost_card_is_said),
    };
    unsigned count = 0;
    if (zilch_cuda_count(&count) != ZILCH_OK || count == 0) {
        fprintf(stderr, "no card: %s\n", zilch_last_error());
        return SKIPPED;
    }
    zilch_cuda *card = open_card();
    is_standin = strncmp(zilch_cuda_name(card), "stand-in", 8) == 0;
    printf("on %s\n", zilch_cuda_name(card));
    zilch_cuda_close(card);
    return cmocka_run_group_tests_name("cuda", tests, NULL, NULL);
}
