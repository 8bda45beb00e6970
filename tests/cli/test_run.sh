#!/bin/sh
# run.sh says what it does while it builds, the first time only, and shows what failed. Programs that build are stood in for.
. "$(dirname "$0")/lib.sh"

mkdir -p tree/tools stubs
cp "$ZILCH_SOURCE_DIR/run.sh" tree
cp "$ZILCH_SOURCE_DIR/tools/setup.sh" tree/tools
cat >stubs/cmake <<'TEXT'
#!/bin/sh
echo "cmake $*"
[ ! -e fail ] || { echo 'no such compiler'; exit 3; }
[ "$1" != --build ] || { mkdir -p "$2/cli" && printf '#!/bin/sh\necho "zilch $*"\n' >"$2/cli/zilch" && chmod +x "$2/cli/zilch"; }
TEXT
printf '#!/bin/sh\nprintf installed\n' >stubs/dpkg-query
printf '#!/bin/sh\necho "apt-get is not needed" >&2\nexit 1\n' >stubs/apt-get
chmod +x stubs/*

touch fail
expect_status 3 env PATH="$PWD/stubs:$PATH" sh tree/run.sh --version
expect_in_error 'no such compiler'
rm fail
expect_status 0 env PATH="$PWD/stubs:$PATH" sh tree/run.sh fit --help
expect_output 'zilch fit --help'
[ "$(wc -l <"$err")" -eq 2 ] || complain 'not a line for each step'
expect_in_error 'Looking at this machine'
expect_in_error 'Building zilch. This takes a minute or two, once'
log=$(sed -n "s/.*'tail -f \(.*\)' shows.*/\1/p" "$err")
expect_file "$log"
expect_status 0 env PATH="$PWD/stubs:$PATH" sh tree/run.sh fit --help
expect_output 'zilch fit --help'
[ ! -s "$err" ] || complain 'something is said the second time'
verdict
