# What a build needs. Everything that is missing is named at once, with its package of Debian, in place of one piece
# after the other. Sets zilch_has_mpi; with ZILCH_STATIC, the imported targets are archives.
set(missing "") # pairs: what, and its package

# zilch_need(CONDITION WHAT PACKAGE): CONDITION is the name of a variable
function(zilch_need condition what package)
  if(NOT ${condition})
    set(missing ${missing} "  ${what}: ${package}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT CMAKE_C_COMPILER)
  include(CheckLanguage)
  check_language(C)
endif()
zilch_need(CMAKE_C_COMPILER "a C compiler" "gcc libc6-dev")
find_package(PkgConfig QUIET)
zilch_need(PKG_CONFIG_FOUND "pkg-config" "pkg-config")
if(CMAKE_C_COMPILER)
  enable_language(C)
  set(imported IMPORTED_TARGET) # whose files are looked for where this compiler does
endif()

# zilch_need_library(PREFIX MODULE WHAT PACKAGE): by pkg-config; the target is PkgConfig::PREFIX
macro(zilch_need_library prefix module what package)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${prefix} QUIET ${imported} ${module})
  endif()
  zilch_need(${prefix}_FOUND ${what} ${package})
endmacro()

zilch_need_library(OPENBLAS openblas "OpenBLAS with its header" "libopenblas-dev")
zilch_need_library(SQLITE "sqlite3>=3.37" "SQLite 3.37 or later with its header" "libsqlite3-dev")
if(ZILCH_COMMAND OR ZILCH_TESTS)
  zilch_need_library(JANSSON jansson "Jansson with its header, for the command" "libjansson-dev")
endif()
if(ZILCH_TESTS)
  zilch_need_library(CMOCKA cmocka "cmocka with its header, for the tests (-DZILCH_TESTS=OFF leaves them out)" "libcmocka-dev")
endif()
if(ZILCH_PYTHON)
  if(CMAKE_C_COMPILER)
    find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
  else()
    find_package(Python 3.11 QUIET COMPONENTS Interpreter)
    if(Python_FOUND) # without a compiler, CMake does not look for headers
      execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('include'))"
                      OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(NOT EXISTS ${headers}/Python.h)
        set(Python_FOUND OFF)
      endif()
    endif()
  endif()
  zilch_need(Python_FOUND "Python 3.11 or later with its headers" "python3-dev")
endif()
set(zilch_has_mpi OFF)
if(ZILCH_MPI AND CMAKE_C_COMPILER)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(zilch_has_mpi ON)
  elseif(NOT ZILCH_MPI STREQUAL "AUTO")
    zilch_need(MPI_C_FOUND "MPI with its header (-DZILCH_MPI=OFF leaves it out)" "libopenmpi-dev openmpi-bin")
  endif()
endif()

if(missing)
  string(REGEX REPLACE "  [^;]*: " "" packages "${missing}")
  list(JOIN packages " " packages)
  list(JOIN missing "\n" missing)
  message(FATAL_ERROR "A build of zilch needs what is not here, each with its package of Debian:\n${missing}\n"
    "All at once: apt-get install ${packages}\n")
endif()
find_package(Threads REQUIRED)

# zilch_use_archive(PREFIX NAME [LIBRARY...]): what is linked with PkgConfig::PREFIX takes in libNAME.a
function(zilch_use_archive prefix name)
  find_library(${prefix}_ARCHIVE lib${name}.a HINTS ${${prefix}_LIBRARY_DIRS} ${${prefix}_STATIC_LIBRARY_DIRS} REQUIRED)
  set_target_properties(PkgConfig::${prefix} PROPERTIES INTERFACE_LINK_LIBRARIES "${${prefix}_ARCHIVE};${ARGN}")
endfunction()

if(ZILCH_STATIC)
  find_library(ZLIB_ARCHIVE libz.a REQUIRED)
  zilch_use_archive(OPENBLAS openblas zilch_fortran m)
  zilch_use_archive(SQLITE sqlite3 ${ZLIB_ARCHIVE} m)
  if(JANSSON_FOUND)
    zilch_use_archive(JANSSON jansson)
  endif()
endif()
