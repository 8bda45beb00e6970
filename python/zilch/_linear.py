"""Sparse linear models for scikit-learn: ``pip install scikit-learn``, and ``zilch.SparseRegressor`` or ``SparseClassifier``.

An elastic net (Zou and Hastie, Journal of the Royal Statistical Society B 67, 2005) that is chosen by cross-validation says what there is
to predict; for more than two classes a ridge does so. zilch then looks for the few columns whose linear model is nearest to this
reference: the projection of Piironen, Paasiniemi and Vehtari (Electronic Journal of Statistics 14, 2020). What a subset is worth depends
on predictions, not on noisy responses, so a search among many subsets is not misled by chance, and the coefficients keep the reference's
shrinkage. Distances are to second order in the loss, which is exact in least squares.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._arrays import Floats
from ._subsets import Mask, Subsets, most_of

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, enet_path
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("zilch.SparseRegressor and zilch.SparseClassifier: need scikit-learn 1.6 or later; install it with: pip install scikit-learn") from error

_PENALTY = 0.2  # of what an unbiased estimate adds to the loss for each column by chance, unless it is said
_MIXES = (1.0, 0.5)  # the lasso's share in an elastic net
_STRENGTHS = np.logspace(0, -3, 100)  # as shares of the one from which on a lasso has no column
_RIDGES = np.logspace(4, -4, 10)
_PRECISION = 1e-6  # of coefficients
_NEWTON = 30
_TINY = 1e-9  # on the diagonal of matrices that may be singular


class _Rows:
    """Rows whose columns are standardised as some of them are."""

    def __init__(self, X: Floats) -> None:
        self.mean = X.mean(axis=0)
        deviation = X.std(axis=0)
        self.scale = np.where(deviation > 1e-12 * (np.abs(self.mean) + 1), deviation, np.inf)  # a constant column is 0

    def __call__(self, X: Floats) -> Floats:
        return np.asarray((X - self.mean) / self.scale)


class _Squares:
    """Least squares. The loss is the share of the variance that is not explained."""

    def __init__(self, y: Floats) -> None:
        self.variance = float(y.var()) or 1.0

    mixes: Sequence[float] = _MIXES

    def strengths(self, X: Floats, y: Floats) -> Floats:
        return _strengths(X, y)

    def path(self, X: Floats, y: Floats, mix: float, strengths: Floats) -> list[tuple[Floats, Floats]]:
        """Coefficients and intercept of the elastic net for each strength."""
        return [(b[np.newaxis], np.array([y.mean()])) for b in _net(X, y - y.mean(), mix, strengths)]

    def prediction(self, scores: Floats) -> Floats:
        return scores

    def weights(self, predicted: Floats) -> Floats:
        """What the second derivative of the loss is in each score, for each row."""
        return np.full_like(predicted, 2 / self.variance)

    def chance(self, y: Floats, predicted: Floats, columns: int) -> float:
        """What the loss loses for each column by the noise in its coefficient."""
        return float(((y - predicted[:, 0]) ** 2).sum() / max(len(y) - columns - 1, len(y) / 4) / len(y) / self.variance)

    def nearest(self, X: Floats, predicted: Floats) -> tuple[Floats, Floats]:
        """The model of these columns that predicts most nearly the same."""
        mean = predicted.mean(axis=0)
        b = np.linalg.solve(X.T @ X / len(X) + _TINY * np.eye(X.shape[1]), X.T @ (predicted - mean) / len(X))
        return b.T, mean - X.mean(axis=0) @ b

    def loss(self, scores: Floats, y: Floats) -> float:
        return float(((scores[:, 0] - y) ** 2).mean() / self.variance)


class _TwoClasses:
    """Logistic regression. The loss is the mean log loss."""

    mixes: Sequence[float] = _MIXES

    def strengths(self, X: Floats, y: NDArray[np.int64]) -> Floats:
        return _strengths(X, y)

    def path(self, X: Floats, y: NDArray[np.int64], mix: float, strengths: Floats) -> list[tuple[Floats, Floats]]:
        b, c, found = np.zeros(X.shape[1]), _logit(y.mean()), []
        for strength in strengths:
            b, c = _descend(X, y.astype(float), b, c, mix, strength)
            found.append((b[np.newaxis], np.array([c])))
        return found

    def prediction(self, scores: Floats) -> Floats:
        return probabilities(scores)[:, 1:]

    def weights(self, predicted: Floats) -> Floats:
        return predicted * (1 - predicted)

    def chance(self, y: NDArray[np.int64], predicted: Floats, columns: int) -> float:
        return 0.5 / len(y)

    def nearest(self, X: Floats, predicted: Floats) -> tuple[Floats, Floats]:
        b, c = _descend(X, predicted[:, 0], np.zeros(X.shape[1]), _logit(predicted.mean()), 1.0, 0.0)
        return b[np.newaxis], np.array([c])

    def loss(self, scores: Floats, y: NDArray[np.int64]) -> float:
        return _log_loss(scores, y)


class _ManyClasses:
    """Logistic regression with a score for each class; the reference is a ridge, as a lasso would choose other columns for each class."""

    mixes: Sequence[float] = (0.0,)

    def __init__(self, classes: int) -> None:
        self.scores = classes

    def strengths(self, X: Floats, y: NDArray[np.int64]) -> Floats:
        return _RIDGES

    def path(self, X: Floats, y: NDArray[np.int64], mix: float, strengths: Floats) -> list[tuple[Floats, Floats]]:
        return [self._fit(X, y, 1 / strength) for strength in strengths]

    def prediction(self, scores: Floats) -> Floats:
        return probabilities(scores)

    def weights(self, predicted: Floats) -> Floats:
        return predicted * (1 - predicted)

    def chance(self, y: NDArray[np.int64], predicted: Floats, columns: int) -> float:
        return 0.5 * (self.scores - 1) / len(y)

    def nearest(self, X: Floats, predicted: Floats) -> tuple[Floats, Floats]:
        rows, labels = np.repeat(X, self.scores, axis=0), np.tile(np.arange(self.scores), len(X))
        return self._fit(rows, labels, 1e4, predicted.ravel())

    def loss(self, scores: Floats, y: NDArray[np.int64]) -> float:
        return _log_loss(scores, y)

    def _fit(self, X: Floats, y: NDArray[np.int64], inverse: float, weights: Floats | None = None) -> tuple[Floats, Floats]:
        present = np.unique(y)
        b, c = np.zeros((self.scores, X.shape[1])), np.full(self.scores, -50.0)
        c[present] = np.log(np.bincount(y, weights)[present] / len(y))  # a split may miss a class
        if len(present) > 1 and X.shape[1] > 0:
            model = LogisticRegression(C=inverse, tol=1e-5, max_iter=1000).fit(X, y, weights)
            two = len(present) == 2
            b[present] = np.vstack([-model.coef_, model.coef_]) / 2 if two else model.coef_
            c[present] = np.concatenate([-model.intercept_, model.intercept_]) / 2 if two else model.intercept_
        return b, c


_Kind = _Squares | _TwoClasses | _ManyClasses


def _strengths(X: Floats, y: Any) -> Floats:
    return np.asarray(np.abs(X.T @ (y - y.mean())).max() / len(y) * _STRENGTHS + np.finfo(float).tiny)


def _net(X: Floats, y: Floats, mix: float, strengths: Floats, start: Floats | None = None) -> Floats:
    """Coefficients of elastic nets, one for each strength; X and y have the mean 0."""
    return np.asarray(enet_path(X, y, l1_ratio=mix, alphas=strengths, coef_init=start, max_iter=10_000, tol=_PRECISION)[1].T)


def _logit(p: float) -> float:
    return math.log(max(p, 1e-12) / max(1 - p, 1e-12))


def _descend(X: Floats, y: Floats, b: Floats, c: float, mix: float, strength: float) -> tuple[Floats, float]:
    """Newton's method for the log loss with an elastic net, from a start: each step is an elastic net of weighted rows. y is between 0 and 1."""
    def value(b: Floats, c: float) -> float:
        z = X @ b + c
        return float((np.logaddexp(0.0, z) - y * z).mean() + strength * (mix * np.abs(b).sum() + (1 - mix) / 2 * (b @ b)))

    now = value(b, c)
    for _ in range(_NEWTON):
        z = X @ b + c
        p = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
        w = np.maximum(p * (1 - p), 1e-5)
        wanted = z + (y - p) / w
        mean, middle, root = w @ X / w.sum(), w @ wanted / w.sum(), np.sqrt(w)
        rows, response = (X - mean) * root[:, np.newaxis], (wanted - middle) * root
        if strength > 0:
            step = _net(rows, response, mix, np.array([strength]), b)[0] - b
        else:
            step = np.linalg.solve(rows.T @ rows + _TINY * len(X) * np.eye(len(b)), rows.T @ response) - b
        shift, length = middle - mean @ (b + step) - c, 1.0
        while (new := value(b + length * step, c + length * shift)) > now and length > 1e-4:
            length /= 2
        if new > now:
            break
        b, c = b + length * step, c + length * shift
        if now - new <= 1e-8:
            break
        now = new
    return b, c


