#!/bin/sh
# A deliberate overflow must fail in the sanitizer build: otherwise the other tests prove
# less there than they seem to. CANARY is the program, built with the flags of all the rest.
. "${0%/*}/common.sh"
[ -n "${CANARY-}" ] || skip 'this build has no sanitizers'

# notices FAULT MESSAGE
notices()
{
  if "$CANARY" "$1" >"$scratch/out" 2>&1; then
    complain "$1: the fault went unnoticed: $(cat "$scratch/out")"
  elif ! grep -q "$2" "$scratch/out"; then
    complain "$1: failed, but without \"$2\":$(printf '\n'; cat "$scratch/out")"
  fi
}

"$CANARY" none >"$scratch/out" 2>&1 || complain "the canary fails without a fault: $(cat "$scratch/out")"
notices heap 'AddressSanitizer: heap-buffer-overflow'
notices signed 'runtime error: signed integer overflow'
verdict
