"""minimize and maximize: what they give, in every way of evaluating, interrupted and not."""

import inspect
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import zilch

BUILT = Path(__file__).parents[2] / "build/release/cli/zilch"
COMMAND = os.environ.get("ZILCH") or shutil.which("zilch") or (str(BUILT) if BUILT.exists() else None)
needs_command = pytest.mark.skipif(COMMAND is None, reason="no command: put its path into ZILCH")

DIM = 8
SHORT = {"population": 20, "refinement": False, "generations": 4, "penalty": 0.01}


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def bowl(x):
    """Of one point or of many."""
    return (x[..., 0] - 1.5) ** 2 + (x[..., 3] + 0.5) ** 2 + 0.1 * (x**2).sum(axis=-1)


class Counted:
    """The bowl, counting its points, which fails at one of them."""

    def __init__(self, fails_at=None, error=None):
        self.points = 0
        self.fails_at = fails_at
        self.error = error
        self.lock = threading.Lock()

    def __call__(self, x):
        with self.lock:
            before, self.points = self.points, self.points + len(np.atleast_2d(x))
        if self.fails_at is not None and before < self.fails_at <= self.points:
            raise self.error
        return bowl(x)


class Immediate:
    """An executor that is done when it is asked."""

    def submit(self, f, x):
        future = Future()
        try:
            future.set_result(f(x))
        except BaseException as error:
            future.set_exception(error)
        return future


class Shuffling(ThreadPoolExecutor):
    """One whose results come in random order."""

    def __init__(self):
        super().__init__(8)
        self.rng = np.random.default_rng(0)

    def submit(self, f, x):
        delay = self.rng.uniform(0, 0.003)
        return super().submit(lambda: time.sleep(delay) or f(x))


WAYS = ["pointwise", "vectorized", "executor", "both"]


def search(f=bowl, way="pointwise", find=zilch.minimize, **options):
    options = {**SHORT, "vectorized": way in ("vectorized", "both"), **options}
    if way in ("executor", "both"):
        options.setdefault("executor", Immediate())
    return find(f, *(() if "x0" in options else (DIM,)), **options)


def assert_same(a, b):
    np.testing.assert_array_equal(a.x, b.x)
    for name in a.history.dtype.names:  # one by one, as NaN is not NaN within a row
        np.testing.assert_array_equal(a.history[name], b.history[name], err_msg=name)
    for name in ("fun", "nfev", "nit", "success", "message", "active"):
        assert a[name] == b[name], name
    for one, other in zip([a.best, *a.front, a.recommended], [b.best, *b.front, b.recommended], strict=True):
        assert repr(one) == repr(other)
    np.testing.assert_array_equal(a.optimizer.ask()[1], b.optimizer.ask()[1])


# ---- What it gives

def test_finds_a_sparse_minimum():
    result = zilch.minimize(bowl, 20, penalty=0.05, population=100, generations=40)
    assert list(np.flatnonzero(result.x)) == [0, 3]
    np.testing.assert_allclose(result.x[[0, 3]], [1.5 / 1.1, -0.5 / 1.1], atol=1e-3)


def test_result_has_scipys_fields_and_types():
    result = search()
    assert result.x.shape == (DIM,)
    assert result.x.dtype == np.float64
    assert [type(result[name]) for name in ("fun", "nfev", "nit", "success", "message", "active")] == [
        float, int, int, bool, str, int]
    assert result.nit == 4
    assert result.success
    assert result.message == "stopped by: generations"
    assert result.active == np.count_nonzero(result.x)


def test_values_of_the_result_are_those_of_its_points():
    result = search()
    assert result.fun == bowl(result.x) == result.recommended.mean
    assert result.best.value == bowl(result.best.x)
    for point in result.front:
        assert point.value == bowl(point.x)
        assert point.active == np.count_nonzero(point.x)
        assert point.fitness == pytest.approx(point.value + 0.01 * point.active)


def test_recommended_is_as_good_as_the_best_seen():
    result = search()
    recommended = result.recommended
    np.testing.assert_array_equal(recommended.x, result.x)
    assert recommended.fitness <= result.best.fitness
    assert recommended.active == result.active
    assert recommended.deviation == recommended.error == 0
    assert recommended.spent == result.nfev - 80


def test_without_a_recommendation_the_best_seen_is_the_result():
    result = search(final_evaluations=0)
    assert result.recommended is None
    np.testing.assert_array_equal(result.x, result.best.x)
    assert result.fun == result.best.value
    assert result.nfev == 80


def test_without_pruning_the_recommended_point_was_in_the_search():
    result = search(final_pruning=False)
    seen = []
    search(lambda x: seen.append(x.copy()) or bowl(x), final_evaluations=0)
    assert any(np.array_equal(result.x, x) for x in seen)
    assert result.recommended.pruned == 0


def test_history_has_a_row_for_each_generation():
    seen = []
    result = search(lambda x: seen.append((bowl(x), np.count_nonzero(x))) or seen[-1][0], final_evaluations=0)
    assert list(result.history["generation"]) == [1, 2, 3, 4]
    assert list(result.history["evaluations"]) == [20, 40, 60, 80]
    fitness = np.array([value + 0.01 * active for value, active in seen])
    np.testing.assert_allclose(result.history["best_fitness"], np.minimum.accumulate(fitness)[19::20])
    assert result.history["best_value"][-1] == result.best.value
    assert result.history["best_active"][-1] == result.best.active


def test_noise_is_in_the_recommendation():
    rng = np.random.default_rng(1)
    result = search(lambda x: bowl(x) + 0.2 * rng.normal(), aggregate="mean", generations=20)
    assert result.recommended.deviation == pytest.approx(0.2, rel=0.5)
    assert result.recommended.error == result.recommended.deviation / result.recommended.evaluations**0.5
    assert result.history["noise"][-1] == pytest.approx(0.2, rel=0.7)


def test_the_same_seed_gives_the_same_and_another_does_not():
    assert_same(search(seed=3), search(seed=3))
    assert not np.array_equal(search(seed=3).x, search(seed=4).x)


