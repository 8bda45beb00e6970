"""minimize and maximize: a search from beginning to end."""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core, _options
from ._arrays import Floats
from ._evaluate import Ending, Executor, Objective, drive, objective_of
from ._optimizer import Optimizer, Point, Recommendation, Repair
from ._problem import HeldOut, Problem
from ._study import Study

if TYPE_CHECKING:
    from typing import Unpack

    from ._option_types import SearchOptions

_BETWEEN = 1.0  # seconds between two lines about the search

_HISTORY = [("generation", np.int64), ("evaluations", np.int64), ("best_value", np.float64),
            ("best_fitness", np.float64), ("best_active", np.int64), ("noise", np.float64)]


@dataclass(eq=False)
class Result:
    """What a search has found. `x` and `fun` are the recommended point and its mean value in fresh evaluations, or, if
    none were to be made, the best seen."""

    x: Floats
    fun: float
    nfev: int
    """All evaluations: of x0, of the search and of the final check. Never more than `evaluations`, if you gave that."""
    nit: int
    success: bool
    message: str
    active: int
    """Number of coordinates of x that are not zero, or not at their default."""
    recommended: Recommendation | None
    best: Point
    """The best seen; with noise, two standard errors are taken off."""
    front: list[Point]
    """The best value for each number of active coordinates."""
    history: NDArray[Any] = field(repr=False)
    """A row for each generation: generation, evaluations, best_value, best_fitness, best_active, noise."""
    optimizer: Optimizer = field(repr=False)
    held_out: HeldOut | None = None
    """Mean value of x on noise that the search has not met, if `held_out` asked for it."""
    names: list[str] | None = None
    """Names of the coordinates, if they have some."""
    violation: float = 0.0
    """By how much x breaks limits that f told with ``zilch.Evaluation``; 0: it is feasible. If not, `success` is False."""

    def keys(self) -> list[str]:
        """With these, result["x"] and dict(result) are as in SciPy."""
        return [each.name for each in fields(self)]

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)


