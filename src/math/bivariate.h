/* The standard bivariate normal law with correlation rho in [-1, 1]. Thresholds may
 * be infinite. */
#ifndef ZI_BIVARIATE_H
#define ZI_BIVARIATE_H

#include <stddef.h>

/* P(X > h, Y > k), to 1e-14 absolute for |h|, |k| <= 8 and every rho. */
double zi_bivariate_tail(double h, double k, double rho);

/* P(X > h, Y > k) - P(X > h) P(Y > k), without the cancellation where rho is small. */
double zi_bivariate_excess(double h, double k, double rho);

/* The density at (h, k); its derivative of the two above in rho. 0 at rho = -1 and 1,
 * where there is none. */
double zi_bivariate_density(double h, double k, double rho);

/* rho whose excess this is, to the last digits that the excess determines; 1 or -1 at or
 * beyond the Frechet bounds. p_h = P(X > h) and p_k = P(Y > k) are what the caller has at
 * hand. The second form solves for one h and many k, faster and to the same bits. */
double zi_bivariate_inverse(double h, double p_h, double k, double p_k, double excess);
void zi_bivariate_inverses(size_t count, double h, double p_h, const double *k, const double *p_k,
                           const double *excess, double *rho);

#endif