def test_maximize_is_minimize_of_the_negative():
    a, b = search(), search(lambda x: -bowl(x), find=zilch.maximize)
    np.testing.assert_array_equal(a.x, b.x)
    assert a.fun == -b.fun
    np.testing.assert_array_equal(a.history["best_value"], -b.history["best_value"])


def test_disp_says_generations_on_standard_error_now_and_then(capsys, monkeypatch):
    for between, said in (0.0, (1, 2, 3, 4)), (600.0, (1,)):
        monkeypatch.setattr("zilch._minimize._BETWEEN", between)
        search(disp=True)
        out, err = capsys.readouterr()
        assert not out
        assert [line.split(":")[0] for line in err.splitlines()] == [f"generation {k}" for k in said]


def test_options_of_the_optimizer_are_taken():
    result = search(bounds=(-1, 1), groups=[[0, 3]], forced_off=[7], method="adhoc", quorum=0.9)
    settings = result.optimizer.settings
    assert (settings["method"], settings["quorum"]) == ("adhoc", 0.9)
    assert np.abs(result.best.x).max() <= 1
    assert (result.best.x[0] != 0) == (result.best.x[3] != 0)
    assert result.best.x[7] == 0


# ---- The default, without options

def test_it_ends_when_it_has_converged():
    result = zilch.minimize(bowl, DIM, penalty=0.01)
    assert result.message == "stopped by: converged" and result.success
    np.testing.assert_allclose(result.x[[0, 3]], [1.5 / 1.1, -0.5 / 1.1], atol=1e-6)
    assert result.active == 2 and 1000 < result.nfev < 5000


def test_a_small_space_is_exhausted():
    f = Counted()
    result = zilch.minimize(f, 5, bounds=(1, 1))  # each coordinate is 0 or 1
    assert result.message == "stopped by: exhausted" and result.optimizer.progress.points == 32
    assert result.nfev == f.points < 50
    values = [bowl(np.array([i >> k & 1 for k in range(5)], dtype=float)) for i in range(32)]
    assert result.fun == min(values)


@pytest.mark.parametrize("options", [{}, {"evaluations": 300}, {"x0": np.full(DIM, 0.5), "evaluations": 200}, {"generations": 30}])
@pytest.mark.parametrize("way", WAYS[1:])
def test_every_way_gives_the_same_by_default(way, options):
    options = {"population": None, "refinement": None, "generations": None, **options}
    assert_same(search(way=way, **options), search(**options))


@pytest.mark.parametrize("limit", [{"evaluations": 2000}, {"generations": 12}])
def test_an_executor_gives_the_same_with_noise(limit):
    options = {"population": None, "refinement": None, "generations": None, **limit}
    sphere = zilch.problem("sphere", dim=10, active=2, noise=0.5)
    with Shuffling() as executor:
        assert_same(zilch.minimize(sphere, executor=executor, **{**options, **limit}), zilch.minimize(sphere, **options))


def test_an_executor_gives_the_same_by_default():
    options = {"population": None, "refinement": None, "generations": None, "evaluations": 300}
    with Shuffling() as executor:
        assert_same(search(executor=executor, **options), search(**options))


# ---- Ways of evaluating

@pytest.mark.parametrize("way", WAYS[1:])
def test_every_way_gives_the_same(way):
    assert_same(search(way=way), search())


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize("options", [
    {"x0": np.eye(DIM)}, {"evaluations": 70}, {"target": 0.9}, {"stagnation": 2, "generations": 0},
    {"x0": np.eye(DIM), "evaluations": 70}, {"final_evaluations": 30, "final_pruning": False}])
def test_every_way_gives_the_same_with_options(way, options):
    assert_same(search(way=way, **options), search(**options))


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2), Shuffling])
def test_executors_give_the_same_as_none(make, vectorized):
    with make() as executor:
        assert_same(search(executor=executor, vectorized=vectorized), search())


def test_a_vectorized_function_gets_a_sixteenth_of_the_population_from_an_executor():
    sizes = []
    search(lambda x: sizes.append(len(x)) or bowl(x), "both", population=100, generations=1, final_evaluations=0)
    assert sum(sizes) == 100
    assert len(sizes) <= 16


def test_a_share_does_not_wait_for_a_straggler():
    release = threading.Event()
    f = Counted()

    def straggling(x):
        value = f(x)
        if f.points == 5:
            release.wait(30)
        return value

    with ThreadPoolExecutor(2) as executor:
        result = search(straggling, "executor", executor=executor, quorum=0.8, final_evaluations=0)
        assert not release.is_set()
        assert result.nit == 4
        release.set()


def test_a_straggler_does_not_come_back_into_the_recommendation():
    """It is let go when the search ends, and is done while points are evaluated for the recommendation."""
    release = threading.Event()
    f = Counted()

    def straggling(x):
        value = f(x)
        if f.points == 65:
            release.wait(30)
            time.sleep(0.02)
        if release.is_set():
            time.sleep(0.002)
        return value

    def let_go(optimizer):
        if optimizer.progress.generations == 4:
            release.set()

    with ThreadPoolExecutor(2) as executor:
        result = search(straggling, "executor", executor=executor, quorum=0.5, callback=let_go)
    assert result.fun == bowl(result.x)


def test_points_that_the_search_has_forgotten_are_not_told():
    """The library remembers four populations of unanswered points."""
    class Late:
        """The newest point of each ten is answered at once; the others wait until many generations are out."""

        def __init__(self):
            self.waiting = []

        def submit(self, f, x):
            self.waiting.append((future := Future(), f(x)))
            n = len(self.waiting)
            for one, value in self.waiting[-1:] if n % 10 == 0 else self.waiting if n == 79 else ():
                if not one.done() and one.set_running_or_notify_cancel():
                    one.set_result(value)
            return future

    result = zilch.minimize(bowl, 8, population=10, refinement=False, generations=9, quorum=0.1, executor=Late(), final_evaluations=0)
    assert result.nit == 9


