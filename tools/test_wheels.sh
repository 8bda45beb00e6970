#!/bin/sh
# The wheels of tools/wheels.sh, in systems that have nothing else: Debian 12 and 13, Debian unstable with its newest Python, and
# Debian 12 on 64-bit ARM, whose programs QEMU runs. In each, Python is installed, a wheel, and a first search is made; then the tests
# of the package run against the wheel. The library's own tests run on ARM too, as it is compiled for the wheel. To be run once
# before a release, as root; it takes about an hour, as QEMU is slow, and six gigabytes.
#
#   tools/test_wheels.sh FOLDER [SYSTEM...]
#
# FOLDER is that of tools/wheels.sh, and keeps the systems for the next time. SYSTEM is one of bookworm, trixie, sid, bookworm.arm64
# and library.arm64; without any, all.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/setup.sh"
[ $# -ge 1 ] || { echo 'usage: tools/test_wheels.sh FOLDER [SYSTEM...]' >&2; exit 2; }
folder=$(CDPATH='' cd -- "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm trixie sid bookworm.arm64 library.arm64
. "$root/tools/systems.sh"
setup debootstrap qemu-user-static binfmt-support
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || update-binfmts --enable qemu-aarch64

# What the tests of the package use beside it, from PyPI and from Debian. Those of the lander compare with Box2D, which has no wheels
# for every system.
companions='pytest scipy scikit-learn pandas matplotlib gymnasium optuna nevergrad'
debian_companions=gnuplot-nox

look_at_wheels()
{
  rm -rf "$folder/wheels.system/wheels"
  cp -r "$folder/wheels" "$folder/wheels.system/wheels"
  inside wheels.system '/tools/bin/pip install --quiet abi3audit
    for wheel in /wheels/*.whl; do
      printf "%s: %s bytes\n" "$wheel" "$(wc -c <"$wheel")"
      /tools/bin/auditwheel show "$wheel"
      /tools/bin/abi3audit --strict "$wheel"
    done'
}

# wheel_of SYSTEM: the file
wheel_of()
{
  case $1 in
    *.arm64) echo "$folder"/wheels/*aarch64.whl ;;
    *) echo "$folder"/wheels/*x86_64.whl ;;
  esac
}

# try_wheel SYSTEM: as somebody does who has it, by the clock
try_wheel()
{
  make_system "$1"
  copy_system "$1" "$1.test"
  cp "$(wheel_of "$1")" "$folder/$1.test"
  began=$(date +%s)
  quietly "$folder/$1.log" inside "$1.test" 'apt-get -o Acquire::Check-Valid-Until=false update
    apt-get install --yes --no-install-recommends python3-venv
    python3 -m venv /env
    /env/bin/pip install --quiet /*.whl
    cd /tmp
    cat >first.py <<END
import zilch
result = zilch.minimize(lambda x: (x[3] - 1.5)**2 + (x[11] + 0.5)**2, 20, penalty=0.01)
assert (result.active, *result.x[[3, 11]].round(3)) == (2, 1.5, -0.5), result
END
    /env/bin/python first.py'
  echo "$1: from a bare system to a first result in $(($(date +%s) - began)) s"
  inside "$1.test" '/env/bin/python --version
    /env/bin/python -c "import zilch; print(zilch.__version__, zilch.__file__)"
    /env/bin/zilch --version
    cd /tmp
    /env/bin/zilch optimize --problem smop1 --dim 20 --evaluations 300 >optimize.out
    /env/bin/zilch show smop1.study >show.out'
}

# test_wheel SYSTEM: the tests of the package, which find no other zilch than the one installed
test_wheel()
{
  mkdir "$folder/$1.test/source"
  (cd "$root" && tar --create README.md CHANGELOG.md docs examples include bench tools python/tests python/optunahub pyproject.toml) |
    tar --extract --no-same-owner -C "$folder/$1.test/source"
  quietly "$folder/$1.log" inside "$1.test" "apt-get install --yes --no-install-recommends $debian_companions
    /env/bin/pip install --quiet --only-binary :all: $companions"
  inside "$1.test" 'cd /tmp
    lander=
    /env/bin/pip install --quiet --only-binary :all: "gymnasium[box2d]" 2>/dev/null || lander=--ignore=/source/python/tests/test_lander.py
    PATH=/env/bin:$PATH MPLBACKEND=agg pytest -q -p no:cacheprovider $lander /source/python/tests'
}

# The library's tests, compiled for ARM with what the wheel is compiled with.
test_library()
{
  make_wheels_system
  copy_sources wheels.system
  echo 'library.arm64: compiling'
  quietly "$folder/library.log" inside wheels.system 'cd /source
    export CMAKE_TOOLCHAIN_FILE=/source/cmake/aarch64.cmake
    cmake -S . -B /arm -G Ninja -DZILCH_STATIC=ON -DZILCH_MPI=OFF
    cmake --build /arm --target unit_tests'
  inside wheels.system 'ctest --test-dir /arm -L unit --output-on-failure'
}

look_at_wheels
for system; do
  [ "$system" = library.arm64 ] || try_wheel "$system"
done
for system; do
  if [ "$system" = library.arm64 ]; then
    test_library
  else
    test_wheel "$system"
  fi
done
echo 'The wheels are good.'
