/* No law: crossover and one mutation, by the publication's rules. Each child has random numbers of its own.
 */
#include "search/law.h"

#include <string.h>

static const double crossover_share = 0.5;
static const double deactivation_share = 1.0 / 12.0;
static const double activation_share = 1.0 / 12.0; /* the rest is perturbation */
static const double activation_sigma = 2.0;
static const double perturbation_sigma = 0.1;

enum { DRAWS_LOG2 = 24 }; /* numbers that a child may draw */

static size_t choose(zilch_rng *rng, size_t count)
{
    const size_t index = (size_t)(zilch_rng_uniform(rng) * (double)count);
    return index < count ? index : count - 1;
}

/* One of the coordinates that are active, or of those that are not; dim if there is none. */
static size_t choose_coordinate(zilch_rng *rng, size_t dim, const double *x, int active)
{
    size_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        count += (x[i] != 0.0) == active;
    }
    if (count == 0) {
        return dim;
    }
    size_t left = choose(rng, count);
    for (size_t i = 0; i < dim; i++) {
        if ((x[i] != 0.0) == active && left-- == 0) {
            return i;
        }
    }
    return dim;
}

static void mutate(zilch_rng *rng, size_t dim, double *child)
{
    const double event = zilch_rng_uniform(rng);
    const int deactivates = event < deactivation_share;
    const int activates = !deactivates && event < deactivation_share + activation_share;
    const size_t at = choose_coordinate(rng, dim, child, !activates);
    if (at == dim) {
        child[choose(rng, dim)] += perturbation_sigma * zilch_rng_normal(rng);
    } else if (deactivates) {
        child[at] = 0.0;
    } else if (activates) {
        child[at] = activation_sigma * zilch_rng_normal(rng);
    } else {
        child[at] += perturbation_sigma * zilch_rng_normal(rng);
    }
}

zilch_status zi_draw_ea(const zi_draw *draw)
{
    const size_t dim = draw->dim;
    for (size_t row = 0; row < draw->rows; row++) {
        zilch_rng rng = draw->rng;
        rng.counter += (uint64_t)row << DRAWS_LOG2;
        const double *first = draw->elite + choose(&rng, draw->elites) * dim;
        const double *second = draw->elite + choose(&rng, draw->elites) * dim;
        double *child = draw->genome + row * dim;
        const int crosses = zilch_rng_uniform(&rng) < crossover_share;
        for (size_t i = 0; i < dim; i++) {
            child[i] = crosses && zilch_rng_uniform(&rng) < 0.5 ? second[i] : first[i];
        }
        mutate(&rng, dim, child);
    }
    return ZILCH_OK;
}
