"""Sparse linear models for scikit-learn: ``pip install scikit-learn``, and ``zilch.SparseRegressor`` or ``SparseClassifier``.

A subset of columns is worth what its ridge regression is worth on held-out rows, on average over fixed splits. A forward path, in
which the column joins whose gradient is largest, says how much ridge there should be and where the search begins. How many columns
there may be is said by paths of the training rows of each split alone. Then zilch switches columns on and off. In least squares a
split needs its Gram matrices only (Hastie, Tibshirani and Tibshirani, Statistical Science 35, 2020, compare best subsets with the
lasso, and say why a subset needs shrinkage where there is much noise).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._arrays import Floats
from ._subsets import Mask, Subsets, most_of

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("zilch.SparseRegressor and zilch.SparseClassifier: need scikit-learn 1.6 or later; install it with: pip install scikit-learn") from error

_ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
_SCREENING = 0.01  # ridge while the path is made
_PENALTY = 0.2  # of the standard error of the loss: what a column must improve it by, unless it is said
_REPEATS = 2  # of five-fold splits
_PATIENCE = 10  # columns of the path without a better value, after which it ends
_NEWTON = 25
_ALL = slice(None)


class _Rows:
    """Rows whose columns are standardised as some of them are."""

    def __init__(self, X: Floats) -> None:
        self.mean = X.mean(axis=0)
        deviation = X.std(axis=0)
        self.scale = np.where(deviation > 1e-12 * (np.abs(self.mean) + 1), deviation, np.inf)  # a constant column is 0

    def __call__(self, X: Floats) -> Floats:
        return np.asarray((X - self.mean) / self.scale)


class _Squares:
    """Least squares with a ridge, by Gram matrices."""

    def __init__(self, X: Floats, y: Floats, splits: Sequence[Any]) -> None:
        self.given, self.splits = X, splits
        parts: list[tuple[Floats, Floats, Floats, Floats, float]] = []
        self.variance = float(y.var()) or 1.0
        for train, test in splits:
            rows = _Rows(X[train])
            a, b, e, f = rows(X[train]), rows(X[test]), y[train] - y[train].mean(), y[test] - y[train].mean()
            parts.append((a.T @ a / len(a), a.T @ e / len(a), b.T @ b / len(b), b.T @ f / len(b), f @ f / len(b)))
        self.gram, self.moment, self.test_gram, self.test_moment = (np.array([part[k] for part in parts], float) for k in range(4))
        self.test_square = np.array([part[4] for part in parts], float)
        self.rows = _Rows(X)
        self.X, self.y = self.rows(X), y

    def losses(self, mask: Mask, alpha: float, which: slice = _ALL) -> Floats:
        """Mean squared error of each split, as a share of the variance of y."""
        s = np.flatnonzero(mask)
        square = np.ix_(np.arange(len(self.gram))[which], s, s)
        matrix = self.gram[square] + alpha * np.eye(len(s))
        b = np.linalg.solve(matrix, self.moment[which, s, np.newaxis])[:, :, 0]
        error = self.test_square[which] - 2 * (b * self.test_moment[which, s]).sum(axis=1) + np.einsum("fi,fij,fj->f", b, self.test_gram[square], b)
        return np.asarray(error / self.variance, float)

    def fit(self, mask: Mask, alpha: float) -> tuple[Floats, Floats]:
        """Coefficients of standardised columns and the intercept, by all rows."""
        a = self.X[:, mask]
        b = np.zeros((1, len(mask)))
        b[0, mask] = np.linalg.solve(a.T @ a / len(a) + alpha * np.eye(a.shape[1]), a.T @ (self.y - self.y.mean()) / len(a))
        return b, np.array([self.y.mean()])

    def gradient(self, coefficients: Floats, intercept: Floats) -> Floats:
        residual = self.y - self.X @ coefficients[0] - intercept[0]
        return np.asarray(np.abs(self.X.T @ residual), float)


class _Logistic:
    """Maximum likelihood with a ridge: Newton's steps for two classes, scikit-learn's own solver for more."""

    def __init__(self, X: Floats, y: NDArray[np.int64], splits: Sequence[Any]) -> None:
        self.given, self.splits = X, splits
        self.classes = max(int(y.max()) + 1, 2)
        self.parts = []
        for train, test in splits:
            rows = _Rows(X[train])
            self.parts.append((rows(X[train]), y[train], rows(X[test]), y[test]))
        self.rows = _Rows(X)
        self.X, self.y = self.rows(X), y

    def losses(self, mask: Mask, alpha: float, which: slice = _ALL) -> Floats:
        """Mean log loss of each split."""
        found = []
        for X, y, X_test, y_test in self.parts[which]:
            b, c = self._fit(X[:, mask], y, alpha)
            found.append(-np.log(np.maximum(probabilities(X_test[:, mask] @ b.T + c)[np.arange(len(y_test)), y_test], 1e-15)).mean())
        return np.array(found)

    def fit(self, mask: Mask, alpha: float) -> tuple[Floats, Floats]:
        own, intercept = self._fit(self.X[:, mask], self.y, alpha)
        b = np.zeros((len(own), len(mask)))
        b[:, mask] = own
        return b, intercept

    def gradient(self, coefficients: Floats, intercept: Floats) -> Floats:
        p = probabilities(self.X @ coefficients.T + intercept)
        p[np.arange(len(self.y)), self.y] -= 1
        return np.asarray(np.linalg.norm(self.X.T @ p, axis=1), float)

    def _fit(self, X: Floats, y: NDArray[np.int64], alpha: float) -> tuple[Floats, Floats]:
        present = np.unique(y)
        if self.classes == 2 and len(present) == 2:
            return _newton(X, y.astype(float), alpha)
        b, c = np.zeros((self.classes, X.shape[1])), np.full(self.classes, -np.inf)
        c[present] = np.log(np.bincount(y)[present] / len(y))  # a split may miss a class
        if len(present) > 1 and X.shape[1] > 0:
            model = LogisticRegression(C=1 / (alpha * len(y)), tol=1e-5, max_iter=1000).fit(X, y)
            two = len(present) == 2
            b[present] = np.vstack([-model.coef_, model.coef_]) / 2 if two else model.coef_
            c[present] = np.concatenate([-model.intercept_, model.intercept_]) / 2 if two else model.intercept_
        return b, c


def _newton(X: Floats, y: Floats, alpha: float) -> tuple[Floats, Floats]:
    a = np.column_stack([X, np.ones(len(X))])
    ridge = np.append(np.full(X.shape[1], alpha), 1e-10)
    b = np.zeros(a.shape[1])

    def loss(b: Floats) -> float:
        z = a @ b
        return float((np.logaddexp(0.0, z) - y * z).mean() + (ridge * b * b).sum() / 2)

    now = loss(b)
    for _ in range(_NEWTON):
        p = 1 / (1 + np.exp(-np.clip(a @ b, -500, 500)))
        slope = a.T @ (p - y) / len(a) + ridge * b
        step = np.linalg.solve((a * (p * (1 - p) + 1e-10)[:, np.newaxis]).T @ a / len(a) + np.diag(ridge), slope)
        length = 1.0
        while (new := loss(b - length * step)) > now and length > 1e-4:
            length /= 2
        b = b - length * step
        if now - new <= 1e-9:
            break
        now = new
    return b[np.newaxis, :-1], b[-1:]


def probabilities(z: Floats) -> Floats:
    """Of the classes, by their scores; two classes have one score."""
    scores = np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


class _Sparse(BaseEstimator):  # type: ignore[misc]
    """What both estimators do."""

    def __init__(self, *, max_features: float | None = None, penalty: float | None = None, alphas: Sequence[float] = _ALPHAS, cv: Any = None,
                 evaluations: int | None = None, random_state: Any = 1) -> None:
        self.max_features = max_features
        self.penalty = penalty
        self.alphas = alphas
        self.cv = cv
        self.evaluations = evaluations
        self.random_state = random_state

    def _choose(self, problem: _Squares | _Logistic) -> None:
        rows, columns = problem.X.shape
        most = most_of(self.max_features, columns)
        evaluations = 200 + 4 * columns if self.evaluations is None else _arrays.count(self.evaluations, "evaluations", 1)
        if self.penalty is not None and not self.penalty >= 0:
            raise ValueError(f"penalty: must be 0 or more, not {self.penalty!r}")
        if not len(self.alphas) or not all(math.isfinite(alpha) and alpha > 0 for alpha in self.alphas):
            raise ValueError(f"alphas: must be numbers above 0, not {self.alphas!r}")
        path = _path(problem, most, evaluations)
        most = _honest_count(problem, len(path))
        path = path[:most]
        tried = {alpha: [problem.losses(mask, alpha).mean() for mask in path] for alpha in self.alphas}
        self.alpha_ = float(min(tried, key=lambda alpha: min(tried[alpha])))
        losses: dict[bytes, Floats] = {}

        def values(masks: list[Mask]) -> list[float]:
            losses.update({mask.tobytes(): problem.losses(mask, self.alpha_) for mask in masks})
            return [-float(losses[mask.tobytes()].mean()) for mask in masks]

        subsets = Subsets(columns, values)
        subsets.values(path)
        start = path[int(np.argmin(tried[self.alpha_]))]
        own = losses[start.tobytes()]
        error = float(own.std(ddof=1)) / math.sqrt(len(own)) if len(own) > 1 else 0.0
        self.penalty_ = _PENALTY * error if self.penalty is None else float(self.penalty)
        subsets.search(start, penalty=self.penalty_, most=most, evaluations=evaluations, seed=_arrays.seed_of(self.random_state))
        chosen = subsets.best(self.penalty_, most)
        assert chosen is not None
        self.support_ = chosen
        self.n_features_ = int(chosen.sum())
        self.path_: list[dict[str, Any]] = []
        for mask, value in subsets.front(most):
            b, intercept = self._in_units(problem, mask)
            self.path_.append({"n_features": int(mask.sum()), "support": mask, "loss": -value, "coef": b, "intercept": intercept})
        self.coef_, self.intercept_ = self._in_units(problem, chosen)

    def _in_units(self, problem: _Squares | _Logistic, mask: Mask) -> tuple[Any, Any]:
        """Coefficients and intercept for the columns as they were given."""
        b, intercept = problem.fit(mask, self.alpha_)
        b = b / problem.rows.scale
        return self._shaped(b, intercept - b @ problem.rows.mean)

    def _shaped(self, b: Floats, intercept: Floats) -> tuple[Any, Any]:
        return b, intercept

    def _splits(self, X: Floats, y: Any, repeated: Any, classifier: bool) -> list[Any]:
        if self.cv is not None:
            return list(check_cv(self.cv, y, classifier=classifier).split(X, y))
        least = min(np.bincount(y)) if classifier else len(X)
        if least < 2:
            raise ValueError(f"cross-validation needs two rows at least{' of each class' if classifier else ''}; n_samples={len(X)}")
        return list(repeated(n_splits=int(min(5, least)), n_repeats=_REPEATS, random_state=_arrays.seed_of(self.random_state) % 2**32).split(X, y))


def _path(problem: _Squares | _Logistic, most: int, evaluations: int) -> list[Mask]:
    """One column after the other, until ten have not helped on held-out rows."""
    mask = np.zeros(problem.X.shape[1], bool)
    b, intercept = problem.fit(mask, _SCREENING)
    path: list[Mask] = []
    best, since = math.inf, 0
    while len(path) < min(most, max(1, evaluations // 2)) and since < _PATIENCE:
        mask = mask.copy()
        mask[int(np.argmax(np.where(mask, -1.0, problem.gradient(b, intercept))))] = True
        path.append(mask)
        b, intercept = problem.fit(mask, _SCREENING)
        loss = float(problem.losses(mask, _SCREENING).mean())
        best, since = (loss, 0) if loss < best else (best, since + 1)
    return path


def _honest_count(problem: _Squares | _Logistic, most: int) -> int:
    """How many columns are best where each split makes a path by its own training rows. The search looks at the held-out rows many
    times; without this limit it would find chance in them where columns are many."""
    losses = np.empty((len(problem.splits), most))
    for i, (train, _) in enumerate(problem.splits):
        own = type(problem)(problem.given[train], problem.y[train], [])
        mask = np.zeros(problem.X.shape[1], bool)
        for k in range(most):
            b, intercept = own.fit(mask, _SCREENING)
            mask[int(np.argmax(np.where(mask, -1.0, own.gradient(b, intercept))))] = True
            losses[i, k] = problem.losses(mask, _SCREENING, slice(i, i + 1))[0]
    return 1 + int(losses.mean(axis=0).argmin())


class SparseRegressor(RegressorMixin, _Sparse):  # type: ignore[misc]
    """Linear regression with few columns: which ones, how many and how much ridge are chosen by cross-validation.

    PARAMETERS
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = SparseRegressor().fit(X, y)
    >>> model.feature_names_in_[model.support_].tolist()
    ['sex', 'bmi', 'bp', 's1', 's4', 's5']
    """

    def fit(self, X: Any, y: Any) -> SparseRegressor:
        """Choose columns and fit their coefficients."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, float)
        self._choose(_Squares(X, y, self._splits(X, y, RepeatedKFold, False)))
        return self

    def predict(self, X: Any) -> Floats:
        """The response."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def _shaped(self, b: Floats, intercept: Floats) -> tuple[Any, Any]:
        return b[0], float(intercept[0])


class SparseClassifier(ClassifierMixin, _Sparse):  # type: ignore[misc]
    """Logistic regression with few columns, for two classes or more: which columns, how many and how much ridge are chosen by
    cross-validation.

    PARAMETERS
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = SparseClassifier().fit(X, y)
    >>> model.feature_names_in_[model.support_].tolist()
    ['sepal length (cm)', 'sepal width (cm)', 'petal length (cm)', 'petal width (cm)']
    """

    def fit(self, X: Any, y: Any) -> SparseClassifier:
        """Choose columns and fit their coefficients."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("SparseClassifier: y has one class; it needs samples of two at least")
        self._choose(_Logistic(X, numbers, self._splits(X, numbers, RepeatedStratifiedKFold, True)))
        return self

    def decision_function(self, X: Any) -> Floats:
        """The scores of the classes; of two classes, the one of the second."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        z = X @ self.coef_.T + self.intercept_
        return np.asarray(z[:, 0] if z.shape[1] == 1 else z)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, in the order of ``classes_``."""
        z = self.decision_function(X)
        return probabilities(z.reshape(len(z), -1))

    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms."""
        return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> Any:
        """The most likely class."""
        z = self.decision_function(X)
        return self.classes_[(z > 0).astype(int) if z.ndim == 1 else z.argmax(axis=1)]


_PARAMETERS = """Parameters
    ----------
    max_features : int, float or None
        At most so many columns, or this share of all.
    penalty : float or None
        What a column must improve the loss by to be chosen. None: a fifth of the standard error of the loss, over the splits.
    alphas : sequence of float
        The ridge is one of them. It is added to the diagonal of the standardised columns' correlations, or of their information.
    cv : int, splitter, iterable of splits or None
        None: five folds, shuffled, twice.
    evaluations : int or None
        At most so many subsets are tried. None: 200 and 4 for each column.
    random_state : int, RandomState or None
        The seed of splits and search; None: another one each time.

    Attributes
    ----------
    coef_, intercept_ : in the units of the data; coefficients of other columns are exactly 0
    support_ : (d,) whether a column is chosen
    n_features_ : number of chosen columns
    path_ : list of dicts, the best subset for each number of columns, where more columns are better: ``n_features``, ``support``,
        ``loss`` on held-out rows (the share of the variance that is not explained, or the log loss), ``coef``, ``intercept``
    alpha_, penalty_ : what was used
    n_features_in_, feature_names_in_ : of the columns that were given
"""

for _each in (SparseRegressor, SparseClassifier):
    _each.__doc__ = (_each.__doc__ or "").replace("PARAMETERS\n", _PARAMETERS)