def probabilities(z: Floats) -> Floats:
    """Of the classes, by their scores; two classes have one score."""
    scores = np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _log_loss(scores: Floats, y: NDArray[np.int64]) -> float:
    return float(-np.log(np.maximum(probabilities(scores)[np.arange(len(y)), y], 1e-15)).mean())


class _Reference:
    """What is known of some rows, and what the reference predicts for them."""

    def __init__(self, kind: _Kind, rows: _Rows, X: Floats, b: Floats, c: Floats) -> None:
        self.kind, self.rows, self.X, self.b = kind, rows, X, b
        self.predicted = kind.prediction(X @ b.T + c)
        self.support: Mask = (b != 0).any(axis=0)

    def nearest(self, mask: Mask) -> tuple[Floats, Floats]:
        """Coefficients of standardised columns and the intercept of the nearest model."""
        b = np.zeros_like(self.b)
        b[:, mask], c = self.kind.nearest(self.X[:, mask], self.predicted)
        return b, c


class _Distance:
    """How much the loss of the nearest model with some columns is above that of the reference, if the reference is right."""

    def __init__(self, reference: _Reference) -> None:
        X, b = reference.X, reference.b
        weights = reference.kind.weights(reference.predicted).T + np.finfo(float).tiny
        self.matrix = np.empty((len(b), X.shape[1], X.shape[1]))
        for k, w in enumerate(weights):
            rows = (X - w @ X / w.sum()) * np.sqrt(w / len(X))[:, np.newaxis]
            self.matrix[k] = rows.T @ rows + _TINY * np.eye(X.shape[1])
        self.b, self.moment = b, np.einsum("kij,kj->ki", self.matrix, b)
        self.whole = float((self.moment * b).sum())

    def __call__(self, mask: Mask) -> float:
        s = np.flatnonzero(mask)
        moment = self.moment[:, s]
        own = np.linalg.solve(self.matrix[:, s[:, np.newaxis], s], moment[:, :, np.newaxis])[:, :, 0]
        return max(0.0, (self.whole - float((own * moment).sum())) / 2)

    def eliminated(self, mask: Mask) -> list[Mask]:
        """These columns, and then always without the one whose loss is smallest, down to one."""
        s = np.flatnonzero(mask)
        b, inverse = self.b[:, s], np.linalg.inv(self.matrix[:, s[:, np.newaxis], s])
        found = [mask]
        while len(s) > 1:
            j = int((b**2 / np.diagonal(inverse, axis1=1, axis2=2)).sum(axis=0).argmin())
            column = inverse[:, :, j] / inverse[:, j, j, np.newaxis]
            b = np.delete(b - column * b[:, j, np.newaxis], j, axis=1)
            inverse = np.delete(np.delete(inverse - column[:, :, np.newaxis] * inverse[:, np.newaxis, j], j, axis=1), j, axis=2)
            s = np.delete(s, j)
            found.append(np.isin(np.arange(len(mask)), s))
        return found


