#!/bin/sh
# The code for cards rounds as IEEE 754 says. In what nvcc makes for a virtual card, of which the code of every card is made,
# each operation names its rounding, so that no later compiler joins two of them; nothing is approximate, nothing becomes
# zero, and minima and maxima, which take another zero than a comparison does, are not there. Only the sine has fused
# multiply-adds, as it asks for them.
. "${0%/*}/../structure/common.sh"

# The flags are words.
# shellcheck disable=SC2086
"$NVCC" $NVCC_FLAGS -arch=compute_75 \
  -I"$source/src" -I"$source/include" -ptx "$source/src/cuda/kernels.cu" -o "$scratch/kernels.ptx" || exit 1
grep -oE '^[[:space:]]*(@%p[0-9]+ )?[a-z]+(\.[a-z]+)*\.f(32|64)\>' "$scratch/kernels.ptx" | sed 's/.*[[:space:]]//' |
  grep -vE '^(ld|st|mov|setp|selp|neg|abs|cvt|slct|testp|copysign)\.' | sort | uniq -c >"$scratch/operations"
cat "$scratch/operations"
[ "$(wc -l <"$scratch/operations")" -ge 8 ] || complain 'hardly any operations found'
grep -vE ' (add|sub|mul|div|sqrt|rcp)\.rn\.f(32|64)$| fma\.rn\.f64$' "$scratch/operations" | while read -r count name; do
  complain "$name, $count times"
done
if grep -nE '\.(ftz|approx|full)\>' "$scratch/kernels.ptx" | head -3 | grep .; then complain 'something is approximate'; fi
calls=$(grep -rhoE '\<fma[f]?\(' "$source/src/cuda" "$source/src/sim" | sort | uniq -c | tr -s ' ')
[ "$calls" = ' 1 fma(' ] || complain "fused multiply-adds in the sources:$calls"
verdict
