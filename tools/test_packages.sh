#!/bin/sh
# The Debian packages in bare Debian 12 and 13: they are built in a system with compilers, and installed in one without,
# where the command, its manual page and the library must work, and nothing is left when they are removed. To be run once
# before a release, as root; it takes about ten minutes and two gigabytes.
#
#   tools/test_packages.sh [FOLDER]
#
# FOLDER keeps the systems for the next time, and the packages: FOLDER/bookworm.packages and FOLDER/trixie.packages.
# Without it, everything goes away at the end.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"

[ "$(id -u)" -eq 0 ] || { echo 'test_packages.sh: making Debian systems needs root' >&2; exit 1; }
setup debootstrap
if [ $# -gt 0 ]; then
  mkdir -p "$1"
  folder=$(CDPATH='' cd -- "$1" && pwd)
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 1' INT TERM
fi

# inside SYSTEM COMMAND: as root of the system; what is mounted for it goes away with it
inside()
{
  cp /etc/resolv.conf "$folder/$1/etc/resolv.conf"
  unshare --mount sh -c 'mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && exec chroot "$1" /usr/bin/env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -euc "$2"' sh "$folder/$1" "$2"
}

# copy SYSTEM NEW: a folder of this name is whole
copy()
{
  rm -rf "$folder/$2" "$folder/$2.part"
  cp -a "$folder/$1" "$folder/$2.part"
  mv "$folder/$2.part" "$folder/$2"
}

# make_systems SUITE: the bare system, and one with what a build needs
make_systems()
{
  if [ ! -e "$folder/$1" ]; then
    echo "$1: making a bare system"
    rm -rf "$folder/$1.part"
    quietly "$folder/$1.log" debootstrap --variant=minbase "$1" "$folder/$1.part"
    mv "$folder/$1.part" "$folder/$1"
  fi
  if [ ! -e "$folder/$1.build" ]; then
    echo "$1: installing compilers in a copy"
    rm -rf "$folder/$1.compilers"
    cp -a "$folder/$1" "$folder/$1.compilers"
    quietly "$folder/$1.log" inside "$1.compilers" "apt-get update
      apt-get install --yes --no-install-recommends $build_packages file lintian"
    mv "$folder/$1.compilers" "$folder/$1.build"
  fi
}

# make_packages SUITE: from the files of the repository as they are now. cpack calls ldconfig as well as its trigger.
make_packages()
{
  echo "$1: building packages"
  rm -rf "$folder/$1.build/source" "$folder/$1.packages"
  mkdir "$folder/$1.build/source"
  git -C "$root" ls-files -z | (cd "$root" && tar --create --null --files-from=- --ignore-failed-read) | tar --extract --no-same-owner -C "$folder/$1.build/source"
  quietly "$folder/$1.log" inside "$1.build" 'cd /source
    cmake --preset package
    cmake --build --preset package
    cpack --preset package'
  mkdir "$folder/$1.packages"
  cp "$folder/$1.build"/source/build/package/packages/*.deb "$folder/$1.packages"
  quietly "$folder/$1.log" inside "$1.build" 'lintian --allow-root --fail-on error,warning --suppress-tags maintscript-calls-ldconfig \
    /source/build/package/packages/*.deb'
}

# try_packages SUITE: in a bare system, as somebody does who has them
try_packages()
{
  echo "$1: installing the command in the bare system"
  copy "$1" "$1.test"
  cp -r "$folder/$1.packages" "$folder/$1.test/packages"
  cp "$root/examples/fit_and_sample.c" "$folder/$1.test/packages"
  quietly "$folder/$1.log" inside "$1.test" 'apt-get update
    apt-get install --yes --no-install-recommends /packages/zilch_*.deb
    cd /tmp
    zilch --version
    zilch optimize --problem smop1 --dim 20 --evaluations 200
    zilch show smop1.study
    echo "while read -r a b; do echo \$a; done" >evaluate
    zilch optimize --program "sh evaluate" --plain --dim 2 --bounds=-1:1 --evaluations 30
    for file in bash-completion/completions/zilch zsh/vendor-completions/_zilch fish/vendor_completions.d/zilch.fish; do
      test -s "/usr/share/$file"
    done
    test "$(dpkg-query --show --showformat="\${Version}" zilch)" = "$(zilch --version | cut -d " " -f 2)"'
  echo "$1: reading the manual, building a program with the library"
  quietly "$folder/$1.log" inside "$1.test" 'sed -i /path-exclude.*man/d /etc/dpkg/dpkg.cfg.d/* 2>/dev/null || :
    apt-get install --yes --no-install-recommends man-db gcc libc6-dev pkg-config cmake make /packages/libzilch0_*.deb /packages/libzilch-dev_*.deb
    man zilch-optimize | grep -q EXIT.STATUS
    man zilch | grep -q zilch-optimize
    cd /tmp
    gcc /packages/fit_and_sample.c $(pkg-config --cflags --libs zilch) -o shared
    ldd shared | grep -q libzilch.so.0
    gcc -static-libgcc /packages/fit_and_sample.c -I/usr/include -Wl,-Bstatic -lzilch -Wl,-Bdynamic -lopenblas -lsqlite3 -lm -lpthread -o static
    ./shared >shared.out
    ./static >static.out
    cmp shared.out static.out
    test -s shared.out'
  echo "$1: removing them"
  quietly "$folder/$1.log" inside "$1.test" 'apt-get purge --yes zilch libzilch0 libzilch-dev
    left=$(find /usr /etc /var/lib/dpkg/info -name "*zilch*")
    test -z "$left" || { echo "left: $left"; exit 1; }'
  rm -rf "$folder/$1.test"
}

for suite in bookworm trixie; do
  make_systems $suite
  make_packages $suite
  try_packages $suite
done
echo 'The packages are good in Debian 12 and 13.'
