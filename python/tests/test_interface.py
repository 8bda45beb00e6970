"""How the package meets its users: names of other libraries, results that show themselves, what is said when something is wrong."""
import copy
import html.parser
import math
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest

import zilch
from zilch import _foreign


def sphere(x):
    return float(((x - [0, 1.5, 0, 0, -0.5, 0])**2).sum())


@pytest.fixture(scope="module")
def result():
    return zilch.minimize(sphere, 6, penalty=0.01, evaluations=400)


# ---- Words

@pytest.mark.parametrize("name, ours", [
    ("popsize", "population"), ("maxiter", "generations"), ("max_iter", "generations"), ("maxfev", "evaluations"), ("budget", "evaluations"),
    ("n_trials", "evaluations"), ("n_jobs", "executor"), ("workers", "executor"), ("random_state", "seed"), ("tol", "stagnation"),
    ("sigma0", "scale"), ("timeout", "time"), ("penalties", "penalty")])
@pytest.mark.parametrize("function", [zilch.minimize, zilch.maximize])
def test_the_words_of_other_libraries_are_known(function, name, ours):
    with pytest.raises(TypeError, match=f"^{name}: zilch calls it {ours}"):
        function(sphere, 6, **{name: 3})


def test_an_optimizer_is_told_of_what_it_has_itself():
    with pytest.raises(TypeError, match="^popsize: zilch calls it population$"):
        zilch.Optimizer(6, popsize=3)
    with pytest.raises(TypeError, match="^maxiter: there is no option of this name$"):  # nor has it generations
        zilch.Optimizer(6, maxiter=3)


def test_every_word_leads_to_one_that_there_is():
    import inspect
    known = inspect.signature(zilch.minimize).parameters
    for name, ours in _foreign.WORDS.items():
        first = ours.partition(",")[0]
        assert name not in known, name
        assert not first.isidentifier() or first in known, ours


def test_misspelt_names_and_choices():
    with pytest.raises(TypeError, match="^max_actve: there is no option of this name; did you mean max_active\\?$"):
        zilch.minimize(sphere, 6, max_actve=3)
    with pytest.raises(ValueError, match="^method: must be one of 'default', .*, not 'publshed'; did you mean 'published'\\?$"):
        zilch.minimize(sphere, 6, method="publshed")
    with pytest.raises(TypeError, match="^method: must be one of 'default', 'published', .*'ea', not 3$"):
        zilch.Optimizer(6, method=3)


def test_maximize_refuses_a_direction():
    for direction in ("maximize", "minimize"):
        with pytest.raises(TypeError, match="^direction: maximize has one already"):
            zilch.maximize(sphere, 6, direction=direction)


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer sees nothing of it")
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize("line", ["zilch.minimize(f, 3, max_actve=3)", "zilch.maximize(f, 3, max_actve=3)",
                                  "zilch.Optimizer(3, max_actve=3)", "zilch.minimize(f, 3, method='publshed')"])
def test_type_checkers_refuse_what_there_is_not(tmp_path, checker, line):
    pytest.importorskip(checker)
    head = "import zilch\nfrom typing import Any\ndef f(x: Any) -> float: return 0.0\n"
    (tmp_path / "wrong.py").write_text(head + line + "\n")
    (tmp_path / "right.py").write_text(head + "zilch.minimize(f, 3, max_active=3, penalty=[1, 2, 3])\nzilch.Optimizer(3, method='ea')\n")
    for name, is_right in (("wrong", False), ("right", True)):
        run = subprocess.run([sys.executable, "-m", checker, str(tmp_path / f"{name}.py")], capture_output=True, text=True, check=False)
        assert (run.returncode == 0) == is_right, run.stdout + run.stderr
        assert is_right or "max_actve" in run.stdout or "publshed" in run.stdout, run.stdout


# ---- Objectives and data

@pytest.mark.parametrize("vectorized", [False, True])
def test_an_objective_without_a_return_is_told_so(vectorized):
    with pytest.raises(TypeError, match="^f: returned None; it must return a number"):
        zilch.minimize(lambda x: None, 6, vectorized=vectorized)


def test_one_dimensional_data():
    with pytest.raises(ValueError, match=r"^X: must have the shape \(rows, columns\), not \(5,\); if it is one column, "
                                         r"give X.reshape\(-1, 1\)$"):
        zilch.regression(np.arange(5.0), np.arange(5.0))


def test_a_penalty_for_each_coordinate():
    costs = [9, 0.01, 0.01, 0.01, 9, 0.01]
    found = zilch.minimize(sphere, 6, penalty=costs, evaluations=400)
    assert found.support.tolist() == [1]
    assert found.recommended.fitness == pytest.approx(found.fun + 0.01)
    with pytest.raises(ValueError, match="^penalty: must have the shape"):
        zilch.minimize(sphere, 6, penalty=[1, 2])


