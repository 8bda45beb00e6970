/* The kernels. Many worlds: `advance` takes each from the solution of its velocity problem to the next
 * problem, `solve` does the problems; both go through lists of worlds of a kind, so that the threads of a
 * warp go the same way. Few worlds: `fly` takes whole steps, with so few worlds in a warp that the card has a
 * warp for each of its schedulers. */
#ifndef ZI_CUDA_KERNELS_CUH
#define ZI_CUDA_KERNELS_CUH

#include "cuda/flight.cuh"

enum { WARP = ZI_WARP, ADVANCE_BLOCK = 128, SOLVE_BLOCK = 128, FLY_BLOCK = 32 };

/* ---- Memory ------------------------------------------------------------------------------------ */

/* Words [from, to) of a flight, as quads around them. */
ZI_SIM static inline void copy_quads(void *to, const void *from, size_t begin, size_t end)
{
    uint4 *t = (uint4 *)to;
    const uint4 *f = (const uint4 *)from;
#pragma unroll 4
    for (size_t k = begin / sizeof *t; k < (end + sizeof *t - 1) / sizeof *t; k++) {
        t[k] = f[k];
    }
}

#define OF_WORLD(member) offsetof(zi_world, member)

/* The world stands first in a flight. Contacts that are not there are left out, and edges, which do not
 * change within an episode, on the way back. */
ZI_SIM static void flight_in(flight *to, const flight *from)
{
    copy_quads(to, from, 0, OF_WORLD(contact));
    const size_t contacts = (size_t)to->lander.world.contacts * sizeof(zi_contact);
    copy_quads(to, from, OF_WORLD(contact), OF_WORLD(contact) + contacts);
    copy_quads(to, from, OF_WORLD(moved), sizeof *to);
}

ZI_SIM static void flight_out(flight *to, const flight *from, int is_new)
{
    const size_t contacts = (size_t)from->lander.world.contacts * sizeof(zi_contact);
    copy_quads(to, from, 0, OF_WORLD(contact) + contacts);
    copy_quads(to, from, OF_WORLD(moved), is_new ? sizeof(zi_world) : OF_WORLD(edge));
    copy_quads(to, from, sizeof(zi_world), sizeof *to);
}

/* ---- Episodes ------------------------------------------------------------------------------------- */

/* The next episode for a world; gives whether there was one. */
ZI_SIM static int take_episode(const mission *m, flight *f)
{
    const unsigned long long episode = atomicAdd(m->next, 1ULL);
    if (episode >= m->count) {
        f->phase = IS_IDLE;
        return 0;
    }
    f->episode = episode;
    f->lander.rng = zi_pcg64_seed(m->seed[episode]);
    flight_begin(f, &m->weather);
    return 1;
}

ZI_SIM static void choose_action(const mission *m, const flight *f, double *action)
{
    action[0] = action[1] = 0.0;
    if (f->is_reset) {
        return;
    }
    if (m->policy) {
        zi_policy_act(&m->policy[(m->first + f->episode) / m->each], f->lander.observation, action);
    } else {
        zi_heuristic_act(f->lander.observation, action);
    }
}

/* Gives whether the world goes on, with this episode or another. */
ZI_SIM static int end_of_step(const mission *m, flight *f, int *is_new)
{
    if (f->phase != IS_NEW && !flight_is_over(f)) {
        return 1;
    }
    if (f->phase != IS_NEW) {
        m->out[f->episode] = flight_result(f);
        atomicAdd(m->done, 1ULL);
    }
    *is_new = 1;
    return take_episode(m, f);
}

/* ---- Few worlds ------------------------------------------------------------------------------------- */

/* Which world a thread has; -1: none. */
ZI_SIM static int own_world(int worlds, int per_warp)
{
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int lane = thread % WARP;
    const int world = thread / WARP * per_warp + lane;
    return lane < per_warp && world < worlds ? world : -1;
}

ZI_SIM static void solve_here(flight *f, problem *q, others *o, int bucket)
{
    if (bucket != NO_PROBLEM) {
        solve_bucket(bucket, q, o);
    }
    flight_conclude(f, q, o);
}

__global__ void __launch_bounds__(FLY_BLOCK) fly_kernel(fleet v, mission m, int per_warp, int steps)
{
    const int i = own_world(v.worlds, per_warp);
    if (i < 0) {
        return;
    }
    flight *f = &v.world[i];
    for (int k = 0; k < steps && f->phase != IS_IDLE; k++) {
        int is_new = 0;
        if (end_of_step(&m, f, &is_new)) {
            double action[2];
            problem q;
            choose_action(&m, f, action);
            const int bucket = flight_prepare(f, action, &q, &v.other[i]);
            solve_here(f, &q, &v.other[i], bucket);
        }
    }
}

/* ---- Many worlds -------------------------------------------------------------------------------------- */

