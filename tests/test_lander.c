/* The lander behind the public interface: what Gymnasium's did, bit for bit, in lanes of every width, and
 * what it makes of bad input. */
#include "base/bytes.h"
#include "support.h"
#include "zilch.h"

#include <limits.h>

static const unsigned every_lanes[] = {1, 4, 8, 16};

/* NULL, with a message, if this processor has no such lanes. */
static zilch_lander *create_with(size_t worlds, const zilch_lander_options *options)
{
    zilch_lander *lander;
    const zilch_status status = zilch_lander_create(&lander, worlds, options);
    if (status == ZILCH_EUNAVAILABLE) {
        assert_null(lander);
        print_message("    skipped: %s\n", zilch_last_error());
        return NULL;
    }
    assert_int_equal(status, ZILCH_OK);
    assert_int_equal(zilch_lander_worlds(lander), worlds);
    return lander;
}

static zilch_lander *create_lanes(size_t worlds, unsigned lanes)
{
    zilch_lander_options options = zilch_lander_defaults();
    options.lanes = lanes;
    return create_with(worlds, &options);
}

static void expect_text(const char *text)
{
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("\"%s\" does not say \"%s\"", zilch_last_error(), text);
    }
}

static void reset(zilch_lander *lander, size_t world, uint64_t seed)
{
    assert_int_equal(zilch_lander_reset(lander, world, seed), ZILCH_OK);
}

static void step(zilch_lander *lander, const double *actions)
{
    assert_int_equal(zilch_lander_step(lander, actions), ZILCH_OK);
}

static zilch_world_view look(const zilch_lander *lander, size_t world)
{
    zilch_world_view view;
    assert_int_equal(zilch_lander_view(lander, world, &view), ZILCH_OK);
    return view;
}

/* All that a step gives for a world, as bytes: observation, reward, and terminated + 2 truncated. */
enum { ACTION = 16, RESULT = 41 };

static void result_of(const zilch_lander *lander, size_t world, unsigned char out[RESULT])
{
    memcpy(out, zilch_lander_observations(lander) + 8 * world, 32);
    memcpy(out + 32, zilch_lander_rewards(lander) + world, 8);
    out[40] =
        (unsigned char)(zilch_lander_terminated(lander)[world] | zilch_lander_truncated(lander)[world] << 1);
}

static int is_over(const zilch_lander *lander, size_t world)
{
    return zilch_lander_terminated(lander)[world] || zilch_lander_truncated(lander)[world];
}

/* ---- Recorded episodes ------------------------------------------------------------------------- */

/* tests/reference/lander/README.md tells the format. */
enum { PREFIX = 12, HEAD = 72, STEP = ACTION + RESULT, EPISODES = 83 };

typedef struct episode {
    const unsigned char *head, *step;
    uint32_t steps;
    uint64_t seed;
    int is_discrete;
    zilch_landing landing;
    zilch_lander_options options;
} episode;

typedef struct recording {
    unsigned char *bytes;
    size_t length;
    uint32_t count;
} recording;

static recording read_recording(const char *name)
{
    enum { MOST = 1 << 21 };
    FILE *file = open_table(name);
    recording r = {.bytes = test_malloc(MOST)};
    r.length = fread(r.bytes, 1, MOST, file);
    fclose(file);
    assert_true(r.length > PREFIX && r.length < MOST);
    assert_memory_equal(r.bytes, "zlander1", 8);
    memcpy(&r.count, r.bytes + 8, sizeof r.count);
    return r;
}

static episode episode_at(const unsigned char *at)
{
    episode e = {.head = at, .step = at + HEAD, .options = zilch_lander_defaults()};
    e.is_discrete = at[1];
    e.options.wind = at[2];
    e.landing = (zilch_landing)(ZILCH_LANDING_LANDED + at[3]);
    memcpy(&e.steps, at + 4, sizeof e.steps);
    memcpy(&e.seed, at + 8, sizeof e.seed);
    memcpy(&e.options.gravity, at + 16, 8);
    memcpy(&e.options.wind_power, at + 24, 8);
    memcpy(&e.options.turbulence_power, at + 32, 8);
    return e;
}

static void find_episodes(const recording *r, episode *out)
{
    const unsigned char *at = r->bytes + PREFIX;
    assert_int_equal(r->count, EPISODES);
    for (uint32_t i = 0; i < r->count; i++) {
        out[i] = episode_at(at);
        at = out[i].step + (size_t)out[i].steps * STEP;
        assert_true(at <= r->bytes + r->length);
    }
    assert_ptr_equal(at, r->bytes + r->length);
}

static void action_at(const episode *e, uint32_t k, double out[2])
{
    memcpy(out, e->step + (size_t)k * STEP, ACTION);
    if (e->is_discrete) {
        assert_int_equal(zilch_lander_discrete((unsigned)out[0], out), ZILCH_OK);
    }
}

/* The results after k steps, at the end those of the last; the reset's have reward 0. */
static void check_result(const zilch_lander *lander, size_t world, const episode *e, uint32_t k)
{
    unsigned char result[RESULT];
    unsigned char expected[RESULT] = {0};
    const uint32_t last = k < e->steps ? k : e->steps;
    result_of(lander, world, result);
    if (last) {
        memcpy(expected, e->step + (size_t)(last - 1) * STEP + ACTION, RESULT);
    } else {
        memcpy(expected, e->head + 40, 32);
    }
    if (memcmp(result, expected, RESULT) != 0) {
        fail_msg("episode with seed %llu of kind %d, discrete %d, wind %d: differs after %u steps of %u",
                 (unsigned long long)e->seed, e->head[0], e->is_discrete, e->options.wind, k, e->steps);
    }
    const zilch_world_view view = look(lander, world);
    assert_int_equal(view.landing, k < e->steps ? ZILCH_LANDING_FLYING : e->landing);
    assert_int_equal(view.steps, last);
}

