"""How a search gets its values: from a function, on the spot or through an executor, or from a problem of the library."""

from __future__ import annotations

import functools
import hashlib
import math
import queue
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _core
from ._arrays import Floats, Ids
from ._journal import Journal
from ._optimizer import Optimizer
from ._problem import Problem

_REMEMBERED = 4  # populations of unanswered points, after which the library forgets the oldest
_AUTOMATIC = 2000  # points in the largest population that is chosen automatically
_KNOWN = 100_000  # points whose values are known, the newest
_CHUNKS = 16  # parts of a population that a vectorized function gets from an executor
_NOTHING = ("f: returned None; it must return a number (is a 'return' missing?). An evaluation that failed returns "
            "math.nan")
_TURN = 0.1  # seconds of waiting after which the journal may write what it has


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What an objective may return in the place of a value, if points must keep limits that only their evaluation knows.

    `violations` is a number, or several: a limit is kept where its number is 0 or less. In a vectorized objective, `value`
    has n values, and `violations` n numbers or n rows of them. NaN in either is a failed evaluation.

    >>> import zilch
    >>> def f(x):
    ...     return zilch.Evaluation(x @ x, violations=1 - x[0] - x[1])  # x[0] + x[1] >= 1
    >>> result = zilch.minimize(f, 5, evaluations=500)
    >>> bool(result.x[0] + result.x[1] >= 1), result.x.round(2), result.violation
    (True, array([0.5, 0.5, 0. , 0. , 0. ]), 0.0)
    """

    value: Any
    violations: ArrayLike = ()


class Executor(Protocol):
    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any: ...


Arrived = Callable[[int, Floats], None]
"""Is given values and violations as they arrive, a row for each point, and where the first of them stands; no rows: time has
passed."""


class Memo:
    """Values and violations by point, of a function without noise. It is the search that knows them, so a point is evaluated
    once, whatever process the function is called in."""

    def __init__(self) -> None:
        self._known: dict[bytes, Floats] = {}

    def keep(self, x: Floats, got: Floats) -> None:
        for row, both in zip(x, got):
            self._known[_key(row)] = both.copy()
        while len(self._known) > _KNOWN:
            del self._known[next(iter(self._known))]

    def sort(self, x: Floats, rows: Iterable[int], values: Floats) -> tuple[list[int], dict[int, list[int]]]:
        """The rows to evaluate, and for each first row of a point all that have it. Values that are known are filled in."""
        first: dict[bytes, int] = {}
        same: dict[int, list[int]] = {}
        for row in rows:
            same.setdefault(first.setdefault(_key(x[row]), row), []).append(row)
        for key in first.keys() & self._known.keys():
            values[same[first.pop(key)]] = self._known[key]
        return list(first.values()), same


def _key(row: Floats) -> bytes:
    return hashlib.blake2b(row.tobytes(), digest_size=16).digest()


class Objective:
    """A function of Python's. `core` is what the extension calls."""

    core: Any

    def __init__(self, f: Callable[..., Any], dim: int, vectorized: bool) -> None:
        self.f = f
        self.dim = dim
        self.vectorized = vectorized
        self.failed = 0  # evaluations that no search counts
        self.lost = 0  # evaluations that were begun, and whose values nobody waited for
        self.generation = 0
        self.memo: Memo | None = None
        self.turn: Callable[[], None] = lambda: None  # called now and then, while values come or do not come
        self.core = self._evaluate

    def first_values(self, x: Floats, journal: Journal) -> Floats:
        """Values and violations of points that the search has not asked for, under ids that it does not give."""
        ids = 2**62 + np.arange(len(x), dtype=np.uint64)
        values, known = journal.recall(0, ids, x)
        new = np.flatnonzero(~known)

        def keep(first: int, got: Floats) -> None:
            part = new[first:first + len(got)]
            journal.keep(0, ids[part], x[part], got)

        if len(new):
            values[new] = self._once(x[new], ids[new], keep)
        return values

    def _once(self, x: Floats, ids: Ids, arrived: Arrived) -> Floats:
        """What is known is not evaluated."""
        memo = self.memo
        if memo is None:
            return self._values(x, ids, arrived)
        values = np.empty((len(x), 2))
        new, same = memo.sort(x, range(len(x)), values)

        def give(row: int) -> None:
            for i in same[row]:
                values[i] = values[row]
                arrived(i, values[i:i + 1])

        def keep(begin: int, got: Floats) -> None:
            came = new[begin:begin + len(got)]
            values[came] = got
            memo.keep(x[came], got)
            for row in came:
                give(row)
            if not came:
                arrived(0, got)

        for row in same.keys() - set(new):
            give(row)
        if new:
            self._values(x[new], ids[new], keep)
        return values

    def _values(self, x: Floats, ids: Ids, arrived: Arrived) -> Floats:
        if self.vectorized:
            values = many(self._function(ids)(x), len(x))
            arrived(0, values)
            return values
        values = np.empty((len(x), 2))
        for i, row in enumerate(x):
            values[i] = one(self.f(row))
            arrived(i, values[i:i + 1])
        return values

    def _function(self, ids: Ids) -> Callable[[Floats], Any]:
        """A problem of the library's is told whose noise it is."""
        if isinstance(self.f, Problem):
            return functools.partial(self.f, ids=ids, generation=self.generation)
        return self.f

    def _evaluate(self, generation: int, ids: bytearray, x: bytearray, value: bytearray,
                  arrived: Callable[[int, int], None]) -> None:
        self.generation = generation
        columns = np.frombuffer(value).reshape(2, -1)

        def tell(first: int, got: Floats) -> None:
            columns[:, first:first + len(got)] = got.T
            arrived(first, len(got))
            self.turn()

        self._once(np.frombuffer(x).reshape(-1, self.dim), np.frombuffer(ids, dtype=np.uint64), tell)


