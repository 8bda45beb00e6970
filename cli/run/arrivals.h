/* Evaluating so that what has arrived is kept soon, and a signal is heard soon. */
#ifndef ARRIVALS_H
#define ARRIVALS_H

#include "zilch.h"

#include <stdatomic.h>

/* An objective around an objective of a problem, on one thread or on several: `inner` gets as many points at
 * a time as take half a second at most, or one, and these are told as arrived. What was learned about their
 * number stays for the next batch. */
typedef struct arrivals_parts {
    zilch_objective inner;
    void *context;
    atomic_size_t each; /* points of a part; begins as ARRIVALS_EACH, for a card as ARRIVALS_EACH_ON_CARD */
} arrivals_parts;

enum { ARRIVALS_EACH = 64, ARRIVALS_EACH_ON_CARD = 1 << 20 };

zilch_status arrivals_in_parts(void *parts, const zilch_batch *batch, double *value);

/* The batch, whose values are handed on as they arrive; after a signal (cli_watch_signals) they are, too, but
 * nothing more is begun: ESTOPPED. */
zilch_batch arrivals_heard(const zilch_batch *batch);

#endif
