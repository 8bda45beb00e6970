"""A repair function of the user's."""

import numpy as np
import pytest
import zilch


def to_grid(x):
    return np.round(x * 4) / 4


def to_grid_in_place(x):
    x[:] = np.round(x * 4) / 4


def distance(x):
    assert (x * 4 == np.round(x * 4)).all()
    return float(((x - [1.1, 0, -0.6, 0])**2).sum())


def test_points_are_repaired():
    results = [zilch.minimize(distance, 4, penalty=0.01, evaluations=300, repair=repair) for repair in (to_grid, to_grid_in_place)]
    for result in results:
        assert list(result.x) == [1.0, 0.0, -0.5, 0.0]
    assert results[0].nfev == results[1].nfev


def test_exceptions_come_through():
    def fail(x):
        raise KeyError("no such point")
    with pytest.raises(KeyError, match="no such point"):
        zilch.minimize(distance, 4, evaluations=100, repair=fail)
    search = zilch.Optimizer(4, repair=fail)
    for call in (search.ask, search.wanted):
        with pytest.raises(KeyError, match="no such point"):
            call()
    with pytest.raises(ValueError, match="repair"):
        zilch.Optimizer(4, repair=lambda x: x[:2]).ask()
    with pytest.raises(TypeError, match="repair: must be callable"):
        zilch.Optimizer(4, repair=3)
    with pytest.raises(ValueError, match="the repair function broke a limit.*coordinate 2"):
        zilch.Optimizer(4, bounds=(-1, 1), repair=lambda x: [0, 0, 2, 0]).ask()


def test_files(tmp_path):
    search = zilch.Optimizer(4, seed=3, repair=to_grid)
    for _ in range(5):
        ids, x = search.ask()
        search.tell(ids, [distance(row) for row in x])
    search.save(tmp_path / "a")
    lost = zilch.Optimizer.load(tmp_path / "a")
    with pytest.raises(RuntimeError, match="set it again"):
        lost.ask()
    again = zilch.Optimizer.load(tmp_path / "a", repair=to_grid)
    assert (search.ask()[1] == again.ask()[1]).all()


def test_study_goes_on(tmp_path):
    path = tmp_path / "a.study"
    asked = dict(penalty=0.01, evaluations=300, repair=to_grid)
    whole = zilch.minimize(distance, 4, **asked)
    count = 0

    def stop(x):
        nonlocal count
        count += 1
        if count == 150:
            raise InterruptedError
        return distance(x)
    with pytest.raises(InterruptedError):
        zilch.minimize(stop, 4, study=path, **asked)
    with zilch.Study(path) as study, pytest.raises(RuntimeError, match="set it again"):
        study.resume().ask()
    result = zilch.minimize(stop, 4, study=path, **asked)
    assert (result.x == whole.x).all() and result.nfev == whole.nfev