/* All have ended, one way or the other: nothing moves any more. */
static void check_standstill(zilch_lander *lander)
{
    const size_t worlds = zilch_lander_worlds(lander);
    zilch_world_view before[EPISODES];
    double actions[2 * EPISODES];
    for (size_t i = 0; i < worlds; i++) {
        before[i] = look(lander, i);
        actions[2 * i] = 0.8;
        actions[2 * i + 1] = -0.9;
    }
    step(lander, actions);
    for (size_t i = 0; i < worlds; i++) {
        const zilch_world_view after = look(lander, i);
        assert_memory_equal(&after, &before[i], sizeof after);
    }
}

/* Episodes with the same options, all at once; those that have ended stay as they are. Gives the number of
 * steps. */
static size_t play_together(const episode *const *e, size_t count, unsigned lanes)
{
    double actions[2 * EPISODES] = {0};
    size_t steps = 0;
    uint32_t longest = 0;
    zilch_lander_options options = e[0]->options;
    options.lanes = lanes;
    zilch_lander *lander = create_with(count, &options);
    if (!lander) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        reset(lander, i, e[i]->seed);
        check_result(lander, i, e[i], 0);
        longest = e[i]->steps > longest ? e[i]->steps : longest;
        steps += e[i]->steps;
    }
    for (uint32_t k = 0; k < longest; k++) {
        for (size_t i = 0; i < count; i++) {
            if (k < e[i]->steps) {
                action_at(e[i], k, actions + 2 * i);
            }
        }
        step(lander, actions);
        for (size_t i = 0; i < count; i++) {
            check_result(lander, i, e[i], k + 1);
        }
    }
    check_standstill(lander);
    zilch_lander_destroy(lander);
    return steps;
}

static int same_options(const zilch_lander_options *a, const zilch_lander_options *b)
{
    return a->gravity == b->gravity && a->wind == b->wind && a->wind_power == b->wind_power &&
           a->turbulence_power == b->turbulence_power;
}

static size_t play_all(const episode *e, unsigned lanes)
{
    int is_played[EPISODES] = {0};
    size_t steps = 0;
    for (size_t i = 0; i < EPISODES; i++) {
        const episode *together[EPISODES];
        size_t count = 0;
        for (size_t j = i; j < EPISODES; j++) {
            if (!is_played[j] && same_options(&e[j].options, &e[i].options)) {
                is_played[j] = 1;
                if (j % SLOWNESS == lanes / 4 % SLOWNESS || j >= 70) {
                    together[count++] = &e[j];
                }
            }
        }
        if (count) {
            steps += play_together(together, count, lanes);
        }
    }
    return steps;
}

static void episodes_are_gymnasiums(void **state)
{
    (void)state;
    const recording r = read_recording("lander/episodes.bin");
    static episode e[EPISODES];
    find_episodes(&r, e);
    for (size_t i = 0; i < COUNT(every_lanes); i++) {
        const size_t steps = play_all(e, every_lanes[i]);
        print_message("    %2u lanes: %zu steps as recorded\n", every_lanes[i], steps);
        assert_true(SLOWNESS > 1 || !steps || steps == 14758);
        assert_true(every_lanes[i] > 4 || steps);
    }
    test_free(r.bytes);
}

/* ---- Returns of the published controller ------------------------------------------------------------ */

enum { RETURN_BYTES = 13, SEEDS = 1000 };

typedef struct flight {
    uint32_t seed;
    double sum;
    int is_on;
} flight;

static void check_return(const recording *r, const flight *f, const zilch_world_view *view)
{
    const unsigned char *at = r->bytes + PREFIX + (size_t)RETURN_BYTES * f->seed;
    uint32_t steps;
    memcpy(&steps, at + 8, sizeof steps);
    if (memcmp(&f->sum, at, 8) != 0) {
        double expected;
        memcpy(&expected, at, sizeof expected);
        fail_msg("seed %u: a return of %a, not %a", f->seed, f->sum, expected);
    }
    assert_int_equal(view->steps, steps);
    assert_int_equal(view->landing, ZILCH_LANDING_LANDED + at[12]);
}

/* The first so many seeds in a batch; a world that has ended begins anew with the next seed. */
static void check_returns(const recording *r, size_t worlds, unsigned lanes, uint32_t seeds)
{
    enum { MOST_WORLDS = 100 };
    double policy[ZILCH_POLICY_PARAMETERS];
    double actions[2 * MOST_WORLDS];
    flight flights[MOST_WORLDS];
    uint32_t next = 0;
    uint32_t done = 0;
    zilch_lander *lander = create_lanes(worlds, lanes);
    assert_int_equal(zilch_policy_parse(zilch_policy_published(), policy), ZILCH_OK);
    for (size_t i = 0; i < worlds; i++) {
        flights[i] = (flight){.seed = next, .is_on = 1};
        reset(lander, i, next++);
    }
    while (done < seeds) {
        zilch_policy_act(policy, worlds, zilch_lander_observations(lander), actions);
        step(lander, actions);
        for (size_t i = 0; i < worlds; i++) {
            flight *f = &flights[i];
            f->sum += f->is_on ? zilch_lander_rewards(lander)[i] : 0.0;
            if (f->is_on && is_over(lander, i)) {
                const zilch_world_view view = look(lander, i);
                check_return(r, f, &view);
                done++;
                *f = (flight){.seed = next, .is_on = next < seeds};
                if (f->is_on) {
                    reset(lander, i, next++);
                }
            }
        }
    }
    zilch_lander_destroy(lander);
}

