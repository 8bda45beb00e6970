/* Shrinkage and weights, from the information that one row holds on each latent correlation
 * (zi_pair_information): se^2 = 1 / (rows * information).
 *
 * Entrywise shrinkage: rho <- rho rho^2 / (rho^2 + se^2). Empirical Bayes, for each block b:
 * the signal's variance t_b^2 = max(0, sum (rho^2 - se^2)/se^2 / sum 1/se^2), then
 * rho <- rho t_b^2 / (t_b^2 + se^2). On Fisher's scale the same is done to z = atanh rho, with the standard
 * error of z: a strong correlation, which is known well, is hardly moved. There masks are tempered before
 * (zi_fisher_information), or thousands of rare ones that never met would all be taken to exclude each other;
 * t_b^2 is at most that of a rho of which nothing is known, so that a few masks that always agree do not free
 * all others; and what noise does to a law goes by the latents for each row, not by single entries: with more
 * rows than latents that vary, se^2 is taken to be smaller by that ratio. All give 0 where nothing was seen
 * (se infinite). */
#include "model/standard_errors.h"

#include <assert.h>
#include <math.h>

enum { VV, VM, MM, BLOCKS };

/* Called for each entry above the diagonal but corr(V_i, M_i), with its place and that of
 * its mirror image. */
typedef void (*visitor)(void *context, int block, double information, size_t at, size_t mirror);

static void visit_pair(size_t dim, size_t i, size_t j, const zi_information *known, visitor visit,
                       void *context)
{
    const size_t n = 2 * dim;
    const size_t mask_i = dim + i;
    const size_t mask_j = dim + j;
    visit(context, MM, known->mm, mask_i * n + mask_j, mask_j * n + mask_i);
    visit(context, VM, known->ji, i * n + mask_j, mask_j * n + i);
    visit(context, VM, known->ij, j * n + mask_i, mask_i * n + j);
    visit(context, VV, known->vv, i * n + j, j * n + i);
}

static void visit_all(size_t dim, const zi_margin *margin, double rows, const double *latent, visitor visit,
                      void *context)
{
    const size_t n = 2 * dim;
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = i + 1; j < dim; j++) {
            const double rho_m = latent[(dim + i) * n + dim + j];
            const zi_information known = zi_pair_information(&margin[i], &margin[j], rho_m, rows);
            visit_pair(dim, i, j, &known, visit, context);
        }
    }
}

typedef struct shrinker {
    double *latent;
    double rows;
    int is_fisher;
    double total[BLOCKS], weight[BLOCKS]; /* sums of (z^2 - se^2) / se^2 and of 1 / se^2 */
    double signal[BLOCKS];                /* t_b^2 */
} shrinker;

/* Variance of atanh rho, if rho is uniform from -1 to 1: pi^2 / 12. */
static const double flat_signal = 0.82246703342411321824;

static double factor_of(double signal, double precision)
{
    return precision > 0.0 && signal > 0.0 ? signal / (signal + 1.0 / precision) : 0.0;
}

/* On the scale that is shrunk. Fisher's goes to at most 1 / se: an estimate that was cut off at 1 or -1 says
 * no more than that. */
static double scaled(const shrinker *s, double rho, double precision)
{
    if (!s->is_fisher) {
        return rho;
    }
    const double most = fmin(sqrt(precision), 11.0);
    return fmin(fmax(atanh(rho), -most), most);
}

static void shrink_entry(void *context, int block, double information, size_t at, size_t mirror)
{
    (void)block;
    const shrinker *s = context;
    const double rho = s->latent[at];
    s->latent[at] = s->latent[mirror] = rho * factor_of(rho * rho, s->rows * information);
}

static void shrink_by_block(void *context, int block, double information, size_t at, size_t mirror)
{
    (void)information; /* kept by count_entry */
    const shrinker *s = context;
    const double precision = s->rows * s->latent[mirror];
    const double shrunk = s->latent[at] * factor_of(s->signal[block], precision);
    s->latent[at] = s->latent[mirror] = s->is_fisher ? tanh(shrunk) : shrunk;
}