def _fitted(kind: _Kind, X: Floats, y: Any, splits: Sequence[Any]) -> tuple[_Reference, list[_Reference], tuple[float, float]]:
    """The reference of all rows and of the training rows of each split, with the mix and the strength that predict the other rows best."""
    rows = _Rows(X)
    strengths = kind.strengths(rows(X), y)
    losses, paths = np.zeros((len(kind.mixes), len(strengths))), []
    for train, test in splits:
        own = _Rows(X[train])
        paths.append((own, own(X[train]), [kind.path(own(X[train]), y[train], mix, strengths) for mix in kind.mixes]))
        losses += [[kind.loss(own(X[test]) @ b.T + c, y[test]) for b, c in path] for path in paths[-1][2]]
    i, j = divmod(int(losses.argmin()), len(strengths))
    b, c = kind.path(rows(X), y, kind.mixes[i], strengths[:j + 1])[-1]
    others = [_Reference(kind, own, data, *path[i][j]) for own, data, path in paths]
    return _Reference(kind, rows, rows(X), b, c), others, (kind.mixes[i], float(strengths[j]))


class _Sparse(BaseEstimator):  # type: ignore[misc]
    """What both estimators do."""

    def __init__(self, *, max_features: float | None = None, penalty: float | None = None, cv: Any = None, evaluations: int | None = None,
                 random_state: Any = 1) -> None:
        self.max_features = max_features
        self.penalty = penalty
        self.cv = cv
        self.evaluations = evaluations
        self.random_state = random_state

    def _choose(self, kind: _Kind, X: Floats, y: Any) -> None:
        columns = X.shape[1]
        most = most_of(self.max_features, columns)
        evaluations = 200 + 4 * columns if self.evaluations is None else _arrays.count(self.evaluations, "evaluations", 1)
        if self.penalty is not None and not self.penalty >= 0:
            raise ValueError(f"penalty: must be 0 or more, not {self.penalty!r}")
        seed = _arrays.seed_of(self.random_state)
        splits = self._splits(X, y, not isinstance(kind, _Squares))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            reference, others, (self.mix_, self.strength_) = _fitted(kind, X, y, splits)
            chance = kind.chance(y, reference.predicted, int(reference.support.sum()))
            self.penalty_ = _PENALTY * chance if self.penalty is None else float(self.penalty)
            subsets = _searched(reference, self.penalty_, most, evaluations, seed)
            chosen = subsets.best(self.penalty_, most)
            self.support_ = np.zeros(columns, bool) if chosen is None else chosen
            self.n_features_ = int(self.support_.sum())
            self.coef_, self.intercept_ = self._in_units(reference, self.support_)
            self.path_ = [self._entry(reference, others, splits, X, y, mask) for mask, _ in subsets.front(most)]

    def _entry(self, reference: _Reference, others: list[_Reference], splits: list[Any], X: Floats, y: Any, mask: Mask) -> dict[str, Any]:
        losses = []
        for other, (_, test) in zip(others, splits):
            b, c = other.nearest(mask)
            losses.append(reference.kind.loss(other.rows(X[test]) @ b.T + c, y[test]))
        b, intercept = self._in_units(reference, mask)
        return {"n_features": int(mask.sum()), "support": mask, "loss": float(np.mean(losses)), "coef": b, "intercept": intercept}

    def _in_units(self, reference: _Reference, mask: Mask) -> tuple[Any, Any]:
        """Coefficients and intercept for the columns as they were given."""
        b, intercept = reference.nearest(mask)
        b = b / reference.rows.scale
        return self._shaped(b, intercept - b @ reference.rows.mean)

    def _shaped(self, b: Floats, intercept: Floats) -> tuple[Any, Any]:
        return b, intercept

    def _splits(self, X: Floats, y: Any, is_classifier: bool) -> list[Any]:
        if self.cv is not None:
            return list(check_cv(self.cv, y, classifier=is_classifier).split(X, y))
        least = min(np.bincount(y)) if is_classifier else len(X)
        if least < 2:
            raise ValueError(f"cross-validation needs two rows at least{' of each class' if is_classifier else ''}; n_samples={len(X)}")
        return list((StratifiedKFold if is_classifier else KFold)(int(min(5, least))).split(X, y))


