/* A search on several ranks, on whose number the result does not depend: mpirun -n 4 ./mpi. */
#include <stdio.h>
#include <zilch_mpi.h>

/* Stands for a simulation that takes minutes: of its 50 settings, four should be 1 and the others 0. */
static zilch_status simulate(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * batch->dim;
        value[i] = 0;
        for (size_t j = 0; j < batch->dim; j++) {
            value[i] += j < 4 ? (x[j] - 1) * (x[j] - 1) : 0.1 * (x[j] != 0);
        }
    }
    return ZILCH_OK;
}

int main(void)
{
    const zilch_mpi_setup setup = {.inner = simulate};
    zilch_mpi *mpi;
    zilch_optimizer *search = NULL;
    zilch_record best;
    if (zilch_mpi_begin() != ZILCH_OK || zilch_mpi_create(&mpi, MPI_COMM_WORLD, &setup) != ZILCH_OK) {
        return 1;
    }
    if (zilch_mpi_rank(mpi) > 0) {
        return zilch_mpi_serve(mpi) == ZILCH_OK ? (zilch_mpi_destroy(mpi), zilch_mpi_end(), 0) : 1;
    }
    zilch_set_blas_threads(1);
    if (zilch_optimizer_create(&search, 50, 1, NULL) == ZILCH_OK &&
        zilch_optimizer_run(search, zilch_mpi_objective, mpi, NULL, NULL, NULL, NULL) == ZILCH_OK &&
        zilch_optimizer_best(search, NULL, &best) == ZILCH_OK) {
        printf("value %.3g with %zu of 50 active\n", best.value, best.active);
    }
    zilch_optimizer_destroy(search);
    zilch_mpi_destroy(mpi);
    zilch_mpi_end();
}