static void returns_are_gymnasiums(void **state)
{
    (void)state;
    const recording r = read_recording("lander/returns.bin");
    assert_int_equal(r.count, SEEDS);
    assert_int_equal(r.length, PREFIX + RETURN_BYTES * SEEDS);
    check_returns(&r, 100, 0, SLOWNESS > 1 ? 150 : SEEDS);
    check_returns(&r, SLOWNESS > 1 ? 5 : 10, 1, SLOWNESS > 1 ? 15 : 100);
    test_free(r.bytes);
}

/* ---- Independence -------------------------------------------------------------------------------------- */

/* What happened in a world since its reset. */
enum { TRACE_STEPS = 130 };

typedef struct trace {
    unsigned char result[TRACE_STEPS + 1][RESULT];
} trace;

/* A world with random actions of its own, which depend on its seed alone. */
typedef struct player {
    uint64_t seed;
    zilch_rng rng;
    size_t steps;
} player;

static player player_of(uint64_t seed)
{
    return (player){.seed = seed, .rng = zilch_rng_make(seed, 77)};
}

/* Some of the time full thrust, so that many stay up for longer. */
static void act_randomly(player *p, double action[2])
{
    action[0] = 2.4 * zilch_rng_uniform(&p->rng) - 0.9;
    action[1] = 2.4 * zilch_rng_uniform(&p->rng) - 1.2;
    p->steps++;
}

static void record_alone(uint64_t seed, trace *out)
{
    double action[2];
    player p = player_of(seed);
    zilch_lander *lander = create_lanes(1, 1);
    reset(lander, 0, seed);
    result_of(lander, 0, out->result[0]);
    for (size_t k = 1; k <= TRACE_STEPS; k++) {
        act_randomly(&p, action);
        step(lander, action);
        result_of(lander, 0, out->result[k]);
    }
    zilch_lander_destroy(lander);
}

static void check_trace(const zilch_lander *lander, size_t world, const player *p, const trace *expected)
{
    unsigned char result[RESULT];
    result_of(lander, world, result);
    if (p->steps <= TRACE_STEPS && memcmp(result, expected->result[p->steps], RESULT) != 0) {
        fail_msg("seed %llu in world %zu of %zu: differs after %zu steps", (unsigned long long)p->seed, world,
                 zilch_lander_worlds(lander), p->steps);
    }
}

/* Worlds in reverse order, their seeds shuffled; each world begins anew with another seed after a number of
 * steps of its own. */
static void compare_with_alone(size_t worlds, unsigned lanes, size_t steps, const trace *alone, size_t seeds)
{
    zilch_lander *lander = create_lanes(worlds, lanes);
    if (!lander) {
        return;
    }
    player *players = test_malloc(worlds * sizeof *players);
    double *actions = test_malloc(2 * worlds * sizeof *actions);
    for (size_t i = worlds; i-- > 0;) {
        players[i] = player_of((7 * i + worlds) % seeds);
        reset(lander, i, players[i].seed);
        check_trace(lander, i, &players[i], &alone[players[i].seed]);
    }
    for (size_t k = 0; k < steps; k++) {
        for (size_t i = 0; i < worlds; i++) {
            if (k == i % 40) {
                players[i] = player_of((11 * i + 5) % seeds);
                reset(lander, i, players[i].seed);
            }
            act_randomly(&players[i], actions + 2 * i);
        }
        step(lander, actions);
        for (size_t i = 0; i < worlds; i++) {
            check_trace(lander, i, &players[i], &alone[players[i].seed]);
        }
    }
    test_free(players);
    test_free(actions);
    zilch_lander_destroy(lander);
}

static void worlds_do_not_depend_on_each_other(void **state)
{
    (void)state;
    enum { ALONE = 300 / SLOWNESS };
    static const size_t sizes[] = {1, 7, 16, 33, 300 / SLOWNESS};
    trace *alone = test_malloc(ALONE * sizeof *alone);
    for (size_t seed = 0; seed < ALONE; seed++) {
        record_alone(seed, &alone[seed]);
    }
    for (size_t i = 0; i < COUNT(every_lanes); i++) {
        for (size_t j = 0; j < COUNT(sizes); j++) {
            compare_with_alone(sizes[j], every_lanes[i], TRACE_STEPS + 30, alone, ALONE);
        }
    }
    /* More than are sorted into lanes together, and not all of them in whole lanes. */
    compare_with_alone(1037, 0, SLOWNESS > 1 ? 8 : 90, alone, ALONE);
    compare_with_alone(2048, 0, SLOWNESS > 1 ? 2 : 20, alone, ALONE);
    test_free(alone);
}

/* ---- Ends and resets ------------------------------------------------------------------------------------
 */

enum { FEW = 5 };

/* Steps with the players' actions until all have ended; gives how many that took. */
static size_t play_to_the_end(zilch_lander *lander, player *players, trace *traces)
{
    double actions[2 * FEW];
    int flying = 1;
    size_t k = 0;
    for (; flying; k++) {
        assert_true(k <= ZILCH_LANDER_MAX_STEPS);
        flying = 0;
        for (size_t i = 0; i < FEW; i++) {
            act_randomly(&players[i], actions + 2 * i);
        }
        step(lander, actions);
        for (size_t i = 0; i < FEW; i++) {
            flying |= !is_over(lander, i);
            if (k < TRACE_STEPS) {
                result_of(lander, i, traces[i].result[k]);
            }
        }
    }
    return k;
}

