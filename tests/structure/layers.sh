#!/bin/sh
# A folder is a layer, in cli/ a room: a file includes only its own folder, the folders named below, zilch.h
# and headers of the system. No folder uses itself through another. What another library offers is known to one file
# only. No two files of src/, cli/ and bench/ have one name; a header and its source count once.
. "${0%/*}/common.sh"

# The table: which folders beside it may be used by a folder; of src/ by bench.
allowed_for()
{
  case $1 in
    src/base) ;;
    src/math) echo base ;;
    src/model) echo base math ;;
    src/sim) echo base math ;;
    src/cuda) echo sim ;;
    src/problem) echo base math sim ;;
    src/train) echo base math model ;;
    src/search) echo base math model ;;
    src/parallel) echo base ;;
    src/store) echo base search ;;
    bench) echo base math model train search ;;
    python) ;;
    cli/terminal) ;;
    cli/json | cli/dataset | cli/options) echo terminal ;;
    cli/request) echo terminal dataset options ;;
    cli/study) echo terminal json request ;;
    cli/run) echo terminal json options request study ;;
    cli/compare) echo terminal json options request study run ;;
    cli/report) echo terminal study run compare ;;
    cli/live) echo terminal json request study run report ;;
    cli/commands) echo terminal json dataset options request study run compare report live ;;
    *) return 1 ;;
  esac
}

# keeper_of HEADER FILE: the only file that may include a header of another library, or of the kernel; two call the
# kernel by numbers.
keeper_of()
{
  case $1 in
    jansson.h) echo cli/json/json.c ;;
    cblas.h | lapack.h | lapacke.h | openblas_config.h | f77blas.h) echo src/math/linalg.c ;;
    sqlite3.h) echo src/store/vfs.h ;;
    mpi.h) echo src/parallel/mpi.c ;;
    cuda_runtime_api.h) echo src/cuda/card.h ;;
    microhttpd.h | netinet/in.h) echo cli/live/http.c ;;
    Python.h) echo python/core.h ;;
    xlocale.h) echo src/base/numbers.h ;; # of macOS
    linux/audit.h | linux/filter.h | linux/seccomp.h) echo cli/terminal/sandbox.c ;;
    linux/magic.h | sys/statfs.h) echo src/parallel/cgroup.c ;;
    linux/sched.h | sys/syscall.h) case $2 in cli/terminal/sandbox.c | src/parallel/cgroup.c | src/parallel/pidfd.h) echo "$2" ;; esac ;;
    *) return 1 ;;
  esac
}

# C17 and POSIX, the C library's malloc.h, and what Linux has to look after other processes.
system_headers=' assert ctype errno fenv float inttypes limits locale math signal stdalign stdarg stdatomic
  stdbool stddef stdint stdio stdlib stdnoreturn string threads time
  dirent endian fcntl getopt glob langinfo malloc poll pthread sched spawn strings termios unistd
  sys/file sys/ioctl sys/mman sys/resource sys/select sys/stat sys/time sys/types sys/uio sys/utsname sys/wait
  sys/prctl sys/signalfd sys/socket sys/timerfd '
system_headers=$(echo "$system_headers" | tr -s '\n' ' ')

layer_of()
{
  case $1 in
    src/*/* | cli/*/*) echo "$1" | cut -d/ -f1,2 ;;
    *) echo "${1%%/*}" ;;
  esac
}

# check_quoted FILE LAYER HEADER: #include "HEADER"
check_quoted()
{
  case $3 in
    zilch.h) return ;;
    zilch_cuda.h) case $1 in src/cuda/launch.h | cli/run/device_cuda.c) return ;; esac ;;
    zilch_mpi.h) case $1 in src/parallel/mpi.c | cli/run/ranks_mpi.c) return ;; esac ;;
    *..*) complain "$1: \"$3\": goes out of its folder"; return ;;
  esac
  if [ "$1 $3" = 'cli/commands/cmd_bench.c bench.h' ]; then return; fi # results of benchmarks, no layer
  case $2 in
    bench | python) if [ -e "$2/$3" ]; then return; fi ;; # its own folder
  esac
  for folder in "${2#*/}" $(allowed_for "$2"); do
    case $3 in "$folder"/*) return ;; esac
  done
  complain "$1: \"$3\": not a header that $2 may use"
}

# check_angled FILE HEADER: #include <HEADER>
check_angled()
{
  case $system_headers in
    *" ${2%.h} "*) return ;;
  esac
  [ "$(keeper_of "$2" "$1")" = "$1" ] || complain "$1: <$2>: neither the system's nor kept by this file"
}

cd "$source"
[ "$(ls cli | wc -l)" -le 12 ] || complain 'cli/ has more than a dozen entries'
find src cli bench -name '*.[ch]' | sed 's/\.[ch]$//' | sort -u >"$scratch/names"
sed 's,.*/,,' "$scratch/names" | sort | uniq -d | while read -r name; do
  complain "one name for several files: $(grep "/$name\$" "$scratch/names" | tr '\n' ' ')"
done

find src bench cli python -name '*.[ch]' 2>/dev/null | sort >"$scratch/files"
[ -s "$scratch/files" ] || complain 'no source files found'

# The table has an order: each folder behind those that it may use.
while read -r file; do layer_of "$file"; done <"$scratch/files" | sort -u | while read -r layer; do
  case $layer in cli*) parent=cli ;; *) parent=src ;; esac
  for folder in $(allowed_for "$layer"); do echo "$parent/$folder $layer"; done
done >"$scratch/uses"
tsort "$scratch/uses" >"$scratch/order" 2>"$scratch/cycle" ||
  complain "folders that use each other:$(sed 1d "$scratch/cycle" | sed 's/^tsort://' | tr '\n' ' ')"

while read -r file; do
  layer=$(layer_of "$file")
  if ! allowed_for "$layer" >/dev/null; then
    complain "$file: $layer is not a layer"
    continue
  fi
  sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]*)".*/\1/p' "$file" >"$scratch/quoted"
  while read -r header; do check_quoted "$file" "$layer" "$header"; done <"$scratch/quoted"
  sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*<([^>]*)>.*/\1/p' "$file" >"$scratch/angled"
  while read -r header; do check_angled "$file" "$header"; done <"$scratch/angled"
  # The command answers, in the place of OpenBLAS, how many threads that starts.
  [ "$file" = src/math/linalg.c ] || [ "$file" = cli/run/blas_threads.c ] ||
    grep -nE '\<(cblas|openblas|LAPACKE)_|\<[sdcz][a-z0-9]{2,8}_ *\(' "$file" | while read -r line; do
      complain "$file:$line: only src/math/linalg.c knows BLAS and LAPACK"
    done
done <"$scratch/files"
verdict