class Submitted(Objective):
    """A function that an executor calls, a point at a time or, vectorized, some points."""

    def __init__(self, f: Callable[..., Any], dim: int, vectorized: bool, executor: Executor) -> None:
        if not hasattr(executor, "submit"):
            raise TypeError(f"executor: must have a method submit, which {type(executor).__name__} has not")
        super().__init__(f, dim, vectorized)
        self.executor = executor
        self.pending: dict[Any, Any] = {}  # futures and their keys, the oldest first
        self.done: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()

    def sort(self, x: Floats, rows: list[int], values: Floats) -> tuple[list[int], dict[int, list[int]]]:
        """As that of the memo."""
        return (rows, {row: [row] for row in rows}) if self.memo is None else self.memo.sort(x, rows, values)

    def submit(self, keys: Any, x: Floats, ids: Ids) -> None:
        """keys come back with the values, from `take`."""
        size = max(1, math.ceil(len(x) / _CHUNKS)) if self.vectorized else 1
        for begin in range(0, len(x), size):
            part = slice(begin, begin + size)
            future = self.executor.submit(self._function(ids[part]), x[part] if self.vectorized else x[begin])
            self.pending[future] = keys[part]
            future.add_done_callback(lambda done, keys=keys[part], back=self.done: back.put((done, keys)))

    def take(self, turn: Callable[[], None]) -> tuple[Any, Floats]:
        """What comes back first, values and violations. An exception of the function's comes out of here. While nothing comes,
        `turn` is called now and then."""
        future: Any = None
        keys: Any = None
        while self.pending.pop(future, None) is None:  # nothing yet, or it was dropped
            self.turn()
            try:
                future, keys = self.done.get(timeout=_TURN)
            except queue.Empty:
                turn()
        result = future.result()
        return keys, many(result, len(keys)) if self.vectorized else np.array([one(result)])

    def drop(self, most: int) -> None:
        """All but the newest `most` points: the search forgets those that are out for longer, and refuses their values."""
        out = sum(map(len, self.pending.values()))
        for future, keys in list(self.pending.items()):
            if out <= most:
                break
            out -= len(keys)
            del self.pending[future]
            future.cancel()

    def abandon(self) -> None:
        """What is not begun need not be; what comes back later goes where nobody looks."""
        for future in self.pending:
            future.cancel()
        self.pending.clear()
        self.done = queue.SimpleQueue()

    def _values(self, x: Floats, ids: Ids, arrived: Arrived) -> Floats:
        values = np.empty((len(x), 2))
        try:
            self.submit(np.arange(len(x)), x, ids)
            while self.pending:
                keys, got = self.take(lambda: arrived(0, values[:0]))
                values[keys] = got
                arrived(int(keys[0]), got)
        finally:
            self.abandon()
        return values


