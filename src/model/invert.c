/* The inverters by name. */
#include "model/invert.h"

#include <assert.h>

static const zi_inverter inverters[] = {
    [ZILCH_EXACT] = zi_invert_exact, [ZILCH_AMORTISED] = zi_invert_amortised};

zilch_status zi_invert(zilch_inverter which, const zi_inversion *in, double *latent)
{
    assert(zilch_inverter_name(which) && in->dim && latent);
    return inverters[which](in, latent);
}
