/* What the simulation takes from the C library on a processor. A card's own functions would give other last
 * bits.
 *
 * Sine and cosine: by pairs of doubles (Dekker 1971), correctly rounded but for about one argument in a
 * million million; the C library's are within 0.55 units of the last place. Where the two differ the world
 * sees nothing of it, as it rounds what is made of them to single precision: about once in some million
 * million steps.
 *
 * The wind depends on the time alone, so the C library makes a table of it. */
#ifndef ZI_CUDA_LIBM_CUH
#define ZI_CUDA_LIBM_CUH

#include "cuda/launch.h"
#include "sim/lander.h"

#ifdef __CUDACC__
__device__ double zi_gusts[ZI_GUSTS]; /* from the time -ZI_GUSTS_BEFORE on */
#else
static double zi_gusts[ZI_GUSTS];
#endif

ZI_SIM double zi_gust(int64_t time)
{
    return zi_gusts[time + ZI_GUSTS_BEFORE];
}

typedef struct twofold {
    double high, low;
} twofold;

ZI_SIM static inline twofold fast_sum(double a, double b)
{
    const double s = a + b;
    return (twofold){s, b - (s - a)};
}

ZI_SIM static inline twofold exact_sum(double a, double b)
{
    const double s = a + b;
    const double t = s - a;
    return (twofold){s, (a - (s - t)) + (b - t)};
}

ZI_SIM static inline twofold product(twofold a, twofold b)
{
    const double p = a.high * b.high;
    return fast_sum(p, fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}

/* a + b with |a| > |b|. */
ZI_SIM static inline twofold sum(twofold a, twofold b)
{
    const twofold s = fast_sum(a.high, b.high);
    return fast_sum(s.high, s.low + (a.low + b.low));
}

/* *n quarter turns and the rest, at most half of one. */
ZI_SIM static inline twofold rest_of(double x, int *n)
{
    *n = 0;
    if (fabs(x) <= 0.78539816339744828) {
        return (twofold){x, 0.0};
    }
    const double quarters = rint(x * 0x1.45F306DC9C883p-1);
    const twofold r = exact_sum(x - quarters * 0x1.921FB544p+0, -(quarters * 0x1.0B4611A6p-34));
    *n = (int)quarters;
    return fast_sum(r.high, r.low - quarters * 0x1.3198A2E037073p-69);
}

/* Taylor's series: the first terms in pairs, the others in c, which begins with the last. */
ZI_SIM static inline double tail(const double *c, double t)
{
    double q = c[0];
    for (int i = 1; i < 7; i++) {
        q = q * t + c[i];
    }
    return t * q;
}

ZI_SIM static inline twofold sine_of(twofold r, twofold t)
{
    const double c[7] = {0x1.71b8ef6dcf572p-66,  -0x1.2f49b46814157p-57, 0x1.952c77030ad4ap-49,
                         -0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33,  -0x1.ae64567f544e4p-26,
                         0x1.71de3a556c734p-19};
    twofold s =
        sum((twofold){-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73}, (twofold){tail(c, t.high), 0.0});
    s = sum((twofold){0x1.1111111111111p-7, 0x1.1111111111111p-63}, product(t, s));
    s = sum((twofold){-0x1.5555555555555p-3, -0x1.5555555555555p-57}, product(t, s));
    return sum(r, product(r, product(t, s)));
}

ZI_SIM static inline twofold cosine_of(twofold t)
{
    const double c[7] = {0x1.e542ba4020225p-62,  -0x1.6827863b97d97p-53, 0x1.ae7f3e733b81fp-45,
                         -0x1.93974a8c07c9dp-37, 0x1.1eed8eff8d898p-29,  -0x1.27e4fb7789f5cp-22,
                         0x1.a01a01a01a01ap-16};
    twofold s =
        sum((twofold){-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65}, (twofold){tail(c, t.high), 0.0});
    s = sum((twofold){0x1.5555555555555p-5, 0x1.5555555555555p-59}, product(t, s));
    s = sum((twofold){-0.5, 0.0}, product(t, s));
    return sum((twofold){1.0, 0.0}, product(t, s));
}

ZI_SIM void zi_sincos(double angle, double *sine, double *cosine)
{
    int n;
    const twofold r = rest_of(angle, &n);
    const twofold t = product(r, r);
    const double s = sine_of(r, t).high;
    const double c = cosine_of(t).high;
    const double turned_sine = n & 1 ? c : s;
    const double turned_cosine = n & 1 ? s : c;
    *sine = n & 2 ? -turned_sine : turned_sine;
    *cosine = (n + 1) & 2 ? -turned_cosine : turned_cosine;
}

#endif
