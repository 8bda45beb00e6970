/* Episodes of the lander. Each thread has a batch of worlds; a world whose episode has ended takes the next
 * episode that nobody has, so that the lanes stay busy to the end. Results are kept by episode, and a world
 * does not depend on its neighbours: neither threads nor lanes change them. Nothing is allocated once the
 * batches are. */
#include "sim/episodes.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_WORLDS = 1024 };

static const double solved_return = 200.0;

/* ---- Many episodes ---------------------------------------------------------------------- */

/* What the threads share. */
typedef struct crew {
    const zi_flights *flights;
    zilch_episode *out;
    size_t worlds; /* in a batch */
    atomic_size_t next, done;
    atomic_int is_stopped;
} crew;

/* One thread's. */
typedef struct batch {
    zilch_lander *lander;
    double *action;  /* two for each world */
    double *total;   /* by world: the return so far */
    size_t *episode; /* by world: which one it flies; flights->count: none any more */
    uint64_t *seed;  /* by world: of the episode that it begins */
    unsigned char *begins;
    size_t playing;
} batch;

/* The next episode for a world, which begins with those of the others. Where none is left, a world that has
 * never flown is reset all the same: a batch steps only when all were. */
static void take_episode(crew *c, batch *b, size_t world, int is_first)
{
    const zi_flights *f = c->flights;
    size_t index = atomic_load(&c->next);
    while (index < f->count && !atomic_compare_exchange_weak(&c->next, &index, index + 1)) {
    }
    b->episode[world] = index;
    b->total[world] = 0.0;
    b->playing += index < f->count;
    b->begins[world] = index < f->count || is_first;
    b->seed[world] = index < f->count ? f->seed(f->context, index) : 0;
}

static zilch_status end_episode(crew *c, batch *b, size_t world)
{
    zilch_world_view view;
    ZI_TRY(zilch_lander_view(b->lander, world, &view));
    c->out[b->episode[world]] =
        (zilch_episode){.total = b->total[world], .steps = view.steps, .ending = view.landing};
    b->playing--;
    atomic_fetch_add(&c->done, 1);
    return ZILCH_OK;
}

static void act(const crew *c, batch *b)
{
    const zi_flights *f = c->flights;
    const float *observation = zilch_lander_observations(b->lander);
    if (!f->policy) {
        zilch_lander_heuristic(c->worlds, observation, b->action);
        return;
    }
    for (size_t i = 0; i < c->worlds; i++) {
        if (b->episode[i] < f->count) {
            zi_policy_act(&f->policy[b->episode[i] / f->each], observation + i * ZILCH_LANDER_OBSERVATIONS,
                          b->action + i * ZILCH_LANDER_ACTIONS);
        }
    }
}

static zilch_status step_batch(crew *c, batch *b)
{
    const double *reward = zilch_lander_rewards(b->lander);
    const unsigned char *terminated = zilch_lander_terminated(b->lander);
    const unsigned char *truncated = zilch_lander_truncated(b->lander);
    act(c, b);
    ZI_TRY(zilch_lander_step(b->lander, b->action));
    size_t ended = 0;
    for (size_t i = 0; i < c->worlds; i++) {
        b->begins[i] = 0;
        if (b->episode[i] < c->flights->count) {
            b->total[i] += reward[i];
            if (terminated[i] || truncated[i]) {
                ZI_TRY(end_episode(c, b, i));
                take_episode(c, b, i, 0);
                ended++;
            }
        }
    }
    return ended ? zilch_lander_reset_many(b->lander, b->begins, b->seed) : ZILCH_OK;
}

static zilch_status look_on(crew *c)
{
    const zi_flights *f = c->flights;
    if (f->watch && f->watch(f->watch_context, atomic_load(&c->done), f->count)) {
        atomic_store(&c->is_stopped, 1);
    }
    return atomic_load(&c->is_stopped) ? zi_fail(ZILCH_ESTOPPED, "episodes: stopped") : ZILCH_OK;
}

static zilch_status play_batch(crew *c, batch *b)
{
    ZI_TRY(zilch_lander_create(&b->lander, c->worlds, c->flights->options));
    memset(b->action, 0, c->worlds * ZILCH_LANDER_ACTIONS * sizeof *b->action);
    for (size_t i = 0; i < c->worlds; i++) {
        take_episode(c, b, i, 1);
    }
    ZI_TRY(zilch_lander_reset_many(b->lander, b->begins, b->seed));
    while (b->playing > 0) {
        ZI_TRY(look_on(c));
        ZI_TRY(step_batch(c, b));
    }
    return ZILCH_OK;
}

static zilch_status run_batch(void *context, size_t index)
{
    (void)index;
    crew *c = context;
    batch b = {0};
    zilch_status status = zi_alloc(&b.action, c->worlds * (ZILCH_LANDER_ACTIONS + 1));
    status = status == ZILCH_OK ? zi_alloc(&b.episode, c->worlds) : status;
    status = status == ZILCH_OK ? zi_alloc(&b.seed, c->worlds) : status;
    status = status == ZILCH_OK ? zi_alloc(&b.begins, c->worlds) : status;
    if (status == ZILCH_OK) {
        b.total = b.action + c->worlds * ZILCH_LANDER_ACTIONS;
        status = play_batch(c, &b);
    }
    zilch_lander_destroy(b.lander);
    zi_free(b.begins);
    zi_free(b.seed);
    zi_free(b.episode);
    zi_free(b.action);
    return status;
}