class Native(Objective):
    """A problem of the library's own: evaluated there, on threads, without Python."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, problem.dim, True)
        self.core = problem._problem


def objective_of(f: Any, dim: int, vectorized: bool, executor: Executor | None, is_noisy: bool) -> Objective:
    if isinstance(f, Problem) and executor is None:
        return Native(f)
    vectorized = vectorized or isinstance(f, Problem)
    objective = Objective(f, dim, vectorized) if executor is None else Submitted(f, dim, vectorized, executor)
    if not is_noisy:
        objective.memo = Memo()
    return objective


def one(result: Any) -> tuple[float, float]:
    """The value, and the violation."""
    if isinstance(result, Evaluation):
        numbers = _arrays.real(result.violations if np.size(result.violations) else 0.0, "f: violations")
        return one(result.value)[0], float(_arrays.violations(numbers.reshape(1, -1), "f: violations", 1)[0])
    if result is None:
        raise TypeError(_NOTHING)
    try:
        if isinstance(result, (str, bytes, bytearray)):
            raise TypeError
        return float(result), 0.0
    except (TypeError, ValueError):
        raise TypeError(f"f: must return a number, or zilch.Evaluation, not {type(result).__name__}") from None


def many(result: Any, n: int) -> Floats:
    """A row for each point: its value, and its violation."""
    values = result.value if isinstance(result, Evaluation) else result
    if values is None:
        raise TypeError(_NOTHING)
    array = _arrays.real(values, "f")
    if array.shape != (n,):
        raise ValueError(f"f: must return {n} values for {n} points, not an array of shape {array.shape}")
    both = np.zeros((n, 2))
    both[:, 0] = array
    if isinstance(result, Evaluation) and np.size(result.violations):
        both[:, 1] = _arrays.violations(result.violations, "f: violations", n)
    return both


# ---- Driving

Observer = Callable[[float], bool]
"""Is given the seconds spent evaluating, and says whether it is enough."""


@dataclass(frozen=True)
class Ending:
    """When a search ends, and what follows it: texts of the library's options. `final` is None if there is no final check."""

    limits: dict[str, str]
    final: dict[str, str] | None
    is_noisy: bool


def drive(optimizer: Optimizer, objective: Objective, ending: Ending, observer: Observer, threads: int, journal: Journal) -> str:
    """To a limit; gives which. Through an executor values come as they like, otherwise the library drives."""
    if not isinstance(objective, Submitted):
        return _core.optimize(optimizer._optimizer, objective.core, observer, ending.limits, ending.final, ending.is_noisy,
                              threads, journal.core)
    try:
        return _drive_submitted(optimizer, objective, ending, observer, journal)
    finally:
        objective.abandon()


def _drive_submitted(optimizer: Optimizer, objective: Submitted, ending: Ending, observer: Observer, journal: Journal) -> str:
    optimizer.advance()  # first points may be good enough
    asked = _asked_and_told(optimizer)
    settings = optimizer.settings
    remembered = _REMEMBERED * (settings["population"] or _AUTOMATIC)
    is_refining = settings["method"] == "default" and settings["refinement"] and not settings["archive_size"]
    while True:
        stop, left = _core.reached(optimizer._optimizer, ending.limits, ending.final, ending.is_noisy)
        objective.lost = asked - _asked_and_told(optimizer)
        if stop != "not stopped":
            n = 0 if objective.lost else _core.open_front(optimizer._optimizer, ending.limits, ending.final, ending.is_noisy)
            if not n:
                return stop
        else:
            restarts = optimizer.progress.restarts
            n = min(optimizer.wanted() or 1, left - objective.lost)
            if optimizer.progress.restarts > restarts and not is_refining:
                return _ending(optimizer)
            if n <= 0:  # all are asked for, and with a quorum below 1 nobody waits for the last
                return "evaluations"
        asked += n
        ids, x = optimizer.ask(n)
        objective.generation = optimizer.progress.generations
        began = time.perf_counter()
        _evaluate_generation(optimizer, objective, ids, x, journal)
        objective.drop(remembered)
        if observer(time.perf_counter() - began):
            return "observer"


def _asked_and_told(optimizer: Optimizer) -> int:
    return optimizer.progress.evaluations - optimizer.progress.foreign


def _ending(optimizer: Optimizer) -> str:
    """Where the library would have ended, asking has begun anew: the best point says which end it was."""
    return "diverged" if np.abs(optimizer.best.x).max() > 1e100 else "converged"


def _evaluate_generation(optimizer: Optimizer, objective: Submitted, ids: Ids, x: Floats, journal: Journal) -> None:
    """Tells what is known, and what comes back, until the generation closes, at the latest when everything is back."""
    generation = objective.generation
    values, known = journal.recall(generation, ids, x)
    new, same = objective.sort(x, np.flatnonzero(~known).tolist(), values)
    for row in same.keys() - set(new):
        known[same[row]] = True
        journal.keep(generation, ids[same[row]], x[same[row]], values[same[row]])
    objective.submit(ids[new], x[new], ids[new])
    if known.any():
        optimizer.tell(ids[known], values[known, 0], violations=values[known, 1])
    rows = {int(ids[row]): row for row in new}
    while optimizer.progress.generations == generation:
        if not objective.pending:
            optimizer.advance()
            break
        keys, got = objective.take(lambda: journal.keep(generation, ids[:0], x[:0], values[:0]))
        if int(keys[0]) in rows:  # not one of an earlier generation, which comes late
            came = [rows[int(key)] for key in keys]
            if objective.memo is not None:
                objective.memo.keep(x[came], got)
            got = np.repeat(got, [len(same[row]) for row in came], axis=0)
            came = [i for row in came for i in same[row]]
            keys = ids[came]
            journal.keep(generation, keys, x[came], got)
        optimizer.tell(keys, got[:, 0], violations=got[:, 1])
