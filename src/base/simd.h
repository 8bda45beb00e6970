/* Elementary functions that vectorise: branch-free scalar code, to be called in a
 * plain loop inside a function marked ZI_CLONES. The compiler then makes one copy of
 * that loop for SSE2, one for AVX2 and one for AVX-512, chosen when the program
 * starts. Nothing is contracted or reassociated, so a loop of any width and a single
 * scalar call give the same bits, on every processor.
 *
 * Coefficients: tools/coefficients.py. Errors were measured in units of the last
 * place over the stated ranges (tests/test_simd.c).
 */
#ifndef ZI_SIMD_H
#define ZI_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(ZI_NO_CLONES)
#define ZI_CLONES /* for tools that cannot bear functions chosen at start, such as ThreadSanitizer */
#elif defined(__x86_64__) && defined(__GNUC__) && defined(__ELF__)
#define ZI_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ZI_CLONES
#endif

/* Before a loop whose turns do not touch each other's memory, where the compiler cannot see it. */
#if defined(__clang__)
#define ZI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ZI_INDEPENDENT _Pragma("GCC ivdep")
#else
#define ZI_INDEPENDENT
#endif

#ifdef __CUDACC__
#define ZI_LANE __device__ static inline __attribute__((always_inline))
#else
#define ZI_LANE static inline __attribute__((always_inline))
#endif

enum { ZI_LANES = 8 }; /* doubles in the widest register */

ZI_LANE uint64_t zi_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ZI_LANE double zi_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* c[0] + c[1] x + ..., as an even and an odd half by Horner's rule: half the latency
 * of one chain. Unrolled, as count is constant. */
ZI_LANE double zi_polynomial(const double *c, int count, double x)
{
    const double square = x * x;
    double even = c[(count - 1) & ~1];
    double odd = c[(count - 2) | 1];
    for (int i = ((count - 1) & ~1) - 2; i >= 0; i -= 2) {
        even = even * square + c[i];
    }
    for (int i = ((count - 2) | 1) - 2; i >= 1; i -= 2) {
        odd = odd * square + c[i];
    }
    return even + x * odd;
}

/* Adding this rounds |x| < 2^51 to an integer, which stands in the low bits. */
#define ZI_ROUND 0x1.8p52

/* 2^k for an integer-valued k in [-1022, 1023]. */
ZI_LANE double zi_power_of_2(double k)
{
    return zi_from_bits((zi_bits(k + ZI_ROUND) << 52) + ((uint64_t)1023 << 52));
}

/* exp(x) to 1 ulp, gradual underflow included; Inf above 709.78, 0 below -745.2.
 * x = k log 2 + r; the power is applied in two halves so that neither overflows. */
