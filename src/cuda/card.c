/* A card: opened, closed, and asked; and what its episodes and its worlds for learners share.
 *
 * The host is C and knows CUDA by its runtime's interface in C; what runs on the card is C++ (kernels.cu). A
 * failure that CUDA calls sticky ends all work on the card for this process, and is remembered. */
#include "cuda/card.h"

#include "sim/lander.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors ---------------------------------------------------------------------------------------- */

zilch_status card_fail(zilch_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return zilch_fail(status, text);
}

/* There is no card to open. */
static zilch_status fail_absent(cudaError_t error)
{
    return card_fail(ZILCH_EUNAVAILABLE, "cuda: there is no NVIDIA graphics card with a driver here: %s",
                     cudaGetErrorString(error));
}

/* It is there, but cannot run what this library has for it. */
static int is_unsuitable(cudaError_t error)
{
    return error == cudaErrorNoKernelImageForDevice || error == cudaErrorUnsupportedPtxVersion ||
           error == cudaErrorInvalidPtx || error == cudaErrorJitCompilerNotFound ||
           error == cudaErrorInvalidKernelImage;
}

static int is_absent(cudaError_t error)
{
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
           error == cudaErrorSystemDriverMismatch || error == cudaErrorSystemNotReady ||
           error == cudaErrorCompatNotSupportedOnDevice || error == cudaErrorStubLibrary ||
           error == cudaErrorInitializationError;
}

zilch_status card_check(zilch_cuda *c, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) {
        return ZILCH_OK;
    }
    (void)cudaGetLastError(); /* the next launch shall not be blamed for this */
    if (error == cudaErrorMemoryAllocation) {
        return card_fail(ZILCH_ENOMEM, "cuda: %s: out of memory on the card: %s", c->name, what);
    }
    if (is_unsuitable(error)) {
        return card_fail(ZILCH_EUNAVAILABLE,
                         "cuda: %s: this build has no code for the card: %s (%s); build zilch with "
                         "-DZILCH_CUDA_ARCHITECTURES=native",
                         c->name, what, cudaGetErrorString(error));
    }
    c->is_lost = 1;
    return card_fail(ZILCH_EIO, "cuda: %s: the card failed: %s: %s", c->name, what,
                     cudaGetErrorString(error));
}

zilch_status card_launched(zilch_cuda *c, const char *what)
{
    return card_check(c, cudaGetLastError(), what);
}

zilch_status card_enter(zilch_cuda *c, int *before)
{
    *before = -1;
    if (c->is_lost) {
        return card_fail(ZILCH_EIO, "cuda: %s: the card failed before, and is not used any more", c->name);
    }
    CARD_TRY(card_check(c, cudaGetDevice(before), "asking for the current card"));
    return card_check(c, cudaSetDevice((int)c->device), "choosing the card");
}

void card_leave(int before)
{
    if (before >= 0) {
        (void)cudaSetDevice(before);
    }
}

zilch_status card_wait(zilch_cuda *c, cudaStream_t stream)
{
    CARD_TRY(card_check(c, cudaEventRecord(c->event, stream), "waiting for the card"));
    return card_check(c, cudaEventSynchronize(c->event), "waiting for the card");
}

/* ---- Opening ---------------------------------------------------------------------------------------- */

zilch_status zilch_cuda_count(unsigned *count)
{
    int found = 0;
    if (!count) {
        return zilch_fail(ZILCH_EARG, "cuda: no place for the count given");
    }
    const cudaError_t error = cudaGetDeviceCount(&found);
    *count = error == cudaSuccess && found > 0 ? (unsigned)found : 0;
    if (error == cudaSuccess) {
        return ZILCH_OK;
    }
    (void)cudaGetLastError();
    return is_absent(error)
               ? ZILCH_OK
               : card_fail(ZILCH_EIO, "cuda: cannot count the graphics cards: %s", cudaGetErrorString(error));
}

static zilch_status find(unsigned device)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count < 1) {
        (void)cudaGetLastError();
        return fail_absent(error == cudaSuccess ? cudaErrorNoDevice : error);
    }
    if (device >= (unsigned)count) {
        return card_fail(ZILCH_EARG, "cuda: there is no card %u; the first is card 0, and there %s %d",
                         device, count == 1 ? "is" : "are", count);
    }
    return ZILCH_OK;
}

static zilch_status look_at(zilch_cuda *c)
{
    struct cudaDeviceProp properties;
    CARD_TRY(card_check(c, cudaGetDeviceProperties(&properties, (int)c->device), "looking at it"));
    snprintf(c->name, sizeof c->name, "%s", properties.name);
    c->processors = properties.multiProcessorCount;
    return ZILCH_OK;
}

static zilch_status prepare(zilch_cuda *c)
{
    void *arrived;
    CARD_TRY(look_at(c));
    CARD_TRY(card_check(c, cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), "making a stream"));
    CARD_TRY(card_check(c,
                        cudaEventCreateWithFlags(&c->event, cudaEventBlockingSync | cudaEventDisableTiming),
                        "making an event"));
    CARD_TRY(card_check(c, cudaMallocHost(&arrived, sizeof *c->arrived), "memory that it shares"));
    c->arrived = arrived;
    return ZILCH_OK;
}

