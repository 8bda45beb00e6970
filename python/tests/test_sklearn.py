"""The estimators, in scikit-learn itself: its own checks, pipelines, grids, DataFrames, copies."""

import itertools
import math
import pickle
import subprocess
import sys
import warnings
from statistics import NormalDist

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.exceptions import FitFailedWarning, NotFittedError  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import ConstantKernel, PairwiseKernel  # noqa: E402
from sklearn.linear_model import ElasticNet, ElasticNetCV, LinearRegression, LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import zilch  # noqa: E402
from zilch import _subsets  # noqa: E402

FOLDS = KFold(3, shuffle=True, random_state=1)
FEW = {"evaluations": 6, "cv": 2}
ESTIMATORS = [zilch.SparseSelector(Ridge(), **FEW), zilch.SparseSelector(GaussianNB(), **FEW), zilch.SparseRegressor(**FEW),
              zilch.SparseClassifier(**FEW), zilch.ZeroInflatedGaussian()]


class CountingLine(LinearRegression):
    """Keeps which columns and rows it was fitted to."""

    seen = []

    def fit(self, X, y, sample_weight=None):
        CountingLine.seen.append((X.shape, float(X.sum()), None if sample_weight is None else tuple(sample_weight)))
        return super().fit(X, y, sample_weight)


class Picky(LinearRegression):
    """Cannot do without the first column."""

    def fit(self, X, y):
        if not (X[:, 0] == X[:, 0].astype(int)).all():
            raise ValueError("the first column is missing")
        return super().fit(X, y)


def table(rows=90, columns=8, seed=1):
    """The columns 1 and 5 count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, 2 * X[:, 1] - X[:, 5] + 0.3 * rng.normal(size=rows)


def frame(X):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        check(estimator)


# ---- SparseSelector

def test_the_selected_columns_are_those_that_count():
    X, y = table()
    selector = zilch.SparseSelector(LinearRegression(), penalty=0.01, cv=FOLDS).fit(frame(X), y)
    assert selector.get_feature_names_out().tolist() == ["c1", "c5"]
    assert selector.transform(frame(X)).shape == (90, 2)
    assert selector.n_features_ == 2 and selector.n_splits_ == 3
    by_hand = cross_val_score(LinearRegression(), X[:, [1, 5]], y, cv=FOLDS).mean()
    assert selector.best_score_ == pytest.approx(by_hand, abs=1e-12)


def test_the_best_of_all_subsets_is_found():
    """It is known, as all 255 have been looked at. Chosen is the best by smoothed scores, which may be another one."""
    X, y = load_diabetes(return_X_y=True)
    X = X[:150, :8]
    y = y[:150]
    selector = zilch.SparseSelector(LinearRegression(), cv=FOLDS, penalty=0.005, evaluations=120).fit(X, y)
    fitness = {columns: cross_val_score(LinearRegression(), X[:, columns], y, cv=FOLDS).mean() - 0.005 * len(columns)
               for n in range(1, 9) for columns in itertools.combinations(range(8), n)}
    best = max(fitness, key=fitness.get)
    assert best in [tuple(np.flatnonzero(mask)) for mask in selector.front_["support"]]
    assert fitness[tuple(np.flatnonzero(selector.support_))] > fitness[best] - 0.005


def test_smoothed_scores_are_a_gaussian_process():
    """Beside scikit-learn's, whose absolute exponential kernel is one of the number of different columns."""
    rng = np.random.default_rng(1)
    masks = rng.random((60, 10)) < 0.4
    scores = masks[:, :3].sum(axis=1) / 10 + 0.02 * rng.normal(size=60)
    best, expected = -math.inf, None
    for length, noise in itertools.product(_subsets._LENGTHS, _subsets._NOISES):
        theirs = GaussianProcessRegressor(ConstantKernel(1.0, "fixed") * PairwiseKernel(1 / length, "fixed", metric="laplacian"), alpha=noise, optimizer=None)
        theirs.fit(masks.astype(float), scores - scores.mean())
        variance = (scores - scores.mean()) @ theirs.alpha_.ravel() / 60
        likelihood = -30 * np.log(variance) - np.log(np.diag(theirs.L_)).sum()
        if likelihood > best:
            best, expected = likelihood, theirs.predict(masks.astype(float)) + scores.mean()
    np.testing.assert_allclose(_subsets._smooth(masks, scores), expected, atol=1e-10)
    clean = masks[:, :3].sum(axis=1) / 10
    assert np.abs(expected - clean).mean() < 0.8 * np.abs(scores - clean).mean()


