"""The distribution by itself: the multivariate zero-inflated Gaussian, in scikit-learn's manner."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _core, _density
from ._arrays import Floats

_OPTIONS = ("structure", "rank", "inverter", "shrinkage", "projection", "sigma_floor")
_PARAMETERS = (*_OPTIONS, "random_state")


class ZeroInflatedGaussian:
    """A distribution over points that are mostly exact zeros.

    Each coordinate is exactly zero or normally distributed; which coordinates are active and what values they take
    depend on each other through one latent Gaussian with a value V and a mask M for each coordinate.

    Parameters
    ----------
    structure : {"full", "diagonal", "low-rank"}
        What the latent correlations may be: any, none, or those of a few common factors. The latter two take thousands of
        coordinates and need no matrix; of the parameters below they use shrinkage and sigma_floor.
    rank : int
        The greatest number of factors, for "low-rank".
    inverter : {"exact", "amortised"}
        From observed to latent correlations: in closed form, or by the publication's networks.
    shrinkage : {"none", "entrywise", "bayes", "fisher", "all"}
        How latent correlations are shrunk towards 0, for samples that are small for the number of coordinates.
    projection : {"clip", "repair", "nearest", "weighted"}
        To a correlation matrix; "weighted" is the most accurate and the slowest.
    sigma_floor : float
        No fitted deviation is below it.
    random_state : int, generator of NumPy or None
        Where `sample` without a seed gets its randomness: from a whole number the same points each time, from a generator the
        next ones, and without either new ones each time.

    Attributes
    ----------
    p_ : (d,) probability that a coordinate is active
    mean_, std_ : (d,) of its value where it is active
    threshold_ : (d,) a coordinate is active where its mask latent is at least this
    corr_ : (2d, 2d) latent correlations, in the order V_1 .. V_d, M_1 .. M_d; of a structure other than "full" it is
        made when it is asked for, from loadings_: not for many thousand coordinates
    loadings_ : (k, 2d) what each factor adds to each latent, or None if there is no factor; corr_ is loadings_.T @
        loadings_ with ones on its diagonal
    observed_ : (2d, 2d) correlations of values and masks in the data, or None if the distribution was not fitted, or not "full"
    report_ : dict of how it was fitted, or None
    n_features_in_ : d
    feature_names_in_ : (d,) names of the columns, of a DataFrame or of the file, or None

    >>> import numpy as np, zilch
    >>> X = np.array([[5.2, 10.9, 0], [0, 0, -1.4], [4.8, 9.7, -1.1], [0, 3.1, 0], [5.5, 11.2, 0]])
    >>> model = zilch.ZeroInflatedGaussian().fit(X)
    >>> model.p_
    array([0.6, 0.8, 0.4])
    >>> model.sample(1000, seed=1).shape
    (1000, 3)
    """

    def __init__(self, *, structure: str = "full", rank: int = 10, inverter: str = "exact", shrinkage: str = "none", projection: str = "repair",
                 sigma_floor: float = 0.0, random_state: Any = None) -> None:
        self.structure = structure
        self.rank = rank
        self.inverter = inverter
        self.shrinkage = shrinkage
        self.projection = projection
        self.sigma_floor = sigma_floor
        self.random_state = random_state

    # ---- Fitting and sampling

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> ZeroInflatedGaussian:
        """Fit to the rows of X, all alike or by their weights. An exact 0 means absent; y is not used. Names of columns are kept."""
        x = _arrays.table(X, self, least=2)
        weights = None if sample_weight is None else _weights(sample_weight, len(x))
        model = _core.model_fit(x.shape[0], x.shape[1], x, weights, {name: getattr(self, name) for name in _OPTIONS})
        if _arrays.has_names(X):
            _core.model_set_names(model, _arrays.columns(X))
        self._adopt(model)
        return self

    def sample(self, n: int = 1, seed: int | None = None) -> Floats:
        """n points. With a seed the same ones each time, also those of `zilch sample`; without one, as `random_state` says."""
        model = self._handle()
        x = np.empty((_arrays.count(n, "n"), self.n_features_in_))
        _core.model_sample(model, _arrays.seed_of(self.random_state) if seed is None else _arrays.seed(seed), len(x), x)
        return x

    def score_samples(self, X: ArrayLike) -> Floats:
        """Logarithm of the density of each row: that of its active values, times the probability that exactly these are active.

        The probability of a pattern of d coordinates has no closed form unless latents are independent. It is then estimated to
        about three digits, and the same rows always give the same numbers. This needs SciPy.

        >>> model = ZeroInflatedGaussian.from_parameters(p=[0.3, 0.6], mean=[2, -1], std=[1, 0.5])
        >>> model.score_samples([[0, 0]]).round(3), np.log(0.7 * 0.4).round(3)  # neither is active
        (array([-1.273]), np.float64(-1.273))
        """
        self._handle()
        x = _arrays.table(X, self, self.n_features_in_, self.feature_names_in_)
        return _density.log_density(x, self.p_, self.mean_, self.std_, self.threshold_, self.corr_)

    def score(self, X: ArrayLike, y: object = None) -> float:
        """The mean of `score_samples`."""
        return float(self.score_samples(X).mean())

    @classmethod
    def from_parameters(cls, p: ArrayLike, mean: ArrayLike, std: ArrayLike, corr: ArrayLike | None = None,
                        loadings: ArrayLike | None = None) -> ZeroInflatedGaussian:
        """A distribution that is known: without correlations, with (2d, 2d) latent ones, or with those of k factors, (k, 2d).

        >>> model = ZeroInflatedGaussian.from_parameters(p=[0.3, 0.6], mean=[2, -1], std=[1, 0.5])
        >>> float((model.sample(100_000) != 0).mean().round(2))
        0.45
        """
        first = _arrays.floats(p, "p", None)
        d = len(first)
        if loadings is not None:
            if corr is not None:
                raise ValueError("give corr or loadings, not both")
            factors = _arrays.floats(loadings, "loadings", None, 2 * d)
            model = cls(structure="low-rank" if len(factors) else "diagonal")
            model._adopt(_core.model_create(d, len(factors), first, _arrays.floats(mean, "mean", d),
                                          _arrays.floats(std, "std", d), factors))
            return model
        matrix = None if corr is None else _arrays.floats(corr, "corr", 2 * d, 2 * d)
        model = cls()
        model._adopt(_core.model_create(d, -1, first, _arrays.floats(mean, "mean", d), _arrays.floats(std, "std", d), matrix))
        return model

    # ---- Files and bytes: those of the command and the library

    def save(self, path: str | os.PathLike[str]) -> None:
        """Into a file that `zilch show` and `zilch sample` read too; whole or not at all."""
        _core.model_save(self._handle(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ZeroInflatedGaussian:
        """Read a file that `save` or the command wrote."""
        model = cls()
        model._adopt(_core.model_load(path))
        if model.report_:
            model.set_params(**{name: model.report_[name] for name in ("structure", "inverter", "shrinkage", "projection")})
        return model

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if not name.endswith("_") and name != "_corr"}
        if "_model" in state:
            state["_model"] = _core.model_pack(state["_model"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.pop("_model", None)
        vars(self).update(state)
        if model is not None:
            self._adopt(_core.model_unpack(model))

    # ---- scikit-learn's conventions

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **params: Any) -> ZeroInflatedGaussian:
        for name, value in params.items():
            if name not in _PARAMETERS:
                raise ValueError(f"there is no parameter {name!r}; there are {', '.join(_PARAMETERS)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags
        return Tags(estimator_type="density_estimator", target_tags=TargetTags(required=False), input_tags=InputTags(),
                    non_deterministic=False)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __repr__(self) -> str:
        defaults = ZeroInflatedGaussian().get_params()
        changed = (f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name])
        return f"ZeroInflatedGaussian({', '.join(changed)})"

    # ---- The handle

    def _adopt(self, model: _core.Model) -> None:
        d = _core.model_dim(model)
        self._model = model
        self.n_features_in_ = d
        names = _core.model_names(model)
        self.feature_names_in_ = None if names is None else np.array(names, dtype=object)
        self.p_ = _part(model, "p", d)
        self.mean_ = _part(model, "mu", d)
        self.std_ = _part(model, "sigma", d)
        self.threshold_ = _part(model, "tau", d)
        structure, rank = _core.model_structure(model)
        self.loadings_ = _part(model, "loadings", rank, 2 * d) if rank else None
        self._corr = _part(model, "correlation", 2 * d, 2 * d) if structure == "full" else None
        self.observed_ = None
        self.report_ = _report(model)
        if self.report_ and structure == "full":
            self.observed_ = _part(model, "observed", 2 * d, 2 * d)

    @property
    def corr_(self) -> Floats:
        if not hasattr(self, "_model"):
            raise AttributeError(_UNFITTED)
        if self._corr is not None:
            return self._corr
        matrix = np.eye(2 * self.n_features_in_)
        if self.loadings_ is not None:
            matrix = self.loadings_.T @ self.loadings_
            np.fill_diagonal(matrix, 1.0)
        return matrix

    def _handle(self) -> _core.Model:
        if not hasattr(self, "_model"):
            raise _not_fitted()
        return self._model


_UNFITTED = "this ZeroInflatedGaussian is not fitted yet: call fit first"


def _not_fitted() -> RuntimeError:
    """scikit-learn's own, too, where it is in use."""
    own: Any = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    kind: Any = RuntimeError if own is None else type(own.__name__, (own, RuntimeError), {})
    wrong: RuntimeError = kind(_UNFITTED)
    return wrong


def _weights(values: ArrayLike, rows: int) -> Floats:
    given = _arrays.real(values, "sample_weight")
    weights = _arrays.floats(np.full(rows, given) if given.ndim == 0 else given, "sample_weight", rows)
    if not weights.any():
        raise ValueError("sample_weight: all weights are zero; at least two rows must have a positive weight")
    return weights


def _part(model: _core.Model, name: str, *shape: int) -> Floats:
    out = np.empty(shape)
    _core.model_read(model, name, out)
    return out


def _report(model: _core.Model) -> dict[str, Any] | None:
    try:
        return _core.model_report(model)
    except RuntimeError:  # not fitted
        return None
