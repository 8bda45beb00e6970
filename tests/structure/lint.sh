#!/bin/sh
# clang-tidy and cppcheck over the library, the benchmarks, the command and the extension module, clang-format over
# every C file: see lint.py.
. "${0%/*}/common.sh"
python3 "$source/tests/structure/lint.py" "$source" "$build"
