/* A card that is open, and what its users share: errors, memory, and worlds. */
#ifndef ZI_CARD_H
#define ZI_CARD_H

#include "cuda/launch.h"

#include <cuda_runtime_api.h>

struct zilch_cuda {
    unsigned device;
    int processors; /* streaming multiprocessors */
    int is_lost;
    int has_gusts;
    cudaStream_t stream; /* of episodes */
    cudaEvent_t event;   /* on which the host sleeps */
    char name[256];

    /* Episodes: their worlds, which are kept from call to call. */
    fleet fleet;
    void *memory; /* all of the fleet's; NULL: none */
    size_t room;  /* for so many worlds */
    void *desk;   /* what the card is told of a call; NULL: nothing */
    size_t desk_bytes;
    unsigned long long *arrived; /* of the host, which the card may write: episodes that are done */
};

/* Makes the card current for the calling thread; *before gets what was. Whatever follows, card_leave(). EIO
 * if the card was lost. */
zilch_status card_enter(zilch_cuda *c, int *before);
void card_leave(int before);

/* `what` was tried, and CUDA answers. */
zilch_status card_check(zilch_cuda *c, cudaError_t error, const char *what);
zilch_status card_fail(zilch_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether what was launched last could be. */
zilch_status card_launched(zilch_cuda *c, const char *what);

/* Waits for a stream, asleep. */
zilch_status card_wait(zilch_cuda *c, cudaStream_t stream);

/* The options, or the defaults, looked at by the library; and what they are for a card. */
zilch_status card_options(const zilch_lander_options *options, zilch_lander_options *out);
weather card_weather(const zilch_lander_options *options);

/* The wind, if there is any and the card does not have it. */
zilch_status card_put_wind(zilch_cuda *c, const weather *w, cudaStream_t stream);

/* Memory for so many worlds in one block, which has more bytes for other things behind them: at
 * *out + *behind. Their places are set in the fleet. */
size_t card_fleet_bytes(size_t worlds);
void card_fleet_place(fleet *v, void *memory, size_t worlds);

/* With few worlds a warp has so many of them that all schedulers of the card have a warp; 0: there are many.
 */
int card_worlds_per_warp(const zilch_cuda *c, size_t worlds);

#define CARD_TRY(call)                       \
    do {                                     \
        const zilch_status status_ = (call); \
        if (status_ != ZILCH_OK) {           \
            return status_;                  \
        }                                    \
    } while (0)

#endif
