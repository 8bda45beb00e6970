"""The search, one generation at a time: ask for points, tell their values."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core, _limits, _options
from ._arrays import Floats, Ids
from ._model import ZeroInflatedGaussian

if TYPE_CHECKING:
    from typing import Unpack

    from ._option_types import OptimizerOptions

Repair = Callable[[Floats], Any]
"""Takes a point and returns an allowed one, or changes it and returns None."""


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the archive. `value` is as the objective gave it, `fitness` with the penalty of its active coordinates."""

    x: Floats
    value: float
    fitness: float
    active: int
    evaluations: int
    failures: int
    point: int
    violation: float = 0.0
    """By how much it breaks limits that only its evaluation knows; 0: it is feasible."""
    error: float = math.nan
    """Standard error of the value, by the noise that the search has measured; NaN if it has measured none."""


@dataclass(frozen=True)
class Progress:
    """How far a search has come; NaN and 0 where there is nothing yet."""

    generations: int
    evaluations: int
    failures: int
    foreign: int
    points: int
    improved: int
    restarts: int
    waiting: int
    noise: float
    scale: float
    best_value: float
    best_fitness: float
    best_active: int
    best_violation: float


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The best supported point: `mean` and `deviation` are those of its fresh evaluations alone. If it has none, because there is
    no noise or the budget was too small, `mean` is its value on record."""

    x: Floats
    mean: float
    deviation: float
    fitness: float
    active: int
    pruned: int
    evaluations: int
    failures: int
    spent: int
    point: int
    violation: float = 0.0
    """The mean, as that of the value; 0: the point is feasible."""

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN if it is not known."""
        return float(self.deviation / self.evaluations**0.5) if self.evaluations else float(self.deviation)


