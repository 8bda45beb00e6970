/* The zero-inflated Gaussian: what there is to it is in refit.c. */
#include "search/law.h"

zilch_status zi_draw_zig(const zi_draw *draw)
{
    return zi_fitted_draw(draw->fitted, &draw->options->refit, draw->rng, draw->rows, draw->genome);
}
