"""The package as a whole: version, types, documentation, and what it needs."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import zilch

HEADER = Path(__file__).parents[2] / "include/zilch.h"
MODULES = ["zilch", *(f"zilch.{one.name}" for one in pkgutil.iter_modules(zilch.__path__) if one.name != "_core")]


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not HEADER.exists(), reason="no header: not in a checkout")
def test_version_is_that_of_the_header():
    text = HEADER.read_text()
    parts = [re.search(rf"#define ZILCH_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    assert zilch.__version__ == ".".join(parts)


def test_public_names_are_there_once():
    assert all(hasattr(zilch, name) for name in zilch.__all__)
    assert len(set(zilch.__all__)) == len(zilch.__all__)


@pytest.mark.parametrize("name", [name for name in zilch.__all__ if callable(getattr(zilch, name))])
def test_every_public_name_has_a_docstring(name):
    words = getattr(zilch, name).__doc__
    assert words
    assert not words.startswith(f"{name}(")  # what a dataclass writes by itself


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_a_docstring_and_its_examples_are_true(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = {test.name for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples}
    assert {"zilch._minimize.minimize", "zilch._optimizer.Optimizer", "zilch._model.ZeroInflatedGaussian"} <= examples


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer sees nothing of it, and mypy reads no extension module")
def test_mypy_strict_finds_nothing(request):
    """What is optional may be missing. Its cache is kept beside pytest's, as the first time takes long."""
    pytest.importorskip("mypy")
    cache = request.config.cache.mkdir("mypy") if hasattr(request.config, "cache") else os.devnull
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", f"--cache-dir={cache}",
                           *zilch.__path__], capture_output=True, text=True, cwd=HEADER.parents[1])
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_marked_as_typed():
    assert (Path(zilch.__path__[0]) / "py.typed").exists()


def test_it_works_without_gymnasium_and_matplotlib():
    out = python("import sys; sys.modules.update(gymnasium=None, matplotlib=None); import zilch\n"
                 "print(zilch.LunarLander(3).reset(seed=1)[0].shape)\n"
                 "print(zilch.minimize(lambda x: x @ x, 3, generations=2).fun)")
    assert out == "(3, 8)\n0.0\n"


def test_importing_it_does_not_import_matplotlib():
    assert python("import sys, zilch; print('matplotlib' in sys.modules)") == "False\n"


def test_importing_it_again_is_harmless():
    again = python("import importlib, zilch; importlib.reload(zilch); print(zilch.__version__)")
    assert again == f"{zilch.__version__}\n"