static void check_unmoved(const zilch_lander *lander, size_t world, const unsigned char before[RESULT],
                          const zilch_world_view *view)
{
    unsigned char now[RESULT];
    const zilch_world_view seen = look(lander, world);
    result_of(lander, world, now);
    assert_memory_equal(now, before, RESULT);
    assert_memory_equal(&seen, view, sizeof seen);
}

static void check_ends_and_resets(unsigned lanes)
{
    const double actions[2 * FEW] = {1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 0.0, 0.5, 0.7};
    static trace first[FEW];
    static trace again[FEW];
    player players[FEW];
    unsigned char result[FEW][RESULT];
    zilch_world_view views[FEW];
    zilch_lander *lander = create_lanes(FEW, lanes);
    if (!lander) {
        return;
    }
    for (size_t i = 0; i < FEW; i++) {
        players[i] = player_of(50 + i);
        reset(lander, i, players[i].seed);
    }
    play_to_the_end(lander, players, first);
    for (size_t i = 0; i < FEW; i++) {
        result_of(lander, i, result[i]);
        views[i] = look(lander, i);
        assert_int_not_equal(views[i].landing, ZILCH_LANDING_FLYING);
    }
    for (int k = 0; k < 3; k++) {
        step(lander, actions);
        for (size_t i = 0; i < FEW; i++) {
            check_unmoved(lander, i, result[i], &views[i]);
        }
    }
    /* One begins anew and moves; the others stay as they are. */
    reset(lander, 2, 50 + 2);
    step(lander, actions);
    assert_int_equal(look(lander, 2).landing, ZILCH_LANDING_FLYING);
    assert_int_equal(look(lander, 2).steps, 1);
    for (size_t i = 0; i < FEW; i++) {
        if (i != 2) {
            check_unmoved(lander, i, result[i], &views[i]);
        }
    }
    /* All of them, again: the same episodes. */
    for (size_t i = 0; i < FEW; i++) {
        players[i] = player_of(50 + i);
        reset(lander, i, players[i].seed);
        assert_false(is_over(lander, i));
        assert_true(zilch_lander_rewards(lander)[i] == 0.0);
    }
    play_to_the_end(lander, players, again);
    assert_memory_equal(again, first, sizeof first);
    for (size_t i = 0; i < FEW; i++) {
        check_unmoved(lander, i, result[i], &views[i]);
    }
    zilch_lander_destroy(lander);
}

static void ended_worlds_stay_until_their_reset(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(every_lanes); i++) {
        check_ends_and_resets(every_lanes[i]);
    }
}

/* In mid-flight too, a reset changes no other world. */
static void reset_leaves_the_others_alone(void **state)
{
    (void)state;
    const double actions[2 * FEW] = {0.3, 0.0, 0.3, 0.6, -1.0, 0.0, 0.0, 0.0, 0.9, -0.7};
    unsigned char before[FEW][RESULT];
    unsigned char after[FEW][RESULT];
    zilch_lander *lander;
    assert_int_equal(zilch_lander_create(&lander, FEW, NULL), ZILCH_OK);
    for (size_t i = 0; i < FEW; i++) {
        reset(lander, i, i);
    }
    for (int k = 0; k < 40; k++) {
        step(lander, actions);
    }
    for (size_t i = 0; i < FEW; i++) {
        result_of(lander, i, before[i]);
    }
    reset(lander, 3, 99);
    for (size_t i = 0; i < FEW; i++) {
        result_of(lander, i, after[i]);
        assert_true((memcmp(before[i], after[i], RESULT) != 0) == (i == 3));
    }
    zilch_lander_destroy(lander);
}

/* ---- Bad input --------------------------------------------------------------------------------------------
 */

/* Without a seed a world begins anew where its random numbers are, which the steps before have moved on: the
 * same after the same flight, another one after a longer one, and always other than at first. That it is
 * Gymnasium's reset() is shown in python/tests/test_lander.py. */
static void again_goes_on_in_the_random_numbers(void **state)
{
    (void)state;
    const double actions[2 * FEW] = {0.5, 0.8, 0.5, 0.8, 0.5, 0.8, 0.5, 0.8, 0.5, 0.8};
    unsigned char first[RESULT];
    unsigned char begun[FEW][RESULT];
    zilch_lander *lander;
    assert_int_equal(zilch_lander_create(&lander, FEW, NULL), ZILCH_OK);
    for (size_t i = 0; i < FEW; i++) {
        reset(lander, i, 7);
    }
    result_of(lander, 0, first);
    for (size_t i = 0; i < FEW; i++) { /* world i after i steps, but the last as the one before it */
        if (i && i < FEW - 1) {
            step(lander, actions);
        }
        assert_int_equal(zilch_lander_restart(lander, i), ZILCH_OK);
        result_of(lander, i, begun[i]);
        assert_memory_not_equal(begun[i], first, RESULT);
        assert_int_equal(look(lander, i).steps, 0);
    }
    assert_memory_equal(begun[FEW - 1], begun[FEW - 2], RESULT);
    assert_memory_not_equal(begun[1], begun[2], RESULT);
    reset(lander, 3, 7);
    result_of(lander, 3, begun[3]);
    assert_memory_equal(begun[3], first, RESULT);
    zilch_lander_destroy(lander);
}

/* Many resets at once are those one by one, on every width and with more worlds than are listed together:
 * with seeds and without, of all worlds and of some, and the others stay where they are. */
