/* Ranks in a build without MPI: there are none. Processes that were started as one do not know of each other,
 * and would all write the same study. */
#include "run/ranks.h"
#include "terminal/cli.h"

int ranks_join(void)
{
    unsigned rank = 0;
    if (ranks_are_told(&rank) && rank == 0) {
        cli_fail("started as one of several ranks, but built without MPI; install it (on Debian: apt install "
                 "libopenmpi-dev openmpi-bin) and build again with -DZILCH_MPI=ON");
    }
    return CLI_FAILED;
}

void ranks_end(void)
{
}

unsigned ranks_count(void)
{
    return 1;
}

int ranks_open(const search_request *r, const char *problem)
{
    (void)r;
    (void)problem;
    return 0;
}

zilch_status ranks_evaluate(zilch_objective inner, void *context, const zilch_batch *batch, double *value)
{
    return inner(context, batch, value);
}

void ranks_set_ending(void (*end)(void *context), void *context)
{
    (void)end;
    (void)context;
}
