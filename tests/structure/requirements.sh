#!/bin/sh
# A build that lacks something names all of it at once, each with its package of Debian.
. "${0%/*}/common.sh"

# lacks WHERE PACKAGES [OPTION...]: configuring fails, and the last line of the reason names these packages
lacks()
{
  where=$1 packages=$2
  shift 2
  rm -rf "$scratch/build"
  if cmake -S "$source" -B "$scratch/build" "$@" >"$scratch/log" 2>&1; then complain "$where: configuring succeeds"; fi
  tr -s '\n ' '  ' <"$scratch/log" | grep -qF "All at once: apt-get install $packages Call Stack" ||
    complain "$where: does not ask for $packages: $(cat "$scratch/log")"
}

export PKG_CONFIG_LIBDIR="$scratch/nothing"
libraries='libopenblas-dev libsqlite3-dev libjansson-dev'
lacks 'no libraries' "$libraries" -DZILCH_TESTS=OFF
lacks 'no libraries, with tests' "$libraries libcmocka-dev"
export CC="$scratch/nothing"
lacks 'neither compiler nor libraries' "gcc libc6-dev $libraries" -DZILCH_TESTS=OFF
lacks 'nothing at all' "gcc libc6-dev pkg-config $libraries python3-dev" -DZILCH_TESTS=OFF -DZILCH_PYTHON=ON \
  -DPKG_CONFIG_EXECUTABLE= -DPython_EXECUTABLE="$scratch/nothing"
verdict