# ---- Endings

def test_a_time_limit():
    began = time.perf_counter()
    found = zilch.minimize(lambda x: time.sleep(0.002) or sphere(x), 6, time=0.3, evaluations=10**6, final_evaluations=0)
    assert 0.3 <= time.perf_counter() - began < 3
    assert (found.message, found.success) == ("stopped by: time", True)
    for wrong in (-1, "5", math.nan):
        with pytest.raises(ValueError, match="^time: must be seconds"):
            zilch.minimize(sphere, 6, time=wrong)


def test_a_study_goes_on_after_its_time(tmp_path):
    options = {"study": tmp_path / "a.study", "evaluations": 400}
    first = zilch.minimize(sphere, 6, time=0, **options)
    assert first.nit == 1
    assert zilch.minimize(sphere, 6, **options).nit > 1


def test_a_callback_that_stops_is_called_one():
    found = zilch.minimize(sphere, 6, callback=lambda search: True)
    assert (found.message, found.success) == ("stopped by the callback", False)


# ---- Ask and tell

def test_best_front_and_recommendation_after_a_part():
    search = zilch.Optimizer(6, penalty=0.01, population=20, refinement=False)
    ids, x = search.ask(20)
    values = np.array([sphere(each) for each in x])
    search.tell(ids[:7], values[:7])
    fitness = values[:7] + 0.01 * np.count_nonzero(x[:7], axis=1)
    assert search.best.fitness == fitness.min()
    assert np.array_equal(search.best.x, x[fitness.argmin()])
    assert len(search.top(100)) == 7
    assert search.front and all(point.value in values[:7] for point in search.front)
    assert search.recommend().fitness == fitness.min()
    before = pickle.dumps(search)
    checked = search.recommend(sphere, noisy=False)
    assert checked.fitness <= fitness.min()
    assert pickle.dumps(search) == before
    noisy = search.recommend(sphere, evaluations=60)
    assert 0 < noisy.evaluations <= noisy.spent <= 60


def test_points_know_the_error_of_their_value():
    rng = np.random.default_rng(1)
    found = zilch.minimize(lambda x: sphere(x) + 0.1 * rng.standard_normal(), 6, penalty=0.05, evaluations=600)
    noise = found.optimizer.progress.noise
    assert noise == pytest.approx(0.1, rel=0.5)
    again = [point for point in found.optimizer.top(50) if point.evaluations > 2]
    assert again and all(point.error == noise / (point.evaluations - 1)**0.5 for point in again)


# ---- Results

def test_a_result_is_shown_in_ten_lines(result):
    assert result.support.tolist() == [1, 4]
    lines = repr(result).splitlines()
    assert lines[0].endswith("2 of 6 coordinates active")
    assert lines[1:3] == ["  x[1] = 1.5", "  x[4] = -0.5"]
    many = zilch.minimize(lambda x: ((x - np.arange(1, 41))**2).sum(), 40, evaluations=2000, names=[f"n{i}" for i in range(40)])
    assert "n39 = " in repr(many)
    assert len(repr(many).splitlines()) <= 10


class Balanced(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_result_is_a_piece_of_a_page():
    found = zilch.minimize(sphere, 6, penalty=0.01, evaluations=400, names=["a", "<script>alert(1)</script>", "c", "d", "e&'\"", "f\n"])
    page = found._repr_html_()
    parser = Balanced()
    parser.feed(page)
    assert not parser.open
    assert {"svg", "polyline", "table"} <= parser.seen
    assert "script" not in parser.seen
    assert "&lt;script&gt;" in page and "e&amp;&#x27;&quot;" in page
    assert "nan" not in page


def test_a_result_draws_itself(result):
    pytest.importorskip("matplotlib")
    figure = result.plot()
    assert [each.get_text() for each in figure.axes[2].get_yticklabels()] == ["1", "4"]


def test_plot_is_there_without_matplotlib():
    run = [sys.executable, "-c", "import sys, zilch; zilch.plot.front; print('matplotlib' in sys.modules)"]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "False\n"


# ---- Landers

@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda worlds: pickle.loads(pickle.dumps(worlds))])
def test_a_copied_lander_goes_on_with_the_same_bits(duplicate):
    rng = np.random.default_rng(1)
    worlds = zilch.LunarLander(4, continuous=True, enable_wind=True)
    worlds.reset(seed=3)
    for _ in range(5):
        for _ in range(60):
            worlds.step(rng.uniform(-1, 1, (4, 2)))
        other = duplicate(worlds)
        for _ in range(150):
            actions = rng.uniform(-1, 1, (4, 2))
            for one, two in zip(worlds.step(actions)[:4], other.step(actions)[:4]):
                assert np.array_equal(one, two)
