"""minimize and maximize: a search from beginning to end."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core
from ._arrays import Floats
from ._evaluate import Executor, Objective, drive, objective_of
from ._optimizer import Optimizer, Point, Recommendation
from ._problem import Problem
from ._study import Study

_HISTORY = [("generation", np.int64), ("evaluations", np.int64), ("best_value", np.float64),
            ("best_fitness", np.float64), ("best_active", np.int64), ("noise", np.float64)]


@dataclass(eq=False)
class Result:
    """What a search has found. `x` and `fun` are the recommended point and its mean value in fresh evaluations, or, if
    none were to be made, the best seen."""

    x: Floats
    fun: float
    nfev: int
    nit: int
    success: bool
    message: str
    active: int
    """Number of coordinates of x that are not zero."""
    recommended: Recommendation | None
    best: Point
    """The best seen: with noise, the luckiest."""
    front: list[Point]
    """The best value for each number of active coordinates."""
    history: NDArray[Any] = field(repr=False)
    """A row for each generation: generation, evaluations, best_value, best_fitness, best_active, noise."""
    optimizer: Optimizer = field(repr=False)

    def keys(self) -> list[str]:
        """With these, result["x"] and dict(result) are as in SciPy."""
        return [each.name for each in fields(self)]

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)


def minimize(f: Callable[[Floats], Any] | Problem, dim: int | ArrayLike | None = None, *, x0: ArrayLike | None = None,
             price: float | None = None, population: int = 500, elites: int = 0, generations: int = 100, seed: int = 1,
             bounds: Any = None, groups: Sequence[Sequence[int]] | None = None,
             callback: Callable[[Optimizer], object] | None = None, executor: Executor | None = None,
             vectorized: bool = False, study: str | os.PathLike[str] | None = None, evaluations: int = 0,
             target: float | None = None, stagnation: int = 0, recommend: int = 500, prune: bool = True,
             threads: int = 0, disp: bool = False, **options: Any) -> Result:
    """Minimise f over points that are mostly exact zeros.

    Parameters
    ----------
    f : callable, or a problem from ``zilch.problem``
        Takes a point, an array of dim, and gives its value; with `vectorized` it takes many, (n, dim), and gives n
        values. NaN is a failed evaluation; an exception ends the search and comes out of here.
    dim : int, or x0
        Number of coordinates; not needed with `x0` or a problem.
    x0 : array (dim,) or (n, dim)
        Points to begin with; may also be given in the place of `dim`. They are evaluated first.
    price : float
        Of each active coordinate, 0 unless a problem suggests another.
    population, elites : int
        Points a generation; how many of the best the law is fitted to (0: a fifth).
    generations, evaluations, target, stagnation
        When to stop, 0 or None for never: after so many generations or evaluations, at a value as good as `target`, or
        after so many generations without a new best. The points of `x0` do not count.
    seed : int
        The same seed gives the same points.
    bounds, groups
        As in ``zilch.Optimizer``.
    callback : callable
        Called with the optimizer after each generation; returning True or raising StopIteration ends the search.
    executor
        Anything with ``submit(f, x)`` whose futures have ``add_done_callback``: of concurrent.futures, Dask,
        mpi4py.futures ... Results may come in any order. With ``share=0.9`` a generation does not wait for the last tenth.
    vectorized : bool
        With an executor, each call gets a sixteenth of the population.
    study : path
        A file that keeps every generation. Called again after an interruption, with the same arguments, it goes on. A
        function is known by its module, name and line, not by the data that it refers to.
    recommend : int
        Evaluations to spend at the end on finding the best supported of the best points; 0 for none. With `prune`,
        coefficients that are not missed are left out.
    threads : int
        For a problem of the library's own; 0: one for each processor.
    disp : bool
        Say each generation on standard error.
    options
        All others of ``zilch.Optimizer``.

    >>> import zilch
    >>> result = zilch.minimize(lambda x: (x[3] - 1.5)**2 + (x[11] + 0.5)**2, 20, price=0.01,
    ...                         population=100, generations=40)
    >>> result.active, result.x[[3, 11]].round(3)
    (2, array([ 1.5, -0.5]))
    """
    _arrays.count(recommend, "recommend")
    _arrays.count(threads, "threads", 0, 4096)
    if not callable(f):
        raise TypeError(f"f: must be callable, not {type(f).__name__}")
    if dim is not None and x0 is None and np.ndim(dim) > 0:
        dim, x0 = None, dim
    direction = options.pop("direction", "minimize")
    first = None if x0 is None else np.atleast_2d(_arrays.real(x0, "x0"))
    dim, bounds, price = _of_problem(f, dim, first, bounds, price, direction)
    limits = {"generations": generations, "evaluations": evaluations, "stagnation": stagnation,
              "target": np.nan if target is None else target, "over_ask": options.pop("over_ask", 0.0)}
    optimizer = Optimizer(dim, seed=seed, bounds=bounds, groups=groups, direction=direction, price=price,
                          population=population, elites=elites, **options)
    objective = objective_of(f, optimizer.dim, vectorized, executor)
    with _Keeper(study, optimizer, f, first) as keeper:
        optimizer = keeper.optimizer
        watcher = _Watcher(keeper, callback, disp)
        if first is not None and optimizer.progress.evaluations == 0:
            _begin_at(optimizer, objective, first)
        stop = drive(optimizer, objective, limits, watcher, threads)
        chosen = _recommend(optimizer, objective, recommend, prune, threads)
        keeper.conclude(stop, chosen)
    return _result(optimizer, objective, stop, chosen, watcher.history)


def maximize(f: Callable[[Floats], Any] | Problem, dim: int | ArrayLike | None = None, **arguments: Any) -> Result:
    """The same, for the greatest value. Takes what ``zilch.minimize`` takes.

    >>> import zilch
    >>> zilch.maximize(lambda x: 3 - (x[1] - 2)**2, 5, price=0.1, population=50, generations=40).x.round(3)
    array([0., 2., 0., 0., 0.])
    """
    return minimize(f, dim, direction="maximize", **arguments)


# ---- Before and after

def _of_problem(f: Any, dim: Any, first: Floats | None, bounds: Any, price: float | None,
                direction: str) -> tuple[int, Any, float]:
    """What a problem, or the first points, say about themselves."""
    if isinstance(f, Problem):
        if f.direction != direction:
            raise ValueError(f"f: {f.name} is to be {f.direction}d")
        dim = f.dim if dim is None else dim
        if dim != f.dim:
            raise ValueError(f"dim: {f.name} has {f.dim} coordinates, not {dim}")
        bounds = f.bounds if bounds is None else bounds
        price = f.price if price is None else price
    if dim is None:
        if first is None:
            raise TypeError("dim: the number of coordinates must be given, or x0")
        dim = first.shape[1]
    return dim, bounds, 0.0 if price is None else price


def _begin_at(optimizer: Optimizer, objective: Objective, first: Floats) -> None:
    points = _arrays.floats(first, "x0", None, optimizer.dim)
    for x, value in zip(points, objective.first_values(points)):
        if np.isfinite(value):
            optimizer.tell_point(x, float(value))
        else:
            objective.failed += 1


def _recommend(optimizer: Optimizer, objective: Objective, evaluations: int, prune: bool,
               threads: int) -> Recommendation | None:
    if not evaluations or not optimizer.top(1):
        return None
    x = np.empty(optimizer.dim)
    shortlist = min(20, evaluations)
    found = _core.recommend(optimizer._optimizer, objective.core, {"evaluations": evaluations, "prune": prune,
                                                                    "shortlist": shortlist}, x, threads)
    return Recommendation(x=x, **found)


def _result(optimizer: Optimizer, objective: Objective, stop: str, chosen: Recommendation | None,
            history: list[tuple[Any, ...]]) -> Result:
    progress = optimizer.progress
    best = optimizer.best
    x = best.x if chosen is None else chosen.x
    return Result(x=x, fun=best.value if chosen is None else chosen.mean, nfev=progress.evaluations + objective.failed + (0 if chosen is None else chosen.spent),
                  nit=progress.generations, success=stop != "observer", message=f"stopped by: {stop}",
                  active=int(np.count_nonzero(x)), recommended=chosen, best=best, front=optimizer.front,
                  history=np.array(history, dtype=_HISTORY), optimizer=optimizer)


# ---- After each generation

class _Watcher:
    """Writes down how the search goes, for the study, the result, the terminal and the caller."""

    def __init__(self, keeper: _Keeper, callback: Callable[[Optimizer], object] | None, disp: bool) -> None:
        self.optimizer = keeper.optimizer
        self.keeper = keeper
        self.callback = callback
        self.disp = disp
        self.history: list[tuple[Any, ...]] = keeper.history()
        self.began = time.perf_counter()

    def __call__(self, evaluating: float) -> bool:
        p = self.optimizer.progress
        now = time.perf_counter()
        self.keeper.record(evaluating, max(now - self.began - evaluating, 0.0))
        self.began = now
        self.history.append((p.generations, p.evaluations, p.best_value, p.best_fitness, p.best_active, p.noise))
        if self.disp:
            print(f"generation {p.generations}: best value {p.best_value:g}, {p.best_active} active, "
                  f"{p.evaluations} evaluations", file=sys.stderr)
        try:
            return self.callback is not None and bool(self.callback(self.optimizer))
        except StopIteration:
            return True


class _Keeper:
    """The run in its study, if there is one; a run of the same search that has not ended is gone on with."""

    def __init__(self, path: str | os.PathLike[str] | None, optimizer: Optimizer, f: Any, first: Floats | None) -> None:
        self.optimizer = optimizer
        self.study = None if path is None else Study(path, "create")
        self.is_new = True
        self.run = 0
        if self.study is None:
            return
        made = hashlib.sha256(pickle.dumps((optimizer, _identity(f), first), protocol=4)).hexdigest()
        texts = {"name": "python", "problem": _name(f), "machine": platform.machine(),
                 "arguments": json.dumps({**optimizer.settings, "made": made}, sort_keys=True),
                 "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        for run in self.study.runs:
            same = all(run[key] == texts[key] for key in ("name", "problem", "arguments"))
            if same and run["stop"] == "not stopped":
                self.run, self.is_new = run["run"], False
                self.optimizer = self.study.resume(self.run)
                return
        self.run = _core.study_start(self.study._study, texts, optimizer._optimizer)

    def history(self) -> list[tuple[Any, ...]]:
        if self.study is None or self.is_new:
            return []
        return [tuple(row[name] for name, _ in _HISTORY) for row in self.study.generations(self.run)]

    def record(self, evaluating: float, searching: float) -> None:
        if self.study is not None:
            _core.study_record(self.study._study, self.run, self.optimizer._optimizer, evaluating, searching)

    def conclude(self, stop: str, chosen: Recommendation | None) -> None:
        if self.study is None:
            return
        conclusion: dict[str, Any] = {"stop": stop, "is_recommending": chosen is not None}
        if chosen is not None:
            names = ("point", "mean", "deviation", "fitness", "evaluations", "failures", "spent", "active", "pruned")
            conclusion |= {name: getattr(chosen, name) for name in names}
        _core.study_conclude(self.study._study, self.run, conclusion, None if chosen is None else chosen.x)

    def __enter__(self) -> _Keeper:
        return self

    def __exit__(self, *failure: object) -> None:
        if self.study is not None:
            self.study.close()


def _name(f: Any) -> str:
    return f.setting if isinstance(f, Problem) else f"python:{getattr(f, '__qualname__', type(f).__name__)}"


def _identity(f: Any) -> Any:
    """What tells objectives apart: of a function where it is written, not what it refers to."""
    if isinstance(f, Problem):
        return f
    written = getattr(f, "func", f)  # of a partial
    line = getattr(getattr(written, "__code__", None), "co_firstlineno", 0)
    return getattr(written, "__module__", ""), getattr(written, "__qualname__", ""), line