@_options.documented("option", "limit", "final")
def minimize(f: Callable[[Floats], Any] | Problem, dim: int | ArrayLike | None = None, *, x0: ArrayLike | None = None,
             scale: ArrayLike | None = None, seed: int = 1, default: ArrayLike | None = None, bounds: Any = None, step: ArrayLike | None = None,
             values: Any = None, penalties: ArrayLike | None = None,
             groups: Sequence[Sequence[int]] | None = None,
             forced_on: Iterable[int] = (), forced_off: Iterable[int] = (), limits: Any = None,
             names: Iterable[str] | None = None, repair: Repair | None = None,
             callback: Callable[[Optimizer], object] | None = None, executor: Executor | None = None, vectorized: bool = False,
             study: str | os.PathLike[str] | None = None, noisy: bool | None = None, final_evaluations: int | None = None,
             held_out: int = 0, threads: int = 0, disp: bool = False, **options: Unpack[SearchOptions]) -> Result:
    """Minimise f over points that are mostly exact zeros.

    Parameters
    ----------
    f : callable, or a problem from ``zilch.problem``
        Takes a point, an array of dim, and gives its value; with `vectorized` it takes many, (n, dim), and gives n
        values. NaN is a failed evaluation; an exception ends the search and comes out of here. If points must keep limits
        that only f knows, it returns ``zilch.Evaluation(value, violations)``.
    dim : int, or x0
        Number of coordinates; not needed with `x0` or a problem.
    x0 : number, array (dim,) or (n, dim)
        A first guess, around which the first points are spread: a number for all coordinates, or a point. Points are also
        evaluated first, and `evaluations` counts them; several points are evaluated only. They may be given in the place of
        `dim`.
    scale : number, or an array of dim
        As in ``zilch.Optimizer``: the size of a sensible change of a value, in your units.
    seed : int
        The same seed gives the same points.
    default, bounds, step, values, penalties, groups, forced_on, forced_off, limits
        As in ``zilch.Optimizer``.
    repair : function
        A rule of your own: it takes a point, an array of dim, and returns an allowed one, or changes the array and returns
        None. It is called for every point that the search makes. What it leaves must keep the bounds and all other limits.
    names : sequence of dim texts
        Names of the coordinates, which `limits` may use, and which are kept in the study. Without them, the columns of `x0`, or of the data of a
        regression, if that is a DataFrame.
    callback : callable
        Called with the optimizer after each generation; returning True or raising StopIteration ends the search.
    executor
        Anything with ``submit(f, x)`` whose futures have ``add_done_callback``: of concurrent.futures, Dask,
        mpi4py.futures ... Results may come in any order. With ``quorum=0.9`` a generation does not wait for the last tenth.
        Many of the default's generations have a few points only: with many workers, give a `population` and
        ``refinement=False``, or ask and tell with ``zilch.Optimizer``, which always has another point.
    vectorized : bool
        With an executor, each call gets a sixteenth of the generation.
    study : path
        A file that keeps every generation. If you call it again after an interruption, with the same arguments, it goes on. A
        function is known by its module, name and line, not by the data that it refers to.
    noisy : bool
        Whether f gives a point another value each time. A problem knows it; for a function the search finds it out by
        evaluating good points again. Say False if you know it. Without noise, fewer evaluations are enough for the final check.
    final_evaluations : int
        At most so many evaluations for the final check, which finds the best supported of the best points. They are a part
        of `evaluations`, if you give that. None means a fifth of `evaluations`, 500 at most, or fewer without noise. With 0
        there is no final check: the result is the best point seen.
    held_out : int
        Evaluations of the result, of a noisy problem of the library's own, on noise that the search has not met: an
        honest mean of what was found. The lander flies the seeds 0, 1, ...; 0 for none.
    threads : int
        For a problem of the library's own; 0: one for each processor.
    disp : bool
        Say how it goes on standard error, after a generation, once a second at most.

    The options, of which each may be None for its default. The defaults shown are those of the method "default". A problem of
    the library's own has a penalty that suits it.

    OPTIONS

    >>> import zilch
    >>> result = zilch.minimize(lambda x: (x[3] - 1.5)**2 + (x[11] + 0.5)**2, 20, penalty=0.01)
    >>> result.active, result.x[[3, 11]].round(3), result.message
    (2, array([ 1.5, -0.5]), 'stopped by: converged')
    """
    _arrays.count(threads, "threads", 0, 4096)
    if _arrays.count(held_out, "held_out") and not (isinstance(f, Problem) and f.is_noisy):
        raise ValueError("held_out: only a noisy problem of zilch.problem has evaluations that no search meets; leave it out")
    if not callable(f):
        raise TypeError(f"f: must be callable, not {type(f).__name__}")
    if dim is not None and x0 is None and np.ndim(dim) > 0:
        dim, x0 = None, dim
    guess = None if x0 is None else _arrays.real(x0, "x0")
    first = None if guess is None or guess.ndim == 0 else np.atleast_2d(guess)
    given: dict[str, Any] = {**options}
    dim, bounds = _of_problem(f, dim, first, bounds, given)
    texts, ends, final = _options.split(minimize, {**given, "final_evaluations": final_evaluations}, "option", "limit", "final")
    if 0 < int(final.get("final_evaluations", 0)) < int(final.get("final_candidates", 0)):
        raise ValueError("final_evaluations: must be at least final_candidates, each of which needs an evaluation")
    ending = _ending(ends, final if final_evaluations != 0 else None, 0 if first is None else len(first), _is_noisy(f, noisy))
    chosen_options = {name: given[name] for name in texts}
    if executor is not None and given.get("method") in (None, "default"):  # otherwise the library does so
        chosen_options.setdefault("expected_evaluations", int(ending.limits.get("evaluations", 0)))
    called = _names(names, x0, f, dim)
    optimizer = Optimizer(dim, seed=seed, default=default, bounds=bounds, x0=_centre(guess, given), scale=scale, step=step, values=values,
                          penalties=penalties, groups=groups, forced_on=forced_on, forced_off=forced_off, limits=limits, names=called,
                          repair=repair, **chosen_options)
    asked = _Asked(ends, final, final_evaluations != 0, ending.is_noisy, called)
    objective = objective_of(f, optimizer.dim, vectorized, executor)
    with _Keeper(study, optimizer, asked, f, first) as keeper:
        optimizer = keeper.optimizer
        watcher = _Watcher(keeper, callback, disp)
        if first is not None and optimizer.progress.evaluations == 0:
            _begin_at(optimizer, objective, first)
        stop = drive(optimizer, objective, ending, watcher, threads)
        chosen = _recommend(optimizer, objective, ending, threads)
        measured = _hold_out(f, optimizer, chosen, held_out, threads)
        keeper.conclude(stop, chosen, measured)
    return _result(optimizer, objective, stop, chosen, measured, watcher.history, asked)


@_options.like(minimize, direction="maximize")
def maximize(*arguments: Any, **options: Any) -> Result:
    """The same, for the greatest value. Takes what ``zilch.minimize`` takes.

    >>> import zilch
    >>> zilch.maximize(lambda x: 3 - (x[1] - 2)**2, 5, penalty=0.1, evaluations=500).x.round(3)
    array([0., 2., 0., 0., 0.])
    """
    return minimize(*arguments, **{"direction": "maximize", **options})


# ---- Before and after

