"""The library's problems: against formulas in NumPy and SciPy, least squares, and scikit-learn."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import zilch

NAMES = ["lander", "sphere", *(f"smop{k}" for k in range(1, 9)), "ellipsoid", "rosenbrock"]


def points(n, dim, seed=0):
    """Sparse ones."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, dim)) * (rng.random((n, dim)) < 0.6)


# ---- Values

@pytest.mark.parametrize("dim, active", [(1, 1), (7, 0), (20, 3), (20, 20)])
def test_sphere_is_the_squared_distance_from_its_optimum(dim, active):
    x = points(50, dim)
    expected = ((x - (np.arange(dim) < active)) ** 2).sum(axis=1)
    np.testing.assert_allclose(zilch.problem("sphere", dim=dim, active=active)(x), expected, rtol=1e-12)


@pytest.mark.parametrize("dim, active", [(2, 2), (20, 5), (30, 0)])
def test_rosenbrock_is_the_chained_valley_and_the_squares_of_the_others(dim, active):
    x = points(50, dim)
    k = active or dim // 10  # 0: a tenth
    a, b, others = x[:, :k - 1], x[:, 1:k], x[:, k:]
    expected = (100 * (b - a**2) ** 2 + (1 - a) ** 2).sum(axis=1) + (others**2).sum(axis=1)
    np.testing.assert_allclose(zilch.problem("rosenbrock", dim=dim, active=active)(x), expected, rtol=1e-12)