def test_no_subset_is_fitted_twice():
    CountingLine.seen = []
    X, y = table(columns=6)
    selector = zilch.SparseSelector(CountingLine(), cv=FOLDS, evaluations=40).fit(X, y)
    assert len(CountingLine.seen) == len(set(CountingLine.seen)) == selector.n_fits_ == 3 * len(selector.cv_results_["support"])
    assert len(selector.cv_results_["support"]) <= 40
    everything = zilch.SparseSelector(CountingLine(), cv=FOLDS, evaluations=500).fit(X, y)
    assert len(everything.cv_results_["support"]) <= 63


def test_results_and_front():
    X, y = table(columns=6)
    selector = zilch.SparseSelector(LinearRegression(), cv=FOLDS).fit(X, y)
    results, front = selector.cv_results_, selector.front_
    splits = np.array([results[f"split{i}_test_score"] for i in range(3)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0), rtol=1e-12)
    assert results["mean_test_score"][results["rank_test_score"].index(1)] == max(results["mean_test_score"])
    assert front["n_features"] == sorted(set(front["n_features"])) and front["mean_test_score"] == sorted(front["mean_test_score"])
    for n, mask, score in zip(front["n_features"], front["support"], front["mean_test_score"]):
        assert mask.sum() == n
        assert score == max(s for m, s in zip(results["n_features"], results["mean_test_score"]) if m == n)
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame(results)) == len(results["support"])


@pytest.mark.parametrize("most, n", [(1, 1), (0.25, 2), (100, 8)])
def test_at_most_so_many_columns(most, n):
    X, y = table()
    y = y + X.sum(axis=1)
    selector = zilch.SparseSelector(LinearRegression(), max_features=most, cv=FOLDS, evaluations=60).fit(X, y)
    assert selector.n_features_ <= n and max(selector.front_["n_features"]) <= n
    assert selector.support_[1]


def test_a_penalty_is_what_a_column_must_bring():
    X, y = table()
    gain = [zilch.SparseSelector(LinearRegression(), penalty=penalty, cv=FOLDS).fit(X, y).n_features_ for penalty in (0.0, 0.1, 0.5)]
    assert gain[0] >= 2 and gain[1:] == [2, 1]


def test_jobs_change_nothing_and_seeds_find_the_same_where_it_is_clear():
    X, y = table()
    chosen = [zilch.SparseSelector(LinearRegression(), cv=FOLDS, evaluations=40, **options).fit(X, y) for options in ({}, {"n_jobs": 2})]
    assert (chosen[0].support_ == chosen[1].support_).all()
    assert chosen[0].cv_results_["mean_test_score"] == chosen[1].cv_results_["mean_test_score"]
    for seed in (1, 5, None):
        clear = zilch.SparseSelector(LinearRegression(), cv=FOLDS, evaluations=40, penalty=0.01, random_state=seed).fit(X, y)
        assert np.flatnonzero(clear.support_).tolist() == [1, 5]


@pytest.mark.parametrize("estimator", [RandomForestClassifier(4, max_depth=2, random_state=1), GaussianNB(),
                                       make_pipeline(StandardScaler(), LogisticRegression())])
def test_with_importances_without_and_in_a_pipeline(estimator):
    X, y = load_iris(return_X_y=True)
    X = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 4))])
    selector = zilch.SparseSelector(estimator, cv=3, evaluations=25, scoring="neg_log_loss").fit(X, y)
    assert selector.support_[2:4].any() and selector.n_features_ < 7


def test_groups_and_weights_arrive():
    X, y = table()
    groups, weights = np.repeat(np.arange(9), 10), np.linspace(1, 2, 90)
    CountingLine.seen = []
    selector = zilch.SparseSelector(CountingLine(), cv=GroupKFold(3), evaluations=5).fit(X, y, groups=groups, sample_weight=weights)
    assert selector.n_splits_ == 3
    assert all(len(own) == 60 and set(own) <= set(weights) for _, _, own in CountingLine.seen)


def test_with_metadata_routing():
    X, y = table()
    groups, weights = np.repeat(np.arange(9), 10), np.linspace(1, 2, 90)
    CountingLine.seen = []
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = CountingLine().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        selector = zilch.SparseSelector(estimator, cv=GroupKFold(3), evaluations=5)
        make_pipeline(selector).fit(X, y, groups=groups, sample_weight=weights)
    assert all(len(own) == 60 for _, _, own in CountingLine.seen)


