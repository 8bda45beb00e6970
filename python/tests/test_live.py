"""The live page from Python, the view in a notebook, and what a search heeds while it goes on."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
import types
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import zilch
from zilch import _live

BUILT = Path(__file__).parents[2] / "build/release/cli/zilch"
COMMAND = os.environ.get("ZILCH") or shutil.which("zilch") or (str(BUILT) if BUILT.exists() else None)
needs_command = pytest.mark.skipif(COMMAND is None, reason="no command: put its path into ZILCH")


def bowl(x):
    return (x[0] - 1.5) ** 2 + (x[3] + 0.5) ** 2


def slow(x):
    time.sleep(0.002)
    return bowl(x)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The command as an installation has it, in the PATH alone."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "zilch").symlink_to(COMMAND)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "scripts"))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    if "without the live page" in subprocess.run([COMMAND, "serve", os.devnull], capture_output=True, text=True).stderr:
        pytest.skip("the command has no live page")


@pytest.fixture
def study(tmp_path):
    zilch.minimize(bowl, 6, penalty=0.01, population=20, refinement=False, generations=4, study=tmp_path / "a.study")
    return tmp_path / "a.study"


def fetch(address):
    with urllib.request.urlopen(address.partition("#")[0], timeout=30) as answer:
        return answer.read().decode()


def steer(path, *words):
    subprocess.run([COMMAND, "steer", str(path), *map(str, words)], check=True, capture_output=True)


def when(condition, act, limit=60):
    """Do something on a thread as soon as a condition holds."""

    def run():
        end = time.monotonic() + limit
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


# ---- The page


@needs_command
def test_serve(installed, study):
    with zilch.serve(study) as page:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#[0-9a-f]{32}", page.address)
        assert "live.js" in fetch(page.address) and page.address in repr(page)
        assert page.address in page._repr_html_()
    page.close()
    with pytest.raises(OSError):
        fetch(page.address)


@needs_command
def test_serve_ends_with_python(installed, study):
    code = "import sys, zilch\nprint(zilch.serve(sys.argv[1]).address, flush=True)\n" + "import os; os._exit(0)\n"
    done = subprocess.run([sys.executable, "-c", code, str(study)], capture_output=True, text=True, check=True)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            fetch(done.stdout)
        except OSError:
            return
        time.sleep(0.1)
    raise AssertionError("the server is left behind")


def test_serve_needs_the_command(study, monkeypatch, tmp_path):
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "scripts"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="serve: the command zilch is not installed"):
        zilch.serve(study)
    with pytest.raises(RuntimeError, match="serve: the command zilch is not installed"):
        zilch.minimize(bowl, 6, evaluations=100, live=True)
    with pytest.raises(FileNotFoundError, match="missing.study is not there"):
        zilch.serve(tmp_path / "missing.study")


def test_serve_says_what_the_command_says(study, monkeypatch, tmp_path):
    """One without the live page, as a wheel has it, is passed over if another one is there."""
    for folder, text in (("scripts", "zilch serve: this zilch was built without the live page, which needs libmicrohttpd"),
                         ("bin", "zilch serve: something else")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "zilch").write_text(f"#!/bin/sh\necho '{text}' >&2\nexit 1\n")
        (tmp_path / folder / "zilch").chmod(0o755)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "scripts"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    with pytest.raises(RuntimeError, match="bin/zilch: zilch serve: something else"):
        zilch.serve(study)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(RuntimeError, match="was built without the live page, which needs libmicrohttpd"):
        zilch.serve(study)


@needs_command
def test_minimize_live(installed, capfd):
    """Without a study, there is one for as long as the search lasts."""
    pages = []

    def look(optimizer):
        if not pages:
            address = re.search(r"live page: (\S+)", capfd.readouterr().err)[1]
            pages.append(fetch(address))
            pages.append(address)

    found = zilch.minimize(bowl, 6, evaluations=400, penalty=0.01, live=True, callback=look)
    assert "live.js" in pages[0] and found.active == 2
    with pytest.raises(OSError):
        fetch(pages[1])
    same = zilch.minimize(bowl, 6, evaluations=400, penalty=0.01)
    assert np.array_equal(found.x, same.x)
    with pytest.raises(TypeError, match="live: must be True or False"):
        zilch.minimize(bowl, 6, evaluations=400, live=1)


# ---- A notebook


class Handle:
    def __init__(self, first):
        self.drawn = [first]

    def update(self, page):
        self.drawn.append(page)


@pytest.fixture
def notebook(monkeypatch):
    """What IPython gives in a notebook."""
    handles = []

    def display(page, display_id):
        assert display_id is True
        handles.append(Handle(page))
        return handles[-1]

    module = types.ModuleType("IPython")
    module.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    module.display = types.ModuleType("IPython.display")
    module.display.HTML, module.display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", module.display)
    return handles


def test_notebook_view(notebook, monkeypatch):
    monkeypatch.setattr(_live, "_BETWEEN", 0.0)
    names = ["<b>bold</b>", "minutes", "steam", "salt", "yeast", "water"]
    found = zilch.minimize(bowl, 6, evaluations=400, penalty=0.01, names=names, live=True)
    (handle,) = notebook
    assert len(handle.drawn) == found.nit + 2  # at the beginning, after each generation, and at the end
    assert "searching, at " in handle.drawn[3] and "<svg" in handle.drawn[-1] and "&lt;b&gt;bold" in handle.drawn[-1]
    assert "stopped by: " in handle.drawn[-1] and "2 of 6 coordinates active" in handle.drawn[-1] and "<b>bold" not in handle.drawn[-1]


def test_notebook_view_rests(notebook):
    found = zilch.minimize(bowl, 6, evaluations=400, penalty=0.01, live=True)
    assert len(notebook[0].drawn) < found.nit / 2


def test_terminal_is_no_notebook(monkeypatch):
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: types.SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert not _live.is_notebook()


# ---- What it heeds


LONG = {"penalty": 0.01, "population": 20, "refinement": False, "generations": 100000}


def asked(path):
    with zilch.Study(path) as opened:
        return opened.commands(1)


def generations(path):
    with zilch.Study(path) as opened:
        return len(opened.generations(1)) if opened.runs else 0


class Seen:
    """A callback that counts generations, so that others need not read the study."""

    def __init__(self):
        self.generations = 0

    def __call__(self, optimizer):
        self.generations = optimizer.progress.generations


@needs_command
@pytest.mark.parametrize("way", ["function", "executor", "problem"])
def test_stop(tmp_path, way):
    path, seen = tmp_path / "a.study", Seen()
    when(lambda: seen.generations >= 3, lambda: steer(path, "stop"))
    if way == "function":
        found = zilch.minimize(slow, 6, study=path, callback=seen, **LONG)
    elif way == "executor":
        with ThreadPoolExecutor(4) as pool:
            found = zilch.minimize(slow, 6, study=path, callback=seen, executor=pool, **LONG)
    else:
        found = zilch.minimize(zilch.problem("sphere:dim=200,active=3"), study=path, callback=seen, **{**LONG, "population": 500})
    assert found.message == "stopped by: request" and not found.success and found.recommended is not None
    (command,) = asked(path)
    assert command["action"] == "stop" and command["generation"] == found.nit and command["value"] is None
    with zilch.Study(path) as opened:
        assert [row["stop"] for row in opened.conclusions(1)] == ["asked"]


@needs_command
@pytest.mark.parametrize("way", ["function", "executor"])
def test_stop_now(tmp_path, way):
    """In the midst of a generation: what has arrived is kept."""
    path, count = tmp_path / "a.study", []

    def very_slow(x):
        count.append(1)
        time.sleep(0.05)
        return bowl(x)

    when(lambda: len(count) > 10, lambda: steer(path, "stop-now"))
    began = time.monotonic()
    options = {**LONG, "population": 400, "noisy": False, "final_evaluations": 0}
    if way == "function":
        found = zilch.minimize(very_slow, 6, study=path, **options)
    else:
        with ThreadPoolExecutor(2) as pool:
            found = zilch.minimize(very_slow, 6, study=path, executor=pool, **options)
    assert found.message == "stopped by: interrupted" and time.monotonic() - began < 15
    before = len(count)
    assert 10 < before < 200
    found = zilch.minimize(very_slow, 6, study=path, **{**options, "generations": 1})
    assert found.nit == 1 and len(count) <= 400 + 2  # those that were under way are repeated


@needs_command
def test_pause_and_go_on(tmp_path, capfd):
    path, seen, places = tmp_path / "a.study", Seen(), []

    def steer_it():
        steer(path, "pause")
        end = time.monotonic() + 30
        while "paused" not in capfd.readouterr().err and time.monotonic() < end:
            time.sleep(0.02)
        places.append(seen.generations)
        time.sleep(0.5)
        places.append(seen.generations)
        steer(path, "go-on")
        when(lambda: seen.generations > places[1], lambda: steer(path, "stop")).join()

    when(lambda: seen.generations >= 3, steer_it)
    found = zilch.minimize(slow, 6, study=path, callback=seen, **LONG)
    assert places[0] == places[1] < found.nit and found.message == "stopped by: request"
    assert [command["action"] for command in asked(path)] == ["pause", "go-on", "stop"]


@needs_command
def test_limits_penalty_and_recommendation(tmp_path, capfd):
    """Another budget and penalty count from then on, and are kept; a recommendation does not change the search."""
    path, seen = tmp_path / "a.study", Seen()

    def steer_it():
        for words in (["evaluations", 5], ["penalty", 0.5], ["recommend"], ["generations", 60]):
            steer(path, *words)
            when(lambda: len(asked(path)) and asked(path)[-1]["generation"] is not None, lambda: None).join()

    when(lambda: seen.generations >= 3, steer_it)
    found = zilch.minimize(slow, 6, study=path, callback=seen, final_evaluations=10, **LONG)
    assert found.nit == 60 and found.message == "stopped by: generations"
    assert "evaluations: not taken: " in capfd.readouterr().err
    with zilch.Study(path) as opened:
        (run,) = opened.runs
        assert run["settings"]["limit"]["generations"] == 60 and run["penalty"] == 0.5
        first, last = opened.conclusions(1)
        assert first["stop"] == "not stopped" and first["is_recommending"] and last["stop"] == "generations"
        rows = opened.generations(1)
    assert all(row["best_fitness"] == pytest.approx(row["best_value"] + 0.5 * row["best_active"]) for row in rows[-3:])
    assert zilch.minimize(bowl, 6, penalty=0.01, population=20, refinement=False, generations=61).nit == 61


@needs_command
def test_what_waits_is_passed_over(tmp_path):
    path = tmp_path / "a.study"
    options = {**LONG, "generations": 4}
    zilch.minimize(bowl, 6, study=path, **options)
    for words in (["stop"], ["pause"], ["stop-now"]):
        steer(path, *words)
    steer(path, "generations", 9)
    with zilch.Study(path, "write") as opened:
        opened.ask("recommend")
        with pytest.raises(ValueError, match="penalty: must be a number, 0 or more"):
            opened.ask("penalty", -1)
        with pytest.raises(ValueError, match="dance"):
            opened.ask("dance")
    found = zilch.minimize(bowl, 6, study=path, **{**LONG, "generations": 7})
    assert found.nit == 9 and found.message == "stopped by: generations"
    assert [command["generation"] for command in asked(path)] == [4] * 5