def test_a_share_and_a_number_of_evaluations_go_together_with_a_study(tmp_path):
    f = Counted()

    def halting(x):
        value = f(x)
        if f.points % 2:
            time.sleep(0.05)
        return value

    with ThreadPoolExecutor(4) as executor:
        result = zilch.minimize(halting, 8, population=20, refinement=False, evaluations=20, generations=0, quorum=0.5, executor=executor,
                                study=tmp_path / "a.study", final_evaluations=0)
    assert result.message == "stopped by: evaluations"
    assert result.history["generation"].tolist() == [1]


def test_an_exception_at_x0_ends_what_is_not_begun():
    f = Counted()

    def failing(x):
        f(x)
        raise KeyError("first")

    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(KeyError, match="first"):
            zilch.minimize(failing, x0=np.eye(8).repeat(5, axis=0), executor=executor)
    assert f.points < 10


def test_noise_that_is_common_to_a_generation_is_so_through_an_executor():
    problem = zilch.problem("lander", episodes=1, seeds="common")
    options = {"population": 8, "generations": 2, "final_evaluations": 8, "x0": zilch.Controller.published().parameters}
    with ThreadPoolExecutor(2) as executor:
        through = zilch.maximize(problem, executor=executor, **options)
    assert_same(through, zilch.maximize(problem, **options))


def test_another_function_of_the_same_name_has_a_run_of_its_own(tmp_path):
    def stop(optimizer):
        raise KeyboardInterrupt

    options = {"dim": 3, "population": 10, "generations": 3, "study": tmp_path / "a.study"}
    assert zilch.minimize(lambda x: float(np.sum((x - 1) ** 2)) - 1000, callback=stop, **options).message == "stopped by: interrupted"
    assert zilch.minimize(lambda x: float(np.sum((x + 1) ** 2)), **options).fun >= 0
    with zilch.Study(tmp_path / "a.study") as study:
        assert len(study.runs) == 2


def test_f_may_keep_and_change_what_it_gets():
    kept = []

    def greedy(x):
        value = bowl(x)
        kept.append(x)
        x[:] = 7.0
        return value

    assert_same(search(greedy), search())
    assert np.all(np.array(kept) == 7.0)


@pytest.mark.parametrize("kind", [np.float32, np.int64, bool, np.array, lambda v: np.round(v).astype(np.float16)])
def test_f_may_return_any_kind_of_number(kind):
    search(lambda x: kind(bowl(x)), generations=1, final_evaluations=5)
    search(lambda x: np.array([kind(v) for v in bowl(x)]), "vectorized", generations=1, final_evaluations=5)


# ---- Limits

@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", [
    {}, {"final_evaluations": 0}, {"evaluations": 70}, {"evaluations": 70, "x0": np.eye(DIM)}, {"x0": np.ones(DIM)},
    {"target": 0.9}, {"final_evaluations": 3}])
def test_nfev_is_how_often_f_was_called(way, options):
    f = Counted()
    calls = []

    def stop_if_stuck(optimizer):
        calls.append(optimizer.progress.generations)
        return len(calls) > 20

    result = search(f, way, callback=stop_if_stuck, **options)
    assert result.nfev == f.points
    assert calls == list(range(1, result.nit + 1))


def test_nfev_counts_first_points_that_failed():
    f = Counted()
    result = search(lambda x: f(x) if x[0] != 9 else f(x) * np.nan, x0=[np.full(DIM, 9.0), np.zeros(DIM)])
    assert result.nfev == f.points


@pytest.mark.parametrize("way", WAYS)
def test_evaluations_are_never_more_than_allowed(way):
    f = Counted()
    result = search(f, way, evaluations=50, final_evaluations=0, generations=0)
    assert f.points == 50
    assert result.message == "stopped by: evaluations"


@pytest.mark.parametrize("way", WAYS)
def test_first_points_are_a_part_of_the_budget(way):
    f = Counted()
    stuck = iter(range(20))
    result = search(f, way, evaluations=50, final_evaluations=0, x0=np.eye(DIM), callback=lambda o: next(stuck, 99) == 99)
    assert result.message == "stopped by: evaluations"
    assert f.points == result.nfev == 50


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("noisy", [False, True])
def test_a_budget_includes_the_final_check(way, noisy):
    for evaluations in (1, 7, 30, 100, 200):
        f, rng, lock = Counted(), np.random.default_rng(0), threading.Lock()

        def g(x):
            with lock:
                return f(x) + noisy * rng.normal(size=np.shape(x)[:-1])

        result = search(g, way, evaluations=evaluations, generations=0)
        assert result.message == "stopped by: evaluations"
        assert f.points == result.nfev <= evaluations
        assert result.recommended.spent <= evaluations // 5
        assert noisy or evaluations == 7 or result.nfev >= evaluations - DIM


@pytest.mark.parametrize("options, parts", [
    ({"evaluations": 5, "x0": np.eye(12, DIM)}, "the 12 points of x0, which are a part of them, not 5$"),
    ({"evaluations": 30, "final_evaluations": 30}, "the 30 final_evaluations, which are a part of them, not 30$"),
    ({"evaluations": 30, "final_evaluations": 20, "x0": np.eye(10, DIM)}, "the 20 final_evaluations and the 10 points of x0, "),
])
def test_a_budget_that_leaves_nothing_to_the_search_is_refused(options, parts):
    f = Counted()
    with pytest.raises(ValueError, match=f"^evaluations: must be more than {parts}"):
        search(f, **options)
    assert f.points == 0


def test_target_ends_the_search_in_the_generation_that_meets_it():
    history = search(generations=30, final_evaluations=0).history["best_value"]
    target = float(history[12])
    result = search(generations=30, final_evaluations=0, target=target)
    assert result.message == "stopped by: target"
    assert result.nit == 1 + int(np.argmax(history <= target))
    assert result.best.value <= target


