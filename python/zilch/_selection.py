"""The selector of columns for scikit-learn: ``pip install scikit-learn``, and ``zilch.SparseSelector``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Floats
from ._subsets import Mask, Subsets, most_of

try:
    from scipy.sparse import issparse
    from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
    from sklearn.exceptions import FitFailedWarning
    from sklearn.feature_selection import SelectorMixin, f_classif, f_regression
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import check_cv
    from sklearn.pipeline import Pipeline
    from sklearn.utils import _safe_indexing, get_tags
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.parallel import Parallel, delayed
    from sklearn.utils.validation import _check_method_params, check_array, check_consistent_length, check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("zilch.SparseSelector: needs scikit-learn 1.6 or later; install it with: pip install scikit-learn") from error

_SHRINK = 0.7  # from one of the first subsets to the next: this share of the columns stays
_PENALTY = 0.05  # of the standard error of a score: what a column must improve it by, unless it is said


class SparseSelector(MetaEstimatorMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Chooses the columns with which an estimator has the best score in cross-validation, with few fits.

    The splits are fixed, so a subset of columns has one score. No subset is fitted twice. The search begins with a few subsets
    along the ranking of columns that the fitted estimator gives (its ``coef_`` or ``feature_importances_``), and then zilch
    switches columns on and off. The choice is made by smoothed scores, as the best of many scores is partly luck.

    Parameters
    ----------
    estimator : estimator
        The one to choose columns for; it is cloned. It may be a Pipeline.
    max_features : int, float or None
        At most so many columns, or this share of all.
    penalty : float or None
        What a column must improve the score by to be chosen. None: a twentieth of the standard error of the score, over the splits.
    cv : int, splitter or iterable of splits
    scoring : text, callable or None
        As in scikit-learn; greater is better. None: the estimator's own score.
    evaluations : int or None
        At most so many subsets are fitted, each once for every split. None: 60 and 2.5 for each column.
    n_jobs : int or None
        Fits at the same time. What is chosen does not depend on it.
    random_state : int, RandomState or None
        The seed of the search; None: another one each time.

    Attributes
    ----------
    support_ : (d,) whether a column is chosen
    n_features_ : number of chosen columns
    best_score_ : their mean score in cross-validation. The search has looked at many subsets, so it flatters
    penalty_ : the penalty that was used
    cv_results_ : dict of lists, an entry for each subset in the order of trying: ``support``, ``n_features``, ``split0_test_score``
        and so on, ``mean_test_score``, ``std_test_score``, ``rank_test_score``
    front_ : the same for the best subset of each number of columns, where more columns are better
    n_fits_ : number of model fits
    n_splits_ : number of splits
    n_features_in_, feature_names_in_ : of the columns that were given

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = SparseSelector(LinearRegression()).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['sex', 'bmi', 'bp', 's1', 's2', 's4', 's5']
    """

    def __init__(self, estimator: Any, *, max_features: float | None = None, penalty: float | None = None, cv: Any = 5, scoring: Any = None,
                 evaluations: int | None = None, n_jobs: int | None = None, random_state: Any = 1) -> None:
        self.estimator = estimator
        self.max_features = max_features
        self.penalty = penalty
        self.cv = cv
        self.scoring = scoring
        self.evaluations = evaluations
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **params: Any) -> SparseSelector:
        """Choose columns. ``groups`` goes to the splitter, other parameters, such as ``sample_weight``, to the estimator's fit; with
        metadata routing, each to where it was requested."""
        tags = self.__sklearn_tags__().input_tags
        if y is None and self.__sklearn_tags__().target_tags.required:
            raise ValueError("y: this estimator requires y to be passed, but the target y is None")
        if y is not None:
            y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        X = validate_data(self, X, accept_sparse="csc" if tags.sparse else False, ensure_all_finite=not tags.allow_nan)
        check_consistent_length(X, y)
        columns = X.shape[1]
        most = most_of(self.max_features, columns)
        evaluations = 60 + 5 * columns // 2 if self.evaluations is None else _arrays.count(self.evaluations, "evaluations", 1)
        if self.penalty is not None and not self.penalty >= 0:
            raise ValueError(f"penalty: must be 0 or more, not {self.penalty!r}")
        seed = _arrays.seed_of(self.random_state)
        with Parallel(n_jobs=self.n_jobs) as parallel:
            fits = _Fits(self, X, y, params, parallel)
            subsets = Subsets(columns, fits.scores)
            self._first(subsets, fits, X, y, evaluations)
            start = subsets.best(0.0, most)
            if start is None:
                start = np.arange(columns) < most
                subsets.values([start])
            self.penalty_ = _PENALTY * fits.error(start) if self.penalty is None else float(self.penalty)
            start = subsets.best(self.penalty_, most)
            if start is None:
                raise fits.failures[-1]
            subsets.search(start, penalty=self.penalty_, most=most, evaluations=evaluations, seed=seed)
        if fits.failures:
            warnings.warn(f"SparseSelector: {len(fits.failures)} fits have failed, and their subsets are not chosen. "
                          f"The last one: {fits.failures[-1]!r}", FitFailedWarning, stacklevel=2)
        self._conclude(subsets, fits, most)
        return self

    @staticmethod
    def _first(subsets: Subsets, fits: _Fits, X: Any, y: Any, evaluations: int) -> None:
        """All columns, and then the more important ones of those before, down to one."""
        mask = np.ones(subsets.columns, bool)
        while len(subsets) < evaluations:
            subsets.values([mask])
            importance = fits.importance(mask)
            if importance is None:
                importance = _dependence(X, y)
            if importance is None or mask.sum() == 1:
                return
            kept = max(1, int(_SHRINK * mask.sum()))
            mask = np.isin(np.arange(subsets.columns), np.argsort(np.where(mask, -importance, np.inf), kind="stable")[:kept])

    def _conclude(self, subsets: Subsets, fits: _Fits, most: int) -> None:
        tried = [mask for mask, _ in subsets.items()]
        scores = np.array([fits.results[mask.tobytes()].scores for mask in tried])
        means = scores.mean(axis=1)
        self.cv_results_: dict[str, list[Any]] = {
            "support": tried, "n_features": [int(mask.sum()) for mask in tried],
            **{f"split{i}_test_score": own.tolist() for i, own in enumerate(scores.T)},
            "mean_test_score": means.tolist(), "std_test_score": scores.std(axis=1).tolist(),
            "rank_test_score": [1 + int((means > mean).sum()) if math.isfinite(mean) else len(means) for mean in means]}
        row = {mask.tobytes(): i for i, mask in enumerate(tried)}
        rows = [row[mask.tobytes()] for mask, _ in subsets.front(most)]
        self.front_ = {name: [own[i] for i in rows] for name, own in self.cv_results_.items()}
        chosen = subsets.best(self.penalty_, most, smoothed=True)
        assert chosen is not None
        self.support_ = chosen
        self.n_features_ = int(chosen.sum())
        self.best_score_ = float(means[row[chosen.tobytes()]])
        self.n_splits_ = len(fits.splits)
        self.n_fits_ = len(tried) * self.n_splits_

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self)
        support: Mask = self.support_
        return support

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.input_tags.allow_nan = own.input_tags.allow_nan
        tags.input_tags.sparse = own.input_tags.sparse
        tags.target_tags.required = own.target_tags.required
        return tags

    def get_metadata_routing(self) -> Any:
        methods = MethodMapping
        return MetadataRouter(owner=self).add(
            estimator=self.estimator, method_mapping=methods().add(caller="fit", callee="fit")).add(
            splitter=check_cv(self.cv, classifier=is_classifier(self.estimator)),
            method_mapping=methods().add(caller="fit", callee="split")).add(
            scorer=check_scoring(self.estimator, self.scoring), method_mapping=methods().add(caller="fit", callee="score"))


