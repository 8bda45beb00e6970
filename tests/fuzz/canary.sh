#!/bin/sh
# What replays inputs must notice a fault that one of them meets, and must not pass without inputs.
. "${0%/*}/../structure/common.sh"
corpus=$source/tests/fuzz/corpus/canary

mkdir "$scratch/empty"
if "$CANARY" "$scratch/empty" >"$scratch/out" 2>&1; then complain 'an empty corpus passes'; fi
printf cagf >"$scratch/harmless"
"$CANARY" "$scratch/harmless" >"$scratch/out" 2>&1 || complain "fails without a fault: $(cat "$scratch/out")"
if [ -n "${ZILCH_SANITIZE-}" ]; then
  if "$CANARY" "$corpus" >"$scratch/out" 2>&1; then
    complain "the fault went unnoticed: $(cat "$scratch/out")"
  elif ! grep -q 'AddressSanitizer: heap-buffer-overflow' "$scratch/out"; then
    complain "failed, but not by the fault: $(cat "$scratch/out")"
  fi
fi
verdict
