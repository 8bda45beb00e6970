/* The standard normal law in one dimension.
 *
 * Probabilities go through erfc, which keeps relative accuracy in both tails. The
 * quantile is Wichura's rational approximation (Algorithm AS 241, PPND16, Applied
 * Statistics 37, 1988): a quotient of two polynomials of degree 7 in each of three
 * ranges of p, relative accuracy about 1e-16. */
#include "math/special.h"

#include "base/simd.h"

static const double sqrt_half = 0x1.6a09e667f3bcdp-1;
static const double inverse_sqrt_2pi = 0x1.9884533d43651p-2;
static const double log_sqrt_2pi = 0x1.d67f1c864beb5p-1;

double zi_normal_cdf(double x)
{
    return 0.5 * erfc(-x * sqrt_half);
}

double zi_normal_tail(double x)
{
    return 0.5 * erfc(x * sqrt_half);
}

double zi_normal_density(double x)
{
    return inverse_sqrt_2pi * exp(-0.5 * x * x);
}

double zi_normal_log_density(double x)
{
    return -0.5 * x * x - log_sqrt_2pi;
}

typedef struct rational {
    double numerator[8], denominator[8];
} rational;

/* |p - 1/2| <= 0.425, in 0.425^2 - (p - 1/2)^2 */
static const rational central = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
};
/* r = sqrt(-log tail) <= 5, in r - 1.6 */
static const rational middle = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
     7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9},
};
/* r > 5, in r - 5 */
static const rational far = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
     2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15},
};

static double quotient(const rational *r, double x)
{
    return zi_polynomial(r->numerator, 8, x) / zi_polynomial(r->denominator, 8, x);
}

double zi_normal_quantile(double p)
{
    if (!(p > 0.0 && p < 1.0)) {
        return p == 0.0 ? -INFINITY : p == 1.0 ? INFINITY : NAN;
    }
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        /* One Newton step takes the quotient's rounding away: erf keeps the relative
         * accuracy of a small x, which the cdf near 1/2 would not. */
        const double x = q * quotient(&central, 0.180625 - q * q);
        return x - (0.5 * erf(x * sqrt_half) - q) / zi_normal_density(x);
    }
    const double tail = q < 0.0 ? p : 1.0 - p;
    const double r = sqrt(-log(tail));
    const double magnitude = r <= 5.0 ? quotient(&middle, r - 1.6) : quotient(&far, r - 5.0);
    return q < 0.0 ? -magnitude : magnitude;
}
