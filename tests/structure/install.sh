#!/bin/sh
# The installed package: an example is built against it in three ways (pkg-config, CMake with
# the shared library, CMake with the static one) and prints the same each time.
. "${0%/*}/common.sh"

example=$source/examples/fit_and_sample.c
prefix=$scratch/prefix

# run NAME COMMAND...: with its output shown on failure
run()
{
  name=$1
  shift
  "$@" >"$scratch/log" 2>&1 || { echo "$name failed: $*"; cat "$scratch/log"; exit 1; }
}

run install cmake --install "$build" --prefix "$prefix"
for file in bin/zilch include/zilch.h share/man/man1/zilch.1 share/man/man1/zilch-optimize.1 share/bash-completion/completions/zilch \
  share/zsh/site-functions/_zilch share/fish/vendor_completions.d/zilch.fish; do
  [ -e "$prefix/$file" ] || complain "not installed: $file"
done
[ ! -e "$prefix/share/man/man1/made" ] || complain 'installed, but no manual page: made'
find "$prefix/bin" "$prefix/lib"* -type f \( -name zilch -o -name '*.so*' \) >"$scratch/installed"
while read -r file; do
  if readelf --dynamic "$file" | grep -E 'RPATH|RUNPATH'; then complain "$file looks for libraries in folders of its own"; fi
done <"$scratch/installed"
"$prefix/bin/zilch" --version >/dev/null || complain 'the installed command does not run'

has_mpi=
if [ -e "$build/libzilch_mpi.so" ]; then has_mpi=yes; fi
[ -z "$has_mpi" ] || [ -e "$prefix/include/zilch_mpi.h" ] || complain 'not installed: zilch_mpi.h'

has_cuda=
if [ -e "$build/libzilch_cuda.so" ]; then has_cuda=yes; fi
[ -z "$has_cuda" ] || [ -e "$prefix/include/zilch_cuda.h" ] || complain 'not installed: zilch_cuda.h'

# pkg-config, shared. The package file says where it lies, so the prefix needs no other mention.
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name zilch.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs zilch)
case $flags in
  *"$prefix"*) ;;
  *) complain "zilch.pc does not point to where it was installed: $flags" ;;
esac
mkdir "$scratch/by_pkg_config"
# The flags are words to be split.
# shellcheck disable=SC2086
run pkg-config gcc -std=c17 -Wall -Wextra -Werror "$example" $flags \
  "-Wl,-rpath,$(pkg-config --variable=libdir zilch)" -o "$scratch/by_pkg_config/shared"

if [ -n "$has_mpi" ]; then
  # shellcheck disable=SC2046
  run 'pkg-config of ranks' gcc -std=c17 -Wall -Wextra -Werror "$source/examples/mpi.c" $(pkg-config --cflags --libs zilch_mpi) \
    "-Wl,-rpath,$(pkg-config --variable=libdir zilch)" -o "$scratch/by_pkg_config/mpi"
fi

if [ -n "$has_cuda" ]; then
  cat >"$scratch/cards.c" <<'END'
#include <zilch_cuda.h>
int main(void)
{
    unsigned cards;
    return zilch_cuda_count(&cards) == ZILCH_OK ? 0 : *zilch_last_error() != 0;
}
END
  # shellcheck disable=SC2046
  run 'pkg-config of cards' gcc -std=c17 -Wall -Wextra -Werror "$scratch/cards.c" $(pkg-config --cflags --libs zilch_cuda) \
    "-Wl,-rpath,$(pkg-config --variable=libdir zilch)" -o "$scratch/by_pkg_config/cards"
fi

mkdir "$scratch/project"
cat >"$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(zilch 0.2 REQUIRED)
foreach(library zilch zilch_static)
  add_executable(with_\${library} "$example")
  target_link_libraries(with_\${library} PRIVATE zilch::\${library})
endforeach()
END
if [ -n "$has_mpi" ]; then
  cat >>"$scratch/project/CMakeLists.txt" <<END
find_package(zilch 0.2 REQUIRED COMPONENTS mpi)
foreach(library zilch_mpi zilch_mpi_static)
  add_executable(with_\${library} "$source/examples/mpi.c")
  target_link_libraries(with_\${library} PRIVATE zilch::\${library})
endforeach()
END
fi
if [ -n "$has_cuda" ]; then
  cat >>"$scratch/project/CMakeLists.txt" <<END
find_package(zilch 0.2 REQUIRED COMPONENTS cuda)
foreach(library zilch_cuda zilch_cuda_static)
  add_executable(with_\${library} "$scratch/cards.c")
  target_link_libraries(with_\${library} PRIVATE zilch::\${library})
endforeach()
END
fi
run configure cmake -G Ninja -S "$scratch/project" -B "$scratch/by_cmake" "-DCMAKE_PREFIX_PATH=$prefix"
run build cmake --build "$scratch/by_cmake"
if ldd "$scratch/by_cmake/with_zilch_static" | grep -q libzilch; then
  complain 'zilch::zilch_static links the shared library'
fi
ldd "$scratch/by_cmake/with_zilch" | grep -q "$prefix.*libzilch" || complain 'zilch::zilch is not the installed library'

for program in by_pkg_config/shared by_cmake/with_zilch by_cmake/with_zilch_static; do
  "$scratch/$program" >"$scratch/$program.out" || complain "$program fails"
  cmp "$scratch/by_pkg_config/shared.out" "$scratch/$program.out" || complain "$program prints something else"
done
[ "$(grep -c '^drawn:' "$scratch/by_pkg_config/shared.out")" -eq 3 ] || complain 'the example did not draw three points'
if [ -n "$has_mpi" ]; then # a process alone is one rank
  for program in by_pkg_config/mpi by_cmake/with_zilch_mpi by_cmake/with_zilch_mpi_static; do
    ldd "$scratch/$program" >"$scratch/libraries"
    grep -q 'libmpi' "$scratch/libraries" || complain "$program does not link MPI"
    [ "$program" = by_cmake/with_zilch_mpi_static ] || grep -q "$prefix.*libzilch_mpi" "$scratch/libraries" ||
      complain "$program is not linked with the installed library"
  done
  if grep -q libzilch "$scratch/libraries"; then complain 'zilch::zilch_mpi_static links a shared library'; fi
fi
if [ -n "$has_cuda" ]; then # without a card there are none
  for program in by_pkg_config/cards by_cmake/with_zilch_cuda by_cmake/with_zilch_cuda_static; do
    "$scratch/$program" || complain "$program fails"
  done
fi
[ "$(wc -l <"$source/examples/mpi.c")" -le 40 ] || complain 'examples/mpi.c is longer than 40 lines'
[ "$(wc -l <"$example")" -le 40 ] || complain 'the example is longer than 40 lines'
cat "$scratch/by_pkg_config/shared.out"
verdict