static void many_resets_are_those_one_by_one(void **state)
{
    (void)state;
    enum { WORLDS = 1030 };
    static uint64_t seeds[WORLDS];
    static unsigned char mask[WORLDS];
    static double actions[2 * WORLDS];
    static const unsigned widths[] = {1, 4, 0};
    for (size_t i = 0; i < WORLDS; i++) {
        seeds[i] = 7 * i;
        mask[i] = i % 3 == 1;
        actions[2 * i] = 0.4;
    }
    for (size_t k = 0; k < COUNT(widths); k++) {
        zilch_lander_options options = zilch_lander_defaults();
        zilch_lander *many, *single;
        options.lanes = widths[k];
        options.wind = 1;
        assert_int_equal(zilch_lander_create(&many, WORLDS, &options), ZILCH_OK);
        assert_int_equal(zilch_lander_create(&single, WORLDS, &options), ZILCH_OK);
        assert_int_equal(zilch_lander_reset_many(many, mask, NULL), ZILCH_ESTATE);
        expect_text("world 1 ");
        for (int part = 0; part < 3; part++) {
            const unsigned char *chosen = part ? mask : NULL;
            assert_int_equal(zilch_lander_reset_many(many, chosen, part < 2 ? seeds : NULL), ZILCH_OK);
            for (size_t i = 0; i < WORLDS; i++) {
                if (!chosen || chosen[i]) {
                    assert_int_equal(part < 2 ? zilch_lander_reset(single, i, seeds[i])
                                              : zilch_lander_restart(single, i),
                                     ZILCH_OK);
                }
            }
            for (size_t i = 0; i < WORLDS; i++) {
                unsigned char results[2][RESULT];
                result_of(many, i, results[0]);
                result_of(single, i, results[1]);
                assert_memory_equal(results[0], results[1], RESULT);
            }
            step(many, actions);
            step(single, actions);
        }
        zilch_lander_destroy(many);
        zilch_lander_destroy(single);
    }
}

static void episodes_may_be_shorter_or_longer(void **state)
{
    (void)state;
    static const unsigned most[] = {1, 30, 1500};
    for (size_t k = 0; k < COUNT(most); k++) {
        zilch_lander_options options = zilch_lander_defaults();
        zilch_lander *lander;
        unsigned steps = 0;
        options.max_steps = most[k];
        options.gravity = -1e-9; /* nothing falls, so nothing else ends it */
        assert_int_equal(zilch_lander_create(&lander, 1, &options), ZILCH_OK);
        reset(lander, 0, 3);
        while (!*zilch_lander_truncated(lander) && !*zilch_lander_terminated(lander)) {
            step(lander, (const double[2]){0.0, 0.0});
            steps++;
        }
        assert_true(*zilch_lander_terminated(lander) ? steps < most[k] : steps == most[k]);
        zilch_lander_destroy(lander);
    }
}

static void actions_must_be_numbers(void **state)
{
    (void)state;
    for (size_t lanes = 0; lanes < 2; lanes++) {
        double actions[2 * FEW] = {0.0};
        unsigned char before[FEW][RESULT];
        zilch_world_view views[FEW];
        zilch_lander *lander = create_lanes(FEW, (unsigned)lanes);
        for (size_t i = 0; i < FEW; i++) {
            reset(lander, i, i);
        }
        step(lander, actions);
        for (size_t i = 0; i < FEW; i++) {
            result_of(lander, i, before[i]);
            views[i] = look(lander, i);
        }
        for (size_t at = 6; at < COUNT(actions); at++) {
            char text[16];
            snprintf(text, sizeof text, "world %zu ", at / 2);
            actions[at] = (double)NAN;
            assert_int_equal(zilch_lander_step(lander, actions), ZILCH_EARG);
            expect_text(text);
            actions[at] = 0.0;
            for (size_t i = 0; i < FEW; i++) {
                check_unmoved(lander, i, before[i], &views[i]);
            }
        }
        zilch_lander_destroy(lander);
    }
}

/* Beyond -1 and 1, and be it by infinitely much. */
static void actions_are_cut_off(void **state)
{
    (void)state;
    static const double given[][2] = {
        {INFINITY, INFINITY}, {INFINITY, -INFINITY}, {-INFINITY, 1e300}, {1.0000001, -1.5}, {-7.0, DBL_MAX}};
    static const double meant[][2] = {{1.0, 1.0}, {1.0, -1.0}, {-1.0, 1.0}, {1.0, -1.0}, {-1.0, 1.0}};
    for (unsigned lanes = 0; lanes < 2; lanes++) {
        zilch_lander *wide = create_lanes(COUNT(given), lanes);
        zilch_lander *narrow = create_lanes(COUNT(given), lanes);
        for (size_t i = 0; i < COUNT(given); i++) {
            reset(wide, i, i);
            reset(narrow, i, i);
        }
        for (int k = 0; k < 60; k++) {
            step(wide, given[0]);
            step(narrow, meant[0]);
            for (size_t i = 0; i < COUNT(given); i++) {
                unsigned char result[RESULT];
                const zilch_world_view view = look(narrow, i);
                result_of(narrow, i, result);
                check_unmoved(wide, i, result, &view);
            }
        }
        zilch_lander_destroy(wide);
        zilch_lander_destroy(narrow);
    }
}