@pytest.mark.parametrize("way", WAYS)
def test_first_points_may_meet_the_target(way):
    x0 = np.zeros(DIM)
    x0[[0, 3]] = 1.3, -0.4
    f = Counted()
    result = search(f, way, x0=x0, target=0.5, final_evaluations=0)
    assert (result.nit, f.points, result.message) == (0, 1, "stopped by: target")
    np.testing.assert_array_equal(result.x, x0)


def test_stagnation_ends_the_search():
    result = search(lambda x: 1.0, penalty=0.0, generations=0, stagnation=3)
    assert result.message == "stopped by: stagnation"
    assert result.nit == 4


@pytest.mark.parametrize("is_submitted", [False, True])
def test_convergence_and_divergence_end_the_search(is_submitted):
    common = dict(forced_on=range(3), refinement=False, population=14, elites=4, generations=600, final_evaluations=30)
    with ThreadPoolExecutor(1) as pool:
        common["executor"] = pool if is_submitted else None
        narrow = zilch.minimize(lambda x: float(x @ x), 3, initial_sigma=1e-130, **common)
        wide = zilch.minimize(lambda x: float(x.sum()), 3, initial_sigma=1e140, **common)
    for result, ending in (narrow, "converged"), (wide, "diverged"):
        assert (result.message, result.success) == (f"stopped by: {ending}", True)
        assert 0 < result.nit < 600
        assert np.isfinite(result.x).all() and np.isfinite(result.fun)
        ids, _ = result.optimizer.ask(5)  # whoever asks can go on
        assert len(ids) == 5


# ---- First points

def test_x0_is_a_centre_and_a_point_is_evaluated_too():
    seen = []
    for x0, count in ((300.0, 0), (np.full(DIM, 300.0), 1)):
        seen.clear()
        zilch.minimize(lambda x: seen.append(x.copy()) or bowl(x), DIM, x0=x0, scale=0.5, **SHORT)
        first = np.array(seen[:8])
        assert np.array_equal(first[0], np.full(DIM, 300.0)) == bool(count)
        assert ((first == 0) | (abs(first - 300) < 10)).all()


def test_x0_is_only_evaluated_by_other_methods():
    x0 = np.full(DIM, 1.0)
    assert zilch.minimize(bowl, x0, method="published", elites=4, **SHORT).optimizer.settings["method"] == "published"
    with pytest.raises(ValueError, match="for the method default"):
        zilch.minimize(bowl, DIM, x0=1.0, method="published", elites=4, **SHORT)


def test_x0_may_be_the_second_argument_one_point_or_many():
    x0 = np.zeros(DIM)
    x0[0] = 1.4
    for first in (x0, list(x0), x0[np.newaxis]):
        assert_same(zilch.minimize(bowl, first, **SHORT), zilch.minimize(bowl, x0=x0, **SHORT))
        assert_same(zilch.minimize(bowl, DIM, x0=first, **SHORT), zilch.minimize(bowl, x0=x0, **SHORT))
    many = np.vstack([x0, np.eye(DIM)])
    assert_same(zilch.minimize(bowl, many, **SHORT), zilch.minimize(bowl, x0=many.tolist(), **SHORT))


def test_first_points_are_evaluated_first_and_are_on_record():
    seen = []
    x0 = np.arange(2 * DIM, dtype=float).reshape(2, DIM)
    result = search(lambda x: seen.append(x.copy()) or bowl(x), x0=x0)
    np.testing.assert_array_equal(seen[:2], x0)
    assert any(np.array_equal(point.x, x0[0]) for point in result.optimizer.top(10**6))


def test_a_good_first_point_is_not_lost():
    x0 = np.zeros(DIM)
    x0[[0, 3]] = 1.5 / 1.1, -0.5 / 1.1
    assert search(x0=x0).fun <= bowl(x0)


# ---- Failures

class Trouble(Exception):
    pass


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", [Trouble("the same"), SystemExit(3), StopIteration()])
@pytest.mark.parametrize("at", [1, 50, 82])
def test_an_exception_of_f_comes_out_as_it_is(way, error, at):
    """At the first point, in the middle, and in the recommendation."""
    with pytest.raises(type(error)) as caught:
        search(Counted(at, error), way)
    assert caught.value is error


@pytest.mark.parametrize("at", [1, 50, 82])
def test_an_exception_in_another_thread_comes_out_as_it_is(at):
    error = Trouble("the same")
    with ThreadPoolExecutor(2) as executor, pytest.raises(Trouble) as caught:
        search(Counted(at, error), executor=executor)
    assert caught.value is error


def troubled(x):
    raise Trouble("in another process")


def test_an_exception_in_another_process_comes_out():
    with ProcessPoolExecutor(1) as executor, pytest.raises(Trouble, match="in another process"):
        search(troubled, executor=executor)


@pytest.mark.parametrize("way", WAYS)
def test_an_exception_of_the_callback_comes_out_as_it_is(way):
    error = Trouble("the same")

    def callback(optimizer):
        raise error

    with pytest.raises(Trouble) as caught:
        search(way=way, callback=callback)
    assert caught.value is error


