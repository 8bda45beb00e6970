/* The standard normal law. */
#ifndef ZI_SPECIAL_H
#define ZI_SPECIAL_H

/* Relative error at most 4e-16 (1 + x^2), tails to 1e-300 included. */
double zi_normal_cdf(double x);      /* P(Z <= x) */
double zi_normal_tail(double x);     /* P(Z >  x), exact where the cdf rounds to 1 */
double zi_normal_quantile(double p); /* x with cdf(x) = p; -Inf at 0, Inf at 1, else NaN outside */

double zi_normal_density(double x);
double zi_normal_log_density(double x);

#endif
