#!/bin/sh
# The command, the shared libraries and the extension module are hardened as CMakeLists.txt asks: they can be loaded
# anywhere, relocations are read-only and resolved at the start, no memory is both writable and executable, the stack
# is guarded, and what the C library can check of buffers is checked. (That jumps land where they may is seen in the
# flags only: one object of the system's without the mark takes it from the whole file.)
. "${0%/*}/common.sh"

# has FILE TEXT WHAT: in the listing
has()
{
  grep -qE "$2" "$scratch/listing" || complain "$1: $3"
}

lacks()
{
  if grep -qE "$2" "$scratch/listing"; then complain "$1: $3"; fi
}

# list OPTION FILE
list()
{
  readelf --wide "$1" "$2" >"$scratch/listing" || complain "$2: readelf $1 fails"
}

check()
{
  file=$1 name=${1##*/}
  list --file-header "$file"
  has "$name" 'Type: +DYN' 'has a fixed address'
  list --program-headers "$file"
  has "$name" 'GNU_RELRO' 'its relocations stay writable'
  has "$name" 'GNU_STACK .* RW ' 'its stack is executable'
  lacks "$name" 'LOAD .* (RWE|RW E) ' 'has memory that is writable and executable'
  list --dynamic "$file"
  has "$name" 'BIND_NOW|Flags:.* NOW' 'resolves functions late'
  lacks "$name" 'TEXTREL' 'writes to its code'
  lacks "$name" '(RPATH|RUNPATH).*\[(.*:)?(:|\]|[^/$])' 'looks for libraries in the current folder'
  list --dyn-syms "$file"
  has "$name" ' __stack_chk_fail' 'its stack is not guarded'
  has "$name" ' __(memcpy|snprintf|vsnprintf|fprintf|read)_chk' 'buffers are not checked'
  copies='strcpy|strcat'
  case $name in # with CUDA's runtime inside, which copies in this way
    libzilch_cuda.so | zilch) if [ -e "$build/libzilch_cuda.so" ]; then copies=strcat; fi ;;
  esac
  lacks "$name" " (gets|$copies|vsprintf|mktemp|tmpnam|tempnam|alloca|system|popen)(@|\$)" \
    'uses a function that cannot be used safely'
}

for file in "$ZILCH" "$build/libzilch.so" "$build/libzilch_mpi.so" "$build/libzilch_cuda.so" "$build/python/_core.abi3.so"; do
  if [ -e "$file" ]; then check "$file"; else echo "not built: ${file##*/}"; fi
done

# Every file is compiled with every flag.
case $(uname -m) in x86_64) jumps=-fcf-protection ;; *) jumps= ;; esac
for flag in $jumps -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=3 -Wformat=2 -Werror=format-security; do
  grep '"command":' "$build/compile_commands.json" | grep -E '/(src|cli|python)/[^ ]*\.c' | grep -vF -e "$flag" |
    sed 's/.* \([^ ]*\.c\)".*/\1/' | while read -r unit; do complain "$unit: compiled without $flag"; done
done
verdict