@_options.documented("option")
class Optimizer:
    """Sparse black-box search by ask and tell.

    Parameters
    ----------
    dim : int
        Number of coordinates.
    seed : int
        The same seed and the same values give the same points, also from C and the command.
    default : number, or a sequence of dim
        What a coordinate is where it is not active, in place of 0, as a setting that runs at its factory value. Active then means
        different from the default, and wherever zero is said of a coordinate here, its default is meant.
    bounds : (low, high), or a sequence of dim such pairs
        Bounds of a coordinate's value where it is active; None in a pair is no bound. Zero is always allowed.
    x0 : number, or an array of dim
        A first guess of the values: the first points are spread around it. Without it, around the centre of the bounds, or the
        default.
    scale : number, or an array of dim
        The size of a sensible change of a value, in your units. Without it, 0.3 of the width of the bounds, or `initial_sigma`.
    step : number, or a sequence of dim
        Values are multiples of it: 1 for whole numbers, 0.05, ...; 0 where a coordinate has none.
    values : dict of sequences by coordinate, or a sequence of dim of them
        The values that a coordinate may have where it is active; None or an empty one: any. Zero is always allowed.
    groups : sequence of lists of coordinates
        The coordinates of a group are active together or not at all.
    forced_on, forced_off : lists of coordinates
        Coordinates that are always active, or never.
    limits : text, scipy.optimize.LinearConstraint, or a sequence of these
        Linear limits that every point keeps, such as "sum = 1" or "0.2 <= x1 + 0.5 * x3 <= 0.4"; a text may have several,
        one in each line. Coordinates are called by their `names`, or else x1, x2 and so on. Not together with `step` or `values` yet.
    names : sequence of dim texts
        Names of the coordinates, for the texts of `limits`.
    repair : function
        A rule of your own: it takes a point, an array of dim, and returns an allowed one, or changes the array and returns
        None. It is called for every point that the search makes. What it leaves must keep the bounds and all other limits.

    The options, of which each may be None for its default. The defaults shown are those of the method "default". An array for
    `penalty` gives each coordinate one of its own; the penalty of a group is the sum of its members' penalties.

    OPTIONS

    >>> import zilch
    >>> search = zilch.Optimizer(20, penalty=0.01)
    >>> while search.progress.evaluations < 1000:
    ...     ids, X = search.ask()
    ...     search.tell(ids, (X[:, 3] - 1.5)**2 + (X[:, 11] + 0.5)**2)
    >>> search.best.active, search.best.x[[3, 11]].round(3)
    (2, array([ 1.5, -0.5]))
    """

    def __init__(self, dim: int, *, seed: int = 1, default: ArrayLike | None = None, bounds: Any = None, x0: ArrayLike | None = None,
                 scale: ArrayLike | None = None, step: ArrayLike | None = None, values: Any = None,
                 groups: Sequence[Sequence[int]] | None = None, forced_on: Iterable[int] = (), forced_off: Iterable[int] = (),
                 limits: Any = None, names: Iterable[str] | None = None, repair: Repair | None = None,
                 **options: Unpack[OptimizerOptions]) -> None:
        given: dict[str, Any] = {**options}
        penalties = own_penalties(given)
        texts, = _options.split(Optimizer.__init__, given, "option")
        dim = _arrays.count(dim, "dim", 1, 2**31)
        self._constraints = (*_bounds(bounds, dim), _groups(groups, dim), _forced(forced_on, forced_off, dim))
        self._units = _numbers(x0, "x0", dim), _numbers(scale, "scale", dim)
        self._allowed = _numbers(step, "step", dim), *_values(values, dim)
        self._default = _numbers(default, "default", dim)
        self._penalties = None if penalties is None else _arrays.floats(penalties, "penalty", dim)
        self._limits = _limits.rows(limits, dim, None if names is None else _arrays.names(names, dim))
        self._optimizer = _core.optimizer_create(dim, _arrays.seed(seed), texts, *self._constraints, *self._units, self._penalties,
                                                 *self._allowed, self._default, self._limits)
        self._set_repair(repair)

    def _set_repair(self, repair: Repair | None) -> None:
        if repair is not None and not callable(repair):
            raise TypeError(f"repair: must be callable, not {type(repair).__name__}")
        self._repair = repair
        if repair is not None:
            _core.set_repair(self._optimizer, _repairer(repair))

    # ---- Ask and tell

    def wanted(self) -> int:
        """How many more points the generation wants to have asked for before it can close."""
        return _core.wanted(self._optimizer)

    def ask(self, n: int | None = None) -> tuple[Ids, Floats]:
        """n points to evaluate: their ids, and a row for each. Without n, all that the generation still wants, or one more.

        A generation may have few points. If you can evaluate many at the same time, ask for so many.
        """
        size = self.wanted() or 1 if n is None else _arrays.count(n, "n", 0, 2**40)
        ids = np.empty(size, dtype=np.uint64)
        x = np.empty((size, self.dim))
        _core.ask(self._optimizer, ids, x)
        return ids, x

    def tell(self, ids: ArrayLike, values: ArrayLike, errors: ArrayLike | None = None,
             violations: ArrayLike | None = None) -> None:
        """Values of points that were asked for, in any order and any portions.

        NaN, or anything not finite, is a failed evaluation. `errors` are standard errors of the values, if known. `violations`
        are numbers, one for each point or a row of them, which are 0 or less where a limit is kept that only the evaluation
        knows. Points that keep all of them come before all others; then those whose violation, the sum of the numbers above 0,
        is least.
        """
        numbers = _arrays.ids(ids, "ids", None)
        error = None if errors is None else _arrays.floats(errors, "errors", len(numbers))
        violation = None if violations is None else _arrays.violations(violations, "violations", len(numbers))
        _core.tell(self._optimizer, numbers, _arrays.floats(values, "values", len(numbers)), error, violation)

    def tell_point(self, x: ArrayLike, value: float, violations: ArrayLike = ()) -> None:
        """A point that was not asked for, and its value: a warm start. `violations` is a number, or several, as in `tell`."""
        violation = _arrays.violations(np.reshape(_arrays.real(violations, "violations"), (1, -1)), "violations", 1)
        _core.tell_point(self._optimizer, _arrays.floats(x, "x", self.dim), value, float(violation[0]))

    def advance(self) -> None:
        """Close the generation with what is back."""
        _core.advance(self._optimizer)

    # ---- Looking

    @property
    def dim(self) -> int:
        return _core.optimizer_identity(self._optimizer)[0]

    @property
    def seed(self) -> int:
        return _core.optimizer_identity(self._optimizer)[1]

    @property
    def settings(self) -> dict[str, Any]:
        """Every option and its value."""
        return _options.values("option", _core.optimizer_settings(self._optimizer))

    @property
    def default(self) -> Floats:
        """What each coordinate is where it is not active."""
        found = _core.optimizer_default(self._optimizer)
        return np.zeros(self.dim) if found is None else np.frombuffer(found)

    @property
    def progress(self) -> Progress:
        return Progress(**_core.optimizer_progress(self._optimizer))

    @property
    def best(self) -> Point:
        """The feasible point with the best fitness of all that were told, or that of the least violation; with noise and the
        default method, two standard errors are taken off."""
        points = self.top(1)
        if not points:
            raise RuntimeError("best: nothing has been evaluated yet")
        return points[0]

    def top(self, n: int) -> list[Point]:
        """The best n points of all that were told, the best first."""
        return self._points(_core.top(self._optimizer, _arrays.count(n, "n")))[:n]

    @property
    def front(self) -> list[Point]:
        """The best value for each number of active coordinates, where more of them are better; of feasible points, if there
        are any. With noise and the default method, two standard errors are taken off."""
        return self._points(_core.front(self._optimizer))

    def recommend(self, f: Callable[[Floats], Any] | None = None, *, evaluations: int = 0, noisy: bool = True,
                  vectorized: bool = False) -> Recommendation:
        """The point to take, of all that were told.

        Without f it is `best`, and nothing is evaluated. With f, the best points are evaluated again, at most `evaluations` times
        in all (0: automatic), and coordinates that are not missed are left out, as at the end of ``zilch.minimize``. The search
        does not change. If f has no noise, say ``noisy=False``: then only the leaving out is tried.

        >>> import zilch
        >>> search = zilch.Optimizer(5, penalty=0.1)
        >>> ids, X = search.ask(20)
        >>> search.tell(ids[:7], ((X[:7] - [0, 2, 0, 0, 0])**2).sum(axis=1))  # the others are still out
        >>> search.recommend().mean == search.best.value
        True
        """
        if f is None:
            best = self.best
            return Recommendation(x=best.x, mean=best.value, deviation=self.progress.noise, fitness=best.fitness, active=best.active,
                                  pruned=0, evaluations=0, failures=0, spent=0, point=best.point, violation=best.violation)
        from ._evaluate import objective_of
        from ._journal import Journal
        closed = copy.copy(self)
        closed.advance()
        x = np.empty(self.dim)
        final = {"final_evaluations": str(_arrays.count(evaluations, "evaluations"))}
        return Recommendation(x=x, **_core.recommend(closed._optimizer, objective_of(f, self.dim, vectorized, None, noisy).core, {}, final,
                                                     noisy, x, 0, Journal(None, 0).core))

    @property
    def model(self) -> ZeroInflatedGaussian:
        """The distribution that is fitted to the best points on record, as for the next generation. It is one of offsets from
        the `default`."""
        model = ZeroInflatedGaussian()
        model._adopt(_core.optimizer_model(self._optimizer))
        return model

    def _points(self, records: list[dict[str, Any]]) -> list[Point]:
        points = []
        for record in records:
            x = np.empty(self.dim)
            points.append(Point(x=x, **_core.archive_read(self._optimizer, record["point"], x)))
        return points

    def _front_with(self, chosen: Recommendation | None) -> list[Point]:
        """The front after the final check, which may have made a point that no archive has."""
        if chosen is None:
            return self.front
        made = {each.name: getattr(chosen, each.name) for each in fields(chosen) if each.name != "x"}
        records, place = _core.front_with(self._optimizer, made)
        return [Point(x=chosen.x, **record) if at == place else self._points([record])[0] for at, record in enumerate(records)]

    # ---- Files and bytes

    def save(self, path: str | os.PathLike[str]) -> None:
        """The whole state, into a file; whole or not at all."""
        _core.optimizer_save(self._optimizer, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], repair: Repair | None = None) -> Optimizer:
        """It goes on as if it had not been interrupted, to the same bits. A search with a `repair` function needs it again."""
        return cls._wrap(_core.optimizer_load(path), repair)

    def __reduce__(self) -> tuple[Callable[..., Optimizer], tuple[Any, ...]]:
        return _unpack, (_core.optimizer_pack(self._optimizer), *([] if self._repair is None else [self._repair]))

    @classmethod
    def _wrap(cls, handle: _core.Optimizer, repair: Repair | None = None) -> Optimizer:
        self = cls.__new__(cls)
        self._optimizer = handle
        self._set_repair(repair)
        return self

    def __repr__(self) -> str:
        p = self.progress
        return f"<zilch.Optimizer: {self.dim} coordinates, generation {p.generations}, best fitness {p.best_fitness:g}>"


