"""Studies: read from Python as the command exports them, whoever wrote them."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import zilch
from zilch import Study, _options

BUILT = Path(__file__).parents[2] / "build/release/cli/zilch"
COMMAND = os.environ.get("ZILCH") or shutil.which("zilch") or (str(BUILT) if BUILT.exists() else None)
needs_command = pytest.mark.skipif(COMMAND is None, reason="no command: put its path into ZILCH")

SHORT = {"population": 20, "refinement": False, "generations": 4, "penalty": 0.01}


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def bowl(x):
    return (x[0] - 1.5) ** 2 + (x[3] + 0.5) ** 2


@pytest.fixture
def python_study(tmp_path):
    zilch.minimize(bowl, 6, study=tmp_path / "a.study", **SHORT)
    zilch.maximize(lambda x: np.nan if x[1] > 0 else -bowl(x), 6, study=tmp_path / "a.study", seed=9, **SHORT)
    return tmp_path / "a.study"


@pytest.fixture
def command_study(tmp_path):
    for seed in (1, 2):
        command("optimize", "--problem", "sphere:dim=12,active=3,noise=0.1", "--seed", seed, "--population", 30,
                "--generations", 3, "--study", tmp_path / "b.study")
    return tmp_path / "b.study"


# ---- Reading

def test_runs_say_how_they_were_made_and_went(python_study):
    with Study(python_study) as study:
        first, second = study.runs
    assert (first["run"], first["dim"], first["seed"]) == (1, 6, 1)
    assert (first["direction"], first["penalty"]) == ("minimize", 0.01)
    assert (first["generations"], first["evaluations"], first["failures"], first["stop"]) == (4, 80 + first["spent"], 0, "generations")
    assert first["problem"] == "python:bowl"
    assert first["version"] == zilch.__version__
    assert first["settings"]["option"]["population"] == 20
    assert first["names"] is None
    assert (second["run"], second["seed"], second["direction"]) == (2, 9, "maximize")
    assert second["failures"] > 0


def test_generations_are_the_history(tmp_path):
    result = zilch.minimize(bowl, 6, study=tmp_path / "a.study", **SHORT)
    with Study(tmp_path / "a.study") as study:
        rows = study.generations(1)
    for name in result.history.dtype.names:
        np.testing.assert_array_equal([row[name] for row in rows], result.history[name])
    assert all(row["evaluating"] >= 0 and row["searching"] >= 0 for row in rows)


def test_evaluations_are_what_f_was_called_with(tmp_path):
    seen = []
    zilch.minimize(lambda x: seen.append(x.copy()) or bowl(x), 6, study=tmp_path / "a.study", final_evaluations=0, **SHORT)
    with Study(tmp_path / "a.study") as study:
        rows = study.evaluations(1)
    np.testing.assert_array_equal([row["x"] for row in rows], seen)
    assert [row["value"] for row in rows] == [bowl(x) for x in seen]
    assert [row["active"] for row in rows] == [np.count_nonzero(x) for x in seen]
    assert [row["generation"] for row in rows] == list(np.repeat([1, 2, 3, 4], 20))
    assert [row["id"] for row in rows] == list(range(80))


def test_first_points_are_among_the_evaluations(tmp_path):
    x0 = np.eye(6)[:2]
    zilch.minimize(bowl, x0, study=tmp_path / "a.study", **SHORT)
    with Study(tmp_path / "a.study") as study:
        foreign = [row for row in study.evaluations(1) if row["id"] >= 2**62]
    np.testing.assert_array_equal([row["x"] for row in foreign], x0)


def test_failed_evaluations_are_nan(python_study):
    with Study(python_study) as study:
        rows = study.evaluations(2)
        failures = study.runs[1]["failures"]
    assert np.count_nonzero(np.isnan([row["value"] for row in rows])) == failures > 0


def test_conclusions_are_what_was_recommended(tmp_path):
    result = zilch.minimize(bowl, 6, study=tmp_path / "a.study", **SHORT)
    with Study(tmp_path / "a.study") as study:
        conclusion, = study.conclusions(1)
    np.testing.assert_array_equal(conclusion["x"], result.x)
    assert conclusion["stop"] == "generations"
    assert conclusion["generation"] == 4
    for name in ("mean", "deviation", "fitness", "evaluations", "failures", "spent", "active", "pruned", "point"):
        assert conclusion[name] == getattr(result.recommended, name), name


def test_a_conclusion_without_a_recommendation_has_no_point(tmp_path):
    zilch.minimize(bowl, 6, study=tmp_path / "a.study", final_evaluations=0, **SHORT)
    with Study(tmp_path / "a.study") as study:
        conclusion, = study.conclusions(1)
    assert conclusion["x"] is None
    assert not conclusion["is_recommending"]


def test_a_study_can_be_read_while_it_is_written(tmp_path):
    path, seen = tmp_path / "a.study", []

    def look(optimizer):
        with Study(path) as study:
            seen.append((len(study.generations(1)), study.runs[0]["stop"]))

    zilch.minimize(bowl, 6, study=path, callback=look, **SHORT)
    assert seen == [(k, "not stopped") for k in (1, 2, 3, 4)]


def test_a_run_that_the_callback_ended_has_ended(tmp_path):
    zilch.minimize(bowl, 6, study=tmp_path / "a.study", callback=lambda optimizer: True, **SHORT)
    with Study(tmp_path / "a.study") as study:
        assert study.runs[0]["stop"] == "observer"


# ---- The command

def assert_same_rows(rows, exported, names):
    """What failed is NaN here and null there."""
    assert len(rows) == len(exported)
    for name in names:
        there = [np.nan if row[name] is None else row[name] for row in exported]
        np.testing.assert_array_equal([row[name] for row in rows], there, err_msg=name)


@needs_command
@pytest.mark.parametrize("writer", ["python_study", "command_study"])
def test_rows_are_those_that_the_command_exports(writer, request):
    path = request.getfixturevalue(writer)
    with Study(path) as study:
        for run in (1, 2):
            exported = json.loads(command("export", path, "--json", "--run", run))
            assert_same_rows(study.evaluations(run), exported, ("generation", "id", "value", "fitness", "active", "x"))
            exported = json.loads(command("export", path, "--json", "--run", run, "--generations"))
            assert_same_rows(study.generations(run), exported, (
                "generation", "evaluations", "failures", "best_value", "best_fitness", "best_active"))


@needs_command
@pytest.mark.parametrize("writer", ["python_study", "command_study"])
def test_runs_are_those_that_the_command_shows(writer, request):
    path = request.getfixturevalue(writer)
    shown = json.loads(command("show", "--json", path))["runs"]
    with Study(path) as study:
        runs = study.runs
    for name in ("run", "name", "problem", "machine", "started", "version", "seed", "dim", "method", "direction", "penalty",
                 "generations", "evaluations", "failures"):
        assert [run[name] for run in runs] == [run[name] for run in shown], name
    assert [run["stop"] for run in runs] == [run["ended_by"] for run in shown]
    for run, other in zip(runs, shown):
        for kind, texts in other["asked_for"].items():
            values = _options.values(kind, texts) if kind in ("option", "limit", "final") else texts
            assert run["settings"][kind] == values, kind


@needs_command
def test_a_run_of_the_command_is_resumed_from_python(command_study, tmp_path):
    """Gone on with by hand, it has the points that the command would have had."""
    with Study(command_study) as study:
        search = study.resume(2)
    problem = zilch.problem("sphere:dim=12,active=3,noise=0.1", seed=2)
    points = []
    for _ in range(2):
        ids, x = search.ask()
        points.append(x)
        search.tell(ids, problem(x, ids=ids))
    command("optimize", "--problem", problem.setting, "--seed", 2, "--population", 30, "--generations", 5,
            "--study", tmp_path / "longer.study")
    with Study(tmp_path / "longer.study") as study:
        expected = [row["x"] for row in study.evaluations(1) if row["generation"] > 3]
    np.testing.assert_array_equal(np.vstack(points), expected)


@needs_command
def test_the_command_does_not_go_on_with_a_run_of_pythons(python_study):
    done = subprocess.run([COMMAND, "resume", python_study, "--run", "1"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "not begun by this command" in done.stderr or "ended" in done.stderr


# ---- Resuming, closing, and what is wrong

def test_resumed_it_is_as_after_the_last_generation(tmp_path):
    result = zilch.minimize(bowl, 6, study=tmp_path / "a.study", **SHORT)
    with Study(tmp_path / "a.study") as study:
        search = study.resume(1)
    assert search.progress == result.optimizer.progress
    np.testing.assert_array_equal(search.ask()[1], result.optimizer.ask()[1])


def test_a_closed_study_says_so(python_study):
    with Study(python_study) as study:
        pass
    for use in (lambda: study.runs, lambda: study.generations(1), lambda: study.resume(1)):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_a_study_may_be_closed_twice(python_study):
    with Study(python_study) as study:
        study.close()
    study.close()


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="open files are not listed here")
def test_a_study_is_closed_when_it_is_forgotten(python_study):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(30):
        Study(python_study).runs
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_missing_study_is_an_oserror_and_create_makes_it(tmp_path):
    path = tmp_path / "a.study"
    for mode in ("read", "write"):
        with pytest.raises(OSError, match="a.study"):
            Study(path, mode)
    assert not path.exists()
    with Study(path, "create") as study:
        assert study.runs == []
    with Study(path) as study:
        assert study.runs == []


def test_what_is_no_study_is_a_valueerror(tmp_path):
    path = tmp_path / "text"
    path.write_text("a text that is long enough not to be taken for an empty database, and is none\n" * 20)
    with pytest.raises(ValueError, match="text"):
        Study(path)
    with pytest.raises(ValueError, match="text"):
        Study(path, "create")


def test_a_damaged_study_is_an_error_not_a_crash(python_study):
    data = bytearray(python_study.read_bytes())
    data[4096:] = bytes(b ^ 0x55 for b in data[4096:])
    python_study.write_bytes(data)
    with pytest.raises((ValueError, OSError)), Study(python_study) as study:
        study.runs
        study.evaluations(1)


def test_a_wrong_mode_is_named(tmp_path):
    with pytest.raises(ValueError, match="^mode: "):
        Study(tmp_path / "a.study", "r+")


@pytest.mark.parametrize("method", ["generations", "evaluations", "conclusions", "resume"])
@pytest.mark.parametrize("run, error", [
    (3, ValueError), (0, ValueError), (-1, (ValueError, OverflowError)), ("1", TypeError)])
def test_a_run_that_is_not_there_is_an_error(python_study, method, run, error):
    with Study(python_study) as study, pytest.raises(error):
        getattr(study, method)(run)


@pytest.mark.parametrize("run", [0, -1, 2**64 + 1, "1", 1.0])
def test_a_run_is_a_number_from_1_on(tmp_path, run):
    zilch.minimize(lambda x: float((x**2).sum()), 3, population=10, generations=1, study=tmp_path / "a.study")
    with zilch.Study(tmp_path / "a.study") as study:
        for read in (study.generations, study.evaluations, study.conclusions, study.resume):
            with pytest.raises((TypeError, ValueError), match="run"):
                read(run)


def test_a_study_cannot_be_closed_while_it_is_read(tmp_path):
    """Reading makes dicts, which may collect garbage, whose __del__ may do anything."""
    import gc

    zilch.minimize(lambda x: float((x**2).sum()), 3, population=10, generations=60, study=tmp_path / "a.study")
    study = zilch.Study(tmp_path / "a.study")
    refused = []

    class Closing:
        def __init__(self):
            self.self = self

        def __del__(self):
            try:
                study.close()
            except RuntimeError as error:
                refused.append(str(error))

    before = gc.get_threshold()
    gc.set_threshold(5)
    try:
        Closing()
        rows = study.generations(1)
    finally:
        gc.set_threshold(*before)
    assert len(rows) == 60
    assert all("another thread is using it" in words for words in refused)


def test_words_that_are_no_utf8_are_still_of_the_right_kind():
    with pytest.raises(OSError):
        zilch.Study("/nonexistent/\udcff")
    with pytest.raises(OSError):
        zilch.Study("/nonexistent/" + "é" * 900)


def test_errors_are_printable(tmp_path):
    with pytest.raises(OSError) as caught:
        Study(tmp_path / "\u00e9\x1b[31m\n\u202e\x9b")
    assert str(caught.value).isprintable()
    assert "\u00e9\\x1b[31m\\n\\u202e\\x9b: " in str(caught.value)