ZI_LANE double zi_exp(double x)
{
    static const double c[] = {0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
                               0x1.11111111100dfp-7,  0x1.6c16c16c162d6p-10, 0x1.a01a01abe62ddp-13,
                               0x1.a01a01a6d7808p-16, 0x1.71de02375656cp-19, 0x1.27e4db67b4303p-22,
                               0x1.af4ddd84882fep-26, 0x1.1f72fc730b4ffp-29};
    const double above = x < -746.0 ? -746.0 : x;
    const double inside = above > 710.0 ? 710.0 : above;
    const double k = (inside * 0x1.71547652b82fep+0 + ZI_ROUND) - ZI_ROUND;
    const double r = (inside - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    const double e = (r * r * zi_polynomial(c, 11, r) + r) + 1.0;
    const double half = (k * 0.5 + ZI_ROUND) - ZI_ROUND;
    return e * zi_power_of_2(half) * zi_power_of_2(k - half);
}

/* log(x) to 1 ulp for normal positive x; nothing is promised of other x.
 * x = 2^k m with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m - 1)/(m + 1)). */
ZI_LANE double zi_log(double x)
{
    static const double c[] = {0x1.5555555555558p-1, 0x1.99999999952e2p-2, 0x1.2492492df148dp-2,
                               0x1.c71c62e5800a1p-3, 0x1.7462b4ab2ef6bp-3, 0x1.39fe606542ddep-3,
                               0x1.2b584aae78a57p-3};
    const uint64_t sqrt_half = 0x3fe6a09e667f3bcdu;
    /* Moving the mantissa's origin to sqrt(1/2) makes the exponent field round. */
    const uint64_t moved = zi_bits(x) - sqrt_half + ((uint64_t)1023 << 52);
    const double k = zi_from_bits((moved >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    const double m = zi_from_bits((moved & 0x000fffffffffffffu) + sqrt_half);
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    /* log(1 + f) = f - s (f - z P(z)): 2 s = f - s f keeps f's own digits. */
    const double correction = s * (f - z * zi_polynomial(c, 7, z));
    return k * 0x1.62e42fee00000p-1 + (f - (correction - k * 0x1.a39ef35793c76p-33));
}

/* sin and cos of x quarter turns (x pi / 2), |x| < 2^50, to 2.5e-16 absolute. */
ZI_LANE void zi_sincos_quarters(double x, double *sine, double *cosine)
{
    static const double s[] = {0x1.921fb54442d18p+0,  -0x1.4abbce625be53p-1, 0x1.466bc6775aad9p-4,
                               -0x1.32d2cce62ac22p-8, 0x1.50783485cbd83p-13, -0x1.e3074b4ff3058p-19,
                               0x1.e8eed12ee00a3p-25, -0x1.6c5b875d4e739p-31};
    static const double c[] = {0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5aacp-2,
                               -0x1.55d3c7e3c90f8p-6, 0x1.e1f5068355e15p-11, -0x1.a6d1ec7906c20p-16,
                               0x1.f9cc41140bb60p-22, -0x1.b264ba152378ap-28};
    const double rounded = x + ZI_ROUND;
    const uint64_t quadrant = zi_bits(rounded);
    const double f = x - (rounded - ZI_ROUND);
    const double sin_f = f * zi_polynomial(s, 8, f * f);
    const double cos_f = zi_polynomial(c, 8, f * f);
    const double swapped_sin = quadrant & 1 ? cos_f : sin_f;
    const double swapped_cos = quadrant & 1 ? sin_f : cos_f;
    /* Quadrants 2 and 3 negate the sine, 1 and 2 the cosine. */
    *sine = zi_from_bits(zi_bits(swapped_sin) ^ ((quadrant & 2) << 62));
    *cosine = zi_from_bits(zi_bits(swapped_cos) ^ (((quadrant + 1) & 2) << 62));
}

/* ---- Single precision, for networks ------------------------------------------------ */

ZI_LANE float zi_polynomial_single(const float *c, int count, float x)
{
    const float square = x * x;
    float even = c[(count - 1) & ~1];
    float odd = c[(count - 2) | 1];
    for (int i = ((count - 1) & ~1) - 2; i >= 0; i -= 2) {
        even = even * square + c[i];
    }
    for (int i = ((count - 2) | 1) - 2; i >= 1; i -= 2) {
        odd = odd * square + c[i];
    }
    return even + x * odd;
}

/* exp(-|x|) to 2 ulp; exp(-87) for |x| > 87. */
ZI_LANE float zi_exp_decay(float x)
{
    static const float c[] = {0x1.000000p-1F, 0x1.5554dep-3F, 0x1.55551ap-5F, 0x1.120b62p-7F,
                              0x1.6d10fcp-10F};
    const float magnitude = x < 0.0F ? -x : x;
    const float inside = magnitude > 87.0F ? -87.0F : -magnitude;
    const float shifted = inside * 0x1.715476p+0F + 0x1.8p23F;
    const float k = shifted - 0x1.8p23F;
    const float r = (inside - k * 0x1.62e400p-1F) - k * 0x1.7f7d1cp-20F;
    const float e = (r * r * zi_polynomial_single(c, 5, r) + r) + 1.0F;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + ((uint32_t)127 << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    return e * power;
}

/* log(1 + exp(x)) as a fraction, so that a division by it is the only one; to 2e-7 absolute, and
 * 3e-7 relative for x > 0. It is max(x, 0) + log(1 + exp(-|x|)); the latter by a rational function. */
ZI_LANE void zi_softplus(float x, float *numerator, float *denominator)
{
    static const float n[] = {0x1.62e430p-1F,   -0x1.ba1340p-3F, 0x1.c62bcap-6F,
                              -0x1.dfa544p-10F, 0x1.0385c0p-14F, -0x1.cadd0cp-21F};
    static const float d[] = {0x1.000000p+0F, 0x1.a3c4e8p-2F,  0x1.3e3204p-3F, 0x1.22761ep-5F,
                              0x1.5a4f90p-8F, 0x1.602af4p-12F, 0x1.580e88p-14F};
    const float magnitude = x < 0.0F ? -x : x;
    const float inside = magnitude > 16.0F ? 16.0F : magnitude;
    const float below = zi_polynomial_single(d, 7, inside);
    *numerator = (x > 0.0F ? x : 0.0F) * below + zi_polynomial_single(n, 6, inside);
    *denominator = below;
}

/* 1 / (1 + exp(-x)), its derivative. */
ZI_LANE float zi_sigmoid(float x)
{
    const float e = zi_exp_decay(x);
    return (x > 0.0F ? 1.0F : e) / (1.0F + e);
}

/* To 2e-7 absolute. */
ZI_LANE float zi_tanh(float x)
{
    const float e = zi_exp_decay(2.0F * x);
    const float t = (1.0F - e) / (1.0F + e);
    return x < 0.0F ? -t : t;
}

#endif
