/* Episodes on a card. Each world takes the next episode that nobody has when its own has ended, as a thread's
 * worlds do (sim/episodes.c), so that a card stays full to the end. Kernels are launched in bursts of some
 * steps; after each the host sees how many episodes are done, and asks the watcher.
 *
 * Where worlds are few, time is what one thread takes for a step: a world goes its whole way in one kernel,
 * with as few neighbours in its warp as the card has room for. Where they are many, the work is what counts:
 * velocity problems of a kind are solved together, by a kernel of their own (kernels.cuh). */
#include "cuda/card.h"

#include <limits.h>

enum {
    STEPS_AT_ONCE = 32,
    LEAST_WORLDS = 1024,    /* fewer are not tried without memory */
    USUAL_WORLDS = 1 << 18, /* enough for a card */
    MOST_WORLDS = 1 << 20,
    EPISODES_A_WORLD = 8,    /* before there are more than usual */
    MOST_EPISODES = 1 << 22, /* that the card is told of at once */
};

/* What the card is told of a call. */
typedef struct order {
    double *parameters;
    zi_policy *policy;
    uint64_t *seed;
    zilch_episode *out;
    unsigned long long *next; /* and done behind it */
    size_t most;              /* episodes */
} order;

/* ---- Worlds ------------------------------------------------------------------------------------------- */

static size_t worlds_for(size_t episodes)
{
    const size_t spread = episodes / EPISODES_A_WORLD;
    const size_t worlds = spread < USUAL_WORLDS ? USUAL_WORLDS : spread > MOST_WORLDS ? MOST_WORLDS : spread;
    return episodes < worlds ? episodes : worlds;
}

static zilch_status make_room(zilch_cuda *c, size_t worlds)
{
    const size_t bytes = card_fleet_bytes(worlds);
    char what[64];
    (void)cudaFree(c->memory);
    c->memory = NULL;
    c->room = 0;
    snprintf(what, sizeof what, "%zu worlds take %zu MB", worlds, bytes >> 20);
    CARD_TRY(card_check(c, cudaMalloc(&c->memory, bytes), what));
    c->room = worlds;
    return card_check(c, cudaMemsetAsync(c->memory, 0, bytes, c->stream), "clearing its memory");
}

/* At most so many worlds, new; fewer if there is no memory for them. */
static zilch_status reserve(zilch_cuda *c, size_t worlds)
{
    zilch_status status = worlds > c->room ? make_room(c, worlds) : ZILCH_OK;
    for (size_t fewer = worlds / 2; status == ZILCH_ENOMEM && fewer >= LEAST_WORLDS; fewer /= 2) {
        status = make_room(c, fewer);
    }
    if (status != ZILCH_OK) {
        return status;
    }
    card_fleet_place(&c->fleet, c->memory, c->room);
    c->fleet.worlds = (int)(worlds < c->room ? worlds : c->room);
    const size_t counts = zi_fleet_bytes().count;
    CARD_TRY(card_check(c, cudaMemsetAsync(c->fleet.count, 0, counts, c->stream), "clearing its lists"));
    zi_launch_renew(c->stream, &c->fleet, NULL, NULL);
    return card_launched(c, "making worlds");
}

/* ---- What is flown --------------------------------------------------------------------------------------
 */

/* Memory is kept, as giving it back would make the card wait for all who use it. */
static zilch_status make_desk(zilch_cuda *c, size_t bytes)
{
    char what[64];
    if (bytes <= c->desk_bytes) {
        return ZILCH_OK;
    }
    (void)cudaFree(c->desk);
    c->desk = NULL;
    c->desk_bytes = 0;
    snprintf(what, sizeof what, "seeds, results and controllers take %zu MB", bytes >> 20);
    CARD_TRY(card_check(c, cudaMalloc(&c->desk, bytes), what));
    c->desk_bytes = bytes;
    return ZILCH_OK;
}

/* One block of memory: what has 16 bytes first, then what has 8. */
static zilch_status order_begin(zilch_cuda *c, const zilch_flights *f, order *o)
{
    const size_t policies = f->parameters ? (f->count - 1) / f->each + 1 : 0;
    const size_t parameters = policies * ZILCH_POLICY_PARAMETERS * sizeof *o->parameters;
    o->most = f->count < MOST_EPISODES ? f->count : MOST_EPISODES;
    const size_t bytes = 2 * sizeof *o->next + o->most * (sizeof *o->out + sizeof *o->seed) + parameters +
                         policies * sizeof *o->policy;
    CARD_TRY(make_desk(c, bytes));
    o->out = c->desk;
    o->seed = (uint64_t *)(o->out + o->most);
    o->next = (unsigned long long *)(o->seed + o->most);
    o->parameters = (double *)(o->next + 2);
    o->policy = (zi_policy *)(o->parameters + policies * ZILCH_POLICY_PARAMETERS);
    if (policies == 0) {
        return ZILCH_OK;
    }
    CARD_TRY(card_check(
        c, cudaMemcpyAsync(o->parameters, f->parameters, parameters, cudaMemcpyHostToDevice, c->stream),
        "sending controllers"));
    zi_launch_policies(c->stream, o->parameters, policies, o->policy);
    return card_launched(c, "reading controllers");
}

