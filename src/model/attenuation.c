/* The attenuation relations in closed form, and their inverses.
 *
 *   MM  E[I_i I_j] = tail2(tau_i, tau_j; rho_m)
 *   VM  E[X_i I_j] = rho_ji density(tau_j) tail((tau_i - rho_m tau_j) / s),   s^2 = 1 - rho_m^2
 *   VV  E[X_i X_j] = rho_v tail2(tau_i, tau_j; rho_m) + rho_ij rho_ji density2(tau_i, tau_j; rho_m)
 *
 * (X standardised: mean 0, variance p.) VM: given the masks, X_i has mean
 * rho_ji (m_j - rho_m m_i) / s^2; the integral over m_j > tau_j of that mean times the
 * density is s-free after completing the square. VV: the product of both conditional
 * means is rho_ij rho_ji (S^-1 m)_i (S^-1 m)_j with S the masks' covariance, and
 * d^2 density2 / (dm_i dm_j) = [(S^-1 m)_i (S^-1 m)_j - S^-1_ij] density2 integrates to
 * density2(tau_i, tau_j); the S^-1_ij part cancels against the conditional covariance. */
#include "model/attenuation.h"

#include "math/bivariate.h"
#include "math/special.h"
#include "zilch.h"

#include <assert.h>
#include <math.h>

/* An observed correlation is good to about 1e-16; one attenuated by more than this
 * factor has lost the latent one. */
static const double least_visible = 1e-10;

zi_margin zi_margin_of(double p)
{
    assert(!(p < 0.0 || p > 1.0));
    const double tau = 0.0 - zi_normal_quantile(p); /* not -0 at p = 1/2 */
    return (zi_margin){.p = p,
                       .q = 1.0 - p,
                       .tau = tau,
                       .density = zi_normal_density(tau),
                       .value_root = sqrt(p),
                       .mask_root = sqrt(p * (1.0 - p))};
}

static double clamp(double rho)
{
    return fmin(1.0, fmax(-1.0, rho));
}

double zi_scale_mm(const zi_margin *i, const zi_margin *j)
{
    return i->mask_root * j->mask_root;
}

double zi_scale_vm(const zi_margin *i, const zi_margin *j)
{
    return i->value_root * j->mask_root;
}

double zi_scale_vv(const zi_margin *i, const zi_margin *j)
{
    return i->value_root * j->value_root;
}

double zi_vm_slope(const zi_margin *i, const zi_margin *j, double rho_m)
{
    const double s = sqrt((1.0 - rho_m) * (1.0 + rho_m));
    const double distance = i->tau - rho_m * j->tau;
    /* Masks that determine each other: the conditional probability is 0, 1/2 or 1. */
    const double conditional = s > 0.0          ? zi_normal_tail(distance / s)
                               : distance > 0.0 ? 0.0
                               : distance < 0.0 ? 1.0
                                                : 0.5;
    return j->density * conditional;
}

double zi_invert_vm(const zi_margin *i, const zi_margin *j, double corr_xi, double rho_m)
{
    const double slope = zi_vm_slope(i, j, rho_m);
    const double scale = zi_scale_vm(i, j);
    return slope > least_visible * scale ? clamp(corr_xi * scale / slope) : 0.0;
}

double zi_invert_vv(const zi_margin *i, const zi_margin *j, double corr_xx, double rho_ij, double rho_ji,
                    double rho_m, double both)
{
    assert(both >= 0.0 && both <= 1.0);
    const double scale = zi_scale_vv(i, j);
    if (!(both > least_visible * scale)) {
        return 0.0;
    }
    const double through_masks = rho_ij * rho_ji;
    const double density = through_masks == 0.0 ? 0.0 : zi_bivariate_density(i->tau, j->tau, rho_m);
    return clamp((corr_xx * scale - through_masks * density) / both);
}

/* A correlation of two masks, and the excess of both being active that goes with it. */
typedef struct mask_pair {
    double rho, excess;
} mask_pair;

