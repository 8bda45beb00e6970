/* Worlds on a card that a learner steps. All is queued on the legacy default stream, which is ordered with
 * what learners usually queue on, and nothing waits for the card until somebody reads. */
#include "cuda/card.h"

#include <limits.h>
#include <stdlib.h>

struct zilch_cuda_lander {
    zilch_cuda *card;
    fleet fleet;
    lesson lesson; /* without actions */
    void *memory;
    uint64_t *seed; /* place for them, on the card */
    int step;       /* of lessons for many worlds */
    int is_ready;   /* all worlds had seeds */
};

/* The legacy default stream. */
static struct CUstream_st *const usual = NULL;

enum { MOST_WORLDS = 1 << 24 };

/* ---- Making them ------------------------------------------------------------------------------------ */

/* Behind the fleet: those of 8 bytes first. */
static void place(zilch_cuda_lander *l, size_t worlds)
{
    char *at = l->memory;
    card_fleet_place(&l->fleet, at, worlds);
    at += card_fleet_bytes(worlds);
    l->seed = (uint64_t *)(void *)at;
    l->lesson.reward = (double *)(void *)(l->seed + worlds);
    l->lesson.observation = (float *)(void *)(l->lesson.reward + worlds);
    l->lesson.terminated = (unsigned char *)(l->lesson.observation + worlds * ZILCH_LANDER_OBSERVATIONS);
    l->lesson.truncated = l->lesson.terminated + worlds;
}

static size_t all_bytes(size_t worlds)
{
    return card_fleet_bytes(worlds) +
           worlds * (sizeof(uint64_t) + sizeof(double) + ZILCH_LANDER_OBSERVATIONS * sizeof(float) + 2);
}

static zilch_status make(zilch_cuda_lander *l, size_t worlds)
{
    const size_t bytes = all_bytes(worlds);
    char what[64];
    snprintf(what, sizeof what, "%zu worlds take %zu MB", worlds, bytes >> 20);
    CARD_TRY(card_put_wind(l->card, &l->lesson.weather, usual));
    CARD_TRY(card_check(l->card, cudaMalloc(&l->memory, bytes), what));
    place(l, worlds);
    return card_check(l->card, cudaMemsetAsync(l->memory, 0, bytes, usual), "clearing its memory");
}

zilch_status zilch_cuda_lander_create(zilch_cuda_lander **out, zilch_cuda *cuda, size_t worlds,
                                      const zilch_lander_options *options)
{
    zilch_lander_options chosen;
    int before;
    if (!out || !cuda) {
        return zilch_fail(ZILCH_EARG, "cuda: a card, and a place for the worlds, must be given");
    }
    *out = NULL;
    if (worlds < 1 || worlds > MOST_WORLDS) {
        return card_fail(ZILCH_EARG, "cuda: there can be 1 to %d worlds, not %zu", MOST_WORLDS, worlds);
    }
    CARD_TRY(card_options(options, &chosen));
    zilch_cuda_lander *l = calloc(1, sizeof *l);
    if (!l) {
        return zilch_fail(ZILCH_ENOMEM, "cuda: no memory for worlds");
    }
    l->card = cuda;
    l->lesson.weather = card_weather(&chosen);
    zilch_status status = card_enter(cuda, &before);
    status = status == ZILCH_OK ? make(l, worlds) : status;
    card_leave(before);
    if (status != ZILCH_OK) {
        zilch_cuda_lander_destroy(l);
        return status;
    }
    *out = l;
    return ZILCH_OK;
}

/* CUDA waits with that until nothing uses the memory. */
void zilch_cuda_lander_destroy(zilch_cuda_lander *lander)
{
    int before = -1;
    if (!lander) {
        return;
    }
    if (cudaGetDevice(&before) == cudaSuccess && cudaSetDevice((int)lander->card->device) == cudaSuccess) {
        (void)cudaFree(lander->memory);
    }
    (void)cudaGetLastError();
    card_leave(before);
    free(lander);
}

/* ---- Resetting and stepping ---------------------------------------------------------------------------- */

static zilch_status teach(zilch_cuda_lander *l, const lesson *s)
{
    enum { CYCLE = 6 }; /* of two sets of lists, and three of their lengths */
    const int per_warp = card_worlds_per_warp(l->card, (size_t)l->fleet.worlds);
    if (per_warp > 0) {
        zi_launch_lesson(usual, &l->fleet, s, per_warp);
    } else {
        zi_launch_wide_lesson(usual, &l->fleet, s, l->step);
        l->step = l->step > INT_MAX / 2 ? l->step % CYCLE + CYCLE + 1 : l->step + 1;
    }
    return card_launched(l->card, "stepping");
}

static zilch_status renew(zilch_cuda_lander *l, const unsigned char *mask, const uint64_t *seeds)
{
    const lesson s = l->lesson; /* without actions: only what is new steps */
    if (seeds) {
        const size_t bytes = (size_t)l->fleet.worlds * sizeof *seeds;
        CARD_TRY(card_check(l->card, cudaMemcpyAsync(l->seed, seeds, bytes, cudaMemcpyHostToDevice, usual),
                            "sending seeds"));
    }
    zi_launch_renew(usual, &l->fleet, mask, seeds ? l->seed : NULL);
    CARD_TRY(card_launched(l->card, "resetting"));
    return teach(l, &s);
}