@dataclass(frozen=True)
class _Result:
    scores: list[float]
    importance: Floats | None  # of the columns of the subset


class _Fits:
    """Cross-validation of subsets on the same splits."""

    def __init__(self, selector: SparseSelector, X: Any, y: Any, params: dict[str, Any], parallel: Any) -> None:
        self.estimator, self.X, self.y, self.parallel = selector.estimator, X, y, parallel
        routed = _routed(selector, params)
        self.fit_params, self.score_params = routed["estimator"]["fit"], routed["scorer"]["score"]
        cv = check_cv(selector.cv, y, classifier=is_classifier(self.estimator))
        self.splits = list(cv.split(X, y, **routed["splitter"]["split"]))
        self.scorer = check_scoring(self.estimator, selector.scoring)
        self.results: dict[bytes, _Result] = {}
        self.failures: list[Exception] = []

    def scores(self, masks: Sequence[Mask]) -> list[float]:
        """Their means."""
        done = self.parallel(delayed(_fit)(self.estimator, self.X[:, mask], self.y, split, self.scorer, self.fit_params, self.score_params)
                             for mask in masks for split in self.splits)
        self.failures += [failure for _, _, failure in done if failure is not None]
        size = len(self.splits)
        for i, mask in enumerate(masks):
            scores, importances, _ = zip(*done[i * size:(i + 1) * size])
            known = all(each is not None and len(each) == mask.sum() for each in importances)
            self.results[mask.tobytes()] = _Result(list(scores), np.mean(importances, axis=0) if known else None)
        return [float(np.mean(self.results[mask.tobytes()].scores)) for mask in masks]

    def error(self, mask: Mask) -> float:
        """Standard error of the mean."""
        scores = self.results[mask.tobytes()].scores
        found = float(np.std(scores, ddof=1) / math.sqrt(len(scores))) if len(scores) > 1 else 0.0
        return found if math.isfinite(found) else 0.0

    def importance(self, mask: Mask) -> Floats | None:
        """Of all columns, 0 outside of the subset."""
        own = self.results[mask.tobytes()].importance
        if own is None:
            return None
        found = np.zeros(len(mask))
        found[mask] = own
        return found