/* Which place of which list a warp has to do with: gives the list, or -1, and in *k the place or -1. A list
 * begins with a new warp. */
ZI_SIM static int list_of_warp(const int *counts, int lists, int warp, int *k)
{
    const int lane = (int)(threadIdx.x % WARP);
    const int count = lane < lists ? counts[lane] : 0;
    const int own = (count + WARP - 1) / WARP;
    int sum = own; /* warps of the lists up to this lane's */
    for (int by = 1; by < WARP; by *= 2) {
        const int below = __shfl_up_sync(0xffffffffu, sum, (unsigned)by);
        sum += lane >= by ? below : 0;
    }
    const unsigned behind = __ballot_sync(0xffffffffu, warp < sum);
    if (!behind) {
        return -1;
    }
    const int list = __ffs((int)behind) - 1;
    const int first = __shfl_sync(0xffffffffu, sum - own, list);
    const int size = __shfl_sync(0xffffffffu, count, list);
    *k = (warp - first) * WARP + lane;
    *k = *k < size ? *k : -1;
    return list;
}

/* The world of this thread in step `step`, in the order of the lists of the step before; -1: none. */
ZI_SIM static int listed_world(const fleet *v, int step)
{
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (step == 0) {
        return thread < v->worlds ? thread : -1;
    }
    int k = -1;
    const int set = (step + 1) & 1;
    const int list = list_of_warp(v->count + (step + 2) % 3 * LISTS, LISTS, thread / WARP, &k);
    return list < 0 || k < 0 ? -1 : v->list[(size_t)(set * LISTS + list) * (size_t)v->worlds + (size_t)k];
}

/* Enters a world into the list of its bucket, or none if that is -1; by all threads of a warp. */
ZI_SIM static void enter_list(const fleet *v, int step, int world, int bucket)
{
    const int lane = (int)(threadIdx.x % WARP);
    int *count = v->count + step % 3 * LISTS;
    int *list = v->list + (size_t)((step & 1) * LISTS) * (size_t)v->worlds;
    const unsigned same = __match_any_sync(0xffffffffu, bucket);
    const int leader = __ffs((int)same) - 1;
    int base = 0;
    if (lane == leader && bucket >= 0) {
        base = atomicAdd(&count[bucket], __popc(same));
    }
    base = __shfl_sync(0xffffffffu, base, leader);
    if (bucket >= 0) {
        list[(size_t)bucket * (size_t)v->worlds + (size_t)(base + __popc(same & ((1u << lane) - 1u)))] =
            world;
    }
}

ZI_SIM static void clear_next_lists(const fleet *v, int step)
{
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (thread < LISTS) {
        v->count[(step + 1) % 3 * LISTS + thread] = 0;
    }
}

/* One world from a solution to the next problem; gives its list, or -1 if there are no more episodes. */
ZI_SIM static int advance(const fleet *v, const mission *m, int i)
{
    flight f;
    problem q;
    int is_new = 0;
    double action[2];
    flight_in(&f, &v->world[i]);
    if (f.phase == IS_IDLE) {
        return -1;
    }
    if (f.phase != IS_NEW) {
        q = v->problems[i];
        flight_conclude(&f, &q, &v->other[i]);
    }
    if (!end_of_step(m, &f, &is_new)) {
        v->world[i].phase = IS_IDLE;
        return -1;
    }
    choose_action(m, &f, action);
    const int bucket = flight_prepare(&f, action, &q, &v->other[i]);
    if (bucket != NO_PROBLEM) {
        v->problems[i] = q;
    }
    flight_out(&v->world[i], &f, is_new);
    return bucket;
}

#ifndef ADVANCE_BLOCKS
#define ADVANCE_BLOCKS 4 /* at least so many on a multiprocessor; decides the number of registers */
#endif
#ifndef SOLVE_BLOCKS
#define SOLVE_BLOCKS 4
#endif

__global__ void __launch_bounds__(ADVANCE_BLOCK, ADVANCE_BLOCKS) advance_kernel(fleet v, mission m, int step)
{
    clear_next_lists(&v, step);
    const int i = listed_world(&v, step);
    const int bucket = i >= 0 ? advance(&v, &m, i) : -1;
    __syncwarp();
    enter_list(&v, step, i, bucket);
}

__global__ void __launch_bounds__(SOLVE_BLOCK, SOLVE_BLOCKS) solve_kernel(fleet v, int step)
{
    const int warp = (int)((blockIdx.x * blockDim.x + threadIdx.x) / WARP);
    int k = -1;
    const int bucket = list_of_warp(v.count + step % 3 * LISTS, BUCKETS, warp, &k);
    if (bucket < 0 || k < 0) {
        return;
    }
    const int i = v.list[(size_t)((step & 1) * LISTS + bucket) * (size_t)v.worlds + (size_t)k];
    problem q = v.problems[i];
    solve_bucket(bucket, &q, &v.other[i]);
    v.problems[i] = q;
}

