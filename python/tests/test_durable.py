"""No evaluation is lost, Ctrl-C gives the result so far, and a function is known by its code."""

import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import zilch

OPTIONS = {"penalty": 0.01, "population": 8, "refinement": False, "evaluations": 60, "final_evaluations": 10}


class Counted:
    """Counts its calls, and fails in one of them."""

    def __init__(self, at=None, error=None):
        self.at, self.error, self.calls = at, error, 0

    def __call__(self, x):
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return float((x[0] - 1)**2 + (x[3] + 2)**2)


def assert_same(a, b):
    np.testing.assert_array_equal(a.x, b.x)
    assert (a.fun, a.nfev, a.nit, a.message) == (b.fun, b.nfev, b.nit, b.message)
    assert repr(a.history.tolist()) == repr(b.history.tolist())


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("at", [2, 12, 29, 53])
def test_what_has_arrived_is_not_evaluated_again(tmp_path, at, workers):
    """The first points, a generation and the final check; an exception flushes, whatever is waiting."""
    whole = Counted()
    x0 = np.ones((3, 6))
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        executor = pool if workers else None
        expected = zilch.minimize(whole, x0=x0, executor=executor, **OPTIONS)
        first, second = Counted(at, RuntimeError("broken")), Counted()
        with pytest.raises(RuntimeError, match="broken"):
            zilch.minimize(first, x0=x0, study=tmp_path / "a.study", executor=executor, **OPTIONS)
        assert_same(zilch.minimize(second, x0=x0, study=tmp_path / "a.study", executor=executor, **OPTIONS), expected)
    assert first.calls - 1 + second.calls == whole.calls + (first.calls - at)  # the one that failed, and what followed it elsewhere


@pytest.mark.parametrize("way", ["alone", "executor"])
def test_a_kill_costs_what_was_under_way(tmp_path, way):
    code = textwrap.dedent(f"""
        import sys, time, zilch
        from concurrent.futures import ThreadPoolExecutor
        def f(x):
            with open("log", "a") as log:
                print(*x, file=log)
            time.sleep(0.11)
            return float((x[0] - 1)**2 + x[1]**2)
        with ThreadPoolExecutor(2) as pool:
            result = zilch.minimize(f, 3, population=6, refinement=False, evaluations=14, final_evaluations=0, study=sys.argv[1],
                                    executor=pool if {way == "executor"} else None)
        print(result.x, result.fun, result.nfev)
    """)
    log = tmp_path / "log"

    def start(study):
        return subprocess.Popen([sys.executable, "-c", code, study], cwd=tmp_path, stdout=subprocess.PIPE, text=True)

    expected, _ = start("whole").communicate(timeout=60)
    whole = len(log.read_text().splitlines())
    log.unlink()
    for lines in (4, 9):
        with start("killed") as child:
            while not log.exists() or len(log.read_text().splitlines()) < lines:
                time.sleep(0.01)
            child.kill()
    got, _ = start("killed").communicate(timeout=60)
    assert got == expected
    assert len(log.read_text().splitlines()) - whole <= 2 * (2 if way == "executor" else 1)


@pytest.mark.parametrize("at", [4, 30])
def test_ctrl_c_gives_the_result_so_far(tmp_path, at):
    f = Counted(at, KeyboardInterrupt())
    result = zilch.minimize(f, 6, **OPTIONS)
    assert (result.message, result.success, result.nfev, result.recommended) == ("stopped by: interrupted", False, at - 1, None)
    f = Counted(at, KeyboardInterrupt())
    assert zilch.minimize(f, 6, study=tmp_path / "a.study", **OPTIONS).nfev == at - 1
    with zilch.Study(tmp_path / "a.study") as study:
        run, = study.runs
    assert run["evaluations"] + run["arrived"] == at - 1
    f = Counted()
    assert_same(zilch.minimize(f, 6, study=tmp_path / "a.study", **OPTIONS), zilch.minimize(Counted(), 6, **OPTIONS))
    assert f.calls == zilch.minimize(Counted(), 6, **OPTIONS).nfev - (at - 1)


def test_ctrl_c_before_the_first_value_comes_out():
    error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt) as caught:
        zilch.minimize(Counted(1, error), 6, **OPTIONS)
    assert caught.value is error


def test_ctrl_c_from_the_terminal():
    code = "import signal, time, zilch; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "print(zilch.minimize(lambda x: print('.', flush=True) or time.sleep(0.1) or x @ x, 5).message)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        for _ in range(4):
            assert child.stdout.readline() == ".\n"
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
    assert out.splitlines()[-1] == "stopped by: interrupted"