@pytest.fixture
def interruptible():
    """What was started in the background of a shell ignores interruptions, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_an_executor_works(interruptible):
    def interrupting(x):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        return 0.0

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        search(interrupting, executor=executor)


@pytest.mark.parametrize("work", [
    "print(zilch.maximize(zilch.problem('lander'), generations=1000).message, file=sys.stderr)", "zilch.Controller.published().evaluate(10**8)",
    "zilch.problem('lander').held_out([0] * 90, 10**8)", "zilch.problem('sphere', noise=1).held_out([0] * 100, 10**12)"])
def test_ctrl_c_while_the_library_works(interruptible, work):
    code = f"import sys, zilch; print('ready', flush=True); {work}"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.5)
            assert child.poll() is None
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=30)  # a generation, on a busy machine
        finally:
            child.kill()
    assert err.rstrip().endswith(("KeyboardInterrupt", "stopped by: interrupted"))
    assert child.returncode != -signal.SIGKILL and (child.returncode == 0) == ("message" in work)


@pytest.mark.parametrize("way", WAYS)
def test_failed_evaluations_are_counted_and_avoided(way):
    def partial(x):
        return np.where(x[..., 1] > 0, np.nan, np.where(x[..., 1] < -1, np.inf, bowl(x)))

    seen = []
    result = search(lambda x: seen.append(np.atleast_1d(partial(x))) or partial(x), way, final_evaluations=0)
    failures = np.count_nonzero(~np.isfinite(np.concatenate(seen)))
    assert result.optimizer.progress.failures == failures > 0
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_but_failures_is_an_error(way):
    with pytest.raises(RuntimeError, match="none of 20 evaluations succeeded"):
        search(lambda x: bowl(x) * np.nan, way)


@pytest.mark.parametrize("way", ["pointwise", "executor"])
@pytest.mark.parametrize("value", ["good", b"1", [1.0], {}, 1j, np.ones(2), object()])
def test_a_value_that_is_no_number_names_f(way, value):
    with pytest.raises((TypeError, ValueError), match="^f: "):
        search(lambda x: value, way)


@pytest.mark.parametrize("way", ["vectorized", "both"])
@pytest.mark.parametrize("make", [
    lambda n: 1.0, lambda n: np.ones(n + 1), lambda n: np.ones((n, 1)), lambda n: ["good"] * n,
    lambda n: np.ones(n) * 1j, lambda n: [[1.0], [1.0, 2.0]], lambda n: {}],
    ids=["scalar", "more", "matrix", "words", "complex", "ragged", "dict"])
def test_values_of_another_shape_or_kind_name_f(way, make):
    with pytest.raises((TypeError, ValueError), match="^f: "):
        search(lambda x: make(len(x)), way)


@pytest.mark.parametrize("arguments, options, error, words", [
    ((3, DIM), {}, TypeError, "^f: "), ((bowl,), {}, TypeError, "^dim: "), ((bowl, 5.0), {}, TypeError, "^dim: "),
    ((bowl, 0), {}, ValueError, "^dim: "), ((bowl, DIM), {"populaton": 9}, TypeError, "populaton"),
    ((bowl, DIM), {"generations": -1}, ValueError, "generations"),
    ((bowl, DIM), {"target": "low"}, TypeError, "target"),
    ((bowl, DIM), {"executor": 3}, TypeError, "^executor: "), ((bowl, DIM), {"over_ask": -1}, TypeError, "^over_ask: zilch 0.2 has it no longer"),
    ((bowl, DIM), {"x0": np.zeros(5)}, ValueError, "^x0: "), ((bowl, np.zeros((2, 2, 2))), {}, ValueError, "^x0: "),
    ((bowl,), {"x0": "here"}, (TypeError, ValueError), "^x0: "),
    ((bowl, DIM), {"evaluations": 2.5}, TypeError, "evaluations"),
    ((bowl, np.full(DIM, 9.0)), {"bounds": (-1, 1)}, ValueError, "bounds"),
    ((bowl,), {"x0": np.zeros(DIM, complex)}, TypeError, "^x0: "), ((bowl, DIM), {"seed": -1}, ValueError, "seed")])
def test_wrong_arguments_are_named(arguments, options, error, words):
    with pytest.raises(error, match=words):
        zilch.minimize(*arguments, **{**SHORT, **options})


@pytest.mark.parametrize("evaluations, error", [(-1, ValueError), (2.5, TypeError), ("all", TypeError), (5, ValueError)])
def test_a_wrong_number_of_final_evaluations_is_named_before_f_is_called(evaluations, error):
    f = Counted()
    with pytest.raises(error, match="final_evaluations"):
        search(f, final_evaluations=evaluations, final_candidates=10)
    assert f.points == 0


@pytest.mark.parametrize("name, words", [
    ("price", "^price: since zilch 0.2 it is called penalty$"), ("law", "it is called method$"),
    ("prune", "it is called final_pruning$"), ("recommend", "it is called final_evaluations$"), ("on", "it is called forced_on$"),
    ("restart", "^restart: zilch 0.2 has it no longer$"), ("populaton", "did you mean population[?]$"),
    ("execute", "did you mean executor[?]$"), ("target_value", "did you mean target[?]$"),
    ("zzz", "^zzz: there is no option of this name$")])
@pytest.mark.parametrize("find", [zilch.minimize, zilch.maximize])
def test_an_unknown_keyword_is_named_with_what_it_may_be(find, name, words):
    f = Counted()
    with pytest.raises(TypeError, match=words):
        find(f, DIM, **{name: 1})
    assert f.points == 0


def test_none_is_the_default_of_every_option():
    names = set(inspect.signature(zilch.minimize).parameters) - {"f", "dim", "x0", *SHORT, "forced_on", "forced_off"}
    whole = {"seed": 1, "vectorized": False, "held_out": 0, "threads": 0, "disp": False, "live": False}
    assert_same(search(**{**dict.fromkeys(names), **whole}), search())


# ---- The final recommendation

def test_without_noise_a_recommendation_is_cheap():
    found, still, said = search(), search(noisy=False), search(noisy=True)
    assert_same(found, said)  # the search has seen the same values twice
    assert_same(search(), search(noisy=False))
    rng = np.random.default_rng(0)
    noisy = search(lambda x: bowl(x) + rng.normal())
    assert still.recommended.spent <= DIM < noisy.recommended.spent
    assert still.fun == bowl(still.x)
    with pytest.raises(TypeError, match="^noisy: "):
        search(noisy="no")


def test_final_candidates_and_pruning_are_options():
    rng = np.random.default_rng(0)
    result = search(lambda x: bowl(x) + rng.normal(), final_evaluations=40, final_candidates=40, final_pruning=False)
    assert result.recommended.spent == 40
    assert search(method="published", elites=4).recommended.pruned == 0


# ---- The callback

@pytest.mark.parametrize("way", WAYS)
def test_the_callback_ends_the_search_by_true(way):
    seen = []
    result = search(way=way, callback=lambda optimizer: seen.append(optimizer.progress.generations) or len(seen) == 2)
    assert seen == [1, 2]
    assert (result.nit, result.success, result.message) == (2, False, "stopped by the callback")


@pytest.mark.parametrize("way", WAYS)
def test_the_callback_ends_the_search_by_stopiteration(way):
    def callback(optimizer):
        raise StopIteration

    result = search(way=way, callback=callback)
    assert (result.nit, result.success) == (1, False)


def test_the_callback_may_look_but_not_change():
    def callback(optimizer):
        optimizer.best, optimizer.front, optimizer.model
        for change in (optimizer.ask, optimizer.advance, lambda: optimizer.tell_point(np.zeros(DIM), 0.0)):
            with pytest.raises(RuntimeError, match="cannot be changed"):
                change()

    assert_same(search(callback=callback), search())


# ---- Problems of the library

@pytest.mark.parametrize("name", ["sphere:dim=20,active=3", "smop1:dim=20", "ellipsoid:dim=20", "rosenbrock:dim=20"])
def test_a_problem_is_searched_as_a_function_that_calls_it(name):
    problem = zilch.problem(name)
    options = {"population": 30, "generations": 5}
    a = zilch.minimize(problem, **options)
    b = zilch.minimize(lambda x: problem(x), problem.dim, bounds=problem.bounds, penalty=problem.penalty, noisy=False, **options)
    assert_same(a, b)


def test_threads_do_not_change_the_result():
    problem = zilch.problem("sphere", dim=20, active=3, noise=0.3)
    options = {"population": 30, "generations": 5}
    assert_same(zilch.minimize(problem, threads=1, **options), zilch.minimize(problem, threads=3, **options))


@pytest.mark.parametrize("options", [{}, {"x0": np.eye(20)[:3]}, {"executor": Immediate()}])
def test_a_noisy_problem_gives_the_same_each_time_it_is_searched(options):
    problem = zilch.problem("sphere", dim=20, active=3, noise=0.3)
    options = {"population": 30, "generations": 5, **options}
    assert_same(zilch.minimize(problem, **options), zilch.minimize(problem, **options))


def test_a_noisy_problem_gives_the_same_through_an_executor():
    problem = zilch.problem("sphere", dim=20, active=3, noise=0.3)
    options = {"population": 30, "generations": 5}
    assert_same(zilch.minimize(problem, executor=Immediate(), **options), zilch.minimize(problem, **options))


def test_a_problem_is_searched_in_its_own_direction():
    with pytest.raises(ValueError, match="maximized"):
        zilch.minimize(zilch.problem("lander"))
    with pytest.raises(ValueError, match="minimized"):
        zilch.maximize(zilch.problem("sphere"))
    with pytest.raises(ValueError, match="^dim: "):
        zilch.minimize(zilch.problem("sphere", dim=20), 21)


def test_a_regression_finds_its_columns():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 15))
    problem = zilch.regression(x, 3 * x[:, 2] - 2 * x[:, 11] + rng.normal(size=200))
    result = zilch.minimize(problem, population=60, generations=15)
    assert list(np.flatnonzero(result.x)) == [2, 11]


@needs_command
@pytest.mark.parametrize("name", ["sphere:dim=20,active=3,noise=0.5", "sphere:dim=20,active=3", "smop1:dim=20", "lander:episodes=2"])
@pytest.mark.parametrize("options", [{}, {"final_evaluations": 60, "final_candidates": 7}, {"final_pruning": False},
                                     {"method": "published", "elites": 10}, {"method": "ea"}])
def test_a_problem_is_searched_and_recommended_as_by_the_command(tmp_path, name, options):
    population = 30 if "LD_PRELOAD" in os.environ else 50  # with sanitizers all takes several times as long
    words = [word for key, value in options.items()
             for word in ("--" + key.replace("_", "-"), {True: "yes", False: "no"}.get(value, value))]
    command("optimize", "--problem", name, "--seed", 7, "--population", population, "--generations", 5,
            *words, "--study", tmp_path / "s.study")
    shown = json.loads(command("show", "--json", "--run", 1, tmp_path / "s.study"))
    problem = zilch.problem(name, seed=7)
    find = zilch.minimize if problem.direction == "minimize" else zilch.maximize
    result = find(problem, seed=7, population=population, generations=5, **options)
    assert list(result.x) == shown["recommended"]["x"]
    for one in ("mean", "deviation", "fitness", "evaluations", "spent", "active", "pruned"):
        assert getattr(result.recommended, one) == shown["recommended"][one], one
    assert result.best.fitness == shown["best"]["fitness"]
    assert list(result.history["best_value"]) == [row["best_value"] for row in shown["history"]]


# ---- Held out

@needs_command
def test_what_is_held_out_is_as_by_the_command(tmp_path):
    command("lander", "--seed", 7, "--population", 30, "--generations", 2, "--held-out", 50, "--study", tmp_path / "c.study")
    shown = json.loads(command("show", "--json", "--run", 1, tmp_path / "c.study"))["recommended"]
    result = zilch.maximize(zilch.problem("lander", seed=7), seed=7, population=30, generations=2, held_out=50,
                            study=tmp_path / "p.study")
    assert (result.held_out.mean, result.held_out.error, result.held_out.count) == (
        shown["held_out_mean"], shown["held_out_error"], 50)
    flown = zilch.Controller(result.x).evaluate(50)
    assert result.held_out.mean == flown.mean
    with zilch.Study(tmp_path / "p.study") as study:
        kept = study.conclusions()[-1]
    assert [kept[f"held_out_{one}"] for one in ("mean", "error", "count")] == [
        result.held_out.mean, result.held_out.error, 50]


def test_held_out_noise_is_not_that_of_the_search():
    noisy = zilch.problem("sphere", dim=10, noise=0.5)
    result = zilch.minimize(noisy, population=20, generations=3, held_out=400)
    ids = np.arange(400, dtype=np.uint64) + np.uint64(3 << 62)
    values = noisy(np.tile(result.x, (400, 1)), ids)
    assert result.held_out.mean == pytest.approx(values.mean(), rel=1e-12)
    assert result.held_out.error == pytest.approx(values.std(ddof=1) / 20, rel=1e-9)
    assert zilch.minimize(noisy, population=20, generations=3).held_out is None
    alone = zilch.minimize(noisy, population=20, generations=3, final_evaluations=0, held_out=1)
    assert alone.held_out.mean == noisy.held_out(alone.best.x, 1).mean
    assert np.isnan(alone.held_out.error)


@pytest.mark.parametrize("f", [bowl, zilch.problem("sphere", dim=DIM, active=2)])
def test_what_has_no_noise_of_its_own_has_nothing_to_hold_out(f):
    with pytest.raises(ValueError, match="held_out"):
        zilch.minimize(f, DIM, held_out=10)
    with pytest.raises(RuntimeError, match="noise"):
        zilch.problem("sphere", dim=DIM, active=2).held_out(np.zeros(DIM))


# ---- Studies

@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("at", [5, 15, 55, None])
@pytest.mark.parametrize("options", [{}, {"x0": np.eye(DIM)}, {"x0": np.eye(DIM), "evaluations": 70}],
                         ids=["plain", "x0", "limited"])
def test_an_interrupted_study_goes_on_to_the_same_bits(tmp_path, way, at, options):
    """Interrupted among the first points or in the first generation, in a later one, and in the recommendation."""
    path = tmp_path / "a.study"
    options = options | {"method": "gaussian"}  # the default would know what pruning asks for
    whole = Counted()
    expected = search(whole, way, **options)
    assert expected.recommended.spent > 0 and expected.nfev == whole.points  # the last is in the recommendation
    with pytest.raises(Trouble):
        search(Counted(at or whole.points, Trouble()), way, study=path, **options)
    assert_same(search(Counted(), way, study=path, **options), expected)
    with zilch.Study(path) as study:
        stop = expected.message.removeprefix("stopped by: ")
        assert [(run["run"], run["stop"], run["generations"]) for run in study.runs] == [(1, stop, expected.nit)]


def test_penalties_are_a_part_of_what_a_study_knows_a_search_by(tmp_path):
    options = {"dim": 4, "evaluations": 200, "study": tmp_path / "a.study"}
    costs = [0, 0, 9, 0]
    first = zilch.minimize(lambda x: ((x - 1)**2).sum(), **options, penalty=np.add(costs, 0.1))
    assert np.flatnonzero(first.x).tolist() == [0, 1, 3]
    assert first.recommended.fitness == pytest.approx(first.fun + 0.3)
    with zilch.Study(tmp_path / "a.study") as study:
        kept = study.conclusions()[-1]
    assert kept["fitness"] == pytest.approx(1.3)
    if COMMAND is not None:
        command("report", tmp_path / "a.study", "-o", tmp_path / "page.html")
        assert "with its penalty</dt><dd>1.3<" in (tmp_path / "page.html").read_text()


def test_a_study_is_gone_on_with_as_often_as_it_is_interrupted(tmp_path):
    path = tmp_path / "a.study"
    f = Counted()
    for _ in range(6):
        f.points, f.fails_at, f.error = 0, 30, Trouble()
        try:
            result = search(f, study=path, final_evaluations=0)
            break
        except Trouble:
            pass
    assert_same(result, search(final_evaluations=0))


def test_a_study_that_was_begun_with_an_executor_goes_on_without(tmp_path):
    path = tmp_path / "a.study"
    with pytest.raises(Trouble):
        search(Counted(55, Trouble()), "both", study=path)
    assert_same(search(Counted(), study=path), search())


def test_a_finished_run_gives_its_result(tmp_path):
    path = tmp_path / "a.study"
    assert_same(search(study=path), search(study=path))
    with zilch.Study(path) as study:
        assert [run["run"] for run in study.runs] == [1]


@pytest.mark.parametrize("other", [{"seed": 2}, {"penalty": 0.02}, {"bounds": (-1, 1)}, {"margin": 0.25}])
def test_another_search_is_another_run(tmp_path, other):
    path = tmp_path / "a.study"
    with pytest.raises(Trouble):
        search(Counted(55, Trouble()), study=path)
    assert_same(search(Counted(), study=path, **other), search(**other))
    assert_same(search(Counted(), study=path), search())
    with zilch.Study(path) as study:
        assert [run["stop"] for run in study.runs] == ["generations", "generations"]


def test_final_options_and_noise_make_another_run_and_limits_do_not(tmp_path):
    path = tmp_path / "a.study"
    with pytest.raises(Trouble):
        search(Counted(55, Trouble()), study=path)
    search(Counted(), study=path, final_candidates=5)
    search(Counted(), study=path, noisy=False)
    search(Counted(), study=path, generations=6)
    with zilch.Study(path) as study:
        assert [run["generations"] for run in study.runs] == [6, 4, 4]


@pytest.mark.parametrize("is_submitted", [False, True])
def test_the_front_is_evaluated_again(is_submitted):
    rng = np.random.default_rng(5)
    counted = Counted()

    def f(x):
        return counted(x) + 0.3 * rng.normal()

    executor = Immediate() if is_submitted else None
    plain = zilch.minimize(f, DIM, seed=3, evaluations=400, executor=executor)
    assert min(point.evaluations for point in plain.front) < 6
    counted.points = 0
    result = zilch.minimize(f, DIM, seed=3, evaluations=400, final_front=6, executor=executor)
    assert min(point.evaluations for point in result.front) >= 6
    assert result.nfev == counted.points <= 400
    assert all(0 < point.error < result.optimizer.progress.noise for point in result.front)


def test_the_front_needs_a_budget():
    with pytest.raises(ValueError, match="final_front needs evaluations"):
        search(generations=4, final_front=3)


def test_a_study_keeps_what_was_asked_for(tmp_path):
    path = tmp_path / "a.study"
    names = [f"length {k}" for k in range(DIM)]
    result = search(study=path, names=names, margin=0.25, variance_scaling=False, target=-1.5, final_pruning=False)
    assert result.names == names
    with zilch.Study(path) as study:
        run, = study.runs
    settings = run["settings"]
    assert settings["option"] == result.optimizer.settings
    assert settings["limit"] == {"generations": 4, "evaluations": 0, "target": -1.5, "stagnation": 0}
    assert settings["final"] == {"final_candidates": 0, "final_evaluations": 0, "final_pruning": False, "final_front": 0}
    assert (len(settings["problem"]["objective"]), settings["problem"]["noisy"]) == (64, "yes")
    assert settings["means"] == {"final_recommendation": "yes"}
    assert run["names"] == names


def test_names_are_those_of_a_frame_and_are_checked():
    frame = type("Frame", (), {"columns": ["a", "b", "c"], "__array__": lambda self, dtype=None, copy=None: np.eye(9)[:, :3]})()
    assert zilch.minimize(lambda x: float(x @ x), frame, **SHORT).names == ["a", "b", "c"]
    regression = pickle.loads(pickle.dumps(zilch.regression(frame, np.arange(9))))
    assert zilch.minimize(regression, **SHORT).names == list(regression.names) == ["a", "b", "c"]
    for names in (["a", "b"], ["a", "b", "b"], ["a", "b", 3], ["a", "b", ""]):
        with pytest.raises(ValueError, match="^names: must be 3"):
            zilch.minimize(lambda x: float(x @ x), 3, names=names, **SHORT)


@needs_command
def test_the_command_calls_coordinates_by_their_names(tmp_path):
    path = tmp_path / "a.study"
    names = [f"length {k}" for k in range(DIM)]
    result = search(study=path, names=names)
    shown = command("best", path).split("recommended")[1].splitlines()[1:]
    assert shown == [f"length {k} = {float(result.x[k])!r}" for k in np.flatnonzero(result.x)]
    command("best", path, "-o", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == ','.join(f'"{name}"' for name in names)


@needs_command
def test_the_command_reads_the_study(tmp_path):
    path = tmp_path / "a.study"
    result = search(study=path)
    shown = json.loads(command("show", "--json", "--run", 1, path))
    assert (shown["dim"], shown["penalty"], shown["generations"], shown["ended_by"]) == (DIM, 0.01, 4, "generations")
    assert [row["best_fitness"] for row in shown["history"]] == list(result.history["best_fitness"])
    assert shown["recommended"]["x"] == list(result.x)
    assert "python:bowl" in command("show", path)


def test_a_study_that_cannot_be_made_is_an_error_before_f_is_called(tmp_path):
    f = Counted()
    with pytest.raises(OSError):
        search(f, study=tmp_path / "nowhere" / "a.study")
    (tmp_path / "text").write_text("no study")
    with pytest.raises(ValueError, match="no zilch study"):
        search(f, study=tmp_path / "text")
    assert f.points == 0


# ---- Limits that only the objective knows

def half(x):
    """The sphere; half of all points break the limit x[0] + x[1] >= 1."""
    return zilch.Evaluation(float(x @ x), violations=[1 - x[0] - x[1], -1])


def many_halves(X):
    return zilch.Evaluation((X**2).sum(axis=1), violations=1 - X[:, 0] - X[:, 1])


@pytest.mark.parametrize("seed", range(1, 6))
def test_what_is_found_keeps_limits(seed):
    result = zilch.minimize(half, 6, evaluations=600, seed=seed)
    assert result.success and result.violation == result.recommended.violation == result.best.violation == 0
    assert result.x[0] + result.x[1] >= 1
    assert result.fun == pytest.approx(0.5, abs=0.05)
    assert all(point.violation == 0 for point in result.front)


def test_violations_come_alike_on_every_way(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    study = tmp_path / "a.study"
    plain = zilch.minimize(half, 5, evaluations=200, study=study)
    vectorized = zilch.minimize(many_halves, 5, vectorized=True, evaluations=200)
    with ThreadPoolExecutor(2) as pool:
        submitted = zilch.minimize(half, 5, evaluations=200, executor=pool)
    assert plain.x.tolist() == vectorized.x.tolist() == submitted.x.tolist()
    with zilch.Study(study) as kept:
        told = [(row["x"], row["violation"]) for row in kept.evaluations()]
        assert kept.conclusions()[-1]["violation"] == 0
        assert kept.generations()[-1]["best_violation"] == 0
    assert all(violation == max(0, 1 - x[0] - x[1]) for x, violation in told)
    assert 0.2 < np.mean([violation > 0 for _, violation in told]) < 0.8


def test_what_cannot_be_kept_is_said():
    result = zilch.minimize(lambda x: zilch.Evaluation(x @ x, 0.25 + abs(x[0] - 1)), 3, evaluations=200)
    assert not result.success
    assert result.violation == pytest.approx(0.25, abs=1e-3)
    assert "; infeasible, violation 0.25" in result.message


def test_violations_of_what_was_asked():
    search = zilch.Optimizer(2, refinement=False, population=5)
    ids, _ = search.ask()
    search.tell(ids, [5, 1, 1, 4, 0], violations=[[-1, 0], [0.5, 0.25], [-1, 0.5], [0, 0], [np.nan, 0]])
    assert [point.value for point in search.top(9)] == [4, 5, 1, 1]
    assert [point.violation for point in search.top(9)] == [0, 0, 0.5, 0.75]
    assert search.progress.failures == 1 and search.progress.best_violation == 0
    search.tell_point([9, 9], -1, violations=0.125)
    search.tell_point([8, 8], -1, violations=[-1, -2])
    search.advance()
    search.ask()
    assert search.best.value == -1 and search.best.violation == 0
    with pytest.raises(ValueError, match="violations: must have the shape"):
        search.tell([6], [1], violations=[1, 2])
    with pytest.raises(TypeError, match="f: must return a number, or zilch.Evaluation"):
        zilch.minimize(lambda x: (1.0, 2.0), 2, evaluations=20)
