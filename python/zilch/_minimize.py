"""minimize and maximize: a search from beginning to end."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core, _options
from ._arrays import Floats
from ._evaluate import Ending, Executor, Objective, drive, objective_of
from ._identity import digest
from ._journal import Journal
from ._live import View, path_for, shown
from ._optimizer import Optimizer, Recommendation, Repair, own_penalties
from ._problem import HeldOut, Problem
from ._result import Result
from ._steer import Steering
from ._study import Study

if TYPE_CHECKING:
    from typing import Unpack

    from ._option_types import SearchOptions

_BETWEEN = 1.0  # seconds between two lines about the search

_HISTORY = [("generation", np.int64), ("evaluations", np.int64), ("best_value", np.float64),
            ("best_fitness", np.float64), ("best_active", np.int64), ("noise", np.float64)]


@_options.documented("option", "limit", "final")
def minimize(f: Callable[[Floats], Any] | Problem, dim: int | ArrayLike | None = None, *, x0: ArrayLike | None = None,
             scale: ArrayLike | None = None, seed: int = 1, default: ArrayLike | None = None, bounds: Any = None, step: ArrayLike | None = None,
             values: Any = None,
             groups: Sequence[Sequence[int]] | None = None,
             forced_on: Iterable[int] = (), forced_off: Iterable[int] = (), limits: Any = None,
             names: Iterable[str] | None = None, repair: Repair | None = None,
             callback: Callable[[Optimizer], object] | None = None, executor: Executor | None = None, vectorized: bool = False,
             study: str | os.PathLike[str] | None = None, noisy: bool | None = None, final_evaluations: int | None = None,
             time: float | None = None, held_out: int = 0, threads: int = 0, disp: bool = False, live: bool = False,
             **options: Unpack[SearchOptions]) -> Result:
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
    default, bounds, step, values, groups, forced_on, forced_off, limits
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
        A file that keeps every value when it arrives. If you call it again after an interruption, with the same arguments, it
        goes on, and only the evaluations that were under way are repeated. If the search has ended, you get its result; with more
        `evaluations` or `generations` it goes on. A function is known by its code, by its defaults, by what it encloses, and by
        the functions of its module that it calls, but not by the data of its module. While it searches, it heeds what the live
        page, the command ``zilch steer`` or ``zilch.Study.ask`` ask of it.
    noisy : bool
        Whether f gives a point another value each time. A problem knows it; for a function the search finds it out by
        evaluating good points again. Say False if you know it. Without noise, fewer evaluations are enough for the final check,
        and f is not called again for a point whose value is known, also if an executor calls it in other processes. Such
        evaluations are a part of `evaluations` and `nfev` all the same.
    final_evaluations : int
        At most so many evaluations for the final check, which finds the best supported of the best points. They are a part
        of `evaluations`, if you give that. None means a fifth of `evaluations`, 500 at most, or fewer without noise. With 0
        there is no final check: the result is the best point seen.
    time : float
        Stop after so many seconds, when a generation ends; the final check follows. With a `study`, calling again goes on for as
        long.
    held_out : int
        Evaluations of the result, of a noisy problem of the library's own, on noise that the search has not met: an
        honest mean of what was found. The lander flies the seeds 0, 1, ...; 0 for none.
    threads : int
        For a problem of the library's own; 0: one for each processor.
    disp : bool
        Say how it goes on standard error, after a generation, once a second at most.
    live : bool
        Show the search while it goes on. In a notebook, text and a small plot are drawn anew below the cell. Elsewhere the command
        ``zilch serve`` shows it in a browser until it ends, as ``zilch.serve`` does; the address is printed on standard error.

    The options, of which each may be None for its default. The defaults shown are those of the method "default". A problem of
    the library's own has a penalty that suits it. An array for `penalty` gives each coordinate one of its own.

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
    penalties = own_penalties(given)
    texts, ends, final = _options.split(minimize, {**given, "final_evaluations": final_evaluations}, "option", "limit", "final")
    if 0 < int(final.get("final_evaluations", 0)) < int(final.get("final_candidates", 0)):
        raise ValueError("final_evaluations: must be at least final_candidates, each of which needs an evaluation")
    ending = _ending(ends, final if final_evaluations != 0 else None, 0 if first is None else len(first), _is_noisy(f, noisy))
    chosen_options = {name: given[name] for name in texts}
    if executor is not None and given.get("method") in (None, "default"):  # otherwise the library does so
        chosen_options.setdefault("expected_evaluations", int(ending.limits.get("evaluations", 0)))
    if penalties is not None:
        chosen_options["penalty"] = penalties
    called = _names(names, x0, f, dim)
    optimizer = Optimizer(dim, seed=seed, default=default, bounds=bounds, x0=_centre(guess, given), scale=scale, step=step, values=values,
                          groups=groups, forced_on=forced_on, forced_off=forced_off, limits=limits, names=called,
                          repair=repair, **chosen_options)
    asked = _Asked(ends, final, final_evaluations != 0, ending.is_noisy, called)
    objective = objective_of(f, optimizer.dim, vectorized, executor, ending.is_noisy)
    check = functools.partial(_ending, final=ending.final, first=0 if first is None else len(first), is_noisy=ending.is_noisy)
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(path_for(live, study))
        keeper = stack.enter_context(_Keeper(path, optimizer, asked, f, first, check))
        optimizer = keeper.optimizer
        view = stack.enter_context(shown(live and keeper.ended is None, path, called))
        watcher = _Watcher(keeper, callback, disp, math.inf if time is None else _seconds(time), view)
        try:
            if keeper.ended is None:
                stop, chosen, measured = _search(f, optimizer, objective, first, ending, watcher, held_out, threads)
            else:
                stop, chosen, measured = keeper.ended
                if held_out != (measured.count if measured else 0):
                    measured = _hold_out(f, optimizer, chosen, held_out, threads)
        except KeyboardInterrupt:
            stop, chosen, measured = "interrupted", None, None
            if not keeper.interrupt():
                raise
        if view is not None:
            view.draw(optimizer, watcher.history, f"stopped by: {watcher.ending or stop}")
    return _result(optimizer, objective, watcher.ending or stop, chosen, measured, watcher.history, asked)


@_options.like(minimize, "direction")
def maximize(*arguments: Any, **options: Any) -> Result:
    """Maximise f over points that are mostly exact zeros. Takes what ``zilch.minimize`` takes, but for `direction`.

    The options, of which each may be None for its default:

    OPTIONS

    >>> import zilch
    >>> zilch.maximize(lambda x: 3 - (x[1] - 2)**2, 5, penalty=0.1, evaluations=500).x.round(3)
    array([0., 2., 0., 0., 0.])
    """
    if "direction" in options:
        raise TypeError("direction: maximize has one already; leave it out, or call zilch.minimize")
    return minimize(*arguments, **options, direction="maximize")


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


def _seconds(value: Any) -> float:
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not value >= 0:
        raise ValueError(f"time: must be seconds, 0 or more, not {value!r}")
    return float(value)


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


_Ended = tuple[str, Recommendation | None, HeldOut | None]


def _search(f: Any, optimizer: Optimizer, objective: Objective, first: Floats | None, ending: Ending, watcher: _Watcher,
            held_out: int, threads: int) -> _Ended:
    keeper = watcher.keeper
    steering = keeper.steering
    if steering is not None:
        steering.begin(optimizer)
        ending = steering.check(steering.limits)
        objective.turn = steering.look
    if first is not None and optimizer.progress.evaluations == 0:
        _begin_at(optimizer, objective, first, keeper.journal)
    stop = drive(optimizer, objective, ending, watcher, threads, keeper.journal)
    while steering is not None and steering.interrupts and not steering.is_stopping and not watcher.is_over:
        if steering.take():  # on top of the budget, and the search goes on
            keeper.conclude("not stopped", _recommend(optimizer, objective, ending, threads, keeper.journal), None)
        ending = steering.check(steering.limits)
        stop = drive(optimizer, objective, ending, watcher, threads, keeper.journal)
    stop = "asked" if steering is not None and steering.is_stopping and not watcher.is_over else stop
    chosen = _recommend(optimizer, objective, ending, threads, keeper.journal)
    measured = _hold_out(f, optimizer, chosen, held_out, threads)
    keeper.conclude(stop, chosen, measured)
    return stop, chosen, measured


def _begin_at(optimizer: Optimizer, objective: Objective, first: Floats, journal: Journal) -> None:
    points = _arrays.floats(first, "x0", None, optimizer.dim)
    for x, (value, violation) in zip(points, objective.first_values(points, journal)):
        if np.isfinite(value) and np.isfinite(violation):
            optimizer.tell_point(x, float(value), violation)
        else:
            objective.failed += 1


def _recommend(optimizer: Optimizer, objective: Objective, ending: Ending, threads: int,
               journal: Journal) -> Recommendation | None:
    if ending.final is None or not optimizer.top(1):
        return None
    x = np.empty(optimizer.dim)
    limits = dict(ending.limits)
    if int(limits.get("evaluations", 0)):
        limits["evaluations"] = str(max(int(limits["evaluations"]) - objective.lost, 1))
    return Recommendation(x=x, **_core.recommend(optimizer._optimizer, objective.core, limits, ending.final, ending.is_noisy, x,
                                                 threads, journal.core))


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
    stop = "request" if stop == "asked" else stop  # as the command calls it
    return Result(x=x, fun=best.value if chosen is None else chosen.mean, nfev=progress.evaluations + objective.failed + spent,
                  nit=progress.generations, success=stop not in ("observer", "interrupted", "request") and not violation > 0,
                  message=("stopped by the callback" if stop == "observer" else f"stopped by: {stop}") + (f"; infeasible, violation {violation:g}" if violation > 0 else ""),
                  active=best.active if chosen is None else chosen.active, recommended=chosen, best=best,
                  front=optimizer._front_with(chosen),
                  history=np.array(history, dtype=_HISTORY), optimizer=optimizer, held_out=measured,
                  names=None if asked.names is None else list(asked.names), violation=violation)


# ---- After each generation

class _Watcher:
    """Writes down how the search goes, for the study, the result, the terminal and the caller."""

    def __init__(self, keeper: _Keeper, callback: Callable[[Optimizer], object] | None, disp: bool,
                 seconds: float, view: View | None) -> None:
        self.optimizer = keeper.optimizer
        self.keeper = keeper
        self.callback = callback
        self.disp = disp
        self.history: list[tuple[Any, ...]] = keeper.history()
        self.began = self.said = time.perf_counter()
        self.end = self.began + seconds
        self.ending = ""  # what the library calls the observer, if it is not the callback
        self.view = view
        self.is_over = False  # the callback or the time has ended it

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
        if self.view is not None:
            self.view.draw(self.optimizer, self.history)
        self.is_over = self._is_enough()
        return self.is_over or self._is_asked()

    def _is_enough(self) -> bool:
        try:
            if self.callback is not None and bool(self.callback(self.optimizer)):
                return True
        except StopIteration:
            return True
        self.ending = "time" if time.perf_counter() >= self.end else ""
        return bool(self.ending)

    def _is_asked(self) -> bool:
        """Whether something was asked for which the search has to be left."""
        if self.keeper.steering is None:
            return False
        paused = self.keeper.steering.heed(self.optimizer)  # counts nowhere
        self.began += paused
        self.end += paused
        return self.keeper.steering.interrupts


class _Keeper:
    """The run in its study, if there is one. If the study has a run of the same search, that one goes on, or has ended."""

    def __init__(self, path: str | os.PathLike[str] | None, optimizer: Optimizer, asked: _Asked, f: Any,
                 first: Floats | None, check: Callable[[dict[str, str]], Ending]) -> None:
        self.optimizer = optimizer
        self.steering: Steering | None = None
        self.study = None if path is None else Study(path, "create")
        self.is_new = True
        self.ended: _Ended | None = None
        self.run = 0
        if self.study is None:
            self.journal = Journal(None, 0)
            return
        try:
            self._find(self.study, optimizer, asked, f, first)
            self.steering = Steering(self.study._study, self.run, asked.limits, check)
        except BaseException:
            self.study.close()
            raise

    def _find(self, study: Study, optimizer: Optimizer, asked: _Asked, f: Any, first: Floats | None) -> None:
        given: tuple[Any, ...] = tuple(part for part in (optimizer._units, optimizer._limits)
                                       if part and any(each is not None for each in part))
        given += ("allowed", optimizer._allowed) if any(each is not None for each in optimizer._allowed) else ()
        given += ("penalties", optimizer._penalties) if optimizer._penalties is not None else ()
        given += ("default", optimizer._default) if optimizer._default is not None else ()
        given += ("repair", optimizer._repair) if optimizer._repair is not None else ()
        made = digest(f, first, optimizer._constraints, *given)
        texts = {"name": "python", "problem": _name(f), "machine": platform.machine(),
                 "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self.run, self.is_new, is_over = _core.study_begin(
            study._study, optimizer._optimizer, texts, asked.limits, asked.final,
            {"objective": made, "noisy": "yes" if asked.is_noisy else "no",
             **({"penalties": "yes"} if optimizer._penalties is not None else {})},
            {"final_recommendation": "yes" if asked.is_recommending else "no"}, asked.names)
        if not self.is_new:
            self.optimizer = study.resume(self.run, optimizer._repair)
        self.journal = Journal(study._study, self.run)
        if is_over:
            self.ended = _ended(study.conclusions(self.run)[-1], asked.is_recommending)

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

    def interrupt(self) -> bool:
        """What has arrived is kept, and the optimizer knows it. Gives whether there is anything."""
        self.journal.flush()
        with contextlib.suppress(RuntimeError):  # nothing of the generation has succeeded
            self.journal.tell(self.optimizer)
        return bool(self.optimizer.top(1))

    def __enter__(self) -> _Keeper:
        return self

    def __exit__(self, kind: object, *failure: object) -> None:
        if self.study is not None:
            if kind is not None:
                with contextlib.suppress(OSError):  # there is worse
                    self.journal.flush()
            self.study.close()


def _ended(row: dict[str, Any], is_recommending: bool) -> _Ended | None:
    """A conclusion that is on record; None if the final check is missing that is asked for."""
    if is_recommending and not row["is_recommending"]:
        return None
    names = [each.name for each in fields(Recommendation)]
    chosen = Recommendation(**{**{name: row[name] for name in names}, "x": row["x"].copy()}) if is_recommending else None
    measured = HeldOut(row["held_out_mean"], row["held_out_error"], row["held_out_count"]) if row["held_out_count"] else None
    return row["stop"], chosen, measured


def _name(f: Any) -> str:
    return f.setting if isinstance(f, Problem) else f"python:{getattr(f, '__qualname__', type(f).__name__)}"