def test_more_budget_goes_on_and_the_same_gives_the_result(tmp_path):
    path = tmp_path / "a.study"
    f = Counted()
    first = zilch.minimize(f, 6, study=path, **OPTIONS)
    calls = f.calls
    assert_same(zilch.minimize(f, 6, study=path, **OPTIONS), first)
    assert f.calls == calls
    more = zilch.minimize(f, 6, study=path, **{**OPTIONS, "evaluations": 100})
    assert more.nit > first.nit and calls < f.calls <= calls + 60
    calls = f.calls
    assert_same(zilch.minimize(f, 6, study=path, **{**OPTIONS, "evaluations": 100}), more)
    assert zilch.minimize(f, 6, study=path, **{**OPTIONS, "evaluations": 100, "final_evaluations": 0}).recommended is None
    with zilch.Study(path) as study:
        assert [run["run"] for run in study.runs][:1] == [1]
    assert zilch.minimize(f, 6, study=path, **{**OPTIONS, "evaluations": 40}).nfev <= 40  # less is another run


MODULE = """
def helper(x):
    return {constant}

def make(enclosed, default):
    def f(x, by=default):
        return float(sum((v - {shift}) ** 2 for v in x)) + enclosed + by + helper(x)
    return f
"""


def runs_after(path, source, **given):
    space = {}
    exec(compile(source, "anywhere.py", "exec"), space)
    f = space["make"](given.get("enclosed", 1.0), given.get("default", 0.0))
    f.__module__ = space["helper"].__module__ = "a_module"
    zilch.minimize(f, 3, population=5, generations=2, study=path)
    with zilch.Study(path) as study:
        return len(study.runs)


def test_a_function_is_known_by_its_code(tmp_path):
    path = tmp_path / "a.study"
    source = MODULE.format(constant=1, shift=2)
    assert runs_after(path, source) == 1
    assert runs_after(path, "# a comment\n\n\n" + source.replace("def make", "# another\ndef make")) == 1
    assert runs_after(path, MODULE.format(constant=1, shift=3)) == 2  # within a generator within it
    assert runs_after(path, source, enclosed=2.0) == 3
    assert runs_after(path, source, default=1.0) == 4
    assert runs_after(path, MODULE.format(constant=5, shift=2)) == 5
    assert runs_after(path, source) == 5


class Logged:
    """Writes down each call, in whatever process it is."""

    def __init__(self, path):
        self.path = path

    def __call__(self, x):
        with open(self.path, "a", encoding="utf-8") as log:
            log.write(f"{x.tobytes().hex()}\n")
        return float(((x - [1, 0, 0, 1, 0, 0])**2).sum())

    def calls(self):
        return self.path.read_text(encoding="utf-8").split()


@pytest.mark.parametrize("way", ["alone", "vectorized", "threads", "processes"])
@pytest.mark.parametrize("method", ["default", "ea"])
def test_without_noise_a_point_is_evaluated_once(tmp_path, way, method):
    options = {"method": method, "values": [[1.0]] * 6, "evaluations": 150, "seed": 3}
    twice, once = Logged(tmp_path / "twice"), Logged(tmp_path / "once")
    expected = zilch.minimize(twice, 6, noisy=False, **options)
    pool = {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor}.get(way)
    if pool:
        with pool(2) as executor:
            found = zilch.minimize(once, 6, noisy=False, executor=executor, **options)
    else:
        f = (lambda rows: np.array([once(x) for x in rows])) if way == "vectorized" else once
        found = zilch.minimize(f, 6, noisy=False, vectorized=way == "vectorized", **options)
    assert len(once.calls()) == len(set(once.calls())) < found.nfev
    np.testing.assert_array_equal(found.x, expected.x)
    assert found.nfev == expected.nfev and found.fun == expected.fun
    assert len(twice.calls()) == len(set(twice.calls()))


def test_known_values_are_kept_in_the_study_too(tmp_path):
    f = Logged(tmp_path / "log")
    options = {"method": "ea", "values": [[1.0]] * 6, "noisy": False, "study": tmp_path / "a.study"}
    with ThreadPoolExecutor(2) as executor:
        first = zilch.minimize(f, 6, evaluations=100, executor=executor, **options)
        calls = len(f.calls())
        assert_same(zilch.minimize(f, 6, evaluations=100, executor=executor, **options), first)
    assert len(f.calls()) == calls < first.nfev
    again = Logged(tmp_path / "again")
    zilch.minimize(again, 6, **{**options, "study": None, "noisy": True}, evaluations=100)
    assert len(set(again.calls())) < len(again.calls())  # noise has to be looked for


def test_a_memo_keeps_the_newest(monkeypatch):
    monkeypatch.setattr("zilch._evaluate._KNOWN", 2)
    memo = zilch._evaluate.Memo()
    x = np.arange(3.0)[:, None]
    memo.keep(x, np.array([[1.0, 0], [2, 0], [3, 0]]))
    values = np.zeros((4, 2))
    new, same = memo.sort(np.array([[0.0], [1], [0], [2]]), range(4), values)
    assert (new, same) == ([0], {0: [0, 2], 1: [1], 3: [3]})
    assert values[:, 0].tolist() == [0, 2, 0, 3]