zilch_status zilch_cuda_lander_reset(zilch_cuda_lander *lander, const unsigned char *mask,
                                     const uint64_t *seeds)
{
    int before;
    if (!lander) {
        return zilch_fail(ZILCH_EARG, "cuda: no worlds given");
    }
    if (!lander->is_ready && (mask || !seeds)) {
        return zilch_fail(ZILCH_ESTATE, "cuda: reset all worlds with seeds first");
    }
    zilch_status status = card_enter(lander->card, &before);
    status = status == ZILCH_OK ? renew(lander, mask, seeds) : status;
    card_leave(before);
    lander->is_ready |= status == ZILCH_OK;
    return status;
}

zilch_status zilch_cuda_lander_step(zilch_cuda_lander *lander, zilch_cuda_actions kind, const void *actions,
                                    int restart)
{
    int before;
    if (!lander || !actions) {
        return zilch_fail(ZILCH_EARG, "cuda: worlds, and actions for them, must be given");
    }
    if (kind != ZILCH_CUDA_FLOATS && kind != ZILCH_CUDA_DOUBLES && kind != ZILCH_CUDA_CHOICES) {
        return card_fail(ZILCH_EARG, "cuda: %d is no form of actions", (int)kind);
    }
    if (!lander->is_ready) {
        return zilch_fail(ZILCH_ESTATE, "cuda: reset all worlds with seeds first");
    }
    lesson s = lander->lesson;
    s.actions = actions;
    s.kind = (int)kind;
    s.restarts = restart != 0;
    zilch_status status = card_enter(lander->card, &before);
    status = status == ZILCH_OK ? teach(lander, &s) : status;
    card_leave(before);
    return status;
}

/* ---- Reading ---------------------------------------------------------------------------------------------
 */

size_t zilch_cuda_lander_worlds(const zilch_cuda_lander *lander)
{
    return (size_t)lander->fleet.worlds;
}

const float *zilch_cuda_lander_observations(const zilch_cuda_lander *lander)
{
    return lander->lesson.observation;
}

const double *zilch_cuda_lander_rewards(const zilch_cuda_lander *lander)
{
    return lander->lesson.reward;
}

const unsigned char *zilch_cuda_lander_terminated(const zilch_cuda_lander *lander)
{
    return lander->lesson.terminated;
}

const unsigned char *zilch_cuda_lander_truncated(const zilch_cuda_lander *lander)
{
    return lander->lesson.truncated;
}

static zilch_status fetch(zilch_cuda_lander *l, void *to, const void *from, size_t each)
{
    const size_t bytes = (size_t)l->fleet.worlds * each;
    return to ? card_check(l->card, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, usual),
                           "fetching results")
              : ZILCH_OK;
}

zilch_status zilch_cuda_lander_read(zilch_cuda_lander *lander, float *observations, double *rewards,
                                    unsigned char *terminated, unsigned char *truncated)
{
    int before;
    if (!lander) {
        return zilch_fail(ZILCH_EARG, "cuda: no worlds given");
    }
    const lesson *s = &lander->lesson;
    zilch_status status = card_enter(lander->card, &before);
    status = status == ZILCH_OK ? fetch(lander, observations, s->observation,
                                        ZILCH_LANDER_OBSERVATIONS * sizeof *observations)
                                : status;
    status = status == ZILCH_OK ? fetch(lander, rewards, s->reward, sizeof *rewards) : status;
    status = status == ZILCH_OK ? fetch(lander, terminated, s->terminated, 1) : status;
    status = status == ZILCH_OK ? fetch(lander, truncated, s->truncated, 1) : status;
    status = status == ZILCH_OK ? card_wait(lander->card, usual) : status;
    card_leave(before);
    return status;
}

/* ---- Other streams ---------------------------------------------------------------------------------------
 */

static zilch_status order_streams(zilch_cuda_lander *l, cudaStream_t first, cudaStream_t second)
{
    int before;
    if (!l) {
        return zilch_fail(ZILCH_EARG, "cuda: no worlds given");
    }
    zilch_cuda *c = l->card;
    zilch_status status = card_enter(c, &before);
    status =
        status == ZILCH_OK ? card_check(c, cudaEventRecord(c->event, first), "ordering streams") : status;
    status = status == ZILCH_OK ? card_check(c, cudaStreamWaitEvent(second, c->event, 0), "ordering streams")
                                : status;
    card_leave(before);
    return status;
}

zilch_status zilch_cuda_lander_after(zilch_cuda_lander *lander, void *stream)
{
    return order_streams(lander, stream, usual);
}

zilch_status zilch_cuda_lander_before(zilch_cuda_lander *lander, void *stream)
{
    return order_streams(lander, usual, stream);
}