static void worlds_must_be_reset_first(void **state)
{
    (void)state;
    const double actions[2 * FEW] = {0.0};
    unsigned char before[RESULT];
    zilch_lander *lander;
    assert_int_equal(zilch_lander_create(&lander, FEW, NULL), ZILCH_OK);
    assert_int_equal(zilch_lander_step(lander, actions), ZILCH_ESTATE);
    for (size_t i = 0; i < FEW; i++) {
        if (i != 3) {
            reset(lander, i, i);
        }
    }
    result_of(lander, 0, before);
    const zilch_world_view view = look(lander, 0);
    assert_int_equal(zilch_lander_restart(lander, 3), ZILCH_ESTATE);
    expect_text("world 3 ");
    assert_int_equal(zilch_lander_step(lander, actions), ZILCH_ESTATE);
    expect_text("world 3 ");
    check_unmoved(lander, 0, before, &view);
    reset(lander, 3, 3);
    step(lander, actions);
    zilch_lander_destroy(lander);
}

static void worlds_out_of_range(void **state)
{
    (void)state;
    zilch_lander *lander;
    zilch_world_view view;
    assert_int_equal(zilch_lander_create(&lander, FEW, NULL), ZILCH_OK);
    assert_int_equal(zilch_lander_reset(lander, FEW, 1), ZILCH_EARG);
    expect_text("world 5");
    assert_int_equal(zilch_lander_reset(lander, SIZE_MAX, 1), ZILCH_EARG);
    assert_int_equal(zilch_lander_view(lander, FEW, &view), ZILCH_EARG);
    expect_text("world 5");
    assert_int_equal(zilch_lander_view(lander, 0, NULL), ZILCH_EARG);
    assert_int_equal(zilch_lander_view(NULL, 0, &view), ZILCH_EARG);
    assert_int_equal(zilch_lander_reset(NULL, 0, 1), ZILCH_EARG);
    assert_int_equal(zilch_lander_restart(NULL, 0), ZILCH_EARG);
    assert_int_equal(zilch_lander_reset_many(NULL, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_lander_restart(lander, FEW), ZILCH_EARG);
    expect_text("world 5");
    assert_int_equal(zilch_lander_step(lander, NULL), ZILCH_EARG);
    assert_int_equal(zilch_lander_step(NULL, (const double[2]){0.0, 0.0}), ZILCH_EARG);
    zilch_lander_destroy(lander);
    zilch_lander_destroy(NULL);
}

static void refused(const zilch_lander_options *options, const char *text)
{
    zilch_lander *lander = (zilch_lander *)(uintptr_t)8;
    assert_int_equal(zilch_lander_create(&lander, 1, options), ZILCH_EARG);
    assert_null(lander);
    expect_text(text);
}

static void options_out_of_range(void **state)
{
    (void)state;
    static const double gravities[] = {-12.0, 0.0, 10.0, -INFINITY, NAN};
    static const double winds[] = {-0.1, 20.1, INFINITY, NAN};
    static const double turbulences[] = {-0.1, 2.1, INFINITY, NAN};
    static const unsigned lanes[] = {2, 3, 5, 15, 32};
    zilch_lander_options o;
    for (size_t i = 0; i < COUNT(gravities); i++) {
        o = zilch_lander_defaults();
        o.gravity = gravities[i];
        refused(&o, "gravity");
    }
    for (size_t i = 0; i < COUNT(winds); i++) {
        o = zilch_lander_defaults();
        o.wind_power = winds[i];
        refused(&o, "wind");
        o = zilch_lander_defaults();
        o.turbulence_power = turbulences[i];
        refused(&o, "turbulence");
    }
    for (size_t i = 0; i < COUNT(lanes); i++) {
        o = zilch_lander_defaults();
        o.lanes = lanes[i];
        refused(&o, "lanes");
    }
    o = zilch_lander_defaults();
    o.max_steps = 0;
    refused(&o, "most steps");
    o.max_steps = UINT_MAX;
    refused(&o, "most steps");
    o = zilch_lander_defaults();
    o.size = 0;
    refused(&o, "zilch_lander_defaults");
}

/* The ends that are included, and sizes. */
static void creation(void **state)
{
    (void)state;
    static const double ends[][3] = {{-11.999, 0.0, 0.0}, {-1e-9, 20.0, 2.0}};
    zilch_lander *lander;
    for (size_t i = 0; i < COUNT(ends); i++) {
        zilch_lander_options o = zilch_lander_defaults();
        o.wind = 1;
        o.gravity = ends[i][0];
        o.wind_power = ends[i][1];
        o.turbulence_power = ends[i][2];
        assert_int_equal(zilch_lander_create(&lander, 2, &o), ZILCH_OK);
        zilch_lander_destroy(lander);
    }
    assert_int_equal(zilch_lander_create(NULL, 1, NULL), ZILCH_EARG);
    assert_int_equal(zilch_lander_create(&lander, 0, NULL), ZILCH_EARG);
    assert_null(lander);
    assert_int_equal(zilch_lander_create(&lander, SIZE_MAX, NULL), ZILCH_ENOMEM);
    assert_null(lander);
    assert_int_equal(zilch_lander_create(&lander, SIZE_MAX / 8 + 1, NULL), ZILCH_ENOMEM);
    assert_null(lander);
    const zilch_lander_options o = zilch_lander_defaults();
    assert_true(o.size == sizeof o && o.gravity == -10.0 && !o.wind && !o.lanes);
    assert_true(o.wind_power == 15.0 && o.turbulence_power == 1.5);
}

static void discrete_actions(void **state)
{
    (void)state;
    static const double expected[][2] = {{0.0, 0.0}, {0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};
    double action[2];
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_int_equal(zilch_lander_discrete(i, action), ZILCH_OK);
        assert_memory_equal(action, expected[i], sizeof action);
    }
    assert_int_equal(zilch_lander_discrete(4, action), ZILCH_EARG);
    expect_text("4");
    assert_int_equal(zilch_lander_discrete(UINT_MAX, action), ZILCH_EARG);
    assert_int_equal(zilch_lander_discrete(0, NULL), ZILCH_EARG);
}

static void landings_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"flying", "landed", "crashed", "out", "truncated"};
    zilch_landing landing;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_string_equal(zilch_landing_name((zilch_landing)i), names[i]);
        assert_int_equal(zilch_landing_parse(names[i], &landing), ZILCH_OK);
        assert_int_equal(landing, i);
    }
    assert_int_equal(zilch_landing_parse("exploded", &landing), ZILCH_EARG);
}

