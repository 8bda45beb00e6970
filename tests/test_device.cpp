/* What a graphics card runs, made for the processor by an ordinary C++ compiler: the recorded episodes of the
 * real lander again, bit for bit (tests/reference/lander/README.md tells the format), and the published
 * controller's returns. */
#include "cuda/rounds.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <vector>

#ifndef SLOWNESS
#define SLOWNESS 1
#endif

typedef std::vector<unsigned char> bytes;

enum { PREFIX = 12, HEAD = 72, ACTION = 16, RESULT = 41, STEP = ACTION + RESULT, RETURN = 13 };

static int failures;

static void fail(const char *what, unsigned long long seed, unsigned step)
{
    fprintf(stderr, "%s: the episode of seed %llu differs after %u steps\n", what, seed, step);
    failures++;
}

static bytes read_recording(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lander/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    bytes all(1 << 21);
    all.resize(fread(all.data(), 1, all.size(), file));
    fclose(file);
    if (all.size() < PREFIX || memcmp(all.data(), "zlander1", 8) != 0) {
        fprintf(stderr, "%s: no recording\n", path);
        exit(1);
    }
    return all;
}

static void make_gusts(void)
{
    for (int i = 0; i < ZI_GUSTS; i++) {
        zi_gusts[i] = ZI_GUST((double)(i - ZI_GUSTS_BEFORE));
    }
}

static int landing_of(const zi_lander *l)
{
    return l->terminated  ? !l->world.body[ZI_LANDER].is_awake ? 0
                            : l->world.touch.crashed           ? 1
                                                               : 2
           : l->truncated ? 3
                          : -1;
}

static void reset(zi_lander *l, uint64_t seed, const unsigned char *head)
{
    double gravity;
    memset(l, 0, sizeof *l);
    memcpy(&gravity, head + 16, 8);
    memcpy(&l->wind_power, head + 24, 8);
    memcpy(&l->turbulence_power, head + 32, 8);
    l->has_wind = head[2];
    l->max_steps = ZI_MOST_STEPS;
    l->rng = zi_pcg64_seed(seed);
    zi_lander_begin(l, gravity);
}

/* Gives the number of steps. */
static uint32_t play(const unsigned char *head)
{
    static const double discrete[4][2] = {{0.0, 0.0}, {0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};
    zi_lander l;
    uint32_t steps;
    uint64_t seed;
    memcpy(&steps, head + 4, sizeof steps);
    memcpy(&seed, head + 8, sizeof seed);
    reset(&l, seed, head);
    if (memcmp(l.observation, head + 40, sizeof l.observation) != 0) {
        fail("recorded", seed, 0);
        return 0;
    }
    for (uint32_t k = 0; k < steps; k++) {
        const unsigned char *at = head + HEAD + (size_t)k * STEP;
        unsigned char result[RESULT];
        double action[2];
        memcpy(action, at, sizeof action);
        step_alone(&l, head[1] ? discrete[(int)action[0]] : action);
        memcpy(result, l.observation, 32);
        memcpy(result + 32, &l.reward, 8);
        result[40] = (unsigned char)(l.terminated | l.truncated << 1);
        if (memcmp(result, at + ACTION, RESULT) != 0) {
            fail("recorded", seed, k + 1);
            return k;
        }
    }
    if (landing_of(&l) != head[3]) {
        fail("ending", seed, steps);
    }
    return steps;
}

static void play_recorded(const bytes &all)
{
    uint32_t count, steps = 0;
    memcpy(&count, &all[8], sizeof count);
    const unsigned char *head = &all[PREFIX];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own;
        memcpy(&own, head + 4, sizeof own);
        steps += i % SLOWNESS == 0 || i >= 60 ? play(head) : 0;
        head += HEAD + (size_t)own * STEP;
    }
    printf("%u steps as recorded\n", steps);
    if (SLOWNESS == 1 && steps != 14758) {
        failures++;
    }
}

/* The published controller, as terms. */
static zi_policy published(void)
{
    static const zi_term main_engine[] = {{-2.5988, 1, -1}, {-1.7162, 3, -1}, {-0.0226, 0, 7},
                                          {-2.8239, 1, 1},  {4.0005, 3, 3},   {-0.4014, 7, 7}};
    static const zi_term side_engine[] = {{-1.6502, 2, -1}, {3.6608, 4, -1}, {-2.1, 0, 1},  {2.7215, 1, 5},
                                          {3.0316, 2, 3},   {-3.3986, 3, 5}, {0.0506, 4, 7}};
    zi_policy policy;
    memset(&policy, 0, sizeof policy);
    policy.engine[0].count = 6;
    policy.engine[1].count = 7;
    memcpy(policy.engine[0].term, main_engine, sizeof main_engine);
    memcpy(policy.engine[1].term, side_engine, sizeof side_engine);
    return policy;
}

static void play_published(const bytes &all, uint32_t seeds)
{
    const zi_policy policy = published();
    for (uint32_t seed = 0; seed < seeds; seed++) {
        const unsigned char *at = &all[PREFIX + (size_t)RETURN * seed];
        zi_lander l;
        double total = 0.0;
        memset(&l, 0, sizeof l);
        zi_lander_reset(&l, seed, -10.0);
        while (!l.terminated && !l.truncated) {
            double action[2];
            zi_policy_act(&policy, l.observation, action);
            step_alone(&l, action);
            total += l.reward;
        }
        if (memcmp(&total, at, 8) != 0 || landing_of(&l) != at[12]) {
            fail("published", seed, (unsigned)l.steps);
        }
    }
    printf("%u returns as recorded\n", seeds);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_device FOLDER, that of the reference tables\n");
        return 2;
    }
    make_gusts();
    play_recorded(read_recording(argv[1], "episodes.bin"));
    play_published(read_recording(argv[1], "returns.bin"), 200 / SLOWNESS);
    return failures ? 1 : 0;
}
