/* zilch_cuda.h - the Lunar Lander on NVIDIA graphics cards.
 *
 * A card flies many episodes side by side, and they have the bits that zilch_episodes_run() gives: a search
 * can use a card for some of its generations and the processor for others.
 *
 *     zilch_cuda *card;
 *     zilch_status status = zilch_cuda_open(&card, 0);
 *     if (status == ZILCH_OK)
 *         status = zilch_problem_set_flyer(problem, zilch_cuda_fly, card);
 *     if (status == ZILCH_OK)
 *         status = zilch_optimizer_run(search, zilch_problem_objective, problem, NULL, NULL, NULL, NULL);
 *     zilch_cuda_close(card);
 *
 * A learner steps worlds itself, and what it sees of them stays on the card:
 *
 *     status = zilch_cuda_lander_create(&worlds, card, 4096, NULL);
 *     status = zilch_cuda_lander_reset(worlds, NULL, seeds);
 *     while (...) {
 *         ... a network on the card turns zilch_cuda_lander_observations(worlds) into actions
 *         status = zilch_cuda_lander_step(worlds, ZILCH_CUDA_FLOATS, actions, 1);
 *     }
 *
 * The contract of zilch.h holds here too, with these differences. Memory of the host comes from malloc. CUDA
 * reads the environment, and may start threads of its own. One thread at a time uses a handle and the worlds
 * that were made with it; several threads may each open the same card. The current device of the calling
 * thread is as it was when a function returns. These statuses have a meaning of their own:
 *   EUNAVAILABLE  There is no card, or no driver for it, or the card is too old for the library.
 *   ENOMEM        The card, or the host, has too little memory. The handle can still be used.
 *   EIO           The card failed or was lost. Each later call with this handle fails in the same way. CUDA
 *                 cannot repair this within a process: start the program again, or go on without the card.
 */
#ifndef ZILCH_CUDA_H
#define ZILCH_CUDA_H

#include "zilch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cards ------------------------------------------------------------------------------- */

typedef struct zilch_cuda zilch_cuda;

/* How many cards CUDA shows to this process. None, or no driver, is 0 and no failure. */
ZILCH_CHECKED zilch_cuda_count(unsigned *count);

/* Opens a card, counted from 0, as CUDA counts them. */
ZILCH_CHECKED zilch_cuda_open(zilch_cuda **out, unsigned device);
ZILCH_API void zilch_cuda_close(zilch_cuda *cuda);

/* The name of the card, such as "NVIDIA H200". The text belongs to the handle. */
ZILCH_API const char *zilch_cuda_name(const zilch_cuda *cuda);
ZILCH_API unsigned zilch_cuda_device(const zilch_cuda *cuda);

/* Bytes on the card: free for everybody now, and in all. */
ZILCH_CHECKED zilch_cuda_memory(zilch_cuda *cuda, size_t *free_bytes, size_t *all_bytes);

/* ---- Episodes ------------------------------------------------------------------------------ */

/* A zilch_flyer whose context is the handle. The number of worlds that fly side by side follows from the
 * number of episodes; if the card has not enough memory for them, fewer fly. The handle keeps the memory of
 * its worlds for the next call. `lanes` of the options has no effect. With wind, an episode has at most
 * 100,000 steps. */
ZILCH_API zilch_status zilch_cuda_fly(void *cuda, const zilch_flights *flights, zilch_episode *out);

/* ---- Worlds for a learner -------------------------------------------------------------------- */

typedef struct zilch_cuda_lander zilch_cuda_lander;

/* The forms of actions. */
typedef enum zilch_cuda_actions {
    ZILCH_CUDA_FLOATS,  /* float, two for each world, as in zilch_lander_step() */
    ZILCH_CUDA_DOUBLES, /* the same in double precision */
    ZILCH_CUDA_CHOICES  /* int64_t, one for each world: 0 to 3, as in zilch_lander_discrete() */
} zilch_cuda_actions;

/* Makes `worlds` worlds on the card. Reset all of them before the first step. `options` is NULL for the
 * defaults. Nothing is allocated after this. Destroy the worlds before you close the card. */
ZILCH_CHECKED zilch_cuda_lander_create(zilch_cuda_lander **out, zilch_cuda *cuda, size_t worlds,
                                       const zilch_lander_options *options);
ZILCH_API void zilch_cuda_lander_destroy(zilch_cuda_lander *lander);

/* Begins new episodes in all worlds, or in those whose byte in `mask` (worlds, on the card) is not 0. `seeds`
 * (worlds, on the host) are those of Gymnasium's reset(seed=seed); NULL: each world goes on with its own
 * random numbers, which is ESTATE before all worlds had a seed. */
ZILCH_CHECKED zilch_cuda_lander_reset(zilch_cuda_lander *lander, const unsigned char *mask,
                                      const uint64_t *seeds);

/* Steps every world whose episode has not ended. `actions` are on the card. If `restart` is 1, a world that
 * has ended begins a new episode in this step, with reward 0, and does not look at its action; if it is 0,
 * the world stays as it is. A card cannot refuse an action: NaN is read as 0, and an unknown choice as
 * nothing. The call returns before the step has ended. A failure of the card may be told by a later call. */
ZILCH_CHECKED zilch_cuda_lander_step(zilch_cuda_lander *lander, zilch_cuda_actions kind, const void *actions,
                                     int restart);

/* What the last step, or the reset, gave. The arrays are on the card, belong to the lander and stay where
 * they are. */
ZILCH_API size_t zilch_cuda_lander_worlds(const zilch_cuda_lander *lander);
ZILCH_API const float *zilch_cuda_lander_observations(const zilch_cuda_lander *lander); /* worlds x 8 */
ZILCH_API const double *zilch_cuda_lander_rewards(const zilch_cuda_lander *lander);     /* worlds */
ZILCH_API const unsigned char *zilch_cuda_lander_terminated(const zilch_cuda_lander *lander);
ZILCH_API const unsigned char *zilch_cuda_lander_truncated(const zilch_cuda_lander *lander);

/* Waits for the last step and copies what it gave to arrays of the host. Each of them may be NULL. */
ZILCH_CHECKED zilch_cuda_lander_read(zilch_cuda_lander *lander, float *observations, double *rewards,
                                     unsigned char *terminated, unsigned char *truncated);

/* Resets and steps are queued on CUDA's legacy default stream, which waits for ordinary streams and is waited
 * for by them. A stream that was made not to block (cudaStreamNonBlocking) must be ordered by hand. `after`
 * makes what is queued from now on wait for what is on that stream now; `before` makes that stream wait for
 * what was queued until now. `stream` is a cudaStream_t. */
ZILCH_CHECKED zilch_cuda_lander_after(zilch_cuda_lander *lander, void *stream);
ZILCH_CHECKED zilch_cuda_lander_before(zilch_cuda_lander *lander, void *stream);

#ifdef __cplusplus
}
#endif

#endif
