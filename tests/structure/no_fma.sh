#!/bin/sh
# The same bits on every processor: no fused multiply-add in our code, whatever the
# instruction set; and each loop marked ZI_CLONES has an AVX2 and an AVX-512 copy, and is vectorised
# in at least one of them.
. "${0%/*}/common.sh"
[ "$(uname -m)" = x86_64 ] || skip 'not an x86-64 processor'

objdump --disassemble --no-show-raw-insn "$build/libzilch.so" >"$scratch/code"
grep -q '<zilch_model_fit>:' "$scratch/code" || complain 'nothing was disassembled'
awk '/^[0-9a-f]+ <.*>:$/ {name = $2} /\tvfn?m(add|sub)/ {print $2, "in", name}' "$scratch/code" |
  sort | uniq -c | while read -r line; do complain "fused: $line"; done

# The name stands before the first "(" after the mark; -fpreprocessed takes comments away.
find "$source/src" -name '*.c' -exec cc -fpreprocessed -E -P {} \; | tr '\n' ' ' | sed 's/ZI_CLONES/\n&/g' |
  sed -nE 's/^ZI_CLONES[^(]*\<([a-z0-9_]+)\(.*/\1/p' | sort -u >"$scratch/marked"
[ -s "$scratch/marked" ] || complain 'no function is marked ZI_CLONES'
# registers FUNCTION SUFFIX NAME: how many instructions of that copy name such a register; "none"
# if there is no such copy
registers()
{
  awk -v start="<$1[.]$2([.][0-9]+)?>:\$" -v register="%$3" '
    /^[0-9a-f]+ </ {inside = $0 ~ start; exists = exists || inside}
    inside && index($0, register) {count++}
    END {print exists ? count + 0 : "none"}' "$scratch/code"
}
while read -r name; do
  ymm=$(registers "$name" avx2 ymm)
  zmm=$(registers "$name" avx512f zmm)
  echo "$name: $ymm instructions on ymm in the AVX2 copy, $zmm on zmm in the AVX-512 copy"
  case "$ymm $zmm" in
    *none*) complain "$name lacks a copy" ;;
    '0 0') complain "$name is marked, but no copy of it is vectorised" ;;
  esac
done <"$scratch/marked"
verdict
