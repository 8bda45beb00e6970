# Sourced by the tests of several ranks. Gives ranks N COMMAND...: mpirun, as it goes anywhere: as root, with more ranks
# than processors, and not for longer than a minute or two.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI leaves memory behind in plug-ins that it has unloaded by then: no list of names could tell it from ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
ranks()
{
  count=$1
  shift
  timeout 150 "${MPIRUN:?the mpirun to test with}" --oversubscribe -n "$count" "$@" </dev/null
}