def _routed(selector: SparseSelector, params: dict[str, Any]) -> Any:
    if _routing_enabled():
        return process_routing(selector, "fit", **params)
    groups = {name: value for name, value in params.items() if name == "groups"}
    return {"estimator": {"fit": {name: value for name, value in params.items() if name != "groups"}},
            "splitter": {"split": groups}, "scorer": {"score": {}}}


def _fit(estimator: Any, X: Any, y: Any, split: tuple[Any, Any], scorer: Any, fit_params: dict[str, Any],
         score_params: dict[str, Any]) -> tuple[float, Floats | None, Exception | None]:
    """The score on one split, how important each column was, and what went wrong."""
    train, test = split
    model = clone(estimator)
    targets = [() if y is None else (_safe_indexing(y, rows),) for rows in split]
    try:
        model.fit(_safe_indexing(X, train), *targets[0], **_check_method_params(X, fit_params, indices=train))
        score = float(scorer(model, _safe_indexing(X, test), *targets[1], **_check_method_params(X, score_params, indices=test)))
        return score if math.isfinite(score) else math.nan, _importance(model, X), None
    except Exception as error:  # whatever an estimator may raise for some columns
        return math.nan, None, error


def _importance(model: Any, X: Any) -> Floats | None:
    """By the coefficients, on a common scale, or as the estimator itself says."""
    last = model[-1] if isinstance(model, Pipeline) else model
    coefficients = getattr(last, "coef_", None)
    if coefficients is None:
        found = getattr(last, "feature_importances_", None)
        return None if found is None else np.asarray(found, float)
    if issparse(coefficients) or issparse(X):
        return None
    scale = 1.0 if isinstance(model, Pipeline) else np.nanstd(np.asarray(X, float), axis=0)
    rows = np.abs(np.atleast_2d(coefficients))
    return np.asarray(rows.max(axis=0) * scale, float) if rows.shape[1] == X.shape[1] else None


def _dependence(X: Any, y: Any) -> Floats | None:
    """How much y depends on each column alone, for estimators that do not say."""
    if y is None or np.ndim(y) != 1:
        return None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # constant columns
            found = (f_regression if type_of_target(y) == "continuous" else f_classif)(X, y)[0]
    except ValueError:  # missing values
        return None
    return np.asarray(np.nan_to_num(found, nan=0.0, posinf=np.finfo(float).max), float)