def test_subsets_that_fail_are_left_out_and_told_of():
    X, y = table()
    X[:, 0] = np.arange(90) % 4
    with pytest.warns(FitFailedWarning, match="the first column is missing"):
        selector = zilch.SparseSelector(Picky(), cv=FOLDS, evaluations=60).fit(X, y)
    assert selector.support_[[0, 1, 5]].all()
    with pytest.raises(ValueError, match="the first column is missing"):
        zilch.SparseSelector(Picky(), cv=FOLDS).fit(X[:, 1:], y)


@pytest.mark.parametrize("options, words", [({"max_features": 0}, "^max_features: "), ({"max_features": 1.5}, "^max_features: "),
                                            ({"penalty": -1}, "^penalty: "), ({"evaluations": 0}, "^evaluations: "),
                                            ({"random_state": "x"}, "^random_state: ")])
@pytest.mark.parametrize("make", [lambda **options: zilch.SparseSelector(LinearRegression(), **options), zilch.SparseRegressor])
def test_wrong_parameters_are_named(make, options, words):
    with pytest.raises(ValueError, match=words):
        make(**options).fit(*table())


# ---- SparseRegressor and SparseClassifier

def test_the_regression_has_the_columns_that_count_in_any_units():
    X, y = table()
    plain = zilch.SparseRegressor(penalty=0.01).fit(X, y)
    scale = 10.0 ** np.arange(-4, 4)
    model = zilch.SparseRegressor(penalty=0.01).fit(frame(X * scale + 3), 100 * y)
    assert model.feature_names_in_[model.support_].tolist() == ["c1", "c5"]
    assert np.flatnonzero(model.coef_).tolist() == [1, 5]
    np.testing.assert_allclose(model.coef_ * scale / 100, plain.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.predict(frame(X * scale + 3)) / 100, plain.predict(X), rtol=1e-6)
    line = LinearRegression().fit(X[:, [1, 5]], y)
    np.testing.assert_allclose(plain.coef_[[1, 5]], line.coef_, rtol=0.05)  # the elastic net has made them smaller


def net(model):
    """scikit-learn's, with the mix and the strength that the model has chosen."""
    return ElasticNet(alpha=model.strength_, l1_ratio=model.mix_, tol=1e-9, max_iter=100_000)


def test_without_a_penalty_it_is_the_elastic_net():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = zilch.SparseRegressor(penalty=0, cv=FOLDS).fit(X, y)
    whole = net(model).fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=5e-3)
    assert model.support_.tolist() == (whole.coef_ != 0).tolist()
    theirs = ElasticNetCV(l1_ratio=[0.5, 1.0], cv=FOLDS).fit(X, y)
    assert model.mix_ == theirs.l1_ratio_ and model.strength_ == pytest.approx(theirs.alpha_, rel=0.3)  # they standardise once for all folds


def test_fewer_columns_predict_nearly_what_the_elastic_net_predicts():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = zilch.SparseRegressor(cv=FOLDS).fit(X, y)
    wanted = net(model).fit(X, y).predict(X)
    for entry in model.path_:
        columns = entry["support"]
        line = LinearRegression().fit(X[:, columns], wanted)
        np.testing.assert_allclose(entry["coef"][columns], line.coef_, atol=5e-3)
        losses = []
        for train, test in FOLDS.split(X):
            scaler = StandardScaler().fit(X[train])
            own, other = scaler.transform(X[train]), scaler.transform(X[test])
            predicted = net(model).fit(own, y[train]).predict(own)
            fewer = LinearRegression().fit(own[:, columns], predicted)
            losses.append(((fewer.predict(other[:, columns]) - y[test])**2).mean() / y.var())
        assert entry["loss"] == pytest.approx(np.mean(losses), rel=1e-5)
    assert [entry["n_features"] for entry in model.path_] == sorted({entry["support"].sum() for entry in model.path_})
    distance = {columns: ((LinearRegression().fit(X[:, columns], wanted).predict(X[:, columns]) - wanted)**2).mean()
                for columns in itertools.combinations(range(10), 4)}
    best = min(distance, key=distance.get)
    assert next(tuple(np.flatnonzero(e["support"])) for e in model.path_ if e["n_features"] == 4) == best


def test_two_classes_are_logistic_regression_with_an_elastic_net():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:, :5]), np.array(["no", "yes"])[y]
    model = zilch.SparseClassifier(penalty=0, cv=3).fit(X, y)
    theirs = LogisticRegression(l1_ratio=model.mix_, solver="saga", C=1 / (model.strength_ * len(y)), tol=1e-6, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=5e-3)
    assert model.classes_.tolist() == ["no", "yes"] and model.coef_.shape == (1, 5)


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    noisy = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 3))])
    model = zilch.SparseClassifier(cv=3).fit(noisy, y)
    assert model.coef_.shape == (3, 7) and not model.coef_[:, ~model.support_].any() and model.support_[2:4].all()
    assert model.n_features_ < 7 and model.score(noisy, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(noisy).sum(axis=1), 1.0)
    assert (model.classes_[model.predict_proba(noisy).argmax(axis=1)] == model.predict(noisy)).all()