/* A burst of steps, from number *step on. */
static zilch_status burst(zilch_cuda *c, const mission *m, int *step)
{
    const int per_warp = card_worlds_per_warp(c, (size_t)c->fleet.worlds);
    if (per_warp > 0) {
        zi_launch_fly(c->stream, &c->fleet, m, per_warp, STEPS_AT_ONCE);
    } else {
        for (int k = 0; k < STEPS_AT_ONCE; k++) {
            zi_launch_step(c->stream, &c->fleet, m, (*step)++);
        }
    }
    CARD_TRY(card_launched(c, "flying"));
    CARD_TRY(card_check(
        c, cudaMemcpyAsync(c->arrived, m->done, sizeof *c->arrived, cudaMemcpyDeviceToHost, c->stream),
        "hearing of episodes"));
    return card_wait(c, c->stream);
}

/* A burst takes each world some steps on, so that after an episode's most steps one must have ended; a card
 * that does not get on is as good as lost. */
static zilch_status burst_on(zilch_cuda *c, const mission *m, int *step, int *idle)
{
    const unsigned long long before = *c->arrived;
    CARD_TRY(burst(c, m, step));
    *idle = *c->arrived > before ? 0 : *idle + 1;
    if (*idle > m->weather.max_steps / STEPS_AT_ONCE + 2) {
        c->is_lost = 1;
        return card_fail(ZILCH_EIO, "cuda: %s: the card failed: its worlds stand still", c->name);
    }
    return ZILCH_OK;
}

static zilch_status fly_all(zilch_cuda *c, const zilch_flights *f, const mission *m)
{
    enum { CYCLE = 6 }; /* of two sets of lists, and three of their lengths */
    int idle = 0;
    *c->arrived = 0;
    for (int step = 0; *c->arrived < m->count;) {
        if (f->watch && f->watch(f->watch_context, (size_t)(m->first + *c->arrived), f->count)) {
            return zilch_fail(ZILCH_ESTOPPED, "episodes: stopped");
        }
        step = step > INT_MAX / 2 ? step % CYCLE + CYCLE : step;
        CARD_TRY(burst_on(c, m, &step, &idle));
    }
    return ZILCH_OK;
}

/* Some episodes of all, from `first` on. */
static zilch_status fly_part(zilch_cuda *c, const zilch_flights *f, const order *o, const weather *w,
                             size_t first, zilch_episode *out)
{
    const size_t left = f->count - first;
    const size_t count = left < o->most ? left : o->most;
    const mission m = {.weather = *w,
                       .policy = f->parameters ? o->policy : NULL,
                       .seed = o->seed,
                       .out = o->out,
                       .first = first,
                       .each = f->each,
                       .count = count,
                       .next = o->next,
                       .done = o->next + 1};
    CARD_TRY(reserve(c, worlds_for(count)));
    CARD_TRY(
        card_check(c, cudaMemsetAsync(o->next, 0, 2 * sizeof *o->next, c->stream), "preparing episodes"));
    CARD_TRY(card_check(
        c,
        cudaMemcpyAsync(o->seed, f->seed + first, count * sizeof *o->seed, cudaMemcpyHostToDevice, c->stream),
        "sending seeds"));
    CARD_TRY(fly_all(c, f, &m));
    CARD_TRY(card_check(
        c, cudaMemcpyAsync(out + first, o->out, count * sizeof *out, cudaMemcpyDeviceToHost, c->stream),
        "fetching results"));
    return card_wait(c, c->stream);
}

static zilch_status fly(zilch_cuda *c, const zilch_flights *f, const zilch_lander_options *options,
                        zilch_episode *out)
{
    const weather w = card_weather(options);
    order o = {.most = 0};
    zilch_status status = card_put_wind(c, &w, c->stream);
    status = status == ZILCH_OK ? order_begin(c, f, &o) : status;
    for (size_t first = 0; first < f->count && status == ZILCH_OK; first += o.most) {
        status = fly_part(c, f, &o, &w, first, out);
    }
    return status;
}

zilch_status zilch_cuda_fly(void *cuda, const zilch_flights *flights, zilch_episode *out)
{
    zilch_lander_options options;
    int before;
    if (!cuda || !flights || flights->count == 0 || flights->each == 0 || !flights->seed || !out) {
        return zilch_fail(ZILCH_EARG,
                          "cuda: a card, at least one episode, its seed, and a place for the results "
                          "must be given");
    }
    CARD_TRY(card_options(flights->options, &options));
    zilch_cuda *c = cuda;
    zilch_status status = card_enter(c, &before);
    status = status == ZILCH_OK ? fly(c, flights, &options, out) : status;
    card_leave(before);
    return status;
}
