"""Linear limits: texts, SciPy's constraints, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pytest

import zilch

NAMES = ["flour", "sugar", "salt", "milk"]


def points(**options):
    search = zilch.Optimizer(4, bounds=(0.05, 0.9), seed=3, **options)
    found = []
    while search.progress.evaluations < 300:
        ids, x = search.ask()
        search.tell(ids, ((x - [0.5, 0, 0.5, 0])**2).sum(axis=1))
        found.append(x)
    return np.concatenate(found)


def test_every_point_keeps_them():
    x = points(limits=["sum = 1", "0.1 <= flour + 2 * sugar <= 0.5"], names=NAMES, max_active=3)
    assert np.abs(x.sum(axis=1) - 1).max() < 1e-12
    sweet = x @ [1, 2, 0, 0]
    assert sweet.min() > 0.1 - 1e-12 and sweet.max() < 0.5 + 1e-12
    assert np.count_nonzero(x, axis=1).max() <= 3


def test_forms_mean_the_same():
    matrix = np.array([[1.0, 1, 1, 1], [1, 2, 0, 0]])
    constraint = SimpleNamespace(A=matrix, lb=[1.0, -np.inf], ub=[1.0, 0.5])  # as scipy.optimize.LinearConstraint
    text = points(limits="sum = 1\nx1 + 2 x2 <= 0.5")
    assert np.array_equal(text, points(limits=constraint))
    assert np.array_equal(text, points(limits=["sum = 1", SimpleNamespace(A=matrix[1], lb=-np.inf, ub=0.5)]))


def test_minimize_calls_coordinates_by_name(tmp_path):
    def search(**options):
        return zilch.minimize(lambda x: (x[0] - 0.9)**2 + x[1]**2, 4, names=NAMES, bounds=(0.05, 0.9),
                              limits=["sum = 1", "flour <= 0.6"], evaluations=200, **options)
    result = search()
    assert result.x.sum() == pytest.approx(1, abs=1e-12) and result.x[0] == pytest.approx(0.6, abs=1e-6)
    assert np.array_equal(search(study=tmp_path / "recipe.study").x, result.x)


@pytest.mark.parametrize("limits, message", [
    ("salt + suger <= 1", "there is no coordinate 'suger'"),
    ("sum = 9", "no point keeps limit 1 together with the bounds"),
    (["sum = 1", 7], "must be texts such as 'sum = 1'"),
    (SimpleNamespace(A=np.ones((1, 3)), lb=0, ub=1), "A must have 4 columns"),
])
def test_what_cannot_be_kept_is_refused(limits, message):
    with pytest.raises((ValueError, TypeError), match=message.replace("(", r"\(")):
        zilch.Optimizer(4, bounds=(0, 1), limits=limits, names=NAMES)