static mask_pair mask_pair_of(const zi_margin *i, const zi_margin *j, double rho)
{
    return (mask_pair){rho, zi_bivariate_excess(i->tau, j->tau, rho)};
}

/* With the expected number of rows in which both are active at least half a row
 * inside Frechet's bounds. Counts at a bound give exactly -1 or 1, whose standard error would
 * come out as infinite: too much where many rows say so, too little where few do. */
static mask_pair inside_bounds(const zi_margin *i, const zi_margin *j, mask_pair m, double rows)
{
    const double low = -fmin(i->p * j->p, i->q * j->q);
    const double high = fmin(i->p * j->q, i->q * j->p);
    const double half = fmin(0.5 / rows, 0.5 * (high - low));
    const double inside = fmin(fmax(m.excess, low + half), high - half);
    return inside == m.excess ? m
                              : (mask_pair){zi_bivariate_inverse(i->tau, i->p, j->tau, j->p, inside), inside};
}

/* To first order the excess is density_i density_j rho. On Fisher's scale that is the limit, and as the
 * excess grows beyond its standard deviation by chance, e, the limit is raised by 1 + (excess / e)^2. */
static mask_pair tempered(const zi_margin *i, const zi_margin *j, mask_pair m, double rows)
{
    const double square = i->p * i->q * j->p * j->q / rows;
    const double most = fabs(m.excess) / (i->density * j->density) * (1.0 + m.excess * m.excess / square);
    return fabs(atanh(m.rho)) > most ? mask_pair_of(i, j, copysign(tanh(most), m.rho)) : m;
}

/* One over the variance of one row's count of both active, given how often each is: the sum of one over the
 * four cells' probabilities. Of independent masks it is 1 / (p_i q_i p_j q_j). */
static double count_precision(const zi_margin *i, const zi_margin *j, double excess)
{
    return 1.0 / (i->p * j->p + excess) + 1.0 / (i->p * j->q - excess) + 1.0 / (i->q * j->p - excess) +
           1.0 / (i->q * j->q + excess);
}

/* se^2(rho_ji) = p_i p_j q_j / (n slope^2), se^2(rho_v) = 1 / (n tail2). */
static zi_information informations(const zi_margin *i, const zi_margin *j, double rho, double mm)
{
    const double ji = zi_vm_slope(i, j, rho) / zi_scale_vm(i, j);
    const double ij = zi_vm_slope(j, i, rho) / zi_scale_vm(j, i);
    return (zi_information){.vv = zi_bivariate_tail(i->tau, j->tau, rho),
                            .ij = zi_margin_varies(i) && j->p > 0.0 ? ij * ij : 0.0,
                            .ji = zi_margin_varies(j) && i->p > 0.0 ? ji * ji : 0.0,
                            .mm = mm};
}

/* se^2(rho_m) = p_i q_i p_j q_j / (n density2^2). */
zi_information zi_pair_information(const zi_margin *i, const zi_margin *j, double rho_m, double rows)
{
    assert(rows > 0.0);
    if (!zi_margin_varies(i) || !zi_margin_varies(j)) {
        return informations(i, j, 0.0, 0.0);
    }
    const mask_pair m = inside_bounds(i, j, mask_pair_of(i, j, rho_m), rows);
    const double mm = zi_bivariate_density(i->tau, j->tau, m.rho) / zi_scale_mm(i, j);
    return informations(i, j, m.rho, mm * mm);
}

/* d atanh rho = d rho / (1 - rho^2). */
zi_information zi_fisher_information(const zi_margin *i, const zi_margin *j, double *rho_m, double rows)
{
    assert(rho_m && rows > 0.0);
    if (!zi_margin_varies(i) || !zi_margin_varies(j)) {
        return informations(i, j, 0.0, 0.0);
    }
    const mask_pair seen = tempered(i, j, mask_pair_of(i, j, *rho_m), rows);
    const mask_pair m = inside_bounds(i, j, seen, rows);
    const double slope = zi_bivariate_density(i->tau, j->tau, m.rho) * (1.0 - m.rho * m.rho);
    *rho_m = seen.rho;
    return informations(i, j, m.rho, slope * slope * count_precision(i, j, m.excess));
}