/* ---- Lessons ------------------------------------------------------------------------------------------ */

ZI_SIM static void given_action(const lesson *s, int i, double *action)
{
    if (s->kind == ZILCH_CUDA_FLOATS) {
        action[0] = (double)((const float *)s->actions)[2 * i];
        action[1] = (double)((const float *)s->actions)[2 * i + 1];
    } else if (s->kind == ZILCH_CUDA_DOUBLES) {
        action[0] = ((const double *)s->actions)[2 * i];
        action[1] = ((const double *)s->actions)[2 * i + 1];
    } else {
        const int64_t choice = ((const int64_t *)s->actions)[i]; /* nothing, left, main, right */
        action[0] = choice == 2 ? 1.0 : 0.0;
        action[1] = choice == 1 ? -1.0 : choice == 3 ? 1.0 : 0.0;
    }
    action[0] = action[0] == action[0] ? action[0] : 0.0; /* a card cannot fail: not a number is nothing */
    action[1] = action[1] == action[1] ? action[1] : 0.0;
}

/* What a world is to do in this lesson; gives whether it steps at all. */
ZI_SIM static int lesson_action(const lesson *s, flight *f, int i, double *action)
{
    action[0] = action[1] = 0.0;
    if (f->phase == IS_NEW || (s->actions && s->restarts && flight_is_over(f))) {
        flight_begin(f, &s->weather);
        return 1;
    }
    if (!s->actions || flight_is_over(f)) {
        return 0;
    }
    given_action(s, i, action);
    return 1;
}

ZI_SIM static void publish(const lesson *s, const flight *f, int i)
{
    const zi_lander *l = &f->lander;
    for (int k = 0; k < ZI_OBSERVATIONS; k++) {
        s->observation[(size_t)i * ZI_OBSERVATIONS + (size_t)k] = l->observation[k];
    }
    s->reward[i] = l->reward;
    s->terminated[i] = (unsigned char)l->terminated;
    s->truncated[i] = (unsigned char)l->truncated;
}

__global__ void __launch_bounds__(FLY_BLOCK) lesson_kernel(fleet v, lesson s, int per_warp)
{
    const int i = own_world(v.worlds, per_warp);
    double action[2];
    if (i >= 0 && lesson_action(&s, &v.world[i], i, action)) {
        problem q;
        const int bucket = flight_prepare(&v.world[i], action, &q, &v.other[i]);
        solve_here(&v.world[i], &q, &v.other[i], bucket);
        publish(&s, &v.world[i], i);
    }
}

/* The same in three kernels: this, solve_kernel, and the next. Worlds that do not step are in no list. */
__global__ void __launch_bounds__(ADVANCE_BLOCK, ADVANCE_BLOCKS) prepare_kernel(fleet v, lesson s, int step)
{
    clear_next_lists(&v, step);
    const int i = listed_world(&v, 0);
    int bucket = -1;
    if (i >= 0) {
        flight f;
        problem q;
        double action[2];
        flight_in(&f, &v.world[i]);
        const int was_ready = f.phase != IS_NEW && !flight_is_over(&f);
        if (lesson_action(&s, &f, i, action)) {
            bucket = flight_prepare(&f, action, &q, &v.other[i]);
            if (bucket != NO_PROBLEM) {
                v.problems[i] = q;
            }
            flight_out(&v.world[i], &f, !was_ready);
        }
    }
    __syncwarp();
    enter_list(&v, step, i, bucket);
}

__global__ void __launch_bounds__(ADVANCE_BLOCK, ADVANCE_BLOCKS) conclude_kernel(fleet v, lesson s, int step)
{
    const int i = listed_world(&v, step + 1);
    if (i >= 0) {
        flight f;
        flight_in(&f, &v.world[i]);
        const problem q = v.problems[i];
        flight_conclude(&f, &q, &v.other[i]);
        flight_out(&v.world[i], &f, 0);
        publish(&s, &f, i);
    }
}

/* ---- Beginning ---------------------------------------------------------------------------------------- */

__global__ void policy_kernel(const double *parameters, unsigned long long count, zi_policy *out)
{
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = zi_policy_of(parameters + i * ZILCH_POLICY_PARAMETERS);
    }
}

/* Worlds that are to begin anew: those of a mask, or all; with seeds, or with the random numbers that come
 * next. */
__global__ void renew_kernel(fleet v, const unsigned char *mask, const uint64_t *seed)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < v.worlds && (!mask || mask[i])) {
        v.world[i].phase = IS_NEW;
        if (seed) {
            v.world[i].lander.rng = zi_pcg64_seed(seed[i]);
        }
    }
}

#endif