/* Entries that are 0 belong to latents that say nothing: not counted. Nor are those that are 0 but for
 * rounding, for it must not decide; on Fisher's scale, where there are mostly thousands of entries, one more
 * or less is little. The entry on its scale is left in its place, and the information in the mirror image's:
 * shrinking fills both again. */
static void count_entry(void *context, int block, double information, size_t at, size_t mirror)
{
    shrinker *s = context;
    s->latent[mirror] = information;
    const double precision = s->rows * information;
    const double rounding = s->is_fisher ? 0.0 : 1e-12;
    if (fabs(s->latent[at]) > rounding && precision > 0.0) {
        const double z = scaled(s, s->latent[at], precision);
        s->latent[at] = z;
        s->total[block] += z * z * precision - 1.0;
        s->weight[block] += precision;
    }
}

/* How many latents vary: values as often as they are seen, masks by their variance, at most 1. */
static double latents_of(size_t dim, const zi_margin *margin)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += margin[i].p + 4.0 * margin[i].p * margin[i].q;
    }
    return sum;
}

static void count_all_on_fishers_scale(size_t dim, const zi_margin *margin, double rows, shrinker *s)
{
    const size_t n = 2 * dim;
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = i + 1; j < dim; j++) {
            double *rho_m = &s->latent[(dim + i) * n + dim + j];
            const zi_information known = zi_fisher_information(&margin[i], &margin[j], rho_m, rows);
            visit_pair(dim, i, j, &known, count_entry, s);
        }
    }
}

static void shrink_all_by_block(size_t dim, shrinker *s)
{
    const double most = s->is_fisher ? flat_signal : INFINITY;
    const zi_information known = {0};
    for (int b = 0; b < BLOCKS; b++) {
        s->signal[b] = s->weight[b] > 0.0 ? fmin(fmax(0.0, s->total[b] / s->weight[b]), most) : 0.0;
    }
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = i + 1; j < dim; j++) {
            visit_pair(dim, i, j, &known, shrink_by_block, s);
        }
    }
}

void zi_shrink(zilch_shrinkage how, size_t dim, const zi_margin *margin, double rows, double *latent)
{
    assert(zilch_shrinkage_name(how) && dim && margin && latent);
    assert(rows > 0.0);
    shrinker s = {.latent = latent, .rows = rows, .is_fisher = how == ZILCH_SHRINK_FISHER};
    switch (how) {
    case ZILCH_SHRINK_ENTRYWISE:
        visit_all(dim, margin, rows, latent, shrink_entry, &s);
        break;
    case ZILCH_SHRINK_BAYES:
        visit_all(dim, margin, rows, latent, count_entry, &s);
        shrink_all_by_block(dim, &s);
        break;
    case ZILCH_SHRINK_FISHER:
        s.rows *= fmax(1.0, rows / latents_of(dim, margin));
        count_all_on_fishers_scale(dim, margin, rows, &s);
        shrink_all_by_block(dim, &s);
        break;
    default: /* none, and all, which is not estimated */
        break;
    }
}

static void weigh_entry(void *context, int block, double information, size_t at, size_t mirror)
{
    (void)block;
    double *weight = context;
    weight[at] = weight[mirror] = fmin(1.0, information);
}

void zi_weigh(size_t dim, const zi_margin *margin, double rows, const double *latent, double *weight)
{
    assert(dim && margin && latent && weight);
    assert(rows > 0.0);
    const size_t n = 2 * dim;
    for (size_t i = 0; i < n * n; i++) {
        weight[i] = 1.0; /* the diagonal and corr(V_i, M_i), which do not move */
    }
    visit_all(dim, margin, rows, latent, weigh_entry, weight);
}
