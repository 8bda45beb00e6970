/* The first mean and standard deviation of each coordinate, in the user's units.
 *
 * Two bounds say where a value is and how large a change is: the centre, and 0.3 of the width, so that about
 * nine of ten values of the normal distribution are within them. x0 and scale say the same where there are no
 * bounds, and come before them where there are. One bound alone says where the values begin: the mean is one
 * scale inside. What none of these say, initial_mu and initial_sigma do.
 *
 * Only the default method looks at bounds here. The others are there to compare with, and begin as they
 * always have. */
#include "search/first_law.h"

#include "base/memory.h"
#include "search/offset.h"

#include <float.h>
#include <math.h>

static const double share_of_width = 0.3;

/* ---- Checks -------------------------------------------------------------------------------------- */

static zilch_status check_guess(const zilch_optimizer_options *o, size_t i)
{
    const zi_location place = {.at = {{ZI_COORDINATE, i}}};
    const double x0 = o->x0[i];
    const double low = o->lower ? o->lower[i] : -INFINITY;
    const double high = o->upper ? o->upper[i] : INFINITY;
    if (!isfinite(x0)) {
        return zi_fail_at(ZILCH_EARG, &place, "x0 is %g; it must be a finite number", x0);
    }
    const double none = o->defaults ? o->defaults[i] : 0.0;
    if (x0 != none && !(x0 >= low && x0 <= high)) {
        return zi_fail_at(ZILCH_EARG, &place,
                          "x0 is %g, out of its bounds %g and %g; give a value between them, or %g for none",
                          x0, low, high, none);
    }
    return ZILCH_OK;
}

zilch_status zi_first_law_check(const zilch_optimizer_options *o, size_t dim)
{
    if ((o->x0 || o->scale) && o->method != ZILCH_METHOD_DEFAULT) {
        return zi_fail(ZILCH_EARG,
                       "x0 and scale are for the method default; with the method %s, give initial_mu and "
                       "initial_sigma in their place",
                       zilch_method_name(o->method));
    }
    for (size_t i = 0; i < dim; i++) {
        if (o->x0) {
            ZI_TRY(check_guess(o, i));
        }
        if (o->scale && !(o->scale[i] > 0.0 && isfinite(o->scale[i]))) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                              "scale is %g; it must be a finite number above 0", o->scale[i]);
        }
    }
    return ZILCH_OK;
}

/* ---- The law ------------------------------------------------------------------------------------- */

/* The width of bounds that are far apart may be beyond all numbers; 0.3 of it is not. */
static double share_between(double low, double high)
{
    const double width = high - low;
    return isfinite(width) ? share_of_width * width : share_of_width * high - share_of_width * low;
}

static double mean_between(double low, double high, double sigma, double otherwise)
{
    if (isfinite(low) && isfinite(high)) {
        return fmin(fmax(0.5 * low + 0.5 * high, low), high);
    }
    return isfinite(low)    ? fmin(low + sigma, DBL_MAX)
           : isfinite(high) ? fmax(high - sigma, -DBL_MAX)
                            : otherwise;
}

/* A guess of 0 where the bounds exclude 0 says that a coordinate is inactive, not where its values are. All
 * of it are offsets from the defaults. */
void zi_first_law(const zilch_optimizer_options *o, size_t dim, double *mu, double *sigma)
{
    const int knows_bounds = o->method == ZILCH_METHOD_DEFAULT;
    for (size_t i = 0; i < dim; i++) {
        const double low = knows_bounds && o->lower ? zi_offset(o->defaults, i, o->lower[i]) : -INFINITY;
        const double high = knows_bounds && o->upper ? zi_offset(o->defaults, i, o->upper[i]) : INFINITY;
        const double x0 = o->x0 ? zi_offset(o->defaults, i, o->x0[i]) : 0.0;
        const int is_guess = o->x0 && x0 >= low && x0 <= high;
        sigma[i] = o->scale                          ? o->scale[i]
                   : isfinite(low) && isfinite(high) ? share_between(low, high)
                                                     : o->initial_sigma;
        mu[i] = is_guess ? x0 : mean_between(low, high, sigma[i], o->initial_mu);
    }
}

zilch_status zi_first_create(zi_first *out, size_t dim, const zilch_optimizer_options *o)
{
    ZI_TRY(zi_alloc(&out->mu, 2 * dim));
    out->sigma = out->mu + dim;
    zi_first_law(o, dim, out->mu, out->sigma);
    return ZILCH_OK;
}

void zi_first_free(zi_first *first)
{
    zi_free(first->mu);
    *first = (zi_first){0};
}
