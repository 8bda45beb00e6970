"""Default values: what is not active is exactly its default, and active means different from it."""

import pickle

import numpy as np
import pytest

import zilch

DEFAULT = np.array([30.0, 0.12, -2.0, 0.0, 1 / 3])


def machine(x):
    return abs(x[0] - 30) / 100 + abs(x[1] - 0.2) + (x[2] - 5) ** 2 + (x[4] - 1 / 3) ** 2


@pytest.mark.parametrize("method", ["default", "published", "gaussian", "adhoc", "ea"])
def test_same_as_shifted(method):
    """The points are those of a search for offsets, of which nothing is rounded but the sum."""
    given = {"seed": 3, "penalty": 0.05, "evaluations": 400, "method": method,
             **({} if method == "default" else {"population": 40, "elites": 8})}
    with_default = zilch.minimize(machine, 5, default=DEFAULT, **given)
    shifted = zilch.minimize(lambda y: machine(DEFAULT + y), 5, **given)
    np.testing.assert_array_equal(with_default.x, DEFAULT + shifted.x)
    assert with_default.active == shifted.active == with_default.recommended.active
    assert with_default.fun == shifted.fun
    for a, b in zip(with_default.front, shifted.front, strict=True):
        np.testing.assert_array_equal(a.x, DEFAULT + b.x)
        assert a.active == np.count_nonzero(a.x != DEFAULT) == b.active


def test_one_number():
    result = zilch.minimize(lambda x: (x[1] - 8) ** 2 + np.sum((np.delete(x, 1) - 7) ** 2), 6, default=7, penalty=0.01)
    assert result.active == 1
    np.testing.assert_array_equal(np.delete(result.x, 1), 7)
    np.testing.assert_array_equal(result.optimizer.default, np.full(6, 7.0))
    assert result.x[1] == pytest.approx(8, abs=1e-3)


def test_limits_and_bounds():
    """Nothing, or 20 to 60; the shares still add up."""
    share = np.array([0.5, 0.3, 0.2, 0.0])
    result = zilch.minimize(lambda x: (x[0] - 0.3) ** 2 + (x[3] - 0.2) ** 2, 4, default=share, bounds=(0, 0.6), limits="sum = 1",
                            max_active=2, evaluations=300)
    assert result.x.sum() == pytest.approx(1, abs=1e-12)
    assert result.active == 2 and result.fun == pytest.approx(0, abs=1e-6)
    np.testing.assert_array_equal(result.x[[1, 2]], share[[1, 2]])


def test_told_points_and_copies():
    search = zilch.Optimizer(5, default=DEFAULT, penalty=0.1, population=10)
    np.testing.assert_array_equal(search.default, DEFAULT)
    np.testing.assert_array_equal(zilch.Optimizer(5, default=0).default, np.zeros(5))
    search.tell_point(DEFAULT, 4.0)
    search.tell_point([30, 0.12, 5, 0, 1 / 3], 3.0)
    search.advance()
    assert [p.active for p in search.front] == [0, 1]
    copy = pickle.loads(pickle.dumps(search))
    for each in search, copy:
        for _ in range(3):
            ids, x = each.ask()
            each.tell(ids, [machine(row) for row in x])
    np.testing.assert_array_equal(copy.best.x, search.best.x)
    np.testing.assert_array_equal(copy.default, DEFAULT)


def test_study(tmp_path):
    """It goes on with the same defaults only."""
    path = tmp_path / "machine.study"
    given = {"penalty": 0.05, "evaluations": 200, "study": path, "seed": 2, "population": 20}
    seen = []

    def interrupt(search):
        if search.progress.generations == 4:
            raise KeyboardInterrupt

    assert zilch.minimize(machine, 5, default=DEFAULT, callback=interrupt, **given).message == "stopped by: interrupted"
    whole = zilch.minimize(machine, 5, default=DEFAULT, **{**given, "study": None})
    again = zilch.minimize(machine, 5, default=DEFAULT, callback=lambda o: seen.append(o.progress.generations), **given)
    assert seen[0] == 5
    np.testing.assert_array_equal(again.x, whole.x)
    zilch.minimize(machine, 5, default=DEFAULT + 1, **given)
    with zilch.Study(path) as study:
        assert len(study.runs) == 2
        for row in study.evaluations(1):
            assert np.count_nonzero(row["x"] != DEFAULT) == row["active"]
        np.testing.assert_array_equal(study.resume(2).default, DEFAULT + 1)


def test_repair_sees_values():
    def rule(x):
        assert np.all((x == DEFAULT) | np.isfinite(x))
        return np.where(x == DEFAULT, x, np.round(x, 1))

    result = zilch.minimize(machine, 5, default=DEFAULT, repair=rule, evaluations=200, penalty=0.05)
    assert np.all((result.x == DEFAULT) | (abs(result.x - np.round(result.x, 1)) < 1e-14))


def test_refusals():
    with pytest.raises(ValueError, match="its default is nan"):
        zilch.Optimizer(3, default=[0, np.nan, 1])
    with pytest.raises(ValueError, match="default"):
        zilch.Optimizer(3, default=[1, 2])
    with pytest.raises(ValueError, match="out of its bounds 4 and 8"):
        zilch.Optimizer(3, default=6, bounds=(4, 8)).tell_point([6, 6, 9], 1.0)
