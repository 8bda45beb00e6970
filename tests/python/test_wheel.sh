#!/bin/sh
# Source distribution and wheel are made in clean environments; what comes out serves every Python from 3.11 on, and
# runs the examples.
set -eu
. "$ZILCH_SOURCE_DIR/tests/python/env.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail()
{
  printf '%s\n' "$*" >&2
  exit 1
}

"$python" -m build --outdir dist "$ZILCH_SOURCE_DIR" >build.log 2>&1 || { cat build.log; exit 1; }
ls dist
ls dist/zilch-*.tar.gz >/dev/null
wheel=$(ls dist/zilch-*-cp311-abi3-*.whl)
tar -tzf dist/zilch-*.tar.gz | grep -E '/(tests|docs|tools|build)/' && fail 'the source distribution holds what it need not'

python3 -m venv --system-site-packages clean
clean/bin/pip install --quiet --no-deps --disable-pip-version-check "$wheel"
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
export PYTHONPATH="$site" MPLBACKEND=agg
clean/bin/python -c 'import zilch, zilch._core; print(zilch.__version__, zilch.__file__)' | grep -F "$scratch/clean" ||
  fail 'another package than the one installed was imported'
"$env/bin/abi3audit" --strict "$wheel" || fail 'uses what is not of the limited API'

# The command comes with it, and says the same version.
[ "$(clean/bin/zilch --version)" = "zilch $(clean/bin/python -c 'import zilch; print(zilch.__version__)')" ] || fail 'the command is another one'
# Gymnasium imports the package itself if the name says so.
clean/bin/python -c 'import gymnasium; gymnasium.make_vec("zilch:zilch/LunarLander-v3", num_envs=2).reset(seed=1)' ||
  fail 'Gymnasium does not find the lander'

for example in minimize regression correlations; do
  clean/bin/python "$ZILCH_SOURCE_DIR/examples/$example.py" >out.txt 2>&1 || { cat out.txt; fail "examples/$example.py failed"; }
  cat out.txt
done
clean/bin/python "$ZILCH_SOURCE_DIR/examples/vector_env.py" 2 || fail 'examples/vector_env.py failed'
