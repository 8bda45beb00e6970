/* What masking does to the correlations of one pair (i, j), and its inverse. Names of
 * correlations as in zilch.h. */
#ifndef ZI_ATTENUATION_H
#define ZI_ATTENUATION_H

/* One coordinate's mask. */
typedef struct zi_margin {
    double p, q;       /* active with probability p, else (q = 1 - p) zero */
    double tau;        /* threshold: p = P(M > tau) */
    double density;    /* of M at tau */
    double value_root; /* sqrt(p): standard deviation of X */
    double mask_root;  /* sqrt(p q): of I */
} zi_margin;

zi_margin zi_margin_of(double p);

/* True if the mask is random at all: 0 < p < 1. */
static inline int zi_margin_varies(const zi_margin *m)
{
    return m->p > 0.0 && m->q > 0.0;
}

/* E[X_i I_j] / rho_ji = density(tau_j) P(M_i > tau_i | M_j = tau_j). */
double zi_vm_slope(const zi_margin *i, const zi_margin *j, double rho_m);

/* Standard deviations' products: what turns an expectation into a correlation. */
double zi_scale_mm(const zi_margin *i, const zi_margin *j);
double zi_scale_vm(const zi_margin *i, const zi_margin *j);
double zi_scale_vv(const zi_margin *i, const zi_margin *j);

/* rho_ji from corr(X_i, I_j), and rho_v from corr(X_i, X_j). `both` is the probability
 * that both are active, at rho_m. */
double zi_invert_vm(const zi_margin *i, const zi_margin *j, double corr_xi, double rho_m);
double zi_invert_vv(const zi_margin *i, const zi_margin *j, double corr_xx, double rho_ij, double rho_ji,
                    double rho_m, double both);

/* What one row tells of each latent correlation of a pair: 1 / (rows se^2), to first order
 * and at independent values. rho_m was estimated from `rows` rows; where it is at its bound,
 * -1 or 1, it is taken half a row inside. */
typedef struct zi_information {
    double vv, ij, ji, mm;
} zi_information;

zi_information zi_pair_information(const zi_margin *i, const zi_margin *j, double rho_m, double rows);

/* The same for atanh of the correlations. Before, *rho_m is brought nearer to 0 if how often both are active
 * hardly differs from what it is by chance: of two rare masks that never meet the estimate is -1, though rows
 * in which they would are hardly expected. */
zi_information zi_fisher_information(const zi_margin *i, const zi_margin *j, double *rho_m, double rows);

#endif
