#include "run/arrivals.h"

#include "terminal/cli.h"

static const double long_part = 0.5; /* seconds that a part of a batch may take */

static zilch_status hear(void *context, const zilch_batch *batch, size_t n, const size_t *index,
                         const double *value)
{
    const zilch_batch *whole = context;
    const zilch_status status =
        whole->arrived ? whole->arrived(whole->arrived_context, batch, n, index, value) : ZILCH_OK;
    return status == ZILCH_OK && n && cli_is_stopped() ? ZILCH_ESTOPPED : status;
}

zilch_batch arrivals_heard(const zilch_batch *batch)
{
    zilch_batch heard = *batch;
    heard.arrived = hear;
    heard.arrived_context = (void *)batch;
    return heard;
}

/* Short enough for a signal to be heard soon, and otherwise as long as can be: the lander is faster the more
 * episodes it has at once. */
zilch_status arrivals_in_parts(void *parts, const zilch_batch *batch, double *value)
{
    enum { MOST = 1 << 20 };
    arrivals_parts *p = parts;
    for (size_t begin = 0; begin < batch->n;) {
        const double before = cli_seconds();
        const size_t each = p->each;
        const size_t left = batch->n - begin;
        const zilch_batch part = zilch_batch_part(batch, begin, left < each ? left : each);
        zilch_status status = p->inner(p->context, &part, value + begin);
        status = status == ZILCH_OK ? part.arrived(part.arrived_context, &part, part.n, NULL, value + begin)
                                    : status;
        if (status != ZILCH_OK) {
            return status;
        }
        const double took = cli_seconds() - before;
        begin += part.n;
        if (took > long_part && each > 1) {
            p->each = each / 2;
        } else if (took < long_part / 4 && part.n == each && each < MOST) {
            p->each = 2 * each;
        }
    }
    return ZILCH_OK;
}