def test_where_nothing_can_be_predicted_no_column_is_chosen():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 5)), np.repeat([1.0, 3.0], 30)
    model = zilch.SparseRegressor(cv=KFold(5, shuffle=True, random_state=1)).fit(X, np.full(60, 2.0))
    assert model.n_features_ == 0 and not model.coef_.any() and model.path_ == [] and model.predict(X) == pytest.approx(2.0)
    classes = zilch.SparseClassifier().fit(np.zeros((60, 5)), y)
    assert classes.n_features_ == 0 and classes.predict_proba(X) == pytest.approx(0.5)


@pytest.mark.parametrize("model", [zilch.SparseRegressor(max_features=1), zilch.SparseRegressor(penalty=1.0), zilch.SparseRegressor(max_features=0.2)])
def test_one_column(model):
    assert np.flatnonzero(model.fit(*table()).support_).tolist() == [1]


def test_more_columns_than_rows():
    X, y = table(40, 120)
    model = zilch.SparseRegressor(evaluations=200).fit(X, y)
    assert model.support_[[1, 5]].all() and model.n_features_ < 12


def test_constant_columns_do_no_harm():
    X, y = table()
    X[:, 3] = 7.0
    assert np.flatnonzero(zilch.SparseRegressor(penalty=0.01).fit(X, y).support_).tolist() == [1, 5]


# ---- In pipelines and grids

def test_in_a_grid_and_a_pipeline():
    X, y = table()
    grid = GridSearchCV(make_pipeline(zilch.SparseSelector(LinearRegression(), cv=FOLDS, evaluations=20), LinearRegression()),
                        {"sparseselector__max_features": [1, 2]}, cv=3).fit(frame(X), y)
    assert grid.best_params_ == {"sparseselector__max_features": 2}
    grid = GridSearchCV(zilch.SparseRegressor(), {"max_features": [1, 2]}, cv=3).fit(frame(X), y)
    assert grid.best_params_ == {"max_features": 2}
    grid = GridSearchCV(zilch.ZeroInflatedGaussian(), {"shrinkage": ["none", "all"]}, cv=3).fit(np.where(X > 0, X, 0))
    assert grid.best_params_ == {"shrinkage": "all"}  # there are no correlations


@pytest.mark.parametrize("estimator", [zilch.SparseSelector(LinearRegression(), cv=FOLDS, evaluations=10), zilch.SparseRegressor()])
def test_copies(estimator):
    X, y = table()
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.support_ == fitted.support_).all() and repr(clone(fitted)) == repr(estimator)


# ---- ZeroInflatedGaussian

def test_the_y_of_a_pipeline_is_no_weight():
    X, y = table()
    X = np.where(X > 0, X, 0)
    alone = zilch.ZeroInflatedGaussian().fit(X)
    within = make_pipeline(zilch.ZeroInflatedGaussian()).fit(X, np.abs(y))[-1]
    assert (within.mean_ == alone.mean_).all() and (within.corr_ == alone.corr_).all()
    weighted = make_pipeline(zilch.ZeroInflatedGaussian()).fit(X, y, zeroinflatedgaussian__sample_weight=np.abs(y))[-1]
    assert (weighted.mean_ != alone.mean_).any()


def test_samples_follow_random_state():
    X = np.where(table()[0] > 0, table()[0], 0)
    drawn = zilch.ZeroInflatedGaussian().fit(X)
    assert not np.array_equal(drawn.sample(5), drawn.sample(5))
    whole = zilch.ZeroInflatedGaussian(random_state=3).fit(X)
    assert np.array_equal(whole.sample(5), whole.sample(5)) and np.array_equal(whole.sample(5), drawn.sample(5, seed=3))
    for kind in (np.random.RandomState, np.random.default_rng):
        one, two = (zilch.ZeroInflatedGaussian(random_state=kind(1)).fit(X) for _ in range(2))
        first = one.sample(5)
        assert np.array_equal(first, two.sample(5)) and not np.array_equal(first, one.sample(5))
    with pytest.raises(ValueError, match="^random_state: "):
        zilch.ZeroInflatedGaussian(random_state="x").fit(X).sample()


