#!/bin/sh
# Wheels that need nothing but the C library, NumPy and Python 3.11 or later, for x86_64 and for 64-bit ARM (aarch64). A wheel has
# OpenBLAS (the one without threads), SQLite, Jansson and zlib of Debian 12 inside, hidden, and the command. Both are made
# in a Debian 12 of their own, that for ARM by a cross compiler; it is done as root, on an x86_64 machine, and takes about ten
# minutes and three gigabytes.
#
#   tools/wheels.sh FOLDER [ARCHITECTURE...]
#
# The wheels are left in FOLDER/wheels; FOLDER keeps the system for the next time. tools/test_wheels.sh FOLDER tries them.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"
[ $# -ge 1 ] || { echo 'usage: tools/wheels.sh FOLDER [ARCHITECTURE...]' >&2; exit 2; }
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
shift
[ $# -gt 0 ] || set -- x86_64 aarch64
. "$root/tools/systems.sh"
setup debootstrap

make_wheels_system

# Each architecture of the wheel, what its compilation is told. The licences of what is inside come with it.
build_wheel()
{
  echo "$1: building the wheel"
  quietly "$folder/wheels.log" inside wheels.system "$2 PATH=/tools/bin:\$PATH
    cd /source
    for name in $static_libraries; do
      cp /usr/share/doc/\$name/copyright LICENSE.\${name%-dev}
    done
    rm -rf /made
    python -m build --wheel --no-isolation --outdir /made . -Ccmake.define.ZILCH_STATIC=ON -Cinstall.strip=true
    auditwheel repair --wheel-dir /wheels /made/*.whl"
}

copy_sources wheels.system
rm -rf "$folder/wheels" "$folder/wheels.system/wheels"
for architecture; do
  case $architecture in
    x86_64) build_wheel x86_64 '' ;;
    aarch64) build_wheel aarch64 'export _PYTHON_HOST_PLATFORM=linux-aarch64 CMAKE_TOOLCHAIN_FILE=/source/cmake/aarch64.cmake;' ;;
    *) echo "wheels.sh: there are x86_64 and aarch64, but no $architecture" >&2; exit 2 ;;
  esac
done
cp -r "$folder/wheels.system/wheels" "$folder/wheels"
for wheel in "$folder"/wheels/*.whl; do
  printf '%s: %s bytes\n' "$wheel" "$(wc -c <"$wheel")"
done
