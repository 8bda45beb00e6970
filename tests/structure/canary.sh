#!/bin/sh
# Deliberate faults must fail where a build is watched: otherwise the other tests prove less there than they seem to.
# CANARY is the program, built with the flags of all the rest; WATCH is the sanitizers or valgrind, with its options.
. "${0%/*}/common.sh"
: "${WATCH:?who watches this build}"

canary()
{
  # shellcheck disable=SC2086 # words
  case $WATCH in
    valgrind*) $WATCH "$CANARY" "$1" >"$scratch/out" 2>&1 ;;
    *) "$CANARY" "$1" >"$scratch/out" 2>&1 ;;
  esac
}

# notices FAULT MESSAGE
notices()
{
  if canary "$1"; then
    complain "$1: the fault went unnoticed: $(cat "$scratch/out")"
  elif ! grep -q "$2" "$scratch/out"; then
    complain "$1: failed, but without \"$2\":$(printf '\n'; cat "$scratch/out")"
  fi
}

canary none || complain "the canary fails without a fault: $(cat "$scratch/out")"
count=0
while read -r watcher fault message; do
  case $WATCH in
    *"$watcher"*)
      count=$((count + 1))
      notices "$fault" "$message" ;;
  esac
done <<END
address heap AddressSanitizer: heap-buffer-overflow
undefined signed runtime error: signed integer overflow
thread race ThreadSanitizer: data race
valgrind heap Invalid read
valgrind uninitialised depends on uninitialised
END
[ "$count" -gt 0 ] || complain "no fault is known that $WATCH should notice"
verdict