@dataclass(frozen=True)
class _Asked:
    """What the search is asked for, beside its optimizer: texts of the library's options, and what is Python's own."""

    limits: dict[str, str]
    final: dict[str, str]
    is_recommending: bool
    is_noisy: bool
    names: tuple[str, ...] | None


def _of_problem(f: Any, dim: Any, first: Floats | None, bounds: Any, options: dict[str, Any]) -> tuple[int, Any]:
    """What a problem, or the first points, say about themselves."""
    if isinstance(f, Problem):
        if f.direction != (options.get("direction") or "minimize"):
            raise ValueError(f"f: {f.name} is to be {f.direction}d")
        dim = f.dim if dim is None else dim
        if dim != f.dim:
            raise ValueError(f"dim: {f.name} has {f.dim} coordinates, not {dim}")
        bounds = f.bounds if bounds is None else bounds
        if options.get("penalty") is None:
            options["penalty"] = f.penalty
    if dim is None:
        if first is None:
            raise TypeError("dim: the number of coordinates must be given, or x0")
        dim = first.shape[1]
    return dim, bounds


def _centre(guess: NDArray[Any] | None, options: dict[str, Any]) -> NDArray[Any] | None:
    """What the first points are spread around: a number, or one point, which other methods than the default only evaluate."""
    if guess is None or guess.ndim == 0:
        return guess
    is_one = guess.ndim == 1 or len(guess) == 1
    return guess.reshape(-1) if is_one and options.get("method") in (None, "default") else None


def _is_noisy(f: Any, noisy: bool | None) -> bool:
    if noisy is not None and not isinstance(noisy, (bool, np.bool_)):
        raise TypeError(f"noisy: must be True or False, not {noisy!r}")
    return bool(noisy) if noisy is not None else not isinstance(f, Problem) or f.is_noisy


def _names(names: Iterable[str] | None, x0: Any, f: Any, dim: int) -> tuple[str, ...] | None:
    """As given, or those of the columns of x0, or of the problem."""
    found = tuple(names) if names is not None else _arrays.columns(x0) or (f.names if isinstance(f, Problem) else None)
    return None if found is None else _arrays.names(found, dim)


def _ending(limits: dict[str, str], final: dict[str, str] | None, first: int, is_noisy: bool) -> Ending:
    """What is left after the first points. The final check needs its evaluations, and the search at least one."""
    evaluations = int(limits.get("evaluations", 0))
    checked = int((final or {}).get("final_evaluations", 0))
    if 0 < evaluations <= first + checked:
        parts = [f"{checked} final_evaluations"] * (checked > 0) + [f"{first} points of x0"] * (first > 0)
        raise ValueError(f"evaluations: must be more than the {' and the '.join(parts)}, which are a part of them, "
                         f"not {evaluations}")
    return Ending({**limits, "evaluations": str(evaluations - first)} if evaluations else limits, final, is_noisy)


def _begin_at(optimizer: Optimizer, objective: Objective, first: Floats) -> None:
    points = _arrays.floats(first, "x0", None, optimizer.dim)
    for x, (value, violation) in zip(points, objective.first_values(points)):
        if np.isfinite(value) and np.isfinite(violation):
            optimizer.tell_point(x, float(value), violation)
        else:
            objective.failed += 1


def _recommend(optimizer: Optimizer, objective: Objective, ending: Ending, threads: int) -> Recommendation | None:
    if ending.final is None or not optimizer.top(1):
        return None
    x = np.empty(optimizer.dim)
    limits = dict(ending.limits)
    if int(limits.get("evaluations", 0)):
        limits["evaluations"] = str(max(int(limits["evaluations"]) - objective.lost, 1))
    return Recommendation(x=x, **_core.recommend(optimizer._optimizer, objective.core, limits, ending.final, ending.is_noisy, x,
                                                 threads))


def _hold_out(f: Any, optimizer: Optimizer, chosen: Recommendation | None, count: int, threads: int) -> HeldOut | None:
    if not count:
        return None
    measured: HeldOut = f.held_out(optimizer.best.x if chosen is None else chosen.x, count, threads=threads)
    return measured


def _result(optimizer: Optimizer, objective: Objective, stop: str, chosen: Recommendation | None, measured: HeldOut | None,
            history: list[tuple[Any, ...]], asked: _Asked) -> Result:
    progress = optimizer.progress
    best = optimizer.best
    x = best.x if chosen is None else chosen.x
    spent = 0 if chosen is None else chosen.spent
    violation = best.violation if chosen is None else chosen.violation
    return Result(x=x, fun=best.value if chosen is None else chosen.mean, nfev=progress.evaluations + objective.failed + spent,
                  nit=progress.generations, success=stop != "observer" and not violation > 0,
                  message=f"stopped by: {stop}" + (f"; infeasible, violation {violation:g}" if violation > 0 else ""),
                  active=best.active if chosen is None else chosen.active, recommended=chosen, best=best, front=optimizer.front,
                  history=np.array(history, dtype=_HISTORY), optimizer=optimizer, held_out=measured,
                  names=None if asked.names is None else list(asked.names), violation=violation)


