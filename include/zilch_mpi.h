/* zilch_mpi.h - a batch of points spread over the ranks of MPI.
 *
 * One rank searches, all evaluate: an objective around an objective, as zilch_pool is with threads. The
 * program is started by mpirun, and is the same on every rank:
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *     const zilch_mpi_setup setup = {.inner = objective, .context = data};
 *     zilch_mpi *mpi;
 *     if (zilch_mpi_create(&mpi, MPI_COMM_WORLD, &setup) != ZILCH_OK)
 *         MPI_Abort(MPI_COMM_WORLD, 1);
 *     if (zilch_mpi_rank(mpi) > 0)
 *         status = zilch_mpi_serve(mpi);
 *     else
 *         status = zilch_optimizer_run(search, zilch_mpi_objective, mpi, NULL, NULL, NULL, NULL);
 *     zilch_mpi_destroy(mpi);
 *     MPI_Finalize();
 *
 * What a point gives must not depend on the rank, nor on the other points of a batch: then the search has the
 * same bits on any number of ranks. Parts of a batch are handed out as ranks become free, large ones first
 * and small ones last, so that ranks end together, be evaluations short or long, even or not.
 *
 * The contract of zilch.h holds here too, but for this: memory comes from malloc, and a rank that waits for
 * another sleeps in between, for a quarter of a millisecond at most, instead of occupying a processor. MPI is
 * called on the caller's thread alone, by all functions. A rank that dies is the business of MPI, which as a
 * rule ends all the others; what is to survive that must be on disk by then (zilch_study).
 */
#ifndef ZILCH_MPI_H
#define ZILCH_MPI_H

#include "zilch.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zilch_mpi zilch_mpi;

/* What rank 0 hands to zilch_mpi_send(), on another rank. A failure is handed back, with its text
 * (zilch_fail). */
typedef zilch_status (*zilch_mpi_receiver)(void *context, const void *bytes, size_t count);

/* Of every rank its own; copied. */
typedef struct zilch_mpi_setup {
    zilch_objective inner; /* evaluates parts of a batch: on rank 0 on a thread of its own, else in serve */
    void *context;         /* of all functions here */
    zilch_mpi_receiver receive;  /* may be NULL if nothing is sent */
    void (*idle)(void *context); /* may be NULL; on rank 0, again and again while it waits for others */
} zilch_mpi_setup;

/* Called by all ranks of a communicator, of which a copy is used. ESTATE while MPI is not running, or without
 * MPI_THREAD_FUNNELED. */
ZILCH_CHECKED zilch_mpi_create(zilch_mpi **out, MPI_Comm communicator, const zilch_mpi_setup *setup);

/* By all ranks once more. Rank 0, which comes here when there is nothing more to do, lets the others go. */
ZILCH_API void zilch_mpi_destroy(zilch_mpi *mpi);

ZILCH_API int zilch_mpi_rank(const zilch_mpi *mpi);
ZILCH_API int zilch_mpi_ranks(const zilch_mpi *mpi);

/* On every rank but 0: evaluates what comes, until rank 0 destroys its handle. An objective's failure is rank
 * 0's to hear of, and no failure here. Of any other this rank cannot recover: MPI_Abort() tells the others.
 */
ZILCH_CHECKED zilch_mpi_serve(zilch_mpi *mpi);

/* On rank 0: a zilch_objective whose context is the handle. Of parts that fail, the first in the batch tells
 * status and text; nothing is begun after a failure. EIO: another rank cannot be reached. */
ZILCH_API zilch_status zilch_mpi_objective(void *mpi, const zilch_batch *batch, double *value);

/* On rank 0: points in a part, at least; 1 to begin with. For an objective that evaluates several side by
 * side: how many. */
ZILCH_API void zilch_mpi_set_least(zilch_mpi *mpi, size_t points);

/* On rank 0: points in a part, at most; 0, to begin with: any number. The values of a part arrive together,
 * so that a part of slow evaluations should be small. */
ZILCH_API void zilch_mpi_set_most(zilch_mpi *mpi, size_t points);

/* On rank 0: bytes for every other rank's `receive`, which is called with them now; for a problem's name,
 * say, or its data. Of ranks that fail, the lowest tells status and text. */
ZILCH_CHECKED zilch_mpi_send(zilch_mpi *mpi, const void *bytes, size_t count);

/* For programs that do not use MPI themselves: MPI_Init_thread() and MPI_Finalize(). */
ZILCH_CHECKED zilch_mpi_begin(void);
ZILCH_API void zilch_mpi_end(void);

#ifdef __cplusplus
}
#endif

#endif
