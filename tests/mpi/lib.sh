# Sourced by the tests of several ranks. Gives ranks N COMMAND...: mpirun, as it goes anywhere: as root, with more ranks
# than processors, and not for longer than a minute or two.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
# What Open MPI and its helpers keep until the program ends is not ours.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export LSAN_OPTIONS="suppressions=${here%/*}/mpi/leaks.txt:print_suppressions=0"
ranks()
{
  count=$1
  shift
  timeout 150 "${MPIRUN:?the mpirun to test with}" --oversubscribe -n "$count" "$@" </dev/null
}
