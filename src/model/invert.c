/* The inverters by name. */
#include "model/invert.h"

static const zi_inverter inverters[] = {[ZILCH_EXACT] = zi_invert_exact, [ZILCH_AMORTISED] = NULL};

zilch_status zi_invert(zilch_inverter which, size_t dim, const zi_margin *margin, const double *observed,
                       double *latent)
{
    const zi_inverter invert = inverters[which];
    if (!invert) {
        return zi_fail(ZILCH_EUNAVAILABLE, "the %s inverter is not available in this build; use exact",
                       zilch_inverter_name(which));
    }
    return invert(dim, margin, observed, latent);
}
