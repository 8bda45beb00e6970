/* What the host says to a card: plain C, so that both compilers read it. The functions are those of
 * kernels.cu; each queues kernels on a stream, and whether that succeeded is what CUDA tells afterwards. */
#ifndef ZI_LAUNCH_H
#define ZI_LAUNCH_H

#include "sim/pilot.h"
#include "zilch_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* what a cudaStream_t points to */
struct flight;
struct problem;
struct others;

enum { ZI_WARP = 32 };

/* What worlds are made with. */
typedef struct weather {
    double gravity, wind_power, turbulence_power;
    int wind, max_steps;
} weather;

/* The memory of some worlds on a card. Its arrays may be made for more worlds than there are. */
typedef struct fleet {
    int worlds;
    struct flight *world;
    struct problem *problems; /* a world's */
    struct others *other;
    int *list;  /* two sets of lists of worlds */
    int *count; /* three sets of their lengths: of steps in turn */
} fleet;

/* Episodes to fly: number k with policy (first + k) / each; without policies by the heuristic. */
typedef struct mission {
    weather weather;
    const zi_policy *policy;
    const uint64_t *seed;
    zilch_episode *out;
    unsigned long long first, each, count;
    unsigned long long *next, *done;
} mission;

/* Worlds stepped by somebody else. actions: two a world, or one if they are choices; NULL: none, only worlds
 * that are new step. */
typedef struct lesson {
    weather weather;
    const void *actions;
    int kind;     /* a zilch_cuda_actions */
    int restarts; /* worlds that have ended begin anew instead of a step */
    float *observation;
    double *reward;
    unsigned char *terminated, *truncated;
} lesson;

/* Bytes of a fleet's arrays: of the first three, for a world; of the lists for a world; of the lengths. */
typedef struct fleet_bytes {
    size_t world, problem, other, list, count;
} fleet_bytes;
fleet_bytes zi_fleet_bytes(void);

/* The wind, once for a card: a number for each time from -ZI_GUSTS_BEFORE on. */
enum { ZI_GUSTS_BEFORE = 10000, ZI_MOST_WINDY_STEPS = 100000 };
enum { ZI_GUSTS = 2 * ZI_GUSTS_BEFORE + ZI_MOST_WINDY_STEPS };
void zi_put_gusts(struct CUstream_st *stream, const double *gust);

/* ZILCH_POLICY_PARAMETERS for each. */
void zi_launch_policies(struct CUstream_st *stream, const double *parameters, size_t count, zi_policy *out);

/* Worlds that are to begin anew: those of a mask, or all; with seeds, or with the random numbers that come
 * next. All are arrays on the card. */
void zi_launch_renew(struct CUstream_st *stream, const fleet *v, const unsigned char *mask,
                     const uint64_t *seed);

/* Some steps of episodes, for few worlds: so many in each warp. */
void zi_launch_fly(struct CUstream_st *stream, const fleet *v, const mission *m, int per_warp, int steps);

/* Step number `step` of episodes, from 0, for many worlds. */
void zi_launch_step(struct CUstream_st *stream, const fleet *v, const mission *m, int step);

/* A lesson for few worlds; and for many, which is number `step` of its fleet. */
void zi_launch_lesson(struct CUstream_st *stream, const fleet *v, const lesson *s, int per_warp);
void zi_launch_wide_lesson(struct CUstream_st *stream, const fleet *v, const lesson *s, int step);

#ifdef __cplusplus
}
#endif

#endif
