/* What the laws share: genomes and points, the first points, and the table of methods. */
#include "search/law.h"

#include "model/attenuation.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct law_row {
    size_t width; /* of a genome, in dim */
    zilch_status (*draw)(const zi_draw *draw);
} law_row;

/* adhoc is the Gaussian, of a genome twice as wide. */
static const law_row laws[] = {[ZILCH_METHOD_DEFAULT] = {1, zi_draw_zig},
                               [ZILCH_METHOD_PUBLISHED] = {1, zi_draw_zig},
                               [ZILCH_METHOD_GAUSSIAN] = {1, zi_draw_gaussian},
                               [ZILCH_METHOD_ADHOC] = {2, zi_draw_gaussian},
                               [ZILCH_METHOD_EA] = {1, zi_draw_ea}};

int zi_law_is_zig(zilch_method method)
{
    return laws[method].draw == zi_draw_zig;
}

size_t zi_law_width(zilch_method method, size_t dim)
{
    return laws[method].width * dim;
}

void zi_law_point(zilch_method method, size_t dim, const double *genome, double *x)
{
    if (laws[method].width == 1) {
        memcpy(x, genome, dim * sizeof *x);
        return;
    }
    for (size_t i = 0; i < dim; i++) {
        x[i] = genome[dim + i] >= 0.0 ? genome[i] : 0.0;
    }
}

static int is_active(zilch_method method, size_t dim, const double *genome, size_t i)
{
    const int has_thresholds = laws[method].width > 1;
    return genome[i] != 0.0 && (!has_thresholds || genome[dim + i] >= 0.0);
}

size_t zi_law_active(zilch_method method, size_t dim, const double *genome)
{
    size_t active = 0;
    for (size_t i = 0; i < dim; i++) {
        active += is_active(method, dim, genome, i) ? 1 : 0;
    }
    return active;
}

double zi_law_penalties(zilch_method method, size_t dim, const double *penalties, const double *genome)
{
    double sum = 0.0;
    for (size_t i = 0; penalties && i < dim; i++) {
        sum += is_active(method, dim, genome, i) ? penalties[i] : 0.0;
    }
    return sum;
}

void zi_law_follow(zilch_method method, size_t dim, const double *x, double *genome)
{
    if (laws[method].width == 1) {
        memcpy(genome, x, dim * sizeof *x);
        return;
    }
    for (size_t i = 0; i < dim; i++) {
        double *threshold = &genome[dim + i];
        if (x[i] != 0.0) {
            genome[i] = x[i];
            *threshold = fabs(*threshold);
        } else if (*threshold >= 0.0) {
            *threshold = *threshold > 0.0 ? -*threshold : -1.0;
        }
    }
}

/* From the same latents for every law: a value and a mask for each coordinate, the masks with something in
 * common if they are to spread. A mask that is on or off with certainty has its threshold where no normal
 * number comes. A law that is too wide for numbers is cut off at the largest: without it there is no search.
 */
zilch_status zi_draw_first(const zi_draw *draw)
{
    const zilch_optimizer_options *o = draw->options;
    const double tau = fmin(fmax(zi_margin_of(o->initial_p).tau, -10.0), 10.0);
    zilch_rng rng = draw->rng;
    for (size_t row = 0; row < draw->rows; row++) {
        double *genome = draw->genome + row * draw->width;
        for (size_t i = 0; i < draw->dim; i++) {
            const double value = draw->first->mu[i] + draw->first->sigma[i] * zilch_rng_normal(&rng);
            genome[i] = fmin(fmax(value, -DBL_MAX), DBL_MAX);
        }
        const double common = o->initial_spread > 0.0 ? zilch_rng_normal(&rng) : 0.0;
        for (size_t i = 0; i < draw->dim; i++) {
            const double mask =
                sqrt(o->initial_spread) * common + sqrt(1.0 - o->initial_spread) * zilch_rng_normal(&rng);
            const double threshold = mask - tau;
            if (draw->width > draw->dim) {
                genome[draw->dim + i] = threshold;
            } else if (threshold < 0.0) {
                genome[i] = 0.0;
            }
        }
    }
    return ZILCH_OK;
}

zilch_status zi_draw_next(const zi_draw *draw)
{
    return laws[draw->options->method].draw(draw);
}
