/* Exact inversion: for each pair the mask correlation by solving the bivariate normal
 * probability, then value-mask and value-value correlations in closed form, each from the
 * raw ones before it. What error is left is the data's own. One row's masks are solved
 * together, in SIMD lanes. */
#include "base/memory.h"
#include "math/bivariate.h"
#include "math/linalg.h"
#include "model/invert.h"

#include <assert.h>
#include <math.h>

/* One row i of the pairs (i, j), j > i. */
typedef struct row {
    size_t dim, i;
    const zi_margin *margin;
    const double *tau, *p;  /* of all coordinates */
    double *excess, *rho_m; /* of j = i + 1 .. dim - 1, at index j */
    const double *observed;
    int is_tempered;
    double *latent;
} row;

/* An excess that came from data has the rounding of a difference of numbers near 1. Where no row has both
 * masks on, both off, or the one without the other, it is at its bound but for that; and there rho goes from
 * -0.8 to -1 within rounding. So what is that near to a bound counts as at it. Tempered masks need no such
 * decision: either way little is left of them. */
static double at_bound(const zi_margin *i, const zi_margin *j, double excess, double rho)
{
    const double rounding = 1e-13;
    const double above = excess + fmin(i->p * j->p, i->q * j->q);
    const double below = fmin(i->p * j->q, i->q * j->p) - excess;
    return fmin(above, below) > rounding ? rho : above < below ? -1.0 : 1.0;
}

static void solve_masks(const row *r)
{
    const size_t d = r->dim;
    const size_t n = 2 * d;
    const size_t first = r->i + 1;
    const double *observed = r->observed + (d + r->i) * n + d;
    for (size_t j = first; j < d; j++) {
        r->excess[j] = observed[j] * zi_scale_mm(&r->margin[r->i], &r->margin[j]);
    }
    zi_bivariate_inverses(d - first, r->tau[r->i], r->p[r->i], r->tau + first, r->p + first,
                          r->excess + first, r->rho_m + first);
    for (size_t j = first; !r->is_tempered && j < d; j++) {
        if (zi_margin_varies(&r->margin[r->i]) && zi_margin_varies(&r->margin[j])) {
            r->rho_m[j] = at_bound(&r->margin[r->i], &r->margin[j], r->excess[j], r->rho_m[j]);
        }
    }
}

static void invert_pair(const row *r, size_t j)
{
    const size_t d = r->dim;
    const size_t n = 2 * d;
    const size_t i = r->i;
    const zi_margin *a = &r->margin[i];
    const zi_margin *b = &r->margin[j];
    if (a->p == 0.0 || b->p == 0.0) {
        return;
    }
    const double rho_m = r->rho_m[j];
    const double rho_ji = zi_invert_vm(a, b, r->observed[i * n + d + j], rho_m);
    const double rho_ij = zi_invert_vm(b, a, r->observed[j * n + d + i], rho_m);
    const double both = fmax(0.0, a->p * b->p + r->excess[j]);
    const double rho_v = zi_invert_vv(a, b, r->observed[i * n + j], rho_ij, rho_ji, rho_m, both);
    zi_set_entry(n, r->latent, d + i, d + j, rho_m);
    zi_set_entry(n, r->latent, i, d + j, rho_ji);
    zi_set_entry(n, r->latent, j, d + i, rho_ij);
    zi_set_entry(n, r->latent, i, j, rho_v);
}

zilch_status zi_invert_exact(const zi_inversion *in, double *latent)
{
    assert(in->margin && in->observed && latent);
    const size_t dim = in->dim;
    double *block;
    ZI_TRY(zi_alloc(&block, 4 * dim));
    double *tau = block;
    double *p = block + dim;
    for (size_t i = 0; i < dim; i++) {
        tau[i] = in->margin[i].tau;
        p[i] = in->margin[i].p;
    }
    zi_identity(2 * dim, latent);
    for (size_t i = 0; i < dim; i++) {
        const row r = {.dim = dim,
                       .i = i,
                       .margin = in->margin,
                       .tau = tau,
                       .p = p,
                       .excess = block + 2 * dim,
                       .rho_m = block + 3 * dim,
                       .observed = in->observed,
                       .is_tempered = in->is_tempered,
                       .latent = latent};
        solve_masks(&r);
        for (size_t j = i + 1; j < dim; j++) {
            invert_pair(&r, j);
        }
    }
    zi_free(block);
    return ZILCH_OK;
}