def test_densities_without_correlations_are_products():
    p, mean, std = np.array([0.3, 0.6, 1.0]), np.array([2.0, -1.0, 0.5]), np.array([1.0, 0.5, 2.0])
    law = zilch.ZeroInflatedGaussian.from_parameters(p, mean, std)
    X = np.array([[0, 0, 1.0], [2.5, -1.2, 0.1], [0, -0.5, 3.0], [1.0, 1.0, 0.0]])
    expected = [sum(np.log(1 - p[j]) if x == 0 else np.log(p[j] * NormalDist(mean[j], std[j]).pdf(x)) for j, x in enumerate(row))
                for row in X[:3]]
    np.testing.assert_allclose(law.score_samples(X)[:3], expected, rtol=1e-12)
    assert law.score_samples(X)[3] == -np.inf  # the last coordinate is always active
    assert law.score(X[:3]) == pytest.approx(np.mean(expected))


def test_probabilities_of_patterns_add_up():
    """The density of the pattern without a value is its probability. Two masks with the latent correlation 0.5: a known arcsine."""
    corr = np.eye(4)
    corr[2, 3] = corr[3, 2] = 0.5
    law = zilch.ZeroInflatedGaussian.from_parameters([0.5, 0.5], [0, 0], [1, 1], corr)
    assert law.score_samples([[0, 0]])[0] == pytest.approx(np.log(0.25 + np.arcsin(0.5) / (2 * np.pi)), abs=1e-3)
    corr[0, 1] = corr[1, 0] = 0.4
    corr[0, 3] = corr[3, 0] = 0.3
    law = zilch.ZeroInflatedGaussian.from_parameters([0.5, 0.7], [1, -1], [1, 2], corr)
    steps, coarse = np.linspace(-14, 14, 560), np.linspace(-12, 12, 80)  # without 0
    single, both = steps[:, np.newaxis], np.stack(np.meshgrid(coarse, coarse), axis=-1).reshape(-1, 2)
    total = np.exp(law.score_samples([[0, 0]])).sum()
    total += sum(np.exp(law.score_samples(np.where(np.arange(2) == j, single, 0))).sum() * (steps[1] - steps[0]) for j in range(2))
    total += np.exp(law.score_samples(both)).sum() * (coarse[1] - coarse[0])**2
    assert total == pytest.approx(1.0, abs=0.002)


def test_densities_of_ten_coordinates_agree_with_frequencies():
    rng = np.random.default_rng(1)
    factor = rng.normal(size=(3000, 1))
    X = np.where(factor + rng.normal(size=(3000, 6)) > 0.2, 1 + rng.normal(size=(3000, 6)), 0)
    law = zilch.ZeroInflatedGaussian().fit(X)
    nothing = law.sample(200_000, seed=1)
    frequency = (nothing == 0).all(axis=1).mean()
    assert np.exp(law.score_samples(np.zeros((1, 6))))[0] == pytest.approx(frequency, rel=0.03)


def test_what_is_wrong_with_data_is_said():
    law = zilch.ZeroInflatedGaussian()
    with pytest.raises(ValueError, match=r"got 1D array instead.*one column is X.reshape\(-1, 1\), one row is X.reshape\(1, -1\)"):
        law.fit(np.arange(5.0))
    with pytest.raises(NotFittedError, match="not fitted yet"):
        law.score_samples(np.ones((2, 2)))
    law.fit(frame(np.eye(3)))
    with pytest.raises(ValueError, match="feature names should match"):
        law.score_samples(frame(np.eye(3)).rename(columns={"c0": "z"}))


# ---- Without scikit-learn

def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_it_is_imported_when_it_is_needed():
    assert python("import sys, zilch; print('sklearn' in sys.modules or 'scipy' in sys.modules)") == "False\n"


@pytest.mark.parametrize("name", ["SparseSelector", "SparseRegressor", "SparseClassifier"])
def test_without_scikit_learn_the_remedy_is_named(name):
    code = ("import sys; sys.modules['sklearn'] = None; import zilch\nfrom zilch import *\n"
            f"try:\n  zilch.{name}\nexcept ImportError as e: print(e)")
    out = python(code)
    assert f"zilch.{name}" in out and "scikit-learn 1.6 or later" in out and out.endswith("install it with: pip install scikit-learn\n")


def test_a_distribution_needs_no_scikit_learn():
    assert python("import sys; sys.modules['sklearn'] = sys.modules['scipy'] = None; import zilch, numpy\n"
                  "law = zilch.ZeroInflatedGaussian().fit(numpy.eye(3))\nprint(law.sample(2).shape)\n"
                  "try:\n  law.score_samples(numpy.eye(3))\nexcept ImportError as e: print(e)") == (
        "(2, 3)\nzilch.ZeroInflatedGaussian.score_samples: needs SciPy; install it with: pip install scipy\n")
