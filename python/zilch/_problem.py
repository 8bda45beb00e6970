"""The library's own problems as Python objectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _core
from ._arrays import Floats


@dataclass(frozen=True)
class HeldOut:
    """A point's mean value on noise that no search has met, its standard error, and of how many evaluations."""

    mean: float
    error: float
    count: int


class Problem:
    """An objective of the library: call it with a point (dim,) or with many (n, dim).

    A problem with noise gives a point another value each time it is called, and the same sequence of values for the same
    seed. Given to ``zilch.minimize`` or ``maximize``, it is evaluated on all processors without Python.
    """

    def __init__(self, handle: _core.Problem, recipe: tuple[Any, ...]) -> None:
        self._problem = handle
        self._recipe = recipe
        self._calls = 0
        self.names: tuple[str, ...] | None = None  # of the coordinates, if they have some
        self._info = _core.problem_describe(handle)

    @property
    def name(self) -> str:
        return str(self._info["name"])

    @property
    def setting(self) -> str:
        """What opens it again: its name and all its settings."""
        return str(self._info["setting"] or self._info["name"])

    @property
    def dim(self) -> int:
        return int(self._info["dim"])

    @property
    def direction(self) -> str:
        return str(self._info["direction"])

    @property
    def bounds(self) -> tuple[float, float] | None:
        low, high = self._info["lower"], self._info["upper"]
        return None if np.isinf(low) and np.isinf(high) else (low, high)

    @property
    def penalty(self) -> float:
        """A penalty for each active coordinate that suits the problem."""
        return float(self._info["penalty"])

    @property
    def is_noisy(self) -> bool:
        return bool(self._info["is_noisy"])

    def __call__(self, x: ArrayLike, ids: ArrayLike | None = None, *, generation: int = 0, threads: int = 0) -> Any:
        """Values of points; a float of one.

        Noise follows from the ids, which are counted unless they are given, or from the generation, where a problem's noise is
        common to one.
        """
        array = _arrays.real(x, "x")
        points = _arrays.floats(array.reshape(1, -1) if array.ndim == 1 else array, "x", None, self.dim)
        if ids is None:
            numbers = np.arange(self._calls, self._calls + len(points), dtype=np.uint64)
            self._calls += len(points)
        else:
            numbers = _arrays.ids(np.atleast_1d(np.asarray(ids)), "ids", len(points))
        values = np.empty(len(points))
        _core.problem_evaluate(self._problem, _arrays.seed(generation, "generation"), numbers, points, values,
                               _arrays.count(threads, "threads", 0, 4096))
        return float(values[0]) if array.ndim == 1 else values

    def support(self, x: ArrayLike) -> float:
        """Share of coordinates that are active or not as in the optimum, where it is known."""
        return _core.problem_support(self._problem, _arrays.floats(x, "x", self.dim))

    def held_out(self, x: ArrayLike, count: int = 1000, *, threads: int = 0) -> HeldOut:
        """Mean value of a point in `count` evaluations whose noise no search and no recommendation has met.

        The lander flies episodes of the seeds 0, 1, ..., which no search draws. A problem without noise has nothing to
        hold out: RuntimeError.
        """
        mean, error = _core.problem_held_out(self._problem, _arrays.floats(x, "x", self.dim),
                                             _arrays.count(count, "count", 1), _arrays.count(threads, "threads", 0, 4096))
        return HeldOut(mean, error, int(count))

    def __reduce__(self) -> tuple[Any, ...]:
        return _open, (type(self), self._recipe), {"names": self.names}

    def __repr__(self) -> str:
        return f"<zilch.Problem: {self.setting}, {self.dim} coordinates, {self.direction}>"


class Regression(Problem):
    """Sparse regression on data; ``explain`` says what a point means."""

    def explain(self, x: ArrayLike) -> dict[str, Any]:
        """Coefficients in the units of the data, the intercept, and errors and scores on both kinds of rows."""
        coefficients = np.empty(self.dim)
        fit = _core.problem_fit(self._problem, _arrays.floats(x, "x", self.dim), coefficients)
        return {"coefficients": coefficients, **fit}


def problem(name: str, *, seed: int = 1, **settings: Any) -> Problem:
    """A test problem, or the lander: ``problem("smop1", dim=100)``, ``problem("lander", episodes=8)``.

    >>> import zilch, numpy as np
    >>> sphere = zilch.problem("sphere", dim=20, active=2)
    >>> sphere(np.zeros(20)), sphere(np.ones((3, 20)))
    (2.0, array([18., 18., 18.]))
    """
    words = ",".join(f"{key}={_word(value)}" for key, value in settings.items())
    separator = "," if ":" in name else ":"
    return _open(Problem, (f"{name}{separator}{words}" if words else name, _arrays.seed(seed)))


def regression(X: ArrayLike, y: ArrayLike, *, kind: str = "linear", searched: str = "subset", validation: float = 0.3,
               seed: int = 1) -> Regression:
    """Choosing columns of X to predict y: a coordinate for each column, with its name if X is a DataFrame.

    kind "linear" has the mean squared error, "logistic", where y is 0 or 1, the mean log loss. With searched "subset" a
    point's zeros choose columns, their coefficients are fitted to the training rows, and the value is the error on the
    validation rows; with "coefficients" the coordinates are the coefficients of the standardised columns.
    """
    x = _arrays.floats(X, "X", None, None)
    options = {"kind": kind, "searched": searched, "validation": validation}
    made = _open(Regression, (*x.shape, x, _arrays.floats(y, "y", len(x)), options, _arrays.seed(seed)))
    made.names = _arrays.columns(X)
    return made


_P = TypeVar("_P", bound=Problem)


def _open(kind: type[_P], recipe: tuple[Any, ...]) -> _P:
    """Again from what it was first opened with, also in another process."""
    return kind((_core.problem_regression if kind is Regression else _core.problem_open)(*recipe), recipe)


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)