zilch_status zilch_cuda_open(zilch_cuda **out, unsigned device)
{
    int before;
    if (!out) {
        return zilch_fail(ZILCH_EARG, "cuda: no place for the card given");
    }
    *out = NULL;
    CARD_TRY(find(device));
    zilch_cuda *c = calloc(1, sizeof *c);
    if (!c) {
        return zilch_fail(ZILCH_ENOMEM, "cuda: no memory for a card");
    }
    c->device = device;
    snprintf(c->name, sizeof c->name, "card %u", device);
    zilch_status status = card_enter(c, &before);
    status = status == ZILCH_OK ? prepare(c) : status;
    card_leave(before);
    if (status != ZILCH_OK) {
        zilch_cuda_close(c);
        return status;
    }
    *out = c;
    return ZILCH_OK;
}

/* A lost card gives nothing back, and CUDA fails then without a message. */
void zilch_cuda_close(zilch_cuda *cuda)
{
    int before = -1;
    if (!cuda) {
        return;
    }
    if (cudaGetDevice(&before) == cudaSuccess && cudaSetDevice((int)cuda->device) == cudaSuccess) {
        if (cuda->stream) {
            (void)cudaStreamSynchronize(cuda->stream);
            (void)cudaStreamDestroy(cuda->stream);
        }
        if (cuda->event) {
            (void)cudaEventDestroy(cuda->event);
        }
        (void)cudaFree(cuda->memory);
        (void)cudaFree(cuda->desk);
        (void)cudaFreeHost(cuda->arrived);
    }
    (void)cudaGetLastError();
    card_leave(before);
    free(cuda);
}

/* ---- Asking ------------------------------------------------------------------------------------------ */

const char *zilch_cuda_name(const zilch_cuda *cuda)
{
    return cuda->name;
}

unsigned zilch_cuda_device(const zilch_cuda *cuda)
{
    return cuda->device;
}

zilch_status zilch_cuda_memory(zilch_cuda *cuda, size_t *free_bytes, size_t *all_bytes)
{
    int before;
    if (!cuda || !free_bytes || !all_bytes) {
        return zilch_fail(ZILCH_EARG, "cuda: a card and places for both numbers must be given");
    }
    zilch_status status = card_enter(cuda, &before);
    if (status == ZILCH_OK) {
        status = card_check(cuda, cudaMemGetInfo(free_bytes, all_bytes), "asking for its memory");
    }
    card_leave(before);
    return status;
}

/* ---- Worlds ------------------------------------------------------------------------------------------- */

/* By making a lander with them, which the library refuses in its own words. */
zilch_status card_options(const zilch_lander_options *options, zilch_lander_options *out)
{
    zilch_lander *tried;
    *out = options ? *options : zilch_lander_defaults();
    out->lanes = 0;
    CARD_TRY(zilch_lander_create(&tried, 1, out));
    zilch_lander_destroy(tried);
    if (out->wind && out->max_steps > ZI_MOST_WINDY_STEPS) {
        return card_fail(ZILCH_EARG,
                         "cuda: with wind, an episode's most steps must be from 1 to %d on a card, not %u",
                         ZI_MOST_WINDY_STEPS, out->max_steps);
    }
    return ZILCH_OK;
}

weather card_weather(const zilch_lander_options *options)
{
    return (weather){.gravity = options->gravity,
                     .wind_power = options->wind_power,
                     .turbulence_power = options->turbulence_power,
                     .wind = options->wind,
                     .max_steps = (int)options->max_steps};
}

/* Each handle writes the same bytes to the same place, so that others may read it meanwhile. */
zilch_status card_put_wind(zilch_cuda *c, const weather *w, cudaStream_t stream)
{
    if (!w->wind || c->has_gusts) {
        return ZILCH_OK;
    }
    double *gust = malloc(ZI_GUSTS * sizeof *gust);
    if (!gust) {
        return zilch_fail(ZILCH_ENOMEM, "cuda: no memory for the wind");
    }
    for (int i = 0; i < ZI_GUSTS; i++) {
        gust[i] = ZI_GUST((double)(i - ZI_GUSTS_BEFORE));
    }
    zi_put_gusts(stream, gust);
    zilch_status status = card_launched(c, "bringing it the wind");
    status = status == ZILCH_OK ? card_wait(c, stream) : status;
    free(gust);
    c->has_gusts = status == ZILCH_OK;
    return status;
}

static size_t aligned(size_t bytes)
{
    enum { ALIGNMENT = 256 };
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t card_fleet_bytes(size_t worlds)
{
    const fleet_bytes b = zi_fleet_bytes();
    return aligned(worlds * b.world) + aligned(worlds * b.problem) + aligned(worlds * b.other) +
           aligned(worlds * b.list) + aligned(b.count);
}

void card_fleet_place(fleet *v, void *memory, size_t worlds)
{
    const fleet_bytes b = zi_fleet_bytes();
    char *at = memory;
    v->worlds = (int)worlds;
    v->world = (struct flight *)(void *)at;
    at += aligned(worlds * b.world);
    v->problems = (struct problem *)(void *)at;
    at += aligned(worlds * b.problem);
    v->other = (struct others *)(void *)at;
    at += aligned(worlds * b.other);
    v->list = (int *)(void *)at;
    at += aligned(worlds * b.list);
    v->count = (int *)(void *)at;
}

int card_worlds_per_warp(const zilch_cuda *c, size_t worlds)
{
    enum { SCHEDULERS = 4, MOST = 2 * ZI_WARP }; /* of a multiprocessor; worlds for each of them */
    const size_t warps = (size_t)c->processors * SCHEDULERS;
    if (worlds > warps * MOST) {
        return 0;
    }
    const size_t each = (worlds + warps - 1) / warps;
    return each < ZI_WARP ? (int)each : ZI_WARP;
}