zilch_status zi_episodes_fly(const zi_flights *flights, unsigned threads, zilch_episode *out)
{
    assert(flights->count > 0 && flights->each > 0);
    size_t batches = threads ? threads : zilch_processors();
    batches = batches < flights->count ? batches : flights->count;
    const size_t share = (flights->count + batches - 1) / batches;
    crew c = {.flights = flights, .out = out, .worlds = share < MOST_WORLDS ? share : MOST_WORLDS};
    return zilch_parallel((unsigned)batches, batches, run_batch, &c);
}

static uint64_t seed_of(const void *first, size_t episode)
{
    return *(const uint64_t *)first + episode;
}

zilch_status zilch_episodes_run(const double *parameters, const zilch_lander_options *options, uint64_t seed,
                                size_t count, unsigned threads, zilch_watcher watch, void *context,
                                zilch_episode *out)
{
    if (count == 0 || !out) {
        return zi_fail(ZILCH_EARG, "episodes: at least one, and a place for the results, must be given");
    }
    if (count - 1 > UINT64_MAX - seed) {
        return zi_fail(ZILCH_EARG, "episodes: %zu of them need seeds beyond the largest of 64 bits", count);
    }
    zi_policy policy;
    if (parameters) {
        policy = zi_policy_of(parameters);
    }
    const zi_flights flights = {.count = count,
                                .each = count,
                                .policy = parameters ? &policy : NULL,
                                .options = options,
                                .seed = seed_of,
                                .context = &seed,
                                .watch = watch,
                                .watch_context = context};
    return zi_episodes_fly(&flights, threads, out);
}

/* ---- Summary ------------------------------------------------------------------------------ */

zilch_status zilch_episodes_summarise(size_t count, const zilch_episode *episode, zilch_episodes_summary *out)
{
    if (count == 0 || !episode || !out) {
        return zi_fail(ZILCH_EARG, "episodes: at least one, and a place for the summary, must be given");
    }
    zilch_episodes_summary s = {0};
    double *total;
    double squares = 0.0;
    size_t solved = 0;
    ZI_TRY(zi_alloc(&total, count));
    for (size_t i = 0; i < count; i++) {
        total[i] = episode[i].total;
        s.steps += episode[i].steps;
        s.mean += total[i];
        s.ending[episode[i].ending]++;
        solved += total[i] >= solved_return;
    }
    s.mean /= (double)count;
    s.solved = (double)solved / (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += (total[i] - s.mean) * (total[i] - s.mean);
    }
    s.deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    for (int k = 0; k < ZILCH_QUARTILES; k++) {
        s.quartile[k] = zilch_quantile(count, total, (double)k / (ZILCH_QUARTILES - 1));
    }
    zi_free(total);
    *out = s;
    return ZILCH_OK;
}

/* ---- One episode ---------------------------------------------------------------------------- */

static zilch_status take_frame(const zilch_lander *lander, double total, zilch_lander_frame *out)
{
    memcpy(out->observation, zilch_lander_observations(lander), sizeof out->observation);
    out->reward = *zilch_lander_rewards(lander);
    out->total = total + out->reward;
    out->terminated = *zilch_lander_terminated(lander);
    out->truncated = *zilch_lander_truncated(lander);
    return zilch_lander_view(lander, 0, &out->view);
}

static zilch_status record(const zilch_pilot *pilot, zilch_lander *lander, uint64_t seed, size_t capacity,
                           zilch_lander_frame *frame, size_t *steps)
{
    ZI_TRY(zilch_lander_reset(lander, 0, seed));
    ZI_TRY(take_frame(lander, 0.0, &frame[0]));
    for (size_t k = 0; k + 1 < capacity && !(pilot->actions && k == pilot->action_count); k++) {
        const zilch_lander_frame *last = &frame[k];
        double action[ZILCH_LANDER_ACTIONS];
        if (last->terminated || last->truncated) {
            break;
        }
        if (pilot->actions) {
            memcpy(action, pilot->actions + k * ZILCH_LANDER_ACTIONS, sizeof action);
        } else if (pilot->parameters) {
            zilch_policy_act(pilot->parameters, 1, last->observation, action);
        } else {
            zilch_lander_heuristic(1, last->observation, action);
        }
        ZI_TRY(zilch_lander_step(lander, action));
        ZI_TRY(take_frame(lander, last->total, &frame[k + 1]));
        *steps = k + 1;
    }
    return ZILCH_OK;
}

zilch_status zilch_episode_record(const zilch_pilot *pilot, const zilch_lander_options *options,
                                  uint64_t seed, size_t capacity, zilch_lander_frame *frame, size_t *steps)
{
    if (!pilot || capacity == 0 || !frame || !steps) {
        return zi_fail(ZILCH_EARG,
                       "episode: who flies, room for a frame, and a place for the steps must be given");
    }
    zilch_lander *lander;
    *steps = 0;
    ZI_TRY(zilch_lander_create(&lander, 1, options));
    const zilch_status status = record(pilot, lander, seed, capacity, frame, steps);
    zilch_lander_destroy(lander);
    return status;
}