# ---- After each generation

class _Watcher:
    """Writes down how the search goes, for the study, the result, the terminal and the caller."""

    def __init__(self, keeper: _Keeper, callback: Callable[[Optimizer], object] | None, disp: bool) -> None:
        self.optimizer = keeper.optimizer
        self.keeper = keeper
        self.callback = callback
        self.disp = disp
        self.history: list[tuple[Any, ...]] = keeper.history()
        self.began = self.said = time.perf_counter()

    def __call__(self, evaluating: float) -> bool:
        p = self.optimizer.progress
        now = time.perf_counter()
        self.keeper.record(evaluating, max(now - self.began - evaluating, 0.0))
        self.began = now
        self.history.append((p.generations, p.evaluations, p.best_value, p.best_fitness, p.best_active, p.noise))
        if self.disp and (p.generations == 1 or now - self.said >= _BETWEEN):
            self.said = now
            print(f"generation {p.generations}: best value {p.best_value:g}, {p.best_active} active, "
                  f"{p.evaluations} evaluations", file=sys.stderr)
        try:
            return self.callback is not None and bool(self.callback(self.optimizer))
        except StopIteration:
            return True


class _Keeper:
    """The run in its study, if there is one. If the study has a run of the same search that has not ended, that one goes on."""

    def __init__(self, path: str | os.PathLike[str] | None, optimizer: Optimizer, asked: _Asked, f: Any,
                 first: Floats | None) -> None:
        self.optimizer = optimizer
        self.study = None if path is None else Study(path, "create")
        self.is_new = True
        self.run = 0
        if self.study is None:
            return
        given: tuple[Any, ...] = tuple(part for part in (optimizer._units, optimizer._limits)
                                       if part and any(each is not None for each in part))
        given += ("allowed", optimizer._allowed) if any(each is not None for each in optimizer._allowed) else ()
        given += ("penalties", optimizer._penalties) if optimizer._penalties is not None else ()
        given += ("default", optimizer._default) if optimizer._default is not None else ()
        given += ("repair", _identity(optimizer._repair)) if optimizer._repair is not None else ()
        made = hashlib.sha256(pickle.dumps((_identity(f), first, optimizer._constraints, *given), protocol=4)).hexdigest()
        texts = {"name": "python", "problem": _name(f), "machine": platform.machine(),
                 "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self.run, self.is_new = _core.study_begin(
            self.study._study, optimizer._optimizer, texts, asked.limits, asked.final,
            {"objective": made, "noisy": "yes" if asked.is_noisy else "no",
             **({"penalties": "yes"} if optimizer._penalties is not None else {})},
            {"final_recommendation": "yes" if asked.is_recommending else "no"}, asked.names)
        if not self.is_new:
            self.optimizer = self.study.resume(self.run, optimizer._repair)

    def history(self) -> list[tuple[Any, ...]]:
        if self.study is None or self.is_new:
            return []
        return [tuple(row[name] for name, _ in _HISTORY) for row in self.study.generations(self.run)]

    def record(self, evaluating: float, searching: float) -> None:
        if self.study is not None:
            _core.study_record(self.study._study, self.run, self.optimizer._optimizer, evaluating, searching)

    def conclude(self, stop: str, chosen: Recommendation | None, measured: HeldOut | None) -> None:
        if self.study is None:
            return
        conclusion: dict[str, Any] = {"stop": stop, "is_recommending": chosen is not None}
        if chosen is not None:
            names = ("point", "mean", "deviation", "fitness", "evaluations", "failures", "spent", "active", "pruned",
                     "violation")
            conclusion |= {name: getattr(chosen, name) for name in names}
        if measured is not None:
            conclusion |= {"held_out_mean": measured.mean, "held_out_error": measured.error, "held_out_count": measured.count}
        _core.study_conclude(self.study._study, self.run, conclusion, None if chosen is None else chosen.x)

    def __enter__(self) -> _Keeper:
        return self

    def __exit__(self, *failure: object) -> None:
        if self.study is not None:
            self.study.close()


def _name(f: Any) -> str:
    return f.setting if isinstance(f, Problem) else f"python:{getattr(f, '__qualname__', type(f).__name__)}"


def _identity(f: Any) -> Any:
    """What tells objectives apart. A function is known by where it is written, not by what it refers to."""
    if isinstance(f, Problem):
        return f
    written = getattr(f, "func", f)  # of a partial
    line = getattr(getattr(written, "__code__", None), "co_firstlineno", 0)
    return getattr(written, "__module__", ""), getattr(written, "__qualname__", ""), line