/* ---- The public functions: one pair, arguments checked ----------------------- */

static int is_probability(double p)
{
    return p >= 0.0 && p <= 1.0;
}

static int is_correlation(double rho)
{
    return rho >= -1.0 && rho <= 1.0;
}

double zilch_attenuate_mm(double p_i, double p_j, double rho_m)
{
    if (!is_probability(p_i) || !is_probability(p_j) || !is_correlation(rho_m)) {
        return NAN;
    }
    const zi_margin i = zi_margin_of(p_i);
    const zi_margin j = zi_margin_of(p_j);
    if (!zi_margin_varies(&i) || !zi_margin_varies(&j)) {
        return 0.0;
    }
    return clamp(zi_bivariate_excess(i.tau, j.tau, rho_m) / zi_scale_mm(&i, &j));
}

double zilch_attenuate_vm(double p_i, double p_j, double rho_ji, double rho_m)
{
    if (!is_probability(p_i) || !is_probability(p_j) || !is_correlation(rho_ji) || !is_correlation(rho_m)) {
        return NAN;
    }
    const zi_margin i = zi_margin_of(p_i);
    const zi_margin j = zi_margin_of(p_j);
    if (i.p == 0.0 || !zi_margin_varies(&j)) {
        return 0.0;
    }
    return clamp(rho_ji * zi_vm_slope(&i, &j, rho_m) / zi_scale_vm(&i, &j));
}

double zilch_attenuate_vv(double p_i, double p_j, double rho_v, double rho_ij, double rho_ji, double rho_m)
{
    if (!is_probability(p_i) || !is_probability(p_j) || !is_correlation(rho_v) || !is_correlation(rho_ij) ||
        !is_correlation(rho_ji) || !is_correlation(rho_m)) {
        return NAN;
    }
    const zi_margin i = zi_margin_of(p_i);
    const zi_margin j = zi_margin_of(p_j);
    if (i.p == 0.0 || j.p == 0.0) {
        return 0.0;
    }
    const double values = rho_v * zi_bivariate_tail(i.tau, j.tau, rho_m);
    const double masks = rho_ij * rho_ji * zi_bivariate_density(i.tau, j.tau, rho_m);
    return clamp((values + masks) / zi_scale_vv(&i, &j));
}

double zilch_invert_mm(double p_i, double p_j, double corr_ii)
{
    if (!is_probability(p_i) || !is_probability(p_j) || !is_correlation(corr_ii)) {
        return NAN;
    }
    const zi_margin i = zi_margin_of(p_i);
    const zi_margin j = zi_margin_of(p_j);
    return zi_bivariate_inverse(i.tau, i.p, j.tau, j.p, corr_ii * zi_scale_mm(&i, &j));
}

double zilch_invert_vm(double p_i, double p_j, double corr_xi, double rho_m)
{
    if (!is_probability(p_i) || !is_probability(p_j) || !is_correlation(corr_xi) || !is_correlation(rho_m)) {
        return NAN;
    }
    const zi_margin i = zi_margin_of(p_i);
    const zi_margin j = zi_margin_of(p_j);
    return i.p > 0.0 && zi_margin_varies(&j) ? zi_invert_vm(&i, &j, corr_xi, rho_m) : 0.0;
}

double zilch_invert_vv(double p_i, double p_j, double corr_xx, double rho_ij, double rho_ji, double rho_m)
{
    if (!is_probability(p_i) || !is_probability(p_j) || !is_correlation(corr_xx) || !is_correlation(rho_ij) ||
        !is_correlation(rho_ji) || !is_correlation(rho_m)) {
        return NAN;
    }
    const zi_margin i = zi_margin_of(p_i);
    const zi_margin j = zi_margin_of(p_j);
    return zi_invert_vv(&i, &j, corr_xx, rho_ij, rho_ji, rho_m, zi_bivariate_tail(i.tau, j.tau, rho_m));
}