def _searched(reference: _Reference, penalty: float, most: int, evaluations: int, seed: int) -> Subsets:
    """Subsets and how near they come to the reference; none, if it has no columns."""
    distance = _Distance(reference)
    subsets = Subsets(len(reference.support), lambda masks: [-distance(mask) for mask in masks])
    if reference.support.any():
        path = [mask for mask in distance.eliminated(reference.support) if mask.sum() <= most]
        subsets.values(path[-evaluations:])
        start = subsets.best(penalty, most)
        assert start is not None
        subsets.search(start, penalty=penalty, most=most, evaluations=evaluations, seed=seed)
    return subsets


class SparseRegressor(RegressorMixin, _Sparse):  # type: ignore[misc]
    """Linear regression with few columns that predicts nearly what an elastic net chosen by cross-validation predicts.

    PARAMETERS
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = SparseRegressor().fit(X, y)
    >>> model.feature_names_in_[model.support_].tolist()
    ['sex', 'bmi', 'bp', 's1', 's2', 's4', 's5', 's6']
    """

    def fit(self, X: Any, y: Any) -> SparseRegressor:
        """Choose columns and fit their coefficients."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, float)
        self._choose(_Squares(y), X, y)
        return self

    def predict(self, X: Any) -> Floats:
        """The response."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def _shaped(self, b: Floats, intercept: Floats) -> tuple[Any, Any]:
        return b[0], float(intercept[0])


