/* A card that is none: the kernels of src/cuda and what they need of CUDA, on the processor. A kernel has run
 * when its launch returns. The 32 threads of a warp are fibers, which take turns at the functions that a warp
 * calls together.
 *
 * The environment says what kind of card it is:
 *   ZILCH_STANDIN_CARDS       how many there are; 1
 *   ZILCH_STANDIN_MEMORY      bytes on the card; without it, as many as are asked for
 *   ZILCH_STANDIN_PROCESSORS  multiprocessors; 1
 *   ZILCH_STANDIN_LOST        waits after which the card is lost; without it, none */
#include "cuda_runtime_api.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

/* ---- What kernels use -------------------------------------------------------------------------------- */

struct place {
    unsigned x;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

static thread_local place threadIdx, blockIdx, blockDim;

#define __global__ static
#define __launch_bounds__(...)

enum { LANES_OF_WARP = 32, STACK = 1 << 18 };

/* A warp under way. Each meeting of its threads has the other one of two boards, so that the first to go on
 * does not overwrite what the others have not read. */
struct warp {
    ucontext_t home, fiber[LANES_OF_WARP];
    bool is_over[LANES_OF_WARP];
    unsigned lane;
    uint64_t board[2][LANES_OF_WARP];
    unsigned meeting[LANES_OF_WARP];
    void (*body)(void *);
    void *arguments;
};

static thread_local warp *now;

/* Gives the board on which every thread has written. */
static const uint64_t *meet(uint64_t value)
{
    const unsigned lane = now->lane;
    uint64_t *board = now->board[now->meeting[lane]++ & 1];
    board[lane] = value;
    swapcontext(&now->fiber[lane], &now->home);
    return board;
}

static void __syncwarp()
{
    meet(0);
}

static int __shfl_sync(unsigned, int value, int lane)
{
    return (int)meet((uint64_t)(uint32_t)value)[lane];
}

static int __shfl_up_sync(unsigned, int value, unsigned by)
{
    const unsigned lane = now->lane;
    const uint64_t *board = meet((uint64_t)(uint32_t)value);
    return lane >= by ? (int)board[lane - by] : value;
}

static unsigned __ballot_sync(unsigned, int vote)
{
    const uint64_t *board = meet(vote != 0);
    unsigned all = 0;
    for (int i = 0; i < LANES_OF_WARP; i++) {
        all |= (unsigned)board[i] << i;
    }
    return all;
}

static unsigned __match_any_sync(unsigned, int value)
{
    const uint64_t *board = meet((uint64_t)(uint32_t)value);
    unsigned same = 0;
    for (int i = 0; i < LANES_OF_WARP; i++) {
        same |= (unsigned)(board[i] == (uint32_t)value) << i;
    }
    return same;
}

static int __ffs(int value)
{
    return __builtin_ffs(value);
}

static int __popc(unsigned value)
{
    return __builtin_popcount(value);
}

template <typename T> static T atomicAdd(T *at, T value)
{
    const T before = *at;
    *at += value;
    return before;
}

/* ---- Launching ------------------------------------------------------------------------------------------
 */

static void fiber_main()
{
    now->body(now->arguments);
    now->is_over[now->lane] = true;
}

/* All threads of a warp to their next meeting, in turn, until all are over. */
static void run_warp(warp *w, char *stacks, unsigned first)
{
    bool is_running = true;
    for (unsigned i = 0; i < LANES_OF_WARP; i++) {
        getcontext(&w->fiber[i]);
        w->fiber[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
        w->fiber[i].uc_stack.ss_size = STACK;
        w->fiber[i].uc_link = &w->home;
        makecontext(&w->fiber[i], fiber_main, 0);
        w->is_over[i] = false;
        w->meeting[i] = 0;
    }
    while (is_running) {
        is_running = false;
        for (unsigned i = 0; i < LANES_OF_WARP; i++) {
            if (!w->is_over[i]) {
                w->lane = i;
                threadIdx.x = first + i;
                swapcontext(&w->home, &w->fiber[i]);
                is_running |= !w->is_over[i];
            }
        }
    }
}

static void run_grid(unsigned blocks, unsigned threads, void (*body)(void *), void *arguments)
{
    static thread_local char *stacks;
    static thread_local warp w;
    stacks = stacks ? stacks : (char *)malloc((size_t)LANES_OF_WARP * STACK);
    if (!stacks) {
        abort();
    }
    now = &w;
    w.body = body;
    w.arguments = arguments;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        for (unsigned first = 0; first < threads; first += LANES_OF_WARP) {
            run_warp(&w, stacks, first);
        }
    }
}

#define LAUNCH(kernel, blocks, threads, stream, ...)                                     \
    do {                                                                                 \
        (void)(stream);                                                                  \
        auto call = [&] { kernel(__VA_ARGS__); };                                        \
        run_grid((blocks), (threads), [](void *c) { (*(decltype(call) *)c)(); }, &call); \
    } while (0)

#include "cuda/kernels.cu"

/* ---- The runtime ------------------------------------------------------------------------------------------
 */

static std::atomic<size_t> used;
static std::atomic<long> waits;
static thread_local cudaError_t last;
static thread_local int current;

static long setting(const char *name, long usual)
{
    const char *text = getenv(name);
    return text ? strtol(text, nullptr, 10) : usual;
}

static cudaError_t told(cudaError_t error)
{
    const long lost = setting("ZILCH_STANDIN_LOST", -1);
    if (error == cudaSuccess && lost >= 0 && waits > lost) {
        error = cudaErrorLaunchFailure;
    }
    last = error == cudaSuccess ? last : error;
    return error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = (int)setting("ZILCH_STANDIN_CARDS", 1);
    return *count ? cudaSuccess : told(cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return told(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    current = device;
    return told(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    snprintf(out->name, sizeof out->name, "stand-in %d", device);
    out->multiProcessorCount = (int)setting("ZILCH_STANDIN_PROCESSORS", 1);
    return told(cudaSuccess);
}

static size_t all_memory()
{
    return (size_t)setting("ZILCH_STANDIN_MEMORY", 1L << 40);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    *all_bytes = all_memory();
    *free_bytes = *all_bytes - used;
    return told(cudaSuccess);
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorNoDevice       ? "no CUDA-capable device is detected"
                                              : "unspecified launch failure";
}

/* Its size stands before the memory, which is not what malloc has cleared. */
enum { BEFORE = 256 };

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    char *block =
        used + bytes > all_memory() ? nullptr : (char *)aligned_alloc(BEFORE, (bytes / BEFORE + 2) * BEFORE);
    *out = nullptr;
    if (!block) {
        return told(cudaErrorMemoryAllocation);
    }
    memcpy(block, &bytes, sizeof bytes);
    memset(block + BEFORE, 0xa5, bytes);
    used += bytes;
    *out = block + BEFORE;
    return told(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    size_t bytes;
    if (memory) {
        memcpy(&bytes, (char *)memory - BEFORE, sizeof bytes);
        used -= bytes;
        free((char *)memory - BEFORE);
    }
    return told(cudaSuccess);
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    *out = malloc(bytes);
    return told(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *memory)
{
    free(memory);
    return told(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    memcpy(to, from, bytes);
    return told(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t)
{
    memset(memory, value, bytes);
    return told(cudaSuccess);
}

/* Streams and events are a byte each, so that what is not given back is seen. */
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned)
{
    *out = (cudaStream_t)malloc(1);
    return told(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return told(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return told(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return told(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned)
{
    *out = (cudaEvent_t)malloc(1);
    return told(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return told(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
    return told(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    waits++;
    return told(cudaSuccess);
}