def _unpack(data: bytes, repair: Repair | None = None) -> Optimizer:
    return Optimizer._wrap(_core.optimizer_unpack(data), repair)


def _repairer(function: Repair) -> Callable[[bytearray], None]:
    """What the extension calls: the function on the bytes of a point."""
    def repair(point: bytearray) -> None:
        x = np.frombuffer(point)
        result = function(x)
        if result is not None:
            x[:] = _arrays.floats(result, "repair", len(x))
    return repair


# ---- What a point may be

def own_penalties(options: dict[str, Any]) -> Any:
    """Takes a `penalty` out of the options that is one for each coordinate; None if it is not."""
    return options.pop("penalty") if np.ndim(options.get("penalty", 0.0)) > 0 else None


def _bounds(bounds: Any, dim: int) -> tuple[Floats | None, Floats | None]:
    if bounds is None:
        return None, None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # scipy.optimize.Bounds
        pairs = np.stack([np.broadcast_to(bounds.lb, dim), np.broadcast_to(bounds.ub, dim)], axis=1)
    else:
        pairs = _pairs(bounds)
        if len(pairs) not in (1, dim):
            raise ValueError(f"bounds: must be one pair or {dim} of them, not {len(pairs)}")
    pairs = np.broadcast_to(pairs, (dim, 2))
    return np.ascontiguousarray(pairs[:, 0], float), np.ascontiguousarray(pairs[:, 1], float)