class SparseClassifier(ClassifierMixin, _Sparse):  # type: ignore[misc]
    """Logistic regression with few columns, for two classes or more, that predicts nearly what an elastic net chosen by
    cross-validation predicts; for more than two classes, a ridge.

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
        self._choose(_TwoClasses() if len(self.classes_) == 2 else _ManyClasses(len(self.classes_)), X, numbers)
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
        How much nearer to the reference, in its loss, a column must bring the model to be chosen. None: a fifth of what the noise in one
        more coefficient adds to the loss of an unbiased estimate on average.
    cv : int, splitter, iterable of splits or None
        Chooses the reference. None: five folds, as in scikit-learn.
    evaluations : int or None
        At most so many subsets are tried. None: 200 and 4 for each column.
    random_state : int, RandomState or None
        The seed of the search; None: another one each time.

    Attributes
    ----------
    coef_, intercept_ : in the units of the data; coefficients of other columns are exactly 0
    support_ : (d,) whether a column is chosen; none is, if the reference has none
    n_features_ : number of chosen columns
    path_ : list of dicts, the nearest subset for each number of columns, where more columns are nearer: ``n_features``, ``support``,
        ``loss`` on held-out rows (the share of the variance that is not explained, or the log loss), ``coef``, ``intercept``
    mix_, strength_ : of the reference: the share of the lasso, 1 or 0.5, and 0 for a ridge; and how strong it is, for standardised columns
    penalty_ : what was used
    n_features_in_, feature_names_in_ : of the columns that were given
"""

for _each in (SparseRegressor, SparseClassifier):
    _each.__doc__ = inspect.cleandoc(_each.__doc__ or "").replace("PARAMETERS", inspect.cleandoc(_PARAMETERS))