/* ---- Memory ----------------------------------------------------------------------------------------------
 */

static size_t allocations;
static size_t releases;

static void *counting_alloc(size_t bytes)
{
    allocations++;
    return malloc(bytes);
}

static void counting_release(void *memory)
{
    releases++;
    free(memory);
}

static void nothing_is_allocated_in_a_step(void **state)
{
    (void)state;
    enum { WORLDS = 64 };
    zilch_set_allocator(counting_alloc, counting_release);
    for (unsigned lanes = 0; lanes < 2; lanes++) {
        double actions[2 * WORLDS];
        allocations = 0;
        releases = 0;
        zilch_lander *lander = create_lanes(WORLDS, lanes);
        player p = player_of(1);
        const size_t made = allocations;
        assert_true(made > 0);
        for (size_t i = 0; i < WORLDS; i++) {
            reset(lander, i, i);
        }
        for (size_t k = 0; k < 300 / SLOWNESS; k++) {
            for (size_t i = 0; i < WORLDS; i++) {
                act_randomly(&p, actions + 2 * i);
            }
            step(lander, actions);
            if (k % 15 == 14) {
                reset(lander, k % WORLDS, k);
            }
        }
        assert_int_equal(allocations, made);
        assert_int_equal(releases, 0);
        zilch_lander_destroy(lander);
        assert_int_equal(releases, made);
    }
    zilch_set_allocator(NULL, NULL);
}

/* ---- A look
 * ------------------------------------------------------------------------------------------------ */

static void check_ground(const zilch_world_view *view)
{
    const double pad = 400.0 / 30.0 / 4.0;
    assert_int_equal(COUNT(view->ground), 11);
    assert_true(view->helipad == pad);
    for (size_t i = 0; i < COUNT(view->ground); i++) {
        assert_true(view->ground[i] > 0.0 && view->ground[i] < 2.0 * pad);
        if (i >= 4 && i <= 6) {
            assert_true(view->ground[i] == (double)(float)(0.33 * (pad + pad + pad)));
        }
    }
    assert_true(view->ground[3] != view->ground[4] && view->ground[7] != view->ground[6]);
}

static void check_poses(const zilch_world_view *view, const float *observation)
{
    for (size_t i = 0; i < COUNT(view->x); i++) {
        assert_true(isfinite(view->x[i]) && isfinite(view->y[i]) && isfinite(view->angle[i]));
        assert_true(hypot(view->x[i] - view->x[0], view->y[i] - view->y[0]) < 2.0);
    }
    assert_true((float)((view->x[0] - 10.0) / 10.0) == observation[0]);
    assert_double_equal((view->y[0] - (view->helipad + 0.6)) / (20.0 / 3.0), observation[1], 1e-6);
    assert_true((float)view->angle[0] == observation[4]);
    for (size_t leg = 0; leg < 2; leg++) {
        assert_true(observation[6 + leg] == (view->leg_touches[leg] ? 1.0F : 0.0F));
    }
}

/* As the action of the last step says. */
static void check_powers(const zilch_world_view *view, const double action[2])
{
    const double main = action[0] > 1.0 ? 1.0 : action[0];
    const double side = fabs(action[1]) > 1.0 ? copysign(1.0, action[1]) : action[1];
    assert_double_equal(view->main_power, main > 0.0 ? (main + 1.0) / 2.0 : 0.0, 1e-15);
    assert_double_equal(view->side_power, fabs(side) > 0.5 ? side : 0.0, 1e-15);
}

static void a_look_shows_the_world(void **state)
{
    (void)state;
    enum { WORLDS = 20 };
    double actions[2 * WORLDS];
    size_t touched = 0;
    zilch_lander *lander;
    player p = player_of(5);
    assert_int_equal(zilch_lander_create(&lander, WORLDS, NULL), ZILCH_OK);
    for (size_t i = 0; i < WORLDS; i++) {
        reset(lander, i, i);
        const zilch_world_view view = look(lander, i);
        assert_int_equal(view.steps, 0);
        assert_int_equal(view.landing, ZILCH_LANDING_FLYING);
        assert_true(view.x[1] > view.x[0] && view.x[2] < view.x[0]); /* the legs */
        check_ground(&view);
        check_poses(&view, zilch_lander_observations(lander) + 8 * i);
        check_powers(&view, (const double[2]){0.0, 0.0});
    }
    for (unsigned k = 1; k <= 200; k++) {
        for (size_t i = 0; i < WORLDS; i++) {
            act_randomly(&p, actions + 2 * i);
        }
        step(lander, actions);
        for (size_t i = 0; i < WORLDS; i++) {
            const zilch_world_view view = look(lander, i);
            check_ground(&view);
            check_poses(&view, zilch_lander_observations(lander) + 8 * i);
            assert_true((view.landing == ZILCH_LANDING_FLYING) == !is_over(lander, i));
            if (!is_over(lander, i)) {
                assert_int_equal(view.steps, k);
                check_powers(&view, actions + 2 * i);
            }
            touched += view.leg_touches[0] || view.leg_touches[1];
        }
    }
    assert_true(touched > 0);
    zilch_lander_destroy(lander);
}

