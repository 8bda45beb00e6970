#!/bin/sh
# The library never prints, ends the program, asks for the time or the environment, touches
# global random state or signals: no object file of it refers to a function that does.
# The library of ranks may sleep while it waits: MPI itself would occupy a processor.
# (Writing to a stream that it was given is no printing: stdout and stderr are what counts.)
. "${0%/*}/common.sh"

forbidden='stdin stdout stderr printf vprintf puts putchar perror dprintf syslog __printf_chk __vprintf_chk __dprintf_chk
  exit _exit _Exit quick_exit abort atexit at_quick_exit system popen
  getenv secure_getenv setenv putenv unsetenv environ setlocale
  time clock clock_gettime gettimeofday timespec_get times sleep usleep nanosleep
  rand srand rand_r random srandom drand48 srand48 lrand48 mrand48 getrandom getentropy arc4random
  signal sigaction raise kill alarm sigprocmask pthread_sigmask'
for name in $forbidden; do echo "$name"; done | sort >"$scratch/forbidden"

# Other programs are ended by signals, and what a guard, a fork of ours, does ends that fork; SIGPIPE is held back in the
# thread that writes to them. What nvcc makes of kernels for the host gives them up at the end, and ends a program that would call
# one of the card's functions as its own.
allowed='atexit kernels.cu.o:
exit kernels.cu.o:
kill guard.c.o:
kill offspring.c.o:
_exit guard.c.o:
sigaction guard.c.o:
sigprocmask guard.c.o:
pthread_sigmask process.c.o:'

# check LIBRARY. Lines are "object.o:" and "     U name@version".
check()
{
  nm --undefined-only "$build/$1" |
    awk '/\.o:$/ {object = $1} $1 == "U" {sub(/@.*/, "", $2); print $2, object}' | sort >"$scratch/used"
  [ -s "$scratch/used" ] || complain "no object files in $1"
  join "$scratch/forbidden" "$scratch/used" | grep -vxF "$allowed" | while read -r name object; do
    complain "${object%:} uses $name"
  done
}

check libzilch.a
if [ -e "$build/libzilch_mpi.a" ]; then
  sed -i '/^nanosleep$/d' "$scratch/forbidden"
  check libzilch_mpi.a
fi
if [ -e "$build/libzilch_cuda.a" ]; then check libzilch_cuda.a; fi
verdict
