/* Launching the kernels: what launch.h declares. A compiler without CUDA that has another LAUNCH, and the
 * words of CUDA that the kernels use, makes the same functions for a processor (tests/cuda/standin.cpp). */
#include "cuda/kernels.cuh"

#ifdef __CUDACC__
#define LAUNCH(kernel, blocks, threads, stream, ...) kernel<<<(blocks), (threads), 0, (stream)>>>(__VA_ARGS__)
#endif

static unsigned blocks_of(size_t threads, size_t block)
{
    return (unsigned)((threads + block - 1) / block);
}

/* So many warps that each list begins with a new one. */
static size_t listed_threads(const fleet *v)
{
    return (size_t)v->worlds + (size_t)LISTS * WARP;
}

static size_t spread_threads(const fleet *v, int per_warp)
{
    return ((size_t)v->worlds + (size_t)per_warp - 1) / (size_t)per_warp * WARP;
}

fleet_bytes zi_fleet_bytes(void)
{
    const fleet_bytes bytes = {sizeof(flight), sizeof(problem), sizeof(others), 2 * LISTS * sizeof(int),
                               3 * LISTS * sizeof(int)};
    return bytes;
}

void zi_put_gusts(struct CUstream_st *stream, const double *gust)
{
#ifdef __CUDACC__
    cudaMemcpyToSymbolAsync(zi_gusts, gust, sizeof zi_gusts, 0, cudaMemcpyHostToDevice, stream);
#else
    (void)stream;
    memcpy(zi_gusts, gust, sizeof zi_gusts);
#endif
}

void zi_launch_policies(struct CUstream_st *stream, const double *parameters, size_t count, zi_policy *out)
{
    LAUNCH(policy_kernel, blocks_of(count, FLY_BLOCK), FLY_BLOCK, stream, parameters,
           (unsigned long long)count, out);
}

void zi_launch_renew(struct CUstream_st *stream, const fleet *v, const unsigned char *mask,
                     const uint64_t *seed)
{
    LAUNCH(renew_kernel, blocks_of((size_t)v->worlds, ADVANCE_BLOCK), ADVANCE_BLOCK, stream, *v, mask, seed);
}

void zi_launch_fly(struct CUstream_st *stream, const fleet *v, const mission *m, int per_warp, int steps)
{
    LAUNCH(fly_kernel, blocks_of(spread_threads(v, per_warp), FLY_BLOCK), FLY_BLOCK, stream, *v, *m, per_warp,
           steps);
}

void zi_launch_step(struct CUstream_st *stream, const fleet *v, const mission *m, int step)
{
    LAUNCH(advance_kernel, blocks_of(listed_threads(v), ADVANCE_BLOCK), ADVANCE_BLOCK, stream, *v, *m, step);
    LAUNCH(solve_kernel, blocks_of(listed_threads(v), SOLVE_BLOCK), SOLVE_BLOCK, stream, *v, step);
}

void zi_launch_lesson(struct CUstream_st *stream, const fleet *v, const lesson *s, int per_warp)
{
    LAUNCH(lesson_kernel, blocks_of(spread_threads(v, per_warp), FLY_BLOCK), FLY_BLOCK, stream, *v, *s,
           per_warp);
}

void zi_launch_wide_lesson(struct CUstream_st *stream, const fleet *v, const lesson *s, int step)
{
    LAUNCH(prepare_kernel, blocks_of(listed_threads(v), ADVANCE_BLOCK), ADVANCE_BLOCK, stream, *v, *s, step);
    LAUNCH(solve_kernel, blocks_of(listed_threads(v), SOLVE_BLOCK), SOLVE_BLOCK, stream, *v, step);
    LAUNCH(conclude_kernel, blocks_of(listed_threads(v), ADVANCE_BLOCK), ADVANCE_BLOCK, stream, *v, *s, step);
}