/* A copy, made at any step, goes on with the same bits, and worlds that were never reset stay so. */
static void packed_worlds_go_on(void **state)
{
    enum { WORLDS = 5, STEPS = 400 };
    zilch_lander_options options = zilch_lander_defaults();
    options.wind = 1;
    options.max_steps = 150;
    zilch_lander *lander = create_with(WORLDS, &options);
    unsigned char *bytes = NULL;
    size_t length;
    (void)state;
    for (size_t i = 0; i < WORLDS; i++) {
        reset(lander, i, i);
    }
    for (unsigned k = 0; k < STEPS; k++) {
        double actions[2 * WORLDS];
        for (size_t i = 0; i < 2 * WORLDS; i++) {
            actions[i] = sin((double)(k * k + 7 * i));
        }
        zilch_lander *copy;
        assert_int_equal(zilch_lander_pack(lander, NULL, 0, &length), ZILCH_OK);
        bytes = realloc(bytes, length);
        assert_int_equal(zilch_lander_pack(lander, bytes, length, &length), ZILCH_OK);
        assert_int_equal(zilch_lander_unpack(&copy, bytes, length), ZILCH_OK);
        assert_memory_equal(zilch_lander_rewards(lander), zilch_lander_rewards(copy),
                            WORLDS * sizeof(double));
        step(lander, actions);
        step(copy, actions);
        for (size_t i = 0; i < WORLDS; i++) {
            unsigned char result[RESULT];
            unsigned char same[RESULT];
            result_of(lander, i, result);
            result_of(copy, i, same);
            assert_memory_equal(result, same, RESULT);
            if (is_over(copy, i)) {
                assert_int_equal(zilch_lander_restart(lander, i), ZILCH_OK);
                assert_int_equal(zilch_lander_restart(copy, i), ZILCH_OK);
            }
        }
        zilch_lander_destroy(lander);
        lander = copy;
    }
    zilch_lander_destroy(lander);
    free(bytes);
}

/* Whatever byte changes: an error, and no lander. The checksum is made anew, so that the checks behind it are
 * what is asked. */
static void damaged_worlds_are_refused(void **state)
{
    zilch_lander *lander = create_lanes(1, 0);
    zilch_lander *copy;
    size_t length;
    (void)state;
    reset(lander, 0, 3);
    assert_int_equal(zilch_lander_pack(lander, NULL, 0, &length), ZILCH_OK);
    unsigned char *bytes = malloc(length);
    assert_int_equal(zilch_lander_pack(lander, bytes, length - 1, &length), ZILCH_EARG);
    assert_int_equal(zilch_lander_pack(lander, bytes, length, &length), ZILCH_OK);
    for (size_t n = 0; n < length; n++) {
        assert_int_equal(zilch_lander_unpack(&copy, bytes, n), ZILCH_EFORMAT);
        assert_null(copy);
        bytes[n] ^= 0x40;
        assert_int_not_equal(zilch_lander_unpack(&copy, bytes, length), ZILCH_OK);
        assert_null(copy);
        bytes[n] ^= 0x40;
    }
    size_t sound = 0;
    for (size_t n = 8; n < length - 8; n++) {
        const unsigned char before = bytes[n];
        bytes[n] = 0xff;
        const uint64_t checksum = zi_crc64(bytes, length - 8);
        memcpy(bytes + length - 8, &checksum, 8);
        if (zilch_lander_unpack(&copy, bytes, length) == ZILCH_OK) { /* then it can be used */
            static const double nothing[2] = {0.0, 0.0};
            for (int k = 0; k < 5; k++) {
                step(copy, nothing);
            }
            sound++;
        }
        zilch_lander_destroy(copy);
        bytes[n] = before;
    }
    assert_true(sound > 100);
    assert_int_equal(zilch_lander_unpack(NULL, bytes, length), ZILCH_EARG);
    assert_int_equal(zilch_lander_pack(NULL, NULL, 0, &length), ZILCH_EARG);
    free(bytes);
    zilch_lander_destroy(lander);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_are_gymnasiums),
        cmocka_unit_test(returns_are_gymnasiums),
        cmocka_unit_test(worlds_do_not_depend_on_each_other),
        cmocka_unit_test(ended_worlds_stay_until_their_reset),
        cmocka_unit_test(reset_leaves_the_others_alone),
        cmocka_unit_test(again_goes_on_in_the_random_numbers),
        cmocka_unit_test(many_resets_are_those_one_by_one),
        cmocka_unit_test(episodes_may_be_shorter_or_longer),
        cmocka_unit_test(actions_must_be_numbers),
        cmocka_unit_test(actions_are_cut_off),
        cmocka_unit_test(worlds_must_be_reset_first),
        cmocka_unit_test(worlds_out_of_range),
        cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(creation),
        cmocka_unit_test(discrete_actions),
        cmocka_unit_test(landings_have_names),
        cmocka_unit_test(nothing_is_allocated_in_a_step),
        cmocka_unit_test(a_look_shows_the_world),
        cmocka_unit_test(packed_worlds_go_on),
        cmocka_unit_test(damaged_worlds_are_refused),
    };
    return cmocka_run_group_tests_name("lander", tests, NULL, NULL);
}