def _numbers(values: ArrayLike | None, name: str, dim: int) -> Floats | None:
    """One number for each coordinate, or one for all."""
    if values is None:
        return None
    given = _arrays.real(values, name)
    return _arrays.floats(np.broadcast_to(given, dim) if given.ndim == 0 else given, name, dim)


def _values(values: Any, dim: int) -> tuple[Ids | None, Floats | None]:
    """How many values each coordinate may have, and all of them one after the other."""
    if values is None:
        return None, None
    if not isinstance(values, Mapping):
        if len(values) != dim:
            raise ValueError(f"values: must be a dict, or {dim} sequences, one for each coordinate, not {len(values)}")
        values = dict(enumerate(values))
    lists = {_arrays.count(i, "values", 0, dim - 1): _arrays.floats(() if own is None else own, "values", None)
             for i, own in values.items()}
    chosen = [lists.get(i, np.empty(0)) for i in range(dim)]
    return np.array([len(own) for own in chosen], np.uint64), np.concatenate(chosen)


def _pairs(bounds: Any) -> Floats:
    try:
        rows = [bounds] if len(bounds) == 2 and np.ndim(bounds[0]) == 0 else bounds
        return np.array([[-np.inf if low is None else low, np.inf if high is None else high] for low, high in rows], float)
    except (TypeError, ValueError) as error:
        raise type(error)(f"bounds: must be (low, high) or a sequence of such pairs: {error}") from None


def _groups(groups: Sequence[Sequence[int]] | None, dim: int) -> Ids | None:
    if groups is None:
        return None
    number = np.zeros(dim, dtype=np.uint64)
    for k, members in enumerate(groups, 1):
        chosen = _coordinates(members, dim, "groups")
        if number[chosen].any():
            raise ValueError("groups: a coordinate is in two of them")
        number[chosen] = k
    return number


def _forced(on: Iterable[int], off: Iterable[int], dim: int) -> NDArray[np.uint32] | None:
    forced = np.zeros(dim, dtype=np.uint32)
    forced[_coordinates(on, dim, "forced_on")] = 1
    chosen = _coordinates(off, dim, "forced_off")
    if forced[chosen].any():
        raise ValueError("forced_on, forced_off: a coordinate is in both")
    forced[chosen] = 2
    return forced if forced.any() else None


def _coordinates(members: Iterable[int], dim: int, name: str) -> list[int]:
    if not isinstance(members, Iterable):
        raise TypeError(f"{name}: must be coordinates, not {members!r}")
    return [_arrays.count(member, name, 0, dim - 1) for member in members]
