#include "search/noise_estimate.h"

#include <math.h>

static const double kept = 0.9; /* of the evidence, from one generation to the next: noise may change */

double zi_noise_weigh(zi_noise *noise, double error)
{
    static const double most = 1e12;
    if (!(error >= 0.0) || isinf(error)) {
        return 1.0;
    }
    if (noise->unit == 0.0) {
        noise->unit = error;
    }
    const double ratio = error > 0.0 ? noise->unit / error : noise->unit > 0.0 ? sqrt(most) : 1.0;
    return fmin(fmax(ratio * ratio, 1.0 / most), most);
}

/* The difference of two means with weights a and b has the variance unit^2 (1 / a + 1 / b). One whose square
 * is beyond all numbers is left out: it would never be forgotten. */
void zi_noise_watch(zi_noise *noise, const zi_archive_entry *before, double value, double weight)
{
    const double difference = value - before->value;
    const double square = difference * difference * (before->weight * weight / (before->weight + weight));
    if (!before->is_ranked || !isfinite(noise->squares + square)) {
        return;
    }
    noise->squares += square;
    noise->count += 1.0;
}

void zi_noise_age(zi_noise *noise)
{
    if (noise->squares == 0.0) { /* what has shown no noise does not grow old */
        return;
    }
    noise->squares *= kept;
    noise->count *= kept;
}

double zi_noise_deviation(const zi_noise *noise)
{
    if (noise->unit > 0.0) {
        return noise->unit;
    }
    return noise->count > 0.0 ? sqrt(noise->squares / noise->count) : NAN;
}

/* Two are few, but a difference that is seen later takes this back. */
int zi_noise_is_absent(const zi_noise *noise)
{
    static const double enough = 2.0;
    return noise->unit == 0.0 && noise->count >= enough && noise->squares == 0.0;
}
