/* Whether this process is one of several is known to the environment: MPI is not even initialised otherwise,
 * which takes longer than many a command. */
#include "run/ranks.h"

#include <stdlib.h>

/* What starters set: how many there are, and which one this is. A job of Slurm has its number of tasks in the
 * environment of every process, only a step of it (srun) has this one. */
static const struct {
    const char *count, *rank;
} starters[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI */
    {"PMI_SIZE", "PMI_RANK"},                         /* MPICH, Intel MPI, Slurm */
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         /* Slurm */
};
enum { STARTERS = sizeof starters / sizeof *starters };

static unsigned number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

int ranks_are_told(unsigned *rank)
{
    for (int i = 0; i < STARTERS; i++) {
        if (number_of(starters[i].count) > 1) {
            *rank = number_of(starters[i].rank);
            return 1;
        }
    }
    return 0;
}

int ranks_begin(void)
{
    unsigned rank;
    return ranks_are_told(&rank) ? ranks_join() : -1;
}
