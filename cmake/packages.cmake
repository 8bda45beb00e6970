# Debian packages: 'cmake --preset package && cmake --build --preset package && cpack --preset package' leaves them in
# build/package. zilch is the command, which needs no library of ours; libzilch0 and libzilch-dev are for programs in C.
# tools/test_packages.sh builds and installs them in bare Debian systems.
set(library libzilch${PROJECT_VERSION_MAJOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME zilch)
set(CPACK_PACKAGE_VENDOR "The zilch authors")
# Debian wants an address behind the name. Whoever publishes packages gives their own; the usual one says that it reaches
# nobody (RFC 2606).
set(ZILCH_PACKAGE_CONTACT "The zilch authors <zilch@packages.invalid>" CACHE STRING "Maintainer in the Debian packages")
set(CPACK_PACKAGE_CONTACT "${ZILCH_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sparse black-box optimisation")
set(about "zilch searches points that are good and mostly exact zeros, from the
values of a function alone: no gradient is needed, and values may be noisy.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME zilch)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION math)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS gnuplot-nox) # figures
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "${about}
.
This package has the command, its manual pages, and completions for bash, zsh
and fish. The function is any program that reads points and prints values.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${about}
.
This package has the shared library that programs in C are linked with.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libzilch-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${library} (= ${PROJECT_VERSION}), libopenblas-dev, libsqlite3-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${about}
.
This package has the header, the static library, and what pkg-config and CMake
need to find them.")

# What Debian asks of a package beyond what is installed.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_ZILCH_DOCUMENTS "command:zilch;library:${library};development:libzilch-dev")
set(CPACK_ZILCH_SOURCE_DIR ${PROJECT_SOURCE_DIR})
include(CPack)
