# Sourced by run.sh and test.sh: brings a Debian system to the state that a build needs.
# Sets nothing; gives setup PACKAGE..., quietly COMMAND... and the two lists of packages.

build_packages='build-essential cmake ninja-build pkg-config libopenblas-dev libsqlite3-dev libjansson-dev libmicrohttpd-dev gnuplot-nox'
test_packages='libcmocka-dev clang-tidy clang-format cppcheck python3 python3-dev python3-venv python3-numpy python3-scipy binutils chromium
  libopenmpi-dev openmpi-bin locales strace groff-base mandoc zsh fish file'

# Those of the packages named that are not installed, on one line.
missing_packages()
{
  for package; do
    case $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# Those of the tools and libraries behind the packages named that cannot be found.
missing_tools()
{
  for package; do
    case $package in
      build-essential) tools='cc c++ make' ;;
      ninja-build) tools=ninja ;;
      gnuplot-nox) tools=gnuplot ;;
      binutils) tools='nm objdump' ;;
      locales) tools=localedef ;;
      groff-base) tools=groff ;;
      libopenmpi-dev) tools=mpicc ;;
      openmpi-bin) tools=mpirun ;;
      lib*-dev)
        library=${package#lib} library=${library%-dev}
        pkg-config --exists "$library" 2>/dev/null || printf '%s (library and headers) ' "$library"
        continue ;;
      python3-*)
        python3 -c "import ${package#python3-}" 2>/dev/null || printf '%s (for Python) ' "${package#python3-}"
        continue ;;
      *) tools=$package ;;
    esac
    for tool in $tools; do
      command -v "$tool" >/dev/null 2>&1 || printf '%s ' "$tool"
    done
  done
}

# Install what is missing of the packages named. Elsewhere than on Debian: only look.
setup()
{
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    missing=$(missing_tools "$@")
    [ -n "$missing" ] || return 0
    printf 'This is no Debian system, so nothing was installed. Please install first:\n  %s\n' "$missing" >&2
    return 1
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -eq 0 ]; then
    as_root=env
  elif command -v sudo >/dev/null 2>&1; then
    as_root='sudo env'
  else
    printf 'Packages are missing, and there is neither root nor sudo to install them. Please run as root:\n' >&2
    printf '  apt-get update && apt-get install --no-install-recommends %s\n' "$missing" >&2
    return 1
  fi
  printf 'Installing %s\n' "$missing" >&2
  log=$(mktemp)
  # The lists and the command are words to be split.
  # shellcheck disable=SC2086
  quietly "$log" $as_root apt-get update
  # shellcheck disable=SC2086
  quietly "$log" $as_root DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing
  rm -f "$log"
}

# quietly LOG COMMAND...: the command's output goes to the file, and is shown only on failure.
quietly()
{
  log_file=$1
  shift
  "$@" >"$log_file" 2>&1 </dev/null && return 0
  failed=$?
  printf 'Failed: %s\n' "$*" >&2
  cat "$log_file" >&2
  printf '(this output: %s)\n' "$log_file" >&2
  return "$failed"
}

# python_environment NAME REQUIREMENTS: build/NAME has the packages of this file; whoever comes first makes it. $root is set.
python_environment()
{
  environment=$root/build/$1
  mkdir -p "$root/build"
  exec 9>"$environment.lock"
  flock 9
  if ! cmp -s "$2" "$environment/requirements.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    quietly "$environment/pip.log" "$environment/bin/pip" install --disable-pip-version-check -r "$2"
    cp "$2" "$environment/requirements.txt"
  fi
  flock -u 9
}
