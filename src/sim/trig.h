/* sinf and cosf, with the bits of the C library that Gymnasium's physics was measured with: a
 * polynomial in double precision, rounded once. For |x| < 1600 (250 turns); tests/test_sim.c. */
#ifndef ZI_TRIG_H
#define ZI_TRIG_H

#include "base/simd.h"

/* Of n quarter turns and r more; x is their sum. */
ZI_LANE void zi_sincos_reduced(float angle, int n, double r, float *sine, float *cosine)
{
    const double x = (double)angle;
    const double magnitude = x < 0.0 ? -x : x;
    const double r2 = r * r;
    const double r3 = r * r2;
    const double r4 = r2 * r2;
    const double near_sine =
        (r + r3 * -0x1.555545995a603p-3) + (r3 * r2) * (0x1.1107605230bc4p-7 + r2 * -0x1.994eb3774cf24p-13);
    const double near_cosine = ((1.0 + r2 * -0x1.ffffffd0c621cp-2) + r4 * 0x1.55553e1068f19p-5) +
                               (r4 * r2) * (-0x1.6c087e89a359dp-10 + r2 * 0x1.99343027bf8c3p-16);
    const double chosen_sine = n & 1 ? near_cosine : near_sine;
    const double chosen_cosine = n & 1 ? near_sine : near_cosine;
    const int is_tiny = magnitude < 0x1p-12;
    *sine = is_tiny ? angle : (float)(n & 2 ? -chosen_sine : chosen_sine);
    *cosine = is_tiny ? 1.0F : (float)((n + 1) & 2 ? -chosen_cosine : chosen_cosine);
}

ZI_LANE void zi_sincos_single(float angle, float *sine, float *cosine)
{
    const double x = (double)angle;
    const double magnitude = x < 0.0 ? -x : x;
    /* n quarter turns, rounded to the nearest; a quarter turn in two parts where one is not enough. */
    const int64_t scaled = (int64_t)(x * 0x1.45F306DC9C883p+23);
    const int n = magnitude >= 0.75 ? (int)((scaled + (1 << 23)) >> 24) : 0;
    const double r = magnitude < 120.0 ? x - (double)n * 0x1.921FB54442D18p0
                                       : (x - (double)n * 0x1.921FB544p0) - (double)n * 0x1.0B4611A626331p-34;
    zi_sincos_reduced(angle, n, r, sine, cosine);
}

#define ZI_NEAR_ANGLE 120.0F

/* The same for |angle| < ZI_NEAR_ANGLE, for loops: SSE2 and AVX2 have no vectors of conversions to 64 bits.
 */
ZI_LANE void zi_sincos_near(float angle, float *sine, float *cosine)
{
    const double x = (double)angle;
    const double magnitude = x < 0.0 ? -x : x;
    const int32_t scaled = (int32_t)(x * 0x1.45F306DC9C883p+23);
    const int n = magnitude >= 0.75 ? (scaled + (1 << 23)) >> 24 : 0;
    zi_sincos_reduced(angle, n, x - (double)n * 0x1.921FB54442D18p0, sine, cosine);
}

#endif
