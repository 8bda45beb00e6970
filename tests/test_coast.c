/* The leap over equal additions (src/sim/lanes_coast.inc) against the additions one by one. */
#include "support.h"
#include "zilch.h"

#define LANES 4
#define NAME solve_here
#include "sim/lanes.h"
void NAME(zi_rider *const *rider, int count, const zi_slots *slots, int is_quick);
#include "sim/lanes_body.inc"

#include <math.h>

enum { CASES = 400000, MOST_PAIRS = 90 };

/* A number of any size and sign; now and then 0 or one that few digits tell. */
static float draw(zilch_rng *rng, int least, int most)
{
    const int exponent = least + (int)((most - least) * zilch_rng_uniform(rng));
    const double digits = zilch_rng_uniform(rng);
    const double kind = zilch_rng_uniform(rng);
    const double size = kind < 0.05 ? 0.0 : kind < 0.4 ? floor(8.0 * digits) / 8.0 : digits;
    return (float)ldexp(zilch_rng_uniform(rng) < 0.5 ? -size : size, exponent);
}

/* With the number of limits that would have pulled on the way. */
static float add_one_by_one(float x, float a, float b, int pairs, int limit, int *pulls)
{
    *pulls = 0;
    for (int k = 0; k < 2 * pairs; k++) {
        x += k % 2 ? b : a;
        *pulls += limit == ZI_LIMIT_LOWER ? x < 0.0F : x > 0.0F;
    }
    return x;
}

static void leaps_are_the_additions(void **nothing)
{
    (void)nothing;
    zilch_rng rng = zilch_rng_make(1, 0);
    size_t leapt = 0;
    for (int n = 0; n < CASES / SLOWNESS; n++) {
        float start[LANES], first[LANES], second[LANES], got[LANES];
        int32_t pairs[LANES], upper[LANES];
        vf x, a, b;
        vi count, pulls = {0};
        linkage limit = {.is_free = {0}};
        for (int l = 0; l < LANES; l++) {
            start[l] = draw(&rng, -6, 6);
            first[l] = draw(&rng, -32, 4);
            second[l] = zilch_rng_uniform(&rng) < 0.5 ? draw(&rng, -32, 4) : first[l];
            pairs[l] = (int32_t)(MOST_PAIRS * zilch_rng_uniform(&rng));
            upper[l] = start[l] > 0.0F ? 0 : INT32_MIN;
        }
        memcpy(&x, start, sizeof x);
        memcpy(&a, first, sizeof a);
        memcpy(&b, second, sizeof b);
        memcpy(&count, pairs, sizeof count);
        memcpy(&limit.upper, upper, sizeof limit.upper);
        repeat(&x, &a, &b, &count, &limit, &pulls);
        memcpy(got, &x, sizeof got);
        for (int l = 0; l < LANES; l++) {
            int times;
            const int kind = upper[l] ? ZI_LIMIT_UPPER : ZI_LIMIT_LOWER;
            const float expected = add_one_by_one(start[l], first[l], second[l], pairs[l], kind, &times);
            if (memcmp(&got[l], &expected, sizeof expected) != 0 || !pulls[l] != !times) {
                fail_msg("%d times %a + %a + %a: %a, not %a; %d pulls", (int)pairs[l], (double)start[l],
                         (double)first[l], (double)second[l], (double)got[l], (double)expected, times);
            }
            leapt += expected != start[l];
        }
    }
    print_message("    %zu numbers moved\n", leapt);
    assert_true(leapt > CASES / SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaps_are_the_additions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