def test_dense_rosenbrock_is_scipys():
    optimize = pytest.importorskip("scipy.optimize")
    x = points(50, 6)
    expected = [optimize.rosen(row) for row in x]
    np.testing.assert_allclose(zilch.problem("rosenbrock", dim=6, active=6)(x), expected, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_many_points_are_each_of_them(name):
    problem = zilch.problem(name)
    x = points(4, problem.dim)
    values = problem(x, ids=np.arange(4))
    assert values.shape == (4,)
    assert [problem(row, ids=k) for k, row in enumerate(x)] == list(values)
    assert type(problem(x[0])) is float
    np.testing.assert_array_equal(problem(x, ids=np.arange(4), threads=3), values)


def test_threads_may_share_a_problem():
    problem = zilch.problem("sphere", dim=20, noise=0.5)
    x = points(400, 20)
    expected = problem(x, ids=np.arange(400))
    with ThreadPoolExecutor(4) as executor:
        parts = executor.map(lambda k: problem(x[k], ids=k), np.split(np.arange(400), 40))
        np.testing.assert_array_equal(np.concatenate(list(parts)), expected)


def test_no_points_have_no_values():
    assert zilch.problem("sphere", dim=20)(np.empty((0, 20))).shape == (0,)


def test_lists_and_other_types_are_points():
    problem = zilch.problem("sphere", dim=3, active=1)
    assert problem([1, 0, 2]) == problem(np.array([1, 0, 2], np.float32)) == problem((True, False, 2.0)) == 4.0


# ---- Noise

def test_noise_is_normal_with_the_deviation_asked_for():
    problem = zilch.problem("sphere", dim=5, active=2, noise=0.5)
    noise = problem(np.zeros((40_000, 5))) - 2.0
    assert noise.mean() == pytest.approx(0.0, abs=0.01)
    assert noise.std() == pytest.approx(0.5, rel=0.02)
    assert np.mean(np.abs(noise) < 0.5) == pytest.approx(0.6827, abs=0.01)


def test_noise_follows_from_the_id():
    problem = zilch.problem("sphere", dim=5, active=2, noise=0.5)
    x = points(3, 5)
    np.testing.assert_array_equal(problem(x, ids=[4, 9, 2])[::-1], problem(x[::-1], ids=[2, 9, 4]))
    plain = zilch.problem("sphere", dim=5, active=2)
    noise = problem(x, ids=[7, 7, 7]) - plain(x)
    np.testing.assert_allclose(noise, noise[0], atol=1e-12)
    assert problem(x[0], ids=7) != problem(x[0], ids=8)
    assert problem(x[0], ids=2**64 - 1) == problem(x[0], ids=np.uint64(2**64 - 1))


def test_without_ids_noise_is_another_each_time_and_the_same_for_the_same_seed():
    x = np.zeros(5)
    a, b, c = (zilch.problem("sphere", dim=5, active=2, noise=0.5, seed=seed) for seed in (3, 3, 4))
    drawn = [a(x) for _ in range(5)]
    assert len(set(drawn)) == 5
    assert drawn == list(b(np.zeros((5, 5))))
    assert drawn != [c(x) for _ in range(5)]


def test_a_problem_says_whether_it_is_noisy():
    assert not zilch.problem("sphere").is_noisy
    assert zilch.problem("sphere", noise=0.1).is_noisy
    assert zilch.problem("lander").is_noisy


# ---- What a problem says of itself

@pytest.mark.parametrize("name", NAMES)
def test_the_setting_opens_the_same_problem(name):
    problem = zilch.problem(name)
    again = zilch.problem(problem.setting)
    assert (again.setting, again.dim, again.direction, again.bounds, again.penalty) == (
        problem.setting, problem.dim, problem.direction, problem.bounds, problem.penalty)
    x = points(3, problem.dim)
    np.testing.assert_array_equal(again(x), problem(x))
    assert problem.setting in repr(problem)


def test_settings_are_words_or_arguments():
    assert zilch.problem("sphere:dim=20,active=3").setting == zilch.problem("sphere", dim=20, active=3).setting
    assert zilch.problem("sphere:dim=20", active=3).setting == zilch.problem("sphere", dim=20, active=3).setting
    assert zilch.problem("sphere", noise=np.float64(0.1)).setting == zilch.problem("sphere:noise=0.1").setting
    assert "wind=1" in zilch.problem("lander", wind=True).setting
    assert "episodes=3" in zilch.problem("lander", episodes=3).setting


def test_names_dimensions_and_directions():
    sphere, lander = zilch.problem("sphere", dim=33), zilch.problem("lander")
    assert (sphere.name, sphere.dim, sphere.direction, sphere.bounds) == ("sphere", 33, "minimize", None)
    assert (lander.name, lander.dim, lander.direction) == ("lander", 90, "maximize")
    low, high = zilch.problem("smop1").bounds
    assert low < 0 < high


def test_support_is_the_share_of_coordinates_as_in_the_optimum():
    problem = zilch.problem("sphere", dim=10, active=3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.normal(size=10) * (rng.random(10) < 0.5)
        assert problem.support(x) == pytest.approx(np.mean((x != 0) == (np.arange(10) < 3)))
    assert problem.support([1] * 3 + [0] * 7) == 1.0


def test_support_of_an_unknown_optimum_is_an_error():
    with pytest.raises(RuntimeError, match="optimum is not known"):
        zilch.problem("lander").support(np.zeros(90))


# ---- What is wrong is said

@pytest.mark.parametrize("name, settings, words", [
    ("sphree", {}, "sphree.*known ones.*sphere"), ("sphere", {"dims": 3}, "dims.*dim, active, noise"),
    ("sphere", {"dim": 0}, "dim must be"), ("sphere", {"dim": -1}, "dim must be"), ("sphere", {"dim": 2.5}, "whole"),
    ("sphere", {"dim": "x"}, "dim must be"), ("sphere", {"noise": None}, "noise must be"),
    ("sphere", {"noise": np.nan}, "noise must be"), ("sphere:dim=3", {"dim": 4}, "dim is given twice"),
    ("sphere", {"dim": 3, "active": 4}, "active"), ("sphere:", {}, "missing"), ("sphere:dim", {}, "no setting"),
    ("lander", {"seeds": "old"}, "fresh, common"), ("rosenbrock", {"dim": 5, "active": 1}, "active"),
    ("", {}, "known ones")])
def test_wrong_names_and_settings_are_a_valueerror_with_words(name, settings, words):
    with pytest.raises(ValueError, match=words):
        zilch.problem(name, **settings)


@pytest.mark.parametrize("seed, error", [(-1, ValueError), (2**64, ValueError), (0.5, TypeError), (None, TypeError)])
def test_a_wrong_seed_is_named(seed, error):
    with pytest.raises(error, match="^seed: "):
        zilch.problem("sphere", seed=seed)


@pytest.mark.parametrize("x, error, words", [
    (np.zeros(4), ValueError, "^x: "), (np.zeros((2, 4)), ValueError, "^x: "),
    (np.zeros((2, 2, 5)), ValueError, "^x: "), (0.0, ValueError, "^x: "),
    ([[1.0], [1.0, 2.0]], ValueError, "^x: "), (np.zeros(5, complex), TypeError, "^x: "),
    ("here", TypeError, "^x: "), ([None] * 5, TypeError, "^x: "), ([0, 0, np.nan, 0, 0], ValueError, "coordinate 2"),
    ([0, 0, 0, np.inf, 0], ValueError, "coordinate 3")])
def test_wrong_points_are_named(x, error, words):
    with pytest.raises(error, match=words):
        zilch.problem("sphere", dim=5, active=2)(x)


@pytest.mark.parametrize("ids, error", [
    ([-1, 0], ValueError), ([0.0, 1.0], TypeError), ([0], ValueError), ([[0, 1]], ValueError)])
def test_wrong_ids_are_named(ids, error):
    with pytest.raises(error, match="^ids: "):
        zilch.problem("sphere", dim=5, active=2)(np.zeros((2, 5)), ids=ids)


# ---- Regression

ROWS, COLS = 60, 5


def data():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(ROWS, COLS)) * [1, 2, 3, 4, 5] + [0, 10, 0, -3, 0]
    return x, x @ [1.0, 0, -0.5, 0, 0] + 7 + rng.normal(size=ROWS)


def training_rows(seed=1, validation=0.3):
    """Found from outside: with no column, the intercept is the mean of the training rows' y."""
    x, _ = data()
    units = np.eye(ROWS)
    fits = [zilch.regression(x, y, seed=seed, validation=validation).explain(np.zeros(COLS)) for y in units]
    return np.array([fit["intercept"] > 0 for fit in fits])


def test_the_share_of_rows_that_validates_is_as_asked_for():
    assert np.count_nonzero(~training_rows()) == 18
    assert np.count_nonzero(~training_rows(validation=0.5)) == 30
    assert not np.array_equal(training_rows(seed=1), training_rows(seed=2))


@pytest.mark.parametrize("columns", [[], [0], [0, 2], [1, 3, 4], [0, 1, 2, 3, 4]])
def test_linear_regression_is_least_squares_on_the_training_rows(columns):
    x, y = data()
    train = training_rows()
    design = np.hstack([x[:, columns], np.ones((ROWS, 1))])
    solution = np.linalg.lstsq(design[train], y[train], rcond=None)[0]
    square = (y - design @ solution) ** 2
    problem = zilch.regression(x, y)
    point = np.isin(np.arange(COLS), columns).astype(float)
    fit = problem.explain(point)
    expected = np.zeros(COLS)
    expected[columns] = solution[:-1]
    np.testing.assert_allclose(fit["coefficients"], expected, atol=1e-8)
    assert fit["intercept"] == pytest.approx(solution[-1], abs=1e-7)
    for part, rows in (("training", train), ("validation", ~train)):
        assert fit[f"{part}_error"] == pytest.approx(square[rows].mean(), rel=1e-7)
        assert fit[f"{part}_score"] == pytest.approx(1 - square[rows].mean() / y[rows].var(), abs=1e-7)
    assert problem(point) == problem(7 * point) == fit["validation_error"]


def test_searched_coefficients_are_those_of_standardised_columns():
    x, y = data()
    train = training_rows()
    problem = zilch.regression(x, y, searched="coefficients")
    point = np.array([1.0, 0, -2.0, 0.5, 0])
    standardised = (x - x[train].mean(axis=0)) / x[train].std(axis=0)
    square = (y - y[train].mean() - standardised @ point) ** 2
    assert problem(point) == pytest.approx(square[train].mean(), rel=1e-10)
    fit = problem.explain(point)
    np.testing.assert_allclose(fit["coefficients"], point / x[train].std(axis=0), rtol=1e-10)
    assert fit["validation_error"] == pytest.approx(square[~train].mean(), rel=1e-10)


def test_logistic_regression_is_that_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    x, y = data()
    label = (y + np.random.default_rng(5).normal(size=ROWS) > 7).astype(float)
    train = training_rows()
    columns = [0, 2, 3]
    other = linear_model.LogisticRegression(C=1e9, tol=1e-10, max_iter=10_000).fit(x[train][:, columns], label[train])
    chance = other.predict_proba(x[:, columns])[:, 1]
    loss = -np.log(np.where(label == 1, chance, 1 - chance))
    problem = zilch.regression(x, label, kind="logistic")
    point = np.isin(np.arange(COLS), columns).astype(float)
    fit = problem.explain(point)
    np.testing.assert_allclose(fit["coefficients"][columns], other.coef_[0], rtol=1e-3)
    assert fit["intercept"] == pytest.approx(other.intercept_[0], rel=1e-3)
    for part, rows in (("training", train), ("validation", ~train)):
        assert fit[f"{part}_error"] == pytest.approx(loss[rows].mean(), rel=1e-3)
        assert fit[f"{part}_score"] == pytest.approx(other.score(x[rows][:, columns], label[rows]))
    assert problem(point) == fit["validation_error"]


def test_the_price_that_suits_a_regression_is_a_hundredth_of_the_variance():
    x, y = data()
    assert zilch.regression(x, y).penalty == pytest.approx(0.01 * y[training_rows()].var(), rel=1e-10)


def test_a_regression_says_what_it_is():
    x, y = data()
    subset, coefficients = zilch.regression(x, y), zilch.regression(x, y, searched="coefficients")
    assert isinstance(subset, zilch.Problem)
    assert (subset.name, subset.dim, subset.direction, subset.bounds) == ("linear", COLS, "minimize", (1.0, 1.0))
    assert coefficients.bounds is None
    assert not subset.is_noisy
    assert zilch.regression(x, y > 7, kind="logistic").name == "logistic"


@pytest.mark.parametrize("change, error, words", [
    ({"y": np.zeros(59)}, ValueError, r"^y: .*\(60,\), not \(59,\)"), ({"y": np.zeros((60, 1))}, ValueError, "^y: "),
    ({"X": np.zeros(60)}, ValueError, "^X: "), ({"X": [["a"]] * 60}, TypeError, "^X: "),
    ({"y": ["a"] * 60}, TypeError, "^y: "), ({"kind": "cubic"}, ValueError, "cubic"),
    ({"searched": "all"}, ValueError, "all"), ({"validation": 1.0}, ValueError, "validation"),
    ({"validation": "some"}, TypeError, "validation"), ({"kind": "logistic"}, ValueError, "0 or 1"),
    ({"X": np.full((60, 2), np.nan)}, ValueError, "row 0, column 0"),
    ({"y": np.full(60, np.inf)}, ValueError, "row 0 .counted from 0.: y is"),
    ({"X": np.zeros((2, 2)), "y": [0.0, 1.0]}, ValueError, "at least 2")])
def test_wrong_data_and_options_are_named(change, error, words):
    x, y = data()
    with pytest.raises(error, match=words):
        zilch.regression(**{"X": x, "y": y, **change})


def test_a_wrong_point_of_a_regression_is_named():
    with pytest.raises(ValueError, match="^x: "):
        zilch.regression(*data()).explain(np.zeros(4))
