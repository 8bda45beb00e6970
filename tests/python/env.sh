# Sourced: gives $python, of a virtual environment in build/env with all that the tests of the package need. Whoever
# comes first makes it; it is made anew when the list of requirements has changed.
requirements=$ZILCH_SOURCE_DIR/tests/python/requirements.txt
env=$ZILCH_SOURCE_DIR/build/env
python=$env/bin/python

make_env()
{
  cmp -s "$requirements" "$env/requirements.txt" && return
  rm -rf "$env"
  python3 -m venv "$env"
  "$python" -m pip install --quiet --disable-pip-version-check -r "$requirements" >"$env/pip.log" 2>&1 || {
    cat "$env/pip.log" >&2
    return 1
  }
  cp "$requirements" "$env/requirements.txt"
}

mkdir -p "$ZILCH_SOURCE_DIR/build"
exec 9>"$ZILCH_SOURCE_DIR/build/env.lock"
flock 9
make_env || exit 1
flock -u 9
